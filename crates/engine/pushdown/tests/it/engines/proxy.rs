//! A proxy between an engine's client and this program cannot forge answers.

use super::equal::{python, try_out};
use super::hostile::table;
use deniable_core::schema::EngineKind;
use deniable_engines::Engine;
use deniable_pushdown::{Dialect, Trial};
use deniable_testing::lying_python;
use rand_chacha::ChaCha8Rng;
use rand_core::SeedableRng;

/// The error for an engine with this change, on connecting or during the trial.
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
fn changes_between_the_engine_and_this_program_are_detected() {
    for (lie, expected) in [
        ("pass", "nothing"),
        // One total is larger; has a decimal point; is NULL; is a text; a row is missing; a column is added.
        ("if totals: totals[0][1] = str(int(totals[0][1]) + 1)", "differs from this program's"),
        ("if totals: totals[0][1] += '.0'", "returned an invalid reply"),
        ("if totals: totals[0][1] = None", "returned an invalid reply"),
        ("if totals: totals[0][1] = 'secret'", "returned an invalid reply"),
        ("if totals: answer.remove(totals[0])", "lacks cells"),
        ("if totals: totals[0].append('1')", "has the wrong shape"),
        ("if totals: answer = {}", "returned an invalid reply"),
        // The contents of the rows are missing, or duplicated.
        ("if totals: answer = totals", "has the wrong shape"),
        ("if totals: answer += [row for row in answer if row[0] == '-1']", "has the wrong shape"),
        // Another time zone, a setting of other versions, and a client that exits.
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
