//! What may be computed from one row: total, deterministic functions of that row's values alone.
//!
//! "Total" means that no value makes them fail, overflow silently or quote what they were given: casts that do
//! not succeed give NULL, and so do division by zero and results out of range. Values have one of six types,
//! and every expression that has another is refused.

pub(crate) mod calendar;
pub(crate) mod keys;
pub(crate) mod range;
mod total;
pub(crate) mod undeclared;

pub(crate) use total::{Operation, operation_of, total};

use crate::error::QueryError;
use crate::syntax::{PARTS, UNITS};
use datafusion::arrow::datatypes::{DataType, TimeUnit};
use datafusion::common::tree_node::{TreeNode, TreeNodeRecursion};
use datafusion::common::{DFSchema, ScalarValue};
use datafusion::logical_expr::expr::{AggregateFunction, InList, Like, ScalarFunction};
use datafusion::logical_expr::{Between, BinaryExpr, Case, Cast, Expr, ExprSchemable, LogicalPlan, Operator, TryCast};
use deniable_core::exact::{Rational, parse_rational, whole};

/// Built-in functions that are total as they are, with the types they are left to.
const TOTAL_AS_THEY_ARE: [&str; 9] =
    ["btrim", "ceil", "coalesce", "floor", "greatest", "least", "lower", "nullif", "upper"];

/// The types a value of a row may have.
pub(crate) fn is_row_type(data_type: &DataType) -> bool {
    matches!(
        data_type,
        DataType::Int64
            | DataType::Float64
            | DataType::Utf8
            | DataType::Boolean
            | DataType::Date32
            | DataType::Timestamp(TimeUnit::Microsecond, None)
            | DataType::Null
    )
}

/// Rewrites an analysed expression over the table's columns into a total one, or refuses it.
///
/// The input contains columns of the table and nothing else by name; `schema` is the table's.
pub(crate) fn make_total(expr: &Expr, schema: &DFSchema) -> Result<Expr, QueryError> {
    rewritten(expr, schema).map_err(|error| error.near([expr]))
}

