//! Simulated case-control cohorts with planted causes, written as PLINK files: for learning and for measuring.
//!
//! | part | module |
//! |---|---|
//! | the parameters | [`Settings`] |
//! | haplotypes in linkage, block by block | `blocks` |
//! | cases and controls by disease status | `people` |
//! | `.bed`, `.bim` and `.fam` | `plink` |
//!
//! **Genotypes.** The genome is divided into independent blocks. A block has up to 64 founder haplotypes in a circle;
//! at each SNP the counted allele is carried by a run of `k` neighbours, whose beginning moves by at most one founder
//! from SNP to SNP. Each of a person's two haplotypes copies a uniformly random founder, and between two SNPs it
//! switches, with a given probability, to a newly drawn one. So every allele has frequency `k/founders` exactly,
//! genotypes are in Hardy-Weinberg proportions, and correlation decreases with distance within a block.
//!
//! **Causes.** Some SNPs, at most one in a block and hence independent, multiply the odds of disease by a given ratio
//! for each copy of the counted allele, starting from the baseline risk of a person without copies.
//!
//! **Cases and controls** are sampled by rejection: the copies at all causal SNPs are drawn from the population, then
//! the disease status, and people of a group that is complete are dropped. That is exactly the logistic model at any
//! risk; drawing each SNP from its distribution among cases would be exact only for rare diseases, because causes are
//! not independent given disease. It is fast, because only the causes are drawn for people who are dropped. The blocks
//! of the kept people are then drawn outward from the causal SNP, given its alleles: the copying process is reversible,
//! so this is its exact conditional distribution.
//!
//! The same settings and seed give the same files, byte for byte: ChaCha, integers, and only those floating-point
//! operations that are defined exactly on all platforms (products and quotients, no functions).

mod blocks;
mod chance;
mod people;
mod plink;

use rand_chacha::ChaCha8Rng;
use rand_core::SeedableRng;
use std::path::Path;

/// The random stream for the causes and the people; block `b` uses stream `b + 1`.
const PEOPLE: u64 = 0;
/// More than any biobank has; states take a byte per haplotype.
const MOST_PEOPLE: u32 = 10_000_000;
/// The founders' alleles at one SNP are the bits of a word.
const MOST_FOUNDERS: u32 = 64;
/// Largest memory for the rows of one block, `block · people / 4` bytes.
const MOST_HELD: u64 = 1 << 30;
/// Rarer diseases would make rejection slow.
const RAREST: f64 = 1e-4;

/// The parameters of a simulated cohort.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// Number of cases; at least 1.
    pub cases: u32,
    /// Number of controls; at least 1.
    pub controls: u32,
    /// Number of SNPs; at least 1.
    pub snps: u32,
    /// The range of allele frequencies, in (0, 1); they are multiples of `1/founders`.
    pub frequencies: (f64, f64),
    /// Number of SNPs per block; at least 1.
    pub block: u32,
    /// Number of founder haplotypes per block, 2 to 64.
    pub founders: u32,
    /// The probability that a haplotype switches to another founder from one SNP to the next, in `[0, 1]`; 1 means no
    /// linkage.
    pub switch: f64,
    /// The probability that a genotype is missing, in `[0, 1)`.
    pub missing: f64,
    /// The risk of disease for a person without causal alleles, at least `0.0001` and below 1.
    pub risk: f64,
    /// The odds ratio of disease per copy, for each planted cause: from 1/100 to 100. At most one cause per block.
    pub causes: Vec<f64>,
}

impl Default for Settings {
    /// A thousand people and ten thousand SNPs with five causes.
    fn default() -> Self {
        Self {
            cases: 500,
            controls: 500,
            snps: 10_000,
            frequencies: (0.1, 0.5),
            block: 20,
            founders: 32,
            switch: 0.02,
            missing: 0.0,
            risk: 0.05,
            causes: vec![2.0; 5],
        }
    }
}

/// A planted cause.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cause {
    /// The index of the SNP, from 0.
    pub snp: u32,
    /// The frequency of its counted allele in the population.
    pub frequency: f64,
    /// The odds ratio of disease per copy.
    pub odds_ratio: f64,
}

/// A cohort that cannot be simulated.
#[derive(Debug, thiserror::Error)]
pub enum SimulateError {
    /// A setting out of range.
    #[error("`{name}` must be {range}")]
    Setting {
        /// The field of [`Settings`].
        name: &'static str,
        /// The allowed range.
        range: &'static str,
    },
    /// A file that cannot be written.
    #[error("cannot write {path}: {error}")]
    Write {
        /// The file.
        path: String,
        /// The error of the operating system.
        error: std::io::Error,
    },
}

/// A row of genotypes as PLINK packs them, two bits a person, four people a byte, the first in the lowest bits: `00` two copies
/// of the counted allele, `10` one, `11` none, `01` missing. Cases come first.
pub type Row<'a> = &'a [u8];

