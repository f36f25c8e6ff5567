//! The report of one decision.

use super::{DecisionJson, Number};
use crate::family::Family;
use crate::mechanism::Mechanism;
use crate::notion::Notion;
use crate::protocol::simulate::SimulationBound;
use crate::protocol::{Party, Protocol};
use crate::shrink::ShrunkCase;
use crate::subject::{Answer, Subject};
use crate::verdict::Value;
use crate::words;
use serde::{Serialize, Serializer};
use std::fmt::{self, Display, Formatter};
use std::path::PathBuf;

/// The tight parameter of a notion for a mechanism, its witness, and whether a claim about it holds.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct VerdictReport {
    /// The name of the mechanism and its size, see [`title`].
    pub mechanism: String,
    /// The notion, as the caller wrote it.
    pub notion: String,
    /// The family of priors, where the notion is about priors.
    pub family: Option<Family>,
    /// The name of the parameter, as `odds` or `gain`.
    pub parameter: &'static str,
    /// The parameter.
    pub value: Value,
    /// The witness in one line, if any.
    pub witness: Option<String>,
    /// The reason why there is no witness; `None` if there is one.
    pub nothing: Option<String>,
    /// The entries of `docs/theorems` that prove the bound.
    pub theorems: Vec<&'static str>,
    /// The claim, if one was made.
    pub claim: Option<ClaimReport>,
    /// The certificate, where one was written. Not part of the text and the JSON.
    pub certificate: Option<CertificateReport>,
}

/// A certificate that was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CertificateReport {
    /// Its file.
    pub path: PathBuf,
    /// The time that verifying its upper bound takes, if that is so long that `deniable recheck` skips it.
    pub unverified: Option<String>,
}

/// A claim about the parameter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ClaimReport {
    /// The claim, as the caller wrote it.
    pub claim: String,
    /// Whether the claim holds; `None` if it is inside the bracket.
    pub holds: Option<bool>,
    /// The smallest universe and dataset that break the claim, where some entities could be left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub smallest: Option<String>,
}

impl VerdictReport {
    /// The report of an answer.
    #[must_use]
    pub fn new(title: String, text: &str, notion: &Notion, family: &Family, answer: Answer) -> Self {
        Self {
            mechanism: title,
            notion: text.to_owned(),
            family: notion.is_about_beliefs().then(|| family.clone()),
            parameter: notion.parameter(),
            value: answer.verdict.value,
            witness: answer.line,
            nothing: answer.nothing,
            theorems: answer.verdict.theorems,
            claim: None,
            certificate: None,
        }
    }

    /// The report of the disclosure of a protocol to a party, beyond its input and output.
    #[must_use]
    pub fn simulated(title: String, text: &str, found: &SimulationBound, protocol: &Protocol) -> Self {
        Self {
            mechanism: title,
            notion: text.to_owned(),
            family: None,
            parameter: "odds",
            value: found.value.clone(),
            witness: Some(found.line(protocol)),
            nothing: None,
            theorems: found.theorems.clone(),
            claim: None,
            certificate: None,
        }
    }

    /// Adds the claim, if there is one, and whether it holds.
    #[must_use]
    pub fn with_claim(self, claim: Option<&str>, holds: Option<bool>, smallest: Option<String>) -> Self {
        let claim = claim.map(|claim| ClaimReport { claim: claim.to_owned(), holds, smallest });
        Self { claim, ..self }
    }

    /// Whether the claim certainly holds; true without a claim.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.claim.as_ref().is_none_or(|claim| claim.holds == Some(true))
    }
}

impl ShrunkCase {
    /// The case in one line; `None` if it has all entities of the mechanism, or no witness.
    #[must_use]
    pub fn line(&self, mechanism: &Mechanism) -> Option<String> {
        let witness = self.verdict.witness.as_ref().filter(|_| self.entities.len() < mechanism.size())?;
        let universe = self.mechanism.entities().join(", ");
        Some(format!("among {{{universe}}}, all others out: {}", witness.line(&self.mechanism)))
    }
}

impl Serialize for VerdictReport {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let written = DecisionJson {
            mechanism: Some(&self.mechanism),
            notion: &self.notion,
            family: self.family.as_ref().map(words::of_family),
            parameter: self.parameter,
            number: Some(Number::new(self.parameter, &self.value)),
            witness: self.witness.as_deref(),
            nothing: self.nothing.as_deref(),
            theorems: Some(&self.theorems),
            refused: None,
            claim: self.claim.as_ref(),
        };
        written.serialize(serializer)
    }
}

impl Display for VerdictReport {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let about = self.family.as_ref().map(|family| format!(" over {}", words::of_family(family)));
        writeln!(f, "{}\n{}{}", self.mechanism, self.notion, about.unwrap_or_default())?;
        let number = Number::new(self.parameter, &self.value);
        let epsilon = number.epsilon.as_ref().map(|epsilon| format!(", ε = {epsilon}")).unwrap_or_default();
        let reached = if matches!(self.value, Value::Between { .. }) { "somewhere between" } else { number.reached };
        writeln!(f, "  {} = {}{epsilon}, {reached}", self.parameter, number.text())?;
        match &self.witness {
            Some(line) => writeln!(f, "  witness: {line}")?,
            None => writeln!(f, "  {}", self.nothing.as_deref().unwrap_or("nothing is ever learned"))?,
        }
        if let Some(first) = self.theorems.first() {
            writeln!(f, "  by {}; `deniable explain {first}` says why", self.theorems.join(", "))?;
        }
        let Some(claim) = &self.claim else { return Ok(()) };
        let verdict = match claim.holds {
            Some(true) if self.value.is_vacuous() => "holds, and promises nothing: it is vacuous",
            Some(true) => "holds",
            Some(false) if self.witness.is_none() => "is broken: no observer of the family stays within it",
            Some(false) => "is broken, as the witness shows",
            None => "is not decided: it is inside the bracket",
        };
        writeln!(f, "  the claim {} {verdict}", claim.claim)?;
        claim.smallest.as_ref().map_or(Ok(()), |smallest| writeln!(f, "  smallest: {smallest}"))
    }
}

/// A subject by its name and its size: `kmax: 5 entities, 5 outputs`. For a protocol, the number of the party's views.
#[must_use]
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
