//! The sweep over α and β: the size of the noise relative to the answer, expected and drawn.

use crate::EvaluateError;
use crate::adult::Adult;
use crate::adversary::Adversary;
use crate::calibrate::{Noise, largest_odds};
use crate::queries::Query;
use deniable_core::exact::{Rational, ratio, whole};
use deniable_core::promise::PromiseError;
use num_traits::{Signed, ToPrimitive, Zero};
use rand_core::Rng;
use std::collections::BTreeMap;

/// The preferred numbers of one decade (ISO 3, R10), in hundredths: ten even steps of a logarithm, as short decimals.
const DECADE: [i64; 10] = [100, 125, 160, 200, 250, 315, 400, 500, 630, 800];

/// The values of α and β, each ascending. They are exact: promises at a point are decided on them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grid {
    /// Values of α.
    pub alphas: Vec<Rational>,
    /// Values of β.
    pub betas: Vec<Rational>,
}

/// The first `count` preferred numbers from 10^−3 on.
fn preferred(count: usize) -> Vec<Rational> {
    let tens = std::iter::successors(Some(ratio(1, 100_000)), |ten| Some(ten * whole(10)));
    tens.flat_map(|ten| DECADE.map(|step| whole(step) * &ten)).take(count).collect()
}

impl Default for Grid {
    /// α from 0.001 to 1.6 and β from 0.001 to 31.5, ten steps in a decade. The definition requires α below 1: its end
    /// is part of the chart.
    /// ends is part of the picture.
    fn default() -> Self {
        Self { alphas: preferred(33), betas: preferred(46) }
    }
}

impl Grid {
    /// The largest odds ratios over the grid: for each α, for each β, `None` where the promise is undefined.
    ///
    /// # Errors
    /// When a promise fails for another reason than its range.
    pub fn odds(&self, adversary: Adversary, worlds: usize) -> Result<Cells<Rational>, PromiseError> {
        let row = |alpha: &Rational| {
            let of = |beta| match largest_odds(adversary, worlds, alpha, beta) {
                Ok(odds) => Ok(Some(odds)),
                Err(PromiseError::OutOfRange { .. }) => Ok(None),
                Err(other) => Err(other),
            };
            self.betas.iter().map(of).collect()
        };
        self.alphas.iter().map(row).collect()
    }

    /// The row and column of a pair.
    #[must_use]
    pub fn position(&self, alpha: &Rational, beta: &Rational) -> Option<(usize, usize)> {
        let row = self.alphas.iter().position(|value| value == alpha)?;
        Some((row, self.betas.iter().position(|value| value == beta)?))
    }
}

/// One value for each point of the grid, if it is defined there: rows are values of α.
pub type Cells<T> = Vec<Vec<Option<T>>>;

/// Divisor of the size of the noise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    /// The answer: the error ratio.
    Answer,
    /// The width of the domain, where the answer is 0 and no error ratio exists.
    Width,
}

/// The divisor of a query's noise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Yardstick {
    /// Its kind.
    pub measure: Measure,
    /// Its size in units, above 0.
    pub units: Rational,
}

impl Yardstick {
    /// The answer's size, or the width of the domain where the answer is 0.
    #[must_use]
    pub fn of(query: Query, adult: &Adult) -> Self {
        let value = query.units(adult);
        if value.is_zero() {
            Self { measure: Measure::Width, units: whole(query.theta_units()) }
        } else {
            Self { measure: Measure::Answer, units: whole(value.abs()) }
        }
    }

    /// A size in units as a multiple of this, for display.
    #[must_use]
    pub fn multiple(&self, size: &Rational) -> f64 {
        (size / &self.units).to_f64().unwrap_or(f64::INFINITY)
    }
}

/// The noise of one query against one adversary, over the grid.
#[derive(Debug, Clone, PartialEq)]
pub struct Surface {
    /// The adversary.
    pub adversary: Adversary,
    /// The query.
    pub query: Query,
    /// The divisor of the noise.
    pub measure: Measure,
    /// The expected size of the noise over the divisor, of the exact distribution, as the nearest float.
    pub expected: Cells<f64>,
    /// The mean size over the draws.
    pub measured: Cells<f64>,
}

impl Surface {
    /// Sweeps the grid, with `repetitions ≥ 1` draws at each point.
    ///
    /// # Errors
    /// When there is no sensible noise for a promise of the grid.
    pub fn sweep<R: Rng>(
        (adversary, query): (Adversary, Query),
        adult: &Adult,
        odds: &Cells<Rational>,
        repetitions: u32,
        rng: &mut R,
    ) -> Result<Self, EvaluateError> {
        let yardstick = Yardstick::of(query, adult);
        let theta = query.theta_units();
        // A row of one α and a column of one β share most of their odds ratios.
        let mut known: BTreeMap<&Rational, Noise> = BTreeMap::new();
        let (mut expected, mut measured): (Cells<f64>, Cells<f64>) = (Vec::new(), Vec::new());
        for row in odds {
            let (mut mean, mut drawn) = (Vec::new(), Vec::new());
            for odds in row {
                let Some(odds) = odds else {
                    mean.push(None);
                    drawn.push(None);
                    continue;
                };
                let noise = match known.entry(odds) {
                    std::collections::btree_map::Entry::Occupied(entry) => entry.into_mut(),
                    std::collections::btree_map::Entry::Vacant(entry) => entry.insert(Noise::hiding(odds, &theta)?),
                };
                let total: u128 = (0..repetitions).map(|_| noise.sampler().sample(rng).unsigned_abs()).sum();
                mean.push(Some(yardstick.multiple(noise.mean_size())));
                drawn.push(Some(yardstick.multiple(&(whole(total) / whole(repetitions)))));
            }
            expected.push(mean);
            measured.push(drawn);
        }
        Ok(Self { adversary, query, measure: yardstick.measure, expected, measured })
    }

