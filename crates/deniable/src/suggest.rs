//! Advice on caps and bounds: a release of its own, charged like any other (S-OUT).

use crate::error::Error;
use deniable_core::exact::Rational;
use deniable_policy::{About, Policy};
use deniable_publication::Publication;
use deniable_release::suggest::{Advice, advice};
use deniable_release::{Plan, UnknownQuery};

/// What stands after the policy's name in the ledger, where advice is asked: the policy's `spend` stays for its queries.
const BESIDE: &str = "/suggest";

/// Advice that is wanted, and what it may cost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suggest {
    /// The queries of the policy, by name; empty for all of them.
    pub queries: Vec<String>,
    /// The part of ln R that it may use, in (0, 1], shared equally by the queries.
    pub share: Rational,
}

impl Suggest {
    /// Understands and prices what is asked for it.
    ///
    /// # Errors
    /// When there is no such query, or nothing of it is capped or bounded.
    pub fn plan(&self, policy: &Policy) -> Result<Plan, Error> {
        let own: Vec<&str> =
            policy.asks().iter().filter(|ask| ask.about == About::Cells).map(|ask| ask.name.as_str()).collect();
        if let Some(name) = self.queries.iter().find(|name| !own.contains(&name.as_str())) {
            let known = own.into_iter().map(str::to_owned).collect();
            return Err(Error::NoQuery(UnknownQuery { name: name.clone(), known }));
        }
        let is_wanted = |name: &str| self.queries.is_empty() || self.queries.iter().any(|wanted| wanted == name);
        let asks = policy.asks().iter().enumerate();
        let on = asks.filter(|(_, ask)| ask.about == About::Cells && is_wanted(&ask.name)).map(|(at, _)| at);
        let asker = format!("{}{BESIDE}", policy.name());
        let asking = policy.with_advice(&asker, &on.collect::<Vec<_>>(), &self.share)?;
        Plan::new(asking).map_err(Error::Plan)
    }

    /// What released answers to a plan of [`Self::plan`] advise.
    ///
    /// # Errors
    /// When the policy is not the one that was planned for.
    pub fn advice(&self, policy: &Policy, released: &Publication) -> Result<Vec<Advice>, Error> {
        let plan = self.plan(policy)?;
        let answers = plan.asks().iter().filter_map(|ask| {
            let answer = released.asks.iter().find(|answer| answer.name == ask.ask().name)?;
            Some(advice(ask.ask().about.of()?, ask.query().about(), answer))
        });
        Ok(answers.flatten().collect())
    }
}
