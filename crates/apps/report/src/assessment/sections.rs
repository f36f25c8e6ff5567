//! Sections of the page about an anonymised table.

use crate::frame::{figure, list, scroll};
use deniable_assess::Linking;
use deniable_assess::TableRole;
use deniable_assess::assessment::{Assessment, OfSecret};
use deniable_assess::belief::{BeliefChange, Kind};
use deniable_assess::beliefs::Beliefs;
use deniable_assess::measures::{self, Measure};
use deniable_assess::verdict::Verdict;
use deniable_assess::words::{self, candidates, kind_words};
use deniable_chart::posteriors::{BeliefChart, Line, moved};
use deniable_chart::sizes::{Sizes, buckets, sizes as drawn};
use maud::{Markup, html};
use num_traits::ToPrimitive;

/// Most beliefs in a list; more would make a page too large.
const MOST_BELIEFS: usize = 200;
/// Most columns whose cells are listed.
const MOST_COLUMNS: usize = 300;

pub fn overview(assessment: &Assessment) -> Markup {
    let role = |role: TableRole| match role {
        TableRole::Published => "published table",
        TableRole::Background => "background",
        TableRole::Original => "original",
        TableRole::Auxiliary => "people who are looked for",
    };
    html! {
        @if !assessment.names.is_empty() {
            (scroll("files", &html! {
                table { tbody { @for (table, name) in &assessment.names {
                    tr { th scope="row" { (role(*table)) } td { code { (name) } } }
                } } }
            }))
        }
        (measures("overview", &measures::overview(assessment)))
        @for column in &assessment.sensitive {
            h3 { (column.name) }
            (measures(&column.name, &measures::secret(column)))
        }
    }
}

/// Measures, each with the class that attains it.
fn measures(label: &str, measures: &[Measure]) -> Markup {
    scroll(
        label,
        &html! {
            table {
                thead { tr {
                    th scope="col" { "measure" } th.number scope="col" { "value" } th scope="col" { "attained in" }
                    th scope="col" { "meaning" }
                } }
                tbody { @for one in measures { tr {
                    th scope="row" { (one.label) }
                    td.number { (one.value) }
                    td { (one.class.as_deref().unwrap_or("-")) }
                    td { (one.meaning) }
                } } }
            }
        },
    )
}

pub fn sizes(assessment: &Assessment, wanted: Option<u64>) -> Markup {
    let caption = match wanted {
        Some(_) => "Bars are people. Red, above the dashed line: classes smaller than required.",
        None => "Bars are people.",
    };
    let sizes = Sizes {
        title: "Class sizes".to_owned(),
        buckets: buckets(assessment.class_sizes.iter().copied(), wanted),
        wanted,
    };
    html! {
        p {
            "People of one class cannot be distinguished by their quasi-identifiers: the smaller the class, the "
            "easier they are to identify."
        }
        (figure(drawn(&sizes), caption))
    }
}

/// The priors about a column, each with its name.
fn priors(column: &OfSecret) -> impl Iterator<Item = (&'static str, &Beliefs)> {
    [("margins", Some(&column.by_margins)), ("background", column.informed.as_ref())]
        .into_iter()
        .filter_map(|(name, beliefs)| Some((name, beliefs?)))
}

/// The beliefs that move furthest, each once.
fn farthest(beliefs: &Beliefs) -> Vec<&BeliefChange> {
    let extremes = [&beliefs.up, &beliefs.down, &beliefs.loss, &beliefs.gain];
    let mut all: Vec<&BeliefChange> = Vec::new();
    for moved in extremes.into_iter().flat_map(|extreme| [&extreme.infinite, &extreme.finite]).flatten() {
        if !all.contains(&moved) {
            all.push(moved);
        }
    }
    all
}

pub fn beliefs(assessment: &Assessment) -> Markup {
    let mut before = vec![
        "Beliefs beforehand are the shares of values in the whole published table (its margins), which need no \
         knowledge of any person."
            .to_owned(),
    ];
    if assessment.sensitive.iter().any(|column| column.informed.is_some()) {
        before.push(
            "If the background has the sensitive column, beliefs beforehand are its shares among people of one type."
                .to_owned(),
        );
    }
    let all: Vec<(&OfSecret, &BeliefChange)> = assessment
        .sensitive
        .iter()
        .flat_map(|column| {
            priors(column).flat_map(|(_, beliefs)| farthest(beliefs)).map(move |change| (column, change))
        })
        .collect();
    if all.is_empty() {
        return html! { (list(&before)) p { "No belief was computed." } };
    }
    let shares = assessment.sensitive.iter().flat_map(|column| {
        priors(column).map(move |(prior, beliefs)| {
            let shares = words::shares(beliefs);
            format!("Odds of some value of {} move ({prior}) {shares} of the people.", column.name)
        })
    });
    let shares: Vec<String> = shares.collect();
    let value = |(column, change): &(&OfSecret, &BeliefChange)| format!("{}={}", column.name, change.names.value);
    let float = |number: &deniable_core::exact::Rational| number.to_f64().unwrap_or_default();
    let lines = all.iter().map(|belief| Line {
        label: format!("{} · {}", value(belief), belief.1.names.class),
        prior: float(&belief.1.before),
        posterior: float(&belief.1.after),
    });
    let picture = BeliefChart { title: "Beliefs before and after".to_owned(), lines: lines.collect() };
    let odds_of = |change: &BeliefChange| change.by(Kind::Up).finite().map_or(f64::INFINITY, float);
    let contents = html! {
        table {
            thead { tr {
                th scope="col" { "value" } th scope="col" { "person" } th scope="col" { "class" }
                th.number scope="col" { "before" } th.number scope="col" { "after" } th.number scope="col" { "odds" }
            } }
            tbody { @for belief in all.iter().take(MOST_BELIEFS) { tr {
                th scope="row" { (value(belief)) }
                td { (belief.1.names.person.as_deref().unwrap_or("anyone")) }
                td { (belief.1.names.class) }
                td.number { (percent(float(&belief.1.before))) }
                td.number { (percent(float(&belief.1.after))) }
                td.number { (odds(odds_of(belief.1))) }
            } } }
        }
    };
    html! {
        (list(&before))
        (figure(moved(&picture), "Beliefs about a value before the table is seen and after, those that move most first."))
        (scroll("beliefs", &contents))
        @if all.len() > MOST_BELIEFS { p.muted { "The first " (MOST_BELIEFS) " of " (all.len()) " beliefs." } }
        p.muted { "Odds: the factor by which the odds of the value grow; “certain” and “ruled out” leave no doubt." }
        (list(&shares))
    }
}

