//! Answers on made-up rows. They concern no real person, so noise can be drawn any number of times.

use super::exact;
use crate::bound::{Exact, Salt};
use deniable_core::exact::{Rational, whole};
use deniable_core::noise::Decay;
use deniable_core::schema::TableSchema;
use deniable_data::SourceError;
use deniable_data::{Resources, synthetic};
use deniable_query::{MeasureKind, Query};
use num_traits::{ToPrimitive, Zero};
use rand_core::Rng;

/// A query's exact answer on made-up rows, to which noise can be added any number of times.
pub struct Simulation {
    exact: Exact,
}

impl Simulation {
    /// Answers a query on made-up rows for these tables, with the given number of rows, and of entities if stated.
    ///
    /// # Errors
    /// When the query is not about these tables, or the resources do not suffice.
    pub fn new(
        tables: &[TableSchema],
        (rows, entities): (u64, Option<u64>),
        query: &Query,
        resources: &Resources,
    ) -> Result<Self, SourceError> {
        let sources = synthetic(tables, rows, entities)?;
        Ok(Self { exact: exact(&sources, query, &Salt([0; 32]), resources, &|_| {})? })
    }

    /// The same answer at other sizes. The cells of each measure with a typical value per cell ([`Query::typical`])
    /// then have this value on average, in the proportions of the made-up rows; other measures do not change.
    #[must_use]
    pub fn of_sizes(mut self, query: &Query, typical: &[Option<i128>]) -> Self {
        let made_up = self.exact.again().sums();
        for (measure, typical) in typical.iter().enumerate() {
            let (Some(typical), Some(sums)) = (typical, self.exact.sums_mut(measure)) else { continue };
            let total = whole(*typical) * whole(sums.len());
            let sum = |part: Rational| (&total * part).round().to_integer().to_i128().unwrap_or(*typical);
            *sums = parts(query, measure, &made_up).into_iter().map(sum).collect();
        }
        self
    }

    /// The released numbers, as [`Exact::with_noise`] makes them.
    pub fn with_noise<R: Rng>(
        &self,
        query: &Query,
        decays: &[Decay],
        confidence: &Rational,
        rng: &mut R,
    ) -> Vec<Vec<i128>> {
        self.exact.again().with_noise(query, decays, confidence, rng)
    }
}

