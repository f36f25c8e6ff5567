//! Properties of every text that is read as a query. Run by `fuzz/targets/sql.rs` and by
//! `crates/engine/execute/tests/it/fuzz.rs`.

use deniable_core::exact::{parse_rational, whole};
use deniable_core::schema::{Bounds, Column, ColumnType, CsvOptions, Data, Entity, Format, Key, TableSchema};
use deniable_core::sensitivity::Caps;
use deniable_data::{Resources, Source};
use deniable_execute::{Salt, exact};
use deniable_query::MOST_CELLS;
use deniable_query::QueryError;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

/// Longer than any text may take, without optimisation and under load.
const BOUND: Duration = Duration::from_secs(10);

/// A table with columns of every type, with and without bounds and keys.
pub fn table() -> TableSchema {
    let column = |name: &str, kind, bounds: Option<(i64, i64, &str)>, keys| Column {
        bounds: bounds.and_then(|(low, high, step)| {
            Bounds::new(whole(low), whole(high), parse_rational(step).unwrap_or_else(|_| whole(1))).ok()
        }),
        keys,
        ..Column::new(name, kind)
    };
    let text = |text: &str| Key::Text(text.to_owned());
    TableSchema {
        name: "t".to_owned(),
        columns: vec![
            column("who", ColumnType::Integer, None, None),
            column("x", ColumnType::Integer, Some((0, 20, "1")), None),
            column("d", ColumnType::Decimal, Some((0, 5, "0.05")), None),
            column("free", ColumnType::Decimal, None, None),
            column("s", ColumnType::Text, None, None),
            column("g", ColumnType::Text, None, Some(vec![text("a"), text("b"), text("c"), Key::Null])),
            column(
                "i",
                ColumnType::Integer,
                Some((-5, 5, "1")),
                Some(vec![Key::Integer(-1), Key::Integer(0), Key::Integer(2)]),
            ),
            column("b", ColumnType::Boolean, None, Some(vec![Key::Boolean(true), Key::Boolean(false)])),
            // The year 2020 in days, and its first week in microseconds.
            column("day", ColumnType::Date, Some((18_262, 18_627, "1")), None),
            column("at", ColumnType::Timestamp, Some((1_577_836_800_000_000, 1_578_441_599_999_999, "1")), None),
        ],
        entity: Some(Entity::new("who", Caps { rows_per_group: 2, groups: 2 })),
        public_key: None,
    }
}

static TABLE: LazyLock<TableSchema> = LazyLock::new(table);

/// Rows with values that are difficult for arithmetic and conversions.
static ROWS: LazyLock<Option<Source>> = LazyLock::new(|| {
    let rows = "\
who,x,d,free,s,g,i,b,day,at
1,0,0.05,1e308,,a,-1,true,2020-02-29,2020-01-01T00:00:00
1,20,-1e300,-1e308,a,b,0,false,0001-01-01,2020-01-07 23:59:59.999999999
2,9223372036854775807,5,0.1,9223372036854775807,c,2,true,9999-12-31,2262-04-11T23:47:16.854775807
2,-9223372036854775808,NaN,inf,-9223372036854775808,,-9223372036854775808,,2021-02-29,1677-09-21T00:12:43.145224193
3,,,,%_\\,a,,nope,,
4,-1,2.5,-0,é,zzz,9223372036854775807,t,+262142-12-31,2020-01-01T24:00:00
,3,1e-320,5e-324,1e400,b,1,true,2020-1-1,1e9
";
    let folder = tempfile::tempdir().ok()?;
    std::fs::write(folder.path().join("t.csv"), rows).ok()?;
    let format = Format::Csv(CsvOptions::with_delimiter(b','));
    let data = Data {
        table: "t".to_owned(),
        path: "t.csv".to_owned(),
        version: "1".to_owned(),
        format,
        partitions: Vec::new(),
        typical_rows: None,
    };
    Source::locate(table(), &data, folder.path()).ok()?.into_memory().ok()
});

/// The text is parsed or refused, in time, and always in the same way; a refusal names an existing place. A parsed
/// query has an answer for any rows. Returns whether it is parsed.
pub fn check(sql: &str) -> bool {
    let began = Instant::now();
    let query = deniable_sql::plan(sql, std::slice::from_ref(&*TABLE));
    let took = began.elapsed();
    assert!(took < BOUND, "{took:?}");
    match query {
        Ok(query) => {
            let cells: usize = (0..query.levels().len()).map(|level| query.cells(level)).sum();
            assert!((1..=MOST_CELLS).contains(&cells) && !query.measures().is_empty());
            assert!(!query.output().names.is_empty());
            let again = deniable_sql::plan(sql, std::slice::from_ref(&*TABLE));
            assert_eq!(again.map(|again| again.canonical().to_owned()), Ok(query.canonical().to_owned()));
            let source = ROWS.as_ref().expect("rows");
            let totals = exact(std::slice::from_ref(source), &query, &Salt([7; 32]), &Resources::default(), &|_| {})
                .expect("no value makes a question fail")
                .reveal();
            assert_eq!(totals.len(), query.measures().len());
            let sizes = query.measures().iter().map(|measure| query.cells(measure.level));
            assert!(totals.iter().map(Vec::len).eq(sizes));
            true
        }
        Err(error) => {
            check_refusal(sql, &error);
            false
        }
    }
}

fn check_refusal(sql: &str, error: &QueryError) {
    let words = format!("{error} {}", error.help().unwrap_or_default());
    assert!(words.trim().len() > 10, "{words:?}");
    if let Some(place) = error.place() {
        let lines: Vec<&str> = sql.split('\n').collect();
        let line = usize::try_from(place.line).ok().and_then(|line| lines.get(line.checked_sub(1)?));
        let line = line.unwrap_or_else(|| panic!("line {} of {}: {error}", place.line, lines.len()));
        let columns = line.chars().count() as u64 + 1;
        assert!((1..=columns).contains(&place.column), "column {} of {columns}: {error}", place.column);
    }
}
