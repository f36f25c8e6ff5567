//! Queries over results: aggregates of aggregates, scalar subqueries, CASE. They are computed from the released numbers
//! alone, cost nothing, and their intervals cover with the stated confidence.

use super::windows::decays;
use deniable_answers::{Noisy, ShownRow, ShownValue};
use deniable_core::exact::{ratio, whole};
use deniable_core::noise::{Decay, TwoSidedGeometric};
use deniable_core::schema::{Bounds, Column, ColumnType, Entity, Key, TableSchema};
use deniable_core::sensitivity::Caps;
use deniable_expression::Value;
use deniable_query::MeasureKind;
use deniable_query::Query;
use deniable_testing::sized_to_slow;
use num_traits::ToPrimitive;
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;

/// Eight wards, each with two halves; an age; the person.
fn table() -> TableSchema {
    let keys = |count: i64| (0..count).map(Key::Integer).collect();
    let bounds = Bounds::new(whole(0), whole(90), whole(1)).unwrap();
    let names = ["north", "south"].map(|name| Key::Text(name.to_owned())).to_vec();
    let columns = vec![
        Column::new("ward", ColumnType::Integer).with_keys(keys(8)),
        Column::new("side", ColumnType::Text).with_keys(names),
        Column::new("age", ColumnType::Integer).within(bounds),
    ];
    TableSchema::protected("t", columns, None)
}

/// The same table with several rows of one person.
fn visits() -> TableSchema {
    let columns = vec![
        Column::new("patient", ColumnType::Integer),
        Column::new("ward", ColumnType::Integer).with_keys((0..8).map(Key::Integer).collect()),
    ];
    let caps = Caps { rows_per_group: 4, groups: 2 };
    TableSchema::protected("visits", columns, Some(Entity::new("patient", caps)))
}

fn query(sql: &str) -> Query {
    deniable_sql::plan(sql, &[table()]).unwrap_or_else(|error| panic!("{sql}: {error:?}"))
}

/// Exact totals: ward w has 300 + 100 w rows on each side, with a mean age of 30 + w.
fn totals(query: &Query) -> Vec<Vec<i128>> {
    let total = |measure: &deniable_query::Measure| {
        let level = &query.levels()[measure.level];
        let cell = |cell: usize| {
            let mut rest = cell;
            let (mut wards, mut sides) = (0..8, 2);
            for group in level.iter().rev() {
                let keys = query.groups()[*group].keys.len();
                let at = (rest % keys) as i128;
                rest /= keys;
                // Hidden keys come after the declared ones and have no rows.
                if query.groups()[*group].name == "ward" { wards = at..at + 1 } else { sides = i128::from(at < 2) }
            }
            let of = |ward: i128| {
                let rows = if ward < 8 { (300 + 100 * ward) * sides } else { 0 };
                match &measure.kind {
                    MeasureKind::Sum { of, .. } => rows * of.of(30 + ward as i64),
                    _ => rows,
                }
            };
            wards.map(of).sum()
        };
        (0..query.cells(measure.level)).map(cell).collect()
    };
    query.measures().iter().map(total).collect()
}

fn shown(query: &Query, values: Vec<Vec<i128>>, decays: &[Decay]) -> Vec<ShownRow> {
    deniable_answers::show(query, &Noisy { values, consistent: None, decays: decays.to_vec() }, &ratio(19, 20))
}

/// A cell as text: three digits after the point, unless the number is an integer.
fn text(shown: &ShownValue) -> String {
    match shown {
        ShownValue::Key(key) => key.to_string(),
        ShownValue::All => "(all)".to_owned(),
        ShownValue::Text(text) => text.clone(),
        ShownValue::Number { estimate, .. } => estimate.as_ref().map_or("-".to_owned(), |value| {
            let value = value.to_f64().unwrap();
            if value.fract() == 0.0 { format!("{value}") } else { format!("{value:.3}") }
        }),
    }
}

