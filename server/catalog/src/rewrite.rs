//! Translation of PostgreSQL's SQL to SQLite's.
//!
//! | PostgreSQL | SQLite |
//! |---|---|
//! | `pg_catalog.f(x)`, `current_user` | `f(x)`, `current_user()` |
//! | `x ~ y`, `x OPERATOR(pg_catalog.~) y`, `x ILIKE y` | `matches(x, y)`, `lower(x) LIKE lower(y)` |
//! | `x = ANY (ARRAY[...])`, `x = ANY (list)` | `x IN (...)`, `x IN (SELECT value FROM json_each(elements(list)))` |
//! | `ARRAY[a, b]`, `ARRAY(SELECT ...)` | `list(a, b)`, `(WITH v(x) AS (SELECT ...) SELECT coalesce(array_agg(x), '{}') FROM v)` |
//! | `list[i]`, `(f(x)).n` | `element(list, i)`, `field(f(x), 'n')` |
//! | `x::text`, `x::int4`, `x::name` | `CAST(x AS TEXT)`, `CAST(x AS INTEGER)` |
//! | `x::regclass` in a result, and in a comparison | `regclass_name(x)`, `regclass_oid(x)` |
//! | `E'\n'`, `COLLATE`, `x IS DISTINCT FROM y` | `'...'`, nothing, `NOT same(x, y)` |
//! | `trim(BOTH y FROM x)`, `x \|\| y` | `trim(x, y)`, `joined(x, y)` |
//! | `x AS update`, `t.update` | `x AS "update"`, `"t"."update"` |
//!
//! Sources after FROM are in `sources`.

mod sources;

use crate::print;
use crate::types::Type;
use sources::Sources;
use sqlparser::ast::{
    AccessExpr, Array, BinaryOperator, CastKind, DataType, Expr, Function, FunctionArg, FunctionArgExpr,
    FunctionArgumentList, FunctionArguments, Ident, ObjectName, ObjectNamePart, Query, Select, SelectItem, SetExpr,
    Statement, Subscript, TableFactor, TrimWhereField, UnaryOperator, Value, VisitMut, VisitorMut,
};
use std::ops::ControlFlow;

/// The statement for SQLite; `None` if it is not a query, or cannot be translated.
#[must_use]
pub fn rewritten(statement: &Statement) -> Option<String> {
    let Statement::Query(query) = statement else { return None };
    let mut query = query.clone();
    let sources = Sources::of(&mut query)?;
    VisitMut::visit(&mut query, &mut Rewrite { sources }).is_continue().then(|| print::text(&query))
}

struct Rewrite {
    sources: Sources,
}

/// The last part of a name, in lower case unless it is quoted.
pub(crate) fn last(name: &ObjectName) -> String {
    name.0.last().and_then(ObjectNamePart::as_ident).map(plain).unwrap_or_default()
}

/// A name, folded as in PostgreSQL.
pub(crate) fn plain(ident: &Ident) -> String {
    if ident.quote_style.is_some() { ident.value.clone() } else { ident.value.to_ascii_lowercase() }
}

impl VisitorMut for Rewrite {
    type Break = ();

    fn pre_visit_select(&mut self, select: &mut Select) -> ControlFlow<()> {
        // Results show the name of a relation, and comparisons use its OID.
        for item in &mut select.projection {
            self.sources.name(item);
            named(item);
            if let SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. } = item {
                name_shown(expr);
            }
        }
        if select.distinct.as_ref().is_some_and(|distinct| matches!(distinct, sqlparser::ast::Distinct::On(_))) {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_query(&mut self, query: &mut Query) -> ControlFlow<()> {
        query.locks.clear();
        ControlFlow::Continue(())
    }

    fn pre_visit_table_factor(&mut self, factor: &mut TableFactor) -> ControlFlow<()> {
        match factor {
            TableFactor::Table { name, args, .. } if last(name) != "json_each" => *args = None,
            TableFactor::Derived { lateral, .. } if *lateral => return ControlFlow::Break(()),
            _ => {}
        }
        ControlFlow::Continue(())
    }

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        if let Some(new) = self.sources.column(expr).or_else(|| replaced(expr)) {
            *expr = new;
        }
        match expr {
            Expr::Identifier(name) => quote(name),
            Expr::CompoundIdentifier(names) => names.iter_mut().for_each(quote),
            _ => {}
        }
        ControlFlow::Continue(())
    }
}

