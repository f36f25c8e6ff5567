//! People: the six columns of a .fam file.

use crate::cohort::Status;
use crate::file_error::{FileError, FileErrorKind, shown};
use crate::lines::{Lines, exactly};
use std::collections::HashMap;

/// A person of a .fam file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Person {
    /// The family (FID).
    pub family: String,
    /// The individual within the family (IID).
    pub id: String,
    /// Whether both parents are unknown. PLINK chooses minor alleles among founders.
    pub founder: bool,
    /// Whether the fifth column is 1 or 2.
    pub sex_known: bool,
    /// The sixth column; `None` if it is missing, or was not requested.
    pub status: Option<Status>,
}

/// Reads people. Phenotypes are parsed only if requested: with a phenotype file, the column may contain anything.
pub(crate) fn read(mut lines: Lines, with_phenotypes: bool) -> Result<Vec<Person>, FileError> {
    const NAMES: &str = "FID, IID, father, mother, sex, phenotype";
    let mut people = Vec::new();
    let mut first_lines = HashMap::new();
    while lines.advance_to_end()? {
        let fault = |kind| lines.error(kind);
        let columns = exactly::<6>(lines.text());
        let [family, id, father, mother, sex, phenotype] =
            columns.map_err(|found| fault(FileErrorKind::Columns { found, expected: "6", names: NAMES }))?;
        let founder = father == "0" && mother == "0";
        let sex_known = matches!(sex, "1" | "2");
        let status = if with_phenotypes { Status::parse(phenotype).map_err(fault)? } else { None };
        if let Some(first) = first_lines.insert((family.to_owned(), id.to_owned()), lines.number()) {
            return Err(fault(FileErrorKind::Duplicate { id: full_name(family, id), first }));
        }
        people.push(Person { family: family.to_owned(), id: id.to_owned(), founder, sex_known, status });
    }
    if people.is_empty() {
        return Err(FileError::whole(lines.file(), FileErrorKind::Empty("people")));
    }
    Ok(people)
}

/// The name of a person for errors.
pub(crate) fn full_name(family: &str, id: &str) -> String {
    format!("{} {}", shown(family), shown(id))
}