/// A query, the number of its measures, and its shown rows without noise.
const CASES: &[(&str, usize, &[&str])] = &[
    (
        "SELECT SUM(n) AS s, COUNT(*) AS c, MIN(n) AS l, MAX(n) AS h, AVG(n) AS a FROM (SELECT ward, COUNT(*) AS n FROM t GROUP BY ward)",
        1,
        &["10400 8 600 2000 1300"],
    ),
    (
        "SELECT side, SUM(n) AS s, COUNT(n) AS c FROM (SELECT ward, side, COUNT(*) AS n FROM t GROUP BY ward, side) GROUP BY side",
        1,
        &["north 5200 8", "south 5200 8"],
    ),
    (
        "SELECT CASE WHEN ward < 4 THEN 'low' ELSE 'high' END AS part, SUM(n) AS s FROM (SELECT ward, COUNT(*) AS n FROM t GROUP BY ward) GROUP BY CASE WHEN ward < 4 THEN 'low' ELSE 'high' END",
        1,
        &["low 3600", "high 6800"],
    ),
    // Wards of 1,000 rows and more.
    (
        "SELECT COUNT(*) AS c, SUM(n) AS s FROM (SELECT ward, COUNT(*) AS n FROM t GROUP BY ward HAVING COUNT(*) >= 1000) AS big",
        1,
        &["6 9000"],
    ),
    // Without rows a count is 0, and a sum is NULL.
    (
        "SELECT COUNT(*) AS c, SUM(n) AS s FROM (SELECT ward, COUNT(*) AS n FROM t GROUP BY ward HAVING COUNT(*) > 9999) AS none",
        1,
        &["0 -"],
    ),
    (
        "SELECT ward, SUM(n) AS s FROM (SELECT ward, COUNT(*) AS n FROM t GROUP BY ward HAVING COUNT(*) > 9999) AS none GROUP BY ward",
        1,
        &[],
    ),
    // The three largest.
    (
        "SELECT SUM(n) AS s FROM (SELECT ward, COUNT(*) AS n FROM t GROUP BY ward ORDER BY n DESC LIMIT 3) AS top",
        1,
        &["5400"],
    ),
    (
        "SELECT SUM(n) FILTER (WHERE ward >= 6) AS s, COUNT(*) FILTER (WHERE n < 900) AS c, AVG(n) FILTER (WHERE ward < 2) AS a FROM (SELECT ward, COUNT(*) AS n FROM t GROUP BY ward)",
        1,
        &["3800 2 700"],
    ),
    // By ranges of the released numbers.
    (
        "SELECT FLOOR(n / 1000) AS size, COUNT(*) AS wards FROM (SELECT ward, COUNT(*) AS n FROM t GROUP BY ward) GROUP BY FLOOR(n / 1000) ORDER BY size DESC",
        1,
        &["2 1", "1 5", "0 2"],
    ),
    // Three aggregates deep.
    (
        "SELECT MAX(s) AS m FROM (SELECT side, SUM(n) AS s FROM (SELECT ward, side, COUNT(*) AS n FROM t GROUP BY ward, side) GROUP BY side)",
        1,
        &["5200"],
    ),
    // Rows about all keys are not rows with a NULL key.
    (
        "SELECT side, SUM(n) AS s, COUNT(*) AS c FROM (SELECT ward, side, COUNT(*) AS n FROM t GROUP BY ROLLUP (side, ward)) GROUP BY side",
        3,
        &["north 10400 9", "south 10400 9", "(all) 10400 1"],
    ),
    (
        "SELECT ward, 100.0 * COUNT(*) / (SELECT COUNT(*) FROM t) AS p FROM t GROUP BY ward ORDER BY p DESC LIMIT 2",
        2,
        &["7 19.231", "6 17.308"],
    ),
    (
        "WITH w AS (SELECT ward, COUNT(*) AS n FROM t GROUP BY ward) SELECT ward, 100.0 * n / (SELECT SUM(n) FROM w) AS p FROM w ORDER BY p LIMIT 2",
        1,
        &["0 5.769", "1 7.692"],
    ),
    (
        "WITH w AS (SELECT ward, COUNT(*) AS n FROM t GROUP BY ward) SELECT ward, n FROM w WHERE n > (SELECT AVG(n) FROM w) ORDER BY n",
        1,
        &["4 1400", "5 1600", "6 1800", "7 2000"],
    ),
    (
        "WITH w AS (SELECT ward, COUNT(*) AS n FROM t GROUP BY ward) SELECT ward FROM w WHERE n = (SELECT MAX(n) FROM w)",
        1,
        &["7"],
    ),
    (
        "WITH w AS (SELECT ward, COUNT(*) AS n FROM t GROUP BY ward) SELECT ward, n / (SELECT n FROM w WHERE ward = 0 LIMIT 1) AS r FROM w WHERE ward < 3",
        1,
        &["0 1", "1 1.333", "2 1.667"],
    ),
    // A total and its parts, in one query; equal numbers are measured once.
    (
        "SELECT side, COUNT(*) AS n FROM t GROUP BY ROLLUP (side) HAVING COUNT(*) <= (SELECT COUNT(*) FROM t)",
        2,
        &["north 5200", "south 5200", "(all) 10400"],
    ),
    (
        "SELECT ward, AVG(age) - (SELECT AVG(age) FROM t) AS d FROM t GROUP BY ward HAVING ward IN (0, 7)",
        4,
        &["0 -4.308", "7 2.692"],
    ),
    ("SELECT COUNT(*) / (SELECT COUNT(*) FROM t) AS one FROM t", 1, &["1"]),
    (
        "SELECT ward, CASE WHEN COUNT(*) < 900 THEN NULL ELSE AVG(age) END AS a FROM t GROUP BY ward HAVING ward < 3",
        3,
        &["0 -", "1 -", "2 32"],
    ),
    (
        "SELECT ward, CASE ward WHEN 0 THEN 'first' WHEN 1 THEN 'second' END AS name FROM (SELECT ward, COUNT(*) AS n FROM t GROUP BY ward) WHERE ward < 3",
        1,
        &["0 first", "1 second", "2 NULL"],
    ),
    // Direct standardisation, with weights of the query.
    (
        "SELECT SUM(m * w) / SUM(w) AS standard FROM (SELECT ward, AVG(age) AS m, CASE ward WHEN 0 THEN 3 WHEN 7 THEN 1 ELSE 0 END AS w FROM t GROUP BY ward)",
        2,
        &["31.750"],
    ),
    (
        "SELECT AVG(n) AS a, MAX(n) AS m FROM (SELECT side, CASE WHEN side = 'north' THEN COUNT(*) END AS n FROM t GROUP BY side)",
        1,
        &["5200 5200"],
    ),
    // A subquery with the same text as an aggregate beside it is another number.
    (
        "SELECT ward, (SELECT COUNT(*) FROM t) - COUNT(*) AS d FROM t GROUP BY ward HAVING ward < 2",
        2,
        &["0 9800", "1 9600"],
    ),
    ("SELECT ward FROM t GROUP BY ward HAVING (SELECT COUNT(*) FROM t) - COUNT(*) > 9700", 2, &["0"]),
    (
        "SELECT ward, COUNT(*) AS n, CASE WHEN COUNT(*) > (SELECT COUNT(*) FROM t) / 6.0 THEN 1 ELSE 0 END AS c FROM t GROUP BY ward HAVING ward > 5",
        2,
        &["6 1800 1", "7 2000 1"],
    ),
    // A Boolean value is a condition.
    (
        "SELECT old, CASE WHEN old THEN 2 ELSE 3 END AS w, n FROM (SELECT side = 'north' AS old, COUNT(*) AS n FROM t GROUP BY side = 'north')",
        1,
        &["true 2 5200", "false 3 5200"],
    ),
    (
        "SELECT n FROM (SELECT side = 'north' AS old, COUNT(*) AS n FROM t GROUP BY side = 'north') WHERE NOT old OR old IS TRUE",
        1,
        &["5200", "5200"],
    ),
    (
        "SELECT old FROM (SELECT side = 'north' AS old, COUNT(*) AS n FROM t GROUP BY side = 'north') WHERE old <> TRUE",
        1,
        &["false"],
    ),
    (
        "SELECT old FROM (SELECT side = 'north' AS old, COUNT(*) AS n FROM t GROUP BY side = 'north') WHERE old IS NOT FALSE",
        1,
        &["true"],
    ),
    // A NULL key and all keys together are two groups.
    (
        "WITH r AS (SELECT CASE WHEN age > 50 THEN 'old' END AS a, COUNT(*) AS n FROM t GROUP BY ROLLUP (CASE WHEN age > 50 THEN 'old' END)) \
         SELECT a, SUM(n) AS s FROM r GROUP BY a",
        2,
        &["old 5200", "NULL 5200", "(all) 10400"],
    ),
    // NULL, and the values that replace it.
    (
        "SELECT ward, ROUND(100.0 * n / NULLIF(m, 0), 1) AS p FROM (SELECT ward, COUNT(*) AS n, SUM(age) AS m FROM t GROUP BY ward) WHERE ward < 2",
        2,
        &["0 3.300", "1 3.200"],
    ),
    (
        "SELECT ward, NULLIF(n, 800) AS n, COALESCE(NULLIF(n, 800), ward, 7) AS k FROM (SELECT ward, COUNT(*) AS n FROM t GROUP BY ward) LIMIT 2",
        1,
        &["0 600 600", "1 - 1"],
    ),
    (
        "SELECT ward FROM (SELECT ward, NULLIF(COUNT(*), 800) AS n FROM t GROUP BY ward) WHERE (n IS DISTINCT FROM 600) AND ward < 3",
        1,
        &["1", "2"],
    ),
    (
        "SELECT ward FROM (SELECT ward, NULLIF(COUNT(*), 800) AS n FROM t GROUP BY ward) WHERE n IS NOT DISTINCT FROM NULLIF(3, 3)",
        1,
        &["1"],
    ),
    (
        "SELECT SUM(n) FILTER (WHERE TRUE) AS s, SUM(n) FILTER (WHERE FALSE) AS f FROM (SELECT ward, COUNT(*) AS n FROM t GROUP BY ward)",
        1,
        &["10400 -"],
    ),
];

