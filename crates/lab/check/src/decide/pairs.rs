//! Notions that compare pairs of datasets: every pair is visited, or only the extremes where all pairs count.

use super::largest_ratio::{LargestRatio, Place};
use super::part::{NearFraction, Part};
use crate::mechanism::{Column, Dataset, Kinds, Mechanism};
use crate::notion::{Direction, Sign};
use crate::verdict::Witness;
use deniable_core::exact::Bound;

/// A largest ratio, and the witness that attains it.
#[derive(Debug, Clone)]
pub(crate) struct WitnessedRatio {
    pub(crate) ratio: Bound,
    pub(crate) witness: Witness,
}

/// Datasets that differ by one entity more or less (S-ADD).
pub(crate) fn one_more(mechanism: &Mechanism, sign: Sign) -> Option<WitnessedRatio> {
    search(mechanism, Pairs::OneMore(sign))
}

/// Datasets that differ by one entity exchanged for another (S-REP).
pub(crate) fn exchanged(mechanism: &Mechanism) -> Option<WitnessedRatio> {
    search(mechanism, Pairs::Exchanged)
}

/// Any two datasets (I-FLP).
pub(crate) fn any(mechanism: &Mechanism) -> Option<WitnessedRatio> {
    search(mechanism, Pairs::Any)
}

/// Any two datasets of which the first has an entity that the second lacks, or the reverse (F-DU).
pub(crate) fn present_in_one_only(mechanism: &Mechanism, direction: Direction) -> Option<WitnessedRatio> {
    search(mechanism, Pairs::PresentInOne(direction))
}

/// These pairs, in this order (I-INP).
pub(crate) fn listed(mechanism: &Mechanism, pairs: &[(Dataset, Dataset)]) -> Option<WitnessedRatio> {
    search(mechanism, Pairs::Listed(pairs))
}

/// Limit on the number of different rows for which pairs of them are listed.
const MOST_KINDS: usize = 1 << 10;

#[derive(Debug, Clone, Copy)]
enum Pairs<'a> {
    OneMore(Sign),
    Exchanged,
    Any,
    PresentInOne(Direction),
    Listed(&'a [(Dataset, Dataset)]),
}

fn search(mechanism: &Mechanism, pairs: Pairs<'_>) -> Option<WitnessedRatio> {
    match mechanism.kinds().filter(|kinds| kinds.count <= MOST_KINDS) {
        Some(kinds) if matches!(pairs, Pairs::OneMore(_) | Pairs::Exchanged) => {
            let few = representatives(mechanism, kinds, pairs);
            search_in(mechanism, Pairs::Listed(&few))
        }
        _ => search_in(mechanism, pairs),
    }
}

/// For each pair of rows, the pair of datasets with the fewest entities: the others have the same ratios.
fn representatives(mechanism: &Mechanism, kinds: &Kinds, pairs: Pairs<'_>) -> Vec<(Dataset, Dataset)> {
    let mut best: Vec<Option<Place>> = vec![None; kinds.count * kinds.count];
    each_pair(mechanism, pairs, &mut |more, less| {
        let place = Place { output: 0, more, less };
        let best = &mut best[kinds.of[more as usize] as usize * kinds.count + kinds.of[less as usize] as usize];
        // The number of entities is compared first: it mostly decides, and is cheaper than the whole weight.
        let nearer = best.as_ref().is_none_or(|best| {
            let members = |place: &Place| (place.more | place.less).count_ones();
            members(&place) <= members(best) && place.weight() < best.weight()
        });
        if nearer {
            *best = Some(place);
        }
    });
    best.into_iter().flatten().map(|Place { more, less, .. }| (more, less)).collect()
}

fn search_in(mechanism: &Mechanism, pairs: Pairs<'_>) -> Option<WitnessedRatio> {
    let outputs = 0..mechanism.outputs().len();
    let worst = |output: usize| match mechanism.table().column(output) {
        Column::Parts { parts, .. } => of_column(mechanism, output, parts, pairs).found(),
        Column::Fractions(values) => of_column(mechanism, output, &NearFraction::all(values), pairs).found(),
    };
    let found = outputs.filter_map(worst).max_by(|left, right| left.0.cmp(&right.0).then(order(&right.1, &left.1)));
    found.map(|(ratio, place)| WitnessedRatio { ratio, witness: datasets(mechanism, place) })
}

