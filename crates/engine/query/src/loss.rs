//! The coins that dominate an answer, for promises that hold but for a chance (C-11).

use crate::parallel::{Class, Part};
use crate::{MeasureKind, Query};
use deniable_core::adversary::Adjacency;
use deniable_core::exact::{Rational, whole};
use deniable_core::loss::{Coins, Level, LossError, Measure, Shape};
use deniable_core::sensitivity::{RowRange, rank_changes};
use num_bigint::BigInt;
use std::collections::BTreeMap;

/// What a row does to the cells of a measure.
struct Changes {
    shape: Shape,
    /// The most by which a row moves its cell by coming or going, and by becoming another row or none.
    single: BigInt,
    exchanged: BigInt,
    /// The number of counts in the measure, each with an equal part: the levels of a tree, otherwise 1.
    counts: u32,
}

impl Changes {
    fn of_rows(shape: Shape, range: RowRange) -> Self {
        Self { shape, single: range.single(), exchanged: range.exchanged(), counts: 1 }
    }

    fn have_one_sign(&self) -> bool {
        self.shape == Shape::Additive && self.single == self.exchanged
    }
}

impl Query {
    /// Coins that together dominate the answer, their exponents as powers of its whole cost.
    ///
    /// Measures that share a part (C-2f) have the coins of their class. Where rows are computed from those of each entity,
    /// a measure or a class is one coin of its part, which always dominates.
    ///
    /// # Errors
    /// Never for a planned query: every measure has a positive part.
    pub fn coins(&self, adjacency: Adjacency) -> Result<Vec<Coins>, LossError> {
        let mut all = Vec::new();
        let mut classes: BTreeMap<usize, (&Class, Vec<usize>)> = BTreeMap::new();
        for (at, Part { share, class }) in self.parts.iter().enumerate() {
            match class {
                Some(class) => classes.entry(class.number).or_insert((class, Vec::new())).1.push(at),
                None => {
                    let changes = self.changes(at);
                    all.extend(self.coins_of(at, share, &changes, adjacency)?);
                }
            }
        }
        for (class, members) in classes.values() {
            let changes: Vec<Changes> = members.iter().map(|at| self.changes(*at)).collect();
            // Two signs in one measure are two signs in the class.
            let widest = changes.into_iter().max_by_key(|changes| !changes.have_one_sign());
            if let (Some(changes), Some(at)) = (widest, members.first()) {
                let shape = if changes.shape == Shape::Pure { Shape::Pure } else { Shape::Class };
                all.extend(self.coins_of(*at, &class.share, &Changes { shape, counts: 1, ..changes }, adjacency)?);
            }
        }
        Ok(all)
    }

    /// Whether the cells of a level are the combinations of all keys. Their numbers do not tell: WHERE may leave fewer
    /// municipalities than counties, and a county then still holds all rows of a person.
    fn is_finest(&self, level: usize) -> bool {
        let all = (0..self.groups().len()).filter(|group| !self.nesting().is_determined(*group));
        self.levels()[level].iter().copied().eq(all)
    }

    fn changes(&self, at: usize) -> Changes {
        if self.is_per_entity() || self.entity_rows().is_some() {
            return Changes::of_rows(Shape::Pure, RowRange::COUNT);
        }
        match &self.measures[at].kind {
            MeasureKind::Rows | MeasureKind::NotNull { .. } | MeasureKind::Entities { .. } => {
                Changes::of_rows(Shape::Additive, RowRange::COUNT)
            }
            MeasureKind::Sum { of, range } if of.centre == 0 => Changes::of_rows(Shape::Additive, *range),
            MeasureKind::Sum { range, .. } | MeasureKind::Product { range, .. } => {
                let single = range.single();
                Changes { shape: Shape::Centred, exchanged: &single * 2, single, counts: 1 }
            }
            MeasureKind::Ranked { target, .. } => {
                let (single, exchanged) = rank_changes(&target.rank_from_end(1));
                // Some candidates may come closer while others move away, so that the noise is for twice the change.
                Changes { shape: Shape::Additive, single: single * 2, exchanged: exchanged * 2, counts: 1 }
            }
            MeasureKind::Tree { .. } => {
                Changes { counts: self.tree_height(at), ..Changes::of_rows(Shape::Additive, RowRange::COUNT) }
            }
        }
    }

    /// The coins of a part that is spent on a measure with these changes.
    fn coins_of(
        &self,
        at: usize,
        part: &Rational,
        changes: &Changes,
        adjacency: Adjacency,
    ) -> Result<Vec<Coins>, LossError> {
        let Changes { shape, single, exchanged, counts } = changes;
        let crate::Measure { kind, level, .. } = &self.measures[at];
        let (caps, cells) = (self.caps(), self.cells(*level) as u64);
        let is_entities = matches!(kind, MeasureKind::Entities { .. });
        let level = match (self.is_capped_together(), self.is_finest(*level)) {
            (false, _) => Level::Apart,
            (true, true) => Level::Finest,
            (true, false) => Level::Above,
        };
        // A replaced row may leave one node of a tree and enter another within its cell: few cells do not help.
        let groups = u32::try_from(cells).unwrap_or(u32::MAX).min(caps.groups);
        let is_tree = matches!(kind, MeasureKind::Tree { .. });
        let measure = Measure {
            adjacency,
            shape: *shape,
            level,
            rows: if is_entities { 1 } else { caps.rows_per_group },
            single: single.clone(),
            exchanged: exchanged.clone(),
            sensitivity: self.sensitivity(at, adjacency),
            groups: if is_tree { groups } else { caps.groups },
            cells: if is_tree { u64::MAX } else { cells },
            share: part / whole(*counts),
        };
        let of_count = |coins: Coins| {
            let exponent = coins.exponent().clone();
            match coins.count().checked_mul(*counts) {
                Some(count) => Coins::new(count, exponent),
                None => Coins::new(coins.count(), exponent * whole(*counts)),
            }
        };
        measure.coins()?.into_iter().map(of_count).collect()
    }
}
