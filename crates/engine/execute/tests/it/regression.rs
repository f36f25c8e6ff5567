//! Covariances, correlations and least squares: the numbers of the textbook, and coverage of their intervals (S-LS).

use arrow_array::{ArrayRef, Int64Array, RecordBatch};
use deniable_answers::{Noisy, ShownValue};
use deniable_core::adversary::Adjacency;
use deniable_core::budget::Spend;
use deniable_core::exact::{Rational, ratio, whole};
use deniable_core::noise::{Decay, TwoSidedGeometric};
use deniable_core::schema::{Bounds, Column, ColumnType, TableSchema};
use deniable_data::{Resources, Source};
use deniable_execute::{Salt, exact};
use deniable_query::Query;
use deniable_testing::{Scale, scale, sized_to_slow};
use num_traits::{ToPrimitive, Zero};
use rand_chacha::ChaCha20Rng;
use rand_core::{Rng, SeedableRng};
use std::sync::Arc;

/// Rows of y, x, z, and b, which is 0 or 1; NULLs among them.
pub type Row = [Option<i64>; 4];

pub fn table() -> TableSchema {
    let column = |name: &str, low: i64, high: i64| {
        let bounds = Bounds::new(whole(low), whole(high), whole(1)).unwrap();
        Column::new(name, ColumnType::Integer).within(bounds)
    };
    TableSchema::protected(
        "t",
        vec![column("y", 0, 100), column("x", 17, 90), column("z", -5, 5), column("b", 0, 1)],
        None,
    )
}

pub fn totals(query: &Query, rows: &[Row]) -> Vec<Vec<i128>> {
    totals_of(table(), query, rows)
}

fn totals_of(table: TableSchema, query: &Query, rows: &[Row]) -> Vec<Vec<i128>> {
    let columns = (0..4).map(|at| Arc::new(Int64Array::from_iter(rows.iter().map(|row| row[at]))) as ArrayRef);
    let names = ["y", "x", "z", "b"].into_iter();
    let batch = RecordBatch::try_from_iter(names.zip(columns)).unwrap();
    let source = Source::memory(table, vec![batch]);
    let exact = exact(&[source], query, &Salt([7; 32]), &Resources::default(), &|_| {}).unwrap();
    exact.reveal().into_iter().map(|cells| cells.into_iter().map(|cell| cell[0]).collect()).collect()
}

fn number(shown: &ShownValue) -> [Option<Rational>; 3] {
    let ShownValue::Number { estimate, low, high, .. } = shown else { panic!("{shown:?}") };
    [estimate.clone(), low.clone(), high.clone()]
}

pub fn shown(query: &Query, values: Vec<Vec<i128>>, decays: Vec<Decay>) -> Vec<[Option<Rational>; 3]> {
    let noisy = Noisy { values, consistent: None, decays };
    deniable_answers::show(query, &noisy, &ratio(19, 20)).remove(0).0.iter().map(number).collect()
}

pub fn decays(query: &Query, odds: &Rational, adjacency: Adjacency) -> Vec<Decay> {
    let each = Spend::odds(odds.clone()).unwrap().share(&(whole(1) / whole(query.measures().len()))).unwrap();
    (0..query.measures().len()).map(|at| Decay::hiding(&each, &query.sensitivity(at, adjacency)).unwrap()).collect()
}

/// The least-squares coefficients of y on the others, the constant first, from the normal equations in fractions.
fn fitted(rows: &[Vec<Rational>]) -> Vec<Rational> {
    let with_one = |row: &Vec<Rational>| -> Vec<Rational> { [vec![whole(1)], row[1..].to_vec()].concat() };
    let size = rows[0].len();
    let mut table = vec![vec![Rational::zero(); size + 1]; size];
    for row in rows {
        let x = with_one(row);
        for (one, a) in x.iter().enumerate() {
            for (other, b) in x.iter().enumerate() {
                table[one][other] += a * b;
            }
            table[one][size] += a * &row[0];
        }
    }
    for at in 0..size {
        let from = (at..size).find(|row| !table[*row][at].is_zero()).unwrap();
        table.swap(at, from);
        let pivot = table[at][at].clone();
        table[at].iter_mut().for_each(|value| *value /= &pivot);
        for other in (0..size).filter(|other| *other != at) {
            let (own, factor) = (table[at].clone(), table[other][at].clone());
            table[other].iter_mut().zip(own).for_each(|(value, own)| *value -= &factor * own);
        }
    }
    table.into_iter().map(|row| row[size].clone()).collect()
}

