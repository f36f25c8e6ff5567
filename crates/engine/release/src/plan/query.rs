//! One query with its price, and its charge in the ledger.

use super::{PlanErrorKind, tables_of};
use crate::contained::ContainingAnswer;
use crate::rows_each;
use deniable_core::budget::Spend;
use deniable_core::exact::Rational;
use deniable_core::noise::Decay;
use deniable_core::schema::{Data, DeclaredTable, reading};
use deniable_ledger::{Canonical, Charge, CoinsOfCost, Size};
use deniable_policy::{self as policy, Policy, QuerySubject};
use deniable_query::{MeasureKind, Query};
use num_bigint::BigInt;
use num_traits::Zero;

/// The context under which identities are derived: version 1 of their format (`docs/reference/ledger-format.md`).
const IDENTITY: &str = "deniable-ledger-v1 identity of a query";

/// One planned and priced query.
#[derive(Debug, Clone)]
pub struct QueryPlan {
    declared: policy::Query,
    query: Query,
    measures: Vec<MeasurePlan>,
    cost: Spend,
    within: Option<Box<ContainingAnswer>>,
}

/// The price of one measure.
#[derive(Debug, Clone)]
pub struct MeasurePlan {
    sensitivity: BigInt,
    odds: Spend,
    decay: Decay,
}

impl MeasurePlan {
    /// The largest change of its result by one entity, in units (S-CAP), or twice the change of its distances (M-PF).
    #[must_use]
    pub fn sensitivity(&self) -> &BigInt {
        &self.sensitivity
    }

    /// The bound on the odds ratio that it reveals about one entity.
    #[must_use]
    pub fn odds(&self) -> &Spend {
        &self.odds
    }

    /// The noise that hides the sensitivity within these odds (M-GEO, M-PF).
    #[must_use]
    pub fn decay(&self) -> &Decay {
        &self.decay
    }
}

/// The prices of a query's measures when the query gets this share, with the total cost.
pub(crate) fn price(
    query: &Query,
    share: &Rational,
    policy: &Policy,
) -> Result<(Vec<MeasurePlan>, Spend), PlanErrorKind> {
    let cost = policy.guarantee().limit().share(share)?;
    Ok((bought(query, &cost, policy)?, cost))
}

/// The prices of a query's measures for this cost.
fn bought(query: &Query, cost: &Spend, policy: &Policy) -> Result<Vec<MeasurePlan>, PlanErrorKind> {
    let adjacency = policy.guarantee().adjacency();
    let per_entity = policy.guarantee().per_entity(cost)?;
    query
        .measures()
        .iter()
        .enumerate()
        .map(|(at, _)| {
            let sensitivity = query.sensitivity(at, adjacency);
            let odds = per_entity.share(query.part(at))?;
            let decay = Decay::hiding(&odds, &sensitivity)?;
            Ok(MeasurePlan { sensitivity, odds, decay })
        })
        .collect()
}

/// The coins that dominate an answer (C-11).
pub(super) fn coins_of(query: &Query, policy: &Policy) -> Vec<CoinsOfCost> {
    // Without coins, one coin of the whole cost counts, which always dominates.
    let coins = query.coins(policy.guarantee().adjacency()).unwrap_or_default();
    coins.iter().map(CoinsOfCost::of).collect()
}

impl QueryPlan {
    /// A planned query at the price of its share.
    pub(crate) fn of(policy: &Policy, declared: policy::Query, query: Query) -> Result<Self, PlanErrorKind> {
        let (measures, cost) = price(&query, &declared.share, policy)?;
        Ok(Self { declared, query, measures, cost, within: None })
    }

    /// The query of an earlier charge, read from its canonical bytes against the tables that are declared now; `None`
    /// if they are not a valid query of these tables. The caller compares its identity with the charged one.
    pub(crate) fn charged_as(&self, charge: &Charge, cost: &Spend, policy: &Policy) -> Option<Self> {
        Self::charged(&self.declared, charge, cost, policy)
    }

    /// As [`Self::charged_as`], under the caps of a declared query.
    pub(crate) fn charged(declared: &policy::Query, charge: &Charge, cost: &Spend, policy: &Policy) -> Option<Self> {
        let query = Query::from_canonical(charge.canonical.bytes(), &tables_of(policy, declared))?;
        let measures = bought(&query, cost, policy).ok()?;
        let mut declared = declared.clone();
        declared.sql.clone_from(&charge.sql);
        (declared.about, declared.every) = (QuerySubject::Cells, None);
        Some(Self { declared, query, measures, cost: cost.clone(), within: None })
    }

    /// The same query at the price of another; `None` if that price is not valid for it.
    pub(crate) fn bought_as(&self, earlier: &Self, policy: &Policy) -> Option<Self> {
        let cost = earlier.cost.clone();
        let mut declared = self.declared.clone();
        declared.share = cost.exact_part_of(policy.guarantee().limit())?;
        let measures = bought(&self.query, &cost, policy).ok()?;
        Some(Self { declared, query: self.query.clone(), measures, cost, within: None })
    }

    /// The same query, taken from an earlier answer: free, with the noise of that answer.
    pub(crate) fn taken_from(&self, within: ContainingAnswer) -> Self {
        let measures = within.places.iter().map(|at| within.earlier.measures[*at].clone()).collect();
        let mut declared = self.declared.clone();
        declared.share = Rational::zero();
        Self { declared, query: self.query.clone(), measures, cost: Spend::nothing(), within: Some(Box::new(within)) }
    }

