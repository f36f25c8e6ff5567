//! A table of values that engines treat differently, and random queries about it.

use arrow_array::{ArrayRef, BooleanArray, Date32Array, Float64Array, Int64Array, RecordBatch, StringViewArray};
use deniable_core::exact::{parse_rational, whole};
use deniable_core::schema::{Bounds, Column, ColumnType, Data, Entity, Format, Key, TableSchema};
use deniable_core::sensitivity::Caps;
use deniable_data::Source;
use parquet::arrow::ArrowWriter;
use rand_chacha::ChaCha8Rng;
use rand_core::Rng;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;

const TEXTS: [&str; 16] = [
    "",
    "a",
    "A",
    "a ",
    " a",
    "\u{e4}",
    "a\u{308}",
    "\u{130}",
    "i",
    "\u{df}",
    "ss",
    "'",
    "\"",
    "\\",
    "NULL",
    "\u{1f642}",
];
const DOUBLES: [f64; 22] = [
    0.0,
    -0.0,
    0.5,
    -0.5,
    1.5,
    2.5,
    0.05,
    0.15,
    1.005,
    0.499_999_999_999_999_94,
    -2.5,
    3.0,
    99.75,
    1e308,
    -1e308,
    1e-308,
    f64::MAX,
    f64::MIN,
    f64::NAN,
    f64::INFINITY,
    f64::NEG_INFINITY,
    4_503_599_627_370_497.5,
];
const INTEGERS: [i64; 16] =
    [0, 1, -1, 2, 3, 5, 7, -7, 50, 99, 100, 1_000_000, i64::MAX, i64::MIN, i64::MAX - 1, 1 << 53];
/// Days from the year 1 to 9999, and beyond both.
const DAYS: [i32; 8] = [0, -1, 1, 18_262, -719_162, 2_932_896, 19_000, -141_427];

pub struct Below<'a>(pub &'a mut ChaCha8Rng);

impl Below<'_> {
    pub fn below(&mut self, bound: usize) -> usize {
        self.0.next_u32() as usize % bound
    }

    pub fn pick<'v, T>(&mut self, all: &'v [T]) -> &'v T {
        &all[self.below(all.len())]
    }

    fn sometimes<T>(&mut self, value: T) -> Option<T> {
        (self.below(8) > 0).then_some(value)
    }
}

/// Writes the rows: some people with many, some with one, some rows without a person, and rows that are equal in all
/// columns.
pub fn write(path: &Path, rows: usize, random: &mut ChaCha8Rng) -> RecordBatch {
    let mut random = Below(random);
    let mut people: Vec<String> = TEXTS.iter().map(|text| (*text).to_owned()).collect();
    people.extend((0..rows / 4).map(|person| format!("p{person}")));
    let mut texts = |from: &[String]| -> ArrayRef {
        let of = |random: &mut Below<'_>| {
            // The square of a random number: the first people have the most rows.
            let at = random.below(from.len()) * random.below(from.len()) / from.len();
            random.sometimes(from[at].clone())
        };
        Arc::new(StringViewArray::from_iter((0..rows).map(|_| of(&mut random))))
    };
    let who = texts(&people);
    let ward = texts(&TEXTS.map(str::to_owned));
    let id = Int64Array::from_iter((0..rows).map(|_| {
        let value = if random.below(4) == 0 { *random.pick(&INTEGERS) } else { random.below(rows / 4) as i64 };
        random.sometimes(value)
    }));
    let n = Int64Array::from_iter((0..rows).map(|_| {
        let value = *random.pick(&INTEGERS);
        random.sometimes(value)
    }));
    let x = Float64Array::from_iter((0..rows).map(|_| {
        let value = *random.pick(&DOUBLES);
        random.sometimes(value)
    }));
    let flag = BooleanArray::from_iter((0..rows).map(|_| {
        let value = random.below(2) == 0;
        random.sometimes(value)
    }));
    let day = Date32Array::from_iter((0..rows).map(|_| {
        let value = *random.pick(&DAYS);
        random.sometimes(value)
    }));
    let columns: [(&str, ArrayRef); 7] = [
        ("who", who),
        ("id", Arc::new(id)),
        ("ward", ward),
        ("n", Arc::new(n)),
        ("x", Arc::new(x)),
        ("flag", Arc::new(flag)),
        ("day", Arc::new(day)),
    ];
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let mut writer = ArrowWriter::try_new(File::create(path).unwrap(), batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    batch
}

