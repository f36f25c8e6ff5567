//! Bayes-optimal privacy of a published table whose rows were generalised into blocks (I-BOP).
//!
//! Every row has public values `q` and a sensitive value `s`. A block `q*` covers several `q`; the published table
//! gives the number of its rows with each `s`: `n(q*,s)`. An observer who knows the population `f(q,s)`, and that a
//! person with values `q` is in the table, has the prior belief `α = f(s|q)` and the posterior belief
//!
//! `β = n(q*,s)·f(s|q)/f(s|q*) / Σ_{s'} n(q*,s')·f(s'|q)/f(s'|q*)`, with `f(s|q*) = Σ_{q∈q*} f(q,s) / Σ_{q∈q*} f(q)`.
//!
//! That is exact if rows are independent draws of the population and the person is a uniformly random row of the block:
//! the counts give `s` probability `n/N`, and a row with `s` has values `q` with probability `f(q,s)/f(q*,s)`. LXL's
//! notion requires `α ≤ e^ε·β`; this module also computes the odds of `s`, and how far they move each way. A value that
//! the block rules out has moved infinitely far down, and a value that all its rows share infinitely far up.

use deniable_core::exact::Bound;
use deniable_core::exact::{Rational, whole};
use num_traits::{One, Signed, Zero};

/// The distribution of public and sensitive values in the population, known to the observer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Background {
    public: Vec<String>,
    sensitive: Vec<String>,
    joint: Vec<Vec<Rational>>,
}

/// Rows of a published table with the same generalised public values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// The public values that it covers, by their positions.
    pub public: Vec<usize>,
    /// The number of its rows with each sensitive value.
    pub counts: Vec<u64>,
}

/// A table that is malformed, or that the background rules out.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TableError {
    /// The background is not a distribution.
    #[error("the probabilities of the background sum to {sum}, not 1, or one is negative")]
    Background {
        /// The sum of the probabilities.
        sum: Rational,
    },
    /// A list of the wrong length.
    #[error("{found} numbers where there are {expected} {what} values")]
    Width {
        /// `public` or `sensitive`.
        what: &'static str,
        /// The length of the list.
        found: usize,
        /// The required length.
        expected: usize,
    },
    /// A public value that does not exist, or that is in two blocks: each value must belong to one block.
    #[error("public value number {public} is not one of the background's, or belongs to more than one block")]
    Public {
        /// Its position.
        public: usize,
    },
    /// The block is impossible, or has no person with these values.
    #[error("the background rules out that block {block} contains a person with values `{public}`")]
    Impossible {
        /// The block's position in the table, from 0.
        block: usize,
        /// The public values.
        public: String,
    },
}

/// One belief, before and after.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BeliefChange {
    /// The public values of the person.
    pub public: usize,
    /// The sensitive value.
    pub sensitive: usize,
    /// `α`: the belief before the table, from 0 to 1.
    pub before: Rational,
    /// `β`: the belief after the table, from 0 to 1.
    pub after: Rational,
}

impl BeliefChange {
    /// `α/β`, what LXL bounds by `e^ε`.
    #[must_use]
    pub fn loss(&self) -> Bound {
        Bound::of(&self.before, &self.after).unwrap_or_else(Bound::one)
    }

    /// Odds of the value afterwards, over those before.
    #[must_use]
    pub fn odds(&self) -> Bound {
        let top = &self.after * (whole(1) - &self.before);
        let bottom = &self.before * (whole(1) - &self.after);
        // A certain belief, either way, stays certain.
        Bound::of(&top, &bottom).unwrap_or_else(Bound::one)
    }

    /// Odds before, over those afterwards.
    #[must_use]
    pub fn odds_against(&self) -> Bound {
        self.odds().inverse()
    }

    /// The arithmetic in one line, for a background that names the values.
    #[must_use]
    pub fn line(&self, background: &Background) -> String {
        let (public, sensitive) = (&background.public[self.public], &background.sensitive[self.sensitive]);
        let Self { before, after, .. } = self;
        format!("belief that `{public}` has `{sensitive}` goes from {before} to {after}: its odds by {}", self.odds())
    }
}

