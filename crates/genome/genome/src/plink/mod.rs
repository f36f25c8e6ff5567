//! PLINK 1 filesets: `PREFIX.bed`, `PREFIX.bim` and `PREFIX.fam`.
//!
//! What is counted is what PLINK 1.9 counts with `--allow-no-sex`, on chromosomes of which everybody has two copies. PLINK's
//! `--assoc` also has rows for X (men counted once), Y and the mitochondria (everybody once), and `--model` for the women on X;
//! those SNPs are left out here and counted in the [`Log`], because a [`crate::ContingencyTable`] and the distances of G-2 are about
//! people with two copies.
//!
//! Memory is that of the people, and of a few blocks of SNPs for each thread: it does not grow with the SNPs.

pub(crate) mod bed;
pub(crate) mod bim;
pub(crate) mod fam;
pub mod pheno;

pub use fam::Person;
pub use pheno::{Column, PhenoFile, Phenotypes};

use crate::cohort::{Log, Snp, Status, Variant, masks};
use crate::counting::{Genotype, Masks, unpack};
use crate::file_error::{FileError, FileErrorKind};
use crate::fingerprint::Fingerprint;
use crate::lines::Lines;
use bed::Bed;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

/// A fileset whose three files belong together.
#[derive(Debug, Clone)]
pub struct Fileset {
    bim: PathBuf,
    fam: PathBuf,
    pheno: Option<PathBuf>,
    bed: Bed,
    people: Vec<Person>,
    masks: Masks,
    log: Log,
    name_width: usize,
}

impl Fileset {
    /// Opens the three files of a prefix (PLINK's `--bfile`), with the phenotypes of the .fam file, or of a file of their own.
    /// People and SNPs are read and checked; of the genotypes, the beginning and the length.
    ///
    /// # Errors
    /// When a file cannot be read, or the files do not fit together; when a phenotype is quantitative; when there are no cases
    /// or no controls.
    pub fn open(prefix: &Path, pheno: Option<&PhenoFile>) -> Result<Self, FileError> {
        let [bed, bim, fam] = files(prefix);
        let mut people = fam::read(Lines::open(&fam)?, pheno.is_none())?;
        let bim::Survey { mut log, name_width } = bim::survey(Lines::open(&bim)?)?;
        let mut source = fam.clone();
        if let Some(pheno) = pheno {
            let phenotypes = Phenotypes::read(pheno)?;
            log.strangers = phenotyped(&mut people, &phenotypes, &fam)?;
            source.clone_from(&pheno.path);
        }
        let bed = Bed::open(&bed, people.len(), log.snps)?;
        let who: Vec<(Option<Status>, bool)> = people.iter().map(|person| (person.status, person.founder)).collect();
        let masks = masks(&source, &who, &mut log)?;
        log.sex_unknown = people.iter().filter(|person| person.status.is_some() && !person.sex_known).count() as u64;
        let pheno = pheno.map(|pheno| pheno.path.clone());
        Ok(Self { bim, fam, pheno, bed, people, masks, log, name_width })
    }

    /// The people, in the order of the .fam file.
    #[must_use]
    pub fn people(&self) -> &[Person] {
        &self.people
    }

    /// What is left out, as far as it is known before genotypes are read. [`Fileset::scan`] returns all of it.
    #[must_use]
    pub fn log(&self) -> &Log {
        &self.log
    }

    /// How wide PLINK prints the column of names.
    #[must_use]
    pub fn name_width(&self) -> usize {
        self.name_width
    }

    /// Counts all SNPs that are used, and shows them in the order of the file.
    ///
    /// # Errors
    /// When a file cannot be read, or is no longer what it was when it was opened.
    pub fn scan(&self, threads: NonZeroUsize, visit: &mut dyn FnMut(Snp)) -> Result<Log, FileError> {
        self.pass(threads, None, visit)
    }

    /// The same, and adds the genotypes, the SNPs and the people to a fingerprint.
    ///
    /// # Errors
    /// As [`Fileset::scan`].
    pub fn scan_into(
        &self,
        fingerprint: &mut Fingerprint,
        threads: NonZeroUsize,
        visit: &mut dyn FnMut(Snp),
    ) -> Result<Log, FileError> {
        for file in [Some(&self.bim), Some(&self.fam), self.pheno.as_ref()].into_iter().flatten() {
            fingerprint.add_file(file)?;
        }
        self.pass(threads, Some(fingerprint), visit)
    }

