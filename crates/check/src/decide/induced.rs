//! DP between induced neighbours under constraints (I-INP).

use super::CheckError;
use crate::mechanism::Dataset;
use crate::mechanism::Mechanism;
use crate::verdict::Verdict;

pub(super) fn decide(_mechanism: &Mechanism, _allowed: &[Dataset]) -> Result<Verdict, CheckError> {
    Err(CheckError::NotYet { what: "induced" })
}
