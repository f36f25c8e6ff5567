//! Files that are not what the policy states: findings that stop a registration, for the curator alone.

use crate::support::{Place, Run};

const POLICY: &str = r#"name = "shop"
population = "customers"
data = { table = "orders", path = "data.csv", version = "2024-01" }
entity = { key = "customer", rows_per_group = 2, groups = 2 }
adversary = { preset = "acquaintance" }
promise = { posterior_at_most = 0.75 }
budget = { spend = "1/2" }

[columns]
customer = { type = "integer" }
day = { type = "date", bounds = ["2024-01-01", "2024-12-31"] }
amount = { type = "decimal", bounds = [0, 5000], step = "0.01" }

[[query]]
name = "orders by month"
sql = "SELECT date_trunc('month', day) AS month, COUNT(*) AS n FROM orders GROUP BY 1"
share = "1/8"

[[query]]
name = "revenue"
sql = "SELECT SUM(amount) AS revenue FROM orders"
share = "1/8"
"#;

/// Two orders of each of 50 customers.
fn orders(row: impl Fn(usize) -> String) -> String {
    let rows = (0..100).map(|at| format!("{},{}\n", at / 2, row(at)));
    format!("customer,day,amount\n{}", rows.collect::<String>())
}

fn day(at: usize) -> String {
    format!("2024-{:02}-{:02}", at % 12 + 1, at % 28 + 1)
}

fn place(data: &str) -> Place {
    Place::new(POLICY, data)
}

fn check(place: &Place, more: &[&str]) -> Run {
    place.run(&[&["data", "check", "policy.toml"], more].concat())
}

/// Both commands that register stop in the same way, and charge nothing.
fn stops(place: &Place, words: &[&str]) {
    for command in [&["data", "check", "policy.toml"][..], &["release", "policy.toml", "--register"]] {
        let run = place.run(command).refused();
        for said in words {
            assert!(run.says(said), "{said}: {run:?}");
        }
        assert_eq!(place.charges(), 0);
    }
}

/// The path of last month under the version of this one.
#[test]
fn rows_of_an_earlier_version_stop() {
    let place = place(&orders(|at| format!("{},12.50", day(at))));
    place.release(&[]).done();
    let charges = place.charges();
    place.edit("policy.toml", "2024-01\" }", "2024-02\" }");
    for command in [&["data", "check", "policy.toml"][..], &["release", "policy.toml", "--register"]] {
        let run = place.run(command).refused();
        assert!(run.says("`orders` has the rows of version \"2024-01\", and that is not accepted"), "{run:?}");
        assert!(run.says("--accept orders.version:same-rows"), "{run:?}");
        assert_eq!(place.charges(), charges);
    }
    check(&place, &["--accept", "version:same-rows"]).done();
    // The name is known now, and its rows are compared with its own.
    check(&place, &[]).done();
}

/// Days and months exchanged: dates of other months are outside the bounds.
#[test]
fn dates_out_of_bounds_stop() {
    let text = orders(|at| format!("{},12.50", day(at)));
    let place = place(&text.replace("2024-12", "2042-12"));
    stops(&place, &["column `day` of `orders` has many values outside its bounds", "%d/%m/%Y and %m/%d/%Y"]);
    let run = check(&place, &[]);
    assert!(run.says("groups leave them out") && !run.says("and are clamped"), "{run:?}");
    // Accepted, they are losses of the query, below the limit.
    let run = check(&place, &["--accept", "day"]).done();
    assert!(run.says("rows in no group meet the conditions"), "{run:?}");
}

/// Rows in no declared group count as left out.
#[test]
fn rows_in_no_group_are_losses() {
    let keys = "kind = { type = \"text\", keys = [\"a\", \"b\"] }\namount = {";
    let policy = POLICY.replace("amount = {", keys).replace("date_trunc('month', day) AS month", "kind");
    let rows = (0..100).map(|at| format!("{},{},{},1\n", at / 2, day(at), ["a", "b", "c"][at % 3]));
    let data = format!("customer,day,kind,amount\n{}", rows.collect::<String>());
    let place = Place::new(&policy, data);
    let run = check(&place, &["--accept", "kind"]).refused();
    assert!(run.says("orders by month: values in no declared group leave out 33% of its rows"), "{run:?}");
    assert!(run.says("`keys`, `other` and `null_key`"), "{run:?}");
    check(&place, &["--accept", "kind", "--accept-loss", "orders by month"]).done();
}

