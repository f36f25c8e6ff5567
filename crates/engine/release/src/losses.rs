//! Large losses: where caps or bounds leave out more than [`MOST_LEFT_OUT`] of a query, a curator decides before a
//! version is registered.
//!
//! The decision is the curator's, and is made while a version is registered, by `deniable data check` or a release of
//! the policy. Nothing else computes losses or reads the recorded names: near the limit a single row decides, and an
//! answer, a price or a refusal would reveal it.

use crate::plan::QueryPlan;
use deniable_answers::{SumLoss, Summed};
use deniable_core::exact::{Rational, Rounding, percent, ratio, whole};
use deniable_core::sensitivity::Caps;
use deniable_execute::Losses;
use num_traits::Zero;
use std::fmt;

/// The largest part of a query's rows, entities or sum, in percent, that caps and bounds may leave out of a version that
/// is registered without a curator's acceptance.
pub const MOST_LEFT_OUT: u32 = 10;

/// The purpose of the digests of queries in accepted names.
const LOSS: &str = "deniable 2026-11 accepted loss of a query";

/// A query of which caps or bounds leave out more than [`MOST_LEFT_OUT`]. Exact, and dependent on private rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LargeLoss {
    /// The query's name.
    pub query: String,
    /// The quantity that is left out.
    pub of: Quantity,
    /// The part of it that is left out.
    pub part: Rational,
    /// The caps and bounds that leave it out.
    pub by: Vec<Cause>,
}

/// A quantity of a query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Quantity {
    /// Rows.
    Rows,
    /// Entities, by their key, each in every group that counts it.
    Entities(String),
    /// The sum of this expression.
    Sum(String),
}

/// A cap, or bounds, that leave something out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cause {
    /// The cap on the rows of an entity in a group.
    RowsPerGroup(u32),
    /// The cap on the groups of an entity.
    Groups(u32),
    /// The bounds of this expression.
    Bounds(String),
}

impl Quantity {
    /// The quantity in words, within a sentence.
    fn in_words(&self) -> String {
        match self {
            Self::Rows => "its rows".to_owned(),
            Self::Entities(key) => format!("its entities, by `{key}`"),
            Self::Sum(expression) => format!("the sum of {expression}"),
        }
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::RowsPerGroup(rows) => write!(f, "`rows_per_group = {rows}`"),
            Self::Groups(groups) => write!(f, "`groups = {groups}`"),
            Self::Bounds(expression) => write!(f, "the bounds of {expression}"),
        }
    }
}

impl fmt::Display for LargeLoss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { query, of, part, by } = self;
        let by: Vec<String> = by.iter().map(Cause::to_string).collect();
        let by = if by.is_empty() { "its caps and bounds".to_owned() } else { by.join(" and ") };
        let verb = if self.by.len() == 1 && !matches!(self.by[0], Cause::Bounds(_)) { "leaves" } else { "leave" };
        write!(f, "{query}: {by} {verb} out {} of {}", percent(part, 1, Rounding::Up), of.in_words())
    }
}

/// The name under which the ledger records that a curator accepts the losses of a query. It depends on the query with
/// its caps, bounds and keys, so that an edited query is accepted anew; not on the losses.
pub(crate) fn recorded_name(planned: &QueryPlan) -> String {
    let digest = blake3::Hasher::new_derive_key(LOSS).update(planned.query().canonical()).finalize().to_hex();
    format!("loss:{}#{}", planned.declared().name, &digest[..16])
}

/// The large losses of a query: of its rows, its entities and its sums.
pub(crate) fn large(planned: &QueryPlan, losses: &Losses, sums: &[SumLoss]) -> Vec<LargeLoss> {
    let query = planned.query();
    let name = &planned.declared().name;
    let mut all = Vec::new();
    let mut judge = |of: Quantity, left_out: &Rational, of_all: &Rational, by: Vec<Cause>| {
        let most = ratio(MOST_LEFT_OUT.into(), 100);
        if *left_out > most * of_all {
            // Where nothing should remain, all of it is wrong.
            let part = if of_all.is_zero() { whole(1) } else { left_out / of_all };
            all.push(LargeLoss { query: name.clone(), of, part, by });
        }
    };
    let is_capped = query.entity().is_some() && !query.is_of_entity_rows();
    let Caps { rows_per_group, groups } = query.caps();
    let cells = (0..query.levels().len()).map(|level| query.cells(level)).max().unwrap_or(1);
    let can_bind = usize::try_from(groups).is_ok_and(|groups| groups < cells);
    let of_groups = (is_capped && can_bind).then_some(Cause::Groups(groups));
    let caps: Vec<Cause> =
        is_capped.then_some(Cause::RowsPerGroup(rows_per_group)).into_iter().chain(of_groups.clone()).collect();
    let left_out = losses.rows_left_out.unwrap_or(0);
    judge(Quantity::Rows, &whole(left_out), &whole(losses.rows), caps.clone());
    for SumLoss { of, left_out: missing, all } in sums {
        match of {
            Summed::Entities => {
                let key = query.entity().unwrap_or("entity").to_owned();
                judge(Quantity::Entities(key), missing, all, of_groups.clone().into_iter().collect());
            }
            Summed::Values(expression) => {
                let bounds =
                    losses.beyond.iter().filter(|beyond| beyond.expression == *expression || query.is_of_entity_rows());
                let bounds = bounds.map(|beyond| Cause::Bounds(beyond.expression.clone()));
                let caps = caps.iter().filter(|_| left_out > 0).cloned();
                judge(Quantity::Sum(expression.clone()), missing, all, caps.chain(bounds).collect());
            }
        }
    }
    all
}
