//! Answers to clients' queries about PostgreSQL's catalogs (`\d` of psql, the metadata of JDBC, reflection by
//! SQLAlchemy, the browsers of BI tools). They depend on declarations alone: no file is read, and no budget is spent.
//!
//! | question | module |
//! |---|---|
//! | which facts do the catalogs describe? | [`Description`] |
//! | which tables exist, with which rows? | [`tables`] |
//! | which PostgreSQL types exist? | [`types`] |
//! | which functions? | [`functions`] |
//! | how is PostgreSQL's SQL translated to SQLite's? | [`rewrite`] |
//! | how is a parsed query printed as text? | [`mod@print`] |
//! | which name and type has a column of a result? | [`columns`] |
//! | which resources may one query use? | [`limits`] |
//!
//! The tables are in an in-memory SQLite database, one per connection. SQLite evaluates joins, subqueries and
//! aggregates, and has access to nothing but declarations. A query that cannot be evaluated returns no rows rather than
//! an error, because clients send such queries in loops, mostly about objects that do not exist here (indexes,
//! triggers, policies).

pub mod columns;
pub mod functions;
pub mod limits;
pub mod print;
pub mod rewrite;
pub mod tables;
#[cfg(test)]
mod tests;
pub mod types;

use columns::result_columns;
use limits::{CallOff, CatalogQueryError, Meter, STEPS};
use rusqlite::Connection;
use rusqlite::config::DbConfig;
use rusqlite::hooks::AuthContext;
use rusqlite::limits::Limit;
use rusqlite::types::{Value, ValueRef};
use sqlparser::ast::{Statement, Value as Constant, ValueWithSpan, Visit, Visitor};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
pub use types::Type;

/// Maximum length in bytes of a value, and of a query.
const MOST_BYTES: i32 = 1 << 20;
/// Maximum depth of an expression.
const MOST_DEPTH: i32 = 1_000;
/// Maximum number of rows of a result, and of bytes of its values.
const MOST_ROWS: usize = 100_000;
const MOST_BYTES_OF_RESULT: usize = 4 << 20;
/// Maximum number of columns of a table or a result, and of operands of UNION.
const MOST_COLUMNS: i32 = 500;
const MOST_UNIONS: i32 = 100;
/// Maximum length in bytes of a LIKE pattern, which is compared at each position of a text.
const LONGEST_LIKE: i32 = 500;

/// The facts that the catalogs describe.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Description {
    /// The name of the database.
    pub database: String,
    /// The name of the user.
    pub user: String,
    /// The PostgreSQL version that the catalogs imitate, such as `16.0`.
    pub version: String,
    /// The tables, in any schema.
    pub tables: Vec<Table>,
}

/// A table that the catalogs describe.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    /// Its schema; `public` for tables that are named without one.
    pub schema: String,
    /// Its name.
    pub name: String,
    /// Its description, as text.
    pub comment: Option<String>,
    /// The approximate number of rows, if publicly known.
    pub rows: Option<u64>,
    /// Its columns.
    pub columns: Vec<Column>,
}

/// A column of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// Its type.
    pub data_type: Type,
    /// Its description, as text.
    pub comment: Option<String>,
}

/// The result of a query; all values are in PostgreSQL's text format.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Rows {
    /// The names of the columns, and their types.
    pub columns: Vec<(String, Type)>,
    /// The rows; `None` for NULL.
    pub rows: Vec<Vec<Option<String>>>,
    /// Whether the query could not be evaluated, so that there are no rows.
    pub is_unknown: bool,
}

/// The catalogs of one connection.
#[derive(Debug)]
pub struct Catalog {
    connection: Connection,
    description: Description,
    /// Measures the resources that the current query uses.
    meter: Arc<Meter>,
    /// Length in bytes of the longest value in the described tables.
    longest: AtomicUsize,
}

