//! Combined conditions: all pairs, longer conjunctions extended from the best pairs, and unions of these.

use super::conditions::{Conditions, words};
use super::{Aim, Candidate, Kind, SHAPED, value};
use crate::event::Event;

/// Conjunctions extended in each round.
const BEAM: usize = 8;
/// Longest conjunction and largest union.
const DEEPEST: usize = 8;
const WIDEST: usize = 6;
/// The smallest increase of the logarithm of the odds ratio for which a condition is added.
const WORTH: f64 = 0.01;
/// Conjunctions kept for unions.
const KEPT: usize = 40;

/// A conjunction, by the indices of its conditions.
#[derive(Clone)]
struct Conjunction {
    of: Vec<usize>,
    hits: (usize, usize),
    value: f64,
}

/// The best so far, without repetitions of the same hits (which are nearly always the same event).
struct Best {
    most: usize,
    list: Vec<Conjunction>,
}

impl Best {
    fn new(most: usize) -> Self {
        Self { most, list: Vec::new() }
    }

    /// The smallest value that is accepted.
    fn least(&self) -> f64 {
        if self.list.len() < self.most {
            f64::NEG_INFINITY
        } else {
            self.list.last().map_or(f64::NEG_INFINITY, |last| last.value)
        }
    }

    fn offer(&mut self, value: f64, hits: (usize, usize), of: impl FnOnce() -> Vec<usize>) {
        if value <= self.least() || self.list.iter().any(|other| other.hits == hits) {
            return;
        }
        let place = self.list.partition_point(|other| other.value >= value);
        self.list.insert(place, Conjunction { of: of(), hits, value });
        self.list.truncate(self.most);
    }
}

fn count(bits: &[u64], side: usize) -> (usize, usize) {
    let ones = |part: &[u64]| part.iter().map(|word| word.count_ones() as usize).sum();
    (ones(&bits[..side]), ones(&bits[side..]))
}

fn count_both(one: &[u64], other: &[u64], side: usize) -> (usize, usize) {
    let ones = |one: &[u64], other: &[u64]| one.iter().zip(other).map(|(a, b)| (a & b).count_ones() as usize).sum();
    (ones(&one[..side], &other[..side]), ones(&one[side..], &other[side..]))
}

/// All candidates built from conditions.
pub(super) fn candidates(conditions: &Conditions, aim: Aim) -> Vec<Candidate> {
    let directions: &[bool] = if aim.one_sided { &[false] } else { &[false, true] };
    let side = words(conditions.half);
    let worth = |hits: (usize, usize), swapped: bool| {
        let (a, b) = if swapped { (hits.1, hits.0) } else { hits };
        value(a, b, conditions.half, SHAPED, aim.confirm)
    };
    let mut singles = [Best::new(KEPT), Best::new(KEPT)];
    let mut pairs = [Best::new(KEPT), Best::new(KEPT)];
    for (at, bits) in conditions.bits.iter().enumerate() {
        let hits = count(bits, side);
        for swapped in directions {
            singles[usize::from(*swapped)].offer(worth(hits, *swapped), hits, || vec![at]);
        }
        for (other, bits_of_other) in conditions.bits[..at].iter().enumerate() {
            let hits = count_both(bits, bits_of_other, side);
            for swapped in directions {
                pairs[usize::from(*swapped)].offer(worth(hits, *swapped), hits, || vec![other, at]);
            }
        }
    }
    let mut found = Vec::new();
    for swapped in directions {
        let worth = |hits| worth(hits, *swapped);
        let (singles, pairs) = (&singles[usize::from(*swapped)].list, &pairs[usize::from(*swapped)].list);
        let deep = deepen(conditions, pairs, &worth);
        let mut push = |ways: &[&Conjunction], kind: Kind, value: f64| {
            let way = |of: &Conjunction| of.of.iter().map(|at| conditions.list[*at].clone()).collect();
            let event = Event::Any(ways.iter().map(|of| way(of)).collect());
            found.push(Candidate { event, swapped: *swapped, value, kind });
        };
        for single in singles.iter().take(BEAM) {
            push(&[single], Kind::Single, single.value);
        }
        for pair in pairs.iter().take(BEAM) {
            push(&[pair], Kind::Both, pair.value);
        }
        for longer in deep.iter().take(BEAM) {
            push(&[longer], Kind::Deep, longer.value);
        }
        let pool: Vec<&Conjunction> = singles.iter().chain(pairs).chain(&deep).collect();
        for start in [singles.first(), pairs.first(), deep.first()].into_iter().flatten() {
            let (ways, value) = unite(conditions, start, &pool, &worth);
            if ways.len() > 1 {
                push(&ways, Kind::Union, value);
            }
        }
    }
    found
}

/// The outputs that meet all of the conditions `of`, as bits.
fn bits_of(conditions: &Conditions, of: &[usize]) -> Vec<u64> {
    let mut bits = vec![u64::MAX; 2 * words(conditions.half)];
    for at in of {
        for (word, other) in bits.iter_mut().zip(&conditions.bits[*at]) {
            *word &= other;
        }
    }
    bits
}

/// Extends conjunctions as long as each further condition increases the value enough.
fn deepen(conditions: &Conditions, pairs: &[Conjunction], worth: &impl Fn((usize, usize)) -> f64) -> Vec<Conjunction> {
    let side = words(conditions.half);
    let mut all = Best::new(KEPT);
    let mut beam: Vec<Conjunction> = pairs.iter().take(BEAM).cloned().collect();
    for _ in 2..DEEPEST {
        let mut next = Best::new(BEAM);
        for short in &beam {
            let bits = bits_of(conditions, &short.of);
            for (at, other) in conditions.bits.iter().enumerate() {
                let hits = count_both(&bits, other, side);
                let value = worth(hits);
                if value > short.value + WORTH && !short.of.contains(&at) {
                    next.offer(value, hits, || short.of.iter().copied().chain([at]).collect());
                }
            }
        }
        if next.list.is_empty() {
            break;
        }
        beam = next.list;
        for longer in &beam {
            all.offer(longer.value, longer.hits, || longer.of.clone());
        }
    }
    all.list
}

/// Adds alternatives to the event while that makes a stronger bound likely.
fn unite<'a>(
    conditions: &Conditions,
    start: &'a Conjunction,
    pool: &[&'a Conjunction],
    worth: &impl Fn((usize, usize)) -> f64,
) -> (Vec<&'a Conjunction>, f64) {
    let side = words(conditions.half);
    let mut ways = vec![start];
    let mut bits = bits_of(conditions, &start.of);
    let mut value = start.value;
    let sets: Vec<Vec<u64>> = pool.iter().map(|way| bits_of(conditions, &way.of)).collect();
    while ways.len() < WIDEST {
        let with = |set: &Vec<u64>| {
            let joined: Vec<u64> = bits.iter().zip(set).map(|(a, b)| a | b).collect();
            worth(count(&joined, side))
        };
        let best = sets.iter().map(with).enumerate().max_by(|one, other| one.1.total_cmp(&other.1));
        let Some((at, better)) = best.filter(|(_, better)| *better > value + WORTH) else { break };
        ways.push(pool[at]);
        for (word, other) in bits.iter_mut().zip(&sets[at]) {
            *word |= other;
        }
        value = better;
    }
    (ways, value)
}
