//! Forms of other dialects with the same meaning as a form on the allow-list. They are rewritten before the first gate,
//! so that both forms have one meaning, one price and one canonical form.
//!
//! No part of an expression is duplicated, except a column's name: otherwise the text could grow at each level of
//! nesting.

use datafusion_sql::sqlparser::ast::helpers::attached_token::AttachedToken;
use datafusion_sql::sqlparser::ast::{
    Array, BinaryOperator, CaseWhen, Distinct, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArgumentList,
    FunctionArguments, Ident, Interval, ObjectName, Query, SetExpr, Statement, UnaryOperator, Value, ValueWithSpan,
    VisitMut, VisitorMut,
};
use deniable_expression::{Period, Unit};
use std::ops::ControlFlow;

/// Longest list with which a part of a text is compared: each entry becomes a LIKE.
const MOST_PARTS: usize = 20;
/// Last character of a text at which a part may begin.
const MOST_SKIPPED: u64 = 100;
/// The escape character of a pattern without ESCAPE.
const ESCAPE: char = '\\';

/// Rewrites constructs that have another name on the allow-list.
pub(super) fn rewrite(statement: &mut Statement) {
    let _ = statement.visit(&mut Synonyms::default());
}

/// The function to which parts of texts are rewritten.
const SUBSTRING: &str = "substr";

/// Digits of the least 64-bit integer, whose sign is an operator before them.
const LEAST_INTEGER: &str = "9223372036854775808";

#[derive(Default)]
struct Synonyms {
    /// Whether the next expression is [`LEAST_INTEGER`] after its sign.
    is_least: bool,
}

impl VisitorMut for Synonyms {
    type Break = ();

    fn post_visit_query(&mut self, query: &mut Query) -> ControlFlow<()> {
        if let SetExpr::Select(select) = &mut *query.body
            && select.distinct == Some(Distinct::All)
        {
            select.distinct = None;
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        if let Expr::UnaryOp { op: UnaryOperator::Minus, expr: inner } = expr {
            self.is_least = digits_of(inner) == Some(LEAST_INTEGER);
        }
        ControlFlow::Continue(())
    }

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        if std::mem::take(&mut self.is_least) {
            return ControlFlow::Continue(());
        }
        if let Some(same) = synonym(expr) {
            *expr = same;
        }
        ControlFlow::Continue(())
    }
}

/// Whether one side is a part of a text with fewer characters than the constant text on the other side.
pub(super) fn is_never_equal(one: &Expr, other: &Expr) -> bool {
    let is_longer = |part, text| {
        let most = Part::of(part).and_then(|part| part.length);
        most.zip(text_of(text)).is_some_and(|(most, text)| text.chars().count() as u64 > most)
    };
    is_longer(one, other) || is_longer(other, one)
}

fn synonym(expr: &Expr) -> Option<Expr> {
    match expr {
        Expr::Function(function) => of_function(function),
        Expr::Substring { expr, substring_from, substring_for, .. } => {
            let from = substring_from.as_deref().cloned().unwrap_or_else(|| number("1"));
            let name = ObjectName::from(vec![Ident::new(SUBSTRING)]);
            Some(substring(name, [(**expr).clone(), from].into_iter().chain(substring_for.as_deref().cloned())))
        }
        Expr::AnyOp { left, compare_op: BinaryOperator::Eq, right, is_some: _ } => in_array(left, right, false),
        Expr::AllOp { left, compare_op: BinaryOperator::NotEq, right } => in_array(left, right, true),
        Expr::BinaryOp { left, op: op @ (BinaryOperator::Eq | BinaryOperator::NotEq), right } => {
            let (part, text) = if text_of(right).is_some() { (left, right) } else { (right, left) };
            let (part, text) = (Part::of(part)?, text_of(text)?);
            part.like(text, *op == BinaryOperator::NotEq)
        }
        Expr::InList { expr, list, negated } if list.len() <= MOST_PARTS => {
            let part = Part::of(expr).filter(|part| is_column(part.text))?;
            let any = list
                .iter()
                .map(|entry| part.like(text_of(entry)?, false))
                .reduce(|any, one| Some(binary(any?, BinaryOperator::Or, one?)))??;
            let any = Expr::Nested(Box::new(any));
            Some(if *negated { not(any) } else { any })
        }
        Expr::Interval(interval) => period(interval).map(interval_of),
        // Integers of more than 64 bits are outside the range of every column, like the nearest decimal.
        Expr::Value(ValueWithSpan { value: Value::Number(digits, is_long), span })
            if digits.bytes().all(|byte| byte.is_ascii_digit()) && digits.parse::<i64>().is_err() =>
        {
            let value = Value::Number(format!("{digits}.0"), *is_long);
            Some(Expr::Value(ValueWithSpan { value, span: *span }))
        }
        _ => None,
    }
}