/// The catalogs could not be created. The cause does not depend on data.
#[derive(Debug, thiserror::Error)]
#[error("cannot create the catalogs: {0}")]
pub struct CatalogError(#[from] rusqlite::Error);

impl Catalog {
    /// Creates the catalogs of these tables.
    ///
    /// # Errors
    /// When memory is exhausted.
    pub fn new(description: &Description) -> Result<Self, CatalogError> {
        let mut connection = Connection::open_in_memory()?;
        // Text in double quotes is a name, and never a string.
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DQS_DML, false)?;
        // Temporary rows are kept in memory, within the limits of the query, and never in files.
        connection.pragma_update(None, "temp_store", "MEMORY")?;
        let meter = Arc::new(Meter::new());
        functions::add(&connection, description, &meter)?;
        tables::fill(&connection, description)?;
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
        // A client may choose queries that run long or are long.
        for (limit, most) in [
            (Limit::SQLITE_LIMIT_LENGTH, MOST_BYTES),
            (Limit::SQLITE_LIMIT_SQL_LENGTH, MOST_BYTES),
            (Limit::SQLITE_LIMIT_EXPR_DEPTH, MOST_DEPTH),
            (Limit::SQLITE_LIMIT_COLUMN, MOST_COLUMNS),
            (Limit::SQLITE_LIMIT_COMPOUND_SELECT, MOST_UNIONS),
            (Limit::SQLITE_LIMIT_LIKE_PATTERN_LENGTH, LONGEST_LIKE),
            (Limit::SQLITE_LIMIT_WORKER_THREADS, 0),
        ] {
            connection.set_limit(limit, most)?;
        }
        let own = Arc::clone(&meter);
        connection.progress_handler(STEPS, Some(move || own.step()))?;
        let own = Arc::clone(&meter);
        connection.authorizer(Some(move |context: AuthContext<'_>| own.authorize(&context)))?;
        Ok(Self { connection, description: description.clone(), meter, longest: AtomicUsize::new(0) })
    }

    /// Replaces the rows of a described table outside of `public`. Values are in PostgreSQL's text format, one per
    /// column.
    ///
    /// # Errors
    /// When memory is exhausted, or a row does not have one value per column.
    pub fn put(&self, schema: &str, name: &str, rows: &[Vec<Option<String>>]) -> Result<(), CatalogError> {
        let table = self.description.tables.iter().find(|table| table.schema == schema && table.name == name);
        let longest = rows.iter().flatten().flatten().map(String::len).max().unwrap_or_default();
        self.longest.fetch_max(longest, Ordering::Relaxed);
        self.meter.trust();
        table.map_or(Ok(()), |table| Ok(tables::put(&self.connection, table, rows)?))
    }

    /// Answers a query about the catalogs, or about no table. Parameters are texts; `None` is NULL. Another thread may
    /// cancel it.
    ///
    /// A query that cannot be evaluated, or reads a table of PostgreSQL that is missing here, returns no rows.
    ///
    /// # Errors
    /// When it exceeds a limit, uses a function that is not supported, or is cancelled.
    pub fn answer(
        &self,
        statement: &Statement,
        parameters: &[Option<String>],
        call_off: &CallOff,
    ) -> Result<Rows, CatalogQueryError> {
        let described = result_columns(statement, &self.description);
        let given = parameters.iter().flatten().map(String::len).max().unwrap_or_default();
        self.meter.begin(call_off.clone(), given.max(longest(statement)).max(self.longest.load(Ordering::Relaxed)));
        let evaluated = rewrite::rewritten(statement).map(|sql| self.evaluated(&sql, &described, parameters));
        match (evaluated, self.meter.ended()) {
            (_, Some(why)) => Err(why),
            (Some(Ok(rows)), None) => Ok(rows),
            _ => Ok(Rows { columns: described, rows: Vec::new(), is_unknown: true }),
        }
    }

    /// The reason why a query could not be evaluated; `None` if it can. For maintainers of the server.
    #[must_use]
    pub fn why(&self, statement: &Statement) -> Option<String> {
        let Some(sql) = rewrite::rewritten(statement) else {
            return Some("it cannot be translated to SQLite".to_owned());
        };
        self.meter.begin(CallOff::default(), longest(statement));
        self.evaluated(&sql, &[], &[]).err().map(|error| format!("{error}: {sql}"))
    }

    fn evaluated(
        &self,
        sql: &str,
        described: &[(String, Type)],
        parameters: &[Option<String>],
    ) -> Result<Rows, rusqlite::Error> {
        let mut query = self.connection.prepare_cached(sql)?;
        for at in 0..query.parameter_count() {
            let value = query.parameter_name(at + 1).and_then(|name| name[1..].parse::<usize>().ok());
            let value = value.and_then(|number| parameters.get(number.checked_sub(1)?)).cloned().flatten();
            query.raw_bind_parameter(at + 1, value.map_or(Value::Null, Value::Text))?;
        }
        // A column read directly from a table has its type there; the types of others depend on the query.
        let columns: Vec<(String, Type)> = query
            .columns()
            .enumerate()
            .map(|(at, column)| {
                let told = described.get(at).filter(|_| described.len() == query.column_count());
                let name = told.map_or_else(|| column.name().to_owned(), |(name, _)| name.clone());
                let declared = column.decl_type().and_then(Type::declared);
                (name, declared.or(told.map(|(_, told)| *told)).unwrap_or(Type::TEXT))
            })
            .collect();
        let mut rows = Vec::new();
        let mut bytes = 0;
        let mut found = query.raw_query();
        while let Some(row) = found.next()? {
            let values = columns.iter().enumerate().map(|(at, (_, of))| Ok(text(row.get_ref(at)?, *of)));
            let values = values.collect::<Result<Vec<_>, rusqlite::Error>>()?;
            bytes += values.iter().flatten().map(String::len).sum::<usize>();
            rows.push(values);
            if rows.len() > MOST_ROWS {
                return Err(self.meter.end(CatalogQueryError::Limit("100,000 rows")));
            }
            if bytes > MOST_BYTES_OF_RESULT {
                return Err(self.meter.end(CatalogQueryError::Limit("4 MiB of rows")));
            }
        }
        Ok(Rows { columns, rows, is_unknown: false })
    }
}

/// Length in bytes of the longest constant of a statement.
fn longest(statement: &Statement) -> usize {
    struct Longest(usize);
    impl Visitor for Longest {
        type Break = ();
        fn pre_visit_value(&mut self, value: &ValueWithSpan) -> ControlFlow<()> {
            let length = match &value.value {
                Constant::Number(digits, _) => digits.len(),
                other => other.clone().into_string().map_or(0, |text| text.len()),
            };
            self.0 = self.0.max(length);
            ControlFlow::Continue(())
        }
    }
    let mut found = Longest(0);
    let _ = Visit::visit(statement, &mut found);
    found.0
}

/// A value in PostgreSQL's text format of this type.
fn text(value: ValueRef<'_>, of: Type) -> Option<String> {
    match value {
        ValueRef::Null => None,
        ValueRef::Integer(number) if of == Type::BOOL => Some(if number == 0 { "f" } else { "t" }.to_owned()),
        ValueRef::Integer(number) if of == Type::REGPROC => Some(functions::name_of(number)),
        ValueRef::Integer(number) => Some(number.to_string()),
        ValueRef::Real(number) => Some(number.to_string()),
        ValueRef::Text(text) | ValueRef::Blob(text) => Some(String::from_utf8_lossy(text).into_owned()),
    }
}
