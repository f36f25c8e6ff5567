//! Work shared among threads, with results in the order of the work.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

/// Does something with each item on up to `threads` threads. After a failure no further item is begun, and the failure of the
/// first item among those that failed is returned.
pub fn each<T: Sync, R: Send, E: Send>(
    threads: usize,
    items: &[T],
    does: impl Fn(&T) -> Result<R, E> + Sync,
) -> Result<Vec<R>, E> {
    let threads = threads.min(items.len());
    if threads <= 1 {
        return items.iter().map(does).collect();
    }
    let (next, failed) = (AtomicUsize::new(0), AtomicBool::new(false));
    let worker = || {
        let mut done = vec![];
        while !failed.load(Ordering::Relaxed) {
            let place = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(place) else { break };
            let result = does(item);
            failed.fetch_or(result.is_err(), Ordering::Relaxed);
            done.push((place, result));
        }
        done
    };
    let mut results: Vec<(usize, Result<R, E>)> = thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(worker)).collect();
        let join = |worker: thread::ScopedJoinHandle<'_, _>| worker.join();
        workers
            .into_iter()
            .flat_map(|worker| join(worker).unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    });
    results.sort_by_key(|(place, _)| *place);
    results.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_keep_their_order_and_the_first_failure_counts() {
        let items: Vec<u32> = (0..1000).collect();
        for threads in [0, 1, 2, 7, 5000] {
            let squares = each(threads, &items, |item| Ok::<u32, ()>(item * item)).unwrap();
            assert!(squares.iter().enumerate().all(|(place, square)| place * place == *square as usize));
            assert_eq!(squares.len(), 1000);
            let fails = |item: &u32| if *item == 3 || *item == 999 { Err(*item) } else { Ok(()) };
            assert_eq!(each(threads, &items, fails), Err(3));
            assert_eq!(each(threads, &[], fails), Ok(vec![]));
        }
    }
}
