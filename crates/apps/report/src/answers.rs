//! Answers on a page: a chart that suits their shape, the table, and notes.

mod genome;

use crate::frame::{figure, list};
use deniable_chart::answers::{Grid, Point, Series, bars, heatmap, lines};
use deniable_core::exact::{Rational, parse_rational};
use deniable_core::text::printable;
use deniable_publication::shown::ShownAnswer;
use deniable_publication::{ALL, Answer, Cell, KeyValue, NumberCell, Scalar};
use maud::{Markup, html};

/// Most rows of a table on a page; the JSON has all.
const MOST_ROWS: usize = 400;
const MOST_BARS: usize = 60;
/// Most points of a line: more cannot be distinguished.
const MOST_POINTS: usize = 400;
/// Most rows or columns of a heatmap.
const MOST_CELLS: usize = 40;
/// Most charts of one answer: one for each of its numbers.
const MOST_PICTURES: usize = 4;

/// Kind of chart that suits an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// One bar per row.
    Bars,
    /// A line along an ordered key: numbers, days or times.
    Lines,
    /// A grid of two keys.
    Heatmap,
    /// SNPs along the genome: keys CHR, SNP and BP, or PICK and these.
    Genome,
    /// No chart: too many rows, or only keys.
    Table,
}

/// The positions of the key columns and of the number columns.
fn columns(table: &Answer) -> (Vec<usize>, Vec<usize>) {
    let is_number = |at: &usize| table.rows.iter().any(|row| matches!(row.get(*at), Some(Cell::Number(_))));
    (0..table.columns.len()).partition(|at| !is_number(at))
}

/// The rows of the finest grouping: totals beside their parts would be drawn twice.
fn finest(table: &Answer) -> Vec<&Vec<Cell>> {
    let total =
        |row: &&Vec<Cell>| row.iter().any(|cell| matches!(cell, Cell::Key(Some(KeyValue::Text(text))) if text == ALL));
    let parts: Vec<&Vec<Cell>> = table.rows.iter().filter(|row| !total(row)).collect();
    if parts.is_empty() { table.rows.iter().collect() } else { parts }
}

/// Whether a text is an ISO 8601 day or time, so that its order is chronological.
fn is_time(text: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    matches!(text.get(..10).map(|day| day.split('-').collect::<Vec<_>>()).as_deref(), Some([year, month, day])
        if year.len() == 4 && digits(year) && digits(month) && digits(day))
}

/// The kind of chart that suits an answer.
#[must_use]
pub fn shape(table: &Answer) -> Shape {
    let (keys, numbers) = columns(table);
    if genome::suits(table, &numbers) {
        return Shape::Genome;
    }
    let rows = finest(table);
    if numbers.is_empty() || rows.is_empty() {
        return Shape::Table;
    }
    let distinct = |at: usize| {
        let mut texts: Vec<String> = rows.iter().map(|row| label(row, &[at])).collect();
        texts.sort();
        texts.dedup();
        texts.len()
    };
    let ordered = |at: usize| {
        rows.iter().filter(|row| !matches!(row.get(at), Some(Cell::Key(None)))).all(|row| match row.get(at) {
            Some(Cell::Key(Some(KeyValue::Integer(_) | KeyValue::Decimal(_)))) => true,
            Some(Cell::Key(Some(KeyValue::Text(text)))) => is_time(text),
            _ => false,
        })
    };
    match keys.as_slice() {
        [key] if ordered(*key) && distinct(*key) == rows.len() && (4..=MOST_POINTS).contains(&rows.len()) => {
            Shape::Lines
        }
        [down, across]
            if (2..=MOST_CELLS).contains(&distinct(*down))
                && (2..=MOST_CELLS).contains(&distinct(*across))
                && rows.len() > 4
                && rows.len() * 2 > distinct(*down) * distinct(*across) =>
        {
            Shape::Heatmap
        }
        _ if rows.len() <= MOST_BARS => Shape::Bars,
        _ => Shape::Table,
    }
}

/// The keys of a row, as text.
fn label(row: &[Cell], keys: &[usize]) -> String {
    let text = |at: &usize| match row.get(*at) {
        Some(Cell::Key(Some(key))) => key.text(),
        _ => "NULL".to_owned(),
    };
    keys.iter().map(text).collect::<Vec<_>>().join(", ")
}

