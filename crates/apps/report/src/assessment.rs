//! The page about what an anonymised table reveals: sizes of classes, beliefs, presence, linkage, and requirements.

mod sections;

use crate::frame::{list, page};
use deniable_assess::words::{demand, measured, original};
use deniable_assess::{Assessment, Demand, Warning};
use maud::{Markup, html};

/// The page.
#[must_use]
pub fn assessment(assessment: &Assessment) -> String {
    let mut sections = vec![
        ("overview", "Overview", sections::overview(assessment)),
        ("sizes", "Class sizes", sections::sizes(assessment, wanted(assessment))),
        ("beliefs", "Beliefs", sections::beliefs(assessment)),
        ("presence", "Presence", sections::presence(assessment)),
    ];
    if let Some(linkage) = &assessment.linkage {
        sections.push(("linkage", "Linkage", sections::linkage(linkage)));
    }
    if assessment.original.is_some() {
        sections.push(("original", "Compared with the original", list(&original(assessment))));
    }
    sections.push(("requirements", "Requirements", sections::requirements(&assessment.verdicts)));
    sections.push(("cells", "How cells were read", sections::readings(assessment)));
    let sections: Vec<(String, String, Markup)> =
        sections.into_iter().map(|(anchor, heading, shown)| (anchor.to_owned(), heading.to_owned(), shown)).collect();
    let foot = html! {
        p {
            "Written by Deniable for the curator of the table. This page contains classes and values of the table, and \
            numbers that may "
            "depend on other private data: it must not be published."
        }
    };
    page(&format!("What {} reveals", assessment.name()), &lead(assessment), &sections, &foot)
}

/// The required class size, if any.
fn wanted(assessment: &Assessment) -> Option<u64> {
    assessment.verdicts.iter().find_map(|verdict| match verdict.requirement.demand {
        Demand::K(k) => Some(k),
        _ => None,
    })
}

/// The outcome, before anything else.
fn lead(assessment: &Assessment) -> Markup {
    let (people, classes, all) = (assessment.sizes.people, assessment.sizes.classes, assessment.verdicts.len());
    let unmet: Vec<_> = assessment.verdicts.iter().filter(|verdict| !verdict.met).collect();
    html! {
        p.lead {
            (people) @if people == 1 { " person" } @else { " people" } " in " (classes) @if classes == 1 { " class" } @else { " classes" }
            " of people with equal quasi-identifiers."
        }
        @if !assessment.warnings.is_empty() {
            (list(&assessment.warnings.iter().map(Warning::note).collect::<Vec<_>>()))
        }
        @if all > 0 {
            div.promise {
                @if unmet.is_empty() {
                    p { @if all == 1 { "The requirement is met" } @else { "All " (all) " requirements are met" } }
                } @else {
                    p.outside { (unmet.len()) " of " (all) @if all == 1 { " requirement" } @else { " requirements" } " not met" }
                    ul { @for one in unmet { li { (demand(one)) ": measured " (measured(one)) } } }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
