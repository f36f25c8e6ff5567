//! The measures and costs of a policy's queries, computed without reading any data.

use crate::diagnose::QueryExcerpt;
use crate::engine;
use crate::public::rows_of;
use crate::suggest::ladders;
use crate::target::{self, TargetError};
use deniable_core::budget::{Spend, SpendError};
use deniable_core::exact::Rational;
use deniable_core::noise::DecayError;
use deniable_core::schema::{Data, Entity, Role, TableSchema};
use deniable_ledger::{Account, AccountId, Part, VersionLimit, VersionName};
use deniable_policy::{self as policy, OwnCaps, Policy, QuerySubject, Sampling, Size, TargetsTooDear, Test};
use deniable_pushdown::Refusal;
use deniable_query::{Query, QueryError};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};

mod chance;
mod query;

pub(crate) use query::price;
pub use query::{MeasurePlan, QueryPlan};

/// A policy whose queries are planned and priced. Its parts are only built together and cannot be changed separately
/// from outside; queries can only be left out.
#[derive(Debug, Clone)]
pub struct Plan {
    policy: Policy,
    queries: Vec<QueryPlan>,
    part: Part,
    lowered: Option<Rational>,
}

/// A name that no query of a plan has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no query \"{name}\"")]
pub struct UnknownQuery {
    /// The name.
    pub name: String,
    /// The names of the plan's queries.
    pub known: Vec<String>,
}

/// A query that cannot be answered under its policy.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("query \"{query}\": {kind}")]
pub struct PlanError {
    /// The query's name.
    pub query: String,
    /// Its SQL.
    pub sql: String,
    /// The reason.
    pub kind: PlanErrorKind,
    pub(crate) excerpt: QueryExcerpt,
}

/// All queries of a policy that cannot be answered; at least one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
pub struct PlanErrors(pub(crate) Vec<PlanError>);

impl PlanErrors {
    /// An error unless the list is empty.
    pub(crate) fn check(errors: Vec<PlanError>) -> Result<(), Self> {
        if errors.is_empty() { Ok(()) } else { Err(Self(errors)) }
    }

    /// The errors, in the order of the queries.
    #[must_use]
    pub fn errors(&self) -> &[PlanError] {
        &self.0
    }
}

