//! The smallest number of replaced genotypes after which a SNP's genotypic χ² is below the threshold.
//!
//! In terms of `H = Σ h(r_i,s_i)`, `h(a,b) = ab/(a+b)`, χ² is below the threshold where `H` exceeds a bound `T` (see
//! [`GenotypicRule`]). So this searches for a lattice point in four dimensions, two for each group, within few moves
//! and in the convex body `H > T`. Three facts about `h` make the search fast.
//!
//! 1. `h(a,b) = min over ρ of (1−ρ)²a + ρ²b`, attained at `ρ = a/(a+b)`. So *any* `ρ_0, ρ_1, ρ_2` bound `H` from above by a
//!    linear function ([`Cut`]), by which `k` moves gain at most `k` times the best of twelve numbers. A `ρ` near that of
//!    the best cohort in real numbers yields a number of moves that is certainly too small by at most 1 or so.
//! 2. `h(a,b) + h(c,d) ≤ h(a+c,b+d)`: joining two columns bounds `H` from above by that of a 2×2 table.
//! 3. For fixed genotypes of one group, `H` is a sum of concave functions of one count each of the other group. Then
//!    exchanges of single people that each increase `H` lead to the best whole numbers ([`Inner`]).
//!
//! So the rows of one group, the *outer* one, are enumerated as far as facts 1 and 2 do not exclude them; the other,
//! *inner* group is optimised by fact 3. Floats choose `ρ` and the starting point. They cannot change the result: every
//! bound and every comparison is one of whole numbers.

use super::first;
use super::guide::{Guide, guide};
use crate::chi2::{GenotypicRule, Threshold};
use crate::table::ContingencyTable;

/// The smallest number of moves to χ² < c, for a table with χ² ≥ c.
pub(super) fn genotypic(table: &ContingencyTable, threshold: &Threshold) -> Option<i64> {
    let (cases, controls) = (table.cases.map(i64::from), table.controls.map(i64::from));
    // χ² is invariant when cases and controls are exchanged; the smaller group has fewer rows to enumerate.
    let (outer, inner) = if table.all_cases() <= table.all_controls() { (cases, controls) } else { (controls, cases) };
    let people = |counts: [i64; 3]| counts.iter().sum::<i64>().unsigned_abs();
    let rule = GenotypicRule::new(people(outer), people(inner), threshold);
    let need = i128::try_from(rule.most_h_in_2_48ths()?).ok()?;
    // Equal genotypes for all people are always reachable: χ² = 0.
    let most = (0..3).map(|i| rule.cases + rule.controls - outer[i] - inner[i]).min()?;
    let guide = guide(outer, inner, threshold.as_float(), most);
    let cut = Cut::new(outer, inner, &guide, need);
    let search = Search { rule, outer, inner, cut, column: guide.column, start: guide.start };
    let too_few = search.cut.too_few().min(most - 1);
    first(most - too_few, |more| search.can_cease(too_few + more)).map(|more| too_few + more)
}

/// A linear bound on `H`, in units of 2^−48.
struct Cut {
    /// The contribution of one person of each genotype to the bound: `(1−ρ)²` in the outer group, at most 2^48.
    outer: [i128; 3],
    /// The bound of the unchanged cohort, minus `T` rounded down: a cohort below the threshold needs more than 0.
    now: i128,
    /// The largest gain of one move in the outer group.
    outer_gain: i128,
    /// The largest gain of one move in the inner group, where a person contributes `ρ²`.
    inner_gain: i128,
}

impl Cut {
    fn new(outer: [i64; 3], inner: [i64; 3], guide: &Guide, need: i128) -> Self {
        let outer_weights = guide.rho.map(|rho| ((1 << 24) - i128::from(rho)).pow(2));
        let inner_weights = guide.rho.map(|rho| i128::from(rho).pow(2));
        let sum: i128 =
            (0..3).map(|i| outer_weights[i] * i128::from(outer[i]) + inner_weights[i] * i128::from(inner[i])).sum();
        Self {
            outer: outer_weights,
            now: sum - need,
            outer_gain: gain(outer_weights, outer),
            inner_gain: gain(inner_weights, inner),
        }
    }

    /// A number of moves that is provably too small, by fact 1; 0 if there is no bound.
    fn too_few(&self) -> i64 {
        let gain = self.outer_gain.max(self.inner_gain);
        if self.now > 0 || gain <= 0 { 0 } else { i64::try_from(-self.now / gain).unwrap_or(0) }
    }

