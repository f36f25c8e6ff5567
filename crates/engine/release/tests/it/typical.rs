//! `plan` against measured errors: if the typical values are right, the planned relative errors are those caused by
//! noise.
//!
//! Guesses are computed from the exact data, which a curator should not do. Then noise is drawn many times for the
//! exact totals, and the 95% quantile of |noisy − exact| / |exact| is measured. A thousand draws leave it a standard
//! error of 5%, four thousand one of 2.5%.

use deniable_answers::{Noisy, ShownValue};
use deniable_core::exact::{Rational, ratio};
use deniable_core::noise::{Decay, TwoSidedGeometric};
use deniable_data::{Resources, Source};
use deniable_execute::{Salt, exact};
use deniable_policy::Policy;
use deniable_release::typical::notes;
use deniable_release::{AnswerForecast, Plan, QueryPlan, expected};
use deniable_testing::{adult, sized};
use num_traits::{Signed, ToPrimitive};
use rand_chacha::ChaCha20Rng;
use rand_core::{Rng, SeedableRng};
use std::fmt::Write as _;
use std::path::Path;

/// A query, its rows if not all, and the expressions of which it needs typical values.
struct TestQuery {
    what: &'static str,
    rows: &'static str,
    of: &'static [&'static str],
}

const fn ask(what: &'static str) -> TestQuery {
    TestQuery { what, rows: "", of: &[] }
}

const fn about(what: &'static str, rows: &'static str, of: &'static [&'static str]) -> TestQuery {
    TestQuery { what, rows, of }
}

const ADULT: &str = r#"
name = "typical"
population = "adult"
adversary = { preset = "anyone" }
promise = { epsilon = 2 }
[data]
table = "t"
path = "adult.data"
version = "1"
format = "csv"
[data.csv]
header = false
trim = true
nulls = ["?"]
columns = ["age", "workclass", "fnlwgt", "education", "education_num", "marital_status", "occupation",
    "relationship", "race", "sex", "capital_gain", "capital_loss", "hours_per_week", "native_country", "income"]
[columns]
age = { type = "integer", bounds = [17, 90] }
education_num = { type = "integer", bounds = [1, 16] }
capital_gain = { type = "integer", bounds = [0, 99999] }
capital_loss = { type = "integer", bounds = [0, 4356] }
hours_per_week = { type = "integer", bounds = [1, 99] }
sex = { type = "text", keys = ["Female", "Male"] }
income = { type = "text", keys = ["<=50K", ">50K"] }
"#;

const ADULT_ASKS: [TestQuery; 18] = [
    ask("COUNT(*)"),
    about("COUNT(*)", "WHERE age < 25", &[]),
    about("COUNT(*)", "WHERE age > 80", &[]),
    about("COUNT(*) FILTER (WHERE income = '>50K')", "", &["income = '>50K'"]),
    ask("SUM(hours_per_week)"),
    ask("SUM(capital_gain)"),
    about("SUM(capital_loss)", "WHERE sex = 'Female'", &["capital_loss"]),
    ask("AVG(age)"),
    about("AVG(hours_per_week)", "WHERE sex = 'Female'", &["hours_per_week"]),
    ask("AVG(capital_gain)"),
    ask("VAR_POP(age)"),
    ask("STDDEV(hours_per_week)"),
    about("100.0 * SUM(CASE WHEN income = '>50K' THEN 1 ELSE 0 END) / COUNT(*)", "", &["income = '>50K'"]),
    about("AVG(CASE WHEN sex = 'Female' THEN 1 ELSE 0 END)", "WHERE age > 60", &["sex = 'Female'"]),
    ask("SUM(capital_gain) / SUM(hours_per_week)"),
    ask("AVG(capital_gain) - AVG(capital_loss)"),
    ask("AVG(hours_per_week) / AVG(education_num)"),
    ask("STDDEV(age) / AVG(age)"),
];

const VISITS: &str = r#"
name = "typical"
population = "patients"
adversary = { preset = "anyone" }
promise = { epsilon = 12 }
data = { table = "t", path = "visits.csv", version = "1" }
[columns]
person = { type = "text" }
ward = { type = "integer", keys = [1, 2, 3, 4] }
smoker = { type = "boolean" }
age = { type = "integer", bounds = [0, 110] }
cost = { type = "decimal", bounds = [0, 4000], step = 0.01 }
paid = { type = "decimal", bounds = [0, 4000], step = 0.01 }
change = { type = "integer", bounds = [-50, 50] }
[entity]
key = "person"
rows_per_group = 10
groups = 4
"#;

