//! Certificates of decisions pass the rechecker, and a file with any one digit altered does not.

use super::common::dice::Dice;
use deniable_check::certificate::certificate;
use deniable_check::decide::decide;
use deniable_check::family::{Family, Prior};
use deniable_check::mechanism::Mechanism;
use deniable_check::notion::{FixedParameter, Notion, Reading, Sign};
use deniable_check::verdict::{Value, Verdict, Witness};
use deniable_core::adversary::{Adjacency, PriorRange};
use deniable_core::exact::{Bound, Rational, ratio, whole};
use deniable_recheck::format::{self, Certificate, Value as ClaimedValue, Witness as Form};
use deniable_recheck::{LIMIT, Report, UpperCheck, recheck};
use deniable_testing::sized;

const SIGNS: [Sign; 3] = [Sign::Positive, Sign::Negative, Sign::Both];

/// A random table whose probabilities are multiples of 1/`of`, some of them zero.
fn random(entities: usize, outputs: usize, of: i64, zeros: bool, seed: u64) -> Mechanism {
    let mut dice = Dice::new(deniable_testing::seed(seed));
    let row = |_| {
        let mut parts: Vec<i64> = (1..outputs).map(|_| dice.between(1, of / outputs as i64)).collect();
        for part in &mut parts {
            if zeros && dice.below(5) == 0 {
                *part = 0;
            }
        }
        parts.push(of - parts.iter().sum::<i64>());
        Some(parts.into_iter().map(|part| ratio(part, of)).collect())
    };
    let rows: Vec<Option<Vec<Rational>>> = (0..1_u32 << entities).map(row).collect();
    let names = ["ann", "bob", "cy", "dee", "eve"];
    let outputs = ["red", "green", "blue", "grey"][..outputs].iter().map(|name| (*name).to_owned()).collect();
    Mechanism::partial(names[..entities].iter().map(|name| (*name).to_owned()).collect(), outputs, rows).unwrap()
}

fn questions(n: usize) -> Vec<(Notion, Family)> {
    let range = |low, high| PriorRange::new(low, high).unwrap();
    let ranges = [
        PriorRange::any(),
        range(Some(ratio(1, 4)), Some(ratio(2, 3))),
        range(None, Some(ratio(1, 3))),
        range(Some(ratio(1, 5)), None),
        range(Some(ratio(2, 5)), Some(ratio(2, 5))),
    ];
    let table = |seed: i64| {
        let weights: Vec<i64> = (0..1_i64 << n).map(|data| (data * 7 + seed) % 5).collect();
        let sum: i64 = weights.iter().sum();
        Prior::Table(weights.iter().enumerate().map(|(data, weight)| (data as u32, ratio(*weight, sum))).collect())
    };
    let mut families = vec![
        Family::All,
        Family::Uniform,
        Family::OneOf(2),
        Family::OneOf(3),
        Family::OneOfRest(2),
        Family::OneOfRest(3),
        Family::Groups(1),
    ];
    families.extend([Family::Groups(2), Family::Sampled(ratio(1, 3)), Family::Explicit(vec![table(1)])]);
    families.push(Family::Explicit(vec![table(1), table(3)]));
    families.push(Family::Box((0..n).map(|t| ranges[1 + t % 4].clone()).collect()));
    families.push(Family::Box(vec![PriorRange::any(); n]));
    for range in ranges {
        families.push(Family::Independent(range.clone()));
        families.push(Family::TwoDatasets(range.clone()));
        families.push(Family::Bounded(range.clone()));
        families.push(Family::OneOfTwo(range));
    }
    let mut all = Vec::new();
    for sign in SIGNS {
        all.extend(families.iter().map(|family| (Notion::Membership { sign }, family.clone())));
        all.push((Notion::Unbounded { sign }, Family::All));
        all.push((Notion::Sampling { rate: ratio(1, 3), sign }, Family::All));
        if sign != Sign::Both {
            all.extend(families.iter().map(|family| (Notion::Posterior { sign }, family.clone())));
            for least in [whole(0), ratio(1, 10), ratio(1, 2)] {
                all.push((Notion::AlphaBeta { least, sign }, Family::All));
            }
        }
    }
    for adjacency in [Adjacency::AddRemove, Adjacency::ReplaceOne] {
        for given in [
            FixedParameter::Odds(whole(1)),
            FixedParameter::Odds(ratio(3, 2)),
            FixedParameter::Delta(whole(0)),
            FixedParameter::Delta(ratio(1, 10)),
        ] {
            all.push((Notion::Approximate { adjacency, given }, Family::All));
        }
    }
    let others = [
        Notion::Bounded,
        Notion::FreeLunch,
        Notion::Rho { among: 2 },
        Notion::Rho { among: 3 },
        Notion::CrowdBlending { crowd: 1 },
        Notion::CrowdBlending { crowd: 2 },
        Notion::CrowdBlending { crowd: 3 },
        Notion::Induced { allowed: vec![0, 3, 5, 7] },
        Notion::ZeroKnowledge { rows: 0 },
        Notion::ZeroKnowledge { rows: 1 },
        Notion::ZeroKnowledge { rows: 2 },
    ];
    all.extend(others.map(|notion| (notion, Family::All)));
    all
}

