//! Statements about beliefs under replace-one that need no odds: if the target's observers are among the statement's,
//! the statement bounds their posteriors directly (`F-DB[a,b]`).
//!
//! An observer of `F-DB[a,b]` has a prior belief `p` in a person, and a posterior `q`. The bounds on `q`:
//!
//! - PMP with γ: `q ≤ γp` and `1 − q ≥ (1−p)/γ`, so `q ≤ min(γp, 1 − (1−p)/γ)`. Both grow with `p`, and the larger of
//!   `q/p` and `(1−p)/(1−q)` is then γ: over fewer observers the same γ holds.
//! - NMP with γ is the same with `1−p` and `1−q`: `q ≥ max(p/γ, 1 − γ(1−p))`.
//! - Indistinguishable privacy with `e^ε` is `q ≥ p/e^ε` and `1 − q ≥ (1−p)/e^ε`; membership privacy with γ implies the
//!   same with γ.
//! - A ceiling or a floor is a bound on `q` itself.
//!
//! One of `j` equally likely people is in `F-DB[a,b]` if `1/j` is in `[a,b]`. A bound for such observers also holds for
//! those among more people (B-5), so every `j` up to the target's `m` that may be the best is tried.
//!
//! For example, with the range 1/10 to 2/5 and γ = 2, the belief 2/5 rises to at most 7/10 (3/5 falls to no less than
//! 3/10), and the belief in one of three equally likely people to at most min(2/3, 1 − (2/3)/2) = 2/3.

use crate::amount::Amount;
use crate::bounds::{Number, Value};
use crate::notion::Notion;
use crate::shape::Shape;
use crate::statement::{Statement, StatementParameter, Target};
use deniable_core::adversary::PriorRange;
use deniable_core::exact::{Rational, whole};
use num_traits::{One, ToPrimitive, Zero};

/// The parameter of `to` that the statement implies, if all observers of `to` are observers of the statement; `None` if
/// they are not, or if the statement does not bound that side of their beliefs.
#[must_use]
pub fn among(from: &Statement, to: &Target) -> Option<Value> {
    let stated = match &from.value {
        StatementParameter::Number(number) => number.clone(),
        StatementParameter::Odds(odds) => odds.exact_odds()?,
        StatementParameter::Pair(..) => return None,
    };
    if from.target.shape() != Shape::Replace || !from.target.notion.depends_on_priors() {
        return None;
    }
    let said = BeliefStatement { notion: &from.target.notion, value: &stated };
    let range = &from.target.priors;
    let value = if let Notion::Rho { among } = to.notion {
        said.one_of(range, among)?
    } else {
        let part = &to.priors;
        let inside = range.low() <= part.low() && part.high() <= range.high();
        if !inside || to.shape() != Shape::Replace || !to.notion.depends_on_priors() {
            return None;
        }
        said.over(part, &to.notion)?
    };
    Some(if to.notion.is_odds() {
        Value::Odds(Amount::of(value))
    } else {
        Value::Number(Number { low: value.clone(), high: value })
    })
}

/// A notion about beliefs with its parameter.
struct BeliefStatement<'a> {
    notion: &'a Notion,
    value: &'a Rational,
}

impl BeliefStatement<'_> {
    /// The highest posterior for `prior`, which is not certain; `None` if it is not bounded.
    fn highest(&self, prior: &Rational) -> Option<Rational> {
        let rest = whole(1) - prior;
        match self.notion {
            Notion::Gain | Notion::Membership => Some((self.value * prior).min(whole(1) - rest / self.value)),
            Notion::Indistinguishable { .. } => Some(whole(1) - rest / self.value),
            Notion::Ceiling => Some(self.value.clone()),
            _ => None,
        }
    }

    /// The lowest posterior for `prior`; `None` if it is not bounded.
    fn lowest(&self, prior: &Rational) -> Option<Rational> {
        let rest = whole(1) - prior;
        match self.notion {
            Notion::NegativeGain | Notion::Membership => Some((prior / self.value).max(whole(1) - self.value * rest)),
            Notion::Indistinguishable { .. } => Some(prior / self.value),
            Notion::Floor => Some(self.value.clone()),
            _ => None,
        }
    }

    /// The parameter of `notion` over observers whose uncertain beliefs are in `part`.
    fn over(&self, part: &PriorRange, notion: &Notion) -> Option<Rational> {
        match (self.notion, notion) {
            // Fewer observers do not improve γ.
            (Notion::Gain | Notion::Membership, Notion::Gain)
            | (Notion::NegativeGain | Notion::Membership, Notion::NegativeGain)
            | (Notion::Membership, Notion::Membership)
            | (Notion::Membership | Notion::Indistinguishable { .. }, Notion::Indistinguishable { .. }) => {
                Some(self.value.clone())
            }
            (_, Notion::Ceiling) => self.highest(part.high()).filter(|_| !part.high().is_one()),
            (_, Notion::Floor) => self.lowest(part.low()).filter(|_| !part.low().is_zero()),
            // With one ceiling for all, the smallest prior gains most.
            (Notion::Ceiling, Notion::Gain) => gain(part.low(), self.value),
            (Notion::Floor, Notion::NegativeGain) => gain(&(whole(1) - part.high()), &(whole(1) - self.value)),
            _ => None,
        }
    }

    /// The highest belief in one of `among` equally likely people.
    fn one_of(&self, range: &PriorRange, among: u32) -> Option<Rational> {
        let fewest = range.high().recip().ceil().to_integer().to_u32()?.max(2);
        let most = if range.low().is_zero() {
            among
        } else {
            range.low().recip().floor().to_integer().to_u32().unwrap_or(among).min(among)
        };
        if fewest > most {
            return None;
        }
        // The odds that follow grow with the number of people up to γ + 1 and fall from there on, or only grow: the
        // best is at an end. Any number of people gives a valid bound.
        let odds = [fewest, most].into_iter().filter_map(|people| self.odds_of_one_of(people));
        let odds = odds.min()?;
        Some(&odds / (&odds + whole(among) - whole(1)))
    }

    /// The largest likelihood ratio of one of `people` equally likely people over the average of the others.
    fn odds_of_one_of(&self, people: u32) -> Option<Rational> {
        let prior = whole(people).recip();
        let others = whole(people) - whole(1);
        let above = self.highest(&prior);
        // The least beliefs of the others limit the belief in this one.
        let left = self.lowest(&prior).map(|lowest| whole(1) - &others * lowest);
        let highest = above.into_iter().chain(left).min()?;
        (highest < whole(1)).then(|| &highest * others / (whole(1) - &highest))
    }
}

/// The γ of a belief that rises from `prior` to `posterior`, B-2.
fn gain(prior: &Rational, posterior: &Rational) -> Option<Rational> {
    if prior.is_zero() || posterior.is_one() {
        return None;
    }
    Some((posterior / prior).max((whole(1) - prior) / (whole(1) - posterior)))
}
