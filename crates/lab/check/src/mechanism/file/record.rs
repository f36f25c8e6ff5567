//! Builds a mechanism from single probabilities, independently of the file format.

use super::error::{FileError, FileErrorKind, Place};
use crate::mechanism::dataset::{Dataset, members};
use crate::mechanism::error::MechanismError;
use crate::mechanism::limits::size_fits;
use crate::mechanism::model::Mechanism;
use deniable_core::exact::Rational;
use deniable_core::text::did_you_mean;
use num_traits::{Signed, Zero};
use std::collections::{BTreeMap, HashMap};

/// `Pr[output | members]` and its place in the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// The place in the file, for messages.
    pub place: Place,
    /// The members of the dataset.
    pub members: Vec<String>,
    /// The output, by its name.
    pub output: String,
    /// The exact probability of the output at the dataset.
    pub probability: Rational,
}

/// The names that a file declares, with their places, in their order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DeclaredNames {
    /// All entities; `None` to use those of the records.
    pub entities: Option<Vec<(Place, String)>>,
    /// All outputs; `None` to use those of the records.
    pub outputs: Option<Vec<(Place, String)>>,
}

/// Builds a mechanism. A pair of dataset and output without a record has probability 0; a dataset without any record
/// has no row.
///
/// # Errors
/// When a row does not sum to 1, a probability is negative or repeated, a name is not declared, or the universe is too
/// large for a table.
pub fn mechanism(declared: &DeclaredNames, records: &[Record]) -> Result<Mechanism, FileError> {
    if records.is_empty() {
        return Err(FileErrorKind::Empty.anywhere());
    }
    let people = records.iter().flat_map(|record| record.members.iter().map(|name| (record.place, name)));
    let entities = Names::new("entity", declared.entities.as_deref(), people)?;
    let answers = records.iter().map(|record| (record.place, &record.output));
    let outputs = Names::new("output", declared.outputs.as_deref(), answers)?;
    // Checked before any dataset is encoded as bits.
    size_fits(entities.list.len(), outputs.list.len()).map_err(|error| FileErrorKind::from(error).anywhere())?;

    let mut rows: BTreeMap<Dataset, Row> = BTreeMap::new();
    for record in records {
        let data = dataset(&entities, record)?;
        let Record { place, output: name, probability, .. } = record;
        let named = || members(&entities.list, data);
        if probability.is_negative() {
            let kind =
                FileErrorKind::Negative { data: named(), output: name.clone(), value: probability.clone() }.at(*place);
            return Err(kind);
        }
        let row = rows.entry(data).or_insert_with(|| Row { place: *place, chances: BTreeMap::new() });
        let output = outputs.positions[name.as_str()];
        if let Some((first, _)) = row.chances.insert(output, (*place, probability.clone())) {
            return Err(FileErrorKind::Duplicate { data: named(), output: name.clone(), first }.at(*place));
        }
    }

    let places: BTreeMap<Dataset, Place> = rows.iter().map(|(data, row)| (*data, row.place)).collect();
    let mut table = vec![None; 1 << entities.list.len()];
    for (data, row) in rows {
        let mut chances = vec![Rational::zero(); outputs.list.len()];
        for (output, (_, probability)) in row.chances {
            chances[output] = probability;
        }
        let sum: Rational = chances.iter().sum();
        if sum != deniable_core::exact::whole(1) {
            let kind = FileErrorKind::from(MechanismError::Sum { data: members(&entities.list, data), sum });
            return Err(kind.at(places[&data]).hint("an output that is not listed has probability 0"));
        }
        table[data as usize] = Some(chances);
    }
    Mechanism::partial(entities.list, outputs.list, table).map_err(|error| FileErrorKind::from(error).anywhere())
}

/// The records of one dataset.
struct Row {
    place: Place,
    chances: BTreeMap<usize, (Place, Rational)>,
}

/// Distinct names and their positions.
pub(crate) struct Names {
    pub(crate) list: Vec<String>,
    pub(crate) positions: HashMap<String, usize>,
}

impl Names {
    /// The declared names, or the names of the records; with declared names, all others are rejected.
    pub(crate) fn new<'a>(
        what: &'static str,
        declared: Option<&[(Place, String)]>,
        occurring: impl Iterator<Item = (Place, &'a String)>,
    ) -> Result<Self, FileError> {
        let mut names = Self { list: Vec::new(), positions: HashMap::new() };
        for (place, name) in declared.into_iter().flatten() {
            if !names.add(name) {
                let list = "list";
                return Err(FileErrorKind::Twice { what, name: name.clone(), list }.at(*place));
            }
        }
        for (place, name) in occurring {
            if declared.is_none() {
                names.add(name);
            } else if !names.positions.contains_key(name.as_str()) {
                let hint = did_you_mean(name, names.list.iter().map(String::as_str));
                return Err(FileErrorKind::Unknown { what, name: name.clone() }.at(place).hint(hint));
            }
        }
        Ok(names)
    }

    fn add(&mut self, name: &str) -> bool {
        let new = !self.positions.contains_key(name);
        if new {
            self.positions.insert(name.to_owned(), self.list.len());
            self.list.push(name.to_owned());
        }
        new
    }
}

/// The members of a record as bits.
fn dataset(entities: &Names, record: &Record) -> Result<Dataset, FileError> {
    record.members.iter().try_fold(0, |data: Dataset, name| {
        let bit = 1 << entities.positions[name.as_str()];
        if data & bit != 0 {
            let kind = FileErrorKind::Twice { what: "entity", name: name.clone(), list: "dataset" };
            return Err(kind.at(record.place));
        }
        Ok(data | bit)
    })
}
