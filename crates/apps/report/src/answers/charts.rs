//! The kind of chart that suits an answer, and its charts.

use super::keys::KeyWords;
use super::{columns, finest, genome, number, value};
use deniable_chart::answers::{Grid, Point, Series, Signs, bars, heatmap, histogram, lines};
use deniable_chart::grouped;
use deniable_core::exact::{Rational, parse_rational};
use deniable_publication::{Answer, Cell, KeyValue, NumberCell, Quality};
use num_traits::{One, Zero};
use std::collections::{BTreeMap, BTreeSet};

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
    /// One number: no chart, the number is set large.
    Single,
    /// One bar per row.
    Bars,
    /// A line along an ordered key: years, days or times.
    Lines,
    /// Adjacent columns along bands of a number.
    Histogram,
    /// A grid of two keys.
    Heatmap,
    /// SNPs along the genome: keys CHR, SNP and BP, or PICK and these.
    Genome,
    /// No chart: too many rows, or only keys.
    Table,
}

/// The kind of chart that suits an answer.
#[must_use]
pub fn shape(table: &Answer) -> Shape {
    let (_, numbers) = columns(table);
    if genome::suits(table, &numbers) {
        return Shape::Genome;
    }
    let (rows, keys) = (finest(table), distinguishing(table));
    if numbers.is_empty() || rows.is_empty() {
        return Shape::Table;
    }
    if is_single(table) {
        return Shape::Single;
    }
    let words = KeyWords::of(table);
    let distinct = |at: usize| rows.iter().map(|row| words.exact(row, &[at])).collect::<BTreeSet<_>>().len();
    match keys.as_slice() {
        [key] if distinct(*key) == rows.len() && rows.len() >= 4 => match order(&rows, *key, &words) {
            Some(Order::Bands) if rows.len() <= MOST_BARS => Shape::Histogram,
            // A line through numbers at unequal distances would show slopes that are none.
            Some(Order::Numbers) | None if rows.len() <= MOST_BARS => Shape::Bars,
            Some(_) if rows.len() <= MOST_POINTS => Shape::Lines,
            _ => Shape::Table,
        },
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

/// The keys that distinguish the rows. Columns after the first number, such as a RANK(), are not needed where the keys
/// before it do.
fn distinguishing(table: &Answer) -> Vec<usize> {
    let (keys, numbers) = columns(table);
    let first = numbers.first().copied().unwrap_or(usize::MAX);
    let lead: Vec<usize> = keys.iter().copied().filter(|at| *at < first).collect();
    let (rows, words) = (finest(table), KeyWords::of(table));
    let distinct = rows.iter().map(|row| words.exact(row, &lead)).collect::<BTreeSet<_>>().len();
    if !lead.is_empty() && distinct == rows.len() { lead } else { keys }
}

/// The signs of an answer's charts, for the legend of a page.
#[must_use]
pub fn signs(table: &Answer) -> Signs {
    let shape = shape(table);
    let numbers = || table.rows.iter().flatten().filter_map(Cell::number);
    let is_drawn = matches!(shape, Shape::Bars | Shape::Lines | Shape::Histogram | Shape::Heatmap);
    let bars = matches!(shape, Shape::Bars | Shape::Histogram);
    Signs {
        bars,
        // A value chosen by its rank has an interval of ranks, not of values.
        intervals: bars && numbers().any(|number| number.rows.is_none() && number.low != number.high),
        bands: shape == Shape::Lines,
        unusable: is_drawn && numbers().any(|number| number.quality == Some(Quality::Unusable)),
    }
}

/// Whether an answer is one number without keys.
pub fn is_single(table: &Answer) -> bool {
    matches!(table.rows.as_slice(), [row] if matches!(row.as_slice(), [Cell::Number(_)]))
}

/// The order of the values of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Order {
    /// Days, times or years.
    Time,
    /// Numbers at equal distances.
    Bands,
    /// Other numbers.
    Numbers,
}

/// The order of a key; `None` if its values have none. Rows without a value do not count.
fn order(rows: &[&Vec<Cell>], at: usize, words: &KeyWords) -> Option<Order> {
    if words.is_time(at) {
        return Some(Order::Time);
    }
    let values = rows.iter().filter(|row| !matches!(row.get(at), Some(Cell::Key(None))));
    let mut numbers: Vec<Rational> = values.map(|row| ordering(row, &[at])).collect::<Option<_>>()?;
    numbers.sort();
    let steps: Vec<Rational> = numbers.windows(2).map(|pair| &pair[1] - &pair[0]).collect();
    let is_even = steps.windows(2).all(|pair| pair[0] == pair[1]);
    let is_year = |number: &Rational| number.is_integer() && (1900..2200).any(|year| *number == whole(year));
    Some(match steps.first() {
        Some(step) if step.is_one() && numbers.iter().all(is_year) => Order::Time,
        Some(step) if is_even && !step.is_zero() => Order::Bands,
        _ => Order::Numbers,
    })
}

fn whole(number: i64) -> Rational {
    deniable_core::exact::whole(number)
}

/// The position of a row along a key of numbers; `None` for other keys, whose order is that of their texts.
fn ordering(row: &[Cell], keys: &[usize]) -> Option<Rational> {
    match keys.first().and_then(|at| row.get(*at)) {
        Some(Cell::Key(Some(key @ (KeyValue::Integer(_) | KeyValue::Decimal(_))))) => parse_rational(&key.text()).ok(),
        _ => None,
    }
}

/// The charts of an answer, one for each of its numbers, with their captions; for SNPs there is one.
///
/// `truth` is for simulated data only: the answer without noise, in the same form. It is not drawn along the genome.
#[must_use]
pub fn pictures(table: &Answer, truth: Option<&Answer>) -> Vec<(String, String)> {
    drawn(table, truth, true)
}

/// The charts of an answer; without legends if the page has one for all.
pub fn drawn(table: &Answer, truth: Option<&Answer>, has_legend: bool) -> Vec<(String, String)> {
    let (_, numbers) = columns(table);
    let keys = distinguishing(table);
    let mut shape = shape(table);
    if shape == Shape::Genome {
        return genome::picture(table, &numbers).into_iter().collect();
    }
    if shape == Shape::Single && has_legend {
        shape = Shape::Bars;
    }
    let drawable: Vec<usize> =
        numbers.into_iter().filter(|at| finest(table).iter().any(|row| has_value(row, *at))).collect();
    let one = |at: &usize| picture(table, truth, (shape, has_legend), &keys, *at);
    let mut pictures: Vec<(String, String)> = drawable.iter().take(MOST_PICTURES).filter_map(one).collect();
    let others: Vec<String> = drawable.iter().skip(MOST_PICTURES).map(|at| table.heading(*at)).collect();
    if let Some((_, caption)) = pictures.last_mut().filter(|_| !others.is_empty()) {
        caption.push_str(&format!("; {} in the table, without a chart", others.join(", ")));
    }
    pictures
}

/// The rows of a line with the places between them that have no row: rows at unequal distances are not connected. Rows
/// without a value of the key are at the end, after a gap.
fn spaced<'a>(rows: Vec<&'a Vec<Cell>>, key: usize, words: &KeyWords) -> Vec<Option<&'a Vec<Cell>>> {
    let (named, unnamed): (Vec<_>, Vec<_>) =
        rows.into_iter().partition(|row| row.get(key).is_some_and(|cell| cell.key().is_some()));
    let places: Vec<Option<i64>> = named.iter().map(|row| words.place(row, key)).collect();
    let steps: Option<Vec<i64>> = places.windows(2).map(|pair| pair[1]?.checked_sub(pair[0]?)).collect();
    let steps = steps.unwrap_or_default();
    let unit = steps.iter().copied().filter(|step| *step > 0).min().unwrap_or(1);
    let missing = steps.iter().fold(0_i64, |sum, step| sum.saturating_add((step / unit - 1).max(0)));
    let fits = steps.iter().all(|step| step % unit == 0) && missing <= MOST_POINTS as i64 - named.len() as i64;
    let mut all = Vec::new();
    for (at, row) in named.into_iter().enumerate() {
        let step = at.checked_sub(1).and_then(|before| steps.get(before)).copied().unwrap_or(unit);
        let gaps = if fits { (step / unit - 1).max(0) } else { i64::from(step > unit) };
        all.extend((0..gaps).map(|_| None));
        all.push(Some(row));
    }
    for row in unnamed {
        all.extend([None, Some(row)]);
    }
    all
}

