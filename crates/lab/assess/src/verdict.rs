//! Verdicts on demands, with the classes that do not meet them.

use crate::assessment::{Assessment, OfSecret, Parts};
use crate::belief::Kind;
use crate::beliefs::{Beliefs, exceeding};
use crate::classes::Classes;
use crate::closeness::Closeness;
use crate::diversity::recursive;
use crate::entropy::{Decider, LeastEntropy};
use crate::error::AssessError;
use crate::fraction::Fraction;
use crate::limit::{Limit, epsilon};
use crate::membership::{Membership, gain, loss, odds};
use crate::number::PLACES;
use crate::require::{Demand, Requirement};
use crate::risk::{Population, chances};
use crate::sizes::{OffendingClasses, below};
use deniable_core::exact::{Bound, Rational, Rounding};
use serde::{Serialize, Serializer};
use std::cmp::Ordering;
use std::fmt::{self, Display, Formatter};

/// Largest number of offending classes named.
const NAMED: usize = 10;

/// A demand, and whether the table meets it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Verdict {
    /// The demand as it was written.
    #[serde(rename = "demand")]
    pub requirement: Requirement,
    /// The sensitive column; `None` for demands on classes alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<String>,
    /// Whether the demand is met, decided exactly.
    pub met: bool,
    /// The measured value of the demand's quantity.
    pub measured: Measured,
    /// The classes that do not meet it.
    #[serde(flatten)]
    pub offending: OffendingClasses,
}

/// The measured value of a demand. It is written as a decimal rounded in favour of the attacker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Measured {
    /// A number of people or values.
    Count(u64),
    /// A chance, a distance, or a factor.
    Ratio(Bound),
    /// The logarithm of this factor.
    Epsilon(Bound),
    /// An entropy.
    Entropy(LeastEntropy),
}

impl Display for Measured {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Count(count) => write!(f, "{count}"),
            Self::Ratio(ratio) => f.write_str(&ratio.rounded(PLACES, Rounding::Up)),
            Self::Epsilon(factor) => f.write_str(&epsilon(factor, PLACES)),
            Self::Entropy(entropy) => f.write_str(&entropy.l(PLACES)),
        }
    }
}

