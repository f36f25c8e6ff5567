//! Expressions and functions.

use super::synonyms::{is_never_equal, period};
use super::{absent, refuse, suggestion};
use crate::plan::{WINDOWS, row_functions};
use datafusion_sql::sqlparser::ast::{
    BinaryOperator, CaseWhen, CastKind, CeilFloorKind, DataType, DateTimeField, DuplicateTreatment, Expr, Function,
    FunctionArg, FunctionArgExpr, FunctionArgumentList, FunctionArguments, OrderByExpr, OrderByOptions, TimezoneInfo,
    TypedString, UnaryOperator, Value, ValueWithSpan, WindowSpec, WindowType,
};
use deniable_query::QueryError;

/// Supported aggregates, by every common name.
pub(crate) const AGGREGATES: [&str; 38] = [
    "count",
    "sum",
    "avg",
    "mean",
    "avg_weighted",
    "min",
    "max",
    "min_by",
    "max_by",
    "arg_min",
    "arg_max",
    "median",
    "approx_median",
    "percentile_cont",
    "approx_percentile_cont",
    "quantile_cont",
    "var",
    "var_pop",
    "var_samp",
    "var_sample",
    "variance",
    "stddev",
    "stddev_pop",
    "stddev_samp",
    "corr",
    "covar",
    "covar_pop",
    "covar_samp",
    "regr_slope",
    "regr_intercept",
    "regr_r2",
    "regr_count",
    "regr_avgx",
    "regr_avgy",
    "regr_sxx",
    "regr_syy",
    "regr_sxy",
    "grouping",
];
/// Units to which timestamps may be truncated.
pub(crate) const UNITS: [&str; 8] = ["year", "quarter", "month", "week", "day", "hour", "minute", "second"];
/// Parts that may be extracted from dates and timestamps.
pub(crate) const PARTS: [&str; 12] =
    ["year", "isoyear", "quarter", "month", "week", "day", "doy", "dow", "isodow", "hour", "minute", "second"];

pub(crate) const SUBSTRING_HELP: &str = "write the position of the first character, 1 or more, and the length as \
                                         numbers, as in SUBSTRING(code FROM 1 FOR 3)";
const SUBQUERY_HELP: &str =
    "write a subquery in FROM, or as one number beside results, as in COUNT(*) / (SELECT COUNT(*) FROM ...)";

/// Rejects a comparison of a part of a text with a longer text, which is never true.
fn check_lengths(expr: &Expr, one: &Expr, other: &Expr) -> Result<(), QueryError> {
    absent(
        is_never_equal(one, other),
        expr,
        "a comparison of a part of a text with a longer text",
        "write a text of the same length, as in SUBSTRING(code FROM 1 FOR 3) = 'A01'",
    )
}

