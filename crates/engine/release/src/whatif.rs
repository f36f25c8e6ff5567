//! The same policy under another promise, for `plan --sweep` and `explore`.

use deniable_core::adversary::{Adversary, AdversaryError, PriorRange};
use deniable_core::exact::Rational;
use deniable_core::guarantee::GuaranteeError;
use deniable_core::notion::{Notion, find, key};
use deniable_core::promise::Promise;
use deniable_policy::Policy;

/// A promise that the policy's adversary does not admit.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WhatIfError {
    /// The promise cannot be kept.
    #[error(transparent)]
    Promise(#[from] GuaranteeError),
    /// The adversary is invalid.
    #[error(transparent)]
    Adversary(#[from] AdversaryError),
    /// The policy does not state the other numbers of the promise.
    #[error("`{0}` needs the other numbers of that promise")]
    NeedsRest(&'static str, &'static str),
}

/// The promises whose number can be varied, as a policy spells them.
pub const KEYS: [&str; 8] = [
    key::POSTERIOR_AT_MOST,
    key::POSTERIOR_AT_LEAST,
    key::GAIN,
    key::NEGATIVE_GAIN,
    key::RHO,
    key::ALPHA,
    key::BETA,
    key::EPSILON,
];

/// The key for a name or alias of a notion, if the promise is one of [`KEYS`].
#[must_use]
pub fn key(name: &str) -> Option<&'static str> {
    let wanted = match find(name)?.notion {
        Notion::Alpha => key::ALPHA,
        Notion::Beta => key::BETA,
        notion => notion.entry().promise?.key,
    };
    // `odds` names the bound as a factor, which no key of a policy states; `alpha-beta` has two numbers.
    let is_one = !find(name)?.is_odds() && find(name)?.notion != Notion::AlphaBeta;
    KEYS.into_iter().find(|known| is_one && *known == wanted)
}

/// The promise of this key with this number; its other numbers are taken from the policy's own.
///
/// # Errors
/// When the policy has no promise to take the other numbers from.
pub fn promise(policy: &Policy, key: &'static str, value: Rational) -> Result<Promise, WhatIfError> {
    Ok(match key {
        key::POSTERIOR_AT_MOST => Promise::PosteriorAtMost(value),
        key::POSTERIOR_AT_LEAST => Promise::PosteriorAtLeast(value),
        key::GAIN => Promise::Gain(value),
        key::NEGATIVE_GAIN => Promise::NegativeGain(value),
        key::EPSILON => Promise::Epsilon(value),
        key::RHO => {
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
            let (alpha, beta) = if key == key::ALPHA { (value, beta.clone()) } else { (alpha.clone(), value) };
            Promise::AlphaBeta { alpha, beta, least: least.clone(), most: most.clone() }
        }
    })
}

/// The policy with this promise alone in place of all its promises, and other priors if they are given.
/// The rest of the adversary, the queries and their shares stay the same.
///
/// # Errors
/// When the promise cannot be kept against that adversary.
pub fn with_promise(policy: &Policy, promise: Promise, priors: Option<PriorRange>) -> Result<Policy, WhatIfError> {
    let (adversary, preset) = (policy.guarantee().adversary(), policy.guarantee().preset());
    let (adversary, preset) = match priors {
        // The preset's description would not match other priors.
        Some(priors) if priors != *adversary.priors() => {
            (Adversary::new(adversary.knows_size(), priors, adversary.moves_together())?, None)
        }
        _ => (adversary.clone(), preset),
    };
    Ok(policy.with_promise(adversary, preset, vec![promise])?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_go_by_every_name() {
        for known in KEYS {
            assert_eq!(key(known), Some(known));
        }
        for (name, meant) in [("loss", key::NEGATIVE_GAIN), ("pmp", key::GAIN), ("dp", key::EPSILON)] {
            assert_eq!(key(name), Some(meant), "{name}");
        }
        assert_eq!(key("posterior"), Some(key::POSTERIOR_AT_MOST));
        // Factors, pairs of numbers and words that are not promises have no key.
        assert_eq!(["odds", "alpha-beta", "free-lunch", "bounded-dp", "nonsense"].map(key), [None; 5]);
    }
}
