//! The upper bound: an enumeration of every observation of the notion.

use crate::error::RecheckError;
use crate::measure::flipped;
use crate::number::{ExtendedNumber, Q, sum};
use crate::question::{Beliefs, Line, Measure, Scenes};
use crate::table::{Data, ExactTable, has};
use num_bigint::BigInt;
use num_traits::{One, Zero};
use std::borrow::Cow;

/// Fails if an observation of the line exceeds the claim; without a claim, if there is an observation.
pub(crate) fn check(
    table: &ExactTable,
    line: &Line,
    claim: Option<&ExtendedNumber>,
    outputs: std::ops::Range<usize>,
) -> Result<(), RecheckError> {
    for output in outputs {
        visit(table, line, output, &mut |place, top, bottom, beliefs| {
            let Some(claim) = claim else { return Err(RecheckError::NotVacuous(place.text(table, output))) };
            let found = match line.measure {
                Measure::Ratio => ExtendedNumber::ratio(top, bottom),
                measure => measure.over(beliefs, top, bottom),
            };
            match found {
                Some(found) if line.measure.is_worse(&found, claim) => Err(RecheckError::Exceeded {
                    claim: claim.to_string(),
                    place: place.text(table, output),
                    found: found.to_string(),
                }),
                _ => Ok(()),
            }
        })?;
    }
    Ok(())
}

/// The approximate microseconds that [`check`] takes for each output.
pub(crate) fn steps(table: &ExactTable, line: &Line) -> u128 {
    let n = table.size() as u32;
    let (power, size) = (|base: u128| base.pow(n), u128::from(n));
    // Skipping a pair of rows that was already compared is cheap.
    let kinds = table.kinds() as u128;
    let pairs = |all: u128| if kinds * kinds <= MOST_PAIRS as u128 { all.min(kinds * kinds + all / 32) } else { all };
    // A ratio is one division. A posterior takes a dozen operations, at both ends of a range.
    let each = if line.measure == Measure::Ratio { 3 } else { 15 };
    // Sums of many fractions have as many digits as all denominators together, and reducing them takes quadratic time.
    let words = table.words();
    let large = words * words / 30;
    match &line.scenes {
        Scenes::OneMore(_) => each * pairs(size * power(2) / 2),
        Scenes::Exchanged(_) => each * pairs(size * size * power(2) / 4),
        Scenes::Any => 10 * power(2) + each,
        Scenes::Apart(most) if *most >= table.size() => 6 * size * power(2) + each,
        Scenes::Apart(most) => each * power(2) * (1..=*most).map(|apart| choose(size, apart as u128)).sum::<u128>(),
        Scenes::OneOf(among) => {
            let maybe = *among as u128;
            3 * each * choose(size, maybe) * maybe * power(2) / 2_u128.pow(n.min(*among as u32))
        }
        Scenes::OneOfRest(among) => 3 * each * choose(size, *among as u128) * *among as u128,
        Scenes::Uniform => size * power(2) / 5 + size * each * (1 + large),
        // Each entity with every set of possible others, and their subsets: two sums of products for each.
        Scenes::Sampled(_) => 4 * size * power(3) + size * power(2) / 2 * each * (1 + large),
        Scenes::Corners(_) => 3 * size * size * power(2) + size * power(2) / 2 * each * (1 + large),
        Scenes::Thinned(_) => 5 * power(3) + power(2) * (1 + large),
        Scenes::Induced(allowed) | Scenes::InducedExchange(allowed) => {
            let exchange = matches!(line.scenes, Scenes::InducedExchange(_));
            match PossibleDatasets::new(table.size(), allowed, exchange).neighbours() {
                Some(pairs) => each * pairs.len() as u128 + (allowed.len() as u128).pow(2),
                None => each * (allowed.len() as u128).pow(3),
            }
        }
    }
}

/// The number of subsets of `part` elements out of `of`.
fn choose(of: u128, part: u128) -> u128 {
    if part > of { 0 } else { (0..part).fold(1, |all, at| all * (of - at) / (at + 1)) }
}

