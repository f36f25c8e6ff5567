//! Publications as text: tables with their notes, and the guarantee in words.

use crate::statement::{BUT_FOR_THEOREM, Statement};
use crate::table::{Answer, Cell, KeyValue, Publication};
use deniable_core::text::grid::{Grid, cell, right};
use deniable_core::text::{printable, push_paragraph};
use deniable_core::words::chance;
use std::fmt::{self, Display, Formatter};

/// Suffix of a policy's name in the ledger for advice on its caps and bounds: the policy's `spend` is reserved for its own
/// queries.
pub const ADVICE_SUFFIX: &str = "/suggest";

/// The first line of everything that a rehearsal prints or writes.
pub const REHEARSAL: &str = "REHEARSAL: made-up rows, drawn from the policy alone: nothing here is about a person";

/// The answers as tables, and the guarantee.
impl Display for Publication {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if self.rehearsal {
            writeln!(f, "{REHEARSAL}\n")?;
        }
        for answer in &self.answers {
            writeln!(f, "{}", answer.in_words(&self.confidence))?;
        }
        f.write_str(&self.guarantee_in_words())
    }
}

impl Answer {
    /// The answer as a table with its notes, for the confidence of its intervals.
    #[must_use]
    pub fn in_words(&self, confidence: &impl Display) -> String {
        let is_number =
            |position: usize| matches!(self.rows.first().and_then(|row| row.get(position)), Some(Cell::Number(_)));
        let (has_quality, population) = (self.has_quality(), self.have_population());
        let has_population = |position: usize| population.get(position).is_some_and(|has| *has);
        let mut header = Vec::new();
        for (position, name) in self.columns.iter().enumerate() {
            header.push(name.clone());
            if is_number(position) {
                header.push(format!("{confidence} interval"));
                header.extend(has_population(position).then(|| format!("{confidence} for the population")));
                header.extend(has_quality.then(|| "quality".to_owned()));
            }
        }
        let mut grid = Grid::new(header);
        for row in &self.rows {
            let cells = row.iter().enumerate().flat_map(|(position, value)| match value {
                Cell::Key(key) => vec![cell(key.as_ref().map_or_else(|| "NULL".to_owned(), KeyValue::text))],
                Cell::Number(number) => {
                    let quality = || cell(number.quality.map_or_else(|| "-".to_owned(), |class| class.to_string()));
                    let population = || right(number.population_text().unwrap_or_default());
                    let cells = [right(number.value_text()), right(number.interval_text())].into_iter();
                    let cells = cells.chain(has_population(position).then(population));
                    cells.chain(has_quality.then(quality)).collect()
                }
            });
            grid.add_row(cells);
        }
        let mut text = format!("{} (share {})\n{grid}\n", printable(&self.name), self.share);
        if let Some(withdrawn) = &self.withdrawn {
            push_paragraph(&mut text, "  ", &format!("WITHDRAWN: {withdrawn}"));
        }
        if self.rows.is_empty() {
            text.push_str("  (no rows: HAVING, LIMIT or OFFSET left none)\n");
        }
        for noise in &self.noise {
            push_paragraph(&mut text, "  ", &format!("noise: {}", noise.sentence(confidence)));
        }
        for warning in &self.warnings {
            push_paragraph(&mut text, "  ", &format!("note: {warning}"));
        }
        for advice in &self.advice {
            push_paragraph(&mut text, "  ", &format!("help: {advice}"));
        }
        text
    }
}

impl Publication {
    /// The guarantee as text.
    #[must_use]
    pub fn guarantee_in_words(&self) -> String {
        self.guarantee.in_words(&self.population)
    }
}

impl Statement {
    /// The guarantee to this population as text.
    #[must_use]
    pub fn in_words(&self, population: &str) -> String {
        let (statement, guarantee) = (self, self.guarantee());
        let mut text = format!("What is promised about everyone in \"{}\"\n", printable(population));
        let mut list = |title: &str, lines: &[String]| {
            text.push_str(&format!("  {title}\n"));
            for line in lines {
                push_paragraph(&mut text, "  - ", line);
            }
        };
        list("whatever is released, now and later, together:", &statement.promises());
        list("so that", &statement.beliefs_in_words());
        list("against", &guarantee.adversary_in_words());
        list("provided that", &statement.assumptions());
        list("outside this are", &statement.outside());
        let exact = format!(
            "exactly: odds change by at most a factor {}, family {}, by {}",
            guarantee.limit().with_epsilon(),
            guarantee.adversary().family(),
            guarantee.theorem()
        );
        push_paragraph(&mut text, "  ", &exact);
        if let Some(but_for) = guarantee.but_for_a_chance() {
            let exact = format!(
                "but for {}: by a factor {}, by {BUT_FOR_THEOREM}",
                chance(but_for.chance()),
                but_for.limit().with_epsilon()
            );
            push_paragraph(&mut text, "  ", &exact);
        }
        text
    }
}