#[test]
fn decisions_pass() {
    let (mut passed, mut empty) = (0, 0);
    for seed in 0..6 {
        let mechanism = random(3, 3, if seed < 4 { 60 } else { 7_919 * 104_729 }, seed % 2 == 0, seed);
        for (notion, family) in questions(3) {
            let verdict = decide(&mechanism, &notion, &family).unwrap();
            let text = certificate(&mechanism, &notion, &family, &verdict).unwrap();
            assert_eq!(text, certificate(&mechanism, &notion, &family, &verdict).unwrap());
            let report = recheck(&text, LIMIT);
            // The rechecker verifies that a family is empty, such as one of two with beliefs up to 1/3 each.
            let nobody = verdict.value.is_vacuous();
            empty += usize::from(nobody);
            let full = Ok(Report { upper: if nobody { UpperCheck::Vacuous } else { UpperCheck::Holds } });
            assert!(report == full, "{notion:?} {family:?} {verdict:?}: {report:?}\n{text}");
            passed += 1;
        }
    }
    // The number of empty families depends only on the ranges.
    assert!(passed >= 1_026 && empty == 90, "{passed} passed, {empty} families are empty");
}

/// The value of a notion; its certificate must pass.
fn certified(mechanism: &Mechanism, notion: &Notion) -> Value {
    let verdict = decide(mechanism, notion, &Family::All).unwrap();
    let text = certificate(mechanism, notion, &Family::All, &verdict).unwrap();
    let upper = if verdict.value.is_vacuous() { UpperCheck::Vacuous } else { UpperCheck::Holds };
    assert_eq!(recheck(&text, LIMIT), Ok(Report { upper }), "{notion:?} {verdict:?}\n{text}");
    verdict.value
}

/// Events, crowds and simulators over more shapes of tables, including deterministic answers.
#[test]
fn events_crowds_and_simulators_pass() {
    for seed in 0..24 {
        let (n, outputs) = (1 + seed as usize % 4, 2 + seed as usize % 3);
        let mechanism = random(n, outputs, 12 + 48 * (seed as i64 % 2), seed % 4 < 2, 100 + seed);
        let mut notions: Vec<Notion> = (1..=n + 1).map(|crowd| Notion::CrowdBlending { crowd }).collect();
        notions.extend((0..=n.min(2)).map(|rows| Notion::ZeroKnowledge { rows }));
        for adjacency in [Adjacency::AddRemove, Adjacency::ReplaceOne] {
            let given = [
                FixedParameter::Odds(ratio(5, 4)),
                FixedParameter::Delta(ratio(1, 20)),
                FixedParameter::Delta(ratio(1, 2)),
            ];
            notions.extend(given.map(|given| Notion::Approximate { adjacency, given }));
            for (odds, reading) in
                [(ratio(5, 4), Reading::Event), (whole(3), Reading::Event), (ratio(3, 2), Reading::Output)]
            {
                notions.push(Notion::ButFor { adjacency, odds, reading });
            }
        }
        for notion in notions {
            certified(&mechanism, &notion);
        }
    }
}

/// A mechanism over one entity: the probabilities of two answers without it, and with it.
fn of_one_entity(without: [Rational; 2], with: [Rational; 2]) -> Mechanism {
    let outputs = ["red", "green"].map(ToOwned::to_owned).to_vec();
    Mechanism::partial(vec!["ann".to_owned()], outputs, vec![Some(without.to_vec()), Some(with.to_vec())]).unwrap()
}

