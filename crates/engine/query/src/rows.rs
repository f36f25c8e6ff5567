//! Rows of a query: tables, joins, conditions and expressions.

use crate::facts::range::Grid;
use deniable_core::schema::{Column, TableSchema, section};
use deniable_expression::{Id, Program};

/// The rows of a query, before anything is added up.
#[derive(Debug, Clone)]
pub struct Rows {
    /// The tables of the policy.
    pub tables: Vec<TableSchema>,
    /// Expressions over the columns of all tables, in the order of the tables.
    pub program: Program,
    /// The tables that are read, and how they are joined.
    pub joins: Joins,
    /// Conditions that must all be true.
    pub filters: Vec<Id>,
    /// Expressions that measures refer to by position.
    pub arguments: Vec<Argument>,
}

/// An expression of a row, and the grid on which it is summed, if it has one.
#[derive(Debug, Clone)]
pub struct Argument {
    /// The expression.
    pub value: Id,
    /// Its grid.
    pub grid: Option<Grid>,
}

/// The tables of a query, in the order in which they are joined.
#[derive(Debug, Clone)]
pub struct Joins {
    /// The position of the first table, which is protected.
    pub first: usize,
    /// The tables joined to it.
    pub others: Vec<Join>,
}

/// A table that is joined to the tables before it.
#[derive(Debug, Clone)]
pub struct Join {
    /// The table's position among the declared ones.
    pub table: usize,
    /// A value of the tables before it that equals this table's key.
    pub on: Id,
    /// Whether rows without a partner stay, with NULLs.
    pub keeps_unmatched: bool,
}

impl Joins {
    /// The positions of all tables.
    pub fn tables(&self) -> impl Iterator<Item = usize> + '_ {
        std::iter::once(self.first).chain(self.others.iter().map(|join| join.table))
    }
}

/// The table and the declaration of an input column of a program over the columns of all these tables.
pub fn declared(tables: &[TableSchema], position: usize) -> Option<(usize, &Column)> {
    let mut left = position;
    for (at, table) in tables.iter().enumerate() {
        match table.columns.get(left) {
            Some(column) => return Some((at, column)),
            None => left -= table.columns.len(),
        }
    }
    None
}

/// The section of the policy that declares a column. `tables` starts with the main table.
pub fn section_of(tables: &[TableSchema], table: &str, column: &str) -> String {
    section(tables.iter().skip(1).any(|further| further.name == table).then_some(table), column)
}
