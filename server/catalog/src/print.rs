//! A query that was parsed, as text again.
//!
//! The parser's own printing leaves quotes alone that stand after a backslash or beside another quote, since it does not know how texts were read: a
//! value could so become a part of the query. Here each text is written with every quote doubled, as standard SQL has it.

use sqlparser::ast::{Expr, Query, Statement, UnaryOperator, Value, ValueWithSpan, VisitMut, VisitorMut};
use sqlparser::dialect::{Dialect, PostgreSqlDialect};
use sqlparser::parser::Parser;
use std::ops::ControlFlow;

/// Texts as they are to be written: a number is written as it stands.
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
        // Two signs beside each other would be a comment.
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

/// A query as text, for an engine that reads standard SQL.
#[must_use]
pub fn text(query: &Query) -> String {
    let mut raw = query.clone();
    let _ = VisitMut::visit(&mut raw, &mut Raw);
    raw.to_string()
}

/// A statement as text that is read back as the same; nothing where there is none.
#[must_use]
pub fn faithful(statement: &Statement) -> Option<String> {
    faithful_in(statement, &PostgreSqlDialect {})
}

/// The same of a statement, and a text, of this dialect.
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

    /// What is not read back as the same is not written.
    #[test]
    fn nothing_is_written_that_means_something_else() {
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
