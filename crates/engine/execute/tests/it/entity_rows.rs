//! One row of each entity: one entity changes results by at most the declared sensitivity, and its row depends on its
//! own rows alone (S-PE).

use super::generate::{Dice, Shape};
use super::sensitivity::one_entity_moves;
use arrow_array::{ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray};
use deniable_core::exact::{ratio, whole};
use deniable_core::schema::{Bounds, Column, ColumnType, Entity as EntityKey, Key, TableSchema};
use deniable_core::sensitivity::Caps;
use deniable_data::{Resources, Source};
use deniable_execute::{Salt, exact, least_memory};
use deniable_testing::sized;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Values of each person, and expressions of them in outer queries.
const INNER: [(&str, &[&str]); 9] = [
    ("COUNT(*) AS v", &["LEAST(v, 4)", "LEAST(v, 30) - 3"]),
    ("COUNT(*) FILTER (WHERE flag) AS v", &["LEAST(v, 2)", "CASE WHEN v > 1 THEN -2 ELSE 5 END"]),
    ("SUM(n) AS v", &["LEAST(GREATEST(v, -10), 25)"]),
    ("AVG(x) AS v", &["v", "ROUND(v, 1)"]),
    ("MIN(n) AS v", &["v", "v * v"]),
    ("MAX(x) AS v", &["v", "-v"]),
    ("COUNT(DISTINCT grp) AS v", &["v", "v - 2"]),
    ("MIN_BY(n, x) AS v", &["v", "v * v"]),
    ("MAX_BY(x, n) FILTER (WHERE flag) AS v", &["v", "-v"]),
];

pub fn questions(dice: &mut Dice) -> String {
    let (inner, values) = dice.pick(&INNER);
    let value = dice.pick(values);
    let asked = [
        "COUNT(*) AS c",
        &format!("SUM({value}) AS s"),
        &format!("AVG({value}) AS a"),
        &format!("VAR_POP({value}) AS d"),
        &format!("MEDIAN({value}) AS m"),
        &format!("COUNT({value}) AS p"),
    ]
    .join(", ");
    let inner_where = dice.pick(&["", " WHERE flag", " WHERE n > 0"]);
    let having = dice.pick(&["", " HAVING COUNT(*) > 1", " HAVING MIN(grp) = MAX(grp)"]);
    let outer_where = dice.pick(&["", " WHERE v > 1", " WHERE f <> 'a'"]);
    let grouped = dice.pick(&["", " GROUP BY f", " GROUP BY d", " GROUP BY ROLLUP(f)"]);
    let first = dice.pick(&["MIN(grp)", "MAX_BY(grp, n)"]);
    format!(
        "SELECT {asked} FROM (SELECT person, {inner}, {first} AS f, COUNT(DISTINCT band) AS d FROM t{inner_where} GROUP BY person{having}) \
         AS each{outer_where}{grouped}"
    )
}

#[test]
fn one_entity_moves_one_row() {
    let (mut compared, mut attained) = (0_u32, BTreeMap::<&str, u32>::new());
    let mut dice = Dice::new(41);
    for _ in 0..sized(100, 2_000) {
        let shape = Shape::fixed(Caps { rows_per_group: 2, groups: 2 });
        let sql = questions(&mut dice);
        let query = deniable_sql::plan(&sql, &shape.tables).unwrap_or_else(|error| panic!("{sql}: {error}"));
        compared += one_entity_moves(&sql, &query, &shape, &mut dice, &mut attained);
    }
    println!("{compared} comparisons, at exactly the declared sensitivity: {attained:?}");
    assert!(compared > 1_000 && attained.len() == 2 && attained.values().all(|times| times * 50 > compared));
}

/// Visits of many people, in an order that depends on the seed.
fn visits(people: i64, seed: u64) -> Vec<RecordBatch> {
    let mut rows: Vec<(i64, i64)> = (0..people).flat_map(|who| (0..=who % 5).map(move |visit| (who, visit))).collect();
    // A permutation of all people.
    let step = [1, 7_919, 104_729][seed as usize % 3];
    let length = rows.len();
    let order: Vec<usize> = (0..length).map(|at| at * step % length).collect();
    assert_eq!(order.iter().collect::<std::collections::BTreeSet<_>>().len(), length);
    rows = order.into_iter().map(|at| rows[at]).collect();
    let batch = |rows: &[(i64, i64)]| {
        let who: ArrayRef = Arc::new(rows.iter().map(|(who, _)| Some(format!("p{who}"))).collect::<StringArray>());
        let cost = rows.iter().map(|(who, visit)| (who % 97) as f64 * 0.1 + *visit as f64 * 0.3);
        let cost: ArrayRef = Arc::new(cost.collect::<Float64Array>());
        let ward = rows.iter().map(|(who, visit)| Some(["a", "b", "c"][((who + visit) % 3) as usize]));
        let ward: ArrayRef = Arc::new(ward.collect::<StringArray>());
        let age: ArrayRef = Arc::new(rows.iter().map(|(who, _)| who % 90).collect::<Int64Array>());
        RecordBatch::try_from_iter([("who", who), ("cost", cost), ("ward", ward), ("age", age)]).unwrap()
    };
    rows.chunks(3_000 + 500 * seed as usize).map(batch).collect()
}

