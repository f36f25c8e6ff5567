//! Translations as rows: for tables, text and JSON.

use crate::amount::Amount;
use crate::bounds::{Number, Value};
use crate::notion::Notion;
use crate::statement::{Statement, epsilon};
use crate::translation::{Direction, Translation};
use deniable_core::exact::{Enclosure, Rational, Rounding, decimal};
use std::fmt::Write;

const PLACES: u32 = 6;
const BITS: u32 = 128;

/// A statement translated into other notions. As JSON, a list with a [`Row`] for each translation.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct TranslationReport {
    /// The statement; for several releases, their composition.
    pub from: Statement,
    /// The translations, in the order of the targets.
    pub translations: Vec<Translation>,
}

impl TranslationReport {
    /// A report.
    #[must_use]
    pub fn new(from: Statement, translations: Vec<Translation>) -> Self {
        Self { from, translations }
    }

    fn rows(&self) -> Vec<Row> {
        self.translations.iter().map(Row::new).collect()
    }
}

impl serde::Serialize for TranslationReport {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.rows().serialize(serializer)
    }
}

impl std::fmt::Display for TranslationReport {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}\n\n{}", self.from, text(&self.rows()))
    }
}

/// What follows from statements but for a chance ([`crate::chance`]). As JSON, a list of its rows.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[serde(transparent)]
#[non_exhaustive]
pub struct ChanceReport {
    /// The bounds, of which at least one was asked for.
    pub rows: Vec<Row>,
}

impl ChanceReport {
    /// A report.
    #[must_use]
    pub fn new(rows: Vec<Row>) -> Self {
        Self { rows }
    }
}

impl std::fmt::Display for ChanceReport {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let from = self.rows.first().map(|row| row.from.as_str()).unwrap_or_default();
        write!(f, "{from}\n\n{}", text(&self.rows))
    }
}

/// One translation, as text.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Row {
    /// The statement that was translated, as text.
    pub from: String,
    /// The target notion, as text.
    pub notion: String,
    /// The parameter, exactly; between two decimals if it has no closed form; `-` without a value.
    pub value: String,
    /// The target with its value, in a form that can be parsed again; `None` without a value, or without a closed form
    /// of it.
    pub statement: Option<String>,
    /// As a decimal, rounded in the direction of the weaker claim.
    pub decimal: String,
    /// The direction: `equivalent`, `implies`, `implied by`, `no implication`, `not known`, `vacuous`.
    pub direction: &'static str,
    /// Whether the value is attained, or approached.
    pub tight: bool,
    /// Whether it holds for some adjacent pairs only.
    pub partial: bool,
    /// The entries that prove it.
    pub theorems: Vec<&'static str>,
    /// Conditions, tightness, or the counterexample, in words.
    pub note: String,
}

/// The columns of a table, in order.
pub const COLUMNS: [&str; 6] = ["notion", "value", "decimal", "direction", "theorem", "note"];

impl Row {
    /// The row of a translation.
    #[must_use]
    pub fn new(translation: &Translation) -> Self {
        let mut notes = translation.conditions.clone();
        if translation.direction == Direction::Implies && translation.tight {
            notes.push("tight".to_owned());
        }
        if translation.direction == Direction::NotKnown {
            notes.push("no value is known to follow, and no small mechanism is a counterexample".to_owned());
        }
        notes.extend(translation.counterexample.map(|counterexample| counterexample.words().to_owned()));
        if translation.counterexample.is_some() && !translation.decided {
            notes.push("it needs more people than are built here: proved, not decided".to_owned());
        }
        let up = (translation.direction == Direction::ImpliedBy) == (translation.to.notion == Notion::Floor);
        let rounding = if up { Rounding::Up } else { Rounding::Down };
        let (value, decimal) = match &translation.value {
            None => ("-".to_owned(), "-".to_owned()),
            Some(value) => (value.to_string(), value.decimal(rounding)),
        };
        Self {
            from: translation.from.to_string(),
            notion: translation.to.to_string(),
            value,
            statement: translation.statement().map(|statement| statement.to_string()),
            decimal,
            direction: translation.direction.words(),
            tight: translation.tight,
            partial: translation.partial,
            theorems: translation.theorems.clone(),
            note: notes.join("; "),
        }
    }

    /// The cells, in the order of [`COLUMNS`].
    #[must_use]
    pub fn cells(&self) -> [String; 6] {
        [
            self.notion.clone(),
            self.value.clone(),
            self.decimal.clone(),
            self.direction.to_owned(),
            self.theorems.join(", "),
            self.note.clone(),
        ]
    }
}

/// A plain table: aligned columns, and the notes of a row on a line below it.
#[must_use]
pub fn text(rows: &[Row]) -> String {
    let cells: Vec<[String; 6]> = rows.iter().map(Row::cells).collect();
    let width = |column: usize| {
        let widest = cells.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
        widest.max(COLUMNS[column].chars().count())
    };
    let widths: Vec<usize> = (0..5).map(width).collect();
    let mut text = String::new();
    let mut line = |cells: &[String]| {
        let padded = cells.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}"));
        let joined = padded.collect::<Vec<_>>().join("  ");
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{}", joined.trim_end());
    };
    line(&COLUMNS[..5].iter().map(|name| (*name).to_owned()).collect::<Vec<_>>());
    for row in &cells {
        line(&row[..5]);
        if !row[5].is_empty() {
            line(&[format!("    {}", row[5])]);
        }
    }
    text
}

impl std::fmt::Display for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Odds(Amount::Exact(odds)) => write!(f, "{odds}"),
            Self::Epsilon(Amount::Exact(odds)) => f.write_str(&epsilon(odds)),
            Self::Odds(Amount::Between { low, high }) => write!(f, "{}", between(low, high)),
            Self::Epsilon(Amount::Between { low, high }) => {
                let (low, high) = (Enclosure::ln(low, BITS).low(), Enclosure::ln(high, BITS).high());
                f.write_str(&between(&low, &high))
            }
            Self::Number(number) => write!(f, "{number}"),
            Self::Pair(alpha, beta) => write!(f, "{alpha}, {beta}"),
        }
    }
}

impl std::fmt::Display for Number {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.low == self.high { write!(f, "{}", self.low) } else { f.write_str(&between(&self.low, &self.high)) }
    }
}

fn between(low: &Rational, high: &Rational) -> String {
    let (low, high) = (decimal(low, 12, Rounding::Down), decimal(high, 12, Rounding::Up));
    format!("{low} .. {high}")
}

impl Value {
    /// As a decimal of six places, rounded in the given direction.
    #[must_use]
    pub fn decimal(&self, rounding: Rounding) -> String {
        let pick = |low: &Rational, high: &Rational| {
            decimal(if rounding == Rounding::Down { low } else { high }, PLACES, rounding)
        };
        match self {
            Self::Odds(odds) => {
                let (low, high) = odds.ends();
                pick(&low, &high)
            }
            Self::Epsilon(odds) => {
                let ln = match odds {
                    Amount::Exact(spend) => (spend.ln(BITS).low(), spend.ln(BITS).high()),
                    Amount::Between { low, high } => (Enclosure::ln(low, BITS).low(), Enclosure::ln(high, BITS).high()),
                };
                pick(&ln.0, &ln.1)
            }
            Self::Number(number) => pick(&number.low, &number.high),
            Self::Pair(alpha, beta) => {
                format!("{}, {}", pick(&alpha.low, &alpha.high), pick(&beta.low, &beta.high))
            }
        }
    }
}
