//! The queries of `testdata/sql` have the answers stated there.
//!
//! Everything is as in a release except the decay of the noise, which is 2^-200: one cell differs from its exact value
//! with a probability below 2^-198, and any of these with one below 2^-180. The same holds for values that are chosen
//! by rank and for the counts of a tree. So MIN and MAX are the values of rank 1, a quantile is the one grid value of
//! its rank, and ties do not matter: there are no cases in which two values of the grid have the rank.

use arrow_array::{ArrayRef, BooleanArray, Float64Array, Int64Array, RecordBatch, StringArray};
use deniable_answers::Noisy;
use deniable_core::exact::ratio;
use deniable_core::noise::Decay;
use deniable_data::{Resources, Source};
use deniable_execute::{Exact, Salt, exact};
use deniable_policy::Policy;
use deniable_query::Query;
use deniable_release::{Origin, Plan, QueryAnswer};
use parquet::arrow::ArrowWriter;
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::SeedableRng;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use toml_edit::DocumentMut;

/// A query with its answer.
pub struct Case {
    pub name: String,
    /// The name of its policy, if the file has several.
    pub policy: Option<String>,
    pub sql: String,
    /// A first attempt that is refused, and a part of the refusal's text.
    pub refused: Option<(String, String)>,
    columns: Vec<(String, String)>,
    rows: Vec<Vec<Value>>,
}

fn folder() -> PathBuf {
    workspace_file("testdata/sql")
}

fn read(name: &str) -> String {
    std::fs::read_to_string(folder().join(name)).unwrap()
}

pub fn cases(file: &Path) -> Vec<Case> {
    let document: DocumentMut = std::fs::read_to_string(file).unwrap().parse().unwrap();
    let all = document["case"].as_array_of_tables().unwrap().iter();
    all.map(|case| {
        let text = |key: &str| case[key].as_str().unwrap().to_owned();
        let column = |column: &toml_edit::Value| {
            let part = |at: usize| column.as_array().unwrap().get(at).unwrap().as_str().unwrap().to_owned();
            (part(0), part(1))
        };
        Case {
            name: text("name"),
            policy: case.get("policy").map(|_| text("policy")),
            sql: text("sql"),
            refused: case.get("tried").map(|_| (text("tried"), text("because"))),
            columns: case["columns"].as_array().unwrap().iter().map(column).collect(),
            rows: serde_json::from_str(&text("rows")).unwrap(),
        }
    })
    .collect()
}

/// The exact cells.
fn cells(sources: &[Source], query: &Query) -> Exact {
    exact(sources, query, &Salt([3; 32]), &Resources::default(), &|_| {}).unwrap()
}

/// The published answers of these cases, with negligible noise. Files are relative to `folder`.
fn published(folder: &Path, policy: &str, cases: &[&Case]) -> Vec<Value> {
    let mut text = policy.to_owned();
    for case in cases {
        write!(text, "\n[[query]]\nname = {:?}\nsql = '''{}'''\n", case.name, case.sql).unwrap();
    }
    let policy = Policy::parse(&folder.join("cases.policy.toml"), &text).unwrap_or_else(|errors| panic!("{errors}"));
    let plan = Plan::new(policy).unwrap_or_else(|errors| panic!("{errors:#?}"));
    let located = plan.tables().into_iter().map(|(table, data)| Source::locate(table, &data, folder).unwrap());
    let sources: Vec<Source> = located.map(|source| source.into_memory().unwrap()).collect();
    let mut rng = ChaCha20Rng::seed_from_u64(1);
    let decay = Decay::exactly(ratio(1, 1 << 50).pow(4)).unwrap();
    let answer = |query: &Query| {
        let decays = vec![decay.clone(); query.measures().len()];
        let values = cells(&sources, query).with_noise(query, &decays, plan.policy().confidence(), &mut rng);
        QueryAnswer {
            noisy: Noisy { values, decays, consistent: None },
            origin: Origin::Charged,
            withdrawn: None,
            series: None,
        }
    };
    let answers: Vec<QueryAnswer> = plan.queries().iter().map(|planned| planned.query()).map(answer).collect();
    let json = serde_json::to_value(deniable_release::published(&plan, &answers)).unwrap();
    json["answers"].as_array().unwrap().clone()
}

