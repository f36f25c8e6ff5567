//! Odds that are exceeded with a chance, on counts: neighbours are counts one member apart, or one exchanged.

use super::model::CountMechanism;
use crate::decide::{CheckError, PartialEvent, but_for};
use crate::notion::Reading;
use crate::verdict::{CountPlace, CountWitness, Verdict, Witness, named_event};
use deniable_core::adversary::Adjacency;
use deniable_core::exact::Rational;

pub(super) fn decide(
    mechanism: &CountMechanism,
    adjacency: Adjacency,
    odds: &Rational,
    reading: Reading,
) -> Result<Verdict, CheckError> {
    let witness = |PartialEvent { outputs, partly, more, less, probabilities }: PartialEvent| {
        let name = |output: &usize| mechanism.outputs[*output].as_str();
        let part = partly.as_ref().map(|(at, part)| (name(at), part));
        let output = named_event(outputs.iter().map(name), part);
        let (more, less) = (mechanism.counts(more as usize), mechanism.counts(less as usize));
        let place = CountPlace::Event { outputs, partly, more, less };
        Witness::Counts(CountWitness { groups: mechanism.names(), output, place, probabilities })
    };
    let mut verdict = but_for(mechanism, adjacency, odds, reading, witness)?;
    verdict.theorems.push("X-COUNT");
    Ok(verdict)
}
