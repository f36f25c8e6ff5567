//! The highest and lowest belief after an answer (B-4), and for one explicit prior the posterior of each entity.

use super::CheckError;
use crate::family::Family;
use crate::mechanism::Mechanism;
use crate::notion::Sign;
use crate::verdict::Verdict;

pub(super) fn decide(_mechanism: &Mechanism, _sign: Sign, _family: &Family) -> Result<Verdict, CheckError> {
    Err(CheckError::NotYet { what: "posterior" })
}
