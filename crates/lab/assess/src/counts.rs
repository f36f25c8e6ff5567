//! The input: distinct rows of some columns, and the number of times each occurs in a table.
//!
//! Values are stored once per column and rows as codes, so a row costs four bytes a column. The caller counts rows (an
//! SQL engine, `GROUP BY`); pushing a row twice is harmless, since all readers of counts add equal rows.

use crate::error::{AssessError, TableRole};
use std::collections::HashMap;

/// Largest number of people in a table: products of two counts, times a number of values, must fit 127 bits.
pub const MOST_PEOPLE: u64 = 1 << 50;

/// A column, with its distinct values.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Column {
    name: String,
    values: Vec<String>,
    /// The code of each value. Every cell of every row is looked up, so the hash is a fast one; it is seeded anew for
    /// each table.
    known: HashMap<String, u32, foldhash::fast::RandomState>,
    /// The code of each row.
    codes: Vec<u32>,
}

impl Column {
    /// Its name, as the header has it.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its distinct values, by code.
    #[must_use]
    pub fn values(&self) -> &[String] {
        &self.values
    }

    /// The code of each row's value.
    #[must_use]
    pub fn codes(&self) -> &[u32] {
        &self.codes
    }
}

/// Distinct rows of some columns, and the number of times each occurs in the table.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Counts {
    columns: Vec<Column>,
    times: Vec<u64>,
    people: u64,
}

impl Counts {
    /// An empty table with columns of these names.
    ///
    /// # Errors
    /// If two columns have the same name.
    pub fn new<S: AsRef<str>>(names: &[S]) -> Result<Self, AssessError> {
        let mut columns: Vec<Column> = Vec::with_capacity(names.len());
        for name in names {
            let name = name.as_ref();
            if columns.iter().any(|column| column.name == name) {
                return Err(AssessError::TwoColumns { column: name.to_owned() });
            }
            columns.push(Column { name: name.to_owned(), ..Column::default() });
        }
        Ok(Self { columns, ..Self::default() })
    }

    /// The code of a value of a column; a new value gets the next code. Surrounding blanks are ignored.
    ///
    /// # Errors
    /// If there is no such column, or it has more values than codes.
    pub fn intern(&mut self, column: usize, value: &str) -> Result<u32, AssessError> {
        let width = self.columns.len();
        let place = self.columns.get_mut(column).ok_or(AssessError::Width { found: column + 1, expected: width })?;
        let value = value.trim();
        if let Some(code) = place.known.get(value) {
            return Ok(*code);
        }
        let code = u32::try_from(place.values.len())
            .map_err(|_| AssessError::TooMany { what: "distinct values of one column" })?;
        place.values.push(value.to_owned());
        place.known.insert(value.to_owned(), code);
        Ok(code)
    }

    /// Adds a row that occurs `times` times. Zero times adds no row.
    ///
    /// # Errors
    /// If the row has another width, or there are too many people or rows.
    pub fn push(&mut self, row: &[&str], times: u64) -> Result<(), AssessError> {
        if row.len() != self.columns.len() {
            return Err(AssessError::Width { found: row.len(), expected: self.columns.len() });
        }
        let codes = row.iter().enumerate().map(|(column, value)| self.intern(column, value));
        let codes = codes.collect::<Result<Vec<u32>, _>>()?;
        self.push_codes(&codes, times)
    }

    /// Adds a row of codes from [`Counts::intern`] that occurs `times` times. Zero times adds no row.
    ///
    /// # Errors
    /// If the row has another width or an unknown code, or there are too many people or rows.
    pub fn push_codes(&mut self, row: &[u32], times: u64) -> Result<(), AssessError> {
        if row.len() != self.columns.len() {
            return Err(AssessError::Width { found: row.len(), expected: self.columns.len() });
        }
        for (column, code) in self.columns.iter().zip(row) {
            if usize::try_from(*code).map_or(true, |code| code >= column.values.len()) {
                return Err(AssessError::Code { column: column.name.clone(), code: *code });
            }
        }
        if times == 0 {
            return Ok(());
        }
        if self.times.len() >= u32::MAX as usize {
            return Err(AssessError::TooMany { what: "distinct rows" });
        }
        let people = self.people.checked_add(times).filter(|people| *people <= MOST_PEOPLE);
        self.people = people.ok_or(AssessError::TooMany { what: "people" })?;
        for (column, code) in self.columns.iter_mut().zip(row) {
            column.codes.push(*code);
        }
        self.times.push(times);
        Ok(())
    }

    /// The number of people: the sum of all counts.
    #[must_use]
    pub fn people(&self) -> u64 {
        self.people
    }

    /// The number of rows pushed.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.times.len()
    }

    /// The columns, in the order of the table.
    #[must_use]
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// The number of times that each row occurs in the table.
    #[must_use]
    pub fn times(&self) -> &[u64] {
        &self.times
    }

    /// The column of this name.
    ///
    /// # Errors
    /// If there is no such column; `table` is the name of this table in the error.
    pub fn column(&self, name: &str, table: TableRole) -> Result<&Column, AssessError> {
        self.columns.iter().find(|column| column.name == name).ok_or_else(|| AssessError::NoColumn {
            table,
            column: name.to_owned(),
            found: self.columns.iter().map(|column| column.name.as_str()).collect::<Vec<_>>().join(", "),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_codes_and_add_up() {
        let mut counts = Counts::new(&["age", "zip"]).unwrap();
        counts.push(&["30", "02138"], 2).unwrap();
        let (age, zip) = (counts.intern(0, " 30 ").unwrap(), counts.intern(1, "02139").unwrap());
        counts.push_codes(&[age, zip], 3).unwrap();
        counts.push(&["99", "99"], 0).unwrap();
        assert_eq!((counts.people(), counts.rows(), counts.times()), (5, 2, &[2, 3][..]));
        assert_eq!(counts.columns()[1].codes(), [0, 1]);
        assert_eq!(counts.columns()[0].values(), ["30", "99"]);
    }

    #[test]
    fn complaints() {
        assert!(matches!(Counts::new(&["a", "a"]), Err(AssessError::TwoColumns { .. })));
        let mut counts = Counts::new(&["a"]).unwrap();
        assert!(matches!(counts.push(&["1", "2"], 1), Err(AssessError::Width { found: 2, expected: 1 })));
        assert!(matches!(counts.push_codes(&[0], 1), Err(AssessError::Code { code: 0, .. })));
        counts.push(&["1"], MOST_PEOPLE).unwrap();
        assert!(matches!(counts.push(&["1"], 1), Err(AssessError::TooMany { what: "people" })));
        assert!(counts.column("b", TableRole::Published).unwrap_err().to_string().contains("there are: a"));
    }
}
