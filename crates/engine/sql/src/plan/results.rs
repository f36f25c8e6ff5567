//! Expressions over results: arithmetic, conditions, CASE and scalar subqueries. All of it is post-processing (C-3).

use crate::lower::{constant_integer, constant_period, text_of};
use crate::plan::place::place_of;
use datafusion_common::arrow::datatypes::DataType;
use datafusion_common::{DFSchema, ScalarValue};
use datafusion_expr::expr::{Case, InList, ScalarFunction};
use datafusion_expr::{Between, BinaryExpr, Cast, Expr, ExprSchemable, Operator as PlanOperator, TryCast};
use deniable_core::exact::{parse_rational, whole};
use deniable_core::schema::Key;
use deniable_expression::{Day, Moment, Period, parse_day, parse_moment};
use deniable_query::QueryError;
use deniable_query::output::{Comparison, Condition, Function, Operator, Term};

/// The names that expressions over results refer to.
#[derive(Clone, Copy)]
pub(super) struct Results<'a> {
    /// The names and types of the columns.
    pub(super) schema: &'a DFSchema,
    pub(super) columns: &'a [Term],
    /// The terms of scalar subqueries, by the expression.
    pub(super) subqueries: &'a [(&'a Expr, Term)],
}

/// A condition on results, as in HAVING.
pub(super) fn condition(expr: &Expr, results: Results<'_>) -> Result<Condition, QueryError> {
    let again = |inner: &Expr| condition(inner, results);
    let value = |inner: &Expr| date_as_moment(inner, results).unwrap_or_else(|| term(inner, results));
    let compare = |comparison, left: Term, right: Term| Condition::Compare(comparison, Box::new([left, right]));
    let negated = |negated: bool, inner: Condition| if negated { Condition::Not(Box::new(inner)) } else { inner };
    match expr {
        Expr::Alias(alias) => again(&alias.expr),
        Expr::Not(inner) => Ok(Condition::Not(Box::new(again(inner)?))),
        Expr::IsNull(inner) => Ok(Condition::IsNull(value(inner)?)),
        Expr::IsNotNull(inner) => Ok(Condition::Not(Box::new(Condition::IsNull(value(inner)?)))),
        Expr::Between(Between { expr, negated: not, low, high }) => {
            let inside = Condition::And(Box::new([
                compare(Comparison::AtLeast, value(expr)?, beside(low, &value(expr)?, results)?),
                compare(Comparison::AtMost, value(expr)?, beside(high, &value(expr)?, results)?),
            ]));
            Ok(negated(*not, inside))
        }
        Expr::InList(InList { expr, list, negated: not }) => {
            let mut any: Option<Condition> = None;
            for entry in list {
                let left = value(expr)?;
                let right = beside(entry, &left, results)?;
                let equal = compare(Comparison::Equal, left, right);
                any = Some(match any {
                    Some(others) => Condition::Or(Box::new([others, equal])),
                    None => equal,
                });
            }
            any.map(|any| negated(*not, any)).ok_or_else(|| result_refusal("IN ()", "IN"))
        }
        Expr::Column(_) => Ok(Condition::Holds(value(expr)?)),
        Expr::IsTrue(inner) => Ok(known(again(inner)?, true)),
        Expr::IsNotTrue(inner) => Ok(Condition::Not(Box::new(known(again(inner)?, true)))),
        Expr::IsFalse(inner) => Ok(known(again(inner)?, false)),
        Expr::IsNotFalse(inner) => Ok(Condition::Not(Box::new(known(again(inner)?, false)))),
        // `old = TRUE` is `old`.
        Expr::BinaryExpr(BinaryExpr { left, op: op @ (PlanOperator::Eq | PlanOperator::NotEq), right })
            if let Some((inner, truth)) = beside_truth(left, right) =>
        {
            Ok(negated(truth != (*op == PlanOperator::Eq), again(inner)?))
        }
        Expr::BinaryExpr(BinaryExpr { left, op, right }) => {
            let comparison = match op {
                PlanOperator::And => return Ok(Condition::And(Box::new([again(left)?, again(right)?]))),
                PlanOperator::Or => return Ok(Condition::Or(Box::new([again(left)?, again(right)?]))),
                PlanOperator::Eq => Comparison::Equal,
                PlanOperator::NotEq => Comparison::NotEqual,
                PlanOperator::Lt => Comparison::Below,
                PlanOperator::LtEq => Comparison::AtMost,
                PlanOperator::Gt => Comparison::Above,
                PlanOperator::GtEq => Comparison::AtLeast,
                PlanOperator::IsNotDistinctFrom => return Ok(same(value(left)?, value(right)?)),
                PlanOperator::IsDistinctFrom => {
                    return Ok(Condition::Not(Box::new(same(value(left)?, value(right)?))));
                }
                _ => return Err(result_refusal(&format!("the operator {op}"), &op.to_string())),
            };
            if instant(left).is_some() && instant(right).is_none() {
                let right = value(right)?;
                return Ok(compare(comparison, beside(left, &right, results)?, right));
            }
            let left = value(left)?;
            let right = beside(right, &left, results)?;
            Ok(compare(comparison, left, right))
        }
        Expr::Literal(ScalarValue::Boolean(truth), _) => {
            let side = truth.map_or(Term::Null, |truth| Term::Number(whole(i64::from(truth))));
            Ok(compare(Comparison::Equal, side, Term::Number(whole(1))))
        }
        Expr::Like(_) => {
            let help = "list the keys that you mean, as in ward IN ('A1', 'A2'): they are public";
            Err(QueryError::refused("LIKE on results", help).about("LIKE"))
        }
        other => Err(result_refusal("this condition", "HAVING").at(place_of([other]))),
    }
}

