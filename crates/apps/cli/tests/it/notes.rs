//! Notes under the tables: without repetition, and about likely misunderstandings.

use crate::support::Place;
use serde_json::Value;

const POLICY: &str = r#"
name = "notes"
population = "patients"
data = { table = "visits", path = "data.csv", version = "1" }
columns.ward = { type = "text", keys = ["east", "north", "west"] }
columns.sex = { type = "text", keys = ["F", "M"] }
columns.age = { type = "integer", bounds = [0, 90] }
columns.change = { type = "integer", bounds = [-5, 5] }
adversary = { preset = "acquaintance" }
promise = { posterior_at_most = 0.75 }
"#;

/// The publication of one query, as JSON.
fn published(policy: &str, sql: &str) -> Value {
    let place = Place::new(&format!("{policy}\n[[query]]\nsql = '{sql}'\n"), "ward,sex,age,change\neast,F,3,1\n");
    place.release(&["--format", "json"]).done().json()
}

fn noise(publication: &Value) -> Vec<String> {
    let all = publication["answers"][0]["noise"].as_array().unwrap();
    all.iter().map(|noise| noise["measure"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn equal_noise_of_several_groupings_is_said_once() {
    let sql = "SELECT ward, sex, COUNT(*), AVG(age) FROM visits GROUP BY ROLLUP (ward, sex)";
    assert_eq!(
        noise(&published(POLICY, sql)),
        ["COUNT(*) in each grouping", "COUNT(age) in each grouping", "SUM(age - 45) in each grouping"]
    );
    // Replacing one person changes a single cell less than several.
    let exchanged = POLICY.replace("{ preset = \"acquaintance\" }", "{ preset = \"insider\", prior = \"..1/2\" }");
    let sql = "SELECT ward, sex, SUM(age) FROM visits GROUP BY ROLLUP (ward, sex)";
    assert_eq!(noise(&published(&exchanged, sql)), ["SUM(age) by ward, sex; by ward", "SUM(age), all"]);
    assert_eq!(noise(&published(POLICY, "SELECT ward, COUNT(*) FROM visits GROUP BY ward")), ["COUNT(*)"]);
}

#[test]
fn averages_beside_their_sums_are_explained() {
    let note = |columns: &str| {
        let publication = published(POLICY, &format!("SELECT {columns} FROM visits"));
        let notes = publication["answers"][0]["warnings"].as_array().unwrap().clone();
        notes.iter().filter_map(Value::as_str).find(|note| note.starts_with("AVG")).map(str::to_owned)
    };
    insta::assert_snapshot!(note("AVG(age), SUM(age) / COUNT(age)").unwrap(), @"AVG(age) differs from SUM(age) / COUNT(age): their sums have separate noise, and each number has the error that its interval states");
    insta::assert_snapshot!(note("SUM(age), COUNT(*), AVG(age)").unwrap(), @"AVG(age) differs from SUM(age) / COUNT(*): their sums have separate noise, and each number has the error that its interval states");
    // If the centre is 0, one sum serves both.
    for columns in [
        "AVG(change), SUM(change), COUNT(change)",
        "AVG(age), COUNT(age)",
        "AVG(age), SUM(change), COUNT(*)",
        "AVG(age), SUM(age)",
    ] {
        assert_eq!(note(columns), None, "{columns}");
    }
}

/// Declared keys need not include all existing values, so a constant that is not a key is allowed; a warning precedes
/// the charge.
#[test]
fn constants_outside_the_keys_cause_a_warning() {
    let doubts = |condition: &str| {
        let sql = format!("SELECT COUNT(*) FROM visits WHERE {condition}");
        let policy = format!(
            "{POLICY}\ncolumns.floor = {{ type = \"integer\", keys = [1, 2] }}\n[[query]]\nname = \"n\"\nsql = \"{sql}\"\n"
        );
        let place = Place::new(&policy, "ward,sex,age,change,floor\neast,F,3,1,1\n");
        let hints = place.run(&["plan", "policy.toml", "--format", "json"]).done().json()["hints"].clone();
        let released = place.release(&[]).done();
        let said: Vec<String> =
            released.stderr.lines().filter(|line| line.contains("declared keys")).map(str::to_owned).collect();
        let hints =
            hints.as_array().unwrap().iter().filter_map(Value::as_str).filter(|hint| hint.contains("declared keys"));
        assert_eq!(said, hints.collect::<Vec<_>>());
        said
    };
    let said = doubts("ward = 'nort'").join("\n");
    insta::assert_snapshot!(said, @"n: `ward` is compared with `nort`, which is not one of its declared keys; did you mean `north`?");
    let said = doubts("'f' <> sex AND (ward IN ('east', 'south', 'south') OR floor = 3)").join("\n");
    insta::assert_snapshot!(said, @r"
    n: `sex` is compared with `f`, which is not one of its declared keys; did you mean `F`?
    n: `ward` is compared with `south`, which is not one of its declared keys; the keys are east, north, west
    n: `floor` is compared with `3`, which is not one of its declared keys; the keys are 1, 2
    ");
    assert!(doubts("ward = 'east' AND sex IN ('F', 'M') AND floor <> 2 AND age = 91").is_empty());
}
