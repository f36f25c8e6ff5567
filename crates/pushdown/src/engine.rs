//! A conversation with an engine, by way of its own client for Python.

use crate::error::EngineError;
use deniable_sql::Salt;
use deniable_sql::pushdown::{Answer, Dialect, Statement, Stored, Survey, Surveyed, Trial};
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

const BRIDGE: &str = include_str!("bridge.py");
/// What statements mean rests on these settings: they are made, and read back.
const SPARK: [(&str, &str); 4] = [
    ("spark.sql.ansi.enabled", "true"),
    ("spark.sql.session.timeZone", "UTC"),
    ("spark.sql.caseSensitive", "true"),
    ("spark.sql.decimalOperations.allowPrecisionLoss", "true"),
];
const DUCK_DB: [(&str, &str); 2] = [("TimeZone", "UTC"), ("default_collation", "")];
/// The first version of Spark whose texts tell whether they are in UTF-8.
const SPARK_SINCE: u32 = 4;
/// Most bytes of one answer: cells are at most a million.
const MOST_BYTES: u64 = 1 << 30;

/// An engine that is ready to be asked.
#[derive(Debug)]
pub struct Engine {
    dialect: Dialect,
    version: String,
    process: Child,
    questions: ChildStdin,
    answers: BufReader<ChildStdout>,
}

/// What an engine is, and what it is set to.
#[derive(Deserialize)]
struct Settings {
    version: String,
    pinned: BTreeMap<String, String>,
    others: Vec<String>,
}

/// What the bridge says.
#[derive(Deserialize)]
#[serde(untagged)]
enum Reply {
    Answer { answer: Value },
    Error { error: String, condition: Option<String> },
}

impl Engine {
    /// Starts the client, connects, and makes the settings that statements rest on. `python` is the interpreter that has the client.
    ///
    /// # Errors
    /// When there is no such interpreter or client, the engine does not answer, is too old, or is set to something else.
    pub fn start(dialect: Dialect, address: &str, python: &str) -> Result<Self, EngineError> {
        let (engine, pinned, help) = match dialect {
            Dialect::Spark => (
                "spark",
                SPARK.as_slice(),
                "install Python 3.10 or later, `pip install pyspark`, and a Java that it runs on",
            ),
            Dialect::DuckDb => ("duckdb", DUCK_DB.as_slice(), "install Python 3.10 or later, and `pip install duckdb`"),
            Dialect::Postgres => {
                let help = "state `format = \"postgres\"`, which reads its rows";
                return Err(EngineError::new("PostgreSQL is not asked to compute", help));
            }
        };
        let lost = |_| EngineError::new(format!("`{python}` cannot be started"), help);
        let mut command = Command::new(python);
        command.args(["-c", BRIDGE]).stdin(Stdio::piped()).stdout(Stdio::piped());
        if std::env::var_os("DENIABLE_ENGINE_TALKS").is_none() {
            command.stderr(Stdio::null());
        }
        let mut process = command.spawn().map_err(lost)?;
        let (Some(questions), Some(answers)) = (process.stdin.take(), process.stdout.take()) else {
            return Err(EngineError::new(format!("`{python}` cannot be spoken to"), help));
        };
        let mut started =
            Self { dialect, version: String::new(), process, questions, answers: BufReader::new(answers) };
        started.ask(&json!({ "engine": engine, "address": address })).map_err(|error| EngineError {
            help: if error.problem.contains("ModuleNotFoundError") { help } else { error.help },
            ..error
        })?;
        started.version = started.pin(pinned)?;
        Ok(started)
    }

    /// Makes settings, and gives the version.
    fn pin(&mut self, wanted: &[(&str, &str)]) -> Result<String, EngineError> {
        let pinned: BTreeMap<&str, &str> = wanted.iter().copied().collect();
        let settings = self.ask(&json!({ "ask": "settings", "pinned": pinned }))?;
        let settings: Settings = serde_json::from_value(settings).map_err(|_| unexpected())?;
        let help = "statements mean something else with it: let whoever runs the engine leave it as it comes";
        for (name, value) in wanted {
            if settings.pinned.get(*name).map(String::as_str) != Some(*value) {
                return Err(EngineError::new(format!("the engine cannot be set to {name} = \"{value}\""), help));
            }
        }
        if let Some(other) = settings.others.first() {
            return Err(EngineError::new(format!("the engine is set to {}", plain(other)), help));
        }
        let major = settings.version.split('.').next().and_then(|major| major.parse::<u32>().ok());
        if self.dialect == Dialect::Spark && major.is_none_or(|major| major < SPARK_SINCE) {
            let problem = format!("the engine is Spark {}, of before version {SPARK_SINCE}", plain(&settings.version));
            return Err(EngineError::new(problem, "let it be Spark 4 or later"));
        }
        Ok(plain(&settings.version))
    }

