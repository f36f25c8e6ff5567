//! PLINK 1 filesets: `PREFIX.bed`, `PREFIX.bim` and `PREFIX.fam`.
//!
//! The counts are those of PLINK 1.9 with `--allow-no-sex`, on chromosomes of which every person has two copies.
//! PLINK's `--assoc` also has rows for X (men counted once), Y and the mitochondria (all people once), and `--model`
//! for women on X; those SNPs are left out here and counted in the [`Log`], because a [`crate::ContingencyTable`] and
//! the distances of G-2 are about people with two copies.
//!
//! Memory is that of the people, and of a few blocks of SNPs for each thread: it does not grow with the number of SNPs.

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

/// A fileset of three consistent files.
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
    /// Opens the three files of a prefix (PLINK's `--bfile`), with the phenotypes of the .fam file, or of a separate
    /// file. Reads and checks people and SNPs; of the genotypes, only the first bytes and the length.
    ///
    /// # Errors
    /// If a file cannot be read, or the files contradict each other; if a phenotype is quantitative; if there are no
    /// cases or no controls.
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

    /// The numbers left out, as far as known before genotypes are read. [`Fileset::scan`] returns all of them.
    #[must_use]
    pub fn log(&self) -> &Log {
        &self.log
    }

    /// The width of PLINK's column of names.
    #[must_use]
    pub fn name_width(&self) -> usize {
        self.name_width
    }

    /// Counts all used SNPs, and passes them to the visitor in the order of the file.
    ///
    /// # Errors
    /// If a file cannot be read, or has changed since it was opened.
    pub fn scan(&self, threads: NonZeroUsize, visit: &mut dyn FnMut(Snp)) -> Result<Log, FileError> {
        self.pass(threads, None, visit)
    }

    /// Like [`Fileset::scan`], and adds the genotypes, the SNPs and the people to a fingerprint.
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

    /// Passes the genotypes of all people, with or without a phenotype, at the wanted SNPs to the visitor, as
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
        // Blocks are counted while the counts of others are visited.
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

/// Visits the genotypes of all people at the wanted SNPs.
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
            // The current line is that of the row, and is counted already.
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

/// The extensions of the three files of a prefix.
const ENDINGS: [&str; 3] = [".bed", ".bim", ".fam"];

/// The three files of a prefix (PLINK's `--bfile`), which may contain dots: .bed, .bim and .fam.
#[must_use]
pub fn files(prefix: &Path) -> [PathBuf; 3] {
    ENDINGS.map(|ending| {
        let mut path = prefix.as_os_str().to_owned();
        path.push(ending);
        path.into()
    })
}

/// The intended prefix if one of its files is named, as `people.bed` instead of `people`, which is a common mistake.
#[must_use]
pub fn meant(path: &Path) -> Option<PathBuf> {
    let [bed, ..] = files(path);
    let name = path.file_name()?.to_string_lossy().to_lowercase();
    let prefix = path.with_extension("");
    let [meant, ..] = files(&prefix);
    let is_slip = !bed.is_file() && ENDINGS.iter().any(|ending| name.ends_with(ending)) && meant.is_file();
    is_slip.then_some(prefix)
}

/// Assigns phenotypes to people; returns the number of phenotypes without a person.
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
