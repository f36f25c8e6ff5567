//! The numeric columns of UCI Adult, with domains that are declared and never read from the data.

use deniable_core::text::shown;
use std::path::{Path, PathBuf};

/// Fields of a line of `adult.data`.
const FIELDS: usize = 15;

/// A numeric column of the evaluation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Column {
    /// Years.
    Age,
    /// Dollars in a year.
    CapitalGain,
    /// Dollars in a year.
    CapitalLoss,
    /// Hours of work in a week.
    HoursPerWeek,
}

impl Column {
    /// In the order of the file.
    pub const ALL: [Self; 4] = [Self::Age, Self::CapitalGain, Self::CapitalLoss, Self::HoursPerWeek];

    /// The name in SQL.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Age => "age",
            Self::CapitalGain => "capital_gain",
            Self::CapitalLoss => "capital_loss",
            Self::HoursPerWeek => "hours_per_week",
        }
    }

    /// Its position in a line, from 0.
    fn field(self) -> usize {
        match self {
            Self::Age => 0,
            Self::CapitalGain => 10,
            Self::CapitalLoss => 11,
            Self::HoursPerWeek => 12,
        }
    }

    /// The public domain, both ends included: the same as in `examples/adult/policy.toml`.
    #[must_use]
    pub fn domain(self) -> (i64, i64) {
        match self {
            Self::Age => (17, 90), // the extract holds people over 16; 90 stands for 90 and older
            Self::CapitalGain => (0, 99_999),
            Self::CapitalLoss => (0, 4356),
            Self::HoursPerWeek => (1, 99),
        }
    }
}

/// The four columns, each sorted: no query of the evaluation depends on the order of rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Adult {
    columns: [Vec<i64>; 4],
}

/// Errors of a file that is not UCI Adult.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The file is missing or cannot be opened.
    #[error("{}: {source}; give the path of adult.data of the UCI Adult data set", path.display())]
    Open {
        /// The given path.
        path: PathBuf,
        /// The reason.
        source: std::io::Error,
    },
    /// Not text, or a read error.
    #[error("the data could not be read as CSV: {0}")]
    Csv(#[from] csv::Error),
    /// A line of another format, or a partial line.
    #[error("line {line} has {found} fields instead of {FIELDS}; adult.data has no header and no other lines")]
    Fields {
        /// From 1.
        line: u64,
        /// The number of fields.
        found: usize,
    },
    /// Not a whole number.
    #[error("line {line}, column {column}: `{text}` is not a whole number")]
    NotANumber {
        /// From 1.
        line: u64,
        /// The column's name.
        column: &'static str,
        /// The value.
        text: String,
    },
    /// A value outside the domain, for which no sensitivity holds.
    #[error("line {line}, column {column}: {value} is outside the declared domain, {low} to {high}")]
    OutsideDomain {
        /// From 1.
        line: u64,
        /// The column's name.
        column: &'static str,
        /// The value.
        value: i64,
        /// The lower end of the domain.
        low: i64,
        /// The upper end of the domain.
        high: i64,
    },
    /// No rows, so no averages and no largest values.
    #[error("the data has no rows")]
    Empty,
}

impl Adult {
    /// Reads the file.
    ///
    /// # Errors
    /// When it cannot be read, or a line does not have Adult's form.
    pub fn open(path: &Path) -> Result<Self, ReadError> {
        let file = std::fs::File::open(path).map_err(|source| ReadError::Open { path: path.to_owned(), source })?;
        Self::read(file)
    }

    /// Parses lines of 15 fields, separated by a comma and spaces, without a header; empty lines are ignored.
    ///
    /// # Errors
    /// See [`Self::open`].
    pub fn read(source: impl std::io::Read) -> Result<Self, ReadError> {
        let mut reader = csv::ReaderBuilder::new()
            .has_headers(false)
            .flexible(true) // so that a wrong number of fields is told in our words
            .trim(csv::Trim::All)
            .from_reader(source);
        let mut columns: [Vec<i64>; 4] = Default::default();
        for record in reader.records() {
            let record = record?;
            let line = record.position().map_or(0, csv::Position::line);
            if record.len() != FIELDS {
                return Err(ReadError::Fields { line, found: record.len() });
            }
            for (column, values) in Column::ALL.into_iter().zip(&mut columns) {
                let text = record.get(column.field()).unwrap_or_default();
                let value: i64 = text.parse().map_err(|_| ReadError::NotANumber {
                    line,
                    column: column.name(),
                    text: shown(text),
                })?;
                let (low, high) = column.domain();
                if value < low || value > high {
                    return Err(ReadError::OutsideDomain { line, column: column.name(), value, low, high });
                }
                values.push(value);
            }
        }
        if columns[0].is_empty() {
            return Err(ReadError::Empty);
        }
        columns.iter_mut().for_each(|values| values.sort_unstable());
        Ok(Self { columns })
    }

    /// The number of rows; at least 1.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.columns[0].len()
    }

    /// The values of a column, smallest first.
    #[must_use]
    pub fn sorted(&self, column: Column) -> &[i64] {
        &self.columns[column as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str = "39, State-gov, 77516, Bachelors, 13, Never-married, Adm-clerical, Not-in-family, White, Male, \
                        2174, 0, 40, United-States, <=50K\n";

    fn read(text: &str) -> Result<Adult, ReadError> {
        Adult::read(text.as_bytes())
    }

    #[test]
    fn columns_are_found_and_sorted() {
        let adult = read(&format!("{LINE}{}\n\n", LINE.replace("39,", "17,").replace(" 40,", " 99,"))).unwrap();
        assert_eq!(adult.rows(), 2);
        assert_eq!(adult.sorted(Column::Age), [17, 39]);
        assert_eq!(adult.sorted(Column::CapitalGain), [2174, 2174]);
        assert_eq!(adult.sorted(Column::CapitalLoss), [0, 0]);
        assert_eq!(adult.sorted(Column::HoursPerWeek), [40, 99]);
    }

    #[test]
    fn invalid_fields_are_refused_with_their_line_and_column() {
        let said = |text: String| read(&text).unwrap_err().to_string();
        assert_eq!(
            said(format!("{LINE}{}", LINE.replace("2174", "some\x1b"))),
            "line 2, column capital_gain: `some\\u{1b}` is not a whole number"
        );
        assert!(said(LINE.replace("39,", "39.5,")).contains("line 1, column age: `39.5` is not a whole number"));
        assert!(said(LINE.replace("39,", ",")).contains("`` is not a whole number"));
        assert!(said(format!("{LINE}|1x3 Cross validator\n")).contains("line 2 has 1 fields instead of 15"));
        assert!(said(LINE.replace("39,", "39, 7,")).contains("line 1 has 16 fields"));
        assert_eq!(
            said(LINE.replace(" 40,", " 100,")),
            "line 1, column hours_per_week: 100 is outside the declared domain, 1 to 99"
        );
        assert!(matches!(read(""), Err(ReadError::Empty)));
        assert!(matches!(read("\n\n"), Err(ReadError::Empty)));
        assert!(matches!(Adult::read(&b"39, \xff\xfe, 1\n"[..]), Err(ReadError::Csv(_))));
    }

    #[test]
    fn a_missing_file_is_named() {
        let said = Adult::open(Path::new("no/such/adult.data")).unwrap_err().to_string();
        assert!(said.contains("no/such/adult.data") && said.contains("give the path of adult.data"), "{said}");
    }
}