const VISIT_ASKS: [TestQuery; 18] = [
    ask("COUNT(*)"),
    ask("COUNT(DISTINCT person)"),
    about("COUNT(DISTINCT person) FILTER (WHERE smoker)", "", &["smoker"]),
    about("COUNT(*) AS n", "GROUP BY ward", &[]),
    about("COUNT(*)", "WHERE cost > 500", &[]),
    ask("SUM(cost)"),
    about("SUM(cost)", "GROUP BY ward", &[]),
    about("SUM(cost) FILTER (WHERE age >= 65)", "", &["age >= 65"]),
    ask("SUM(change)"),
    ask("AVG(cost)"),
    about("AVG(age)", "GROUP BY ward", &[]),
    ask("STDDEV_POP(cost)"),
    ask("COUNT(*) / COUNT(DISTINCT person)"),
    ask("SUM(cost) / COUNT(DISTINCT person)"),
    ask("100 * SUM(paid) / SUM(cost)"),
    ask("SUM(cost) - SUM(paid)"),
    ask("ROUND(AVG(cost - paid), 2)"),
    about("100.0 * COUNT(*) FILTER (WHERE cost > 500) / COUNT(*)", "GROUP BY ward", &["cost > 500"]),
];

/// A few people have many visits, and a few visits cost a lot.
fn visits() -> String {
    let mut rng = ChaCha20Rng::seed_from_u64(34);
    let mut chance = || (f64::from(rng.next_u32()) + 0.5) / f64::from(u32::MAX);
    let mut text = "person,ward,smoker,age,cost,paid,change\n".to_owned();
    for person in 0..12_000 {
        let (age, smoker) = ((100.0 * chance().sqrt()) as u32, chance() < 0.23);
        for _ in 0..(1.0 / chance().sqrt()).min(60.0) as u32 {
            let ward = 1 + (4.0 * chance()) as u32;
            let cost = (-120.0 * chance().ln() / chance().sqrt()).min(6_000.0);
            let (paid, change) = (cost * (0.2 + 0.6 * chance()), (30.0 * chance() - 8.0) as i32);
            writeln!(text, "p{person},{ward},{smoker},{age},{cost:.2},{paid:.2},{change}").unwrap();
        }
    }
    text
}

/// A table with its exact answers.
struct Table {
    head: &'static str,
    source: Source,
}

impl Table {
    fn new(head: &'static str, file: &Path) -> Self {
        let policy = policy(head, "[[query]]\nsql = 'SELECT COUNT(*) FROM t'");
        let policy = policy.with_data_at(file.to_string_lossy().into_owned()).unwrap();
        let plan = Plan::new(policy).unwrap();
        let source = Source::locate(plan.tables().remove(0).0, plan.policy().data(), Path::new("")).unwrap();
        Self { head, source: source.into_memory().unwrap() }
    }

    fn totals(&self, planned: &QueryPlan) -> Vec<Vec<i128>> {
        let sources = std::slice::from_ref(&self.source);
        let exact = exact(sources, planned.query(), &Salt([0; 32]), &Resources::default(), &|_| {}).unwrap();
        super::without_noise(exact, planned.query())
    }

    /// The only number of a query, without noise.
    fn number(&self, what: &str, rows: &str) -> Rational {
        let plan =
            Plan::new(policy(self.head, &format!("[[query]]\nsql = '''SELECT {what} FROM t {rows}'''"))).unwrap();
        numbers(&plan.queries()[0], self.totals(&plan.queries()[0]))[0].clone().unwrap()
    }

    /// The policy with exact guesses.
    fn plan(&self, queries: &[TestQuery]) -> Plan {
        let all = |what: &str| self.number(what, "");
        let mut text = format!("{}\n", self.head);
        writeln!(text, "[[query]]\nname = 'none'\nsql = 'SELECT COUNT(*) FROM t'\nshare = '1/1000'").unwrap();
        for TestQuery { what, rows, of } in queries {
            let (condition, group) = match rows.strip_prefix("GROUP BY ") {
                Some(group) => ("", format!("{group}, ")),
                None => (*rows, String::new()),
            };
            writeln!(
                text,
                "[[query]]\nname = '''{}'''\nsql = '''SELECT {group}{what} FROM t {rows}'''",
                format!("{what} {rows}").trim()
            )
            .unwrap();
            if !condition.is_empty() {
                writeln!(text, "typical_share = '{}'", self.number("COUNT(*)", condition) / all("COUNT(*)")).unwrap();
            }
            for of in *of {
                let is_condition = of.contains(' ') || *of == "smoker";
                let mean =
                    if is_condition { format!("AVG(CASE WHEN {of} THEN 1 ELSE 0 END)") } else { format!("AVG({of})") };
                writeln!(text, "typical.\"{of}\" = '{}'", self.number(&mean, condition)).unwrap();
            }
        }
        let mut text =
            text.replace("version = \"1\"", &format!("version = \"1\"\u{0}typical_rows = {}", all("COUNT(*)")));
        let inline = self.head.contains("data = {");
        text = text.replace('\u{0}', if inline { ", " } else { "\n" });
        if text.contains("[entity]") {
            let people = all("COUNT(DISTINCT person)");
            text = text.replace("[entity]", &format!("[entity]\ntypical_entities = {people}"));
        }
        for line in self.head.lines().filter(|line| line.contains("bounds")) {
            let column = line.split_once(' ').unwrap().0;
            let (mean, spread) = (all(&format!("AVG({column})")), all(&format!("STDDEV_POP({column})")));
            let more = format!(", typical = '{mean}', typical_spread = '{spread}' }}");
            text = text.replace(line, &line.replace(" }", &more));
        }
        Plan::new(policy("", &text)).unwrap_or_else(|errors| panic!("{errors:#?}"))
    }
}

