//! A scaffold is a policy except for its blanks.

use deniable_core::schema::{ColumnType, Compression, CsvOptions, Format, Key, Looks, NotNames, are_names};
use deniable_policy::{ColumnNotes, Policy, PolicyErrorKind, Rows, Scaffold, Value, scaffold};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::path::Path;

fn csv(path: &str, delimiter: Option<u8>, columns: &[&str]) -> Scaffold {
    Scaffold {
        table: "visits".to_owned(),
        rows: Rows::Csv { path: path.to_owned(), delimiter, encoding: None },
        columns: columns.iter().map(|name| (*name).to_owned()).collect(),
        types: None,
        moments: Default::default(),
        described: BTreeMap::new(),
    }
}

fn parquet() -> Scaffold {
    let columns: Vec<&str> = ColumnType::ALL.iter().map(|kind| kind.name()).collect();
    let rows = Rows::Parquet { path: "visits".to_owned() };
    Scaffold { rows, types: Some(ColumnType::ALL.to_vec()), ..csv("", None, &columns) }
}

/// The zone of the local time of moments does not follow from a file.
#[test]
fn moments_ask_for_their_zone() {
    let text = scaffold(&Scaffold { moments: ["timestamp".to_owned()].into(), ..parquet() }, &[]).unwrap();
    assert!(text.contains("\ntimestamp = { type = \"timestamp\", zone = \"?\" }\n"), "{text}");
    assert_eq!(blanks(&text).iter().filter(|key| *key == "zone").count(), 1);
    assert!(!scaffold(&parquet(), &[]).unwrap().contains("zone ="));
}

/// Further tables ask for their person, and are tables of the policy once all blanks are filled in.
#[test]
fn further_tables_have_sections_of_their_own() {
    let described =
        ColumnNotes { keys: vec![(Key::Text("N".to_owned()), Some("north".to_owned()))], ..Default::default() };
    let towns = Scaffold {
        table: "towns".to_owned(),
        described: [("area".to_owned(), described)].into(),
        ..csv("towns.tsv", Some(b';'), &["code", "area"])
    };
    let text = scaffold(&csv("v.csv", None, &["id"]), &[towns]).unwrap();
    assert!(
        text.contains("\n[tables.towns]\npath = \"towns.tsv\"\n") && text.contains("\n[tables.towns.csv]\n"),
        "{text}"
    );
    let text = text.replace("\nentity = \"?\"\n", "\nunprotected = true\nkey = \"code\"\n");
    let policy = filled(&text, "\"id\"");
    let towns = policy.tables().into_iter().find(|table| table.data.table == "towns").unwrap();
    assert_eq!(towns.columns.iter().map(|column| column.name.as_str()).collect::<Vec<_>>(), ["code", "area"]);
    assert!(towns.columns[1].labels.contains_key(&Key::Text("N".to_owned())));
}

/// The keys of all blanks; the test fails at any other error.
fn blanks(text: &str) -> Vec<String> {
    let Err(errors) = Policy::parse(Path::new("p.toml"), text) else { panic!("no blanks:\n{text}") };
    let keys = errors.errors().iter().map(|error| match &error.kind {
        PolicyErrorKind::Blank { key, .. } => key.clone(),
        other => panic!("{other} in\n{text}"),
    });
    keys.collect()
}

/// Fills in the blanks as a person might.
fn filled(text: &str, entity: &str) -> Policy {
    let mut text = text.to_owned();
    for (key, value) in [
        ("name", "\"clinic\""),
        ("population", "\"clinic-patients\""),
        ("version", "\"2024-06\""),
        ("key", entity),
        ("rows_per_group", "3"),
        ("groups", "2"),
        ("preset", "\"acquaintance\""),
        ("posterior_at_most", "0.75"),
    ] {
        text = text.replace(&format!("\n{key} = \"?\"\n"), &format!("\n{key} = {value}\n"));
    }
    let text = text.replace("type = \"?\"", "type = \"text\"");
    Policy::parse(Path::new("p.toml"), &text).unwrap_or_else(|errors| panic!("{errors} in\n{text}"))
}

const OPEN: [&str; 6] = ["name", "population", "version", "key", "rows_per_group", "groups"];

#[test]
fn a_scaffold_of_csv_in_full() {
    let input = csv("visits.csv", Some(b';'), &["patient", "hours per week"]);
    let text = scaffold(&input, &[]).unwrap();
    insta::assert_snapshot!(text);
    assert_eq!(blanks(&text), [&OPEN[..], &["type", "type", "preset", "posterior_at_most"]].concat());
    let policy = filled(&text, "\"patient\"");
    assert_eq!(policy.data().format, Format::Csv(CsvOptions::with_delimiter(b';')));
    assert_eq!((policy.columns().len(), policy.queries().len()), (2, 1));
    // One row may be one person.
    let (before, rest) = text.split_once("[entity]").unwrap();
    let (_, after) = rest.split_once("groups = \"?\"").unwrap();
    assert!(filled(&format!("{before}{after}"), "").entity().is_none());
}

