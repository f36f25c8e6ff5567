//! Distances by label swaps: the columns of the table are fixed, and cases and controls are exchanged between them.
//!
//! If a case of genotype `i` and a control of genotype `j` exchange labels, `r` becomes `r − e_i + e_j`. So `k` swaps
//! reach the `r + δ` with `δ0 + δ1 + δ2 = 0`, `−r ≤ δ ≤ s` and `max |δ| ≤ k`.

use super::{first, moves_to_shift};
use crate::chi2::{AllelicRule, GenotypicRule, Threshold};
use crate::table::ContingencyTable;

/// The allelic test. With `m = x + y` fixed, χ² depends only on `(xN − mR)²`: the SNP is not significant for an
/// interval of `x` around `mR/N`, and significant on both sides of it.
pub(super) fn allelic(table: &ContingencyTable, threshold: &Threshold, significant: bool) -> Option<i64> {
    let rule = AllelicRule::new(table.all_cases(), table.all_controls(), threshold);
    let (leave, enter) = (table.cases.map(i64::from), table.controls.map(i64::from));
    let (x, y) = (2 * leave[2] + leave[1], 2 * enter[2] + enter[1]);
    let copies = x + y;
    let reached = |x: i64| rule.is_significant(x, copies - x);
    // Counting the other allele turns decreases of `x` into increases.
    let turned = |counts: [i64; 3]| [counts[2], counts[1], counts[0]];
    let moves = |right: bool, shift: i64| {
        if right { moves_to_shift(leave, enter, shift) } else { moves_to_shift(turned(leave), turned(enter), shift) }
    };
    let least = |right: bool, shift: i64, also_next: bool| {
        // Moves that shift by t + 2, t ≥ 1, include one that shifts by 2, or two that shift by 1; the other, fewer
        // moves shift by t. So the nearest two targets suffice, and two are needed: without heterozygotes the parity of
        // x is fixed.
        let next = if also_next { moves(right, shift + 1) } else { None };
        moves(right, shift).into_iter().chain(next).min()
    };
    let [lowest, highest] = [0.max(copies - 2 * rule.controls), copies.min(2 * rule.cases)];
    if !significant {
        let up = first(highest - x, |shift| reached(x + shift)).and_then(|shift| least(true, shift, true));
        let down = first(x - lowest, |shift| reached(x - shift)).and_then(|shift| least(false, shift, true));
        return up.into_iter().chain(down).min();
    }
    // The middle, mR/N, is between these two; insignificant counts on the near side of it are closer to `x`.
    let people = rule.cases + rule.controls;
    let floor = (copies * rule.cases).div_euclid(people);
    let right = x <= floor;
    // From here to the middle, and one beyond it, in shifts to the given side.
    let (near, at) = if right { (floor - x, 1) } else { (x - floor, -1) };
    let ceased = |shift: i64| !reached(x + at * shift);
    // To the right, `floor` is the last before the middle; to the left, `floor + 1` is, unless the middle is an
    // integer.
    let last = if right || copies * rule.cases == floor * people { near } else { near - 1 };
    let shift = first(last, ceased).or_else(|| ceased(last + 1).then_some(last + 1))?;
    least(right, shift, ceased(shift + 1))
}

/// The genotypic test. With the columns `n` fixed, `Σ r_i²/n_i` decides: separable, convex.
pub(super) fn genotypic(table: &ContingencyTable, threshold: &Threshold, significant: bool) -> Option<i64> {
    let rule = GenotypicRule::new(table.all_cases(), table.all_controls(), threshold);
    let swaps = Swaps { rule, cases: table.cases.map(i64::from), controls: table.controls.map(i64::from) };
    let most = rule.cases.min(rule.controls);
    if significant { first(most, |k| swaps.can_cease(k)) } else { first(most, |k| swaps.can_become(k)) }
}

struct Swaps {
    rule: GenotypicRule,
    cases: [i64; 3],
    controls: [i64; 3],
}