/// Gives a column of a table its own name in the result, so that ORDER BY resolves to it first.
fn named(item: &mut SelectItem) {
    match item {
        SelectItem::ExprWithAlias { alias, .. } => quote(alias),
        SelectItem::UnnamedExpr(expr @ Expr::CompoundIdentifier(_)) => {
            let Expr::CompoundIdentifier(names) = &*expr else { return };
            let Some(mut alias) = names.last().cloned() else { return };
            quote(&mut alias);
            *item = SelectItem::ExprWithAlias { expr: expr.clone(), alias };
        }
        _ => {}
    }
}

/// Quotes a name that is a keyword of SQLite but not of PostgreSQL.
fn quote(name: &mut Ident) {
    *name = Ident::with_quote('"', plain(name));
}

/// Replaces `x::regclass`, bare or cast to text, by the name of `x`.
fn name_shown(expr: &mut Expr) {
    match expr {
        Expr::Cast { expr: inner, data_type, .. } => match kind(data_type).as_str() {
            "regclass" | "regtype" | "regnamespace" | "regproc" | "regrole" => {
                *expr = call(&format!("{}_name", kind(data_type)), vec![inner.as_ref().clone()]);
            }
            "text" | "varchar" => name_shown(inner),
            _ => {}
        },
        Expr::Nested(inner) => name_shown(inner),
        Expr::Case { conditions, else_result, .. } => {
            conditions.iter_mut().for_each(|when| name_shown(&mut when.result));
            if let Some(otherwise) = else_result {
                name_shown(otherwise);
            }
        }
        _ => {}
    }
}

/// The plain name of a type: `pg_catalog.regclass` is `regclass`.
pub(crate) fn kind(data_type: &DataType) -> String {
    let text = data_type.to_string().to_ascii_lowercase();
    let text = text.split('(').next().unwrap_or_default().trim().trim_matches('"');
    text.strip_prefix("pg_catalog.").unwrap_or(text).trim_matches('"').to_owned()
}

fn call(name: &str, args: Vec<Expr>) -> Expr {
    let args = args.into_iter().map(|arg| FunctionArg::Unnamed(FunctionArgExpr::Expr(arg))).collect();
    Expr::Function(Function {
        name: ObjectName::from(vec![Ident::new(name)]),
        uses_odbc_syntax: false,
        parameters: FunctionArguments::None,
        args: FunctionArguments::List(FunctionArgumentList { duplicate_treatment: None, args, clauses: Vec::new() }),
        filter: None,
        null_treatment: None,
        over: None,
        within_group: Vec::new(),
    })
}

fn not(expr: Expr) -> Expr {
    Expr::UnaryOp { op: UnaryOperator::Not, expr: Box::new(Expr::Nested(Box::new(expr))) }
}

