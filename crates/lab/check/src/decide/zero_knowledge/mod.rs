//! Zero-knowledge privacy with `k` random rows (I-ZKP), after Gehrke, Lui and Pass: every answer of the mechanism about
//! a dataset could be simulated from a small sample of it that excludes one given entity.
//!
//! The definition decided here: the aggregate information is a uniformly random set of `k` members of `T∖{t}`, or all
//! of them where there are fewer; the simulator knows `t` and the sample, but neither `|T|` nor whether `t ∈ T`.
//!
//! As published (I-ZKR), the database has `n` rows, one for each entity of the universe, and a row is `⊥` where its
//! entity is not in. The row of `t` is replaced by `⊥`, and the simulator gets `t`, `n` and `k` random rows of the `n`,
//! as values: the sampled members, and the number of `⊥`. So it may see fewer than `k` members, and gets some
//! information about `|T|`. Both are one game with different probabilities of the samples.
//!
//! `e^ε` is the smallest `R` for which every entity has a simulator whose distribution is within a factor `R` of the
//! mechanism's, both ways, at every dataset, with the entity or without. With `k = 0` the sample is empty, and the
//! solution has a closed form; likewise with `k ≥ n−1`, where the sample is everything. The simulator must then still
//! compromise between `T` and `T∖t`: the value is between the square root of the value of add/remove DP and that value.
//!
//! For other `k` it is a cone program for each entity ([`solve`]), whose solution is rounded to rationals: the
//! simulator proves the upper end of the bracket, the multipliers prove the lower end, both by exact arithmetic
//! ([`crate::verdict::simulation`]).
//!
//! The bracket is mostly narrower than 10⁻¹⁰ of the value. It is always proved, but was up to a factor 2 wide in
//! trials, for values above about 10⁶ of mechanisms with equally extreme probabilities: there the precision of the
//! solver's floats is not enough.

mod game;
mod solve;

use super::error::{CheckError, complete};
use super::gain::vacuous;
use crate::mechanism::{Dataset, Mechanism};
use crate::nearest::{Reason, Span};
use crate::verdict::simulation::{Sight, Simulation, Weight, costs, kept_ratio, least_ratio};
use crate::verdict::{Value, Verdict, Witness};
use deniable_core::exact::Bound;
use deniable_core::exact::{Rational, whole};
use game::{Base, Game};
use num_bigint::BigInt;
use num_traits::{FromPrimitive, Signed, ToPrimitive, Zero};

/// Limit on the size of a program: about ten entities.
const MAX_PROGRAM_SIZE: usize = 1 << 20;

/// A simulator: its answer for each sample.
type Simulator = Vec<(Dataset, Vec<Rational>)>;

/// The bracket of one entity, and its proofs.
struct Bracket {
    low: Bound,
    high: Bound,
    weights: Vec<Weight>,
    simulator: Simulator,
}

pub(super) fn decide(mechanism: &Mechanism, sight: Sight) -> Result<Verdict, CheckError> {
    complete(mechanism)?;
    let mut hardest: Option<(usize, Bracket)> = None;
    let mut simulators: Vec<Simulator> = Vec::new();
    let mut high = Bound::one();
    for entity in 0..mechanism.size() {
        // If two entities are exchangeable, the simulator of one serves the other, with the two exchanged.
        if let Some(twin) = (0..entity).find(|other| alike(mechanism, entity, *other)) {
            simulators.push(exchanged(&simulators[twin], entity, twin));
            continue;
        }
        let bracket = of_entity(mechanism, entity, sight)?;
        simulators.push(bracket.simulator.clone());
        high = high.max(bracket.high.clone());
        if hardest.as_ref().is_none_or(|(_, worst)| bracket.low > worst.low) {
            hardest = Some((entity, bracket));
        }
    }
    let theorem = match sight {
        Sight::Members(_) => "I-ZKP",
        Sight::Rows(_) => "I-ZKR",
    };
    let theorems = vec![theorem];
    let Some((entity, Bracket { low, weights, .. })) = hardest else {
        return Ok(vacuous(Bound::one(), theorems));
    };
    if low == Bound::Infinite {
        simulators.clear();
        high = Bound::Infinite;
    }
    let value = if low == high { Value::Attained(low) } else { Value::Between { low, high, theorem } };
    let simulation = Simulation { sight, entity, weights, simulators };
    Ok(Verdict { value, witness: Some(Witness::Simulation(Box::new(simulation))), theorems })
}

/// The dataset with two entities exchanged.
fn exchange(data: Dataset, one: usize, other: usize) -> Dataset {
    let differ = ((data >> one) ^ (data >> other)) & 1;
    data ^ ((differ << one) | (differ << other))
}

