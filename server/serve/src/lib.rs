//! The server: private SQL for everybody's tools.
//!
//! | question | module |
//! |---|---|
//! | how is it set up? | [`config`] |
//! | who may connect, and as what? | [`accounts`] |
//! | what becomes of a query? | [`plan`] |
//! | when is what done, and when may it be seen? | [`queue`] |
//! | what is told of what went wrong? | [`failures`] |
//! | which tables and columns are there? | [`describe`], [`own`] |
//! | how is a query of another shown? | `printed` |
//! | how is an answer a table? | [`rows`], [`beside`], `replies` |
//! | what can SQL be tried on? | [`simulated`] |
//! | who is let in, and how long do wrong passwords wait? | [`server`], `attempts` |
//! | what is done for each of them? | `analyst`, `approver`, `ask` |
//! | what is the curator told? | [`log`], [`metrics`] |
//!
//! Everything that an analyst sees follows from the policy, that one's own queries and the answers to them (C-7, C-8), and from the times on the
//! grid at which they are shown.

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

// `tests/it` is part of the unit tests' program: one program per crate to link. What it uses of the crate it names as others do.
#[cfg(test)]
extern crate self as deniable_serve;
#[cfg(test)]
#[path = "../tests/it/mod.rs"]
mod it;
