//! Distance scores of a whole cohort, on several threads.

use deniable_genome::distance::TooManyPeople;
use deniable_genome::{CohortAdjacency, ContingencyTable, Test, Threshold, distance};
use std::num::NonZeroUsize;

/// Number of SNPs that a thread takes at a time: some SNPs take much longer than others.
const AT_ONCE: usize = 512;

/// The score of every SNP, in order (G-2).
///
/// # Errors
/// If there are too many people.
pub fn scores(
    tables: &[ContingencyTable],
    test: Test,
    adjacency: CohortAdjacency,
    threshold: &Threshold,
    threads: NonZeroUsize,
) -> Result<Vec<Option<i64>>, TooManyPeople> {
    let mut scores = vec![None; tables.len()];
    let next = std::sync::Mutex::new(tables.chunks(AT_ONCE).zip(scores.chunks_mut(AT_ONCE)));
    std::thread::scope(|scope| {
        let work = || -> Result<(), TooManyPeople> {
            loop {
                let taken = next.lock().unwrap_or_else(std::sync::PoisonError::into_inner).next();
                let Some((tables, scores)) = taken else { return Ok(()) };
                for (table, score) in tables.iter().zip(scores) {
                    *score = distance(table, test, adjacency, threshold)?.score();
                }
            }
        };
        let workers: Vec<_> = (1..threads.get()).map(|_| scope.spawn(work)).collect();
        let own = work();
        workers
            .into_iter()
            .map(|worker| worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .fold(own, Result::and)
    })?;
    Ok(scores)
}

#[cfg(test)]
mod tests {
    use super::*;
    use deniable_core::exact::ratio;

    #[test]
    fn scores_do_not_depend_on_threads() {
        let tables: Vec<ContingencyTable> =
            (0..2000).map(|at| ContingencyTable { cases: [at % 7, 5, at % 11], controls: [4, at % 5, 9] }).collect();
        let threshold = Threshold::new(&ratio(384, 100)).unwrap();
        let of = |threads| {
            let threads = NonZeroUsize::new(threads).unwrap();
            scores(&tables, Test::Allelic, CohortAdjacency::Genotype, &threshold, threads).unwrap()
        };
        let alone: Vec<Option<i64>> = tables
            .iter()
            .map(|table| distance(table, Test::Allelic, CohortAdjacency::Genotype, &threshold).unwrap().score())
            .collect();
        assert_eq!((of(1), of(3)), (alone.clone(), alone));
    }
}