/// Rows whose y depends on x, z and b, some of them with NULL.
pub fn rows(count: usize, seed: u64, nulls: bool) -> Vec<Row> {
    let mut rng = ChaCha20Rng::seed_from_u64(seed);
    let mut below = |most: u64| (rng.next_u64() % most) as i64;
    let row = |_| {
        let (b, z) = (below(2), below(11) - 5);
        let x = 30 + below(45) + 2 * z + 3 * b;
        let y = (x / 2 + 3 * z + 12 * b + below(30)).clamp(0, 100);
        let mut row = [Some(y), Some(x), Some(z), Some(b)];
        if nulls && below(4) == 0 {
            row[below(4) as usize] = None;
        }
        row
    };
    (0..count).map(row).collect()
}

#[test]
fn exact_sums_give_the_numbers_of_the_textbook() {
    let rows = rows(200, 1, true);
    let complete = |columns: &[usize]| -> Vec<Vec<Rational>> {
        let values = |row: &Row| columns.iter().map(|at| row[*at].map(whole)).collect::<Option<Vec<Rational>>>();
        rows.iter().filter_map(values).collect()
    };
    let sql = "SELECT REGR_INTERCEPT(y, x), REGR_SLOPE(y, x), REGR_COUNT(y, x), REGR_AVGX(y, x), REGR_AVGY(y, x), \
               REGR_SXX(y, x), REGR_SYY(y, x), REGR_SXY(y, x), COVAR_POP(y, x), COVAR_SAMP(y, x), CORR(y, x), REGR_R2(y, x) FROM t";
    let query = deniable_sql::plan(sql, &[table()]).unwrap();
    // y, x and their products: each is measured once.
    assert_eq!(query.measures().len(), 6);
    let found = shown(&query, totals(&query, &rows), decays(&query, &whole(3), Adjacency::AddRemove));
    let both = complete(&[0, 1]);
    let n = whole(both.len());
    let mean = |at: usize| both.iter().map(|row| row[at].clone()).sum::<Rational>() / &n;
    let product =
        |a: usize, b: usize| both.iter().map(|row| (&row[a] - mean(a)) * (&row[b] - mean(b))).sum::<Rational>();
    let line = fitted(&both);
    let (sxx, syy, sxy) = (product(1, 1), product(0, 0), product(0, 1));
    let r2 = &sxy * &sxy / (&sxx * &syy);
    let wanted = [
        line[0].clone(),
        line[1].clone(),
        n.clone(),
        mean(1),
        mean(0),
        sxx,
        syy,
        sxy.clone(),
        &sxy / &n,
        &sxy / (&n - whole(1)),
    ];
    for (found, wanted) in found.iter().zip(&wanted) {
        assert_eq!(found[0].as_ref(), Some(wanted));
    }
    let near = |found: &Rational, wanted: &Rational| (found - wanted).to_f64().unwrap().abs() < 1e-11;
    assert!(near(&(found[10][0].clone().unwrap() * found[10][0].clone().unwrap()), &r2));
    assert!(found[10][0].clone().unwrap() > whole(0));
    assert_eq!(found[11][0].as_ref(), Some(&r2));

    // Several x, over rows where all values are present, with a condition.
    let sql = "SELECT REGR_INTERCEPT(y, x, z, b) FILTER (WHERE x > 30), REGR_SLOPE(y, x, z, b) FILTER (WHERE x > 30), \
               REGR_SLOPE(y, b, x, z) FILTER (WHERE x > 30), REGR_SLOPE(y, z, b, x) FILTER (WHERE x > 30), \
               REGR_R2(y, z, x, b) FILTER (WHERE x > 30), REGR_COUNT(y, z, x, b) FILTER (WHERE x > 30) FROM t";
    let query = deniable_sql::plan(sql, &[table()]).unwrap();
    // A count, four sums and ten products, without the square of the value that is one of two.
    assert_eq!(query.measures().len(), 14);
    let found = shown(&query, totals(&query, &rows), decays(&query, &whole(3), Adjacency::AddRemove));
    let all: Vec<Vec<Rational>> = complete(&[0, 1, 2, 3]).into_iter().filter(|row| row[1] > whole(30)).collect();
    let fit = fitted(&all);
    let order = [0, 1, 3, 2].map(|at| fit[at].clone());
    for (found, wanted) in found.iter().zip(&order) {
        assert_eq!(found[0].as_ref(), Some(wanted));
    }
    let mean = all.iter().map(|row| row[0].clone()).sum::<Rational>() / whole(all.len());
    let square = |value: Rational| &value * &value;
    let predicted = |row: &[Rational]| &fit[0] + (1..4).map(|at| &fit[at] * &row[at]).sum::<Rational>();
    let left: Rational = all.iter().map(|row| square(&row[0] - predicted(row))).sum();
    let whole_of_it: Rational = all.iter().map(|row| square(&row[0] - &mean)).sum();
    assert_eq!(found[4][0].as_ref(), Some(&(whole(1) - left / whole_of_it)));
    assert_eq!(found[5][0].as_ref(), Some(&whole(all.len())));
}

