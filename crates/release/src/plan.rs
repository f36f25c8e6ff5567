//! What a policy's asks measure and cost, worked out without reading any data.

use crate::target::{self, TargetError};
use deniable_core::budget::{Spend, SpendError};
use deniable_core::exact::Rational;
use deniable_core::noise::{Decay, DecayError};
use deniable_ledger::{AccountId, Ask as LedgerAsk, Secret, Terms};
use deniable_policy::{Ask, Data, Entity, Format, Policy, Role, Size, TargetsTooDear};
use deniable_sql::plan::MeasureKind;
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
    /// How far one entity can move what it releases, in units (S-CAP), or twice the change of its distances (M-EXP).
    pub sensitivity: BigInt,
    /// The odds ratio it may give about one entity.
    pub odds: Spend,
    /// The noise that hides the one within the other (M-GEO, M-EXP).
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
    /// Its target error is out of reach.
    #[error(transparent)]
    Target(#[from] TargetError),
    /// Target errors leave nothing for the others.
    #[error(transparent)]
    Targets(#[from] TargetsTooDear),
}

impl Plan {
    /// Understands and prices every ask of a policy.
    ///
    /// # Errors
    /// All asks that cannot be answered.
    pub fn new(policy: Policy) -> Result<Self, Vec<PlanError>> {
        let tables = tables(&policy);
        let queries: Vec<_> = policy.asks.iter().map(|ask| Query::new(&ask.sql, &tables)).collect();
        let understood = queries.iter().all(Result::is_ok);
        let is_target = |ask: &Ask| matches!(ask.size, Size::TargetError(_));
        let policy = if understood && policy.asks.iter().any(is_target) {
            let queries: Vec<&Query> = queries.iter().flatten().collect();
            target::solved(&policy, &queries)?
        } else {
            policy
        };
        let mut asks = Vec::new();
        let mut errors = Vec::new();
        for (ask, query) in policy.asks.iter().zip(queries) {
            let planned = query.map_err(PlanErrorKind::from).and_then(|query| {
                let (measures, cost) = price(&query, &ask.share, &policy)?;
                Ok(PlannedAsk { ask: ask.clone(), query, measures, cost })
            });
            match planned {
                Ok(planned) => asks.push(planned),
                // Without the other questions a target has no share yet, and is none of the errors.
                Err(PlanErrorKind::Spend(_)) if is_target(ask) && !understood => {}
                Err(kind) => errors.push(PlanError::new(ask, kind)),
            }
        }
        if errors.is_empty() { Ok(Self { policy, asks }) } else { Err(errors) }
    }

    /// The tables that the policy declares, the main one first, and where their rows are.
    #[must_use]
    pub fn tables(&self) -> Vec<(Table, Data)> {
        let data = self.policy.tables().into_iter().map(|table| table.data);
        tables(&self.policy).into_iter().zip(data).collect()
    }

    /// The account of the ledger that this policy is charged to.
    #[must_use]
    pub fn account(&self) -> AccountId {
        AccountId {
            universe: self.policy.population.clone(),
            kind: Secret::Membership,
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

/// What SQL may know of the policy's tables.
fn tables(policy: &Policy) -> Vec<Table> {
    let main = policy.entity.as_ref();
    let described = policy.tables().into_iter().map(|table| {
        let (entity, public_key) = match table.role {
            // Every protected table is capped alike: the caps are about people, not about files.
            Role::Protected { entity } => (entity.zip(main).map(|(key, main)| Entity { key, ..main.clone() }), None),
            Role::Public { key } => (None, Some(key)),
        };
        Table { name: table.data.table, columns: table.columns, entity, public_key }
    });
    described.collect()
}

impl PlanError {
    pub(crate) fn new(ask: &Ask, kind: PlanErrorKind) -> Self {
        Self { ask: ask.name.clone(), sql: ask.sql.clone(), kind }
    }

    /// Whether the question itself is refused, whatever is promised.
    #[must_use]
    pub fn is_sql(&self) -> bool {
        matches!(self.kind, PlanErrorKind::Query(_))
    }
}

/// What each measure of a question gets when the question gets this share, and what that costs in all.
pub(crate) fn price(
    query: &Query,
    share: &Rational,
    policy: &Policy,
) -> Result<(Vec<PlannedMeasure>, Spend), PlanErrorKind> {
    let cost = policy.limit.share(share)?;
    let adjacency = policy.adversary.adjacency();
    // Groups of k that move together give the k-th power of one entity's odds (F-NIk).
    let per_entity = cost.share(&policy.per_entity_exponent())?;
    let measures = query
        .measures()
        .iter()
        .enumerate()
        .map(|(at, measure)| {
            let sensitivity = query.sensitivity(at, adjacency);
            let odds = per_entity.share(&measure.part(query))?;
            let decay = Decay::hiding(&odds, &sensitivity)?;
            Ok(PlannedMeasure { sensitivity, odds, decay })
        })
        .collect::<Result<_, PlanErrorKind>>()?;
    Ok((measures, cost))
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
        let read: Vec<&str> = self.query.tables().collect();
        let tables: Vec<Data> = policy.tables().into_iter().map(|table| table.data).collect();
        let tables: Vec<&Data> =
            read.iter().filter_map(|name| tables.iter().find(|data| data.table == *name)).collect();
        for data in &tables {
            part(&data.table);
            part(&data.version);
            // How fields are read decides what they hold.
            match &data.format {
                Format::Csv(options) => part(&format!(
                    "csv, trim {}, nulls {:?}, decimal comma {}, encoding {}, quote {}",
                    options.trim, options.nulls, options.decimal_comma, options.encoding, options.quote
                )),
                Format::Parquet => part("parquet"),
            }
        }
        let joined = |text: fn(&Data) -> &str| tables.iter().map(|data| text(data)).collect::<Vec<_>>().join(" + ");
        let (source, version) = (joined(|data| &data.table), joined(|data| &data.version));
        // The intervals of several quantiles are drawn together with them.
        if self.query.measures().iter().any(|measure| matches!(measure.kind, MeasureKind::Tree { .. })) {
            part(&policy.confidence.to_string());
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
            source,
            version,
        }
    }
}
