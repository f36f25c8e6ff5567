//! A question that is ready: its rows are read here, or the engine that holds them is asked.

use crate::EngineQuery;
use deniable_data::SourceError;
use deniable_data::{Progress, Resources, Source};
use deniable_execute::{Exact, Salt};
use deniable_execute::{Reading, open};
use deniable_query::Query;

/// A question that nothing but the machine, or the engine that holds the rows, can keep from an answer. Nothing in it is fit to be shown.
pub struct PreparedPushdown(Work);

enum Work {
    /// Files are open, and public tables read.
    Here(Box<Reading>),
    There(Box<EngineQuery>),
}

/// Opens everything that a question reads, or writes the statement for the engine that holds its rows.
///
/// # Errors
/// When files are missing or lack declared columns, a public table holds a key twice or does not fit into memory, or the
/// resources do not suffice for the totals; and what is not computed by the engine that holds the rows.
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

/// Computes a question: [`prepare`] and [`PreparedPushdown::compute`].
///
/// # Errors
/// Those of both.
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
    /// What an engine is asked; `None` where rows are read here.
    #[must_use]
    pub fn asked(&self) -> Option<&EngineQuery> {
        match &self.0 {
            Work::There(asked) => Some(asked),
            Work::Here(_) => None,
        }
    }

    /// Adds all rows up. `progress` is told how far it has come, a few times a second and in the end; of an engine nothing is known meanwhile.
    ///
    /// # Errors
    /// When memory, the disk or a device is exhausted, and when the rows of a database or an engine cannot be had, or are others than were
    /// registered.
    pub fn compute(self, salt: &Salt, progress: &dyn Fn(Progress)) -> Result<Exact, SourceError> {
        match self.0 {
            Work::Here(reading) => reading.compute(salt, progress),
            Work::There(asked) => asked.compute(salt),
        }
    }
}
