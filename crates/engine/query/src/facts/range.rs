//! Bounds and grids of expressions, derived from the declared bounds and steps of their columns.
//!
//! A sum is exact because every value is rounded to a declared grid: whole multiples of a unit, between two bounds. For
//! a column both are declared; for an expression they follow, by interval arithmetic and greatest common divisors, from
//! those of its columns. Values outside are clamped and values between grid points are rounded to the nearest, whatever
//! the data holds, so a wrong derivation could bias an answer but never break a promise.

use crate::declared;
use deniable_core::exact::{Rational, parse_rational, whole};
use deniable_core::schema::TableSchema;
use deniable_core::schema::{Bounds, ColumnType};
use deniable_expression::{Day, Id, Moment, Node, Operation, Part, Program, Type, Value, civil};
use num_integer::Integer;
use num_traits::{Signed, ToPrimitive, Zero};

/// Grid points are counted by numbers up to this size, so that floats hold them exactly.
const MOST_UNITS: i64 = 1 << 52;

/// Most bits of a numerator or denominator. Products of products exceed it quickly, and no data need such precision.
const MOST_BITS: u64 = 4_096;

/// The known facts about the values of an expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Range {
    low: Option<Rational>,
    high: Option<Rational>,
    /// All values are multiples of this; zero when the only value is zero.
    unit: Option<Rational>,
}

/// Multiples of `unit` from `low` to `high`, both counted in units.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grid {
    /// The step.
    pub unit: Rational,
    /// The least value, in steps.
    pub low: i64,
    /// The greatest value, in steps.
    pub high: i64,
    /// The numerator of the unit, which is `span / per`.
    span: i64,
    per: i64,
    /// Whether the values are dates or timestamps, counted in days or microseconds.
    pub of_times: bool,
}

