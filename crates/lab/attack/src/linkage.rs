//! Linkage: a released table joined with an identified one.
//!
//! The pattern of the Massachusetts hospital records (GIC): a table without names shares columns with a register that
//! has names. A person whose combination of values is unique in both is identified. The same join is made with people
//! who are known not to be in the data: their matches are all wrong, which measures how far a unique match can be
//! trusted.
//!
//! A match is **unique** if exactly one row of the release and exactly one person of the auxiliary table have a
//! combination of values. Values are compared as text without surrounding blanks; a person without a value in a key
//! column matches no row.

use crate::intervals::Proportion;
use crate::table_error::{TableError, TableErrorKind};
use deniable_core::text::{nearest, shown};
use std::collections::{HashMap, HashSet};
use std::io::Read;
use std::path::{Path, PathBuf};

/// A table of text. Read from CSV by [`TextTable::read`], or built by callers from other formats.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextTable {
    /// The name of the table in errors.
    pub file: PathBuf,
    /// The column names.
    pub columns: Vec<String>,
    /// The rows, each with one value per column.
    pub rows: Vec<Vec<String>>,
}

impl TextTable {
    /// Reads CSV; the first line names the columns. Files named `.tsv` are separated by tabs.
    ///
    /// # Errors
    /// If the file cannot be read, is not text, or a line has more or fewer values than the first.
    pub fn read(file: &Path) -> Result<Self, TableError> {
        let opened = TableError::open(file)?;
        let tabs = file.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("tsv"));
        Self::of(file, opened, if tabs { b'\t' } else { b',' })
    }

    /// Reads CSV from any input; `file` is its name in errors.
    ///
    /// # Errors
    /// As [`TextTable::read`].
    pub fn of(file: &Path, input: impl Read, delimiter: u8) -> Result<Self, TableError> {
        let mut reader = csv::ReaderBuilder::new().delimiter(delimiter).trim(csv::Trim::All).from_reader(input);
        let fault = |error: &csv::Error| TableError::csv(file, error);
        let columns = reader.headers().map_err(|error| fault(&error))?.iter().map(str::to_owned).collect();
        let mut rows = Vec::new();
        for record in reader.records() {
            rows.push(record.map_err(|error| fault(&error))?.iter().map(str::to_owned).collect());
        }
        Ok(Self { file: file.to_owned(), columns, rows })
    }

    /// The index of a column.
    ///
    /// # Errors
    /// If there is no column of this name, or several.
    pub fn column(&self, name: &str) -> Result<usize, TableError> {
        let mut places = (0..).zip(&self.columns).filter(|(_, column)| *column == name).map(|(place, _)| place);
        let kind = match (places.next(), places.next()) {
            (Some(place), None) => return Ok(place),
            (Some(_), Some(_)) => TableErrorKind::TwoColumns(shown(name)),
            (None, _) if self.columns.is_empty() => TableErrorKind::Empty("columns"),
            (None, _) => {
                let known: Vec<&str> = self.columns.iter().map(String::as_str).collect();
                let found = known.iter().take(20).map(|column| shown(column)).collect::<Vec<_>>().join(", ");
                TableErrorKind::Unknown { wanted: shown(name), near: nearest(name, &known).map(shown), found }
            }
        };
        Err(TableError::whole(&self.file, kind))
    }

    fn places(&self, names: &[String]) -> Result<Vec<usize>, TableError> {
        names.iter().map(|name| self.column(name)).collect()
    }

    /// The value of a row in a column; `None` if it is empty.
    fn value(&self, row: usize, column: usize) -> Option<&str> {
        self.rows.get(row)?.get(column).map(String::as_str).filter(|value| !value.is_empty())
    }

    fn key(&self, row: usize, columns: &[usize]) -> Option<Vec<&str>> {
        columns.iter().map(|column| self.value(row, *column)).collect()
    }
}

/// The columns to join on, and the column that identifies correct matches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JoinColumns {
    /// The columns that both tables have.
    pub columns: Vec<String>,
    /// The column that identifies people in both tables: the curator's, for measuring. Without it no match is known to
    /// be correct, and no person to be outside the data.
    pub truth: Option<String>,
}

/// Counts of a group of people, by the outcome of the linkage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LinkageCounts {
    /// Number of people searched for.
    pub people: u64,
    /// People without a value in a joined column; they match no row.
    pub incomplete: u64,
    /// People whose values occur in at least one row of the release.
    pub agreeing: u64,
    /// People matched uniquely.
    pub unique: u64,
    /// People matched uniquely and correctly; `None` if the truth is unknown.
    pub correct: Option<u64>,
}

impl LinkageCounts {
    /// The share of people who are matched uniquely.
    #[must_use]
    pub fn matched(&self) -> Proportion {
        Proportion { hits: self.unique, of: self.people }
    }