#[test]
fn results_are_computed_from_released_numbers() {
    for &(sql, measures, wanted) in CASES {
        let query = query(sql);
        let decays = decays(&query, &whole(3));
        let rows = shown(&query, totals(&query), &decays);
        let found: Vec<String> = rows.iter().map(|row| row.0.iter().map(text).collect::<Vec<_>>().join(" ")).collect();
        println!("{sql}\n  {found:?}");
        assert_eq!(query.measures().len(), measures, "{sql}");
        if !wanted.is_empty() {
            assert_eq!(found, wanted, "{sql}");
        }
    }
}

/// Conditions depend on noisy numbers, and the intervals account for that noise.
#[test]
fn intervals_of_results_cover() {
    let (draws, least) = (sized_to_slow(150, 1_000, 2_000), sized_to_slow(0.92, 0.935, 0.94));
    // The width relative to the narrowest window for known totals: sums use the distribution of their noise, others the
    // ends of intervals.
    for (sql, most_wide) in [
        ("SELECT SUM(n) AS s FROM (SELECT ward, COUNT(*) AS n FROM t GROUP BY ward)", 1.5),
        (
            "SELECT side, AVG(n) AS s FROM (SELECT ward, side, COUNT(*) AS n FROM t GROUP BY ward, side) GROUP BY side",
            1.3,
        ),
        ("SELECT SUM(n) FILTER (WHERE ward >= 6) AS s FROM (SELECT ward, COUNT(*) AS n FROM t GROUP BY ward)", 1.5),
        ("SELECT MAX(n) AS s FROM (SELECT ward, COUNT(*) AS n FROM t GROUP BY ward)", 3.0),
        ("SELECT ward, 100.0 * COUNT(*) / (SELECT COUNT(*) FROM t) AS p FROM t GROUP BY ward", 1.5),
        (
            "WITH w AS (SELECT ward, COUNT(*) AS n FROM t GROUP BY ward) SELECT ward, n / (SELECT AVG(n) FROM w) AS p FROM w",
            1.3,
        ),
        ("SELECT ward, CASE WHEN ward > 3 THEN AVG(age) ELSE COUNT(age) END AS p FROM t GROUP BY ward", 1.5),
        (
            "SELECT SUM(m * w) / SUM(w) AS p FROM (SELECT ward, AVG(age) AS m, CASE WHEN ward < 4 THEN 3 ELSE 1 END AS w FROM t GROUP BY ward)",
            8.0,
        ),
    ] {
        let query = query(sql);
        let column = query.output().columns.len() - 1;
        let (decays, exact) = (decays(&query, &ratio(5, 4)), totals(&query));
        let ends = |values: Vec<Vec<i128>>| -> Vec<[f64; 3]> {
            let number = |row: &ShownRow| match &row.0[column] {
                ShownValue::Number { estimate, low, high, .. } => {
                    [estimate, low, high].map(|end| end.as_ref().unwrap().to_f64().unwrap())
                }
                other => panic!("{other:?}"),
            };
            shown(&query, values, &decays).iter().map(number).collect()
        };
        let truth = ends(exact.clone());
        // The seed is fixed: the tolerances are not error rates.
        let mut rng = ChaCha20Rng::seed_from_u64(23);
        let (mut covered, mut all, mut width) = (0_usize, 0_usize, 0.0);
        let mut errors: Vec<Vec<f64>> = vec![Vec::new(); truth.len()];
        for _ in 0..draws {
            let noise = |(cells, decay): (&Vec<i128>, &Decay)| -> Vec<i128> {
                cells.iter().map(|total| total + TwoSidedGeometric::new(decay.clone()).sample(&mut rng)).collect()
            };
            let noisy = exact.iter().zip(&decays).map(noise).collect();
            for (at, ([estimate, low, high], [truth, ..])) in ends(noisy).into_iter().zip(&truth).enumerate() {
                covered += usize::from(low <= *truth && *truth <= high);
                all += 1;
                width += high - low;
                errors[at].push(estimate - truth);
            }
        }
        let mut shortest = 0.0;
        for errors in &mut errors {
            errors.sort_by(f64::total_cmp);
            let most = (errors.len() as f64 * 0.95).ceil() as usize;
            let narrowest = errors.windows(most).map(|part| part[most - 1] - part[0]).fold(f64::INFINITY, f64::min);
            shortest += narrowest * errors.len() as f64;
        }
        let (covered, wider) = (covered as f64 / all as f64, width / shortest);
        println!("covers {covered:.4}, width {wider:.3}: {sql}");
        assert!(covered >= least && wider < most_wide * sized_to_slow(1.2, 1.0, 1.0), "{sql}: {covered} {wider}");
    }
}

