//! The smallest case that breaks a claim.
//!
//! A universe is made smaller by making entities absent for certain. What breaks a claim in the smaller universe breaks
//! it in the larger one where the family holds the priors that are certain of absence, and where a pair of datasets is
//! compared without regard to other datasets:
//!
//! - F-DU, F-DI and F-DB with and without a range, F-DI2, F-DB2, F-DCm, F-DFβ and F-NIk are closed like this;
//! - F-DN, boxes and explicit priors are not: there the universe stays, and the witness is the one that the decision
//!   chose, of equal ones that with the fewest entities;
//! - of notions without a family, all but zero-knowledge (whose simulator draws from all others) and induced neighbours
//!   (whose constraints name datasets) are: in a smaller universe crowds blend no worse, since fewer datasets tell their
//!   members apart.

use crate::decide::{CheckError, decide};
use crate::family::Family;
use crate::mechanism::{Dataset, Mechanism};
use crate::notion::Notion;
use crate::verdict::{Verdict, Witness};
use deniable_core::exact::Rational;

/// A smallest case that breaks a claim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShrunkCase {
    /// The mechanism over the entities that are left.
    pub mechanism: Mechanism,
    /// Which entities of the original they are.
    pub entities: Vec<usize>,
    /// The decision on the datasets that are left; its witness breaks the claim.
    pub verdict: Verdict,
    /// How many members a dataset of the case has at most.
    pub members: usize,
    /// Whether every smaller universe was tried.
    pub smallest: bool,
}

/// The smallest universe in which a claim is broken, and in it the smallest datasets; `None` if the claim is not broken
/// for certain.
///
/// Universes are tried by size, no more than `budget` of them; the best that was found is returned then. A larger budget
/// never gives a larger case.
///
/// # Errors
/// When the question cannot be decided.
pub fn shrink(
    mechanism: &Mechanism,
    notion: &Notion,
    family: &Family,
    claim: &Rational,
    budget: usize,
) -> Result<Option<ShrunkCase>, CheckError> {
    let verdict = decide(mechanism, notion, family)?;
    if !breaks(notion, &verdict, claim) {
        return Ok(None);
    }
    let n = mechanism.size();
    let whole = Case { mechanism: mechanism.clone(), entities: (0..n).collect(), verdict };
    if !closed(notion, family) {
        return Ok(Some(ShrunkCase {
            mechanism: whole.mechanism,
            entities: whole.entities,
            verdict: whole.verdict,
            members: n,
            smallest: true,
        }));
    }
    let question = (notion, family, claim);
    let mut best = whole;
    // Whoever the witness names is enough, as a rule.
    if let Some(named) = best.verdict.witness.as_ref().map(involved)
        && let Some(case) = case(mechanism, named, question)
    {
        best = case;
    }
    let mut left = budget;
    'sizes: for size in 0..best.entities.len() {
        for keep in (0..1_u32 << n).filter(|keep| keep.count_ones() as usize == size) {
            let Some(rest) = left.checked_sub(1) else { break 'sizes };
            left = rest;
            if let Some(case) = case(mechanism, keep, question) {
                best = case;
                // No smaller one is left.
                left = usize::MAX;
                break 'sizes;
            }
        }
        // The next size is that of the best already.
        if size + 1 == best.entities.len() {
            left = usize::MAX;
        }
    }
    Ok(Some(fewest_members(best, question, left == usize::MAX)))
}

type Question<'a> = (&'a Notion, &'a Family, &'a Rational);

/// A universe in which the claim is broken.
struct Case {
    mechanism: Mechanism,
    entities: Vec<usize>,
    verdict: Verdict,
}

/// The smaller universe, if the claim is broken there. A question that cannot be asked there breaks nothing.
fn case(mechanism: &Mechanism, keep: Dataset, (notion, family, claim): Question<'_>) -> Option<Case> {
    let entities: Vec<usize> = (0..mechanism.size()).filter(|t| keep >> t & 1 == 1).collect();
    let mechanism = restricted(mechanism, &entities, entities.len())?;
    let verdict = decide(&mechanism, notion, family).ok()?;
    breaks(notion, &verdict, claim).then_some(Case { mechanism, entities, verdict })
}

