//! Groups that are reached only by NULL, undeclared keys or numbers beyond bounds are in the answer, whatever the data.

use deniable_answers::{Noisy, ShownValue};
use deniable_core::exact::{Rational, ratio, whole};
use deniable_core::noise::{Decay, tree};
use deniable_core::schema::{Bounds, Column, ColumnType, CsvOptions, Data, Entity, Format, Key, TableSchema};
use deniable_core::sensitivity::Caps;
use deniable_data::{Resources, Source};
use deniable_execute::{Exact, Salt, exact};
use deniable_query::MeasureKind;
use deniable_query::Query;
use num_bigint::BigInt;
use num_traits::{Signed, ToPrimitive};
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;
use std::collections::BTreeMap;
use std::path::Path;

/// The exact cells of a query about a file `rows.csv`.
pub fn found(query: &Query, folder: &Path, table: &TableSchema) -> Exact {
    let data = Data {
        table: table.name.clone(),
        path: "rows.csv".to_owned(),
        version: "1".to_owned(),
        format: Format::Csv(CsvOptions::with_delimiter(b',')),
        partitions: Vec::new(),
        typical_rows: None,
    };
    let source = Source::locate(table.clone(), &data, folder).unwrap();
    exact(&[source], query, &Salt([1; 32]), &Resources::default(), &|_| {}).unwrap()
}

/// The number of rows of each group, by its displayed key. Several keys are joined by `|`.
fn counts(query: &Query, folder: &Path, table: &TableSchema) -> BTreeMap<String, i128> {
    let found = found(query, folder, table);
    let mut names = vec![String::new()];
    for group in query.groups() {
        let joined = |name: &String, key: &Key| if name.is_empty() { key.to_string() } else { format!("{name}|{key}") };
        names = names.iter().flat_map(|name| group.keys.iter().map(move |key| joined(name, key))).collect();
    }
    names.into_iter().zip(found.reveal()[0].iter().map(|cell| cell[0])).collect()
}

fn within(name: &str, kind: ColumnType, low: i64, high: i64) -> Column {
    let step = if kind == ColumnType::Decimal { ratio(1, 2) } else { whole(1) };
    Column::new(name, kind).within(Bounds::new(whole(low), whole(high), step).unwrap())
}

/// The declarations of `testdata/groups/rows.csv`, which has values beyond them.
fn declared() -> TableSchema {
    let text = |text: &str| Key::Text(text.to_owned());
    let columns = vec![
        Column::new("who", ColumnType::Integer),
        within("x", ColumnType::Integer, 0, 5),
        Column::new("k", ColumnType::Text).with_keys(vec![text("a"), text("b")]),
        Column::new("s", ColumnType::Text).with_keys(vec![text("n"), text("s"), Key::Null, Key::Other]),
        Column::new("b", ColumnType::Boolean),
        within("y", ColumnType::Decimal, 0, 10),
        // The days of 2024.
        within("d", ColumnType::Date, 19_723, 20_088),
    ];
    TableSchema::protected("t", columns, Some(Entity::new("who", Caps { rows_per_group: 1000, groups: 1000 })))
}

/// A statistician's queries, with the groups that pandas counts (`testdata/groups/groups.py`). Only groups outside the
/// declarations may be missing, and then a note states it.
#[test]
fn no_group_that_pandas_counts_is_missing() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../testdata/groups");
    let corpus = std::fs::read_to_string(folder.join("groups.tsv")).unwrap();
    let mut wrong = Vec::new();
    for line in corpus.lines() {
        let fields: Vec<&str> = line.split('\t').collect();
        let [group, inside, sizes @ ..] = fields.as_slice() else { panic!("{line}") };
        let (sql, table) = match inside.is_empty() {
            true => {
                (format!("SELECT COUNT(*) AS n FROM t GROUP BY {group}"), TableSchema { entity: None, ..declared() })
            }
            false => {
                let of_each = format!("SELECT who, {inside} AS v FROM t GROUP BY who");
                (format!("SELECT COUNT(*) AS n FROM ({of_each}) AS p GROUP BY {group}"), declared())
            }
        };
        let query = match deniable_sql::plan(&sql, std::slice::from_ref(&table)) {
            Ok(query) => query,
            Err(error) => {
                wrong.push(format!("{sql}: {error}"));
                continue;
            }
        };
        let mut found = counts(&query, &folder, &table);
        let mut leaves_out = false;
        for part in sizes.chunks_exact(3) {
            let [kind, key, size] = part else { panic!("{line}") };
            let counted = found.remove(*key);
            let expected = (*kind == "group").then(|| size.parse().unwrap());
            leaves_out |= *kind == "left out";
            if counted != expected {
                wrong.push(format!("{sql}: of `{key}` {expected:?} rows are expected, and {counted:?} found"));
            }
        }
        // All other groups are declared, and empty.
        if found.values().any(|size| *size != 0) {
            wrong.push(format!("{sql}: more groups: {found:?}"));
        }
        let is_noted = query.groups().iter().any(|group| query.may_leave_out(group));
        if leaves_out && !is_noted {
            wrong.push(format!("{sql}: groups are left out without a note"));
        }
    }
    assert!(corpus.lines().count() >= 55);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Writes these CSV rows to a file in a temporary folder, and returns the counts of a query about it.
