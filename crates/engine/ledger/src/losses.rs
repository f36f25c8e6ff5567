//! The promise of an account that holds but for a chance: the sizes of all its charges (C-11, C-12).
//!
//! Sizes that one entry fixes before the first charge of an account are composed as coins tossed beforehand: whichever
//! of them is used counts, and so do those that are not. Every other size may have been chosen after an answer was read,
//! and is charged to a filter. Which of the two a charge is follows from the ledger alone: it takes the first unused
//! fixed size that equals its own, or else the first that is one coin of its whole cost, which dominates every answer
//! of that cost.
//!
//! A reserved part of the budget (C-7) is one more chosen size, used from the beginning: that of a number of equal
//! answers. What is charged to it goes through a filter of its own, which holds no more than theirs, so that refusals
//! follow from the owner's charges alone.

use crate::accounts::Account;
use crate::entry::{AccountId, Event, SizesFixed};
use crate::ledger::Ledger;
use crate::parts::{SetAside, Sharing};
use crate::store::StoreError;
use deniable_core::budget::{Spend, SpendError};
use deniable_core::exact::{Fraction, Rational, Rounding, decimal, ratio, whole};
use deniable_core::guarantee::{ButFor, Guarantee};
use deniable_core::loss::filter::{most_rho_lower, rho_upper};
use deniable_core::loss::{Chance, Coins, Filter, Lattice, LossAccount, LossError};
use deniable_core::words;
use num_traits::Zero;
use serde::{Deserialize, Serialize};

/// Equal coins that are part of those which dominate an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CoinsOfCost {
    /// Their number, at least 1.
    pub count: u32,
    /// The power of the answer's cost that is the odds of each, above 0.
    pub part: Fraction,
}

impl CoinsOfCost {
    /// Coins whose exponents are powers of the cost.
    #[must_use]
    pub fn of(coins: &Coins) -> Self {
        Self { count: coins.count(), part: Fraction(coins.exponent().clone()) }
    }

    /// Whether these coins are valid, and keep for certain no less than the cost: fewer are not stored.
    pub(crate) fn are_valid(coins: &[Self]) -> bool {
        let total = coins.iter().fold(Rational::zero(), |sum, coins| sum + &coins.part.0 * whole(coins.count));
        coins.is_empty()
            || (coins.iter().all(|one| one.count > 0 && one.part.0 > Rational::zero()) && total >= whole(1))
    }
}

/// The size of an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Size {
    /// The odds ratio that it costs.
    pub cost: Spend,
    /// The coins that dominate it; none for one coin of the whole cost.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub coins: Vec<CoinsOfCost>,
}

/// Equal sizes that were fixed before the first charge of an account. They count whether they are used or not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FixedSize {
    /// The odds ratio that each costs.
    pub cost: Spend,
    /// The number of answers of this size.
    pub count: u32,
    /// How many of them no charge has used.
    pub unused: u32,
}

/// Sizes with their numbers.
type SizeCounts = Vec<(Size, u32)>;

/// Adds a number of equal sizes.
fn count(all: &mut SizeCounts, size: Size, times: u32) {
    match all.iter_mut().find(|(known, count)| *known == size && count.checked_add(times).is_some()) {
        Some((_, count)) => *count += times,
        None => all.push((size, times)),
    }
}

impl Size {
    /// The coins of this many answers on a lattice, and the power of its promise that they keep for certain.
    fn on(&self, lattice: &Lattice, times: u32) -> Result<(Vec<Coins>, Rational), SizeError> {
        let share = lattice.exponent_upper(&self.cost);
        let one = [CoinsOfCost { count: 1, part: Fraction(whole(1)) }];
        let own = if self.coins.is_empty() { one.as_slice() } else { &self.coins };
        let coins = own.iter().map(|CoinsOfCost { count, part }| {
            let exponent = lattice.exponent_upper(&self.cost.share(&part.0)?);
            // Merged coins dominate more coins than are counted.
            Ok(match count.checked_mul(times) {
                Some(count) => Coins::new(count, exponent)?,
                None => Coins::new(*count, exponent * whole(times))?,
            })
        });
        Ok((coins.collect::<Result<Vec<Coins>, SizeError>>()?, share * whole(times)))
    }
}

