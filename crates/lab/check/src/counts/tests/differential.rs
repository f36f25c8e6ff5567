//! Tables by counts against their expansion: equal results for every notion that both decide.

use super::*;
use crate::decide::decide as decide_table;
use crate::notion::{FixedParameter, Reading};
use deniable_core::adversary::Adjacency;
use deniable_testing::{sized, sized_to_slow};

fn range(low: Rational, high: Rational) -> PriorRange {
    PriorRange::new(Some(low), Some(high)).unwrap()
}

/// Ranges with their mirror image, without it, and of one belief.
fn ranges() -> [PriorRange; 6] {
    [
        PriorRange::any(),
        range(ratio(1, 10), ratio(1, 2)),
        range(ratio(1, 4), ratio(2, 3)),
        range(ratio(1, 5), ratio(4, 5)),
        range(ratio(1, 10), ratio(2, 5)),
        range(ratio(1, 2), ratio(1, 2)),
    ]
}

/// One range for all entities, another for every other group, and one of a single belief.
fn boxes(sizes: &[u32]) -> Vec<Family> {
    let of_groups = |ranges: [PriorRange; 2]| {
        let each = sizes.iter().zip(ranges.iter().cycle());
        Family::Box(each.flat_map(|(size, range)| vec![range.clone(); *size as usize]).collect())
    };
    let [any, low, wide, mirrored, under, half] = ranges();
    vec![
        of_groups([low, wide]),
        of_groups([mirrored, any]),
        of_groups([half.clone(), half]),
        of_groups([under.clone(), under]),
    ]
}

fn notions(sizes: &[u32]) -> Vec<(Notion, Family)> {
    let mut families = vec![Family::All, Family::Uniform, Family::Sampled(ratio(1, 3)), Family::Sampled(ratio(1, 2))];
    families.extend([Family::OneOf(2), Family::OneOf(3), Family::OneOfRest(2), Family::OneOfRest(3)]);
    families.extend(boxes(sizes));
    for range in ranges() {
        families.extend([
            Family::Independent(range.clone()),
            Family::TwoDatasets(range.clone()),
            Family::Bounded(range.clone()),
            Family::OneOfTwo(range),
        ]);
    }
    let mut all = vec![(Notion::Bounded, Family::All), (Notion::FreeLunch, Family::All)];
    for adjacency in [Adjacency::AddRemove, Adjacency::ReplaceOne] {
        let given = [whole(1), ratio(3, 2), whole(4)].map(FixedParameter::Odds).into_iter();
        let given = given.chain([whole(0), ratio(1, 10), ratio(1, 2)].map(FixedParameter::Delta));
        all.extend(given.map(|given| (Notion::Approximate { adjacency, given }, Family::All)));
        for reading in [Reading::Event, Reading::Output] {
            all.push((Notion::ButFor { adjacency, odds: ratio(5, 4), reading }, Family::All));
        }
    }
    all.extend([2, 3, 4].map(|among| (Notion::Rho { among }, Family::All)));
    for sign in SIGNS {
        all.push((Notion::Unbounded { sign }, Family::All));
        all.push((Notion::Sampling { rate: ratio(2, 5), sign }, Family::All));
        all.extend(families.iter().map(|family| (Notion::Membership { sign }, family.clone())));
    }
    for sign in [Sign::Positive, Sign::Negative] {
        all.extend([whole(0), ratio(1, 4), ratio(1, 2)].map(|least| (Notion::AlphaBeta { least, sign }, Family::All)));
        all.extend(families.iter().map(|family| (Notion::Posterior { sign }, family.clone())));
        for (least, most) in [(whole(0), ratio(1, 3)), (ratio(1, 10), ratio(1, 2)), (ratio(1, 4), whole(1))] {
            for removed in [false, true] {
                let (least, most) = (least.clone(), most.clone());
                all.push((Notion::Worlds { least, most, removed, sign }, Family::All));
            }
        }
    }
    all.extend(families.iter().map(|family| (Notion::Indistinguishable, family.clone())));
    all
}

