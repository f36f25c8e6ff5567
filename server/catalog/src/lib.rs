//! What clients of PostgreSQL ask of its catalogs (`\d` of psql, the metadata of JDBC, reflection by SQLAlchemy, the browsers of BI tools), answered
//! from declarations alone: no file is read, and nothing is spent.
//!
//! | question | module |
//! |---|---|
//! | what is described? | [`Description`] |
//! | which tables are there, and what do they hold? | [`tables`] |
//! | which types has PostgreSQL, as far as clients meet them? | [`types`] |
//! | which functions? | [`functions`] |
//! | how is PostgreSQL's SQL said in that of the engine inside? | [`rewrite`] |
//! | how is a query written that was parsed? | [`mod@print`] |
//! | of which type is a column of the result? | [`columns`] |
//! | what may one query take? | [`limits`] |
//!
//! The tables live in a database of SQLite in memory, one for each connection: it evaluates joins, subqueries and aggregates, and knows nothing but
//! what was declared. A question that it cannot evaluate gets an answer without rows rather than an error: clients ask some in a loop, and most
//! are about things that are not there (indexes, triggers, policies).

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

/// Bytes of a value, and of a question.
const MOST_BYTES: i32 = 1 << 20;
/// How deep expressions may be.
const MOST_DEPTH: i32 = 1_000;
/// Rows of a result, and bytes of all its values.
const MOST_ROWS: usize = 100_000;
const MOST_BYTES_OF_RESULT: usize = 4 << 20;
/// Columns of a table or a result, and operands of UNION.
const MOST_COLUMNS: i32 = 500;
const MOST_UNIONS: i32 = 100;
/// Bytes of a pattern of LIKE, which is compared with each place of a text.
const LONGEST_LIKE: i32 = 500;

/// The facts that the catalogs describe.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Description {
    /// The name of the database.
    pub database: String,
    /// Who asks.
    pub user: String,
    /// The version of PostgreSQL whose catalogs these are like, such as `16.0`.
    pub version: String,
    /// The tables, in any schema.
    pub tables: Vec<Table>,
}

/// A table that can be asked about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    /// Its schema: `public` for those that are named without one.
    pub schema: String,
    /// Its name.
    pub name: String,
    /// What it is, in words.
    pub comment: Option<String>,
    /// About how many rows, as publicly known.
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
    /// What it holds, in words.
    pub comment: Option<String>,
}

/// A table of results: every value as PostgreSQL writes it in text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Rows {
    /// The names of the columns, and their types.
    pub columns: Vec<(String, Type)>,
    /// The rows; `None` for NULL.
    pub rows: Vec<Vec<Option<String>>>,
    /// Whether nothing is known of what was asked, so that there are no rows.
    pub is_unknown: bool,
}

/// The catalogs of one connection.
#[derive(Debug)]
pub struct Catalog {
    connection: Connection,
    description: Description,
    /// The resources that the current query uses.
    meter: Arc<Meter>,
    /// Bytes of the longest value that was put into a described table.
    longest: AtomicUsize,
}

/// A catalog that could not be made. Nothing of it depends on data.
#[derive(Debug, thiserror::Error)]
#[error("the catalogs could not be made: {0}")]
pub struct CatalogError(#[from] rusqlite::Error);

impl Catalog {
    /// The catalogs of what is described.
    ///
    /// # Errors
    /// When memory is short.
    pub fn new(description: &Description) -> Result<Self, CatalogError> {
        let mut connection = Connection::open_in_memory()?;
        // What is in double quotes is a name, and never a text.
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DQS_DML, false)?;
        // Temporary rows are kept in memory, within the limits of the query: never in files.
        connection.pragma_update(None, "temp_store", "MEMORY")?;
        let meter = Arc::new(Meter::new());
        functions::add(&connection, description, &meter)?;
        tables::fill(&connection, description)?;
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
        // What is asked may be made to take long, or to be long.
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

    /// Puts these rows in the place of those that a described table outside of `public` had: values as PostgreSQL writes them, one for each column.
    ///
    /// # Errors
    /// When memory is short, or a row has another number of values than the table has columns.
    pub fn put(&self, schema: &str, name: &str, rows: &[Vec<Option<String>>]) -> Result<(), CatalogError> {
        let table = self.description.tables.iter().find(|table| table.schema == schema && table.name == name);
        let longest = rows.iter().flatten().flatten().map(String::len).max().unwrap_or_default();
        self.longest.fetch_max(longest, Ordering::Relaxed);
        self.meter.trust();
        table.map_or(Ok(()), |table| Ok(tables::put(&self.connection, table, rows)?))
    }

    /// What a question about the catalogs, or about no table at all, comes to. Parameters are texts; `None` is NULL.
    /// Another thread may call it off.
    ///
    /// A question that cannot be evaluated, or asks for a table that PostgreSQL may have and this catalog does not, has no rows.
    ///
    /// # Errors
    /// When it exceeds a limit, uses a function that is not offered, or is called off.
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

    /// Why a question could not be evaluated; `None` where it can be. For those who look after the server.
    #[must_use]
    pub fn why(&self, statement: &Statement) -> Option<String> {
        let Some(sql) = rewrite::rewritten(statement) else { return Some("it has no counterpart".to_owned()) };
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
        // What is read straight from a table has the type of its column there; of the rest the question tells.
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

/// Bytes of the longest constant of a statement.
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

/// A value as PostgreSQL writes one of this type.
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
