//! C-10 as planned: the releases of all periods cost the share of the horizon together, whichever rows a person has.

use arrow_array::{ArrayRef, Date32Array, Int64Array, RecordBatch, StringArray};
use deniable_core::exact::{Rational, whole};
use deniable_core::schema::TableSchema;
use deniable_data::{Resources, Source};
use deniable_execute::{Salt, exact};
use deniable_policy::Policy;
use deniable_query::Query;
use deniable_release::{Plan, QueryPlan};
use num_traits::{One, ToPrimitive};
use std::path::Path;
use std::sync::Arc;

use super::without_noise;

const POLICY: &str = r#"
name = "periods"
population = "patients"
data = { table = "t", path = "t.csv", version = "2024-01", rows = "all" }
columns.id = { type = "integer" }
columns.sex = { type = "text", keys = ["F", "M"] }
columns.day = { type = "date" }
promise = { posterior_at_most = 0.75 }
[[query]]
name = "so far"
share = "1/2"
"#;
const ENTITY: &str = "entity = { key = \"id\", rows_per_group = 1, groups = 2 }\n";
const GROUPED: &str = "SELECT sex, COUNT(*) AS n FROM t GROUP BY sex";

/// The plan of the release of a month of 2024 or later.
fn plan(head: &str, sql: &str, periods: u32, month: u32) -> Plan {
    let every = format!(
        "sql = \"{sql}\"\nevery = {{ unit = \"month\", column = \"day\", from = \"2024-01\", periods = {periods} }}\n"
    );
    let version = format!("{}-{:02}", 2024 + (month - 1) / 12, (month - 1) % 12 + 1);
    let text = head.to_owned() + &POLICY.replace("2024-01", &version) + &every;
    let policy = Policy::parse(Path::new("periods.toml"), &text).unwrap_or_else(|errors| panic!("{errors}"));
    Plan::new(policy).unwrap_or_else(|errors| panic!("{errors:#?}"))
}

