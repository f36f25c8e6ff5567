//! One value of each entity, computed from its kept rows (S-OUT).
//!
//! The value depends on that entity's rows alone: on the rows and cells kept under the caps, and their numbers.

use super::ComputeError;
use super::Identity;
use super::columns::Watch;
use super::decode::Values;
use super::keep::{EntityItem, FIRST, Keeper, Rows};
use super::walk::{KeptRows, Take};
use arrow_buffer::NullBufferBuilder;
use deniable_core::sensitivity::Caps;
use deniable_query::{EntityValue, OnLadder, PerEntity};
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// The computation for each entity.
#[derive(Debug, Clone)]
pub(crate) enum Fold {
    /// Whether the entity exceeds these caps. The rows within the caps are counted if a counter is present.
    Beyond(Caps, Option<Arc<Watch>>),
    /// Values of the kept rows.
    Values(Vec<OnLadder>),
}

/// The state of one entity.
struct Entity {
    owner: Identity,
    /// Rows in the cell with most rows, at any level.
    rows: usize,
    /// Cells at the level with most cells.
    cells: usize,
    /// For each wanted value the smallest or largest so far.
    ends: Vec<Option<i64>>,
}

impl Fold {
    pub(super) fn of(about: &PerEntity, watch: Option<Arc<Watch>>) -> Self {
        match about.beyond {
            Some(caps) => Self::Beyond(caps, watch),
            None => Self::Values(about.values.clone()),
        }
    }

    /// Whether the computation depends on the values of rows, and not only on their number.
    pub(super) fn is_of_values(&self) -> bool {
        match self {
            Self::Beyond(..) => false,
            Self::Values(_) => true,
        }
    }

    /// Most bytes that an entity needs while its shard is walked over. There are at most as many entities as rows, and
    /// a growing list takes twice its length.
    pub(super) fn bytes_per_entity(&self) -> usize {
        let own = match self {
            Self::Beyond(..) => 2 * size_of::<bool>(),
            Self::Values(values) => {
                2 * size_of::<Entity>() + values.len() * (size_of::<Option<i64>>() + size_of::<i64>())
            }
        };
        own + size_of::<(u32, u64)>()
    }

    /// Emits one row for each entity: its cell records whether the entity exceeds the caps, and its arguments are the
    /// entity's values.
    pub(super) fn hand_out(
        &self,
        keeper: &mut Keeper,
        rows: Rows<'_>,
        batch_size: usize,
        take: &mut Take<'_>,
    ) -> Result<(), ComputeError> {
        match self {
            Self::Beyond(caps, watch) => {
                let beyond = exceeds_caps(keeper, rows, *caps, watch.as_deref());
                let cells = |batch: &[bool]| batch.iter().map(|is_beyond| u32::from(*is_beyond)).collect();
                beyond.chunks(batch_size).try_for_each(|batch| take(&one_row_each(cells(batch), Vec::new())))
            }
            Self::Values(values) => {
                let entities = entities(keeper, rows, values);
                let mut batches = entities.chunks(batch_size);
                batches.try_for_each(|batch| take(&one_row_each(vec![0; batch.len()], on_ladders(values, batch))))
            }
        }
    }
}

/// For each entity, in the order of the walk, whether it exceeds these caps.
fn exceeds_caps(keeper: &mut Keeper, rows: Rows<'_>, caps: Caps, watch: Option<&Watch>) -> Vec<bool> {
    let mut all = Vec::new();
    for cut in 0..keeper.cuts() {
        // Every level visits the same entities in the same order.
        let (mut at, mut kept) = (0, 0);
        keeper.count(rows, cut, caps, &mut |counted| {
            match all.get_mut(at) {
                Some(is_beyond) => *is_beyond |= counted.is_beyond,
                None => all.push(counted.is_beyond),
            }
            (at, kept) = (at + 1, kept + counted.rows as u64);
        });
        if let Some(known) = watch.and_then(|watch| watch.kept.get(cut)) {
            known.fetch_add(kept, Ordering::Relaxed);
        }
    }
    all
}

/// The states from which the values of each entity are computed.
fn entities(keeper: &mut Keeper, rows: Rows<'_>, values: &[OnLadder]) -> Vec<Entity> {
    let wants_values =
        values.iter().any(|ladder| matches!(ladder.value, EntityValue::Smallest(_) | EntityValue::Largest(_)));
    let mut entities: Vec<Entity> = Vec::new();
    for level in 0..keeper.levels() {
        // Every level visits the same entities in the same order. Values come from the first level.
        let (mut at, mut cells) = (0, 0);
        keeper.cells(rows, level, level == 0 && wants_values, &mut |owner, seen| {
            if level == 0 && entities.last().is_none_or(|last| last.owner != owner) {
                entities.push(Entity { owner, rows: 0, cells: 0, ends: vec![None; values.len()] });
                (at, cells) = (entities.len() - 1, 0);
            } else if entities.get(at).is_some_and(|entity| entity.owner != owner) {
                (at, cells) = (at + 1, 0);
            }
            let Some(entity) = entities.get_mut(at) else { return };
            match seen {
                EntityItem::Cell { rows } => {
                    cells += 1;
                    entity.rows = entity.rows.max(rows);
                    entity.cells = entity.cells.max(cells);
                }
                EntityItem::Value { argument, value } => widen(values, entity, argument, value),
            }
        });
    }
    entities
}

/// Includes a value of an argument.
fn widen(values: &[OnLadder], entity: &mut Entity, argument: usize, value: i64) {
    for (ladder, end) in values.iter().zip(&mut entity.ends) {
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

/// The values of entities, as positions on their ladders.
fn on_ladders(values: &[OnLadder], entities: &[Entity]) -> Vec<Values> {
    let of = |(at, ladder): (usize, &OnLadder)| {
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
    };
    values.iter().enumerate().map(of).collect()
}

/// Rows that each represent one entity, in these cells.
fn one_row_each(cells: Vec<u32>, values: Vec<Values>) -> KeptRows {
    KeptRows { level: 0, marks: vec![FIRST; cells.len()], cells, values }
}
