//! Tables outside files in `[data]`: in PostgreSQL, whose rows are read, or in an engine, where the rows remain.

use crate::error::PolicyErrorKind;
use crate::reader::{Field, ReadResult, Section, all, did_you_mean, shown};
use deniable_core::schema::{Data, EngineKind, Format, RelationName, RelationPath, names_variable};

/// The format of tables in PostgreSQL.
pub(crate) const POSTGRES: &str = "postgres";
/// Keys that only files have, and keys that only other tables have.
const OF_FILES: [&str; 3] = ["path", "csv", "partitions"];
const OF_RELATIONS: [&str; 2] = ["relation", "connect"];

#[derive(Clone, Copy)]
pub(crate) enum Holder {
    Postgres,
    Engine(EngineKind),
}

/// The holder of a table outside files; `None` for files.
pub(crate) fn held(section: &Section<'_>) -> ReadResult<Option<Holder>> {
    let format = section.get("format")?;
    if let Some(engine) = section.get("engine")? {
        let name = engine.text()?;
        let known = EngineKind::ALL.map(EngineKind::name);
        let kind = EngineKind::named(name).ok_or_else(|| {
            engine.bad_text(format!("= \"{}\" is not known", shown(name)), did_you_mean(name, &known))
        })?;
        return match format {
            Some(format) => {
                let kind = PolicyErrorKind::Misplaced { key: "format", when: "where an engine holds the rows" };
                Err(section.report.fail(
                    &format.key_span,
                    kind,
                    "remove it, or `engine`: rows are read here, or asked for there",
                ))
            }
            None => Ok(Some(Holder::Engine(kind))),
        };
    }
    match format {
        Some(format) if format.text()? == POSTGRES => Ok(Some(Holder::Postgres)),
        Some(_) | None => Ok(None),
    }
}

/// Refuses the keys of tables outside files.
pub(crate) fn refuse_all(section: &Section<'_>) -> ReadResult<()> {
    refuse(section, &OF_RELATIONS, "where the data is neither `format = \"postgres\"` nor of an `engine`")
}

/// Reads the keys of a table outside files.
pub(crate) fn read(section: &Section<'_>, held: Holder, table: String) -> ReadResult<Data> {
    let (when, example) = match held {
        Holder::Postgres => ("where the data is `format = \"postgres\"`", "env:CLINIC_PG"),
        Holder::Engine(EngineKind::Spark) => ("where an engine holds the rows", "env:SPARK_MASTER"),
        Holder::Engine(EngineKind::DuckDb) => ("where an engine holds the rows", "env:CLINIC_DUCKDB"),
    };
    let files = refuse(section, &OF_FILES, when);
    let version =
        section.need("version", "add `version = \"2024-06\"`").and_then(|field| field.line().map(str::to_owned));
    let relation =
        section.need("relation", "add `relation = \"clinic.visits\"`").and_then(|field| relation_name(&field, held));
    let help = format!("add `connect = \"{example}\"`");
    let connect = section.need("connect", &help).and_then(|field| variable(&field, example));
    files?;
    let connect = connect?;
    let format = match held {
        Holder::Postgres => Format::Postgres { connect },
        Holder::Engine(kind) => Format::Engine { kind, connect },
    };
    Ok(Data { table, path: relation?, version: version?, format, partitions: Vec::new(), typical_rows: None })
}

fn relation_name(field: &Field<'_>, held: Holder) -> ReadResult<String> {
    let name = field.text()?;
    let (is_name, problem, help) = match held {
        Holder::Postgres => (
            RelationName::parse(name).is_some(),
            "does not name a table or view with its schema",
            "write both, as in \"clinic.visits\"; names that are not in lower case are in double quotes: \
             'clinic.\"Visits\"'",
        ),
        Holder::Engine(_) => (
            RelationPath::parse(name).is_some(),
            "does not name a table of an engine",
            "write one to three names with points between them, as in \"clinic.visits\"; names that are not plain are \
             in double quotes: 'parquet.\"/data/visits\"'",
        ),
    };
    if is_name { Ok(name.to_owned()) } else { Err(field.bad_text(problem, help)) }
}

/// The variable of an address. A text in its place may be the address itself, with a password, and is not shown.
fn variable(field: &Field<'_>, example: &str) -> ReadResult<String> {
    let connect = field.text()?;
    if names_variable(connect) {
        return Ok(connect.to_owned());
    }
    let help = format!(
        "state `connect = \"{example}\"` and put the address into that variable: passwords do not belong in a policy"
    );
    Err(field.bad_text("does not name an environment variable", help))
}

/// Refuses keys that belong to data of another kind.
fn refuse(section: &Section<'_>, keys: &[&'static str], when: &'static str) -> ReadResult<()> {
    all(keys.iter().map(|key| match section.get(key)? {
        Some(field) => Err(section.report.fail(&field.key_span, PolicyErrorKind::Misplaced { key, when }, "remove it")),
        None => Ok(()),
    }))?;
    Ok(())
}