fn rewritten(expr: &Expr, schema: &DFSchema) -> Result<Expr, QueryError> {
    let again = |inner: &Expr| make_total(inner, schema);
    let boxed = |inner: &Expr| make_total(inner, schema).map(Box::new);
    let rewritten = match expr {
        Expr::Alias(alias) => again(&alias.expr)?,
        Expr::Column(column) => Expr::Column(column.clone()),
        Expr::Literal(value, _) => Expr::Literal(plain_literal(value)?, None),
        Expr::BinaryExpr(BinaryExpr { left, op, right }) => binary(*op, again(left)?, again(right)?, schema)?,
        Expr::Like(Like { negated, expr: inner, pattern, escape_char, case_insensitive }) => {
            let Expr::Literal(ScalarValue::Utf8(Some(_)), _) = &**pattern else {
                return Err(QueryError::refused("LIKE with a computed pattern", "write the pattern as 'text'"));
            };
            Expr::Like(Like {
                negated: *negated,
                expr: boxed(inner)?,
                pattern: pattern.clone(),
                escape_char: *escape_char,
                case_insensitive: *case_insensitive,
            })
        }
        Expr::Not(inner) => Expr::Not(boxed(inner)?),
        Expr::IsNotNull(inner) => Expr::IsNotNull(boxed(inner)?),
        Expr::IsNull(inner) => Expr::IsNull(boxed(inner)?),
        Expr::IsTrue(inner) => Expr::IsTrue(boxed(inner)?),
        Expr::IsFalse(inner) => Expr::IsFalse(boxed(inner)?),
        Expr::IsUnknown(inner) => Expr::IsUnknown(boxed(inner)?),
        Expr::IsNotTrue(inner) => Expr::IsNotTrue(boxed(inner)?),
        Expr::IsNotFalse(inner) => Expr::IsNotFalse(boxed(inner)?),
        Expr::IsNotUnknown(inner) => Expr::IsNotUnknown(boxed(inner)?),
        Expr::Negative(inner) => total(Operation::Negate, vec![again(inner)?]),
        Expr::Between(Between { expr: inner, negated, low, high }) => {
            Expr::Between(Between { expr: boxed(inner)?, negated: *negated, low: boxed(low)?, high: boxed(high)? })
        }
        Expr::Case(Case { expr: operand, when_then_expr, else_expr }) => Expr::Case(Case {
            expr: operand.as_deref().map(boxed).transpose()?,
            when_then_expr: when_then_expr
                .iter()
                .map(|(when, then)| Ok((boxed(when)?, boxed(then)?)))
                .collect::<Result<_, QueryError>>()?,
            else_expr: else_expr.as_deref().map(boxed).transpose()?,
        }),
        // Every cast becomes one that gives NULL where it cannot succeed.
        Expr::Cast(Cast { expr: inner, field }) | Expr::TryCast(TryCast { expr: inner, field }) => {
            match row_type(field.data_type()) {
                Some(target @ (DataType::Int64 | DataType::Float64 | DataType::Boolean)) => {
                    let inner = again(inner)?;
                    require_a_value(&inner, &target)?;
                    match target {
                        DataType::Float64 => as_decimal(inner),
                        target => datafusion::logical_expr::try_cast(inner, target),
                    }
                }
                Some(target @ (DataType::Date32 | DataType::Timestamp(..))) => {
                    let inner = again(inner)?;
                    require_a_time(&inner, &target)?;
                    datafusion::logical_expr::try_cast(inner, target)
                }
                Some(data_type) => datafusion::logical_expr::try_cast(again(inner)?, data_type),
                None => return Err(wrong_type(field.data_type())),
            }
        }
        Expr::ScalarFunction(ScalarFunction { func, args }) => function(func.name(), func, args, schema)?,
        Expr::InList(InList { expr: inner, list, negated }) => Expr::InList(InList {
            expr: boxed(inner)?,
            list: list.iter().map(again).collect::<Result<_, _>>()?,
            negated: *negated,
        }),
        Expr::AggregateFunction(AggregateFunction { func, .. }) => {
            let help = "aggregate once, over what each row contributes";
            return Err(QueryError::refused(format!("{} inside a row's expression", func.name().to_uppercase()), help));
        }
        Expr::WindowFunction(_) => {
            let help = "a person's value may not depend on other rows; aggregate instead";
            return Err(QueryError::refused("a window function", help));
        }
        Expr::Exists(_) | Expr::InSubquery(_) | Expr::SetComparison(_) | Expr::ScalarSubquery(_) => {
            let help = "a person's value may not depend on other rows; subqueries stand only in FROM";
            return Err(QueryError::refused("a subquery inside an expression", help));
        }
        #[expect(deprecated, reason = "named so that the match stays exhaustive")]
        Expr::Wildcard { .. } => return Err(unlisted("*")),
        Expr::SimilarTo(_) => return Err(unlisted("SIMILAR TO")),
        Expr::ScalarVariable(..) => return Err(unlisted("a variable")),
        Expr::GroupingSet(_) => return Err(unlisted("a grouping set")),
        Expr::Placeholder(_) => return Err(unlisted("a placeholder")),
        Expr::OuterReferenceColumn(..) => return Err(unlisted("a reference to an outer query")),
        Expr::Unnest(_) => return Err(unlisted("UNNEST")),
        Expr::HigherOrderFunction(_) | Expr::Lambda(_) | Expr::LambdaVariable(_) => {
            return Err(unlisted("a lambda"));
        }
    };
    require_row_type(&rewritten, schema)?;
    Ok(rewritten)
}

/// Whether no expression of a plan can fail on a value: no cast but lenient ones, no arithmetic but total one.
pub(crate) fn is_total_plan(plan: &LogicalPlan) -> bool {
    let mut total = true;
    let mut look = |expr: &Expr| {
        total &= match expr {
            Expr::Alias(_)
            | Expr::Column(_)
            | Expr::Literal(..)
            | Expr::Like(_)
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
            | Expr::Case(_)
            | Expr::TryCast(_)
            | Expr::InList(_) => true,
            Expr::BinaryExpr(BinaryExpr { op, .. }) => is_total_operator(*op),
            Expr::ScalarFunction(ScalarFunction { func, .. }) => {
                total::operation_of(func).is_some()
                    || calendar::operation_of(func).is_some()
                    || crate::source::reading::is_reading(func)
                    || TOTAL_AS_THEY_ARE.contains(&func.name())
            }
            #[expect(deprecated, reason = "named so that the match stays exhaustive")]
            Expr::Wildcard { .. } => false,
            Expr::Cast(_)
            | Expr::Negative(_)
            | Expr::SimilarTo(_)
            | Expr::ScalarVariable(..)
            | Expr::AggregateFunction(_)
            | Expr::WindowFunction(_)
            | Expr::Exists(_)
            | Expr::InSubquery(_)
            | Expr::SetComparison(_)
            | Expr::ScalarSubquery(_)
            | Expr::GroupingSet(_)
            | Expr::Placeholder(_)
            | Expr::OuterReferenceColumn(..)
            | Expr::Unnest(_)
            | Expr::HigherOrderFunction(_)
            | Expr::Lambda(_)
            | Expr::LambdaVariable(_) => false,
        };
        Ok(TreeNodeRecursion::Continue)
    };
    let walked = plan.apply(|node| node.apply_expressions(|expr| expr.apply(&mut look)));
    walked.is_ok() && total
}

