//! `deniable init`: a draft of a policy. Only names and types of columns are read, never a value.

use crate::args::policy::Init;
use crate::args::policy::delimiter;
use crate::codebook::{self, Entry};
use crate::console::say;
use crate::error::Failure;
use crate::output::publish;
use deniable_core::schema::{
    ColumnType, Compression, CsvOptions, NotNames, RelationName, are_names, names_variable, url_scheme,
    without_credentials,
};
use deniable_core::text::{nearest, shown};
use deniable_data::NO_NAMES;
use deniable_data::names::{StoredColumn, csv_columns, parquet_columns, relation_columns};
use deniable_policy::{ColumnNotes, Rows, Scaffold, encoding_named, scaffold};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::{Component, Path, PathBuf};

const NO_NAMES_PARQUET: &str = "give the columns plain names; the program that wrote the file may have taken a row for \
                                the names. No part of the file was copied or shown";

/// Most column names in a message.
const MOST_NAMED: usize = 20;

/// Runs it.
pub fn run(args: &Init) -> Result<(), Failure> {
    if let Some(out) = args.out.as_deref().filter(|out| out.symlink_metadata().is_ok()) {
        return Err(there_already(out));
    }
    let data = &args.data;
    if args.connect.is_none() && !is_url(data) && !data.is_file() {
        return Err(no_file(data));
    }
    let table = match &args.table {
        Some(name) if is_table_name(name) => name.clone(),
        Some(name) => {
            return Err(Failure::usage(
                format!("--table {name} is not a plain name"),
                "use lower-case letters, digits and _, as in visits",
            ));
        }
        None => table_name(args),
    };
    let found = match &args.connect {
        Some(connect) => relation(data, connect)?,
        None => file(args)?,
    };
    let found = only(found, &args.columns)?;
    let described =
        args.dictionary.as_deref().map(|codebook| described(codebook, &found)).transpose()?.unwrap_or_default();
    let input = Scaffold { table, described, ..found };
    let text = scaffold(&input).map_err(|problem| no_names(args, &problem, input.types.is_some()))?;
    match &args.out {
        Some(out) => create(out, &text)?,
        None => publish(&text, None)?,
    }
    say(format!("{} columns of {} found; no row was read", input.columns.len(), shown_data(data)));
    let shown = args.out.as_ref().map_or_else(|| "policy.toml".to_owned(), |out| out.display().to_string());
    if args.out.is_none() {
        say("save this as policy.toml in this folder: paths in it are relative to the policy");
    }
    say(format!(
        "next: replace every \"?\" in {shown}, then run `deniable plan {shown}` and `deniable data check {shown}`"
    ));
    Ok(())
}

/// The draft with the columns of these names alone, in the order of the data; with all if no name is given.
fn only(found: Scaffold, names: &[String]) -> Result<Scaffold, Failure> {
    if names.is_empty() {
        return Ok(found);
    }
    let known: Vec<&str> = found.columns.iter().map(String::as_str).collect();
    if let Some(other) = names.iter().find(|name| !found.columns.contains(name)) {
        let help = nearest(other, &known).map_or_else(
            || "`deniable init` without --columns lists all".to_owned(),
            |near| format!("did you mean `{}`?", shown(near)),
        );
        return Err(Failure::usage(format!("--columns: the data have no column `{}`", shown(other)), help));
    }
    let is_kept: Vec<bool> = found.columns.iter().map(|name| names.contains(name)).collect();
    let types = found
        .types
        .map(|types| types.into_iter().zip(&is_kept).filter_map(|(kind, kept)| kept.then_some(kind)).collect());
    let columns = found.columns.into_iter().zip(&is_kept).filter_map(|(name, kept)| kept.then_some(name)).collect();
    Ok(Scaffold { columns, types, ..found })
}

fn is_url(data: &Path) -> bool {
    data.to_str().is_some_and(|data| url_scheme(data).is_some())
}

/// A path, or a URL without its credentials.
fn shown_data(data: &Path) -> String {
    without_credentials(&data.to_string_lossy()).into_owned()
}