/// Leaves out some of the rows, but not all.
fn with_gaps(source: &mut ChaCha8Rng, mechanism: &CountMechanism) -> CountMechanism {
    let keep = source.next_u64() as usize % mechanism.cells();
    let row = |cell: usize| (0..mechanism.outputs().len()).map(|output| mechanism.probability(output, cell)).collect();
    let rows: Vec<Option<Vec<Rational>>> = (0..mechanism.cells())
        .map(|cell| (cell == keep || !source.next_u64().is_multiple_of(3)).then(|| row(cell)))
        .collect();
    CountMechanism::new(mechanism.groups().to_vec(), mechanism.outputs().to_vec(), rows).unwrap()
}

/// Every notion, against the table of all datasets: the same value, the same bracket, and the same error.
#[test]
fn counts_decide_as_all_datasets_do() {
    let mut source = ChaCha8Rng::seed_from_u64(deniable_testing::seed(11));
    let shapes: [&[u32]; 12] =
        [&[1], &[4], &[2, 2], &[1, 3], &[3, 0, 2], &[1, 1, 1], &[6], &[2, 1], &[3], &[5, 1], &[3, 3], &[7]];
    let (mut compared, mut exact, mut refused, mut vacuous) = (0, 0, 0, 0);
    let rounds = sized_to_slow(20, 120, 2_000);
    for (round, sizes) in shapes.iter().cycle().take(rounds).enumerate() {
        let mut mechanism = random(&mut source, sizes, 2 + round % 3, round % 5 == 4);
        if round % 4 == 3 {
            mechanism = with_gaps(&mut source, &mechanism);
        }
        let table = mechanism.expand().unwrap();
        let allowed = table.datasets().collect();
        let induced = decide_table(&table, &Notion::Induced { allowed }, &Family::All).unwrap().value;
        let context = format!("round {round} {sizes:?}");
        let given = Notion::Induced { allowed: vec![] };
        assert_eq!(decide(&mechanism, &given, &Family::All).unwrap().value, induced, "{context} induced");
        for (notion, family) in notions(sizes) {
            let context = format!("{context} {notion:?} {family:?}");
            let (expected, found) = match (decide_table(&table, &notion, &family), decide(&mechanism, &notion, &family))
            {
                // Both reject an empty family in the same words; for missing rows, the counts name counts.
                (Err(expected), Err(found)) => {
                    let same = match (&expected, &found) {
                        (CheckError::Missing { .. }, CheckError::Missing { .. }) => true,
                        (expected, found) => expected == found,
                    };
                    assert!(same, "{context}: {expected} {found}");
                    refused += 1;
                    continue;
                }
                (expected, found) => (expected.expect(&context), found.expect(&context)),
            };
            assert_eq!(found.value.is_vacuous(), expected.value.is_vacuous(), "{context}");
            let ends = (found.value.low(), found.value.high());
            assert_eq!(ends, (expected.value.low(), expected.value.high()), "{context}");
            check_witness(&mechanism, &found, &notion, &context);
            compared += 1;
            exact += usize::from(ends.0 == ends.1);
            vacuous += usize::from(found.value.is_vacuous());
        }
    }
    let counts = format!("{rounds} rounds: {compared} compared, {exact} exact, {refused} refused, {vacuous} vacuous");
    assert!(compared > rounds * 60 && exact > compared / 10 * 9 && refused > rounds && vacuous > rounds, "{counts}");
}