    /// Whether the bound allows this change of the outer group, with `rest` moves in the inner one.
    fn allows(&self, change: [i64; 3], rest: i64) -> bool {
        self.after(change, rest) > 0
    }

    fn after(&self, change: [i64; 3], rest: i64) -> i128 {
        let moved: i128 = (0..3).map(|i| self.outer[i] * i128::from(change[i])).sum();
        self.now + moved + self.inner_gain * i128::from(rest)
    }
}

/// The largest gain of one move: from the genotype of smallest weight that occurs to that of the largest weight.
fn gain(weights: [i128; 3], counts: [i64; 3]) -> i128 {
    let dearest = weights.into_iter().max().unwrap_or(0);
    let cheapest = (0..3).filter(|i| counts[*i] > 0).map(|i| weights[i]).min();
    cheapest.map_or(0, |cheapest| dearest - cheapest)
}

struct Search {
    /// The rule with the outer group as cases and the inner one as controls.
    rule: GenotypicRule,
    outer: [i64; 3],
    inner: [i64; 3],
    cut: Cut,
    /// The genotype whose change in the outer group defines the rows.
    column: usize,
    /// The change to begin with.
    start: i64,
}

impl Search {
    /// Whether `k` moves can reach χ² < c.
    ///
    /// Rows that the bounds allow are contiguous: the largest values that facts 1 and 2 allow are each a concave
    /// function of a row's change, as the maximum of a jointly concave function over the rest of a convex domain.
    fn can_cease(&self, k: i64) -> bool {
        let have = self.outer[self.column];
        let (low, high) = (-k.min(have), k.min(self.rule.cases - have));
        let start = self.start.clamp(low, high);
        let hopeful = |row: i64| (low..=high).contains(&row) && self.hopeful(row, k);
        let Some(first) = (0..=high - low).flat_map(|away| [start - away, start + away]).find(|row| hopeful(*row))
        else {
            return false;
        };
        if self.row(first, k) {
            return true;
        }
        let (mut down, mut up) = (Some(first - 1), Some(first + 1));
        while down.is_some() || up.is_some() {
            down = down.filter(|row| hopeful(*row));
            up = up.filter(|row| hopeful(*row));
            if down.into_iter().chain(up).any(|row| self.row(row, k)) {
                return true;
            }
            down = down.map(|row| row - 1);
            up = up.map(|row| row + 1);
        }
        false
    }

    /// Whether facts 1 and 2 allow a row.
    fn hopeful(&self, row: i64, k: i64) -> bool {
        let (_, best) = self.best_of_row(row, k);
        best > 0 && self.joined_reaches(row, k)
    }

    /// Fact 2: whether the 2×2 table of this column and the two merged others can exceed `T`.
    ///
    /// With `row` people more in the outer group, `H` is largest where the inner group has the same proportion:
    /// `H = RS/N`, which exceeds `T`. If the remaining moves do not reach that point, `H` is largest at the nearest
    /// point that they reach.
    fn joined_reaches(&self, row: i64, k: i64) -> bool {
        let (a, b) = (self.outer[self.column] + row, self.inner[self.column]);
        let rest = k - row.abs();
        let (low, high) = (b - rest.min(b), b + rest.min(self.rule.controls - b));
        let aim = a * self.rule.controls;
        if high * self.rule.cases < aim {
            !self.rule.is_significant_merged(a, high)
        } else if low * self.rule.cases > aim {
            !self.rule.is_significant_merged(a, low)
        } else {
            true
        }
    }

    fn others(&self) -> (usize, usize) {
        ((self.column + 1) % 3, (self.column + 2) % 3)
    }

    /// The changes of a row's outer group, given that of the second genotype.
    fn change(&self, row: i64, second: i64) -> [i64; 3] {
        let (j, l) = self.others();
        let mut change = [row; 3];
        change[j] = second;
        change[l] = -row - second;
        change
    }

    /// The range of the second genotype's change within `k` moves.
    fn range(&self, row: i64, k: i64) -> (i64, i64) {
        let (j, l) = self.others();
        ((-k).max(-row - k).max(-self.outer[j]), k.min(k - row).min(self.outer[l] - row))
    }

    /// The position in a row with the largest bound by fact 1, and how far it exceeds the required one.
    ///
    /// The bound is concave and, between the positions where one of the changes is 0, linear: its maximum is at one of
    /// these or at an end of the row.
    fn best_of_row(&self, row: i64, k: i64) -> (i64, i128) {
        let (low, high) = self.range(row, k);
        let mut best = (low, i128::MIN);
        for second in [0_i64.max(low).min(high), (-row).max(low).min(high), low, high] {
            let change = self.change(row, second);
            let value = self.cut.after(change, k - moves(change));
            if value > best.1 {
                best = (second, value);
            }
        }
        best
    }

