//! The page about membership, with the bounds of a promise on any test.

use super::{files, foot, number, share};
use crate::frame::{figure, list, page, scroll};
use deniable_attack::findings::{Findings, Measure, Row};
use deniable_attack::report::{MembershipReport, Promised, coverage, short_odds};
use deniable_attack::{BoundComparison, TooFew};
use deniable_chart::roc::{Curve, Roc, roc};
use deniable_core::exact::{Rational, Rounding, decimal, percent};
use maud::{Markup, html};
use num_traits::ToPrimitive;

/// The page.
#[must_use]
pub fn membership(attack: &MembershipReport) -> String {
    let lead = html! {
        p.lead { (reached(attack)) }
        div.promise { (bounded(attack)) }
    };
    let section = |anchor: &str, heading: &str, contents| (anchor.to_owned(), heading.to_owned(), contents);
    let sections = [
        section("tests", "Results of the test", table(attack)),
        section("curves", "ROC curve", curve(attack)),
        section("attacked", "Attacked data", attacked(attack)),
        section("reading", "How to read it", list(&reading(attack))),
        section("limits", "Limits of this attack", list(&LIMITS.map(str::to_owned))),
    ];
    page(&format!("{}: who took part?", attack.title()), &lead, &sections, &foot())
}

/// Limits of this attack.
const LIMITS: [&str; 3] = [
    "No test here adapts to the noise of a release, uses linkage between SNPs, or relatives of members. There may be stronger ones.",
    "A failed attack shows only that this attack fails. Only a promise bounds all attacks.",
    "It tests only whether people took part, and not, for example, who in the pool is a case.",
];

/// The outcome in a sentence or two.
fn reached(attack: &MembershipReport) -> Markup {
    let Some(findings) = &attack.findings else {
        return html! { "Nothing was measured: it is unknown for all targets whether they took part." };
    };
    let pairs = findings.area.map(|area| {
        format!(
            "in pairs of a member and a non-member, it ranks the member higher in {} (guessing: 50%).",
            share(area.value)
        )
    });
    let power = findings.powers.iter().flatten().next();
    let rates = power.and_then(|power| Some((power.true_positives.value()?, power.false_positives.value()?)));
    html! {
        strong { (attack.title()) } ": "
        @if let Some(pairs) = &pairs { (pairs) }
        @if let Some((found, wrong)) = rates {
            " It finds " (share(found)) " of the members, and wrongly takes " (share(wrong)) " of the others for \
            members."
        }
        @if pairs.is_none() && rates.is_none() { "too few people whose membership is known for a result." }
    }
}

/// The bounds on every test, and the comparison of this test with them.
fn bounded(attack: &MembershipReport) -> Markup {
    let rows = attack.rows();
    let against: Vec<BoundComparison> = rows.iter().filter_map(|row| Some(row.bound.as_ref()?.1)).collect();
    let many = |wanted| against.iter().filter(|against| **against == wanted).count();
    let (all, beyond, undecided) = (against.len(), many(BoundComparison::Beyond), many(BoundComparison::Undecided));
    let why = match &attack.promised {
        Promised::Bounded(bounds, source) => {
            return html! {
                p { "What the promise allows any test" }
                p {
                    "Odds of at most " (short_odds(bounds.odds())) " about membership in the pool (" (source) ") bound \
                    every test; the "
                    "bounds are beside the numbers. "
                    @if all == 0 {
                        "No measure can be compared with them."
                    } @else if beyond > 0 {
                        span.outside { (beyond) " of " (all) " numbers exceed their bounds with their whole intervals." }
                        " That is a reason for an investigation, not a proof: one release is one draw of the noise, \
                        which all these people share."
                    } @else if undecided > 0 {
                        "No number exceeds its bound with its whole interval; for " (undecided) " of " (all)
                        " there are too few people to decide."
                    } @else {
                        "All " (all) " numbers are within their bounds with their whole intervals."
                    }
                }
            };
        }
        Promised::NoLedger => "No ledger was named, so the promise about the pool is unknown.",
        Promised::NothingReleased { .. } => "Nothing has been released under the named ledger.",
        Promised::Labels(_) => {
            "The promise is about case status, not about participation. Such a promise does not bound tests of \
            membership."
        }
    };
    html! { p { "These numbers have no bounds" } p { (why) } }
}

/// A value in the notation of its measure: rates in percent.
fn written(measure: &Measure, value: f64) -> String {
    match measure {
        Measure::Power(_) | Measure::FalsePositives(_) => share(value),
        Measure::Area | Measure::Advantage => number(value),
    }
}

/// A bound, rounded up.
fn at_most(measure: &Measure, bound: &Rational) -> String {
    match measure {
        Measure::Power(_) | Measure::FalsePositives(_) => percent(bound, 1, Rounding::Up),
        Measure::Area | Measure::Advantage => decimal(bound, 3, Rounding::Up),
    }
}

/// Measures that could not be computed, with reasons.
fn missing(findings: &Findings) -> Vec<(String, String)> {
    let few = |few: &TooFew| {
        let why = format!("too few known non-members: {} of {} needed", few.people, few.needed);
        (Measure::Power(few.alpha.clone()).to_string(), why)
    };
    let mut all: Vec<(String, String)> =
        findings.powers.iter().filter_map(|power| power.as_ref().err()).map(few).collect();
    if findings.area.is_none() {
        let Findings { members, others, .. } = findings;
        let why = format!("too few people: two members and two others are needed, there are {members} and {others}");
        all.extend([Measure::Area, Measure::Advantage].map(|measure| (measure.to_string(), why.clone())));
    }
    all
}

