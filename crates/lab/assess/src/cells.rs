//! What a published cell stands for: the raw values that it covers.
//!
//! Cells are compared as sets: `{a,b}` and `{b,a}`, `30-39` and `[30,39]`, a node of a hierarchy and the set of its leaves are
//! one cell each. Ranges are ranges of real numbers, so `[30,40)` is another cell than `30-39`.

use crate::error::AssessError;
use crate::hierarchy::Hierarchy;
use crate::interval::{Interval, number, plain};

/// How the cells of a column are to be read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Reading {
    /// By their notation: stars, ranges, sets.
    #[default]
    Notation,
    /// As they are: every cell is one value.
    Literal,
    /// By a hierarchy of which every cell is a leaf or a node; `*` alone stands for all its leaves.
    Hierarchy(Hierarchy),
}

/// How a cell was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// One raw value, shown as it is.
    Exact,
    /// Some characters are hidden: `021**`.
    Masked,
    /// A range of numbers: `30-39`.
    Range,
    /// Several values: `{a,b}`.
    Set,
    /// A node of a hierarchy.
    Node,
    /// `*`: anything.
    Suppressed,
}

/// The raw values that a cell covers. Two cells that cover the same values by the same means are equal.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Shape {
    One(String),
    /// At least two, in order.
    Many(Vec<String>),
    Masked(String),
    Range(Interval),
    Anything,
}

/// A published cell: the text, and the raw values that it covers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cell {
    pub(crate) shape: Shape,
    kind: Kind,
    text: String,
}

impl Cell {
    /// Reads a cell. Blanks around it are no part of it.
    ///
    /// # Errors
    /// When the column (named for the message) has a hierarchy and the cell is neither leaf nor node of it.
    pub fn read(text: &str, reading: &Reading, column: &str) -> Result<Self, AssessError> {
        let text = text.trim();
        let (shape, kind) = match reading {
            Reading::Literal => (Shape::One(text.to_owned()), Kind::Exact),
            Reading::Notation => notation(text),
            Reading::Hierarchy(hierarchy) => node(text, hierarchy)
                .ok_or_else(|| AssessError::Uncovered { column: column.to_owned(), value: text.to_owned() })?,
        };
        Ok(Self { shape, kind, text: text.to_owned() })
    }

    /// As it was written, where equal cells have several spellings in one of them.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Which of the ways of reading a cell its text took.
    #[must_use]
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// Whether two cells stand for the same values by the same means, however they are spelled.
    #[must_use]
    pub fn same(&self, other: &Self) -> bool {
        self.shape == other.shape
    }

    /// Whether a raw value is one of those that the cell stands for. Blanks around it are no part of it.
    #[must_use]
    pub fn covers(&self, raw: &str) -> bool {
        let raw = raw.trim();
        match &self.shape {
            Shape::Anything => true,
            Shape::One(value) => value == raw,
            Shape::Many(values) => values.binary_search_by(|value| value.as_str().cmp(raw)).is_ok(),
            Shape::Masked(mask) => fits(mask, raw),
            Shape::Range(range) => number(raw).is_some_and(|value| range.holds(&value)),
        }
    }

    /// Whether two different cells have a value in common. Exact but for a mask of digits beside a range of numbers, which are
    /// said to.
    #[must_use]
    pub fn overlaps(&self, other: &Self) -> bool {
        if self.shape == other.shape {
            return false;
        }
        match (&self.shape, &other.shape) {
            (Shape::Anything, _) | (_, Shape::Anything) => true,
            (Shape::One(value), _) => other.covers(value),
            (_, Shape::One(value)) => self.covers(value),
            (Shape::Many(values), _) => values.iter().any(|value| other.covers(value)),
            (_, Shape::Many(values)) => values.iter().any(|value| self.covers(value)),
            (Shape::Range(one), Shape::Range(two)) => one.meets(two),
            (Shape::Masked(one), Shape::Masked(two)) => masks_meet(one, two),
            (Shape::Masked(mask), Shape::Range(_)) | (Shape::Range(_), Shape::Masked(mask)) => may_be_number(mask),
        }
    }
}

fn node(text: &str, hierarchy: &Hierarchy) -> Option<(Shape, Kind)> {
    let mut leaves = match hierarchy.leaves(text) {
        Some(leaves) => leaves,
        None if text == "*" => return Some((Shape::Anything, Kind::Suppressed)),
        None => return None,
    };
    if let [leaf] = leaves.as_slice() {
        return Some((Shape::One((*leaf).to_owned()), Kind::Exact));
    }
    if text == "*" && leaves.len() == hierarchy.nodes(0) {
        return Some((Shape::Anything, Kind::Suppressed));
    }
    leaves.sort_unstable();
    Some((Shape::Many(leaves.into_iter().map(str::to_owned).collect()), Kind::Node))
}

fn notation(text: &str) -> (Shape, Kind) {
    if text == "*" {
        return (Shape::Anything, Kind::Suppressed);
    }
    if let Some(values) = set(text) {
        return match values.as_slice() {
            [one] => (Shape::One(one.clone()), Kind::Exact),
            _ => (Shape::Many(values), Kind::Set),
        };
    }
    if let Some(range) = Interval::parse(text) {
        return (Shape::Range(range), Kind::Range);
    }
    if text.contains('*') {
        return (Shape::Masked(text.to_owned()), Kind::Masked);
    }
    (Shape::One(text.to_owned()), Kind::Exact)
}

fn set(text: &str) -> Option<Vec<String>> {
    let inside = text.strip_prefix('{')?.strip_suffix('}')?;
    let mark = if inside.contains(';') { ';' } else { ',' };
    let mut values: Vec<String> = inside.split(mark).map(|value| plain(value.trim()).to_owned()).collect();
    values.sort_unstable();
    values.dedup();
    // An empty or wild member would make it something else than a set of values.
    values.iter().all(|value| !value.is_empty() && !value.contains('*')).then_some(values)
}

fn fits(mask: &str, raw: &str) -> bool {
    let (mut mask, mut raw) = (mask.chars(), raw.chars());
    loop {
        match (mask.next(), raw.next()) {
            (None, None) => return true,
            (Some(hidden), Some(shown)) if hidden == '*' || hidden == shown => {}
            _ => return false,
        }
    }
}

fn masks_meet(one: &str, two: &str) -> bool {
    let (mut one, mut two) = (one.chars(), two.chars());
    loop {
        match (one.next(), two.next()) {
            (None, None) => return true,
            (Some(a), Some(b)) if a == '*' || b == '*' || a == b => {}
            _ => return false,
        }
    }
}

pub(crate) fn may_be_number(mask: &str) -> bool {
    mask.chars().all(|c| c.is_ascii_digit() || "*.-+eE".contains(c))
}