#[test]
fn calls_in_another_order_are_the_same_query() {
    let query = |sql: &str| deniable_sql::plan(sql, &[table()]).unwrap();
    let one = query("SELECT REGR_SLOPE(y, x, z), REGR_INTERCEPT(y, x, z) FROM t");
    assert_eq!(one.canonical(), query("SELECT REGR_INTERCEPT(y, z, x), REGR_SLOPE(y, x, z) FROM t").canonical());
    assert_eq!(query("SELECT CORR(y, x) FROM t").canonical(), query("SELECT CORR(x, y) FROM t").canonical());
    assert_ne!(query("SELECT CORR(y, x) FROM t").canonical(), query("SELECT CORR(y, z) FROM t").canonical());
    let wider = Bounds::new(whole(17), whole(91), whole(1)).unwrap();
    let mut other = table();
    other.columns[1].bounds = Some(wider);
    let moved = deniable_sql::plan("SELECT CORR(y, x) FROM t", &[other]).unwrap();
    assert_ne!(query("SELECT CORR(y, x) FROM t").canonical(), moved.canonical());
}

#[test]
fn undefined_statistics_are_null_with_the_widest_interval() {
    let query =
        deniable_sql::plan("SELECT REGR_SLOPE(y, x), CORR(y, x), REGR_R2(y, x), COVAR_SAMP(y, x) FROM t", &[table()])
            .unwrap();
    let decays = decays(&query, &whole(3), Adjacency::AddRemove);
    for rows in [Vec::new(), vec![[Some(5), Some(20), None, None]], vec![[Some(5), Some(20), None, None]; 9]] {
        let found = shown(&query, totals(&query, &rows), decays.clone());
        // If all x are equal there is no slope; shown intervals cover every possible value.
        assert_eq!(found[0], [None, None, None], "{rows:?}");
        assert_eq!(found[1], [None, Some(whole(-1)), Some(whole(1))]);
        assert_eq!(found[2], [None, Some(whole(0)), Some(whole(1))]);
    }
}

struct Coverage {
    covered: usize,
    bounded: f64,
    /// The ratio of the mean width to that of the narrowest window with 95% of the errors.
    width: f64,
}

