//! Pages and pictures: HTML and SVG without scripts, fonts or addresses.
//!
//! [`Session::page`](crate::Session::page) writes the whole page of a ledger. The functions here return parts of it,
//! for notebooks and for pages of other programs; pages need [`style`] once.

use crate::exact::Rational;
use crate::{Answer, Error, Guarantee};
use deniable_chart::belief::{Beliefs, curve};
use deniable_chart::palette::{self, standalone};
use deniable_chart::people::people;
use deniable_report::{PromisePicture, answers};
use num_traits::ToPrimitive;
use std::path::Path;

pub use deniable_report::overview::AccountOverview;

/// A picture and its caption.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Picture {
    /// A whole SVG document.
    pub svg: String,
    /// Its content, in one sentence.
    pub caption: String,
}

/// The page of a ledger without its policy: every account's answers, guarantee and spending.
///
/// # Errors
/// When the file is not a ledger, is damaged, or is older than its head; and when an answer cannot be read.
pub fn of_ledger(path: &Path) -> Result<String, Error> {
    Ok(deniable_report::Report::of_ledger(&deniable_ledger::show(path)?)?.html())
}

/// The table and the pictures of an answer, as HTML. `confidence` is that of the intervals, such as `95%`.
#[must_use]
pub fn answer(answer: &Answer, confidence: &str) -> String {
    answers::single(answer, confidence).into_string()
}

/// The pictures of an answer; empty if no kind of picture is suitable.
#[must_use]
pub fn pictures(answer: &Answer) -> Vec<Picture> {
    let pictures = answers::pictures(answer, None).into_iter();
    pictures.map(|(svg, caption)| Picture { svg: standalone(&svg), caption }).collect()
}

/// The bounds of a promise: in a crowd of people, and for every prior belief.
#[must_use]
pub fn promise(guarantee: &Guarantee) -> [Picture; 2] {
    let picture = PromisePicture::of(guarantee.clone());
    let (caption, frequencies) = picture.in_frequencies();
    [
        Picture { svg: standalone(&people(&frequencies)), caption },
        Picture { svg: standalone(&curve(&picture.beliefs())), caption: "what any belief can become".to_owned() },
    ]
}

/// The range of posteriors for every prior belief under an odds ratio, as SVG.
#[must_use]
pub fn beliefs(odds: &Rational) -> String {
    standalone(&curve(&Beliefs::of_odds(odds.to_f64().unwrap_or(f64::INFINITY))))
}

/// The style sheet that the pictures need inside HTML.
#[must_use]
pub fn style() -> String {
    palette::style()
}