fn unlisted(construct: &str) -> QueryError {
    QueryError::refused(construct, "use columns, constants, arithmetic, comparisons, CASE and the listed functions")
}

fn type_of(expr: &Expr, schema: &DFSchema) -> Result<DataType, QueryError> {
    expr.get_type(schema).map_err(|error| QueryError::meaning(error.strip_backtrace()))
}

fn require_row_type(expr: &Expr, schema: &DFSchema) -> Result<(), QueryError> {
    let found = type_of(expr, schema)?;
    if is_row_type(&found) {
        return Ok(());
    }
    Err(wrong_type(&found))
}

/// The row type that stands for a type of SQL: INTEGER has 64 bits here, and REAL is a DOUBLE.
fn row_type(data_type: &DataType) -> Option<DataType> {
    match data_type {
        row if is_row_type(row) => Some(row.clone()),
        DataType::Int8 | DataType::Int16 | DataType::Int32 | DataType::UInt8 | DataType::UInt16 | DataType::UInt32 => {
            Some(DataType::Int64)
        }
        DataType::Float32 => Some(DataType::Float64),
        DataType::Date64 => Some(DataType::Date32),
        DataType::Timestamp(_, None) => Some(calendar::TIMESTAMP),
        DataType::Utf8View | DataType::LargeUtf8 => Some(DataType::Utf8),
        _ => None,
    }
}

/// Constants in the four types; a literal that the planner made in another is brought into one of them.
fn plain_literal(value: &ScalarValue) -> Result<ScalarValue, QueryError> {
    let target = row_type(&value.data_type()).ok_or_else(|| wrong_type(&value.data_type()))?;
    value.cast_to(&target).map_err(|_| unlisted("this constant"))
}

/// A constant that is meant as a date must be one; a column's values that are none become NULL.
fn require_a_time(value: &Expr, target: &DataType) -> Result<(), QueryError> {
    match value {
        Expr::Literal(ScalarValue::Utf8(Some(text)), _) => {
            let read = ScalarValue::Utf8(Some(text.clone())).cast_to(target);
            if read.is_ok_and(|read| !read.is_null()) {
                return Ok(());
            }
            let help = "write DATE '2024-01-31' or TIMESTAMP '2024-01-31 12:00:00'";
            Err(QueryError::refused(format!("'{text}' as a date"), help).about_text(text))
        }
        _ => Ok(()),
    }
}

/// A constant text that stands where a number or a truth is needed must be one. It would be NULL in every row, and what
/// is compared with it unknown: an answer that is paid for and about nothing.
fn require_a_value(value: &Expr, target: &DataType) -> Result<(), QueryError> {
    let Expr::Literal(ScalarValue::Utf8(Some(text)), _) = value else { return Ok(()) };
    let is_value = |read: ScalarValue| match read {
        ScalarValue::Float64(number) => number.is_some_and(f64::is_finite),
        other => !other.is_null(),
    };
    if ScalarValue::Utf8(Some(text.clone())).cast_to(target).is_ok_and(is_value) {
        return Ok(());
    }
    let (what, help) = match target {
        DataType::Int64 => ("a whole number", "numbers are compared with numbers, as in age > 30"),
        DataType::Float64 => ("a number", "numbers are compared with numbers, as in cost > 9.5"),
        _ => ("true or false", "write TRUE or FALSE, or the column alone"),
    };
    let help = format!("{help}; what is compared with texts must be declared as text");
    Err(QueryError::refused(format!("'{text}' as {what}"), help).about_text(text))
}

