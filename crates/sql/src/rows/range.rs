//! Bounds and grids of expressions, derived from the declared bounds and steps of their columns.
//!
//! A sum is exact because every value is brought onto a declared grid: whole multiples of a unit, between two
//! bounds. For a column both are declared; for an expression they follow, by interval arithmetic and greatest
//! common divisors, from those of its columns. Values outside are clamped and values between grid points go to
//! the nearest, whatever the data holds, so a wrong derivation could bias an answer but never break a promise.

use super::calendar;
use super::total::{Operation, operation_of};
use datafusion::arrow::datatypes::DataType;
use datafusion::common::ScalarValue;
use datafusion::logical_expr::expr::ScalarFunction;
use datafusion::logical_expr::{Case, Expr, TryCast};
use deniable_core::exact::{Rational, parse_rational, whole};
use deniable_policy::{Bounds, Column, ColumnType};
use num_integer::Integer;
use num_traits::{Signed, ToPrimitive, Zero};

/// Grid points are counted by numbers up to this size, so that floats hold them exactly.
const MOST_UNITS: i64 = 1 << 52;

/// The declaration of a column by its name in an expression.
pub(crate) type Facts<'a> = dyn Fn(&datafusion::common::Column) -> Option<&'a Column> + 'a;

/// What is known of the values of an expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Range {
    low: Option<Rational>,
    high: Option<Rational>,
    /// All values are multiples of this; zero when the only value is zero.
    unit: Option<Rational>,
}

/// Multiples of `unit` from `low` to `high`, both counted in units.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Grid {
    pub(crate) unit: Rational,
    pub(crate) low: i64,
    pub(crate) high: i64,
    /// The unit once more, as `span / per`.
    span: i64,
    per: i64,
    /// Whether the values are dates or timestamps, counted in days or microseconds.
    pub(crate) of_times: bool,
}

/// Why an expression has no grid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NoGrid {
    /// A bound is missing.
    Bounds,
    /// The values lie on no grid.
    Unit,
    /// The only possible value is zero.
    AlwaysZero,
    /// More grid points than can be counted exactly.
    TooFine,
}

impl Range {
    const UNKNOWN: Self = Self { low: None, high: None, unit: None };

    fn constant(value: Rational) -> Self {
        Self { low: Some(value.clone()), high: Some(value.clone()), unit: Some(value.abs()) }
    }

    /// The value of a constant.
    fn only_value(&self) -> Option<&Rational> {
        self.low.as_ref().filter(|low| self.high.as_ref() == Some(*low))
    }

    fn declared(bounds: &Bounds) -> Self {
        let (low, high, unit) = (bounds.low().clone(), bounds.high().clone(), bounds.unit().clone());
        Self { low: Some(low), high: Some(high), unit: Some(unit) }
    }

    /// The range of an expression that [`super::make_total`] has passed.
    pub(crate) fn of(expr: &Expr, columns: &Facts<'_>) -> Self {
        match expr {
            Expr::Column(column) => {
                columns(column).and_then(|declared| declared.bounds.as_ref()).map_or(Self::UNKNOWN, Self::declared)
            }
            Expr::Literal(value, _) => literal(value),
            // The analyser's widening of whole numbers to decimals changes nothing.
            Expr::TryCast(TryCast { expr, field }) if field.data_type().is_floating() => Self::of(expr, columns),
            Expr::TryCast(TryCast { expr, field }) if field.data_type().is_integer() => {
                let inner = Self::of(expr, columns);
                let is_whole = inner.unit.as_ref().is_some_and(Rational::is_integer);
                if is_whole { inner } else { inner.rounded(whole(1)) }
            }
            Expr::Case(Case { when_then_expr, else_expr, .. }) => when_then_expr
                .iter()
                .map(|(_, then)| Self::of(then, columns))
                .chain(else_expr.as_deref().map(|otherwise| Self::of(otherwise, columns)))
                .reduce(|left, right| left.either(&right))
                .unwrap_or(Self::UNKNOWN),
            Expr::ScalarFunction(ScalarFunction { func, args }) if calendar::operation_of(func).is_some() => {
                match (calendar::operation_of(func), args.as_slice()) {
                    (Some(calendar::Operation::Part(part)), _) => part.range().map_or(Self::UNKNOWN, |(low, high)| {
                        Self { low: Some(whole(low)), high: Some(whole(high)), unit: Some(whole(1)) }
                    }),
                    (Some(calendar::Operation::DaysBetween), [from, to]) => {
                        arithmetic(Operation::Subtract, &[Self::days(to, columns), Self::days(from, columns)])
                    }
                    _ => Self::UNKNOWN,
                }
            }
            Expr::ScalarFunction(ScalarFunction { func, args }) => {
                let ranges: Vec<Self> = args.iter().map(|arg| Self::of(arg, columns)).collect();
                match (operation_of(func), func.name(), ranges.as_slice()) {
                    (Some(operation), _, ranges) => arithmetic(operation, ranges),
                    (None, "coalesce" | "nullif", [first, rest @ ..]) => {
                        rest.iter().fold(first.clone(), |left, right| left.either(right))
                    }
                    (None, "least", [first, rest @ ..]) => {
                        rest.iter().fold(first.clone(), |left, right| left.least(right))
                    }
                    (None, "greatest", [first, rest @ ..]) => {
                        rest.iter().fold(first.clone(), |left, right| left.negated().least(&right.negated()).negated())
                    }
                    (None, "floor" | "ceil", [inner]) => inner.clone().rounded(whole(1)),
                    _ => Self::UNKNOWN,
                }
            }
            _ => Self::UNKNOWN,
        }
    }

