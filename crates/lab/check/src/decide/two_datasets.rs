//! Observers who consider two datasets possible: the smallest priors that an answer can change.

use super::numbers::one;
use super::pairs::WitnessedRatio;
use crate::family::Prior;
use crate::mechanism::{Dataset, Mechanism};
use crate::notion::Direction;
use crate::verdict::Witness;
use deniable_core::exact::Rational;

/// An output that two datasets give with different probabilities.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pair {
    pub(super) output: usize,
    pub(super) more: Dataset,
    pub(super) less: Dataset,
}

impl Pair {
    /// The pair of a witness of two datasets; `None` for other witnesses.
    pub(super) fn of(found: &WitnessedRatio) -> Option<Self> {
        let Witness::Datasets { output, more, less, .. } = &found.witness else { return None };
        Some(Self { output: *output, more: *more, less: *less })
    }

    /// The observer who gives `more` the probability `belief`, and an entity that is only in `more` (presence), or only
    /// in `less` (absence). The datasets must differ by such an entity.
    pub(super) fn observer(self, mechanism: &Mechanism, direction: Direction, belief: &Rational) -> Witness {
        let Self { output, more, less } = self;
        let prior = Prior::Table(vec![(more, belief.clone()), (less, one() - belief)]);
        let chances = (mechanism.probability(output, more), mechanism.probability(output, less));
        let (own, likelihoods) = match direction {
            Direction::Presence => (more & !less, chances),
            Direction::Absence => (less & !more, (chances.1, chances.0)),
        };
        Witness::Prior { prior, entity: own.trailing_zeros() as usize, output, likelihoods }
    }

    /// The two datasets as a witness, where observers only approach the value.
    pub(super) fn datasets(self, mechanism: &Mechanism) -> Witness {
        let Self { output, more, less } = self;
        let probabilities = (mechanism.probability(output, more), mechanism.probability(output, less));
        Witness::Datasets { output, more, less, probabilities }
    }
}