    /// The earlier answer that the query is taken from, if any.
    #[must_use]
    pub fn within(&self) -> Option<&ContainingAnswer> {
        self.within.as_deref()
    }

    /// The query as the policy states it; without a share if it is taken from an earlier answer.
    #[must_use]
    pub fn declared(&self) -> &policy::Query {
        &self.declared
    }

    /// The part of the rows that the query is about: as the policy states it, or else as large as the part of the groups
    /// that WHERE leaves.
    pub(crate) fn typical_share(&self) -> Rational {
        self.declared.typical_share.clone().unwrap_or_else(|| self.query.reachable_part())
    }

    /// The SQL of the query; after a comment, for a query about another query's caps, and for the rows of some periods.
    #[must_use]
    pub fn sql(&self) -> String {
        let sql = self.declared.sql.trim();
        match self.declared.about {
            QuerySubject::Cells => match &self.declared.every {
                Some(node) => {
                    format!("-- rows with `{}` in {}\n{sql}", node.every.column(), node.every.words(node.span))
                }
                None => sql.to_owned(),
            },
            QuerySubject::LeftOut { .. } => format!("-- entities of which the caps leave something out\n{sql}"),
            QuerySubject::Values { .. } => format!("-- values of entities, for advice on caps and bounds\n{sql}"),
        }
    }

    /// Notes on a query that is valid but probably unintended: comparisons with undeclared keys, bounds in the place of
    /// missing values, and averages of rows per entity that caps bias. They follow from the policy and the query alone.
    #[must_use]
    pub fn doubts(&self) -> Vec<String> {
        let query = &self.query;
        query.undeclared().into_iter().chain(query.replaced()).chain(rows_each::hint(query)).collect()
    }

    /// Whether a condition or a value compares a column with a constant that is not one of its keys: probably a typo.
    #[must_use]
    pub fn compares_undeclared(&self) -> bool {
        !self.query.undeclared().is_empty()
    }

    /// The measured query.
    #[must_use]
    pub fn query(&self) -> &Query {
        &self.query
    }

    /// The prices of its measures, in the query's order.
    #[must_use]
    pub fn measures(&self) -> &[MeasurePlan] {
        &self.measures
    }

    /// Its size in the ledger: the cost, with the coins that dominate the answer (C-11).
    #[must_use]
    pub fn size(&self, policy: &Policy) -> Size {
        Size { cost: self.cost.clone(), coins: coins_of(&self.query, policy) }
    }

    /// The total cost of the query: the promised odds ratio to the power of its share.
    #[must_use]
    pub fn cost(&self) -> &Spend {
        &self.cost
    }

    /// The query as the ledger stores it. Its identity covers everything that determines the measured numbers and
    /// their noise: the query with caps, bounds and keys, the reading of the rows, the data version, the adjacency, the
    /// noise and the cost. Names and post-processing are not part of it, so asking again with another ORDER BY is free.
    ///
    /// For a query taken from an earlier answer, this is the query of that answer: it has no other entry in the ledger.
    #[must_use]
    pub fn for_ledger(&self, policy: &Policy) -> Charge {
        self.charge_on(policy, &policy.tables())
    }

    /// As [`Self::for_ledger`], of other versions of the policy's tables.
    pub(crate) fn charge_on(&self, policy: &Policy, described: &[DeclaredTable]) -> Charge {
        if let Some(within) = &self.within {
            return within.charge.clone();
        }
        let mut hasher = blake3::Hasher::new_derive_key(IDENTITY);
        let mut part = |bytes: &[u8]| {
            hasher.update(&(bytes.len() as u64).to_le_bytes()).update(bytes);
        };
        part(self.query.canonical());
        part(policy.guarantee().adjacency().to_string().as_bytes());
        let read: Vec<&str> = self.query.tables().collect();
        let described: Vec<&DeclaredTable> =
            read.iter().filter_map(|name| described.iter().find(|table| table.data.table == *name)).collect();
        for table in &described {
            part(table.data.table.as_bytes());
            part(table.data.version.as_bytes());
            // The reading of fields determines their values.
            let used = self.query.columns(&table.data.table);
            part(&reading(table, &|column| used.contains(column)));
        }
        let tables: Vec<&Data> = described.iter().map(|table| &table.data).collect();
        let joined = |text: fn(&Data) -> &str| tables.iter().map(|data| text(data)).collect::<Vec<_>>().join(" + ");
        let (source, version) = (joined(|data| &data.table), joined(|data| &data.version));
        // The intervals of several quantiles are drawn together with them.
        if self.query.measures().iter().any(|measure| matches!(measure.kind, MeasureKind::Tree { .. })) {
            part(policy.confidence().to_string().as_bytes());
        }
        for (base, share) in self.cost.terms() {
            part(base.to_string().as_bytes());
            part(share.to_string().as_bytes());
        }
        for measure in &self.measures {
            part(measure.sensitivity.to_string().as_bytes());
            part(measure.decay.ratio().to_string().as_bytes());
        }
        Charge {
            name: self.declared.name.clone(),
            sql: match self.declared.about {
                QuerySubject::Cells if self.declared.every.is_none() => self.declared.sql.clone(),
                QuerySubject::Cells | QuerySubject::LeftOut { .. } | QuerySubject::Values { .. } => self.sql(),
            },
            identity: hasher.finalize().to_hex().to_string(),
            canonical: Canonical::new(self.query.canonical()),
            coins: coins_of(&self.query, policy),
            source,
            version,
        }
    }
}
