//! The upper half of a plan: from the aggregate to what is shown.

use super::aggregate::{Collected, Context};
use super::inline::{inline, substitute};
use super::join::{Joins, arrange};
use super::table::{declared, schema_of};
use super::{
    Group, MOST_CELLS, MOST_COMBINATIONS, MOST_ENTITY_FILTERS, MeasureKind, Query, Rows, Table, grouping, presence,
    quantiles, refuse_node,
};
use crate::error::QueryError;
use crate::output::{Comparison, Condition, Function, Operator, Output, Sort, Step, Term};
use crate::rows::keys::keys;
use crate::rows::{constant_integer, in_words, make_total};
use datafusion::arrow::datatypes::DataType;
use datafusion::common::{Column, DFSchema, ScalarValue};
use datafusion::logical_expr::expr::{GroupingSet, InList, ScalarFunction};
use datafusion::logical_expr::utils::enumerate_grouping_sets;
use datafusion::logical_expr::{
    Aggregate, Between, BinaryExpr, Cast, Expr, LogicalPlan, Operator as PlanOperator, TryCast,
};
use deniable_core::exact::{parse_rational, whole};
use deniable_core::sensitivity::Caps;
use std::collections::BTreeSet;

/// The positions of the groups at each level.
type Levels = Vec<Vec<usize>>;

/// Most groupings in one question.
const MOST_LEVELS: usize = 64;

/// The part of a plan above its aggregate, in terms of the aggregate's keys and answers.
struct Published {
    core: Core,
    columns: Vec<Term>,
    steps: Vec<Step>,
}

/// The aggregate and everything below it.
struct Core {
    joins: Joins,
    filters: Vec<Expr>,
    groups: Vec<Group>,
    levels: Vec<Vec<usize>>,
    collected: Collected,
}

/// Takes an analysed plan apart.
pub(super) fn take_apart(plan: &LogicalPlan, tables: &[Table]) -> Result<Query, QueryError> {
    let Published { core, columns, steps } = published(plan, tables)?;
    let names = plan.schema().fields().iter().map(|field| field.name().clone()).collect();
    let Core { joins, filters, groups, levels, mut collected } = core;
    let cells = levels.iter().try_fold(0_usize, |sum, level| {
        let product =
            level.iter().try_fold(1_usize, |product, group| product.checked_mul(groups[*group].keys.len()))?;
        sum.checked_add(product)
    });
    if cells.is_none_or(|cells| cells > MOST_CELLS) {
        let help = format!("group by fewer columns; at most {MOST_CELLS} combinations of keys are answered");
        return Err(QueryError::refused("a question with this many groups", help).about("GROUP"));
    }
    let keys = groups.iter().try_fold(1_usize, |product, group| product.checked_mul(group.keys.len()));
    if keys.is_none_or(|keys| keys >= MOST_COMBINATIONS) {
        let help = "ask one question for each grouping, or group by fewer different columns";
        return Err(QueryError::refused("GROUPING SETS over this many columns and keys", help).about("GROUP"));
    }
    quantiles::gather(&mut collected);
    let caps = tables[joins.first].caps();
    let (measures, arguments, answers, texts) = ordered(collected);
    if presence(&measures).len() > MOST_ENTITY_FILTERS {
        let help = format!("ask them in several questions; at most {MOST_ENTITY_FILTERS} in one");
        return Err(QueryError::refused("this many conditions of COUNT(DISTINCT ...)", help));
    }
    let used = filters
        .iter()
        .chain(arguments.iter().map(|argument| &argument.expr))
        .chain(groups.iter().map(|group| &group.expr))
        .chain(joins.others.iter().map(|join| &join.on));
    let types = column_types(used, tables);
    let canonical = canonical(&joins, &filters, &groups, &levels, &texts, &types, tables);
    let rows = Rows { tables: tables.to_vec(), joins, filters, arguments };
    let output = Output { names, columns, steps };
    Ok(Query { rows, groups, levels, measures, answers, output, caps, canonical })
}

