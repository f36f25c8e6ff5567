//! A draft of a policy for a file or a table. Only names and types of columns are read, never a value.
//!
//! ```
//! use deniable::draft::{DraftOptions, draft};
//!
//! # let folder = tempfile::tempdir()?;
//! # let visits = folder.path().join("visits.csv");
//! # std::fs::write(&visits, "patient,ward,minutes\n1,a,5\n")?;
//! let drafted = draft(&DraftOptions { data: vec![visits], ..DraftOptions::default() })?;
//! assert!(drafted.text.contains("[columns]") && drafted.text.contains("\"?\"")); // open values are for the curator
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod codebook;
mod error;

pub use error::DraftError;

use crate::sources::install_sources;
use codebook::Entry;
use deniable_core::schema::{
    ColumnType, Compression, CsvOptions, NotNames, RelationName, are_names, names_variable, url_scheme,
    without_credentials,
};
use deniable_core::text::{nearest, shown};
use deniable_data::names::{StoredColumn, csv_columns, parquet_columns, relation_columns};
use deniable_policy::{ColumnNotes, Rows, Scaffold, encoding_named, scaffold};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::{Component, Path, PathBuf};

/// Most column names in a note.
const MOST_NAMED: usize = 20;

/// The data to draft a policy for.
#[derive(Debug, Clone, Default)]
pub struct DraftOptions {
    /// CSV or Parquet files, or their URLs in an object store; with `connect`, tables or views of PostgreSQL. The first is
    /// the main table, the others are joined with it.
    pub data: Vec<PathBuf>,
    /// The environment variable with the address of the database, as `env:CLINIC_PG`.
    pub connect: Option<String>,
    /// The place of the policy, to which the path of the data is relative; as given if `None`.
    pub out: Option<PathBuf>,
    /// The main table's name in queries; the name of the file or relation if `None`, as for all others.
    pub table: Option<String>,
    /// The character between two fields of CSV; if `None`, a comma, or a tab for `.tsv`.
    pub delimiter: Option<char>,
    /// The encoding of CSV, by a name of the WHATWG standard; UTF-8 if `None`.
    pub encoding: Option<String>,
    /// Only these columns, of whichever table has them; all if empty.
    pub columns: Vec<String>,
    /// A public codebook: CSV with a line for each column, or a data dictionary of REDCap.
    pub dictionary: Option<PathBuf>,
}

/// A draft of a policy.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Draft {
    /// The policy as TOML. `"?"` stands for each value that the curator must state.
    pub text: String,
    /// The number of columns.
    pub columns: usize,
    /// Columns that were left out, and differences between codebook and data.
    pub notes: Vec<String>,
}

impl Draft {
    /// Creates the policy's file, which must not exist yet.
    ///
    /// # Errors
    /// When the file exists, or cannot be written.
    pub fn write(&self, out: &Path) -> Result<(), DraftError> {
        let written = std::fs::File::create_new(out).and_then(|mut file| file.write_all(self.text.as_bytes()));
        written.map_err(|error| match error.kind() {
            std::io::ErrorKind::AlreadyExists => DraftError::Exists(out.to_owned()),
            _ => DraftError::Write(out.to_owned(), error),
        })
    }
}

/// Drafts a policy from the names and types of the data's columns. No row is read.
///
/// # Errors
/// When the data cannot be found or do not name their columns, an option does not fit the data, the codebook is invalid,
/// or the file at `out` exists.
pub fn draft(options: &DraftOptions) -> Result<Draft, DraftError> {
    install_sources();
    if let Some(out) = options.out.as_deref().filter(|out| out.symlink_metadata().is_ok()) {
        return Err(DraftError::Exists(out.to_owned()));
    }
    let mut notes = Vec::new();
    let mut tables: Vec<Scaffold> = Vec::new();
    for (at, data) in options.data.iter().enumerate() {
        let table = one(options, data, options.table.as_deref().filter(|_| at == 0), &mut notes)?;
        if tables.iter().any(|known| known.table == table.table) {
            return Err(DraftError::SameTable(table.table));
        }
        tables.push(table);
    }
    let mut tables = only(tables, &options.columns)?;
    if let Some(codebook) = &options.dictionary {
        describe(codebook, &mut tables, &mut notes)?;
    }
    let refused = |data: &Path, table: &Scaffold, problem| {
        no_names(data, problem, table.types.is_some(), options.connect.is_some())
    };
    for (data, table) in options.data.iter().zip(&tables) {
        are_names(&table.columns).map_err(|problem| refused(data, table, problem))?;
    }
    let (main, further) = tables.split_first().ok_or(DraftError::NoData)?;
    let text = scaffold(main, further).map_err(|problem| refused(&options.data[0], main, problem))?;
    Ok(Draft { text, columns: tables.iter().map(|table| table.columns.len()).sum(), notes })
}