/// The reason why an expression has no grid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoGrid {
    /// A bound is missing.
    Bounds,
    /// The values are not multiples of a unit.
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

    /// The range of NULL, which counts as 0.
    fn nothing() -> Self {
        Self::constant(Rational::zero())
    }

    /// The value, if only one is possible.
    pub fn only_value(&self) -> Option<&Rational> {
        self.low.as_ref().filter(|low| self.high.as_ref() == Some(*low))
    }

    /// Whether all values are known to be zero or more.
    pub fn is_never_negative(&self) -> bool {
        self.low.as_ref().is_some_and(|low| !low.is_negative())
    }

    /// The range of a column with these bounds and this step.
    pub fn declared(bounds: &Bounds) -> Self {
        let (low, high, unit) = (bounds.low().clone(), bounds.high().clone(), bounds.unit().clone());
        Self { low: Some(low), high: Some(high), unit: Some(unit) }
    }

    /// The range of a constant or a column's values.
    fn of_value(value: Option<&Value>) -> Self {
        match value {
            Some(Value::Integer(number)) => Self::constant(whole(*number)),
            // The shortest decimal that parses to this float is the number that the query contains.
            Some(Value::Decimal(number)) => {
                parse_rational(&format!("{}", number.get())).map_or(Self::UNKNOWN, Self::constant)
            }
            Some(Value::Date(day)) => Self::constant(whole(day.get())),
            Some(Value::Timestamp(moment)) => Self::constant(whole(moment.get())),
            None => Self::nothing(),
            Some(Value::Boolean(_) | Value::Text(_)) => Self::UNKNOWN,
        }
    }

    /// Drops ends and units that exceed [`MOST_BITS`].
    fn sensible(self) -> Self {
        let fits = |end: &Rational| end.numer().bits() <= MOST_BITS && end.denom().bits() <= MOST_BITS;
        Self { low: self.low.filter(fits), high: self.high.filter(fits), unit: self.unit.filter(fits) }
    }

    /// The grid on which values of this range are summed.
    pub fn grid(&self) -> Result<Grid, NoGrid> {
        let (Some(low), Some(high)) = (&self.low, &self.high) else { return Err(NoGrid::Bounds) };
        let unit = self.unit.clone().ok_or(NoGrid::Unit)?;
        if unit.is_zero() || (low.is_zero() && high.is_zero()) {
            return Err(NoGrid::AlwaysZero);
        }
        let units = |value: Rational| value.to_integer().to_i64().ok_or(NoGrid::TooFine);
        let (low, high) = (units((low / &unit).floor())?, units((high / &unit).ceil())?);
        Grid::new(unit, low, high, false).ok_or(NoGrid::TooFine)
    }

    fn negated(&self) -> Self {
        Self {
            low: self.high.as_ref().map(|end| -end),
            high: self.low.as_ref().map(|end| -end),
            unit: self.unit.clone(),
        }
    }

    fn either(&self, other: &Self) -> Self {
        let both = |left: &Option<Rational>, right: &Option<Rational>| Some((left.clone()?, right.clone()?));
        Self {
            low: both(&self.low, &other.low).map(|(l, r)| l.min(r)),
            high: both(&self.high, &other.high).map(|(l, r)| l.max(r)),
            unit: both(&self.unit, &other.unit).map(|(l, r)| common_unit(&l, &r)),
        }
    }

    /// The smaller of two values. LEAST ignores NULL in SQL, so the result may be the value of either side alone. With
    /// `with_missing`, the result includes a constant beyond the other side's range.
    fn least(&self, other: &Self, with_missing: bool) -> Self {
        let either = self.either(other);
        let constant = |range: &Self| range.only_value().is_some();
        let high = match (&self.high, &other.high) {
            // With a constant argument the result is never NULL, and at most the constant.
            (Some(limit), Some(_)) if with_missing && constant(self) && !constant(other) => Some(limit.clone()),
            (Some(_), Some(limit)) if with_missing && constant(other) && !constant(self) => Some(limit.clone()),
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

/// The ranges of all nodes of a program.
#[derive(Default)]
pub struct Ranges {
    known: Vec<Range>,
    /// Whether ranges include the constant that LEAST or GREATEST returns for a row without a value. Sums clamp it to
    /// the nearest bound of the other values; as a group it has a key of its own.
    with_missing: bool,
}

impl Ranges {
    /// Ranges that include the constants of LEAST and GREATEST, as groups need them.
    pub fn with_missing() -> Self {
        Self { known: Vec::new(), with_missing: true }
    }

    /// The range of a node. Results are cached: a program only grows.
    pub fn of(&mut self, program: &Program, id: Id, tables: &[TableSchema]) -> Range {
        let known = self.known.len();
        for (id, node) in program.ids().skip(known).take_while(|(at, _)| at.position() <= id.position()) {
            let range = self.of_node(program, id, node, tables).sensible();
            self.known.push(range);
        }
        self.known.get(id.position()).cloned().unwrap_or(Range::UNKNOWN)
    }

    fn of_node(&self, program: &Program, id: Id, node: &Node, tables: &[TableSchema]) -> Range {
        let (operation, arguments) = match node {
            Node::Column(position) => {
                let Some((_, column)) = declared(tables, *position as usize) else { return Range::UNKNOWN };
                let low = column.least.map(whole);
                let unbounded = || Range { low, high: None, unit: column.step.clone() };
                return column.bounds.as_ref().map_or_else(unbounded, Range::declared);
            }
            Node::Constant(_, value) => return Range::of_value(value.as_ref()),
            Node::Call(operation, arguments) => (operation, arguments.as_slice()),
        };
        let range = |id: &Id| self.known.get(id.position()).cloned().unwrap_or(Range::UNKNOWN);
        // NULL adds no value.
        let is_null = |id: &&Id| program.constant_of(**id) == Some(None);
        let values =
            |ids: &mut dyn Iterator<Item = &Id>| -> Vec<Range> { ids.filter(|id| !is_null(id)).map(range).collect() };
        let any = |ids: &mut dyn Iterator<Item = &Id>| {
            values(ids).into_iter().reduce(|left, right| left.either(&right)).unwrap_or_else(Range::nothing)
        };
        match (operation, arguments) {
            // TRUE counts as 1, FALSE as 0.
            (Operation::Cast(Type::Integer | Type::Decimal), [inner]) if program.kind(*inner) == Type::Boolean => {
                Range { low: Some(Rational::zero()), high: Some(whole(1)), unit: Some(whole(1)) }
            }
            // Converting an integer to a decimal does not change it.
            (Operation::Cast(Type::Decimal), [inner]) if program.kind(*inner) == Type::Integer => range(inner),
            (Operation::Cast(Type::Integer), [inner]) if program.kind(*inner) == Type::Decimal => {
                let inner = range(inner);
                let is_whole = inner.unit.as_ref().is_some_and(Rational::is_integer);
                if is_whole { inner } else { inner.rounded(whole(1)) }
            }
            (Operation::Case, [pairs @ .., otherwise]) => any(&mut pairs.iter().skip(1).step_by(2).chain([otherwise])),
            (Operation::Coalesce, all) => any(&mut all.iter()),
            (Operation::NullIf, [first, _]) => range(first),
            (Operation::Least, all) => {
                let smaller =
                    values(&mut all.iter()).into_iter().reduce(|left, right| left.least(&right, self.with_missing));
                smaller.unwrap_or_else(Range::nothing)
            }
            (Operation::Greatest, all) => {
                let larger =
                    |left: Range, right: Range| left.negated().least(&right.negated(), self.with_missing).negated();
                values(&mut all.iter()).into_iter().reduce(larger).unwrap_or_else(Range::nothing)
            }
            (Operation::Ln | Operation::Exp | Operation::Sqrt, [inner]) => growing(operation, &range(inner)),
            (Operation::Power, [base, exponent]) => power(&range(base), &range(exponent)),
            (Operation::Floor | Operation::Ceil, [inner]) => range(inner).rounded(whole(1)),
            (Operation::Part(part), _) => {
                let (low, high) = part.range();
                match part {
                    // The range of years follows from the bounds of the time alone.
                    Part::Year => self.years(program, arguments, tables),
                    _ => Range { low: Some(whole(low)), high: Some(whole(high)), unit: Some(whole(1)) },
                }
            }
            (Operation::Shift(_), [_]) => match program.kind(id) {
                Type::Date => self.days(program, id, tables),
                _ => self.moments(program, id, tables),
            },
            (Operation::DaysBetween, [from, to]) => {
                arithmetic(&Operation::Subtract, &[self.days(program, *to, tables), self.days(program, *from, tables)])
            }
            // A square is never negative.
            (Operation::Multiply, [left, right]) if left == right => {
                let inner = range(left);
                let product = arithmetic(operation, &[inner.clone(), inner.clone()]);
                // The end that is nearer to zero, unless the range contains zero.
                let nearest = match (inner.low, inner.high) {
                    (Some(low), _) if low.is_positive() => low,
                    (_, Some(high)) if high.is_negative() => high,
                    _ => Rational::zero(),
                };
                Range { low: Some(&nearest * &nearest), ..product }
            }
            (
                Operation::Add
                | Operation::Subtract
                | Operation::Multiply
                | Operation::Divide
                | Operation::Remainder
                | Operation::Negate
                | Operation::Absolute
                | Operation::Round(_),
                _,
            ) => arithmetic(operation, &arguments.iter().map(range).collect::<Vec<_>>()),
            _ => Range::UNKNOWN,
        }
    }

    /// The range of days of a date.
    fn days(&self, program: &Program, id: Id, tables: &[TableSchema]) -> Range {
        let known = self.known.get(id.position()).cloned().unwrap_or(Range::UNKNOWN);
        match program.node(id) {
            Node::Column(position) => {
                let kind = declared(tables, *position as usize).map(|(_, column)| column.kind);
                if kind == Some(ColumnType::Date) { known } else { Range::UNKNOWN }
            }
            Node::Constant(Type::Date, Some(_)) => known,
            // Days begin at midnight, also before 1970.
            Node::Call(Operation::Cast(Type::Date), inner) => match inner.as_slice() {
                [inner] => {
                    let moments = self.moments(program, *inner, tables);
                    let day = |end: Option<Rational>| end.map(|end| (end / whole(Moment::DAY)).floor());
                    Range { low: day(moments.low), high: day(moments.high), unit: Some(whole(1)) }
                }
                _ => Range::UNKNOWN,
            },
            // Later dates never lead to earlier dates.
            Node::Call(Operation::Shift(period), inner) if let [inner] = inner.as_slice() => {
                let days = self.days(program, *inner, tables);
                let later = |day: Rational| period.after_day(Day::new(day.to_integer().to_i64()?)?);
                let later = |end: Option<Rational>| end.and_then(later).map(|day| whole(day.get()));
                Range { low: later(days.low), high: later(days.high), unit: Some(whole(1)) }
            }
            Node::Constant(..) | Node::Call(..) => Range::UNKNOWN,
        }
    }

    /// The range of the years of a timestamp.
    fn years(&self, program: &Program, time: &[Id], tables: &[TableSchema]) -> Range {
        let Range { low, high, .. } = match time {
            [time] => self.moments(program, *time, tables),
            _ => Range::UNKNOWN,
        };
        let year = |end: Option<Rational>| end.and_then(|end| moment(&end)).map(|end| whole(civil(end).year()));
        match (year(low), year(high)) {
            (Some(low), Some(high)) => Range { low: Some(low), high: Some(high), unit: Some(whole(1)) },
            _ => Range::UNKNOWN,
        }
    }

    /// The range of microseconds of a timestamp.
    fn moments(&self, program: &Program, id: Id, tables: &[TableSchema]) -> Range {
        let known = self.known.get(id.position()).cloned().unwrap_or(Range::UNKNOWN);
        match program.node(id) {
            Node::Column(position) => {
                let kind = declared(tables, *position as usize).map(|(_, column)| column.kind);
                if kind == Some(ColumnType::Timestamp) { known } else { Range::UNKNOWN }
            }
            Node::Constant(Type::Timestamp, Some(_)) => known,
            // A date converts to its midnight.
            Node::Call(Operation::Cast(Type::Timestamp), inner)
                if let [inner] = inner.as_slice()
                    && program.kind(*inner) == Type::Date =>
            {
                let days = self.days(program, *inner, tables);
                let midnight = |end: Option<Rational>| end.map(|end| end * whole(Moment::DAY));
                Range { low: midnight(days.low), high: midnight(days.high), unit: None }
            }
            // Truncation is monotone.
            Node::Call(Operation::Truncate(unit), inner) if let [inner] = inner.as_slice() => {
                let Range { low, high, .. } = self.moments(program, *inner, tables);
                let begin = |end: Option<Rational>| {
                    end.and_then(|end| unit.truncate(moment(&end)?)).map(|begin| whole(begin.get()))
                };
                Range { low: begin(low), high: begin(high), unit: None }
            }
            // From the beginning of the first day to the end of the last: within a day, months can reverse the order.
            Node::Call(Operation::Shift(period), inner) if let [inner] = inner.as_slice() => {
                let Range { low, high, .. } = self.moments(program, *inner, tables);
                let end = |end: Option<Rational>, of: fn(Day) -> Moment| {
                    period.after(of(moment(&end?)?.day())).map(|end| whole(end.get()))
                };
                Range { low: end(low, Day::midnight), high: end(high, Day::last_moment), unit: Some(whole(1)) }
            }
            Node::Constant(..) | Node::Call(..) => Range::UNKNOWN,
        }
    }
}

fn moment(micros: &Rational) -> Option<Moment> {
    micros.is_integer().then(|| micros.to_integer().to_i64()).flatten().and_then(Moment::new)
}

fn arithmetic(operation: &Operation, ranges: &[Range]) -> Range {
    match (operation, ranges) {
        (Operation::Add, [left, right]) => Range {
            low: left.low.as_ref().zip(right.low.as_ref()).map(|(l, r)| l + r),
            high: left.high.as_ref().zip(right.high.as_ref()).map(|(l, r)| l + r),
            unit: left.unit.as_ref().zip(right.unit.as_ref()).map(|(l, r)| common_unit(l, r)),
        },
        (Operation::Subtract, [left, right]) => arithmetic(&Operation::Add, &[left.clone(), right.negated()]),
        (Operation::Multiply, [left, right]) => {
            let unit = left.unit.as_ref().zip(right.unit.as_ref()).map(|(l, r)| l * r);
            let (Some(a), Some(b), Some(c), Some(d)) = (&left.low, &left.high, &right.low, &right.high) else {
                return Range { unit, ..Range::UNKNOWN };
            };
            let corners = [a * c, a * d, b * c, b * d];
            Range { low: corners.iter().min().cloned(), high: corners.iter().max().cloned(), unit }
        }
        (Operation::Negate, [inner]) => inner.negated(),
        (Operation::Absolute, [inner]) => {
            let both = inner.either(&inner.negated());
            Range { low: Some(Rational::zero()), ..both }
        }
        (Operation::Round(digits), [inner]) => {
            let power = num_traits::Pow::pow(whole(10), u32::from(digits.unsigned_abs()));
            inner.clone().rounded(if *digits >= 0 { power.recip() } else { power })
        }
        (Operation::Divide, [left, right]) => match right.only_value() {
            Some(divisor) if !divisor.is_zero() => {
                let scaled = arithmetic(&Operation::Multiply, &[left.clone(), Range::constant(divisor.recip())]);
                // Integer division drops the fraction, so the result may be smaller by less than one. Whether it does,
                // and hence the grid, depends on the types: ROUND decides.
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

/// The range of an increasing function: its values at the ends, widened by the error of floats. ROUND gives it a grid.
fn growing(operation: &Operation, inner: &Range) -> Range {
    let of = |end: &Option<Rational>| {
        let end = end.as_ref()?.to_f64()?;
        Some(match operation {
            Operation::Ln => end.ln(),
            Operation::Exp => end.exp(),
            Operation::Sqrt => end.max(0.0).sqrt(),
            _ => f64::NAN,
        })
    };
    let never_negative = Some(0.0).filter(|_| matches!(operation, Operation::Exp | Operation::Sqrt));
    let (low, high) = (of(&inner.low).or(never_negative), of(&inner.high));
    Range { low: low.and_then(|end| outward(end, -1.0)), high: high.and_then(|end| outward(end, 1.0)), unit: None }
}

/// The range of a power with a constant exponent. The base must not be negative unless the exponent is an integer.
fn power(base: &Range, exponent: &Range) -> Range {
    let (Some(low), Some(high)) = (&base.low, &base.high) else { return Range::UNKNOWN };
    let Some(exponent) = exponent.only_value() else { return Range::UNKNOWN };
    let is_even = exponent.is_integer() && exponent.to_integer().is_even();
    let (Some(from), Some(to), Some(by)) = (low.to_f64(), high.to_f64(), exponent.to_f64()) else {
        return Range::UNKNOWN;
    };
    // Nothing is known where the base may give NaN or an infinite value.
    if (low.is_negative() && !exponent.is_integer()) || (exponent.is_negative() && !low.is_positive()) {
        return Range::UNKNOWN;
    }
    let (one, other) = (from.powf(by), to.powf(by));
    let least = if is_even && low.is_negative() && high.is_positive() { 0.0 } else { one.min(other) };
    Range { low: outward(least, -1.0), high: outward(one.max(other), 1.0), unit: None }
}

/// Moves a number outwards by the error of floats; `None` if the result is not finite.
fn outward(end: f64, side: f64) -> Option<Rational> {
    /// More than the relative error of a float function.
    const LOST: f64 = 1e-12;
    // Numbers this close to an integer are meant to be that integer.
    let nearest = end.round();
    let moved = if (end - nearest).abs() <= LOST * end.abs() { nearest } else { end + side * LOST * end.abs() };
    Rational::from_float(moved)
}

/// The largest number of which both are integer multiples; zero is a multiple of everything.
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
    /// The multiples of a positive unit from `low` to `high`; `None` if there are too many to count exactly.
    #[must_use]
    pub fn new(unit: Rational, low: i64, high: i64, of_times: bool) -> Option<Self> {
        let is_countable = |units: i64| units.unsigned_abs() <= MOST_UNITS.unsigned_abs();
        let part = |value: &num_bigint::BigInt| value.to_i64().filter(|part| (1..1 << 62).contains(part));
        let (span, per) = (part(unit.numer())?, part(unit.denom())?);
        (is_countable(low) && is_countable(high)).then_some(Self { unit, low, high, span, per, of_times })
    }

    /// The grid point of an integer, clamped, in units; ties round away from zero.
    pub fn of_integer(&self, value: i64) -> i64 {
        let scaled = i128::from(value) * i128::from(self.per);
        let span = i128::from(self.span);
        let half = span / 2 * scaled.signum();
        let units = (scaled + half) / span;
        i64::try_from(units)
            .map_or(if value < 0 { self.low } else { self.high }, |units| units.clamp(self.low, self.high))
    }

    /// The grid point of a decimal, clamped, in units; `None` for NaN.
    pub fn of_float(&self, value: f64) -> Option<i64> {
        if value.is_nan() {
            return None;
        }
        // Casting saturates, so infinities map to a bound.
        let units = (value * (self.per as f64) / (self.span as f64)).round() as i64;
        Some(units.clamp(self.low, self.high))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use deniable_core::exact::ratio;
    use deniable_core::schema::Column;
    use deniable_expression::InputColumn;

    fn grid(low: Rational, high: Rational, unit: Rational) -> Grid {
        Range { low: Some(low), high: Some(high), unit: Some(unit) }.grid().unwrap()
    }

    #[test]
    fn values_are_rounded_to_the_nearest_grid_point() {
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
    fn a_missing_grid_has_a_reason() {
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
    fn days_of_timestamps_are_integers_before_and_after_1970() {
        let bounds = Bounds::new(whole(-1), whole(3 * Moment::DAY - 1), whole(1)).unwrap();
        let columns = vec![Column::new("at", ColumnType::Timestamp).within(bounds)];
        let tables = [TableSchema::protected("t", columns, None)];
        let input = InputColumn { table: "t".to_owned(), name: "at".to_owned(), kind: Type::Timestamp };
        let mut program = Program::new(vec![input]);
        let at = program.column(0).unwrap();
        let day = program.call(Operation::Cast(Type::Date), &[at]).unwrap();
        let first = program.constant(Value::Date(Day::new(10).unwrap())).unwrap();
        let days = program.call(Operation::DaysBetween, &[first, day]).unwrap();
        let Range { low, high, unit } = Ranges::default().of(&program, days, &tables);
        assert_eq!([low, high, unit], [-11, -8, 1].map(|number| Some(whole(number))));
    }

    #[test]
    fn squares_are_never_negative() {
        let column = |low: i64, high: i64| {
            let bounds = Bounds::new(whole(low), whole(high), whole(1)).unwrap();
            Column { bounds: Some(bounds), ..Column::new("x", ColumnType::Integer) }
        };
        for (low, high, square) in [(-5, 3, (0, 25)), (2, 7, (4, 49)), (-7, -2, (4, 49))] {
            let tables = [TableSchema {
                name: "t".to_owned(),
                columns: vec![column(low, high)],
                entity: None,
                public_key: None,
            }];
            let mut program =
                Program::new(vec![InputColumn { table: "t".to_owned(), name: "x".to_owned(), kind: Type::Integer }]);
            let x = program.column(0).unwrap();
            let squared = program.call(Operation::Multiply, &[x, x]).unwrap();
            let range = Ranges::default().of(&program, squared, &tables);
            assert_eq!((range.low, range.high), (Some(whole(square.0)), Some(whole(square.1))));
        }
    }

    #[test]
    fn interval_arithmetic() {
        let hours = Range { low: Some(whole(1)), high: Some(whole(99)), unit: Some(whole(1)) };
        let cents = Range { low: Some(whole(-2)), high: Some(whole(3)), unit: Some(ratio(1, 20)) };
        let product = arithmetic(&Operation::Multiply, &[hours.clone(), cents.clone()]);
        assert_eq!(product, Range { low: Some(whole(-198)), high: Some(whole(297)), unit: Some(ratio(1, 20)) });
        let sum = arithmetic(&Operation::Subtract, &[hours.clone(), cents.clone()]);
        assert_eq!(sum, Range { low: Some(whole(-2)), high: Some(whole(101)), unit: Some(ratio(1, 20)) });
        let capped = hours.least(&Range::constant(ratio(81, 2)), false);
        assert_eq!(capped, Range { low: Some(whole(1)), high: Some(ratio(81, 2)), unit: Some(ratio(1, 2)) });
        let absolute = arithmetic(&Operation::Absolute, std::slice::from_ref(&cents));
        assert_eq!(absolute, Range { low: Some(whole(0)), high: Some(whole(3)), unit: Some(ratio(1, 20)) });
        let rounded = arithmetic(&Operation::Round(0), &[Range { unit: None, ..cents }]);
        assert_eq!(rounded.unit, Some(whole(1)));
        let third = arithmetic(&Operation::Divide, &[hours.clone(), Range::constant(whole(-3))]);
        assert_eq!(third, Range { low: Some(whole(-33)), high: Some(whole(0)), unit: None });
        let rest = arithmetic(&Operation::Remainder, &[hours.clone(), Range::constant(whole(10))]);
        assert_eq!(rest, Range { low: Some(whole(0)), high: Some(whole(10)), unit: Some(whole(1)) });
        assert_eq!(arithmetic(&Operation::Divide, &[hours.clone(), hours.clone()]), Range::UNKNOWN);
        assert_eq!(Range::UNKNOWN.least(&Range::constant(whole(10)), true).high, Some(whole(10)));
    }
}
