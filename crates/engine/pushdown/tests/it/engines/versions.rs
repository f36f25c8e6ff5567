//! The contents of all rows, as the statement sums them.

use super::equal::{engine, relation, run, stored};
use super::hostile::{source, table, write};
use deniable_core::schema::EngineKind;
use deniable_data::Resources;
use deniable_data::check::Report;
use deniable_execute::Salt;
use deniable_pushdown::{Dialect, survey};
use deniable_testing::sized_to_slow;
use rand_chacha::ChaCha8Rng;
use rand_core::SeedableRng;

#[test]
fn contents_follow_the_rows_and_not_their_order() {
    let Some(mut engine) = engine(EngineKind::DuckDb) else { return };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.parquet");
    write(&path, 1_000, &mut ChaCha8Rng::seed_from_u64(1));
    let file = relation(EngineKind::DuckDb, &path);
    let stored = stored(&mut engine, &file);
    let table = table(&mut ChaCha8Rng::seed_from_u64(1));
    let query = deniable_sql::plan("SELECT COUNT(*) AS k FROM t WHERE n > 3", &[table]).unwrap().portable();
    let mut of = |relation: &str, salt: u8| {
        let statement = deniable_pushdown::statement(&query, Dialect::DuckDb, relation, &stored).unwrap();
        run(&mut engine, &statement, &Salt([salt; 32])).contents
    };
    let all = of(&file, 1);
    assert_eq!(all.rows, 1_000);
    assert_eq!(of(&format!("(SELECT * FROM {file} ORDER BY hash(who, n, x)) again"), 1), all);
    let others = [
        (format!("(SELECT * FROM {file} LIMIT 999) fewer"), 999),
        (format!("(SELECT * FROM {file} UNION ALL SELECT * FROM {file}) twice"), 2_000),
        (format!("(SELECT * REPLACE (CASE WHEN n = 7 THEN 8 ELSE n END AS n) FROM {file}) other"), 1_000),
        // A changed value that no query reads, a value in place of NULL, and two columns exchanged.
        (format!("(SELECT * REPLACE (COALESCE(flag, TRUE) AS flag) FROM {file}) other"), 1_000),
        (format!("(SELECT * REPLACE (who AS ward, ward AS who) FROM {file}) other"), 1_000),
        // The end of one column's value may not move to the next column.
        (format!("(SELECT * REPLACE (1 AS id, 23 AS n) FROM {file}) other"), 1_000),
        (format!("(SELECT * REPLACE (12 AS id, 3 AS n) FROM {file}) other"), 1_000),
        (format!("(SELECT * REPLACE ('ab' AS ward, 'c' AS who) FROM {file}) other"), 1_000),
        (format!("(SELECT * REPLACE ('a' AS ward, 'bc' AS who) FROM {file}) other"), 1_000),
    ];
    let mut seen = vec![all.sums, of(&file, 2).sums];
    for (relation, rows) in others {
        let contents = of(&relation, 1);
        assert_eq!(contents.rows, rows);
        assert!(!seen.contains(&contents.sums), "{relation}");
        seen.push(contents.sums);
    }
}

/// The report without line numbers, which rows of an engine do not have, and without values, which are not fetched.
fn without_places(mut report: Report) -> Report {
    for column in &mut report.columns {
        column.odd_years = None;
        column.unreadable_texts.clear();
        column.undeclared_values.clear();
    }
    let found = report.columns.iter_mut().flat_map(|column| {
        [&mut column.missing, &mut column.unreadable, &mut column.undeclared, &mut column.outside, &mut column.left_out]
    });
    found.chain([&mut report.ownerless]).flatten().for_each(|found| found.first = None);
    let Report { rows, entities, problems, notes: _, columns, quirks, ownerless } = report;
    Report::new(rows, entities, problems, columns, ownerless).with_quirks(quirks)
}

/// An engine's survey counts the same as a survey of the same rows in a file.
#[test]
fn oddities_are_counted_as_in_files() {
    for (kind, tables) in [(EngineKind::DuckDb, sized_to_slow(10, 20, 40)), (EngineKind::Spark, sized_to_slow(2, 3, 5))]
    {
        let Some(mut engine) = engine(kind) else { continue };
        let dialect = Dialect::of(kind);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.parquet");
        write(&path, 2_000, &mut ChaCha8Rng::seed_from_u64(1));
        let relation = relation(kind, &path);
        let stored = stored(&mut engine, &relation);
        let mut all = None;
        for seed in 0..tables {
            let table = table(&mut ChaCha8Rng::seed_from_u64(seed));
            let salt = Salt([1; 32]);
            let question = survey(&table, dialect, &relation, &stored).unwrap();
            let (contents, found) = question.read(&engine.numbers(&question.sql, &salt.digits()).unwrap()).unwrap();
            let report = source(&table, &path).check(&Resources::default(), &|_| {}).unwrap();
            assert_eq!(contents.rows, i128::from(report.rows));
            assert_eq!(found, without_places(report), "{table:?}");
            // The contents do not depend on declared keys and bounds, nor on the query.
            let statement =
                deniable_sql::plan("SELECT COUNT(*) AS k FROM t", std::slice::from_ref(&table)).unwrap().portable();
            let statement = deniable_pushdown::statement(&statement, dialect, &relation, &stored).unwrap();
            assert_eq!(run(&mut engine, &statement, &salt).contents, contents);
            assert_eq!(*all.get_or_insert(contents), contents);
        }
    }
}
