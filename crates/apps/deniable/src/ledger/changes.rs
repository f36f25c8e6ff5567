//! Changes of a ledger by its curator: withdrawn answers, sizes that are fixed beforehand, and another promise.

use deniable_core::budget::Spend;
use deniable_core::diagnostic::{Code, Diagnose, Diagnostic, Surface};
use deniable_core::exact::{Rational, Rounding, decimal, whole};
use deniable_core::guarantee::Guarantee;
use deniable_core::loss::Chance;
use deniable_core::text::shown;
use deniable_core::words::chance;
use deniable_ledger::{
    AccountError, AccountId, FixError, Head, Ledger, OpenError, Size, StoreError, WithdrawError, Withdrawal,
    keep_but_for_chance, show,
};
use deniable_policy::Policy;
use deniable_release::open_ledger;
use std::fmt::{self, Display, Formatter};
use std::path::{Path, PathBuf};

/// A change of a ledger that is refused.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ChangeError {
    /// The file does not exist.
    #[error("the ledger {} does not exist", .0.display())]
    NoLedger(PathBuf),
    /// The ledger cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The ledger cannot be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The promise cannot be replaced.
    #[error(transparent)]
    Promise(#[from] AccountError),
    /// The answer cannot be withdrawn.
    #[error(transparent)]
    Withdraw(#[from] WithdrawError),
    /// The policy promises nothing but for a chance, so that no sizes need to be fixed.
    #[error("the policy has no promise but for a chance, so no sizes are fixed")]
    NoChance,
    /// No size is given, or more than [`MOST_SIZES`].
    #[error("{0} sizes cannot be fixed; between 1 and {MOST_SIZES} can")]
    Number(u64),
    /// A size is not a share of the promise.
    #[error("a size is a share of the promise, above 0 and at most 1, and this one is {0}")]
    Share(Rational),
    /// Sizes were fixed or charged before.
    #[error(
        "sizes are fixed once, before the first charge: this account was charged, has sizes that were fixed, or its \
         ledger continues an older copy"
    )]
    NotFirst,
    /// Answers of these sizes would not keep the promise.
    #[error(transparent)]
    Fix(#[from] FixError),
}

/// The most sizes that [`fix_sizes`] fixes.
pub const MOST_SIZES: u64 = 10_000;

impl Diagnose for ChangeError {
    fn diagnostics(&self, surface: Surface) -> Vec<Diagnostic> {
        match self {
            Self::NoLedger(_) => {
                let help = "check the path; the first release creates the ledger and records the promise";
                vec![Diagnostic::new(Code::Ledger, self).with_help(help)]
            }
            Self::Store(error) => error.diagnostics(surface),
            Self::Open(error) => error.diagnostics(surface),
            Self::Promise(error) => error.diagnostics(surface),
            Self::Withdraw(error) => error.diagnostics(surface),
            Self::NoChance => {
                let help = "state one under [promise.but_for]; docs/how-to/promise-with-a-chance.md explains it";
                vec![Diagnostic::new(Code::Policy, self).with_help(help)]
            }
            Self::Number(_) | Self::Share(_) => {
                let help = format!("write {} for a hundred answers of 1/200 each", surface.set("size", "100x1/200"));
                vec![Diagnostic::new(Code::Usage, self).with_help(help)]
            }
            Self::NotFirst => {
                let help = "later queries are counted as chosen ones; `deniable ledger show` lists the fixed sizes";
                vec![Diagnostic::new(Code::Ledger, self).with_help(help)]
            }
            Self::Fix(error) => {
                let help = "fix fewer or smaller sizes; nothing was written";
                vec![Diagnostic::new(Code::Budget, error).with_help(help)]
            }
        }
    }
}

/// Opens an existing ledger.
fn existing(path: &Path, population: &str) -> Result<Ledger, ChangeError> {
    if !path.exists() {
        return Err(ChangeError::NoLedger(path.to_owned()));
    }
    Ok(Ledger::open_or_create(path, population)?)
}

/// An answer that was withdrawn. `Display` prints a sentence for the curator.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct WithdrawnAnswer {
    /// The name of the query.
    pub query: String,
    /// The entry of its charge.
    pub charge: u64,
    /// The withdrawal.
    pub withdrawal: Withdrawal,
    /// The last entry of the ledger now.
    pub head: Head,
}