/// The place of an observation.
pub(crate) enum Place {
    Pair(Data, Data),
    /// An entity, the certain members, and the entities that may be in.
    Sum(usize, Data, Data),
}

impl Place {
    fn text(&self, table: &ExactTable, output: usize) -> String {
        let name = table.output_name(output);
        match self {
            Self::Pair(top, bottom) => format!("`{name}` for {} and {}", table.name(*top), table.name(*bottom)),
            Self::Sum(t, sure, maybe) => format!(
                "`{name}` about {}, with {} certain and {} possible",
                table.entity_name(*t),
                table.name(*sure),
                table.name(*maybe)
            ),
        }
    }
}

type Visitor<'a> = dyn FnMut(Place, &Q, &Q, &Beliefs) -> Result<(), RecheckError> + 'a;

/// Calls `see` with each observation's likelihoods and the range of the belief in the event on top.
fn visit(table: &ExactTable, line: &Line, output: usize, see: &mut Visitor<'_>) -> Result<(), RecheckError> {
    let presence = line.presence;
    let oriented = |beliefs: &Beliefs| if presence { beliefs.clone() } else { flipped(beliefs) };
    let any = (Q::zero(), Q::one());
    let n = table.size();
    match &line.scenes {
        Scenes::OneMore(beliefs) => {
            let mut fresh = SeenPairs::new(table);
            for without in table.subsets() {
                for with in (0..n).filter(|t| !has(without, *t)).map(|t| without | 1 << t) {
                    let (top, bottom) = if presence { (with, without) } else { (without, with) };
                    if fresh.is_new(top, bottom) {
                        pair(table, output, top, bottom, &oriented(beliefs), see)?;
                    }
                }
            }
            Ok(())
        }
        Scenes::Thinned(rate) => {
            let values: Vec<Q> = table.subsets().map(|data| thinned(table, output, rate, data)).collect();
            one_more(n, &values, presence, &any, see)
        }
        Scenes::Exchanged(beliefs) => {
            let beliefs = oriented(beliefs);
            let mut fresh = SeenPairs::new(table);
            for data in table.subsets() {
                for (out, new) in (0..n).flat_map(|out| (0..n).map(move |new| (out, new))) {
                    let other = data & !(1 << out) | 1 << new;
                    if has(data, out) && !has(data, new) && fresh.is_new(data, other) {
                        pair(table, output, data, other, &beliefs, see)?;
                    }
                }
            }
            Ok(())
        }
        // The ratio of any two rows is at most that of the largest probability to the smallest.
        Scenes::Any => {
            let all = by_value(table, output, |_| true);
            let (Some(least), Some(most)) = (all.first(), all.get(1..).and_then(<[Data]>::last)) else { return Ok(()) };
            pair(table, output, *most, *least, &any, see)
        }
        Scenes::Apart(most) if *most >= n => {
            for t in 0..n {
                let (with, without) =
                    [true, false].map(|side| by_value(table, output, |data| has(data, t) == side)).into();
                let (top, bottom) = if presence { (with, without) } else { (without, with) };
                if let (Some(top), Some(bottom)) = (top.last(), bottom.first()) {
                    pair(table, output, *top, *bottom, &any, see)?;
                }
            }
            Ok(())
        }
        Scenes::Apart(most) => {
            for differ in table.subsets().filter(|differ| (1..=*most).contains(&(differ.count_ones() as usize))) {
                for top in table.subsets().filter(|top| fits(&line.scenes, presence, *top, top ^ differ)) {
                    pair(table, output, top, top ^ differ, &any, see)?;
                }
            }
            Ok(())
        }
        Scenes::Induced(all) | Scenes::InducedExchange(all) => {
            let exchange = matches!(line.scenes, Scenes::InducedExchange(_));
            if let Some(pairs) = PossibleDatasets::new(n, all, exchange).neighbours() {
                return pairs.into_iter().try_for_each(|(top, bottom)| pair(table, output, top, bottom, &any, see));
            }
            for (top, bottom) in all.iter().flat_map(|top| all.iter().map(move |bottom| (*top, *bottom))) {
                if fits(&line.scenes, presence, top, bottom) {
                    pair(table, output, top, bottom, &any, see)?;
                }
            }
            Ok(())
        }
        Scenes::OneOf(among) => one_of(table, output, *among, false, presence, see),
        Scenes::OneOfRest(among) => one_of(table, output, *among, true, presence, see),
        Scenes::Uniform => {
            let half = Q::new(1.into(), 2.into());
            let others = Q::from_integer(BigInt::from(1) << n.saturating_sub(1));
            for t in 0..n {
                let mean = |side: bool| {
                    let values = table.subsets().filter(|data| has(*data, t) == side);
                    sum(values.filter_map(|data| table.get(output, data).map(Cow::Borrowed))) / &others
                };
                let (top, bottom) = (mean(presence), mean(!presence));
                see(Place::Sum(t, 0, 0), &top, &bottom, &(half.clone(), half.clone()))?;
            }
            Ok(())
        }
        Scenes::Sampled(rate) if rate.is_zero() || rate.is_one() => Ok(()),
        Scenes::Sampled(rate) => {
            for t in 0..n {
                for others in table.subsets().filter(|others| !has(*others, t)) {
                    let belief = |s: usize| if has(others, s) { rate.clone() } else { Q::zero() };
                    let beliefs: Vec<Q> = (0..n).map(belief).collect();
                    let own = oriented(&(rate.clone(), rate.clone()));
                    product(table, output, t, others, &beliefs, presence, &own, see)?;
                }
            }
            Ok(())
        }
        Scenes::Corners(ranges) => {
            for t in 0..n {
                let [top, bottom] = [presence, !presence].map(|side| corners(table, output, t, side, ranges));
                for (corner, (top, bottom)) in top.iter().zip(&bottom).enumerate() {
                    let corner = spread(corner as Data, t);
                    see(Place::Sum(t, 0, corner), top, bottom, &oriented(&ranges[t]))?;
                }
            }
            Ok(())
        }
    }
}

