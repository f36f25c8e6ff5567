//! `deniable init`: the beginning of a policy. Only names and types of columns are read, never a value.

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
use deniable_policy::{ColumnNotes, Rows, Scaffold, scaffold};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::{Component, Path, PathBuf};

const NO_NAMES_PARQUET: &str = "nothing of it was copied or shown; give the columns plain names: what made the file may have taken a \
                                row for them";

/// Most columns that are named in a message.
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
                format!("--table {name}: not a plain name"),
                "use lower-case letters, digits and _, as in visits",
            ));
        }
        None => table_name(args),
    };
    let found = match &args.connect {
        Some(connect) => relation(data, connect)?,
        None => file(args)?,
    };
    let described =
        args.dictionary.as_deref().map(|codebook| described(codebook, &found)).transpose()?.unwrap_or_default();
    let input = Scaffold { table, described, ..found };
    let text = scaffold(&input).map_err(|problem| no_names(args, &problem, input.types.is_some()))?;
    match &args.out {
        Some(out) => create(out, &text)?,
        None => publish(&text, None)?,
    }
    say(format!("{} columns of {} found; no row was looked at", input.columns.len(), shown_data(data)));
    let shown = args.out.as_ref().map_or_else(|| "policy.toml".to_owned(), |out| out.display().to_string());
    if args.out.is_none() {
        say("save this as policy.toml in this folder: paths in it are relative to the policy");
    }
    say(format!(
        "next: decide every \"?\" in {shown}, then see `deniable plan {shown}` and `deniable data check {shown}`"
    ));
    Ok(())
}

fn is_url(data: &Path) -> bool {
    data.to_str().is_some_and(|data| url_scheme(data).is_some())
}

/// A path, or a URL without what may be keys in it.
fn shown_data(data: &Path) -> String {
    without_credentials(&data.to_string_lossy()).into_owned()
}

fn no_file(data: &Path) -> Failure {
    let what = if data.is_dir() { "is a folder" } else { "is not there" };
    let of_file = ["csv", "tsv", "txt", "parquet", "gz", "zst"].contains(&ending(data).as_str());
    let is_relation = !of_file && data.to_str().is_some_and(|name| RelationName::parse(name).is_some());
    let help = if !data.is_dir() && is_relation {
        "name one CSV or Parquet file; for a table of PostgreSQL add --connect env:NAME, the variable that holds the database's address"
    } else {
        "name one CSV or Parquet file; `path` in the policy can be widened to a folder or pattern later"
    };
    Failure::refused(format!("{} {what}", data.display()), help)
}

/// What a catalog or a schema tells of columns, those that can be read: names and types.
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
            None => say(format!("column `{}` is left out: values of its type are not read", shown(&name))),
        }
    }
    Scaffold { table: String::new(), rows, columns, types: Some(types), moments, described: BTreeMap::new() }
}

/// The columns of a table or view of PostgreSQL, in a scaffold that has no name yet.
fn relation(data: &Path, connect: &str) -> Result<Scaffold, Failure> {
    if !names_variable(connect) {
        return Err(Failure::usage(
            "--connect names no variable of the environment",
            "put the database's address into a variable and name that, as in --connect env:CLINIC_PG",
        ));
    }
    let name = data.to_string_lossy().into_owned();
    let all = relation_columns(&name, connect)?;
    Ok(typed(all, Rows::Postgres { relation: name, connect: connect.to_owned() }))
}

/// The columns of a file, in a scaffold that has no name yet.
fn file(args: &Init) -> Result<Scaffold, Failure> {
    let compression = Compression::of_ending(&ending(&args.data));
    // `visits.tsv.gz` is a `.tsv` once it is unpacked.
    let ending = if compression.is_some() { ending(&args.data.with_extension("")) } else { ending(&args.data) };
    let delimiter = args.delimiter.map(delimiter).transpose()?;
    let path = path_in_policy(&args.data, args.out.as_deref());
    match ending.as_str() {
        "parquet" if compression.is_some() => {
            let help = "unpack it; Parquet is compressed by itself, column by column";
            Err(Failure::refused(format!("{} is compressed Parquet", shown_data(&args.data)), help))
        }
        "parquet" if args.delimiter.is_some() => {
            Err(Failure::usage("--delimiter is for CSV, and this is Parquet", "leave --delimiter out"))
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
            let options = CsvOptions { compression, ..CsvOptions::with_delimiter(delimiter.unwrap_or(usual)) };
            let columns = csv_columns(&args.data, &options)?;
            if let [one] = columns.as_slice()
                && let Some(other) = suspected(one)
            {
                // Who has named the usual one has been asked already.
                match delimiter {
                    None => return Err(single_column(&args.data, other, usual)),
                    Some(stated) if stated == usual => {}
                    Some(_) => say(format!("WARNING: there is a single column, and its name contains `{other}`")),
                }
            }
            let rows = Rows::Csv { path, delimiter };
            let (moments, described) = (BTreeSet::new(), BTreeMap::new());
            Ok(Scaffold { table: String::new(), rows, columns, types: None, moments, described })
        }
    }
}