pub(super) fn check(expr: &Expr) -> Result<(), QueryError> {
    match expr {
        Expr::Identifier(name) => absent(
            name.quote_style.is_none() && name.value.starts_with('@'),
            expr,
            "a variable",
            "write the value itself",
        ),
        Expr::CompoundIdentifier(_) => Ok(()),
        Expr::IsFalse(inner)
        | Expr::IsNotFalse(inner)
        | Expr::IsTrue(inner)
        | Expr::IsNotTrue(inner)
        | Expr::IsNull(inner)
        | Expr::IsNotNull(inner)
        | Expr::IsUnknown(inner)
        | Expr::IsNotUnknown(inner)
        | Expr::Nested(inner) => check(inner),
        Expr::IsDistinctFrom(left, right) | Expr::IsNotDistinctFrom(left, right) => {
            // The parser reads everything that follows as the other operand, whereas SQL ends the operand before AND
            // and OR.
            let follows = |op: &BinaryOperator| matches!(op, BinaryOperator::And | BinaryOperator::Or);
            absent(
                matches!(&**right, Expr::BinaryOp { op, .. } if follows(op)),
                expr,
                "IS DISTINCT FROM before AND or OR",
                "write it between parentheses, as in (a IS DISTINCT FROM b) AND c",
            )?;
            check(left)?;
            check(right)
        }
        Expr::InList { expr: inner, list, negated: _ } => {
            check(inner)?;
            list.iter().try_for_each(|entry| {
                check_lengths(expr, inner, entry)?;
                check(entry)
            })
        }
        Expr::Between { expr, negated: _, low, high } => [expr, low, high].into_iter().try_for_each(|part| check(part)),
        Expr::BinaryOp { left, op, right } => {
            check_operator(expr, op)?;
            if matches!(op, BinaryOperator::Eq | BinaryOperator::NotEq) {
                check_lengths(expr, left, right)?;
            }
            check(left)?;
            check(right)
        }
        Expr::UnaryOp { op, expr: inner } => {
            check_unary(expr, *op)?;
            check(inner)
        }
        Expr::Like { negated: _, any, expr: inner, pattern, escape_char }
        | Expr::ILike { negated: _, any, expr: inner, pattern, escape_char } => {
            absent(*any, expr, "LIKE ANY", "write several LIKEs with OR")?;
            if let Some(escape) = escape_char {
                check_escape(escape)?;
            }
            if !matches!(&**pattern, Expr::Value(ValueWithSpan { value: Value::SingleQuotedString(_), .. })) {
                return Err(refuse(&**pattern, "LIKE with a computed pattern", "write the pattern as 'text'"));
            }
            check(inner)
        }
        Expr::Cast { kind, expr: inner, data_type, array, format } => {
            match kind {
                CastKind::Cast | CastKind::TryCast | CastKind::SafeCast | CastKind::DoubleColon => {}
            }
            absent(*array, expr, "CAST to an array", "cast to BIGINT, DOUBLE, VARCHAR, BOOLEAN, DATE or TIMESTAMP")?;
            absent(format.is_some(), expr, "CAST with FORMAT", "leave the format out")?;
            check_cast_type(expr, data_type)?;
            check(inner)
        }
        Expr::Case { case_token: _, end_token: _, operand, conditions, else_result } => {
            for part in operand.iter().chain(else_result) {
                check(part)?;
            }
            conditions.iter().try_for_each(|CaseWhen { condition, result }| {
                check(condition)?;
                check(result)
            })
        }
        Expr::Ceil { expr: inner, field } | Expr::Floor { expr: inner, field } => match field {
            CeilFloorKind::DateTimeField(DateTimeField::NoDateTime) => check(inner),
            CeilFloorKind::DateTimeField(_) | CeilFloorKind::Scale(_) => {
                Err(refuse(expr, "CEIL or FLOOR to a unit", "divide, round, and multiply back"))
            }
        },
        Expr::Trim { expr: inner, trim_where, trim_what, trim_characters } => {
            let plain = trim_where.is_none() && trim_what.is_none() && trim_characters.is_none();
            absent(!plain, expr, "TRIM with options", "write TRIM(text)")?;
            check(inner)
        }
        Expr::Value(value) => check_value(value),
        Expr::TypedString(TypedString { data_type, value, uses_odbc_syntax }) => {
            absent(*uses_odbc_syntax, expr, "{d ...}", "write DATE '2024-01-31'")?;
            if !matches!(data_type, DataType::Date | DataType::Timestamp(None, TimezoneInfo::None)) {
                let help = "write DATE '2024-01-31' or TIMESTAMP '2024-01-31 12:00:00'";
                return Err(refuse(expr, format!("a constant of type {data_type}"), help));
            }
            check_value(value)
        }
        Expr::Extract { field, syntax: _, expr: inner } => {
            let part = field.to_string().to_lowercase();
            if !PARTS.contains(&part.as_str()) {
                let help = format!("take one of {}", PARTS.join(", "));
                return Err(refuse(expr, format!("EXTRACT({field} ...)"), help).narrowed_to(part));
            }
            check(inner)
        }
        Expr::Function(function) => check_function(function),
        // Allowed over results, where it is a number; the second gate rejects it in a row's expression.
        Expr::Subquery(inner) => super::query::check(inner),
        Expr::AnyOp { right, .. } | Expr::AllOp { right, .. } if !matches!(&**right, Expr::Subquery(_)) => {
            Err(refuse(expr, "ANY or ALL of an array", "write IN ('a', 'b'), or comparisons with AND and OR"))
        }
        // Allowed in WHERE about a public table, which the second gate checks.
        Expr::InSubquery { expr: inner, subquery, negated: _ } => {
            check(inner)?;
            super::query::check(subquery)
        }
        Expr::Exists { subquery, negated: _ } => super::query::check(subquery),
        Expr::AnyOp { .. } | Expr::AllOp { .. } => Err(refuse(expr, "a subquery inside an expression", SUBQUERY_HELP)),
        Expr::GroupingSets(sets) | Expr::Cube(sets) | Expr::Rollup(sets) => sets.iter().flatten().try_for_each(check),
        Expr::SimilarTo { .. } | Expr::RLike { .. } => {
            Err(refuse(expr, "a regular expression", "use LIKE 'pattern', IN (...) or comparisons"))
        }
        Expr::AtTimeZone { .. } => {
            Err(refuse(expr, "a time zone", "times have no zone here; store all of them in one zone"))
        }
        Expr::Interval(interval) if period(interval).is_some() => Ok(()),
        Expr::Interval(_) => {
            let help = "write whole numbers of years, quarters, months, weeks, days, hours, minutes or seconds, as in \
                        INTERVAL '1 month 2 days'";
            Err(refuse(expr, "this INTERVAL", help))
        }
        Expr::Substring { shorthand, .. } => {
            let name = if *shorthand { "SUBSTR" } else { "SUBSTRING" };
            Err(refuse(expr, format!("this use of {name}"), SUBSTRING_HELP).narrowed_to(name))
        }
        Expr::Position { .. } | Expr::Overlay { .. } | Expr::Collate { .. } => {
            Err(refuse(expr, "this text function", "use LIKE, LOWER, UPPER or TRIM"))
        }
        Expr::Convert { .. } => Err(refuse(expr, "CONVERT", "write CAST(value AS type)")),
        Expr::CompoundFieldAccess { .. }
        | Expr::JsonAccess { .. }
        | Expr::IsNormalized { .. }
        | Expr::InUnnest { .. }
        | Expr::Prefixed { .. }
        | Expr::Tuple(_)
        | Expr::Struct { .. }
        | Expr::Named { .. }
        | Expr::Dictionary(_)
        | Expr::Map(_)
        | Expr::Array(_)
        | Expr::MatchAgainst { .. }
        | Expr::Wildcard(_)
        | Expr::QualifiedWildcard(..)
        | Expr::OuterJoin(_)
        | Expr::Prior(_)
        | Expr::Lambda(_)
        | Expr::MemberOf(_) => Err(refuse(
            expr,
            format!("`{}`", shortened(&expr.to_string())),
            "use columns, numbers, texts, arithmetic, comparisons, CASE and the listed functions",
        )),
    }
}