/// The pairs of rows that were compared, where few rows differ: other datasets with the same two rows have the same
/// ratios.
struct SeenPairs<'a> {
    table: &'a ExactTable,
    seen: Vec<bool>,
}

/// Limit on the pairs of rows that are remembered.
const MOST_PAIRS: usize = 1 << 20;

impl<'a> SeenPairs<'a> {
    fn new(table: &'a ExactTable) -> Self {
        let pairs = table.kinds() * table.kinds();
        Self { table, seen: if pairs <= MOST_PAIRS { vec![false; pairs] } else { Vec::new() } }
    }

    fn is_new(&mut self, top: Data, bottom: Data) -> bool {
        let (Some(top), Some(bottom)) = (self.table.kind(top), self.table.kind(bottom)) else { return false };
        match self.seen.get_mut(top * self.table.kinds() + bottom) {
            Some(seen) => !std::mem::replace(seen, true),
            None => true,
        }
    }
}

/// The datasets of one side that have a row, by the probability of the output.
fn by_value(table: &ExactTable, output: usize, kind: impl Fn(Data) -> bool) -> Vec<Data> {
    let mut all: Vec<Data> = table.subsets().filter(|data| kind(*data) && table.row(*data).is_some()).collect();
    all.sort_by_key(|data| table.get(output, *data));
    all
}

fn one_more(
    n: usize,
    values: &[Q],
    presence: bool,
    beliefs: &Beliefs,
    see: &mut Visitor<'_>,
) -> Result<(), RecheckError> {
    for without in 0..values.len() as Data {
        for t in (0..n).filter(|t| !has(without, *t)) {
            let with = without | 1 << t;
            let (top, bottom) = if presence { (with, without) } else { (without, with) };
            see(Place::Pair(top, bottom), &values[top as usize], &values[bottom as usize], beliefs)?;
        }
    }
    Ok(())
}

