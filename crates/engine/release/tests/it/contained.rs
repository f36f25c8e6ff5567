//! Queries that an earlier answer contains are free, and similar queries are paid for.

use deniable_core::noise::SystemRng;
use deniable_data::Resources;
use deniable_ledger::{Account, Ledger, show};
use deniable_policy::Policy;
use deniable_release::plan::times_planned;
use deniable_release::release::{Event, Origin, QueryAnswer};
use deniable_release::{Plan, QueryPlan, RegistrationMode, TableVersion, published, release, stored};
use deniable_testing::{in_own_process, sized};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs;
use tempfile::TempDir;

const HEAD: &str = r#"
name = "NAME"
population = "patients"
data = { table = "t", path = "t.csv", version = "1" }
columns.id = { type = "integer" }
columns.sex = { type = "text", keys = ["F", "M"] }
columns.town = { type = "text", keys = ["a", "b"] }
columns.smokes = { type = "boolean" }
columns.age = { type = "integer", bounds = [0, 100] }
adversary = { preset = "acquaintance" }
promise = { posterior_at_most = 0.75 }
"#;
/// Three measures at each of three levels, with half of the promise.
const LARGE: &str = "SELECT sex, COUNT(*), AVG(age) FROM t GROUP BY ROLLUP (sex)";

struct Place(TempDir);

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let row = |row: usize| {
            let (sex, town) = (["F", "M", "M"][row % 3], ["a", "b"][row / 3 % 2]);
            format!("{},{sex},{town},{},{}\n", row / 2, row.is_multiple_of(5), row % 101)
        };
        let rows: String = (0..300).map(row).collect();
        fs::write(folder.path().join("t.csv"), format!("id,sex,town,smokes,age\n{rows}")).unwrap();
        Self(folder)
    }

    /// A policy of this name with one query.
    fn plan(&self, name: &str, sql: &str, share: &str, change: impl Fn(String) -> String) -> Plan {
        let ask = format!("[[query]]\nname = \"{name}\"\nsql = \"{sql}\"\nshare = \"{share}\"\n");
        let text = change(HEAD.replace("NAME", name) + &ask);
        Plan::new(Policy::parse(&self.0.path().join("policy.toml"), &text).unwrap()).unwrap()
    }

    fn large(&self) -> Plan {
        self.plan("large", LARGE, "1/2", |text| text)
    }

    fn account(&self) -> Account {
        show(&self.0.path().join("l")).unwrap().accounts.swap_remove(0)
    }

    fn release(&self, plan: &Plan) -> (QueryAnswer, Vec<String>) {
        let mut ledger = Ledger::open_or_create(&self.0.path().join("l"), "patients").unwrap();
        let told = RefCell::new(Vec::new());
        let tell = |event: Event<'_>| match event {
            Event::Answered(name, origin) => told.borrow_mut().push(format!("{name} {origin:?}")),
            Event::AnsweredWithin(name, earlier) => told.borrow_mut().push(format!("{name} within {earlier}")),
            _ => {}
        };
        let locate = || TableVersion::locate_all(plan, &BTreeMap::new());
        let (resources, mut rng) = (Resources::default(), SystemRng::new().unwrap());
        let released = release(plan, &locate, &resources, &mut ledger, &mut rng, &tell, RegistrationMode::GoOn);
        let answer = released.unwrap().complete().unwrap().swap_remove(0);
        (answer, told.into_inner())
    }

    /// The earlier answer that a query is offered from.
    fn offered(&self, sql: &str, share: &str, change: impl Fn(String) -> String) -> Option<String> {
        let plan = self.plan("small", sql, share, change).with_earlier(Some(&self.account()));
        plan.queries()[0].within().map(|within| within.name().to_owned())
    }
}

fn same(text: String) -> String {
    text
}

fn only(plan: &Plan) -> &QueryPlan {
    &plan.queries()[0]
}

