//! (ε,δ)-differential privacy: per pair of neighbours, a sum over outputs.
//!
//! A pair keeps `(R,δ)` when `Pr[E|T1] ≤ R·Pr[E|T2] + δ` for every event `E`. At a given `R` the worst event holds the
//! outputs with `Pr[o|T1] > R·Pr[o|T2]`, and `δ = Σ max(0, P1 − R·P2)` is tight. At a given δ the events that count are
//! the outputs of largest ratio, as many as one likes, and `R = max (P1(E) − δ)/P2(E)`.

use super::error::CheckError;
use super::gain::vacuous;
use super::numbers::zero;
use crate::mechanism::{Dataset, Mechanism};
use crate::notion::Given;
use crate::verdict::{Value, Verdict, Witness};
use deniable_core::adversary::Adjacency;
use deniable_core::exact::Bound;
use deniable_core::exact::{Rational, whole};
use num_traits::{One, Signed, ToPrimitive, Zero};

/// How far a sum of floats may be off before it is worked out exactly: far more than rounding makes of it.
const NEAR: f64 = 1e-9;

pub(super) fn decide(mechanism: &Mechanism, adjacency: Adjacency, given: &Given) -> Result<Verdict, CheckError> {
    let theorems = vec![if adjacency == Adjacency::AddRemove { "S-ADD" } else { "S-REP" }];
    let least = if matches!(given, Given::Odds(_)) { zero() } else { Bound::one() };
    let (value, event) = match given {
        Given::Odds(odds) if *odds < whole(1) => {
            return Err(CheckError::OutOfRange { name: "odds", value: odds.clone(), range: "at least 1" });
        }
        Given::Delta(delta) if delta.is_negative() || *delta > whole(1) => {
            return Err(CheckError::OutOfRange { name: "delta", value: delta.clone(), range: "from 0 to 1" });
        }
        Given::Odds(odds) => {
            let (delta, event) = largest_delta(mechanism, adjacency, odds);
            (Bound::Finite(delta), event)
        }
        Given::Delta(delta) => smallest_odds(mechanism, adjacency, delta),
    };
    if event.is_none() && !has_neighbours(mechanism, adjacency) {
        return Ok(vacuous(least, theorems));
    }
    let witness = event.map(|Event { outputs, more, less }| {
        let chance = |data| outputs.iter().map(|output| mechanism.probability(*output, data)).sum();
        Witness::Event { probabilities: (chance(more), chance(less)), outputs, more, less }
    });
    Ok(Verdict { value: Value::Attained(value), witness, theorems })
}

/// Outputs, and a pair of neighbours that give them with different probabilities.
struct Event {
    outputs: Vec<usize>,
    more: Dataset,
    less: Dataset,
}

fn largest_delta(mechanism: &Mechanism, adjacency: Adjacency, odds: &Rational) -> (Rational, Option<Event>) {
    let rows = Rows::of(mechanism);
    let mut worst = Rational::zero();
    let mut event = None;
    neighbours(mechanism, adjacency, |more, less| {
        let (high, odds_near) = (to_float(&worst), to_float(odds));
        if rows.excess(more, less, odds_near) < high - NEAR {
            return;
        }
        let (delta, outputs) = excess(mechanism, more, less, odds);
        if delta > worst {
            worst = delta;
            event = Some(Event { outputs, more, less });
        }
    });
    (worst, event)
}

fn smallest_odds(mechanism: &Mechanism, adjacency: Adjacency, delta: &Rational) -> (Bound, Option<Event>) {
    let rows = Rows::of(mechanism);
    let delta_near = to_float(delta);
    let mut worst = Bound::one();
    let mut event = None;
    neighbours(mechanism, adjacency, |more, less| {
        let Bound::Finite(odds) = &worst else { return };
        // Only a pair that breaks δ at the largest ratio so far needs a larger one.
        if rows.excess(more, less, to_float(odds)) < delta_near - NEAR {
            return;
        }
        let (needed, outputs) = needed(mechanism, more, less, delta);
        if needed > worst {
            worst = needed;
            event = Some(Event { outputs, more, less });
        }
    });
    (worst, event)
}

/// `Σ max(0, P1 − R·P2)` and the outputs that contribute.
fn excess(mechanism: &Mechanism, more: Dataset, less: Dataset, odds: &Rational) -> (Rational, Vec<usize>) {
    let gap = |output| mechanism.probability(output, more) - odds * mechanism.probability(output, less);
    let gaps = (0..mechanism.outputs().len()).map(|output| (output, gap(output)));
    let (outputs, gaps): (Vec<usize>, Vec<Rational>) = gaps.filter(|(_, gap)| gap.is_positive()).unzip();
    (gaps.iter().sum(), outputs)
}

/// The smallest `R` at which the pair keeps δ, and the event that needs it.
fn needed(mechanism: &Mechanism, more: Dataset, less: Dataset, delta: &Rational) -> (Bound, Vec<usize>) {
    let chances = |output| {
        let (top, bottom) = (mechanism.probability(output, more), mechanism.probability(output, less));
        Bound::of(&top, &bottom).map(|ratio| (ratio, output, top, bottom))
    };
    let mut by_ratio: Vec<_> = (0..mechanism.outputs().len()).filter_map(chances).collect();
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

fn has_neighbours(mechanism: &Mechanism, adjacency: Adjacency) -> bool {
    let mut any = false;
    neighbours(mechanism, adjacency, |_, _| any = true);
    any
}

/// All ordered pairs of neighbours.
fn neighbours(mechanism: &Mechanism, adjacency: Adjacency, mut look: impl FnMut(Dataset, Dataset)) {
    let bits = || (0..mechanism.size()).map(|t| 1_u32 << t);
    for data in mechanism.datasets() {
        match adjacency {
            Adjacency::AddRemove => {
                bits().map(|bit| data ^ bit).filter(|other| mechanism.gives(*other)).for_each(|other| look(data, other))
            }
            Adjacency::ReplaceOne => {
                for out in bits().filter(|bit| data & bit != 0) {
                    let others = bits().filter(|bit| data & bit == 0).map(|new| data & !out | new);
                    others.filter(|other| mechanism.gives(*other)).for_each(|other| look(data, other));
                }
            }
        }
    }
}

/// The table in floats, by dataset: it only chooses which pairs to look at.
struct Rows {
    outputs: usize,
    floats: Vec<f64>,
}

impl Rows {
    fn of(mechanism: &Mechanism) -> Self {
        let outputs = mechanism.outputs().len();
        let cell =
            |data, output| if mechanism.gives(data) { to_float(&mechanism.probability(output, data)) } else { 0.0 };
        let all = 0..1_u32 << mechanism.size();
        Self { outputs, floats: all.flat_map(|data| (0..outputs).map(move |output| cell(data, output))).collect() }
    }

    /// Near `Σ max(0, P1 − R·P2)`; for an `R` beyond floats no number, which is below nothing.
    fn excess(&self, more: Dataset, less: Dataset, odds: f64) -> f64 {
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

fn to_float(value: &Rational) -> f64 {
    if value.is_one() { 1.0 } else { value.to_f64().unwrap_or(f64::NAN) }
}
