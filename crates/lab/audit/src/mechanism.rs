//! Audited mechanisms: anything that draws outputs for an input; and the storage of outputs.
//!
//! An output is a row of cells: one cell for a number or a word, several for a vector. Ten million numeric outputs are
//! ten million cells in one allocation.

use std::collections::HashMap;
use std::fmt;

/// One entry of an output.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Cell {
    /// A whole number, written without a point.
    Integer(i64),
    /// A floating-point number, bit for bit.
    Number(f64),
    /// A word, by its index in [`Labels`].
    Label(u32),
}

impl Cell {
    /// The value as a number; `None` for words. Integers beyond 2^53 are rounded.
    #[must_use]
    pub fn number(self) -> Option<f64> {
        match self {
            Self::Integer(value) => Some(value as f64),
            Self::Number(value) => Some(value),
            Self::Label(_) => None,
        }
    }

    /// The kind and the bits: two cells have equal keys only if they are identical.
    #[must_use]
    pub fn key(self) -> (u8, u64) {
        match self {
            Self::Integer(value) => (0, value.cast_unsigned()),
            Self::Number(value) => (1, value.to_bits()),
            Self::Label(place) => (2, u64::from(place)),
        }
    }
}

/// The words of outputs, each stored once.
#[derive(Debug, Clone, Default)]
pub struct Labels {
    words: Vec<String>,
    places: HashMap<String, u32>,
}

impl Labels {
    /// The index of a word; a new word is stored.
    pub fn place(&mut self, word: &str) -> u32 {
        if let Some(place) = self.places.get(word) {
            return *place;
        }
        let place = u32::try_from(self.words.len()).unwrap_or(u32::MAX);
        self.words.push(word.to_owned());
        self.places.insert(word.to_owned(), place);
        place
    }

    /// The word at an index.
    #[must_use]
    pub fn word(&self, place: u32) -> &str {
        self.words.get(place as usize).map_or("", String::as_str)
    }

    /// The number of words.
    #[must_use]
    pub fn len(&self) -> usize {
        self.words.len()
    }

    /// Whether there are no words.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }
}

/// An owned cell, for events, which are printed and tested on later outputs.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// A whole number.
    Integer(i64),
    /// A floating-point number, bit for bit.
    Number(f64),
    /// A word.
    Label(String),
}

impl Value {
    /// The value of a cell.
    #[must_use]
    pub fn of(cell: Cell, labels: &Labels) -> Self {
        match cell {
            Cell::Integer(value) => Self::Integer(value),
            Cell::Number(value) => Self::Number(value),
            Cell::Label(place) => Self::Label(labels.word(place).to_owned()),
        }
    }

    /// Whether a cell is this value: the same kind and, for numbers, the same bits.
    #[must_use]
    pub fn is(&self, cell: Cell, labels: &Labels) -> bool {
        match (self, cell) {
            (Self::Integer(own), Cell::Integer(other)) => *own == other,
            (Self::Number(own), Cell::Number(other)) => own.to_bits() == other.to_bits(),
            (Self::Label(own), Cell::Label(place)) => own == labels.word(place),
            _ => false,
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integer(value) => write!(f, "{value}"),
            Self::Number(value) => write!(f, "{value:?}"),
            Self::Label(word) => write!(f, "{word:?}"),
        }
    }
}

/// A list of outputs.
#[derive(Debug, Clone, Default)]
pub struct Outputs {
    cells: Vec<Cell>,
    /// The end of each output in `cells`.
    ends: Vec<usize>,
    labels: Labels,
}

impl Outputs {
    /// An empty list.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The number of outputs.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are no outputs.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Removes all outputs; words keep their indices.
    pub fn clear(&mut self) {
        self.cells.clear();
        self.ends.clear();
    }

    /// Adds a cell to the output under construction.
    #[inline]
    pub fn cell(&mut self, cell: Cell) {
        self.cells.push(cell);
    }

    /// The index of a word, for [`Cell::Label`] in these outputs.
    pub fn place(&mut self, word: &str) -> u32 {
        self.labels.place(word)
    }

    /// Adds a word to the output under construction.
    #[inline]
    pub fn word(&mut self, word: &str) {
        let place = self.labels.place(word);
        self.cells.push(Cell::Label(place));
    }

    /// Ends the output under construction.
    #[inline]
    pub fn end(&mut self) {
        self.ends.push(self.cells.len());
    }

    /// Adds an output of one integer.
    #[inline]
    pub fn integer(&mut self, value: i64) {
        self.cell(Cell::Integer(value));
        self.end();
    }

    /// Adds an output of one floating-point number.
    #[inline]
    pub fn number(&mut self, value: f64) {
        self.cell(Cell::Number(value));
        self.end();
    }

    /// The cells of an output.
    #[must_use]
    #[inline]
    pub fn row(&self, at: usize) -> &[Cell] {
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        &self.cells[start..self.ends[at]]
    }

    /// All outputs.
    pub fn rows(&self) -> impl Iterator<Item = &[Cell]> {
        (0..self.len()).map(|at| self.row(at))
    }

    /// The words of these outputs.
    #[must_use]
    pub fn labels(&self) -> &Labels {
        &self.labels
    }

