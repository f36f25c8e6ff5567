//! From a policy to published answers.
//!
//! | step | module |
//! |---|---|
//! | what each ask measures, costs and how much noise that takes, without reading data | [`plan`] |
//! | which files are the declared version, for the curator | [`data`] |
//! | charge, compute, store, show, in this order | [`mod@release`] |
//! | what is published: answers, intervals, warnings, guarantee | [`publication`] |
//! | the guarantee in words and numbers | [`guarantee`] |

pub mod data;
pub mod guarantee;
pub mod plan;
pub mod publication;
pub mod release;

pub use data::{DataError, Registration, Versioned};
pub use plan::{Plan, PlanError, PlannedAsk, PlannedMeasure};
pub use publication::Publication;
pub use release::{Answered, Event, Origin, ReleaseError, release};
