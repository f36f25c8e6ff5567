//! Losses of caps: caps of single queries, the published loss, suggestions, and the curator's exact losses.

use crate::support::Place;

/// The clinic with a changed policy.
fn clinic(from: &str, to: &str) -> Place {
    let place = Place::clinic();
    place.edit("policy.toml", from, to);
    place
}

const FIRST: &str = "name = \"visits by sex\"";

#[test]
fn a_query_has_caps_of_its_own() {
    let scale = |place: &Place| {
        let json = place.run(&["plan", "policy.toml", "--format", "json"]).done().json();
        let first = &json["queries"][0]["answers"][0];
        first["noise"][0]["scale"].as_str().unwrap().parse::<f64>().unwrap()
    };
    let (usual, own) =
        (scale(&Place::clinic()), scale(&clinic(FIRST, &format!("{FIRST}\nrows_per_group = 1\ngroups = 1"))));
    // Four rows in two groups under the policy's caps.
    assert!((usual / own - 8.0).abs() < 0.01, "{usual} {own}");
    // Other caps are another query, without a stored answer.
    let place = Place::clinic();
    place.release(&["--query", "visits by sex"]).done();
    place.edit("policy.toml", FIRST, &format!("{FIRST}\nrows_per_group = 2"));
    place.release(&["--query", "visits by sex"]).done();
    assert_eq!(place.charges(), 2);
}

#[test]
fn a_table_has_caps_of_its_own() {
    let scale = |table: &str, query: &str| {
        let place = Place::clinic();
        let policy = place.read("policy.toml");
        let people = "[tables.people]\npath = \"people.csv\"\nversion = \"1\"\nentity = \"patient\"\n\
                      columns = { patient = { type = \"text\" } }\n";
        let asked = "[[query]]\nname = \"people\"\nsql = \"SELECT COUNT(*) AS n FROM people\"\n";
        place.write("policy.toml", format!("{policy}\n{people}{table}\n{asked}{query}"));
        let json = place.run(&["plan", "policy.toml", "--query", "people", "--format", "json"]).done().json();
        json["queries"][0]["answers"][0]["noise"][0]["scale"].as_str().unwrap().parse::<f64>().unwrap()
    };
    // Four rows under the caps of [entity]; one group, as there is no GROUP BY.
    let (usual, one, two) =
        (scale("", ""), scale("rows_per_group = 1", ""), scale("rows_per_group = 1", "rows_per_group = 2"));
    // The printed scales are rounded.
    assert!((usual / one - 4.0).abs() < 0.05 && (two / one - 2.0).abs() < 0.05, "{usual} {one} {two}");

    let place = Place::clinic();
    let policy = place.read("policy.toml");
    let towns = "[tables.towns]\npath = \"towns.csv\"\nversion = \"1\"\nunprotected = true\nkey = \"town\"\n\
                 rows_per_group = 1\ncolumns = { town = { type = \"text\" } }\n";
    place.write("policy.toml", format!("{policy}\n{towns}"));
    let refused = place.run(&["plan", "policy.toml"]).refused().stderr;
    assert!(refused.contains("`rows_per_group`") && refused.contains("`unprotected`"), "{refused}");
}

#[test]
fn a_query_of_the_command_line_has_caps_of_its_own() {
    let place = Place::clinic();
    let scale = |more: &[&str]| {
        let plan = [
            "ask",
            "policy.toml",
            "SELECT COUNT(*) AS n FROM visits",
            "--spend",
            "1/40",
            "--dry-run",
            "--format",
            "json",
        ];
        let json = place.run(&[&plan[..], more].concat()).done().json();
        json["queries"][0]["answers"][0]["noise"][0]["scale"].as_str().unwrap().parse::<f64>().unwrap()
    };
    let (usual, one) = (scale(&[]), scale(&["--rows-per-group", "1"]));
    assert!((usual / one - 4.0).abs() < 0.05, "{usual} {one}");
    assert!(place.run(&["ask", "policy.toml", "SELECT 1", "--groups", "0"]).misused().stderr.contains("--groups"));
}

