//! The shapes of the further notions: simulators, crowds, public constraints, tables and protocols.
//!
//! A simulator that sees `k` random rows of the others (I-ZKP) bounds more than neighbours. For a dataset `T` and a
//! person `t`, its average answer over random `k`-sets `s` of `T∖t` is within `R` of the answer on `T`, and its answer
//! for `s` is within `R` of the answer on `s` itself, since `s` is its own only sample. Neighbours are thus within
//! `R²`; `s` is `k` steps from the empty dataset; so the answer on `T` is within `R^(2k+2)` of that on the empty
//! dataset, and any two datasets are within `R^(4k+4)`: free lunch. A simulator without a sample is within `R` of all
//! datasets at once, which are then within `R²`.
//!
//! A simulator that sees rows of all, empty ones among them (I-ZKR), implies only odds of `R²` between neighbours: the
//! size of its sample does not depend on the number of members, so it can estimate that number as well as from a large
//! sample of members.

use super::{Carry, Shape, Step, power};
use crate::counterexample::Counterexample;
use deniable_core::exact::{Rational, whole};

const ANSWER_IS_VIEW: &str = "the data is the other party's input, and the answer is a party's view with its output";
const SAME_FACTS: &str = "for all public facts under which neighbours are no farther apart";

/// The implication where one of the two shapes is of this module; `None` if neither is.
pub(super) fn follows(from: &Shape, to: &Shape) -> Option<Result<Step, Counterexample>> {
    use Shape::{All, Crowd, Exchanged, Induced, Simulated, SimulatedRows, Table, View};
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
        (Induced(_) | Exchanged(_), _) => Err(Counterexample::NotAllowed),
        (Crowd(k), Crowd(j)) if j <= k => power(1, &["I-CBP"]),
        (Crowd(_), _) => Err(Counterexample::AllOfThese),
        (Simulated(rows), _) => Ok(simulated(*rows, to)),
        // A simulator that sees more rows can ignore some of them, at random.
        (SimulatedRows(rows), SimulatedRows(other)) if other >= rows => power(1, &["I-ZKR"]),
        (SimulatedRows(_), All | Simulated(_) | SimulatedRows(_) | View { .. }) => Err(Counterexample::Counted),
        (SimulatedRows(rows), _) => rows_seen(*rows, to),
        (_, View { .. }) => viewed(from),
        (_, Simulated(_) | SimulatedRows(_) | Crowd(_) | Induced(_) | Exchanged(_)) => bounded(from, to),
        _ => return None,
    })
}

/// The implication of a simulator, a crowd or a constraint by a shape of datasets.
fn bounded(from: &Shape, to: &Shape) -> Result<Step, Counterexample> {
    use Shape::{
        All, Both, Crowd, Down, Exchanged, Group, Induced, Move, OneOf, Replace, ReplaceGroup, Sampled, SampledUp,
        Simulated, SimulatedRows, Up,
    };
    match (from, to) {
        // The answer on any other dataset is a simulation.
        (All, Simulated(_)) => loose(power(1, &["I-FLP", "I-ZKP"])),
        (All, SimulatedRows(_)) => loose(power(1, &["I-FLP", "I-ZKR"])),
        (All, Crowd(_)) => power(1, &["I-FLP", "I-CBP"]),
        (All, Induced(_)) => conditional(power(1, &["I-FLP", "I-INP"]), SAME_FACTS),
        (All, Exchanged(_)) => conditional(power(1, &["I-FLP", "I-INX"]), SAME_FACTS),
        (Both | Move | Group(_), Simulated(_) | SimulatedRows(_)) => Err(Counterexample::Levels),
        (Both | Move | Group(_), Crowd(_)) => power(1, &["I-CBP"]),
        // Several people who join are as many moves; if all moves are exchanges, they are twice as many people.
        (Move, Induced(apart)) => conditional(power(*apart, &["I-INX", "I-INP"]), SAME_FACTS),
        (Move, Exchanged(moves)) => conditional(power(*moves, &["I-INX"]), SAME_FACTS),
        (Both, Exchanged(moves)) => conditional(power(moves.saturating_mul(2), &["F-DI", "I-INX"]), SAME_FACTS),
        (Group(k), Exchanged(moves)) => {
            conditional(power(moves.saturating_mul(2).div_ceil(*k), &["F-NIk", "I-INX"]), SAME_FACTS)
        }
        (Both, Induced(apart)) => conditional(power(*apart, &["F-DI", "I-INP"]), SAME_FACTS),
        (Group(k), Induced(apart)) => conditional(power(apart.div_ceil(*k), &["F-NIk", "I-INP"]), SAME_FACTS),
        (Up, _) => Err(Counterexample::OnlyAlone),
        (Down, _) => Err(Counterexample::OnlyWith),
        (Replace | ReplaceGroup(_) | OneOf(_), _) => Err(Counterexample::ExactSize),
        // The members of one set are a crowd for each other.
        (Sampled { .. } | SampledUp { .. }, Crowd(_)) => Err(Counterexample::ExactlyMany),
        (Sampled { .. } | SampledUp { .. }, _) => Err(Counterexample::ExactlyThese),
        _ => Err(Counterexample::KMax),
    }
}