fn simulate(answer: &str, count: usize, odds: &Rational, adjacency: Adjacency, draws: usize, seed: u64) -> Coverage {
    let query = deniable_sql::plan(&format!("SELECT {answer} FROM t"), &[table()]).unwrap();
    let (totals, decays) = (totals(&query, &rows(count, 3, false)), decays(&query, odds, adjacency));
    let float = |values: Vec<Vec<i128>>| {
        shown(&query, values, decays.clone()).remove(0).map(|end| end.as_ref().and_then(Rational::to_f64))
    };
    let truth = float(totals.clone())[0].unwrap();
    let mut rng = ChaCha20Rng::seed_from_u64(seed);
    let (mut covered, mut bounded, mut widths, mut errors) = (0_usize, 0_usize, 0.0, Vec::new());
    for _ in 0..draws {
        let noise = |(cells, decay): (&Vec<i128>, &Decay)| -> Vec<i128> {
            let sampler = TwoSidedGeometric::new(decay.clone());
            cells.iter().map(|total| total + sampler.sample(&mut rng)).collect()
        };
        let [estimate, low, high] = float(totals.iter().zip(&decays).map(noise).collect());
        covered += usize::from(low.is_none_or(|low| low <= truth) && high.is_none_or(|high| truth <= high));
        if let (Some(low), Some(high)) = (low, high) {
            bounded += 1;
            widths += high - low;
        }
        errors.extend(estimate.map(|estimate| estimate - truth));
    }
    errors.sort_by(f64::total_cmp);
    let most = ((draws as f64 * 0.95).ceil() as usize).min(errors.len());
    let shortest = errors.windows(most).map(|part| part[part.len() - 1] - part[0]).fold(f64::INFINITY, f64::min);
    let share = |of: usize| of as f64 / draws as f64;
    Coverage { covered, bounded: share(bounded), width: widths / bounded.max(1) as f64 / shortest }
}

const ANSWERS: [&str; 11] = [
    "AVG_WEIGHTED(y, x)",
    "AVG_WEIGHTED(x, y)",
    "COVAR_POP(y, x)",
    "COVAR_SAMP(y, b)",
    "CORR(y, x)",
    "REGR_SXY(y, z)",
    "REGR_SLOPE(y, x)",
    "REGR_INTERCEPT(y, x - 40)",
    "REGR_R2(y, x)",
    "10 * REGR_SLOPE(y, b, x, z)",
    "REGR_INTERCEPT(y, x - 40, z, b)",
];

/// The least number of covered draws, if each is covered with probability 95%, except with probability 10⁻⁸: the lower
/// tail of the binomial distribution.
fn fewest_covered(draws: usize) -> usize {
    let (mut term, mut below) = (0.05_f64.ln() * draws as f64, 0.0);
    for hits in 0..draws {
        below += term.exp();
        if below >= 1e-8 {
            return hits;
        }
        term += (19.0 * (draws - hits) as f64 / (hits + 1) as f64).ln();
    }
    draws
}

/// The coverage of each answer, and of all together, is at least the stated one. Draws are independent, and there are
/// 56 limits: intervals that cover 95% fail one of them in fewer than one of 10⁶ runs. Of all 880 draws (13,200 at
/// full scale) at least 90.4% (93.9%) are covered.
#[test]
fn intervals_cover() {
    let (draws, wider) = match scale() {
        Scale::Small => (40, 2.0),
        Scale::Full => (300, 0.55),
        Scale::Slow => (600, 0.4),
    };
    // The first and the last place at small scale.
    let every = sized_to_slow(3, 1, 1);
    let all_draws = draws * 4_usize.div_ceil(every);
    let mut all = (0, 0);
    for (number, answer) in (0_u64..).zip(ANSWERS) {
        let mut of_answer = 0;
        for (place, (count, odds, adjacency)) in (0_u64..)
            .zip([
                (30_000, whole(3), Adjacency::AddRemove),
                (30_000, ratio(11, 10), Adjacency::ReplaceOne),
                (3_000, ratio(3, 1), Adjacency::AddRemove),
                (300, ratio(3, 1), Adjacency::AddRemove),
            ])
            .step_by(every)
        {
            let seed = deniable_testing::seed(1_900 + 10 * number + place);
            let Coverage { covered, bounded, width } = simulate(answer, count, &odds, adjacency, draws, seed);
            println!(
                "{answer:34} {count:>6} rows, R = {odds:<6} {adjacency:12} covers {covered} of {draws}, bounded {bounded:.3}, width {width:.3}"
            );
            assert!(covered >= fewest_covered(draws), "{answer} of {count} rows at {odds}: {covered} of {draws}");
            of_answer += covered;
            all = (all.0 + covered, all.1 + draws);
            // Where the noise is small compared with the spread of the rows, little accuracy is lost.
            let is_small = count == 30_000 && odds == whole(3);
            assert!(!is_small || (bounded > 0.999 && width < 1.0 + wider), "{answer} at {odds}: {width}");
        }
        assert!(of_answer >= fewest_covered(all_draws), "{answer}: {of_answer} of {all_draws}");
    }
    assert!(all.0 >= fewest_covered(all.1), "{} of {}", all.0, all.1);
}

