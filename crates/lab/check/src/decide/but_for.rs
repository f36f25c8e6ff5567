//! Odds that are exceeded with a chance: `β*(R) = sup { P(φ) : P(φ) > R·Q(φ) }` over events φ, also events that a coin
//! decides (B-7); and the chance that the output alone exceeds them (E-7).
//!
//! For an observer who is certain about all others, the worst event of a pair of neighbours has the outputs of the
//! largest ratios, the last one in part. For observers who are uncertain about others, the curves of all pairs are mixed:
//! their lower hull bounds the chance. The hull is built of the pairs that it needs: a pair that is below it has a larger
//! hockey stick at the odds of the segment where the bound is read.

use super::approximate_dp::{NEAR, NeighbourTable, Rows, largest_delta, to_float};
use super::error::CheckError;
use super::gain::vacuous;
use super::numbers::zero;
use crate::mechanism::{Dataset, Mechanism};
use crate::notion::Reading;
use crate::verdict::{Value, Verdict, Witness};
use deniable_core::adversary::Adjacency;
use deniable_core::exact::{Bound, Rational, whole};
use num_traits::{Signed, Zero};

/// Most pairs of which the hull is built; after so many, the bound is larger than the hull's.
const MOST_PAIRS: usize = 1000;

pub(super) fn decide(
    mechanism: &Mechanism,
    adjacency: Adjacency,
    odds: &Rational,
    reading: Reading,
) -> Result<Verdict, CheckError> {
    worst(mechanism, adjacency, odds, reading, |PartialEvent { outputs, partly, more, less, probabilities }| {
        Witness::Event { outputs, partly, more, less, probabilities }
    })
}

/// An event of outputs, one of them in part, with its probabilities at two neighbours.
pub(crate) struct PartialEvent {
    pub(crate) outputs: Vec<usize>,
    pub(crate) partly: Option<(usize, Rational)>,
    pub(crate) more: Dataset,
    pub(crate) less: Dataset,
    pub(crate) probabilities: (Rational, Rational),
}

/// The chance with which odds are exceeded, with the event.
pub(crate) fn worst<T: NeighbourTable>(
    table: &T,
    adjacency: Adjacency,
    odds: &Rational,
    reading: Reading,
    witness: impl FnOnce(PartialEvent) -> Witness,
) -> Result<Verdict, CheckError> {
    if *odds < whole(1) {
        return Err(CheckError::OutOfRange { name: "odds", value: odds.clone(), range: "at least 1" });
    }
    let pairs = if adjacency == Adjacency::AddRemove { "S-ADD" } else { "S-REP" };
    let theorems = vec![pairs, if reading == Reading::Event { "B-7" } else { "E-7" }];
    let found = match reading {
        Reading::Event => worst_event(table, adjacency, odds),
        Reading::Output => worst_outputs(table, adjacency, odds),
    };
    let Some(event) = found else {
        if !table.has_neighbours(adjacency) {
            return Ok(vacuous(zero(), theorems));
        }
        return Ok(Verdict { value: Value::Attained(zero()), witness: None, theorems });
    };
    let low = event.probabilities.0.clone();
    let value = match reading {
        Reading::Output => Value::Attained(Bound::Finite(low)),
        Reading::Event => {
            let high = of_all(table, adjacency, odds, &event);
            let (low, high) = (Bound::Finite(low), Bound::Finite(high));
            if low == high { Value::Approached(low) } else { Value::Between { low, high, theorem: "B-7" } }
        }
    };
    Ok(Verdict { value, witness: Some(witness(event)), theorems })
}

/// The outputs with their probabilities at both neighbours, by descending ratio.
fn by_ratio<T: NeighbourTable>(table: &T, more: Dataset, less: Dataset) -> Vec<(usize, Rational, Rational)> {
    let all = (0..table.outputs()).map(|at| (at, table.probability(at, more), table.probability(at, less)));
    let mut all: Vec<_> = all.filter(|(_, top, bottom)| !top.is_zero() || !bottom.is_zero()).collect();
    all.sort_by(|one, other| (&other.1 * &one.2).cmp(&(&one.1 * &other.2)).then(one.0.cmp(&other.0)));
    all
}

/// The worst event of two neighbours; `None` if no event has larger odds.
fn event<T: NeighbourTable>(table: &T, more: Dataset, less: Dataset, odds: &Rational) -> Option<PartialEvent> {
    let all = by_ratio(table, more, less);
    let (_, top, bottom) = all.first()?;
    if *top <= odds * bottom {
        return None;
    }
    let (mut outputs, mut partly, mut surplus) = (Vec::new(), None, Rational::zero());
    let (mut high, mut low) = (Rational::zero(), Rational::zero());
    for (at, top, bottom) in all {
        let gain = &top - odds * &bottom;
        if (&surplus + &gain).is_negative() {
            let part = &surplus / -&gain;
            high += &top * &part;
            low += &bottom * &part;
            partly = part.is_positive().then_some((at, part));
            break;
        }
        surplus += gain;
        high += top;
        low += bottom;
        outputs.push(at);
    }
    outputs.sort_unstable();
    Some(PartialEvent { outputs, partly, more, less, probabilities: (high, low) })
}

