//! Bounds that follow from statements but for a chance, against the exact values of finite mechanisms.

use super::world::Dice;
use deniable_core::adversary::PriorRange;
use deniable_core::exact::{Rational, parse_rational, power, ratio, whole};
use deniable_core::loss::Chance;
use deniable_translate::chance::{Releases, TooLarge, follows, is_about_a_chance, parse};
use deniable_translate::render::Row;
use num_traits::{One, Signed, ToPrimitive, Zero};

/// The chances of each output with the person, and without.
type Pair = Vec<(Rational, Rational)>;

fn rows(statements: &[&str], chance: &Rational) -> Vec<Row> {
    let all: Vec<Releases> = statements.iter().map(|text| parse(text).unwrap()).collect();
    follows(&all, &Chance::new(chance.clone()).unwrap(), &PriorRange::any()).unwrap()
}

/// The decimal of the row of this notion, which is rounded up; `None` where nothing follows.
fn bound(rows: &[Row], notion: &str) -> Option<Rational> {
    let row = rows.iter().find(|row| row.notion.split(['@', '=']).next() == Some(notion)).unwrap();
    parse_rational(&row.decimal).ok()
}

/// `Σ max(0, P − R·Q)`.
fn hockey_stick(pair: &Pair, odds: &Rational) -> Rational {
    pair.iter().map(|(with, without)| with - odds * without).filter(|gap| gap.is_positive()).sum()
}

/// The largest chance of an event of odds above `R`, decided by a coin at its border.
fn beta(pair: &Pair, odds: &Rational) -> Rational {
    if pair.iter().all(|(with, without)| *with <= odds * without) {
        return Rational::zero();
    }
    let mut sorted = pair.clone();
    sorted.sort_by(|one, other| (&other.0 * &one.1).cmp(&(&one.0 * &other.1)));
    let (mut taken, mut surplus) = (Rational::zero(), Rational::zero());
    for (with, without) in sorted {
        let gain = &with - odds * without;
        if (&surplus + &gain).is_negative() {
            return taken + with * (surplus / -gain);
        }
        surplus += gain;
        taken += with;
    }
    taken
}

fn exchanged(pair: &Pair) -> Pair {
    pair.iter().map(|(with, without)| (without.clone(), with.clone())).collect()
}

fn product(one: &Pair, other: &Pair) -> Pair {
    one.iter().flat_map(|(p, q)| other.iter().map(move |(r, s)| (p * r, q * s))).collect()
}

/// The least mechanism of (ε,δ): it proves the truth with chance δ, and gives a coin of odds `R` otherwise.
fn worst(odds: &Rational, delta: &Rational) -> Pair {
    let (rest, all) = (whole(1) - delta, whole(1) + odds);
    let (more, less) = (&rest * odds / &all, &rest / &all);
    vec![
        (delta.clone(), Rational::zero()),
        (more.clone(), less.clone()),
        (less, more),
        (Rational::zero(), delta.clone()),
    ]
}

fn random_pair(dice: &mut Dice) -> Pair {
    let mut side = || {
        let parts: Vec<i64> = (0..4).map(|_| dice.below(30) + 1).collect();
        let sum = parts.iter().sum();
        parts.into_iter().map(move |part| ratio(part, sum)).collect::<Vec<_>>()
    };
    let (with, without) = (side(), side());
    with.into_iter().zip(without).collect()
}

/// All bounds that follow are at least what the pair has, in both directions.
fn keeps(pair: &Pair, rows: &[Row], chance: &Rational) {
    for pair in [pair.clone(), exchanged(pair)] {
        if let Some(odds) = bound(rows, "odds,chance") {
            // Rounded up, so that these odds are exceeded with at most the chance.
            assert!(beta(&pair, &odds) <= *chance, "{rows:?}");
        }
        assert!(hockey_stick(&pair, &whole(1)) <= bound(rows, "advantage").unwrap(), "{rows:?}");
        if let Some(epsilon) = bound(rows, "epsilon,delta") {
            let odds = deniable_core::exact::Enclosure::of(&epsilon, 128).exp().high();
            assert!(hockey_stick(&pair, &odds) <= *chance, "{rows:?}");
        }
    }
}

