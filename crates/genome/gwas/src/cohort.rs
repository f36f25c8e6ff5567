//! The cohort: its files, and the table of every SNP.

use crate::answer::Sizes;
use deniable_genome::{
    ContingencyTable, FileError, Fileset, Fill, Fingerprint, Log, PhenoFile, Snp, Variant, Vcf, plink,
};
use std::cell::OnceCell;
use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::path::PathBuf;

/// The files of genotypes and phenotypes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Files {
    /// `PREFIX.bed`, `.bim` and `.fam`, with the phenotypes of the last or of a separate file.
    Plink {
        /// The prefix.
        prefix: PathBuf,
        /// The phenotypes.
        pheno: Option<PhenoFile>,
    },
    /// A VCF file, plain or bgzipped.
    Vcf {
        /// The file.
        file: PathBuf,
        /// The phenotypes.
        pheno: PhenoFile,
    },
}

impl Files {
    /// The paths of all files.
    #[must_use]
    pub fn all(&self) -> Vec<PathBuf> {
        let (genotypes, pheno) = match self {
            Self::Plink { prefix, pheno } => (plink::files(prefix).to_vec(), pheno.as_ref()),
            Self::Vcf { file, pheno } => (vec![file.clone()], Some(pheno)),
        };
        genotypes.into_iter().chain(pheno.map(|pheno| pheno.path.clone())).collect()
    }

    /// Opens the files, and checks as far as possible before genotypes are read that they belong together.
    ///
    /// # Errors
    /// If a file cannot be read, or contradicts the others.
    pub fn open(&self) -> Result<OpenFiles, FileError> {
        Ok(match self {
            Self::Plink { prefix, pheno } => OpenFiles::Plink(Fileset::open(prefix, pheno.as_ref())?.into()),
            Self::Vcf { file, pheno } => OpenFiles::Vcf(Vcf::open(file, pheno)?.into()),
        })
    }
}

/// The files of a run: opened on first use, and only once.
#[derive(Debug, Clone)]
pub struct CohortFiles {
    files: Files,
    opened: OnceCell<OpenFiles>,
}

impl CohortFiles {
    /// Files that are not opened yet.
    #[must_use]
    pub fn new(files: Files) -> Self {
        Self { files, opened: OnceCell::new() }
    }

    /// The paths of the files.
    #[must_use]
    pub fn files(&self) -> &Files {
        &self.files
    }

    /// Opens the files on the first call.
    ///
    /// # Errors
    /// If a file cannot be read, or contradicts the others.
    pub fn open(&self) -> Result<&OpenFiles, FileError> {
        if let Some(opened) = self.opened.get() {
            return Ok(opened);
        }
        let opened = self.files.open()?;
        Ok(self.opened.get_or_init(|| opened))
    }
}

/// Files with people and phenotypes read, but not the genotypes.
#[derive(Debug, Clone)]
pub enum OpenFiles {
    /// PLINK.
    Plink(Box<Fileset>),
    /// VCF.
    Vcf(Box<Vcf>),
}

impl OpenFiles {
    /// Reads all files, passes every used SNP to the visitor in the order of the files, and adds the data to a
    /// fingerprint.
    ///
    /// # Errors
    /// If a file cannot be read, or contradicts the others.
    pub fn scan(
        &self,
        fingerprint: &mut Fingerprint,
        threads: NonZeroUsize,
        visit: &mut dyn FnMut(Snp),
    ) -> Result<Log, FileError> {
        match self {
            Self::Plink(files) => files.scan_into(fingerprint, threads, visit),
            Self::Vcf(vcf) => {
                vcf.add_to(fingerprint)?;
                vcf.scan(visit)
            }
        }
    }
}

/// Every SNP of a cohort with its table, with missing calls filled. Memory for each SNP is 24 bytes of counts and its
/// line of names.
#[derive(Debug, Clone, Default)]
pub struct Cohort {
    /// The tables, all of the same people.
    pub tables: Vec<ContingencyTable>,
    names: Names,
    /// The numbers read and left out; for the curator only.
    pub log: Log,
    /// The fingerprint of the files, in hexadecimal; never printed.
    pub fingerprint: String,
}

impl Cohort {
    /// Reads a cohort. Calls `tell` repeatedly with the number of SNPs so far.
    ///
    /// # Errors
    /// If a file cannot be read, or contradicts the others.
    pub fn read(
        files: &OpenFiles,
        fill: Fill,
        key: [u8; 32],
        threads: NonZeroUsize,
        tell: &dyn Fn(u64),
    ) -> Result<Self, FileError> {
        /// SNPs between two reports of progress.
        const OFTEN: usize = 4096;
        let mut fingerprint = Fingerprint::new(key);
        let mut cohort = Self::default();
        cohort.log = files.scan(&mut fingerprint, threads, &mut |snp| {
            cohort.tables.push(fill.table(&snp.counts));
            cohort.names.push(&snp.variant);
            if cohort.tables.len().is_multiple_of(OFTEN) {
                tell(cohort.tables.len() as u64);
            }
        })?;
        cohort.fingerprint = fingerprint.hex();
        Ok(cohort)
    }