    /// The range of days that a date lies in.
    fn days(expr: &Expr, columns: &Facts<'_>) -> Self {
        match expr {
            Expr::Column(column) if columns(column).is_some_and(|facts| facts.kind == ColumnType::Date) => {
                Self::of(expr, columns)
            }
            Expr::Literal(ScalarValue::Date32(Some(day)), _) => Self::constant(whole(*day)),
            // A constant that was written as text: [`super::make_total`] made sure that it is a date.
            Expr::TryCast(TryCast { expr, field }) if *field.data_type() == DataType::Date32 => match &**expr {
                Expr::Literal(text, _) => match text.cast_to(&DataType::Date32) {
                    Ok(ScalarValue::Date32(Some(day))) => Self::constant(whole(day)),
                    _ => Self::UNKNOWN,
                },
                _ => Self::UNKNOWN,
            },
            _ => Self::UNKNOWN,
        }
    }

    /// The grid on which values of this range are summed.
    pub(crate) fn grid(&self) -> Result<Grid, NoGrid> {
        let (Some(low), Some(high)) = (&self.low, &self.high) else { return Err(NoGrid::Bounds) };
        let unit = self.unit.clone().ok_or(NoGrid::Unit)?;
        if unit.is_zero() || (low.is_zero() && high.is_zero()) {
            return Err(NoGrid::AlwaysZero);
        }
        let units = |value: Rational| {
            value.to_integer().to_i64().filter(|units| units.abs() <= MOST_UNITS).ok_or(NoGrid::TooFine)
        };
        let part = |value: &num_bigint::BigInt| value.to_i64().filter(|part| *part < 1 << 62).ok_or(NoGrid::TooFine);
        Ok(Grid {
            low: units((low / &unit).floor())?,
            high: units((high / &unit).ceil())?,
            span: part(unit.numer())?,
            per: part(unit.denom())?,
            of_times: false,
            unit,
        })
    }

    fn negated(&self) -> Self {
        Self {
            low: self.high.as_ref().map(|end| -end),
            high: self.low.as_ref().map(|end| -end),
            unit: self.unit.clone(),
        }
    }

    /// Values of either range.
    fn either(&self, other: &Self) -> Self {
        let both = |left: &Option<Rational>, right: &Option<Rational>| Some((left.clone()?, right.clone()?));
        Self {
            low: both(&self.low, &other.low).map(|(l, r)| l.min(r)),
            high: both(&self.high, &other.high).map(|(l, r)| l.max(r)),
            unit: both(&self.unit, &other.unit).map(|(l, r)| common_unit(&l, &r)),
        }
    }

    /// The smaller of two values; SQL's LEAST passes over NULLs, so either side's value may come out alone.
    fn least(&self, other: &Self) -> Self {
        let either = self.either(other);
        let constant = |range: &Self| range.only_value().is_some();
        let high = match (&self.high, &other.high) {
            // Beside a constant there always is a value, and it is at most the constant.
            (Some(left), Some(right)) if constant(self) || constant(other) => Some(left.min(right).clone()),
            (Some(left), Some(right)) => Some(left.max(right).clone()),
            (Some(bound), None) | (None, Some(bound)) => Some(bound.clone()),
            (None, None) => None,
        };
        Self { high, ..either }
    }

