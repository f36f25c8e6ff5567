//! The finite mechanisms of `deniable check` as mechanisms for an audit.
//!
//! The input is a list of zeros and ones, one for each entity; outputs are the names in the table. Probabilities are
//! rounded to multiples of 2^−64, which no feasible number of samples distinguishes from the exact ones.

use crate::mechanism::{Cell, Mechanism, MechanismError, Outputs};
use crate::neighbours::{InputAdjacency, Neighbours};
use deniable_check::mechanism::{Mechanism as Exact, builtin};
use deniable_core::exact::{Rational, whole};
use num_bigint::BigInt;
use num_traits::{One, ToPrimitive};
use rand_chacha::ChaCha20Rng;
use rand_core::Rng;
use std::collections::{BTreeMap, HashMap};

/// A finite mechanism with a generator.
#[derive(Debug, Clone)]
pub struct TableMechanism {
    exact: Exact,
    /// Cumulative probabilities in units of 2^−64, by dataset, computed on first use.
    rows: HashMap<u32, Vec<u64>>,
    rng: ChaCha20Rng,
}

impl TableMechanism {
    /// Draws from this mechanism with this generator.
    #[must_use]
    pub fn new(exact: Exact, rng: ChaCha20Rng) -> Self {
        Self { exact, rows: HashMap::new(), rng }
    }

    /// A built-in mechanism by its name, with the parameters of `deniable check`.
    ///
    /// # Errors
    /// If the name or a parameter is invalid.
    pub fn builtin(
        name: &str,
        parameters: &BTreeMap<String, String>,
        rng: ChaCha20Rng,
    ) -> Result<Self, deniable_check::mechanism::BuiltinError> {
        Ok(Self::new(builtin::build(name, parameters)?, rng))
    }

    /// The mechanism with its exact probabilities.
    #[must_use]
    pub fn exact(&self) -> &Exact {
        &self.exact
    }

    /// Datasets that differ by one entity, as neighbours.
    #[must_use]
    pub fn neighbours(&self) -> Neighbours {
        Neighbours {
            adjacency: InputAdjacency::OneEntry,
            length: self.exact.size(),
            levels: vec![0, 1],
            least: 0,
            most: 1,
        }
    }

    fn row(&mut self, input: &[i64]) -> Result<&[u64], MechanismError> {
        let undefined = |why: &str| MechanismError::Input { input: input.to_vec(), why: why.to_owned() };
        if input.len() != self.exact.size() || input.iter().any(|bit| !(0..=1).contains(bit)) {
            return Err(undefined("it takes one 0 or 1 for each entity"));
        }
        let data = input.iter().rev().fold(0_u32, |data, bit| data << 1 | u32::from(*bit == 1));
        if !self.exact.gives(data) {
            return Err(undefined("its table has no row for it"));
        }
        let exact = &self.exact;
        Ok(self.rows.entry(data).or_insert_with(|| {
            let unit = whole(BigInt::one() << 64);
            let mut sum = whole(0);
            let cumulated = |output| {
                sum += exact.probability(output, data);
                let units: Rational = &sum * &unit;
                units.floor().to_integer().to_u64().unwrap_or(u64::MAX)
            };
            (0..exact.outputs().len()).map(cumulated).collect()
        }))
    }
}

impl Mechanism for TableMechanism {
    fn sample(&mut self, input: &[i64], times: usize, out: &mut Outputs) -> Result<(), MechanismError> {
        let row = self.row(input)?.to_vec();
        let places: Vec<u32> = self.exact.outputs().iter().map(|name| out.place(name)).collect();
        // The rounding remainder goes to the last possible output.
        let last = (0..row.len()).rev().find(|at| *at == 0 || row[*at] > row[at - 1]).unwrap_or(0);
        for _ in 0..times {
            let drawn = self.rng.next_u64();
            let at = row.partition_point(|end| *end <= drawn).min(last);
            out.cell(Cell::Label(places[at]));
            out.end();
        }
        Ok(())
    }
}