fn check_escape(escape: &ValueWithSpan) -> Result<(), QueryError> {
    match &escape.value {
        Value::SingleQuotedString(text) if text.chars().count() == 1 && text.is_ascii() => Ok(()),
        _ => Err(refuse(escape, "this ESCAPE", "name one ASCII character, as in LIKE '10!%' ESCAPE '!'")),
    }
}

pub(super) fn shortened(text: &str) -> String {
    let mut short: String = text.chars().take(40).collect();
    if short.len() < text.len() {
        short.push_str("...");
    }
    short
}

fn check_operator(expr: &Expr, op: &BinaryOperator) -> Result<(), QueryError> {
    match op {
        BinaryOperator::Plus
        | BinaryOperator::Minus
        | BinaryOperator::Multiply
        | BinaryOperator::Divide
        | BinaryOperator::Modulo
        | BinaryOperator::Gt
        | BinaryOperator::Lt
        | BinaryOperator::GtEq
        | BinaryOperator::LtEq
        | BinaryOperator::Eq
        | BinaryOperator::NotEq
        | BinaryOperator::And
        | BinaryOperator::Or => Ok(()),
        BinaryOperator::StringConcat => {
            let help =
                "group by both columns, as in GROUP BY a, b, and compare each by itself, as in a = 'x' AND b = 'y'";
            Err(refuse(expr, "the operator ||", help))
        }
        BinaryOperator::Spaceship
        | BinaryOperator::Xor
        | BinaryOperator::BitwiseOr
        | BinaryOperator::BitwiseAnd
        | BinaryOperator::BitwiseXor
        | BinaryOperator::DuckIntegerDivide
        | BinaryOperator::MyIntegerDivide
        | BinaryOperator::Match
        | BinaryOperator::Regexp
        | BinaryOperator::Custom(_)
        | BinaryOperator::PGBitwiseXor
        | BinaryOperator::PGBitwiseShiftLeft
        | BinaryOperator::PGBitwiseShiftRight
        | BinaryOperator::PGExp
        | BinaryOperator::PGOverlap
        | BinaryOperator::PGRegexMatch
        | BinaryOperator::PGRegexIMatch
        | BinaryOperator::PGRegexNotMatch
        | BinaryOperator::PGRegexNotIMatch
        | BinaryOperator::PGLikeMatch
        | BinaryOperator::PGILikeMatch
        | BinaryOperator::PGNotLikeMatch
        | BinaryOperator::PGNotILikeMatch
        | BinaryOperator::PGStartsWith
        | BinaryOperator::Arrow
        | BinaryOperator::LongArrow
        | BinaryOperator::HashArrow
        | BinaryOperator::HashLongArrow
        | BinaryOperator::AtAt
        | BinaryOperator::AtArrow
        | BinaryOperator::ArrowAt
        | BinaryOperator::HashMinus
        | BinaryOperator::AtQuestion
        | BinaryOperator::Question
        | BinaryOperator::QuestionAnd
        | BinaryOperator::QuestionPipe
        | BinaryOperator::PGCustomBinaryOperator(_)
        | BinaryOperator::Overlaps
        | BinaryOperator::DoubleHash
        | BinaryOperator::LtDashGt
        | BinaryOperator::AndLt
        | BinaryOperator::AndGt
        | BinaryOperator::LtLtPipe
        | BinaryOperator::PipeGtGt
        | BinaryOperator::AndLtPipe
        | BinaryOperator::PipeAndGt
        | BinaryOperator::LtCaret
        | BinaryOperator::GtCaret
        | BinaryOperator::QuestionHash
        | BinaryOperator::QuestionDash
        | BinaryOperator::QuestionDashPipe
        | BinaryOperator::QuestionDoublePipe
        | BinaryOperator::At
        | BinaryOperator::TildeEq
        | BinaryOperator::Assignment => {
            Err(refuse(expr, format!("the operator {op}"), "use + - * / %, comparisons, AND, OR and NOT"))
        }
    }
}