/// The operand beside `other` in a comparison: a constant date or timestamp becomes the number that represents it in
/// released results.
fn beside(expr: &Expr, other: &Term, results: Results<'_>) -> Result<Term, QueryError> {
    match (instant(expr).transpose()?, other) {
        // Arithmetic on a date or timestamp uses its midnight.
        (Some(instant), Term::Answer(_) | Term::Arithmetic(..)) => Ok(Term::Number(whole(instant.count()))),
        // A key that is a date or timestamp is compared with a text by the moment that the text names.
        (Some(instant), Term::Key(_)) => Ok(Term::Text(instant.key().to_string())),
        (Some(_), _) => Err(date_refusal(expr)),
        (None, _) => term(expr, results),
    }
}

/// A constant date or timestamp.
#[derive(Debug, Clone, Copy)]
enum Instant {
    Day(Day),
    Moment(Moment),
}

impl Instant {
    /// Days or microseconds since 1970-01-01.
    fn count(self) -> i64 {
        match self {
            Self::Day(day) => day.get().into(),
            Self::Moment(moment) => moment.get(),
        }
    }

    fn key(self) -> Key {
        match self {
            Self::Day(day) => Key::Date(day.get()),
            Self::Moment(moment) => Key::Timestamp(moment.get()),
        }
    }

    fn shifted(self, period: Period) -> Option<Self> {
        match self {
            Self::Day(day) => period.has_whole_days().then(|| period.after_day(day)).flatten().map(Self::Day),
            Self::Moment(moment) => period.after(moment).map(Self::Moment),
        }
    }
}

/// The midnight of a released date that is compared with a timestamp; `None` for other expressions.
fn date_as_moment(expr: &Expr, results: Results<'_>) -> Option<Result<Term, QueryError>> {
    let (Expr::Cast(Cast { expr: inner, field }) | Expr::TryCast(TryCast { expr: inner, field })) = expr else {
        return None;
    };
    let is_day = inner.get_type(results.schema).is_ok_and(|kind| kind == DataType::Date32);
    let is_moment = matches!(field.data_type(), DataType::Timestamp(..));
    (is_day && is_moment && instant(expr).is_none()).then(|| {
        let day = term(inner, results)?;
        // Keys that are dates are compared with timestamps as they are.
        if let Term::Key(_) = day {
            return Ok(day);
        }
        Ok(Term::Arithmetic(Operator::Multiply, Box::new([day, Term::Number(whole(Moment::DAY))])))
    })
}

/// The error for a constant date or timestamp that is not compared with a released one.
fn date_refusal(expr: &Expr) -> QueryError {
    let help = "compare a group that is a date, or MIN, MAX or a quantile of dates, with DATE '2024-01-31'; conditions \
                on the dates of rows are in WHERE";
    QueryError::refused("a comparison of a date with this result", help).at(place_of([expr])).about("DATE")
}

