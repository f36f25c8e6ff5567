//! Checks a certificate of `deniable-check` without any of its code.
//!
//! | question | module |
//! |---|---|
//! | what is in the file? | [`format`](mod@format) |
//! | what is a number, and how is it written? | [`number`] |
//! | is the table a mechanism? | [`table`] |
//! | what is wrong? | [`error`] |
//!
//! The witness is checked with Bayes' rule and the definition of the notion. The upper bound is checked by looking at
//! every observation that the theorems of section X name, one after the other and in plain fractions: slow, and meant to
//! be read. Where there are more of them than the stated limit, the report has [`UpperCheck::TooMany`].
//!
//! What it refuses although it may be right: a witness of F-NIk in which several groups of dependent entities are
//! uncertain, and one of F-EXPL that mixes more than two of the priors. What a wrong answer here needs is the same mistake
//! made twice, by two programs that share no line but the fraction type.
//!
//! ```
//! use deniable_recheck::{LIMIT, UpperCheck, recheck};
//!
//! // What `deniable check examples/coin/mechanism.toml --notion dp --certificate FILE` wrote.
//! let certificate = include_str!("../../../../examples/coin/certificate.json");
//! assert_eq!(recheck(certificate, LIMIT)?.upper, UpperCheck::Holds);
//! assert!(recheck(&certificate.replace("3/4", "4/5"), LIMIT).is_err());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod approximate;
mod belong;
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

/// How many microseconds or so the upper bound may take unless another limit is stated: about half a minute.
pub const LIMIT: u128 = 30_000_000;

/// What a certificate was found to show: its witness is right.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// What became of the upper bound.
    pub upper: UpperCheck,
}

/// The outcome of checking the upper bound.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UpperCheck {
    /// It holds.
    Holds,
    /// There is nothing to compare, as the certificate says: it promises nothing.
    Vacuous,
    /// It was not checked: it would take about so many microseconds.
    TooMany(u128),
}

impl Report {
    /// Whether everything was checked: also the upper bound.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        !matches!(self.upper, UpperCheck::TooMany(_))
    }

    /// The witness and the upper bound, in words.
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
        struct Written {
            witness: &'static str,
            upper_bound: String,
        }
        let (witness, upper_bound) = self.words();
        Written { witness, upper_bound }.serialize(serializer)
    }
}

/// Microseconds, in words.
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

/// Checks a certificate, taking no more than `limit` microseconds or so for the upper bound.
///
/// # Errors
/// When anything in it is not so, with what and by how much.
pub fn recheck(text: &str, limit: u128) -> Result<Report, RecheckError> {
    let statement = Statement::read(text)?;
    statement.witness()?;
    Ok(Report { upper: statement.upper(limit)? })
}

/// A certificate of which the table was checked and the question is understood.
pub struct Statement {
    table: ExactTable,
    question: Question,
    value: Value,
    witness: Option<Witness>,
}

impl Statement {
    /// Reads a certificate and checks its table.
    ///
    /// # Errors
    /// When it is damaged, its table no mechanism, or its question none.
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
    /// When it does not show the claim.
    pub fn witness(&self) -> Result<(), RecheckError> {
        let witness = self.witness.as_ref();
        if self.value == Value::Vacuous {
            // That there is nothing is shown by looking at everything.
            return match witness {
                None => Ok(()),
                Some(_) => {
                    Err(RecheckError::Unfit("it shows something, and the claim is that there is nothing".to_owned()))
                }
            };
        }
        let shown: Vec<(Measure, Result<WitnessValues, RecheckError>)> = match (&self.question, witness) {
            (Question::Approximate { exchange, given }, _) => {
                return approximate::witness(&self.table, *exchange, given, &self.value, witness);
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
        // Presence or absence: either may carry the claim. The last reason is reported, but one about the claim first.
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

    /// Without a witness nothing may be claimed.
    fn nothing(&self, measure: Measure, line: &Line) -> Result<(), RecheckError> {
        let alone = match (&line.scenes, measure) {
            (question::Scenes::OneOf(among) | question::Scenes::OneOfRest(among), Measure::Highest) => {
                Some(ExtendedNumber::Finite(number::Q::new(1.into(), (*among).into())))
            }
            _ => measure.nothing(),
        };
        // Whoever there is, the highest belief afterwards is no less than the lowest before, and the lowest no more than
        // the highest.
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

    /// Checks the upper bound if it takes no more than `limit` microseconds or so.
    ///
    /// # Errors
    /// When an observation is beyond it.
    pub fn upper(&self, limit: u128) -> Result<UpperCheck, RecheckError> {
        let steps = self.steps();
        if steps > limit {
            return Ok(UpperCheck::TooMany(steps));
        }
        self.upper_of(0..self.table.outputs())?;
        Ok(if self.value == Value::Vacuous { UpperCheck::Vacuous } else { UpperCheck::Holds })
    }

    /// The claim that nothing may be beyond; `None` that there is nothing.
    fn beyond(&self, measure: Measure) -> Option<&ExtendedNumber> {
        match &self.value {
            Value::Between { low, .. } if measure == Measure::Lowest => Some(low),
            value => value.high(),
        }
    }

    /// How many microseconds or so the upper bound takes, as estimated from the size of the table: the same for the same file
    /// on every machine.
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
            Question::Crowd(_) => crowd::steps(&self.table),
            Question::Mixture { priors, presence, .. } => {
                20 * mixture::steps(&self.table, priors) * presence.len() as u128
            }
            Question::Simulation(rows) => 30 * simulation::steps(&self.table, *rows),
        }
    }

    /// The same for some outputs alone, where the question is about single outputs: for measuring how long it takes.
    ///
    /// # Errors
    /// When an observation is beyond it.
    pub fn upper_of(&self, outputs: std::ops::Range<usize>) -> Result<(), RecheckError> {
        match &self.question {
            Question::Lines(lines) => {
                let each = |line: &Line| {
                    let claim = self.beyond(line.measure);
                    match (upper::check(&self.table, line, claim, outputs.clone()), claim, &line.sized) {
                        // The worst pair with the worst belief need not have an observer: those there are are looked at.
                        (Err(beyond @ RecheckError::Exceeded { .. }), Some(claim), Some(range)) => {
                            sized::check(&self.table, line, range, claim, outputs.clone()).unwrap_or(Err(beyond))
                        }
                        (checked, ..) => checked,
                    }
                };
                lines.iter().try_for_each(each)
            }
            Question::Approximate { exchange, given } => approximate::upper(&self.table, *exchange, given, &self.value),
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

// `tests/it` is part of the unit tests' program: one program per crate to link. What it uses of the crate it names as others do.
#[cfg(test)]
extern crate self as deniable_recheck;
#[cfg(test)]
#[path = "../tests/it/mod.rs"]
mod it;
