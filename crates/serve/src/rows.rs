//! Answers as tables of PostgreSQL: each column of the type that follows from the question, and on request what is known of each number beside it.

use deniable::exact::{Rounding, decimal, parse_rational};
use deniable_publication::{Answer, Cell, KeyValue, NumberCell, Scalar};
use deniable_sql::Query;
use deniable_sql::output::{Term, ValueType};
use deniable_wire::catalog::Type;
use deniable_wire::{Column, Notice, Question, Reply};
use std::sync::Arc;

/// What is shown beside each number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Beside {
    /// Where the truth lies: columns `..._low` and `..._high`.
    pub intervals: bool,
    /// How good it is: columns `..._error` and `..._quality`.
    pub quality: bool,
}

impl Beside {
    /// What a question asks for.
    #[must_use]
    pub fn of(question: &Question) -> Self {
        let is_on = |name: &str| question.setting(name).is_some_and(is_true);
        Self { intervals: is_on("intervals"), quality: is_on("quality") }
    }
}

/// Whether a setting is on.
#[must_use]
pub fn is_true(text: &str) -> bool {
    ["on", "true", "yes", "1"].contains(&text.to_ascii_lowercase().as_str())
}

/// PostgreSQL's type of a column.
#[must_use]
pub fn wire_type(of: ValueType) -> Type {
    match of {
        ValueType::Integer => Type::INT8,
        ValueType::Decimal => Type::NUMERIC,
        ValueType::Float => Type::FLOAT8,
        ValueType::Boolean => Type::BOOL,
        ValueType::Date => Type::DATE,
        ValueType::Timestamp => Type::TIMESTAMP,
        ValueType::Text => Type::TEXT,
    }
}

/// A shown column and what stands beside it.
struct Shown {
    name: String,
    of: Type,
    is_number: bool,
}

fn shown(query: &Query) -> Vec<Shown> {
    let output = query.output();
    let columns = output.names.iter().zip(query.column_types()).zip(&output.columns);
    let column = |((name, of), term): ((&String, ValueType), &Term)| Shown {
        name: name.clone(),
        of: wire_type(of),
        is_number: !matches!(term, Term::Key(_) | Term::Grouping(_) | Term::Text(_) | Term::Null)
            && !matches!(of, ValueType::Text | ValueType::Boolean),
    };
    columns.map(column).collect()
}

/// The columns of an answer, from the question alone.
#[must_use]
pub fn columns(query: &Query, beside: Beside) -> Vec<Column> {
    let mut all = Vec::new();
    for Shown { name, of, is_number } in shown(query) {
        let more = |ending: &str, data_type| Column { name: format!("{name}_{ending}"), data_type };
        all.push(Column { name: name.clone(), data_type: of });
        if beside.intervals && is_number {
            all.extend([more("low", of), more("high", of)]);
        }
        if beside.quality && is_number {
            all.extend([more("error", Type::FLOAT8), more("quality", Type::TEXT)]);
        }
    }
    all
}

/// An answer as a table.
#[must_use]
pub fn reply(query: &Query, answer: &Answer, beside: Beside) -> Reply {
    let shown = shown(query);
    let row = |cells: &Vec<Cell>| {
        let mut row = Vec::new();
        for (cell, Shown { of, is_number, .. }) in cells.iter().zip(&shown) {
            row.push(value(cell, *of));
            let none = NumberCell::default();
            let number = cell.number().unwrap_or(&none);
            if beside.intervals && *is_number {
                row.push(number.low.as_ref().and_then(|end| scalar(end, *of, Rounding::Down)));
                row.push(number.high.as_ref().and_then(|end| scalar(end, *of, Rounding::Up)));
            }
            if beside.quality && *is_number {
                row.push(number.standard_error.as_ref().map(ToString::to_string));
                row.push(number.quality.map(|quality| quality.to_string()));
            }
        }
        row
    };
    let rows = Arc::new(answer.rows.iter().map(row).collect());
    let hidden = answer.rows.iter().flatten().filter_map(|cell| cell.number()?.hidden.as_ref()).next();
    let hidden = hidden.map(|label| format!("numbers that the curator's rules hide are NULL: {label}"));
    let notes: Vec<String> = answer.warnings.iter().cloned().chain(hidden).collect();
    let notices = match notes.is_empty() {
        true => Vec::new(),
        false => vec![Notice { detail: Some(notes.join("\n")), ..Notice::new("what to know of these numbers") }],
    };
    Reply { columns: columns(query, beside), rows, notices }
}

/// A value as PostgreSQL writes one of this type. What stands for all keys of a group is NULL, as ROLLUP has it there.
fn value(cell: &Cell, of: Type) -> Option<String> {
    match cell {
        Cell::Number(number) => number.value.as_ref().and_then(|value| scalar(value, of, Rounding::Nearest)),
        Cell::Key(None) => None,
        Cell::Key(Some(key)) => match key {
            KeyValue::Boolean(truth) if of == Type::BOOL => Some(if *truth { "t" } else { "f" }.to_owned()),
            KeyValue::Text(text) if text == deniable_publication::ALL => None,
            KeyValue::Text(text) if of == Type::TIMESTAMP => Some(text.replacen('T', " ", 1)),
            key => Some(key.text()),
        },
    }
}

fn scalar(value: &Scalar, of: Type, rounding: Rounding) -> Option<String> {
    match value {
        Scalar::Time(time) if of == Type::TIMESTAMP => Some(time.replacen('T', " ", 1)),
        Scalar::Time(time) => Some(time.clone()),
        Scalar::Number(number) if of == Type::INT8 => {
            let exact = parse_rational(&number.to_string()).ok()?;
            Some(decimal(&exact, 0, rounding))
        }
        Scalar::Number(number) => Some(number.to_string()),
    }
}
