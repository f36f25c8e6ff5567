//! Advice on caps and bounds: a separate release, charged like any other (S-OUT).

use crate::error::Error;
use deniable_core::exact::Rational;
use deniable_policy::{Policy, QuerySubject};
use deniable_publication::{ADVICE_SUFFIX, Publication};
use deniable_release::suggest::{self, Advice, advice, advisable};
use deniable_release::{Plan, UnknownQuery};

/// A request for advice, and its price.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suggest {
    /// The queries of the policy, by name; empty for all of them.
    pub queries: Vec<String>,
    /// The share of ln R that it may use, in (0, 1], divided equally among the queries.
    pub share: Rational,
}

impl Suggest {
    /// Plans and prices the requested advice. Also returns the queries without caps and bounds, on which there is no
    /// advice.
    ///
    /// # Errors
    /// When a query does not exist or is invalid, or none of the queries has caps or bounds.
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
        let asker = format!("{}{ADVICE_SUFFIX}", policy.name());
        let asking = policy.with_advice(&asker, &on, &self.share)?;
        Ok((suggest::plan(asking, queries)?, without))
    }

    /// The advice in the released answers to a plan of [`Self::plan`].
    #[must_use]
    pub fn advice(plan: &Plan, released: &Publication) -> Vec<Advice> {
        let answers = plan.queries().iter().filter_map(|planned| {
            let answer = released.answers.iter().find(|answer| answer.name == planned.declared().name)?;
            Some(advice(planned.declared().about.of()?, planned.query().of_rows(), answer))
        });
        answers.flatten().collect()
    }
}
