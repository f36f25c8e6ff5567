//! SNPs by score, from which one after the other is picked.

use deniable_core::exact::{Rational, power, whole};
use deniable_core::noise::{Decay, Segment, choose};
use rand_core::Rng;

/// SNPs that have not been picked, best score first.
///
/// SNPs of one score are one [`Segment`], so a pick costs the number of different scores, of which distances have at most a
/// few thousand, and not the number of SNPs.
#[derive(Debug, Clone)]
pub(super) struct Pool {
    /// All SNPs with a score, those of one score next to each other; of a group, the first `size` are left.
    snps: Vec<usize>,
    /// Where each group begins in `snps`.
    starts: Vec<usize>,
    /// How many are left of each group, and how far its score is below the best.
    groups: Vec<Segment>,
}

impl Pool {
    /// The SNPs that have a score. Differences of scores are below `2^63`.
    pub fn new(scores: &[Option<i64>]) -> Self {
        let scored = scores.iter().enumerate().filter_map(|(snp, score)| score.map(|score| (score, snp)));
        let mut ranked: Vec<(i64, usize)> = scored.collect();
        ranked.sort_unstable_by(|one, other| other.cmp(one));
        let best = ranked.first().map_or(0, |(score, _)| *score);
        let (mut starts, mut groups): (Vec<usize>, Vec<Segment>) = (vec![], vec![]);
        for (place, (score, _)) in ranked.iter().enumerate() {
            let distance = best.abs_diff(*score);
            match groups.last_mut() {
                Some(group) if group.distance == distance => group.size += 1,
                _ => {
                    starts.push(place);
                    groups.push(Segment { size: 1, distance });
                }
            }
        }
        Self { snps: ranked.into_iter().map(|(_, snp)| snp).collect(), starts, groups }
    }

    /// How many SNPs are left.
    pub fn left(&self) -> usize {
        self.groups.iter().filter_map(|group| usize::try_from(group.size).ok()).sum()
    }

    /// How many are left of each group.
    #[cfg(test)]
    pub fn sizes(&self) -> Vec<u64> {
        self.groups.iter().map(|group| group.size).collect()
    }

    /// Takes one of those left, with probability exactly proportional to `r̂^(best − score)`; nothing where none is left.
    pub fn pick<R: Rng>(&mut self, decay: &Decay, rng: &mut R) -> Option<usize> {
        let (group, offset) = choose(&self.groups, decay, rng)?;
        let start = *self.starts.get(group)?;
        let segment = self.groups.get_mut(group)?;
        let last = start + usize::try_from(segment.size).ok()?.checked_sub(1)?;
        segment.size -= 1;
        // The places of those left are always drawn uniformly, so which of them stands where does not matter.
        self.snps.swap(start + usize::try_from(offset).ok()?, last);
        self.snps.get(last).copied()
    }
}

/// The exact probability of every ordered list of `picks` SNPs: for small cases, as there are `n·(n−1)···` of them.
///
/// Scores are less than `2^32` apart. SNPs without a score are in no list.
#[must_use]
pub fn probabilities(scores: &[Option<i64>], picks: usize, decay: &Decay) -> Vec<(Vec<usize>, Rational)> {
    let best = scores.iter().flatten().max().copied().unwrap_or(0);
    let weights: Vec<Option<Rational>> = scores
        .iter()
        .map(|score| {
            let below = score.map(|score| u32::try_from(best.abs_diff(score)).unwrap_or(u32::MAX));
            below.map(|below| power(decay.ratio(), below))
        })
        .collect();
    let mut lists = vec![(vec![], whole(1))];
    for _ in 0..picks {
        lists = lists.iter().flat_map(|(list, chance)| longer(list, chance, &weights)).collect();
    }
    lists
}

/// Every list that has one SNP more, with its probability.
fn longer(list: &[usize], chance: &Rational, weights: &[Option<Rational>]) -> Vec<(Vec<usize>, Rational)> {
    let left = || weights.iter().enumerate().filter(|(snp, _)| !list.contains(snp));
    let total: Rational = left().filter_map(|(_, weight)| weight.as_ref()).sum();
    let with = |snp| list.iter().copied().chain([snp]).collect();
    left().filter_map(|(snp, weight)| Some((with(snp), chance * weight.as_ref()? / &total))).collect()
}