impl Display for WithdrawnAnswer {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self { query, charge, withdrawal, .. } = self;
        write!(
            f,
            "the answer \"{}\" of entry {charge} is withdrawn by entry {}; it stays charged and stored",
            shown(query),
            withdrawal.seq
        )
    }
}

/// Withdraws the answer of a charge, given by the number of its entry, with all other answers to the same query. They
/// stay charged and stored, and are shown struck through.
///
/// # Errors
/// When the ledger cannot be opened, the entry is not a charge with an answer, the answer is withdrawn already, or the
/// reason is empty.
pub fn withdraw(path: &Path, charge: u64, reason: &str) -> Result<WithdrawnAnswer, ChangeError> {
    if !path.exists() {
        return Err(ChangeError::NoLedger(path.to_owned()));
    }
    let mut ledger = existing(path, &show(path)?.population)?;
    let withdrawal = ledger.withdraw(charge, reason)?;
    let query = ledger.release(charge).map(|release| release.query.name.clone()).unwrap_or_default();
    Ok(WithdrawnAnswer { query, charge, withdrawal, head: ledger.head().clone() })
}

/// A promise that was replaced. `Display` prints sentences for the curator, one on each line.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PromiseChange {
    /// The promise now.
    pub guarantee: Guarantee,
    /// Whether it allows more than before.
    pub weaker: bool,
    /// The last entry of the ledger now.
    pub head: Head,
}

impl Display for PromiseChange {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let way = if self.weaker { "weaker" } else { "not weaker" };
        write!(
            f,
            "the promise is now an odds ratio of {}, {way} than before; the ledger records the reason",
            self.guarantee.limit().with_epsilon()
        )?;
        if let Some(but_for) = self.guarantee.but_for_a_chance() {
            let odds = but_for.limit().with_epsilon();
            write!(f, "\nbut for {}, it is an odds ratio of {odds}", chance(but_for.chance()))?;
        }
        Ok(())
    }
}

/// Sizes that were fixed. `Display` prints a sentence for the curator.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SizesFixed {
    /// The number of sizes.
    pub count: u64,
    /// The odds ratio that answers of all sizes together can give but for the chance, rounded up; `None` where it is that of
    /// the promise that holds for certain.
    pub odds: Option<Rational>,
    /// The largest odds ratio that keeps the promise but for the chance.
    pub limit: Spend,
    /// The chance of that promise.
    pub chance: Chance,
    /// The last entry of the ledger now.
    pub head: Head,
}

impl Display for SizesFixed {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let odds = self.odds.as_ref().map_or_else(|| "any size".to_owned(), |odds| decimal(odds, 3, Rounding::Up));
        write!(
            f,
            "the sizes of {} queries are fixed: all answers together give odds of at most {odds} but for {}, of {} \
             allowed. They count even if they are never asked",
            self.count,
            chance(&self.chance),
            self.limit.in_words()
        )
    }
}

/// Fixes the sizes of queries that are not written yet, before the first charge, for a promise but for a chance (C-11).
/// Each is a number of queries and the share of the promise that each may cost. A later query whose cost equals such a
/// share uses one of them, whatever it asks; all others are counted as chosen ones (C-12). Nothing is charged, and fixed
/// sizes count even if they are never used. Begins the ledger if it does not exist.
///
/// # Errors
/// When the policy has no such promise, a share is not one, sizes were fixed or charged before, or answers of these sizes
/// would not keep the promise.
pub fn fix_sizes(policy: &Policy, sizes: &[(u32, Rational)]) -> Result<SizesFixed, ChangeError> {
    let guarantee = policy.guarantee();
    let but_for = guarantee.but_for_a_chance().ok_or(ChangeError::NoChance)?;
    let count: u64 = sizes.iter().map(|(count, _)| u64::from(*count)).sum();
    if count == 0 || count > MOST_SIZES {
        return Err(ChangeError::Number(count));
    }
    let mut all = Vec::new();
    for (count, share) in sizes {
        let cost = guarantee.limit().share(share).ok().filter(|cost| !cost.is_nothing() && *share <= whole(1));
        let cost = cost.ok_or_else(|| ChangeError::Share(share.clone()))?;
        all.extend(std::iter::repeat_n(Size { cost, coins: Vec::new() }, *count as usize));
    }
    // Before the ledger: a refusal begins none.
    keep_but_for_chance(None, guarantee, all.clone()).map_err(FixError::from)?;
    let mut ledger = open_ledger(policy, false, None)?;
    ledger.open_account(guarantee)?;
    let id = AccountId::of(guarantee);
    if !ledger.fix_sizes(&id, all)? {
        return Err(ChangeError::NotFirst);
    }
    let reading = ledger.account(&id).and_then(|account| account.but_for_chance().ok().flatten());
    Ok(SizesFixed {
        count,
        odds: reading.and_then(|(_, reading)| reading.odds),
        limit: but_for.limit().clone(),
        chance: but_for.chance().clone(),
        head: ledger.head().clone(),
    })
}

