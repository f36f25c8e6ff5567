//! From SQL to what each row contributes, what is measured, and what is shown.
//!
//! The second gate, and the one that guarantees rest on. After name resolution and type analysis a question
//! is taken apart into
//!
//! ```text
//! rows       joins on keys, WHERE, row-wise expressions over columns       crate::rows makes them total
//!   groups     declared or derived keys                                    always all of them, never others
//!     measures   whole-number vectors of known sensitivity                 what is noised and paid for
//!       output     arithmetic, ORDER BY, LIMIT on noisy values             free: post-processing (C-3)
//! ```
//!
//! Nothing here reads data. Plan nodes are matched one by one, without wildcard arms.

mod aggregate;
mod complaint;
mod grouping;
mod inline;
pub(crate) mod join;
mod place;
mod published;
mod quantiles;
mod ranked;
pub(crate) mod table;
mod words;

pub use aggregate::{Answer, Measure, MeasureKind, Moments, Share, Target, ValueKind};
pub use table::Table;

use crate::error::QueryError;
use crate::output::Output;
use crate::rows::range::Grid;
use crate::rows::undeclared::undeclared;
use crate::syntax;
use complaint::{meaning, meaning_in};
use datafusion::arrow::datatypes::DataType;
use datafusion::catalog::default_table_source::DefaultTableSource;
use datafusion::common::TableReference;
use datafusion::config::ConfigOptions;
use datafusion::datasource::empty::EmptyTable;
use datafusion::execution::SessionStateBuilder;
use datafusion::execution::context::SessionState;
use datafusion::functions::{core, datetime, math, string};
use datafusion::functions_aggregate::{average, count, min_max, stddev, sum, variance};
use datafusion::logical_expr::planner::ExprPlanner;
use datafusion::logical_expr::{Expr, LogicalPlan, TableSource};
use datafusion::optimizer::Analyzer;
use datafusion::prelude::SessionConfig;
use datafusion::sql::planner::{ContextProvider, ParserOptions, SqlToRel};
use deniable_core::adversary::Adjacency;
use deniable_core::exact::{Rational, whole};
use deniable_core::noise::Rank;
use deniable_core::noise::tree::Shape;
use deniable_core::sensitivity::{Caps, RowRange, additive, ranked};
use deniable_policy::Key;
use join::Joins;
use num_bigint::BigInt;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Most cells that one question may have.
pub const MOST_CELLS: usize = 1_000_000;
/// Most combinations of the keys of all groups, over all levels: numbers of 32 bits, but one.
pub const MOST_COMBINATIONS: usize = u32::MAX as usize;
/// Most conditions under which one question counts entities: a word of bits, but one.
pub const MOST_ENTITY_FILTERS: usize = 63;

/// A column or expression that is grouped by, with its keys in their natural order.
#[derive(Debug, Clone, PartialEq)]
pub struct Group {
    /// What is grouped by, in words.
    pub name: String,
    /// Its keys, as rows hold them.
    pub keys: Vec<Key>,
    pub(crate) expr: Expr,
}

impl Group {
    /// The keys as they are shown: times that are all midnights are days.
    #[must_use]
    pub fn shown(&self, key: &Key) -> Key {
        const DAY: i64 = 86_400_000_000;
        let midnight = |key: &Key| match key {
            Key::Timestamp(micros) => micros.rem_euclid(DAY) == 0,
            _ => true,
        };
        match key {
            Key::Timestamp(micros) if self.keys.iter().all(midnight) => {
                i32::try_from(micros.div_euclid(DAY)).map_or_else(|_| key.clone(), Key::Date)
            }
            other => other.clone(),
        }
    }
}

/// What is taken from each row before anything is added up.
#[derive(Debug, Clone)]
pub(crate) struct Rows {
    /// The tables of the policy.
    pub(crate) tables: Vec<Table>,
    /// Which of them are read, and how they meet.
    pub(crate) joins: Joins,
    /// Conditions that must all be true, over the tables' columns.
    pub(crate) filters: Vec<Expr>,
    /// Expressions that measures refer to by position.
    pub(crate) arguments: Vec<Argument>,
}

