use super::weighted::{RatioBracket, bracket, exact};
use super::*;
use crate::decide::CheckError;
use crate::family::Family;
use crate::mechanism::file::Format;
use crate::notion::{Direction, Notion, Sign};
use crate::verdict::{Value, Verdict, Witness};
use deniable_core::adversary::PriorRange;
use deniable_core::exact::Bound;
use deniable_core::exact::Rational;
use deniable_core::exact::{power, ratio, whole};
use rand_chacha::ChaCha8Rng;
use rand_core::{Rng, SeedableRng};

mod differential;

const SIGNS: [Sign; 3] = [Sign::Positive, Sign::Negative, Sign::Both];

fn groups(sizes: &[u32]) -> Vec<Group> {
    sizes.iter().enumerate().map(|(at, size)| Group::new(&format!("g{at}"), *size)).collect()
}

/// Random rows; zeros are frequent, and with `awkward` no common denominator fits 63 bits.
fn random(random: &mut ChaCha8Rng, sizes: &[u32], outputs: usize, awkward: bool) -> CountMechanism {
    let names = (0..outputs).map(|output| format!("o{output}")).collect();
    let cells: usize = sizes.iter().map(|size| *size as usize + 1).product();
    let rows = (0..cells).map(|_| {
        let largest = if awkward { 1_000_000_007 } else { 5 };
        let mut parts: Vec<u64> = (0..outputs).map(|_| random.next_u64() % largest).collect();
        parts[0] += 1;
        if random.next_u64().is_multiple_of(4) {
            parts[outputs - 1] = 0;
        }
        let total: u64 = parts.iter().sum();
        Some(parts.into_iter().map(|part| Rational::new(part.into(), total.into())).collect())
    });
    CountMechanism::new(groups(sizes), names, rows.collect()).unwrap()
}

/// A hundred women and as many men have far too many datasets for a table.
#[test]
fn beliefs_are_decided_on_large_counts() {
    // One woman more or less has odds of 3 at 50, one man odds of 2; a woman exchanged for a man who changes no output
    // has odds of 3 too.
    let people = vec![Group::new("women", 100), Group::new("men", 100)];
    let row = |counts: &[u32]| {
        let yes = |count: u32, odds: i64| if count > 50 { ratio(odds, 12) } else { ratio(1, 12) };
        let yes = yes(counts[0], 3) * yes(counts[1], 2);
        vec![whole(1) - &yes, yes]
    };
    let mechanism = CountMechanism::from_fn(people, vec!["no".to_owned(), "yes".to_owned()], row).unwrap();
    let value = |notion, family| decide(&mechanism, &notion, &family).unwrap().value;
    let half = PriorRange::new(Some(ratio(1, 2)), Some(ratio(1, 2))).unwrap();
    let posterior = |sign| Notion::Posterior { sign };
    let attained = |top, bottom| Value::Attained(Bound::Finite(ratio(top, bottom)));
    assert_eq!(value(posterior(Sign::Positive), Family::Independent(half.clone())), attained(3, 4));
    assert_eq!(value(posterior(Sign::Positive), Family::OneOfTwo(half.clone())), attained(3, 4));
    assert_eq!(value(posterior(Sign::Positive), Family::Bounded(half)), attained(3, 4));
    let beta = |sign| Notion::AlphaBeta { least: ratio(1, 2), sign };
    assert_eq!(value(beta(Sign::Positive), Family::All), attained(1, 2));
    assert_eq!(value(beta(Sign::Negative), Family::All), attained(1, 2));
}

#[test]
fn missing_counts_and_other_notions_are_refused() {
    let rows = vec![Some(vec![whole(1)]), None, Some(vec![whole(1)])];
    let mechanism = CountMechanism::new(groups(&[2]), vec!["x".to_owned()], rows).unwrap();
    let wrong = decide(&mechanism, &Notion::Membership { sign: Sign::Both }, &Family::Uniform).unwrap_err();
    assert_eq!(wrong.to_string(), "1 datasets have no row, the first of them {g0 = 1}; this notion needs them all");
    assert_eq!(decide(&mechanism, &Notion::FreeLunch, &Family::All).unwrap().value.high(), &Bound::one());
    assert!(decide(&mechanism, &Notion::CrowdBlending { crowd: 2 }, &Family::All).is_err());
    assert_eq!(mechanism.expand().unwrap().datasets().collect::<Vec<_>>(), [0, 3]);
    let size = CountMechanism::size(groups(&[2]), &[1]).unwrap();
    for rate in [whole(0), whole(1)] {
        let certain = decide(&size, &Notion::Membership { sign: Sign::Both }, &Family::Sampled(rate)).unwrap();
        assert_eq!(certain.value.high(), &Bound::one());
    }
}

