//! The contribution of a row: looks up public tables, evaluates expressions, and keeps rows that meet the conditions.
//! One operator over batches of rows.
//!
//! It never fails and never stops early: every value is computed for every row, whatever the row contains.

use super::lookup::Lookup;
use super::{bare, inputs_of, used_inputs, wanted};
use crate::bound::Watch;
use arrow_array::{Array, ArrayRef, BooleanArray, UInt32Array, new_null_array};
use arrow_buffer::BooleanBuffer;
use arrow_select::filter::{FilterBuilder, FilterPredicate};
use deniable_core::schema::ColumnType;
use deniable_data::{Batch, ReadColumn, WantedColumn};
use deniable_expression::{Column, Evaluator, Type};
use deniable_query::Join;
use deniable_query::Query;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// The columns of some rows, by the positions of a program's inputs.
pub(super) struct Inputs {
    pub(super) rows: usize,
    pub(super) typed: Vec<Option<Column>>,
    /// Stored texts, for columns that are only compared with keys.
    pub(super) stored: Vec<Option<ArrayRef>>,
    /// The entity of each row.
    pub(super) entity: Option<ArrayRef>,
}

/// The mapping of a protected table's columns to inputs.
pub(super) struct Inflow {
    /// The columns that are read: the inputs, then the entity key if it is not an input.
    pub(super) wanted: Vec<WantedColumn>,
    /// The position of each input.
    pub(super) inputs: Vec<usize>,
    /// Number of inputs of the program.
    pub(super) width: usize,
    /// The position of the entity key among the columns that are read.
    entity: Option<usize>,
    pub(super) entity_is_text: bool,
}

impl Inflow {
    /// `stored` are the inputs that may remain stored texts.
    pub(super) fn new(query: &Query, table: usize, stored: &[usize]) -> Self {
        let start = inputs_of(query, table).start;
        let declared = &query.rows().tables[table];
        let inputs = used_inputs(query, table);
        let mut all: Vec<WantedColumn> =
            inputs.iter().map(|input| wanted(start, *input, stored.contains(input))).collect();
        let key = declared.entity.as_ref().and_then(|entity| declared.position(&entity.key));
        let entity = key.map(|key| {
            all.iter().position(|wanted| wanted.column == key).unwrap_or_else(|| {
                all.push(WantedColumn::stored(key));
                all.len() - 1
            })
        });
        let entity_is_text = key.is_some_and(|key| declared.columns[key].kind != ColumnType::Integer);
        Self { wanted: all, inputs, width: query.rows().program.columns().len(), entity, entity_is_text }
    }

    /// The inputs in a batch.
    pub(super) fn inputs(&self, batch: Batch) -> Inputs {
        let entity = self.entity.and_then(|at| batch.columns.get(at)).map(ReadColumn::to_array);
        let (mut typed, mut stored) = (vec![None; self.width], vec![None; self.width]);
        for (input, column) in self.inputs.iter().zip(batch.columns) {
            match column {
                ReadColumn::Typed(column) => typed[*input] = Some(column),
                ReadColumn::Stored(array) => stored[*input] = Some(array),
            }
        }
        Inputs { rows: batch.rows, typed, stored, entity }
    }
}

/// A public table in which rows are looked up.
#[derive(Clone)]
struct Stage {
    key: Evaluator,
    lookup: Arc<Lookup>,
    keeps_unmatched: bool,
}

/// The source of an output column.
#[derive(Clone, Copy)]
enum Origin {
    /// A root of the evaluator, by its position.
    Root(usize),
    /// An input that remains a stored text.
    Stored(usize),
}

/// The operator on rows. Each thread has its own.
#[derive(Clone)]
pub(super) struct RowOperator {
    stages: Vec<Stage>,
    evaluator: Evaluator,
    /// The first roots are conditions.
    conditions: usize,
    outputs: Vec<Origin>,
    stored: Vec<usize>,
    /// Counts rows that joins leave out, for the curator alone.
    watch: Option<Arc<Watch>>,
}

impl RowOperator {
    pub(super) fn new(query: &Query, lookups: Vec<(&Join, Lookup)>) -> Self {
        let rows = query.rows();
        let program = &rows.program;
        let stages: Vec<Stage> = lookups
            .into_iter()
            .map(|(join, lookup)| Stage {
                key: Evaluator::new(program, &[join.on]),
                lookup: Arc::new(lookup),
                keeps_unmatched: join.keeps_unmatched,
            })
            .collect();
        // Texts of the first table that are used only as a group's keys need no copy.
        let joined = rows.joins.others.iter().map(|join| join.on);
        let arguments = rows.arguments.iter().map(|argument| argument.value);
        let computed = query.looked_up().map(|group| group.value).filter(|value| bare(query, *value).is_none());
        let looked_at = joined.chain(rows.filters.iter().copied()).chain(arguments).chain(computed).collect::<Vec<_>>();
        let looked_at = program.inputs(&looked_at);
        let own = inputs_of(query, rows.joins.first);
        let is_stored = |input: &usize| {
            own.contains(input)
                && !looked_at.contains(input)
                && program.columns().get(*input).is_some_and(|column| column.kind == Type::Text)
        };
        let stored: Vec<usize> =
            query.looked_up().filter_map(|group| bare(query, group.value)).filter(is_stored).collect();
        let mut roots = rows.filters.clone();
        let values = query.looked_up().map(|group| group.value);
        let values = values.chain(rows.arguments.iter().map(|argument| argument.value));
        let outputs = values
            .map(|value| match bare(query, value).filter(|input| stored.contains(input)) {
                Some(input) => Origin::Stored(input),
                None => {
                    roots.push(value);
                    Origin::Root(roots.len() - 1)
                }
            })
            .collect();
        let evaluator = Evaluator::new(program, &roots);
        Self { stages, evaluator, conditions: rows.filters.len(), outputs, stored, watch: None }
    }

