//! Entropy l-diversity, decided exactly.
//!
//! A class with counts `n_i` that sum to `n` has entropy `H = ln n − (1/n) Σ n_i ln n_i`; it is entropy l-diverse when
//! `H ≥ ln l`, so the largest such `l` is `e^H` (Machanavajjhala et al. 2007). `H ≥ ln l` means `nⁿ ≥ lⁿ Π n_i^{n_i}`,
//! where common divisors of the counts cancel. Enclosures of logarithms decide all cases but ties; small counts are
//! decided in whole numbers.

use crate::classes::{Classes, Secret};
use crate::error::AssessError;
use crate::fraction::At;
use deniable_core::exact::{Enclosure, Rational, Rounding, decimal, whole};
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{Pow, ToPrimitive};
use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};

/// The first precision tried, in bits.
const FIRST_BITS: u32 = 128;
const LAST_BITS: u32 = 4096;
/// Largest size of powers, in bits (about), that are computed in whole numbers.
const WHOLE_BITS: u64 = 1 << 20;

/// Counts of values, largest first, divided by their greatest common divisor.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Profile(Vec<u64>);

impl Profile {
    /// The profile of these counts; zeros are ignored.
    #[must_use]
    pub fn of(counts: impl Iterator<Item = u64>) -> Self {
        let mut counts: Vec<u64> = counts.filter(|count| *count > 0).collect();
        counts.sort_unstable_by(|a, b| b.cmp(a));
        let common = counts.iter().fold(0, |common: u64, count| common.gcd(count)).max(1);
        counts.iter_mut().for_each(|count| *count /= common);
        Self(counts)
    }

    fn people(&self) -> u64 {
        self.0.iter().sum()
    }

    /// An enclosure of the entropy, computed with this many bits.
    #[must_use]
    pub fn entropy(&self, bits: u32) -> Enclosure {
        let people = self.people().max(1);
        let mut sum = Enclosure::ln(&whole(people), bits);
        // Equal counts are adjacent.
        for run in self.0.chunk_by(|a, b| a == b) {
            if let Some(count) = run.first().filter(|count| **count > 1) {
                let weight = -(whole(*count) * whole(run.len()) / whole(people));
                sum = sum.plus(&Enclosure::ln(&whole(*count), bits).times(&weight));
            }
        }
        sum
    }

    /// Whether the entropy is at least `ln l`, exactly.
    ///
    /// # Errors
    /// [`AssessError::Undecided`] for large counts whose entropy is closer to `ln l` than some 4,000 bits can separate.
    pub fn is_diverse(&self, l: &Rational) -> Result<bool, AssessError> {
        let values = whole(self.0.len());
        if *l <= whole(1) || *l > values {
            return Ok(*l <= whole(1));
        }
        let is_even = self.0.iter().all(|count| *count == 1);
        if is_even || *l == values {
            return Ok(is_even);
        }
        let mut bits = FIRST_BITS;
        while bits <= LAST_BITS {
            match self.entropy(bits).certainly_cmp(&Enclosure::ln(l, bits)) {
                Some(order) => return Ok(order == Ordering::Greater),
                None if bits == FIRST_BITS => {
                    if let Some(exact) = self.in_whole_numbers(l) {
                        return Ok(exact);
                    }
                }
                None => {}
            }
            bits *= 2;
        }
        Err(AssessError::Undecided { what: format!("entropy diversity of at least {l}"), bits: LAST_BITS })
    }

    fn in_whole_numbers(&self, l: &Rational) -> Option<bool> {
        let people = self.people();
        let size = l.numer().bits().max(l.denom().bits()) + u64::from(people.ilog2()) + 1;
        if people.checked_mul(size)? > WHOLE_BITS {
            return None;
        }
        let power = |base: BigInt, exponent: u64| u32::try_from(exponent).ok().map(|exponent| base.pow(exponent));
        let left = power(l.denom() * people, people)?;
        let mut right = power(l.numer().clone(), people)?;
        for count in &self.0 {
            right *= power((*count).into(), *count)?;
        }
        Some(left >= right)
    }
}

