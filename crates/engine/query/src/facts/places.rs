//! The places of a value among constants, as bit sets, and the truth values of a condition at each place.

use deniable_expression::{Comparison, Day, Decimal, Moment, Type, Value};
use std::cmp::Ordering;

/// A set of numbers below a fixed one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bits(Vec<u64>);

impl Bits {
    pub fn none(size: usize) -> Self {
        Self(vec![0; size.div_ceil(64)])
    }

    pub fn get(&self, at: usize) -> bool {
        self.0.get(at / 64).is_some_and(|word| word >> (at % 64) & 1 == 1)
    }

    pub fn set(&mut self, at: usize) {
        if let Some(word) = self.0.get_mut(at / 64) {
            *word |= 1 << (at % 64);
        }
    }

    /// The numbers from `from` to `to`, exclusive.
    fn range(size: usize, from: usize, to: usize) -> Self {
        let mut bits = Self::none(size);
        for (at, word) in bits.0.iter_mut().enumerate() {
            let below = |end: usize| match end.saturating_sub(at * 64) {
                0 => 0,
                bits if bits >= 64 => u64::MAX,
                bits => (1 << bits) - 1,
            };
            *word = below(to) & !below(from);
        }
        bits
    }

    fn with(&self, other: &Self, both: impl Fn(u64, u64) -> u64) -> Self {
        Self(self.0.iter().zip(&other.0).map(|(one, other)| both(*one, *other)).collect())
    }

    pub fn and(&self, other: &Self) -> Self {
        self.with(other, |one, other| one & other)
    }

    pub fn or(&self, other: &Self) -> Self {
        self.with(other, |one, other| one | other)
    }

    fn without(&self, other: &Self) -> Self {
        self.with(other, |one, other| one & !other)
    }

    pub fn meets(&self, other: &Self) -> bool {
        self.0.iter().zip(&other.0).any(|(one, other)| one & other != 0)
    }
}

/// The places at which a condition can be true, false and NULL. At each place at least one of them is possible.
#[derive(Debug, Clone)]
pub struct Truths {
    pub is_true: Bits,
    is_false: Bits,
    is_null: Bits,
}

impl Truths {
    /// No truth value at any place.
    pub fn none(size: usize) -> Self {
        Self { is_true: Bits::none(size), is_false: Bits::none(size), is_null: Bits::none(size) }
    }

    /// Adds truth values that are possible at a place.
    pub fn add(&mut self, place: usize, is_true: bool, is_false: bool, is_null: bool) {
        for (bits, is_possible) in
            [(&mut self.is_true, is_true), (&mut self.is_false, is_false), (&mut self.is_null, is_null)]
        {
            if is_possible {
                bits.set(place);
            }
        }
    }

    pub fn and(&self, other: &Self) -> Self {
        let not_false = |truths: &Self| truths.is_true.or(&truths.is_null);
        // NULL: one side is NULL and the other is not false.
        let is_null = self.is_null.and(&not_false(other)).or(&other.is_null.and(&not_false(self)));
        Self { is_true: self.is_true.and(&other.is_true), is_false: self.is_false.or(&other.is_false), is_null }
    }

    pub fn or(&self, other: &Self) -> Self {
        self.clone().not().and(&other.clone().not()).not()
    }

    pub fn not(self) -> Self {
        Self { is_true: self.is_false, is_false: self.is_true, is_null: self.is_null }
    }

    /// The truth values of IS TRUE, which is never NULL.
    pub fn known(self) -> Self {
        let is_null = self.is_null.without(&self.is_null);
        Self { is_true: self.is_true, is_false: self.is_false.or(&self.is_null), is_null }
    }
}

/// The places of a value: missing, below the first constant, equal to it, between it and the second, and so on.
pub struct Places<'a> {
    kind: Type,
    constants: Vec<&'a Value>,
    /// The places that a value can have.
    all: Bits,
}

/// The place of a missing value.
const MISSING: usize = 0;

/// The place at the constant with this position. Its neighbours are the gaps below and above the constant.
fn at(position: usize) -> usize {
    2 + 2 * position
}

