//! Numbers with intervals, and exact interval arithmetic on them.

use crate::evaluate::ROOT_PLACES;
use crate::exact::{compare, difference, limited, lower_end, product, quotient, rounded, significant, sum, upper_end};
use deniable_core::exact::{Enclosure, Rational, Rounding, square_root, whole};
use deniable_query::output::{Function, Operator};
use num_traits::{Signed, Zero};

/// Binary digits after the point of logarithms and powers of e.
const BITS: u32 = 64;
/// Powers of e beyond this exponent exceed the range of floats.
const MOST_EXPONENT: i64 = 700;

/// A number with its interval, during computation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Number {
    /// The released value; `None` where it is undefined.
    pub(crate) estimate: Option<Rational>,
    /// The interval's lower end; `None` if it is unbounded.
    pub(crate) low: Option<Rational>,
    /// The interval's upper end; `None` if it is unbounded.
    pub(crate) high: Option<Rational>,
}

impl Number {
    pub(crate) fn exact(value: Option<Rational>) -> Self {
        Self { low: value.clone().and_then(lower_end), high: value.clone().and_then(upper_end), estimate: value }
    }

    pub(crate) fn within(estimate: Option<Rational>, low: Rational, high: Rational) -> Self {
        Self { estimate, low: Some(low), high: Some(high) }
    }

    /// Combines two numbers. The estimate is exact, and NULL beyond [`super::MOST_BITS`]; long ends are rounded
    /// outward.
    pub(crate) fn combine(&self, operator: Operator, other: &Self) -> Self {
        let apply = match operator {
            Operator::Add => sum,
            Operator::Subtract => difference,
            Operator::Multiply => product,
            Operator::Divide => quotient,
        };
        let both = |left: &Option<Rational>, right: &Option<Rational>| Some(apply(left.as_ref()?, right.as_ref()?));
        let is_null = operator == Operator::Divide && other.estimate.as_ref().is_none_or(Zero::is_zero);
        let estimate = if is_null { None } else { both(&self.estimate, &other.estimate).and_then(limited) };
        let (low, high) = match operator {
            Operator::Add => (both(&self.low, &other.low), both(&self.high, &other.high)),
            Operator::Subtract => (both(&self.low, &other.high), both(&self.high, &other.low)),
            Operator::Multiply => self.corners(other, product),
            Operator::Divide => {
                let crosses_zero = match (&other.low, &other.high) {
                    (Some(low), Some(high)) => !low.is_positive() && !high.is_negative(),
                    _ => true,
                };
                if crosses_zero { (None, None) } else { self.corners(other, quotient) }
            }
        };
        Self { estimate, low: low.and_then(lower_end), high: high.and_then(upper_end) }
    }

    pub(crate) fn apply(&self, function: Function) -> Self {
        if let Function::Ln | Function::Exp | Function::Sqrt = function {
            let of = |value: &Option<Rational>, rounding| {
                value.as_ref().and_then(|value| transformed(function, value, rounding))
            };
            // At the edge of the domain the least value is 0; LN has no least value.
            let least = || (function != Function::Ln).then(Rational::zero);
            return Self {
                estimate: of(&self.estimate, Rounding::Nearest),
                low: of(&self.low, Rounding::Down).or_else(least),
                high: of(&self.high, Rounding::Up),
            };
        }
        let map = |value: &Option<Rational>| value.as_ref().map(|value| applied(function, value));
        let estimate = map(&self.estimate);
        match (function, &self.low, &self.high) {
            // The sign changes at zero, so zero is the least value if both signs are possible.
            (Function::Absolute, Some(low), Some(high)) if low.is_negative() && high.is_positive() => {
                Self::within(estimate, Rational::zero(), low.abs().max(high.clone()))
            }
            (Function::Absolute, Some(low), Some(high)) => {
                Self::within(estimate, low.abs().min(high.abs()), low.abs().max(high.abs()))
            }
            (Function::Absolute, ..) => Self { estimate, low: Some(Rational::zero()), high: None },
            (_, low, high) => Self { estimate, low: map(low), high: map(high) },
        }
    }