    /// The largest difference between measured and expected, relative to expected.
    #[must_use]
    pub fn largest_deviation(&self) -> f64 {
        let pairs = self.expected.iter().flatten().zip(self.measured.iter().flatten());
        pairs.filter_map(|(mean, drawn)| Some((drawn.as_ref()? / mean.as_ref()? - 1.0).abs())).fold(0.0, f64::max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::adult::Column;
    use crate::queries::Aggregate;
    use deniable_core::exact::parse_rational;
    use rand_chacha::ChaCha20Rng;
    use rand_core::SeedableRng;

    fn number(text: &str) -> Rational {
        parse_rational(text).unwrap()
    }

    #[test]
    fn the_grid_holds_the_papers_points_and_goes_beyond_1() {
        let grid = Grid::default();
        assert_eq!((&grid.alphas[0], grid.alphas.last()), (&number("0.001"), Some(&number("1.6"))));
        assert_eq!((&grid.betas[1], grid.betas.last()), (&number("0.00125"), Some(&number("31.5"))));
        assert!(grid.betas.is_sorted() && grid.alphas.is_sorted());
        assert_eq!(grid.position(&number("0.008"), &number("0.008")), Some((9, 9)));
        assert!(grid.position(&number("0.5"), &number("1")).is_some());
        assert_eq!(grid.position(&number("0.3"), &number("1")), None);
    }

    #[test]
    fn outside_the_definition_there_is_nothing() {
        let grid = Grid::default();
        let (one, nine) = (number("1"), number("9"));
        for adversary in Adversary::ALL {
            let odds = grid.odds(adversary, 32_562).unwrap();
            for (alpha, row) in grid.alphas.iter().zip(&odds) {
                for (beta, odds) in grid.betas.iter().zip(row) {
                    let sensible = *alpha < one && (adversary != Adversary::Strong || *beta < nine);
                    assert_eq!(odds.is_some(), sensible, "{adversary:?} at {alpha}, {beta}");
                }
            }
        }
    }

    fn tiny() -> Adult {
        let line = |age, hours| format!("{age}, a, 1, b, 1, c, d, e, f, g, 0, 0, {hours}, h, i\n");
        Adult::read((line(20, 40) + &line(30, 50) + &line(40, 60)).as_bytes()).unwrap()
    }

    /// Means of 4,000 draws at 30 points, fixed seed. The standard deviation of |k| is `√(E k² − (E|k|)²)` with
    /// `E k² = 2r/(1−r)²`; six standard errors on each of 30 points would fail by chance less than once in a million
    /// seeds (normal approximation).
    #[test]
    fn draws_have_the_expected_size() {
        let grid = Grid { alphas: ["0.01", "0.3", "0.9"].map(number).to_vec(), betas: preferred(41).split_off(31) };
        let (adult, query) = (tiny(), Query { aggregate: Aggregate::Sum, column: Column::HoursPerWeek });
        let odds = grid.odds(Adversary::Unknown, 4).unwrap();
        let draws = 4_000;
        // The seed is fixed: the tolerances are not error rates.
        let mut rng = ChaCha20Rng::seed_from_u64(1);
        let surface = Surface::sweep((Adversary::Unknown, query), &adult, &odds, draws, &mut rng).unwrap();
        let mut points = 0;
        for ((odds, mean), drawn) in
            odds.iter().flatten().zip(surface.expected.iter().flatten()).zip(surface.measured.iter().flatten())
        {
            let (Some(odds), Some(mean), Some(drawn)) = (odds, mean, drawn) else { panic!("all are sensible") };
            let noise = Noise::hiding(odds, &query.theta_units()).unwrap();
            let r = noise.sampler().decay().ratio();
            let square = whole(2) * r / ((whole(1) - r) * (whole(1) - r));
            let variance = (square - noise.mean_size() * noise.mean_size()).to_f64().unwrap();
            let error = (variance / f64::from(draws)).sqrt() / 150.0; // 150 hours in all
            assert!((drawn - mean).abs() < 6.0 * error, "{drawn} for {mean} at {odds}");
            points += 1;
        }
        assert_eq!(points, 30);
        assert!(surface.largest_deviation() > 0.0 && surface.largest_deviation() < 0.2);
    }

    #[test]
    fn an_answer_of_0_is_measured_by_its_domain() {
        let of = |aggregate, column| Yardstick::of(Query { aggregate, column }, &tiny());
        assert_eq!(
            of(Aggregate::Min, Column::CapitalGain),
            Yardstick { measure: Measure::Width, units: whole(99_999) }
        );
        assert_eq!(of(Aggregate::Avg, Column::Age), Yardstick { measure: Measure::Answer, units: whole(90) });
        assert_eq!(of(Aggregate::Median, Column::Age).units, whole(30));
    }

    #[test]
    fn one_seed_gives_one_surface() {
        let grid = Grid { alphas: vec![number("0.5")], betas: vec![number("0.5"), number("20")] };
        let query = Query { aggregate: Aggregate::Max, column: Column::Age };
        let odds = grid.odds(Adversary::Strong, 4).unwrap();
        let sweep = |seed| {
            let mut rng = ChaCha20Rng::seed_from_u64(seed);
            Surface::sweep((Adversary::Strong, query), &tiny(), &odds, 50, &mut rng).unwrap()
        };
        assert_eq!(sweep(7), sweep(7));
        assert_ne!(sweep(7), sweep(8));
        assert_eq!(sweep(7).measured[0][1], None);
    }
}