    /// Shows the genotypes of everybody, with or without a phenotype, at the SNPs that are wanted, as
    /// [`crate::Individuals::genotypes`] does.
    ///
    /// # Errors
    /// As [`Fileset::scan`].
    pub fn genotypes(
        &self,
        wanted: &mut dyn FnMut(&Variant) -> bool,
        visit: &mut dyn FnMut(&Variant, &[Genotype]),
    ) -> Result<Log, FileError> {
        genotypes(&self.bed, &self.bim, self.people.len(), wanted, visit)
    }

    fn pass(
        &self,
        threads: NonZeroUsize,
        mut fingerprint: Option<&mut Fingerprint>,
        visit: &mut dyn FnMut(Snp),
    ) -> Result<Log, FileError> {
        let key = fingerprint.as_ref().map(|fingerprint| *fingerprint.key());
        let mut log = self.log.clone();
        let mut read = Log::default();
        let mut lines = Lines::open(&self.bim)?;
        // While the counts of some blocks are shown, others are counted.
        self.bed.count(threads, key, &self.masks, &mut |block| {
            if let (Some(fingerprint), Some(hash)) = (fingerprint.as_mut(), &block.hash) {
                fingerprint.add(hash);
            }
            for counts in &block.counts {
                let line = bim::next(&mut lines, &mut read)?;
                if let bim::Line::Used(snp) = line.ok_or_else(|| self.changed())? {
                    log.count(counts);
                    visit(Snp { variant: snp.variant(), counts: *counts });
                }
            }
            Ok(())
        })?;
        let ended = bim::next(&mut lines, &mut read)?.is_none();
        if ended && read.used == log.used { Ok(log) } else { Err(self.changed()) }
    }

    fn changed(&self) -> FileError {
        FileError::whole(&self.bim, FileErrorKind::Changed)
    }
}

/// The genotypes of all people at the SNPs that are wanted.
pub(crate) fn genotypes(
    bed: &Bed,
    bim: &Path,
    people: usize,
    wanted: &mut dyn FnMut(&Variant) -> bool,
    visit: &mut dyn FnMut(&Variant, &[Genotype]),
) -> Result<Log, FileError> {
    let mut log = Log::default();
    let mut lines = Lines::open(bim)?;
    let mut rows = bed.rows()?;
    let mut calls = Vec::with_capacity(people);
    let mut shown = 0;
    while let Some(line) = bim::next(&mut lines, &mut log)? {
        let bim::Line::Used(named) = line else { continue };
        let variant = named.variant();
        if wanted(&variant) {
            calls.clear();
            // The line that was just read is that of the row, and is counted already.
            calls.extend(unpack(rows.read(log.snps - 1)?).take(people));
            shown += 1;
            visit(&variant, &calls);
        }
    }
    if log.snps != bed.snps() {
        return Err(FileError::whole(bim, FileErrorKind::Changed));
    }
    Ok(Log { people: people as u64, used: shown, ..log })
}

/// What the names of the three files of a prefix end in.
const ENDINGS: [&str; 3] = [".bed", ".bim", ".fam"];

/// The three files of a prefix (PLINK's `--bfile`), which may have dots of its own: .bed, .bim and .fam.
#[must_use]
pub fn files(prefix: &Path) -> [PathBuf; 3] {
    ENDINGS.map(|ending| {
        let mut path = prefix.as_os_str().to_owned();
        path.push(ending);
        path.into()
    })
}

/// The prefix that is meant where one of its files is named, as `people.bed` in place of `people`, which is a common slip.
#[must_use]
pub fn meant(path: &Path) -> Option<PathBuf> {
    let [bed, ..] = files(path);
    let name = path.file_name()?.to_string_lossy().to_lowercase();
    let prefix = path.with_extension("");
    let [meant, ..] = files(&prefix);
    let is_slip = !bed.is_file() && ENDINGS.iter().any(|ending| name.ends_with(ending)) && meant.is_file();
    is_slip.then_some(prefix)
}

/// Gives people their phenotypes; how many phenotypes belong to nobody.
fn phenotyped(people: &mut [Person], phenotypes: &Phenotypes, fam: &Path) -> Result<u64, FileError> {
    let mut known = 0;
    for person in people {
        if let Some(status) = phenotypes.of(&person.family, &person.id) {
            person.status = status;
            known += 1;
        }
    }
    if known == 0 {
        let genotypes = fam.display().to_string();
        return Err(FileError::whole(phenotypes.file(), FileErrorKind::Strangers { genotypes }));
    }
    Ok((phenotypes.len() - known) as u64)
}
