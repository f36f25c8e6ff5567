//! Parameters: their types, if the client does not state them, and their replacement by values.
//!
//! Values replace parameters as constants, because a plan depends on its constants: the resulting text is the one that
//! a user would have written by hand.

use crate::failure::{Code, Failure};
use crate::tokens::{parameter, tokens};
use crate::values::list_items;
use deniable_catalog::{Description, Type, print};
use sqlparser::ast::{Expr, ObjectNamePart, Query, Statement, Value, Visit, Visitor};
use sqlparser::dialect::PostgreSqlDialect;
use sqlparser::parser::Parser;
use std::collections::BTreeMap;
use std::ops::ControlFlow;

/// Maximum number of parameters of one statement.
pub const MOST: usize = 1_000;

/// The types of a statement's parameters: from a cast (`$1::int8`), or from the expression that a parameter is compared
/// with; otherwise text.
#[must_use]
pub fn types(sql: &str, count: usize, description: &Description) -> Vec<Type> {
    let mut found = ParameterTypes { description, types: BTreeMap::new() };
    if let Ok(parsed) = Parser::parse_sql(&PostgreSqlDialect {}, sql) {
        let _ = parsed.iter().try_for_each(|statement| Visit::visit(statement, &mut found));
    }
    (1..=count).map(|number| found.types.get(&number).copied().unwrap_or(Type::TEXT)).collect()
}

struct ParameterTypes<'a> {
    description: &'a Description,
    types: BTreeMap<usize, Type>,
}

impl ParameterTypes<'_> {
    fn is(&mut self, expr: &Expr, of: Type) {
        let mark = match expr {
            Expr::Value(value) => match &value.value {
                Value::Placeholder(mark) => mark,
                _ => return,
            },
            Expr::Nested(inner) => return self.is(inner, of),
            _ => return,
        };
        if let Some(number) = mark.strip_prefix('$').and_then(|digits| digits.parse().ok()) {
            self.types.entry(number).or_insert(of);
        }
    }

    /// The type of an expression that a parameter is compared with.
    fn type_of(&self, expr: &Expr) -> Option<Type> {
        let column = match expr {
            Expr::Identifier(name) => name,
            Expr::CompoundIdentifier(names) => names.last()?,
            Expr::Nested(inner) => return self.type_of(inner),
            Expr::BinaryOp { left, .. } => return self.type_of(left),
            Expr::Value(value) => {
                return match &value.value {
                    Value::Number(..) => Some(Type::INT8),
                    _ => None,
                };
            }
            _ => return None,
        };
        let folded =
            if column.quote_style.is_some() { column.value.clone() } else { column.value.to_ascii_lowercase() };
        let all = self.description.tables.iter().flat_map(|table| &table.columns);
        all.into_iter().find(|known| known.name == folded).map(|known| known.data_type)
    }

    fn alike(&mut self, sides: &[&Expr]) {
        if let Some(of) = sides.iter().find_map(|side| self.type_of(side)) {
            sides.iter().for_each(|side| self.is(side, of));
        }
    }
}

impl Visitor for ParameterTypes<'_> {
    type Break = ();

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<()> {
        match expr {
            Expr::Cast { expr, data_type, .. } => {
                let text = data_type.to_string();
                let name = text.split('(').next().unwrap_or_default().to_owned();
                if let Some(of) = Type::named(&name) {
                    self.is(expr, of);
                }
            }
            Expr::BinaryOp { left, right, .. } => self.alike(&[left, right]),
            Expr::Between { expr, low, high, .. } => self.alike(&[expr, low, high]),
            Expr::InList { expr, list, .. } => {
                let sides: Vec<&Expr> = std::iter::once(expr.as_ref()).chain(list).collect();
                self.alike(&sides);
            }
            Expr::AnyOp { left, right, .. } | Expr::AllOp { left, right, .. } => {
                let list = self.type_of(left).and_then(Type::about).and_then(|about| Type::of_oid(about.array));
                if let Some(list) = list {
                    self.is(right, list);
                }
            }
            _ => {}
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<()> {
        if let Some(sqlparser::ast::LimitClause::LimitOffset { limit, offset, .. }) = &query.limit_clause {
            limit.iter().for_each(|limit| self.is(limit, Type::INT8));
            offset.iter().for_each(|offset| self.is(&offset.value, Type::INT8));
        }
        ControlFlow::Continue(())
    }
}

/// A placeholder for a missing value of this type, which is enough to infer the columns of an answer.
fn stand_in(of: Type) -> &'static str {
    match of.about().map(|about| (about.category, about.name)) {
        Some(('N', _)) => "1",
        Some(('B', _)) => "TRUE",
        Some(('D', "date")) => "DATE '2000-01-01'",
        Some(('D', _)) => "TIMESTAMP '2000-01-01 00:00:00'",
        _ => "''",
    }
}

