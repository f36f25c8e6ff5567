//! Work on several threads, with results in the order of the work.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

/// Applies a function to each item on up to `threads` threads. After a failure no further item is started.
///
/// # Errors
/// The failure of the first item that fails, as in sequential execution.
pub fn each<T: Sync, R: Send, E: Send>(
    threads: usize,
    items: &[T],
    does: impl Fn(&T) -> Result<R, E> + Sync,
) -> Result<Vec<R>, E> {
    let threads = threads.min(items.len());
    if threads <= 1 {
        return items.iter().map(does).collect();
    }
    // Items are taken in order, and a thread that has taken one finishes it: all items before a failing one are done.
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
        // If fewer threads can be started, they do the same work.
        let others: Vec<_> =
            (1..threads).filter_map(|_| thread::Builder::new().spawn_scoped(scope, worker).ok()).collect();
        let mut results = worker();
        for other in others {
            results.extend(other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        results
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
