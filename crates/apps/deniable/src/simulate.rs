//! Made-up rows of a policy's tables, and rehearsals: the whole policy on such rows, with a ledger of its own.
//!
//! Rows are drawn from the policy alone, with a fixed seed: the same policy has the same rows on every machine. No
//! protected row is read, and no database, engine or object store is contacted. A public table whose file exists keeps
//! its own rows.
//!
//! ```
//! use deniable::simulate::Simulate;
//! use deniable::{Column, ColumnType, PolicyBuilder};
//!
//! # let folder = tempfile::tempdir()?;
//! let policy = PolicyBuilder::new("clinic", "clinic-patients")
//!     .in_folder(folder.path())
//!     .table("visits", "visits.csv", "2024-06") // this file does not exist
//!     .column(&Column::new("patient", ColumnType::Integer))
//!     .entity("patient", 3, 1)
//!     .adversary("acquaintance")
//!     .promise("epsilon", &deniable::exact::whole(1))
//!     .query("visits", "SELECT COUNT(*) AS visits FROM visits")
//!     .build()?;
//! let size = Simulate { rows: Some(5000), people: Some(2000) };
//!
//! let written = size.tables(&policy)?.write(&folder.path().join("simulated"), None, false)?;
//! assert_eq!((written.tables[0].file.as_str(), written.tables[0].rows), ("visits.csv", 5000));
//!
//! let released = size.rehearse(policy, None)?.release().wait()?;
//! assert!(released.publication.rehearsal);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use crate::error::Error;
use crate::session::Session;
use crate::sources::with_public_keys;
use deniable_core::diagnostic::{Code, Diagnose, Diagnostic, Surface};
use deniable_core::schema::{Compression, CsvOptions, Data, DeclaredTable, Format};
use deniable_core::text::{printable, push_paragraph};
use deniable_data::{Source, is_part_of};
use deniable_policy::{MadeUpRows, Policy};
use deniable_release::{Permissions, RegistrationMode, RowsOrigin, SimulatedTable, simulated, usual_size};
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The size of a simulation; what is `None` follows from the policy's guesses.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Simulate {
    /// The rows of each protected table; if omitted, `typical_rows` of the policy, or 1,000.
    pub rows: Option<u64>,
    /// The people with rows; if omitted, `typical_entities` of the policy, or a number with a few rows each.
    pub people: Option<u64>,
}

/// A format of files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileFormat {
    /// CSV: as the policy declares it, or with commas, a header and UTF-8 for tables that are not CSV.
    Csv,
    /// Parquet.
    Parquet,
}

/// A simulation or a rehearsal that is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SimulateError {
    /// A number of people was given, but the policy names no entity.
    #[error("the policy has no [entity]: one row is one person, so the number of rows is that of the people")]
    NoEntity,
    /// More people than rows.
    #[error("{people} people cannot have only {rows} rows")]
    FewRows {
        /// The people.
        people: u64,
        /// The rows of each table.
        rows: u64,
    },
    /// A file or folder exists already.
    #[error("{0} exists already")]
    Exists(PathBuf),
    /// A file would replace the policy's data, or be read as a part of it.
    #[error("{0} would be read as data of the policy")]
    OwnData(PathBuf),
    /// The ledger of the policy was named for a rehearsal.
    #[error("{0} is the ledger of the policy, and a rehearsal is never charged to it")]
    OwnLedger(PathBuf),
    /// Rows were given for a rehearsal.
    #[error("a rehearsal reads no rows of `{0}`: it makes rows up")]
    Rows(String),
}

impl Simulate {
    /// Makes the rows of all tables of a policy.
    ///
    /// # Errors
    /// When the size does not fit the policy, or a public table's file exists and cannot be read.
    pub fn tables(self, policy: &Policy) -> Result<Simulation, Error> {
        let declared = policy.tables();
        let size = self.size(policy)?;
        let made = with_public_keys(policy.clone().rehearsed(size, PathBuf::new()))?;
        let tables = declared.into_iter().zip(simulated(&made, size)?).collect();
        Ok(Simulation { size, tables, home: policy.folder().to_owned() })
    }

