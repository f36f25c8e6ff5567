//! Dice and small mechanisms for the tests.
#![allow(dead_code, reason = "each test file uses a part of it")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may stop")]

use deniable_check::Bound;
use deniable_check::decide::decide;
use deniable_check::family::Family;
use deniable_check::mechanism::{Dataset, Mechanism};
use deniable_check::notion::{Notion, Sign};
use deniable_check::verdict::{Value, Verdict, Witness};
use deniable_core::exact::{Rational, ratio, whole};
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// Seeded, so that a failure repeats.
pub struct Dice(ChaCha20Rng);

impl Dice {
    pub fn new(seed: u64) -> Self {
        Self(ChaCha20Rng::seed_from_u64(seed))
    }

    pub fn between(&mut self, low: i64, high: i64) -> i64 {
        let span = u64::try_from(high - low + 1).unwrap();
        low + i64::try_from(self.0.next_u64() % span).unwrap()
    }

    /// A distribution with weights from `least` (0 if negative) to `most`.
    pub fn distribution(&mut self, outcomes: usize, least: i64, most: i64) -> Vec<Rational> {
        loop {
            let weights: Vec<i64> = (0..outcomes).map(|_| self.between(least, most).max(0)).collect();
            let sum: i64 = weights.iter().sum();
            if sum > 0 {
                return weights.iter().map(|weight| ratio(*weight, sum)).collect();
            }
        }
    }
}

const NAMES: [&str; 8] = ["a", "b", "c", "d", "e", "f", "g", "h"];

pub fn mechanism(entities: usize, outputs: usize, row: impl FnMut(Dataset) -> Vec<Rational>) -> Mechanism {
    Mechanism::new(&NAMES[..entities], &NAMES[..outputs], (0..1_u32 << entities).map(row).collect()).unwrap()
}

pub fn random(entities: usize, outputs: usize, least: i64, most: i64, dice: &mut Dice) -> Mechanism {
    mechanism(entities, outputs, |_| dice.distribution(outputs, least, most))
}

/// The exact value of a function of the data.
pub fn exact(entities: usize, outputs: usize, function: impl Fn(Dataset) -> usize) -> Mechanism {
    mechanism(entities, outputs, |data| (0..outputs).map(|output| whole(i32::from(function(data) == output))).collect())
}

pub fn row(mechanism: &Mechanism, data: Dataset) -> Vec<Rational> {
    (0..mechanism.outputs().len()).map(|output| mechanism.probability(output, data)).collect()
}

/// Both answers, with independent noise.
pub fn and(one: &Mechanism, other: &Mechanism) -> Mechanism {
    let outputs = one.outputs().len() * other.outputs().len();
    mechanism(one.size(), outputs, |data| {
        let others = row(other, data);
        row(one, data).iter().flat_map(|p| others.iter().map(move |q| p * q).collect::<Vec<_>>()).collect()
    })
}

/// One or the other by a coin; `public` shows which.
pub fn mixture(one: &Mechanism, other: &Mechanism, public: bool) -> Mechanism {
    let half = |row: Vec<Rational>| row.into_iter().map(|p| p / whole(2)).collect::<Vec<_>>();
    let outputs = one.outputs().len() * if public { 2 } else { 1 };
    mechanism(one.size(), outputs, |data| {
        let (first, second) = (half(row(one, data)), half(row(other, data)));
        if public { [first, second].concat() } else { first.iter().zip(&second).map(|(p, q)| p + q).collect() }
    })
}

/// The answer turned into something else at random.
pub fn then(first: &Mechanism, kernel: &[Vec<Rational>]) -> Mechanism {
    let outputs = kernel[0].len();
    mechanism(first.size(), outputs, |data| {
        (0..outputs).map(|out| row(first, data).iter().zip(kernel).map(|(p, to)| p * &to[out]).sum()).collect()
    })
}

/// The ratio between two datasets, both ways.
pub fn apart(mechanism: &Mechanism, left: Dataset, right: Dataset) -> Bound {
    let (left, right) = (row(mechanism, left), row(mechanism, right));
    let pairs = left.iter().zip(&right);
    pairs.flat_map(|(p, q)| [Bound::of(p, q), Bound::of(q, p)]).flatten().max().unwrap()
}

pub fn verdict(mechanism: &Mechanism, notion: &Notion) -> Verdict {
    decide(mechanism, notion, &Family::All).unwrap()
}

pub fn value(mechanism: &Mechanism, notion: &Notion) -> Bound {
    match verdict(mechanism, notion).value {
        Value::Attained(value) | Value::Vacuous(value) => value,
        other => panic!("{other:?} is not attained"),
    }
}

pub fn dp(mechanism: &Mechanism) -> Bound {
    value(mechanism, &Notion::Unbounded { sign: Sign::Both })
}

/// The bracket of zero-knowledge privacy, after its proofs were checked from scratch.
pub fn zero_knowledge(mechanism: &Mechanism, rows: usize) -> (Bound, Bound) {
    let verdict = verdict(mechanism, &Notion::ZeroKnowledge { rows });
    let (low, high) = (verdict.value.low().clone(), verdict.value.high().clone());
    let Some(Witness::Simulation(simulation)) = verdict.witness else { panic!("no simulation") };
    assert_eq!((simulation.lower(mechanism), simulation.upper(mechanism)), (low.clone(), high.clone()));
    match (&low, &high) {
        (Bound::Finite(low), Bound::Finite(high)) => {
            assert!(low <= high && (high - low) * whole(1_000_000) < *low, "{low} .. {high}");
        }
        (low, high) => assert_eq!(low, high),
    }
    (low, high)
}
