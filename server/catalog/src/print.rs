//! Printing of parsed queries.
//!
//! The parser's own printer leaves quotes unescaped after a backslash or beside another quote, since it does not record
//! how strings were read. A value could thus become a part of the query. Here each string is printed with every quote
//! doubled, as in standard SQL.

use sqlparser::ast::{Expr, Query, Statement, UnaryOperator, Value, ValueWithSpan, VisitMut, VisitorMut};
use sqlparser::dialect::{Dialect, PostgreSqlDialect};
use sqlparser::parser::Parser;
use std::ops::ControlFlow;

/// Strings that are already escaped; the number printer writes them verbatim.
struct Raw;

impl VisitorMut for Raw {
    type Break = ();

    fn post_visit_value(&mut self, value: &mut ValueWithSpan) -> ControlFlow<()> {
        let text = match &value.value {
            Value::SingleQuotedString(text)
            | Value::EscapedStringLiteral(text)
            | Value::UnicodeStringLiteral(text)
            | Value::NationalStringLiteral(text) => text,
            Value::DollarQuotedString(quoted) => &quoted.value,
            _ => return ControlFlow::Continue(()),
        };
        value.value = Value::Number(format!("'{}'", text.replace('\'', "''")), false);
        ControlFlow::Continue(())
    }

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        // Two adjacent minus signs would start a comment.
        if let Expr::UnaryOp { op: UnaryOperator::Minus | UnaryOperator::Plus, expr: inner } = expr {
            let is_signed = match inner.as_ref() {
                Expr::UnaryOp { .. } => true,
                Expr::Value(value) => {
                    matches!(&value.value, Value::Number(digits, _) if digits.starts_with(['-', '+']))
                }
                _ => false,
            };
            if is_signed {
                **inner = Expr::Nested(inner.clone());
            }
        }
        ControlFlow::Continue(())
    }
}

/// The text of a query in standard SQL.
#[must_use]
pub fn text(query: &Query) -> String {
    let mut raw = query.clone();
    let _ = VisitMut::visit(&mut raw, &mut Raw);
    raw.to_string()
}

/// The text of a statement, checked to parse to the same statement; `None` if it does not.
#[must_use]
pub fn faithful(statement: &Statement) -> Option<String> {
    faithful_in(statement, &PostgreSqlDialect {})
}

/// As [`faithful`], for a statement and a text in this dialect.
#[must_use]
pub fn faithful_in(statement: &Statement, dialect: &dyn Dialect) -> Option<String> {
    let raw = |statement: &Statement| {
        let mut raw = statement.clone();
        let _ = VisitMut::visit(&mut raw, &mut Raw);
        raw
    };
    let meant = raw(statement);
    let text = meant.to_string();
    let read = Parser::parse_sql(dialect, &text).ok()?;
    matches!(read.as_slice(), [read] if raw(read) == meant).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn printed(sql: &str) -> Option<String> {
        faithful(&Parser::parse_sql(&PostgreSqlDialect {}, sql).unwrap().remove(0))
    }

    #[test]
    fn texts_stay_texts() {
        for sql in [
            r"SELECT count(*) FROM t WHERE a = '\'",
            r"SELECT count(*) FROM t WHERE a = '\'' OR TRUE --'",
            "SELECT count(*) FROM t WHERE a = 'a''''b'",
            "SELECT count(*) FROM t WHERE a IN ('''', '\"', '--', '/*')",
            "SELECT count(*) FROM t WHERE d = DATE '2024-01-01' AND \"x y\" = 1",
        ] {
            assert_eq!(printed(sql).as_deref(), Some(sql));
        }
        for (sql, standard) in [
            (r"SELECT E'a\'b\\'", r"SELECT 'a''b\'"),
            ("SELECT $$it's$$, $x$\\'$x$", r"SELECT 'it''s', '\'''"),
            (r"SELECT U&'\0041'''", "SELECT 'A'''"),
            ("SELECT - -5, -(-5), - - -x", "SELECT -(-5), -(-5), -(-(-x))"),
        ] {
            assert_eq!(printed(sql).as_deref(), Some(standard), "{sql}");
        }
    }

    /// A statement whose text would parse to another statement is not printed.
    #[test]
    fn statements_that_would_change_meaning_are_not_printed() {
        let mut odd = Parser::parse_sql(&PostgreSqlDialect {}, "SELECT a AS b FROM t").unwrap().remove(0);
        struct Name;
        impl VisitorMut for Name {
            type Break = ();
            fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
                if let Expr::Identifier(name) = expr {
                    (name.value, name.quote_style) = ("x\\\" OR TRUE --".to_owned(), Some('"'));
                }
                ControlFlow::Continue(())
            }
        }
        let _ = VisitMut::visit(&mut odd, &mut Name);
        assert_eq!(faithful(&odd), None);
    }
}
