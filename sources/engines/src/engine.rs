//! A connection to an engine, through its own Python client.

use crate::error::EngineError;
use deniable_core::schema::EngineKind;
use deniable_data::{EngineColumn, StorageType};
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

const BRIDGE: &str = include_str!("bridge.py");
/// The meaning of statements depends on these settings: they are set, and read back.
const SPARK: [(&str, &str); 5] = [
    ("spark.sql.ansi.enabled", "true"),
    ("spark.sql.session.timeZone", "UTC"),
    ("spark.sql.caseSensitive", "true"),
    ("spark.sql.decimalOperations.allowPrecisionLoss", "true"),
    // If tables are stored by partitions, groups could be formed within each of them: the rows of a person would be
    // capped once per partition.
    ("spark.sql.sources.v2.bucketing.enabled", "false"),
];
const DUCK_DB: [(&str, &str); 2] = [("TimeZone", "UTC"), ("default_collation", "")];
/// The first version of Spark that can validate UTF-8 texts.
const SPARK_SINCE: u32 = 4;
/// Maximum number of bytes of one answer: cells are at most a million.
const MOST_BYTES: u64 = 1 << 30;

/// The variable that names the Python interpreter, and its default.
const INTERPRETER: (&str, &str) = ("DENIABLE_PYTHON", "python3");
/// If this variable is set, output of the client and the engine goes to standard error, for debugging: it quotes
/// values.
const TALKS: &str = "DENIABLE_ENGINE_TALKS";

/// A connected engine.
#[derive(Debug)]
pub struct Engine {
    kind: EngineKind,
    address: Address,
    version: String,
    settings: BTreeMap<String, String>,
    process: Child,
    questions: ChildStdin,
    answers: BufReader<ChildStdout>,
}

/// The address of an engine. It may contain a token, and is not shown.
struct Address(String);

impl std::fmt::Debug for Address {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Address")
    }
}

/// The version and settings of an engine.
#[derive(Deserialize)]
struct Settings {
    version: String,
    pinned: BTreeMap<String, String>,
    others: Vec<String>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Reply {
    Answer { answer: Value },
    Error { error: String, condition: Option<String> },
}

impl Engine {
    /// Connects to the engine whose address is in an environment variable, named as `env:SPARK_MASTER`. The interpreter
    /// is that of `DENIABLE_PYTHON`, by default `python3`.
    ///
    /// # Errors
    /// When the variable is not set, and those of [`Self::start`].
    pub fn named(kind: EngineKind, connect: &str) -> Result<Self, EngineError> {
        let variable = connect.strip_prefix("env:").unwrap_or_default();
        let help = match kind {
            EngineKind::Spark => {
                "set it to the cluster's address: spark://host:7077, local[4], or sc://host:15002 for Spark Connect"
            }
            EngineKind::DuckDb => "set it to the file of the database, or :memory:",
        };
        let held = |variable: &str| std::env::var(variable).ok().filter(|held| !held.is_empty());
        let unset = || EngineError::new(format!("the variable {variable} is not set, or is not valid text"), help);
        let address = held(variable).ok_or_else(unset)?;
        let (variable, usual) = INTERPRETER;
        let python = held(variable).unwrap_or_else(|| usual.to_owned());
        Self::start(kind, &address, &python)
    }

    /// Starts the client, connects, and sets the settings that statements depend on. `python` is an interpreter with
    /// the client installed.
    ///
    /// # Errors
    /// When the interpreter or client is missing, or the engine does not answer, is too old, or has conflicting
    /// settings.
    pub fn start(kind: EngineKind, address: &str, python: &str) -> Result<Self, EngineError> {
        let (pinned, help) = match kind {
            EngineKind::Spark => (
                SPARK.as_slice(),
                "install Python 3.10 or later, `pip install pyspark`, and a Java that it runs on; DENIABLE_PYTHON names the interpreter",
            ),
            EngineKind::DuckDb => (
                DUCK_DB.as_slice(),
                "install Python 3.10 or later, and `pip install duckdb`; DENIABLE_PYTHON names the interpreter",
            ),
        };
        let lost = |_| EngineError::new(format!("`{python}` cannot be started"), help);
        let mut command = Command::new(python);
        command.args(["-c", BRIDGE]).stdin(Stdio::piped()).stdout(Stdio::piped());
        if std::env::var_os(TALKS).is_none_or(|said| said.is_empty() || said == "0") {
            command.stderr(Stdio::null());
        }
        let mut process = command.spawn().map_err(lost)?;
        let (Some(questions), Some(answers)) = (process.stdin.take(), process.stdout.take()) else {
            return Err(EngineError::new(format!("`{python}` has no standard input or output"), help));
        };
        let answers = BufReader::new(answers);
        let (version, settings) = (String::new(), BTreeMap::new());
        let at = Address(address.to_owned());
        let mut started = Self { kind, address: at, version, settings, process, questions, answers };
        started.ask(&json!({ "engine": kind.name(), "address": address })).map_err(|error| {
            if error.problem.contains("ModuleNotFoundError") {
                EngineError { help, ..error }
            } else {
                unreached(kind, error)
            }
        })?;
        started.pin(pinned)?;
        Ok(started)
    }

