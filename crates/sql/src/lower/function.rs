//! Functions, by name.

use super::{Lowering, Scope, constant_integer, text_of, unlisted};
use crate::error::QueryError;
use crate::syntax::{PARTS, UNITS};
use datafusion_expr::Expr;
use deniable_expression::{Id, Operation, Part, Type, Unit};

/// Most characters that BTRIM takes away.
const MOST_TRIMMED: usize = 100;

impl Lowering<'_> {
    pub(super) fn function(&mut self, name: &str, args: &[Expr], scope: Scope<'_>) -> Result<Id, QueryError> {
        match (name, args) {
            ("abs", [number]) => self.number(Operation::Absolute, number, scope),
            ("floor", [number]) => self.number(Operation::Floor, number, scope),
            ("ceil", [number]) => self.number(Operation::Ceil, number, scope),
            ("round", [number]) => self.number(Operation::Round(0), number, scope),
            ("round", [number, digits]) => {
                let known = constant_integer(digits).and_then(|digits| i8::try_from(digits).ok());
                let known = known.filter(|digits| (-15..=15).contains(digits)).ok_or_else(|| {
                    let help = "write the digits as a number from -15 to 15";
                    QueryError::refused("ROUND to a computed number of digits", help).near([digits]).about("ROUND")
                })?;
                self.number(Operation::Round(known), number, scope)
            }
            ("lower", [text]) => self.text(Operation::Lower, text, scope),
            ("upper", [text]) => self.text(Operation::Upper, text, scope),
            ("btrim", [text]) => self.text(Operation::Trim(" ".into()), text, scope),
            ("btrim", [text, characters]) => {
                let known = text_of(characters).filter(|known| known.chars().count() <= MOST_TRIMMED);
                let known = known.ok_or_else(|| {
                    let help = format!("write them as 'text', at most {MOST_TRIMMED}");
                    QueryError::refused("TRIM of computed or very many characters", help)
                        .near([characters])
                        .about("TRIM")
                })?;
                self.text(Operation::Trim(known.into()), text, scope)
            }
            ("coalesce", [_, ..]) => self.same(Operation::Coalesce, args, scope),
            ("greatest", [_, ..]) => self.same(Operation::Greatest, args, scope),
            ("least", [_, ..]) => self.same(Operation::Least, args, scope),
            ("nullif", [_, _]) => self.same(Operation::NullIf, args, scope),
            ("date_trunc", [unit, time]) => {
                let known = text_of(unit).and_then(|unit| Unit::named(&unit)).ok_or_else(|| {
                    let help = format!("write one of '{}'", UNITS.join("', '"));
                    of_word(QueryError::refused("DATE_TRUNC to this unit", help), unit)
                })?;
                let time = self.time(time, scope)?;
                self.call(Operation::Truncate(known), &[time])
            }
            ("date_part", [part, time]) => {
                let known = text_of(part).and_then(|part| Part::named(&part)).ok_or_else(|| {
                    let help = format!("write one of '{}'", PARTS.join("', '"));
                    of_word(QueryError::refused("DATE_PART of this part", help), part)
                })?;
                let time = self.time(time, scope)?;
                self.call(Operation::Part(known), &[time])
            }
            ("date_diff", [unit, from, to]) => {
                if text_of(unit).is_none_or(|unit| !unit.eq_ignore_ascii_case("day")) {
                    let error = QueryError::refused("DATE_DIFF in this unit", "write DATE_DIFF('day', from, to)");
                    return Err(of_word(error, unit));
                }
                let (from, to) = (self.time(from, scope)?, self.time(to, scope)?);
                let (from, to) = (self.cast(from, Type::Date)?, self.cast(to, Type::Date)?);
                self.call(Operation::DaysBetween, &[from, to])
            }
            (name, _) => Err(unlisted(&format!("the function {name}"))),
        }
    }

    fn same(&mut self, operation: Operation, args: &[Expr], scope: Scope<'_>) -> Result<Id, QueryError> {
        let args = self.exprs(args, scope)?;
        self.call(operation, &args)
    }

    fn text(&mut self, operation: Operation, text: &Expr, scope: Scope<'_>) -> Result<Id, QueryError> {
        let text = self.expr(text, scope)?;
        let text = self.cast(text, Type::Text)?;
        self.call(operation, &[text])
    }

    /// The argument of a calendar function: a date or a timestamp.
    fn time(&mut self, expr: &Expr, scope: Scope<'_>) -> Result<Id, QueryError> {
        let id = self.expr(expr, scope)?;
        match self.program.kind(id) {
            Type::Date | Type::Timestamp => Ok(id),
            _ if self.program.constant_of(id) == Some(None) => self.null(Type::Timestamp),
            Type::Text if self.program.constant_of(id).is_some() => self.cast(id, Type::Timestamp),
            found => {
                let help = "calendar functions need a date: declare the column as one, or CAST(x AS DATE)";
                Err(QueryError::refused(format!("a calendar function of a value of type {found}"), help))
            }
        }
    }
}

/// A complaint about a word between quotes, or about what stands there instead.
fn of_word(error: QueryError, word: &Expr) -> QueryError {
    let error = error.near([word]);
    match text_of(word) {
        Some(text) => error.about_text(text),
        None => error,
    }
}
