//! `deniable ask`: single queries, and the prompt, driven through pipes.

use crate::support::{Place, Run};
use deniable::exact::ratio;
use deniable::{Policy, Query, Session};
use deniable_ledger::{AccountId, Ledger, Part, Sharing};
use std::fmt::Write as _;
use std::io::Write as _;
use std::process::Stdio;

const COUNT: &str = "SELECT COUNT(*) AS n FROM visits";

/// Runs the prompt with these lines as input.
fn prompt(place: &Place, more: &[&str], lines: &str) -> Run {
    let mut command = place.command(&[&["ask", "policy.toml", "--register"], more].concat());
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // A prompt that has ended no longer reads.
    let _ = child.stdin.take().unwrap().write_all(lines.as_bytes());
    Run::of(child.wait_with_output().unwrap())
}

/// Parts of the budget are set aside for analysts: the ledger shows the analyst of each release and the beliefs that
/// each part allows.
#[test]
fn ledger_shows_analysts_and_their_beliefs() {
    let clinic = Place::clinic();
    clinic.run(&["ask", "policy.toml", "--register", COUNT, "--spend", "1/4", "--name", "all visits"]).done();
    let policy = Policy::load(&clinic.path("policy.toml")).unwrap();
    let mut ledger = Ledger::open_or_create(policy.ledger(), policy.population()).unwrap();
    let id = AccountId::of(policy.guarantee());
    for (name, share, sharing) in [("ana", ratio(1, 4), Sharing::Reserved), ("bo", ratio(1, 2), Sharing::Overlapping)] {
        ledger.set_aside(&id, name, &share, sharing, None).unwrap();
    }
    let sql = "SELECT COUNT(*) AS adults FROM visits WHERE age > 17";
    let query = Query::new("adults", sql, ratio(1, 8));
    let ana = Session::new(policy).unwrap().paid_by(Part::Named("ana".to_owned()));
    ana.ask(&query).unwrap().wait().unwrap();
    let text = clinic.run(&["ledger", "show", "policy.toml"]).done().stdout;
    insta::assert_snapshot!(clinic.plain(&text));
    let all = clinic.run(&["ledger", "show", "policy.toml", "--format", "json"]).done().json();
    assert_eq!(all["accounts"][0]["releases"][1]["part"], "ana");
    assert_eq!(all["accounts"][0]["parts"][1]["sharing"], "overlapping");
    // The page omits answers of single analysts, and queries for everyone cannot spend reserved parts.
    clinic.run(&["report", "policy.toml", "--out", "page.html"]).done();
    let page = std::fs::read_to_string(clinic.path("page.html")).unwrap();
    assert!(page.contains("all visits") && !page.contains("adults"));
    let refused =
        clinic.run(&["ask", "policy.toml", "SELECT COUNT(*) FROM visits WHERE smoker", "--spend", "2/3"]).refused();
    assert!(refused.stderr.contains("reserved"), "{refused:?}");
    assert_eq!(clinic.releases().len(), 2);
}

#[test]
fn one_question_is_charged_and_answered_once() {
    let clinic = Place::clinic();
    let first =
        clinic.run(&["ask", "policy.toml", "--register", COUNT, "--spend", "1/40", "--name", "all visits"]).done();
    assert!(first.stdout.contains("all visits (share 1/40)") && first.stdout.contains("What is promised"), "{first:?}");
    assert!(first.stderr.contains("all visits: charged and answered"), "{first:?}");
    let again = clinic
        .run(&["ask", "policy.toml", "--register", "SELECT COUNT(*) AS n FROM visits ORDER BY n", "--spend", "2.5%"])
        .done();
    assert!(again.stderr.contains("stored answer, free"), "{again:?}");
    let releases = clinic.releases();
    assert_eq!(releases.len(), 1);
    assert_eq!((&releases[0]["policy"], &releases[0]["cost"]), (&"clinic/ask".into(), &"3^(1/40)".into()));
    let json =
        clinic.run(&["ask", "policy.toml", "--register", COUNT, "--spend", "1/40", "--format", "json"]).done().json();
    assert_eq!(json["answers"][0]["share"], "1/40");
    // The share is part of the query: without --spend, the message names the share that is free.
    let ask = |more: &[&str]| clinic.run(&[&["ask", "policy.toml", "--register", COUNT], more].concat());
    let forgotten = ask(&[]).misused();
    assert!(forgotten.stderr.contains("answered before at --spend 1/40"), "{forgotten:?}");
    let other = ask(&["--spend", "1/20", "--dry-run"]).done();
    assert!(other.stderr.contains("answered before at --spend 1/40"), "{other:?}");
    assert!(!ask(&["--spend", "1/40"]).done().stderr.contains("before at"));
    // Queries of one name are shown with their SQL.
    clinic.run(&["ask", "policy.toml", "--register", "SELECT COUNT(age) FROM visits", "--spend", "1/40"]).done();
    clinic.run(&["ask", "policy.toml", "--register", COUNT, "--spend", "1/40", "--name", "question"]).done();
    clinic.run(&["ask", "policy.toml", "--register", "SELECT COUNT(sex) FROM visits", "--spend", "1/40"]).done();
    let ledger = clinic.run(&["ledger", "show", "policy.toml"]).done().stdout;
    assert!(ledger.contains("question: SELECT") && ledger.contains("COUNT(sex)"), "{ledger}");
}

