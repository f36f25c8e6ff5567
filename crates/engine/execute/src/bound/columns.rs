//! Decodes a batch of rows column by column: entities, keys and values.

use super::Identity;
use super::decode::{Decoder, Values};
use super::identity::Identities;
use super::lookup::{KeyLookup, NOWHERE};
use super::order;
use super::totals::Totals;
use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, ArrayRef};
use arrow_buffer::ScalarBuffer;
use deniable_query::{Argument, Group, Query};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The layout of a batch: the entity key if there is one, the group columns, the arguments, in this order.
#[derive(Clone)]
pub(crate) struct Meaning {
    groups: Arc<[KeyLookup]>,
    arguments: Arc<[Decoder]>,
    identities: Option<Identities>,
    /// Counters that are updated while rows are read, for the curator alone.
    watch: Option<Arc<Watch>>,
}

/// Running exact counts of the rows that a query reads, and of those that its caps let count.
#[derive(Debug)]
pub(crate) struct Watch {
    /// Rows with an entity and declared keys.
    pub(crate) rows: AtomicU64,
    /// Rows with an entity and a key that is not declared.
    pub(crate) without_group: AtomicU64,
    /// Rows without a row in a public table that an inner join needs, unless a condition is false for them.
    pub(crate) without_partner: AtomicU64,
    /// For each argument, the number of its values in these rows, and the number beyond its bounds.
    pub(crate) values: Vec<[AtomicU64; 2]>,
    /// The same for each argument of a fold over each entity's own rows, in all rows with an entity.
    pub(crate) inside: Vec<[AtomicU64; 2]>,
    /// Number of rows that count, wherever caps are applied: at each level, or once for all levels.
    pub(crate) kept: Vec<AtomicU64>,
}

impl Watch {
    pub(crate) fn new(query: &Query) -> Self {
        let counts = |many: usize| (0..many).map(|_| <[AtomicU64; 2]>::default()).collect();
        let inside = query.entity_rows().map_or(0, |made| made.of.arguments());
        let cuts = if query.is_capped_together() { 1 } else { query.levels().len() };
        Self {
            rows: AtomicU64::new(0),
            without_partner: AtomicU64::new(0),
            without_group: AtomicU64::new(0),
            values: counts(query.arguments()),
            inside: counts(inside),
            kept: (0..cuts).map(|_| AtomicU64::new(0)).collect(),
        }
    }
}

impl Meaning {
    /// `identities` is present when the first column is an entity key.
    pub(super) fn new<'g>(
        groups: impl Iterator<Item = &'g Group>,
        arguments: &[Argument],
        identities: Option<Identities>,
        watch: Option<Arc<Watch>>,
    ) -> Self {
        Self {
            watch,
            groups: groups.map(|group| KeyLookup::new(&group.keys)).collect(),
            arguments: arguments.iter().map(Decoder::new).collect(),
            identities,
        }
    }

    /// For each argument with a grid its least and its greatest units.
    pub(super) fn grids(&self) -> Vec<Option<(i64, i64)>> {
        self.arguments.iter().map(Decoder::ends).collect()
    }
}

/// The decoded rows of one batch. The buffers are reused for the next batch.
pub(crate) struct Columns {
    meaning: Meaning,
    /// Empty when there is no entity key.
    pub(super) identities: Vec<Identity>,
    /// The entity keys, if they are whole numbers.
    keys: Option<ScalarBuffer<i64>>,
    /// The combination of each row's keys, or [`NOWHERE`] if a key is not declared.
    pub(super) combinations: Vec<u32>,
    pub(super) values: Vec<Values>,
}

impl Columns {
    pub(crate) fn new(meaning: Meaning) -> Self {
        let values = meaning.arguments.iter().map(|_| Values::default()).collect();
        Self { meaning, identities: Vec::new(), keys: None, combinations: Vec::new(), values }
    }

    /// Decodes a batch of `rows` rows: the entity key if there is one, the group columns and the arguments, in this
    /// order. A missing column, or one of an unexpected type, has no values.
    pub(crate) fn read(&mut self, rows: usize, batch: &[ArrayRef]) {
        let mut columns = batch.iter();
        let mut next = || columns.next().filter(|column| column.len() == rows);
        self.combinations.clear();
        self.combinations.resize(rows, 0);
        self.keys = None;
        if let Some(identities) = &self.meaning.identities {
            let known = next().is_some_and(|column| {
                if let Some(nulls) = column.logical_nulls().filter(|nulls| nulls.null_count() > 0) {
                    let nobody = self.combinations.iter_mut().zip(nulls.iter()).filter(|(_, is_somebody)| !is_somebody);
                    nobody.for_each(|(combination, _)| *combination = NOWHERE);
                }
                self.keys = column.as_primitive_opt::<Int64Type>().map(|keys| keys.values().clone());
                identities.of_column(column, &mut self.identities)
            });
            if !known {
                self.combinations.fill(NOWHERE);
            }
        }
        self.read_values(rows, next);
    }

    /// Decodes rows whose entities are known already: the group columns and the arguments, in this order.
    pub(crate) fn read_owned(&mut self, rows: usize, owners: Vec<Identity>, batch: &[ArrayRef]) {
        let mut columns = batch.iter();
        self.combinations.clear();
        self.combinations.resize(rows, if owners.len() == rows { 0 } else { NOWHERE });
        self.identities = owners;
        // Owners are in no known order.
        self.keys = None;
        self.read_values(rows, || columns.next().filter(|column| column.len() == rows));
    }

    fn read_values<'c>(&mut self, rows: usize, mut next: impl FnMut() -> Option<&'c ArrayRef>) {
        let counted = |combinations: &[u32]| combinations.iter().filter(|at| **at != NOWHERE).count() as u64;
        let owned = if self.meaning.watch.is_some() { counted(&self.combinations) } else { 0 };
        for lookup in self.meaning.groups.iter() {
            match next() {
                Some(column) => lookup.refine(column, &mut self.combinations),
                None => self.combinations.fill(NOWHERE),
            }
        }
        for (at, (decoder, values)) in self.meaning.arguments.iter().zip(&mut self.values).enumerate() {
            match next() {
                Some(column) => {
                    decoder.decode(column, values);
                    if let Some(watch) = &self.meaning.watch {
                        let counts = |row: usize| self.combinations[row] != NOWHERE && values.is_present(row);
                        let (all, beyond) = decoder.beyond(column, counts);
                        watch.values[at][0].fetch_add(all, Ordering::Relaxed);
                        watch.values[at][1].fetch_add(beyond, Ordering::Relaxed);
                    }
                }
                None => values.nothing(rows),
            }
        }
        if let Some(watch) = &self.meaning.watch {
            let rows = counted(&self.combinations);
            watch.rows.fetch_add(rows, Ordering::Relaxed);
            watch.without_group.fetch_add(owned.saturating_sub(rows), Ordering::Relaxed);
        }
    }

    /// The first and the last entity key of the rows that count, if keys are whole numbers and do not decrease.
    pub(super) fn ends(&self) -> Option<(i64, i64)> {
        let rows = self.keys.as_ref()?.iter().zip(&self.combinations);
        order::ends(rows.filter(|(_, combination)| **combination != NOWHERE).map(|(key, _)| *key))
    }

    /// Adds every row as a separate entity.
    pub(crate) fn add_to(&self, totals: &mut Totals) {
        totals.add(&self.combinations, &self.values);
    }
}
