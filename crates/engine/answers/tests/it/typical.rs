//! Typical values from guesses, compared with numbers computed by hand, and the guesses that are missing.

use deniable_core::exact::{Rational, ratio, whole};
use deniable_core::schema::{Bounds, Column, ColumnType, Entity, Key, TableSchema};
use deniable_core::sensitivity::Caps;
use deniable_query::{ColumnGuess, Guesses, MissingGuess, Query};
use std::collections::BTreeSet;

fn query(select: &str) -> Query {
    let within = |name: &str, kind, low: i64, high: i64, step: Rational| {
        Column::new(name, kind).within(Bounds::new(whole(low), whole(high), step).unwrap())
    };
    let columns = vec![
        Column::new("person", ColumnType::Text),
        within("age", ColumnType::Integer, 0, 100, whole(1)),
        within("cost", ColumnType::Decimal, 0, 400, ratio(1, 2)),
        within("other", ColumnType::Integer, 0, 10, whole(1)),
        within("came", ColumnType::Date, 0, 20_000, whole(1)),
        within("left", ColumnType::Date, 0, 20_000, whole(1)),
        Column::new("smoker", ColumnType::Boolean),
        Column::new("ward", ColumnType::Integer).with_keys((1..=4).map(Key::Integer).collect()),
    ];
    let entity = Entity::new("person", Caps { rows_per_group: 3, groups: 2 });
    deniable_sql::plan(&format!("SELECT {select}"), &[TableSchema::protected("t", columns, Some(entity))]).unwrap()
}

/// Guesses about the columns age, cost, came and left, of 1,000 rows of 400 people.
fn guesses(expressions: &[(String, Rational)]) -> Guesses<'_> {
    Guesses {
        rows: Some(whole(1_000)),
        all_rows: Some(whole(1_000)),
        entities: Some(whole(400)),
        column: &|table, column| {
            let (mean, deviation) = match (table, column) {
                ("t", "age") => (45, Some(whole(20))),
                ("t", "cost") => (30, None),
                ("t", "came") => (10_000, None),
                ("t", "left") => (10_007, None),
                _ => return None,
            };
            Some(ColumnGuess { mean: whole(mean), deviation })
        },
        expressions,
    }
}

fn typical(select: &str, stated: &[(&str, Rational)]) -> Vec<Result<i128, BTreeSet<MissingGuess>>> {
    let stated: Vec<(String, Rational)> =
        stated.iter().map(|(words, mean)| ((*words).to_owned(), mean.clone())).collect();
    query(select).typical(&guesses(&stated))
}

/// Typical values in the order of measures, each in its units.
fn values(select: &str, stated: &[(&str, Rational)]) -> Vec<i128> {
    let mut values: Vec<i128> = typical(select, stated).into_iter().map(|value| value.unwrap()).collect();
    values.sort_unstable();
    values
}

#[test]
fn measures_follow_from_guesses() {
    assert_eq!(values("COUNT(*) FROM t", &[]), [1_000]);
    assert_eq!(values("ward, COUNT(*) FROM t GROUP BY ward", &[]), [250]);
    assert_eq!(values("COUNT(DISTINCT person) FROM t", &[]), [400]);
    assert_eq!(values("SUM(age) FROM t", &[]), [45_000]);
    assert_eq!(values("SUM(cost) FROM t", &[]), [60_000], "in halves");
    assert_eq!(values("SUM(2 * age - 10) FROM t", &[]), [40_000], "in twos");
    assert_eq!(values("SUM(age + other) FROM t", &[("other", whole(5))]), [50_000]);
    assert_eq!(values("SUM(DATE_DIFF('day', came, left)) FROM t", &[]), [7_000]);
    // Around the middle, 50: 1,000 · (20² + 5²).
    assert_eq!(values("VAR_POP(age) FROM t", &[]), [-5_000, 1_000, 425_000]);
    assert_eq!(values("VAR_POP(age * 2) FROM t", &[]), [-5_000, 1_000, 425_000], "in twos");
}

#[test]
fn conditions_are_parts_of_the_rows() {
    let smoker = [("smoker", ratio(1, 4))];
    assert_eq!(values("COUNT(*) FILTER (WHERE smoker) FROM t", &smoker), [250]);
    assert_eq!(values("COUNT(*) FILTER (WHERE NOT smoker) FROM t", &smoker), [750]);
    assert_eq!(values("COUNT(DISTINCT person) FILTER (WHERE smoker) FROM t", &smoker), [100]);
    assert_eq!(values("SUM(age) FILTER (WHERE smoker) FROM t", &smoker), [250 * 45]);
    assert_eq!(values("AVG(age) FILTER (WHERE smoker) FROM t", &smoker), [-5 * 250, 250]);
    assert_eq!(values("SUM(CASE WHEN smoker THEN age ELSE 0 END) FROM t", &smoker), [250 * 45]);
    assert_eq!(values("SUM(CASE WHEN age > 65 THEN 3 ELSE -1 END) FROM t", &[("age>65", ratio(1, 10))]), [-600]);
    // A mixture of 0 and 1: the variance of a condition, p(1 − p), around 0.
    assert_eq!(values("VAR_POP(CASE WHEN smoker THEN 1 ELSE 0 END) FROM t", &smoker), [250, 250, 1_000]);
}

fn missing(select: &str) -> Vec<MissingGuess> {
    typical(select, &[]).into_iter().filter_map(Result::err).flatten().collect::<BTreeSet<_>>().into_iter().collect()
}

#[test]
fn missing_guesses_are_named() {
    let column = |column: &str| MissingGuess::Column { table: "t".into(), column: column.into() };
    assert_eq!(missing("SUM(other) FROM t"), [column("other")]);
    assert_eq!(missing("VAR_POP(cost) FROM t"), [MissingGuess::Spread { table: "t".into(), column: "cost".into() }]);
    assert_eq!(missing("VAR_POP(age + cost) FROM t"), [MissingGuess::SpreadOf("(age + cost)".into())]);
    // The mean of products and branches of varying values does not follow from the means of the values.
    assert_eq!(missing("SUM(age * age) FROM t"), [MissingGuess::Expression("(age * age)".into())]);
    assert_eq!(missing("COUNT(*) FILTER (WHERE age > 65 AND smoker) FROM t").len(), 1);
    assert_eq!(
        missing("SUM(CASE WHEN age > 65 THEN other ELSE 0 END) FROM t"),
        [column("other"), MissingGuess::Expression("age > 65".into())]
    );
    assert_eq!(missing("MEDIAN(age) FROM t"), [MissingGuess::Rank]);
    let nothing = Guesses { rows: None, all_rows: None, entities: None, column: &|_, _| None, expressions: &[] };
    let all = |select: &str| {
        query(select).typical(&nothing).into_iter().filter_map(Result::err).flatten().collect::<Vec<_>>()
    };
    assert_eq!(all("COUNT(*) FROM t"), [MissingGuess::Rows]);
    assert_eq!(all("COUNT(DISTINCT person) FROM t"), [MissingGuess::Entities]);
    // Stated expressions that are not in the query are reported; spaces do not matter.
    let stated = [("age>65".to_owned(), ratio(1, 2)), ("age > 66".to_owned(), ratio(1, 2))];
    assert_eq!(query("COUNT(*) FILTER (WHERE age > 65) FROM t").unknown(&stated), ["age > 66"]);
}
