//! Each row of an entity beside values of its other rows: one entity changes results by at most the declared
//! sensitivity (S-OWN), and values are those of SQLite's windows and joins.

use super::generate::{Dice, Shape};
use super::sensitivity::one_entity_moves;
use arrow_array::{ArrayRef, Date32Array, Int64Array, RecordBatch};
use deniable_core::exact::whole;
use deniable_core::schema::{Bounds, Column, ColumnType, Entity as EntityKey, TableSchema};
use deniable_core::sensitivity::Caps;
use deniable_data::{Resources, Source};
use deniable_execute::{Salt, exact, least_memory};
use deniable_testing::sized;
use rusqlite::Connection;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Values of rows, and expressions of them in outer queries.
const INNER: [(&str, &[&str]); 9] = [
    ("LAG(n) OVER (PARTITION BY person ORDER BY x) AS v", &["v", "n - v", "v * n"]),
    ("LEAD(n, 2) OVER (PARTITION BY person ORDER BY day DESC, x) AS v", &["v", "COALESCE(v, 3)"]),
    ("day - LAG(day) OVER (PARTITION BY person ORDER BY day) AS v", &["LEAST(v, 30)", "CASE WHEN v <= 7 THEN n END"]),
    ("ROW_NUMBER() OVER (PARTITION BY person ORDER BY at) AS v", &["LEAST(v, 5)", "CASE WHEN v = 1 THEN n END"]),
    ("MIN(n) OVER (PARTITION BY person) AS v", &["v", "n - v"]),
    ("COUNT(*) OVER (PARTITION BY person) AS v", &["LEAST(v, 4)"]),
    ("SUM(n) FILTER (WHERE flag) OVER (PARTITION BY person) AS v", &["LEAST(GREATEST(v, -10), 25)"]),
    ("MAX(x) OVER (PARTITION BY person) - x AS v", &["v"]),
    ("MIN_BY(n, x) OVER (PARTITION BY person) AS v", &["v", "n - v"]),
];

pub fn question(dice: &mut Dice) -> String {
    let (inner, values) = dice.pick(&INNER);
    let value = dice.pick(values);
    let inner_where = dice.pick(&["", " WHERE flag", " WHERE n > 0"]);
    let outer_where = dice.pick(&["", " WHERE v > 1", " WHERE grp <> 'red'", " WHERE v IS NOT NULL"]);
    let grouped = dice.pick(&["", " GROUP BY grp", " GROUP BY band", " GROUP BY ROLLUP(grp)"]);
    let joined = "SELECT t.person, grp, band, flag, n, x, day, at, e.m - n AS v FROM t JOIN (SELECT person, MAX(n) AS m FROM t \
                  WHERE flag GROUP BY person) AS e ON t.person = e.person";
    let rows = match dice.chance(20) {
        true => joined.to_owned(),
        false => {
            // A public table whose key is unique leaves each row at most one partner.
            let from = dice.pick(&["t", "t", "t JOIN codes ON band = code"]);
            format!("SELECT person, grp, band, flag, n, x, day, at, {inner} FROM {from}{inner_where}")
        }
    };
    let value = if rows == joined { "v" } else { value };
    format!(
        "SELECT COUNT(*) AS c, COUNT(DISTINCT person) AS p, COUNT({value}) AS k, SUM({value}) AS s, AVG({value}) AS a, MEDIAN({value}) AS m \
         FROM ({rows}) AS each{outer_where}{grouped}"
    )
}