    /// The numbers of people and SNPs.
    #[must_use]
    pub fn sizes(&self) -> Sizes {
        let (cases, controls) = self.tables.first().map_or((0, 0), |table| (table.all_cases(), table.all_controls()));
        Sizes { cases, controls, snps: self.tables.len() as u64 }
    }

    /// The SNP at an index.
    #[must_use]
    pub fn variant(&self, place: usize) -> Option<Variant> {
        self.names.get(place)
    }

    /// The indices of SNPs by their names. Names are public, so errors may contain them.
    ///
    /// # Errors
    /// The first name that is missing or not unique.
    pub fn places(&self, wanted: &[String]) -> Result<Vec<usize>, NameError> {
        let mut found: HashMap<&str, Vec<usize>> = wanted.iter().map(|name| (name.as_str(), vec![])).collect();
        for place in 0..self.tables.len() {
            if let Some(places) = self.names.name(place).and_then(|name| found.get_mut(name)) {
                places.push(place);
            }
        }
        wanted
            .iter()
            .map(|name| match found.get(name.as_str()).map(Vec::as_slice) {
                Some([place]) => Ok(*place),
                Some([_, _, ..]) => Err(NameError::Twice(name.clone())),
                _ => Err(NameError::Unknown(name.clone())),
            })
            .collect()
    }
}

/// A name that does not identify one SNP.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    /// No SNP has this name.
    #[error("there is no SNP `{0}` among those that are used")]
    Unknown(String),
    /// Several SNPs have this name.
    #[error("several SNPs are called `{0}`")]
    Twice(String),
}

/// The names of SNPs in one text: five words a line, which takes far less memory than five strings each.
#[derive(Debug, Clone, Default)]
struct Names {
    text: String,
    ends: Vec<usize>,
}

impl Names {
    fn push(&mut self, variant: &Variant) {
        use std::fmt::Write;
        let Variant { chromosome, id, position, a1, a2 } = variant;
        // Writing to a string cannot fail. No word of a .bim or VCF line contains a tab.
        let _ = write!(self.text, "{chromosome}\t{id}\t{position}\t{a1}\t{a2}");
        self.ends.push(self.text.len());
    }

    fn line(&self, place: usize) -> Option<&str> {
        let start = place.checked_sub(1).map_or(Some(0), |before| self.ends.get(before).copied())?;
        self.text.get(start..*self.ends.get(place)?)
    }

    fn name(&self, place: usize) -> Option<&str> {
        self.line(place)?.split('\t').nth(1)
    }

    fn get(&self, place: usize) -> Option<Variant> {
        let mut words = self.line(place)?.split('\t');
        let mut next = || words.next();
        let (chromosome, id, position) = (next()?.parse().ok()?, next()?.to_owned(), next()?.parse().ok()?);
        Some(Variant { chromosome, id, position, a1: next()?.to_owned(), a2: next()?.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variant(id: &str, position: u32) -> Variant {
        Variant { chromosome: 25, id: id.to_owned(), position, a1: "A".to_owned(), a2: "<DEL>".to_owned() }
    }

    #[test]
    fn names_come_back() {
        let mut names = Names::default();
        let all = [variant("rs1", 0), variant(".", u32::MAX), variant("rs3:a", 7)];
        all.iter().for_each(|variant| names.push(variant));
        for (place, variant) in all.iter().enumerate() {
            assert_eq!(names.get(place).as_ref(), Some(variant));
        }
        assert_eq!((names.get(3), names.name(0)), (None, Some("rs1")));
    }

    #[test]
    fn a_name_identifies_one_snp() {
        let mut cohort = Cohort::default();
        for id in ["rs1", "rs2", "rs2"] {
            cohort.names.push(&variant(id, 1));
            cohort.tables.push(ContingencyTable { cases: [1, 0, 0], controls: [1, 0, 0] });
        }
        let places = |names: &[&str]| cohort.places(&names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>());
        assert_eq!(places(&["rs1"]), Ok(vec![0]));
        assert_eq!(places(&["rs1", "rs2"]), Err(NameError::Twice("rs2".to_owned())));
        assert_eq!(places(&["rs3"]), Err(NameError::Unknown("rs3".to_owned())));
    }
}
