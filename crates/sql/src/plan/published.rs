//! The upper half of a plan: from the aggregate to what is shown.

use super::aggregate::{Collected, Context};
use super::entity_rows::{self, EntityRows};
use super::inline::inline;
use super::join::{Joins, arrange};
use super::nesting::Nesting;
use super::parallel;
use super::windows::windowed;
use super::{
    Group, MOST_CELLS, MOST_COMBINATIONS, MOST_ENTITY_FILTERS, Query, Rows, grouping, identity, presence, quantiles,
    refuse_node,
};
use crate::error::QueryError;
use crate::facts::keys::Derivation;
use crate::facts::labels::labels;
use crate::facts::range::Ranges;
use crate::lower::{Lowering, Scope, constant_integer};
use crate::output::{Comparison, Condition, Function, Operator, Output, Sort, Step, Term, Window};
use datafusion_common::arrow::datatypes::DataType;
use datafusion_common::{DFSchema, ScalarValue};
use datafusion_expr::expr::{GroupingSet, InList, ScalarFunction};
use datafusion_expr::utils::enumerate_grouping_sets;
use datafusion_expr::{Aggregate, Between, BinaryExpr, Cast, Expr, LogicalPlan, Operator as PlanOperator, TryCast};
use deniable_core::exact::{parse_rational, whole};
use deniable_core::schema::TableSchema;
use deniable_expression::{Id, Program};

/// The positions of the groups at each level.
type Levels = Vec<Vec<usize>>;

/// Most characters of the name of a group.
const MOST_NAME: usize = 1_000;
/// Most combinations of one entity's rows that meet in a join.
const MOST_PAIRS: u64 = 10_000_000;
/// Most groupings in one question.
const MOST_LEVELS: usize = 64;

/// The part of a plan above its aggregate, in terms of the aggregate's keys and answers.
struct Published {
    core: Core,
    columns: Vec<Term>,
    steps: Vec<Step>,
    windows: Vec<Window>,
}

/// The aggregate and everything below it.
struct Core {
    tables: Vec<TableSchema>,
    entity_rows: Option<Box<EntityRows>>,
    joins: Joins,
    program: Program,
    filters: Vec<Id>,
    groups: Vec<Group>,
    levels: Vec<Vec<usize>>,
    nesting: Nesting,
    collected: Collected,
}

/// Takes an analysed plan apart.
pub(super) fn take_apart(plan: &LogicalPlan, tables: &[TableSchema]) -> Result<Query, QueryError> {
    let Published { core, columns, steps, windows } = published(plan, tables)?;
    let Core { tables, entity_rows, joins, program, filters, groups, levels, nesting, mut collected } = core;
    let names = plan.schema().fields().iter().map(|field| field.name().clone()).collect();
    let cells = levels.iter().try_fold(0_usize, |sum, level| {
        let product =
            level.iter().try_fold(1_usize, |product, group| product.checked_mul(groups[*group].keys.len()))?;
        sum.checked_add(product)
    });
    if cells.is_none_or(|cells| cells > MOST_CELLS) {
        let help = format!("group by fewer columns; at most {MOST_CELLS} combinations of keys are answered");
        return Err(QueryError::refused("a query with this many groups", help).about("GROUP"));
    }
    let looked_up = groups.iter().enumerate().filter(|(at, _)| !nesting.is_determined(*at));
    let keys = looked_up.map(|(_, group)| group.keys.len()).try_fold(1_usize, usize::checked_mul);
    if keys.is_none_or(|keys| keys >= MOST_COMBINATIONS) {
        let help = "ask one query for each grouping, or group by fewer different columns";
        return Err(QueryError::refused("GROUPING SETS over this many columns and keys", help).about("GROUP"));
    }
    quantiles::gather(&mut collected);
    let caps = tables[joins.first].caps();
    let entity = tables[joins.first].entity.as_ref();
    let together = levels.len() > 1 && entity.is_some_and(|entity| entity.levels_together);
    let (measures, arguments, answers) = identity::ordered(collected, &program);
    if presence(&measures).len() > MOST_ENTITY_FILTERS {
        let help = format!("ask them in several queries; at most {MOST_ENTITY_FILTERS} in one");
        return Err(QueryError::refused("this many conditions of COUNT(DISTINCT ...)", help));
    }
    let rows = Rows { tables, program, joins, filters, arguments };
    let output = Output { names, columns, steps, windows };
    let (per_entity, identity) = (None, Vec::new());
    let parts = parallel::parts(&measures, &rows);
    let mut query = Query {
        rows,
        groups,
        levels,
        nesting,
        together,
        measures,
        parts,
        answers,
        output,
        caps,
        per_entity,
        entity_rows,
        identity,
    };
    if query.entity_rows.is_some() && query.rows.program.inputs(&query.roots()).contains(&0) {
        let key = &query.rows.tables[0].columns[0].name;
        let help = "each row is one entity's: look at the key in the inner query, or not at all";
        return Err(QueryError::refused(format!("`{key}` outside of the query that makes one row of each"), help));
    }
    query.identity = identity::bytes(&query);
    Ok(query)
}