/// A constant date or timestamp, also one that an INTERVAL moves; `None` for other expressions.
fn instant(expr: &Expr) -> Option<Result<Instant, QueryError>> {
    if let Expr::BinaryExpr(BinaryExpr { left, op, right }) = expr {
        let (from, period) = match (op, constant_period(left), constant_period(right)) {
            (PlanOperator::Plus, None, Some(period)) => (left, period),
            (PlanOperator::Plus, Some(period), None) => (right, period),
            (PlanOperator::Minus, None, Some(period)) => (left, period.negated()),
            _ => return None,
        };
        let refusal = || date_refusal(expr);
        return Some(instant(from)?.and_then(|from| from.shifted(period).ok_or_else(refusal)));
    }
    let (Expr::Cast(Cast { field, .. }) | Expr::TryCast(TryCast { field, .. })) = expr else { return None };
    // A date that moves becomes its midnight.
    if let (Expr::Cast(Cast { expr: inner, .. }) | Expr::TryCast(TryCast { expr: inner, .. }), DataType::Timestamp(..)) =
        (expr, field.data_type())
        && let Expr::BinaryExpr(_) = &**inner
    {
        return Some(instant(inner)?.map(|instant| match instant {
            Instant::Day(day) => Instant::Moment(day.midnight()),
            moment @ Instant::Moment(_) => moment,
        }));
    }
    let text = text_of(expr)?;
    let count = match field.data_type() {
        DataType::Date32 => parse_day(&text, None).map(Instant::Day),
        DataType::Timestamp(..) => parse_moment(&text, None).map(Instant::Moment),
        _ => return None,
    };
    let help = "write DATE '2024-01-31' or TIMESTAMP '2024-01-31 12:00:00'";
    Some(count.ok_or_else(|| QueryError::refused(format!("'{text}' as a date"), help).about_text(text)))
}

/// Whether a condition is TRUE, or FALSE: never unknown. An unknown condition is neither.
fn known(condition: Condition, truth: bool) -> Condition {
    let condition = if truth { condition } else { Condition::Not(Box::new(condition)) };
    let otherwise = Box::new(Term::Number(whole(0)));
    let chosen = Term::Case(vec![(condition, Term::Number(whole(1)))], otherwise);
    Condition::Compare(Comparison::Equal, Box::new([chosen, Term::Number(whole(1))]))
}

/// Whether two values are equal, with NULL equal to NULL.
fn same(left: Term, right: Term) -> Condition {
    let is_null = |side: &Term| Condition::IsNull(side.clone());
    let both_null = Condition::And(Box::new([is_null(&left), is_null(&right)]));
    let equal = Condition::Compare(Comparison::Equal, Box::new([left, right]));
    Condition::Or(Box::new([both_null, known(equal, true)]))
}

/// The operand that is compared with TRUE or FALSE.
fn beside_truth<'e>(left: &'e Expr, right: &'e Expr) -> Option<(&'e Expr, bool)> {
    match (left, right) {
        (inner, Expr::Literal(ScalarValue::Boolean(Some(truth)), _))
        | (Expr::Literal(ScalarValue::Boolean(Some(truth)), _), inner) => Some((inner, *truth)),
        _ => None,
    }
}

