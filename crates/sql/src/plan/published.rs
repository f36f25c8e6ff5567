//! The upper half of a plan: from the aggregate to what is shown.

use super::aggregate::Collected;
use super::inline::{inline, substitute};
use super::{Group, MOST_CELLS, MeasureKind, Query, Rows, Table, refuse_node};
use crate::error::QueryError;
use crate::output::{Operator, Output, Sort, Step, Term};
use crate::rows::{constant_integer, make_total};
use datafusion::common::{DFSchema, ScalarValue};
use datafusion::logical_expr::{Aggregate, BinaryExpr, Cast, Expr, LogicalPlan, Operator as PlanOperator, TryCast};
use deniable_core::exact::{parse_rational, whole};
use deniable_core::sensitivity::Caps;
use deniable_policy::ColumnType;
use std::collections::BTreeSet;

/// The part of a plan above its aggregate, in terms of the aggregate's keys and answers.
struct Published {
    core: Core,
    columns: Vec<Term>,
    steps: Vec<Step>,
}

/// The aggregate and everything below it.
struct Core {
    filters: Vec<Expr>,
    groups: Vec<Group>,
    collected: Collected,
}

/// Takes an analysed plan apart.
pub(super) fn take_apart(plan: &LogicalPlan, table: &Table, schema: &DFSchema) -> Result<Query, QueryError> {
    let Published { core, columns, steps } = published(plan, table, schema)?;
    let names = plan.schema().fields().iter().map(|field| field.name().clone()).collect();
    let Core { filters, groups, collected } = core;
    let cells = groups.iter().try_fold(1_usize, |product, group| product.checked_mul(group.keys.len()));
    if cells.is_none_or(|cells| cells > MOST_CELLS) {
        let help = format!("group by fewer columns; at most {MOST_CELLS} combinations of keys are answered");
        return Err(QueryError::refused("a question with this many groups", help));
    }
    let (measures, arguments, answers, texts) = ordered(collected);
    let used = filters.iter().chain(arguments.iter().map(|argument| &argument.expr));
    let types = column_types(used, table);
    let canonical = canonical(&filters, &groups, &texts, &types, table);
    let rows = Rows { filters, arguments };
    let output = Output { names, columns, steps };
    let entity = table.entity.as_ref().map(|entity| entity.key.clone());
    Ok(Query { rows, groups, measures, answers, output, caps: table.caps(), entity, canonical })
}

fn published(plan: &LogicalPlan, table: &Table, schema: &DFSchema) -> Result<Published, QueryError> {
    match plan {
        LogicalPlan::Aggregate(aggregate) => {
            let core = core(aggregate, table, schema)?;
            let keys = (0..core.groups.len()).map(Term::Key);
            let answers = (0..core.collected.answers.len()).map(Term::Answer);
            let columns = keys.chain(answers).collect();
            Ok(Published { core, columns, steps: Vec::new() })
        }
        LogicalPlan::SubqueryAlias(alias) => published(&alias.input, table, schema),
        LogicalPlan::Projection(projection) => {
            let inner = published(&projection.input, table, schema)?;
            let columns = projection
                .expr
                .iter()
                .map(|expr| term(expr, projection.input.schema(), &inner.columns))
                .collect::<Result<_, _>>()?;
            Ok(Published { columns, ..inner })
        }
        LogicalPlan::Sort(sort) => {
            let mut inner = published(&sort.input, table, schema)?;
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
            let mut inner = published(&limit.input, table, schema)?;
            let skip = limit.skip.as_deref().map(row_count).transpose()?.unwrap_or(0);
            let fetch = limit.fetch.as_deref().map(row_count).transpose()?;
            inner.steps.push(Step::Limit { skip, fetch });
            Ok(inner)
        }
        LogicalPlan::Filter(filter) => match published(&filter.input, table, schema) {
            // Below there is an aggregate, so this is HAVING; otherwise the complaint is about what is below.
            Ok(_) => Err(refuse_node(plan)),
            Err(error) => Err(error),
        },
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

fn row_count(expr: &Expr) -> Result<usize, QueryError> {
    constant_integer(expr)
        .and_then(|rows| usize::try_from(rows).ok())
        .ok_or_else(|| QueryError::refused("this LIMIT or OFFSET", "write a number of rows, 0 or more"))
}

fn core(aggregate: &Aggregate, table: &Table, schema: &DFSchema) -> Result<Core, QueryError> {
    let Aggregate { input, group_expr, aggr_expr, .. } = aggregate;
    let inlined = inline(input)?;
    let mut groups: Vec<Group> = Vec::new();
    for expr in group_expr {
        groups.push(group(&substitute(expr, input.schema(), &inlined.columns)?, table)?);
    }
    let mut collected = Collected::default();
    for expr in aggr_expr {
        collected.add(expr, input.schema(), &inlined.columns, table, schema)?;
    }
    if collected.answers.is_empty() {
        let help = "declared keys are public already; ask for COUNT, SUM or AVG in each";
        return Err(QueryError::refused("a question without an aggregate", help));
    }
    let filters = inlined.filters.iter().map(|filter| make_total(filter, schema)).collect::<Result<_, _>>()?;
    Ok(Core { filters, groups, collected })
}

fn group(expr: &Expr, table: &Table) -> Result<Group, QueryError> {
    let Expr::Column(column) = expr else {
        let help = "group by a declared column; bands can be asked for one by one with WHERE";
        return Err(QueryError::refused("GROUP BY an expression", help));
    };
    let declared = table.column(&column.name);
    let keys = declared.and_then(|declared| declared.keys.clone()).ok_or_else(|| {
        let help = match declared.map(|declared| declared.kind) {
            Some(ColumnType::Decimal) => "decimals are no groups; ask for COUNT, SUM or AVG of it".to_owned(),
            _ => format!("declare its groups, from public knowledge: keys = [...] in [columns.{}]", column.name),
        };
        QueryError::refused(format!("GROUP BY `{}`, which has no declared keys,", column.name), help)
    })?;
    Ok(Group { column: column.name.clone(), keys })
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
        // Results are exact fractions: widening them changes nothing, and narrowing is refused.
        Expr::Cast(Cast { expr: inner, field }) | Expr::TryCast(TryCast { expr: inner, field })
            if field.data_type().is_floating() || field.data_type().is_decimal() =>
        {
            again(inner)
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
                _ => return Err(result_refusal(&format!("the operator {op}"))),
            };
            Ok(Term::Arithmetic(op, Box::new([again(left)?, again(right)?])))
        }
        #[expect(deprecated, reason = "named so that the match stays exhaustive")]
        Expr::Wildcard { .. } => Err(result_refusal("*")),
        Expr::Cast(_)
        | Expr::TryCast(_)
        | Expr::ScalarVariable(..)
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
        | Expr::Case(_)
        | Expr::ScalarFunction(_)
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
        | Expr::LambdaVariable(_) => Err(result_refusal(&format!("`{}`", expr.schema_name()))),
    }
}

