//! Coins of a measure: pairs of coins that dominate the noisy cells of one measure, by its sensitivity (C-11, S-CAP).
//!
//! One coin of the whole share always dominates, since the answer is pure. Several smaller coins bound more tightly:
//! noise of decay `ρ` in a cell that moves by `d ≤ b` is dominated by the coin of odds `ρ^−b`, and the noises of cells
//! are independent. Coins may be merged, never split or evened out: (2, 2) is not dominated by (3, 1).

use super::{Coins, LossError};
use crate::adversary::Adjacency;
use crate::exact::{Rational, whole};
use num_bigint::BigInt;
use num_traits::Signed;

/// What is proved about the cells of a measure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// Sums of rows of a declared range: counts, entities, sums, grouped ranks, the nodes of trees. `s = e` where the
    /// range has one sign.
    Additive,
    /// Sums of rows minus a centre, also of an AVG: rows have both signs for every range.
    Centred,
    /// All measures under conditions that exclude each other (C-2f), with the largest sum of shares under one condition
    /// as their share.
    Class,
    /// A pure answer without a tighter proof, and one row of each entity where `e` is below `s`.
    Pure,
}

/// How contributions are capped at the level of a measure (S-LEV).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// Capped at this level alone, with its own cells.
    Apart,
    /// The finest level of several that are capped together: its cells are the combinations of all keys.
    Finest,
    /// A coarser level of several that are capped together: its cells can hold several combinations each.
    Above,
}

/// The sensitivity and the share of a measure, as the query states them. Nothing here depends on the data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Measure {
    /// The neighbouring datasets.
    pub adjacency: Adjacency,
    /// What is proved about the cells.
    pub shape: Shape,
    /// How contributions are capped.
    pub level: Level,
    /// `r`: the most rows of an entity in a cell, at least 1; 1 for a number of entities.
    pub rows: u32,
    /// `s`: the most by which a row moves its cell by coming or going, above 0.
    pub single: BigInt,
    /// `e`: the most by which a row moves its cell by becoming another row or none, from `s` to `2s`. Of a class, the `s`
    /// and `e` of any of its measures with `e > s`, if there is one.
    pub exchanged: BigInt,
    /// `Δ`: the sensitivity for which the noise was chosen, as S-CAP or S-RANK gives it.
    pub sensitivity: BigInt,
    /// `g`: the most groups of an entity, at least 1.
    pub groups: u32,
    /// `K`: the number of reachable cells of the level (S-ONE), at least 1.
    pub cells: u64,
    /// The power of the promise's odds that is spent on the measure, above 0.
    pub share: Rational,
}

impl Measure {
    /// Coins that together dominate the measure's noisy cells.
    ///
    /// # Errors
    /// When the share is not positive.
    pub fn coins(&self) -> Result<Vec<Coins>, LossError> {
        let cells = self.groups_reached();
        let equal = |count: u32| Coins::new(count, &self.share / whole(count));
        let coins = match (self.shape, self.level, self.adjacency) {
            (Shape::Pure, ..) | (_, Level::Above, _) => equal(1),
            (Shape::Class, _, Adjacency::ReplaceOne) if self.has_one_sign() => equal(cells.saturating_mul(2)),
            (Shape::Class, ..) | (_, _, Adjacency::AddRemove) => equal(cells),
            (_, _, Adjacency::ReplaceOne) if self.has_one_sign() => equal(self.limited(cells.saturating_mul(2))),
            // A single cell moves by at most r·e = Δ.
            (_, _, Adjacency::ReplaceOne) if self.cells <= 1 || !self.sensitivity.is_positive() => equal(1),
            // A cell that the old and the new rows share moves by up to 2rs, and so do two that they do not share.
            (_, _, Adjacency::ReplaceOne) => {
                let moved = whole(2) * whole(self.rows) * whole(self.single.clone());
                Coins::new(cells, &self.share * moved / whole(self.sensitivity.clone()))
            }
        };
        Ok(vec![coins?])
    }

    /// `g′`: the most cells in which an entity has rows.
    fn groups_reached(&self) -> u32 {
        self.limited(self.groups)
    }

    /// At most this many of the cells, and at least 1.
    fn limited(&self, cells: u32) -> u32 {
        u32::try_from(self.cells).map_or(cells, |all| all.min(cells)).max(1)
    }

    /// Whether a replaced row moves its cell by no more than a row that comes or goes.
    fn has_one_sign(&self) -> bool {
        self.shape != Shape::Centred && self.exchanged == self.single
    }
}