/// The worst mechanism of (ε,δ) attains what follows from (ε,δ), except between two answers.
#[test]
fn epsilon_and_delta_imply_what_their_worst_mechanism_attains() {
    for (odds, delta, chance) in [(3, 1000, 100), (2, 50, 10), (9, 7, 2)] {
        let (odds, delta, chance) = (whole(odds), ratio(1, delta), ratio(1, chance));
        let pair = worst(&odds, &delta);
        let text = format!("odds={odds},delta={delta}");
        let rows = rows(&[&text], &chance);
        keeps(&pair, &rows, &chance);
        let advantage = (&odds - whole(1) + whole(2) * &delta) / (&odds + whole(1));
        assert_eq!(hockey_stick(&pair, &whole(1)), advantage, "the exact advantage");
        let shown = rows.iter().find(|row| row.notion == "advantage").unwrap();
        assert_eq!(parse_rational(&shown.value), Ok(advantage), "{shown:?}");
        // At this chance the slack rule is an equality for the curve that the statement allows.
        let slack = bound(&rows, "odds,chance").unwrap();
        assert!(slack >= &odds * &chance / (&chance - &delta));
        assert!(slack < &odds * &chance / (&chance - &delta) + ratio(1, 100_000));
    }
    let nothing = rows(&["odds=3,delta=1/1000"], &ratio(1, 10_000));
    assert!(bound(&nothing, "odds,chance").is_none() && bound(&nothing, "epsilon,delta").is_none());
    assert!(bound(&nothing, "odds").is_none() && bound(&nothing, "zcdp").is_none());
}

/// Random pairs keep the statements that are true of them, and so must keep all that follows.
#[test]
fn random_mechanisms_keep_what_follows() {
    let mut dice = Dice::new(48);
    for _ in 0..300 {
        let pair = random_pair(&mut dice);
        let largest = pair.iter().flat_map(|(p, q)| [p / q, q / p]).max().unwrap();
        if largest.is_one() {
            continue;
        }
        let odds = ratio(dice.below(50) + 11, 10);
        let chance = ratio(1, dice.below(58) + 3);
        let both = |f: &dyn Fn(&Pair) -> Rational| f(&pair).max(f(&exchanged(&pair)));
        let tail = |pair: &Pair| pair.iter().filter(|(p, q)| *p > &odds * q).map(|(p, _)| p).sum::<Rational>();
        // D_α ≤ α·ρ, from floats, and a little more.
        let renyi = |pair: &Pair, alpha: f64| {
            let sum: f64 =
                pair.iter().map(|(p, q)| p.to_f64().unwrap().powf(alpha) * q.to_f64().unwrap().powf(1.0 - alpha)).sum();
            sum.ln() / (alpha - 1.0) / alpha
        };
        let rho = (1..200)
            .map(|step| 1.0 + f64::from(step * step) / 800.0)
            .map(|alpha| renyi(&pair, alpha).max(renyi(&exchanged(&pair), alpha)));
        let rho = rho.fold(0.0, f64::max) * 1.01 + 1e-6;
        let mut statements = vec![format!("odds={largest}"), format!("zcdp={}", Rational::from_float(rho).unwrap())];
        for (kind, value) in [
            ("delta", both(&|pair| hockey_stick(pair, &odds))),
            ("tail", both(&tail)),
            ("chance", both(&|pair| beta(pair, &odds))),
        ] {
            if value.is_positive() && value < whole(1) {
                statements.push(format!("odds={odds},{kind}={value}"));
            }
        }
        for text in &statements {
            keeps(&pair, &rows(&[text], &chance), &chance);
            let twice = format!("2x{text}");
            keeps(&product(&pair, &pair), &rows(&[&twice], &chance), &chance);
        }
        let all: Vec<&str> = statements.iter().take(2).map(String::as_str).collect();
        keeps(&product(&pair, &pair), &rows(&all, &chance), &chance);
    }
}