fn of_function(function: &Function) -> Option<Expr> {
    if function.over.is_some() || !function.within_group.is_empty() {
        return None;
    }
    let name = function.name.to_string().to_lowercase();
    let args = arguments(function)?;
    match (name.as_str(), args.as_slice()) {
        ("if" | "iff" | "iif", [condition, then, otherwise @ ..]) if otherwise.len() <= 1 => Some(Expr::Case {
            case_token: AttachedToken::empty(),
            end_token: AttachedToken::empty(),
            operand: None,
            conditions: vec![CaseWhen { condition: (*condition).clone(), result: (*then).clone() }],
            else_result: otherwise.first().map(|otherwise| Box::new((*otherwise).clone())),
        }),
        ("count_if" | "countif", [condition]) => {
            Some(filtered(function, "count", FunctionArgExpr::Wildcard, condition))
        }
        ("sum_if" | "sumif", [value, condition]) => {
            Some(filtered(function, "sum", FunctionArgExpr::Expr((*value).clone()), condition))
        }
        ("avg_if" | "avgif", [value, condition]) => {
            Some(filtered(function, "avg", FunctionArgExpr::Expr((*value).clone()), condition))
        }
        ("substring", [text, from, length @ ..]) if length.len() <= 1 => {
            let name = named(function, SUBSTRING);
            Some(substring(name, [*text, *from].into_iter().chain(length.iter().copied()).cloned()))
        }
        ("left", [text, length]) => {
            Some(substring(named(function, SUBSTRING), [(*text).clone(), number("1"), (*length).clone()]))
        }
        ("date_add" | "adddate", [time, by]) => Some(later(time, count_or_period(by)?)),
        ("date_sub" | "subdate", [time, by]) => Some(later(time, count_or_period(by)?.negated())),
        ("dateadd" | "date_add" | "timestampadd", [unit, count, time]) => Some(later(time, units(unit, count)?)),
        ("ifnull" | "nvl", [_, _]) => {
            let mut same = function.clone();
            same.name = named(function, "coalesce");
            Some(Expr::Function(same))
        }
        _ => None,
    }
}

/// The arguments, if all are plain expressions.
fn arguments(function: &Function) -> Option<Vec<&Expr>> {
    let FunctionArguments::List(FunctionArgumentList { duplicate_treatment: None, args, clauses }) = &function.args
    else {
        return None;
    };
    let plain = |arg| match arg {
        &FunctionArg::Unnamed(FunctionArgExpr::Expr(ref expr)) => Some(expr),
        _ => None,
    };
    clauses.is_empty().then(|| args.iter().map(plain).collect::<Option<Vec<&Expr>>>())?
}

/// An aggregate over the rows where a condition is true.
fn filtered(function: &Function, aggregate: &str, argument: FunctionArgExpr, condition: &Expr) -> Expr {
    let mut same = function.clone();
    same.name = named(function, aggregate);
    same.args = FunctionArguments::List(FunctionArgumentList {
        duplicate_treatment: None,
        args: vec![FunctionArg::Unnamed(argument)],
        clauses: Vec::new(),
    });
    same.filter = Some(Box::new(match same.filter.take() {
        Some(own) => binary(Expr::Nested(own), BinaryOperator::And, Expr::Nested(Box::new(condition.clone()))),
        None => condition.clone(),
    }));
    Expr::Function(same)
}

/// A name at the place of a function's name, so that messages point there.
fn named(function: &Function, name: &str) -> ObjectName {
    let span = function.name.0.first().and_then(|part| part.as_ident()).map(|name| name.span);
    let mut name = Ident::new(name);
    name.span = span.unwrap_or(name.span);
    ObjectName::from(vec![name])
}

/// The period of an INTERVAL with whole numbers of units, written `'1 month 2 days'`, `'1' MONTH` or `1 MONTH`.
pub(super) fn period(interval: &Interval) -> Option<Period> {
    let Interval { value, leading_field, leading_precision, last_field, fractional_seconds_precision } = interval;
    if leading_precision.is_some() || last_field.is_some() || fractional_seconds_precision.is_some() {
        return None;
    }
    let count = match &**value {
        Expr::UnaryOp { op: UnaryOperator::Minus, expr } => format!("-{}", digits_of(expr)?),
        value => text_of(value).or_else(|| digits_of(value))?.to_owned(),
    };
    match leading_field {
        Some(unit) => format!("{count} {unit}").parse().ok(),
        None => count.parse().ok(),
    }
}

/// The canonical form of an INTERVAL, which the planner's parser reads in one way only.
fn interval_of(period: Period) -> Expr {
    let text = format!("{} months {} days {} microseconds", period.months(), period.days(), period.micros());
    Expr::Interval(Interval {
        value: Box::new(Expr::Value(Value::SingleQuotedString(text).with_empty_span())),
        leading_field: None,
        leading_precision: None,
        last_field: None,
        fractional_seconds_precision: None,
    })
}

/// The second argument of DATE_ADD: an INTERVAL, or a number of days.
fn count_or_period(by: &Expr) -> Option<Period> {
    match by {
        Expr::Interval(interval) => period(interval),
        days => Period::of(integer_of(days)?, Unit::Day),
    }
}

