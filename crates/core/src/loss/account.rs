//! The account of all answers: those of fixed sizes, those of chosen sizes, and the odds that hold for certain.

use super::beside::Beside;
use super::filter::{slack_chance_upper, slack_odds_upper};
use super::{Chance, Coins, Filter, Lattice, LossDistribution, LossError, Walk};
use crate::budget::Spend;
use crate::exact::{Rational, whole};
use num_traits::Zero;
use std::sync::OnceLock;

/// What an observer can have learned from all answers of an account, for certain and but for a chance.
///
/// The bounds for each observer separately, with the chance by that observer's own beliefs about others (B-7). Every
/// answer is charged before it is drawn; which part it is charged to follows from the query and the ledger alone.
///
/// A reading is about sizes that do not depend on answers. Where sizes are chosen from answers, what may be
/// charged must not depend on which of two different bounds is smaller: one event can join a path that ends at the odds
/// for certain with one that ends at the filter, and have the chance of the first and the odds of the second (C-12).
/// [`Self::odds_of_chosen`] leaves out the odds for certain.
#[derive(Debug, Clone)]
pub struct LossAccount {
    walk: Walk,
    filter: Filter,
    /// The power of the promise's odds that all answers keep for certain, but for the failures of the filter.
    surely: Rational,
    /// The distribution of the walk, once computed; `None` within if it reaches too far.
    distribution: OnceLock<Option<LossDistribution>>,
}

impl LossAccount {
    /// An account without answers, below a promise of odds `R`.
    ///
    /// # Errors
    /// When the promise is of odds 1.
    pub fn new(promise: &Spend) -> Result<Self, LossError> {
        Self::on(Lattice::new(promise)?)
    }

    /// An account without answers, with losses on this lattice.
    ///
    /// # Errors
    /// None: a lattice has odds above 1.
    pub fn on(lattice: Lattice) -> Result<Self, LossError> {
        Ok(Self {
            filter: Filter::new(lattice.promise())?,
            walk: Walk::on(lattice),
            surely: Rational::zero(),
            distribution: OnceLock::new(),
        })
    }

    /// Charges an answer whose size is fixed before the first answer that is read with it: the coins that dominate it,
    /// and its share of the promise, the power of `R` that it keeps for certain.
    ///
    /// # Errors
    /// When the share is not positive.
    pub fn charge_fixed(&mut self, coins: &[Coins], share: &Rational) -> Result<(), LossError> {
        self.charge_surely(share)?;
        coins.iter().for_each(|coins| self.walk.add(coins));
        self.distribution = OnceLock::new();
        Ok(())
    }

    /// Charges an answer whose size was chosen after earlier answers were read.
    ///
    /// # Errors
    /// When the share is not positive.
    pub fn charge_chosen(&mut self, coins: &[Coins], share: &Rational) -> Result<(), LossError> {
        self.charge_surely(share)?;
        coins.iter().for_each(|coins| self.filter.charge(coins));
        Ok(())
    }

    /// Charges an answer that keeps its share but for a chance, with which it may prove presence.
    ///
    /// # Errors
    /// When the share is not positive.
    pub fn charge_failing(&mut self, coins: &Coins, share: &Rational, chance: &Chance) -> Result<(), LossError> {
        self.charge_surely(share)?;
        self.filter.charge_but_for(coins, chance);
        Ok(())
    }

    fn charge_surely(&mut self, share: &Rational) -> Result<(), LossError> {
        // The same check as of the exponent of a coin.
        Coins::new(1, share.clone())?;
        self.surely += share;
        Ok(())
    }

    /// The answers of fixed sizes.
    #[must_use]
    pub fn walk(&self) -> &Walk {
        &self.walk
    }

    /// The answers of chosen sizes.
    #[must_use]
    pub fn filter(&self) -> &Filter {
        &self.filter
    }

    /// The power of the promise's odds that all answers keep for certain; `None` if an answer is not pure.
    #[must_use]
    pub fn surely(&self) -> Option<&Rational> {
        self.filter.failures().is_zero().then_some(&self.surely)
    }

    /// At least the least odds that are exceeded with at most this chance; `None` where answers that are not pure have
    /// larger chances.
    #[must_use]
    pub fn odds_but_for(&self, chance: &Chance) -> Option<Rational> {
        let certain = self.certain_odds().and_then(|odds| {
            if self.filter.failures().is_zero() {
                Some(odds)
            } else {
                slack_odds_upper(&odds, self.filter.failures(), chance)
            }
        });
        [certain, self.odds_of_chosen(chance)].into_iter().flatten().min()
    }

    /// At least the least odds that are exceeded with at most this chance, by the walk beside the filter and by one filter
    /// over all answers: both limit the same sum of the chosen sizes, so that any path may end at either. `None` where
    /// there is no bound.
    #[must_use]
    pub fn odds_of_chosen(&self, chance: &Chance) -> Option<Rational> {
        let walked = self.distribution().and_then(|walk| self.walked(walk, chance));
        [walked, self.filtered().odds_but_for(chance)].into_iter().flatten().min()
    }

    fn walked(&self, walk: &LossDistribution, chance: &Chance) -> Option<Rational> {
        if self.filter.is_empty() {
            walk.odds_but_for(chance)
        } else if self.filter.rho().is_zero() {
            None
        } else {
            Beside::new(walk, &self.filter).odds_but_for(chance)
        }
    }

    /// At least the chance of an event of odds above `odds > 0`, from 0 to 1; 0 where the odds hold for certain.
    #[must_use]
    pub fn chance_above(&self, odds: &Rational) -> Rational {
        let surely = self.certain_odds().and_then(|certain| {
            if self.filter.failures().is_zero() {
                (certain <= *odds).then(Rational::zero)
            } else {
                slack_chance_upper(&certain, self.filter.failures(), odds)
            }
        });
        let walked = self.distribution().and_then(|walk| {
            if self.filter.is_empty() {
                Some(walk.beta_upper(odds))
            } else if self.filter.rho().is_zero() {
                None
            } else {
                Some(Beside::new(walk, &self.filter).chance_upper(odds))
            }
        });
        let bounds = [surely, walked, Some(self.filtered().chance_upper(odds))];
        bounds.into_iter().flatten().min().unwrap_or_else(|| whole(1))
    }

    /// The distribution of the walk; `None` if its losses reach too far.
    fn distribution(&self) -> Option<&LossDistribution> {
        self.distribution.get_or_init(|| self.walk.distribution().ok()).as_ref()
    }

    /// One filter over all answers, those of fixed sizes included.
    fn filtered(&self) -> Filter {
        let mut all = self.filter.clone();
        all.charge_rho(&self.walk.rho_upper());
        all
    }

    /// At least the odds that all answers keep for certain, but for failures; `None` where no bound is computed.
    fn certain_odds(&self) -> Option<Rational> {
        if self.surely.is_zero() {
            return Some(whole(1));
        }
        let odds = self.walk.lattice().promise().share(&self.surely).ok()?;
        Some(odds.odds_at_most())
    }
}
