//! The smallest case that breaks a claim.
//!
//! A universe is made smaller by making entities certainly absent. A claim that is broken in the smaller universe is
//! also broken in the larger one where the family contains the priors that are certain of absence, and where pairs of
//! datasets are compared independently of other datasets:
//!
//! - F-DU, F-DI and F-DB with and without a range, F-DI2, F-DB2, F-DCm, F-DFβ and F-NIk are closed in this sense;
//! - F-DN, boxes and explicit priors are not: there the universe stays, and the witness is that of the decision, which
//!   among equal ones has the fewest entities;
//! - of the notions without a family, all but zero-knowledge (whose simulator samples all other members) and induced
//!   neighbours (whose constraints name datasets) are: in a smaller universe crowds blend at least as well, since fewer
//!   datasets distinguish their members.

use crate::decide::{CheckError, decide};
use crate::family::Family;
use crate::mechanism::{Dataset, Mechanism};
use crate::notion::Notion;
use crate::verdict::{Verdict, Witness};
use deniable_core::exact::Rational;

/// A smallest case that breaks a claim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShrunkCase {
    /// The mechanism over the remaining entities.
    pub mechanism: Mechanism,
    /// The positions of these entities in the original mechanism.
    pub entities: Vec<usize>,
    /// The decision on the remaining datasets; its witness breaks the claim.
    pub verdict: Verdict,
    /// The largest number of members of a dataset of the case.
    pub members: usize,
    /// Whether every smaller universe was tried.
    pub smallest: bool,
}

/// The smallest universe in which a claim is broken, and in it the smallest datasets; `None` if the claim is not
/// certainly broken.
///
/// Universes are tried by size, at most `budget` of them; when it is exhausted, the best case so far is returned. A
/// larger budget never gives a larger case.
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
    // The entities that the witness names are usually enough.
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
                // No smaller universe is possible.
                left = usize::MAX;
                break 'sizes;
            }
        }
        // The next size is that of the best case already.
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

/// The smaller universe, if the claim is broken there. A question that is invalid there breaks no claim.
fn case(mechanism: &Mechanism, keep: Dataset, (notion, family, claim): Question<'_>) -> Option<Case> {
    let entities: Vec<usize> = (0..mechanism.size()).filter(|t| keep >> t & 1 == 1).collect();
    let mechanism = restricted(mechanism, &entities, entities.len())?;
    let verdict = decide(&mechanism, notion, family).ok()?;
    breaks(notion, &verdict, claim).then_some(Case { mechanism, entities, verdict })
}

/// Restricts a case to datasets with as few members as break the claim.
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

/// The mechanism over these entities only, and over datasets of at most `members` members.
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
    // It fails only if no dataset remains.
    Mechanism::partial(names, mechanism.outputs().to_vec(), rows).ok()
}

/// All entities in the datasets that the witness names.
fn involved(witness: &Witness) -> Dataset {
    match witness {
        Witness::Datasets { more, less, .. } | Witness::Event { more, less, .. } => more | less,
        Witness::Crowd { entity, data, outside, .. } => {
            outside.iter().fold(data | 1 << entity, |all, (t, _)| all | 1 << t)
        }
        // A simulator must fit all datasets.
        Witness::Simulation(_) => Dataset::MAX,
        // Counts do not name entities.
        Witness::Counts(_) => Dataset::MAX,
        Witness::Prior { prior, .. } => prior.table().iter().fold(0, |all, (data, _)| all | data),
    }
}

/// Whether the claim is certainly broken.
fn breaks(notion: &Notion, verdict: &Verdict, claim: &Rational) -> bool {
    if notion.is_worse_when_larger() {
        verdict.value.keeps(claim) == Some(false)
    } else {
        verdict.value.high().finite().is_some_and(|value| value < claim)
    }
}

/// Whether a break in a smaller universe is also a break in the larger one.
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
        | Notion::ButFor { .. }
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
