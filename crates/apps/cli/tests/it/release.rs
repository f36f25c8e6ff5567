//! `deniable release` on the clinic example: standard output and standard error, charges, and refusals.

use crate::support::{Place, Run, rows, without_numbers, without_quality};
use std::collections::BTreeSet;
use std::fs;
use std::process::Stdio;

/// Seven queries of weight 1 that use up all of an odds ratio of 3; more can be added.
fn sevenths() -> Place {
    let mut policy = r#"
name = "sevenths"
population = "patients"
data = { table = "visits", path = "data.csv", version = "1" }
columns.age = { type = "integer", bounds = [0, 100] }
adversary = { preset = "acquaintance" }
promise = { posterior_at_most = 0.75 }
budget = { spend = 1 }
"#
    .to_owned();
    for ask in 1..=7 {
        policy.push_str(&format!(
            "[[query]]\nname = \"over {ask}0\"\nsql = 'SELECT COUNT(*) FROM visits WHERE age > {ask}0'\n"
        ));
    }
    Place::new(&policy, "age\n33\n44\n55\n")
}

#[test]
fn tables_are_for_reading() {
    let clinic = Place::clinic();
    let run = clinic.release(&[]).done();
    let text = ["cardiology", "dermatology", "orthopaedics", "paediatrics", "neurology"]
        .iter()
        .fold(without_numbers(&run.stdout), |text, name| text.replace(name, "<department>"));
    insta::assert_snapshot!("table", text);
    insta::assert_snapshot!("table_curator", clinic.plain(&run.stderr));
}

