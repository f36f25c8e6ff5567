//! From SQL to what each row contributes, what is measured, and what is shown.
//!
//! The second gate, and the one that guarantees rest on. After name resolution and type analysis a question
//! is taken apart into
//!
//! ```text
//! rows       WHERE and row-wise expressions over one table's columns       crate::rows makes them total
//!   groups     declared keys                                               always all of them, never others
//!     measures   whole-number vectors of known sensitivity                 what is noised and paid for
//!       output     arithmetic, ORDER BY, LIMIT on noisy values             free: post-processing (C-3)
//! ```
//!
//! Nothing here reads data. Plan nodes are matched one by one, without wildcard arms.

mod aggregate;
mod complaint;
mod inline;
mod published;

pub use aggregate::{Answer, Measure, MeasureKind};

use crate::error::QueryError;
use crate::output::Output;
use crate::rows::range::Grid;
use crate::syntax;
use complaint::{meaning, meaning_in};
use datafusion::arrow::datatypes::{DataType, Field, Schema};
use datafusion::catalog::default_table_source::DefaultTableSource;
use datafusion::common::{DFSchema, TableReference};
use datafusion::config::ConfigOptions;
use datafusion::datasource::empty::EmptyTable;
use datafusion::execution::SessionStateBuilder;
use datafusion::execution::context::SessionState;
use datafusion::functions::{core, math, string};
use datafusion::functions_aggregate::{average, count, sum};
use datafusion::logical_expr::{Expr, LogicalPlan, TableSource};
use datafusion::optimizer::Analyzer;
use datafusion::prelude::SessionConfig;
use datafusion::sql::planner::{ContextProvider, ParserOptions, SqlToRel};
use deniable_core::exact::Rational;
use deniable_core::sensitivity::Caps;
use deniable_policy::{Column, ColumnType, Entity, Key};
use std::sync::Arc;

/// Most cells that one question may have.
pub const MOST_CELLS: usize = 1_000_000;

/// What is publicly known about a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    /// Its name in SQL.
    pub name: String,
    /// The declared columns.
    pub columns: Vec<Column>,
    /// Whose rows belong together; `None` when one row is one person.
    pub entity: Option<Entity>,
}

impl Table {
    /// The caps in force (S-CAP).
    #[must_use]
    pub fn caps(&self) -> Caps {
        self.entity.as_ref().map_or(Caps::ONE_ROW, |entity| entity.caps)
    }

    pub(crate) fn column(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|column| column.name == name)
    }

    pub(crate) fn schema(&self) -> Schema {
        Schema::new(
            self.columns
                .iter()
                .map(|column| Field::new(&column.name, arrow_type(column.kind), true))
                .collect::<Vec<_>>(),
        )
    }
}

pub(crate) fn arrow_type(kind: ColumnType) -> DataType {
    match kind {
        ColumnType::Integer => DataType::Int64,
        ColumnType::Decimal => DataType::Float64,
        ColumnType::Text => DataType::Utf8,
        ColumnType::Boolean => DataType::Boolean,
    }
}

/// A column that is grouped by, with its declared keys in their declared order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// The column.
    pub column: String,
    /// Its keys.
    pub keys: Vec<Key>,
}

/// What is taken from each row before anything is added up.
#[derive(Debug, Clone)]
pub(crate) struct Rows {
    /// Conditions that must all be true, over the table's columns.
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
    measures: Vec<Measure>,
    answers: Vec<Answer>,
    output: Output,
    caps: Caps,
    entity: Option<String>,
    canonical: String,
}

impl Query {
    /// Understands a question about a table, or refuses it. Reads no data.
    ///
    /// # Errors
    /// When the SQL is not SQL, names what is not there, or uses anything that is not on the allow-list.
    pub fn new(sql: &str, table: &Table) -> Result<Self, QueryError> {
        let statement = syntax::parse(sql)?;
        let names = syntax::column_names(&statement);
        let provider = Provider::new(table)?;
        let options = ParserOptions { collect_spans: true, map_string_types_to_utf8view: false, ..Default::default() };
        let plan = SqlToRel::new_with_options(&provider, options)
            .sql_statement_to_plan(statement)
            .and_then(|plan| Analyzer::new().execute_and_check(plan, &provider.config, |_, _| {}))
            .map_err(|error| meaning_in(&error, &table.columns))?;
        let mut query = published::take_apart(&plan, table, &provider.schema)?;
        if let Some(names) = names.filter(|names| names.len() == query.output.names.len()) {
            query.output.names = names;
        }
        Ok(query)
    }

    /// The columns that are grouped by; their keys' product makes the cells, the last varying fastest.
    #[must_use]
    pub fn groups(&self) -> &[Group] {
        &self.groups
    }

    /// How many cells there are, at least 1.
    #[must_use]
    pub fn cells(&self) -> usize {
        self.groups.iter().map(|group| group.keys.len()).product()
    }

    /// What is noised and paid for, in the canonical order.
    #[must_use]
    pub fn measures(&self) -> &[Measure] {
        &self.measures
    }

