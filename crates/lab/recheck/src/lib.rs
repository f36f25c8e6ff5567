//! Verifies certificates of `deniable-check` without using any of its code.
//!
//! | question | module |
//! |---|---|
//! | What does the file contain? | [`format`](mod@format) |
//! | How are exact numbers written? | [`number`] |
//! | Is the table a mechanism? | [`table`] |
//! | What can be wrong? | [`error`] |
//!
//! The witness is checked with Bayes' rule and the definition of the notion. The upper bound is checked by enumerating
//! every observation that the theorems of section X name, in plain fractions: slow, and written for readability. If
//! that would exceed the given limit, the report has [`UpperCheck::TooMany`].
//!
//! It rejects some witnesses that may be right: one of F-NIk in which several groups of dependent entities are
//! uncertain, and one of F-EXPL that mixes more than two of the priors. For a wrong result, two programs that share
//! only the fraction type would have to make the same mistake.
//!
//! ```
//! use deniable_recheck::{LIMIT, UpperCheck, recheck};
//!
//! // The output of `deniable check examples/coin/mechanism.toml --notion dp --certificate FILE`.
//! let certificate = include_str!("../../../../examples/coin/certificate.json");
//! assert_eq!(recheck(certificate, LIMIT)?.upper, UpperCheck::Holds);
//! assert!(recheck(&certificate.replace("3/4", "4/5"), LIMIT).is_err());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod approximate;
mod belong;
mod but_for;
mod crowd;
pub mod error;
pub mod format;
mod measure;
mod mixture;
pub mod number;
mod question;
mod simulation;
mod sized;
pub mod table;
mod upper;
mod witness;

pub use error::RecheckError;

use crate::format::{Certificate, Value, Witness};
use crate::number::ExtendedNumber;
use crate::question::{Line, Measure, Question};
use crate::table::ExactTable;
use crate::witness::WitnessValues;
use serde::{Serialize, Serializer};

/// The default limit for checking the upper bound, in approximate microseconds: about half a minute.
pub const LIMIT: u128 = 30_000_000;

/// The result for a certificate whose witness is right.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// The result for the upper bound.
    pub upper: UpperCheck,
}

/// The outcome of checking the upper bound.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UpperCheck {
    /// It holds.
    Holds,
    /// The claim is vacuous, and there is nothing to compare.
    Vacuous,
    /// It was not checked: it would take about this many microseconds.
    TooMany(u128),
}

impl Report {
    /// Whether everything was checked, including the upper bound.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        !matches!(self.upper, UpperCheck::TooMany(_))
    }

    /// The results for the witness and the upper bound, in words.
    fn words(&self) -> (&'static str, String) {
        match &self.upper {
            UpperCheck::Holds => ("right", "right: nothing is worse".to_owned()),
            UpperCheck::Vacuous => {
                ("none needed", "right: there is nothing to compare, the claim is vacuous".to_owned())
            }
            UpperCheck::TooMany(steps) => ("right", format!("not re-checked: that would take about {}", time(*steps))),
        }
    }
}

impl std::fmt::Display for Report {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (witness, upper) = self.words();
        writeln!(f, "witness: {witness}\nupper bound: {upper}")
    }
}

impl Serialize for Report {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct ReportJson {
            witness: &'static str,
            upper_bound: String,
        }
        let (witness, upper_bound) = self.words();
        ReportJson { witness, upper_bound }.serialize(serializer)
    }
}

/// Formats a duration in microseconds.
#[must_use]
pub fn time(microseconds: u128) -> String {
    let seconds = microseconds.div_ceil(1_000_000);
    match seconds {
        0..120 => format!("{seconds} seconds"),
        120..7_200 => format!("{} minutes", seconds / 60),
        7_200..172_800 => format!("{} hours", seconds / 3_600),
        _ => format!("{} days", seconds / 86_400),
    }
}

/// Verifies a certificate; the upper bound is skipped if it would take more than about `limit` microseconds.
///
/// # Errors
/// With the first statement of the certificate that is wrong.
pub fn recheck(text: &str, limit: u128) -> Result<Report, RecheckError> {
    let statement = Statement::read(text)?;
    statement.witness()?;
    Ok(Report { upper: statement.upper(limit)? })
}

