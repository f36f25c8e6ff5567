//! `translate` against `check`, on random mechanisms, in both directions.
//!
//! For each mechanism `check` computes the tight parameter of every notion. That is a statement which the mechanism
//! satisfies, and it is translated to every other notion: implied statements must hold for the mechanism; if a value of
//! the other notion is enough, every mechanism with that value must satisfy the statement; and if nothing follows, a
//! case must have been built that satisfies the statement and breaks the target, which is verified again here.
//!
//! The questions to `check` are words of its command line, written here independently of the tested code.

use super::world::random;
use deniable_check::Bound;
use deniable_check::decide::{CheckError, decide};
use deniable_check::mechanism::{Dataset, Mechanism};
use deniable_check::notion::Notion as CheckNotion;
use deniable_check::protocol::simulate::Sides;
use deniable_check::protocol::{Party, Protocol, Row};
use deniable_check::verdict::Value as Verdict;
use deniable_check::words;
use deniable_core::adversary::PriorRange;
use deniable_core::budget::Spend;
use deniable_core::exact::{Rational, whole};
use deniable_testing::sized;
use deniable_translate::bounds::Value;
use deniable_translate::compose;
use deniable_translate::notion::Notion;
use deniable_translate::parse::{statement, target};
use deniable_translate::refuted::{BuiltInstances, Instance, RefutationOutcome, decided};
use deniable_translate::statement::{Statement, StatementParameter, Target};
use deniable_translate::translation::{Direction, Translation, translate};
use std::collections::BTreeMap;

/// A target, and its question to `check`: notion, family, range of priors.
const ASKED: [(&str, &str, &str, &str); 49] = [
    ("odds", "dp", "all", ""),
    ("positive-odds", "positive-dp", "all", ""),
    ("negative-odds", "negative-dp", "all", ""),
    ("bounded-odds", "bounded-dp", "all", ""),
    ("free-lunch", "free-lunch", "all", ""),
    ("gain", "pmp", "independent", ""),
    ("gain@1/5..1/2", "pmp", "independent", "1/5..1/2"),
    ("negative-gain@1/5..1/2", "nmp", "independent", "1/5..1/2"),
    ("membership@1/5..4/5", "membership", "independent", "1/5..4/5"),
    ("membership@1/3..3/4", "membership", "independent", "1/3..3/4"),
    ("posterior-at-most@..1/2", "posterior", "independent", "..1/2"),
    ("posterior-at-least@1/4..", "floor", "independent", "1/4.."),
    ("gain@replace-one", "pmp", "bounded", ""),
    ("gain@replace-one@1/5..4/5", "pmp", "bounded", "1/5..4/5"),
    ("gain@replace-one@1/10..2/5", "pmp", "bounded", "1/10..2/5"),
    ("gain@replace-one@1/5..2/5", "pmp", "bounded", "1/5..2/5"),
    ("gain@replace-one@1/10..1/2", "pmp", "bounded", "1/10..1/2"),
    ("negative-gain@replace-one@1/2..9/10", "nmp", "bounded", "1/2..9/10"),
    ("posterior-at-most@replace-one@1/10..2/5", "posterior", "bounded", "1/10..2/5"),
    ("posterior-at-most@replace-one@1/10..2/3", "posterior", "bounded", "1/10..2/3"),
    ("posterior-at-least@replace-one@1/4..3/4", "floor", "bounded", "1/4..3/4"),
    ("rho:2", "rho:2", "all", ""),
    ("rho:3", "rho:3", "all", ""),
    ("alpha-beta:1/4", "alpha:1/4", "all", "beta:1/4"),
    ("alpha-beta", "alpha:0", "all", "beta:0"),
    ("sampling:1/3", "sampling:1/3", "all", ""),
    ("sampling:3/4", "sampling:3/4", "all", ""),
    ("positive-sampling:1/3", "positive-sampling:1/3", "all", ""),
    ("sampled-gain:1/3", "pmp", "sampled:1/3", ""),
    ("group-privacy:2", "membership", "groups:2", ""),
    ("uniform-gain", "pmp", "uniform", ""),
    ("indistinguishable", "indistinguishable", "independent", ""),
    ("indistinguishable@1/5..1/2", "indistinguishable", "independent", "1/5..1/2"),
    ("indistinguishable@replace-one@1/5..4/5", "indistinguishable", "bounded", "1/5..4/5"),
    ("indistinguishable@replace-one@1/10..2/5", "indistinguishable", "bounded", "1/10..2/5"),
    ("zero-knowledge:0", "zero-knowledge:0", "all", ""),
    ("zero-knowledge:1", "zero-knowledge:1", "all", ""),
    ("zero-knowledge-rows:0", "zero-knowledge-rows:0", "all", ""),
    ("zero-knowledge-rows:1", "zero-knowledge-rows:1", "all", ""),
    ("zero-knowledge-rows:2", "zero-knowledge-rows:2", "all", ""),
    ("crowd-blending:2", "crowd-blending:2", "all", ""),
    ("crowd-blending:3", "crowd-blending:3", "all", ""),
    ("induced-neighbours:size", "bounded-dp", "all", ""),
    ("induced-neighbours:2", "allowed", "0 3", ""),
    ("induced-exchange:none", "allowed-moves", "", ""),
    ("induced-exchange:size", "bounded-dp", "all", ""),
    ("induced-exchange:2", "allowed-moves", "0 3", ""),
    ("semi-honest", "view", "one", ""),
    ("semi-honest-both", "view", "both", ""),
];

