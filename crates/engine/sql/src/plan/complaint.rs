//! The planner's errors in the terms of a statistician.
//!
//! They depend on the SQL and the declarations alone. Unknown names have types of their own. Of all else the planner has a text alone, and texts that
//! are not in the table below pass unchanged.

use super::place;
use datafusion_common::{Column, DataFusionError, SchemaError};
use deniable_core::schema::TableSchema;
use deniable_core::text::nearest;
use deniable_query::{Missing, QueryError};

/// Prefixes that name the part of the planner that failed.
const PREFIXES: [&str; 5] = [
    "Error during planning: ",
    "Schema error: ",
    "SQL error: ",
    "This feature is not implemented: ",
    "Execution error: ",
];

/// The error of a table that the policy does not declare, for the planner to hand on.
pub(super) fn no_table(written: &str, name: &str, known: &[&str]) -> DataFusionError {
    let declared: Vec<String> = known.iter().map(|name| format!("`{name}`")).collect();
    let message = format!("there is no table `{written}`; the policy declares {}", declared.join(", "));
    let help = match nearest(name, known) {
        Some(near) => format!("did you mean `{near}`?"),
        None => "a policy declares its tables in [data] and [tables.NAME]".to_owned(),
    };
    DataFusionError::External(Box::new(QueryError::missing(Missing::Table, message, help).about(name)))
}

/// A column that the planner does not find among those that are declared, and the query's own names for results.
fn no_column(field: &Column, valid: &[Column], tables: &[TableSchema]) -> QueryError {
    let written = field.quoted_flat_name();
    let name = field.name.as_str();
    let declared = || tables.iter().flat_map(|table| &table.columns).map(|column| column.name.as_str());
    let known: Vec<&str> = valid.iter().map(|column| column.name.as_str()).chain(declared()).collect();
    let named = |column: &&str| *column != name;
    let help = if let Some(column) = declared().find(|column| named(column) && column.to_lowercase() == name) {
        format!("write \"{column}\", with the double quotes: names without them are read in lower case")
    } else if let Some(column) = declared().find(|column| named(column) && in_one_word(column) == name) {
        format!("write \"{column}\", with the double quotes: names with spaces and signs need them")
    } else if let Some(near) = nearest(name, &known) {
        format!("did you mean `{}`?", as_written(near))
    } else if written.starts_with('"') {
        "texts are written in single quotes, as 'F'; double quotes name columns".to_owned()
    } else {
        "only columns that the policy declares can be used; a text is written in single quotes, as 'F'".to_owned()
    };
    QueryError::missing(Missing::Column, format!("there is no column {}", quoted(&written)), help)
}

/// A name as somebody who knows that names have no spaces would write it.
fn in_one_word(name: &str) -> String {
    name.to_lowercase().replace([' ', '-', '.'], "_")
}

/// A column's name as SQL writes it: double quotes keep capitals and everything that is no word.
fn as_written(name: &str) -> String {
    let is_plain = name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
        && !name.starts_with(|c: char| c.is_ascii_digit());
    if is_plain { name.to_owned() } else { format!("\"{name}\"") }
}

/// Turns a planner's error into ours, knowing the declared tables: a misspelt name is most likely one of theirs.
pub(super) fn meaning(error: &DataFusionError, tables: &[TableSchema]) -> QueryError {
    let place = error.diagnostic().and_then(|diagnostic| diagnostic.span).map(place::of_span);
    match error.find_root() {
        DataFusionError::External(own) if let Some(own) = own.downcast_ref::<QueryError>() => own.clone().at(place),
        DataFusionError::SchemaError(cause, _) if let SchemaError::FieldNotFound { field, valid_fields } = &**cause => {
            no_column(field, valid_fields, tables).at(place).about(&field.name)
        }
        DataFusionError::SchemaError(cause, _) if let SchemaError::AmbiguousReference { field } = &**cause => {
            let message = format!("several tables have a column {}", quoted(&field.quoted_flat_name()));
            let error = QueryError::meaning(message).with_help("say which table's: table.column".to_owned());
            error.at(place).about(&field.name)
        }
        // Of all else the planner has a text alone.
        _ => {
            let (message, help) = in_plain_words(&error.strip_backtrace());
            let word = word_of(&message);
            let plain = QueryError::meaning(message).at(place);
            let plain = match help {
                Some(help) => plain.with_help(help.to_owned()),
                None => plain,
            };
            match word {
                Some(word) => plain.about(word),
                None => plain,
            }
        }
    }
}