/// The answer is the membership: no crowd, no simulator, and no event with finite odds.
#[test]
fn infinite_values_pass() {
    let mechanism = of_one_entity([whole(1), whole(0)], [whole(0), whole(1)]);
    let at_delta = Notion::Approximate { adjacency: Adjacency::AddRemove, given: FixedParameter::Delta(ratio(1, 2)) };
    for notion in [Notion::CrowdBlending { crowd: 2 }, Notion::ZeroKnowledge { rows: 0 }, at_delta] {
        assert_eq!(certified(&mechanism, &notion), Value::Attained(Bound::Infinite), "{notion:?}");
    }
}

/// The rare answer has probability 1/100 or 2/100, so the best simulator gives it √2/100, within a factor √2 of both.
#[test]
fn brackets_of_irrational_values_pass() {
    let mechanism = of_one_entity([ratio(1, 100), ratio(99, 100)], [ratio(2, 100), ratio(98, 100)]);
    let value = certified(&mechanism, &Notion::ZeroKnowledge { rows: 0 });
    let (low, high) = (value.low().finite().unwrap(), value.high().finite().unwrap());
    assert!(low * low < whole(2) && high * high > whole(2) && high - low < ratio(1, 1_000_000), "{value:?}");
}

/// Every text with one digit replaced; at small scale every fifth of them, so that each position has one or two of its
/// nine replacements.
fn altered(text: &str) -> impl Iterator<Item = String> + '_ {
    let digits = text.bytes().enumerate().filter(|(_, byte)| byte.is_ascii_digit());
    let every = digits.flat_map(move |(at, byte)| {
        (b'0'..=b'9').filter(move |other| *other != byte).map(move |other| {
            let mut bytes = text.as_bytes().to_vec();
            bytes[at] = other;
            String::from_utf8(bytes).unwrap()
        })
    });
    every.step_by(sized(5, 1))
}

#[test]
fn a_file_with_one_digit_altered_is_refused() {
    let mechanism = random(3, 3, 60, false, 8);
    let mut tried = 0;
    for (notion, family) in questions(3) {
        let Ok(verdict) = decide(&mechanism, &notion, &family) else { continue };
        let text = certificate(&mechanism, &notion, &family, &verdict).unwrap();
        for wrong in altered(&text) {
            assert!(recheck(&wrong, 0).is_err(), "{notion:?} {family:?}\n{text}\n{wrong}");
            tried += 1;
        }
    }
    assert!(tried > sized(2_000, 10_000), "{tried}");
}

/// Altered digits with a recomputed checksum: the mathematics alone rejects the file, or its new content is also true.
/// The latter cases are listed: an end of a range on which the value does not depend, as in B-3's max(b, 1−aγ).
#[test]
fn a_forged_digit_is_refused_by_arithmetic() {
    let mechanism = random(2, 3, 60, false, 8);
    let (mut refused, mut other_truths) = (0, Vec::new());
    for (notion, family) in questions(2) {
        if matches!(notion, Notion::Induced { .. }) {
            continue;
        }
        let Ok(verdict) = decide(&mechanism, &notion, &family) else { continue };
        let text = certificate(&mechanism, &notion, &family, &verdict).unwrap();
        for wrong in altered(&text) {
            let Ok(parsed) = serde_json::from_str::<Certificate>(&wrong) else {
                refused += 1;
                continue;
            };
            let original: Certificate = serde_json::from_str(&text).unwrap();
            // The checksum is recomputed; theorems are only names and prove nothing.
            if parsed.checksum != original.checksum || parsed.theorems != original.theorems {
                continue;
            }
            let forged = parsed.clone().seal().unwrap();
            match recheck(&forged, LIMIT) {
                Err(_) => refused += 1,
                Ok(_) => {
                    if !is_weaker(&original, &parsed) && !is_nearer_or_farther(&original, &parsed) {
                        let same = (&parsed.mechanism, &parsed.value) == (&original.mechanism, &original.value);
                        let other = parsed.family != original.family || parsed.notion != original.notion;
                        assert!(same && other, "{text}\n{wrong}");
                    }
                    other_truths.push(wrong);
                }
            }
        }
    }
    assert!(
        refused > sized(1_000, 5_000) && other_truths.len() * 20 < refused,
        "{refused} refused, {} true",
        other_truths.len()
    );
}

