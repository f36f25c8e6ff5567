//! Errors as analysts see them. Errors that depend on the query, the policy and the analyst's own account alone are
//! reported in full. All others are replaced by one fixed sentence, and their details go to the log.

use deniable::Error;
use deniable_core::exact::{Rational, Rounding, percent};
use deniable_core::text::{printable, without_secrets};
use deniable_ledger::{ApprovalError, ChargeError, Decision, FixError, OverChance, VersionName};
use deniable_query::{Missing, QueryError};

use deniable_release::ReleaseError;
use deniable_release::plan::{PlanError, PlanErrorKind, PlanErrors};
use deniable_wire::{Code, Failure};

/// An error for the analyst, and details for the curator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The error that the analyst sees.
    pub failure: Failure,
    /// Details for the log; `None` if the failure is complete.
    pub secret: Option<String>,
}

impl From<Failure> for Refusal {
    fn from(failure: Failure) -> Self {
        Self { failure, secret: None }
    }
}

/// The fixed error that hides the cause.
#[must_use]
pub fn unavailable() -> Failure {
    Failure::new(Code::Internal, "the server cannot answer this now").hint(
        "the server's log has the cause; charges are kept; repeating a query is free unless its answer was being drawn",
    )
}

/// The error of a query that is invalid, or not answered under the policy.
#[must_use]
pub fn of_plan(errors: &PlanErrors) -> Failure {
    let Some(PlanError { sql, kind, .. }) = errors.errors().first() else { return unavailable() };
    let failure = |code: Code| Failure::new(code, without_secrets(&kind.to_string()).into_owned());
    match kind {
        PlanErrorKind::Query(error) => {
            let code = match error {
                QueryError::Syntax { .. } => Code::Syntax,
                QueryError::Meaning { missing: Some(Missing::Table), .. } => Code::NoTable,
                QueryError::Meaning { missing: Some(Missing::Column), .. } => Code::NoColumn,
                QueryError::Meaning { .. } => Code::Syntax,
                QueryError::Refused { .. } => Code::NotSupported,
            };
            let position = error.place().map(|place| characters(sql, place.line, place.column));
            Failure { position, hint: error.help().map(str::to_owned), ..failure(code) }
        }
        PlanErrorKind::Engine(refusal) => failure(Code::NotSupported).hint(refusal.help),
        PlanErrorKind::Noise(_) | PlanErrorKind::Spend(_) | PlanErrorKind::Target(_) | PlanErrorKind::Targets(_) => {
            failure(Code::NotAllowed).hint("state a larger deniable.spend, or ask for less")
        }
    }
}

/// The position in characters, from 1, of a line and column, also from 1.
fn characters(sql: &str, line: u64, column: u64) -> usize {
    let line = usize::try_from(line).unwrap_or(1).max(1);
    let before: usize = sql.split_inclusive('\n').take(line - 1).map(|line| line.chars().count()).sum();
    before + usize::try_from(column).unwrap_or(1).max(1)
}

/// The error of a release or of a step before it.
#[must_use]
pub fn of_release(error: &Error) -> Refusal {
    match error {
        Error::Plan(errors) => of_plan(errors).into(),
        Error::Query(error) => Failure::new(Code::Setting, error.to_string()).into(),
        Error::Release(error) => of_asks(error),
        other => Refusal { failure: unavailable(), secret: Some(other.to_string()) },
    }
}