    /// Opens a session for the rehearsal of a policy: everything that a release does, on made-up rows. Without a path,
    /// its ledger is in a temporary folder, and is deleted with the last clone of the session.
    ///
    /// # Errors
    /// When the size does not fit the policy, the path is that of the policy's own ledger, a query is invalid, or a
    /// public table's file exists and cannot be read.
    pub fn rehearse(self, policy: Policy, ledger: Option<PathBuf>) -> Result<Session, Error> {
        let size = self.size(&policy)?;
        let (ledger, folder) = match ledger {
            Some(ledger) if is_same(&ledger, policy.ledger()) => return Err(SimulateError::OwnLedger(ledger).into()),
            Some(ledger) => (ledger, None),
            None => {
                let folder = tempfile::Builder::new().prefix("deniable-rehearsal-").tempdir().map_err(Error::Folder)?;
                (folder.path().join("rehearsal.ledger"), Some(Arc::new(folder)))
            }
        };
        let session = Session::new(policy.rehearsed(size, ledger))?;
        Ok(session.allowing(Permissions::from(RegistrationMode::GoOn)).keeping(folder))
    }

    fn size(self, policy: &Policy) -> Result<MadeUpRows, SimulateError> {
        let usual = usual_size(policy);
        let rows = self.rows.unwrap_or(usual.rows);
        match self.people {
            Some(_) if policy.entity().is_none() => Err(SimulateError::NoEntity),
            Some(people) if people > rows => Err(SimulateError::FewRows { people, rows }),
            // A guess about more rows than are wanted.
            people => Ok(MadeUpRows { rows, people: people.or(usual.people.map(|people| people.min(rows))) }),
        }
    }
}

/// Whether two paths name the same file, which may not exist yet.
fn is_same(one: &Path, other: &Path) -> bool {
    let place = |path: &Path| {
        let path = std::path::absolute(path).ok()?;
        path.canonicalize().ok().or_else(|| Some(path.parent()?.canonicalize().ok()?.join(path.file_name()?)))
    };
    one == other || place(one).is_some_and(|place_of_one| place(other) == Some(place_of_one))
}

/// The made-up tables of a policy.
#[derive(Debug, Clone)]
pub struct Simulation {
    size: MadeUpRows,
    tables: Vec<(DeclaredTable, SimulatedTable)>,
    /// The folder of the policy.
    home: PathBuf,
}

/// The files of a simulation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct SimulationReport {
    /// Whether the protected rows are made up: always.
    pub made_up: bool,
    /// The folder.
    pub folder: PathBuf,
    /// The rows of each protected table.
    pub rows: u64,
    /// The people with rows, if their number was given or guessed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub people: Option<u64>,
    /// The tables, the main one first.
    pub tables: Vec<SimulatedFile>,
}

/// The file of a table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct SimulatedFile {
    /// The table.
    pub table: String,
    /// The file's name in the folder; with partitions, the name of a folder.
    pub file: String,
    /// The number of rows.
    pub rows: u64,
    /// Whether they are made up, or those of a public file.
    pub origin: RowsOrigin,
}

impl Simulation {
    /// Writes one file for each table into a folder, which is created if missing: in the declared format, or in the
    /// given one, under the name of the policy's file.
    ///
    /// # Errors
    /// When a file exists and `overwrite` is false, when the policy would read one as its data, and when one cannot be
    /// written.
    pub fn write(&self, folder: &Path, format: Option<FileFormat>, overwrite: bool) -> Result<SimulationReport, Error> {
        let formats: Vec<Format> =
            self.tables.iter().map(|(table, _)| written_as(&table.data.format, format)).collect();
        let names = self.names(&formats);
        let is_own = |path: &PathBuf| self.tables.iter().any(|(table, _)| is_part_of(&table.data, &self.home, path));
        if let Some(own) = names.iter().map(|name| folder.join(name)).find(is_own) {
            return Err(SimulateError::OwnData(own).into());
        }
        let taken = |(name, (table, _)): (&String, &(DeclaredTable, SimulatedTable))| {
            let path = folder.join(name);
            // Further files in the folder of a partitioned table would be read with its own.
            let is_taken = path.exists() && !(overwrite && table.data.partitions.is_empty());
            is_taken.then_some(SimulateError::Exists(path))
        };
        if let Some(taken) = names.iter().zip(&self.tables).find_map(taken) {
            return Err(taken.into());
        }
        std::fs::create_dir_all(folder).map_err(Error::Folder)?;
        let mut tables = Vec::new();
        for (((table, made), format), file) in self.tables.iter().zip(&formats).zip(names) {
            let data = &table.data;
            let partitions = if matches!(format, Format::Csv(_)) { &[] } else { data.partitions.as_slice() };
            let rows = made.source.write(&table.columns, format, partitions, &folder.join(&file), overwrite)?;
            tables.push(SimulatedFile { table: data.table.clone(), file, rows, origin: made.origin });
        }
        let MadeUpRows { rows, people } = self.size;
        Ok(SimulationReport { made_up: true, folder: folder.to_owned(), rows, people, tables })
    }

