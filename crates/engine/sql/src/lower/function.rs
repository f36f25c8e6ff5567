//! Lowers calls of functions, by name and arguments. The names are those of `plan::functions`.

use super::{Lowering, Scope, constant_integer, text_of, unlisted};
use crate::plan::place::place_of;
use crate::syntax::{PARTS, SUBSTRING_HELP, UNITS};
use datafusion_expr::Expr;
use deniable_core::exact::{Rational, whole};
use deniable_expression::{
    Comparison, Id, Node, Operation, Part, Period, TimePattern, TimePatternError, Type, Unit, Value,
};
use deniable_query::QueryError;
use deniable_query::facts::range::Ranges;
use num_traits::Signed;

/// Most characters in the set that BTRIM removes.
const MOST_TRIMMED: usize = 100;
const MOST_BUCKETS: i64 = 100_000;
/// Largest span of WIDTH_BUCKET: the span times the number of buckets fits in 64 bits.
const MOST_SPAN: i64 = 1 << 46;

impl Lowering<'_> {
    pub(super) fn function(&mut self, name: &str, args: &[Expr], scope: Scope<'_>) -> Result<Id, QueryError> {
        match (name, args) {
            ("abs", [number]) => self.number(Operation::Absolute, number, scope),
            ("floor", [number]) => self.floor_or_ceil(Operation::Floor, number, scope),
            ("ceil", [number]) => self.floor_or_ceil(Operation::Ceil, number, scope),
            ("round", [number]) => self.number(Operation::Round(0), number, scope),
            ("ln", [number]) => self.number(Operation::Ln, number, scope),
            ("exp", [number]) => self.number(Operation::Exp, number, scope),
            ("sqrt", [number]) => self.number(Operation::Sqrt, number, scope),
            ("power" | "pow", [_, _]) => self.same(Operation::Power, args, scope),
            ("mod", [_, _]) => self.same(Operation::Remainder, args, scope),
            ("sign", [number]) => self.sign(number, scope),
            ("trunc", [number]) => self.trunc(number, scope),
            ("bin", [number, width]) => self.bin(number, width, scope),
            ("width_bucket", [number, low, high, count]) => self.width_bucket(number, [low, high, count], scope),
            ("round", [number, digits]) => {
                let known = constant_integer(digits).and_then(|digits| i8::try_from(digits).ok());
                let known = known.filter(|digits| (-15..=15).contains(digits)).ok_or_else(|| {
                    let help = "write the digits as a number from -15 to 15";
                    QueryError::refused("ROUND to a computed number of digits", help)
                        .at(place_of([digits]))
                        .about("ROUND")
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
                        .at(place_of([characters]))
                        .about("TRIM")
                })?;
                self.text(Operation::Trim(known.into()), text, scope)
            }
            ("substr", [text, from, length @ ..]) if length.len() <= 1 => {
                let number = |number: &Expr| constant_integer(number).and_then(|number| u32::try_from(number).ok());
                let skipped = number(from).and_then(|from| from.checked_sub(1));
                let known = match length {
                    [length] => number(length).map(Some),
                    _ => Some(None),
                };
                let (Some(skipped), Some(length)) = (skipped, known) else {
                    let refused = QueryError::refused("SUBSTRING at this position", SUBSTRING_HELP);
                    return Err(refused.at(place_of([from])).about("SUBSTRING"));
                };
                self.text(Operation::Substring { skipped, length }, text, scope)
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
            ("date_part", [part, time]) if text_of(part).is_some_and(|part| part.eq_ignore_ascii_case("isoyear")) => {
                let time = self.time(time, scope)?;
                self.iso_year(time, part)
            }
            ("date_part", [part, time]) => {
                let known = text_of(part).and_then(|part| Part::named(&part)).ok_or_else(|| {
                    let help = format!("write one of '{}'", PARTS.join("', '"));
                    of_word(QueryError::refused("DATE_PART of this part", help), part)
                })?;
                let time = self.time(time, scope)?;
                self.call(Operation::Part(known), &[time])
            }
            (name, [time]) if let Some(part) = Part::named(name) => {
                let time = self.time(time, scope)?;
                self.call(Operation::Part(part), &[time])
            }
            ("dayname" | "monthname", [time]) => {
                let time = self.time(time, scope)?;
                self.call(if name == "dayname" { Operation::DayName } else { Operation::MonthName }, &[time])
            }
            ("to_char", [time, pattern]) => {
                let text = text_of(pattern).ok_or_else(|| {
                    let help = "write the pattern as 'text', as in TO_CHAR(day, 'YYYY-MM')";
                    QueryError::refused("TO_CHAR with a computed pattern", help).at(place_of([pattern]))
                })?;
                let known = TimePattern::new(&text).map_err(|error| of_word(unknown_pattern(&error), pattern))?;
                let time = self.time(time, scope)?;
                self.call(Operation::Format(Box::new(known)), &[time])
            }
            ("date_diff", [unit, from, to]) => {
                let known = text_of(unit).and_then(|unit| Unit::named(&unit)).ok_or_else(|| {
                    let help = format!("write one of '{}', as in DATE_DIFF('day', from, to)", UNITS.join("', '"));
                    of_word(QueryError::refused("DATE_DIFF in this unit", help), unit)
                })?;
                let (from, to) = (self.time(from, scope)?, self.time(to, scope)?);
                self.units_between(known, from, to)
            }
            (name, _) => Err(unlisted(&format!("the function {name}"))),
        }
    }

    /// The year of the ISO week, as TO_CHAR writes it.
    fn iso_year(&mut self, time: Id, part: &Expr) -> Result<Id, QueryError> {
        let pattern = TimePattern::new("IYYY").map_err(|error| of_word(unknown_pattern(&error), part))?;
        let year = self.call(Operation::Format(Box::new(pattern)), &[time])?;
        self.cast(year, Type::Integer)
    }

    /// Counts how often a unit begins after one moment and up to the other: one hour from 10:59 to 11:00.
    fn units_between(&mut self, unit: Unit, from: Id, to: Id) -> Result<Id, QueryError> {
        match unit {
            Unit::Day => {
                let (from, to) = (self.cast(from, Type::Date)?, self.cast(to, Type::Date)?);
                self.call(Operation::DaysBetween, &[from, to])
            }
            Unit::Week => {
                let week = |this: &mut Self, time| this.call(Operation::Truncate(Unit::Week), &[time]);
                let (from, to) = (week(self, from)?, week(self, to)?);
                let (days, seven) = (self.units_between(Unit::Day, from, to)?, self.constant(Value::Integer(7))?);
                let weeks = self.call(Operation::Divide, &[days, seven])?;
                // The number of weeks between two Mondays is an integer; FLOOR gives it a step of 1.
                self.call(Operation::Floor, &[weeks])
            }
            Unit::Year => self.parts_between(Part::Year, from, to),
            Unit::Quarter => self.finer(Unit::Year, 4, Part::Quarter, from, to),
            Unit::Month => self.finer(Unit::Year, 12, Part::Month, from, to),
            Unit::Hour => self.finer(Unit::Day, 24, Part::Hour, from, to),
            Unit::Minute => self.finer(Unit::Hour, 60, Part::Minute, from, to),
            Unit::Second => self.finer(Unit::Minute, 60, Part::Second, from, to),
        }
    }

    /// Counts units of which a coarser unit has `each`.
    fn finer(&mut self, coarser: Unit, each: i64, part: Part, from: Id, to: Id) -> Result<Id, QueryError> {
        let (whole, each) = (self.units_between(coarser, from, to)?, self.constant(Value::Integer(each))?);
        let (whole, rest) = (self.call(Operation::Multiply, &[whole, each])?, self.parts_between(part, from, to)?);
        self.call(Operation::Add, &[whole, rest])
    }

    fn parts_between(&mut self, part: Part, from: Id, to: Id) -> Result<Id, QueryError> {
        let (from, to) = (self.call(Operation::Part(part), &[from])?, self.call(Operation::Part(part), &[to])?);
        self.call(Operation::Subtract, &[to, from])
    }

    /// 1 for a positive number, -1 for a negative number, and 0 for 0.
    fn sign(&mut self, number: &Expr, scope: Scope<'_>) -> Result<Id, QueryError> {
        let number = self.expr(number, scope)?;
        let zero = self.constant(Value::Integer(0))?;
        let signs = [(Comparison::Greater, 1), (Comparison::Less, -1), (Comparison::Equal, 0)];
        let mut parts = Vec::new();
        for (comparison, sign) in signs {
            parts.push(self.call(Operation::Compare(comparison), &[number, zero])?);
            parts.push(self.constant(Value::Integer(sign))?);
        }
        parts.push(self.null(Type::Integer)?);
        self.call(Operation::Case, &parts)
    }

    /// A number without its fraction.
    fn trunc(&mut self, number: &Expr, scope: Scope<'_>) -> Result<Id, QueryError> {
        let number = self.expr(number, scope)?;
        let zero = self.constant(Value::Integer(0))?;
        let is_below = self.call(Operation::Compare(Comparison::Less), &[number, zero])?;
        let (up, down) = (self.call(Operation::Ceil, &[number])?, self.call(Operation::Floor, &[number])?);
        self.call(Operation::Case, &[is_below, up, down])
    }

    /// FLOOR or CEIL. A quotient of integers keeps its fraction, so that `FLOOR(x / 15) * 15` is a bin below zero as
    /// above. (ROUND gives such a quotient a grid, and has nothing to round.)
    fn floor_or_ceil(&mut self, operation: Operation, number: &Expr, scope: Scope<'_>) -> Result<Id, QueryError> {
        let inner = self.expr(number, scope)?;
        match self.quotient(inner) {
            Some((left, right)) if !self.is_floor(&operation, left, right) => {
                let quotient = self.fraction(left, right)?;
                self.call(operation, &[quotient])
            }
            _ => self.number(operation, number, scope),
        }
    }

    /// The operands of an integer division.
    fn quotient(&self, id: Id) -> Option<(Id, Id)> {
        match self.program.node(id) {
            Node::Call(Operation::Divide, sides) if self.program.kind(id) == Type::Integer => {
                sides.as_slice().try_into().ok().map(|[left, right]: [Id; 2]| (left, right))
            }
            Node::Call(Operation::Cast(Type::Decimal), inner) => inner.first().and_then(|inner| self.quotient(*inner)),
            _ => None,
        }
    }

    /// Whether truncation equals rounding down for all values within the declared bounds.
    fn is_floor(&self, operation: &Operation, left: Id, right: Id) -> bool {
        let mut ranges = Ranges::default();
        let mut is_positive = |id| ranges.of(&self.program, id, self.tables).is_never_negative();
        *operation == Operation::Floor && is_positive(left) && is_positive(right)
    }

    fn fraction(&mut self, left: Id, right: Id) -> Result<Id, QueryError> {
        let (left, right) = (self.cast(left, Type::Decimal)?, self.cast(right, Type::Decimal)?);
        self.call(Operation::Divide, &[left, right])
    }

    /// The lower end of a number's bin: the largest multiple of the width that is not above it.
    fn bin(&mut self, number: &Expr, width: &Expr, scope: Scope<'_>) -> Result<Id, QueryError> {
        let (number, width) = (self.expr(number, scope)?, self.expr(width, scope)?);
        if !self.number_of(width).is_some_and(|width| width.is_positive()) {
            let help = "write a number above 0, as in BIN(age, 10)";
            return Err(QueryError::refused("BIN of this width", help).about("BIN"));
        }
        let are_whole = [number, width].iter().all(|id| self.program.kind(*id) == Type::Integer);
        let quotient = self.fraction(number, width)?;
        let below = self.call(Operation::Floor, &[quotient])?;
        let below = if are_whole { self.cast(below, Type::Integer)? } else { below };
        self.call(Operation::Multiply, &[below, width])
    }

    /// The value of a constant, or of arithmetic on constants.
    fn number_of(&self, id: Id) -> Option<Rational> {
        Ranges::default().of(&self.program, id, self.tables).only_value().cloned()
    }

    /// The number of the equally wide bucket that contains a value, starting at 1; 0 below all buckets, `count + 1`
    /// above.
    fn width_bucket(
        &mut self,
        number: &Expr,
        [low, high, count]: [&Expr; 3],
        scope: Scope<'_>,
    ) -> Result<Id, QueryError> {
        let (number, low, high) = (self.expr(number, scope)?, self.expr(low, scope)?, self.expr(high, scope)?);
        let span = self.number_of(high).zip(self.number_of(low)).map(|(high, low)| high - low);
        let buckets = constant_integer(count).filter(|count| (1..=MOST_BUCKETS).contains(count));
        let fits = |span: &Rational| span.is_positive() && *span <= whole(MOST_SPAN);
        let (Some(_), Some(buckets)) = (span.filter(fits), buckets) else {
            let help = format!(
                "write numbers, the lower end first, and a count from 1 to {MOST_BUCKETS}: WIDTH_BUCKET(age, 0, 100, \
                 10)"
            );
            return Err(QueryError::refused("WIDTH_BUCKET of these buckets", help).about("WIDTH_BUCKET"));
        };
        let [zero, one, last, beyond] = [0, 1, buckets, buckets + 1].map(|count| self.constant(Value::Integer(count)));
        let (zero, one, last, beyond) = (zero?, one?, last?, beyond?);
        let (above, span) =
            (self.call(Operation::Subtract, &[number, low])?, self.call(Operation::Subtract, &[high, low])?);
        let share = self.call(Operation::Multiply, &[above, last])?;
        let quotient = self.call(Operation::Divide, &[share, span])?;
        let place = self.call(Operation::Floor, &[quotient])?;
        let place = self.cast(place, Type::Integer)?;
        let place = self.call(Operation::Add, &[place, one])?;
        // Rounding may move a decimal over an end; values beyond the ends have branches of their own.
        let place = self.call(Operation::Greatest, &[place, one])?;
        let place = self.call(Operation::Least, &[place, last])?;
        let (missing, nothing) = (self.call(Operation::IsNull, &[number])?, self.null(Type::Integer)?);
        let below = self.call(Operation::Compare(Comparison::Less), &[number, low])?;
        let after = self.call(Operation::Compare(Comparison::GreaterOrEqual), &[number, high])?;
        self.call(Operation::Case, &[missing, nothing, below, zero, after, beyond, place])
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

    /// A date or timestamp a period later. Constants are computed here, so that they remain constants.
    pub(super) fn shifted(&mut self, expr: &Expr, period: Period, scope: Scope<'_>) -> Result<Id, QueryError> {
        let id = self.time(expr, scope)?;
        match self.program.constant_of(id).map(|value| value.cloned()) {
            Some(Some(Value::Timestamp(moment))) => match period.after(moment) {
                Some(later) => self.constant(Value::Timestamp(later)),
                None => self.null(Type::Timestamp),
            },
            Some(Some(Value::Date(day))) if period.has_whole_days() => match period.after_day(day) {
                Some(later) => self.constant(Value::Date(later)),
                None => self.null(Type::Date),
            },
            _ if self.program.kind(id) == Type::Date && !period.has_whole_days() => {
                let help = "write CAST(x AS TIMESTAMP) + INTERVAL '12 hours', which is a time";
                Err(QueryError::refused("a part of a day added to a date", help).about("INTERVAL"))
            }
            _ => self.call(Operation::Shift(period), &[id]),
        }
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

/// The error about a pattern of TO_CHAR, with the valid parts.
fn unknown_pattern(error: &TimePatternError) -> QueryError {
    let parts = "YYYY, YY, Q, MM, Month, Mon, DD, DDD, Day, Dy, ID, IYYY, IW, HH24, MI and SS, each also after FM, \
                 and other text between double quotes";
    match error {
        TimePatternError::Unknown(word) => {
            QueryError::refused(format!("TO_CHAR with `{word}` in its pattern"), format!("the parts are {parts}"))
        }
        TimePatternError::Quote => QueryError::refused(
            "TO_CHAR with an unclosed double quote",
            "put text between two double quotes, as in \"text\"",
        ),
        TimePatternError::NoPart => {
            QueryError::refused("TO_CHAR with a pattern without a part of a date", format!("the parts are {parts}"))
        }
        TimePatternError::TooLong => {
            QueryError::refused("TO_CHAR with a very long pattern", "write at most 100 characters")
        }
    }
}

/// Attaches the word between quotes, or else the place of the expression.
fn of_word(error: QueryError, word: &Expr) -> QueryError {
    let error = error.at(place_of([word]));
    match text_of(word) {
        Some(text) => error.about_text(text),
        None => error,
    }
}
