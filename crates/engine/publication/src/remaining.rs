//! The remaining part of a promise, and the number of further queries that it pays for.

use deniable_core::budget::Spend;
use deniable_core::exact::{Rational, Rounding, decimal, whole};
use num_traits::{One, Signed, ToPrimitive};

/// Largest count of queries; larger counts are reported as this one.
pub const MOST: u64 = 1_000_000;

/// Steps in the search for a share that has no exact value.
const STEPS: u64 = 10_000;

/// The remaining part of a promise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemainingBudget {
    spent: Spend,
    limit: Spend,
    /// R of the whole promise, of which shares are parts.
    promise: Spend,
}

impl RemainingBudget {
    /// The rest of a promise with this limit after these odds were spent.
    #[must_use]
    pub fn new(spent: Spend, limit: Spend) -> Self {
        Self { spent, promise: limit.clone(), limit }
    }

    /// The same rest of a limit that is a part of a promise: shares are parts of that promise.
    #[must_use]
    pub fn of_promise(self, promise: &Spend) -> Self {
        Self { promise: promise.clone(), ..self }
    }

    /// A promise of which nothing was spent.
    #[must_use]
    pub fn all(limit: &Spend) -> Self {
        Self::new(Spend::nothing(), limit.clone())
    }

    /// The odds ratio that was spent.
    #[must_use]
    pub fn spent(&self) -> &Spend {
        &self.spent
    }

    /// The largest odds ratio, R.
    #[must_use]
    pub fn limit(&self) -> &Spend {
        &self.limit
    }

    /// A part of ln R that is certainly left; `None` if there is no such part.
    #[must_use]
    pub fn share(&self) -> Option<Rational> {
        share_left(&self.spent, &self.limit, &self.promise)
    }

    /// The exact part of ln R that is left; `None` if the limit or the odds spent are not a rational part of it.
    #[must_use]
    pub fn exact_share(&self) -> Option<Rational> {
        Some(self.limit.exact_part_of(&self.promise)? - self.spent.exact_part_of(&self.promise)?)
    }

    /// The number of further queries of this cost that certainly fit, at most [`MOST`].
    #[must_use]
    pub fn queries(&self, cost: &Spend) -> u64 {
        questions_left(&self.spent, cost, &self.limit)
    }
}

impl std::fmt::Display for RemainingBudget {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.exact_share() {
            Some(rest) => {
                let percent = decimal(&(&rest * whole(100)), 1, Rounding::Down);
                write!(f, "{rest} of {} (about {percent}%)", self.promise.logarithm_in_words())
            }
            None => write!(f, "the part between {} and {}", self.spent.in_words(), self.limit.in_words()),
        }
    }
}

/// The largest share of `whole_promise` that certainly fits within the limit; `None` if no share does.
///
/// Exact over one base. Otherwise a multiple of a 10,000th; shares that cannot be decided count as too large.
#[must_use]
pub fn share_left(spent: &Spend, limit: &Spend, whole_promise: &Spend) -> Option<Rational> {
    let fits = |share: &Rational| {
        let more = whole_promise.share(share).map(|more| spent.and(&more));
        more.and_then(|sum| sum.fits(limit)).unwrap_or(false)
    };
    if let (Some(spent), Some(limit)) = (spent.exact_part_of(whole_promise), limit.exact_part_of(whole_promise)) {
        return Some((limit - spent).min(whole(1))).filter(|share| share.is_positive() && fits(share));
    }
    let step = |steps: u64| whole(steps) / whole(STEPS);
    if fits(&whole(1)) {
        return Some(whole(1));
    }
    let (mut yes, mut no) = (0, STEPS);
    while no - yes > 1 {
        let middle = yes + (no - yes) / 2;
        if fits(&step(middle)) { yes = middle } else { no = middle }
    }
    (yes > 0).then(|| step(yes))
}

/// The exact share of the promise that an amount is (C-1); otherwise the largest `1/n` that is certainly not more.
///
/// # Errors
/// That `1/n`, for an amount over another base than the promise.
pub fn share_of(amount: &Spend, whole_promise: &Spend) -> Result<Rational, Rational> {
    if let Some(share) = amount.exact_part_of(whole_promise) {
        return Ok(share);
    }
    let (of, all) = (amount.ln(128).low(), whole_promise.ln(128).high());
    // An amount this small counts as zero.
    if !of.is_positive() {
        return Err(Rational::one() / whole(MOST));
    }
    Err((all / of).ceil().recip())
}