pub(super) fn term(expr: &Expr, results: Results<'_>) -> Result<Term, QueryError> {
    let again = |inner: &Expr| term(inner, results);
    match expr {
        Expr::Alias(alias) => again(&alias.expr),
        Expr::Column(column) => results
            .schema
            .index_of_column(column)
            .ok()
            .and_then(|position| results.columns.get(position).cloned())
            .ok_or_else(|| QueryError::meaning(format!("no result named {column}"))),
        Expr::Literal(value, _) => literal(value),
        // A text is compared with a number by its numeric value; it would otherwise be unknown in every row.
        Expr::Cast(Cast { expr: inner, field }) | Expr::TryCast(TryCast { expr: inner, field })
            if field.data_type().is_numeric()
                && let Expr::Literal(ScalarValue::Utf8(Some(text)), _) = &**inner =>
        {
            let help = "results are numbers: compare them with numbers, as in HAVING COUNT(*) > 30";
            let refusal = || QueryError::refused(format!("'{text}' as a number"), help).about_text(text);
            // Policies write numbers as fractions and percentages; SQL does not.
            let number = parse_rational(text).ok().filter(|_| !text.contains(['/', '%', '_']));
            number.map(Term::Number).ok_or_else(refusal)
        }
        // A released timestamp is a number of microseconds, whatever unit the planner's type has.
        Expr::Cast(Cast { expr: inner, field }) | Expr::TryCast(TryCast { expr: inner, field })
            if matches!(field.data_type(), DataType::Timestamp(..))
                && inner.get_type(results.schema).is_ok_and(|kind| matches!(kind, DataType::Timestamp(..))) =>
        {
            again(inner)
        }
        // Results are exact fractions: widening casts change nothing, and narrowing casts are rejected.
        Expr::Cast(Cast { expr: inner, field }) | Expr::TryCast(TryCast { expr: inner, field })
            if field.data_type().is_floating()
                || field.data_type().is_decimal()
                || matches!(field.data_type(), DataType::Int64 | DataType::UInt64 | DataType::Int32)
                    && is_constant(inner) =>
        {
            again(inner)
        }
        Expr::ScalarFunction(ScalarFunction { func, args }) => {
            let function = match (func.name(), args.as_slice()) {
                ("coalesce", args) => return first_known(args, results),
                ("nullif", [value, nothing]) => {
                    let value = again(value)?;
                    let is_it = Condition::Compare(Comparison::Equal, Box::new([value.clone(), again(nothing)?]));
                    return Ok(Term::Case(vec![(is_it, Term::Null)], Box::new(value)));
                }
                ("round", [_]) => Function::Round(0),
                ("round", [_, digits]) => constant_integer(digits)
                    .and_then(|digits| i8::try_from(digits).ok())
                    .filter(|digits| (-15..=15).contains(digits))
                    .map(Function::Round)
                    .ok_or_else(|| result_refusal("ROUND to this many digits", "ROUND"))?,
                ("floor", [_]) => Function::Floor,
                ("ceil", [_]) => Function::Ceil,
                ("abs", [_]) => Function::Absolute,
                ("ln", [_]) => Function::Ln,
                ("exp", [_]) => Function::Exp,
                ("sqrt", [_]) => Function::Sqrt,
                (name, _) => return Err(function_refusal(name)),
            };
            Ok(Term::Function(function, Box::new(again(&args[0])?)))
        }
        Expr::Negative(inner) => {
            Ok(Term::Arithmetic(Operator::Subtract, Box::new([Term::Number(whole(0)), again(inner)?])))
        }
        Expr::BinaryExpr(BinaryExpr { left, op, right }) => {
            let op = match op {
                PlanOperator::Plus => Operator::Add,
                PlanOperator::Minus => Operator::Subtract,
                PlanOperator::Multiply => Operator::Multiply,
                PlanOperator::Divide => Operator::Divide,
                _ => return Err(result_refusal(&format!("the operator {op}"), &op.to_string())),
            };
            Ok(Term::Arithmetic(op, Box::new([again(left)?, again(right)?])))
        }
        #[expect(deprecated, reason = "named so that the match stays exhaustive")]
        Expr::Wildcard { .. } => Err(result_refusal("*", "*")),
        // A value without a type is NULL, whatever its cast.
        Expr::Cast(Cast { expr: inner, .. }) | Expr::TryCast(TryCast { expr: inner, .. }) if matches!(&**inner, Expr::Literal(value, _) if value.is_null()) => {
            Ok(Term::Null)
        }
        Expr::Cast(Cast { field, .. }) | Expr::TryCast(TryCast { field, .. }) if field.data_type().is_string() => {
            let help =
                "a text would have no interval: put numbers in a separate column, with NULL where a text is shown";
            Err(QueryError::refused("a number as a text, or in one column with texts, on results", help).about("THEN"))
        }
        Expr::Cast(_) | Expr::TryCast(_) if instant(expr).is_some() => Err(date_refusal(expr)),
        Expr::Cast(_) | Expr::TryCast(_) => Err(result_refusal("CAST", "CAST")),
        Expr::Case(case) => chosen(case, results),
        Expr::ScalarSubquery(_) => {
            let known = results.subqueries.iter().find(|(known, _)| std::ptr::eq(*known, expr));
            known.map(|(_, term)| term.clone()).ok_or_else(|| result_refusal("a subquery here", "SELECT"))
        }
        Expr::ScalarVariable(..)
        | Expr::Like(_)
        | Expr::SimilarTo(_)
        | Expr::Not(_)
        | Expr::IsNotNull(_)
        | Expr::IsNull(_)
        | Expr::IsTrue(_)
        | Expr::IsFalse(_)
        | Expr::IsUnknown(_)
        | Expr::IsNotTrue(_)
        | Expr::IsNotFalse(_)
        | Expr::IsNotUnknown(_)
        | Expr::Between(_)
        | Expr::AggregateFunction(_)
        | Expr::WindowFunction(_)
        | Expr::InList(_)
        | Expr::Exists(_)
        | Expr::InSubquery(_)
        | Expr::SetComparison(_)
        | Expr::GroupingSet(_)
        | Expr::Placeholder(_)
        | Expr::OuterReferenceColumn(..)
        | Expr::Unnest(_)
        | Expr::HigherOrderFunction(_)
        | Expr::Lambda(_)
        | Expr::LambdaVariable(_) => Err(result_refusal("this expression", "").at(place_of([expr]))),
    }
}

