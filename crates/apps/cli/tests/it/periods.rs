//! Queries that are repeated for every period, with running totals: the section of `docs/how-to/every-month.md`, revised
//! and missing periods, longer nodes, refusals, and neighbouring data.

use crate::support::{Place, Run, workspace};
use serde_json::Value;

const HEAD: &str = r#"name = "clinic"
population = "clinic-patients"

[data]
table = "visits"
path = "2024-01.csv"
version = "2024-01"

[columns]
patient = { type = "integer" }
sex = { type = "text", keys = ["F", "M"] }
day = { type = "date" }
cost = { type = "integer", bounds = [0, 100] }

[entity]
key = "patient"
rows_per_group = 2
groups = 2

[adversary]
preset = "acquaintance"

[promise]
epsilon = 4096

[budget]
spend = "1/2"
"#;

const VISITS: &str = r#"
[[query]]
name = "visits so far"
sql = "SELECT COUNT(*) AS visits FROM visits"
share = "1/4"
every = { unit = "month", column = "day", from = "2024-01", periods = 6 }
"#;

/// The visits of a month: its number times ten, by as many patients.
fn month(month: usize) -> String {
    (0..month * 10)
        .map(|row| format!("{row},{},2024-{month:02}-{:02},{month}\n", ["F", "M"][row % 2], row % 28 + 1))
        .collect()
}

/// A folder with the policy and six months of data, each with its own rows.
fn place(policy: &str) -> Place {
    let place = Place::empty();
    place.write("policy.toml", policy);
    for at in 1..=6 {
        place.write(&format!("2024-{at:02}.csv"), format!("patient,sex,day,cost\n{}", month(at)));
        let so_far: String = (1..=at).map(month).collect();
        place.write(&format!("all-{at}.csv"), format!("patient,sex,day,cost\n{so_far}"));
    }
    place
}

fn visits() -> Place {
    place(&format!("{HEAD}{VISITS}"))
}

/// The policy about another month; the version and the file are those of the month unless others are given.
fn declare(place: &Place, path: &str, version: &str, period: Option<&str>) {
    let policy = place.read("policy.toml");
    let lines = policy.lines().filter(|line| !line.starts_with("period ="));
    let lines = lines.map(|line| match line.split_once(" = ") {
        Some(("path", _)) => format!("path = \"{path}\"\n"),
        Some(("version", _)) => {
            let period = period.map(|period| format!("period = \"{period}\"\n")).unwrap_or_default();
            format!("version = \"{version}\"\n{period}")
        }
        _ => format!("{line}\n"),
    });
    place.write("policy.toml", lines.collect::<String>());
}

fn go_to(place: &Place, month: usize) {
    declare(place, &format!("2024-{month:02}.csv"), &format!("2024-{month:02}"), None);
}

fn json(run: &Run) -> Value {
    run.json()["answers"].as_array().unwrap().last().unwrap().clone()
}

/// The released values of a column; -1 in place of NULL.
fn column(answer: &Value, name: &str) -> Vec<i64> {
    let columns = answer["columns"].as_array().unwrap();
    let at = columns.iter().position(|known| known == name).unwrap_or_else(|| panic!("{columns:?}"));
    let rows = answer["rows"].as_array().unwrap().iter();
    rows.map(|row| row[at]["value"].as_i64().unwrap_or(-1)).collect()
}

fn warns(answer: &Value, words: &str) -> bool {
    answer["warnings"].as_array().unwrap().iter().any(|warning| warning.as_str().unwrap().contains(words))
}

