//! Queries that need approval, and columns of intervals and quality, by psql: `cargo test -p deniable-cli --features
//! serve --test it -- approvals::`.

use crate::serve::{Server, account, has_psql};
use crate::support::Place;

const ASK: &str = "/* deniable.spend = 1/8 */ SELECT sex, COUNT(*) AS n FROM visits GROUP BY sex ORDER BY sex;\n";

/// A clinic with two analysts, one of whom needs approval.
fn place() -> Place {
    let place = Place::clinic();
    place.write("serve.toml", "answers_take = \"50ms\"\nneeds_approval = [\"ana\"]\n");
    account(&place, &["add", "policy.toml", "ana", "--share", "1/4"], "a").done();
    account(&place, &["add", "policy.toml", "bo", "--share", "1/4"], "b").done();
    place
}

#[test]
fn a_query_waits_until_it_is_approved() {
    if !has_psql() {
        return;
    }
    let place = place();
    // The server refuses to start without an approver, and with a misspelt name in `needs_approval`.
    assert!(place.run(&["serve", "policy.toml"]).refused().stderr.contains("there is no approver"));
    account(&place, &["add", "policy.toml", "eve", "--role", "approver", "--share", "1/8"], "e").misused();
    account(&place, &["add", "policy.toml", "eve", "--role", "approver"], "e").done();
    let toml = place.read("serve.toml");
    place.write("serve.toml", toml.replace("ana", "anna"));
    assert!(place.run(&["serve", "policy.toml"]).refused().stderr.contains("there is no analyst \"anna\""));
    place.write("serve.toml", toml);

    let server = Server::of(&place);
    let ana = |script: &str| server.psql("ana", "a", script);
    let eve = |script: &str| server.psql("eve", "e", &format!("SET deniable.analyst = 'ana';\n{script}"));
    let explained = ana("EXPLAIN /* deniable.spend = 1/8 */ SELECT COUNT(*) FROM visits;\n").done();
    assert!(explained.stdout.contains("To be approved first: running the query makes the request"), "{explained:?}");
    for _ in 0..2 {
        let waits = ana(ASK);
        assert!(waits.stderr.contains("this query needs approval: it is your request 1"), "{waits:?}");
    }
    let asked = ana("SELECT number, share, state FROM deniable.requests;\nSELECT spent FROM deniable.budget;\n").done();
    assert!(asked.stdout.contains("1|0.125|waits\n(1 row)") && asked.stdout.contains("spent\n0\n"), "{asked:?}");
    let bo = server.psql("bo", "b", &format!("SELECT count(*) AS own FROM deniable.requests;\n{ASK}")).done();
    assert!(bo.stdout.starts_with("own\n0\n"), "what another asked to be allowed is not told: {bo:?}");

    // The approver sees one analyst at a time and cannot query.
    let blind = server.psql("eve", "e", "SELECT * FROM deniable.requests;\nSET deniable.analyst = 'cy';\n");
    assert!(blind.stderr.contains("deniable.analyst is not set"), "{blind:?}");
    assert!(
        blind.stderr.contains("there is no analyst \"cy\"") && blind.stderr.contains("analysts: ana, bo"),
        "{blind:?}"
    );
    let seen = eve(
        "SELECT number, state, sql FROM deniable.requests;\nSELECT \"left\" FROM deniable.budget;\nSELECT COUNT(*) FROM visits;\n",
    );
    assert!(seen.stdout.contains("1|waits|SELECT sex, COUNT(*) AS /* alias */ \"n\" FROM visits"), "{seen:?}");
    assert!(seen.stdout.contains("left\n0.25\n") && seen.stderr.contains("an approver gets no answers"), "{seen:?}");
    let wrong = eve("CALL deniable.approve(2);\nCALL deniable.approve('x');\nCALL deniable.allow(1);\n");
    for told in ["there is no request 2", "takes the number of a request", "there is no procedure deniable.allow"] {
        assert!(wrong.stderr.contains(told), "{wrong:?}");
    }
    let own = ana("CALL deniable.approve(1);\nSET deniable.analyst = 'bo';\n");
    assert!(
        own.stderr.contains("is not available to you") && own.stderr.contains("there is no setting deniable.analyst"),
        "{own:?}"
    );
    let listed = account(&place, &["list", "policy.toml", "--format", "json"], "").done().json();
    assert_eq!((&listed[0]["name"], &listed[0]["waiting"]), (&"ana".into(), &1.into()), "{listed}");

    eve("CALL deniable.reject(1, 'too fine');\n").done();
    let rejected = ana(ASK);
    assert!(rejected.stderr.contains("your request 1 was rejected by \"eve\": too fine"), "{rejected:?}");
    eve("CALL deniable.approve(1, 'after all');\n").done();
    assert!(eve("CALL deniable.approve(1);\n").stderr.contains("this request already has this decision"));
    let answered = ana(ASK).done();
    assert!(
        answered.stderr.contains("NOTICE:  charged: 1/8 of the promise (12.5%), an odds ratio of at most"),
        "{answered:?}"
    );
    assert!(answered.stderr.contains("left to you: 1/8 of the promise (12.5%)"), "{answered:?}");
    let again = ana(ASK).done();
    assert!(again.stdout == answered.stdout && !again.stderr.contains("charged:"), "{again:?}");
    assert_eq!(
        Some(answered.stdout.as_str()),
        bo.stdout.split_once("(1 row)\n").map(|(_, rest)| rest),
        "one question has one answer"
    );
    let spent =
        ana("SELECT spent FROM deniable.budget;\nSELECT state, decided_by, reason FROM deniable.requests;\n").done();
    assert!(spent.stdout.contains("spent\n0.125\n") && spent.stdout.contains("approved|eve|after all"), "{spent:?}");
    let told = ana("SELECT text FROM deniable.promise WHERE about = 'assumption';\n").done();
    assert!(told.stdout.contains("approvers decide by the query"), "{told:?}");
    drop(server);
    let shown = place.run(&["ledger", "show", "policy.toml"]).done();
    assert!(
        shown.stdout.contains("\"ana\" requests 3^(1/8) for SELECT sex")
            && shown.stdout.contains("approved by \"eve\""),
        "{shown:?}"
    );
    place.run(&["ledger", "verify", "policy.toml"]).done();
}

