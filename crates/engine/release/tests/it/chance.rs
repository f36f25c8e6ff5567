//! Plans under a promise that holds but for a chance: the coins of answers, and shares that keep both promises.

use deniable_core::adversary::Adjacency;
use deniable_core::exact::{Rational, parse_rational, ratio, whole};
use deniable_core::loss::Coins;
use deniable_core::promise::Promise;
use deniable_policy::Policy;
use deniable_query::Query;
use deniable_release::Plan;
use deniable_release::whatif::with_promise;
use std::path::Path;

/// A policy of these queries, with these promises.
pub(super) fn policy(promise: &str, knows_size: bool, queries: &[String]) -> Policy {
    let queries: String = queries.iter().map(|sql| format!("\n[[query]]\nsql = \"{sql}\"\n")).collect();
    let text = format!(
        r#"
name = "n"
population = "p"
data = {{ table = "t", path = "t.csv", version = "1" }}
entity = {{ key = "id", rows_per_group = 3, groups = 2 }}
columns.id = {{ type = "integer" }}
columns.sex = {{ type = "text", keys = ["F", "M", "X"] }}
columns.age = {{ type = "integer", bounds = [0, 100] }}
adversary = {{ knows_size = {knows_size}, prior = {{ at_most = 0.5 }} }}
promise = {{ {promise} }}
{queries}"#
    );
    Policy::parse(Path::new("policy.toml"), &text).unwrap()
}

fn query(sql: &str) -> Query {
    let plan = Plan::new(policy("gain = 3", false, &[sql.to_owned()])).unwrap();
    plan.queries()[0].query().clone()
}

/// The coins of a query, as numbers and powers of its cost.
fn coins(sql: &str, adjacency: Adjacency) -> Vec<(u32, Rational)> {
    let coins = query(sql).coins(adjacency).unwrap();
    coins.iter().map(|coins: &Coins| (coins.count(), coins.exponent().clone())).collect()
}

#[test]
fn answers_are_dominated_by_the_coins_of_their_cells() {
    use Adjacency::{AddRemove, ReplaceOne};
    // Two groups of three, and one cell.
    assert_eq!(coins("SELECT sex, COUNT(*) FROM t GROUP BY sex", AddRemove), [(2, ratio(1, 2))]);
    assert_eq!(coins("SELECT COUNT(*) FROM t", AddRemove), [(1, whole(1))]);
    // The old and the new rows of a replaced person are in at most three cells.
    assert_eq!(coins("SELECT sex, COUNT(*) FROM t GROUP BY sex", ReplaceOne), [(3, ratio(1, 3))]);
    // An average has a count and a centred sum, whose rows have both signs: 2·3·50 of a sensitivity of 900.
    let average = coins("SELECT sex, AVG(age) FROM t GROUP BY sex", ReplaceOne);
    assert_eq!(average.len(), 2);
    let total: Rational = average.iter().map(|(count, part)| part * whole(*count)).sum();
    assert!(total >= whole(1), "{average:?}");
    // A chosen value: a coin for each group; from a tree of counts, one for each of its levels.
    assert_eq!(coins("SELECT MEDIAN(age) FROM t", AddRemove), [(1, whole(1))]);
    assert_eq!(coins("SELECT sex, MEDIAN(age) FROM t GROUP BY sex", AddRemove), [(2, ratio(1, 2))]);
    // A distance moves by one for a row that comes or goes, and by two for a row that is replaced.
    assert_eq!(coins("SELECT sex, MEDIAN(age) FROM t GROUP BY sex", ReplaceOne), [(2, ratio(1, 2))]);
    let several = "SELECT sex, MEDIAN(age), PERCENTILE_CONT(age, 0.1), PERCENTILE_CONT(age, 0.9) FROM t GROUP BY sex";
    assert_eq!(coins(several, AddRemove), [(4, ratio(1, 4))]);
    assert_eq!(coins(several, ReplaceOne), [(8, ratio(1, 8))]);
    // Measures that share a part: the coins of one of them.
    let shared = "SELECT sex, COUNT(*) FILTER (WHERE age < 50), COUNT(*) FILTER (WHERE age >= 50) FROM t GROUP BY sex";
    assert_eq!(coins(shared, AddRemove), [(2, ratio(1, 2))]);
    assert_eq!(coins(shared, ReplaceOne), [(4, ratio(1, 4))]);
    // With a sum of both signs, two for each group are false; another measure has its own part.
    let signed =
        "SELECT sex, COUNT(*), AVG(age) FILTER (WHERE age < 50), SUM(age) FILTER (WHERE age >= 50) FROM t GROUP BY sex";
    assert_eq!(coins(signed, ReplaceOne), [(3, ratio(1, 6)), (2, ratio(1, 4))]);
    // Rows of entities: one for each measure.
    let sums = "SELECT COUNT(*), SUM(LEAST(n, 50)) FROM (SELECT id, COUNT(*) AS n FROM t GROUP BY id) AS x";
    assert_eq!(coins(sums, AddRemove), [(1, ratio(1, 2)), (1, ratio(1, 2))]);
    let each = "SELECT COUNT(*) FROM (SELECT id, COUNT(*) AS n FROM t GROUP BY id) AS x WHERE n > 2";
    assert_eq!(coins(each, AddRemove), [(1, whole(1))]);
}