/// A random declaration of that table.
pub fn table(random: &mut ChaCha8Rng) -> TableSchema {
    let mut random = Below(random);
    let bounds = |low: i64, high: i64, step: &str| {
        let step = parse_rational(step).unwrap();
        Bounds::new(&step * whole(low), &step * whole(high), step).unwrap()
    };
    let step = *random.pick(&["1", "5", "3", "1/4", "7/3"]);
    let n = Column::new("n", ColumnType::Integer).within(bounds(
        -(random.below(40) as i64),
        1 + random.below(1_000) as i64,
        step,
    ));
    let step = *random.pick(&["1", "1/2", "0.1", "0.01", "3", "1/3"]);
    let x = Column::new("x", ColumnType::Decimal).within(bounds(
        -(random.below(400) as i64),
        1 + random.below(10_000) as i64,
        step,
    ));
    let mut wards: Vec<Key> =
        TEXTS.iter().take(3 + random.below(13)).map(|text| Key::Text((*text).to_owned())).collect();
    if random.below(2) == 0 {
        wards.push(Key::Null);
    }
    if random.below(2) == 0 {
        wards.push(Key::Other);
    }
    let flags = vec![Key::Boolean(true), Key::Boolean(false)];
    let columns = vec![
        Column::new("who", ColumnType::Text),
        Column::new("id", ColumnType::Integer),
        Column::new("ward", ColumnType::Text).with_keys(wards),
        n,
        x,
        Column::new("flag", ColumnType::Boolean).with_keys(flags),
        Column::new("day", ColumnType::Date),
    ];
    let caps = Caps { rows_per_group: 1 + random.below(4) as u32, groups: 1 + random.below(3) as u32 };
    let entity = match random.below(5) {
        0 => None,
        1 | 2 => Some(Entity::new("id", caps)),
        _ => Some(Entity::new("who", caps)),
    };
    TableSchema::protected("t", columns, entity)
}

/// A random query about it.
pub fn question(random: &mut ChaCha8Rng) -> String {
    let mut random = Below(random);
    let groups = [
        "",
        "ward",
        "flag",
        "ward, flag",
        "CASE WHEN n > 5 THEN 'many' WHEN n IS NULL THEN 'none' ELSE 'few' END",
        "n IS NULL, ward = 'z'",
        "COALESCE(ward, 'none')",
        "NULLIF(ward, 'a'), x > 1e6",
    ];
    let values = [
        "COUNT(*)",
        "COUNT(x)",
        "SUM(n)",
        "SUM(x)",
        "AVG(x)",
        "AVG(n)",
        "SUM(ABS(n))",
        "SUM(CASE WHEN flag THEN n ELSE 0 END)",
        "SUM(LEAST(n, 3))",
        "SUM(n) FILTER (WHERE ward <> 'a')",
        "VAR_POP(n)",
        "SUM(CAST(flag AS BIGINT))",
        "SUM(COALESCE(x, 1.5))",
    ];
    let conditions = [
        "n > 3",
        "n * n > 100",
        "n + 1 > n",
        "-n < 7",
        "x >= 0.15",
        "x < 1e300",
        "x IS NULL",
        "ward <> 'a'",
        "ward IN ('a', 'ss', '\u{e4}')",
        "ward = 'a '",
        "who IS NOT NULL",
        "flag",
        "NOT flag",
        "day < DATE '2020-01-01'",
        "day + INTERVAL '30 days' > DATE '2020-01-01'",
        "day - INTERVAL '2932896 days' <= DATE '1970-01-01'",
        "day = DATE '1970-01-01' OR n = 2",
        "NULLIF(n, 5) IS NULL",
        "ward > 'a'",
        "n BETWEEN -7 AND 50",
        "x = 0.0",
        "(flag AND n > 1) IS NOT TRUE",
        "ABS(n) > 2",
        "n IS DISTINCT FROM 7",
    ];
    let group = *random.pick(&groups);
    let mut wanted: Vec<&str> = (0..1 + random.below(3)).map(|_| *random.pick(&values)).collect();
    wanted.dedup();
    let filters: Vec<&str> = (0..random.below(3)).map(|_| *random.pick(&conditions)).collect();
    let named: Vec<String> = wanted.iter().enumerate().map(|(at, value)| format!("{value} AS v{at}")).collect();
    let mut sql = format!(
        "SELECT {}{} FROM t",
        if group.is_empty() { String::new() } else { format!("{group}, ") },
        named.join(", ")
    );
    if !filters.is_empty() {
        sql += &format!(" WHERE {}", filters.join(" AND "));
    }
    if !group.is_empty() {
        sql += &format!(" GROUP BY {group}");
    }
    sql
}

pub fn source(table: &TableSchema, path: &Path) -> Source {
    let data = Data {
        table: "t".to_owned(),
        path: path.display().to_string(),
        version: "1".to_owned(),
        format: Format::Parquet,
        partitions: Vec::new(),
        typical_rows: None,
    };
    Source::locate(table.clone(), &data, Path::new("/")).unwrap()
}
