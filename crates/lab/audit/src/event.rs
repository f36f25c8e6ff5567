//! Events: sets of outputs, readable as text, and fast to test on millions of outputs.
//!
//! An event is made of conditions on features of an output: its entries, its length, sums and differences, and the bits of
//! floating-point numbers, since noise computed in floating point leaves some numbers unreachable (Mironov 2012).

use crate::mechanism::{Cell, Labels, Value};
use std::fmt;

/// Significant bits of a floating-point number beyond which an event about this very number is about its last bits.
const FEW_BITS: u32 = 32;
/// The power of zero, which is a multiple of every power of two.
const ANY_POWER: f64 = 2000.0;

/// A number computed from an output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Feature {
    /// The number of entries.
    Length,
    /// An entry that is a number.
    Entry(usize),
    /// The absolute value of an entry.
    Size(usize),
    /// One entry less another.
    Difference(usize, usize),
    /// The sum of all entries that are numbers.
    Sum,
    /// The number of entries that are numbers.
    Numbers,
    /// The last entry, if it is a number.
    Last,
    /// The number of trailing zeros of the 53 bits of an entry's significand.
    ZeroBits(usize),
    /// The largest `k` such that an entry is a multiple of 2^k.
    Power(usize),
}

impl Feature {
    /// The value for an output; `None` if the output has no such feature.
    #[must_use]
    pub fn of(self, row: &[Cell]) -> Option<f64> {
        let entry = |at: usize| row.get(at).and_then(|cell| cell.number());
        match self {
            Self::Length => Some(row.len() as f64),
            Self::Entry(at) => entry(at),
            Self::Size(at) => entry(at).map(f64::abs),
            Self::Difference(one, other) => Some(entry(one)? - entry(other)?),
            Self::Sum => {
                let mut numbers = row.iter().filter_map(|cell| cell.number()).peekable();
                numbers.peek()?;
                Some(numbers.sum())
            }
            Self::Numbers => Some(row.iter().filter(|cell| !matches!(cell, Cell::Label(_))).count() as f64),
            Self::Last => row.last().and_then(|cell| cell.number()),
            Self::ZeroBits(at) => match row.get(at)? {
                Cell::Number(value) if value.is_finite() => Some(f64::from(zero_bits(*value))),
                _ => None,
            },
            Self::Power(at) => match row.get(at)? {
                Cell::Number(value) if value.is_finite() => Some(power(*value)),
                Cell::Integer(0) => Some(ANY_POWER),
                Cell::Integer(value) => Some(f64::from(value.trailing_zeros())),
                _ => None,
            },
        }
        .filter(|value| !value.is_nan())
    }
}

/// Whether a number has so many significant bits that few computations give it.
fn has_many_bits(value: &Value) -> bool {
    matches!(value, Value::Number(number) if number.is_finite() && zero_bits(*number) < 52 - FEW_BITS)
}

/// Trailing zero bits of the significand, at most 53.
fn zero_bits(value: f64) -> u32 {
    // Subnormal numbers have fewer bits, so the missing bits do not count as zeros.
    (value.to_bits() & ((1 << 52) - 1)).trailing_zeros().min(52) + u32::from(value == 0.0)
}

/// The exponent of the lowest set bit.
fn power(value: f64) -> f64 {
    if value == 0.0 {
        return ANY_POWER;
    }
    let bits = value.to_bits();
    let exponent = (bits >> 52 & 0x7ff) as i32;
    let fraction = bits & ((1 << 52) - 1);
    // Subnormal numbers have no hidden bit, and the exponent of the smallest normal numbers.
    let (significand, scale) = if exponent == 0 { (fraction, -1074) } else { (fraction | 1 << 52, exponent - 1075) };
    f64::from(scale + significand.trailing_zeros() as i32)
}

