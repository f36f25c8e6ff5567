//! Equivalence classes: people with equal published quasi-identifiers, and their sensitive values.

use crate::cells::Reading;
use crate::counts::{Column, Counts};
use crate::cover::CellColumn;
use crate::error::{AssessError, TableRole};
use crate::group::{Codes, group, sums};
use deniable_core::text::shown;

/// A quasi-identifier: a column by which a person could be recognised.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quasi {
    /// The column's name, as the header has it.
    pub name: String,
    /// The notation of its cells.
    pub reading: Reading,
}

impl Quasi {
    /// A column with this name, whose cells are read by this notation.
    #[must_use]
    pub fn new(name: &str, reading: Reading) -> Self {
        Self { name: name.to_owned(), reading }
    }
}

/// The values of a sensitive column, class by class.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Secret {
    /// The column's name, as the header has it.
    pub name: String,
    /// Its values that occur, in lexicographic order.
    pub values: Vec<String>,
    /// People with each value, by code.
    pub totals: Vec<u64>,
    /// The first entry of each class; one more item than there are classes.
    starts: Vec<usize>,
    /// Codes and counts, by class and code.
    entries: Vec<(u32, u64)>,
}

impl Secret {
    fn build(name: &str, values: Vec<String>, classes: (usize, Vec<u32>), codes: Vec<u32>, times: &[u64]) -> Self {
        let mut totals = vec![0; values.len()];
        for (code, times) in codes.iter().zip(times) {
            totals[*code as usize] += times;
        }
        let (count, of_row) = classes;
        let columns = [Codes { codes: of_row, radix: count }, Codes { codes, radix: values.len() }];
        let groups = group(times.len(), &columns);
        let mut starts = vec![0; count + 1];
        let counted = groups.first.iter().zip(sums(&groups, times));
        let entries = counted.map(|(row, times)| {
            starts[columns[0].codes[*row as usize] as usize + 1] += 1;
            (columns[1].codes[*row as usize], times)
        });
        let entries = entries.collect();
        let mut end = 0;
        for start in &mut starts {
            end += *start;
            *start = end;
        }
        Self { name: name.to_owned(), values, totals, starts, entries }
    }

    /// The values that occur in a class, by ascending code, with the number of people who have each.
    #[must_use]
    pub fn of(&self, class: u32) -> &[(u32, u64)] {
        let class = class as usize;
        match (self.starts.get(class), self.starts.get(class + 1)) {
            (Some(from), Some(to)) => &self.entries[*from..*to],
            _ => &[],
        }
    }

    /// The number of people of a class who have a value.
    #[must_use]
    pub fn count(&self, class: u32, value: u32) -> u64 {
        let entries = self.of(class);
        entries.binary_search_by_key(&value, |(value, _)| *value).map_or(0, |place| entries[place].1)
    }

    /// The code of a value.
    #[must_use]
    pub fn code(&self, value: &str) -> Option<u32> {
        let place = self.values.binary_search_by(|known| known.as_str().cmp(value)).ok()?;
        u32::try_from(place).ok()
    }
}

/// All equivalence classes of a table, in an order that does not depend on the order of its rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Classes {
    /// The columns of quasi-identifiers, with their cells.
    pub columns: Vec<CellColumn>,
    /// The sensitive columns, with their values by class.
    pub secrets: Vec<Secret>,
    /// Cell numbers, `classes x columns`.
    cells: Vec<u32>,
    sizes: Vec<u64>,
    people: u64,
    /// An open hash table from cells to classes.
    slots: Vec<u32>,
}

const FREE: u32 = u32::MAX;

impl Classes {
    /// The classes of a table (named `table` in errors).
    ///
    /// # Errors
    /// If a column is missing or named twice, there is no quasi-identifier, the table is empty, or a hierarchy lacks a
    /// cell.
    pub fn of(counts: &Counts, quasi: &[Quasi], sensitive: &[String], table: TableRole) -> Result<Self, AssessError> {
        let names = || quasi.iter().map(|quasi| &quasi.name).chain(sensitive);
        if let Some((_, name)) =
            names().enumerate().find(|(place, name)| names().take(*place).any(|other| other == *name))
        {
            return Err(AssessError::Roles { column: name.clone() });
        }
        if quasi.is_empty() {
            return Err(AssessError::NoQuasi);
        }
        if counts.people() == 0 {
            return Err(AssessError::Empty { table });
        }
        let (mut columns, mut codes) = (Vec::new(), Vec::new());
        for quasi in quasi {
            let (values, of_row) = used(counts.column(&quasi.name, table)?);
            let (column, cell) = CellColumn::read(&quasi.name, &values, &quasi.reading)?;
            let of_row = of_row.into_iter().map(|code| cell[code as usize]).collect();
            codes.push(Codes { codes: of_row, radix: column.cells.len() });
            columns.push(column);
        }
        let (mut classes, of_row) = Self::grouped(columns, &codes, counts.times());
        for name in sensitive {
            let (values, codes) = used(counts.column(name, table)?);
            classes.secrets.push(Secret::build(name, values, (classes.len(), of_row.clone()), codes, counts.times()));
        }
        Ok(classes)
    }

    fn grouped(columns: Vec<CellColumn>, codes: &[Codes], times: &[u64]) -> (Self, Vec<u32>) {
        let groups = group(times.len(), codes);
        let sizes = sums(&groups, times);
        let cells =
            groups.first.iter().flat_map(|row| codes.iter().map(|column| column.codes[*row as usize])).collect();
        let people = sizes.iter().sum();
        let mut classes = Self { columns, secrets: Vec::new(), cells, sizes, people, slots: Vec::new() };
        classes.index();
        (classes, groups.of_row)
    }

