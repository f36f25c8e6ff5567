//! Where a parameter is reached, told by counts.

use deniable_core::exact::Bound;
use deniable_core::exact::{Rational, whole};

/// A witness that names groups and counts in place of entities.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CountWitness {
    /// The names of the groups.
    pub groups: Vec<String>,
    /// The output, by its name.
    pub output: String,
    /// Between which counts, or under which prior.
    pub place: CountPlace,
    /// The probabilities of the two datasets, or `Pr[o | t]` and `Pr[o | ¬t]`. Where the verdict is a bracket, they are a lower bound
    /// of the larger and an upper bound of the smaller.
    pub probabilities: (Rational, Rational),
}

/// What is compared: two datasets, or an observer's belief in presence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CountPlace {
    /// Two datasets, by their counts in each group.
    Datasets {
        /// The one that gives the output more often.
        more: Vec<u32>,
        /// The one that gives it less often.
        less: Vec<u32>,
    },
    /// An observer who believes that `possible[g]` entities of group `g` are in, each with probability `belief` and
    /// independently, and all others certainly out. One of those in `group` is looked at.
    Prior {
        /// How many of each group may be in.
        possible: Vec<u32>,
        /// How likely each of them is.
        belief: Rational,
        /// The group of the entity.
        group: usize,
    },
}

impl CountWitness {
    /// The arithmetic in one line.
    #[must_use]
    pub fn line(&self) -> String {
        let Self { output, probabilities: (first, second), .. } = self;
        let named = |counts: &[u32]| {
            let each = self.groups.iter().zip(counts).map(|(group, count)| format!("{group} = {count}"));
            format!("{{{}}}", each.collect::<Vec<_>>().join(", "))
        };
        match &self.place {
            CountPlace::Datasets { more, less } => {
                let ratio = Bound::of(first, second).unwrap_or_else(Bound::one);
                let (more, less) = (named(more), named(less));
                format!("Pr[{output} | {more}] / Pr[{output} | {less}] = {first} / {second} = {ratio}")
            }
            CountPlace::Prior { possible, belief, group } => {
                let with = belief * first;
                let after = &with / (&with + (whole(1) - belief) * second);
                // Sums of a million terms are too long to print.
                let short = |value: &Rational| {
                    if value.denom().bits() <= 32 {
                        value.to_string()
                    } else {
                        Bound::Finite(value.clone()).decimal(12)
                    }
                };
                let (who, possible) = (&self.groups[*group], named(possible));
                format!(
                    "after `{output}`, belief that one of {who} is in, among possible {possible}, goes from {belief} to {}: \
                     Pr[{output} | in] = {}, Pr[{output} | out] = {}",
                    short(&after),
                    short(first),
                    short(second)
                )
            }
        }
    }
}