/// A value read as a decimal. Infinities and "not a number" are no values: they are NULL everywhere.
pub(crate) fn as_decimal(value: Expr) -> Expr {
    total(Operation::Finite, vec![datafusion::logical_expr::try_cast(value, DataType::Float64)])
}

fn wrong_type(found: &DataType) -> QueryError {
    let help = "values are whole numbers, decimals, texts, true/false, dates and timestamps; CAST brings them into one";
    QueryError::refused(format!("a value of type {found}"), help)
}

fn binary(op: Operator, left: Expr, right: Expr, schema: &DFSchema) -> Result<Expr, QueryError> {
    let arithmetic = |operation, left, right| {
        // The analyser has made both sides alike; numbers are all that may be left.
        for side in [&left, &right] {
            let found = type_of(side, schema)?;
            if !matches!(found, DataType::Int64 | DataType::Float64 | DataType::Null) {
                let help = "arithmetic is for numbers; cast with CAST(x AS DOUBLE)";
                return Err(QueryError::refused(format!("arithmetic on a value of type {found}"), help));
            }
        }
        Ok(total(operation, vec![left, right]))
    };
    match op {
        Operator::Plus => arithmetic(Operation::Add, left, right),
        Operator::Minus => arithmetic(Operation::Subtract, left, right),
        Operator::Multiply => arithmetic(Operation::Multiply, left, right),
        Operator::Divide => arithmetic(Operation::Divide, left, right),
        Operator::Modulo => arithmetic(Operation::Remainder, left, right),
        op if is_total_operator(op) => {
            Ok(Expr::BinaryExpr(BinaryExpr { left: Box::new(left), op, right: Box::new(right) }))
        }
        op => Err(unlisted(&format!("the operator {op}"))),
    }
}

/// Whether a binary operator fails on no values of the types it was analysed for.
fn is_total_operator(op: Operator) -> bool {
    match op {
        Operator::Eq
        | Operator::NotEq
        | Operator::Lt
        | Operator::LtEq
        | Operator::Gt
        | Operator::GtEq
        | Operator::And
        | Operator::Or
        | Operator::IsDistinctFrom
        | Operator::IsNotDistinctFrom => true,
        Operator::Plus
        | Operator::Minus
        | Operator::Multiply
        | Operator::Divide
        | Operator::Modulo
        | Operator::RegexMatch
        | Operator::RegexIMatch
        | Operator::RegexNotMatch
        | Operator::RegexNotIMatch
        | Operator::LikeMatch
        | Operator::ILikeMatch
        | Operator::NotLikeMatch
        | Operator::NotILikeMatch
        | Operator::BitwiseAnd
        | Operator::BitwiseOr
        | Operator::BitwiseXor
        | Operator::BitwiseShiftRight
        | Operator::BitwiseShiftLeft
        | Operator::StringConcat
        | Operator::AtArrow
        | Operator::ArrowAt
        | Operator::Arrow
        | Operator::LongArrow
        | Operator::HashArrow
        | Operator::HashLongArrow
        | Operator::AtAt
        | Operator::IntegerDivide
        | Operator::HashMinus
        | Operator::AtQuestion
        | Operator::Question
        | Operator::QuestionAnd
        | Operator::QuestionPipe
        | Operator::Colon => false,
    }
}

