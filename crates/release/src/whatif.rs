//! The same policy under another promise: what `plan --sweep` tables and `explore` shows.

use deniable_core::adversary::{Adversary, AdversaryError, PriorRange};
use deniable_core::exact::Rational;
use deniable_core::guarantee::GuaranteeError;
use deniable_core::promise::Promise;
use deniable_policy::Policy;

/// A promise that the policy's adversary does not admit.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WhatIfError {
    /// The promise cannot be kept.
    #[error(transparent)]
    Promise(#[from] GuaranteeError),
    /// The adversary cannot be described so.
    #[error(transparent)]
    Adversary(#[from] AdversaryError),
    /// Another part of the promise is not known.
    #[error("`{0}` needs the rest of that promise")]
    NeedsRest(&'static str, &'static str),
}

/// The promises whose number can be varied, as a policy spells them.
pub const KEYS: [&str; 8] =
    ["posterior_at_most", "posterior_at_least", "gain", "loss", "rho", "alpha", "beta", "epsilon"];

/// The promise of this key with this number; what else it consists of is taken from the policy's own.
///
/// # Errors
/// When the policy has no promise to take the rest from.
pub fn promise(policy: &Policy, key: &'static str, value: Rational) -> Result<Promise, WhatIfError> {
    Ok(match key {
        "posterior_at_most" => Promise::PosteriorAtMost(value),
        "posterior_at_least" => Promise::PosteriorAtLeast(value),
        "gain" => Promise::Gain(value),
        "loss" => Promise::Loss(value),
        "epsilon" => Promise::Epsilon(value),
        "rho" => {
            let among = policy.guarantee().promises().iter().find_map(|promise| match promise {
                Promise::Rho { among, .. } => Some(*among),
                _ => None,
            });
            Promise::Rho { rho: value, among: among.ok_or(WhatIfError::NeedsRest(key, "rho` with `among"))? }
        }
        _ => {
            let known = policy.guarantee().promises().iter().find_map(|promise| match promise {
                Promise::AlphaBeta { alpha, beta, least, most } => Some((alpha, beta, least, most)),
                _ => None,
            });
            let (alpha, beta, least, most) = known.ok_or(WhatIfError::NeedsRest(key, "alpha` with `beta"))?;
            let (alpha, beta) = if key == "alpha" { (value, beta.clone()) } else { (alpha.clone(), value) };
            Promise::AlphaBeta { alpha, beta, least: least.clone(), most: most.clone() }
        }
    })
}

/// The policy with this promise alone in place of all its promises, and other beliefs beforehand where they are given.
/// Who else the adversary is, the asks and their shares stay.
///
/// # Errors
/// When the promise cannot be kept against that adversary.
pub fn with_promise(policy: &Policy, promise: Promise, priors: Option<PriorRange>) -> Result<Policy, WhatIfError> {
    let (adversary, preset) = (policy.guarantee().adversary(), policy.guarantee().preset());
    let (adversary, preset) = match priors {
        // The preset's sentence would be about other beliefs.
        Some(priors) if priors != *adversary.priors() => {
            (Adversary::new(adversary.knows_size(), priors, adversary.moves_together())?, None)
        }
        _ => (adversary.clone(), preset),
    };
    Ok(policy.with_promise(adversary, preset, vec![promise])?)
}
