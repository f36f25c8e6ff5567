//! The translation of a statement: what it implies, what implies it, and counterexamples.

use crate::amount::Amount;
use crate::bounds::{self, Number, Value};
use crate::counterexample::Counterexample;
use crate::notion::{Facts, Notion, Sign};
use crate::observers;
use crate::parse::is_readable;
use crate::refuted::{self, RefutationOutcome};
use crate::shape::{Carry, Shape, follows};
use crate::statement::{Statement, StatementParameter, Target};
use deniable_core::exact::whole;
use deniable_core::promise::PromiseError;
use num_traits::One;

/// The direction of an implication.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// Every mechanism that satisfies one satisfies the other.
    Equivalent,
    /// The statement implies the target with this value; if the row is tight, with no stricter value.
    Implies,
    /// The target with this value implies the statement.
    ImpliedBy,
    /// The statement implies the target with no value; a counterexample proves it.
    NoImplication,
    /// No value is known to follow, and no counterexample is confirmed.
    NotKnown,
    /// One of the two has no observer: every mechanism satisfies it, and nothing follows from it.
    Vacuous,
}

impl Direction {
    /// The direction as displayed in rows: `implies`, `implied by`.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Equivalent => "equivalent",
            Self::Implies => "implies",
            Self::ImpliedBy => "implied by",
            Self::NoImplication => "no implication",
            Self::NotKnown => "not known",
            Self::Vacuous => "vacuous",
        }
    }
}

/// A relation between a statement and a target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Translation {
    /// The statement that is translated.
    pub from: Statement,
    /// The notion that it is translated to.
    pub to: Target,
    /// The direction of the implication.
    pub direction: Direction,
    /// The parameter of the target; `None` if nothing follows, or nothing is known to.
    pub value: Option<Value>,
    /// Whether a known mechanism attains or approaches the value.
    pub tight: bool,
    /// Whether it bounds some adjacent pairs only, so it must not be composed.
    pub partial: bool,
    /// The entries that prove it.
    pub theorems: Vec<&'static str>,
    /// Further conditions, in words.
    pub conditions: Vec<String>,
    /// The mechanism that shows why nothing, or no more, follows.
    pub counterexample: Option<Counterexample>,
    /// Whether the counterexample was built for this statement and target, and confirmed; otherwise it needs more
    /// people than are built, and only the theorem proves it.
    pub decided: bool,
}

impl Translation {
    /// The target with its value, in a form that can be parsed again; `None` without a value, without a closed form of
    /// it, and for odds that are too large to parse.
    #[must_use]
    pub fn statement(&self) -> Option<Statement> {
        let value = match self.value.as_ref()? {
            Value::Odds(Amount::Exact(odds)) | Value::Epsilon(Amount::Exact(odds))
                if !odds.is_nothing() && is_readable(odds) =>
            {
                StatementParameter::Odds(odds.clone())
            }
            Value::Number(number) => StatementParameter::Number(number.exact()?.clone()),
            Value::Pair(alpha, beta) => StatementParameter::Pair(alpha.exact()?.clone(), beta.exact()?.clone()),
            Value::Odds(_) | Value::Epsilon(_) => return None,
        };
        Some(Statement { target: self.to.clone(), value })
    }
}

/// Translates `from` to `to`: one line if they are equivalent; otherwise one for what follows from `from` (or the
/// counterexample) and, if some value of `to` is enough for `from`, one for that.
///
/// # Errors
/// When the parameter of `from` is out of range, or cannot be promised against its priors.
pub fn translate(from: &Statement, to: &Target) -> Result<Vec<Translation>, PromiseError> {
    if let Some(line) = vacuous(from, to) {
        return Ok(vec![line]);
    }
    let enough = bounds::enough(from)?;
    let itself = match &from.value {
        StatementParameter::Number(value) => Some(Value::Number(Number { low: value.clone(), high: value.clone() })),
        StatementParameter::Odds(odds) if to.notion.depends_on_priors() => Some(Value::Odds(odds.clone().into())),
        StatementParameter::Odds(_) | StatementParameter::Pair(..) => None,
    };
    if let (true, Some(value)) = (from.target == *to, itself) {
        let value = Some(value);
        let (theorems, conditions) = (theorems(from, to, &[]), conditions(from, to));
        let line = Translation { value, tight: true, theorems, conditions, ..blank(from, to, Direction::Equivalent) };
        return Ok(vec![line]);
    }
    let forward = shown(observed(forward(from, to)?, from, to));
    let Some(backward) = backward(from, to, &enough) else { return Ok(vec![forward.line]) };
    // A value that follows and is enough makes the two equivalent; enclosed numbers are never known to be equal.
    let same =
        matches!((&forward.odds, &backward.odds), (Some(Amount::Exact(one)), Amount::Exact(other)) if one == other);
    if same && forward.line.value == backward.line.value && !forward.line.partial {
        let line = Translation { direction: Direction::Equivalent, tight: true, ..forward.line };
        return Ok(vec![line]);
    }
    Ok(vec![forward.line, backward.line])
}

