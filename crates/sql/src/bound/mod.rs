//! From rows to exact cells: drop undeclared keys, clamp, cap each entity's rows, add up.
//!
//! ```text
//! rows of NULL entity, rows with undeclared keys   dropped                                   lookup, columns
//! values                                           brought onto their grids, clamped         decode
//! entities                                         at most r rows in each of at most g cells cap_rows: shards, keep
//! cells                                            added up in 128 bits                      totals
//! ```
//!
//! What is kept of one entity depends on that entity's rows alone: rows and cells are ranked by a salted hash of the
//! entity and the values in use (`identity`), never by row number, file order, partition or memory. Rows that agree in
//! every value in use are interchangeable.

mod cap_rows;
mod columns;
mod decode;
mod identity;
mod keep;
mod layout;
mod lookup;
#[cfg(test)]
mod reference;
mod shards;
#[cfg(test)]
mod tests;
mod totals;
mod walk;

pub(crate) use cap_rows::{CapRows, Capping};
pub(crate) use columns::{Columns, Meaning};
pub(crate) use shards::SPILLING;
pub(crate) use totals::Totals;

use crate::plan::Query;
use deniable_core::noise::TwoSidedGeometric;
use rand_core::Rng;

/// The secret that decides which rows of an entity are kept when there are more than its caps allow.
#[derive(Clone)]
pub struct Salt(pub [u8; 32]);

impl std::fmt::Debug for Salt {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Salt")
    }
}

/// The exact totals of a query's measures. They are secret: this type has no `Debug` and no `Display`.
pub struct Exact {
    totals: Vec<Vec<i128>>,
}

impl Exact {
    /// The totals with noise, one sampler for each measure.
    ///
    /// Beyond ±2^126, where no total lies, values stay at the end; that is post-processing.
    pub fn with_noise<R: Rng>(self, samplers: &[TwoSidedGeometric], rng: &mut R) -> Vec<Vec<i128>> {
        let end = 1_i128 << 126;
        self.totals
            .into_iter()
            .zip(samplers)
            .map(|(cells, sampler)| {
                cells.into_iter().map(|total| total.saturating_add(sampler.sample(rng)).clamp(-end, end)).collect()
            })
            .collect()
    }

    /// The secret totals themselves: for tests of sensitivity and coverage, never for a release.
    #[must_use]
    pub fn reveal(self) -> Vec<Vec<i128>> {
        self.totals
    }
}

/// A batch did not have the shape that the plan promised.
#[derive(Debug)]
pub(crate) struct UnexpectedBatch;

impl Meaning {
    /// What the columns of a query's batches mean where every row is an entity of its own.
    pub(crate) fn of_query(query: &Query) -> Self {
        Self::new(query.groups(), &query.rows.arguments, None)
    }
}

impl<'a> Capping<'a> {
    /// What a query asks for.
    pub(crate) fn of_query(query: &'a Query, salt: &'a Salt) -> Self {
        Self { groups: query.groups(), arguments: &query.rows.arguments, presence: &[], caps: query.caps(), salt }
    }
}
