//! The tables, functions, aggregates and types of a query; no other names are resolved. DataFusion provides names and
//! types, and computes nothing.

use super::complaint::{meaning, no_table};
use super::{extreme_row, functions, grouping, ranked, regression, weighted, windows};
use datafusion_common::arrow::datatypes::{DataType, Field, Schema, TimeUnit};
use datafusion_common::config::ConfigOptions;
use datafusion_common::{DFSchema, Result, ScalarValue, TableReference};
use datafusion_expr::logical_plan::builder::LogicalTableSource;
use datafusion_expr::planner::{ExprPlanner, PlannerResult, RawBinaryExpr};
use datafusion_expr::{
    AggregateUDF, Expr, ExprSchemable, HigherOrderUDF, LogicalPlan, ScalarUDF, TableSource, WindowUDF,
};
use datafusion_functions::datetime;
use datafusion_functions_aggregate::{average, count, min_max, stddev, sum, variance};
use datafusion_optimizer::Analyzer;
use datafusion_sql::planner::{ContextProvider, ParserOptions, SqlToRel};
use datafusion_sql::sqlparser::ast::{BinaryOperator, Statement};
use deniable_core::schema::ColumnType;
use deniable_core::schema::TableSchema;
use deniable_query::QueryError;
use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

/// A statement after name resolution and type analysis.
pub(super) fn analysed(statement: Statement, tables: &[TableSchema]) -> Result<LogicalPlan, QueryError> {
    let catalog = Catalog::new(tables);
    let options = ParserOptions { collect_spans: true, map_string_types_to_utf8view: false, ..Default::default() };
    SqlToRel::new_with_options(&catalog, options)
        .sql_statement_to_plan(statement)
        .and_then(|plan| ENGINE.analyzer.execute_and_check(plan, &ENGINE.config, |_, _| {}))
        .map_err(|error| meaning(&error, tables))
}

/// DataFusion's type analysis, without its rule for `GROUPING(x)`, which [`super::grouping`] handles.
fn analyzer() -> Analyzer {
    let rules = Analyzer::new().rules.into_iter().filter(|rule| rule.name() != grouping::RULE);
    Analyzer::with_rules(rules.collect())
}

fn aggregates() -> Vec<Arc<AggregateUDF>> {
    let known = vec![
        count::count_udaf(),
        sum::sum_udaf(),
        average::avg_udaf(),
        min_max::min_udaf(),
        min_max::max_udaf(),
        variance::var_samp_udaf(),
        variance::var_pop_udaf(),
        stddev::stddev_udaf(),
        stddev::stddev_pop_udaf(),
        grouping::function(),
    ];
    known
        .into_iter()
        .chain(ranked::all())
        .chain(regression::all())
        .chain(extreme_row::all())
        .chain([weighted::function()])
        .collect()
}

/// State shared by all queries and tables, built once.
struct Engine {
    functions: BTreeMap<String, Arc<ScalarUDF>>,
    aggregates: BTreeMap<String, Arc<AggregateUDF>>,
    windows: Vec<Arc<WindowUDF>>,
    config: ConfigOptions,
    planners: Vec<Arc<dyn ExprPlanner>>,
    analyzer: Analyzer,
}

static ENGINE: LazyLock<Engine> = LazyLock::new(Engine::new);

impl Engine {
    fn new() -> Self {
        let mut all = Self {
            functions: BTreeMap::new(),
            aggregates: BTreeMap::new(),
            windows: windows::functions(),
            config: ConfigOptions::default(),
            planners: vec![Arc::new(datetime::planner::DatetimeFunctionPlanner), Arc::new(DaysBetween)],
            analyzer: analyzer(),
        };
        for function in functions::all() {
            for name in function.aliases().iter().cloned().chain([function.name().to_owned()]) {
                all.functions.insert(name, function.clone());
            }
        }
        for aggregate in aggregates() {
            for name in aggregate.aliases().iter().cloned().chain([aggregate.name().to_owned()]) {
                all.aggregates.insert(name, aggregate.clone());
            }
        }
        all.aggregates.insert("variance".to_owned(), variance::var_samp_udaf());
        all
    }
}

/// `day - other` of two dates is the number of days between them, as in PostgreSQL.
#[derive(Debug)]
struct DaysBetween;

