//! Displays analysts' queries to approvers. An analyst chooses the text of a query, and an approver decides by its
//! display. The query is therefore printed from its parsed form: on one line, without comments, with every name that
//! the analyst gave marked, and without hidden characters or runs of spaces.

use deniable_core::text::is_hidden;
use deniable_wire::catalog::print::{faithful_in, text};
use sqlparser::ast::{Ident, Query, Select, SelectItem, Statement, TableAlias, TableFactor, VisitMut, VisitorMut};
use sqlparser::dialect::GenericDialect;
use sqlparser::parser::Parser;
use std::ops::ControlFlow;

/// The mark before a name that the query defines.
const ALIAS: &str = "/* alias */";
/// The mark before a text that could not be parsed and printed.
const AS_SENT: &str = "(as sent) ";
/// Spaces escaped one by one; longer runs are counted.
const FEW_SPACES: usize = 4;

/// A query as an approver sees it.
pub fn printed(sql: &str) -> String {
    visible(&anew(sql).unwrap_or_else(|| format!("{AS_SENT}{sql}")))
}

/// The query printed from its parsed form, in the planner's dialect; `None` if that form is not faithful.
fn anew(sql: &str) -> Option<String> {
    let mut statements = Parser::parse_sql(&GenericDialect {}, sql).ok()?.into_iter();
    let (Some(statement), None) = (statements.next(), statements.next()) else { return None };
    // Printed only if the printed text parses to the same query.
    faithful_in(&statement, &GenericDialect {})?;
    let Statement::Query(mut query) = statement else { return None };
    let _ = VisitMut::visit(&mut query, &mut Marks);
    Some(text(&query))
}

/// Marks the names that a query gives.
struct Marks;

fn mark(name: &mut Ident) {
    let quoted = name.value.replace('"', "\"\"");
    *name = Ident::new(format!("{ALIAS} \"{quoted}\""));
}

fn mark_table(alias: &mut TableAlias) {
    mark(&mut alias.name);
    alias.columns.iter_mut().for_each(|column| mark(&mut column.name));
}

impl VisitorMut for Marks {
    type Break = ();

    fn pre_visit_query(&mut self, query: &mut Query) -> ControlFlow<()> {
        query.with.iter_mut().flat_map(|with| &mut with.cte_tables).for_each(|table| mark_table(&mut table.alias));
        ControlFlow::Continue(())
    }

    fn pre_visit_select(&mut self, select: &mut Select) -> ControlFlow<()> {
        for item in &mut select.projection {
            match item {
                SelectItem::ExprWithAlias { alias, .. } => mark(alias),
                SelectItem::ExprWithAliases { aliases, .. } => aliases.iter_mut().for_each(mark),
                _ => {}
            }
        }
        select.named_window.iter_mut().for_each(|window| mark(&mut window.0));
        ControlFlow::Continue(())
    }

    fn pre_visit_table_factor(&mut self, factor: &mut TableFactor) -> ControlFlow<()> {
        match factor {
            TableFactor::Table { alias, .. }
            | TableFactor::Derived { alias, .. }
            | TableFactor::TableFunction { alias, .. }
            | TableFactor::Function { alias, .. }
            | TableFactor::UNNEST { alias, .. }
            | TableFactor::NestedJoin { alias, .. } => alias.iter_mut().for_each(mark_table),
            _ => {}
        }
        ControlFlow::Continue(())
    }
}

/// The text on one line with every character visible: hidden characters, all spaces except the plain one, and plain
/// spaces after another space are escaped.
fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        if c == ' ' {
            shown.push(c);
            let mut more = 0_usize;
            while rest.next_if_eq(&' ').is_some() {
                more += 1;
            }
            match more {
                0 => {}
                1..=FEW_SPACES => shown.push_str(&"\\u{20}".repeat(more)),
                _ => shown.push_str(&format!("\\u{{20}} (and {} more spaces)", more - 1)),
            }
        } else if is_hidden(c) || c.is_whitespace() {
            shown.extend(c.escape_unicode());
        } else {
            shown.push(c);
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_are_printed_from_their_parsed_form() {
        for (sql, shown) in [
            (
                "/* approved by the board */ SELECT COUNT(*) -- harmless\n FROM visits\n\n WHERE   age > 3",
                "SELECT COUNT(*) FROM visits WHERE age > 3",
            ),
            (
                "SELECT COUNT(*) AS \"approved by the board\" FROM visits AS \"so \"\"be\"\" it\"",
                "SELECT COUNT(*) AS /* alias */ \"approved by the board\" FROM visits AS /* alias */ \"so \"\"be\"\" it\"",
            ),
            (
                "WITH approved (n) AS (SELECT COUNT(*) n FROM visits) SELECT n FROM approved safe",
                "WITH /* alias */ \"approved\" (/* alias */ \"n\") AS (SELECT COUNT(*) AS /* alias */ \"n\" FROM visits) \
                 SELECT n FROM approved /* alias */ \"safe\"",
            ),
            (
                "SELECT n FROM (SELECT COUNT(*) AS n FROM t) ok",
                "SELECT n FROM (SELECT COUNT(*) AS /* alias */ \"n\" FROM t) /* alias */ \"ok\"",
            ),
            // String constants keep their characters; hidden characters are escaped.
            (
                "SELECT COUNT(*) FROM t WHERE a = 'x\u{1b}[2J\u{202e}y\u{a0}z' AND b = 'it''s -- so'",
                "SELECT COUNT(*) FROM t WHERE a = 'x\\u{1b}[2J\\u{202e}y\\u{a0}z' AND b = 'it''s -- so'",
            ),
            ("SELECT COUNT(*) FROM t WHERE a = 'x  y'", "SELECT COUNT(*) FROM t WHERE a = 'x \\u{20}y'"),
            // Texts other than a single query.
            ("SELEC 1 -- fine\n", "(as sent) SELEC 1 -- fine\\u{a}"),
            ("SELECT 1; SELECT 2", "(as sent) SELECT 1; SELECT 2"),
        ] {
            assert_eq!(printed(sql), shown);
        }
    }

    /// A condition cannot be moved out of sight by spaces, in a string or between words.
    #[test]
    fn runs_of_spaces_are_short() {
        let spaces = " ".repeat(3_000);
        let shown = printed(&format!("SELECT COUNT(*) FROM t WHERE a = 'x{spaces}y'{spaces}OR b = 1"));
        assert_eq!(shown, "SELECT COUNT(*) FROM t WHERE a = 'x \\u{20} (and 2998 more spaces)y' OR b = 1");
        let shown = printed(&format!("SELECT COUNT(*) FROM t WHERE a = 'x{}y'", "\u{3000}".repeat(50)));
        assert!(!shown.contains(|c: char| c.is_whitespace() && c != ' '), "{shown}");
    }

    /// The display has no hidden characters, for any text.
    #[test]
    fn nothing_hidden_is_shown() {
        for c in ('\0'..=char::MAX).filter(|c| is_hidden(*c) || c.is_whitespace() && *c != ' ') {
            for sql in [
                format!("SELECT 1 AS \"a{c}b\""),
                format!("SELECT 'a{c}b' FROM t{c}"),
                format!("SELECT 1 /*{c}*/ {c}{c}"),
            ] {
                let shown = printed(&sql);
                assert!(!shown.contains(|c: char| is_hidden(c) || c.is_whitespace() && c != ' '), "{sql:?}: {shown:?}");
            }
        }
    }
}
