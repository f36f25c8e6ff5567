//! Observers of a public size with beliefs in a range (F-DB[a,b]), where pairs of datasets do not attain the bound.
//!
//! **Up to three people.** An observer who considers two or three datasets of one size possible gives them
//! probabilities `q`, `r`, `s` that are beliefs of the range (or, if one of the people is out, one minus such a
//! belief). For a given probability `q` of the world in question, the measure is monotone in `r`, so the worst observer
//! is on an edge, where `r` or `s` is an end of the range. A claim holds there if two polynomials of degree two in `q`
//! are not above zero, which their values at three points decide.
//!
//! **More people.** The weights of any two sets of the uncertain people differ by at most a factor `O^i`, with `i` the
//! number of members in which they differ and `O` the ratio of the odds at the two ends of the range. So every set of
//! `k` among the `m` others has a weight of at least the inverse of `Σ_i C(k,i)·C(m−k,i)·O^i`.

use crate::error::RecheckError;
use crate::measure::flipped;
use crate::number::{ExtendedNumber, Q};
use crate::question::{Beliefs, Line, Measure};
use crate::table::{Data, ExactTable, has};
use num_traits::{One, Signed, Zero};

/// Limit on the people for whom the second rule is tried.
const MAX_PEOPLE: usize = 7;

/// The approximate microseconds that [`check`] takes for each output.
pub(crate) fn steps(table: &ExactTable) -> u128 {
    let n = table.size() as u32;
    if table.size() > MAX_PEOPLE { 0 } else { 400 + 2 * u128::from(n) * 4_u128.pow(n) }
}

/// Whether the claim holds, if one of the rules decides; `None` if neither does.
pub(crate) fn check(
    table: &ExactTable,
    line: &Line,
    range: &Beliefs,
    claim: &ExtendedNumber,
    outputs: std::ops::Range<usize>,
) -> Option<Result<(), RecheckError>> {
    let claim = match claim {
        ExtendedNumber::Finite(claim) => claim,
        ExtendedNumber::Infinite => return Some(Ok(())),
    };
    let mut outputs = outputs;
    if table.size() <= 3 {
        return Some(outputs.try_for_each(|output| few(table, line, range, claim, output)));
    }
    if table.size() > MAX_PEOPLE || range.0.is_zero() || range.1.is_one() {
        return None;
    }
    outputs.all(|output| many(table, line, range, claim, output)).then_some(Ok(()))
}

/// One of two or three people is in, or all but one of them are.
fn few(table: &ExactTable, line: &Line, range: &Beliefs, claim: &Q, output: usize) -> Result<(), RecheckError> {
    for base in table.subsets() {
        for adds in [true, false] {
            let worlds = (0..table.size()).filter(|t| has(base, *t) != adds).map(|t| base ^ 1 << t);
            let worlds: Vec<(Data, &Q)> = worlds.filter_map(|data| Some((data, table.get(output, data)?))).collect();
            let share = if adds { range.clone() } else { flipped(range) };
            let own_on_top = line.presence == adds;
            for (at, (own, alone)) in worlds.iter().enumerate() {
                let rest: Vec<&Q> =
                    worlds.iter().enumerate().filter(|(k, _)| *k != at).map(|(_, world)| world.1).collect();
                for [from, to] in edges(&share, &rest) {
                    let side = |end: &(Q, Q)| (end.0.clone(), (*alone).clone(), end.1.clone());
                    if !kept(line.measure, own_on_top, [side(&from), side(&to)], claim) {
                        return Err(RecheckError::Exceeded {
                            claim: claim.to_string(),
                            place: format!("{}, with beliefs from {} to {}", table.says(output, *own), from.0, to.0),
                            found: "more".to_owned(),
                        });
                    }
                }
            }
        }
    }
    Ok(())
}

/// The ends of every edge: the probability of the own world, and the sum over the others of their probabilities times
/// the output's.
fn edges(range: &Beliefs, rest: &[&Q]) -> Vec<[(Q, Q); 2]> {
    let (low, high) = range;
    let mut edges = Vec::new();
    // A single other world has the remaining probability; of two, one is at an end of the range, and the other has the
    // rest.
    let mut edge = |fixed: Q, sum: Q, last: &Q| {
        let left = Q::one() - fixed;
        let least = (&left - high).max(low.clone());
        let most = (&left - low).min(high.clone());
        if least <= most {
            edges.push([least, most].map(|own| (own.clone(), &sum + (&left - own) * last)));
        }
    };
    for (at, last) in rest.iter().enumerate() {
        edge(Q::zero(), Q::zero(), last);
        for (_, other) in rest.iter().enumerate().filter(|(k, _)| *k != at) {
            for end in [low, high] {
                edge(end.clone(), end * *other, last);
            }
        }
    }
    edges
}

