//! Plans a query from a statement: rows, measures and output.
//!
//! The second gate for plan nodes, as `lower` is for expressions; guarantees depend on both. After name resolution and
//! type analysis a statement is divided into
//!
//! ```text
//! rows       joins on keys, WHERE, row-wise expressions over columns       the language of rows makes them total
//!   groups     declared or derived keys                                    always all of them, never others
//!   measures   integer vectors of known sensitivity                      get noise and are charged
//!       output     arithmetic, ORDER BY, LIMIT on noisy values             free: post-processing (C-3)
//! ```
//!
//! Nothing here reads data. Plan nodes are matched one by one, without wildcard arms.

mod aggregate;
mod catalog;
mod complaint;
mod entity_rows;
mod extreme_row;
mod functions;
mod grouping;
mod groups;
mod inline;
mod join;
pub(crate) mod membership;
mod own_rows;
pub(crate) mod place;
mod public;
mod quantiles;
mod ranked;
mod regression;
mod released;
mod results;
mod weighted;
mod windows;

pub(crate) use functions::names as row_functions;
pub use public::PublicRows;
pub(crate) use windows::WINDOWS;

use crate::syntax;
use aggregate::CollectedMeasures;
use complaint::meaning;
use datafusion_expr::LogicalPlan;
use deniable_core::schema::TableSchema;
use deniable_query::output::Output;
use deniable_query::{Parts, Query, QueryError, Rows};
use groups::Core;
use released::{RowSet, released};

/// Bytes of the stack for parsing and planning: enough for the deepest nesting allowed, in unoptimised builds.
const STACK: usize = 64 << 20;

/// Plans a statement about tables, the main table first. Reads no data.
///
/// # Errors
/// When the text is not SQL, refers to undeclared names, or uses a construct that is not on the allow-list.
pub fn plan(sql: &str, tables: &[TableSchema]) -> Result<Query, QueryError> {
    let unread = |table: &TableSchema| Err(format!("the rows of `{}` are not available", table.name));
    plan_with_public(sql, tables, &unread)
}

/// Plans a statement whose results may be joined with public tables; `public` reads the rows of such a table.
///
/// # Errors
/// As [`plan`], and when such a table cannot be read. The table is public, so the message is shown.
pub fn plan_with_public(sql: &str, tables: &[TableSchema], public: PublicRows<'_>) -> Result<Query, QueryError> {
    let planned = || planned(sql, tables, public);
    // The parser and the planner are recursive; they get their own stack because that of the calling thread may be
    // small.
    let on_own_stack = std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, planned);
        thread.ok().and_then(|thread| thread.join().ok())
    });
    let failed = || Err(QueryError::meaning("the query could not be understood"));
    on_own_stack.unwrap_or_else(failed).map_err(|error| error.found_by(|word| syntax::places_of(sql, word)))
}

fn planned(sql: &str, tables: &[TableSchema], public: PublicRows<'_>) -> Result<Query, QueryError> {
    let syntax::ParsedQuery { statement, names } = syntax::parse(sql)?;
    let plan = catalog::analysed(statement, tables)?;
    let (core, RowSet { levels: shown, columns, steps, .. }, windows) = released(&plan, tables, public)?;
    let Core { tables, entity_rows, joins, program, filters, groups, levels, nesting, mut collected } = core;
    let own: Vec<String> = plan.schema().fields().iter().map(|field| field.name().clone()).collect();
    let names = names.filter(|names| names.len() == own.len()).unwrap_or(own);
    quantiles::gather(&mut collected);
    let CollectedMeasures { measures, arguments, answers } = collected;
    let rows = Rows { tables, program, joins, filters, arguments };
    let output = Output { levels: shown, names, columns, steps, windows };
    Query::new(Parts { rows, entity_rows, groups, levels, nesting, measures, answers, output })
}

const EARLY: &str = "it would make one person's row decide about another's; order the results instead";

/// The errors for plan nodes that are not allowed in a query.
pub(crate) fn refuse_node(plan: &LogicalPlan) -> QueryError {
    let (construct, word, help) = match plan {
        LogicalPlan::Aggregate(_) => {
            ("an aggregate of an aggregate", "GROUP", "aggregate once; arithmetic on the results is free")
        }
        LogicalPlan::Projection(_)
        | LogicalPlan::SubqueryAlias(_)
        | LogicalPlan::TableScan(_)
        | LogicalPlan::Filter(_) => {
            ("a query without an aggregate", "SELECT", "rows are never published; ask for COUNT, SUM or AVG")
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
        LogicalPlan::Subquery(_) => ("a subquery inside an expression", "SELECT", "write a subquery in FROM"),
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
        | LogicalPlan::DescribeTable(_) => ("this statement", "", "only SELECT is answered"),
    };
    QueryError::refused(construct, help).about(word)
}
