//! Made-up rows of the declared shape, for simulations and rehearsals.
//!
//! They follow from the policy, from public tables whose files exist, and from a fixed seed. No protected row is read,
//! and no database, engine or object store is contacted.

use crate::plan::{plan_sql, tables};
use deniable_core::schema::{Column, Data, DeclaredTable, Format, Key, Role, TableSchema, url_scheme};
use deniable_data::{MadeUp, Nulls, Source, SourceError, made_up, public_keys};
use deniable_policy::{MadeUpRows, OwnCaps, Policy};
use deniable_query::{Query, declared};
use serde::Serialize;
use std::collections::BTreeMap;

/// Number of rows if it is not guessed.
const ROWS: u64 = 1_000;

/// The origin of the rows of a simulated table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum RowsOrigin {
    /// They are made up.
    MadeUp,
    /// They are those of a public table's file.
    PublicFile,
}

/// The rows of one table.
#[derive(Debug, Clone)]
pub struct SimulatedTable {
    /// The rows.
    pub source: Source,
    /// Their origin.
    pub origin: RowsOrigin,
}

/// The number of rows and of people that a policy guesses, and 1,000 rows without a guess.
#[must_use]
pub fn usual_size(policy: &Policy) -> MadeUpRows {
    MadeUpRows { rows: policy.data().typical_rows.unwrap_or(ROWS), people: policy.typical().entities }
}

/// The rows of every table of a rehearsal ([`Policy::rehearsed`]) with its public keys
/// ([`crate::with_public_keys`]), in the order of [`Policy::tables`].
///
/// # Errors
/// When a public table's file exists and cannot be read.
pub fn simulated(policy: &Policy, size: MadeUpRows) -> Result<Vec<SimulatedTable>, SourceError> {
    let tables: Vec<(DeclaredTable, TableSchema)> =
        policy.tables().into_iter().zip(tables(policy, OwnCaps::default())).collect();
    let mut public: BTreeMap<String, SimulatedTable> = BTreeMap::new();
    for (table, schema) in tables.iter().filter(|(_, schema)| !schema.is_protected()) {
        public.insert(schema.name.clone(), public_rows(policy, schema.clone(), &table.data)?);
    }
    let joined = joined_columns(policy);
    let rows = |(table, schema): (DeclaredTable, TableSchema)| {
        if let Some(known) = public.get(&schema.name) {
            return Ok(known.clone());
        }
        let mut references = BTreeMap::new();
        for column in &schema.columns {
            let by_query = joined.get(&(schema.name.clone(), column.name.clone())).and_then(|name| public.get(name));
            let by_name =
                || public.values().find(|public| key_of(public.source.table()).is_some_and(|key| same(key, column)));
            if let Some(public) = by_query.or_else(by_name) {
                references.insert(column.name.clone(), public_keys(&public.source)?);
            }
        }
        let nulls = match &table.data.format {
            Format::Csv(options) if options.nulls.is_empty() => Nulls::Never,
            _ => Nulls::Possible,
        };
        let shape = MadeUp { rows: size.rows, entities: size.people, nulls, references };
        Ok(SimulatedTable { source: made_up(&schema, &shape)?, origin: RowsOrigin::MadeUp })
    };
    tables.into_iter().map(rows).collect()
}

/// The rows of a public table. In a rehearsal, they are those of its local file if that exists, and otherwise made up.
pub(crate) fn public_rows(policy: &Policy, table: TableSchema, data: &Data) -> Result<SimulatedTable, SourceError> {
    let is_rehearsal = policy.rehearsal().is_some();
    let is_local = matches!(data.format, Format::Csv(_) | Format::Parquet) && url_scheme(&data.path).is_none();
    if is_local || !is_rehearsal {
        match Source::locate(table.clone(), data, policy.folder()) {
            Err(SourceError::NoFile { .. }) if is_rehearsal => {}
            located => return Ok(SimulatedTable { source: located?, origin: RowsOrigin::PublicFile }),
        }
    }
    let shape = MadeUp { references: known_keys(policy, &table), ..MadeUp::default() };
    Ok(SimulatedTable { source: made_up(&table, &shape)?, origin: RowsOrigin::MadeUp })
}

/// The keys of a public table, if a protected column of its key's name and type declares them.
fn known_keys(policy: &Policy, table: &TableSchema) -> BTreeMap<String, Vec<Key>> {
    let key = key_of(table);
    let tables = policy.tables();
    let protected = tables.iter().filter(|known| matches!(known.role, Role::Protected { .. }));
    let is_it = |column: &&Column| key.is_some_and(|key| same(key, column)) && column.keys.is_some();
    let Some(known) = protected.flat_map(|table| &table.columns).find(is_it) else { return BTreeMap::new() };
    let is_value = |key: &Key| !matches!(key, Key::Null | Key::Other);
    let keys = known.keys.iter().flatten().filter(|key| is_value(key)).cloned().collect();
    BTreeMap::from([(known.name.clone(), keys)])
}

/// The column of a public table that joins name.
fn key_of(table: &TableSchema) -> Option<&Column> {
    table.columns.get(table.position(table.public_key.as_deref()?)?)
}

fn same(key: &Column, column: &Column) -> bool {
    key.name == column.name && key.kind == column.kind
}

/// The protected columns that queries of the policy join with public tables, as table and column, each with the public
/// table. Queries that are refused are left out.
fn joined_columns(policy: &Policy) -> BTreeMap<(String, String), String> {
    let mut joined = BTreeMap::new();
    let mut pending: Vec<Query> =
        policy.queries().iter().filter_map(|declared| plan_sql(policy, declared).ok()).collect();
    while let Some(query) = pending.pop() {
        let rows = query.rows();
        for join in &rows.joins.others {
            let inputs = rows.program.inputs(&[join.on]);
            let column = inputs.first().filter(|_| inputs.len() == 1).and_then(|input| declared(&rows.tables, *input));
            if let (Some((table, column)), Some(public)) = (column, rows.tables.get(join.table))
                && !public.is_protected()
            {
                joined.insert((rows.tables[table].name.clone(), column.name.clone()), public.name.clone());
            }
        }
        pending.extend(query.entity_rows().map(|rows| rows.of.clone()));
    }
    joined
}
