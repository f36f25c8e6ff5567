//! One row of each entity: `FROM (SELECT patient, COUNT(*) AS n FROM visits GROUP BY patient)` (S-PE).
//!
//! What an entity's row holds is a function of the multiset of that entity's own rows, computed exactly: no order, no other
//! entity and no cap has a say in it. To what is asked of such rows each entity brings one, so nothing is capped any more.
//!
//! | value of an entity | what is known of it |
//! |---|---|
//! | `COUNT(*)`, `COUNT(x)` | a whole number, at least 1 and at least 0; how large is for the query to say: `LEAST(n, 50)` |
//! | `COUNT(DISTINCT x)` | between 0 and the number of x's declared keys |
//! | `SUM(x)` | on x's grid; of x within its bounds |
//! | `AVG(x)` | within x's bounds, to a hundredth of its step |
//! | `MIN(x)`, `MAX(x)` | what is known of x: bounds, or keys |

use super::aggregate::{Collected, Context, as_whole_numbers, is_every_row, truth_where};
use super::inline::inline;
use super::join::arrange;
use super::nesting::Nesting;
use super::{Argument, Query, Rows, identity};
use crate::error::QueryError;
use crate::facts::keys::Derivation;
use crate::facts::range::Ranges;
use crate::lower::{Lowering, Scope, declared};
use crate::output::Output;
use datafusion_expr::expr::{AggregateFunction, AggregateFunctionParams};
use datafusion_expr::{Aggregate, Expr, LogicalPlan};
use deniable_core::exact::{Rational, whole};
use deniable_core::schema::{Bounds, Column, ColumnType, Key, TableSchema};
use deniable_core::sensitivity::Caps;
use deniable_expression::{Id, Node, Type};

/// Most characters of the name of a value.
const MOST_NAME: usize = 200;
/// Most keys of what is counted once each.
const MOST_DISTINCT: usize = 4_096;
/// The part of a step to which the average of one entity is taken.
const AVERAGE: i64 = 100;

/// What is worked out of each entity's rows.
#[derive(Debug, Clone)]
pub(crate) struct EntityRows {
    /// The rows: tables, joins, conditions, and the arguments of the folds.
    pub(crate) of: Query,
    /// The columns of an entity's row, but for the first, which would be the entity.
    pub(crate) folds: Vec<Fold>,
}

/// One value of each entity, of its rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Fold {
    /// How many there are.
    Rows,
    /// How many have a value of this argument.
    Present(usize),
    /// How many of these keys it has.
    Distinct(usize, Vec<Key>),
    /// The sum of its values on its grid, as a whole number where the flag says so.
    Sum(usize, bool),
    /// Their average.
    Average(usize),
    /// The smallest.
    Least(usize),
    /// The largest.
    Greatest(usize),
}

/// The name of the table that entities' rows make.
pub(super) fn table_name(entity: &str) -> String {
    format!("(one row for each {entity})")
}

/// The aggregate that a plan reads its rows from, where there is one below filters, projections and joins.
pub(super) fn below(plan: &LogicalPlan) -> Option<&Aggregate> {
    match plan {
        LogicalPlan::Aggregate(aggregate) => Some(aggregate),
        LogicalPlan::Projection(_) | LogicalPlan::Filter(_) | LogicalPlan::SubqueryAlias(_) | LogicalPlan::Join(_) => {
            plan.inputs().into_iter().find_map(below)
        }
        _ => None,
    }
}

impl EntityRows {
    /// Understands an aggregate by the entity key: what it works out, and the table that comes of it.
    pub(super) fn of(aggregate: &Aggregate, tables: &[TableSchema]) -> Result<(Self, TableSchema), QueryError> {
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
        let (Some(entity), true) = (entity, is_key) else { return Err(by_another_key(tables, joins.first)) };
        if joins.others.iter().any(|join| tables[join.table].is_protected()) {
            let help = "work the values out of one protected table; public tables may be joined to it";
            return Err(
                QueryError::refused("one value of each entity over joined protected tables", help).about("JOIN")
            );
        }
        let mut collected = Collected::default();
        let mut context = Context { scope, lowering: &mut lowering, ranges: &mut ranges, entities: &[] };
        let mut folds = Vec::new();
        let mut columns = vec![key_column(tables, joins.first, &entity.key)];
        for expr in aggr_expr {
            let (fold, mut column) = folded(expr, &mut collected, &mut context)?;
            // Names are for people; two that were cut to the same words are told apart.
            if columns.iter().any(|known: &Column| known.name == column.name) {
                column.name = format!("{} ({})", column.name, columns.len());
            }
            folds.push(fold);
            columns.push(column);
        }
        let filters = identity::sorted(conditions.iter().map(|condition| condition.id), &lowering.program);
        let rows =
            Rows { tables: tables.to_vec(), program: lowering.program, joins, filters, arguments: collected.arguments };
        let table = TableSchema::protected(table_name(&entity.key), columns, None);
        Ok((Self { of: Query::of_bare_rows(rows), folds }, table))
    }

