//! What the entries add up to: the fold that every decision is taken on.
//!
//! An entry is first checked against the state, then recorded in it. Appending uses the same check, so that
//! nothing is ever written that could not be read again.

use crate::chain::Head;
use crate::entry::{AccountId, Ask, Event, FORMAT, Genesis, PromiseChanged, Terms, VersionRegistered};
use deniable_core::budget::{Spend, SpendError};
use jiff::Timestamp;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Why an entry cannot follow from those before it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Contradiction {
    /// A ledger begins once, with its population.
    #[error("a ledger begins once, with its population")]
    Beginning,
    /// The first entry is of another format than the file.
    #[error("it was begun in format {0}, which this version does not know")]
    Format(u32),
    /// The account was never opened.
    #[error("the account was never opened")]
    NoAccount,
    /// The universe has an account of this kind.
    #[error("the universe already has an account of this kind")]
    AccountTwice,
    /// A change of promise that misstates the terms in force, or whether it weakens them.
    #[error("it misstates the change of promise")]
    MisstatedChange,
    /// More is spent than the limit in force.
    #[error("more is spent than the limit in force")]
    OverLimit,
    /// Whether the limit is kept cannot be decided.
    #[error("{0}")]
    Undecided(#[from] SpendError),
    /// The version's contents were fixed before: other ones, or these with nothing new about them.
    #[error("the version was registered before")]
    VersionTwice,
    /// The identical ask was charged before.
    #[error("the identical ask was charged before")]
    ChargedTwice,
    /// An answer to something that is not a charge.
    #[error("it answers entry {0}, which is not a charge")]
    NotACharge(u64),
    /// A second answer.
    #[error("charge {0} was answered before")]
    AnsweredTwice(u64),
}

/// A charge, and its answer once it has one.
#[derive(Debug, Clone, PartialEq)]
pub struct Release {
    /// The number of the charge's entry.
    pub seq: u64,
    /// When it was charged.
    pub at: Timestamp,
    /// The policy that asked.
    pub policy: String,
    /// The question.
    pub ask: Ask,
    /// The odds ratio spent.
    pub cost: Spend,
    /// The answer; none when the process died before storing one.
    pub answer: Option<Value>,
}

/// A recorded change of terms.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PromiseChange {
    /// The number of its entry.
    pub seq: u64,
    /// When.
    pub at: Timestamp,
    /// The terms until then.
    pub from: Terms,
    /// The terms since.
    pub to: Terms,
    /// Why.
    pub reason: String,
    /// Whether the new limit allows larger odds.
    pub weaker: bool,
}

/// An account with everything that happened on it.
#[derive(Debug, Clone, PartialEq)]
pub struct Account {
    /// What it counts for.
    pub id: AccountId,
    /// When it was opened.
    pub opened: Timestamp,
    /// The terms in force.
    pub terms: Terms,
    /// The odds ratio of all releases together (C-1).
    pub spent: Spend,
    /// Every charge, in order.
    pub releases: Vec<Release>,
    /// Every change of terms, in order.
    pub changes: Vec<PromiseChange>,
    /// The place in `releases` of each ask's identity.
    identities: BTreeMap<String, usize>,
}

impl Account {
    /// The charge for an ask of this identity.
    #[must_use]
    pub fn release(&self, identity: &str) -> Option<&Release> {
        self.identities.get(identity).and_then(|place| self.releases.get(*place))
    }

    /// What one policy has spent of this account.
    #[must_use]
    pub fn spent_by(&self, policy: &str) -> Spend {
        let own = self.releases.iter().filter(|release| release.policy == policy);
        own.fold(Spend::nothing(), |sum, release| sum.and(&release.cost))
    }
}

/// A registered version, without its fingerprint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Version {
    /// The table.
    pub source: String,
    /// The version, as declared.
    pub version: String,
    /// The columns that the curator accepted whatever was found in them, in any way of reading the version.
    pub accepted: BTreeSet<String>,
}

/// What is known of a version.
#[derive(Debug)]
struct Registration {
    /// The contents, under all ways of reading them.
    fingerprint: String,
    /// The last entry about it.
    at: Timestamp,
    /// The columns accepted under each way of reading. Entries of before readings were recorded say nothing of any.
    readings: BTreeMap<String, BTreeSet<String>>,
}

