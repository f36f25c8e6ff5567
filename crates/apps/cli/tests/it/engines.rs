//! Data in an external engine: `scripts/engines cargo test -p deniable-cli --test it -- engines`.

use crate::support::{Place, Run, workspace};
use deniable_testing::{engine_python, lying_python, run_python};
use std::path::Path;
use std::process::Command;

const ROWS: usize = 20_000;
/// A secret that no error may contain.
const SECRET: &str = "sec-ret";

/// An engine, by its Python client.
struct Engine {
    name: &'static str,
    python: String,
    address: String,
    relation: String,
}

/// Writes the rows with DuckDB to a file that any engine reads; `change` is the SQL of each row's note.
fn write(python: &str, place: &Place, note: &str) {
    let path = place.path("visits.parquet");
    let _ = run_python(
        python,
        &format!(
            "import duckdb\nduckdb.sql(\"COPY (SELECT 'p' || i % 5000 AS patient, CAST((i % 100) AS DOUBLE) / 2 AS cost, \
             CASE WHEN i % 3 = 0 THEN 'F' ELSE 'M' END AS sex, {note} AS note, i AS id FROM range({ROWS}) t(i)) TO '{}' (FORMAT parquet)\")\n",
            path.display()
        ),
    );
}

/// DuckDB, with the rows in a place.
fn duckdb(place: &Place) -> Option<Engine> {
    let python = engine_python("DENIABLE_DUCKDB_PYTHON")?;
    write(&python, place, &format!("'{SECRET}'"));
    let relation = format!("\"{}\"", place.path("visits.parquet").display());
    Some(Engine { name: "duckdb", python, address: ":memory:".to_owned(), relation })
}

fn policy(engine: &Engine, queries: &str) -> String {
    let Engine { name, relation, .. } = engine;
    format!(
        r#"name = "study"
population = "patients"

[data]
table = "visits"
engine = "{name}"
relation = '{relation}'
connect = "env:CLINIC"
version = "1"

[entity]
key = "patient"
rows_per_group = 2
groups = 1

[columns.patient]
type = "text"

[columns.cost]
type = "decimal"
bounds = [0, 100]
step = 0.5

[columns.sex]
type = "text"
keys = ["F", "M"]

[columns.note]
type = "text"

[adversary]
preset = "acquaintance"

[promise]
posterior_at_most = 0.75

[[query]]
name = "by sex"
share = "1/4"
sql = "{queries}"
"#
    )
}

const BY_SEX: &str = "SELECT sex, SUM(cost), COUNT(*) FROM visits GROUP BY sex";

/// A place with DuckDB's rows and a policy about them.
fn place() -> Option<(Place, Engine)> {
    let place = Place::empty();
    let engine = duckdb(&place)?;
    place.write("policy.toml", policy(&engine, BY_SEX));
    Some((place, engine))
}

/// Runs the command with an engine's environment.
fn at(place: &Place, engine: &Engine, args: &[&str]) -> Run {
    let mut command = place.command(args);
    let run = Run::of(command.env("CLINIC", &engine.address).env("DENIABLE_PYTHON", &engine.python).output().unwrap());
    assert!(!run.stdout.contains(SECRET) && !run.stderr.contains(SECRET), "{run:?}");
    run
}

/// Joins wrapped lines.
fn line(text: &str) -> String {
    text.split_whitespace().filter(|word| *word != "│").collect::<Vec<_>>().join(" ")
}

const RELEASE: [&str; 3] = ["release", "policy.toml", "--register"];

fn released(place: &Place, engine: &Engine) {
    let first = at(place, engine, &RELEASE).done();
    assert!(first.stderr.contains(&format!("visits: {ROWS} rows of 5000 entities checked")), "{first:?}");
    assert!(first.stderr.contains("tested on made-up rows"), "{first:?}");
    assert_eq!(place.charges(), 1);
    // The answer is stored: there is no engine at this address, and no interpreter.
    let nowhere = Engine {
        python: "/nowhere/python".to_owned(),
        address: "nowhere".to_owned(),
        relation: String::new(),
        ..*engine
    };
    let again = at(place, &nowhere, &["release", "policy.toml"]).done();
    assert_eq!((first.stdout, place.charges()), (again.stdout, 1));
    let ledger = at(place, engine, &["ledger", "show", "policy.toml"]).done().stdout;
    assert!(ledger.contains("trials passed: 1, failed: 0"), "{ledger}");
    at(place, engine, &["ledger", "verify", "policy.toml"]).done();
    // Another query runs a trial, and the same rows are recognised.
    place.edit("policy.toml", BY_SEX, "SELECT COUNT(DISTINCT patient) FROM visits WHERE cost > 3");
    at(place, engine, &["release", "policy.toml"]).done();
    assert_eq!(place.charges(), 2);
}

