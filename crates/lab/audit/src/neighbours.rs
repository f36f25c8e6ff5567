//! Pairs of neighbouring inputs to try.
//!
//! Inputs are vectors of integers: the exact answers of counting queries, the cells of a histogram, or any other
//! encoding that the mechanism defines. The adjacency is an argument, since a claim is meaningless without it.

use rand_core::Rng;

/// The adjacency of inputs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InputAdjacency {
    /// Every entry may differ by one, in either direction: arbitrary counting queries, each of which may count a
    /// person.
    EachByOne,
    /// Every entry may differ by one, all in the same direction: counts, some of which a person adds to (add/remove).
    SameDirection,
    /// Exactly one entry differs, by one: a histogram (add/remove).
    OneEntry,
    /// Exactly these pairs.
    Listed(Vec<Pair>),
}

/// Two neighbouring inputs.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Pair {
    /// The first input.
    pub left: Vec<i64>,
    /// The second input.
    pub right: Vec<i64>,
    /// Whether only events that are likelier on the left count: one-sided promises (PMP alone, as for M-KMAX).
    pub one_sided: bool,
}

impl Pair {
    /// A two-sided pair.
    #[must_use]
    pub fn new(left: Vec<i64>, right: Vec<i64>) -> Self {
        Self { left, right, one_sided: false }
    }

    /// The left and the right input; in reverse order if `swapped`.
    #[must_use]
    pub fn ordered(&self, swapped: bool) -> (&[i64], &[i64]) {
        if swapped { (&self.right, &self.left) } else { (&self.left, &self.right) }
    }
}

/// The inputs for which a mechanism is defined, and their adjacency.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Neighbours {
    /// The adjacency of inputs.
    pub adjacency: InputAdjacency,
    /// Number of entries of an input; unused for listed pairs.
    pub length: usize,
    /// Entry values to start from: around 0, around a threshold, at the ends of a range.
    pub levels: Vec<i64>,
    /// The smallest entry allowed.
    pub least: i64,
    /// The largest entry allowed.
    pub most: i64,
}

impl Neighbours {
    /// Inputs of this many entries, each 0 or more, tried around 0 and 1.
    #[must_use]
    pub fn counts(adjacency: InputAdjacency, length: usize) -> Self {
        Self { adjacency, length, levels: vec![0, 1], least: 0, most: i64::MAX }
    }

    /// Inputs of this many unbounded entries, tried around 0 and 1.
    #[must_use]
    pub fn queries(adjacency: InputAdjacency, length: usize) -> Self {
        Self { adjacency, length, levels: vec![0, 1], least: i64::MIN, most: i64::MAX }
    }

    /// Only these pairs.
    #[must_use]
    pub fn listed(pairs: Vec<Pair>) -> Self {
        Self { adjacency: InputAdjacency::Listed(pairs), length: 0, levels: vec![], least: i64::MIN, most: i64::MAX }
    }

    /// At most `most` different pairs: fixed patterns first, then random ones.
    pub fn pairs(&self, most: usize, rng: &mut impl Rng) -> Vec<Pair> {
        if let InputAdjacency::Listed(pairs) = &self.adjacency {
            return pairs.iter().take(most).cloned().collect();
        }
        let mut found = PairSearch { pairs: Vec::new(), most, of: self };
        let n = self.length;
        let moves = self.patterns();
        for level in &self.levels {
            for step in &moves {
                found.add(&vec![*level; n], step);
            }
        }
        if n > 1 {
            // Ascending and alternating inputs, since equal entries would hide which index is first.
            let first = self.levels.first().copied().unwrap_or(0);
            let ramp: Vec<i64> = (0..n).map(|at| first.saturating_add(at as i64)).collect();
            let teeth: Vec<i64> = (0..n).map(|at| first.saturating_add(i64::from(at % 2 == 1))).collect();
            for base in [ramp, teeth] {
                for step in &moves {
                    found.add(&base, step);
                }
            }
        }
        for _ in 0..4 * most {
            if found.pairs.len() >= most || n == 0 || self.levels.is_empty() {
                break;
            }
            let base: Vec<i64> = (0..n)
                .map(|_| {
                    let level = self.levels[below(rng, self.levels.len())];
                    level.saturating_add(below(rng, 5) as i64 - 2).clamp(self.least, self.most)
                })
                .collect();
            let step = self.random_step(rng);
            found.add(&base, &step);
        }
        found.pairs
    }

