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
    let near = |column: &&Column| message == format!("there is no column `{}`", column.name.to_lowercase());
    let help = tables.iter().flat_map(|table| &table.columns).find(near).map_or(help, |column| {
        Some(format!("write \"{}\", with the double quotes: names without them are read in lower case", column.name))
    });
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
            "only columns that the policy declares can be used"
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
        let what = what.map(|call| call.replace("Utf8", "a text").replace("Boolean", "true or false"));
        let message = what.map_or_else(|| first_line.to_owned(), |call| format!("{} has no meaning", quoted(&call)));
        return (message, Some("SUM and AVG are for numbers; read a text as one with CAST(x AS DOUBLE)"));
    }
    if first_line.contains("Cannot coerce arithmetic expression") {
        let message = "arithmetic on what is not a number".to_owned();
        return (message, Some("arithmetic is for numbers; read a text as one with CAST(x AS DOUBLE)"));
    }
    if first_line.starts_with("there is no table") {
        return (first_line.to_owned(), Some("a policy declares its tables in [data] and [tables.NAME]"));
    }
    if first_line.contains("calls cannot be nested") {
        return (first_line.to_owned(), Some("aggregate once; arithmetic on the results is free"));
    }
    if first_line.contains("require unique expression names") {
        return ("two results have the same name".to_owned(), Some("name them apart with AS"));
    }
    if first_line.contains("non-boolean predicate") {
        return (first_line.to_owned(), Some("a condition is true or false: compare the value with something"));
    }
    (first_line.to_owned(), None)
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
