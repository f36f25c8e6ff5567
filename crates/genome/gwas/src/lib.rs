//! Private association results, from genotype files to published picks.
//!
//! | question | module |
//! |---|---|
//! | which promise is made, to whom, and against which observers? | [`promise`] |
//! | what does a request contain? | [`request`] |
//! | which files does a cohort have, and which table does every SNP have? | [`cohort`] |
//! | are the files those of the declared version, and has the curator checked them? | [`registration`] |
//! | how far is every SNP from the threshold? | [`mod@scores`] |
//! | which accounts pay for a release? | [`mod@payment`] |
//! | what does a request cost, and how large is its noise? | [`mod@forecast`] |
//! | which errors are possible? | [`GwasError`] |
//! | how is a release charged, computed, stored and shown? | [`mod@release`] |
//! | which SNPs are picked, and with which noise? | `draw` |
//! | which parts of an answer are stored and published? | [`answer`] |
//! | which true values does the curator see? | [`curator`] |
//! | how likely does a selection find the causes, and how many people does that need? | [`power`] |
//!
//! ```
//! use deniable_core::{adversary::PriorRange, exact::{ratio, whole}, noise::SystemRng, promise::Promise};
//! use deniable_genome::simulate::{Settings, write};
//! use deniable_genome::{Fill, Test};
//! use deniable_gwas::{CohortFiles, CohortPromise, Cut, Files, Means, Protects, Query, Score, Snps, release};
//! use deniable_ledger::Ledger;
//!
//! # let folder = tempfile::tempdir()?;
//! // A simulated cohort as PLINK files, and the promise that beliefs in membership grow at most twofold.
//! let prefix = folder.path().join("cohort");
//! write(&Settings { cases: 60, controls: 50, snps: 300, ..Settings::default() }, 7, &prefix)?;
//! let ledger = folder.path().join("people.ledger");
//! let promised = CohortPromise::new("people".into(), ledger, PriorRange::any(), vec![Promise::Gain(whole(2))])?;
//! let request = Query {
//!     source: "cohort".into(),
//!     version: "1".into(),
//!     phenotype: None,
//!     protects: Protects::Genotype,
//!     test: Test::Allelic,
//!     fill: Fill::default(),
//!     snps: Snps::Top { picks: 2, score: Score::Distance(Cut::PValue(ratio(1, 20))) },
//!     statistics: false,
//!     counts: false,
//!     share: ratio(1, 2),
//!     grid: ratio(1, 100),
//! };
//! let files = CohortFiles::new(Files::Plink { prefix, pheno: None });
//! let means = Means { files: &files, threads: std::num::NonZeroUsize::MIN, register: true, tell: &|_| {} };
//! let mut ledger = Ledger::open_or_create(promised.ledger(), promised.population())?;
//! let released = release(&means, &promised, &request, &mut ledger, &mut SystemRng::new()?)?;
//! assert_eq!(released.publication.answers[0].rows.len(), 2); // two SNPs, picked with noise
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod answer;
pub mod cohort;
pub mod curator;
mod draw;
mod error;
pub mod forecast;
pub mod payment;
pub mod power;
pub mod promise;
pub mod registration;
pub mod release;
pub mod request;
pub mod scores;

pub use answer::{Answer, Record, Sizes, tab_separated};
pub use cohort::{Cohort, CohortFiles, Files, NameError, OpenFiles};
pub use error::GwasError;
pub use forecast::forecast;
pub use payment::{Payment, PaymentError, payment};
pub use promise::{CohortPromise, CohortPromiseError, Protects};
pub use registration::{DeclaredCohort, check};
pub use release::{Event, Means, Origin, ReleaseOutcome, release};
pub use request::{Cut, Part, Query, Score, Snps};
pub use scores::scores;

// `tests/it` is compiled into the unit tests, so each crate links one test program. It names this crate as other crates
// do.
#[cfg(test)]
extern crate self as deniable_gwas;
#[cfg(test)]
#[path = "../tests/it/mod.rs"]
mod it;