/// Rows that a JOIN with a public table leaves out, unless a condition does so anyway.
#[test]
fn rows_without_a_row_to_join_are_losses() {
    let tables = "kind = { type = \"text\" }\n\n[tables.kinds]\npath = \"kinds.csv\"\nversion = \"1\"\nunprotected = true\nkey = \"kind\"\n\
                  columns = { kind = { type = \"text\" }, half = { type = \"integer\", keys = [1, 2] } }\n";
    let sql = "half, COUNT(*) AS n FROM orders JOIN kinds USING (kind) GROUP BY 1";
    let policy = POLICY
        .replace("\n[[query]]\nname = \"orders", &format!("{tables}\n[[query]]\nname = \"orders"))
        .replace("date_trunc('month', day) AS month, COUNT(*) AS n FROM orders GROUP BY 1", sql);
    // A third of the rows has the kind `c`, which the public table does not list.
    let rows = (0..100).map(|at| format!("{},{},12.50,{}\n", at / 2, day(at), ["a", "b", "c"][at % 3]));
    let data = format!("customer,day,amount,kind\n{}", rows.collect::<String>());
    let joined = |policy: &str| {
        let place = Place::new(policy, &data);
        place.write("kinds.csv", "kind,half\na,1\nb,2\n");
        place
    };
    let place = joined(&policy);
    let run = check(&place, &[]).refused();
    assert!(run.says("keys that a joined public table does not list leave out 33% of its rows"), "{run:?}");
    assert!(run.says("keep their rows with LEFT JOIN") && run.says("33 (33%)"), "{run:?}");
    check(&place, &["--accept-loss", "orders by month"]).done();
    // The condition leaves out the same rows, and so does none of the join.
    let filtered = policy.replace("USING (kind) GROUP BY", "USING (kind) WHERE orders.kind <> 'c' GROUP BY");
    assert!(!check(&joined(&filtered), &[]).done().says("row to join"));
    // With LEFT JOIN the rows count, in no group.
    let run = check(&joined(&policy.replace("orders JOIN", "orders LEFT JOIN")), &[]).refused();
    assert!(run.says("values in no declared group leave out 33% of its rows"), "{run:?}");
}

/// Numbers as people write them count as NULL, and the report names their form.
#[test]
fn unread_forms_of_numbers_are_named() {
    let amount = |at: usize| if at == 0 { "\"1,234.50\"".to_owned() } else { "12.50".to_owned() };
    let place = place(&orders(|at| format!("{},{}", day(at), amount(at))));
    let run = check(&place, &[]).done();
    assert!(run.says("1 with grouped digits, as in 1,234.50"), "{run:?}");
    // A true error is not shown as if it included them.
    assert!(run.says("amount: 1 (1%)") && run.says("unreadable"), "{run:?}");
    let place = self::place(&orders(|at| format!("{},$12.50", day(at))));
    stops(&place, &["with a currency, as in $12.50", "without grouping, currency and percent signs"]);
}

/// A key that identifies orders and not people.
#[test]
fn one_row_of_each_entity_is_noted() {
    let place = place(&orders(|at| format!("{},12.50", day(at))).replace("customer,day", "number,day"));
    let rows: Vec<String> =
        place.read("data.csv").lines().skip(1).enumerate().map(|(at, row)| format!("{at},{row}")).collect();
    place.write("data.csv", format!("customer,of,day,amount\n{}\n", rows.join("\n")));
    let run = check(&place, &[]).done();
    assert!(run.says("every `customer` has one row, although the caps are larger"), "{run:?}");
    let place = self::place(&orders(|at| format!("{},12.50", day(at))));
    assert!(!check(&place, &[]).done().says("has one row"));
}

/// Bounds that cut off most values, on either side of the median.
#[test]
fn bounds_of_ranks_are_losses() {
    let policy = POLICY.replace("SELECT SUM(amount) AS revenue", "SELECT MEDIAN(amount) AS revenue");
    let data = orders(|at| format!("{},{}", day(at), if at % 10 < 6 { "90" } else { "30" }));
    let place = Place::new(&policy.replace("[0, 5000]", "[0, 80]"), &data);
    let run = check(&place, &[]).refused();
    assert!(run.says("revenue: the bounds of amount leave out 60% of the ranked values of amount"), "{run:?}");
    // 40% beyond the bounds are all above the median.
    let data = orders(|at| format!("{},{}", day(at), if at % 10 < 4 { "90" } else { "30" }));
    check(&Place::new(&policy.replace("[0, 5000]", "[0, 80]"), data), &[]).done();
}

/// The file of another month, and one of all months so far.
#[test]
fn rows_of_other_periods_stop() {
    let every = "share = \"1/8\"\nevery = { unit = \"month\", column = \"day\", from = \"2024-01\", periods = 12 }\n";
    let policy = POLICY.split("[[query]]").next().unwrap().to_owned()
        + "[[query]]\nname = \"orders so far\"\nsql = \"SELECT COUNT(*) AS n FROM orders\"\n"
        + every;
    let in_month = |month: usize| orders(move |at| format!("2024-{month:02}-{:02},12.50", at % 28 + 1));
    check(&Place::new(&policy, in_month(1)), &[]).done();
    let place = Place::new(&policy, in_month(3));
    let run = check(&place, &[]).refused();
    assert!(run.says("orders so far: the period 2024-01 leaves out 100% of its rows"), "{run:?}");
    assert!(run.says("check that `path` is the file of this period"), "{run:?}");
    let both = in_month(1) + in_month(2).split_once('\n').unwrap().1;
    let policy = policy.replace("rows_per_group = 2", "rows_per_group = 9");
    let run = check(&Place::new(&policy, both), &[]).refused();
    assert!(run.says("the period 2024-01 leaves out 50% of its rows"), "{run:?}");
}

