//! Lower bounds on the privacy loss of a randomised program, from its outputs alone (A-1).
//!
//! | question | module |
//! |---|---|
//! | which mechanisms can be audited, and how are outputs stored? | [`mechanism`] |
//! | how is a program of any language audited? | [`process`] |
//! | how is an audit of rounded outputs made? | [`rounded`] |
//! | which pairs of inputs are tried? | [`neighbours`] |
//! | which events are tested, and how are they printed? | [`event`] |
//! | which pair and which events look worst? | [`search`] |
//! | which bounds on a probability follow from a count? | [`bound`] |
//! | how is an audit put together? | [`mod@audit`] |
//! | which odds ratio is certified, and does it break a claim? | [`verdict`] |
//! | how is it reported, as text and as JSON? | [`report`] |
//! | how are the finite mechanisms of `deniable check` audited? | [`table`] |
//! | which correct and broken mechanisms is the audit tested on? | `zoo`, by the feature of that name |
//!
//! An audit chooses two neighbouring inputs and some events on one part of the samples. On fresh samples it bounds the
//! probability of each event from below on one input and from above on the other (Clopper–Pearson). The quotient is a
//! certified lower bound on the odds ratio `R`, at a joint confidence over all confirmed events. An audit never shows
//! that a mechanism is private: it can only find that a claim is broken.
//!
//! ```
//! use deniable_audit::{InputAdjacency, Mechanism, MechanismError, Neighbours, Outputs, Settings, audit};
//! use deniable_core::{budget::Spend, exact::whole};
//!
//! /// Claims odds of 3, and publishes the count itself.
//! struct Honest;
//! impl Mechanism for Honest {
//!     fn sample(&mut self, input: &[i64], times: usize, out: &mut Outputs) -> Result<(), MechanismError> {
//!         (0..times).for_each(|_| {
//!             out.integer(input[0]);
//!         });
//!         Ok(())
//!     }
//! }
//! let neighbours = Neighbours::counts(InputAdjacency::OneEntry, 1);
//! let settings = Settings { samples: 10_000, seed: Some(1), ..Settings::default() };
//! let verdict = audit(&mut [Box::new(Honest)], &neighbours, Some(&Spend::odds(whole(3))?), &settings)?;
//! assert!(verdict.is_broken());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod audit;
pub mod bound;
pub mod event;
pub mod mechanism;
pub mod neighbours;
pub mod process;
pub mod report;
pub mod rounded;
pub mod search;
pub mod table;
pub mod verdict;
#[cfg(feature = "zoo")]
pub mod zoo;

pub use audit::{AuditError, Settings, audit};
pub use event::Event;
pub use mechanism::{Cell, Mechanism, MechanismError, Outputs, Value};
pub use neighbours::{InputAdjacency, Neighbours, Pair};
pub use process::{Deadlines, Program, end_all};
pub use report::AuditReport;
pub use rounded::Rounded;
pub use verdict::{Finding, Verdict};

// `tests/it` is compiled into the unit tests, so each crate links one test program. It names this crate as other crates
// do.
#[cfg(test)]
extern crate self as deniable_audit;
#[cfg(test)]
#[path = "../tests/it/mod.rs"]
mod it;
