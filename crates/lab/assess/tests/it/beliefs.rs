//! Beliefs about sensitive values: against the exact decider of explicit distributions, and against all assignments of rows.

use super::common::{self, Rational, classes};
use deniable_assess::background::{Matching, types};
use deniable_assess::belief::{BeliefChange, BeliefNames, Extreme, Kind};
use deniable_assess::beliefs::{Beliefs, Prior, exceeding};
use deniable_assess::limit::{Limit, epsilon};
use deniable_assess::{AssessError, Counts, TableRole};
use deniable_check::bop::{Background, Block, TableError};
use deniable_core::exact::Bound;
use deniable_core::exact::{ratio, whole};
use num_traits::Zero;
use proptest::prelude::*;

/// People by type and sensitive value; blocks of types; rows by block and value.
#[derive(Debug, Clone)]
struct World {
    joint: Vec<Vec<u64>>,
    blocks: Vec<Vec<usize>>,
    rows: Vec<Vec<u64>>,
}

fn worlds() -> impl Strategy<Value = World> {
    let joint = prop::collection::vec(prop::collection::vec(0_u64..4, 3), 3..5);
    (joint, prop::collection::vec(0_usize..2, 4), prop::collection::vec(prop::collection::vec(0_u64..3, 3), 2))
        .prop_map(|(mut joint, of, rows)| {
            for (place, row) in joint.iter_mut().enumerate() {
                row[place % 3] += u64::from(row.iter().sum::<u64>() == 0);
            }
            let members = |block: usize| (0..joint.len()).filter(|q| of[*q] == block).collect::<Vec<_>>();
            let pairs = (0..2).map(|block| (members(block), rows[block].clone()));
            let (blocks, rows) =
                pairs.filter(|(members, rows)| !members.is_empty() && rows.iter().sum::<u64>() > 0).unzip();
            World { joint, blocks, rows }
        })
}

impl World {
    fn tables(&self) -> (Counts, Counts) {
        let (mut published, mut background) = (Counts::new(&["q", "s"]).unwrap(), Counts::new(&["q", "s"]).unwrap());
        for (block, rows) in self.blocks.iter().zip(&self.rows) {
            let members: Vec<String> = block.iter().map(|q| format!("q{q}")).collect();
            for (s, rows) in rows.iter().enumerate() {
                published.push(&[&format!("{{{}}}", members.join(",")), &format!("s{s}")], *rows).unwrap();
            }
        }
        for (q, row) in self.joint.iter().enumerate() {
            for (s, people) in row.iter().enumerate() {
                background.push(&[&format!("q{q}"), &format!("s{s}")], *people).unwrap();
            }
        }
        (published, background)
    }
}

fn same(found: &Extreme, expected: &Bound) -> bool {
    found.value() == *expected
}

