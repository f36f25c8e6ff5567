//! The shapes of the further notions: simulators, crowds, public constraints, tables and protocols.
//!
//! A simulator that sees `k` random rows of the others (I-ZKP) bounds more than neighbours. For a dataset `T` and somebody
//! `t`, what it makes up from a random `k`-set `s` of `T∖t` is on average within `R` of the answer on `T`, and, as `s` is all
//! there is to see of `s`, within `R` of the answer on `s`. Neighbours are thus within `R²`; `s` is `k` steps from nobody; so
//! the answer on `T` is within `R^(2k+2)` of that on nobody, and any two datasets within `R^(4k+4)`: free lunch. A simulator that
//! sees nothing stands within `R` of all datasets at once, which are then within `R²`.

use super::{Carry, Shape, Step, power};
use crate::counterexample::Counterexample;
use deniable_core::exact::{Rational, whole};

const ANSWER_IS_VIEW: &str =
    "the data is the other party's input, and the answer is what a party sees, its output included";
const SAME_FACTS: &str = "whatever facts are public, as long as they leave neighbours no farther apart";

/// What follows where one of the two is such a shape; `None` where neither is.
pub(super) fn follows(from: &Shape, to: &Shape) -> Option<Result<Step, Counterexample>> {
    use Shape::{Crowd, Induced, Simulated, Table, View};
    Some(match (from, to) {
        (Table { both }, Table { both: other }) => {
            if *both || both == other {
                power(1, &["I-BOP"])
            } else {
                Err(Counterexample::RareValue)
            }
        }
        (Table { .. }, _) => Err(Counterexample::TrueTable),
        (_, Table { .. }) => Err(Counterexample::BlindTable),
        (View { both }, View { both: other }) => {
            if *both || both == other {
                power(1, &["I-SMC"])
            } else {
                Err(Counterexample::Unlikely)
            }
        }
        (View { .. }, _) => Err(Counterexample::OutputTold),
        (Induced(_), _) => Err(Counterexample::NotAllowed),
        (Crowd(k), Crowd(j)) if j <= k => power(1, &["I-CBP"]),
        (Crowd(_), _) => Err(Counterexample::AllOfThese),
        (Simulated(rows), _) => Ok(simulated(*rows, to)),
        (_, View { .. }) => viewed(from),
        (_, Simulated(_) | Crowd(_) | Induced(_)) => bounded(from, to),
        _ => return None,
    })
}

/// What follows from a shape of datasets for a simulator, a crowd or a constraint.
fn bounded(from: &Shape, to: &Shape) -> Result<Step, Counterexample> {
    use Shape::{
        All, Both, Crowd, Down, Group, Induced, OneOf, Replace, ReplaceGroup, Sampled, SampledUp, Simulated, Up,
    };
    match (from, to) {
        // Whoever answers as on any other dataset simulates.
        (All, Simulated(_)) => loose(power(1, &["I-FLP", "I-ZKP"])),
        (All, Crowd(_)) => power(1, &["I-FLP", "I-CBP"]),
        (All, Induced(_)) => conditional(power(1, &["I-FLP", "I-INP"]), SAME_FACTS),
        (Both | Group(_), Simulated(_)) => Err(Counterexample::Levels),
        (Both | Group(_), Crowd(_)) => power(1, &["I-CBP"]),
        (Both, Induced(apart)) => conditional(power(*apart, &["F-DI", "I-INP"]), SAME_FACTS),
        (Group(k), Induced(apart)) => conditional(power(apart.div_ceil(*k), &["F-NIk", "I-INP"]), SAME_FACTS),
        (Up, _) => Err(Counterexample::OnlyAlone),
        (Down, _) => Err(Counterexample::OnlyWith),
        (Replace | ReplaceGroup(_) | OneOf(_), _) => Err(Counterexample::ExactSize),
        // The members of one set are a crowd of each other.
        (Sampled { .. } | SampledUp { .. }, Crowd(_)) => Err(Counterexample::ExactlyMany),
        (Sampled { .. } | SampledUp { .. }, _) => Err(Counterexample::ExactlyThese),
        _ => Err(Counterexample::KMax),
    }
}

/// What follows from a shape of datasets for a protocol that shows the answer.
fn viewed(from: &Shape) -> Result<Step, Counterexample> {
    use Shape::{All, Both, Down, Group, OneOf, Replace, ReplaceGroup, Sampled, SampledUp, Up};
    match from {
        All => loose(conditional(power(1, &["I-FLP", "I-SMC"]), ANSWER_IS_VIEW)),
        Up | Down | Both | Group(_) => Err(Counterexample::ManyBits),
        Replace | ReplaceGroup(_) | OneOf(_) => Err(Counterexample::ExactSize),
        Sampled { .. } | SampledUp { .. } => Err(Counterexample::ExactlyThese),
        _ => Err(Counterexample::KMax),
    }
}

/// The power of the simulator's factor that two datasets anywhere are within.
fn anywhere(rows: u32) -> u32 {
    if rows == 0 { 2 } else { rows.saturating_mul(4).saturating_add(4) }
}

/// What follows from a simulator: all that follows from odds of `R²` between neighbours, and from `R^(4k+4)` between any two
/// datasets.
fn simulated(rows: u32, to: &Shape) -> Step {
    use Shape::{
        All, Both, Crowd, Down, Group, Induced, OneOf, Replace, ReplaceGroup, Sampled, SampledUp, Simulated, Uniform,
        Up, View,
    };
    let all = anywhere(rows);
    // Among k+1 people a simulator sees everybody else, and stands between any two neighbours.
    let sees = |people: u32| people <= rows.saturating_add(1);
    let step = |exponent: u32, theorems: &[&'static str], tight| Step {
        carry: Carry::Power(exponent.min(all)),
        theorems: [&["I-ZKP"], theorems].concat(),
        condition: None,
        tight: tight && exponent <= all,
    };
    match to {
        Up | Down | Both | Uniform => step(2, &[], true),
        Crowd(_) => step(2, &["I-CBP"], true),
        Replace => step(4, &["F-DB"], sees(2)),
        OneOf(_) => step(4, &["B-5"], false),
        Group(size) => step(size.saturating_mul(2), &["F-NIk"], sees(*size)),
        ReplaceGroup(size) => step(size.saturating_mul(4), &["F-NIk", "F-DB"], false),
        Induced(apart) => {
            Step { condition: Some(SAME_FACTS), ..step(apart.saturating_mul(2), &["I-INP"], sees(*apart)) }
        }
        Simulated(other) if *other >= rows => step(1, &[], true),
        View { .. } => Step { condition: Some(ANSWER_IS_VIEW), ..step(all, &["I-SMC"], false) },
        Sampled { rate } | SampledUp { rate } => Step { carry: sampled(rate), ..step(2, &["C-5"], true) },
        // Fewer rows than are known to be enough; tables are looked at before.
        All | Simulated(_) | Shape::Table { .. } => step(all, &[], false),
    }
}

fn sampled(rate: &Rational) -> Carry {
    Carry::Sample { power: 2, rate: rate.clone(), floor: whole(1) }
}

fn conditional(step: Result<Step, Counterexample>, condition: &'static str) -> Result<Step, Counterexample> {
    step.map(|step| Step { condition: Some(condition), ..step })
}

fn loose(step: Result<Step, Counterexample>) -> Result<Step, Counterexample> {
    step.map(|step| Step { tight: false, ..step })
}