/// The line if one of the two is vacuous; for a vacuous target, with its least value.
fn vacuous(from: &Statement, to: &Target) -> Option<Translation> {
    let nobody = "no prior has worlds with the beliefs of";
    let (value, says) = if bounds::nobody(to) {
        let value = bounds::implied(to, &Amount::of(whole(1)));
        (value, format!("{nobody} `{to}`: it promises nothing, and every mechanism satisfies it"))
    } else if bounds::nobody(&from.target) {
        (None, format!("{nobody} `{from}`: every mechanism satisfies it, and nothing follows from it"))
    } else {
        return None;
    };
    let theorems = theorems(from, to, &["B-6"]);
    Some(Translation { value, theorems, conditions: vec![says], ..blank(from, to, Direction::Vacuous) })
}

struct Forward {
    line: Translation,
    odds: Option<Amount>,
}

struct Backward {
    line: Translation,
    odds: Amount,
}

fn blank(from: &Statement, to: &Target, direction: Direction) -> Translation {
    Translation {
        from: from.clone(),
        to: to.clone(),
        direction,
        value: None,
        tight: false,
        partial: false,
        theorems: vec![],
        conditions: vec![],
        counterexample: None,
        decided: false,
    }
}

/// PMP or NMP alone, if only that half of both can matter to `shape`: over an asymmetric range, one γ allows presence
/// and absence different odds.
fn half(target: &Target, shape: &Shape) -> Target {
    let notion = match (&target.notion, shape) {
        (Notion::Membership, Shape::Up | Shape::SampledUp { .. } | Shape::Uniform) => Notion::Gain,
        (Notion::Membership, Shape::Down) => Notion::NegativeGain,
        (Notion::Indistinguishable { .. }, Shape::Up | Shape::SampledUp { .. } | Shape::Uniform) => {
            Notion::Indistinguishable { sign: Sign::Positive }
        }
        (Notion::Indistinguishable { .. }, Shape::Down) => Notion::Indistinguishable { sign: Sign::Negative },
        (notion, _) => notion.clone(),
    };
    Target { notion, ..target.clone() }
}

fn forward(from: &Statement, to: &Target) -> Result<Forward, PromiseError> {
    let part = Statement { target: half(&from.target, &to.shape()), value: from.value.clone() };
    let nothing = |counterexample: Counterexample| {
        let theorems = merged(&[from.target.notion.theorem()], &counterexample.theorems());
        let counterexample = Some(counterexample);
        let line = blank(from, to, Direction::NoImplication);
        Forward { line: Translation { theorems, counterexample, ..line }, odds: None }
    };
    let Some(given) = bounds::necessary(&part)? else {
        // Under another adjacency nothing follows for any observers.
        let why = follows(&part.target.shape(), &to.shape()).err().unwrap_or(Counterexample::NoObserver);
        return Ok(nothing(why));
    };
    let enough = bounds::enough(&part)?;
    let step = match follows(&part.target.shape(), &to.shape()) {
        Ok(step) => step,
        Err(counterexample) => {
            let found = nothing(counterexample);
            return Ok(small_datasets(from, to, found));
        }
    };
    let exchange = bounds::exchange(&part)?.and_then(|odds| match to.shape() {
        Shape::Replace | Shape::Move | Shape::OneOf(_) => Some(odds),
        Shape::Exchanged(moves) => Some(Carry::Power(moves).apply(&odds)),
        Shape::ReplaceGroup(size) => Some(Carry::Power(size).apply(&odds)),
        _ => None,
    });
    let one_odds = enough == given || exchange.is_some();
    let odds = exchange.unwrap_or_else(|| step.carry.apply(&given));
    let Some(value) = bounds::implied(to, &odds) else { return Ok(nothing(Counterexample::PriorBeyond)) };
    let attained = one_odds && bounds::demanding(to, &odds).as_ref() == Some(&value);
    let mut conditions = conditions(from, to);
    if given != enough && part.target.shape() == Shape::Replace {
        conditions.push("only those observers of the statement count who consider two datasets possible".to_owned());
    }
    conditions.extend(step.condition.map(str::to_owned));
    let line = Translation {
        value: Some(value),
        tight: step.tight && attained,
        theorems: theorems(from, to, &step.theorems),
        conditions,
        ..blank(from, to, Direction::Implies)
    };
    Ok(Forward { line, odds: Some(odds) })
}

/// The direct bound for the target's observers, if it is stronger than the bound by odds.
fn observed(found: Forward, from: &Statement, to: &Target) -> Forward {
    let Some(value) = observers::among(from, to) else { return found };
    // A value by odds may be attained, or enough for the statement as well: it stays unless the direct one is stricter.
    let by_odds = found.line.value.as_ref();
    if by_odds.is_some_and(|by_odds| !value.certainly_stronger(by_odds, &to.notion)) {
        return found;
    }
    let line = Translation {
        value: Some(value),
        theorems: theorems(from, to, &["F-DB[a,b]"]),
        conditions: conditions(from, to),
        ..blank(from, to, Direction::Implies)
    };
    Forward { line, odds: None }
}