/// With an ε of 4096 the noise is negligible.
#[test]
fn totals_are_shown_for_all_months_so_far() {
    let place = visits();
    let first = json(&place.release(&["--format", "json"]).done());
    assert_eq!((column(&first, "visits"), column(&first, "visits so far")), (vec![10], vec![10]));
    assert_eq!(first["share"], "1/24");
    for month in 2..=3 {
        go_to(&place, month);
        place.release(&[]).done();
    }
    // Earlier periods are stored, and their files are not needed.
    std::fs::remove_file(place.path("2024-01.csv")).unwrap();
    std::fs::remove_file(place.path("2024-02.csv")).unwrap();
    let run = place.release(&["--format", "json"]).done();
    let third = json(&run);
    assert_eq!(column(&third, "visits"), [10, 20, 30]);
    assert_eq!(column(&third, "visits so far"), [10, 30, 60]);
    let periods: Vec<&Value> = third["rows"].as_array().unwrap().iter().map(|row| &row[0]).collect();
    assert_eq!(periods, ["2024-01", "2024-02", "2024-03"]);
    let ledger = place.ledger().unwrap();
    assert_eq!(place.charges(), 3);
    let part = |at: usize| ledger["accounts"][0]["releases"][at]["query"].clone();
    assert_eq!(part(0), "visits so far");
    insta::assert_snapshot!(place.plain(&place.release(&[]).done().stdout));
    // The page shows the table as it is now, and CSV has a header for each of its columns.
    let page = place.run(&["report", "policy.toml"]).done().stdout;
    assert!(page.contains("visits so far") && page.contains("2024-02"), "{page}");
    let csv = place.release(&["--format", "csv"]).done().stdout;
    assert!(csv.starts_with("period,visits,visits_low,visits_high,visits_quality,visits so far,"), "{csv}");
}

#[test]
fn intervals_of_totals_grow_with_the_root_of_the_number_of_months() {
    let place = visits();
    place.edit("policy.toml", "epsilon = 4096", "epsilon = 2");
    for month in 1..=6 {
        go_to(&place, month);
        place.release(&[]).done();
    }
    let answer = json(&place.release(&["--format", "json"]).done());
    let rows = answer["rows"].as_array().unwrap();
    let reach = |row: usize, at: usize| {
        let cell = &rows[row][at];
        cell["high"].as_f64().unwrap() - cell["value"].as_f64().unwrap()
    };
    let error = |row: usize| rows[row][2]["standard_error"].as_f64().unwrap();
    assert!((reach(0, 1) - reach(0, 2)).abs() < 0.5, "the first total is the first number");
    let ratio = error(5) / error(0);
    assert!((ratio - 6f64.sqrt()).abs() < 0.02, "{ratio}");
    // The sum of the ends of intervals would be 6 times as far.
    let wide = (rows[5][2]["high"].as_f64().unwrap() - rows[5][2]["value"].as_f64().unwrap()) / reach(3, 1);
    assert!(wide < 3.0, "{wide}");
}

#[test]
fn groups_and_sums_have_totals_of_their_own() {
    let query = VISITS.replace(
        "SELECT COUNT(*) AS visits FROM visits",
        "SELECT sex, SUM(cost) AS cost, COUNT(cost) AS n FROM visits GROUP BY sex",
    );
    let head =
        HEAD.replace("[0, 100]", "[0, 5]").replace("rows_per_group = 2\ngroups = 2", "rows_per_group = 1\ngroups = 1");
    let place = place(&format!("{head}{query}"));
    for month in 1..=2 {
        go_to(&place, month);
        place.release(&[]).done();
    }
    let answer = json(&place.release(&["--format", "json"]).done());
    assert_eq!(answer["columns"], serde_json::json!(["period", "sex", "cost", "n", "cost so far", "n so far"]));
    assert_eq!((column(&answer, "cost"), column(&answer, "cost so far")), (vec![5, 5, 20, 20], vec![5, 5, 25, 25]));
    assert_eq!((column(&answer, "n"), column(&answer, "n so far")), (vec![5, 5, 10, 10], vec![5, 5, 15, 15]));
}

