//! Parts of a promise that are set aside for analysts of a server.

use deniable_core::diagnostic::{Code, Diagnose, Diagnostic, Surface};
use deniable_core::exact::{Rational, whole};
use deniable_ledger::{AccountError, AccountId, Head, Ledger, OpenError, PartError, PartFault, Sharing};
use deniable_policy::Policy;
use deniable_release::open_ledger;
use std::path::Path;

/// A part that is set aside.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PartSetAside {
    /// How it is shared with other accounts.
    pub sharing: Sharing,
    /// Under a promise but for a chance, the number of equal answers that give as much as all charges of a reserved part
    /// may; otherwise 1.
    pub answers: u32,
    /// The last entry of the ledger now.
    pub head: Head,
}

/// The outcome of giving a part back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GivenBack {
    /// The part is returned to the promise.
    Returned,
    /// No part was set aside under this name.
    Nothing,
    /// A charge used the part: the rest is given to no other account.
    InUse,
}

/// A part that was not changed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PartChangeError {
    /// The ledger cannot be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The ledger has another promise for the policy's account.
    #[error(transparent)]
    Account(#[from] AccountError),
    /// The part is not possible.
    #[error(transparent)]
    Part(#[from] PartError),
}

impl Diagnose for PartChangeError {
    fn diagnostics(&self, surface: Surface) -> Vec<Diagnostic> {
        match self {
            Self::Open(error) => error.diagnostics(surface),
            Self::Account(error) => error.diagnostics(surface),
            Self::Part(error) => {
                vec![Diagnostic::new(Code::Budget, error).with_help("`deniable account list` shows the parts")]
            }
        }
    }
}

/// The policy's ledger, with its account. `head` is a second file with the ledger's head.
fn opened(policy: &Policy, head: Option<&Path>) -> Result<(Ledger, AccountId), PartChangeError> {
    let mut ledger = open_ledger(policy, false, head)?;
    ledger.open_account(policy.guarantee())?;
    Ok((ledger, AccountId::of(policy.guarantee())))
}

/// Sets a share of the promise aside for an analyst, or changes it. Without a stated sharing, an existing part keeps its
/// own, and a new one is reserved. Begins the ledger if it does not exist. `head` is a second file with the ledger's
/// head, as `head` in serve.toml names it.
///
/// Under a promise but for a chance, all charges of a reserved part may give as much as `answers` equal answers, together
/// of its share; without a number, as few as take the same share of what the chance allows.
///
/// # Errors
/// When the ledger cannot be opened, it has another promise, or the share is not left.
pub fn set_aside(
    policy: &Policy,
    head: Option<&Path>,
    name: &str,
    share: &Rational,
    sharing: Option<Sharing>,
    answers: Option<u32>,
) -> Result<PartSetAside, PartChangeError> {
    let (mut ledger, id) = opened(policy, head)?;
    let known = ledger.account(&id).and_then(|account| account.part(name)).map(|part| part.sharing);
    let sharing = sharing.or(known).unwrap_or(Sharing::Reserved);
    match ledger.set_aside(&id, name, share, sharing, answers) {
        // The same part again is no error.
        Ok(()) | Err(PartError::Fault(PartFault::Same(_))) => {}
        Err(error) => return Err(error.into()),
    }
    let answers = ledger.account(&id).and_then(|account| account.part(name)).map_or(1, |part| part.answers);
    Ok(PartSetAside { sharing, answers, head: ledger.head().clone() })
}

/// Gives an analyst's part back to the promise, as far as no charge used it.
///
/// # Errors
/// When the ledger cannot be opened, or it has another promise.
pub fn give_back(policy: &Policy, head: Option<&Path>, name: &str) -> Result<GivenBack, PartChangeError> {
    let (mut ledger, id) = opened(policy, head)?;
    match ledger.set_aside(&id, name, &whole(0), Sharing::Reserved, None) {
        Ok(()) => Ok(GivenBack::Returned),
        Err(PartError::Fault(PartFault::Nothing(_))) => Ok(GivenBack::Nothing),
        Err(PartError::Fault(PartFault::InUse(_))) => Ok(GivenBack::InUse),
        Err(error) => Err(error.into()),
    }
}
