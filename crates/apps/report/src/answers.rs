//! Answers on a page: a number set large or a chart, the table, and notes.

mod charts;
mod download;
mod genome;
mod keys;
mod notes;

pub use charts::{Shape, pictures, shape, signs};
pub use download::{address, file_name};
pub use notes::SharedNotes;

use crate::frame::{figure, list};
use deniable_chart::grouped;
use deniable_core::text::printable;
use deniable_publication::shown::ShownAnswer;
use deniable_publication::{ALL, Answer, Cell, KeyValue, NumberCell, Scalar};
use keys::KeyWords;
use maud::{Markup, html};

/// Most rows of a table that is not folded beside its chart.
const MOST_OPEN: usize = 15;
/// Most rows of a table on a page; the JSON has all.
const MOST_ROWS: usize = 400;

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

/// The number of an answer that is one number.
#[must_use]
pub fn single_number(table: &Answer) -> Option<&NumberCell> {
    if charts::is_single(table) { table.rows.first()?.iter().find_map(Cell::number) } else { None }
}

/// Whether an answer has negative counts or undefined values.
pub fn has_oddities(table: &Answer) -> bool {
    let odd = |cell: &Cell| match cell {
        Cell::Number(number) if number.hidden.is_some() => false,
        Cell::Number(number) => {
            let below = |end: &Option<Scalar>| value(end).is_some_and(|end| end < 0.0);
            number.value.is_none() || (below(&number.value) && !below(&number.low))
        }
        Cell::Key(_) => false,
    };
    table.rows.iter().flatten().any(odd)
}

/// The place of an answer on a page.
pub struct Place<'a> {
    /// The anchor of the answer.
    pub anchor: String,
    /// The policy, if answers of several are on the page.
    pub policy: Option<&'a str>,
    /// Whether there is room for charts.
    pub is_drawn: bool,
    /// Whether the answers are about made-up rows.
    pub is_rehearsal: bool,
    /// The notes that other answers have, too, and the anchor of their list.
    pub shared: (&'a SharedNotes, &'a str),
}

/// One answer on a page.
pub fn section(shown: &ShownAnswer, place: &Place<'_>) -> Markup {
    let (table, confidence) = (&shown.table, shown.confidence.to_string());
    // A chart would not show that its numbers are struck through.
    let is_drawn = place.is_drawn && table.withdrawn.is_none();
    let pictures = if is_drawn { charts::drawn(table, None, false) } else { Vec::new() };
    let is_folded = table.rows.len() > MOST_OPEN && !pictures.is_empty();
    let csv = is_drawn.then(|| table.csv(place.is_rehearsal).ok()).flatten();
    let below = below(table, place, &confidence, csv.as_deref());
    let figures = html! {
        @for (svg, caption) in &pictures { (figure(svg.clone(), if pictures.len() > 1 { caption } else { "" })) }
    };
    html! {
        article.answer.brief[table.rows.len() <= MOST_OPEN] id=(place.anchor) {
            h3 { (struck(table, table.title())) @if let Some(policy) = place.policy { span.muted { " (" (policy) ")" } } }
            (withdrawn(table))
            @if is_folded {
                div.pair {
                    (figures)
                    div {
                        details.rows { summary { "Table of " (table.rows.len()) " rows" } (rows(table, &confidence)) }
                        (below)
                    }
                }
            } @else {
                div.pair {
                    @match single_number(table) {
                        Some(number) => (large(table, number, &confidence)),
                        None => (rows(table, &confidence)),
                    }
                    (figures)
                }
                (below)
            }
        }
    }
}

/// The notes on an answer, its query and noise, and its download.
fn below(table: &Answer, place: &Place<'_>, confidence: &str, csv: Option<&str>) -> Markup {
    let (shared, list) = place.shared;
    html! {
        (shared.own(table))
        div.foot {
            (shared.links(table, list))
            details {
                summary { "Query, noise, download" }
                pre { code { (table.sql.trim()) } }
                (self::list(&table.noise.iter().map(|noise| noise.sentence(&confidence)).collect::<Vec<_>>()))
                @if let Some(csv) = csv {
                    p { a download=(file_name(table.title(), "csv")) href=(address("text/csv", csv)) { "Save as CSV" } }
                }
            }
        }
    }
}

