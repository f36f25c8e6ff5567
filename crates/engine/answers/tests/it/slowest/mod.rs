//! Short queries designed to be slow. Planning and evaluation count steps, and queries beyond the limit are rejected
//! before the charge.

mod generate;

use super::dice::Dice;
use crate::exact::counted;
use deniable_answers::{Noisy, ShownRow, ShownValue};
use deniable_core::adversary::Adjacency;
use deniable_core::budget::Spend;
use deniable_core::exact::{Rational, ratio, whole};
use deniable_core::noise::Decay;
use deniable_core::schema::{Bounds, Column, ColumnType, Key, TableSchema};
use deniable_query::output::{Effort, MOST_BITS, MOST_PLANNING, MOST_STEPS, MOST_TEXT};
use deniable_query::{Query, QueryError};
use deniable_testing::{Scale, scale, seed, sized_to_slow};
use num_traits::ToPrimitive;
use std::time::{Duration, Instant};

/// Columns x and y with as many keys as given, a bounded number w and a text t.
fn table((x, y): (i64, i64)) -> TableSchema {
    let keys = |count: i64| (0..count).map(Key::Integer).collect();
    let bounds = Bounds::new(whole(0), whole(99), whole(1)).unwrap();
    let columns = vec![
        Column::new("x", ColumnType::Integer).with_keys(keys(x)),
        Column::new("y", ColumnType::Integer).with_keys(keys(y)),
        Column::new("w", ColumnType::Integer).within(bounds),
        Column::new("t", ColumnType::Text),
    ];
    TableSchema::protected("t", columns, None)
}

fn planned(sql: &str, cells: (i64, i64)) -> Result<Query, QueryError> {
    deniable_sql::plan(sql, &[table(cells)])
}

/// Evaluates a query on these noisy numbers.
fn shown(query: &Query, value: impl Fn(usize) -> i128) -> Vec<ShownRow> {
    let spend = Spend::odds(ratio(3, 1)).unwrap().share(&(whole(1) / whole(query.measures().len()))).unwrap();
    let decay = |at: usize| Decay::hiding(&spend, &query.sensitivity(at, Adjacency::AddRemove)).unwrap();
    let decays = (0..query.measures().len()).map(decay).collect();
    let cells = |at: usize| query.cells(query.measures()[at].level) * query.width(at);
    let values = (0..query.measures().len()).map(|at| (0..cells(at)).map(&value).collect()).collect();
    deniable_answers::show(query, &Noisy { values, consistent: None, decays }, &ratio(19, 20))
}

/// Counts between 30 and 1029.
fn counts(cell: usize) -> i128 {
    30 + (cell as i128 * 7_919) % 1_000
}

fn estimate(rows: &[ShownRow]) -> Option<Rational> {
    match rows.last()?.0.last()? {
        ShownValue::Number { estimate, .. } => estimate.clone(),
        other => panic!("{other:?}"),
    }
}

/// Exclusive conditions on `w`, each with the same number of constants.
fn lists(filters: usize, constants: usize) -> String {
    let filter = |at: usize| {
        let list: Vec<String> = (at * constants..(at + 1) * constants).map(|constant| constant.to_string()).collect();
        format!("COUNT(*) FILTER (WHERE w IN ({}))", list.join(","))
    };
    format!("SELECT {} FROM t", (0..filters).map(filter).collect::<Vec<_>>().join(", "))
}

/// Commit af891581 compared each pair of conditions at each place with each constant, and searched each constant
/// linearly: about 190·402·100·100 and 435·510·127·127 comparisons, 0.8 and 3.6 billion (28 and 169 seconds).
#[test]
fn conditions_on_many_constants_are_compared_in_few_steps() {
    for (filters, constants, steps) in [(20, 100, 60_000), (30, 127, 150_000), (12, 127, 40_000)] {
        let query = planned(&lists(filters, constants), (2, 1)).unwrap();
        assert!(query.effort().planning <= steps, "{filters} × {constants}: {:?}", query.effort());
        assert!((0..filters).all(|at| *query.part(at) == whole(1)), "{filters} × {constants}");
    }
    // Beyond the limit of constants each measure has its own part of the share: more noise, never less.
    for (filters, part) in [(9, whole(1)), (11, ratio(1, 11))] {
        let filter = |at: usize| {
            let list: Vec<String> = (0..995).map(|constant| ((constant + at) % 995).to_string()).collect();
            format!("COUNT(*) FILTER (WHERE w IN ({}) AND x = {at})", list.join(","))
        };
        let filters: Vec<String> = (0..filters).map(filter).collect();
        let query = planned(&format!("SELECT {} FROM t", filters.join(", ")), (2, 1)).unwrap();
        assert!((0..filters.len()).all(|at| *query.part(at) == part), "{}: {:?}", filters.len(), query.effort());
    }
}

