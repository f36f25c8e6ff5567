//! Notions that compare pairs of datasets, on counts.

use super::decide::within_groups;
use super::model::CountMechanism;
use crate::decide::{LargestRatio, NearFraction, Part, RatioPlace, WitnessedRatio};
use crate::mechanism::{Column, Dataset};
use crate::notion::{Direction, Sign};
use crate::verdict::Witness;
use crate::verdict::{CountPlace, CountWitness};

/// The pairs of counts to compare.
#[derive(Debug, Clone, Copy)]
pub(super) enum Pairs<'a> {
    /// One member more or less in one group (S-ADD).
    OneMore(Sign),
    /// One member of a group exchanged for one of another (S-REP). Exchanges within a group change no count.
    Exchanged,
    /// Any two datasets (I-FLP).
    Any,
    /// Any two datasets of which the first may hold an entity that the second may lack, or the reverse (F-DU).
    PresentInOne(Direction),
    /// The listed pairs, the numerator first (I-INP).
    Listed(&'a [(usize, usize)]),
}

pub(super) fn search(mechanism: &CountMechanism, pairs: Pairs<'_>) -> Option<WitnessedRatio> {
    let worst = |output: usize| match mechanism.table.column(output) {
        Column::Parts { parts, .. } => of_column(mechanism, output, parts, pairs).found(),
        Column::Fractions(values) => of_column(mechanism, output, &NearFraction::all(values), pairs).found(),
    };
    let mut best = None;
    for (ratio, place) in (0..mechanism.outputs.len()).filter_map(worst) {
        // Ties go to the first output.
        if best.as_ref().is_none_or(|(largest, _)| ratio > *largest) {
            best = Some((ratio, place));
        }
    }
    best.map(|(ratio, place)| WitnessedRatio { ratio, witness: witness(mechanism, place) })
}

fn witness(mechanism: &CountMechanism, place: RatioPlace) -> Witness {
    let RatioPlace { output, more, less } = place;
    let (more, less) = (more as usize, less as usize);
    Witness::Counts(CountWitness {
        groups: mechanism.names(),
        output: mechanism.outputs[output].clone(),
        place: CountPlace::Datasets { more: mechanism.counts(more), less: mechanism.counts(less) },
        probabilities: (mechanism.probability(output, more), mechanism.probability(output, less)),
    })
}

fn of_column<P: Part>(mechanism: &CountMechanism, output: usize, values: &[P], pairs: Pairs<'_>) -> LargestRatio<P> {
    let mut worst = LargestRatio::new();
    let mut offer = |more: usize, less: usize| {
        worst.offer(&values[more], &values[less], output, more as Dataset, less as Dataset);
    };
    let cells = mechanism.cells();
    let given = |cell: &usize| mechanism.gives(*cell);
    let strides = strides(mechanism);
    match pairs {
        Pairs::OneMore(sign) => one_more(mechanism, &mut |more, less| {
            if sign != Sign::Negative {
                offer(more, less);
            }
            if sign != Sign::Positive {
                offer(less, more);
            }
        }),
        Pairs::Exchanged => exchanged(mechanism, &mut offer),
        Pairs::Listed(pairs) => pairs.iter().for_each(|(more, less)| offer(*more, *less)),
        Pairs::Any => {
            // One dataset alone has nothing to be compared with; counts stand for several datasets where an exchange
            // within a group exists.
            let two = (0..cells).filter(given).nth(1).is_some() || within_groups(mechanism);
            if let Some((most, least)) = extremes(values, (0..cells).filter(given)).filter(|_| two) {
                offer(most, least);
            }
        }
        Pairs::PresentInOne(direction) => {
            for group in strides.iter().filter(|group| group.1 > 0) {
                let with = extremes(values, (0..cells).filter(|cell| given(cell) && digit(*cell, *group) > 0));
                let without = extremes(values, (0..cells).filter(|cell| given(cell) && digit(*cell, *group) < group.1));
                if let (Some(with), Some(without)) = (with, without) {
                    match direction {
                        Direction::Presence => offer(with.0, without.1),
                        Direction::Absence => offer(without.0, with.1),
                    }
                }
            }
        }
    }
    worst
}

/// The stride of each group, and its largest count.
fn strides(mechanism: &CountMechanism) -> Vec<(usize, usize)> {
    mechanism.groups.iter().enumerate().map(|(at, group)| (mechanism.stride(at), group.size as usize)).collect()
}

/// The digit of a cell with this stride and this largest value.
fn digit(cell: usize, (stride, most): (usize, usize)) -> usize {
    (cell / stride) % (most + 1)
}

/// Visits given counts with one member more, and without it.
pub(super) fn one_more(mechanism: &CountMechanism, look: &mut impl FnMut(usize, usize)) {
    for group in strides(mechanism) {
        for less in (0..mechanism.cells()).filter(|cell| digit(*cell, group) < group.1) {
            let more = less + group.0;
            if mechanism.gives(less) && mechanism.gives(more) {
                look(more, less);
            }
        }
    }
}

/// Visits given counts, and those with a member of one group exchanged for one of another, each pair in both orders.
pub(super) fn exchanged(mechanism: &CountMechanism, look: &mut impl FnMut(usize, usize)) {
    let strides = strides(mechanism);
    for (at, out) in strides.iter().enumerate() {
        for (_, new) in strides.iter().enumerate().filter(|(other, _)| *other != at) {
            for cell in (0..mechanism.cells()).filter(|cell| digit(*cell, *out) > 0 && digit(*cell, *new) < new.1) {
                let other = cell - out.0 + new.0;
                if mechanism.gives(cell) && mechanism.gives(other) {
                    look(cell, other);
                }
            }
        }
    }
}

/// The cells with the largest and with the smallest value.
fn extremes<P: Part>(values: &[P], cells: impl Iterator<Item = usize>) -> Option<(usize, usize)> {
    let larger = |left: usize, right: usize| {
        let (left, right) = (&values[left], &values[right]);
        match (left.nothing(), right.nothing()) {
            (true, _) => false,
            (false, true) => true,
            (false, false) => P::compare(left, right, left, left).is_gt(),
        }
    };
    cells.fold(None, |ends, cell| {
        let (most, least) = ends.unwrap_or((cell, cell));
        Some((if larger(cell, most) { cell } else { most }, if larger(least, cell) { cell } else { least }))
    })
}
