//! Shared helpers: dice, small mechanisms, Bayes' rule, and shorthands for verdicts.

pub mod bayes;
#[path = "../../../../../core/tests/it/dice.rs"]
pub mod dice;
pub mod mechanisms;

use deniable_check::Bound;
use deniable_check::decide::decide;
use deniable_check::family::Family;
use deniable_check::mechanism::Mechanism;
use deniable_check::notion::{Notion, Sign};
use deniable_check::verdict::{Value, Verdict, Witness};
use deniable_core::exact::whole;

pub fn verdict(mechanism: &Mechanism, notion: &Notion) -> Verdict {
    decide(mechanism, notion, &Family::All).unwrap()
}

pub fn value(mechanism: &Mechanism, notion: &Notion) -> Bound {
    match verdict(mechanism, notion).value {
        Value::Attained(value) | Value::Vacuous(value) => value,
        other => panic!("{other:?} is not attained"),
    }
}

pub fn dp(mechanism: &Mechanism) -> Bound {
    value(mechanism, &Notion::Unbounded { sign: Sign::Both })
}

/// The bracket of zero-knowledge privacy, after an independent check of its proofs.
pub fn zero_knowledge(mechanism: &Mechanism, rows: usize) -> (Bound, Bound) {
    let verdict = verdict(mechanism, &Notion::ZeroKnowledge { rows });
    let (low, high) = (verdict.value.low().clone(), verdict.value.high().clone());
    let Some(Witness::Simulation(simulation)) = verdict.witness else { panic!("no simulation") };
    assert_eq!((simulation.lower(mechanism), simulation.upper(mechanism)), (low.clone(), high.clone()));
    match (&low, &high) {
        (Bound::Finite(low), Bound::Finite(high)) => {
            assert!(low <= high && (high - low) * whole(1_000_000) < *low, "{low} .. {high}");
        }
        (low, high) => assert_eq!(low, high),
    }
    (low, high)
}