fn check_unary(expr: &Expr, op: UnaryOperator) -> Result<(), QueryError> {
    match op {
        UnaryOperator::Plus | UnaryOperator::Minus | UnaryOperator::Not => Ok(()),
        UnaryOperator::AtDashAt
        | UnaryOperator::BangNot
        | UnaryOperator::BitwiseNot
        | UnaryOperator::DoubleAt
        | UnaryOperator::Hash
        | UnaryOperator::PGAbs
        | UnaryOperator::PGCubeRoot
        | UnaryOperator::PGPostfixFactorial
        | UnaryOperator::PGPrefixFactorial
        | UnaryOperator::PGSquareRoot
        | UnaryOperator::QuestionDash
        | UnaryOperator::QuestionPipe => Err(refuse(expr, format!("the operator {op}"), "use -, NOT or ABS()")),
    }
}

/// Types to which a value may be cast; the second gate allows expressions of the same types.
fn check_cast_type(expr: &Expr, data_type: &DataType) -> Result<(), QueryError> {
    if matches!(
        data_type,
        DataType::BigInt(None)
            | DataType::Int(None)
            | DataType::Integer(None)
            | DataType::SmallInt(None)
            | DataType::Int64
            | DataType::Double(_)
            | DataType::DoublePrecision
            | DataType::Float(_)
            | DataType::Real
            | DataType::Float64
            | DataType::Varchar(None)
            | DataType::Text
            | DataType::String(None)
            | DataType::Boolean
            | DataType::Bool
            | DataType::Date
            | DataType::Timestamp(None, TimezoneInfo::None | TimezoneInfo::WithoutTimeZone)
    ) {
        return Ok(());
    }
    Err(refuse(
        expr,
        format!("CAST to {data_type}"),
        "cast to BIGINT, DOUBLE, VARCHAR, BOOLEAN, DATE or TIMESTAMP; values that cannot be cast become NULL",
    ))
}

fn check_value(value: &ValueWithSpan) -> Result<(), QueryError> {
    match &value.value {
        Value::Number(..) | Value::SingleQuotedString(_) | Value::Boolean(_) | Value::Null => Ok(()),
        Value::DollarQuotedString(_)
        | Value::TripleSingleQuotedString(_)
        | Value::TripleDoubleQuotedString(_)
        | Value::EscapedStringLiteral(_)
        | Value::UnicodeStringLiteral(_)
        | Value::SingleQuotedByteStringLiteral(_)
        | Value::DoubleQuotedByteStringLiteral(_)
        | Value::TripleSingleQuotedByteStringLiteral(_)
        | Value::TripleDoubleQuotedByteStringLiteral(_)
        | Value::SingleQuotedRawStringLiteral(_)
        | Value::DoubleQuotedRawStringLiteral(_)
        | Value::TripleSingleQuotedRawStringLiteral(_)
        | Value::TripleDoubleQuotedRawStringLiteral(_)
        | Value::NationalStringLiteral(_)
        | Value::QuoteDelimitedStringLiteral(_)
        | Value::NationalQuoteDelimitedStringLiteral(_)
        | Value::HexStringLiteral(_)
        | Value::DoubleQuotedString(_) => Err(refuse(value, "this kind of text", "write text as 'text'")),
        Value::Placeholder(_) => Err(refuse(value, "a placeholder", "write the value itself")),
    }
}

