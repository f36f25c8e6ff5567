//! The subject of a query: catalogs, which are answered here, or tables, which the backend answers.

use crate::failure::{Code, Failure};
use crate::parameters::{constant, parts};
use crate::settings::OWN;
use deniable_catalog::{Description, Type, print};
use deniable_core::text::printable;
use sqlparser::ast::{
    Expr, FunctionArg, FunctionArgExpr, FunctionArguments, ObjectName, Query, Select, Statement, TableFactor, VisitMut,
    Visitor, VisitorMut,
};
use sqlparser::ast::{ObjectNamePart, Value, Visit};
use sqlparser::dialect::PostgreSqlDialect;
use sqlparser::parser::Parser;
use std::collections::BTreeSet;
use std::ops::ControlFlow;

/// The schema of made-up tables, which are queried like those of `public`.
pub const SIMULATED: &str = "simulated";

/// The subject of a query.
#[derive(Debug, Clone, PartialEq)]
pub enum QueryKind {
    /// Catalogs, described tables outside of `public`, or no table at all.
    Catalog {
        /// The query.
        statement: Box<Statement>,
        /// The tables outside of `public` whose rows it reads: schemas and names.
        reads: BTreeSet<(String, String)>,
        /// Whether it reads PostgreSQL's catalogs. If it does, an unsupported query gets an empty result, because
        /// clients send such queries in a loop.
        is_about_catalogs: bool,
    },
    /// Tables.
    Tables {
        /// The query, its tables without a schema.
        sql: String,
        /// Whether the tables are made up.
        simulated: bool,
    },
}

/// Finds the subject of a query.
///
/// # Errors
/// When it cannot be parsed, or combines both subjects.
pub fn query_kind(sql: &str, description: &Description) -> Result<QueryKind, Failure> {
    let parsed = Parser::parse_sql(&PostgreSqlDialect {}, sql);
    let mut parsed = match parsed {
        Ok(parsed) => parsed,
        // The backend reports syntax errors better.
        Err(_) => return Ok(QueryKind::Tables { sql: sql.to_owned(), simulated: false }),
    };
    if parsed.len() != 1 {
        return Err(Failure::new(Code::Syntax, "expected one query"));
    }
    let statement = parsed.remove(0);
    let Statement::Query(query) = &statement else {
        return Ok(QueryKind::Tables { sql: sql.to_owned(), simulated: false });
    };
    let mut named = TableNames::default();
    let _ = Visit::visit(query.as_ref(), &mut named);
    if let Some(act) = named.acts {
        let hint = "query with SELECT; clients cannot change the data or the server";
        return Err(Failure::new(Code::NotSupported, format!("{act} is not supported")).hint(hint));
    }
    if named.sets_own {
        let failure = Failure::new(Code::NotSupported, "set_config cannot change settings that decide about prices");
        return Err(failure.hint("SET deniable.spend = '1/40'"));
    }
    let (mut reads, mut catalogs, mut tables) = (BTreeSet::new(), 0_usize, Vec::new());
    for name in &named.tables {
        match home(name, &named.own, description) {
            Home::None => return Err(none(name, description)),
            Home::Own => {}
            Home::Catalog => catalogs += 1,
            Home::Described(table) => {
                reads.insert(table);
            }
            Home::Table => tables.push(name.clone()),
        }
    }
    let simulated = tables.iter().filter(|name| schema(name) == Some(SIMULATED)).count();
    if simulated > 0 && simulated < tables.len() {
        let message = "a query cannot combine made-up tables with other tables";
        return Err(Failure::new(Code::NotSupported, message).hint("prefix all tables with simulated., or none"));
    }
    match (tables.is_empty(), catalogs + reads.len()) {
        (true, _) => {
            let is_about_catalogs = catalogs > 0 || named.calls_catalogs;
            Ok(QueryKind::Catalog { statement: Box::new(statement), reads, is_about_catalogs })
        }
        (false, 0) => Ok(QueryKind::Tables { sql: plain(sql, statement, description)?, simulated: simulated > 0 }),
        (false, _) => {
            let message = "a query cannot combine catalogs or budgets with tables";
            Err(Failure::new(Code::NotSupported, message).hint("use two queries"))
        }
    }
}

