//! k-anonymous tables of small universes (M-KANON), against generalisation row by row and against Bayes' rule.

use deniable_check::Bound;
use deniable_check::decide::decide;
use deniable_check::family::Family;
use deniable_check::mechanism::{Mechanism, builtin};
use deniable_check::notion::{Direction, Notion, Sign};
use deniable_check::verdict::Value;
use deniable_core::exact::{Rational, ratio, whole};
use std::collections::BTreeMap;

/// Widths of ranges: the widest holds all values of [`universes`].
const WIDTHS: [i64; 4] = [1, 2, 4, 8];

/// All ascending lists of one to five values out of four.
fn universes() -> Vec<Vec<i64>> {
    let mut all: Vec<Vec<i64>> = Vec::new();
    let mut longest = vec![Vec::new()];
    for _ in 0..5 {
        let longer = |list: &Vec<i64>| {
            let least = list.last().copied().unwrap_or(0);
            let values = [3, 4, 6, 9].into_iter().filter(move |value| *value >= least);
            values.map(|value| [list.as_slice(), &[value]].concat()).collect::<Vec<_>>()
        };
        longest = longest.iter().flat_map(longer).collect();
        all.extend(longest.iter().cloned());
    }
    all
}

fn built(values: &[i64], k: usize) -> Mechanism {
    let values: Vec<String> = values.iter().map(i64::to_string).collect();
    let parameters = [("values".to_owned(), values.join(",")), ("k".to_owned(), k.to_string())];
    builtin::build("k-anonymity", &BTreeMap::from(parameters)).unwrap()
}

/// The number of values in each range of this width, by the lower end of the range.
fn counts(values: impl Iterator<Item = i64>, least: i64, width: i64) -> BTreeMap<i64, usize> {
    let mut counts = BTreeMap::new();
    values.for_each(|value| *counts.entry(value - (value - least) % width).or_default() += 1);
    counts
}

/// The table of a dataset, by generalising the value of each member.
fn table(values: &[i64], data: u32, k: usize) -> String {
    let members = (0..values.len()).filter(|entity| data >> entity & 1 == 1).map(|entity| values[entity]);
    for width in WIDTHS {
        let counts = counts(members.clone(), values[0], width);
        if !counts.is_empty() && counts.values().all(|count| *count >= k) {
            let range = |low: i64| if width == 1 { low.to_string() } else { format!("{low}..{}", low + width - 1) };
            let groups = counts.iter().map(|(low, count)| format!("{count} in {}", range(*low)));
            return groups.collect::<Vec<_>>().join("; ");
        }
    }
    "no table".to_owned()
}

#[test]
fn every_table_is_the_narrowest_generalisation_that_is_k_anonymous() {
    for values in universes() {
        for k in 1..=values.len() + 1 {
            let mechanism = built(&values, k);
            for data in 0..1 << values.len() {
                let expected = table(&values, data, k);
                for (output, name) in mechanism.outputs().iter().enumerate() {
                    let chance = whole(u8::from(*name == expected));
                    assert_eq!(mechanism.probability(output, data), chance, "{values:?} {k} {data:b} {name}");
                }
            }
        }
    }
}

/// The gain of a uniform prior by Bayes' rule: an odds ratio of `R` changes an even chance by a factor of `(1 + R)/2`.
fn gain(mechanism: &Mechanism, direction: Direction) -> Bound {
    let mut worst = Bound::one();
    for output in 0..mechanism.outputs().len() {
        for entity in 0..mechanism.size() {
            let datasets =
                |is_in: bool| (0..1_u32 << mechanism.size()).filter(move |data| (data >> entity & 1 == 1) == is_in);
            let chance = |is_in| datasets(is_in).map(|data| mechanism.probability(output, data)).sum::<Rational>();
            let (top, bottom) = if direction == Direction::Presence {
                (chance(true), chance(false))
            } else {
                (chance(false), chance(true))
            };
            if bottom > whole(0) {
                worst = worst.max(Bound::Finite((whole(1) + top / bottom) / whole(2)));
            } else if top > whole(0) {
                worst = Bound::Infinite;
            }
        }
    }
    worst
}

