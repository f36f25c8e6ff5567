//! Pairing an observer's distributions over datasets with and without an entity (LQS13 Lemma 4.9).
//!
//! `Pr[o|t]` is an average of `Pr[o|T]` over datasets as distributed given `t`; `Pr[o|¬t]` is an average over datasets
//! given `¬t`. If the two distributions can be paired so that partners are neighbours, then a bound on neighbours
//! bounds the likelihood ratio. This is a transport problem: a maximal flow is either the pairing, or shows a set of
//! datasets that is likelier than all its neighbours together (Hall's condition for masses).

use crate::family::Prior;
use crate::mechanism::Dataset;
use deniable_core::exact::{Rational, whole};
use num_traits::Zero;
use std::collections::{BTreeMap, VecDeque};

/// A pairing, or the proof that no pairing exists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Coupling {
    /// Pairs of a dataset given `t` and one given `¬t`, with the mass that each pair carries.
    Paired(Vec<(Dataset, Dataset, Rational)>),
    /// Datasets given `t` whose total mass exceeds that of all their neighbours given `¬t`.
    Stranded(Vec<Dataset>),
}

/// Pairs the datasets with entity `t` and those without it, with their probabilities under the prior given `t` and
/// given `¬t`.
///
/// `None` if the prior is certain of `t`.
#[must_use]
pub fn couple(prior: &Prior, t: usize, near: impl Fn(Dataset, Dataset) -> bool) -> Option<Coupling> {
    let (present, absent) = given(prior, t)?;
    let mut flow = Flow::new(&present, &absent, near);
    while let Some((path, mass)) = flow.augmenting_path() {
        flow.push(&path, &mass);
    }
    if flow.left.iter().all(Zero::is_zero) {
        let pairs = flow.carried.into_iter().filter(|(_, mass)| !mass.is_zero());
        return Some(Coupling::Paired(pairs.map(|((a, b), mass)| (present[a].0, absent[b].0, mass)).collect()));
    }
    // All datasets reachable from the remaining mass: their neighbours are full, and have too little room.
    let reached = flow.search().seen.into_iter().zip(present).filter(|(seen, _)| *seen);
    Some(Coupling::Stranded(reached.map(|(_, (data, _))| data).collect()))
}

/// Whether the answer is right, checked by its definition alone.
#[must_use]
pub fn holds(answer: &Coupling, prior: &Prior, t: usize, near: impl Fn(Dataset, Dataset) -> bool) -> bool {
    let Some((present, absent)) = given(prior, t) else { return false };
    match answer {
        Coupling::Paired(pairs) => {
            let margin = |side: &dyn Fn(&(Dataset, Dataset, Rational)) -> Dataset| {
                let mut sums: BTreeMap<Dataset, Rational> = BTreeMap::new();
                for pair in pairs {
                    *sums.entry(side(pair)).or_insert_with(Rational::zero) += &pair.2;
                }
                sums.into_iter().collect::<Vec<_>>()
            };
            pairs.iter().all(|(more, less, mass)| near(*more, *less) && *mass > whole(0))
                && margin(&|pair| pair.0) == present
                && margin(&|pair| pair.1) == absent
        }
        Coupling::Stranded(datasets) => {
            let mass = |side: &[(Dataset, Rational)], inside: &dyn Fn(Dataset) -> bool| -> Rational {
                side.iter().filter(|(data, _)| inside(*data)).map(|(_, mass)| mass).sum()
            };
            let chosen = mass(&present, &|data| datasets.contains(&data));
            chosen > mass(&absent, &|data| datasets.iter().any(|more| near(*more, data)))
        }
    }
}

type WeightedDatasets = Vec<(Dataset, Rational)>;

/// The distributions over datasets given `t`, and given `¬t`.
fn given(prior: &Prior, t: usize) -> Option<(WeightedDatasets, WeightedDatasets)> {
    let belief = prior.belief(t);
    let rest = whole(1) - &belief;
    if belief.is_zero() || rest.is_zero() {
        return None;
    }
    let (mut present, mut absent): (WeightedDatasets, WeightedDatasets) = (Vec::new(), Vec::new());
    for (data, mass) in prior.table() {
        if data >> t & 1 == 1 {
            present.push((data, mass / &belief));
        } else {
            absent.push((data, mass / &rest));
        }
    }
    present.sort();
    absent.sort();
    Some((present, absent))
}

/// The unsent mass on the left, the room on the right, and the flow between them.
struct Flow {
    left: Vec<Rational>,
    room: Vec<Rational>,
    near: Vec<Vec<usize>>,
    carried: BTreeMap<(usize, usize), Rational>,
}

impl Flow {
    fn new(
        present: &[(Dataset, Rational)],
        absent: &[(Dataset, Rational)],
        near: impl Fn(Dataset, Dataset) -> bool,
    ) -> Self {
        let partners = |more: Dataset| {
            absent.iter().enumerate().filter(|(_, (less, _))| near(more, *less)).map(|(at, _)| at).collect()
        };
        Self {
            left: present.iter().map(|(_, mass)| mass.clone()).collect(),
            room: absent.iter().map(|(_, mass)| mass.clone()).collect(),
            near: present.iter().map(|(more, _)| partners(*more)).collect(),
            carried: BTreeMap::new(),
        }
    }