/// A county holds all rows that a person has in its municipalities, also where WHERE leaves as many counties as
/// municipalities: one coin.
#[test]
fn coarse_levels_are_one_coin_whatever_their_cells() {
    let text = r#"
name = "n"
population = "p"
data = { table = "t", path = "t.csv", version = "1" }
entity = { key = "id", rows_per_group = 1, groups = 2, levels = "together" }
columns.id = { type = "integer" }
adversary = { preset = "acquaintance" }
promise = { gain = 3 }

[columns.town]
type = "text"
keys = ["m1", "m2", "x1"]
[columns.town.within]
county = { m1 = "A", m2 = "A", x1 = "C" }

[[query]]
sql = "SELECT county, town, COUNT(*) FROM t WHERE UPPER(town) IN ('M1', 'M2') GROUP BY GROUPING SETS ((county), (town))"
"#;
    let policy = Policy::parse(Path::new("policy.toml"), text).unwrap();
    let plan = Plan::new(policy).unwrap();
    let query = plan.queries()[0].query();
    assert!(query.is_capped_together());
    let counties = (0..2).find(|level| query.levels()[*level] == [0]).unwrap();
    assert!(query.cells(counties) >= query.cells(1 - counties), "the reason for this test");
    let coins = query.coins(Adjacency::AddRemove).unwrap();
    let by_count: Vec<(u32, Rational)> = coins.iter().map(|coins| (coins.count(), coins.exponent().clone())).collect();
    let mut sorted = by_count.clone();
    sorted.sort();
    assert_eq!(sorted, [(1, ratio(1, 2)), (2, ratio(1, 4))], "{by_count:?}");
}

fn counts(count: usize) -> Vec<String> {
    (0..count).map(|age| format!("SELECT COUNT(*) FROM t WHERE age > {age}")).collect()
}

/// The price of each query, as a natural logarithm.
fn epsilon(promise: &str, count: usize) -> f64 {
    let plan = Plan::new(policy(promise, false, &counts(count))).unwrap();
    plan.queries()[0].cost().epsilon_decimal(12).parse().unwrap()
}

const SURELY: &str = "posterior_at_most = 0.75";
const BUT_FOR: &str = r#"posterior_at_most = 0.9, but_for = { chance = "1/1000000", posterior_at_most = 0.75 }"#;

/// A hundred answers under "surely 90%, and 75% but for one in a million" cost half of their noise under "surely 75%".
#[test]
fn a_hundred_answers_have_half_the_noise() {
    let (surely, both) = (epsilon(SURELY, 100), epsilon(BUT_FOR, 100));
    assert!((both / surely - 2.0).abs() < 1e-9, "{surely} {both}");
    let plan = Plan::new(policy(BUT_FOR, false, &counts(100))).unwrap();
    assert_eq!(plan.lowered_to(), None, "99 equal moves keep both promises");
}

/// Fewer answers get less than all that holds for certain, and never less than under the smaller odds alone.
#[test]
fn shares_are_lowered_until_both_promises_hold() {
    for count in [1, 5, 30] {
        let plan = Plan::new(policy(BUT_FOR, false, &counts(count))).unwrap();
        let lowered = plan.lowered_to().unwrap();
        let used: Rational = plan.queries().iter().map(|planned| planned.declared().share.clone()).sum();
        assert_eq!(used, *lowered, "{count}");
        // Odds of 3 are half of ln 9.
        assert!(*lowered >= ratio(1, 2) && *lowered < whole(1), "{count}: {lowered}");
        let (surely, both) = (epsilon(SURELY, count), epsilon(BUT_FOR, count));
        assert!(both > surely * 0.999, "{count}: {surely} {both}");
    }
}

/// Shares that one promise lowers are lowered anew under another.
#[test]
fn repriced_plans_do_not_keep_lowered_shares() {
    let plan = Plan::new(policy(BUT_FOR, false, &counts(5))).unwrap();
    let shares =
        |plan: &Plan| plan.queries().iter().map(|planned| planned.declared().share.clone()).collect::<Vec<_>>();
    for (promise, stated) in [("0.75", SURELY.to_owned()), ("0.95", BUT_FOR.replace("0.9,", "0.95,"))] {
        let at_most = Promise::PosteriorAtMost(parse_rational(promise).unwrap());
        let moved = plan.repriced(with_promise(plan.policy(), at_most, None).unwrap()).unwrap();
        let own = Plan::new(policy(&stated, false, &counts(5))).unwrap();
        assert_eq!((shares(&moved), moved.lowered_to()), (shares(&own), own.lowered_to()), "{promise}");
        assert_ne!(shares(&moved), shares(&plan), "{promise}");
    }
}

/// What was lowered does not depend on the order of queries, and explicit shares are not lowered.
#[test]
fn explicit_shares_are_left_alone() {
    let text = policy(BUT_FOR, false, &counts(4)).source().replacen("[[query]]", "[[query]]\nshare = \"1/5\"", 1);
    let plan = Plan::new(Policy::parse(Path::new("policy.toml"), &text).unwrap()).unwrap();
    assert_eq!(plan.queries()[0].declared().share, ratio(1, 5));
    assert!(plan.lowered_to().is_some());
    let used: Rational = plan.queries().iter().map(|planned| planned.declared().share.clone()).sum();
    assert_eq!(used, *plan.lowered_to().unwrap());
}
