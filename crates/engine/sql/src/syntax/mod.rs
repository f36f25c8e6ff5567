//! The first gate: the syntax tree, where an error can point at the rejected words.
//!
//! Every struct is destructured field by field and every enum variant is named, without wildcard arms, so that a
//! construct which a new version of the parser introduces does not compile until it is classified. The second gate,
//! [`crate::plan`] for plan nodes and [`crate::lower`] for expressions, checks again after name resolution and type
//! analysis; guarantees depend on it.

mod expression;
mod query;
mod suggestion;
mod synonyms;

pub(crate) use expression::{PARTS, SUBSTRING_HELP, UNITS};

use datafusion_sql::sqlparser::ast::{Expr, SelectItem, SetExpr, Spanned, Statement};
use datafusion_sql::sqlparser::dialect::GenericDialect;
use datafusion_sql::sqlparser::keywords::Keyword;
use datafusion_sql::sqlparser::parser::Parser;
use datafusion_sql::sqlparser::tokenizer::{Span, Token, TokenWithSpan, Tokenizer};
use deniable_query::{Place, QueryError, Word};

const LONGEST: usize = 64 * 1024;
const DEEPEST: usize = 40;
/// Deepest nesting of constructs such as CASE and CAST, which the parser reads twice when it meets a syntax error
/// inside them.
const MOST_NESTED: usize = 14;
const STEPS: &str = "compute in steps: WITH steps AS (SELECT ... AS x FROM ...) SELECT ... FROM steps";
/// Most operators and keywords.
const MOST_OPERATORS: usize = 400;

/// A query that is on the allow-list of syntax.
#[derive(Debug)]
pub struct ParsedQuery {
    /// The query, with [synonyms](synonyms) rewritten.
    pub statement: Statement,
    /// The names of its columns, from the query as written; `None` if it does not list them individually.
    pub names: Option<Vec<String>>,
}

/// Parses one SELECT and checks it against the allow-list of syntax.
///
/// # Errors
/// When the text is not SQL, is not one SELECT, or contains a construct that is not on the list.
pub fn parse(sql: &str) -> Result<ParsedQuery, QueryError> {
    if sql.len() > LONGEST {
        return Err(QueryError::refused(
            format!("SQL of more than {LONGEST} characters"),
            "ask several shorter queries",
        ));
    }
    let tokens = Tokenizer::new(&GenericDialect {}, sql)
        .tokenize_with_location()
        .map_err(|error| syntax_error(&error.to_string()))?;
    // Chains of operators become trees as deep as they are long, which makes every traversal expensive.
    if let Some(one_too_many) = tokens.iter().filter(|token| makes_deeper(&token.token)).nth(MOST_OPERATORS) {
        return Err(QueryError::Refused {
            construct: format!("a query with more than {MOST_OPERATORS} operators and keywords"),
            help: "use IN (...) for many values, or prepare a column".to_owned(),
            place: place(one_too_many.span),
            word: None,
        });
    }
    if let Some(one_too_many) = nested_too_deep(&tokens) {
        return Err(QueryError::Refused {
            construct: format!("CASE, CAST and the like nested more than {MOST_NESTED} deep"),
            help: STEPS.to_owned(),
            place: place(one_too_many),
            word: None,
        });
    }
    let statements = Parser::new(&GenericDialect {})
        .with_recursion_limit(DEEPEST)
        .with_tokens_with_locations(tokens)
        .parse_statements()
        .map_err(|error| syntax_error(&error.to_string()))?;
    let mut statements = statements.into_iter();
    let (Some(mut statement), None) = (statements.next(), statements.next()) else {
        return Err(QueryError::refused("more or less than one statement", "write a single SELECT in each query"));
    };
    let names = column_names(&statement);
    synonyms::rewrite(&mut statement);
    let Statement::Query(query) = &statement else {
        return Err(refuse(&statement, "this statement", "only SELECT is answered; the data is never changed"));
    };
    query::check(query)?;
    query::few_enough_tables(query)?;
    Ok(ParsedQuery { statement, names })
}