/// Groups of up to nine, large enough for candidates, binomial weights and gaps to vary: sums and candidates agree with
/// the enumeration of all 1,024 datasets.
#[test]
fn larger_groups_decide_as_all_datasets_do() {
    let mut source = ChaCha8Rng::seed_from_u64(deniable_testing::seed(13));
    let shapes: [&[u32]; 4] = [&[9], &[8, 2], &[5, 5], &[6, 3, 1]];
    let mut compared = 0;
    for (round, sizes) in shapes.iter().cycle().take(sized(4, 40)).enumerate() {
        let mut mechanism = random(&mut source, sizes, 2, false);
        if round % 4 == 1 {
            mechanism = with_gaps(&mut source, &mechanism);
        }
        let table = mechanism.expand().unwrap();
        let mut asked: Vec<(Notion, Family)> = [3, 5, 7].map(|among| (Notion::Rho { among }, Family::All)).to_vec();
        for sign in [Sign::Positive, Sign::Negative] {
            let families = [Family::OneOf(4), Family::OneOf(6), Family::OneOfRest(5), Family::Uniform];
            let families = families.into_iter().chain([Family::Sampled(ratio(1, 3))]);
            asked.extend(families.map(|family| (Notion::Membership { sign }, family)));
            asked.push((Notion::Sampling { rate: ratio(2, 5), sign }, Family::All));
            let (least, most) = (ratio(1, 7), ratio(1, 4));
            asked.push((Notion::Worlds { least, most, removed: round % 2 == 1, sign }, Family::All));
        }
        for (notion, family) in asked {
            let context = format!("round {round} {sizes:?} {notion:?} {family:?}");
            match (decide_table(&table, &notion, &family), decide(&mechanism, &notion, &family)) {
                (Ok(expected), Ok(found)) => {
                    let ends = (found.value.low(), found.value.high());
                    assert_eq!(ends, (expected.value.low(), expected.value.high()), "{context}");
                    assert_eq!(found.value.is_vacuous(), expected.value.is_vacuous(), "{context}");
                    compared += 1;
                }
                (Err(CheckError::Missing { .. }), Err(CheckError::Missing { .. })) => {}
                (expected, found) => panic!("{context}: {expected:?} {found:?}"),
            }
        }
    }
    assert!(compared > 50, "{compared}");
}