#[test]
fn types_come_from_parquet() {
    let text = scaffold(&parquet(), &[]).unwrap();
    assert_eq!(blanks(&text), [&OPEN[..], &["preset", "posterior_at_most"]].concat());
    let policy = filled(&text, "\"text\"");
    assert_eq!(policy.data().format, Format::Parquet);
    assert!(policy.columns().iter().map(|column| column.kind).eq(ColumnType::ALL));
}

/// Every example and every key in a comment of the scaffold is valid.
#[test]
fn the_hints_are_right() {
    let policy_of = |text: &str| {
        let examples = text.lines().filter_map(|line| line.strip_prefix("#   ")).map(|line| format!("{line}\n"));
        let examples: String = examples.collect();
        let text = text.replace("\n[columns]\n", &format!("\n[columns]\n{examples}"));
        filled(
            &text.replace("\n# typical_rows", "\ntypical_rows").replace("\n# per_version", "\nper_version"),
            "\"age\"",
        )
    };
    let policy = policy_of(&scaffold(&csv("v.csv", None, &["id", "day"]), &[]).unwrap());
    let kinds: Vec<ColumnType> = policy.columns().iter().map(|column| column.kind).collect();
    assert!(ColumnType::ALL.iter().all(|kind| kinds.contains(kind)), "{kinds:?}");
    assert!(policy.column("seen").unwrap().format.is_some() && policy.column("cost").unwrap().bounds.is_some());
    assert!(policy.typical().column(&policy.data().table, "age").is_some());
    assert!(policy.data().typical_rows.is_some() && policy.per_version().is_some());
    // Where types are known, only examples of these.
    let texts = Scaffold { types: Some(vec![ColumnType::Text]), ..csv("v.parquet", None, &["id"]) };
    let text = scaffold(&texts, &[]).unwrap();
    assert!(text.contains("#   sex = ") && !text.contains("#   age = "), "{text}");
}

/// A file in another encoding is read in it.
#[test]
fn the_encoding_is_written() {
    let rows = Rows::Csv { path: "v.csv".to_owned(), delimiter: None, encoding: Some("latin1".to_owned()) };
    let text = scaffold(&Scaffold { rows, ..csv("", None, &["id"]) }, &[]).unwrap();
    let policy = filled(&text, "\"id\"");
    let Format::Csv(options) = &policy.data().format else { panic!("CSV") };
    assert_eq!(options.encoding, "windows-1252");
}