/// A reserved part of an account under a promise but for a chance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ReservedPart {
    /// The share of ln R.
    pub(crate) share: Rational,
    /// The number of equal answers, together of this share, which give as much as all of its charges may.
    pub(crate) answers: u32,
}

impl ReservedPart {
    fn size(&self, promise: &Spend) -> Result<Size, SpendError> {
        let coins = CoinsOfCost { count: self.answers, part: Fraction(whole(1) / whole(self.answers)) };
        Ok(Size { cost: promise.share(&self.share)?, coins: vec![coins] })
    }

    /// `ρ` of all these answers, in multiples of `(ln R)²`, rounded up.
    pub(crate) fn rho(&self, promise: &Spend) -> Rational {
        rho_upper(promise, &(&self.share / whole(self.answers))) * whole(self.answers)
    }

    /// The part of this share that takes the same share of the filter, in as few answers as possible.
    pub(crate) fn of_share(share: &Rational, guarantee: &Guarantee, but_for: &ButFor) -> Result<Self, SizeError> {
        let (allowed, chance) = limits_of_chosen(but_for)?;
        let promise = guarantee.limit();
        let most = chance.map(|chance| most_rho_lower(promise, &allowed.odds_at_least(), &chance));
        let most = share * most.unwrap_or_else(Rational::zero);
        let part = |answers| Self { share: share.clone(), answers };
        let fits = |answers| part(answers).rho(promise) <= most;
        // More answers have less ρ.
        let (mut too_few, mut enough) = (0, 1);
        while enough < MOST_ANSWERS && !fits(enough) {
            (too_few, enough) = (enough, (2 * enough).min(MOST_ANSWERS));
        }
        while too_few + 1 < enough {
            let middle = u32::midpoint(too_few, enough);
            if fits(middle) { enough = middle } else { too_few = middle }
        }
        Ok(part(enough))
    }
}

/// Decimal places of odds.
pub const ODDS_PLACES: u32 = 3;

/// The most answers that a reserved part is divided into.
pub(crate) const MOST_ANSWERS: u32 = 1_000_000;

/// The odds of charges together under a promise but for a chance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reading {
    /// At least the odds that they can give but for the chance; `None` where there is no bound.
    pub odds: Option<Rational>,
    /// The odds that are allowed: those of the promise, and a little less once a size was chosen.
    pub allowed: Spend,
    /// Whether they are within these.
    pub keeps: bool,
}

impl Reading {
    /// The odds and the allowed odds with this many decimal places: the odds rounded up, and `None` where there is no
    /// bound; the allowed odds rounded down, but not below odds that are within them.
    #[must_use]
    pub fn decimals(&self, places: u32) -> (Option<String>, String) {
        let shown = self.odds.as_ref().map(|odds| decimal(odds, places, Rounding::Up));
        let allowed = self.allowed.odds_at_least();
        let allowed = match &shown {
            Some(shown) if self.keeps && self.odds >= Some(allowed.clone()) => shown.clone(),
            _ => decimal(&allowed, places, Rounding::Down),
        };
        (shown, allowed)
    }

    /// In one line, for the promise that is read.
    #[must_use]
    pub fn in_words(&self, but_for: &ButFor) -> String {
        let (odds, allowed) = self.decimals(ODDS_PLACES);
        let odds = odds.unwrap_or_else(|| "any size".to_owned());
        format!("but for {}: odds of {odds} are counted, of {allowed} allowed", words::chance(but_for.chance()))
    }
}

