//! What a check found, for reading and as JSON.

use super::table::{cell, cell_of_lines, grid, right};
use comfy_table::{ColumnConstraint, ContentArrangement, Width};
use deniable_check::everything::questions;
use deniable_check::family::Family;
use deniable_check::mechanism::{Mechanism, builtin};
use deniable_check::notion::Notion;
use deniable_check::protocol::simulate::{Sides, SimulationBound};
use deniable_check::protocol::{Party, Protocol};
use deniable_check::shrink::ShrunkCase;
use deniable_check::subject::{Answer, PROTOCOLS, Subject, View};
use deniable_check::verdict::Value;
use deniable_check::words::{self, Word};
use deniable_core::adversary::PriorRange;
use deniable_core::budget::Spend;
use deniable_core::exact::Bound;
use deniable_core::notion::Notion as NotionName;
use deniable_core::notion::adversary::{ADVERSARIES, Adversary, Case};
use serde::Serialize;
use std::fmt::Write;

/// Decimals of a number beside its fraction.
const PLACES: u32 = 6;

/// `kmax: 5 entities, 5 outputs`.
pub fn title(name: &str, subject: &Subject, party: Party) -> String {
    let size = match subject {
        Subject::Table(mechanism) => table_size(mechanism),
        Subject::Counts(mechanism) => {
            let groups: Vec<String> =
                mechanism.groups().iter().map(|group| format!("{} {}", group.size, group.name)).collect();
            format!("by counts of {}, {}", groups.join(" and "), many(mechanism.outputs().len(), "output", "outputs"))
        }
        Subject::Protocol(protocol) => {
            let (which, views) = (if party == Party::First { "first" } else { "second" }, protocol.views(party).len());
            format!("a protocol, {} of the {which} party", many(views, "view", "views"))
        }
    };
    format!("{name}: {size}")
}

fn many(count: usize, one: &str, more: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { more })
}

fn table_size(mechanism: &Mechanism) -> String {
    let entities = many(mechanism.size(), "entity", "entities");
    let outputs = many(mechanism.outputs().len(), "output", "outputs");
    let given = if mechanism.is_complete() {
        String::new()
    } else {
        format!(", {} of {} datasets", mechanism.datasets().count(), 1_u64 << mechanism.size())
    };
    format!("{entities}, {outputs}{given}")
}

/// One verdict.
#[derive(Serialize)]
pub struct VerdictReport {
    mechanism: String,
    notion: String,
    /// Absent where the notion is about no priors.
    #[serde(skip_serializing_if = "Option::is_none")]
    family: Option<String>,
    parameter: &'static str,
    #[serde(flatten)]
    number: Number,
    witness: Option<String>,
    /// Why there is no witness.
    #[serde(skip_serializing_if = "Option::is_none")]
    nothing: Option<String>,
    theorems: Vec<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    claim: Option<ClaimReport>,
    #[serde(skip)]
    entities: usize,
}

/// A parameter in all its forms.
#[derive(Serialize)]
struct Number {
    /// The exact value, or the lower end of a bracket; `∞` where there is none.
    low: String,
    /// The exact value, or the upper end.
    high: String,
    decimal: String,
    /// `ln` of odds.
    #[serde(skip_serializing_if = "Option::is_none")]
    epsilon: Option<String>,
    /// `attained`, `approached`, `between` or `vacuous`.
    reached: &'static str,
}

#[derive(Serialize)]
struct ClaimReport {
    claim: String,
    /// Absent where the bracket does not tell.
    holds: Option<bool>,
    /// The smallest universe and dataset that break it.
    #[serde(skip_serializing_if = "Option::is_none")]
    smallest: Option<String>,
}

impl Number {
    fn new(parameter: &str, value: &Value) -> Self {
        let reached = match value {
            Value::Attained(_) => "attained",
            Value::Approached(_) => "approached",
            Value::Between { .. } => "between",
            Value::Vacuous(_) => "vacuous",
        };
        let decimal = value.decimal(PLACES);
        let epsilon = (parameter == "odds").then(|| match value.high() {
            Bound::Infinite => Some("∞".to_owned()),
            Bound::Finite(odds) => Spend::odds(odds.clone()).ok().map(|odds| odds.epsilon_decimal(PLACES)),
        });
        Self {
            low: value.low().to_string(),
            high: value.high().to_string(),
            decimal,
            epsilon: epsilon.flatten(),
            reached,
        }
    }

    /// `3/2 (1.5)`.
    fn text(&self) -> String {
        let exact = if self.low == self.high { self.high.clone() } else { format!("{} .. {}", self.low, self.high) };
        // Brackets are fractions of many digits: the decimal says it.
        let exact = if exact.len() > 60 { String::new() } else { exact };
        match (exact.is_empty(), exact == self.decimal) {
            (true, _) => self.decimal.clone(),
            (false, true) => exact,
            (false, false) => format!("{exact} ({})", self.decimal),
        }
    }
}