    /// The differences of the right input from the left one, entry by entry.
    fn patterns(&self) -> Vec<Vec<i64>> {
        let n = self.length;
        let one = |place: usize, by: i64| (0..n).map(|at| if at == place { by } else { 0 }).collect::<Vec<_>>();
        let mut steps = Vec::new();
        if self.adjacency != InputAdjacency::OneEntry {
            steps.push(vec![1; n]);
            steps.push(vec![-1; n]);
        }
        if self.adjacency == InputAdjacency::EachByOne && n > 1 {
            let half = |flip: i64| (0..n).map(|at| if at < n / 2 { flip } else { -flip }).collect::<Vec<_>>();
            steps.extend([half(1), half(-1)]);
            steps.push((0..n).map(|at| if at % 2 == 0 { 1 } else { -1 }).collect());
            steps.push((0..n).map(|at| if at == 0 { 1 } else { -1 }).collect());
            steps.push((0..n).map(|at| if at + 1 == n { 1 } else { -1 }).collect());
            steps.push((0..n).map(|at| if at + 1 == n { -1 } else { 1 }).collect());
        }
        if n > 0 {
            steps.push(one(0, 1));
            steps.push(one(n - 1, 1));
            steps.push(one(0, -1));
        }
        steps
    }

    fn random_step(&self, rng: &mut impl Rng) -> Vec<i64> {
        let n = self.length;
        match self.adjacency {
            InputAdjacency::OneEntry | InputAdjacency::Listed(_) => {
                let place = below(rng, n);
                (0..n).map(|at| i64::from(at == place)).collect()
            }
            InputAdjacency::SameDirection => (0..n).map(|_| below(rng, 2) as i64).collect(),
            InputAdjacency::EachByOne => (0..n).map(|_| below(rng, 3) as i64 - 1).collect(),
        }
    }
}

/// A number below `limit`, which is at least 1. The slight bias does not matter here.
fn below(rng: &mut impl Rng, limit: usize) -> usize {
    (rng.next_u64() % limit.max(1) as u64) as usize
}

struct PairSearch<'a> {
    pairs: Vec<Pair>,
    most: usize,
    of: &'a Neighbours,
}

impl PairSearch<'_> {
    fn add(&mut self, base: &[i64], step: &[i64]) {
        let right: Vec<i64> = base.iter().zip(step).map(|(entry, by)| entry.saturating_add(*by)).collect();
        let allowed = |input: &[i64]| input.iter().all(|entry| (self.of.least..=self.of.most).contains(entry));
        if self.pairs.len() >= self.most || base == right || !allowed(base) || !allowed(&right) {
            return;
        }
        let (pair, mirrored) = (Pair::new(base.to_vec(), right.clone()), Pair::new(right, base.to_vec()));
        if !self.pairs.contains(&pair) && !self.pairs.contains(&mirrored) {
            self.pairs.push(pair);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_chacha::ChaCha20Rng;
    use rand_core::SeedableRng;

    fn neighbours(adjacency: &InputAdjacency, pair: &Pair) -> bool {
        let steps: Vec<i64> = pair.left.iter().zip(&pair.right).map(|(a, b)| b - a).collect();
        let moved = steps.iter().filter(|step| **step != 0).count();
        steps.iter().all(|step| step.abs() <= 1)
            && moved > 0
            && match adjacency {
                InputAdjacency::EachByOne | InputAdjacency::Listed(_) => true,
                InputAdjacency::SameDirection => {
                    steps.iter().all(|step| *step >= 0) || steps.iter().all(|step| *step <= 0)
                }
                InputAdjacency::OneEntry => moved == 1,
            }
    }

    #[test]
    fn every_pair_is_adjacent_and_in_range() {
        let mut rng = ChaCha20Rng::seed_from_u64(deniable_testing::seed(1));
        for adjacency in [InputAdjacency::EachByOne, InputAdjacency::SameDirection, InputAdjacency::OneEntry] {
            for length in [1, 2, 5] {
                let of = Neighbours::counts(adjacency.clone(), length);
                let pairs = of.pairs(40, &mut rng);
                assert!(!pairs.is_empty());
                for pair in &pairs {
                    assert!(neighbours(&adjacency, pair), "{adjacency:?} {pair:?}");
                    assert!(pair.left.iter().chain(&pair.right).all(|entry| *entry >= 0));
                }
                let unordered = |pair: &Pair| {
                    let mut both = [pair.left.clone(), pair.right.clone()];
                    both.sort();
                    both
                };
                let different: std::collections::HashSet<_> = pairs.iter().map(unordered).collect();
                assert_eq!(different.len(), pairs.len());
            }
        }
    }

    #[test]
    fn pairs_contain_the_patterns() {
        let of = Neighbours::queries(InputAdjacency::EachByOne, 4);
        let pairs = of.pairs(60, &mut ChaCha20Rng::seed_from_u64(deniable_testing::seed(1)));
        for right in [[1, 0, 0, 0], [1, 1, 1, 1], [1, -1, 1, -1], [1, 1, -1, -1]] {
            assert!(pairs.contains(&Pair::new(vec![0; 4], right.to_vec())), "{right:?}");
        }
    }
}
