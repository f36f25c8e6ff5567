//! Answers on made-up rows. They concern no real person, so noise can be drawn any number of times.

use super::exact;
use crate::bound::{Exact, Salt};
use deniable_core::exact::Rational;
use deniable_core::noise::Decay;
use deniable_core::schema::TableSchema;
use deniable_data::SourceError;
use deniable_data::{Resources, synthetic};
use deniable_query::Query;
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

#[cfg(test)]
mod tests {
    use super::*;
    use deniable_core::exact::{ratio, whole};
    use deniable_core::noise::{counted, flip_probabilities, probabilities, segments};
    use deniable_core::schema::{Bounds, Column, ColumnType};
    use deniable_query::MeasureKind;
    use num_traits::ToPrimitive;
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