/// A row's expression may not depend on other rows, and a subquery must be one number.
#[test]
fn subqueries_that_are_not_one_number_are_refused() {
    for (sql, help) in [
        ("SELECT COUNT(*) FROM t WHERE age > (SELECT AVG(age) FROM t)", "query the number first"),
        ("SELECT SUM(age - (SELECT AVG(age) FROM t)) FROM t", "query the number first"),
        ("SELECT ward, COUNT(*) / (SELECT COUNT(*) FROM t WHERE age > 50) FROM t GROUP BY ward", "FILTER (WHERE"),
        ("SELECT ward, COUNT(*) / (SELECT COUNT(*) FROM t GROUP BY side) FROM t GROUP BY ward", "LIMIT 1"),
        ("SELECT ward, COUNT(*) / (SELECT side, COUNT(*) FROM t GROUP BY side LIMIT 1) FROM t GROUP BY ward", ""),
        (
            "SELECT ward, COUNT(*) AS n FROM t GROUP BY ward ORDER BY (SELECT COUNT(*) FROM t) - COUNT(*)",
            "order by that name",
        ),
        ("SELECT ward, COUNT(*) / (SELECT age FROM t LIMIT 1) FROM t GROUP BY ward", ""),
        (
            "SELECT ward FROM (SELECT ward, COUNT(*) AS n FROM t GROUP BY ward) AS x WHERE n IN (SELECT 3)",
            "name the declared table",
        ),
        ("SELECT VAR_SAMP(n) FROM (SELECT ward, COUNT(*) AS n FROM t GROUP BY ward)", "SUM, AVG, COUNT, MIN or MAX"),
        ("SELECT side FROM (SELECT side, COUNT(*) AS n FROM t GROUP BY side) WHERE side LIKE 'n%'", "IN ("),
        (
            "SELECT CASE WHEN n < 600 THEN '<600' ELSE n END AS n FROM (SELECT ward, COUNT(*) AS n FROM t GROUP BY ward)",
            "separate column",
        ),
        ("SELECT COUNT(DISTINCT n) FROM (SELECT ward, COUNT(*) AS n FROM t GROUP BY ward)", "DISTINCT"),
        ("SELECT MIN(side) FROM (SELECT side, COUNT(*) AS n FROM t GROUP BY side)", "not a number"),
        (
            "SELECT side, SUM(n) FROM (SELECT ward, side, COUNT(*) AS n FROM t GROUP BY ward, side) GROUP BY ROLLUP (side)",
            "inner query",
        ),
    ] {
        let error = deniable_sql::plan(sql, &[table()]).err().unwrap_or_else(|| panic!("{sql}"));
        println!("{sql}\n  {error:?}");
        assert!(format!("{error:?}").contains(help), "{sql}: {error:?}");
    }
    // As many tables as the planner would expand.
    let doubled = (1..12).fold("WITH c0 AS (SELECT COUNT(*) AS n FROM t)".to_owned(), |sql, at| {
        let before = at - 1;
        format!("{sql}, c{at} AS (SELECT n + (SELECT n FROM c{before}) AS n FROM c{before})")
    });
    let error = deniable_sql::plan(&format!("{doubled} SELECT n FROM c11"), &[table()]).unwrap_err();
    assert!(format!("{error:?}").contains("more than 64 tables"), "{error:?}");
    // A short query whose expansion is very long.
    let doubled = (1..40).fold("WITH c0 AS (SELECT COUNT(*) AS n FROM t)".to_owned(), |sql, at| {
        format!("{sql}, c{at} AS (SELECT n + n AS n FROM c{})", at - 1)
    });
    let error = deniable_sql::plan(&format!("{doubled} SELECT n FROM c39"), &[table()]).unwrap_err();
    assert!(format!("{error:?}").contains("more than 2000 parts"), "{error:?}");
}

