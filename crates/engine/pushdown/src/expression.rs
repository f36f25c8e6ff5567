//! Expressions of a row in an engine's SQL. They are total, like the originals, so that no value makes the engine fail.
//!
//! Every step that is used more than once becomes a column in a layer above those of its arguments, so that a query of
//! a few lines never becomes a statement of megabytes.
//!
//! | type | representation in the engine |
//! |---|---|
//! | integer | `BIGINT`; arithmetic in the wide type, which two of them do not overflow, and back |
//! | decimal | `DOUBLE`, never infinite; compared and rounded to a grid only |
//! | text | its bytes: collations have no effect |
//! | date | days since 1970, `BIGINT` |

use super::StorageType;
use super::dialect::{Dialect, INTEGER, WIDE, around};
use super::refusal::{MATERIALISE, PULL, Refusal};
use deniable_expression::{Comparison, Day, Id, LONGEST_TEXT, Node, Operation, Program, Type, Value};
use std::collections::BTreeMap;

/// Most layers of columns above the table's.
const MOST_LAYERS: usize = 60;
/// Most bytes of all expressions.
const MOST_BYTES: usize = 1 << 18;

/// An expression, and the lowest layer above which all its columns exist.
#[derive(Debug, Clone)]
pub(super) struct Text {
    pub(super) sql: String,
    pub(super) layer: usize,
}

/// Writes expressions.
pub(super) struct Writer<'a> {
    dialect: Dialect,
    program: &'a Program,
    /// The engine's type of each input.
    stored: &'a BTreeMap<usize, StorageType>,
    known: BTreeMap<Id, Text>,
    /// The columns of each layer: a name and an expression of columns below.
    pub(super) layers: Vec<Vec<(String, String)>>,
    bytes: usize,
}

/// An integer of any size, as a constant.
pub(super) fn wide(number: &str) -> String {
    format!("CAST({number} AS {WIDE})")
}

/// A 64-bit integer, as a constant.
pub(super) fn integer(number: i128) -> String {
    format!("CAST({number} AS {INTEGER})")
}

/// A decimal, as a constant.
pub(super) fn double(dialect: Dialect, number: f64) -> String {
    format!("CAST('{number:e}' AS {})", dialect.spellings().double)
}

/// A column of a table as a value of its declared type, NULL if it is invalid.
pub(super) fn typed(dialect: Dialect, kind: Type, stored: StorageType, name: &str) -> Option<String> {
    let spelt = dialect.spellings();
    let column = dialect.name(name);
    Some(match (kind, stored) {
        (Type::Integer, StorageType::Whole) => format!("CAST({column} AS {INTEGER})"),
        (Type::Decimal, StorageType::Whole) => format!("CAST({column} AS {})", spelt.double),
        (Type::Decimal, StorageType::Double) => {
            let [low, high] = [f64::MIN, f64::MAX].map(|end| double(dialect, end));
            format!("CASE WHEN {column} BETWEEN {low} AND {high} THEN CAST({column} AS {}) END", spelt.double)
        }
        (Type::Text, StorageType::Text) => {
            let [valid, bytes, length] = [spelt.is_text, spelt.bytes_of, spelt.length_of].map(|of| around(of, &column));
            format!("CASE WHEN {valid} AND {length} <= {LONGEST_TEXT} THEN {bytes} END")
        }
        (Type::Boolean, StorageType::Boolean) => column,
        (Type::Date, StorageType::Date) => {
            let days = around(spelt.days, &column);
            format!("CASE WHEN {column} BETWEEN DATE '0001-01-01' AND DATE '9999-12-31' THEN {days} END")
        }
        _ => return None,
    })
}

impl<'a> Writer<'a> {
    pub(super) fn new(dialect: Dialect, program: &'a Program, stored: &'a BTreeMap<usize, StorageType>) -> Self {
        Self { dialect, program, stored, known: BTreeMap::new(), layers: Vec::new(), bytes: 0 }
    }

    /// Writes the value of a node.
    ///
    /// # Errors
    /// When engines differ in an operation, or the expression is too large.
    pub(super) fn value(&mut self, id: Id) -> Result<Text, Refusal> {
        // Arguments come before the nodes that use them, so no recursion is needed.
        let mut wanted = vec![id];
        let mut all = Vec::new();
        while let Some(next) = wanted.pop() {
            if !self.known.contains_key(&next) && !all.contains(&next) {
                all.push(next);
                if let Node::Call(_, arguments) = self.program.node(next) {
                    wanted.extend(arguments);
                }
            }
        }
        all.sort_unstable();
        for next in all {
            let text = self.node(next)?;
            self.bytes += text.sql.len();
            if self.bytes > MOST_BYTES || self.layers.len() > MOST_LAYERS {
                return Err(Refusal::new("an expression of this size", "statements have size limits", MATERIALISE));
            }
            self.known.insert(next, text);
        }
        Ok(self.get(id))
    }

