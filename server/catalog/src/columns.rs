//! The columns of a result, inferred from the query: names as in PostgreSQL, and types.
//!
//! | question | module |
//! |---|---|
//! | which tables are read, with which columns? | `scope` |
//! | which type has an expression? | `type_of` |
//! | which name has a column without an alias? | `name_of` |

mod scope;

use crate::rewrite::{kind, last, plain};
use crate::types::Type;
use crate::{Description, functions};
use scope::Scope;
use sqlparser::ast::{
    AccessExpr, BinaryOperator, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments, Statement,
    TrimWhereField, UnaryOperator, Value,
};

pub(crate) type Columns = Vec<(String, Type)>;

/// The columns of the result; empty if they cannot be inferred.
#[must_use]
pub fn result_columns(statement: &Statement, description: &Description) -> Columns {
    let Statement::Query(query) = statement else { return Vec::new() };
    Scope::of(description).columns(query).unwrap_or_default()
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
        Expr::Trim { trim_where, .. } => match trim_where {
            None | Some(TrimWhereField::Both) => "btrim",
            Some(TrimWhereField::Leading) => "ltrim",
            Some(TrimWhereField::Trailing) => "rtrim",
        }
        .to_owned(),
        Expr::CompoundFieldAccess { root, access_chain } => {
            let field = access_chain.iter().rev().find_map(|access| match access {
                AccessExpr::Dot(Expr::Identifier(name)) => Some(plain(name)),
                _ => None,
            });
            field.unwrap_or_else(|| name_of(root))
        }
        Expr::Subquery(query) => scope::first_column(query).map_or_else(|| "?column?".to_owned(), |(name, _)| name),
        _ => "?column?".to_owned(),
    }
}

/// The first argument of a function.
fn arguments(function: &Function) -> impl Iterator<Item = &Expr> {
    let args = match &function.args {
        FunctionArguments::List(list) => list.args.as_slice(),
        _ => &[],
    };
    args.iter().filter_map(|arg| match arg {
        FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) => Some(expr),
        _ => None,
    })
}

/// The type of an expression.
fn type_of(expr: &Expr, scope: &Scope<'_>) -> Type {
    let of = |expr: &Expr| type_of(expr, scope);
    // Text is the type of expressions whose type is not known.
    let first_known = |all: &mut dyn Iterator<Item = &Expr>| all.map(of).find(|found| *found != Type::TEXT);
    match expr {
        Expr::Identifier(_) | Expr::CompoundIdentifier(_) => scope.column(expr).unwrap_or(Type::TEXT),
        Expr::Nested(inner) | Expr::Collate { expr: inner, .. } => of(inner),
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
        Expr::UnaryOp { expr, .. } => of(expr),
        Expr::BinaryOp { left, op, .. } => match op {
            BinaryOperator::StringConcat => Type::TEXT,
            BinaryOperator::Plus
            | BinaryOperator::Minus
            | BinaryOperator::Multiply
            | BinaryOperator::Divide
            | BinaryOperator::Modulo => of(left),
            BinaryOperator::BitwiseAnd | BinaryOperator::BitwiseOr => Type::INT4,
            _ => Type::BOOL,
        },
        Expr::Case { conditions, else_result, .. } => {
            let mut results = conditions.iter().map(|when| &when.result).chain(else_result.as_deref());
            first_known(&mut results).unwrap_or(Type::TEXT)
        }
        Expr::Function(function) => match last(&function.name).as_str() {
            "coalesce" | "nullif" | "min" | "max" | "greatest" | "least" | "first_value" | "last_value" => {
                first_known(&mut arguments(function)).unwrap_or(Type::TEXT)
            }
            name => functions::returned(name),
        },
        Expr::Array(_) => Type::TEXTS,
        Expr::Subquery(query) => {
            let columns = scope.within().columns(query);
            columns.and_then(|columns| columns.first().map(|(_, of)| *of)).unwrap_or(Type::TEXT)
        }
        _ => Type::TEXT,
    }
}