/// The number of further answers of this cost that certainly fit within the limit, at most [`MOST`].
///
/// Exact over one base. Otherwise counts that cannot be decided do not fit.
#[must_use]
pub fn questions_left(spent: &Spend, cost: &Spend, limit: &Spend) -> u64 {
    if cost.is_nothing() {
        return 0;
    }
    if let (Some(spent), Some(cost)) = (spent.exact_part_of(limit), cost.exact_part_of(limit)) {
        let left = ((Rational::one() - spent) / cost).floor().to_integer();
        return left.to_u64().unwrap_or(if left > 0.into() { MOST } else { 0 }).min(MOST);
    }
    let fits = |times: u64| {
        let more = cost.share(&whole(times)).map(|more| spent.and(&more));
        more.and_then(|sum| sum.fits(limit)).unwrap_or(false)
    };
    if !fits(1) {
        return 0;
    }
    let (mut yes, mut no) = (1, 2);
    while no <= MOST && fits(no) {
        (yes, no) = (no, no * 2);
    }
    while no - yes > 1 {
        let middle = yes + (no - yes) / 2;
        if fits(middle) { yes = middle } else { no = middle }
    }
    yes.min(MOST)
}

#[cfg(test)]
mod tests {
    use super::*;
    use deniable_core::exact::ratio;

    #[test]
    fn exact_to_the_last_question() {
        let limit = Spend::odds(whole(3)).unwrap();
        let cost = limit.share(&ratio(1, 40)).unwrap();
        assert_eq!(questions_left(&Spend::nothing(), &cost, &limit), 40);
        let spent = limit.share(&ratio(3, 4)).unwrap();
        assert_eq!(questions_left(&spent, &cost, &limit), 10);
        assert_eq!(questions_left(&limit, &cost, &limit), 0);
        assert_eq!(questions_left(&Spend::nothing(), &limit.share(&ratio(1, 3_000_000)).unwrap(), &limit), MOST);
    }

    #[test]
    fn the_share_that_is_left_fits_and_no_larger_one() {
        let promise = Spend::odds(whole(3)).unwrap();
        let of = |part: &Rational| promise.share(part).unwrap();
        let accepted = |spent: &Spend, share: &Rational| spent.and(&of(share)).fits(&promise).unwrap();
        let spent = of(&ratio(79, 80));
        assert_eq!(share_left(&spent, &promise, &promise), Some(ratio(1, 80)));
        assert_eq!(share_left(&of(&ratio(1, 4)), &of(&ratio(1, 3)), &promise), Some(ratio(1, 12)));
        assert_eq!(share_left(&promise, &promise, &promise), None);
        assert_eq!(share_left(&Spend::nothing(), &promise, &promise), Some(whole(1)));
        // Another promise was in force at the time of these charges.
        let spent = Spend::epsilon(ratio(1, 10)).unwrap();
        let share = share_left(&spent, &promise, &promise).unwrap();
        assert!(accepted(&spent, &share) && !accepted(&spent, &(&share + ratio(1, 10_000))), "{share}");
        assert_eq!(share_left(&Spend::epsilon(whole(2)).unwrap(), &promise, &promise), None);
    }

    #[test]
    fn an_epsilon_as_a_share() {
        let (three, two) = (Spend::odds(whole(3)).unwrap(), Spend::epsilon(whole(2)).unwrap());
        let epsilon = |value: Rational| Spend::epsilon(value).unwrap();
        assert_eq!(share_of(&epsilon(ratio(1, 10)), &two), Ok(ratio(1, 20)));
        assert_eq!(share_of(&Spend::odds(whole(9)).unwrap(), &three), Ok(whole(2)));
        // 1.0986/0.1 = 10.986: an eleventh costs less, a tenth more.
        let tenth = epsilon(ratio(1, 10));
        assert_eq!(share_of(&tenth, &three), Err(ratio(1, 11)));
        assert!(three.share(&ratio(1, 11)).unwrap().fits(&tenth).unwrap());
        assert!(!three.share(&ratio(1, 10)).unwrap().fits(&tenth).unwrap());
    }

    /// ln 3 = 1.0986 holds ten times 0.1 and not eleven times.
    #[test]
    fn over_different_bases() {
        let limit = Spend::odds(whole(3)).unwrap();
        let cost = Spend::epsilon(ratio(1, 10)).unwrap();
        assert_eq!(questions_left(&Spend::nothing(), &cost, &limit), 10);
        assert_eq!(questions_left(&cost, &cost, &limit), 9);
        assert_eq!(questions_left(&limit, &cost, &limit), 0);
    }
}
