//! Made-up case-control cohorts with planted causes, written as PLINK files: to learn on, and to measure against.
//!
//! | part | module |
//! |---|---|
//! | what is asked for | [`Settings`] |
//! | haplotypes in linkage, block by block | `blocks` |
//! | who falls ill | `people` |
//! | `.bed`, `.bim` and `.fam` | `plink` |
//!
//! **Genotypes.** The genome is cut into blocks, independent of each other. In a block there are up to 64 founder haplotypes
//! around a circle; at each SNP the counted allele is carried by a run of `k` neighbours, whose beginning moves by at most one
//! founder from SNP to SNP. Each of a person's two haplotypes copies a uniformly random founder, and between two SNPs it
//! switches, with a stated probability, to one drawn anew. So every allele has frequency `k/founders` exactly, genotypes are
//! in Hardy-Weinberg proportions, and correlation fades with distance within a block.
//!
//! **Causes.** Some SNPs, at most one in a block and hence independent, multiply the odds of disease by a stated ratio for
//! each copy of the counted allele, starting from the baseline risk of somebody without any copy.
//!
//! **Cases and controls** are sampled by rejection: the copies at all causal SNPs are drawn from the population, then whether
//! that person is ill, and whoever is not needed any more is dropped. That is exactly the logistic model at any risk; drawing
//! each SNP from its distribution among cases would be so only for rare diseases, because causes are not independent given
//! disease. It is cheap, because nothing but the causes is drawn for those who are dropped. The blocks of the others are then
//! drawn outward from the causal SNP, given its alleles: the copying process looks the same in both directions, so this is
//! its exact conditional distribution.
//!
//! The same settings and seed give the same files, byte for byte: ChaCha, whole numbers, and of floating point only what is
//! exactly defined everywhere (products and quotients, no functions).

mod blocks;
mod chance;
mod people;
mod plink;

use rand_chacha::ChaCha8Rng;
use rand_core::SeedableRng;
use std::path::Path;

/// The stream of random numbers that sets up the causes and draws people; block `b` uses stream `b + 1`.
const PEOPLE: u64 = 0;
/// More people than biobanks have; states take a byte per haplotype.
const MOST_PEOPLE: u32 = 10_000_000;
/// The founders' alleles at one SNP are the bits of a word.
const MOST_FOUNDERS: u32 = 64;
/// The rows of one block are held in memory: `block · people / 4` bytes.
const MOST_HELD: u64 = 1 << 30;
/// Rarer diseases would make rejection slow.
const RAREST: f64 = 1e-4;

/// What kind of cohort to make.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// How many cases; at least 1.
    pub cases: u32,
    /// How many controls; at least 1.
    pub controls: u32,
    /// How many SNPs; at least 1.
    pub snps: u32,
    /// Allele frequencies are between these, in (0, 1); they are whole multiples of `1/founders`.
    pub frequencies: (f64, f64),
    /// How many SNPs make a block; at least 1.
    pub block: u32,
    /// How many founder haplotypes a block has, 2 to 64.
    pub founders: u32,
    /// How probably a haplotype switches to another founder from one SNP to the next, in `[0, 1]`; 1 is no linkage.
    pub switch: f64,
    /// How probably a genotype is missing, in `[0, 1)`.
    pub missing: f64,
    /// The risk of disease of somebody without any causal allele, from `0.0001` up to below 1.
    pub risk: f64,
    /// For each planted cause, by what one copy multiplies the odds of disease: from 1/100 to 100. At most one per block.
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
    /// Which SNP, from 0.
    pub snp: u32,
    /// The frequency of its counted allele in the population.
    pub frequency: f64,
    /// By what each copy multiplies the odds of disease.
    pub odds_ratio: f64,
}

/// A cohort that cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum SimulateError {
    /// A setting out of range.
    #[error("`{name}` must be {range}")]
    Setting {
        /// The field of [`Settings`].
        name: &'static str,
        /// What is allowed.
        range: &'static str,
    },
    /// No file.
    #[error("cannot write {path}: {error}")]
    Write {
        /// The file.
        path: String,
        /// Why.
        error: std::io::Error,
    },
}

/// A row of genotypes as PLINK packs them, two bits a person, four people a byte, the first in the lowest bits: `00` two copies
/// of the counted allele, `10` one, `11` none, `01` missing. Cases come first.
pub type Row<'a> = &'a [u8];

/// Makes a cohort and hands out its SNPs in order; returns the planted causes.
///
/// # Errors
/// When a setting is out of range, or whatever `each` fails with.
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

/// Makes a cohort and writes `stem.bed`, `stem.bim` and `stem.fam`; returns the planted causes.
///
/// The counted allele is the first of `.bim` (A1). Memory is that of one block: `people · (block/4 + 4)` bytes.
///
/// # Errors
/// When a setting is out of range or a file cannot be written.
pub fn write(settings: &Settings, seed: u64, stem: &Path) -> Result<Vec<Cause>, SimulateError> {
    settings.check()?;
    let mut files = plink::Files::create(settings, stem)?;
    let causes = each_snp(settings, seed, |snp, row| files.row(snp, row))?;
    files.finish()?;
    Ok(causes)
}

/// What a SNP is called, by its number from 0.
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
    /// Everybody.
    #[must_use]
    pub fn people(&self) -> u32 {
        self.cases.saturating_add(self.controls)
    }

    /// How many blocks there are; the last may be shorter.
    #[must_use]
    pub fn blocks(&self) -> u32 {
        self.snps.div_ceil(self.block.max(1))
    }

    /// How many founders may carry an allele, least and most.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and 64 after the check")]
    fn carriers(&self) -> (u32, u32) {
        let founders = f64::from(self.founders);
        let (low, high) = ((self.frequencies.0 * founders).ceil(), (self.frequencies.1 * founders).floor());
        ((low as u32).max(1), (high as u32).min(self.founders.saturating_sub(1)))
    }

    /// Whether everything is in range.
    fn check(&self) -> Result<(), SimulateError> {
        let must = |holds: bool, name, range| if holds { Ok(()) } else { Err(SimulateError::Setting { name, range }) };
        must((1..=MOST_PEOPLE).contains(&self.cases), "cases", "between 1 and 10,000,000")?;
        must((1..=MOST_PEOPLE).contains(&self.controls), "controls", "between 1 and 10,000,000")?;
        must((1..=1_000_000_000).contains(&self.snps), "snps", "between 1 and 1,000,000,000")?;
        must((1..=self.snps).contains(&self.block), "block", "between 1 and the number of SNPs")?;
        let held = u64::from(self.block) * u64::from(self.people().div_ceil(4));
        must(held <= MOST_HELD, "block", "shorter: with so many people it needs more than a gigabyte of memory")?;
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
