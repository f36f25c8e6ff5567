//! M-EXP: the odds ratio of a choice by distance, computed exactly on every small table.

use deniable_core::adversary::Adjacency::{self, AddRemove, ReplaceOne};
use deniable_core::budget::Spend;
use deniable_core::exact::{Rational, power, ratio, whole};
use deniable_core::noise::{Decay, Rank, Segment, probabilities, segments};
use deniable_core::sensitivity::{Caps, ranked};
use num_bigint::BigInt;
use num_traits::{One, ToPrimitive};

/// The number of occurrences of each candidate `0..GRID` in a cell.
pub type Cell = [u64; GRID];
pub const GRID: usize = 3;
/// The exact probability of every candidate.
pub type Law = fn(&[Segment], &Decay) -> Vec<Rational>;

pub const RANKS: [Rank; 6] = [
    Rank::Share { part: 1, whole: 2 },
    Rank::Share { part: 1, whole: 3 },
    Rank::Share { part: 1, whole: 1 },
    Rank::FromBelow(1),
    Rank::FromBelow(3),
    Rank::FromAbove(2),
];

pub fn cells_up_to(most: u64) -> Vec<Cell> {
    let counts = || 0..=most;
    let all = counts().flat_map(|a| counts().flat_map(move |b| counts().map(move |c| [a, b, c])));
    all.filter(|cell| cell.iter().sum::<u64>() <= most).collect()
}

/// The candidates of one cell.
pub fn candidates(cell: &Cell, rank: &Rank) -> Vec<Segment> {
    let occurring = cell.iter().enumerate().filter(|(_, times)| **times > 0);
    let values: Vec<(i64, u64)> = occurring.map(|(value, times)| (i64::try_from(value).unwrap(), *times)).collect();
    segments(&values, 0, 2, rank).into_iter().map(|(_, segment)| segment).collect()
}

/// The exact distribution of the answer of one cell.
fn answers(cell: &Cell, rank: &Rank, decay: &Decay, law: Law) -> Vec<Rational> {
    let chances = law(&candidates(cell, rank), decay);
    assert!(chances.len() == GRID && chances.iter().sum::<Rational>().is_one());
    chances
}

/// The largest ratio of the probabilities of one answer.
pub fn largest_ratio(one: &[Rational], other: &[Rational]) -> Rational {
    one.iter().zip(other).map(|(p, q)| p / q).max().unwrap()
}

/// All ways in which one entity can fill the cells, each with one of `kinds` (0: no row), at most `groups` of them.
fn fillings(kinds: usize, cells: usize, groups: u32) -> Vec<Vec<usize>> {
    (0..cells).fold(vec![vec![]], |all, _| {
        let longer = all.iter().flat_map(|filling: &Vec<usize>| {
            (0..kinds).map(|kind| filling.iter().copied().chain([kind]).collect::<Vec<_>>())
        });
        longer.filter(|filling| filling.iter().filter(|kind| **kind > 0).count() <= groups as usize).collect()
    })
}

/// The largest likelihood ratio between neighbouring tables with other rows as in `bases`, in both directions.
///
/// Cells are drawn independently, so the worst table has the worst other rows in each cell.
fn worst(
    (adjacency, caps, rank, cells): (Adjacency, Caps, &Rank, usize),
    (decay, law): (&Decay, Law),
    bases: &[Cell],
) -> Rational {
    let mine = cells_up_to(caps.rows_per_group.into());
    assert_eq!(mine[0], [0; GRID], "the first is to have no row");
    let each: Vec<Vec<Vec<Rational>>> = mine
        .iter()
        .map(|rows| {
            let tables = bases.iter().map(|base| std::array::from_fn(|place| base[place] + rows[place]));
            tables.map(|cell| answers(&cell, rank, decay, law)).collect()
        })
        .collect();
    let ratio_of = |old: usize, new: usize| {
        each[old].iter().zip(&each[new]).map(|(before, after)| largest_ratio(before, after)).max().unwrap()
    };
    let ratios: Vec<Vec<Rational>> =
        (0..mine.len()).map(|old| (0..mine.len()).map(|new| ratio_of(old, new)).collect()).collect();
    let product = |one: &[usize], other: &[usize]| -> Rational {
        one.iter().zip(other).filter(|(x, y)| x != y).map(|(x, y)| &ratios[*x][*y]).product()
    };
    let (all, none) = (fillings(mine.len(), cells, caps.groups), vec![0; cells]);
    let pairs: Box<dyn Iterator<Item = Rational>> = match adjacency {
        AddRemove => Box::new(all.iter().flat_map(|one| [product(one, &none), product(&none, one)])),
        ReplaceOne => Box::new(all.iter().flat_map(|one| all.iter().map(|other| product(one, other)))),
    };
    pairs.max().unwrap()
}