#[test]
fn a_release_from_duckdb_is_paid_once_and_needs_no_engine_again() {
    let Some((place, engine)) = place() else { return };
    released(&place, &engine);
}

#[test]
fn a_release_from_spark_is_paid_once_and_needs_no_engine_again() {
    let place = Place::empty();
    let (Some(duckdb), Some(python)) = (duckdb(&place), engine_python("DENIABLE_SPARK_PYTHON")) else { return };
    let relation = format!("parquet.{}", duckdb.relation);
    let spark = Engine { name: "spark", python, address: "local[2]".to_owned(), relation };
    place.write("policy.toml", policy(&spark, BY_SEX));
    released(&place, &spark);
}

/// With any configuration of a cluster: settings of the session are set, settings that cannot be checked are refused,
/// and collations have no effect.
#[test]
fn cluster_settings_are_overridden_or_refused() {
    let Some(python) = engine_python("DENIABLE_SPARK_PYTHON") else { return };
    let place = Place::empty();
    let path = place.path("visits").display().to_string();
    let _ = run_python(
        &python,
        &format!(
            "from pyspark.sql import SparkSession\nspark = SparkSession.builder.master('local[1]').getOrCreate()\n\
             spark.range(1000).selectExpr(\"'p' || id AS patient\", 'CAST(id % 50 AS DOUBLE) AS cost', \
             \"CASE id % 4 WHEN 0 THEN 'F' WHEN 1 THEN 'f' ELSE 'M' END COLLATE UTF8_LCASE AS sex\", \"'{SECRET}' AS note\", 'id')\
             .write.parquet('{path}')\n"
        ),
    );
    let relation = format!("parquet.\"{path}\"");
    let spark = Engine { name: "spark", python, address: "local[1]".to_owned(), relation };
    place.write("policy.toml", policy(&spark, BY_SEX));
    let under = |settings: &str| {
        let mut command = place.command(&["data", "check", "policy.toml", "--accept", "sex", "--format", "json"]);
        command.env("CLINIC", &spark.address).env("DENIABLE_PYTHON", &spark.python);
        Run::of(command.env("PYSPARK_SUBMIT_ARGS", format!("{settings} pyspark-shell")).output().unwrap())
    };
    let legacy = under("--conf spark.sql.legacy.setCommandRejectsSparkCoreConfs=true");
    assert_eq!(legacy.code, Some(1));
    assert!(line(&legacy.stderr).contains("the engine is set to spark.sql.legacy"), "{legacy:?}");
    let off = "--conf spark.sql.ansi.enabled=false --conf spark.sql.session.timeZone=Asia/Kolkata --conf spark.sql.caseSensitive=false";
    let found = under(off).done().json();
    let sex =
        found["tables"][0]["columns"].as_array().unwrap().iter().find(|column| column["column"] == "sex").unwrap();
    assert_eq!(sex["undeclared_keys"]["count"], 250, "`f` is not `F`: {sex}");
    // The same rows, read by a session with default settings.
    assert!(line(&under("").done().stderr).contains("is already registered"));
}

#[test]
fn the_plan_says_what_is_asked_and_needs_no_engine() {
    let Some((place, _)) = place() else { return };
    let plan = place.run(&["plan", "policy.toml"]).done().stdout;
    assert!(line(&plan).contains("computed by DuckDB, which holds the rows: by sex"), "{plan}");
    let sql = place.run(&["plan", "policy.toml", "--sql"]).done().stdout;
    assert!(sql.starts_with("-- by sex, for DuckDB\n") && sql.contains("$salt") && sql.contains("GROUP BY c"), "{sql}");
    let json = place.run(&["plan", "policy.toml", "--format", "json"]).done().json();
    assert_eq!(json["queries"][0]["engine"]["name"], "DuckDB");
}

