//! WHERE on a group, or on the column that a group is made of, leaves only the groups that rows can have (S-ONE).

use deniable_core::adversary::Adjacency;
use deniable_core::exact::whole;
use deniable_core::schema::{Bounds, Column, ColumnType, Entity, Key, TableSchema};
use deniable_core::sensitivity::Caps;
use deniable_query::Query;

fn tables() -> Vec<TableSchema> {
    let bounds = |low: i64, high: i64| Bounds::new(whole(low), whole(high), whole(1)).unwrap();
    let (first, last) = (19_723, 20_453);
    let micros = 86_400_000_000;
    let texts = |keys: &[&str]| keys.iter().map(|key| Key::Text((*key).to_owned())).collect::<Vec<_>>();
    let columns = vec![
        Column::new("person", ColumnType::Integer),
        Column { keys: Some(texts(&["north", "south", "west"])), ..Column::new("region", ColumnType::Text) },
        Column {
            keys: Some(texts(&["a", "b"]).into_iter().chain([Key::Null, Key::Other]).collect()),
            ..Column::new("kind", ColumnType::Text)
        },
        Column::new("age", ColumnType::Integer).within(bounds(0, 99)),
        Column::new("score", ColumnType::Decimal).within(bounds(0, 1_000_000)),
        // 2024 and 2025.
        Column::new("day", ColumnType::Date).within(bounds(first, last)),
        Column::new("at", ColumnType::Timestamp).within(bounds(first * micros, last * micros + micros - 1)),
    ];
    let entity = Entity::new("person", Caps { rows_per_group: 2, groups: 3 });
    vec![TableSchema::protected("visits", columns, Some(entity))]
}

fn query(condition: &str, grouping: &str) -> Query {
    let sql = format!("SELECT COUNT(*) FROM visits WHERE {condition} GROUP BY {grouping}");
    deniable_sql::plan(&sql, &tables()).unwrap_or_else(|error| panic!("{sql}: {error}"))
}

/// The keys of the first group.
fn keys(condition: &str, group: &str) -> String {
    let query = query(condition, group);
    let group = &query.groups()[0];
    let shown: Vec<String> = group.keys.iter().map(|key| group.shown(key).to_string()).collect();
    shown.join(" ")
}

