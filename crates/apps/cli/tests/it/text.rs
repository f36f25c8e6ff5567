//! Text from untrusted sources reaches a terminal, a page or a spreadsheet as inert text.

use crate::support::Place;

/// Clears the screen, reverses the direction of writing, and contains invisible characters.
const BAD: &str = "\u{1b}[2J\u{202e}\u{9b}\u{7f}\u{2028}\u{200b}";
const SEEN: &str = "\\u{1b}[2J\\u{202e}\\u{9b}\\u{7f}\\u{2028}\\u{200b}";

fn policy(sql: &str) -> String {
    let key = "\\u001b[2J\\u202e\\u009b\\u007f\\u2028\\u200b";
    format!(
        "name = \"n\"\npopulation = \"p\"\ndata = {{ table = \"t\", path = \"data.csv\", version = \"1\" }}\n\
         adversary = {{ preset = \"acquaintance\" }}\npromise = {{ posterior_at_most = 0.75 }}\n\
         columns.k = {{ type = \"text\", keys = [\"{key}\", \"=1+1\", \"@a\", \"-2\", \"plain\"] }}\n\
         [[query]]\nname = \"a\"\nsql = '''{sql}'''\n"
    )
}

#[track_caller]
fn is_plain(text: &str) {
    assert!(!text.contains(|c: char| deniable_core::text::is_hidden(c) && c != '\n' && c != '\t'), "{text:?}");
}

/// An alias, a key and a text of the query, in every output format.
#[test]
fn answers_escape_invisible_characters() {
    let sql = format!("SELECT k AS \"=cmd{BAD}\", COUNT(*) AS \"+n{BAD}\" FROM t GROUP BY k");
    let place = Place::new(&policy("SELECT COUNT(*) AS n FROM t"), "k\nplain\n=1+1\n");
    let ask = |format: &str| {
        place.run(&["ask", "policy.toml", &sql, "--spend", "1/4", "--register", "--format", format]).done()
    };
    let table = ask("table");
    is_plain(&table.stdout);
    is_plain(&table.stderr);
    assert!(
        table.stdout.contains(&format!("=cmd{SEEN}")) && table.stdout.contains(&format!("┆ {SEEN}"))
            || table.stdout.contains(&format!("│ {SEEN}")),
        "{table:?}"
    );
    let json = ask("json");
    is_plain(&json.stdout);
    assert_eq!(json.json()["answers"][0]["columns"][0], format!("=cmd{BAD}"));
    assert_eq!(json.json()["answers"][0]["rows"][0][0], BAD);
    let csv = ask("csv");
    is_plain(&csv.stdout);
    let mut lines = csv.stdout.lines();
    assert_eq!(
        lines.next(),
        Some(&*format!("'=cmd{SEEN},'+n{SEEN},'+n{SEEN}_low,'+n{SEEN}_high,'+n{SEEN}_quality,notes"))
    );
    let keys: Vec<&str> = lines.map(|line| line.split(',').next().unwrap()).collect();
    assert_eq!(keys, [SEEN, "'=1+1", "'@a", "'-2", "plain"]);
    let ledger = place.run(&["ledger", "show", "policy.toml"]).done();
    is_plain(&ledger.stdout);
    place.run(&["report", "policy.toml", "--out", "page.html"]).done();
    is_plain(&place.read("page.html"));
}

/// The marked location stays the same.
#[test]
fn refused_queries_escape_invisible_characters() {
    let place = Place::new(&policy("SELECT COUNT(*) AS n FROM t"), "k\nplain\n");
    for sql in [
        format!("SELECT '{BAD}', wrong{BAD} FROM t"),
        format!("SELECT COUNT(*) AS \"{BAD}\" FROM t WHERE wrong = '{BAD}'"),
        format!("SELECT\r\n COUNT(*) FROM \"{BAD}\""),
        format!("SELECT COUNT(*) FROM t WHERE k = '{BAD}x'"),
    ] {
        let run = place.run(&["ask", "policy.toml", &sql, "--spend", "1/40", "--dry-run"]);
        is_plain(&run.stderr);
        is_plain(&run.stdout);
    }
    let sql = format!("SELECT COUNT(*) AS \"{BAD}\" FROM t WHERE wrong = 'x'");
    let run = place.run(&["ask", "policy.toml", &sql, "--spend", "1/40", "--dry-run"]).refused();
    let lines: Vec<&str> = run.stderr.lines().collect();
    let at = lines.iter().position(|line| line.contains("WHERE wrong")).unwrap();
    let place_of = |line: &str, what: &str| line.split(what).next().unwrap().chars().count();
    assert_eq!(place_of(lines[at], "wrong"), place_of(lines[at + 1], "─"), "{}", run.stderr);
    // A policy and the name of its file.
    place.edit("policy.toml", "name = \"n\"", &format!("name = \"n\" # {}\nwrong = 1", "\u{202e}\u{200b}"));
    std::fs::rename(place.path("policy.toml"), place.path("p\u{202e}.toml")).unwrap();
    is_plain(&place.run(&["plan", "p\u{202e}.toml"]).refused().stderr);
}