fn pair(
    table: &ExactTable,
    output: usize,
    top: Data,
    bottom: Data,
    beliefs: &Beliefs,
    see: &mut Visitor<'_>,
) -> Result<(), RecheckError> {
    match (table.get(output, top), table.get(output, bottom)) {
        (Some(high), Some(low)) => see(Place::Pair(top, bottom), high, low, beliefs),
        _ => Ok(()),
    }
}

/// Every set of `among` entities of which one is in, with every set of certain members.
fn one_of(
    table: &ExactTable,
    output: usize,
    among: usize,
    rest_is_in: bool,
    presence: bool,
    see: &mut Visitor<'_>,
) -> Result<(), RecheckError> {
    let n = table.size();
    let share = Q::new(1.into(), among.into());
    let own = if presence { (share.clone(), share) } else { flipped(&(share.clone(), share)) };
    for maybe in table.subsets().filter(|maybe| maybe.count_ones() as usize == among) {
        let others = (table.subsets().end - 1) & !maybe;
        for sure in subsets_of(others).filter(|sure| !rest_is_in || *sure == others) {
            let members: Vec<usize> = (0..n).filter(|t| has(maybe, *t)).collect();
            let values: Option<Vec<&Q>> = members.iter().map(|t| table.get(output, sure | 1 << t)).collect();
            let Some(values) = values else { continue };
            let all = sum(values.iter().copied().map(Cow::Borrowed));
            for (at, t) in members.iter().enumerate() {
                let rest = (&all - values[at]) / Q::from_integer((among - 1).into());
                let (top, bottom) = if presence { (values[at], &rest) } else { (&rest, values[at]) };
                see(Place::Sum(*t, sure, maybe), top, bottom, &own)?;
            }
        }
    }
    Ok(())
}

/// Independent other entities with these beliefs; the belief at `t` is ignored.
#[expect(clippy::too_many_arguments, reason = "one observation, spelt out")]
fn product(
    table: &ExactTable,
    output: usize,
    t: usize,
    shown: Data,
    beliefs: &[Q],
    presence: bool,
    own: &Beliefs,
    see: &mut Visitor<'_>,
) -> Result<(), RecheckError> {
    let maybe: Vec<usize> = (0..beliefs.len()).filter(|s| *s != t && !beliefs[*s].is_zero()).collect();
    let mean = |side: Data| {
        let chosen = |choice: Data| maybe.iter().enumerate().filter(move |(at, _)| has(choice, *at));
        let data = |choice: Data| chosen(choice).fold(side, |data, (_, s)| data | 1 << s);
        let value = |choice: Data| table.get(output, data(choice)).cloned().unwrap_or_else(Q::zero);
        let mut values: Vec<Q> = (0..1 << maybe.len()).map(value).collect();
        // The last entity splits the values in two halves, out and in: their weighted mean is the values for the
        // others.
        for s in maybe.iter().rev() {
            let inside = values.split_off(values.len() / 2);
            let (belief, rest) = (&beliefs[*s], Q::one() - &beliefs[*s]);
            for (out, inside) in values.iter_mut().zip(inside) {
                *out = &*out * &rest + inside * belief;
            }
        }
        values.pop().unwrap_or_else(Q::zero)
    };
    let (with, without) = (mean(1 << t), mean(0));
    let (top, bottom) = if presence { (with, without) } else { (without, with) };
    see(Place::Sum(t, 0, shown), &top, &bottom, own)
}