/// Another bracket that shares a point with the original one, or other weights of a simulation that prove the same
/// bracket. A narrower bracket of an irrational value may also be true: the rechecker decides that exactly.
fn is_weaker(original: &Certificate, parsed: &Certificate) -> bool {
    let mut mended = parsed.clone();
    mended.value = original.value.clone();
    if let Some(Form::Simulation { weights: of, .. }) = &mut mended.witness
        && let Some(Form::Simulation { weights: from, .. }) = &original.witness
        && from.len() == of.len()
    {
        of.clone_from(from);
    }
    let meets = match (&original.value, &parsed.value) {
        (ClaimedValue::Between { low, high, .. }, ClaimedValue::Between { low: lower, high: higher, .. }) => {
            lower <= high && low <= higher
        }
        (original, parsed) => original == parsed,
    };
    meets && mended == *original
}

/// A value that observers approach has witnesses at any belief of the family: the belief is not part of the claim.
fn is_nearer_or_farther(original: &Certificate, parsed: &Certificate) -> bool {
    let mut mended = parsed.clone();
    let (Some(Form::Prior { prior: of, entity, .. }), Some(Form::Prior { prior: from, .. })) =
        (&mut mended.witness, &original.witness)
    else {
        return false;
    };
    let own = parsed.mechanism.entities.iter().position(|name| name == entity);
    if let (format::Prior::Independent(of), format::Prior::Independent(from), Some(own)) = (of, from, own) {
        of[own] = from[own].clone();
    }
    matches!(original.value, ClaimedValue::Approached(_)) && mended == *original
}

/// The weights of a simulation, altered or not, prove a bound in the rechecker exactly when they do in the decider.
#[test]
fn rechecker_and_decider_agree_on_weights() {
    let (mut proved, mut failed) = (0, 0);
    for seed in 0..6 {
        let mechanism = random(3, 2, 60, false, seed);
        let notion = Notion::ZeroKnowledge { rows: 1 };
        let verdict = decide(&mechanism, &notion, &Family::All).unwrap();
        let Some(Witness::Simulation(simulation)) = verdict.witness.clone() else { panic!("{verdict:?}") };
        let factors = [ratio(0, 1), ratio(9, 10), ratio(1_000_001, 1_000_000), ratio(10, 9), ratio(3, 1)];
        for (at, factor) in (0..simulation.weights.len()).flat_map(|at| factors.iter().map(move |factor| (at, factor)))
        {
            let mut altered = simulation.clone();
            altered.weights[at].above *= factor;
            altered.weights[at].below *= factor;
            let right = altered.lower(&mechanism) >= *verdict.value.low();
            let witness = Some(Witness::Simulation(altered));
            let text = certificate(&mechanism, &notion, &Family::All, &Verdict { witness, ..verdict.clone() }).unwrap();
            assert_eq!(recheck(&text, LIMIT).is_ok(), right, "{text}");
            *if right { &mut proved } else { &mut failed } += 1;
        }
    }
    println!("weights: {proved} proved, {failed} failed");
    assert!(failed > 50, "{proved} {failed}");
}

#[test]
fn large_enumerations_are_named() {
    let mechanism = random(4, 2, 60, false, 3);
    let notion = Notion::Membership { sign: Sign::Positive };
    let verdict = decide(&mechanism, &notion, &Family::Groups(2)).unwrap();
    let text = certificate(&mechanism, &notion, &Family::Groups(2), &verdict).unwrap();
    assert_eq!(
        recheck(&text, 100).unwrap().to_string(),
        "witness: right\nupper bound: not re-checked: that would take about 1 seconds\n"
    );
}

/// Floats select candidates that are compared exactly: the results equal those of plain enumeration, ties included.
#[test]
fn tables_without_a_common_denominator_are_decided_exactly() {
    // Nearly equal rows for even seeds, very different ones for odd seeds.
    for seed in 0..sized(2, 4) {
        let mut dice = Dice::new(seed);
        let rows = (0..1_u32 << 6).map(|data| {
            let of = (1_i64 << 40) + 2 * i64::from(data) + 1;
            // Half of the rows differ by less than the precision of floats.
            let part = if data % 2 == 0 {
                of / 3
            } else {
                of / 3 + dice.between(0, 2) + (seed as i64 % 2) * dice.between(0, of / 3 - 1)
            };
            Some(vec![ratio(part, of), ratio(of - part, of)])
        });
        let names = (1..=6).map(|name| format!("e{name}")).collect();
        let mechanism = Mechanism::partial(names, vec!["yes".to_owned(), "no".to_owned()], rows.collect()).unwrap();
        for sign in SIGNS {
            for (notion, family) in [
                (Notion::Unbounded { sign }, Family::All),
                (Notion::Sampling { rate: ratio(1, 3), sign }, Family::All),
                (Notion::Membership { sign }, Family::Uniform),
                (Notion::Membership { sign }, Family::Sampled(ratio(1, 3))),
            ] {
                let verdict = decide(&mechanism, &notion, &family).unwrap();
                let text = certificate(&mechanism, &notion, &family, &verdict).unwrap();
                let full = Ok(Report { upper: UpperCheck::Holds });
                assert_eq!(recheck(&text, LIMIT), full, "{notion:?} {family:?}");
            }
        }
    }
}

