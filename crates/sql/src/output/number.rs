//! Numbers with intervals, and exact interval arithmetic on them.

use super::{Function, Operator};
use deniable_core::exact::{Rational, power, whole};
use num_traits::{Signed, Zero};

/// A number with its interval, while it is computed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Number {
    /// The released value; `None` where it is undefined.
    pub(super) estimate: Option<Rational>,
    /// The interval's lower end; `None` when nothing bounds it.
    pub(super) low: Option<Rational>,
    /// The interval's upper end; `None` when nothing bounds it.
    pub(super) high: Option<Rational>,
}

impl Number {
    pub(super) fn exact(value: Option<Rational>) -> Self {
        Self { low: value.clone(), high: value.clone(), estimate: value }
    }

    pub(super) fn within(estimate: Option<Rational>, low: Rational, high: Rational) -> Self {
        Self { estimate, low: Some(low), high: Some(high) }
    }

    pub(super) fn combine(&self, operator: Operator, other: &Self) -> Self {
        let both = |left: &Option<Rational>, right: &Option<Rational>| Some((left.clone()?, right.clone()?));
        let estimates = both(&self.estimate, &other.estimate);
        match operator {
            Operator::Add => Self {
                estimate: estimates.map(|(l, r)| l + r),
                low: both(&self.low, &other.low).map(|(l, r)| l + r),
                high: both(&self.high, &other.high).map(|(l, r)| l + r),
            },
            Operator::Subtract => Self {
                estimate: estimates.map(|(l, r)| l - r),
                low: both(&self.low, &other.high).map(|(l, r)| l - r),
                high: both(&self.high, &other.low).map(|(l, r)| l - r),
            },
            Operator::Multiply => {
                let (low, high) = self.corners(other, |l, r| l * r);
                Self { estimate: estimates.map(|(l, r)| l * r), low, high }
            }
            Operator::Divide => {
                let estimate = estimates.and_then(|(l, r)| (!r.is_zero()).then(|| l / r));
                let crosses_zero = match both(&other.low, &other.high) {
                    Some((low, high)) => !low.is_positive() && !high.is_negative(),
                    None => true,
                };
                if crosses_zero {
                    return Self { estimate, low: None, high: None };
                }
                let (low, high) = self.corners(other, |l, r| l / r);
                Self { estimate, low, high }
            }
        }
    }

    pub(super) fn apply(&self, function: Function) -> Self {
        let map = |value: &Option<Rational>| value.as_ref().map(|value| of(function, value));
        let estimate = map(&self.estimate);
        match (function, &self.low, &self.high) {
            // Below and above zero the sign changes, so zero is the least where both are possible.
            (Function::Absolute, Some(low), Some(high)) if low.is_negative() && high.is_positive() => {
                Self::within(estimate, Rational::zero(), low.abs().max(high.clone()))
            }
            (Function::Absolute, Some(low), Some(high)) => {
                Self::within(estimate, low.abs().min(high.abs()), low.abs().max(high.abs()))
            }
            (Function::Absolute, ..) => Self { estimate, low: Some(Rational::zero()), high: None },
            (Function::Round(_) | Function::Floor | Function::Ceil, low, high) => {
                Self { estimate, low: map(low), high: map(high) }
            }
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
        (all.iter().min().cloned(), all.iter().max().cloned())
    }
}

fn of(function: Function, value: &Rational) -> Rational {
    match function {
        Function::Round(digits) => {
            let scale = power(&whole(10), u32::from(digits.unsigned_abs()));
            let scale = if digits < 0 { scale.recip() } else { scale };
            (value * &scale).round() / scale
        }
        Function::Floor => value.floor(),
        Function::Ceil => value.ceil(),
        Function::Absolute => value.abs(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use deniable_core::exact::ratio;

    #[test]
    fn functions_carry_their_intervals() {
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
}