/// A hundred answers of odds 3 in all: 1.7145 but for one in a million, from the walk; 1.7923 from the filter.
#[test]
fn pure_releases_are_walked_and_others_filtered() {
    let chance = ratio(1, 1_000_000);
    let walked = rows(&["100xodds=3^(1/100)"], &chance);
    let row = walked.iter().find(|row| row.notion.starts_with("odds,chance")).unwrap();
    assert!(row.decimal.starts_with("1.714") && row.theorems == ["C-11", "B-7"], "{row:?}");
    let rho = (3_f64.ln() / 100.0).powi(2) / 2.0 * 100.0;
    let filtered = rows(&[&format!("zcdp={}", Rational::from_float(rho).unwrap())], &chance);
    let row = filtered.iter().find(|row| row.notion.starts_with("odds,chance")).unwrap();
    assert!(row.decimal.starts_with("1.792") && row.theorems == ["C-12", "B-7"], "{row:?}");
    assert!(filtered[0].note.contains("nothing holds surely") && walked[0].decimal == "3", "{walked:?}");
}

/// μ-Gaussian is zCDP of μ²/2; what is enough for odds but for a chance gives these odds again.
#[test]
fn sufficient_bounds_imply_the_statement() {
    assert_eq!(bound(&rows(&["gaussian=1"], &ratio(1, 100)), "zcdp"), Some(ratio(1, 2)));
    let stated = rows(&["odds=3,chance=1/1000"], &ratio(1, 1000));
    assert_eq!(bound(&stated, "odds,chance"), Some(whole(3)));
    let enough: Vec<&Row> = stated.iter().filter(|row| row.direction == "implied by").collect();
    assert_eq!(enough.len(), 3);
    for row in &enough[1..] {
        let back = rows(&[&format!("{}={}", row.notion, row.decimal)], &ratio(1, 1000));
        let odds = bound(&back, "odds,chance").unwrap();
        assert!(odds <= whole(3) && odds > ratio(299, 100), "{row:?}: {odds}");
    }
}

/// Where normal distributions would take long to compute, the bounds of ρ remain.
#[test]
fn extreme_chances_and_distances_have_other_bounds() {
    let tiny = format!("odds=3,chance=1/1{}", "0".repeat(600));
    let enough = rows(&[&tiny], &ratio(1, 2));
    assert!(bound(&enough, "gaussian").is_some(), "{enough:?}");
    let near = rows(&[&format!("gaussian=1/1{}", "0".repeat(30))], &ratio(1, 1_000_000));
    assert!(bound(&near, "odds,chance").unwrap() < ratio(10_001, 10_000));
    let (least, most) = (whole(1) / power(&whole(2), 512), whole(1) - whole(1) / power(&whole(2), 512));
    for chance in [least, most] {
        assert!(bound(&rows(&["gaussian=1"], &chance), "odds,chance").is_some());
    }
}

#[test]
fn statements_are_read_and_printed() {
    for (text, printed) in [
        ("zcdp=0.5", "zcdp=1/2"),
        ("100xepsilon=ln(3),delta=1e-6", "100xepsilon=ln(3),delta=1/1000000"),
        ("odds=3, tail=1/100", "odds=3,tail=1/100"),
        ("odds=3,chance=1/100", "odds=3,chance=1/100"),
        ("gaussian=2", "gaussian=2"),
    ] {
        let read = parse(text).unwrap();
        assert!(read.to_string() == printed && is_about_a_chance(text), "{text}: {read}");
        assert_eq!(parse(printed), Ok(read));
    }
    assert!(!is_about_a_chance("odds=3") && !is_about_a_chance("sampling=1/10,epsilon=1"));
    for (text, said) in [
        ("zcdp", "a value is missing"),
        ("zcdp=0", "not above 0"),
        ("zcdp=1,delta=1/2", "one value is expected"),
        ("gain=2,delta=1/2", "neither odds nor epsilon"),
        ("odds=3,delta=2", "not between 0 and 1"),
        ("odds=3,dleta=1/2", "not a chance"),
        ("0xodds=3", "not a number of releases"),
        ("odds=1/2,delta=1/2", "`odds=1/2,delta=1/2`"),
    ] {
        let error = parse(text).unwrap_err().to_string();
        assert!(error.contains(said), "{text}: {error}");
    }
    // The largest that is computed.
    let rows = rows(&["gaussian=14"], &ratio(1, 1_000_000));
    assert_eq!(bound(&rows, "zcdp"), Some(whole(98)));
    let large = [parse("1000000xzcdp=1").unwrap()];
    let chance = Chance::new(ratio(1, 2)).unwrap();
    assert_eq!(follows(&large, &chance, &PriorRange::any()), Err(TooLarge));
}
