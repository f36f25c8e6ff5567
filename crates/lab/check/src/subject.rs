//! Subjects of a check: a table over datasets, one over counts, or a protocol, by file or by name.

use crate::counts::{self, CountMechanism};
use crate::decide::{CheckError, decide};
use crate::family::Family;
use crate::mechanism::builtin::{self, BuiltinError};
use crate::mechanism::file::{self, DeclaredNames, FileError, Format, Place, Record};
use crate::mechanism::{Mechanism, MechanismError};
use crate::no_witness;
use crate::notion::Notion;
use crate::protocol::{self, Party, Protocol};
use crate::verdict::{Verdict, Witness};
use deniable_core::exact::{Rational, ratio};
use std::collections::BTreeMap;

/// Limit on the entities of a mechanism by counts that is expanded for notions that need their identities.
const MOST_EXPANDED: usize = 12;

/// Built-in protocols, with a description in one line.
pub const PROTOCOLS: [(&str, &str); 3] = [
    ("and-protocol", "AND of two bits by a trusted third party; each party sees only the output"),
    ("xor-protocol", "XOR of two bits by secret sharing"),
    ("noisy-bits", "a constant output, but one party sends two bits by randomised response with odds 3 (E-5)"),
];

/// The subject of a check: a mechanism by datasets or by counts, or a protocol.
#[derive(Debug, Clone)]
pub enum Subject {
    /// A mechanism, with probabilities by dataset.
    Table(Mechanism),
    /// A mechanism, with probabilities by counts of groups.
    Counts(CountMechanism),
    /// A protocol, with the views of its two parties.
    Protocol(Protocol),
}

impl Subject {
    /// Parses a file. Its keys or columns determine the kind: `groups` or columns of counts, `party`, or datasets.
    ///
    /// # Errors
    /// When it has none of these kinds; the error names the place.
    pub fn read(source: &str, format: Format) -> Result<Self, FileError> {
        let (has_groups, is_protocol) = match file::tree(source, format)? {
            Some(root) => {
                (root.members("the file").is_ok_and(|keys| keys.iter().any(|(key, _)| key == "groups")), false)
            }
            None => {
                let header = file::csv::header(file::without_mark(source))?;
                let has = |name: &str| header.iter().any(|column| column == name);
                (!has("dataset") && !has("party"), has("party"))
            }
        };
        if is_protocol {
            protocol::file::read(source).map(Self::Protocol)
        } else if has_groups {
            counts::read(source, format).map(Self::Counts)
        } else {
            file::read(source, format).map(Self::Table)
        }
    }

    /// Builds a mechanism from rows of another source: dataset (members with spaces between them), output, probability.
    ///
    /// # Errors
    /// As for a file; places are rows, counted from 1.
    pub fn from_rows(rows: &[Vec<String>]) -> Result<Self, FileError> {
        let record = |(number, row): (usize, &Vec<String>)| {
            let place = Place::Row(number);
            let field = |at: usize| row.get(at).map_or("", String::as_str).trim();
            file::csv::record(place, field(0), field(1), field(2))
        };
        let records: Vec<Record> = (1..).zip(rows).map(record).collect::<Result<_, _>>()?;
        file::mechanism(&DeclaredNames::default(), &records).map(Self::Table)
    }

    /// A built-in mechanism or protocol.
    ///
    /// # Errors
    /// When there is no mechanism or protocol of that name, or a parameter does not fit.
    pub fn builtin(name: &str, parameters: &BTreeMap<String, String>) -> Result<Self, BuiltinError> {
        let made = match name {
            "and-protocol" => protocol::builtin::and(),
            "xor-protocol" => protocol::builtin::xor(),
            "noisy-bits" => protocol::builtin::noisy_bits(2, &three_quarters()),
            _ => return builtin::build(name, parameters).map(Self::Table),
        };
        if let Some(parameter) = parameters.keys().next() {
            return Err(BuiltinError::Conflict(format!("the protocol `{name}` has no parameter `{parameter}`")));
        }
        made.map(Self::Protocol).map_err(|error| BuiltinError::Conflict(error.to_string()))
    }
}

fn three_quarters() -> Rational {
    ratio(3, 4)
}

/// Either kind of mechanism, with a common interface.
#[derive(Debug, Clone)]
pub enum View {
    /// A mechanism by dataset, also the view of a protocol's party.
    Table(Mechanism),
    /// A mechanism by counts of groups.
    Counts(CountMechanism),
}

impl View {
    /// The mechanism of a subject; for a protocol, the view of `party`.
    ///
    /// # Errors
    /// When a protocol has too many inputs.
    pub fn of(subject: &Subject, party: Party) -> Result<Self, MechanismError> {
        match subject {
            Subject::Counts(mechanism) => Ok(Self::Counts(mechanism.clone())),
            Subject::Table(mechanism) => Ok(Self::Table(mechanism.clone())),
            Subject::Protocol(protocol) => protocol.as_mechanism(party).map(Self::Table),
        }
    }

    /// The number of entities.
    #[must_use]
    pub fn entities(&self) -> usize {
        match self {
            Self::Table(mechanism) => mechanism.size(),
            Self::Counts(mechanism) => mechanism.groups().iter().map(|group| group.size as usize).sum(),
        }
    }

