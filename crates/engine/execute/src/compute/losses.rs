//! The exact losses of a query to its caps and bounds, for the curator alone. They are never released.

#[cfg(test)]
pub(crate) mod reference;

use super::open;
use crate::bound::{Salt, Watch};
use deniable_data::SourceError;
use deniable_data::{Progress, Resources, Source};
use deniable_query::Query;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The losses of one query to its caps and bounds. Exact, and dependent on every private row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Losses {
    /// Number of rows that meet the query's conditions and have an entity.
    pub rows: u64,
    /// Number of these rows in no group: their key is not declared, or their value is outside the bounds.
    pub rows_in_no_group: u64,
    /// Number of further rows that an inner join with a public table leaves out: it has no row for them. They are not
    /// part of `rows`. Rows for which a condition is false do not count.
    pub rows_without_partner: u64,
    /// Number of the rows in groups that caps leave out at the grouping that loses most; `None` where only entities are counted.
    pub rows_left_out: Option<u64>,
    /// Number of entities with any of the rows in groups; `None` where one row is one person.
    pub entities: Option<u64>,
    /// Number of these entities that lose a row or, where entities are counted, a group.
    pub entities_beyond: u64,
    /// The summed or ranked expressions with values beyond their bounds, those within each entity's own rows included.
    pub beyond: Vec<ClampedValues>,
    /// Where protected tables are joined, the most rows of one entity of each table in a join. No other field includes
    /// the rows beyond that.
    pub rows_in_joins: Option<u32>,
}

/// Counts of the values of one expression that are clamped to its bounds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClampedValues {
    /// The expression.
    pub expression: String,
    /// Number of values in rows that the query counts.
    pub values: u64,
    /// Number of these values beyond the bounds.
    pub outside: u64,
}

/// Computes the losses in one pass over the data. With the ledger's `salt`, the rows left out are the same as in
/// answers.
///
/// # Errors
/// Those of [`open`] and [`Reading::compute`](super::Reading::compute).
pub fn losses(
    sources: &[Source],
    query: &Query,
    salt: &Salt,
    resources: &Resources,
    progress: &dyn Fn(Progress),
) -> Result<Losses, SourceError> {
    let watch = Arc::new(Watch::new(query));
    let left_out = query.left_out().ok();
    let mut counting = match &left_out {
        Some(left_out) => open(sources, left_out, resources)?,
        // Every row that meets the conditions counts.
        None => open(sources, &query.without_measures(), resources)?,
    };
    counting.watch = Some(watch.clone());
    let sums = counting.compute(salt, progress)?.sums();
    let (rows, mut kept, mut entities) = (watch.rows.load(Ordering::Relaxed), None, None);
    if left_out.is_some() {
        kept = watch.kept.iter().map(|kept| kept.load(Ordering::Relaxed)).min();
        let count = |at: usize| sums.first().and_then(|cells| u64::try_from(*cells.get(at)?).ok()).unwrap_or(0);
        entities = Some([count(0), count(1)]);
    }
    let rows_in_no_group = watch.without_group.load(Ordering::Relaxed);
    Ok(Losses {
        rows: rows.saturating_add(rows_in_no_group),
        rows_in_no_group,
        rows_without_partner: watch.without_partner.load(Ordering::Relaxed),
        rows_left_out: query.counts_rows().then(|| kept.map_or(0, |kept| rows.saturating_sub(kept))),
        entities: entities.map(|[within, beyond]| within + beyond),
        entities_beyond: entities.map_or(0, |[_, beyond]| beyond),
        beyond: beyond(query, &watch),
        rows_in_joins: query.rows_in_joins(),
    })
}

/// The summed or ranked expressions with values beyond their bounds.
fn beyond(query: &Query, watch: &Watch) -> Vec<ClampedValues> {
    let beyond = watch.values.iter().enumerate().map(|(at, counts)| (query.expression(at), counts));
    let inside = query.entity_rows().into_iter().flat_map(|made| {
        let of = |at: usize| format!("{}, of each row inside", made.of.expression(at));
        watch.inside.iter().enumerate().map(move |(at, counts)| (of(at), counts))
    });
    let told = |(expression, [values, outside]): (String, &[AtomicU64; 2])| ClampedValues {
        expression,
        values: values.load(Ordering::Relaxed),
        outside: outside.load(Ordering::Relaxed),
    };
    beyond.chain(inside).map(told).filter(|beyond| beyond.outside > 0).collect()
}