fn counted_in(rows: &str, table: &TableSchema, sql: &str) -> BTreeMap<String, i128> {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("rows.csv"), rows).unwrap();
    counts(&query(sql, table), folder.path(), table)
}

fn query(sql: &str, table: &TableSchema) -> Query {
    deniable_sql::plan(sql, std::slice::from_ref(table)).unwrap_or_else(|error| panic!("{sql}: {error}"))
}

/// The shown answer without noise: keys, and exact numbers.
fn shown(sql: &str, rows: &str, table: &TableSchema) -> Vec<Vec<String>> {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("rows.csv"), rows).unwrap();
    let query = query(sql, table);
    let cells = found(&query, folder.path(), table).reveal();
    let values = cells.into_iter().map(|cells| cells.into_iter().map(|cell| cell[0]).collect()).collect();
    let decays = vec![Decay::exactly(ratio(1, 2)).unwrap(); query.measures().len()];
    let shown = deniable_answers::show(&query, &Noisy { values, consistent: None, decays }, &ratio(19, 20));
    let text = |shown: &ShownValue| match shown {
        ShownValue::Key(key) => key.to_string(),
        ShownValue::All => "(all)".to_owned(),
        ShownValue::Number { estimate, .. } => estimate.as_ref().map_or_else(|| "NULL".to_owned(), ToString::to_string),
        ShownValue::Text(text) => text.clone(),
    };
    shown.iter().map(|row| row.0.iter().map(text).collect()).collect()
}

/// x within [0, 5], keys a and b of k, and values beyond both.
const ROWS: &str = "who,x,k,s,b,y,d\n1,1,a,,true,,\n2,2,b,,false,,\n3,,,,,,\n4,,z,,,,\n5,9,a,,true,,\n";

fn row_level() -> TableSchema {
    TableSchema { entity: None, ..declared() }
}

/// Both truth values of a condition and all constants of a choice are groups, in the order in which keys are counted.
#[test]
fn groups_that_missing_and_undeclared_values_alone_reach() {
    let by = |group: &str| counted_in(ROWS, &row_level(), &format!("SELECT COUNT(*) AS n FROM t GROUP BY {group}"));
    let same = |group: &str, expected: &[(&str, i128)]| {
        let expected: BTreeMap<String, i128> = expected.iter().map(|(key, n)| ((*key).to_owned(), *n)).collect();
        let mut found = by(group);
        found.retain(|key, n| *n != 0 || expected.contains_key(key));
        assert_eq!(found, expected, "{group}");
    };
    same("x IS NULL", &[("false", 3), ("true", 2)]);
    same("CASE WHEN x IS NULL THEN 'missing' ELSE 'present' END", &[("missing", 2), ("present", 3)]);
    same("COALESCE(x, -1)", &[("-1", 2), ("1", 1), ("2", 1)]);
    same("COALESCE(k, 'none')", &[("a", 2), ("b", 1), ("none", 1)]);
    same("COALESCE(CAST(x AS VARCHAR), 'none')", &[("1", 1), ("2", 1), ("none", 2)]);
    same("CASE WHEN b THEN 'y' WHEN NOT b THEN 'n' ELSE 'unknown' END", &[("n", 1), ("unknown", 2), ("y", 2)]);
    same("CASE WHEN x > 5 THEN 'high' ELSE 'other' END", &[("high", 1), ("other", 4)]);
    same("x > 5", &[("false", 2), ("true", 1)]);
    same("k = 'z'", &[("false", 3), ("true", 1)]);
    // The query contains a constant that only values beyond the bounds of a wide range reach.
    let wide = Column::new("x", ColumnType::Integer).within(Bounds::new(whole(0), whole(9_999_999), whole(1)).unwrap());
    let mut table = row_level();
    table.columns[1] = wide;
    let keys = |group: &str| {
        let query = query(&format!("SELECT COUNT(*) AS n FROM t GROUP BY {group}"), &table);
        query.groups()[0].keys.iter().map(Key::to_string).collect::<Vec<_>>()
    };
    assert_eq!(keys("LOWER(CASE WHEN x > 3 THEN 'A' ELSE 'B' END)"), ["a", "b"]);
    assert_eq!(keys("BIN(LEAST(x, 20000000), 10000000)"), ["0", "10000000", "20000000"]);
    assert_eq!(keys("CASE WHEN x IS NULL THEN NULL ELSE TRUE END"), ["true", "NULL"]);
}

