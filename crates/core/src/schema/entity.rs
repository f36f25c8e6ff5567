//! The entity: the privacy unit.

use crate::sensitivity::Caps;

/// The entity and its contribution bounds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entity {
    /// The declared column, integer or text, that names the entity.
    pub key: String,
    /// The rows of one entity that count (S-CAP).
    pub caps: Caps,
    /// Most rows of one entity in each table that are joined with other tables.
    pub rows_in_joins: u32,
    /// Whether caps apply once, below all levels of GROUPING SETS, ROLLUP and CUBE, and not to each level separately
    /// (S-LEV).
    pub levels_together: bool,
}

impl Entity {
    /// Default of [`Entity::rows_in_joins`].
    pub const ROWS_IN_JOINS: u32 = 1_000;

    /// An entity with these caps, and the default number of rows in joins.
    #[must_use]
    pub fn new(key: impl Into<String>, caps: Caps) -> Self {
        Self { key: key.into(), caps, rows_in_joins: Self::ROWS_IN_JOINS, levels_together: false }
    }
}
