//! Advice on caps and bounds, charged as a query (S-OUT): noisy quantiles of one value per entity, over public
//! candidates.
//!
//! | value of an entity | advises on | quantiles |
//! |---|---|---|
//! | rows in its largest group | `rows_per_group` | 50%, 90%, 95%, 99% |
//! | number of its groups | `groups` | the same |
//! | smallest and largest value of a column | `bounds` | 1%, 5%, 10%, 50% and 50%, 90%, 95%, 99% |
//!
//! The advised value is that at 95% (5% for lower bounds): about one entity in twenty loses some of its rows.
//! Exact losses depend on the data (`deniable data check`), and so would caps chosen by them.

use crate::plan::{Plan, PlanError, PlanErrors, measured, queries};
use deniable_core::exact::{Rational, parse_rational, whole};
use deniable_policy::{Policy, QuerySubject};
use deniable_publication::{Answer, Cell, NumberCell, Scalar};
use deniable_query::Query;
use deniable_query::{EntityValue, Ladder, MeasureKind, QuantileShare};
use std::collections::BTreeSet;

/// Largest number of rows and groups among the candidates.
const LARGEST_COUNT: i64 = 500;
/// Equal parts of a column's declared range among the candidates for its bounds.
const PARTS: i64 = 20;
/// Leading digits of round candidates, in tenths.
const DIGITS: [i64; 9] = [10, 12, 15, 20, 25, 30, 40, 60, 80];
/// Quantiles for upper limits, in hundredths.
const UPPER: [u64; 4] = [50, 90, 95, 99];
/// Quantiles for lower limits.
const LOWER: [u64; 4] = [1, 5, 10, 50];

/// Advice on one cap or bound of one query.
#[derive(Debug, Clone, PartialEq)]
pub struct Advice {
    /// The query.
    pub query: String,
    /// The value of an entity that the quantiles are of, in words.
    pub value: String,
    /// The cap or bound.
    pub about: Limit,
    /// The wanted shares of the entities, in hundredths, and the noisy value at each.
    pub quantiles: Vec<(u64, NumberCell)>,
    /// The position of the advised quantile.
    pub advised: usize,
    /// Whether its interval contains more than half of the candidates: then no advice is possible.
    pub is_vague: bool,
}

/// A limit on the contribution of one entity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Limit {
    /// `rows_per_group`.
    RowsPerGroup,
    /// `groups`.
    Groups,
    /// The lower bound of a column.
    Lower(String),
    /// The upper bound of a column.
    Upper(String),
}

/// The queries of a policy, by their positions, each with its plan if advice on it is possible: it has a cap that can
/// leave rows out, or declared bounds.
///
/// # Errors
/// The errors of the queries.
pub fn advisable(policy: &Policy) -> Result<Vec<(usize, Option<Query>)>, PlanErrors> {
    let (mut found, mut errors) = (Vec::new(), Vec::new());
    let all = policy.queries().iter().zip(queries(policy)).enumerate();
    for (at, (declared, query)) in all.filter(|(_, (declared, _))| declared.about == QuerySubject::Cells) {
        match query {
            Ok(query) => found.push((at, Some(query).filter(|query| query.per_entity(&ladders(query)).is_ok()))),
            Err(error) => errors.push(PlanError::new(policy, declared, error)),
        }
    }
    PlanErrors::check(errors)?;
    Ok(found)
}

/// The plan of a policy that asks for advice ([`Policy::with_advice`]) on these queries, whose plans are [`advisable`]'s.
///
/// # Errors
/// All queries that cannot be answered.
pub fn plan(asking: Policy, on: Vec<Query>) -> Result<Plan, PlanErrors> {
    let queries = asking.queries().iter().zip(on).map(|(declared, query)| measured(&asking, declared, query)).collect();
    Plan::priced(asking, queries)
}

/// The value asked of each entity of a query, with the candidates: from the policy alone.
#[must_use]
pub fn ladders(query: &Query) -> Vec<Ladder> {
    asked(query).into_iter().map(|(_, ladder)| ladder).collect()
}

/// The same, each with the limit that it advises on.
fn asked(query: &Query) -> Vec<(Limit, Ladder)> {
    let mut all = Vec::new();
    let mut ask = |about: Limit, value: EntityValue, rungs: Vec<Rational>| {
        let hundredths = if matches!(about, Limit::Lower(_)) { LOWER } else { UPPER };
        let shares = hundredths.map(|part| QuantileShare { part, whole: 100 }).to_vec();
        // A single candidate needs no query.
        if rungs.len() > 1 {
            all.push((about, Ladder { value, rungs, shares }));
        }
    };
    if query.counts_rows() {
        ask(Limit::RowsPerGroup, EntityValue::RowsInLargestGroup, counts(LARGEST_COUNT));
    }
    let cells = (0..query.levels().len()).map(|level| query.cells(level)).max().unwrap_or(1);
    ask(Limit::Groups, EntityValue::Groups, counts(i64::try_from(cells).unwrap_or(LARGEST_COUNT).min(LARGEST_COUNT)));
    for (argument, column, unit, (low, high)) in query.bounded_columns() {
        let rungs = between(&unit, low, high);
        if lower_matters(query, argument, low) {
            ask(Limit::Lower(column.clone()), EntityValue::Smallest(argument), rungs.clone());
        }
        ask(Limit::Upper(column), EntityValue::Largest(argument), rungs);
    }
    all
}