#[test]
fn queries_contained_in_an_answer_are_free() {
    let place = Place::new();
    let large = place.large();
    let (all, _) = place.release(&large);
    let before = place.account();
    let asked =
        place.plan("small", "SELECT sex AS s, COUNT(*) AS people FROM t GROUP BY sex ORDER BY people", "1/16", same);
    let offered = asked.with_earlier(Some(&before));
    let (answer, told) = place.release(&offered);
    assert_eq!((told, answer.origin), (vec!["small within large".to_owned()], Origin::Stored));
    // The count by sex is one measure of the large answer; its numbers and its noise are that answer's.
    let at = only(&asked).query().measures_within(only(&large).query()).unwrap()[0];
    assert_eq!(answer.noisy.values, [all.noisy.values[at].clone()]);
    assert_eq!(answer.noisy.decays, [all.noisy.decays[at].clone()]);
    assert_eq!(answer.noisy.consistent.unwrap(), [all.noisy.consistent.unwrap()[at].clone()]);
    assert_eq!(only(&offered).measures()[0].decay(), only(&large).measures()[at].decay());
    assert!(answer.noisy.decays[0].ratio() < only(&asked).measures()[0].decay().ratio());
    // Nothing was charged or recorded.
    let after = place.account();
    assert_eq!((&after.spent, after.releases.len()), (&before.spent, before.releases.len()));
    // The publication names the earlier answer, and adds nothing to the budget spent.
    let summary = show(&place.0.path().join("l")).unwrap();
    let answers = [stored(&offered, &summary).unwrap().swap_remove(0).unwrap()];
    let shown = published(&offered, &answers).answers.swap_remove(0);
    assert_eq!((shown.share.to_string(), shown.odds.to_string()), ("0".to_owned(), "1".to_owned()));
    assert_eq!(serde_json::to_value(&shown).unwrap()["taken_from"], "large");
    assert!(shown.warnings.iter().any(|note| note.contains("the earlier answer \"large\"")), "{:?}", shown.warnings);
    // Both tables show the same number.
    let count = |name: &str, table: &deniable_publication::Answer, column: usize| {
        let is =
            |row: &&Vec<deniable_publication::Cell>| serde_json::to_string(&row[0]).unwrap() == format!("\"{name}\"");
        serde_json::to_value(&table.rows.iter().find(is).unwrap()[column]).unwrap()["value"].clone()
    };
    let table = published(&large, &[stored(&large, &summary).unwrap().swap_remove(0).unwrap()]).answers.swap_remove(0);
    for sex in ["F", "M"] {
        assert_eq!(count(sex, &shown, 1), count(sex, &table, 1));
    }
}

/// A charge of the query's own has priority, and the first answer stays in use, whatever is stored later.
#[test]
fn shown_answers_stay_the_same() {
    let place = Place::new();
    let small = || place.plan("small", "SELECT COUNT(*) FROM t", "1/64", same);
    // Each row has one of the two keys: the total counts all rows.
    let large = "WITH a AS (SELECT CASE WHEN age > 50 THEN 'old' ELSE 'young' END AS years, age FROM t) SELECT years, COUNT(*), AVG(age) FROM a GROUP BY ROLLUP (years)";
    let large = place.plan("large", large, "1/2", same);
    place.release(&large);
    place.release(&place.plan("better", "SELECT COUNT(*), SUM(age) FROM t", "1/3", same));
    let from = |plan: &Plan| only(plan).within().map(|within| within.name().to_owned());
    assert_eq!(from(&small().with_earlier(Some(&place.account()))).as_deref(), Some("large"));
    // Only the second answer is exact enough for this query.
    let second = place.plan("b", "SELECT COUNT(*) FROM t", "1/6", same);
    let at = only(&second).query().measures_within(only(&large).query()).unwrap()[0];
    let (first, own) = (&only(&large).measures()[at], &only(&second).measures()[0]);
    assert!(own.decay().ratio() < first.decay().ratio(), "{} {}", own.odds(), first.odds());
    assert_eq!(from(&second.with_earlier(Some(&place.account()))).as_deref(), Some("better"));
    // Asked anew: charged, and the query's own answer from then on.
    let (_, told) = place.release(&small());
    assert_eq!(told, ["small Charged"]);
    let plan = small().with_earlier(Some(&place.account()));
    assert_eq!(from(&plan), None);
    assert_eq!(place.release(&plan).1, ["small Stored"]);
}

