//! The fold of the entries, on which every decision is taken.
//!
//! An entry is first checked against the state, then recorded in it. Appending uses the same check, so that
//! every entry that is written can be read again.

use crate::accounts::{Account, Draw, PromiseChange, Release, within};
use crate::answer::{StoredAnswer, folder};
use crate::approvals::Request;
use crate::chain::Head;
pub use crate::contradiction::Contradiction;
use crate::disjoint::DisjointTables;
use crate::entry::{
    AccountId, AnswerWithdrawn, Drawing, Event, FORMAT, Genesis, GuaranteeChanged, Part, PartSetAside,
    VersionRegistered,
};
use crate::numbers::Numbers;
use crate::parts::PartTerms;
use crate::trials::{Trials, TriedEngine};
use crate::versions::Registration;
use crate::withdrawals::Withdrawal;
use deniable_core::exact::whole;
use deniable_core::guarantee::Guarantee;
use jiff::Timestamp;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

/// A registered version, without its fingerprint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Version {
    /// The table.
    pub source: String,
    /// The version, as declared.
    pub version: String,
    /// The columns that the curator accepted despite values that cannot be read, and the queries accepted despite large
    /// losses (`loss:QUERY#DIGEST`), over all readings of the version; empty in the view of a part.
    pub accepted: BTreeSet<String>,
}

/// An older copy of the ledger that the curator accepted: charges of a newer copy do not count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Acceptance {
    /// The number of its entry. All entries before are those of the older copy.
    pub seq: u64,
    /// The time of the acceptance.
    pub at: Timestamp,
    /// The curator's reason.
    pub reason: String,
}

/// The contents of a ledger for the curator. Without fingerprints.
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    /// The people this ledger is about.
    pub population: String,
    /// Whether it is the ledger of a rehearsal: all answers are about made-up rows.
    pub rehearsal: bool,
    /// The last entry.
    pub head: Head,
    /// Every account.
    pub accounts: Vec<Account>,
    /// Every registered version, the newest first.
    pub versions: Vec<Version>,
    /// Every engine that was tried.
    pub engines: Vec<TriedEngine>,
    /// Every older copy that the curator accepted, in order.
    pub accepted: Vec<Acceptance>,
    /// Populations with the same policy or tables, which the curator stated to be other people.
    pub other_than: Vec<String>,
}

impl Summary {
    /// The view of the ledger for the owner of a part: see [`Account::seen_by`]. Every decision about answers, refusals
    /// and publications depends on this view only. If parts are set aside, it has no head.
    #[must_use]
    pub fn seen_by(&self, part: &Part) -> Self {
        let accounts = self.accounts.iter().map(|account| account.seen_by(part)).collect();
        // The number of entries reveals how much the other analysts asked.
        let is_divided =
            self.accounts.iter().any(|account| account.unreserved_share() < whole(1) || !account.parts().is_empty());
        let head = if is_divided { Head::start() } else { self.head.clone() };
        // Which names the curator accepted may depend on the data.
        let bare = |version: &Version| Version { accepted: BTreeSet::new(), ..version.clone() };
        let versions = self.versions.iter().map(bare).collect();
        Self { accounts, head, versions, accepted: Vec::new(), other_than: Vec::new(), ..self.clone() }
    }

    /// The summary of a ledger that does not exist yet.
    #[must_use]
    pub fn before_any(population: &str) -> Self {
        Self {
            population: population.to_owned(),
            rehearsal: false,
            head: Head::start(),
            accounts: Vec::new(),
            versions: Vec::new(),
            engines: Vec::new(),
            accepted: Vec::new(),
            other_than: Vec::new(),
        }
    }
}

