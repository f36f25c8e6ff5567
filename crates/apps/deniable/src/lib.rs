//! Statistics about people without disclosing who is among them.
//!
//! A [`Policy`] bounds an observer's belief that a given person is in the data, and states SQL queries. A [`Session`]
//! computes the required noise, charges a ledger that all policies about the same people share, and returns [`Answer`]s
//! whose cells contain confidence intervals.
//!
//! ```
//! use deniable::{Column, ColumnType, PolicyBuilder, Session};
//! use deniable::{arrow_array::{Int64Array, RecordBatch}, exact::ratio};
//! use std::sync::Arc;
//!
//! # let folder = tempfile::tempdir()?;
//! // "Nobody who thought it at most 50% likely may become more than 75% sure."
//! let policy = PolicyBuilder::new("clinic", "clinic-patients")
//!     .in_folder(folder.path()) // the ledger's place
//!     .table_in_memory("visits", "2024-06")
//!     .column(&Column::new("patient", ColumnType::Integer))
//!     .entity("patient", 3, 1) // of one patient, at most 3 rows count
//!     .adversary("acquaintance")
//!     .promise("posterior_at_most", &ratio(3, 4))
//!     .query("visits", "SELECT COUNT(*) AS visits FROM visits")
//!     .build()?;
//! let rows = RecordBatch::try_from_iter([("patient", Arc::new(Int64Array::from_iter_values(0..500)) as _)])?;
//! let session = Session::new(policy)?.with_rows("visits", vec![rows])?;
//!
//! session.register(&[]).wait()?; // the curator looks at the data, once for each version
//! let released = session.release().wait()?; // charged, computed, stored, shown; in async code: `.await?`
//! for answer in released.answers() {
//!     let visits = answer.rows[0][0].number().unwrap();
//!     println!("{}: {} in {}", answer.name, visits.value_text(), visits.interval_text());
//! }
//! assert!(session.left()?.share().is_none()); // this policy may spend all of the promise, and did
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | to | use |
//! |---|---|
//! | read a policy, or build one | [`Policy`], [`PolicyBuilder`], [`Column`] and their parts |
//! | draft a policy for a file or a table | [`draft`] |
//! | compute costs and expected errors of answers | [`Plan`], [`Session::plan`] |
//! | compare promises and caps, or find the smallest promise for target errors | [`sweep`], [`least_promise`] |
//! | check the data, answer queries, read the remaining budget, write a page | [`Session`] |
//! | read an answer | [`ReleaseOutcome`], [`Answer`], [`Cell`] |
//! | make up rows, or rehearse a release on them | [`simulate`] |
//! | report an error | [`Error`], [`Diagnose`], [`Diagnostic`], [`Code`] |
//! | know which formats are read and written | [`formats`] |
//! | read numbers such as `1/40` | [`exact::parse_rational`] |
//! | describe a promise and its adversary | [`Guarantee`], [`Statement`] |
//! | decide about a finite mechanism, with a certificate | `check` and `recheck`, by the feature `check` |
//! | state a promise in the terms of others | `translate`, by the feature of that name |
//! | explain a notion, a family or a theorem | `explain`, by the feature of that name |
//! | audit a program or a function from its outputs | `audit`, by the feature of that name |
//! | assess a table that is published | `assess`, by the feature of that name |
//! | attack a release as an adversary would | `attack`, by the feature of that name |
//! | release associations | `gwas`, by the feature of that name |
//!
//! # What a caller must know
//!
//! * Publications, plans and the remaining budget are for analysts; everything else is for the curator: errors, events,
//!   timing and reports of data checks depend on private rows. Errors for which [`Error::is_public`] is true may be
//!   shown to analysts. `examples/web` of the repository is an HTTP server that obeys these rules; its timing hides the
//!   answers of a single client only.
//! * Calls of one session queue: the time of a free or refused call reveals that of the calls before it.
//! * Numbers of answers keep every digit: `serde_json` is built with `arbitrary_precision`, for the whole program.
//! * A call ([`Call`]) runs on the session's thread from the moment it is made, whether it is awaited, waited for or
//!   dropped: a charge is always followed by its computation, even if the caller loses interest. When the whole process
//!   ends, the same query resumes at no cost.
//! * One ledger contains all charges about one population. Copies of a ledger have no guarantee.