/// A number of units, as in `DATEADD(month, 1, day)`.
fn units(unit: &Expr, count: &Expr) -> Option<Period> {
    let unit = match unit {
        Expr::Identifier(name) => Unit::named(&name.value),
        unit => text_of(unit).and_then(Unit::named),
    };
    Period::of(integer_of(count)?, unit?)
}

/// `time + INTERVAL '...'`.
fn later(time: &Expr, period: Period) -> Expr {
    Expr::Nested(Box::new(binary(time.clone(), BinaryOperator::Plus, interval_of(period))))
}

fn integer_of(expr: &Expr) -> Option<i64> {
    match expr {
        Expr::UnaryOp { op: UnaryOperator::Minus, expr } => format!("-{}", digits_of(expr)?).parse().ok(),
        expr => digits_of(expr)?.parse().ok(),
    }
}

/// `x = ANY (ARRAY['a', 'b'])` and `x <> ALL (ARRAY['a', 'b'])`.
fn in_array(left: &Expr, right: &Expr, negated: bool) -> Option<Expr> {
    let Expr::Array(Array { elem, named: _ }) = right else { return None };
    let list = (!elem.is_empty()).then(|| elem.clone())?;
    Some(Expr::InList { expr: Box::new(left.clone()), list, negated })
}

/// `substr` of these arguments: a text, a position and perhaps a length.
fn substring(name: ObjectName, arguments: impl IntoIterator<Item = Expr>) -> Expr {
    let args = arguments.into_iter().map(|argument| FunctionArg::Unnamed(FunctionArgExpr::Expr(argument))).collect();
    Expr::Function(Function {
        name,
        uses_odbc_syntax: false,
        parameters: FunctionArguments::None,
        args: FunctionArguments::List(FunctionArgumentList { duplicate_treatment: None, args, clauses: Vec::new() }),
        filter: None,
        null_treatment: None,
        over: None,
        within_group: Vec::new(),
    })
}

fn number(digits: &str) -> Expr {
    Expr::Value(Value::Number(digits.to_owned(), false).with_empty_span())
}

/// A part of a text, at a constant position.
struct Part<'e> {
    text: &'e Expr,
    /// Number of characters before it.
    skipped: u64,
    /// Most characters in it; `None` for all that follow.
    length: Option<u64>,
}

impl<'e> Part<'e> {
    fn of(expr: &'e Expr) -> Option<Self> {
        match expr {
            Expr::Nested(inner) => Self::of(inner),
            Expr::Function(function) if function.name.to_string() == SUBSTRING => {
                let (text, from, length) = match *arguments(function)? {
                    [text, from] => (text, from, None),
                    [text, from, length] => (text, from, Some(count_of(length)?)),
                    _ => return None,
                };
                Self::new(text, count_of(from)?.checked_sub(1)?, length)
            }
            _ => None,
        }
    }

    fn new(text: &'e Expr, skipped: u64, length: Option<u64>) -> Option<Self> {
        (skipped <= MOST_SKIPPED).then_some(Self { text, skipped, length })
    }

    /// `part = text` as LIKE: the pattern determines the length of the whole text if the part is shorter than its
    /// limit. `None` if a text of this length cannot be such a part.
    fn like(&self, text: &str, negated: bool) -> Option<Expr> {
        let length = text.chars().count() as u64;
        if length == 0 || self.length.is_some_and(|most| length > most) {
            return None;
        }
        let mut pattern: String = std::iter::repeat_n('_', usize::try_from(self.skipped).ok()?).collect();
        for character in text.chars() {
            if matches!(character, '%' | '_' | ESCAPE) {
                pattern.push(ESCAPE);
            }
            pattern.push(character);
        }
        if self.length == Some(length) {
            pattern.push('%');
        }
        Some(Expr::Like {
            negated,
            any: false,
            expr: Box::new(self.text.clone()),
            pattern: Box::new(Expr::Value(Value::SingleQuotedString(pattern).with_empty_span())),
            escape_char: None,
        })
    }
}

fn text_of(expr: &Expr) -> Option<&str> {
    match expr {
        Expr::Value(ValueWithSpan { value: Value::SingleQuotedString(text), .. }) => Some(text),
        _ => None,
    }
}

fn digits_of(expr: &Expr) -> Option<&str> {
    match expr {
        Expr::Value(ValueWithSpan { value: Value::Number(digits, _), .. }) => Some(digits),
        _ => None,
    }
}

fn count_of(expr: &Expr) -> Option<u64> {
    digits_of(expr)?.parse().ok()
}

fn is_column(expr: &Expr) -> bool {
    matches!(expr, Expr::Identifier(_) | Expr::CompoundIdentifier(_))
}

fn binary(left: Expr, op: BinaryOperator, right: Expr) -> Expr {
    Expr::BinaryOp { left: Box::new(left), op, right: Box::new(right) }
}

fn not(inner: Expr) -> Expr {
    Expr::UnaryOp { op: UnaryOperator::Not, expr: Box::new(inner) }
}
