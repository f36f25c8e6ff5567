use super::brute::{all_distances, crosses_within, neighbours, tables};
use super::*;
use crate::chi2::statistic;
use deniable_core::exact::{Rational, parse_rational, ratio, whole};
use proptest::prelude::*;
use std::collections::BTreeSet;

fn at(text: &str) -> Threshold {
    Threshold::new(&parse_rational(text).unwrap()).unwrap()
}

fn combinations() -> [(Test, CohortAdjacency); 4] {
    let [a, b] = CohortAdjacency::ALL;
    [(Test::Allelic, a), (Test::Allelic, b), (Test::Genotypic, a), (Test::Genotypic, b)]
}

fn found(cases: [u32; 3], controls: [u32; 3], test: Test, adjacency: CohortAdjacency, c: &str) -> Distance {
    distance(&ContingencyTable { cases, controls }, test, adjacency, &at(c)).unwrap()
}

/// Compares every table of the cohort with a search of all tables. Returns the number compared.
fn compare_all(r: u32, s: u32, test: Test, adjacency: CohortAdjacency, c: &Threshold) -> usize {
    let all = all_distances(r, s, test, adjacency, c);
    for (table, (significant, moves)) in &all {
        let expected = Distance { significant: *significant, moves: *moves };
        let fast = distance(table, test, adjacency, c).unwrap();
        assert_eq!(fast, expected, "{table:?} {test:?} {adjacency:?} c={}", c.value());
    }
    all.len()
}

/// G-2: the true distance of every table with R, S ≤ 8, at five thresholds.
#[test]
fn every_small_table() {
    let mut compared = 0;
    for (r, s) in (1..=8).flat_map(|r| (1..=8).map(move |s| (r, s))) {
        for c in ["1/10", "1", "2", "3.84", "9"] {
            for (test, adjacency) in combinations() {
                compared += compare_all(r, s, test, adjacency, &at(c));
            }
        }
    }
    assert_eq!(compared, 537_920);
}

/// The same at thresholds that equal χ² of some table of the cohort, and slightly above them.
#[test]
fn every_small_table_at_thresholds_that_are_hit() {
    for (r, s) in (1..=7).flat_map(|r| (1..=7).map(move |s| (r, s))) {
        for test in Test::ALL {
            let values: BTreeSet<Rational> = tables(r, s).iter().map(|table| statistic(table, test)).collect();
            let values: Vec<Rational> = values.into_iter().filter(|value| *value > whole(0)).collect();
            for eighth in [1, 3, 5, 7] {
                let hit = &values[values.len() * eighth / 8];
                for c in [hit.clone(), hit + ratio(1, 1_000_000)] {
                    for adjacency in CohortAdjacency::ALL {
                        compare_all(r, s, test, adjacency, &Threshold::new(&c).unwrap());
                    }
                }
            }
        }
    }
}

/// The same for groups of very different sizes: the allele counts of the large group can move past those of the small
/// one.
#[test]
fn every_small_table_of_lopsided_cohorts() {
    for (r, s) in [(1, 25), (25, 1), (2, 19), (19, 2), (3, 14), (14, 3)] {
        for c in ["1/50", "1/2", "3.84", "7"] {
            for (test, adjacency) in combinations() {
                compare_all(r, s, test, adjacency, &at(c));
            }
        }
    }
}

/// A trap of G-2: from (0,0,5) and (5,0,0) the corners of the set that three moves reach are all significant, but two
/// cases and one control are enough.
#[test]
fn corners_are_not_enough_to_cease() {
    let trap = found([0, 0, 5], [5, 0, 0], Test::Allelic, CohortAdjacency::Genotype, "3.84");
    assert_eq!(trap, Distance { significant: true, moves: Some(3) });
    assert!(statistic(&ContingencyTable { cases: [2, 0, 3], controls: [4, 0, 1] }, Test::Allelic) < ratio(384, 100));
    for corner in [[[3, 0, 2], [5, 0, 0]], [[0, 0, 5], [2, 0, 3]]] {
        let corner = ContingencyTable { cases: corner[0], controls: corner[1] };
        assert!(statistic(&corner, Test::Allelic) >= ratio(384, 100));
    }
}

/// A trap of G-2: without heterozygotes a swap preserves the parity of the allele count, and χ² is 16/7 on both sides.
#[test]
fn parity_never_lands() {
    let trap = found([0, 0, 4], [1, 0, 3], Test::Allelic, CohortAdjacency::LabelSwap, "16/7");
    assert_eq!(trap, Distance { significant: true, moves: None });
    assert_eq!(trap.score(), None);
    // Replaced genotypes do not preserve it; a threshold slightly above can be crossed.
    let other = found([0, 0, 4], [1, 0, 3], Test::Allelic, CohortAdjacency::Genotype, "16/7");
    assert_eq!(other.moves, Some(1));
    let above = found([0, 0, 4], [1, 0, 3], Test::Allelic, CohortAdjacency::LabelSwap, "1600001/700000");
    assert_eq!(above, Distance { significant: false, moves: None });
}

