//! The columns of a result, as far as the question tells: names as PostgreSQL gives them, and types.

use crate::rewrite::{first_select, kind, last, plain};
use crate::types::Type;
use crate::{Description, functions};
use sqlparser::ast::{BinaryOperator, Expr, SelectItem, Statement, UnaryOperator, Value};

/// The columns; none where `*` stands among them.
#[must_use]
pub fn result_columns(statement: &Statement, _description: &Description) -> Vec<(String, Type)> {
    let Statement::Query(query) = statement else { return Vec::new() };
    let Some(select) = first_select(query) else { return Vec::new() };
    let columns = select.projection.iter().map(|item| match item {
        SelectItem::UnnamedExpr(expr) => Some((name_of(expr), type_of(expr))),
        SelectItem::ExprWithAlias { expr, alias } => Some((plain(alias), type_of(expr))),
        _ => None,
    });
    columns.collect::<Option<Vec<_>>>().unwrap_or_default()
}

/// The name that PostgreSQL gives a column without an alias.
fn name_of(expr: &Expr) -> String {
    match expr {
        Expr::Identifier(name) => plain(name),
        Expr::CompoundIdentifier(names) => names.last().map(plain).unwrap_or_default(),
        Expr::Function(function) => last(&function.name),
        Expr::Nested(inner) | Expr::Collate { expr: inner, .. } => name_of(inner),
        Expr::Cast { expr, data_type, .. } => match name_of(expr).as_str() {
            "?column?" => Type::named(&kind(data_type))
                .and_then(Type::about)
                .map_or_else(|| kind(data_type), |about| about.name.to_owned()),
            name => name.to_owned(),
        },
        Expr::Case { else_result: Some(otherwise), .. } => match name_of(otherwise).as_str() {
            "?column?" => "case".to_owned(),
            name => name.to_owned(),
        },
        Expr::Case { .. } => "case".to_owned(),
        Expr::Exists { .. } => "exists".to_owned(),
        Expr::Array(_) => "array".to_owned(),
        Expr::Subquery(query) => first_select(query)
            .and_then(|select| match select.projection.first() {
                Some(SelectItem::UnnamedExpr(expr)) => Some(name_of(expr)),
                Some(SelectItem::ExprWithAlias { alias, .. }) => Some(plain(alias)),
                _ => None,
            })
            .unwrap_or_else(|| "?column?".to_owned()),
        _ => "?column?".to_owned(),
    }
}

/// The type of an expression that is read from no column.
fn type_of(expr: &Expr) -> Type {
    match expr {
        Expr::Nested(inner) | Expr::Collate { expr: inner, .. } => type_of(inner),
        Expr::Cast { data_type, .. } => Type::named(&kind(data_type)).unwrap_or(Type::TEXT),
        Expr::Value(value) => match &value.value {
            Value::Boolean(_) => Type::BOOL,
            Value::Number(digits, _) if digits.parse::<i32>().is_ok() => Type::INT4,
            Value::Number(digits, _) if digits.parse::<i64>().is_ok() => Type::INT8,
            Value::Number(..) => Type::NUMERIC,
            _ => Type::TEXT,
        },
        Expr::IsNull(_)
        | Expr::IsNotNull(_)
        | Expr::IsTrue(_)
        | Expr::IsNotTrue(_)
        | Expr::IsFalse(_)
        | Expr::IsNotFalse(_)
        | Expr::IsDistinctFrom(..)
        | Expr::IsNotDistinctFrom(..)
        | Expr::InList { .. }
        | Expr::InSubquery { .. }
        | Expr::Between { .. }
        | Expr::Like { .. }
        | Expr::ILike { .. }
        | Expr::SimilarTo { .. }
        | Expr::Exists { .. }
        | Expr::AnyOp { .. }
        | Expr::AllOp { .. } => Type::BOOL,
        Expr::UnaryOp { op: UnaryOperator::Not, .. } => Type::BOOL,
        Expr::UnaryOp { expr, .. } => type_of(expr),
        Expr::BinaryOp { left, op, .. } => match op {
            BinaryOperator::StringConcat => Type::TEXT,
            BinaryOperator::Plus
            | BinaryOperator::Minus
            | BinaryOperator::Multiply
            | BinaryOperator::Divide
            | BinaryOperator::Modulo => type_of(left),
            BinaryOperator::BitwiseAnd | BinaryOperator::BitwiseOr => Type::INT4,
            _ => Type::BOOL,
        },
        Expr::Case { conditions, else_result, .. } => {
            let results = conditions.iter().map(|when| &when.result).chain(else_result.as_deref());
            let typed = results.map(type_of).find(|found| *found != Type::TEXT);
            typed.unwrap_or(Type::TEXT)
        }
        Expr::Function(function) => functions::returned(&last(&function.name)),
        Expr::Array(_) => Type::TEXTS,
        Expr::Subquery(query) => first_select(query)
            .and_then(|select| match select.projection.first() {
                Some(SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. }) => Some(type_of(expr)),
                _ => None,
            })
            .unwrap_or(Type::TEXT),
        _ => Type::TEXT,
    }
}