/// The names and types of the columns of one file or table.
fn one(
    options: &DraftOptions,
    data: &Path,
    stated: Option<&str>,
    notes: &mut Vec<String>,
) -> Result<Scaffold, DraftError> {
    if options.connect.is_none() && !is_url(data) && !data.is_file() {
        return Err(no_file(data));
    }
    if ending(data) == "toml" {
        return Err(DraftError::Policy(data.to_owned()));
    }
    let table = match stated {
        Some(name) if is_table_name(name) => name.to_owned(),
        Some(name) => return Err(DraftError::TableName(name.to_owned())),
        None => table_name(data, options.connect.is_some()),
    };
    let found = match &options.connect {
        Some(connect) => relation(data, connect, notes)?,
        None => file(options, data, notes)?,
    };
    Ok(Scaffold { table, ..found })
}

fn no_names(data: &Path, problem: NotNames, is_typed: bool, is_relation: bool) -> DraftError {
    DraftError::NoNames { data: shown_data(data), problem, is_typed, is_relation }
}

/// The tables with the columns of these names alone, in the order of the data; with all if no name is given.
fn only(tables: Vec<Scaffold>, names: &[String]) -> Result<Vec<Scaffold>, DraftError> {
    if names.is_empty() {
        return Ok(tables);
    }
    let known: Vec<&str> = tables.iter().flat_map(|table| &table.columns).map(String::as_str).collect();
    if let Some(other) = names.iter().find(|name| !known.contains(&name.as_str())) {
        let nearest = nearest(other, &known).map(str::to_owned);
        return Err(DraftError::NoColumn { name: other.clone(), nearest });
    }
    Ok(tables.into_iter().map(|table| with_columns(table, names)).collect())
}

fn with_columns(found: Scaffold, names: &[String]) -> Scaffold {
    let is_kept: Vec<bool> = found.columns.iter().map(|name| names.contains(name)).collect();
    let types = found
        .types
        .map(|types| types.into_iter().zip(&is_kept).filter_map(|(kind, kept)| kept.then_some(kind)).collect());
    let columns = found.columns.into_iter().zip(&is_kept).filter_map(|(name, kept)| kept.then_some(name)).collect();
    Scaffold { columns, types, ..found }
}

fn is_url(data: &Path) -> bool {
    data.to_str().is_some_and(|data| url_scheme(data).is_some())
}

/// A path, or a URL without its credentials.
fn shown_data(data: &Path) -> String {
    without_credentials(&data.to_string_lossy()).into_owned()
}

fn no_file(data: &Path) -> DraftError {
    let of_file = ["csv", "tsv", "txt", "parquet", "gz", "zst"].contains(&ending(data).as_str());
    let is_folder = data.is_dir();
    let is_relation = !of_file && data.to_str().is_some_and(|name| RelationName::parse(name).is_some());
    DraftError::NoFile { data: data.to_owned(), is_folder, is_relation: is_relation && !is_folder }
}

/// A scaffold with the names and types of the readable columns of a catalog or a schema.
fn typed(all: Vec<StoredColumn>, rows: Rows, notes: &mut Vec<String>) -> Scaffold {
    let (mut columns, mut types, mut moments) = (Vec::new(), Vec::new(), BTreeSet::new());
    for StoredColumn { name, kind, has_zone } in all {
        match kind {
            Some(kind) => {
                if has_zone {
                    moments.insert(name.clone());
                }
                columns.push(name);
                types.push(kind);
            }
            None => notes.push(format!("column `{}` is left out: its type is not supported", shown(&name))),
        }
    }
    Scaffold { table: String::new(), rows, columns, types: Some(types), moments, described: BTreeMap::new() }
}

/// The columns of a table or view of PostgreSQL, in a scaffold without a table name.
fn relation(data: &Path, connect: &str, notes: &mut Vec<String>) -> Result<Scaffold, DraftError> {
    if !names_variable(connect) {
        return Err(DraftError::Connect);
    }
    let name = data.to_string_lossy().into_owned();
    let all = relation_columns(&name, connect)?;
    Ok(typed(all, Rows::Postgres { relation: name, connect: connect.to_owned() }, notes))
}

