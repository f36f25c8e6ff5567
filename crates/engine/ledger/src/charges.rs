//! Charges, and the one answer to each charge.

use crate::accounts::{Draw, Release};
use crate::answer::{Draft, Form, StoredAnswer};
use crate::by_version::{VersionLimit, VersionName};
use crate::disjoint::DisjointFault;
use crate::entry::{AccountId, Charge, Charged, Event, Part};
use crate::ledger::Ledger;
use crate::losses::{OverChance, Size};
use crate::numbers::Numbers;
use crate::parts::Allowance;
use crate::store::StoreError;
use deniable_core::budget::{Spend, SpendError};
use serde_json::Value;
use std::sync::Arc;

/// A query with its cost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChargeRequest {
    /// The account that pays.
    pub account: AccountId,
    /// The policy of the query.
    pub policy: String,
    /// The most that this policy may spend of the account.
    pub policy_limit: Spend,
    /// The limit of this policy for the versions that the query reads, if it has one.
    pub version_limit: Option<VersionLimit>,
    /// The query.
    pub query: Charge,
    /// The cost of the query.
    pub cost: Spend,
    /// The part of the account's budget that pays.
    pub part: Part,
    /// A digest of the inputs of the answer besides the identity: the laws of the noise, the form of the answer and the
    /// contents of the data. A charge resumes only on the same basis.
    pub basis: String,
}

/// The state of the charge of a query, which decides the caller's next step.
#[derive(Debug, Clone, PartialEq)]
pub enum ChargeOutcome {
    /// It was charged just now: compute, store the answer, show the stored answer.
    New {
        /// The charge.
        seq: u64,
    },
    /// It was charged before, and no noise was drawn for it: proceed as with a new charge, at no cost.
    Resumed {
        /// The charge.
        seq: u64,
    },
    /// Its noise was drawn before: compute the answer from these numbers, store it, and show the stored answer.
    Drawn {
        /// The charge.
        seq: u64,
        /// The numbers.
        numbers: Arc<Numbers>,
    },
    /// It was answered before: show the stored answer.
    Answered {
        /// The charge.
        seq: u64,
        /// The stored answer.
        answer: Value,
    },
}

impl ChargeOutcome {
    /// The number of the charge, in each state.
    #[must_use]
    pub fn seq(&self) -> u64 {
        match self {
            Self::New { seq } | Self::Resumed { seq } | Self::Drawn { seq, .. } | Self::Answered { seq, .. } => *seq,
        }
    }
}

/// The limit that a charge would exceed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// The promise, over everything ever released; if parts of it are reserved, the unreserved share.
    Account,
    /// The part that pays.
    Part,
    /// The share of the promise that the policy may spend.
    Policy,
}

impl std::fmt::Display for Limit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Account => "what the promise allows in all",
            Self::Part => "the part of the promise that is set aside for you",
            Self::Policy => "what this policy may spend",
        })
    }
}

