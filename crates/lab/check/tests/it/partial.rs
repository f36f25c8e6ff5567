//! Tables and counts with missing rows, compared with enumeration. An observer of a family considers possible only
//! datasets with rows.

use crate::it::common::bayes::{BOTH, Table, belief, gain, given, posteriors, scaled};
use crate::it::common::dice::Dice;
use crate::it::common::mechanisms;
use crate::it::families::sized::{membership, sign};
use crate::it::families::world::{range, shown, shown_belief};
use deniable_check::Bound;
use deniable_check::certificate::certificate;
use deniable_check::counts::{self, CountMechanism, Group};
use deniable_check::decide::decide;
use deniable_check::family::Family;
use deniable_check::mechanism::{Dataset, Mechanism};
use deniable_check::notion::{Direction, Notion, Sign};
use deniable_check::verdict::{Value, Verdict};
use deniable_core::adversary::PriorRange;
use deniable_core::exact::{Rational, ratio, whole};
use deniable_recheck::{LIMIT, UpperCheck, recheck};
use deniable_testing::sized;
use num_traits::{One, Zero};

fn ranges() -> Vec<PriorRange> {
    vec![
        range((1, 10), (2, 5)),
        range((1, 5), (2, 5)),
        range((9, 20), (1, 1)),
        range((3, 5), (9, 10)),
        range((1, 3), (1, 3)),
        range((2, 3), (2, 3)),
        range((0, 1), (2, 5)),
        range((1, 5), (4, 5)),
        range((1, 2), (1, 2)),
        range((17, 20), (19, 20)),
        PriorRange::any(),
    ]
}

/// All observers who are uncertain of some entities and know the number of these that are in: with equal beliefs, and
/// with random ones.
fn observers(dice: &mut Dice, mechanism: &Mechanism, range: &PriorRange) -> Vec<Table> {
    let n = mechanism.size();
    let subsets = 0..1_u32 << n;
    let mut all = Vec::new();
    for (open, sure) in subsets.clone().flat_map(|open| subsets.clone().map(move |sure| (open, sure))) {
        if open & sure != 0 {
            continue;
        }
        for size in 1..open.count_ones() {
            let worlds: Vec<Dataset> =
                subsets.clone().filter(|part| part & !open == 0 && part.count_ones() == size).collect();
            if worlds.iter().any(|part| !mechanism.gives(sure | part)) {
                continue;
            }
            for round in 0..6 {
                let factors: Vec<Rational> =
                    (0..n).map(|_| if round == 0 { whole(1) } else { ratio(dice.between(1, 12), 6) }).collect();
                let weight = |part: Dataset| {
                    (0..n).filter(|t| part >> t & 1 == 1).map(|t| factors[t].clone()).product::<Rational>()
                };
                all.extend(scaled(worlds.iter().map(|part| (sure | part, weight(*part))).collect()));
            }
        }
    }
    let is_of = |prior: &Table| {
        (0..n).map(|t| belief(prior, t)).all(|p| p.is_zero() || p.is_one() || (*range.low() <= p && p <= *range.high()))
    };
    all.retain(is_of);
    all
}

/// The factor by which belief in presence or absence falls.
fn fall(mechanism: &Mechanism, prior: &Table) -> Bound {
    let gains = BOTH.map(|about| {
        (0..mechanism.size())
            .filter_map(|t| {
                let before = belief(prior, t);
                (!before.is_zero() && !before.is_one()).then_some((t, before))
            })
            .flat_map(|(t, before)| {
                (0..mechanism.outputs().len()).filter_map(move |output| {
                    let (with, without) = crate::it::common::bayes::joint(mechanism, prior, t, output);
                    let total = &with + &without;
                    let (before, after) = match about {
                        Direction::Presence => (before.clone(), with),
                        Direction::Absence => (whole(1) - &before, without),
                    };
                    // Impossible answers are skipped.
                    (!total.is_zero()).then(|| Bound::of(&(before * total), &after)).flatten()
                })
            })
            .max()
    });
    gains.into_iter().flatten().max().unwrap_or_else(Bound::one)
}

