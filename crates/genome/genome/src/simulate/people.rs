//! Chooses the causal SNPs, and samples cases and controls.

use super::chance::{below, happens};
use super::{Cause, Settings, SimulateError};
use rand_core::Rng;

/// Largest number of trials per person kept: beyond it, one group is too rare.
const TRIES: u64 = 20_000;

/// Places the causes in different blocks, at random, and draws the number of founders that carry each.
pub(super) fn causes<R: Rng>(settings: &Settings, rng: &mut R) -> Vec<Cause> {
    let (least, most) = settings.carriers();
    let mut blocks: Vec<u32> = vec![];
    while blocks.len() < settings.causes.len() {
        let block = below(settings.blocks(), rng);
        if !blocks.contains(&block) {
            blocks.push(block);
        }
    }
    blocks.sort_unstable();
    let mut place = |block: u32| {
        let first = block * settings.block;
        let snp = first + below(settings.block.min(settings.snps - first), rng);
        let carriers = least + below(most - least + 1, rng);
        (snp, f64::from(carriers) / f64::from(settings.founders))
    };
    let placed: Vec<(u32, f64)> = blocks.into_iter().map(&mut place).collect();
    let with = placed.into_iter().zip(&settings.causes);
    with.map(|((snp, frequency), odds_ratio)| Cause { snp, frequency, odds_ratio: *odds_ratio }).collect()
}

/// For each cause, the counted alleles of all people's two haplotypes there (bit 0 and bit 1): cases first.
///
/// People are drawn from the population, become ill by the logistic model, and are kept until their group is complete.
pub(super) fn copies<R: Rng>(
    settings: &Settings,
    causes: &[Cause],
    rng: &mut R,
) -> Result<Vec<Vec<u8>>, SimulateError> {
    let (cases, controls) = (settings.cases, settings.controls);
    let mut sides = [vec![vec![]; causes.len()], vec![vec![]; causes.len()]];
    let mut still = [cases, controls];
    let baseline = settings.risk / (1.0 - settings.risk);
    let mut alleles = vec![0_u8; causes.len()];
    let mut tries = TRIES * u64::from(settings.people());
    while still != [0, 0] {
        tries -= 1;
        if tries == 0 {
            return Err(SimulateError::Setting {
                name: "risk",
                range: "such that neither cases nor controls are rare",
            });
        }
        let mut odds = baseline;
        for (allele, cause) in alleles.iter_mut().zip(causes) {
            *allele = 0;
            for haplotype in 0..2 {
                if happens(cause.frequency, rng) {
                    *allele |= 1 << haplotype;
                    odds *= cause.odds_ratio;
                }
            }
        }
        let side = usize::from(!happens(odds / (1.0 + odds), rng));
        if still[side] > 0 {
            still[side] -= 1;
            for (kept, allele) in sides[side].iter_mut().zip(&alleles) {
                kept.push(*allele);
            }
        }
    }
    let [ill, well] = sides;
    Ok(ill.into_iter().zip(well).map(|(ill, well)| [ill, well].concat()).collect())
}
