//! The words and signs of a text of SQL, with their places.

use crate::failure::{Code, Failure};
use sqlparser::dialect::PostgreSqlDialect;
use sqlparser::tokenizer::{Location, Token, Tokenizer, Whitespace};
use std::ops::Range;

/// Bytes of what is sent at once.
const LONGEST: usize = 1 << 18;
/// Words and signs of it: what is parsed is as deep as it has operators, and a stack has an end.
const MOST_TOKENS: usize = 8_000;

/// A token and its place, in bytes.
#[derive(Debug, Clone)]
pub struct Placed {
    pub token: Token,
    pub place: Range<usize>,
}

/// The tokens of a text without what is between them, and its comments.
pub fn tokens(sql: &str) -> Result<(Vec<Placed>, Vec<Placed>), Failure> {
    if sql.len() > LONGEST {
        return Err(Failure::new(Code::TooMany, format!("the statement is longer than {LONGEST} bytes")));
    }
    let found = Tokenizer::new(&PostgreSqlDialect {}, sql).tokenize_with_location();
    let found = found.map_err(|error| {
        let position = sql.char_indices().count().min(characters(sql, error.location));
        Failure { position: Some(position + 1), ..Failure::new(Code::Syntax, error.message) }
    })?;
    // Places come in order: each character is passed once.
    let mut place = Place { rest: sql.chars(), sql, line: 1, column: 1 };
    let (mut comments, mut all) = (Vec::new(), Vec::new());
    for found in found {
        let place = place.of(found.span.start)..place.of(found.span.end);
        let placed = Placed { token: found.token, place };
        match &placed.token {
            Token::EOF => {}
            Token::Whitespace(Whitespace::SingleLineComment { .. } | Whitespace::MultiLineComment(_)) => {
                comments.push(placed)
            }
            Token::Whitespace(_) => {}
            _ => all.push(placed),
        }
    }
    if all.len() > MOST_TOKENS {
        return Err(Failure::new(Code::TooMany, format!("the statement has more than {MOST_TOKENS} words and signs")));
    }
    Ok((all, comments))
}

/// A place in a text, which goes forward.
struct Place<'a> {
    sql: &'a str,
    rest: std::str::Chars<'a>,
    line: u64,
    column: u64,
}

impl Place<'_> {
    /// The byte at a location that is not before the last one.
    fn of(&mut self, location: Location) -> usize {
        while (self.line, self.column) < (location.line, location.column) {
            match self.rest.next() {
                Some('\n') => (self.line, self.column) = (self.line + 1, 1),
                Some(_) => self.column += 1,
                None => break,
            }
        }
        self.sql.len() - self.rest.as_str().len()
    }
}

fn characters(sql: &str, location: Location) -> usize {
    let line = usize::try_from(location.line).unwrap_or(usize::MAX).saturating_sub(1);
    let before: usize = sql.split_inclusive('\n').take(line).map(|line| line.chars().count()).sum();
    before + usize::try_from(location.column).unwrap_or(usize::MAX).saturating_sub(1)
}

/// The number of a parameter.
pub fn parameter(token: &Token) -> Option<usize> {
    let Token::Placeholder(name) = token else { return None };
    name.strip_prefix('$')?.parse().ok()
}