#[test]
fn a_revised_month_replaces_its_number_and_is_charged_again() {
    let place = visits();
    for month in 1..=3 {
        go_to(&place, month);
        place.release(&[]).done();
    }
    // Five more visits of February.
    let more: String = (100..105).map(|patient| format!("{patient},F,2024-02-03,1\n")).collect();
    place.write("revised.csv", place.read("2024-02.csv") + &more);
    declare(&place, "revised.csv", "2024-02 revised", Some("2024-02"));
    let run = place.release(&["--format", "json"]).done();
    assert_eq!(place.charges(), 4);
    let answer = json(&run);
    assert_eq!(column(&answer, "visits"), [10, 25, 30]);
    assert_eq!(column(&answer, "visits so far"), [10, 35, 65]);
    assert!(warns(&answer, "2024-02: measured again in version \"2024-02 revised\""), "{answer}");
    // The release of another month shows it, too, for free.
    go_to(&place, 3);
    let answer = json(&place.release(&["--format", "json"]).done());
    assert_eq!((column(&answer, "visits so far"), place.charges()), (vec![10, 35, 65], 4));
    // A withdrawn number stays in the totals, with a note.
    let entry = place.releases()[3]["entry"].to_string();
    place.run(&["ledger", "withdraw", "policy.toml", &entry, "--reason", "an old export"]).done();
    let answer = json(&place.release(&["--format", "json"]).done());
    assert!(warns(&answer, "2024-02: the curator withdrew this answer on "), "{answer}");
    assert!(warns(&answer, "an old export; the totals contain it"), "{answer}");
}

#[test]
fn totals_over_a_missing_month_are_not_shown() {
    let place = visits();
    for month in [1, 3] {
        go_to(&place, month);
        place.release(&[]).done();
    }
    let answer = json(&place.release(&["--format", "json"]).done());
    assert_eq!((column(&answer, "visits"), column(&answer, "visits so far")), (vec![10, -1, 30], vec![10, -1, -1]));
    assert!(warns(&answer, "no answer about 2024-02 is stored under this policy"), "{answer}");
    // A question about other rows is not a number of February, though its SQL is that of the period.
    go_to(&place, 3);
    let sql = "SELECT COUNT(*) AS visits FROM visits WHERE day >= DATE '2024-02-01' AND day < DATE '2024-03-01'";
    place.run(&["ask", "policy.toml", sql, "--spend", "1/24"]).done();
    let answer = json(&place.release(&["--format", "json"]).done());
    assert_eq!(column(&answer, "visits"), [10, -1, 30]);
    // Released late, it completes the totals.
    go_to(&place, 2);
    place.release(&[]).done();
    let answer = json(&place.release(&["--format", "json"]).done());
    assert_eq!(column(&answer, "visits so far"), [10, 30, 60]);
}