/// The protocol in which a party sees the answer to the other's input.
fn protocol(mechanism: &Mechanism) -> Protocol {
    let inputs: Vec<String> = (0..1_u32 << mechanism.size()).map(|input| input.to_string()).collect();
    let mut rows = Vec::new();
    for y in 0..inputs.len() {
        for (output, name) in mechanism.outputs().iter().enumerate() {
            let probability = mechanism.probability(output, Dataset::try_from(y).unwrap());
            let (view, output) = (name.clone(), "none".to_owned());
            rows.push(Row { party: Party::First, x: 0, y, view, output, probability });
        }
        let nothing = || "none".to_owned();
        rows.push(Row { party: Party::Second, x: 0, y, view: nothing(), output: nothing(), probability: whole(1) });
    }
    Protocol::new([vec!["none".to_owned()], inputs], rows).unwrap()
}

fn verdict(mechanism: &Mechanism, notion: &CheckNotion, family: &str, range: &str) -> Option<Verdict> {
    let range = (!range.is_empty()).then(|| range.parse::<PriorRange>().unwrap());
    let family = words::family(family, range.as_ref()).unwrap();
    match decide(mechanism, notion, &family) {
        Ok(verdict) => Some(verdict.value),
        Err(CheckError::NoPrior { .. }) => None,
        Err(error) => panic!("{error}"),
    }
}

/// The result of `check`: one value, or α and β; empty without an observer.
fn found(mechanism: &Mechanism, (_, notion, family, range): (&str, &str, &str, &str)) -> Vec<Verdict> {
    let values = match notion {
        "view" => {
            let sides = if family == "both" { Sides::Two } else { Sides::One };
            vec![protocol(mechanism).simulate(Party::First, sides).map(|found| found.value)]
        }
        "allowed" => {
            let allowed = family.split(' ').map(|data| data.parse().unwrap()).collect();
            vec![verdict(mechanism, &CheckNotion::Induced { allowed }, "all", "")]
        }
        "allowed-moves" => {
            let all = || (0..1 << mechanism.size()).collect();
            let some = || family.split(' ').map(|data| data.parse().unwrap()).collect();
            let allowed = if family.is_empty() { all() } else { some() };
            vec![verdict(mechanism, &CheckNotion::InducedExchange { allowed }, "all", "")]
        }
        _ if range.starts_with("beta") => {
            [notion, range].map(|notion| verdict(mechanism, &words::notion(notion).unwrap(), family, "")).into()
        }
        _ => vec![verdict(mechanism, &words::notion(notion).unwrap(), family, range)],
    };
    let all: Option<Vec<Verdict>> = values.into_iter().collect();
    all.filter(|all| all.iter().all(|value| !value.is_vacuous())).unwrap_or_default()
}

