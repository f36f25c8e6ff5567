//! Answers as PostgreSQL tables: each column has the type that the query implies, and optional columns with properties
//! of each number.

use crate::beside::{self, NumberColumns, NumberPart};
use crate::failures::unavailable;
use deniable::exact::{Rounding, decimal, parse_rational};
use deniable_core::text::printable;
use deniable_publication::{Answer, Cell, KeyValue, NumberCell, Scalar};
use deniable_query::Query;
use deniable_query::output::{Term, ValueType};
use deniable_wire::catalog::Type;
use deniable_wire::{Code, Column, Failure, Notice, Reply};
use std::sync::Arc;

/// Parses a boolean setting as PostgreSQL does; `None` if it is neither on nor off.
#[must_use]
pub fn truth(text: &str) -> Option<bool> {
    match text.to_ascii_lowercase().as_str() {
        "on" | "true" | "yes" | "1" => Some(true),
        "off" | "false" | "no" | "0" | "" => Some(false),
        _ => None,
    }
}

/// The PostgreSQL type of a column.
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

/// A column of the query, and whether it has an interval and a quality.
struct ResultColumn {
    name: String,
    of: Type,
    is_number: bool,
}

fn shown(query: &Query) -> Vec<ResultColumn> {
    let output = query.output();
    let columns = output.names.iter().zip(query.column_types()).zip(&output.columns);
    let column = |((name, of), term): ((&String, ValueType), &Term)| ResultColumn {
        name: name.clone(),
        of: wire_type(of),
        is_number: !matches!(term, Term::Key(_) | Term::Grouping(_) | Term::Text(_) | Term::Null)
            && !matches!(of, ValueType::Text | ValueType::Boolean),
    };
    columns.map(column).collect()
}

/// The output columns in their order.
fn layout(shown: &[ResultColumn], beside: &NumberColumns) -> Result<Vec<OutputColumn>, Failure> {
    match &beside.columns {
        Some(asked) => asked.iter().map(|column| placed(shown, column)).collect(),
        None => {
            let whats = |shown: &ResultColumn| {
                let mut all = vec![NumberPart::Value];
                if beside.intervals && shown.is_number {
                    all.extend([NumberPart::Low, NumberPart::High]);
                }
                if beside.quality && shown.is_number {
                    all.extend([NumberPart::Error, NumberPart::Quality]);
                }
                all
            };
            let all = shown.iter().enumerate().flat_map(|(of, one)| whats(one).into_iter().map(move |what| (of, what)));
            all.map(|(of, what)| placed(shown, &beside::Column { of, what, name: None })).collect()
        }
    }
}

/// An output column, and the value that it shows.
struct OutputColumn {
    column: Column,
    of: usize,
    what: NumberPart,
}

fn placed(shown: &[ResultColumn], asked: &beside::Column) -> Result<OutputColumn, Failure> {
    let beside::Column { of, what, name } = asked;
    let one = shown.get(*of).ok_or_else(unavailable)?;
    let (ending, data_type) = match what {
        NumberPart::Value => ("", one.of),
        NumberPart::Low => ("_low", one.of),
        NumberPart::High => ("_high", one.of),
        NumberPart::Error => ("_error", Type::FLOAT8),
        NumberPart::Quality => ("_quality", Type::TEXT),
    };
    if *what != NumberPart::Value && !one.is_number {
        let message = format!("\"{}\" is not a number, so it has neither an interval nor a quality", one.name);
        return Err(Failure::new(Code::NotSupported, message).hint("name a count, a sum, an average or a ratio"));
    }
    let name = name.clone().unwrap_or_else(|| format!("{}{ending}", one.name));
    Ok(OutputColumn { column: Column { name, data_type }, of: *of, what: *what })
}

/// The columns of an answer, which depend on the query alone.
///
/// # Errors
/// When a function such as `low` names a column that is not a number.
pub fn columns(query: &Query, beside: &NumberColumns) -> Result<Vec<Column>, Failure> {
    Ok(layout(&shown(query), beside)?.into_iter().map(|placed| placed.column).collect())
}

/// An answer as a table.
///
/// # Errors
/// When a function such as `low` names a column that is not a number.
pub fn reply(query: &Query, answer: &Answer, beside: &NumberColumns) -> Result<Reply, Failure> {
    let shown = shown(query);
    let layout = layout(&shown, beside)?;
    let none = NumberCell::default();
    let field = |row: &[Cell], OutputColumn { of, what, .. }: &OutputColumn| {
        let (cell, of) = (row.get(*of)?, shown.get(*of)?.of);
        let number = cell.number().unwrap_or(&none);
        match what {
            NumberPart::Value => value(cell, of),
            NumberPart::Low => number.low.as_ref().and_then(|end| scalar(end, of, Rounding::Down)),
            NumberPart::High => number.high.as_ref().and_then(|end| scalar(end, of, Rounding::Up)),
            NumberPart::Error => number.standard_error.as_ref().map(ToString::to_string),
            NumberPart::Quality => number.quality.map(|quality| quality.to_string()),
        }
    };
    let row = |row: &Vec<Cell>| layout.iter().map(|placed| field(row, placed)).collect();
    let rows = Arc::new(answer.rows.iter().map(row).collect());
    let hidden = answer.rows.iter().flatten().filter_map(|cell| cell.number()?.hidden.as_ref()).next();
    let hidden = hidden.map(|label| format!("numbers hidden by the curator's rules are NULL: {label}"));
    let notes: Vec<String> = answer.warnings.iter().cloned().chain(hidden).collect();
    // Once withdrawn, an answer is a warning even to clients that hide notices.
    let withdrawn = answer.withdrawn.iter().map(|withdrawn| Notice::warning(printable(&withdrawn.to_string())));
    let notes =
        (!notes.is_empty()).then(|| Notice { detail: Some(notes.join("\n")), ..Notice::new("notes on these numbers") });
    let notices = withdrawn.chain(notes).collect();
    let columns = layout.into_iter().map(|placed| placed.column).collect();
    Ok(Reply { columns, rows, notices })
}

/// A value in the PostgreSQL text format of a type. The key for all keys of a group is NULL, as in the result of
/// ROLLUP.
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