#[test]
fn built_in_steps_have_the_odds_of_their_parameter() {
    let unbounded = |mechanism: &CountMechanism| {
        decide(mechanism, &Notion::Unbounded { sign: Sign::Both }, &Family::All).unwrap().value.high().clone()
    };
    let people = || groups(&[3, 4]);
    assert_eq!(unbounded(&CountMechanism::size(people(), &[2, 5]).unwrap()), Bound::Infinite);
    let response = CountMechanism::response(people(), &[2, 5], &ratio(7, 3)).unwrap();
    assert_eq!(
        (unbounded(&response), response.outputs().join(", ")),
        (Bound::Finite(ratio(7, 3)), "below 2, 2 to 4, from 5".to_owned())
    );
    let all: Vec<u32> = (1..=7).collect();
    assert_eq!(
        unbounded(&CountMechanism::geometric(people(), &all, &ratio(7, 3)).unwrap()),
        Bound::Finite(ratio(7, 3))
    );
    // The counts do not distinguish entities, so an exchange changes no output.
    let replaced = decide(&response, &Notion::Bounded, &Family::All).unwrap();
    assert_eq!(replaced.value.high(), &Bound::one());
    assert!(CountMechanism::size(people(), &[2, 2]).is_err());
    assert!(CountMechanism::response(people(), &[2], &ratio(1, 2)).is_err());
    assert!(CountMechanism::geometric(groups(&[5000]), &[2], &whole(2)).is_err());
    assert!(CountMechanism::from_parts(people(), vec!["x".to_owned()], 2, |_, _| 1).is_err());
}

/// Interval arithmetic against exact sums, for likely and very unlikely outputs.
#[test]
fn brackets_hold_the_exact_value_and_are_narrow() {
    let narrow = power(&ratio(1, 2), 40);
    let mut source = ChaCha8Rng::seed_from_u64(deniable_testing::seed(5));
    let mut mechanisms: Vec<CountMechanism> = (0..12)
        .map(|round| random(&mut source, [&[9, 4][..], &[30], &[5, 0, 6]][round % 3], 3, round % 2 == 0))
        .collect();
    // "from 295" has a probability near 2^-249.
    mechanisms.push(CountMechanism::size(groups(&[300]), &[5, 140, 150, 160, 295]).unwrap());
    mechanisms.push(CountMechanism::geometric(groups(&[120]), &[40, 80, 119], &ratio(3, 2)).unwrap());
    for (at, mechanism) in mechanisms.iter().enumerate() {
        for direction in [Direction::Presence, Direction::Absence] {
            let exactly = exact(mechanism, direction).unwrap().ratio;
            let RatioBracket::Bracket { low, high } = bracket(mechanism, &ratio(1, 2), direction) else {
                panic!("{at}")
            };
            assert!(low.ratio <= exactly && exactly <= high, "{at}: {} {exactly} {high}", low.ratio);
            if let (Bound::Finite(low), Bound::Finite(high)) = (&low.ratio, &high) {
                assert!((high - low) / low < narrow, "{at}");
            } else {
                assert_eq!((&low.ratio, &high), (&Bound::Infinite, &Bound::Infinite), "{at}");
            }
        }
    }
}

/// Intervals for other beliefs, against explicit sums over all datasets.
#[test]
fn brackets_hold_for_any_belief() {
    let mut source = ChaCha8Rng::seed_from_u64(deniable_testing::seed(8));
    for round in 0..20 {
        let mechanism = random(&mut source, [&[2, 3][..], &[5], &[1, 1, 2]][round % 3], 3, round % 2 == 0);
        let (belief, table) = (ratio(1 + round as i64, 23), mechanism.expand().unwrap());
        for direction in [Direction::Presence, Direction::Absence] {
            let likelihood = |output: usize, entity: u32, with: u32| -> Rational {
                let others = ((1_u32 << table.size()) - 1) & !entity;
                let datasets = table.datasets().filter(|data| data & entity == 0);
                let weight = |data: u32| {
                    power(&belief, data.count_ones()) * power(&(whole(1) - &belief), (others ^ data).count_ones())
                };
                datasets.map(|data| weight(data) * table.probability(output, data | with)).sum()
            };
            let largest = (0..table.size())
                .flat_map(|t| (0..3).map(move |output| (output, 1 << t)))
                .filter_map(|(output, entity)| {
                    let (present, absent) = (likelihood(output, entity, entity), likelihood(output, entity, 0));
                    match direction {
                        Direction::Presence => Bound::of(&present, &absent),
                        Direction::Absence => Bound::of(&absent, &present),
                    }
                })
                .max()
                .unwrap();
            let RatioBracket::Bracket { low, high } = bracket(&mechanism, &belief, direction) else {
                panic!("{round}")
            };
            assert!(low.ratio <= largest && largest <= high, "{round}: {} {largest} {high}", low.ratio);
            let Witness::Counts(witness) = low.witness else { panic!("{round}") };
            let (present, absent) = &witness.probabilities;
            let claimed = if direction == Direction::Presence { (present, absent) } else { (absent, present) };
            assert_eq!(Bound::of(claimed.0, claimed.1).unwrap(), low.ratio);
        }
    }
}

