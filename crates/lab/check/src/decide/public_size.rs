//! Datasets of one public size: F-DB, F-DB2, and (α,β)-differential identifiability.

use super::error::CheckError;
use super::gain;
use super::gain::{approached, vacuous};
use super::many_datasets::Observers;
use super::measure::Measure;
use super::numbers::{one, zero};
use super::pairs::{self, WitnessedRatio};
use super::slices;
use super::spread;
use super::two_datasets::Pair;
use crate::mechanism::Mechanism;
use crate::notion::{Direction, Sign};
use crate::verdict::{Value, Verdict};
use deniable_core::adversary::PriorRange;
use deniable_core::belief::tight_gain;
use deniable_core::exact::Bound;
use deniable_core::exact::{Rational, ratio as fraction};
use deniable_core::promise::world_multiples;
use num_traits::{One, Signed, Zero};

/// Membership privacy over F-DB and F-DB[a,b].
///
/// The replace-one ratio `R` bounds every likelihood ratio (Thm 4.8). With any prior the gain is `R`, PMP and NMP
/// alike. With priors in `[a,b]` it is at most `γ(R)` (B-3, B-3n), where the two differ.
pub(super) fn bounded(
    mechanism: &Mechanism,
    range: &PriorRange,
    direction: Direction,
    mut theorems: Vec<&'static str>,
) -> Result<Verdict, CheckError> {
    let found = pairs::exchanged(mechanism);
    if range.is_any() {
        theorems.push("S-REP");
        return Ok(approached(found, theorems));
    }
    theorems.extend([name(direction), "S-REP"]);
    let Some(found) = found.filter(|_| some_observer(mechanism, range)) else {
        return Ok(vacuous(Bound::one(), theorems));
    };
    let own = of_top(range, direction);
    let ends = [own.low().clone(), own.high().clone()];
    let high = |odds: &Rational| gain::gain_over(&own, odds);
    let high = found.ratio.map(high, Bound::Infinite);
    bracket(
        mechanism,
        found,
        PosteriorQuestion { range, direction, ends: &ends, high, measure: Measure::Gain, theorem: name(direction) },
        theorems,
    )
}

/// A measure over the observers of F-DB[a,b], with its upper bound.
pub(super) struct PosteriorQuestion<'a> {
    pub(super) range: &'a PriorRange,
    pub(super) direction: Direction,
    /// Beliefs in the event on top of the ratio that may be worst.
    pub(super) ends: &'a [Rational],
    /// An upper bound of the measure.
    pub(super) high: Bound,
    pub(super) measure: Measure,
    pub(super) theorem: &'static str,
}

/// The upper bound if an observer of two datasets attains it; otherwise a bracket between it and the worst observer
/// found.
pub(super) fn bracket(
    mechanism: &Mechanism,
    found: WitnessedRatio,
    asked: PosteriorQuestion,
    theorems: Vec<&'static str>,
) -> Result<Verdict, CheckError> {
    let PosteriorQuestion { range, direction, ends, high, measure, theorem } = asked;
    let score = |belief: &Rational, odds: &Bound| measure.of(belief, odds);
    let Some(pair) = Pair::of(&found) else {
        return Ok(Verdict { value: Value::Attained(high), witness: None, theorems });
    };
    let own = of_top(range, direction);
    // Observers of two datasets have the beliefs e and 1 − e, both in the range.
    let inner = beliefs_of_two(range);
    let beliefs = inner.iter().flat_map(|inner| [inner.low().clone(), inner.high().clone()]);
    let inside = |end: &&Rational| contains(&own, end) && contains(&own, &(one() - *end));
    let beliefs = beliefs.chain(ends.iter().filter(inside).cloned()).filter(|end| !end.is_zero() && !end.is_one());
    let two = beliefs.map(|belief| (score(&belief, &found.ratio), belief)).max_by(|left, right| left.0.cmp(&right.0));
    let two = two.map(|(reached, belief)| (reached, pair.observer(mechanism, direction, &belief)));
    let reached = match two {
        Some(two) if two.0 == high => Some(two),
        two => {
            let more = Observers { mechanism, range, direction, measure }.search(pair);
            match (two, more) {
                (Some(two), Some(more)) => Some(if more.0 > two.0 { more } else { two }),
                (two, more) => two.or(more),
            }
        }
    };
    // If the family has no observer of one among several, it has one of a larger number among several.
    let reached = reached.or_else(|| Observers { mechanism, range, direction, measure }.alike());
    let (low, witness) = match reached {
        Some((low, witness)) => (low, Some(witness)),
        // Whatever the measure, the observer who learns least has a likelihood ratio of 1.
        None => (ends.iter().map(|end| score(end, &Bound::one())).min().unwrap_or_else(Bound::one), None),
    };
    let high = if low == high {
        high
    } else if mechanism.size() <= 3 {
        // With three entities no observer considers more datasets possible.
        Observers { mechanism, range, direction, measure }.least_kept(&low).min(high)
    } else if high == Bound::Infinite {
        let odds = spread::most_odds(mechanism, range, direction);
        ends.iter().map(|end| score(end, &odds)).max().unwrap_or(high)
    } else {
        high
    };
    let value = if low == high { Value::Attained(high) } else { Value::Between { low, high, theorem } };
    Ok(Verdict { value, witness, theorems })
}

