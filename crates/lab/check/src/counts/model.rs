//! A mechanism by counts: its groups, and the probability of each output at each combination of counts.

use crate::mechanism::{Dataset, MOST_PROBABILITIES, Mechanism, MechanismError, Table, check_row, distinct, size_fits};
use deniable_core::exact::Rational;

/// Entities that the mechanism treats alike.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// The name, used in messages and witnesses.
    pub name: String,
    /// The number of entities.
    pub size: u32,
}

impl Group {
    /// A group of `size` entities.
    #[must_use]
    pub fn new(name: &str, size: u32) -> Self {
        Self { name: name.to_owned(), size }
    }
}

/// A randomised mechanism whose output depends only on the number of members in each group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CountMechanism {
    pub(super) groups: Vec<Group>,
    pub(super) outputs: Vec<String>,
    /// Flags of the cells that have rows; `None` if all have.
    pub(super) given: Option<Vec<bool>>,
    /// Rows by cell: the counts as digits, the first group's the lowest.
    pub(super) table: Table,
}

impl CountMechanism {
    /// A mechanism with a row for every cell; `None` for counts that are not given. [`CountMechanism::cell`] maps
    /// counts to rows.
    ///
    /// # Errors
    /// When names repeat, the number of rows is wrong, a probability is negative or a row does not sum to 1.
    pub fn new(
        groups: Vec<Group>,
        outputs: Vec<String>,
        rows: Vec<Option<Vec<Rational>>>,
    ) -> Result<Self, MechanismError> {
        let cells = checked(&groups, &outputs)?;
        if rows.len() != cells {
            return Err(MechanismError::Rows { found: rows.len(), expected: cells });
        }
        if rows.iter().all(Option::is_none) {
            return Err(MechanismError::Empty);
        }
        for (cell, row) in rows.iter().enumerate() {
            let Some(row) = row else { continue };
            check_row(row, &outputs).map_err(|wrong| wrong.at(named(&groups, &counts_of(&groups, cell))))?;
        }
        let all = rows.iter().all(Option::is_some);
        let given = (!all).then(|| rows.iter().map(Option::is_some).collect());
        Ok(Self { table: Table::new(rows, outputs.len()), groups, outputs, given })
    }

    /// A mechanism whose rows are a function of the counts.
    ///
    /// # Errors
    /// As for [`CountMechanism::new`].
    pub fn from_fn(
        groups: Vec<Group>,
        outputs: Vec<String>,
        row: impl Fn(&[u32]) -> Vec<Rational>,
    ) -> Result<Self, MechanismError> {
        let cells = checked(&groups, &outputs)?;
        let rows = (0..cells).map(|cell| Some(row(&counts_of(&groups, cell)))).collect();
        Self::new(groups, outputs, rows)
    }

    /// A mechanism whose probabilities are all whole parts of one number below 2^63, which is fast for millions of
    /// counts.
    ///
    /// # Errors
    /// As for [`CountMechanism::new`].
    pub fn from_parts(
        groups: Vec<Group>,
        outputs: Vec<String>,
        of: u64,
        parts: impl Fn(&[u32], usize) -> u64,
    ) -> Result<Self, MechanismError> {
        let cells = checked(&groups, &outputs)?;
        let mut columns = vec![Vec::with_capacity(cells); outputs.len()];
        for cell in 0..cells {
            let counts = counts_of(&groups, cell);
            let mut sum = 0_u128;
            for (output, column) in columns.iter_mut().enumerate() {
                let part = parts(&counts, output);
                sum += u128::from(part);
                column.push(part);
            }
            if sum != u128::from(of) || of == 0 || of >= 1 << 63 {
                let sum = Rational::new(sum.into(), of.max(1).into());
                return Err(MechanismError::Sum { data: named(&groups, &counts), sum });
            }
        }
        Ok(Self { groups, outputs, given: None, table: Table::Parts { of, columns } })
    }

    /// The groups, in the order of the digits of a cell.
    #[must_use]
    pub fn groups(&self) -> &[Group] {
        &self.groups
    }

    /// The names of the outputs.
    #[must_use]
    pub fn outputs(&self) -> &[String] {
        &self.outputs
    }