    /// The share of this group's unique matches that is correct.
    #[must_use]
    pub fn precision(&self) -> Option<Proportion> {
        self.correct.map(|hits| Proportion { hits, of: self.unique })
    }

    /// The share of people who are matched uniquely and correctly.
    #[must_use]
    pub fn found(&self) -> Option<Proportion> {
        self.correct.map(|hits| Proportion { hits, of: self.people })
    }
}

/// The result of an attack by linkage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Linkage {
    /// The people of the auxiliary table who are in the data; all of them if the truth is unknown.
    pub targets: LinkageCounts,
    /// The baseline: people who are known not to be in the data, if any. Every unique match of theirs is wrong.
    pub outside: Option<LinkageCounts>,
}

impl Linkage {
    /// The share of all unique matches that is correct, including those of people outside: the chance that a match is
    /// correct for an observer who does not know who is in the data. It depends on the numbers of both kinds of people
    /// searched for.
    #[must_use]
    pub fn trust(&self) -> Option<Proportion> {
        let outside = self.outside.map_or(0, |outside| outside.unique);
        self.targets.correct.map(|hits| Proportion { hits, of: self.targets.unique + outside })
    }
}

/// Joins a release with an auxiliary table, exactly.
///
/// With a truth column, people of the auxiliary table without a row in the release are the baseline. `outsiders` are
/// more of them: a table with the key columns, of people known not to be in the data. Each is joined as one additional
/// person of the auxiliary table.
///
/// # Errors
/// If a column is missing, or no column is named.
pub fn link(
    released: &TextTable,
    auxiliary: &TextTable,
    outsiders: Option<&TextTable>,
    on: &JoinColumns,
) -> Result<Linkage, TableError> {
    if on.columns.is_empty() {
        return Err(TableError::whole(&auxiliary.file, TableErrorKind::Empty("columns to join on")));
    }
    if released.rows.is_empty() {
        return Err(TableError::whole(&released.file, TableErrorKind::Empty("rows")));
    }
    let mut rows: HashMap<Vec<&str>, Vec<usize>> = HashMap::new();
    let columns = released.places(&on.columns)?;
    for row in 0..released.rows.len() {
        if let Some(key) = released.key(row, &columns) {
            rows.entry(key).or_default().push(row);
        }
    }
    let columns = auxiliary.places(&on.columns)?;
    let mut people: HashMap<Vec<&str>, u64> = HashMap::new();
    for key in (0..auxiliary.rows.len()).filter_map(|row| auxiliary.key(row, &columns)) {
        *people.entry(key).or_default() += 1;
    }
    let truths = match &on.truth {
        Some(truth) => Some((released.column(truth)?, auxiliary.column(truth)?)),
        None => None,
    };
    let known: HashSet<&str> = truths.map_or_else(HashSet::new, |(own, _)| {
        (0..released.rows.len()).filter_map(|row| released.value(row, own)).collect()
    });
    let mut targets = LinkageCounts { correct: truths.map(|_| 0), ..LinkageCounts::default() };
    let mut outside = LinkageCounts::default();
    for person in 0..auxiliary.rows.len() {
        let name = truths.and_then(|(_, truth)| auxiliary.value(person, truth));
        let is_inside = truths.is_none() || name.is_some_and(|name| known.contains(name));
        let group = if is_inside { &mut targets } else { &mut outside };
        let key = auxiliary.key(person, &columns);
        let alone = key.as_ref().is_some_and(|key| people.get(key) == Some(&1));
        if let Some(row) = group.add(key.as_deref(), &rows, alone) {
            let theirs = truths.and_then(|(truth, _)| released.value(row, truth));
            if let (Some(correct), true) = (&mut group.correct, name.is_some() && name == theirs) {
                *correct += 1;
            }
        }
    }
    if let Some(outsiders) = outsiders {
        // If the outsiders have the truth column, it is checked that they are outside.
        if let Some(truth) = on.truth.as_deref().and_then(|truth| outsiders.column(truth).ok()) {
            let is_known = |row: &usize| outsiders.value(*row, truth).is_some_and(|name| known.contains(name));
            let inside = (0..outsiders.rows.len()).filter(is_known).count() as u64;
            if inside > 0 {
                return Err(TableError::whole(&outsiders.file, TableErrorKind::Inside(inside)));
            }
        }
        let columns = outsiders.places(&on.columns)?;
        for person in 0..outsiders.rows.len() {
            let key = outsiders.key(person, &columns);
            let alone = key.as_ref().is_some_and(|key| !people.contains_key(key));
            outside.add(key.as_deref(), &rows, alone);
        }
    }
    let any = truths.is_some() || outsiders.is_some();
    Ok(Linkage { targets, outside: any.then_some(outside) })
}

