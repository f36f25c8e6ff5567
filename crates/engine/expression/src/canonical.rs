//! Identity of expressions: canonical bytes, equal exactly when the expressions are the same tree.
//!
//! The bytes are those of the nodes on which the expressions depend, in the order of a depth-first traversal with
//! arguments first. Columns are identified by table, name and type, never by position; decimals by their bits; texts by
//! their length and bytes. Nothing depends on the way values are displayed.

use crate::format::TimePattern;
use crate::like::Pattern;
use crate::lookup::{Entries, Lookup};
use crate::operation::{Comparison, Operation, Part, Unit};
use crate::period::Period;
use crate::program::{Id, InputColumn, MOST_ARGUMENTS, Node, Program};
use crate::value::{Day, Decimal, Moment, Type, Value};
use std::collections::{BTreeMap, HashMap};

/// The first byte: the version of the format.
const FORMAT: u8 = 1;

const COLUMN: u8 = 0;
const NULL: u8 = 1;
const CONSTANT: u8 = 2;
const CALL: u8 = 3;

impl Program {
    /// The canonical bytes of these expressions, in this order.
    #[must_use]
    pub fn canonical(&self, roots: &[Id]) -> Vec<u8> {
        let mut numbering = Numbering::default();
        // The number of each node of the program that has one.
        let mut numbers: Vec<Option<u32>> = vec![None; self.nodes().len()];
        // Nodes on the current path, with the number of their visited arguments.
        let mut way: Vec<(Id, usize)> = Vec::new();
        for root in roots {
            way.push((*root, 0));
            while let Some((id, visited)) = way.pop() {
                if numbers.get(id.position()).is_none_or(Option::is_some) {
                    continue;
                }
                let node = self.node(id);
                if let Node::Call(_, arguments) = node
                    && let Some(argument) = arguments.get(visited)
                {
                    way.push((id, visited.saturating_add(1)));
                    way.push((*argument, 0));
                    continue;
                }
                let bytes = self.bytes_of(node, &numbers);
                if let Some(place) = numbers.get_mut(id.position()) {
                    *place = Some(numbering.number(bytes));
                }
            }
        }
        let mut bytes = vec![FORMAT];
        put_length(&mut bytes, numbering.known.len());
        bytes.extend_from_slice(&numbering.bytes);
        put_length(&mut bytes, roots.len());
        for root in roots {
            put_number(&mut bytes, numbers.get(root.position()).copied().flatten());
        }
        bytes
    }

    /// Parses canonical bytes; `None` if they are not canonical bytes of expressions.
    #[must_use]
    pub fn from_canonical(bytes: &[u8]) -> Option<(Self, Vec<Id>)> {
        let mut reader = Reader(bytes);
        if reader.byte()? != FORMAT {
            return None;
        }
        let mut program = Self::default();
        let mut ids = Vec::new();
        for _ in 0..reader.length()? {
            let id = match reader.byte()? {
                COLUMN => {
                    let kind = reader.kind()?;
                    let table = reader.text()?.to_owned();
                    program.input(InputColumn { table, name: reader.text()?.to_owned(), kind }).ok()?
                }
                NULL => program.null(reader.kind()?).ok()?,
                CONSTANT => program.constant(reader.value()?).ok()?,
                CALL => {
                    let operation = reader.operation()?;
                    let count = reader.length()?;
                    if count > MOST_ARGUMENTS {
                        return None;
                    }
                    let mut arguments = Vec::new();
                    for _ in 0..count {
                        arguments.push(*ids.get(reader.length()?)?);
                    }
                    program.call(operation, &arguments).ok()?
                }
                _ => return None,
            };
            ids.push(id);
        }
        let mut roots = Vec::new();
        for _ in 0..reader.length()? {
            roots.push(*ids.get(reader.length()?)?);
        }
        // Other encodings of the same expressions are rejected.
        (program.canonical(&roots) == bytes).then_some((program, roots))
    }