/// Orders places with equal ratios: smaller datasets first.
fn order(left: &Place, right: &Place) -> std::cmp::Ordering {
    let size = |place: &Place| ((place.more | place.less).count_ones(), place.more, place.output);
    size(left).cmp(&size(right))
}

fn datasets(mechanism: &Mechanism, Place { output, more, less }: Place) -> Witness {
    let probabilities = (mechanism.probability(output, more), mechanism.probability(output, less));
    Witness::Datasets { output, more, less, probabilities }
}

fn of_column<P: Part>(mechanism: &Mechanism, output: usize, values: &[P], pairs: Pairs<'_>) -> LargestRatio<P> {
    let mut worst = LargestRatio::new();
    let mut offer = |more: Dataset, less: Dataset| {
        worst.offer(&values[more as usize], &values[less as usize], output, more, less);
    };
    let n = mechanism.size();
    match pairs {
        Pairs::OneMore(_) | Pairs::Exchanged | Pairs::Listed(_) => each_pair(mechanism, pairs, &mut offer),
        Pairs::Any => {
            if let (Some(most), Some(least)) = extremes(values, mechanism.datasets()) {
                // If all values are equal, any other dataset has the same ratio to the first.
                let other = || mechanism.datasets().find(|data| *data != most);
                if let Some(least) = if most == least { other() } else { Some(least) } {
                    offer(most, least);
                }
            }
        }
        Pairs::PresentInOne(direction) => {
            for t in 0..n {
                let with = extremes(values, mechanism.datasets().filter(|data| data >> t & 1 == 1));
                let without = extremes(values, mechanism.datasets().filter(|data| data >> t & 1 == 0));
                let (top, bottom) = match direction {
                    Direction::Presence => (with.0, without.1),
                    Direction::Absence => (without.0, with.1),
                };
                if let (Some(top), Some(bottom)) = (top, bottom) {
                    offer(top, bottom);
                }
            }
        }
    }
    worst
}

/// Visits every pair that does not depend on the output, the numerator first.
fn each_pair(mechanism: &Mechanism, pairs: Pairs<'_>, offer: &mut impl FnMut(Dataset, Dataset)) {
    let n = mechanism.size();
    match pairs {
        Pairs::OneMore(sign) => {
            for data in mechanism.datasets() {
                for t in (0..n).filter(|t| data >> t & 1 == 0) {
                    let with = data | 1 << t;
                    if mechanism.gives(with) {
                        if sign != Sign::Negative {
                            offer(with, data);
                        }
                        if sign != Sign::Positive {
                            offer(data, with);
                        }
                    }
                }
            }
        }
        Pairs::Exchanged => {
            for data in mechanism.datasets() {
                for out in (0..n).filter(|t| data >> t & 1 == 1) {
                    for new in (0..n).filter(|t| data >> t & 1 == 0) {
                        let other = data & !(1 << out) | 1 << new;
                        if mechanism.gives(other) {
                            offer(data, other);
                        }
                    }
                }
            }
        }
        Pairs::Listed(listed) => listed.iter().for_each(|(more, less)| offer(*more, *less)),
        Pairs::Any | Pairs::PresentInOne(_) => {}
    }
}

/// The datasets with the largest and with the smallest value.
fn extremes<P: Part>(values: &[P], datasets: impl Iterator<Item = Dataset>) -> (Option<Dataset>, Option<Dataset>) {
    let mut ends: Option<(Dataset, Dataset)> = None;
    let larger = |left: Dataset, right: Dataset| {
        let (left, right) = (&values[left as usize], &values[right as usize]);
        match (left.nothing(), right.nothing()) {
            (true, _) => false,
            (false, true) => true,
            (false, false) => P::compare(left, right, left, left).is_gt(),
        }
    };
    for data in datasets {
        ends = Some(match ends {
            None => (data, data),
            Some((most, least)) => {
                (if larger(data, most) { data } else { most }, if larger(least, data) { data } else { least })
            }
        });
    }
    (ends.map(|ends| ends.0), ends.map(|ends| ends.1))
}
