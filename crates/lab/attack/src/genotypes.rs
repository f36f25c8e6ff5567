//! Targets: people with known genotypes, whose membership in a pool is to be inferred.

use crate::alleles::Fit;
use crate::panel::{Panel, PanelCounts};
use crate::table_error::{TableError, TableErrorKind};
use deniable_genome::counting::Genotype;
use deniable_genome::individuals::Name;
use deniable_genome::{FileError, Individuals};
use std::cell::Cell;
use std::path::{Path, PathBuf};

/// The files with genotypes. Phenotypes are not needed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// `PREFIX.bed`, `.bim` and `.fam`.
    Plink(PathBuf),
    /// A VCF file, plain or bgzipped.
    Vcf(PathBuf),
}

impl Source {
    /// Opens the files.
    ///
    /// # Errors
    /// If a file cannot be read, or contradicts the others.
    pub fn open(&self) -> Result<Individuals, FileError> {
        match self {
            Self::Plink(prefix) => Individuals::plink(prefix),
            Self::Vcf(file) => Individuals::vcf(file),
        }
    }
}

/// The genotypes of targets at the SNPs that the released table, the reference and the targets' file share. Memory is a byte
/// for each person and SNP.
#[derive(Debug, Clone, Default)]
pub struct Targets {
    names: Vec<Name>,
    /// The released and the reference frequency of the counted allele of each SNP.
    sites: Vec<(f64, f64)>,
    /// The calls of all people, SNP by SNP: copies of the allele that the released table counts.
    calls: Vec<Genotype>,
    matched: PanelCounts,
}

impl Targets {
    /// Reads targets at the SNPs of a panel; copies are of the allele that the released table counts.
    ///
    /// # Errors
    /// If the files cannot be read, or have none of the SNPs.
    pub fn read(individuals: &Individuals, panel: &Panel, file: &Path) -> Result<Self, TableError> {
        let mut found = panel.finder();
        let mut rows = Vec::new();
        let mut calls = Vec::new();
        // The site of the next SNP: found when the reader requests it, and used when its genotypes arrive.
        let next = Cell::new(None);
        individuals.genotypes(
            &mut |variant| {
                let site = found.find(variant);
                next.set(site);
                site.is_some()
            },
            &mut |_, row| {
                let Some((site, fit)) = next.take() else { return };
                rows.push(site);
                calls.extend(row.iter().map(|call| turned(*call, fit)));
            },
        )?;
        let people = individuals.names().len();
        let (matched, kept) = found.finish(&rows);
        let mut sites = Vec::with_capacity(kept.len());
        let mut clean = Vec::new();
        for (at, site) in &kept {
            sites.push(panel.frequencies(*site));
            // Rows are only copied if a duplicate SNP was removed.
            if kept.len() < rows.len() {
                clean.extend_from_slice(calls.get(at * people..(at + 1) * people).unwrap_or_default());
            }
        }
        if sites.is_empty() {
            return Err(TableError::whole(file, TableErrorKind::Empty("SNPs of the released table and the reference")));
        }
        let calls = if kept.len() < rows.len() { clean } else { calls };
        Ok(Self { names: individuals.names().to_vec(), sites, calls, matched })
    }

    /// Targets given directly: for each SNP the released and the reference frequency, and the calls of all people. For
    /// simulations.
    ///
    /// Every row must have as many calls as there are names; SNPs with other rows are left out.
    #[must_use]
    pub fn of(names: Vec<Name>, rows: Vec<((f64, f64), Vec<Genotype>)>) -> Self {
        let mut targets = Self { names, ..Self::default() };
        for (frequencies, row) in rows.into_iter().filter(|(_, row)| row.len() == targets.names.len()) {
            targets.sites.push(frequencies);
            targets.calls.extend(row);
        }
        targets
    }

    /// The names of all people, in the order of the file.
    #[must_use]
    pub fn names(&self) -> &[Name] {
        &self.names
    }

    /// The number of SNPs used.
    #[must_use]
    pub fn snps(&self) -> usize {
        self.sites.len()
    }

    /// The number of SNPs used, and of those left out by reason.
    #[must_use]
    pub fn matched(&self) -> &PanelCounts {
        &self.matched
    }

    /// The correlation of released and reference frequencies, −1 to 1; `None` if one of them is constant. It is near 1
    /// for exact frequencies of similar people, near 0 under much noise, and negative if one table counts other alleles
    /// than it names.
    #[must_use]
    pub fn agreement(&self) -> Option<f64> {
        let many = crate::intervals::float(self.sites.len().max(1) as u64);
        let mean = |of: &dyn Fn(&(f64, f64)) -> f64| self.sites.iter().map(of).sum::<f64>() / many;
        let (released, reference) = (mean(&|site| site.0), mean(&|site| site.1));
        let both = mean(&|site| (site.0 - released) * (site.1 - reference));
        let spread = mean(&|site| (site.0 - released).powi(2)) * mean(&|site| (site.1 - reference).powi(2));
        (spread > 1e-18).then(|| (both / spread.sqrt()).clamp(-1.0, 1.0))
    }

    /// For every SNP, its released frequency, its reference frequency, and the calls of all people.
    pub fn rows(&self) -> impl Iterator<Item = (f64, f64, &[Genotype])> {
        // Without people, rows have no calls.
        let people = self.names.len().max(1);
        let rows = self.calls.chunks_exact(people);
        self.sites.iter().zip(rows).map(|((released, reference), row)| (*released, *reference, row))
    }
}

fn turned(call: Genotype, fit: Fit) -> Genotype {
    match (fit, call) {
        (Fit::Swapped, Genotype::Two) => Genotype::None,
        (Fit::Swapped, Genotype::None) => Genotype::Two,
        (_, call) => call,
    }
}