/// Sixty columns take two screens, and each has one line.
#[test]
fn many_columns_are_short() {
    let names: Vec<String> = (0..60).map(|at| format!("column_{at}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let text = scaffold(&csv("v.csv", None, &names), &[]).unwrap();
    assert!(text.lines().count() <= 132, "{} lines", text.lines().count());
    assert_eq!(text.lines().filter(|line| line.starts_with("column_")).count(), 60);
}

#[test]
fn formats_follow_from_paths() {
    for (path, delimiter, expected) in [
        ("visits.csv", Some(b','), CsvOptions::with_delimiter(b',')),
        ("visits.tsv", None, CsvOptions::with_delimiter(b'\t')),
        ("visits.tsv", Some(b','), CsvOptions::with_delimiter(b',')),
        ("visits.txt", Some(b'\t'), CsvOptions::with_delimiter(b'\t')),
        (
            "visits.csv.gz",
            Some(b'\''),
            CsvOptions { compression: Compression::Gzip, ..CsvOptions::with_delimiter(b'\'') },
        ),
    ] {
        let text = scaffold(&csv(path, delimiter, &["a"]), &[]).unwrap();
        assert_eq!(filled(&text, "\"a\"").data().format, Format::Csv(expected), "{path}");
    }
}

#[test]
fn a_row_number_is_mentioned_and_a_row_of_data_refused() {
    let text = scaffold(&csv("v.csv", None, &["", "a", "d"]), &[]).unwrap();
    let policy = filled(&text, "\"d\"");
    let names: Vec<&str> = policy.columns().iter().map(|column| column.name.as_str()).collect();
    assert_eq!(names, ["a", "d"]);
    assert!(text.contains("# Column 1 has no name: it cannot be declared."), "{text}");
    let row = ["Miller", "miller@example.org", "1985-05-07"];
    let refused = NotNames::Column { column: 2, looks: Looks::Address };
    assert_eq!(scaffold(&csv("v.csv", None, &row), &[]), Err(refused));
}

/// Invisible characters of a path are escaped in the policy, and read back unchanged.
#[test]
fn paths_are_escaped() {
    let path = "a\u{202e}\u{1b}\"\\\u{9b}\u{e0041}b.csv";
    let text = scaffold(&csv(path, None, &["a"]), &[]).unwrap();
    assert!(!text.contains(|c| deniable_core::text::is_hidden(c) && c != '\n'), "{text}");
    assert_eq!(filled(&text, "\"a\"").data().path, path);
}

#[test]
fn a_scaffold_of_a_relation() {
    let rows = Rows::Postgres { relation: "clinic.\"Visits 1\"".to_owned(), connect: "env:CLINIC_PG".to_owned() };
    let text = scaffold(&Scaffold { rows, ..parquet() }, &[]).unwrap();
    assert_eq!(blanks(&text), [&OPEN[..], &["preset", "posterior_at_most"]].concat());
    let policy = filled(&text, "\"text\"");
    assert_eq!(policy.data().format, Format::Postgres { connect: "env:CLINIC_PG".to_owned() });
    assert_eq!(policy.data().path, "clinic.\"Visits 1\"");
}

proptest! {
    /// For all names, every error is a blank, and each column has its own name.
    #[test]
    fn any_names_and_paths(path in "\\PC{1,12}", names in prop::collection::btree_set("[a-zA-Zéß]\\PC{0,8}|[\"'\\\\.#=\\[\\] -]{1,6}", 0..6)) {
        prop_assume!(!path.trim().is_empty() && !path.ends_with(".gz"));
        let columns: Vec<&str> = names.iter().map(String::as_str).collect();
        let names_alone = are_names(&columns.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>()).is_ok();
        let path = format!("{path}.csv");
        let input = csv(&path, Some(b'|'), &columns);
        prop_assert_eq!(scaffold(&input, &[]).is_ok(), names_alone);
        let Ok(text) = scaffold(&input, &[]) else { return Ok(()) };
        let kinds = blanks(&text);
        prop_assert_eq!(kinds.iter().filter(|key| *key == "type").count(), names.len());
        // A column may be called `?`; only as the entity key that name would be a blank.
        if let Some(first) = names.iter().find(|name| *name != "?") {
            let policy = filled(&text, &Value::from(first.as_str()).to_string());
            prop_assert_eq!(&policy.data().path, &path);
            prop_assert!(policy.columns().iter().map(|column| &column.name).eq(names.iter()));
        }
    }
}

/// The notes of a codebook are filled in, and the rest are blanks.
#[test]
fn codebooks_fill_in_columns() {
    let text = |text: &str| Key::Text(text.to_owned());
    let some = |label: &str| Some(label.to_owned());
    let bounds = |low: &str, high: &str| Some([low.to_owned(), high.to_owned()]);
    let many: Vec<(Key, Option<String>)> =
        (0..40).map(|code| (Key::Integer(code - 1), Some(format!("label {code}")))).collect();
    let described = [
        (
            "listed",
            ColumnNotes {
                kind: Some(ColumnType::Text),
                keys: vec![(text("a b"), None), (text("\"c"), None)],
                ..ColumnNotes::default()
            },
        ),
        (
            "some",
            ColumnNotes {
                kind: Some(ColumnType::Integer),
                keys: vec![(Key::Integer(1), some("one")), (Key::Integer(2), None)],
                ..ColumnNotes::default()
            },
        ),
        (
            "flag",
            ColumnNotes {
                kind: Some(ColumnType::Boolean),
                keys: vec![(Key::Boolean(true), some("yes"))],
                ..ColumnNotes::default()
            },
        ),
        ("many", ColumnNotes { kind: Some(ColumnType::Integer), keys: many, ..ColumnNotes::default() }),
        (
            "exact",
            ColumnNotes {
                kind: Some(ColumnType::Decimal),
                bounds: bounds("-1/3", "2/3"),
                step: some("1/3"),
                ..ColumnNotes::default()
            },
        ),
        ("open", ColumnNotes { kind: Some(ColumnType::Decimal), bounds: bounds("0", "9.5"), ..ColumnNotes::default() }),
        ("half", ColumnNotes { kind: Some(ColumnType::Integer), bounds: bounds("?", "9"), ..ColumnNotes::default() }),
        (
            "day",
            ColumnNotes {
                kind: Some(ColumnType::Date),
                bounds: bounds("2020-01-01", "2024-12-31"),
                about: some("a\n[x]"),
                ..ColumnNotes::default()
            },
        ),
    ];
    let names: Vec<&str> = described.iter().map(|(name, _)| *name).chain(["silent"]).collect();
    let described = described.iter().map(|(name, described)| ((*name).to_owned(), described.clone())).collect();
    let text_of = scaffold(&Scaffold { described, ..csv("v.csv", None, &names) }, &[]).unwrap();
    let open = ["type", "step", "bounds", "preset", "posterior_at_most"];
    assert_eq!(blanks(&text_of), [&OPEN[..], &open].concat());
    let decided = text_of.replace("bounds = [\"?\", 9]", "bounds = [0, 9]").replace("step = \"?\"", "step = 0.5");
    let policy = filled(&decided, "\"silent\"");
    let column = |name: &str| policy.column(name).unwrap().clone();
    assert_eq!(column("listed").keys.unwrap(), [text("a b"), text("\"c")]);
    assert_eq!(column("some").labels.into_values().collect::<Vec<_>>(), ["one", "2"]);
    assert_eq!((column("flag").keys.unwrap(), column("flag").labels.len()), (vec![Key::Boolean(true)], 1));
    assert_eq!(
        (column("many").keys.unwrap().len(), column("many").labels[&Key::Integer(38)].as_str()),
        (40, "label 39")
    );
    assert_eq!(column("exact").bounds.unwrap().in_units(), (-1, 2));
    assert!(column("day").bounds.is_some() && column("half").bounds.is_some());
}