fn function(
    name: &str,
    func: &std::sync::Arc<datafusion::logical_expr::ScalarUDF>,
    args: &[Expr],
    schema: &DFSchema,
) -> Result<Expr, QueryError> {
    let total_args = || args.iter().map(|arg| make_total(arg, schema)).collect::<Result<Vec<_>, _>>();
    match (name, args) {
        ("abs", [_]) => Ok(total(Operation::Absolute, total_args()?)),
        ("round", [value]) => Ok(total(Operation::Round(0), vec![make_total(value, schema)?])),
        ("round", [value, digits]) => {
            let digits = constant_integer(digits).filter(|digits| (-15..=15).contains(digits)).ok_or_else(|| {
                QueryError::refused(
                    "ROUND to a computed number of digits",
                    "write the digits as a number from -15 to 15",
                )
                .near([digits])
                .about("ROUND")
            })?;
            Ok(total(Operation::Round(i8::try_from(digits).unwrap_or(0)), vec![make_total(value, schema)?]))
        }
        ("date_trunc", [unit, time]) => {
            let known = constant_text(unit).and_then(|unit| calendar::Unit::named(&unit)).ok_or_else(|| {
                let help = format!("write one of '{}'", UNITS.join("', '"));
                of_word(QueryError::refused("DATE_TRUNC to this unit", help), unit)
            })?;
            Ok(calendar::call(calendar::Operation::Truncate(known), vec![time_of(time, schema)?]))
        }
        ("date_part", [part, time]) => {
            let known = constant_text(part).and_then(|part| calendar::Part::named(&part)).ok_or_else(|| {
                let help = format!("write one of '{}'", PARTS.join("', '"));
                of_word(QueryError::refused("DATE_PART of this part", help), part)
            })?;
            Ok(calendar::call(calendar::Operation::Part(known), vec![time_of(time, schema)?]))
        }
        ("date_diff", [unit, from, to]) => {
            if constant_text(unit).is_none_or(|unit| !unit.eq_ignore_ascii_case("day")) {
                let error = QueryError::refused("DATE_DIFF in this unit", "write DATE_DIFF('day', from, to)");
                return Err(of_word(error, unit));
            }
            let ends = vec![time_of(from, schema)?, time_of(to, schema)?];
            Ok(calendar::call(calendar::Operation::DaysBetween, ends))
        }
        (name, _) if TOTAL_AS_THEY_ARE.contains(&name) => {
            Ok(Expr::ScalarFunction(ScalarFunction { func: func.clone(), args: total_args()? }))
        }
        (name, _) => Err(unlisted(&format!("the function {name}"))),
    }
}

/// A complaint about a word between quotes, or about what stands there instead.
fn of_word(error: QueryError, word: &Expr) -> QueryError {
    let error = error.near([word]);
    match constant_text(word) {
        Some(text) => error.about_text(text),
        None => error,
    }
}

/// The argument of a calendar function: a date or a timestamp.
fn time_of(expr: &Expr, schema: &DFSchema) -> Result<Expr, QueryError> {
    let total = make_total(expr, schema)?;
    match type_of(&total, schema)? {
        DataType::Date32 | DataType::Timestamp(..) => Ok(total),
        found => {
            let help = "calendar functions need a date: declare the column as one, or CAST(x AS DATE)";
            Err(QueryError::refused(format!("a calendar function of a value of type {found}"), help))
        }
    }
}

/// The value of a text literal under any casts that the analyser put around it.
fn constant_text(expr: &Expr) -> Option<String> {
    match expr {
        Expr::Literal(value, _) => match value.cast_to(&DataType::Utf8) {
            Ok(ScalarValue::Utf8(text)) => text,
            _ => None,
        },
        Expr::Cast(Cast { expr, .. }) | Expr::TryCast(TryCast { expr, .. }) => constant_text(expr),
        Expr::Alias(alias) => constant_text(&alias.expr),
        _ => None,
    }
}

/// The value of an integer literal under any casts that the analyser put around it.
pub(crate) fn constant_integer(expr: &Expr) -> Option<i64> {
    match expr {
        Expr::Literal(value, _) => match value.cast_to(&DataType::Int64) {
            Ok(ScalarValue::Int64(number)) => number,
            _ => None,
        },
        Expr::Cast(Cast { expr, .. }) | Expr::TryCast(TryCast { expr, .. }) => constant_integer(expr),
        Expr::Alias(alias) => constant_integer(&alias.expr),
        Expr::Negative(inner) => constant_integer(inner)?.checked_neg(),
        _ => None,
    }
}

/// The exact value of a decimal literal under any casts that the analyser put around it.
pub(crate) fn constant_decimal(expr: &Expr) -> Option<Rational> {
    match expr {
        Expr::Literal(ScalarValue::Float64(Some(number)), _) => parse_rational(&format!("{number}")).ok(),
        Expr::Literal(ScalarValue::Int64(Some(number)), _) => Some(whole(*number)),
        Expr::Cast(Cast { expr, .. }) | Expr::TryCast(TryCast { expr, .. }) => constant_decimal(expr),
        Expr::Alias(alias) => constant_decimal(&alias.expr),
        _ => None,
    }
}