#[test]
fn groups_follow_from_the_condition() {
    for (condition, group, wanted) in [
        ("region = 'north'", "region", "north"),
        ("region <> 'north'", "region", "south west"),
        ("region IN ('west', 'south') AND age > 3", "region", "south west"),
        ("region = 'north' OR age = 3", "region", "north south west"),
        ("NOT (region = 'north' OR region = 'west')", "region", "south"),
        ("LOWER(region) LIKE '%th'", "region", "north south"),
        ("UPPER(region) = 'WEST'", "UPPER(region)", "WEST"),
        ("kind = 'a'", "kind", "a"),
        ("kind IS NULL", "kind", "NULL"),
        ("kind IS NOT NULL", "kind", "a b (other)"),
        ("kind = 'z'", "kind", "(other)"),
        ("kind > 'a'", "kind", "b (other)"),
        ("COALESCE(kind, 'a') = 'a'", "kind", "a NULL (other)"),
        ("age BETWEEN 20 AND 39", "FLOOR(age / 10) * 10", "20 30"),
        ("age >= 20 AND age < 40", "BIN(age, 10)", "20 30"),
        ("age < 18", "CASE WHEN age < 18 THEN 'child' ELSE 'adult' END", "child"),
        ("age < 30", "BIN(age, 10)", "0 10 20"),
        ("age >= 75", "FLOOR(age / 10) * 10", "70 80 90"),
        ("score >= 800000", "BIN(score, 100000)", "800000 900000 1000000"),
        ("at < '2024-07-01'", "TO_CHAR(at, 'YYYY-Q')", "2024-1 2024-2"),
        ("age >= 97", "age", "97 98 99"),
        ("age >= 90", "LEAST(age, 95)", "90 91 92 93 94 95"),
        ("score >= 250000 AND score < 400000", "BIN(score, 100000)", "200000 300000"),
        ("day >= '2025-11-01'", "DATE_TRUNC('month', day)", "2025-11-01 2025-12-01"),
        ("day >= '2024-03-30' AND day < '2024-05-01'", "DATE_TRUNC('month', day)", "2024-03-01 2024-04-01"),
        ("at >= '2025-11-01'", "DATE_TRUNC('month', at)", "2025-11-01 2025-12-01"),
        ("at >= '2024-03-30' AND at < '2024-05-01'", "TO_CHAR(at, 'YYYY-MM')", "2024-03 2024-04"),
        ("at >= '2025-11-01'", "TO_CHAR(at, 'YYYY-MM')", "2025-11 2025-12"),
        (
            "at BETWEEN '2024-03-30 10:00' AND '2024-04-02 11:00'",
            "CAST(at AS DATE)",
            "2024-03-30 2024-03-31 2024-04-01 2024-04-02",
        ),
        ("EXTRACT(year FROM at) = 2024", "EXTRACT(year FROM at)", "2024"),
        ("EXTRACT(year FROM at) = 2024", "DATE_TRUNC('quarter', at)", "2024-01-01 2024-04-01 2024-07-01 2024-10-01"),
        (
            "DATE_TRUNC('year', at) = '2025-01-01'",
            "DATE_TRUNC('quarter', at)",
            "2025-01-01 2025-04-01 2025-07-01 2025-10-01",
        ),
        ("TO_CHAR(at, 'YYYY-MM') = '2024-03'", "EXTRACT(week FROM at)", "9 10 11 12 13"),
        ("EXTRACT(month FROM day) = 2 AND day < '2025-01-01'", "DATE_TRUNC('month', day)", "2024-02-01"),
        ("at >= '2024-03-01' AND at < '2024-03-02' AND EXTRACT(hour FROM at) < 6", "EXTRACT(month FROM at)", "3"),
    ] {
        assert_eq!(keys(condition, group), wanted, "WHERE {condition} GROUP BY {group}");
    }
}

#[test]
fn a_condition_that_leaves_no_group_is_refused() {
    for (condition, group) in [
        ("region = 'nort'", "region"),
        ("region = 'north' AND region = 'south'", "region"),
        ("day < '2020-01-01'", "DATE_TRUNC('month', day)"),
        ("NULL", "region"),
    ] {
        let sql = format!("SELECT COUNT(*) FROM visits WHERE {condition} GROUP BY {group}");
        let error = deniable_sql::plan(&sql, &tables()).unwrap_err().to_string();
        assert!(error.contains("a WHERE that excludes every group"), "{sql}: {error}");
    }
}

/// One person counts in at most as many groups as there are.
#[test]
fn fewer_groups_cost_less() {
    for (condition, cells, add_remove, replace_one) in
        [("age >= 0", 3, 6, 6), ("region <> 'north'", 2, 4, 4), ("region = 'north'", 1, 2, 2)]
    {
        let query = query(condition, "region");
        assert_eq!(query.cells(0), cells, "{condition}");
        assert_eq!(query.sensitivity(0, Adjacency::AddRemove), add_remove.into(), "{condition}");
        assert_eq!(query.sensitivity(0, Adjacency::ReplaceOne), replace_one.into(), "{condition}");
    }
    let both = query("region = 'north' AND age BETWEEN 20 AND 39", "ROLLUP(region, BIN(age, 10))");
    assert_eq!((both.combinations(), both.cells(0), both.cells(2)), (2, 2, 1));
}

/// Conditions of aggregates, and conditions on results, leave the groups as they are.
#[test]
fn filter_and_having_leave_all_groups() {
    for sql in [
        "SELECT region, COUNT(*) FILTER (WHERE region = 'north') FROM visits GROUP BY region",
        "SELECT region, COUNT(*) AS n FROM visits GROUP BY region HAVING COUNT(*) > 3",
    ] {
        let query = deniable_sql::plan(sql, &tables()).unwrap_or_else(|error| panic!("{sql}: {error}"));
        assert_eq!(query.groups()[0].keys.len(), 3, "{sql}");
    }
}
