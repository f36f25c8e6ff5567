//! Window functions over noisy results: their intervals cover with the stated confidence, and are hardly wider than the
//! shortest intervals for known totals; undefined numbers have no interval; windows over rows of people are rejected.

use deniable_answers::{Noisy, ShownRow, ShownValue};
use deniable_core::adversary::Adjacency;
use deniable_core::budget::Spend;
use deniable_core::exact::{Rational, ratio, whole};
use deniable_core::noise::{Decay, TwoSidedGeometric};
use deniable_core::schema::{Bounds, Column, ColumnType, Key, TableSchema};
use deniable_query::MeasureKind;
use deniable_query::Query;
use deniable_testing::sized;
use num_traits::ToPrimitive;
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;

fn table() -> TableSchema {
    let keys = |count: i64| (0..count).map(Key::Integer).collect();
    let bounds = Bounds::new(whole(0), whole(90), whole(1)).unwrap();
    let columns = vec![
        Column::new("ward", ColumnType::Integer).with_keys(keys(8)),
        Column::new("half", ColumnType::Integer).with_keys(keys(2)),
        Column::new("age", ColumnType::Integer).within(bounds),
        Column::new("name", ColumnType::Text),
    ];
    TableSchema::protected("t", columns, None)
}

fn query(sql: &str) -> Query {
    deniable_sql::plan(sql, &[table()]).unwrap_or_else(|error| panic!("{sql}: {error}"))
}

/// The decays of the measures if they share the odds equally.
pub(super) fn decays(query: &Query, odds: &Rational) -> Vec<Decay> {
    let each = Spend::odds(odds.clone()).unwrap().share(&(whole(1) / whole(query.measures().len()))).unwrap();
    (0..query.measures().len())
        .map(|at| Decay::hiding(&each, &query.sensitivity(at, Adjacency::AddRemove)).unwrap())
        .collect()
}

/// Exact totals: cells of different sizes, with a mean age of 35.
fn totals(query: &Query) -> Vec<Vec<i128>> {
    let cell = |kind: &MeasureKind, cell: usize| {
        let rows = 300 + 170 * (cell as i128 % 5);
        match kind {
            MeasureKind::Sum { of, .. } => rows * of.of(35),
            _ => rows,
        }
    };
    let cells = query.cells(0);
    query.measures().iter().map(|measure| (0..cells).map(|at| cell(&measure.kind, at)).collect()).collect()
}

fn numbers(rows: &[ShownRow], column: usize) -> Vec<[Option<f64>; 3]> {
    let number = |row: &ShownRow| match &row.0[column] {
        ShownValue::Number { estimate, low, high, .. } => {
            [estimate, low, high].map(|end| end.as_ref().and_then(Rational::to_f64))
        }
        other => panic!("{other:?}"),
    };
    rows.iter().map(number).collect()
}

