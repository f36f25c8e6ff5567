//! What is audited: anything that draws outputs for an input, and how its outputs are held.
//!
//! An output is a row of cells: one cell for a number or a word, several for a vector. Ten million outputs that are
//! numbers are ten million cells in one allocation.

use std::collections::HashMap;
use std::fmt;

/// One entry of an output.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Cell {
    /// A whole number, written without a point.
    Integer(i64),
    /// A floating-point number, bit for bit.
    Number(f64),
    /// A word, by its place in [`Labels`].
    Label(u32),
}

impl Cell {
    /// Its value on the number line; `None` for words. Whole numbers beyond 2^53 are rounded.
    #[must_use]
    pub fn number(self) -> Option<f64> {
        match self {
            Self::Integer(value) => Some(value as f64),
            Self::Number(value) => Some(value),
            Self::Label(_) => None,
        }
    }

    /// Equal keys stand for identical cells: the kind, and the bits.
    #[must_use]
    pub fn key(self) -> (u8, u64) {
        match self {
            Self::Integer(value) => (0, value.cast_unsigned()),
            Self::Number(value) => (1, value.to_bits()),
            Self::Label(place) => (2, u64::from(place)),
        }
    }
}

/// The words that outputs are made of, each kept once.
#[derive(Debug, Clone, Default)]
pub struct Labels {
    words: Vec<String>,
    places: HashMap<String, u32>,
}

impl Labels {
    /// The place of a word, which is kept from now on.
    pub fn place(&mut self, word: &str) -> u32 {
        if let Some(place) = self.places.get(word) {
            return *place;
        }
        let place = u32::try_from(self.words.len()).unwrap_or(u32::MAX);
        self.words.push(word.to_owned());
        self.places.insert(word.to_owned(), place);
        place
    }

    /// The word at a place.
    #[must_use]
    pub fn word(&self, place: u32) -> &str {
        self.words.get(place as usize).map_or("", String::as_str)
    }

    /// How many words there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.words.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }
}

/// A cell that outlives the outputs it came from: for events, which are printed and tried on later outputs.
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

/// Outputs, one after the other.
#[derive(Debug, Clone, Default)]
pub struct Outputs {
    cells: Vec<Cell>,
    /// Where each output ends in `cells`.
    ends: Vec<usize>,
    labels: Labels,
}

impl Outputs {
    /// No outputs yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// How many outputs there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Forgets the outputs; words keep their places.
    pub fn clear(&mut self) {
        self.cells.clear();
        self.ends.clear();
    }

    /// Adds a cell to the output that is being written.
    #[inline]
    pub fn cell(&mut self, cell: Cell) {
        self.cells.push(cell);
    }

    /// The place of a word, for [`Cell::Label`] in these outputs.
    pub fn place(&mut self, word: &str) -> u32 {
        self.labels.place(word)
    }

    /// Adds a word to the output that is being written.
    #[inline]
    pub fn word(&mut self, word: &str) {
        let place = self.labels.place(word);
        self.cells.push(Cell::Label(place));
    }

    /// Ends the output that is being written.
    #[inline]
    pub fn end(&mut self) {
        self.ends.push(self.cells.len());
    }

    /// A whole output of one whole number.
    #[inline]
    pub fn integer(&mut self, value: i64) {
        self.cell(Cell::Integer(value));
        self.end();
    }

    /// A whole output of one floating-point number.
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

    /// Adds all outputs of another list; its words get places here.
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

/// Why no outputs can be had. The audit ends with it.
#[derive(Debug, thiserror::Error)]
pub enum MechanismError {
    /// The program could not be started.
    #[error("`{program}` could not be started: {source}")]
    Start {
        /// What was to be run.
        program: String,
        /// What the operating system said.
        source: std::io::Error,
    },
    /// The program ended or closed its output before its answers were complete.
    #[error(
        "`{program}` ended ({status}) after line {line} of its output, with {missing} of {asked} outputs still due"
    )]
    Ended {
        /// What was run.
        program: String,
        /// How it ended.
        status: String,
        /// Complete lines read until then.
        line: u64,
        /// Outputs that are missing.
        missing: usize,
        /// Outputs that were asked for.
        asked: usize,
    },
    /// Nothing came for too long.
    #[error(
        "`{program}` wrote nothing for {seconds} s after line {line} of its output, with {missing} of {asked} outputs still due; it was ended"
    )]
    Hangs {
        /// What was run.
        program: String,
        /// The deadline.
        seconds: f64,
        /// Complete lines read until then.
        line: u64,
        /// Outputs that are missing.
        missing: usize,
        /// Outputs that were asked for.
        asked: usize,
    },
    /// A line that is no output.
    #[error("line {line} of the output of `{program}` is {what}: {text}")]
    Garbage {
        /// What was run.
        program: String,
        /// The line, from 1.
        line: u64,
        /// What is wrong with it.
        what: String,
        /// The beginning of the line.
        text: String,
    },
    /// An output of another kind than those before.
    #[error("line {line} of the output of `{program}` is {now}, but all lines before were {before}: {text}")]
    Changed {
        /// What was run.
        program: String,
        /// The line, from 1.
        line: u64,
        /// The kind of the lines before.
        before: &'static str,
        /// The kind of this one.
        now: &'static str,
        /// The beginning of the line.
        text: String,
    },
    /// More outputs than were asked for.
    #[error("line {line} of the output of `{program}` is one more than was asked for: {text}")]
    TooMany {
        /// What was run.
        program: String,
        /// The line, from 1.
        line: u64,
        /// The beginning of the line.
        text: String,
    },
    /// A mechanism in this process gave another number of outputs than it was asked for.
    #[error("{given} outputs were given where {asked} were asked for")]
    Count {
        /// What came.
        given: usize,
        /// What was asked for.
        asked: usize,
    },
    /// A function of the program that asked for the audit failed; the program knows why.
    #[error("the function failed")]
    Function,
    /// An input that the mechanism is not defined for.
    #[error("the mechanism is not defined for the input {input:?}: {why}")]
    Input {
        /// The input.
        input: Vec<i64>,
        /// Why.
        why: String,
    },
    /// The operating system gave no random bits.
    #[error(transparent)]
    Entropy(#[from] deniable_core::noise::EntropyError),
}

/// Anything that draws outputs at random for an input.
///
/// Outputs for the same input must be independent and identically distributed: the bounds of an audit rest on it. A
/// mechanism that keeps state between outputs (a cache, a growing seed) is outside what is certified.
pub trait Mechanism: Send {
    /// Appends exactly `times` outputs for `input` to `out`.
    ///
    /// # Errors
    /// When the mechanism fails; the audit then ends.
    fn sample(&mut self, input: &[i64], times: usize, out: &mut Outputs) -> Result<(), MechanismError>;
}

/// Draws outputs and counts them.
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