fn no_file(data: &Path) -> Failure {
    let what = if data.is_dir() { "is a folder" } else { "does not exist" };
    let of_file = ["csv", "tsv", "txt", "parquet", "gz", "zst"].contains(&ending(data).as_str());
    let is_relation = !of_file && data.to_str().is_some_and(|name| RelationName::parse(name).is_some());
    let help = if !data.is_dir() && is_relation {
        "name one CSV or Parquet file; for a table of PostgreSQL add --connect env:NAME, the variable with the \
        database's address"
    } else {
        "name one CSV or Parquet file; `path` in the policy may be changed to a folder or pattern later"
    };
    Failure::refused(format!("{} {what}", data.display()), help)
}

/// A scaffold with the names and types of the readable columns of a catalog or a schema.
fn typed(all: Vec<StoredColumn>, rows: Rows) -> Scaffold {
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
            None => say(format!("column `{}` is left out: its type is not supported", shown(&name))),
        }
    }
    Scaffold { table: String::new(), rows, columns, types: Some(types), moments, described: BTreeMap::new() }
}

/// The columns of a table or view of PostgreSQL, in a scaffold without a table name.
fn relation(data: &Path, connect: &str) -> Result<Scaffold, Failure> {
    if !names_variable(connect) {
        return Err(Failure::usage(
            "--connect does not name an environment variable",
            "put the database's address into a variable and name it, as in --connect env:CLINIC_PG",
        ));
    }
    let name = data.to_string_lossy().into_owned();
    let all = relation_columns(&name, connect)?;
    Ok(typed(all, Rows::Postgres { relation: name, connect: connect.to_owned() }))
}

/// The columns of a file, in a scaffold without a table name.
fn file(args: &Init) -> Result<Scaffold, Failure> {
    let compression = Compression::of_ending(&ending(&args.data));
    // The extension of `visits.tsv.gz` is `tsv`.
    let ending = if compression.is_some() { ending(&args.data.with_extension("")) } else { ending(&args.data) };
    let delimiter = args.delimiter.map(delimiter).transpose()?;
    let path = path_in_policy(&args.data, args.out.as_deref());
    match ending.as_str() {
        "parquet" if compression.is_some() => {
            let help = "decompress the file; Parquet compresses its columns itself";
            Err(Failure::refused(format!("{} is compressed Parquet", shown_data(&args.data)), help))
        }
        "parquet" if args.encoding.is_some() => {
            Err(Failure::usage("--encoding is for CSV, and this file is Parquet", "leave --encoding out"))
        }
        "parquet" if args.delimiter.is_some() => {
            Err(Failure::usage("--delimiter is for CSV, and this file is Parquet", "leave --delimiter out"))
        }
        "parquet" => {
            let all = parquet_columns(&args.data)?;
            let names: Vec<String> = all.iter().map(|column| column.name.clone()).collect();
            are_names(&names).map_err(|problem| no_names(args, &problem, true))?;
            Ok(typed(all, Rows::Parquet { path }))
        }
        _ => {
            let usual = if ending == "tsv" { b'\t' } else { b',' };
            let compression = compression.unwrap_or(Compression::None);
            let mut options = CsvOptions { compression, ..CsvOptions::with_delimiter(delimiter.unwrap_or(usual)) };
            if let Some(label) = &args.encoding {
                options.encoding = encoding_named(label).ok_or_else(|| {
                    let help = "name an encoding of the WHATWG standard, such as latin1, windows-1252 or utf-16le";
                    Failure::usage(format!("--encoding {} is not known", shown(label)), help)
                })?;
            }
            let columns = csv_columns(&args.data, &options)?;
            if let [one] = columns.as_slice()
                && let Some(other) = suspected(one)
            {
                // A stated usual delimiter confirms the single column.
                match delimiter {
                    None => return Err(single_column(&args.data, other, usual)),
                    Some(stated) if stated == usual => {}
                    Some(_) => say(format!("WARNING: the header has a single column, and its name contains `{other}`")),
                }
            }
            let rows = Rows::Csv { path, delimiter, encoding: args.encoding.clone() };
            let (moments, described) = (BTreeSet::new(), BTreeMap::new());
            Ok(Scaffold { table: String::new(), rows, columns, types: None, moments, described })
        }
    }
}

