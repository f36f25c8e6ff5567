//! Coarser columns that follow from keys (`within`), and caps that are applied once for all levels (S-LEV).

use super::sensitivity::distance;
use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use deniable_answers::Consistency;
use deniable_answers::{Noisy, ShownValue};
use deniable_core::adversary::Adjacency;
use deniable_core::exact::{ratio, whole};
use deniable_core::noise::Decay;
use deniable_core::schema::{Bounds, Column, ColumnType, Entity, Key, Parents, TableSchema};
use deniable_core::sensitivity::Caps;
use deniable_data::{Resources, Source};
use deniable_execute::{Salt, exact};
use deniable_query::MeasureKind;
use deniable_query::Query;
use deniable_testing::sized;
use num_bigint::BigInt;
use std::sync::Arc;

/// Towns, not sorted by county, each with its county and its region.
const TOWNS: [(&str, &str, &str); 5] =
    [("a1", "A", "N"), ("b1", "B", "N"), ("c1", "C", "S"), ("a2", "A", "N"), ("b2", "B", "N")];

fn parents(name: &str, of: impl Fn(&(&str, &str, &str)) -> String) -> Parents {
    Parents { name: name.to_owned(), of: TOWNS.iter().map(|town| (text(town.0), of(town))).collect() }
}

fn text(key: &str) -> Key {
    Key::Text(key.to_owned())
}

/// Towns with their counties and regions, sexes, a number from -1 to 2, and the person of the row.
fn table(entity: Option<Entity>) -> TableSchema {
    let keys = TOWNS.iter().map(|town| text(town.0)).chain([Key::Null, Key::Other]).collect();
    let town = Column {
        parents: vec![parents("county", |town| town.1.to_owned()), parents("region", |town| town.2.to_owned())],
        ..Column::new("town", ColumnType::Text).with_keys(keys)
    };
    let columns = vec![
        town,
        Column::new("sex", ColumnType::Text).with_keys(vec![text("F"), text("M")]),
        Column::new("x", ColumnType::Integer).within(Bounds::new(whole(-1), whole(2), whole(1)).unwrap()),
        Column::new("p", ColumnType::Text),
    ];
    TableSchema::protected("t", columns, entity)
}

fn entity(caps: Caps, levels_together: bool) -> Entity {
    Entity { levels_together, ..Entity::new("p", caps) }
}

/// Town, sex, x, person.
type Row = (Option<&'static str>, &'static str, i64, String);

/// Rows of 40 people: in declared towns, in other towns, and without a town.
fn rows() -> Vec<Row> {
    let towns = [Some("a1"), Some("b1"), None, Some("c1"), Some("a2"), Some("elsewhere"), Some("b2"), Some("a1")];
    let row = |at: usize| {
        let whose = at * at % 41 % 40;
        (towns[at * 5 % 7 + at % 2], ["F", "M", "M"][at % 3], i64::try_from(at % 4).unwrap() - 1, format!("p{whose}"))
    };
    (0..300).map(row).collect()
}

fn source(table: &TableSchema, rows: &[Row]) -> Source {
    let columns: [(&str, ArrayRef); 4] = [
        ("town", Arc::new(rows.iter().map(|row| row.0).collect::<StringArray>())),
        ("sex", Arc::new(rows.iter().map(|row| Some(row.1)).collect::<StringArray>())),
        ("x", Arc::new(rows.iter().map(|row| Some(row.2)).collect::<Int64Array>())),
        ("p", Arc::new(rows.iter().map(|row| Some(row.3.as_str())).collect::<StringArray>())),
    ];
    Source::memory(table.clone(), vec![RecordBatch::try_from_iter(columns).unwrap()])
}

fn query(sql: &str, table: &TableSchema) -> Query {
    deniable_sql::plan(sql, std::slice::from_ref(table)).unwrap_or_else(|error| panic!("{sql}: {error}"))
}

