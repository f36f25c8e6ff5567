//! The report on advice about caps and bounds.

use deniable_core::text::grid::{Grid, cell, right};
use deniable_core::text::push_paragraph;
use deniable_publication::{NumberCell, Scalar};
use deniable_release::suggest::{Advice, Limit};
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter, Write};

/// Advice on caps and bounds, from released quantiles; it may be published.
///
/// `Display` prints a table, `Serialize` the object of `deniable suggest --format json`.
#[derive(Debug, Serialize)]
#[serde(transparent)]
pub struct AdviceReport {
    rows: Vec<AdviceRow>,
}

impl AdviceReport {
    /// The report on advice of [`Suggest::advice`](crate::Suggest::advice).
    #[must_use]
    pub fn new(advice: &[Advice]) -> Self {
        Self { rows: advice.iter().map(AdviceRow::new).collect() }
    }
}

impl Display for AdviceReport {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&table(&self.rows))
    }
}

#[derive(Debug, Serialize)]
struct AdviceRow {
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

impl AdviceRow {
    fn new(advice: &Advice) -> Self {
        let text = |scalar: &Option<Scalar>| scalar.as_ref().map(ToString::to_string);
        let quantile = |(percent, cell): &(u64, NumberCell)| Quantile {
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

/// The advice as a table.
fn table(all: &[AdviceRow]) -> String {
    let mut grid = Grid::new(["query", "of each entity", "noisy quantiles", "", "", "", "suggests"]);
    let mut last = None;
    for AdviceRow { query, of_each_entity, about, quantiles, suggested, is_cap: _ } in all {
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
    for AdviceRow { query, about, suggested, .. } in all.iter().filter(|shown| shown.is_cap) {
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
