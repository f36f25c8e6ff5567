//! Answers whose sizes are chosen from earlier answers: a filter over Rényi divergences (C-12).

use super::lattice::WORK_BITS;
use super::{Chance, Coins, LossError, exp_upper, rounded_down, rounded_up};
use crate::budget::Spend;
use crate::exact::{Enclosure, Rational, Rounding, ratio, square_root, whole};
use num_traits::{Signed, Zero};

/// Decimal places of square roots.
const ROOT_PLACES: u32 = 60;
/// From this ε on, `ρ = ε·tanh(ε/2)` is computed, which is below `ε²/2` by at least a part in 200. Below it `ρ` is an exact
/// multiple of `(ln R)²`.
const LARGE_EPSILON: (i64, i64) = (1, 4);
/// Fractional bits of a `ρ` that is not exact, in multiples of `(ln R)²`.
const RHO_BITS: u32 = 96;
/// Steps of a search for the best loss; the search only guesses, and any loss gives a bound that holds.
pub(super) const SEARCH_STEPS: u32 = 40;

/// The sum of `ρ` over answers of any sizes, also of sizes that are chosen from earlier answers.
///
/// Of answers that are pure but for a chance, the chances add up as well.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Filter {
    promise: Spend,
    /// In multiples of `(ln R)²`.
    rho: Rational,
    /// The sum of the chances of answers that are not pure.
    failures: Rational,
}

impl Filter {
    /// No answers yet, below a promise of odds `R`.
    ///
    /// # Errors
    /// When the promise is of odds 1.
    pub fn new(promise: &Spend) -> Result<Self, LossError> {
        if promise.is_nothing() {
            return Err(LossError::NoPromise);
        }
        Ok(Self { promise: promise.clone(), rho: Rational::zero(), failures: Rational::zero() })
    }

    /// Charges a pure answer that these coins dominate.
    pub fn charge(&mut self, coins: &Coins) {
        self.rho += rho_upper(&self.promise, coins.exponent()) * whole(coins.count());
    }

    /// Charges an answer that these coins dominate but for a chance: with at most that chance it may prove presence.
    pub fn charge_but_for(&mut self, coins: &Coins, chance: &Chance) {
        self.charge(coins);
        self.charge_failures(chance.value());
    }

    /// Charges a sum of chances, 0 or more, with which answers are not pure.
    pub fn charge_failures(&mut self, chances: &Rational) {
        self.failures += chances;
    }

    /// Charges a sum of `ρ`, in multiples of `(ln R)²`.
    pub fn charge_rho(&mut self, rho: &Rational) {
        self.rho += rho;
    }

    /// `Σρ` in multiples of `(ln R)²`: exact for answers of small ε, otherwise rounded up.
    #[must_use]
    pub fn rho(&self) -> &Rational {
        &self.rho
    }

    /// The sum of the chances of answers that are not pure.
    #[must_use]
    pub fn failures(&self) -> &Rational {
        &self.failures
    }