#[test]
fn one_entity_moves_its_own_rows() {
    let (mut compared, mut attained) = (0_u32, BTreeMap::<&str, u32>::new());
    let mut dice = Dice::new(43);
    for _ in 0..sized(150, 3_000) {
        let mut shape = Shape::fixed(Caps { rows_per_group: 2, groups: 2 });
        let few = dice.chance(30);
        shape.tables.iter_mut().filter_map(|table| table.entity.as_mut()).for_each(|entity| {
            entity.rows_in_joins = if few { 2 } else { 1_000 };
        });
        let sql = question(&mut dice);
        let query = deniable_sql::plan(&sql, &shape.tables).unwrap_or_else(|error| panic!("{sql}: {error}"));
        compared += one_entity_moves(&sql, &query, &shape, &mut dice, &mut attained);
    }
    println!("{compared} comparisons, at exactly the declared sensitivity: {attained:?}");
    assert!(compared > 1_000 && attained.len() == 2 && attained.values().all(|times| times * 50 > compared));
}

/// 2024-01-01, in days.
const NEW_YEAR: i32 = 19_723;

#[derive(Debug, Clone)]
struct Row {
    who: Option<i64>,
    number: Option<i64>,
    cost: Option<i64>,
    day: Option<i32>,
}

impl Row {
    fn random(dice: &mut Dice) -> Self {
        // Few distinct values, so that there are ties, and NULL in every column.
        let mut number = |below: u64| (!dice.chance(12)).then(|| i64::try_from(dice.below(below)).unwrap());
        Self {
            who: number(5),
            number: number(6),
            cost: number(9),
            day: number(40).map(|day| NEW_YEAR + i32::try_from(day).unwrap()),
        }
    }
}

fn schema(rows_in_joins: u32) -> TableSchema {
    let bounds = |low: i64, high: i64| Bounds::new(whole(low), whole(high), whole(1)).unwrap();
    let columns = vec![
        Column::new("who", ColumnType::Integer),
        Column::new("number", ColumnType::Integer).within(bounds(0, 5)),
        Column::new("cost", ColumnType::Integer).within(bounds(0, 8)),
        Column::new("day", ColumnType::Date).within(bounds(NEW_YEAR.into(), (NEW_YEAR + 39).into())),
    ];
    // Caps that leave out nothing.
    let entity = EntityKey { rows_in_joins, ..EntityKey::new("who", Caps { rows_per_group: 1_000, groups: 1_000 }) };
    TableSchema::protected("visits", columns, Some(entity))
}

fn batch(rows: &[Row]) -> RecordBatch {
    let who: ArrayRef = Arc::new(rows.iter().map(|row| row.who).collect::<Int64Array>());
    let number: ArrayRef = Arc::new(rows.iter().map(|row| row.number).collect::<Int64Array>());
    let cost: ArrayRef = Arc::new(rows.iter().map(|row| row.cost).collect::<Int64Array>());
    let day: ArrayRef = Arc::new(rows.iter().map(|row| row.day).collect::<Date32Array>());
    RecordBatch::try_from_iter([("who", who), ("number", number), ("cost", cost), ("day", day)]).unwrap()
}

/// A database with these rows; days are integers.
fn database(rows: &[Row]) -> Connection {
    let database = Connection::open_in_memory().unwrap();
    database.execute_batch("CREATE TABLE visits (who INTEGER, number INTEGER, cost INTEGER, day INTEGER)").unwrap();
    for Row { who, number, cost, day } in rows {
        database.execute("INSERT INTO visits VALUES (?1, ?2, ?3, ?4)", (who, number, cost, day)).unwrap();
    }
    database
}

/// Windows with a total order of all columns that the query reads, and values of them.
const WINDOWS: [(&str, &str); 9] = [
    ("LAG(number) OVER (PARTITION BY who ORDER BY day NULLS LAST, number NULLS LAST, cost NULLS LAST)", "number - v"),
    ("LAG(cost, 2) OVER (PARTITION BY who ORDER BY day DESC NULLS FIRST, cost NULLS FIRST, number NULLS LAST)", "v"),
    ("LEAD(day) OVER (PARTITION BY who ORDER BY day NULLS LAST, number DESC NULLS LAST, cost NULLS LAST) - day", "v"),
    ("day - LAG(day) OVER (PARTITION BY who ORDER BY day NULLS FIRST, number NULLS LAST, cost DESC NULLS LAST)", "v"),
    ("ROW_NUMBER() OVER (PARTITION BY who ORDER BY cost NULLS LAST, number NULLS LAST, day NULLS LAST)", "LEAST(v, 4)"),
    ("MIN(number) OVER (PARTITION BY who)", "number + cost - v"),
    ("MAX(cost) FILTER (WHERE number > 2) OVER (PARTITION BY who)", "v"),
    ("COUNT(*) OVER (PARTITION BY who)", "LEAST(v, 3)"),
    ("SUM(cost) OVER (PARTITION BY who)", "LEAST(COALESCE(v, 0), 20)"),
];

