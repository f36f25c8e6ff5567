//! The page on what an anonymised table gives away: sizes of classes, beliefs, presence, linkage, and what was required.
//!
//! Numbers come as whoever computed them has them, exact ones as they are to be written; nothing is decided here. Beliefs come
//! as floats beside that, for pictures and percentages. Sections about what was not computed say why.

mod sections;

pub use deniable_chart::sizes::{Bucket, buckets};

use crate::frame::page;
use maud::{Markup, html};

/// An assessment.
#[derive(Debug, Clone, PartialEq)]
pub struct Assessment {
    /// The heading.
    pub title: String,
    /// What went in: what it is, and its file's name.
    pub files: Vec<(String, String)>,
    /// People in the table.
    pub people: u64,
    /// Classes: people who share all their values in the columns that others may know.
    pub classes: u64,
    /// k, l, t, risks: what is measured, each with the class where it is attained.
    pub overview: Vec<Measure>,
    /// Sizes of classes; [`deniable_chart::sizes::buckets`] makes them.
    pub sizes: Vec<Bucket>,
    /// The size that classes should have.
    pub wanted: Option<u64>,
    /// Beliefs that the table moves.
    pub beliefs: Beliefs,
    /// Who can be told to be in the table.
    pub presence: ComputedResult<Presence>,
    /// An attack with a table of people; without one there is no such section.
    pub linkage: Option<Linkage>,
    /// What became of the original table, in sentences; without one there is no such section.
    pub original: Vec<String>,
    /// What was required.
    pub requirements: Vec<Requirement>,
    /// How cells were read, column by column.
    pub readings: Vec<Reading>,
    /// What follows from how they were read, in sentences.
    pub notes: Vec<String>,
}

/// The result of a computation, or the reason for its absence as a sentence.
pub type ComputedResult<T> = Result<T, String>;

/// A measured number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Measure {
    /// What it is: "k", "prosecutor's risk, highest".
    pub name: String,
    /// The number as it is written, or why there is none.
    pub value: String,
    /// What it says, in a few words.
    pub meaning: String,
    /// The class where it is attained: "age=30-39, zip=*".
    pub class: Option<String>,
}

/// Beliefs before and after.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Beliefs {
    /// What beliefs beforehand are taken to be, in sentences.
    pub before: Vec<String>,
    /// The beliefs, those that move most first.
    pub moved: Vec<Belief>,
    /// Shares of people in whose class some belief moves so far, in sentences.
    pub shares: Vec<String>,
}

/// One belief.
#[derive(Debug, Clone, PartialEq)]
pub struct Belief {
    /// The value that it is about: "disease=flu".
    pub value: String,
    /// The kind of person: "age=34, zip=14850".
    pub person: String,
    /// The class that such people are in.
    pub class: String,
    /// The belief before, from 0 to 1.
    pub before: f64,
    /// The belief after; exactly 0 and 1 leave no doubt.
    pub after: f64,
    /// By what factor the odds grow; below 1 where they fall, 0 or infinite where no doubt is left.
    pub odds: f64,
}

/// What the table says about who is in it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Presence {
    /// What is taken for known, and what follows, in sentences.
    pub said: Vec<String>,
    /// The numbers.
    pub measures: Vec<Measure>,
}

/// An attack with a table of people whose values are known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Linkage {
    /// People who were looked for.
    pub people: u64,
    /// What became of them: in words, and how many. Each person may be in several.
    pub found: Vec<(String, u64)>,
    /// What else is to be said, in sentences.
    pub said: Vec<String>,
}

/// Something that was required.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Requirement {
    /// As it was asked: "k=5".
    pub text: String,
    /// What was measured, as it is written.
    pub measured: String,
    /// Whether it is met.
    pub met: bool,
    /// Classes that do not meet it, or the first of them.
    pub offending: Vec<String>,
    /// How many such classes there are in all.
    pub classes: u64,
}

/// How the cells of a column were read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reading {
    /// The column.
    pub column: String,
    /// What it is taken for: "may be known", "sensitive".
    pub role: String,
    /// Kinds of cells, and how many distinct ones there are: "ranges".
    pub cells: Vec<(String, u64)>,
}

/// The page.
#[must_use]
pub fn assessment(assessment: &Assessment) -> String {
    let mut sections = vec![
        ("overview", "Overview", sections::overview(assessment)),
        ("sizes", "Class sizes", sections::sizes(assessment)),
        ("beliefs", "Beliefs", sections::beliefs(&assessment.beliefs)),
        ("presence", "Presence", sections::presence(&assessment.presence)),
    ];
    if let Some(linkage) = &assessment.linkage {
        sections.push(("linkage", "Linkage", sections::linkage(linkage)));
    }
    if !assessment.original.is_empty() {
        sections.push(("original", "Beside the original", crate::frame::list(&assessment.original)));
    }
    sections.push(("requirements", "Requirements", sections::requirements(&assessment.requirements)));
    sections.push(("cells", "How cells were read", sections::readings(&assessment.readings, &assessment.notes)));
    let sections: Vec<(String, String, Markup)> =
        sections.into_iter().map(|(anchor, heading, shown)| (anchor.to_owned(), heading.to_owned(), shown)).collect();
    let foot = html! {
        p {
            "Written by Deniable for whoever decides about the table. It names classes and values of it, and numbers that may come from "
            "other private data: it is not part of what may be published."
        }
    };
    page(&assessment.title, &lead(assessment), &sections, &foot)
}

/// The outcome, before anything else.
fn lead(assessment: &Assessment) -> Markup {
    let all = assessment.requirements.len();
    let unmet: Vec<&Requirement> = assessment.requirements.iter().filter(|one| !one.met).collect();
    html! {
        p.lead {
            (assessment.people) @if assessment.people == 1 { " person" } @else { " people" } " in "
            (assessment.classes) @if assessment.classes == 1 { " class" } @else { " classes" } " of people who share all that others may know."
        }
        @if all > 0 {
            div.promise {
                @if unmet.is_empty() {
                    p { @if all == 1 { "The requirement is met" } @else { "All " (all) " requirements are met" } }
                } @else {
                    p.outside { (unmet.len()) " of " (all) @if all == 1 { " requirement" } @else { " requirements" } " not met" }
                    ul { @for one in unmet { li { (one.text) ": measured " (one.measured) } } }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
