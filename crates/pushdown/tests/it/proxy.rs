//! What stands between an engine's client and this program cannot say what it likes: a proxy that changes what is told.

use super::equal::python;
use super::hostile::table;
use crate::Engine;
use deniable_sql::Query;
use deniable_sql::pushdown::{Dialect, Trial};
use rand_chacha::ChaCha8Rng;
use rand_core::SeedableRng;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// Runs the client as it is asked to, and changes each answer by `lie`, a statement of Python about `answer`.
fn proxy(folder: &Path, python: &str, lie: &str) -> String {
    let program = format!(
        r#"#!{python}
import json, subprocess, sys
client = subprocess.Popen([{python:?}, *sys.argv[1:]], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
for question in sys.stdin:
    client.stdin.write(question)
    client.stdin.flush()
    line = client.stdout.readline()
    answer = json.loads(line).get("answer")
    if answer is not None:
        totals = [row for row in answer if row[0] != "-1"] if isinstance(answer, list) else []
        {lie}
        line = json.dumps({{"answer": answer}})
    print(line.strip(), flush=True)
client.kill()
"#
    );
    let path = folder.join("proxy");
    fs::write(&path, program).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o700)).unwrap();
    path.display().to_string()
}

/// What is said of an engine that lies so: when it is reached, or when it is tried out.
fn said(lie: &str) -> Option<String> {
    let python = python(Dialect::DuckDb)?;
    let folder = tempfile::tempdir().unwrap();
    let proxy = proxy(folder.path(), &python, lie);
    let mut engine = match Engine::start(Dialect::DuckDb, ":memory:", &proxy) {
        Ok(engine) => engine,
        Err(error) => return Some(error.to_string()),
    };
    let tables = (0..).map(|seed| table(&mut ChaCha8Rng::seed_from_u64(seed)));
    let table = tables.into_iter().find(|table| table.entity.is_some()).unwrap();
    let query = Query::new("SELECT ward, SUM(n) AS s FROM t GROUP BY ward", &[table]).unwrap().portable();
    let tried = engine.try_out(&Trial::new(&query, Dialect::DuckDb).unwrap());
    Some(tried.err().map_or_else(|| "nothing".to_owned(), |error| error.to_string()))
}

#[test]
fn lies_between_the_engine_and_this_program_are_found_out() {
    for (lie, expected) in [
        ("pass", "nothing"),
        // One total more; as a number with a point; none; a text; a row less; a column more.
        ("if totals: totals[0][1] = str(int(totals[0][1]) + 1)", "differs from this program's"),
        ("if totals: totals[0][1] += '.0'", "something else than it was asked"),
        ("if totals: totals[0][1] = None", "something else than it was asked"),
        ("if totals: totals[0][1] = 'secret'", "something else than it was asked"),
        ("if totals: answer.remove(totals[0])", "lacks cells"),
        ("if totals: totals[0].append('1')", "something else than it was asked"),
        ("if totals: answer = {}", "something else than it was asked"),
        // What the rows are: not there, or twice.
        ("if totals: answer = totals", "something else than it was asked"),
        ("if totals: answer += [row for row in answer if row[0] == '-1']", "something else than it was asked"),
        // Another zone, a setting of other versions, and a client that ends.
        (
            "if isinstance(answer, dict) and 'pinned' in answer: answer['pinned']['TimeZone'] = 'Asia/Kolkata'",
            "cannot be set to TimeZone",
        ),
        (
            "if isinstance(answer, dict) and 'pinned' in answer: answer['others'] = ['spark.sql.legacy.x']",
            "is set to spark.sql.legacy.x",
        ),
        ("sys.exit(1)", "has ended"),
    ] {
        let Some(found) = said(lie) else { return };
        assert!(found.contains(expected), "{lie}: {found}");
        assert!(!found.contains("secret"), "{found}");
    }
}
