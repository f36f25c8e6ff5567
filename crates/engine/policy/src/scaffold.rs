//! Drafts of policies: facts from the files are filled in, and decisions for a person are blanks.

use crate::blanks;
use crate::builder::key_value;
use crate::tree::{Table, Value, key};
use deniable_core::schema::ending;
use deniable_core::schema::{ColumnType, Key};
use deniable_core::schema::{NotNames, are_names};
use deniable_core::text::printable;
use std::collections::{BTreeMap, BTreeSet};

/// The location of the rows, as written in the policy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Rows {
    /// A CSV file, or an object of a store, with the delimiter if it is not the usual one of the path's ending.
    Csv {
        /// The path or URL.
        path: String,
        /// The delimiter.
        delimiter: Option<u8>,
        /// The encoding, if it is not UTF-8.
        encoding: Option<String>,
    },
    /// A Parquet file or object.
    Parquet {
        /// The path or URL.
        path: String,
    },
    /// A table or view of PostgreSQL.
    Postgres {
        /// Its schema and name.
        relation: String,
        /// The variable that holds the database's address, as `env:CLINIC_PG`.
        connect: String,
    },
}

/// The known facts about a table, without its rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scaffold {
    /// The table's name in SQL; a policy takes lower-case letters, digits and `_`.
    pub table: String,
    /// The location of its rows.
    pub rows: Rows,
    /// The columns, in their order there.
    pub columns: Vec<String>,
    /// The types of the columns, in the same order; `None` for CSV, which has no types.
    pub types: Option<Vec<ColumnType>>,
    /// The columns that store moments; a person decides on the zone of their local time.
    pub moments: BTreeSet<String>,
    /// The notes of a codebook on columns, by name; missing facts remain blanks.
    pub described: BTreeMap<String, ColumnNotes>,
}

/// A codebook's notes on a column: public documentation, never values of the data.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ColumnNotes {
    /// A description of the column.
    pub about: Option<String>,
    /// Its type; a type in the data has priority.
    pub kind: Option<ColumnType>,
    /// The groups in their order, each of the column's type, with the label of those that have one.
    pub keys: Vec<(Key, Option<String>)>,
    /// The lower and upper bound in the notation of a policy: numbers, or days and times.
    pub bounds: Option<[String; 2]>,
    /// The step of the values.
    pub step: Option<String>,
}

/// Width of a comment, with its mark.
const WIDTH: usize = 110;

const HEAD: &str = "A policy to be completed: every \"?\" is a decision for a person, and `deniable` lists those that are \
                    left. Lines that begin with # are explanations, or keys that may be left out. State what is publicly \
                    known or plausible, and never copy it out of the data: anyone may see this file. docs/reference/policy.md has \
                    all keys.";
const ENTITY: &str = "The privacy unit. If one row is one person, remove everything from here down to `groups`.";
const COLUMNS: &str = "The columns, one line each. Remove those that no query needs. Sums and averages need `bounds` (values \
                       beyond are moved to the bound; wide ones cost noise) and for decimals a `step`, the grid that values \
                       are rounded to. Groups need `keys`: these always appear and others never do. Examples of how to write \
                       them:";
const BUDGET: &str = "The part of the promise that these queries may use. The rest remains for later questions and later \
                      versions of the data; nothing that was used comes back.";
const FURTHER: &str = "Further tables, which queries may join with the main one. A table about the same people names the column of the \
                       person as `entity`; for a public table, which the promise does not cover, write `unprotected` and `key` instead.";
const ASK: &str =
    "The queries, in SQL. Each takes a part of the budget in proportion to its weight, 1 when not stated.";

/// The text of a commented policy in which everything that a person must decide is a `"?"`; `further` are tables that are
/// joined with the main one.
///
/// A first column without a name, which a policy cannot name, is mentioned in a comment.
///
/// # Errors
/// When the columns seem to be a row of data: a policy must not contain private values. The error quotes none of them.
///
/// ```
/// use deniable_policy::{Rows, Scaffold, scaffold};
/// let text = scaffold(&Scaffold {
///     table: "visits".to_owned(),
///     rows: Rows::Csv { path: "visits.csv".to_owned(), delimiter: Some(b';'), encoding: None },
///     columns: vec!["patient".to_owned(), "hours per week".to_owned()],
///     types: None,
///     described: Default::default(),
///     moments: Default::default(),
/// }, &[])?;
/// assert!(text.contains("\"hours per week\" = { type = \"?\" }"));
/// # Ok::<(), deniable_core::schema::NotNames>(())
/// ```
pub fn scaffold(input: &Scaffold, further: &[Scaffold]) -> Result<String, NotNames> {
    for table in [input].into_iter().chain(further) {
        are_names(&table.columns)?;
    }
    let mut page = Page(String::new());
    page.explain(HEAD);
    page.gap();
    page.blank(&["name"]);
    page.blank(&["population"]);
    data(&mut page, input, "data");

    page.gap();
    page.explain(ENTITY);
    page.line("[entity]");
    for key in ["key", "rows_per_group", "groups"] {
        page.blank(&["entity", key]);
    }

    page.gap();
    page.explain(COLUMNS);
    columns(&mut page, input, "");
    if !further.is_empty() {
        page.gap();
        page.explain(FURTHER);
    }
    for table in further {
        let section = format!("tables.{}", key(&table.table));
        data(&mut page, table, &section);
        page.gap();
        columns(&mut page, table, &format!("{section}."));
    }

    page.gap();
    page.line("[adversary]");
    page.blank(&["adversary", "preset"]);
    page.gap();
    page.line("[promise]");
    page.explain("the presets anyone and insider state no belief beforehand: promise `gain = 2` with them instead");
    page.blank(&["promise", "posterior_at_most"]);

    page.gap();
    page.explain(BUDGET);
    page.line("[budget]");
    page.line("spend = \"1/2\"");
    page.explain(
        "for a table that is released again, such as every month: what each version may use; `spend` is then 1",
    );
    page.line("# per_version = \"1/12\"");

    page.gap();
    page.explain(ASK);
    page.line("[[query]]");
    page.set("name", "number of rows");
    page.set("sql", format!("SELECT COUNT(*) AS n FROM {}", input.table));
    Ok(page.0)
}

