//! The same policy under another promise: what `plan --sweep` tables and `explore` shows.

use deniable_core::adversary::{Adversary, AdversaryError, PriorRange};
use deniable_core::promise::{Promise, PromiseError, binding};
use deniable_policy::Policy;

/// A promise that the policy's adversary does not admit.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WhatIfError {
    /// The promise cannot be kept.
    #[error(transparent)]
    Promise(#[from] PromiseError),
    /// The adversary cannot be described so.
    #[error(transparent)]
    Adversary(#[from] AdversaryError),
    /// There is no promise.
    #[error("nothing is promised")]
    Nothing,
}

/// The policy with this promise alone in place of all its promises, and other beliefs beforehand where they are given.
/// Who else the adversary is, the asks and their shares stay.
///
/// # Errors
/// When the promise cannot be kept against that adversary.
pub fn with_promise(policy: &Policy, promise: Promise, priors: Option<PriorRange>) -> Result<Policy, WhatIfError> {
    let mut policy = policy.clone();
    if let Some(priors) = priors {
        let (knows_size, together) = (policy.adversary.knows_size(), policy.adversary.moves_together());
        if priors != *policy.adversary.priors() {
            // The preset's sentence would be about other beliefs.
            policy.preset = None;
        }
        policy.adversary = Adversary::new(knows_size, priors, together)?;
    }
    let (priors, known) = (policy.adversary.priors(), policy.adversary.knows_size());
    let (_, limit) = binding(std::slice::from_ref(&promise), priors, known)?.ok_or(WhatIfError::Nothing)?;
    (policy.promises, policy.limit, policy.binding) = (vec![promise], limit, 0);
    Ok(policy)
}
