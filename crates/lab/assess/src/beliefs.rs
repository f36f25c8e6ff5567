//! Movement of beliefs about sensitive values by a published table (I-BOP, two-sided and in odds).
//!
//! An observer who knows that a person with values `q` is in the table believed `α = f(s|q)` before. Afterwards they
//! know the class `q*`:
//!
//! `β = n(q*,s)·f(s|q)/f(s|q*) / Σ_{s'} n(q*,s')·f(s'|q)/f(s'|q*)`
//!
//! if the person is a random row of the class and rows are independent draws. With a background, `f` are its shares;
//! without one the prior is that of the published margins, `f(s|q) = n(s)/n`, and the posterior `n(q*,s)/n(q*)`. If
//! recodings overlap, a class is assumed to contain all types that it covers in the proportions of the background.

use crate::background::Matching;
use crate::belief::{Belief, BeliefNames, Extreme, Kind, Search, Term};
use crate::classes::{Classes, Secret};
use crate::error::AssessError;
use crate::limit::{Limit, Screen, epsilon};
use crate::number::{PLACES, number};
use crate::sizes::OffendingClasses;
use deniable_core::exact::{Rational, whole};
use num_traits::ToPrimitive;
use serde::{Serialize, Serializer};

/// The prior beliefs about sensitive values.
#[derive(Debug, Clone, Copy)]
pub enum Prior<'a> {
    /// The shares of values in the published table, the same for all people.
    Margins,
    /// The shares of values among people of one type in a background that has the sensitive column.
    Background(&'a Matching<'a>, &'a Secret),
}

/// The people in classes where the odds of some belief move by more than a factor.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MovedShare {
    /// The factor; `None` for an infinite one.
    #[serde(serialize_with = "factor_or_infinity")]
    pub factor: Option<u64>,
    /// People of the published table.
    pub people: u64,
    /// Their share of all people of the table, from 0 to 1.
    #[serde(serialize_with = "number")]
    pub share: Rational,
}

#[expect(clippy::ref_option, reason = "serde's signature")]
fn factor_or_infinity<S: Serializer>(factor: &Option<u64>, serializer: S) -> Result<S::Ok, S::Error> {
    match factor {
        Some(factor) => serializer.collect_str(factor),
        None => serializer.serialize_str("∞"),
    }
}

/// The beliefs that move farthest, by four measures.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Beliefs {
    /// `α/β`, the one-sided `e^ε` of LXL Definition 5.
    pub loss: Extreme,
    /// The largest `β/α`: the gain of a belief.
    pub gain: Extreme,
    /// The odds of a value that grow most.
    pub up: Extreme,
    /// The odds of a value that fall most.
    pub down: Extreme,
    /// The people moved by more than 2, 5, 10, and infinitely.
    pub shares: Vec<MovedShare>,
    /// Pairs of class and type where the class has none of the values that people of the type have. The background and
    /// the table rule out that one of them is in the class, so no belief moves.
    pub impossible: u64,
}

impl Beliefs {
    /// The two-sided measure: the larger of the largest `α/β` and `β/α`.
    #[must_use]
    pub fn two_sided(&self) -> &Extreme {
        if self.loss.value() >= self.gain.value() { &self.loss } else { &self.gain }
    }

    /// The larger of the largest movements of odds, up and down.
    #[must_use]
    pub fn odds(&self) -> &Extreme {
        if self.up.value() >= self.down.value() { &self.up } else { &self.down }
    }

