//! One value of each entity, worked out from what is kept of its rows (S-OUT).
//!
//! What is worked out depends on that entity's rows alone: which rows and cells are kept under the caps, and how many.

use super::Exhausted;
use super::decode::Values;
use super::identity::Identity;
use super::keep::{FIRST, Keeper, Seen};
use super::walk::{Kept, Take};
use crate::plan::EntityValue;
use crate::plan::per_entity::{OnLadder, PerEntity};
use arrow_buffer::NullBufferBuilder;
use deniable_core::sensitivity::Caps;

/// What is worked out of each entity.
#[derive(Debug, Clone)]
pub(crate) struct Fold {
    beyond: Option<Caps>,
    values: Vec<OnLadder>,
}

/// What is known of one entity.
struct Entity {
    owner: Identity,
    /// Rows in the cell, of any level, where it has most.
    rows: usize,
    /// Cells at the level where it has most.
    cells: usize,
    /// For each wanted value its smallest or largest.
    ends: Vec<Option<i64>>,
}

impl PerEntity {
    /// What has to be worked out.
    pub(super) fn fold(&self) -> Fold {
        Fold { beyond: self.beyond, values: self.values.clone() }
    }
}

impl Fold {
    /// What an entity needs while its shard is walked over, at most: there are no more of them than rows. A list that grows takes
    /// twice its length.
    pub(super) fn bytes_per_entity(&self) -> usize {
        2 * size_of::<Entity>()
            + self.values.len() * (size_of::<Option<i64>>() + size_of::<i64>())
            + size_of::<(u32, u64)>()
    }

    /// Hands out one row of each entity: in the cell that says whether there is more than the caps let count, with its values.
    pub(super) fn hand_out(
        &self,
        keeper: &mut Keeper,
        rows: &[u64],
        levels: usize,
        batch_size: usize,
        take: &mut Take<'_>,
    ) -> Result<(), Exhausted> {
        let mut entities: Vec<Entity> = Vec::new();
        for level in 0..levels {
            self.look_at(keeper, rows, level, &mut entities);
        }
        entities.chunks(batch_size).try_for_each(|batch| take(&self.kept(batch)))
    }

    fn look_at(&self, keeper: &mut Keeper, rows: &[u64], level: usize, entities: &mut Vec<Entity>) {
        // The same entities come in the same order at every level. Values are those of the first.
        let (mut at, mut cells) = (0, 0);
        keeper.cells(rows, level, level == 0 && self.wants_values(), &mut |owner, seen| {
            if level == 0 && entities.last().is_none_or(|last| last.owner != owner) {
                entities.push(Entity { owner, rows: 0, cells: 0, ends: vec![None; self.values.len()] });
                (at, cells) = (entities.len() - 1, 0);
            } else if entities.get(at).is_some_and(|entity| entity.owner != owner) {
                (at, cells) = (at + 1, 0);
            }
            let Some(entity) = entities.get_mut(at) else { return };
            match seen {
                Seen::Cell { rows } => {
                    cells += 1;
                    entity.rows = entity.rows.max(rows);
                    entity.cells = entity.cells.max(cells);
                }
                Seen::Value { argument, value } => self.widen(entity, argument, value),
            }
        });
    }

    fn wants_values(&self) -> bool {
        self.values.iter().any(|ladder| matches!(ladder.value, EntityValue::Smallest(_) | EntityValue::Largest(_)))
    }

    /// Takes in a value of an argument.
    fn widen(&self, entity: &mut Entity, argument: usize, value: i64) {
        for (ladder, end) in self.values.iter().zip(&mut entity.ends) {
            match ladder.value {
                EntityValue::Smallest(wanted) if wanted == argument => {
                    *end = Some(end.map_or(value, |end| end.min(value)));
                }
                EntityValue::Largest(wanted) if wanted == argument => {
                    *end = Some(end.map_or(value, |end| end.max(value)));
                }
                _ => {}
            }
        }
    }

    fn kept(&self, entities: &[Entity]) -> Kept {
        let cell = |entity: &Entity| {
            let is_beyond =
                |caps: Caps| entity.rows > caps.rows_per_group as usize || entity.cells > caps.groups as usize;
            u32::from(self.beyond.is_some_and(is_beyond))
        };
        let values = self.values.iter().enumerate().map(|(at, ladder)| {
            let mut nulls = NullBufferBuilder::new(entities.len());
            let units = entities.iter().map(|entity| {
                let value = match ladder.value {
                    EntityValue::RowsInLargestGroup => Some(entity.rows as i64),
                    EntityValue::Groups => Some(entity.cells as i64),
                    EntityValue::Smallest(_) | EntityValue::Largest(_) => entity.ends[at],
                };
                nulls.append(value.is_some());
                value.map_or(0, |value| ladder.position(value))
            });
            let units = units.collect();
            Values { units, nulls: nulls.finish() }
        });
        Kept {
            level: 0,
            cells: entities.iter().map(cell).collect(),
            marks: vec![FIRST; entities.len()],
            values: values.collect(),
        }
    }
}