    /// Whether nothing was charged.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rho.is_zero() && self.failures.is_zero()
    }

    /// At least `Σρ` itself.
    pub(super) fn rho_bound(&self) -> Rational {
        let ln = self.promise.ln(WORK_BITS).high();
        rounded_up(&(&self.rho * &ln * ln))
    }

    /// At least the chance of an event of odds above `odds`, from 0 to 1: `exp(−(λ−ρ)²/(4ρ))` with `λ = ln(odds)`, and
    /// with the slack rule (B-8) where answers are not pure.
    #[must_use]
    pub fn chance_upper(&self, odds: &Rational) -> Rational {
        let rho = self.rho_bound();
        if self.failures.is_zero() {
            return tail_upper(&Enclosure::ln(odds, WORK_BITS).low(), &rho);
        }
        let chance_at = |loss: f64| {
            let (smaller, delta) = self.hockey_stick_upper(&rho, loss);
            slack_chance_upper(&smaller, &delta, odds)
        };
        let guess = |loss: f64| {
            let part = 1.0 - (loss - float(&Enclosure::ln(odds, 64).low())).exp();
            if part > 0.0 { self.guessed_hockey_stick(&rho, loss) / part } else { f64::INFINITY }
        };
        let least = least_guess(0.0, float(&Enclosure::ln(odds, 64).low()), guess);
        chance_at(least).unwrap_or_else(|| whole(1))
    }

    /// At least the least odds that are exceeded with at most this chance; `None` where the chances of answers that are
    /// not pure are not below it.
    #[must_use]
    pub fn odds_but_for(&self, chance: &Chance) -> Option<Rational> {
        let rho = self.rho_bound();
        if self.failures.is_zero() {
            return Some(odds_of_rho_upper(&rho, chance));
        }
        if self.failures >= *chance.value() {
            return None;
        }
        // The loss at which all of the chance is used up by the tail, and some more.
        let furthest = float(&Enclosure::ln(&odds_of_rho_upper(&rho, chance), 64).high()) * 4.0 + 1.0;
        let guess = |loss: f64| {
            let rest = 1.0 - self.guessed_hockey_stick(&rho, loss) / float(chance.value());
            if rest > 0.0 { loss - rest.ln() } else { f64::INFINITY }
        };
        let (smaller, delta) = self.hockey_stick_upper(&rho, least_guess(0.0, furthest, guess));
        slack_odds_upper(&smaller, &delta, chance)
    }

    /// Odds near `e^loss`, and at least the hockey stick at them.
    fn hockey_stick_upper(&self, rho: &Rational, loss: f64) -> (Rational, Rational) {
        let loss = Rational::from_float(loss).unwrap_or_else(Rational::zero).max(Rational::zero());
        let odds = Enclosure::of(&loss, WORK_BITS).exp().high();
        (odds, tail_upper(&loss, rho) + &self.failures)
    }

    fn guessed_hockey_stick(&self, rho: &Rational, loss: f64) -> f64 {
        guessed_tail(loss, float(rho)) + float(&self.failures)
    }
}

/// At least `ρ` of a pure answer of odds `R^exponent`, in multiples of `(ln R)²`: `exponent²/2` exactly, and for a large ε
/// at least `ε·tanh(ε/2)`, which is smaller.
#[must_use]
pub fn rho_upper(promise: &Spend, exponent: &Rational) -> Rational {
    let quadratic = exponent * exponent / whole(2);
    let ln = promise.ln(WORK_BITS);
    let epsilon = ln.times(exponent);
    let (top, bottom) = LARGE_EPSILON;
    if epsilon.low() < ratio(top, bottom) {
        return quadratic;
    }
    // tanh(ε/2) = 1 − 2/(e^ε + 1) rises with ε.
    let tanh = whole(1) - whole(2) / (epsilon.exp().high() + whole(1));
    let multiple = exponent * tanh / ln.low();
    Enclosure::of(&multiple, RHO_BITS).high().min(quadratic)
}

/// At most the largest `Σρ`, in multiples of `(ln R)²`, with which odds above `odds ≥ 1` have at most this chance:
/// `(√(λ + ln 1/δ) − √(ln 1/δ))²` with `λ = ln(odds)`.
#[must_use]
pub fn most_rho_lower(promise: &Spend, odds: &Rational, chance: &Chance) -> Rational {
    if *odds <= whole(1) {
        return Rational::zero();
    }
    // As λ²/(√(λ + ln 1/δ) + √(ln 1/δ))², which rises with λ and falls with ln 1/δ.
    let lambda = Enclosure::ln(odds, WORK_BITS);
    let ln_chance = Enclosure::ln(&chance.value().recip(), WORK_BITS).high();
    let root = |value: &Rational| square_root(value, ROOT_PLACES, Rounding::Up);
    let sum = root(&(lambda.low() + &ln_chance)) + root(&ln_chance);
    let least = lambda.low() / sum;
    let ln = promise.ln(WORK_BITS).high();
    rounded_down(&(&least * &least / (&ln * &ln)))
}

/// At least `exp(−(loss−ρ)²/(4ρ))`, and 1 where `loss ≤ ρ`; for a lower bound of the loss and an upper bound of `ρ`.
pub(super) fn tail_upper(loss: &Rational, rho: &Rational) -> Rational {
    let beyond = loss - rho;
    if !beyond.is_positive() {
        return whole(1);
    }
    if rho.is_zero() {
        return Rational::zero();
    }
    exp_upper(&-(&beyond * &beyond / (whole(4) * rho)))
}

