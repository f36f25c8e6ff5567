//! The report of a check matches the files, row by row, for any number of threads and any memory limit.

use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray, UInt64Array};
use deniable_core::exact::whole;
use deniable_core::schema::{Bounds, Column, ColumnType, CsvOptions, Data, Entity, Format, Key, TableSchema};
use deniable_core::sensitivity::Caps;
use deniable_data::check::{Occurrences, Report};
use deniable_data::{Resources, Source};
use deniable_testing::sized;
use parquet::arrow::ArrowWriter;
use parquet::file::properties::WriterProperties;
use rand_chacha::ChaCha8Rng;
use rand_core::{Rng, SeedableRng};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

/// A key that is not a short text.
const LONG: &str = "neither of the two";

fn table() -> TableSchema {
    let keys = ["F", "M", LONG].map(|key| Key::Text(key.to_owned())).to_vec();
    let bounds = Bounds::new(whole(0), whole(99), whole(1)).unwrap();
    let columns = vec![
        Column::new("id", ColumnType::Text),
        Column::new("sex", ColumnType::Text).with_keys(keys),
        Column::new("age", ColumnType::Integer).within(bounds),
    ];
    let entity = Entity::new("id", Caps { rows_per_group: 1, groups: 1 });
    TableSchema::protected("t", columns, Some(entity))
}

fn public_table() -> TableSchema {
    TableSchema { entity: None, public_key: Some("id".to_owned()), ..table() }
}

fn locate(folder: &Path, table: TableSchema, ending: &str) -> Source {
    let options = CsvOptions { nulls: vec![String::new()], ..CsvOptions::with_delimiter(b',') };
    let data = Data {
        table: "t".to_owned(),
        path: format!("*.{ending}"),
        version: "1".to_owned(),
        format: if ending == "csv" { Format::Csv(options) } else { Format::Parquet },
        partitions: Vec::new(),
        typical_rows: None,
    };
    Source::locate(table, &data, folder).unwrap()
}

/// Counts, with the first place, in the order of the rows.
#[derive(Default)]
struct Plain(Option<Occurrences>);

impl Plain {
    fn add(&mut self, place: &str) {
        match &mut self.0 {
            Some(found) => found.count += 1,
            None => self.0 = Some(Occurrences { count: 1, first: Some(place.to_owned()) }),
        }
    }
}

/// The expected report on some lines, computed by splitting texts only.
#[derive(Default)]
struct ExpectedReport {
    rows: u64,
    /// The first place of each key, in a public table.
    keys: Option<BTreeMap<String, String>>,
    entities: BTreeSet<String>,
    ownerless: Plain,
    /// For each of the three columns: missing, unreadable, undeclared, outside, left out.
    columns: [[Plain; 5]; 3],
    problems: Vec<String>,
    broken: u64,
}

impl ExpectedReport {
    fn take(&mut self, place: &str, line: &str) {
        self.rows += 1;
        let fields: Vec<&str> = line.split(',').collect();
        let &[id, sex, age] = fields.as_slice() else {
            self.problems.push(format!("{place}: {} fields where 3 are expected", fields.len()));
            self.broken += 1;
            return;
        };
        if let Some(keys) = &mut self.keys {
            match keys.get(id) {
                _ if id.is_empty() => self.problems.push(format!("{place}: the key `id` is missing")),
                Some(first) => self.problems.push(format!("{place}: the key `id` is the same as at {first}")),
                None => {
                    keys.insert(id.to_owned(), place.to_owned());
                }
            }
        } else if id.is_empty() {
            self.ownerless.add(place);
        } else {
            self.entities.insert(id.to_owned());
        }
        for (at, field) in [id, sex, age].into_iter().enumerate() {
            if field.is_empty() {
                self.columns[at][0].add(place);
            }
        }
        if !["F", "M", LONG].contains(&sex) {
            self.columns[1][4].add(place);
            if !sex.is_empty() {
                self.columns[1][2].add(place);
            }
        }
        match age.parse::<i64>() {
            Ok(age) if !(0..=99).contains(&age) => self.columns[2][3].add(place),
            Err(_) if !age.is_empty() => self.columns[2][1].add(place),
            _ => {}
        }
    }