/// A size that is not one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SizeError {
    /// Its coins.
    #[error(transparent)]
    Loss(#[from] LossError),
    /// Its cost.
    #[error(transparent)]
    Spend(#[from] SpendError),
}

/// Charges that the promise but for a chance does not allow.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OverChance {
    /// They could give larger odds.
    #[error(
        "with this, all answers together could give an odds ratio of {} but for {}, and the promise but for that chance \
         allows {}",
        .odds.as_ref().map_or_else(|| "any size".to_owned(), |odds| decimal(odds, ODDS_PLACES, Rounding::Up)),
        words::chance(.chance),
        .limit.in_words()
    )]
    Odds {
        /// At least the odds that all answers together could give; `None` where there is no bound.
        odds: Option<Rational>,
        /// The chance of the promise.
        chance: Chance,
        /// The largest odds ratio that keeps the promise.
        limit: Spend,
    },
    /// A promise that may follow from what was read.
    #[error(
        "what holds but for a chance cannot be promised, or promised more strictly, after a query that was not fixed \
         beforehand was charged: the promise could follow from its answer"
    )]
    Later,
    /// The charges of a reserved part could give larger odds than it may.
    #[error(
        "with this, the answers from this part of the promise could give an odds ratio of {} but for {}, and {} is set aside",
        .odds.as_ref().map_or_else(|| "any size".to_owned(), |odds| decimal(odds, ODDS_PLACES, Rounding::Up)),
        words::chance(.chance),
        decimal(&.limit.odds_at_least(), ODDS_PLACES, Rounding::Down)
    )]
    Part {
        /// At least the odds that the part's answers could give; `None` where there is no bound.
        odds: Option<Rational>,
        /// The chance of the promise.
        chance: Chance,
        /// The largest odds ratio of the part.
        limit: Spend,
    },
    /// A size that is not one.
    #[error(transparent)]
    Size(#[from] SizeError),
}

/// The sizes of the charges of an account's unreserved share, or of a reserved part.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Losses {
    /// The sizes that were fixed before the first charge.
    fixed: SizeCounts,
    /// Those that no charge has used.
    unused: SizeCounts,
    /// The sizes of all other charges.
    chosen: SizeCounts,
    /// The reserved parts beside the unreserved share: each counts whether it is used or not.
    reserved: Vec<ReservedPart>,
    /// Whether a reserved part was charged: its answer may have been read, and no size is fixed beforehand any more.
    is_asked_elsewhere: bool,
    /// The reserved part that these charges are of.
    part: Option<ReservedPart>,
}

/// The odds that are allowed once a size was chosen, and the chance with which a filter keeps them (B-8).
fn limits_of_chosen(but_for: &ButFor) -> Result<(Spend, Option<Chance>), SizeError> {
    let allowed = but_for.limit().share(&ratio(49, 50))?;
    let part = whole(1) - allowed.odds_at_most() / but_for.limit().odds_at_least();
    let chance = Chance::new(but_for.event_chance().value() * part).ok();
    Ok((allowed, chance))
}

impl Losses {
    /// No charges of a reserved part.
    pub(crate) fn of_part(part: ReservedPart) -> Self {
        Self { part: Some(part), ..Self::default() }
    }

    /// Changes the size of the reserved part that these charges are of.
    pub(crate) fn resize(&mut self, part: ReservedPart) {
        self.part = Some(part);
    }

    /// Changes the reserved parts beside the unreserved share.
    pub(crate) fn reserve(&mut self, parts: Vec<ReservedPart>) {
        self.reserved = parts;
    }

    /// These for the owner of an overlapping part, whose sizes are never fixed beforehand.
    pub(crate) fn of_chosen(&self) -> Self {
        Self { is_asked_elsewhere: true, ..self.clone() }
    }

    /// Records that a reserved part was charged.
    pub(crate) fn asked_elsewhere(&mut self) {
        self.is_asked_elsewhere = true;
    }

    /// Records a charge.
    pub(crate) fn record(&mut self, size: Size) {
        match self.place_of(&size).and_then(|at| self.unused.get_mut(at)) {
            Some((_, count)) => *count -= 1,
            None => count(&mut self.chosen, size, 1),
        }
    }

    /// Records a number of equal charges.
    fn record_times(&mut self, size: &Size, mut times: u32) {
        while times > 0 && self.has_unused(size) {
            self.record(size.clone());
            times -= 1;
        }
        if times > 0 {
            count(&mut self.chosen, size.clone(), times);
        }
    }

    /// The unused fixed size that a charge of this size uses.
    fn place_of(&self, size: &Size) -> Option<usize> {
        let place =
            |fits: &dyn Fn(&Size) -> bool| self.unused.iter().position(|(known, count)| *count > 0 && fits(known));
        place(&|known| known == size).or_else(|| place(&|known| known.coins.is_empty() && known.cost == size.cost))
    }

