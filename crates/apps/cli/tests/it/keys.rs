//! Labels of keys, and a group for all other values: output, charges and warnings.

use crate::support::Place;

/// The noise is zero except with probability e^-100, so the output is the truth.
const POLICY: &str = r#"
name = "keys"
population = "patients"
data = { table = "visits", path = "data.csv", version = "1" }
adversary = { preset = "anyone" }
promise = { epsilon = 200 }

[columns.sex]
type = "integer"
keys = { "1" = "women", "0" = "=men" }
null_key = "unknown"

[columns.city]
type = "text"
keys = ["N", "S"]
other = "elsewhere"

[[query]]
name = "visits"
sql = "SELECT sex, city, COUNT(*) AS n FROM visits GROUP BY ROLLUP (sex, city)"
"#;

const DATA: &str = "sex,city\n0,N\n0,S\n1,Bonn\n1,n\n1,\n,N\n1,S\n";

#[test]
fn labels_are_shown_in_the_declared_order_and_change_nothing() {
    let place = Place::new(POLICY, DATA);
    // One of seven rows has no city.
    place.run(&["data", "check", "policy.toml", "--accept-loss", "visits"]).done();
    let first = place.release(&["--format", "json"]).done();
    let rows = first.json()["answers"][0]["rows"].clone();
    let found: Vec<String> =
        rows.as_array().unwrap().iter().map(|row| format!("{} {} {}", row[0], row[1], row[2]["value"])).collect();
    insta::assert_snapshot!(found.join("\n"));
    let (head, charges) = (first.head(), place.charges());
    let csv = place.release(&["--format", "csv"]).done();
    // A label that a spreadsheet would evaluate as a formula is escaped.
    insta::assert_snapshot!(
        csv.stdout.lines().map(|line| line.split(",\"").next().unwrap()).collect::<Vec<_>>().join("\n")
    );
    let table = place.release(&[]).done();
    assert!(table.stdout.contains("│ women   ┆ elsewhere ┆"), "{}", table.stdout);
    // Labels may change: the stored answers remain, and are free.
    place.edit("policy.toml", "\"0\" = \"=men\"", "\"0\" = \"males\"");
    place.edit("policy.toml", "other = \"elsewhere\"", "other = \"other\"");
    let again = place.release(&["--format", "csv"]).done();
    assert!(again.stdout.contains("males,other,0"), "{}", again.stdout);
    assert_eq!((again.head(), place.charges()), (head, charges));
    // The order of keys may not change: it is the order of the cells.
    place.edit("policy.toml", "keys = [\"N\", \"S\"]", "keys = [\"S\", \"N\"]");
    let other = place.release(&[]).refused();
    assert!(other.stderr.contains("promise"), "{other:?}");
}

#[test]
fn undeclared_values_need_acceptance_or_a_group() {
    let place = Place::new(POLICY, format!("{DATA}2,S\n"));
    let checked = |place: &Place| place.run(&["data", "check", "policy.toml"]);
    let said = checked(&place);
    // One value of sex is 2; city accepts all values.
    assert!(said.stderr.contains("sex") && !said.stderr.contains("column `city`"), "{}", said.stderr);
    place.edit("policy.toml", "null_key = \"unknown\"", "null_key = \"unknown\"\nother = \"more\"");
    let lost = checked(&place).refused();
    // The row without a city is in no group, either.
    assert!(lost.says("visits: values in no declared group leave out 12.5% of its rows"), "{lost:?}");
    place.edit("policy.toml", "other = \"elsewhere\"", "other = \"elsewhere\"\nnull_key = \"nowhere\"");
    checked(&place).done();
}

#[test]
fn label_in_a_condition_causes_a_warning() {
    let plan = |sql: &str| {
        let policy = POLICY.split("sql = ").next().unwrap().to_owned() + &format!("sql = \"{sql}\"\n");
        let run = Place::new(&policy, DATA).run(&["plan", "policy.toml", "--format", "json"]);
        run.stdout + &run.stderr
    };
    let said = plan("SELECT COUNT(*) FROM visits WHERE sex = 'women'");
    assert!(said.contains("`women` is the label of 1: write sex = 1"), "{said}");
    let said = plan("SELECT COUNT(*) FROM visits WHERE city = 'elsewhere'");
    assert!(said.contains("label of the values outside the keys: write city NOT IN (...)"), "{said}");
}