/// An expression of a row, and the grid it is summed on where it is.
#[derive(Debug, Clone)]
pub(crate) struct Argument {
    pub(crate) expr: Expr,
    pub(crate) grid: Option<Grid>,
}

/// A question, understood.
#[derive(Debug, Clone)]
pub struct Query {
    pub(crate) rows: Rows,
    groups: Vec<Group>,
    levels: Vec<Vec<usize>>,
    measures: Vec<Measure>,
    answers: Vec<Vec<Answer>>,
    output: Output,
    caps: Caps,
    canonical: String,
}

impl Query {
    /// Understands a question about tables, the main one first, or refuses it. Reads no data.
    ///
    /// # Errors
    /// When the SQL is not SQL, names what is not there, or uses anything that is not on the allow-list.
    pub fn new(sql: &str, tables: &[Table]) -> Result<Self, QueryError> {
        Self::understood(sql, tables).map_err(|error| error.found_by(|word| syntax::places_of(sql, word)))
    }

    fn understood(sql: &str, tables: &[Table]) -> Result<Self, QueryError> {
        let statement = syntax::parse(sql)?;
        let names = syntax::column_names(&statement);
        let provider = Provider::new(tables)?;
        let options = ParserOptions { collect_spans: true, map_string_types_to_utf8view: false, ..Default::default() };
        let plan = SqlToRel::new_with_options(&provider, options)
            .sql_statement_to_plan(statement)
            .and_then(|plan| analyzer().execute_and_check(plan, &provider.config, |_, _| {}))
            .map_err(|error| meaning_in(&error, tables))?;
        let mut query = published::take_apart(&plan, tables)?;
        if let Some(names) = names.filter(|names| names.len() == query.output.names.len()) {
            query.output.names = names;
        }
        Ok(query)
    }

    /// What is grouped by.
    #[must_use]
    pub fn groups(&self) -> &[Group] {
        &self.groups
    }

    /// The groupings that are answered, each the positions of its groups: one, unless GROUPING SETS, ROLLUP or CUBE
    /// ask for several. The product of a level's keys makes its cells, the last varying fastest.
    #[must_use]
    pub fn levels(&self) -> &[Vec<usize>] {
        &self.levels
    }

    /// How many cells a level has, at least 1.
    #[must_use]
    pub fn cells(&self, level: usize) -> usize {
        self.levels[level].iter().map(|group| self.groups[*group].keys.len()).product()
    }

    /// What is noised and paid for, in the canonical order.
    #[must_use]
    pub fn measures(&self) -> &[Measure] {
        &self.measures
    }

    /// The aggregates of the question at a level, each over one or more measures.
    #[must_use]
    pub fn answers(&self, level: usize) -> &[Answer] {
        &self.answers[level]
    }

    /// What is done with the noisy answers.
    #[must_use]
    pub fn output(&self) -> &Output {
        &self.output
    }

    /// The caps under which it is answered.
    #[must_use]
    pub fn caps(&self) -> Caps {
        self.caps
    }

    /// The names of the tables that are read, protected ones and public ones.
    pub fn tables(&self) -> impl Iterator<Item = &str> {
        self.rows.joins.tables().map(|at| self.rows.tables[at].name.as_str())
    }

    /// The names of the columns of a table whose values decide about the answer: those in conditions, values, groups
    /// and joins.
    #[must_use]
    pub fn columns(&self, table: &str) -> BTreeSet<&str> {
        let Rows { joins, filters, arguments, tables: _ } = &self.rows;
        let values = arguments.iter().map(|argument| &argument.expr);
        let groups = self.groups.iter().map(|group| &group.expr);
        let joined = joins.others.iter().map(|join| &join.on);
        let all = filters.iter().chain(values).chain(groups).chain(joined).flat_map(Expr::column_refs);
        all.filter(|column| column.relation.as_ref().is_some_and(|relation| relation.table() == table))
            .map(|column| column.name.as_str())
            .collect()
    }

