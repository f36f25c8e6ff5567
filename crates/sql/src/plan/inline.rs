//! Subqueries that only filter and project disappear here: every expression is rewritten over the table's own
//! columns, and all conditions are gathered. What is left is one scan, some conditions and some expressions.

use super::refuse_node;
use crate::error::QueryError;
use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::common::{Column, DFSchema};
use datafusion::logical_expr::{BinaryExpr, Expr, LogicalPlan, TableScan};

/// Largest expression, in nodes: inlining can double a text at every level.
const MOST_NODES: usize = 1_000;
/// Deepest computation.
const MOST_DEPTH: usize = 100;

/// The row-wise part of a plan: its output columns and conditions as expressions over the table's columns.
pub(super) struct Inlined {
    pub(super) columns: Vec<Expr>,
    pub(super) filters: Vec<Expr>,
}

/// Inlines everything below an aggregate.
pub(super) fn inline(plan: &LogicalPlan) -> Result<Inlined, QueryError> {
    match plan {
        LogicalPlan::TableScan(TableScan {
            table_name: _,
            source: _,
            projection: _,
            projected_schema,
            filters,
            fetch,
            statistics_requests: _,
        }) => {
            if !filters.is_empty() || fetch.is_some() {
                return Err(refuse_node(plan));
            }
            let columns =
                projected_schema.fields().iter().map(|field| Expr::Column(Column::new_unqualified(field.name())));
            Ok(Inlined { columns: columns.collect(), filters: Vec::new() })
        }
        LogicalPlan::SubqueryAlias(alias) => inline(&alias.input),
        LogicalPlan::Projection(projection) => {
            let inner = inline(&projection.input)?;
            let columns = projection
                .expr
                .iter()
                .map(|expr| substitute(expr, projection.input.schema(), &inner.columns))
                .collect::<Result<_, _>>()?;
            Ok(Inlined { columns, filters: inner.filters })
        }
        LogicalPlan::Filter(filter) => {
            let mut inner = inline(&filter.input)?;
            inner.filters.push(substitute(&filter.predicate, filter.input.schema(), &inner.columns)?);
            Ok(inner)
        }
        LogicalPlan::Aggregate(_)
        | LogicalPlan::Window(_)
        | LogicalPlan::Sort(_)
        | LogicalPlan::Join(_)
        | LogicalPlan::Repartition(_)
        | LogicalPlan::Union(_)
        | LogicalPlan::EmptyRelation(_)
        | LogicalPlan::Subquery(_)
        | LogicalPlan::Limit(_)
        | LogicalPlan::Statement(_)
        | LogicalPlan::Values(_)
        | LogicalPlan::Explain(_)
        | LogicalPlan::Analyze(_)
        | LogicalPlan::Extension(_)
        | LogicalPlan::Distinct(_)
        | LogicalPlan::Dml(_)
        | LogicalPlan::Ddl(_)
        | LogicalPlan::Copy(_)
        | LogicalPlan::DescribeTable(_)
        | LogicalPlan::Unnest(_)
        | LogicalPlan::RecursiveQuery(_) => Err(refuse_node(plan)),
    }
}

/// Replaces the columns of `schema` in `expr` by the expressions that make them; drops aliases.
pub(super) fn substitute(expr: &Expr, schema: &DFSchema, columns: &[Expr]) -> Result<Expr, QueryError> {
    let replaced = expr
        .clone()
        .transform_up(|node| match node {
            Expr::Column(column) => {
                let position = schema.index_of_column(&column)?;
                Ok(columns.get(position).map_or_else(
                    || Transformed::no(Expr::Column(column)),
                    |replacement| Transformed::new(replacement.clone(), true, TreeNodeRecursion::Continue),
                ))
            }
            Expr::Alias(alias) => Ok(Transformed::yes(*alias.expr)),
            other => Ok(Transformed::no(other)),
        })
        .map_err(|error| super::meaning(&error))?
        .data;
    let mut nodes = 0;
    // Counting cannot fail; the traversal's type says otherwise.
    let _ = replaced.apply(|_| {
        nodes += 1;
        Ok(TreeNodeRecursion::Continue)
    });
    if nodes > MOST_NODES || computing_depth(&replaced) > MOST_DEPTH {
        return Err(QueryError::refused("an expression of this size", "compute less at once, or prepare a column"));
    }
    Ok(replaced)
}

/// How many computing steps lie on top of each other. Conditions joined by AND and OR do not count: they are
/// planned in no time, while the planner's effort grows with the cube of this.
fn computing_depth(expr: &Expr) -> usize {
    let own = match expr {
        Expr::BinaryExpr(BinaryExpr { op, .. }) => usize::from(op.is_numerical_operators()),
        Expr::ScalarFunction(_) | Expr::Case(_) | Expr::Negative(_) | Expr::Cast(_) | Expr::TryCast(_) => 1,
        _ => 0,
    };
    let mut deepest = 0;
    // Looking cannot fail; the traversal's type says otherwise.
    let _ = expr.apply_children(|child| {
        deepest = deepest.max(computing_depth(child));
        Ok(TreeNodeRecursion::Continue)
    });
    own + deepest
}
