//! Association results of case-control cohorts that nobody's participation can be read from (G-1 to G-3).
//!
//! | question | module |
//! |---|---|
//! | how many cases and controls have which genotype? | [`table`] |
//! | who and what is in a PLINK fileset, or a VCF file? | [`plink`], [`vcf`] |
//! | which SNPs are counted, and what is left out? | [`cohort`], [`counting`] |
//! | what does a missing call count as in a release? | [`fill`] |
//! | what would PLINK print? | [`assoc`] |

pub mod assoc;
pub mod cohort;
pub mod counting;
pub mod file_error;
pub mod fill;
pub mod lines;
pub mod plink;
pub mod table;
pub mod vcf;

pub use cohort::{Counts, Log, Missing, Snp, Variant};
pub use file_error::{FileError, FileErrorKind};
pub use fill::Fill;
pub use plink::{Column, Fileset, PhenoFile};
pub use table::{Adjacency, Table, Test};
pub use vcf::Vcf;
