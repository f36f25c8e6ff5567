//! Which tables a question reads, and how their rows meet.
//!
//! One person's rows must stay that person's own. Protected tables therefore meet only on the entity key, so that
//! a joined row belongs to one entity; public tables only on their unique key, so that a row meets at most
//! one of theirs. Every other condition between tables is an ordinary filter on the joined row.

use super::Table;
use super::table::declared;
use crate::error::QueryError;
use datafusion::logical_expr::{BinaryExpr, Expr, Operator};
use std::collections::BTreeSet;

/// The tables of a question, in the order in which they are joined.
#[derive(Debug, Clone)]
pub(crate) struct Joins {
    /// The first table: protected.
    pub(crate) first: usize,
    /// The others.
    pub(crate) others: Vec<Join>,
}

/// A table that is joined to those before it.
#[derive(Debug, Clone)]
pub(crate) struct Join {
    /// The table's position among the declared ones.
    pub(crate) table: usize,
    /// An expression over the tables before, equal to this table's key.
    pub(crate) on: Expr,
    /// Whether rows without a partner stay, with NULLs.
    pub(crate) keeps_unmatched: bool,
}

impl Joins {
    /// The positions of all tables.
    pub(crate) fn tables(&self) -> impl Iterator<Item = usize> + '_ {
        std::iter::once(self.first).chain(self.others.iter().map(|join| join.table))
    }
}

/// A `LEFT JOIN` of a public table, found on the way down.
#[derive(Debug, Clone)]
pub(super) struct Lookup {
    pub(super) table: usize,
    pub(super) on: Expr,
}

/// The conditions that AND joins.
pub(super) fn conjuncts(expr: &Expr) -> Vec<Expr> {
    match expr {
        Expr::BinaryExpr(BinaryExpr { left, op: Operator::And, right }) => {
            let mut all = conjuncts(left);
            all.extend(conjuncts(right));
            all
        }
        other => vec![other.clone()],
    }
}

/// Brings tables and conditions into an order of joins; the conditions that become joins leave `filters`.
pub(super) fn arrange(
    found: &[usize],
    lookups: Vec<Lookup>,
    filters: &mut Vec<Expr>,
    tables: &[Table],
) -> Result<Joins, QueryError> {
    let optional: BTreeSet<usize> = lookups.iter().map(|lookup| lookup.table).collect();
    let first = found.iter().copied().find(|at| tables[*at].is_protected()).ok_or_else(|| {
        let help = "the table is declared as public: read it itself, or join it to a protected table";
        let error = QueryError::refused("a question about a public table alone", help);
        found.first().map_or_else(|| error.clone(), |at| error.clone().about(&tables[*at].name))
    })?;
    if let Some(twice) = found.iter().enumerate().find(|(at, table)| found[..*at].contains(table)) {
        let help = "each table may stand once in a question";
        return Err(QueryError::refused(format!("the table `{}` joined with itself", tables[*twice.1].name), help));
    }
    let mut joins = Joins { first, others: Vec::new() };
    let mut waiting: Vec<usize> =
        found.iter().copied().filter(|table| *table != first && !optional.contains(table)).collect();
    let mut lookups = lookups;
    while !waiting.is_empty() || !lookups.is_empty() {
        let known: BTreeSet<usize> = joins.tables().collect();
        let ready = waiting.iter().enumerate().find_map(|(place, table)| {
            let at = filters.iter().position(|filter| key_of(filter, *table, &known, tables).is_some())?;
            Some((place, *table, at))
        });
        if let Some((place, table, at)) = ready {
            waiting.remove(place);
            if let Some(on) = key_of(&filters.remove(at), table, &known, tables) {
                joins.others.push(Join { table, on, keeps_unmatched: false });
            }
            continue;
        }
        let ready = lookups.iter().position(|lookup| reads_only(&lookup.on, &known, tables));
        match (ready, waiting.first()) {
            (Some(at), _) => {
                let Lookup { table, on } = lookups.remove(at);
                joins.others.push(Join { table, on, keeps_unmatched: true });
            }
            (None, Some(stuck)) => {
                let table = &tables[*stuck];
                let about = |filter: &&Expr| {
                    let columns = filter.column_refs();
                    columns.iter().any(|column| column.relation.as_ref().is_some_and(|name| name.table() == table.name))
                };
                return Err(no_key(table, &tables[first]).near(filters.iter().find(about)).about(&table.name));
            }
            (None, None) => {
                return Err(QueryError::refused("this order of joins", "join protected tables first, then lookups"));
            }
        }
    }
    Ok(joins)
}

/// The expression over known tables that a condition equates with the key of `table`.
fn key_of(filter: &Expr, table: usize, known: &BTreeSet<usize>, tables: &[Table]) -> Option<Expr> {
    let Expr::BinaryExpr(BinaryExpr { left, op: Operator::Eq, right }) = filter else { return None };
    let joined = &tables[table];
    let is_key = |side: &Expr| joined.join_key().is_some_and(|key| *side == joined.expr(key));
    let other = match (is_key(left), is_key(right)) {
        (true, false) => right,
        (false, true) => left,
        _ => return None,
    };
    let fits = if joined.is_protected() {
        // The entity key of a table that is there already, and nothing computed from it.
        known.iter().any(|at| {
            let there = &tables[*at];
            there.is_protected() && there.join_key().is_some_and(|key| **other == there.expr(key))
        })
    } else {
        reads_only(other, known, tables)
    };
    fits.then(|| (**other).clone())
}

/// Whether an expression reads columns of these tables alone, and at least one.
fn reads_only(expr: &Expr, known: &BTreeSet<usize>, tables: &[Table]) -> bool {
    let columns = expr.column_refs();
    let named = |name: &str| tables.iter().position(|table| table.name == name);
    !columns.is_empty()
        && columns.iter().all(|column| {
            let table = column.relation.as_ref().and_then(|relation| named(relation.table()));
            table.is_some_and(|table| known.contains(&table)) && declared(tables, column).is_some()
        })
}

fn no_key(table: &Table, first: &Table) -> QueryError {
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
            let help = "rows of two tables can be told to be one person's only by an entity key: declare [entity]";
            QueryError::refused("a join of protected tables without an entity key", help)
        }
    }
}