/// The fold of the entries.
#[derive(Debug, Clone)]
pub struct State {
    folder: Arc<Path>,
    genesis: Option<Genesis>,
    accounts: Vec<Account>,
    pub(crate) versions: BTreeMap<(String, String), Registration>,
    pub(crate) disjoint: DisjointTables,
    /// The account and place of each charge, by the number of its entry.
    charges: BTreeMap<u64, (usize, usize)>,
    /// The charges of each draw whose numbers are missing, by the number of the entry that began it.
    drawings: BTreeMap<u64, Vec<u64>>,
    trials: Trials,
    accepted: Vec<Acceptance>,
}

impl State {
    /// The state before the first entry of a ledger.
    pub(crate) fn before_any(ledger: &Path) -> Self {
        Self {
            folder: folder(ledger).into(),
            genesis: None,
            accounts: Vec::new(),
            versions: BTreeMap::new(),
            disjoint: DisjointTables::default(),
            charges: BTreeMap::new(),
            drawings: BTreeMap::new(),
            trials: Trials::default(),
            accepted: Vec::new(),
        }
    }

    pub(crate) fn trials(&self) -> &Trials {
        &self.trials
    }

    /// The people this ledger is about.
    #[must_use]
    pub fn population(&self) -> &str {
        self.genesis.as_ref().map_or("", |genesis| &genesis.population)
    }

    /// Whether it is the ledger of a rehearsal.
    #[must_use]
    pub fn is_rehearsal(&self) -> bool {
        self.genesis.as_ref().is_some_and(|genesis| genesis.rehearsal)
    }

    /// Whether a policy of this name was ever charged, including charges outside its file: `policy/ask`, `policy/gwas`.
    pub(crate) fn has_charged(&self, policy: &str) -> bool {
        let is_it =
            |charged: &str| charged.strip_prefix(policy).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        self.accounts.iter().flat_map(|account| &account.releases).any(|release| is_it(&release.policy))
    }

    /// Whether a version of a table or cohort of this name was ever registered.
    pub(crate) fn has_registered(&self, source: &str) -> bool {
        self.versions.keys().any(|(known, _)| known == source)
    }

    /// The value by which the key is recognised.
    pub(crate) fn key_check(&self) -> &str {
        self.genesis.as_ref().map_or("", |genesis| &genesis.key_check)
    }

    /// Every account.
    pub fn accounts(&self) -> &[Account] {
        &self.accounts
    }

    /// The account with exactly this key.
    #[must_use]
    pub fn account(&self, id: &AccountId) -> Option<&Account> {
        self.accounts.iter().find(|account| account.id == *id)
    }

    /// The account of this universe and kind, with any entity and adjacency.
    #[must_use]
    pub fn account_in_place(&self, id: &AccountId) -> Option<&Account> {
        self.accounts.iter().find(|account| account.id.same_place(id))
    }

    /// The fingerprint of a registered version.
    #[must_use]
    pub fn fingerprint(&self, source: &str, version: &str) -> Option<&str> {
        self.registration(source, version).map(|known| known.fingerprint.as_str())
    }

    /// The versions of a table, with their fingerprints, in the order of their registration.
    pub fn fingerprints(&self, source: &str) -> impl Iterator<Item = (&str, &str)> {
        let own = self.versions.iter().filter(move |((table, _), _)| table == source);
        let mut own: Vec<_> = own.map(|((_, version), known)| (known.first, version, &known.fingerprint)).collect();
        own.sort_by_key(|(first, ..)| *first);
        own.into_iter().map(|(_, version, fingerprint)| (version.as_str(), fingerprint.as_str()))
    }

    /// The accepted columns of a version under this reading; `None` if it was never registered under it.
    #[must_use]
    pub fn accepted(&self, source: &str, version: &str, reading: &str) -> Option<&BTreeSet<String>> {
        self.registration(source, version)?.readings.get(reading)
    }

    /// Whether a version is registered under this reading, and under no other one.
    pub fn is_only_reading(&self, source: &str, version: &str, reading: &str) -> bool {
        self.registration(source, version).is_some_and(|known| known.readings.keys().eq([reading]))
    }

