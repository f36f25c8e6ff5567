//! Given priors and their mixtures (F-EXPL).

use super::CheckError;
use crate::family::Prior;
use crate::mechanism::Mechanism;
use crate::notion::Direction;
use crate::verdict::Verdict;

pub(super) fn decide(
    _mechanism: &Mechanism,
    _priors: &[Prior],
    _direction: Direction,
    _theorems: Vec<&'static str>,
) -> Result<Verdict, CheckError> {
    Err(CheckError::NotYet { what: "explicit" })
}
