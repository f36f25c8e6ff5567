//! The accounts that pay for a release: membership and labels are different secrets, with different accounts in a
//! ledger.
//!
//! | release | membership | label |
//! |---|---|---|
//! | genotype, with no label account | `c` | |
//! | genotype, with a label account | `c` | `c²` |
//! | label swap, with no membership account | | `c` |
//! | both | `c^(1/2)` | `c` |
//!
//! Odds `r` about one replaced genotype imply odds of at most `r²` about a label swap, which is two replacements (G-4).
//! There is no converse: a release under label swap may fully reveal participation. So such a release is rejected if a
//! ledger promises anything about membership; and an account of labels cannot be opened after releases have revealed
//! information on labels without it.

use crate::promise::{CohortPromise, Protects};
use deniable_core::budget::{Spend, SpendError};
use deniable_core::diagnostic::{Code, Diagnose, Diagnostic, Surface};
use deniable_core::exact::{Rational, ratio, whole};
use deniable_core::secret::Secret;
use deniable_ledger::{Account, AccountId};

/// The cost of one release, and the accounts that pay it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Payment {
    /// The largest odds ratio for one move of the adjacency.
    pub per_move: Spend,
    /// The account that pays first.
    pub account: AccountId,
    /// Its charge: the odds ratio that is shown.
    pub cost: Spend,
    /// The second account and its charge, if any.
    pub also: Option<(AccountId, Spend)>,
}

impl Payment {
    /// Every account that pays, with its charge.
    pub fn charges(&self) -> impl Iterator<Item = (&AccountId, &Spend)> {
        std::iter::once((&self.account, &self.cost)).chain(self.also.as_ref().map(|(account, cost)| (account, cost)))
    }
}

/// A release that no account can pay for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PaymentError {
    /// The ledger protects participation.
    #[error(
        "the ledger of `{0}` protects participation, but a release under label-swap assumes that participation is public"
    )]
    MembershipPromised(String),
    /// Earlier releases revealed information on labels.
    #[error(
        "earlier releases about `{0}` revealed information on labels before there was an account for them, so labels can \
         no longer be protected"
    )]
    LabelsToldOf(String),
    /// Earlier releases assumed that participation is public.
    #[error(
        "earlier releases about `{0}` under label-swap assumed that participation is public, so it can no longer be \
         protected"
    )]
    CohortToldOf(String),
    /// Another process opened an account during the run.
    #[error("another process opened an account of this ledger during the run, which changes the accounts that pay")]
    Changed,
    /// An invalid amount of odds.
    #[error(transparent)]
    Spend(#[from] SpendError),
}

impl Diagnose for PaymentError {
    fn diagnostics(&self, surface: Surface) -> Vec<Diagnostic> {
        let only = |adjacency| surface.set("adjacency", adjacency);
        let help = match self {
            Self::MembershipPromised(_) => format!(
                "use {}, which is charged to every account of the ledger; or use another ledger if the cohort is public \
                 ({}, {})",
                only("genotype"),
                surface.option("population"),
                surface.option("ledger")
            ),
            Self::LabelsToldOf(_) => format!(
                "use {} alone; to protect labels too, state {} from the first release on",
                only("genotype"),
                only("genotype,label-swap")
            ),
            Self::CohortToldOf(_) => format!("use {}, as before", only("label-swap")),
            Self::Changed => "run the request again; it is priced with the new account".to_owned(),
            Self::Spend(_) => String::new(),
        };
        vec![Diagnostic::new(Code::Other, self).with_help(help)]
    }
}