/// Replaces the promise of the policy's account by the policy's own, and records the reason. Association results may
/// have an account of labels on the same terms: one promise holds for all accounts about the same people.
///
/// # Errors
/// When the ledger cannot be opened, the account's charges exceed the new promise, larger groups move together in it
/// than were protected so far, nothing would change, or the reason is empty.
pub fn change_promise(policy: &Policy, reason: &str) -> Result<PromiseChange, ChangeError> {
    let mut ledger = existing(policy.ledger(), policy.population())?;
    let guarantee = policy.guarantee();
    let own = AccountId::of(guarantee);
    let others = ledger.summary().accounts.into_iter().map(|account| account.id);
    let others =
        others.filter(|id| id.universe == own.universe && id.kind != own.kind && id.adjacency == own.adjacency);
    let all: Vec<_> = others.map(|id| guarantee.about(id.kind)).chain([guarantee.clone()]).collect();
    let weaker = change_all(&mut ledger, &all, reason)?;
    Ok(PromiseChange { guarantee: guarantee.clone(), weaker, head: ledger.head().clone() })
}

/// Replaces the promise of a cohort in every account of its population.
#[cfg(feature = "gwas")]
pub(crate) fn change_cohort_promise(
    promised: &deniable_gwas::CohortPromise,
    reason: &str,
) -> Result<PromiseChange, ChangeError> {
    let mut ledger = existing(promised.ledger(), promised.population())?;
    let kinds = ledger.summary().accounts.into_iter().map(|account| account.id.kind);
    let all: Vec<_> = kinds.map(|kind| promised.guarantee(kind)).collect();
    let weaker = change_all(&mut ledger, &all, reason)?;
    let guarantee = promised.guarantee(deniable_core::secret::Secret::Membership);
    Ok(PromiseChange { guarantee, weaker, head: ledger.head().clone() })
}

/// Replaces the guarantees of their accounts, of all or of none; returns whether one of them became weaker.
fn change_all(ledger: &mut Ledger, guarantees: &[Guarantee], reason: &str) -> Result<bool, AccountError> {
    let summary = ledger.summary();
    for guarantee in guarantees {
        let id = AccountId::of(guarantee);
        let Some(account) = summary.accounts.iter().find(|account| account.id == id) else { continue };
        // The same checks as in the change itself, before the first change is made.
        if !account.spent.fits(guarantee.limit())? {
            let (spent, limit) = (account.spent.clone(), guarantee.limit().clone());
            return Err(AccountError::BelowSpent { spent, limit });
        }
        let (recorded, asked) = (account.guarantee.group(), guarantee.group());
        if asked > recorded && !account.spent.is_nothing() {
            return Err(AccountError::GroupGrew { recorded, asked });
        }
    }
    let (mut weaker, mut changed) = (false, false);
    for guarantee in guarantees {
        match ledger.change_promise(guarantee, reason) {
            Ok(is_weaker) => (weaker, changed) = (weaker || is_weaker, true),
            // Some of several accounts may have this guarantee already.
            Err(AccountError::NothingChanged) if guarantees.len() > 1 => {}
            Err(error) => return Err(error),
        }
    }
    if changed { Ok(weaker) } else { Err(AccountError::NothingChanged) }
}