/// The place of a construct that is nested too deep and that the parser, after a syntax error, tries to read in another
/// way: each level doubles its time.
fn nested_too_deep(tokens: &[TokenWithSpan]) -> Option<Span> {
    let solid: Vec<&TokenWithSpan> =
        tokens.iter().filter(|token| !matches!(token.token, Token::Whitespace(_))).collect();
    let mut brackets: Vec<usize> = Vec::new();
    let (mut open, mut unclosed) = (0_usize, 0_usize);
    for (at, token) in solid.iter().enumerate() {
        match &token.token {
            Token::Word(word) if word.keyword == Keyword::END => open = open.saturating_sub(1),
            Token::Word(word) if word.keyword == Keyword::CASE => open += 1,
            Token::Word(word) if word.keyword == Keyword::INTERVAL => unclosed += 1,
            Token::LParen => {
                let before = at.checked_sub(1).map(|before| &solid[before].token);
                brackets.push(match before {
                    // Each level takes more than three times as long.
                    Some(Token::Word(word)) if word.keyword == Keyword::POSITION => 2,
                    Some(Token::Word(word)) if word.keyword != Keyword::NoKeyword => 1,
                    _ => 0,
                });
            }
            // The parser tries the elements of an array as bounds of a slice.
            Token::LBracket => brackets.push(1),
            Token::RParen | Token::RBracket => drop(brackets.pop()),
            _ => {}
        }
        if open + unclosed + brackets.iter().sum::<usize>() > MOST_NESTED {
            return Some(token.span);
        }
    }
    None
}

/// Whether a token can add a level to the tree: anything except names, constants, commas and spaces.
fn makes_deeper(token: &Token) -> bool {
    match token {
        Token::Whitespace(_) | Token::Comma | Token::Number(..) | Token::SingleQuotedString(_) | Token::EOF => false,
        Token::Word(word) => word.keyword != Keyword::NoKeyword,
        _ => true,
    }
}

/// The places of a word in the SQL.
pub(crate) fn places_of(sql: &str, word: &Word) -> Vec<Place> {
    let tokens = Tokenizer::new(&GenericDialect {}, sql).tokenize_with_location().unwrap_or_default();
    let is_it = |token: &Token| match (word, token) {
        (_, Token::Whitespace(_)) => false,
        (Word::Text(text), Token::SingleQuotedString(found)) => text == found,
        (Word::Text(_), _) | (Word::Name(_), Token::SingleQuotedString(_)) => false,
        (Word::Name(name), Token::Word(found)) => found.value.eq_ignore_ascii_case(name),
        (Word::Name(name), other) => other.to_string() == *name,
    };
    tokens.iter().filter(|token| is_it(&token.token)).filter_map(|token| place(token.span)).collect()
}

/// The alias of each column, its name, or its expression as written.
fn column_names(statement: &Statement) -> Option<Vec<String>> {
    let Statement::Query(query) = statement else { return None };
    let SetExpr::Select(select) = &*query.body else { return None };
    select
        .projection
        .iter()
        .map(|item| match item {
            SelectItem::ExprWithAlias { alias, .. } => Some(alias.value.clone()),
            SelectItem::UnnamedExpr(Expr::Identifier(name)) => Some(name.value.clone()),
            SelectItem::UnnamedExpr(Expr::CompoundIdentifier(names)) => names.last().map(|name| name.value.clone()),
            SelectItem::UnnamedExpr(expr) => Some(expr.to_string()),
            SelectItem::ExprWithAliases { .. } | SelectItem::QualifiedWildcard(..) | SelectItem::Wildcard(_) => None,
        })
        .collect()
}

