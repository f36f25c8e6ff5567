//! The kind of one statement, parsed from its tokens.

use super::{Argument, CopyForm, CopyFormat, Kind, Transaction};
use crate::failure::{Code, Failure};
use crate::tokens::{PlacedToken, parameter};
use sqlparser::tokenizer::Token;

/// Parses the kind of the statement that these tokens of `sql` are.
///
/// # Errors
/// When the statement is incomplete, or asks for a form of a known command that is not supported.
pub(super) fn parse(sql: &str, tokens: &[PlacedToken]) -> Result<Kind, Failure> {
    Words { sql, tokens, at: 0 }.kind()
}

/// The remaining tokens of a statement.
struct Words<'a> {
    sql: &'a str,
    tokens: &'a [PlacedToken],
    at: usize,
}

impl Words<'_> {
    fn kind(mut self) -> Result<Kind, Failure> {
        let Some(PlacedToken { token: Token::Word(word), .. }) = self.tokens.first() else {
            // `(SELECT ...)`, or a text that cannot be parsed.
            return Ok(Kind::Query);
        };
        let word = word.value.to_ascii_uppercase();
        if ["SELECT", "WITH", "VALUES", "TABLE"].contains(&word.as_str()) {
            return Ok(Kind::Query);
        }
        self.at = 1;
        Ok(match word.as_str() {
            "EXPLAIN" => self.explain(),
            "COPY" => self.copy()?,
            "DECLARE" => self.declare()?,
            "FETCH" => self.fetch(false)?,
            "MOVE" => self.fetch(true)?,
            "CLOSE" => Kind::Close(self.all_or_name()?),
            "SET" => self.set()?,
            "RESET" => match self.name()? {
                all if all == "all" => Kind::ResetAll,
                name => Kind::Set { name, value: None, is_local: false },
            },
            "SHOW" if self.takes(&["TRANSACTION", "ISOLATION", "LEVEL"]) => Kind::Show("transaction_isolation".into()),
            "SHOW" if self.takes(&["TIME", "ZONE"]) => Kind::Show("timezone".into()),
            "SHOW" => Kind::Show(self.name()?),
            "BEGIN" => Kind::Transaction(Transaction::Begin { tag: "BEGIN" }),
            "START" => Kind::Transaction(Transaction::Begin { tag: "START TRANSACTION" }),
            "COMMIT" | "END" => Kind::Transaction(Transaction::Commit),
            "ABORT" => Kind::Transaction(Transaction::Rollback),
            "ROLLBACK" => {
                let _ = self.takes(&["WORK"]) || self.takes(&["TRANSACTION"]);
                if self.takes(&["TO"]) {
                    Kind::Transaction(Transaction::Part { tag: "ROLLBACK", recovers: true })
                } else {
                    Kind::Transaction(Transaction::Rollback)
                }
            }
            "SAVEPOINT" => Kind::Transaction(Transaction::Part { tag: "SAVEPOINT", recovers: false }),
            "RELEASE" => Kind::Transaction(Transaction::Part { tag: "RELEASE", recovers: false }),
            "CALL" => self.call()?,
            "DISCARD" => Kind::DiscardAll,
            "DEALLOCATE" => {
                let _ = self.takes(&["PREPARE"]);
                Kind::Deallocate(self.all_or_name()?)
            }
            "LISTEN" => Kind::Nothing("LISTEN"),
            "UNLISTEN" => Kind::Nothing("UNLISTEN"),
            _ => Kind::Other(word),
        })
    }

    fn token(&self) -> Option<&Token> {
        self.tokens.get(self.at).map(|placed| &placed.token)
    }

    /// Consumes these words if they come next. Returns whether they did.
    fn takes(&mut self, words: &[&str]) -> bool {
        let next = self.tokens[self.at..].iter().take(words.len()).map(|placed| match &placed.token {
            Token::Word(word) if word.quote_style.is_none() => word.value.to_ascii_uppercase(),
            other => other.to_string(),
        });
        let is_it = next.eq(words.iter().map(|word| (*word).to_owned()));
        self.at += if is_it { words.len() } else { 0 };
        is_it
    }

    fn wrong(&self, wanted: &str) -> Failure {
        let place = self.tokens.get(self.at).map_or(self.sql.len(), |placed| placed.place.start);
        let found = self.token().map_or_else(|| "the end".to_owned(), |token| format!("\"{token}\""));
        let position = Some(self.sql[..place].chars().count() + 1);
        Failure { position, ..Failure::new(Code::Syntax, format!("expected {wanted} at {found}")) }
    }

    /// Parses a name with its parts after dots, folded as in PostgreSQL.
    fn name(&mut self) -> Result<String, Failure> {
        let mut name = String::new();
        loop {
            match self.token() {
                Some(Token::Word(word)) if word.quote_style.is_some() => name.push_str(&word.value),
                Some(Token::Word(word)) => name.push_str(&word.value.to_ascii_lowercase()),
                _ => return Err(self.wrong("a name")),
            }
            self.at += 1;
            if self.token() != Some(&Token::Period) {
                return Ok(name);
            }
            self.at += 1;
            name.push('.');
        }
    }

    fn all_or_name(&mut self) -> Result<Option<String>, Failure> {
        if self.takes(&["ALL"]) { Ok(None) } else { self.name().map(Some) }
    }

    /// The rest of the statement.
    fn rest(&self) -> String {
        match (self.tokens.get(self.at), self.tokens.last()) {
            (Some(first), Some(last)) => self.sql[first.place.start..last.place.end].to_owned(),
            _ => String::new(),
        }
    }

    /// The tokens between this parenthesis and its counterpart.
    fn between(&mut self) -> Result<String, Failure> {
        if !self.takes(&["("]) {
            return Err(self.wrong("("));
        }
        let from = self.at;
        let mut depth = 1_usize;
        while let Some(token) = self.token() {
            match token {
                Token::LParen => depth += 1,
                Token::RParen => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                let inner = &self.tokens[from..self.at];
                self.at += 1;
                return Ok(match (inner.first(), inner.last()) {
                    (Some(first), Some(last)) => self.sql[first.place.start..last.place.end].to_owned(),
                    _ => String::new(),
                });
            }
            self.at += 1;
        }
        Err(self.wrong(")"))
    }

    fn explain(mut self) -> Kind {
        let begin = self.at;
        // `EXPLAIN (SELECT ...)` is a query; other parentheses contain options.
        if self.takes(&["("]) && !["SELECT", "WITH", "VALUES"].iter().any(|word| self.takes(&[word])) {
            self.at = begin;
            if self.between().is_err() {
                self.at = begin;
            }
        } else {
            self.at = begin;
        }
        while self.takes(&["ANALYZE"]) || self.takes(&["VERBOSE"]) {}
        Kind::Explain { sql: self.rest() }
    }

    fn copy(&mut self) -> Result<Kind, Failure> {
        if self.token() != Some(&Token::LParen) {
            let hint = "copy the answer of a query: COPY (SELECT ...) TO STDOUT";
            return Err(Failure::new(Code::NotSupported, "COPY of a table is not supported").hint(hint));
        }
        let sql = self.between()?;
        if !self.takes(&["TO", "STDOUT"]) {
            let hint = "write TO STDOUT; psql's \\copy writes to a file of the client";
            return Err(Failure::new(Code::NotSupported, "COPY can write only to STDOUT").hint(hint));
        }
        let _ = self.takes(&["WITH"]);
        let mut format = CopyFormat { form: CopyForm::Text, header: false, delimiter: '\0', null: String::new() };
        let (mut delimiter, mut null) = (None, None);
        while let Some(token) = self.token() {
            if [Token::LParen, Token::RParen, Token::Comma].contains(token) {
                self.at += 1;
            } else if self.takes(&["FORMAT"]) {
            } else if self.takes(&["CSV"]) || self.takes(&["'csv'"]) {
                format.form = CopyForm::Csv;
            } else if self.takes(&["TEXT"]) || self.takes(&["'text'"]) {
                format.form = CopyForm::Text;
            } else if self.takes(&["BINARY"]) || self.takes(&["'binary'"]) {
                format.form = CopyForm::Binary;
            } else if self.takes(&["HEADER"]) {
                format.header = !(self.takes(&["FALSE"]) || self.takes(&["OFF"]));
                let _ = self.takes(&["TRUE"]) || self.takes(&["ON"]);
            } else if self.takes(&["DELIMITER"]) {
                let text = self.text()?;
                let mut characters = text.chars();
                let (Some(one), None) = (characters.next(), characters.next()) else {
                    return Err(self.wrong("one character"));
                };
                delimiter = Some(one);
            } else if self.takes(&["NULL"]) {
                null = Some(self.text()?);
            } else if self.takes(&["ENCODING"]) {
                let _ = self.text()?;
            } else {
                return Err(self.wrong("FORMAT, HEADER, DELIMITER or NULL"));
            }
        }
        let is_csv = format.form == CopyForm::Csv;
        format.delimiter = delimiter.unwrap_or(if is_csv { ',' } else { '\t' });
        format.null = null.unwrap_or(if is_csv { String::new() } else { "\\N".to_owned() });
        Ok(Kind::Copy { sql, format })
    }

    /// Parses a name, and constants or parameters between parentheses.
    fn call(&mut self) -> Result<Kind, Failure> {
        let name = self.name()?;
        let mut arguments = Vec::new();
        if !self.takes(&["("]) {
            return Err(self.wrong("("));
        }
        while !self.takes(&[")"]) {
            if !arguments.is_empty() && !self.takes(&[","]) {
                return Err(self.wrong(", or )"));
            }
            let argument = match self.token() {
                Some(Token::Number(digits, _)) => Some(Argument::Constant(digits.clone())),
                Some(token) => parameter(token).map(Argument::Parameter),
                None => None,
            };
            match argument {
                Some(argument) => {
                    arguments.push(argument);
                    self.at += 1;
                }
                None => arguments.push(Argument::Constant(self.text()?)),
            }
        }
        match self.token() {
            None => Ok(Kind::Call { name, arguments }),
            Some(_) => Err(self.wrong("the end")),
        }
    }

    fn text(&mut self) -> Result<String, Failure> {
        let _ = self.takes(&["AS"]);
        let text = match self.token() {
            Some(Token::SingleQuotedString(text) | Token::EscapedStringLiteral(text)) => text.clone(),
            _ => return Err(self.wrong("a text")),
        };
        self.at += 1;
        Ok(text)
    }

    fn declare(&mut self) -> Result<Kind, Failure> {
        let name = self.name()?;
        for word in ["BINARY", "ASENSITIVE", "INSENSITIVE", "NO", "SCROLL"] {
            let _ = self.takes(&[word]);
        }
        if !self.takes(&["CURSOR"]) {
            return Err(self.wrong("CURSOR"));
        }
        let hold = self.takes(&["WITH", "HOLD"]);
        let _ = self.takes(&["WITHOUT", "HOLD"]);
        if !self.takes(&["FOR"]) {
            return Err(self.wrong("FOR"));
        }
        Ok(Kind::Declare { name, hold, sql: self.rest() })
    }

    fn fetch(&mut self, is_move: bool) -> Result<Kind, Failure> {
        let mut count = Some(1);
        if self.takes(&["NEXT"]) {
        } else if self.takes(&["ALL"]) || self.takes(&["FORWARD", "ALL"]) {
            count = None;
        } else if ["PRIOR", "FIRST", "LAST", "ABSOLUTE", "RELATIVE", "BACKWARD"].iter().any(|word| self.takes(&[word]))
        {
            return Err(
                Failure::new(Code::NotSupported, "cursors can only move forward").hint("write FETCH 100 FROM name")
            );
        } else {
            let _ = self.takes(&["FORWARD"]);
            if let Some(Token::Number(digits, _)) = self.token() {
                count = Some(digits.parse().map_err(|_| self.wrong("a number of rows"))?);
                self.at += 1;
            }
        }
        let _ = self.takes(&["FROM"]) || self.takes(&["IN"]);
        Ok(Kind::Fetch { name: self.name()?, count, is_move })
    }

    fn set(&mut self) -> Result<Kind, Failure> {
        if self.takes(&["TRANSACTION"]) || self.takes(&["SESSION", "CHARACTERISTICS"]) {
            return Ok(Kind::Nothing("SET"));
        }
        let is_local = self.takes(&["LOCAL"]);
        let _ = self.takes(&["SESSION"]);
        let name = if self.takes(&["TIME", "ZONE"]) {
            "timezone".to_owned()
        } else if self.takes(&["NAMES"]) {
            "client_encoding".to_owned()
        } else {
            let name = self.name()?;
            if !self.takes(&["TO"]) && !self.takes(&["="]) {
                return Err(self.wrong("= or TO"));
            }
            name
        };
        if self.takes(&["DEFAULT"]) {
            return Ok(Kind::Set { name, value: None, is_local });
        }
        let mut value = String::new();
        while let Some(token) = self.token() {
            match token {
                Token::SingleQuotedString(text) | Token::EscapedStringLiteral(text) => value.push_str(text),
                Token::Word(word) => value.push_str(&word.value),
                Token::Comma => value.push_str(", "),
                other => value.push_str(&other.to_string()),
            }
            self.at += 1;
        }
        if value.is_empty() && self.tokens.last().is_none_or(|last| !matches!(last.token, Token::SingleQuotedString(_)))
        {
            return Err(self.wrong("a value"));
        }
        Ok(Kind::Set { name, value: Some(value), is_local })
    }
}