impl Serialize for Measured {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Decides each demand; demands on sensitive values once for each sensitive column.
pub(crate) fn verdicts(
    requirements: &[Requirement],
    assessment: &Assessment,
    parts: &Parts<'_>,
) -> Result<Vec<Verdict>, AssessError> {
    let mut verdicts = Vec::new();
    for requirement in requirements {
        if let Some((measured, met, offending)) = about_classes(requirement, assessment, parts)? {
            verdicts.push(Verdict { requirement: requirement.clone(), column: None, met, measured, offending });
            continue;
        }
        if assessment.sensitive.is_empty() {
            return Err(AssessError::NeedsSensitive { demand: requirement.text.clone() });
        }
        for (place, column) in assessment.sensitive.iter().enumerate() {
            let (measured, offending) = about_values(&requirement.demand, place, column, parts)?;
            let column = Some(column.name.clone());
            let met = offending.classes == 0;
            verdicts.push(Verdict { requirement: requirement.clone(), column, met, measured, offending });
        }
    }
    Ok(verdicts)
}

type ModelDecision = (Measured, bool, OffendingClasses);

/// Decides demands without sensitive values; `None` for the other demands.
fn about_classes(
    requirement: &Requirement,
    assessment: &Assessment,
    parts: &Parts<'_>,
) -> Result<Option<ModelDecision>, AssessError> {
    let classes = parts.classes;
    let (measured, offending) = match &requirement.demand {
        Demand::K(k) => (Measured::Count(assessment.sizes.smallest.value), below(classes, *k, NAMED)),
        Demand::Prosecutor(limit) => {
            let highest = assessment.risk.prosecutor.highest.value.value();
            (Measured::Ratio(highest), by_chance(classes, classes.sizes(), limit))
        }
        Demand::Journalist(limit) => match parts.people() {
            Population::Exactly(people) | Population::AtLeast(people) => {
                let highest = assessment.risk.journalist.value.highest.value.value();
                (Measured::Ratio(highest), by_chance(classes, people, limit))
            }
            Population::Unknown => return Err(no_background(requirement, assessment)),
        },
        Demand::Marketer(limit) => {
            let share = &assessment.risk.marketer.value.share;
            let measured = Measured::Ratio(Bound::Finite(share.clone()));
            return Ok(Some((measured, share <= limit, OffendingClasses::default())));
        }
        Demand::Odds(limit) | Demand::Gain(limit) | Demand::NegativeGain(limit) => {
            let (Membership::Computed(presence), Some(population)) = (&assessment.membership, parts.population())
            else {
                return Err(no_background(requirement, assessment));
            };
            if presence.left_out > 0 {
                let why = format!(
                    "recodings overlap, and the class of {} people of the background is unknown",
                    presence.left_out
                );
                return Err(AssessError::NeedsBackground { demand: requirement.text.clone(), why });
            }
            let limit = Bound::Finite(limit.clone());
            let priors = parts.priors;
            let offends = |(rows, people): (&u64, &u64)| {
                let (low, high) = odds(*rows, *people, priors);
                let against = low.inverse();
                match requirement.demand {
                    Demand::Gain(_) => gain(&high, priors) > limit,
                    Demand::NegativeGain(_) => loss(&against, priors) > limit,
                    _ => high > limit || against > limit,
                }
            };
            let pairs = classes.sizes().iter().zip(population);
            let mut offending = OffendingClasses::default();
            for (class, (rows, people)) in (0..).zip(pairs) {
                if offends((rows, people)) {
                    offending.add(classes, class, NAMED);
                }
            }
            let measured = match requirement.demand {
                Demand::Gain(_) => presence.gain.value.clone(),
                // People whom no class covers are certainly out.
                _ if presence.certainly_out > 0 => {
                    return Ok(Some((Measured::Ratio(Bound::Infinite), false, offending)));
                }
                Demand::NegativeGain(_) => presence.loss.value.clone(),
                _ => presence.up.value.clone().max(presence.down.value.clone()),
            };
            (Measured::Ratio(measured), offending)
        }
        Demand::Distinct(_)
        | Demand::Entropy(_)
        | Demand::Recursive { .. }
        | Demand::T(_)
        | Demand::EpsilonBop(_)
        | Demand::EpsilonBopTwoSided(_)
        | Demand::BeliefOdds(_) => return Ok(None),
    };
    Ok(Some((measured, offending.classes == 0, offending)))
}

fn by_chance(classes: &Classes, among: &[u64], limit: &Rational) -> OffendingClasses {
    // 1/among is above the limit exactly when among is below its inverse.
    let mut offending = OffendingClasses::default();
    let is_above = |chance: &Fraction| chance.against(limit) == Ordering::Greater;
    for (class, _) in (0..).zip(chances(among)).filter(|(_, chance)| is_above(chance)) {
        offending.add(classes, class, NAMED);
    }
    offending
}

fn no_background(requirement: &Requirement, assessment: &Assessment) -> AssessError {
    let why = match &assessment.membership {
        Membership::NoList { class, rows, people } => format!(
            "the given one is incomplete, as the class {class} has {rows} rows but covers only {people} people of it"
        ),
        Membership::Overlapping => "recodings overlap, so the class of a person is unknown".to_owned(),
        Membership::Computed(_) | Membership::NoBackground { .. } => {
            "it depends on all people who could be in the table".to_owned()
        }
    };
    AssessError::NeedsBackground { demand: requirement.text.clone(), why }
}

/// Decides demands on a sensitive column.
fn about_values(
    demand: &Demand,
    place: usize,
    column: &OfSecret,
    parts: &Parts<'_>,
) -> Result<(Measured, OffendingClasses), AssessError> {
    let classes = parts.classes;
    let (secret, priors) = parts.of(place)?;
    let mut offending = OffendingClasses::default();
    let farthest = |value: &dyn Fn(&Beliefs) -> Bound| {
        let by_margins = value(&column.by_margins);
        column.informed.as_ref().map_or(by_margins.clone(), |informed| value(informed).max(by_margins))
    };
    let moved = |kinds: &[Kind], limit: &Limit| exceeding(classes, secret, &priors, kinds, limit, NAMED);
    let measured = match demand {
        Demand::Distinct(l) => {
            for class in classes.all().filter(|class| (secret.of(*class).len() as u64) < *l) {
                offending.add(classes, class, NAMED);
            }
            Measured::Count(column.diversity.distinct.value)
        }
        Demand::Entropy(l) => {
            let mut decider = Decider::new(l);
            for class in classes.all() {
                if !decider.holds(secret.of(class))? {
                    offending.add(classes, class, NAMED);
                }
            }
            Measured::Entropy(column.diversity.entropy.value.clone())
        }
        Demand::Recursive { c, l } => {
            let mut largest = Fraction::new(0_u64, 1_u64);
            for (class, value) in (0..).zip(recursive(classes, secret, *l)) {
                largest = largest.max(value);
                // The condition is strict.
                if value.against(c) != Ordering::Less {
                    offending.add(classes, class, NAMED);
                }
            }
            Measured::Ratio(largest.value())
        }
        Demand::T(t) => {
            let closeness = Closeness::new(classes, secret, parts.distance(place))?;
            for (class, _) in (0..).zip(closeness.distances()).filter(|(_, d)| d.against(t) == Ordering::Greater) {
                offending.add(classes, class, NAMED);
            }
            Measured::Ratio(column.t.value.value())
        }
        Demand::EpsilonBop(x) => {
            offending = moved(&[Kind::Loss], x)?;
            Measured::Epsilon(farthest(&|beliefs| beliefs.loss.value()))
        }
        Demand::EpsilonBopTwoSided(x) => {
            offending = moved(&[Kind::Loss, Kind::Gain], x)?;
            Measured::Epsilon(farthest(&|beliefs| beliefs.two_sided().value()))
        }
        Demand::BeliefOdds(limit) => {
            offending = moved(&[Kind::Up, Kind::Down], &Limit::Ratio(limit.clone()))?;
            Measured::Ratio(farthest(&|beliefs| beliefs.odds().value()))
        }
        // Decided in [`about_classes`].
        Demand::K(_)
        | Demand::Prosecutor(_)
        | Demand::Journalist(_)
        | Demand::Marketer(_)
        | Demand::Odds(_)
        | Demand::Gain(_)
        | Demand::NegativeGain(_) => Measured::Count(0),
    };
    Ok((measured, offending))
}