/// An aggregate over rows of each entity stays one; over other groups it is an aggregate of results.
#[test]
fn aggregates_of_entities_are_not_aggregates_of_results() {
    let query = |sql: &str| deniable_sql::plan(sql, &[visits()]).unwrap_or_else(|error| panic!("{sql}: {error:?}"));
    let results = query("SELECT AVG(n) AS a FROM (SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward)");
    assert!(!results.is_of_entity_rows() && results.measures().len() == 1 && results.caps().groups == 2);
    let entities =
        query("SELECT AVG(LEAST(n, 9)) AS a FROM (SELECT patient, COUNT(*) AS n FROM visits GROUP BY patient)");
    assert!(entities.is_of_entity_rows());
    // Both: the number of patients with each number of visits, and its part of the total.
    let both = query(
        "SELECT k, 100.0 * c / (SELECT SUM(c) FROM (SELECT LEAST(n, 4) AS k, COUNT(*) AS c FROM (SELECT patient, COUNT(*) AS n FROM visits GROUP \
         BY patient) GROUP BY LEAST(n, 4))) AS p FROM (SELECT LEAST(n, 4) AS k, COUNT(*) AS c FROM (SELECT patient, COUNT(*) AS n FROM visits \
         GROUP BY patient) GROUP BY LEAST(n, 4))",
    );
    assert!(both.is_of_entity_rows() && both.measures().len() == 1);
    let error = deniable_sql::plan(
        "SELECT AVG(n) FROM (SELECT patient, ward, COUNT(*) AS n FROM visits GROUP BY patient, ward)",
        &[visits()],
    );
    assert!(format!("{error:?}").contains("GROUP BY patient alone"), "{error:?}");
}