/// Two columns with keys from one public table: one with labels, one without.
const PUBLIC: &str = r#"
name = "keys"
population = "patients"
data = { table = "visits", path = "data.csv", version = "1" }
adversary = { preset = "anyone" }
promise = { epsilon = 200 }

[columns.home]
type = "text"
keys_from = { table = "regions", column = "code", label = "name" }
null_key = "unknown"
other = "abroad"

[columns.born]
type = "text"
keys_from = { table = "regions", column = "code" }

[tables.regions]
path = "regions.csv"
version = "1"
unprotected = true
key = "number"

[tables.regions.columns]
number = { type = "integer" }
code = { type = "text" }
name = { type = "text" }

[[query]]
name = "homes"
sql = "SELECT home, COUNT(*) AS n FROM visits GROUP BY home"

[[query]]
name = "born"
sql = "SELECT born, COUNT(*) AS n FROM visits GROUP BY born"
"#;

const REGIONS: &str = "number,code,name\n2,S,South\n1,N,North\n3,W,\n";

fn public(regions: &str) -> Place {
    let place = Place::new(PUBLIC, "home,born\nN,N\nS,\n,S\nFR,\nN,N\n");
    place.write("regions.csv", regions);
    place
}

#[test]
fn keys_are_listed_in_a_public_table() {
    let place = public(REGIONS);
    place.run(&["data", "check", "policy.toml", "--accept-loss", "born"]).done();
    let first = place.release(&["--format", "json"]).done();
    let counts = |ask: usize| {
        let rows = first.json()["answers"][ask]["rows"].as_array().unwrap().clone();
        rows.iter().map(|row| format!("{} {}", row[0], row[1]["value"])).collect::<Vec<_>>()
    };
    assert_eq!(
        counts(0),
        [
            r#"{"key":"S","label":"South"} 1"#,
            r#"{"key":"N","label":"North"} 2"#,
            r#""W" 0"#,
            r#"{"key":null,"label":"unknown"} 1"#,
            r#"{"key":null,"label":"abroad","other":true} 1"#,
        ]
    );
    assert_eq!(counts(1), [r#""S" 1"#, r#""N" 2"#, r#""W" 0"#]);
    // Another label changes nothing in the ledger; another key is another query.
    let charges = place.charges();
    place.write("regions.csv", REGIONS.replace("South", "The South"));
    let again = place.release(&["--query", "homes", "--format", "csv"]).done();
    assert!(again.stdout.contains("The South,1") && place.charges() == charges, "{again:?}");
    place.write("regions.csv", REGIONS.replace("3,W,", "3,E,"));
    let other = place.release(&[]).refused();
    assert!(other.stderr.contains("promise") && place.charges() == charges, "{other:?}");
}

#[test]
fn public_tables_that_list_no_keys() {
    let mut told = String::new();
    let many: String = (0..10_001).map(|code| format!("{code},c{code},\n")).collect();
    for regions in [
        "number,code,name\n",
        "number,code\n1,N\n",
        "number,code,name\n1,N,North\n2,,South\n",
        "number,code,name\n1,N,North\n2,N,South\n",
        "number,code,name\n1,N,North\n2,S,North\n",
        "number,code,name\n1,N,North\n2,S,abroad\n",
        "number,code,name\n1,N,(all)\n",
        "number,code,name\n1,N,a\u{202e}b\n",
        &format!("number,code,name\n{many}"),
    ] {
        let place = public(regions);
        for args in [&["plan", "policy.toml"] as &[&str], &["release", "policy.toml", "--register"]] {
            let run = place.run(args).refused();
            assert!(place.ledger().is_none() || place.charges() == 0);
            if args[0] == "plan" {
                told += &format!(
                    "# {}\n{}\n",
                    regions.chars().take(60).collect::<String>().escape_debug(),
                    place.plain(&run.stderr)
                );
            }
        }
    }
    let place = Place::new(PUBLIC, "home,born\nN,N\n");
    told += &place.plain(&place.run(&["plan", "policy.toml"]).refused().stderr);
    insta::assert_snapshot!(told);
}
