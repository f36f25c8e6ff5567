//! The statements of a text of SQL: their boundaries, their kinds, and the settings in their comments. Tables are not
//! resolved.

mod kind;

use crate::failure::Failure;
use crate::tokens::{parameter, tokens};
use sqlparser::tokenizer::{Token, Whitespace};

/// A statement, and its position in the sent text.
#[derive(Debug, Clone, PartialEq)]
pub struct Statement {
    /// The text, without surrounding space and comments.
    pub sql: String,
    /// Its kind.
    pub kind: Kind,
    /// Settings from its comments, which apply to it alone: `/* deniable.spend = 1/40 */`.
    pub settings: Vec<(String, String)>,
    /// The highest number of its parameters.
    pub parameters: usize,
}

/// The kind of a statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// A query.
    Query,
    /// EXPLAIN of a query.
    Explain {
        /// The query.
        sql: String,
    },
    /// COPY of a query to the client.
    Copy {
        /// The query.
        sql: String,
        /// The format of the rows.
        format: CopyFormat,
    },
    /// DECLARE of a cursor.
    Declare {
        /// The cursor.
        name: String,
        /// Whether it outlives the transaction (WITH HOLD).
        hold: bool,
        /// The query.
        sql: String,
    },
    /// FETCH or MOVE on a cursor.
    Fetch {
        /// The cursor.
        name: String,
        /// The maximum number of rows; `None` for all.
        count: Option<usize>,
        /// Whether the rows are skipped (MOVE).
        is_move: bool,
    },
    /// CLOSE of a cursor, or of all with `None`.
    Close(Option<String>),
    /// SET or RESET of a setting.
    Set {
        /// Its name.
        name: String,
        /// The value; `None` resets it.
        value: Option<String>,
        /// Whether the value ends with the transaction (SET LOCAL).
        is_local: bool,
    },
    /// RESET ALL.
    ResetAll,
    /// SHOW of a setting.
    Show(String),
    /// A transaction statement.
    Transaction(Transaction),
    /// CALL of a procedure.
    Call {
        /// Its name, with its schema.
        name: String,
        /// Its arguments.
        arguments: Vec<Argument>,
    },
    /// DISCARD ALL.
    DiscardAll,
    /// DEALLOCATE of a prepared statement, or of all with `None`.
    Deallocate(Option<String>),
    /// A statement without effect here, by its tag.
    Nothing(&'static str),
    /// An unsupported statement, by its first word.
    Other(String),
}

/// An argument of a procedure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Argument {
    /// A number or a text, as text.
    Constant(String),
    /// The parameter of this number, from 1.
    Parameter(usize),
}

/// The effect of a transaction statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Transaction {
    /// `BEGIN` or `START TRANSACTION`.
    Begin {
        /// The tag.
        tag: &'static str,
    },
    /// The transaction is committed.
    Commit,
    /// The transaction is rolled back.
    Rollback,
    /// A savepoint statement.
    Part {
        /// Its tag.
        tag: &'static str,
        /// Whether it continues a failed transaction (ROLLBACK TO).
        recovers: bool,
    },
}

/// The format of `COPY` data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CopyFormat {
    /// Text, CSV or binary.
    pub form: CopyForm,
    /// Whether the first line contains the names of the columns.
    pub header: bool,
    /// The character between values.
    pub delimiter: char,
    /// The text for NULL.
    pub null: String,
}

/// The forms of `COPY`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CopyForm {
    /// Values separated by tabs, with backslash escapes.
    Text,
    /// Comma-separated values with quotes.
    Csv,
    /// Binary.
    Binary,
}

/// The statements of a text, in order. Parts between semicolons that contain only space and comments are skipped.
///
/// # Errors
/// When a string or a comment is not terminated.
pub fn statements(sql: &str) -> Result<Vec<Statement>, Failure> {
    let (tokens, comments) = tokens(sql)?;
    let parts = tokens.split(|placed| placed.token == Token::SemiColon).filter(|part| !part.is_empty());
    let mut all = Vec::new();
    // Comments belong to the statement that they precede or are in.
    let mut comments = comments.iter().peekable();
    for part in parts {
        let (Some(first), Some(last)) = (part.first(), part.last()) else { continue };
        let end = last.place.end;
        let own = std::iter::from_fn(|| comments.next_if(|comment| comment.place.start < end));
        let settings = own.filter_map(|comment| setting(&comment.token)).collect();
        let text = &sql[first.place.start..end];
        let parameters = part.iter().filter_map(|placed| parameter(&placed.token)).max().unwrap_or(0);
        let kind = kind::parse(sql, part)?;
        all.push(Statement { sql: text.to_owned(), kind, settings, parameters });
    }
    Ok(all)
}