/// The least and the largest value of the notion's measure over the observers.
fn plain(mechanism: &Mechanism, observers: &[Table], notion: &Notion) -> Option<Bound> {
    let met = observers.iter();
    match notion {
        Notion::Membership { sign: Sign::Negative } => met.filter_map(|o| gain(mechanism, o, Direction::Absence)).max(),
        Notion::Membership { .. } => met.filter_map(|o| gain(mechanism, o, Direction::Presence)).max(),
        Notion::Posterior { sign: Sign::Negative } => {
            met.flat_map(|o| posteriors(mechanism, o)).min().map(Bound::Finite)
        }
        Notion::Posterior { .. } => met.flat_map(|o| posteriors(mechanism, o)).max().map(Bound::Finite),
        _ => met.map(|o| fall(mechanism, o)).max(),
    }
}

fn notions() -> Vec<Notion> {
    let mut all: Vec<Notion> = BOTH.map(membership).to_vec();
    all.extend(BOTH.map(|about| Notion::Posterior { sign: sign(about) }));
    all.push(Notion::Indistinguishable);
    all
}

/// Random rows, some of them missing, and some of them equal.
fn rows(dice: &mut Dice, count: usize) -> Vec<Option<Vec<Rational>>> {
    let dense = dice.between(2, 9);
    let same = dice.between(0, 3) == 0;
    let alike = dice.distribution(2, 0, 4);
    let mut rows: Vec<_> = (0..count)
        .map(|_| (dice.between(0, 8) < dense).then(|| if same { alike.clone() } else { dice.distribution(2, 0, 4) }))
        .collect();
    if rows.iter().all(Option::is_none) {
        rows[0] = Some(alike);
    }
    rows
}

fn outputs() -> Vec<String> {
    vec!["no".to_owned(), "yes".to_owned()]
}

#[derive(Default)]
struct Tally {
    vacuous: usize,
    decided: usize,
    brackets: usize,
}

/// Compares one verdict over F-DB[a,b] with the enumerated observers.
fn check(mechanism: &Mechanism, range: &PriorRange, met: &[Table], notion: &Notion, tally: &mut Tally) -> Verdict {
    let family = Family::Bounded(range.clone());
    let verdict = decide(mechanism, notion, &family).unwrap();
    let text = format!("{:?} {range:?} {notion:?} {:?}", mechanism.datasets().collect::<Vec<_>>(), verdict.value);
    assert_eq!(verdict.value.is_vacuous(), met.is_empty(), "{text}");
    let proof = certificate(mechanism, notion, &family, &verdict).unwrap();
    let upper = if met.is_empty() { UpperCheck::Vacuous } else { UpperCheck::Holds };
    assert_eq!(recheck(&proof, LIMIT).map(|report| report.upper), Ok(upper), "{text}");
    let Some(plain) = plain(mechanism, met, notion) else {
        tally.vacuous += 1;
        return verdict;
    };
    let (low, high) = (verdict.value.low(), verdict.value.high());
    assert!(*low <= plain || !matches!(notion, Notion::Posterior { sign: Sign::Negative }), "{text} {plain}");
    assert!(plain <= *high || matches!(notion, Notion::Posterior { sign: Sign::Negative }), "{text} {plain}");
    tally.decided += 1;
    tally.brackets += usize::from(low != high);
    // The witness is an observer of the family who attains the lower end; only a value of 1 may lack a witness.
    let reached = match notion {
        Notion::Membership { sign: Sign::Negative } => shown(mechanism, &verdict, Direction::Absence),
        Notion::Membership { .. } => shown(mechanism, &verdict, Direction::Presence),
        Notion::Posterior { .. } => shown_belief(mechanism, &verdict).map(Bound::Finite),
        _ => None,
    };
    match (reached, &verdict.value, notion) {
        (_, Value::Approached(_), _) => {}
        (Some(reached), _, Notion::Posterior { sign: Sign::Negative }) => assert_eq!(reached, *high, "{text}"),
        (Some(reached), ..) => assert_eq!(reached, *low, "{text}"),
        (None, _, Notion::Posterior { .. }) => panic!("{text} has no witness"),
        (None, ..) => assert!(verdict.witness.is_some() || *low == Bound::one(), "{text}"),
    }
    // Observers of one among several, with equal beliefs, do not exceed the lower end.
    let even = met.iter().filter(|prior| prior.windows(2).all(|pair| pair[0].1 == pair[1].1));
    let is_of_one = |prior: &&Table| {
        let members =
            prior.iter().fold(0, |all, (data, _)| all | data) & !prior.iter().fold(!0, |all, (data, _)| all & data);
        prior.len() == members.count_ones() as usize
    };
    let even: Vec<Table> = even.filter(is_of_one).cloned().collect();
    if let Some(even) = self::plain(mechanism, &even, notion) {
        match notion {
            Notion::Posterior { sign: Sign::Negative } => assert!(*high <= even, "{text} {even}"),
            _ => assert!(even <= *low, "{text} {even}"),
        }
    }
    verdict
}