/// Equal noise suffices; a query with less noise is paid for.
#[test]
fn the_noise_is_compared_exactly() {
    let place = Place::new();
    place.release(&place.plan("two", "SELECT COUNT(*), SUM(age) FROM t", "1/4", same));
    for (share, offered) in [("1/9", true), ("1/8", true), ("1001/8000", false), ("1/4", false)] {
        assert_eq!(place.offered("SELECT COUNT(*) FROM t", share, same).is_some(), offered, "{share}");
    }
    // A value chosen by rank is compared by its decay, too.
    place.release(&place.plan("ranks", "SELECT COUNT(*), MEDIAN(age) FROM t", "1/4", same));
    assert_eq!(place.offered("SELECT MEDIAN(age) FROM t", "1/8", same).as_deref(), Some("ranks"));
    assert_eq!(place.offered("SELECT MEDIAN(age) FROM t", "1/7", same), None);
    assert_eq!(place.offered("SELECT MIN(age) FROM t", "1/8", same), None);
}

#[test]
fn similar_queries_are_not_offered() {
    let place = Place::new();
    let sql = "SELECT sex, town, COUNT(*), COUNT(*) FILTER (WHERE smokes), SUM(age) FROM t GROUP BY GROUPING SETS ((sex, town), (sex))";
    place.release(&place.plan("large", sql, "1/2", same));
    let is_offered = |sql: &str| place.offered(sql, "1/64", same).is_some();
    for held in [
        "SELECT sex, town, COUNT(*) FROM t GROUP BY sex, town",
        "SELECT sex, town, SUM(age) * 2 AS twice FROM t GROUP BY sex, town HAVING SUM(age) > 3 LIMIT 1",
        "SELECT sex, town, COUNT(*) FILTER (WHERE smokes) FROM t GROUP BY sex, town",
        "WITH people AS (SELECT age AS years, sex, town FROM t) SELECT sex, town, SUM(years) FROM people GROUP BY sex, town",
    ] {
        assert!(is_offered(held), "{held}");
    }
    for other in [
        // Rows of an undeclared town count at no level of the large query, but in this one.
        "SELECT sex, COUNT(*) FROM t GROUP BY sex",
        "SELECT town, COUNT(*) FROM t GROUP BY town",
        "SELECT COUNT(*) FROM t",
        "SELECT town, sex, COUNT(*) FROM t GROUP BY town, sex",
        "SELECT sex, town, COUNT(*) FROM t WHERE age > 3 GROUP BY sex, town",
        "SELECT sex, town, COUNT(age) FROM t GROUP BY sex, town",
        "SELECT sex, town, COUNT(*) FILTER (WHERE NOT smokes) FROM t GROUP BY sex, town",
        "SELECT sex, town, SUM(age + 1) FROM t GROUP BY sex, town",
        "SELECT sex, town, SUM(age) FILTER (WHERE smokes) FROM t GROUP BY sex, town",
        "SELECT sex, town, AVG(age) FROM t GROUP BY sex, town",
        "SELECT sex, smokes, COUNT(*) FROM t GROUP BY sex, smokes",
    ] {
        assert!(!is_offered(other), "{other}");
    }
    // Declarations and versions: the earlier charge was about something else.
    let sql = "SELECT sex, town, COUNT(*), SUM(age) FROM t GROUP BY sex, town";
    let after = |old: &'static str, new: &'static str| {
        let change = move |text: String| {
            assert!(text.contains(old), "{old}");
            text.replace(old, new)
        };
        place.offered(sql, "1/64", change).is_some()
    };
    assert!(after("name = \"small\"", "name = \"other\""));
    assert!(after("keys = [\"F\", \"M\"]", "keys = { F = \"women\", M = \"men\" }"), "labels are display");
    assert!(!after("version = \"1\"", "version = \"2\""));
    assert!(!after("[0, 100]", "[0, 90]"));
    assert!(!after("[\"a\", \"b\"]", "[\"a\", \"b\", \"c\"]"));
    let knows = |new| after("preset = \"acquaintance\"", new);
    assert!(
        knows("preset = \"acquaintance\", knows_size = true") ^ knows("preset = \"acquaintance\", knows_size = false"),
        "one of them is another account"
    );
}