/// The statement that a mechanism of these values certainly satisfies; `None` if it promises nothing.
fn kept(target: &Target, values: &[Verdict]) -> Option<Statement> {
    let certain = |value: &Verdict| {
        let end = if target.notion == Notion::Floor { value.low() } else { value.high() };
        end.finite().cloned()
    };
    let value = match values {
        [alpha, beta] => StatementParameter::Pair(certain(alpha)?, certain(beta)?),
        [value] if target.notion.is_odds() => StatementParameter::Odds(Spend::odds(certain(value)?).ok()?),
        [value] => StatementParameter::Number(certain(value)?),
        _ => return None,
    };
    Some(Statement { target: target.clone(), value })
}

/// By value: whether the mechanism can satisfy the implied statement, that is, does not certainly exceed it.
fn may_keep(target: &Target, values: &[Verdict], said: &[(Rational, Rational)]) -> bool {
    let each = values.iter().zip(said);
    if target.notion == Notion::Floor {
        return each.into_iter().all(|(value, said)| value.high().finite().is_none_or(|high| *high >= said.0));
    }
    each.into_iter().all(|(value, said)| value.low().finite().is_some_and(|low| *low <= said.1))
}

/// By value: whether the mechanism certainly satisfies the statement.
fn must_keep(target: &Target, values: &[Verdict], said: &[(Rational, Rational)]) -> bool {
    let each = values.iter().zip(said);
    if target.notion == Notion::Floor {
        return each.into_iter().all(|(value, said)| value.low().finite().is_none_or(|low| *low >= said.1));
    }
    each.into_iter().all(|(value, said)| value.high().finite().is_some_and(|high| *high <= said.0))
}

fn ends(value: &Value) -> Vec<(Rational, Rational)> {
    match value {
        Value::Odds(odds) | Value::Epsilon(odds) => vec![odds.ends()],
        Value::Number(number) => vec![(number.low.clone(), number.high.clone())],
        Value::Pair(alpha, beta) => [alpha, beta].map(|number| (number.low.clone(), number.high.clone())).into(),
    }
}

fn stated(statement: &Statement) -> Vec<(Rational, Rational)> {
    match &statement.value {
        StatementParameter::Odds(odds) => vec![(odds.odds_at_least(), odds.odds_at_most())],
        StatementParameter::Number(number) => vec![(number.clone(), number.clone())],
        StatementParameter::Pair(alpha, beta) => [alpha, beta].map(|number| (number.clone(), number.clone())).into(),
    }
}

#[derive(Default, Debug)]
struct Counts {
    followed: usize,
    enough: usize,
    denied: usize,
    undecided: usize,
    unknown: usize,
}

/// Verifies a built case: the statement holds for it, and the target does not.
fn asked_again(
    line: &Translation,
    from: &Statement,
    to: &Target,
    ask: &dyn Fn(&Instance, &Target, bool) -> Vec<Verdict>,
) {
    let RefutationOutcome::Refuted(built) = decided(line.counterexample.unwrap(), from, to) else {
        panic!("{from} -> {to}")
    };
    let keeps = |instance: &Instance| {
        let values = ask(instance, &from.target, true);
        assert!(must_keep(&from.target, &values, &stated(from)), "{from} -> {to}: {values:?} of {instance:?}");
    };
    match built {
        BuiltInstances::One(instance) => {
            keeps(&instance);
            let nothing = match to.notion {
                Notion::Ceiling | Notion::Rho { .. } | Notion::AlphaBeta { .. } => Bound::one(),
                Notion::Floor => Bound::Finite(whole(0)),
                _ => Bound::Infinite,
            };
            let broken = ask(&instance, to, false);
            assert!(*broken[0].low() == nothing && *broken[0].high() == nothing, "{from} -> {to}: {broken:?}");
        }
        BuiltInstances::Growing(instances) => {
            instances.iter().for_each(keeps);
            let values: Vec<Bound> =
                instances.iter().map(|instance| ask(instance, to, false)[0].low().clone()).collect();
            assert!(values.len() == 3 && values.windows(2).all(|pair| pair[0] < pair[1]), "{from} -> {to}: {values:?}");
        }
    }
}