/// The section on where the rows of a table are: `data`, or `tables.NAME` for a further table.
fn data(page: &mut Page, input: &Scaffold, section: &str) {
    let is_main = section == "data";
    page.gap();
    page.line(&format!("[{section}]"));
    if is_main {
        page.set("table", input.table.as_str());
    }
    // A format that contradicts the path's ending is written too, so that it is refused and not ignored.
    let (by_path, format) = match &input.rows {
        Rows::Csv { path, .. } | Rows::Parquet { path } => {
            page.set("path", path.as_str());
            let format = if matches!(input.rows, Rows::Csv { .. }) { "csv" } else { "parquet" };
            (ending(path).0, format)
        }
        Rows::Postgres { .. } => (None, "postgres"),
    };
    if !matches!((by_path, format), (Some("csv" | "tsv"), "csv") | (Some("parquet"), "parquet")) {
        page.set("format", format);
    }
    if let Rows::Postgres { relation, connect } = &input.rows {
        page.set("relation", relation.as_str());
        page.set("connect", connect.as_str());
    }
    page.blank(&["data", "version"]);
    page.explain("a rough public guess at the number of rows, from which `plan` estimates errors");
    page.line("# typical_rows = 10_000");
    if !is_main {
        page.blank(&["tables", &input.table, "entity"]);
        page.line("# unprotected = true");
        page.line("# key = \"?\"");
        page.explain("of one person, where other caps than those of [entity] are right for this table");
        page.line("# rows_per_group = 1");
    }
    let usual = if by_path == Some("tsv") { b'\t' } else { b',' };
    let Rows::Csv { delimiter, encoding, .. } = &input.rows else { return };
    let delimiter = delimiter.filter(|delimiter| *delimiter != usual);
    if delimiter.is_none() && encoding.is_none() {
        return;
    }
    page.gap();
    page.line(&format!("[{section}.csv]"));
    if let Some(encoding) = encoding {
        page.set("encoding", encoding.as_str());
    }
    if let Some(delimiter) = delimiter {
        page.set("delimiter", char::from(delimiter).to_string());
        if delimiter == b';' {
            page.explain("where numbers are written as 2,5");
            page.line("# decimal = \",\"");
        }
    }
}

/// The columns, in a section with this prefix: `tables.NAME.`, or none for the main table.
fn columns(page: &mut Page, input: &Scaffold, prefix: &str) {
    let types = input.types.as_deref().unwrap_or_default();
    let all = input.columns.iter().enumerate().map(|(at, name)| {
        let described = input.described.get(name);
        (at, name, types.get(at).copied().or(described.and_then(|notes| notes.kind)), described)
    });
    let all: Vec<_> = all.collect();
    let is_open = |notes: Option<&ColumnNotes>| notes.is_none_or(|notes| *notes == ColumnNotes::default());
    if prefix.is_empty() {
        examples(
            page,
            &all.iter().filter(|(.., notes)| is_open(*notes)).map(|(_, _, kind, _)| *kind).collect::<Vec<_>>(),
        );
    }
    page.line(&format!("[{prefix}columns]"));
    for (at, name, kind, _) in all.iter().filter(|(.., notes)| is_open(*notes)) {
        if name.is_empty() {
            page.explain(&format!("Column {} has no name: it cannot be declared.", at + 1));
            continue;
        }
        let kind = kind.map_or(blanks::BLANK, ColumnType::name);
        let zone =
            if input.moments.contains(*name) { format!(", zone = \"{}\"", blanks::BLANK) } else { String::new() };
        page.line(&format!("{} = {{ type = \"{kind}\"{zone} }}", key(name)));
    }
    for (_, name, kind, notes) in all {
        let Some(described) = notes.filter(|notes| !is_open(Some(notes))) else { continue };
        page.gap();
        if let Some(about) = &described.about {
            // Line breaks would end the comment.
            page.explain(&printable(about));
        }
        page.line(&format!("[{prefix}columns.{}]", key(name)));
        match kind {
            Some(kind) => page.set("type", kind.name()),
            None => page.set("type", blanks::BLANK),
        }
        if input.moments.contains(name) {
            page.blank(&["columns", name, "zone"]);
        }
        facts(page, (prefix, name), kind, described);
    }
}