    /// Least and greatest of an operation over the corners of both intervals.
    fn corners(
        &self,
        other: &Self,
        apply: impl Fn(&Rational, &Rational) -> Rational,
    ) -> (Option<Rational>, Option<Rational>) {
        let (Some(a), Some(b), Some(c), Some(d)) = (&self.low, &self.high, &other.low, &other.high) else {
            return (None, None);
        };
        let all = [apply(a, c), apply(a, d), apply(b, c), apply(b, d)];
        (all.iter().min_by(|l, r| compare(l, r)).cloned(), all.iter().max_by(|l, r| compare(l, r)).cloned())
    }
}

fn applied(function: Function, value: &Rational) -> Rational {
    match function {
        Function::Round(digits) => rounded(value, digits),
        Function::Floor => value.floor(),
        Function::Ceil => value.ceil(),
        Function::Absolute => value.abs(),
        Function::Ln | Function::Exp | Function::Sqrt => value.clone(),
    }
}

/// A logarithm, power of e or root, to [`PLACES`] digits after the point or as many significant digits; `None` where it
/// is undefined.
fn transformed(function: Function, value: &Rational, rounding: Rounding) -> Option<Rational> {
    let within = |enclosure: Enclosure| match rounding {
        Rounding::Down => enclosure.low(),
        Rounding::Up => enclosure.high(),
        Rounding::Nearest => (enclosure.low() + enclosure.high()) / whole(2),
    };
    match function {
        Function::Sqrt => (!value.is_negative()).then(|| square_root(value, ROOT_PLACES, rounding)),
        Function::Ln => value.is_positive().then(|| within(Enclosure::ln(&significant(value), BITS))),
        Function::Exp => {
            (value.abs() <= whole(MOST_EXPONENT)).then(|| within(Enclosure::of(&significant(value), BITS).exp()))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use deniable_core::exact::ratio;

    #[test]
    fn functions_map_intervals() {
        let number = Number::within(Some(ratio(-7, 3)), whole(-3), ratio(3, 2));
        let rounded = number.apply(Function::Round(1));
        assert_eq!(rounded, Number::within(Some(ratio(-23, 10)), whole(-3), ratio(3, 2)));
        assert_eq!(number.apply(Function::Round(-1)).estimate, Some(whole(0)));
        assert_eq!(number.apply(Function::Absolute), Number::within(Some(ratio(7, 3)), whole(0), whole(3)));
        let negative = Number::within(Some(whole(-2)), whole(-3), whole(-1));
        assert_eq!(negative.apply(Function::Absolute), Number::within(Some(whole(2)), whole(1), whole(3)));
        assert_eq!(number.apply(Function::Floor).high, Some(whole(1)));
        assert_eq!(number.apply(Function::Ceil).high, Some(whole(2)));
    }

    #[test]
    fn transformations_are_rounded_outward_within_their_domain() {
        let roots = Number::within(Some(whole(4)), whole(-1), whole(2)).apply(Function::Sqrt);
        assert_eq!((roots.estimate, roots.low), (Some(whole(2)), Some(whole(0))));
        let high = roots.high.unwrap();
        assert!(&high * &high > whole(2) && &high * &high < ratio(200_000_001, 100_000_000));
        let logarithms = Number::within(Some(whole(1)), whole(-1), whole(2)).apply(Function::Ln);
        assert_eq!((logarithms.estimate, logarithms.low), (Some(whole(0)), None));
        // ln 2 = 0.693147180559945309417...
        let high = logarithms.high.unwrap();
        assert!(
            high > ratio(693_147_180_559_945_309, 1_000_000_000_000_000_000)
                && high < ratio(6_931_471_806, 10_000_000_000)
        );
        assert_eq!(Number::exact(Some(whole(-1))).apply(Function::Ln).estimate, None);
        let powers = Number::within(Some(whole(0)), whole(-800), whole(800)).apply(Function::Exp);
        assert_eq!(powers, Number { estimate: Some(whole(1)), low: Some(whole(0)), high: None });
    }
}
