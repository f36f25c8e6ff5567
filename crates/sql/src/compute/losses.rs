//! What caps and bounds leave out of a query, exactly: for the curator's eyes. Nothing here is released.

use super::prepare;
use crate::bound::{Salt, Watch};
use crate::error::SourceError;
use crate::plan::Query;
use deniable_data::{Progress, Resources, Source};
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// What the caps and bounds of one query leave out of the data. Exact, and depends on every private row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Losses {
    /// Rows that pass its conditions, of somebody and with declared keys.
    pub rows: u64,
    /// How many of them are left out at the grouping that loses most; `None` where only entities are counted.
    pub rows_left_out: Option<u64>,
    /// Entities with any of these rows; `None` where one row is one person.
    pub entities: Option<u64>,
    /// How many of them lose anything: a row, or where entities are counted, a group.
    pub entities_beyond: u64,
    /// Of each value that is added up or ranked, also of each entity's own rows, how many are beyond its bounds, where any are.
    pub beyond: Vec<Beyond>,
    /// Where protected tables are joined, how many rows of one entity of each may meet: what that leaves out is in none of these.
    pub rows_in_joins: Option<u32>,
}

/// Values of one expression that count as one of its bounds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Beyond {
    /// The expression.
    pub expression: String,
    /// Its values in rows that the query is about.
    pub values: u64,
    /// How many of them are beyond its bounds.
    pub outside: u64,
}

/// Works it out. Everything is read once, and twice where rows are capped. `salt` is the ledger's: the rows that are left out are those
/// that an answer leaves out.
///
/// # Errors
/// As of an answer.
pub fn losses(
    sources: &[Source],
    query: &Query,
    salt: &Salt,
    resources: &Resources,
    progress: &dyn Fn(Progress),
) -> Result<Losses, SourceError> {
    let inside = query.entity_rows.as_ref().map_or(0, |made| made.of.arguments());
    let watch = Arc::new(Watch::new(query.arguments(), inside));
    let mut counting = prepare(sources, &query.counting_rows(), resources)?;
    counting.watch = Some(watch.clone());
    let counted = counting.compute(salt, progress)?.sums();
    let rows = watch.rows.load(Ordering::Relaxed);
    let counted = counted.iter().map(|cells| cells.iter().sum::<i128>()).min().unwrap_or(0);
    let (mut entities, mut entities_beyond) = (None, 0);
    if let Ok(left_out) = query.left_out() {
        let sums = prepare(sources, &left_out, resources)?.compute(salt, progress)?.sums();
        let count = |at: usize| sums.first().and_then(|cells| u64::try_from(*cells.get(at)?).ok()).unwrap_or(0);
        (entities, entities_beyond) = (Some(count(0) + count(1)), count(1));
    }
    let beyond = watch.values.iter().enumerate().map(|(at, [values, outside])| Beyond {
        expression: query.expression(at),
        values: values.load(Ordering::Relaxed),
        outside: outside.load(Ordering::Relaxed),
    });
    let inside = query.entity_rows.iter().flat_map(|made| {
        watch.inside.iter().enumerate().map(|(at, [values, outside])| Beyond {
            expression: format!("{}, of each row inside", made.of.expression(at)),
            values: values.load(Ordering::Relaxed),
            outside: outside.load(Ordering::Relaxed),
        })
    });
    Ok(Losses {
        rows,
        rows_left_out: query.counts_rows().then(|| rows.saturating_sub(u64::try_from(counted).unwrap_or(0))),
        entities,
        entities_beyond,
        beyond: beyond.chain(inside).filter(|beyond| beyond.outside > 0).collect(),
        rows_in_joins: query.rows_in_joins(),
    })
}
