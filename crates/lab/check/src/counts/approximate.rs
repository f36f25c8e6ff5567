//! (ε,δ)-differential privacy on counts: neighbours are counts one member apart, or one exchanged.

use super::decide::within_groups;
use super::model::CountMechanism;
use super::pairs::{exchanged, one_more};
use crate::decide::{ApproximateEvent, CheckError, NeighbourTable, approximate};
use crate::mechanism::Dataset;
use crate::notion::FixedParameter;
use crate::verdict::{CountPlace, CountWitness, Verdict, Witness};
use deniable_core::adversary::Adjacency;
use deniable_core::exact::Rational;

pub(super) fn decide(
    mechanism: &CountMechanism,
    adjacency: Adjacency,
    given: &FixedParameter,
) -> Result<Verdict, CheckError> {
    let witness = |ApproximateEvent { outputs, more, less, probabilities }: ApproximateEvent| {
        let names: Vec<&str> = outputs.iter().map(|output| mechanism.outputs[*output].as_str()).collect();
        let (more, less) = (mechanism.counts(more as usize), mechanism.counts(less as usize));
        Witness::Counts(CountWitness {
            groups: mechanism.names(),
            output: names.join(" or "),
            place: CountPlace::Event { outputs, partly: None, more, less },
            probabilities,
        })
    };
    let mut verdict = approximate(mechanism, adjacency, given, witness)?;
    verdict.theorems.push("X-COUNT");
    Ok(verdict)
}

impl NeighbourTable for CountMechanism {
    fn rows(&self) -> usize {
        self.cells()
    }

    fn outputs(&self) -> usize {
        self.outputs.len()
    }

    fn gives(&self, row: Dataset) -> bool {
        self.gives(row as usize)
    }

    fn probability(&self, output: usize, row: Dataset) -> Rational {
        self.probability(output, row as usize)
    }

    /// Exchanges within a group are left out: the counts stay the same, so no output differs.
    fn neighbours(&self, adjacency: Adjacency, look: &mut dyn FnMut(Dataset, Dataset)) {
        match adjacency {
            Adjacency::AddRemove => one_more(self, &mut |more, less| {
                look(more as Dataset, less as Dataset);
                look(less as Dataset, more as Dataset);
            }),
            Adjacency::ReplaceOne => exchanged(self, &mut |one, other| look(one as Dataset, other as Dataset)),
        }
    }

    fn has_neighbours(&self, adjacency: Adjacency) -> bool {
        let mut any = adjacency == Adjacency::ReplaceOne && within_groups(self);
        if !any {
            self.neighbours(adjacency, &mut |_, _| any = true);
        }
        any
    }
}