fn policy(head: &str, queries: &str) -> Policy {
    Policy::parse(Path::new("policy.toml"), &format!("{head}\n{queries}")).unwrap_or_else(|errors| panic!("{errors}"))
}

/// The last column of every row.
fn numbers(planned: &QueryPlan, values: Vec<Vec<i128>>) -> Vec<Option<Rational>> {
    let decays: Vec<Decay> = planned.measures().iter().map(|measure| measure.decay().clone()).collect();
    let rows = deniable_answers::show(planned.query(), &Noisy { values, consistent: None, decays }, &ratio(1, 2));
    let last = |shown: &ShownValue| match shown {
        ShownValue::Number { estimate, .. } => estimate.clone(),
        _ => None,
    };
    rows.iter().map(|row| last(row.0.last().unwrap())).collect()
}

/// The 95% quantile of the relative error, over all cells and draws.
fn measured(table: &Table, planned: &QueryPlan, draws: usize) -> f64 {
    let totals = table.totals(planned);
    let truth = numbers(planned, totals.clone());
    // The seed is fixed: the tolerances are not error rates.
    let mut rng = ChaCha20Rng::seed_from_u64(95);
    let mut errors = Vec::new();
    for _ in 0..draws.div_ceil(truth.len()) {
        let noisy = totals.iter().zip(planned.measures()).map(|(cells, measure)| {
            let noise = TwoSidedGeometric::new(measure.decay().clone());
            cells.iter().map(|cell| cell + noise.sample(&mut rng)).collect()
        });
        for (noisy, exact) in numbers(planned, noisy.collect()).iter().zip(&truth) {
            let exact = exact.clone().unwrap();
            let error = noisy.as_ref().map(|noisy| ((noisy - &exact) / &exact).abs());
            errors.push(error.map_or(f64::INFINITY, |error| error.to_f64().unwrap()));
        }
    }
    errors.sort_by(f64::total_cmp);
    errors[(errors.len() * 95).div_ceil(100) - 1]
}

/// Compares planned and measured errors; returns the number of queries.
fn as_planned(table: &Table, queries: &[TestQuery]) -> usize {
    let plan = table.plan(queries);
    let mut outside = Vec::new();
    for query in &plan.queries()[1..] {
        let all: Vec<AnswerForecast> = expected(query, plan.policy());
        let lacking = notes(&[(query, all.as_slice())], plan.policy());
        assert!(lacking.is_empty(), "every guess is stated: {lacking:?}");
        // A shown number comes after the numbers that it is computed from.
        let planned = all.last().unwrap().relative.clone().unwrap_or_else(|| panic!("{all:#?}")).to_f64().unwrap();
        let happened = measured(table, query, sized(400, 4_000));
        let name = &query.declared().name;
        println!("{name:82} planned {planned:8.4}, measured {happened:8.4}, {:.3}", planned / happened);
        if !(happened / 1.2..=happened * 1.2).contains(&planned) {
            outside.push(format!("{name}: {planned} {happened}"));
        }
    }
    assert!(outside.is_empty(), "{outside:#?}");
    queries.len()
}

#[test]
fn relative_errors_of_many_visits_are_as_planned() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("visits.csv");
    std::fs::write(&file, visits()).unwrap();
    assert!(as_planned(&Table::new(VISITS, &file), &VISIT_ASKS) >= 15);
}

#[test]
fn relative_errors_on_adult_are_as_planned() {
    let Some(file) = adult() else { return };
    assert!(as_planned(&Table::new(ADULT, &file), &ADULT_ASKS) >= 15);
}