    fn get(&self, id: Id) -> Text {
        let nothing = || Text { sql: "NULL".to_owned(), layer: 0 };
        self.known.get(&id).cloned().unwrap_or_else(nothing)
    }

    /// Makes an expression a column, so that it can be used more than once.
    pub(super) fn column(&mut self, name: String, text: &Text) -> Text {
        while self.layers.len() <= text.layer {
            self.layers.push(Vec::new());
        }
        self.layers[text.layer].push((name.clone(), text.sql.clone()));
        Text { sql: name, layer: text.layer + 1 }
    }

    fn node(&mut self, id: Id) -> Result<Text, Refusal> {
        let program = self.program;
        let kind = program.kind(id);
        let (operation, arguments) = match program.node(id) {
            Node::Column(position) => return self.input(*position as usize),
            Node::Constant(kind, value) => {
                return Ok(Text { sql: self.constant(*kind, value.as_ref())?, layer: 0 });
            }
            Node::Call(operation, arguments) => (operation, arguments),
        };
        let kinds: Vec<Type> = arguments.iter().map(|argument| program.kind(*argument)).collect();
        let mut texts: Vec<Text> = arguments.iter().map(|argument| self.get(*argument)).collect();
        // These operations use their argument twice.
        if matches!((operation, kinds.first()), (Operation::Cast(_), Some(Type::Boolean)) | (Operation::Absolute, _)) {
            texts = texts.iter().map(|text| self.column(format!("n{}a", id.position()), text)).collect();
        }
        let layer = texts.iter().map(|text| text.layer).max().unwrap_or(0);
        let own: Vec<&str> = texts.iter().map(|text| text.sql.as_str()).collect();
        let listed = |texts: &[&str]| texts.join(", ");
        let sql = match (operation, own.as_slice(), kinds.as_slice()) {
            (Operation::Compare(comparison), [left, right], _) => compared(*comparison, left, right),
            (Operation::And, all, _) => format!("({})", all.join(" AND ")),
            (Operation::Or, all, _) => format!("({})", all.join(" OR ")),
            (Operation::Not, [inner], _) => format!("(NOT {inner})"),
            (Operation::IsNull, [inner], _) => format!("({inner} IS NULL)"),
            (Operation::IsTrue, [inner], _) => format!("COALESCE({inner}, FALSE)"),
            (Operation::In, [first, others @ ..], _) => format!("({first} IN ({}))", listed(others)),
            (Operation::Case, [pairs @ .., otherwise], _) => {
                let branch = |pair: &[&str]| format!("WHEN {} THEN {} ", pair[0], pair[1]);
                let branches: String = pairs.chunks_exact(2).map(branch).collect();
                format!("CASE {branches}ELSE {otherwise} END")
            }
            (Operation::Coalesce, all, _) => format!("COALESCE({})", listed(all)),
            (Operation::NullIf, [one, other], _) => format!("NULLIF({one}, {other})"),
            (Operation::Greatest | Operation::Least, all, [Type::Integer | Type::Date, ..]) => {
                format!("{}({})", if *operation == Operation::Least { "LEAST" } else { "GREATEST" }, listed(all))
            }
            (
                Operation::Add | Operation::Subtract | Operation::Multiply,
                [left, right],
                [Type::Integer, Type::Integer],
            ) => {
                let sign = match operation {
                    Operation::Add => "+",
                    Operation::Subtract => "-",
                    _ => "*",
                };
                let sql = format!("{} {sign} {}", wide(left), wide(right));
                return Ok(self.narrowed(id, Text { sql, layer }));
            }
            (Operation::Negate, [inner], [Type::Integer]) => {
                let sql = format!("{} - {}", wide("0"), wide(inner));
                return Ok(self.narrowed(id, Text { sql, layer }));
            }
            (Operation::Negate, [inner], [Type::Decimal]) => format!("(- {inner})"),
            (Operation::Absolute, [inner], [Type::Decimal]) => format!("ABS({inner})"),
            (Operation::Absolute, [inner], [Type::Integer]) => {
                let least = integer(i64::MIN.into());
                format!("CASE WHEN {inner} = {least} THEN NULL WHEN {inner} < 0 THEN - {inner} ELSE {inner} END")
            }
            (Operation::Cast(to), [inner], [from]) if to == from => (*inner).to_owned(),
            (Operation::Cast(Type::Decimal), [inner], [Type::Integer]) => {
                format!("CAST({inner} AS {})", self.dialect.spellings().double)
            }
            (Operation::Cast(Type::Integer | Type::Decimal), [inner], [Type::Boolean]) => {
                let number = |truth: i32| match kind {
                    Type::Integer => integer(truth.into()),
                    _ => double(self.dialect, truth.into()),
                };
                format!("CASE WHEN {inner} THEN {} WHEN NOT {inner} THEN {} END", number(1), number(0))
            }
            // Dates are days here.
            (Operation::Shift(period), [day], [Type::Date]) if period.months() == 0 => {
                let later = Text { sql: format!("{day} + {}", integer(period.days().into())), layer };
                let Text { sql: name, layer } = self.column(format!("n{}d", id.position()), &later);
                let (first, last) = (Day::FIRST.get(), Day::LAST.get());
                return Ok(Text { sql: format!("CASE WHEN {name} BETWEEN {first} AND {last} THEN {name} END"), layer });
            }
            _ => return Err(refused(operation, &kinds)),
        };
        Ok(Text { sql, layer })
    }

