//! What all rows are, as the statement that adds them up tells it.

use super::equal::{engine, relation};
use super::hostile::{source, table, write};
use deniable_sql::pushdown::{Counts, Dialect, survey};
use deniable_sql::source::check::Found;
use deniable_sql::{Query, Resources, Salt};
use rand_chacha::ChaCha8Rng;
use rand_core::SeedableRng;

#[test]
fn contents_follow_the_rows_and_not_their_order() {
    let Some(mut engine) = engine(Dialect::DuckDb) else { return };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.parquet");
    write(&path, 1_000, &mut ChaCha8Rng::seed_from_u64(1));
    let file = relation(Dialect::DuckDb, &path);
    let stored = engine.columns(&file).unwrap();
    let table = table(&mut ChaCha8Rng::seed_from_u64(1));
    let query = Query::new("SELECT COUNT(*) AS k FROM t WHERE n > 3", &[table]).unwrap().portable();
    let mut of = |relation: &str, salt: u8| {
        let statement = query.statement(Dialect::DuckDb, relation, &stored).unwrap();
        engine.run(&statement, &Salt([salt; 32])).unwrap().contents
    };
    let all = of(&file, 1);
    assert_eq!(all.rows, 1_000);
    assert_eq!(of(&format!("(SELECT * FROM {file} ORDER BY hash(who, n, x)) again"), 1), all);
    let others = [
        (format!("(SELECT * FROM {file} LIMIT 999) fewer"), 999),
        (format!("(SELECT * FROM {file} UNION ALL SELECT * FROM {file}) twice"), 2_000),
        (format!("(SELECT * REPLACE (CASE WHEN n = 7 THEN 8 ELSE n END AS n) FROM {file}) other"), 1_000),
        // A value that no question reads, NULL for a value, and two columns exchanged.
        (format!("(SELECT * REPLACE (COALESCE(flag, TRUE) AS flag) FROM {file}) other"), 1_000),
        (format!("(SELECT * REPLACE (who AS ward, ward AS who) FROM {file}) other"), 1_000),
        // What ends one column begins the next: the digits of `a` are 61.
        (format!("(SELECT * REPLACE ('a' AS who, 5 AS id) FROM {file}) other"), 1_000),
        (format!("(SELECT * REPLACE ('' AS who, 615 AS id) FROM {file}) other"), 1_000),
    ];
    let mut seen = vec![all.sums, of(&file, 2).sums];
    for (relation, rows) in others {
        let contents = of(&relation, 1);
        assert_eq!(contents.rows, rows);
        assert!(!seen.contains(&contents.sums), "{relation}");
        seen.push(contents.sums);
    }
}

/// What an engine counts is what a look at the same rows in a file counts.
#[test]
fn what_is_odd_is_counted_as_in_files() {
    for (dialect, tables) in [(Dialect::DuckDb, 40), (Dialect::Spark, 5)] {
        let Some(mut engine) = engine(dialect) else { continue };
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.parquet");
        write(&path, 2_000, &mut ChaCha8Rng::seed_from_u64(1));
        let relation = relation(dialect, &path);
        let stored = engine.columns(&relation).unwrap();
        let mut all = None;
        for seed in 0..tables {
            let table = table(&mut ChaCha8Rng::seed_from_u64(seed));
            let salt = Salt([1; 32]);
            let question = survey(&table, dialect, &relation, &stored).unwrap();
            let found = engine.survey(&question, &salt).unwrap();
            let report = source(&table, &path).check(&Resources::default(), &|_| {}).unwrap();
            let count = |found: &Option<Found>| found.as_ref().map_or(0, |found| found.count);
            assert_eq!(found.contents.rows, i128::from(report.rows));
            assert_eq!(found.ownerless, count(&report.ownerless));
            assert_eq!(found.entities, report.entities.unwrap_or(report.rows));
            for (counted, reported) in found.columns.iter().zip(&report.columns) {
                let expected = Counts {
                    column: reported.column.clone(),
                    missing: count(&reported.missing),
                    unreadable: count(&reported.unreadable),
                    undeclared: count(&reported.undeclared),
                    outside: count(&reported.outside),
                    left_out: count(&reported.left_out),
                };
                assert_eq!(*counted, expected, "{table:?}");
            }
            // The rows are the same, whatever is declared of their keys and bounds, and whoever asks.
            let statement = Query::new("SELECT COUNT(*) AS k FROM t", std::slice::from_ref(&table)).unwrap().portable();
            let statement = statement.statement(dialect, &relation, &stored).unwrap();
            assert_eq!(engine.run(&statement, &salt).unwrap().contents, found.contents);
            assert_eq!(*all.get_or_insert(found.contents), found.contents);
        }
    }
}
