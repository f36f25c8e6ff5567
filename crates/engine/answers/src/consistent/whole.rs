//! Rounds a solution in floats to integers that add up exactly.
//!
//! The cells of a finest level are rounded by their running totals: `round(x₁ + … + xₙ) − round(x₁ + … + xₙ₋₁)`. So no
//! cell becomes negative, and the sum of every run of adjacent cells is off by less than 1, as is every total of a
//! ROLLUP. A total over cells that are not adjacent (CUBE) is off by less than the number of its runs. Every coarser
//! level is the sum of its cells. A finest level that shares a coarser level with an earlier one is rounded within each
//! cell of that level, so that it adds up to the values fixed before.

use super::shape::Shape;

/// Integers near the values of each level of the query that add up exactly, none negative if `positive`, for any
/// values.
pub(super) fn made_whole(shape: &Shape, values: &[Vec<f64>], positive: bool) -> Vec<Vec<i128>> {
    let mut whole: Vec<Option<Vec<i128>>> = vec![None; shape.levels.len()];
    for (finest, fixed) in &shape.finest {
        let values = &values[*finest];
        let cells = match fixed.and_then(|level| Some((level, whole[level].clone()?))) {
            Some((level, totals)) => rounded(values, &shape.parents(*finest, level), &totals, positive),
            None => {
                let clean = |value: &f64| if positive { value.max(0.0) } else { *value };
                let total = nearest(values.iter().map(clean).sum());
                rounded(values, &vec![0; values.len()], &[total], positive)
            }
        };
        for (level, whole) in whole.iter_mut().enumerate().take(shape.asked) {
            let is_below = super::shape::within(&shape.levels[level], &shape.levels[*finest]);
            if is_below && whole.is_none() {
                let mut sums = vec![0_i128; shape.cells(level)];
                for (cell, parent) in shape.parents(*finest, level).into_iter().enumerate() {
                    sums[parent] += cells[cell];
                }
                *whole = Some(sums);
            }
        }
        whole[*finest] = Some(cells);
    }
    whole.into_iter().take(shape.asked).map(Option::unwrap_or_default).collect()
}

/// The part of one total that is distributed already.
#[derive(Clone, Default)]
struct Block {
    cells: usize,
    sum: f64,
    seen: usize,
    running: f64,
    given: i128,
}

/// Integers near the values that add up to the totals of their parents.
///
/// If a total differs from the rounded sum of its values, positive values are scaled and others shifted equally.
#[expect(clippy::cast_precision_loss, reason = "numbers of cells are small, and the rest is rounded")]
fn rounded(values: &[f64], parents: &[usize], totals: &[i128], positive: bool) -> Vec<i128> {
    let clean = |value: f64| if positive { value.max(0.0) } else { value };
    let mut blocks = vec![Block::default(); totals.len()];
    for (value, parent) in values.iter().zip(parents) {
        blocks[*parent].cells += 1;
        blocks[*parent].sum += clean(*value);
    }
    let give = |(value, parent): (&f64, &usize)| {
        let (block, total) = (&mut blocks[*parent], totals[*parent]);
        block.seen += 1;
        block.running += clean(*value);
        let evenly = block.seen as f64 / block.cells as f64;
        let upto = if nearest(block.sum) == total {
            block.running
        } else if !positive {
            block.running + (total as f64 - block.sum) * evenly
        } else if block.sum > 0.0 {
            block.running * (total as f64 / block.sum)
        } else {
            total as f64 * evenly
        };
        let upto = match (block.seen == block.cells, positive) {
            (true, _) => total,
            // Running totals of non-negative values never decrease.
            (false, true) => nearest(upto).clamp(block.given, total),
            (false, false) => nearest(upto),
        };
        let given = upto - block.given;
        block.given = upto;
        given
    };
    values.iter().zip(parents).map(give).collect()
}

/// The nearest integer, clamped to ±2^100 so that sums of a million stay in range; 0 for NaN.
#[expect(clippy::cast_possible_truncation, reason = "clamped before")]
fn nearest(value: f64) -> i128 {
    const END: f64 = (1_u128 << 100) as f64;
    value.clamp(-END, END).round() as i128
}