    /// The same people by fewer columns: `keep` lists the positions of the columns, in the new order. Classes that
    /// become equal are merged.
    #[must_use]
    pub fn project(&self, keep: &[usize]) -> Self {
        let columns: Vec<CellColumn> = keep.iter().filter_map(|place| self.columns.get(*place)).cloned().collect();
        let width = self.columns.len();
        let codes: Vec<Codes> = keep
            .iter()
            .filter_map(|place| {
                let radix = self.columns.get(*place)?.cells.len();
                Some(Codes { codes: self.cells.iter().skip(*place).step_by(width).copied().collect(), radix })
            })
            .collect();
        let (mut kept, of_class) = Self::grouped(columns, &codes, &self.sizes);
        for secret in &self.secrets {
            let mut of_row = Vec::with_capacity(secret.entries.len());
            for (class, bounds) in of_class.iter().zip(secret.starts.windows(2)) {
                of_row.extend(std::iter::repeat_n(*class, bounds[1] - bounds[0]));
            }
            let (codes, times): (Vec<u32>, Vec<u64>) = secret.entries.iter().copied().unzip();
            let classes = (kept.len(), of_row);
            kept.secrets.push(Secret::build(&secret.name, secret.values.clone(), classes, codes, &times));
        }
        kept
    }

    /// The number of classes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.sizes.len()
    }

    /// Whether there are no classes; never true for a table that was read.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.sizes.is_empty()
    }

    /// People in all classes.
    #[must_use]
    pub fn people(&self) -> u64 {
        self.people
    }

    /// People in each class, at least 1.
    #[must_use]
    pub fn sizes(&self) -> &[u64] {
        &self.sizes
    }

    /// People in one class; 0 if the class does not exist.
    #[must_use]
    pub fn size(&self, class: u32) -> u64 {
        self.sizes.get(class as usize).copied().unwrap_or(0)
    }

    /// The numbers of all classes, ascending.
    pub fn all(&self) -> impl Iterator<Item = u32> + use<> {
        (0..).take(self.sizes.len())
    }

    /// The cells of a class, one cell number for each column.
    #[must_use]
    pub fn cells(&self, class: u32) -> &[u32] {
        let (width, class) = (self.columns.len(), class as usize);
        self.cells.get(class * width..(class + 1) * width).unwrap_or(&[])
    }

    /// The class with these cells.
    #[must_use]
    pub fn find(&self, cells: &[u32]) -> Option<u32> {
        let mask = self.slots.len().checked_sub(1)?;
        let mut slot = place(cells) & mask;
        loop {
            match self.slots[slot] {
                FREE => return None,
                class if self.cells(class) == cells => return Some(class),
                _ => slot = (slot + 1) & mask,
            }
        }
    }

    /// A class as text for messages: `age=30-39, zip=*`.
    #[must_use]
    pub fn name(&self, class: u32) -> String {
        let cells = self.columns.iter().zip(self.cells(class));
        let named = cells.map(|(column, cell)| {
            let text = column.cells.get(*cell as usize).map_or("", |cell| cell.text());
            format!("{}={}", shown(&column.name), shown(text))
        });
        named.collect::<Vec<_>>().join(", ")
    }

    /// People with each cell of a column.
    #[must_use]
    pub fn people_by_cell(&self, column: usize) -> Vec<u64> {
        let mut people = vec![0; self.columns.get(column).map_or(0, |column| column.cells.len())];
        for (cell, size) in self.cells.iter().skip(column).step_by(self.columns.len().max(1)).zip(&self.sizes) {
            people[*cell as usize] += size;
        }
        people
    }

    fn index(&mut self) {
        // At most half full, so that probe sequences stay short.
        self.slots = vec![FREE; (self.sizes.len() * 2).next_power_of_two().max(2)];
        let mask = self.slots.len() - 1;
        for class in self.all() {
            let mut slot = place(self.cells(class)) & mask;
            while self.slots[slot] != FREE {
                slot = (slot + 1) & mask;
            }
            self.slots[slot] = class;
        }
    }
}

/// Multiply and fold: cell numbers are small and dense, so each must affect the low bits.
#[expect(clippy::cast_possible_truncation, reason = "a hash")]
fn place(cells: &[u32]) -> usize {
    const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
    let mixed = cells.iter().fold(ODD, |hash, cell| (hash ^ u64::from(*cell)).wrapping_mul(ODD).rotate_left(29));
    (mixed ^ (mixed >> 32)) as usize
}

/// The values of a column that occur, in lexicographic order, and their codes row by row.
fn used(column: &Column) -> (Vec<String>, Vec<u32>) {
    let (values, codes) = (column.values(), column.codes());
    let mut occurs = vec![false; values.len()];
    codes.iter().for_each(|code| occurs[*code as usize] = true);
    let mut kept: Vec<u32> = (0..).zip(&occurs).filter(|(_, occurs)| **occurs).map(|(code, _)| code).collect();
    kept.sort_unstable_by_key(|code| &values[*code as usize]);
    let mut renamed = vec![0; values.len()];
    for (new, old) in (0..).zip(&kept) {
        renamed[*old as usize] = new;
    }
    let names = kept.into_iter().map(|code| values[code as usize].clone()).collect();
    (names, codes.iter().map(|code| renamed[*code as usize]).collect())
}