/// The setting in a comment, if any.
fn setting(comment: &Token) -> Option<(String, String)> {
    let text = match comment {
        Token::Whitespace(Whitespace::SingleLineComment { comment, .. } | Whitespace::MultiLineComment(comment)) => {
            comment
        }
        _ => return None,
    };
    let (name, value) = text.trim().strip_prefix("deniable.")?.split_once('=')?;
    Some((name.trim().to_ascii_lowercase(), value.trim().trim_matches('\'').to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::failure::Code;

    fn kinds(sql: &str) -> Vec<Kind> {
        statements(sql).unwrap().into_iter().map(|statement| statement.kind).collect()
    }

    #[test]
    fn statements_end_at_semicolons_outside_of_strings() {
        let all = statements("SELECT ';' AS \";\"; /* ; */ SELECT 'é', $$;$$ -- ;\n;; SELECT\n 3").unwrap();
        let texts: Vec<&str> = all.iter().map(|statement| statement.sql.as_str()).collect();
        assert_eq!(texts, ["SELECT ';' AS \";\"", "SELECT 'é', $$;$$", "SELECT\n 3"]);
        assert_eq!(statements(" -- nothing\n;").unwrap(), []);
        let open = statements("SELECT é, 'open").unwrap_err();
        assert_eq!((open.code, open.position), (Code::Syntax, Some(11)));
    }

    #[test]
    fn parsing_time_is_linear_in_the_text() {
        // Quadratic, this would take a minute.
        let line = format!("SELECT '{}'", "\u{e4};'' --".repeat(20_000));
        assert!(statements(&line[..line.len() - 1]).is_err());
        let many = "SELECT 1; /* deniable.spend = 1/8 */ ".repeat(1_500) + "SELECT '\u{1f600}'";
        let all = statements(&many).unwrap();
        assert_eq!(
            (all.len(), all.last().unwrap().sql.as_str(), all[0].settings.len()),
            (1_501, "SELECT '\u{1f600}'", 0)
        );
        assert!(all[1..].iter().all(|one| one.settings.len() == 1));
        let told = statements(&format!("SELECT {}1", "1 + ".repeat(5_000))).unwrap_err();
        assert_eq!(told.code, Code::TooMany);
    }

    #[test]
    fn comments_state_settings_for_one_statement() {
        let all = statements(
            "/* deniable.spend = 1/40 */ SELECT 1; SELECT /*deniable.Spend='1/8'*/ 2 -- deniable.x = 1\n, $2; SELECT 3",
        )
        .unwrap();
        let settings: Vec<Vec<(&str, &str)>> = all
            .iter()
            .map(|one| one.settings.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect())
            .collect();
        assert_eq!(settings, [vec![("spend", "1/40")], vec![("spend", "1/8"), ("x", "1")], vec![]]);
        assert_eq!(all.iter().map(|one| one.parameters).collect::<Vec<_>>(), [0, 2, 0]);
        // A string is not a comment.
        assert_eq!(statements("SELECT 'deniable.spend = 1'").unwrap()[0].settings, []);
    }

    #[test]
    fn settings() {
        let set = |name: &str, value: Option<&str>| Kind::Set {
            name: name.into(),
            value: value.map(str::to_owned),
            is_local: false,
        };
        assert_eq!(kinds("SET deniable.spend = '1/40'"), [set("deniable.spend", Some("1/40"))]);
        assert_eq!(kinds("SET SESSION deniable.spend TO 1/40"), [set("deniable.spend", Some("1/40"))]);
        assert_eq!(kinds("set DateStyle to ISO, MDY"), [set("datestyle", Some("ISO, MDY"))]);
        assert_eq!(
            kinds("SET TIME ZONE 'UTC'; SET NAMES 'utf8'"),
            [set("timezone", Some("UTC")), set("client_encoding", Some("utf8"))]
        );
        assert_eq!(kinds("RESET x; SET x TO DEFAULT; RESET ALL"), [set("x", None), set("x", None), Kind::ResetAll]);
        assert_eq!(kinds("SET LOCAL x = 3"), [Kind::Set { name: "x".into(), value: Some("3".into()), is_local: true }]);
        assert_eq!(kinds("SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY"), [Kind::Nothing("SET")]);
        assert_eq!(
            kinds("SHOW TRANSACTION ISOLATION LEVEL; SHOW deniable.spend"),
            [Kind::Show("transaction_isolation".into()), Kind::Show("deniable.spend".into())]
        );
        assert!(statements("SET x").is_err() && statements("SET").is_err() && statements("SET x =").is_err());
    }

    #[test]
    fn cursors_copies_and_plans() {
        let declared = Kind::Declare { name: "c".into(), hold: true, sql: "SELECT 1 FROM t".into() };
        assert_eq!(kinds("DECLARE c NO SCROLL CURSOR WITH HOLD FOR SELECT 1 FROM t;"), [declared]);
        let fetch = |count| Kind::Fetch { name: "My c".into(), count, is_move: false };
        assert_eq!(
            kinds("FETCH FORWARD 10 FROM \"My c\"; FETCH ALL IN \"My c\"; FETCH \"My c\"; FETCH NEXT FROM \"My c\""),
            [fetch(Some(10)), fetch(None), fetch(Some(1)), fetch(Some(1))]
        );
        assert!(statements("FETCH BACKWARD 1 FROM c").is_err());
        let copy = |form, header, delimiter, null: &str| Kind::Copy {
            sql: "SELECT (1)".into(),
            format: CopyFormat { form, header, delimiter, null: null.into() },
        };
        assert_eq!(kinds("COPY (SELECT (1)) TO STDOUT"), [copy(CopyForm::Text, false, '\t', "\\N")]);
        assert_eq!(
            kinds("copy ( SELECT (1) ) to stdout with (format csv, header true)"),
            [copy(CopyForm::Csv, true, ',', "")]
        );
        assert_eq!(
            kinds("COPY (SELECT (1)) TO STDOUT CSV HEADER DELIMITER ';' NULL 'x'"),
            [copy(CopyForm::Csv, true, ';', "x")]
        );
        assert!(statements("COPY visits TO STDOUT").is_err() && statements("COPY (SELECT 1) TO '/tmp/x'").is_err());
        for sql in ["EXPLAIN SELECT 1", "EXPLAIN (FORMAT JSON, COSTS) SELECT 1", "EXPLAIN ANALYZE VERBOSE SELECT 1"] {
            assert_eq!(kinds(sql), [Kind::Explain { sql: "SELECT 1".into() }], "{sql}");
        }
        assert_eq!(kinds("EXPLAIN (SELECT 1)"), [Kind::Explain { sql: "(SELECT 1)".into() }]);
    }

    #[test]
    fn other_statements_are_named() {
        assert_eq!(kinds("INSERT INTO t VALUES (1)"), [Kind::Other("INSERT".into())]);
        let constant = |text: &str| Argument::Constant(text.into());
        for (sql, arguments) in [
            ("CALL deniable.Approve(3)", vec![constant("3")]),
            ("CALL deniable.approve ( 3 , 'it''s, so' )", vec![constant("3"), constant("it's, so")]),
            ("CALL deniable.approve($1, 'x')", vec![Argument::Parameter(1), constant("x")]),
            ("CALL deniable.approve()", vec![]),
        ] {
            assert_eq!(kinds(sql), [Kind::Call { name: "deniable.approve".into(), arguments }], "{sql}");
        }
        for wrong in [
            "CALL deniable.approve",
            "CALL deniable.approve(3",
            "CALL deniable.approve(3 4)",
            "CALL f(x)",
            "CALL f(1) x",
        ] {
            assert_eq!(statements(wrong).unwrap_err().code, Code::Syntax, "{wrong}");
        }
        assert_eq!(kinds("(SELECT 1)"), [Kind::Query]);
        assert_eq!(
            kinds("ROLLBACK TO SAVEPOINT a"),
            [Kind::Transaction(Transaction::Part { tag: "ROLLBACK", recovers: true })]
        );
        assert_eq!(
            kinds("DEALLOCATE ALL; DEALLOCATE PREPARE p"),
            [Kind::Deallocate(None), Kind::Deallocate(Some("p".into()))]
        );
    }
}