impl<'a> Places<'a> {
    /// Accepts constants in any order; returns `None` if they cannot be ordered.
    pub fn new(kind: Type, mut constants: Vec<&'a Value>) -> Option<Self> {
        if kind == Type::Boolean {
            constants = vec![&Value::Boolean(false), &Value::Boolean(true)];
        }
        constants.sort_by(|left, right| order(left, right).unwrap_or(Ordering::Equal));
        constants.dedup();
        let is_ordered = constants.windows(2).all(|pair| order(pair[0], pair[1]) == Some(Ordering::Less));
        if !is_ordered {
            return None;
        }
        let mut places = Self { kind, all: Bits::none(at(constants.len())), constants };
        let size = places.size();
        let is_empty = |gap: usize| places.gap(gap).is_none();
        let mut all = Bits::range(size, 0, size);
        for gap in (0..=places.constants.len()).filter(|gap| is_empty(*gap)) {
            all = all.without(&Bits::range(size, at(gap) - 1, at(gap)));
        }
        places.all = all;
        Some(places)
    }

    /// Number of places, empty gaps included.
    pub fn size(&self) -> usize {
        at(self.constants.len())
    }

    /// The least and greatest value at a place; `None` where the value is missing and for empty gaps. For a gap between
    /// texts both are the least text.
    pub fn ends(&self, place: usize) -> Option<(Value, Value)> {
        let constant = |position: usize| self.constants.get(position).map(|value| ((*value).clone(), (*value).clone()));
        match place.checked_sub(1)? {
            gap if gap.is_multiple_of(2) => self.gap(gap / 2),
            point => constant(point / 2),
        }
    }

    /// Whether a place has one value, or none.
    pub fn is_point(place: usize) -> bool {
        place.is_multiple_of(2)
    }

    /// The least and greatest value between the constants before and after this gap.
    fn gap(&self, gap: usize) -> Option<(Value, Value)> {
        let before = gap.checked_sub(1).and_then(|before| self.constants.get(before)).copied();
        let after = self.constants.get(gap).copied();
        let ends = match self.kind {
            Type::Boolean => None,
            Type::Text => {
                // Nothing is between a text and the same text with a zero byte added.
                let low = before.map_or_else(String::new, |value| match value {
                    Value::Text(text) => format!("{text}\0"),
                    _ => String::new(),
                });
                let low = Value::Text(low.into());
                return after
                    .is_none_or(|after| order(&low, after) == Some(Ordering::Less))
                    .then(|| (low.clone(), low));
            }
            Type::Integer => {
                let low = before.map_or(Some(i64::MIN), |value| integer(value)?.checked_add(1));
                let high = after.map_or(Some(i64::MAX), |value| integer(value)?.checked_sub(1));
                low.zip(high).map(|(low, high)| (Value::Integer(low), Value::Integer(high)))
            }
            Type::Decimal => {
                let number = |value: &Value| match value {
                    Value::Decimal(number) => Some(number.get()),
                    _ => None,
                };
                let low = before.map_or(Some(f64::MIN), |value| number(value).map(f64::next_up));
                let high = after.map_or(Some(f64::MAX), |value| number(value).map(f64::next_down));
                let both = low.and_then(Decimal::new).zip(high.and_then(Decimal::new));
                both.map(|(low, high)| (Value::Decimal(low), Value::Decimal(high)))
            }
            Type::Date => {
                let moved = |value: &Value, by: i64| match value {
                    Value::Date(day) => Day::new(i64::from(day.get()) + by),
                    _ => None,
                };
                let low = before.map_or(Some(Day::FIRST), |value| moved(value, 1));
                let high = after.map_or(Some(Day::LAST), |value| moved(value, -1));
                low.zip(high).map(|(low, high)| (Value::Date(low), Value::Date(high)))
            }
            Type::Timestamp => {
                let moved = |value: &Value, by: i64| match value {
                    Value::Timestamp(moment) => Moment::new(moment.get() + by),
                    _ => None,
                };
                let last = Moment::new(Day::LAST.midnight().get() + (Moment::DAY - 1));
                let low = before.map_or(Some(Day::FIRST.midnight()), |value| moved(value, 1));
                let high = after.map_or(last, |value| moved(value, -1));
                low.zip(high).map(|(low, high)| (Value::Timestamp(low), Value::Timestamp(high)))
            }
        };
        ends.filter(|(low, high)| order(low, high).is_some_and(Ordering::is_le))
    }