#[test]
fn unsupported_sql_of_engines_is_refused_by_the_plan() {
    let Some((place, engine)) = place() else { return };
    for (sql, said) in [
        ("SELECT COUNT(*) FROM visits WHERE note LIKE 'a%'", "is not computed by an engine"),
        ("SELECT MEDIAN(cost) FROM visits", "it needs the values"),
        ("SELECT sex, COUNT(*) FROM visits GROUP BY ROLLUP (sex)", "each level is capped separately"),
    ] {
        place.write("policy.toml", policy(&engine, sql));
        let refused = place.run(&["plan", "policy.toml"]).refused();
        assert!(line(&refused.stderr).contains(said) && refused.stderr.contains("policy.toml:40"), "{refused:?}");
    }
    assert!(place.ledger().is_none());
}

#[test]
fn rows_that_change_are_noticed_after_the_charge_and_asked_for_again() {
    let Some((place, engine)) = place() else { return };
    at(&place, &engine, &["data", "check", "policy.toml"]).done();
    // One value of a declared column that the query does not use.
    write(&engine.python, &place, &format!("CASE WHEN i = 77 THEN 'other' ELSE '{SECRET}' END"));
    let changed = at(&place, &engine, &["release", "policy.toml"]).refused();
    assert!(line(&changed.stderr).contains("are not those that were registered as this version"), "{changed:?}");
    assert_eq!(place.charges(), 1, "what a changed row is charged for is charged before it can be noticed");
    let checked = at(&place, &engine, &["data", "check", "policy.toml"]).refused();
    assert!(line(&checked.stderr).contains("have changed since version \"1\" was registered"), "{checked:?}");
    write(&engine.python, &place, &format!("'{SECRET}'"));
    let resumed = at(&place, &engine, &["release", "policy.toml"]).done();
    assert!(resumed.stderr.contains("an earlier run had charged it"), "{resumed:?}");
    assert_eq!(place.charges(), 1);
}

/// An engine that is honest in every trial and lies about private rows only: a visible lie bars it until it passes
/// again.
#[test]
fn an_engine_that_is_found_out_is_tried_again() {
    let Some((place, engine)) = place() else { return };
    at(&place, &engine, &["data", "check", "policy.toml"]).done();
    for (at_trial, (lie, said)) in [
        ("if totals and is_private: totals[0][-3] = '9'", "counts more of one entity than the caps allow"),
        ("if totals and is_private: answer.remove(totals[0])", "lacks cells that it counted"),
        ("if totals and is_private: totals[0][1] = '-5'", "has sums that no rows can have"),
    ]
    .into_iter()
    .enumerate()
    {
        let python = lying_python(&place.path(""), &engine.python, lie);
        let lying =
            Engine { python, address: engine.address.clone(), relation: engine.relation.clone(), name: engine.name };
        let found = at(&place, &lying, &["release", "policy.toml"]).refused();
        assert!(line(&found.stderr).contains(said), "{found:?}");
        assert!(found.stderr.contains("tested on made-up rows"), "each time anew: {found:?}");
        let ledger = at(&place, &engine, &["ledger", "show", "policy.toml"]).done().stdout;
        assert!(ledger.contains(&format!("trials passed: 0, failed: {}", at_trial + 1)), "{ledger}");
        assert_eq!(place.charges(), 1);
    }
    let resumed = at(&place, &engine, &["release", "policy.toml"]).done();
    assert!(resumed.stderr.contains("tested on made-up rows"), "{resumed:?}");
    assert!(resumed.stderr.contains("an earlier run had charged it"), "{resumed:?}");
}