/// Derived groups include none for values that no row can have: the bands of a column are unchanged.
#[test]
fn no_group_is_added_that_no_row_can_have() {
    let keys = |group: &str| {
        let query = query(&format!("SELECT COUNT(*) AS n FROM t GROUP BY {group}"), &row_level());
        query.groups()[0].keys.iter().map(Key::to_string).collect::<Vec<_>>().join(" ")
    };
    for (group, expected) in [
        ("CASE WHEN x < 3 THEN x ELSE 99 END", "0 1 2 99"),
        ("x * 10 + CAST(x > 3 AS INTEGER)", "0 10 20 30 41 51"),
        ("CASE WHEN k IN ('a') THEN k ELSE 'other' END", "a other"),
        ("LEAST(x, 3)", "0 1 2 3"),
        ("LEAST(GREATEST(x, 0), 7)", "0 1 2 3 4 5"),
        ("UPPER(k)", "A B"),
        // 0 and 3 are beyond the buckets; NULL is in no bucket.
        ("WIDTH_BUCKET(x, 0, 4, 2)", "1 2 3 0"),
        ("x < 3", "true false"),
        ("COALESCE(CASE WHEN x < 2 THEN x END, 9)", "0 1 9"),
    ] {
        assert_eq!(keys(group), expected, "{group}");
    }
}

/// A total beside groups counts all rows; rows outside the shown groups count in it alone.
#[test]
fn a_total_beside_groups_includes_rows_outside_them() {
    let rows = |sql: &str| shown(sql, ROWS, &row_level()).iter().map(|row| row.join(" ")).collect::<Vec<_>>();
    let percent = "SELECT k, COUNT(*) * 100.0 / (SELECT COUNT(*) FROM t) AS p FROM t GROUP BY k";
    assert_eq!(rows(percent), ["a 40", "b 20"]);
    let windows =
        "SELECT k, COUNT(*) AS n, SUM(COUNT(*)) OVER () AS s, (SELECT COUNT(*) FROM t) AS total FROM t GROUP BY k";
    assert_eq!(rows(windows), ["a 2 3 5", "b 1 3 5"]);
    // A ROLLUP counts rows with a key of each group.
    assert_eq!(rows("SELECT k, COUNT(*) AS n FROM t GROUP BY ROLLUP (k)"), ["a 2", "b 1", "(all) 3"]);
    let asked = query(percent, &row_level());
    assert!(asked.may_leave_out(&asked.groups()[0]));
}

