//! The cost of one expression: its length in bits, and the steps of each operation of the evaluator on it.

use crate::Query;
use crate::output::{Function, Operator, WindowFunction};
use crate::output::{MOST_BITS, MOST_ROWS, MOST_SHOWN};
use deniable_core::exact::Rational;
use deniable_core::schema::Key;

/// Bytes of an escaped character in a stored text.
const ESCAPED: u64 = 6;
/// Digits of a number that are not counted as text.
const ORDINARY_DIGITS: u64 = 60;
/// Steps of an operation on interval ends.
pub(crate) const OF_ENDS: u64 = 40;
/// Steps of the interval of a ratio of two noisy numbers.
pub(crate) const OF_RATIO: u64 = 1_000;

/// Upper bounds on one expression.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Part {
    /// Bits of the numerator and of the denominator.
    pub(crate) over: u64,
    pub(crate) under: u64,
    /// Steps to evaluate the estimate once.
    pub(crate) number: u64,
    /// Parts that its interval visits, including those in other rows.
    pub(crate) visits: u64,
    /// Rows, and noisy numbers, that it depends on.
    pub(crate) rows: u64,
    pub(crate) width: u64,
    /// Distinct pairs of weight and law among these noisy numbers.
    pub(crate) differing: u64,
    /// Whether weights differ between rows.
    pub(crate) varies: bool,
    /// Whether it divides by a noisy number.
    pub(crate) is_ratio: bool,
    /// Steps to derive its form, a sum of noisy numbers.
    pub(crate) form: u64,
    /// Steps of its interval without the form.
    pub(crate) interval: u64,
    pub(crate) depth: u64,
    /// Bytes of its longest text.
    pub(crate) text: u64,
}

impl Part {
    /// The maximum of both, field by field.
    pub(crate) fn either(self, other: Self) -> Self {
        Self {
            over: self.over.max(other.over),
            under: self.under.max(other.under),
            number: self.number.max(other.number),
            visits: self.visits.max(other.visits),
            rows: self.rows.max(other.rows),
            width: self.width.max(other.width),
            differing: self.differing.max(other.differing),
            varies: self.varies || other.varies,
            is_ratio: self.is_ratio || other.is_ratio,
            form: self.form.max(other.form),
            interval: self.interval.max(other.interval),
            depth: self.depth.max(other.depth),
            text: self.text.max(other.text),
        }
    }

    pub(crate) fn number(over: u64, under: u64, number: u64) -> Self {
        Self { over, under: under.max(1), number, visits: 1, form: 3, interval: 3, ..Self::default() }
    }

    /// Applies the limit of bits.
    pub(crate) fn capped(self) -> Self {
        Self { over: self.over.min(MOST_BITS), under: self.under.min(MOST_BITS), ..self }
    }

    /// Adds the steps that choose a CASE branch or another row.
    pub(crate) fn settled(self, by: u64) -> Self {
        let more = |steps: u64| steps.saturating_add(by);
        Self { number: more(self.number), form: more(self.form), interval: more(self.interval), ..self }
    }

    /// Steps of its value in a comparison, an order or a group.
    pub(crate) fn value(self) -> u64 {
        self.number.saturating_add(self.text / 64).saturating_add(product(self.over, self.under))
    }
}

/// Steps of a product of numbers with these bit lengths.
pub(crate) fn product(one: u64, other: u64) -> u64 {
    (one / 64 + 1).saturating_mul(other / 64 + 1) / 8 + 1
}

/// Steps of a greatest common divisor.
pub(crate) fn divisor(one: u64, other: u64) -> u64 {
    let short = one.min(other) / 64;
    product(one, other).saturating_add(short.saturating_mul(short))
}

pub(crate) fn bits(value: &Rational) -> (u64, u64) {
    (value.numer().bits(), value.denom().bits())
}

pub(crate) fn combined(operator: Operator, left: Part, right: Part, measures: u64) -> Part {
    let (a, b) = (left.over, left.under);
    // A quotient is a product with the reciprocal.
    let (c, d) = if operator == Operator::Divide { (right.under, right.over) } else { (right.over, right.under) };
    let (over, under, steps) = match operator {
        Operator::Add | Operator::Subtract => {
            let all = product(a, d) + product(c, b) + product(b, d) + 2 * divisor(b, d);
            // Integers need no common denominator.
            let (under, longer) = if b.max(d) <= 1 { (1, 0) } else { (b + d, b.max(d)) };
            (a.max(c) + longer + 1, under, all)
        }
        Operator::Multiply | Operator::Divide => (
            a + c,
            if b.max(d) <= 1 { 1 } else { b + d },
            product(a, c) + product(b, d) + divisor(a, d) + divisor(c, b),
        ),
    };
    let rows = left.rows.max(right.rows);
    let width = left.width.saturating_add(right.width).min(measures.saturating_mul(rows.saturating_add(1)));
    let divides = operator == Operator::Divide && right.width > 0;
    let form = left.form.saturating_add(right.form).saturating_add(3 * width + 2);
    Part {
        over,
        under,
        number: left.number.saturating_add(right.number).saturating_add(steps + 4),
        visits: left.visits.saturating_add(right.visits).saturating_add(1),
        rows,
        width,
        differing: left.differing.saturating_add(right.differing).min(width),
        varies: left.varies || right.varies,
        is_ratio: left.is_ratio || right.is_ratio || divides,
        form,
        interval: left.interval.saturating_add(right.interval).saturating_add(if divides { OF_RATIO } else { OF_ENDS }),
        depth: left.depth.max(right.depth),
        text: 0,
    }
    .capped()
}

