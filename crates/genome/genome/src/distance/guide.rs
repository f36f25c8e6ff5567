//! The starting point of the search for the nearest cohort below the threshold: the optimum in real numbers.
//!
//! All of this is in floats, and does not affect the result: see [`super::ceasing`].
//!
//! Cases move from the genotype with the largest share of cases to the one with the smallest, controls in the opposite
//! direction, until the share of one of the two equals that of the middle genotype. From then on moves keep these two
//! equal, and since `h(λa,λb) = λh(a,b)`, both count as one. So the best cohort for given numbers of moves in each
//! group is known, and a one-dimensional search finds the best division of the moves.

pub(super) struct Guide {
    /// The share of the outer group among people with each genotype, in 2^−24.
    pub rho: [u32; 3],
    /// The genotype on its own; the two others have equal shares.
    pub column: usize,
    /// The change of the outer group in this genotype.
    pub start: i64,
}

/// People of both groups in a column.
type Column = (f64, f64);

/// The guide for a cohort above the threshold `c` on χ², which `most` moves bring below it.
#[allow(clippy::cast_precision_loss)] // Counts are below 2^25.
pub(super) fn guide(outer: [i64; 3], inner: [i64; 3], c: f64, most: i64) -> Guide {
    let order = by_share(outer, inner);
    let columns = order.map(|i| (outer[i] as f64, inner[i] as f64));
    let (all, others) = (columns.iter().map(|c| c.0).sum::<f64>(), columns.iter().map(|c| c.1).sum::<f64>());
    let people = all + others;
    let bound = all * others * (people - c) / (people * people);
    // The largest number of moves that does not reach the bound.
    let (mut low, mut high) = (0, most);
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if best_division(columns, middle as f64).h > bound {
            high = middle;
        } else {
            low = middle;
        }
    }
    let best = best_division(columns, low as f64);
    let mut rho = [0; 3];
    for (place, share) in order.into_iter().zip(best.shares) {
        rho[place] = in_24_bits(share);
    }
    let [largest, _, smallest] = order;
    match best.alone {
        Alone::Largest => Guide { rho, column: largest, start: -whole(best.outer_moves) },
        Alone::Smallest => Guide { rho, column: smallest, start: whole(best.outer_moves) },
    }
}

/// The genotypes from the largest share of the outer group to the smallest; an empty one is in the middle.
fn by_share(outer: [i64; 3], inner: [i64; 3]) -> [usize; 3] {
    let mut order = [0, 1, 2];
    // a/(a+b) ≥ c/(c+d) just where ad ≥ cb.
    let before = |i: usize, j: usize| outer[i] * inner[j] > outer[j] * inner[i];
    let empty = |i: usize| outer[i] + inner[i] == 0;
    order.sort_by(|i, j| match (before(*i, *j), before(*j, *i)) {
        (true, _) => std::cmp::Ordering::Less,
        (_, true) => std::cmp::Ordering::Greater,
        _ => std::cmp::Ordering::Equal,
    });
    if let Some(place) = (0..3).find(|place| empty(order[*place])) {
        // No column is larger or smaller than an empty one; the two others may be in the wrong order.
        let rest = [order[(place + 1) % 3], order[(place + 2) % 3]];
        let (one, two) = if before(rest[1], rest[0]) { (rest[1], rest[0]) } else { (rest[0], rest[1]) };
        order = [one, order[place], two];
    }
    order
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // Between 0 and 2^24.
fn in_24_bits(share: f64) -> u32 {
    (share.clamp(0.0, 1.0) * 16_777_216.0).round() as u32
}

#[allow(clippy::cast_possible_truncation)] // Below 2^25; a cast saturates.
fn whole(value: f64) -> i64 {
    value.round() as i64
}

#[derive(Clone, Copy)]
enum Alone {
    Largest,
    Smallest,
}

#[derive(Clone, Copy)]
struct BestShares {
    h: f64,
    /// In the order of the columns.
    shares: [f64; 3],
    alone: Alone,
    outer_moves: f64,
}

/// The best cohort within `moves`: `H` is concave in their division, and a ternary search finds its maximum.
fn best_division(columns: [Column; 3], moves: f64) -> BestShares {
    let (mut low, mut high) = (0.0, moves);
    let at = |outer_moves: f64| best_cohort(columns, outer_moves, moves - outer_moves);
    for _ in 0..24 {
        let third = (high - low) / 3.0;
        if at(low + third).h < at(high - third).h {
            low += third;
        } else {
            high -= third;
        }
    }
    // A maximum at an end, where all moves are in one group, is evaluated exactly.
    let ends = [at(0.0), at(moves)];
    ends.into_iter().fold(at((low + high) / 2.0), |best, end| if end.h >= best.h { end } else { best })
}

/// The best cohort after these moves in each group.
fn best_cohort([largest, middle, smallest]: [Column; 3], outer_moves: f64, inner_moves: f64) -> BestShares {
    let from = (largest.0 - outer_moves, largest.1 + inner_moves);
    let to = (smallest.0 + outer_moves, smallest.1 - inner_moves);
    let rest_from = (middle.0 + to.0, middle.1 + to.1);
    let rest_to = (middle.0 + from.0, middle.1 + from.1);
    let cohort = |h: f64, shares: [f64; 3], alone: Alone| BestShares { h, shares, alone, outer_moves };
    let joins_from = from.0 * middle.1 <= middle.0 * from.1;
    let joins_to = to.1 <= 0.0 || to.0 * middle.1 >= middle.0 * to.1;
    let first = joined(from, rest_from);
    let second = joined(rest_to, to);
    let alone_from = || cohort(first.0, [first.1, first.2, first.2], Alone::Largest);
    let alone_to = || cohort(second.0, [second.1, second.1, second.2], Alone::Smallest);
    match (joins_from, joins_to) {
        (false, false) => {
            let shares =
                [share(from), if middle.0 + middle.1 > 0.0 { share(middle) } else { share(rest_from) }, share(to)];
            cohort(h(from) + h(middle) + h(to), shares, Alone::Largest)
        }
        (false, true) => alone_from(),
        (true, false) => alone_to(),
        // Joining never decreases `H`, so the smaller of the two bounds is closer to the true value.
        (true, true) => {
            if first.0 <= second.0 {
                alone_from()
            } else {
                alone_to()
            }
        }
    }
}

/// `H` of two columns and their shares, the first of which was initially larger. If it no longer is, fewer moves would
/// have made them equal.
fn joined(larger: Column, smaller: Column) -> (f64, f64, f64) {
    if larger.0 * smaller.1 > smaller.0 * larger.1 {
        return (h(larger) + h(smaller), share(larger), share(smaller));
    }
    let all = (larger.0 + smaller.0, larger.1 + smaller.1);
    (h(all), share(all), share(all))
}

fn share((a, b): Column) -> f64 {
    if a + b > 0.0 { a / (a + b) } else { 0.5 }
}

fn h((a, b): Column) -> f64 {
    if a + b > 0.0 { a * b / (a + b) } else { 0.0 }
}
