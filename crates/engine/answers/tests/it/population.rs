//! Intervals for the population cover its number with the stated confidence, over samples and noise together.
//!
//! Samples are drawn with replacement from populations of values, totals get noise, and the interval for the population
//! is compared with the population's own number: 400 times (60 at small scale, 2,000 in `scripts/slow`), so that the
//! covered share has a standard error of 1.1% (2.8%, 0.5%).

use deniable_answers::{Noisy, ShownValue};
use deniable_core::adversary::Adjacency;
use deniable_core::budget::Spend;
use deniable_core::exact::{Rational, ratio, whole};
use deniable_core::noise::{Decay, TwoSidedGeometric};
use deniable_core::schema::{Bounds, Column, ColumnType, Entity, TableSchema};
use deniable_core::sensitivity::Caps;
use deniable_query::MeasureKind;
use deniable_query::Query;
use deniable_testing::{Scale, scale};
use num_traits::ToPrimitive;
use rand_chacha::ChaCha20Rng;
use rand_core::{Rng, SeedableRng};

/// Costs from this amount on count as expensive.
const DEAR: i128 = 200;

fn tables(caps: Option<Caps>) -> Vec<TableSchema> {
    let bounds = Bounds::new(whole(0), whole(400), whole(1)).unwrap();
    let columns = vec![
        Column::new("cost", ColumnType::Integer).within(bounds),
        Column::new("patient", ColumnType::Integer),
        Column::new("seen", ColumnType::Boolean),
    ];
    let rows_in_joins = Entity::ROWS_IN_JOINS;
    let entity = caps.map(|caps| Entity { rows_in_joins, ..Entity::new("patient", caps) });
    vec![TableSchema::protected("t", columns, entity)]
}

fn query(sql: &str) -> Query {
    deniable_sql::plan(sql, &tables(None)).unwrap()
}

/// The contribution of a row with this cost to each measure.
fn row(query: &Query, cost: i128) -> Vec<i128> {
    let add = |at: usize, kind: &MeasureKind| match kind {
        MeasureKind::Sum { of, .. } => of.of(cost as i64),
        MeasureKind::Product { of: [one, other], .. } => one.of(cost as i64) * other.of(cost as i64),
        _ if query.measure_alone(at).contains("200") => i128::from(cost >= DEAR),
        _ => 1,
    };
    query.measures().iter().enumerate().map(|(at, measure)| add(at, &measure.kind)).collect()
}

/// A part of the rows with a value is a mean of one value per row; a part of other rows is not, and its column is
/// reported.
#[test]
fn shares_of_counted_rows_have_a_population_interval() {
    let without = |sql: &str| deniable_answers::without_population(&query(sql)).join(" ");
    let select = |share: &str| format!("SELECT AVG(cost) AS mean, {share} AS share FROM t");
    for share in [
        "COUNT(*) FILTER (WHERE cost >= 200) / COUNT(cost)",
        "COUNT(*) FILTER (WHERE seen AND cost IS NOT NULL) / COUNT(cost)",
        "COUNT(cost) FILTER (WHERE seen) / COUNT(cost)",
        "COUNT(*) FILTER (WHERE seen) / COUNT(*)",
        "COUNT(*) FILTER (WHERE seen AND cost > 9) / COUNT(*) FILTER (WHERE seen)",
    ] {
        assert_eq!(without(&select(share)), "", "{share}");
    }
    // Rows that are seen and have no cost.
    assert_eq!(without(&select("COUNT(*) FILTER (WHERE seen) / COUNT(cost)")), "share");
    assert_eq!(without(&select("COUNT(*)")), "share");
    assert!(
        deniable_answers::check_population(&query("SELECT COUNT(*) FILTER (WHERE seen) / COUNT(cost) AS share FROM t"))
            .is_err()
    );
}