/// The columns of a file, in a scaffold without a table name.
fn file(options: &DraftOptions, data: &Path, notes: &mut Vec<String>) -> Result<Scaffold, DraftError> {
    let compression = Compression::of_ending(&ending(data));
    // The extension of `visits.tsv.gz` is `tsv`.
    let ending = if compression.is_some() { ending(&data.with_extension("")) } else { ending(data) };
    let delimiter = options.delimiter;
    let delimiter = delimiter.map(|it| CsvOptions::delimiter_of(it).ok_or(DraftError::Delimiter(it))).transpose()?;
    let path = path_in_policy(data, options.out.as_deref());
    if ending == "parquet" {
        if compression.is_some() {
            return Err(DraftError::CompressedParquet(shown_data(data)));
        }
        let of_csv = [("encoding", options.encoding.is_some()), ("delimiter", options.delimiter.is_some())];
        if let Some((option, _)) = of_csv.into_iter().find(|(_, is_stated)| *is_stated) {
            return Err(DraftError::OfCsv(option));
        }
        let all = parquet_columns(data)?;
        // All names are judged, also those of columns that are left out.
        let names: Vec<String> = all.iter().map(|column| column.name.clone()).collect();
        are_names(&names).map_err(|problem| no_names(data, problem, true, false))?;
        return Ok(typed(all, Rows::Parquet { path }, notes));
    }
    let usual = if ending == "tsv" { b'\t' } else { b',' };
    let compression = compression.unwrap_or(Compression::None);
    let mut csv = CsvOptions { compression, ..CsvOptions::with_delimiter(delimiter.unwrap_or(usual)) };
    if let Some(label) = &options.encoding {
        csv.encoding = encoding_named(label).ok_or_else(|| DraftError::Encoding(label.clone()))?;
    }
    let columns = csv_columns(data, &csv)?;
    if let [one] = columns.as_slice()
        && let Some(other) = suspected(one)
    {
        // A stated usual delimiter confirms the single column.
        match delimiter {
            None => return Err(DraftError::SingleColumn { data: shown_data(data), other, usual: char::from(usual) }),
            Some(stated) if stated == usual => {}
            Some(_) => notes.push(format!("WARNING: the header has a single column, and its name contains `{other}`")),
        }
    }
    let rows = Rows::Csv { path, delimiter, encoding: options.encoding.clone() };
    let (moments, described) = (BTreeSet::new(), BTreeMap::new());
    Ok(Scaffold { table: String::new(), rows, columns, types: None, moments, described })
}

/// Adds the notes of a codebook on the columns of the tables; mismatches become notes of the draft. A column has the same
/// meaning in every table.
fn describe(codebook: &Path, tables: &mut [Scaffold], notes: &mut Vec<String>) -> Result<(), DraftError> {
    let of_table = |table: &Scaffold| {
        let types = table.types.iter().flatten().copied();
        table.columns.iter().cloned().zip(types).collect::<Vec<(String, ColumnType)>>()
    };
    // Of a column in several tables, the type in the first one counts.
    let typed: Vec<(String, ColumnType)> = tables.iter().rev().flat_map(of_table).collect();
    let types: BTreeMap<&str, ColumnType> = typed.iter().map(|(name, kind)| (name.as_str(), *kind)).collect();
    let names: BTreeSet<String> = tables.iter().flat_map(|table| table.columns.clone()).collect();
    let known: Vec<&str> = names.iter().map(String::as_str).collect();
    let (there, others): (Vec<Entry>, Vec<Entry>) =
        codebook::read(codebook, &types)?.into_iter().partition(|entry| known.contains(&entry.name.as_str()));
    for entry in &there {
        if let (Some(told), Some(kind)) = (entry.contradicted, entry.described.kind) {
            notes.push(format!(
                "{}:{}: `{}` is {} in the codebook and {} in the file; the type of the file is used",
                codebook.display(),
                entry.line,
                shown(&entry.name),
                told.name(),
                kind.name()
            ));
        }
    }
    for Entry { name, line, .. } in others.iter().take(MOST_NAMED) {
        let near = nearest(name, &known).map_or_else(String::new, |near| format!("; did you mean `{}`?", shown(near)));
        notes.push(format!("{}:{line}: the data has no column `{}`{near}", codebook.display(), shown(name)));
    }
    if others.len() > MOST_NAMED {
        notes.push(format!("{} more columns of the codebook are not in the data", others.len() - MOST_NAMED));
    }
    let described: BTreeMap<String, ColumnNotes> =
        there.into_iter().map(|entry| (entry.name, entry.described)).collect();
    let columns = tables.iter().flat_map(|table| &table.columns);
    let silent: Vec<String> = columns
        .filter(|name| !name.is_empty() && !described.contains_key(*name))
        .map(|name| format!("`{}`", shown(name)))
        .collect();
    if !silent.is_empty() {
        let more = if silent.len() > MOST_NAMED { ", ..." } else { "" };
        let names = silent.iter().take(MOST_NAMED).cloned().collect::<Vec<_>>().join(", ");
        notes.push(format!("the codebook does not describe these columns of the data: {names}{more}"));
    }
    for table in tables {
        let own = described.iter().filter(|(name, _)| table.columns.contains(name));
        table.described = own.map(|(name, notes)| (name.clone(), notes.clone())).collect();
    }
    Ok(())
}

