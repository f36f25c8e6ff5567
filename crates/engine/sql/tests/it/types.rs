//! The types of shown columns.

use deniable_core::exact::{ratio, whole};
use deniable_core::schema::{Bounds, Column, ColumnType, Key, TableSchema};
use deniable_query::output::ValueType::{self, Boolean, Date, Decimal, Float, Integer, Text};

fn types(sql: &str) -> Vec<ValueType> {
    let bounded = |name: &str, kind, high, unit| Column {
        bounds: Bounds::new(whole(0), high, unit).ok(),
        ..Column::new(name, kind)
    };
    let keyed = |name: &str, kind, keys: &[Key]| Column { keys: Some(keys.to_vec()), ..Column::new(name, kind) };
    let mut coded = keyed("coded", ColumnType::Integer, &[Key::Integer(1), Key::Integer(2)]);
    coded.labels.insert(Key::Integer(1), "one".into());
    let columns = vec![
        bounded("age", ColumnType::Integer, whole(110), whole(1)),
        bounded("cost", ColumnType::Decimal, whole(100), ratio(1, 100)),
        bounded("huge", ColumnType::Integer, whole(1_i64 << 40), whole(1)),
        bounded("day", ColumnType::Date, whole(20_000), whole(1)),
        keyed("region", ColumnType::Text, &[Key::Text("a".into()), Key::Text("b".into())]),
        keyed("year", ColumnType::Integer, &[Key::Integer(2023), Key::Integer(2024), Key::Null]),
        keyed("ill", ColumnType::Boolean, &[Key::Boolean(true), Key::Boolean(false)]),
        coded,
    ];
    deniable_sql::plan(sql, &[TableSchema::protected("t", columns, None)]).unwrap().column_types()
}

#[test]
fn types_follow_from_the_query() {
    assert_eq!(
        types("SELECT COUNT(*), SUM(age), SUM(cost), SUM(huge), AVG(age), MEDIAN(age), MAX(day) FROM t"),
        [Integer, Integer, Decimal, Decimal, Float, Integer, Date]
    );
    assert_eq!(
        types(
            "SELECT region, year, ill, DATE_TRUNC('month', day), coded, COUNT(*) FROM t GROUP BY region, year, ill, DATE_TRUNC('month', day), coded"
        ),
        [Text, Integer, Boolean, Date, Text, Integer]
    );
    assert_eq!(
        types("SELECT COUNT(*) / 2, COUNT(*) * 2, SUM(cost) + COUNT(*), ROUND(AVG(age), 1), SQRT(COUNT(*)) FROM t"),
        [Float, Integer, Decimal, Decimal, Float]
    );
    assert_eq!(
        types(
            "SELECT region, RANK() OVER (ORDER BY COUNT(*)), SUM(COUNT(*)) OVER (), CASE WHEN COUNT(*) > 5 THEN 'many' ELSE 'few' END, \
             CASE WHEN COUNT(*) > 5 THEN COUNT(*) END, GROUPING(region) FROM t GROUP BY ROLLUP (region)"
        ),
        [Text, Integer, Integer, Text, Integer, Integer]
    );
}
