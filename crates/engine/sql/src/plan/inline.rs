//! Inlines subqueries that only filter, project and join: their columns become nodes over the tables' own columns, and
//! all conditions are collected. The result consists of tables, conditions and expressions.

use super::join::Lookup;
use super::membership::Memberships;
use super::own_rows::joined_key;
use super::refuse_node;
use crate::lower::{ComputedColumn, Lowering, Scope};
use crate::plan::place::place_of;
use datafusion_common::{JoinType, NullEquality};
use datafusion_expr::{Expr, Join, LogicalPlan, TableScan};
use deniable_expression::{Comparison, Id, Node, Operation, Value};
use deniable_query::{Place, QueryError};

/// A condition, and its place in the SQL.
#[derive(Debug, Clone, Copy)]
pub(super) struct Condition {
    pub(super) id: Id,
    pub(super) place: Option<Place>,
}

/// The row-wise part of a plan: its output columns and conditions as expressions over the tables' columns.
pub(super) struct InlinedPlan {
    pub(super) columns: Vec<Id>,
    pub(super) filters: Vec<Condition>,
    /// The positions of the tables, in the order in which the plan reads them.
    pub(super) tables: Vec<usize>,
    /// Public tables in LEFT JOIN, whose row may be missing.
    pub(super) lookups: Vec<Lookup>,
}

