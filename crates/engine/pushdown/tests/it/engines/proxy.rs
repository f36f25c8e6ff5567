//! What stands between an engine's client and this program cannot say what it likes: a proxy that changes what is told.

use super::equal::{python, try_out};
use super::hostile::table;
use deniable_core::schema::EngineKind;
use deniable_engines::Engine;
use deniable_pushdown::{Dialect, Trial};
use deniable_testing::lying_python;
use rand_chacha::ChaCha8Rng;
use rand_core::SeedableRng;

/// What is said of an engine that lies so: when it is reached, or when it is tried out.
fn said(lie: &str) -> Option<String> {
    let python = python(EngineKind::DuckDb)?;
    let folder = tempfile::tempdir().unwrap();
    let proxy = lying_python(folder.path(), &python, lie);
    let mut engine = match Engine::start(EngineKind::DuckDb, ":memory:", &proxy) {
        Ok(engine) => engine,
        Err(error) => return Some(error.to_string()),
    };
    let tables = (0..).map(|seed| table(&mut ChaCha8Rng::seed_from_u64(seed)));
    let table = tables.into_iter().find(|table| table.entity.is_some()).unwrap();
    let query = deniable_sql::plan("SELECT ward, SUM(n) AS s FROM t GROUP BY ward", &[table]).unwrap().portable();
    let tried = try_out(&mut engine, &Trial::new(&query, Dialect::DuckDb).unwrap());
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
        ("if totals: totals[0].append('1')", "is of another shape"),
        ("if totals: answer = {}", "something else than it was asked"),
        // What the rows are: not there, or twice.
        ("if totals: answer = totals", "is of another shape"),
        ("if totals: answer += [row for row in answer if row[0] == '-1']", "is of another shape"),
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