/// Nested windows that double the number of digits in each step.
fn nested(depth: usize) -> String {
    let step = |at: usize| format!(", s{at} AS (SELECT x, SUM(n * n) OVER () AS n FROM s{})", at - 1);
    let first = "CASE WHEN COUNT(*) > 100 THEN 30 ELSE 0 END";
    let steps: String = (1..=depth).map(step).collect();
    format!("WITH s0 AS (SELECT x, {first} AS n FROM t GROUP BY x){steps} SELECT n FROM s{depth}")
}

/// In commit af891581 each window doubled the digits of the one before: 17 windows took 46 seconds, and 26 did not
/// finish when the count was above the threshold.
#[test]
fn windows_over_windows_have_numbers_of_few_bits() {
    for depth in [5, 17, 26] {
        let query = planned(&nested(depth), (2, 1)).unwrap();
        let Effort { steps, bits, .. } = query.effort();
        assert!(steps < MOST_STEPS / 10 && bits <= MOST_BITS, "{depth}: {:?}", query.effort());
        counted::take();
        // Counts above and below the threshold.
        let (above, below) = (shown(&query, |_| 1_000), shown(&query, |_| 3));
        let taken = counted::take();
        assert!(taken <= 2 * steps, "{depth}: {taken} of twice {steps}");
        assert_eq!(estimate(&below), Some(whole(0)));
        // Each squares twice the number before: 30 becomes 2·30², and that 2·(2·30²)².
        let exact = (0..depth).fold(whole(30), |n, at| if at < 6 { &n * &n * whole(2) } else { n });
        assert_eq!(estimate(&above), (depth <= 6).then_some(exact), "{depth}");
    }
}

/// The sum of 3,111 fractions took commit af891581 42 seconds.
#[test]
fn sums_of_fractions_are_exact_and_quick() {
    let sql = "SELECT SUM(1.0 / n) AS h FROM (SELECT x, y, COUNT(*) AS n FROM t GROUP BY x, y) AS q";
    let query = planned(sql, (51, 61)).unwrap();
    assert!(query.effort().steps < MOST_STEPS / 100, "{:?}", query.effort());
    counted::take();
    let found = estimate(&shown(&query, counts)).and_then(|sum| sum.to_f64()).unwrap();
    let taken = counted::take();
    let exact: f64 = (0..51 * 61).map(|cell| 1.0 / counts(cell) as f64).sum();
    assert!((found / exact - 1.0).abs() < 1e-12, "{found} {exact}");
    assert!(taken <= query.effort().steps, "{taken} of {:?}", query.effort());
    // With coprime denominators the sum exceeds the limit of bits and stays NULL.
    let primes: Vec<i128> =
        (1_000_000_000_000_i128..).filter(|n| [2, 3, 5, 7, 11, 13].iter().all(|p| n % p != 0)).take(3_111).collect();
    assert_eq!(estimate(&shown(&query, |cell| primes[cell])), None);
}

/// A product of 300 factors in 51 cells took commit af891581 19 seconds.
#[test]
fn long_products_are_exact_and_quick() {
    let sql = format!("SELECT x, {} AS z FROM (SELECT x, COUNT(*) AS n FROM t GROUP BY x)", ["n"; 300].join("*"));
    let query = planned(&sql, (51, 1)).unwrap();
    assert!(query.effort().steps < MOST_STEPS / 100, "{:?}", query.effort());
    counted::take();
    let rows = shown(&query, |cell| i128::try_from(cell % 4).unwrap());
    let taken = counted::take();
    assert!(taken <= query.effort().steps, "{taken} of {:?}", query.effort());
    let estimates: Vec<Option<Rational>> = (0..4).map(|cell| estimate(&rows[cell..=cell])).collect();
    let power = |base: i64| Some(num_traits::Pow::pow(whole(base), 300));
    assert_eq!(estimates, (0..4).map(power).collect::<Vec<_>>());
}