/// The probability of the output with `t` in or out and every other entity at the lower or the upper end of its belief,
/// for each choice of ends: a choice has a bit for each other entity. Entity by entity, the values with it out and in
/// are replaced by the values at the two ends of its belief.
fn corners(table: &ExactTable, output: usize, t: usize, present: bool, ranges: &[Beliefs]) -> Vec<Q> {
    let side = if present { 1 << t } else { 0 };
    let choices = 0..1 << (table.size() - 1);
    let mut values: Vec<Q> =
        choices.map(|choice| table.get(output, spread(choice, t) | side).cloned().unwrap_or_else(Q::zero)).collect();
    let others = (0..table.size()).filter(|s| *s != t);
    for (at, s) in others.enumerate() {
        for choice in (0..values.len()).filter(|choice| choice >> at & 1 == 0) {
            let (out, step) = (values[choice].clone(), &values[choice | 1 << at] - &values[choice]);
            let end = |belief: &Q| &out + &step * belief;
            let ends = (end(&ranges[s].0), end(&ranges[s].1));
            (values[choice], values[choice | 1 << at]) = ends;
        }
    }
    values
}

/// Inserts a zero bit at `t`.
fn spread(choice: Data, t: usize) -> Data {
    let below = choice & ((1 << t) - 1);
    below | (choice ^ below) << 1
}

/// The datasets that the constraints allow.
struct PossibleDatasets<'a> {
    allowed: &'a [Data],
    is_allowed: Vec<bool>,
    /// Whether an exchange is one move.
    exchange: bool,
}

/// Limit on the datasets tried in the search for one between two others.
const MOST_LOOKS: u128 = 1 << 27;

impl<'a> PossibleDatasets<'a> {
    fn new(entities: usize, allowed: &'a [Data], exchange: bool) -> Self {
        let mut is_allowed = vec![false; 1 << entities];
        allowed.iter().for_each(|data| is_allowed[*data as usize] = true);
        Self { allowed, is_allowed, exchange }
    }

    /// All pairs of neighbours, as defined by [`fits`]; `None` if that takes too long.
    fn neighbours(&self) -> Option<Vec<(Data, Data)>> {
        let mut looks = 0;
        let mut pairs = Vec::new();
        for top in self.allowed {
            for bottom in self.allowed.iter().filter(|bottom| *bottom != top) {
                let (near, some) = self.is_near(*top, *bottom);
                looks += some;
                if looks > MOST_LOOKS {
                    return None;
                }
                if near {
                    pairs.push((*top, *bottom));
                }
            }
        }
        Some(pairs)
    }

    /// Whether no allowed dataset is between the two, and the number of datasets tried. The datasets one move away from
    /// the first are tried before the others, as most datasets between are among them.
    fn is_near(&self, top: Data, bottom: Data) -> (bool, u128) {
        let digits =
            |set: Data| (0..self.is_allowed.len().trailing_zeros()).map(|t| 1 << t).filter(move |bit| set & bit != 0);
        let (gone, new) = (top & !bottom, bottom & !top);
        let mut looks = 0;
        let mut is_between = |moves: Data| {
            looks += 1;
            let data = top ^ moves;
            data != bottom && self.is_allowed[data as usize] && self.between(top, data, bottom)
        };
        let first = digits(gone | new).any(&mut is_between)
            || self.exchange && digits(gone).any(|out| digits(new).any(|into| is_between(out | into)));
        if first {
            return (false, looks);
        }
        let all = self.allowed.iter().any(|data| *data != top && *data != bottom && self.between(top, *data, bottom));
        (!all, looks + self.allowed.len() as u128)
    }

    /// Whether some of the moves between two datasets lead to a third one.
    fn between(&self, top: Data, data: Data, bottom: Data) -> bool {
        let apart = |from: Data, to: Data| match self.exchange {
            false => (from ^ to).count_ones(),
            true => (from & !to).count_ones().max((to & !from).count_ones()),
        };
        apart(top, data) + apart(data, bottom) == apart(top, bottom)
    }
}

/// All subsets of a set, starting with the set itself.
fn subsets_of(set: Data) -> impl Iterator<Item = Data> {
    std::iter::successors(Some(set), move |part| (*part != 0).then(|| (part - 1) & set))
}