/// Whether the mechanism is invariant under the exchange of two entities.
fn alike(mechanism: &Mechanism, one: usize, other: usize) -> bool {
    let outputs = 0..mechanism.outputs().len();
    let same = |data: Dataset| {
        let swapped = exchange(data, one, other);
        match mechanism.kinds() {
            Some(kinds) if kinds.of[data as usize] == kinds.of[swapped as usize] => true,
            _ => outputs
                .clone()
                .all(|output| mechanism.probability(output, data) == mechanism.probability(output, swapped)),
        }
    };
    mechanism.datasets().filter(|data| data >> one & 1 == 1 && data >> other & 1 == 0).all(same)
}

fn exchanged(simulator: &[(Dataset, Vec<Rational>)], one: usize, other: usize) -> Simulator {
    let mut simulator: Simulator =
        simulator.iter().map(|(seen, answer)| (exchange(*seen, one, other), answer.clone())).collect();
    simulator.sort_by_key(|(seen, _)| *seen);
    simulator
}

fn of_entity(mechanism: &Mechanism, entity: usize, sight: Sight) -> Result<Bracket, CheckError> {
    let game = Game::new(mechanism, entity, sight);
    if let Some(weights) = game.impossible() {
        let low = least_ratio(mechanism, entity, sight, &weights);
        return Ok(Bracket { low, high: Bound::Infinite, weights, simulator: vec![] });
    }
    // A lower bound from one base: a simulator that could distinguish the bases would do at least as well.
    let alone = |base: &Base| least_ratio(mechanism, entity, sight, &closed(base).1);
    let Some(worst) = game.bases.iter().max_by_key(|base| alone(base)) else {
        return Ok(Bracket { low: Bound::one(), high: Bound::one(), weights: vec![], simulator: vec![] });
    };
    let (_, weights) = closed(worst);
    let low = least_ratio(mechanism, entity, sight, &weights);
    let mut bracket = Bracket { low, high: Bound::Infinite, weights, simulator: vec![] };
    for simulator in [constant(mechanism, &game), separate(&game)].into_iter().flatten() {
        bracket.offer_simulator(mechanism, entity, sight, simulator);
    }
    if bracket.low == bracket.high {
        return Ok(bracket);
    }
    let numbers = solve::size(&game);
    if game.bases.iter().all(|base| base.samples.len() == 1) && independent(&game) {
        return Ok(bracket);
    }
    if numbers > MAX_PROGRAM_SIZE {
        return Err(CheckError::Program { numbers, most: MAX_PROGRAM_SIZE });
    }
    let about = bracket.low.finite().and_then(ToPrimitive::to_f64).unwrap_or(1.0);
    let Some(found) = solve::solve(&game, about) else { return Err(CheckError::Unsolved) };
    // Where the optimum consists of simple fractions, both proofs in simple fractions meet.
    for digits in [exact, simple] {
        for mixed in [0, 40] {
            let simulator = rounded(&game, &found.simulator, digits, mixed);
            bracket.offer_simulator(mechanism, entity, sight, simulator);
        }
        let weights = weights_of(mechanism, entity, sight, &game, &found.multipliers, digits);
        let low = least_ratio(mechanism, entity, sight, &weights);
        if low > bracket.low {
            (bracket.low, bracket.weights) = (low, weights);
        }
    }
    Ok(bracket)
}

impl Bracket {
    fn offer_simulator(&mut self, mechanism: &Mechanism, entity: usize, sight: Sight, simulator: Simulator) {
        let high = kept_ratio(mechanism, entity, sight, &simulator);
        if high < self.high || self.simulator.is_empty() {
            (self.high, self.simulator) = (high, simulator);
        }
    }
}

/// Whether no two bases share a sample.
fn independent(game: &Game) -> bool {
    game.bases.iter().map(|base| base.samples.len()).sum::<usize>() == game.samples.len()
}

fn span(base: &Base) -> Span {
    let values = |ends: &[(Dataset, Rational)]| ends.iter().map(|end| end.1.clone()).collect();
    Span { most: values(&base.most), least: values(&base.least) }
}

/// The best answers for one base alone, and the weights that prove them optimal.
fn closed(base: &Base) -> (Option<Vec<Rational>>, Vec<Weight>) {
    let middle = span(base).between();
    let above = |output: usize| Weight { data: base.most[output].0, output, above: whole(1), below: whole(0) };
    let below = |output: usize| Weight { data: base.least[output].0, output, above: whole(0), below: whole(1) };
    let all = 0..base.most.len();
    let weights = match middle.reason {
        Reason::TooMuch => all.map(above).collect(),
        Reason::TooLittle => all.map(below).collect(),
        Reason::Apart(output) => vec![above(output), below(output)],
    };
    (middle.simulator, weights)
}