/// The question of a target for a built case; a target may be without facts.
fn ask(instance: &Instance, to: &Target, is_statement: bool) -> Vec<Verdict> {
    let name = to.to_string();
    let asked = ASKED.into_iter().find(|asked| target(asked.0, &PriorRange::any()).unwrap() == *to).unwrap();
    match (&instance.mechanism, &instance.protocol) {
        (_, Some(protocol)) if name.starts_with("semi-honest") => {
            let sides = if name.ends_with("both") { Sides::Two } else { Sides::One };
            vec![protocol.simulate(Party::First, sides).unwrap().value]
        }
        (Some(mechanism), _) if name == "induced-neighbours:2" && !is_statement => found(mechanism, ASKED[0]),
        (Some(mechanism), _) if name == "induced-exchange:2" && !is_statement => {
            found(mechanism, ("", "allowed-moves", "", ""))
        }
        (Some(mechanism), _) => found(mechanism, asked),
        _ => panic!("{name}"),
    }
}

#[test]
fn translate_and_check_agree() {
    let targets = ASKED.map(|asked| target(asked.0, &PriorRange::any()).unwrap());
    let (of_two, of_three, denied_on) = sized((1, 1, 1), (40, 24, 8));
    // Every third pair of notions at small scale.
    let every = sized(3, 1);
    let mut mechanisms = random(3, 2, 0, of_three, 81);
    mechanisms.extend(random(3, 3, 3, of_three, 82));
    mechanisms.extend(random(2, 2, 2, of_two, 83));
    mechanisms.extend(random(2, 3, 0, of_two, 84));
    let known: Vec<Vec<Vec<Verdict>>> =
        mechanisms.iter().map(|mechanism| ASKED.map(|asked| found(mechanism, asked)).into()).collect();
    let mut counts = Counts::default();
    let mut each: BTreeMap<(String, String), usize> = BTreeMap::new();
    for (number, own) in known.iter().enumerate() {
        for (i, from) in targets.iter().enumerate() {
            let Some(statement) = kept(from, &own[i]) else { continue };
            for (j, to) in targets.iter().enumerate() {
                // The value may be impossible to promise, such as a belief that no prior has risen to.
                let Ok(lines) = translate(&statement, to) else { continue };
                for line in lines.iter().filter(|line| !line.partial) {
                    let said = line.value.as_ref().map(ends).unwrap_or_default();
                    match line.direction {
                        Direction::Implies | Direction::Equivalent => {
                            assert!(may_keep(to, &own[j], &said), "{statement} -> {line:?}: {:?}", own[j]);
                            counts.followed += usize::from(!own[j].is_empty());
                            *each.entry((from.to_string(), to.to_string())).or_default() += 1;
                        }
                        Direction::NoImplication if !line.decided => counts.undecided += 1,
                        Direction::NoImplication
                            if number % (mechanisms.len() / denied_on) == 0 && (i + j) % every == 0 =>
                        {
                            asked_again(line, &statement, to, &ask);
                            counts.denied += 1;
                        }
                        Direction::NotKnown => counts.unknown += 1,
                        _ => {}
                    }
                    if matches!(line.direction, Direction::ImpliedBy | Direction::Equivalent) && number % 4 == 0 {
                        // Mechanisms within the sufficient value satisfy the statement.
                        let own = stated(&statement);
                        for other in &known {
                            if !other[j].is_empty() && must_keep(to, &other[j], &said) {
                                assert!(may_keep(from, &other[i], &own), "{line:?}: {:?}", other[i]);
                                counts.enough += 1;
                            }
                        }
                    }
                }
            }
        }
    }
    let (followed, enough, denied, of) = sized((1_200, 200, 130, 300), (35_000, 300_000, 5_000, 400));
    let all = counts.followed >= followed && counts.enough >= enough && counts.denied >= denied && each.len() >= of;
    assert!(all, "{counts:?} over {} pairs of notions", each.len());
    // Nearly every case is small enough to be built.
    assert!(counts.undecided * 20 < counts.denied * every * (mechanisms.len() / denied_on), "{counts:?}");
}