/// A number computed from values chosen by rank has an error in rows: the sum of their errors. A range of the same
/// values is not negative.
#[test]
fn ranges_of_quantiles_have_the_error_of_their_ranks() {
    let sql = "SELECT PERCENTILE_CONT(x, 0.75) - PERCENTILE_CONT(x, 0.25) AS iqr, \
               2 * (PERCENTILE_CONT(x, 0.25) - PERCENTILE_CONT(x, 0.75)) AS less, \
               PERCENTILE_CONT(x, 0.75) / PERCENTILE_CONT(x, 0.25) AS times, \
               PERCENTILE_CONT(x, 0.75) - COUNT(*) AS other FROM t";
    // A grid on which each quantile is selected separately.
    let mut table = row_level();
    table.columns[1] = within("x", ColumnType::Integer, 0, 100);
    let query = query(sql, &table);
    let decay = Decay::exactly(ratio(9, 10)).unwrap();
    let decays = vec![decay.clone(); query.measures().len()];
    let is_ranked = |at: &usize| matches!(query.measures()[*at].kind, MeasureKind::Ranked { .. });
    let ranked: Vec<usize> = (0..query.measures().len()).filter(is_ranked).collect();
    // Each gets half of the allowed error of both.
    let margins =
        ranked.iter().map(|at| deniable_answers::rank_margin(&query, *at, 0, &decay, &ratio(39, 40)).unwrap());
    let together: BigInt = margins.sum();
    assert!(ranked.len() == 2 && together.is_positive());
    for [low, high] in [[1_i128, 40], [40, 1], [100, 0]] {
        let values = (0..query.measures().len()).map(|at| match ranked.iter().position(|ranked| *ranked == at) {
            Some(0) => vec![low],
            Some(_) => vec![high],
            None => vec![50],
        });
        let shown = deniable_answers::show(
            &query,
            &Noisy { values: values.collect(), consistent: None, decays: decays.clone() },
            &ratio(19, 20),
        );
        let of = |column: usize| match &shown[0].0[column] {
            ShownValue::Number { estimate, low, high, rows, limits, .. } => {
                (estimate.clone().unwrap(), low.clone(), high.clone(), rows.clone(), limits.is_at_bound)
            }
            other => panic!("{other:?}"),
        };
        let (range, is_at_bound) = ((high - low).max(0), low == 100);
        assert_eq!(of(0), (whole(range), Some(whole(0)), Some(whole(100)), Some(together.clone()), is_at_bound));
        assert_eq!(of(1), (whole(-2 * range), Some(whole(-200)), Some(whole(0)), Some(together.clone()), is_at_bound));
        assert_eq!(of(2).3, Some(together.clone()));
        // The error of a count is not in ranks.
        assert_eq!(of(3).3, None);
    }
}

/// The intervals of quantiles that share a tree have the confidence of any two together, so intervals of differences
/// cover.
#[test]
fn quantiles_of_a_tree_cover_in_pairs() {
    let query = query("SELECT PERCENTILE_CONT(x, 0.25) AS low, PERCENTILE_CONT(x, 0.75) AS high FROM t", &row_level());
    let MeasureKind::Tree { shares, .. } = &query.measures()[0].kind else { panic!("{:?}", query.measures()) };
    let shares: Vec<(u64, u64)> = shares.iter().copied().map(Into::into).collect();
    let folder = tempfile::tempdir().unwrap();
    let rows: String = (0..60).map(|at| format!("{at},{},,,,,\n", at % 6)).collect();
    std::fs::write(folder.path().join("rows.csv"), format!("who,x,k,s,b,y,d\n{rows}")).unwrap();
    let decays = [Decay::exactly(ratio(3, 5)).unwrap()];
    let seeded = ChaCha20Rng::seed_from_u64;
    let drawn = |seed: u64| {
        let cells = found(&query, folder.path(), &row_level());
        cells.with_noise(&query, &decays, &ratio(19, 20), &mut seeded(seed)).remove(0)
    };
    let values: Vec<(i64, u64)> = (0..6).map(|value| (value, 10)).collect();
    let with = |seed: u64, confidence: &Rational| {
        let reach = |share: &(u64, u64)| tree::reach(6, *share, &decays[0], confidence).to_i128().unwrap();
        let reaches: Vec<i128> = shares.iter().map(reach).collect();
        let all = tree::quantiles(&values, (0, 5), &shares, &decays[0], &reaches, &mut seeded(seed));
        all.iter().flat_map(|one| [one.value, one.low, one.high]).map(i128::from).collect::<Vec<_>>()
    };
    assert!((0..40).all(|seed| drawn(seed) == with(seed, &ratio(39, 40))));
    assert!((0..40).any(|seed| drawn(seed) != with(seed, &ratio(19, 20))));
}