#[test]
fn a_dry_run_charges_nothing() {
    let clinic = Place::clinic();
    let run = clinic.run(&["ask", "policy.toml", "--register", COUNT, "--spend", "1/40", "--dry-run"]).done();
    assert!(run.stdout.contains("1/40") && run.stderr.is_empty(), "{run:?}");
    prompt(&clinic, &["--spend", "1/40", "--dry-run"], &format!("{COUNT};\n")).done();
    assert_eq!(clinic.files(), ["policy.toml", "visits.csv"]);
}

/// The policy's own spend limits its own queries; the promise limits all queries.
#[test]
fn the_promise_limits_questions_and_the_spend_does_not() {
    let clinic = Place::clinic();
    clinic.release(&[]).done();
    let ask = |sql: &str, spend: &str| clinic.run(&["ask", "policy.toml", "--register", sql, "--spend", spend]);
    ask(COUNT, "1/8").done();
    let over = ask("SELECT COUNT(age) FROM visits", "1/7").refused();
    assert!(over.stderr.contains("only 3^(1/8)"), "{over:?}");
    // The share that the message suggests is accepted below.
    assert!(over.says("`--spend 1/8` of `deniable ask`, or share = \"1/8\""), "{over:?}");
    assert_eq!(clinic.charges(), 6);
    ask("SELECT COUNT(age) FROM visits", "1/8").done();
    assert_eq!(clinic.spent(), "3", "used up exactly");
    let nothing = ask("SELECT COUNT(cost) FROM visits", "1/1000000").refused();
    assert!(nothing.stderr.contains("no share fits any more"), "{nothing:?}");
    // Queries of `ask` do not change the shares or the prices of the policy's own queries.
    clinic.release(&[]).done();
    assert_eq!((clinic.charges(), clinic.spent().as_str()), (7, "3"));
}

/// A query may cost more than the policy's own spend.
#[test]
fn a_question_may_cost_more_than_the_spend() {
    let clinic = Place::clinic();
    clinic.run(&["ask", "policy.toml", "--register", COUNT, "--spend", "1"]).done();
    assert_eq!(clinic.spent(), "3");
    clinic.release(&["--query", "patients"]).refused();
}

#[test]
fn queries_of_ask_reduce_the_promise_of_the_policy() {
    let clinic = Place::clinic();
    clinic.run(&["ask", "policy.toml", "--register", COUNT, "--spend", "1/3"]).done();
    clinic.release(&[]).refused();
    clinic.release(&["--query", "patients"]).done();
    assert_eq!(clinic.charges(), 2);
}

#[test]
fn invalid_queries_are_not_charged() {
    let clinic = Place::clinic();
    let mut told = String::new();
    let mut tell = |what: &str, run: Run| writeln!(told, "# {what}\n{}", clinic.plain(&run.stderr)).unwrap();
    let ask = |sql: &str, more: &[&str]| clinic.run(&[&["ask", "policy.toml", sql], more].concat());
    tell("no spend", ask(COUNT, &[]).misused());
    tell("another program's flag", ask(COUNT, &["--json"]).misused());
    // No suggestion if the command does not have the flag, or not the value.
    for (command, flag) in [("report", "--json"), ("plan", "--csv")] {
        let run = clinic.run(&[command, "policy.toml", flag]).misused();
        assert!(!run.stderr.contains("--format"), "{run:?}");
    }
    tell("its own share", ask(COUNT, &["--share", "1/40"]).misused());
    tell("the other way round", clinic.run(&["ask", COUNT, "policy.toml", "--spend", "1/40"]).misused());
    for spend in ["0", "-1", "3/2", "some", "1/0"] {
        tell(spend, ask(COUNT, &[&format!("--spend={spend}")]).misused());
    }
    tell("blank", ask(" ", &["--spend", "1/40"]).misused());
    tell("a name of two lines", ask(COUNT, &["--spend", "1/40", "--name", "a\nb"]).misused());
    tell("refused SQL", ask("SELECT COUNT(*),\n  SUM(sex) FROM visits", &["--spend", "1/40"]).refused());
    tell("a rest of SQL", ask("SELECT 1; SELECT 2", &["--spend", "1/40"]).refused());
    clinic.run(&["ask", "nowhere.toml", COUNT, "--spend", "1/40"]).refused();
    insta::assert_snapshot!(told);
    assert_eq!(clinic.files(), ["policy.toml", "visits.csv"]);
}

