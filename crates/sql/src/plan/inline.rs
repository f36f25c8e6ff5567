//! Subqueries that only filter, project and join disappear here: every expression is rewritten over the tables' own
//! columns, and all conditions are gathered. What is left is some tables, some conditions and some expressions.

use super::join::{Lookup, conjuncts};
use super::{Table, refuse_node};
use crate::error::QueryError;
use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::common::{DFSchema, JoinType, NullEquality};
use datafusion::logical_expr::{BinaryExpr, Expr, Join, LogicalPlan, Operator, TableScan};

/// Largest expression, in nodes: inlining can double a text at every level.
const MOST_NODES: usize = 1_000;
/// Deepest computation.
const MOST_DEPTH: usize = 100;

/// The row-wise part of a plan: its output columns and conditions as expressions over the tables' columns.
pub(super) struct Inlined {
    pub(super) columns: Vec<Expr>,
    pub(super) filters: Vec<Expr>,
    /// The positions of the tables, as they are met.
    pub(super) tables: Vec<usize>,
    /// Public tables whose partners may be missing.
    pub(super) lookups: Vec<Lookup>,
}

/// Inlines everything below an aggregate.
pub(super) fn inline(plan: &LogicalPlan, tables: &[Table]) -> Result<Inlined, QueryError> {
    match plan {
        LogicalPlan::TableScan(TableScan {
            table_name,
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
            let at = tables.iter().position(|table| table.name == table_name.table());
            let at = at.ok_or_else(|| QueryError::meaning(format!("there is no table `{table_name}`")))?;
            let columns = projected_schema.fields().iter().map(|field| tables[at].expr(field.name()));
            Ok(Inlined { columns: columns.collect(), filters: Vec::new(), tables: vec![at], lookups: Vec::new() })
        }
        LogicalPlan::SubqueryAlias(alias) => inline(&alias.input, tables),
        LogicalPlan::Join(join) => joined(join, plan, tables),
        LogicalPlan::Projection(projection) => {
            let inner = inline(&projection.input, tables)?;
            let columns = projection
                .expr
                .iter()
                .map(|expr| substitute(expr, projection.input.schema(), &inner.columns))
                .collect::<Result<_, _>>()?;
            Ok(Inlined { columns, ..inner })
        }
        LogicalPlan::Filter(filter) => {
            let mut inner = inline(&filter.input, tables)?;
            let condition = substitute(&filter.predicate, filter.input.schema(), &inner.columns)?;
            inner.filters.extend(conjuncts(&condition));
            Ok(inner)
        }
        LogicalPlan::Aggregate(_)
        | LogicalPlan::Window(_)
        | LogicalPlan::Sort(_)
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

/// Puts two sides together. An inner join is a product with conditions, whichever way it is written.
fn joined(join: &Join, plan: &LogicalPlan, tables: &[Table]) -> Result<Inlined, QueryError> {
    let Join { left, right, on, filter, join_type, join_constraint: _, schema: _, null_equality, null_aware } = join;
    if *null_equality == NullEquality::NullEqualsNull || *null_aware {
        return Err(QueryError::refused("a join that takes NULL for equal to NULL", "join with =, or USING"));
    }
    let (left_side, right_side) = (inline(left, tables)?, inline(right, tables)?);
    let mut conditions = Vec::new();
    for (a, b) in on {
        let a = substitute(a, left.schema(), &left_side.columns)?;
        let b = substitute(b, right.schema(), &right_side.columns)?;
        conditions.push(Expr::BinaryExpr(BinaryExpr::new(Box::new(a), Operator::Eq, Box::new(b))));
    }
    let columns: Vec<Expr> = left_side.columns.iter().chain(&right_side.columns).cloned().collect();
    if let Some(filter) = filter {
        let both = left.schema().join(right.schema()).map_err(|error| super::meaning(&error))?;
        conditions.extend(conjuncts(&substitute(filter, &both, &columns)?));
    }
    let mut all = Inlined {
        columns,
        filters: left_side.filters,
        tables: left_side.tables.iter().chain(&right_side.tables).copied().collect(),
        lookups: left_side.lookups,
    };
    match join_type {
        JoinType::Inner => {
            all.filters.extend(right_side.filters);
            all.filters.extend(conditions);
            all.lookups.extend(right_side.lookups);
            Ok(all)
        }
        JoinType::Left => {
            all.lookups.push(lookup(&right_side.tables, &right_side.filters, &conditions, tables)?);
            Ok(all)
        }
        JoinType::Right
        | JoinType::Full
        | JoinType::LeftSemi
        | JoinType::RightSemi
        | JoinType::LeftAnti
        | JoinType::RightAnti
        | JoinType::LeftMark
        | JoinType::RightMark => Err(refuse_node(plan)),
    }
}

/// `LEFT JOIN public ON x = public.key`: nothing else may decide which rows have a partner.
fn lookup(right: &[usize], filters: &[Expr], on: &[Expr], tables: &[Table]) -> Result<Lookup, QueryError> {
    let help = "LEFT JOIN looks a value up in one public table: ... LEFT JOIN public ON x = public.key. Protected tables \
                are joined with JOIN";
    let refusal = || QueryError::refused("this LEFT JOIN", help).about("LEFT").near(on);
    let ([table], [], [condition]) = (right, filters, on) else { return Err(refusal()) };
    let public = &tables[*table];
    let (Some(key), Expr::BinaryExpr(BinaryExpr { left, op: Operator::Eq, right })) = (&public.public_key, condition)
    else {
        return Err(refusal());
    };
    let key = public.expr(key);
    let on = match (**left == key, **right == key) {
        (true, false) => right,
        (false, true) => left,
        _ => return Err(refusal()),
    };
    Ok(Lookup { table: *table, on: (**on).clone() })
}

/// Replaces the columns of `schema` in `expr` by the expressions that make them; drops aliases.
pub(super) fn substitute(expr: &Expr, schema: &DFSchema, columns: &[Expr]) -> Result<Expr, QueryError> {
    let replaced = expr
        .clone()
        .transform_up(|node| match node {
            Expr::Column(column) => {
                let position = schema.index_of_column(&column)?;
                Ok(match columns.get(position) {
                    None => Transformed::no(Expr::Column(column)),
                    // A column that stands for a column is complained about where it is used.
                    Some(Expr::Column(own)) => {
                        let used_here = own.clone().with_spans(column.spans);
                        Transformed::new(Expr::Column(used_here), true, TreeNodeRecursion::Continue)
                    }
                    Some(other) => Transformed::new(other.clone(), true, TreeNodeRecursion::Continue),
                })
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
        return Err(
            QueryError::refused("an expression of this size", "compute less at once, or prepare a column").near([expr])
        );
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
