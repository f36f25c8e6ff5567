//! Generated rows, the same in every run.

use datafusion::arrow::array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use datafusion::parquet::arrow::ArrowWriter;
use datafusion::parquet::file::properties::WriterProperties;
use deniable_core::exact::{parse_rational, whole};
use deniable_core::schema::TableSchema;
use deniable_core::schema::{Bounds, Column, ColumnType, Data, Entity, Format, Key};
use deniable_core::sensitivity::Caps;
use deniable_data::Source;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub const MILLION: u64 = 1_000_000;
const GROUPS: i64 = 50;

/// Whose rows are where.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum People {
    /// Each row is that of a random person.
    Anywhere,
    /// The same number of rows for each person, one person after the other, by ascending ids.
    InOrder,
    /// Every tenth row is that of one person.
    OneWithATenth,
}

/// The Parquet file of this many rows, generated if missing.
pub fn file(folder: &Path, rows: u64, people: People) -> PathBuf {
    let which = match people {
        People::Anywhere => "",
        People::InOrder => "-in-order",
        People::OneWithATenth => "-one-with-a-tenth",
    };
    let path = folder.join(format!("{}{which}.parquet", rows / MILLION));
    if !path.exists() {
        generate(&path, rows, people);
    }
    path
}

/// A 64-bit pseudo-random number for a position.
fn mixed(position: u64) -> u64 {
    let mut x = position.wrapping_add(0x9e37_79b9_7f4a_7c15).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// A fifth as many people as rows, with random numbers as ids; 50 groups, as numbers and as texts.
fn generate(path: &Path, rows: u64, whose: People) {
    const AT_ONCE: u64 = 1 << 17;
    let people = rows / 5;
    let mut writer: Option<ArrowWriter<std::fs::File>> = None;
    let partial = path.with_extension("partial");
    for start in (0..rows).step_by(AT_ONCE as usize) {
        let positions = || start..rows.min(start + AT_ONCE);
        let group = |row: u64| (mixed(row ^ 0x1111 << 40) % GROUPS as u64) as i64;
        let person = |row: u64| match whose {
            People::InOrder => (row / (rows / people) * (u64::MAX / people / 2)) as i64,
            People::OneWithATenth if row % 10 == 0 => 0,
            People::Anywhere | People::OneWithATenth => mixed(mixed(row) % people) as i64,
        };
        let who: ArrayRef = Arc::new(Int64Array::from_iter_values(positions().map(person)));
        let number: ArrayRef = Arc::new(Int64Array::from_iter_values(positions().map(group)));
        let name = positions().map(|row| format!("group {}", group(row)));
        let name: ArrayRef = Arc::new(StringArray::from_iter_values(name));
        let value = positions().map(|row| (mixed(row ^ 0x2222 << 40) % 100) as i64);
        let value: ArrayRef = Arc::new(Int64Array::from_iter_values(value));
        let batch = RecordBatch::try_from_iter([("who", who), ("grp", number), ("name", name), ("n", value)]).unwrap();
        let writer = writer.get_or_insert_with(|| {
            let properties = WriterProperties::builder().set_max_row_group_row_count(Some(1 << 20)).build();
            ArrowWriter::try_new(std::fs::File::create(&partial).unwrap(), batch.schema(), Some(properties)).unwrap()
        });
        writer.write(&batch).unwrap();
    }
    writer.unwrap().close().unwrap();
    std::fs::rename(partial, path).unwrap();
}

/// The file as a protected table; with caps, one of people with several rows each.
pub fn source(path: &Path, caps: Option<Caps>) -> Source {
    let bounds = Some(Bounds::new(whole(0), whole(100), parse_rational("1").unwrap()).unwrap());
    let column = |name: &str, kind, bounds, keys| Column { bounds, keys, ..Column::new(name, kind) };
    let texts = (0..GROUPS).map(|group| Key::Text(format!("group {group}")));
    let columns = vec![
        column("who", ColumnType::Integer, None, None),
        column("grp", ColumnType::Integer, None, Some((0..GROUPS).map(Key::Integer).collect())),
        column("name", ColumnType::Text, None, Some(texts.collect())),
        column("n", ColumnType::Integer, bounds, None),
    ];
    let entity = caps.map(|caps| Entity::new("who", caps));
    let data = Data {
        table: "t".to_owned(),
        path: path.to_string_lossy().into_owned(),
        version: "1".to_owned(),
        format: Format::Parquet,
        partitions: Vec::new(),
        typical_rows: None,
    };
    Source::locate(TableSchema::protected("t", columns, entity), &data, Path::new("/")).unwrap()
}
