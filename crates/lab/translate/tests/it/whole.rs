//! Whole translations against mechanisms: a mechanism satisfies the translations of every statement that it satisfies.

use super::world::{measure, random};
use deniable_check::mechanism::Mechanism;
use deniable_core::adversary::PriorRange;
use deniable_core::exact::{Rational, whole};
use deniable_translate::amount::Amount;
use deniable_translate::bounds::{Value, demanding, implied};
use deniable_translate::notion::Notion;
use deniable_translate::parse::target;
use deniable_translate::statement::{Statement, StatementParameter, Target};
use deniable_translate::translation::{Direction, translate};

const TARGETS: [&str; 22] = [
    "odds",
    "positive-odds",
    "negative-odds",
    "bounded-odds",
    "free-lunch",
    "gain@1/5..1/2",
    "gain",
    "loss@1/5..1/2",
    "membership@1/3..3/4",
    "posterior@..1/2",
    "floor@1/4..",
    "gain@1/5..1/2@replace-one",
    "loss@1/3..3/5@replace-one",
    "posterior@1/10..2/3@replace-one",
    "rho:2",
    "rho:3",
    "alpha-beta:1/3",
    "sampling:1/3",
    "sampled-gain:1/4",
    "group:2",
    "group:2@replace-one",
    "uniform-gain",
];

/// A parameter as a number that grows as protection weakens.
fn weight(value: &Value, notion: &Notion) -> Rational {
    match value {
        Value::Odds(odds) | Value::Epsilon(odds) => odds.ends().1,
        Value::Number(number) if *notion == Notion::Floor => whole(1) - &number.low,
        Value::Number(number) => number.high.clone(),
        Value::Pair(alpha, _) => alpha.high.clone(),
    }
}

fn stated(target: &Target, value: Value) -> Option<Statement> {
    let value = match value {
        Value::Odds(Amount::Exact(odds)) if !odds.is_nothing() => StatementParameter::Odds(odds),
        Value::Number(number) => StatementParameter::Number(number.high),
        Value::Pair(alpha, beta) => StatementParameter::Pair(alpha.high, beta.high),
        Value::Odds(_) | Value::Epsilon(_) => return None,
    };
    Some(Statement { target: target.clone(), value })
}

/// The parameter that certainly holds, and the one below which it certainly does not.
fn kept(mechanism: &Mechanism, target: &Target) -> Option<(Value, Option<Value>)> {
    let odds = Amount::of(measure(mechanism, &target.shape()).finite()?.clone());
    (!odds.is_one()).then_some(())?;
    Some((implied(target, &odds)?, demanding(target, &odds)))
}

#[test]
fn mechanisms_satisfy_the_translations_of_their_statements() {
    let targets = TARGETS.map(|text| target(text, &PriorRange::any()).unwrap());
    let mut mechanisms = random(3, 2, 0, 12, 31);
    mechanisms.extend(random(3, 3, 4, 12, 32));
    mechanisms.extend(random(2, 2, 3, 12, 33));
    let (mut forward, mut backward) = (0, 0);
    for mechanism in &mechanisms {
        let known = targets.each_ref().map(|target| kept(mechanism, target));
        for (from, found) in targets.iter().zip(&known) {
            let Some(statement) = found.as_ref().and_then(|(holds, _)| stated(from, holds.clone())) else { continue };
            for (to, other) in targets.iter().zip(&known) {
                for line in translate(&statement, to).unwrap().into_iter().filter(|line| !line.partial) {
                    let Some(value) = &line.value else { continue };
                    let limit = weight(value, &to.notion);
                    if line.direction != Direction::ImpliedBy {
                        // Where nothing is learned there is no `other` value, and every statement holds; infinite odds
                        // break the promise.
                        assert!(measure(mechanism, &to.shape()).finite().is_some(), "{statement} -> {to}");
                        let least = other.as_ref().and_then(|(_, least)| least.as_ref());
                        if let Some(least) = least {
                            assert!(weight(least, &to.notion) <= limit, "{statement} -> {to}: {line:?}");
                            forward += 1;
                        }
                    }
                }
            }
        }
    }
    // Sufficient values: the statement of one mechanism, compared with every other mechanism.
    for (from, text) in targets.iter().zip(TARGETS) {
        let Some(statement) = kept(&mechanisms[0], from).and_then(|(holds, _)| stated(from, holds)) else { continue };
        for to in &targets {
            for line in translate(&statement, to).unwrap().into_iter().filter(|line| !line.partial) {
                let enough = matches!(line.direction, Direction::ImpliedBy | Direction::Equivalent);
                let Some(value) = line.value.filter(|_| enough) else { continue };
                for mechanism in &mechanisms {
                    let Some((holds, _)) = kept(mechanism, to) else { continue };
                    if weight(&holds, &to.notion) <= weight(&value, &to.notion) {
                        assert!(measure(mechanism, &from.shape()).finite().is_some(), "{to} -> {text}");
                        let reached = kept(mechanism, from).and_then(|(_, least)| least);
                        let bound = stated_weight(&statement);
                        assert!(reached.is_none_or(|least| weight(&least, &from.notion) <= bound), "{to} -> {text}");
                        backward += 1;
                    }
                }
            }
        }
    }
    assert!(forward > 2000 && backward > 500, "{forward}, {backward}");
}

fn stated_weight(statement: &Statement) -> Rational {
    match &statement.value {
        StatementParameter::Odds(odds) => odds.odds_at_most(),
        StatementParameter::Number(value) if statement.target.notion == Notion::Floor => whole(1) - value,
        StatementParameter::Number(value) | StatementParameter::Pair(value, _) => value.clone(),
    }
}