/// In real numbers the search would end in the middle, in integers right beyond it: the nearest target is not the next
/// one.
#[test]
fn the_middle_may_be_between_integers() {
    let beyond = all_distances(2, 19, Test::Allelic, CohortAdjacency::Genotype, &at("1/50"));
    let overshoots = beyond.iter().filter(|(table, (significant, moves))| {
        let gap = |t: &ContingencyTable| {
            (t.case_alleles() * t.all_controls()) as i64 - (t.control_alleles() * t.all_cases()) as i64
        };
        // One move, after which the cohort is on the other side of equal frequencies.
        *significant
            && *moves == Some(1)
            && neighbours(table, CohortAdjacency::Genotype).iter().all(|next| {
                is_significant(next, Test::Allelic, &at("1/50")) || gap(next).signum() == -gap(table).signum()
            })
    });
    assert!(overshoots.count() > 0);
}

#[test]
fn scores() {
    let score = |significant, moves| Distance { significant, moves }.score();
    assert_eq!(score(true, Some(1)), Some(1));
    assert_eq!(score(true, Some(7)), Some(7));
    assert_eq!(score(false, Some(1)), Some(0));
    assert_eq!(score(false, Some(7)), Some(-6));
    assert_eq!(score(false, None), None);
    assert_eq!(score(true, None), None);
}

/// Monomorphic SNPs have their true distance; label swaps do not change them.
#[test]
fn monomorphic() {
    for test in Test::ALL {
        let far = found([50, 0, 0], [50, 0, 0], test, CohortAdjacency::Genotype, "3.84");
        assert!(!far.significant && far.moves.is_some_and(|moves| moves > 1), "{far:?}");
        let never = found([50, 0, 0], [50, 0, 0], test, CohortAdjacency::LabelSwap, "3.84");
        assert_eq!(never, Distance { significant: false, moves: None });
    }
}

#[test]
fn thresholds_that_no_table_reaches() {
    // χ² is at most 2N and N.
    assert_eq!(found([0, 0, 5], [5, 0, 0], Test::Allelic, CohortAdjacency::Genotype, "20").moves, Some(1));
    assert_eq!(found([0, 0, 5], [5, 0, 0], Test::Genotypic, CohortAdjacency::Genotype, "10").moves, Some(1));
    assert_eq!(found([0, 0, 5], [5, 0, 0], Test::Allelic, CohortAdjacency::Genotype, "20.01").moves, None);
    assert_eq!(found([0, 0, 5], [5, 0, 0], Test::Genotypic, CohortAdjacency::Genotype, "10.01").moves, None);
    for (test, adjacency) in combinations() {
        for (cases, controls) in [([0; 3], [1, 2, 3]), ([1, 2, 3], [0; 3]), ([0; 3], [0; 3])] {
            let nothing = Distance { significant: false, moves: None };
            assert_eq!(found(cases, controls, test, adjacency, "1/1000"), nothing);
        }
    }
}

/// The score changes by at most 1 with every move (G-2), and whether there is a score does not change.
#[test]
fn every_score_has_sensitivity_one() {
    let mut pairs = 0;
    for (r, s) in (1..=6).flat_map(|r| (1..=6).map(move |s| (r, s))) {
        for (test, adjacency) in combinations() {
            for c in ["1/2", "3.84", "16/7"] {
                let score = |table: &ContingencyTable| distance(table, test, adjacency, &at(c)).unwrap().score();
                for table in tables(r, s) {
                    let here = score(&table);
                    for next in neighbours(&table, adjacency) {
                        let there = score(&next);
                        assert_eq!(here.is_some(), there.is_some(), "{table:?} {next:?}");
                        let change = here.zip(there).map_or(0, |(here, there)| here.abs_diff(there));
                        assert!(change <= 1, "{table:?} {next:?} {test:?} {adjacency:?} c={c}");
                        pairs += 1;
                    }
                }
            }
        }
    }
    assert!(pairs > 300_000, "{pairs}");
}