/// An answer as a heading and a table, without charts and notes.
pub fn plain(shown: &ShownAnswer) -> Markup {
    html! {
        h3 { (struck(&shown.table, shown.table.title())) }
        (withdrawn(&shown.table))
        (rows(&shown.table, &shown.confidence.to_string()))
    }
}

/// A number set large, with its interval and class.
fn large(table: &Answer, number: &NumberCell, confidence: &str) -> Markup {
    let name = (0..table.columns.len()).map(|at| table.heading(at)).next().unwrap_or_default();
    html! {
        div.large {
            p {
                strong.number { (struck(table, &value_text(number))) } " " (name) " "
                span.muted { (certainty(number, confidence)) }
            }
            @if let Some(population) = &number.population_text() {
                p { (confidence) " interval for the population: " (dashed(population)) }
            }
        }
    }
}

/// The interval of a number in words, and its class if it has one.
#[must_use]
pub fn certainty(number: &NumberCell, confidence: &str) -> String {
    let interval = interval_text(number);
    let interval = if interval.is_empty() { String::new() } else { format!("{confidence} interval {interval}") };
    match number.quality {
        Some(class) if interval.is_empty() => format!("quality: {class}"),
        Some(class) => format!("{interval}; quality: {class}"),
        None => interval,
    }
}

/// The value with grouped digits, `-` where it is undefined.
#[must_use]
pub fn value_text(number: &NumberCell) -> String {
    let text = number.value_text();
    if number.hidden.is_some() { text } else { grouped(&text) }
}

/// The interval with grouped digits and a dash.
fn interval_text(number: &NumberCell) -> String {
    dashed(&number.interval_text())
}

/// An interval with a dash, its digits grouped.
fn dashed(interval: &str) -> String {
    match interval.split_once(" .. ") {
        Some((low, high)) => format!("{} – {}", grouped(low), grouped(high)),
        None => interval.to_owned(),
    }
}

fn withdrawn(table: &Answer) -> Markup {
    html! { @if let Some(withdrawn) = &table.withdrawn { p.outside { "Withdrawn: " (printable(&withdrawn.to_string())) "." } } }
}

