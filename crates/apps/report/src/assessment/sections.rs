//! The sections of the page on an anonymised table.

use super::{Assessment, Beliefs, ComputedResult, Linkage, Measure, Presence, Reading, Requirement};
use crate::frame::{figure, list, scroll};
use deniable_chart::posteriors::{BeliefChart, Line, moved};
use deniable_chart::sizes::{Sizes, sizes as drawn};
use maud::{Markup, html};

/// Beliefs that are listed; more would make a page too large.
const MOST_BELIEFS: usize = 200;
/// Classes that are named of each requirement.
const MOST_CLASSES: usize = 20;
/// Columns whose cells are listed.
const MOST_COLUMNS: usize = 300;

pub fn overview(assessment: &Assessment) -> Markup {
    html! {
        @if !assessment.files.is_empty() {
            (scroll("files", &html! {
                table { tbody { @for (what, name) in &assessment.files {
                    tr { th scope="row" { (what) } td { code { (name) } } }
                } } }
            }))
        }
        (measures("overview", &assessment.overview))
    }
}

/// Numbers, with the class where each is attained.
fn measures(label: &str, measures: &[Measure]) -> Markup {
    if measures.is_empty() {
        return html! { p { "Nothing was measured." } };
    }
    scroll(
        label,
        &html! {
            table {
                thead { tr {
                    th scope="col" { "measure" } th.number scope="col" { "value" } th scope="col" { "attained in" }
                    th scope="col" { "what it says" }
                } }
                tbody { @for one in measures { tr {
                    th scope="row" { (one.name) }
                    td.number { (one.value) }
                    td { (one.class.as_deref().unwrap_or("-")) }
                    td { (one.meaning) }
                } } }
            }
        },
    )
}

pub fn sizes(assessment: &Assessment) -> Markup {
    if assessment.sizes.is_empty() {
        return html! { p { "There are no classes." } };
    }
    let caption = match assessment.wanted {
        Some(_) => "Bars are people. Red, above the dashed line: classes smaller than was wanted.",
        None => "Bars are people.",
    };
    let sizes = Sizes {
        title: "Class sizes".to_owned(),
        buckets: assessment.sizes.clone(),
        wanted: assessment.wanted.filter(|wanted| *wanted > 0),
    };
    html! {
        p { "People of one class cannot be told apart by what others may know: the smaller it is, the nearer they are to being found." }
        (figure(drawn(&sizes), caption))
    }
}

pub fn beliefs(beliefs: &Beliefs) -> Markup {
    let all = beliefs.moved.len();
    if all == 0 {
        return html! { (list(&beliefs.before)) p { "No belief was computed." } };
    }
    let lines = beliefs.moved.iter().map(|belief| Line {
        label: format!("{} · {}", belief.value, belief.class),
        prior: belief.before,
        posterior: belief.after,
    });
    let picture = BeliefChart { title: "Beliefs before and after".to_owned(), lines: lines.collect() };
    let contents = html! {
        table {
            thead { tr {
                th scope="col" { "value" } th scope="col" { "person" } th scope="col" { "class" }
                th.number scope="col" { "before" } th.number scope="col" { "after" } th.number scope="col" { "odds" }
            } }
            tbody { @for belief in beliefs.moved.iter().take(MOST_BELIEFS) { tr {
                th scope="row" { (belief.value) }
                td { (belief.person) }
                td { (belief.class) }
                td.number { (percent(belief.before)) }
                td.number { (percent(belief.after)) }
                td.number { (odds(belief.odds)) }
            } } }
        }
    };
    html! {
        (list(&beliefs.before))
        (figure(moved(&picture), "Beliefs about a value before the table is seen and after, those that move most first."))
        (scroll("beliefs", &contents))
        @if all > MOST_BELIEFS { p.muted { "The first " (MOST_BELIEFS) " of " (all) " beliefs." } }
        p.muted { "Odds: by what factor those of the value grow; “certain” and “ruled out” leave no doubt." }
        (list(&beliefs.shares))
    }
}

/// A belief. Near its ends it keeps its distance to them: only what is certain is written so.
fn percent(share: f64) -> String {
    let rest = share.min(1.0 - share) * 100.0;
    if share.is_nan() {
        "-".to_owned()
    } else if rest <= 0.0 {
        if share > 0.5 { "100%" } else { "0%" }.to_owned()
    } else if rest < 1e-4 {
        if share > 0.5 { "over 99.9999%" } else { "under 0.0001%" }.to_owned()
    } else {
        let decimals = (1.0 - rest.log10().floor()).clamp(1.0, 5.0) as usize;
        format!("{:.decimals$}%", share * 100.0)
    }
}