#[test]
fn values_match_sqlite() {
    let mut dice = Dice::new(78);
    let mut compared = 0_u32;
    for round in 0..sized(300, 5_000) {
        let mut rows: Vec<Row> = (0..dice.below(40)).map(|_| Row::random(&mut dice)).collect();
        let (window, value) = *dice.pick(&WINDOWS);
        let inner = *dice.pick(&["", " WHERE number > 0", " WHERE day IS NOT NULL"]);
        let outer = *dice.pick(&["", " WHERE v > 1", " WHERE number < 4", " WHERE v IS NULL"]);
        let asked = *dice.pick(&["COUNT(*)", "COUNT(v)", "SUM"]);
        let sql = |table: &str, minimum: &str| {
            let asked =
                if asked == "SUM" { format!("SUM({})", value.replace("LEAST", minimum)) } else { asked.to_owned() };
            // Rows without an entity belong to no person.
            let known = if table == "visits" { "" } else { " WHERE who IS NOT NULL" };
            format!(
                "SELECT {asked} FROM (SELECT who, number, cost, day, {window} AS v FROM (SELECT \
                 * FROM {table}{known}) AS w{inner}) AS e{outer}"
            )
        };
        compare(&mut rows, &sql("visits", "LEAST"), &sql("main.visits", "MIN"), &mut dice, round);
        compared += 1;
    }
    println!("{compared} queries");
}

/// More people than shards, so that rows of several people are computed together.
#[test]
fn people_of_one_shard_stay_apart() {
    let mut dice = Dice::new(81);
    for (round, (window, value)) in (0..).zip(WINDOWS) {
        let person = |dice: &mut Dice| i64::try_from(dice.below(600)).ok();
        let mut rows: Vec<Row> = (0..1_500).map(|_| Row { who: person(&mut dice), ..Row::random(&mut dice) }).collect();
        let sql = |minimum: &str| {
            let value = value.replace("LEAST", minimum);
            format!("SELECT SUM({value}) FROM (SELECT who, number, cost, day, {window} AS v FROM visits) AS e")
        };
        compare(&mut rows, &sql("LEAST"), &sql("MIN"), &mut dice, round);
    }
}

/// Joins of rows with an aggregate of the same person's rows.
#[test]
fn joins_with_own_aggregates_match_sqlite() {
    let mut dice = Dice::new(79);
    for round in 0..sized(200, 3_000) {
        let mut rows: Vec<Row> = (0..dice.below(40)).map(|_| Row::random(&mut dice)).collect();
        let inner = *dice.pick(&["", " WHERE number > 2", " WHERE cost < 5 AND number > 0"]);
        let having = *dice.pick(&["", " HAVING COUNT(*) > 1", " HAVING MIN(cost) > 0"]);
        let outer = *dice.pick(&["", " WHERE number < 4", " WHERE first = day", " WHERE day - first <= 10"]);
        let on = *dice.pick(&["JOIN e ON e.who = v.who", "JOIN e USING (who)", "CROSS JOIN e WHERE v.who = e.who"]);
        let outer = if on.contains("WHERE") { outer.replace("WHERE", "AND") } else { outer.to_owned() };
        let asked = *dice.pick(&["COUNT(*)", "SUM(day - first)", "SUM(LEAST(n, 3))"]);
        let sql = |minimum: &str| {
            let asked = asked.replace("LEAST", minimum);
            format!(
                "WITH e AS (SELECT who, MIN(day) AS first, COUNT(*) AS n FROM visits{inner} GROUP BY who{having}) SELECT \
                 {asked} FROM visits AS v {on}{outer}"
            )
        };
        compare(&mut rows, &sql("LEAST"), &sql("MIN"), &mut dice, round);
    }
}

