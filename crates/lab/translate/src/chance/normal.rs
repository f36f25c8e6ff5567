//! Normal distributions of variance 1 whose means are `μ` apart: the curve of μ-Gaussian differential privacy (B-9).
//!
//! An event above a threshold `t` has the chance `Φ(μ − t)` with the person and `Φ(−t)` without, and no event of its chance
//! with the person has a smaller one without. All values are enclosed, and the ends taken that bound the privacy loss from
//! above.

use deniable_core::exact::{Enclosure, Rational, Rounding, ratio, square_root, whole};
use num_bigint::BigInt;
use num_traits::{One, Signed, ToPrimitive, Zero};

/// Bits of a chance beyond those of its size.
const BITS: u32 = 192;
/// Decimal places of square roots.
const ROOT_PLACES: u32 = 60;
/// Halvings in the search for a quantile.
const HALVINGS: u32 = 60;

/// Chances nearer to 0 or 1 than `2^−512`, and distances below `2^−64`, are left to bounds that cost less.
const SMALLEST_CHANCE_BITS: u32 = 512;
const SMALLEST_DISTANCE_BITS: u32 = 64;

/// Both ends of a number.
type Ends = (Rational, Rational);

/// Whether bounds are computed for this chance, above 0 and below 1.
pub(super) fn is_computed(chance: &Rational) -> bool {
    let least = whole(1) / whole(BigInt::one() << SMALLEST_CHANCE_BITS);
    *chance >= least && *chance <= whole(1) - least
}

/// Whether bounds are computed for this distance.
pub(super) fn is_computed_for(mu: &Rational) -> bool {
    *mu >= whole(1) / whole(BigInt::one() << SMALLEST_DISTANCE_BITS)
}

/// At least the least odds that are exceeded with at most this chance, `0 < chance < 1`, for `μ > 0`.
pub(super) fn odds_but_for(mu: &Rational, chance: &Rational) -> Rational {
    // An event of the whole chance has no smaller chance without the person than one of a little less with the person.
    let without = chance_below(&(quantile(chance).0 - mu)).0;
    Enclosure::of(&(chance / without), BITS).high().max(whole(1))
}

/// At most the largest `μ` for which odds above `odds > 1` have at most this chance; `None` where it is not computed, or
/// too near to 0.
pub(super) fn most_mu_lower(odds: &Rational, chance: &Rational) -> Option<Rational> {
    let without = chance / odds;
    let is_computed = is_computed(chance) && is_computed(&without);
    is_computed.then(|| quantile(chance).0 - quantile(&without).1).filter(Signed::is_positive)
}

/// Encloses the `x` with `Φ(x) = chance`, `0 < chance < 1`.
fn quantile(chance: &Rational) -> Ends {
    let (mut low, mut high) = (whole(-1), whole(1));
    while chance_below(&low).1 > *chance {
        low *= whole(2);
    }
    while chance_below(&high).0 < *chance {
        high *= whole(2);
    }
    for _ in 0..HALVINGS {
        let middle = Enclosure::of(&((&low + &high) / whole(2)), BITS).low();
        let (least, most) = chance_below(&middle);
        if most <= *chance {
            low = middle;
        } else if least >= *chance {
            high = middle;
        } else {
            break;
        }
    }
    (low, high)
}

/// At least the hockey stick at these odds, at least 1: `Φ(μ/2 − ε/μ) − e^ε·Φ(−μ/2 − ε/μ)`.
pub(super) fn delta_upper(mu: &Rational, odds: &Rational) -> Rational {
    let (half, loss) = (mu / whole(2), Enclosure::ln(odds, BITS + SMALLEST_DISTANCE_BITS));
    let more = chance_below(&(&half - loss.low() / mu)).1;
    let less = chance_below(&(-half - loss.high() / mu)).0;
    (more - odds * less).max(Rational::zero())
}