/// The statement with placeholders for its parameters.
///
/// # Errors
/// Never, for a statement that could be parsed.
pub fn with_stand_ins(sql: &str, types: &[Type]) -> Result<String, Failure> {
    replaced(sql, |number| {
        let of = types.get(number - 1).copied().unwrap_or(Type::TEXT);
        match of.about().map(|about| about.element).and_then(Type::of_oid) {
            Some(element) => Ok(format!("ARRAY[{}]", stand_in(element))),
            None => Ok(stand_in(of).to_owned()),
        }
    })
}

/// The statement with its parameters replaced by these values.
///
/// # Errors
/// When a value is not valid for its type, or one is missing.
pub fn with_values(sql: &str, types: &[Type], values: &[Option<String>]) -> Result<String, Failure> {
    replaced(sql, |number| {
        let missing = || Failure::new(Code::Protocol, format!("the parameter ${number} has no value"));
        let value = values.get(number - 1).ok_or_else(missing)?;
        constant(value.as_deref(), types.get(number - 1).copied().unwrap_or(Type::TEXT))
    })
}

/// A value as an SQL literal.
pub(crate) fn constant(value: Option<&str>, of: Type) -> Result<String, Failure> {
    let Some(text) = value else { return Ok("NULL".to_owned()) };
    let about = of.about();
    let quoted = |text: &str| format!("'{}'", text.replace('\'', "''"));
    let unfit =
        || Failure::new(Code::Value, format!("\"{text}\" is not a valid {}", about.map_or("value", |about| about.sql)));
    if let Some(element) = about.map(|about| about.element).and_then(Type::of_oid) {
        let items = list_items(text).ok_or_else(unfit)?;
        let items = items.iter().map(|item| constant(item.as_deref(), element)).collect::<Result<Vec<_>, _>>()?;
        return Ok(format!("ARRAY[{}]", items.join(", ")));
    }
    Ok(match about.map(|about| (about.category, about.name)) {
        Some(('N', name)) => {
            let text = text.trim();
            let is_whole = text.parse::<i128>().is_ok();
            let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
            let unsigned = text.strip_prefix('-').unwrap_or(text);
            let is_decimal = unsigned
                .split_once('.')
                .is_some_and(|(whole, rest)| digits(whole) && digits(rest) && !(whole.is_empty() && rest.is_empty()));
            let is_float = name.starts_with("float") && text.parse::<f64>().is_ok_and(f64::is_finite);
            let is_number = is_whole || is_float || is_decimal && !name.starts_with("int");
            if !is_number {
                return Err(unfit());
            }
            // A minus before it must not start a comment.
            if text.starts_with('-') { format!("({text})") } else { text.to_owned() }
        }
        Some(('B', _)) => match text.trim().to_ascii_lowercase().as_str() {
            "t" | "true" | "on" | "yes" | "1" => "TRUE".to_owned(),
            "f" | "false" | "off" | "no" | "0" => "FALSE".to_owned(),
            _ => return Err(unfit()),
        },
        Some(('D', "date")) => format!("DATE {}", quoted(text)),
        Some(('D', "timestamp" | "timestamptz")) => format!("TIMESTAMP {}", quoted(text)),
        _ => quoted(text),
    })
}

fn replaced(sql: &str, with: impl Fn(usize) -> Result<String, Failure>) -> Result<String, Failure> {
    if !sql.contains('$') {
        return in_lists(sql.to_owned());
    }
    let (found, _) = tokens(sql)?;
    let mut text = String::new();
    let mut from = 0;
    for placed in found {
        let Some(number) = parameter(&placed.token) else { continue };
        if !(1..=MOST).contains(&number) {
            return Err(Failure::new(Code::Syntax, format!("there is no parameter ${number}")));
        }
        text.push_str(&sql[from..placed.place.start]);
        text.push_str(&with(number)?);
        from = placed.place.end;
    }
    text.push_str(&sql[from..]);
    in_lists(text)
}

/// Rewrites `x = ANY (ARRAY[...])` to `x IN (...)`, and `x <> ALL (ARRAY[...])` to `x NOT IN (...)`: drivers send lists
/// in the array form.
fn in_lists(sql: String) -> Result<String, Failure> {
    use sqlparser::ast::{BinaryOperator, VisitMut, VisitorMut};
    struct Lists(bool);
    impl VisitorMut for Lists {
        type Break = ();
        fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
            let (left, right, negated) = match expr {
                Expr::AnyOp { left, compare_op: BinaryOperator::Eq, right, .. } => (left, right, false),
                Expr::AllOp { left, compare_op: BinaryOperator::NotEq, right } => (left, right, true),
                _ => return ControlFlow::Continue(()),
            };
            let mut list = right.as_ref();
            while let Expr::Nested(inner) | Expr::Cast { expr: inner, .. } = list {
                list = inner;
            }
            if let Expr::Array(array) = list
                && !array.elem.is_empty()
            {
                *expr = Expr::InList { expr: left.clone(), list: array.elem.clone(), negated };
                self.0 = true;
            }
            ControlFlow::Continue(())
        }
    }
    if !sql.contains("ARRAY[") {
        return Ok(sql);
    }
    // The backend reports syntax errors.
    let Ok(mut parsed) = Parser::parse_sql(&PostgreSqlDialect {}, &sql) else { return Ok(sql) };
    let [statement @ Statement::Query(_)] = parsed.as_mut_slice() else { return Ok(sql) };
    let mut lists = Lists(false);
    let _ = VisitMut::visit(statement, &mut lists);
    if !lists.0 {
        return Ok(sql);
    }
    let unfit = || Failure::new(Code::NotSupported, "this list cannot be rewritten").hint("write x IN (...)");
    print::faithful(statement).ok_or_else(unfit)
}