    /// Sets these settings, and checks their values afterwards.
    fn pin(&mut self, wanted: &[(&str, &str)]) -> Result<(), EngineError> {
        let pinned: BTreeMap<&str, &str> = wanted.iter().copied().collect();
        let settings = self.ask(&json!({ "ask": "settings", "pinned": pinned }))?;
        let settings: Settings = serde_json::from_value(settings).map_err(|_| EngineError::unexpected())?;
        let help = "it changes the meaning of statements: ask the engine's administrator to restore its default";
        for (name, value) in wanted {
            if settings.pinned.get(*name).map(String::as_str) != Some(*value) {
                return Err(EngineError::new(format!("the engine cannot be set to {name} = \"{value}\""), help));
            }
        }
        if let Some(other) = settings.others.first() {
            return Err(EngineError::new(format!("the engine is set to {}", plain(other)), help));
        }
        let major = settings.version.split('.').next().and_then(|major| major.parse::<u32>().ok());
        if self.kind == EngineKind::Spark && major.is_none_or(|major| major < SPARK_SINCE) {
            let problem = format!("the engine is Spark {}, older than version {SPARK_SINCE}", plain(&settings.version));
            return Err(EngineError::new(problem, "use Spark 4 or later"));
        }
        self.version = plain(&settings.version);
        self.settings = settings.pinned;
        Ok(())
    }

    /// The engine's version, as it reports it.
    #[must_use]
    pub fn version(&self) -> &str {
        &self.version
    }

    /// The settings that statements depend on.
    #[must_use]
    pub fn settings(&self) -> &BTreeMap<String, String> {
        &self.settings
    }

    /// The address. It may contain a token, and must not be shown.
    #[must_use]
    pub fn address(&self) -> &str {
        &self.address.0
    }

    /// The kind of the engine.
    #[must_use]
    pub fn kind(&self) -> EngineKind {
        self.kind
    }

    /// The columns of a relation, which is written in the engine's syntax.
    ///
    /// # Errors
    /// When the relation does not exist.
    pub fn columns(&mut self, relation: &str) -> Result<Vec<EngineColumn>, EngineError> {
        let columns = self.ask(&json!({ "ask": "columns", "relation": relation }))?;
        let columns: Vec<(String, String)> = serde_json::from_value(columns).map_err(|_| EngineError::unexpected())?;
        let column = |(name, type_name): (String, String)| {
            let stored = stored(&type_name);
            EngineColumn { name, type_name, stored }
        };
        Ok(columns.into_iter().map(column).collect())
    }

    /// Runs a statement with a parameter for the salt, a text. It must return rows of whole numbers without NULL; any
    /// other result is rejected.
    ///
    /// # Errors
    /// When the engine fails, or returns anything else.
    pub fn numbers(&mut self, sql: &str, salt: &str) -> Result<Vec<Vec<i128>>, EngineError> {
        let rows = self.ask(&json!({ "ask": "rows", "sql": sql, "salt": salt }))?;
        let rows: Vec<Vec<Option<String>>> = serde_json::from_value(rows).map_err(|_| EngineError::unexpected())?;
        let number = |value: &Option<String>| value.as_ref()?.parse::<i128>().ok();
        let rows = rows.iter().map(|row| row.iter().map(number).collect::<Option<Vec<i128>>>());
        rows.collect::<Option<Vec<_>>>().ok_or_else(EngineError::unexpected)
    }

