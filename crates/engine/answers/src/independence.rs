//! A test of independence of two groups, from released numbers of people alone (C-3).
//!
//! The statistic is Pearson's `Σ (N - E)² / (E + σ²)`: the variance σ² of the noise is added to that of the counts.
//! Its distribution under independence is simulated: people fall into cells by the product of the parts of the rows and
//! of the columns, and get noise of the same law. These parts are not known, so three estimates are tried: the
//! released margins, and these with every margin one standard error of its noise larger or smaller. The largest of the
//! three p-values is the result.
//!
//! The people are treated as independent draws. The random numbers follow from the released numbers: a stored answer
//! has the same result each time it is shown. Floats decide nothing that protects a person here.

use deniable_core::adversary::Adjacency;
use deniable_core::exact::{Rational, ratio};
use deniable_core::noise::Decay;
use deniable_query::{MeasureKind, Query, QueryError};
use num_bigint::BigInt;
use num_traits::{One, ToPrimitive};
use rand_chacha::ChaCha8Rng;
use rand_core::{Rng, SeedableRng};

/// Most cells of a table that is tested.
pub const MOST_TESTED: usize = 400;
/// Simulated tables for each estimate of the margins: the smallest p-value is 1/2000.
const DRAWS: u32 = 1_999;
/// Variance of a number of people above which its distribution is drawn as a rounded normal one.
const NORMAL: f64 = 100.0;

/// The result of a test of independence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Independence {
    /// The p-value, at least [`Self::smallest`].
    pub p: Rational,
    /// The positions of the two groups.
    pub groups: [usize; 2],
}

impl Independence {
    /// The smallest p-value that the simulation can give: a result of this size means "at most".
    #[must_use]
    pub fn smallest() -> Rational {
        ratio(1, i64::from(DRAWS) + 1)
    }
}

/// The measure and the two groups of a query that can be tested.
///
/// # Errors
/// If it has not two groups of at least two keys, no number of people, or if one person may be in several cells.
pub fn check_independence(query: &Query) -> Result<(usize, [usize; 2]), QueryError> {
    const WHAT: &str = "a test of independence (`test = \"independence\"`)";
    let refused = |what: &str, help: &str| Err(QueryError::refused(format!("{WHAT} of {what}"), help.to_owned()));
    let [level] = query.levels() else {
        return refused("a query with several levels", "group by the two columns alone, without ROLLUP or CUBE");
    };
    let groups = match level.as_slice() {
        [rows, columns] => [*rows, *columns],
        _ => return refused("anything but two groups", "it is about a table of two columns: GROUP BY a, b"),
    };
    if groups.iter().any(|group| query.groups()[*group].hidden > 0) {
        return refused("groups beside a total", "show the table alone, and totals in a query of their own");
    }
    let keys = groups.map(|group| query.groups()[group].keys.len());
    if keys.contains(&1) || keys[0] * keys[1] > MOST_TESTED {
        let help = format!("each group needs two keys at least, and the table has at most {MOST_TESTED} cells");
        return refused("a table of this size", &help);
    }
    let is_count = |kind: &MeasureKind| matches!(kind, MeasureKind::Rows | MeasureKind::Entities { present: None });
    let Some(measure) = query.measures().iter().position(|measure| is_count(&measure.kind)) else {
        return refused("a query without a number of people", "add COUNT(*) or COUNT(DISTINCT <entity key>)");
    };
    if query.sensitivity(measure, Adjacency::AddRemove) != BigInt::one() {
        let help = "a person in several cells is not one draw: add `rows_per_group = 1` and `groups = 1` to this query, or \
                    count one row of each entity";
        return refused("numbers to which one person adds more than 1", help);
    }
    Ok((measure, groups))
}

/// Tests the released numbers of a query for which [`check_independence`] succeeds: one number for each cell, those of
/// the second group varying fastest.
#[must_use]
pub fn independence(query: &Query, values: &[Vec<i128>], decays: &[Decay]) -> Option<Independence> {
    let (measure, groups) = check_independence(query).ok()?;
    let columns = query.groups()[groups[1]].keys.len();
    let decay = decays.get(measure)?.ratio().to_f64()?;
    let p = tested(values.get(measure)?, columns, decay);
    Some(Independence { p: ratio(i64::from(p), i64::from(DRAWS) + 1), groups })
}

