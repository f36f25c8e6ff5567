//! The distinct cells of a column, their kinds, and an index from raw values to the cells that cover them.

use crate::cells::{Cell, Kind, Reading, Shape, may_be_number};
use crate::error::AssessError;
use crate::interval::{Interval, number};
use std::collections::HashMap;

/// Counts of the cells of a column that were parsed in one way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize)]
pub struct CellCounts {
    /// Number of distinct cells of this kind.
    pub cells: u64,
    /// People with such a cell.
    pub people: u64,
}

/// The distinct cells of a quasi-identifier, in an order that does not depend on the order of rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CellColumn {
    /// Its name, as the header has it.
    pub name: String,
    /// The cells, by number.
    pub cells: Vec<Cell>,
}

/// An index from values to the cells that cover them, built once for a column.
#[derive(Debug)]
pub struct CoverIndex {
    values: HashMap<String, Vec<u32>>,
    ranges: Vec<(Interval, u32)>,
    ranges_part: bool,
    /// The masks, by their length and set of hidden positions.
    masks: HashMap<Vec<bool>, HashMap<String, u32>>,
    anything: Vec<u32>,
}

impl CellColumn {
    /// Reads the distinct values of a column, and returns the cell number of each.
    ///
    /// # Errors
    /// If a hierarchy lacks a value.
    pub fn read(name: &str, values: &[String], reading: &Reading) -> Result<(Self, Vec<u32>), AssessError> {
        let cells = values.iter().map(|value| Cell::read(value, reading, name)).collect::<Result<Vec<_>, _>>()?;
        let mut order: Vec<usize> = (0..cells.len()).collect();
        order.sort_unstable_by(|a, b| (&cells[*a].shape, cells[*a].text()).cmp(&(&cells[*b].shape, cells[*b].text())));
        let mut codes = vec![0; cells.len()];
        let mut kept: Vec<Cell> = Vec::new();
        for place in order {
            if kept.last().is_none_or(|last| !last.same(&cells[place])) {
                kept.push(cells[place].clone());
            }
            codes[place] =
                u32::try_from(kept.len() - 1).map_err(|_| AssessError::TooMany { what: "distinct cells" })?;
        }
        Ok((Self { name: name.to_owned(), cells: kept }, codes))
    }

    /// The number of cells of a kind, and their people, given the people of each cell.
    #[must_use]
    pub fn kinds(&self, people: &[u64], kind: Kind) -> CellCounts {
        let mut read = CellCounts::default();
        for (_, people) in self.cells.iter().zip(people).filter(|(cell, _)| cell.kind() == kind) {
            read.cells += 1;
            read.people += people;
        }
        read
    }

    /// Builds the index from raw values to cells.
    #[must_use]
    pub fn covering(&self) -> CoverIndex {
        let mut index = CoverIndex {
            values: HashMap::new(),
            ranges: Vec::new(),
            ranges_part: true,
            masks: HashMap::new(),
            anything: Vec::new(),
        };
        for (code, cell) in (0..).zip(&self.cells) {
            match &cell.shape {
                Shape::One(value) => index.values.entry(value.clone()).or_default().push(code),
                Shape::Many(values) => {
                    for value in values {
                        index.values.entry(value.clone()).or_default().push(code);
                    }
                }
                Shape::Masked(mask) => {
                    let hidden = mask.chars().map(|c| c == '*').collect();
                    index.masks.entry(hidden).or_default().insert(mask.clone(), code);
                }
                Shape::Range(range) => index.ranges.push((range.clone(), code)),
                Shape::Anything => index.anything.push(code),
            }
        }
        index.ranges.sort_by(|(one, _), (two, _)| one.by_low(two));
        index.ranges_part = index.ranges.windows(2).all(|pair| pair[0].0.is_below(&pair[1].0));
        index
    }

    /// Two different cells that have a value in common, if any: then the cells do not partition the values.
    #[must_use]
    pub fn overlap(&self) -> Option<(u32, u32)> {
        let index = self.covering();
        if let (Some(all), true) = (index.anything.first(), self.cells.len() > 1) {
            return Some((u32::from(*all == 0), *all));
        }
        let mut found = Vec::new();
        for value in index.values.keys() {
            found.clear();
            index.of(value, &mut found);
            if let [one, other, ..] = found[..] {
                return Some((one, other));
            }
        }
        if !index.ranges_part {
            let meets = |pair: &[(Interval, u32)]| !pair[0].0.is_below(&pair[1].0);
            return index.ranges.windows(2).find(|pair| meets(pair)).map(|pair| (pair[0].1, pair[1].1));
        }
        if let Some((_, range)) = index.ranges.first() {
            let numeric = index.masks.values().flatten().find(|(mask, _)| may_be_number(mask));
            if let Some((_, mask)) = numeric {
                return Some((*range, *mask));
            }
        }
        index.masks_overlap()
    }
}

impl CoverIndex {
    /// Adds the cells that cover a raw value to `found`, in ascending order.
    pub fn of(&self, raw: &str, found: &mut Vec<u32>) {
        let raw = raw.trim();
        let start = found.len();
        if let Some(cells) = self.values.get(raw) {
            found.extend(cells);
        }
        if !self.ranges.is_empty()
            && let Some(value) = number(raw)
        {
            // Disjoint ranges: only the last that starts before the value can contain it.
            let upto = self.ranges.partition_point(|(range, _)| {
                range.low.as_ref().is_none_or(|end| end.value < value || (end.closed && end.value == value))
            });
            let from = if self.ranges_part { upto.saturating_sub(1) } else { 0 };
            found.extend(self.ranges[from..upto].iter().filter(|(range, _)| range.holds(&value)).map(|(_, cell)| cell));
        }
        let length = raw.chars().count();
        for (hidden, masks) in &self.masks {
            if hidden.len() == length {
                let mask: String = raw.chars().zip(hidden).map(|(c, hidden)| if *hidden { '*' } else { c }).collect();
                found.extend(masks.get(&mask));
            }
        }
        found.extend(&self.anything);
        found[start..].sort_unstable();
    }

    /// Masks with different hidden positions overlap if they agree at all positions that neither hides.
    fn masks_overlap(&self) -> Option<(u32, u32)> {
        let families: Vec<_> = self.masks.iter().collect();
        for (place, (one, masks)) in families.iter().enumerate() {
            for (two, others) in families[place + 1..].iter().filter(|(two, _)| two.len() == one.len()) {
                let common = |mask: &str| -> String {
                    let hidden = one.iter().zip(two.iter());
                    mask.chars().zip(hidden).map(|(c, (a, b))| if *a || *b { '*' } else { c }).collect()
                };
                let seen: HashMap<String, u32> = masks.iter().map(|(mask, cell)| (common(mask), *cell)).collect();
                let met = others.iter().find_map(|(mask, cell)| Some((*seen.get(&common(mask))?, *cell)));
                if met.is_some() {
                    return met;
                }
            }
        }
        None
    }
}