/// The value of a shown cell, rounded to the four decimals of the cases; so little noise leaves more. Keys with labels
/// are shown as their labels.
fn value(cell: &Value) -> Value {
    let value = match cell.get("label") {
        Some(label) => label.clone(),
        None if cell.is_object() => cell["value"].clone(),
        None => cell.clone(),
    };
    match value.as_f64().filter(|number| number.fract() != 0.0) {
        Some(number) => json!((number * 10_000.0).round() / 10_000.0),
        None => value,
    }
}

/// Whether a value is of a type; NULL is of every type.
fn is_of(kind: &str, value: &Value) -> bool {
    let text = value.as_str();
    value.is_null()
        || match kind {
            "number" => value.is_number() || text == Some("(all)"),
            "boolean" => value.is_boolean() || text == Some("(all)"),
            "text" => text.is_some(),
            "date" => text.is_some_and(|text| text.len() == "2024-12-31".len()),
            "timestamp" => text.is_some_and(|text| text.len() >= "2024-12-31T00:00".len()),
            other => panic!("no type {other}"),
        }
}

/// The difference between an answer and the expected one.
fn complaint(case: &Case, planned: &Value) -> Option<String> {
    let rows = planned["rows"].as_array().unwrap().iter();
    let mut found: Vec<Vec<Value>> = rows.map(|row| row.as_array().unwrap().iter().map(value).collect()).collect();
    let mut expected = case.rows.clone();
    if !case.sql.contains("ORDER BY") {
        let text = |row: &Vec<Value>| serde_json::to_string(row).unwrap();
        found.sort_by_key(text);
        expected.sort_by_key(text);
    }
    let names: Vec<&str> = planned["columns"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
    let expected_names: Vec<&str> = case.columns.iter().map(|(name, _)| name.as_str()).collect();
    let typed = |row: &Vec<Value>| row.iter().zip(&case.columns).all(|(value, (_, kind))| is_of(kind, value));
    let same = found == expected && names == expected_names && found.iter().all(typed);
    let text = |rows: &[Vec<Value>]| serde_json::to_string(rows).unwrap();
    (!same).then(|| {
        let Case { name, sql, columns, .. } = case;
        format!("{name}: {sql}\n  gave     {names:?} {}\n  expected {columns:?} {}", text(&found), text(&expected))
    })
}

#[track_caller]
pub fn answered(folder: &Path, policy: &str, cases: &[&Case]) {
    let complaints: Vec<String> = cases
        .iter()
        .zip(published(folder, policy, cases))
        .filter_map(|(case, planned)| complaint(case, &planned))
        .collect();
    assert!(complaints.is_empty(), "{} of {}:\n{}", complaints.len(), cases.len(), complaints.join("\n"));
}

/// A text with one part replaced, which must be there.
#[track_caller]
pub fn replaced(text: &str, from: &str, to: &str) -> String {
    assert!(text.contains(from), "no {from}");
    text.replacen(from, to, 1)
}

#[test]
fn the_clinic() {
    let (all, policy) = (cases(&folder().join("clinic.toml")), read("clinic.policy.toml"));
    let (capped, plain): (Vec<&Case>, Vec<&Case>) = all.iter().partition(|case| case.policy.is_some());
    assert!(plain.len() > 70 && capped.len() > 2);
    answered(&folder(), &policy, &plain);
    answered(
        &folder(),
        &replaced(&policy, "rows_per_group = 24, groups = 1000", "rows_per_group = 2, groups = 1"),
        &capped,
    );
}

#[test]
fn uci_adult() {
    let Some(path) = deniable_testing::adult() else { return };
    let all = cases(&folder().join("adult.toml"));
    assert!(all.len() > 20);
    let policy = replaced(&read("adult.policy.toml"), "path = \"adult.data\"", &format!("path = {path:?}"));
    answered(&folder(), &policy, &all.iter().collect::<Vec<_>>());
}

/// The clinic's visits in other formats: the lines of `[data]` for each.
fn variants(folder: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(workspace_file("examples/clinic/visits.csv")).unwrap();
    let mut all = Vec::new();
    let mut variant = |name: &str, bytes: &[u8], more: &str| {
        let path = folder.join(name);
        std::fs::write(&path, bytes).unwrap();
        all.push(format!("path = {path:?}\n{more}"));
    };
    let quoted = |text: &str, quote: char, delimiter: char, null: &str| -> String {
        let field = |field: &str| if field.is_empty() { null.to_owned() } else { format!("{quote}{field}{quote}") };
        let line = |line: &str| line.split(',').map(field).collect::<Vec<_>>().join(&delimiter.to_string()) + "\n";
        text.lines().map(line).collect()
    };
    variant("tabs.tsv", text.replace(',', "\t").as_bytes(), "");
    variant(
        "quotes.csv",
        quoted(&text, '\'', '|', "n/a").as_bytes(),
        r#"csv = { delimiter = "|", quote = "'", nulls = ["n/a"] }"#,
    );
    // Only costs contain a point; patients do not.
    let comma = text.replace(',', ";").replace('.', ",");
    variant("comma.csv", comma.as_bytes(), r#"csv = { delimiter = ";", decimal = "," }"#);
    variant("spaces.csv", text.replace(',', " , ").as_bytes(), "csv = { trim = true }");
    let wide: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    variant("wide.csv", &wide, r#"csv = { encoding = "utf-16le" }"#);
    let (header, rows) = text.split_once('\n').unwrap();
    variant("marked.csv", format!("\u{feff}{text}").replace('\n', "\r\n").as_bytes(), "");
    let columns = format!("{:?}", header.split(',').collect::<Vec<_>>());
    variant("headless.csv", rows.as_bytes(), &format!("csv = {{ header = false, columns = {columns} }}"));
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(text.as_bytes()).unwrap();
    variant("visits.csv.gz", &gzip.finish().unwrap(), "");
    variant("visits.csv.zst", &zstd::encode_all(text.as_bytes(), 1).unwrap(), "");
    all.push(parquet(folder, &text));
    all
}

pub fn workspace_file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..").join(name)
}

/// A folder of Parquet files, one for each department, whose values are in the names of folders only.
fn parquet(folder: &Path, text: &str) -> String {
    let mut parts: BTreeMap<&str, Vec<Vec<&str>>> = BTreeMap::new();
    for line in text.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        parts.entry(fields[3]).or_default().push(fields);
    }
    let root = folder.join("visits");
    for (department, rows) in parts {
        let texts = |at: usize| -> ArrayRef {
            let value = |row: &Vec<&str>| (!row[at].is_empty()).then(|| row[at].to_owned());
            Arc::new(rows.iter().map(value).collect::<StringArray>())
        };
        let whole = |at: usize| -> ArrayRef {
            Arc::new(rows.iter().map(|row| row[at].parse::<i64>().ok()).collect::<Int64Array>())
        };
        let cost = Arc::new(rows.iter().map(|row| row[5].parse::<f64>().ok()).collect::<Float64Array>());
        let smoker = Arc::new(rows.iter().map(|row| row[6].parse::<bool>().ok()).collect::<BooleanArray>());
        let columns = [
            ("smoker", smoker as ArrayRef),
            ("patient", texts(0)),
            ("age", whole(1)),
            ("sex", texts(2)),
            ("minutes", whole(4)),
            ("cost", cost),
        ];
        let batch = RecordBatch::try_from_iter(columns).unwrap();
        let place = root.join(format!("department={department}"));
        std::fs::create_dir_all(&place).unwrap();
        let file = std::fs::File::create(place.join("0.parquet")).unwrap();
        let mut writer = ArrowWriter::try_new(file, batch.schema(), None).unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();
    }
    format!("path = {root:?}\nformat = \"parquet\"\npartitions = [\"department\"]")
}

#[test]
fn the_clinic_in_other_formats() {
    let (all, policy) = (cases(&folder().join("clinic.toml")), read("clinic.policy.toml"));
    let names = [
        "several aggregates in one question",
        "GROUP BY three columns",
        "GROUP BY leaves undeclared keys out",
        "WHERE: ILIKE",
        "JOIN USING",
    ];
    let chosen: Vec<&Case> =
        all.iter().filter(|case| case.policy.is_none() && names.contains(&case.name.as_str())).collect();
    assert_eq!(chosen.len(), names.len());
    let coated = tempfile::tempdir().unwrap();
    for variant in variants(coated.path()) {
        let policy = replaced(&policy, "path = \"../../examples/clinic/visits.csv\"", &variant);
        answered(&folder(), &policy, &chosen);
    }
}