/// The parser's errors end in " at Line: 1, Column: 8", which becomes a place.
fn syntax_error(text: &str) -> QueryError {
    let text = text.trim_start_matches("sql parser error: ");
    if text.starts_with("recursion limit") {
        return QueryError::refused(format!("SQL nested more than {DEEPEST} deep"), STEPS);
    }
    let (message, place) = match text.rsplit_once(" at Line: ") {
        Some((message, at)) => (message, parse_place(at)),
        None => (text, None),
    };
    QueryError::Syntax { message: message.to_owned(), place }
}

fn parse_place(at: &str) -> Option<Place> {
    let (line, column) = at.split_once(", Column: ")?;
    let (line, column) = (line.parse().ok()?, column.parse().ok()?);
    Some(Place { line, column, end_line: line, end_column: column + 1 })
}

fn place(span: Span) -> Option<Place> {
    (span.start.line > 0).then_some(Place {
        line: span.start.line,
        column: span.start.column,
        end_line: span.end.line,
        end_column: span.end.column,
    })
}

fn refuse(node: &impl Spanned, construct: impl Into<String>, help: impl Into<String>) -> QueryError {
    QueryError::refused(construct, help).at(place(node.span()))
}

/// Rejects a query with this clause.
fn absent(present: bool, node: &impl Spanned, construct: &str, help: &str) -> Result<(), QueryError> {
    if present { Err(refuse(node, construct, help)) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(sql: &str) -> QueryError {
        parse(sql).expect_err(sql)
    }

    #[test]
    fn listed_sql_is_accepted() {
        for sql in [
            "SELECT COUNT(*) FROM visits",
            "select sex, count(*) as n, avg(age) from visits where age between 18 and 65 group by sex order by n desc limit 3",
            "WITH adults AS (SELECT * FROM visits WHERE age >= 18) SELECT COUNT(DISTINCT patient) FROM adults",
            "SELECT SUM(CASE WHEN smoker THEN cost ELSE 0 END) / 2 FROM (SELECT smoker, cost FROM visits) AS v",
            "SELECT COUNT(*) FROM visits WHERE NOT (sex = 'F' OR department IN ('a', 'b')) AND cost IS NOT NULL",
            "SELECT COUNT(*) FROM visits WHERE department LIKE 'c%' AND abs(cost - 3) < 2e1",
            "SELECT COUNT(*) FROM visits WHERE (smoker IS DISTINCT FROM TRUE) AND age > 3 AND age IS NOT DISTINCT FROM 4",
            "SELECT COUNT(*) FROM a, b WHERE a.x = b.x",
            "SELECT a.y, MAX(b.z) FROM a JOIN b USING (x) LEFT JOIN c ON a.d = c.d GROUP BY ROLLUP(a.y) HAVING MAX(b.z) > 3",
            "SELECT PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY z), SUM(z) FILTER (WHERE z > 0) FROM a",
            "SELECT COUNT(*) FROM a WHERE d > DATE '2024-01-01' - INTERVAL '1 day' AND d < e + INTERVAL 2 MONTH",
            "SELECT DATE_TRUNC('month', d), EXTRACT(year FROM d), COUNT(*) FROM a WHERE d >= DATE '2024-01-01' GROUP BY 1, 2",
        ] {
            assert!(parse(sql).is_ok(), "{sql}: {:?}", parse(sql));
        }
    }

    #[test]
    fn unlisted_sql_is_refused_with_its_place() {
        let joined = refusal("SELECT COUNT(*)\nFROM visits NATURAL JOIN other");
        assert_eq!(joined.place().map(|p| p.line), Some(2));
        for sql in [
            "SELECT DISTINCT sex FROM visits",
            "SELECT COUNT(*) FROM a RIGHT JOIN b ON a.x = b.x",
            "SELECT COUNT(*) FROM a SEMI JOIN b ON a.x = b.x",
            "SELECT COUNT(*) FROM visits GROUP BY ALL",
            "SELECT RANK() FROM visits",
            "SELECT random() FROM visits",
            "SELECT MODE(age) FROM visits",
            "SELECT COUNT(*) FROM visits WHERE now() > DATE '2024-01-01'",
            "SELECT COUNT(*) FROM visits WHERE day > DATE '2024-01-01' - INTERVAL '1.5 days'",
            "SELECT COUNT(*) FROM visits WHERE day > DATE '2024-01-01' - INTERVAL '1-2' YEAR TO MONTH",
            "SELECT EXTRACT(epoch FROM day) FROM visits",
            "SELECT COUNT(*) FROM visits CROSS JOIN LATERAL (SELECT 1) AS x",
            "SELECT COUNT(*) FROM visits WHERE age = (SELECT 1)",
            "SELECT COUNT(*) FROM visits WHERE EXISTS (SELECT 1)",
            "SELECT COUNT(*) FROM visits UNION SELECT 1",
            "SELECT COUNT(*) FROM visits; SELECT COUNT(*) FROM visits",
            "DELETE FROM visits",
            "WITH RECURSIVE t AS (SELECT 1) SELECT COUNT(*) FROM t",
            "SELECT COUNT(*) FROM read_csv('x')",
            "SELECT COUNT(*) FROM visits TABLESAMPLE (10)",
            "SELECT COUNT(*) FROM visits WHERE note SIMILAR TO 'x'",
            "SELECT COUNT(*) FROM visits WHERE cost & 1 = 1",
            "SELECT COUNT(*) FROM visits WHERE smoker IS DISTINCT FROM TRUE AND age > 3",
            "SELECT COUNT(*) FROM visits WHERE age > 3 OR smoker IS NOT DISTINCT FROM TRUE OR age < 1",
            "VALUES (1)",
            "",
        ] {
            let error = refusal(sql);
            assert!(error.help().is_some_and(|help| !help.is_empty()), "{sql}: {error:?} has no hint");
        }
    }

    #[test]
    fn broken_sql_names_its_place() {
        let error = refusal("SELECT COUNT(*) FORM visits x y");
        assert!(matches!(error, QueryError::Syntax { place: Some(_), .. }), "{error:?}");
        let nested = format!("SELECT {}1{}", "(".repeat(150), ")".repeat(150));
        assert!(matches!(refusal(&nested), QueryError::Refused { .. }));
    }

    #[test]
    fn a_query_without_columns_is_refused() {
        let error = parse("SELECT FROM t GROUP BY g ORDER BY COUNT(*) DESC LIMIT 1").unwrap_err();
        assert!(error.to_string().contains("SELECT without columns"), "{error}");
    }

    #[test]
    fn ctes_that_double_at_each_step_are_refused_before_planning() {
        let chain = |steps: usize| {
            let step = |at: usize| format!(", c{at} AS (SELECT a.n FROM c{0} a JOIN C{0} b ON a.n = b.n)", at - 1);
            let steps: String = (1..=steps).map(step).collect();
            format!("WITH c0 AS (SELECT n FROM t){steps} SELECT COUNT(*) FROM c{}", steps.matches(" AS (").count())
        };
        assert!(parse(&chain(5)).is_ok());
        for steps in [7, 20] {
            assert!(parse(&chain(steps)).unwrap_err().to_string().contains("more than 64 tables"));
        }
        let apart = (0..9).map(|at| format!(", c{at} AS (SELECT n FROM t)")).collect::<String>();
        assert!(parse(&format!("WITH x AS (SELECT n FROM t){apart} SELECT COUNT(*) FROM x")).is_ok());
    }

    #[test]
    fn long_chains_are_refused_before_they_become_deep_trees() {
        for chain in ["+ n ", "AND n > 1 ", "::BIGINT ", "IS NULL ", "|| n ", "* -n ", "OR n IN (1) ", "-> n ", "[1] "]
        {
            let sql = format!("SELECT COUNT(*) FROM visits WHERE n {}", chain.repeat(4_000));
            assert!(matches!(refusal(&sql), QueryError::Refused { .. }), "{chain}");
        }
        let many_values = format!("SELECT COUNT(*) FROM visits WHERE n IN (0{})", ", 1".repeat(10_000));
        assert!(parse(&many_values).is_ok());
    }
}
