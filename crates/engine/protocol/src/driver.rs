//! The driver: it fixes the order of steps for every kind of release.

use crate::error::ProtocolError;
use crate::kind::{Kind, Origin, Payment};
use deniable_core::budget::Spend;
use deniable_core::exact::{Rational, whole};
use deniable_core::guarantee::Guarantee;
use deniable_ledger::numbers::MOST_NUMBERS;
use deniable_ledger::{
    Account, AccountId, Allowance, Charge, ChargeOutcome, ChargeRequest, Draw, Form, Ledger, Numbers, Part, Release,
    Size, SpentByVersion, StoredAnswer, Summary, VersionName, keep_but_for_chance,
};
use deniable_publication::remaining::share_left;
use rand_core::CryptoRng;
use serde::Deserialize as _;
use std::collections::{BTreeMap, BTreeSet};

/// Progress of a run. For the curator: timing depends on private rows.
#[derive(Debug)]
pub enum Event<'a> {
    /// A release was computed and is about to be stored.
    Storing(&'a str),
    /// A release has its answer.
    Answered(&'a str, Origin),
}

/// The outcome of a run: answers with the positions of their releases, and the releases without an answer.
pub struct RunOutcome<A, E> {
    /// The answers, in order.
    pub answers: Vec<(usize, A, Origin)>,
    /// The releases that are paid for and not answered, since the machine was exhausted. The same releases resume at no cost.
    pub exhausted: Vec<(usize, E)>,
}

/// The answers that a ledger contains to the releases of a run: free, and without reading the data.
///
/// # Errors
/// When a stored answer does not fit its release.
pub fn stored<K: Kind>(kind: &K, ledger: &Summary) -> Result<Vec<Option<K::Answer>>, K::Rejection> {
    let ledger = &ledger.seen_by(&kind.part());
    let mut answers: Vec<Option<K::Answer>> = vec![None; kind.releases()];
    for at in 0..kind.releases() {
        let Some(query) = kind.identity(at, &answers) else { continue };
        let payments = kind.price(at)?;
        let held = |payment: &Payment| {
            account(ledger, payment)?.release(&query.identity).filter(|release| release.answer.is_some())
        };
        // Only the answer to be shown is read. Every account must have paid and have its answer: an account without it
        // pays.
        if let Some(first) = payments.first().and_then(held)
            && payments.iter().all(|payment| held(payment).is_some())
        {
            let answer = parts::<K>(first).and_then(|(numbers, record)| kind.answer(at, &numbers, record));
            let broken = |reason| ProtocolError::Stored { release: kind.name(at), reason };
            answers[at] = Some(answer.map_err(broken)?);
        }
    }
    Ok(answers)
}

/// The numbers and the record of an answered charge.
fn parts<K: Kind>(release: &Release) -> Result<(Vec<i128>, K::Record), String> {
    let record = read_record::<K>(release.answer.as_ref().ok_or("it is not stored")?)?;
    let numbers = release.numbers.as_ref().ok_or("its numbers are missing; restore the ledger from a backup")?;
    Ok((read_numbers::<K>(numbers)?, record))
}

fn read_numbers<K: Kind>(numbers: &Numbers) -> Result<Vec<i128>, String> {
    ensure_known::<K>(numbers.form())?;
    numbers.read().map_err(|error| error.to_string())
}

fn read_record<K: Kind>(stored: &StoredAnswer) -> Result<K::Record, String> {
    ensure_known::<K>(stored.form())?;
    let json = stored.read().map_err(|error| error.to_string())?;
    K::Record::deserialize(json).map_err(|error| error.to_string())
}

/// Refuses forms other than that of this kind.
fn ensure_known<K: Kind>(form: &Form) -> Result<(), String> {
    if *form == K::FORM {
        return Ok(());
    }
    Err(format!("it has the form {form}, and this version knows {}; use a newer version of deniable", K::FORM))
}

/// Makes every release of a run, in order.
///
/// # Errors
/// When the data, the ledger or the budget do not allow it, before the first charge; later only when the ledger cannot
/// be written.
pub fn release<K: Kind, R: CryptoRng>(
    kind: &mut K,
    ledger: &mut Ledger,
    rng: &mut R,
    tell: &dyn Fn(Event<'_>),
) -> Result<RunOutcome<K::Answer, K::MachineError>, K::Rejection> {
    // An existing account must agree before anything else is checked. A new one is opened with the first charge: until
    // then no promise was made, and it may still change.
    for at in 0..kind.releases() {
        for payment in kind.price(at)? {
            let id = AccountId::of(&payment.guarantee);
            if ledger.summary().accounts.iter().any(|known| known.id.same_place(&id)) {
                ledger.open_account(&payment.guarantee).map_err(ProtocolError::from)?;
            }
        }
    }
    let part = kind.part();
    let mut answers = stored(kind, &ledger.summary())?;
    let was_stored: Vec<bool> = answers.iter().map(Option::is_some).collect();
    let pending: Vec<usize> = (0..kind.releases()).filter(|at| !was_stored[*at]).collect();
    let seen = ledger.summary().seen_by(&part);
    kind.admit(&seen)?;
    together(kind, &seen, Some(ledger), &pending, &answers)?;
    // An answer whose noise was drawn is computed from the stored numbers.
    let needs_data = |at: &usize| K::FINISHES_FROM_DATA || !is_drawn(kind, *at, &seen, &answers);
    let undrawn: Vec<usize> = pending.iter().copied().filter(needs_data).collect();
    kind.ready(ledger, &undrawn)?;
    fix_sizes(kind, ledger, &undrawn, &answers)?;
    let mut released = RunOutcome { answers: Vec::new(), exhausted: Vec::new() };
    for at in 0..kind.releases() {
        let name = kind.name(at);
        let (answer, origin) = if was_stored[at] {
            let Some(answer) = answers[at].clone() else { continue };
            (answer, Origin::Stored)
        } else {
            // A release that depends on a missing answer is skipped.
            let Some(query) = kind.identity(at, &answers) else { continue };
            match one(kind, at, &query, &answers, ledger, rng, tell)? {
                Ok(answered) => answered,
                // This release exhausted the machine; others may need less.
                Err(exhausted) => {
                    released.exhausted.push((at, exhausted));
                    continue;
                }
            }
        };
        tell(Event::Answered(&name, origin));
        answers[at] = Some(answer.clone());
        released.answers.push((at, answer, origin));
    }
    Ok(released)
}

/// Fixes the sizes of the first charges of accounts that promise but for a chance, before any of them.
fn fix_sizes<K: Kind>(
    kind: &K,
    ledger: &mut Ledger,
    pending: &[usize],
    answers: &[Option<K::Answer>],
) -> Result<(), K::Rejection> {
    // A reserved part was counted when it was set aside.
    if kind.part() != Part::Whole {
        return Ok(());
    }
    let mut by_account: Vec<(Guarantee, Vec<Size>)> = Vec::new();
    let mut identities = BTreeSet::new();
    for at in pending {
        let query = kind.identity(*at, answers);
        // The same release is charged once, however often it is requested.
        if query.as_ref().is_some_and(|query| !identities.insert(query.identity.clone())) {
            continue;
        }
        let coins = query.map(|query| query.coins).unwrap_or_default();
        for Payment { guarantee, cost, .. } in kind.price(*at)? {
            if guarantee.but_for_a_chance().is_none() || cost.is_nothing() {
                continue;
            }
            let size = Size { cost, coins: coins.clone() };
            match by_account.iter_mut().find(|(known, _)| *known == guarantee) {
                Some((_, sizes)) => sizes.push(size),
                None => by_account.push((guarantee, vec![size])),
            }
        }
    }
    for (guarantee, sizes) in by_account {
        ledger.open_account(&guarantee).map_err(ProtocolError::from)?;
        ledger.fix_sizes(&AccountId::of(&guarantee), sizes).map_err(ProtocolError::from)?;
    }
    Ok(())
}

/// Charges, computes, draws, stores and reads back one release.
#[expect(
    clippy::type_complexity,
    reason = "an answer and its origin, the machine's error, or the error that stops the run"
)]
fn one<K: Kind, R: CryptoRng>(
    kind: &mut K,
    at: usize,
    query: &Charge,
    answers: &[Option<K::Answer>],
    ledger: &mut Ledger,
    rng: &mut R,
    tell: &dyn Fn(Event<'_>),
) -> Result<Result<(K::Answer, Origin), K::MachineError>, K::Rejection> {
    let name = kind.name(at);
    let (charges, origin) = charge(kind, at, query, ledger)?;
    let broken = |reason: String| ProtocolError::Stored { release: name.clone(), reason };
    let text = |error: serde_json::Error| error.to_string();
    for charge in &charges {
        if let Some(stored) = ledger.release(charge.seq()).and_then(|release| release.answer.as_ref()) {
            ensure_known::<K>(stored.form()).map_err(broken)?;
        }
    }
    let answered = charges.iter().find(|charge| matches!(charge, ChargeOutcome::Answered { .. }));
    let (numbers, known) = match answered.and_then(|charge| ledger.release(charge.seq())) {
        Some(release) => {
            let (numbers, record) = parts::<K>(release).map_err(broken)?;
            (numbers, Some(record))
        }
        None => match numbers(kind, at, &charges, answers, ledger, rng, tell)? {
            Ok(numbers) => (numbers, None),
            Err(exhausted) => return Ok(Err(exhausted)),
        },
    };
    let mut shown = None;
    for (payer, charge) in charges.iter().enumerate() {
        if matches!(charge, ChargeOutcome::Answered { .. }) {
            continue;
        }
        let unfinished = |reason| ProtocolError::Finish { release: name.clone(), reason };
        let for_payer = |record: &K::Record| kind.for_payer(at, payer, &numbers, record);
        let own = match &known {
            Some(record) => for_payer(record).map_err(broken)?,
            None => kind.finish(at, payer, &numbers, answers).map_err(unfinished)?,
        };
        let own = serde_json::to_value(own).map_err(text).map_err(unfinished)?;
        // The record of another part is stored with this payer's names.
        let stored = ledger
            .store_answer_of_all(charge.seq(), &K::FORM, &own, &|elsewhere| {
                let record = for_payer(&K::Record::deserialize(elsewhere).map_err(text)?)?;
                serde_json::to_value(record).map_err(text)
            })
            .map_err(|error| ProtocolError::Answer { release: name.clone(), error })?;
        // The stored answer is shown, even if another process was faster.
        if payer == 0 {
            shown = Some(K::Record::deserialize(stored).map_err(text).map_err(broken)?);
        }
    }
    let record = shown.or(known).ok_or_else(|| broken("it is not stored".to_owned()))?;
    let answer = kind.answer(at, &numbers, record).map_err(broken)?;
    Ok(Ok((answer, origin)))
}

/// The noisy numbers of a release: stored, or drawn now, once for every charge of its identity (P-1).
fn numbers<K: Kind, R: CryptoRng>(
    kind: &mut K,
    at: usize,
    charges: &[ChargeOutcome],
    answers: &[Option<K::Answer>],
    ledger: &mut Ledger,
    rng: &mut R,
    tell: &dyn Fn(Event<'_>),
) -> Result<Result<Vec<i128>, K::MachineError>, K::Rejection> {
    let name = kind.name(at);
    let drawn = charges.iter().find_map(|charge| match charge {
        ChargeOutcome::Drawn { numbers, .. } => Some(numbers.clone()),
        ChargeOutcome::New { .. } | ChargeOutcome::Resumed { .. } | ChargeOutcome::Answered { .. } => None,
    });
    let stored = match (drawn, charges.first()) {
        (Some(numbers), _) => numbers,
        (None, Some(first)) => {
            let exact = match kind.compute(at, answers, ledger.key()) {
                Ok(exact) => exact,
                Err(exhausted) => return Ok(Err(exhausted)),
            };
            tell(Event::Storing(&name));
            let count = kind.numbers(at);
            let drawn = ledger.draw(first.seq(), &K::FORM, count, || kind.draw(at, exact, rng));
            match drawn.map_err(|error| ProtocolError::Draw { release: name.clone(), error })? {
                Ok(numbers) => numbers,
                Err(exhausted) => return Ok(Err(exhausted)),
            }
        }
        (None, None) => return Ok(Ok(Vec::new())),
    };
    let broken = |reason: String| ProtocolError::Stored { release: name.clone(), reason };
    let numbers = read_numbers::<K>(&stored).map_err(broken)?;
    if numbers.len() != kind.numbers(at) {
        return Err(broken("the count of numbers differs from that of the query".to_owned()).into());
    }
    Ok(Ok(numbers))
}

/// Whether the noise of a release was drawn for an earlier charge of its first payer.
fn is_drawn<K: Kind>(kind: &K, at: usize, ledger: &Summary, answers: &[Option<K::Answer>]) -> bool {
    let Some((query, payments)) = kind.identity(at, answers).zip(kind.price(at).ok()) else { return false };
    let release = payments.first().and_then(|payment| account(ledger, payment)?.release(&query.identity));
    release.is_some_and(|release| matches!(release.draw, Draw::Done(_)))
}

/// Charges every account that pays, in one act: no other process opens or charges an account between them.
fn charge<K: Kind>(
    kind: &K,
    at: usize,
    query: &Charge,
    ledger: &mut Ledger,
) -> Result<(Vec<ChargeOutcome>, Origin), K::Rejection> {
    let charged = ledger.locked(|ledger| charge_all(kind, at, query, ledger));
    charged.map_err(|error| ProtocolError::Charge { release: kind.name(at), error: error.into() })?
}

fn charge_all<K: Kind>(
    kind: &K,
    at: usize,
    query: &Charge,
    ledger: &mut Ledger,
) -> Result<(Vec<ChargeOutcome>, Origin), K::Rejection> {
    kind.agree(ledger)?;
    let mut charges = Vec::new();
    let mut origin = Origin::Stored;
    let basis = kind.basis(at, ledger);
    for Payment { guarantee, cost, own_limit, version_limit } in kind.price(at)? {
        ledger.open_account(&guarantee).map_err(ProtocolError::from)?;
        let request = ChargeRequest {
            account: AccountId::of(&guarantee),
            policy: kind.asker().to_owned(),
            policy_limit: own_limit,
            version_limit,
            query: query.clone(),
            cost,
            part: kind.part(),
            basis: basis.clone(),
        };
        let charge =
            ledger.charge(&request).map_err(|error| ProtocolError::Charge { release: kind.name(at), error })?;
        origin = match (&charge, origin) {
            (ChargeOutcome::New { .. }, _) | (_, Origin::Charged) => Origin::Charged,
            (ChargeOutcome::Resumed { .. } | ChargeOutcome::Drawn { .. }, _) | (_, Origin::Resumed) => Origin::Resumed,
            (ChargeOutcome::Answered { .. }, Origin::Stored) => Origin::Stored,
        };
        charges.push(charge);
    }
    Ok((charges, origin))
}

fn account<'a>(ledger: &'a Summary, payment: &Payment) -> Option<&'a Account> {
    let id = AccountId::of(&payment.guarantee);
    ledger.accounts.iter().find(|known| known.id == id)
}