    fn bytes_of(&self, node: &Node, numbers: &[Option<u32>]) -> Vec<u8> {
        let mut bytes = Vec::new();
        match node {
            Node::Column(position) => {
                bytes.push(COLUMN);
                let column = usize::try_from(*position).ok().and_then(|position| self.columns().get(position));
                if let Some(column) = column {
                    put_kind(&mut bytes, column.kind);
                    put_text(&mut bytes, &column.table);
                    put_text(&mut bytes, &column.name);
                }
            }
            Node::Constant(kind, None) => {
                bytes.push(NULL);
                put_kind(&mut bytes, *kind);
            }
            Node::Constant(kind, Some(value)) => {
                bytes.push(CONSTANT);
                put_kind(&mut bytes, *kind);
                put_value(&mut bytes, value);
            }
            Node::Call(operation, arguments) => {
                bytes.push(CALL);
                put_operation(&mut bytes, operation);
                put_length(&mut bytes, arguments.len());
                for argument in arguments {
                    put_number(&mut bytes, numbers.get(argument.position()).copied().flatten());
                }
            }
        }
        bytes
    }
}

/// Nodes by their bytes: columns with equal table, name and type are one node.
#[derive(Default)]
struct Numbering {
    known: HashMap<Vec<u8>, u32>,
    bytes: Vec<u8>,
}

impl Numbering {
    fn number(&mut self, node: Vec<u8>) -> u32 {
        if let Some(number) = self.known.get(&node) {
            return *number;
        }
        let number = u32::try_from(self.known.len()).unwrap_or(u32::MAX);
        self.bytes.extend_from_slice(&node);
        self.known.insert(node, number);
        number
    }
}

fn put_number(bytes: &mut Vec<u8>, number: Option<u32>) {
    // Every argument and root has a number before it is written; no node has this one.
    bytes.extend_from_slice(&number.unwrap_or(u32::MAX).to_le_bytes());
}

fn put_length(bytes: &mut Vec<u8>, length: usize) {
    put_number(bytes, u32::try_from(length).ok());
}

fn put_text(bytes: &mut Vec<u8>, text: &str) {
    put_length(bytes, text.len());
    bytes.extend_from_slice(text.as_bytes());
}

fn put_kind(bytes: &mut Vec<u8>, kind: Type) {
    bytes.push(match kind {
        Type::Boolean => 0,
        Type::Integer => 1,
        Type::Decimal => 2,
        Type::Text => 3,
        Type::Date => 4,
        Type::Timestamp => 5,
    });
}

fn put_value(bytes: &mut Vec<u8>, value: &Value) {
    match value {
        Value::Boolean(value) => bytes.push(u8::from(*value)),
        Value::Integer(value) => bytes.extend_from_slice(&value.to_le_bytes()),
        Value::Decimal(value) => bytes.extend_from_slice(&value.get().to_bits().to_le_bytes()),
        Value::Text(value) => put_text(bytes, value),
        Value::Date(value) => bytes.extend_from_slice(&value.get().to_le_bytes()),
        Value::Timestamp(value) => bytes.extend_from_slice(&value.get().to_le_bytes()),
    }
}

