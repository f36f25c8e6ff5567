//! Translates the planner's errors into the terms of a statistician.
//!
//! They depend on the SQL and the declarations alone. Unknown names have their own error types; all other errors are
//! texts. Texts that are not in the table below pass unchanged.

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

/// The error of a table that the policy does not declare, for the planner to return.
pub(super) fn no_table(written: &str, name: &str, known: &[&str]) -> DataFusionError {
    let declared: Vec<String> = known.iter().map(|name| format!("`{name}`")).collect();
    let message = format!("there is no table `{written}`; the policy declares {}", declared.join(", "));
    let help = match nearest(name, known) {
        Some(near) => format!("did you mean `{near}`?"),
        None => "a policy declares its tables in [data] and [tables.NAME]".to_owned(),
    };
    DataFusionError::External(Box::new(QueryError::missing(Missing::Table, message, help).about(name)))
}

/// The error of a column that is neither declared nor the name of a result.
fn no_column(field: &Column, valid: &[Column], tables: &[TableSchema]) -> QueryError {
    let written = field.quoted_flat_name();
    let name = field.name.as_str();
    let declared = || tables.iter().flat_map(|table| &table.columns).map(|column| column.name.as_str());
    let known: Vec<&str> = valid.iter().map(|column| column.name.as_str()).chain(declared()).collect();
    let named = |column: &&str| *column != name;
    let help = if let Some(column) = declared().find(|column| named(column) && column.to_lowercase() == name) {
        format!("write \"{column}\", with the double quotes: names without quotes are lower case")
    } else if let Some(column) = declared().find(|column| named(column) && in_one_word(column) == name) {
        format!("write \"{column}\", with the double quotes: names with spaces and signs need them")
    } else if let Some(near) = nearest(name, &known) {
        let declare = if near == name {
            String::new()
        } else {
            format!(" If the data have a column `{name}`, declare that one under [columns]")
        };
        format!("did you mean `{}`?{declare}", as_written(near))
    } else if written.starts_with('"') {
        "texts are written in single quotes, as 'F'; double quotes name columns".to_owned()
    } else {
        "only columns that the policy declares can be used; a text is written in single quotes, as 'F'".to_owned()
    };
    QueryError::missing(Missing::Column, format!("there is no column {}", quoted(&written)), help)
}

/// A name with underscores in place of spaces.
fn in_one_word(name: &str) -> String {
    name.to_lowercase().replace([' ', '-', '.'], "_")
}

/// A column's name as SQL writes it: double quotes preserve capitals and special characters.
fn as_written(name: &str) -> String {
    let is_plain = name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
        && !name.starts_with(|c: char| c.is_ascii_digit());
    if is_plain { name.to_owned() } else { format!("\"{name}\"") }
}