impl VerdictReport {
    /// Without a claim.
    pub fn new(title: &str, asked: &View, text: &str, notion: &Notion, family: &Family, answer: &Answer) -> Self {
        let verdict = &answer.verdict;
        Self {
            mechanism: title.to_owned(),
            notion: text.to_owned(),
            family: notion.is_about_beliefs().then(|| words::of_family(family)),
            parameter: notion.parameter(),
            number: Number::new(notion.parameter(), &verdict.value),
            witness: answer.line.clone(),
            nothing: answer.nothing.clone(),
            theorems: verdict.theorems.clone(),
            claim: None,
            entities: match asked {
                View::Table(mechanism) => mechanism.size(),
                View::Counts(_) => 0,
            },
        }
    }

    /// What a protocol tells beside input and output.
    pub fn simulated(title: &str, notion: &str, found: &SimulationBound, protocol: &Protocol) -> Self {
        Self {
            mechanism: title.to_owned(),
            notion: notion.to_owned(),
            family: None,
            parameter: "odds",
            number: Number::new("odds", &found.value),
            witness: Some(found.line(protocol)),
            nothing: None,
            theorems: found.theorems.clone(),
            claim: None,
            entities: 0,
        }
    }

    /// With a claim, whether it holds, and the smallest case that breaks it.
    pub fn with_claim(
        mut self,
        claim: Option<&str>,
        holds: Option<Option<bool>>,
        smallest: Option<&ShrunkCase>,
    ) -> Self {
        self.claim = claim.map(|claim| ClaimReport {
            claim: claim.to_owned(),
            holds: holds.flatten(),
            // Only where something could be left out.
            smallest: smallest.filter(|found| found.entities.len() < self.entities).and_then(|found| {
                let witness = found.verdict.witness.as_ref()?;
                let universe = found.mechanism.entities().join(", ");
                Some(format!("among {{{universe}}}, all others out: {}", witness.line(&found.mechanism)))
            }),
        });
        self
    }
}

/// One verdict for reading.
pub fn text(shown: &VerdictReport) -> String {
    let mut text = format!("{}\n", shown.mechanism);
    let about = shown.family.as_ref().map(|family| format!(" over {family}")).unwrap_or_default();
    // Writing to a string cannot fail.
    let _ = writeln!(text, "{}{about}", shown.notion);
    let epsilon = shown.number.epsilon.as_ref().map(|epsilon| format!(", ε = {epsilon}")).unwrap_or_default();
    let reached = match shown.number.reached {
        "between" => "somewhere between",
        other => other,
    };
    let _ = writeln!(text, "  {} = {}{epsilon}, {reached}", shown.parameter, shown.number.text());
    match &shown.witness {
        Some(line) => {
            let _ = writeln!(text, "  witness: {line}");
        }
        None => {
            let _ = writeln!(text, "  {}", shown.nothing.as_deref().unwrap_or("nothing is ever learned"));
        }
    }
    let _ = writeln!(text, "  by {}; `deniable explain {}` says why", shown.theorems.join(", "), shown.theorems[0]);
    if let Some(claim) = &shown.claim {
        let verdict = match claim.holds {
            Some(true) if shown.number.reached == "vacuous" => "holds, and promises nothing: it is vacuous",
            Some(true) => "holds",
            Some(false) if shown.witness.is_none() => "is broken: no observer of the family stays within it",
            Some(false) => "is broken, as the witness shows",
            None => "is not decided: it lies inside the bracket",
        };
        let _ = writeln!(text, "  the claim {} {verdict}", claim.claim);
        if let Some(smallest) = &claim.smallest {
            let _ = writeln!(text, "  smallest: {smallest}");
        }
    }
    text
}

/// One row of the whole picture.
#[derive(Serialize)]
pub struct Row {
    notion: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    family: Option<String>,
    parameter: &'static str,
    #[serde(flatten)]
    number: Option<Number>,
    witness: Option<String>,
    /// Why there is no number.
    #[serde(skip_serializing_if = "Option::is_none")]
    refused: Option<String>,
}

/// Every notion that can be asked without more parameters, the strictest first. `begins` is told each by name.
pub fn everything(subject: &Subject, asked: &View, priors: Option<&PriorRange>, begins: &dyn Fn(&str)) -> Vec<Row> {
    let mut rows = Vec::new();
    if let Subject::Protocol(protocol) = subject {
        rows.extend(simulations(protocol));
    }
    for (notion, family) in questions() {
        begins(&family.map_or_else(|| notion.to_owned(), |family| format!("{notion} over {family}")));
        rows.push(row(asked, notion, family, None));
        if let Some(priors) = priors.filter(|_| matches!(family, Some("independent" | "bounded"))) {
            rows.push(row(asked, notion, family, Some(priors)));
        }
    }
    rows
}

