//! The influence of the other secret on a release that protects one (G-4), over every cohort of two cases, two controls
//! and two SNPs.

use deniable_core::budget::Spend;
use deniable_core::exact::{Rational, power, ratio, whole};
use deniable_core::noise::Decay;
use deniable_genome::select::{decay, probabilities};
use deniable_genome::{CohortAdjacency, ContingencyTable, Test, Threshold, distance};
use num_traits::Zero;
use std::collections::HashMap;

/// The genotypes of four people at two SNPs, cases first.
type Cohort = [[usize; 2]; 4];

fn cohorts() -> impl Iterator<Item = Cohort> {
    (0..6561_usize).map(|code| {
        [0, 1, 2, 3].map(|person| {
            let two = code / 9_usize.pow(person) % 9;
            [two / 3, two % 3]
        })
    })
}

fn tables(cohort: &Cohort) -> [ContingencyTable; 2] {
    [0, 1].map(|snp| {
        let count = |people: &[[usize; 2]]| {
            let mut counts = [0; 3];
            people.iter().for_each(|person| counts[person[snp]] += 1);
            counts
        };
        ContingencyTable { cases: count(&cohort[..2]), controls: count(&cohort[2..]) }
    })
}

/// The exact probability that the first SNP is the only pick, for scores of an adjacency and an odds ratio of 3.
struct Picks {
    adjacency: CohortAdjacency,
    threshold: Threshold,
    decay: Decay,
    known: HashMap<[ContingencyTable; 2], Rational>,
}

impl Picks {
    fn new(adjacency: CohortAdjacency) -> Self {
        let decay = decay(&Spend::odds(whole(3)).unwrap(), 1, &1.into()).unwrap();
        Self { adjacency, threshold: Threshold::new(&ratio(3, 2)).unwrap(), decay, known: HashMap::new() }
    }

    fn score(&self, table: &ContingencyTable) -> Option<i64> {
        distance(table, Test::Allelic, self.adjacency, &self.threshold).unwrap().score()
    }

    fn first(&mut self, cohort: &Cohort) -> Rational {
        let tables = tables(cohort);
        if let Some(known) = self.known.get(&tables) {
            return known.clone();
        }
        let lists = probabilities(&tables.each_ref().map(|table| self.score(table)), 1, &self.decay);
        let chance: Rational = lists.into_iter().filter(|(list, _)| list == &[0]).map(|(_, chance)| chance).sum();
        self.known.insert(tables, chance.clone());
        chance
    }
}

/// Exchanging two labels is equivalent to exchanging the genotypes of the two people.
fn swapped(cohort: &Cohort, case: usize, control: usize) -> Cohort {
    let mut there = *cohort;
    there.swap(case, control);
    there
}

#[test]
fn a_label_swap_is_two_replacements() {
    let mut picks = Picks::new(CohortAdjacency::Genotype);
    let (mut largest, mut furthest) = (whole(1), 0);
    for cohort in cohorts() {
        for (case, control) in [(0, 2), (0, 3), (1, 2), (1, 3)] {
            let there = swapped(&cohort, case, control);
            let mut between = cohort;
            between[case] = cohort[control];
            assert!(between.iter().zip(&there).filter(|(one, other)| one != other).count() <= 1);
            for (one, other) in tables(&cohort).iter().zip(&tables(&there)) {
                furthest = furthest.max(picks.score(one).unwrap().abs_diff(picks.score(other).unwrap()));
            }
            let (here, there) = (picks.first(&cohort), picks.first(&there));
            for (one, other) in [(&here, &there), (&(whole(1) - &here), &(whole(1) - &there))] {
                largest = largest.max(one / other);
            }
        }
    }
    // Odds of 3 about genotypes are at most 9 about labels. A score can change by two, so no smaller bound holds in
    // general.
    assert!(largest <= power(&whole(3), 2) && largest > whole(2), "{largest}");
    assert_eq!(furthest, 2);
}

#[test]
fn a_release_about_labels_promises_nothing_about_genotypes() {
    let mut picks = Picks::new(CohortAdjacency::LabelSwap);
    let told = cohorts().any(|cohort| {
        (0..4).any(|person| {
            let mut there = cohort;
            there[person] = [0, 0];
            let (here, there) = (picks.first(&cohort), picks.first(&there));
            here.is_zero() != there.is_zero()
        })
    });
    assert!(told, "some pick is possible in one cohort and impossible in its neighbour");
}
