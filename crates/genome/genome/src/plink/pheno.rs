//! Phenotypes from a separate file: FID, IID and one or more phenotypes, with or without a header (PLINK's `--pheno`).

use super::fam::full_name;
use crate::cohort::Status;
use crate::file_error::{FileError, FileErrorKind, shown};
use crate::lines::{Lines, words};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// The selected phenotype of the file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Column {
    /// The first phenotype.
    #[default]
    First,
    /// The phenotype of this name in the header (PLINK's `--pheno-name`).
    Named(String),
    /// The phenotype of this number; the first has number 1 (PLINK's `--mpheno`).
    Number(usize),
}

/// A phenotype file, and the selected phenotype.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PhenoFile {
    /// The file.
    pub path: PathBuf,
    /// The phenotype.
    pub column: Column,
}

/// The phenotypes of people.
#[derive(Debug, Clone)]
pub struct Phenotypes {
    file: PathBuf,
    /// The line and the phenotype, by family and individual.
    people: HashMap<(String, String), (u64, Option<Status>)>,
}

const NAMES: &str = "FID, IID and phenotypes";

impl Phenotypes {
    /// Reads a phenotype file.
    ///
    /// # Errors
    /// If it cannot be read, names a person twice, or has values other than 1, 2, 0, -9 and NA in the selected column.
    pub fn read(pheno: &PhenoFile) -> Result<Self, FileError> {
        let mut lines = Lines::open(&pheno.path)?;
        let mut people = HashMap::new();
        let mut place = None;
        while lines.advance_filled()? {
            let line = lines.text();
            let fault = |kind| lines.error(kind);
            // A quoted name would match no person, who would then count as unphenotyped.
            if let Some(at) = line.find('"') {
                return Err(fault(FileErrorKind::Quote { column: at + 1 }));
            }
            let first = place.is_none();
            let at = match place {
                Some(at) => at,
                None => *place.insert(column(line, &pheno.column).map_err(fault)?),
            };
            if first && is_header(line) {
                continue;
            }
            let mut columns = words(line);
            let (Some(family), Some(id)) = (columns.next(), columns.next()) else {
                let found = words(line).count();
                return Err(fault(FileErrorKind::Columns { found, expected: "3 or more", names: NAMES }));
            };
            let Some(value) = columns.nth(at) else {
                let found = words(line).count();
                return Err(fault(FileErrorKind::Columns {
                    found,
                    expected: "as many as in the first line",
                    names: NAMES,
                }));
            };
            let status = Status::parse(value).map_err(fault)?;
            let key = (family.to_owned(), id.to_owned());
            if let Some((first, _)) = people.insert(key, (lines.number(), status)) {
                return Err(fault(FileErrorKind::Duplicate { id: full_name(family, id), first }));
            }
        }
        if people.is_empty() {
            return Err(FileError::whole(&pheno.path, FileErrorKind::Empty("people")));
        }
        Ok(Self { file: pheno.path.clone(), people })
    }

    /// The file.
    #[must_use]
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// The number of people that it names.
    #[must_use]
    pub fn len(&self) -> usize {
        self.people.len()
    }

    /// Whether it names no people; never true for a file that was read.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.people.is_empty()
    }

    /// The phenotype of a person: `None` if the file does not name the person, `Some(None)` if the phenotype is
    /// missing.
    #[must_use]
    pub fn of(&self, family: &str, id: &str) -> Option<Option<Status>> {
        // The map is keyed by owned names: two short copies for each person of a cohort, once.
        self.people.get(&(family.to_owned(), id.to_owned())).map(|(_, status)| *status)
    }

    /// The phenotypes by individual alone, for formats without families; `names` are the individuals needed.
    ///
    /// # Errors
    /// If one of those names occurs in several families.
    pub(crate) fn by_individual<'a>(
        &'a self,
        asked: &dyn Fn(&str) -> bool,
    ) -> Result<HashMap<&'a str, Option<Status>>, FileError> {
        let mut found: HashMap<&str, (u64, Option<Status>)> = HashMap::new();
        for ((_, id), (line, status)) in self.people.iter().filter(|((_, id), _)| asked(id)) {
            if let Some((other, _)) = found.insert(id, (*line, *status)) {
                let (first, second) = (other.min(*line), other.max(*line));
                let kind = FileErrorKind::Ambiguous { sample: shown(id), first, second };
                return Err(FileError::at(&self.file, second, kind));
            }
        }
        Ok(found.into_iter().map(|(id, (_, status))| (id, status)).collect())
    }
}

fn is_header(line: &str) -> bool {
    let mut columns = words(line);
    matches!(columns.next(), Some("FID" | "#FID")) && columns.next() == Some("IID")
}

/// The index of a phenotype after FID and IID, from the first line.
fn column(line: &str, column: &Column) -> Result<usize, FileErrorKind> {
    let phenotypes = words(line).count().saturating_sub(2);
    let header = is_header(line);
    let names = || {
        // At most 20 names in a message.
        let names: Vec<String> = words(line).skip(2).take(20).map(shown).collect();
        if header { names.join(", ") } else { format!("{phenotypes} columns without names") }
    };
    if phenotypes == 0 {
        let found = words(line).count();
        return Err(FileErrorKind::Columns { found, expected: "3 or more", names: NAMES });
    }
    match column {
        Column::First => Ok(0),
        Column::Number(number @ 1..) if *number <= phenotypes => Ok(number - 1),
        Column::Number(number) => Err(FileErrorKind::NoColumn { wanted: number.to_string(), found: names() }),
        Column::Named(name) if !header => Err(FileErrorKind::NoHeader { name: shown(name) }),
        Column::Named(name) => words(line)
            .skip(2)
            .position(|column| column == name)
            .ok_or_else(|| FileErrorKind::NoColumn { wanted: shown(name), found: names() }),
    }
}