enum Home {
    /// A name that the query defines itself.
    Own,
    Catalog,
    Described((String, String)),
    Table,
    /// A missing table of a described schema.
    None,
}

fn schema(name: &[String]) -> Option<&str> {
    name.len().checked_sub(2).and_then(|at| name.get(at)).map(String::as_str)
}

fn home(name: &[String], own: &BTreeSet<String>, description: &Description) -> Home {
    let (schema, Some(table)) = (schema(name), name.last()) else { return Home::Table };
    if schema.is_none() && own.contains(table) {
        return Home::Own;
    }
    let is_described =
        |schema: &str| description.tables.iter().any(|known| known.schema == schema && known.name == *table);
    match schema {
        Some("pg_catalog" | "information_schema" | "pg_toast") => Home::Catalog,
        None if table.starts_with("pg_") && !is_described("public") => Home::Catalog,
        Some(SIMULATED | "public") | None => Home::Table,
        Some(schema) if is_described(schema) => Home::Described((schema.to_owned(), table.clone())),
        Some(schema) if description.tables.iter().any(|known| known.schema == schema) => Home::None,
        Some(_) => Home::Table,
    }
}

/// The error for a table that a schema does not contain.
fn none(name: &[String], description: &Description) -> Failure {
    let own = description.tables.iter().filter(|known| Some(known.schema.as_str()) == schema(name));
    let own: Vec<String> = own.map(|known| format!("{}.{}", known.schema, known.name)).collect();
    let message = format!("there is no table \"{}\"", name.join("."));
    Failure::new(Code::NoTable, message).hint(format!("there are {}", own.join(", ")))
}

/// Names of tables in a query, and the names that it defines.
#[derive(Default)]
struct TableNames {
    tables: Vec<Vec<String>>,
    own: BTreeSet<String>,
    /// Whether it calls a function of PostgreSQL's own catalogs.
    calls_catalogs: bool,
    /// Whether a function would change a setting of the backend.
    sets_own: bool,
    /// The action of the query besides reading, if any.
    acts: Option<String>,
}

/// Prefixes of the names of PostgreSQL functions that act on the server or the session, or read files of the server.
const ACTING: [&str; 27] = [
    "dblink",
    "lo_",
    "nextval",
    "pg_advisory_",
    "pg_backup_",
    "pg_cancel_backend",
    "pg_clear_",
    "pg_copy_",
    "pg_create_",
    "pg_drop_",
    "pg_export_snapshot",
    "pg_import_",
    "pg_log_",
    "pg_logical_",
    "pg_ls_",
    "pg_notify",
    "pg_promote",
    "pg_read_",
    "pg_reload_conf",
    "pg_replication_",
    "pg_rotate_",
    "pg_sleep",
    "pg_stat_file",
    "pg_stat_reset",
    "pg_terminate_backend",
    "pg_try_advisory_",
    "setval",
];

/// The name of a function with an effect besides returning a value.
fn acting(name: &[String]) -> Option<&str> {
    let last = name.last()?;
    ACTING.iter().any(|begin| last.starts_with(begin)).then_some(last.as_str())
}

/// Whether the first argument of a function is the name of a backend setting.
fn names_own(arguments: &FunctionArguments) -> bool {
    let FunctionArguments::List(list) = arguments else { return false };
    let Some(FunctionArg::Unnamed(FunctionArgExpr::Expr(Expr::Value(value)))) = list.args.first() else { return false };
    matches!(&value.value, Value::SingleQuotedString(text) if text.to_ascii_lowercase().starts_with(OWN))
}

