//! `MIN_BY` and `MAX_BY` of one entity's rows, compared with a reference on random small tables, whose rows have
//! another order, other batches and other threads each time (S-PE).

use super::generate::Dice;
use arrow_array::{ArrayRef, BooleanArray, Date32Array, Float64Array, Int64Array, RecordBatch, StringArray};
use deniable_core::exact::{ratio, whole};
use deniable_core::schema::{Bounds, Column, ColumnType, Entity as EntityKey, Key, TableSchema};
use deniable_core::sensitivity::Caps;
use deniable_data::{Resources, Source};
use deniable_execute::{Salt, exact, least_memory};
use deniable_testing::sized;
use num_bigint::BigInt;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;

/// 2024-01-01, in days.
const NEW_YEAR: i32 = 19_723;

#[derive(Debug, Clone)]
struct Row {
    who: Option<i64>,
    ward: Option<&'static str>,
    number: Option<i64>,
    tenths: Option<i64>,
    smoker: Option<bool>,
    day: Option<i32>,
}

impl Row {
    fn random(dice: &mut Dice) -> Self {
        // Few distinct values, so that there are ties, and NULL in every column.
        let mut number = |below: u64| (!dice.chance(15)).then(|| i64::try_from(dice.below(below)).unwrap());
        Self {
            who: number(5),
            ward: number(3).map(|at| ["a", "b", "c"][at as usize]),
            number: number(6),
            tenths: number(40),
            smoker: number(2).map(|at| at == 1),
            day: number(4).map(|day| NEW_YEAR + day as i32),
        }
    }
}

fn schema() -> TableSchema {
    let bounds = |low: i64, high: i64, step| Bounds::new(whole(low), whole(high), step).unwrap();
    let mut wards = ["a", "b", "c"].map(|key| Key::Text(key.to_owned())).to_vec();
    wards.push(Key::Null);
    let columns = vec![
        Column::new("who", ColumnType::Integer),
        Column::new("ward", ColumnType::Text).with_keys(wards),
        Column::new("number", ColumnType::Integer).within(bounds(0, 5, whole(1))),
        Column::new("cost", ColumnType::Decimal).within(bounds(0, 4, ratio(1, 10))),
        Column::new("smoker", ColumnType::Boolean).with_keys(vec![Key::Boolean(false), Key::Boolean(true), Key::Null]),
        Column::new("day", ColumnType::Date).within(bounds(NEW_YEAR.into(), (NEW_YEAR + 3).into(), whole(1))),
    ];
    TableSchema::protected("visits", columns, Some(EntityKey::new("who", Caps { rows_per_group: 1, groups: 1 })))
}

fn batch(rows: &[Row]) -> RecordBatch {
    let who: ArrayRef = Arc::new(rows.iter().map(|row| row.who).collect::<Int64Array>());
    let ward: ArrayRef = Arc::new(rows.iter().map(|row| row.ward).collect::<StringArray>());
    let number: ArrayRef = Arc::new(rows.iter().map(|row| row.number).collect::<Int64Array>());
    let cost = rows.iter().map(|row| row.tenths.map(|tenths| tenths as f64 / 10.0));
    let cost: ArrayRef = Arc::new(cost.collect::<Float64Array>());
    let smoker: ArrayRef = Arc::new(rows.iter().map(|row| row.smoker).collect::<BooleanArray>());
    let day: ArrayRef = Arc::new(rows.iter().map(|row| row.day).collect::<Date32Array>());
    let columns = [("who", who), ("ward", ward), ("number", number), ("cost", cost), ("smoker", smoker), ("day", day)];
    RecordBatch::try_from_iter(columns).unwrap()
}

/// A value in the order of the reference, without NULL. Decimals are in tenths.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Plain {
    Text(&'static str),
    Number(i64),
    Truth(bool),
}

fn plain(row: &Row, column: &str) -> Option<Plain> {
    match column {
        "ward" => row.ward.map(Plain::Text),
        "number" => row.number.map(Plain::Number),
        "cost" => row.tenths.map(Plain::Number),
        "smoker" => row.smoker.map(Plain::Truth),
        _ => row.day.map(|day| Plain::Number(day.into())),
    }
}

/// The value of each person, computed by sorting all their rows.
fn expected(rows: &[Row], largest: bool, value: &str, by: &str, only_smokers: bool) -> Vec<Option<Plain>> {
    let mut people: BTreeMap<i64, Vec<&Row>> = BTreeMap::new();
    for row in rows {
        people.entry(row.who.unwrap_or(-1)).or_default().push(row);
    }
    // Rows without an entity do not count.
    people.remove(&-1);
    let of_person = |own: Vec<&Row>| {
        let own = own.into_iter().filter(|row| !only_smokers || row.smoker == Some(true));
        let mut ordered: Vec<_> = own.filter_map(|row| plain(row, by).map(|by| (by, plain(row, value)))).collect();
        let nulls_last = |value: Option<Plain>| (value.is_none(), value);
        if largest {
            ordered.sort_by_key(|(by, value)| (Reverse(*by), nulls_last(*value)));
        } else {
            ordered.sort_by_key(|(by, value)| (*by, nulls_last(*value)));
        }
        ordered.first().and_then(|(_, value)| *value)
    };
    people.into_values().map(of_person).collect()
}

fn key(value: Option<Plain>, column: &str) -> Key {
    match value {
        None => Key::Null,
        Some(Plain::Text(text)) => Key::Text(text.to_owned()),
        Some(Plain::Truth(truth)) => Key::Boolean(truth),
        Some(Plain::Number(day)) if column == "day" => Key::Date(day.try_into().unwrap()),
        Some(Plain::Number(number)) => Key::Integer(number),
    }
}