/// The ends of a quantile are MIN and MAX.
#[test]
fn quantiles_at_the_ends_are_least_and_greatest() {
    let same = |one: &str, other: &str| {
        let of = |aggregate: &str| query(&format!("SELECT {aggregate} AS v FROM t"), &row_level()).canonical().to_vec();
        assert_eq!(of(one), of(other));
    };
    same("PERCENTILE_CONT(x, 0)", "MIN(x)");
    same("PERCENTILE_CONT(1.0) WITHIN GROUP (ORDER BY x)", "MAX(x)");
}

/// Different spellings of one query have the same identity.
#[test]
fn other_spellings_are_the_same_query() {
    let same = |one: &str, other: &str| {
        let of = |sql: &str| query(sql, &declared()).canonical().to_vec();
        assert_eq!(of(one), of(other), "{one}");
    };
    same("SELECT VARIANCE(x) AS v FROM t", "SELECT VAR_SAMP(x) AS v FROM t");
    same("SELECT SUM(MOD(x, 3)) AS v FROM t", "SELECT SUM(x % 3) AS v FROM t");
    same("SELECT COUNT(*) AS v FROM \"public\".\"t\"", "SELECT COUNT(*) AS v FROM t");
    // The character after an escape character is literal.
    let rows = "who,x,k,s,b,y,d\n1,1,a%,,,,\n2,2,ab,,,,\n";
    let like =
        |pattern: &str| shown(&format!("SELECT COUNT(*) AS n FROM t WHERE k LIKE {pattern}"), rows, &row_level());
    assert_eq!(like("'a!%' ESCAPE '!'"), [["1"]]);
    assert_eq!(like("'a%'"), [["2"]]);
    same(
        "SELECT COUNT(DISTINCT CASE WHEN x > 3 THEN who END) AS v FROM t",
        "SELECT COUNT(DISTINCT who) FILTER (WHERE x > 3) AS v FROM t",
    );
    same(
        "SELECT COUNT(DISTINCT CASE WHEN x > 3 THEN who END) FILTER (WHERE b) AS v FROM t",
        "SELECT COUNT(DISTINCT who) FILTER (WHERE b AND x > 3) AS v FROM t",
    );
    same(
        "SELECT SUM(SIGN(x)) AS v FROM t",
        "SELECT SUM(CASE WHEN x > 0 THEN 1 WHEN x < 0 THEN -1 WHEN x = 0 THEN 0 END) AS v FROM t",
    );
    same("SELECT SUM(TRUNC(y)) AS v FROM t", "SELECT SUM(CASE WHEN y < 0 THEN CEIL(y) ELSE FLOOR(y) END) AS v FROM t");
}

/// Days of timestamps are groups and differences, as days of dates are.
#[test]
fn days_of_timestamps() {
    let day = 86_400_000_000_i64;
    let bounds = Bounds::new(whole(0), whole(3 * day - 1), whole(1)).unwrap();
    let columns = vec![Column::new("at", ColumnType::Timestamp).within(bounds)];
    let table = TableSchema::protected("t", columns, None);
    let rows = "at\n1970-01-01T23:30:00\n1970-01-03T00:10:00\n1970-01-03T23:59:59\n";
    let by_day = |group: &str| counted_in(rows, &table, &format!("SELECT COUNT(*) AS n FROM t GROUP BY {group}"));
    let expected = [("1970-01-01", 1), ("1970-01-02", 0), ("1970-01-03", 2)];
    let expected: BTreeMap<String, i128> = expected.into_iter().map(|(key, n)| (key.to_owned(), n)).collect();
    assert_eq!(by_day("CAST(at AS DATE)"), expected);
    assert_eq!(by_day("at::date"), expected);
    let since = "SELECT SUM(DATE_DIFF('day', TIMESTAMP '1970-01-01 12:00:00', at)) AS days FROM t";
    assert_eq!(shown(since, rows, &table), [["4"]]);
}