#[test]
fn tables_and_counts_with_gaps_are_decided_as_their_observers_are() {
    let mut dice = Dice::new(deniable_testing::seed(78));
    let mut tally = Tally::default();
    let cases = sized(60, 500);
    let shapes: [&[u32]; 8] = [&[2], &[3], &[4], &[1, 1], &[2, 1], &[1, 1, 1], &[2, 2], &[3, 1]];
    for case in 0..cases {
        let by_counts = (case % 2 == 0).then(|| {
            let sizes = shapes[case / 2 % shapes.len()];
            let groups = sizes.iter().enumerate().map(|(at, size)| Group::new(&format!("g{at}"), *size)).collect();
            let cells = sizes.iter().map(|size| *size as usize + 1).product();
            CountMechanism::new(groups, outputs(), rows(&mut dice, cells)).unwrap()
        });
        let table = match &by_counts {
            Some(counts) => counts.expand().unwrap(),
            None => {
                let n = 1 + case / 2 % 4;
                let rows = rows(&mut dice, 1 << n);
                mechanisms::partial(n, 2, |data| rows[data as usize].clone())
            }
        };
        let ranges = ranges();
        // Three ranges for each case, all ranges in turn.
        for range in (0..3).map(|at| &ranges[(case * 3 + at) % ranges.len()]) {
            let met = observers(&mut dice, &table, range);
            assert!(met.iter().all(|prior| given(&table, prior)));
            for notion in notions() {
                let verdict = check(&table, range, &met, &notion, &mut tally);
                let Some(counts) = &by_counts else { continue };
                let value = counts::decide(counts, &notion, &Family::Bounded(range.clone())).unwrap().value;
                let text = format!("{counts:?} {range:?} {notion:?} {value:?} {:?}", verdict.value);
                assert_eq!(value.is_vacuous(), verdict.value.is_vacuous(), "{text}");
                assert_eq!((value.low(), value.high()), (verdict.value.low(), verdict.value.high()), "{text}");
            }
        }
    }
    let Tally { vacuous, decided, brackets } = tally;
    println!("{cases} cases: {vacuous} vacuous, {decided} decided, {brackets} of them by brackets");
    assert!(vacuous > cases && decided > cases && brackets > 0, "{vacuous} {decided} {brackets}");
}

/// Constant answers for `{a}`, `{b}` and `{a, c}`: no observer has beliefs from 1/10 to 2/5 in each of two people of
/// whom one is in, and a third person cannot be a candidate.
#[test]
fn a_family_without_an_observer_among_the_rows_promises_nothing() {
    let same = || Some(vec![whole(1)]);
    let mechanism = mechanisms::partial(3, 1, |data| if matches!(data, 1 | 2 | 5) { same() } else { None });
    let family = |low, high| Family::Bounded(range(low, high));
    for notion in notions() {
        let verdict = decide(&mechanism, &notion, &family((1, 10), (2, 5))).unwrap();
        assert!(verdict.value.is_vacuous() && verdict.witness.is_none(), "{notion:?} {verdict:?}");
        let proof = certificate(&mechanism, &notion, &family((1, 10), (2, 5)), &verdict).unwrap();
        assert_eq!(recheck(&proof, LIMIT).map(|report| report.upper), Ok(UpperCheck::Vacuous));
        assert!(!decide(&mechanism, &notion, &family((2, 5), (3, 5))).unwrap().value.is_vacuous());
    }
    // With the third row, each of the three may be in.
    let complete = mechanisms::partial(3, 1, |data| if data.count_ones() == 1 { same() } else { None });
    let highest = Notion::Posterior { sign: Sign::Positive };
    let verdict = decide(&complete, &highest, &family((1, 10), (2, 5))).unwrap();
    assert_eq!(verdict.value, Value::Attained(Bound::Finite(ratio(2, 5))));
}