    /// The aggregates of the question, each over one or two measures.
    #[must_use]
    pub fn answers(&self) -> &[Answer] {
        &self.answers
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
        ])
        .with_aggregate_functions(vec![count::count_udaf(), sum::sum_udaf(), average::avg_udaf()])
        .build()
}

/// Name resolution for one table.
struct Provider {
    name: String,
    source: Arc<dyn TableSource>,
    schema: DFSchema,
    state: SessionState,
    config: ConfigOptions,
}

impl Provider {
    fn new(table: &Table) -> Result<Self, QueryError> {
        let schema = Arc::new(table.schema());
        let empty = EmptyTable::new(schema.clone());
        let state = session_state();
        let config = state.config_options().as_ref().clone();
        Ok(Self {
            name: table.name.clone(),
            source: Arc::new(DefaultTableSource::new(Arc::new(empty))),
            schema: DFSchema::try_from(schema.as_ref().clone()).map_err(|error| meaning(&error))?,
            state,
            config,
        })
    }
}

impl ContextProvider for Provider {
    fn get_table_source(&self, name: TableReference) -> datafusion::error::Result<Arc<dyn TableSource>> {
        if name.schema().is_none() && name.table() == self.name {
            return Ok(self.source.clone());
        }
        datafusion::common::plan_err!("there is no table `{name}`; the policy declares `{}`", self.name)
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

/// Names the plan nodes that no question may hold.
pub(crate) fn refuse_node(plan: &LogicalPlan) -> QueryError {
    let (construct, help) = match plan {
        LogicalPlan::Aggregate(_) => {
            ("an aggregate of an aggregate", "aggregate once; arithmetic on the results is free")
        }
        LogicalPlan::Projection(_) | LogicalPlan::SubqueryAlias(_) | LogicalPlan::TableScan(_) => {
            ("a question without an aggregate", "rows are never published; ask for COUNT, SUM or AVG")
        }
        LogicalPlan::Filter(_) => (
            "a filter on results (HAVING, or WHERE around an aggregate)",
            "choose among the published groups afterwards",
        ),
        LogicalPlan::Sort(_) | LogicalPlan::Limit(_) => (
            "ORDER BY or LIMIT before the aggregate",
            "it would make one person's row decide about another's; order the results instead",
        ),
        LogicalPlan::Distinct(_) => ("DISTINCT", "use GROUP BY over declared keys, or COUNT(DISTINCT <entity key>)"),
        LogicalPlan::Join(_) => ("a join", "each ask reads one table"),
        LogicalPlan::Union(_) => ("UNION", "ask each part on its own"),
        LogicalPlan::Window(_) => ("a window function", "a person's value may not depend on other rows"),
        LogicalPlan::Unnest(_) => ("UNNEST", "declare the value as a column"),
        LogicalPlan::Subquery(_) => ("a subquery inside an expression", "subqueries stand only in FROM"),
        LogicalPlan::RecursiveQuery(_) => ("WITH RECURSIVE", "CTEs may filter and project, not recurse"),
        LogicalPlan::EmptyRelation(_) | LogicalPlan::Values(_) => ("SELECT without a table", "read the declared table"),
        LogicalPlan::Repartition(_)
        | LogicalPlan::Statement(_)
        | LogicalPlan::Explain(_)
        | LogicalPlan::Analyze(_)
        | LogicalPlan::Extension(_)
        | LogicalPlan::Dml(_)
        | LogicalPlan::Ddl(_)
        | LogicalPlan::Copy(_)
        | LogicalPlan::DescribeTable(_) => ("this statement", "only SELECT asks a question"),
    };
    QueryError::refused(construct, help)
}

/// What is measured, in the words of the question.
impl Query {
    /// The measure at this position, as a curator would write it.
    #[must_use]
    pub fn measure_in_words(&self, position: usize) -> String {
        match &self.measures[position].kind {
            MeasureKind::Rows => "COUNT(*)".to_owned(),
            MeasureKind::Entities => format!("COUNT(DISTINCT {})", self.argument_in_words(position)),
            MeasureKind::NotNull { .. } => format!("COUNT({})", self.argument_in_words(position)),
            MeasureKind::Sum { centre: 0, .. } => format!("SUM({})", self.argument_in_words(position)),
            MeasureKind::Sum { centre, .. } => {
                let centre = deniable_core::exact::whole(*centre) * &self.measures[position].unit;
                format!("SUM({} - {centre})", self.argument_in_words(position))
            }
        }
    }

    /// The expression that the measure at this position is about.
    #[must_use]
    pub fn argument_in_words(&self, position: usize) -> String {
        match &self.measures[position].kind {
            MeasureKind::Rows => "*".to_owned(),
            MeasureKind::Entities => self.entity.clone().unwrap_or_else(|| "entity".to_owned()),
            MeasureKind::NotNull { argument } | MeasureKind::Sum { argument, .. } => {
                crate::rows::in_words(&self.rows.arguments[*argument].expr)
            }
        }
    }
}