/// At least `e^λ` for the least λ with `exp(−(λ−ρ)²/(4ρ)) ≤ chance`, which is `ρ + 2√(ρ·ln 1/chance)`.
#[must_use]
pub fn odds_of_rho_upper(rho: &Rational, chance: &Chance) -> Rational {
    let product = rho * Enclosure::ln(&chance.value().recip(), WORK_BITS).high();
    let lambda = rho + whole(2) * square_root(&product, ROOT_PLACES, Rounding::Up);
    Enclosure::of(&lambda, WORK_BITS).exp().high()
}

/// At least the least odds `R′` with `delta·R′/(R′ − odds) ≤ chance` (B-8), for a hockey stick of at most `delta` at
/// `odds`; `None` if the chance is not above `delta`.
#[must_use]
pub fn slack_odds_upper(odds: &Rational, delta: &Rational, chance: &Chance) -> Option<Rational> {
    let rest = chance.value() - delta;
    rest.is_positive().then(|| rounded_up(&(odds * chance.value() / rest)))
}

/// At least `delta·R′/(R′ − odds)` for `R′` = `larger` (B-8), and at most 1; `None` unless `larger > odds`.
pub(super) fn slack_chance_upper(odds: &Rational, delta: &Rational, larger: &Rational) -> Option<Rational> {
    let slack = larger - odds;
    slack.is_positive().then(|| rounded_up(&(delta * larger / slack)).min(whole(1)))
}

/// A guess of the tail bound.
pub(super) fn guessed_tail(loss: f64, rho: f64) -> f64 {
    if loss <= rho { 1.0 } else { (-(loss - rho).powi(2) / (4.0 * rho)).exp() }
}

/// Near the number between `low` and `high` with the least value, if values fall and then rise.
pub(super) fn least_guess(low: f64, high: f64, value: impl Fn(f64) -> f64) -> f64 {
    let (mut low, mut high) = (low, high);
    for _ in 0..SEARCH_STEPS {
        let (one, other) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
        // Values that are all infinite are at the lower end, where a hockey stick is 1.
        let (first, second) = (value(one), value(other));
        if first > second || first.is_infinite() { low = one } else { high = other }
    }
    low + (high - low) / 2.0
}

/// Near a number, for guesses.
pub(super) fn float(value: &Rational) -> f64 {
    num_traits::ToPrimitive::to_f64(value).unwrap_or(f64::INFINITY)
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_traits::One;

    fn three() -> Spend {
        Spend::odds(whole(3)).unwrap()
    }

    #[test]
    fn small_answers_have_an_exact_rho_and_large_ones_a_smaller_one() {
        assert_eq!(rho_upper(&three(), &ratio(1, 100)), ratio(1, 20_000));
        // ln 3·tanh(ln 3/2) = ln 3/2, so that the multiple is 1/(2·ln 3) = 0.45511...
        let large = rho_upper(&three(), &Rational::one());
        assert!(large > ratio(45_511, 100_000) && large < ratio(45_512, 100_000), "{large}");
    }

    #[test]
    fn most_rho_is_the_inverse_of_the_chance() {
        for (odds, chance) in
            [(ratio(2, 1), ratio(1, 1000)), (ratio(3, 1), ratio(1, 1_000_000)), (ratio(101, 100), ratio(1, 2))]
        {
            let chance = Chance::new(chance).unwrap();
            let most = most_rho_lower(&three(), &odds, &chance);
            let at = |factor: Rational| {
                let mut filter = Filter::new(&three()).unwrap();
                filter.charge_rho(&(&most * factor));
                (filter.chance_upper(&odds), filter.odds_but_for(&chance).unwrap())
            };
            let close = ratio(1, 1_000_000_000_000);
            let (used, reached) = at(whole(1) - &close);
            assert!(used <= *chance.value() && reached <= odds, "{odds} {chance}");
            let (used, reached) = at(whole(1) + &close);
            assert!(used > *chance.value() && reached > odds, "{odds} {chance}");
        }
    }
}