/// At least the largest difference between the chances of an event with and without the person: `2Φ(μ/2) − 1`.
pub(super) fn advantage_upper(mu: &Rational) -> Rational {
    chance_below(&(mu / whole(2))).1 * whole(2) - whole(1)
}

/// Encloses `Φ(x)`, the chance that a standard normal variable is below `x`.
///
/// `Φ(x) − 1/2 = e^(−x²/2)/√(2π)·(x + x³/3 + x⁵/(3·5) + …)`, without cancellation for `x ≥ 0`.
fn chance_below(x: &Rational) -> Ends {
    let half = ratio(1, 2);
    if x.is_negative() {
        let (low, high) = chance_below(&-x);
        return ((whole(1) - high).max(Rational::zero()), whole(1) - low);
    }
    let exponent = x * x * &half;
    // Once for the size of a tail, which is about `e^(−x²/2)`, and once for the sum, which is about its inverse.
    let bits = BITS + (&exponent * whole(3)).ceil().to_integer().to_u32().unwrap_or(u32::MAX / 8);
    let density = Enclosure::of(&-exponent, bits).exp();
    let ((root_low, root_high), (sum_low, sum_high)) = (root_of_two_pi(bits), odd_series(x, bits));
    (&half + density.low() * sum_low / root_high, half + density.high() * sum_high / root_low)
}

/// Encloses `x + x³/3 + x⁵/(3·5) + …` for `x ≥ 0`.
fn odd_series(x: &Rational, bits: u32) -> Ends {
    let unit = BigInt::one() << bits;
    let low_of = |value: &Rational| (value * whole(unit.clone())).floor().to_integer();
    let high_of = |value: &Rational| (value * whole(unit.clone())).ceil().to_integer();
    let square = x * x;
    let (square_low, square_high) = (low_of(&square), high_of(&square));
    let (mut low, mut high) = (low_of(x), high_of(x));
    let (mut sum_low, mut sum_high) = (low.clone(), high.clone());
    let mut odd = BigInt::from(3);
    loop {
        let divisor = &unit * &odd;
        low = &low * &square_low / &divisor;
        high = (&high * &square_high + &divisor - BigInt::one()) / &divisor;
        sum_low += &low;
        sum_high += &high;
        // From here on each term is at most half of the one before it, so the rest is at most this one.
        if high <= BigInt::from(2) && &square_high * 2 <= divisor {
            break;
        }
        odd += 2;
    }
    (whole(sum_low) / whole(unit.clone()), whole(sum_high + high) / whole(unit))
}

/// Encloses `√(2π)`.
fn root_of_two_pi(bits: u32) -> Ends {
    // Machin: π = 16·atan(1/5) − 4·atan(1/239).
    let ((five_low, five_high), (other_low, other_high)) =
        (inverse_tangent(5, bits + 8), inverse_tangent(239, bits + 8));
    let low = five_low * whole(16) - other_high * whole(4);
    let high = five_high * whole(16) - other_low * whole(4);
    let places = bits * 3 / 10 + ROOT_PLACES;
    (square_root(&(low * whole(2)), places, Rounding::Down), square_root(&(high * whole(2)), places, Rounding::Up))
}

/// Encloses `atan(1/n) = 1/n − 1/(3n³) + …`, an alternating series of falling terms, for `n ≥ 2`.
fn inverse_tangent(n: u32, bits: u32) -> Ends {
    let unit = BigInt::one() << bits;
    let square = n * n;
    // Rounded down; each rounding is below one unit.
    let mut power = &unit / n;
    let (mut sum, mut terms, mut odd) = (power.clone(), 1_u32, 1_u32);
    while !power.is_zero() {
        power /= square;
        odd += 2;
        let term = &power / odd;
        if terms % 2 == 1 {
            sum -= term
        } else {
            sum += term
        }
        terms += 1;
    }
    // Each term is wrong by less than two units, and the rest is below one.
    let margin = BigInt::from(2 * terms + 2);
    (whole(&sum - &margin) / whole(unit.clone()), whole(sum + margin) / whole(unit))
}

