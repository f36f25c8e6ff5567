//! What a curator is told is what stands in the files, row by row, whatever the number of threads and however little memory there is.

use deniable_core::exact::whole;
use deniable_core::schema::{Bounds, Column, ColumnType, CsvOptions, Data, Entity, Format, Key, TableSchema};
use deniable_core::sensitivity::Caps;
use deniable_data::check::{Found, Report};
use deniable_data::{Resources, Source};
use deniable_testing::sized;
use rand_chacha::ChaCha8Rng;
use rand_core::{Rng, SeedableRng};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

fn table() -> TableSchema {
    let keys = ["F", "M"].map(|key| Key::Text(key.to_owned())).to_vec();
    let bounds = Bounds::new(whole(0), whole(99), whole(1)).unwrap();
    let columns = vec![
        Column::new("id", ColumnType::Text),
        Column::new("sex", ColumnType::Text).with_keys(keys),
        Column::new("age", ColumnType::Integer).within(bounds),
    ];
    let entity = Entity::new("id", Caps { rows_per_group: 1, groups: 1 });
    TableSchema::protected("t", columns, Some(entity))
}

fn locate(folder: &Path, table: TableSchema) -> Source {
    let options = CsvOptions { nulls: vec![String::new()], ..CsvOptions::with_delimiter(b',') };
    let data = Data {
        table: "t".to_owned(),
        path: "*.csv".to_owned(),
        version: "1".to_owned(),
        format: Format::Csv(options),
        partitions: Vec::new(),
        typical_rows: None,
    };
    Source::locate(table, &data, folder).unwrap()
}

/// Counts, with the first place, as they are come across.
#[derive(Default)]
struct Plain(Option<Found>);

impl Plain {
    fn add(&mut self, place: &str) {
        match &mut self.0 {
            Some(found) => found.count += 1,
            None => self.0 = Some(Found { count: 1, first: place.to_owned() }),
        }
    }
}

/// What stands in some lines, read with nothing but the splitting of texts.
#[derive(Default)]
struct Expected {
    rows: u64,
    entities: BTreeSet<String>,
    ownerless: Plain,
    /// Of the three columns: missing, unreadable, undeclared, outside, left out.
    columns: [[Plain; 5]; 3],
    problems: Vec<String>,
}

impl Expected {
    fn take(&mut self, place: &str, line: &str) {
        self.rows += 1;
        let fields: Vec<&str> = line.split(',').collect();
        let &[id, sex, age] = fields.as_slice() else {
            self.problems.push(format!("{place}: {} fields where 3 are expected", fields.len()));
            return;
        };
        if id.is_empty() {
            self.ownerless.add(place);
        } else {
            self.entities.insert(id.to_owned());
        }
        for (at, field) in [id, sex, age].into_iter().enumerate() {
            if field.is_empty() {
                self.columns[at][0].add(place);
            }
        }
        if !["F", "M"].contains(&sex) {
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
        assert_eq!((report.rows, report.entities), (self.rows, Some(self.entities.len() as u64)));
        assert_eq!(report.ownerless, self.ownerless.0);
        let whole_rows = self.rows - self.problems.len() as u64;
        let problems: Vec<String> = report.problems.iter().map(ToString::to_string).collect();
        assert_eq!(problems, self.problems.into_iter().take(20).collect::<Vec<_>>());
        for (column, expected) in report.columns.iter().zip(self.columns) {
            let [missing, unreadable, undeclared, outside, left_out] = expected.map(|plain| plain.0);
            let count = |found: &Option<Found>| found.as_ref().map_or(0, |found| found.count);
            assert_eq!(column.present, whole_rows - count(&missing));
            let found = (&column.missing, &column.unreadable, &column.undeclared, &column.outside, &column.left_out);
            assert_eq!(found, (&missing, &unreadable, &undeclared, &outside, &left_out), "{}", column.column);
        }
    }
}

#[test]
fn reports_are_those_of_reading_line_by_line() {
    let mut random = ChaCha8Rng::seed_from_u64(1);
    for round in 0..sized(6, 40) {
        let folder = tempfile::tempdir().unwrap();
        let mut expected = Expected::default();
        for file in ["a.csv", "b.csv", "c.csv"] {
            let path = folder.path().join(file);
            let mut text = "id,sex,age\n".to_owned();
            // The first are small, the last have several blocks.
            for line in 0..if round % 6 == 5 { 60_000 } else { 300 } {
                let mut below = |bound: u32| random.next_u32() % bound;
                let id = if below(50) == 0 { String::new() } else { format!("p{}", below(20_000)) };
                let sex = ["F", "M", "M", "x", ""][below(if round % 2 == 0 { 3 } else { 5 }) as usize];
                let age = match below(40) {
                    0 => "old".to_owned(),
                    1 => "-1".to_owned(),
                    2 => String::new(),
                    _ => below(100).to_string(),
                };
                let row =
                    if round % 3 == 2 && below(100) == 0 { "1,2".to_owned() } else { format!("{id},{sex},{age}") };
                expected.take(&format!("{}:{}", path.display(), line + 2), &row);
                writeln!(text, "{row}").unwrap();
            }
            std::fs::write(path, text).unwrap();
        }
        let source = locate(folder.path(), table());
        let mut first: Option<Report> = None;
        for (threads, memory) in [(1, None), (2, Some(Resources::LEAST_MEMORY)), (7, Some(1_000))] {
            let resources = Resources { threads, memory, spill: None };
            let report = source.check(&resources, &|_| {}).unwrap();
            assert_eq!(*first.get_or_insert_with(|| report.clone()), report, "{threads} threads");
        }
        expected.agrees(&first.unwrap());
    }
}