/// Where the file contains all rows so far and one row is one person, two levels are best for six periods.
#[test]
fn longer_nodes_are_measured_and_used() {
    let policy = format!("{HEAD}{VISITS}")
        .replace("[entity]\nkey = \"patient\"\nrows_per_group = 2\ngroups = 2\n", "")
        .replace("version = \"2024-01\"", "version = \"2024-01\"\nrows = \"all\"")
        .replace("epsilon = 4096", "epsilon = 600");
    let place = place(&policy);
    let plan = place.run(&["plan", "policy.toml", "--format", "json"]).done().json();
    let horizon = &plan["horizons"][0];
    let branching = horizon["branching"].as_u64().unwrap() as usize;
    assert!(horizon["levels"].as_u64() == Some(2) && (2..6).contains(&branching), "{horizon}");
    for month in 1..=branching {
        declare(&place, &format!("all-{month}.csv"), &format!("2024-{month:02}"), None);
        place.release(&[]).done();
    }
    assert_eq!(place.charges(), branching + 1, "the last release measures two nodes");
    let run = place.release(&["--format", "json"]).done();
    let answers = run.json()["answers"].as_array().unwrap().len();
    let answer = json(&run);
    assert_eq!(answers, 2);
    let totals: Vec<i64> = (1..=branching as i64).map(|month| month * (month + 1) * 5).collect();
    assert_eq!(column(&answer, "visits so far"), totals);
    let words = format!("measured together, are parts of totals: 2024-01 to 2024-{branching:02}");
    assert!(warns(&answer, &words), "{answer}");
    let error = |answer: &Value, row: usize| answer["rows"][row][2]["standard_error"].as_f64().unwrap();
    assert!((error(&answer, branching - 1) / error(&answer, 0) - 1.0).abs() < 1e-6, "one node: {answer}");
    // A revised month is not in the longer node.
    let more: String = (100..105).map(|patient| format!("{patient},F,2024-01-03,1\n")).collect();
    place.write("revised.csv", place.read("all-1.csv") + &more);
    declare(&place, "revised.csv", "2024-01 revised", Some("2024-01"));
    let answer = json(&place.release(&["--format", "json"]).done());
    let totals: Vec<i64> = totals.iter().map(|total| total + 5).collect();
    assert_eq!(column(&answer, "visits so far"), totals);
    assert!(
        !warns(&answer, "measured together") && error(&answer, branching - 1) > error(&answer, 0) * 1.3,
        "{answer}"
    );
    // By name, the query includes its longer nodes.
    declare(&place, &format!("all-{branching}.csv"), &format!("2024-{branching:02}"), None);
    let chosen = place.release(&["--query", "visits so far", "--format", "json"]).done().json();
    assert_eq!(chosen["answers"].as_array().unwrap().len(), 2);
    assert!(place.release(&["--format", "csv"]).done().stdout.starts_with("period,visits,"));
}

#[test]
fn the_plan_states_the_horizon() {
    let place = visits();
    place.edit("policy.toml", "epsilon = 4096", "epsilon = 2");
    insta::assert_snapshot!(place.plain(&place.run(&["plan", "policy.toml"]).done().stdout));
    let before = place.files();
    let json = place.run(&["plan", "policy.toml", "--format", "json"]).done().json();
    let totals = json["horizons"][0]["numbers"][0]["totals"].as_array().unwrap().clone();
    let number = |at: usize, key: &str| totals[at][key].as_str().unwrap().parse::<f64>().unwrap();
    let last = totals.len() - 1;
    assert!(number(last, "error") * 2.0 < number(last, "error_anew"), "{totals:?}");
    assert_eq!(totals[last]["after"], "2024-06");
    assert_eq!(place.files(), before, "no data is read");
}