/// Simulates a cohort and passes its SNPs to `each` in order; returns the planted causes.
///
/// # Errors
/// If a setting is out of range, or `each` fails.
pub fn each_snp<E: From<SimulateError>>(
    settings: &Settings,
    seed: u64,
    mut each: impl FnMut(u32, Row<'_>) -> Result<(), E>,
) -> Result<Vec<Cause>, E> {
    settings.check()?;
    let mut rng = stream(seed, PEOPLE);
    let causes = people::causes(settings, &mut rng);
    let copies = people::copies(settings, &causes, &mut rng)?;
    let mut maker = blocks::Maker::new(settings);
    for block in 0..settings.blocks() {
        let cause = causes.iter().position(|cause| cause.snp / settings.block == block);
        let planted = cause.and_then(|place| Some((causes.get(place)?, copies.get(place)?.as_slice())));
        let first = block * settings.block;
        let length = settings.block.min(settings.snps - first);
        maker.make(first, length, planted, &mut stream(seed, u64::from(block) + 1));
        for (snp, row) in (first..).zip(maker.rows()) {
            each(snp, row)?;
        }
    }
    Ok(causes)
}

/// Simulates a cohort and writes `stem.bed`, `stem.bim` and `stem.fam`; returns the planted causes.
///
/// The counted allele is the first of `.bim` (A1). Memory is that of one block: `people · (block/4 + 4)` bytes.
///
/// # Errors
/// If a setting is out of range or a file cannot be written.
pub fn write(settings: &Settings, seed: u64, stem: &Path) -> Result<Vec<Cause>, SimulateError> {
    settings.check()?;
    let mut files = plink::Files::create(settings, stem)?;
    let causes = each_snp(settings, seed, |snp, row| files.row(snp, row))?;
    files.finish()?;
    Ok(causes)
}

/// The name of a SNP, by its index from 0.
#[must_use]
pub fn name(snp: u32) -> String {
    format!("sim{snp}")
}

/// Independent random numbers for each purpose.
fn stream(seed: u64, stream: u64) -> ChaCha8Rng {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(stream);
    rng
}

impl Settings {
    /// Number of cases and controls together.
    #[must_use]
    pub fn people(&self) -> u32 {
        self.cases.saturating_add(self.controls)
    }

    /// Number of blocks; the last may be shorter.
    #[must_use]
    pub fn blocks(&self) -> u32 {
        self.snps.div_ceil(self.block.max(1))
    }

    /// The smallest and the largest number of founders that carry an allele.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and 64 after the check")]
    fn carriers(&self) -> (u32, u32) {
        let founders = f64::from(self.founders);
        let (low, high) = ((self.frequencies.0 * founders).ceil(), (self.frequencies.1 * founders).floor());
        ((low as u32).max(1), (high as u32).min(self.founders.saturating_sub(1)))
    }

    /// Checks that all settings are in range.
    fn check(&self) -> Result<(), SimulateError> {
        let must = |holds: bool, name, range| if holds { Ok(()) } else { Err(SimulateError::Setting { name, range }) };
        must((1..=MOST_PEOPLE).contains(&self.cases), "cases", "between 1 and 10,000,000")?;
        must((1..=MOST_PEOPLE).contains(&self.controls), "controls", "between 1 and 10,000,000")?;
        must((1..=1_000_000_000).contains(&self.snps), "snps", "between 1 and 1,000,000,000")?;
        must((1..=self.snps).contains(&self.block), "block", "between 1 and the number of SNPs")?;
        let held = u64::from(self.block) * u64::from(self.people().div_ceil(4));
        must(held <= MOST_HELD, "block", "shorter: with this many people it needs more than a gigabyte of memory")?;
        must((2..=MOST_FOUNDERS).contains(&self.founders), "founders", "between 2 and 64")?;
        let (low, high) = self.frequencies;
        must(low > 0.0 && high < 1.0 && low <= high, "frequencies", "between 0 and 1, the lower first")?;
        let (least, most) = self.carriers();
        must(least <= most, "frequencies", "so far apart that a whole number of founders lies between them")?;
        must((0.0..=1.0).contains(&self.switch), "switch", "between 0 and 1")?;
        must((0.0..1.0).contains(&self.missing), "missing", "at least 0 and below 1")?;
        must((RAREST..1.0).contains(&self.risk), "risk", "at least 0.0001 and below 1")?;
        let ratios = self.causes.iter().all(|ratio| (0.01..=100.0).contains(ratio));
        must(ratios, "causes", "odds ratios between 0.01 and 100")?;
        must(self.causes.len() <= 64, "causes", "at most 64")?;
        let room = u32::try_from(self.causes.len()).is_ok_and(|causes| causes <= self.blocks());
        must(room, "causes", "no more than there are blocks")
    }
}

#[cfg(test)]
mod tests;