    /// Searches for free room from all unsent mass: forward to neighbours, and back along the flow. Shortest paths
    /// first, which bounds their number.
    fn search(&self) -> Search {
        let begun: Vec<bool> = self.left.iter().map(|mass| !mass.is_zero()).collect();
        let mut queue: VecDeque<usize> = (0..begun.len()).filter(|at| begun[*at]).collect();
        let mut found =
            Search { seen: begun, through: vec![None; self.left.len()], from: vec![None; self.room.len()], end: None };
        while let Some(at) = queue.pop_front() {
            for right in &self.near[at] {
                if found.from[*right].is_some() {
                    continue;
                }
                found.from[*right] = Some(at);
                if !self.room[*right].is_zero() {
                    found.end = Some(*right);
                    return found;
                }
                for (left, seen) in found.seen.iter_mut().enumerate() {
                    if !*seen && self.carried.get(&(left, *right)).is_some_and(|mass| !mass.is_zero()) {
                        *seen = true;
                        found.through[left] = Some(*right);
                        queue.push_back(left);
                    }
                }
            }
        }
        found
    }

    /// The steps from unsent mass to free room, the last one first, and the amount that can be sent.
    fn augmenting_path(&self) -> Option<(Vec<Step>, Rational)> {
        let found = self.search();
        let end = found.end?;
        let mut mass = self.room[end].clone();
        let mut path = Vec::new();
        let mut right = end;
        while let Some(left) = found.from[right] {
            path.push(Step { left, right, forward: true });
            let Some(through) = found.through[left] else {
                mass = mass.min(self.left[left].clone());
                break;
            };
            path.push(Step { left, right: through, forward: false });
            mass = mass.min(self.carried[&(left, through)].clone());
            right = through;
        }
        Some((path, mass))
    }

    fn push(&mut self, path: &[Step], mass: &Rational) {
        for Step { left, right, forward } in path {
            let carried = self.carried.entry((*left, *right)).or_insert_with(Rational::zero);
            if *forward {
                *carried += mass;
            } else {
                *carried -= mass;
            }
        }
        if let (Some(end), Some(start)) = (path.first(), path.last()) {
            self.room[end.right] -= mass;
            self.left[start.left] -= mass;
        }
    }
}

/// The state of a search.
struct Search {
    /// The reached datasets on the left.
    seen: Vec<bool>,
    /// For each of them, the dataset on the right from which mass is taken back.
    through: Vec<Option<usize>>,
    /// For each dataset on the right, the one on the left from which it was reached.
    from: Vec<Option<usize>>,
    /// The first free room found.
    end: Option<usize>,
}

/// A step of a path: mass is sent, or taken back.
struct Step {
    left: usize,
    right: usize,
    forward: bool,
}

#[cfg(test)]
mod tests {
    use super::*;
    use deniable_core::exact::ratio;

    fn exchanged(a: Dataset, b: Dataset) -> bool {
        a.count_ones() == b.count_ones() && (a ^ b).count_ones() == 2
    }

    /// Independent entities given the size: one of three, and two of three.
    #[test]
    fn a_known_size_pairs_up_one_exchange_apart() {
        let prior = Prior::Table(vec![(0b011, ratio(1, 2)), (0b101, ratio(1, 3)), (0b110, ratio(1, 6))]);
        let answer = couple(&prior, 0, exchanged).unwrap();
        // Given the first entity: 3/5 and 2/5; without it, a single dataset.
        assert_eq!(answer, Coupling::Paired(vec![(0b011, 0b110, ratio(3, 5)), (0b101, 0b110, ratio(2, 5))]));
        assert!(holds(&answer, &prior, 0, exchanged));
        assert_eq!(couple(&Prior::Table(vec![(1, whole(1))]), 0, exchanged), None);
    }

    #[test]
    fn two_exchanges_apart_are_stranded() {
        let prior = Prior::Table(vec![(0b0011, ratio(1, 2)), (0b1100, ratio(1, 2))]);
        let answer = couple(&prior, 0, exchanged).unwrap();
        assert_eq!(answer, Coupling::Stranded(vec![0b0011]));
        assert!(holds(&answer, &prior, 0, exchanged));
    }

    /// The check rejects wrong answers of either kind.
    #[test]
    fn wrong_answers_fail_the_check() {
        let prior = Prior::Table(vec![(0b011, ratio(1, 2)), (0b101, ratio(1, 3)), (0b110, ratio(1, 6))]);
        for wrong in [
            Coupling::Paired(vec![(0b011, 0b110, ratio(1, 2)), (0b101, 0b110, ratio(1, 2))]),
            Coupling::Paired(vec![(0b011, 0b110, ratio(3, 5))]),
            Coupling::Stranded(vec![0b011]),
        ] {
            assert!(!holds(&wrong, &prior, 0, exchanged), "{wrong:?}");
        }
    }

    /// A first choice has to be undone: both left datasets reach the first room, and one of them has no other.
    #[test]
    fn earlier_choices_are_undone() {
        let near = |a: Dataset, b: Dataset| matches!((a, b), (1, 2 | 4) | (3, 2));
        let quarter = ratio(1, 4);
        let prior = Prior::Table(vec![(1, quarter.clone()), (3, quarter.clone()), (2, quarter.clone()), (4, quarter)]);
        let answer = couple(&prior, 0, near).unwrap();
        assert_eq!(answer, Coupling::Paired(vec![(1, 4, ratio(1, 2)), (3, 2, ratio(1, 2))]));
    }
}
