//! Measures, compared with plain computations on individual people.

use super::common::{Rational, classes, of_rows, people, rows};
use deniable_assess::closeness::Closeness;
use deniable_assess::diversity::Diversity;
use deniable_assess::entropy::Profile;
use deniable_assess::risk::{Population, Risk};
use deniable_assess::sizes::{Sizes, below};
use deniable_assess::{Distance, Hierarchy};
use deniable_core::exact::Bound;
use deniable_core::exact::{power, ratio, whole};
use proptest::prelude::*;
use std::collections::BTreeMap;

/// The cheapest way to carry supplies to demands (both in units, equal sums), by cheapest augmenting paths.
fn transport(supply: &[u64], demand: &[u64], cost: impl Fn(usize, usize) -> i64) -> i64 {
    let (n, nodes) = (supply.len(), 2 * supply.len() + 2);
    let (source, sink) = (2 * n, 2 * n + 1);
    // (from, to, room, cost), with each edge's reverse after it.
    let mut edges: Vec<(usize, usize, i64, i64)> = Vec::new();
    let mut add =
        |from: usize, to: usize, room: i64, cost: i64| edges.extend([(from, to, room, cost), (to, from, 0, -cost)]);
    for i in 0..n {
        add(source, i, supply[i] as i64, 0);
        add(n + i, sink, demand[i] as i64, 0);
        for j in 0..n {
            add(i, n + j, i64::MAX / 4, cost(i, j));
        }
    }
    let mut total = 0;
    loop {
        let mut best = vec![(i64::MAX / 2, usize::MAX); nodes];
        best[source].0 = 0;
        for _ in 0..nodes {
            for (place, (from, to, room, cost)) in edges.iter().enumerate() {
                if *room > 0 && best[*from].0 < i64::MAX / 2 && best[*from].0 + cost < best[*to].0 {
                    best[*to] = (best[*from].0 + cost, place);
                }
            }
        }
        if best[sink].1 == usize::MAX {
            return total;
        }
        let (mut node, mut room, mut path) = (sink, i64::MAX, Vec::new());
        while node != source {
            let edge = best[node].1;
            path.push(edge);
            room = room.min(edges[edge].2);
            node = edges[edge].0;
        }
        for edge in path {
            edges[edge].2 -= room;
            edges[edge ^ 1].2 += room;
        }
        total += room * best[sink].0;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn sizes_risk_and_diversity(rows in rows(), l in 2_u32..4, bound in 1_u64..6) {
        let all = classes(&of_rows(&rows), &["q", "r"], &["s"]);
        let mut groups: BTreeMap<String, BTreeMap<u8, u64>> = BTreeMap::new();
        for (class, value) in people(&rows) {
            *groups.entry(class).or_default().entry(value).or_default() += 1;
        }
        let n: u64 = people(&rows).len() as u64;
        let sizes: Vec<u64> = groups.values().map(|group| group.values().sum()).collect();
        let found = Sizes::of(&all).unwrap();
        prop_assert_eq!(found.people, n);
        prop_assert_eq!(found.classes, groups.len() as u64);
        prop_assert_eq!(found.smallest.value, *sizes.iter().min().unwrap());
        prop_assert_eq!(groups[&found.smallest.class].values().sum::<u64>(), found.smallest.value);
        prop_assert_eq!(found.uniques, sizes.iter().filter(|size| **size == 1).count() as u64);
        prop_assert_eq!(found.histogram.iter().map(|bucket| bucket.people).sum::<u64>(), n);
        for bucket in &found.histogram {
            prop_assert_eq!(bucket.classes, sizes.iter().filter(|size| (bucket.from..=bucket.to).contains(size)).count() as u64);
        }
        let mut small: Vec<u64> = sizes.iter().copied().filter(|size| *size < bound).collect();
        small.sort_unstable();
        let named = below(&all, bound, 2);
        prop_assert_eq!((named.classes, named.people), (small.len() as u64, small.iter().sum()));
        prop_assert_eq!(named.first.iter().map(|class| groups[class].values().sum::<u64>()).collect::<Vec<_>>(), &small[..small.len().min(2)]);
        let risk = Risk::of(&all, Population::Unknown, &ratio(1, 3)).unwrap().prosecutor;
        let chances: Vec<Rational> = sizes.iter().flat_map(|size| std::iter::repeat_n(ratio(1, *size as i64), *size as usize)).collect();
        prop_assert_eq!(Some(risk.average), Some(chances.iter().sum::<Rational>() / whole(n)));
        prop_assert_eq!(risk.highest.value.value(), Bound::Finite(chances.iter().max().unwrap().clone()));
        prop_assert_eq!(risk.above, whole(chances.iter().filter(|chance| **chance > ratio(1, 3)).count()) / whole(n));
        let diversity = Diversity::of(&all, &all.secrets[0], &[l]).unwrap();
        prop_assert_eq!(diversity.distinct.value, groups.values().map(|group| group.len() as u64).min().unwrap());
        // c is the infimum: a slightly larger c holds for all classes, and c itself fails for the named class.
        let holds = |group: &BTreeMap<u8, u64>, c: &Rational| {
            let mut counts: Vec<u64> = group.values().copied().collect();
            counts.sort_unstable_by(|a, b| b.cmp(a));
            whole(counts[0]) < c * whole(counts.iter().skip(l as usize - 1).sum::<u64>())
        };
        match diversity.recursive[0].c.value.value() {
            Bound::Infinite => prop_assert!(groups.values().any(|group| group.len() < l as usize)),
            Bound::Finite(c) => {
                prop_assert!(groups.values().all(|group| holds(group, &(&c + ratio(1, 1_000_000)))));
                prop_assert!(!holds(&groups[&diversity.recursive[0].c.class], &c));
            }
        }
        let entropy = |group: &BTreeMap<u8, u64>| {
            let all: u64 = group.values().sum();
            group.values().map(|n| { let p = *n as f64 / all as f64; -p * p.ln() }).sum::<f64>()
        };
        let least = groups.values().map(entropy).fold(f64::INFINITY, f64::min);
        prop_assert!((diversity.entropy.value.l(9).parse::<f64>().unwrap() - least.exp()).abs() < 1e-8);
        prop_assert!((entropy(&groups[&diversity.entropy.class]) - least).abs() < 1e-12);
    }

    /// `nⁿ ≥ lⁿ Π n_i^{n_i}`, in whole numbers without cancelling.
    #[test]
    fn entropy_is_decided(counts in prop::collection::vec(1_u64..9, 1..6), top in 1_i64..40, bottom in 1_i64..9) {
        let n: u64 = counts.iter().sum();
        let raise = |base: Rational, exponent: u64| power(&base, exponent as u32);
        let right = counts.iter().fold(raise(ratio(top, bottom), n), |all, count| all * raise(whole(*count), *count));
        let decided = Profile::of(counts.iter().copied()).is_diverse(&ratio(top, bottom));
        prop_assert_eq!(decided, Ok(raise(whole(n), n) >= right));
    }

    /// The three distances, compared with the cheapest transport.
    #[test]
    fn closeness_is_the_cheapest_transport(rows in rows(), shape in prop::collection::vec(0_usize..2, 8)) {
        let all = classes(&of_rows(&rows), &["q", "r"], &["s"]);
        let secret = &all.secrets[0];
        let m = secret.values.len();
        // Four leaves below two groups, below two more, below the top.
        let lines: String = (0..4).map(|s| format!("{s};g{};h{};*\n", shape[s], shape[4 + shape[s]])).collect();
        let tree = Hierarchy::parse(&lines, ';').unwrap();
        let height = tree.height() as i64;
        let steps = |i: usize, j: usize| tree.distance(&secret.values[i], &secret.values[j]).unwrap() as i64;
        type Cost<'a> = Box<dyn Fn(usize, usize) -> i64 + 'a>;
        let distances: [(Distance, i64, Cost<'_>); 3] = [
            (Distance::Equal, 1, Box::new(|i, j| i64::from(i != j))),
            (Distance::Ordered(None), (m.max(2) - 1) as i64, Box::new(|i, j| i.abs_diff(j) as i64)),
            (Distance::Hierarchical(tree.clone()), height, Box::new(steps)),
        ];
        for (distance, scale, cost) in distances {
            let closeness = Closeness::new(&all, secret, &distance).unwrap();
            for (class, found) in all.all().zip(closeness.distances()) {
                let supply: Vec<u64> = (0..m as u32).map(|value| secret.count(class, value) * all.people()).collect();
                let demand: Vec<u64> = secret.totals.iter().map(|total| total * all.size(class)).collect();
                let least = ratio(transport(&supply, &demand, &cost), (all.people() * all.size(class)) as i64 * scale);
                prop_assert_eq!(found.value(), Bound::Finite(least), "{:?}", distance.name());
            }
        }
    }

    /// Projecting to fewer columns yields the classes of those columns.
    #[test]
    fn projection(rows in rows()) {
        let counts = of_rows(&rows);
        let all = classes(&counts, &["q", "r"], &["s"]);
        prop_assert_eq!(all.project(&[1]), classes(&counts, &["r"], &["s"]));
        prop_assert_eq!(all.project(&[1, 0]), classes(&counts, &["r", "q"], &["s"]));
        for class in all.all() {
            prop_assert_eq!(all.find(all.cells(class)), Some(class));
        }
    }
}