    /// What conditions and values compare with a column though it is none of its declared keys, in words: a slip of the
    /// fingers, more often than not. Depends on nothing private.
    #[must_use]
    pub fn undeclared(&self) -> Vec<String> {
        let values = self.rows.arguments.iter().map(|argument| &argument.expr);
        let groups = self.groups.iter().map(|group| &group.expr);
        undeclared(self.rows.filters.iter().chain(values).chain(groups), &self.rows.tables)
    }

    /// The entity key, as an expression over the joined tables; `None` when one row is one person.
    pub(crate) fn entity(&self) -> Option<Expr> {
        let first = &self.rows.tables[self.rows.joins.first];
        first.entity.as_ref().map(|entity| first.expr(&entity.key))
    }

    /// How far one entity can move what a measure releases: the L1 change of its vector in units (S-CAP), or twice the
    /// change of its distances, because the total weight moves with them (M-EXP).
    #[must_use]
    pub fn sensitivity(&self, measure: usize, adjacency: Adjacency) -> BigInt {
        let Measure { kind, level, .. } = &self.measures[measure];
        let (caps, cells) = (self.caps, self.cells(*level));
        match kind {
            MeasureKind::Rows | MeasureKind::NotNull { .. } => additive(adjacency, caps, RowRange::COUNT, cells),
            MeasureKind::Entities { .. } => {
                additive(adjacency, Caps { rows_per_group: 1, ..caps }, RowRange::COUNT, cells)
            }
            MeasureKind::Sum { range, .. } => additive(adjacency, caps, *range, cells),
            MeasureKind::Ranked { target, .. } => {
                let rank = match target {
                    Target::Share(Share { part, whole }) => Rank::Share { part: *part, whole: *whole },
                    Target::Lowest => Rank::FromBelow(1),
                    Target::Highest => Rank::FromAbove(1),
                };
                ranked(adjacency, caps, &rank, cells) * 2
            }
            MeasureKind::Tree { .. } => {
                // One row is counted once on each level of the tree. An exchanged row may leave one interval and enter
                // another of the same cell, so few cells do not help.
                let height = Shape::for_size(self.grid_size(measure)).height;
                let groups = u32::try_from(cells).unwrap_or(u32::MAX).min(caps.groups);
                additive(adjacency, Caps { groups, ..caps }, RowRange::COUNT, usize::MAX) * height
            }
        }
    }

    /// Whether ranks are asked, for which values are gathered.
    pub(crate) fn has_ranks(&self) -> bool {
        let is_rank = |kind: &MeasureKind| matches!(kind, MeasureKind::Ranked { .. } | MeasureKind::Tree { .. });
        self.measures.iter().any(|measure| is_rank(&measure.kind))
    }

    /// The least and greatest grid value of a measure's argument, in units; 0 where there is no grid.
    pub(crate) fn grid_ends(&self, measure: usize) -> (i64, i64) {
        let argument = match &self.measures[measure].kind {
            MeasureKind::Rows | MeasureKind::Entities { .. } => return (0, 0),
            MeasureKind::NotNull { argument }
            | MeasureKind::Sum { argument, .. }
            | MeasureKind::Ranked { argument, .. }
            | MeasureKind::Tree { argument, .. } => *argument,
        };
        self.rows.arguments[argument].grid.as_ref().map_or((0, 0), |grid| (grid.low, grid.high))
    }

    /// The same in values.
    #[must_use]
    pub fn bounds(&self, measure: usize) -> (Rational, Rational) {
        let unit = self.argument_unit(measure);
        let (low, high) = self.grid_ends(measure);
        (whole(low) * &unit, whole(high) * unit)
    }