/// The closed form of M-KANON for absence.
fn gain_about_absence(values: &[i64], k: usize) -> Bound {
    let n = values.len();
    let is_narrow = |width| {
        let sizes = counts(values.iter().copied(), values[0], width);
        sizes.values().any(|size| *size >= k && *size < n)
    };
    if k == 1 || WIDTHS.into_iter().any(is_narrow) {
        return Bound::Infinite;
    }
    // The number of datasets of at most `most` of n − 1 entities.
    let up_to = |most: usize| (0..1_u32 << (n - 1)).filter(|data| data.count_ones() as usize <= most).count();
    let withheld = ratio(up_to(k - 1) as i64, up_to(k - 2) as i64);
    let published = ratio(n.saturating_sub(k) as i64, k as i64);
    Bound::Finite((whole(1) + withheld.max(published)) / whole(2))
}

#[test]
fn k_anonymity_bounds_no_gain_of_a_uniform_prior() {
    let mut finite = 0;
    for values in universes() {
        for k in 1..=values.len() + 1 {
            let mechanism = built(&values, k);
            let decided = |sign| decide(&mechanism, &Notion::Membership { sign }, &Family::Uniform).unwrap();
            let (presence, absence) = (decided(Sign::Positive), decided(Sign::Negative));
            let expected = if k <= values.len() { Bound::Infinite } else { Bound::one() };
            assert_eq!(presence.value, Value::Attained(expected), "{values:?} {k}");
            assert_eq!(absence.value, Value::Attained(gain_about_absence(&values, k)), "{values:?} {k}");
            assert_eq!(presence.value.high(), &gain(&mechanism, Direction::Presence), "{values:?} {k}");
            assert_eq!(absence.value.high(), &gain(&mechanism, Direction::Absence), "{values:?} {k}");
            if k <= values.len() {
                let line = presence.witness.unwrap().line(&mechanism);
                assert!(line.contains("is in goes from 1/2 to 1: "), "{line}");
                finite += u32::from(*absence.value.high() != Bound::Infinite);
            }
        }
    }
    assert!(finite > 20, "{finite}");
}

/// The example of docs/how-to/check.md: a range of two values is published only where one member has the value 30.
#[test]
fn the_chosen_width_proves_a_person_in() {
    let mechanism = built(&[30, 31, 31, 38], 2);
    let verdict = decide(&mechanism, &Notion::Membership { sign: Sign::Positive }, &Family::Uniform).unwrap();
    assert_eq!((mechanism.size(), mechanism.outputs().len()), (4, 7));
    assert_eq!(
        verdict.witness.unwrap().line(&mechanism),
        "after `2 in 30..31`, belief that 1 is in goes from 1/2 to 1: Pr[2 in 30..31 | in] = 1/4, Pr[2 in 30..31 | out] = 0"
    );
}

/// 64-bit values whose differences need more bits, and the names of their ranges.
#[test]
fn the_widest_values_have_ranges() {
    let mechanism = built(&[i64::MIN, 0, i64::MAX], 2);
    let all = |count: u32| format!("{count} in {}..{}", i64::MIN, i64::MAX);
    let expected = ["no table".to_owned(), all(2), format!("2 in 0..{}", i64::MAX), all(3)];
    assert_eq!(mechanism.outputs(), expected);
}

/// A-9 at even chances: a range of `M` people, `n` of them in the table, multiplies the odds of each person by
/// `n/(M − n)`.
#[test]
fn one_published_range_multiplies_odds_as_its_counts() {
    for entities in 2..=7 {
        let mechanism = built(&vec![5; entities], 2);
        for members in 2..entities {
            let name = format!("{members} in 5");
            let output = mechanism.outputs().iter().position(|output| *output == name).unwrap();
            for entity in 0..entities {
                let chance = |is_in: u32| {
                    let datasets = (0..1_u32 << entities).filter(|data| data >> entity & 1 == is_in);
                    datasets.map(|data| mechanism.probability(output, data)).sum::<Rational>()
                };
                assert_eq!(
                    chance(1) / chance(0),
                    ratio(members as i64, (entities - members) as i64),
                    "{entities} {name}"
                );
            }
        }
    }
}