/// The least entropy of all classes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeastEntropy {
    /// An enclosure of the entropy, in nats.
    pub entropy: Enclosure,
    /// `e^H` itself, if all values of the class are equally frequent: the number of values.
    pub whole: Option<u64>,
}

impl LeastEntropy {
    /// The largest `l`, as a decimal that is not above it.
    #[must_use]
    pub fn l(&self, places: u32) -> String {
        if let Some(values) = self.whole {
            return values.to_string();
        }
        // Entropy is never negative, so `l` is at least 1.
        decimal(&self.entropy.exp().low().max(whole(1)), places, Rounding::Down)
    }
}

/// `H` in floats, for screening: its error is far below the margin.
fn screened(entries: &[(u32, u64)]) -> f64 {
    let float = |count: u64| count.to_f64().unwrap_or(f64::MAX);
    let people: u64 = entries.iter().map(|(_, count)| count).sum();
    let logs: f64 =
        entries.iter().filter(|(_, count)| *count > 1).map(|(_, count)| float(*count) * float(*count).ln()).sum();
    float(people).ln() - logs / float(people)
}

/// An upper bound on the error of [`screened`]: each of its steps errs by some 2⁻⁵³ of numbers below 40.
fn margin(entries: usize) -> f64 {
    1e-13 * (entries.to_f64().unwrap_or(f64::MAX) + 100.0)
}

/// The class with the least entropy; `None` for a table without classes.
///
/// Floats exclude the classes that are farther from the least entropy than their error; enclosures order the rest.
/// Classes that 1,024 bits cannot separate count as equal, and the first is named.
#[must_use]
pub fn least(classes: &Classes, secret: &Secret) -> Option<At<LeastEntropy>> {
    let values: Vec<f64> = classes.all().map(|class| screened(secret.of(class))).collect();
    let smallest = values.iter().copied().fold(f64::INFINITY, f64::min);
    let near = 2.0 * margin(secret.values.len());
    let mut profiles: HashSet<Profile> = HashSet::new();
    let mut best: Option<(u32, Profile)> = None;
    for (class, _) in (0..).zip(&values).filter(|(_, value)| **value <= smallest + near) {
        let profile = Profile::of(secret.of(class).iter().map(|(_, count)| *count));
        if profiles.contains(&profile) {
            continue;
        }
        profiles.insert(profile.clone());
        let is_less = best.as_ref().is_none_or(|(_, best)| {
            [128, 256, 512, 1024].into_iter().find_map(|bits| profile.entropy(bits).certainly_cmp(&best.entropy(bits)))
                == Some(Ordering::Less)
        });
        if is_less {
            best = Some((class, profile));
        }
    }
    best.map(|(class, profile)| {
        let is_even = profile.0.iter().all(|count| *count == 1);
        let whole = is_even.then_some(profile.0.len() as u64);
        At { value: LeastEntropy { entropy: profile.entropy(192), whole }, class: classes.name(class) }
    })
}

/// Decides for one class after another whether it is entropy l-diverse, and caches the decisions.
pub(crate) struct Decider<'l> {
    l: &'l Rational,
    log: f64,
    known: HashMap<Profile, bool>,
}

impl<'l> Decider<'l> {
    pub(crate) fn new(l: &'l Rational) -> Self {
        Self { l, log: l.to_f64().unwrap_or(f64::NAN).ln(), known: HashMap::new() }
    }

    pub(crate) fn holds(&mut self, entries: &[(u32, u64)]) -> Result<bool, AssessError> {
        let away = screened(entries) - self.log;
        if away.abs() > margin(entries.len()) {
            return Ok(away > 0.0);
        }
        let profile = Profile::of(entries.iter().map(|(_, count)| *count));
        if let Some(known) = self.known.get(&profile) {
            return Ok(*known);
        }
        let holds = profile.is_diverse(self.l)?;
        self.known.insert(profile, holds);
        Ok(holds)
    }
}