#[cfg(test)]
mod tests {
    use super::*;
    use deniable_core::exact::decimal;

    fn within(ends: &Ends, digits: &str) {
        let places = u32::try_from(digits.split('.').nth(1).unwrap().len()).unwrap();
        assert_eq!(decimal(&ends.0, places, Rounding::Down), digits, "lower end");
        assert!(ends.0 <= ends.1 && &ends.1 - &ends.0 < whole(1) / whole(BigInt::one() << 150_u32));
    }

    /// Tabulated values.
    #[test]
    fn chances_of_a_normal_variable_are_enclosed() {
        assert_eq!(chance_below(&whole(0)), (ratio(1, 2), ratio(1, 2)));
        within(&chance_below(&whole(1)), "0.84134474606854294858");
        within(&chance_below(&whole(-1)), "0.15865525393145705141");
        within(&chance_below(&ratio(196, 100)), "0.975002104851779");
        within(&chance_below(&whole(-5)), "0.00000028665157187919391");
        // Far out: Φ(−x) is between (1/x − 1/x³) and 1/x times the density.
        let (low, high) = chance_below(&whole(-30));
        let density = Enclosure::of(&whole(-450), 900).exp();
        let (root, _) = root_of_two_pi(900);
        assert!(
            low > density.low() / (&root * whole(30)) * ratio(899, 901) && high < density.high() / (root * whole(30))
        );
        assert!((&high - &low) / high < whole(1) / whole(BigInt::one() << 100_u32));
    }

    #[test]
    fn root_of_two_pi_is_enclosed() {
        within(&root_of_two_pi(256), "2.506628274631000502415765284811045253006986740609938316");
    }

    /// The curve against its own definition: `δ(R) = Φ(μ−t) − R·Φ(−t)` at the best threshold, and no other is better.
    #[test]
    fn no_threshold_beats_the_hockey_stick() {
        for mu in [ratio(1, 3), whole(1), whole(4)] {
            for odds in [whole(1), ratio(3, 2), whole(3), whole(50)] {
                let bound = delta_upper(&mu, &odds);
                let of = |at: &Rational| chance_below(&(&mu - at)).0 - &odds * chance_below(&-at).1;
                let best = (-40..200).map(|step| of(&ratio(step, 10))).max().unwrap();
                assert!(best <= bound, "{mu} {odds}");
                assert!(&bound - best < ratio(1, 100) * &bound + ratio(1, 1_000_000), "{mu} {odds}");
            }
        }
        assert!(&advantage_upper(&whole(1)) - delta_upper(&whole(1), &whole(1)) < ratio(1, 1_000_000_000));
    }

    /// An event of this chance: its odds, and no more.
    #[test]
    fn least_odds_are_those_of_the_event_of_the_chance() {
        for (mu, chance) in [(whole(1), ratio(1, 1_000_000)), (ratio(1, 4), ratio(9, 10)), (whole(3), ratio(1, 2))] {
            let odds = odds_but_for(&mu, &chance);
            // The threshold of the chance, from below: an event of a little more.
            let (mut low, mut high) = (whole(-10), whole(20));
            for _ in 0..60 {
                let middle = (&low + &high) / whole(2);
                if chance_below(&(&mu - &middle)).0 >= chance { low = middle } else { high = middle }
            }
            let attained = chance_below(&(&mu - &low)).0 / chance_below(&-&low).1;
            assert!(attained <= odds && odds <= &attained * (whole(1) + ratio(1, 1_000_000)), "{mu} {chance}");
            let back = most_mu_lower(&odds, &chance).unwrap();
            assert!(back <= &mu + ratio(1, 1_000_000_000) && back > &mu - ratio(1, 1_000_000), "{mu} {chance}: {back}");
        }
    }
}