impl fmt::Display for Feature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Length => f.write_str("length of the output"),
            Self::Entry(at) => write!(f, "output[{at}]"),
            Self::Size(at) => write!(f, "|output[{at}]|"),
            Self::Difference(one, other) => write!(f, "output[{one}] − output[{other}]"),
            Self::Sum => f.write_str("sum of the output"),
            Self::Numbers => f.write_str("count of numbers in the output"),
            Self::Last => f.write_str("last entry of the output"),
            Self::ZeroBits(at) => write!(f, "number of trailing zero bits of output[{at}]"),
            Self::Power(at) => write!(f, "largest k with 2^k dividing output[{at}]"),
        }
    }
}

/// A condition on one output.
#[derive(Debug, Clone, PartialEq)]
pub enum Condition {
    /// A feature is at least this.
    AtLeast(Feature, f64),
    /// A feature is below this.
    Below(Feature, f64),
    /// An entry is exactly this value.
    Is(usize, Value),
    /// The whole output is exactly these values.
    Whole(Vec<Value>),
    /// A word entry has this character at a position, counted from 0.
    Letter(usize, usize, char),
    /// A word entry has at least this many characters.
    Letters(usize, usize),
}

impl Condition {
    /// Whether an output meets the condition.
    #[must_use]
    pub fn holds(&self, row: &[Cell], labels: &Labels) -> bool {
        match self {
            Self::AtLeast(feature, limit) => feature.of(row).is_some_and(|value| value >= *limit),
            Self::Below(feature, limit) => feature.of(row).is_some_and(|value| value < *limit),
            Self::Is(at, value) => row.get(*at).is_some_and(|cell| value.is(*cell, labels)),
            Self::Whole(values) => {
                values.len() == row.len() && values.iter().zip(row).all(|(value, cell)| value.is(*cell, labels))
            }
            Self::Letter(at, place, letter) => {
                word(row, *at, labels).is_some_and(|word| word.chars().nth(*place) == Some(*letter))
            }
            Self::Letters(at, least) => word(row, *at, labels).is_some_and(|word| word.chars().count() >= *least),
        }
    }
}

impl Condition {
    /// Whether it is about the last bits of a floating-point number.
    fn reads_last_bits(&self) -> bool {
        match self {
            Self::AtLeast(Feature::ZeroBits(_), _) | Self::Below(Feature::ZeroBits(_), _) => true,
            // Positive powers divide whole numbers, too.
            Self::AtLeast(Feature::Power(_), power) | Self::Below(Feature::Power(_), power) => *power <= 0.0,
            Self::Is(_, value) => has_many_bits(value),
            Self::Whole(values) => values.iter().any(has_many_bits),
            Self::AtLeast(..) | Self::Below(..) | Self::Letter(..) | Self::Letters(..) => false,
        }
    }
}

/// The text of an entry that is a word.
fn word<'a>(row: &[Cell], at: usize, labels: &'a Labels) -> Option<&'a str> {
    match row.get(at)? {
        Cell::Label(place) => Some(labels.word(*place)),
        _ => None,
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AtLeast(Feature::ZeroBits(at), bits) => write!(f, "the last {bits} bits of output[{at}] are 0"),
            Self::Below(Feature::ZeroBits(at), bits) => {
                write!(f, "not all of the last {bits} bits of output[{at}] are 0")
            }
            Self::AtLeast(Feature::Power(at), k) => write!(f, "output[{at}] is a multiple of 2^{k}"),
            Self::Below(Feature::Power(at), k) => write!(f, "output[{at}] is not a multiple of 2^{k}"),
            Self::AtLeast(feature, limit) => write!(f, "{feature} ≥ {limit}"),
            Self::Below(feature, limit) => write!(f, "{feature} < {limit}"),
            Self::Is(at, value) => write!(f, "output[{at}] = {value}"),
            Self::Letter(at, place, letter) => write!(f, "character {place} of output[{at}] is {letter:?}"),
            Self::Letters(at, least) => write!(f, "output[{at}] has {least} characters or more"),
            Self::Whole(values) => match values.as_slice() {
                [] => f.write_str("output = []"),
                [value] => write!(f, "output = {value}"),
                _ => {
                    let words: Vec<String> = values.iter().map(Value::to_string).collect();
                    write!(f, "output = [{}]", words.join(", "))
                }
            },
        }
    }
}