#[test]
fn intervals_of_windows_cover_and_are_short() {
    // With few draws the narrowest window is too narrow.
    let (draws, most_wide, least) = if sized(0, 1) == 0 { (50, 1.8, 0.85) } else { (400, 1.35, 0.92) };
    for (shown, grouped) in [
        ("100.0 * COUNT(*) / SUM(COUNT(*)) OVER ()", "ward"),
        ("100.0 * COUNT(*) / SUM(COUNT(*)) OVER (PARTITION BY half)", "half, ward"),
        ("SUM(COUNT(*)) OVER (ORDER BY ward)", "ward"),
        ("AVG(COUNT(*)) OVER (ORDER BY ward ROWS BETWEEN 2 PRECEDING AND CURRENT ROW)", "ward"),
        ("COUNT(*) - LAG(COUNT(*)) OVER (ORDER BY ward)", "ward"),
        ("COUNT(*) / AVG(COUNT(*)) OVER ()", "ward"),
        ("AVG(age) - LAG(AVG(age)) OVER (ORDER BY ward)", "ward"),
        ("SUM(SUM(age)) OVER () / SUM(COUNT(*)) OVER ()", "ward"),
    ] {
        let query = query(&format!("SELECT {grouped}, {shown} AS n FROM t GROUP BY {grouped} ORDER BY {grouped}"));
        let column = query.output().columns.len() - 1;
        for odds in [ratio(5, 4), ratio(51, 50)] {
            // Under this much noise a ward may have no rows at all, and no average.
            if shown.starts_with("AVG") && odds == ratio(51, 50) {
                continue;
            }
            let (decays, exact) = (decays(&query, &odds), totals(&query));
            let show = |values: Vec<Vec<i128>>| {
                let noisy = Noisy { values, consistent: None, decays: decays.clone() };
                numbers(&deniable_answers::show(&query, &noisy, &ratio(19, 20)), column)
            };
            let truth = show(exact.clone());
            // The seed is fixed: the tolerances are not error rates.
            let mut rng = ChaCha20Rng::seed_from_u64(20);
            let (mut covered, mut all, mut width) = (0_usize, 0_usize, 0.0);
            let mut errors: Vec<Vec<f64>> = vec![Vec::new(); truth.len()];
            for _ in 0..draws {
                let mut noise =
                    |total: &i128, decay: &Decay| total + TwoSidedGeometric::new(decay.clone()).sample(&mut rng);
                let noisy = exact
                    .iter()
                    .zip(&decays)
                    .map(|(cells, decay)| cells.iter().map(|total| noise(total, decay)).collect());
                for (at, ([estimate, low, high], [truth, ..])) in
                    show(noisy.collect()).into_iter().zip(&truth).enumerate()
                {
                    let Some(truth) = truth else { continue };
                    let (low, high) = (low.unwrap(), high.unwrap());
                    covered += usize::from(low <= *truth && *truth <= high);
                    all += 1;
                    width += high - low;
                    errors[at].push(estimate.unwrap() - truth);
                }
            }
            // The narrowest window that contains 95% of the errors of each row.
            let mut shortest = 0.0;
            for errors in errors.iter_mut().filter(|errors| !errors.is_empty()) {
                errors.sort_by(f64::total_cmp);
                let most = (errors.len() as f64 * 0.95).ceil() as usize;
                let narrowest = errors.windows(most).map(|part| part[most - 1] - part[0]).fold(f64::INFINITY, f64::min);
                shortest += narrowest * errors.len() as f64;
            }
            let (covered, wider) = (covered as f64 / all as f64, width / shortest);
            println!("{shown:60} R = {odds:<4} covers {covered:.4}, width {wider:.3}");
            assert!(covered >= least, "{shown} at {odds}: {covered}");
            // For differences of averages, the numbers of rows in the divisors are bounded first.
            let is_known = !shown.starts_with("AVG(age) - LAG");
            assert!(wider < if is_known { most_wide } else { 2.2 }, "{shown} at {odds}: {wider}");
        }
    }
}

#[test]
fn ranks_and_row_numbers_are_integers_from_noisy_numbers() {
    let query = query(
        "SELECT ward, RANK() OVER (ORDER BY COUNT(*)) AS r, DENSE_RANK() OVER (ORDER BY COUNT(*)) AS d, ROW_NUMBER() OVER (ORDER BY COUNT(*), ward) AS \
         n, COUNT(*) OVER () AS c, LEAD(COUNT(*), 2) OVER (ORDER BY ward) AS l, SUM(COUNT(*)) OVER (ORDER BY half_of ROWS BETWEEN UNBOUNDED PRECEDING \
         AND CURRENT ROW) AS s FROM (SELECT ward, half AS half_of FROM t) AS t GROUP BY ward, half_of HAVING half_of = 0 ORDER BY ward",
    );
    let decays = decays(&query, &ratio(3, 1));
    let cells = [5, 7, 5, 9, 1, 5, 2, 8].iter().flat_map(|count| [*count, 99]).collect();
    let rows = deniable_answers::show(&query, &Noisy { values: vec![cells], consistent: None, decays }, &ratio(19, 20));
    let place = |row: &ShownRow, at: usize| match &row.0[at] {
        ShownValue::Key(Key::Integer(place)) => *place,
        other => panic!("{other:?}"),
    };
    let places = |at: usize| rows.iter().map(|row| place(row, at)).collect::<Vec<_>>();
    assert_eq!(places(1), [3, 6, 3, 8, 1, 3, 2, 7]);
    assert_eq!(places(2), [3, 4, 3, 6, 1, 3, 2, 5]);
    assert_eq!(places(3), [3, 6, 4, 8, 1, 5, 2, 7]);
    assert_eq!(places(4), [8; 8]);
    let estimates = |at: usize| numbers(&rows, at).into_iter().map(|[estimate, ..]| estimate).collect::<Vec<_>>();
    assert_eq!(estimates(5), [Some(5.0), Some(9.0), Some(1.0), Some(5.0), Some(2.0), Some(8.0), None, None]);
    assert_eq!(estimates(6), [5.0, 12.0, 17.0, 26.0, 27.0, 32.0, 34.0, 42.0].map(Some));
}