fn result_refusal(construct: &str) -> QueryError {
    let help = "results may be added, subtracted, multiplied and divided; do the rest with the published numbers";
    QueryError::refused(format!("{construct} on results"), help)
}

fn literal(value: &ScalarValue) -> Result<Term, QueryError> {
    match value {
        ScalarValue::Int64(Some(number)) => Ok(Term::Number(whole(*number))),
        ScalarValue::UInt64(Some(number)) => Ok(Term::Number(whole(*number))),
        ScalarValue::Float64(Some(number)) => {
            parse_rational(&format!("{number}")).map(Term::Number).map_err(|_| result_refusal("this number"))
        }
        ScalarValue::Utf8(Some(text)) => Ok(Term::Text(text.clone())),
        _ => Err(result_refusal(&format!("the constant {value}"))),
    }
}

/// Brings measures into an order that does not depend on how the question lists them.
fn ordered(collected: Collected) -> (Vec<super::Measure>, Vec<super::Argument>, Vec<super::Answer>, Vec<String>) {
    let Collected { measures, arguments, answers } = collected;
    let mut texts: Vec<(String, usize)> =
        measures.iter().enumerate().map(|(position, measure)| (measure_text(measure, &arguments), position)).collect();
    texts.sort();
    let place = |old: usize| texts.iter().position(|(_, position)| *position == old).unwrap_or(old);
    let answers = answers.into_iter().map(|answer| answer.moved(place)).collect();
    let sorted = texts.iter().map(|(_, position)| measures[*position].clone()).collect();
    (sorted, arguments, answers, texts.into_iter().map(|(text, _)| text).collect())
}

fn measure_text(measure: &super::Measure, arguments: &[super::Argument]) -> String {
    let weight = &measure.weight;
    match &measure.kind {
        MeasureKind::Rows => format!("rows, weight {weight}"),
        MeasureKind::NotNull { argument } => format!("not null {}, weight {weight}", arguments[*argument].expr),
        MeasureKind::Entities => format!("entities, weight {weight}"),
        MeasureKind::Sum { argument, centre, range } => format!(
            "sum {} in units of {} less {centre} within {}..={}, weight {weight}",
            arguments[*argument].expr, measure.unit, range.low, range.high
        ),
    }
}

/// The declared types of the columns in use: the same text read as another type is another value.
fn column_types<'a>(expressions: impl Iterator<Item = &'a Expr>, table: &Table) -> Vec<String> {
    let names: BTreeSet<&str> =
        expressions.flat_map(|expr| expr.column_refs()).map(|column| column.name.as_str()).collect();
    let typed = |name| table.column(name).map(|column| format!("{name}: {}", column.kind.name()));
    names.into_iter().filter_map(typed).collect()
}

/// One text for everything that decides the measured numbers.
fn canonical(filters: &[Expr], groups: &[Group], measures: &[String], types: &[String], table: &Table) -> String {
    let mut filters: Vec<String> = filters.iter().map(ToString::to_string).collect();
    filters.sort();
    filters.dedup();
    let Caps { rows_per_group, groups: most } = table.caps();
    let entity = table.entity.as_ref().map_or("each row", |entity| entity.key.as_str());
    format!(
        "table {:?}; entity {entity:?}; at most {rows_per_group} rows in each of {most} groups; where {filters:?}; \
         group by {groups:?}; measure {measures:?}; types {types:?}",
        table.name,
    )
}