#[test]
fn values_match_the_reference() {
    const COLUMNS: [&str; 5] = ["ward", "number", "cost", "smoker", "day"];
    let mut dice = Dice::new(77);
    let (mut ties, mut nulls, mut compared) = (0_u32, 0_u32, 0_u32);
    for _ in 0..sized(250, 4_000) {
        let mut rows: Vec<Row> = (0..dice.below(30)).map(|_| Row::random(&mut dice)).collect();
        let (value, by) = (*dice.pick(&COLUMNS), *dice.pick(&COLUMNS));
        let (largest, only_smokers) = (dice.chance(50), dice.chance(30));
        let function = match (largest, dice.chance(50)) {
            (false, false) => "MIN_BY",
            (false, true) => "ARG_MIN",
            (true, false) => "MAX_BY",
            (true, true) => "arg_max",
        };
        let filter = if only_smokers { " FILTER (WHERE smoker)" } else { "" };
        let (asked, grouped) = if value == "cost" { ("SUM(v)", "") } else { ("COUNT(*)", " GROUP BY v") };
        let sql = format!(
            "SELECT {asked} FROM (SELECT who, {function}({value}, {by}){filter} AS v FROM visits GROUP BY who) AS e{grouped}"
        );
        let query = deniable_sql::plan(&sql, &[schema()]).unwrap_or_else(|error| panic!("{sql}: {error}"));
        let values = expected(&rows, largest, value, by, only_smokers);
        let wanted: Vec<BigInt> = match query.groups() {
            [] => {
                let tenths = |value: &Option<Plain>| if let Some(Plain::Number(tenths)) = value { *tenths } else { 0 };
                vec![values.iter().map(tenths).sum::<i64>().into()]
            }
            [group, ..] => {
                let count = |wanted: &Key| values.iter().filter(|found| key(**found, value) == *wanted).count().into();
                group.keys.iter().map(count).collect()
            }
        };
        nulls += values.iter().filter(|value| value.is_none()).count() as u32;
        let mut seen = std::collections::BTreeSet::new();
        ties += rows.iter().filter(|row| !seen.insert((row.who, plain(row, by)))).count() as u32;
        for _ in 0..3 {
            for at in (1..rows.len()).rev() {
                rows.swap(at, usize::try_from(dice.below(at as u64 + 1)).unwrap());
            }
            let size = 1 + usize::try_from(dice.below(9)).unwrap();
            let batches = if rows.is_empty() { vec![batch(&rows)] } else { rows.chunks(size).map(batch).collect() };
            let resources = Resources {
                threads: 1 + usize::try_from(dice.below(3)).unwrap(),
                memory: dice.chance(40).then(|| 8 * least_memory(&query)),
                ..Resources::default()
            };
            let source = Source::memory(schema(), batches);
            let found = exact(&[source], &query, &Salt([3; 32]), &resources, &|_| {}).unwrap().reveal();
            let found: Vec<BigInt> = found[0].iter().map(|cell| BigInt::from(cell[0])).collect();
            assert_eq!(found, wanted, "{sql}\n{rows:?}");
            compared += 1;
        }
    }
    println!("{compared} answers, {ties} ties, {nulls} people without a value");
    assert!(ties > sized(500, 1_000) && nulls > sized(50, 100));
}

#[test]
fn keys_and_bounds_are_those_of_the_value() {
    let of = |inner: &str, outer: &str| {
        let sql = format!("SELECT {outer} FROM (SELECT who, {inner} AS v FROM visits GROUP BY who) AS e");
        deniable_sql::plan(&sql, &[schema()])
    };
    let grouped = |inner: &str, group: &str| {
        let sql = format!(
            "SELECT {group}, COUNT(*) FROM (SELECT who, {inner} AS v FROM visits GROUP BY who) AS e GROUP BY {group}"
        );
        deniable_sql::plan(&sql, &[schema()]).unwrap_or_else(|error| panic!("{sql}: {error}")).groups()[0].keys.clone()
    };
    let text = |key: &str| Key::Text(key.to_owned());
    assert_eq!(grouped("MIN_BY(ward, day)", "v"), [text("a"), text("b"), text("c"), Key::Null]);
    assert_eq!(grouped("MIN_BY(UPPER(ward), day)", "v"), [text("A"), text("B"), text("C"), Key::Null]);
    assert_eq!(grouped("MAX_BY(day, cost)", "DATE_TRUNC('month', v)").len(), 1);
    assert!(of("MAX_BY(cost, day)", "AVG(v)").is_ok());
    assert!(of("MAX_BY(cost * 2, day)", "SUM(v), MEDIAN(v)").is_ok());
    // A number of rows has no bounds, even as the value of a chosen row.
    let refused = |inner: &str, outer: &str| format!("{:?}", of(inner, outer).unwrap_err());
    assert!(refused("MIN_BY(ward)", "COUNT(*)").contains("MIN_BY(x, t)"));
    assert!(refused("MIN_BY('a', day)", "COUNT(*)").contains("MIN_BY of a constant"));
    assert!(refused("MAX_BY(ward, 1)", "COUNT(*)").contains("MAX_BY of a constant"));
    let many = format!("{:?}", deniable_sql::plan("SELECT MIN_BY(ward, day) FROM visits", &[schema()]).unwrap_err());
    assert!(many.contains("SELECT who, MIN_BY(x, t) AS v FROM ... GROUP BY who"), "{many}");
    let other = format!("{:?}", deniable_sql::plan("SELECT first_value(ward) FROM visits", &[schema()]).unwrap_err());
    assert!(other.contains("MIN_BY(x, t)"), "{other}");
}