#[test]
fn mistakes_are_refused_at_their_places() {
    let cases = [
        ("periods = 6 }", "periods = 6, first = 1 }", "`every` has no key `first`"),
        ("unit = \"month\"", "unit = \"moth\"", "did you mean `month`?"),
        ("from = \"2024-01\"", "from = \"January\"", "`from` = \"January\" is not a month"),
        ("column = \"day\"", "column = \"cost\"", "neither a date nor a timestamp"),
        ("column = \"day\"", "column = \"dya\"", "did you mean `day`?"),
        ("periods = 6", "periods = 5000", "1 to 1000"),
        ("share = \"1/4\"\n", "", "`every` needs `share` beside it"),
        ("share = \"1/4\"", "share = \"1/4\"\nleft_out = \"1/50\"", "`left_out` has no meaning beside `every`"),
        ("share = \"1/4\"", "target_error = 5", "`target_error` has no meaning beside `every`"),
        ("share = \"1/4\"", "share = \"3/4\"", "the shares add up to 3/4, more than spend = 1/2"),
        ("version = \"2024-01\"", "version = \"January\"", "add `period` beside `version`, in the form"),
        (
            "version = \"2024-01\"",
            "version = \"2024-02 corrected\"",
            "if it is 2024-02, add `period = \"2024-02\"` beside `version`",
        ),
        (
            "version = \"2024-01\"",
            "version = \"v1\"\nperiod = \"2024-07\"",
            "covers 2024-01 to 2024-06, and the data is of 2024-07",
        ),
        ("version = \"2024-01\"", "version = \"2024-01\"\nrows = \"some\"", "`rows` = \"some\" is not known"),
        ("COUNT(*) AS visits", "AVG(cost) AS cost", "an average in a query with `every`"),
        ("COUNT(*) AS visits", "COUNT(DISTINCT patient) AS n", "COUNT(DISTINCT ...) in a query with `every`"),
        ("COUNT(*) AS visits", "COUNT(*) / 2 AS half", "arithmetic on results in a query with `every`"),
        ("COUNT(*) AS visits", "MEDIAN(cost) AS middle", "a value by rank in a query with `every`"),
        (
            "FROM visits\"",
            "FROM visits HAVING COUNT(*) > 3\"",
            "HAVING, ORDER BY, LIMIT or DISTINCT in a query with `every`",
        ),
        (
            "COUNT(*) AS visits FROM visits\"",
            "sex, COUNT(*) AS n FROM visits GROUP BY ROLLUP(sex)\"",
            "several groupings",
        ),
        ("COUNT(*) AS visits", "SUM(COUNT(*)) OVER () AS n", "a window or a subquery over results"),
    ];
    for (from, to, words) in cases {
        let place = visits();
        place.edit("policy.toml", from, to);
        let refused = place.run(&["plan", "policy.toml"]).refused();
        assert!(refused.says(words), "{to}: {refused:?}");
        assert!(refused.stderr.contains("help: "), "{to}: {refused:?}");
    }
}

/// The part of a version limits what the release of one period uses, and the spend the whole horizon.
#[test]
fn versions_and_spend_limit_the_horizon() {
    let place = visits();
    place.edit("policy.toml", "spend = \"1/2\"", "spend = \"1/2\"\nper_version = \"1/12\"");
    let json = place.run(&["plan", "policy.toml", "--format", "json"]).done().json();
    assert_eq!(
        (&json["queries"][0]["share"], &json["spending"]["versions"][0]["left"]),
        (&"1/24".into(), &"1/24".into())
    );
    place.edit("policy.toml", "per_version = \"1/12\"", "per_version = \"1/30\"");
    assert!(
        place.run(&["plan", "policy.toml"]).refused().says("the shares add up to 1/24, more than per_version = 1/30")
    );
    place.edit("policy.toml", "per_version = \"1/30\"", "per_version = \"1/12\"");
    place.edit("policy.toml", "spend = \"1/2\"", "spend = \"1/5\"");
    assert!(place.run(&["plan", "policy.toml"]).refused().says("the shares add up to 1/4, more than spend = 1/5"));
}

/// A query by weight gets what the whole horizon leaves, in each period the same.
#[test]
fn weights_divide_what_the_horizon_leaves() {
    let place = visits();
    let policy = place.read("policy.toml");
    place.write(
        "policy.toml",
        format!("{policy}\n[[query]]\nname = \"costs\"\nsql = \"SELECT SUM(cost) FROM visits\"\n"),
    );
    let shares = |place: &Place| {
        let json = place.run(&["plan", "policy.toml", "--format", "json"]).done().json();
        json["queries"].as_array().unwrap().iter().map(|query| query["share"].to_string()).collect::<Vec<_>>()
    };
    assert_eq!(shares(&place), ["\"1/24\"", "\"1/4\""]);
    place.edit("policy.toml", "name = \"costs\"", "name = \"costs\"\ntarget_error = 300");
    let with_target = shares(&place);
    assert_eq!(with_target[0], "\"1/24\"");
}