    /// The time of the last registration of a version, under any reading.
    #[must_use]
    pub fn registered_at(&self, source: &str, version: &str) -> Option<Timestamp> {
        self.registration(source, version).map(|known| known.at)
    }

    fn registration(&self, source: &str, version: &str) -> Option<&Registration> {
        self.versions.get(&(source.to_owned(), version.to_owned()))
    }

    /// Whether an entry about an unknown version, or one with the same contents, adds anything.
    pub(crate) fn says_more(&self, new: &VersionRegistered) -> bool {
        self.registration(&new.source, &new.version).is_none_or(|known| known.grows_by(new))
    }

    /// The answer of another part to the query of this charge: each query is answered once.
    #[must_use]
    pub(crate) fn answered_elsewhere(&self, seq: u64) -> Option<&StoredAnswer> {
        let (account, place) = self.charges.get(&seq)?;
        let account = self.accounts.get(*account)?;
        let own = account.releases.get(*place)?;
        account.charged(&own.query.identity).find_map(|release| release.answer.as_ref())
    }

    /// The charge with this number.
    #[must_use]
    pub fn release(&self, seq: u64) -> Option<&Release> {
        let (account, place) = self.charges.get(&seq)?;
        self.accounts.get(*account)?.releases.get(*place)
    }

    /// The request with this number.
    #[must_use]
    pub fn request(&self, seq: u64) -> Option<&Request> {
        self.request_of(seq).map(|(_, request)| request)
    }

    /// The request with this number, with its account.
    pub fn request_of(&self, seq: u64) -> Option<(&Account, &Request)> {
        let mut requests =
            self.accounts.iter().flat_map(|account| account.requests.iter().map(move |request| (account, request)));
        requests.find(|(_, request)| request.seq == seq)
    }

    /// The summary of everything recorded.
    pub(crate) fn summary(&self, head: &Head) -> Summary {
        let version = |((source, version), known): (&(String, String), &Registration)| Version {
            source: source.clone(),
            version: version.clone(),
            accepted: known.readings.values().flatten().cloned().collect(),
        };
        let mut registered: Vec<_> = self.versions.iter().collect();
        registered.sort_by_key(|(_, known)| std::cmp::Reverse(known.first));
        Summary {
            population: self.population().to_owned(),
            rehearsal: self.is_rehearsal(),
            head: head.clone(),
            accounts: self.accounts.clone(),
            versions: registered.into_iter().map(version).collect(),
            engines: self.trials.summary(),
            accepted: self.accepted.clone(),
            other_than: self.genesis.as_ref().map(|genesis| genesis.other_than.clone()).unwrap_or_default(),
        }
    }

    /// Whether `event` may come next.
    ///
    /// # Errors
    /// States the reason if it may not.
    pub fn check(&self, event: &Event) -> Result<(), Contradiction> {
        self.check_but_sizes(event)?;
        match event {
            Event::Charged(charge) => {
                self.account(&charge.account).ok_or(Contradiction::NoAccount)?.check_losses(charge)
            }
            _ => Ok(()),
        }
    }

    /// Whether all charges of an account keep its promise but for a chance.
    pub(crate) fn check_sizes(&self, account: &AccountId) -> Result<(), Contradiction> {
        let account = self.account(account).ok_or(Contradiction::NoAccount)?;
        Ok(account.all_losses_keep(&account.guarantee)?)
    }