/// The witness's arithmetic gives the value, and its numbers are the mechanism's.
fn check_witness(mechanism: &CountMechanism, verdict: &Verdict, notion: &Notion, context: &str) {
    let Some(Witness::Counts(witness)) = &verdict.witness else {
        let told = matches!(
            notion,
            Notion::Posterior { .. }
                | Notion::AlphaBeta { .. }
                | Notion::Approximate { .. }
                | Notion::ButFor { .. }
                | Notion::Indistinguishable
        );
        let nothing = verdict.value.is_vacuous() || *verdict.value.high() == Bound::one();
        assert!(told || nothing, "{context}");
        return;
    };
    let (first, second) = &witness.probabilities;
    // An event has several outputs.
    let output = mechanism.outputs().iter().position(|name| *name == witness.output).unwrap_or(usize::MAX);
    match &witness.place {
        CountPlace::Event { outputs, partly, more, less } => {
            let chance = |counts: &[u32]| -> Rational {
                let at = |output: usize| mechanism.probability(output, mechanism.cell(counts));
                let part = partly.iter().map(|(output, part)| at(*output) * part);
                outputs.iter().map(|output| at(*output)).chain(part).sum()
            };
            assert_eq!((first, second), (&chance(more), &chance(less)), "{context}");
            let value = match notion {
                Notion::Approximate { given: FixedParameter::Odds(odds), .. } => Bound::Finite(first - odds * second),
                Notion::Approximate { given: FixedParameter::Delta(delta), .. } => {
                    Bound::of(&(first - delta), second).unwrap()
                }
                Notion::ButFor { .. } => Bound::Finite(first.clone()),
                _ => panic!("{context}"),
            };
            assert_eq!(*verdict.value.low(), value, "{context}");
        }
        CountPlace::OneOf { certain, candidates, group } => {
            let with = |group: usize| {
                let mut counts = certain.clone();
                counts[group] += 1;
                mechanism.probability(output, mechanism.cell(&counts))
            };
            let others = |at: usize| candidates[at] - u32::from(at == *group);
            let among: u32 = candidates.iter().sum();
            let sum: Rational =
                (0..candidates.len()).filter(|at| others(*at) > 0).map(|at| with(at) * whole(others(at))).sum();
            assert_eq!((first, second), (&with(*group), &(sum / whole(among - 1))), "{context}");
            for (at, count) in candidates.iter().enumerate() {
                assert!(certain[at] + count <= mechanism.groups()[at].size, "{context}");
            }
            if let Notion::Rho { among } = notion {
                let highest = first / (first + second * whole(among - 1));
                assert_eq!(*verdict.value.high(), Bound::Finite(highest), "{context}");
            }
        }
        CountPlace::Several { certain, candidates, one_is_in } => {
            let size = |at: usize| candidates.iter().filter(|(group, _)| *group == at).count() as u32;
            for (at, count) in certain.iter().enumerate() {
                assert!(count + size(at) <= mechanism.groups()[at].size, "{context}");
            }
            let total: Rational = candidates.iter().map(|(_, belief)| belief).sum();
            let expected = if *one_is_in { 1 } else { candidates.len() - 1 };
            assert_eq!(total, whole(expected), "{context}");
            // The world in which this candidate is in, or out, and its weight.
            let world = |group: usize, belief: &Rational| {
                let mut counts = certain.clone();
                if *one_is_in {
                    counts[group] += 1;
                } else {
                    (0..counts.len()).for_each(|at| counts[at] += size(at));
                    counts[group] -= 1;
                }
                let share = if *one_is_in { belief.clone() } else { whole(1) - belief };
                (share, mechanism.probability(output, mechanism.cell(&counts)))
            };
            let worlds: Vec<_> = candidates.iter().map(|(group, belief)| world(*group, belief)).collect();
            let rest: Rational = worlds[1..].iter().map(|(share, chance)| share * chance).sum();
            let rest = rest / (whole(1) - &worlds[0].0);
            let alone = worlds[0].1.clone();
            let (present, absent) = if *one_is_in { (alone, rest) } else { (rest, alone) };
            assert_eq!((first, second), (&present, &absent), "{context}");
        }
        CountPlace::Ends { ends, upper, group, .. } => {
            let table = mechanism.expand().unwrap();
            let mut beliefs = Vec::new();
            let mut entity = 0;
            for (at, each) in mechanism.groups().iter().enumerate() {
                // The measured entity is the last of its group.
                let (low, high) = &ends[at];
                beliefs
                    .extend((0..each.size).map(|member| if member < upper[at] { high.clone() } else { low.clone() }));
                if at == *group {
                    entity = beliefs.len() - 1;
                }
            }
            let chance = |own: Rational| -> Rational {
                let mut beliefs = beliefs.clone();
                beliefs[entity] = own;
                let prior = crate::family::Prior::Independent(beliefs).table();
                prior.into_iter().map(|(data, weight)| weight * table.probability(output, data)).sum()
            };
            assert_eq!((first, second), (&chance(whole(1)), &chance(whole(0))), "{context}");
        }
        CountPlace::Datasets { more, less } => {
            if !matches!(notion, Notion::Sampling { .. }) {
                assert_eq!(*first, mechanism.probability(output, mechanism.cell(more)), "{context}");
                assert_eq!(*second, mechanism.probability(output, mechanism.cell(less)), "{context}");
            }
            let is_odds = !matches!(
                notion,
                Notion::Membership { .. }
                    | Notion::Posterior { .. }
                    | Notion::AlphaBeta { .. }
                    | Notion::Indistinguishable
            );
            if is_odds {
                assert_eq!(verdict.value.high(), &Bound::of(first, second).unwrap().max(Bound::one()), "{context}");
            }
        }
        CountPlace::Prior { possible, belief, group } => {
            // `Pr[o | t]` and `Pr[o | ¬t]` by enumeration of all entities that may be in.
            let table = mechanism.expand().unwrap();
            let starts: Vec<u32> = mechanism.groups().iter().map(|group| group.size).collect();
            let first_of = |group: usize| starts[..group].iter().sum::<u32>();
            let maybe: u32 = (0..starts.len())
                .map(|at| ((1 << possible[at]) - 1) << first_of(at))
                .fold(0, |all, bits: u32| all | bits);
            let entity = 1 << first_of(*group);
            assert!(maybe & entity != 0, "{context}");
            let chance = |with: u32| -> Rational {
                let others = maybe & !entity;
                let datasets = table.datasets().filter(|data| data & !others == 0);
                let weight = |data: u32| {
                    power(belief, data.count_ones()) * power(&(whole(1) - belief), (others ^ data).count_ones())
                };
                datasets.map(|data| weight(data) * table.probability(output, data | with)).sum()
            };
            assert_eq!((first, second), (&chance(entity), &chance(0)), "{context}");
        }
    }
}