/// A rehearsal, a check of losses, a simulation and a question work beside a repeated query.
#[test]
fn other_commands_work_with_it() {
    let place = visits();
    place.run(&["release", "policy.toml", "--rehearse"]).done();
    assert_eq!(place.charges(), 0);
    place.run(&["simulate", "policy.toml", "--rows", "50", "--out", "made-up"]).done();
    place.run(&["data", "check", "policy.toml"]).done();
    place.run(&["ask", "policy.toml", "SELECT COUNT(*) FROM visits WHERE sex = 'F'", "--spend", "1/20"]).done();
    place.release(&[]).done();
    // Seven visits of one patient: five are beyond the caps of a month.
    let many: String = (1..=7).map(|day| format!("900,F,2024-02-{day:02},1\n")).collect();
    place.write("2024-02.csv", format!("patient,sex,day,cost\n{many}"));
    go_to(&place, 2);
    let refused = place.run(&["data", "check", "policy.toml"]).refused();
    assert!(refused.says("--accept-loss 'visits so far'"), "{refused:?}");
}

/// Everything but the noisy numbers is the same for data that differ in one person.
#[test]
fn neighbours_differ_in_noisy_numbers_alone() {
    let told = |gone: Option<usize>| {
        let place = visits();
        place.edit("policy.toml", "epsilon = 4096", "epsilon = 1");
        let mut all = String::new();
        for month in [1, 3] {
            if let Some(gone) = gone {
                let name = format!("2024-{month:02}.csv");
                let kept: Vec<String> = place
                    .read(&name)
                    .lines()
                    .filter(|line| !line.starts_with(&format!("{gone},")))
                    .map(str::to_owned)
                    .collect();
                place.write(&name, kept.join("\n") + "\n");
            }
            go_to(&place, month);
            all += &place.run(&["plan", "policy.toml"]).done().stdout;
            place.release(&[]).done();
        }
        let mut answer = json(&place.release(&["--format", "json"]).done());
        for cell in answer["rows"].as_array_mut().unwrap().iter_mut().flat_map(|row| row.as_array_mut().unwrap()) {
            if let Some(number) = cell.as_object_mut() {
                let is_number = number["value"].is_number();
                number.retain(|key, _| key == "standard_error");
                number.insert("is_number".to_owned(), is_number.into());
            }
        }
        // The number of unusable numbers follows from the released ones.
        let warnings = answer["warnings"].as_array_mut().unwrap();
        warnings.retain(|warning| !warning.as_str().unwrap().contains("not usable"));
        (all, answer.to_string())
    };
    assert_eq!(told(None), told(Some(3)));
}

/// The section of the page: its policy is planned as the page prints it.
#[test]
fn the_page_prints_the_plan_of_its_policy() {
    let page = std::fs::read_to_string(workspace().join("docs/how-to/every-month.md")).unwrap();
    let blocks: Vec<&str> = page.split("```toml\n").skip(1).map(|rest| rest.split("```").next().unwrap()).collect();
    let every = blocks.iter().find(|block| block.contains("every = ")).expect("the query of the page");
    let (head, rest) = blocks[0].split_once("[[query]]\nname = \"visits\"\n").unwrap();
    let (_, others) = rest.split_once("[[query]]").unwrap();
    let head = head.replace("\n\n[entity]", "\nday = { type = \"date\" }\n\n[entity]");
    let place = Place::empty();
    place.write("policy.toml", format!("{head}[[query]]{others}\n{every}"));
    let plan = place.run(&["plan", "policy.toml"]).done().stdout;
    let start = plan.find("  visits so far: 12 periods").expect("the horizon");
    let grid = plan[start..].split_inclusive("┘\n").next().unwrap();
    assert!(page.contains(grid), "{plan}");
    // Its corrected month is planned as another version of July.
    let corrected = blocks.iter().find(|block| block.contains("period = ")).unwrap();
    let data = blocks[0].split_once("[data]\n").unwrap().1.split_once("\n\n").unwrap().0;
    place.edit("policy.toml", &format!("[data]\n{data}"), corrected.trim_end());
    assert!(place.run(&["plan", "policy.toml"]).done().stdout.contains("2024-07 uses 1/24"));
}
