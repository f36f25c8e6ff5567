//! Several answers: the bounds by composing odds (C-1), compared with the claim of the paper's Theorem 1 (ABDI-T1, C-6,
//! E-2).
//!
//! A world's answers may differ from those of all others by Θ in every query. Then the noise gives exactly the odds
//! ratio `R` each time, `R^k` after `k` answers, and belief attains the bounds of [`world_multiples`]. Where Theorem 1
//! claims more than that, it is unsafe: this is decided on exact fractions.

use crate::surface::{Cells, Grid};
use deniable_core::exact::{Rational, power, whole};
use deniable_core::promise::world_multiples;

/// Lowest and highest belief in a world, as multiples of the belief before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ends {
    /// The lowest.
    pub low: Rational,
    /// The highest.
    pub high: Rational,
}

/// The range of belief in a world of prior `least` or more after `answers` answers with odds ratios up to `odds` each:
/// odds multiply, and are translated once. Both bounds are attained.
#[must_use]
pub fn by_odds(least: &Rational, odds: &Rational, answers: u32) -> Ends {
    let (low, high) = world_multiples(least, &power(odds, answers));
    Ends { low, high }
}

/// The claim of Theorem 1 for `answers` answers of one (α,β): `∏(1−α_i)` and `∏(1+β_i)`, which are `1−α_c` and `1+β_c`.
#[must_use]
pub fn by_theorem_1(alpha: &Rational, beta: &Rational, answers: u32) -> Ends {
    Ends { low: power(&(whole(1) - alpha), answers), high: power(&(whole(1) + beta), answers) }
}

/// The attained and the claimed bounds at one point.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ComposedEnds {
    /// The attained bounds, which are never exceeded.
    pub kept: Ends,
    /// The claim of Theorem 1.
    pub claimed: Ends,
}

impl ComposedEnds {
    /// After `answers ≥ 1` answers, each calibrated to (α,β) by the odds ratio `odds` and the smallest prior `least`.
    #[must_use]
    pub fn after(answers: u32, (alpha, beta): (&Rational, &Rational), least: &Rational, odds: &Rational) -> Self {
        Self { kept: by_odds(least, odds, answers), claimed: by_theorem_1(alpha, beta, answers) }
    }

    /// Whether belief can fall below the claim.
    #[must_use]
    pub fn falls_below(&self) -> bool {
        self.kept.low < self.claimed.low
    }

    /// Whether belief can rise above the claim.
    #[must_use]
    pub fn rises_above(&self) -> bool {
        self.kept.high > self.claimed.high
    }

    /// Whether the claim is false.
    #[must_use]
    pub fn is_unsafe(&self) -> bool {
        self.falls_below() || self.rises_above()
    }
}

/// A number of answers over the whole grid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Composition {
    /// The number of answers.
    pub answers: u32,
    /// At each point where the promise is defined.
    pub cells: Cells<ComposedEnds>,
}

/// The deviation of a claim from the truth over a grid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// Points where the promise is defined.
    pub points: usize,
    /// Of these, where belief can fall below the claim.
    pub falls_below: usize,
    /// Of these, where belief can rise above the claim.
    pub rises_above: usize,
    /// The smallest `kept.low / claimed.low` if it is below 1, with its position: (ratio, row, column).
    pub worst: Option<(Rational, usize, usize)>,
}

impl Composition {
    /// Over a grid, with the odds ratios of [`Grid::odds`].
    #[must_use]
    pub fn over(grid: &Grid, odds: &Cells<Rational>, least: &Rational, answers: u32) -> Self {
        let rows = grid.alphas.iter().zip(odds).map(|(alpha, row)| {
            let cell = |(beta, odds): (&Rational, &Option<Rational>)| {
                odds.as_ref().map(|odds| ComposedEnds::after(answers, (alpha, beta), least, odds))
            };
            grid.betas.iter().zip(row).map(cell).collect()
        });
        Self { answers, cells: rows.collect() }
    }

    /// The region where Theorem 1 is unsafe, and the extent.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        let mut verdict = Verdict { points: 0, falls_below: 0, rises_above: 0, worst: None };
        for (row, cells) in self.cells.iter().enumerate() {
            for (column, cell) in cells.iter().enumerate() {
                let Some(cell) = cell else { continue };
                verdict.points += 1;
                verdict.rises_above += usize::from(cell.rises_above());
                if cell.falls_below() {
                    verdict.falls_below += 1;
                    let part = &cell.kept.low / &cell.claimed.low;
                    if verdict.worst.as_ref().is_none_or(|(worst, ..)| part < *worst) {
                        verdict.worst = Some((part, row, column));
                    }
                }
            }
        }
        verdict
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::adversary::Adversary;
    use crate::calibrate::largest_odds;
    use deniable_core::exact::ratio;
    use deniable_core::noise::{Decay, TwoSidedGeometric};
    use num_traits::Zero;
    use proptest::prelude::*;

    /// E-2: two worlds, α = β = 1/2. One answer keeps its promise; two leave 0.2 of a belief, while 0.25 was claimed.
    #[test]
    fn two_answers_break_the_claim() {
        let half = ratio(1, 2);
        let odds = largest_odds(Adversary::Weak, 2, &half, &half).unwrap();
        assert_eq!(odds, whole(3));
        let one = ComposedEnds::after(1, (&half, &half), &half, &odds);
        assert_eq!((&one.kept.low, one.is_unsafe()), (&half, false));
        let two = ComposedEnds::after(2, (&half, &half), &half, &odds);
        assert_eq!((two.kept.low.clone(), two.claimed.low.clone()), (ratio(1, 5), ratio(1, 4)));
        assert!(two.falls_below() && !two.rises_above() && two.is_unsafe());
    }

