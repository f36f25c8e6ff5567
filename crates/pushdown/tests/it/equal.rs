//! One policy, the same exact cells on every engine.

use super::hostile::{question, source, table, write};
use crate::Engine;
use deniable_sql::pushdown::{Dialect, Trial};
use deniable_sql::{Query, Resources, Salt, exact};
use deniable_testing::{sized, skipped};
use rand_chacha::ChaCha8Rng;
use rand_core::SeedableRng;
use std::ops::{Deref, DerefMut};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The interpreter that `scripts/engines` made for an engine, or nothing: then the test says that it is skipped.
pub fn python(dialect: Dialect) -> Option<String> {
    let variable = if dialect == Dialect::Spark { "DENIABLE_SPARK_PYTHON" } else { "DENIABLE_DUCKDB_PYTHON" };
    let python = std::env::var(variable).ok();
    if python.is_none() {
        skipped("there is no such engine for Python", "run scripts/engines cargo test -p deniable-pushdown");
    }
    python
}

/// One application of a cluster has all of its cores.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// An engine that nobody else of this program asks meanwhile.
pub struct Alone {
    engine: Engine,
    _turn: Option<MutexGuard<'static, ()>>,
}

impl Deref for Alone {
    type Target = Engine;

    fn deref(&self) -> &Engine {
        &self.engine
    }
}

impl DerefMut for Alone {
    fn deref_mut(&mut self) -> &mut Engine {
        &mut self.engine
    }
}

/// An engine of this machine.
pub fn engine(dialect: Dialect) -> Option<Alone> {
    let is_shared = dialect == Dialect::Spark;
    let turn = is_shared.then(|| ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner));
    let python = python(dialect)?;
    let address = match dialect {
        Dialect::Spark => std::env::var("DENIABLE_SPARK_MASTER").unwrap_or_else(|_| "local[2]".to_owned()),
        _ => ":memory:".to_owned(),
    };
    let engine = Engine::start(dialect, &address, &python);
    let engine = engine.unwrap_or_else(|error| panic!("{error}: {}", error.help));
    Some(Alone { engine, _turn: turn })
}

/// A Parquet file as a relation.
pub fn relation(dialect: Dialect, path: &Path) -> String {
    match dialect {
        Dialect::Spark => format!("parquet.`{}`", path.display()),
        _ => format!("'{}'", path.display()),
    }
}

fn same_totals(dialect: Dialect, questions: u64) {
    let Some(mut engine) = engine(dialect) else { return };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.parquet");
    write(&path, 4_000, &mut ChaCha8Rng::seed_from_u64(1));
    let relation = relation(dialect, &path);
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
        let answer = engine.run(&statement, &salt).unwrap_or_else(|error| panic!("{error}: {sql}\n{}", statement.sql));
        // And on rows that nobody is in, which is what every question is tried on first. Spark takes seconds for it.
        if dialect != Dialect::Spark || seed % 5 == 0 {
            let trial = Trial::new(&query, dialect).unwrap();
            engine.try_out(&trial).unwrap_or_else(|error| panic!("{error}: {sql}\n{}", trial.statements()[0].sql));
        }
        let found = query.exact(&answer.cells).unwrap_or_else(|lie| panic!("{lie}: {sql}")).reveal();
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