/// A factor on odds.
fn odds(factor: f64) -> String {
    match factor {
        factor if factor.is_nan() || factor < 0.0 => "-".to_owned(),
        factor if factor.is_infinite() => "certain".to_owned(),
        factor if factor <= 0.0 => "ruled out".to_owned(),
        factor if factor < 0.001 => "under × 0.001".to_owned(),
        factor if factor < 1.0 => format!("× {factor:.3}"),
        factor if factor < 10_000.0 => format!("× {factor:.2}"),
        factor => format!("× {factor:.0}"),
    }
}

pub fn presence(presence: &ComputedResult<Presence>) -> Markup {
    match presence {
        Ok(presence) => html! { (list(&presence.said)) (measures("presence", &presence.measures)) },
        Err(why) => html! { p { "Not computed: " (why) } },
    }
}

pub fn linkage(linkage: &Linkage) -> Markup {
    let share = |many: u64| format!("{:.1}%", many as f64 / linkage.people.max(1) as f64 * 100.0);
    let contents = html! {
        table {
            thead { tr { th scope="col" { "people who" } th.number scope="col" { "people" } th.number scope="col" { "share" } } }
            tbody { @for (what, many) in &linkage.found { tr {
                th scope="row" { (what) }
                td.number { (many) }
                td.number { @if linkage.people > 0 { (share(*many)) } @else { "-" } }
            } } }
        }
    };
    html! {
        p { "Looked for: " (linkage.people) @if linkage.people == 1 { " person." } @else { " people." } }
        @if !linkage.found.is_empty() { (scroll("linkage", &contents)) }
        (list(&linkage.said))
    }
}

pub fn requirements(requirements: &[Requirement]) -> Markup {
    if requirements.is_empty() {
        return html! { p { "Nothing was required." } };
    }
    scroll(
        "requirements",
        &html! {
            table {
                thead { tr {
                    th scope="col" { "requirement" } th scope="col" { "outcome" } th.number scope="col" { "measured" }
                    th scope="col" { "classes that do not meet it" }
                } }
                tbody { @for one in requirements { tr {
                    th scope="row" { (one.text) }
                    td { @if one.met { "met" } @else { span.outside { "not met" } } }
                    td.number { (one.measured) }
                    td { (offending(one)) }
                } } }
            }
        },
    )
}

/// Classes that do not meet a requirement, as many as there is room for.
fn offending(one: &Requirement) -> Markup {
    let named = one.offending.iter().take(MOST_CLASSES);
    let more = one.classes.saturating_sub(one.offending.len().min(MOST_CLASSES) as u64);
    html! {
        @if one.offending.is_empty() && more == 0 { "-" }
        @for (at, class) in named.enumerate() { @if at > 0 { br; } (class) }
        @if more > 0 {
            @if !one.offending.is_empty() { br; "and " }
            (more) @if !one.offending.is_empty() { " more" }
        }
    }
}

pub fn readings(readings: &[Reading], notes: &[String]) -> Markup {
    if readings.is_empty() {
        return html! { p { "No column was read." } };
    }
    let all = readings.len();
    let contents = html! {
        table {
            thead { tr {
                th scope="col" { "column" } th scope="col" { "taken for" } th scope="col" { "distinct cells, as they were read" }
            } }
            tbody { @for reading in readings.iter().take(MOST_COLUMNS) { tr {
                th scope="row" { (reading.column) }
                td { (reading.role) }
                td { @for (at, (kind, many)) in reading.cells.iter().enumerate() { @if at > 0 { ", " } (many) " " (kind) } }
            } } }
        }
    };
    html! {
        (scroll("cells", &contents))
        @if all > MOST_COLUMNS { p.muted { "The first " (MOST_COLUMNS) " of " (all) " columns." } }
        @if !notes.is_empty() { (list(notes)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_certain_is_written_so() {
        let cases = [(0.0, "0%"), (1.0, "100%"), (0.5, "50.0%"), (1e-9, "under 0.0001%"), (0.9997, "99.970%")];
        for (share, text) in cases {
            assert_eq!(percent(share), text);
        }
        assert_eq!((percent(f64::NAN), odds(f64::NAN)), ("-".to_owned(), "-".to_owned()));
        let factors = [(f64::INFINITY, "certain"), (0.0, "ruled out"), (0.25, "× 0.250"), (4.0, "× 4.00")];
        for (factor, text) in factors {
            assert_eq!(odds(factor), text);
        }
    }
}