    /// The formula of Theorem 1 with elementary symmetric polynomials is the product.
    #[test]
    fn the_claim_is_that_of_the_theorem() {
        let (alpha, beta) = (ratio(1, 3), ratio(2, 5));
        let three = by_theorem_1(&alpha, &beta, 3);
        // σ1 − σ2 + σ3 for α, and 1 + σ1 + σ2 + σ3 − 1 for β, each of three equal values.
        let sigma = |x: &Rational| [whole(3) * x, whole(3) * x * x, x * x * x];
        let [a1, a2, a3] = sigma(&alpha);
        assert_eq!(three.low, whole(1) - (a1 - a2 + a3));
        let [b1, b2, b3] = sigma(&beta);
        assert_eq!(three.high, whole(1) + b1 + b2 + b3);
    }

    /// C-6: without a smallest prior the claim holds everywhere. With one it fails wherever α binds (E-2), and the
    /// upper claim never does: belief after odds `R^k` follows a mean of `k`-th powers, which is at least the `k`-th
    /// power of a mean.
    #[test]
    fn the_claim_is_unsafe_exactly_where_a_smallest_prior_is_used_up() {
        let grid = Grid { alphas: vec![ratio(1, 100), ratio(1, 2)], betas: vec![ratio(1, 100), whole(8)] };
        for adversary in Adversary::ALL {
            let odds = grid.odds(adversary, 1000).unwrap();
            for answers in [1, 2, 5, 20] {
                let composition = Composition::over(&grid, &odds, &adversary.least(1000), answers);
                let verdict = composition.verdict();
                assert_eq!((verdict.points, verdict.rises_above), (4, 0));
                let expected = adversary == Adversary::Weak && answers > 1;
                assert_eq!(verdict.falls_below > 0, expected, "{adversary:?}, {answers}");
                assert_eq!(verdict.worst.is_some(), expected);
                // β = 8 makes α bind.
                let unsafe_at = |row: usize| composition.cells[row][1].as_ref().unwrap().is_unsafe();
                assert_eq!((unsafe_at(0), unsafe_at(1)), (expected, expected));
            }
        }
    }

    /// Every output of every world, for `k` answers with two-sided geometric noise: belief in world 0 by Bayes' rule.
    fn beliefs(priors: &[Rational], answers: &[Vec<i32>], noise: &TwoSidedGeometric, theta: i32) -> Vec<Rational> {
        let mut outputs: Vec<Vec<i32>> = vec![vec![]];
        for _ in answers {
            outputs = outputs
                .iter()
                .flat_map(|begun| (-1..=theta + 1).map(move |next| [begun.clone(), vec![next]].concat()))
                .collect();
        }
        let likelihood = |world: usize, output: &[i32]| -> Rational {
            answers.iter().zip(output).map(|(of, out)| noise.probability(out - of[world])).product()
        };
        let belief = |output: &Vec<i32>| {
            let weights: Vec<Rational> =
                priors.iter().enumerate().map(|(world, prior)| prior * likelihood(world, output)).collect();
            &weights[0] / weights.iter().fold(Rational::zero(), |sum, weight| sum + weight) / &priors[0]
        };
        outputs.iter().map(belief).collect()
    }

    proptest! {
        /// Composing odds covers the exact posteriors, over all outputs of small mechanisms; and is attained if the
        /// least likely world differs from all others.
        #[test]
        fn composing_odds_covers_every_posterior(
            weights in prop::collection::vec(1_i64..6, 2..5),
            spread in prop::collection::vec(prop::collection::vec(0_i32..=2, 4), 1..4),
            numerator in 1_i64..9,
        ) {
            let theta = 2;
            let total: i64 = weights.iter().sum();
            let priors: Vec<Rational> = weights.iter().map(|weight| ratio(*weight, total)).collect();
            let least = priors.iter().min().unwrap().clone();
            let decay = ratio(numerator, 10);
            let odds = power(&decay, 2).recip(); // r = R^(−1/Θ)
            let noise = TwoSidedGeometric::new(Decay::exactly(decay).unwrap());
            let kept = by_odds(&least, &odds, u32::try_from(spread.len()).unwrap());
            for multiple in beliefs(&priors, &spread, &noise, theta) {
                prop_assert!(kept.low <= multiple && multiple <= kept.high, "{multiple} outside {kept:?}");
            }
            // The worst case: world 0 is the least likely, and its answers are Θ away from all others.
            let mut priors = priors;
            let at = priors.iter().position(|prior| *prior == least).unwrap();
            priors.swap(0, at);
            let apart: Vec<Vec<i32>> = spread.iter().map(|_| vec![0, theta, theta, theta]).collect();
            let found = beliefs(&priors, &apart, &noise, theta);
            prop_assert_eq!(found.iter().min(), Some(&kept.low));
            prop_assert_eq!(found.iter().max(), Some(&kept.high));
        }

        /// One answer never breaks the claim, and the region does not depend on floating point.
        #[test]
        fn one_answer_keeps_its_promise(worlds in 2_usize..500, a in 1_i64..99, b in 1_i64..300) {
            let (alpha, beta) = (ratio(a, 100), ratio(b, 100));
            if let Ok(odds) = largest_odds(Adversary::Weak, worlds, &alpha, &beta) {
                let least = Adversary::Weak.least(worlds);
                prop_assert!(!ComposedEnds::after(1, (&alpha, &beta), &least, &odds).is_unsafe());
                prop_assert!(!ComposedEnds::after(7, (&alpha, &beta), &least, &odds).rises_above());
            }
        }
    }
}
