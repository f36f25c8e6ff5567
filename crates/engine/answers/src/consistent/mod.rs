//! Consistent totals: post-processing after which the parts of a table add up to its totals.
//!
//! Each level of GROUPING SETS, ROLLUP or CUBE has independent noise, so parts do not add up to their totals and small
//! counts can be negative. If the exact answers add up, `solve` finds the nearest answers that add up as well: it
//! minimises `Σ (x − y)² / λ²` over all cells, where `y` is a noisy answer and `λ` the scale of its level, under `total
//! = Σ parts` and, for non-negative measures, `x ≥ 0`. `whole` then rounds the solution to integers. Both depend on
//! noisy answers alone, so they cost nothing: post-processing (C-3).
//!
//! Only this module computes released values with floats; no guarantee depends on them. Whatever the solver returns,
//! the integers add up exactly.

mod shape;
mod solve;
#[cfg(test)]
mod tests;
mod whole;

use crate::Noisy;
use deniable_core::noise::Decay;
use deniable_query::{Measure, MeasureKind, Query};
use num_traits::ToPrimitive;
use shape::Shape;

/// Most cells that are made consistent, over all levels. The time of a ROLLUP grows with its cells (`times_of_large_tables`).
const MOST_CELLS: usize = 1_000_000;
/// Most cells of overlapping levels ([`Shape::crossings`]); time grows with the third power, to 8 seconds here.
const MOST_CROSSINGS: usize = 2_000;
/// Totals beyond this limit stay unchanged: floats would be too coarse for them.
const LARGEST: u128 = 1 << 52;

/// Whether the levels of a query can be made to add up. It depends on the query and the policy, never on data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Consistency {
    /// They can be made to add up.
    Applies,
    /// No level is a part of another, or no measure is additive.
    NothingToAddUp,
    /// Entities are capped at each level separately, so not even the exact answers add up.
    Entities,
    /// It would take too long: over a million cells, or over 2,000 in overlapping levels, as in a CUBE.
    TooManyCells,
}

/// Whether the levels of this query can be made to add up.
#[must_use]
pub fn consistency(query: &Query) -> Consistency {
    let capped_apart = query.entity().is_some() && !query.is_capped_together();
    let adds_up = |kind: &MeasureKind| adds_up(kind) || matches!(kind, MeasureKind::Entities { .. }) && capped_apart;
    // A subquery may use some measures at one level only.
    let counted = |measure: &Measure| adds_up(&measure.kind) && at_all_levels(query, &measure.kind).is_some();
    let extended = |level: &Vec<usize>| query.nesting().extended(level, query.groups().len());
    let levels: Vec<Vec<usize>> = query.levels().iter().map(extended).collect();
    let nested = levels.iter().any(|level| levels.iter().any(|other| shape::within(level, other)));
    if !nested || !query.measures().iter().any(counted) {
        Consistency::NothingToAddUp
    } else if capped_apart {
        Consistency::Entities
    } else if shape(query).is_none() {
        Consistency::TooManyCells
    } else {
        Consistency::Applies
    }
}

/// The positions of the same measure at each level; `None` if it is missing at a level.
fn at_all_levels(query: &Query, kind: &MeasureKind) -> Option<Vec<usize>> {
    let at = |level: usize| query.measures().iter().position(|other| other.kind == *kind && other.level == level);
    (0..query.levels().len()).map(at).collect()
}

fn shape(query: &Query) -> Option<Shape> {
    let sizes = query.groups().iter().map(|group| group.keys.len()).collect();
    Shape::new(sizes, query.nesting(), query.levels(), MOST_CELLS).filter(|shape| shape.crossings() <= MOST_CROSSINGS)
}

/// The noisy values in the shape of [`Noisy::values`], changed as little as possible such that the levels add up and
/// non-negative measures are not negative: exactly, in integer units. Measures that are not additive stay unchanged.
///
/// `None` where [`consistency`] does not apply, the values are too large for floats (beyond 2^52) or the solver fails.
/// Equal values give equal results.
#[must_use]
pub fn made_consistent(query: &Query, values: &[Vec<i128>], decays: &[Decay]) -> Option<Vec<Vec<i128>>> {
    if consistency(query) != Consistency::Applies {
        return None;
    }
    let shape = shape(query)?;
    let mut all = values.to_vec();
    for (first, measure) in query.measures().iter().enumerate() {
        if measure.level != 0 || !adds_up(&measure.kind) {
            continue;
        }
        let Some(places) = at_all_levels(query, &measure.kind) else { continue };
        debug_assert_eq!(places.first(), Some(&first));
        let noisy: Vec<&[i128]> = places.iter().map(|place| values[*place].as_slice()).collect();
        let scales: Vec<f64> =
            places.iter().map(|place| decays[*place].scale_bound().to_f64()).collect::<Option<_>>()?;
        let found = consistent(&shape, &noisy, &scales, is_never_negative(&measure.kind))?;
        for (place, level) in places.into_iter().zip(found) {
            all[place] = level;
        }
    }
    Some(all)
}

impl Noisy {
    /// The shown values: the consistent ones, if there are any.
    #[must_use]
    pub fn shown(&self) -> &[Vec<i128>] {
        self.consistent.as_deref().unwrap_or(&self.values)
    }
}

/// Whether the measure of a group is the sum of those of its parts.
fn adds_up(kind: &MeasureKind) -> bool {
    match kind {
        MeasureKind::Rows | MeasureKind::NotNull { .. } | MeasureKind::Sum { .. } | MeasureKind::Product { .. } => true,
        MeasureKind::Entities { .. } | MeasureKind::Ranked { .. } | MeasureKind::Tree { .. } => false,
    }
}

/// Whether every row adds zero or more.
fn is_never_negative(kind: &MeasureKind) -> bool {
    match kind {
        MeasureKind::Sum { range, .. } | MeasureKind::Product { range, .. } => range.low >= 0,
        _ => true,
    }
}

/// One measure at all levels, made to add up: integers, none negative if `positive`.
fn consistent(shape: &Shape, noisy: &[&[i128]], scales: &[f64], positive: bool) -> Option<Vec<Vec<i128>>> {
    let size = |level: &&[i128]| level.iter().fold(0_u128, |sum, value| sum.saturating_add(value.unsigned_abs()));
    if noisy.iter().any(|level| size(level) > LARGEST) {
        return None;
    }
    let solution = solve::nearest(shape, noisy, scales, positive)?;
    Some(whole::made_whole(shape, &solution, positive))
}