/// Compares the exact totals of two queries: ours, and that of SQLite.
fn compare(rows: &mut [Row], ours: &str, theirs: &str, dice: &mut Dice, round: u64) {
    let query = deniable_sql::plan(ours, &[schema(1_000)]).unwrap_or_else(|error| panic!("{ours}: {error}"));
    let expected: Option<i64> =
        database(rows).query_row(theirs, [], |row| row.get(0)).unwrap_or_else(|error| panic!("{theirs}: {error}"));
    // Another order, other batches, other threads.
    for at in (1..rows.len()).rev() {
        rows.swap(at, usize::try_from(dice.below(at as u64 + 1)).unwrap());
    }
    let batches: Vec<RecordBatch> = rows.chunks(1 + usize::try_from(dice.below(9)).unwrap()).map(batch).collect();
    let threads = 1 + usize::try_from(round % 3).unwrap();
    let memory = (round % 2 == 1).then(|| 8 * least_memory(&query));
    let resources = Resources { threads, memory, ..Resources::default() };
    let source = Source::memory(schema(1_000), batches);
    let found = exact(&[source], &query, &Salt([7; 32]), &resources, &|_| {}).unwrap().reveal();
    assert_eq!(found[0][0][0], expected.unwrap_or(0).into(), "{ours}\n{theirs}\n{rows:?}");
}

/// Rows with equal sort keys have an order that does not depend on where they are stored.
#[test]
fn ties_do_not_depend_on_the_order_of_rows() {
    let sql = "SELECT SUM(number * v), SUM(LEAST(place, 4) * cost) FROM (SELECT who, number, cost, LAG(cost) OVER (PARTITION BY who \
               ORDER BY day) AS v, ROW_NUMBER() OVER (PARTITION BY who ORDER BY day DESC) AS place FROM visits) AS e";
    let mut dice = Dice::new(80);
    let mut tied = 0_u32;
    for _ in 0..sized(50, 500) {
        let mut rows: Vec<Row> = (0..12).map(|_| Row { who: Some(1), ..Row::random(&mut dice) }).collect();
        rows.iter_mut().for_each(|row| row.day = row.day.map(|day| NEW_YEAR + day % 2));
        let query = deniable_sql::plan(sql, &[schema(8)]).unwrap();
        let run = |rows: &[Row]| {
            let source = Source::memory(schema(8), vec![batch(rows)]);
            exact(&[source], &query, &Salt([7; 32]), &Resources::default(), &|_| {}).unwrap().reveal()
        };
        let first = run(&rows);
        rows.reverse();
        assert_eq!(run(&rows), first, "{rows:?}");
        tied += 1;
    }
    assert!(tied > 0);
}