    fn agrees(self, report: &Report) {
        let entities = self.keys.is_none().then_some(self.entities.len() as u64);
        assert_eq!((report.rows, report.entities), (self.rows, entities));
        assert_eq!(report.ownerless, self.ownerless.0);
        let whole_rows = self.rows - self.broken;
        let problems: Vec<String> = report.problems.iter().map(ToString::to_string).collect();
        assert_eq!(problems, self.problems.into_iter().take(20).collect::<Vec<_>>());
        for (column, expected) in report.columns.iter().zip(self.columns) {
            let [missing, unreadable, undeclared, outside, left_out] = expected.map(|plain| plain.0);
            let count = |found: &Option<Occurrences>| found.as_ref().map_or(0, |found| found.count);
            assert_eq!(column.present, whole_rows - count(&missing));
            let found = (&column.missing, &column.unreadable, &column.undeclared, &column.outside, &column.left_out);
            assert_eq!(found, (&missing, &unreadable, &undeclared, &outside, &left_out), "{}", column.column);
        }
    }
}

/// The rows of a file: id, sex and age, or two fields instead of three.
fn lines(random: &mut ChaCha8Rng, round: u32, ids: u32, count: usize) -> Vec<String> {
    let mut below = |bound: u32| random.next_u32() % bound;
    let line = |_| {
        let id = if below(50) == 0 { String::new() } else { format!("p{}", below(ids)) };
        let sex = ["F", "M", LONG, "x", ""][below(if round.is_multiple_of(2) { 3 } else { 5 }) as usize];
        let age = match below(40) {
            0 => u64::MAX.to_string(),
            1 => "200".to_owned(),
            2 => String::new(),
            _ => below(100).to_string(),
        };
        if round % 3 == 2 && below(100) == 0 { "1,2".to_owned() } else { format!("{id},{sex},{age}") }
    };
    (0..count).map(line).collect()
}

fn write_csv(path: &Path, lines: &[String]) {
    std::fs::write(path, format!("id,sex,age\n{}\n", lines.join("\n"))).unwrap();
}

/// Writes rows of three fields, in row groups of this size.
fn write_parquet(path: &Path, lines: &[String], rows_of_a_group: usize) {
    let field = |at: usize| lines.iter().map(move |line| line.split(',').nth(at).filter(|field| !field.is_empty()));
    let columns: [(&str, ArrayRef); 3] = [
        ("id", Arc::new(field(0).collect::<StringArray>())),
        ("sex", Arc::new(field(1).collect::<StringArray>())),
        ("age", Arc::new(field(2).map(|age| age.map(|age| age.parse().unwrap())).collect::<UInt64Array>())),
    ];
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let properties = WriterProperties::builder().set_max_row_group_row_count(Some(rows_of_a_group)).build();
    let file = std::fs::File::create(path).unwrap();
    let mut writer = ArrowWriter::try_new(file, batch.schema(), Some(properties)).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
}

/// The report on files, for any number of threads and any memory limit.
fn report(source: &Source) -> Report {
    let mut first: Option<Report> = None;
    for (threads, memory) in [(1, None), (2, Some(Resources::LEAST_MEMORY)), (7, Some(1_000))] {
        let resources = Resources { threads, memory, spill: None };
        let report = source.check(&resources, &|_| {}).unwrap();
        assert_eq!(*first.get_or_insert_with(|| report.clone()), report, "{threads} threads");
    }
    first.unwrap()
}

