//! The coins that dominate an answer, for promises that hold but for a chance (C-11).

use crate::{MeasureKind, Query};
use deniable_core::adversary::Adjacency;
use deniable_core::loss::{Coins, Level, LossError, Measure, Shape};
use deniable_core::sensitivity::RowRange;

impl Query {
    /// Coins that together dominate the answer, their exponents as powers of its whole cost.
    ///
    /// Where measures share a part (C-2f), rows are computed from those of each entity, or a value is chosen among
    /// candidates or from a tree of counts, one coin of the whole cost or of the measure's part is used: it always dominates.
    ///
    /// # Errors
    /// Never for a planned query: every measure has a positive part.
    pub fn coins(&self, adjacency: Adjacency) -> Result<Vec<Coins>, LossError> {
        let is_shared = self.parts.iter().any(|part| part.is_shared);
        if is_shared || self.is_per_entity() || self.entity_rows().is_some() {
            return Ok(Vec::new());
        }
        let mut all = Vec::new();
        for at in 0..self.measures.len() {
            all.extend(self.coins_of(at, adjacency)?);
        }
        Ok(all)
    }

    /// Whether the cells of a level are the combinations of all keys. Their numbers do not tell: WHERE may leave fewer
    /// municipalities than counties, and a county then still holds all rows of a person.
    fn is_finest(&self, level: usize) -> bool {
        let all = (0..self.groups().len()).filter(|group| !self.nesting().is_determined(*group));
        self.levels()[level].iter().copied().eq(all)
    }

    fn coins_of(&self, at: usize, adjacency: Adjacency) -> Result<Vec<Coins>, LossError> {
        let crate::Measure { kind, level, .. } = &self.measures[at];
        let (caps, cells) = (self.caps(), self.cells(*level));
        let is_entities = matches!(kind, MeasureKind::Entities { .. });
        let (shape, range) = match kind {
            MeasureKind::Rows | MeasureKind::NotNull { .. } | MeasureKind::Entities { .. } => {
                (Shape::Additive, RowRange::COUNT)
            }
            MeasureKind::Sum { of, range } if of.centre == 0 => (Shape::Additive, *range),
            MeasureKind::Sum { range, .. } | MeasureKind::Product { range, .. } => (Shape::Centred, *range),
            MeasureKind::Ranked { .. } | MeasureKind::Tree { .. } => (Shape::Pure, RowRange::COUNT),
        };
        let level = match (self.is_capped_together(), self.is_finest(*level)) {
            (false, _) => Level::Apart,
            (true, true) => Level::Finest,
            (true, false) => Level::Above,
        };
        let measure = Measure {
            adjacency,
            shape,
            level,
            rows: if is_entities { 1 } else { caps.rows_per_group },
            single: range.single(),
            exchanged: range.exchanged(),
            sensitivity: self.sensitivity(at, adjacency),
            groups: caps.groups,
            cells: cells as u64,
            share: self.part(at).clone(),
        };
        measure.coins()
    }
}
