//! Likely mistakes in the tables of an assessment. They are warnings only: no table is rejected for them.

use crate::assessment::Input;
use crate::classes::Classes;
use crate::counts::Counts;
use crate::error::TableRole;
use deniable_core::diagnostic::Surface;
use serde::{Serialize, Serializer};

/// A likely mistake in a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Warning {
    /// Values that no published cell covers. A misspelt value would count as a person who is not in the table.
    Uncovered {
        /// The table with the values.
        table: TableRole,
        /// The column's name, as the header has it.
        column: String,
        /// Number of distinct values that no cell covers.
        values: usize,
        /// Number of distinct values.
        all: usize,
        /// A value that no cell covers.
        example: String,
    },
    /// A text that counts as a value, but usually denotes a missing one: it makes a class seem more diverse than it is.
    NullWord {
        /// The table's name.
        table: String,
        /// The column's name, as the header has it.
        column: String,
        /// The text.
        word: String,
        /// Number of rows with this text.
        rows: u64,
    },
}

/// The note, without the example of an uncovered value.
impl Serialize for Warning {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.note().serialize(serializer)
    }
}

impl Warning {
    /// The warning for results: without a raw value and without options.
    #[must_use]
    pub fn note(&self) -> String {
        match self {
            Self::Uncovered { table, column, values, all, .. } => {
                format!("{table}: no cell of `{column}` covers {values} of its {all} values")
            }
            Self::NullWord { column, word, rows, .. } => format!(
                "column `{column}` has `{word}` in {rows} {}, counted as a value: if it means that the value is missing, classes are \
                 less diverse than these numbers say",
                if *rows == 1 { "row" } else { "rows" }
            ),
        }
    }

    /// The warning, with options written as this surface writes them.
    #[must_use]
    pub fn text(&self, surface: Surface) -> String {
        match self {
            Self::Uncovered { table, column, values, all, example } => {
                let table = table.option().map_or_else(|| table.to_string(), |option| surface.option(option));
                format!("{table}: no cell of `{column}` covers {values} of its {all} values there, such as `{example}`")
            }
            Self::NullWord { table, column, word, rows } => {
                // A shell would expand some of these texts.
                let quoted = if surface == Surface::Command { format!("'{word}'") } else { word.clone() };
                format!(
                    "WARNING: {table}: column `{column}` has `{word}` in {rows} {}, which counts as a value. If it denotes a missing value: \
                     {}; if it is a value: {}",
                    if *rows == 1 { "row" } else { "rows" },
                    surface.set("nulls", quoted),
                    surface.set("literal", column)
                )
            }
        }
    }
}

/// The raw values that no published cell covers, by table and column.
pub(crate) fn uncovered(input: &Input<'_>, classes: &Classes) -> Vec<Warning> {
    let tables = [
        (TableRole::Background, input.background),
        (TableRole::Original, input.original),
        (TableRole::Auxiliary, input.auxiliary),
    ];
    tables.into_iter().filter_map(|(role, counts)| Some(of_table(role, counts?, classes))).flatten().collect()
}

fn of_table(table: TableRole, counts: &Counts, classes: &Classes) -> Vec<Warning> {
    let mut warnings = Vec::new();
    for column in &classes.columns {
        let Some(raw) = counts.columns().iter().find(|raw| raw.name() == column.name) else { continue };
        let (covering, mut found) = (column.covering(), Vec::new());
        let mut is_outside = |value: &&String| {
            found.clear();
            covering.of(value, &mut found);
            found.is_empty()
        };
        let outside: Vec<&String> = raw.values().iter().filter(&mut is_outside).collect();
        if let Some(example) = outside.first() {
            warnings.push(Warning::Uncovered {
                table,
                column: column.name.clone(),
                values: outside.len(),
                all: raw.values().len(),
                example: (*example).clone(),
            });
        }
    }
    warnings
}
