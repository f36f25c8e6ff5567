//! Only released numbers may depend on the rows: whether an ask succeeds, its error, the columns, the number of rows,
//! their keys, and whether a cell is a number with an interval must be the same on neighbouring tables.
//!
//! Random queries run on random tables and their neighbours, in which one entity's rows are added, removed or
//! exchanged, or a row without an entity is added. Rows contain values that no curator expects: ends of number ranges,
//! NaN, texts of a megabyte, invalid dates, NUL and invalid UTF-8; in memory, in CSV and in Parquet.
//!
//! HAVING, ORDER BY and LIMIT are left out: their results depend on noisy numbers, and so may whether an average over a
//! noisy count is defined. Seeds are fixed.

use super::answered;
use super::generate::Dice;
use super::generate::always::{CertainPart, always};
use super::generate::hostile::{GUARD, Hostile, KeptOwners};
use arrow_array::RecordBatch;
use deniable_answers::{Noisy, ShownValue};
use deniable_core::exact::ratio;
use deniable_core::noise::Decay;
use deniable_core::schema::{CsvOptions, Data, Format};
use deniable_data::{Resources, Source, SourceError};
use deniable_execute::{Exact, Salt, exact};
use deniable_query::Query;
use deniable_testing::sized_to_slow;
use parquet::arrow::ArrowWriter;
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::SeedableRng;
use std::path::Path;

/// Number of queries on each set of tables, all run on one world and one of its neighbours.
pub(super) const QUESTIONS: u64 = 20;

/// Number of random schemas in each run, each with up to three tables and three neighbours.
pub(super) fn schemas() -> u64 {
    sized_to_slow(6, 60, 160)
}

/// The exact cells.
pub(super) fn cells(sources: &[Source], query: &Query) -> Result<Exact, SourceError> {
    exact(sources, query, &Salt([7; 32]), &Resources::default(), &|_| {})
}

/// The visible parts of an answer, except its numbers.
fn seen(sources: &[Source], query: &Query, seed: u64) -> Result<Vec<Vec<String>>, String> {
    let exact = cells(sources, query).map_err(|error| error.to_string())?;
    let decays = vec![Decay::exactly(ratio(2, 3)).unwrap(); query.measures().len()];
    let confidence = ratio(19, 20);
    let mut rng = ChaCha20Rng::seed_from_u64(seed);
    let values = exact.with_noise(query, &decays, &confidence, &mut rng);
    let consistent = deniable_answers::made_consistent(query, &values, &decays);
    let rows = deniable_answers::show(query, &Noisy { values, decays, consistent }, &confidence);
    let terms = &query.output().columns;
    let row =
        |row: &[ShownValue]| row.iter().zip(terms).map(|(shown, term)| look(shown, always(term, query))).collect();
    Ok(rows.iter().map(|shown| row(&shown.0)).collect())
}

fn look(shown: &ShownValue, always: CertainPart) -> String {
    match shown {
        ShownValue::Key(key) => format!("key {key:?}"),
        ShownValue::All => "all".to_owned(),
        ShownValue::Text(text) => format!("text {text}"),
        ShownValue::Number { estimate, low, high, population: _, rows, deviation: _, value, limits: _ } => {
            let ends = (low.is_some(), high.is_some());
            match always {
                CertainPart::Number => format!("{value:?} {}, ends {ends:?}, rows {rows:?}", estimate.is_some()),
                CertainPart::Interval => format!("{value:?}, ends {ends:?}"),
                CertainPart::Nothing => format!("{value:?}"),
            }
        }
    }
}

/// The storage of the rows.
#[derive(Debug, Clone, Copy)]
pub(super) enum Place {
    Memory,
    Csv,
    Parquet,
    #[cfg(feature = "postgres")]
    Postgres,
}