/// The part of each cell in the sums of a measure. Sums of values are divided as the rows are if the query counts them:
/// around zero, their own proportions would be arbitrary.
fn parts(query: &Query, measure: usize, made_up: &[Vec<i128>]) -> Vec<Rational> {
    let of = |at: usize| &query.measures()[at];
    let is_count = |at: &usize| matches!(of(*at).kind, MeasureKind::Rows | MeasureKind::NotNull { .. });
    let is_value = matches!(of(measure).kind, MeasureKind::Sum { .. } | MeasureKind::Product { .. });
    let beside = (0..made_up.len()).filter(is_count).find(|at| of(*at).level == of(measure).level);
    let sums = &made_up[beside.filter(|_| is_value).unwrap_or(measure)];
    let all: Rational = sums.iter().map(|sum| whole(sum.unsigned_abs())).sum();
    // Without any made-up row that counts, all cells are equally large.
    let part = |sum: &i128| if all.is_zero() { whole(sums.len()).recip() } else { whole(sum.unsigned_abs()) / &all };
    sums.iter().map(part).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use deniable_core::exact::ratio;
    use deniable_core::noise::{counted, flip_probabilities, probabilities, segments};
    use deniable_core::schema::{Bounds, Column, ColumnType, Key};
    use rand_chacha::ChaCha20Rng;
    use rand_chacha::rand_core::SeedableRng;

    fn column(name: &str, kind: ColumnType) -> Column {
        Column::new(name, kind)
    }

    #[test]
    fn equal_queries_have_the_same_exact_answer_and_fresh_noise() {
        let age =
            Column { bounds: Bounds::new(whole(0), whole(110), whole(1)).ok(), ..column("age", ColumnType::Integer) };
        let tables = [TableSchema::protected("t", vec![age], None)];
        let query = deniable_sql::plan("SELECT COUNT(*), SUM(age) FROM t", &tables).unwrap();
        let simulation = Simulation::new(&tables, (500, None), &query, &Resources::default()).unwrap();
        let mut rng = ChaCha20Rng::seed_from_u64(7);
        let mut draw = |decay: Rational| {
            let decays = vec![Decay::exactly(decay).unwrap(); query.measures().len()];
            simulation.with_noise(&query, &decays, &ratio(19, 20), &mut rng)
        };
        let truth = draw(ratio(1, 1_000_000_000_000));
        assert_eq!(truth[0], [500]);
        assert_ne!(draw(ratio(99, 100)), draw(ratio(99, 100)));
    }

    /// Sums have the stated sizes, in the proportions of the made-up rows.
    #[test]
    fn sizes_are_those_that_are_stated() {
        let ward = Column { keys: Some(vec![Key::Integer(1), Key::Integer(2)]), ..column("ward", ColumnType::Integer) };
        let age =
            Column { bounds: Bounds::new(whole(0), whole(110), whole(1)).ok(), ..column("age", ColumnType::Integer) };
        let tables = [TableSchema::protected("t", vec![ward, age], None)];
        let sql = "SELECT ward, COUNT(*), SUM(age), MEDIAN(age) FROM t WHERE age < 200 GROUP BY ward";
        let query = deniable_sql::plan(sql, &tables).unwrap();
        let simulate = |rows| Simulation::new(&tables, (rows, None), &query, &Resources::default()).unwrap();
        let typical: Vec<Option<i128>> = query
            .measures()
            .iter()
            .map(|measure| match measure.kind {
                MeasureKind::Rows | MeasureKind::NotNull { .. } => Some(1_000_000),
                MeasureKind::Sum { .. } => Some(-40),
                _ => None,
            })
            .collect();
        for rows in [500, 0] {
            let sums = simulate(rows).of_sizes(&query, &typical).exact.sums();
            for (typical, sums) in typical.iter().zip(&sums) {
                let Some(typical) = typical else { continue };
                assert_eq!(sums.iter().sum::<i128>(), typical * 2, "{sums:?}");
                // The first key is the most frequent.
                let is_first_larger = sums[0].abs() > sums[1].abs();
                assert_eq!(is_first_larger, rows > 0, "{sums:?}");
            }
        }
    }

    /// Compares values chosen by rank with the distribution of permute-and-flip and with that of the exponential
    /// mechanism, by Pearson's χ².
    #[test]
    fn values_are_chosen_by_permute_and_flip() {
        let score =
            Column { bounds: Bounds::new(whole(0), whole(4), whole(1)).ok(), ..column("score", ColumnType::Integer) };
        let tables = [TableSchema::protected("t", vec![score], None)];
        let decay = Decay::exactly(ratio(1, 2)).unwrap();
        for aggregate in ["MEDIAN(score)", "MIN(score)", "MAX(score)"] {
            let query = deniable_sql::plan(&format!("SELECT {aggregate} FROM t"), &tables).unwrap();
            let simulation = Simulation::new(&tables, (6, None), &query, &Resources::default()).unwrap();
            let rows: Vec<i64> =
                simulation.exact.again().reveal()[0][0].iter().map(|value| i64::try_from(*value).unwrap()).collect();
            let MeasureKind::Ranked { target, .. } = &query.measures()[0].kind else { panic!("{aggregate}") };
            let rank = query.rank(0, *target, &decay);
            let found: Vec<_> = segments(&counted(rows), 0, 4, &rank).into_iter().map(|(_, found)| found).collect();
            let draws = 10_000;
            let mut seen = [0_u32; 5];
            // The seed is fixed: the tolerances are not error rates.
            let mut rng = ChaCha20Rng::seed_from_u64(11);
            for _ in 0..draws {
                let values = simulation.with_noise(&query, std::slice::from_ref(&decay), &ratio(19, 20), &mut rng);
                seen[usize::try_from(values[0][0]).unwrap()] += 1;
            }
            let statistic = |law: Vec<Rational>| -> f64 {
                let off = |(chance, seen): (&Rational, u32)| {
                    let expected = chance.to_f64().unwrap() * f64::from(draws);
                    (f64::from(seen) - expected).powi(2) / expected
                };
                law.iter().zip(seen).map(off).sum()
            };
            // χ² with four degrees of freedom exceeds 25.9 with probability 3·10⁻⁵.
            let (flipped, weighed) = (flip_probabilities(&found, &decay), probabilities(&found, &decay));
            assert!(statistic(flipped) < 25.9, "{aggregate}: {seen:?}");
            assert!(statistic(weighed) > 100.0, "{aggregate}: {seen:?}");
        }
    }
}