/// A query that was not charged.
#[derive(Debug, thiserror::Error)]
pub enum ChargeError {
    /// The file.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The account does not exist.
    #[error("the ledger has no account for {0}; open it before charging it")]
    NoAccount(Box<AccountId>),
    /// The part does not exist.
    #[error("no part of this budget is set aside as \"{0}\"")]
    NoPart(String),
    /// A query without cost could only have an answer without information.
    #[error("a query must cost something; give it a positive weight")]
    CostsNothing,
    /// Without the versions of the tables, no limit of a version holds.
    #[error("the charge of \"{0}\" names no version of a table; this is a defect of deniable, please report it")]
    NoVersion(String),
    /// The remaining budget is too small.
    #[error(
        "this would exceed {which}: the limit is an odds ratio of {}, {} is spent and this costs {}; nothing was \
         charged: {}",
        .limit.in_words(), .spent.in_words(), .cost.in_words(), help(*.which)
    )]
    OverBudget {
        /// The limit that would be exceeded.
        which: Limit,
        /// The odds already spent under it.
        spent: Spend,
        /// The cost of the query.
        cost: Spend,
        /// The limit itself.
        limit: Spend,
    },
    /// The version's part of the promise is too small.
    #[error(
        "this would exceed what {version} may use: the limit is an odds ratio of {}, {} is spent and this costs {}; nothing \
         was charged: register the next version, or raise `per_version` under [budget], which changes this policy and not \
         the promise",
        .limit.in_words(), .spent.in_words(), .cost.in_words()
    )]
    OverVersion {
        /// The version.
        version: VersionName,
        /// The odds already spent on it.
        spent: Spend,
        /// The cost of the query.
        cost: Spend,
        /// The limit itself.
        limit: Spend,
    },
    /// All answers together could give more than the promise but for a chance allows.
    #[error("{over}; nothing was charged: {}", help_over(.over))]
    OverChance {
        /// The promise but for a chance, or the part.
        #[from]
        over: OverChance,
    },
    /// Numbers that were drawn on another basis.
    #[error(
        "the numbers of charge {0} were drawn by another version of deniable, from other contents or at another price; \
         compute their answer with that version, contents and price"
    )]
    OtherBasis(u64),
    /// A version of a table whose versions share no entity is not registered.
    #[error("{0}; nothing was charged")]
    NotRegistered(#[from] DisjointFault),
    /// The comparison with a limit cannot be decided.
    #[error("{0}; nothing was charged")]
    Undecided(#[from] SpendError),
}

/// An answer that was not stored.
#[derive(Debug, thiserror::Error)]
pub enum AnswerError {
    /// The file.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The entry is not a charge.
    #[error("entry {0} is not a charge; charge the query first, and store its answer under that number")]
    NotACharge(u64),
    /// The draw of the charge failed, or the query was charged anew.
    #[error("charge {0} is closed without an answer; charge the query anew")]
    Closed(u64),
    /// Another process has stored an answer, in an unknown form.
    #[error(
        "another process stored it first in the form {0}, which this version does not know; use a newer version of deniable"
    )]
    OtherForm(Form),
    /// The answer of another part cannot be written for this charge.
    #[error(
        "another part has the answer, and it cannot be stored for this charge: {0}; restore the ledger from a backup"
    )]
    Elsewhere(String),
}

impl Ledger {
    /// Charges a query, unless the identical query was charged before. On disk when this returns.
    ///
    /// # Errors
    /// When the account or the policy would be overspent, or when that cannot be decided; nothing is charged then.
    pub fn charge(&mut self, request: &ChargeRequest) -> Result<ChargeOutcome, ChargeError> {
        let act = self.book.begin()?;
        let no_account = || ChargeError::NoAccount(request.account.clone().into());
        let account = act.state.account(&request.account).ok_or_else(no_account)?;
        // A query that another part has paid for is charged like a new one.
        let seen = account.seen_by(&request.part);
        if let Some(release) = seen.release(&request.query.identity) {
            // A charge on another basis, or at another price, is closed by the new charge.
            if let Some(charge) = charged_before(release, request)? {
                return Ok(charge);
            }
        }
        if let Part::Named(name) = &request.part
            && account.part(name).is_none()
        {
            return Err(ChargeError::NoPart(name.clone()));
        }
        if request.cost.is_nothing() {
            return Err(ChargeError::CostsNothing);
        }
        if request.query.source.is_empty() || request.query.version.is_empty() {
            return Err(ChargeError::NoVersion(request.query.name.clone()));
        }
        act.state.check_registered(&request.query)?;
        let read = request.query.versions();
        for (at, allowance) in seen.allowances().iter().enumerate() {
            let allowance = &allowance.before(&read);
            let which = if request.part != Part::Whole && at == 0 { Limit::Part } else { Limit::Account };
            within(which, &allowance.spent, &request.cost, &allowance.limit)?;
            request.version_limit.iter().try_for_each(|by| within_versions(by, allowance, &request.cost))?;
        }
        if account.guarantee.but_for_a_chance().is_some() {
            let size = Size { cost: request.cost.clone(), coins: request.query.coins.clone() };
            seen.losses.allow(size, &account.guarantee)?;
        }
        let own = seen.spent_by(&request.policy).before(&read);
        within(Limit::Policy, &own, &request.cost, &request.policy_limit)?;
        let charged = Charged {
            account: request.account.clone(),
            policy: request.policy.clone(),
            query: request.query.clone(),
            cost: request.cost.clone(),
            part: request.part.clone(),
            basis: request.basis.clone(),
        };
        Ok(ChargeOutcome::New { seq: act.append(Event::Charged(charged))? })
    }