/// Of the datasets of a case, only those with so few members that the claim is just broken.
fn fewest_members(Case { mechanism, entities, verdict }: Case, question: Question<'_>, smallest: bool) -> ShrunkCase {
    let (notion, family, claim) = question;
    let all: Vec<usize> = (0..entities.len()).collect();
    for members in 0..entities.len() {
        let Some(few) = restricted(&mechanism, &all, members) else { continue };
        let Ok(verdict) = decide(&few, notion, family) else { continue };
        if breaks(notion, &verdict, claim) {
            return ShrunkCase { mechanism: few, entities, verdict, members, smallest };
        }
    }
    let members = entities.len();
    ShrunkCase { mechanism, entities, verdict, members, smallest }
}

/// The mechanism where only these entities may be in, and no more than `members` of them.
fn restricted(mechanism: &Mechanism, entities: &[usize], members: usize) -> Option<Mechanism> {
    let outputs = 0..mechanism.outputs().len();
    let row = |small: Dataset| {
        let kept = entities.iter().enumerate().filter(|(bit, _)| small >> bit & 1 == 1);
        let data = kept.fold(0, |data, (_, t)| data | 1 << t);
        let wanted = small.count_ones() as usize <= members && mechanism.gives(data);
        wanted.then(|| outputs.clone().map(|output| mechanism.probability(output, data)).collect())
    };
    let names = entities.iter().map(|t| mechanism.entities()[*t].clone()).collect();
    let rows = (0..1_u32 << entities.len()).map(row).collect();
    // It fails only where no dataset is left.
    Mechanism::partial(names, mechanism.outputs().to_vec(), rows).ok()
}

/// Everyone who is in a dataset that the witness names.
fn involved(witness: &Witness) -> Dataset {
    match witness {
        Witness::Datasets { more, less, .. } | Witness::Event { more, less, .. } => more | less,
        Witness::Crowd { entity, data, outside, .. } => {
            outside.iter().fold(data | 1 << entity, |all, (t, _)| all | 1 << t)
        }
        // A simulator must do for all datasets.
        Witness::Simulation(_) => Dataset::MAX,
        // Counts are of nobody in particular.
        Witness::Counts(_) => Dataset::MAX,
        Witness::Prior { prior, .. } => prior.table().iter().fold(0, |all, (data, _)| all | data),
    }
}

/// Whether the claim is broken for certain.
fn breaks(notion: &Notion, verdict: &Verdict, claim: &Rational) -> bool {
    if notion.is_worse_when_larger() {
        verdict.value.keeps(claim) == Some(false)
    } else {
        verdict.value.high().finite().is_some_and(|value| value < claim)
    }
}

/// Whether a break in a smaller universe is one in the larger.
fn closed(notion: &Notion, family: &Family) -> bool {
    match notion {
        Notion::ZeroKnowledge { .. }
        | Notion::ZeroKnowledgeRows { .. }
        | Notion::Induced { .. }
        | Notion::InducedExchange { .. } => false,
        Notion::Unbounded { .. }
        | Notion::Bounded
        | Notion::FreeLunch
        | Notion::Approximate { .. }
        | Notion::Rho { .. }
        | Notion::AlphaBeta { .. }
        | Notion::Worlds { .. }
        | Notion::Sampling { .. }
        | Notion::CrowdBlending { .. } => true,
        Notion::Membership { .. } | Notion::Posterior { .. } | Notion::Indistinguishable => match family {
            Family::Uniform | Family::OneOfRest(_) | Family::Box(_) | Family::Explicit(_) => false,
            Family::All
            | Family::Independent(_)
            | Family::TwoDatasets(_)
            | Family::Bounded(_)
            | Family::OneOfTwo(_)
            | Family::OneOf(_)
            | Family::Sampled(_)
            | Family::Groups(_) => true,
        },
    }
}
