//! Beliefs about presence: the odds that a person is in a published table.
//!
//! The recoding is assumed to be public and a function of a person's own values, and the background to list all people
//! who could be in the table. A class `c` then covers `M` people, of whom `n` are in; only which of them is unknown.
//! Beliefs are mutually independent (F-DI), with prior odds `w_i` of each person, and none of them is certain.
//!
//! **Odds ratio of one person.** With the odds `w` of the other people,
//! `Pr[n of M | in] / Pr[n of M | out] = e_{n−1}(w)/e_n(w)`, where `e_j` is the elementary symmetric polynomial over
//! the other `M−1` people: sums over all sets of `n−1`, or of `n`, of them; the factor `Π 1/(1+w_i)` cancels, and other
//! classes add no information since people are independent.
//!
//! **It falls in every `w_i`.** Write `e_j = e'_j + w_i e'_{j−1}` with `e'` over the people except `i`. The derivative
//! of `(e'_{n−1} + w e'_{n−2})/(e'_n + w e'_{n−1})` has the sign of `e'_{n−2}e'_n − e'_{n−1}²`, which is not positive
//! by Newton's inequality. So over priors in `[a,b]`, with `A = a/(1−a)` and `B = b/(1−b)`, its extremes are attained
//! when all other people have odds `B`, or all have `A`: `C(M−1,n−1)w^{n−1} / C(M−1,n)w^n = n/((M−n)w)`. The odds ratio
//! is from `n/((M−n)B)` to `n/((M−n)A)`, both attained.
//!
//! `M = n`: every person whom the class covers is certainly in. `n = 0` (a type that no class covers): certainly out.
//!
//! **If certainty about other people is allowed**, the odds ratio is unbounded, whatever the counts: for an observer
//! who knows that exactly `n−1` other people of the class are in, the last person is certainly in; if the observer knows
//! that `n` of them are in, the last person is certainly out.

use crate::background::Matching;
use crate::classes::Classes;
use crate::fraction::At;
use crate::number::number;
use deniable_core::adversary::PriorRange;
use deniable_core::belief::{gain_over, posterior};
use deniable_core::exact::{Bound, Rational, whole};
use serde::{Serialize, Serializer};

/// The movement of beliefs about presence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Presence {
    /// Prior beliefs about the presence of each person, from the least to the greatest.
    #[serde(flatten, serialize_with = "ends")]
    pub priors: PriorRange,
    /// The largest odds ratio in favour of presence.
    #[serde(rename = "odds_up")]
    pub up: At<Bound>,
    /// The largest odds ratio against it.
    #[serde(rename = "odds_down")]
    pub down: At<Bound>,
    /// The gain of B-2 at the worst prior.
    pub gain: At<Bound>,
    /// The loss at the worst prior, the mirror image of the gain (B-3n): the factor by which belief in presence
    /// shrinks, or belief in absence grows, for people of some class. People in no class are certainly out, which is an
    /// infinite loss; this field does not include them.
    pub loss: At<Bound>,
    /// The highest belief that a person is in.
    #[serde(rename = "highest_belief")]
    pub highest: At<Rational>,
    /// The lowest belief that a person is in, over people whom a class covers.
    #[serde(rename = "lowest_belief")]
    pub lowest: At<Rational>,
    /// People of the background who are certainly in.
    pub certainly_in: u64,
    /// People of the background who are certainly out: no class covers them.
    pub certainly_out: u64,
    /// People of the background in classes where the gain is above 2.
    #[serde(rename = "beyond_a_gain_of_2")]
    pub beyond_two: u64,
    /// People of the background left out, because a class that covers them covers a person whom another class covers
    /// too: the number of people of a class who are in is then unknown.
    #[serde(rename = "left_out_for_overlaps")]
    pub left_out: u64,
}

/// The result about presence, or the reason for its absence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Membership {
    /// The result for a background that lists all people who could be in the table.
    Computed(Box<Presence>),
    /// Not computed: recodings overlap for every class.
    Overlapping,
    /// Not computed: the background is incomplete, as this class has more rows than people whom it covers.
    NoList {
        /// The class.
        class: String,
        /// Its rows.
        rows: u64,
        /// The people of the background whom it covers.
        people: u64,
    },
    /// Not computed: there is no background. If the table contains all people like them, the people of each class are
    /// certainly in.
    NoBackground {
        /// The smallest class.
        smallest: At<u64>,
        /// The number of people like them that the population needs for a gain of at most 2 under the uniform prior:
        /// `n/(M−n) ≤ 3`.
        population: u64,
    },
}

fn ends<S: Serializer>(priors: &PriorRange, serializer: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct Ends<'a> {
        #[serde(serialize_with = "number")]
        prior_low: &'a Rational,
        #[serde(serialize_with = "number")]
        prior_high: &'a Rational,
    }
    Ends { prior_low: priors.low(), prior_high: priors.high() }.serialize(serializer)
}