fn put_operation(bytes: &mut Vec<u8>, operation: &Operation) {
    match operation {
        Operation::Compare(comparison) => bytes.extend_from_slice(&[
            0,
            match comparison {
                Comparison::Equal => 0,
                Comparison::NotEqual => 1,
                Comparison::Less => 2,
                Comparison::LessOrEqual => 3,
                Comparison::Greater => 4,
                Comparison::GreaterOrEqual => 5,
                Comparison::Distinct => 6,
                Comparison::NotDistinct => 7,
            },
        ]),
        Operation::And => bytes.push(1),
        Operation::Or => bytes.push(2),
        Operation::Not => bytes.push(3),
        Operation::IsNull => bytes.push(4),
        Operation::IsTrue => bytes.push(5),
        Operation::In => bytes.push(6),
        Operation::Case => bytes.push(7),
        Operation::Coalesce => bytes.push(8),
        Operation::NullIf => bytes.push(9),
        Operation::Greatest => bytes.push(10),
        Operation::Least => bytes.push(11),
        Operation::Add => bytes.push(12),
        Operation::Subtract => bytes.push(13),
        Operation::Multiply => bytes.push(14),
        Operation::Divide => bytes.push(15),
        Operation::Remainder => bytes.push(16),
        Operation::Negate => bytes.push(17),
        Operation::Absolute => bytes.push(18),
        Operation::Round(digits) => {
            bytes.push(19);
            bytes.extend_from_slice(&digits.to_le_bytes());
        }
        Operation::Ln => bytes.push(30),
        Operation::Exp => bytes.push(31),
        Operation::Sqrt => bytes.push(32),
        Operation::Power => bytes.push(33),
        Operation::Floor => bytes.push(20),
        Operation::Ceil => bytes.push(21),
        Operation::Cast(kind) => {
            bytes.push(22);
            put_kind(bytes, *kind);
        }
        Operation::Lower => bytes.push(23),
        Operation::Upper => bytes.push(24),
        Operation::Trim(characters) => {
            bytes.push(25);
            put_text(bytes, characters);
        }
        Operation::Substring { skipped, length } => {
            bytes.push(38);
            bytes.extend_from_slice(&skipped.to_le_bytes());
            bytes.push(u8::from(length.is_some()));
            length.iter().for_each(|length| bytes.extend_from_slice(&length.to_le_bytes()));
        }
        Operation::Like(pattern) => {
            bytes.push(26);
            put_text(bytes, pattern.text());
            bytes.extend_from_slice(&u32::from(pattern.escape()).to_le_bytes());
            bytes.push(u8::from(pattern.ignores_case()));
        }
        Operation::Lookup(lookup) => {
            bytes.push(37);
            put_text(bytes, &lookup.name);
            put_kind(bytes, lookup.entries.kind());
            match &lookup.entries {
                Entries::Texts(list) => {
                    put_length(bytes, list.len());
                    for (key, value) in list {
                        put_text(bytes, key);
                        put_text(bytes, value);
                    }
                }
                Entries::Integers(list) => {
                    put_length(bytes, list.len());
                    for (key, value) in list {
                        bytes.extend_from_slice(&key.to_le_bytes());
                        put_text(bytes, value);
                    }
                }
            }
        }
        Operation::Truncate(unit) => bytes.extend_from_slice(&[
            27,
            match unit {
                Unit::Year => 0,
                Unit::Quarter => 1,
                Unit::Month => 2,
                Unit::Week => 3,
                Unit::Day => 4,
                Unit::Hour => 5,
                Unit::Minute => 6,
                Unit::Second => 7,
            },
        ]),
        Operation::Part(part) => bytes.extend_from_slice(&[
            28,
            match part {
                Part::Year => 0,
                Part::Quarter => 1,
                Part::Month => 2,
                Part::Week => 3,
                Part::Day => 4,
                Part::DayOfYear => 5,
                Part::DayOfWeek => 6,
                Part::Hour => 7,
                Part::Minute => 8,
                Part::Second => 9,
                Part::IsoDayOfWeek => 10,
            },
        ]),
        Operation::Shift(period) => {
            bytes.push(39);
            bytes.extend_from_slice(&period.months().to_le_bytes());
            bytes.extend_from_slice(&period.days().to_le_bytes());
            bytes.extend_from_slice(&period.micros().to_le_bytes());
        }
        Operation::DaysBetween => bytes.push(29),
        Operation::DayName => bytes.push(34),
        Operation::MonthName => bytes.push(35),
        Operation::Format(pattern) => {
            bytes.push(36);
            put_text(bytes, pattern.text());
        }
    }
}

