//! From a policy to published answers.
//!
//! | step | module |
//! |---|---|
//! | contents of public tables: keys, read first, and rows that results are joined with | [`with_public_keys`] |
//! | measures, costs and noise of each query, without reading data | [`plan`] |
//! | queries that an earlier answer contains | [`contained`] |
//! | running totals of queries that are repeated for each period | [`periods`] |
//! | expected errors, without reading data | [`forecast`] |
//! | typical answers, and their relative errors | [`typical`] |
//! | the share that a target error needs | [`target`] |
//! | the least promise that meets all target errors | [`least`](mod@least) |
//! | advice on caps and bounds, charged as a query | [`suggest`] |
//! | the same policy under another promise | [`whatif`] |
//! | checks that files are the declared version and can be read as declared, for the curator | [`data`] |
//! | queries of which caps or bounds leave out much, for the curator | [`losses`] |
//! | rows that the exact computations of all queries read, kept in memory | `read_once` |
//! | columns and losses that a curator accepts by name | [`accepted`] |
//! | the statement for an engine that holds the rows, and its trial | [`engine`] |
//! | charge, compute, store, show, in this order | [`mod@release`] |
//! | made-up rows of the declared shape, for simulations and rehearsals | [`simulate`] |
//! | from answers to their published form: intervals, noise, warnings | [`show`] |

pub mod accepted;
pub mod contained;
pub mod data;
mod diagnose;
pub mod engine;
pub mod forecast;
mod headings;
pub mod least;
pub mod losses;
mod new_entities;
mod notes;
pub mod periods;
pub mod plan;
mod public;
mod quality;
mod read_once;
pub mod release;
mod rows_each;
pub mod show;
pub mod simulate;
pub mod suggest;
pub mod target;
pub mod typical;
pub mod whatif;

pub use accepted::{AcceptError, AcceptedFindings, GivenNames};
pub use contained::ContainingAnswer;
pub use data::{DataError, RegistrationMode, TableVersion, UnacceptedFinding, open_ledger, read_ledger};
pub use engine::ForEngine;
pub use forecast::{AnswerForecast, ErrorBound, expected};
pub use least::{LeastButFor, LeastError, LeastPromise, QueryNeed, least};
pub use losses::{Cause, LargeLoss, MOST_LEFT_OUT, Quantity, Understated};
pub use new_entities::KnownEntitiesFound;
pub use periods::Series;
pub use plan::{MeasurePlan, Plan, PlanError, PlanErrors, QueryPlan, UnknownQuery};
pub use public::with_public_keys;
pub use release::{
    Event, Origin, Permissions, QueryAnswer, ReleaseError, ReleaseOutcome, UnreadableColumn, fits, release,
    shown_answer, stored,
};
pub use show::published;
pub use simulate::{RowsOrigin, SimulatedTable, simulated, usual_size};

// `tests/it` is part of the unit tests' program: one program per crate to link. It names the crate as other crates do.
#[cfg(test)]
extern crate self as deniable_release;
#[cfg(test)]
#[path = "../tests/it/mod.rs"]
mod it;