    /// Whether a charge of this size would use a fixed one, so that it changes no odds.
    fn has_unused(&self, size: &Size) -> bool {
        self.place_of(size).is_some()
    }

    pub(crate) fn fix(&mut self, sizes: Vec<Size>) {
        sizes.into_iter().for_each(|size| count(&mut self.fixed, size, 1));
        self.unused.clone_from(&self.fixed);
    }

    /// The fixed sizes: the cost of each, the number of answers of it, and how many of them no charge has used.
    fn fixed(&self) -> impl Iterator<Item = FixedSize> {
        // `unused` begins as a copy, and only its numbers change.
        self.fixed.iter().zip(&self.unused).map(|((size, count), (_, unused))| FixedSize {
            cost: size.cost.clone(),
            count: *count,
            unused: *unused,
        })
    }

    /// Whether sizes may be fixed: none were, and no answer may have been read.
    pub(crate) fn are_open(&self) -> bool {
        self.fixed.is_empty() && self.part.is_none() && !self.has_chosen()
    }

    /// The odds that all charges keep for certain, those that reserved parts may still have included.
    fn surely(&self, guarantee: &Guarantee) -> Result<Spend, SpendError> {
        let charged = self.fixed.iter().chain(&self.chosen).map(|(size, times)| size.cost.share(&whole(*times)));
        let reserved = self.reserved.iter().map(|part| guarantee.limit().share(&part.share));
        charged.chain(reserved).try_fold(Spend::nothing(), |all, one| Ok(all.and(&one?)))
    }

    fn account(&self, promise: &Spend) -> Result<LossAccount, SizeError> {
        let lattice = Lattice::new(promise)?;
        let mut account = LossAccount::on(lattice.clone())?;
        for (size, times) in &self.fixed {
            let (coins, share) = size.on(&lattice, *times)?;
            account.charge_fixed(&coins, &share)?;
        }
        for (size, times) in &self.chosen {
            let (coins, share) = size.on(&lattice, *times)?;
            account.charge_chosen(&coins, &share)?;
        }
        for part in &self.reserved {
            let (coins, share) = part.size(promise)?.on(&lattice, 1)?;
            account.charge_chosen(&coins, &share)?;
        }
        Ok(account)
    }

    /// The filter of a reserved part's charges, and the one that it may reach.
    fn filters(&self, part: &ReservedPart, guarantee: &Guarantee) -> Result<(Filter, Filter), SizeError> {
        let lattice = Lattice::new(guarantee.limit())?;
        let (mut spent, mut most) = (Filter::new(guarantee.limit())?, Filter::new(guarantee.limit())?);
        part.size(guarantee.limit())?.on(&lattice, 1)?.0.iter().for_each(|coins| most.charge(coins));
        for (size, times) in &self.chosen {
            size.on(&lattice, *times)?.0.iter().for_each(|coins| spent.charge(coins));
        }
        Ok((spent, most))
    }

    /// The odds of a reserved part's charges by its filter, beside those that the filter may reach: neither is above those
    /// that the part keeps for certain.
    fn reading_of(&self, part: &ReservedPart, guarantee: &Guarantee, but_for: &ButFor) -> Result<Reading, SizeError> {
        let ((spent, most), chance) = (self.filters(part, guarantee)?, but_for.event_chance());
        let keeps = spent.rho() <= most.rho();
        let surely = guarantee.limit().share(&part.share)?;
        let shown = |filter: &Filter| {
            // Exactly 1 without a charge, which an enclosure rounds up.
            if filter.is_empty() { Some(whole(1)) } else { filter.odds_but_for(&chance) }
        };
        let allowed = match shown(&most) {
            // Few digits: it is for readers.
            Some(odds) if odds < surely.odds_at_least() => {
                let units = whole(1_000_000_000);
                Spend::odds((odds * &units).floor() / units)?
            }
            _ => surely.clone(),
        };
        let odds = shown(&spent).map(|odds| if keeps { odds.min(surely.odds_at_most()) } else { odds });
        Ok(Reading { odds, allowed, keeps })
    }

