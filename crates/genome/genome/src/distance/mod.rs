//! The distance of a SNP from a public threshold, in moves (G-2), exactly.
//!
//! A *move* is the change that the adjacency hides: one participant's genotype is replaced, or one case and one control
//! exchange labels. The distance of a SNP is the smallest number of moves to a cohort in which it is on the other side
//! of `χ² ≥ c`. One move changes the distance by at most 1, and so the score. This holds only for the *true* distance:
//! an approximation with an error of one in places has sensitivity 2 and breaks the guarantee. So no value here is
//! approximated, and tests compare every small table with a search of all tables.
//!
//! | | becoming significant | ceasing to be |
//! |---|---|---|
//! | allelic, genotype moves | `genotype` | `genotype` |
//! | genotypic, genotype moves | `genotype` | `ceasing` |
//! | both, label swaps | `swap` | `swap` |
//!
//! They have one fact in common. For fixed numbers of cases and controls χ² is a convex function of the counts (of
//! alleles or of genotypes): a sum of terms `(linear)²/(positive linear)`, continued by 0 where a column is empty. So
//! its maximum is at corners of the reachable set, and *becoming* significant needs few tables for each number of
//! moves. *Ceasing* is a search for a lattice point inside a convex body, for which corners are not enough.

mod ceasing;
mod genotype;
mod guide;
mod swap;

#[cfg(test)]
pub(crate) mod brute;
#[cfg(test)]
mod tests;

use crate::chi2::{MOST_PEOPLE, Threshold, is_significant};
use crate::table::{CohortAdjacency, ContingencyTable, Test};

/// A cohort that is too large for the arithmetic of distances.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("distances cannot be computed for {people} people, only for up to {MOST_PEOPLE}")]
pub struct TooManyPeople {
    /// Number of cases and controls.
    pub people: u64,
}

/// The distance of a SNP from the other side of a threshold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Distance {
    /// Whether χ² ≥ c in the given cohort.
    pub significant: bool,
    /// The smallest number of moves, at least 1, that changes this; `None` if no number of moves does.
    pub moves: Option<u64>,
}

impl Distance {
    /// The score (G-2): the distance `d` of a significant SNP, `1 − d` of any other; `None` if no moves change the
    /// verdict. One move changes a score by at most 1.
    ///
    /// No moves change whether there is a score: it is as public as the adjacency makes the cohort, and a SNP without a
    /// score gets weight 0, whichever side it is on.
    #[must_use]
    pub fn score(&self) -> Option<i64> {
        let moves = i64::try_from(self.moves?).ok()?;
        Some(if self.significant { moves } else { 1 - moves })
    }
}

/// The distance of a SNP across the threshold.
///
/// # Errors
/// If the cohort has more than 2^25 (33 million) people.
pub fn distance(
    table: &ContingencyTable,
    test: Test,
    adjacency: CohortAdjacency,
    threshold: &Threshold,
) -> Result<Distance, TooManyPeople> {
    let (cases, controls) = (table.all_cases(), table.all_controls());
    let people = cases + controls;
    if people > MOST_PEOPLE {
        return Err(TooManyPeople { people });
    }
    let significant = is_significant(table, test, threshold);
    // Without cases or controls χ² is 0 for all genotypes.
    let moves = if cases == 0 || controls == 0 {
        None
    } else {
        match (test, adjacency) {
            (Test::Allelic, CohortAdjacency::Genotype) => genotype::allelic(table, threshold, significant),
            (Test::Genotypic, CohortAdjacency::Genotype) if significant => ceasing::genotypic(table, threshold),
            (Test::Genotypic, CohortAdjacency::Genotype) => genotype::genotypic_becoming(table, threshold),
            (Test::Allelic, CohortAdjacency::LabelSwap) => swap::allelic(table, threshold, significant),
            (Test::Genotypic, CohortAdjacency::LabelSwap) => swap::genotypic(table, threshold, significant),
        }
    };
    Ok(Distance { significant, moves: moves.map(i64::unsigned_abs) })
}

/// The smallest `k` in `1..=most` with `holds(k)`, which must be monotone: once true, it stays true.
fn first(most: i64, holds: impl Fn(i64) -> bool) -> Option<i64> {
    first_near(most, 1, holds)
}

/// The same, faster if the guess is close.
fn first_near(most: i64, guess: i64, holds: impl Fn(i64) -> bool) -> Option<i64> {
    if most < 1 {
        return None;
    }
    let (mut low, mut high) = (0, guess.clamp(1, most)); // it does not hold at `low`, or `low` is 0
    let mut step = 1;
    if holds(high) {
        while high > 1 {
            let at = (high - step).max(1);
            if !holds(at) {
                low = at;
                break;
            }
            high = at;
            step *= 2;
        }
    } else {
        loop {
            low = high;
            if low == most {
                return None;
            }
            high = (low + step).min(most);
            if holds(high) {
                break;
            }
            step *= 2;
        }
    }
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if holds(middle) {
            high = middle;
        } else {
            low = middle;
        }
    }
    Some(high)
}

/// The smallest number of moves that changes a group's allele count by exactly `shift`, if `leave[g]` people can lose
/// genotype `g` and `enter[g]` can gain it; `None` if that is impossible.
///
/// With changes `δ` of the three genotype counts, `δ1 + 2δ2 = shift` and `δ0 + δ1 + δ2 = 0` leave `b = δ2` free:
/// `δ = (b − shift, shift − 2b, b)`. The number of moves, `max |δ|`, is convex in `b` and the same for `b` and
/// `shift − b`, so the possible `b` closest to `shift/2` is best.
fn moves_to_shift(leave: [i64; 3], enter: [i64; 3], shift: i64) -> Option<i64> {
    let up = |value: i64| -((-value).div_euclid(2));
    let low = (-leave[2]).max(up(shift - enter[1])).max(shift - leave[0]);
    let high = enter[2].min((shift + leave[1]).div_euclid(2)).min(shift + enter[0]);
    if low > high {
        return None;
    }
    let b = shift.div_euclid(2).clamp(low, high);
    Some((b - shift).abs().max((shift - 2 * b).abs()).max(b.abs()))
}