/// Translates a planner's error. A misspelt name is most likely a name in one of the declared tables.
pub(super) fn meaning(error: &DataFusionError, tables: &[TableSchema]) -> QueryError {
    let place = error.diagnostic().and_then(|diagnostic| diagnostic.span).map(place::of_span);
    match error.find_root() {
        DataFusionError::External(own) if let Some(own) = own.downcast_ref::<QueryError>() => own.clone().at(place),
        DataFusionError::SchemaError(cause, _) if let SchemaError::FieldNotFound { field, valid_fields } = &**cause => {
            no_column(field, valid_fields, tables).at(place).about(&field.name)
        }
        DataFusionError::SchemaError(cause, _) if let SchemaError::AmbiguousReference { field } = &**cause => {
            let message = format!("several tables have a column {}", quoted(&field.quoted_flat_name()));
            let error = QueryError::meaning(message).with_help("add the table's name: table.column".to_owned());
            error.at(place).about(&field.name)
        }
        // All other errors are texts.
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

/// The word of the SQL that a translated message refers to: a quoted name, or the clause.
fn word_of(message: &str) -> Option<String> {
    let clauses = [
        ("GROUP BY", "GROUP"),
        ("ORDER BY", "ORDER"),
        ("NOT of", "NOT"),
        ("an INTERVAL", "INTERVAL"),
        ("an aggregate is used in WHERE", "WHERE"),
        ("a condition is not", "WHERE"),
    ];
    if let Some((_, word)) = clauses.iter().find(|(start, _)| message.starts_with(start)) {
        return Some((*word).to_owned());
    }
    // A column `t.x` ends in its own name; a call `sum(a text)` and a table `t` begin with theirs.
    let quoted = message.split('`').nth(1)?;
    quoted.split('(').next()?.rsplit('.').next().map(str::to_owned)
}

fn in_plain_words(text: &str) -> (String, Option<&'static str>) {
    // An error may be prefixed with the name of the failing rule.
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
        let message = what.map_or_else(|| first_line.to_owned(), |call| format!("{} is not defined", quoted(&call)));
        let help = if text.contains("percentile_cont") {
            "write PERCENTILE_CONT(x, 0.9), of a number"
        } else if first_line.contains("regr_") || first_line.contains("covar") || first_line.contains("corr") {
            "write CORR(y, x), of two numbers or conditions; REGR_SLOPE, REGR_INTERCEPT, REGR_R2 and REGR_COUNT take \
             up to eight x"
        } else if text.contains("Date32") || text.contains("Timestamp") {
            "of dates and times ask for MIN, MAX or MEDIAN, or for DATE_DIFF('day', a, b), which is a number"
        } else if text.contains("(Boolean)") {
            "it takes numbers: write CASE WHEN condition THEN 1 ELSE 0 END inside, whose AVG is the share of rows \
             that meet the condition"
        } else {
            "it takes numbers: convert a text with CAST(x AS DOUBLE); write a column's name in double quotes or \
             without quotes"
        };
        return (message, Some(help));
    }
    let has_no_type = ["Cannot coerce arithmetic expression", "Cannot infer common argument type"];
    if has_no_type.iter().any(|planners| first_line.contains(planners)) && first_line.contains("Interval") {
        let message = "an INTERVAL beside a value that is not a date".to_owned();
        return (message, Some("declare the column as a date, or write CAST(x AS DATE) + INTERVAL '30 days'"));
    }
    if first_line.contains("Cannot coerce arithmetic expression")
        && (first_line.contains("Date32") || first_line.contains("Timestamp"))
    {
        let message = "arithmetic on a date".to_owned();
        return (message, Some(crate::lower::DATE_ARITHMETIC));
    }
    if first_line.contains("Cannot coerce arithmetic expression") {
        let message = "arithmetic on a value that is not a number".to_owned();
        return (message, Some("arithmetic takes numbers; convert a text with CAST(x AS DOUBLE)"));
    }
    if first_line.contains("calls cannot be nested") {
        let message = "an aggregate is nested in an aggregate".to_owned();
        return (message, Some("aggregate once; arithmetic on the results is free"));
    }
    if first_line.contains("require unique expression names") {
        return ("two results have the same name".to_owned(), Some("give them different names with AS"));
    }
    let known = [
        ("non-boolean predicate", "a condition is not true or false", "compare the value with something"),
        ("'NOT' requires a boolean", "NOT of a value that is not true or false", "compare the value with something"),
        (
            "duplicate unqualified field name",
            "GROUP BY refers to an aggregate",
            "group by columns or by expressions of them",
        ),
        (
            "Cannot find column with position",
            "GROUP BY refers to a result that does not exist",
            "results are numbered from 1; or name the column",
        ),
        (
            "Order by column out of bounds",
            "ORDER BY refers to a result that does not exist",
            "results are numbered from 1; or name the column",
        ),
        (
            "not allowed in the WHERE clause",
            "an aggregate is used in WHERE",
            "use HAVING, which compares the noisy results",
        ),
        ("Cannot infer common argument type", "values of types that cannot be compared", COMPARED),
    ];
    match known.iter().find(|(planners, ..)| first_line.contains(planners)) {
        Some((_, message, help)) => ((*message).to_owned(), Some(help)),
        None => (first_line.to_owned(), None),
    }
}

const COMPARED: &str = "compare numbers with numbers, texts with texts, dates with dates; DATE_DIFF('day', a, b) is \
                        the number of days between two dates";

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
    fn planner_errors_are_rephrased() {
        let wrapped =
            "type_coercion\ncaused by\nError during planning: Cannot coerce arithmetic expression Utf8 + Int64";
        assert_eq!(in_plain_words(wrapped).0, "arithmetic on a value that is not a number");
        assert_eq!(in_plain_words("Something new").0, "Something new");
    }
}