impl LinkageCounts {
    /// Adds a person; returns the row that they are matched with uniquely.
    fn add(&mut self, key: Option<&[&str]>, rows: &HashMap<Vec<&str>, Vec<usize>>, alone: bool) -> Option<usize> {
        self.people += 1;
        let Some(key) = key else {
            self.incomplete += 1;
            return None;
        };
        let agreeing = rows.get(key)?;
        self.agreeing += 1;
        match agreeing.as_slice() {
            [row] if alone => {
                self.unique += 1;
                Some(*row)
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(text: &str) -> TextTable {
        TextTable::of(Path::new("t.csv"), text.as_bytes(), b',').unwrap()
    }

    fn on(columns: &[&str], truth: Option<&str>) -> JoinColumns {
        JoinColumns {
            columns: columns.iter().map(|name| (*name).to_owned()).collect(),
            truth: truth.map(str::to_owned),
        }
    }

    const RELEASED: &str = "id,zip,birth,sex,diagnosis\n1,02138,1945-07-31,m,a\n2,02138,1950-01-01,f,b\n\
        3,02139,1950-01-01,f,c\n4,02139,1950-01-01,f,d\n5,,1960-01-01,m,e\n";

    #[test]
    fn unique_correct_and_outside() {
        let released = table(RELEASED);
        // 1 is found; 2 shares her values with another person in the register; 3 and 4 have equal values; 5 has no zip;
        // 7 is not in the data and matches no row, and 8 has no zip.
        let register = table(
            "id,name,sex,birth,zip\n1,W,m,1945-07-31,02138\n2,A,f,1950-01-01, 02138\n6,B,f,1950-01-01,02138\n\
             3,C,f,1950-01-01,02139\n5,E,m,1960-01-01,02140\n7,F,m,1990-01-01,02138\n8,G,m,1945-07-31,\n",
        );
        let keys = ["zip", "birth", "sex"];
        let found = link(&released, &register, None, &on(&keys, Some("id"))).unwrap();
        assert_eq!(found.targets, LinkageCounts { people: 4, incomplete: 0, agreeing: 3, unique: 1, correct: Some(1) });
        assert_eq!(
            found.outside,
            Some(LinkageCounts { people: 3, incomplete: 1, agreeing: 1, unique: 0, correct: None })
        );
        assert_eq!(found.targets.precision(), Some(Proportion { hits: 1, of: 1 }));
        assert_eq!(found.trust(), Some(Proportion { hits: 1, of: 1 }));
        let untold = link(&released, &register, None, &on(&keys, None)).unwrap();
        assert_eq!((untold.targets.people, untold.targets.correct, untold.outside), (7, None, None));
    }

    #[test]
    fn outsiders_show_what_a_match_is_worth() {
        let released = table(RELEASED);
        let register = table("id,zip\n1,02138\n");
        let outsiders = table("zip\n02141\n02138\n02140\n");
        let found = link(&released, &register, Some(&outsiders), &on(&["zip"], None)).unwrap();
        assert_eq!(found.outside.unwrap(), LinkageCounts { people: 3, agreeing: 1, ..LinkageCounts::default() });
        let sexes =
            link(&released, &table("birth\n2001-01-01\n"), Some(&table("birth\n1945-07-31\n")), &on(&["birth"], None));
        assert_eq!(sexes.unwrap().outside.unwrap().unique, 1);
    }

    #[test]
    fn complaints() {
        let released = table(RELEASED);
        let inside = link(&released, &released, Some(&released), &on(&["zip"], Some("id"))).unwrap_err();
        assert_eq!(inside.kind, TableErrorKind::Inside(5));
        let nobody = link(&table("zip\n"), &released, None, &on(&["zip"], None)).unwrap_err();
        assert_eq!(nobody.kind, TableErrorKind::Empty("rows"));
        let missing = link(&released, &table("id\n1\n"), None, &on(&["zip"], None)).unwrap_err();
        let unknown = |near: Option<&str>, found: &str| TableErrorKind::Unknown {
            wanted: "zip".to_owned(),
            near: near.map(str::to_owned),
            found: found.to_owned(),
        };
        assert_eq!(missing.kind, unknown(None, "id"));
        let misspelt = link(&released, &table("zpi\n1\n"), None, &on(&["zip"], None)).unwrap_err();
        assert_eq!(misspelt.kind, unknown(Some("zpi"), "zpi"));
        let empty = link(&released, &table(""), None, &on(&["zip"], None)).unwrap_err();
        assert_eq!(empty.kind, TableErrorKind::Empty("columns"));
        let twice = link(&released, &table("zip,zip\n1,2\n"), None, &on(&["zip"], None)).unwrap_err();
        assert_eq!(twice.kind, TableErrorKind::TwoColumns("zip".to_owned()));
        assert!(link(&released, &released, None, &on(&[], None)).is_err());
        let uneven = TextTable::of(Path::new("t.csv"), "a,b\n1,2\n3\n".as_bytes(), b',').unwrap_err();
        assert_eq!((uneven.line, uneven.kind), (Some(3), TableErrorKind::Values { found: 1, expected: 2 }));
    }
}
