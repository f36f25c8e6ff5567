//! Crowd-blending privacy (I-CBP).

use super::CheckError;
use crate::mechanism::Mechanism;
use crate::verdict::Verdict;

pub(super) fn decide(_mechanism: &Mechanism, _crowd: usize) -> Result<Verdict, CheckError> {
    Err(CheckError::NotYet { what: "crowd" })
}