/// How to write columns of these types; `None` is a type that is still open.
fn examples(page: &mut Page, kinds: &[Option<ColumnType>]) {
    let of = |kind: ColumnType| kinds.iter().any(|known| known.is_none_or(|known| known == kind));
    for (kind, example) in [
        (ColumnType::Integer, "age = { type = \"integer\", bounds = [0, 110], typical = 45 }"),
        (ColumnType::Integer, "rooms = { type = \"integer\", keys = [1, 2, 3] }"),
        (ColumnType::Decimal, "cost = { type = \"decimal\", bounds = [0, 99.5], step = 0.5 }"),
        (ColumnType::Text, "sex = { type = \"text\", keys = [\"F\", \"M\"], null_key = true }"),
        (ColumnType::Boolean, "smoker = { type = \"boolean\", null_key = true }"),
        (
            ColumnType::Date,
            "seen = { type = \"date\", bounds = [\"2020-01-01\", \"2024-12-31\"], format = \"%d.%m.%Y\" }",
        ),
        (ColumnType::Timestamp, "at = { type = \"timestamp\", bounds = [\"2020-01-01\", \"2024-12-31\"] }"),
    ] {
        if of(kind) {
            page.line(&format!("#   {example}"));
        }
    }
    if of(ColumnType::Text) || of(ColumnType::Integer) {
        page.explain("A column whose values are not used, such as the person's number, needs its type alone.");
    }
}

/// The bounds and groups of a codebook.
fn facts(page: &mut Page, (prefix, name): (&str, &str), kind: Option<ColumnType>, described: &ColumnNotes) {
    let ColumnNotes { about: _, kind: _, keys, bounds, step } = described;
    if let Some([low, high]) = bounds {
        page.line(&format!("bounds = [{}, {}]", written(low), written(high)));
    }
    match step {
        Some(step) => page.line(&format!("step = {}", written(step))),
        None if bounds.is_some() && kind == Some(ColumnType::Decimal) => page.blank(&["columns", name, "step"]),
        None => {}
    }
    if keys.is_empty() {
        return;
    }
    let labels = keys.iter().map(|(key, label)| {
        let key = key.to_string();
        (key.clone(), label.clone().unwrap_or(key))
    });
    let is_labelled = keys.iter().any(|(_, label)| label.is_some());
    let listed = match is_labelled {
        true => Value::from(Table::from_iter(labels.clone())),
        false => Value::from_iter(keys.iter().map(|(key, _)| key_value(key))),
    };
    let is_long = is_labelled && listed.to_string().chars().count() >= WIDTH;
    if !is_long {
        page.set("keys", listed);
    }
    let mut hint = |line: &str, of: &str| page.line(&format!("# {line:<40} # {of}"));
    hint("null_key = \"unknown\"", "a group for rows without a value");
    if kind != Some(ColumnType::Boolean) {
        hint("other = \"other\"", "a group for values that are none of `keys`");
    }
    // An inline table is one line. A table of its own follows all other keys.
    if is_long {
        page.gap();
        page.line(&format!("[{prefix}columns.{}.keys]", key(name)));
        labels.for_each(|(key, label)| page.set(&key, label));
    }
}

/// A number as TOML has it; days, times and fractions as texts.
fn written(end: &str) -> String {
    let digits = end.strip_prefix('-').unwrap_or(end);
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
    let is_number = |digits: &str| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let is_plain = is_number(whole) && is_number(fraction) && (whole == "0" || !whole.starts_with('0'));
    if is_plain { end.to_owned() } else { Value::from(end).to_string() }
}

/// A text that grows line by line.
struct Page(String);

impl Page {
    fn line(&mut self, line: &str) {
        self.0.push_str(line);
        self.0.push('\n');
    }

    fn set(&mut self, name: &str, value: impl Into<Value>) {
        self.line(&format!("{} = {}", key(name), value.into()));
    }

    fn gap(&mut self) {
        self.0.push('\n');
    }

    /// A blank key, below the question to decide: the help of its error.
    fn blank(&mut self, path: &[&str]) {
        self.explain(&blanks::help(path));
        self.set(path.last().copied().unwrap_or_default(), blanks::BLANK);
    }

    /// A comment, broken between words.
    fn explain(&mut self, text: &str) {
        let mut line = "#".to_owned();
        for word in text.split(' ') {
            if line.chars().count() + 1 + word.chars().count() > WIDTH && line.len() > 1 {
                self.line(&line);
                line = "#".to_owned();
            }
            line.push(' ');
            line.push_str(word);
        }
        self.line(&line);
    }
}