    /// The odds of all charges under a promise but for a chance, beside those that are allowed.
    ///
    /// While all sizes are fixed they do not depend on answers, and the smallest bound counts: the odds for
    /// certain, or those of the distribution. Once a size was chosen, some paths may end at the odds for certain and others
    /// at the filter. Both keep odds of `R″ = R′^(49/50)` but for a hockey stick of `δ·(1 − R″/R′)`, so all together keep
    /// `R′` but for δ (B-8).
    pub(crate) fn reading(&self, guarantee: &Guarantee, but_for: &ButFor) -> Result<Reading, SizeError> {
        if let Some(part) = &self.part {
            return self.reading_of(part, guarantee, but_for);
        }
        let (surely, chance) = (self.surely(guarantee)?, but_for.event_chance());
        let are_fixed = self.chosen.is_empty() && self.reserved.is_empty();
        let (allowed, chance) = match are_fixed {
            true => (but_for.limit().clone(), Some(chance)),
            false => limits_of_chosen(but_for)?,
        };
        if surely.fits(&allowed)? {
            return Ok(Reading { odds: Some(surely.odds_at_most()), allowed, keeps: true });
        }
        let account = self.account(guarantee.limit())?;
        let odds = chance.and_then(|chance| match are_fixed {
            true => account.odds_but_for(&chance),
            false => account.odds_of_chosen(&chance),
        });
        let keeps = odds.as_ref().is_some_and(|odds| *odds <= allowed.odds_at_least());
        Ok(Reading { odds, allowed, keeps })
    }

    /// Whether a further charge of this size keeps the guarantee's promise but for a chance, if it has one.
    pub(crate) fn allow(&self, size: Size, guarantee: &Guarantee) -> Result<(), OverChance> {
        if self.has_unused(&size) { Ok(()) } else { self.and([size]).keep(guarantee) }
    }

    /// Whether all charges keep the guarantee's promise but for a chance, if it has one.
    pub(crate) fn keep(&self, guarantee: &Guarantee) -> Result<(), OverChance> {
        let Some(but_for) = guarantee.but_for_a_chance() else { return Ok(()) };
        if let Some(part) = &self.part {
            let (spent, most) = self.filters(part, guarantee)?;
            if spent.rho() <= most.rho() {
                return Ok(());
            }
        }
        let Reading { odds, allowed, keeps } = self.reading(guarantee, but_for)?;
        if keeps {
            return Ok(());
        }
        let (chance, limit) = (but_for.chance().clone(), allowed);
        Err(match self.part {
            Some(_) => OverChance::Part { odds, chance, limit },
            None => OverChance::Odds { odds, chance, limit },
        })
    }

    /// Whether a size was chosen after an answer may have been read.
    pub(crate) fn has_chosen(&self) -> bool {
        !self.chosen.is_empty() || self.is_asked_elsewhere
    }

    /// These with further charges.
    pub(crate) fn and(&self, sizes: impl IntoIterator<Item = Size>) -> Self {
        let mut all = self.clone();
        sizes.into_iter().for_each(|size| all.record(size));
        all
    }
}

/// The charges of an account and further ones of one run, which are fixed beforehand if they are its first.
fn after(account: Option<&Account>, sizes: Vec<Size>) -> Losses {
    let mut losses = account.map(|account| account.losses.clone()).unwrap_or_default();
    if losses.are_open() {
        losses.fix(sizes);
        losses
    } else {
        losses.and(sizes)
    }
}

/// The odds of the charges of an account and further ones of one run under a promise but for a chance; `None` if the
/// guarantee has none.
///
/// # Errors
/// When a size is not one.
pub fn read_but_for_chance(
    account: Option<&Account>,
    guarantee: &Guarantee,
    sizes: Vec<Size>,
) -> Result<Option<Reading>, SizeError> {
    guarantee.but_for_a_chance().map(|but_for| after(account, sizes).reading(guarantee, but_for)).transpose()
}

/// Whether charges of these sizes, in one run, keep a guarantee's promise but for a chance after those of its account;
/// `None` for an account that is not open yet. As the first charges of an account they are fixed beforehand.
///
/// # Errors
/// When they do not.
pub fn keep_but_for_chance(
    account: Option<&Account>,
    guarantee: &Guarantee,
    sizes: Vec<Size>,
) -> Result<(), OverChance> {
    after(account, sizes).keep(guarantee)
}

