//! A local page on which a curator varies the promise and sees its cost.
//!
//! | topic | module |
//! |---|---|
//! | promises to choose from, and their steps | [`dial`] |
//! | consequences of a choice: the difference from the policy, beliefs, odds | [`view`] |
//! | a query's errors in words, and how many of its numbers will be usable | [`card`], [`light`] |
//! | a query's errors over the values of the control | `charts` |
//! | answers on made-up rows of the stated sizes | `made_up` |
//! | writing a choice into the policy, and undoing it | [`write`](mod@write) |
//! | requests and access | [`server`] |
//!
//! No data is read: everything follows from the policy, and the simulated answers are about made-up rows of the
//! declared shape. The page computes nothing itself; its numbers come from the code that plans and releases.

pub mod card;
mod charts;
pub mod dial;
pub mod light;
mod made_up;
mod page;
pub mod server;
pub mod view;
pub mod write;

pub use server::{ServeError, serve};
pub use view::{Choice, Explorer, View};
