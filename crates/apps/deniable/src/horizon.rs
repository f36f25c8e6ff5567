//! The expected errors of a repeated query in the report on a plan.

use deniable_core::text::grid::{Grid, cell, right};
use deniable_core::text::printable;
use deniable_policy::Policy;
use deniable_release::QueryPlan;
use deniable_release::forecast::short;
use deniable_release::periods::{self, HorizonForecast, NumberForecast, TotalForecast};
use serde::Serialize;

/// The costs and expected errors of a query that is repeated for each period of a horizon. It depends on the policy
/// alone.
#[derive(Debug, Serialize)]
pub(crate) struct Horizon {
    query: String,
    unit: &'static str,
    column: String,
    from: String,
    to: String,
    periods: u32,
    /// The part of the promise for all periods together.
    share: String,
    /// The period of the data, and the part of the promise that its release uses.
    period: String,
    share_of_period: String,
    /// The numbers of levels, and of nodes of a level in one of the next; no branching for periods alone.
    levels: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    branching: Option<u32>,
    numbers: Vec<Number>,
}

#[derive(Debug, Serialize)]
struct Number {
    name: String,
    /// The error of one period.
    error: String,
    totals: Vec<Total>,
}

#[derive(Debug, Serialize)]
struct Total {
    after: String,
    /// The number of measured numbers in it.
    nodes: usize,
    error: String,
    /// The error of a total that is measured anew in each period, at the same share for all of them.
    error_anew: String,
}

impl Horizon {
    /// `None` for queries that are not repeated, and for those whose errors cannot be computed.
    pub(crate) fn new(planned: &QueryPlan, policy: &Policy) -> Option<Self> {
        let HorizonForecast { name, every, period, share, numbers } = periods::forecast(planned, policy).ok()??;
        let schedule = every.schedule();
        let total = |total: TotalForecast| Total {
            after: every.period_name(total.after),
            nodes: total.nodes,
            error: short(&total.error),
            error_anew: short(&total.anew),
        };
        let number = |number: NumberForecast| Number {
            name: number.name,
            error: short(&number.period),
            totals: number.totals.into_iter().map(total).collect(),
        };
        Some(Self {
            query: name,
            unit: every.unit().name(),
            column: every.column().to_owned(),
            from: every.period_name(0),
            to: every.period_name(schedule.periods() - 1),
            periods: schedule.periods(),
            share: every.share().to_string(),
            period: every.period_name(period),
            share_of_period: share.to_string(),
            levels: schedule.levels(),
            branching: (schedule.levels() > 1).then(|| schedule.branching()),
            numbers: numbers.into_iter().map(number).collect(),
        })
    }

    /// The horizon and its costs.
    pub(crate) fn words(&self) -> String {
        let Self { query, unit, column, from, to, periods, share, period, share_of_period, levels, .. } = self;
        let measured = match self.branching {
            Some(branching) => {
                format!("{levels} levels, of which each node has {branching} of the level below")
            }
            None => format!("one number for each {unit}"),
        };
        format!(
            "{}: {periods} periods from {from} to {to}, by `{column}`, use {share} of the promise together; {period} uses \
             {share_of_period}. Measured: {measured}. Totals add released numbers up, for free; \"anew\" is a total that each \
             release measures anew, at the same {share} for all of them",
            printable(query)
        )
    }

    /// The expected errors.
    pub(crate) fn grid(&self, confidence: &str) -> Grid {
        let error = format!("error at {confidence}");
        let mut grid = Grid::new(["number", "of", "measured numbers", error.as_str(), "anew"]);
        for number in &self.numbers {
            let name = printable(&number.name);
            grid.add_row([cell(&name), cell("one period"), right(1), right(&number.error), cell("")]);
            for total in &number.totals {
                let of = format!("total up to {}", total.after);
                let anew = right(&total.error_anew);
                grid.add_row([cell(&name), cell(of), right(total.nodes), right(&total.error), anew]);
            }
        }
        grid
    }
}