/// The contribution of one feature to a score.
#[derive(Debug, Clone, PartialEq)]
pub enum Part {
    /// By the interval between ascending cuts that contains the feature; there is one weight more than cuts.
    Steps {
        /// The feature.
        feature: Feature,
        /// Ascending; a value equal to a cut is in the interval above it.
        cuts: Vec<f64>,
        /// Weights, lowest interval first.
        weights: Vec<f64>,
    },
    /// By the exact value of an entry; other values add 0.
    Values {
        /// The entry.
        at: usize,
        /// Weights by value.
        weights: Vec<(Value, f64)>,
    },
}

impl Part {
    fn weight(&self, row: &[Cell], labels: &Labels) -> f64 {
        match self {
            Self::Steps { feature, cuts, weights } => feature.of(row).map_or(0.0, |value| {
                let place = cuts.partition_point(|cut| *cut <= value);
                weights.get(place).copied().unwrap_or(0.0)
            }),
            Self::Values { at, weights } => row.get(*at).map_or(0.0, |cell| {
                weights.iter().find(|(value, _)| value.is(*cell, labels)).map_or(0.0, |(_, weight)| *weight)
            }),
        }
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Steps { feature, cuts, weights } => {
                write!(f, "{feature}:")?;
                for (at, weight) in weights.iter().enumerate() {
                    match cuts.get(at) {
                        Some(cut) => write!(f, " {weight:+.2} below {cut},")?,
                        None => write!(f, " {weight:+.2} beyond")?,
                    }
                }
                Ok(())
            }
            Self::Values { at, weights } => {
                write!(f, "output[{at}]:")?;
                let words: Vec<String> =
                    weights.iter().map(|(value, weight)| format!(" {weight:+.2} if {value}")).collect();
                f.write_str(&words.join(","))
            }
        }
    }
}

/// A set of outputs.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// At least one of these lists holds; a list holds if all its conditions do.
    Any(Vec<Vec<Condition>>),
    /// The sum of the parts, each an estimated log-likelihood ratio, is at least a limit.
    Score {
        /// The summands.
        parts: Vec<Part>,
        /// The limit.
        at_least: f64,
    },
}

impl Event {
    /// Whether the event, or a part of it, is about the last bits of floating-point numbers: noise computed in floating
    /// point gives some numbers on one input only.
    #[must_use]
    pub fn reads_last_bits(&self) -> bool {
        match self {
            Self::Any(ways) => ways.iter().flatten().any(Condition::reads_last_bits),
            Self::Score { parts, .. } => parts.iter().any(|part| match part {
                Part::Steps { feature, cuts, .. } => match feature {
                    Feature::ZeroBits(_) => true,
                    Feature::Power(_) => cuts.iter().any(|cut| *cut <= 0.0),
                    _ => false,
                },
                Part::Values { weights, .. } => weights.iter().any(|(value, _)| has_many_bits(value)),
            }),
        }
    }

    /// Whether an output belongs to the event.
    #[must_use]
    pub fn holds(&self, row: &[Cell], labels: &Labels) -> bool {
        match self {
            Self::Any(ways) => ways.iter().any(|all| all.iter().all(|condition| condition.holds(row, labels))),
            Self::Score { parts, at_least } => score(parts, row, labels) >= *at_least,
        }
    }
}

