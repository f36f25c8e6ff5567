//! One policy, the same exact cells on every engine.

use super::hostile::{question, source, table, write};
use deniable_core::schema::EngineKind;
use deniable_data::{Resources, SourceError};
use deniable_engines::{Engine, EngineError};
use deniable_execute::{Salt, exact};
use deniable_pushdown::{Answer, Dialect, Statement, StorageType, Trial};
use deniable_testing::{engine_python, sized_to_slow};
use rand_chacha::ChaCha8Rng;
use rand_core::SeedableRng;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ops::{Deref, DerefMut};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The interpreter that `scripts/engines` installed for an engine, or `None`: the test then prints that it is skipped.
pub fn python(kind: EngineKind) -> Option<String> {
    engine_python(match kind {
        EngineKind::Spark => "DENIABLE_SPARK_PYTHON",
        EngineKind::DuckDb => "DENIABLE_DUCKDB_PYTHON",
    })
}

/// One application uses all cores of a cluster.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// An engine that no other test of this program uses at the same time.
pub struct ExclusiveEngine {
    engine: Engine,
    _turn: Option<MutexGuard<'static, ()>>,
}

impl Deref for ExclusiveEngine {
    type Target = Engine;

    fn deref(&self) -> &Engine {
        &self.engine
    }
}

impl DerefMut for ExclusiveEngine {
    fn deref_mut(&mut self) -> &mut Engine {
        &mut self.engine
    }
}

/// An engine of this machine.
pub fn engine(kind: EngineKind) -> Option<ExclusiveEngine> {
    let is_shared = kind == EngineKind::Spark;
    let turn = is_shared.then(|| ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner));
    let python = python(kind)?;
    let address = match kind {
        EngineKind::Spark => std::env::var("DENIABLE_SPARK_MASTER").unwrap_or_else(|_| "local[2]".to_owned()),
        EngineKind::DuckDb => ":memory:".to_owned(),
    };
    let engine = Engine::start(kind, &address, &python);
    let engine = engine.unwrap_or_else(|error| panic!("{error}: {}", error.help));
    Some(ExclusiveEngine { engine, _turn: turn })
}

/// A Parquet file as a relation.
pub fn relation(kind: EngineKind, path: &Path) -> String {
    let path = kind.quoted(&path.display().to_string());
    match kind {
        EngineKind::Spark => format!("parquet.{path}"),
        EngineKind::DuckDb => path,
    }
}

/// The engine's types of the columns of a relation.
pub fn stored(engine: &mut Engine, relation: &str) -> BTreeMap<String, StorageType> {
    let columns = engine.columns(relation).unwrap().into_iter();
    columns.filter_map(|column| Some((column.name, column.stored?))).collect()
}

/// Runs a statement and parses the answer.
pub fn run(engine: &mut Engine, statement: &Statement, salt: &Salt) -> Answer {
    Answer::of(&engine.numbers(&statement.sql, &salt.digits()).unwrap(), statement).unwrap()
}

/// Runs a trial.
pub fn try_out(engine: &mut Engine, trial: &Trial) -> Result<(), SourceError> {
    let engine = RefCell::new(engine);
    trial.ask(&|sql, salt| {
        let failed = |error: EngineError| SourceError::Remote { problem: error.problem, help: error.help };
        engine.borrow_mut().numbers(sql, salt).map_err(failed)
    })
}

fn same_totals(kind: EngineKind, questions: u64) {
    let Some(mut engine) = engine(kind) else { return };
    let dialect = Dialect::of(kind);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.parquet");
    write(&path, 4_000, &mut ChaCha8Rng::seed_from_u64(1));
    let relation = relation(kind, &path);
    let stored = stored(&mut engine, &relation);
    let salt = Salt([7; 32]);
    let (mut asked, mut refused) = (0, Vec::new());
    for seed in 0..questions {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let (table, sql) = (table(&mut random), question(&mut random));
        let Ok(query) = deniable_sql::plan(&sql, std::slice::from_ref(&table)) else { continue };
        let query = query.portable();
        let statement = match deniable_pushdown::statement(&query, dialect, &relation, &stored) {
            Ok(statement) => statement,
            Err(refusal) => {
                refused.push(refusal.to_string());
                continue;
            }
        };
        let answer = run(&mut engine, &statement, &salt);
        // Also on made-up rows, on which every query is tried first. Spark takes seconds for it.
        if kind != EngineKind::Spark || seed % 5 == 0 {
            let trial = Trial::new(&query, dialect).unwrap();
            let tried = try_out(&mut engine, &trial);
            tried.unwrap_or_else(|error| panic!("{error}: {sql}\n{}", trial.statements()[0].sql));
        }
        let found = answer.totals(&query).unwrap_or_else(|lie| panic!("{lie}: {sql}"));
        let expected = exact(&[source(&table, &path)], &query, &salt, &Resources::default(), &|_| {}).unwrap();
        assert!(found.is_same(&expected), "seed {seed}: {sql}\n{table:?}\n{}", statement.sql);
        asked += 1;
    }
    refused.sort();
    refused.dedup();
    println!("{asked} of {questions} questions had the same totals; refused: {refused:?}");
    assert!(asked * 2 > questions, "most questions are asked");
}

#[test]
fn totals_of_duckdb_equal_those_of_files() {
    same_totals(EngineKind::DuckDb, sized_to_slow(40, 100, 600));
}

#[test]
fn totals_of_spark_equal_those_of_files() {
    same_totals(EngineKind::Spark, sized_to_slow(12, 40, 200));
}
