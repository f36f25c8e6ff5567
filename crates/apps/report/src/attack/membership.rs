//! The page on who took part, with what a promise allows any test beside it.

use super::{files, foot, number, share, upward};
use crate::frame::{figure, list, page, scroll};
use deniable_chart::roc::{Curve, Roc, roc};
use maud::{Markup, html};

/// An attack on who took part.
#[derive(Debug, Clone, PartialEq)]
pub struct Membership {
    /// The heading.
    pub title: String,
    /// What went in: what it is, and its file's name.
    pub files: Vec<(String, String)>,
    /// Which SNPs were used.
    pub snps: Snps,
    /// People who are known to be in the pool.
    pub members: u64,
    /// People who are known not to be.
    pub others: u64,
    /// What intervals cover, as it is written: "95%".
    pub confidence: String,
    /// What bounds every test, or why nothing does.
    pub bound: Bound,
    /// The tests, each with what it reached.
    pub tests: Vec<Test>,
}

/// SNPs of a release.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Snps {
    /// With a frequency in the released table.
    pub released: u64,
    /// Used.
    pub used: u64,
    /// Used after another file's alleles were turned.
    pub turned: u64,
    /// Left out: how many, and why.
    pub left_out: Vec<(u64, String)>,
}

/// What bounds every test.
#[derive(Debug, Clone, PartialEq)]
pub enum Bound {
    /// Odds about membership.
    Odds {
        /// The largest odds ratio R of everything that was released about the pool; drawn only.
        odds: f64,
        /// The same, as it is written.
        written: String,
        /// Where it is recorded, in a few words.
        recorded: String,
    },
    /// No entry of a ledger was named.
    NoEntry,
    /// The promise is about labels.
    Labels,
}

/// A test.
#[derive(Debug, Clone, PartialEq)]
pub struct Test {
    /// Its name.
    pub name: String,
    /// Members with a statistic.
    pub members: u64,
    /// Others with one.
    pub others: u64,
    /// The area under the ROC curve; `None` with fewer than two members or others.
    pub area: Option<Number>,
    /// The power at rates of false positives.
    pub powers: Vec<Power>,
    /// The advantage; `None` as for the area.
    pub advantage: Option<Number>,
    /// The ROC curve as (false positives, true positives), from 0 to 1.
    pub roc: Vec<(f64, f64)>,
    /// What else is to be said of it: frequencies that were moved away from 0 and 1.
    pub notes: Vec<String>,
}

/// A measured number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Number {
    /// The number.
    pub value: f64,
    /// The low end of its interval.
    pub low: f64,
    /// The high end.
    pub high: f64,
    /// The most that the odds allow. Shown only where [`Bound::Odds`] is given: nothing else bounds a test.
    pub at_most: Option<f64>,
}

/// The power at a rate of false positives.
#[derive(Debug, Clone, PartialEq)]
pub enum Power {
    /// It was measured.
    Measured {
        /// The rate that was asked for, as it is written: "5%".
        at: String,
        /// Members called members.
        found: Number,
        /// Others called members, among those that did not set the threshold.
        wrong: Number,
    },
    /// Too few people are known not to be in the pool.
    TooFew {
        /// The rate, as it is written.
        at: String,
        /// How many there are.
        people: u64,
        /// How many it takes.
        needed: u64,
    },
}

/// The comparison of a number with its bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BoundComparison {
    Within,
    Undecided,
    Beyond,
}

/// A line of a table: what it is, and its number with how one writes it, or why there is none.
type Line = (String, Result<(Number, fn(f64) -> String), String>);

/// The page.
#[must_use]
pub fn membership(attack: &Membership) -> String {
    let lead = html! {
        @for test in &attack.tests { p.lead { (reached(test)) } }
        @if attack.tests.is_empty() { p.lead { "No test was made." } }
        div.promise { (bounded(attack)) }
    };
    let section = |anchor: &str, heading: &str, contents| (anchor.to_owned(), heading.to_owned(), contents);
    let sections = [
        section("tests", "What each test reaches", html! { @for test in &attack.tests { (table(attack, test)) } }),
        section("curves", "ROC curves", curves(attack)),
        section("attacked", "What was attacked", attacked(attack)),
        section("reading", "How to read it", list(&reading(attack))),
        section("limits", "What this attack does not do", list(&LIMITS.map(str::to_owned))),
    ];
    page(&attack.title, &lead, &sections, &foot())
}