/// The worst event of all pairs of neighbours.
fn worst_event<T: NeighbourTable>(table: &T, adjacency: Adjacency, odds: &Rational) -> Option<PartialEvent> {
    let rows = Rows::of(table);
    let mut worst: Option<(PartialEvent, f64, f64)> = None;
    table.neighbours(adjacency, &mut |more, less| {
        // A pair with a larger chance has a hockey stick above the line through the best one (B-8).
        if let Some((_, smaller, stick)) = &worst
            && rows.excess(more, less, *smaller) < stick - NEAR
        {
            return;
        }
        let Some(found) = event(table, more, less, odds) else { return };
        if worst.as_ref().is_none_or(|(known, ..)| found.probabilities.0 > known.probabilities.0) {
            let smaller = Hull(corners(table, more, less)).read(odds).map_or(Rational::zero(), |read| read.smaller);
            let stick = &found.probabilities.0 * (odds - &smaller) / odds;
            let (smaller, stick) = (to_float(&smaller), to_float(&stick));
            worst = Some((found, smaller, stick));
        }
    });
    worst.map(|(event, ..)| event)
}

/// The outputs whose odds are larger, of the pair for which they have the largest probability.
fn worst_outputs<T: NeighbourTable>(table: &T, adjacency: Adjacency, odds: &Rational) -> Option<PartialEvent> {
    let mut worst: Option<PartialEvent> = None;
    table.neighbours(adjacency, &mut |more, less| {
        let chances = |at| (table.probability(at, more), table.probability(at, less));
        let outputs: Vec<usize> = (0..table.outputs())
            .filter(|at| {
                let (top, bottom) = chances(*at);
                top > odds * bottom
            })
            .collect();
        let sums = outputs
            .iter()
            .map(|at| chances(*at))
            .fold((Rational::zero(), Rational::zero()), |sum, one| (sum.0 + one.0, sum.1 + one.1));
        if sums.0.is_positive() && worst.as_ref().is_none_or(|known| sums.0 > known.probabilities.0) {
            worst = Some(PartialEvent { outputs, partly: None, more, less, probabilities: sums });
        }
    });
    worst
}

/// The chance for observers who may be uncertain about others, or more.
fn of_all<T: NeighbourTable>(table: &T, adjacency: Adjacency, odds: &Rational, first: &PartialEvent) -> Rational {
    let mut hull = Hull(corners(table, first.more, first.less));
    for _ in 0..MOST_PAIRS {
        let Some(Read { chance, smaller, stick }) = hull.read(odds) else { return whole(1) };
        let (largest, place) = largest_delta(table, adjacency, &smaller);
        let Some((_, more, less)) = place.filter(|_| largest > stick) else { return chance };
        hull.0.extend(corners(table, more, less));
    }
    // The slack rule at the last odds holds for every pair (B-8).
    let Some(Read { smaller, .. }) = hull.read(odds) else { return whole(1) };
    (largest_delta(table, adjacency, &smaller).0 * odds / (odds - smaller)).min(whole(1))
}

/// The probabilities of events of the largest ratios, from none to all outputs.
fn corners<T: NeighbourTable>(table: &T, more: Dataset, less: Dataset) -> Vec<(Rational, Rational)> {
    let mut all = vec![(Rational::zero(), Rational::zero())];
    for (_, top, bottom) in by_ratio(table, more, less) {
        let (high, low) = &all[all.len() - 1];
        let next = (high + top, low + bottom);
        all.push(next);
    }
    all
}

/// Corners of curves, of which the lower hull counts.
struct Hull(Vec<(Rational, Rational)>);

/// The reading of a hull at some odds.
struct Read {
    /// The largest probability `x` with `g(x) ≤ x/odds`.
    chance: Rational,
    /// The odds of the segment at it, which are smaller.
    smaller: Rational,
    /// The hockey stick of the hull at these smaller odds.
    stick: Rational,
}

impl Hull {
    /// `None` if the chance is 1.
    fn read(&self, odds: &Rational) -> Option<Read> {
        let mut sorted = self.0.clone();
        sorted.sort();
        let mut hull: Vec<(Rational, Rational)> = Vec::new();
        for corner in sorted {
            while let [.., before, last] = hull.as_slice() {
                let turn =
                    (&last.0 - &before.0) * (&corner.1 - &before.1) - (&last.1 - &before.1) * (&corner.0 - &before.0);
                if turn.is_positive() {
                    break;
                }
                hull.pop();
            }
            hull.push(corner);
        }
        let is_above = |(high, low): &(Rational, Rational)| low * odds > *high;
        let last = hull.iter().rposition(|corner| !is_above(corner))?;
        let ((high, low), next) = (&hull[last], hull.get(last + 1)?);
        let (wide, tall) = (&next.0 - high, &next.1 - low);
        // How far on the segment the line of these odds is reached.
        let part = (high - odds * low) / (odds * &tall - &wide);
        let smaller = &wide / &tall;
        Some(Read { chance: high + &part * wide, stick: high - &smaller * low, smaller })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use deniable_core::exact::ratio;
    use num_traits::One;

    /// A corner on the line, between two others.
    #[test]
    fn hulls_are_read_where_they_cross_the_line() {
        let corner = |high: (i64, i64), low: (i64, i64)| (ratio(high.0, high.1), ratio(low.0, low.1));
        let hull = Hull(vec![corner((0, 1), (0, 1)), corner((3, 4), (1, 4)), corner((1, 1), (1, 1))]);
        let read = hull.read(&whole(2)).unwrap();
        // From (3/4, 1/4) with slope 3: x = 2·(1/4 + 3·(x − 3/4)).
        assert_eq!((read.chance, read.smaller, read.stick), (ratio(4, 5), ratio(1, 3), ratio(2, 3)));
        let read = hull.read(&whole(3)).unwrap();
        assert_eq!((read.chance, read.smaller), (ratio(3, 4), ratio(1, 3)));
        assert!(hull.read(&Rational::one()).is_none());
    }
}
