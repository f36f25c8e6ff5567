//! The statements of a text of SQL: where each ends, its kind, and the settings in its comments. Tables are not looked
//! up.

mod kind;

use crate::failure::Failure;
use crate::tokens::{parameter, tokens};
use sqlparser::tokenizer::{Token, Whitespace};

/// A statement, and where it stands in what was sent.
#[derive(Debug, Clone, PartialEq)]
pub struct Statement {
    /// The text, without what is around it.
    pub sql: String,
    /// What it asks for.
    pub kind: Kind,
    /// Settings that comments of it state for it alone: `/* deniable.spend = 1/40 */`.
    pub settings: Vec<(String, String)>,
    /// The highest number of a parameter.
    pub parameters: usize,
}

/// What a statement asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// A table.
    Query,
    /// What a query would take.
    Explain {
        /// The query.
        sql: String,
    },
    /// A table, as a stream of lines.
    Copy {
        /// The query.
        sql: String,
        /// How lines are written.
        format: CopyFormat,
    },
    /// A table, some rows at a time.
    Declare {
        /// The cursor.
        name: String,
        /// Whether it outlives the transaction.
        hold: bool,
        /// The query.
        sql: String,
    },
    /// Rows of a cursor.
    Fetch {
        /// The cursor.
        name: String,
        /// How many at most.
        count: Option<usize>,
        /// Whether they are passed over.
        is_move: bool,
    },
    /// The end of a cursor, or of all.
    Close(Option<String>),
    /// A setting gets a value, or its first one.
    Set {
        /// Its name.
        name: String,
        /// The value.
        value: Option<String>,
        /// Whether the value ends with the transaction.
        is_local: bool,
    },
    /// All settings get their first values.
    ResetAll,
    /// A setting is shown.
    Show(String),
    /// A transaction.
    Transaction(Transaction),
    /// A procedure is called.
    Call {
        /// Its name, with its schema.
        name: String,
        /// Its arguments.
        arguments: Vec<Argument>,
    },
    /// Everything that the connection keeps is forgotten.
    DiscardAll,
    /// A prepared statement is forgotten, or all.
    Deallocate(Option<String>),
    /// Something that changes nothing here, by its tag.
    Nothing(&'static str),
    /// Something that is not offered, by its first word.
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

/// What becomes of a transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Transaction {
    /// It begins: `BEGIN` or `START TRANSACTION`.
    Begin {
        /// The tag.
        tag: &'static str,
    },
    /// It ends.
    Commit,
    /// It ends, and was nothing.
    Rollback,
    /// A part of it begins or ends, by the tag.
    Part {
        /// The tag.
        tag: &'static str,
        /// Whether a transaction that failed goes on.
        recovers: bool,
    },
}

/// How `COPY` writes lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CopyFormat {
    /// Which form.
    pub form: CopyForm,
    /// Whether the first line has the names.
    pub header: bool,
    /// What stands between values.
    pub delimiter: char,
    /// What stands for NULL.
    pub null: String,
}

/// The forms of `COPY`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CopyForm {
    /// Tabs and backslashes.
    Text,
    /// Commas and quotes.
    Csv,
    /// Binary.
    Binary,
}

/// The statements of a text, in order; what is between two semicolons is none where there is nothing but space and comments.
///
/// # Errors
/// When a text or a comment does not end.
pub fn statements(sql: &str) -> Result<Vec<Statement>, Failure> {
    let (tokens, comments) = tokens(sql)?;
    let parts = tokens.split(|placed| placed.token == Token::SemiColon).filter(|part| !part.is_empty());
    let mut all = Vec::new();
    // Comments belong to the statement that they stand before, or in.
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

/// The setting that a comment states.
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
    fn statements_end_at_semicolons_that_are_none_of_a_text() {
        let all = statements("SELECT ';' AS \";\"; /* ; */ SELECT 'é', $$;$$ -- ;\n;; SELECT\n 3").unwrap();
        let texts: Vec<&str> = all.iter().map(|statement| statement.sql.as_str()).collect();
        assert_eq!(texts, ["SELECT ';' AS \";\"", "SELECT 'é', $$;$$", "SELECT\n 3"]);
        assert_eq!(statements(" -- nothing\n;").unwrap(), []);
        let open = statements("SELECT é, 'open").unwrap_err();
        assert_eq!((open.code, open.position), (Code::Syntax, Some(11)));
    }

    #[test]
    fn long_texts_take_as_long_as_they_are() {
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
        // A text is no comment.
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
    fn all_else_has_a_name() {
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
