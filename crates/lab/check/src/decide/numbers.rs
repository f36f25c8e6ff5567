//! Constants of the formulas.

use deniable_core::exact::{Bound, Rational, whole};
use num_traits::Zero;

/// The least posterior belief, and the least δ, α and β.
pub(super) fn zero() -> Bound {
    Bound::Finite(Rational::zero())
}

/// One, short for readability of formulas.
pub(super) fn one() -> Rational {
    whole(1)
}