/// A certificate with a valid table and question.
pub struct Statement {
    table: ExactTable,
    question: Question,
    value: Value,
    witness: Option<Witness>,
}

impl Statement {
    /// Parses a certificate and checks its table.
    ///
    /// # Errors
    /// When it is damaged, its table is not a mechanism, or its question is invalid.
    pub fn read(text: &str) -> Result<Self, RecheckError> {
        let Certificate { mechanism, notion, family, value, witness, .. } = Certificate::read(text)?;
        let table = ExactTable::new(&mechanism)?;
        let question = question::question(&notion, &family, &table)?;
        if let Value::Between { low, high, .. } = &value
            && low > high
        {
            return Err(RecheckError::Question(format!("the bracket from {low} to {high} is empty")));
        }
        Ok(Self { table, question, value, witness })
    }

    /// Checks the witness.
    ///
    /// # Errors
    /// When it does not attain the claim.
    pub fn witness(&self) -> Result<(), RecheckError> {
        let witness = self.witness.as_ref();
        if self.value == Value::Vacuous {
            // A vacuous claim is checked by enumeration, with the upper bound.
            return match witness {
                None => Ok(()),
                Some(_) => Err(RecheckError::Unfit("it compares something, but the claim is vacuous".to_owned())),
            };
        }
        let shown: Vec<(Measure, Result<WitnessValues, RecheckError>)> = match (&self.question, witness) {
            (Question::Approximate { exchange, given }, _) => {
                return approximate::witness(&self.table, *exchange, given, &self.value, witness);
            }
            (Question::ButFor { exchange, odds, reading }, _) => {
                return but_for::witness(&self.table, *exchange, (odds, *reading), &self.value, witness);
            }
            (Question::Crowd(crowd), _) => return crowd::witness(&self.table, *crowd, &self.value, witness),
            (Question::Simulation(rows), _) => return simulation::witness(&self.table, *rows, &self.value, witness),
            (Question::Lines(lines), None) => return self.nothing(lines[0].measure, &lines[0]),
            (Question::Mixture { measure, .. }, None) => return self.nothing_at(measure.nothing()),
            (Question::Lines(lines), Some(witness)) => {
                lines.iter().map(|line| (line.measure, witness::shown(&self.table, line, witness))).collect()
            }
            (Question::Mixture { priors, presence, measure }, Some(witness)) => {
                let shown = |presence: &bool| mixture::shown(&self.table, priors, *presence, *measure, witness);
                presence.iter().map(|presence| (*measure, shown(presence))).collect()
            }
        };
        // Presence or absence: the claim may hold in either direction. The last error is reported, but one about the
        // claim has precedence.
        let mut reason = RecheckError::Unfit("there is nothing to compare".to_owned());
        for (measure, shown) in shown {
            match shown.and_then(|shown| shown.supports(&self.value, measure)) {
                Ok(()) => return Ok(()),
                Err(error) if matches!(reason, RecheckError::Unfit(_)) => reason = error,
                Err(_) => {}
            }
        }
        Err(reason)
    }

    /// Without a witness only the value of a constant answer may be claimed.
    fn nothing(&self, measure: Measure, line: &Line) -> Result<(), RecheckError> {
        let alone = match (&line.scenes, measure) {
            (question::Scenes::OneOf(among) | question::Scenes::OneOfRest(among), Measure::Highest) => {
                Some(ExtendedNumber::Finite(number::Q::new(1.into(), (*among).into())))
            }
            _ => measure.nothing(),
        };
        // For any observer, the highest posterior is at least the lowest prior, and the lowest posterior at most the
        // highest prior.
        if let (Value::Between { low, high, .. }, question::Scenes::Exchanged(beliefs)) = (&self.value, &line.scenes) {
            let shown = match measure {
                Measure::Highest => *low <= ExtendedNumber::Finite(beliefs.0.clone()),
                Measure::Lowest => *high >= ExtendedNumber::Finite(beliefs.1.clone()),
                _ => Some(low) == alone.as_ref(),
            };
            if shown {
                return Ok(());
            }
        }
        self.nothing_at(alone)
    }