    /// Values rounded to multiples of `unit`.
    fn rounded(self, unit: Rational) -> Self {
        let down = |end: Rational| (end / &unit).floor() * &unit;
        let up = |end: Rational| (end / &unit).ceil() * &unit;
        Self { low: self.low.map(down), high: self.high.map(up), unit: Some(unit.clone()) }
    }
}

fn literal(value: &ScalarValue) -> Range {
    match value {
        ScalarValue::Int64(Some(number)) => Range::constant(whole(*number)),
        // The shortest decimal that reads back as this float is what the question said.
        ScalarValue::Float64(Some(number)) => {
            parse_rational(&format!("{number}")).map_or(Range::UNKNOWN, Range::constant)
        }
        // NULL adds no value of its own.
        value if value.is_null() => Range::constant(Rational::zero()),
        _ => Range::UNKNOWN,
    }
}

fn arithmetic(operation: Operation, ranges: &[Range]) -> Range {
    match (operation, ranges) {
        (Operation::Add, [left, right]) => Range {
            low: left.low.as_ref().zip(right.low.as_ref()).map(|(l, r)| l + r),
            high: left.high.as_ref().zip(right.high.as_ref()).map(|(l, r)| l + r),
            unit: left.unit.as_ref().zip(right.unit.as_ref()).map(|(l, r)| common_unit(l, r)),
        },
        (Operation::Subtract, [left, right]) => arithmetic(Operation::Add, &[left.clone(), right.negated()]),
        (Operation::Multiply, [left, right]) => {
            let unit = left.unit.as_ref().zip(right.unit.as_ref()).map(|(l, r)| l * r);
            let (Some(a), Some(b), Some(c), Some(d)) = (&left.low, &left.high, &right.low, &right.high) else {
                return Range { unit, ..Range::UNKNOWN };
            };
            let corners = [a * c, a * d, b * c, b * d];
            Range { low: corners.iter().min().cloned(), high: corners.iter().max().cloned(), unit }
        }
        (Operation::Finite, [inner]) => inner.clone(),
        (Operation::Negate, [inner]) => inner.negated(),
        (Operation::Absolute, [inner]) => {
            let both = inner.either(&inner.negated());
            Range { low: Some(Rational::zero()), ..both }
        }
        (Operation::Round(digits), [inner]) => {
            let power = num_traits::Pow::pow(whole(10), u32::from(digits.unsigned_abs()));
            inner.clone().rounded(if digits >= 0 { power.recip() } else { power })
        }
        (Operation::Divide, [left, right]) => match right.only_value() {
            Some(divisor) if !divisor.is_zero() => {
                let scaled = arithmetic(Operation::Multiply, &[left.clone(), Range::constant(divisor.recip())]);
                // Whole-number division drops the fraction, so it may fall short by less than one. Whether it does,
                // and so the grid, depends on the types: ROUND says.
                let (low, high) = (scaled.low.map(|end| end.floor()), scaled.high.map(|end| end.ceil()));
                Range { low, high, unit: None }
            }
            _ => Range::UNKNOWN,
        },
        (Operation::Remainder, [left, right]) => match right.only_value() {
            Some(divisor) if !divisor.is_zero() => {
                let size = divisor.abs();
                let never_negative = left.low.as_ref().is_some_and(|low| !low.is_negative());
                let low = if never_negative { Rational::zero() } else { -&size };
                let unit = left.unit.as_ref().map(|unit| common_unit(unit, &size));
                Range { low: Some(low), high: Some(size), unit }
            }
            _ => Range::UNKNOWN,
        },
        _ => Range::UNKNOWN,
    }
}

/// The largest number of which both are whole multiples; zero is a multiple of everything.
fn common_unit(left: &Rational, right: &Rational) -> Rational {
    if left.is_zero() {
        return right.clone();
    }
    if right.is_zero() {
        return left.clone();
    }
    let denominator = left.denom().lcm(right.denom());
    let left = (left * whole(denominator.clone())).to_integer();
    let right = (right * whole(denominator.clone())).to_integer();
    Rational::new(left.gcd(&right), denominator)
}

impl Grid {
    /// The grid point of a whole number, clamped, in units; ties go away from zero.
    pub(crate) fn of_integer(&self, value: i64) -> i64 {
        let scaled = i128::from(value) * i128::from(self.per);
        let span = i128::from(self.span);
        let half = span / 2 * scaled.signum();
        let units = (scaled + half) / span;
        i64::try_from(units)
            .map_or(if value < 0 { self.low } else { self.high }, |units| units.clamp(self.low, self.high))
    }