/// A public table has a weight and a name for each of wards 0 to 2, and no rows for the others.
#[test]
fn results_are_joined_with_public_tables() {
    let columns = vec![
        Column::new("ward", ColumnType::Integer),
        Column::new("weight", ColumnType::Decimal),
        Column::new("name", ColumnType::Text),
    ];
    let standard =
        TableSchema { public_key: Some("ward".to_owned()), ..TableSchema::protected("standard", columns, None) };
    let tables = [table(), standard];
    let decimal = |value: f64| Value::Decimal(deniable_expression::Decimal::new(value).unwrap());
    let row = |ward: i64, weight: f64, name: &str| {
        vec![Some(Value::Integer(ward)), Some(decimal(weight)), Some(Value::Text(name.into()))]
    };
    let rows = move |_: &TableSchema| {
        let mut rows = vec![row(0, 0.5, "a"), row(1, 1.5, "b"), row(2, 2.0, "b")];
        rows[2][2] = None;
        Ok(rows)
    };
    let by_ward = "(SELECT ward, COUNT(*) AS n, AVG(age) AS m FROM t GROUP BY ward)";
    for (sql, wanted) in [
        (
            format!("SELECT w.ward, n * weight AS x, name FROM {by_ward} AS w JOIN standard ON standard.ward = w.ward"),
            vec!["0 300 a", "1 1200 b", "2 2000 NULL"],
        ),
        (
            format!(
                "SELECT w.ward, name, weight FROM standard s RIGHT JOIN {by_ward} AS w ON s.ward = w.ward WHERE n < 900"
            ),
            vec![],
        ),
        (
            format!(
                "SELECT w.ward, weight FROM {by_ward} AS w LEFT JOIN standard s ON s.ward = w.ward WHERE n > 900 ORDER BY n LIMIT 2"
            ),
            vec!["2 2", "3 -"],
        ),
        // A rate for a standard population.
        (
            format!("SELECT SUM(m * weight) / SUM(weight) AS r FROM {by_ward} AS w JOIN standard s ON s.ward = w.ward"),
            vec!["31.375"],
        ),
        (
            format!("SELECT name, SUM(n) AS s FROM {by_ward} AS w JOIN standard s USING (ward) GROUP BY name"),
            vec!["a 600", "b 800", "NULL 1000"],
        ),
        (
            format!(
                "SELECT name, SUM(n) AS s FROM {by_ward} AS w JOIN standard s ON s.ward = w.ward AND n > 3 GROUP BY name"
            ),
            vec![],
        ),
        (format!("SELECT COUNT(*) AS c FROM {by_ward} AS w JOIN standard s ON s.weight = w.n"), vec![]),
        // A row without a weight does not count in the total, nor in its interval.
        (
            format!(
                "SELECT SUM(m * weight) / SUM(weight) AS r FROM {by_ward} AS w LEFT JOIN standard s ON s.ward = w.ward"
            ),
            vec!["31.375"],
        ),
    ] {
        let query = match deniable_sql::plan_with_public(&sql, &tables, &rows) {
            Ok(query) => query,
            Err(error) => {
                println!("{sql}\n  {error:?}");
                assert!(wanted.is_empty() && format!("{error:?}").to_lowercase().contains("join"), "{sql}: {error:?}");
                continue;
            }
        };
        let rows = shown(&query, totals(&query), &decays(&query, &whole(3)));
        let found: Vec<String> = rows.iter().map(|row| row.0.iter().map(text).collect::<Vec<_>>().join(" ")).collect();
        assert_eq!(found, wanted, "{sql}");
        let without = |shown: &ShownValue| matches!(shown, ShownValue::Number { estimate: Some(_), low, high, .. } if low.is_none() || high.is_none());
        assert!(!rows.iter().any(|row| row.0.iter().any(without)), "{sql}: {rows:?}");
        assert!(query.tables().all(|name| name == "t"), "{sql}");
    }
    let error = deniable_sql::plan(
        &format!("SELECT SUM(n * weight) AS r FROM {by_ward} AS w JOIN standard s USING (ward)"),
        &tables,
    );
    assert!(format!("{error:?}").contains("are not available"), "{error:?}");
}

