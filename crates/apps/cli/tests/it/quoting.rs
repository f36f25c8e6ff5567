//! CSV with broken or odd quotes: a text in one person's row cannot silently remove the rows of others.

use crate::support::{Place, Run};

fn policy(csv: &str) -> String {
    format!(
        r#"name = "study"
population = "people"
data = {{ table = "t", path = "data.csv", version = "1"{csv} }}
adversary = {{ preset = "acquaintance" }}
promise = {{ posterior_at_most = 0.75 }}

[columns]
k = {{ type = "text", keys = ["a", "b", "v"] }}
x = {{ type = "integer", bounds = [0, 5] }}

[[query]]
name = "rows"
sql = "SELECT k, COUNT(*), SUM(x) FROM t GROUP BY k"
"#
    )
}

fn check(place: &Place, more: &[&str]) -> Run {
    place.run(&[&["data", "check", "policy.toml"], more].concat())
}

#[test]
fn broken_quotes_are_refused_and_cannot_be_accepted() {
    let mut middle: Vec<String> =
        (0..20).map(|row| format!("{},{},fine", if row % 2 == 0 { "a" } else { "b" }, row % 5)).collect();
    middle[9] = "v,1,a,\"n".to_owned();
    let open = "begins with a quote that is never closed";
    let after = "goes on after its closing quote";
    for (data, place_and_problem) in [
        ("k,x,z\na,1,\"oops\nb,2,ok\n".to_owned(), format!("data.csv:2: field 3 {open}")),
        ("k,x,z\na,1,fine\nb,2,ok\na,3,\"".to_owned(), format!("data.csv:4: field 3 {open}")),
        ("k,x,z\na,1,\"oops\nb,2,ok\na,3,\"fine\"\n".to_owned(), format!("data.csv:2: field 3 {after}")),
        ("k,x,z\na,1,\"o\" \nb,2,ok\n".to_owned(), format!("data.csv:2: field 3 {after}")),
        (format!("k,x,z\n{}\n", middle.join("\n")), format!("data.csv:11: field 4 {open}")),
        ("k,x,\"z\na,1,ok\nb,2,ok\n".to_owned(), format!("field 3 {open} in its first line")),
        ("k,x,\"z\"z\na,1,ok\nb,2,ok\n".to_owned(), format!("field 3 {after} in its first line")),
    ] {
        let place = Place::new(&policy(""), &data);
        for run in [check(&place, &[]), check(&place, &["--accept", "csv:line-ends"]), place.release(&[])] {
            let said = run.refused().stderr;
            assert!(said.contains(&place_and_problem), "{data:?}: {said}");
            assert!(said.replace('\n', " ").contains("quote = \"none\""), "{data:?}: {said}");
        }
        assert_eq!(place.charges(), 0, "{data:?}");
    }
}

#[test]
fn quirks_are_counted_and_accepted_by_name() {
    for (data, name, words) in [
        ("k,x,z\na,1,5\" pipe\nb,2,6\" pipe\n", "csv:bare-quotes", "2 records have a quote within a field"),
        ("k,x,z\na,1,\"two\nlines\"\nb,2,ok\n", "csv:line-ends", "1 record has a line end within a quoted field"),
        ("k,x,z\na,1,two\rb,2,ok\nb,3,ok\n", "csv:lone-returns", "1 record has a carriage return"),
        ("k,x,a\"z\na,1,ok\nb,2,ok\n", "csv:bare-quotes", "1 record has a quote within a field"),
    ] {
        let place = Place::new(&policy(""), data);
        let refused = check(&place, &[]).refused();
        assert!(refused.stderr.contains(words) && refused.stderr.contains("data.csv:"), "{refused:?}");
        assert!(refused.stderr.contains(&format!("--accept t.{name}")), "{refused:?}");
        assert!(place.release(&[]).refused().stderr.contains(words), "{data:?}");
        assert_eq!(place.charges(), 0, "{data:?}");
        let other = if name == "csv:line-ends" { "csv:bare-quotes" } else { "csv:line-ends" };
        check(&place, &["--accept", other]).refused();
        let json = check(&place, &["--accept", name, "--format", "json"]).done().json();
        assert_eq!(json["tables"][0]["quirks"][0]["quirk"], name, "{json}");
        assert_eq!(place.ledger().unwrap()["versions"][0]["accepted"], serde_json::json!([name]));
        place.release(&[]).done();
    }
}

/// A file without quoting: b has two rows, which sum to six.
#[test]
fn files_without_quoting_are_read_as_they_are() {
    let rows = "k\tx\tz\na\t1\t\"Rome, Open City\nb\t2\tThe \"Kid\"\nb\t4\t\"M\" is for\n";
    let place = Place::new(&policy(", csv = { delimiter = \"\\t\" }"), rows);
    let said = check(&place, &["--accept", "csv:line-ends"]).refused().stderr;
    assert!(said.contains("data.csv:2: field 3 goes on after its closing quote"), "{said}");
    place.edit("policy.toml", "delimiter = \"\\t\"", "delimiter = \"\\t\", quote = \"none\"");
    let json = check(&place, &["--format", "json"]).done().json();
    let table = &json["tables"][0];
    assert_eq!(
        (&table["rows"], &table["broken"], &table["quirks"]),
        (&3.into(), &serde_json::json!([]), &serde_json::json!([]))
    );
    assert_eq!(table["columns"][1]["values"], 3, "{json}");
}

/// A public table that lost rows would lose the people who are joined to them.
#[test]
fn public_tables_and_codebooks_are_read_as_strictly() {
    let more = "\n[tables.towns]\npath = \"towns.csv\"\nversion = \"1\"\nunprotected = true\nkey = \"town\"\n\
                [tables.towns.columns]\ntown = { type = \"integer\" }\nside = { type = \"text\", keys = [\"N\", \"S\"] }\n";
    let join = "SELECT side, COUNT(*) FROM t JOIN towns ON x = towns.town GROUP BY side";
    let policy = policy("")
        .replace("SELECT k, COUNT(*), SUM(x) FROM t GROUP BY k", join)
        .replace("\n[[query]]", &format!("{more}\n[[query]]"));
    let place = Place::new(&policy, "k,x\na,1\na,2\nb,3\nb,4\n");
    place.write("towns.csv", "town,side,z\n1,N,ok\n2,N,\"oops\n3,S,ok\n4,S,ok\n");
    let said = place.release(&[]).refused().stderr;
    assert!(said.contains("towns.csv:3: field 3 begins with a quote that is never closed"), "{said}");
    assert_eq!(place.charges(), 0);
    place.write("towns.csv", "town,side,z\n1,N,\"a\n2,N,b\"\n3,S,ok\n4,S,ok\n");
    let said = place.release(&[]).refused().stderr;
    assert!(said.contains("towns.csv:2") && said.contains("--accept towns.csv:line-ends"), "{said}");
    place.write("data.csv", "k,x\na,1\nb,2\n");
    place.write("codebook.csv", "name,codes\nk,\"a|b\nx,\n");
    let said = place.run(&["init", "data.csv", "--dictionary", "codebook.csv"]).refused().stderr;
    assert!(said.contains("codebook.csv:2: field 2 begins with a quote that is never closed"), "{said}");
}
