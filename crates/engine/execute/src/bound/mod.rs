//! From rows to exact cells: drops undeclared keys, clamps values, caps each entity's rows, and sums.
//!
//! ```text
//! rows of NULL entity, rows with undeclared keys   dropped                                       lookup, columns
//! values                                           rounded to their grids, clamped                decode
//! groupings                                        the cell of each level, from all keys         levels
//! entities                                         at most r rows in each of at most g cells     cap_rows (order, shards, keep, large)
//!   or one value of each                           if the query is about entities                entities
//! cells                                            summed in 128 bits; values of ranks            totals, pile
//! ```
//!
//! The kept rows of one entity depend on that entity's rows alone, never on row number, file order, partition or memory:
//! cells are ranked by a salted hash of the entity and the cell (`identity`), and of a cell's rows, sorted by the used
//! values, those at evenly spaced positions are kept (`choice`). Rows that agree in all used values are interchangeable.

mod arena;
mod cap_rows;
mod choice;
mod columns;
mod decode;
mod entities;
mod exact;
mod group;
mod identity;
mod keep;
mod large;
mod layout;
mod levels;
mod lookup;
mod order;
mod pile;
#[cfg(test)]
mod reference;
mod shards;
#[cfg(test)]
mod tests;
mod totals;
mod walk;

pub(crate) use cap_rows::{CapRows, CapRules, Collector};
pub(crate) use columns::{Columns, Meaning, Watch};
pub(crate) use decode::Decoder;
pub(crate) use deniable_data::identity::Identity;
pub use exact::Exact;
pub(crate) use identity::Identities;
pub(crate) use large::LargeEntity;
pub(crate) use shards::Disk;
pub use totals::{TotalKind, Totals};
pub(crate) use walk::{Take, Walk};

use deniable_data::SourceError;
use deniable_query::PerEntity;
use deniable_query::{Query, presence};
pub(crate) use entities::Fold;
use std::sync::Arc;

/// The secret that decides which rows of an entity are kept if there are more than its caps allow.
#[derive(Clone)]
pub struct Salt(pub [u8; 32]);

impl Salt {
    /// As hexadecimal digits, for hashing it as a text.
    #[must_use]
    pub fn digits(&self) -> String {
        deniable_core::text::hexadecimal(&self.0)
    }
}

impl std::fmt::Debug for Salt {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Salt")
    }
}

/// The resource or source that failed a computation. There is no other failure.
#[derive(Debug)]
pub enum ComputeError {
    /// The limit of memory.
    Memory,
    /// The space for temporary files, or their device.
    Disk(std::io::Error),
    /// A file that could not be read to the end, although it was as registered before.
    Input,
    /// A database that failed, or whose rows are not the registered ones.
    Database(SourceError),
}

/// An arbitrary value, for tests that do not depend on it.
#[cfg(test)]
pub(crate) fn nowhere() -> deniable_expression::Id {
    let mut program = deniable_expression::Program::default();
    program.null(deniable_expression::Type::Boolean).unwrap()
}

impl Meaning {
    /// The layout of a query's batches where every row is a separate entity.
    pub(crate) fn of_query(query: &Query, watch: Option<Arc<Watch>>) -> Self {
        Self::new(query.looked_up(), &query.rows().arguments, None, watch)
    }
}

impl<'a> CapRules<'a> {
    /// The caps of a query.
    pub(crate) fn of_query(query: &'a Query, salt: &'a Salt, watch: Option<Arc<Watch>>) -> Self {
        let of = query.of_rows();
        let fold = |about: &PerEntity| Fold::of(about, watch.clone());
        Self {
            groups: of.groups(),
            levels: of.levels(),
            nesting: of.nesting(),
            together: of.is_capped_together(),
            arguments: &of.rows().arguments,
            presence: presence(of.measures()),
            caps: of.caps(),
            per_entity: query.about_entities().map(fold),
            salt,
            ranking: of.ranking(),
            watch,
        }
    }
}