fn schema() -> TableSchema {
    let bounds = |high: i64, step| Bounds::new(whole(0), whole(high), step).unwrap();
    let wards = ["a", "b", "c"].map(|key| Key::Text(key.to_owned())).to_vec();
    let columns = vec![
        Column::new("who", ColumnType::Text),
        Column::new("cost", ColumnType::Decimal).within(bounds(20, ratio(1, 10))),
        Column::new("ward", ColumnType::Text).with_keys(wards),
        Column::new("age", ColumnType::Integer).within(bounds(90, whole(1))),
    ];
    TableSchema::protected("visits", columns, Some(EntityKey::new("who", Caps { rows_per_group: 1, groups: 1 })))
}

/// Values depend neither on the order of rows nor on threads, nor on a memory limit that forces all data to disk.
#[test]
fn values_do_not_depend_on_order_threads_or_memory() {
    let sql = "SELECT first, COUNT(*) AS people, SUM(ROUND(mean, 1)) AS m, SUM(LEAST(total, 50)) AS s, AVG(LEAST(n, 4)) AS n, \
               MEDIAN(age) AS a, COUNT(*) FILTER (WHERE tied = first) AS t, COUNT(*) FILTER (WHERE last = 'a') AS l FROM (SELECT who, \
               MIN_BY(ward, age) AS tied, MAX_BY(ward, cost) AS last, MIN(ward) AS first, AVG(cost) AS mean, SUM(cost) AS total, COUNT(*) AS n, MAX(age) AS \
               age FROM visits GROUP BY who) AS each GROUP BY first";
    let query = deniable_sql::plan(sql, &[schema()]).unwrap();
    let run = |seed, threads, memory| {
        let source = Source::memory(schema(), visits(sized(20_000, 200_000) as i64, seed));
        let resources = Resources { threads, memory, ..Resources::default() };
        exact(&[source], &query, &Salt([7; 32]), &resources, &|_| {}).unwrap().reveal()
    };
    let wanted = run(0, 1, None);
    // Room for an entity with three texts of the greatest length.
    let least = 4 * least_memory(&query);
    println!("{} bytes of memory", least);
    for (seed, threads, memory) in [(1, 2, None), (2, 3, Some(least)), (0, 1, Some(least)), (1, 2, Some(2 * least))] {
        assert_eq!(run(seed, threads, memory), wanted, "{seed} {threads} {memory:?}");
    }
}

/// However many rows one person has, and however long their texts, queries succeed with and without that person.
#[test]
fn long_texts_of_one_person_exhaust_nothing() {
    let columns = vec![Column::new("who", ColumnType::Text), Column::new("note", ColumnType::Text)];
    let table =
        TableSchema::protected("t", columns, Some(EntityKey::new("who", Caps { rows_per_group: 1, groups: 1 })));
    let folds: Vec<String> = (0..8).map(|at| format!("MAX(note) FILTER (WHERE note > '{at}') AS m{at}")).collect();
    let sql = format!(
        "SELECT COUNT(*), COUNT(m1) FROM (SELECT who, MIN(note) AS a, MAX_BY(note, note) AS b, {} FROM t GROUP BY who) AS e WHERE b >= a AND a >= 'a' OR m7 > 'b'",
        folds.join(", ")
    );
    let query = deniable_sql::plan(&sql, std::slice::from_ref(&table)).unwrap();
    let run = |rows: usize, memory: usize| {
        let batch = |rows: &[(String, String)]| {
            let column = |of: fn(&(String, String)) -> &String| -> ArrayRef {
                Arc::new(rows.iter().map(|row| Some(of(row).as_str())).collect::<StringArray>())
            };
            RecordBatch::try_from_iter([("who", column(|row| &row.0)), ("note", column(|row| &row.1))]).unwrap()
        };
        let mut all: Vec<(String, String)> = (0..40).map(|who| (format!("p{who}"), format!("note {who}"))).collect();
        // Each text is a little larger than the one before.
        all.extend((0..rows).map(|row| ("eve".to_owned(), format!("z{row:04}{}", "x".repeat(60_000)))));
        let source = Source::memory(table.clone(), all.chunks(16).map(batch).collect::<Vec<_>>());
        let resources = Resources { threads: 2, memory: Some(memory), ..Resources::default() };
        exact(&[source], &query, &Salt([7; 32]), &resources, &|_| {}).map(|exact| exact.reveal())
    };
    for memory in [4 << 20, 8 << 20, 12 << 20, 16 << 20, 32 << 20] {
        let told = |rows| run(rows, memory).map(|cells| cells[0][0][0]).map_err(|error| error.to_string());
        let (without, with) = (told(0), told(sized(120, 400)));
        println!("{memory} bytes: {without:?}, with one more {with:?}");
        match (without, with) {
            (Ok(without), Ok(with)) => assert_eq!((without, with), (40, 41)),
            (Err(without), Err(with)) => assert_eq!(without, with),
            other => panic!("{memory}: {other:?}"),
        }
    }
}

