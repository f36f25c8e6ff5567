//! Bayes-optimal privacy (I-BOP): the formula against all possible published tables.

use super::common::dice::Dice;
use deniable_check::Bound;
use deniable_check::bop::{Background, Block, TableError};
use deniable_core::exact::{Rational, ratio, whole};
use num_traits::Zero;

fn population(joint: &[&[i64]], of: i64) -> Background {
    let joint = joint.iter().map(|row| row.iter().map(|part| ratio(*part, of)).collect()).collect::<Vec<Vec<_>>>();
    Background::new(&["q0", "q1", "q2"][..joint.len()], &["s0", "s1", "s2"][..joint[0].len()], joint).unwrap()
}

/// All tables of `rows` rows with these public values, each with its probability; the person is a random row of it.
fn by_enumeration(joint: &[Vec<Rational>], block: &Block, public: usize) -> Option<Vec<Rational>> {
    let rows: u64 = block.counts.iter().sum();
    let cells: Vec<(usize, usize)> =
        block.public.iter().flat_map(|q| (0..block.counts.len()).map(move |s| (*q, s))).collect();
    let mut tables: Vec<(Vec<(usize, usize)>, Rational)> = vec![(vec![], whole(1))];
    for _ in 0..rows {
        let longer = tables.iter().flat_map(|(table, weight)| {
            cells.iter().map(move |(q, s)| ([table.as_slice(), &[(*q, *s)]].concat(), weight * &joint[*q][*s]))
        });
        tables = longer.collect();
    }
    let published = |table: &[(usize, usize)]| {
        block.counts.iter().enumerate().all(|(s, n)| table.iter().filter(|row| row.1 == s).count() as u64 == *n)
    };
    let mut beliefs = vec![whole(0); block.counts.len()];
    for (table, weight) in tables.iter().filter(|(table, _)| published(table)) {
        for (_, s) in table.iter().filter(|(q, _)| *q == public) {
            beliefs[*s] += weight;
        }
    }
    let sum: Rational = beliefs.iter().sum();
    (!sum.is_zero()).then(|| beliefs.into_iter().map(|belief| belief / &sum).collect())
}

#[test]
fn the_formula_is_bayes_rule_over_all_tables() {
    let mut dice = Dice::new(101);
    let mut impossible = 0;
    for number in 0..60 {
        let (public, sensitive) = (2 + number % 2, 2 + number / 2 % 2);
        let flat = dice.distribution(public * sensitive, if number % 3 == 0 { -3 } else { 1 }, 9);
        let joint: Vec<Vec<Rational>> = flat.chunks(sensitive).map(<[Rational]>::to_vec).collect();
        let background =
            Background::new(&["q0", "q1", "q2"][..public], &["s0", "s1", "s2"][..sensitive], joint.clone()).unwrap();
        let counts = (0..sensitive).map(|_| u64::try_from(dice.between(0, 1)).unwrap());
        let mut block = Block { public: (0..2).collect(), counts: counts.collect() };
        block.counts[0] += 1;
        for public in 0..2 {
            let found = background.posterior(&block, public);
            assert_eq!(found, by_enumeration(&joint, &block, public));
            impossible += usize::from(found.is_none());
        }
    }
    assert!((1..60).contains(&impossible), "{impossible}");
}

#[test]
fn a_block_shared_by_all_values_discloses_its_counts() {
    // Two public values with the same sensitive distribution: the posterior is the block's share.
    let same = population(&[&[1, 3], &[1, 3]], 8);
    let block = |counts: &[u64]| Block { public: vec![0, 1], counts: counts.to_vec() };
    let moved = same.movement(&[block(&[2, 2])]).unwrap().unwrap();
    // 1/4 becomes 1/2, so odds of 1/3 become 1; 3/4 becomes 1/2.
    assert_eq!((moved.up.odds(), moved.down.odds_against()), (Bound::Finite(whole(3)), Bound::Finite(whole(3))));
    assert_eq!((moved.loss.loss(), moved.loss.sensitive), (Bound::Finite(ratio(3, 2)), 1));
    assert_eq!(moved.up.line(&same), "belief that `q0` has `s0` goes from 1/4 to 1/2: its odds by 3");
    // Counts equal to their expectation change no belief.
    let still = same.movement(&[block(&[1, 3])]).unwrap().unwrap();
    assert_eq!(
        (still.loss.loss(), still.up.odds(), still.down.odds_against()),
        (Bound::one(), Bound::one(), Bound::one())
    );
    // With all rows of one value, it becomes certain and the other is ruled out.
    let all = same.movement(&[block(&[4, 0])]).unwrap().unwrap();
    assert_eq!(
        (all.loss.loss(), all.up.odds(), all.down.odds_against()),
        (Bound::Infinite, Bound::Infinite, Bound::Infinite)
    );
    assert_eq!((all.up.sensitive, all.down.sensitive), (0, 1));
    assert_eq!(same.movement(&[]).unwrap(), None);
}

#[test]
fn invalid_tables_are_refused() {
    let background = population(&[&[0, 2], &[1, 1], &[1, 0]], 5);
    let block = |public: &[usize], counts: &[u64]| Block { public: public.to_vec(), counts: counts.to_vec() };
    let wrong = |blocks: &[Block]| background.movement(blocks).unwrap_err();
    assert_eq!(wrong(&[block(&[0, 1], &[1, 1]), block(&[1], &[1, 0])]), TableError::Public { public: 1 });
    assert_eq!(wrong(&[block(&[7], &[1, 0])]), TableError::Public { public: 7 });
    assert_eq!(wrong(&[block(&[0], &[1])]), TableError::Width { what: "sensitive", found: 1, expected: 2 });
    // No person of `q0` has `s0`, and the block has only `s0`.
    let lines = wrong(&[block(&[0, 1], &[2, 0])]).to_string();
    assert_eq!(lines, "the background rules out that block 0 contains a person with values `q0`");
    let sum = Background::new(&["q"], &["s"], vec![vec![ratio(1, 2)]]).unwrap_err();
    assert_eq!(sum, TableError::Background { sum: ratio(1, 2) });
}
