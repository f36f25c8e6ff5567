use super::brute::{all_distances, crosses_within, neighbours, tables};
use super::*;
use deniable_core::exact::parse_rational;
use proptest::prelude::*;

fn at(text: &str) -> Threshold {
    Threshold::new(&parse_rational(text).unwrap()).unwrap()
}

fn moves(cases: [u32; 3], controls: [u32; 3], test: Test, adjacency: Adjacency, c: &str) -> Option<u64> {
    distance(&Table { cases, controls }, test, adjacency, &at(c)).unwrap().moves
}

/// Every table of the cohort against a search of all tables. Returns how many were compared.
fn compare_all(r: u32, s: u32, test: Test, adjacency: Adjacency, c: &Threshold) -> usize {
    let found = all_distances(r, s, test, adjacency, c);
    for (table, (significant, moves)) in &found {
        let expected = Distance { significant: *significant, moves: *moves };
        let fast = distance(table, test, adjacency, c).unwrap();
        assert_eq!(fast, expected, "{table:?} {test:?} {adjacency:?} c={}", c.value());
    }
    found.len()
}

#[test]
fn every_small_cohort_and_table() {
    let mut compared = 0;
    for (r, s) in (1..=8).flat_map(|r| (1..=8).map(move |s| (r, s))) {
        for c in ["1/10", "1", "2", "3.84", "9"] {
            for (test, adjacency) in Test::ALL.into_iter().flat_map(|t| Adjacency::ALL.map(|a| (t, a))) {
                compared += compare_all(r, s, test, adjacency, &at(c));
            }
        }
    }
    println!("{compared}");
}
