//! A local page on which a curator moves the promise and sees what it costs.
//!
//! | question | module |
//! |---|---|
//! | which promises can be chosen, and in which steps? | [`dial`] |
//! | what does a choice come to: beliefs, odds, errors, simulated answers? | [`view`] |
//! | how does a choice get into the policy? | [`write`](mod@write) |
//! | who may ask, and what is answered? | [`server`] |
//!
//! No data is read: everything follows from the policy, and the simulated answers are about made-up rows of the declared
//! shape. The page computes nothing itself; it shows what the same code says that plans and releases.

pub mod dial;
mod page;
pub mod server;
pub mod view;
pub mod write;

pub use server::{ServeError, serve};
pub use view::{Choice, Explorer, View};
