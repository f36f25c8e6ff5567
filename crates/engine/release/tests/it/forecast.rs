//! Forecasts against numbers computed by hand, and targets against their definition. No data is read.

use deniable_core::exact::{Rational, ratio, whole};
use deniable_core::interval::{Law, reach};
use deniable_core::noise::{Decay, TwoSidedGeometric, margin};
use deniable_policy::Policy;
use deniable_release::forecast::{AnswerForecast, ErrorBound, expected, short};
use deniable_release::plan::PlanErrorKind;
use deniable_release::target::{STEPS, TargetError, TargetShortfall};
use deniable_release::{Plan, PlanError, PlanErrors};
use deniable_testing::sized;
use num_traits::ToPrimitive;
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;
use std::path::Path;

const HEAD: &str = r#"
name = "forecast"
population = "people"
data = { table = "t", path = "nowhere.csv", version = "1", typical_rows = 9_000 }
adversary = { preset = "anyone" }
promise = { epsilon = 2 }
[columns]
x = { type = "integer", bounds = [10, 30] }
g = { type = "text", keys = ["a", "b", "c"] }
"#;

fn plan(head: &str, queries: &str) -> Result<Plan, PlanErrors> {
    Plan::new(Policy::parse(Path::new("policy.toml"), &format!("{head}\n{queries}")).unwrap())
}

fn ask(head: &str, sql: &str) -> Vec<AnswerForecast> {
    let plan = plan(head, &format!("[[query]]\nsql = '{sql}'")).unwrap();
    expected(&plan.queries()[0], plan.policy())
}

fn number(expected: &AnswerForecast) -> Rational {
    expected.error.number().unwrap_or_else(|| panic!("{expected:?}")).clone()
}

/// The decay of one measure that has this part of ε = 2 at this sensitivity.
fn decay(part: Rational, sensitivity: i64) -> Decay {
    let odds = deniable_core::budget::Spend::epsilon(whole(2) * part).unwrap();
    Decay::hiding(&odds, &sensitivity.into()).unwrap()
}

#[test]
fn counts_and_sums_have_their_margin() {
    let count = &ask(HEAD, "SELECT g, COUNT(*) AS n FROM t GROUP BY g")[0];
    let reach = whole(margin(&decay(whole(1), 1), &ratio(19, 20)));
    assert_eq!((number(count), count.cells, count.name.as_str()), (reach.clone(), 3, "n"));
    assert_eq!(count.relative, Some(reach / whole(3_000)));
    let sum = &ask(HEAD, "SELECT SUM(x) FROM t")[0];
    let reach = whole(margin(&decay(whole(1), 30), &ratio(19, 20)));
    assert_eq!(number(sum), reach);
    assert!(sum.relative.is_none(), "no typical value of x is stated: {sum:?}");
}

#[test]
fn averages_depend_on_rows() {
    let mean = &ask(HEAD, "SELECT g, AVG(x) FROM t GROUP BY g")[0];
    // Half of ε each; centred at 20, a row moves the sum by at most 10. Most of the allowed error is for both together.
    let (sum, count) = (Law::of(&decay(ratio(1, 2), 10)), Law::of(&decay(ratio(1, 2), 1)));
    let error = |own: f64| {
        reach(&[(1.0, sum), (10.0, count)], 0.05 * own) / (3_000.0 - reach(&[(1.0, count)], 0.05 * (1.0 - own)))
    };
    let least = [0.5, 0.7, 0.8, 0.9, 0.95, 0.98].map(error).into_iter().fold(f64::INFINITY, f64::min);
    assert!((number(mean).to_f64().unwrap() - least).abs() < 1e-9, "{} {least}", number(mean));
    // Less than the sum of two margins of 97.5%.
    let each = |decay: Decay| whole(margin(&decay, &ratio(39, 40)));
    let (sum, count) = (each(decay(ratio(1, 2), 10)), each(decay(ratio(1, 2), 1)));
    assert!(number(mean) < ratio(3, 4) * (sum + whole(10) * &count) / (whole(3_000) - count));
    let without = HEAD.replace(", typical_rows = 9_000", "");
    assert_eq!(ask(&without, "SELECT AVG(x) FROM t")[0].error, ErrorBound::NeedsTypicalRows);
    // Very few rows: the range of the bounds.
    let few = HEAD.replace("9_000", "3");
    assert_eq!(number(&ask(&few, "SELECT g, AVG(x) FROM t GROUP BY g")[0]), whole(20));
    assert_eq!(number(&ask(&few, "SELECT g, VAR_POP(x) FROM t GROUP BY g")[0]), whole(100));
}