impl Registration {
    /// Whether an entry says more than is known: another way of reading the same contents, or more that is accepted.
    fn grows_by(&self, new: &VersionRegistered) -> bool {
        let more = match new.reading.as_ref().map(|reading| self.readings.get(reading)) {
            None => false,
            Some(None) => true,
            Some(Some(accepted)) => !new.accepted.is_subset(accepted),
        };
        more && new.fingerprint == self.fingerprint
    }
}

/// Everything a curator may want to look at. It holds no fingerprints.
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    /// The people this ledger is about.
    pub population: String,
    /// The last entry.
    pub head: Head,
    /// Every account.
    pub accounts: Vec<Account>,
    /// Every registered version.
    pub versions: Vec<Version>,
}

/// The fold of the entries.
#[derive(Debug, Default)]
pub struct State {
    genesis: Option<Genesis>,
    accounts: Vec<Account>,
    /// By source and version.
    versions: BTreeMap<(String, String), Registration>,
    /// The account and place of each charge, by the number of its entry.
    charges: BTreeMap<u64, (usize, usize)>,
}

impl State {
    /// The people this ledger is about.
    #[must_use]
    pub fn population(&self) -> &str {
        self.genesis.as_ref().map_or("", |genesis| &genesis.population)
    }

    /// What a key is checked against.
    pub(crate) fn key_check(&self) -> &str {
        self.genesis.as_ref().map_or("", |genesis| &genesis.key_check)
    }

    /// The account of exactly this name.
    #[must_use]
    pub fn account(&self, id: &AccountId) -> Option<&Account> {
        self.accounts.iter().find(|account| account.id == *id)
    }

    /// The account that holds the universe and kind of this name, whatever its entity and adjacency.
    #[must_use]
    pub fn account_in_place(&self, id: &AccountId) -> Option<&Account> {
        self.accounts.iter().find(|account| account.id.same_place(id))
    }

    /// The fingerprint of a registered version.
    #[must_use]
    pub fn fingerprint(&self, source: &str, version: &str) -> Option<&str> {
        self.registration(source, version).map(|known| known.fingerprint.as_str())
    }

    /// The columns accepted of a version as it is read in this way; `None` where it was never registered so.
    #[must_use]
    pub fn accepted(&self, source: &str, version: &str, reading: &str) -> Option<&BTreeSet<String>> {
        self.registration(source, version)?.readings.get(reading)
    }

    /// When a version was registered last, in one way of reading it or another.
    #[must_use]
    pub fn registered_at(&self, source: &str, version: &str) -> Option<Timestamp> {
        self.registration(source, version).map(|known| known.at)
    }

    fn registration(&self, source: &str, version: &str) -> Option<&Registration> {
        self.versions.get(&(source.to_owned(), version.to_owned()))
    }

    /// Whether an entry about a version, known with the same contents or not at all, would say anything new.
    pub(crate) fn says_more(&self, new: &VersionRegistered) -> bool {
        self.registration(&new.source, &new.version).is_none_or(|known| known.grows_by(new))
    }

    /// The charge of this number.
    #[must_use]
    pub fn release(&self, seq: u64) -> Option<&Release> {
        let (account, place) = self.charges.get(&seq)?;
        self.accounts.get(*account)?.releases.get(*place)
    }

    /// All of it, for looking at.
    pub(crate) fn summary(&self, head: &Head) -> Summary {
        let version = |((source, version), known): (&(String, String), &Registration)| Version {
            source: source.clone(),
            version: version.clone(),
            accepted: known.readings.values().flatten().cloned().collect(),
        };
        Summary {
            population: self.population().to_owned(),
            head: head.clone(),
            accounts: self.accounts.clone(),
            versions: self.versions.iter().map(version).collect(),
        }
    }