/// The allowances of a payer for an account, as the payer sees it. An account that is not open yet has no parts.
fn allowances(account: Option<&Account>, payment: &Payment, part: &Part) -> Vec<Allowance> {
    match (account, part) {
        (Some(account), _) => account.allowances(),
        (None, Part::Whole) => {
            vec![Allowance::unspent(payment.guarantee.limit().clone())]
        }
        (None, Part::Named(_)) => vec![Allowance::unspent(Spend::nothing())],
    }
}

/// A limit for the pending releases of an account, with the odds spent under it and the cost of these releases.
struct Line {
    spent: Spend,
    limit: Spend,
    cost: Spend,
    /// The odds spent with these releases: `spent · cost`, or less where they read versions that share no entity (C-9).
    after: Spend,
    limited: Limited,
}

/// The subject of a limit.
#[derive(Clone)]
enum Limited {
    /// In words.
    Words(String),
    /// A version, with its share.
    Version(VersionName, Rational),
}

/// The costs of the pending releases for an account, with its limits.
struct Bill {
    payment: Payment,
    cost: Spend,
    /// The versions that each release reads, and its cost.
    charges: Vec<(Vec<VersionName>, Spend)>,
    /// The costs of the releases that read a version, with the share that the version may use.
    by_version: BTreeMap<VersionName, (Rational, Spend)>,
    /// The identities counted so far: the same release is paid once, however often it is requested.
    identities: BTreeSet<String>,
    /// The size of each release.
    sizes: Vec<Size>,
}