/// The evaluator visits LAG again at each use, so the cost of the first query doubles with each step. The cost of the
/// second grows with cells times rows in a partition.
#[test]
fn results_of_too_many_steps_are_refused_before_the_charge() {
    let step = |at: usize| {
        format!(", s{at} AS (SELECT x, y, LAG(n) OVER (ORDER BY x) + LAG(n) OVER (ORDER BY y) AS n FROM s{})", at - 1)
    };
    let doubled: String = (1..=13).map(step).collect();
    let doubled = format!("WITH s0 AS (SELECT x, y, COUNT(*) AS n FROM t GROUP BY x, y){doubled} SELECT n FROM s13");
    let shares = "SELECT x, y, 1.0 * COUNT(*) / SUM(COUNT(*)) OVER (PARTITION BY x) AS p FROM t GROUP BY x, y";
    for (sql, cells) in [(doubled.as_str(), (1_000, 1_000)), (shares, (1_000, 1_000))] {
        let error = planned(sql, cells).err().unwrap_or_else(|| panic!("{sql}"));
        let help = error.help().unwrap_or_default();
        assert!(error.to_string().contains("steps") && help.contains(&MOST_STEPS.to_string()), "{error} {help}");
    }
    assert!(planned(shares, (8, 100)).unwrap().effort().steps < MOST_STEPS / 10);
}

/// A text of 30,000 escaped characters in each cell made an answer too large to store when the count was above a
/// threshold.
#[test]
fn texts_are_limited_by_the_query_alone() {
    let attack = |length: usize| {
        let text = "\u{1}".repeat(length);
        format!(
            "WITH q AS (SELECT x, y, COUNT(*) AS n FROM t GROUP BY x, y),
               r AS (SELECT n, CASE WHEN n > 29000 THEN '{text}' ELSE 'no' END AS z
                FROM (SELECT SUM(n) OVER () AS n FROM q) AS s)
             SELECT z FROM r"
        )
    };
    let error = planned(&attack(30_000), (60, 100)).unwrap_err();
    let help = error.help().unwrap_or_default();
    assert!(error.to_string().contains("bytes of text") && help.contains(&MOST_TEXT.to_string()), "{error}");
    let Effort { text, .. } = planned(&attack(300), (60, 100)).unwrap().effort();
    // An escaped character takes six bytes.
    assert_eq!(text, 300 * 6 * 6_000);
    let sorted = format!(
        "SELECT x FROM ({}) AS s ORDER BY z",
        attack(30_000).replace("SELECT z FROM r", "SELECT n AS x, z FROM r")
    );
    assert!(planned(&sorted, (60, 100)).is_err());
}

/// Checks the limits on random queries, and that evaluation takes at most the estimated steps.
#[test]
fn no_short_query_takes_more_steps_than_stated() {
    let mut dice = Dice::new(seed(41));
    let (mut refused, mut compared, mut slowest) = (0, 0, (Duration::ZERO, String::new()));
    let queries = sized_to_slow(40, 500, 100_000);
    let longest = sized_to_slow(4 << 10, 12 << 10, 64 << 10);
    for _ in 0..queries {
        let (sql, cells) = generate::query(&mut dice, longest);
        assert!(sql.len() <= 64 << 10);
        let start = Instant::now();
        let query = planned(&sql, cells);
        let taken = start.elapsed();
        if taken > slowest.0 {
            slowest = (taken, format!("{cells:?} {}", sql.chars().take(400).collect::<String>()));
        }
        let Ok(query) = query else {
            refused += 1;
            continue;
        };
        let effort = query.effort();
        let Effort { planning, steps, text, bits } = effort;
        let within = planning <= 2 * MOST_PLANNING && steps <= MOST_STEPS && text <= MOST_TEXT && bits <= MOST_BITS;
        assert!(within, "{effort:?}: {sql}");
        // The estimate bounds the counted steps for small and large noisy numbers.
        if steps <= 3_000_000 && cells.0 * cells.1 <= 500 {
            counted::take();
            let large = dice.below(3);
            shown(&query, |cell| if large == 0 { counts(cell) } else { counts(cell) << (8 * large) });
            let taken = counted::take();
            assert!(taken <= steps, "{taken} of {effort:?}: {cells:?} {sql}");
            compared += 1;
        }
    }
    println!(
        "{queries} queries, {refused} refused, {compared} shown; the slowest was planned in {:?}: {}",
        slowest.0, slowest.1
    );
    assert!(compared >= queries / 10 && refused < queries * 9 / 10);
    if scale() == Scale::Slow {
        // Unoptimised builds take about ten times as long.
        let most = if cfg!(debug_assertions) { 10 } else { 1 };
        assert!(slowest.0 < Duration::from_secs(most), "{slowest:?}");
    }
}