/// The notes of a codebook on the columns of the data; reports mismatches on standard error.
fn described(codebook: &Path, found: &Scaffold) -> Result<BTreeMap<String, ColumnNotes>, Failure> {
    let types = found.types.iter().flatten().copied();
    let types: BTreeMap<&str, ColumnType> = found.columns.iter().map(String::as_str).zip(types).collect();
    let known: Vec<&str> = found.columns.iter().map(String::as_str).collect();
    let (there, others): (Vec<Entry>, Vec<Entry>) =
        codebook::read(codebook, &types)?.into_iter().partition(|entry| known.contains(&entry.name.as_str()));
    for entry in &there {
        if let (Some(told), Some(kind)) = (entry.contradicted, entry.described.kind) {
            say(format!(
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
        say(format!("{}:{line}: the data has no column `{}`{near}", codebook.display(), shown(name)));
    }
    if others.len() > MOST_NAMED {
        say(format!("{} more columns of the codebook are not in the data", others.len() - MOST_NAMED));
    }
    let described: BTreeMap<String, ColumnNotes> =
        there.into_iter().map(|entry| (entry.name, entry.described)).collect();
    let silent: Vec<String> = known
        .iter()
        .filter(|name| !name.is_empty() && !described.contains_key(**name))
        .map(|name| format!("`{}`", shown(name)))
        .collect();
    if !silent.is_empty() {
        let more = if silent.len() > MOST_NAMED { ", ..." } else { "" };
        let names = silent.iter().take(MOST_NAMED).cloned().collect::<Vec<_>>().join(", ");
        say(format!("the codebook does not describe these columns of the data: {names}{more}"));
    }
    Ok(described)
}

/// The likely delimiter of a header that reads as a single name: the most frequent of the usual delimiters in it.
fn suspected(header: &str) -> Option<char> {
    let times = |delimiter: &char| header.matches(*delimiter).count();
    [';', '\t', '|', ','].into_iter().rev().max_by_key(times).filter(|delimiter| times(delimiter) > 0)
}

/// Refuses a header that reads as one column, because its draft policy would be useless. Stating the usual delimiter
/// confirms that there is one column.
fn single_column(data: &Path, other: char, usual: u8) -> Failure {
    let flag = |delimiter: char| match delimiter {
        '\t' => "--delimiter tab".to_owned(),
        _ => format!("--delimiter '{delimiter}'"),
    };
    let what = if other == '\t' { "tabs".to_owned() } else { format!("`{other}`") };
    Failure::refused(
        format!("{} has a single column, and its name contains {what}", shown_data(data)),
        format!("if that is the delimiter, add {}; if it is one column, add {}", flag(other), flag(char::from(usual))),
    )
}

/// The failure of a file without column names. Its first line is a row of data, so the message quotes none of it.
fn no_names(args: &Init, problem: &NotNames, typed: bool) -> Failure {
    let help = match problem {
        NotNames::Twice { .. } => "rename one of them in the file: a policy identifies columns by their names",
        _ if args.connect.is_some() => {
            "give the columns plain names, in a view if necessary. No part of the table was copied or shown"
        }
        _ if typed => NO_NAMES_PARQUET,
        _ => NO_NAMES,
    };
    let what = if typed { "does not name its columns" } else { "does not begin with the names of its columns" };
    Failure::refused(format!("{} {what}: {problem}", shown_data(&args.data)), help)
}

fn ending(path: &Path) -> String {
    path.extension().map(|ending| ending.to_string_lossy().to_lowercase()).unwrap_or_default()
}

fn is_table_name(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    name.chars().all(plain) && name.chars().next().is_some_and(|first| !first.is_ascii_digit())
}

/// `Visits 2024.csv` becomes `visits_2024`, `clinic.visits` is `visits`, and `s3://bucket/visits/*.parquet` too.
fn table_name(args: &Init) -> String {
    let relation = args.connect.is_some().then(|| RelationName::parse(&args.data.to_string_lossy())).flatten();
    let stem = relation.map_or_else(|| stem(&args.data), |relation| relation.name).to_lowercase();
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

/// Creates the file atomically, so that a file created in the meantime is not overwritten.
fn create(out: &Path, text: &str) -> Result<(), Failure> {
    let written = std::fs::File::create_new(out).and_then(|mut file| file.write_all(text.as_bytes()));
    written.map_err(|error| match error.kind() {
        std::io::ErrorKind::AlreadyExists => there_already(out),
        _ => Failure::refused(
            format!("{} cannot be written: {error}", out.display()),
            "name another --out, in an existing folder",
        ),
    })
}

fn there_already(out: &Path) -> Failure {
    let help = "name another --out, or move that file: a policy is never overwritten";
    Failure::refused(format!("{} exists already", out.display()), help)
}
