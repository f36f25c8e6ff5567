//! Every printed statement and target parses to the same statement and target.

use super::denied::{STATEMENTS, TARGETS};
use super::world::Dice;
use deniable_core::adversary::PriorRange;
use deniable_core::budget::Spend;
use deniable_core::exact::{Rational, ratio};
use deniable_testing::sized;
use deniable_translate::compose::{ComposeTranslateError, compose, translate as composed};
use deniable_translate::notion::Notion;
use deniable_translate::parse::{statement, target};
use deniable_translate::render::Row;
use deniable_translate::statement::{Statement, StatementParameter};
use deniable_translate::translation::{Translation, translate};
use std::collections::BTreeSet;

/// Whether two statements are equal; odds are compared as numbers, however they are factored.
fn same(one: &Statement, other: &Statement) -> bool {
    let equal = match (&one.value, &other.value) {
        (StatementParameter::Odds(one), StatementParameter::Odds(other)) => {
            match (one.exact_odds(), other.exact_odds()) {
                (Some(one), Some(other)) => one == other,
                _ => one == other,
            }
        }
        (one, other) => one == other,
    };
    equal && one.target == other.target
}

/// Parses the text, and prints it again.
fn typed(printed: &Statement, seen: &mut BTreeSet<String>) {
    let text = printed.to_string();
    let read = statement(&text, &PriorRange::any()).unwrap_or_else(|error| panic!("{error}"));
    assert!(same(&read, printed), "{text}: {read:?} is not {printed:?}");
    assert_eq!(read.to_string(), text);
    seen.insert(text);
}

fn rows(lines: &[Translation], seen: &mut BTreeSet<String>) {
    for line in lines {
        let row = Row::new(line);
        typed(&line.from, seen);
        assert_eq!(target(&row.notion, &PriorRange::any()).as_ref(), Ok(&line.to), "{}", row.notion);
        if let Some(said) = line.statement() {
            typed(&said, seen);
            assert_eq!(row.statement, Some(said.to_string()));
            let is_pair = matches!(said.value, StatementParameter::Pair(..));
            assert!(is_pair || row.statement.unwrap().contains(&format!("={}", row.value)), "{}", row.value);
        }
    }
}

/// Odds of several kinds: fractions, powers of them, powers of e, and products.
fn odds(dice: &mut Dice) -> Spend {
    let fraction = |dice: &mut Dice| ratio(101 + dice.below(900), 100);
    let share = |dice: &mut Dice| ratio(1 + dice.below(11), 1 + dice.below(6));
    let one = |dice: &mut Dice| match dice.below(4) {
        0 => Spend::odds(fraction(dice)),
        1 => Spend::odds(ratio(2 + dice.below(9), 1)).and_then(|odds| odds.share(&share(dice))),
        2 => Spend::odds(fraction(dice)).and_then(|odds| odds.share(&share(dice))),
        _ => Spend::epsilon(share(dice)),
    };
    let (first, second) = (one(dice).unwrap(), one(dice).unwrap());
    if dice.below(3) == 0 { first.and(&second) } else { first }
}

/// A statement of the same notion with another parameter.
fn another(like: &Statement, dice: &mut Dice) -> Statement {
    let mut part = |most: i64| -> Rational { ratio(1 + dice.below(u64::try_from(most).unwrap() - 1), most) };
    let value = match (&like.target.notion, &like.value) {
        (_, StatementParameter::Odds(_)) => StatementParameter::Odds(odds(dice)),
        (Notion::Ceiling, _) => StatementParameter::Number(ratio(1, 2) + part(100) / ratio(2, 1)),
        (Notion::Floor, _) => StatementParameter::Number(part(100) / ratio(4, 1)),
        (Notion::Rho { .. }, _) => StatementParameter::Number(ratio(1, 2) + part(60) / ratio(2, 1)),
        (_, StatementParameter::Number(_)) => StatementParameter::Number(ratio(1, 1) + part(30)),
        (_, StatementParameter::Pair(..)) => StatementParameter::Pair(part(20), part(9)),
    };
    Statement { target: like.target.clone(), value }
}