fn gathered(query: &Query, table: &TableSchema, rows: &[Row]) -> Vec<Vec<Vec<i128>>> {
    let source = source(table, rows);
    exact(&[source], query, &Salt([7; 32]), &Resources::default(), &|_| {}).unwrap().reveal()
}

fn sums(query: &Query, table: &TableSchema, rows: &[Row]) -> Vec<Vec<i128>> {
    let cells = gathered(query, table, rows).into_iter();
    cells.map(|cells| cells.into_iter().map(|cell| cell[0]).collect()).collect()
}

/// The rows of an answer, as shown, with exact numbers.
fn shown(sql: &str, table: &TableSchema, rows: &[Row]) -> Vec<String> {
    let query = query(sql, table);
    let values = sums(&query, table, rows);
    let decays = vec![Decay::exactly(ratio(1, 2)).unwrap(); query.measures().len()];
    let shown = deniable_answers::show(&query, &Noisy { values, consistent: None, decays }, &ratio(19, 20));
    let cell = |shown: &ShownValue| match shown {
        ShownValue::Key(key) => key.to_string(),
        ShownValue::All => "*".to_owned(),
        ShownValue::Number { estimate, .. } => estimate.as_ref().map_or("?".to_owned(), ToString::to_string),
        ShownValue::Text(text) => text.clone(),
    };
    shown.iter().map(|row| row.0.iter().map(cell).collect::<Vec<_>>().join(" ")).collect()
}

const ROLLUP: &str = "SELECT region, county, town, COUNT(*) AS n FROM t GROUP BY ROLLUP (region, county, town)";

/// The region and county of a row, in plain code.
fn place(row: &Row) -> [String; 3] {
    let known = TOWNS.iter().find(|town| Some(town.0) == row.0);
    let (county, region) = known.map_or(("NULL", "NULL"), |town| (town.1, town.2));
    let town = match row.0 {
        None => "NULL",
        Some(_) => known.map_or("(other)", |town| town.0),
    };
    [region.to_owned(), county.to_owned(), town.to_owned()]
}

#[test]
fn a_town_counts_in_its_county_alone() {
    let (table, rows) = (table(None), rows());
    let cells: Vec<usize> = (0..4).map(|level| query(ROLLUP, &table).cells(level)).collect();
    assert_eq!(cells, [7, 4, 3, 1]);
    let count = |key: &str| {
        let wanted: Vec<&str> = key.split(' ').collect();
        let is_in = |row: &&Row| place(row).iter().zip(&wanted).all(|(own, wanted)| *wanted == "*" || own == wanted);
        format!("{key} {}", rows.iter().filter(is_in).count())
    };
    let towns = ["N A a1", "N A a2", "N B b1", "N B b2", "S C c1", "NULL NULL NULL", "NULL NULL (other)"];
    let totals = ["N A *", "N B *", "S C *", "NULL NULL *", "N * *", "S * *", "NULL * *", "* * *"];
    let expected: Vec<String> = towns.into_iter().chain(totals).map(count).collect();
    assert_eq!(shown(ROLLUP, &table, &rows), expected);
    assert_eq!(expected.last().unwrap(), "* * * 300");
    // Alone, without the town, and under conditions, the county is the same function of a row.
    let alone = shown("SELECT county, COUNT(*) AS n FROM t GROUP BY county", &table, &rows);
    let of_counties = |row: &str| row.split(' ').skip(1).filter(|word| *word != "*").collect::<Vec<_>>().join(" ");
    assert_eq!(alone, expected[7..11].iter().map(|row| of_counties(row)).collect::<Vec<_>>());
    let north = rows.iter().filter(|row| place(row)[0] == "N").count().to_string();
    let ways = [
        "SELECT COUNT(*) AS n FROM t WHERE region = 'N'",
        "SELECT COUNT(*) FILTER (WHERE county IN ('A', 'B')) AS n FROM t",
        "SELECT COUNT(CASE WHEN region IS NOT DISTINCT FROM 'N' THEN 1 END) AS n FROM t",
        "SELECT COUNT(*) AS n FROM (SELECT region AS r FROM t) AS s WHERE r = 'N'",
    ];
    for sql in ways {
        assert_eq!(shown(sql, &table, &rows), [north.as_str()], "{sql}");
    }
}