/// Frames by numbers of rows, in wards with the counts 5, 7, 5, 9, 1, 5, 2, 8.
#[test]
fn frames_cover_the_stated_rows() {
    const NONE: Option<f64> = None;
    let some = |values: [i64; 8]| values.map(|value| Some(value as f64));
    for (shown, wanted) in [
        ("SUM(COUNT(*)) OVER (ORDER BY ward ROWS 1 PRECEDING)", some([5, 12, 12, 14, 10, 6, 7, 10])),
        (
            "SUM(COUNT(*)) OVER (ORDER BY ward ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING)",
            some([12, 17, 21, 15, 15, 8, 15, 10]),
        ),
        (
            "SUM(COUNT(*)) OVER (ORDER BY ward ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING)",
            some([42, 37, 30, 25, 16, 15, 10, 8]),
        ),
        (
            "SUM(COUNT(*)) OVER (ORDER BY ward ROWS BETWEEN UNBOUNDED PRECEDING AND 1 FOLLOWING)",
            some([12, 17, 26, 27, 32, 34, 42, 42]),
        ),
        ("SUM(COUNT(*)) OVER (ORDER BY ward ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)", some([42; 8])),
        ("MAX(COUNT(*)) OVER (ORDER BY ward ROWS BETWEEN 2 PRECEDING AND CURRENT ROW)", some([5, 7, 7, 9, 9, 9, 5, 8])),
        (
            "MIN(COUNT(*)) OVER (ORDER BY ward DESC ROWS BETWEEN 2 PRECEDING AND CURRENT ROW)",
            some([5, 5, 1, 1, 1, 2, 2, 8]),
        ),
        (
            "SUM(COUNT(*)) OVER (ORDER BY ward ROWS BETWEEN 3 PRECEDING AND 2 PRECEDING)",
            [NONE, NONE, Some(5.0), Some(12.0), Some(12.0), Some(14.0), Some(10.0), Some(6.0)],
        ),
        (
            "AVG(COUNT(*)) OVER (ORDER BY ward ROWS BETWEEN 1 FOLLOWING AND 2 FOLLOWING)",
            [Some(6.0), Some(7.0), Some(5.0), Some(3.0), Some(3.5), Some(5.0), Some(8.0), NONE],
        ),
        (
            "1.0 * COUNT(*) OVER (ORDER BY ward ROWS BETWEEN 2 PRECEDING AND 1 FOLLOWING)",
            some([2, 3, 4, 4, 4, 4, 4, 3]),
        ),
        ("1.0 * FIRST_VALUE(COUNT(*)) OVER (ORDER BY ward)", some([5; 8])),
        ("1.0 * FIRST_VALUE(COUNT(*)) OVER (ORDER BY COUNT(*) DESC)", some([9; 8])),
        ("1.0 * LAST_VALUE(COUNT(*)) OVER (ORDER BY ward)", some([5, 7, 5, 9, 1, 5, 2, 8])),
        (
            "1.0 * LAST_VALUE(COUNT(*)) OVER (ORDER BY ward ROWS BETWEEN CURRENT ROW AND 1 FOLLOWING)",
            some([7, 5, 9, 1, 5, 2, 8, 8]),
        ),
        (
            "1.0 * FIRST_VALUE(COUNT(*)) OVER (ORDER BY ward ROWS BETWEEN 2 FOLLOWING AND 3 FOLLOWING)",
            [Some(5.0), Some(9.0), Some(1.0), Some(5.0), Some(2.0), Some(8.0), NONE, NONE],
        ),
        (
            "1.0 * NTH_VALUE(COUNT(*), 2) OVER (ORDER BY ward)",
            [NONE, Some(7.0), Some(7.0), Some(7.0), Some(7.0), Some(7.0), Some(7.0), Some(7.0)],
        ),
        // Three wards have the count 5, after 1 and 2.
        ("7.0 * PERCENT_RANK() OVER (ORDER BY COUNT(*))", some([2, 5, 2, 7, 0, 2, 1, 6])),
        ("8.0 * CUME_DIST() OVER (ORDER BY COUNT(*))", some([5, 6, 5, 8, 1, 5, 2, 7])),
        ("1.0 * PERCENT_RANK() OVER (PARTITION BY ward ORDER BY COUNT(*))", some([0; 8])),
        ("1.0 * NTILE(3) OVER (ORDER BY ward)", some([1, 1, 1, 2, 2, 2, 3, 3])),
        ("1.0 * NTILE(20) OVER (ORDER BY ward)", some([1, 2, 3, 4, 5, 6, 7, 8])),
    ] {
        let query = query(&format!("SELECT ward, COUNT(*), {shown} AS n FROM t GROUP BY ward ORDER BY ward"));
        let decays = decays(&query, &ratio(3, 1));
        let values = vec![vec![5, 7, 5, 9, 1, 5, 2, 8]];
        let rows = deniable_answers::show(&query, &Noisy { values, consistent: None, decays }, &ratio(19, 20));
        let estimates: Vec<Option<f64>> = numbers(&rows, 2).into_iter().map(|[estimate, ..]| estimate).collect();
        assert_eq!(estimates, wanted, "{shown}");
    }
}