/// For all values, at most the allowed share of errors exceeds the bound: 2,000 draws each, of which 5% may, with a
/// standard error of half a percent.
#[test]
fn the_errors_of_means_and_spreads_are_rarely_exceeded() {
    let rows = 400;
    let head = HEAD.replace("9_000", &rows.to_string());
    let bound = |sql: &str| number(&ask(&head, sql)[0]).to_f64().unwrap();
    let bounds = ["AVG(x)", "VAR_POP(x)", "VAR_SAMP(x)", "STDDEV_POP(x)"]
        .map(|answer| bound(&format!("SELECT {answer} FROM t")));
    // The seed is fixed: the tolerances are not error rates.
    let mut rng = ChaCha20Rng::seed_from_u64(7);
    let draw = |parts: i64, sensitivity| TwoSidedGeometric::new(decay(ratio(1, parts), sensitivity));
    let (of_mean, of_spread) = ([draw(2, 10), draw(2, 1)], [draw(3, 10), draw(3, 1), draw(3, 100)]);
    let n = f64::from(rows);
    // Truths: these numbers of rows at -10 and at 10, and the rest at 0.
    for (low, high) in [(0, 0), (200, 200), (0, 400), (100, 0), (0, 130), (1, 399)] {
        let (s, q) = (f64::from(10 * (high - low)), f64::from(100 * (high + low)));
        let variance = |s: f64, q: f64, n: f64| (q / n - (s / n).powi(2)).clamp(0.0, 100.0);
        let sampled = |v: f64, n: f64| (v * n / (n - 1.0)).clamp(0.0, 200.0);
        let truth = variance(s, q, n);
        let mut beyond = [0; 4];
        for _ in 0..2_000 {
            let mut noise = |of: &TwoSidedGeometric| of.sample(&mut rng) as f64;
            let mean = (s + noise(&of_mean[0])) / (n + noise(&of_mean[1]));
            let [a, b, c] = of_spread.each_ref().map(&mut noise);
            let value = variance(s + a, q + c, n + b);
            let errors = [
                mean.clamp(-10.0, 10.0) - s / n,
                value - truth,
                sampled(value, n + b) - sampled(truth, n),
                value.sqrt() - truth.sqrt(),
            ];
            errors
                .iter()
                .zip(&bounds)
                .zip(&mut beyond)
                .for_each(|((error, bound), beyond)| *beyond += u32::from(error.abs() > *bound));
        }
        assert!(beyond.iter().all(|beyond| *beyond <= 140), "{low} {high}: {beyond:?} of 2,000 are beyond {bounds:?}");
    }
}