#[test]
fn a_prompt_through_pipes() {
    let clinic = Place::clinic();
    let lines = format!(
        "\\help\n\\left\n\\describe\n\\describe visits\n\n\\spend 1/40\n\\plan {COUNT}\n{COUNT};\nSELECT sex,\n  COUNT(*)\nFROM visits \
         GROUP BY sex;\n\\left\n{COUNT};\n\\quit\nnever read;\n"
    );
    let run = prompt(&clinic, &["--yes"], &lines).done();
    assert_eq!(run.stdout.matches("question (share 1/40)").count(), 3, "{run:?}");
    assert!(!run.stdout.contains("plan of") && !run.stdout.contains("What is promised"), "{run:?}");
    assert_eq!(clinic.charges(), 2);
    let talk: Vec<&str> = run.stderr.lines().filter(|line| !line.contains("of 2000 entities")).collect();
    insta::assert_snapshot!("prompt", clinic.plain(&talk.join("\n")));
}

/// Several queries may share a line, and a semicolon in a text or comment does not end a query.
#[test]
fn questions_share_a_line() {
    let clinic = Place::clinic();
    let lines = format!(
        "{COUNT}; SELECT COUNT(age) FROM visits -- of all; really\n; \\left\nSELECT COUNT(*) FROM visits WHERE department = 'a;b'; -- done\n"
    );
    let run = prompt(&clinic, &["--yes", "--spend", "1/40"], &lines).done();
    assert_eq!(run.stdout.matches("question (share 1/40)").count(), 3, "{run:?}");
    assert!(run.stderr.contains("19/20 (95%) of ln 3 is left"), "{run:?}");
    assert_eq!(clinic.charges(), 3);
    // Queries after a failure are not run.
    let run =
        prompt(&clinic, &["--yes", "--spend", "1/40"], "SELECT nix FROM visits; SELECT COUNT(cost) FROM visits;\n");
    run.refused();
    assert_eq!(clinic.charges(), 3);
}

/// `\plan` alone plans the last query, whether it failed or not.
#[test]
fn a_plan_of_the_last_question() {
    let clinic = Place::clinic();
    let run = prompt(&clinic, &["--spend", "1/40"], "\\plan\n").refused();
    assert!(run.stderr.contains("write \\plan SELECT"), "{run:?}");
    let run = prompt(&clinic, &["--spend", "1/40"], &format!("\\plan {COUNT};\n\\spend 1/20\n\\plan\n")).done();
    assert_eq!(run.stderr.matches("COUNT(*)").count() + run.stderr.matches("│ question").count(), 2, "{run:?}");
    assert!(run.stderr.contains("1/40 ┆") && run.stderr.contains("1/20 ┆"), "{run:?}");
    let run = prompt(&clinic, &["--yes", "--spend", "1/40"], &format!("{COUNT};\n\\plan\n")).done();
    assert!(run.stderr.contains("1/40 (paid)"), "{run:?}");
}

/// Without confirmation nothing is charged, and no ledger is created.
#[test]
fn without_yes_a_pipe_charges_nothing() {
    let clinic = Place::clinic();
    let run = prompt(&clinic, &["--spend", "1/40"], &format!("{COUNT};\ny\n")).refused();
    assert!(run.stderr.contains("--yes") && run.stderr.contains("error at 95%"), "{run:?}");
    assert_eq!(clinic.files(), ["policy.toml", "visits.csv"]);
    // An answer that is already paid needs no confirmation.
    clinic.run(&["ask", "policy.toml", "--register", COUNT, "--spend", "1/40"]).done();
    prompt(&clinic, &["--spend", "1/40"], &format!("{COUNT};\n")).done();
    assert_eq!(clinic.charges(), 1);
}

#[test]
fn a_pipe_ends_at_the_first_failure() {
    let clinic = Place::clinic();
    let mut told = String::new();
    for lines in [
        &format!("{COUNT};\n"),
        "\\spend 0\n",
        "\\nix\n",
        "\\describe people\n",
        "\\spend 1/40\nSELECT nix FROM visits;\nSELECT COUNT(*) FROM visits;\n",
        "\\spend 1/40\nSELECT COUNT(*) FROM visits",
        "\\spend 1/40\n\\plan SELECT nix FROM visits\n",
    ] {
        let run = prompt(&clinic, &["--yes"], lines).refused();
        writeln!(told, "# {}\n{}", lines.trim(), clinic.plain(&run.stderr)).unwrap();
    }
    insta::assert_snapshot!("prompt_failures", told);
    assert_eq!(clinic.files(), ["policy.toml", "visits.csv"]);
}