/// Values of other rows keep their type and their interval; shares of ranks have none.
#[test]
fn values_of_first_rows_are_those_of_the_rows() {
    let query = query(
        "SELECT ward, COUNT(*) AS n, FIRST_VALUE(ward) OVER (ORDER BY COUNT(*) DESC) AS w, \
         LAST_VALUE(COUNT(*)) OVER (ORDER BY ward ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS l, \
         CUME_DIST() OVER (ORDER BY COUNT(*)) AS c FROM t GROUP BY ward ORDER BY ward",
    );
    let decays = decays(&query, &ratio(3, 1));
    let values = vec![vec![5, 7, 5, 9, 1, 5, 2, 8]];
    let rows = deniable_answers::show(&query, &Noisy { values, consistent: None, decays }, &ratio(19, 20));
    assert!(rows.iter().all(|row| row.0[2] == ShownValue::Key(Key::Integer(3))), "{rows:?}");
    assert!(rows.iter().all(|row| row.0[3] == rows[7].0[1]), "{rows:?}");
    assert_eq!(rows[0].0[4], ShownValue::Key(Key::Decimal(ratio(5, 8))));
    assert_eq!(rows[3].0[4], ShownValue::Key(Key::Decimal(whole(1))));
}

/// A count can exceed the sum of the wards before it: only of a sum with itself it is a part, at most 100%.
#[test]
fn a_part_of_other_rows_can_exceed_them() {
    for (frame, is_part) in [("2 PRECEDING AND CURRENT ROW", true), ("2 PRECEDING AND 1 PRECEDING", false)] {
        let sql = format!(
            "SELECT ward, 100.0 * COUNT(*) / SUM(COUNT(*)) OVER (ORDER BY ward ROWS BETWEEN {frame}) AS n FROM t \
             GROUP BY ward ORDER BY ward"
        );
        let query = query(&sql);
        let decays = decays(&query, &ratio(3, 1));
        let values = vec![vec![50, 900, 50, 50, 50, 50, 50, 50]];
        let rows = deniable_answers::show(&query, &Noisy { values, consistent: None, decays }, &ratio(19, 20));
        let [_, low, high] = numbers(&rows, 1)[1];
        assert_eq!(high.unwrap() <= 100.0, is_part, "{frame}: {low:?} to {high:?}");
    }
}

/// A row without a value does not count in the average of others.
#[test]
fn null_is_ignored() {
    let query = query(
        "SELECT ward, AVG(LAG_OF) OVER () AS a FROM (SELECT ward, LAG(COUNT(*)) OVER (ORDER BY ward) AS lag_of FROM t GROUP BY ward) AS x ORDER BY ward",
    );
    let decays = decays(&query, &ratio(3, 1));
    let cells = vec![10, 20, 30, 40, 50, 60, 70, 1_000];
    let rows = deniable_answers::show(&query, &Noisy { values: vec![cells], consistent: None, decays }, &ratio(19, 20));
    // The first ward has no row before it, and the last no row after it.
    assert!(numbers(&rows, 1).iter().all(|[estimate, ..]| *estimate == Some(40.0)));
}