/// Parts and a total from a subquery add up if both have the same aggregate; other aggregates stay unchanged.
#[test]
fn a_total_of_a_subquery_adds_up() {
    let query = query(
        "SELECT ward, COUNT(*) AS n, AVG(age) AS a, COUNT(*) / (SELECT COUNT(*) FROM t) AS p FROM t GROUP BY ward",
    );
    assert_eq!(deniable_answers::consistency(&query), deniable_answers::Consistency::Applies);
    let decays = decays(&query, &whole(3));
    let mut values = totals(&query);
    let counts: Vec<usize> = (0..4).filter(|at| matches!(query.measures()[*at].kind, MeasureKind::Rows)).collect();
    values[counts[0]][0] += 40;
    let consistent = deniable_answers::made_consistent(&query, &values, &decays).unwrap();
    let sum = |at: usize| consistent[at].iter().sum::<i128>();
    assert!(counts.len() == 2 && sum(counts[0]) == sum(counts[1]) && consistent[counts[0]] != values[counts[0]]);
    assert!((0..4).filter(|at| !counts.contains(at)).all(|at| consistent[at] == values[at]));
    let shares =
        "SELECT ward, AVG(age) - (SELECT AVG(age) FILTER (WHERE side = 'north') FROM t) AS d FROM t GROUP BY ward";
    assert_eq!(deniable_answers::consistency(&self::query(shares)), deniable_answers::Consistency::NothingToAddUp);
}

/// Measures and their parts do not depend on post-processing.
#[test]
fn post_processing_costs_nothing() {
    let plain = query("SELECT ward, COUNT(*) AS n FROM t GROUP BY ward");
    for sql in [
        "SELECT SUM(n) AS s, MAX(n) AS m FROM (SELECT ward, COUNT(*) AS n FROM t GROUP BY ward)",
        "WITH w AS (SELECT ward, COUNT(*) AS n FROM t GROUP BY ward) SELECT ward, n / (SELECT SUM(n) FROM w) AS p FROM w",
        "SELECT CASE WHEN n < 500 THEN 'few' ELSE 'many' END AS k FROM (SELECT ward, COUNT(*) AS n FROM t GROUP BY ward)",
    ] {
        assert_eq!(query(sql).canonical(), plain.canonical(), "{sql}");
    }
}