/// The noise of selections by rank, and of quantiles from counts, is reported in rows and not in the value's units.
#[test]
fn noise_of_ranks_is_reported_in_rows() {
    let clinic = Place::clinic();
    let sql = "SELECT SUM(cost), MEDIAN(cost), PERCENTILE_CONT(minutes, 0.25), MEDIAN(minutes), \
               PERCENTILE_CONT(minutes, 0.75), PERCENTILE_CONT(minutes, 0.9), MIN(age) FROM visits";
    let json =
        clinic.run(&["ask", "policy.toml", "--register", sql, "--spend", "1/2", "--format", "json"]).done().json();
    let noise = json["answers"][0]["noise"].as_array().unwrap();
    let by_kind = |kind: &str| noise.iter().filter(|noise| noise["kind"] == kind).collect::<Vec<_>>();
    assert_eq!(
        (by_kind("geometric").len(), by_kind("permute-and-flip").len(), by_kind("tree").len()),
        (1, 2, 1),
        "{noise:?}"
    );
    assert_eq!(by_kind("geometric")[0]["sensitivity"], "1600", "four visits of 400");
    assert!(by_kind("permute-and-flip").iter().all(|noise| noise.get("scale").is_none()), "{noise:?}");
    for noise in by_kind("permute-and-flip").into_iter().chain(by_kind("tree")) {
        // Margins in rows are whole numbers, whatever the step of the values.
        assert!(noise["margin"].as_str().unwrap().parse::<u64>().is_ok(), "{noise:?}");
    }
    let rows = &json["answers"][0]["rows"][0][1]["rows"];
    let median = by_kind("permute-and-flip").into_iter().find(|noise| noise["measure"] == "MEDIAN(cost)").unwrap();
    assert_eq!(median["margin"].as_str().unwrap(), rows.to_string());
    // A median's distances move by at most half a row for each row of a person, up or down.
    assert_eq!(median["sensitivity"], "2");
    let table = clinic.run(&["ask", "policy.toml", "--register", sql, "--spend", "1/2"]).done().stdout;
    let noise: Vec<&str> =
        table.lines().skip_while(|line| !line.contains("noise:")).take_while(|line| !line.contains("note:")).collect();
    insta::assert_snapshot!("noise", noise.join("\n"));
}

#[test]
fn the_ledger_counts_in_questions() {
    let clinic = Place::clinic();
    clinic.release(&["--query", "visits by sex", "--query", "minutes by department"]).done();
    let shown = clinic.run(&["ledger", "show", "policy.toml"]).done().stdout;
    // 17/32 are left: five times 3/32 but not six times, and once 3/8 but not twice.
    assert!(shown.contains("5 more queries like \"visits by sex\""), "{shown}");
    assert!(shown.contains("1 more query like \"minutes by department\""), "{shown}");
    let more = clinic.ledger().unwrap()["accounts"][0]["more"].clone();
    assert_eq!(more[1]["questions"], 5, "{more}");
    for (number, sql) in ["age", "cost", "minutes", "sex", "smoker"].iter().enumerate() {
        let sql = format!("SELECT COUNT({sql}) FROM visits");
        clinic
            .run(&["ask", "policy.toml", "--register", &sql, "--spend", "3/32", "--name", &format!("number {number}")])
            .done();
    }
    clinic.run(&["ask", "policy.toml", "--register", COUNT, "--spend", "3/32"]).refused();
    let shown = clinic.run(&["ledger", "show", "policy.toml"]).done().stdout;
    assert!(shown.contains("no more query like \"number 4\""), "{shown}");
}

/// A query with a probable typo is charged only with --yes.
#[test]
fn a_probable_typo_is_not_charged() {
    let place = Place::clinic();
    let sql = "SELECT COUNT(*) FROM visits WHERE department = 'cardiolgy'";
    let ask =
        |more: &[&str]| place.run(&[&["ask", "policy.toml", sql, "--spend", "1/40", "--register"], more].concat());
    let refused = ask(&[]).refused();
    assert!(refused.says("did you mean `cardiology`?") && refused.says("nothing was charged"), "{}", refused.stderr);
    assert_eq!(place.charges(), 0);
    ask(&["--yes"]).done();
    ask(&[]).done();
    assert_eq!(place.charges(), 1);
}