/// Nested sums over rows visit all rows again at each level: numbers that depend on too many values have no interval,
/// and cost no time.
#[test]
fn numbers_of_very_many_values_have_no_interval() {
    let many = 400;
    let columns = vec![Column::new("ward", ColumnType::Integer).with_keys((0..many).map(Key::Integer).collect())];
    let nested = |depth: usize| {
        let mut sql = "SELECT ward, COUNT(*) AS s0 FROM t GROUP BY ward".to_owned();
        for at in 1..=depth {
            sql = format!("SELECT ward, SUM(s{}) OVER (ORDER BY ward) AS s{at} FROM ({sql})", at - 1);
        }
        let table = TableSchema::protected("t", columns.clone(), None);
        let query = deniable_sql::plan(&format!("{sql} ORDER BY ward"), &[table]).unwrap();
        let decays = decays(&query, &ratio(3, 1));
        let cells = vec![1; usize::try_from(many).unwrap()];
        numbers(
            &deniable_answers::show(&query, &Noisy { values: vec![cells], consistent: None, decays }, &ratio(19, 20)),
            1,
        )
    };
    assert!(nested(1).iter().all(|[_, low, high]| low.is_some() && high.is_some()));
    for (depth, last) in [(2, 400.0 * 401.0 / 2.0), (5, 404.0 * 403.0 * 402.0 * 401.0 * 400.0 / 120.0)] {
        let rows = nested(depth);
        let is_known = |[_, low, high]: &[Option<f64>; 3]| low.is_some() && high.is_some();
        assert!(is_known(&rows[9]) && !is_known(&rows[399]), "{depth}");
        assert_eq!(rows[399][0], Some(last), "{depth}");
        // The first row without an interval comes after those with one.
        assert!(rows.is_sorted_by_key(|row| !is_known(row)), "{depth}");
    }
}

/// An average of numbers within bounds is within these bounds, whatever the noise; public numbers are known exactly.
#[test]
fn averages_are_within_the_possible_range() {
    let query = query(
        "SELECT AVG(m) AS a, MAX(m) AS x, SUM(w) AS s FROM (SELECT ward, AVG(age) AS m, 0.1 * ward AS w FROM t GROUP BY ward)",
    );
    let (decays, cells) = (decays(&query, &ratio(51, 50)), query.cells(0));
    let values = query.measures().iter().map(|measure| match measure.kind {
        MeasureKind::Sum { .. } => vec![40; cells],
        _ => vec![2; cells],
    });
    let rows =
        deniable_answers::show(&query, &Noisy { values: values.collect(), consistent: None, decays }, &ratio(19, 20));
    let ends = |column: usize| numbers(&rows, column)[0].map(|end| end.map(|end| end.round()));
    let bounded =
        |column: usize| matches!(ends(column), [Some(_), low, high] if (low, high) == (Some(0.0), Some(90.0)));
    assert!(bounded(0) && bounded(1), "{rows:?}");
    assert_eq!(numbers(&rows, 2)[0], [Some(2.8); 3]);
}

#[test]
fn windows_over_rows_of_people_are_refused() {
    for sql in [
        "SELECT AVG(r) FROM (SELECT age, RANK() OVER (ORDER BY age) AS r FROM t) AS x",
        "SELECT COUNT(*) FROM (SELECT SUM(age) OVER () AS s FROM t) AS x WHERE s > 3",
        "SELECT SUM(age) OVER () FROM t",
        "SELECT COUNT(*) OVER () FROM t",
        "SELECT COUNT(*) FROM (SELECT LAG(age) OVER (ORDER BY name) AS s FROM t) AS x WHERE s > 3",
    ] {
        let error = deniable_sql::plan(sql, &[table()]).err().unwrap_or_else(|| panic!("{sql}"));
        let text = format!("{error:?}");
        assert!(text.contains("window") || text.contains("without an aggregate"), "{sql}: {text}");
    }
    for (sql, help) in [
        (
            "SELECT ward, SUM(COUNT(*)) OVER (ORDER BY ward RANGE BETWEEN 1 PRECEDING AND CURRENT ROW) FROM t GROUP BY ward",
            "ROWS BETWEEN 2 PRECEDING",
        ),
        ("SELECT ward, SUM(COUNT(*)) OVER (ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM t GROUP BY ward", "ORDER BY"),
        ("SELECT ward, NTILE(0) OVER (ORDER BY COUNT(*)) FROM t GROUP BY ward", "NTILE"),
        ("SELECT ward, MEDIAN(COUNT(*)) OVER () FROM t GROUP BY ward", "MIN or MAX"),
        ("SELECT ward, RANK() FROM t GROUP BY ward", "without OVER"),
        ("SELECT ward, POWER(COUNT(*), 3) FROM t GROUP BY ward", "EXP(y * LN(x))"),
        ("SELECT ward, NTH_VALUE(COUNT(*), 0) OVER (ORDER BY ward) FROM t GROUP BY ward", "NTH_VALUE"),
        ("SELECT name > 'x', LAG(name > 'x') OVER (ORDER BY COUNT(*)) FROM t GROUP BY name > 'x'", "not a number"),
        ("SELECT ward, LAG(COUNT(*), -3) OVER (ORDER BY ward) FROM t GROUP BY ward", "LAG"),
    ] {
        let error = deniable_sql::plan(sql, &[table()]).err().unwrap_or_else(|| panic!("{sql}"));
        assert!(format!("{error:?}").contains(help), "{sql}: {error:?}");
    }
}

