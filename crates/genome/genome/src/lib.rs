//! Private association results of case-control cohorts: allele counts, χ² and top SNPs that hide participation (G-1 to
//! G-3).
//!
//! | question | module |
//! |---|---|
//! | how many cases and controls have which genotype? | [`table`] |
//! | which people and SNPs are in a PLINK fileset, or a VCF file? | [`plink`], [`vcf`] |
//! | which genotypes does each person have? | [`individuals`] |
//! | which SNPs are counted, and which are left out? | [`cohort`], [`counting`] |
//! | are the files unchanged? | [`fingerprint`] |
//! | which genotype does a missing call get in a release? | [`fill`] |
//! | which tables does PLINK print? | [`assoc`] |
//! | how strong is the association, and is it significant? | [`chi2`] |
//! | by how much can one participant change χ²? (G-1) | [`sensitivity`] |
//! | how many participants must change to change the verdict? (G-2) | [`mod@distance`] |
//! | which SNPs are the most associated? (G-3) | [`select`] |
//! | which noisy counts and χ² do chosen SNPs have? | [`noisy`] |
//! | how are cohorts with known causes simulated? | [`simulate`] |
//! | how likely does a selection find the causes? | [`power`] |
//!
//! ```
//! use deniable_core::exact::whole;
//! use deniable_genome::{CohortAdjacency, ContingencyTable, Test, Threshold, distance};
//!
//! // Cases and controls with no, one and two copies of an allele.
//! let snp = ContingencyTable { cases: [10, 20, 70], controls: [40, 40, 20] };
//! let far = distance(&snp, Test::Allelic, CohortAdjacency::LabelSwap, &Threshold::new(&whole(30))?)?;
//! assert!(far.significant); // its χ² is at least 30 ...
//! assert_eq!(far.moves, Some(7)); // ... and stays so until 7 pairs have exchanged their labels
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod assoc;
pub mod chi2;
pub mod cohort;
pub mod counting;
pub mod distance;
pub mod file_error;
pub mod fill;
pub mod fingerprint;
pub mod individuals;
pub mod lines;
pub mod noisy;
pub mod plink;
pub mod power;
pub mod select;
pub mod sensitivity;
pub mod simulate;
pub mod table;
pub mod vcf;
mod wide;

pub use chi2::{Threshold, is_significant, p_value, statistic};
pub use cohort::{Counts, Log, MissingCalls, Snp, Variant};
pub use distance::{Distance, distance};
pub use file_error::{FileError, FileErrorKind};
pub use fill::Fill;
pub use fingerprint::Fingerprint;
pub use individuals::Individuals;
pub use plink::{Column, Fileset, PhenoFile};
pub use table::{CohortAdjacency, ContingencyTable, Test};
pub use vcf::Vcf;

// `tests/it` is compiled into the unit tests, so each crate links one test program. It names this crate as other crates
// do.
#[cfg(test)]
extern crate self as deniable_genome;
#[cfg(test)]
#[path = "../tests/it/mod.rs"]
mod it;
