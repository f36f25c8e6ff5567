//! Counterexamples as mechanisms, decided by `check` against the very statement and target before they are shown.
//!
//! A counterexample is built for few people first, and then for more (`built`). Each that is built is asked whether it keeps
//! the statement, and whether the target has no parameter for it short of certainty (`ask`). Where only ever more
//! people break a target without limit, three sizes are built, which must all keep the statement while the target grows.

mod ask;
mod built;

pub use built::{BuiltInstances, Instance};

use crate::counterexample::Counterexample;
use crate::notion::{Facts, Notion};
use crate::statement::{Statement, Target};
use built::instances;

/// Most people of a mechanism that is built; a table has a row for each set of them.
const MOST_PEOPLE: u32 = 6;

/// The numbers beyond that are tried where it takes the more people the less the statement allows.
const MORE_PEOPLE: [u32; 2] = [8, 10];

/// The decision of `check` on a counterexample.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RefutationOutcome {
    /// It keeps the statement, and the target has no parameter for it short of certainty: what was built.
    Refuted(BuiltInstances),
    /// It does not, or breaks nothing.
    Not,
    /// It takes more people than are built here.
    Beyond,
}

/// Decides whether a counterexample keeps the statement and breaks the target.
#[must_use]
pub fn decided(counterexample: Counterexample, from: &Statement, to: &Target) -> RefutationOutcome {
    let fewest = match from.target.notion {
        // A crowd, and as many candidates of whom one is of the crowd.
        Notion::CrowdBlending { crowd } => crowd.saturating_add(people(to)) - 1,
        _ => people(&from.target).max(people(to)).max(3),
    };
    if fewest > MOST_PEOPLE {
        return RefutationOutcome::Beyond;
    }
    let of_many = is_of_many(counterexample);
    let mut beyond = of_many;
    // Bounded beliefs take enough people to share them.
    let more = MORE_PEOPLE.into_iter().filter(|_| of_many);
    for people in (fewest..=MOST_PEOPLE).chain(more) {
        let all = instances(counterexample, from, to, people as usize);
        beyond |= all.is_empty();
        for built in all {
            if refutes(&built, from, to) {
                return RefutationOutcome::Refuted(built);
            }
        }
    }
    if beyond { RefutationOutcome::Beyond } else { RefutationOutcome::Not }
}

/// Whether it takes the more people the less the statement allows.
fn is_of_many(counterexample: Counterexample) -> bool {
    matches!(
        counterexample,
        Counterexample::ExactlyThese | Counterexample::ExactlyMany | Counterexample::Many | Counterexample::KMax
    )
}

fn refutes(built: &BuiltInstances, from: &Statement, to: &Target) -> bool {
    match built {
        BuiltInstances::One(instance) => ask::keeps(instance, from) && ask::breaks(instance, to),
        BuiltInstances::Growing(instances) => {
            // Ever larger values of one sort of mechanism, each of which keeps the statement.
            let values: Option<Vec<_>> = instances.iter().map(|instance| ask::least(instance, to)).collect();
            let grow = values.is_some_and(|values| values.windows(2).all(|pair| pair[0] < pair[1]));
            grow && instances.len() > 2 && instances.iter().all(|instance| ask::keeps(instance, from))
        }
    }
}

/// How many people the notion speaks of.
fn people(target: &Target) -> u32 {
    match target.notion {
        Notion::Rho { among } => among,
        Notion::Group { size } => size.saturating_add(1),
        Notion::CrowdBlending { crowd } => crowd,
        Notion::Induced(Facts::Apart(apart)) | Notion::InducedExchange(Facts::Apart(apart)) => apart,
        _ => 2,
    }
}
