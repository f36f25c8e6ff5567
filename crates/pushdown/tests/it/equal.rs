//! One policy, the same exact cells on every engine.

use super::hostile::{question, source, table, write};
use crate::Engine;
use deniable_sql::pushdown::{Dialect, Trial};
use deniable_sql::{Query, Resources, Salt, exact};
use deniable_testing::{sized, skipped};
use rand_chacha::ChaCha8Rng;
use rand_core::SeedableRng;

/// The interpreter that `scripts/engines` made for an engine, or nothing: then the test says that it is skipped.
pub fn python(dialect: Dialect) -> Option<String> {
    let variable = if dialect == Dialect::Spark { "DENIABLE_SPARK_PYTHON" } else { "DENIABLE_DUCKDB_PYTHON" };
    let python = std::env::var(variable).ok();
    if python.is_none() {
        skipped("there is no such engine for Python", "run scripts/engines cargo test -p deniable-pushdown");
    }
    python
}

/// An engine of this machine.
pub fn engine(dialect: Dialect) -> Option<Engine> {
    let address = if dialect == Dialect::Spark { "local[2]" } else { ":memory:" };
    let python = python(dialect)?;
    Some(Engine::start(dialect, address, &python).unwrap_or_else(|error| panic!("{error}: {}", error.help)))
}

fn same_totals(dialect: Dialect, questions: u64) {
    let Some(mut engine) = engine(dialect) else { return };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.parquet");
    write(&path, 4_000, &mut ChaCha8Rng::seed_from_u64(1));
    let relation = match dialect {
        Dialect::Spark => format!("parquet.`{}`", path.display()),
        _ => format!("'{}'", path.display()),
    };
    let stored = engine.columns(&relation).unwrap();
    let salt = Salt([7; 32]);
    let (mut asked, mut refused) = (0, Vec::new());
    for seed in 0..questions {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let (table, sql) = (table(&mut random), question(&mut random));
        let Ok(query) = Query::new(&sql, std::slice::from_ref(&table)) else { continue };
        let query = query.portable();
        let statement = match query.statement(dialect, &relation, &stored) {
            Ok(statement) => statement,
            Err(refusal) => {
                refused.push(refusal.to_string());
                continue;
            }
        };
        let rows = engine.run(&statement, &salt).unwrap_or_else(|error| panic!("{error}: {sql}\n{}", statement.sql));
        // And on rows that nobody is in, which is what every question is tried on first.
        let trial = Trial::new(&query, dialect).unwrap();
        engine.try_out(&trial).unwrap_or_else(|error| panic!("{error}: {sql}\n{}", trial.statements()[0].sql));
        let found = query.exact(&rows).unwrap_or_else(|lie| panic!("{lie}: {sql}")).reveal();
        let expected = exact(&[source(&table, &path)], &query, &salt, &Resources::default(), &|_| {}).unwrap().reveal();
        assert_eq!(found, expected, "seed {seed}: {sql}\n{table:?}\n{}", statement.sql);
        asked += 1;
    }
    refused.sort();
    refused.dedup();
    println!("{asked} of {questions} questions had the same totals; refused: {refused:?}");
    assert!(asked * 2 > questions, "most questions are asked");
}

#[test]
fn totals_of_duckdb_are_those_of_files() {
    same_totals(Dialect::DuckDb, sized(100, 600));
}

#[test]
fn totals_of_spark_are_those_of_files() {
    same_totals(Dialect::Spark, sized(30, 200));
}