    /// The measured part in one normalised text: two questions with the same text get the same answer.
    ///
    /// Names of CTEs and results, the order of conditions and everything that is post-processing leave no trace.
    #[must_use]
    pub fn canonical(&self) -> &str {
        &self.canonical
    }
}

/// How much of an ask's share each measure gets; all weights of a query add up to its number of answers.
impl Measure {
    /// The part of the query's share that this measure gets.
    #[must_use]
    pub fn part(&self, query: &Query) -> Rational {
        let total: Rational = query.measures.iter().map(|measure| measure.weight.clone()).sum();
        &self.weight / total
    }
}

/// The arguments of which measures count whether an entity has any value in a cell.
pub(crate) fn presence(measures: &[Measure]) -> Vec<usize> {
    let mut arguments: Vec<usize> = Vec::new();
    for measure in measures {
        if let MeasureKind::Entities { present: Some(argument) } = &measure.kind
            && !arguments.contains(argument)
        {
            arguments.push(*argument);
        }
    }
    arguments
}

/// The engine's type analysis, which leaves `GROUPING(x)` to us.
fn analyzer() -> Analyzer {
    let rules = Analyzer::new().rules.into_iter().filter(|rule| rule.name() != grouping::RULE);
    Analyzer::with_rules(rules.collect())
}

/// The functions, aggregates and types that exist in a question: nothing is looked up elsewhere.
pub(crate) fn session_state() -> SessionState {
    let config = SessionConfig::new()
        .with_target_partitions(2)
        .set_bool("datafusion.catalog.create_default_catalog_and_schema", true);
    SessionStateBuilder::new()
        .with_config(config)
        .with_scalar_functions(vec![
            core::coalesce(),
            core::nullif(),
            core::greatest(),
            core::least(),
            math::abs(),
            math::ceil(),
            math::floor(),
            math::round(),
            string::lower(),
            string::upper(),
            string::btrim(),
            datetime::date_trunc(),
            datetime::date_part(),
            crate::rows::calendar::date_diff(),
        ])
        .with_aggregate_functions(
            [
                count::count_udaf(),
                sum::sum_udaf(),
                average::avg_udaf(),
                // Names and types only: none of these is ever computed by the engine.
                min_max::min_udaf(),
                min_max::max_udaf(),
                variance::var_samp_udaf(),
                variance::var_pop_udaf(),
                stddev::stddev_udaf(),
                stddev::stddev_pop_udaf(),
            ]
            .into_iter()
            .chain(ranked::all())
            .chain([grouping::function()])
            .collect(),
        )
        .build()
}

/// Name resolution for the declared tables.
struct Provider {
    tables: Vec<(String, Arc<dyn TableSource>)>,
    state: SessionState,
    config: ConfigOptions,
    planners: Vec<Arc<dyn ExprPlanner>>,
}

impl Provider {
    fn new(tables: &[Table]) -> Result<Self, QueryError> {
        let source = |table: &Table| -> Arc<dyn TableSource> {
            Arc::new(DefaultTableSource::new(Arc::new(EmptyTable::new(Arc::new(table.schema())))))
        };
        let state = session_state();
        let config = state.config_options().as_ref().clone();
        Ok(Self {
            tables: tables.iter().map(|table| (table.name.clone(), source(table))).collect(),
            state,
            config,
            planners: vec![Arc::new(datetime::planner::DatetimeFunctionPlanner)],
        })
    }
}

impl ContextProvider for Provider {
    fn get_table_source(&self, name: TableReference) -> datafusion::error::Result<Arc<dyn TableSource>> {
        if name.schema().is_none()
            && let Some((_, source)) = self.tables.iter().find(|(known, _)| known == name.table())
        {
            return Ok(source.clone());
        }
        let known: Vec<String> = self.tables.iter().map(|(name, _)| format!("`{name}`")).collect();
        datafusion::common::plan_err!("there is no table `{name}`; the policy declares {}", known.join(", "))
    }