    /// Its version, in its own words.
    #[must_use]
    pub fn version(&self) -> &str {
        &self.version
    }

    /// Its dialect.
    #[must_use]
    pub fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// How it keeps each column of a relation; columns of other types are not among them.
    ///
    /// # Errors
    /// When there is no such relation.
    pub fn columns(&mut self, relation: &str) -> Result<BTreeMap<String, Stored>, EngineError> {
        let columns = self.ask(&json!({ "ask": "columns", "relation": relation }))?;
        let columns: Vec<(String, String)> = serde_json::from_value(columns).map_err(|_| unexpected())?;
        Ok(columns.into_iter().filter_map(|(name, kind)| Some((name, stored(&kind)?))).collect())
    }

    /// Counts what is odd in a table, for the curator alone.
    ///
    /// # Errors
    /// When the engine fails, or answers something else than counts.
    pub fn survey(&mut self, survey: &Survey, salt: &Salt) -> Result<Surveyed, EngineError> {
        let numbers = self.numbers(&survey.sql, salt)?;
        survey.read(&numbers).ok_or_else(unexpected)
    }

    /// Runs a statement.
    ///
    /// # Errors
    /// When the engine fails, or answers something else than rows of totals.
    pub fn run(&mut self, statement: &Statement, salt: &Salt) -> Result<Answer, EngineError> {
        let numbers = self.numbers(&statement.sql, salt)?;
        Answer::of(&numbers, statement).ok_or_else(unexpected)
    }

    /// Rows of whole numbers, none of them missing: no other answer is read.
    fn numbers(&mut self, sql: &str, salt: &Salt) -> Result<Vec<Vec<i128>>, EngineError> {
        let rows = self.ask(&json!({ "ask": "rows", "sql": sql, "salt": salt.digits() }))?;
        let rows: Vec<Vec<Option<String>>> = serde_json::from_value(rows).map_err(|_| unexpected())?;
        let number = |value: &Option<String>| value.as_ref()?.parse::<i128>().ok();
        let rows = rows.iter().map(|row| row.iter().map(number).collect::<Option<Vec<i128>>>());
        rows.collect::<Option<Vec<_>>>().ok_or_else(unexpected)
    }

    /// Tries it on rows that nobody is in: it must answer what this program does.
    ///
    /// # Errors
    /// When it fails, or answers something else.
    pub fn try_out(&mut self, trial: &Trial<'_>) -> Result<(), EngineError> {
        let [without, with] = trial.statements();
        let answers = [self.run(without, &Trial::SALT)?, self.run(with, &Trial::SALT)?];
        let help = "no private row was touched: check the engine's version and settings, or pull the rows (`deniable data pull`)";
        trial.verdict(&answers).map_err(|lie| EngineError::new(lie.to_string(), help))
    }

    /// Sets something for the rest of the conversation: for tests of what settings may not change.
    #[cfg(test)]
    pub(crate) fn execute(&mut self, sql: &str) -> Result<(), EngineError> {
        self.ask(&json!({ "ask": "rows", "sql": sql, "salt": "" })).map(drop)
    }

    fn ask(&mut self, question: &Value) -> Result<Value, EngineError> {
        let silent = "look at the engine's own log, and run the same again: what is paid for stays paid for";
        let ended = |_| EngineError::new("the engine's client has ended", silent);
        writeln!(self.questions, "{question}").and_then(|()| self.questions.flush()).map_err(ended)?;
        let mut line = String::new();
        (&mut self.answers).take(MOST_BYTES).read_line(&mut line).map_err(ended)?;
        match serde_json::from_str(&line) {
            Ok(Reply::Answer { answer }) => Ok(answer),
            Ok(Reply::Error { error, condition }) => {
                let condition = condition.map_or_else(String::new, |condition| format!(", {}", plain(&condition)));
                Err(EngineError::new(format!("the engine failed: {}{condition}", plain(&error)), silent))
            }
            Err(_) => Err(EngineError::new("the engine's client has ended", silent)),
        }
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        // The process that was started here, and no other.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// A name of the engine's, without anything that a value could hide in.
fn plain(name: &str) -> String {
    name.chars().filter(|c| c.is_ascii_alphanumeric() || "_.".contains(*c)).take(80).collect()
}

fn unexpected() -> EngineError {
    EngineError::new(
        "the engine answered something else than it was asked",
        "check that nothing stands between it and its client",
    )
}

/// What a type of an engine is, where all of its values mean the same everywhere.
fn stored(kind: &str) -> Option<Stored> {
    Some(match kind.to_ascii_lowercase().as_str() {
        "boolean" => Stored::Boolean,
        "tinyint" | "smallint" | "int" | "integer" | "bigint" => Stored::Whole,
        "float" | "real" | "double" => Stored::Double,
        "string" | "varchar" | "text" => Stored::Text,
        "date" => Stored::Date,
        _ => return None,
    })
}