    /// Whether some cohort of a row has χ² < c: visits those that fact 1 allows, which are contiguous.
    fn row(&self, row: i64, k: i64) -> bool {
        let (low, high) = self.range(row, k);
        let (best, _) = self.best_of_row(row, k);
        let hopeful = |second: &i64| {
            let change = self.change(row, *second);
            self.cut.allows(change, k - moves(change))
        };
        let found = |second: i64| {
            let change = self.change(row, second);
            let outer = [0, 1, 2].map(|i| self.outer[i] + change[i]);
            let inner = Inner { outer, inner: self.inner, moves: k - moves(change) }.best();
            !self.rule.is_significant(outer, inner)
        };
        (best..=high).take_while(hopeful).any(found) || (low..best).rev().take_while(hopeful).any(found)
    }
}

/// The number of moves for a change of one group.
fn moves(change: [i64; 3]) -> i64 {
    change.into_iter().map(i64::abs).max().unwrap_or(0)
}

/// The inner group for a fixed outer one.
struct Inner {
    outer: [i64; 3],
    inner: [i64; 3],
    moves: i64,
}

impl Inner {
    /// The genotypes with the largest `H` within the moves.
    ///
    /// Fact 3: a sum of concave functions of one count each, with given total and ranges, is maximal if no exchange of
    /// one person increases it.
    fn best(&self) -> [i64; 3] {
        let low = self.inner.map(|count| count - self.moves.min(count));
        let high = self.inner.map(|count| count + self.moves);
        let mut counts = self.near_best(low, high);
        loop {
            let pairs = [(0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1)];
            let better = pairs.into_iter().find(|(from, to)| {
                counts[*from] > low[*from] && counts[*to] < high[*to] && self.exchange_helps(counts, *from, *to)
            });
            let Some((from, to)) = better else { return counts };
            counts[from] -= 1;
            counts[to] += 1;
        }
    }

    /// Whether exchanging one person increases `H`: one more adds `a²/((a+b)(a+b+1))` to `h(a,b)`, and one less
    /// subtracts `a²/((a+b−1)(a+b))`. All products are below 2^104.
    fn exchange_helps(&self, counts: [i64; 3], from: usize, to: usize) -> bool {
        let wide = |n: i64| u128::from(n.unsigned_abs());
        let (a, c) = (wide(self.outer[from]), wide(self.outer[to]));
        if a == 0 || c == 0 {
            return c > 0;
        }
        let (n, m) = (a + wide(counts[from]), c + wide(counts[to]));
        c * c * (n - 1) * n > a * a * m * (m + 1)
    }

    /// Counts in proportion to the outer group as far as their ranges allow, rounded: the starting point of exchanges.
    fn near_best(&self, low: [i64; 3], high: [i64; 3]) -> [i64; 3] {
        let mut counts = self.inner;
        let mut open = [true; 3];
        let (mut people, mut share) = (counts.iter().sum::<i64>(), self.outer.iter().sum::<i64>());
        for _ in 0..3 {
            let wanted = [0, 1, 2].map(|i| if share > 0 { self.outer[i] * people / share } else { self.inner[i] });
            // The surplus or deficit of the ranges determines which ends are active; the other counts share the rest
            // again.
            let opened = || (0..3).filter(|i| open[*i]);
            let lacking: i64 = opened().map(|i| (low[i] - wanted[i]).max(0)).sum();
            let over: i64 = opened().map(|i| (wanted[i] - high[i]).max(0)).sum();
            let before = open;
            for i in (0..3).filter(|i| before[*i]) {
                counts[i] = wanted[i].clamp(low[i], high[i]);
                if if lacking >= over { wanted[i] < low[i] } else { wanted[i] > high[i] } {
                    open[i] = false;
                    people -= counts[i];
                    share -= self.outer[i];
                }
            }
            if open == before {
                break;
            }
        }
        // The rounding remainder goes where the ranges have room, so that the total is unchanged.
        let total: i64 = self.inner.iter().sum();
        for i in 0..3 {
            let missing = total - counts.iter().sum::<i64>();
            counts[i] = (counts[i] + missing).clamp(low[i], high[i]);
        }
        counts
    }
}
