//! A prepared query: its rows are read by this program, or summed by the engine that holds them.

use crate::EngineQuery;
use deniable_data::SourceError;
use deniable_data::{Progress, Resources, Source};
use deniable_execute::{Exact, Salt};
use deniable_execute::{Reading, open};
use deniable_query::Query;

/// A prepared query. Only a failure of the machine or of the engine can prevent an answer. Nothing in it may be shown.
pub struct PreparedPushdown(Work);

enum Work {
    /// Files are open, and public tables read.
    Here(Box<Reading>),
    There(Box<EngineQuery>),
}

/// Opens everything that a query reads, or writes the statement for the engine that holds its rows.
///
/// # Errors
/// When files are missing or lack declared columns, a public table has duplicate keys or does not fit in memory, or the
/// resources do not suffice for the totals; when the engine that holds the rows cannot compute the query.
pub fn prepare(sources: &[Source], query: &Query, resources: &Resources) -> Result<PreparedPushdown, SourceError> {
    let held = sources
        .iter()
        .find(|source| source.engine().is_some() && query.tables().any(|name| name == source.table().name));
    if let Some(source) = held
        && let Some(asked) = EngineQuery::new(query, source)?
    {
        return Ok(PreparedPushdown(Work::There(Box::new(asked))));
    }
    Ok(PreparedPushdown(Work::Here(Box::new(open(sources, query, resources)?))))
}

/// Prepares and computes a query: [`prepare`] and [`PreparedPushdown::compute`].
///
/// # Errors
/// Those of [`prepare`] and [`PreparedPushdown::compute`].
pub fn exact(
    sources: &[Source],
    query: &Query,
    salt: &Salt,
    resources: &Resources,
    progress: &dyn Fn(Progress),
) -> Result<Exact, SourceError> {
    prepare(sources, query, resources)?.compute(salt, progress)
}

impl PreparedPushdown {
    /// The query to an engine; `None` if this program reads the rows.
    #[must_use]
    pub fn asked(&self) -> Option<&EngineQuery> {
        match &self.0 {
            Work::There(asked) => Some(asked),
            Work::Here(_) => None,
        }
    }

    /// Computes the exact totals. Calls `progress` a few times a second and at the end; an engine reports no progress.
    ///
    /// # Errors
    /// When memory, the disk or a device is exhausted, and when the rows of a database or an engine cannot be read, or
    /// are not the registered ones.
    pub fn compute(self, salt: &Salt, progress: &dyn Fn(Progress)) -> Result<Exact, SourceError> {
        match self.0 {
            Work::Here(reading) => reading.compute(salt, progress),
            Work::There(asked) => asked.compute(salt),
        }
    }
}
