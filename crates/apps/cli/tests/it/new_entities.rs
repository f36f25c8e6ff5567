//! `new_entities_only`: each version contains only people who are in no other version, and the promise counts two of
//! them (C-9).

use crate::support::{Place, Run};

const POLICY: &str = r#"name = "maternity"
population = "children"

[data]
table = "births"
path = "1.csv"
version = "1"
new_entities_only = true

[columns]
child = { type = "integer" }
sex = { type = "text", keys = ["F", "M"] }

[entity]
key = "child"
rows_per_group = 2
groups = 1

[adversary]
preset = "acquaintance"

[promise]
posterior_at_most = 0.75

[budget]
per_version = "1/2"

[[query]]
name = "births"
sql = "SELECT COUNT(*) AS births FROM births"
share = "1/2"
"#;

/// Two rows of each child.
fn rows(children: std::ops::Range<u32>) -> String {
    let rows = children.map(|child| format!("{child},F\n{child},F\n"));
    format!("child,sex\n{}", rows.collect::<String>())
}

fn place() -> Place {
    let place = Place::empty();
    place.write("policy.toml", POLICY);
    for month in 1..=4 {
        place.write(&format!("{month}.csv"), rows(month * 100..month * 100 + 40));
    }
    place
}

fn turn_to(place: &Place, from: u32, to: u32) {
    place.edit("policy.toml", &format!("path = \"{from}.csv\""), &format!("path = \"{to}.csv\""));
    place.edit("policy.toml", &format!("version = \"{from}\""), &format!("version = \"{to}\""));
}

fn check(place: &Place) -> Run {
    place.run(&["data", "check", "policy.toml"])
}

/// The text of a message without the frame and line breaks of the terminal.
fn words(run: &Run) -> String {
    run.stderr.replace("│ ", "").split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn every_month_uses_half_of_the_promise() {
    let place = place();
    for month in 1..=4 {
        if month > 1 {
            turn_to(&place, month - 1, month);
        }
        place.release(&[]).done();
        // The same version is compared with the others only.
        check(&place).done();
        assert_eq!(place.spent(), if month == 1 { "3^(1/2) (at most 1.7321)" } else { "3" }, "{month}");
    }
    let shown = place.run(&["ledger", "show", "policy.toml"]).done().stdout;
    assert!(shown.contains("no person is in two versions of births"), "{shown}");
    assert!(shown.contains("left for the next version: 1/2 of"), "{shown}");
    let ledger = place.ledger().unwrap();
    assert_eq!(ledger["accounts"][0]["new_entities"]["tables"][0], "births");
    let planned = place.run(&["plan", "policy.toml"]).done().stdout;
    assert!(planned.contains("each version may use 1/2 of the promise"), "{planned}");
    // Used up for this version, and not for the next one.
    place.edit("policy.toml", "per_version = \"1/2\"", "");
    let sql = "SELECT COUNT(*) AS n FROM births WHERE sex = 'F'";
    let refused = place.run(&["ask", "policy.toml", sql, "--spend", "1/1000"]).refused();
    assert!(words(&refused).contains("for the next one, 1/2 of the promise is left"), "{refused:?}");
}

#[test]
fn known_people_are_counted_and_refused() {
    let place = place();
    place.release(&[]).done();
    let before = place.ledger().unwrap();
    place.write("2.csv", format!("{}100,M\n101,M\n101,M\n", rows(200..240)));
    turn_to(&place, 1, 2);
    let commands: [&[&str]; 3] =
        [&["data", "check", "policy.toml"], &["release", "policy.toml"], &["release", "policy.toml", "--register"]];
    for command in commands {
        let refused = place.run(command).refused();
        let words = words(&refused);
        let found =
            "version \"2\" of `births`: 2 of 42 entities, with 3 rows, are in version \"1\" of `births` already";
        assert!(words.contains(found), "{words}");
        assert!(words.contains("nothing was registered and nothing charged"), "{words}");
        assert_eq!(place.ledger().unwrap()["head"], before["head"]);
    }
    place.write("2.csv", rows(200..240));
    place.release(&[]).done();
    assert_eq!(place.spent(), "3");
}

#[test]
fn lost_sets_of_entities_are_refused() {
    let place = place();
    place.release(&[]).done();
    turn_to(&place, 1, 2);
    let folder = place.path("children.ledger.entities");
    std::fs::rename(&folder, place.path("elsewhere")).unwrap();
    let refused = check(&place).refused();
    assert!(words(&refused).contains("the entities of version \"1\" of `births` are missing"), "{refused:?}");
    std::fs::remove_dir_all(&folder).ok();
    std::fs::rename(place.path("elsewhere"), &folder).unwrap();
    check(&place).done();
}

#[test]
fn the_option_is_neither_added_nor_removed_later() {
    let place = place();
    place.release(&[]).done();
    place.edit("policy.toml", "new_entities_only = true", "new_entities_only = false");
    for month in 1..=2 {
        let removed = check(&place).refused();
        assert!(words(&removed).contains("keep the option"), "{removed:?}");
        if month == 1 {
            turn_to(&place, 1, 2);
        }
    }
    let late = self::place();
    late.edit("policy.toml", "new_entities_only = true", "");
    late.release(&[]).done();
    late.edit("policy.toml", "version = \"1\"", "version = \"1\"\nnew_entities_only = true");
    for month in 1..=2 {
        let added = late.run(&["release", "policy.toml"]);
        // The answers of the first version are stored.
        assert_eq!(added.code == Some(0), month == 1, "{added:?}");
        let added = check(&late).refused();
        assert!(words(&added).contains("the option counts from a table's first version on"), "{added:?}");
        if month == 1 {
            turn_to(&late, 1, 2);
        }
    }
}

#[test]
fn policies_for_which_it_does_not_hold_are_refused() {
    for (from, to, said) in [
        (
            "preset = \"acquaintance\"",
            "knows_size = true\nprior = { at_most = \"1/2\" }",
            "where the adversary knows the size",
        ),
        ("version = \"1\"", "version = \"1 + 2\"", "choose another `version`"),
    ] {
        let place = place();
        place.edit("policy.toml", from, to);
        let refused = place.run(&["plan", "policy.toml"]).refused();
        assert!(words(&refused).contains(said), "{refused:?}");
    }
}

/// Two data sets that differ in one person of the second version: what is printed differs in noisy numbers alone.
#[test]
fn neighbours_differ_in_released_numbers_alone() {
    let seen = |last: u32| {
        let place = place();
        place.write("2.csv", rows(200..last));
        place.release(&[]).done();
        turn_to(&place, 1, 2);
        place.run(&["data", "check", "policy.toml"]).done();
        let released = place.run(&["release", "policy.toml"]).done();
        let shown = place.run(&["ledger", "show", "policy.toml"]).done().stdout;
        let planned = place.run(&["plan", "policy.toml"]).done().stdout;
        let shown: String = shown.lines().filter(|line| !line.contains("head")).collect();
        let masked = |text: &str| -> String {
            let mask = text.chars().map(|c| if c.is_ascii_digit() { '#' } else { c }).collect::<String>();
            mask.split(['#', ' ', '-', '─']).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
        };
        (masked(&released.stdout), masked(&shown), planned)
    };
    assert_eq!(seen(240), seen(241));
}
