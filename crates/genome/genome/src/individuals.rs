//! Genotypes of individuals: the calls of all people in a file at chosen SNPs, with or without phenotypes.
//!
//! Counting does not need this. Attacks on published results do: they test for each person whether their genotypes fit
//! the published numbers better than those of the general population.

use crate::cohort::{Log, Variant};
use crate::counting::Genotype;
use crate::file_error::FileError;
use crate::lines::Lines;
use crate::plink::bed::Bed;
use crate::plink::{self, bim, fam};
use crate::vcf;
use std::path::{Path, PathBuf};

/// A file of genotypes, without phenotypes.
#[derive(Debug, Clone)]
pub struct Individuals {
    names: Vec<Name>,
    from: Source,
}

/// The name of a person in a genotype file.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Name {
    /// The family (FID); `None` in VCF files, which have no families.
    pub family: Option<String>,
    /// The individual (IID), or the sample.
    pub id: String,
}

/// `FID IID`, or the sample.
impl std::fmt::Display for Name {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.family {
            Some(family) => write!(f, "{family} {}", self.id),
            None => write!(f, "{}", self.id),
        }
    }
}

#[derive(Debug, Clone)]
enum Source {
    Plink { bim: PathBuf, bed: Bed },
    Vcf { file: PathBuf, samples: Vec<String> },
}

impl Individuals {
    /// Opens a PLINK fileset by its prefix. Phenotypes are ignored.
    ///
    /// # Errors
    /// If a file cannot be read, or the files contradict each other.
    pub fn plink(prefix: &Path) -> Result<Self, FileError> {
        let [bed, bim, fam] = plink::files(prefix);
        let people = fam::read(Lines::open(&fam)?, false)?;
        let snps = bim::survey(Lines::open(&bim)?)?.log.snps;
        let bed = Bed::open(&bed, people.len(), snps)?;
        let names = people.into_iter().map(|person| Name { family: Some(person.family), id: person.id }).collect();
        Ok(Self { names, from: Source::Plink { bim, bed } })
    }

    /// Opens a VCF file, plain or bgzipped.
    ///
    /// # Errors
    /// If it cannot be read, is not VCF, or names a sample twice.
    pub fn vcf(file: &Path) -> Result<Self, FileError> {
        let samples = vcf::sample_names(file)?;
        let names = samples.iter().map(|id| Name { family: None, id: id.clone() }).collect();
        Ok(Self { names, from: Source::Vcf { file: file.to_owned(), samples } })
    }

    /// The names of all people, in the order of the file.
    #[must_use]
    pub fn names(&self) -> &[Name] {
        &self.names
    }

    /// Passes the genotypes of all people at the `wanted` SNPs to the visitor, in the order of the file: copies of A1,
    /// a byte for each person. SNPs that are never counted (X, Y, mitochondria, several alternate alleles) are skipped
    /// without calling `wanted`; the log counts them, and as `used` the SNPs visited. Memory is that of one SNP.
    ///
    /// # Errors
    /// If a file cannot be read, or has changed since it was opened.
    pub fn genotypes(
        &self,
        wanted: &mut dyn FnMut(&Variant) -> bool,
        visit: &mut dyn FnMut(&Variant, &[Genotype]),
    ) -> Result<Log, FileError> {
        match &self.from {
            Source::Plink { bim, bed } => plink::genotypes(bed, bim, self.names.len(), wanted, visit),
            Source::Vcf { file, samples } => vcf::genotypes(file, samples, wanted, visit),
        }
    }
}