/// What the views of both parties tell beside their inputs and outputs, one-sided and two-sided.
fn simulations(protocol: &Protocol) -> Vec<Row> {
    let parties = [(Party::First, "first party"), (Party::Second, "second party")];
    let sides = [(Sides::One, "semi-honest"), (Sides::Two, "semi-honest-both")];
    let each = sides.into_iter().flat_map(|side| parties.into_iter().map(move |party| (side, party)));
    let found = each.filter_map(|((sides, notion), (party, name))| {
        let found = protocol.simulate(party, sides)?;
        Some(Row {
            notion: notion.to_owned(),
            family: Some(name.to_owned()),
            parameter: "odds",
            number: Some(Number::new("odds", &found.value)),
            witness: Some(found.line(protocol)),
            refused: None,
        })
    });
    found.collect()
}

fn row(asked: &View, notion_text: &str, family: Option<&str>, priors: Option<&PriorRange>) -> Row {
    let read = words::notion(notion_text)
        .and_then(|notion| Ok((notion, family.map(|family| words::family(family, priors)).transpose()?)));
    let empty = |parameter, refused| Row {
        notion: notion_text.to_owned(),
        family: family.map(ToOwned::to_owned),
        parameter,
        number: None,
        witness: None,
        refused: Some(refused),
    };
    let (notion, over) = match read {
        Ok(read) => read,
        Err(error) => return empty("", error.to_string()),
    };
    match asked.answer(&notion, over.as_ref().unwrap_or(&Family::All)) {
        Ok(Answer { verdict, line, nothing }) => Row {
            notion: notion_text.to_owned(),
            family: over.as_ref().map(words::of_family),
            parameter: notion.parameter(),
            number: Some(Number::new(notion.parameter(), &verdict.value)),
            witness: line.or(nothing),
            refused: None,
        },
        Err(error) => empty(notion.parameter(), error.to_string()),
    }
}

/// The whole picture for reading.
pub fn everything_table(title: &str, rows: &[Row]) -> String {
    let mut grid = grid();
    grid.set_content_arrangement(ContentArrangement::Dynamic);
    grid.set_width(150);
    grid.set_header(["notion", "over", "parameter", "value", "reached", "where"]);
    for row in rows {
        let family = row.family.clone().unwrap_or_default();
        let (value, reached, place) = match &row.number {
            Some(number) => (number.text(), number.reached, row.witness.clone().unwrap_or_default()),
            None => ("-".to_owned(), "", row.refused.clone().unwrap_or_default()),
        };
        grid.add_row([
            cell(&row.notion),
            cell(family),
            cell(row.parameter),
            right(value),
            cell(reached),
            cell_of_lines(&place),
        ]);
    }
    if let Some(column) = grid.column_mut(5) {
        column.set_constraint(ColumnConstraint::UpperBoundary(Width::Fixed(70)));
    }
    format!("{title}\n{grid}\n")
}

/// Notions, families and built-in mechanisms.
pub fn list() -> String {
    let mut text = String::new();
    let mut section = |heading: &str, words: &[Word]| {
        let _ = writeln!(text, "{heading}");
        for word in words {
            let _ = writeln!(text, "  {:<26} {}", word.form, word.about);
        }
        text.push('\n');
    };
    section("Notions (--notion)", &words::NOTIONS);
    let induced = [NotionName::InducedNeighbours, NotionName::InducedExchange].map(|named| {
        let entry = named.entry();
        Word { name: entry.name, form: entry.form, about: entry.sentence }
    });
    section("Notions of the datasets that a file gives", &induced);
    section(
        "Families of priors (--family), for pmp, nmp, membership, posteriors and indistinguishable",
        &words::FAMILIES,
    );
    text.push_str(
        "Adversaries of indistinguishable privacy: background knowledge, sensitive information, operation knowledge\n",
    );
    for Adversary { notion, background, sensitive, operation, case, source } in ADVERSARIES {
        let name = notion.entry().name;
        let is = match case {
            Case::Over(family) => format!("this is `{name}`, over --family {family}"),
            Case::Of(objects) => format!("this is `{name}`, of {objects}"),
            Case::Not(why) => format!("this is not `{name}`: {why}"),
        };
        let _ = writeln!(text, "  {name:<26} BK: {background}; SI: {sensitive}; OK: {operation}. {is} ({source})");
    }
    text.push('\n');
    text.push_str("Built-in mechanisms, and their parameters with defaults\n");
    for mechanism in builtin::LIST {
        let _ = writeln!(text, "  {:<26} {}", mechanism.name, mechanism.about);
        for parameter in mechanism.parameters {
            let default = parameter.default.map(|default| format!(" [{default}]")).unwrap_or_default();
            let flag = format!("--{}", parameter.name);
            let _ = writeln!(text, "    {flag:<24} {}; {}{default}", parameter.about, parameter.range);
        }
    }
    text.push_str("\nBuilt-in protocols, for semi-honest and semi-honest-both too\n");
    for (name, about) in PROTOCOLS {
        let _ = writeln!(text, "  {name:<26} {about}");
    }
    text
}
