//! The counts of findings in each column, for the curator: exact numbers, with the first place of each.

use deniable_core::exact::whole;
use deniable_core::schema::TableSchema;
use deniable_core::schema::{Bounds, Column, ColumnType, CsvOptions, Data, Entity, Format, Key};
use deniable_core::sensitivity::Caps;
use deniable_data::check::{BAD_PERCENT, ColumnReport, Report};
use deniable_data::{Resources, Source};

fn column(name: &str, kind: ColumnType) -> Column {
    Column::new(name, kind)
}

fn scan(columns: Vec<Column>, entity: Option<&str>, rows: &str) -> Report {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("t.csv"), rows).unwrap();
    let data = Data {
        table: "t".to_owned(),
        path: "t.csv".to_owned(),
        version: "1".to_owned(),
        format: Format::Csv(CsvOptions::with_delimiter(b',')),
        partitions: Vec::new(),
        typical_rows: None,
    };
    let entity = entity.map(|key| Entity::new(key, Caps { rows_per_group: 1, groups: 1 }));
    let source = Source::locate(TableSchema::protected("t", columns, entity), &data, folder.path()).unwrap();
    source.check(&Resources::default(), &|_| {}).unwrap()
}

/// The number and the line of the findings.
fn found(found: Option<&deniable_data::check::Occurrences>) -> Option<(u64, u64)> {
    found.map(|found| (found.count, found.first.as_ref().unwrap().rsplit_once(':').unwrap().1.parse().unwrap()))
}

fn one(kind: ColumnType, rows: &str) -> ColumnReport {
    scan(vec![column("x", kind)], None, &format!("x,y\n{rows}")).columns.remove(0)
}

#[test]
fn every_column_has_its_own_numbers() {
    let bounds = Some(Bounds::new(whole(0), whole(10), whole(1)).unwrap());
    let keys = Some(vec![Key::Text("F".to_owned()), Key::Text("M".to_owned())]);
    let columns = vec![
        column("who", ColumnType::Integer),
        Column { bounds, ..column("n", ColumnType::Integer) },
        Column { keys, ..column("sex", ColumnType::Text) },
    ];
    let rows = "who,n,sex\n1,5,F\n2,1.5,M\n,11,f\n12345678901234567890,,\n3,-1,\n3,2,female\n";
    let report = scan(columns, Some("who"), rows);
    assert_eq!((report.rows, report.entities, report.is_usable()), (6, Some(3), true));
    // Line numbers include the header. A key that cannot be read is not a key.
    assert_eq!(found(report.ownerless.as_ref()), Some((2, 4)));
    let numbers = report.columns.iter().map(|column| {
        let ColumnReport { missing, unreadable, undeclared, outside, left_out, .. } = column;
        let all = [missing, unreadable, undeclared, outside, left_out].map(|what| found(what.as_ref()));
        (column.column.as_str(), column.present, all)
    });
    assert_eq!(
        numbers.collect::<Vec<_>>(),
        [
            ("who", 5, [Some((1, 4)), Some((1, 5)), None, None, None]),
            ("n", 5, [Some((1, 5)), Some((1, 3)), None, Some((2, 4)), None]),
            ("sex", 4, [Some((2, 5)), None, Some((2, 4)), None, Some((4, 4))]),
        ]
    );
}

/// Exactly two per cent of the values, not of the rows.
#[test]
fn two_per_cent_of_useless_values_are_bad() {
    assert_eq!(BAD_PERCENT, 2);
    let rows =
        |good: usize, bad: usize, missing: usize| "7,\n".repeat(good) + &"x,\n".repeat(bad) + &",\n".repeat(missing);
    for (good, bad, missing, is_bad) in [
        (98, 2, 0, true),
        (98, 2, 1000, true),
        (99, 2, 0, false),
        (49, 1, 0, true),
        (50, 1, 0, false),
        (0, 1, 0, true),
        (1, 0, 99, false),
        (0, 0, 0, false),
        // Without any value, an answer about the column would be noise, whatever the reason.
        (0, 0, 1, true),
    ] {
        let report = one(ColumnType::Integer, &rows(good, bad, missing));
        assert_eq!(report.is_bad(), is_bad, "{good} {bad} {missing}");
    }
}

/// Unreadable values and undeclared keys count together.
#[test]
fn unreadable_values_and_undeclared_keys_add_up() {
    let keys = Some(vec![Key::Integer(1)]);
    let report = |rows: &str| {
        let column = Column { keys: keys.clone(), ..column("x", ColumnType::Integer) };
        scan(vec![column], None, &format!("x,y\n{rows}")).columns.remove(0)
    };
    let (good, many) = ("1,\n".repeat(98), "1,\n".repeat(99));
    assert!(report(&format!("{good}2,\nx,\n")).is_bad());
    assert!(!report(&format!("{many}2,\n")).is_bad());
    assert!(!report(&format!("{many}x,\n")).is_bad());
    // NULL that is not a key is reported, but is not bad by itself.
    let missing = report(&format!("{good}{}", ",\n".repeat(900)));
    assert_eq!((missing.is_bad(), found(missing.left_out.as_ref())), (false, Some((900, 100))));
}