    fn get_expr_planners(&self) -> &[Arc<dyn ExprPlanner>] {
        &self.planners
    }

    fn get_function_meta(&self, name: &str) -> Option<Arc<datafusion::logical_expr::ScalarUDF>> {
        self.state.scalar_functions().get(name).cloned()
    }

    fn get_aggregate_meta(&self, name: &str) -> Option<Arc<datafusion::logical_expr::AggregateUDF>> {
        self.state.aggregate_functions().get(name).cloned()
    }

    fn get_window_meta(&self, _: &str) -> Option<Arc<datafusion::logical_expr::WindowUDF>> {
        None
    }

    fn get_higher_order_meta(&self, _: &str) -> Option<Arc<datafusion::logical_expr::HigherOrderUDF>> {
        None
    }

    fn get_variable_type(&self, _: &[String]) -> Option<DataType> {
        None
    }

    fn options(&self) -> &ConfigOptions {
        &self.config
    }

    fn udf_names(&self) -> Vec<String> {
        self.state.scalar_functions().keys().cloned().collect()
    }

    fn higher_order_function_names(&self) -> Vec<String> {
        Vec::new()
    }

    fn udaf_names(&self) -> Vec<String> {
        self.state.aggregate_functions().keys().cloned().collect()
    }

    fn udwf_names(&self) -> Vec<String> {
        Vec::new()
    }
}

const EARLY: &str = "it would make one person's row decide about another's; order the results instead";

/// Names the plan nodes that no question may hold.
pub(crate) fn refuse_node(plan: &LogicalPlan) -> QueryError {
    let (construct, word, help) = match plan {
        LogicalPlan::Aggregate(_) => {
            ("an aggregate of an aggregate", "GROUP", "aggregate once; arithmetic on the results is free")
        }
        LogicalPlan::Projection(_)
        | LogicalPlan::SubqueryAlias(_)
        | LogicalPlan::TableScan(_)
        | LogicalPlan::Filter(_) => {
            ("a question without an aggregate", "SELECT", "rows are never published; ask for COUNT, SUM or AVG")
        }
        LogicalPlan::Sort(_) => ("ORDER BY or LIMIT before the aggregate", "ORDER", EARLY),
        LogicalPlan::Limit(_) => ("ORDER BY or LIMIT before the aggregate", "LIMIT", EARLY),
        LogicalPlan::Distinct(_) => {
            ("DISTINCT", "DISTINCT", "use GROUP BY over declared keys, or COUNT(DISTINCT <entity key>)")
        }
        LogicalPlan::Join(_) => (
            "this kind of join",
            "JOIN",
            "protected tables are joined with JOIN on the entity key, public ones with JOIN or LEFT JOIN on their key",
        ),
        LogicalPlan::Union(_) => ("UNION", "UNION", "ask each part on its own"),
        LogicalPlan::Window(_) => ("a window function", "OVER", "a person's value may not depend on other rows"),
        LogicalPlan::Unnest(_) => ("UNNEST", "UNNEST", "declare the value as a column"),
        LogicalPlan::Subquery(_) => ("a subquery inside an expression", "SELECT", "subqueries stand only in FROM"),
        LogicalPlan::RecursiveQuery(_) => ("WITH RECURSIVE", "RECURSIVE", "CTEs may filter and project, not recurse"),
        LogicalPlan::EmptyRelation(_) | LogicalPlan::Values(_) => {
            ("SELECT without a table", "SELECT", "read the declared table")
        }
        LogicalPlan::Repartition(_)
        | LogicalPlan::Statement(_)
        | LogicalPlan::Explain(_)
        | LogicalPlan::Analyze(_)
        | LogicalPlan::Extension(_)
        | LogicalPlan::Dml(_)
        | LogicalPlan::Ddl(_)
        | LogicalPlan::Copy(_)
        | LogicalPlan::DescribeTable(_) => ("this statement", "", "only SELECT asks a question"),
    };
    QueryError::refused(construct, help).about(word)
}