#[test]
fn other_groups_are_combined_with_nested_ones() {
    let (table, rows) = (table(None), rows());
    let sql = "SELECT county, sex, town, COUNT(*) AS n, GROUPING(county) + 2 * GROUPING(town) AS g FROM t \
               GROUP BY GROUPING SETS ((county, sex, town), (county, sex), (sex), (town))";
    let query = query(sql, &table);
    assert_eq!((0..4).map(|level| query.cells(level)).collect::<Vec<_>>(), [14, 8, 2, 7]);
    let found = shown(sql, &table, &rows);
    let of = |wanted: [&str; 3], g: u32| {
        let is = |own: &str, wanted: &str| wanted == "*" || own == wanted;
        let is_in = |row: &&Row| {
            let [_, county, town] = place(row);
            is(&county, wanted[0]) && is(row.1, wanted[1]) && is(&town, wanted[2])
        };
        format!("{} {} {g}", wanted.join(" "), rows.iter().filter(is_in).count())
    };
    for row in [
        of(["A", "F", "a2"], 0),
        of(["C", "M", "c1"], 0),
        of(["NULL", "M", "(other)"], 0),
        of(["B", "M", "*"], 2),
        of(["*", "F", "*"], 3),
        of(["*", "*", "b2"], 1),
    ] {
        assert!(found.contains(&row), "{row}: {found:#?}");
    }
    assert_eq!(found.len(), 31);
    assert_eq!(deniable_answers::consistency(&query), Consistency::Applies);
}

#[test]
fn levels_are_made_to_add_up() {
    let table = table(None);
    let sql = "SELECT region, county, town, COUNT(*), SUM(x) FROM t GROUP BY ROLLUP (region, county, town)";
    let query = query(sql, &table);
    assert_eq!(deniable_answers::consistency(&query), Consistency::Applies);
    let decays = vec![Decay::exactly(ratio(6, 7)).unwrap(); query.measures().len()];
    // Some noise in every cell.
    let noisy = |cells: Vec<i128>| (0_i128..).zip(cells).map(|(at, cell)| cell + at * 7 % 11 - 5).collect();
    let values: Vec<Vec<i128>> = sums(&query, &table, &rows()).into_iter().map(noisy).collect();
    let found = deniable_answers::made_consistent(&query, &values, &decays).unwrap();
    assert_ne!(found, values);
    // a1, b1, c1, a2, b2, NULL, other; A, B, C, NULL; N, S, NULL.
    let fine: [(&[usize], usize); 3] = [(&[0, 1, 2, 0, 1, 3, 3], 4), (&[0, 0, 1, 2], 3), (&[0, 0, 0], 1)];
    for (at, measure) in query.measures().iter().enumerate().filter(|(_, measure)| measure.level < 3) {
        let (parents, size) = fine[measure.level];
        let coarse =
            query.measures().iter().position(|other| other.kind == measure.kind && other.level == measure.level + 1);
        let mut sums = vec![0; size];
        found[at].iter().zip(parents).for_each(|(value, parent)| sums[*parent] += value);
        assert_eq!(found[coarse.unwrap()], sums, "{measure:?}");
    }
}