pub use deniable_core::adversary::{
    Adjacency, Adversary, AdversaryError, MovesTogether, Preset, PriorRange, PriorRangeError,
};
pub use deniable_core::budget::{Spend, SpendError};
pub use deniable_core::diagnostic::{Code, Diagnose, Diagnostic, Place, Surface};
pub use deniable_core::guarantee::{Guarantee, GuaranteeError};
pub use deniable_core::promise::{Promise, PromiseError};
pub use deniable_core::schema::{Bounds, BoundsError, Column, ColumnType, DeclaredTable, Key};
pub use deniable_core::secret::Secret;
pub use deniable_policy::{OwnCaps, Policy, PolicyBuilder, PolicyErrors, QueryError, Size, Table, Value};
pub use json::json;

/// Exact numbers: fractions of any size, parsed and printed without floats.
pub mod exact {
    pub use deniable_core::exact::{
        Bound, ParseRationalError, Rational, Rounding, decimal, parse_rational, percent, ratio, whole,
    };
}

#[cfg(feature = "sql")]
mod advice_report;
#[cfg(feature = "assess")]
pub mod assess;
#[cfg(feature = "attack")]
pub mod attack;
#[cfg(feature = "explain")]
pub mod explain;
#[cfg(feature = "gwas")]
pub mod gwas;

#[cfg(feature = "audit")]
pub mod audit;
#[cfg(feature = "sql")]
mod but_for_spending;
#[cfg(feature = "sql")]
mod call;
#[cfg(feature = "check")]
pub mod check;
#[cfg(feature = "sql")]
mod data_report;
#[cfg(feature = "sql")]
pub mod draft;
#[cfg(feature = "sql")]
mod error;
pub mod formats;
#[cfg(feature = "sql")]
mod horizon;
mod json;
#[cfg(feature = "sql")]
mod least;
pub mod ledger;
#[cfg(feature = "sql")]
mod outcome;
#[cfg(feature = "sql")]
mod papers;
#[cfg(feature = "sql")]
mod plan_report;
#[cfg(feature = "sql")]
pub mod pull;
#[cfg(feature = "sql")]
mod query;
#[cfg(feature = "check")]
pub mod recheck;
#[cfg(feature = "sql")]
pub mod report;
#[cfg(feature = "sql")]
mod session;
#[cfg(feature = "sql")]
pub mod simulate;
#[cfg(feature = "sql")]
mod sources;
#[cfg(feature = "sql")]
mod suggest;
#[cfg(feature = "sql")]
pub mod sweep;
#[cfg(feature = "translate")]
pub mod translate;

/// For tests.
#[doc(hidden)]
#[cfg(feature = "sql")]
pub use deniable_release::plan::times_planned;
#[cfg(feature = "sql")]
pub use {
    advice_report::AdviceReport,
    arrow_array,
    call::Call,
    data_report::{DataReport, ScanReport},
    deniable_core::noise::EntropyError,
    deniable_data::{InMemory, Progress as ReadProgress, Resources, SourceError},
    deniable_policy::{MadeUpRows, PeriodNode, QuerySubject},
    deniable_protocol::ProtocolError,
    deniable_publication::{
        Answer, AnswerOdds, Belief, Cell, Confidence, CsvError, DataVersion, Heading, Imprint, IndependenceTest,
        KeyValue, LabelledKey, Noise, NoiseKind, NumberCell, Publication, Quality, QualityClasses, REHEARSAL, Scalar,
        Statement, UpperBound, WithdrawalNotice,
        remaining::{RemainingBudget, share_left, share_of},
    },
    deniable_release::suggest::{Advice, Limit},
    deniable_release::whatif::WhatIfError,
    deniable_release::{
        AcceptError, DataError, Event as Step, KnownEntitiesFound, LargeLoss, LeastError, MOST_LEFT_OUT, Origin,
        Permissions, Plan, PlanErrors, QueryPlan, RegistrationMode, ReleaseError, RowsOrigin, TableVersion,
        UnknownQuery, UnreadableColumn,
    },
    error::Error,
    least::{LeastPromiseError, LeastReport, least_promise},
    outcome::{NoAnswer, ReleaseOutcome, UnansweredQuery},
    papers::Paper,
    plan_report::PlanReport,
    query::Query,
    session::{Event, Registration, Session, remaining},
    sources::{Misfit, install_sources, misfits, own_files, with_public_keys},
    suggest::Suggest,
};
