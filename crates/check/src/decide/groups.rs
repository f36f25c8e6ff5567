//! Groups of entities that may depend on each other (F-NIk).

use super::CheckError;
use crate::mechanism::Mechanism;
use crate::notion::Direction;
use crate::verdict::Verdict;

pub(super) fn decide(
    _mechanism: &Mechanism,
    _size: usize,
    _direction: Direction,
    _theorems: Vec<&'static str>,
) -> Result<Verdict, CheckError> {
    Err(CheckError::NotYet { what: "groups" })
}