    /// DP between induced neighbours (I-INP) where the datasets of the file are the possible ones. For counts, an empty
    /// list means all counts of the file.
    #[must_use]
    pub fn induced(&self) -> Notion {
        match self {
            Self::Table(mechanism) => Notion::Induced { allowed: mechanism.datasets().collect() },
            Self::Counts(_) => Notion::Induced { allowed: Vec::new() },
        }
    }

    /// Decides a notion. Notions that are not decided on counts are decided by datasets if there are few entities.
    ///
    /// # Errors
    /// As [`decide`].
    pub fn answer(&self, notion: &Notion, family: &Family) -> Result<Answer, CheckError> {
        let mechanism = match self {
            Self::Table(mechanism) => mechanism,
            Self::Counts(mechanism) => match counts::decide(mechanism, notion, family) {
                Err(CheckError::NotYet { what }) => {
                    let few = (self.entities() <= MOST_EXPANDED).then(|| mechanism.expand().ok()).flatten();
                    let table = Self::Table(few.ok_or(CheckError::NotYet { what })?);
                    return match notion {
                        Notion::Induced { allowed } if allowed.is_empty() => table.answer(&table.induced(), family),
                        notion => table.answer(notion, family),
                    };
                }
                decided => {
                    let verdict = decided?;
                    let line = verdict.witness.as_ref().and_then(|witness| match witness {
                        Witness::Counts(witness) => Some(witness.line()),
                        _ => None,
                    });
                    return Ok(Answer::new(verdict, line, notion, family));
                }
            },
        };
        let verdict = decide(mechanism, notion, family)?;
        let disbelief = |witness: &Witness| match notion {
            Notion::Membership { .. } => witness.disbelief().unwrap_or_default(),
            Notion::Indistinguishable => witness.fall().unwrap_or_default(),
            _ => String::new(),
        };
        let line = verdict.witness.as_ref().map(|witness| witness.line(mechanism) + &disbelief(witness));
        Ok(Answer::new(verdict, line, notion, family))
    }
}

/// A verdict, with its witness in one line.
#[derive(Debug, Clone)]
pub struct Answer {
    /// The tight parameter, its witness and its theorems.
    pub verdict: Verdict,
    /// The witness, if any.
    pub line: Option<String>,
    /// The reason why there is no witness; `None` if there is one.
    pub nothing: Option<String>,
}

impl Answer {
    fn new(verdict: Verdict, line: Option<String>, notion: &Notion, family: &Family) -> Self {
        let nothing = line.is_none().then(|| no_witness::why(notion, family, &verdict.value));
        Self { verdict, line, nothing }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROTOCOL: &str = "party,x,y,view,output,probability\n\
        1,0,0,a,,1\n1,0,1,b,,1\n2,0,0,,,1\n2,0,1,,,1\n";

    #[test]
    fn kinds_of_files_are_distinguished() {
        let table = "dataset,output,probability\n,yes,1\nann,yes,1\n";
        assert!(matches!(Subject::read(table, Format::Csv), Ok(Subject::Table(_))));
        let counts = "women,output,probability\n0,yes,1\n1,yes,1\n";
        assert!(matches!(Subject::read(counts, Format::Csv), Ok(Subject::Counts(_))));
        let counts = r#"{"groups": {"all": 1}, "dataset": [{"counts": {"all": 0}, "probabilities": {"yes": 1}},
            {"counts": {"all": 1}, "probabilities": {"yes": 1}}]}"#;
        assert!(matches!(Subject::read(counts, Format::Json), Ok(Subject::Counts(_))));
        assert!(matches!(Subject::read(PROTOCOL, Format::Csv), Ok(Subject::Protocol(_))));
    }

    #[test]
    fn small_counts_are_expanded_for_notions_on_datasets() {
        let counts = "all,output,probability\n0,no,3/4\n0,yes,1/4\n1,no,1/2\n1,yes,1/2\n2,no,1/4\n2,yes,3/4\n";
        let Ok(subject) = Subject::read(counts, Format::Csv) else { panic!("counts") };
        let Ok(asked) = View::of(&subject, Party::First) else { panic!("counts") };
        // A crowd of two: every member can be removed, which changes 1/4 to 1/2.
        let crowd = asked.answer(&Notion::CrowdBlending { crowd: 2 }, &Family::All).unwrap();
        assert_eq!(crowd.verdict.value.to_string(), "2");
        let dp = asked.answer(&Notion::Bounded, &Family::All).unwrap();
        assert!(dp.verdict.theorems.contains(&"X-COUNT") && !crowd.verdict.theorems.contains(&"X-COUNT"));
    }

    #[test]
    fn rows_from_elsewhere_name_their_number() {
        let rows = |last: &str| {
            let row = |fields: [&str; 3]| fields.map(str::to_owned).to_vec();
            vec![row(["", "yes", "1/2"]), row(["", "no", "0.5"]), row(["ann", "yes", last])]
        };
        assert!(matches!(Subject::from_rows(&rows("1")), Ok(Subject::Table(_))));
        let error = Subject::from_rows(&rows("x")).unwrap_err().to_string();
        assert!(error.starts_with("row 3: "), "{error}");
    }

    #[test]
    fn every_protocol_is_built() {
        for (name, _) in PROTOCOLS {
            assert!(matches!(Subject::builtin(name, &BTreeMap::new()), Ok(Subject::Protocol(_))), "{name}");
        }
        let wrong = BTreeMap::from([("k".to_owned(), "2".to_owned())]);
        assert!(Subject::builtin("and-protocol", &wrong).is_err());
    }
}