#[test]
fn printed_statements_can_be_parsed() {
    let any = PriorRange::any();
    let mut dice = Dice::new(71);
    let mut seen = BTreeSet::new();
    let targets = TARGETS.map(|text| target(text, &any).unwrap());
    let mut printed = 0;
    for _ in 0..sized(4, 40) {
        for text in STATEMENTS {
            let from = another(&statement(text, &any).unwrap(), &mut dice);
            typed(&from, &mut seen);
            // Implied statements decide what else is displayed; a few targets each are enough.
            for _ in 0..3 {
                let to = &targets[usize::try_from(dice.below(targets.len() as u64)).unwrap()];
                let Ok(lines) = translate(&from, to) else { continue };
                rows(&lines, &mut seen);
                printed += lines.len();
            }
        }
    }
    let (distinct, lines) = sized((250, 350), (2_500, 3_500));
    assert!(seen.len() >= distinct && printed >= lines, "{} statements, {printed} lines", seen.len());
    assert!(seen.iter().any(|text| text.contains('×')) && seen.iter().any(|text| text.contains(" + ")), "{seen:?}");
}

/// Numbers of many digits are parsed; too large odds are neither displayed nor composed.
#[test]
fn long_numbers_are_parsed_and_too_large_odds_rejected() {
    let any = PriorRange::any();
    let of = |text: &str| statement(text, &any).unwrap();
    let line = translate(&of("odds=1001/10"), &target("group:80", &any).unwrap()).unwrap().swap_remove(0);
    assert!(line.statement().unwrap().to_string().len() > 200);
    rows(&[line], &mut BTreeSet::new());
    let line = translate(&of("odds=3/2"), &target("group:5000", &any).unwrap()).unwrap().swap_remove(0);
    assert_eq!(line.statement().unwrap().to_string(), "group-privacy:5000=(3/2)^(5000)");
    rows(&[line], &mut BTreeSet::new());
    let line = translate(&of("epsilon=1"), &target("group:5000", &any).unwrap()).unwrap().swap_remove(0);
    assert_eq!((Row::new(&line).value.as_str(), line.statement()), ("e^5000", None));
    assert!(statement("odds=e^5000", &any).unwrap_err().to_string().contains("too large"));
    let total = compose(&["epsilon=4000", "epsilon=4000"].map(of)).unwrap_err().to_string();
    assert!(total.contains("e^4096"), "{total}");
}

/// Totals, and the statements that an error quotes in backticks.
#[test]
fn printed_totals_can_be_parsed() {
    let any = PriorRange::any();
    let mut dice = Dice::new(72);
    let mut seen = BTreeSet::new();
    let (mut totals, mut refused) = (0, 0);
    for _ in 0..sized(150, 2_000) {
        let some = |dice: &mut Dice| STATEMENTS[usize::try_from(dice.below(STATEMENTS.len() as u64)).unwrap()];
        let releases: Vec<Statement> =
            (0..2).map(|_| another(&statement(some(&mut dice), &any).unwrap(), &mut dice)).collect();
        match compose(&releases) {
            Ok(total) => {
                typed(&total, &mut seen);
                let to = target(TARGETS[usize::try_from(dice.below(TARGETS.len() as u64)).unwrap()], &any).unwrap();
                match composed(&releases, &to) {
                    Ok(lines) => rows(&lines, &mut seen),
                    Err(ComposeTranslateError::Compose(error)) => panic!("{error}"),
                    Err(ComposeTranslateError::Promise(_)) => {}
                }
                totals += 1;
            }
            Err(error) => {
                for text in error.to_string().split('`').skip(1).step_by(2).filter(|text| !text.ends_with('=')) {
                    statement(text, &any).unwrap_or_else(|wrong| panic!("{error}: {wrong}"));
                    refused += 1;
                }
            }
        }
    }
    let (of_totals, of_refusals) = sized((15, 60), (200, 800));
    assert!(totals >= of_totals && refused >= of_refusals, "{totals} totals, {refused} refused");
}