    /// Stores the answer to a charge, and returns the one to show: that of another process, if it was first. On disk
    /// when this returns; the file of a large answer before its entry.
    ///
    /// # Errors
    /// When the charge does not exist, the answer cannot be written, or that of the other process cannot be read.
    pub fn store_answer(&mut self, charge: u64, form: &Form, answer: &Value) -> Result<Value, AnswerError> {
        self.store_answer_of_all(charge, form, answer, &|elsewhere| Ok(elsewhere.clone()))
    }

    /// Stores the answer to a charge, as [`Self::store_answer`] does. If another part has been answered for the same
    /// query, that answer is stored and returned instead, as `own` rewrites it for this charge: a second answer would
    /// reveal more than was charged.
    ///
    /// # Errors
    /// As above.
    pub fn store_answer_of_all(
        &mut self,
        charge: u64,
        form: &Form,
        answer: &Value,
        own: &dyn Fn(&Value) -> Result<Value, String>,
    ) -> Result<Value, AnswerError> {
        let draft = Draft::of(form, answer).map_err(StoreError::from)?;
        let act = self.book.begin()?;
        let release = act.state.release(charge).ok_or(AnswerError::NotACharge(charge))?;
        let known = |stored: &StoredAnswer| {
            if stored.form() == form {
                Ok(stored.read().map_err(StoreError::from)?)
            } else {
                Err(AnswerError::OtherForm(stored.form().clone()))
            }
        };
        if let Some(stored) = &release.answer {
            return known(stored);
        }
        if release.is_dead() {
            return Err(AnswerError::Closed(charge));
        }
        let elsewhere = act.state.answered_elsewhere(charge).map(known).transpose()?;
        let (draft, answer) = match elsewhere {
            Some(other) => {
                let other = own(&other).map_err(AnswerError::Elsewhere)?;
                (Draft::of(form, &other).map_err(StoreError::from)?, other)
            }
            None => (draft, answer.clone()),
        };
        draft.keep(act.path)?;
        act.append(draft.event(charge))?;
        Ok(answer)
    }
}

/// The effect of an earlier charge on a request; `None` where the charge is open but does not match the request, dead,
/// or closed.
fn charged_before(release: &Release, request: &ChargeRequest) -> Result<Option<ChargeOutcome>, ChargeError> {
    let seq = release.seq;
    if let Some(stored) = &release.answer {
        return Ok(Some(ChargeOutcome::Answered { seq, answer: stored.read().map_err(StoreError::from)? }));
    }
    let is_same = release.basis == request.basis && release.cost == request.cost;
    match &release.draw {
        Draw::Done(numbers) if is_same => Ok(Some(ChargeOutcome::Drawn { seq, numbers: numbers.clone() })),
        Draw::Done(_) => Err(ChargeError::OtherBasis(seq)),
        Draw::Open | Draw::Begun(_) | Draw::Closed => {
            Ok((release.is_open() && is_same).then_some(ChargeOutcome::Resumed { seq }))
        }
    }
}

fn within(which: Limit, spent: &Spend, cost: &Spend, limit: &Spend) -> Result<(), ChargeError> {
    if spent.and(cost).fits(limit)? {
        return Ok(());
    }
    Err(ChargeError::OverBudget { which, spent: spent.clone(), cost: cost.clone(), limit: limit.clone() })
}

fn within_versions(by: &VersionLimit, allowance: &Allowance, cost: &Spend) -> Result<(), ChargeError> {
    for version in &by.versions {
        let Allowance { spent, limit, .. } = allowance.on_version(version, &by.share);
        if !spent.and(cost).fits(&limit)? {
            return Err(ChargeError::OverVersion { version: version.clone(), spent, cost: cost.clone(), limit });
        }
    }
    Ok(())
}

fn help_over(over: &OverChance) -> &'static str {
    match over {
        OverChance::Part { .. } => help(Limit::Part),
        _ => "ask for less, or promise less but for the chance with `deniable ledger change-promise`",
    }
}

fn help(which: Limit) -> &'static str {
    match which {
        Limit::Account => "ask for less, or weaken the promise on the record with `deniable ledger change-promise`",
        Limit::Part => "ask for less, or ask the curator for a larger part",
        Limit::Policy => "ask for less, or raise the policy's `spend`",
    }
}