/// The replacement of an expression whose parts are translated already.
fn replaced(expr: &Expr) -> Option<Expr> {
    Some(match expr {
        Expr::Function(function) => return replaced_function(function),
        Expr::BinaryOp { left, op, right } => {
            let custom = match op {
                BinaryOperator::PGCustomBinaryOperator(parts) => parts.last().map(String::as_str),
                BinaryOperator::PGRegexMatch => Some("~"),
                BinaryOperator::PGRegexIMatch => Some("~*"),
                BinaryOperator::PGRegexNotMatch => Some("!~"),
                BinaryOperator::PGRegexNotIMatch => Some("!~*"),
                BinaryOperator::StringConcat => Some("||"),
                _ => None,
            }?;
            let sides = || vec![left.as_ref().clone(), right.as_ref().clone()];
            let plain = |op| Expr::BinaryOp { left: left.clone(), op, right: right.clone() };
            match custom {
                "~" => call("matches", sides()),
                "~*" => call("matches_any_case", sides()),
                "!~" => not(call("matches", sides())),
                "!~*" => not(call("matches_any_case", sides())),
                "=" => plain(BinaryOperator::Eq),
                "<>" | "!=" => plain(BinaryOperator::NotEq),
                "<" => plain(BinaryOperator::Lt),
                ">" => plain(BinaryOperator::Gt),
                "||" => call("joined", sides()),
                "+" => plain(BinaryOperator::Plus),
                _ => return None,
            }
        }
        Expr::ILike { negated, any, expr, pattern, escape_char } => Expr::Like {
            negated: *negated,
            any: *any,
            expr: Box::new(call("lower", vec![expr.as_ref().clone()])),
            pattern: Box::new(call("lower", vec![pattern.as_ref().clone()])),
            escape_char: escape_char.clone(),
        },
        Expr::IsDistinctFrom(left, right) => compared(left, right, &|left, right| not(call("same", vec![left, right]))),
        Expr::IsNotDistinctFrom(left, right) => compared(left, right, &|left, right| call("same", vec![left, right])),
        Expr::AnyOp { left, compare_op: BinaryOperator::Eq, right, .. } => among(left, right, false)?,
        Expr::AllOp { left, compare_op: BinaryOperator::NotEq, right } => among(left, right, true)?,
        Expr::Array(Array { elem, .. }) => call("list", elem.clone()),
        Expr::Collate { expr, .. } => expr.as_ref().clone(),
        Expr::Cast { expr, data_type, .. } => cast(expr, data_type),
        Expr::TypedString(typed) => Expr::Value(typed.value.clone()),
        Expr::Value(value) => match &value.value {
            Value::EscapedStringLiteral(text) | Value::NationalStringLiteral(text) => {
                Expr::Value(Value::SingleQuotedString(text.clone()).into())
            }
            _ => return None,
        },
        Expr::CompoundFieldAccess { root, access_chain } => accessed(root, access_chain)?,
        Expr::Trim { trim_where, trim_what, expr, trim_characters: None } => {
            let name = match trim_where {
                None | Some(TrimWhereField::Both) => "trim",
                Some(TrimWhereField::Leading) => "ltrim",
                Some(TrimWhereField::Trailing) => "rtrim",
            };
            let what = trim_what.as_ref().map(|what| what.as_ref().clone());
            call(name, std::iter::once(expr.as_ref().clone()).chain(what).collect())
        }
        Expr::Position { expr, r#in } => call("instr", vec![r#in.as_ref().clone(), expr.as_ref().clone()]),
        Expr::Substring { expr, substring_from, substring_for, .. } => {
            let one = || Expr::Value(Value::Number("1".to_owned(), false).into());
            let from = substring_from.as_ref().map_or_else(one, |from| from.as_ref().clone());
            let mut args = vec![expr.as_ref().clone(), from];
            args.extend(substring_for.as_ref().map(|length| length.as_ref().clone()));
            call("substr", args)
        }
        _ => return None,
    })
}

/// `list[i]`, `table.list[i]` and `(record).field`.
fn accessed(root: &Expr, chain: &[AccessExpr]) -> Option<Expr> {
    match chain {
        [AccessExpr::Subscript(Subscript::Index { index })] => Some(call("element", vec![root.clone(), index.clone()])),
        [AccessExpr::Dot(Expr::Identifier(column)), rest @ ..] if let Expr::Identifier(table) = root => {
            let column = Expr::CompoundIdentifier(vec![table.clone(), column.clone()]);
            accessed(&column, rest)
        }
        [AccessExpr::Dot(Expr::Identifier(name))] => {
            let name = Value::SingleQuotedString(plain(name));
            Some(call("field", vec![root.clone(), Expr::Value(name.into())]))
        }
        _ => None,
    }
}

/// `left IS DISTINCT FROM right`: the parser takes a following `AND ...` or `OR ...` as a part of the right side,
/// although without parentheses it is not.
fn compared(left: &Expr, right: &Expr, same: &dyn Fn(Expr, Expr) -> Expr) -> Expr {
    match right {
        Expr::BinaryOp { left: first, op: op @ (BinaryOperator::And | BinaryOperator::Or), right: rest } => {
            Expr::BinaryOp { left: Box::new(compared(left, first, same)), op: op.clone(), right: rest.clone() }
        }
        _ => same(left.clone(), right.clone()),
    }
}

/// `x = ANY (list)`, or with `negated` `x <> ALL (list)`.
fn among(left: &Expr, right: &Expr, negated: bool) -> Option<Expr> {
    let expr = Box::new(left.clone());
    let right = if let Expr::Nested(inner) = right { inner.as_ref() } else { right };
    if let Expr::Subquery(subquery) = right {
        return Some(Expr::InSubquery { expr, subquery: subquery.clone(), negated });
    }
    // An explicit list was translated before.
    if let Expr::Function(function) = right
        && last(&function.name) == "list"
        && let FunctionArguments::List(list) = &function.args
    {
        let elements = list.args.iter().map(|arg| match arg {
            FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) => Some(expr.clone()),
            _ => None,
        });
        return Some(Expr::InList { expr, list: elements.collect::<Option<_>>()?, negated });
    }
    let subquery = select(&format!("SELECT value FROM json_each({})", call("elements", vec![right.clone()])))?;
    Some(Expr::InSubquery { expr, subquery, negated })
}