/// Ten people of one group and one of another, who doubles an answer's probability: for an observer of one in ten, a
/// belief of 1/10 grows by 20/11.
#[test]
fn counts_of_more_than_ten_people_have_the_observers_of_one_in_m() {
    let groups = vec![Group::new("men", 10), Group::new("women", 1)];
    let yes = |counts: &[u32]| if counts[1] == 1 { ratio(1, 2) } else { ratio(1, 4) };
    let row = |counts: &[u32]| vec![whole(1) - yes(counts), yes(counts)];
    let mechanism = CountMechanism::from_fn(groups, outputs(), row).unwrap();
    let value = |family| counts::decide(&mechanism, &membership(Direction::Presence), &family).unwrap().value;
    assert_eq!(value(Family::OneOf(10)), Value::Attained(Bound::Finite(ratio(20, 11))));
    for high in [(1, 9), (1, 5), (2, 5)] {
        let found = value(Family::Bounded(range((1, 10), high)));
        assert!(*found.low() >= Bound::Finite(ratio(20, 11)), "{found:?}");
        assert_eq!(found.keeps(&ratio(6, 5)), Some(false));
    }
    // In a group of 5,000 the lower end is that of thirty people and one: the range only allows observers of one in
    // thirty.
    let far = vec![Group::new("men", 5_000), Group::new("women", 1)];
    let far = CountMechanism::from_fn(far, outputs(), row).unwrap();
    let family = Family::Bounded(range((1, 30), (1, 30)));
    let found = counts::decide(&far, &membership(Direction::Presence), &family).unwrap();
    assert_eq!(*found.value.low(), Bound::Finite(ratio(60, 31)), "{found:?}");
    // The highest belief and the largest fall are decided as well.
    let highest = counts::decide(&far, &Notion::Posterior { sign: Sign::Positive }, &family).unwrap().value;
    assert_eq!(highest, Value::Attained(Bound::Finite(ratio(2, 31))));
    let fall = counts::decide(&far, &Notion::Indistinguishable, &family).unwrap().value;
    assert!(*fall.low() >= Bound::one());
}

/// Generic differential privacy with a factor, for random relations: the worst pair of the relation is the worst of the
/// tables of two datasets (docs/how-to/check.md).
#[test]
fn any_relation_between_datasets_is_decided_pair_by_pair() {
    let mut dice = Dice::new(0x18);
    let mut stricter = 0;
    for round in 0..60 {
        // Two of three rounds are without zeros: with them, most relations have an infinite ratio.
        let least = if round % 3 == 0 { -1 } else { 1 };
        let mechanism = mechanisms::mechanism(3, 3, |_| dice.distribution(3, least, 6));
        let pairs: Vec<(Dataset, Dataset)> = (0..8).flat_map(|one| (0..one).map(move |other| (one, other))).collect();
        let related: Vec<(Dataset, Dataset)> = pairs.iter().copied().filter(|_| dice.between(0, 3) == 0).collect();
        let decided = |pair: &(Dataset, Dataset)| {
            let row = |data| (data == pair.0 || data == pair.1).then(|| mechanisms::row(&mechanism, data));
            let verdict = decide(&mechanisms::partial(3, 3, row), &Notion::FreeLunch, &Family::All).unwrap();
            verdict.value.high().clone()
        };
        let ratio = |pair: &(Dataset, Dataset)| {
            let chances =
                (0..3).map(|output| (mechanism.probability(output, pair.0), mechanism.probability(output, pair.1)));
            chances.flat_map(|(one, other)| [Bound::of(&one, &other), Bound::of(&other, &one)]).flatten().max()
        };
        let worst = related.iter().map(decided).max();
        assert_eq!(worst, related.iter().filter_map(ratio).max(), "{related:?}");
        stricter += u32::from(worst < pairs.iter().map(decided).max());
    }
    assert!(stricter > 15, "{stricter}");
}
