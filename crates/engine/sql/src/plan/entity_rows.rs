//! One row of each entity: `FROM (SELECT patient, COUNT(*) AS n FROM visits GROUP BY patient)` (S-PE).
//!
//! An entity's row is a function of the multiset of that entity's own rows, computed exactly: it does not depend on
//! order, on other entities or on caps. Each entity contributes one row to the outer query, so no more caps apply.
//!
//! | value of an entity | known facts |
//! |---|---|
//! | `COUNT(*)`, `COUNT(x)` | an integer, at least 1 or at least 0; the query sets the upper bound: `LEAST(n, 50)` |
//! | `COUNT(DISTINCT x)` | between 0 and the number of x's declared keys |
//! | `SUM(x)` | on x's grid; values of x are clamped to its bounds |
//! | `AVG(x)` | within x's bounds, to a hundredth of its step |
//! | `MIN(x)`, `MAX(x)`, `MIN_BY(x, t)`, `MAX_BY(x, t)` | bounds or keys of x |

use super::aggregate::{CollectedMeasures, Context, as_whole_numbers, is_every_row, truth_where};
use super::extreme_row::{self, is_of_extreme_row};
use super::inline::inline;
use super::join::arrange;
use crate::lower::{ComputedColumns, Lowering, Scope};
use datafusion_expr::expr::{AggregateFunction, AggregateFunctionParams};
use datafusion_expr::{Aggregate, Expr, LogicalPlan};
use deniable_core::schema::{Key, TableSchema};
use deniable_expression::{Id, Operation, Type};
use deniable_query::facts::keys::Derivation;
use deniable_query::facts::range::Ranges;
use deniable_query::{EntityRows, Fold, Query, QueryError, Rows, Yield, sorted};

/// Most characters of the name of a value.
pub(super) const MOST_NAME: usize = 200;
/// Most keys of COUNT(DISTINCT x).
const MOST_DISTINCT: usize = 4_096;

/// The aggregate from which a plan reads its rows, if there is one below filters, projections and joins.
pub(super) fn below(plan: &LogicalPlan) -> Option<&Aggregate> {
    match plan {
        LogicalPlan::Aggregate(aggregate) => Some(aggregate),
        LogicalPlan::Projection(_) | LogicalPlan::Filter(_) | LogicalPlan::SubqueryAlias(_) | LogicalPlan::Join(_) => {
            plan.inputs().into_iter().find_map(below)
        }
        _ => None,
    }
}

