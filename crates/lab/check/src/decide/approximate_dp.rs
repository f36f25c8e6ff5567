//! (ε,δ)-differential privacy: per pair of neighbours, a sum over outputs.
//!
//! A pair keeps `(R,δ)` when `Pr[E|T1] ≤ R·Pr[E|T2] + δ` for every event `E`. At a given `R` the worst event holds the
//! outputs with `Pr[o|T1] > R·Pr[o|T2]`, and `δ = Σ max(0, P1 − R·P2)` is tight. At a given δ the relevant events are
//! the outputs of largest ratio, any number of them, and `R = max (P1(E) − δ)/P2(E)`.

use super::error::CheckError;
use super::gain::vacuous;
use super::numbers::zero;
use crate::mechanism::{Dataset, Mechanism};
use crate::notion::FixedParameter;
use crate::verdict::{Value, Verdict, Witness};
use deniable_core::adversary::Adjacency;
use deniable_core::exact::Bound;
use deniable_core::exact::{Rational, whole};
use num_traits::{One, Signed, ToPrimitive, Zero};

/// Floating-point sums this close to the threshold are computed exactly: far above their rounding error.
pub(super) const NEAR: f64 = 1e-9;

/// Rows of probabilities with a neighbour relation: by dataset, or by counts.
pub(crate) trait NeighbourTable {
    /// The number of rows, including those that are not given.
    fn rows(&self) -> usize;
    fn outputs(&self) -> usize;
    fn gives(&self, row: Dataset) -> bool;
    fn probability(&self, output: usize, row: Dataset) -> Rational;
    /// Calls `look` with all ordered pairs of neighbours whose rows may differ.
    fn neighbours(&self, adjacency: Adjacency, look: &mut dyn FnMut(Dataset, Dataset));
    /// Whether the table has any neighbours.
    fn has_neighbours(&self, adjacency: Adjacency) -> bool {
        let mut any = false;
        self.neighbours(adjacency, &mut |_, _| any = true);
        any
    }
}

pub(super) fn decide(
    mechanism: &Mechanism,
    adjacency: Adjacency,
    given: &FixedParameter,
) -> Result<Verdict, CheckError> {
    worst(mechanism, adjacency, given, |Event { outputs, more, less, probabilities }| Witness::Event {
        outputs,
        partly: None,
        more,
        less,
        probabilities,
    })
}

/// The tight δ, or the tight odds, with the event that attains it.
pub(crate) fn worst<T: NeighbourTable>(
    table: &T,
    adjacency: Adjacency,
    given: &FixedParameter,
    witness: impl FnOnce(Event) -> Witness,
) -> Result<Verdict, CheckError> {
    let theorems = vec![if adjacency == Adjacency::AddRemove { "S-ADD" } else { "S-REP" }];
    let least = if matches!(given, FixedParameter::Odds(_)) { zero() } else { Bound::one() };
    let (value, found) = match given {
        FixedParameter::Odds(odds) if *odds < whole(1) => {
            return Err(CheckError::OutOfRange { name: "odds", value: odds.clone(), range: "at least 1" });
        }
        FixedParameter::Delta(delta) if delta.is_negative() || *delta > whole(1) => {
            return Err(CheckError::OutOfRange { name: "delta", value: delta.clone(), range: "from 0 to 1" });
        }
        FixedParameter::Odds(odds) => {
            let (delta, found) = largest_delta(table, adjacency, odds);
            (Bound::Finite(delta), found)
        }
        FixedParameter::Delta(delta) => smallest_odds(table, adjacency, delta),
    };
    if found.is_none() && !table.has_neighbours(adjacency) {
        return Ok(vacuous(least, theorems));
    }
    let witness = found.map(|(outputs, more, less)| {
        let chance = |row| outputs.iter().map(|output| table.probability(*output, row)).sum();
        witness(Event { probabilities: (chance(more), chance(less)), outputs, more, less })
    });
    Ok(Verdict { value: Value::Attained(value), witness, theorems })
}

/// An event of several outputs, with its probabilities at two neighbours.
pub(crate) struct Event {
    pub(crate) outputs: Vec<usize>,
    pub(crate) more: Dataset,
    pub(crate) less: Dataset,
    pub(crate) probabilities: (Rational, Rational),
}

/// The outputs of an event, and the pair of neighbours.
pub(super) type Place = (Vec<usize>, Dataset, Dataset);

pub(super) fn largest_delta<T: NeighbourTable>(
    table: &T,
    adjacency: Adjacency,
    odds: &Rational,
) -> (Rational, Option<Place>) {
    let rows = Rows::of(table);
    let mut worst = Rational::zero();
    let mut event = None;
    table.neighbours(adjacency, &mut |more, less| {
        let (high, odds_near) = (to_float(&worst), to_float(odds));
        if rows.excess(more, less, odds_near) < high - NEAR {
            return;
        }
        let (delta, outputs) = excess(table, more, less, odds);
        if delta > worst {
            worst = delta;
            event = Some((outputs, more, less));
        }
    });
    (worst, event)
}