/// A query that is known to fail is not charged: neither after rows have changed nor after an engine was barred.
#[test]
fn known_failures_are_not_charged_again() {
    let Some((place, engine)) = place() else { return };
    let second =
        "\n[[query]]\nname = \"people\"\nshare = \"1/4\"\nsql = \"SELECT COUNT(DISTINCT patient) FROM visits\"\n";
    place.write("policy.toml", policy(&engine, BY_SEX) + second);
    at(&place, &engine, &["data", "check", "policy.toml"]).done();
    let lie = "if totals and is_private: totals[0][-3] = '9'";
    let python = lying_python(&place.path(""), &engine.python, lie);
    let lying =
        Engine { python, address: engine.address.clone(), relation: engine.relation.clone(), name: engine.name };
    let found = at(&place, &lying, &["release", "policy.toml"]).refused();
    assert!(line(&found.stderr).contains("query \"people\" was neither computed nor charged"), "{found:?}");
    assert_eq!(place.charges(), 1);
    write(&engine.python, &place, "'other'");
    let changed = at(&place, &engine, &["release", "policy.toml"]).refused();
    assert!(line(&changed.stderr).contains("query \"people\" was neither computed nor charged"), "{changed:?}");
    assert_eq!(place.charges(), 1);
    write(&engine.python, &place, &format!("'{SECRET}'"));
    at(&place, &engine, &["release", "policy.toml"]).done();
    assert_eq!(place.charges(), 2);
}

/// The fingerprint of the rows does not depend on the declaration: another column, or another order of columns, is the
/// same version.
#[test]
fn version_depends_on_rows_and_not_on_declarations() {
    let Some((place, engine)) = place() else { return };
    released(&place, &engine);
    place.edit("policy.toml", "[columns.note]\ntype = \"text\"\n", "");
    place.edit("policy.toml", "[columns.patient]", "[columns.id]\ntype = \"integer\"\n\n[columns.patient]");
    let again = at(&place, &engine, &["data", "check", "policy.toml"]).done();
    assert!(again.stderr.contains("registered version \"1\" of `visits` again"), "{again:?}");
}

/// Made-up rows satisfy rare conditions, and every query is also tried without its conditions.
#[test]
fn trial_covers_the_conditions_of_the_query() {
    let Some((place, engine)) = place() else { return };
    let lie = "for row in totals: row[1] = str(2 * int(row[1]))";
    for sql in [
        "SELECT COUNT(*) FROM visits WHERE note = 'what nobody declares'",
        "SELECT COUNT(*) FROM visits WHERE cost BETWEEN 41.3 AND 41.4",
        "SELECT COUNT(*) FROM visits WHERE cost > 3 AND cost < 2",
    ] {
        place.write("policy.toml", policy(&engine, sql));
        at(&place, &engine, &["data", "check", "policy.toml"]).done();
        let python = lying_python(&place.path(""), &engine.python, lie);
        let lying =
            Engine { python, address: engine.address.clone(), relation: engine.relation.clone(), name: engine.name };
        let found = at(&place, &lying, &["release", "policy.toml"]).refused();
        assert!(line(&found.stderr).contains("on made-up rows"), "{sql}: {found:?}");
    }
    assert_eq!(place.charges(), 0);
}

/// Python modules beside a policy are not imported.
#[test]
fn no_module_of_the_folder_is_run() {
    let Some((place, engine)) = place() else { return };
    for name in ["duckdb.py", "json.py", "os.py"] {
        place.write(name, "open('run', 'w').close()\n");
    }
    at(&place, &engine, &["data", "check", "policy.toml"]).done();
    assert!(!place.path("run").exists());
}

/// A lie in the trial is detected before anything is charged.
#[test]
fn an_engine_that_fails_its_trial_is_not_asked() {
    let Some((place, engine)) = place() else { return };
    at(&place, &engine, &["data", "check", "policy.toml"]).done();
    let lie = "if totals: totals[0][1] = str(int(totals[0][1]) + 1)";
    let python = lying_python(&place.path(""), &engine.python, lie);
    let found = at(&place, &Engine { python, ..engine }, &["release", "policy.toml"]).refused();
    assert!(line(&found.stderr).contains("differs from this program's, on made-up rows"), "{found:?}");
    assert_eq!(place.charges(), 0);
}