/// Displays only counterexamples that `check` confirms.
fn shown(found: Forward) -> Forward {
    let Some(counterexample) = found.line.counterexample else { return found };
    let (from, to) = (&found.line.from, &found.line.to);
    match refuted::decided(counterexample, from, to) {
        RefutationOutcome::Refuted(_) => return Forward { line: Translation { decided: true, ..found.line }, ..found },
        // Counterexamples about shapes hold for every range of priors; whether an observer exists depends on the range.
        RefutationOutcome::Beyond if counterexample != Counterexample::NoObserver => return found,
        RefutationOutcome::Beyond | RefutationOutcome::Not => {}
    }
    let direction = if found.line.value.is_none() { Direction::NotKnown } else { found.line.direction };
    Forward { line: Translation { direction, counterexample: None, ..found.line }, ..found }
}

/// B-5: (ρ,m)-identifiability below `1/(m−1)` bounds odds between small datasets only.
fn small_datasets(from: &Statement, to: &Target, found: Forward) -> Forward {
    let (Notion::Rho { among }, StatementParameter::Number(rho)) = (&from.target.notion, &from.value) else {
        return found;
    };
    let others = whole(*among) - whole(1);
    let rest = whole(1) - &others * rho;
    if rest <= whole(0) {
        return found;
    }
    // Below 1/(m−1) no person can be ruled out; the remaining counterexamples are datasets that no observer of the
    // family considers.
    let ruled_out = found.line.counterexample == Some(Counterexample::NotThisOne);
    let counterexample = if ruled_out { Some(Counterexample::LargeSets) } else { found.line.counterexample };
    let found = Forward { line: Translation { counterexample, ..found.line }, ..found };
    if to.shape() != Shape::Replace || !matches!(to.notion, Notion::Odds(_) | Notion::Epsilon(_)) {
        return found;
    }
    let odds = Amount::of(rho / rest);
    let line = Translation {
        direction: Direction::Implies,
        value: bounds::implied(to, &odds),
        tight: true,
        partial: true,
        conditions: vec![format!(
            "between datasets of at most n − {} people only; larger ones are unconstrained",
            among.saturating_sub(1)
        )],
        counterexample: Some(Counterexample::LargeSets),
        ..found.line
    };
    Forward { line, odds: Some(odds) }
}

fn backward(from: &Statement, to: &Target, enough: &Amount) -> Option<Backward> {
    let step = follows(&to.shape(), &from.target.shape()).ok()?;
    let odds = step.carry.undo(enough)?;
    let half = half(to, &from.target.shape());
    let value = bounds::demanding(&half, &odds)?;
    let attained = bounds::implied(&half, &odds).as_ref() == Some(&value);
    let mut conditions = conditions(from, to);
    conditions.extend(step.condition.map(str::to_owned));
    let line = Translation {
        value: Some(value),
        tight: step.tight && attained,
        theorems: theorems(from, to, &step.theorems),
        conditions,
        ..blank(from, to, Direction::ImpliedBy)
    };
    Some(Backward { line, odds })
}

fn theorems(from: &Statement, to: &Target, step: &[&'static str]) -> Vec<&'static str> {
    let first = merged(&[from.target.notion.theorem()], step);
    merged(&first, &[to.notion.theorem()])
}

fn merged(one: &[&'static str], other: &[&'static str]) -> Vec<&'static str> {
    let mut all: Vec<&'static str> = Vec::new();
    for id in one.iter().chain(other) {
        if !all.contains(id) {
            all.push(id);
        }
    }
    // C-1 adds nothing beside an entry that proves the implication.
    if all.len() > 1 {
        all.retain(|id| *id != "C-1");
    }
    all
}

/// The assumptions of the notions themselves.
fn conditions(from: &Statement, to: &Target) -> Vec<String> {
    let mut all = Vec::new();
    let mut add = |condition: String| {
        if !all.contains(&condition) {
            all.push(condition);
        }
    };
    for target in [&from.target, to] {
        match &target.notion {
            Notion::Gain | Notion::NegativeGain | Notion::Membership | Notion::Indistinguishable { .. }
                if !target.priors.is_any() =>
            {
                add(format!(
                    "for uncertain priors in [{}, {}], with all other people possibly certain; for other priors only \
                     the odds are bounded",
                    target.priors.low(),
                    target.priors.high()
                ));
            }
            Notion::Ceiling => add(format!("for priors up to {}", target.priors.high())),
            Notion::Floor => add(format!("for priors from {}", target.priors.low())),
            Notion::Rho { among } => add(format!("at least {among} people in the universe, size public")),
            Notion::AlphaBeta { .. } => add("size public; P_min does not apply to worlds of prior 0".to_owned()),
            Notion::Group { size } if !size.is_one() => add("groups are independent of each other".to_owned()),
            Notion::Induced(Facts::Size) | Notion::InducedExchange(Facts::Size) => {
                add("only the number of people is public".to_owned())
            }
            Notion::BayesOptimal { .. } => add("of one table, not of the mechanism that produced it".to_owned()),
            Notion::SemiHonest { .. } => add("of a protocol between two parties who follow it".to_owned()),
            _ => {}
        }
    }
    all
}
