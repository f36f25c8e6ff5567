//! Distances by replaced genotypes, except for the hardest case, which is [`super::ceasing`].
//!
//! Cases and controls change independently: `k` moves are `k1` among cases and `k − k1` among controls.

use super::{first, first_near, moves_to_shift};
use crate::chi2::{AllelicRule, GenotypicRule, Threshold};
use crate::table::ContingencyTable;

/// The people of one group, by genotype.
type Counts = [i64; 3];

/// No limits: a replaced genotype may become any other.
const ANY: Counts = [1 << 40; 3];

fn alleles(counts: Counts) -> i64 {
    2 * counts[2] + counts[1]
}

/// The largest increase of a group's allele count by `k` moves: 2 each while a person has no copies, then 1. All
/// smaller increases are reached, too.
fn most_raised(counts: Counts, k: i64) -> i64 {
    2 * k.min(counts[0]) + (k - counts[0]).clamp(0, counts[1])
}

/// The largest decrease by `k` moves.
fn most_lowered(counts: Counts, k: i64) -> i64 {
    2 * k.min(counts[2]) + (k - counts[2]).clamp(0, counts[1])
}

pub(super) fn allelic(table: &ContingencyTable, threshold: &Threshold, significant: bool) -> Option<i64> {
    let rule = AllelicRule::new(table.all_cases(), table.all_controls(), threshold);
    let (cases, controls) = (table.cases.map(i64::from), table.controls.map(i64::from));
    if significant {
        Some(allelic_ceasing(&rule, cases, controls))
    } else {
        let guess = about_to_become(&rule, alleles(cases), alleles(controls));
        first_near(rule.cases + rule.controls, guess, |k| allelic_can_become(&rule, cases, controls, k))
    }
}

/// The approximate number of moves to χ² ≥ c, if all of them are in one group and each changes the count by 2. In
/// floats, and only the starting point of the search.
fn about_to_become(rule: &AllelicRule, x: i64, y: i64) -> i64 {
    let (gap, copies) = ((x * rule.controls - y * rule.cases) as f64, (x + y) as f64);
    let (by_case, by_control) = (2.0 * rule.controls as f64, 2.0 * rule.cases as f64);
    let ways = [(by_case, 2.0), (-by_case, -2.0), (by_control, -2.0), (-by_control, 2.0)];
    let moves = ways.map(|(widening, adding): (f64, f64)| {
        // The required gap depends on the copies after the moves, but only weakly.
        (0..3).fold(0.0, |moves, _| {
            let needed = rule.about_gap(copies + adding * moves).copysign(widening);
            (needed - gap) / widening
        })
    });
    moves.into_iter().fold(f64::MAX, f64::min).ceil() as i64
}

/// Whether `k` moves can reach χ² ≥ c.
///
/// With `k1` of them among cases, (x,y) ranges over a rectangle; χ² is convex, so its maximum is at one of the corners.
/// As `k1` goes from 0 to `k` each corner moves along straight lines, which turn where a group runs out of people who
/// can change by 2, or of all who can change. On each line χ² is convex again: the turning points suffice.
fn allelic_can_become(rule: &AllelicRule, cases: Counts, controls: Counts, k: i64) -> bool {
    let (x, y) = (alleles(cases), alleles(controls));
    let turns = |raise: bool, counts: Counts| {
        let jumpers = if raise { counts[0] } else { counts[2] };
        [jumpers, jumpers + counts[1]]
    };
    let moved = |raise: bool, counts: Counts, k: i64| {
        if raise { most_raised(counts, k) } else { -most_lowered(counts, k) }
    };
    [(true, true), (true, false), (false, true), (false, false)].into_iter().any(|(raise_cases, raise_controls)| {
        let [a, b] = turns(raise_cases, cases);
        let [c, d] = turns(raise_controls, controls);
        let mut ends = [k, 0, a, b, k - c, k - d].into_iter().filter(|k1| (0..=k).contains(k1));
        ends.any(|k1| {
            rule.is_significant(x + moved(raise_cases, cases, k1), y + moved(raise_controls, controls, k - k1))
        })
    })
}

/// An upper bound on the moves to χ² < c, usually close: by some fixed divisions of the moves between cases and
/// controls, whose frequencies move towards each other. Equal genotypes are always reachable (χ² = 0).
fn few_to_cease(rule: &AllelicRule, cases: Counts, controls: Counts) -> i64 {
    let (x, y) = (alleles(cases), alleles(controls));
    let have = |i: usize| cases[i] + controls[i];
    let alike = (have(1) + have(2)).min(have(1) + have(0));
    let ceased = |k: i64| {
        (0..=8).any(|eighths| {
            let (k1, k2) = (k * eighths / 8, k - k * eighths / 8);
            if x * rule.controls > y * rule.cases {
                !rule.is_significant(x - most_lowered(cases, k1), y + most_raised(controls, k2))
            } else {
                !rule.is_significant(x + most_raised(cases, k1), y - most_lowered(controls, k2))
            }
        })
    };
    // More moves may pass the middle, so this need not be the smallest number; but it suffices.
    first(alike, ceased).unwrap_or(alike)
}

