//! Each row of an entity beside values of its other rows (S-OWN): the row before it, its place, a value of all rows.
//!
//! Of an entity with more than [`rows_in_joins`](deniable_core::schema::Entity::rows_in_joins) rows the first are read, in
//! the order of the first value that depends on an order. Every value is a function of the multiset of the entity's own
//! rows: rows with equal sort keys are ordered by their contents.

use super::entity_rows::{EntityFolder, nulls_last};
use super::row::RowOperator;
use super::rowset::{self, HEAD};
use deniable_expression::{Column, Type, Value};
use deniable_query::{Fold, OwnSort};
use std::cmp::Ordering;

/// The values of a record.
type Values = Vec<Option<Value>>;

/// Computes the rows of entities from their records.
pub(super) struct OwnRows {
    folder: EntityFolder,
    /// The order by which rows are kept.
    order: Vec<OwnSort>,
}

impl OwnRows {
    pub(super) fn new(folder: EntityFolder) -> Self {
        let order = folder.folds().iter().find_map(order_of).map(<[OwnSort]>::to_vec).unwrap_or_default();
        Self { folder, order }
    }

    pub(super) fn folder(&self) -> &EntityFolder {
        &self.folder
    }

    pub(super) fn folder_mut(&mut self) -> &mut EntityFolder {
        &mut self.folder
    }

    /// Evaluates the rows that are computed.
    pub(super) fn operator(&self) -> &RowOperator {
        self.folder.outer()
    }

    /// The most bytes of a record.
    pub(super) fn record_bytes(&self) -> usize {
        self.folder.kinds().iter().map(|kind| rowset::most_bytes(*kind)).fold(HEAD, usize::saturating_add)
    }

    fn values(&self, records: &[Vec<u8>]) -> Vec<Values> {
        let read = |record: &Vec<u8>| {
            let mut values = Vec::new();
            rowset::values(record, self.folder.kinds(), &mut values);
            values
        };
        records.iter().map(read).collect()
    }

    /// Sorts records by entity, and those of an entity by the order in which they are kept.
    pub(super) fn sort(&self, records: &mut [Vec<u8>]) {
        records.sort_by_key(|record| rowset::identity(record));
        for own in records.chunk_by_mut(|one, next| rowset::identity(one) == rowset::identity(next)) {
            let sorted = self.sorted(own, &self.values(own), &self.order);
            let mut unsorted: Vec<Vec<u8>> = own.iter_mut().map(std::mem::take).collect();
            own.iter_mut().zip(sorted).for_each(|(record, row)| *record = std::mem::take(&mut unsorted[row]));
        }
    }

    /// The positions of an entity's records in this order.
    fn sorted(&self, records: &[Vec<u8>], values: &[Values], order: &[OwnSort]) -> Vec<usize> {
        let mut rows: Vec<usize> = (0..records.len()).collect();
        let contents = |row: usize| records[row].get(HEAD..);
        rows.sort_by(|one, other| {
            let keys = order.iter().map(|sort| {
                let [one, other] = [one, other].map(|row| values[*row][sort.by].as_ref());
                match (one, other) {
                    (Some(_), Some(_)) if sort.ascending => nulls_last(one, other),
                    (Some(_), Some(_)) => nulls_last(other, one),
                    _ if sort.nulls_first => nulls_last(one, other).reverse(),
                    _ => nulls_last(one, other),
                }
            });
            keys.fold(Ordering::Equal, Ordering::then).then_with(|| contents(*one).cmp(&contents(*other)))
        });
        rows
    }

    /// The computed columns of records that are sorted by entity, except the entity's key.
    pub(super) fn columns(&self, records: &[Vec<u8>]) -> Vec<Column> {
        let folds = self.folder.folds();
        let mut computed: Vec<Values> = vec![Vec::with_capacity(records.len()); folds.len()];
        for own in records.chunk_by(|one, next| rowset::identity(one) == rowset::identity(next)) {
            let values = self.values(own);
            let mut states = self.folder.begin();
            values.iter().for_each(|values| {
                self.folder.add(&mut states, values);
            });
            for (at, (fold, column)) in folds.iter().zip(&mut computed).enumerate() {
                match fold {
                    Fold::Own(argument) => column.extend(values.iter().map(|values| values[*argument].clone())),
                    Fold::Shifted { value, order, places } => {
                        let sorted = self.sorted(own, &values, order);
                        let start = column.len();
                        column.resize(start + own.len(), None);
                        for (place, row) in sorted.iter().enumerate() {
                            let from = i64::try_from(place).unwrap_or(i64::MAX).checked_sub(*places);
                            let from = from.and_then(|from| sorted.get(usize::try_from(from).ok()?));
                            column[start + row] = from.and_then(|from| values[*from][*value].clone());
                        }
                    }
                    Fold::Place(order) => {
                        let start = column.len();
                        column.resize(start + own.len(), None);
                        for (row, place) in self.sorted(own, &values, order).into_iter().zip(1..) {
                            column[start + row] = Some(Value::Integer(place));
                        }
                    }
                    _ => {
                        let value = self.folder.finish(at, &states[at]);
                        column.resize(column.len() + own.len(), value);
                    }
                }
            }
        }
        let column = |(kind, values): (&Type, Values)| Column::from_values(*kind, values.into_iter());
        self.folder.columns().iter().zip(computed).map(column).collect()
    }
}

fn order_of(fold: &Fold) -> Option<&[OwnSort]> {
    match fold {
        Fold::Shifted { order, .. } | Fold::Place(order) => Some(order),
        _ => None,
    }
}