    /// Computes every belief about a sensitive column.
    ///
    /// # Errors
    /// [`AssessError::RuledOut`] if a class publishes a value that no person whom it covers has in the background.
    pub fn of(classes: &Classes, secret: &Secret, prior: Prior<'_>) -> Result<Self, AssessError> {
        let mut searches = [Kind::Loss, Kind::Gain, Kind::Up, Kind::Down].map(Search::new);
        let factors = [Some(2_u64), Some(5), Some(10), None];
        let mut people = [0; 4];
        let limits = factors.map(|factor| factor.map(|factor| Screen::new(Limit::Ratio(whole(factor)))));
        let mut walk = Walk::new(classes, secret, prior);
        for class in classes.all() {
            let mut exceeded = [false; 4];
            walk.class(class, &mut |belief, names| {
                for search in &mut searches {
                    search.offer(belief, || names(belief));
                }
                for (exceeded, limit) in exceeded.iter_mut().zip(&limits).filter(|(exceeded, _)| !**exceeded) {
                    *exceeded = match limit {
                        Some(limit) => exceeds(belief, &[Kind::Up, Kind::Down], limit)?,
                        None => [Kind::Up, Kind::Down].iter().any(|kind| belief.about(*kind).is_infinite()),
                    };
                }
                Ok(())
            })?;
            for (people, _) in people.iter_mut().zip(exceeded).filter(|(_, exceeded)| *exceeded) {
                *people += classes.size(class);
            }
        }
        let all = whole(classes.people());
        let shares = factors.into_iter().zip(people);
        let shares =
            shares.map(|(factor, people)| MovedShare { factor, people, share: whole(people) / &all }).collect();
        let [loss, gain, up, down] = searches.map(Search::found);
        Ok(Self { loss, gain, up, down, shares, impossible: walk.impossible })
    }
}

impl Serialize for Beliefs {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Written<'a> {
            loss: &'a Extreme,
            epsilon: String,
            two_sided: &'a Extreme,
            epsilon_two_sided: String,
            odds_up: &'a Extreme,
            odds_down: &'a Extreme,
            odds_move_by_more_than: &'a [MovedShare],
            impossible_pairs: u64,
        }
        let two_sided = self.two_sided();
        Written {
            loss: &self.loss,
            epsilon: epsilon(&self.loss.value(), PLACES),
            two_sided,
            epsilon_two_sided: epsilon(&two_sided.value(), PLACES),
            odds_up: &self.up,
            odds_down: &self.down,
            odds_move_by_more_than: &self.shares,
            impossible_pairs: self.impossible,
        }
        .serialize(serializer)
    }
}