    /// Counts the rows that joins with public tables leave out.
    pub(super) fn count_without_partner(&mut self, watch: Option<Arc<Watch>>) {
        self.watch = watch;
    }

    /// The inputs that may remain stored texts.
    pub(super) fn stored_inputs(&self) -> Vec<usize> {
        self.stored.clone()
    }

    /// The number of rows that meet the conditions, and of each the entity key if there is one, the groups' values and
    /// the arguments. `None` if there are no such rows.
    pub(super) fn run(&mut self, mut inputs: Inputs) -> Option<(usize, Vec<ArrayRef>)> {
        let rows = inputs.rows;
        let mut passes: Option<BooleanBuffer> = None;
        for Stage { key, lookup, keeps_unmatched } in &mut self.stages {
            let keys = key.evaluate(rows, &inputs.typed);
            let positions = match keys.first() {
                Some(keys) => lookup.positions(keys),
                None => UInt32Array::new_null(rows),
            };
            for (input, column) in lookup.columns() {
                inputs.typed[*input] = Some(column.take(&positions));
            }
            if !*keeps_unmatched {
                let found =
                    positions.nulls().map_or_else(|| BooleanBuffer::new_set(rows), |nulls| nulls.inner().clone());
                require(&mut passes, found);
            }
        }
        let mut values = self.evaluator.evaluate(rows, &inputs.typed).into_iter();
        let mut without_partner = passes.as_ref().filter(|_| self.watch.is_some()).map(|joined| !joined);
        for condition in values.by_ref().take(self.conditions) {
            if let (Some(without), Column::Boolean(truth)) = (&mut without_partner, &condition) {
                // A condition on the other table is unknown for them.
                let is_false = match truth.nulls() {
                    Some(nulls) => &!truth.values() & nulls.inner(),
                    None => !truth.values(),
                };
                *without = &*without & &!&is_false;
            }
            let holds = match condition {
                Column::Boolean(truth) => match truth.nulls() {
                    Some(nulls) => truth.values() & nulls.inner(),
                    None => truth.values().clone(),
                },
                // The second gate ensures that conditions are Boolean.
                _ => BooleanBuffer::new_unset(rows),
            };
            require(&mut passes, holds);
        }
        if let (Some(watch), Some(without)) = (&self.watch, without_partner) {
            watch.without_partner.fetch_add(without.count_set_bits() as u64, Ordering::Relaxed);
        }
        let values: Vec<Column> = values.collect();
        let passes = passes.filter(|passes| passes.count_set_bits() < rows);
        let kept = passes.as_ref().map_or(rows, BooleanBuffer::count_set_bits);
        if kept == 0 {
            return None;
        }
        let predicate = passes.map(|passes| FilterBuilder::new(&BooleanArray::new(passes, None)).optimize().build());
        let output = |origin: &Origin| match origin {
            Origin::Root(root) => values.get(root - self.conditions).map(Column::to_array),
            // Columns that are not read directly from the file are computed values.
            Origin::Stored(input) => {
                let typed = || inputs.typed[*input].as_ref().map(Column::to_array);
                inputs.stored[*input].clone().or_else(typed)
            }
        };
        let entity = inputs.entity.iter().cloned();
        let outputs = self.outputs.iter().map(|origin| output(origin).unwrap_or_else(|| nothing(rows)));
        Some((kept, entity.chain(outputs).map(|column| filtered(column, predicate.as_ref())).collect()))
    }
}

/// Lets only rows pass for which this holds, too.
fn require(passes: &mut Option<BooleanBuffer>, condition: BooleanBuffer) {
    *passes = Some(match passes.take() {
        Some(before) => &before & &condition,
        None => condition,
    });
}

fn nothing(rows: usize) -> ArrayRef {
    new_null_array(&arrow_schema::DataType::Null, rows)
}

fn filtered(column: ArrayRef, predicate: Option<&FilterPredicate>) -> ArrayRef {
    match predicate {
        None => column,
        // Fails only for columns of different lengths, which do not occur here.
        Some(predicate) => predicate.filter(&column).unwrap_or_else(|_| nothing(predicate.count())),
    }
}
