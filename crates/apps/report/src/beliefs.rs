//! Bounds on what an observer can learn: in words, in natural frequencies, as a curve, and by observer.

use crate::frame::{figure, list, said};
use crate::observers::Observer;
use crate::promise::{PromisePicture, drawn};
use deniable_chart::belief::curve;
use deniable_chart::gauge::{Gauge, gauge};
use deniable_chart::people::people;
use deniable_core::exact::{Rational, Rounding, percent, percent_exactly};
use deniable_core::words::chance;
use deniable_ledger::Account;
use deniable_publication::Statement;
use maud::{Markup, html};
use num_traits::{One, Zero};

/// A promise and its account, for a page.
pub struct PromisePage<'a> {
    /// The account of the promise.
    pub account: &'a Account,
    /// The promise and its odds.
    pub picture: PromisePicture,
    /// The guarantee in words, if the assumptions about the data are known.
    pub guarantee: Option<&'a Statement>,
}

/// The promise in one box, for the top of the page; the account at this position, counted from 1, has the details.
pub fn in_short(promised: &PromisePage<'_>, account: usize) -> Markup {
    let promises = match promised.guarantee {
        Some(statement) => statement.promises(),
        None => promised.picture.guarantee().promises_in_words(),
    };
    html! {
        div.promise {
            @for promise in &promises { p { (said(&sentence(promise))) } }
            p.muted {
                "Promised for everything released here, now and later, together: "
                a href={ "#beliefs" (account) } { "how sure may anyone become?" }
            }
        }
    }
}

/// A clause as a sentence.
fn sentence(clause: &str) -> String {
    let mut letters = clause.chars();
    let first: String = letters.next().into_iter().flat_map(char::to_uppercase).collect();
    format!("{first}{}.", letters.as_str())
}

/// The charts of beliefs; observers one by one in a folded part.
pub fn section(promised: &PromisePage<'_>) -> Markup {
    let stated = &promised.picture;
    let observers = stated.observers();
    let (sentence, frequencies) = stated.in_frequencies();
    let spent = promised.account.spent.odds_at_most();
    html! {
        div.triple {
            (figure(people(&frequencies), &sentence))
            (figure(curve(&stated.beliefs()), &caption(stated)))
            div.scroll tabindex="0" role="region" aria-label="Table: observers" {
                table {
                    caption { "Ranges of a belief after the releases so far, and after all possible ones; * not covered" }
                    thead { tr {
                        th scope="col" { "observer" } th.number scope="col" { "before" }
                        th.number scope="col" { "so far" } th.number scope="col" { "in all" }
                    } }
                    tbody { @for observer in &observers { tr {
                        th scope="row" {
                            (observer.name) @if !observer.covered { span.outside { "*" } }
                        }
                        td.number { (percent_exactly(&observer.before)) }
                        td.number { (range(observer.after(&spent))) }
                        td.number { (range(observer.after(stated.odds()))) }
                    } } }
                }
            }
        }
    }
}

/// The meaning of the lines of the curve.
fn caption(stated: &PromisePicture) -> String {
    let but_for = match stated.guarantee().but_for_a_chance() {
        Some(but_for) => format!("dotted: but for {}; ", chance(but_for.chance())),
        None => String::new(),
    };
    format!(
        "Band: what any belief can reach; {but_for}dashed: the promise's own limits; shaded: the beliefs beforehand that it \
         covers"
    )
}

/// Each observer in a picture, in a folded part.
pub fn pictures(promised: &PromisePage<'_>) -> Markup {
    let stated = &promised.picture;
    html! {
        details {
            summary { "Each observer in a picture" }
            div.triple { @for observer in stated.observers() { (one(&observer, stated)) } }
        }
    }
}

/// The conditions of the guarantee, and the observers outside it.
pub fn conditions(promised: &PromisePage<'_>) -> Markup {
    let Some(statement) = promised.guarantee else {
        return html! {
            p.muted { "Nothing was released yet; the report on a policy states its assumptions about the data." }
        };
    };
    html! {
        div.triple {
            div { h3 { "The promise covers observers" } (list(&statement.guarantee().adversary_in_words())) }
            div { h3 { "Provided that" } (list(&statement.assumptions())) }
            div { h3 { "It does not cover" } (list(&statement.outside())) }
        }
    }
}

fn range(after: Option<(Rational, Rational)>) -> String {
    after.map_or_else(
        || "no promise".to_owned(),
        |(low, high)| format!("{} – {}", percent(&low, 1, Rounding::Down), percent(&high, 1, Rounding::Up)),
    )
}

fn one(observer: &Observer, stated: &PromisePicture) -> Markup {
    let Some((low, high)) = observer.after(stated.odds()) else { return html! {} };
    let allowed = observer.covered.then(|| stated.allowed(&observer.before)).flatten();
    let (floor, ceiling) = allowed.map_or((None, None), |(floor, ceiling)| {
        ((!floor.is_zero()).then(|| drawn(&floor)), (!ceiling.is_one()).then(|| drawn(&ceiling)))
    });
    let name =
        if observer.covered { observer.name.clone() } else { format!("{} (outside the promise)", observer.name) };
    let written =
        [percent_exactly(&observer.before), percent(&low, 1, Rounding::Down), percent(&high, 1, Rounding::Up)];
    let (before, low, high) = (drawn(&observer.before), drawn(&low), drawn(&high));
    let gauge_of = Gauge { name, before, low, high, written: Some(written), ceiling, floor };
    html! { (figure(gauge(&gauge_of), &observer.who)) }
}