#[test]
fn identities() {
    let (with, mut without) = (table(None), table(None));
    without.columns[0].parents.clear();
    let plain = "SELECT town, sex, COUNT(*) FROM t GROUP BY ROLLUP (town, sex)";
    assert_eq!(query(plain, &with).canonical(), query(plain, &without).canonical());
    // The counties of towns are part of the query.
    let mut moved = table(None);
    moved.columns[0].parents[0].of.insert(text("a2"), "B".to_owned());
    for sql in [ROLLUP, "SELECT county, COUNT(*) FROM t GROUP BY county", "SELECT COUNT(*) FROM t WHERE county = 'A'"] {
        assert_ne!(query(sql, &with).canonical(), query(sql, &moved).canonical(), "{sql}");
    }
    // A query with one level is capped in the usual way; one with several levels is not.
    let caps = Caps { rows_per_group: 2, groups: 2 };
    let [apart, together] = [false, true].map(|together| table(Some(entity(caps, together))));
    let one = "SELECT town, COUNT(*) FROM t GROUP BY town";
    assert_eq!(query(one, &apart).canonical(), query(one, &together).canonical());
    assert_ne!(query(ROLLUP, &apart).canonical(), query(ROLLUP, &together).canonical());
}

#[test]
fn the_same_grouping_twice_is_refused() {
    let mut table = table(None);
    // Each county is a separate district.
    table.columns[0].parents.push(parents("district", |town| format!("district {}", town.1)));
    let sql = "SELECT county, district, COUNT(*) FROM t GROUP BY ROLLUP (county, district)";
    let error = deniable_sql::plan(sql, std::slice::from_ref(&table)).unwrap_err();
    assert!(error.to_string().contains("the same grouping set twice"), "{error}");
    assert!(error.help().unwrap().contains("leave out one of them"), "{error}");
    let both = query("SELECT county, district, COUNT(*) FROM t GROUP BY county, district", &table);
    assert_eq!(both.cells(0), 4);
    query("SELECT county, COUNT(*) FROM t GROUP BY ROLLUP (county)", &table);
}

const ALL: &str = "SELECT region, county, town, COUNT(*), SUM(x), AVG(x), COUNT(DISTINCT p), REGR_SLOPE(x, x * x) FROM t \
                   GROUP BY ROLLUP (region, county, town)";

#[test]
fn capped_once_below_all_levels_exact_answers_add_up() {
    let rows = rows();
    for (rows_per_group, groups) in [(1, 1), (2, 1), (1, 2), (2, 3), (50, 50)] {
        let caps = Caps { rows_per_group, groups };
        let together = table(Some(entity(caps, true)));
        let all = query(ALL, &together);
        assert_eq!(deniable_answers::consistency(&all), Consistency::Applies);
        let found = sums(&all, &together, &rows);
        let fine: [(&[usize], usize); 3] = [(&[0, 1, 2, 0, 1, 3, 3], 4), (&[0, 0, 1, 2], 3), (&[0, 0, 0], 1)];
        let mut entities_add_up = true;
        for (at, measure) in all.measures().iter().enumerate().filter(|(_, measure)| measure.level < 3) {
            let (parents, size) = fine[measure.level];
            let is_coarser =
                |other: &deniable_query::Measure| other.kind == measure.kind && other.level == measure.level + 1;
            let coarse = all.measures().iter().position(is_coarser).unwrap();
            let mut sums = vec![0; size];
            found[at].iter().zip(parents).for_each(|(value, parent)| sums[*parent] += value);
            match measure.kind {
                MeasureKind::Entities { .. } => entities_add_up &= found[coarse] == sums,
                _ => assert_eq!(found[coarse], sums, "{caps:?} {measure:?}"),
            }
        }
        // One person is in several towns of a county, and counts once there.
        assert_eq!(entities_add_up, groups == 1, "{caps:?}");
        // The kept rows at the finest level do not depend on the other levels.
        let finest = ALL.replace("ROLLUP (region, county, town)", "region, county, town");
        let alone = query(&finest, &together);
        let own = sums(&alone, &together, &rows);
        for (at, measure) in alone.measures().iter().enumerate() {
            let same = all.measures().iter().position(|other| other.kind == measure.kind && other.level == 0).unwrap();
            assert_eq!(own[at], found[same], "{caps:?} {measure:?}");
        }
        // Caps at each level separately make another query, whose answers do not add up.
        let apart = table(Some(entity(caps, false)));
        assert_eq!(deniable_answers::consistency(&query(ALL, &apart)), Consistency::Entities);
        if groups == 50 {
            let of_apart = sums(&query(ALL, &apart), &apart, &rows);
            assert_eq!(of_apart, found);
        }
    }
}

