//! SNPs grouped by score, for picking without replacement.

use deniable_core::exact::{Rational, power, whole};
use deniable_core::noise::{Decay, Segment, choose};
use rand_core::Rng;

/// The remaining SNPs, best score first.
///
/// SNPs with the same score form one [`Segment`], so the cost of a pick depends on the number of different scores, of
/// which distances have at most a few thousand, and not on the number of SNPs.
#[derive(Debug, Clone)]
pub(super) struct Pool {
    /// All SNPs with a score, sorted by score; the first `size` of a group remain.
    snps: Vec<usize>,
    /// The first index of each group in `snps`.
    starts: Vec<usize>,
    /// The remaining number of each group, and the distance of its score from the best.
    groups: Vec<Segment>,
}

impl Pool {
    /// Takes the SNPs with a score. Differences of scores must be below `2^63`.
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

    /// The number of remaining SNPs.
    pub fn left(&self) -> usize {
        self.groups.iter().filter_map(|group| usize::try_from(group.size).ok()).sum()
    }

    /// The remaining number of each group.
    #[cfg(test)]
    pub fn sizes(&self) -> Vec<u64> {
        self.groups.iter().map(|group| group.size).collect()
    }

    /// Removes and returns one remaining SNP, with probability exactly proportional to `r̂^(best − score)`; `None` if
    /// none remains.
    pub fn pick<R: Rng>(&mut self, decay: &Decay, rng: &mut R) -> Option<usize> {
        let (group, offset) = choose(&self.groups, decay, rng)?;
        let start = *self.starts.get(group)?;
        let segment = self.groups.get_mut(group)?;
        let last = start + usize::try_from(segment.size).ok()?.checked_sub(1)?;
        segment.size -= 1;
        // Positions within a group are always drawn uniformly, so their order does not matter.
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

/// All lists with one more SNP, with their probabilities.
fn longer(list: &[usize], chance: &Rational, weights: &[Option<Rational>]) -> Vec<(Vec<usize>, Rational)> {
    let left = || weights.iter().enumerate().filter(|(snp, _)| !list.contains(snp));
    let total: Rational = left().filter_map(|(_, weight)| weight.as_ref()).sum();
    let with = |snp| list.iter().copied().chain([snp]).collect();
    left().filter_map(|(snp, weight)| Some((with(snp), chance * weight.as_ref()? / &total))).collect()
}