/// The beliefs that a table moves farthest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Movement {
    /// The largest `α/β`: the tight `e^ε` of I-BOP.
    pub loss: BeliefChange,
    /// The odds that grow most.
    pub up: BeliefChange,
    /// The odds that fall most.
    pub down: BeliefChange,
}

impl Background {
    /// A population with probabilities `joint[q][s]`.
    ///
    /// # Errors
    /// When `joint` is not a distribution over the named values.
    pub fn new(public: &[&str], sensitive: &[&str], joint: Vec<Vec<Rational>>) -> Result<Self, TableError> {
        width("public", joint.len(), public.len())?;
        for row in &joint {
            width("sensitive", row.len(), sensitive.len())?;
        }
        let sum: Rational = joint.iter().flatten().sum();
        if !sum.is_one() || joint.iter().flatten().any(Signed::is_negative) {
            return Err(TableError::Background { sum });
        }
        let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        Ok(Self { public: owned(public), sensitive: owned(sensitive), joint })
    }

    /// `f(s|q)` for every `s`; `None` if no person has these values.
    #[must_use]
    pub fn prior(&self, public: usize) -> Option<Vec<Rational>> {
        let row = self.joint.get(public)?;
        let sum: Rational = row.iter().sum();
        (!sum.is_zero()).then(|| row.iter().map(|part| part / &sum).collect())
    }

    /// `β` for every `s`, for a person with values `public` whose row is in this block.
    ///
    /// `None` if no table of this population has such a block with such a person.
    #[must_use]
    pub fn posterior(&self, block: &Block, public: usize) -> Option<Vec<Rational>> {
        let prior = self.prior(public)?;
        let mut weights = Vec::with_capacity(prior.len());
        for (sensitive, prior) in prior.iter().enumerate() {
            // f(s|q*) up to a factor that all values share.
            let rows = block.public.iter().filter_map(|public| self.joint.get(*public));
            let block_share: Rational = rows.map(|row| &row[sensitive]).sum();
            let count = whole(*block.counts.get(sensitive)?);
            if block_share.is_zero() {
                if !count.is_zero() {
                    return None;
                }
                weights.push(count);
            } else {
                weights.push(count * prior / block_share);
            }
        }
        let sum: Rational = weights.iter().sum();
        (!sum.is_zero()).then(|| weights.into_iter().map(|weight| weight / &sum).collect())
    }

    /// The largest changes of belief about people of all values that the blocks cover. `None` for a table without
    /// blocks.
    ///
    /// # Errors
    /// When a block has the wrong number of counts, blocks overlap, or the background rules a block out.
    pub fn movement(&self, blocks: &[Block]) -> Result<Option<Movement>, TableError> {
        let mut seen = vec![false; self.public.len()];
        let mut worst: Option<Movement> = None;
        for (place, block) in blocks.iter().enumerate() {
            width("sensitive", block.counts.len(), self.sensitive.len())?;
            for public in &block.public {
                match seen.get_mut(*public) {
                    Some(seen) if !*seen => *seen = true,
                    _ => return Err(TableError::Public { public: *public }),
                }
            }
            for public in block.public.iter().copied() {
                // Values of probability 0 have no people to hold beliefs about.
                let Some(before) = self.prior(public) else { continue };
                let Some(after) = self.posterior(block, public) else {
                    return Err(TableError::Impossible { block: place, public: self.public[public].clone() });
                };
                for (sensitive, (before, after)) in before.into_iter().zip(after).enumerate() {
                    let moved = BeliefChange { public, sensitive, before, after };
                    worst = Some(match worst {
                        None => Movement { loss: moved.clone(), up: moved.clone(), down: moved },
                        Some(Movement { loss, up, down }) => Movement {
                            loss: if moved.loss() > loss.loss() { moved.clone() } else { loss },
                            up: if moved.odds() > up.odds() { moved.clone() } else { up },
                            down: if moved.odds_against() > down.odds_against() { moved } else { down },
                        },
                    });
                }
            }
        }
        Ok(worst)
    }
}

fn width(what: &'static str, found: usize, expected: usize) -> Result<(), TableError> {
    if found == expected { Ok(()) } else { Err(TableError::Width { what, found, expected }) }
}