/// Sums over many denominators have as many digits as all of them together, so their running time is estimated first.
#[test]
fn large_sums_are_not_begun() {
    let rows = (0..1_u32 << 10).map(|data| {
        let of = 1_000_000_007_i64 + 2 * i64::from(data);
        Some(vec![ratio(of / 3, of), ratio(of - of / 3, of)])
    });
    let names = (1..=10).map(|name| format!("e{name}")).collect();
    let mechanism = Mechanism::partial(names, vec!["yes".to_owned(), "no".to_owned()], rows.collect()).unwrap();
    let notion = Notion::Membership { sign: Sign::Positive };
    let family = Family::Sampled(ratio(1, 3));
    let verdict = decide(&mechanism, &notion, &family).unwrap();
    let text = certificate(&mechanism, &notion, &family, &verdict).unwrap();
    assert!(matches!(recheck(&text, LIMIT), Ok(Report { upper: UpperCheck::TooMany(_) })));
}

/// Sums that earlier versions recomputed for each subset.
#[test]
fn uniform_sums_of_many_entities_are_rechecked() {
    let given = [("entities", "14"), ("k", "3")].map(|(name, value)| (name.to_owned(), value.to_owned()));
    let mechanism = deniable_check::mechanism::builtin::build("kmax", &given.into_iter().collect()).unwrap();
    let notion = Notion::Membership { sign: Sign::Positive };
    let verdict = decide(&mechanism, &notion, &Family::Uniform).unwrap();
    let text = certificate(&mechanism, &notion, &Family::Uniform, &verdict).unwrap();
    assert_eq!(recheck(&text, LIMIT), Ok(Report { upper: UpperCheck::Holds }));
}

/// Constraints on eight people and boxes of ten: the search for datasets between two others starts near them, and the
/// ends of beliefs are computed entity by entity.
#[test]
fn constraints_of_eight_people_and_boxes_of_ten_are_rechecked() {
    let built = |name: &str, given: &[(&str, &str)]| {
        let given = given.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        deniable_check::mechanism::builtin::build(name, &given).unwrap()
    };
    let eight = built("kmax", &[("entities", "8"), ("k", "2")]);
    let allowed: Vec<u32> = eight.datasets().collect();
    let sparse: Vec<u32> = eight.datasets().filter(|data| data % 3 != 1).collect();
    for allowed in [allowed, sparse] {
        for notion in
            [Notion::Induced { allowed: allowed.clone() }, Notion::InducedExchange { allowed: allowed.clone() }]
        {
            let mut verdict = decide(&eight, &notion, &Family::All).unwrap();
            let text = certificate(&eight, &notion, &Family::All, &verdict).unwrap();
            assert_eq!(recheck(&text, LIMIT), Ok(Report { upper: UpperCheck::Holds }));
            // `recheck` compares the pairs and rejects a claim below the value.
            verdict.value = deniable_check::verdict::Value::Attained(deniable_check::Bound::one());
            let text = certificate(&eight, &notion, &Family::All, &verdict).unwrap();
            assert!(recheck(&text, LIMIT).is_err());
        }
    }
    let ten = built("kmax", &[("entities", "10"), ("k", "3")]);
    let range = PriorRange::new(Some(ratio(1, 5)), Some(ratio(4, 5))).unwrap();
    let family = Family::Box(vec![range; 10]);
    for sign in [Sign::Positive, Sign::Negative] {
        let notion = Notion::Membership { sign };
        let verdict = decide(&ten, &notion, &family).unwrap();
        let text = certificate(&ten, &notion, &family, &verdict).unwrap();
        assert_eq!(recheck(&text, LIMIT), Ok(Report { upper: UpperCheck::Holds }));
    }
}
