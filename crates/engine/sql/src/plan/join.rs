//! The tables that a query reads, and their joins.
//!
//! A joined row must belong to one entity. Protected tables are therefore joined only on the entity key, and public
//! tables only on their unique key, so that a row meets at most one of their rows. Every other condition between tables
//! is an ordinary filter on the joined row.

use super::inline::{Condition, equated};
use crate::lower::Lowering;
use deniable_core::schema::TableSchema;
use deniable_expression::Id;
use deniable_query::{Join, Joins, QueryError, declared};
use std::collections::BTreeSet;

/// A `LEFT JOIN` of a public table.
#[derive(Debug, Clone)]
pub(super) struct Lookup {
    pub(super) table: usize,
    pub(super) on: Id,
}

/// Orders tables and conditions as a sequence of joins; the conditions that become joins are removed from `filters`.
pub(super) fn arrange(
    found: &[usize],
    lookups: Vec<Lookup>,
    filters: &mut Vec<Condition>,
    lowering: &mut Lowering<'_>,
) -> Result<Joins, QueryError> {
    let tables = lowering.tables;
    let optional: BTreeSet<usize> = lookups.iter().map(|lookup| lookup.table).collect();
    let first = found.iter().copied().find(|at| tables[*at].is_protected()).ok_or_else(|| {
        let help = "the table is declared as public: read its file directly, or join it to a protected table";
        let error = QueryError::refused("a query about a public table alone", help);
        found.first().map_or_else(|| error.clone(), |at| error.clone().about(&tables[*at].name))
    })?;
    if let Some(twice) = found.iter().enumerate().find(|(at, table)| found[..*at].contains(table)) {
        let help = "each table may occur once in a query";
        return Err(QueryError::refused(format!("the table `{}` joined with itself", tables[*twice.1].name), help));
    }
    let mut joins = Joins { first, others: Vec::new() };
    let mut waiting: Vec<usize> =
        found.iter().copied().filter(|table| *table != first && !optional.contains(table)).collect();
    let mut lookups = lookups;
    while !waiting.is_empty() || !lookups.is_empty() {
        let known: BTreeSet<usize> = joins.tables().collect();
        let ready = waiting.iter().enumerate().find_map(|(place, table)| {
            let at = filters.iter().position(|filter| key_of(filter.id, *table, &known, lowering).is_some())?;
            Some((place, *table, at))
        });
        if let Some((place, table, at)) = ready {
            waiting.remove(place);
            if let Some(on) = key_of(filters.remove(at).id, table, &known, lowering) {
                joins.others.push(Join { table, on, keeps_unmatched: false });
            }
            continue;
        }
        let ready = lookups.iter().position(|lookup| reads_only(lookup.on, &known, lowering));
        match (ready, waiting.first()) {
            (Some(at), _) => {
                let Lookup { table, on } = lookups.remove(at);
                joins.others.push(Join { table, on, keeps_unmatched: true });
            }
            (None, Some(stuck)) => {
                let table = &tables[*stuck];
                let about = |filter: &&Condition| {
                    let mut inputs = lowering.program.inputs(&[filter.id]).into_iter();
                    inputs.any(|input| declared(tables, input).is_some_and(|(at, _)| at == *stuck))
                };
                let place = filters.iter().find(about).and_then(|filter| filter.place);
                return Err(no_key(table, &tables[first]).at(place).about(&table.name));
            }
            (None, None) => {
                return Err(QueryError::refused("this order of joins", "join protected tables first, then lookups"));
            }
        }
    }
    Ok(joins)
}

/// The value of known tables that a condition equates with the key of `table`.
fn key_of(filter: Id, table: usize, known: &BTreeSet<usize>, lowering: &mut Lowering<'_>) -> Option<Id> {
    let [left, right] = equated(filter, lowering)?;
    let joined = &lowering.tables[table];
    let key = lowering.column(table, joined.join_key()?).ok()?;
    let other = match (left == key, right == key) {
        (true, false) => right,
        (false, true) => left,
        _ => return None,
    };
    let fits = if joined.is_protected() {
        // It must be the entity key of a known table itself, not a value computed from it.
        known.iter().any(|at| {
            let there = &lowering.tables[*at];
            let key = there.join_key().filter(|_| there.is_protected());
            key.is_some_and(|key| lowering.column(*at, key).is_ok_and(|key| key == other))
        })
    } else {
        reads_only(other, known, lowering)
    };
    fits.then_some(other)
}

/// Whether a value depends on columns of these tables alone, and on at least one.
fn reads_only(id: Id, known: &BTreeSet<usize>, lowering: &Lowering<'_>) -> bool {
    let inputs = lowering.program.inputs(&[id]);
    let is_known = |input: &usize| declared(lowering.tables, *input).is_some_and(|(table, _)| known.contains(&table));
    !inputs.is_empty() && inputs.iter().all(is_known)
}

fn no_key(table: &TableSchema, first: &TableSchema) -> QueryError {
    if !table.is_protected() {
        let key = table.join_key().unwrap_or("key");
        let help = format!(
            "a row may meet only one row of a public table: join on its unique key, ... JOIN {0} ON x = {0}.{key}",
            table.name
        );
        return QueryError::refused(format!("a join of `{}` on anything but its key", table.name), help);
    }
    match (table.join_key(), first.join_key()) {
        (Some(key), Some(own)) => {
            let help = format!(
                "a joined row must belong to one person: join on the entity key, ... JOIN {0} ON {1}.{own} = {0}.{key}",
                table.name, first.name
            );
            QueryError::refused(format!("a join of `{}` on anything but the entity key", table.name), help)
        }
        _ => {
            let help = "matching the rows of one person in two tables needs an entity key: declare [entity]";
            QueryError::refused("a join of protected tables without an entity key", help)
        }
    }
}