#[test]
fn quantiles_are_off_by_rows() {
    let median = &ask(HEAD, "SELECT MEDIAN(x) FROM t")[0];
    let ErrorBound::Rows(rows) = &median.error else { panic!("{median:?}") };
    assert_eq!(median.relative, Some(rows / whole(9_000)));
    assert!(median.noise[0].deviation.is_none());
    // Distances in tenths of a row, of which one person moves nine: r = e^(−1/9). The 20 other values of the grid, t+1
    // tenths away, may weigh 2·5%: 20·r^(t+1) ≤ 1/10 from t+1 = 48 on (M-PF). The exponential mechanism would take 53
    // tenths.
    let high = &ask(HEAD, "SELECT PERCENTILE_CONT(x, 0.9) FROM t")[0];
    assert_eq!(high.error, ErrorBound::Rows(whole(5)));
    let several = ask(HEAD, "SELECT MEDIAN(x), PERCENTILE_CONT(x, 0.9) AS high, MIN(x) FROM t");
    let names: Vec<&str> = several.iter().map(|answer| answer.name.as_str()).collect();
    assert_eq!(names, ["MEDIAN(x)", "high", "MIN(x)"]);
    assert!(several.iter().all(|answer| matches!(answer.error, ErrorBound::Rows(_))), "{several:?}");
    assert!(several[0].noise[0].deviation.is_some(), "two quantiles of one value share counts");
    // The error of a range is that of both ranks, each with half of the allowed error.
    let wide = HEAD.replace("[10, 30]", "[10, 400]");
    let range = ask(&wide, "SELECT PERCENTILE_CONT(x, 0.75) - PERCENTILE_CONT(x, 0.25) AS iqr FROM t");
    let [ErrorBound::Rows(high), ErrorBound::Rows(low), ErrorBound::Rows(iqr)] =
        [0, 1, 2].map(|at: usize| range[at].error.clone())
    else {
        panic!("{range:?}")
    };
    assert!(iqr > &high + &low && iqr < (&high + &low) * whole(2), "{iqr} of {high} and {low}");
    assert_eq!(range[2].relative, Some(iqr / whole(9_000)));
}

/// Every aggregate names the noise of its measures.
#[test]
fn fits_have_the_scales_of_their_measures() {
    for fit in ["CORR(x, y)", "COVAR_POP(x, y)", "REGR_SLOPE(x, y)", "REGR_R2(x, y)", "AVG_WEIGHTED(x, y)"] {
        let [expected] = ask(GUESSED, &format!("SELECT {fit} AS v FROM t")).try_into().unwrap();
        let AnswerForecast { noise, .. } = expected;
        assert!(noise.len() >= 2 && noise.iter().all(|noise| noise.scale.is_some()), "{fit}: {noise:?}");
    }
}

const GUESSED: &str = r#"
name = "forecast"
population = "people"
data = { table = "t", path = "nowhere.csv", version = "1", typical_rows = 9_000 }
adversary = { preset = "anyone" }
promise = { epsilon = 2 }
[columns]
x = { type = "integer", bounds = [10, 30], typical = 12, typical_spread = 2 }
y = { type = "integer", bounds = [0, 30] }
g = { type = "text", keys = ["a", "b", "c"] }
"#;

#[test]
fn errors_are_relative_to_typical_answers() {
    let sum = &ask(GUESSED, "SELECT SUM(x) FROM t")[0];
    assert_eq!(sum.relative, Some(number(sum) / whole(12 * 9_000)));
    let mean = &ask(GUESSED, "SELECT g, AVG(x) FROM t GROUP BY g")[0];
    let planned = mean.typical.as_ref().unwrap();
    assert_eq!(planned.answer, Some(whole(12)));
    // Half the width of the interval at these values, which is at most as wide as the bound for all values.
    assert!(planned.error.as_ref().unwrap() < &number(mean), "{mean:?}");
    assert_eq!(mean.relative, Some(planned.error.clone().unwrap() / whole(12)));
    // For a part of the rows; the bound, on which targets depend, stays the same.
    let share =
        plan(GUESSED, "[[query]]\nsql = 'SELECT COUNT(*), AVG(x) FROM t WHERE x > 11'\ntypical_share = '1/9'").unwrap();
    let share = expected(&share.queries()[0], share.policy());
    assert_eq!(share[0].typical.as_ref().unwrap().answer, Some(whole(1_000)));
    assert_eq!(number(&share[1]), number(&ask(GUESSED, "SELECT COUNT(*), AVG(x) FROM t")[1]));
    // No value is invented.
    let unknown = &ask(GUESSED, "SELECT SUM(y) FROM t")[0];
    assert!(unknown.relative.is_none() && unknown.typical.is_err(), "{unknown:?}");
}