/// The rows of one person: numbers of rows in each month, of each sex.
fn rows(table: &TableSchema, stream: &[[usize; 2]]) -> Source {
    let days = [19_723, 19_754, 19_783, 19_814, 19_844];
    let each = stream.iter().zip(days).flat_map(|(counts, day)| {
        let of = move |(sex, count): (&'static str, usize)| std::iter::repeat_n((sex, day + 3), count);
        ["F", "M"].into_iter().zip(*counts).flat_map(of)
    });
    let (sexes, days): (Vec<&str>, Vec<i32>) = each.unzip();
    let ids = Int64Array::from(vec![7; sexes.len()]);
    let columns: [(&str, ArrayRef); 3] = [
        ("id", Arc::new(ids)),
        ("sex", Arc::new(StringArray::from(sexes))),
        ("day", Arc::new(Date32Array::from(days))),
    ];
    Source::memory(table.clone(), vec![RecordBatch::try_from_iter(columns).unwrap()])
}

/// The counts that a query measures, of the rows of one person.
fn counts(plan: &Plan, query: &Query, stream: &[[usize; 2]]) -> Vec<i128> {
    let (table, _) = plan.tables().swap_remove(0);
    let sources = [rows(&table, stream)];
    let exact = exact(&sources, query, &Salt([3; 32]), &Resources::default(), &|_| {}).unwrap();
    without_noise(exact, query).concat()
}

/// All streams of a person with at most `most` rows of each sex in each month.
fn streams(periods: u32, most: usize) -> Vec<Vec<[usize; 2]>> {
    let one: Vec<[usize; 2]> = (0..=most).flat_map(|first| (0..=most).map(move |second| [first, second])).collect();
    let grow = |all: Vec<Vec<[usize; 2]>>, _| -> Vec<Vec<[usize; 2]>> {
        all.iter().flat_map(|stream| one.iter().map(|rows| [stream.clone(), vec![*rows]].concat())).collect()
    };
    (0..periods).fold(vec![Vec::new()], grow)
}

/// Every pair of neighbouring data sets of one person, whose rows may move between months: the product of the odds of
/// all nodes is at most the share, and attains it. The streams have twice the rows that the caps keep.
#[test]
fn neighbouring_streams_have_the_odds_of_the_share() {
    for adversary in ["preset = \"acquaintance\"", "knows_size = true\nprior = \"..1/2\""] {
        let head = format!("adversary = {{ {} }}\n{ENTITY}", adversary.replace('\n', ", "));
        let plans: Vec<Plan> = (1..=3).map(|month| plan(&head, GROUPED, 3, month)).collect();
        let limit = plans[0].policy().guarantee().limit().share(&plans[0].policy().queries()[0].share).unwrap();
        let limit = [limit.clone(), limit.clone(), limit]
            .iter()
            .fold(deniable_core::budget::Spend::nothing(), |all, one| all.and(one));
        let nodes: Vec<(&Plan, &QueryPlan)> =
            plans.iter().flat_map(|plan| plan.queries().iter().map(move |planned| (plan, planned))).collect();
        assert_eq!(nodes.len(), 3);
        let measured: Vec<Vec<Vec<i128>>> = streams(3, 1)
            .into_iter()
            .map(|stream| {
                // More rows than the caps keep.
                let stream: Vec<[usize; 2]> = stream.iter().map(|rows| rows.map(|count| count * 2)).collect();
                nodes.iter().map(|(plan, planned)| counts(plan, planned.query(), &stream)).collect()
            })
            .collect();
        let mut least = Rational::one();
        let is_exchange = adversary.starts_with("knows");
        let nothing = vec![vec![0; 2]; 3];
        for one in &measured {
            for other in if is_exchange { &measured[..] } else { std::slice::from_ref(&nothing) } {
                let odds = nodes.iter().zip(one.iter().zip(other)).map(|((_, planned), (one, other))| {
                    let moved: i128 = one.iter().zip(other).map(|(one, other)| (one - other).abs()).sum();
                    planned.measures()[0].decay().ratio().pow(i32::try_from(moved).unwrap())
                });
                least = least.min(odds.product());
            }
        }
        let most = least.recip();
        assert!(most <= limit.odds_at_most(), "{adversary}");
        let close = (most / limit.odds_at_least()).to_f64().unwrap();
        assert!(close > 1.0 - 1e-6, "{adversary}: {close}");
        let shares: Rational = nodes.iter().map(|(_, planned)| planned.declared().share.clone()).sum();
        assert_eq!(shares, Rational::new(1.into(), 2.into()));
    }
}

/// With the caps of its months, a longer node counts every row that its months count, at the noise of a month.
#[test]
fn a_longer_node_has_the_caps_and_the_noise_of_its_months() {
    let head = format!(
        "adversary = {{ preset = \"acquaintance\" }}\n{}",
        ENTITY.replace("rows_per_group = 1", "rows_per_group = 2")
    );
    // The first horizon for which two levels are best: nodes of seven months.
    let plans: Vec<Plan> = (1..=34).map(|month| plan(&head, GROUPED, 34, month)).collect();
    let all: Vec<&QueryPlan> = plans.iter().flat_map(Plan::queries).collect();
    let long: Vec<&&QueryPlan> = all.iter().filter(|planned| planned.declared().name != "so far").collect();
    assert_eq!((all.len(), long.len()), (38, 4));
    assert_eq!(long[0].declared().name, "so far, 2024-01 to 2024-07");
    let shares: Rational = all.iter().map(|planned| planned.declared().share.clone()).sum();
    assert_eq!(shares, Rational::new(1.into(), 2.into()));
    let scale = |planned: &QueryPlan| planned.measures()[0].decay().ratio().to_f64().unwrap().ln();
    for planned in &all {
        assert!((scale(planned) / scale(all[0]) - 1.0).abs() < 1e-6, "{}", planned.declared().name);
    }
    assert_eq!(whole(long[0].measures()[0].sensitivity().clone()), whole(7 * 2 * 2));
    let stream = [[2, 0], [2, 2], [0, 1], [2, 2], [2, 2]];
    assert_eq!(counts(&plans[6], long[0].query(), &stream), [8, 7]);
    // A month has rows of its own only, however many are in the file.
    assert_eq!(counts(&plans[1], plans[1].queries()[0].query(), &stream), [2, 2]);
}

/// The conditions of a period are those of WHERE: the same question in SQL is the same query.
#[test]
fn a_period_is_a_condition_of_where() {
    let plan = plan(&format!("adversary = {{ preset = \"acquaintance\" }}\n{ENTITY}"), GROUPED, 3, 2);
    let sql =
        "SELECT sex, COUNT(*) AS n FROM t WHERE day >= DATE '2024-02-01' AND day < DATE '2024-03-01' GROUP BY sex";
    let share = plan.queries()[0].declared().share.clone();
    let asked = Plan::new(plan.policy().with_query("somebody", "asked", sql, &share).unwrap()).unwrap();
    let identity = |plan: &Plan| plan.queries()[0].for_ledger(plan.policy()).identity;
    assert_eq!(identity(&plan), identity(&asked));
}
