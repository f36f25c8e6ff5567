//! What a policy's asks measure and cost, worked out without reading any data.

use deniable_core::budget::{Spend, SpendError};
use deniable_core::noise::{Decay, DecayError};
use deniable_ledger::{AccountId, Ask as LedgerAsk, SecretKind, Terms};
use deniable_policy::{Ask, Format, Policy};
use deniable_sql::{Query, QueryError, Table};
use num_bigint::BigInt;

/// A policy whose asks are understood and priced.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The policy.
    pub policy: Policy,
    /// The asks, in the policy's order.
    pub asks: Vec<PlannedAsk>,
}

/// One ask, understood and priced.
#[derive(Debug, Clone)]
pub struct PlannedAsk {
    /// The ask as the policy states it.
    pub ask: Ask,
    /// What it measures.
    pub query: Query,
    /// What each of its measures gets, in the query's order.
    pub measures: Vec<PlannedMeasure>,
    /// What the ask costs in all: the promised odds ratio to the power of its share.
    pub cost: Spend,
}

/// The price of one measure.
#[derive(Debug, Clone)]
pub struct PlannedMeasure {
    /// How far one entity can move its vector, in units (S-CAP).
    pub sensitivity: BigInt,
    /// The odds ratio it may give about one entity.
    pub odds: Spend,
    /// The noise that hides the one within the other (M-GEO).
    pub decay: Decay,
}

/// An ask that cannot be answered under its policy.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("ask \"{ask}\": {kind}")]
pub struct PlanError {
    /// The ask's name.
    pub ask: String,
    /// Its SQL.
    pub sql: String,
    /// Why.
    pub kind: PlanErrorKind,
}

/// Why an ask cannot be answered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlanErrorKind {
    /// Its SQL is refused.
    #[error(transparent)]
    Query(#[from] QueryError),
    /// No sensible noise serves it.
    #[error(transparent)]
    Noise(#[from] DecayError),
    /// Its share is not an amount of odds.
    #[error(transparent)]
    Spend(#[from] SpendError),
}

impl Plan {
    /// Understands and prices every ask of a policy.
    ///
    /// # Errors
    /// All asks that cannot be answered.
    pub fn new(policy: Policy) -> Result<Self, Vec<PlanError>> {
        let table = table(&policy);
        let mut asks = Vec::new();
        let mut errors = Vec::new();
        for ask in &policy.asks {
            match price(ask, &policy, &table) {
                Ok(planned) => asks.push(planned),
                Err(kind) => errors.push(PlanError { ask: ask.name.clone(), sql: ask.sql.clone(), kind }),
            }
        }
        if errors.is_empty() { Ok(Self { policy, asks }) } else { Err(errors) }
    }

    /// The table that the policy declares.
    #[must_use]
    pub fn table(&self) -> Table {
        table(&self.policy)
    }

    /// The account of the ledger that this policy is charged to.
    #[must_use]
    pub fn account(&self) -> AccountId {
        AccountId {
            universe: self.policy.population.clone(),
            kind: SecretKind::Membership,
            entity: self.policy.entity.as_ref().map(|entity| entity.key.clone()),
            adjacency: self.policy.adversary.adjacency(),
        }
    }

    /// What the account promises.
    #[must_use]
    pub fn terms(&self) -> Terms {
        let promises: Vec<String> = self.policy.promises.iter().map(ToString::to_string).collect();
        Terms {
            promise: promises.join("; "),
            adversary: self.policy.adversary.family(),
            limit: self.policy.limit.clone(),
            group: self.policy.adversary.moves_together().size(),
        }
    }

    /// The most that this policy may spend of the account, over all its runs.
    ///
    /// # Errors
    /// Never for a policy that was read: its spend is positive.
    pub fn policy_limit(&self) -> Result<Spend, SpendError> {
        self.policy.limit.share(&self.policy.spend)
    }
}

fn table(policy: &Policy) -> Table {
    Table { name: policy.data.table.clone(), columns: policy.columns.clone(), entity: policy.entity.clone() }
}

fn price(ask: &Ask, policy: &Policy, table: &Table) -> Result<PlannedAsk, PlanErrorKind> {
    let query = Query::new(&ask.sql, table)?;
    let cost = policy.limit.share(&ask.share)?;
    let adjacency = policy.adversary.adjacency();
    // Groups of k that move together give the k-th power of one entity's odds (F-NIk).
    let per_entity = cost.share(&policy.per_entity_exponent())?;
    let measures = query
        .measures()
        .iter()
        .map(|measure| {
            let sensitivity = measure.sensitivity(adjacency, query.caps(), query.cells());
            let odds = per_entity.share(&measure.part(&query))?;
            let decay = Decay::hiding(&odds, &sensitivity)?;
            Ok(PlannedMeasure { sensitivity, odds, decay })
        })
        .collect::<Result<_, PlanErrorKind>>()?;
    Ok(PlannedAsk { ask: ask.clone(), query, measures, cost })
}

impl PlannedAsk {
    /// The ask as the ledger remembers it. Its identity covers everything that decides the measured numbers and
    /// their noise: the normalised plan with caps, bounds and keys, the adjacency, the noise, what it costs, and the
    /// data version. Names and post-processing leave no trace, so asking again with another ORDER BY is free.
    #[must_use]
    pub fn for_ledger(&self, policy: &Policy) -> LedgerAsk {
        let mut hasher = blake3::Hasher::new_derive_key("deniable 2026-11 identity of an ask");
        let mut part = |text: &str| {
            hasher.update(&(text.len() as u64).to_le_bytes()).update(text.as_bytes());
        };
        part(self.query.canonical());
        part(&policy.adversary.adjacency().to_string());
        part(&policy.data.version);
        // How fields are read decides what they hold.
        match &policy.data.format {
            Format::Csv(options) => part(&format!("csv, trim {}, nulls {:?}", options.trim, options.nulls)),
            Format::Parquet => part("parquet"),
        }
        for (base, share) in self.cost.terms() {
            part(&base.to_string());
            part(&share.to_string());
        }
        for measure in &self.measures {
            part(&measure.sensitivity.to_string());
            part(&measure.decay.ratio().to_string());
        }
        LedgerAsk {
            name: self.ask.name.clone(),
            sql: self.ask.sql.clone(),
            identity: hasher.finalize().to_hex().to_string(),
            source: policy.data.table.clone(),
            version: policy.data.version.clone(),
        }
    }
}