/// Whether the family has an observer: a prior that is uncertain of some entities, with beliefs in the range that sum to
/// a whole number, under which only datasets with rows are possible.
pub(crate) fn some_observer(mechanism: &Mechanism, range: &PriorRange) -> bool {
    slices::find(mechanism, range).is_some()
}

/// Membership privacy over F-DB2: one of two entities is in, with beliefs `x` and `1 − x`, both in the range.
pub(super) fn one_of_two(
    mechanism: &Mechanism,
    range: &PriorRange,
    direction: Direction,
    mut theorems: Vec<&'static str>,
) -> Result<Verdict, CheckError> {
    let found = pairs::exchanged(mechanism);
    let Some(inner) = beliefs_of_two(range) else { return Ok(vacuous(Bound::one(), theorems)) };
    if inner.is_any() {
        return Ok(approached(found, theorems));
    }
    theorems.push(name(direction));
    let Some((found, pair)) = found.and_then(|found| Pair::of(&found).map(|pair| (found, pair))) else {
        return Ok(vacuous(Bound::one(), theorems));
    };
    // The ends of `[c, 1−c]` are beliefs of the family, and one of them has the largest gain (B-3).
    let at = |belief: &Rational| found.ratio.map(|odds| tight_gain(belief, odds), Bound::Infinite);
    let belief = if at(inner.high()) >= at(inner.low()) { inner.high() } else { inner.low() };
    Ok(Verdict {
        value: Value::Attained(at(belief)),
        witness: Some(pair.observer(mechanism, direction, belief)),
        theorems,
    })
}

/// The beliefs `x` for which `x` and `1 − x` are both in the range; `None` if there are no such beliefs.
pub(crate) fn beliefs_of_two(range: &PriorRange) -> Option<PriorRange> {
    let low = range.low().max(&(one() - range.high())).clone();
    let end = |end: Rational| (end.is_positive() && !end.is_one()).then_some(end);
    PriorRange::new(end(low.clone()), end(one() - low)).ok()
}

fn contains(range: &PriorRange, belief: &Rational) -> bool {
    range.low() <= belief && belief <= range.high()
}

/// The range of beliefs in the event on top of the ratio.
pub(crate) fn of_top(range: &PriorRange, direction: Direction) -> PriorRange {
    match direction {
        Direction::Presence => range.clone(),
        Direction::Absence => range.of_absence(),
    }
}

fn name(direction: Direction) -> &'static str {
    if direction == Direction::Presence { "B-3" } else { "B-3n" }
}

/// (α,β)-differential identifiability (B-6): worlds are datasets `D ∪ {x}` with a common `D`, each of prior at least
/// `least`. The value is the fraction by which belief in a world may rise (β) or fall (α).
///
/// Belief in a world of prior `P` becomes `P / (P + Σ P_j·f_j/f)`. It changes by a factor of at most `1/(P + (1−P)/R)`
/// and at least `1/(P + R(1−P))`, both farthest from 1 at the smallest `P`. Two worlds of priors `P_min` and
/// `1 − P_min` attain both.
pub(super) fn alpha_beta(mechanism: &Mechanism, least: &Rational, sign: Sign) -> Result<Verdict, CheckError> {
    if least.is_negative() || *least > fraction(1, 2) {
        return Err(CheckError::OutOfRange { name: "P_min", value: least.clone(), range: "from 0 to 1/2" });
    }
    let direction = match sign {
        Sign::Positive => Direction::Presence,
        Sign::Negative => Direction::Absence,
        Sign::Both => return Err(CheckError::OneSide { notion: "(α,β)-differential identifiability" }),
    };
    let theorems = vec!["B-6", "S-REP"];
    let Some((found, pair)) = pairs::exchanged(mechanism).and_then(|found| Pair::of(&found).map(|pair| (found, pair)))
    else {
        return Ok(vacuous(zero(), theorems));
    };
    let value = match direction {
        Direction::Presence => {
            let certain = if least.is_zero() { Bound::Infinite } else { Bound::Finite(least.recip() - one()) };
            found.ratio.map(|odds| world_multiples(least, odds).1 - one(), certain)
        }
        Direction::Absence => found.ratio.map(|odds| one() - world_multiples(least, odds).0, Bound::one()),
    };
    // Worlds have a prior above 0, so smaller and smaller priors approach the value. A belief that falls to 0 does so
    // from any prior.
    let gone = direction == Direction::Absence && found.ratio == Bound::Infinite;
    if least.is_zero() && !gone && found.ratio != Bound::one() {
        return Ok(Verdict { value: Value::Approached(value), witness: Some(pair.datasets(mechanism)), theorems });
    }
    // The measured world: `more` rises, `less` falls.
    let belief = if least.is_zero() { fraction(1, 2) } else { least.clone() };
    let belief = if direction == Direction::Presence { belief } else { one() - belief };
    let witness = pair.observer(mechanism, direction, &belief);
    Ok(Verdict { value: Value::Attained(value), witness: Some(witness), theorems })
}