#[test]
fn windows_over_other_people_are_refused() {
    let refused = |sql: &str| match deniable_sql::plan(sql, &[schema(8)]) {
        Ok(_) => panic!("{sql}"),
        Err(error) => format!("{error} {}", error.help().unwrap_or_default()),
    };
    let over = |window: &str| refused(&format!("SELECT COUNT(v) FROM (SELECT who, {window} AS v FROM visits) AS e"));
    let several = over("LAG(day) OVER (ORDER BY day)");
    assert!(several.contains("rows of several people") && several.contains("PARTITION BY who"), "{several}");
    assert!(over("LAG(day) OVER (PARTITION BY number ORDER BY day)").contains("rows of several people"));
    assert!(over("LAG(day) OVER (PARTITION BY who, number ORDER BY day)").contains("rows of several people"));
    assert!(over("LAG(day) OVER (PARTITION BY who)").contains("without ORDER BY"));
    assert!(over("RANK() OVER (PARTITION BY who ORDER BY day)").contains("ROW_NUMBER()"));
    assert!(over("SUM(cost) OVER (PARTITION BY who ORDER BY day)").contains("running aggregate"));
    assert!(over("LAG(day, 1, day) OVER (PARTITION BY who ORDER BY day)").contains("COALESCE"));
    let firsts = "(SELECT who, MIN(day) AS first FROM visits GROUP BY who) AS e";
    // A condition on one of the two keys does not join them.
    for on in ["v.who = v.who", "e.who = e.who", "v.who > e.who"] {
        let apart = refused(&format!("SELECT COUNT(*) FROM visits AS v JOIN {firsts} ON {on}"));
        assert!(apart.contains("values of other people"), "{apart}");
    }
    let key = refused(&format!("SELECT SUM(e.who) FROM visits AS v JOIN {firsts} ON v.who = e.who"));
    assert!(!key.contains("other people"), "{key}");
    let anyone = refused(&format!("SELECT COUNT(*) FROM visits AS v JOIN {firsts} ON v.day = e.first"));
    assert!(anyone.contains("values of other people"), "{anyone}");
    let left = refused(&format!("SELECT COUNT(*) FROM visits AS v LEFT JOIN {firsts} ON v.who = e.who"));
    assert!(left.contains("LEFT JOIN"), "{left}");
}

/// Columns that a query does not read are no part of its identity.
#[test]
fn unused_values_are_not_computed() {
    let plan = |sql: &str| deniable_sql::plan(sql, &[schema(8)]).unwrap();
    let lag = "LAG(day) OVER (PARTITION BY who ORDER BY day) AS before";
    let narrow = plan(&format!("SELECT COUNT(before) FROM (SELECT who, {lag} FROM visits) AS e"));
    let wide = format!("SELECT *, {lag}, ROW_NUMBER() OVER (PARTITION BY who ORDER BY cost) AS place FROM visits");
    let wide = plan(&format!("SELECT COUNT(before) FROM ({wide}) AS e"));
    assert_eq!(wide.canonical(), narrow.canonical());
    assert_eq!(wide.entity_rows().unwrap().folds.len(), 1);
    // Names in the SQL are no part of it, either.
    let renamed = "SELECT COUNT(b) FROM (SELECT v.who, LAG(v.day) OVER (PARTITION BY v.who ORDER BY v.day) AS b FROM visits AS v) AS x";
    assert_eq!(plan(renamed).canonical(), narrow.canonical());
}

/// LEAST and GREATEST ignore NULL: a bound of a gap counts for each first row.
#[test]
fn bounds_in_the_place_of_missing_values_are_noticed() {
    let gaps =
        "(SELECT who, day, cost, day - LAG(day) OVER (PARTITION BY who ORDER BY day) AS gap FROM visits) AS each";
    let noticed = |value: &str, after: &str| {
        let sql = format!("SELECT AVG({value}) FROM {gaps}{after}");
        deniable_sql::plan(&sql, &[schema(8)]).unwrap_or_else(|error| panic!("{sql}: {error}")).replaced()
    };
    for value in ["LEAST(gap, 31)", "GREATEST(LEAST(gap, 31), 0)", "cost + GREATEST(gap, 0)", "LEAST(2 * gap, 31)"] {
        let found = noticed(value, "");
        assert!(found.len() == 1 && found[0].contains("IS NOT NULL"), "{value}: {found:?}");
    }
    for (value, after) in [
        ("gap", ""),
        ("LEAST(cost, 31)", ""),
        ("LEAST(COALESCE(gap, 0), 31)", ""),
        ("CASE WHEN gap IS NOT NULL THEN LEAST(gap, 31) END", ""),
        ("LEAST(gap, 31)", " WHERE gap IS NOT NULL"),
        ("LEAST(gap, 31)", " WHERE gap >= 0"),
    ] {
        assert!(noticed(value, after).is_empty(), "{value}{after}");
    }
}