/// The p-value of a table, in units of the smallest one.
fn tested(values: &[i128], columns: usize, decay: f64) -> u32 {
    #[expect(clippy::cast_precision_loss, reason = "a test on noisy counts")]
    let counts: Vec<f64> = values.iter().map(|value| *value as f64).collect();
    let table = Table { columns, variance: 2.0 * decay / (1.0 - decay).powi(2) };
    let (seen, people) = (table.statistic(&counts), counts.iter().sum::<f64>().max(0.0).round());
    let mut random = Random(ChaCha8Rng::from_seed(seed(values)));
    let p_values = [0.0, 1.0, -1.0].map(|errors| {
        let parts = table.parts(&counts, errors);
        let mut drawn = vec![0.0; counts.len()];
        let beyond = (0..DRAWS).filter(|_| {
            random.people(people, &parts, &mut drawn);
            drawn.iter_mut().for_each(|cell| *cell += random.noise(decay));
            table.statistic(&drawn) >= seen * (1.0 - 1e-12)
        });
        1 + u32::try_from(beyond.count()).unwrap_or(DRAWS)
    });
    p_values.into_iter().max().unwrap_or(DRAWS + 1)
}

/// The shape of a table, and the variance of the noise of its cells.
struct Table {
    columns: usize,
    variance: f64,
}

impl Table {
    fn margins(&self, counts: &[f64]) -> [Vec<f64>; 2] {
        let mut margins = [vec![0.0; counts.len() / self.columns], vec![0.0; self.columns]];
        for (at, count) in counts.iter().enumerate() {
            margins[0][at / self.columns] += count;
            margins[1][at % self.columns] += count;
        }
        margins
    }

    fn statistic(&self, counts: &[f64]) -> f64 {
        let [rows, columns] = self.margins(counts).map(|all| all.into_iter().map(|count| count.max(0.0)).collect());
        let (rows, columns): (Vec<f64>, Vec<f64>) = (rows, columns);
        let people = counts.iter().sum::<f64>().max(1.0);
        let cell = |(at, count): (usize, &f64)| {
            let expected = rows[at / self.columns] * columns[at % self.columns] / people;
            // Without noise, an empty row or column has no cell that deviates.
            let variance = expected + self.variance;
            if variance > 0.0 { (count - expected).powi(2) / variance } else { 0.0 }
        };
        counts.iter().enumerate().map(cell).sum()
    }

    /// The parts of the cells under independence, with margins moved by some of their standard errors.
    fn parts(&self, counts: &[f64], errors: f64) -> Vec<f64> {
        let [rows, columns] = self.margins(counts);
        #[expect(clippy::cast_precision_loss, reason = "a few hundred cells")]
        let moved = |margins: &[f64], others: usize| {
            let error = errors * (self.variance * others as f64).sqrt();
            let margins: Vec<f64> = margins.iter().map(|margin| (margin + error).max(0.0)).collect();
            let all: f64 = margins.iter().sum();
            let even = 1.0 / margins.len() as f64;
            margins.iter().map(|margin| if all > 0.0 { margin / all } else { even }).collect::<Vec<f64>>()
        };
        let (row_parts, column_parts) = (moved(&rows, columns.len()), moved(&columns, rows.len()));
        row_parts.iter().flat_map(|row| column_parts.iter().map(move |column| row * column)).collect()
    }
}

/// Random numbers that follow from the released ones.
fn seed(values: &[i128]) -> [u8; 32] {
    let mut seed = *b"deniable 2026 independence test ";
    for (at, byte) in values.iter().flat_map(|value| value.to_le_bytes()).enumerate() {
        let place = at % seed.len();
        seed[place] = seed[place].wrapping_mul(31).wrapping_add(byte).rotate_left(3);
    }
    seed
}

struct Random(ChaCha8Rng);

