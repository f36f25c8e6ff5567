//! Conditions that exclude each other share one part of the price (C-2f).

use deniable_core::schema::{Column, ColumnType, TableSchema};

/// Whether two conditions share their part, over `n`, an integer, `x`, a decimal, `t`, a text, and `f`, a Boolean.
fn excluded(one: &str, other: &str) -> bool {
    let columns =
        [("n", ColumnType::Integer), ("x", ColumnType::Decimal), ("t", ColumnType::Text), ("f", ColumnType::Boolean)];
    let columns = columns.into_iter().map(|(name, kind)| Column::new(name, kind)).collect();
    let table = TableSchema::protected("r", columns, None);
    let sql = format!("SELECT COUNT(*) FILTER (WHERE {one}), COUNT(*) FILTER (WHERE {other}) FROM r");
    let query = deniable_sql::plan(&sql, &[table]).unwrap_or_else(|error| panic!("{sql}: {error}"));
    let parts: Vec<_> = (0..2).map(|at| query.part(at)).collect();
    // In either order.
    assert_eq!(parts[0], parts[1]);
    *parts[0] == deniable_core::exact::whole(1)
}

#[test]
fn exclusive_conditions() {
    for (one, other) in [
        ("t = 'a'", "t = 'b'"),
        ("t = 'a'", "t <> 'a'"),
        ("t IN ('a', 'b')", "t IN ('c')"),
        ("t = 'a'", "t IS NULL"),
        ("t IS NULL", "t IS NOT NULL"),
        ("f", "NOT f"),
        ("f", "f IS NULL"),
        ("f = TRUE", "f = FALSE"),
        ("n < 5", "n >= 5"),
        ("n < 5", "n > 4"),
        ("5 > n", "n BETWEEN 5 AND 9"),
        ("x < 5", "x >= 5"),
        ("n < 5 AND f", "n > 7 OR n = 6"),
        ("n > 3 AND t = 'a'", "n > 3 AND NOT t = 'a'"),
        ("n + 1 < 5", "n + 1 > 6"),
        ("NOT (n < 5 OR n > 9)", "n = 12"),
        ("CASE WHEN n < 3 THEN 'few' ELSE 'many' END = 'few'", "CASE WHEN n < 3 THEN 'few' ELSE 'many' END = 'many'"),
        ("t LIKE 'a%'", "NOT t LIKE 'a%'"),
        ("n < x", "NOT n < x"),
        ("f AND n < x", "NOT (f AND n < x)"),
        ("f OR n < x", "NOT (f OR n < x) AND n > 3"),
        ("t IS NOT DISTINCT FROM 'a'", "t IS DISTINCT FROM 'a'"),
    ] {
        assert!(excluded(one, other), "{one} | {other}");
    }
}

#[test]
fn conditions_that_are_not_known_to_be_exclusive() {
    for (one, other) in [
        ("t = 'a'", "t = 'a' AND f"),
        ("t = 'a'", "n = 1"),
        ("t <> 'a'", "t <> 'b'"),
        ("n < 5", "n <= 5 AND f"),
        ("n <= 5", "n >= 5"),
        // There are decimals between.
        ("x < 5", "x > 4"),
        // Equal values of different expressions, which are not compared.
        ("n < 5", "n + 0 >= 5"),
        ("n < 5", "CAST(n AS DOUBLE) >= 5"),
        // The first condition may hold for any n.
        ("n < 5 OR f", "n > 5"),
        ("t LIKE 'a%'", "t LIKE 'b%'"),
        ("n < x", "n > x"),
        ("NOT (n < 5 AND f)", "n < 4"),
        ("t IS DISTINCT FROM 'a'", "t IS NULL"),
        ("LOWER(t) = 'a'", "t = 'b'"),
    ] {
        assert!(!excluded(one, other), "{one} | {other}");
    }
}

/// 2^53 + 1 as a decimal is 2^53, so both conditions compare with that number.
#[test]
fn constants_are_rounded_to_the_compared_type() {
    assert!(!excluded("x < 9007199254740993", "x <= 9007199254740992 AND f"));
    assert!(excluded("x < 9007199254740993", "x >= 9007199254740992"));
    assert!(excluded("x = 0.0", "x > -0.0"));
}
