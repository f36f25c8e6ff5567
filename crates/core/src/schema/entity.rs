//! Whose rows belong together: the privacy unit.

use crate::sensitivity::Caps;

/// Whose rows belong together, and how many of them count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entity {
    /// The declared column, integer or text, that names the entity.
    pub key: String,
    /// How many rows of one entity count (S-CAP).
    pub caps: Caps,
    /// How many rows of one entity, of each table, meet those of other tables in a join.
    pub rows_in_joins: u32,
    /// Whether caps are applied once, below all levels of GROUPING SETS, ROLLUP and CUBE, and not at each by itself (S-LEV).
    pub levels_together: bool,
}

impl Entity {
    /// How many rows of one entity meet in a join where the policy does not say.
    pub const ROWS_IN_JOINS: u32 = 1_000;

    /// An entity with these caps, and as many rows in joins as where the policy does not say.
    #[must_use]
    pub fn new(key: impl Into<String>, caps: Caps) -> Self {
        Self { key: key.into(), caps, rows_in_joins: Self::ROWS_IN_JOINS, levels_together: false }
    }
}