impl ExprPlanner for DaysBetween {
    fn plan_binary_op(&self, expr: RawBinaryExpr, schema: &DFSchema) -> Result<PlannerResult<RawBinaryExpr>> {
        let is_date = |side: &Expr| side.get_type(schema).is_ok_and(|kind| kind == DataType::Date32);
        if expr.op == BinaryOperator::Minus
            && is_date(&expr.left)
            && is_date(&expr.right)
            && let Some(function) = ENGINE.functions.get("date_diff")
        {
            let unit = Expr::Literal(ScalarValue::Utf8(Some("day".to_owned())), None);
            return Ok(PlannerResult::Planned(function.call(vec![unit, expr.right, expr.left])));
        }
        Ok(PlannerResult::Original(expr))
    }
}

/// Name resolution for the declared tables.
struct Catalog {
    tables: Vec<(String, Arc<dyn TableSource>)>,
}

impl Catalog {
    fn new(tables: &[TableSchema]) -> Self {
        let source = |table: &TableSchema| -> Arc<dyn TableSource> {
            let field =
                |column: &deniable_core::schema::Column| Field::new(&column.name, planned_type(column.kind), true);
            // Coarser columns that follow from keys are ordinary columns; a list that was not read has no such column.
            let parents = table.columns.iter().flat_map(|column| &column.parents);
            let parents = parents.filter(|parents| !parents.of.is_empty());
            let parents = parents.map(|parents| Field::new(&parents.name, planned_type(ColumnType::Text), true));
            let fields: Vec<Field> = table.columns.iter().map(field).chain(parents).collect();
            Arc::new(LogicalTableSource::new(Arc::new(Schema::new(fields))))
        };
        Self { tables: tables.iter().map(|table| (table.name.clone(), source(table))).collect() }
    }
}

/// The planner's type for a declared type.
fn planned_type(kind: ColumnType) -> DataType {
    match kind {
        ColumnType::Integer => DataType::Int64,
        ColumnType::Decimal => DataType::Float64,
        ColumnType::Text => DataType::Utf8,
        ColumnType::Boolean => DataType::Boolean,
        ColumnType::Date => DataType::Date32,
        ColumnType::Timestamp => DataType::Timestamp(TimeUnit::Microsecond, None),
    }
}

impl ContextProvider for Catalog {
    fn get_table_source(&self, name: TableReference) -> Result<Arc<dyn TableSource>> {
        // PostgreSQL clients write its default schema.
        if name.schema().is_none_or(|schema| schema == "public")
            && name.catalog().is_none()
            && let Some((_, source)) = self.tables.iter().find(|(known, _)| known == name.table())
        {
            return Ok(source.clone());
        }
        let known: Vec<&str> = self.tables.iter().map(|(name, _)| name.as_str()).collect();
        Err(no_table(&name.to_string(), name.table(), &known))
    }

    fn get_expr_planners(&self) -> &[Arc<dyn ExprPlanner>] {
        &ENGINE.planners
    }

    fn get_function_meta(&self, name: &str) -> Option<Arc<ScalarUDF>> {
        ENGINE.functions.get(name).cloned()
    }

    fn get_aggregate_meta(&self, name: &str) -> Option<Arc<AggregateUDF>> {
        ENGINE.aggregates.get(name).cloned()
    }

    fn get_window_meta(&self, name: &str) -> Option<Arc<WindowUDF>> {
        ENGINE.windows.iter().find(|window| window.name() == name).cloned()
    }

    fn get_higher_order_meta(&self, _: &str) -> Option<Arc<HigherOrderUDF>> {
        None
    }

    fn get_variable_type(&self, _: &[String]) -> Option<DataType> {
        None
    }

    fn options(&self) -> &ConfigOptions {
        &ENGINE.config
    }

    fn udf_names(&self) -> Vec<String> {
        ENGINE.functions.keys().cloned().collect()
    }

    fn higher_order_function_names(&self) -> Vec<String> {
        Vec::new()
    }

    fn udaf_names(&self) -> Vec<String> {
        ENGINE.aggregates.keys().cloned().collect()
    }

    fn udwf_names(&self) -> Vec<String> {
        ENGINE.windows.iter().map(|window| window.name().to_owned()).collect()
    }
}
