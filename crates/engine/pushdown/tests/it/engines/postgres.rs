//! The dialect of PostgreSQL, with psql: `scripts/postgres cargo test -p deniable-sql --lib -- it::engines::postgres`.

use super::hostile::{question, source, table, write};
use deniable_data::Resources;
use deniable_execute::{Salt, exact};
use deniable_pushdown::{Answer, Dialect, Statement, StorageType, Trial};
use deniable_testing::{postgres, psql, sized_to_slow};
use rand_chacha::ChaCha8Rng;
use rand_core::SeedableRng;
use std::collections::BTreeMap;

fn run(statement: &Statement, salt: &Salt) -> Answer {
    let sql = format!("PREPARE totals(text) AS {};\nEXECUTE totals('{}');", statement.sql, salt.digits());
    let row = |line: &str| line.split('|').map(|number| number.parse().unwrap()).collect();
    let rows: Vec<Vec<i128>> = psql(&sql).lines().map(row).collect();
    Answer::of(&rows, statement).unwrap()
}

#[test]
fn totals_of_postgres_equal_those_of_files() {
    let Some(_) = postgres() else { return };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.parquet");
    let rows = write(&path, 4_000, &mut ChaCha8Rng::seed_from_u64(1));
    let kinds = [
        ("who", StorageType::Text),
        ("id", StorageType::Whole),
        ("ward", StorageType::Text),
        ("n", StorageType::Whole),
        ("x", StorageType::Double),
        ("flag", StorageType::Boolean),
        ("day", StorageType::Date),
    ];
    let stored: BTreeMap<String, StorageType> = kinds.iter().map(|(name, kind)| ((*name).to_owned(), *kind)).collect();
    // A collation under which `a` and `A` are equal, and digits in texts compare as numbers.
    let _ = psql(&format!(
        "CREATE COLLATION IF NOT EXISTS alike (provider = icu, locale = 'und-u-ks-level2-kn-true', deterministic = false);
         DROP TABLE IF EXISTS hostile;
         CREATE TABLE hostile (who text COLLATE alike, id int8, ward text COLLATE alike, n int8, x float8, flag boolean, day date);
         INSERT INTO hostile SELECT * FROM {}",
        Dialect::Postgres.relation_of(&table(&mut ChaCha8Rng::seed_from_u64(1)), &rows).0
    ));
    let salt = Salt([7; 32]);
    let (questions, mut asked) = (sized_to_slow(30, 80, 400), 0);
    for seed in 0..questions {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let (table, sql) = (table(&mut random), question(&mut random));
        let Ok(query) = deniable_sql::plan(&sql, std::slice::from_ref(&table)) else { continue };
        let query = query.portable();
        let trial = Trial::new(&query, Dialect::Postgres).unwrap();
        let [without, with] = trial.statements();
        trial.verdict(&[run(without, &Trial::SALT), run(with, &Trial::SALT)]).unwrap();
        let statement = deniable_pushdown::statement(&query, Dialect::Postgres, "hostile", &stored).unwrap();
        let found = run(&statement, &salt).totals(&query).unwrap();
        let expected = exact(&[source(&table, &path)], &query, &salt, &Resources::default(), &|_| {}).unwrap();
        assert!(found.is_same(&expected), "seed {seed}: {sql}\n{table:?}\n{}", statement.sql);
        asked += 1;
    }
    println!("{asked} of {questions} questions had the same totals");
    assert!(asked * 2 > questions, "most questions are asked");
}