/// Checks a window. The planner decides whether it is over results.
fn check_window(function: &Function, over: &WindowType) -> Result<(), QueryError> {
    match over {
        WindowType::NamedWindow(_) => Err(refuse(function, "a named window", "write it after OVER")),
        WindowType::WindowSpec(WindowSpec { window_name, partition_by, order_by, window_frame: _ }) => {
            absent(window_name.is_some(), function, "a named window", "write it after OVER")?;
            partition_by.iter().try_for_each(check)?;
            order_by.iter().try_for_each(|by| check(&by.expr))
        }
    }
}

fn check_function(function: &Function) -> Result<(), QueryError> {
    let Function { name, uses_odbc_syntax, parameters, args, within_group, filter, null_treatment, over } = function;
    let lower = name.to_string().to_lowercase();
    if let Some(over) = over {
        check_window(function, over)?;
    }
    let is_known = |names: &[&str]| names.contains(&lower.as_str());
    let is_window = over.is_some() && is_known(&WINDOWS);
    if !is_window && !is_known(&AGGREGATES) && !is_known(&row_functions()) {
        let construct = match lower.as_str() {
            name if is_known(&WINDOWS) => format!("{} without OVER", name.to_uppercase()),
            // The parser reads these as groupings in GROUP BY, and as functions elsewhere.
            "rollup" | "cube" => format!("{name} in this place"),
            _ => format!("the function {name}"),
        };
        return Err(refuse(function, construct, suggestion::instead_of(&lower)));
    }
    absent(*uses_odbc_syntax, function, "{fn ...}", "call the function directly")?;
    absent(!matches!(parameters, FunctionArguments::None), function, "function parameters", "leave them out")?;
    check_within_group(function, &lower, within_group)?;
    if let Some(condition) = filter {
        if is_known(&row_functions()) {
            return Err(refuse(
                function,
                "FILTER on a function of one row",
                "use FILTER with an aggregate such as COUNT or SUM",
            ));
        }
        check(condition)?;
    }
    absent(null_treatment.is_some(), function, "IGNORE or RESPECT NULLS", "leave it out")?;
    let FunctionArguments::List(FunctionArgumentList { duplicate_treatment, args, clauses }) = args else {
        return Err(refuse(function, "a function without arguments", "write its arguments in parentheses"));
    };
    absent(!clauses.is_empty(), function, "a clause inside a function's arguments", "leave it out")?;
    match duplicate_treatment {
        None | Some(DuplicateTreatment::All) => {}
        Some(DuplicateTreatment::Distinct) if lower == "count" => {}
        Some(DuplicateTreatment::Distinct) => {
            return Err(refuse(
                function,
                format!("{name}(DISTINCT ...)"),
                "DISTINCT is answered for COUNT(DISTINCT <entity key>)",
            ));
        }
    }
    for arg in args {
        match arg {
            FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) => check(expr)?,
            FunctionArg::Unnamed(FunctionArgExpr::Wildcard) if lower == "count" => {}
            FunctionArg::Unnamed(
                FunctionArgExpr::Wildcard
                | FunctionArgExpr::QualifiedWildcard(_)
                | FunctionArgExpr::WildcardWithOptions(_),
            )
            | FunctionArg::Named { .. }
            | FunctionArg::ExprNamed { .. } => {
                return Err(refuse(function, format!("this argument of {name}"), "write plain arguments"));
            }
        }
    }
    Ok(())
}

/// `PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY x)`.
fn check_within_group(function: &Function, name: &str, order: &[OrderByExpr]) -> Result<(), QueryError> {
    let help = "write PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY x)";
    match order {
        [] => Ok(()),
        [OrderByExpr { expr, options, with_fill: None }] if name.ends_with("percentile_cont") => {
            let OrderByOptions { asc, nulls_first } = options;
            absent(*asc == Some(false), function, "a quantile in descending order", "order by x and ask for 1 - q")?;
            absent(nulls_first.is_some(), function, "NULLS FIRST in a quantile", "leave it out: NULLs do not count")?;
            check(expr)
        }
        _ => Err(refuse(function, "WITHIN GROUP here", help)),
    }
}