/// The answers of two mechanisms about the same people.
fn both(one: &Mechanism, other: &Mechanism) -> Mechanism {
    let second = other.outputs().len();
    let names: Vec<String> = (0..one.outputs().len() * second).map(|output| format!("o{output}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let probability = |data: Dataset, output: usize| {
        one.probability(output / second, data) * other.probability(output % second, data)
    };
    Mechanism::from_fn(one.size(), &names, probability).unwrap()
}

/// The composition of two releases holds for the two mechanisms' answers together (C-1).
#[test]
fn compositions_and_check_agree() {
    let targets = ASKED.map(|asked| target(asked.0, &PriorRange::any()).unwrap());
    let composed = (0..targets.len()).filter(|at| {
        let kept =
            Statement { target: targets[*at].clone(), value: StatementParameter::Odds(Spend::odds(whole(2)).unwrap()) };
        targets[*at].notion.is_odds() && compose::compose(&[kept]).is_ok()
    });
    let composed: Vec<usize> = composed.collect();
    // Two of one notion, or of any two.
    let is_full = sized(false, true);
    let mechanisms = random(2, 2, 0, sized(2, 6), 85);
    let all = |mechanism: &Mechanism| -> Vec<Vec<Verdict>> { ASKED.map(|asked| found(mechanism, asked)).into() };
    let mut followed: BTreeMap<String, usize> = BTreeMap::new();
    for pair in mechanisms.chunks(2) {
        let [one, other] = [&pair[0], &pair[1]].map(all);
        let together = all(&both(&pair[0], &pair[1]));
        let two = composed.iter().flat_map(|i| composed.iter().map(move |j| (*i, *j)));
        for (i, j) in two.filter(|(i, j)| i == j || (i < j && is_full)) {
            let (Some(first), Some(second)) = (kept(&targets[i], &one[i]), kept(&targets[j], &other[j])) else {
                continue;
            };
            for to in &composed {
                let (to, own) = (&targets[*to], &together[*to]);
                let Ok(lines) = compose::translate(&[first.clone(), second.clone()], to) else { continue };
                let follows =
                    |line: &&Translation| matches!(line.direction, Direction::Implies | Direction::Equivalent);
                for line in lines.iter().filter(|line| !line.partial).filter(follows) {
                    let said = line.value.as_ref().map(ends).unwrap_or_default();
                    assert!(may_keep(to, own, &said), "{first} and {second} -> {line:?}: {own:?}");
                    *followed.entry(targets[i].to_string()).or_default() += 1;
                }
            }
        }
    }
    let simulated = followed.iter().filter(|(from, _)| from.starts_with("zero-knowledge")).count();
    assert!(followed.len() > 10 && simulated == 5, "{followed:?}");
}

/// The notions about tables, on random tables: the two-sided one implies the other, and no other notion is implied or
/// implies them.
#[test]
fn tables_agree() {
    use deniable_check::bop::{Background, Block};
    use deniable_core::exact::ratio;
    let mut dice = super::world::Dice::new(91);
    let two = target("bayes-optimal-two-sided", &PriorRange::any()).unwrap();
    let one = target("bayes-optimal", &PriorRange::any()).unwrap();
    let mut useful = 0;
    for _ in 0..sized(200, 2_000) {
        let weights: Vec<i64> = (0..4).map(|_| 1 + dice.below(6)).collect();
        let sum: i64 = weights.iter().sum();
        let joint = weights.chunks(2).map(|row| row.iter().map(|w| ratio(*w, sum)).collect()).collect();
        let known = Background::new(&["q", "r"], &["s", "t"], joint).unwrap();
        let counts = (0..2).map(|_| u64::try_from(1 + dice.below(3)).unwrap()).collect();
        let block = Block { public: vec![0, 1], counts };
        let (mut fall, mut rise) = (whole(1), whole(1));
        for public in 0..2 {
            let (before, after) = (known.prior(public).unwrap(), known.posterior(&block, public).unwrap());
            for (before, after) in before.iter().zip(&after) {
                fall = fall.max(before / after);
                rise = rise.max(after / before);
            }
        }
        let Ok(odds) = Spend::odds(fall.clone().max(rise)) else { continue };
        let statement = Statement { target: two.clone(), value: StatementParameter::Odds(odds) };
        let line = translate(&statement, &one).unwrap().swap_remove(0);
        assert!(
            line.direction == Direction::Implies
                && Bound::Finite(fall) <= Bound::Finite(ends(&line.value.unwrap())[0].1.clone())
        );
        useful += 1;
    }
    assert!(useful > 100);
    for text in ["bayes-optimal=2", "bayes-optimal-two-sided=2"] {
        let from = statement(text, &PriorRange::any()).unwrap();
        for to in ASKED.iter().map(|asked| target(asked.0, &PriorRange::any()).unwrap()) {
            let line = translate(&from, &to).unwrap().swap_remove(0);
            assert_eq!((line.direction, line.decided), (Direction::NoImplication, true), "{from} -> {to}");
        }
    }
}
