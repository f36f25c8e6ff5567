//! The mechanism of a certificate, with validation.

use crate::error::RecheckError;
use crate::format::{Mechanism, Members, Prior};
use crate::number::{Fraction, Q};
use num_traits::{One, Signed, Zero};
use std::collections::{BTreeSet, HashMap};

/// A dataset: bit `t` is set if the entity at `t` is in.
pub type Data = u32;

/// The most entities of a table.
const MAX_ENTITIES: usize = 24;

/// A table in which every row is a distribution.
#[derive(Debug, Clone)]
pub struct ExactTable {
    entities: Vec<String>,
    outputs: Vec<String>,
    /// The different rows; many datasets may share one.
    kinds: Vec<Vec<Q>>,
    /// By dataset, the index of its row in `kinds`.
    rows: Vec<Option<usize>>,
}

impl ExactTable {
    /// Checks that names are distinct and rows are distributions.
    ///
    /// # Errors
    /// When a name repeats, or a row is not a distribution.
    pub fn new(mechanism: &Mechanism) -> Result<Self, RecheckError> {
        let wrong = |what: String| Err(RecheckError::Table(what));
        for (what, names) in [("entity", &mechanism.entities), ("output", &mechanism.outputs)] {
            let mut sorted: Vec<_> = names.iter().collect();
            sorted.sort();
            if let Some(pair) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
                return wrong(format!("{what} `{}` is named twice", pair[0]));
            }
        }
        let n = mechanism.entities.len();
        if n > MAX_ENTITIES {
            return wrong(format!("{n} entities are more than the limit of {MAX_ENTITIES}"));
        }
        if mechanism.rows.len() != 1 << n {
            return wrong(format!("{} rows are given for {} datasets", mechanism.rows.len(), 1_u32 << n));
        }
        let mut table = Self {
            entities: mechanism.entities.clone(),
            outputs: mechanism.outputs.clone(),
            kinds: Vec::new(),
            rows: Vec::with_capacity(1 << n),
        };
        let mut known: HashMap<&str, usize> = HashMap::new();
        for (data, row) in mechanism.rows.iter().enumerate() {
            let at = || table.name(data as Data);
            let Some(row) = row else {
                table.rows.push(None);
                continue;
            };
            let kind = match known.get(row.as_str()) {
                Some(kind) => *kind,
                None => {
                    let read = table.distribution(row);
                    table.kinds.push(read.map_err(|error| RecheckError::Table(format!("dataset {}: {error}", at())))?);
                    *known.entry(row).or_insert(table.kinds.len() - 1)
                }
            };
            table.rows.push(Some(kind));
        }
        if table.rows.iter().all(Option::is_none) {
            return wrong("no dataset is given".to_owned());
        }
        Ok(table)
    }

    /// Parses a probability for each output, as in a row.
    pub(crate) fn distribution(&self, text: &str) -> Result<Vec<Q>, String> {
        let read = text.split(' ').map(|part| Fraction::read(part).map(|fraction| fraction.0));
        let row: Vec<Q> = read.collect::<Result<_, String>>()?;
        if row.len() != self.outputs.len() {
            return Err(format!("{} probabilities are given for {} outputs", row.len(), self.outputs.len()));
        }
        if let Some((o, value)) = row.iter().enumerate().find(|(_, value)| value.is_negative()) {
            return Err(format!("the probability of {} is {value}, below 0", self.outputs[o]));
        }
        let sum: Q = row.iter().sum();
        if sum.is_one() { Ok(row) } else { Err(format!("the probabilities sum to {sum}, not 1")) }
    }

    /// The number of entities.
    #[must_use]
    pub fn size(&self) -> usize {
        self.entities.len()
    }

    /// The number of outputs.
    #[must_use]
    pub fn outputs(&self) -> usize {
        self.outputs.len()
    }

    /// All datasets, by their bits.
    pub fn subsets(&self) -> std::ops::Range<Data> {
        0..1 << self.size()
    }

    /// The row of a dataset, if it has one.
    #[must_use]
    pub fn row(&self, data: Data) -> Option<&[Q]> {
        let kind = (*self.rows.get(data as usize)?)?;
        Some(&self.kinds[kind])
    }

    /// The number of different rows.
    pub(crate) fn kinds(&self) -> usize {
        self.kinds.len()
    }

    /// The number of 64-bit words of the product of an output's denominators, for the output where it is largest.
    pub(crate) fn words(&self) -> u128 {
        let bits = |output: usize| {
            let all: BTreeSet<_> = self.kinds.iter().map(|row| row[output].denom()).collect();
            all.into_iter().map(num_bigint::BigInt::bits).sum::<u64>()
        };
        u128::from((0..self.outputs()).map(bits).max().unwrap_or(0).div_ceil(64))
    }

    /// The index of a dataset's row among the different rows.
    pub(crate) fn kind(&self, data: Data) -> Option<usize> {
        *self.rows.get(data as usize)?
    }

    /// `Pr[o | data]`, if the dataset has a row.
    #[must_use]
    pub fn get(&self, output: usize, data: Data) -> Option<&Q> {
        self.row(data)?.get(output)
    }

    /// Fails unless every dataset has a row.
    ///
    /// # Errors
    /// With the first dataset without one.
    pub fn complete(&self) -> Result<(), RecheckError> {
        match self.rows.iter().position(Option::is_none) {
            None => Ok(()),
            Some(data) => {
                Err(RecheckError::Question(format!("dataset {} has no row, and is needed", self.name(data as Data))))
            }
        }
    }

    /// The members' names.
    #[must_use]
    pub fn name(&self, data: Data) -> String {
        let members = self.entities.iter().enumerate().filter(|(t, _)| data >> t & 1 == 1).map(|(_, name)| &**name);
        format!("{{{}}}", members.collect::<Vec<_>>().join(", "))
    }

    /// An entity's name.
    #[must_use]
    pub fn entity_name(&self, t: usize) -> &str {
        &self.entities[t]
    }

    /// `Pr[yes | {ann}]`.
    #[must_use]
    pub fn says(&self, output: usize, data: Data) -> String {
        format!("Pr[{} | {}]", self.outputs[output], self.name(data))
    }

    /// An output's name.
    #[must_use]
    pub fn output_name(&self, output: usize) -> &str {
        &self.outputs[output]
    }

    /// The position of an output, by its name.
    ///
    /// # Errors
    /// When there is no output of that name.
    pub fn output(&self, name: &str) -> Result<usize, RecheckError> {
        let found = self.outputs.iter().position(|output| output == name);
        found.ok_or_else(|| RecheckError::Unfit(format!("there is no output `{name}`")))
    }

    /// The position of an entity, by its name.
    ///
    /// # Errors
    /// When there is no entity of that name.
    pub fn entity(&self, name: &str) -> Result<usize, RecheckError> {
        let found = self.entities.iter().position(|entity| entity == name);
        found.ok_or_else(|| RecheckError::Unfit(format!("there is no entity `{name}`")))
    }

    /// The dataset with these members.
    ///
    /// # Errors
    /// When a name is unknown or repeated.
    pub fn data(&self, members: &Members) -> Result<Data, RecheckError> {
        let mut data = 0;
        for name in members {
            let bit = 1 << self.entity(name)?;
            if data & bit != 0 {
                return Err(RecheckError::Unfit(format!("`{name}` is in a dataset twice")));
            }
            data |= bit;
        }
        Ok(data)
    }

    /// The possible datasets of a prior with their probabilities, which sum to 1.
    ///
    /// # Errors
    /// When the prior is not a distribution over datasets of this table.
    pub fn prior(&self, prior: &Prior) -> Result<Vec<(Data, Q)>, RecheckError> {
        let wrong = |what: String| Err(RecheckError::Unfit(what));
        let mut weights: Vec<(Data, Q)> = match prior {
            Prior::Table(table) => {
                let read = table.iter().map(|(members, weight)| Ok((self.data(members)?, weight.0.clone())));
                read.collect::<Result<_, RecheckError>>()?
            }
            Prior::Independent(beliefs) => {
                if beliefs.len() != self.size() {
                    let (found, expected) = (beliefs.len(), self.size());
                    return wrong(format!("a prior has {found} beliefs, but there are {expected} entities"));
                }
                if let Some(p) = beliefs.iter().find(|p| p.0.is_negative() || p.0 > Q::one()) {
                    return wrong(format!("a belief is {p}, not between 0 and 1"));
                }
                let mut all = vec![(0, Q::one())];
                for (t, Fraction(p)) in beliefs.iter().enumerate() {
                    let with: Vec<_> = all.iter().map(|(data, weight)| (data | 1 << t, weight * p)).collect();
                    let rest = Q::one() - p;
                    all = all.into_iter().map(|(data, weight)| (data, weight * &rest)).chain(with).collect();
                    all.retain(|(_, weight)| !weight.is_zero());
                }
                all
            }
        };
        if let Some((data, weight)) = weights.iter().find(|(_, weight)| weight.is_negative()) {
            return wrong(format!("the prior of {} is {weight}, below 0", self.name(*data)));
        }
        weights.retain(|(_, weight)| !weight.is_zero());
        weights.sort();
        if weights.windows(2).any(|pair| pair[0].0 == pair[1].0) {
            return wrong("a dataset is in a prior twice".to_owned());
        }
        let sum: Q = weights.iter().map(|(_, weight)| weight).sum();
        if sum.is_one() { Ok(weights) } else { wrong(format!("a prior sums to {sum}, not 1")) }
    }
}

/// Whether `t` is in.
#[must_use]
pub fn has(data: Data, t: usize) -> bool {
    data >> t & 1 == 1
}
