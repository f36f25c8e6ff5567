//! The report of all notions.

use super::{DecisionJson, Number};
use crate::everything::questions;
use crate::family::Family;
use crate::protocol::simulate::Sides;
use crate::protocol::{Party, Protocol};
use crate::subject::{Subject, View};
use crate::verdict::Value;
use crate::words;
use deniable_core::adversary::PriorRange;
use deniable_core::text::grid::{Grid, cell, cell_of_lines, right};
use serde::{Serialize, Serializer};
use std::fmt::{self, Display, Formatter};

/// The width in characters of the whole table, frame included.
const WIDTH: usize = 150;
const PLACE_WIDTH: usize = 70;

/// Every notion that needs no more parameters, the strictest first.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct EverythingReport {
    /// The name of the mechanism and its size, see [`title`](super::title).
    pub mechanism: String,
    /// The decisions.
    pub decisions: Vec<Decision>,
}

/// The decision of one notion.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Decision {
    /// The notion.
    pub notion: String,
    /// The family of priors, or the party of a protocol, where the notion is about one.
    pub over: Option<String>,
    /// The name of the parameter; empty where the notion cannot be parsed.
    pub parameter: &'static str,
    /// The parameter, or the reason why it is not decided.
    pub value: Result<Value, String>,
    /// The witness, or the reason why there is no witness.
    pub witness: Option<String>,
}

impl EverythingReport {
    /// Decides every notion; `begins` gets the name of each before it is decided.
    #[must_use]
    pub fn new(
        title: String,
        subject: &Subject,
        view: &View,
        priors: Option<&PriorRange>,
        begins: &dyn Fn(&str),
    ) -> Self {
        let mut decisions = Vec::new();
        if let Subject::Protocol(protocol) = subject {
            decisions.extend(simulations(protocol));
        }
        for (notion, family) in questions() {
            begins(&family.map_or_else(|| notion.to_owned(), |family| format!("{notion} over {family}")));
            decisions.push(decision(view, notion, family, None));
            if let Some(priors) = priors.filter(|_| matches!(family, Some("independent" | "bounded"))) {
                decisions.push(decision(view, notion, family, Some(priors)));
            }
        }
        Self { mechanism: title, decisions }
    }
}

/// The disclosure of both parties' views beyond their inputs and outputs, one-sided and two-sided.
fn simulations(protocol: &Protocol) -> Vec<Decision> {
    let parties = [(Party::First, "first party"), (Party::Second, "second party")];
    let sides = [(Sides::One, "semi-honest"), (Sides::Two, "semi-honest-both")];
    let each = sides.into_iter().flat_map(|side| parties.into_iter().map(move |party| (side, party)));
    let found = each.filter_map(|((sides, notion), (party, name))| {
        let found = protocol.simulate(party, sides)?;
        Some(Decision {
            notion: notion.to_owned(),
            over: Some(name.to_owned()),
            parameter: "odds",
            witness: Some(found.line(protocol)),
            value: Ok(found.value),
        })
    });
    found.collect()
}

fn decision(view: &View, text: &str, family: Option<&str>, priors: Option<&PriorRange>) -> Decision {
    let parsed = words::notion(text)
        .and_then(|notion| Ok((notion, family.map(|family| words::family(family, priors)).transpose()?)));
    let refused = |parameter, error: &dyn Display| Decision {
        notion: text.to_owned(),
        over: family.map(ToOwned::to_owned),
        parameter,
        value: Err(error.to_string()),
        witness: None,
    };
    let (notion, over) = match parsed {
        Ok(parsed) => parsed,
        Err(error) => return refused("", &error),
    };
    match view.answer(&notion, over.as_ref().unwrap_or(&Family::All)) {
        Ok(answer) => Decision {
            notion: text.to_owned(),
            over: over.as_ref().map(words::of_family),
            parameter: notion.parameter(),
            value: Ok(answer.verdict.value),
            witness: answer.line.or(answer.nothing),
        },
        Err(error) => refused(notion.parameter(), &error),
    }
}

impl Decision {
    fn number(&self) -> Option<Number> {
        self.value.as_ref().ok().map(|value| Number::new(self.parameter, value))
    }
}

impl Serialize for EverythingReport {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.decisions.iter().map(|decision| DecisionJson {
            mechanism: None,
            notion: &decision.notion,
            family: decision.over.clone(),
            parameter: decision.parameter,
            number: decision.number(),
            witness: decision.witness.as_deref(),
            nothing: None,
            theorems: None,
            refused: decision.value.as_ref().err().map(String::as_str),
            claim: None,
        }))
    }
}

impl Display for EverythingReport {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let header = ["notion", "over", "parameter", "value", "reached", "where"];
        let rows: Vec<[String; 6]> = self.decisions.iter().map(Decision::cells).collect();
        let width = |column: usize| {
            let cells = rows.iter().map(|row| row[column].chars().count());
            cells.chain([header[column].chars().count()]).max().unwrap_or(0)
        };
        // Each column has a space on both sides and a line before it; one more line ends the row.
        let others: usize = (0..5).map(|column| width(column) + 3).sum();
        let place = WIDTH.saturating_sub(others + 4).clamp(header[5].len(), PLACE_WIDTH);
        let mut grid = Grid::new(header).wrapping(5, place);
        for [notion, over, parameter, value, reached, place] in &rows {
            grid.add_row([
                cell(notion),
                cell(over),
                cell(parameter),
                right(value),
                cell(reached),
                cell_of_lines(place),
            ]);
        }
        writeln!(f, "{}\n{grid}", self.mechanism)
    }
}

impl Decision {
    fn cells(&self) -> [String; 6] {
        let (value, reached, place) = match (self.number(), &self.value) {
            (Some(number), _) => (number.text(), number.reached, self.witness.clone().unwrap_or_default()),
            (None, refused) => ("-".to_owned(), "", refused.clone().err().unwrap_or_default()),
        };
        let over = self.over.clone().unwrap_or_default();
        [self.notion.clone(), over, self.parameter.to_owned(), value, reached.to_owned(), place]
    }
}