impl Serialize for Membership {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        #[serde(untagged)]
        enum Part<'a> {
            Computed(&'a Presence),
            Overlapping {
                not_computed: &'static str,
            },
            NoList {
                not_computed: &'static str,
                class: &'a str,
                rows: u64,
                people: u64,
            },
            NoBackground {
                not_computed: &'static str,
                smallest_class: &'a str,
                rows: u64,
                population_for_a_gain_of_2: u64,
            },
        }
        #[derive(Serialize)]
        struct Written<'a> {
            #[serde(flatten)]
            part: Part<'a>,
            /// For an observer who knows all other people of a class, the last person is certain, whatever the counts.
            odds_if_others_may_be_certain: &'static str,
        }
        let part = match self {
            Self::Computed(presence) => Part::Computed(presence),
            Self::Overlapping => Part::Overlapping { not_computed: "recodings overlap for every class" },
            Self::NoList { class, rows, people } => Part::NoList {
                not_computed: "a class has more rows than people of the background whom it covers",
                class,
                rows: *rows,
                people: *people,
            },
            Self::NoBackground { smallest, population } => Part::NoBackground {
                not_computed: "there is no background; if the table holds everybody like them, presence is certain",
                smallest_class: &smallest.class,
                rows: smallest.value,
                population_for_a_gain_of_2: *population,
            },
        };
        Written { part, odds_if_others_may_be_certain: "∞" }.serialize(serializer)
    }
}

/// The odds ratios of a class with `rows` of `people` in: the least, and the largest.
#[must_use]
pub fn odds(rows: u64, people: u64, priors: &PriorRange) -> (Bound, Bound) {
    if rows >= people {
        return (Bound::Infinite, Bound::Infinite);
    }
    let at = |prior: &Rational| {
        let (top, bottom) = (whole(rows) * (whole(1) - prior), whole(people - rows) * prior);
        Bound::of(&top, &bottom).unwrap_or_else(Bound::one)
    };
    (at(priors.high()), at(priors.low()))
}

/// The gain (B-3) at the worst prior if the odds ratio is at most `odds`; at least 1.
#[must_use]
pub fn gain(odds: &Bound, priors: &PriorRange) -> Bound {
    odds.map(|odds| gain_over(priors, &odds.clone().max(whole(1))), Bound::Infinite)
}

/// The loss (B-3n) if the odds ratio against presence is at most `against`: the gain of belief in absence.
#[must_use]
pub fn loss(against: &Bound, priors: &PriorRange) -> Bound {
    gain(against, &priors.of_absence())
}

/// The result without a background: the population that the smallest class needs.
#[must_use]
pub fn without_background(classes: &Classes) -> Option<Membership> {
    let (class, value) = (0..).zip(classes.sizes()).min_by_key(|(_, size)| **size)?;
    Some(Membership::NoBackground {
        smallest: At { value: *value, class: classes.name(class) },
        population: *value + value.div_ceil(3),
    })
}

/// Whether another class covers a person whom this class covers.
pub(crate) fn is_shared(matching: &Matching<'_>, class: u32) -> bool {
    matching.types_of(class).iter().any(|person| matching.classes_of(*person).len() > 1)
}

/// Computes the presence of the people of a background.
#[must_use]
pub fn presence(matching: &Matching<'_>, priors: &PriorRange) -> Membership {
    let (classes, types) = (matching.classes, matching.types);
    if let Some(class) = matching.overfull() {
        let people = matching.population().get(class as usize).copied().unwrap_or(0);
        return Membership::NoList { class: classes.name(class), rows: classes.size(class), people };
    }
    let sum = |wanted: &dyn Fn(&[u32]) -> bool| -> u64 {
        types.all().filter(|person| wanted(matching.classes_of(*person))).map(|person| types.size(person)).sum()
    };
    let certainly_out = sum(&|covering| covering.is_empty());
    let shared: Vec<bool> = classes.all().map(|class| is_shared(matching, class)).collect();
    let left_out = sum(&|covering| covering.iter().any(|class| shared[*class as usize]));
    // Odds, gain and posteriors all grow with n/M, so the classes with the largest and the smallest share attain their
    // extremes.
    let mut ends: Option<(u32, u32)> = None;
    let (mut certainly_in, mut beyond_two) = (0, 0);
    let share = |class: u32| {
        let people = matching.population().get(class as usize).copied().unwrap_or(0);
        crate::fraction::Fraction::new(classes.size(class), people)
    };
    let two = Bound::Finite(whole(2));
    let mut known: std::collections::HashMap<(u64, u64), bool> = std::collections::HashMap::new();
    for class in classes.all().filter(|class| !shared[*class as usize]) {
        let people = matching.population().get(class as usize).copied().unwrap_or(0);
        let rows = classes.size(class);
        certainly_in += if rows == people { people } else { 0 };
        let is_beyond =
            *known.entry((rows, people)).or_insert_with(|| gain(&odds(rows, people, priors).1, priors) > two);
        beyond_two += if is_beyond { people } else { 0 };
        ends = Some(match ends {
            None => (class, class),
            Some((least, most)) => (
                if share(class) < share(least) { class } else { least },
                if share(class) > share(most) { class } else { most },
            ),
        });
    }
    let Some((least, most)) = ends else { return Membership::Overlapping };
    let of = |class: u32| odds(classes.size(class), matching.population()[class as usize], priors);
    let belief = |odds: &Bound, prior: &Rational| match odds {
        Bound::Finite(odds) => posterior(prior, odds),
        Bound::Infinite => whole(1),
    };
    let (lowest, highest) = (of(least).0, of(most).1);
    let against = lowest.inverse();
    Membership::Computed(Box::new(Presence {
        priors: priors.clone(),
        gain: At { value: gain(&highest, priors), class: classes.name(most) },
        loss: At { value: loss(&against, priors), class: classes.name(least) },
        highest: At { value: belief(&highest, priors.high()), class: classes.name(most) },
        lowest: At { value: belief(&lowest, priors.low()), class: classes.name(least) },
        up: At { value: highest, class: classes.name(most) },
        down: At { value: against, class: classes.name(least) },
        certainly_in,
        certainly_out,
        beyond_two,
        left_out,
    }))
}