/// All sets of rows that one person can have: up to `most` rows of these towns, with the smallest or the largest
/// number.
fn people(most: usize) -> Vec<Vec<Row>> {
    let kinds: Vec<(&'static str, i64)> =
        ["a1", "a2", "b1", "b2"].into_iter().flat_map(|town| [(town, -1), (town, 2)]).collect();
    let mut all: Vec<Vec<usize>> = vec![vec![]];
    let mut longest = all.clone();
    for _ in 0..most {
        let longer = longest.iter().flat_map(|rows| {
            let from = rows.last().copied().unwrap_or(0);
            (from..kinds.len()).map(|kind| rows.iter().copied().chain([kind]).collect::<Vec<_>>())
        });
        longest = longer.collect();
        all.extend(longest.iter().cloned());
    }
    let row = |kind: &usize| (Some(kinds[*kind].0), "F", kinds[*kind].1, "p".to_owned());
    all.iter().map(|rows| rows.iter().map(row).collect()).collect()
}

#[test]
fn one_person_moves_levels_capped_together_by_the_declared_sensitivity() {
    let sql = "SELECT region, county, town, COUNT(*), SUM(x), COUNT(DISTINCT p), COUNT(x) FILTER (WHERE x > 0), \
               MEDIAN(x), SUM(x * x), COVAR_POP(x, sex = 'F'), PERCENTILE_CONT(x + 1, 0.25), PERCENTILE_CONT(x + 1, 0.5), \
               PERCENTILE_CONT(x + 1, 0.75) FROM t GROUP BY ROLLUP (region, county, town)";
    for (rows_per_group, groups) in [(1, 1), (2, 1), (1, 2), (2, 2)].into_iter().take(sized(3, 4)) {
        let caps = Caps { rows_per_group, groups };
        let table = table(Some(entity(caps, true)));
        let query = query(sql, &table);
        let all: Vec<_> = people(4).iter().map(|rows| gathered(&query, &table, rows)).collect();
        for (at, measure) in query.measures().iter().enumerate() {
            let moved = |left: usize, right: usize| distance(&query, at, &all[left][at], &all[right][at]);
            let added = (0..all.len()).map(|one| moved(one, 0)).max().unwrap();
            let others = (0..all.len()).step_by(if rows_per_group * groups == 4 { 1 } else { 3 });
            let replaced = others.flat_map(|one| (0..one).map(move |other| moved(one, other))).max().unwrap();
            let declared = |adjacency| query.sensitivity(at, adjacency);
            let what = format!("{caps:?} {measure:?}: {added}, {replaced}");
            assert!(added <= declared(Adjacency::AddRemove), "{what}");
            assert!(replaced <= declared(Adjacency::ReplaceOne), "{what}");
            // No person here is in two regions.
            let is_entities = matches!(measure.kind, MeasureKind::Entities { .. });
            let adds = matches!(measure.kind, MeasureKind::Rows | MeasureKind::Sum { .. } | MeasureKind::Tree { .. });
            if adds || is_entities && measure.level != 2 {
                assert_eq!(added, declared(Adjacency::AddRemove), "{what}");
            }
            // All rows may be in one county, except at the finest level, where at most r·g rows count.
            if matches!(measure.kind, MeasureKind::Rows) {
                assert_eq!(added, BigInt::from(rows_per_group * groups), "{what}");
            }
            if matches!(measure.kind, MeasureKind::Rows) && measure.level < 2 && rows_per_group * groups == 4 {
                assert_eq!(replaced, declared(Adjacency::ReplaceOne), "{what}");
            }
        }
    }
}