    /// Whether the column at this position is a number of rows or of keys: never NULL, and within what is known of it.
    pub(crate) fn is_count(&self, column: usize) -> bool {
        let fold = column.checked_sub(1).and_then(|at| self.folds.get(at));
        matches!(fold, Some(Fold::Rows | Fold::Present(_) | Fold::Distinct(..)))
    }

    /// The arguments that folds look at, by their position.
    pub(crate) fn argument(&self, at: usize) -> &Argument {
        &self.of.rows.arguments[at]
    }
}

impl Fold {
    /// The argument that it looks at.
    pub(crate) fn argument(&self) -> Option<usize> {
        match self {
            Self::Rows => None,
            Self::Present(at)
            | Self::Distinct(at, _)
            | Self::Sum(at, _)
            | Self::Average(at)
            | Self::Least(at)
            | Self::Greatest(at) => Some(*at),
        }
    }
}

impl Query {
    /// Rows of which nothing is asked yet.
    fn of_bare_rows(rows: Rows) -> Self {
        // All rows of an entity are looked at: caps decide nothing.
        let caps = Caps::ONE_ROW;
        let output = Output::default();
        let (groups, levels, measures, answers) = (Vec::new(), vec![Vec::new()], Vec::new(), vec![Vec::new()]);
        let (per_entity, entity_rows, identity) = (None, None, Vec::new());
        Self {
            rows,
            groups,
            levels,
            nesting: Nesting::default(),
            together: false,
            measures,
            parts: Vec::new(),
            answers,
            output,
            caps,
            per_entity,
            entity_rows,
            identity,
        }
    }

    /// What is added up or averaged of each entity's own rows, and the bounds that its values count as where they are beyond them.
    #[must_use]
    pub fn bounded_inside(&self) -> Vec<(String, Rational, Rational)> {
        let Some(made) = &self.entity_rows else { return Vec::new() };
        let mut all = Vec::new();
        for fold in &made.folds {
            if let Fold::Sum(at, _) | Fold::Average(at) = fold
                && let Some(grid) = &made.argument(*at).grid
            {
                let of = |units: i64| whole(units) * &grid.unit;
                all.push((made.of.argument_words(*at), of(grid.low), of(grid.high)));
            }
        }
        all.sort();
        all.dedup();
        all
    }

    /// Whether its rows are one of each entity, with values that were worked out of the entity's own rows (S-PE).
    #[must_use]
    pub fn is_of_entity_rows(&self) -> bool {
        self.entity_rows.is_some()
    }
}

fn by_another_key(tables: &[TableSchema], first: usize) -> QueryError {
    const WHAT: &str = "an aggregate of an aggregate";
    match &tables[first].entity {
        Some(entity) => {
            let help = format!(
                "in the inner query GROUP BY {0} alone, so that each {0} has one row; or aggregate once: arithmetic on the \
                 results is free",
                entity.key
            );
            QueryError::refused(WHAT, help).about("GROUP")
        }
        None => QueryError::refused(WHAT, "aggregate once; arithmetic on the results is free").about("GROUP"),
    }
}

/// The column that would say whose a row is: it has a name and a type, and no value.
fn key_column(tables: &[TableSchema], table: usize, key: &str) -> Column {
    let known = tables[table].columns.iter().find(|column| column.name == key);
    Column::new(key, known.map_or(ColumnType::Text, |column| column.kind))
}