/// The remaining bytes.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.take(N)?.try_into().ok()
    }

    fn byte(&mut self) -> Option<u8> {
        self.array().map(|[byte]| byte)
    }

    fn flag(&mut self) -> Option<bool> {
        match self.byte()? {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }

    fn length(&mut self) -> Option<usize> {
        usize::try_from(u32::from_le_bytes(self.array()?)).ok()
    }

    fn text(&mut self) -> Option<&'a str> {
        let length = self.length()?;
        std::str::from_utf8(self.take(length)?).ok()
    }

    /// Parses one of several values, by its position.
    fn choice<T: Copy>(&mut self, all: &[T]) -> Option<T> {
        all.get(usize::from(self.byte()?)).copied()
    }

    fn kind(&mut self) -> Option<Type> {
        self.choice(&Type::ALL)
    }

    fn value(&mut self) -> Option<Value> {
        Some(match self.kind()? {
            Type::Boolean => Value::Boolean(self.flag()?),
            Type::Integer => Value::Integer(i64::from_le_bytes(self.array()?)),
            Type::Decimal => Value::Decimal(Decimal::new(f64::from_bits(u64::from_le_bytes(self.array()?)))?),
            Type::Text => Value::text(self.text()?)?,
            Type::Date => Value::Date(Day::new(i32::from_le_bytes(self.array()?).into())?),
            Type::Timestamp => Value::Timestamp(Moment::new(i64::from_le_bytes(self.array()?))?),
        })
    }

    /// Parses a list of a lookup. Duplicate keys are detected when the parsed bytes are compared.
    fn entries<K: Ord>(&mut self, count: usize, key: impl Fn(&mut Self) -> Option<K>) -> Option<BTreeMap<K, Box<str>>> {
        (0..count).map(|_| Some((key(self)?, self.text()?.into()))).collect()
    }

    fn operation(&mut self) -> Option<Operation> {
        Some(match self.byte()? {
            0 => Operation::Compare(self.choice(&Comparison::ALL)?),
            1 => Operation::And,
            2 => Operation::Or,
            3 => Operation::Not,
            4 => Operation::IsNull,
            5 => Operation::IsTrue,
            6 => Operation::In,
            7 => Operation::Case,
            8 => Operation::Coalesce,
            9 => Operation::NullIf,
            10 => Operation::Greatest,
            11 => Operation::Least,
            12 => Operation::Add,
            13 => Operation::Subtract,
            14 => Operation::Multiply,
            15 => Operation::Divide,
            16 => Operation::Remainder,
            17 => Operation::Negate,
            18 => Operation::Absolute,
            19 => Operation::Round(i8::from_le_bytes(self.array()?)),
            20 => Operation::Floor,
            21 => Operation::Ceil,
            22 => Operation::Cast(self.kind()?),
            23 => Operation::Lower,
            24 => Operation::Upper,
            25 => Operation::Trim(self.text()?.into()),
            26 => {
                let text = self.text()?;
                let escape = char::from_u32(u32::from_le_bytes(self.array()?))?;
                Operation::Like(Box::new(Pattern::new(text, Some(escape), self.flag()?).ok()?))
            }
            27 => Operation::Truncate(self.choice(&Unit::ALL)?),
            28 => Operation::Part(self.choice(&Part::ALL)?),
            29 => Operation::DaysBetween,
            30 => Operation::Ln,
            31 => Operation::Exp,
            32 => Operation::Sqrt,
            33 => Operation::Power,
            34 => Operation::DayName,
            35 => Operation::MonthName,
            36 => Operation::Format(Box::new(TimePattern::new(self.text()?).ok()?)),
            37 => {
                let (name, kind, count) = (self.text()?.into(), self.kind()?, self.length()?);
                let entries = match kind {
                    Type::Text => Entries::Texts(self.entries(count, |reader| Some(reader.text()?.into()))?),
                    Type::Integer => {
                        Entries::Integers(self.entries(count, |reader| Some(i64::from_le_bytes(reader.array()?)))?)
                    }
                    Type::Boolean | Type::Decimal | Type::Date | Type::Timestamp => return None,
                };
                Operation::Lookup(Box::new(Lookup { name, entries }))
            }
            38 => {
                let skipped = u32::from_le_bytes(self.array()?);
                let length = if self.flag()? { Some(u32::from_le_bytes(self.array()?)) } else { None };
                Operation::Substring { skipped, length }
            }
            39 => Operation::Shift(Period::new(
                i32::from_le_bytes(self.array()?),
                i32::from_le_bytes(self.array()?),
                i64::from_le_bytes(self.array()?),
            )?),
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flags(names: &[&str]) -> Program {
        let column = |name: &&str| InputColumn { table: "t".into(), name: (*name).into(), kind: Type::Boolean };
        Program::new(names.iter().map(column).collect())
    }

    #[test]
    fn similar_expressions_are_different() {
        let mut program = flags(&["a", "b"]);
        let (a, b) = (program.column(0).unwrap(), program.column(1).unwrap());
        let not_a = program.call(Operation::Not, &[a]).unwrap();
        let first = program.call(Operation::And, &[not_a, b]).unwrap();
        let both = program.call(Operation::And, &[a, b]).unwrap();
        let second = program.call(Operation::Not, &[both]).unwrap();
        assert_ne!(program.canonical(&[first]), program.canonical(&[second]));
        assert_ne!(program.canonical(&[a, b]), program.canonical(&[b, a]));
        // By name, not by position; unused columns do not matter.
        let mut other = flags(&["b", "a"]);
        let (b, a) = (other.column(0).unwrap(), other.column(1).unwrap());
        let both = other.call(Operation::And, &[a, b]).unwrap();
        let again = other.call(Operation::Not, &[both]).unwrap();
        assert_eq!(other.canonical(&[again]), program.canonical(&[second]));
        let (read, roots) = Program::from_canonical(&program.canonical(&[first, second])).unwrap();
        assert_eq!(read.canonical(&roots), program.canonical(&[first, second]));
        // Two columns of one name are equal.
        let mut twice = flags(&["a", "a"]);
        let (one, two) = (twice.column(0).unwrap(), twice.column(1).unwrap());
        let bytes = twice.canonical(&[one, two]);
        assert_eq!(bytes, twice.canonical(&[two, two]));
        assert!(Program::from_canonical(&bytes).is_some());
    }

    #[test]
    fn every_operation_is_parsed_from_its_bytes() {
        for operation in Operation::examples().into_iter().flatten() {
            let mut bytes = Vec::new();
            put_operation(&mut bytes, &operation);
            let mut reader = Reader(&bytes);
            assert_eq!(reader.operation(), Some(operation));
            assert!(reader.0.is_empty());
        }
    }

    #[test]
    fn other_bytes_are_refused() {
        let mut program = flags(&["a"]);
        let a = program.column(0).unwrap();
        let not = program.call(Operation::Not, &[a]).unwrap();
        let good = program.canonical(&[not]);
        assert!(Program::from_canonical(&good).is_some());
        for end in 0..good.len() {
            assert!(Program::from_canonical(&good[..end]).is_none());
        }
        let longer = [good.as_slice(), &[0]].concat();
        assert!(Program::from_canonical(&longer).is_none());
        // An unused node, and a duplicate node.
        assert!(Program::from_canonical(&[1, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0]).is_none());
        assert!(Program::from_canonical(&[1, 1, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0]).is_some());
        assert!(Program::from_canonical(&[1, 2, 0, 0, 0, 1, 0, 1, 0, 2, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0]).is_none());
        assert!(Program::from_canonical(&[1, 255, 255, 255, 255]).is_none());
    }
}
