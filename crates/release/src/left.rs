//! How many more questions a budget pays for.

use deniable_core::budget::Spend;
use deniable_core::exact::{Rational, whole};
use num_traits::{One, ToPrimitive};

/// Beyond this many it does not matter how many.
pub const MOST: u64 = 1_000_000;

/// How many more answers of this cost certainly fit within the limit, at most [`MOST`].
///
/// Over one base that is exact. Otherwise whatever cannot be decided does not fit.
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