/// The implication of a protocol that shows the answer by a shape of datasets.
fn viewed(from: &Shape) -> Result<Step, Counterexample> {
    use Shape::{All, Both, Down, Group, Move, OneOf, Replace, ReplaceGroup, Sampled, SampledUp, Up};
    match from {
        All => loose(conditional(power(1, &["I-FLP", "I-SMC"]), ANSWER_IS_VIEW)),
        Up | Down | Both | Move | Group(_) => Err(Counterexample::ManyBits),
        Replace | ReplaceGroup(_) | OneOf(_) => Err(Counterexample::ExactSize),
        Sampled { .. } | SampledUp { .. } => Err(Counterexample::ExactlyThese),
        _ => Err(Counterexample::KMax),
    }
}

/// The power of the simulator's factor that bounds any two datasets.
fn anywhere(rows: u32) -> u32 {
    if rows == 0 { 2 } else { rows.saturating_mul(4).saturating_add(4) }
}

/// Implications of a simulator: those of odds of `R²` between neighbours, and of `R^(4k+4)` between any two datasets.
fn simulated(rows: u32, to: &Shape) -> Step {
    use Shape::{
        All, Both, Crowd, Down, Exchanged, Group, Induced, Move, OneOf, Replace, ReplaceGroup, Sampled, SampledUp,
        Simulated, SimulatedRows, Uniform, Up, View,
    };
    let all = anywhere(rows);
    // Among k+1 people a simulator sees all others, and its answer can be between those of any two neighbours.
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
        Move => step(4, &["I-INX"], sees(2)),
        OneOf(_) => step(4, &["B-5"], false),
        Group(size) => step(size.saturating_mul(2), &["F-NIk"], sees(*size)),
        ReplaceGroup(size) => step(size.saturating_mul(4), &["F-NIk", "F-DB"], false),
        Induced(apart) => {
            Step { condition: Some(SAME_FACTS), ..step(apart.saturating_mul(2), &["I-INP"], sees(*apart)) }
        }
        Exchanged(moves) => {
            let people = moves.saturating_mul(2);
            Step { condition: Some(SAME_FACTS), ..step(people.saturating_mul(2), &["I-INX"], sees(people)) }
        }
        // A simulator that sees nothing works in both definitions.
        SimulatedRows(_) if rows == 0 => step(1, &["I-ZKR"], true),
        Simulated(other) if *other >= rows => step(1, &[], true),
        View { .. } => Step { condition: Some(ANSWER_IS_VIEW), ..step(all, &["I-SMC"], false) },
        Sampled { rate } | SampledUp { rate } => Step { carry: sampled(rate), ..step(2, &["C-5"], true) },
        // Fewer rows than known to be sufficient; tables are handled above.
        All | Simulated(_) | Shape::Table { .. } => step(all, &[], false),
        // By the bound between any two datasets.
        SimulatedRows(_) => step(all, &["I-ZKR"], false),
    }
}

/// Implications of a simulator that sees rows of all: those of odds of `R²` between neighbours.
fn rows_seen(rows: u32, to: &Shape) -> Result<Step, Counterexample> {
    // Its sample does not depend on whether the person is in, so it is within R of both. With at most as many people as
    // rows it sees all others, and its answer can then be between those of any two neighbours.
    let through = super::follows(&Shape::Both, to)?;
    let people = match to {
        Shape::Replace | Shape::Move => 2,
        Shape::Group(size) | Shape::Induced(size) => *size,
        Shape::Exchanged(moves) => moves.saturating_mul(2),
        _ => 1,
    };
    let carry = match through.carry {
        Carry::Power(exponent) => Carry::Power(exponent.saturating_mul(2)),
        Carry::Sample { power, rate, floor } => Carry::Sample { power: power.saturating_mul(2), rate, floor },
    };
    let tight = through.tight && people <= rows && !matches!(to, Shape::OneOf(_));
    let theorems = [vec!["I-ZKR"], through.theorems].concat();
    Ok(Step { carry, theorems, tight, ..through })
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