#[test]
fn arithmetic_has_rows_of_its_own() {
    let all = ask(GUESSED, "SELECT g, 100 * SUM(x) / COUNT(*) AS rate, AVG(x) - 10 AS above FROM t GROUP BY g");
    let rate = all.iter().find(|answer| answer.name == "rate").unwrap();
    assert_eq!(rate.typical.as_ref().unwrap().answer, Some(whole(1_200)));
    assert!(rate.noise.is_empty() && matches!(rate.error, ErrorBound::Typical(_)), "{rate:?}");
    let above = all.iter().find(|answer| answer.name == "above").unwrap();
    assert_eq!(above.typical.as_ref().unwrap().answer, Some(whole(2)));
    // Its error is that of the average, relative to the remaining value.
    let mean = all.iter().find(|answer| answer.name == "AVG(x)").unwrap();
    let times = above.relative.clone().unwrap() / mean.relative.clone().unwrap();
    assert!((times.to_f64().unwrap() - 6.0).abs() < 0.01, "{times}");
    let unknown = ask(GUESSED, "SELECT SUM(x) / SUM(y) AS r, COUNT(*) / (COUNT(x) - 9000) AS nothing FROM t");
    let of = |name: &str| unknown.iter().find(|answer| answer.name == name).unwrap().error.clone();
    assert_eq!((of("r"), of("nothing")), (ErrorBound::NeedsTypical, ErrorBound::Unbounded));
    let ranks = ask(GUESSED, "SELECT MAX(x) - MIN(x) AS width, MAX(x) - AVG(x) AS above FROM t");
    let of = |name: &str| ranks.iter().find(|answer| answer.name == name).unwrap().error.clone();
    assert!(matches!(of("width"), ErrorBound::Rows(_)) && of("above") == ErrorBound::ByRank, "{ranks:?}");
}

/// Shares do not change either, including those of targets.
#[test]
fn guesses_of_values_do_not_change_a_query() {
    let queries = "[[query]]\nname = 'a'\nsql = 'SELECT g, AVG(x), VAR_POP(x) FROM t WHERE y > 3 GROUP BY g'\ntarget_error = 3\n\
                [[query]]\nname = 'b'\nsql = 'SELECT SUM(y) FROM t'";
    let with = GUESSED.replace("bounds = [0, 30]", "bounds = [0, 30], typical = 3");
    let share = queries.replace("target_error = 3", "target_error = 3\ntypical_share = 0.3\ntypical = { \"x\" = 20 }");
    let identities = |head: &str, queries: &str| {
        let plan = plan(head, queries).unwrap();
        let of = |planned: &deniable_release::QueryPlan| {
            (planned.for_ledger(plan.policy()).identity, planned.declared().share.clone())
        };
        plan.queries().iter().map(of).collect::<Vec<_>>()
    };
    let without = GUESSED.replace(", typical = 12, typical_spread = 2", "");
    let expected = identities(GUESSED, queries);
    for (head, queries) in [(&*with, queries), (&*without, queries), (GUESSED, &*share)] {
        assert_eq!(identities(head, queries), expected, "{head} {queries}");
    }
    let readings = |head: &str| {
        let policy = plan(head, queries).unwrap().policy().clone();
        deniable_core::schema::reading(&policy.tables()[0], &|_| true)
    };
    assert_eq!(readings(&with), readings(&without));
}

