//! The server: private SQL over the PostgreSQL protocol.
//!
//! | question | module |
//! |---|---|
//! | how is the server configured? | [`config`] |
//! | who may connect, and in which role? | [`accounts`] |
//! | is a query free, charged or refused? | [`plan`] |
//! | when is a query computed, and when is its answer shown? | [`queue`] |
//! | which errors do clients see? | [`failures`] |
//! | which tables and columns exist? | [`describe`], [`own`] |
//! | how is an analyst's query displayed to an approver? | `printed` |
//! | how does an answer become a table? | [`rows`], [`beside`], `replies` |
//! | how are queries tried on made-up rows? | [`simulated`] |
//! | who is let in, and how long do wrong passwords wait? | [`server`], `attempts` |
//! | what may each connection do? | `analyst`, `approver`, `request` |
//! | what does the curator see? | [`log`], [`metrics`] |
//!
//! All output to an analyst depends on the policy, on that analyst's own queries and their answers (C-7, C-8), and on
//! the grid times at which answers are shown, and on nothing else.

pub mod accounts;
mod analyst;
mod approver;
mod attempts;
pub mod beside;
pub mod config;
pub mod describe;
pub mod failures;
pub mod log;
pub mod metrics;
pub mod own;
pub mod plan;
mod printed;
pub mod queue;
mod replies;
mod request;
pub mod rows;
mod run;
pub mod server;
pub mod simulated;
mod tls;

pub use config::{Config, ConfigError};
pub use log::LogFilter;
pub use run::{ServeError, ServerSetup, accept, check, serve};

// `tests/it` is part of the unit tests' program, to link one program per crate. The alias lets it name items of this
// crate by an external path.
#[cfg(test)]
extern crate self as deniable_serve;
#[cfg(test)]
#[path = "../tests/it/mod.rs"]
mod it;