/// The guarantee is the same for all answers of a ledger.
#[test]
fn the_guarantee_is_printed_once() {
    let place = Place::clinic();
    let ask = |sql: &str, more: &[&str]| {
        let ask = ["ask", "policy.toml", sql, "--spend", "1/40", "--register", "--yes"];
        place.run(&[&ask[..], more].concat()).done().stdout
    };
    let first = ask("SELECT COUNT(*) AS n FROM visits", &[]);
    assert!(first.contains("What is promised about everyone"), "{first}");
    let second = ask("SELECT COUNT(*) AS n FROM visits WHERE smoker", &[]);
    assert!(
        !second.contains("What is promised about everyone") && second.contains("by at most a factor 3"),
        "{second}"
    );
    assert!(
        ask("SELECT COUNT(*) AS n FROM visits WHERE smoker", &["--guarantee"])
            .contains("What is promised about everyone")
    );
    assert!(ask("SELECT COUNT(*) AS n FROM visits WHERE smoker", &["--out", "n.txt"]).is_empty());
    assert_eq!(place.read("n.txt"), second);
}

#[test]
fn caps_mean_nothing_where_one_row_is_one_person() {
    let place = Place::empty();
    let policy = "name = 'n'\npopulation = 'p'\ndata = { table = 't', path = 't.csv', version = '1' }\n\
                  adversary = { preset = 'acquaintance' }\npromise = { posterior_at_most = 0.75 }\n[columns]\nx = { type = 'text' }\n\
                  [[query]]\nsql = 'SELECT COUNT(*) FROM t'\n";
    for key in ["rows_per_group = 2", "groups = 2", "left_out = '1/50'"] {
        place.write("policy.toml", format!("{policy}{key}\n"));
        let run = place.run(&["plan", "policy.toml"]).refused();
        assert!(run.stderr.contains("where one row is one person"), "{}", run.stderr);
    }
}

