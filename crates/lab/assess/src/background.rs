//! People who could be in a table, by their raw values, and the published classes that cover them.
//!
//! People with the same raw values are one *type*. A type is usually covered by one class; by several if recodings
//! overlap, and by none if its rows were removed from the table.

use crate::cells::Reading;
use crate::classes::{Classes, Quasi};
use crate::counts::Counts;
use crate::error::{AssessError, TableRole};

/// The types of people, and the classes that cover each.
#[derive(Debug)]
pub struct Matching<'a> {
    /// The equivalence classes of the published table.
    pub classes: &'a Classes,
    /// The types: classes of raw values of the same columns.
    pub types: &'a Classes,
    /// Classes by type, and types by class.
    covering: Lists,
    covered: Lists,
    population: Vec<u64>,
}

/// Many short lists in one allocation.
#[derive(Debug, Default)]
struct Lists {
    starts: Vec<usize>,
    items: Vec<u32>,
}

impl Lists {
    fn of(&self, list: u32) -> &[u32] {
        let list = list as usize;
        match (self.starts.get(list), self.starts.get(list + 1)) {
            (Some(from), Some(to)) => &self.items[*from..*to],
            _ => &[],
        }
    }

    /// The inverse: for each of `count` items, the lists that contain it, in order.
    fn turned(&self, count: usize) -> Self {
        let mut starts = vec![0; count + 1];
        self.items.iter().for_each(|item| starts[*item as usize + 1] += 1);
        let mut end = 0;
        for start in &mut starts {
            end += *start;
            *start = end;
        }
        let (mut free, mut items) = (starts.clone(), vec![0; self.items.len()]);
        for (list, bounds) in (0..).zip(self.starts.windows(2)) {
            for item in &self.items[bounds[0]..bounds[1]] {
                let place = &mut free[*item as usize];
                items[*place] = list;
                *place += 1;
            }
        }
        Self { starts, items }
    }
}

/// The types of a table of raw values, by the given columns and those sensitive columns that it has.
///
/// # Errors
/// If a quasi-identifier is missing or the table is empty.
pub fn types(counts: &Counts, quasi: &[&str], sensitive: &[&str], table: TableRole) -> Result<Classes, AssessError> {
    let quasi: Vec<Quasi> = quasi.iter().map(|name| Quasi::new(name, Reading::Literal)).collect();
    let has = |name: &&&str| counts.columns().iter().any(|column| column.name() == **name);
    let sensitive: Vec<String> = sensitive.iter().filter(has).map(|name| (*name).to_owned()).collect();
    Classes::of(counts, &quasi, &sensitive, table)
}

impl<'a> Matching<'a> {
    /// Finds the classes that cover each type. Both must have the same columns in the same order; columns beyond the
    /// shorter list are ignored.
    #[must_use]
    pub fn new(classes: &'a Classes, types: &'a Classes) -> Self {
        // For each column, the cells that cover each raw value.
        let columns: Vec<Lists> = classes
            .columns
            .iter()
            .zip(&types.columns)
            .map(|(cells, raw)| {
                let covering = cells.covering();
                let mut lists = Lists { starts: vec![0], items: Vec::new() };
                for value in &raw.cells {
                    covering.of(value.text(), &mut lists.items);
                    lists.starts.push(lists.items.len());
                }
                lists
            })
            .collect();
        let mut covering = Lists { starts: Vec::with_capacity(types.len() + 1), items: Vec::new() };
        covering.starts.push(0);
        let mut choices: Vec<&[u32]> = Vec::with_capacity(columns.len());
        for person in types.all() {
            choices.clear();
            choices.extend(columns.iter().zip(types.cells(person)).map(|(lists, value)| lists.of(*value)));
            product(classes, &choices, &mut covering.items);
            covering.starts.push(covering.items.len());
        }
        let covered = covering.turned(classes.len());
        let population =
            classes.all().map(|class| covered.of(class).iter().map(|person| types.size(*person)).sum()).collect();
        Self { classes, types, covering, covered, population }
    }

    /// The classes that cover a type.
    #[must_use]
    pub fn classes_of(&self, person: u32) -> &[u32] {
        self.covering.of(person)
    }

    /// The types that a class covers.
    #[must_use]
    pub fn types_of(&self, class: u32) -> &[u32] {
        self.covered.of(class)
    }

    /// The number of people whom each class covers.
    #[must_use]
    pub fn population(&self) -> &[u64] {
        &self.population
    }

    /// Whether a person is covered by several classes.
    #[must_use]
    pub fn overlaps(&self) -> bool {
        self.types.all().any(|person| self.classes_of(person).len() > 1)
    }

    /// A lower bound on the people of each class: its rows, or the people whom only this class covers, whichever is
    /// more. If recodings overlap, the other people whom it covers may have been published in another class.
    #[must_use]
    pub fn at_least(&self) -> Vec<u64> {
        let own = |class: u32| -> u64 {
            let alone = self.types_of(class).iter().filter(|person| self.classes_of(**person).len() == 1);
            alone.map(|person| self.types.size(*person)).sum()
        };
        self.classes.all().map(|class| own(class).max(self.classes.size(class))).collect()
    }

    /// Checks that every class covers at least one person.
    ///
    /// # Errors
    /// Names the first class that covers none.
    pub fn covers_somebody(&self) -> Result<(), AssessError> {
        match (0..).zip(&self.population).find(|(_, people)| **people == 0) {
            Some((class, _)) => Err(AssessError::CoversNobody { class: self.classes.name(class) }),
            None => Ok(()),
        }
    }

    /// The first class with more rows than people whom it covers: the background then does not list all people who
    /// could be in the table.
    #[must_use]
    pub fn overfull(&self) -> Option<u32> {
        let rows = self.classes.sizes().iter().zip(&self.population);
        (0..).zip(rows).find(|(_, (rows, people))| rows > people).map(|(class, _)| class)
    }
}

/// Adds the classes that have one of the cells of each choice, in ascending order.
fn product(classes: &Classes, choices: &[&[u32]], found: &mut Vec<u32>) {
    let combinations = choices.iter().try_fold(1_usize, |all, cells| all.checked_mul(cells.len()));
    match combinations {
        Some(0) => {}
        Some(combinations) if combinations <= classes.len() => {
            let start = found.len();
            for mut number in 0..combinations {
                let mut cells = [0_u32; 16];
                let mut many;
                let cells = if choices.len() <= cells.len() {
                    &mut cells[..choices.len()]
                } else {
                    many = vec![0; choices.len()];
                    &mut many[..]
                };
                for (cell, choice) in cells.iter_mut().zip(choices) {
                    *cell = choice[number % choice.len()];
                    number /= choice.len();
                }
                found.extend(classes.find(cells));
            }
            found[start..].sort_unstable();
        }
        // There are more combinations than classes: test each class instead.
        _ => found.extend(classes.all().filter(|class| {
            classes.cells(*class).iter().zip(choices).all(|(cell, choice)| choice.binary_search(cell).is_ok())
        })),
    }
}
