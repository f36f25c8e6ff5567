//! Queries that tools send when they connect and when users browse (`testdata/introspection`, a file for each tool).
//! Every query is evaluated, and its answer is a snapshot. The tests of the command send the same files through the
//! wire.

use super::{Column, Description, Parser, PostgreSqlDialect, Statement, Table, Type};
use crate::Catalog;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Rows of an answer in a snapshot, at its beginning and at its end.
const SHOWN: usize = 6;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/introspection")
}

/// The clinic of the examples, as the server describes it.
fn clinic() -> Catalog {
    let column = |name: &str, data_type, comment: Option<&str>| Column {
        name: name.into(),
        data_type,
        comment: comment.map(str::to_owned),
    };
    let visits = |schema: &str, comment: &str| Table {
        schema: schema.into(),
        name: "visits".into(),
        comment: Some(comment.into()),
        rows: Some(5_000),
        columns: vec![
            column("patient", Type::TEXT, None),
            column("age", Type::INT8, Some("0 to 110")),
            column("cost", Type::NUMERIC, Some("0 to 400")),
            column("day", Type::DATE, None),
            column("smoker", Type::BOOL, None),
        ],
    };
    let budget = Table {
        schema: "deniable".into(),
        name: "budget".into(),
        comment: Some("your part of the promise".into()),
        rows: None,
        columns: vec![column("left", Type::NUMERIC, None)],
    };
    let tables = vec![visits("public", "protected"), budget, visits("simulated", "made-up rows")];
    Catalog::new(&Description { database: "clinic".into(), user: "ana".into(), version: "16.0".into(), tables })
        .unwrap()
}

/// The statements of a file, each with the comment before it.
fn statements(text: &str) -> Vec<(String, String)> {
    let mut said = String::new();
    let mut found = Vec::new();
    for part in text.split(";\n") {
        let (comments, lines): (Vec<&str>, Vec<&str>) =
            part.lines().filter(|line| !line.trim().is_empty()).partition(|line| line.starts_with("-- "));
        if let Some(comment) = comments.last() {
            said = comment.trim_start_matches("-- ").to_owned();
        }
        if !lines.is_empty() {
            found.push((said.clone(), lines.join("\n")));
        }
    }
    found
}

/// The answers to the queries of a file: names and types of columns, and the first rows.
fn answers(catalog: &Catalog, tool: &str, text: &str) -> String {
    let mut shown = String::new();
    for (said, sql) in statements(text) {
        let statement = Parser::parse_sql(&PostgreSqlDialect {}, &sql);
        let statement = statement.unwrap_or_else(|error| panic!("{tool}, {said}: {error}")).remove(0);
        if !matches!(statement, Statement::Query(_)) {
            // Settings and transactions are handled by the connection.
            continue;
        }
        let answer = catalog.answer(&statement, &[], &crate::limits::CallOff::default()).unwrap();
        assert!(!answer.is_unknown, "{tool}, {said}: {}", catalog.why(&statement).unwrap_or_default());
        let columns = answer.columns.iter().map(|(name, of)| format!("{name} {}", of.about().unwrap().name));
        let columns: Vec<String> = columns.collect();
        writeln!(shown, "-- {said}\n{}", columns.join(" | ")).unwrap();
        let rows = answer.rows.len();
        for (at, row) in answer.rows.iter().enumerate().filter(|(at, _)| *at < SHOWN || at + SHOWN >= rows) {
            if at > SHOWN && at + SHOWN == rows {
                writeln!(shown, "  ...").unwrap();
            }
            let values = row.iter().map(|value| value.as_deref().unwrap_or("NULL"));
            writeln!(shown, "  {}", values.collect::<Vec<_>>().join(" | ")).unwrap();
        }
        writeln!(shown, "  ({rows} rows)\n").unwrap();
    }
    shown
}

#[test]
fn every_query_of_a_tool_is_answered() {
    let catalog = clinic();
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let tools: Vec<String> =
        files.iter().map(|path| path.file_stem().unwrap().to_string_lossy().into_owned()).collect();
    let wanted = ["dbeaver", "grafana", "jdbc", "metabase", "odbc", "powerbi", "psql", "r", "sqlalchemy", "superset"];
    assert_eq!(tools, wanted);
    for (tool, path) in tools.iter().zip(&files) {
        let text = std::fs::read_to_string(path).unwrap();
        insta::assert_snapshot!(tool.as_str(), answers(&catalog, tool, &text));
    }
}