/// Errors name the fault without the engine's own message, which quotes values.
#[test]
fn mistakes_are_named_without_values() {
    let Some((place, engine)) = place() else { return };
    let run = |address: Option<&str>, python: &str| {
        let mut command = place.command(&["data", "check", "policy.toml"]);
        command.env("DENIABLE_PYTHON", python).env_remove("CLINIC");
        if let Some(address) = address {
            command.env("CLINIC", address);
        }
        line(&Run::of(command.output().unwrap()).refused().stderr)
    };
    assert!(run(None, &engine.python).contains("the variable CLINIC is not set"));
    assert!(run(Some(":memory:"), "/nowhere/python").contains("cannot be started"));
    let unreached = run(Some(&format!("/nowhere/{SECRET}")), &engine.python);
    assert!(unreached.contains("DuckDB cannot be reached") && !unreached.contains(SECRET), "{unreached}");

    // A missing column, a column of an unsupported type, and a view that fails on a value.
    place.edit("policy.toml", "[columns.note]", "[columns.notes]");
    assert!(
        run(Some(":memory:"), &engine.python).contains("has no column `notes`; it has patient, cost, sex, note, id")
    );
    place.edit("policy.toml", "[columns.notes]\ntype = \"text\"", "[columns.note]\ntype = \"integer\"");
    assert!(run(Some(":memory:"), &engine.python).contains("in a type whose values differ between engines"));
    let file = place.path("views.duckdb");
    let _ = run_python(
        &engine.python,
        &format!(
            "import duckdb\nc = duckdb.connect('{0}')\nc.execute(\"CREATE VIEW visits AS SELECT * REPLACE (CAST(note AS BIGINT) AS note) \
             FROM '{1}'\")\nc.execute(\"CREATE VIEW exact AS SELECT * REPLACE (CAST(cost AS DECIMAL(9,2)) AS cost) FROM '{1}'\")",
            file.display(),
            place.path("visits.parquet").display()
        ),
    );
    place.edit("policy.toml", &engine.relation, "visits");
    let failed = run(Some(&file.display().to_string()), &engine.python);
    assert!(failed.contains("the engine failed: ConversionException") && !failed.contains(SECRET), "{failed}");
    place.edit("policy.toml", "relation = 'visits'", "relation = 'visit'");
    let unknown = run(Some(&file.display().to_string()), &engine.python);
    assert!(unknown.contains("cannot read the columns of \"visit\": the engine failed: CatalogException"), "{unknown}");
    place.edit("policy.toml", "relation = 'visit'", "relation = 'exact'");
    let exact = run(Some(&file.display().to_string()), &engine.python);
    assert!(exact.contains("column `cost` is kept as DECIMAL(9,2), of which not all values mean the same"), "{exact}");
    assert_eq!(place.ledger().unwrap()["versions"], serde_json::json!([]), "nothing was registered");
}

/// Runs every command of the how-to in an empty folder, except the installation, which `scripts/engines` does with the
/// same commands.
#[test]
fn the_how_to_works_as_it_stands() {
    let Some(python) = engine_python("DENIABLE_SPARK_PYTHON") else { return };
    let text = std::fs::read_to_string(workspace().join("docs/how-to/spark.md")).unwrap();
    let blocks = text.split("```sh\n").skip(1).map(|rest| rest.split("```").next().unwrap());
    let installs = ["sudo ", "python3 -m venv ", "spark/bin/pip install "];
    let mut commands = "set -euo pipefail\ntrap 'for job in $(jobs -p); do kill $job; done' EXIT\n".to_owned();
    for line in blocks.flat_map(str::lines).filter(|line| !installs.iter().any(|begin| line.starts_with(begin))) {
        commands += line;
        commands += "\n";
    }
    let place = Place::empty();
    let tools = Path::new(&python).parent().and_then(Path::parent).unwrap();
    std::os::unix::fs::symlink(tools, place.path("spark")).unwrap();
    let program = Path::new(env!("CARGO_BIN_EXE_deniable")).parent().unwrap();
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap());
    let mut command = Command::new("bash");
    command.args(["-c", &commands]).current_dir(place.path("")).env("PATH", path);
    for variable in ["SPARK_HOME", "PYSPARK_PYTHON", "SPARK_WORKER_DIR", "SPARK_LOG_DIR", "SPARK_LOCAL_DIRS"] {
        command.env_remove(variable);
    }
    let run = Run::of(command.output().unwrap()).done();
    assert!(run.stdout.contains("for Spark\n") && run.stdout.contains("│ F   ┆"), "{run:?}");
    assert!(line(&run.stderr).contains("visits: 100000 rows of 30000 entities checked"), "{run:?}");
    assert!(run.stdout.contains("trials passed: 1, failed: 0"), "{run:?}");
    assert!(run.stderr.contains("charged and answered") && run.stderr.contains("stored answer, free"), "{run:?}");
}
