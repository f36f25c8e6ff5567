//! Keys in words: months by name, rows without a value, bands of days by their first day.

use super::columns;
use deniable_core::calendar::{MONTH_NAMES, iso_day};
use deniable_publication::{ALL, Answer, Cell, KeyValue};
use jiff::civil::{Date, date};

const UNIX_EPOCH: Date = date(1970, 1, 1);

/// The form of the keys of one column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// As they are.
    Exact,
    /// Days and times, as they are.
    Time,
    /// ISO 8601 months, or their first days: "June 2024".
    Month,
    /// First days of years: "2024".
    Year,
}

/// How the keys of an answer are written, by column.
#[derive(Debug)]
pub struct KeyWords(Vec<Form>);

impl KeyWords {
    /// The words for the keys of an answer.
    pub fn of(table: &Answer) -> Self {
        let (keys, _) = columns(table);
        let form = |at: usize| if keys.contains(&at) { form(table, at) } else { Form::Exact };
        Self((0..table.columns.len()).map(form).collect())
    }

    /// Whether the keys of a column are days, times, months or years, so that their order is chronological.
    pub fn is_time(&self, at: usize) -> bool {
        matches!(self.0.get(at), Some(Form::Time | Form::Month | Form::Year))
    }

    /// The place of a row along a key of years, months, days or whole numbers; `None` for other keys.
    pub fn place(&self, row: &[Cell], at: usize) -> Option<i64> {
        let text = row.get(at).and_then(Cell::key).map(KeyValue::text)?;
        match self.0.get(at)? {
            Form::Exact => text.parse().ok(),
            Form::Year => text.get(..4)?.parse().ok(),
            Form::Month => {
                let (year, month) = (text.get(..4)?.parse::<i64>().ok()?, text.get(5..7)?.parse::<i64>().ok()?);
                Some(year * 12 + month)
            }
            Form::Time => iso_day(&text).map(|day| i64::from((day - UNIX_EPOCH).get_days())),
        }
    }

    /// The keys of a row, in words.
    pub fn label(&self, row: &[Cell], keys: &[usize]) -> String {
        keys.iter().map(|at| self.one(row, *at)).collect::<Vec<_>>().join(", ")
    }

    /// The keys of a row as they are, to find rows of the same keys; `None` for no value, which is not the key of any text.
    pub fn exact(&self, row: &[Cell], keys: &[usize]) -> Vec<Option<String>> {
        keys.iter().map(|at| row.get(*at).and_then(Cell::key).map(KeyValue::text)).collect()
    }

    fn one(&self, row: &[Cell], at: usize) -> String {
        let text = text(row.get(at));
        if text == ALL {
            return text;
        }
        let named = match self.0.get(at) {
            Some(Form::Month) => month(&text).map(|(year, name)| format!("{name} {year}")),
            Some(Form::Year) => text.get(..4).map(str::to_owned),
            Some(Form::Exact | Form::Time) | None => None,
        };
        named.unwrap_or(text)
    }
}

fn text(cell: Option<&Cell>) -> String {
    match cell {
        Some(Cell::Key(Some(key))) => key.text(),
        _ => "no value".to_owned(),
    }
}

/// The form of the keys of a column; rows without a value and totals do not count.
fn form(table: &Answer, at: usize) -> Form {
    let texts: Vec<String> = table
        .rows
        .iter()
        .filter_map(|row| row.get(at).and_then(Cell::key))
        .map(KeyValue::text)
        .filter(|text| text != ALL)
        .collect();
    let all = |is: fn(&str) -> bool| !texts.is_empty() && texts.iter().all(|text| is(text));
    // Codes may look like months; only the periods of a repeated query are months without a day.
    let is_period = table.columns[at] == "period";
    if all(|text| day(text).is_some_and(|rest| rest == "-01-01")) && texts.len() > 1 {
        Form::Year
    } else if all(|text| month(text).is_some() && is_first_day(text))
        || (is_period && all(|text| month(text).is_some()))
    {
        Form::Month
    } else if all(|text| day(text).is_some()) {
        Form::Time
    } else {
        Form::Exact
    }
}

/// The rest of an ISO 8601 day or time after its year.
fn day(text: &str) -> Option<&str> {
    let (year, rest) = text.split_at_checked(4)?;
    let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let (month, day) = (rest.get(1..3)?, rest.get(4..6)?);
    let has_dashes = rest.starts_with('-') && rest.get(3..4) == Some("-");
    (has_dashes && is_digits(year) && is_digits(month) && is_digits(day)).then_some(rest)
}

/// Whether a text is the first day of a month in a usual year.
fn is_first_day(text: &str) -> bool {
    text.len() == 10 && text.ends_with("-01") && text.get(..4).is_some_and(|year| ("1800"..="2199").contains(&year))
}

/// The year and name of an ISO 8601 month, or of the month whose first day this is.
fn month(text: &str) -> Option<(&str, &'static str)> {
    let (year, rest) = text.split_at_checked(4)?;
    let number = rest.strip_prefix('-')?;
    let number = number.strip_suffix("-01").unwrap_or(number);
    let is_year = year.bytes().all(|byte| byte.is_ascii_digit());
    (is_year && number.len() == 2).then_some(())?;
    Some((year, name(number)?))
}

/// The name of the month with this number.
fn name(number: &str) -> Option<&'static str> {
    let number: usize = number.parse().ok()?;
    MONTH_NAMES.get(number.checked_sub(1)?).copied()
}

#[cfg(test)]
mod tests {
    use super::super::tests::table;
    use super::*;
    use serde_json::json;

    fn labels(column: &str, keys: &[serde_json::Value]) -> Vec<String> {
        let rows: Vec<_> = keys.iter().map(|key| json!([key, { "value": 1, "low": 0, "high": 2 }])).collect();
        let table = table(&[column, "n"], rows.into());
        table.rows.iter().map(|row| KeyWords::of(&table).label(row, &[0])).collect()
    }

    #[test]
    fn months_and_years_have_names() {
        assert_eq!(
            labels("m", &[json!("2024-06-01"), json!("2024-12-01"), json!(null)]),
            ["June 2024", "December 2024", "no value"]
        );
        assert_eq!(labels("period", &[json!("2024-06"), json!(ALL)]), ["June 2024", ALL]);
        assert_eq!(labels("y", &[json!("2023-01-01"), json!("2024-01-01")]), ["2023", "2024"]);
    }

    #[test]
    fn other_keys_stay_as_they_are() {
        assert_eq!(labels("m", &[json!("2024-06-01"), json!("2024-06-02")]), ["2024-06-01", "2024-06-02"]);
        assert_eq!(labels("month", &[json!(1), json!(12)]), ["1", "12"]);
        assert_eq!(labels("code", &[json!("1001-01"), json!("1001-02")]), ["1001-01", "1001-02"]);
        assert_eq!(labels("code", &[json!("2024-13"), json!("20é4-06")]), ["2024-13", "20é4-06"]);
        assert_eq!(labels("n", &[json!(6)]), ["6"]);
    }
}