/// 33 million people: no product overflows (tests detect overflow).
#[test]
fn the_largest_cohorts() {
    let half = u32::try_from(MOST_PEOPLE / 2).unwrap();
    let longest = Threshold::new(&ratio((1 << 48) - 1, (1 << 43) + 1)).unwrap();
    let near = [half / 4, half / 2, half - half / 4 - half / 2];
    for shift in [0, 1000, 10_000] {
        let other = [near[0] + shift, near[1], near[2] - shift];
        for (test, adjacency) in combinations() {
            let here = distance(&ContingencyTable { cases: near, controls: other }, test, adjacency, &longest).unwrap();
            let back = distance(&ContingencyTable { cases: other, controls: near }, test, adjacency, &longest).unwrap();
            assert_eq!(here, back);
            assert!(here.moves.is_some_and(|moves| moves > 10));
        }
    }
    for (cases, controls) in [([half, 0, 0], [half - 1, 0, 1]), ([1, 0, 0], [half, half - 2, 1])] {
        for (test, adjacency) in combinations() {
            distance(&ContingencyTable { cases, controls }, test, adjacency, &longest).unwrap();
        }
    }
    let many = ContingencyTable { cases: [half, 1, 0], controls: [half, 0, 0] };
    let people = MOST_PEOPLE + 1;
    assert_eq!(distance(&many, Test::Allelic, CohortAdjacency::Genotype, &longest), Err(TooManyPeople { people }));
}

fn group(most: u32) -> impl Strategy<Value = [u32; 3]> {
    // Genotypes of any frequency, sometimes with empty columns.
    let count = || prop_oneof![4 => 0..=most, 1 => 0..=2_u32];
    [count(), count(), count()]
}

/// A table and a threshold close to it: its χ² times a factor between 1/2 and 3/2, or a usual one.
fn close(most: u32) -> impl Strategy<Value = (ContingencyTable, Threshold, Test)> {
    let tests = prop_oneof![Just(Test::Allelic), Just(Test::Genotypic)];
    (group(most / 3), group(most / 3), tests, 50_i64..150, any::<bool>()).prop_map(
        |(cases, controls, test, percent, usual)| {
            let table = ContingencyTable { cases, controls };
            let scaled = statistic(&table, test) * ratio(percent, 100);
            let c = if usual { None } else { Threshold::new(&scaled).ok() };
            (table, c.unwrap_or_else(|| at("3.841459")), test)
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Up to 40 cases and controls, compared with a search of all tables within a few moves.
    #[test]
    fn nothing_nearer_and_something_that_near((table, c, test) in close(40)) {
        for (adjacency, most) in [(CohortAdjacency::Genotype, 4), (CohortAdjacency::LabelSwap, 6)] {
            let fast = distance(&table, test, adjacency, &c).unwrap();
            let within = fast.moves.filter(|moves| *moves <= most);
            let nearer = within.map_or(most, |moves| moves - 1);
            prop_assert!(!crosses_within(&table, test, adjacency, &c, nearer), "{:?} {:?}", adjacency, fast);
            if let Some(moves) = within {
                prop_assert!(crosses_within(&table, test, adjacency, &c, moves), "{:?} {:?}", adjacency, fast);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    /// In cohorts of thousands, scores of neighbours differ by at most 1, and distances are 1 on both sides of the
    /// threshold.
    #[test]
    fn neighbours_in_large_cohorts((table, c, test) in close(5000)) {
        for adjacency in CohortAdjacency::ALL {
            let here = distance(&table, test, adjacency, &c).unwrap();
            for next in neighbours(&table, adjacency) {
                let there = distance(&next, test, adjacency, &c).unwrap();
                prop_assert_eq!(here.moves.is_some(), there.moves.is_some());
                let change = here.score().zip(there.score()).map_or(0, |(here, there)| here.abs_diff(there));
                prop_assert!(change <= 1, "{:?} {:?} {:?} {:?}", here, there, next, adjacency);
                if here.significant != there.significant {
                    prop_assert_eq!((here.moves, there.moves), (Some(1), Some(1)));
                }
            }
        }
    }

    /// The choice of the counted allele, and exchanging cases and controls, do not matter.
    #[test]
    fn symmetries((table, c, test) in close(3000)) {
        let turned = |counts: [u32; 3]| [counts[2], counts[1], counts[0]];
        let other = ContingencyTable { cases: turned(table.cases), controls: turned(table.controls) };
        let exchanged = ContingencyTable { cases: table.controls, controls: table.cases };
        for adjacency in CohortAdjacency::ALL {
            let here = distance(&table, test, adjacency, &c).unwrap();
            prop_assert_eq!(distance(&other, test, adjacency, &c).unwrap(), here);
            prop_assert_eq!(distance(&exchanged, test, adjacency, &c).unwrap(), here);
        }
    }
}

/// The result does not depend on the guess.
#[test]
fn guesses_do_not_change_results() {
    for most in 0..20 {
        for least in 1..25 {
            let expected = (least <= most).then_some(least);
            for guess in -3..30 {
                assert_eq!(first_near(most, guess, |k| k >= least), expected, "{least} of {most} from {guess}");
            }
            assert_eq!(first(most, |k| k >= least), expected);
        }
    }
}