/// Caps choose rows: under other caps, the same SQL is about other rows.
#[test]
fn caps_are_part_of_the_query() {
    let place = Place::new();
    let entity = |text: String| {
        text.replace("adversary =", "entity = { key = \"id\", rows_per_group = 2, groups = 2 }\nadversary =")
    };
    place.release(&place.plan("large", "SELECT sex, COUNT(*), COUNT(DISTINCT id) FROM t GROUP BY sex", "1/2", entity));
    let small = "SELECT sex, COUNT(*) FROM t GROUP BY sex";
    assert_eq!(place.offered(small, "1/64", entity).as_deref(), Some("large"));
    assert_eq!(place.offered(small, "1/64", |text| entity(text) + "rows_per_group = 1\n"), None);
    assert_eq!(place.offered(small, "1/64", |text| entity(text) + "groups = 1\n"), None);
    assert_eq!(place.offered(small, "1/64", |text| entity(text) + "rows_per_group = 2\n").as_deref(), Some("large"));
    // Another account, although the file is the same.
    assert_eq!(place.offered(small, "1/64", same), None);
}

/// An analyst who states no price is shown the dearest answer that contains the query: its own for the same query, or
/// part of another.
#[test]
fn the_dearest_answer_is_free() {
    let place = Place::new();
    let ask = |share: &str| place.plan("asked", "SELECT sex, COUNT(*) FROM t GROUP BY sex", share, same);
    place.release(&ask("1/100"));
    let cheap = ask("1/8").with_dearest(&place.account()).unwrap();
    assert!(only(&cheap).within().is_none(), "the same query has its own answer");
    assert_eq!(only(&cheap).declared().share, deniable_core::exact::ratio(1, 100));
    let (dear, _) = place.release(&ask("1/8"));
    // Whatever the accuracy at its own price.
    for share in ["1/100", "1/8", "1/2"] {
        let free = ask(share).with_dearest(&place.account()).unwrap();
        let summary = show(&place.0.path().join("l")).unwrap();
        assert_eq!(stored(&free, &summary).unwrap().swap_remove(0).unwrap().noisy.values, dear.noisy.values, "{share}");
    }
    // A dearer answer to a larger query contains it, too; a query that no answer contains is not free.
    place.release(&place.large());
    let within = ask("1/8").with_dearest(&place.account()).unwrap();
    assert_eq!(only(&within).within().map(|within| within.name().to_owned()).as_deref(), Some("large"));
    let other = place.plan("other", "SELECT town, COUNT(*) FROM t GROUP BY town", "1/8", same);
    assert!(other.with_dearest(&place.account()).is_none());
}

/// On af891581 every stored answer was planned again for every request: 300 of them took a second.
#[test]
fn stored_answers_are_compared_as_data() {
    // The number of planned texts is counted for the whole process.
    if !in_own_process("it::contained::stored_answers_are_compared_as_data") {
        return;
    }
    let place = Place::new();
    let answers = sized(8, 40);
    for older in 0..answers {
        let sql = format!("SELECT sex, COUNT(*) FILTER (WHERE age > {older}) FROM t GROUP BY sex");
        place.release(&place.plan(&format!("older{older}"), &sql, "1/1000", same));
    }
    // A thousand entries that hold canonical bytes and no SQL text.
    let mut account = place.account();
    let stored = account.releases.clone();
    account.releases = stored.iter().cycle().take(1_000).cloned().collect();
    for release in &mut account.releases {
        assert!(!release.query.canonical.bytes().is_empty());
        release.query.sql = "no SQL".to_owned();
    }
    let offered = |sql: &str, change: &dyn Fn(String) -> String| {
        let plan = place.plan("small", sql, "1/2000", change);
        let (before, begin) = (times_planned(), std::time::Instant::now());
        let plan = plan.with_earlier(Some(&account));
        println!("{} entries: {:?}", account.releases.len(), begin.elapsed());
        assert_eq!(times_planned(), before);
        plan.queries()[0].within().map(|within| within.name().to_owned())
    };
    assert_eq!(offered("SELECT town, COUNT(*) FROM t GROUP BY town", &same), None);
    assert_eq!(offered("SELECT sex, COUNT(*) FILTER (WHERE smokes) FROM t GROUP BY sex", &same), None);
    let last = format!("SELECT sex, 2 * COUNT(*) FILTER (WHERE age > {}) AS n FROM t GROUP BY sex", answers - 1);
    assert_eq!(offered(&last, &same), Some(format!("older{}", answers - 1)));
    // Under other bounds, and read another way, it is another query.
    let other = |text: String| text.replace("keys = [\"F\", \"M\"]", "keys = [\"F\", \"M\", \"X\"]");
    assert_eq!(offered(&last, &other), None);
}
