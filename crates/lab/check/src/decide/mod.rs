//! The tight parameter of a notion, decided exactly.
//!
//! Notions about pairs of datasets compare every pair (`pairs`). Notions about independent entities with given beliefs
//! transform columns entity by entity (`product`), in `n·2^n` steps.

mod approximate_dp;
mod but_for;
mod candidates;
mod crowd_blending;
mod error;
mod explicit_priors;
mod filter;
mod gain;
mod groups;
mod highest_prior;
mod indistinguishable;
mod induced_neighbours;
mod largest_ratio;
mod many_datasets;
mod measure;
mod numbers;
mod pairs;
mod part;
mod posterior;
mod prior_boxes;
mod product;
mod public_size;
mod several;
mod slices;
mod spread;
mod sum;
mod two_datasets;
pub(crate) mod worlds;
mod zero_knowledge;

pub(crate) use approximate_dp::{Event as ApproximateEvent, NeighbourTable, worst as approximate};
pub(crate) use but_for::{PartialEvent, worst as but_for};
pub use error::CheckError;
pub(crate) use gain::{WorstObserver, approached, at, gain_over, odds, over_range, reached_inside, vacuous};
pub(crate) use indistinguishable::of_side as largest_fall;
pub(crate) use largest_ratio::{LargestRatio, Place as RatioPlace};
pub(crate) use measure::Measure;
pub(crate) use pairs::WitnessedRatio;
pub(crate) use part::{NearFraction, Part};
pub(crate) use posterior::{highest as highest_belief, of_presence};
pub(crate) use prior_boxes::{inside, reaching};
pub(crate) use product::numerators;
pub(crate) use public_size::{beliefs_of_two, of_top, some_observer};
pub(crate) use several::{SeveralWorlds, WorstWeights};
pub(crate) use slices::{exists as some_beliefs, fits as beliefs_fit};

pub use crate::verdict::{Sight, Simulation, Weight};

use crate::family::{Family, OtherEntities};
use crate::mechanism::Mechanism;
use crate::notion::{Direction, Notion, Sign};
use crate::verdict::Verdict;
pub(crate) use error::complete;
use gain::worse;
use induced_neighbours::Moves;
use num_traits::{One, Zero};

/// Computes the tight parameter of `notion` for this mechanism, against observers of `family`.
///
/// The family matters only for notions about beliefs; the others define their own pairs of datasets.
///
/// # Errors
/// When the notion needs datasets without rows, or the family does not fit the notion.
pub fn decide(mechanism: &Mechanism, notion: &Notion, family: &Family) -> Result<Verdict, CheckError> {
    match notion {
        Notion::Unbounded { sign } => Ok(odds(pairs::one_more(mechanism, *sign), vec!["F-DI", "S-ADD"])),
        Notion::Bounded => Ok(odds(pairs::exchanged(mechanism), vec!["F-DB", "S-REP"])),
        Notion::FreeLunch => Ok(odds(pairs::any(mechanism), vec!["I-FLP"])),
        Notion::Approximate { adjacency, given } => approximate_dp::decide(mechanism, *adjacency, given),
        Notion::ButFor { adjacency, odds, reading } => but_for::decide(mechanism, *adjacency, odds, *reading),
        Notion::Posterior { sign } => posterior::decide(mechanism, *sign, family),
        Notion::Indistinguishable => indistinguishable::decide(mechanism, family),
        Notion::Rho { among } => candidates::rho(mechanism, *among),
        Notion::AlphaBeta { least, sign } => public_size::alpha_beta(mechanism, least, *sign),
        Notion::Worlds { least, most, removed, sign } => worlds::decide(mechanism, (least, most), *removed, *sign),
        Notion::ZeroKnowledge { rows } => zero_knowledge::decide(mechanism, Sight::Members(*rows)),
        Notion::ZeroKnowledgeRows { rows } => zero_knowledge::decide(mechanism, Sight::Rows(*rows)),
        Notion::CrowdBlending { crowd } => crowd_blending::decide(mechanism, *crowd),
        Notion::Induced { allowed } => induced_neighbours::decide(mechanism, allowed, Moves::AddRemove),
        Notion::InducedExchange { allowed } => induced_neighbours::decide(mechanism, allowed, Moves::WithExchange),
        Notion::Sampling { rate, sign } => {
            complete(mechanism)?;
            Ok(odds(product::sampled(mechanism, rate, *sign), vec!["I-DPS"]))
        }
        Notion::Membership { sign: Sign::Both } => {
            let [positive, negative] =
                [Sign::Positive, Sign::Negative].map(|sign| decide(mechanism, &Notion::Membership { sign }, family));
            Ok(worse(positive?, negative?))
        }
        Notion::Membership { sign } => {
            let direction = sign.directions()[0];
            membership(mechanism, direction, family)
        }
    }
}

pub(crate) fn membership(mechanism: &Mechanism, direction: Direction, family: &Family) -> Result<Verdict, CheckError> {
    let sign = if direction == Direction::Presence { Sign::Positive } else { Sign::Negative };
    let theorems = vec![family.theorem(), "B-2"];
    match family {
        Family::All => Ok(approached(pairs::present_in_one_only(mechanism, direction), theorems)),
        Family::Independent(range) | Family::TwoDatasets(range) => {
            let found = pairs::one_more(mechanism, sign);
            Ok(over_range(found, range, direction, theorems))
        }
        Family::Uniform => {
            complete(mechanism)?;
            Ok(at(product::uniform(mechanism, direction), direction, theorems))
        }
        // With rate 0 or 1 every entity is certain, so the family has no uncertain observer.
        Family::Sampled(rate) if rate.is_zero() || rate.is_one() => Ok(odds(None, theorems)),
        Family::Sampled(rate) => {
            complete(mechanism)?;
            Ok(at(product::sampled_prior(mechanism, rate, direction), direction, theorems))
        }
        Family::Bounded(range) => public_size::bounded(mechanism, range, direction, theorems),
        Family::OneOfTwo(range) => public_size::one_of_two(mechanism, range, direction, theorems),
        Family::OneOf(among) => candidates::one_of(mechanism, *among, OtherEntities::Certain, direction, theorems),
        Family::OneOfRest(among) => candidates::one_of(mechanism, *among, OtherEntities::In, direction, theorems),
        Family::Groups(size) => groups::decide(mechanism, *size, direction, theorems),
        Family::Box(ranges) => prior_boxes::decide(mechanism, ranges, direction, theorems),
        Family::Explicit(priors) => explicit_priors::decide(mechanism, priors, direction, theorems),
    }
}