    /// The rows of a table, and whether they are made up; `None` if the policy does not declare the table.
    #[must_use]
    pub fn rows(&self, table: &str) -> Option<(&Source, RowsOrigin)> {
        let (_, made) = self.tables.iter().find(|(known, _)| known.data.table == table)?;
        Some((&made.source, made.origin))
    }

    /// The names of the files: those of the policy, or the table's if several tables would have one name.
    fn names(&self, formats: &[Format]) -> Vec<String> {
        let name = |((table, _), format): (&(DeclaredTable, SimulatedTable), &Format)| file_name(&table.data, format);
        let names: Vec<(String, String)> = self.tables.iter().zip(formats).map(name).collect();
        let is_single = |name: &str| names.iter().filter(|(other, _)| other.eq_ignore_ascii_case(name)).count() == 1;
        let one = |(name, plain): &(String, String)| if is_single(name) { name.clone() } else { plain.clone() };
        names.iter().map(one).collect()
    }
}

/// The format of a table's file. Rows of a database or an engine are read from Parquet instead.
fn written_as(declared: &Format, format: Option<FileFormat>) -> Format {
    match (declared, format) {
        (Format::Csv(_), None | Some(FileFormat::Csv)) => declared.clone(),
        (_, Some(FileFormat::Csv)) => Format::Csv(CsvOptions::with_delimiter(b',')),
        (_, None | Some(FileFormat::Parquet)) => Format::Parquet,
    }
}

/// The name of a table's file, and the name that is the table's own.
fn file_name(data: &Data, format: &Format) -> (String, String) {
    let suffix = match format {
        Format::Csv(options) => match options.compression {
            Compression::None => ".csv",
            Compression::Gzip => ".csv.gz",
            Compression::Zstd => ".csv.zst",
        },
        _ if data.partitions.is_empty() => ".parquet",
        _ => "",
    };
    let plain = format!("{}{suffix}", data.table);
    let is_same_format =
        matches!((&data.format, format), (Format::Csv(_), Format::Csv(_)) | (Format::Parquet, Format::Parquet));
    let name = Path::new(&data.path).file_name().and_then(|name| name.to_str());
    let is_file = |name: &&str| Path::new(name).extension().is_some() && !name.contains(['*', '?', '[', '{']);
    match name.filter(is_file) {
        Some(name) if is_same_format && !suffix.is_empty() => (name.to_owned(), plain),
        _ => (plain.clone(), plain),
    }
}

impl std::fmt::Display for SimulationReport {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for SimulatedFile { table, file, rows, origin } in &self.tables {
            let path = self.folder.join(file);
            let what = match origin {
                RowsOrigin::MadeUp => "made up",
                RowsOrigin::PublicFile => "those of the public file",
            };
            let path = path.display().to_string();
            writeln!(f, "`{}`: {rows} rows, {what}, in {}", printable(table), printable(&path))?;
        }
        let mut text = String::new();
        push_paragraph(&mut text, "", NOTE);
        f.write_str(&text)
    }
}

/// What simulated rows are.
pub const NOTE: &str = "made-up rows, drawn from the policy alone: nothing here is about a person";

impl Diagnose for SimulateError {
    fn diagnostics(&self, surface: Surface) -> Vec<Diagnostic> {
        let help = match self {
            Self::NoEntity => format!("leave {} out", surface.option("people")),
            Self::FewRows { people, .. } => format!("allow at least {}", surface.set("rows", people.to_string())),
            Self::Exists(_) => match surface {
                Surface::Command => "name another folder with --out, or add --force to replace files; the folder of a \
                                     table with partitions must be removed first"
                    .to_owned(),
                Surface::Python | Surface::Library => "name another folder, or allow to replace files".to_owned(),
            },
            Self::OwnData(_) => format!("name another folder with {}", surface.option("out")),
            Self::OwnLedger(_) => {
                format!("leave {} out: the ledger of a rehearsal is temporary", surface.option("ledger"))
            }
            Self::Rows(_) => "leave them out, or open a session that is no rehearsal".to_owned(),
        };
        vec![Diagnostic::new(Code::Usage, self).with_help(help)]
    }
}
