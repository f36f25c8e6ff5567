//! Rows of PostgreSQL that no curator expects: `scripts/postgres cargo test -p deniable-sql --features postgres --lib
//! -- it::postgres`.
//!
//! Exact totals equal those of the same rows in Parquet; and only released numbers depend on rows, as with files
//! (`differential`).

use super::answered;
use super::differential::{Place, QUESTIONS, cells, compare, schemas, write_parquet};
use super::generate::Dice;
use super::generate::hostile::{Hostile, KeptOwners};
use arrow_array::cast::AsArray;
use arrow_array::types::{Date32Type, Float64Type, Int64Type, TimestampMicrosecondType};
use arrow_array::{Array, ArrayRef, RecordBatch, StringArray};
use deniable_core::schema::{Column, ColumnType, Data, Format, quoted};
use deniable_data::{Connections, Source, Sources};
use deniable_testing::{postgres, psql};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Once};

/// Values that the server can store: texts without NUL.
fn batch(hostile: &Hostile, table: usize, kept: &KeptOwners<'_>) -> RecordBatch {
    let batch = hostile.batch(table, kept);
    let columns = batch.columns().iter().map(|column| -> ArrayRef {
        match column.as_string_opt::<i32>() {
            Some(texts) => {
                let texts = texts.iter().map(|text| text.map(|text| text.replace('\0', "")));
                Arc::new(texts.collect::<StringArray>())
            }
            None => column.clone(),
        }
    });
    let columns = columns.collect();
    hostile.shape.of(table, columns)
}

/// A column's type; different types for the same values alternate between tables.
fn stored(column: &Column, turn: u64) -> String {
    let kind = match (column.kind, turn % 3) {
        (ColumnType::Integer, _) => "int8",
        (ColumnType::Decimal, 0) => "float8",
        (ColumnType::Decimal, _) => "numeric",
        (ColumnType::Text, 0) => "text",
        (ColumnType::Text, 1) => "varchar",
        // A collation under which 'a' and 'A' are equal: the server must not evaluate comparisons.
        (ColumnType::Text, _) => "text COLLATE hostile.insensitive",
        (ColumnType::Boolean, _) => "bool",
        (ColumnType::Date, _) => "date",
        (ColumnType::Timestamp, _) => "timestamp",
    };
    format!("{} {kind}", quoted(&column.name))
}

/// A value in the format of COPY.
fn written(column: &ArrayRef, row: usize) -> String {
    if column.is_null(row) {
        return "\\N".to_owned();
    }
    if let Some(texts) = column.as_string_opt::<i32>() {
        let text = texts.value(row);
        return text.replace('\\', "\\\\").replace('\n', "\\n").replace('\r', "\\r").replace('\t', "\\t");
    }
    if let Some(numbers) = column.as_primitive_opt::<Int64Type>() {
        return numbers.value(row).to_string();
    }
    if let Some(numbers) = column.as_primitive_opt::<Float64Type>() {
        return match numbers.value(row) {
            number if number.is_nan() => "NaN".to_owned(),
            number if number.is_infinite() => if number > 0.0 { "Infinity" } else { "-Infinity" }.to_owned(),
            number => format!("{number:e}"),
        };
    }
    // Days beyond the server's calendar are beyond ours, too.
    if let Some(days) = column.as_primitive_opt::<Date32Type>() {
        let day = days.value(row);
        return match day {
            -100_000..=100_000 => shown_day(i64::from(day)),
            day => if day > 0 { "infinity" } else { "-infinity" }.to_owned(),
        };
    }
    if let Some(moments) = column.as_primitive_opt::<TimestampMicrosecondType>() {
        const DAY: i64 = 86_400_000_000;
        let moment = moments.value(row);
        return match moment.div_euclid(DAY) {
            day @ -100_000..=100_000 => {
                let (seconds, micros) = (moment.rem_euclid(DAY) / 1_000_000, moment.rem_euclid(1_000_000));
                let (hours, minutes) = (seconds / 3_600, seconds / 60 % 60);
                format!("{} {hours:02}:{minutes:02}:{:02}.{micros:06}+00", shown_day(day), seconds % 60)
            }
            day => if day > 0 { "infinity" } else { "-infinity" }.to_owned(),
        };
    }
    let truth = column.as_boolean().value(row);
    truth.to_string()
}