impl Place {
    pub(super) fn sources(self, hostile: &Hostile, kept: &KeptOwners<'_>, folder: &Path) -> Vec<Source> {
        #[cfg(feature = "postgres")]
        if matches!(self, Self::Postgres) {
            return super::postgres::sources(hostile, kept, folder);
        }
        let tables = hostile.shape.tables.iter().enumerate();
        let source = |at: usize, table: &deniable_core::schema::TableSchema| {
            let file = |ending: &str, format: Format| {
                let data = Data {
                    table: table.name.clone(),
                    path: format!("{}.{ending}", table.name),
                    version: "1".to_owned(),
                    format,
                    partitions: Vec::new(),
                    typical_rows: None,
                };
                Source::locate(table.clone(), &data, folder).unwrap()
            };
            let path = |ending: &str| folder.join(format!("{}.{ending}", table.name));
            match self {
                Self::Memory => Source::memory(table.clone(), vec![hostile.batch(at, kept)]),
                Self::Csv => {
                    std::fs::write(path("csv"), hostile.csv(at, kept)).unwrap();
                    file("csv", Format::Csv(CsvOptions::with_delimiter(b',')))
                }
                Self::Parquet => {
                    write_parquet(&path("parquet"), hostile.batch(at, kept));
                    file("parquet", Format::Parquet)
                }
                #[cfg(feature = "postgres")]
                Self::Postgres => unreachable!("they are read together"),
            }
        };
        tables.map(|(at, table)| source(at, table)).collect()
    }
}

pub(super) fn write_parquet(path: &Path, batch: RecordBatch) {
    let mut writer = ArrowWriter::try_new(std::fs::File::create(path).unwrap(), batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
}

/// The first row in which two answers differ, or their other difference.
fn difference(expected: &Result<Vec<Vec<String>>, String>, found: &Result<Vec<Vec<String>>, String>) -> String {
    let (Ok(left), Ok(right)) = (expected, found) else { return format!("{expected:?}\n{found:?}") };
    let row = left.iter().zip(right).find(|(left, right)| left != right);
    format!("{} rows and {} rows; {row:#?}", left.len(), right.len())
}

/// Runs queries on random tables and on their neighbours.
pub(super) fn compare(place: Place, seed: u64) {
    let mut dice = Dice::new(seed);
    let (mut asked, mut rows, mut guarded) = (0_u64, 0_usize, 0_usize);
    for _ in 0..schemas() {
        let hostile = Hostile::random(&mut dice);
        let folder = tempfile::tempdir().unwrap();
        let worlds: Vec<Vec<Source>> = hostile
            .worlds()
            .iter()
            .enumerate()
            .map(|(world, kept)| {
                let folder = folder.path().join(world.to_string());
                std::fs::create_dir(&folder).unwrap();
                place.sources(&hostile, kept, &folder)
            })
            .collect();
        for _ in 0..QUESTIONS {
            let (sql, query) = answered(&mut dice, &hostile.shape.tables, &|dice| hostile.question(dice));
            let expected = seen(&worlds[0], &query, asked);
            assert!(expected.is_ok(), "{sql}: {expected:?}");
            let neighbour = 1 + usize::try_from(asked).unwrap() % (worlds.len() - 1);
            // The noise differs, too: it may change numbers only.
            let found = seen(&worlds[neighbour], &query, asked + 1_000_000);
            let differ = || format!("{sql}\n{place:?}, neighbour {neighbour}: {}", difference(&expected, &found));
            assert!(found == expected, "{}", differ());
            asked += 1;
            guarded += sql.matches(GUARD).count();
            rows += expected.unwrap().len();
        }
    }
    println!(
        "{place:?}: {asked} questions of neighbouring tables, {guarded} guarded trees, {rows} rows in their answers"
    );
    assert!(guarded as u64 > asked / 3, "too few expressions are guarded by one person");
}

#[test]
fn nothing_but_numbers_depends_on_rows_in_memory() {
    compare(Place::Memory, 1);
}

#[test]
fn nothing_but_numbers_depends_on_rows_in_csv() {
    compare(Place::Csv, 2);
}

#[test]
fn nothing_but_numbers_depends_on_rows_in_parquet() {
    compare(Place::Parquet, 3);
}