/// An expression as a person would write it, without the total functions' names.
pub(crate) fn in_words(expr: &Expr) -> String {
    match expr {
        Expr::Column(column) => column.name.clone(),
        Expr::Literal(ScalarValue::Utf8(Some(text)), _) => format!("'{text}'"),
        Expr::Literal(value, _) => value.to_string(),
        Expr::TryCast(TryCast { expr, field }) if field.data_type().is_numeric() || field.data_type().is_temporal() => {
            in_words(expr)
        }
        Expr::ScalarFunction(ScalarFunction { func, args }) => {
            let args: Vec<String> = args.iter().map(in_words).collect();
            if let Some(operation) = calendar::operation_of(func) {
                return match operation {
                    calendar::Operation::Truncate(unit) => {
                        format!("date_trunc('{}', {})", format!("{unit:?}").to_lowercase(), args.join(", "))
                    }
                    calendar::Operation::Part(part) => {
                        format!("extract({} from {})", format!("{part:?}").to_lowercase(), args.join(", "))
                    }
                    calendar::Operation::DaysBetween => format!("date_diff('day', {})", args.join(", ")),
                };
            }
            match (total::operation_of(func), args.as_slice()) {
                (Some(Operation::Add), [left, right]) => format!("({left} + {right})"),
                (Some(Operation::Subtract), [left, right]) => format!("({left} - {right})"),
                (Some(Operation::Multiply), [left, right]) => format!("({left} * {right})"),
                (Some(Operation::Divide), [left, right]) => format!("({left} / {right})"),
                (Some(Operation::Remainder), [left, right]) => format!("({left} % {right})"),
                (Some(Operation::Negate), [value]) => format!("-{value}"),
                (Some(Operation::Absolute), [value]) => format!("abs({value})"),
                (Some(Operation::Finite), [value]) => value.clone(),
                (Some(Operation::Round(digits)), [value]) => format!("round({value}, {digits})"),
                (_, args) => format!("{}({})", func.name(), args.join(", ")),
            }
        }
        Expr::BinaryExpr(BinaryExpr { left, op, right }) => format!("{} {op} {}", in_words(left), in_words(right)),
        Expr::Case(Case { expr, when_then_expr, else_expr }) => {
            let mut text = "CASE".to_owned();
            if let Some(operand) = expr {
                text.push_str(&format!(" {}", in_words(operand)));
            }
            for (when, then) in when_then_expr {
                text.push_str(&format!(" WHEN {} THEN {}", in_words(when), in_words(then)));
            }
            if let Some(otherwise) = else_expr {
                text.push_str(&format!(" ELSE {}", in_words(otherwise)));
            }
            text + " END"
        }
        Expr::Between(Between { expr, negated, low, high }) => {
            let not = if *negated { "NOT " } else { "" };
            format!("{} {not}BETWEEN {} AND {}", in_words(expr), in_words(low), in_words(high))
        }
        Expr::InList(InList { expr, list, negated }) => {
            let not = if *negated { "NOT " } else { "" };
            let list: Vec<String> = list.iter().map(in_words).collect();
            format!("{} {not}IN ({})", in_words(expr), list.join(", "))
        }
        Expr::Not(inner) => format!("NOT {}", in_words(inner)),
        Expr::IsNull(inner) => format!("{} IS NULL", in_words(inner)),
        Expr::IsNotNull(inner) => format!("{} IS NOT NULL", in_words(inner)),
        Expr::IsTrue(inner) => format!("{} IS TRUE", in_words(inner)),
        Expr::IsFalse(inner) => format!("{} IS FALSE", in_words(inner)),
        Expr::IsUnknown(inner) => format!("{} IS UNKNOWN", in_words(inner)),
        Expr::IsNotTrue(inner) => format!("{} IS NOT TRUE", in_words(inner)),
        Expr::IsNotFalse(inner) => format!("{} IS NOT FALSE", in_words(inner)),
        Expr::IsNotUnknown(inner) => format!("{} IS NOT UNKNOWN", in_words(inner)),
        Expr::Like(Like { negated, expr, pattern, case_insensitive, .. }) => {
            let not = if *negated { "NOT " } else { "" };
            let like = if *case_insensitive { "ILIKE" } else { "LIKE" };
            format!("{} {not}{like} {}", in_words(expr), in_words(pattern))
        }
        other => other.to_string(),
    }
}