/// A day in ISO format.
fn shown_day(day: i64) -> String {
    deniable_core::schema::Key::Date(i32::try_from(day).unwrap()).to_string()
}

/// The tables in a separate schema, read in one transaction.
pub(super) fn sources(hostile: &Hostile, kept: &KeptOwners<'_>, _: &Path) -> Vec<Source> {
    static MADE: AtomicU64 = AtomicU64::new(0);
    let turn = MADE.fetch_add(1, Ordering::Relaxed);
    // Few schemas at a time: those of earlier tables are replaced.
    let schema = format!("hostile_{}", turn % 64);
    let mut sql =
        format!("SET client_min_messages = warning; DROP SCHEMA IF EXISTS {schema} CASCADE; CREATE SCHEMA {schema};\n");
    for (at, table) in hostile.shape.tables.iter().enumerate() {
        let columns: Vec<String> = table.columns.iter().map(|column| stored(column, turn)).collect();
        sql += &format!(
            "CREATE TABLE {schema}.{} ({});\nCOPY {schema}.{} FROM STDIN;\n",
            table.name,
            columns.join(", "),
            table.name
        );
        let batch = batch(hostile, at, kept);
        for row in 0..batch.num_rows() {
            let values: Vec<String> = batch.columns().iter().map(|column| written(column, row)).collect();
            sql += &(values.join("\t") + "\n");
        }
        sql += "\\.\n";
    }
    let _ = psql(&sql);
    let sources = Sources { databases: Some(deniable_postgres::DATABASES), ..Sources::default() };
    let mut connections = Connections::new(sources);
    let locate = |table: &deniable_core::schema::TableSchema| {
        let data = Data {
            table: table.name.clone(),
            path: format!("{schema}.{}", table.name),
            version: "1".to_owned(),
            format: Format::Postgres { connect: "env:DENIABLE_POSTGRES".to_owned() },
            partitions: Vec::new(),
            typical_rows: None,
        };
        // As in a release: the rows read are compared with the registered ones.
        Source::locate_with(table.clone(), &data, Path::new(""), &mut connections).unwrap().of_version([1; 32], None)
    };
    hostile.shape.tables.iter().map(locate).collect()
}

/// Creates the collation once for both tests.
fn prepare() {
    static MADE: Once = Once::new();
    MADE.call_once(|| {
        let _ = psql(
            "SET client_min_messages = warning; CREATE SCHEMA IF NOT EXISTS hostile;
             CREATE COLLATION IF NOT EXISTS hostile.insensitive (provider = icu, locale = 'und-u-ks-level2', deterministic = false);",
        );
    });
}

#[test]
fn exact_totals_are_those_of_parquet() {
    if postgres().is_none() {
        return;
    }
    prepare();
    let mut dice = Dice::new(5);
    let (mut asked, mut totals) = (0, 0);
    for _ in 0..schemas() {
        let hostile = Hostile::random(&mut dice);
        let [kept, ..] = hostile.worlds();
        let folder = tempfile::tempdir().unwrap();
        let of_server = sources(&hostile, &kept, folder.path());
        let of_file = |(at, table): (usize, &deniable_core::schema::TableSchema)| {
            write_parquet(&folder.path().join(format!("{}.parquet", table.name)), batch(&hostile, at, &kept));
            let data = Data {
                table: table.name.clone(),
                path: format!("{}.parquet", table.name),
                version: "1".to_owned(),
                format: Format::Parquet,
                partitions: Vec::new(),
                typical_rows: None,
            };
            Source::locate(table.clone(), &data, folder.path()).unwrap()
        };
        let of_file: Vec<Source> = hostile.shape.tables.iter().enumerate().map(of_file).collect();
        for _ in 0..QUESTIONS {
            let (sql, query) = answered(&mut dice, &hostile.shape.tables, &|dice| hostile.question(dice));
            let [server, file] = [&of_server, &of_file].map(|sources| cells(sources, &query).unwrap().sums());
            assert_eq!(server, file, "{sql}");
            asked += 1;
            totals += server.iter().map(Vec::len).sum::<usize>();
        }
    }
    println!("{asked} questions, {totals} exact totals");
    assert!(totals > asked);
}

#[test]
fn nothing_but_numbers_depends_on_rows_in_postgres() {
    if postgres().is_some() {
        prepare();
        compare(Place::Postgres, 4);
    }
}