#[test]
fn notes_say_what_to_add_and_where() {
    let told = |head: &str, queries: &str| {
        let plan = plan(head, queries).unwrap();
        let all: Vec<Vec<AnswerForecast>> =
            plan.queries().iter().map(|planned| expected(planned, plan.policy())).collect();
        let pairs: Vec<_> = plan.queries().iter().zip(all.iter().map(Vec::as_slice)).collect();
        deniable_release::typical::notes(&pairs, plan.policy())
    };
    let sum = "[[query]]\nname = 'sums'\nsql = \"SELECT SUM(y), VAR_POP(y), COUNT(*) FILTER (WHERE g = 'a') FROM t\"";
    assert_eq!(
        told(&GUESSED.replace(", typical_rows = 9_000", ""), sum),
        [
            "relative errors that are missing need public guesses: add `typical_rows` to [data]; `typical` to [columns.y]; \
          `typical_spread` to [columns.y]; `typical = { \"g = 'a'\" = ... }` to the query \"sums\""
        ]
    );
    // In TOML's notation, whatever the names are.
    let spaced = GUESSED.replace("\ng =", "\n\"hours a week\" = { type = \"integer\", bounds = [0, 9] }\ng =");
    let hours = r#"[[query]]
name = 'hours'
sql = """SELECT SUM("hours a week"), COUNT(*) FILTER (WHERE g = 'a "b"') FROM t""""#;
    assert_eq!(
        told(&spaced, hours),
        [
            r#"relative errors that are missing need public guesses: add `typical` to [columns."hours a week"]; `typical = { "g = 'a \"b\"'" = ... }` to the query "hours""#
        ]
    );
    let stated = format!("{sum}\ntypical = {{ \"g = 'a'\" = 0.2, \"g = 'b'\" = 0.3 }}");
    let with = GUESSED.replace("bounds = [0, 30]", "bounds = [0, 30], typical = 3, typical_spread = 4");
    assert_eq!(told(&with, &stated), ["`typical` of \"sums\": the query has no expression `g = 'b'`"]);
    let product = "[[query]]\nname = 'product'\nsql = 'SELECT STDDEV(x + y) FROM t'";
    assert!(told(&with, product)[0].contains("the spread of `(x + y)` does not follow"), "{:?}", told(&with, product));
    let part = "[[query]]\nname = 'part'\nsql = 'SELECT COUNT(*) FROM t WHERE y > 3'";
    assert!(
        told(&with, part)[0].contains("all rows although WHERE leaves some out: \"part\""),
        "{:?}",
        told(&with, part)
    );
    assert!(told(&with, &format!("{part}\ntypical_share = 0.5")).is_empty());
}

#[test]
fn every_grouping_has_its_answers() {
    let all = ask(HEAD, "SELECT g, COUNT(*) AS n, 100 * COUNT(x) / COUNT(*) AS part FROM t GROUP BY ROLLUP (g)");
    let seen: Vec<(&str, usize)> = all.iter().map(|answer| (answer.name.as_str(), answer.cells)).collect();
    assert!(seen.contains(&("n by g", 3)) && seen.contains(&("n, all", 1)), "{seen:?}");
    assert!(seen.contains(&("COUNT(x) by g", 3)) && seen.contains(&("COUNT(x), all", 1)), "{seen:?}");
}

fn with_target(target: &str, sql: &str, more: &str) -> Result<Plan, PlanErrors> {
    let budget = "[budget]\nspend = \"1/2\"";
    plan(HEAD, &format!("{budget}\n[[query]]\nsql = '{sql}'\ntarget_error = {target}\n{more}"))
}

const QUESTIONS: [&str; 6] = [
    "SELECT COUNT(*) FROM t",
    "SELECT g, COUNT(*), AVG(x) FROM t GROUP BY g",
    "SELECT SUM(x) FROM t",
    "SELECT MEDIAN(x) FROM t",
    "SELECT MIN(x), STDDEV(x) FROM t",
    "SELECT MEDIAN(x), PERCENTILE_CONT(x, 0.9), VAR_POP(x) FROM t",
];

/// The largest error of a query at this number of steps of the grid.
fn worst(sql: &str, steps: i64) -> Rational {
    let share = ratio(1, 2) * ratio(steps, STEPS);
    let plan = plan(HEAD, &format!("[[query]]\nsql = '{sql}'\nshare = \"{share}\"")).unwrap();
    expected(&plan.queries()[0], plan.policy()).iter().map(number).max().unwrap()
}

#[test]
fn more_share_never_means_more_error() {
    for sql in QUESTIONS {
        let errors: Vec<Rational> = (1..=sized(20, 60)).map(|at| worst(sql, at * at * 2)).collect();
        assert!(errors.windows(2).all(|pair| pair[0] >= pair[1]), "{sql}");
        let near: Vec<Rational> = (500..500 + sized(12, 40)).map(|steps| worst(sql, steps)).collect();
        assert!(near.windows(2).all(|pair| pair[0] >= pair[1]), "{sql}");
    }
}