/// The classes where some belief moves by more than a limit, under one of several priors.
///
/// # Errors
/// As [`Beliefs::of`], and when a comparison with a power of e cannot be decided.
pub fn exceeding(
    classes: &Classes,
    secret: &Secret,
    priors: &[Prior<'_>],
    kinds: &[Kind],
    limit: &Limit,
    most: usize,
) -> Result<OffendingClasses, AssessError> {
    let mut offending = OffendingClasses::default();
    let limit = Screen::new(limit.clone());
    let mut walks: Vec<Walk<'_>> = priors.iter().map(|prior| Walk::new(classes, secret, *prior)).collect();
    for class in classes.all() {
        let mut exceeded = false;
        for walk in &mut walks {
            walk.class(class, &mut |belief, _| {
                exceeded = exceeded || exceeds(belief, kinds, &limit)?;
                Ok(())
            })?;
        }
        if exceeded {
            offending.add(classes, class, most);
        }
    }
    Ok(offending)
}

/// Whether a belief moves by more than a limit, by one of several measures.
fn exceeds(belief: &Belief<'_>, kinds: &[Kind], limit: &Screen) -> Result<bool, AssessError> {
    for kind in kinds {
        if limit.is_below(belief.about(*kind), || belief.exact(BeliefNames::default()).by(*kind))? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Receives every belief about a class, and a function that names a belief.
type Visit<'v> = dyn FnMut(&Belief<'_>, &dyn Fn(&Belief<'_>) -> BeliefNames) -> Result<(), AssessError> + 'v;

/// Visits the beliefs of one class after another.
struct Walk<'a> {
    classes: &'a Classes,
    secret: &'a Secret,
    prior: Prior<'a>,
    /// Values by falling frequency, for the margins.
    frequent: Vec<u32>,
    /// The background's code of each published value.
    known_as: Vec<Option<u32>>,
    /// By the background's codes: rows of the class, and people whom it covers.
    rows: Vec<u64>,
    held: Vec<u64>,
    impossible: u64,
}

impl<'a> Walk<'a> {
    fn new(classes: &'a Classes, secret: &'a Secret, prior: Prior<'a>) -> Self {
        let mut frequent: Vec<u32> = (0..).take(secret.values.len()).collect();
        frequent.sort_by_key(|value| std::cmp::Reverse(secret.totals[*value as usize]));
        let (known_as, width) = match prior {
            Prior::Margins => (Vec::new(), 0),
            Prior::Background(_, known) => {
                (secret.values.iter().map(|value| known.code(value)).collect(), known.values.len())
            }
        };
        let (rows, held) = (vec![0; width], vec![0; width]);
        Self { classes, secret, prior, frequent, known_as, rows, held, impossible: 0 }
    }

    fn class(&mut self, class: u32, visit: &mut Visit<'_>) -> Result<(), AssessError> {
        match self.prior {
            Prior::Margins => self.by_margins(class, visit),
            Prior::Background(matching, known) => self.by_background(class, matching, known, visit),
        }
    }

    fn by_margins(&self, class: u32, visit: &mut Visit<'_>) -> Result<(), AssessError> {
        let secret = self.secret;
        let (all, size, entries) = (self.classes.people(), self.classes.size(class), secret.of(class));
        let names = |belief: &Belief<'_>| BeliefNames {
            class: self.classes.name(class),
            person: None,
            value: secret.values[belief.value as usize].clone(),
        };
        // Of the values that the class rules out, only the most frequent is visited: they all move infinitely far.
        let absent = |value: &&u32| entries.binary_search_by_key(*value, |(value, _)| *value).is_err();
        let missing = self.frequent.iter().find(absent).map(|value| (*value, 0));
        for (value, count) in entries.iter().copied().chain(missing) {
            let total = secret.totals[value as usize];
            let terms = [(count, 1, 1), (size - count, 1, 1)];
            let belief = Belief {
                person: None,
                value,
                prior: (total, all - total),
                terms: &terms,
                own: 0,
                weight: float(count),
                rest: float(size - count),
            };
            visit(&belief, &names)?;
        }
        Ok(())
    }

    fn by_background(
        &mut self,
        class: u32,
        matching: &Matching<'_>,
        known: &Secret,
        visit: &mut Visit<'_>,
    ) -> Result<(), AssessError> {
        let types = matching.types_of(class);
        for (value, people) in types.iter().flat_map(|person| known.of(*person)) {
            self.held[*value as usize] += people;
        }
        for (value, count) in self.secret.of(class) {
            match self.known_as[*value as usize].filter(|known| self.held[*known as usize] > 0) {
                Some(known) => self.rows[known as usize] = *count,
                None => {
                    return Err(AssessError::RuledOut {
                        class: self.classes.name(class),
                        column: self.secret.name.clone(),
                        value: self.secret.values[*value as usize].clone(),
                    });
                }
            }
        }
        let names = |belief: &Belief<'_>| BeliefNames {
            class: self.classes.name(class),
            person: belief.person.map(|person| matching.types.name(person)),
            value: known.values[belief.value as usize].clone(),
        };
        let (mut terms, mut weights, mut after): (Vec<Term>, Vec<f64>, Vec<f64>) = (Vec::new(), Vec::new(), Vec::new());
        for person in types {
            let own = known.of(*person);
            terms.clear();
            terms.extend(
                own.iter().map(|(value, people)| (self.rows[*value as usize], *people, self.held[*value as usize])),
            );
            if terms.iter().all(|(rows, _, _)| *rows == 0) {
                self.impossible += 1;
                continue;
            }
            weights.clear();
            weights.extend(terms.iter().map(|(rows, people, all)| float(*rows) * (float(*people) / float(*all))));
            // Sums of the weights that follow, so that the rest is a sum and not a difference.
            after.clear();
            after.resize(weights.len() + 1, 0.0);
            for place in (0..weights.len()).rev() {
                after[place] = after[place + 1] + weights[place];
            }
            let size: u64 = own.iter().map(|(_, people)| people).sum();
            let mut before = 0.0;
            for (place, (value, people)) in own.iter().enumerate() {
                let belief = Belief {
                    person: Some(*person),
                    value: *value,
                    prior: (*people, size - people),
                    terms: &terms,
                    own: place,
                    weight: weights[place],
                    rest: before + after[place + 1],
                };
                visit(&belief, &names)?;
                before += weights[place];
            }
        }
        for (value, _) in types.iter().flat_map(|person| known.of(*person)) {
            self.held[*value as usize] = 0;
            self.rows[*value as usize] = 0;
        }
        Ok(())
    }
}

fn float(count: u64) -> f64 {
    count.to_f64().unwrap_or(f64::INFINITY)
}