/// One aggregate, and the column that it makes.
fn folded(expr: &Expr, collected: &mut Collected, context: &mut Context<'_, '_>) -> Result<(Fold, Column), QueryError> {
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
    if name == "count" && !distinct && matches!(args.as_slice(), [arg] if is_every_row(arg)) {
        return match filter {
            Some(filter) => {
                let truth = truth_where(filter, context)?;
                Ok(counted(Fold::Present(collected.argument(truth, None)), name, truth, context))
            }
            None => Ok((Fold::Rows, count_column("count(*)".to_owned(), 1))),
        };
    }
    let [arg] = args.as_slice() else { return Err(unknown(&name.to_uppercase())) };
    let value = context.lowering.expr(arg, context.scope)?;
    let value = if name == "count" { value } else { as_whole_numbers(value, context) };
    let value = context.lowering.only_where(value, filter)?;
    if context.lowering.program.constant_of(value).is_some() {
        return Err(QueryError::refused(format!("{} of a constant", name.to_uppercase()), "write COUNT(*)"));
    }
    let column = |context: &Context<'_, '_>, kind| Column::new(words(name, value, context), kind);
    match (name, distinct) {
        ("count", false) => Ok(counted(Fold::Present(collected.argument(value, None)), name, value, context)),
        ("count", true) => {
            let Context { lowering, ranges, .. } = &mut *context;
            let mut derivation = Derivation { program: &lowering.program, ranges, tables: lowering.tables };
            let mut keys = derivation.keys(value)?;
            keys.retain(|key| !matches!(key, Key::Null | Key::Other));
            if keys.is_empty() || keys.len() > MOST_DISTINCT {
                let help = format!("declare its keys, at most {MOST_DISTINCT}");
                return Err(QueryError::refused("COUNT(DISTINCT ...) of this many keys", help));
            }
            let name = words("count(DISTINCT ", value, context);
            let column = within(Column::new(name, ColumnType::Integer), whole(0), whole(keys.len()), whole(1));
            Ok((Fold::Distinct(collected.argument(value, None), keys), column))
        }
        ("sum", false) => {
            let (argument, grid) = collected.gridded(value, "SUM", context)?;
            if grid.of_times {
                return Err(QueryError::refused("SUM of dates", "ask for MIN or MAX"));
            }
            let is_whole = context.lowering.program.kind(value) == Type::Integer && grid.unit.is_integer();
            let kind = if is_whole { ColumnType::Integer } else { ColumnType::Decimal };
            let column =
                Column { step: Some(grid.unit.clone()), least: (grid.low >= 0).then_some(0), ..column(context, kind) };
            Ok((Fold::Sum(argument, is_whole), column))
        }
        ("avg", false) => {
            let (argument, grid) = collected.gridded(value, "AVG", context)?;
            if grid.of_times {
                return Err(QueryError::refused("AVG of dates", "ask for MIN or MAX"));
            }
            let of = |units: i64| whole(units) * &grid.unit;
            let step = &grid.unit / whole(AVERAGE);
            let column = within(column(context, ColumnType::Decimal), of(grid.low), of(grid.high), step);
            Ok((Fold::Average(argument), column))
        }
        ("min" | "max", _) => {
            let argument = collected.argument(value, None);
            let column = extreme(column(context, column_type(context.lowering.program.kind(value))), value, context);
            Ok((if name == "min" { Fold::Least(argument) } else { Fold::Greatest(argument) }, column))
        }
        _ => Err(unknown(&name.to_uppercase())),
    }
}

fn unknown(construct: &str) -> QueryError {
    let help = "of the rows of one entity ask for COUNT(*), COUNT(x), COUNT(DISTINCT x), SUM, AVG, MIN or MAX";
    QueryError::refused(format!("{construct} of one entity's rows"), help)
}

fn words(name: &str, value: Id, context: &Context<'_, '_>) -> String {
    let opened = if name.contains('(') { name.to_owned() } else { format!("{name}(") };
    format!("{opened}{})", context.lowering.program.words(value, MOST_NAME))
}

/// A number of rows, of which there are at least so many.
fn count_column(name: String, least: i64) -> Column {
    Column { step: Some(whole(1)), least: Some(least), ..Column::new(name, ColumnType::Integer) }
}

fn counted(fold: Fold, name: &str, value: Id, context: &Context<'_, '_>) -> (Fold, Column) {
    (fold, count_column(words(name, value, context), 0))
}

/// The smallest or largest of values is one of them: what is known of all is known of it.
fn extreme(column: Column, value: Id, context: &mut Context<'_, '_>) -> Column {
    let program = &context.lowering.program;
    if let Node::Column(position) = program.node(value)
        && let Some((_, known)) = declared(context.lowering.tables, *position as usize)
    {
        let (keys, labels) = (known.keys.clone(), known.labels.clone());
        return Column { bounds: known.bounds.clone(), keys, labels, ..column };
    }
    let range = context.ranges.of(program, value, context.lowering.tables);
    let grid = range.grid().ok().filter(|grid| grid.low < grid.high);
    match grid {
        Some(grid) => within(column, whole(grid.low) * &grid.unit, whole(grid.high) * &grid.unit, grid.unit.clone()),
        None => {
            let tables = context.lowering.tables;
            let keys = Derivation { program, ranges: context.ranges, tables }.keys(value).ok();
            let is_keyed = matches!(column.kind, ColumnType::Text | ColumnType::Boolean | ColumnType::Integer);
            Column { keys: keys.filter(|_| is_keyed), ..column }
        }
    }
}

fn column_type(kind: Type) -> ColumnType {
    match kind {
        Type::Boolean => ColumnType::Boolean,
        Type::Integer => ColumnType::Integer,
        Type::Decimal => ColumnType::Decimal,
        Type::Text => ColumnType::Text,
        Type::Date => ColumnType::Date,
        Type::Timestamp => ColumnType::Timestamp,
    }
}

/// The column with bounds that are known to hold; without, where they have too many steps to be counted.
fn within(column: Column, low: Rational, high: Rational, step: Rational) -> Column {
    Column { bounds: Bounds::new(low, high, step).ok(), ..column }
}