/// A part of a total and its interval are within the total, whatever the noise of both.
#[test]
fn parts_of_a_total_are_within_it() {
    let table = row_level();
    let shares = [
        ("100.0 * COUNT(*) / SUM(COUNT(*)) OVER ()", 100),
        ("ROUND(COUNT(*) * 100.0 / (SELECT COUNT(*) FROM t), 1)", 100),
        ("100 * (COUNT(*) FILTER (WHERE b) / COUNT(*))", 100),
        ("COUNT(x) / COUNT(*)", 1),
        ("1000.0 * SUM(x) / SUM(SUM(x)) OVER ()", 1000),
        ("100.0 * COUNT(*) FILTER (WHERE b AND x > 2) / COUNT(*) FILTER (WHERE b)", 100),
        ("COUNT(*) FILTER (WHERE x > 2) / COUNT(x)", 1),
        ("COUNT(*) FILTER (WHERE b AND x IS NOT NULL) / COUNT(x)", 1),
        ("100.0 * COUNT(x) FILTER (WHERE b) / COUNT(x)", 100),
        ("SUM(CASE WHEN b THEN 1 ELSE 0 END) * 100.0 / COUNT(*)", 100),
        ("1 - COUNT(*) FILTER (WHERE b) / COUNT(*)", 1),
        ("100 * (1 - COUNT(x) / COUNT(*))", 100),
        ("ROUND(COUNT(x) / COUNT(*) - 1, 2) + 1", 1),
        ("SUM(x) / COUNT(x)", 5),
        ("SUM(x) / COUNT(*)", 5),
    ];
    let mut decided = 0;
    for (share, most) in shares {
        let query = query(&format!("SELECT k, {share} AS share FROM t GROUP BY k"), &table);
        // Conditions are decided by shown numbers.
        let kept = format!(
            "SELECT k, {share} AS share FROM t GROUP BY k HAVING {share} BETWEEN 0 AND {most} OR ({share}) IS NULL"
        );
        let kept = deniable_sql::plan(&kept, std::slice::from_ref(&table))
            .ok()
            .filter(|kept| kept.measures() == query.measures());
        let decays = vec![Decay::exactly(ratio(9, 10)).unwrap(); query.measures().len()];
        for (seed, count) in [7_i128, -9, 40, 0, 3, -30].into_iter().enumerate() {
            let cell = |at: usize| count * (1 + at as i128 * (seed as i128 - 2)) + 5 * at as i128 - 11;
            let values = query.measures().iter().enumerate();
            let values = values
                .map(|(at, measure)| (0..query.cells(measure.level)).map(|place| cell(at + 2 * place)).collect())
                .collect();
            let noisy = Noisy { values, consistent: None, decays: decays.clone() };
            let rows = deniable_answers::show(&query, &noisy, &ratio(19, 20));
            if let Some(kept) = &kept {
                assert_eq!(deniable_answers::show(kept, &noisy, &ratio(19, 20)).len(), rows.len(), "{share}");
                decided += 1;
            }
            for row in rows {
                let ShownValue::Number { estimate, low, high, .. } = &row.0[1] else { panic!("a number") };
                let inside = whole(0)..=whole(most);
                let (Some(low), Some(high)) = (low, high) else { panic!("{share}: no interval") };
                assert!(inside.contains(low) && inside.contains(high) && low <= high, "{share}: {low} .. {high}");
                assert!(estimate.as_ref().is_none_or(|estimate| inside.contains(estimate)), "{share}: {estimate:?}");
            }
        }
    }
    assert!(decided >= 60);
    // A ratio of other counts may exceed 1.
    let ratio_of = "SELECT COUNT(*) FILTER (WHERE b) / COUNT(x) AS r FROM t";
    let query = query(ratio_of, &table);
    let decays = vec![Decay::exactly(ratio(1, 1000)).unwrap(); query.measures().len()];
    let filter_first = |values: [i128; 2]| values.into_iter().map(|value| vec![value]).collect::<Vec<_>>();
    let shown = |values| {
        deniable_answers::show(&query, &Noisy { values, consistent: None, decays: decays.clone() }, &ratio(19, 20))
    };
    let more =
        [filter_first([50, 100]), filter_first([100, 50])].into_iter().any(|values| match &shown(values)[0].0[0] {
            ShownValue::Number { estimate: Some(estimate), .. } => *estimate == whole(2),
            other => panic!("{other:?}"),
        });
    assert!(more);
}