/// A belief as a percentage. Near 0% and 100% it keeps digits of the distance: only certain beliefs are written as 0%
/// or 100%.
fn percent(share: f64) -> String {
    let rest = share.min(1.0 - share) * 100.0;
    if rest <= 0.0 {
        if share > 0.5 { "100%" } else { "0%" }.to_owned()
    } else if rest < 1e-4 {
        if share > 0.5 { "over 99.9999%" } else { "under 0.0001%" }.to_owned()
    } else {
        let decimals = (1.0 - rest.log10().floor()).clamp(1.0, 5.0) as usize;
        format!("{:.decimals$}%", share * 100.0)
    }
}

fn odds(factor: f64) -> String {
    match factor {
        factor if factor.is_infinite() => "certain".to_owned(),
        factor if factor <= 0.0 => "ruled out".to_owned(),
        factor if factor < 0.001 => "under × 0.001".to_owned(),
        factor if factor < 1.0 => format!("× {factor:.3}"),
        factor if factor < 10_000.0 => format!("× {factor:.2}"),
        factor => format!("× {factor:.0}"),
    }
}

pub fn presence(assessment: &Assessment) -> Markup {
    let numbers = measures::presence(assessment);
    html! {
        (list(&words::presence(assessment)))
        @if !numbers.is_empty() { (measures("presence", &numbers)) }
    }
}

pub fn linkage(linkage: &Linking) -> Markup {
    let share = |many: u64| format!("{:.1}%", many as f64 / linkage.people.max(1) as f64 * 100.0);
    let contents = html! {
        table {
            thead { tr { th scope="col" { "people who" } th.number scope="col" { "people" } th.number scope="col" { "share" } } }
            tbody { @for (what, many) in candidates(linkage) { tr {
                th scope="row" { (what) } td.number { (many) } td.number { (share(many)) }
            } } }
        }
    };
    html! {
        p { "Looked for: " (linkage.people) @if linkage.people == 1 { " person." } @else { " people." } }
        (scroll("linkage", &contents))
        (list(&words::linkage(linkage)))
    }
}

pub fn requirements(verdicts: &[Verdict]) -> Markup {
    if verdicts.is_empty() {
        return html! { p { "There are no requirements." } };
    }
    scroll(
        "requirements",
        &html! {
            table {
                thead { tr {
                    th scope="col" { "requirement" } th scope="col" { "outcome" } th.number scope="col" { "measured" }
                    th scope="col" { "classes that do not meet it" }
                } }
                tbody { @for one in verdicts { tr {
                    th scope="row" { (words::demand(one)) }
                    td { @if one.met { "met" } @else { span.outside { "not met" } } }
                    td.number { (words::measured(one)) }
                    td { (offending(one)) }
                } } }
            }
        },
    )
}

/// The first classes that do not meet a requirement, and the number of further ones.
fn offending(verdict: &Verdict) -> Markup {
    let named = &verdict.offending.first;
    let more = verdict.offending.classes.saturating_sub(named.len() as u64);
    html! {
        @if named.is_empty() { "-" }
        @for (at, class) in named.iter().enumerate() { @if at > 0 { br; } (class) }
        @if more > 0 { br; "and " (more) " more" }
    }
}

pub fn readings(assessment: &Assessment) -> Markup {
    let known = assessment.readings.iter().map(|reading| {
        let cells = reading.kinds.iter().map(|read| (read.counts.cells, kind_words(read.read_as, read.counts.cells)));
        (&reading.column, "may be known", cells.collect::<Vec<_>>())
    });
    let secret = assessment.sensitive.iter().map(|column| (&column.name, "sensitive", vec![(column.values, "values")]));
    let all = assessment.readings.len() + assessment.sensitive.len();
    let contents = html! {
        table {
            thead { tr {
                th scope="col" { "column" } th scope="col" { "role" }
                th scope="col" { "distinct cells, as they were read" }
            } }
            tbody { @for (column, role, cells) in known.chain(secret).take(MOST_COLUMNS) { tr {
                th scope="row" { (column) }
                td { (role) }
                td { @for (at, (many, kind)) in cells.iter().enumerate() { @if at > 0 { ", " } (many) " " (kind) } }
            } } }
        }
    };
    let notes: Vec<String> = assessment.readings.iter().filter_map(words::overlap).collect();
    html! {
        (scroll("cells", &contents))
        @if all > MOST_COLUMNS { p.muted { "The first " (MOST_COLUMNS) " of " (all) " columns." } }
        @if !notes.is_empty() { (list(&notes)) }
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
        let factors = [(f64::INFINITY, "certain"), (0.0, "ruled out"), (0.25, "× 0.250"), (4.0, "× 4.00")];
        for (factor, text) in factors {
            assert_eq!(odds(factor), text);
        }
    }
}