    /// Whether `event` may come next, but for whether a charge keeps the promise but for a chance.
    pub(crate) fn check_but_sizes(&self, event: &Event) -> Result<(), Contradiction> {
        let account = |id| self.account(id).ok_or(Contradiction::NoAccount);
        match event {
            Event::Genesis(_) if self.genesis.is_some() => Err(Contradiction::Beginning),
            Event::Genesis(genesis) if genesis.format != FORMAT => Err(Contradiction::Format(genesis.format)),
            Event::Genesis(_) => Ok(()),
            _ if self.genesis.is_none() => Err(Contradiction::Beginning),
            Event::GuaranteeStated(stated) => match self.account_in_place(&AccountId::of(&stated.guarantee)) {
                None => Ok(()),
                Some(_) => Err(Contradiction::AccountTwice),
            },
            Event::GuaranteeChanged(change) => {
                let GuaranteeChanged { from, to, reason: _, weaker } = change.as_ref();
                let account = account(&AccountId::of(to))?;
                let same = to.weaker_than(from)? == *weaker && AccountId::of(from) == account.id;
                check_change(account, from, to, same)
            }
            Event::VersionRegistered(new) if self.says_more(new) => Ok(self.check_disjoint(new)?),
            Event::VersionRegistered(_) => Err(Contradiction::VersionTwice),
            Event::Charged(charge) => {
                self.check_registered(&charge.query)?;
                account(&charge.account)?.check(charge)
            }
            Event::SizesFixed(_) if self.continues_older_copy() => Err(Contradiction::Sizes),
            Event::SizesFixed(new) => account(&new.account)?.check_sizes(&new.sizes),
            Event::PartSetAside(new) => {
                let (share, sharing, answers) = (new.share.0.clone(), new.sharing, new.answers);
                Ok(account(&new.account)?.check_part(&new.part, &PartTerms { share, sharing, answers })?)
            }
            Event::ApprovalRequested(new) => account(&new.account)?.check_request(new),
            Event::ApprovalDecided(new) => {
                let (account, request) = self.request_of(new.request).ok_or(Contradiction::NotARequest(new.request))?;
                account.check_decision(request, new)
            }
            Event::Answered(answered) => self.check_answer(answered.charge),
            Event::AnsweredInFile(answered) => self.check_answer(answered.charge),
            Event::Drawing(drawing) => self.check_drawing(drawing),
            Event::Drawn(drawn) => self.check_drawn(drawn.drawing),
            Event::DrawnInFile(drawn) => self.check_drawn(drawn.drawing),
            Event::ChargesClosed(_) => Ok(()),
            Event::AnswerWithdrawn(new) => self.check_withdrawal(new),
            Event::EngineTried(tried) if tried.passed && self.trials.has_passed(&tried.engine, &tried.statement) => {
                Err(Contradiction::PassedTwice)
            }
            Event::EngineTried(_) => Ok(()),
        }
    }

    /// Whether the ledger continues an older copy, so that answers may have been read which it does not hold.
    pub(crate) fn continues_older_copy(&self) -> bool {
        !self.accepted.is_empty()
    }

    fn check_answer(&self, charge: u64) -> Result<(), Contradiction> {
        match self.release(charge) {
            None => Err(Contradiction::NotACharge(charge)),
            Some(release) if release.answer.is_some() => Err(Contradiction::AnsweredTwice(charge)),
            Some(release) if release.is_dead() => Err(Contradiction::Dead(charge)),
            Some(_) => Ok(()),
        }
    }

    /// Checks that a draw is of all open charges of one identity, in all parts and accounts (P-1).
    fn check_drawing(&self, drawing: &Drawing) -> Result<(), Contradiction> {
        let first = drawing.charges.first().and_then(|charge| self.release(*charge));
        let identity = first.map(|release| release.query.identity.as_str()).ok_or(Contradiction::NotOpen)?;
        let is_first = self.drawn(identity).is_none() && !self.is_answered_without_draw(identity);
        if is_first && self.open_charges(identity) == drawing.charges { Ok(()) } else { Err(Contradiction::NotOpen) }
    }

    fn check_drawn(&self, drawing: u64) -> Result<(), Contradiction> {
        let begun = |release: &Release| release.draw == Draw::Begun(drawing) && release.answer.is_none();
        let mut charges = self.drawings.get(&drawing).into_iter().flatten().filter_map(|charge| self.release(*charge));
        if charges.any(begun) { Ok(()) } else { Err(Contradiction::NotDrawing(drawing)) }
    }