/// The simulator whose answer ignores the sample.
fn constant(mechanism: &Mechanism, game: &Game) -> Option<Simulator> {
    let all: Vec<Vec<Rational>> = mechanism
        .datasets()
        .map(|data| (0..game.outputs).map(|output| mechanism.probability(output, data)).collect())
        .collect();
    let answer = Span::of(all.iter().map(Vec::as_slice), game.outputs).between().simulator?;
    Some(game.samples.iter().map(|seen| (*seen, answer.clone())).collect())
}

/// The simulator that assumes its sample to be the whole dataset.
fn separate(game: &Game) -> Option<Simulator> {
    let mut answers = vec![None; game.samples.len()];
    for base in game.bases.iter().filter(|base| base.samples.len() == 1) {
        answers[base.samples[0].0] = Some(closed(base).0?);
    }
    game.samples.iter().zip(answers).map(|(seen, answer)| Some((*seen, answer?))).collect()
}

/// Exact distributions near the solver's. Unless `mixed` is 0, `2^−mixed` is added to each allowed answer.
fn rounded(game: &Game, answers: &[Vec<f64>], part: fn(f64) -> Rational, mixed: u32) -> Simulator {
    let each = game.allowed().into_iter().zip(answers).map(|(allowed, answers)| {
        let spread = if mixed == 0 { whole(0) } else { whole(1) / whole(BigInt::from(1) << mixed) };
        let weight = |(allowed, value): (bool, &f64)| if allowed { part(*value) + &spread } else { whole(0) };
        let weights: Vec<Rational> = allowed.iter().copied().zip(answers).map(weight).collect();
        let sum: Rational = weights.iter().sum();
        if sum.is_zero() {
            let count = whole(allowed.iter().filter(|allowed| **allowed).count());
            return allowed.iter().map(|allowed| if *allowed { whole(1) / &count } else { whole(0) }).collect();
        }
        weights.into_iter().map(|weight| weight / &sum).collect()
    });
    game.samples.iter().copied().zip(each).collect()
}

/// Exact weights near the solver's multipliers, and weights on the forbidding bounds large enough that a forbidden
/// answer never pays.
fn weights_of(
    mechanism: &Mechanism,
    entity: usize,
    sight: Sight,
    game: &Game,
    multipliers: &[Vec<(f64, f64)>],
    digits: fn(f64) -> Rational,
) -> Vec<Weight> {
    let largest = multipliers.iter().flatten().map(|(above, below)| above.max(*below)).fold(0.0, f64::max);
    // Scaled by the largest, so that the denominators stay small.
    let part = |value: f64| digits(value / largest);
    let mut weights = Vec::new();
    for (base, found) in game.bases.iter().zip(multipliers).filter(|_| largest > 0.0) {
        for (output, (above, below)) in found.iter().enumerate() {
            let pairs = [(base.most[output].0, part(*above), whole(0)), (base.least[output].0, whole(0), part(*below))];
            for (data, above, below) in pairs.into_iter().filter(|(_, above, below)| *above != *below) {
                weights.push(Weight { data, output, above, below });
            }
        }
    }
    let costs = costs(mechanism, entity, sight, &weights);
    let all = || costs.values().flatten();
    if let (Some(most), Some(least)) = (all().max(), all().min()) {
        let outputs: Vec<usize> = (0..game.outputs).collect();
        let price = (most - least).max(whole(0));
        weights.extend(game.forbidding(&outputs, &price).into_iter().filter(|weight| !weight.below.is_zero()));
    }
    weights
}

/// A number from 0 to 1, rounded to far more digits than the solver's precision.
fn exact(value: f64) -> Rational {
    let scale = whole(BigInt::from(1) << 70);
    (Rational::from_f64(value).unwrap_or_else(Rational::zero) * &scale).round() / scale
}

/// The simplest fraction within the solver's precision, by continued fractions.
fn simple(value: f64) -> Rational {
    let target = exact(value);
    let near = whole(1) / whole(100_000_000);
    let (mut before, mut last) = ((BigInt::from(0), BigInt::from(1)), (BigInt::from(1), BigInt::from(0)));
    let mut rest = target.clone();
    loop {
        let whole_part = rest.floor().to_integer();
        let next = (&whole_part * &last.0 + &before.0, &whole_part * &last.1 + &before.1);
        let found = Rational::new(next.0.clone(), next.1.clone());
        let left = rest - whole(whole_part);
        if left.is_zero() || (&found - &target).abs() < near {
            return found;
        }
        (before, last, rest) = (last, next, left.recip());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use deniable_core::exact::ratio;

    #[test]
    fn simple_fractions_are_found() {
        assert_eq!([0.333_333_333_3, 0.75, 1e-12, 1.0].map(simple), [ratio(1, 3), ratio(3, 4), whole(0), whole(1)]);
        assert_eq!(simple(0.123_456_789), simple(0.123_456_789));
        assert!(
            (simple(std::f64::consts::FRAC_1_SQRT_2) - exact(std::f64::consts::FRAC_1_SQRT_2)).abs() < ratio(1, 1000)
        );
    }
}