/// The error of a charge that the ledger or the data do not allow.
#[must_use]
pub fn of_asks(error: &ReleaseError) -> Refusal {
    use deniable_protocol::ProtocolError;
    match error {
        // All follow from what this account alone was charged and answered (C-8).
        ReleaseError::Protocol(ProtocolError::OverBudget { fits, .. }) => over_budget(fits.as_ref()).into(),
        ReleaseError::Protocol(ProtocolError::Charge { error: ChargeError::OverBudget { .. }, .. }) => {
            over_budget(None).into()
        }
        ReleaseError::Protocol(ProtocolError::OverVersion { version, fits, .. }) => {
            over_version(version, fits.as_ref()).into()
        }
        ReleaseError::Protocol(ProtocolError::Charge { error: ChargeError::OverVersion { version, .. }, .. }) => {
            over_version(version, None).into()
        }
        ReleaseError::Protocol(
            ProtocolError::OverChance(over)
            | ProtocolError::Fix(FixError::Over(over))
            | ProtocolError::Charge { error: ChargeError::OverChance { over }, .. },
        ) => over_chance(over),
        ReleaseError::Protocol(ProtocolError::Charge { error: ChargeError::NoPart(name), .. }) => no_part(name).into(),
        _ => Refusal { failure: unavailable(), secret: Some(error.to_string()) },
    }
}

fn no_part(name: &str) -> Failure {
    let message = format!("no part of the promise is set aside for \"{name}\"");
    Failure::new(Code::NotAllowed, message).hint("the curator can set a part aside")
}

/// The error of a request for approval, or of a decision about one.
#[must_use]
pub fn of_decision(error: &ApprovalError) -> Refusal {
    match error {
        ApprovalError::Charge(ChargeError::NoPart(name)) => no_part(name).into(),
        ApprovalError::TooMany(_) => Failure::new(Code::TooMany, error.to_string())
            .hint("request more after the approver has decided some of these; deniable.requests lists them")
            .into(),
        ApprovalError::Same(_) => Failure::new(Code::Value, "this request already has this decision").into(),
        ApprovalError::Reason => Failure::new(Code::Value, error.to_string()).into(),
        _ => Refusal { failure: unavailable(), secret: Some(error.to_string()) },
    }
}

/// The error of a query that is not approved yet, or was rejected.
#[must_use]
pub fn not_allowed(number: usize, decision: Option<&Decision>) -> Failure {
    match decision {
        None => Failure::new(Code::NoPrice, format!("this query needs approval: it is your request {number}"))
            .detail("nothing was charged")
            .hint("repeat the query once deniable.requests lists it as approved"),
        Some(decision) => {
            let why =
                if decision.reason.is_empty() { String::new() } else { format!(": {}", printable(&decision.reason)) };
            let by = printable(&decision.by);
            Failure::new(Code::NotAllowed, format!("your request {number} was rejected by \"{by}\"{why}"))
                .detail("nothing was charged")
        }
    }
}

fn over_budget(fits: Option<&Rational>) -> Failure {
    let failure = Failure::new(Code::NotAllowed, "the rest of your part of the promise does not cover this query");
    failure.hint(fitting(fits, "your part is spent"))
}

fn fitting(fits: Option<&Rational>, spent: &str) -> String {
    match fits {
        Some(share) => format!(
            "SET deniable.spend = '{share}' ({} of the whole promise) would still fit",
            percent(share, 1, Rounding::Down)
        ),
        None => format!("{spent}; earlier answers stay free: deniable.releases lists them"),
    }
}

/// The refusal of a query that the promise but for a chance does not cover.
fn over_chance(over: &OverChance) -> Refusal {
    match over {
        OverChance::Odds { .. } | OverChance::Part { .. } => Failure::new(Code::NotAllowed, over.to_string())
            .hint("state a smaller deniable.spend; earlier answers stay free: deniable.releases lists them")
            .into(),
        OverChance::Later | OverChance::Size(_) => Refusal { failure: unavailable(), secret: Some(over.to_string()) },
    }
}

/// The refusal of a query about a version whose part of the promise does not cover it.
fn over_version(version: &VersionName, fits: Option<&Rational>) -> Failure {
    let message = format!("the rest of what {} may use does not cover this query", printable(&version.to_string()));
    let spent = "what queries about this version may use is spent: the next version has its own part";
    Failure::new(Code::NotAllowed, message).hint(fitting(fits, spent))
}