/// The loss is charged with its query, published in its answer, and free when the query is repeated.
#[test]
fn the_loss_is_published_and_paid_for() {
    let place = clinic(FIRST, &format!("{FIRST}\nrows_per_group = 1\nleft_out = \"1/4\""));
    place.accept_losses(&["visits by sex"]);
    let run = place.release(&["--query", "visits by sex", "--format", "json"]).done();
    let json = run.json();
    let names: Vec<&str> =
        json["answers"].as_array().unwrap().iter().map(|ask| ask["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["visits by sex", "visits by sex, left out"]);
    let count = |at: usize| json["answers"][1]["rows"][at][1]["value"].as_i64().unwrap();
    // The scale of the noise is 3.65.
    let exact = i64::try_from(patients_with_one_visit(&place)).unwrap();
    assert!((count(0) - exact).abs() < 150 && (count(0) + count(1) - 2_000).abs() < 200, "{json}");
    let notes = json["answers"][0]["warnings"].to_string();
    assert!(notes.contains("the caps leave out rows of about"), "{notes}");
    assert_eq!(place.charges(), 2);
    // In CSV it is a note of the answer.
    let csv = place.release(&["--query", "visits by sex", "--format", "csv"]).done().stdout;
    assert!(
        csv.lines().next().unwrap().ends_with(",notes") && csv.contains("the caps leave out rows of about"),
        "{csv}"
    );
    assert_eq!(place.charges(), 2);
    let page = place.run(&["report", "policy.toml"]).done().stdout;
    assert!(page.contains("visits by sex, left out"));
}

/// The interval for the population is in every output format and needs no further access to the data.
#[test]
fn averages_of_a_sample_have_an_interval_for_the_population() {
    let place = Place::clinic();
    let policy = place.read("policy.toml");
    let query = "\n[[query]]\nname = \"cost\"\nsql = \"SELECT COUNT(*) AS visits, AVG(cost) AS cost, STDDEV(cost) AS spread FROM visits\"\n\
                 rows_per_group = 1\n";
    place.write("policy.toml", format!("{policy}{query}"));
    place.accept_losses(&["cost"]);
    let asked = |format: &str| place.release(&["--query", "cost", "--format", format]).done().stdout;
    let before: serde_json::Value = serde_json::from_str(&asked("json")).unwrap();
    let charges = place.charges();
    place.write("policy.toml", format!("{policy}{query}sampling = \"simple\"\n"));
    let json: serde_json::Value = serde_json::from_str(&asked("json")).unwrap();
    let cells = |json: &serde_json::Value| json["answers"][0]["rows"][0].clone();
    let (own, number) = (cells(&before), cells(&json));
    assert!(own[1].get("population").is_none() && number[0].get("population").is_none(), "{json}");
    assert_eq!((&own[1]["value"], &own[1]["low"]), (&number[1]["value"], &number[1]["low"]));
    let ends: Vec<f64> = number[1]["population"].as_array().unwrap().iter().map(|end| end.as_f64().unwrap()).collect();
    assert!(ends[0] < number[1]["low"].as_f64().unwrap() && ends[1] > number[1]["high"].as_f64().unwrap(), "{number}");
    assert!(json["answers"][0]["warnings"].to_string().contains("a simple random sample of it"));
    let table = asked("table");
    assert!(table.contains("95% for the population") && table.matches("for the population").count() > 1, "{table}");
    let csv = asked("csv");
    let head = "visits,visits_low,visits_high,visits_quality,cost,cost_low,cost_high,cost_population_low,cost_population_high,";
    assert!(csv.starts_with(head), "{csv}");
    let page = place.run(&["report", "policy.toml"]).done().stdout;
    assert!(page.contains("95% for the population"));
    assert_eq!(place.charges(), charges);
    // Several rows of one person are not independent draws.
    place.write("policy.toml", format!("{policy}{query}sampling = \"simple\"\n").replace("rows_per_group = 1\n", ""));
    let refused = place.run(&["plan", "policy.toml"]).refused();
    assert!(refused.stderr.contains("several rows of one person") && refused.stderr.contains("rows_per_group = 1"));
}

fn patients_with_one_visit(place: &Place) -> usize {
    let all = place.read("visits.csv");
    let mut names: Vec<&str> = all.lines().skip(1).map(|line| line.split(',').next().unwrap()).collect();
    names.sort_unstable();
    names.chunk_by(|one, other| one == other).filter(|rows| rows.len() == 1).count()
}

#[test]
fn share_of_the_loss_is_part_of_the_spend() {
    let run = clinic(FIRST, &format!("{FIRST}\nleft_out = \"7/8\"")).run(&["plan", "policy.toml"]).refused();
    assert!(run.stderr.contains("7/8") && run.stderr.contains("spend"), "{}", run.stderr);
}

/// Output about caps depends on the data only through the released numbers.
#[test]
fn neighbours_differ_in_released_numbers_alone() {
    let told = |change: bool| {
        let place = clinic(FIRST, &format!("{FIRST}\nleft_out = \"1/4\""));
        if change {
            // A person with more visits than all others together.
            let all = place.read("visits.csv");
            let row = all.lines().nth(1).unwrap();
            let tail = row.split_once(',').unwrap().1;
            place.write("visits.csv", all.clone() + &format!("somebody,{tail}\n").repeat(5_000));
        }
        place.accept_losses(&[
            "visits by sex",
            "minutes by department",
            "total cost",
            "where long visits of adults go",
        ]);
        place.release(&["--query", "visits by sex"]).done();
        let advised = place.run(&["suggest", "policy.toml", "--query", "total cost", "--spend", "1/4"]).done();
        let json = place
            .run(&["suggest", "policy.toml", "--query", "total cost", "--spend", "1/4", "--format", "json"])
            .done();
        let shape = |value: &serde_json::Value| {
            let all = value.as_array().unwrap().iter();
            all.map(|one| {
                (one["query"].to_string(), one["about"].to_string(), one["quantiles"].as_array().unwrap().len())
            })
            .collect::<Vec<_>>()
        };
        let words: Vec<String> =
            advised.stderr.lines().filter(|line| !line.contains("head")).map(str::to_owned).collect();
        (shape(&json.json()), words, place.charges())
    };
    assert_eq!(told(false), told(true));
}

#[test]
fn advice_is_a_release_of_its_own() {
    let place = Place::clinic();
    let run = place.run(&["suggest", "policy.toml"]).misused();
    assert!(run.stderr.contains("--spend 1/50"), "{}", run.stderr);
    let run = place.run(&["suggest", "policy.toml", "--query", "nothing", "--spend", "1/2"]).misused();
    assert!(run.stderr.contains("visits by sex"), "{}", run.stderr);
    let run = place.run(&["suggest", "policy.toml", "--spend", "1/50", "--dry-run"]).done();
    assert!(run.stdout.contains("clinic/suggest") && !run.stdout.contains("hint"), "{}", run.stdout);
    assert!(!place.path("clinic-patients.ledger").exists());
    let advice =
        ["suggest", "policy.toml", "--query", "visits by sex", "--spend", "1", "--register", "--format", "json"];
    let json = place.run(&advice).done().json();
    let about: Vec<&str> = json.as_array().unwrap().iter().map(|one| one["about"].as_str().unwrap()).collect();
    assert_eq!(about, ["rows_per_group", "groups"]);
    // A page has the advice as folded tables, not as answers with charts.
    let page = place.run(&["report", "--ledger", "clinic-patients.ledger"]).done().stdout;
    let (before, folded) = page.split_once("Advice on caps and bounds, released before the answers").unwrap();
    assert!(!before.contains("<article") && folded.matches("visits by sex").count() >= 2, "{page}");
    // With so much spent the noise is negligible: half of the patients have at most two visits.
    let half: i64 = json[0]["quantiles"][0]["value"].as_str().unwrap().parse().unwrap();
    assert!((1..=3).contains(&half), "{json}");
    assert_eq!(place.run(&advice).done().json(), json, "stored, and free");
    assert_eq!(place.charges(), 1);
    // The whole promise is spent.
    place.run(&["release", "policy.toml", "--query", "patients"]).refused();
}

/// Advice on a query about rows in order is charged to the version of its table: it counts for `per_version`, and the next
/// version has advice of its own.
#[test]
fn advice_on_rows_in_order_has_a_version() {
    let place = Place::empty();
    place.write(
        "policy.toml",
        "name = 'v'\npopulation = 'p'\ndata = { table = 't', path = 't.csv', version = '1', typical_rows = 400 }\n\
         entity = { key = 'who', rows_per_group = 2, groups = 1 }\nadversary = { preset = 'acquaintance' }\n\
         promise = { posterior_at_most = 0.75 }\nbudget = { per_version = '1/2' }\n[columns]\n\
         who = { type = 'integer', bounds = [0, 99] }\nat = { type = 'integer', bounds = [0, 9] }\n\
         [[query]]\nname = 'gaps'\nsql = 'SELECT COUNT(*) AS n FROM (SELECT who, at - LAG(at) OVER (PARTITION BY who ORDER BY at) \
         AS gap FROM t) AS g WHERE gap < 3'\n",
    );
    let rows = |people: std::ops::Range<u32>| {
        let rows = people.flat_map(|who| (0..4).map(move |at| format!("{who},{at}\n")));
        format!("who,at\n{}", rows.collect::<String>())
    };
    let advice = |share| ["suggest", "policy.toml", "--query", "gaps", "--spend", share, "--register"];
    place.write("t.csv", rows(0..50));
    place.run(&["data", "check", "policy.toml", "--accept-loss", "gaps"]).done();
    place.run(&advice("1/2")).done();
    assert_eq!(place.releases()[0]["version"], "1");
    // The version's part of the promise is spent.
    let refused = place.run(&advice("1/3")).refused();
    assert!(refused.stderr.contains("per_version"), "{}", refused.stderr);
    place.edit("policy.toml", "version = '1'", "version = '2'");
    place.write("t.csv", rows(50..99));
    place.run(&["data", "check", "policy.toml", "--accept-loss", "gaps"]).done();
    let next = place.run(&advice("1/2")).done();
    assert!(!next.stderr.contains("stored answer"), "{}", next.stderr);
    assert_eq!((place.charges(), &place.releases()[1]["version"]), (2, &serde_json::json!("2")));
}

#[test]
fn caps_are_swept() {
    let place = Place::clinic();
    let sweep =
        |key: &str| place.run(&["plan", "policy.toml", "--sweep", key, "--query", "visits by sex", "--format", "json"]);
    let json = sweep("rows_per_group=1..50:5").done().json();
    let points = json["points"].as_array().unwrap();
    let values: Vec<&str> = points.iter().map(|point| point["value"].as_str().unwrap()).collect();
    assert_eq!(values, ["1", "13", "26", "38", "50"]);
    let error = |at: usize| points[at]["answers"][0]["error"].as_str().unwrap().parse::<f64>().unwrap();
    assert!((error(4) / error(0) - 50.0).abs() < 5.0, "{json}");
    for wrong in ["rows_per_group=0..5", "groups=1..2.5", "rows=1..5"] {
        sweep(wrong).misused();
    }
    let text = place.run(&["plan", "policy.toml", "--sweep", "groups=1..3"]).done().stdout;
    assert!(text.contains("the errors do not include what the cap leaves out"), "{text}");
}

/// Exact losses of each query, for the curator.
#[test]
fn the_curator_sees_exact_losses() {
    let place = Place::clinic();
    let run = place.run(&["data", "check", "policy.toml"]).done();
    let told = run.stderr.split_once("what caps and bounds leave out of each query, exactly").unwrap().1;
    for words in
        ["389 (8.1%)", "202 (10.1%)", "cost: 66 (1.4%)", "caps and bounds that are chosen by them depend on the data"]
    {
        assert!(told.contains(words), "{words:?} is not in {told}");
    }
    let json = place.run(&["data", "check", "policy.toml", "--format", "json"]).done().json();
    let first = &json["queries"][0];
    let all = place.read("visits.csv");
    let mut names: Vec<&str> = all.lines().skip(1).map(|line| line.split(',').next().unwrap()).collect();
    names.sort_unstable();
    let many: Vec<usize> =
        names.chunk_by(|one, other| one == other).map(<[&str]>::len).filter(|rows| *rows > 4).collect();
    assert_eq!(first["entities_beyond_caps"], many.len());
    assert_eq!(first["rows_left_out"], many.iter().map(|rows| rows - 4).sum::<usize>());
    // Entities are counted whatever their rows.
    assert_eq!(json["queries"][3]["rows_left_out"], serde_json::Value::Null);
}

/// Values that are summed within a person are clamped too: the report counts each value beyond the bounds once.
#[test]
fn the_curator_sees_values_beyond_bounds_inside_a_query_of_entities() {
    let inner = "SELECT AVG(LEAST(total, 900)) FROM (SELECT patient, SUM(cost) AS total, MIN_BY(sex, age) AS s FROM visits \
                 WHERE sex = 'F' GROUP BY patient) AS p";
    let place = clinic(FIRST, &format!("name = \"what a patient costs\"\nsql = \"{inner}\"\n\n[[query]]\n{FIRST}"));
    let json = place.run(&["data", "check", "policy.toml", "--format", "json"]).done().json();
    let all = place.read("visits.csv");
    let costs = all.lines().skip(1).map(|line| line.split(',').collect::<Vec<_>>()).filter(|row| row[2] == "F");
    let outside = costs.filter(|row| row[5].parse::<f64>().is_ok_and(|cost| cost > 400.0)).count();
    assert!(outside > 10);
    let beyond = &json["queries"][0]["beyond_bounds"];
    assert_eq!(beyond.as_array().map(Vec::len), Some(1), "{beyond}");
    assert_eq!(
        (&beyond[0]["expression"], &beyond[0]["outside"]),
        (&"cost, of each row inside".into(), &outside.into())
    );
}

/// A weighted value is in no sum of its own, but its bounds are still reported.
#[test]
fn the_bounds_of_a_weighted_value_are_reported() {
    let sql = "SELECT AVG_WEIGHTED(age, minutes) AS a FROM visits";
    let place = clinic(FIRST, &format!("name = \"weighted\"\nsql = \"{sql}\"\n\n[[query]]\n{FIRST}"));
    let plan = place.run(&["plan", "policy.toml", "--query", "weighted"]).done();
    assert!(plan.stdout.contains("needs typical values"), "{}", plan.stdout);
    let run = place.release(&["--query", "weighted"]).done();
    let words = run.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("age: values below 0 or above 110 count as these bounds"), "{words}");
    assert!(words.contains("minutes: values below 0 or above 60 count as these bounds"), "{words}");
}

/// Output about a query's caps is correct also if `left_out` is the only query.
#[test]
fn the_loss_alone_names_its_own_caps() {
    let place = clinic(FIRST, &format!("{FIRST}\nrows_per_group = 2\ngroups = 1\nleft_out = \"1/50\""));
    place.accept_losses(&["visits by sex"]);
    let run = place.release(&["--query", "visits by sex, left out"]).done();
    let words = run.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("more than 2 rows in a group, or rows in more than 1 group"), "{words}");
    assert_eq!(place.charges(), 1);
    // Numbers that are hidden in the table are not shown in the notes either.
    place.edit("policy.toml", "[columns.age]", "[display]\nhide_below = 1_000_000\n\n[columns.age]");
    let both = place.release(&["--query", "visits by sex"]).done();
    assert!(!both.stdout.contains("the caps leave out rows of about"), "{}", both.stdout);
}

