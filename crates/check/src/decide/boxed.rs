//! Independent entities with a range of priors each: multilinear sums, largest at vertices.

use super::CheckError;
use crate::mechanism::Mechanism;
use crate::notion::Direction;
use crate::verdict::Verdict;
use deniable_core::adversary::PriorRange;

pub(super) fn decide(
    _mechanism: &Mechanism,
    _ranges: &[PriorRange],
    _direction: Direction,
    _theorems: Vec<&'static str>,
) -> Result<Verdict, CheckError> {
    Err(CheckError::NotYet { what: "boxed" })
}