    fn nothing_at(&self, nothing: Option<ExtendedNumber>) -> Result<(), RecheckError> {
        match (&self.value, nothing) {
            (Value::Attained(claim), Some(nothing)) if *claim == nothing => Ok(()),
            _ => Err(RecheckError::Falls { claim: witness::text(&self.value), shows: "nothing".to_owned() }),
        }
    }

    /// Checks the upper bound if that takes at most about `limit` microseconds.
    ///
    /// # Errors
    /// When an observation exceeds it.
    pub fn upper(&self, limit: u128) -> Result<UpperCheck, RecheckError> {
        let steps = self.steps();
        if steps > limit {
            return Ok(UpperCheck::TooMany(steps));
        }
        self.upper_of(0..self.table.outputs())?;
        Ok(if self.value == Value::Vacuous { UpperCheck::Vacuous } else { UpperCheck::Holds })
    }

    /// The claimed upper bound; `None` for a vacuous claim.
    fn beyond(&self, measure: Measure) -> Option<&ExtendedNumber> {
        match &self.value {
            Value::Between { low, .. } if measure == Measure::Lowest => Some(low),
            value => value.high(),
        }
    }

    /// The approximate microseconds for checking the upper bound, estimated from the size of the table: a file has the
    /// same estimate on every machine.
    #[must_use]
    pub fn steps(&self) -> u128 {
        match &self.question {
            Question::Lines(lines) => {
                let each = |line: &Line| {
                    let sized = line.sized.as_ref().map_or(0, |_| sized::steps(&self.table));
                    upper::steps(&self.table, line) + sized
                };
                let each = lines.iter().map(each).sum::<u128>();
                each * self.table.outputs() as u128
            }
            Question::Approximate { exchange, .. } => 4 * approximate::steps(&self.table, *exchange),
            Question::ButFor { exchange, .. } => 20 * approximate::steps(&self.table, *exchange),
            Question::Crowd(_) => crowd::steps(&self.table),
            Question::Mixture { priors, presence, .. } => {
                20 * mixture::steps(&self.table, priors) * presence.len() as u128
            }
            Question::Simulation(rows) => 30 * simulation::steps(&self.table, *rows),
        }
    }

    /// Checks the upper bound for some outputs only, where the question is about single outputs: for measuring the
    /// running time.
    ///
    /// # Errors
    /// When an observation exceeds it.
    pub fn upper_of(&self, outputs: std::ops::Range<usize>) -> Result<(), RecheckError> {
        match &self.question {
            Question::Lines(lines) => {
                let each = |line: &Line| {
                    let claim = self.beyond(line.measure);
                    match (upper::check(&self.table, line, claim, outputs.clone()), claim, &line.sized) {
                        // The worst pair with the worst belief may not have an observer, so the actual observers are
                        // enumerated.
                        (Err(beyond @ RecheckError::Exceeded { .. }), Some(claim), Some(range)) => {
                            sized::check(&self.table, line, range, claim, outputs.clone()).unwrap_or(Err(beyond))
                        }
                        (checked, ..) => checked,
                    }
                };
                lines.iter().try_for_each(each)
            }
            Question::Approximate { exchange, given } => approximate::upper(&self.table, *exchange, given, &self.value),
            Question::ButFor { exchange, odds, reading } => {
                but_for::upper(&self.table, *exchange, odds, *reading, &self.value)
            }
            Question::Crowd(crowd) => match self.value.high() {
                Some(claim) => crowd::upper(&self.table, *crowd, claim),
                None => simulation::nobody(&self.table),
            },
            Question::Mixture { priors, presence, measure } => {
                let Some(claim) = self.beyond(*measure) else { return mixture::nobody(&self.table, priors) };
                presence.iter().try_for_each(|presence| mixture::upper(&self.table, priors, *presence, *measure, claim))
            }
            Question::Simulation(rows) => simulation::upper(&self.table, *rows, &self.value, self.witness.as_ref()),
        }
    }
}

// `tests/it` is compiled into the unit tests' program: one program per crate to link. It names the crate as other
// crates do.
#[cfg(test)]
extern crate self as deniable_recheck;
#[cfg(test)]
#[path = "../tests/it/mod.rs"]
mod it;
