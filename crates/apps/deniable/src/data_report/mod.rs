//! The findings of a check of the data. All of it depends on private rows and is for the curator alone.

mod losses;
mod scan;
mod true_errors;

pub use scan::ScanReport;

use crate::session::Event;
use deniable_core::text::push_paragraph;
use deniable_release::Event as Step;
use losses::{LeftOut, left_out};
use serde::Serialize;
use std::fmt::{self, Display, Formatter};
use true_errors::{QueryErrors, true_errors};

/// The findings of a check of the data: each table column by column, the rows and values that caps and bounds leave out
/// of each query, and the exact error that this causes. They are collected from the events of a
/// [`Session`](crate::Session). They depend on private rows: for the curator.
///
/// `Display` prints tables, `Serialize` the object of `deniable data check --format json`.
#[derive(Debug, Default, Serialize)]
pub struct DataReport {
    /// The findings of each table.
    tables: Vec<ScanReport>,
    /// The losses of each query; empty if the data cannot be read as declared.
    queries: Vec<LeftOut>,
    /// The errors of each query from caps and bounds; empty if the data cannot be read as declared.
    true_errors: Vec<QueryErrors>,
    /// Losses and errors that could not be computed, with the reasons; omitted if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    failed: Vec<String>,
}

impl DataReport {
    /// Adds the findings of an event; false for other events.
    pub fn add(&mut self, event: &Event<'_>) -> bool {
        match event {
            Event::Step(Step::Scanned { table, report }) => self.tables.push(ScanReport::new(table, report)),
            Event::Step(Step::LeftOut { query, losses, unreadable }) => match losses {
                Ok(losses) => self.queries.push(LeftOut::new(query, losses, unreadable)),
                Err(error) => {
                    self.failed.push(format!("{query}: the losses of its caps cannot be computed: {error}"));
                }
            },
            Event::Step(Step::TrueErrors { query, errors, stated, is_unbounded }) => match errors {
                Ok(errors) => self.true_errors.push(QueryErrors::new(query, *errors, *stated, *is_unbounded)),
                Err(error) => self.failed.push(format!("{query}: its true error cannot be computed: {error}")),
            },
            _ => return false,
        }
        true
    }
}

impl Display for DataReport {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let mut text: String = self.tables.iter().map(ToString::to_string).collect();
        for failure in &self.failed {
            push_paragraph(&mut text, "", failure);
        }
        if !self.queries.is_empty() {
            text.push_str(&left_out(&self.queries));
        }
        if !self.true_errors.is_empty() {
            text.push_str(&true_errors(&self.true_errors, &self.queries));
        }
        f.write_str(&text)
    }
}
