//! A local page on which a curator varies the promise and sees its cost.
//!
//! | topic | module |
//! |---|---|
//! | promises to choose from, and their steps | [`dial`] |
//! | consequences of a choice: beliefs, odds, errors, simulated answers | [`view`] |
//! | writing a choice into the policy | [`write`](mod@write) |
//! | requests and access | [`server`] |
//!
//! No data is read: everything follows from the policy, and the simulated answers are about made-up rows of the
//! declared shape. The page computes nothing itself; its numbers come from the code that plans and releases.

pub mod dial;
mod page;
pub mod server;
pub mod view;
pub mod write;

pub use server::{ServeError, serve};
pub use view::{Choice, Explorer, View};