/// What this attack does not do.
const LIMITS: [&str; 3] = [
    "No test here adapts to the noise of a release, uses linkage between SNPs, or relatives of members. There may be stronger ones.",
    "An attack that fails says that this attack fails. Only a promise says what no attack can reach.",
    "It does not try who of the people in the pool is a case, or any other thing about them: only whether they took part.",
];

/// A test in a sentence or two.
fn reached(test: &Test) -> Markup {
    let pairs = test.area.map(|area| {
        format!(
            "of a member and somebody else it points at the member in {} of pairs (a coin: 50%).",
            share(area.value)
        )
    });
    let found = test.powers.iter().find_map(|power| match power {
        Power::Measured { found, wrong, .. } => Some((found.value, wrong.value)),
        Power::TooFew { .. } => None,
    });
    html! {
        strong { (test.name) } ": "
        @if let Some(pairs) = &pairs { (pairs) }
        @if let Some((found, wrong)) = found {
            " It finds " (share(found)) " of the members, and takes " (share(wrong)) " of the others for members as well."
        }
        @if pairs.is_none() && found.is_none() { "too few people of whom the truth is known to say anything." }
    }
}

impl Number {
    /// How it lies to its bound, where there is one.
    fn against(&self) -> Option<BoundComparison> {
        let most = self.at_most.filter(|most| most.is_finite())?;
        Some(if self.high <= most {
            BoundComparison::Within
        } else if self.low > most {
            BoundComparison::Beyond
        } else {
            // An end that is missing decides nothing.
            BoundComparison::Undecided
        })
    }
}

/// What bounds every test, and how these tests lie to it.
fn bounded(attack: &Membership) -> Markup {
    let lines = attack.tests.iter().flat_map(lines).filter_map(|(_, number)| number.ok());
    let against: Vec<BoundComparison> = lines.filter_map(|(number, _)| number.against()).collect();
    let many = |wanted| against.iter().filter(|against| **against == wanted).count();
    let (all, beyond, undecided) = (against.len(), many(BoundComparison::Beyond), many(BoundComparison::Undecided));
    match &attack.bound {
        Bound::Odds { written, recorded, .. } => html! {
            p { "What the promise allows any test" }
            p {
                "Odds of at most " (written) " about who is in the pool (" (recorded) ") bound every test, whatever it looks at; the bounds "
                "stand beside the numbers. "
                @if all == 0 {
                    "Nothing could be measured to be compared with them."
                } @else if beyond > 0 {
                    span.outside { (beyond) " of " (all) " numbers lie beyond their bounds with their whole intervals." }
                    " That is a reason to look, not a proof: one release is one draw of the noise, which all these people share."
                } @else if undecided > 0 {
                    "No number lies beyond its bound with its whole interval; for " (undecided) " of " (all)
                    " there are too few people to tell."
                } @else {
                    "All " (all) " numbers lie within their bounds with their whole intervals."
                }
            }
        },
        Bound::NoEntry => html! {
            p { "No bound stands beside these numbers" }
            p { "No entry of a ledger was named, so nothing is known here of what was promised about the pool." }
        },
        Bound::Labels => html! {
            p { "No bound stands beside these numbers" }
            p {
                "The promise of the named entry is about labels: about who is a case, not about who took part. Such a promise bounds no "
                "test of membership."
            }
        },
    }
}

/// Everything that could be measured, and what could not.
fn lines(test: &Test) -> Vec<Line> {
    let known = |number: Option<Number>, write: fn(f64) -> String| {
        number.map(|number| (number, write)).ok_or_else(|| {
            format!(
                "too few people: it takes two members and two others, there are {} and {}",
                test.members, test.others
            )
        })
    };
    let mut lines = vec![("AUC".to_owned(), known(test.area, number))];
    for power in &test.powers {
        match power {
            Power::Measured { at, found, wrong } => lines.extend([
                (format!("power at {at} false positives"), Ok((*found, share as fn(f64) -> String))),
                (format!("false positives at {at}, measured"), Ok((Number { at_most: None, ..*wrong }, share as _))),
            ]),
            Power::TooFew { at, people, needed } => {
                let why = format!("too few known non-members: {people} of {needed} needed");
                lines.push((format!("power at {at} false positives"), Err(why)));
            }
        }
    }
    lines.push(("advantage".to_owned(), known(test.advantage, number)));
    lines
}

