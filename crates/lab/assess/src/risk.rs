//! The chance that somebody is re-identified, for the three attackers of El Emam (*Guide to the De-Identification of Personal
//! Health Information*, 2013).
//!
//! A class has `f` people in the table and `F ≥ f` in the population that the table was drawn from; `n` is the size of the table.
//!
//! | attacker | knows | one person | average |
//! |---|---|---|---|
//! | prosecutor | that the person is in the table | `1/f` | `classes/n` |
//! | journalist | only that they are in the population | `1/F` | `(1/n) Σ f/F` |
//! | marketer | wants as many as possible, right or wrong | | expected share `(1/n) Σ f/F` |
//!
//! `F` needs a background that lists the population. Without one, `F ≥ f` makes the prosecutor's numbers upper bounds. Where
//! recodings overlap, somebody whom a class covers may have been published in another, so `F` is at least the people whom no
//! other class covers, and the numbers are upper bounds again.

use crate::classes::Classes;
use crate::fraction::{At, Fraction, largest, sum};
use deniable_core::exact::{Rational, whole};
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// What an attacker who looks for one person reaches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attacker {
    /// The largest chance, and the class.
    pub highest: At<Fraction>,
    /// The mean chance over the people of the table.
    pub average: Rational,
    /// The share of people whose chance is above the threshold.
    pub above: Rational,
}

/// A number, exactly or as an upper bound.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExactOrBound<T> {
    /// The number itself, computed with a background.
    Exactly(T),
    /// Without a background, or where recodings overlap: what the true one is at most.
    AtMost(T),
}

impl<T> ExactOrBound<T> {
    /// The number, exact or a bound.
    #[must_use]
    pub fn value(&self) -> &T {
        match self {
            Self::Exactly(value) | Self::AtMost(value) => value,
        }
    }
}

/// The people of each class in the population.
#[derive(Debug, Clone, Copy)]
pub enum Population<'a> {
    /// Nothing is known of the population.
    Unknown,
    /// At least so many, and no fewer than its rows.
    AtLeast(&'a [u64]),
    /// The number of people of each class in the background.
    Exactly(&'a [u64]),
}

/// The chances of the three attackers: prosecutor, journalist and marketer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Risk {
    /// The chance above which a person counts as at risk.
    pub threshold: Rational,
    /// Knows that the person is in the table.
    pub prosecutor: Attacker,
    /// Knows that the person is in the population.
    pub journalist: ExactOrBound<Attacker>,
    /// The expected share of people who are re-identified.
    pub marketer: ExactOrBound<Rational>,
}

impl Risk {
    /// Of some classes, and the people of each in the population. `None` for a table without people.
    #[must_use]
    pub fn of(classes: &Classes, population: Population<'_>, threshold: &Rational) -> Option<Self> {
        let prosecutor = attacker(classes, classes.sizes(), threshold)?;
        let (journalist, marketer) = match population {
            Population::Exactly(people) => {
                let journalist = attacker(classes, people, threshold)?;
                let share = journalist.average.clone();
                (ExactOrBound::Exactly(journalist), ExactOrBound::Exactly(share))
            }
            Population::AtLeast(people) => {
                let journalist = attacker(classes, people, threshold)?;
                let share = journalist.average.clone();
                (ExactOrBound::AtMost(journalist), ExactOrBound::AtMost(share))
            }
            Population::Unknown => {
                (ExactOrBound::AtMost(prosecutor.clone()), ExactOrBound::AtMost(prosecutor.average.clone()))
            }
        };
        Some(Self { threshold: threshold.clone(), prosecutor, journalist, marketer })
    }
}

/// The chance `1/among` for the people of each class.
pub(crate) fn chances(among: &[u64]) -> impl Iterator<Item = Fraction> + '_ {
    among.iter().map(|among| Fraction::new(1_u64, *among))
}

fn attacker(classes: &Classes, among: &[u64], threshold: &Rational) -> Option<Attacker> {
    // Few sizes, many classes.
    let mut people: BTreeMap<u64, u64> = BTreeMap::new();
    for (among, size) in among.iter().zip(classes.sizes()) {
        *people.entry(*among).or_default() += size;
    }
    let terms: Vec<(u64, u64)> = people.iter().map(|(among, people)| (*people, *among)).collect();
    let exposed =
        people.iter().filter(|(among, _)| Fraction::new(1_u64, **among).against(threshold) == Ordering::Greater);
    let all = whole(classes.people());
    Some(Attacker {
        highest: largest(chances(among))?,
        average: sum(&terms) / &all,
        above: whole(exposed.map(|(_, people)| *people).sum::<u64>()) / all,
    })
}