#[test]
fn unsupported_queries_are_refused_with_an_alternative() {
    let refusal = |sql: &str| deniable_sql::plan(sql, &[schema()]).err().unwrap_or_else(|| panic!("{sql}"));
    let refused = |sql: &str| refusal(sql).to_string();
    let help = |sql: &str| format!("{:?}", refusal(sql));
    let each =
        |inner: &str, outer: &str| format!("SELECT {outer} FROM (SELECT who, {inner} FROM visits GROUP BY who) AS e");
    assert!(help(&each("COUNT(*) AS n", "AVG(n)")).contains("LEAST(n, 50), where n is count(*)"));
    assert!(
        help("SELECT AVG(n) FROM (SELECT who, ward, COUNT(*) AS n FROM visits GROUP BY who, ward) AS e")
            .contains("GROUP BY who alone")
    );
    assert!(refused(&each("COUNT(*) AS n", "who, COUNT(*)")).contains("who"));
    assert!(
        refused("SELECT who, COUNT(*) FROM (SELECT who, COUNT(*) AS n FROM visits GROUP BY who) AS e GROUP BY who")
            .contains("who")
    );
    assert!(
        refused("SELECT COUNT(*) FROM (SELECT who, COUNT(*) AS n FROM visits GROUP BY who) AS e WHERE who = 'p1'")
            .contains("outside")
    );
    assert!(refused(&each("STDDEV(cost) AS s", "AVG(s)")).contains("STDDEV"));
    assert!(refused(&each("MEDIAN(cost) AS s", "AVG(s)")).contains("of one entity's rows"));
    assert!(refused(&each("COUNT(*) AS n", "COUNT(DISTINCT who)")).contains("DISTINCT"));
}

/// Joins with rows of entities are rejected with an alternative query that is supported.
#[test]
fn protected_tables_beside_rows_of_entities_are_refused() {
    let mut drugs = TableSchema::protected(
        "drugs",
        vec![
            Column::new("person", ColumnType::Text),
            Column::new("dose", ColumnType::Integer).within(Bounds::new(whole(0), whole(9), whole(1)).unwrap()),
        ],
        None,
    );
    drugs.entity = Some(EntityKey::new("person", Caps { rows_per_group: 1, groups: 1 }));
    let tables = [schema(), drugs];
    let each = "(SELECT who, COUNT(*) AS n FROM visits GROUP BY who) AS e";
    let refused =
        |from: &str| format!("{:?}", deniable_sql::plan(&format!("SELECT COUNT(*) FROM {from}"), &tables).unwrap_err());
    let other = refused(&format!("{each} JOIN drugs ON e.who = drugs.person"));
    assert!(other.contains("with the protected table `drugs`"), "{other}");
    assert!(other.contains("visits JOIN drugs ON visits.who = drugs.person: COUNT(*)"), "{other}");
    assert!(other.contains("COUNT(DISTINCT visits.who)"), "{other}");
    let inside = refused(
        "(SELECT visits.who, COUNT(*) AS n FROM visits JOIN drugs ON visits.who = drugs.person GROUP BY visits.who) AS e",
    );
    assert!(inside.contains("out of joined protected tables"), "{inside}");
    assert!(inside.contains("visits JOIN drugs ON visits.who = drugs.person"), "{inside}");
    let anyone = refused(&format!("visits JOIN {each} ON visits.age = e.n"));
    assert!(anyone.contains("USING (who)"), "{anyone}");
    let twice = "(SELECT who, MAX(age) AS a FROM visits GROUP BY who) AS f";
    let twice = refused(&format!("{each} JOIN {twice} ON e.who = f.who"));
    assert!(twice.contains("a join of two queries of one row for each entity"), "{twice}");
    // The suggested queries are supported.
    for sql in [
        "SELECT SUM(dose), COUNT(*), COUNT(DISTINCT visits.who) FROM visits JOIN drugs ON visits.who = drugs.person",
        "SELECT SUM(LEAST(n, 9)), MAX(a) FROM (SELECT who, COUNT(*) AS n, MAX(age) FILTER (WHERE ward = 'a') AS a, MIN_BY(ward, age) AS w \
         FROM visits GROUP BY who) AS e",
    ] {
        deniable_sql::plan(sql, &tables).unwrap_or_else(|error| panic!("{sql}: {error}"));
    }
}