    /// Replaces the floating-point numbers of the outputs from this index on.
    pub fn replace_numbers(&mut self, first: usize, new: impl Fn(f64) -> f64) {
        let start = first.checked_sub(1).map_or(0, |before| self.ends[before]);
        for cell in &mut self.cells[start..] {
            if let Cell::Number(value) = cell {
                *value = new(*value);
            }
        }
    }

    /// Appends all outputs of another list; its words get indices in this list.
    pub fn append(&mut self, other: &Self) {
        let places: Vec<u32> = other.labels.words.iter().map(|word| self.labels.place(word)).collect();
        for row in other.rows() {
            for cell in row {
                self.cells.push(match *cell {
                    Cell::Label(place) => Cell::Label(places[place as usize]),
                    number => number,
                });
            }
            self.end();
        }
    }
}

/// The reason why a mechanism has no outputs. It ends the audit.
#[derive(Debug, thiserror::Error)]
pub enum MechanismError {
    /// The program could not be started.
    #[error("`{program}` could not be started: {source}")]
    Start {
        /// The program's file.
        program: String,
        /// The error of the operating system.
        source: std::io::Error,
    },
    /// The program ended or closed its output before all requested outputs were complete.
    #[error(
        "`{program}` ended ({status}) after line {line} of its output, with {missing} of {asked} outputs still due"
    )]
    Ended {
        /// The program's file.
        program: String,
        /// The exit status.
        status: String,
        /// Number of complete lines read.
        line: u64,
        /// Number of missing outputs.
        missing: usize,
        /// Number of requested outputs.
        asked: usize,
    },
    /// The program wrote no output before the deadline.
    #[error(
        "`{program}` wrote nothing for {seconds} s after line {line} of its output, with {missing} of {asked} outputs still due; it was ended"
    )]
    Hangs {
        /// The program's file.
        program: String,
        /// The deadline.
        seconds: f64,
        /// Number of complete lines read.
        line: u64,
        /// Number of missing outputs.
        missing: usize,
        /// Number of requested outputs.
        asked: usize,
    },
    /// A line that is not an output.
    #[error("line {line} of the output of `{program}` is {what}: {text}")]
    Garbage {
        /// The program's file.
        program: String,
        /// The line, from 1.
        line: u64,
        /// The problem with it.
        what: String,
        /// The beginning of the line.
        text: String,
    },
    /// An output of a different kind than the lines before.
    #[error("line {line} of the output of `{program}` is {now}, but all lines before were {before}: {text}")]
    Changed {
        /// The program's file.
        program: String,
        /// The line, from 1.
        line: u64,
        /// The kind of the lines before.
        before: &'static str,
        /// The kind of this line.
        now: &'static str,
        /// The beginning of the line.
        text: String,
    },
    /// More outputs than requested.
    #[error("line {line} of the output of `{program}` is one more than the requested outputs: {text}")]
    TooMany {
        /// The program's file.
        program: String,
        /// The line, from 1.
        line: u64,
        /// The beginning of the line.
        text: String,
    },
    /// A mechanism of this process returned the wrong number of outputs.
    #[error("the mechanism returned {given} outputs instead of {asked}")]
    Count {
        /// The number returned.
        given: usize,
        /// The number requested.
        asked: usize,
    },
    /// A callback of the caller failed; the caller has the reason.
    #[error("the function failed")]
    Function,
    /// An input for which the mechanism is not defined.
    #[error("the mechanism is not defined for the input {input:?}: {why}")]
    Input {
        /// The input.
        input: Vec<i64>,
        /// The reason.
        why: String,
    },
    /// The operating system provided no random bits.
    #[error(transparent)]
    Entropy(#[from] deniable_core::noise::EntropyError),
}

/// Draws outputs at random for an input.
///
/// Outputs for the same input must be independent and identically distributed: the bounds of an audit assume it. A
/// mechanism that keeps state between outputs (a cache, a growing seed) is outside the certificate.
pub trait Mechanism: Send {
    /// Appends exactly `times` outputs for `input` to `out`.
    ///
    /// # Errors
    /// If the mechanism fails; the audit then ends.
    fn sample(&mut self, input: &[i64], times: usize, out: &mut Outputs) -> Result<(), MechanismError>;
}

/// Draws outputs and checks their number.
pub(crate) fn draw(
    mechanism: &mut dyn Mechanism,
    input: &[i64],
    times: usize,
    out: &mut Outputs,
) -> Result<(), MechanismError> {
    let before = out.len();
    mechanism.sample(input, times, out)?;
    let given = out.len() - before;
    if given == times { Ok(()) } else { Err(MechanismError::Count { given, asked: times }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_and_words() {
        let mut first = Outputs::new();
        first.integer(3);
        first.word("none");
        first.cell(Cell::Number(0.5));
        first.end();
        let mut second = Outputs::new();
        second.word("other");
        second.word("none");
        second.end();
        first.append(&second);
        assert_eq!(first.len(), 3);
        assert_eq!(first.row(0), [Cell::Integer(3)]);
        let values: Vec<Value> = first.row(2).iter().map(|cell| Value::of(*cell, first.labels())).collect();
        assert_eq!(values, [Value::Label("other".to_owned()), Value::Label("none".to_owned())]);
        assert!(Value::Label("none".to_owned()).is(first.row(1)[0], first.labels()));
        assert!(!Value::Number(0.0).is(Cell::Number(-0.0), first.labels()), "bits count");
        assert_eq!(Value::Number(2.0).to_string(), "2.0");
    }
}