/// The smallest number of moves to χ² < c: over every `x'`, the moves to it and to the nearest `y'`.
///
/// For one `x'`, χ² is convex in `y'` and 0 at `y' = x'S/R`, so it decreases towards this point from both sides. The
/// number of moves grows with the change of a count. Equal genotypes are always reachable (χ² = 0).
fn allelic_ceasing(rule: &AllelicRule, cases: Counts, controls: Counts) -> i64 {
    let (x, y) = (alleles(cases), alleles(controls));
    let (most_x, most_y) = (2 * rule.cases, 2 * rule.controls);
    let mut best = few_to_cease(rule, cases, controls);
    let mut open = [true, true];
    for away in 0..=most_x {
        for (side, direction) in [(0, 1), (1, -1)] {
            let target = x + direction * away;
            let moves = moves_to_shift(cases, ANY, direction * away);
            let Some(spent) = moves.filter(|spent| open[side] && *spent < best && (0..=most_x).contains(&target))
            else {
                open[side] = false;
                continue;
            };
            // `y'` is of interest only if fewer than `best` moves reach it.
            let left = best - 1 - spent;
            let (low, high) =
                ((y - most_lowered(controls, left)).max(0), (y + most_raised(controls, left)).min(most_y));
            if let Some(y) = nearest_ceased(rule, target, y, low, high) {
                let shift = y - alleles(controls);
                if let Some(more) = moves_to_shift(controls, ANY, shift) {
                    best = best.min(spent + more);
                }
            }
        }
        if open == [false, false] {
            break;
        }
    }
    best
}

/// The `y'` in `low..=high`, a range that contains `y`, that is nearest to `y` and has χ² < c with `x`.
fn nearest_ceased(rule: &AllelicRule, x: i64, y: i64, low: i64, high: i64) -> Option<i64> {
    let ceased = |y: i64| !rule.is_significant(x, y);
    if ceased(y) {
        return Some(y);
    }
    let middle = x * rule.controls;
    let floor = middle.div_euclid(rule.cases);
    if y * rule.cases < middle {
        // Up to the last integer before the middle χ² decreases; the next one may be the first below c.
        let last = floor.min(high);
        first(last - y, |shift| ceased(y + shift))
            .map(|shift| y + shift)
            .or_else(|| (floor < high && ceased(floor + 1)).then_some(floor + 1))
    } else {
        let ceiling = floor + i64::from(floor * rule.cases != middle);
        let last = ceiling.max(low);
        first(y - last, |shift| ceased(y - shift))
            .map(|shift| y - shift)
            .or_else(|| (ceiling > low && ceased(ceiling - 1)).then_some(ceiling - 1))
    }
}

/// The genotypic test, for a SNP that is not significant.
pub(super) fn genotypic_becoming(table: &ContingencyTable, threshold: &Threshold) -> Option<i64> {
    let rule = GenotypicRule::new(table.all_cases(), table.all_controls(), threshold);
    let (cases, controls) = (table.cases.map(i64::from), table.controls.map(i64::from));
    if !rule.can_be_significant() {
        return None;
    }
    first(rule.cases + rule.controls, |k| genotypic_can_become(&rule, cases, controls, k))
}

/// The orders in which a group can concentrate: the target genotype, the first source, and the second source.
const WAYS: [[usize; 3]; 6] = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];

/// The group after `k` moves in one such order.
fn run_together(counts: Counts, [to, one, other]: [usize; 3], k: i64) -> Counts {
    let from_one = k.min(counts[one]);
    let from_other = (k - from_one).min(counts[other]);
    let mut next = counts;
    next[one] -= from_one;
    next[other] -= from_other;
    next[to] += from_one + from_other;
    next
}

/// Whether `k` moves can reach χ² ≥ c.
///
/// `k1` moves change a group by a δ with sum 0 and `−min(k1, count) ≤ δ ≤ k1`. Two of these bounds are active where one
/// genotype has lost all that it can, another the remaining moves, and the third has gained them: the six orders above.
/// χ² is convex, so its maximum has cases and controls at such corners. As `k1` goes from 0 to `k`, corners move along
/// straight lines that turn where a genotype is used up, and on each of them χ² is convex again.
fn genotypic_can_become(rule: &GenotypicRule, cases: Counts, controls: Counts, k: i64) -> bool {
    let reached = |way: [usize; 3], other: [usize; 3], k1: i64| {
        rule.is_significant(run_together(cases, way, k1), run_together(controls, other, k - k1))
    };
    // All moves in one group: the other is unchanged, whatever its order.
    if WAYS.into_iter().any(|way| reached(way, way, 0) || reached(way, way, k)) {
        return true;
    }
    let used_up = |counts: Counts, [_, one, other]: [usize; 3]| [counts[one], counts[one] + counts[other]];
    WAYS.into_iter().any(|way| {
        let [a, b] = used_up(cases, way);
        WAYS.into_iter().any(|other| {
            let [c, d] = used_up(controls, other);
            [a, b, k - c, k - d].into_iter().any(|k1| 0 < k1 && k1 < k && reached(way, other, k1))
        })
    })
}