/// β of every value, by weighing every assignment of people to the rows of a block; the person is in the first row.
fn by_assignments(world: &World, block: usize, person: usize) -> Option<Vec<Rational>> {
    let rows: Vec<usize> =
        world.rows[block].iter().enumerate().flat_map(|(s, n)| std::iter::repeat_n(s, *n as usize)).collect();
    let members = &world.blocks[block];
    let mut sums = vec![Rational::zero(); 3];
    // The row of the person, and the type of each row.
    for mine in 0..rows.len() {
        for mut number in 0..members.len().pow(rows.len() as u32) {
            let mut weight = whole(1);
            let mut own = None;
            for (row, s) in rows.iter().enumerate() {
                let q = members[number % members.len()];
                number /= members.len();
                weight *= whole(world.joint[q][*s]);
                if row == mine {
                    own = Some((q, *s));
                }
            }
            if let Some((q, s)) = own.filter(|(q, _)| *q == person) {
                let _ = q;
                sums[s] += weight;
            }
        }
    }
    let all: Rational = sums.iter().sum();
    (!all.is_zero()).then(|| sums.into_iter().map(|sum| sum / &all).collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn as_on_explicit_distributions(world in worlds(), factor in 1_i64..6) {
        prop_assume!(!world.blocks.is_empty());
        let (published, people) = world.tables();
        let all = classes(&published, &["q"], &["s"]);
        let known = types(&people, &["q"], &["s"], TableRole::Background).unwrap();
        let matching = Matching::new(&all, &known);
        let prior = Prior::Background(&matching, &known.secrets[0]);
        let found = Beliefs::of(&all, &all.secrets[0], prior);

        let total: u64 = world.joint.iter().flatten().sum();
        let joint = world.joint.iter().map(|row| row.iter().map(|n| whole(*n) / whole(total)).collect()).collect();
        let names: Vec<String> = (0..world.joint.len()).map(|q| format!("q{q}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let background = Background::new(&names, &["s0", "s1", "s2"], joint).unwrap();
        let blocks: Vec<Block> = world.blocks.iter().zip(&world.rows)
            .map(|(public, counts)| Block { public: public.clone(), counts: counts.clone() }).collect();
        match (background.movement(&blocks), found) {
            (Ok(expected), Ok(found)) => {
                let expected = expected.unwrap();
                prop_assert_eq!(found.impossible, 0);
                prop_assert!(same(&found.loss, &expected.loss.loss()), "{:?} {:?}", found.loss, expected.loss);
                prop_assert!(same(&found.up, &expected.up.odds()));
                prop_assert!(same(&found.down, &expected.down.odds_against()));
                // Every named belief equals the decider's result for that block, person and value.
                for extreme in [&found.loss, &found.gain, &found.up, &found.down] {
                    for moved in extreme.infinite.iter().chain(&extreme.finite) {
                        let person = moved.names.person.clone().unwrap();
                        let q: usize = person.trim_start_matches("q=q").parse().unwrap();
                        let s: usize = moved.names.value.trim_start_matches('s').parse().unwrap();
                        let block = world.blocks.iter().position(|block| block.contains(&q)).unwrap();
                        prop_assert_eq!(&moved.before, &background.prior(q).unwrap()[s]);
                        prop_assert_eq!(&moved.after, &background.posterior(&blocks[block], q).unwrap()[s]);
                    }
                }
                // Shares, and classes beyond a limit, by enumerating every belief.
                let limit = whole(factor);
                let beyond = |block: usize, over: &dyn Fn(&Bound) -> bool| world.blocks[block].iter().any(|q| {
                    let (before, after) = (background.prior(*q).unwrap(), background.posterior(&blocks[block], *q).unwrap());
                    before.into_iter().zip(after).any(|(before, after)| {
                        let moved = BeliefChange { names: BeliefNames::default(), before, after };
                        over(&moved.by(Kind::Up)) || over(&moved.by(Kind::Down))
                    })
                });
                let people = |over: &dyn Fn(&Bound) -> bool| (0..blocks.len()).filter(|block| beyond(*block, over))
                    .map(|block| world.rows[block].iter().sum::<u64>()).sum::<u64>();
                prop_assert_eq!(found.shares[0].people, people(&|value| *value > Bound::Finite(whole(2))));
                prop_assert_eq!(found.shares[3].people, people(&|value| *value == Bound::Infinite));
                let offending = exceeding(&all, &all.secrets[0], &[prior], &[Kind::Up, Kind::Down], &Limit::Ratio(limit.clone()), 9).unwrap();
                prop_assert_eq!(offending.people, people(&|value| *value > Bound::Finite(limit.clone())));
            }
            (Err(TableError::Impossible { .. }), Ok(found)) => prop_assert!(found.impossible > 0),
            // The decider reports the first person of such a block.
            (Err(TableError::Impossible { .. }), Err(AssessError::RuledOut { .. })) => {}
            (expected, found) => prop_assert!(false, "{:?} {:?}", expected, found),
        }
    }

    #[test]
    fn as_over_all_assignments_of_rows(world in worlds()) {
        prop_assume!(!world.blocks.is_empty() && world.rows.iter().all(|rows| rows.iter().sum::<u64>() <= 4));
        let (published, people) = world.tables();
        let all = classes(&published, &["q"], &["s"]);
        let known = types(&people, &["q"], &["s"], TableRole::Background).unwrap();
        let matching = Matching::new(&all, &known);
        let Ok(found) = Beliefs::of(&all, &all.secrets[0], Prior::Background(&matching, &known.secrets[0])) else { return Ok(()) };
        let mut largest = Bound::Finite(whole(0));
        for (block, members) in world.blocks.iter().enumerate() {
            for person in members {
                let Some(after) = by_assignments(&world, block, *person) else { continue };
                let people: u64 = world.joint[*person].iter().sum();
                for (people_with, after) in world.joint[*person].iter().zip(after).filter(|(n, _)| **n > 0) {
                    let before = whole(*people_with) / whole(people);
                    largest = largest.max(if after.is_zero() { Bound::Infinite } else { Bound::Finite(before / after) });
                }
            }
        }
        if largest > Bound::Finite(whole(0)) {
            prop_assert_eq!(found.loss.value(), largest);
        }
    }

    /// The margins are equivalent to a background in which all people are of one type.
    #[test]
    fn margins_equal_a_background_of_one_type(rows in common::rows()) {
        let counts = common::of_rows(&rows);
        let all = classes(&counts, &["q", "r"], &["s"]);
        let secret = &all.secrets[0];
        let found = Beliefs::of(&all, secret, Prior::Margins).unwrap();
        let (mut loss, mut gain, mut up, mut down) = (vec![], vec![], vec![], vec![]);
        for class in all.all() {
            for (value, total) in (0..).zip(&secret.totals) {
                let moved = BeliefChange {
                    names: BeliefNames::default(),
                    before: whole(*total) / whole(all.people()),
                    after: whole(secret.count(class, value)) / whole(all.size(class)),
                };
                for (list, kind) in [(&mut loss, Kind::Loss), (&mut gain, Kind::Gain), (&mut up, Kind::Up), (&mut down, Kind::Down)] {
                    list.push(moved.by(kind));
                }
            }
        }
        for (found, all) in [(&found.loss, loss), (&found.gain, gain), (&found.up, up), (&found.down, down)] {
            prop_assert_eq!(&found.value(), all.iter().max().unwrap());
            let finite = all.iter().filter(|value| **value != Bound::Infinite).max();
            let named = found.finite.as_ref().map(|moved| moved.by(found.kind));
            // If all finite beliefs of a kind belong to ruled-out values, they are 0 and need no name.
            prop_assert!(named.as_ref() == finite || finite == Some(&Bound::Finite(whole(0))), "{:?} {:?}", named, finite);
        }
    }
}

#[test]
fn powers_of_e() {
    let above = |limit: Limit, value: Rational| limit.is_below(&Bound::Finite(value)).unwrap();
    let one = || Limit::Epsilon(whole(1));
    assert!(!above(one(), "2718281828459045235/1000000000000000000".parse().unwrap()));
    assert!(above(one(), "2718281828459045236/1000000000000000000".parse().unwrap()));
    assert!(!above(Limit::Epsilon(whole(0)), whole(1)) && above(Limit::Epsilon(whole(0)), ratio(1_000_001, 1_000_000)));
    assert!(Limit::Epsilon(whole(1000)).is_below(&Bound::Infinite).unwrap());
    // ln 2 = 0.69314718...: rounded up.
    assert_eq!(
        (epsilon(&Bound::Finite(whole(2)), 6), epsilon(&Bound::Finite(whole(1)), 6)),
        ("0.693148".to_owned(), "0".to_owned())
    );
}

/// Beliefs that floats hardly separate: whatever their order, the exact maximum is named.
#[test]
fn near_ties_are_decided_exactly() {
    const ROWS: u64 = 100_000_000_000;
    for more in [[0, 1, 2], [2, 1, 0], [1, 2, 0], [0, 2, 1]] {
        let mut counts = Counts::new(&["q", "s"]).unwrap();
        for (class, more) in more.into_iter().enumerate() {
            counts.push(&[&class.to_string(), "a"], ROWS).unwrap();
            counts.push(&[&class.to_string(), "b"], 2 * ROWS + more).unwrap();
        }
        counts.push(&["9", "a"], ROWS).unwrap();
        let all = classes(&counts, &["q"], &["s"]);
        let found = Beliefs::of(&all, &all.secrets[0], Prior::Margins).unwrap();
        let most = more.iter().position(|more| *more == 2).map(|class| format!("q={class}"));
        // Of the first three, `a` is rarest in the class that has one more of the other values.
        assert_eq!(found.loss.finite.as_ref().map(|moved| moved.names.class.clone()), most, "{more:?}");
        assert_eq!(found.down.finite.as_ref().map(|moved| moved.names.class.clone()), most, "{more:?}");
        assert_eq!(
            found.up.finite.as_ref().map(|moved| (moved.names.class.clone(), moved.names.value.as_str())),
            most.map(|class| (class, "b"))
        );
    }
}