/// A single answer with its charts and all its notes; `confidence` is the displayed confidence of its intervals.
#[must_use]
pub fn single(table: &Answer, confidence: &str) -> Markup {
    let pictures = if table.withdrawn.is_none() { pictures(table, None) } else { Vec::new() };
    html! {
        h3 { (struck(table, table.title())) }
        (withdrawn(table))
        details { summary { "the query" } pre { code { (table.sql) } } }
        @for (svg, caption) in pictures { (figure(svg, &caption)) }
        (rows(table, confidence))
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

fn rows(table: &Answer, confidence: &str) -> Markup {
    let (_, numbers) = columns(table);
    let more = table.rows.len().saturating_sub(MOST_ROWS);
    let (population, words) = (table.have_population(), KeyWords::of(table));
    html! {
        div {
            div.scroll tabindex="0" role="region" aria-label={ "Table: " (table.title()) } {
                table {
                    thead { tr {
                        @for at in 0..table.columns.len() {
                            @if numbers.contains(&at) {
                                th.number scope="col" { (table.heading(at)) }
                                th.number scope="col" { (confidence) " interval" }
                                @if population[at] { th.number scope="col" { (confidence) " for the population" } }
                                @if table.has_quality() { th scope="col" { "quality" } }
                            } @else {
                                th scope="col" { (table.heading(at)) }
                            }
                        }
                    } }
                    tbody { @for row in table.rows.iter().take(MOST_ROWS) { tr {
                        @for (at, cell) in row.iter().enumerate() { (field(table, cell, &words.label(row, &[at]), population[at])) }
                    } } }
                }
            }
            @if shape(table) == Shape::Table && table.rows.len() > MOST_OPEN && !numbers.is_empty() { p.muted { "Too many rows for a chart." } }
            @if table.rows.is_empty() { p.muted { "No rows: HAVING, LIMIT or OFFSET removed all of them." } }
            @if more > 0 { p.muted { (more) " more rows are in the JSON form of this release." } }
        }
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

fn field(table: &Answer, cell: &Cell, key: &str, has_population: bool) -> Markup {
    match cell {
        Cell::Key(_) => html! { th scope="row" { (key) } },
        Cell::Number(number) => html! {
            td.number { (struck(table, &value_text(number))) }
            td.number { (struck(table, &interval_text(number))) }
            @if has_population { td.number { (struck(table, &dashed(&number.population_text().unwrap_or_default()))) } }
            @if table.has_quality() { td { @if let Some(class) = number.quality { (class) } @else { "-" } } }
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use deniable_publication::Heading;
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
        assert_eq!(shape(&by((0..9).map(|band| json!(band * 10)).collect())), Shape::Histogram);
        assert_eq!(shape(&by([1, 2, 4, 8].map(|size| json!(size)).to_vec())), Shape::Bars);
        assert_eq!(shape(&by((10..20).map(|day| json!(format!("2024-01-{day}"))).collect())), Shape::Lines);
        assert_eq!(shape(&by((0..70).map(|at| json!(format!("k{at}"))).collect())), Shape::Table);
        assert_eq!(shape(&table(&["n"], json!([[n(5)]]))), Shape::Single);
        assert_eq!(shape(&table(&["key"], json!([["a"]]))), Shape::Table);
        let two: Vec<_> = (0..12).map(|at| json!([format!("r{}", at / 4), format!("c{}", at % 4), n(at)])).collect();
        assert_eq!(shape(&table(&["a", "b", "n"], two.into())), Shape::Heatmap);
    }

    /// Years, months and days without a row, and rows without a value, interrupt a line.
    #[test]
    fn lines_are_interrupted_where_rows_are_missing() {
        let runs = |keys: Vec<serde_json::Value>| {
            let table = table(&["key", "n"], keys.into_iter().map(|key| json!([key, n(5)])).collect::<Vec<_>>().into());
            assert_eq!(shape(&table), Shape::Lines);
            // The line is the only blue stroke.
            pictures(&table, None).remove(0).0.matches("<polyline fill=\"none\" stroke=\"#1D5FA8\"").count()
        };
        let years = |all: &[i64]| all.iter().map(|year| json!(format!("{year}-01-01"))).collect::<Vec<_>>();
        let whole = runs(years(&[2001, 2002, 2003, 2004, 2005, 2006]));
        assert_eq!(runs(years(&[2001, 2002, 2003, 2005, 2006])), whole + 1);
        let months = ["2023-11", "2023-12", "2024-01", "2024-04", "2024-05"].map(|month| json!(format!("{month}-01")));
        assert_eq!(runs(months.to_vec()), whole + 1);
        let weeks = ["2024-01-01", "2024-01-08", "2024-01-15", "2024-01-22", "2024-01-29"].map(|day| json!(day));
        assert_eq!(runs(weeks.to_vec()), whole);
        // A row without a key is a mark of its own, not a part of the line.
        assert_eq!(runs([years(&[2001, 2002, 2003, 2004]), vec![json!(null)]].concat()), whole);
    }

    /// A rank after the number is not a key of the chart, and charts that are left out are named.
    #[test]
    fn charts_have_the_keys_that_distinguish_rows() {
        let ranked = json!([["a", n(9), 1], ["b", n(7), 2], ["c", n(7), 2]]);
        let ranked = table(&["ward", "n", "rank"], ranked);
        let (svg, caption) = pictures(&ranked, None).remove(0);
        assert!(caption == "n by ward" && !svg.contains("a, 1"), "{caption}");
        let many = json!([["a", n(1), n(2), n(3), n(4), n(5), n(6)], ["b", n(1), n(2), n(3), n(4), n(5), n(6)]]);
        let drawn = pictures(&table(&["k", "p", "q", "r", "s", "t", "u"], many), None);
        assert!(drawn.len() == 4 && drawn[3].1.ends_with("; t, u in the table, without a chart"), "{:?}", drawn[3].1);
    }

    /// The legend of a page has the signs that occur.
    #[test]
    fn signs_are_those_of_the_charts() {
        let years: Vec<_> = (2001..2007).map(|year| json!([format!("{year}-01-01"), n(5)])).collect();
        let lines = signs(&table(&["key", "n"], years.into()));
        assert!(lines.bands && !lines.bars && !lines.intervals && !lines.unusable);
        let bars = signs(&table(
            &["key", "n"],
            json!([["a", n(1)], ["b", { "value": 1, "low": 0, "high": 9, "quality": "not usable" }]]),
        ));
        assert!(bars.bars && bars.intervals && bars.unusable && !bars.bands);
    }

    /// A total is not drawn among its parts.
    #[test]
    fn totals_are_left_to_the_table() {
        let rows = json!([["a", n(1)], ["b", n(2)], [ALL, n(3)]]);
        let drawn = pictures(&table(&["key", "n"], rows), None);
        let [(svg, caption)] = drawn.as_slice() else { panic!("one picture") };
        assert!(!svg.contains(ALL) && caption.contains("totals are in the table"), "{caption}");
    }

    /// Rows without a value are a group, which is not the group of a key with the words for it.
    #[test]
    fn rows_without_a_value_have_their_own_cells() {
        let keys = [json!("a"), json!("no value"), json!(null)];
        let groups = keys.iter().flat_map(|down| ["x", "y", "z"].map(|across| json!([down, across])));
        let rows: Vec<_> = groups.zip(701..).map(|(keys, value)| json!([keys[0], keys[1], n(value)])).collect();
        let table = table(&["down", "across", "n"], rows.into());
        assert_eq!(shape(&table), Shape::Heatmap);
        let (svg, _) = pictures(&table, None).remove(0);
        assert!((701..710).all(|value| svg.contains(&value.to_string())), "{svg}");
    }

    /// A median's interval is of ranks: no interval of values is drawn.
    #[test]
    fn intervals_of_ranks_are_not_drawn_as_values() {
        let cell = json!({ "value": 30, "low": 0, "high": 60, "rows": 1392 });
        let (svg, _) = pictures(&table(&["median"], json!([[cell]])), None).remove(0);
        assert!(!svg.contains("interval") && !svg.contains("from 0 to 60"), "{svg}");
    }

    /// A count below zero is drawn at the end of its interval, with that number; an unusable one is not drawn.
    #[test]
    fn pictures_stay_within_the_bounds() {
        let cell = |value: i64, class: &str| json!({ "value": value, "low": 0, "high": 91_000, "quality": class });
        let rows = json!([["a", cell(-413, "A")], ["b", cell(62_500, "B")], ["c", cell(777, "not usable")]]);
        let (svg, _) = pictures(&table(&["key", "n"], rows), None).remove(0);
        assert!(!svg.contains("413") && !svg.contains("777"), "{svg}");
        assert!(svg.contains(">62,500<") && svg.contains("c: nothing can be said"), "{svg}");
    }

    #[test]
    fn a_table_groups_digits_and_has_headings() {
        let mut table = table(&["key", "n"], json!([["a", n(1_234_567)]]));
        table.headings =
            vec![Heading::default(), Heading { label: Some("Length".to_owned()), unit: Some("min".to_owned()) }];
        let page = rows(&table, "95%").into_string();
        assert!(page.contains("Length (min)") && page.contains(">1,234,567<"), "{page}");
        assert!(page.contains("1,234,566 – 1,234,568"), "{page}");
    }

    #[test]
    fn odd_numbers_are_noticed() {
        let odd = |cell: serde_json::Value| has_oddities(&table(&["n"], json!([[cell]])));
        assert!(odd(json!({ "value": -5, "low": 0, "high": 3 })));
        assert!(odd(json!({ "value": null, "low": 0, "high": 3 })));
        assert!(!odd(json!({ "value": -5, "low": -9, "high": 3 })) && !odd(n(4)));
    }
}