/// A suggestion that is impossible is refused before anything is charged, and the message names the query.
#[test]
fn advice_that_cannot_be_given() {
    let place = Place::clinic();
    let run = place.run(&["suggest", "policy.toml", "--query", "patients", "--spend", "1/10"]).refused();
    assert!(run.stderr.contains("no advice is possible on \"patients\""), "{}", run.stderr);
    // The queries with caps or bounds divide the share.
    let run = place.run(&["suggest", "policy.toml", "--spend", "1/10", "--dry-run"]).done();
    assert!(run.stderr.contains("no caps or bounds to suggest for \"patients\""), "{run:?}");
    assert!(run.stdout.contains("1/40"), "{run:?}");
    place.edit("policy.toml", "GROUP BY sex", "GROUP BY sx");
    let run = place.run(&["suggest", "policy.toml", "--spend", "1/10"]).refused();
    assert!(run.stderr.contains("sx"), "{}", run.stderr);
    let rows = Place::empty();
    let policy = "name = 'n'\npopulation = 'p'\ndata = { table = 't', path = 't.csv', version = '1' }\n\
                  adversary = { preset = 'acquaintance' }\npromise = { posterior_at_most = 0.75 }\n[columns]\nx = { type = 'text' }\n\
                  [[query]]\nsql = 'SELECT COUNT(*) FROM t'\n";
    rows.write("policy.toml", policy);
    rows.write("t.csv", "x\na\n");
    rows.run(&["suggest", "policy.toml", "--spend", "1/10"]).refused();
    assert!(!rows.path("p.ledger").exists() && !place.path("clinic-patients.ledger").exists());
}

/// A loss that cannot be computed does not stop the registration.
#[test]
fn losses_beyond_the_memory_are_reported() {
    let place = clinic(FIRST, &format!("{FIRST}\nrows_per_group = 4_000_000_000"));
    let run = place.run(&["data", "check", "policy.toml"]).done();
    assert!(run.stderr.contains("visits by sex: the losses of its caps cannot be computed"), "{}", run.stderr);
    assert!(run.stderr.contains("registered version") && run.stderr.contains("178 (8.9%)"), "{}", run.stderr);
}