/// Populations of 1,000 costs, with their names.
fn populations() -> [(&'static str, Vec<i128>); 4] {
    let of = |cost: &dyn Fn(i128) -> i128| (0..1_000).map(cost).collect();
    [
        ("even", of(&|at| at * 400 / 999)),
        // A hundredth costs much, and most cost nothing.
        ("skewed", of(&|at| if at < 10 { 400 } else { at % 3 })),
        ("rare", of(&|at| if at < 15 { 300 } else { 20 })),
        ("two ends", of(&|at| if at % 2 == 0 { 0 } else { 400 })),
    ]
}

struct Coverage {
    covered: f64,
    /// The mean width of the interval for the population, and of the one for the rows.
    widths: [f64; 2],
}

fn simulate(
    query: &Query,
    costs: &[i128],
    rows: usize,
    adjacency: Adjacency,
    odds: &Rational,
    draws: usize,
) -> Coverage {
    let each = Spend::odds(odds.clone()).unwrap().share(&(whole(1) / whole(query.measures().len()))).unwrap();
    let hiding = |at: usize| Decay::hiding(&each, &query.sensitivity(at, adjacency)).unwrap();
    let decays: Vec<Decay> = (0..query.measures().len()).map(hiding).collect();
    let added: Vec<Vec<i128>> = costs.iter().map(|cost| row(query, *cost)).collect();
    let totals = |rows: &mut dyn Iterator<Item = usize>| {
        rows.fold(vec![0; decays.len()], |sums: Vec<i128>, at| {
            sums.iter().zip(&added[at]).map(|(a, b)| a + b).collect()
        })
    };
    let show = |values: Vec<i128>| {
        let values = values.into_iter().map(|value| vec![value]).collect();
        let noisy = Noisy { values, consistent: None, decays: decays.clone() };
        let row = deniable_answers::show_with_population(query, &noisy, &ratio(19, 20)).remove(0);
        let ShownValue::Number { estimate, low, high, population, .. } = row.0[0].clone() else { panic!("{row:?}") };
        (estimate, low.zip(high), population)
    };
    let truth = show(totals(&mut (0..costs.len()))).0.unwrap();
    // The seed is fixed: the tolerances are not error rates.
    let mut rng = ChaCha20Rng::seed_from_u64(19);
    let (mut covered, mut widths) = (0_usize, [0.0; 2]);
    for _ in 0..draws {
        let mut sampled = (0..rows).map(|_| (rng.next_u64() % costs.len() as u64) as usize).collect::<Vec<_>>();
        let exact = totals(&mut sampled.drain(..));
        let noise = |(total, decay): (&i128, &Decay)| total + TwoSidedGeometric::new(decay.clone()).sample(&mut rng);
        let (_, own, population) = show(exact.iter().zip(&decays).map(noise).collect());
        let (low, high) = *population.unwrap();
        covered += usize::from(low <= truth && truth <= high);
        let width = |(low, high): (Rational, Rational)| (high - low).to_f64().unwrap() / draws as f64;
        widths[0] += width((low, high));
        widths[1] += own.map_or(f64::INFINITY, width);
    }
    Coverage { covered: covered as f64 / draws as f64, widths }
}

#[test]
fn intervals_cover_the_population() {
    let (draws, missed) = match scale() {
        Scale::Small => (60, 0.1),
        Scale::Full => (400, 0.044),
        Scale::Slow => (2_000, 0.02),
    };
    for sql in [
        "SELECT AVG(cost) FROM t",
        "SELECT AVG(cost), STDDEV(cost) FROM t",
        "SELECT ROUND(SUM(cost) / COUNT(*), 1) FROM t",
        "SELECT 100.0 * COUNT(*) FILTER (WHERE cost >= 200) / COUNT(*) FROM t",
    ] {
        let query = query(sql);
        deniable_answers::check_population(&query).unwrap();
        for (name, costs) in populations() {
            for (adjacency, rows, odds) in [
                (Adjacency::AddRemove, 40, ratio(3, 1)),
                (Adjacency::AddRemove, 1_000, ratio(3, 2)),
                (Adjacency::ReplaceOne, 300, ratio(3, 1)),
            ] {
                let Coverage { covered, widths: [population, own] } =
                    simulate(&query, &costs, rows, adjacency, &odds, draws);
                println!(
                    "{sql:70} {name:8} {rows:>5} rows, R = {odds:<4} {adjacency:12} covers {covered:.4}, width {population:.2}, of the \
                     rows {own:.2}"
                );
                assert!(covered >= 0.95 - missed, "{sql} of {rows} rows, {name}: {covered}");
            }
        }
    }
}

/// Only means of one value per row have an interval for the population, and rows must be drawn independently.
#[test]
fn other_numbers_and_samples_have_no_population_interval() {
    let refused = |sql: &str, caps: Option<Caps>| {
        deniable_answers::check_population(&deniable_sql::plan(sql, &tables(caps)).unwrap())
            .err()
            .map(|error| error.to_string())
    };
    let caps = |rows_per_group| Some(Caps { rows_per_group, groups: 1 });
    for sql in [
        "SELECT COUNT(*) FROM t",
        "SELECT SUM(cost) FROM t",
        "SELECT MEDIAN(cost) FROM t",
        "SELECT STDDEV(cost) FROM t",
        "SELECT SUM(cost) / COUNT(*) FILTER (WHERE cost > 200) FROM t",
        "SELECT COUNT(*) / COUNT(seen) FROM t",
        "SELECT AVG(cost) * COUNT(*) FROM t",
    ] {
        assert!(refused(sql, None).is_some_and(|error| error.contains("of these answers")), "{sql}");
    }
    for sql in ["SELECT AVG(cost) FROM t", "SELECT COUNT(seen) / COUNT(*), COUNT(*) FROM t"] {
        assert_eq!(refused(sql, None), None);
        assert_eq!(refused(sql, caps(1)), None);
        assert!(refused(sql, caps(2)).is_some_and(|error| error.contains("several rows of one person")), "{sql}");
    }
    // Among other columns, only the mean has one; without `sampling` no column has one.
    let query = query("SELECT COUNT(*), AVG(cost) FROM t");
    let decays: Vec<Decay> = (0..query.measures().len())
        .map(|at| {
            Decay::hiding(&Spend::odds(ratio(3, 2)).unwrap(), &query.sensitivity(at, Adjacency::AddRemove)).unwrap()
        })
        .collect();
    let noisy = Noisy { values: vec![vec![100]; decays.len()], consistent: None, decays };
    let has = |shown: &ShownValue| matches!(shown, ShownValue::Number { population: Some(_), .. });
    let found: Vec<bool> =
        deniable_answers::show_with_population(&query, &noisy, &ratio(19, 20))[0].0.iter().map(has).collect();
    assert_eq!(found, [false, true]);
    assert!(!deniable_answers::show(&query, &noisy, &ratio(19, 20))[0].0.iter().any(has));
}