/// `Pr[o]` when each member of a dataset is kept with probability `rate`.
pub(crate) fn thinned(table: &ExactTable, output: usize, rate: &Q, data: Data) -> Q {
    let size = data.count_ones();
    let weight = |kept: u32| (0..size).map(|at| if at < kept { rate.clone() } else { Q::one() - rate }).product::<Q>();
    let weights: Vec<Q> = (0..=size).map(weight).collect();
    let mut sum = Q::zero();
    let mut kept = data;
    loop {
        if let Some(value) = table.get(output, kept) {
            sum += &weights[kept.count_ones() as usize] * value;
        }
        if kept == 0 {
            return sum;
        }
        kept = (kept - 1) & data;
    }
}

/// Whether the notion compares this pair of datasets, with the first on top.
pub(crate) fn fits(scenes: &Scenes, presence: bool, top: Data, bottom: Data) -> bool {
    let differ = top ^ bottom;
    let on_top = if presence { top & !bottom } else { bottom & !top };
    match scenes {
        Scenes::OneMore(_) | Scenes::Thinned(_) => differ.count_ones() == 1 && on_top != 0,
        Scenes::Exchanged(_) => differ.count_ones() == 2 && top.count_ones() == bottom.count_ones(),
        Scenes::Any => differ != 0,
        Scenes::Apart(most) => on_top != 0 && differ.count_ones() as usize <= *most,
        // A set of moves is minimal if no proper part of it leads to an allowed dataset.
        Scenes::Induced(allowed) => {
            let nearer = |other: &Data| *other != top && (other ^ top) & !differ == 0 && (other ^ top) != differ;
            differ != 0 && allowed.contains(&top) && allowed.contains(&bottom) && !allowed.iter().any(nearer)
        }
        // A dataset is between the two if a shortest sequence of moves can pass through it: the number of moves to it
        // plus the number from it is the number between the two.
        Scenes::InducedExchange(allowed) => {
            let steps = |from: Data, to: Data| {
                let (gone, new) = ((from & !to).count_ones(), (to & !from).count_ones());
                gone.min(new) + gone.abs_diff(new)
            };
            let on_the_way = |other: &Data| {
                *other != top && *other != bottom && steps(top, *other) + steps(*other, bottom) == steps(top, bottom)
            };
            differ != 0 && allowed.contains(&top) && allowed.contains(&bottom) && !allowed.iter().any(on_the_way)
        }
        Scenes::OneOf(2) => differ.count_ones() == 2 && top.count_ones() == bottom.count_ones(),
        Scenes::OneOf(_) | Scenes::OneOfRest(_) | Scenes::Uniform | Scenes::Sampled(_) | Scenes::Corners(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The pairs of neighbours are those of the definition, for every set of possible datasets of three entities, and
    /// for sparse sets of five.
    #[test]
    fn neighbours_are_those_of_the_definition() {
        let mut sets: Vec<(usize, Vec<Data>)> =
            (0..1_u32 << 8).map(|set| (3, (0..8).filter(|data| set >> data & 1 == 1).collect())).collect();
        sets.extend((1..200_u32).map(|step| {
            let is_in = |data: &Data| (data * 37 + 11) * step % 31 < step % 12 + 2;
            (5, (0..32).filter(is_in).collect())
        }));
        let mut some = 0;
        for (entities, allowed) in sets {
            for exchange in [false, true] {
                let scenes =
                    if exchange { Scenes::InducedExchange(allowed.clone()) } else { Scenes::Induced(allowed.clone()) };
                let all = allowed.iter().flat_map(|top| allowed.iter().map(move |bottom| (*top, *bottom)));
                let plain: Vec<(Data, Data)> = all.filter(|(top, bottom)| fits(&scenes, true, *top, *bottom)).collect();
                assert_eq!(
                    PossibleDatasets::new(entities, &allowed, exchange).neighbours(),
                    Some(plain.clone()),
                    "{allowed:?}"
                );
                some += plain.len();
            }
        }
        assert!(some > 5_000, "{some}");
    }

    #[test]
    fn a_zero_bit_is_inserted() {
        assert_eq!((spread(0b101, 0), spread(0b101, 1), spread(0b101, 3)), (0b1010, 0b1001, 0b0101));
    }
}