/// The parts of a name.
pub(crate) fn parts(name: &sqlparser::ast::ObjectName) -> Option<Vec<String>> {
    let part = |part: &ObjectNamePart| {
        let ident = part.as_ident()?;
        Some(if ident.quote_style.is_some() { ident.value.clone() } else { ident.value.to_ascii_lowercase() })
    };
    name.0.iter().map(part).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use deniable_catalog::{Column, Table};

    fn description() -> Description {
        let column = |name: &str, data_type| Column { name: name.into(), data_type, comment: None };
        let columns = vec![
            column("age", Type::INT8),
            column("day", Type::DATE),
            column("region", Type::TEXT),
            column("dose", Type::NUMERIC),
        ];
        let table = Table { schema: "public".into(), name: "visits".into(), comment: None, rows: None, columns };
        Description { database: "clinic".into(), user: "ana".into(), version: "16.0".into(), tables: vec![table] }
    }

    #[test]
    fn types_are_inferred_from_comparisons() {
        let sql = "SELECT COUNT(*) FROM visits v WHERE v.age > $1 AND $2 <= day AND dose BETWEEN $3 AND $4 AND region IN ($5) AND x = $6 \
                   AND age + 1 < $7 AND $8::date < day AND region = ANY($9) LIMIT $10";
        let names: Vec<&str> = types(sql, 10, &description()).iter().map(|of| of.about().unwrap().name).collect();
        assert_eq!(names, ["int8", "date", "numeric", "numeric", "text", "text", "int8", "date", "_text", "int8"]);
    }

    #[test]
    fn values_become_constants() {
        let all = [Type::INT8, Type::TEXT, Type::DATE, Type::BOOL, Type::NUMERIC];
        let given = |values: &[Option<&str>]| {
            let values: Vec<Option<String>> = values.iter().map(|value| value.map(str::to_owned)).collect();
            with_values("SELECT 1-$1, $2, $3, '$1', $4, $5 -- $9", &all, &values)
        };
        let good = given(&[Some("-3"), Some("a' OR '1'='1"), Some("2024-01-01"), Some("t"), Some("1.50")]).unwrap();
        assert_eq!(good, "SELECT 1-(-3), 'a'' OR ''1''=''1', DATE '2024-01-01', '$1', TRUE, 1.50 -- $9");
        let none = given(&[None, None, None, None, None]).unwrap();
        assert_eq!(none, "SELECT 1-NULL, NULL, NULL, '$1', NULL, NULL -- $9");
        for (at, bad) in [(0, "1; DROP"), (0, "1.5"), (0, ""), (3, "maybe"), (4, "1e5"), (4, "--1"), (4, ".")] {
            let mut values = vec![Some("1"), Some("a"), Some("2024-01-01"), Some("t"), Some("1")];
            values[at] = Some(bad);
            assert_eq!(given(&values).unwrap_err().code, Code::Value, "{bad}");
        }
        assert!(given(&[]).is_err());
        assert!(with_values("SELECT $0", &[], &[]).is_err());
    }

    /// Any text in a value remains one literal.
    #[test]
    fn values_are_never_sql() {
        let odd = [r"\' OR TRUE --", "'; DROP TABLE t; --", r"a\", "''", "\u{2019} OR 1=1", "/*", "$1"];
        for value in odd {
            let quoted = format!("'{}'", value.replace('\'', "''"));
            let one = with_values("SELECT 1 FROM t WHERE a = $1", &[Type::TEXT], &[Some(value.to_owned())]).unwrap();
            assert_eq!(one, format!("SELECT 1 FROM t WHERE a = {quoted}"));
            let item = value.replace('\\', "\\\\").replace('"', "\\\"");
            let list = with_values(
                "SELECT 1 FROM t WHERE a = ANY($1)",
                &[Type::of_oid(1009).unwrap()],
                &[Some(format!("{{\"{item}\",x}}"))],
            );
            assert_eq!(list.unwrap(), format!("SELECT 1 FROM t WHERE a IN ({quoted}, 'x')"));
        }
    }

    #[test]
    fn arrays_become_in_lists() {
        let given = |sql: &str, list: &str| with_values(sql, &[Type::TEXTS], &[Some(list.to_owned())]).unwrap();
        assert_eq!(
            given("SELECT COUNT(*) FROM t WHERE a = ANY($1)", "{x,\"y'z\"}"),
            "SELECT COUNT(*) FROM t WHERE a IN ('x', 'y''z')"
        );
        assert_eq!(
            given("SELECT COUNT(*) FROM t WHERE a <> ALL($1)", "{x}"),
            "SELECT COUNT(*) FROM t WHERE a NOT IN ('x')"
        );
    }
}