#[test]
fn large_groups_get_a_bracket_and_a_witness() {
    let thresholds = [9_000, 9_900, 9_990, 10_000, 10_010, 10_100, 11_000];
    let mechanism = CountMechanism::response(groups(&[20_000]), &thresholds, &whole(3)).unwrap();
    let verdict = decide(&mechanism, &Notion::Membership { sign: Sign::Both }, &Family::Uniform).unwrap();
    let (low, high) = (verdict.value.low().clone(), verdict.value.high().clone());
    let (Bound::Finite(low), Bound::Finite(high)) = (low, high) else { panic!() };
    // One entity of 20,000 changes the ratio by more than 1/1000.
    assert!(low > whole(1) + ratio(1, 1000) && high < whole(1) + ratio(1, 100));
    assert!(&high - &low < power(&ratio(1, 2), 40));
    let Some(Witness::Counts(witness)) = verdict.witness else { panic!() };
    let sampled =
        decide(&mechanism, &Notion::Membership { sign: Sign::Positive }, &Family::Sampled(ratio(1, 2))).unwrap();
    let Value::Between { low: at_least, high: at_most, .. } = sampled.value else { panic!() };
    // The uniform prior is one of the family; B-2 at 1/2 with R = 3.
    assert!(at_least > Bound::one() && at_most == Bound::Finite(whole(2)));
    assert!(witness.line().contains("among possible {g0 = 20000}, goes from 1/2 to 0.49"), "{}", witness.line());
}

#[test]
fn files_by_counts_are_read() {
    let golden = |name: &str| {
        let path = format!("{}/../../../testdata/check/{name}", env!("CARGO_MANIFEST_DIR"));
        std::fs::read_to_string(path).unwrap()
    };
    let mechanism = read(&golden("counts.toml"), Format::Toml).unwrap();
    assert_eq!(mechanism.groups(), [Group::new("women", 1), Group::new("men", 2)]);
    assert_eq!(read(&golden("counts.csv"), Format::Csv).unwrap(), mechanism);
    assert_eq!(read(&golden("counts.json"), Format::Json).unwrap(), mechanism);
    let replaced = decide(&mechanism, &Notion::Bounded, &Family::All).unwrap();
    assert_eq!(replaced.value.high(), &Bound::Finite(whole(3)));
    let Some(Witness::Counts(witness)) = replaced.witness else { panic!() };
    assert_eq!(witness.line(), "Pr[no | {women = 0, men = 1}] / Pr[no | {women = 1, men = 0}] = 3/4 / 1/4 = 3");
}

#[test]
fn files_by_counts_are_refused_with_their_places() {
    let wrong = |source: &str, format| read(source, format).unwrap_err().to_string();
    let toml = |rest: &str| format!("groups = {{ women = 2 }}\n[[dataset]]\n{rest}\n");
    let refused = |rest: &str| wrong(&toml(rest), Format::Toml);
    assert_eq!(
        refused("counts = { woman = 1 }\nprobabilities = { a = 1 }"),
        "line 3: group `woman` is not among those declared; did you mean `women`?"
    );
    assert_eq!(
        refused("counts = {}\nprobabilities = { a = 1 }"),
        "line 3: the count of group `women` is missing; write 0 for no members"
    );
    assert_eq!(
        refused("counts = { women = 3 }\nprobabilities = { a = 1 }"),
        "line 3: group `women` has 2 entities, not 3"
    );
    assert!(refused("counts = { women = 0.5 }\nprobabilities = { a = 1 }").contains("a whole number from 0"));
    assert!(
        refused("counts = { women = 1 }\nprobabilities = { a = 0.9 }")
            .starts_with("line 4: the probabilities of dataset {women = 1} sum to 9/10, which is 1/10 short of 1")
    );
    let csv = |rest: &str| wrong(&format!("women,output,probability\n{rest}"), Format::Csv);
    assert_eq!(
        csv("1,a,1\n1,a,0\n"),
        "line 3: duplicate probability of output `a` at {women = 1}, first given at line 2"
    );
    assert_eq!(csv("1,a,-1\n"), "line 2: the probability of output `a` at {women = 1} is -1, below 0");
    assert!(csv("-1,a,1\n").contains("a whole number from 0"));
    assert!(wrong("output,probability\na,1\n", Format::Csv).contains("columns of counts are missing"));
    let large = wrong("a,b,output,probability\n100000,100000,x,1\n", Format::Csv);
    assert!(large.contains("at most 536870912 combinations"), "{large}");
}
