//! The first lines of a page: the facts of the publication, and its key numbers.

use crate::answers::{certainty, single_number, value_text};
use deniable_publication::{Answer, Confidence, Imprint, NumberCell, Quality};
use maud::{Markup, html};

/// Most key numbers.
const KEY_NUMBERS: usize = 3;

/// The facts about a publication in one line each, with the newest versions of its data and the number of earlier ones.
pub fn facts(imprint: &Imprint, versions: &[String], earlier: usize) -> Markup {
    let more = if earlier > 0 { format!(", and {earlier} earlier") } else { String::new() };
    let data = (!versions.is_empty()).then(|| format!("{}{more}", versions.join(", ")));
    html! {
        @if !imprint.is_empty() || data.is_some() {
            dl.facts {
                @for (name, fact) in imprint.facts() { div { dt { (name) } dd { (fact) } } }
                @if let Some(data) = data { div { dt { "data" } dd { (data) } } }
            }
        }
    }
}

/// A number for the top of the page, and the anchor of its answer.
pub struct KeyNumber<'a> {
    pub answer: &'a Answer,
    pub confidence: &'a Confidence,
    pub anchor: String,
}

/// The first answers that are one usable number; none if the page has only one, which is near enough.
pub fn key_numbers(all: &[KeyNumber<'_>]) -> Markup {
    let shown: Vec<_> = all
        .iter()
        .filter(|key| key.answer.withdrawn.is_none())
        .filter_map(|key| Some((key, single_number(key.answer).filter(|number| is_told(number))?)))
        .take(KEY_NUMBERS)
        .collect();
    html! {
        @if all.len() > 1 && !shown.is_empty() {
            ul.keys {
                @for (key, number) in shown {
                    li {
                        a href={ "#" (key.anchor) } { (key.answer.title()) }
                        strong { (value_text(number)) } @if let Some(unit) = unit(key.answer) { (unit) " " }
                        span { (certainty(number, &key.confidence.to_string())) }
                    }
                }
            }
        }
    }
}

/// Whether a number can stand alone at the top: it has a value that is shown and can be used.
fn is_told(number: &NumberCell) -> bool {
    number.value.is_some() && number.hidden.is_none() && number.quality != Some(Quality::Unusable)
}

/// The unit of an answer that is one number.
fn unit(answer: &Answer) -> Option<&str> {
    answer.headings.first()?.unit.as_deref()
}
