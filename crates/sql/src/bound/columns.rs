//! A batch of rows, understood a column at a time: whose rows, with which keys and which values.

use super::UnexpectedBatch;
use super::decode::{Decoder, Values};
use super::identity::{Identities, Identity};
use super::lookup::{KeyLookup, NOWHERE};
use super::totals::Totals;
use crate::plan::{Argument, Group};
use datafusion::arrow::array::{Array, RecordBatch};
use std::sync::Arc;

/// What the columns of a batch mean: the entity key if there is one, the group columns, the arguments, in this order.
#[derive(Clone)]
pub(crate) struct Meaning {
    groups: Arc<[KeyLookup]>,
    arguments: Arc<[Decoder]>,
    identities: Option<Identities>,
}

impl Meaning {
    /// `identities` are given when the first column is an entity key.
    pub(super) fn new(groups: &[Group], arguments: &[Argument], identities: Option<Identities>) -> Self {
        Self {
            groups: groups.iter().map(|group| KeyLookup::new(&group.keys)).collect(),
            arguments: arguments.iter().map(Decoder::new).collect(),
            identities,
        }
    }

    /// For each argument, whether it has a grid.
    pub(super) fn grids(&self) -> Vec<bool> {
        self.arguments.iter().map(Decoder::has_grid).collect()
    }

    /// The columns of a batch.
    pub(super) fn columns(&self) -> usize {
        usize::from(self.identities.is_some()) + self.groups.len() + self.arguments.len()
    }
}

/// The rows of one batch. The buffers are used again for the next.
pub(crate) struct Columns {
    meaning: Meaning,
    /// Empty when there is no entity key.
    pub(super) identities: Vec<Identity>,
    /// The combination of each row's keys, or [`NOWHERE`] where one is not declared.
    pub(super) combinations: Vec<u32>,
    pub(super) values: Vec<Values>,
}

impl Columns {
    pub(crate) fn new(meaning: Meaning) -> Self {
        let values = meaning.arguments.iter().map(|_| Values::default()).collect();
        Self { meaning, identities: Vec::new(), combinations: Vec::new(), values }
    }

    /// Understands a batch.
    pub(crate) fn read(&mut self, batch: &RecordBatch) -> Result<(), UnexpectedBatch> {
        let mut columns = batch.columns().iter();
        let mut next = || columns.next().ok_or(UnexpectedBatch);
        self.combinations.clear();
        self.combinations.resize(batch.num_rows(), 0);
        if let Some(identities) = &self.meaning.identities {
            let column = next()?;
            identities.of_column(column, &mut self.identities)?;
            if let Some(nulls) = column.logical_nulls().filter(|nulls| nulls.null_count() > 0) {
                let nobody = self.combinations.iter_mut().zip(nulls.iter()).filter(|(_, is_somebody)| !is_somebody);
                nobody.for_each(|(combination, _)| *combination = NOWHERE);
            }
        }
        for lookup in self.meaning.groups.iter() {
            lookup.refine(next()?, &mut self.combinations)?;
        }
        for (decoder, values) in self.meaning.arguments.iter().zip(&mut self.values) {
            decoder.decode(next()?, values)?;
        }
        Ok(())
    }

    /// Adds every row as if it were an entity of its own.
    pub(crate) fn add_to(&self, totals: &mut Totals) {
        totals.add(&self.combinations, &self.values);
    }
}
