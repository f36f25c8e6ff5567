//! Joins of results with public tables: standard populations, names, areas. A released key is public and so is the row
//! that it selects, so the join costs nothing and changes no noise.

use super::released::{OuterPlan, RowSet};
use super::results::{Results, term};
use super::{place::place_of, refuse_node};
use datafusion_common::{DFSchema, JoinType};
use datafusion_expr::{Expr, Join, LogicalPlan, TableScan};
use deniable_core::schema::{Key, TableSchema};
use deniable_expression::Value;
use deniable_query::QueryError;
use deniable_query::facts::keys::key_of;
use deniable_query::output::{Condition, Step, Term};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A row of a public table: its declared columns, in their order.
type Row = Vec<Option<Value>>;

/// Reads all rows of a public table, or returns an error message.
pub type PublicRows<'a> = &'a (dyn Fn(&TableSchema) -> Result<Vec<Row>, String> + Sync);

const HELP: &str =
    "results are joined with one public table by its key: ... JOIN public ON results.x = public.key, or LEFT JOIN";

impl<'a> OuterPlan<'a> {
    /// Results joined with the matching rows of a public table.
    pub(super) fn joined(&mut self, join: &'a Join, plan: &LogicalPlan) -> Result<RowSet, QueryError> {
        let Join { left, right, on, filter, join_type, .. } = join;
        let is_left = super::released::has_aggregate(left);
        let (results, other) = if is_left { (left, right) } else { (right, left) };
        let refusal = || QueryError::refused("this join of results", HELP).about("JOIN");
        match (join_type, is_left) {
            (JoinType::Inner, _) | (JoinType::Left, true) => {}
            _ => return Err(refuse_node(plan)),
        }
        let mut rows = self.rows(results)?;
        let (table, columns) = self.scanned(other).ok_or_else(refusal)?;
        let key = table.public_key.as_deref().and_then(|key| table.position(key)).ok_or_else(refusal)?;
        let looked_up = {
            let (of, by) = condition(on, filter.as_ref(), other.schema()).ok_or_else(refusal)?;
            let at = other.schema().index_of_column(by).ok().and_then(|at| columns.get(at).copied());
            if at != Some(key) {
                let help =
                    format!("`{}` has one row for each `{}`: join on that column", table.name, table.columns[key].name);
                return Err(QueryError::refused("a join of results on another column", help)
                    .at(place_of([&Expr::Column(by.clone())])));
            }
            term(of, Results { schema: results.schema(), columns: &rows.columns, subqueries: &[] })?
        };
        let contents = (self.public)(table).map_err(|error| QueryError::meaning(error).about(&table.name))?;
        let found = |column: usize| Term::Lookup(Box::new(looked_up.clone()), Arc::new(by_key(&contents, key, column)));
        let public: Vec<Term> = columns.iter().map(|column| found(*column)).collect();
        if *join_type == JoinType::Inner {
            rows.steps.push(Step::Filter(Condition::Not(Box::new(Condition::IsNull(found(key))))));
        }
        rows.columns = if is_left {
            rows.columns.into_iter().chain(public).collect()
        } else {
            public.into_iter().chain(rows.columns).collect()
        };
        Ok(rows)
    }

    /// The public table that a plan reads, and the table's column for each column of the plan; `None` for other plans.
    fn scanned(&self, plan: &LogicalPlan) -> Option<(&'a TableSchema, Vec<usize>)> {
        match plan {
            LogicalPlan::SubqueryAlias(alias) => self.scanned(&alias.input),
            LogicalPlan::TableScan(TableScan { table_name, projected_schema, filters, fetch, .. }) => {
                let table =
                    self.tables.iter().find(|table| table.name == table_name.table() && !table.is_protected())?;
                (filters.is_empty() && fetch.is_none()).then_some(())?;
                let position = |name: &String| table.position(name);
                let columns = projected_schema.fields().iter().map(|field| position(field.name()));
                Some((table, columns.collect::<Option<_>>()?))
            }
            _ => None,
        }
    }
}

/// The two sides of the join's only equation: the value that is looked up, and the public column.
fn condition<'p>(
    on: &'p [(Expr, Expr)],
    filter: Option<&'p Expr>,
    public: &DFSchema,
) -> Option<(&'p Expr, &'p datafusion_common::Column)> {
    let (left, right) = match (on, filter) {
        ([(left, right)], None) => (left, right),
        ([], Some(Expr::BinaryExpr(both))) if both.op == datafusion_expr::Operator::Eq => (&*both.left, &*both.right),
        _ => return None,
    };
    let column = |expr: &'p Expr| match expr {
        Expr::Column(column) if public.has_column(column) => Some(column),
        _ => None,
    };
    match (column(left), column(right)) {
        (None, Some(by)) => Some((left, by)),
        (Some(by), None) => Some((right, by)),
        _ => None,
    }
}

/// The values of a column by the table's key.
fn by_key(rows: &[Row], key: usize, column: usize) -> BTreeMap<Key, Term> {
    let of = |value: &Option<Value>| key_of(value.as_ref()).unwrap_or(Key::Null);
    rows.iter().map(|row| (of(&row[key]), constant(of(&row[column])))).collect()
}

/// A public value. Dates and timestamps are compared and shown as texts.
fn constant(value: Key) -> Term {
    match value {
        Key::Null | Key::Other => Term::Null,
        Key::Integer(number) => Term::Number(deniable_core::exact::whole(number)),
        Key::Decimal(number) => Term::Number(number),
        Key::Text(text) => Term::Text(text),
        other => Term::Text(other.to_string()),
    }
}