/// The sum of the parts for an output.
pub(crate) fn score(parts: &[Part], row: &[Cell], labels: &Labels) -> f64 {
    parts.iter().map(|part| part.weight(row, labels)).sum()
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Any(ways) => {
                let way = |all: &Vec<Condition>| {
                    let words: Vec<String> = all.iter().map(Condition::to_string).collect();
                    words.join(" and ")
                };
                match ways.as_slice() {
                    [] => f.write_str("no output"),
                    [one] => f.write_str(&way(one)),
                    _ => {
                        f.write_str(&ways.iter().map(|all| format!("({})", way(all))).collect::<Vec<_>>().join(" or "))
                    }
                }
            }
            Self::Score { parts, at_least } => {
                write!(f, "score ≥ {at_least:.4}, which sums")?;
                let words: Vec<String> = parts.iter().map(|part| format!(" [{part}]")).collect();
                f.write_str(&words.join(""))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mechanism::Outputs;

    #[test]
    fn bits_of_numbers() {
        assert_eq!(zero_bits(1.0), 52);
        assert_eq!(zero_bits(1.5), 51);
        assert_eq!(zero_bits(0.1), (0.1_f64.to_bits()).trailing_zeros());
        let multiples =
            [(1.0, 0.0), (6.0, 1.0), (0.75, -2.0), (f64::MIN_POSITIVE, -1022.0), (5e-324, -1074.0), (0.0, ANY_POWER)];
        for (value, expected) in multiples {
            assert!((power(value) - expected).abs() < 0.5, "{value}");
        }
    }

    #[test]
    fn events_about_last_bits_are_known() {
        let one = |condition| Event::Any(vec![vec![Condition::AtLeast(Feature::Sum, 1.0)], vec![condition]]);
        let last = [
            Condition::AtLeast(Feature::ZeroBits(0), 3.0),
            Condition::Below(Feature::Power(0), -40.0),
            Condition::Is(0, Value::Number(0.1)),
            Condition::Whole(vec![Value::Integer(1), Value::Number(std::f64::consts::PI)]),
        ];
        assert!(last.into_iter().all(|condition| one(condition).reads_last_bits()));
        let other = [
            Condition::AtLeast(Feature::Power(0), 1.0),
            Condition::Is(0, Value::Number(1234.5)),
            Condition::Is(0, Value::Integer(i64::MAX)),
            Condition::Below(Feature::Entry(0), 0.1),
        ];
        assert!(!other.into_iter().any(|condition| one(condition).reads_last_bits()));
        let scored = |feature, cut| Event::Score {
            parts: vec![Part::Steps { feature, cuts: vec![cut], weights: vec![0.0, 1.0] }],
            at_least: 1.0,
        };
        assert!(scored(Feature::Power(0), -3.0).reads_last_bits());
        assert!(!scored(Feature::Entry(0), -3.0).reads_last_bits());
    }

    #[test]
    fn events_are_readable_and_hold() {
        let mut outputs = Outputs::new();
        outputs.word("none");
        outputs.cell(Cell::Number(3.5));
        outputs.end();
        outputs.integer(4);
        let holds = |event: &Event| (0..2).map(|at| event.holds(outputs.row(at), outputs.labels())).collect::<Vec<_>>();
        let event = Event::Any(vec![
            vec![Condition::Is(0, Value::Label("none".to_owned())), Condition::AtLeast(Feature::Entry(1), 3.5)],
            vec![Condition::AtLeast(Feature::Power(0), 2.0)],
        ]);
        assert_eq!(event.to_string(), "(output[0] = \"none\" and output[1] ≥ 3.5) or (output[0] is a multiple of 2^2)");
        assert_eq!(holds(&event), [true, true]);
        let whole = Event::Any(vec![vec![Condition::Whole(vec![Value::Integer(4)])]]);
        assert_eq!((whole.to_string().as_str(), holds(&whole)), ("output = 4", vec![false, true]));
        let scored = Event::Score {
            parts: vec![
                Part::Steps { feature: Feature::Length, cuts: vec![2.0], weights: vec![-1.0, 0.5] },
                Part::Values { at: 0, weights: vec![(Value::Label("none".to_owned()), 0.25)] },
            ],
            at_least: 0.75,
        };
        assert_eq!(holds(&scored), [true, false]);
        let text = "score ≥ 0.7500, which sums [length of the output: -1.00 below 2, +0.50 beyond] [output[0]: +0.25 if \"none\"]";
        assert_eq!(scored.to_string(), text);
    }
}
