//! `deniable suggest`: suggests caps and bounds from noisy quantiles, charged like any release.

use crate::args::output::LedgerFormat;
use crate::args::policy::Suggest as Args;
use crate::commands::answers::obtain;
use crate::console::say;
use crate::error::Failure;
use crate::output::publish;
use crate::policies::load;
use deniable::{Advice, Error, Limit, PlanReport, Session, Suggest};
use deniable_core::text::grid::{Grid, cell, right};
use deniable_core::text::push_paragraph;
use deniable_policy::QueryError;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Runs it.
pub fn run(args: &Args) -> Result<(), Failure> {
    let policy = load(&args.place)?;
    let Some(spend) = &args.spend else {
        return Err(Failure::usage(
            "--spend is missing: the suggestions have no share of the promise",
            "add --spend 1/50: the part of the whole promise that they may use",
        ));
    };
    let suggest = Suggest { queries: args.query.clone(), share: spend.share(policy.guarantee().limit())? };
    let (plan, without) = suggest.plan(&policy).map_err(|error| match error {
        Error::Query(error @ QueryError::Share(_)) => Failure::usage(error, "add --spend 1/50, for example"),
        other => other.into(),
    })?;
    if !without.is_empty() {
        say(format!("no caps or bounds to suggest for \"{}\"", without.join("\", \"")));
    }
    let asked = plan.clone();
    let session = Session::of_plan(plan)?;
    if args.dry_run {
        let shown = PlanReport::new(session.plan(), session.account()?.as_ref());
        let text = match args.format {
            LedgerFormat::Json => deniable::json(&shown),
            LedgerFormat::Table => shown.to_string(),
        };
        return publish(&text, None);
    }
    let (publication, failed) = obtain(session, &args.limits, args.registration)?;
    let advice = Suggest::advice(&asked, &publication);
    if !advice.is_empty() {
        let shown: Vec<AdviceReport> = advice.iter().map(AdviceReport::new).collect();
        let text = match args.format {
            LedgerFormat::Json => deniable::json(&shown),
            LedgerFormat::Table => table(&shown),
        };
        publish(&text, None)?;
    }
    failed.map_or(Ok(()), Err)
}

/// One suggestion, for the table and for JSON.
#[derive(Debug, Serialize)]
struct AdviceReport {
    query: String,
    of_each_entity: String,
    about: String,
    quantiles: Vec<Quantile>,
    suggested: Option<String>,
    /// Whether it can be set under `[[query]]`.
    #[serde(skip)]
    is_cap: bool,
}

/// A noisy quantile with its confidence interval.
#[derive(Debug, Serialize)]
struct Quantile {
    percent: u64,
    value: Option<String>,
    low: Option<String>,
    high: Option<String>,
}

impl AdviceReport {
    fn new(advice: &Advice) -> Self {
        let text = |scalar: &Option<deniable_publication::Scalar>| scalar.as_ref().map(ToString::to_string);
        let quantile = |(percent, cell): &(u64, deniable_publication::NumberCell)| Quantile {
            percent: *percent,
            value: text(&cell.value),
            low: text(&cell.low),
            high: text(&cell.high),
        };
        let quantiles: Vec<Quantile> = advice.quantiles.iter().map(quantile).collect();
        let advised = quantiles.get(advice.advised).filter(|_| !advice.is_vague);
        let suggested = advised.and_then(|quantile| quantile.value.clone());
        let is_cap = matches!(advice.about, Limit::RowsPerGroup | Limit::Groups);
        let about = match &advice.about {
            Limit::RowsPerGroup => "rows_per_group".to_owned(),
            Limit::Groups => "groups".to_owned(),
            Limit::Lower(column) => format!("lower bound of {column}"),
            Limit::Upper(column) => format!("upper bound of {column}"),
        };
        Self { query: advice.query.clone(), of_each_entity: advice.value.clone(), about, quantiles, suggested, is_cap }
    }
}

fn table(all: &[AdviceReport]) -> String {
    let mut grid = Grid::new(["query", "of each entity", "noisy quantiles", "", "", "", "suggests"]);
    let mut last = None;
    for AdviceReport { query, of_each_entity, about, quantiles, suggested, is_cap: _ } in all {
        let quantile = |quantile: &Quantile| {
            let or = |text: &Option<String>| text.clone().unwrap_or_else(|| "?".to_owned());
            let Quantile { percent, value, low, high } = quantile;
            format!("{percent}%: {} ({} .. {})", or(value), or(low), or(high))
        };
        let name = if last == Some(query) { "" } else { query };
        last = Some(query);
        let suggested = suggested.as_ref().map_or_else(|| "too noisy".to_owned(), |value| format!("{about} = {value}"));
        let mut row = vec![cell(name), cell(of_each_entity)];
        row.extend(quantiles.iter().map(|one| cell(quantile(one))));
        row.push(right(suggested));
        grid.add_row(row);
    }
    let mut text = format!("{grid}\n");
    push_paragraph(
        &mut text,
        "  ",
        "about 95% of the entities stay within each suggested cap and bound, up to the noise; where few entities have many \
         rows, more than 5% of the rows are beyond it. A smaller cap means less noise and leaves more out. A bound at the end of \
         the declared ones may be higher. These values are released, so caps and bounds that are chosen by them reveal no \
         more",
    );
    if all.iter().any(|shown| shown.suggested.is_none()) {
        push_paragraph(
            &mut text,
            "  ",
            "too noisy: more than half of the candidates are possible; spend more, or choose fewer queries at a time with --query",
        );
    }
    let mut caps: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for AdviceReport { query, about, suggested, .. } in all.iter().filter(|shown| shown.is_cap) {
        let known = suggested.iter().map(|value| format!("{about} = {value}"));
        caps.entry(query).or_default().extend(known);
    }
    caps.retain(|_, caps| !caps.is_empty());
    if !caps.is_empty() {
        text.push_str("\nTo set the caps of single queries, write in the policy:\n");
    }
    for (query, caps) in caps {
        let _ = writeln!(text, "  [[query]]  # {query}\n  {}", caps.join("\n  "));
    }
    text
}
