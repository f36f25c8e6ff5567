//! A simulated population: a study of cases and controls, people outside it, and a reference; raw and private releases
//! about it.

use deniable_attack::frequencies::Frequencies;
use deniable_attack::{Findings, Panel, Side, Source, Targets, Test, frequencies, parted, reference, statistics};
use deniable_core::adversary::PriorRange;
use deniable_core::exact::whole;
use deniable_core::promise::Promise;
use deniable_genome::assoc::{AssocRow, Order, write_assoc, write_assoc_header};
use deniable_genome::simulate::{Settings, name, write};
use deniable_genome::{Column, Fileset, Fill, Individuals, PhenoFile, Test as Association};
use deniable_gwas::{CohortFiles, CohortPromise, Files, Means, Protects, Query, Snps, release, tab_separated};
use deniable_ledger::Ledger;
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;
use std::error::Error;
use std::fmt::Write as _;
use std::num::NonZeroUsize;
use std::path::PathBuf;

/// The members: whose frequencies are released.
pub const CASES: usize = 200;
/// The controls of the study; they are not targets.
pub const CONTROLS: usize = 200;
/// Targets who are not in the study.
pub const OUTSIDE: usize = 1000;
/// People whose frequencies are the reference.
pub const REFERENCE: usize = 1000;
/// SNPs, not in linkage.
pub const SNPS: u32 = 1000;
/// The coverage of intervals.
pub const CONFIDENCE: f64 = 0.95;

/// Any error ends a test or the example.
pub type Fallible<T> = Result<T, Box<dyn Error>>;

/// The population, in a temporary folder.
pub struct Population {
    folder: tempfile::TempDir,
    people: Individuals,
}

impl Population {
    /// Simulates the population. No SNP is causal: cases differ from others only by chance.
    pub fn new(seed: u64) -> Fallible<Self> {
        let folder = tempfile::tempdir()?;
        let all = CASES + CONTROLS + OUTSIDE + REFERENCE;
        let settings = Settings {
            cases: u32::try_from(CASES)?,
            controls: u32::try_from(all - CASES)?,
            snps: SNPS,
            switch: 1.0,
            causes: vec![],
            ..Settings::default()
        };
        write(&settings, seed, &folder.path().join("all"))?;
        let mut study = String::new();
        for person in 0..CASES + CONTROLS {
            writeln!(study, "p{person} p{person} {}", if person < CASES { 2 } else { 1 })?;
        }
        std::fs::write(folder.path().join("study.pheno"), study)?;
        let people = Source::Plink(folder.path().join("all")).open()?;
        Ok(Self { folder, people })
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn pheno(&self) -> PhenoFile {
        PhenoFile { path: self.path("study.pheno"), column: Column::First }
    }

    /// The association table of PLINK, with exact frequencies.
    pub fn raw(&self) -> Fallible<Frequencies> {
        // The simulated .fam file gives all people a phenotype; people outside the study have no phenotype here.
        let fam: String = std::fs::read_to_string(self.path("all.fam"))?;
        let study = fam.lines().enumerate().map(|(person, line)| {
            let (start, _) = line.rsplit_once('\t').unwrap_or((line, ""));
            let status = if person < CASES {
                "2"
            } else if person < CASES + CONTROLS {
                "1"
            } else {
                "-9"
            };
            format!("{start}\t{status}\n")
        });
        std::fs::write(self.path("all.fam"), study.collect::<String>())?;
        let files = Fileset::open(&self.path("all"), Some(&self.pheno()))?;
        let mut table = Vec::new();
        write_assoc_header(&mut table, files.name_width())?;
        let mut written = Ok(());
        files.scan(NonZeroUsize::MIN, &mut |snp| {
            if written.is_ok() {
                written = write_assoc(&mut table, files.name_width(), &AssocRow::of(Order::MinorFirst.of(snp)));
            }
        })?;
        written?;
        std::fs::write(self.path("raw.assoc"), table)?;
        Ok(frequencies::read(&self.path("raw.assoc"), Side::Cases)?)
    }

    /// Allele counts of all SNPs under a promise that no belief is multiplied by more than `gain`, whatever the prior:
    /// odds of at most `gain`. Every seed is a separate release; a repeated request returns the stored answer of its
    /// ledger.
    pub fn private(&self, gain: u64, seed: u64) -> Fallible<Frequencies> {
        let ledger = self.path(&format!("{gain}-{seed}.ledger"));
        let promised =
            CohortPromise::new("people".into(), ledger.clone(), PriorRange::any(), vec![Promise::Gain(whole(gain))])?;
        let request = Query {
            source: "study".into(),
            version: "1".into(),
            phenotype: None,
            protects: Protects::Genotype,
            test: Association::Allelic,
            fill: Fill::default(),
            snps: Snps::Named((0..SNPS).map(name).collect()),
            statistics: false,
            counts: true,
            share: whole(1),
            grid: whole(1),
        };
        let files = CohortFiles::new(Files::Plink { prefix: self.path("all"), pheno: Some(self.pheno()) });
        let means = Means { files: &files, threads: NonZeroUsize::MIN, register: true, tell: &|_| {} };
        let mut ledger = Ledger::open_or_create(&ledger, "people")?;
        let released = release(&means, &promised, &request, &mut ledger, &mut ChaCha20Rng::seed_from_u64(seed))?;
        let published = released.complete()?;
        std::fs::write(self.path("private.tsv"), tab_separated(&published.answers, Protects::Genotype))?;
        Ok(frequencies::read(&self.path("private.tsv"), Side::Cases)?)
    }

    /// The targets of an attack on released frequencies, and their membership.
    pub fn targets(&self, released: &Frequencies) -> Fallible<(Targets, Vec<Option<bool>>)> {
        let first = CASES + CONTROLS + OUTSIDE;
        let reference = reference::of_people(&self.people, &|place| place >= first, released)?;
        let panel = Panel::new(released, &reference);
        let targets = Targets::read(&self.people, &panel, &self.path("all"))?;
        let label = |place: usize| match place {
            _ if place < CASES => Some(true),
            _ if (CASES + CONTROLS..first).contains(&place) => Some(false),
            _ => None,
        };
        Ok((targets, (0..self.people.names().len()).map(label).collect()))
    }

    /// The measures of a test against released frequencies.
    pub fn attack(&self, test: Test, released: &Frequencies) -> Fallible<Findings> {
        let (targets, labels) = self.targets(released)?;
        let (members, others) = parted(&statistics(test, &targets, Default::default()).each, &labels);
        Ok(Findings::of(&members, &others, CONFIDENCE))
    }
}