fn select(sql: &str) -> Option<Box<Query>> {
    let parsed = sqlparser::parser::Parser::parse_sql(&sqlparser::dialect::GenericDialect {}, sql).ok()?;
    match parsed.into_iter().next() {
        Some(Statement::Query(query)) => Some(query),
        _ => None,
    }
}

fn cast(expr: &Expr, data_type: &DataType) -> Expr {
    let inner = || expr.clone();
    let to = |data_type: DataType| Expr::Cast {
        kind: CastKind::Cast,
        expr: Box::new(inner()),
        data_type,
        array: false,
        format: None,
    };
    let kind = kind(data_type);
    match kind.as_str() {
        "regclass" | "regtype" | "regnamespace" | "regproc" | "regrole" => call(&format!("{kind}_oid"), vec![inner()]),
        "bool" | "boolean" => call("truth", vec![inner()]),
        _ if kind.ends_with(']') => inner(),
        _ => match Type::named(&kind).and_then(Type::about).map(|about| (about.category, about.name)) {
            Some(('S' | 'Z', _)) => to(DataType::Text),
            Some(('N', "float4" | "float8" | "numeric")) => to(DataType::Real),
            Some(('N', _)) => to(DataType::Integer(None)),
            _ => inner(),
        },
    }
}

fn replaced_function(function: &Function) -> Option<Expr> {
    let name = last(&function.name);
    if name == "array"
        && let FunctionArguments::Subquery(query) = &function.args
    {
        let gathered = select(&format!("WITH v(x) AS ({query}) SELECT coalesce(array_agg(x), '{{}}') FROM v"))?;
        return Some(Expr::Subquery(gathered));
    }
    let mut new = function.clone();
    let is_keyword = matches!(function.args, FunctionArguments::None);
    if is_keyword
        && name.starts_with("current_")
        && !["current_time", "current_date", "current_timestamp"].contains(&name.as_str())
        || is_keyword && ["session_user", "user"].contains(&name.as_str())
    {
        return Some(call(&name, Vec::new()));
    }
    let renamed = match name.as_str() {
        "json_agg" | "jsonb_agg" => "json_group_array",
        "json_build_object" | "jsonb_build_object" => "json_object",
        "greatest" => "max",
        "least" => "min",
        "strpos" => "instr",
        // All expressions of a query see the same time.
        "now" | "transaction_timestamp" | "statement_timestamp" | "clock_timestamp" | "localtimestamp" => {
            new.args = FunctionArguments::None;
            "current_timestamp"
        }
        known => known,
    };
    new.name = ObjectName::from(vec![Ident::new(renamed)]);
    Some(Expr::Function(new))
}

/// The SELECT that defines the columns of a query.
pub(crate) fn first_select(query: &Query) -> Option<&Select> {
    let mut body = query.body.as_ref();
    loop {
        match body {
            SetExpr::Select(select) => return Some(select),
            SetExpr::Query(inner) => body = inner.body.as_ref(),
            SetExpr::SetOperation { left, .. } => body = left.as_ref(),
            _ => return None,
        }
    }
}
