//! From a policy to published answers.
//!
//! | step | module |
//! |---|---|
//! | what each ask measures, costs and how much noise that takes, without reading data | [`plan`] |
//! | how far its answers will be from the truth, without reading data | [`forecast`] |
//! | what share a target error takes | [`target`] |
//! | how many more questions a budget pays for | [`left`] |
//! | which files are the declared version, for the curator | [`data`] |
//! | charge, compute, store, show, in this order | [`mod@release`] |
//! | what is published: answers, intervals, warnings, guarantee | [`publication`] |
//! | the guarantee in words and numbers | [`guarantee`] |

pub mod data;
pub mod forecast;
pub mod guarantee;
pub mod left;
pub mod plan;
pub mod publication;
pub mod release;
pub mod target;

pub use data::{DataError, Registration, Versioned};
pub use forecast::{ErrorBound, Expected, expected};
pub use plan::{Plan, PlanError, PlannedAsk, PlannedMeasure};
pub use publication::Publication;
pub use release::{Answered, Event, Origin, ReleaseError, release};
