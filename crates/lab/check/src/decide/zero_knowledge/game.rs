//! The constraints on the simulator of one entity: what it sees, and the bounds of its answers.

use crate::mechanism::{Dataset, Mechanism};
use crate::verdict::simulation::{Sight, Weight};
use deniable_core::exact::{Rational, whole};
use num_traits::Zero;
use std::collections::BTreeMap;

/// All datasets that the simulator of one entity cannot distinguish, and the bounds that they put on its answers.
#[derive(Debug, Clone)]
pub(super) struct Base {
    /// The possible samples, by positions in [`Game::samples`], with their probabilities.
    pub(super) samples: Vec<(usize, Rational)>,
    /// By output, the dataset with the largest probability.
    pub(super) most: Vec<(Dataset, Rational)>,
    /// By output, the dataset with the smallest probability.
    pub(super) least: Vec<(Dataset, Rational)>,
}

/// The simulator of one entity.
#[derive(Debug, Clone)]
pub(super) struct Game {
    pub(super) outputs: usize,
    /// All possible samples.
    pub(super) samples: Vec<Dataset>,
    pub(super) bases: Vec<Base>,
}

impl Game {
    pub(super) fn new(mechanism: &Mechanism, entity: usize, sight: Sight) -> Self {
        let mut groups: BTreeMap<Dataset, Vec<Dataset>> = BTreeMap::new();
        for data in mechanism.datasets() {
            // A simulator that sees no members cannot distinguish any datasets.
            let others = if sight.rows() == 0 { 0 } else { data & !(1 << entity) };
            groups.entry(others).or_default().push(data);
        }
        let outputs = mechanism.outputs().len();
        let mut places = BTreeMap::new();
        let mut bases = Vec::new();
        for (others, group) in groups {
            let end = |largest: bool, output: usize| {
                let mut best = (group[0], mechanism.probability(output, group[0]));
                for data in &group[1..] {
                    let value = mechanism.probability(output, *data);
                    if value != best.1 && (value > best.1) == largest {
                        best = (*data, value);
                    }
                }
                best
            };
            let seen = sight.samples(mechanism.size(), others).into_iter().map(|(sample, share)| {
                let next = places.len();
                (*places.entry(sample).or_insert(next), share)
            });
            bases.push(Base {
                samples: seen.collect(),
                most: (0..outputs).map(|output| end(true, output)).collect(),
                least: (0..outputs).map(|output| end(false, output)).collect(),
            });
        }
        let mut all = vec![0; places.len()];
        for (sample, place) in places {
            all[place] = sample;
        }
        Self { outputs, samples: all, bases }
    }

    /// By sample and output, whether the simulator may give the output: no dataset with that sample gives it
    /// probability 0.
    pub(super) fn allowed(&self) -> Vec<Vec<bool>> {
        let mut allowed = vec![vec![true; self.outputs]; self.samples.len()];
        for base in &self.bases {
            for (output, (_, least)) in base.least.iter().enumerate().filter(|(_, (_, least))| least.is_zero()) {
                debug_assert!(least.is_zero());
                base.samples.iter().for_each(|(sample, _)| allowed[*sample][output] = false);
            }
        }
        allowed
    }

    /// Weights that prove that no simulator is within any finite factor; `None` if one is.
    ///
    /// Simulators fail exactly if some sample allows no output, or if some dataset's output is allowed at none of its
    /// samples: otherwise uniform answers over the allowed outputs are within a finite factor.
    pub(super) fn impossible(&self) -> Option<Vec<Weight>> {
        let allowed = self.allowed();
        for base in &self.bases {
            for (output, (data, most)) in base.most.iter().enumerate().filter(|(_, (_, most))| !most.is_zero()) {
                if !most.is_zero() && !base.samples.iter().any(|(sample, _)| allowed[*sample][output]) {
                    let wanted = Weight { data: *data, output, above: whole(1), below: whole(0) };
                    return Some(std::iter::once(wanted).chain(self.forbidding(&[output], &whole(1))).collect());
                }
            }
        }
        let every: Vec<usize> = (0..self.outputs).collect();
        let stuck = allowed.iter().any(|row| !row.contains(&true));
        stuck.then(|| self.forbidding(&every, &whole(1)))
    }

    /// Weights on every bound that forbids one of these outputs: each forbidden answer then costs at least `price`. The
    /// rest of the sum, which must be at most zero, does not change, as the probabilities are zero.
    pub(super) fn forbidding(&self, outputs: &[usize], price: &Rational) -> Vec<Weight> {
        let of = |base: &Base, output: usize| {
            let (data, least) = &base.least[output];
            // The weight is divided among the samples by their probability, and the least likely one must still cost
            // the price.
            let rarest = base.samples.iter().map(|(_, share)| share).min().cloned().unwrap_or_else(|| whole(1));
            let below = price / rarest;
            least.is_zero().then(|| Weight { data: *data, output, above: whole(0), below })
        };
        self.bases.iter().flat_map(|base| outputs.iter().filter_map(move |output| of(base, *output))).collect()
    }
}