/// CASE over results. Conditions are decided by released values, as in HAVING.
fn chosen(case: &Case, results: Results<'_>) -> Result<Term, QueryError> {
    let Case { expr: about, when_then_expr, else_expr } = case;
    let about = about.as_deref().map(|about| term(about, results)).transpose()?;
    let branch = |(when, then): &(Box<Expr>, Box<Expr>)| {
        let condition = match &about {
            None => condition(when, results)?,
            Some(about) => {
                Condition::Compare(Comparison::Equal, Box::new([about.clone(), beside(when, about, results)?]))
            }
        };
        Ok((condition, term(then, results)?))
    };
    let branches = when_then_expr.iter().map(branch).collect::<Result<_, QueryError>>()?;
    let otherwise = else_expr.as_deref().map_or(Ok(Term::Null), |otherwise| term(otherwise, results))?;
    Ok(Term::Case(branches, Box::new(otherwise)))
}

/// The first value that is not NULL.
fn first_known(values: &[Expr], results: Results<'_>) -> Result<Term, QueryError> {
    let mut values = values.iter().map(|value| term(value, results)).collect::<Result<Vec<Term>, _>>()?;
    let last = values.pop().unwrap_or(Term::Null);
    let is_known = |value: &Term| Condition::Not(Box::new(Condition::IsNull(value.clone())));
    let branches: Vec<_> = values.into_iter().map(|value| (is_known(&value), value)).collect();
    Ok(if branches.is_empty() { last } else { Term::Case(branches, Box::new(last)) })
}

/// The error for an unsupported operation on results, at its word in the SQL.
pub(super) fn result_refusal(construct: &str, word: &str) -> QueryError {
    let help = "results may be added, subtracted, multiplied, divided, rounded, compared, chosen by CASE and \
                read through windows; compute the rest from the published numbers";
    QueryError::refused(format!("{construct} on results"), help).about(word)
}

/// The error for a function of rows on results, with the nearest way that works.
fn function_refusal(name: &str) -> QueryError {
    let help = match name {
        "power" | "pow" => "write EXP(y * LN(x)), or x * x",
        "greatest" | "least" => "write CASE WHEN a > b THEN a ELSE b END",
        "mod" => "write x - y * FLOOR(x / y)",
        "trunc" => "write FLOOR(x), or CEIL(x) of negative numbers",
        "sign" => "write CASE WHEN x > 0 THEN 1 WHEN x < 0 THEN -1 ELSE 0 END",
        "bin" | "width_bucket" => "write FLOOR(n / 100) * 100",
        "date_trunc" | "datetrunc" | "date_part" | "date_diff" | "to_char" | "dayname" | "monthname" | "year"
        | "quarter" | "month" | "week" | "day" | "isodow" | "hour" | "minute" | "lower" | "upper" | "substr"
        | "btrim" | "trim" => "group by it below, as in GROUP BY DATE_TRUNC('month', day): keys are public",
        _ => return result_refusal(&name.to_uppercase(), name),
    };
    QueryError::refused(format!("{} on results", name.to_uppercase()), help).about(name)
}

fn literal(value: &ScalarValue) -> Result<Term, QueryError> {
    match value {
        ScalarValue::Int64(Some(number)) => Ok(Term::Number(whole(*number))),
        ScalarValue::UInt64(Some(number)) => Ok(Term::Number(whole(*number))),
        ScalarValue::Float64(Some(number)) => parse_rational(&format!("{number}"))
            .map(Term::Number)
            .map_err(|_| result_refusal("this number", &number.to_string())),
        ScalarValue::Utf8(Some(text)) => Ok(Term::Text(text.clone())),
        value if value.is_null() => Ok(Term::Null),
        _ => Err(result_refusal(&format!("the constant {value}"), &value.to_string())),
    }
}

fn is_constant(expr: &Expr) -> bool {
    matches!(expr, Expr::Literal(..))
}