fn has_value(row: &[Cell], at: usize) -> bool {
    number(row, at).is_some_and(|number| value(&number.value).is_some())
}

/// A cell as a point of a chart: a value outside its interval is drawn at the nearest end, as a count below zero at zero.
fn point(label: String, cell: Option<&NumberCell>) -> Point {
    let Some(cell) = cell else { return Point { label, ..Point::default() } };
    if let Some(hidden) = &cell.hidden {
        return Point { label, written: Some(hidden.clone()), ..Point::default() };
    }
    // An interval alone would be the most visible part of a chart.
    if cell.value.is_none() {
        return Point { label, ..Point::default() };
    }
    let end = |end: &Option<_>| value(end).filter(|_| cell.rows.is_none());
    let (low, high, own) = (end(&cell.low), end(&cell.high), value(&cell.value));
    let text =
        |scalar: &Option<_>| scalar.as_ref().map(|scalar: &deniable_publication::Scalar| grouped(&scalar.to_string()));
    let (value, written) = match (own, low, high) {
        (Some(own), Some(low), _) if own < low => (Some(low), text(&cell.low)),
        (Some(own), _, Some(high)) if own > high => (Some(high), text(&cell.high)),
        _ => (own, text(&cell.value)),
    };
    let is_unusable = cell.quality == Some(Quality::Unusable);
    Point { label, value, low, high, written, is_unusable, is_gap: false }
}