/// The likely delimiter of a header that reads as a single name: the most frequent of the usual delimiters in it.
fn suspected(header: &str) -> Option<char> {
    let times = |delimiter: &char| header.matches(*delimiter).count();
    [';', '\t', '|', ','].into_iter().rev().max_by_key(times).filter(|delimiter| times(delimiter) > 0)
}

fn ending(path: &Path) -> String {
    path.extension().map(|ending| ending.to_string_lossy().to_lowercase()).unwrap_or_default()
}

fn is_table_name(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    name.chars().all(plain) && name.chars().next().is_some_and(|first| !first.is_ascii_digit())
}

/// `Visits 2024.csv` becomes `visits_2024`, `clinic.visits` is `visits`, and `s3://bucket/visits/*.parquet` too.
fn table_name(data: &Path, is_relation: bool) -> String {
    let relation = is_relation.then(|| RelationName::parse(&data.to_string_lossy())).flatten();
    let stem = relation.map_or_else(|| stem(data), |relation| relation.name).to_lowercase();
    let plain: String = stem.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    let plain = without_period(&plain);
    if is_table_name(plain) { plain.to_owned() } else { format!("t_{plain}") }
}

/// A name without the year, month and day at its end: the table has the same name in every period.
fn without_period(name: &str) -> &str {
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let mut rest = name;
    while let Some((before, last)) = rest.rsplit_once('_').filter(|(_, last)| is_digits(last) && last.len() <= 8) {
        if before.is_empty() {
            break;
        }
        rest = before;
        if last.len() >= 4 {
            return rest;
        }
    }
    name
}

/// The name of a file without its extensions; for a URL with a pattern, the name of the folder.
fn stem(data: &Path) -> String {
    let is_pattern = |data: &Path| is_url(data) && data.to_string_lossy().contains(['*', '[', '{']);
    let named = data.ancestors().find(|part| !is_pattern(part)).unwrap_or(data);
    let packed = Compression::of_ending(&ending(named)).is_some();
    let named = if packed { named.with_extension("") } else { named.to_owned() };
    named.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default()
}

/// The path of the data relative to the policy's folder, so that both can move together.
fn path_in_policy(data: &Path, out: Option<&Path>) -> String {
    let Some(out) = out.filter(|_| !is_url(data)) else { return data.to_string_lossy().into_owned() };
    let folder = out.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // Links are resolved, because `..` is relative to the folder that a link points to.
    let path = match (data.canonicalize(), folder.canonicalize()) {
        (Ok(data), Ok(folder)) => relative(&data, &folder).unwrap_or(data),
        _ => data.to_owned(),
    };
    path.to_string_lossy().into_owned()
}

/// The relative path from a folder to a file, both absolute and without links; `None` if they share no folder but the
/// root, where an absolute path is simpler.
fn relative(file: &Path, folder: &Path) -> Option<PathBuf> {
    let shared = file.components().zip(folder.components()).take_while(|(one, other)| one == other).count();
    let named = file.components().take(shared).any(|part| matches!(part, Component::Normal(_)));
    let up = folder.components().skip(shared).map(|_| Component::ParentDir);
    named.then(|| up.chain(file.components().skip(shared)).collect())
}
