//! Published cells, and the raw values that they cover.
//!
//! Cells are compared as sets: `{a,b}` and `{b,a}`, `30-39` and `[30,39]`, a node of a hierarchy and the set of its
//! leaves are one cell each. Ranges contain real numbers, so `[30,40)` and `30-39` are different cells.

use crate::error::AssessError;
use crate::hierarchy::Hierarchy;
use crate::interval::{Interval, number, plain};

/// The notation of the cells of a column.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Reading {
    /// By their notation: stars, ranges, sets.
    #[default]
    Notation,
    /// Every cell is one value, whatever its notation.
    Literal,
    /// By a hierarchy: every cell is a leaf or a node; `*` alone covers all leaves.
    Hierarchy(Hierarchy),
}

/// The kind of a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// One raw value, published unchanged.
    Exact,
    /// Some characters are hidden: `021**`.
    Masked,
    /// A range of numbers: `30-39`.
    Range,
    /// Several values: `{a,b}`.
    Set,
    /// A node of a hierarchy.
    Node,
    /// `*`: any value.
    Suppressed,
}

/// The raw values that a cell covers. Two cells are equal if they cover the same values by the same means.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Shape {
    One(String),
    /// At least two values, in order.
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
    /// Reads a cell. Surrounding blanks are ignored.
    ///
    /// # Errors
    /// If the column (named for the message) has a hierarchy without this cell.
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

    /// The cell as written; of equal cells with several spellings, one of them.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The kind that its text was read as.
    #[must_use]
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// Whether two cells cover the same values by the same means, however they are spelled.
    #[must_use]
    pub fn same(&self, other: &Self) -> bool {
        self.shape == other.shape
    }

    /// Whether the cell covers a raw value. Surrounding blanks are ignored.
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

    /// Whether two different cells have a value in common. Exact, except that a mask of digits always counts as
    /// overlapping a range of numbers.
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
    // An empty member or a star would make it something other than a set of values.
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