    /// Whether `event` may come next.
    ///
    /// # Errors
    /// Saying why not.
    pub fn check(&self, event: &Event) -> Result<(), Contradiction> {
        let account = |id| self.account(id).ok_or(Contradiction::NoAccount);
        match event {
            Event::Genesis(_) if self.genesis.is_some() => Err(Contradiction::Beginning),
            Event::Genesis(genesis) if genesis.format != FORMAT => Err(Contradiction::Format(genesis.format)),
            Event::Genesis(_) => Ok(()),
            _ if self.genesis.is_none() => Err(Contradiction::Beginning),
            Event::AccountOpened(opened) => match self.account_in_place(&opened.account) {
                Some(_) => Err(Contradiction::AccountTwice),
                None => Ok(()),
            },
            Event::PromiseChanged(change) => check_change(account(&change.account)?, change),
            Event::VersionRegistered(new) => {
                if self.says_more(new) {
                    Ok(())
                } else {
                    Err(Contradiction::VersionTwice)
                }
            }
            Event::Charged(charge) => {
                let account = account(&charge.account)?;
                if account.release(&charge.ask.identity).is_some() {
                    return Err(Contradiction::ChargedTwice);
                }
                within(&account.spent.and(&charge.cost), &account.terms.limit)
            }
            Event::Answered(answer) => match self.release(answer.charge) {
                None => Err(Contradiction::NotACharge(answer.charge)),
                Some(release) if release.answer.is_some() => Err(Contradiction::AnsweredTwice(answer.charge)),
                Some(_) => Ok(()),
            },
        }
    }

    /// Takes in an entry that was checked.
    pub(crate) fn record(&mut self, seq: u64, at: Timestamp, event: Event) {
        match event {
            Event::Genesis(genesis) => self.genesis = Some(genesis),
            Event::AccountOpened(opened) => self.accounts.push(Account {
                id: opened.account,
                opened: at,
                terms: opened.terms,
                spent: Spend::nothing(),
                releases: Vec::new(),
                changes: Vec::new(),
                identities: BTreeMap::new(),
            }),
            Event::PromiseChanged(PromiseChanged { account, from, to, reason, weaker }) => {
                if let Some(account) = self.accounts.iter_mut().find(|known| known.id == account) {
                    account.terms = to.clone();
                    account.changes.push(PromiseChange { seq, at, from, to, reason, weaker });
                }
            }
            Event::VersionRegistered(new) => {
                let fingerprint = new.fingerprint;
                let known = self.versions.entry((new.source, new.version)).or_insert_with(|| Registration {
                    fingerprint,
                    at,
                    readings: BTreeMap::new(),
                });
                known.at = at;
                if let Some(reading) = new.reading {
                    known.readings.entry(reading).or_default().extend(new.accepted);
                }
            }
            Event::Charged(charge) => {
                let payer = self.accounts.iter_mut().enumerate().find(|(_, known)| known.id == charge.account);
                if let Some((index, account)) = payer {
                    let place = account.releases.len();
                    self.charges.insert(seq, (index, place));
                    account.identities.insert(charge.ask.identity.clone(), place);
                    account.spent = account.spent.and(&charge.cost);
                    let (policy, ask, cost) = (charge.policy, charge.ask, charge.cost);
                    account.releases.push(Release { seq, at, policy, ask, cost, answer: None });
                }
            }
            Event::Answered(answered) => {
                let charge = self.charges.get(&answered.charge);
                let release = charge.and_then(|(index, place)| self.accounts.get_mut(*index)?.releases.get_mut(*place));
                if let Some(release) = release {
                    release.answer = Some(answered.answer);
                }
            }
        }
    }
}

fn within(spent: &Spend, limit: &Spend) -> Result<(), Contradiction> {
    if spent.fits(limit)? { Ok(()) } else { Err(Contradiction::OverLimit) }
}

fn check_change(account: &Account, change: &PromiseChanged) -> Result<(), Contradiction> {
    let weaker = change.to.weaker_than(&change.from)?;
    if change.from != account.terms || change.from == change.to || change.weaker != weaker {
        return Err(Contradiction::MisstatedChange);
    }
    // What was charged about smaller groups may have told more about larger ones (F-NIk).
    if change.to.group > change.from.group && !account.spent.is_nothing() {
        return Err(Contradiction::OverLimit);
    }
    within(&account.spent, &change.to.limit)
}