/// Kaplan-Meier: the share that survives each month among those at risk, from disjoint counts, with intervals.
#[test]
fn a_survival_curve() {
    let sql = "SELECT month, EXP(SUM(LN(1 - deaths / at_risk)) OVER (ORDER BY month)) AS survival FROM (
                 SELECT month, deaths, SUM(n) OVER (ORDER BY month DESC) AS at_risk FROM (
                   SELECT month, COUNT(*) FILTER (WHERE died) AS deaths,
                     COUNT(*) FILTER (WHERE died) + COUNT(*) FILTER (WHERE NOT died) AS n FROM f GROUP BY month))
               ORDER BY month";
    let keys = (0..8).map(Key::Integer).collect();
    let columns =
        vec![Column::new("month", ColumnType::Integer).with_keys(keys), Column::new("died", ColumnType::Boolean)];
    let query = deniable_sql::plan(sql, &[TableSchema::protected("f", columns, None)]).unwrap();
    // Deaths and losses to follow-up are two groups of one grouping.
    assert!(query.measures().len() == 2 && (0..2).all(|at| *query.part(at) == whole(1)));
    let deaths = [60, 55, 50, 44, 40, 30, 22, 15];
    let censored = [20, 25, 20, 30, 31, 40, 35, 90];
    let is_died = |at: usize| !query.measure_alone(at).contains("NOT");
    let exact: Vec<Vec<i128>> = (0..2).map(|at| if is_died(at) { deaths } else { censored }.to_vec()).collect();
    let mut left = 1.0;
    let curve: Vec<f64> = (0..8)
        .map(|month| {
            let at_risk: i128 = (month..8).map(|later| deaths[later] + censored[later]).sum();
            left *= 1.0 - deaths[month] as f64 / at_risk as f64;
            left
        })
        .collect();
    let spend = Spend::odds(whole(3)).unwrap();
    let hiding = |at: usize| Decay::hiding(&spend, &query.sensitivity(at, Adjacency::AddRemove)).unwrap();
    let decays: Vec<Decay> = (0..2).map(hiding).collect();
    let show = |values: Vec<Vec<i128>>| {
        numbers(
            &deniable_answers::show(
                &query,
                &Noisy { values, consistent: None, decays: decays.clone() },
                &ratio(19, 20),
            ),
            1,
        )
    };
    for ([found, ..], wanted) in show(exact.clone()).iter().zip(&curve) {
        assert!((found.unwrap() - wanted).abs() < 1e-9);
    }
    // The seed is fixed: the tolerances are not error rates.
    let mut rng = ChaCha20Rng::seed_from_u64(22);
    let draws = sized(60, 1_000);
    let (mut covered, mut all, mut width) = (0_usize, 0_usize, 0.0);
    for _ in 0..draws {
        let noise = |(cells, decay): (&Vec<i128>, &Decay)| -> Vec<i128> {
            cells.iter().map(|total| total + TwoSidedGeometric::new(decay.clone()).sample(&mut rng)).collect()
        };
        let noisy = exact.iter().zip(&decays).map(noise).collect();
        for ([_, low, high], truth) in show(noisy).into_iter().zip(&curve) {
            let (low, high) = (low.unwrap(), high.unwrap());
            covered += usize::from(low <= *truth && *truth <= high);
            all += 1;
            width += high - low;
        }
    }
    let (covered, width) = (covered as f64 / all as f64, width / all as f64);
    println!("{all} points of a survival curve: covered {covered:.4}, mean width {width:.4}");
    assert!(covered >= 0.95 && width < 0.25, "{covered} {width}");
}