    /// The open charges of an identity in all parts and accounts, by number.
    pub(crate) fn open_charges(&self, identity: &str) -> Vec<u64> {
        let releases = self.accounts.iter().flat_map(|account| account.charged(identity));
        let mut open: Vec<u64> = releases.filter(|release| release.is_open()).map(|release| release.seq).collect();
        open.sort_unstable();
        open
    }

    /// Every charge whose noise may still be drawn.
    pub(crate) fn all_open(&self) -> impl Iterator<Item = &Release> {
        self.accounts.iter().flat_map(|account| &account.releases).filter(|release| release.is_open())
    }

    /// The numbers that were drawn for an identity by any of its charges. There is one set, since every later charge
    /// uses it.
    pub(crate) fn drawn(&self, identity: &str) -> Option<(&Arc<Numbers>, &str)> {
        let mut releases = self.accounts.iter().flat_map(|account| account.charged(identity));
        releases.find_map(|release| match &release.draw {
            Draw::Done(numbers) => Some((numbers, release.basis.as_str())),
            Draw::Open | Draw::Begun(_) | Draw::Closed => None,
        })
    }

    /// Whether an identity has an answer without numbers. No noise may be drawn beside it (P-1).
    pub(crate) fn is_answered_without_draw(&self, identity: &str) -> bool {
        let mut releases = self.accounts.iter().flat_map(|account| account.charged(identity));
        releases.any(|release| release.answer.is_some() && !matches!(release.draw, Draw::Done(_)))
    }

    /// Records an entry after [`Self::check`].
    pub(crate) fn record(&mut self, seq: u64, at: Timestamp, event: Event) {
        match event {
            Event::Genesis(genesis) => self.genesis = Some(genesis),
            Event::GuaranteeStated(stated) => {
                let mut account = Account::opened(AccountId::of(&stated.guarantee), at, stated.guarantee);
                account.set_disjoint(&self.disjoint);
                self.accounts.push(account);
            }
            Event::GuaranteeChanged(change) => {
                let GuaranteeChanged { from, to, reason, weaker } = *change;
                let id = AccountId::of(&to);
                self.change(&id, PromiseChange { seq, at, from, to, reason, weaker });
            }
            Event::VersionRegistered(new) => {
                self.disjoint.record(&new);
                self.accounts.iter_mut().for_each(|account| account.set_disjoint(&self.disjoint));
                let fingerprint = new.fingerprint;
                let known = self.versions.entry((new.source, new.version)).or_insert_with(|| Registration {
                    first: seq,
                    fingerprint,
                    at,
                    readings: BTreeMap::new(),
                });
                known.at = at;
                known.readings.entry(new.reading).or_default().extend(new.accepted);
            }
            Event::Charged(charge) => {
                for account in &mut self.accounts {
                    account.close_others(&charge.query.identity, &charge.basis, None);
                }
                let payer = self.accounts.iter_mut().enumerate().find(|(_, known)| known.id == charge.account);
                if let Some((index, account)) = payer {
                    self.charges.insert(seq, (index, account.releases.len()));
                    account.record(seq, at, charge);
                }
            }
            Event::SizesFixed(new) => {
                if let Some(account) = self.accounts.iter_mut().find(|known| known.id == new.account) {
                    account.losses.fix(new.sizes);
                }
            }
            Event::PartSetAside(PartSetAside { account, part, share, sharing, answers }) => {
                if let Some(account) = self.accounts.iter_mut().find(|known| known.id == account) {
                    account.set_aside(part, PartTerms { share: share.0, sharing, answers });
                }
            }
            Event::ApprovalRequested(new) => {
                if let Some(account) = self.accounts.iter_mut().find(|known| known.id == new.account) {
                    account.record_request(seq, at, new);
                }
            }
            Event::ApprovalDecided(new) => {
                let mut all = self.accounts.iter_mut().flat_map(|account| &mut account.requests);
                if let Some(request) = all.find(|request| request.seq == new.request) {
                    request.record(at, new);
                }
            }
            Event::Answered(answered) => self.answer(seq, answered.charge, StoredAnswer::in_entry(answered)),
            Event::AnsweredInFile(answered) => {
                self.answer(seq, answered.charge, StoredAnswer::in_file(answered, &self.folder.clone()));
            }
            Event::AnswerWithdrawn(AnswerWithdrawn { charges, reason }) => {
                for charge in charges {
                    let withdrawal = Withdrawal { seq, at, reason: reason.clone() };
                    if let Some(release) = self.release_mut(charge) {
                        release.withdrawn = Some(withdrawal);
                    }
                }
            }
            Event::EngineTried(tried) => self.trials.record(at, tried),
            Event::Drawing(drawing) => {
                for charge in &drawing.charges {
                    self.set_draw(*charge, Draw::Begun(seq));
                }
                self.drawings.insert(seq, drawing.charges);
            }
            Event::Drawn(drawn) => self.record_drawn(drawn.drawing, Numbers::in_entry(drawn)),
            Event::DrawnInFile(drawn) => {
                let folder = self.folder.clone();
                self.record_drawn(drawn.drawing, Numbers::in_file(drawn, &folder));
            }
            Event::ChargesClosed(closed) => {
                self.accepted.push(Acceptance { seq, at, reason: closed.reason });
                let releases = self.accounts.iter_mut().flat_map(|account| &mut account.releases);
                releases.filter(|release| release.is_open()).for_each(|release| release.draw = Draw::Closed);
            }
        }
    }
}

