//! The tokens of a text of SQL, with their positions.

use crate::failure::{Code, Failure};
use sqlparser::dialect::PostgreSqlDialect;
use sqlparser::keywords::Keyword;
use sqlparser::tokenizer::{Location, Token, Tokenizer, Whitespace};
use std::ops::Range;

/// The longest text in one message, in bytes.
const LONGEST: usize = 1 << 18;
/// Maximum number of tokens of a statement: the parsed expression is as deep as it has operators, and the stack is
/// limited.
const MOST_TOKENS: usize = 8_000;
/// Maximum number of token reads by the parser, in all.
const MOST_READS: u64 = 1 << 17;

/// A token and its position in bytes.
#[derive(Debug, Clone)]
pub struct PlacedToken {
    pub token: Token,
    pub place: Range<usize>,
}

/// The tokens of a text without white space, and its comments.
pub fn tokens(sql: &str) -> Result<(Vec<PlacedToken>, Vec<PlacedToken>), Failure> {
    if sql.len() > LONGEST {
        return Err(Failure::new(Code::TooMany, format!("the statement is longer than {LONGEST} bytes")));
    }
    let found = Tokenizer::new(&PostgreSqlDialect {}, sql).tokenize_with_location();
    let found = found.map_err(|error| {
        let position = sql.char_indices().count().min(characters(sql, error.location));
        Failure { position: Some(position + 1), ..Failure::new(Code::Syntax, error.message) }
    })?;
    // Positions increase, so each character is passed once.
    let mut place = Place { rest: sql.chars(), sql, line: 1, column: 1 };
    let (mut comments, mut all) = (Vec::new(), Vec::new());
    for found in found {
        let place = place.offset(found.span.start)..place.offset(found.span.end);
        let placed = PlacedToken { token: found.token, place };
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
    if reads(&all) > MOST_READS {
        let failure = Failure::new(Code::TooMany, "functions are nested too deeply for a statement of this length");
        return Err(failure.hint("compute in steps: WITH steps AS (SELECT ... AS x FROM ...) SELECT ... FROM steps"));
    }
    Ok((all, comments))
}

/// An upper bound of the number of times that the parser reads the tokens of a statement. It reads the brackets of a
/// function as a name (`f(a => 1)`) and then as a value, and once more where a keyword has its own syntax (`CAST(x AS
/// int)`) that does not match. The time therefore grows as 3 to the power of the depth.
fn reads(tokens: &[PlacedToken]) -> u64 {
    let (mut times, mut enclosing, mut sum) = (1_u64, Vec::new(), 0_u64);
    let mut before = None;
    for PlacedToken { token, .. } in tokens {
        sum = sum.saturating_add(times);
        match token {
            Token::LParen => {
                enclosing.push(times);
                times = times.saturating_mul(tries(before));
            }
            // Read as elements, and as bounds of a slice.
            Token::LBracket => {
                enclosing.push(times);
                times = times.saturating_mul(2);
            }
            Token::RParen | Token::RBracket => times = enclosing.pop().unwrap_or(1),
            _ => {}
        }
        before = Some(token);
    }
    sum
}

/// The number of times that the parser reads the brackets after this token.
fn tries(before: Option<&Token>) -> u64 {
    let Some(Token::Word(word)) = before else { return 1 };
    match word.keyword {
        Keyword::NoKeyword => 2,
        Keyword::POSITION => 6,
        // Function names cannot be these keywords.
        Keyword::IN
        | Keyword::AS
        | Keyword::AND
        | Keyword::OR
        | Keyword::WHERE
        | Keyword::HAVING
        | Keyword::FILTER
        | Keyword::OVER
        | Keyword::FROM
        | Keyword::JOIN
        | Keyword::ON
        | Keyword::BY
        | Keyword::SELECT
        | Keyword::UNION
        | Keyword::ALL
        | Keyword::WHEN
        | Keyword::THEN
        | Keyword::ELSE
        | Keyword::VALUES => 1,
        _ => 3,
    }
}

/// A position in a text that only moves forward.
struct Place<'a> {
    sql: &'a str,
    rest: std::str::Chars<'a>,
    line: u64,
    column: u64,
}

impl Place<'_> {
    /// The byte offset of a location, which must not precede the last one.
    fn offset(&mut self, location: Location) -> usize {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn nested(name: &str, depth: usize, inner: &str) -> String {
        let (open, close) = if name == "ARRAY" { ("[", "]") } else { ("(", ")") };
        format!("SELECT {}{inner}{} FROM pg_class", format!("{name}{open}").repeat(depth), close.repeat(depth))
    }

    /// 130 bytes were enough to keep a thread of the server busy for hours, and all other clients of that thread
    /// waiting.
    #[test]
    fn deeply_nested_functions_are_refused() {
        for (name, inner) in [
            ("replace", "1"),
            ("f", "x"),
            ("CAST", "1 1"),
            ("pg_catalog.abs", "1"),
            ("\"f\"", "1"),
            ("POSITION", "1 1"),
            ("ARRAY", "1 1"),
        ] {
            for depth in [30, 500, 2_500] {
                let refused = tokens(&nested(name, depth, inner)).unwrap_err();
                assert_eq!(refused.code, Code::TooMany, "{name} {depth}");
            }
            // Accepted statements are parsed within seconds, also in a debug build.
            let deepest = (1..30).rev().find(|depth| tokens(&nested(name, *depth, inner)).is_ok()).unwrap();
            let begun = std::time::Instant::now();
            let _ = sqlparser::parser::Parser::parse_sql(&PostgreSqlDialect {}, &nested(name, deepest, inner));
            assert!(begun.elapsed().as_secs() < 60, "{name} {deepest}: {:?}", begun.elapsed());
            assert!(deepest >= 5, "{name} {deepest}");
        }
    }

    #[test]
    fn long_lists_and_brackets_are_taken() {
        let list = vec!["7"; 3_900].join(",");
        for sql in [
            format!("SELECT COUNT(*) FILTER (WHERE x IN ({list})) FROM t"),
            format!("SELECT a FROM t WHERE {}x = 1{}", "(".repeat(40), ")".repeat(40)),
            "SELECT ".to_owned() + &vec!["abs(round(sum(x), 2))"; 600].join(", ") + " FROM t",
        ] {
            assert!(tokens(&sql).is_ok(), "{}", &sql[..60]);
        }
    }
}