/// Hours a week by age, years of education and sex: the fit on all rows, and fits under noise.
#[test]
fn the_fit_on_adult() {
    let Some(path) = deniable_testing::adult() else { return };
    let text = std::fs::read_to_string(path).unwrap();
    let row = |line: &str| -> Option<Row> {
        let fields: Vec<&str> = line.split(", ").collect();
        let number = |at: usize| fields.get(at)?.parse::<i64>().ok();
        let woman = fields.get(9).map(|sex| i64::from(*sex == "Female"));
        Some([Some(number(12)?), number(0), number(4), woman])
    };
    let rows: Vec<Row> = text.lines().filter_map(row).collect();
    let mut table = table();
    table.columns[2].bounds = Some(Bounds::new(whole(1), whole(16), whole(1)).unwrap());
    let (slopes, count) = (["x", "z", "b"], rows.len());
    let answers = slopes.map(|first| {
        let others: Vec<&str> = slopes.into_iter().filter(|other| *other != first).collect();
        format!("REGR_SLOPE(y, {first}, {})", others.join(", "))
    });
    let sql = format!("SELECT {}, REGR_INTERCEPT(y, x, z, b), REGR_R2(y, x, z, b) FROM t", answers.join(", "));
    let query = deniable_sql::plan(&sql, std::slice::from_ref(&table)).unwrap();
    let exact = totals_of(table, &query, &rows);
    let complete: Vec<Vec<Rational>> =
        rows.iter().map(|row| row.iter().map(|value| whole(value.unwrap())).collect()).collect();
    let fit = fitted(&complete);
    let wanted = [1, 2, 3, 0].map(|at| fit[at].clone());
    let found = shown(&query, exact.clone(), decays(&query, &whole(3), Adjacency::AddRemove));
    for (found, wanted) in found.iter().zip(&wanted) {
        assert_eq!(found[0].as_ref(), Some(wanted));
    }
    let explained = found[4][0].clone().unwrap();
    let truth: Vec<Rational> = wanted.into_iter().chain([explained]).collect();
    let names = ["age", "education", "woman", "intercept", "explained"];
    let (draws, missed) = (sized_to_slow(20, 120, 300), sized_to_slow(0.2, 0.08, 0.05));
    // The seed is fixed: the tolerances are not error rates.
    let mut rng = ChaCha20Rng::seed_from_u64(29);
    for odds in [ratio(27, 10), ratio(11, 10), ratio(101, 100)] {
        let decays = decays(&query, &odds, Adjacency::AddRemove);
        let (mut covered, mut bounded, mut widths) = ([0_usize; 5], [0_usize; 5], [0.0; 5]);
        for _ in 0..draws {
            let noise = |(cells, decay): (&Vec<i128>, &Decay)| -> Vec<i128> {
                let sampler = TwoSidedGeometric::new(decay.clone());
                cells.iter().map(|total| total + sampler.sample(&mut rng)).collect()
            };
            let noisy = exact.iter().zip(&decays).map(noise).collect();
            for (at, [_, low, high]) in shown(&query, noisy, decays.clone()).iter().enumerate() {
                let inside = |end: &Option<Rational>, is: fn(&Rational, &Rational) -> bool| {
                    end.as_ref().is_none_or(|end| is(end, &truth[at]))
                };
                covered[at] +=
                    usize::from(inside(low, |low, truth| low <= truth) && inside(high, |high, truth| high >= truth));
                if let (Some(low), Some(high)) = (low, high) {
                    bounded[at] += 1;
                    widths[at] += (high - low).to_f64().unwrap();
                }
            }
        }
        for at in 0..5 {
            let share = |of: usize| of as f64 / draws as f64;
            println!(
                "{count} rows, R = {odds}: {:10} is {:.4}; covered {:.4}, bounded {:.3}, mean width {:.4}",
                names[at],
                truth[at].to_f64().unwrap(),
                share(covered[at]),
                share(bounded[at]),
                widths[at] / bounded[at].max(1) as f64
            );
            assert!(share(covered[at]) >= 0.95 - missed, "{} at {odds}", names[at]);
        }
    }
}
