//! From a policy to published answers.
//!
//! | step | module |
//! |---|---|
//! | what stands in public tables: keys, which are read first, and rows that results are joined with | [`with_public_keys`] |
//! | what each query measures, costs and how much noise that takes, without reading data | [`plan`] |
//! | which asks an earlier answer holds already | [`contained`] |
//! | how far its answers will be from the truth, without reading data | [`forecast`] |
//! | what they typically are, and how far off relative to that | [`typical`] |
//! | what share a target error takes | [`target`] |
//! | which promise meets all target errors, at the least | [`least`](mod@least) |
//! | advice on caps and bounds, paid for | [`suggest`] |
//! | the same policy under another promise | [`whatif`] |
//! | which files are the declared version, and do they read as declared, for the curator | [`data`] |
//! | which columns may read badly, by name | [`accepted`] |
//! | what an engine that holds the rows is asked, and whether it does as it is told | [`engine`] |
//! | charge, compute, store, show, in this order | [`mod@release`] |
//! | from answers to what is published: intervals, noise, warnings | [`show`] |

pub mod accepted;
pub mod contained;
pub mod data;
mod diagnose;
pub mod engine;
pub mod forecast;
pub mod least;
mod notes;
pub mod plan;
mod public;
mod quality;
pub mod release;
pub mod show;
pub mod suggest;
pub mod target;
pub mod typical;
pub mod whatif;

pub use accepted::{AcceptError, AcceptedFindings};
pub use contained::ContainingAnswer;
pub use data::{DataError, RegistrationMode, TableVersion, UnacceptedFinding, open_ledger};
pub use engine::ForEngine;
pub use forecast::{AnswerForecast, ErrorBound, expected};
pub use least::{LeastError, LeastPromise, QueryNeed, least};
pub use plan::{MeasurePlan, Plan, PlanError, PlanErrors, QueryPlan, UnknownQuery};
pub use public::with_public_keys;
pub use release::{
    Event, Origin, Permissions, QueryAnswer, ReleaseError, ReleaseOutcome, fits, release, shown_answer, stored,
};
pub use show::published;

// `tests/it` is part of the unit tests' program: one program per crate to link. What it uses of the crate it names as others do.
#[cfg(test)]
extern crate self as deniable_release;
#[cfg(test)]
#[path = "../tests/it/mod.rs"]
mod it;