impl State {
    /// An answer uses the numbers of its identity, which may have been drawn for a charge of another part.
    fn answer(&mut self, seq: u64, charge: u64, stored: StoredAnswer) {
        let identity = self.release(charge).map(|release| release.query.identity.clone());
        let numbers = identity.and_then(|identity| self.drawn(&identity).map(|(numbers, _)| numbers.clone()));
        if let Some(release) = self.release_mut(charge) {
            release.answer = Some(stored);
            release.answered = Some(seq);
            release.numbers = numbers;
        }
    }

    fn release_mut(&mut self, charge: u64) -> Option<&mut Release> {
        let (account, place) = self.charges.get(&charge)?;
        self.accounts.get_mut(*account)?.releases.get_mut(*place)
    }

    fn set_draw(&mut self, charge: u64, draw: Draw) {
        if let Some(release) = self.release_mut(charge) {
            release.draw = draw;
        }
    }

    fn record_drawn(&mut self, drawing: u64, numbers: Numbers) {
        let numbers = Arc::new(numbers);
        for charge in self.drawings.remove(&drawing).unwrap_or_default() {
            if self.release(charge).is_some_and(|release| release.draw == Draw::Begun(drawing)) {
                self.set_draw(charge, Draw::Done(numbers.clone()));
            }
        }
    }

    fn change(&mut self, id: &AccountId, change: PromiseChange) {
        if let Some(account) = self.accounts.iter_mut().find(|known| known.id == *id) {
            account.guarantee = change.to.clone();
            account.changes.push(change);
        }
    }
}

fn check_change(account: &Account, from: &Guarantee, to: &Guarantee, well_stated: bool) -> Result<(), Contradiction> {
    if *from != account.guarantee || from == to || !well_stated {
        return Err(Contradiction::MisstatedChange);
    }
    // The charges bound the odds about smaller groups only (F-NIk).
    if to.group() > from.group() && !account.spent.is_nothing() {
        return Err(Contradiction::OverLimit);
    }
    if !account.parts.fit(to.limit())? {
        return Err(Contradiction::OverLimit);
    }
    account.losses_keep(to)?;
    within(&account.spent, to.limit())
}
