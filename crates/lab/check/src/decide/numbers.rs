//! Numbers that formulas begin with.

use deniable_core::exact::{Bound, Rational, whole};
use num_traits::Zero;

/// The least belief, and the least δ, α and β.
pub(super) fn zero() -> Bound {
    Bound::Finite(Rational::zero())
}

/// One, for readers of formulas.
pub(super) fn one() -> Rational {
    whole(1)
}