fn smallest_odds<T: NeighbourTable>(table: &T, adjacency: Adjacency, delta: &Rational) -> (Bound, Option<Place>) {
    let rows = Rows::of(table);
    let delta_near = to_float(delta);
    let mut worst = Bound::one();
    let mut event = None;
    table.neighbours(adjacency, &mut |more, less| {
        let Bound::Finite(odds) = &worst else { return };
        // Only a pair that breaks δ at the largest ratio so far needs a larger one.
        if rows.excess(more, less, to_float(odds)) < delta_near - NEAR {
            return;
        }
        let (needed, outputs) = needed(table, more, less, delta);
        if needed > worst {
            worst = needed;
            event = Some((outputs, more, less));
        }
    });
    (worst, event)
}

/// `Σ max(0, P1 − R·P2)` and the outputs that contribute to it.
fn excess<T: NeighbourTable>(table: &T, more: Dataset, less: Dataset, odds: &Rational) -> (Rational, Vec<usize>) {
    let gap = |output| table.probability(output, more) - odds * table.probability(output, less);
    let gaps = (0..table.outputs()).map(|output| (output, gap(output)));
    let (outputs, gaps): (Vec<usize>, Vec<Rational>) = gaps.filter(|(_, gap)| gap.is_positive()).unzip();
    (gaps.iter().sum(), outputs)
}

/// The smallest `R` at which the pair keeps δ, and the event that needs it.
fn needed<T: NeighbourTable>(table: &T, more: Dataset, less: Dataset, delta: &Rational) -> (Bound, Vec<usize>) {
    let chances = |output| {
        let (top, bottom) = (table.probability(output, more), table.probability(output, less));
        Bound::of(&top, &bottom).map(|ratio| (ratio, output, top, bottom))
    };
    let mut by_ratio: Vec<_> = (0..table.outputs()).filter_map(chances).collect();
    by_ratio.sort_by(|left, right| right.0.cmp(&left.0).then(left.1.cmp(&right.1)));
    let mut best = (Bound::Finite(Rational::zero()), 0);
    let (mut top, mut bottom) = (Rational::zero(), Rational::zero());
    for (taken, (_, _, more, less)) in by_ratio.iter().enumerate() {
        top += more;
        bottom += less;
        let over = &top - delta;
        if over.is_positive() {
            let odds = Bound::of(&over, &bottom).unwrap_or(Bound::Infinite);
            if odds > best.0 {
                best = (odds, taken + 1);
            }
        }
    }
    let mut outputs: Vec<usize> = by_ratio.iter().take(best.1).map(|(_, output, ..)| *output).collect();
    outputs.sort_unstable();
    (best.0, outputs)
}

impl NeighbourTable for Mechanism {
    fn rows(&self) -> usize {
        1 << self.size()
    }

    fn outputs(&self) -> usize {
        self.outputs().len()
    }

    fn gives(&self, row: Dataset) -> bool {
        self.gives(row)
    }

    fn probability(&self, output: usize, row: Dataset) -> Rational {
        self.probability(output, row)
    }

    fn neighbours(&self, adjacency: Adjacency, look: &mut dyn FnMut(Dataset, Dataset)) {
        let bits = || (0..self.size()).map(|t| 1_u32 << t);
        for data in self.datasets() {
            match adjacency {
                Adjacency::AddRemove => {
                    bits().map(|bit| data ^ bit).filter(|other| self.gives(*other)).for_each(|other| look(data, other))
                }
                Adjacency::ReplaceOne => {
                    for out in bits().filter(|bit| data & bit != 0) {
                        let others = bits().filter(|bit| data & bit == 0).map(|new| data & !out | new);
                        others.filter(|other| self.gives(*other)).for_each(|other| look(data, other));
                    }
                }
            }
        }
    }
}

/// The table in floats, by dataset: it only selects the pairs that are computed exactly.
pub(super) struct Rows {
    outputs: usize,
    floats: Vec<f64>,
}

impl Rows {
    pub(super) fn of<T: NeighbourTable>(table: &T) -> Self {
        let outputs = table.outputs();
        let cell = |data, output| if table.gives(data) { to_float(&table.probability(output, data)) } else { 0.0 };
        let all = 0..table.rows() as Dataset;
        Self { outputs, floats: all.flat_map(|data| (0..outputs).map(move |output| cell(data, output))).collect() }
    }

    /// Approximately `Σ max(0, P1 − R·P2)`; NaN, which compares below no threshold, for an `R` beyond the range of
    /// floats.
    pub(super) fn excess(&self, more: Dataset, less: Dataset, odds: f64) -> f64 {
        if !odds.is_finite() {
            return f64::NAN;
        }
        let row = |data: Dataset| &self.floats[data as usize * self.outputs..][..self.outputs];
        let gap = |(top, bottom): (&f64, &f64)| {
            let gap = top - odds * bottom;
            if gap > 0.0 { gap } else { 0.0 }
        };
        row(more).iter().zip(row(less)).map(gap).sum()
    }
}

pub(super) fn to_float(value: &Rational) -> f64 {
    if value.is_one() { 1.0 } else { value.to_f64().unwrap_or(f64::NAN) }
}