#[test]
fn the_smallest_share_that_keeps_the_target() {
    for sql in QUESTIONS {
        let target = worst(sql, 2_345);
        let plan = with_target(&format!("\"{target}\""), sql, "").unwrap();
        let steps = &plan.policy().queries()[0].share / (ratio(1, 2) / whole(STEPS));
        assert!(steps.is_integer() && steps <= whole(2_345), "{sql}: {steps}");
        let steps = i64::try_from(steps.to_integer()).unwrap();
        assert!(worst(sql, steps) <= target && worst(sql, steps - 1) > target, "{sql}: {steps}");
        // The charged share is the smallest one.
        assert_eq!(
            *plan.queries()[0].cost(),
            plan.policy().guarantee().limit().share(&plan.policy().queries()[0].share).unwrap()
        );
    }
}

#[test]
fn weights_share_the_rest_of_targets() {
    let more =
        "[[query]]\nsql = 'SELECT SUM(x) FROM t'\n[[query]]\nsql = 'SELECT g, COUNT(*) FROM t GROUP BY g'\nweight = 2";
    let plan = with_target("40", QUESTIONS[0], more).unwrap();
    let shares: Vec<Rational> = plan.queries().iter().map(|planned| planned.declared().share.clone()).collect();
    assert_eq!(shares.iter().sum::<Rational>(), ratio(1, 2));
    assert_eq!(shares[2], &shares[1] * whole(2));
    assert_eq!(plan.policy().queries()[0].share, shares[0]);
}

#[test]
fn targets_out_of_reach_state_the_needed_share() {
    let errors = with_target("\"1/2\"", QUESTIONS[0], "").unwrap_err();
    let [PlanError { kind: PlanErrorKind::Target(error), .. }] = errors.errors() else { panic!("{errors:?}") };
    let TargetError::Exceeds(exceeded) = error else { panic!("{error:?}") };
    let TargetShortfall { needed: Some(needed), available, best: Some(best), .. } = &**exceeded else {
        panic!("{error:?}")
    };
    assert_eq!(*available, ratio(1, 2));
    assert_eq!(best.number(), Some(&worst(QUESTIONS[0], STEPS)));
    let steps = i64::try_from((needed / (ratio(1, 2) / whole(STEPS))).to_integer()).unwrap();
    assert!(
        steps > STEPS
            && worst_of(QUESTIONS[0], steps) <= ratio(1, 2)
            && worst_of(QUESTIONS[0], steps - 1) > ratio(1, 2)
    );
    // Two targets that each fit alone do not fit together.
    let target = worst(QUESTIONS[0], 6_000);
    let more = format!("[[query]]\nsql = '{}'\ntarget_error = \"{target}\"", "SELECT COUNT(x) FROM t");
    let errors = with_target(&format!("\"{target}\""), QUESTIONS[0], &more).unwrap_err();
    assert_eq!(errors.errors().len(), 1, "{errors:?}");
    assert_eq!(errors.errors()[0].query, "query 2");
}

/// As [`worst`], for more steps than a policy may state.
fn worst_of(sql: &str, steps: i64) -> Rational {
    let head = HEAD.replace("epsilon = 2 ", &format!("epsilon = \"{}\" ", ratio(steps, STEPS)));
    expected_of(&head, sql)
}

fn expected_of(head: &str, sql: &str) -> Rational {
    ask(head, sql).iter().map(number).max().unwrap()
}

#[test]
fn numbers_are_short_and_never_too_small() {
    let shown: Vec<String> =
        [whole(0), whole(174), ratio(348_403, 10), ratio(1, 3), ratio(123_456, 10_000), ratio(1, 100_000)]
            .iter()
            .map(short)
            .collect();
    assert_eq!(shown, ["0", "174", "34841", "0.334", "12.4", "0.00001"]);
}
