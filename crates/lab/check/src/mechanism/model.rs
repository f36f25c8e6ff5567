//! A mechanism: entities, outputs, and the probability of each output at each dataset.

use super::dataset::{Dataset, members};
use super::error::MechanismError;
use super::limits::{fractions_fit, size_fits};
use super::table::{self, Table};
use deniable_core::exact::Rational;
use std::sync::Arc;

/// A randomised mechanism over the subsets of a few entities.
#[derive(Debug, Clone)]
pub struct Mechanism {
    entities: Vec<String>,
    outputs: Vec<String>,
    /// Flags of the datasets that have rows; `None` if all have.
    given: Option<Vec<bool>>,
    /// Shared by copies of the mechanism, as it may have gigabytes.
    table: Arc<Table>,
    /// The row of each dataset among the different ones, if many datasets were given one row.
    kinds: Option<Arc<Kinds>>,
}

/// The assignment of shared rows to datasets.
#[derive(Debug, Clone)]
pub(crate) struct Kinds {
    /// The number of different rows.
    pub(crate) count: usize,
    /// By dataset, the number of its row.
    pub(crate) of: Vec<u32>,
}

/// Compares the probabilities, not whether rows are shared.
impl PartialEq for Mechanism {
    fn eq(&self, other: &Self) -> bool {
        let parts = |mechanism: &Self| (mechanism.entities.clone(), mechanism.outputs.clone(), mechanism.given.clone());
        parts(self) == parts(other) && self.table == other.table
    }
}

impl Eq for Mechanism {}

impl Mechanism {
    /// A mechanism with a row of probabilities for each of the `2^n` datasets, in the order of their bits: dataset 1
    /// contains only the first entity.
    ///
    /// # Errors
    /// When names repeat, rows or outputs are missing, a probability is negative or a row does not sum to 1.
    pub fn new(entities: &[&str], outputs: &[&str], rows: Vec<Vec<Rational>>) -> Result<Self, MechanismError> {
        Self::partial(owned(entities), owned(outputs), rows.into_iter().map(Some).collect())
    }

    /// A mechanism whose probabilities are a function of the dataset and the output's position. Entities are named `1`,
    /// `2`, ...
    ///
    /// # Errors
    /// As for [`Mechanism::new`].
    pub fn from_fn(
        entities: usize,
        outputs: &[&str],
        probability: impl Fn(Dataset, usize) -> Rational,
    ) -> Result<Self, MechanismError> {
        let names: Vec<String> = (1..=entities).map(|number| number.to_string()).collect();
        size_fits(entities, outputs.len())?;
        let row = |data: u32| Some((0..outputs.len()).map(|output| probability(data, output)).collect());
        Self::partial(names, owned(outputs), (0..1_u32 << entities).map(row).collect())
    }

    /// A mechanism for some datasets only: `rows[T]` is the row of dataset `T`.
    ///
    /// # Errors
    /// As for [`Mechanism::new`]; and when no dataset is given at all.
    pub fn partial(
        entities: Vec<String>,
        outputs: Vec<String>,
        rows: Vec<Option<Vec<Rational>>>,
    ) -> Result<Self, MechanismError> {
        distinct("entity", &entities)?;
        distinct("output", &outputs)?;
        size_fits(entities.len(), outputs.len())?;
        let expected = 1_usize << entities.len();
        if rows.len() != expected {
            return Err(MechanismError::Rows { found: rows.len(), expected });
        }
        if outputs.is_empty() || rows.iter().all(Option::is_none) {
            return Err(MechanismError::Empty);
        }
        let name = |data: usize| members(&entities, data as Dataset);
        for (data, row) in rows.iter().enumerate() {
            let Some(row) = row else { continue };
            table::check_row(row, &outputs).map_err(|wrong| wrong.at(name(data)))?;
        }
        let all = rows.iter().all(Option::is_some);
        let given = (!all).then(|| rows.iter().map(Option::is_some).collect());
        let table = Arc::new(Table::new(rows, outputs.len()));
        Ok(Self { table, entities, outputs, given, kinds: None })
    }

