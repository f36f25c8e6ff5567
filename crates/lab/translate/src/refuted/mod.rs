//! Counterexamples as mechanisms, decided by `check` for the given statement and target before they are displayed.
//!
//! A counterexample is built for few people first, and then for more (`built`). For each, `check` decides whether it
//! satisfies the statement, and whether the target is broken without limit (`ask`). If a target is only broken in the
//! limit of many people, three sizes are built, which must all satisfy the statement while the target's parameter
//! grows.

mod ask;
mod built;

pub use built::{BuiltInstances, Instance};

use crate::counterexample::Counterexample;
use crate::notion::{Facts, Notion};
use crate::statement::{Statement, Target};
use built::instances;

/// Limit on the people of a built mechanism; its table has a row for each set of them.
const MOST_PEOPLE: u32 = 6;

/// More people are tried for counterexamples that need more people the stricter the statement is.
const MORE_PEOPLE: [u32; 2] = [8, 10];

/// The decision of `check` about a counterexample.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RefutationOutcome {
    /// It satisfies the statement, and breaks the target without limit: the built cases.
    Refuted(BuiltInstances),
    /// It breaks the statement, or does not break the target.
    Not,
    /// It needs more people than are built here.
    Beyond,
}

/// Decides whether a counterexample satisfies the statement and breaks the target.
#[must_use]
pub fn decided(counterexample: Counterexample, from: &Statement, to: &Target) -> RefutationOutcome {
    let fewest = match from.target.notion {
        // A crowd, and as many candidates, one of them in the crowd.
        Notion::CrowdBlending { crowd } => crowd.saturating_add(people(to)) - 1,
        _ => people(&from.target).max(people(to)).max(3),
    };
    if fewest > MOST_PEOPLE {
        return RefutationOutcome::Beyond;
    }
    let of_many = is_of_many(counterexample);
    let mut beyond = of_many;
    // Bounded beliefs need enough people to sum to a whole number.
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

/// Whether it needs more people the stricter the statement is.
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
            // Increasing values of one kind of mechanism, each of which satisfies the statement.
            let values: Option<Vec<_>> = instances.iter().map(|instance| ask::least(instance, to)).collect();
            let grow = values.is_some_and(|values| values.windows(2).all(|pair| pair[0] < pair[1]));
            grow && instances.len() > 2 && instances.iter().all(|instance| ask::keeps(instance, from))
        }
    }
}

/// The number of people in the notion's parameter.
fn people(target: &Target) -> u32 {
    match target.notion {
        Notion::Rho { among } => among,
        Notion::Group { size } => size.saturating_add(1),
        Notion::CrowdBlending { crowd } => crowd,
        Notion::Induced(Facts::Apart(apart)) | Notion::InducedExchange(Facts::Apart(apart)) => apart,
        _ => 2,
    }
}