/// Checks that the remaining budget pays for the releases without a stored answer.
///
/// # Errors
/// When it does not suffice, or a stored answer does not fit its release.
pub fn fits<K: Kind>(kind: &K, ledger: &Summary) -> Result<(), K::Rejection> {
    let answers = stored(kind, ledger)?;
    let pending: Vec<usize> = (0..kind.releases()).filter(|at| answers[*at].is_none()).collect();
    together(kind, &ledger.seen_by(&kind.part()), None, &pending, &answers)
}

/// Fails before the first charge when the releases to be paid together exceed a limit. With the open ledger, charges on
/// another basis than the current one do not pay.
fn together<K: Kind>(
    kind: &K,
    ledger: &Summary,
    open: Option<&Ledger>,
    pending: &[usize],
    answers: &[Option<K::Answer>],
) -> Result<(), K::Rejection> {
    let mut bills: Vec<(AccountId, Bill)> = Vec::new();
    for at in pending {
        let numbers = kind.numbers(*at);
        if numbers > MOST_NUMBERS {
            return Err(ProtocolError::TooManyNumbers { release: kind.name(*at), numbers }.into());
        }
        let query = kind.identity(*at, answers);
        let basis = open.map(|open| kind.basis(*at, open));
        for payment in kind.price(*at)? {
            let id = AccountId::of(&payment.guarantee);
            // A release with an unknown identity is counted: it depends on one that is not paid.
            let identity = query.as_ref().map(|query| query.identity.clone());
            let paid = account(ledger, &payment).zip(identity.as_deref());
            if paid.is_some_and(|(account, identity)| account.is_paid(identity, basis.as_deref(), &payment.cost)) {
                continue;
            }
            let place = bills.iter().position(|(known, _)| *known == id).unwrap_or_else(|| {
                let (cost, charges) = (Spend::nothing(), Vec::new());
                let (by_version, identities) = (BTreeMap::new(), BTreeSet::new());
                let sizes = Vec::new();
                bills.push((id, Bill { payment: payment.clone(), cost, charges, by_version, identities, sizes }));
                bills.len() - 1
            });
            let bill = &mut bills[place].1;
            if identity.is_none_or(|identity| bill.identities.insert(identity)) {
                bill.cost = bill.cost.and(&payment.cost);
                let coins = query.as_ref().map(|query| query.coins.clone()).unwrap_or_default();
                bill.sizes.push(Size { cost: payment.cost.clone(), coins });
                let read = query.as_ref().map(Charge::versions).unwrap_or_default();
                bill.charges.push((read, payment.cost.clone()));
                let versions = payment.version_limit.iter().flat_map(|by| by.versions.iter().map(move |one| (by, one)));
                for (by, version) in versions {
                    let nothing = || (by.share.clone(), Spend::nothing());
                    let (_, cost) = bill.by_version.entry(version.clone()).or_insert_with(nothing);
                    *cost = cost.and(&payment.cost);
                }
            }
        }
    }
    let several = bills.len() > 1;
    for (id, Bill { payment, cost, charges, by_version, sizes, .. }) in &bills {
        let Payment { guarantee, own_limit, .. } = payment;
        let account = account(ledger, payment);
        keep_but_for_chance(account, guarantee, sizes.clone()).map_err(ProtocolError::from)?;
        let own = account.map(|account| account.spent_by(kind.asker())).unwrap_or_default();
        // What these releases multiply, where all of them read the same versions; and the odds with them.
        let counted = |spent: &SpentByVersion| {
            let read = charges.first().filter(|(first, _)| charges.iter().all(|(read, _)| read == first));
            let before = read.map_or_else(|| spent.total().clone(), |(read, _)| spent.before(read));
            let charged = charges.iter().map(|(read, cost)| (read.as_slice(), cost));
            (before, spent.and(charged).total().clone())
        };
        let whose = if several { id.to_string() } else { "this population's promise".to_owned() };
        let allowances = allowances(account, payment, &kind.part());
        let allowed = allowances.iter().enumerate().map(|(at, Allowance { limit, by_version, .. })| {
            let which = match kind.part() {
                Part::Named(_) if at == 0 => "the part of the promise that is set aside for you".to_owned(),
                _ if account.is_some_and(|account| account.unreserved_share() < whole(1)) => {
                    format!("the unreserved part of {whose}")
                }
                _ => whose.clone(),
            };
            let (spent, after) = counted(by_version);
            let part = charges.first().and_then(|(read, _)| by_version.part(read));
            let which = match part.zip(by_version.before_next()) {
                Some((part, next)) => {
                    let left = share_left(&next, limit, guarantee.limit()).unwrap_or_default();
                    format!(
                        "{which}, for version \"{part}\" beside the largest other version (for the next one, {left} of the \
                         promise is left),"
                    )
                }
                None => which,
            };
            Line { spent, limit: limit.clone(), cost: cost.clone(), after, limited: Limited::Words(which) }
        });
        let mut lines: Vec<Line> = allowed.collect();
        for allowance in &allowances {
            lines.extend(by_version.iter().map(|(version, (share, cost))| {
                let Allowance { spent, limit, .. } = allowance.on_version(version, share);
                let limited = Limited::Version(version.clone(), share.clone());
                Line { after: spent.and(cost), spent, limit, cost: cost.clone(), limited }
            }));
        }
        let spend = Limited::Words("this policy's spend".to_owned());
        let (spent, after) = counted(&own);
        lines.push(Line { spent, limit: own_limit.clone(), cost: cost.clone(), after, limited: spend });
        for (at, Line { spent, limit, cost, after, limited }) in lines.iter().enumerate() {
            if after.fits(limit).map_err(ProtocolError::from)? {
                continue;
            }
            // A fitting share must fit all limits.
            let smallest = |lines: &[Line]| {
                let shares = lines.iter().map(|line| share_left(&line.spent, &line.limit, guarantee.limit()));
                shares.collect::<Option<Vec<_>>>().and_then(|shares| shares.into_iter().min())
            };
            let fits = smallest(&lines);
            // The policy's own spend is the last limit, and the limits before it allow the query.
            let beyond_spend = if at + 1 == lines.len() { smallest(&lines[..at]) } else { None };
            let (cost, spent, limit) = (cost.clone(), spent.clone(), limit.clone());
            return Err(match limited.clone() {
                Limited::Words(which) => ProtocolError::OverBudget { cost, spent, limit, which, fits, beyond_spend },
                Limited::Version(version, share) => {
                    ProtocolError::OverVersion { version: version.into(), share, cost, spent, limit, fits }
                }
            }
            .into());
        }
    }
    Ok(())
}