/// The word of the SQL that a complaint is about, in our words: a name it quotes, or the clause.
fn word_of(message: &str) -> Option<String> {
    let clauses = [
        ("GROUP BY", "GROUP"),
        ("ORDER BY", "ORDER"),
        ("NOT of", "NOT"),
        ("an aggregate stands in WHERE", "WHERE"),
        ("a condition is neither", "WHERE"),
    ];
    if let Some((_, word)) = clauses.iter().find(|(start, _)| message.starts_with(start)) {
        return Some((*word).to_owned());
    }
    // A column `t.x` ends in its own name, a call `sum(a text)` begins with it, as does a table `t`.
    let quoted = message.split('`').nth(1)?;
    quoted.split('(').next()?.rsplit('.').next().map(str::to_owned)
}

fn in_plain_words(text: &str) -> (String, Option<&'static str>) {
    // An error may be wrapped in the name of the rule that met it.
    let text = text.rsplit("caused by\n").next().unwrap_or(text).trim();
    let text = PREFIXES.iter().fold(text, |text, prefix| text.trim_start_matches(prefix));
    let first_line = text.lines().next().unwrap_or(text);
    if text.contains("must be in GROUP BY or an aggregate function") {
        let column = text.split("column \"").nth(1).and_then(|rest| rest.split('"').next()).unwrap_or("a column");
        let help = "group by it (it needs declared keys), or aggregate it";
        return (format!("{} is neither grouped by nor aggregated", quoted(column)), Some(help));
    }
    if text.contains("Candidate functions") {
        let what = text.split("argument types '").nth(1).and_then(|rest| rest.split('\'').next());
        let what = what.map(types_in_words);
        let message = what.map_or_else(|| first_line.to_owned(), |call| format!("{} has no meaning", quoted(&call)));
        let help = if text.contains("percentile_cont") {
            "write PERCENTILE_CONT(x, 0.9), of a number"
        } else if first_line.contains("regr_") || first_line.contains("covar") || first_line.contains("corr") {
            "write CORR(y, x), of two numbers or conditions; REGR_SLOPE, REGR_INTERCEPT, REGR_R2 and REGR_COUNT take up to eight x"
        } else if text.contains("Date32") || text.contains("Timestamp") {
            "of dates and times ask for MIN, MAX or MEDIAN, or for DATE_DIFF('day', a, b), which is a number"
        } else if text.contains("(Boolean)") {
            "it is for numbers: write CASE WHEN condition THEN 1 ELSE 0 END inside, whose AVG is the part for which it holds"
        } else {
            "it is for numbers: read a text as one with CAST(x AS DOUBLE); a column's name stands in double quotes or none"
        };
        return (message, Some(help));
    }
    if first_line.contains("Cannot coerce arithmetic expression") {
        let message = "arithmetic on what is not a number".to_owned();
        return (message, Some("arithmetic is for numbers; read a text as one with CAST(x AS DOUBLE)"));
    }
    if first_line.contains("calls cannot be nested") {
        let message = "an aggregate stands inside an aggregate".to_owned();
        return (message, Some("aggregate once; arithmetic on the results is free"));
    }
    if first_line.contains("require unique expression names") {
        return ("two results have the same name".to_owned(), Some("name them apart with AS"));
    }
    let known = [
        ("non-boolean predicate", "a condition is neither true nor false", "compare the value with something"),
        ("'NOT' requires a boolean", "NOT of what is neither true nor false", "compare the value with something"),
        (
            "duplicate unqualified field name",
            "GROUP BY points at an aggregate",
            "group by columns or by expressions of them",
        ),
        (
            "Cannot find column with position",
            "GROUP BY points at no result",
            "results count from 1; or name the column",
        ),
        ("Order by column out of bounds", "ORDER BY points at no result", "results count from 1; or name the column"),
        ("not allowed in the WHERE clause", "an aggregate stands in WHERE", "write HAVING: it sees the noisy results"),
        ("Cannot infer common argument type", "values of types that cannot be compared", COMPARED),
    ];
    match known.iter().find(|(planners, ..)| first_line.contains(planners)) {
        Some((_, message, help)) => ((*message).to_owned(), Some(help)),
        None => (first_line.to_owned(), None),
    }
}

const COMPARED: &str = "numbers are compared with numbers, texts with texts, dates with dates; the days between two are DATE_DIFF('day', a, b)";

/// A call with the types of its arguments, as the planner writes it.
fn types_in_words(call: &str) -> String {
    let words = [
        ("Utf8", "a text"),
        ("Boolean", "true or false"),
        ("Date32", "a date"),
        ("Timestamp(µs)", "a time"),
        ("Int64", "a whole number"),
        ("Float64", "a decimal"),
    ];
    words.iter().fold(call.to_owned(), |call, (planners, ours)| call.replace(planners, ours))
}

fn quoted(name: &str) -> String {
    format!("`{}`", name.trim_matches(['"', '\'', '`']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn planner_words_become_plain() {
        let wrapped =
            "type_coercion\ncaused by\nError during planning: Cannot coerce arithmetic expression Utf8 + Int64";
        assert_eq!(in_plain_words(wrapped).0, "arithmetic on what is not a number");
        assert_eq!(in_plain_words("Something new").0, "Something new");
    }
}
