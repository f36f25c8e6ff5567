//! An engine that returns false answers is detected, each time by the intended check.

use super::equal::{engine, run, try_out};
use super::hostile::table;
use deniable_core::schema::EngineKind;
use deniable_pushdown::{Answer, Dialect, Trial};
use deniable_testing::sized;
use rand_chacha::ChaCha8Rng;
use rand_core::SeedableRng;

/// A change that an engine might make to its answer, after the expected error.
type Change = (&'static str, fn(&mut Answer));

const LIES: [Change; 12] = [
    ("differs from", |answer| answer.cells[1].sums[0] += 1),
    ("differs from", |answer| {
        answer.cells.pop();
        let cells = answer.cells.len() as i128;
        answer.cells.iter_mut().for_each(|row| row.of = cells);
    }),
    ("lacks cells", |answer| drop(answer.cells.pop())),
    ("has a cell twice", |answer| answer.cells[1].cell = answer.cells[0].cell),
    ("has an invalid cell", |answer| answer.cells[0].cell = 1_000),
    ("counts more of one entity", |answer| answer.cells[0].cells = 9),
    ("counts more of one entity", |answer| answer.cells[0].rows = 9),
    ("has sums that no rows", |answer| answer.cells[0].sums[0] = -1),
    ("does not distinguish different rows", |answer| answer.contents.rows += 1),
    ("has sums that no rows", |answer| answer.contents.rows = 0),
    ("has sums that no rows", |answer| answer.cells[0].sums[0] = 301),
    ("has sums that no rows", |answer| answer.cells[0].sums[1] = 1 << 100),
];

#[test]
fn every_false_answer_is_detected() {
    let Some(mut engine) = engine(EngineKind::DuckDb) else { return };
    let table =
        (0..).map(|seed| table(&mut ChaCha8Rng::seed_from_u64(seed))).find(|table| table.entity.is_some()).unwrap();
    let sql = "SELECT ward, COUNT(*) AS k, SUM(n) AS s FROM t GROUP BY ward";
    let query = deniable_sql::plan(sql, std::slice::from_ref(&table)).unwrap().portable();
    let trial = Trial::new(&query, Dialect::DuckDb).unwrap();
    let mut ask = |at: usize| run(&mut engine, &trial.statements()[at], &Trial::SALT);
    let honest = [ask(0), ask(1)];
    assert_eq!(trial.verdict(&honest), Ok(()));
    for (said, lie) in LIES {
        for at in 0..2 {
            let mut answers = honest.clone();
            lie(&mut answers[at]);
            let found = trial.verdict(&answers).unwrap_err().to_string();
            assert!(found.contains(said), "{found} is not: {said}");
        }
    }
}

/// Settings that change the meaning of texts, times and numbers do not change the result of the statement.
#[test]
fn collations_have_no_effect() {
    let Some(mut engine) = engine(EngineKind::DuckDb) else { return };
    let tables: Vec<_> = (0..sized(6, 20)).map(|seed| table(&mut ChaCha8Rng::seed_from_u64(seed))).collect();
    // The answer to SET is not a number.
    let _ = engine.numbers("SET default_collation = 'NOCASE'", "");
    assert_eq!(engine.numbers("SELECT CASE WHEN 'a' = 'A' THEN 1 ELSE 0 END", "").unwrap(), [[1]]);
    for table in &tables {
        let sql = "SELECT ward, COUNT(*) AS k FROM t WHERE who <> 'A' AND ward >= 'A' GROUP BY ward";
        let query = deniable_sql::plan(sql, std::slice::from_ref(table)).unwrap().portable();
        try_out(&mut engine, &Trial::new(&query, Dialect::DuckDb).unwrap()).unwrap();
    }
}