/// Whether the claim holds for all observers between two: each given by the own probability `q`, the output's
/// probability there, and the sum `L`.
fn kept(measure: Measure, own_on_top: bool, [from, to]: [(Q, Q, Q); 2], claim: &Q) -> bool {
    let half = Q::new(1.into(), 2.into());
    let middle = ((&from.0 + &to.0) * &half, from.1.clone(), (&from.2 + &to.2) * &half);
    let values = [from, middle, to].map(|(own, alone, rest)| beyond(measure, own_on_top, &own, &alone, &rest, claim));
    let [first, middle, last] = values;
    (0..first.len()).all(|k| never_positive(&first[k], &middle[k], &last[k]))
}

/// Above zero if the claim is broken, and at most quadratic in the own probability.
fn beyond(measure: Measure, own_on_top: bool, own: &Q, alone: &Q, rest: &Q, claim: &Q) -> Vec<Q> {
    let all = own * alone + rest;
    let other = Q::one() - own;
    // The prior belief in the event on top is p, in its opposite 1 − p; the parts of the output's probability are
    // proportional to the posteriors.
    let (belief, with, reverse, without) =
        if own_on_top { (own, own * alone, &other, rest.clone()) } else { (&other, rest.clone(), own, own * alone) };
    // The own world's probability cancels.
    let grows = if own_on_top { alone - claim * &all } else { &with - claim * belief * &all };
    let falls = if own_on_top { reverse * &all - claim * &without } else { &all - claim * alone };
    match measure {
        Measure::Gain => vec![grows, falls],
        Measure::Fall => vec![falls],
        Measure::Highest => vec![with - claim * all],
        // The belief in the opposite is at least the claim.
        Measure::Lowest => vec![claim * all - without],
        Measure::Ratio => vec![reverse * with - claim * belief * without],
        // These measures are not used for observers of a public size.
        Measure::Alpha | Measure::Beta => vec![Q::one()],
    }
}

/// Whether a quadratic is nowhere above zero between two points, by its values at both and in the middle.
fn never_positive(first: &Q, middle: &Q, last: &Q) -> bool {
    let number = |value: i64| Q::from_integer(value.into());
    let square = number(2) * (first + last) - number(4) * middle;
    let linear = number(4) * middle - number(3) * first - last;
    if first.is_positive() || last.is_positive() {
        return false;
    }
    let vertex_between = square.is_negative() && linear.is_positive() && linear < number(-2) * &square;
    !vertex_between || &linear * &linear <= number(4) * first * square
}

/// Whether no set of uncertain people exceeds the claim, by the least weights of sets.
fn many(table: &ExactTable, line: &Line, range: &Beliefs, claim: &Q, output: usize) -> bool {
    let odds = |belief: &Q| belief / (Q::one() - belief);
    let apart = odds(&range.1) / odds(&range.0);
    let own = if line.presence { range.clone() } else { flipped(range) };
    let everybody = table.subsets().end - 1;
    let subsets = |of: Data| table.subsets().filter(move |part| part & !of == 0);
    for t in 0..table.size() {
        let others = everybody & !(1 << t);
        for open in subsets(others).filter(|open| *open != 0) {
            for sure in subsets(others & !open) {
                for size in 1..=open.count_ones() {
                    let people = Q::from_integer((open.count_ones() + 1).into());
                    let number = Q::from_integer(size.into());
                    if number < &people * &range.0 || number > people * &range.1 {
                        continue;
                    }
                    let side = |fixed: Data, count: u32| -> Vec<Option<&Q>> {
                        let parts = subsets(open).filter(|part| part.count_ones() == count);
                        parts.map(|part| table.get(output, sure | fixed | part)).collect()
                    };
                    let (with, without) = (side(1 << t, size - 1), side(0, size));
                    let (top, bottom, count) =
                        if line.presence { (with, without, size) } else { (without, with, size - 1) };
                    let (Some(top), Some(bottom)) =
                        (top.into_iter().collect::<Option<Vec<_>>>(), bottom.into_iter().collect::<Option<Vec<_>>>())
                    else {
                        continue;
                    };
                    let (Some(top), Some(bottom)) = (top.into_iter().max(), bottom.into_iter().max()) else { continue };
                    let top = top * spread(count, open.count_ones(), &apart);
                    let found = line.measure.over(&own, &top, bottom);
                    if found.is_some_and(|found| line.measure.is_worse(&found, &ExtendedNumber::Finite(claim.clone())))
                    {
                        return false;
                    }
                }
            }
        }
    }
    true
}

/// The factor between the weight of one set and the sum of all sets of `count` among `of`, at most.
fn spread(count: u32, of: u32, apart: &Q) -> Q {
    let choose = |of: u32, part: u32| {
        (0..part).fold(Q::one(), |all, k| all * Q::from_integer((of - k).into()) / Q::from_integer((k + 1).into()))
    };
    let mut power = Q::one();
    let mut sum = Q::zero();
    for swapped in 0..=count.min(of - count) {
        sum += choose(count, swapped) * choose(of - count, swapped) * &power;
        power *= apart;
    }
    sum
}