/// How many of at most `most` further charges of a size keep the promise but for a chance, if there is one, after those of
/// an account, by the guarantee of the account; before it is opened by the given one. More than 1,000 are not counted.
#[must_use]
pub fn further_but_for_chance(account: Option<&Account>, guarantee: &Guarantee, size: &Size, most: u64) -> u64 {
    const COUNTED_CHARGES: u64 = 1_000;
    let guarantee = account.map_or(guarantee, |account| &account.guarantee);
    if guarantee.but_for_a_chance().is_none() {
        return most;
    }
    let losses = account.map(|account| account.losses.clone()).unwrap_or_default();
    let keep = |count: u64| {
        let mut all = losses.clone();
        all.record_times(size, u32::try_from(count).unwrap_or(u32::MAX));
        all.keep(guarantee).is_ok()
    };
    // Odds grow with the number of charges.
    let (mut low, mut high) = (0, most.min(COUNTED_CHARGES) + 1);
    while low + 1 < high {
        let middle = u64::midpoint(low, high);
        if keep(middle) { low = middle } else { high = middle }
    }
    low
}

/// At least the odds that answers of sizes that are fixed beforehand give but for a chance, below a promise of these odds
/// (C-11); `None` where there is no bound.
///
/// # Errors
/// When a size is not one.
pub fn odds_of_fixed_sizes(promise: &Spend, sizes: Vec<Size>, chance: &Chance) -> Result<Option<Rational>, SizeError> {
    let mut losses = Losses::default();
    losses.fix(sizes);
    Ok(losses.account(promise)?.odds_but_for(chance))
}

impl Account {
    /// The promise of the guarantee that holds but for a chance, with the odds of all charges under it; `None` without one.
    ///
    /// # Errors
    /// Never for charges that a ledger holds.
    pub fn but_for_chance(&self) -> Result<Option<(&ButFor, Reading)>, SizeError> {
        let Some(but_for) = self.guarantee.but_for_a_chance() else { return Ok(None) };
        Ok(Some((but_for, self.losses.reading(&self.guarantee, but_for)?)))
    }

    /// The odds of a reserved part's charges under the promise that holds but for a chance; `None` without such a promise,
    /// and for parts that are not reserved.
    ///
    /// # Errors
    /// Never for charges that a ledger holds.
    pub fn part_but_for_chance(&self, part: &SetAside) -> Result<Option<(&ButFor, Reading)>, SizeError> {
        match self.guarantee.but_for_a_chance() {
            Some(but_for) if part.sharing == Sharing::Reserved => {
                Ok(Some((but_for, part.losses.reading(&self.guarantee, but_for)?)))
            }
            _ => Ok(None),
        }
    }

    /// The sizes that were fixed before the first charge, for a promise but for a chance.
    #[must_use]
    pub fn fixed_sizes(&self) -> Vec<FixedSize> {
        self.losses.fixed().collect()
    }
}

/// Sizes that were not fixed.
#[derive(Debug, thiserror::Error)]
pub enum FixError {
    /// The file.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The promise does not allow them.
    #[error(transparent)]
    Over(#[from] OverChance),
}

impl Ledger {
    /// Fixes the sizes of the first charges of an account whose guarantee holds but for a chance, and returns true. Does
    /// nothing and returns false for other guarantees, without sizes, where sizes were fixed or charged before, and in a
    /// ledger that continues an older copy: later sizes are chosen ones.
    ///
    /// # Errors
    /// When answers of these sizes together would not keep the promise.
    pub fn fix_sizes(&mut self, account: &AccountId, sizes: Vec<Size>) -> Result<bool, FixError> {
        let act = self.book.begin()?;
        let Some(known) = act.state.account(account) else { return Ok(false) };
        // Answers of a newer copy of the ledger may have been read.
        if act.state.continues_older_copy() {
            return Ok(false);
        }
        if sizes.is_empty() || !known.losses.are_open() || known.guarantee.but_for_a_chance().is_none() {
            return Ok(false);
        }
        keep_but_for_chance(Some(known), &known.guarantee, sizes.clone())?;
        act.append(Event::SizesFixed(SizesFixed { account: account.clone(), sizes }))?;
        Ok(true)
    }
}
