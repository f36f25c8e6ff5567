//! Witnesses by counts.

use deniable_core::exact::Bound;
use deniable_core::exact::{Rational, whole};
use num_traits::Zero;

/// A witness that has groups and counts in place of entities.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CountWitness {
    /// The names of the groups.
    pub groups: Vec<String>,
    /// The output, by its name; for an event, all its outputs joined by `or`.
    pub output: String,
    /// The compared counts, or the prior.
    pub place: CountPlace,
    /// The probabilities of the two datasets, or `Pr[o | t]` and `Pr[o | ¬t]`. Where the verdict is a bracket, they are
    /// a lower bound of the larger one and an upper bound of the smaller one.
    pub probabilities: (Rational, Rational),
}

/// The comparison: two datasets, or an observer's belief in presence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CountPlace {
    /// Two datasets, by their counts in each group.
    Datasets {
        /// The dataset with the larger probability.
        more: Vec<u32>,
        /// The dataset with the smaller probability.
        less: Vec<u32>,
    },
    /// Two datasets, and several outputs that one of them gives more often ((ε,δ)-DP, B-7).
    Event {
        /// The outputs, by their positions.
        outputs: Vec<usize>,
        /// An output that is in the event with a probability: a coin decides (B-7).
        partly: Option<(usize, Rational)>,
        /// The counts with the larger probability.
        more: Vec<u32>,
        /// The counts with the smaller probability.
        less: Vec<u32>,
    },
    /// An observer for whom exactly one of several candidates is in, with equal probabilities, beside entities that are
    /// certainly in (F-DCm). The measured entity is a candidate in `group`.
    OneOf {
        /// The number of certain members of each group.
        certain: Vec<u32>,
        /// The number of candidates of each group.
        candidates: Vec<u32>,
        /// The group of the entity.
        group: usize,
    },
    /// An observer for whom exactly one of several candidates is in, or exactly one of them is out, beside entities
    /// that are certainly in (F-DB\[a,b\]); the measured entity is the first candidate.
    Several {
        /// The number of certain members of each group.
        certain: Vec<u32>,
        /// The candidates: the group of each and the belief in its presence.
        candidates: Vec<(usize, Rational)>,
        /// True if exactly one of the candidates is in, false if all but one are.
        one_is_in: bool,
    },
    /// An observer for whom all entities are independent, with beliefs at one or the other end of a range (X-BOX); the
    /// measured entity is in `group`, with its own belief.
    Ends {
        /// The lower and the upper end, by group.
        ends: Vec<(Rational, Rational)>,
        /// The number of other entities of each group with a belief at the upper end.
        upper: Vec<u32>,
        /// The belief in the entity.
        belief: Rational,
        /// The group of the entity.
        group: usize,
    },
    /// An observer for whom `possible[g]` entities of group `g` are in independently, each with probability `belief`,
    /// and all others are certainly out. The measured entity is in `group`.
    Prior {
        /// The number of entities of each group that may be in.
        possible: Vec<u32>,
        /// The probability of each of them.
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
        let ratio = |more: &[u32], less: &[u32]| {
            let ratio = Bound::of(first, second).unwrap_or_else(Bound::one);
            format!("Pr[{output} | {}] / Pr[{output} | {}] = {first} / {second} = {ratio}", named(more), named(less))
        };
        match &self.place {
            CountPlace::Datasets { more, less } => ratio(more, less),
            CountPlace::Event { more, less, .. } => {
                format!("Pr[{output} | {}] = {first}, Pr[{output} | {}] = {second}", named(more), named(less))
            }
            CountPlace::Prior { possible, belief, group } => {
                self.observed(belief, *group, &format!("among possible {},", named(possible)))
            }
            CountPlace::OneOf { certain, candidates, group } => {
                let among: u32 = candidates.iter().sum();
                let share = Rational::new(1.into(), among.max(1).into());
                let who = format!("one of {} being in beside {},", named(candidates), named(certain));
                self.observed(&share, *group, &who)
            }
            CountPlace::Several { certain, candidates, one_is_in } => {
                let Some((group, belief)) = candidates.first() else { return String::new() };
                // Groups the candidates with the same group and belief.
                let mut alike: Vec<(usize, &Rational, u32)> = Vec::new();
                for (group, belief) in &candidates[1..] {
                    match alike.iter_mut().find(|(known, same, _)| known == group && *same == belief) {
                        Some((.., count)) => *count += 1,
                        None => alike.push((*group, belief, 1)),
                    }
                }
                let each = alike.iter().map(|(group, belief, count)| {
                    format!("{count} of {} ({belief}{})", self.groups[*group], if *count > 1 { " each" } else { "" })
                });
                let others = each.collect::<Vec<_>>().join(", ");
                let one = if *one_is_in { "one" } else { "all but one" };
                let who = format!("{one} of it and {others} being in beside {},", named(certain));
                self.observed(belief, *group, &who)
            }
            CountPlace::Ends { ends, upper, belief, group } => {
                let ends = ends.iter().zip(&self.groups).zip(upper);
                let ends = ends.map(|(((low, high), name), upper)| {
                    if low == high {
                        format!("in each of {name} is {low}")
                    } else {
                        format!("in {upper} of {name} is {high}, in the rest {low}")
                    }
                });
                let others = ends.collect::<Vec<_>>().join("; ");
                self.observed(belief, *group, &format!("where belief in others ({others})"))
            }
        }
    }

    /// The change of belief in an entity of the group.
    fn observed(&self, belief: &Rational, group: usize, who: &str) -> String {
        let Self { output, probabilities: (first, second), .. } = self;
        let with = belief * first;
        let all = &with + (whole(1) - belief) * second;
        let after = if all.is_zero() { belief.clone() } else { with / all };
        // Sums of a million terms are too long to print.
        let short = |value: &Rational| {
            if value.denom().bits() <= 32 { value.to_string() } else { Bound::Finite(value.clone()).decimal(12) }
        };
        format!(
            "after `{output}`, belief that one of {} is in, {who} goes from {belief} to {}: Pr[{output} | in] = {}, \
             Pr[{output} | out] = {}",
            self.groups[group],
            short(&after),
            short(first),
            short(second)
        )
    }
}