/// Inlines everything below an aggregate.
pub(super) fn inline(plan: &LogicalPlan, lowering: &mut Lowering<'_>) -> Result<InlinedPlan, QueryError> {
    if let Some(computed) = lowering.computed {
        let own = matches!(plan, LogicalPlan::TableScan(scan) if is_computed(scan, lowering));
        match plan {
            LogicalPlan::Aggregate(_) if !computed.joined.is_empty() => {
                let mut inlined = computed_columns(&computed.joined, lowering)?;
                if let Some(rows) = computed.presence {
                    let (rows, least) = (computed_column(rows, lowering)?, lowering.constant(Value::Integer(1))?);
                    let id = lowering.call(Operation::Compare(Comparison::GreaterOrEqual), &[rows, least])?;
                    inlined.filters.push(Condition { id, place: None });
                }
                return Ok(inlined);
            }
            LogicalPlan::Aggregate(_) | LogicalPlan::Window(_) => return computed_columns(&computed.rows, lowering),
            _ if own => return computed_columns(&computed.rows, lowering),
            _ => {}
        }
    }
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
            let at = lowering.tables.iter().position(|table| table.name == table_name.table());
            let at = at.ok_or_else(|| QueryError::meaning(format!("there is no table `{table_name}`")))?;
            let columns = projected_schema.fields().iter().map(|field| lowering.column(at, field.name()));
            let columns = columns.collect::<Result<_, _>>()?;
            Ok(InlinedPlan { columns, filters: Vec::new(), tables: vec![at], lookups: Vec::new() })
        }
        LogicalPlan::SubqueryAlias(alias) => inline(&alias.input, lowering),
        LogicalPlan::Join(join) => joined(join, plan, lowering),
        LogicalPlan::Projection(projection) => {
            let inner = inline(&projection.input, lowering)?;
            let scope = Scope { schema: projection.input.schema(), columns: &inner.columns };
            let columns = projection.expr.iter().map(|expr| lowering.expr(expr, scope)).collect::<Result<_, _>>()?;
            Ok(InlinedPlan { columns, ..inner })
        }
        LogicalPlan::Filter(filter) => {
            let mut inner = inline(&filter.input, lowering)?;
            let scope = Scope { schema: filter.input.schema(), columns: &inner.columns };
            if lowering.memberships.is_some() {
                // The filter of a subquery.
                inner.filters.extend(conditions(&filter.predicate, scope, lowering)?);
                return Ok(inner);
            }
            lowering.memberships = Some(Memberships::default());
            let found = conditions(&filter.predicate, scope, lowering);
            let memberships = lowering.memberships.take();
            inner.filters.extend(found?);
            memberships.unwrap_or_default().join(&mut inner);
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

/// Whether a scan reads the rows from which the first table is computed: all other protected tables are rejected before.
fn is_computed(scan: &TableScan, lowering: &Lowering<'_>) -> bool {
    lowering.tables.iter().all(|table| table.name != scan.table_name.table())
}

fn computed_column(column: ComputedColumn, lowering: &mut Lowering<'_>) -> Result<Id, QueryError> {
    match column {
        ComputedColumn::At(position) => {
            let name = lowering.tables[0].columns[position].name.clone();
            lowering.column(0, &name)
        }
        ComputedColumn::JoinedKey => joined_key(lowering),
        ComputedColumn::Unused(kind) => lowering.null(kind),
    }
}

/// Columns of the first table, whose rows are computed.
fn computed_columns(columns: &[ComputedColumn], lowering: &mut Lowering<'_>) -> Result<InlinedPlan, QueryError> {
    let columns = columns.iter().map(|column| computed_column(*column, lowering)).collect::<Result<_, _>>()?;
    Ok(InlinedPlan { columns, filters: Vec::new(), tables: vec![0], lookups: Vec::new() })
}

/// The operands of nested ANDs, each with its place.
fn conditions(expr: &Expr, scope: Scope<'_>, lowering: &mut Lowering<'_>) -> Result<Vec<Condition>, QueryError> {
    let mut found = Vec::new();
    for part in datafusion_expr::utils::split_conjunction(expr) {
        let id = lowering.expr(part, scope)?;
        let place = place_of([part]);
        found.extend(lowering.conjuncts(id).into_iter().map(|id| Condition { id, place }));
    }
    Ok(found)
}

/// Joins two inlined sides. An inner join is a product with conditions, in whatever syntax.
fn joined(join: &Join, plan: &LogicalPlan, lowering: &mut Lowering<'_>) -> Result<InlinedPlan, QueryError> {
    let Join { left, right, on, filter, join_type, join_constraint: _, schema: _, null_equality, null_aware } = join;
    if *null_equality == NullEquality::NullEqualsNull || *null_aware {
        return Err(QueryError::refused("a join that treats NULL as equal to NULL", "join with =, or USING"));
    }
    let (left_side, right_side) = (inline(left, lowering)?, inline(right, lowering)?);
    let mut on_both = Vec::new();
    for (a, b) in on {
        let place = place_of([a, b]);
        let a = lowering.expr(a, Scope { schema: left.schema(), columns: &left_side.columns })?;
        let b = lowering.expr(b, Scope { schema: right.schema(), columns: &right_side.columns })?;
        let id = lowering.call(Operation::Compare(Comparison::Equal), &[a, b])?;
        on_both.push(Condition { id, place });
    }
    let columns: Vec<Id> = left_side.columns.iter().chain(&right_side.columns).copied().collect();
    if let Some(filter) = filter {
        let both = left.schema().join(right.schema()).map_err(|error| super::meaning(&error, &[]))?;
        on_both.extend(conditions(filter, Scope { schema: &both, columns: &columns }, lowering)?);
    }
    let mut all = InlinedPlan {
        columns,
        filters: left_side.filters,
        tables: left_side.tables.iter().chain(&right_side.tables).copied().collect(),
        lookups: left_side.lookups,
    };
    if lowering.computed.is_some_and(|computed| !computed.joined.is_empty()) {
        // The rows and the aggregate beside them are columns of one table.
        all.tables.sort_unstable();
        all.tables.dedup();
    }
    if all.tables.len() > lowering.tables.len() {
        return Err(QueryError::refused("a table joined with itself", "each table may occur once in a query"));
    }
    match join_type {
        JoinType::Inner => {
            all.filters.extend(right_side.filters);
            all.filters.extend(on_both);
            all.lookups.extend(right_side.lookups);
            Ok(all)
        }
        JoinType::Left => {
            all.lookups.push(lookup(&right_side.tables, &right_side.filters, &on_both, lowering)?);
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

/// `LEFT JOIN public ON x = public.key`: no other condition may decide whether a row has a partner.
fn lookup(
    right: &[usize],
    filters: &[Condition],
    on: &[Condition],
    lowering: &mut Lowering<'_>,
) -> Result<Lookup, QueryError> {
    let help = "LEFT JOIN looks a value up in one public table: ... LEFT JOIN public ON x = public.key. Protected \
                tables are joined with JOIN";
    let place = on.first().and_then(|condition| condition.place);
    let refusal = || QueryError::refused("this LEFT JOIN", help).about("LEFT").at(place);
    let ([table], [], [condition]) = (right, filters, on) else { return Err(refusal()) };
    let Some(key) = &lowering.tables[*table].public_key else { return Err(refusal()) };
    let key = lowering.column(*table, key)?;
    let Some([left, right]) = equated(condition.id, lowering) else { return Err(refusal()) };
    let on = match (left == key, right == key) {
        (true, false) => right,
        (false, true) => left,
        _ => return Err(refusal()),
    };
    Ok(Lookup { table: *table, on })
}

/// The two sides of an equation.
pub(super) fn equated(id: Id, lowering: &Lowering<'_>) -> Option<[Id; 2]> {
    match lowering.program.node(id) {
        Node::Call(Operation::Compare(Comparison::Equal), both) => both.as_slice().try_into().ok(),
        Node::Column(_) | Node::Constant(..) | Node::Call(..) => None,
    }
}
