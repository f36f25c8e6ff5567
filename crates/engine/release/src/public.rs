//! The parts of a policy that come from public tables: keys (`keys_from`), and the rows that results are joined with.
//!
//! Keys are read before planning, so that they are facts of the policy like keys that it lists.
//!
//! Only unprotected tables are read. Their keys are part of the groups, and so of a query's identity: when such a file
//! changes, the queries that are grouped by its keys become other queries.

use crate::simulate::{SimulatedTable, public_rows};
use deniable_core::schema::{Key, Role, TableSchema};
use deniable_data::SourceError;
use deniable_data::keys::{listed, parents};
use deniable_data::public::{Row, rows};
use deniable_policy::Policy;
use std::collections::BTreeSet;

/// The policy with the keys of public tables; unchanged if it takes no keys from tables. Without them, grouping by such
/// columns is refused.
///
/// # Errors
/// When such a table cannot be read, or its keys are invalid. The table is public, so the error may show its rows.
pub fn with_public_keys(policy: Policy) -> Result<Policy, SourceError> {
    let tables = policy.tables();
    let mut filled = policy;
    for (table, column) in tables.iter().flat_map(|table| table.columns.iter().map(move |column| (table, column))) {
        let Some(from) = column.keys_from.as_ref().filter(|_| column.keys.is_none()) else { continue };
        let public = tables.iter().find(|public| public.data.table == from.table);
        let Some((public, Role::Public { key })) = public.map(|public| (public, &public.role)) else { continue };
        let schema = TableSchema {
            name: from.table.clone(),
            columns: public.columns.clone(),
            entity: None,
            public_key: Some(key.clone()),
        };
        let SimulatedTable { source, .. } = public_rows(&filled, schema, &public.data)?;
        let unlabelled = |key: &&Key| !column.labels.contains_key(*key);
        let taken: BTreeSet<String> =
            column.labels.values().cloned().chain(from.further.iter().filter(unlabelled).map(Key::to_string)).collect();
        let keys = listed(&source, &from.column, from.label.as_deref(), &taken)?;
        filled = filled.with_keys(&table.data.table, &column.name, &keys);
        let within = from.parents.iter().map(|parent| parents(&source, &from.column, parent));
        filled = filled.with_parents(&table.data.table, &column.name, within.collect::<Result<_, _>>()?);
    }
    Ok(filled)
}

/// All rows of a public table that results are joined with.
///
/// # Errors
/// When it cannot be read, or a key cannot be looked up in it. The table is public, so the error may show its rows.
pub(crate) fn rows_of(policy: &Policy, table: &TableSchema) -> Result<Vec<Row>, String> {
    let unknown = || format!("`{}` is not a public table of the policy", table.name);
    let key = table.public_key.as_deref().and_then(|key| table.position(key)).ok_or_else(unknown)?;
    let declared = policy.tables().into_iter().find(|known| known.data.table == table.name).ok_or_else(unknown)?;
    let found = public_rows(policy, table.clone(), &declared.data).map_err(|error| error.to_string())?;
    rows(&found.source, key).map_err(|error| error.to_string())
}