fn picture(
    table: &Answer,
    truth: Option<&Answer>,
    (shape, has_legend): (Shape, bool),
    keys: &[usize],
    at: usize,
) -> Option<(String, String)> {
    let (name, words) = (table.heading(at), KeyWords::of(table));
    let title = if keys.is_empty() { name.clone() } else { format!("{name} by {}", named(table, keys)) };
    let mut rows = finest(table);
    if matches!(shape, Shape::Lines | Shape::Histogram) {
        rows.sort_by(|one, other| {
            let text = |row: &[Cell]| words.exact(row, keys);
            ordering(one, keys).cmp(&ordering(other, keys)).then_with(|| text(one).cmp(&text(other)))
        });
    }
    let totals = table.rows.len() - rows.len();
    let grid_rows = rows.clone();
    let rows: Vec<Option<&Vec<Cell>>> = match (shape, keys) {
        (Shape::Lines, [key]) => spaced(rows, *key, &words),
        _ => rows.into_iter().map(Some).collect(),
    };
    let of_row = |row: &Option<&Vec<Cell>>| match row {
        None => Point::gap(String::new()),
        Some(row) => point(if keys.is_empty() { name.clone() } else { words.label(row, keys) }, number(row, at)),
    };
    let truths = truth.map(|truth| {
        let found = |row: &Option<&Vec<Cell>>| {
            let Some(row) = row else { return f64::NAN };
            let same = truth.rows.iter().find(|other| words.exact(other, keys) == words.exact(row, keys));
            same.and_then(|row| number(row, at)).and_then(|cell| value(&cell.value)).unwrap_or(f64::NAN)
        };
        rows.iter().map(found).collect()
    });
    let answer = || Series {
        title: title.clone(),
        value: name.clone(),
        points: rows.iter().map(of_row).collect(),
        truth: truths.clone(),
        // A value chosen by its rank has an interval of ranks, not of values.
        intervals: !rows.iter().flatten().filter_map(|row| number(row, at)).any(|cell| cell.rows.is_some()),
        has_legend,
    };
    let svg = match shape {
        Shape::Bars => bars(&answer()),
        Shape::Lines => lines(&answer()),
        Shape::Histogram => histogram(&answer()),
        Shape::Heatmap => {
            let grid = grid(&grid_rows, keys, at, &words);
            heatmap(&Grid { title: title.clone(), value: name, has_legend, ..grid })
        }
        // A chart of SNPs uses all their keys.
        Shape::Genome | Shape::Table | Shape::Single => return None,
    };
    Some((svg, if totals == 0 { title } else { format!("{title}; totals are in the table") }))
}

fn named(table: &Answer, keys: &[usize]) -> String {
    keys.iter().map(|at| table.heading(*at)).collect::<Vec<_>>().join(" and ")
}

fn grid(rows: &[&Vec<Cell>], keys: &[usize], at: usize, words: &KeyWords) -> Grid {
    let (down, across) = (keys.first().copied().unwrap_or(0), keys.get(1).copied().unwrap_or(0));
    // Keys in the order of their first rows, each with its words.
    let listed = |key: usize| {
        let (mut known, mut all) = (BTreeSet::new(), Vec::new());
        for row in rows {
            let exact = words.exact(row, &[key]);
            if known.insert(exact.clone()) {
                all.push((exact, words.label(row, &[key])));
            }
        }
        all
    };
    let (names, heads) = (listed(down), listed(across));
    let of_keys: BTreeMap<_, &Vec<Cell>> =
        rows.iter().map(|row| ((words.exact(row, &[down]), words.exact(row, &[across])), *row)).collect();
    let cell = |name: &Vec<Option<String>>, head: &Vec<Option<String>>| {
        let found = of_keys.get(&(name.clone(), head.clone()));
        point(String::new(), found.and_then(|row| number(row, at)))
    };
    let cells = names.iter().map(|(name, _)| heads.iter().map(|(head, _)| cell(name, head)).collect()).collect();
    let shown = |all: Vec<(_, String)>| all.into_iter().map(|(_, words)| words).collect();
    Grid {
        title: String::new(),
        value: String::new(),
        rows: shown(names),
        columns: shown(heads),
        cells,
        has_legend: false,
    }
}