#[test]
fn reports_match_a_line_by_line_reference() {
    let mut random = ChaCha8Rng::seed_from_u64(deniable_testing::seed(1));
    for (round, ending) in (0..sized(6, 40) as u32).flat_map(|round| [(round, "csv"), (round, "parquet")]) {
        // Parquet has no broken rows. The first files are small, the last have several blocks.
        let kinds = if ending == "csv" { round } else { round / 3 * 3 + round % 2 };
        let count = if round % 6 == 5 { 60_000 } else { 300 };
        for is_public in [false, true] {
            let folder = tempfile::tempdir().unwrap();
            let mut expected = ExpectedReport { keys: is_public.then(BTreeMap::new), ..ExpectedReport::default() };
            for file in ["a", "b", "c"] {
                let path = folder.path().join(format!("{file}.{ending}"));
                // Keys of a public table are sometimes repeated.
                let lines =
                    lines(&mut random, kinds, if is_public { 1_000_000_000 / count as u32 } else { 20_000 }, count);
                // The header is line 1.
                let first = if ending == "csv" { 2 } else { 1 };
                for (at, line) in lines.iter().enumerate() {
                    expected.take(&format!("{}:{}", path.display(), at + first), line);
                }
                match ending {
                    "csv" => write_csv(&path, &lines),
                    _ => write_parquet(&path, &lines, [100, 9_000][(round % 2) as usize]),
                }
            }
            let table = if is_public { public_table() } else { table() };
            expected.agrees(&report(&locate(folder.path(), table, ending)));
        }
    }
}

/// Numbers that are equal as floats.
#[test]
fn bounds_are_compared_exactly() {
    let high = 1_i64 << 60;
    let beyond_all = whole(high) * whole(1024);
    for (low, high, values, outside) in [
        (whole(0), whole(high), [high, high + 1, -1], 2),
        (whole(-high), whole(high), [-high, -high - 1, i64::MIN], 2),
        (whole(-high), beyond_all.clone(), [i64::MAX, i64::MIN, 0], 1),
        (beyond_all.clone(), &beyond_all * whole(2), [i64::MAX, i64::MIN, 0], 3),
    ] {
        let bounds = Bounds::new(low.clone(), high.clone(), whole(1 << 30)).unwrap();
        let column = Column::new("n", ColumnType::Integer).within(bounds);
        let batch =
            RecordBatch::try_from_iter([("n", Arc::new(Int64Array::from(values.to_vec())) as ArrayRef)]).unwrap();
        let report = Source::memory(TableSchema::protected("t", vec![column], None), vec![batch])
            .check(&Resources::default(), &|_| {})
            .unwrap();
        assert_eq!(report.columns[0].outside.as_ref().map(|found| found.count), Some(outside), "{low} to {high}");
    }
}

/// `cargo test -p deniable-data --lib -- --ignored --nocapture ten_million_entities`, on Linux.
#[test]
#[ignore = "prints what memory ten million entities take, alone in its process"]
fn ten_million_entities_in_200_megabytes() {
    const ENTITIES: i64 = 10_000_000;
    for threads in [1, 2] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.parquet");
        let mut writer: Option<ArrowWriter<std::fs::File>> = None;
        // Small row groups, so that the writer leaves little memory allocated.
        let properties = WriterProperties::builder().set_max_row_group_row_count(Some(100_000)).build();
        for begin in (0..ENTITIES).step_by(100_000) {
            // Scattered, as ids are.
            let ids = (begin..begin + 100_000).map(|id| id * 7_919 % ENTITIES);
            let ids = Arc::new(Int64Array::from_iter_values(ids)) as ArrayRef;
            let batch = RecordBatch::try_from_iter([("id", ids)]).unwrap();
            let file = || std::fs::File::create(&path).unwrap();
            let properties = || Some(properties.clone());
            let writer =
                writer.get_or_insert_with(|| ArrowWriter::try_new(file(), batch.schema(), properties()).unwrap());
            writer.write(&batch).unwrap();
        }
        writer.unwrap().close().unwrap();
        let entity = Entity::new("id", Caps { rows_per_group: 1, groups: 1 });
        let table = TableSchema::protected("t", vec![Column::new("id", ColumnType::Integer)], Some(entity));
        let source = locate(folder.path(), table, "parquet");
        // The peak of memory from here on.
        let _ = std::fs::write("/proc/self/clear_refs", "5");
        let peak = || {
            let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
            status.lines().find(|line| line.starts_with("VmHWM")).unwrap_or("VmHWM: not told").to_owned()
        };
        let (before, start) = (peak(), std::time::Instant::now());
        let resources = Resources { threads, memory: Some(200_000_000), spill: None };
        assert_eq!(source.check(&resources, &|_| {}).unwrap().entities, Some(ENTITIES as u64));
        println!("{threads} threads: before {before}, then {}, {:?}", peak(), start.elapsed());
    }
}