/// A bound on the number of rows.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rows {
    pub(crate) most: u64,
    /// Whether the number is exact for all noisy values.
    pub(crate) exactly: bool,
}

/// The value of a window over partitions of at most `most` rows, and the steps to compute it for each row.
pub(crate) fn through(function: WindowFunction, argument: Part, Rows { most, exactly }: Rows) -> (Part, u64) {
    let limit = MOST_ROWS as u64;
    // The interval visits all rows of the partition unless there are too many.
    let looked_at = if exactly && most > limit { 0 } else { most.min(limit) };
    let times = |one: u64| looked_at.saturating_mul(one);
    let size = most.max(1).ilog2() as u64 + 1;
    let seen = |over: u64, under: u64| {
        let (over, under) = (over.min(MOST_BITS), under.min(MOST_BITS));
        Part {
            over,
            under,
            number: 2 + product(over, 1) + product(under, 1),
            visits: times(argument.visits).saturating_add(1),
            rows: looked_at.max(argument.rows),
            width: times(argument.width),
            differing: if argument.varies { times(argument.differing) } else { argument.differing + 1 },
            varies: argument.varies,
            is_ratio: argument.is_ratio,
            form: times(argument.form.saturating_add(argument.visits).saturating_add(2 * argument.width))
                .saturating_add(2),
            interval: times(argument.interval.saturating_add(OF_ENDS)).saturating_add(2),
            depth: argument.depth + 1,
            text: argument.text,
        }
    };
    match function {
        WindowFunction::Sum | WindowFunction::Average => {
            let (over, under) = match argument.under {
                0 | 1 => (argument.over + size, 1),
                under => (argument.over.saturating_add(most.saturating_mul(under)) + size, most.saturating_mul(under)),
            };
            let under = if function == WindowFunction::Average { under.saturating_add(size) } else { under };
            let all = seen(over, under);
            let added = combined(Operator::Add, Part { number: 0, ..all }, argument, 1);
            (all, added.number.saturating_add(all.number))
        }
        WindowFunction::Least | WindowFunction::Greatest => {
            let all = seen(argument.over, argument.under);
            (all, argument.value().saturating_add(2 * product(all.over, all.under)))
        }
        WindowFunction::Present => (Part::number(64, 1, 3), argument.value()),
        WindowFunction::Count
        | WindowFunction::Rank
        | WindowFunction::DenseRank
        | WindowFunction::RowNumber
        | WindowFunction::Tile(_) => (Part::number(64, 1, 3), 2),
        // The numbers of rows have at most 64 bits.
        WindowFunction::PercentRank | WindowFunction::CumulativeShare => (Part::number(64, 64, 5), 2),
        WindowFunction::Lag(_) | WindowFunction::FromStart(_) | WindowFunction::Last | WindowFunction::Only => {
            (argument.settled(3), 2)
        }
    }
}

pub(crate) fn of_function(function: Function, inner: Part) -> Part {
    let (over, under, steps) = match function {
        Function::Round(places) => {
            // A decimal digit takes less than four bits.
            let digits = 4 * u64::from(places.unsigned_abs());
            (inner.over + digits, if places > 0 { digits } else { 1 }, product(inner.over + digits, inner.under) * 4)
        }
        Function::Floor | Function::Ceil => (inner.over, 1, product(inner.over, inner.under) * 4),
        Function::Absolute => (inner.over, inner.under, product(inner.over, 1)),
        // 64 bits after the point; powers of e stay in the range of floats.
        Function::Ln => (140, 66, 200 + product(inner.over, inner.under)),
        Function::Exp => (1_200, 66, 400 + product(inner.over, inner.under)),
        // Twelve decimal places, or an exact root.
        Function::Sqrt => (inner.over + 48, inner.under.max(48), 60 + 8 * divisor(inner.over + 96, inner.under + 96)),
    };
    let steps = inner.number.saturating_add(steps);
    let interval =
        inner.interval.saturating_add(if matches!(function, Function::Ln | Function::Exp | Function::Sqrt) {
            1_000
        } else {
            3 * OF_ENDS
        });
    Part {
        over,
        under,
        number: steps,
        interval,
        visits: inner.visits.saturating_add(1),
        form: inner.form.saturating_add(2),
        text: 0,
        ..inner
    }
    .capped()
}

/// The bytes of a text in a stored answer.
pub(crate) fn escaped(text: &str) -> u64 {
    let bytes = |c: char| if c.is_control() || c == '"' || c == '\\' { ESCAPED } else { c.len_utf8() as u64 };
    text.chars().map(bytes).sum()
}

/// Digits of a number and its interval beyond [`ORDINARY_DIGITS`].
pub(crate) fn digits(part: Part) -> u64 {
    // Ten bits are about three decimal digits.
    3 * (part.over.min(MOST_SHOWN) * 3 / 10).saturating_sub(ORDINARY_DIGITS)
}

pub(crate) fn of_keys(query: &Query, group: usize) -> Part {
    let Some(about) = query.groups().get(group) else { return Part::default() };
    let mut all = Part::number(64, 1, 6);
    for key in &about.keys {
        let text = about.label(key).map_or(0, escaped);
        let own = match key {
            Key::Decimal(value) => {
                let (over, under) = bits(value);
                Part::number(over, under, 6 + product(over, under))
            }
            Key::Text(text) => Part { text: escaped(text), ..Part::default() },
            Key::Null | Key::Other | Key::Boolean(_) | Key::Integer(_) | Key::Date(_) | Key::Timestamp(_) => {
                Part { text: 20, ..Part::default() }
            }
        };
        all = all.either(own).either(Part { text, ..Part::default() });
    }
    all
}
