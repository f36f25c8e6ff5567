//! Spending odds, and the one answer that each charge gets.

use crate::accounts::{Draw, Release};
use crate::answer::{Draft, Form, StoredAnswer};
use crate::entry::{AccountId, Charge, Charged, Event, Part};
use crate::ledger::Ledger;
use crate::numbers::Numbers;
use crate::parts::Allowance;
use crate::store::StoreError;
use deniable_core::budget::{Spend, SpendError};
use serde_json::Value;
use std::sync::Arc;

/// What is asked, and what it costs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChargeRequest {
    /// The account that pays.
    pub account: AccountId,
    /// The policy that asks.
    pub policy: String,
    /// What this policy may spend of the account in all.
    pub policy_limit: Spend,
    /// The question.
    pub query: Charge,
    /// What it costs.
    pub cost: Spend,
    /// The part of the account's budget that pays.
    pub part: Part,
    /// A digest of the inputs of the answer beside the identity: the laws of the noise, the form of the answer and the
    /// contents of the data. A charge resumes only on the same basis.
    pub basis: String,
}

/// What to do with an ask.
#[derive(Debug, Clone, PartialEq)]
pub enum ChargeOutcome {
    /// It was charged just now: compute, store the answer, show what was stored.
    New {
        /// The charge.
        seq: u64,
    },
    /// It was charged before, and no noise was drawn for it: do the same, at no cost.
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
    /// It was answered before: show that.
    Answered {
        /// The charge.
        seq: u64,
        /// The stored answer, read.
        answer: Value,
    },
}

impl ChargeOutcome {
    /// The charge, whichever way it came about.
    #[must_use]
    pub fn seq(&self) -> u64 {
        match self {
            Self::New { seq } | Self::Resumed { seq } | Self::Drawn { seq, .. } | Self::Answered { seq, .. } => *seq,
        }
    }
}

/// Which limit is in the way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// The promise, over everything ever released; where parts of it are reserved, what is left for everybody.
    Account,
    /// The part of it that is set aside for who asks.
    Part,
    /// The part of it that the policy may use.
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

/// An ask that was not charged.
#[derive(Debug, thiserror::Error)]
pub enum ChargeError {
    /// The file.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// No such account.
    #[error("the ledger has no account for {0}; open it before charging it")]
    NoAccount(Box<AccountId>),
    /// A part that nobody set aside.
    #[error("nothing of this budget is set aside as \"{0}\"")]
    NoPart(String),
    /// An answer that costs nothing would have to say nothing.
    #[error("a query must cost something; give it a positive weight")]
    CostsNothing,
    /// Too little is left.
    #[error(
        "this would exceed {which}: the limit is an odds ratio of {}, {} is spent and this costs {}; nothing was \
         charged: {}",
        .limit.in_words(), .spent.in_words(), .cost.in_words(), help(*.which)
    )]
    OverBudget {
        /// The limit in the way.
        which: Limit,
        /// What is spent of it.
        spent: Spend,
        /// What was asked for.
        cost: Spend,
        /// The limit itself.
        limit: Spend,
    },
    /// Numbers that were drawn from something else.
    #[error(
        "the numbers of charge {0} were drawn by another version of deniable, from other contents or at another price; work \
         out their answer with that version, contents and price"
    )]
    OtherBasis(u64),
    /// Whether it fits cannot be decided.
    #[error("{0}; nothing was charged")]
    Undecided(#[from] SpendError),
}

/// An answer that was not stored.
#[derive(Debug, thiserror::Error)]
pub enum AnswerError {
    /// The file.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Nothing is answered that was not charged.
    #[error("entry {0} is not a charge; charge the query first, and store its answer under that number")]
    NotACharge(u64),
    /// Its draw was begun and broke off, or it was charged anew.
    #[error("charge {0} is closed without an answer; charge the query anew")]
    Closed(u64),
    /// Another process was first, and writes answers in another form.
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
    /// Charges an ask, unless the identical ask was charged before. On disk when this returns.
    ///
    /// # Errors
    /// When the account or the policy would be overspent, or when that cannot be decided; nothing is charged then.
    pub fn charge(&mut self, request: &ChargeRequest) -> Result<ChargeOutcome, ChargeError> {
        let act = self.book.begin()?;
        let no_account = || ChargeError::NoAccount(request.account.clone().into());
        let account = act.state.account(&request.account).ok_or_else(no_account)?;
        // What another part has paid for is charged like anything new.
        let seen = account.seen_by(&request.part);
        if let Some(release) = seen.release(&request.query.identity) {
            // One that was made on another basis, or at another price, is closed by the new charge.
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
        for (at, Allowance { spent, limit }) in seen.allowances().into_iter().enumerate() {
            let which = if request.part != Part::Whole && at == 0 { Limit::Part } else { Limit::Account };
            within(which, &spent, &request.cost, &limit)?;
        }
        within(Limit::Policy, &seen.spent_by(&request.policy), &request.cost, &request.policy_limit)?;
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

    /// Stores the answer to a charge, and gives the one to show: that of another process, if it was first. On disk when this
    /// returns, and where it is large, its file before its entry.
    ///
    /// # Errors
    /// When there is no such charge, or the answer cannot be written, or that of the other process not read.
    pub fn store_answer(&mut self, charge: u64, form: &Form, answer: &Value) -> Result<Value, AnswerError> {
        self.store_answer_of_all(charge, form, answer, &|elsewhere| Ok(elsewhere.clone()))
    }

    /// The same; where another part has paid for the same question and been answered, its answer is stored and given, as `own` writes it for
    /// this charge. Whoever pays for a question gets the one answer that it has: two would tell more than was charged.
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

fn help(which: Limit) -> &'static str {
    match which {
        Limit::Account => "ask for less, or weaken the promise on the record with `deniable ledger change-promise`",
        Limit::Part => "ask for less, or ask the curator for a larger part",
        Limit::Policy => "ask for less, or raise the policy's `spend`",
    }
}
