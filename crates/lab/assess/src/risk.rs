//! The chance that a person is re-identified, for the three attackers of El Emam (*Guide to the De-Identification of
//! Personal Health Information*, 2013).
//!
//! A class has `f` people in the table and `F ≥ f` in the population that the table was drawn from; `n` is the size of the table.
//!
//! | attacker | knowledge or aim | one person | average |
//! |---|---|---|---|
//! | prosecutor | that the person is in the table | `1/f` | `classes/n` |
//! | journalist | only that they are in the population | `1/F` | `(1/n) Σ f/F` |
//! | marketer | to identify as many people as possible, right or wrong | | expected share `(1/n) Σ f/F` |
//!
//! `F` needs a background that lists the population. Without one, `F ≥ f` makes the prosecutor's numbers upper bounds.
//! If recodings overlap, a person whom a class covers may have been published in another, so `F` is bounded from below
//! by the people whom no other class covers, and the numbers are upper bounds again.

use crate::classes::Classes;
use crate::fraction::{At, Fraction, largest, sum};
use crate::number::{Number, number};
use deniable_core::exact::{Rational, whole};
use serde::Serialize;
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// The chances of an attacker who searches for one person. The highest chance names its class, or no class if classes
/// are people's raw values.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(bound = "H: Number")]
pub struct Attacker<H = At<Fraction>> {
    /// The largest chance.
    #[serde(serialize_with = "number")]
    pub highest: H,
    /// The mean chance over the people of the table.
    #[serde(serialize_with = "number")]
    pub average: Rational,
    /// The share of people whose chance is above the threshold.
    #[serde(rename = "above_threshold", serialize_with = "number")]
    pub above: Rational,
}

/// A chance of an attacker who does not know who is in the table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OfPopulation<T> {
    /// The exact number if a background lists the population. Without a background, or if recodings overlap, an upper
    /// bound.
    #[serde(flatten)]
    pub value: T,
    /// Whether the number is an upper bound.
    pub is_upper_bound: bool,
}

/// The expected share of people who are re-identified.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Marketer {
    /// The share, from 0 to 1.
    #[serde(serialize_with = "number")]
    pub share: Rational,
}

/// The people of each class in the population.
#[derive(Debug, Clone, Copy)]
pub enum Population<'a> {
    /// Unknown: there is no background.
    Unknown,
    /// A lower bound, at least the rows of each class.
    AtLeast(&'a [u64]),
    /// The number of people of each class in the background.
    Exactly(&'a [u64]),
}

/// The chances of the three attackers: prosecutor, journalist and marketer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(bound = "H: Number")]
pub struct Risk<H = At<Fraction>> {
    /// The chance above which a person counts as at risk.
    #[serde(serialize_with = "number")]
    pub threshold: Rational,
    /// The attacker who knows that the person is in the table.
    pub prosecutor: Attacker<H>,
    /// The attacker who knows that the person is in the population.
    pub journalist: OfPopulation<Attacker<H>>,
    /// The attacker who wants to identify as many people as possible.
    pub marketer: OfPopulation<Marketer>,
}

impl Risk {
    /// Computes the chances from the classes and the people of each in the population. `None` for a table without
    /// people.
    #[must_use]
    pub fn of(classes: &Classes, population: Population<'_>, threshold: &Rational) -> Option<Self> {
        let prosecutor = attacker(classes, classes.sizes(), threshold)?;
        let journalist = match population {
            Population::Exactly(people) | Population::AtLeast(people) => attacker(classes, people, threshold)?,
            Population::Unknown => prosecutor.clone(),
        };
        let is_upper_bound = !matches!(population, Population::Exactly(_));
        let marketer = OfPopulation { value: Marketer { share: journalist.average.clone() }, is_upper_bound };
        let journalist = OfPopulation { value: journalist, is_upper_bound };
        Some(Self { threshold: threshold.clone(), prosecutor, journalist, marketer })
    }

    /// The same numbers without the names of classes.
    #[must_use]
    pub fn without_classes(self) -> Risk<Fraction> {
        let unnamed =
            |Attacker { highest, average, above }: Attacker| Attacker { highest: highest.value, average, above };
        let OfPopulation { value, is_upper_bound } = self.journalist;
        Risk {
            threshold: self.threshold,
            prosecutor: unnamed(self.prosecutor),
            journalist: OfPopulation { value: unnamed(value), is_upper_bound },
            marketer: self.marketer,
        }
    }
}

/// The chance `1/among` for the people of each class.
pub(crate) fn chances(among: &[u64]) -> impl Iterator<Item = Fraction> + '_ {
    among.iter().map(|among| Fraction::new(1_u64, *among))
}

fn attacker(classes: &Classes, among: &[u64], threshold: &Rational) -> Option<Attacker> {
    // There are few sizes and many classes.
    let mut people: BTreeMap<u64, u64> = BTreeMap::new();
    for (among, size) in among.iter().zip(classes.sizes()) {
        *people.entry(*among).or_default() += size;
    }
    let terms: Vec<(u64, u64)> = people.iter().map(|(among, people)| (*people, *among)).collect();
    let exposed =
        people.iter().filter(|(among, _)| Fraction::new(1_u64, **among).against(threshold) == Ordering::Greater);
    let all = whole(classes.people());
    Some(Attacker {
        highest: largest(classes, chances(among))?,
        average: sum(&terms) / &all,
        above: whole(exposed.map(|(_, people)| *people).sum::<u64>()) / all,
    })
}