fn published(plan: &LogicalPlan, tables: &[Table]) -> Result<Published, QueryError> {
    match plan {
        LogicalPlan::Aggregate(aggregate) => {
            let Aggregated { core, several, terms } = core(aggregate, tables)?;
            let keys = (0..core.groups.len()).map(Term::Key);
            // Beside several groupings the engine puts a column that tells them apart.
            let id = several.then_some(Term::Level);
            let columns = keys.chain(id).chain(terms).collect();
            Ok(Published { core, columns, steps: Vec::new() })
        }
        LogicalPlan::SubqueryAlias(alias) => published(&alias.input, tables),
        LogicalPlan::Projection(projection) => {
            let inner = published(&projection.input, tables)?;
            let columns = projection
                .expr
                .iter()
                .map(|expr| term(expr, projection.input.schema(), &inner.columns))
                .collect::<Result<_, _>>()?;
            Ok(Published { columns, ..inner })
        }
        LogicalPlan::Sort(sort) => {
            let mut inner = published(&sort.input, tables)?;
            let by = sort
                .expr
                .iter()
                .map(|by| {
                    let term = term(&by.expr, sort.input.schema(), &inner.columns)?;
                    Ok(Sort { term, ascending: by.asc, nulls_first: by.nulls_first })
                })
                .collect::<Result<_, QueryError>>()?;
            inner.steps.push(Step::Sort(by));
            if let Some(fetch) = sort.fetch {
                inner.steps.push(Step::Limit { skip: 0, fetch: Some(fetch) });
            }
            Ok(inner)
        }
        LogicalPlan::Limit(limit) => {
            let mut inner = published(&limit.input, tables)?;
            let skip = limit.skip.as_deref().map(|rows| row_count(rows, "OFFSET")).transpose()?.unwrap_or(0);
            let fetch = limit.fetch.as_deref().map(|rows| row_count(rows, "LIMIT")).transpose()?;
            inner.steps.push(Step::Limit { skip, fetch });
            Ok(inner)
        }
        LogicalPlan::Filter(filter) => {
            let mut inner = published(&filter.input, tables)?;
            inner.steps.push(Step::Filter(condition(&filter.predicate, filter.input.schema(), &inner.columns)?));
            Ok(inner)
        }
        LogicalPlan::TableScan(_)
        | LogicalPlan::Window(_)
        | LogicalPlan::Join(_)
        | LogicalPlan::Repartition(_)
        | LogicalPlan::Union(_)
        | LogicalPlan::EmptyRelation(_)
        | LogicalPlan::Subquery(_)
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

fn row_count(expr: &Expr, clause: &str) -> Result<usize, QueryError> {
    constant_integer(expr)
        .and_then(|rows| usize::try_from(rows).ok())
        .ok_or_else(|| QueryError::refused("this LIMIT or OFFSET", "write a number of rows, 0 or more").about(clause))
}

/// An aggregate and what is below it.
struct Aggregated {
    core: Core,
    /// Whether it has several groupings.
    several: bool,
    /// What each of its expressions shows: answers, and what tells groupings apart.
    terms: Vec<Term>,
}

fn core(aggregate: &Aggregate, tables: &[Table]) -> Result<Aggregated, QueryError> {
    let Aggregate { input, group_expr, aggr_expr, .. } = aggregate;
    let inlined = inline(input, tables)?;
    let mut conditions = inlined.filters;
    let joins = arrange(&inlined.tables, inlined.lookups, &mut conditions, tables)?;
    let in_use: Vec<Table> = joins.tables().map(|at| tables[at].clone()).collect();
    let schema = schema_of(&in_use)?;
    let total = |expr: &Expr| make_total(&substitute(expr, input.schema(), &inlined.columns)?, &schema);
    let (group_exprs, sets, several) = groupings(group_expr)?;
    let mut groups: Vec<Group> = Vec::new();
    for expr in &group_exprs {
        let expr = total(expr)?;
        let keys = keys(&expr, &in_use, &schema).map_err(|error| error.near([&expr]).about("GROUP"))?;
        groups.push(Group { name: in_words(&expr), keys, expr });
    }
    let mut collected = Collected::default();
    let entities: Vec<Expr> =
        in_use.iter().filter_map(|table| table.entity.as_ref().map(|entity| table.expr(&entity.key))).collect();
    let context = Context {
        input: input.schema(),
        columns: &inlined.columns,
        tables: &in_use,
        schema: &schema,
        entities: &entities,
    };
    let mut terms = Vec::new();
    let mut asked: Vec<&Expr> = Vec::new();
    for expr in aggr_expr {
        terms.push(match grouping::group_of(expr, &group_exprs)? {
            Some(group) => Term::Grouping(group),
            None => {
                asked.push(expr);
                Term::Answer(asked.len() - 1)
            }
        });
    }
    for _ in &sets {
        collected.answers.push(Vec::new());
        for expr in &asked {
            collected.add(expr, &context)?;
        }
    }
    if asked.is_empty() {
        let help = "declared keys are public already; ask for COUNT, SUM or AVG in each";
        return Err(QueryError::refused("a question without an aggregate", help).about("SELECT"));
    }
    let filters = conditions.iter().map(|filter| make_total(filter, &schema)).collect::<Result<_, _>>()?;
    // Joins on computed values must be as total as everything else.
    let mut joins = joins;
    for join in &mut joins.others {
        join.on = make_total(&join.on, &schema)?;
    }
    Ok(Aggregated { core: Core { joins, filters, groups, levels: sets, collected }, several, terms })
}

/// What is grouped by, and which of it at each level.
fn groupings(group_expr: &[Expr]) -> Result<(Vec<Expr>, Levels, bool), QueryError> {
    let exprs = enumerate_grouping_sets(group_expr.to_vec()).map_err(|error| super::meaning(&error))?;
    let [Expr::GroupingSet(set)] = exprs.as_slice() else {
        let all = (0..exprs.len()).collect();
        return Ok((exprs, vec![all], false));
    };
    let all: Vec<Expr> = set.distinct_expr().into_iter().cloned().collect();
    let sets: Vec<Vec<Expr>> = match set {
        GroupingSet::GroupingSets(sets) => sets.clone(),
        GroupingSet::Rollup(exprs) => (0..=exprs.len()).rev().map(|most| exprs[..most].to_vec()).collect(),
        GroupingSet::Cube(exprs) => {
            if exprs.len() > 6 {
                let help = "list the GROUPING SETS you need";
                return Err(QueryError::refused("a CUBE of this many columns", help).about("CUBE"));
            }
            let member =
                |set: usize| exprs.iter().enumerate().filter(move |(at, _)| set >> (exprs.len() - 1 - at) & 1 == 1);
            (0..1_usize << exprs.len()).rev().map(|set| member(set).map(|(_, expr)| expr.clone()).collect()).collect()
        }
    };
    if sets.len() > MOST_LEVELS {
        let help = "the budget is split over them; ask for fewer";
        return Err(QueryError::refused("this many grouping sets", help).about("GROUP"));
    }
    let place = |expr: &Expr| all.iter().position(|known| known == expr);
    let mut levels: Vec<Vec<usize>> = Vec::new();
    for set in &sets {
        let mut level: Vec<usize> = set.iter().filter_map(place).collect();
        level.sort_unstable();
        level.dedup();
        if levels.contains(&level) {
            let help = "it would be paid for twice; list it once";
            return Err(QueryError::refused("the same grouping set twice", help).near(set).about("GROUP"));
        }
        levels.push(level);
    }
    Ok((all, levels, true))
}

/// A condition on results, as HAVING has it.
fn condition(expr: &Expr, schema: &DFSchema, columns: &[Term]) -> Result<Condition, QueryError> {
    let again = |inner: &Expr| condition(inner, schema, columns);
    let value = |inner: &Expr| term(inner, schema, columns);
    let compare = |comparison, left: Term, right: Term| Condition::Compare(comparison, Box::new([left, right]));
    let negated = |negated: bool, inner: Condition| if negated { Condition::Not(Box::new(inner)) } else { inner };
    match expr {
        Expr::Alias(alias) => again(&alias.expr),
        Expr::Not(inner) => Ok(Condition::Not(Box::new(again(inner)?))),
        Expr::IsNull(inner) => Ok(Condition::IsNull(value(inner)?)),
        Expr::IsNotNull(inner) => Ok(Condition::Not(Box::new(Condition::IsNull(value(inner)?)))),
        Expr::Between(Between { expr, negated: not, low, high }) => {
            let inside = Condition::And(Box::new([
                compare(Comparison::AtLeast, value(expr)?, value(low)?),
                compare(Comparison::AtMost, value(expr)?, value(high)?),
            ]));
            Ok(negated(*not, inside))
        }
        Expr::InList(InList { expr, list, negated: not }) => {
            let mut any: Option<Condition> = None;
            for entry in list {
                let equal = compare(Comparison::Equal, value(expr)?, value(entry)?);
                any = Some(match any {
                    Some(others) => Condition::Or(Box::new([others, equal])),
                    None => equal,
                });
            }
            any.map(|any| negated(*not, any)).ok_or_else(|| result_refusal("IN ()", "IN"))
        }
        Expr::BinaryExpr(BinaryExpr { left, op, right }) => {
            let comparison = match op {
                PlanOperator::And => return Ok(Condition::And(Box::new([again(left)?, again(right)?]))),
                PlanOperator::Or => return Ok(Condition::Or(Box::new([again(left)?, again(right)?]))),
                PlanOperator::Eq => Comparison::Equal,
                PlanOperator::NotEq => Comparison::NotEqual,
                PlanOperator::Lt => Comparison::Below,
                PlanOperator::LtEq => Comparison::AtMost,
                PlanOperator::Gt => Comparison::Above,
                PlanOperator::GtEq => Comparison::AtLeast,
                _ => return Err(result_refusal(&format!("the operator {op}"), &op.to_string())),
            };
            Ok(compare(comparison, value(left)?, value(right)?))
        }
        Expr::Like(_) => Err(result_refusal("LIKE", "LIKE")),
        other => Err(result_refusal(&format!("the condition `{}`", in_words(other)), "HAVING")),
    }
}

/// An expression over results.
fn term(expr: &Expr, schema: &DFSchema, columns: &[Term]) -> Result<Term, QueryError> {
    let again = |inner: &Expr| term(inner, schema, columns);
    match expr {
        Expr::Alias(alias) => again(&alias.expr),
        Expr::Column(column) => schema
            .index_of_column(column)
            .ok()
            .and_then(|position| columns.get(position).cloned())
            .ok_or_else(|| QueryError::meaning(format!("no result named {column}"))),
        Expr::Literal(value, _) => literal(value),
        // A text is compared with a number as the number that it says, and would be unknown in every row otherwise.
        Expr::Cast(Cast { expr: inner, field }) | Expr::TryCast(TryCast { expr: inner, field })
            if field.data_type().is_numeric()
                && let Expr::Literal(ScalarValue::Utf8(Some(text)), _) = &**inner =>
        {
            let help = "results are numbers: compare them with numbers, as in HAVING COUNT(*) > 30";
            let refusal = || QueryError::refused(format!("'{text}' as a number"), help).about_text(text);
            // Fractions and percentages are numbers of policies, not of SQL.
            let number = parse_rational(text).ok().filter(|_| !text.contains(['/', '%', '_']));
            number.map(Term::Number).ok_or_else(refusal)
        }
        // Results are exact fractions: widening them changes nothing, and narrowing is refused.
        Expr::Cast(Cast { expr: inner, field }) | Expr::TryCast(TryCast { expr: inner, field })
            if field.data_type().is_floating()
                || field.data_type().is_decimal()
                || matches!(field.data_type(), DataType::Int64 | DataType::UInt64 | DataType::Int32)
                    && is_constant(inner) =>
        {
            again(inner)
        }
        Expr::ScalarFunction(ScalarFunction { func, args }) => {
            let function = match (func.name(), args.as_slice()) {
                ("round", [_]) => Function::Round(0),
                ("round", [_, digits]) => constant_integer(digits)
                    .and_then(|digits| i8::try_from(digits).ok())
                    .filter(|digits| (-15..=15).contains(digits))
                    .map(Function::Round)
                    .ok_or_else(|| result_refusal("ROUND to this many digits", "ROUND"))?,
                ("floor", [_]) => Function::Floor,
                ("ceil", [_]) => Function::Ceil,
                ("abs", [_]) => Function::Absolute,
                (name, _) => return Err(result_refusal(&name.to_uppercase(), name)),
            };
            Ok(Term::Function(function, Box::new(again(&args[0])?)))
        }
        Expr::Negative(inner) => {
            Ok(Term::Arithmetic(Operator::Subtract, Box::new([Term::Number(whole(0)), again(inner)?])))
        }
        Expr::BinaryExpr(BinaryExpr { left, op, right }) => {
            let op = match op {
                PlanOperator::Plus => Operator::Add,
                PlanOperator::Minus => Operator::Subtract,
                PlanOperator::Multiply => Operator::Multiply,
                PlanOperator::Divide => Operator::Divide,
                _ => return Err(result_refusal(&format!("the operator {op}"), &op.to_string())),
            };
            Ok(Term::Arithmetic(op, Box::new([again(left)?, again(right)?])))
        }
        #[expect(deprecated, reason = "named so that the match stays exhaustive")]
        Expr::Wildcard { .. } => Err(result_refusal("*", "*")),
        Expr::Cast(_) | Expr::TryCast(_) => Err(result_refusal("CAST", "CAST")),
        Expr::Case(_) => Err(result_refusal("CASE", "CASE")),
        Expr::ScalarVariable(..)
        | Expr::Like(_)
        | Expr::SimilarTo(_)
        | Expr::Not(_)
        | Expr::IsNotNull(_)
        | Expr::IsNull(_)
        | Expr::IsTrue(_)
        | Expr::IsFalse(_)
        | Expr::IsUnknown(_)
        | Expr::IsNotTrue(_)
        | Expr::IsNotFalse(_)
        | Expr::IsNotUnknown(_)
        | Expr::Between(_)
        | Expr::AggregateFunction(_)
        | Expr::WindowFunction(_)
        | Expr::InList(_)
        | Expr::Exists(_)
        | Expr::InSubquery(_)
        | Expr::SetComparison(_)
        | Expr::ScalarSubquery(_)
        | Expr::GroupingSet(_)
        | Expr::Placeholder(_)
        | Expr::OuterReferenceColumn(..)
        | Expr::Unnest(_)
        | Expr::HigherOrderFunction(_)
        | Expr::Lambda(_)
        | Expr::LambdaVariable(_) => Err(result_refusal(&format!("`{}`", in_words(expr)), "").near([expr])),
    }
}

/// A refusal of what is done with results, and the word of the SQL that does it.
fn result_refusal(construct: &str, word: &str) -> QueryError {
    let help = "results may be added, subtracted, multiplied, divided, rounded and compared; do the rest with the \
                published numbers";
    QueryError::refused(format!("{construct} on results"), help).about(word)
}

fn literal(value: &ScalarValue) -> Result<Term, QueryError> {
    match value {
        ScalarValue::Int64(Some(number)) => Ok(Term::Number(whole(*number))),
        ScalarValue::UInt64(Some(number)) => Ok(Term::Number(whole(*number))),
        ScalarValue::Float64(Some(number)) => parse_rational(&format!("{number}"))
            .map(Term::Number)
            .map_err(|_| result_refusal("this number", &number.to_string())),
        ScalarValue::Utf8(Some(text)) => Ok(Term::Text(text.clone())),
        _ => Err(result_refusal(&format!("the constant {value}"), &value.to_string())),
    }
}

fn is_constant(expr: &Expr) -> bool {
    matches!(expr, Expr::Literal(..))
}

/// Brings measures into an order that does not depend on how the question lists them.
fn ordered(collected: Collected) -> (Vec<super::Measure>, Vec<super::Argument>, Vec<Vec<super::Answer>>, Vec<String>) {
    let Collected { measures, arguments, answers } = collected;
    let mut texts: Vec<(String, usize)> =
        measures.iter().enumerate().map(|(position, measure)| (measure_text(measure, &arguments), position)).collect();
    texts.sort();
    let place = |old: usize| texts.iter().position(|(_, position)| *position == old).unwrap_or(old);
    let answers =
        answers.into_iter().map(|level| level.into_iter().map(|answer| answer.moved(place)).collect()).collect();
    let sorted = texts.iter().map(|(_, position)| measures[*position].clone()).collect();
    (sorted, arguments, answers, texts.into_iter().map(|(text, _)| text).collect())
}

fn measure_text(measure: &super::Measure, arguments: &[super::Argument]) -> String {
    let (weight, level) = (&measure.weight, measure.level);
    let about = |argument: usize| &arguments[argument].expr;
    let grid = |argument: usize| {
        let grid = arguments[argument].grid.as_ref();
        grid.map_or_else(String::new, |grid| format!("{}..={} in units of {}", grid.low, grid.high, grid.unit))
    };
    let what = match &measure.kind {
        MeasureKind::Rows => "rows".to_owned(),
        MeasureKind::NotNull { argument } => format!("not null {}", about(*argument)),
        MeasureKind::Entities { present: None } => "entities".to_owned(),
        MeasureKind::Entities { present: Some(argument) } => format!("entities with {}", about(*argument)),
        MeasureKind::Sum { argument, centre, squared, range } => format!(
            "sum {} in units of {} less {centre} within {}..={}, squared {squared}",
            about(*argument),
            measure.unit,
            range.low,
            range.high
        ),
        MeasureKind::Ranked { argument, target } => {
            format!("rank {target:?} of {} on {}", about(*argument), grid(*argument))
        }
        MeasureKind::Tree { argument, shares } => {
            format!("quantiles {shares:?} of {} on {}", about(*argument), grid(*argument))
        }
    };
    format!("{what}, level {level}, weight {weight}")
}

/// The declared types of the columns in use, and how dates are written: the same text read otherwise is another value.
fn column_types<'a>(expressions: impl Iterator<Item = &'a Expr>, tables: &[Table]) -> Vec<String> {
    let columns: BTreeSet<&Column> = expressions.flat_map(|expr| expr.column_refs()).collect();
    let typed = |column: &&Column| {
        let found = declared(tables, column)?;
        let format = found.format.as_ref().map(|format| format!(" as {format:?}")).unwrap_or_default();
        Some(format!("{column}: {}{format}", found.kind.name()))
    };
    columns.iter().filter_map(typed).collect()
}

/// One text for everything that decides the measured numbers.
fn canonical(
    joins: &Joins,
    filters: &[Expr],
    groups: &[Group],
    levels: &[Vec<usize>],
    measures: &[String],
    types: &[String],
    tables: &[Table],
) -> String {
    let mut filters: Vec<String> = filters.iter().map(ToString::to_string).collect();
    filters.sort();
    filters.dedup();
    let first = &tables[joins.first];
    let Caps { rows_per_group, groups: most } = first.caps();
    let entity = first.entity.as_ref().map_or("each row", |entity| entity.key.as_str());
    let others: Vec<String> = joins
        .others
        .iter()
        .map(|join| {
            let table = &tables[join.table];
            let kept = if join.keeps_unmatched { ", unmatched rows kept" } else { "" };
            format!("{} on {} = {}{kept}", table.name, join.on, table.join_key().unwrap_or_default())
        })
        .collect();
    let groups: Vec<String> = groups.iter().map(|group| format!("{} in {:?}", group.expr, group.keys)).collect();
    format!(
        "table {:?}; joins {others:?}; entity {entity:?}; at most {rows_per_group} rows in each of {most} groups; where \
         {filters:?}; group by {groups:?} at {levels:?}; measure {measures:?}; types {types:?}",
        first.name,
    )
}
