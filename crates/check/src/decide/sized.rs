//! Datasets of one public size: F-DB, F-DCm, (ρ,m)- and (α,β)-differential identifiability.

use super::CheckError;
use crate::mechanism::Mechanism;
use crate::notion::{Direction, Sign};
use crate::verdict::Verdict;
use deniable_core::adversary::PriorRange;
use deniable_core::exact::Rational;

pub(super) fn bounded(
    _mechanism: &Mechanism,
    _range: &PriorRange,
    _direction: Direction,
    _theorems: Vec<&'static str>,
) -> Result<Verdict, CheckError> {
    Err(CheckError::NotYet { what: "bounded" })
}

pub(super) fn one_of(
    _mechanism: &Mechanism,
    _among: usize,
    _direction: Direction,
    _theorems: Vec<&'static str>,
) -> Result<Verdict, CheckError> {
    Err(CheckError::NotYet { what: "one of m" })
}

pub(super) fn rho(_mechanism: &Mechanism, _among: usize) -> Result<Verdict, CheckError> {
    Err(CheckError::NotYet { what: "rho" })
}

pub(super) fn alpha_beta(_mechanism: &Mechanism, _least: &Rational, _sign: Sign) -> Result<Verdict, CheckError> {
    Err(CheckError::NotYet { what: "alpha-beta" })
}