impl Visitor for TableNames {
    type Break = ();

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<()> {
        if let Expr::Function(function) = expr
            && let Some(name) = parts(&function.name)
        {
            if let Some(act) = acting(&name) {
                self.acts.get_or_insert_with(|| printable(act).into_owned());
            }
            self.sets_own |= name.last().is_some_and(|last| last == "set_config") && names_own(&function.args);
            self.calls_catalogs |= name.last().is_some_and(|last| last.starts_with("pg_"))
                || schema(&name).is_some_and(|schema| schema.starts_with("pg_"));
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<()> {
        for with in query.with.iter().flat_map(|with| &with.cte_tables) {
            self.own.extend(parts(&ObjectName::from(vec![with.alias.name.clone()])).into_iter().flatten());
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_select(&mut self, select: &Select) -> ControlFlow<()> {
        if select.into.is_some() {
            self.acts.get_or_insert_with(|| "SELECT INTO".to_owned());
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_statement(&mut self, statement: &Statement) -> ControlFlow<()> {
        // A statement within a query: INSERT, UPDATE, DELETE or MERGE.
        if !matches!(statement, Statement::Query(_)) {
            self.acts.get_or_insert_with(|| "a query that changes something".to_owned());
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_table_factor(&mut self, factor: &TableFactor) -> ControlFlow<()> {
        if let TableFactor::Table { name, args: Some(_), .. } | TableFactor::Function { name, .. } = factor
            && let Some(name) = parts(name)
            && let Some(act) = acting(&name)
        {
            self.acts.get_or_insert_with(|| printable(act).into_owned());
        }
        // Table functions belong to the catalogs.
        if let TableFactor::Table { name, args: None, .. } = factor {
            self.tables.extend(parts(name));
        }
        ControlFlow::Continue(())
    }
}

/// The query without the schema and database of its tables, and with casts of constants (`'40'::int4`, as drivers write
/// values) replaced by constants. A query without either remains unchanged.
fn plain(sql: &str, mut statement: Statement, description: &Description) -> Result<String, Failure> {
    struct Plain<'a>(&'a Description, bool);
    impl VisitorMut for Plain<'_> {
        type Break = ();
        fn pre_visit_table_factor(&mut self, factor: &mut TableFactor) -> ControlFlow<()> {
            let TableFactor::Table { name, .. } = factor else { return ControlFlow::Continue(()) };
            let Some(known) = parts(name) else { return ControlFlow::Continue(()) };
            let known: Vec<&str> = known.iter().map(String::as_str).collect();
            let left: Option<Vec<ObjectNamePart>> = match known.as_slice() {
                ["public" | SIMULATED, _] => Some(name.0[1..].to_vec()),
                [database, "public" | SIMULATED, _] if *database == self.0.database => Some(name.0[2..].to_vec()),
                _ => None,
            };
            if let Some(left) = left {
                (name.0, self.1) = (left, true);
            }
            ControlFlow::Continue(())
        }

        fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
            if let Some(constant) = cast(expr) {
                (*expr, self.1) = (constant, true);
            }
            ControlFlow::Continue(())
        }
    }
    let mut found = Plain(description, false);
    let _ = VisitMut::visit(&mut statement, &mut found);
    if !found.1 {
        return Ok(sql.to_owned());
    }
    print::faithful(&statement).ok_or_else(|| {
        Failure::new(Code::NotSupported, "this query cannot be rewritten")
            .hint("write tables without a schema, and constants without a cast")
    })
}

/// The constant equal to a cast of a number or a text; `None` for other casts.
fn cast(expr: &Expr) -> Option<Expr> {
    let Expr::Cast { expr: inner, data_type, .. } = expr else { return None };
    let mut inner = inner.as_ref();
    while let Expr::Nested(within) = inner {
        inner = within;
    }
    let Expr::Value(value) = inner else { return None };
    let text = match &value.value {
        Value::SingleQuotedString(text) | Value::Number(text, _) => text,
        _ => return None,
    };
    let of = Type::named(&data_type.to_string())?;
    let constant = match of.about().map(|about| (about.category, about.name)) {
        Some(('N', "int2" | "int4" | "int8" | "numeric")) | Some(('S', _)) => constant(Some(text), of).ok()?,
        _ => return None,
    };
    Parser::new(&PostgreSqlDialect {}).try_with_sql(&constant).ok()?.parse_expr().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use deniable_catalog::{Column, Table, Type};

    fn about(sql: &str) -> Result<QueryKind, Failure> {
        let table = |schema: &str, name: &str| Table {
            schema: schema.into(),
            name: name.into(),
            comment: None,
            rows: None,
            columns: vec![Column { name: "a".into(), data_type: Type::INT8, comment: None }],
        };
        let tables = vec![
            table("public", "visits"),
            table("public", "pg_odd"),
            table("deniable", "budget"),
            table("simulated", "visits"),
        ];
        query_kind(sql, &Description { database: "clinic".into(), user: "ana".into(), version: "16.0".into(), tables })
    }

    #[test]
    fn queries_are_classified_as_catalogs_or_tables() {
        for sql in [
            "SELECT 1",
            "SELECT version()",
            "SELECT * FROM pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace",
            "SELECT * FROM information_schema.tables",
            "WITH t AS (SELECT 1 AS a) SELECT * FROM t",
            "SELECT * FROM generate_series(1, 3) g",
            "VALUES (1)",
        ] {
            assert!(matches!(about(sql), Ok(QueryKind::Catalog { reads, .. }) if reads.is_empty()), "{sql}");
        }
        let Ok(QueryKind::Catalog { reads, .. }) = about("SELECT * FROM deniable.budget") else { panic!() };
        assert_eq!(reads.into_iter().collect::<Vec<_>>(), [("deniable".to_owned(), "budget".to_owned())]);
        let plain = |sql: &str| match about(sql) {
            Ok(QueryKind::Tables { sql, .. }) => sql,
            other => panic!("{sql}: {other:?}"),
        };
        assert_eq!(plain("SELECT count(*)  FROM visits"), "SELECT count(*)  FROM visits", "as it was written");
        assert_eq!(plain("SELECT count(*) FROM public.visits"), "SELECT count(*) FROM visits");
        let odd = r"SELECT count(*) FROM visits WHERE a = '\'' OR TRUE --'";
        assert_eq!(plain(&odd.replace("visits", "public.visits")), odd, "texts stay texts");
        assert_eq!(
            plain("SELECT count(*) FROM \"clinic\".\"public\".\"visits\" v"),
            "SELECT count(*) FROM \"visits\" v"
        );
        let given =
            "SELECT count(*) FROM visits WHERE age > ('40'::int4) AND town = 'a'::varchar AND x = CAST(1.5 AS numeric)";
        assert_eq!(plain(given), "SELECT count(*) FROM visits WHERE age > (40) AND town = 'a' AND x = 1.5");
        for kept in [
            "SELECT count(*) FROM visits WHERE d > '2024-01-01'::date",
            "SELECT count(*) FROM visits WHERE a::int8 > 'x'::int4",
        ] {
            assert_eq!(plain(kept), kept);
        }
        assert_eq!(plain("SELECT count(*) FROM simulated.visits"), "SELECT count(*) FROM visits");
        assert!(matches!(
            about("SELECT count(*) FROM simulated.visits"),
            Ok(QueryKind::Tables { simulated: true, .. })
        ));
        assert!(about("SELECT count(*) FROM simulated.visits, visits").is_err());
        for sql in ["SELECT count(*) FROM pg_odd", "SELECT nothing", "SELEC 1", "SELECT count(*) FROM other.visits"] {
            assert!(about(sql).is_ok(), "{sql}");
        }
        plain("SELECT count(*) FROM pg_odd");
        plain("WITH v AS (SELECT * FROM visits) SELECT count(*) FROM v");
        assert_eq!(about("SELECT * FROM visits, pg_class").unwrap_err().code, Code::NotSupported);
    }
}