    /// Converts an integer of up to 38 digits to 64 bits; NULL if it does not fit.
    fn narrowed(&mut self, id: Id, wide: Text) -> Text {
        let Text { sql: name, layer } = self.column(format!("n{}w", id.position()), &wide);
        let sql = format!("CASE WHEN {name} BETWEEN {} AND {} THEN CAST({name} AS {INTEGER}) END", i64::MIN, i64::MAX);
        Text { sql, layer }
    }

    fn input(&self, position: usize) -> Result<Text, Refusal> {
        let known = self.stored.contains_key(&position);
        // Inputs are columns below all layers.
        let text = || Text { sql: format!("c{position}"), layer: 0 };
        known.then(text).ok_or_else(|| Refusal::new("a column of another table", "a statement reads one table", PULL))
    }

    fn constant(&self, kind: Type, value: Option<&Value>) -> Result<String, Refusal> {
        let spelt = self.dialect.spellings();
        Ok(match value {
            None => {
                let kind = match kind {
                    Type::Boolean => "BOOLEAN",
                    Type::Integer | Type::Date => INTEGER,
                    Type::Decimal => spelt.double,
                    Type::Text => return Ok(format!("NULLIF({0}, {0})", self.dialect.bytes(b"x"))),
                    Type::Timestamp => return Err(refused_times()),
                };
                format!("CAST(NULL AS {kind})")
            }
            Some(Value::Boolean(truth)) => if *truth { "TRUE" } else { "FALSE" }.to_owned(),
            Some(Value::Integer(number)) => integer((*number).into()),
            Some(Value::Decimal(number)) => double(self.dialect, number.get()),
            Some(Value::Text(text)) => self.dialect.bytes(text.as_bytes()),
            Some(Value::Date(day)) => integer(day.get().into()),
            Some(Value::Timestamp(_)) => return Err(refused_times()),
        })
    }
}

fn compared(comparison: Comparison, left: &str, right: &str) -> String {
    format!("({left} {} {right})", comparison.sign())
}

fn refused_times() -> Refusal {
    Refusal::new("a timestamp", "engines differ in time zones and precision", MATERIALISE)
}

fn refused(operation: &Operation, kinds: &[Type]) -> Refusal {
    let why = match (operation, kinds) {
        (Operation::Cast(_), _) => "engines convert values differently, and some fail on values that do not fit",
        (Operation::Lower | Operation::Upper | Operation::Trim(_) | Operation::Like(_), _) => {
            "case conversion and patterns differ between engines"
        }
        (Operation::Shift(_), _) => "engines differ in the ends of months",
        (Operation::Substring { .. }, _) => "engines count the characters of a text differently",
        (_, [Type::Decimal, ..]) => "decimals overflow and round differently between engines",
        (_, [Type::Timestamp, ..]) => "engines differ in time zones and precision",
        _ => "engines do not agree on it for all values",
    };
    Refusal::new(operation.name(), why, MATERIALISE)
}