/// The table of a test.
fn table(attack: &Membership, test: &Test) -> Markup {
    let bounds = matches!(attack.bound, Bound::Odds { .. });
    let contents = html! {
        table {
            thead { tr {
                th scope="col" { "measure" } th.number scope="col" { "value" }
                th.number scope="col" { (attack.confidence) " interval" }
                @if bounds { th.number scope="col" { "at most" } th scope="col" { "reading" } }
            } }
            tbody { @for (name, number) in lines(test) { tr {
                th scope="row" { (name) }
                @match number {
                    Ok((number, write)) => {
                        td.number { (write(number.value)) }
                        td.number { (write(number.low)) " to " (write(number.high)) }
                        @if bounds {
                            td.number { (number.at_most.map_or_else(|| "-".to_owned(), |most| write(upward(most)))) }
                            td { @match number.against() {
                                Some(BoundComparison::Within) => { "within the bound" }
                                Some(BoundComparison::Undecided) => { "too few people to tell" }
                                Some(BoundComparison::Beyond) => { span.outside { "beyond the bound" } }
                                None => {}
                            } }
                        }
                    }
                    Err(why) => { td colspan=(if bounds { 4 } else { 2 }) { (why) } }
                }
            } } }
        }
    };
    html! {
        h3 { (test.name) }
        p.muted {
            "A statistic for " (test.members) " of " (attack.members) " members and " (test.others) " of " (attack.others) " others."
        }
        (scroll(&test.name, &contents))
        (list(&test.notes))
    }
}

fn curves(attack: &Membership) -> Markup {
    let curves: Vec<Curve> = attack
        .tests
        .iter()
        .filter(|test| !test.roc.is_empty())
        .map(|test| Curve { name: test.name.clone(), points: test.roc.clone() })
        .collect();
    if curves.is_empty() {
        return html! { p { "There is no curve: it takes a member and somebody else, both with a statistic." } };
    }
    let (odds, caption) = match &attack.bound {
        Bound::Odds { odds, .. } => (
            Some(*odds),
            "Each point is a threshold. Upward and to the left is better for whoever attacks. Shaded: what the promise allows no test, \
             on average over releases.",
        ),
        Bound::NoEntry | Bound::Labels => {
            (None, "Each point is a threshold. Upward and to the left is better for whoever attacks.")
        }
    };
    figure(roc(&Roc { title: "ROC curves: who took part?".to_owned(), curves, odds }), caption)
}

fn attacked(attack: &Membership) -> Markup {
    let snps = &attack.snps;
    let contents = html! {
        table {
            tbody {
                tr { th scope="row" { "released SNPs" } td.number { (snps.released) } }
                tr { th scope="row" { "used" } td.number { (snps.used) } }
                @if snps.turned > 0 { tr { th scope="row" { "of them turned to the released allele" } td.number { (snps.turned) } } }
                @for (many, why) in &snps.left_out { tr { th scope="row" { "left out: " (why) } td.number { (many) } } }
                tr { th scope="row" { "people known to be in the pool" } td.number { (attack.members) } }
                tr { th scope="row" { "people known not to be" } td.number { (attack.others) } }
            }
        }
    };
    html! { (files(&attack.files)) (scroll("SNPs and people", &contents)) }
}

/// How to read the numbers: what each is, and what its interval and its bound say.
fn reading(attack: &Membership) -> Vec<String> {
    let mut lines = [
        "AUC: the chance that a member scores above somebody who is not one, ties counted half; 0.5 is a coin.",
        "Power: the share of members found. The threshold is set on every other person who is known not to be in the pool, and the \
         false positives are measured on the rest, not taken from a normal distribution.",
        "Advantage: the largest power less false positives. Its threshold is chosen on one half of everybody and measured on the other, \
         so it can be below 0 where there is nothing to find.",
        "Intervals are about other people drawn like these, and this one release. Another release of the same pool would have noise of \
         its own.",
    ]
    .map(str::to_owned)
    .to_vec();
    if matches!(attack.bound, Bound::Odds { .. }) {
        lines.push(
            "At most: with odds of at most R no test has a power above min(R·α, 1 − (1 − α)/R) at false positives α, an AUC above R/(R + 1) \
             or an advantage above (R − 1)/(R + 1), on average over releases. R is that of everything that was released about the pool."
                .to_owned(),
        );
        lines.push(
            "A test that stays within its bound does not prove a promise. One that is surely beyond it, on average over releases, \
             refutes it."
                .to_owned(),
        );
    }
    lines
}

#[cfg(test)]
mod tests;