/// Only the version was forgotten: nothing is read, and the answers are those of the earlier version.
#[test]
fn stored_answers_state_their_version() {
    let place = place(&orders(|at| format!("{},12.50", day(at))));
    assert!(!place.release(&[]).done().says("these answers are about version"));
    place.write("february.csv", orders(|at| format!("{},99", day(at))));
    place.edit("policy.toml", "data.csv", "february.csv");
    let again = place.release(&[]).done();
    assert!(again.says("these answers are about version \"2024-01\" of `orders`"), "{again:?}");
}

/// A release that stops for the curator prints what caps and bounds leave out.
#[test]
fn a_release_that_stops_shows_the_losses() {
    let place = place(&orders(|at| format!("{},12.50", day(at))));
    place.edit("policy.toml", "rows_per_group = 2, groups = 2", "rows_per_group = 1, groups = 1");
    let run = place.run(&["release", "policy.toml", "--register"]).refused();
    assert!(run.says("what caps and bounds leave out of each query, exactly"), "{run:?}");
    assert!(run.says("true errors") || run.says("largest error"), "{run:?}");
}

/// A key that is not the person's stops, by a number of entities far from the policy's guess.
#[test]
fn a_wrong_key_stops() {
    for (key, rows) in [("visit", 900), ("ward", 3_000)] {
        let policy = format!(
            "name = 'n'\npopulation = 'p'\ndata = {{ table = 't', path = 'data.csv', version = '1' }}\n\
             entity = {{ key = '{key}', rows_per_group = 2, groups = 1, typical_entities = 250 }}\n\
             adversary = {{ preset = 'acquaintance' }}\npromise = {{ posterior_at_most = 0.75 }}\n[columns]\n\
             person = {{ type = 'integer' }}\nvisit = {{ type = 'integer' }}\nward = {{ type = 'integer' }}\n\
             [[query]]\nname = 'people'\nsql = 'SELECT COUNT(DISTINCT {key}) AS n FROM t'\n"
        );
        let rows = (0..rows).map(|row| format!("{},{row},{}\n", row % 250, row % 5)).collect::<String>();
        let place = Place::new(&policy, format!("person,visit,ward\n{rows}"));
        let run = place.run(&["data", "check", "policy.toml"]).refused();
        assert!(run.says("an unlikely number of entities") && run.says("--accept t.key:entities"), "{run:?}");
        assert!(
            place.run(&["ledger", "show", "policy.toml", "--format", "json"]).stdout.find("versions\": [{").is_none()
        );
        place.run(&["data", "check", "policy.toml", "--accept", "t.key:entities"]).done();
        place.edit("policy.toml", &format!("key = '{key}'"), "key = 'person'");
        place.edit("policy.toml", &format!("DISTINCT {key}"), "DISTINCT person");
        place.edit("policy.toml", "version = '1'", "version = '2'");
        place.run(&["data", "check", "policy.toml", "--accept", "version:same-rows"]).done();
    }
}

/// `data check` names the most frequent values that do not count; a release, which others may watch, does not.
#[test]
fn frequent_values_are_named_to_the_curator() {
    let policy = "name = 'n'\npopulation = 'p'\ndata = { table = 't', path = 'data.csv', version = '1' }\n\
                  adversary = { preset = 'acquaintance' }\npromise = { posterior_at_most = 0.75 }\n[columns]\n\
                  ward = { type = 'text', keys = ['north', 'south'] }\nage = { type = 'integer', bounds = [0, 99] }\n\
                  [[query]]\nsql = 'SELECT ward, COUNT(*) AS n FROM t GROUP BY ward'\n";
    let rows = "north,30\n".repeat(500) + &"fib4,NA\n".repeat(7) + "East,NA\nEast,n/a\n";
    let place = Place::new(policy, format!("ward,age\n{rows}"));
    let run = place.run(&["data", "check", "policy.toml"]).done();
    assert!(run.says("ward: values that are not declared keys, with their rows: `fib4` 7, `East` 2"), "{run:?}");
    assert!(run.says("age: texts that cannot be read, with their rows: `NA` 8, `n/a` 1; add those"), "{run:?}");
    let json = place.run(&["data", "check", "policy.toml", "--format", "json"]).json();
    assert_eq!(json["tables"][0]["columns"][0]["undeclared_values"][0]["text"], "fib4");
    assert_eq!(json["tables"][0]["columns"][1]["unreadable_texts"][1]["rows"], 1);
    let released = Place::new(policy, format!("ward,age\n{rows}")).release(&[]).done();
    assert!(!released.says("fib4") && !released.says("`NA`"), "{released:?}");
}