    /// A complete mechanism in which many datasets share a row: dataset `T` has the row at `which(T)`. Each row is
    /// validated once.
    ///
    /// # Errors
    /// As for [`Mechanism::new`].
    pub(crate) fn shared(
        entities: Vec<String>,
        outputs: Vec<String>,
        rows: &[Vec<Rational>],
        which: impl Fn(Dataset) -> usize,
    ) -> Result<Self, MechanismError> {
        distinct("entity", &entities)?;
        distinct("output", &outputs)?;
        size_fits(entities.len(), outputs.len())?;
        if outputs.is_empty() || rows.is_empty() {
            return Err(MechanismError::Empty);
        }
        let all = || 0..1_u32 << entities.len();
        for (at, row) in rows.iter().enumerate() {
            let name = || {
                let data = all().find(|data| which(*data) == at);
                data.map_or_else(|| format!("number {at}"), |data| members(&entities, data))
            };
            table::check_row(row, &outputs).map_err(|wrong| wrong.at(name()))?;
        }
        let common = table::common(rows.iter().flatten());
        if common.is_none() {
            fractions_fit(entities.len(), outputs.len())?;
        }
        let of: Vec<u32> = all().map(|data| which(data) as u32).collect();
        let table = Arc::new(Table::shared(rows, &of, outputs.len(), common));
        let kinds = Some(Arc::new(Kinds { count: rows.len(), of }));
        Ok(Self { table, entities, outputs, given: None, kinds })
    }

    /// The number of entities of the universe.
    #[must_use]
    pub fn size(&self) -> usize {
        self.entities.len()
    }

    /// The names of the entities, in the order of the bits of a dataset.
    #[must_use]
    pub fn entities(&self) -> &[String] {
        &self.entities
    }

    /// The names of the outputs.
    #[must_use]
    pub fn outputs(&self) -> &[String] {
        &self.outputs
    }

    /// Whether this dataset has a row.
    #[must_use]
    pub fn gives(&self, data: Dataset) -> bool {
        self.given.as_ref().is_none_or(|given| given[data as usize])
    }

    /// Whether every dataset has a row.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.given.is_none()
    }

    /// All datasets that have a row, by their bits.
    pub fn datasets(&self) -> impl Iterator<Item = Dataset> + '_ {
        (0..1_u32 << self.size()).filter(|data| self.gives(*data))
    }

    /// `Pr[output | data]`. The dataset must have a row.
    #[must_use]
    pub fn probability(&self, output: usize, data: Dataset) -> Rational {
        self.table.probability(output, data)
    }

    /// The members of a dataset: `{ann, bob}`.
    #[must_use]
    pub fn members(&self, data: Dataset) -> String {
        members(&self.entities, data)
    }

    pub(crate) fn kinds(&self) -> Option<&Kinds> {
        self.kinds.as_deref()
    }

    pub(crate) fn table(&self) -> &Table {
        &self.table
    }
}

fn owned(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

pub(crate) fn distinct(what: &'static str, names: &[String]) -> Result<(), MechanismError> {
    let mut sorted: Vec<&String> = names.iter().collect();
    sorted.sort_unstable();
    match sorted.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(MechanismError::Repeated { what, name: pair[0].clone() }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use deniable_core::exact::{ratio, whole};

    fn half(_: Dataset, _: usize) -> Rational {
        ratio(1, 2)
    }

    #[test]
    fn rows_are_distributions() {
        let wrong =
            Mechanism::new(&["ann"], &["a", "b"], vec![vec![ratio(1, 2), ratio(1, 2)], vec![ratio(1, 2), ratio(1, 3)]]);
        assert_eq!(
            wrong.unwrap_err().to_string(),
            "the probabilities of dataset {ann} sum to 5/6, which is 1/6 short of 1"
        );
        let wrong =
            Mechanism::new(&["ann"], &["a", "b"], vec![vec![ratio(3, 2), ratio(-1, 2)], vec![whole(1), whole(0)]]);
        assert_eq!(wrong.unwrap_err().to_string(), "the probability of output `b` at dataset {} is -1/2, below 0");
    }

    #[test]
    fn names_are_distinct_and_the_size_fits() {
        assert!(matches!(
            Mechanism::new(&["a", "a"], &["x"], vec![]),
            Err(MechanismError::Repeated { what: "entity", .. })
        ));
        let large = Mechanism::from_fn(60, &["x", "y"], half).unwrap_err();
        assert_eq!(large, MechanismError::TooLarge { entities: 60, outputs: 2, most: 24 });
        assert!(matches!(Mechanism::new(&["a"], &["x"], vec![]), Err(MechanismError::Rows { found: 0, expected: 2 })));
    }

    #[test]
    fn probabilities_are_kept_exactly() {
        let awkward = |data: Dataset, output: usize| {
            let part = ratio(1, 1_000_003 + i64::from(data));
            if output == 0 { part } else { whole(1) - part }
        };
        for mechanism in
            [Mechanism::from_fn(3, &["x", "y"], awkward).unwrap(), Mechanism::from_fn(3, &["x", "y"], half).unwrap()]
        {
            let first = mechanism.probability(0, 5);
            assert_eq!(&first + mechanism.probability(1, 5), whole(1));
        }
        assert_eq!(Mechanism::from_fn(3, &["x", "y"], awkward).unwrap().probability(0, 5), ratio(1, 1_000_008));
    }
}