/// The cost of a release with this share of the promise, given the existing accounts.
///
/// # Errors
/// If no account can pay for it.
pub fn payment(
    accounts: &[Account],
    promised: &CohortPromise,
    protects: Protects,
    share: &Rational,
) -> Result<Payment, PaymentError> {
    let cost = promised.guarantee(Secret::Membership).limit().share(share)?;
    let known = |kind: Secret| accounts.iter().find(|known| known.id.same_place(&promised.account(kind)));
    let (membership, label) = (known(Secret::Membership), known(Secret::Label));
    let told = |account: Option<&Account>| account.is_some_and(|account| !account.spent.is_nothing());
    let population = || promised.population().to_owned();
    let (kind, cost, also) = match protects {
        Protects::LabelSwap if membership.is_some() => {
            return Err(PaymentError::MembershipPromised(population()));
        }
        Protects::LabelSwap => (Secret::Label, cost, None),
        Protects::Genotype | Protects::Both if membership.is_none() && told(label) => {
            return Err(PaymentError::CohortToldOf(population()));
        }
        Protects::Both if label.is_none() && told(membership) => return Err(PaymentError::LabelsToldOf(population())),
        Protects::Both => (Secret::Membership, cost.share(&ratio(1, 2))?, Some((Secret::Label, cost))),
        Protects::Genotype if label.is_some() => {
            let squared = cost.share(&whole(2))?;
            (Secret::Membership, cost, Some((Secret::Label, squared)))
        }
        Protects::Genotype => (Secret::Membership, cost, None),
    };
    Ok(Payment {
        per_move: promised.guarantee(kind).per_entity(&cost)?,
        account: promised.account(kind),
        cost,
        also: also.map(|(kind, cost)| (promised.account(kind), cost)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use deniable_core::adversary::PriorRange;
    use deniable_core::promise::Promise;
    use deniable_ledger::{Charge, ChargeRequest, Ledger, Part};
    use std::path::Path;

    fn promised(folder: &Path) -> CohortPromise {
        let half = ratio(1, 2);
        let priors = PriorRange::new(Some(half.clone()), Some(half)).unwrap();
        CohortPromise::new("people".into(), folder.join("l"), priors, vec![Promise::Gain(whole(2))]).unwrap()
    }

    /// The payment after these accounts have paid for a release.
    fn after(paid: &[Secret], protects: Protects) -> Result<Payment, PaymentError> {
        let folder = tempfile::tempdir().unwrap();
        let promised = promised(folder.path());
        let mut ledger = Ledger::open_or_create(promised.ledger(), "people").unwrap();
        for (at, kind) in paid.iter().enumerate() {
            let (account, limit) = (promised.account(*kind), promised.guarantee(*kind).limit().clone());
            ledger.open_account(&promised.guarantee(*kind)).unwrap();
            let words = || String::from("x");
            let query = Charge {
                name: words(),
                sql: words(),
                identity: at.to_string(),
                canonical: deniable_ledger::Canonical::default(),
                coins: Vec::new(),
                source: words(),
                version: words(),
            };
            let cost = limit.share(&ratio(1, 10)).unwrap();
            let request = ChargeRequest {
                account,
                policy: words(),
                policy_limit: limit,
                version_limit: None,
                query,
                cost,
                part: Part::Whole,
                basis: words(),
            };
            ledger.charge(&request).unwrap();
        }
        payment(&ledger.summary().accounts, &promised, protects, &ratio(1, 2))
    }

    fn paid(payment: &Payment) -> Vec<(Secret, String)> {
        payment.charges().map(|(id, cost)| (id.kind, cost.to_string())).collect()
    }

    #[test]
    fn every_account_that_is_touched_pays() {
        use Secret::{Label, Membership};
        let one = |paid_before: &[Secret], protects| {
            let payment = after(paid_before, protects).unwrap();
            (payment.per_move.to_string(), paid(&payment))
        };
        let half = "3^(1/2)".to_owned();
        assert_eq!(one(&[], Protects::Genotype), (half.clone(), vec![(Membership, half.clone())]));
        assert_eq!(one(&[], Protects::LabelSwap), (half.clone(), vec![(Label, half.clone())]));
        let quarter = "3^(1/4)".to_owned();
        let both = vec![(Membership, quarter.clone()), (Label, half.clone())];
        assert_eq!(one(&[], Protects::Both), (quarter.clone(), both.clone()));
        assert_eq!(one(&[Membership, Label], Protects::Both), (quarter, both));
        let squared = vec![(Membership, half.clone()), (Label, "3".to_owned())];
        assert_eq!(one(&[Membership, Label], Protects::Genotype), (half, squared));
    }

    #[test]
    fn no_promise_is_broken_by_another() {
        use Secret::{Label, Membership};
        let refused = |paid_before: &[Secret], protects| after(paid_before, protects).unwrap_err();
        let people = || "people".to_owned();
        assert_eq!(refused(&[Membership], Protects::LabelSwap), PaymentError::MembershipPromised(people()));
        assert_eq!(refused(&[Membership], Protects::Both), PaymentError::LabelsToldOf(people()));
        assert_eq!(refused(&[Label], Protects::Genotype), PaymentError::CohortToldOf(people()));
        assert_eq!(refused(&[Label], Protects::Both), PaymentError::CohortToldOf(people()));
    }
}