    fn ask(&mut self, question: &Value) -> Result<Value, EngineError> {
        let silent = "look at the engine's own log, and run the same again: it is not charged twice";
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

/// The error of a failed connection. The engine's own message may quote the address, with a token.
fn unreached(kind: EngineKind, error: EngineError) -> EngineError {
    let help = "check the address that the variable of `connect` holds, and that the engine is up. With DENIABLE_ENGINE_TALKS=1 its own words \
                are shown, which may quote that address";
    EngineError { problem: format!("{} cannot be reached: {}", kind.title(), error.problem), help }
}

impl Drop for Engine {
    fn drop(&mut self) {
        // Only the process that this value started is killed.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// A name from the engine, reduced to characters that cannot hide a value.
fn plain(name: &str) -> String {
    name.chars().filter(|c| c.is_ascii_alphanumeric() || "_.".contains(*c)).take(80).collect()
}

/// The storage type of an engine's type, if its values have the same meaning in all systems.
fn stored(kind: &str) -> Option<StorageType> {
    Some(match kind.to_ascii_lowercase().as_str() {
        "boolean" => StorageType::Boolean,
        "tinyint" | "smallint" | "int" | "integer" | "bigint" => StorageType::Whole,
        "float" | "real" | "double" => StorageType::Double,
        "string" | "varchar" | "text" => StorageType::Text,
        "date" => StorageType::Date,
        limited if limited.starts_with("varchar(") => StorageType::Text,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    /// A program in place of the interpreter, which imitates Spark: it accepts every setting, except for the changes in
    /// `but`.
    fn spark(folder: &Path, but: &str) -> Option<String> {
        let program = format!(
            "#!/usr/bin/env python3\nimport json, sys\nfor line in sys.stdin:\n    question, answer = json.loads(line), None\n    \
             if question.get('ask') == 'settings':\n        pinned = dict(question['pinned'])\n        {but}\n        answer = {{'version': \
             '4.2.0', 'pinned': pinned, 'others': []}}\n    print(json.dumps({{'answer': answer}}), flush=True)\n"
        );
        let path = folder.join("spark");
        // Written by another process, so that no thread of this process has the file open for writing when it is run.
        let write = "import os, sys\nopen(sys.argv[1], 'w').write(sys.argv[2])\nos.chmod(sys.argv[1], 0o700)";
        let written = Command::new("python3").args(["-c", write]).arg(&path).arg(program).status();
        written.is_ok_and(|status| status.success()).then(|| path.display().to_string())
    }

    /// With partitioned grouping a person is capped once per partition of the stored table, so an engine that keeps
    /// this setting is rejected.
    #[test]
    fn spark_is_refused_if_it_may_group_by_stored_partitions() {
        const SETTING: &str = "spark.sql.sources.v2.bucketing.enabled";
        let folder = tempfile::tempdir().unwrap();
        let started = |but: &str| {
            let python = spark(folder.path(), but)?;
            Some(Engine::start(EngineKind::Spark, "local[1]", &python))
        };
        let Some(taken) = started("pass") else { return };
        let taken = taken.unwrap();
        assert_eq!(taken.settings().get(SETTING).map(String::as_str), Some("false"));
        for but in [
            format!("pinned['{SETTING}'] = 'true'"),
            format!("del pinned['{SETTING}']"),
            format!("pinned['{SETTING}'] = None"),
        ] {
            let refused = started(&but).unwrap().unwrap_err();
            let wanted = format!("cannot be set to {SETTING}");
            assert!(refused.problem.contains(&wanted) || but.contains("None"), "{but}: {}", refused.problem);
        }
    }

    #[test]
    fn types_with_the_same_meaning_in_all_systems() {
        for (kind, expected) in [
            ("BIGINT", Some(StorageType::Whole)),
            ("double", Some(StorageType::Double)),
            ("string", Some(StorageType::Text)),
            ("varchar(5)", Some(StorageType::Text)),
            // Padded with spaces; exact instead of double; with a time zone.
            ("char(5)", None),
            ("decimal(9,2)", None),
            ("timestamp", None),
            ("ENUM('a', 'b')", None),
        ] {
            assert_eq!(stored(kind), expected, "{kind}");
        }
    }
}