#[test]
fn json_holds_everything() {
    let clinic = Place::clinic();
    let run = clinic.release(&["--format", "json"]).done();
    let publication = run.json();
    let keys: BTreeSet<&str> = publication.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(keys, BTreeSet::from(["policy", "population", "data", "confidence", "answers", "guarantee"]));
    assert_eq!(publication["guarantee"]["odds"], "3");
    let by_sex: Vec<_> = rows(&publication, 0).into_iter().map(|row| row[0].clone()).collect();
    assert_eq!(serde_json::to_string(&by_sex).unwrap(), r#"["F","M",null]"#);
    let cell = &publication["answers"][0]["rows"][0][1];
    let number = |part: &str| cell[part].as_i64().unwrap();
    assert!(number("low") <= number("value") && number("value") <= number("high"), "{cell}");
    // With numbers hidden, the shape remains.
    let shown = without_quality(&run.stdout);
    let hidden: Vec<&str> = shown.lines().filter(|line| !line.trim_start().starts_with("\"decay\"")).collect();
    let hidden: Vec<String> = hidden
        .iter()
        .map(|line| match line.split_once("\": ") {
            Some((name, value)) if value.trim_end_matches(',').parse::<f64>().is_ok() => format!("{name}\": #"),
            _ => (*line).to_owned(),
        })
        .take_while(|line| !line.contains("minutes by department"))
        .collect();
    insta::assert_snapshot!("json_of_the_first_ask", hidden.join("\n"));
}

#[test]
fn csv_holds_one_ask() {
    let clinic = Place::clinic();
    let several = clinic.release(&["--format", "csv"]).misused();
    assert!(several.stderr.contains("choose one with --query"), "{several:?}");
    assert_eq!(clinic.ledger(), None);
    let run = clinic.release(&["--format", "csv", "--query", "visits by sex"]).done();
    let lines: Vec<&str> = run.stdout.lines().collect();
    assert_eq!(lines[0], "sex,visits,visits_low,visits_high,visits_quality,notes");
    assert!(lines[1].starts_with("F,") && lines[2].starts_with("M,") && lines[3].starts_with(','), "{run:?}");
    assert_eq!(lines.len(), 4);
    assert!(run.stderr.contains("What is promised about everyone"), "{run:?}");
    assert_eq!(clinic.charges(), 1);
}

#[test]
fn bad_usage_is_exit_code_2() {
    let clinic = Place::clinic();
    for args in [
        &["release"] as &[&str],
        &["release", "policy.toml", "--format", "xml"],
        &["release", "policy.toml", "--query", "no such ask"],
        &["ledger", "show"],
        &["ledger", "change-promise", "policy.toml"],
        &["unknown"],
        &[],
    ] {
        clinic.run(args).misused();
    }
    assert_eq!(clinic.files(), ["policy.toml", "visits.csv"]);
}

#[test]
fn asking_again_is_free_and_the_same() {
    let clinic = Place::clinic();
    let first = clinic.release(&[]).done();
    let head = first.head();
    let again = clinic.release(&[]).done();
    assert_eq!(first.stdout, again.stdout);
    assert_eq!(again.head(), head);
    let json = clinic.release(&["--format", "json"]).done().json();
    clinic.edit(
        "policy.toml",
        "SELECT sex, COUNT(*) AS visits FROM visits GROUP BY sex",
        "SELECT COUNT(*) AS n, v.sex AS who FROM visits AS v GROUP BY v.sex ORDER BY who DESC LIMIT 2",
    );
    clinic.edit("policy.toml", "name = \"visits by sex\"", "name = \"the same in other words\"");
    clinic.edit("policy.toml", "ORDER BY long_visits DESC\nLIMIT 3", "ORDER BY department");
    let other = clinic.release(&["--format", "json"]).done();
    assert_eq!(other.head(), head, "it cost something");
    let other = other.json();
    let turned: Vec<_> = rows(&other, 0).into_iter().map(|row| (row[1].clone(), row[0].clone())).collect();
    let before: Vec<_> = rows(&json, 0).into_iter().map(|row| (row[0].clone(), row[1].clone())).collect();
    assert_eq!(turned[0], before[2], "NULL comes first in descending order");
    assert_eq!(turned[1], before[1]);
    for row in rows(&json, 4) {
        assert!(rows(&other, 4).contains(&row), "{row:?}");
    }
    assert_eq!(clinic.spent(), "3^(3/4) (at most 2.2796)");
}

#[test]
fn files_appear_whole_or_not_at_all() {
    let clinic = Place::clinic();
    for out in ["nowhere/answers.txt", "policy.toml/answers.txt"] {
        let run = clinic.release(&["--out", out]).misused();
        assert!(run.stderr.contains("the folder does not exist") && clinic.ledger().is_none(), "{run:?}");
    }
    fs::create_dir(clinic.path("folder")).unwrap();
    for flag in ["--out", "--report"] {
        let run = clinic.release(&[flag, "folder"]).misused();
        assert!(run.stderr.contains(flag) && run.stderr.contains("is a folder"), "{run:?}");
        assert!(clinic.ledger().is_none(), "{run:?}");
    }
    fs::remove_dir(clinic.path("folder")).unwrap();
    let run = clinic.release(&["--out", "/proc/answers.txt"]).refused();
    assert!(
        run.stderr.contains("cannot be written") && run.stderr.contains("run the command again at no cost"),
        "{run:?}"
    );
    assert!(!run.stderr.contains(".tmp"), "{run:?}");
    run.head();
    let kept = clinic.release(&["--out", "answers.txt"]).done();
    assert_eq!(kept.stdout, "");
    assert!(!kept.stderr.contains("charged"), "{kept:?}");
    assert_eq!(clinic.read("answers.txt"), clinic.release(&[]).done().stdout);
    // Stored answers need no data, but a mistyped path is still reported.
    clinic.release(&["--data", "nowhere.csv"]).refused();
    let files = clinic.files();
    assert_eq!(
        files,
        [
            "answers.txt",
            "clinic-patients.ledger",
            "clinic-patients.ledger.head",
            "clinic-patients.ledger.key",
            "policy.toml",
            "visits.csv"
        ]
    );
}

#[test]
fn answers_never_replace_what_they_come_from() {
    let clinic = Place::clinic();
    clinic.release(&["--query", "patients"]).done();
    let beside = ["clinic-patients.ledger.key", "clinic-patients.ledger.head"];
    let own = ["visits.csv", "policy.toml", "clinic-patients.ledger", beside[0], beside[1]];
    let before = own.map(|name| fs::read(clinic.path(name)).unwrap());
    for name in own {
        let run = clinic.release(&["--out", name]).misused();
        assert!(run.stderr.contains("--out would overwrite"), "{run:?}");
    }
    assert_eq!(own.map(|name| fs::read(clinic.path(name)).unwrap()), before);
}

#[test]
fn a_reader_that_goes_away_loses_nothing() {
    let clinic = Place::clinic();
    let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let mut command = clinic.command(&["release", "policy.toml", "--register"]);
    let run = Run::of(command.stdout(Stdio::from(full)).output().unwrap()).refused();
    assert!(run.stderr.contains("answers are stored"), "{run:?}");
    let head = run.head();
    assert_eq!(clinic.release(&[]).done().head(), head);
}

#[test]
fn a_budget_can_be_used_up_exactly() {
    let place = sevenths();
    place.release(&[]).done();
    assert_eq!(place.spent(), "3");
    place.edit("policy.toml", "budget = { spend = 1 }", "budget = { spend = 1 }\n# more");
    let old = place.read("policy.toml").replace("[[query]]\n", "[[query]]\nshare = \"1/7\"\n");
    place.write("policy.toml", format!("{old}[[query]]\nshare = \"1/7\"\nsql = 'SELECT COUNT(*) FROM visits'\n"));
    let by_policy = place.release(&[]).refused();
    // The policy's own shares sum to 8/7; another policy over the same people reaches the promise's limit instead.
    assert!(by_policy.stderr.contains("8/7"), "{by_policy:?}");
    place.write("policy.toml", old.replace("name = \"sevenths\"", "name = \"another\"").replace("age > ", "age >= "));
    let by_promise = place.release(&[]).refused();
    insta::assert_snapshot!(
        "budget_used_up",
        format!("{}\n{}", place.plain(&by_policy.stderr), place.plain(&by_promise.stderr))
    );
    assert_eq!((place.charges(), place.spent().as_str()), (7, "3"));
}

#[test]
fn release_that_exceeds_the_budget_charges_nothing() {
    let place = sevenths();
    place.release(&["--query", "over 10"]).done();
    let other = place.read("policy.toml").replace("name = \"sevenths\"", "name = \"another\"");
    place.write("policy.toml", other.replace("age > ", "age >= "));
    let refused = place.release(&[]).refused();
    assert!(refused.says("nothing was charged"), "{refused:?}");
    assert_eq!((place.charges(), place.spent().as_str()), (1, "3^(1/7) (at most 1.17)"));
    let six = ["1", "2", "3", "4", "5", "6"].map(|ask| format!("over {ask}0"));
    let args: Vec<&str> = six.iter().flat_map(|name| ["--query", name]).collect();
    place.release(&args).done();
    assert_eq!((place.charges(), place.spent().as_str()), (7, "3"));
}

#[test]
fn eight_processes_at_once_give_one_answer() {
    let place = sevenths();
    let started: Vec<_> = (0..8).map(|_| place.start(&[])).collect();
    let runs: Vec<Run> = started.into_iter().map(|child| Run::of(child.wait_with_output().unwrap()).done()).collect();
    for run in &runs {
        assert_eq!(run.stdout, runs[0].stdout);
    }
    assert_eq!((place.charges(), place.spent().as_str()), (7, "3"));
    let last = place.release(&[]).done();
    for run in &runs {
        place.run(&["ledger", "verify", "patients.ledger", "--head", &run.head()]).done();
    }
    assert_eq!(last.stdout, runs[0].stdout);
}

#[test]
fn processes_with_different_asks_cannot_overspend() {
    let place = sevenths();
    let policy = place.read("policy.toml");
    place.run(&["data", "check", "policy.toml"]).done();
    let started: Vec<_> = (0..4)
        .map(|which| {
            let name = format!("policy{which}.toml");
            let other = policy.replace("\"sevenths\"", &format!("\"sevenths {which}\""));
            place.write(&name, other.replace("age > ", &format!("age > {which} + ")));
            let mut command = place.command(&["release", &name]);
            command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
        })
        .collect();
    let runs: Vec<Run> = started.into_iter().map(|child| Run::of(child.wait_with_output().unwrap())).collect();
    for run in &runs {
        assert!(run.code == Some(0) || (run.code == Some(1) && run.stdout.is_empty()), "{run:?}");
    }
    assert_eq!((place.charges(), place.spent().as_str()), (7, "3"), "{runs:?}");
}

#[test]
fn stored_answers_do_not_need_the_data() {
    let clinic = Place::clinic();
    let first = clinic.release(&["--query", "visits by sex"]).done();
    let unchanged = clinic.release(&["--query", "visits by sex"]).done();
    assert!(!unchanged.stderr.contains("written to"), "{unchanged:?}");
    fs::write(clinic.path("visits.csv"), "something else\n").unwrap();
    // The ledger's clock has a resolution of seconds.
    let later = std::time::SystemTime::now() + std::time::Duration::from_secs(2);
    fs::File::options().write(true).open(clinic.path("visits.csv")).unwrap().set_modified(later).unwrap();
    let stored = clinic.release(&["--query", "visits by sex"]).done();
    assert_eq!(stored.stdout, first.stdout);
    assert!(stored.stderr.contains("the files of `visits` were written to after version \"2024-06\""), "{stored:?}");
    let changed = clinic.release(&[]).refused();
    assert!(changed.stderr.contains("have changed since version"), "{changed:?}");
    assert!(!changed.stderr.contains("written to"), "{changed:?}");
    fs::remove_file(clinic.path("visits.csv")).unwrap();
    assert_eq!(clinic.release(&["--query", "visits by sex"]).done().stdout, first.stdout);
    clinic.release(&["--query", "patients"]).refused();
    assert_eq!(clinic.charges(), 1);
}

#[test]
fn a_new_version_is_looked_at_first() {
    let clinic = Place::clinic();
    clinic.release(&["--query", "patients"]).done();
    let longer = format!("{}P-1,30,F,neurology,20,10.00,false\n", clinic.read("visits.csv"));
    clinic.write("visits.csv", longer);
    let checked = clinic.run(&["data", "check", "policy.toml"]).refused();
    assert!(checked.stderr.contains("have changed since version \"2024-06\" was registered"), "{checked:?}");
    clinic.edit("policy.toml", "version = \"2024-06\"", "version = \"2024-07\"");
    let unknown = clinic.run(&["release", "policy.toml", "--query", "patients"]).refused();
    assert!(
        unknown.stderr.contains("registered version \"2024-07\"") && unknown.stderr.contains("--register"),
        "{unknown:?}"
    );
    assert_eq!(clinic.charges(), 1);
    assert_eq!(clinic.run(&["data", "check", "policy.toml"]).done().stdout, "");
    clinic.run(&["release", "policy.toml", "--query", "patients"]).done();
    assert_eq!(clinic.charges(), 2, "the new version is another question");
}

#[test]
fn a_promise_is_changed_on_the_record() {
    let clinic = Place::clinic();
    let change = ["ledger", "change-promise", "policy.toml", "--reason", "the board agreed"];
    clinic.release(&[]).done();
    clinic.run(&change).refused();
    clinic.edit("policy.toml", "posterior_at_most = 0.75", "posterior_at_most = 0.6");
    let below = clinic.run(&change).refused();
    assert!(below.stderr.contains("already spent"), "{below:?}");
    clinic.edit("policy.toml", "posterior_at_most = 0.6", "posterior_at_most = 0.8");
    clinic.release(&[]).refused();
    clinic.run(&["ledger", "change-promise", "policy.toml", "--reason", " "]).refused();
    let changed = clinic.run(&change).done();
    assert!(changed.stdout.is_empty() && changed.stderr.contains("weaker"), "{changed:?}");
    let shown = clinic.run(&["ledger", "show", "policy.toml"]).done().stdout;
    assert!(shown.contains("reason: the board agreed") && shown.contains("an odds ratio of 4"), "{shown}");
    let ledger = clinic.ledger().unwrap();
    assert_eq!(ledger["accounts"][0]["changes"][0]["weaker"], true);
}

/// Charges are odds ratios about a group of the promised size; a larger group may have learned more (F-NIk).
#[test]
fn charged_answers_are_not_promised_about_larger_groups() {
    let clinic = Place::clinic();
    clinic.release(&["--query", "patients"]).done();
    clinic.edit("policy.toml", "preset = \"acquaintance\"", "preset = \"acquaintance\"\nmoves_together = 3");
    let refused = clinic.run(&["ledger", "change-promise", "policy.toml", "--reason", "families"]).refused();
    assert!(refused.stderr.contains("groups of at most 1"), "{refused:?}");
    clinic.release(&[]).refused();
    assert_eq!(clinic.charges(), 1);
}

#[test]
fn kept_head_detects_truncation() {
    let clinic = Place::clinic();
    let verify = |head: &str| clinic.run(&["ledger", "verify", "clinic-patients.ledger", "--head", head]);
    let early = clinic.release(&["--query", "patients"]).done().head();
    fs::copy(clinic.path("clinic-patients.ledger"), clinic.path("backup")).unwrap();
    let late = clinic.release(&[]).done().head();
    verify(&early).done();
    let hash = late.split_once(':').unwrap().1;
    verify(hash).done();
    verify(&late).done();
    verify("14").refused();
    let ledger = rusqlite::Connection::open(clinic.path("clinic-patients.ledger")).unwrap();
    ledger
        .execute_batch(
            "DROP TRIGGER entries_are_not_removed; DELETE FROM entries WHERE seq = (SELECT MAX(seq) FROM entries)",
        )
        .unwrap();
    drop(ledger);
    let cut = verify(&late).refused();
    assert!(cut.says("is older than its head"), "{cut:?}");
    // A copy in another folder has no head beside it.
    fs::copy(clinic.path("clinic-patients.ledger"), clinic.path("copy.ledger")).unwrap();
    let cut = clinic.run(&["ledger", "verify", "copy.ledger", "--head", &late]).refused();
    assert!(cut.says("cut short"), "{cut:?}");
    fs::copy(clinic.path("backup"), clinic.path("clinic-patients.ledger")).unwrap();
    verify(&late).refused();
    verify(&early).refused();
    clinic.run(&["ledger", "verify", "backup", "--head", &early]).done();
}

#[test]
fn an_older_ledger_is_refused_until_it_is_accepted() {
    let clinic = Place::clinic();
    let ledger = clinic.path("clinic-patients.ledger");
    clinic.release(&["--query", "patients"]).done();
    fs::copy(&ledger, clinic.path("older")).unwrap();
    clinic.release(&[]).done();
    fs::copy(&ledger, clinic.path("newest")).unwrap();
    fs::copy(clinic.path("older"), &ledger).unwrap();
    let older = fs::read(&ledger).unwrap();
    let runs = [
        clinic.release(&[]),
        clinic.run(&["ask", "policy.toml", "SELECT COUNT(*) FROM visits", "--spend", "1/100"]),
        clinic.run(&["ledger", "show", "policy.toml"]),
        clinic.run(&["ledger", "verify", "policy.toml"]),
        clinic.run(&["ledger", "change-promise", "policy.toml", "--reason", "why"]),
        clinic.run(&["data", "check", "policy.toml"]),
    ];
    for run in runs {
        let run = run.refused();
        let words = ["clinic-patients.ledger is older than its head", "clinic-patients.ledger.head", "accept-head"];
        assert!(words.iter().all(|words| run.says(words)), "{run:?}");
    }
    assert_eq!(fs::read(&ledger).unwrap(), older, "nothing is written");
    fs::copy(clinic.path("newest"), &ledger).unwrap();
    let accept = |reason: &str| clinic.run(&["ledger", "accept-head", "policy.toml", "--reason", reason]);
    assert!(accept("why").refused().says("there is nothing to accept"));
    clinic.release(&[]).done();

    fs::copy(clinic.path("older"), &ledger).unwrap();
    accept(" ").refused();
    let accepted = accept("the disk died").done();
    assert!(accepted.says("continues from entry"), "{accepted:?}");
    let head = accepted.head();
    let shown = clinic.run(&["ledger", "show", "policy.toml"]).done().stdout;
    assert!(shown.contains("the disk died"), "{shown}");
    assert_eq!(clinic.ledger().unwrap()["accepted"][0]["reason"], "the disk died");
    clinic.release(&[]).done();
    clinic.run(&["ledger", "verify", "policy.toml", "--head", &head]).done();
}

/// Last month's policy with another name for its people would be a second budget for them.
#[test]
fn another_population_over_a_known_policy_is_refused_unless_it_is_stated() {
    let clinic = Place::clinic();
    clinic.release(&[]).done();
    clinic.edit("policy.toml", "population = \"clinic-patients\"", "population = \"clinic-july\"");
    let runs = [
        clinic.release(&[]),
        clinic.run(&["data", "check", "policy.toml"]),
        clinic.run(&["ask", "policy.toml", "SELECT COUNT(*) FROM visits", "--spend", "1/100"]),
    ];
    for run in runs {
        let run = run.refused();
        assert!(
            run.says("clinic-patients.ledger is the ledger of `clinic-patients` with the same")
                && run.says("--other-people"),
            "{run:?}"
        );
    }
    assert!(!clinic.files().iter().any(|file| file.contains("july")), "{:?}", clinic.files());
    clinic.run(&["data", "check", "policy.toml", "--other-people"]).done();
    clinic.release(&[]).done();
    let shown = clinic.run(&["ledger", "show", "policy.toml"]).done().stdout;
    assert!(shown.contains("stated to be other people than \"clinic-patients\""), "{shown}");
    let json = clinic.run(&["ledger", "show", "policy.toml", "--format", "json"]).done().json();
    assert_eq!(json["other_than"][0], "clinic-patients");
}

#[test]
fn resource_limits_are_checked_before_the_charge() {
    let clinic = Place::clinic();
    for wrong in [["--memory", "12"], ["--memory", "4XB"], ["--threads", "0"], ["--spill", "nowhere"]] {
        let run = clinic.release(&wrong).misused();
        assert!(run.stderr.contains(wrong[0]) && !run.stderr.contains("ledger"), "{run:?}");
    }
    let twelve = clinic.release(&["--memory", "12"]).misused();
    assert!(twelve.stderr.contains("at least 1MB is needed") && twelve.stderr.contains("--memory 4GiB"), "{twelve:?}");
    // The memory for totals is computed before anything is charged, and the amount in the message is sufficient.
    let days = "SELECT age, minutes, sex, COUNT(*) FROM visits GROUP BY age, minutes, sex";
    let ask =
        |memory: &str| clinic.run(&["ask", "policy.toml", "--register", days, "--spend", "1/40", "--memory", memory]);
    let little = ask("1MB").misused();
    assert!(clinic.ledger().is_none(), "nothing is begun");
    let (_, least) = little.stderr.split_once("at least --memory ").unwrap_or_else(|| panic!("{little:?}"));
    ask(least.split(',').next().unwrap()).done();
    clinic.release(&["--memory", "1MB", "--threads", "3", "--spill", "."]).done();
}

/// Without a terminal, `--yes` confirms that nothing of the promise is left after a release.
#[test]
fn using_up_the_promise_needs_confirmation() {
    let place = Place::clinic();
    let release = |more: &[&str]| {
        let args = [&["release", "policy.toml", "--register", "--query", "patients"], more].concat();
        Run::of(place.unconfirmed(&args).output().unwrap())
    };
    let kept = release(&[]).done();
    assert!(kept.stderr.contains("of the promise; ") && kept.stderr.contains(" is left after it"), "{kept:?}");
    let place = Place::clinic();
    place.edit("policy.toml", "spend = \"3/4\"", "spend = 1");
    let all = ["release", "policy.toml", "--register"];
    let refused = Run::of(place.unconfirmed(&all).output().unwrap()).refused();
    assert!(refused.stderr.contains("uses up the promise") && refused.stderr.contains("--yes"), "{refused:?}");
    assert_eq!(place.charges(), 0);
    Run::of(place.unconfirmed(&[&all[..], &["--yes"]].concat()).output().unwrap()).done();
    // Stored answers use nothing.
    Run::of(place.unconfirmed(&all).output().unwrap()).done();
}
