//! A query whose numbers an earlier answer contains: `plan` offers it, `release` and `ask` return it, and `--again`
//! charges for new noise.

use crate::support::{Place, rows};

const POLICY: &str = r#"
name = "wards"
population = "patients"
data = { table = "visits", path = "data.csv", version = "1" }
columns.ward = { type = "text", keys = ["east", "north", "west"] }
columns.cost = { type = "integer", bounds = [0, 100] }
adversary = { preset = "acquaintance" }
promise = { posterior_at_most = 0.75 }

[[query]]
name = "wards"
sql = "SELECT ward, COUNT(*) AS visits, AVG(cost) AS cost FROM visits GROUP BY ward"
share = "1/2"
"#;
const COUNTS: &str = "SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward";
const MORE: &str = r#"
[[query]]
name = "counts"
sql = "SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward"
share = "1/8"

[[query]]
name = "exact counts"
sql = "SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward"
share = "3/8"
"#;

#[test]
fn an_earlier_answer_is_offered() {
    let data: String = (0..60).map(|at| format!("{},{at}\n", ["east", "north", "west"][at % 3])).collect();
    let place = Place::new(POLICY, format!("ward,cost\n{data}"));
    let first = place.release(&["--format", "json"]).done().json();
    place.write("policy.toml", format!("{POLICY}{MORE}"));
    let plan = place.run(&["plan", "policy.toml"]).done().stdout;
    insta::assert_snapshot!(plan);
    let json = place.run(&["plan", "policy.toml", "--format", "json"]).done().json();
    assert_eq!(
        (&json["queries"][1]["within"], &json["queries"][2]["within"]),
        (&"wards".into(), &serde_json::Value::Null)
    );
    assert_eq!(json["spending"]["to_pay"], "3/8");
    let spent = place.spent();
    let run = place.release(&["--query", "counts", "--format", "json"]).done();
    assert!(run.stderr.contains("counts: part of the stored answer \"wards\", free"), "{}", run.stderr);
    let counts = run.json();
    for (small, large) in rows(&counts, 0).iter().zip(rows(&first, 0)) {
        assert_eq!((&small[0], &small[1]), (&large[0], &large[1]));
    }
    assert_eq!(counts["answers"][0]["share"], "0");
    assert!(counts["answers"][0]["warnings"].to_string().contains("the earlier answer \\\"wards\\\""), "{counts}");
    let asked = place.run(&["ask", "policy.toml", COUNTS, "--spend", "1/10"]).done();
    assert!(asked.stderr.contains("part of the stored answer \"wards\", free"), "{}", asked.stderr);
    assert_eq!((place.spent(), place.charges()), (spent, 1));
    // With --again: charged, and a separate answer from then on.
    let again = place.run(&["ask", "policy.toml", COUNTS, "--spend", "1/10", "--again"]).done();
    assert!(again.stderr.contains("charged and answered"), "{}", again.stderr);
    assert_eq!(place.charges(), 2);
    let own = place.run(&["ask", "policy.toml", COUNTS, "--spend", "1/10"]).done();
    assert!(own.stderr.contains("stored answer, free"), "{}", own.stderr);
    assert_eq!(own.stdout, again.stdout);
}