/// Whether a larger lower bound means less noise. The noise of a plain sum of values from 0 on follows from the upper
/// bound alone: a lower bound above 0 would only raise small values.
fn lower_matters(query: &Query, argument: usize, low: i64) -> bool {
    let centres = query.measures().iter().filter_map(|measure| match &measure.kind {
        MeasureKind::Sum { of, .. } if of.argument == argument => Some(of.centre),
        _ => None,
    });
    let centres: Vec<i64> = centres.collect();
    low < 0 || centres.is_empty() || centres.iter().any(|centre| *centre != 0)
}

/// From 1 to `most`: every number up to 10, then round ones.
fn counts(most: i64) -> Vec<Rational> {
    let small = (1..=10).filter(|number| *number <= most);
    let round = rounds(most).into_iter().filter(|number| *number > 10);
    let all: BTreeSet<i64> = small.chain(round).chain([most]).collect();
    all.into_iter().map(whole).collect()
}

/// Round numbers up to `most`: 10, 12, 15, 20, 25, 30, 40, 60, 80, 100, ...
fn rounds(most: i64) -> Vec<i64> {
    let powers = std::iter::successors(Some(1_i64), |power| power.checked_mul(10)).take_while(|power| *power <= most);
    let all = powers.flat_map(|power| DIGITS.into_iter().filter_map(move |digit| Some(power.checked_mul(digit)? / 10)));
    all.filter(|number| *number > 0 && *number <= most).collect()
}

/// Candidates for bounds within the declared ones: both ends, equal parts, and round numbers of either sign.
fn between(unit: &Rational, low: i64, high: i64) -> Vec<Rational> {
    let width = i128::from(high) - i128::from(low);
    let part = |at: i64| i64::try_from(i128::from(low) + width * i128::from(at) / i128::from(PARTS)).unwrap_or(high);
    // Round in the column's own units, as far as they are on its grid.
    let largest = (whole(low.unsigned_abs().max(high.unsigned_abs())) * unit).ceil().to_integer();
    let units = |number: i64| {
        let units = whole(number) / unit;
        units.is_integer().then(|| i64::try_from(units.to_integer()).ok()).flatten()
    };
    let round = rounds(i64::try_from(largest).unwrap_or(i64::MAX)).into_iter().chain([0]);
    let round = round.flat_map(|number| [number, -number]).filter_map(units);
    let all: BTreeSet<i64> = (0..=PARTS).map(part).chain(round).filter(|units| (low..=high).contains(units)).collect();
    all.into_iter().map(|units| whole(units) * unit).collect()
}

/// The advice in an answer about the values of a query's entities. `of` is the query that it is about.
#[must_use]
pub fn advice(name: &str, of: &Query, answer: &Answer) -> Vec<Advice> {
    let Some(row) = answer.rows.first() else { return Vec::new() };
    let mut cells = row.iter().filter_map(Cell::number);
    let advice = asked(of).into_iter().map(|(about, ladder)| {
        let quantiles: Vec<(u64, NumberCell)> =
            ladder.shares.iter().map(|share| share.part).zip(cells.by_ref().cloned()).collect();
        // 95% for upper limits, 5% for lower ones.
        let advised = if matches!(about, Limit::Lower(_)) { 1 } else { 2 };
        let end = |end: &Option<Scalar>| parse_rational(&end.as_ref()?.to_string()).ok();
        let interval = quantiles.get(advised).and_then(|(_, cell)| Some((end(&cell.low)?, end(&cell.high)?)));
        let is_wide = |(low, high): (Rational, Rational)| {
            let possible = ladder.rungs.iter().filter(|rung| low <= **rung && **rung <= high).count();
            possible * 2 > ladder.rungs.len()
        };
        // An interval of two neighbouring candidates is the narrowest possible, even if there are no other candidates.
        let is_vague = interval.is_none_or(|interval| is_wide(interval) && ladder.rungs.len() > 2);
        Advice { query: name.to_owned(), value: of.value_in_words(ladder.value), about, quantiles, advised, is_vague }
    });
    advice.filter(|advice| advice.advised < advice.quantiles.len()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use deniable_core::exact::ratio;

    fn numbers(rungs: &[Rational]) -> Vec<String> {
        rungs.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn candidates_are_round_and_ascending() {
        assert_eq!(numbers(&counts(1)), ["1"]);
        assert_eq!(numbers(&counts(7)), ["1", "2", "3", "4", "5", "6", "7"]);
        assert_eq!(numbers(&counts(33))[9..], ["10", "12", "15", "20", "25", "30", "33"]);
        for (low, high) in [(0, 110), (-50, 70), (190_000, 202_400), (-5, -2), (i64::MIN >> 12, i64::MAX >> 12)] {
            for unit in [whole(1), ratio(1, 100), ratio(5, 2)] {
                let rungs = between(&unit, low, high);
                assert!(rungs.windows(2).all(|pair| pair[0] < pair[1]), "{low} {high} {unit}");
                assert_eq!((&rungs[0], &rungs[rungs.len() - 1]), (&(whole(low) * &unit), &(whole(high) * &unit)));
                assert!(rungs.iter().all(|rung| (rung / &unit).is_integer()));
            }
        }
    }
}