/// A number for a chart.
fn value(scalar: &Option<Scalar>) -> Option<f64> {
    match scalar {
        Some(Scalar::Number(number)) => number.to_string().parse().ok(),
        Some(Scalar::Time(_)) | None => None,
    }
}

fn number(row: &[Cell], at: usize) -> Option<&NumberCell> {
    match row.get(at) {
        Some(Cell::Number(number)) => Some(number),
        _ => None,
    }
}

/// The charts of an answer, one for each of its numbers, with their captions; for SNPs there is one.
///
/// `truth` is for simulated data only: the answer without noise, in the same form. It is not drawn along the genome.
#[must_use]
pub fn pictures(table: &Answer, truth: Option<&Answer>) -> Vec<(String, String)> {
    let (keys, numbers) = columns(table);
    let shape = shape(table);
    if shape == Shape::Genome {
        return genome::picture(table, &numbers).into_iter().collect();
    }
    let drawable = numbers.into_iter().filter(|at| finest(table).iter().any(|row| has_value(row, *at)));
    drawable.take(MOST_PICTURES).filter_map(|at| picture(table, truth, shape, &keys, at)).collect()
}

fn has_value(row: &[Cell], at: usize) -> bool {
    number(row, at).is_some_and(|number| value(&number.value).is_some())
}

fn picture(
    table: &Answer,
    truth: Option<&Answer>,
    shape: Shape,
    keys: &[usize],
    at: usize,
) -> Option<(String, String)> {
    let name = table.columns.get(at).cloned().unwrap_or_default();
    let title = if keys.is_empty() { name.clone() } else { format!("{name} by {}", named(table, keys)) };
    let mut rows = finest(table);
    if shape == Shape::Lines {
        rows.sort_by(|one, other| {
            ordering(one, keys).cmp(&ordering(other, keys)).then_with(|| label(one, keys).cmp(&label(other, keys)))
        });
    }
    let point = |row: &&Vec<Cell>| {
        let cell = number(row, at);
        Point {
            label: if keys.is_empty() { name.clone() } else { label(row, keys) },
            value: cell.and_then(|cell| value(&cell.value)),
            // A value chosen by its rank has an interval of ranks, not of values.
            low: cell.filter(|cell| cell.rows.is_none()).and_then(|cell| value(&cell.low)),
            high: cell.filter(|cell| cell.rows.is_none()).and_then(|cell| value(&cell.high)),
        }
    };
    let truths = truth.map(|truth| {
        let found = |row: &&Vec<Cell>| {
            let same = truth.rows.iter().find(|other| label(other, keys) == label(row, keys));
            same.and_then(|row| number(row, at)).and_then(|cell| value(&cell.value)).unwrap_or(f64::NAN)
        };
        rows.iter().map(found).collect()
    });
    let answer = || Series {
        title: title.clone(),
        value: name.clone(),
        points: rows.iter().map(point).collect(),
        truth: truths.clone(),
        intervals: !rows.iter().filter_map(|row| number(row, at)).any(|cell| cell.rows.is_some()),
    };
    let svg = match shape {
        Shape::Bars => bars(&answer()),
        Shape::Lines => lines(&answer()),
        Shape::Heatmap => heatmap(&grid(table, &rows, keys, at, title.clone())),
        // A chart of SNPs uses all their keys.
        Shape::Genome | Shape::Table => return None,
    };
    let totals = table.rows.len() - rows.len();
    Some((svg, if totals == 0 { title } else { format!("{title}; totals are in the table") }))
}

/// The position of a row along an ordered key; days and times are ordered by their text.
fn ordering(row: &[Cell], keys: &[usize]) -> Option<Rational> {
    match keys.first().and_then(|at| row.get(*at)) {
        Some(Cell::Key(Some(key @ (KeyValue::Integer(_) | KeyValue::Decimal(_))))) => parse_rational(&key.text()).ok(),
        _ => None,
    }
}

fn named(table: &Answer, keys: &[usize]) -> String {
    let names: Vec<&str> = keys.iter().filter_map(|at| table.columns.get(*at)).map(String::as_str).collect();
    names.join(" and ")
}

