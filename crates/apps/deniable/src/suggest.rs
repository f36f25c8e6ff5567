//! Advice on caps and bounds: a release of its own, charged like any other (S-OUT).

use crate::error::Error;
use deniable_core::exact::Rational;
use deniable_policy::{Policy, QuerySubject};
use deniable_publication::Publication;
use deniable_release::suggest::{self, Advice, advice, advisable};
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
    /// Understands and prices what is asked for it; beside the plan, the queries of which nothing is capped or bounded, so that there
    /// is nothing to advise on.
    ///
    /// # Errors
    /// When there is no such query, when it is none, and when nothing of it is capped or bounded.
    pub fn plan(&self, policy: &Policy) -> Result<(Plan, Vec<String>), Error> {
        let own: Vec<&str> = policy
            .queries()
            .iter()
            .filter(|planned| planned.about == QuerySubject::Cells)
            .map(|planned| planned.name.as_str())
            .collect();
        if let Some(name) = self.queries.iter().find(|name| !own.contains(&name.as_str())) {
            let known = own.into_iter().map(str::to_owned).collect();
            return Err(Error::NoQuery(UnknownQuery { name: name.clone(), known }));
        }
        let is_wanted = |name: &str| self.queries.is_empty() || self.queries.iter().any(|wanted| wanted == name);
        let (mut on, mut queries, mut without) = (Vec::new(), Vec::new(), Vec::new());
        for (at, query) in advisable(policy)? {
            let Some(planned) = policy.queries().get(at).filter(|planned| is_wanted(&planned.name)) else { continue };
            match query {
                Some(query) => {
                    on.push(at);
                    queries.push(query);
                }
                None => without.push(planned.name.clone()),
            }
        }
        if on.is_empty() || (!self.queries.is_empty() && !without.is_empty()) {
            return Err(Error::NothingToAdvise { queries: without });
        }
        let asker = format!("{}{BESIDE}", policy.name());
        let asking = policy.with_advice(&asker, &on, &self.share)?;
        Ok((suggest::plan(asking, queries)?, without))
    }

    /// What released answers to a plan of [`Self::plan`] advise.
    #[must_use]
    pub fn advice(plan: &Plan, released: &Publication) -> Vec<Advice> {
        let answers = plan.queries().iter().filter_map(|planned| {
            let answer = released.answers.iter().find(|answer| answer.name == planned.declared().name)?;
            Some(advice(planned.declared().about.of()?, planned.query().of_rows(), answer))
        });
        answers.flatten().collect()
    }
}