/// The reason why a query cannot be answered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlanErrorKind {
    /// Its SQL is refused.
    #[error(transparent)]
    Query(#[from] QueryError),
    /// An engine holds the rows and cannot compute the query.
    #[error(transparent)]
    Engine(#[from] Refusal),
    /// The share is too small, or too large, for any noise.
    #[error(transparent)]
    Noise(#[from] DecayError),
    /// Its share is not an amount of odds.
    #[error(transparent)]
    Spend(#[from] SpendError),
    /// Its target error is out of reach.
    #[error(transparent)]
    Target(#[from] TargetError),
    /// Target errors leave no budget for queries by weight.
    #[error(transparent)]
    Targets(#[from] TargetsTooDear),
}

impl Plan {
    /// Plans and prices every query of a policy.
    ///
    /// # Errors
    /// All queries that cannot be answered.
    pub fn new(policy: Policy) -> Result<Self, PlanErrors> {
        let queries = queries(&policy);
        Self::priced(policy, queries)
    }

    /// Prices the queries of a policy; `queries` has one for each `[[query]]`, in order.
    pub(crate) fn priced(policy: Policy, queries: Vec<Result<Query, PlanErrorKind>>) -> Result<Self, PlanErrors> {
        let understood = queries.iter().all(Result::is_ok);
        let is_target = |declared: &policy::Query| matches!(declared.size, Size::TargetError(_));
        let policy = if understood && policy.queries().iter().any(is_target) {
            let queries: Vec<&Query> = queries.iter().flatten().collect();
            target::solved(&policy, &queries)?
        } else {
            policy
        };
        let (policy, lowered) = if understood {
            chance::lowered(policy, &queries.iter().flatten().collect::<Vec<_>>())
        } else {
            (policy, None)
        };
        let mut planned_queries = Vec::new();
        let mut errors = Vec::new();
        for (declared, query) in policy.queries().iter().zip(queries) {
            let planned = query.and_then(|query| QueryPlan::of(&policy, declared.clone(), query));
            match planned {
                Ok(planned) => planned_queries.push(planned),
                // An error of a query is reported once, for the query itself.
                Err(PlanErrorKind::Query(_))
                    if policy.queries().iter().any(|other| declared.about.of() == Some(&other.name)) => {}
                // Without the other queries a target has no share yet; that is not an error of its own.
                Err(PlanErrorKind::Spend(_)) if is_target(declared) && !understood => {}
                Err(kind) => errors.push(PlanError::new(&policy, declared, kind)),
            }
        }
        PlanErrors::check(errors)?;
        Ok(Self { policy, queries: planned_queries, part: Part::Whole, lowered })
    }

    /// The plan of another policy. If its queries, tables and caps are those of this plan, as under another promise,
    /// the queries are priced and not planned again. Shares that this plan lowered ([`Self::lowered_to`]) are those of
    /// the policy again, and lowered only as far as the other promise needs.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn repriced(&self, policy: Policy) -> Result<Self, PlanErrors> {
        let stated = |query: &policy::Query| {
            (query.sql.clone(), query.caps, query.about.clone(), query.sampling, query.test, query.every.clone())
        };
        let own = self.queries.iter().map(|plan| stated(plan.declared()));
        let is_same = own.eq(policy.queries().iter().map(stated))
            && self.policy.tables() == policy.tables()
            && self.policy.entity() == policy.entity()
            && self.policy.table_caps() == policy.table_caps()
            && self.policy.folder() == policy.folder();
        if !is_same {
            return Self::new(policy);
        }
        let stated = self.lowered.as_ref().and_then(|_| policy.with_part(policy.query_budget().part));
        let policy = stated.unwrap_or(policy);
        Self::priced(policy, self.queries.iter().map(|plan| Ok(plan.query().clone())).collect())
    }

    /// The tables that the policy declares, the main one first, with the locations of their rows.
    #[must_use]
    pub fn tables(&self) -> Vec<(TableSchema, Data)> {
        let data = self.policy.tables().into_iter().map(|table| table.data);
        tables(&self.policy, OwnCaps::default()).into_iter().zip(data).collect()
    }

    /// The policy of the plan.
    #[must_use]
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    /// The part of the promise that the queries divide, if their shares were lowered so that all answers together keep
    /// the promise but for a chance.
    #[must_use]
    pub fn lowered_to(&self) -> Option<&Rational> {
        self.lowered.as_ref()
    }

    /// The queries, in the policy's order.
    #[must_use]
    pub fn queries(&self) -> &[QueryPlan] {
        &self.queries
    }

    /// The same plan with only the queries at these positions.
    #[must_use]
    pub fn with_only(&self, positions: &[usize]) -> Self {
        let chosen = self.queries.iter().enumerate().filter(|(at, _)| positions.contains(at));
        Self { queries: chosen.map(|(_, plan)| plan.clone()).collect(), ..self.clone() }
    }

    /// The same plan, paid by a part of the budget: earlier answers and the remaining budget are those that its owner
    /// sees (C-7).
    #[must_use]
    pub fn paid_by(self, part: Part) -> Self {
        Self { part, ..self }
    }

    /// The part of the budget that pays.
    #[must_use]
    pub fn part(&self) -> &Part {
        &self.part
    }

    /// The same plan with only the queries of these names.
    ///
    /// # Errors
    /// The first name that no query has.
    pub fn named(&self, names: &[&str]) -> Result<Self, UnknownQuery> {
        let known = || self.queries.iter().map(|planned| planned.declared().name.as_str());
        if let Some(name) = names.iter().find(|name| !known().any(|known| known == **name)) {
            let known = known().map(str::to_owned).collect();
            return Err(UnknownQuery { name: (*name).to_owned(), known });
        }
        // Counts about a query's caps belong to its answer, and so do longer nodes of its horizon.
        let is_chosen = |planned: &QueryPlan| {
            let repeated = planned.declared().every.as_ref().map(|node| node.every.name());
            [planned.declared().about.of(), Some(&planned.declared().name), repeated]
                .iter()
                .flatten()
                .any(|name| names.contains(name))
        };
        let chosen = self.queries.iter().enumerate().filter(|(_, planned)| is_chosen(planned));
        Ok(self.with_only(&chosen.map(|(at, _)| at).collect::<Vec<_>>()))
    }

    /// The same plan, in which each query without a charge of its own is taken from an earlier answer of the account
    /// that contains its numbers, at least as exactly as they would be paid for: free (C-3). See
    /// [`mod@crate::contained`].
    #[must_use]
    pub fn with_earlier(&self, account: Option<&Account>) -> Self {
        let Some(account) = account.filter(|account| account.id == self.account()) else { return self.clone() };
        let account = account.seen_by(&self.part);
        let offered = |planned: &QueryPlan| planned.earlier(&self.policy, &account).unwrap_or_else(|| planned.clone());
        Self { queries: self.queries.iter().map(offered).collect(), ..self.clone() }
    }

    /// The same plan, in which each query is taken from the dearest answer that contains its numbers, whatever the
    /// accuracy at its own price: free answers for analysts who state no price. `None` unless there is such an answer
    /// to all of them.
    #[must_use]
    pub fn with_dearest(&self, account: &Account) -> Option<Self> {
        let account = Some(account).filter(|account| account.id == self.account())?.seen_by(&self.part);
        let queries = self.queries.iter().map(|plan| plan.dearest(&self.policy, &account)).collect::<Option<_>>()?;
        Some(Self { queries, ..self.clone() })
    }

    /// The account of the ledger that this policy is charged to.
    #[must_use]
    pub fn account(&self) -> AccountId {
        AccountId::of(self.policy.guarantee())
    }

    /// The most that this policy may spend of the account, over all its runs.
    ///
    /// # Errors
    /// Never for a policy that was read: its spend is positive.
    pub fn policy_limit(&self) -> Result<Spend, SpendError> {
        self.policy.guarantee().limit().share(self.policy.spend())
    }

    /// The policy's limit for the versions of protected tables that a query reads; `None` if the policy has no
    /// `per_version`.
    #[must_use]
    pub fn version_limit(&self, planned: &QueryPlan) -> Option<VersionLimit> {
        let share = self.policy.per_version()?.clone();
        let is_read = |name: &str| planned.query().tables().any(|read| read == name);
        let versions =
            protected_versions(&self.policy).into_iter().filter(|version| is_read(&version.source)).collect();
        Some(VersionLimit { share, versions })
    }
}

/// The declared versions of the protected tables of a policy, the main one first.
#[must_use]
pub fn protected_versions(policy: &Policy) -> Vec<VersionName> {
    let protected = policy.tables().into_iter().filter(|table| matches!(table.role, Role::Protected { .. }));
    protected.map(|table| VersionName { source: table.data.table, version: table.data.version }).collect()
}

/// The tables of the policy as one query sees them: with the query's own caps if it has some.
pub(crate) fn tables_of(policy: &Policy, declared: &policy::Query) -> Vec<TableSchema> {
    tables(policy, declared.caps)
}

/// The count of SQL texts planned by this process.
static PLANNED: AtomicUsize = AtomicUsize::new(0);

/// The number of SQL texts that this process has planned. For tests: each request plans its SQL once, and stored
/// answers are compared as data.
#[doc(hidden)]
#[must_use]
pub fn times_planned() -> usize {
    PLANNED.load(Ordering::Relaxed)
}

/// Plans SQL text about the tables of a policy, under the caps of `declared`. All planning of SQL goes through this
/// function.
pub(crate) fn plan_sql(policy: &Policy, declared: &policy::Query) -> Result<Query, QueryError> {
    PLANNED.fetch_add(1, Ordering::Relaxed);
    let public = |table: &TableSchema| rows_of(policy, table);
    deniable_sql::plan_with_public(&declared.sql, &tables_of(policy, declared), &public)
}

/// The plans of all queries of a policy, in its order. The SQL of a query is planned once: queries about its caps or its entities are derived
/// from its plan.
pub(crate) fn queries(policy: &Policy) -> Vec<Result<Query, PlanErrorKind>> {
    let mut planned: BTreeMap<&str, Result<Query, QueryError>> = BTreeMap::new();
    let each = policy.queries().iter().map(|declared| {
        let of = declared.about.of().unwrap_or(&declared.name);
        let query = planned.entry(of).or_insert_with(|| plan_sql(policy, declared)).clone()?;
        measured(policy, declared, query)
    });
    each.collect()
}

/// The measured query, given the plan of its SQL: the query itself, or a query about its caps or its entities.
pub(crate) fn measured(policy: &Policy, declared: &policy::Query, query: Query) -> Result<Query, PlanErrorKind> {
    let query = match &declared.every {
        Some(node) => {
            query.check_additive()?;
            query.within_days(node.every.column(), node.every.days(node.span))?
        }
        None => query,
    };
    if let (QuerySubject::Cells, Some(Test::Independence)) = (&declared.about, declared.test) {
        deniable_answers::check_independence(&query)?;
    }
    let query = match declared.about {
        QuerySubject::Cells => match declared.sampling {
            Some(Sampling::Simple) => deniable_answers::check_population(&query).map(|()| query)?,
            None => query,
        },
        QuerySubject::LeftOut { .. } => query.left_out()?,
        QuerySubject::Values { .. } => query.per_entity(&ladders(&query))?,
    };
    let query = engine::placed(policy, query);
    if declared.about != QuerySubject::Cells && engine::is_held(policy, &query) {
        let what = if matches!(declared.about, QuerySubject::LeftOut { .. }) {
            "`left_out`"
        } else {
            "advice on caps and bounds"
        };
        let help = "omit it, or export the rows from the engine as Parquet and query those files";
        return Err(
            Refusal { what: what.to_owned(), why: "it processes each entity's rows a second time", help }.into()
        );
    }
    // A query that its engine cannot compute is refused before it is priced, from the declarations alone.
    engine::statement(policy, &query)?;
    Ok(query)
}

pub(crate) fn tables(policy: &Policy, own: OwnCaps) -> Vec<TableSchema> {
    let described = policy.tables().into_iter().map(|table| {
        let entity_of = |key: String| {
            let caps = policy.caps_of(own, &table.data.table)?;
            Some(Entity { key, caps, ..policy.entity()?.clone() })
        };
        let (entity, public_key) = match table.role {
            Role::Protected { entity } => (entity.and_then(entity_of), None),
            Role::Public { key } => (None, Some(key)),
        };
        TableSchema { name: table.data.table, columns: table.columns, entity, public_key }
    });
    described.collect()
}

impl PlanError {
    pub(crate) fn new(policy: &Policy, declared: &policy::Query, kind: PlanErrorKind) -> Self {
        let excerpt = QueryExcerpt::new(policy, declared, &kind);
        Self { query: declared.name.clone(), sql: declared.sql.clone(), kind, excerpt }
    }

    /// Whether the SQL itself is refused, under any promise.
    #[must_use]
    pub fn is_sql(&self) -> bool {
        matches!(self.kind, PlanErrorKind::Query(_) | PlanErrorKind::Engine(_))
    }
}