    pub fn words(&self) -> u64 {
        self.size().div_ceil(64) as u64
    }

    pub fn all(&self) -> Bits {
        self.all.clone()
    }

    fn none(&self) -> Bits {
        Bits::none(self.size())
    }

    fn only_missing(&self) -> Bits {
        Bits::range(self.size(), MISSING, MISSING + 1)
    }

    /// An unknown condition.
    pub fn any(&self) -> Truths {
        Truths { is_true: self.all(), is_false: self.all(), is_null: self.all() }
    }

    pub fn always(&self, truth: bool) -> Truths {
        let (yes, no) = if truth { (self.all(), self.none()) } else { (self.none(), self.all()) };
        Truths { is_true: yes, is_false: no, is_null: self.none() }
    }

    /// The truth values of IS NULL.
    pub fn missing(&self) -> Truths {
        let missing = self.only_missing();
        Truths { is_false: self.all.without(&missing), is_true: missing, is_null: self.none() }
    }

    /// The truth values of a Boolean subject.
    pub fn itself(&self) -> Truths {
        let is = |position: usize| Bits::range(self.size(), at(position), at(position) + 1);
        Truths { is_true: is(1), is_false: is(0), is_null: self.only_missing() }
    }

    /// True at these places, NULL where the value is missing, and false elsewhere.
    fn exactly(&self, places: Bits) -> Truths {
        let missing = self.only_missing();
        Truths { is_false: self.all.without(&places).without(&missing), is_true: places, is_null: missing }
    }

    fn position(&self, constant: &Value) -> Option<usize> {
        self.constants.binary_search_by(|known| order(known, constant).unwrap_or(Ordering::Less)).ok()
    }

    pub fn compared(&self, comparison: Comparison, constant: &Value) -> Truths {
        let Some(position) = self.position(constant) else { return self.any() };
        let (here, size) = (at(position), self.size());
        let values = self.all.without(&self.only_missing());
        let equal = Bits::range(size, here, here + 1);
        let places = match comparison {
            Comparison::Equal | Comparison::NotDistinct => equal,
            Comparison::NotEqual => values.without(&equal),
            Comparison::Distinct => self.all.without(&equal),
            Comparison::Less => values.and(&Bits::range(size, 0, here)),
            Comparison::LessOrEqual => values.and(&Bits::range(size, 0, here + 1)),
            Comparison::Greater => values.and(&Bits::range(size, here + 1, size)),
            Comparison::GreaterOrEqual => values.and(&Bits::range(size, here, size)),
        };
        if let Comparison::Distinct | Comparison::NotDistinct = comparison {
            return Truths { is_false: self.all.without(&places), is_true: places, is_null: self.none() };
        }
        self.exactly(places)
    }

    /// The truth values of IN; a NULL in the list makes false NULL.
    pub fn listed(&self, constants: &[Option<&Value>]) -> Truths {
        let mut places = self.none();
        for constant in constants.iter().flatten() {
            match self.position(constant) {
                Some(position) => places.set(at(position)),
                None => return self.any(),
            }
        }
        let Truths { is_true, is_false, is_null } = self.exactly(places);
        if constants.iter().all(Option::is_some) {
            return Truths { is_true, is_false, is_null };
        }
        Truths { is_true, is_null: is_null.or(&is_false), is_false: self.none() }
    }
}

fn integer(value: &Value) -> Option<i64> {
    match value {
        Value::Integer(number) => Some(*number),
        _ => None,
    }
}

/// The order of the executed comparison: decimals by their bits, texts by their bytes.
pub fn order(left: &Value, right: &Value) -> Option<Ordering> {
    Some(match (left, right) {
        (Value::Boolean(left), Value::Boolean(right)) => left.cmp(right),
        (Value::Integer(left), Value::Integer(right)) => left.cmp(right),
        (Value::Decimal(left), Value::Decimal(right)) => left.get().total_cmp(&right.get()),
        (Value::Text(left), Value::Text(right)) => left.as_bytes().cmp(right.as_bytes()),
        (Value::Date(left), Value::Date(right)) => left.cmp(right),
        (Value::Timestamp(left), Value::Timestamp(right)) => left.cmp(right),
        _ => return None,
    })
}