fn table(attack: &MembershipReport) -> Markup {
    let Some(findings) = &attack.findings else {
        return html! { p { "Nothing was measured: name targets whose membership is known." } };
    };
    let has_bounds = attack.promised.bounds().is_some();
    let cells = |Row { measure, value, interval: (low, high), bound }: &Row| {
        html! {
            td.number { (written(measure, *value)) }
            td.number { (written(measure, *low)) " to " (written(measure, *high)) }
            @if has_bounds {
                td.number { (bound.as_ref().map_or_else(|| "-".to_owned(), |(bound, _)| at_most(measure, bound))) }
                td { @match bound {
                    Some((_, against @ BoundComparison::Beyond)) => { span.outside { (against.words()) } }
                    Some((_, against)) => { (against.words()) }
                    None => {}
                } }
            }
        }
    };
    let contents = html! {
        table {
            thead { tr {
                th scope="col" { "measure" } th.number scope="col" { "value" }
                th.number scope="col" { (coverage(attack.confidence)) " interval" }
                @if has_bounds { th.number scope="col" { "at most" } th scope="col" { "reading" } }
            } }
            tbody {
                @for row in attack.rows() { tr { th scope="row" { (row.measure) } (cells(&row)) } }
                @for (name, why) in missing(findings) {
                    tr { th scope="row" { (name) } td colspan=(if has_bounds { 4 } else { 2 }) { (why) } }
                }
            }
        }
    };
    let mut notes = attack.doubts();
    if attack.clamped > 0 {
        notes.push(format!(
            "At {} SNPs a frequency was 0 or 1, or close to it, and was moved before logarithms were taken.",
            attack.clamped
        ));
    }
    if attack.without_value() > 0 {
        notes.push(format!("{} targets have no value: they have too few calls.", attack.without_value()));
    }
    html! {
        p.muted { "A statistic for " (findings.members) " members and " (findings.others) " others." }
        (scroll(attack.title(), &contents))
        (list(&notes))
    }
}

fn curve(attack: &MembershipReport) -> Markup {
    let points = attack.findings.iter().flat_map(|findings| &findings.roc);
    let points: Vec<(f64, f64)> = points.map(|point| (point.false_positives, point.true_positives)).collect();
    if points.is_empty() {
        return html! { p { "There is no curve: it needs a member and a non-member, both with a statistic." } };
    }
    let odds = attack.promised.bounds().map(|bounds| bounds.odds().to_f64().unwrap_or(f64::INFINITY));
    let caption = match odds {
        Some(_) => {
            "Each point is a threshold. Upward and to the left is better for the attacker. Shaded: above the promise's \
             bound on every test, on average over releases."
        }
        None => "Each point is a threshold. Upward and to the left is better for the attacker.",
    };
    let curves = vec![Curve { name: attack.title().to_owned(), points }];
    figure(roc(&Roc { title: "ROC curves: who took part?".to_owned(), curves, odds }), caption)
}

fn attacked(attack: &MembershipReport) -> Markup {
    let (snps, (members, others)) = (&attack.snps, attack.people());
    let contents = html! {
        table {
            tbody {
                tr { th scope="row" { "released SNPs" } td.number { (snps.released) } }
                tr { th scope="row" { "used" } td.number { (snps.used) } }
                @if snps.swapped > 0 {
                    tr { th scope="row" { "of them recoded to the released allele" } td.number { (snps.swapped) } }
                }
                @for (many, why) in snps.left_out() { tr { th scope="row" { "left out: " (why) } td.number { (many) } } }
                tr { th scope="row" { "targets" } td.number { (attack.scores.len()) } }
                tr { th scope="row" { "members with a statistic" } td.number { (members) } }
                tr { th scope="row" { "others with a statistic" } td.number { (others) } }
            }
        }
    };
    html! { (files(&attack.files)) (scroll("SNPs and people", &contents)) }
}

/// Explanations of the numbers, their intervals and their bounds.
fn reading(attack: &MembershipReport) -> Vec<String> {
    let mut lines = [
        "AUC: the probability that a member scores above a non-member, ties counted half; 0.5 is guessing.",
        "Power: the share of members found. The threshold is set on every second known non-member, and the false \
         positives are measured on the rest, not taken from a normal distribution.",
        "Advantage: the largest power minus false positives. Its threshold is chosen on one half of all people and \
         measured on the other, so it can be below 0 if there is nothing to find.",
        "Intervals are for other people from the same distribution, and this one release. Another release of the same \
         pool would have different noise.",
    ]
    .map(str::to_owned)
    .to_vec();
    if attack.promised.bounds().is_some() {
        lines.push(
            "At most: with odds of at most R no test has a power above min(R·α, 1 − (1 − α)/R) at false positives α, an AUC above R/(R + 1) \
             or an advantage above (R − 1)/(R + 1), on average over releases. R is the odds ratio of everything that \
             was released about the pool."
                .to_owned(),
        );
        lines.push(
            "A test within its bound does not prove a promise. A test that certainly exceeds it, on average over \
            releases, refutes it."
                .to_owned(),
        );
    }
    lines
}

#[cfg(test)]
mod tests;