impl Swaps {
    /// Whether `r + δ` is significant.
    fn significant(&self, change: [i64; 3]) -> bool {
        let [a, b, c] = change;
        let ([r0, r1, r2], [s0, s1, s2]) = (self.cases, self.controls);
        self.rule.is_significant([r0 + a, r1 + b, r2 + c], [s0 - a, s1 - b, s2 - c])
    }

    /// The smallest and largest `δ_i` within `k` swaps.
    fn range(&self, i: usize, k: i64) -> (i64, i64) {
        (-k.min(self.cases[i]), k.min(self.controls[i]))
    }

    /// Whether `k` swaps can reach χ² ≥ c. χ² is convex in δ, so its maximum is at a corner of the polygon, where two
    /// of the three δ are at an end of their range.
    fn can_become(&self, k: i64) -> bool {
        let ranges = [0, 1, 2].map(|i| self.range(i, k));
        (0..3).any(|free| {
            let (i, j) = ((free + 1) % 3, (free + 2) % 3);
            [
                (ranges[i].0, ranges[j].0),
                (ranges[i].0, ranges[j].1),
                (ranges[i].1, ranges[j].0),
                (ranges[i].1, ranges[j].1),
            ]
            .into_iter()
            .any(|(at_i, at_j)| {
                let rest = -at_i - at_j;
                let mut change = [rest; 3];
                change[i] = at_i;
                change[j] = at_j;
                (ranges[free].0..=ranges[free].1).contains(&rest) && self.significant(change)
            })
        })
    }

    /// Whether `k` swaps can reach χ² < c: evaluated at the minimum of `Σ w_i (r_i+δ_i)²`, `w_i` the product of the
    /// other columns, among the integer δ within `k` swaps.
    ///
    /// The minimum for a given δ_0 is a convex function of the *integer* δ_0, as it is for real ones: the best split of
    /// −δ_0 between two convex terms takes unit steps in order of their marginal costs. So the sign of its slope
    /// determines the side of the minimum.
    fn can_cease(&self, k: i64) -> bool {
        let [first, second, third] = [0, 1, 2].map(|i| self.range(i, k));
        let (mut low, mut high) = (first.0.max(-second.1 - third.1), first.1.min(-second.0 - third.0));
        while low < high {
            let middle = low + (high - low) / 2;
            let (here, next) = (self.best(middle, second, third), self.best(middle + 1, second, third));
            if self.value(next) < self.value(here) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low == high && !self.significant(self.best(low, second, third))
    }

    /// The weights of the terms: for each column the product of the others, where an empty one counts as 1.
    fn weights(&self) -> [i128; 3] {
        let [n0, n1, n2] = [0, 1, 2].map(|i| i128::from((self.cases[i] + self.controls[i]).max(1)));
        [n1 * n2, n0 * n2, n0 * n1]
    }

    /// `Σ w_i (r_i+δ_i)²`, at most 2^102.
    fn value(&self, change: [i64; 3]) -> i128 {
        let weights = self.weights();
        (0..3).map(|i| weights[i] * i128::from(self.cases[i] + change[i]).pow(2)).sum()
    }

    /// The best δ with the given δ_0, if there is one.
    fn best(&self, first: i64, second: (i64, i64), third: (i64, i64)) -> [i64; 3] {
        let [_, w, v] = self.weights();
        // w(r_1+t)² + v(r_2−δ_0−t)² falls from t to t+1 as long as w(2(r_1+t)+1) < v(2(r_2−δ_0−t)−1), that is as long as
        // 2t(w+v) < v(2(r_2−δ_0)−1) − w(2r_1+1). Cross products stay below 2^80.
        let gap = v * i128::from(2 * (self.cases[2] - first) - 1) - w * i128::from(2 * self.cases[1] + 1);
        let t = -(-gap).div_euclid(2 * (w + v)); // the least t at which it does not fall
        let (low, high) = (second.0.max(-first - third.1), second.1.min(-first - third.0));
        let t = i64::try_from(t).unwrap_or(0).max(low).min(high);
        [first, t, -first - t]
    }
}