/// Values that are summed inside are clamped to their bounds, which is reported; a number of rows has no groups beyond
/// the shown ones.
#[test]
fn bounds_inside_are_reported() {
    let of = |inner: &str, outer: &str| {
        let sql = format!("SELECT {outer} FROM (SELECT who, {inner} FROM visits GROUP BY who) AS e");
        deniable_sql::plan(&sql, &[schema()]).unwrap_or_else(|error| panic!("{sql}: {error}"))
    };
    let told = |inner: &str| of(inner, "COUNT(*)").bounded_inside();
    assert_eq!(told("SUM(cost) AS s, AVG(cost) AS a, MAX(age) AS m"), [("cost".to_owned(), whole(0), whole(20))]);
    assert!(told("MIN(cost) AS s, COUNT(cost) AS n").is_empty());
    let grouped = |group: &str| {
        format!(
            "{group} FROM (SELECT who, COUNT(*) AS n, MIN(ward) AS w FROM visits GROUP BY who) AS e GROUP BY {group}"
        )
    };
    let query = deniable_sql::plan(&format!("SELECT COUNT(*), {}", grouped("LEAST(n, 4)")), &[schema()]).unwrap();
    assert!(!query.may_leave_out(&query.groups()[0]));
    let query = deniable_sql::plan(&format!("SELECT COUNT(*), {}", grouped("w")), &[schema()]).unwrap();
    assert!(query.may_leave_out(&query.groups()[0]));
}

/// Queries have different identities exactly if their numbers differ.
#[test]
fn identities() {
    let of = |sql: &str| deniable_sql::plan(sql, &[schema()]).unwrap().canonical().to_vec();
    let inner =
        |value: &str| format!("SELECT SUM(LEAST(v, 9)) FROM (SELECT who, {value} AS v FROM visits GROUP BY who) AS e");
    let all = [
        of(&inner("COUNT(*)")),
        of(&inner("COUNT(cost)")),
        of(&inner("COUNT(DISTINCT ward)")),
        of(&inner("SUM(age)")),
        of(&inner("MAX(age)")),
        of(&inner("MIN(age)")),
        of(&inner("MIN_BY(age, cost)")),
        of(&inner("MAX_BY(age, cost)")),
        of(&inner("MIN_BY(age, ward)")),
        of(&inner("MIN_BY(age, cost) FILTER (WHERE age > 3)")),
        of(&inner("COUNT(*) FILTER (WHERE age > 3)")),
        of("SELECT SUM(LEAST(v, 9)) FROM (SELECT who, COUNT(*) AS v FROM visits WHERE age > 3 GROUP BY who) AS e"),
        of(
            "SELECT SUM(LEAST(v, 9)) FROM (SELECT who, COUNT(*) AS v FROM visits GROUP BY who HAVING MIN(age) > 3) AS e",
        ),
        of("SELECT SUM(LEAST(age, 9)) FROM visits"),
    ];
    assert_eq!(all.iter().collect::<std::collections::BTreeSet<_>>().len(), all.len());
    assert_eq!(
        all[0],
        of("SELECT SUM(LEAST(x, 9)) AS y FROM (SELECT COUNT(*) AS x, who FROM visits GROUP BY who) AS z")
    );
    assert_eq!(of(&inner("MIN_BY(age, cost)")), of(&inner("ARG_MIN(age, cost)")));
    // Names are for display and are truncated; the expressions decide the identity.
    let long = |end: &str| of(&inner(&format!("COUNT(*) FILTER (WHERE ward <> '{}{end}')", "x".repeat(300))));
    assert_ne!(long("a"), long("b"));
    // Caps choose among rows, and here all rows count.
    let mut other = schema();
    other.entity = Some(EntityKey::new("who", Caps { rows_per_group: 5, groups: 2 }));
    assert_eq!(all[0], deniable_sql::plan(&inner("COUNT(*)"), &[other]).unwrap().canonical());
}
