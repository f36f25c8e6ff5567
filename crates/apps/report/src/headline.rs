//! The first lines of a page: the facts of the publication, and its key numbers.

use crate::answers::{certainty, single_number, value_text};
use deniable_publication::{Answer, Confidence, Imprint};
use maud::{Markup, html};

/// Most key numbers.
const KEY_NUMBERS: usize = 3;

/// The facts about a publication in one line each, with the versions of its data.
pub fn facts(imprint: &Imprint, versions: &[String]) -> Markup {
    let data = versions.split_first().map(|(newest, earlier)| {
        let more = if earlier.is_empty() { String::new() } else { format!(", and {} earlier", earlier.len()) };
        format!("{newest}{more}")
    });
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

/// The first answers that are one number; none if the page has only one, which is near enough.
pub fn key_numbers(all: &[KeyNumber<'_>]) -> Markup {
    let shown: Vec<_> = all
        .iter()
        .filter(|key| key.answer.withdrawn.is_none())
        .filter_map(|key| Some((key, single_number(key.answer).filter(|number| number.value.is_some())?)))
        .take(KEY_NUMBERS)
        .collect();
    html! {
        @if all.len() > 1 && !shown.is_empty() {
            ul.keys {
                @for (key, number) in shown {
                    li {
                        a href={ "#" (key.anchor) } { (key.answer.title()) }
                        strong { (value_text(number)) }
                        span { (certainty(number, &key.confidence.to_string())) }
                    }
                }
            }
        }
    }
}