    /// The names of the groups.
    pub(super) fn names(&self) -> Vec<String> {
        self.groups.iter().map(|group| group.name.clone()).collect()
    }

    /// The number of combinations of counts.
    #[must_use]
    pub fn cells(&self) -> usize {
        self.groups.iter().map(|group| group.size as usize + 1).product()
    }

    /// The row of these counts; no count may exceed the size of its group.
    #[must_use]
    pub fn cell(&self, counts: &[u32]) -> usize {
        self.groups
            .iter()
            .zip(counts)
            .rev()
            .fold(0, |cell, (group, count)| cell * (group.size as usize + 1) + *count as usize)
    }

    /// The counts of a row.
    #[must_use]
    pub fn counts(&self, cell: usize) -> Vec<u32> {
        counts_of(&self.groups, cell)
    }

    /// Whether these counts have a row.
    #[must_use]
    pub fn gives(&self, cell: usize) -> bool {
        self.given.as_ref().is_none_or(|given| given[cell])
    }

    /// `Pr[output | counts]`, by the row of the counts, which must be given.
    #[must_use]
    pub fn probability(&self, output: usize, cell: usize) -> Rational {
        self.table.column(output).get(cell as Dataset)
    }

    /// The same mechanism as a table over all datasets, with entities named `women 1`, `women 2`, ...
    ///
    /// # Errors
    /// When there are more datasets than a table holds.
    pub fn expand(&self) -> Result<Mechanism, MechanismError> {
        let total = self.groups.iter().map(|group| group.size as usize).sum();
        size_fits(total, self.outputs.len())?;
        let names =
            self.groups.iter().flat_map(|group| (1..=group.size).map(|number| format!("{} {number}", group.name)));
        let row = |data: Dataset| {
            let mut first = 0;
            let count = |group: &Group| {
                let members = (data >> first & ((1 << group.size) - 1)).count_ones();
                first += group.size;
                members
            };
            let counts: Vec<u32> = self.groups.iter().map(count).collect();
            let cell = self.cell(&counts);
            self.gives(cell).then(|| (0..self.outputs.len()).map(|output| self.probability(output, cell)).collect())
        };
        Mechanism::partial(names.collect(), self.outputs.clone(), (0..1_u32 << total).map(row).collect())
    }

    /// The distance between rows whose counts differ by one member of `group`.
    pub(super) fn stride(&self, group: usize) -> usize {
        self.groups[..group].iter().map(|group| group.size as usize + 1).product()
    }

    /// The number of members of `group` in the counts of a row.
    pub(super) fn count(&self, cell: usize, group: usize) -> u32 {
        ((cell / self.stride(group)) % (self.groups[group].size as usize + 1)) as u32
    }
}

/// Checks that all names are distinct, and returns the number of cells.
pub(super) fn checked(groups: &[Group], outputs: &[String]) -> Result<usize, MechanismError> {
    let names: Vec<String> = groups.iter().map(|group| group.name.clone()).collect();
    distinct("group", &names)?;
    distinct("output", outputs)?;
    if groups.is_empty() || outputs.is_empty() {
        return Err(MechanismError::Empty);
    }
    let cells = groups.iter().try_fold(1_usize, |cells, group| cells.checked_mul(group.size as usize + 1));
    let fits = cells.filter(|cells| cells.checked_mul(outputs.len()).is_some_and(|all| all <= MOST_PROBABILITIES));
    fits.ok_or_else(|| MechanismError::Counts { outputs: outputs.len(), most: MOST_PROBABILITIES / outputs.len() })
}

pub(super) fn counts_of(groups: &[Group], mut cell: usize) -> Vec<u32> {
    let mut digit = |group: &Group| {
        let base = group.size as usize + 1;
        let count = cell % base;
        cell /= base;
        count as u32
    };
    groups.iter().map(&mut digit).collect()
}

/// `{women = 1, men = 0}`.
pub(super) fn named(groups: &[Group], counts: &[u32]) -> String {
    let each = groups.iter().zip(counts).map(|(group, count)| format!("{} = {count}", group.name));
    format!("{{{}}}", each.collect::<Vec<_>>().join(", "))
}