impl Random {
    /// Uniform in (0, 1).
    #[expect(clippy::cast_precision_loss, reason = "53 bits fit")]
    fn uniform(&mut self) -> f64 {
        ((self.0.next_u64() >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
    }

    /// Two-sided geometric noise: the difference of two geometric numbers.
    fn noise(&mut self, decay: f64) -> f64 {
        let mut geometric = || if decay > 0.0 { (self.uniform().ln() / decay.ln()).floor() } else { 0.0 };
        geometric() - geometric()
    }

    /// Numbers of people in cells with these parts.
    fn people(&mut self, people: f64, parts: &[f64], counts: &mut [f64]) {
        let (mut left, mut rest) = (people, 1.0);
        for (count, part) in counts.iter_mut().zip(parts) {
            let share = if rest > 0.0 { (part / rest).clamp(0.0, 1.0) } else { 1.0 };
            *count = self.binomial(left, share);
            (left, rest) = (left - *count, rest - part);
        }
        // What rounding of the parts leaves over belongs to the last cell.
        if let Some(last) = counts.last_mut() {
            *last += left;
        }
    }

    fn binomial(&mut self, people: f64, share: f64) -> f64 {
        if share > 0.5 {
            return people - self.binomial(people, 1.0 - share);
        }
        if people <= 0.0 || share <= 0.0 {
            return 0.0;
        }
        let variance = people * share * (1.0 - share);
        if variance > NORMAL {
            let (radius, angle) = ((-2.0 * self.uniform().ln()).sqrt(), std::f64::consts::TAU * self.uniform());
            return (people * share + variance.sqrt() * radius * angle.cos()).round().clamp(0.0, people);
        }
        // The distances between successes are geometric.
        let (mut at, mut successes) = (0.0, 0.0);
        loop {
            at += (self.uniform().ln() / (1.0 - share).ln()).floor() + 1.0;
            if at > people {
                return successes;
            }
            successes += 1.0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use deniable_testing::sized;

    /// The part of p-values up to a level, over tables of independent groups with noise.
    fn rejected(tables: u32, people: f64, rows: &[f64], columns: &[f64], decay: f64, level: f64) -> f64 {
        let parts: Vec<f64> = rows.iter().flat_map(|row| columns.iter().map(move |column| row * column)).collect();
        let mut random = Random(ChaCha8Rng::seed_from_u64(7));
        let mut counts = vec![0.0; parts.len()];
        let small = (0..tables).filter(|_| {
            random.people(people, &parts, &mut counts);
            #[expect(clippy::cast_possible_truncation, reason = "whole numbers")]
            let values: Vec<i128> = counts.iter().map(|count| (count + random.noise(decay)) as i128).collect();
            f64::from(tested(&values, columns.len(), decay)) / f64::from(DRAWS + 1) <= level
        });
        f64::from(u32::try_from(small.count()).unwrap()) / f64::from(tables)
    }

    /// Under independence, a p-value of at most 1/20 has a probability of about 1/20. Each bound is exceeded by chance
    /// once in ten thousand runs at most: the seeds are fixed, so this says how far the figures may move.
    #[test]
    fn independent_groups_are_seldom_rejected() {
        for (people, rows, columns, decay) in [
            (200.0, &[0.5, 0.5][..], &[0.5, 0.3, 0.2][..], 0.9),
            (60.0, &[0.9, 0.1], &[0.7, 0.3], 0.9),
            (2_000.0, &[0.5, 0.3, 0.2], &[0.25; 4], 0.98),
            (1_000.0, &[0.6, 0.4], &[0.5, 0.5], 0.0),
        ] {
            let (tables, most) = sized((50, 0.2), (200, 0.115));
            let part = rejected(tables, people, rows, columns, decay, 0.05);
            assert!(part <= most, "{people} {rows:?} {columns:?} {decay}: {part}");
        }
    }

    /// Without noise it is Pearson's test: the statistics of these tables are 3.934 and 0.981, and the chi-square
    /// distribution of one degree of freedom exceeds them with these probabilities.
    #[test]
    fn without_noise_it_is_pearsons_test() {
        for (table, expected) in [([60, 40, 46, 54], 0.0473), ([55, 45, 48, 52], 0.3220)] {
            let p = f64::from(tested(&table, 2, 0.0)) / f64::from(DRAWS + 1);
            assert!((p - expected).abs() < 0.02, "{table:?}: {p}");
        }
    }

    #[test]
    fn dependence_is_seen_beyond_the_noise_alone() {
        let strong = [900, 100, 100, 900];
        assert_eq!(tested(&strong, 2, 0.98), 1);
        // The same differences, within the noise.
        assert!(tested(&[9, 1, 1, 9], 2, 0.98) > 400);
        assert!(tested(&[-5, 3, 2, -4], 2, 0.98) > 400, "negative numbers");
        assert_eq!(tested(&[0, 0, 0, 0], 2, 0.0), DRAWS + 1, "nobody");
        assert_eq!(tested(&strong, 2, 0.9), tested(&strong, 2, 0.9), "the same each time");
    }

    #[test]
    fn people_fall_into_cells_by_their_parts() {
        let mut random = Random(ChaCha8Rng::seed_from_u64(1));
        let parts = [0.5, 0.25, 0.2, 0.05];
        for people in [10.0, 100.0, 100_000.0] {
            let (mut sums, mut counts) = ([0.0; 4], [0.0; 4]);
            for _ in 0..2_000 {
                random.people(people, &parts, &mut counts);
                assert!(counts.iter().all(|count| *count >= 0.0 && count.fract() == 0.0));
                assert!((counts.iter().sum::<f64>() - people).abs() < 0.5);
                sums.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count / 2_000.0);
            }
            for (sum, part) in sums.iter().zip(parts) {
                let error = 5.0 * (people * part * (1.0 - part) / 2_000.0).sqrt();
                assert!((sum - people * part).abs() < error, "{people}: {sum}");
            }
        }
    }
}
