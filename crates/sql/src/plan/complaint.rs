//! The planner's complaints in the words of a statistician.
//!
//! They depend on the SQL and the declarations alone. What is not recognised here is passed on as it is.

use super::Table;
use crate::error::{Place, QueryError};
use datafusion::error::DataFusionError;
use deniable_policy::Column;

/// Prefixes that say which part of the planner spoke.
const PREFIXES: [&str; 5] = [
    "Error during planning: ",
    "Schema error: ",
    "SQL error: ",
    "This feature is not implemented: ",
    "Execution error: ",
];

/// Turns a planner's error into ours, knowing the declared columns.
pub(super) fn meaning_in(error: &DataFusionError, tables: &[Table]) -> QueryError {
    let plain = meaning(error);
    let QueryError::Meaning { message, help, place } = plain else { return plain };
    let columns = || tables.iter().flat_map(|table| &table.columns);
    let is = |name: &str| message == format!("there is no column `{name}`");
    let in_capitals = |column: &&Column| {
        let lower = column.name.to_lowercase();
        lower != column.name && is(&lower)
    };
    let in_spaces = |column: &&Column| {
        let plain = column.name.to_lowercase().replace([' ', '-', '.'], "_");
        plain != column.name && is(&plain)
    };
    let help = if let Some(column) = columns().find(in_capitals) {
        Some(format!("write \"{}\", with the double quotes: names without them are read in lower case", column.name))
    } else if let Some(column) = columns().find(in_spaces) {
        Some(format!("write \"{}\", with the double quotes: names with spaces and signs need them", column.name))
    } else {
        help
    };
    QueryError::Meaning { message, help, place }
}

/// Turns a planner's error into ours.
pub(super) fn meaning(error: &DataFusionError) -> QueryError {
    let place = error.diagnostic().and_then(|diagnostic| diagnostic.span).map(|span| Place {
        line: span.start.line,
        column: span.start.column,
        end_line: span.end.line,
        end_column: span.end.column,
    });
    let (message, help) = in_plain_words(&error.strip_backtrace());
    QueryError::Meaning { message, help: help.map(str::to_owned), place }
}

fn in_plain_words(text: &str) -> (String, Option<&'static str>) {
    // An error may be wrapped in the name of the rule that met it.
    let text = text.rsplit("caused by\n").next().unwrap_or(text).trim();
    let text = PREFIXES.iter().fold(text, |text, prefix| text.trim_start_matches(prefix));
    let first_line = text.lines().next().unwrap_or(text);
    if let Some(rest) = first_line.strip_prefix("No field named ") {
        let name = rest.trim_end_matches('.').split(". ").next().unwrap_or(rest);
        let help = if name.starts_with('"') {
            "texts are written in single quotes, as 'F'; double quotes name columns"
        } else {
            "only columns that the policy declares can be used; a text is written in single quotes, as 'F'"
        };
        return (format!("there is no column {}", quoted(name)), Some(help));
    }
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
    if first_line.starts_with("there is no table") {
        return (first_line.to_owned(), Some("a policy declares its tables in [data] and [tables.NAME]"));
    }
    if first_line.contains("calls cannot be nested") {
        let message = "an aggregate stands inside an aggregate".to_owned();
        return (message, Some("aggregate once; arithmetic on the results is free"));
    }
    if first_line.contains("require unique expression names") {
        return ("two results have the same name".to_owned(), Some("name them apart with AS"));
    }
    if let Some(rest) = first_line.strip_prefix("Ambiguous reference to unqualified field ") {
        return (format!("several tables have a column {}", quoted(rest)), Some("say which table's: table.column"));
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
        let (message, help) = in_plain_words("Schema error: No field named aeg. Valid fields are t.age, t.sex.");
        assert_eq!(message, "there is no column `aeg`");
        assert!(help.is_some());
        let (message, help) = in_plain_words("Schema error: No field named \"F\". Valid fields are t.age.");
        assert_eq!(message, "there is no column `F`");
        assert!(help.is_some_and(|help| help.contains("single quotes")));
        let wrapped =
            "type_coercion\ncaused by\nError during planning: Cannot coerce arithmetic expression Utf8 + Int64";
        assert_eq!(in_plain_words(wrapped).0, "arithmetic on what is not a number");
        assert_eq!(in_plain_words("Something new").0, "Something new");
    }
}