/// Whether an aggregate computes rows of entities, that is, whether it groups by the entity key.
pub(super) fn is_by_entity(aggregate: &Aggregate, tables: &[TableSchema]) -> Result<bool, QueryError> {
    let Aggregate { input, group_expr, .. } = aggregate;
    // An aggregate above another aggregate is about results, or about rows of entities.
    if below(input).is_some() {
        return Ok(false);
    }
    let mut lowering = Lowering::new(tables);
    let inlined = inline(input, &mut lowering)?;
    let scope = Scope { schema: input.schema(), columns: &inlined.columns };
    let mut keys = Vec::new();
    for at in inlined.tables {
        if let Some(entity) = &tables[at].entity {
            keys.push(lowering.column(at, &entity.key)?);
        }
    }
    let groups = group_expr.iter().filter(|expr| !matches!(expr, Expr::GroupingSet(_)));
    for group in groups {
        if keys.contains(&lowering.expr(group, scope)?) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Rejects joins of rows of entities with another query of this kind, or with protected tables.
pub(super) fn check_joined(plan: &LogicalPlan, inner: &Aggregate, tables: &[TableSchema]) -> Result<(), QueryError> {
    let (aggregates, scanned) = read_beside(plan);
    if aggregates > 1 {
        let help = "compute all values in one inner query, as in SELECT patient, COUNT(*) AS n, MAX(x) AS most ... \
                    GROUP BY patient; FILTER (WHERE ...) restricts the rows of one value";
        return Err(QueryError::refused("a join of two queries of one row for each entity", help).about("JOIN"));
    }
    let protected = |name: &&str| tables.iter().any(|table| table.is_protected() && table.name == *name);
    let Some(joined) = scanned.into_iter().find(protected) else { return Ok(()) };
    let inside = read_beside(&inner.input).1;
    let help = if inside.contains(&joined) {
        format!(
            "compute the values of `{joined}` in the inner query as well: MIN(x), MAX(x) or MIN_BY(x, t) beside the \
             other values"
        )
    } else {
        without_inner(inside.into_iter().find(protected).unwrap_or(joined), joined, tables)
    };
    let construct = format!("a join of one row for each entity with the protected table `{joined}`");
    Err(QueryError::refused(construct, help).about("JOIN"))
}

/// The number of aggregates that a plan reads, and the tables beside them.
fn read_beside(plan: &LogicalPlan) -> (usize, Vec<&str>) {
    let (mut aggregates, mut scanned, mut waiting) = (0, Vec::new(), vec![plan]);
    while let Some(plan) = waiting.pop() {
        match plan {
            LogicalPlan::Aggregate(_) => aggregates += 1,
            LogicalPlan::TableScan(scan) => scanned.push(scan.table_name.table()),
            other => waiting.extend(other.inputs()),
        }
    }
    (aggregates, scanned)
}

/// Hint for a query over two protected tables without an inner query.
fn without_inner(first: &str, second: &str, tables: &[TableSchema]) -> String {
    let key = |name: &str| {
        let table = tables.iter().find(|table| table.name == name);
        table.and_then(TableSchema::join_key).unwrap_or("key").to_owned()
    };
    let (own, other) = (key(first), key(second));
    format!(
        "join the tables without an inner query, {first} JOIN {second} ON {first}.{own} = {second}.{other}: COUNT(*) \
         and SUM are then over joined rows, and COUNT(DISTINCT {first}.{own}) counts the people who have them"
    )
}

/// Parses an aggregate by the entity key: the values it computes, and the table of these values.
pub(super) fn understood(
    aggregate: &Aggregate,
    tables: &[TableSchema],
) -> Result<(EntityRows, TableSchema, ComputedColumns), QueryError> {
    let Aggregate { input, group_expr, aggr_expr, .. } = aggregate;
    let mut lowering = Lowering::new(tables);
    let mut ranges = Ranges::default();
    let inlined = inline(input, &mut lowering)?;
    let mut conditions = inlined.filters;
    let joins = arrange(&inlined.tables, inlined.lookups, &mut conditions, &mut lowering)?;
    let scope = Scope { schema: input.schema(), columns: &inlined.columns };
    let entity = tables[joins.first].entity.as_ref();
    let key = entity.map(|entity| lowering.column(joins.first, &entity.key)).transpose()?;
    let is_key = match (group_expr.as_slice(), key) {
        ([group], Some(key)) => lowering.expr(group, scope)? == key,
        _ => false,
    };
    if !is_key {
        return Err(by_another_key(tables, joins.first));
    }
    if let Some(join) = joins.others.iter().find(|join| tables[join.table].is_protected()) {
        let joined = &tables[join.table].name;
        let help = format!(
            "compute the values from one protected table, to which public tables may be joined; or {}",
            without_inner(&tables[joins.first].name, joined, tables)
        );
        let construct = "one row for each entity out of joined protected tables";
        return Err(QueryError::refused(construct, help).about("JOIN"));
    }
    let mut collected = CollectedMeasures::default();
    let mut context = Context { scope, lowering: &mut lowering, ranges: &mut ranges, entities: &[] };
    let mut folds = Vec::new();
    let mut names = Vec::new();
    for expr in aggr_expr {
        let (fold, name) = folded(expr, None, &mut collected, &mut context)?;
        folds.push(fold);
        names.push(name);
    }
    let filters = sorted(conditions.iter().map(|condition| condition.id), &lowering.program);
    let rows =
        Rows { tables: tables.to_vec(), program: lowering.program, joins, filters, arguments: collected.arguments };
    let made = EntityRows { of: Query::of_bare_rows(rows), folds, yields: Yield::OneRow };
    let table = made.table(names).ok_or_else(|| unknown("rows"))?;
    let computed = ComputedColumns::of_one_row(table.columns.len());
    Ok((made, table, computed))
}

fn by_another_key(tables: &[TableSchema], first: usize) -> QueryError {
    const WHAT: &str = "an aggregate of an aggregate";
    match &tables[first].entity {
        Some(entity) => {
            let help = format!(
                "in the inner query GROUP BY {0} alone, so that each {0} has one row; or aggregate once: arithmetic \
                 on the results is free",
                entity.key
            );
            QueryError::refused(WHAT, help).about("GROUP")
        }
        None => QueryError::refused(WHAT, "aggregate once; arithmetic on the results is free").about("GROUP"),
    }
}

/// Parses one aggregate, and the name of its column; `only` is a condition on the rows beside that of FILTER.
pub(super) fn folded(
    expr: &Expr,
    only: Option<Id>,
    collected: &mut CollectedMeasures,
    context: &mut Context<'_, '_>,
) -> Result<(Fold, String), QueryError> {
    let expr = match expr {
        Expr::Alias(alias) => &*alias.expr,
        other => other,
    };
    let Expr::AggregateFunction(AggregateFunction { func, params }) = expr else {
        return Err(unknown("this aggregate"));
    };
    let AggregateFunctionParams { args, distinct, filter, order_by, null_treatment } = params;
    let name = func.name();
    if null_treatment.is_some() || !order_by.is_empty() {
        return Err(QueryError::refused("an aggregate with ORDER BY or NULL treatment", "leave it out").about(name));
    }
    let filter = filter.as_deref().map(|filter| context.lowering.expr(filter, context.scope)).transpose()?;
    let filter = match (filter, only) {
        (Some(filter), Some(only)) => Some(context.lowering.call(Operation::And, &[only, filter])?),
        (filter, only) => filter.or(only),
    };
    if name == "count" && !distinct && matches!(args.as_slice(), [arg] if is_every_row(arg)) {
        return match filter {
            Some(filter) => {
                let truth = truth_where(filter, context)?;
                Ok((Fold::Present(collected.argument(truth, None)), words(name, truth, context)))
            }
            None => Ok((Fold::Rows, "count(*)".to_owned())),
        };
    }
    if is_of_extreme_row(name) {
        return extreme_row::folded(name, args, filter, collected, context);
    }
    let [arg] = args.as_slice() else { return Err(unknown(&name.to_uppercase())) };
    let value = context.lowering.expr(arg, context.scope)?;
    let value = if name == "count" { value } else { as_whole_numbers(value, context) };
    let value = context.lowering.only_where(value, filter)?;
    if context.lowering.program.constant_of(value).is_some() {
        return Err(QueryError::refused(format!("{} of a constant", name.to_uppercase()), "write COUNT(*)"));
    }
    let words_of = |context: &Context<'_, '_>| words(name, value, context);
    match (name, distinct) {
        ("count", false) => Ok((Fold::Present(collected.argument(value, None)), words_of(context))),
        ("count", true) => {
            let Context { lowering, .. } = &*context;
            let derivation = Derivation { program: &lowering.program, tables: lowering.tables };
            let mut keys = derivation.keys(value)?;
            keys.retain(|key| !matches!(key, Key::Null | Key::Other));
            if keys.is_empty() || keys.len() > MOST_DISTINCT {
                let help = format!("declare its keys, at most {MOST_DISTINCT}");
                return Err(QueryError::refused("COUNT(DISTINCT ...) of this many keys", help));
            }
            let name = words("count(DISTINCT ", value, context);
            Ok((Fold::Distinct(collected.argument(value, None), keys), name))
        }
        ("sum", false) => {
            let (argument, grid) = collected.gridded(value, "SUM", context)?;
            if grid.of_times {
                return Err(QueryError::refused("SUM of dates", "ask for MIN or MAX"));
            }
            let is_whole = context.lowering.program.kind(value) == Type::Integer && grid.unit.is_integer();
            Ok((Fold::Sum(argument, is_whole), words_of(context)))
        }
        ("avg", false) => {
            let (argument, grid) = collected.gridded(value, "AVG", context)?;
            if grid.of_times {
                return Err(QueryError::refused("AVG of dates", "ask for MIN or MAX"));
            }
            Ok((Fold::Average(argument), words_of(context)))
        }
        ("min" | "max", _) => {
            let argument = collected.argument(value, None);
            let name_of = words_of(context);
            Ok((if name == "min" { Fold::Least(argument) } else { Fold::Greatest(argument) }, name_of))
        }
        _ => Err(unknown(&name.to_uppercase())),
    }
}

pub(super) fn unknown(construct: &str) -> QueryError {
    let help = "of the rows of one entity ask for COUNT(*), COUNT(x), COUNT(DISTINCT x), SUM, AVG, MIN, MAX, \
                MIN_BY(x, t) or MAX_BY(x, t)";
    QueryError::refused(format!("{construct} of one entity's rows"), help)
}

fn words(name: &str, value: Id, context: &Context<'_, '_>) -> String {
    let opened = if name.contains('(') { name.to_owned() } else { format!("{name}(") };
    format!("{opened}{})", context.lowering.program.words(value, MOST_NAME))
}
