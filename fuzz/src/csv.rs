//! Properties of every file that is read as CSV. Run by `fuzz/targets/csv.rs` and by
//! `crates/engine/execute/tests/it/fuzz.rs`.

use super::sql::table;
use deniable_core::schema::{CsvOptions, Data, Format, TableSchema};
use deniable_data::{Resources, Source};
use deniable_execute::{Salt, exact};
use std::path::Path;

const QUESTIONS: [&str; 5] = [
    "SELECT COUNT(*) FROM t",
    "SELECT g, b, SUM(x), AVG(d), COUNT(s) FROM t GROUP BY g, b",
    "SELECT i, COUNT(*) FROM t WHERE s < 'm' OR free * x > d GROUP BY i",
    "SELECT SUM(CASE WHEN s LIKE '%a%' THEN x ELSE i END) FROM t WHERE NOT b",
    "SELECT EXTRACT(quarter FROM day) AS q, MAX(at), COUNT(day) FROM t WHERE at < TIMESTAMP '2020-01-05' GROUP BY q",
];

/// Possible contents of a field, for rewriting the file.
const CONTENTS: [&str; 15] = [
    "",
    "a",
    "1",
    "true",
    "-9223372036854775808",
    "1e999",
    "NaN",
    "\"",
    "\r\n",
    ",;\t",
    "é\u{0}\u{1b}",
    "'';--",
    "2020-02-29",
    "2020-01-01T24:00:00",
    "+999999-12-31",
];

/// A file that passes the check is answered, whatever its fields contain; no file causes a panic. The first byte
/// selects the options. Returns whether the file passes.
pub fn check(bytes: &[u8]) -> bool {
    let (choice, bytes) = bytes.split_first().unwrap_or((&0, bytes));
    let options = options(*choice);
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("t.csv");
    std::fs::write(&path, bytes).expect("a file");
    let mut table = table();
    let by_row = choice & 32 > 0;
    table.entity = table.entity.filter(|_| !by_row);
    let source = locate(table, &options, folder.path());
    let Ok(report) = source.check(&Resources::default(), &|_| {}) else { return false };
    let answers = totals(&source);
    if !report.is_usable() {
        return false;
    }
    let all = vec![vec![i128::from(report.rows)]];
    let answers = answers.expect("a file that passes the check is answered");
    assert!(!by_row || answers[0] == [all.clone()], "every row that was seen is counted");
    // The same shape with other contents is answered as well: success never depends on the contents of fields.
    std::fs::write(&path, rewritten(bytes, &options).expect("it was read before")).expect("a file");
    let answers = totals(&source).expect("other contents are answered as well");
    assert!(!by_row || answers[0] == [all], "no content adds or removes a row");
    true
}

fn options(choice: u8) -> CsvOptions {
    let names = || table().columns.iter().map(|column| column.name.clone()).collect();
    CsvOptions {
        trim: choice & 1 > 0,
        nulls: if choice & 2 > 0 { vec![String::new(), "?".to_owned()] } else { Vec::new() },
        columns: (choice & 4 > 0).then(names),
        ..CsvOptions::with_delimiter([b',', b';', b'\t', b'|'][usize::from(choice >> 3 & 3)])
    }
}

fn locate(table: TableSchema, options: &CsvOptions, folder: &Path) -> Source {
    let format = Format::Csv(options.clone());
    let data = Data {
        table: "t".to_owned(),
        path: "t.csv".to_owned(),
        version: "1".to_owned(),
        format,
        partitions: Vec::new(),
        typical_rows: None,
    };
    Source::locate(table, &data, folder).expect("the file is there")
}

fn totals(source: &Source) -> Option<Vec<Vec<Vec<Vec<i128>>>>> {
    let totals = QUESTIONS.iter().map(|sql| {
        let query = deniable_sql::plan(sql, std::slice::from_ref(source.table())).expect("a question");
        exact(std::slice::from_ref(source), &query, &Salt([3; 32]), &Resources::default(), &|_| {})
            .ok()
            .map(deniable_execute::Exact::reveal)
    });
    // All queries run, even after a failure.
    totals.collect::<Vec<_>>().into_iter().collect()
}

/// The file with the same header and the same number of rows and fields, and these contents.
fn rewritten(bytes: &[u8], options: &CsvOptions) -> Option<Vec<u8>> {
    let mut reader =
        ::csv::ReaderBuilder::new().has_headers(false).delimiter(options.delimiter).flexible(true).from_reader(bytes);
    let mut writer = ::csv::WriterBuilder::new()
        .delimiter(options.delimiter)
        .quote_style(::csv::QuoteStyle::Always)
        .flexible(true)
        .from_writer(Vec::new());
    for (row, record) in reader.byte_records().enumerate() {
        let record = record.ok()?;
        if row == 0 && options.columns.is_none() {
            writer.write_byte_record(&record).ok()?;
        } else {
            let contents = (0..record.len()).map(|field| CONTENTS[(bytes.len() + 5 * row + field) % CONTENTS.len()]);
            writer.write_record(contents).ok()?;
        }
    }
    writer.into_inner().ok()
}