fn grid(table: &Answer, rows: &[&Vec<Cell>], keys: &[usize], at: usize, title: String) -> Grid {
    let labels = |key: usize| {
        let mut all: Vec<String> = Vec::new();
        for row in rows {
            let text = label(row, &[key]);
            if !all.contains(&text) {
                all.push(text);
            }
        }
        all
    };
    let (down, across) = (keys.first().copied().unwrap_or(0), keys.get(1).copied().unwrap_or(0));
    let (names, heads) = (labels(down), labels(across));
    let cell = |name: &String, head: &String| {
        rows.iter()
            .find(|row| label(row, &[down]) == *name && label(row, &[across]) == *head)
            .and_then(|row| number(row, at))
    };
    let field = |of: &dyn Fn(&NumberCell) -> Option<f64>| -> Vec<Vec<Option<f64>>> {
        names.iter().map(|name| heads.iter().map(|head| cell(name, head).and_then(of)).collect()).collect()
    };
    Grid {
        title,
        value: table.columns.get(at).cloned().unwrap_or_default(),
        cells: field(&|cell| value(&cell.value)),
        margins: field(&|cell| Some((value(&cell.high)? - value(&cell.low)?) / 2.0)),
        rows: names,
        columns: heads,
    }
}

/// Whether an answer has negative counts or undefined values.
pub fn has_oddities(table: &Answer) -> bool {
    let odd = |cell: &Cell| match cell {
        Cell::Number(number) => {
            let below = |end: &Option<Scalar>| value(end).is_some_and(|end| end < 0.0);
            number.value.is_none() || (below(&number.value) && !below(&number.low))
        }
        Cell::Key(_) => false,
    };
    table.rows.iter().flatten().any(odd)
}

/// One answer on a page, with its policy if there are several, and with charts if there is room.
pub fn section(shown: &ShownAnswer, policy: Option<&str>, drawn: bool) -> Markup {
    one(&shown.table, &shown.confidence.to_string(), policy, drawn)
}

/// A single answer as on a page, with charts; `confidence` is the displayed confidence of its intervals.
#[must_use]
pub fn single(table: &Answer, confidence: &str) -> Markup {
    one(table, confidence, None, true)
}

fn one(table: &Answer, confidence: &str, policy: Option<&str>, drawn: bool) -> Markup {
    let (_, numbers) = columns(table);
    // A chart would not show that its numbers are struck through.
    let pictures = if drawn && table.withdrawn.is_none() { pictures(table, None) } else { Vec::new() };
    html! {
        h3 { (struck(table, &table.name)) @if let Some(policy) = policy { span.muted { " (" (policy) ")" } } }
        @if let Some(withdrawn) = &table.withdrawn { p.outside { "Withdrawn: " (printable(&withdrawn.to_string())) "." } }
        details { summary { "the query" } pre { code { (table.sql) } } }
        @for (svg, caption) in pictures { (figure(svg, &caption)) }
        @if shape(table) == Shape::Table && !table.rows.is_empty() { p.muted { "Too many rows for a chart." } }
        (rows(table, &numbers, confidence))
        @if let Some(classes) = &table.classes {
            details { summary { "the classes of quality" } p { (printable(&classes.to_string())) "." } }
        }
        @if !table.warnings.is_empty() {
            h4 { "Notes" }
            (list(&table.warnings))
        }
        details {
            summary { "the noise" }
            (list(&table.noise.iter().map(|noise| noise.sentence(&confidence)).collect::<Vec<_>>()))
        }
    }
}

fn rows(table: &Answer, numbers: &[usize], confidence: &str) -> Markup {
    let more = table.rows.len().saturating_sub(MOST_ROWS);
    let population = table.have_population();
    html! {
        div.scroll tabindex="0" role="region" aria-label={ "Table: " (table.name) } {
            table {
                caption { (table.name) @if !numbers.is_empty() { ", with " (confidence) " intervals of the noise" } }
                thead { tr {
                    @for (at, name) in table.columns.iter().enumerate() {
                        @if numbers.contains(&at) {
                            th.number scope="col" { (name) }
                            th.number scope="col" { (confidence) " interval" }
                            @if population[at] { th.number scope="col" { (confidence) " for the population" } }
                            @if table.has_quality() { th scope="col" { "quality" } }
                        } @else {
                            th scope="col" { (name) }
                        }
                    }
                } }
                tbody { @for row in table.rows.iter().take(MOST_ROWS) { tr { @for (at, cell) in row.iter().enumerate() { (field(table, cell, population[at])) } } } }
            }
        }
        @if table.rows.is_empty() { p.muted { "No rows: HAVING, LIMIT or OFFSET removed all of them." } }
        @if more > 0 { p.muted { (more) " more rows are in the JSON form of this release." } }
    }
}

