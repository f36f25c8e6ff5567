//! A reference implementation that counts rows as answers do.

use super::super::open;
use super::{ClampedValues, beyond};
use crate::bound::{Salt, Watch};
use deniable_data::{Resources, Source};
use deniable_query::Query;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// The numbers of rows of a query in groups and in no group, the numbers of those that count at each level, and the values beyond bounds.
pub fn counted(sources: &[Source], query: &Query, salt: &Salt) -> ([u64; 2], Vec<u64>, Vec<ClampedValues>) {
    let resources = Resources { threads: 1, memory: None, spill: None };
    let watch = Arc::new(Watch::new(query));
    let mut counting = open(sources, &query.counting_rows(), &resources).unwrap();
    counting.watch = Some(watch.clone());
    let counted = counting.compute(salt, &|_| {}).unwrap().sums();
    let levels = counted.iter().map(|cells| u64::try_from(cells.iter().sum::<i128>()).unwrap()).collect();
    let rows = [&watch.rows, &watch.without_group].map(|rows| rows.load(Ordering::Relaxed));
    (rows, levels, beyond(query, &watch))
}