/// What a codebook says of the columns that were found, with what it does not say on standard error.
fn described(codebook: &Path, found: &Scaffold) -> Result<BTreeMap<String, ColumnNotes>, Failure> {
    let types = found.types.iter().flatten().copied();
    let types: BTreeMap<&str, ColumnType> = found.columns.iter().map(String::as_str).zip(types).collect();
    let known: Vec<&str> = found.columns.iter().map(String::as_str).collect();
    let (there, others): (Vec<Entry>, Vec<Entry>) =
        codebook::read(codebook, &types)?.into_iter().partition(|entry| known.contains(&entry.name.as_str()));
    for entry in &there {
        if let (Some(told), Some(kind)) = (entry.contradicted, entry.described.kind) {
            say(format!(
                "{}:{}: `{}` is {} in the codebook and {} in the file, whose type stands",
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
        say(format!("and {} more columns of the codebook that the data does not have", others.len() - MOST_NAMED));
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
        say(format!("the codebook says nothing of these columns of the data: {names}{more}"));
    }
    Ok(described)
}

/// What the fields of a header that reads as a single name seem to end at: the commonest of the usual delimiters in it.
fn suspected(header: &str) -> Option<char> {
    let times = |delimiter: &char| header.matches(*delimiter).count();
    [';', '\t', '|', ','].into_iter().rev().max_by_key(times).filter(|delimiter| times(delimiter) > 0)
}

/// A policy of one wrong column would have to be thrown away. Who means it says so, with the usual delimiter.
fn single_column(data: &Path, other: char, usual: u8) -> Failure {
    let flag = |delimiter: char| match delimiter {
        '\t' => "--delimiter tab".to_owned(),
        _ => format!("--delimiter '{delimiter}'"),
    };
    let what = if other == '\t' { "tabs".to_owned() } else { format!("`{other}`") };
    Failure::refused(
        format!("{} has a single column, and its name contains {what}", shown_data(data)),
        format!("if fields end there, add {}; if it is one column, {}", flag(other), flag(char::from(usual))),
    )
}

/// A file without names begins with a row of data, which a policy is no place for. Nothing of it is said.
fn no_names(args: &Init, problem: &NotNames, typed: bool) -> Failure {
    let help = match problem {
        NotNames::Twice { .. } => "rename one of them in the file: a policy tells columns apart by their names",
        _ if args.connect.is_some() => {
            "nothing of it was copied or shown; give the columns plain names, in a view if need be"
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
    if is_table_name(&plain) { plain } else { format!("t_{plain}") }
}

/// What a file is called without its endings; where a URL is a pattern, what the folder is called.
fn stem(data: &Path) -> String {
    let is_pattern = |data: &Path| is_url(data) && data.to_string_lossy().contains(['*', '[', '{']);
    let named = data.ancestors().find(|part| !is_pattern(part)).unwrap_or(data);
    let packed = Compression::of_ending(&ending(named)).is_some();
    let named = if packed { named.with_extension("") } else { named.to_owned() };
    named.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default()
}

/// The data as the policy should name it: relative to the policy's folder, so that both can move together.
fn path_in_policy(data: &Path, out: Option<&Path>) -> String {
    let Some(out) = out.filter(|_| !is_url(data)) else { return data.to_string_lossy().into_owned() };
    let folder = out.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // Without links, as `..` leads out of the folder that a link points to.
    let path = match (data.canonicalize(), folder.canonicalize()) {
        (Ok(data), Ok(folder)) => relative(&data, &folder).unwrap_or(data),
        _ => data.to_owned(),
    };
    path.to_string_lossy().into_owned()
}

/// The way from a folder to a file, both absolute and without links; `None` where they have nothing in common, be it another
/// drive or the root alone, from which an absolute path is plainer.
fn relative(file: &Path, folder: &Path) -> Option<PathBuf> {
    let shared = file.components().zip(folder.components()).take_while(|(one, other)| one == other).count();
    let named = file.components().take(shared).any(|part| matches!(part, Component::Normal(_)));
    let up = folder.components().skip(shared).map(|_| Component::ParentDir);
    named.then(|| up.chain(file.components().skip(shared)).collect())
}

/// Never writes over anything, also when the file appears just now.
fn create(out: &Path, text: &str) -> Result<(), Failure> {
    let written = std::fs::File::create_new(out).and_then(|mut file| file.write_all(text.as_bytes()));
    written.map_err(|error| match error.kind() {
        std::io::ErrorKind::AlreadyExists => there_already(out),
        _ => Failure::refused(
            format!("{} cannot be written: {error}", out.display()),
            "name another --out, in a folder that is there",
        ),
    })
}

fn there_already(out: &Path) -> Failure {
    let help = "a policy is never overwritten: name another --out, or move that file away";
    Failure::refused(format!("{} is there already", out.display()), help)
}