/// A text, struck through if the answer is withdrawn.
fn struck(table: &Answer, text: &str) -> Markup {
    if table.withdrawn.is_some() {
        html! { s { (text) } }
    } else {
        html! { (text) }
    }
}

fn field(table: &Answer, cell: &Cell, has_population: bool) -> Markup {
    match cell {
        Cell::Key(key) => html! { th scope="row" { (key.as_ref().map_or_else(|| "NULL".to_owned(), KeyValue::text)) } },
        Cell::Number(number) => html! {
            td.number { (struck(table, &number.value_text())) }
            td.number { (struck(table, &number.interval_text())) }
            @if has_population { td.number { (struck(table, &number.population_text().unwrap_or_default())) } }
            @if table.has_quality() { td { @if let Some(class) = number.quality { (class) } @else { "-" } } }
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// A table of rows as JSON has them.
    pub(super) fn table(columns: &[&str], rows: serde_json::Value) -> Answer {
        serde_json::from_value(json!({
            "name": "t", "sql": "", "share": "1", "odds": "3", "columns": columns, "rows": rows, "noise": [], "warnings": [],
        }))
        .unwrap()
    }

    fn n(value: i64) -> serde_json::Value {
        json!({ "value": value, "low": value - 1, "high": value + 1 })
    }

    #[test]
    fn the_picture_suits_the_shape() {
        let by = |keys: Vec<serde_json::Value>| {
            table(&["key", "n"], keys.into_iter().map(|key| json!([key, n(1)])).collect::<Vec<_>>().into())
        };
        assert_eq!(shape(&by(vec![json!("a"), json!("b")])), Shape::Bars);
        assert_eq!(shape(&by((2001..2010).map(|year| json!(year)).collect())), Shape::Lines);
        assert_eq!(shape(&by((10..20).map(|day| json!(format!("2024-01-{day}"))).collect())), Shape::Lines);
        assert_eq!(shape(&by((0..70).map(|at| json!(format!("k{at}"))).collect())), Shape::Table);
        assert_eq!(shape(&table(&["n"], json!([[n(5)]]))), Shape::Bars);
        assert_eq!(shape(&table(&["key"], json!([["a"]]))), Shape::Table);
        let two: Vec<_> = (0..12).map(|at| json!([format!("r{}", at / 4), format!("c{}", at % 4), n(at)])).collect();
        assert_eq!(shape(&table(&["a", "b", "n"], two.into())), Shape::Heatmap);
    }

    /// A total is not drawn among its parts.
    #[test]
    fn totals_are_left_to_the_table() {
        let rows = json!([["a", n(1)], ["b", n(2)], [ALL, n(3)]]);
        let drawn = pictures(&table(&["key", "n"], rows), None);
        let [(svg, caption)] = drawn.as_slice() else { panic!("one picture") };
        assert!(!svg.contains(ALL) && caption.contains("totals are in the table"), "{caption}");
    }

    /// A median's interval is of ranks: no interval of values is drawn.
    #[test]
    fn intervals_of_ranks_are_not_drawn_as_values() {
        let cell = json!({ "value": 30, "low": 0, "high": 60, "rows": 1392 });
        let (svg, _) = pictures(&table(&["median"], json!([[cell]])), None).remove(0);
        assert!(!svg.contains("interval") && !svg.contains("from 0 to 60"), "{svg}");
    }

    #[test]
    fn odd_numbers_are_noticed() {
        let odd = |cell: serde_json::Value| has_oddities(&table(&["n"], json!([[cell]])));
        assert!(odd(json!({ "value": -5, "low": 0, "high": 3 })));
        assert!(odd(json!({ "value": null, "low": 0, "high": 3 })));
        assert!(!odd(json!({ "value": -5, "low": -9, "high": 3 })) && !odd(n(4)));
    }
}