fn published(plan: &LogicalPlan, tables: &[TableSchema]) -> Result<Published, QueryError> {
    match plan {
        LogicalPlan::Aggregate(aggregate) => {
            let Aggregated { core, several, terms } = core(aggregate, tables)?;
            let keys = (0..core.groups.len()).map(Term::Key);
            // Beside several groupings the engine puts a column that tells them apart.
            let id = several.then_some(Term::Level);
            let columns = keys.chain(id).chain(terms).collect();
            Ok(Published { core, columns, steps: Vec::new(), windows: Vec::new() })
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
        LogicalPlan::Window(window) => {
            let mut inner = published(&window.input, tables)?;
            for expr in &window.window_expr {
                let found = windowed(expr, window.input.schema(), &inner.columns)?;
                inner.steps.push(Step::Look(inner.windows.len()));
                inner.columns.push(Term::Window(inner.windows.len()));
                inner.windows.push(found);
            }
            Ok(inner)
        }
        LogicalPlan::TableScan(_)
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

fn core(aggregate: &Aggregate, tables: &[TableSchema]) -> Result<Aggregated, QueryError> {
    let Aggregate { input, group_expr, aggr_expr, .. } = aggregate;
    // Rows of entities stand in place of protected tables.
    let made = entity_rows::below(input).map(|inner| EntityRows::of(inner, tables)).transpose()?;
    let public = || tables.iter().filter(|table| !table.is_protected()).cloned();
    let (entity_rows, tables): (_, Vec<TableSchema>) = match made {
        Some((rows, table)) => (Some(Box::new(rows)), std::iter::once(table).chain(public()).collect()),
        None => (None, tables.to_vec()),
    };
    let tables = tables.as_slice();
    let mut lowering = Lowering { has_entity_rows: entity_rows.is_some(), ..Lowering::new(tables) };
    let mut ranges = Ranges::default();
    let inlined = inline(input, &mut lowering)?;
    let mut conditions = inlined.filters;
    let joins = arrange(&inlined.tables, inlined.lookups, &mut conditions, &mut lowering)?;
    few_enough_pairs(&joins, tables)?;
    let scope = Scope { schema: input.schema(), columns: &inlined.columns };
    let (group_exprs, mut sets, several) = groupings(group_expr)?;
    let mut groups: Vec<Group> = Vec::new();
    for expr in &group_exprs {
        let value = lowering.expr(expr, scope)?;
        let mut derivation = Derivation { program: &lowering.program, ranges: &mut ranges, tables };
        let keys = derivation.keys(value).map_err(|error| error.near([expr]).about("GROUP"))?;
        let labels = labels(value, &lowering.program, tables);
        groups.push(Group { name: lowering.program.words(value, MOST_NAME), keys, value, labels });
    }
    let program = lowering.program.clone();
    let mut keys_of = |id| Derivation { program: &program, ranges: &mut ranges, tables }.keys(id);
    let nesting = Nesting::of(&groups, &mut sets, &program, &mut keys_of)?;
    let mut collected = Collected::default();
    let mut entities: Vec<Id> = Vec::new();
    for at in joins.tables() {
        if let Some(entity) = &tables[at].entity {
            entities.push(lowering.column(at, &entity.key)?);
        }
    }
    let mut context = Context { scope, lowering: &mut lowering, ranges: &mut ranges, entities: &entities };
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
            collected.add(expr, &mut context)?;
        }
    }
    if asked.is_empty() {
        let help = "declared keys are public already; ask for COUNT, SUM or AVG in each";
        return Err(QueryError::refused("a query without an aggregate", help).about("SELECT"));
    }
    let program = lowering.program;
    let filters = identity::sorted(conditions.iter().map(|condition| condition.id), &program);
    let tables = tables.to_vec();
    let core = Core { tables, entity_rows, joins, program, filters, groups, levels: sets, nesting, collected };
    Ok(Aggregated { core, several, terms })
}

/// Rows of one entity that meet are all pairs, of which there must be a number that can be computed.
fn few_enough_pairs(joins: &Joins, tables: &[TableSchema]) -> Result<(), QueryError> {
    let entities = joins.tables().filter_map(|at| tables[at].entity.as_ref());
    let most: Vec<u64> = entities.map(|entity| entity.rows_in_joins.into()).collect();
    let pairs = most.iter().fold(1_u64, |pairs, most| pairs.saturating_mul(*most));
    if most.len() < 2 || pairs <= MOST_PAIRS {
        return Ok(());
    }
    let help = format!(
        "declare a smaller `rows_in_joins` in [entity]: multiplied with itself for each protected table it may be \
         {MOST_PAIRS}, and comes to {pairs}"
    );
    Err(QueryError::refused("a join in which one person may have this many rows", help).about("JOIN"))
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
        other => Err(result_refusal("this condition", "HAVING").near([other])),
    }
}

/// An expression over results.
pub(super) fn term(expr: &Expr, schema: &DFSchema, columns: &[Term]) -> Result<Term, QueryError> {
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
                ("ln", [_]) => Function::Ln,
                ("exp", [_]) => Function::Exp,
                ("sqrt", [_]) => Function::Sqrt,
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
        | Expr::LambdaVariable(_) => Err(result_refusal("this expression", "").near([expr])),
    }
}

/// A refusal of what is done with results, and the word of the SQL that does it.
pub(super) fn result_refusal(construct: &str, word: &str) -> QueryError {
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