    /// The grid point of a decimal, clamped, in units; NaN has none.
    pub(crate) fn of_float(&self, value: f64) -> Option<i64> {
        if value.is_nan() {
            return None;
        }
        // Casting saturates, so infinities land on a bound.
        let units = (value * (self.per as f64) / (self.span as f64)).round() as i64;
        Some(units.clamp(self.low, self.high))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use deniable_core::exact::ratio;

    fn grid(low: Rational, high: Rational, unit: Rational) -> Grid {
        Range { low: Some(low), high: Some(high), unit: Some(unit) }.grid().unwrap()
    }

    #[test]
    fn values_go_to_the_nearest_grid_point() {
        let cents = grid(whole(0), whole(20), ratio(1, 20));
        assert_eq!((cents.low, cents.high), (0, 400));
        for (value, units) in [(0.0, 0), (0.05, 1), (0.29, 6), (-3.0, 0), (1e300, 400), (f64::INFINITY, 400)] {
            assert_eq!(cents.of_float(value), Some(units), "{value}");
        }
        assert_eq!(cents.of_float(f64::NAN), None);
        assert_eq!((cents.of_integer(3), cents.of_integer(i64::MIN), cents.of_integer(i64::MAX)), (60, 0, 400));
        let tens = grid(whole(-50), whole(50), whole(10));
        assert_eq!(
            (tens.of_integer(14), tens.of_integer(15), tens.of_integer(-15), tens.of_integer(-99)),
            (1, 2, -2, -5)
        );
    }

    #[test]
    fn grids_that_do_not_exist_say_why() {
        assert_eq!(Range::UNKNOWN.grid(), Err(NoGrid::Bounds));
        let no_unit = Range { low: Some(whole(0)), high: Some(whole(1)), unit: None };
        assert_eq!(no_unit.grid(), Err(NoGrid::Unit));
        assert_eq!(Range::constant(whole(0)).grid(), Err(NoGrid::AlwaysZero));
        let fine = Range {
            low: Some(whole(0)),
            high: Some(whole(1)),
            unit: Some(Rational::new(1.into(), (1_i64 << 53).into())),
        };
        assert_eq!(fine.grid(), Err(NoGrid::TooFine));
    }

    #[test]
    fn interval_arithmetic() {
        let hours = Range { low: Some(whole(1)), high: Some(whole(99)), unit: Some(whole(1)) };
        let cents = Range { low: Some(whole(-2)), high: Some(whole(3)), unit: Some(ratio(1, 20)) };
        let product = arithmetic(Operation::Multiply, &[hours.clone(), cents.clone()]);
        assert_eq!(product, Range { low: Some(whole(-198)), high: Some(whole(297)), unit: Some(ratio(1, 20)) });
        let sum = arithmetic(Operation::Subtract, &[hours.clone(), cents.clone()]);
        assert_eq!(sum, Range { low: Some(whole(-2)), high: Some(whole(101)), unit: Some(ratio(1, 20)) });
        let capped = hours.least(&Range::constant(ratio(81, 2)));
        assert_eq!(capped, Range { low: Some(whole(1)), high: Some(ratio(81, 2)), unit: Some(ratio(1, 2)) });
        let absolute = arithmetic(Operation::Absolute, std::slice::from_ref(&cents));
        assert_eq!(absolute, Range { low: Some(whole(0)), high: Some(whole(3)), unit: Some(ratio(1, 20)) });
        let rounded = arithmetic(Operation::Round(0), &[Range { unit: None, ..cents }]);
        assert_eq!(rounded.unit, Some(whole(1)));
        let third = arithmetic(Operation::Divide, &[hours.clone(), Range::constant(whole(-3))]);
        assert_eq!(third, Range { low: Some(whole(-33)), high: Some(whole(0)), unit: None });
        let rest = arithmetic(Operation::Remainder, &[hours.clone(), Range::constant(whole(10))]);
        assert_eq!(rest, Range { low: Some(whole(0)), high: Some(whole(10)), unit: Some(whole(1)) });
        assert_eq!(arithmetic(Operation::Divide, &[hours.clone(), hours.clone()]), Range::UNKNOWN);
        assert_eq!(Range::UNKNOWN.least(&Range::constant(whole(10))).high, Some(whole(10)));
    }
}