/// With the decay `R^(−1/2Δ)` in every cell, the odds ratio of all cells together is at most `R`.
#[test]
fn ranks_in_cells_keep_the_promised_odds() {
    keep_the_promised_odds(probabilities);
}

/// Enumerates all small tables, neighbours, caps and ranks.
pub fn keep_the_promised_odds(law: Law) {
    let half = ratio(1, 2);
    for (rank, rows_per_group) in RANKS.iter().flat_map(|rank| [(rank, 1), (rank, 2)]) {
        let bases = cells_up_to(if rows_per_group == 1 { 5 } else { 4 });
        let shapes: &[(u32, usize)] =
            if rows_per_group == 1 { &[(1, 1), (1, 2), (2, 2), (2, 3)] } else { &[(1, 1), (1, 2), (2, 2)] };
        for (adjacency, (groups, cells)) in
            [AddRemove, ReplaceOne].into_iter().flat_map(|a| shapes.iter().map(move |s| (a, *s)))
        {
            let caps = Caps { rows_per_group, groups };
            let steps: BigInt = ranked(adjacency, caps, rank, cells) * 2;
            let promised = power(&half, steps.to_u32().unwrap()).recip();
            let decay = Decay::hiding(&Spend::odds(promised.clone()).unwrap(), &steps).unwrap();
            assert_eq!(*decay.ratio(), half, "rational roots are exact");
            let told = worst((adjacency, caps, rank, cells), (&decay, law), &bases);
            assert!(told <= promised, "{adjacency} {caps:?} {rank:?} in {cells} cells: {told} > {promised}");
            assert!(told > whole(1), "the answers depend on the data");
        }
    }
}

/// Half the noise is not sufficient, even for a rank under add/remove: the normaliser moves against the candidate.
#[test]
fn the_normaliser_needs_the_factor_of_two() {
    // The third smallest of a row at 0 and three at 20,000; one more row at 0 brings the whole gap between them closer and
    // takes the candidate 20,001 further away.
    let rank = Rank::FromBelow(3);
    let decay = Decay::exactly(ratio(1, 4)).unwrap();
    let told = |lowest: u64| -> Vec<Rational> {
        let found = segments(&[(0, lowest), (20_000, 3)], 0, 20_001, &rank);
        probabilities(&found.into_iter().map(|(_, segment)| segment).collect::<Vec<_>>(), &decay)
    };
    let largest = largest_ratio(&told(1), &told(2));
    assert_eq!(ranked(AddRemove, Caps::ONE_ROW, &rank, 1), 1.into());
    // r^(−Δ) is 4, and r^(−2Δ) is 16.
    assert!(largest > ratio(159, 10) && largest <= whole(16), "{largest}");
}

/// Choosing among candidates with these scores, each at most 10.
fn scored(scores: [u64; 2], decay: &Decay) -> Vec<Rational> {
    probabilities(&scores.map(|score| Segment { size: 1, distance: 10 - score }), decay)
}

/// The published trap: for scores that only grow with the data, half the noise is sufficient under add/remove, and
/// gives `R²` under replace-one.
#[test]
fn monotone_scores_with_half_the_noise_give_the_square_under_replace_one() {
    let odds = whole(9);
    let without = Decay::hiding(&Spend::odds(odds.clone()).unwrap(), &1.into()).unwrap();
    let with = Decay::hiding(&Spend::odds(odds.clone()).unwrap(), &2.into()).unwrap();
    let all = || (0..=10_u64).flat_map(|a| (0..=10).map(move |b| [a, b]));
    // With one person more, one score, or both, grow by 1.
    for (old, new) in
        all().flat_map(|old| [[1, 0], [0, 1], [1, 1]].map(|more| (old, [old[0] + more[0], old[1] + more[1]])))
    {
        if new.iter().all(|score| *score <= 10) {
            let (old, new) = (scored(old, &without), scored(new, &without));
            assert!(largest_ratio(&old, &new) <= odds && largest_ratio(&new, &old) <= odds);
        }
    }
    let trap = largest_ratio(&scored([9, 1], &without), &scored([10, 0], &without));
    assert!(trap > ratio(8099, 100) && trap < power(&odds, 2), "{trap}");
    // The full noise keeps R, in whichever direction both scores move by 1.
    for (old, new) in all().flat_map(|old| all().map(move |new| (old, new))) {
        if old.iter().zip(&new).all(|(x, y)| x.abs_diff(*y) <= 1) {
            assert!(largest_ratio(&scored(old, &with), &scored(new, &with)) <= odds);
        }
    }
}