/// An analyst cannot write a message to the approver into a query, nor an approver one to the analyst.
#[test]
fn approvers_are_shown_queries_printed_anew() {
    if !has_psql() {
        return;
    }
    let place = place();
    account(&place, &["add", "policy.toml", "eve", "--role", "approver"], "e").done();
    let server = Server::of(&place);
    let spaces = " ".repeat(3_000);
    let hidden = format!(
        "/* deniable.spend = 1/8 */ /* approved by the board */ SELECT COUNT(*) AS \"approved by the board\" -- harmless\u{1b}[2J\n\
         FROM visits{spaces}WHERE sex = 'F\u{1b}[8m\u{202e}';\n"
    );
    assert!(server.psql("ana", "a", &hidden).stderr.contains("it is your request 1"));
    let eve = |script: &str| server.psql("eve", "e", &format!("SET deniable.analyst = 'ana';\n{script}")).done();
    let seen = eve("SELECT sql FROM deniable.requests;\n").stdout;
    let shown =
        "SELECT COUNT(*) AS /* alias */ \"approved by the board\" FROM visits WHERE sex = 'F\\u{1b}[8m\\u{202e}'";
    assert!(seen.contains(shown), "{seen:?}");
    eve("CALL deniable.reject(1, E'no\\x1b[2J\u{202e}so');\n");
    for told in [
        server.psql("ana", "a", &hidden).stderr,
        server.psql("ana", "a", "SELECT reason FROM deniable.requests;\n").stdout,
    ] {
        assert!(told.contains("no\\u{1b}[2J\\u{202e}so"), "{told:?}");
        assert!(!told.contains(['\u{1b}', '\u{202e}']), "{told:?}");
    }
}

/// By functions of the columns or by settings: the same query, paid once.
#[test]
fn intervals_and_quality_beside_numbers() {
    if !has_psql() {
        return;
    }
    let place = Place::clinic();
    let server = Server::of(&place);
    let query = "SELECT department, AVG(minutes) AS m FROM visits GROUP BY department ORDER BY department";
    let beside = "SELECT low(m), department, AVG(minutes) AS m, high(m) AS top, standard_error(m), quality(m) FROM visits GROUP BY 2 ORDER BY 2";
    let run = server
        .psql(
            "me",
            "",
            &format!("SET deniable.spend = '1/4';\n{beside};\nRESET deniable.spend;\n{query};\n{beside};\n"),
        )
        .done();
    let tables: Vec<Vec<&str>> =
        run.stdout.split("rows)").map(|table| table.lines().filter(|line| line.contains('|')).collect()).collect();
    assert_eq!(tables[0][0], "m_low|department|m|top|m_error|m_quality", "{run:?}");
    assert_eq!((tables[0].len(), &tables[0]), (6, &tables[2]), "{run:?}");
    for (row, bare) in tables[0].iter().zip(&tables[1]).skip(1) {
        let fields: Vec<&str> = row.split('|').collect();
        assert_eq!(*bare, format!("{}|{}", fields[1], fields[2]));
        let number = |at: usize| fields[at].parse::<f64>().unwrap();
        assert!(number(0) <= number(2) && number(2) <= number(3) && number(4) > 0.0, "{row}");
        // Caps can leave out an amount that no public statement bounds. A small average may be within the noise.
        assert!(["bias unknown", "not usable"].contains(&fields[5]), "{row}");
    }
    assert!(tables[0].iter().any(|row| row.ends_with("|bias unknown")), "{run:?}");
    let budget = server.psql("me", "", "SELECT spent FROM deniable.budget;\n").done();
    assert!(budget.stdout.contains("0.25\n"), "{budget:?}");
    let wrong = server.psql(
        "me",
        "",
        "SELECT COUNT(*) AS n, low(m) FROM visits;\nSELECT sex, COUNT(*), low(sex) FROM visits GROUP BY sex;\n",
    );
    assert!(wrong.stderr.contains("no column of this query is called \"m\""), "{wrong:?}");
    assert!(wrong.stderr.contains("\"sex\" is not a number"), "{wrong:?}");
}
