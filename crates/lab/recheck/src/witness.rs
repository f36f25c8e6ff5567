//! Verification of a witness: its numbers are those of the table, it fits the notion, and it attains the claim.

use crate::belong;
use crate::error::RecheckError;
use crate::format::{Value, Witness};
use crate::measure::flipped;
use crate::number::{ExtendedNumber, Fraction, Q, sum};
use crate::question::{Beliefs, Line, Measure, Scenes};
use crate::table::{Data, ExactTable, has};
use crate::upper::{fits, thinned};
use num_traits::{One, Zero};
use std::borrow::Cow;

/// The values of a witness: those that an observer attains, and those that observers approach.
#[derive(Debug, Default)]
pub(crate) struct WitnessValues {
    pub(crate) reached: Vec<ExtendedNumber>,
    pub(crate) limits: Vec<ExtendedNumber>,
}

impl WitnessValues {
    /// Fails unless the claimed value is among them.
    pub(crate) fn supports(&self, value: &Value, measure: Measure) -> Result<(), RecheckError> {
        let right = match value {
            Value::Attained(claim) => self.reached.contains(claim),
            Value::Approached(claim) => self.limits.contains(claim),
            Value::Vacuous => false,
            Value::Between { low, high, .. } => {
                let reached = if measure == Measure::Lowest { high } else { low };
                self.reached.iter().chain(&self.limits).any(|shown| !measure.is_worse(reached, shown))
            }
        };
        if right {
            return Ok(());
        }
        let list = |values: &[ExtendedNumber]| values.iter().map(ToString::to_string).collect::<Vec<_>>().join(" or ");
        let shows = match (self.reached.is_empty(), self.limits.is_empty()) {
            (true, true) => "nothing".to_owned(),
            (false, true) => list(&self.reached),
            (true, false) => format!("{} as a limit", list(&self.limits)),
            (false, false) => format!("{}, and {} as a limit", list(&self.reached), list(&self.limits)),
        };
        Err(RecheckError::Falls { claim: text(value), shows })
    }

    fn add(&mut self, line: &Line, beliefs: &Beliefs, top: &Q, bottom: &Q) {
        if line.measure == Measure::Ratio {
            self.reached.extend(ExtendedNumber::ratio(top, bottom));
            return;
        }
        let middle = (&beliefs.0 + &beliefs.1) / Q::from_integer(2.into());
        for p in [&beliefs.0, &beliefs.1, &middle] {
            let shown = line.measure.at(p, top, bottom);
            // At prior 0, (α,β)-differential identifiability is defined by the limit.
            if p.is_zero() || p.is_one() {
                self.limits.extend(shown.clone());
            }
            if !(p.is_zero() || p.is_one()) || matches!(line.measure, Measure::Alpha | Measure::Beta) {
                self.reached.extend(shown);
            }
        }
        for list in [&mut self.reached, &mut self.limits] {
            list.sort();
            list.dedup();
        }
    }
}

pub(crate) fn text(value: &Value) -> String {
    match value {
        Value::Attained(claim) => claim.to_string(),
        Value::Approached(claim) => format!("{claim} as a limit"),
        Value::Between { low, .. } => format!("at least {low}"),
        Value::Vacuous => "that there is nothing to compare".to_owned(),
    }
}

/// The values of the witness for one line of the question.
pub(crate) fn shown(table: &ExactTable, line: &Line, witness: &Witness) -> Result<WitnessValues, RecheckError> {
    let mut shown = WitnessValues::default();
    match witness {
        Witness::Datasets { output, more, less, probabilities } => {
            let (output, more, less) = (table.output(output)?, table.data(more)?, table.data(less)?);
            // α measures the belief in the world with the smaller probability of the output.
            let (top, bottom) = if line.measure == Measure::Alpha { (less, more) } else { (more, less) };
            if !fits(&line.scenes, line.presence, top, bottom) {
                let (more, less) = (table.name(more), table.name(less));
                return Err(RecheckError::Unfit(format!("the notion does not compare {more} with {less}")));
            }
            let value = |data: Data| match &line.scenes {
                Scenes::Thinned(rate) => Ok(thinned(table, output, rate, data)),
                _ => {
                    let found = table.get(output, data).cloned();
                    found.ok_or_else(|| RecheckError::Unfit(format!("dataset {} has no row", table.name(data))))
                }
            };
            let (high, low) = (value(more)?, value(less)?);
            same(&table.says(output, more), &high, &probabilities.0)?;
            same(&table.says(output, less), &low, &probabilities.1)?;
            let beliefs = match &line.scenes {
                Scenes::OneMore(beliefs) | Scenes::Exchanged(beliefs) => beliefs.clone(),
                Scenes::OneOf(_) | Scenes::OneOfRest(_) => (Q::new(1.into(), 2.into()), Q::new(1.into(), 2.into())),
                _ => (Q::zero(), Q::one()),
            };
            let beliefs = if line.presence { beliefs } else { flipped(&beliefs) };
            let (top, bottom) = if line.measure == Measure::Alpha { (&low, &high) } else { (&high, &low) };
            shown.add(line, &beliefs, top, bottom);
        }
        Witness::Prior { prior, entity, .. } => {
            let t = table.entity(entity)?;
            let weights = table.prior(prior)?;
            if matches!(line.measure, Measure::Alpha | Measure::Beta) && weights.len() != 2 {
                let found = weights.len();
                return Err(RecheckError::Unfit(format!("the notion has two worlds, but the prior has {found}")));
            }
            let open = belong::check(table, &line.scenes, &weights, t)?;
            let seen = EntityPosterior::of(table, witness)?;
            let (belief, top, bottom) = if line.presence {
                (seen.belief, &seen.present, &seen.absent)
            } else {
                (Q::one() - seen.belief, &seen.absent, &seen.present)
            };
            shown.add(line, &(belief.clone(), belief), top, bottom);
            // Observers nearer to certainty have the same likelihoods.
            if let Some(open) = open {
                let open = if line.presence { open } else { flipped(&open) };
                let mut near = WitnessValues::default();
                near.add(line, &open, top, bottom);
                shown.limits.extend(near.limits);
            }
        }
        Witness::Event { .. } | Witness::Crowd { .. } | Witness::Simulation { .. } => {
            return Err(RecheckError::Unfit("the notion is about one output at a time".to_owned()));
        }
    }
    Ok(shown)
}

/// The posterior belief in an entity's presence after an output, with the weights that it is computed from.
pub(crate) struct EntityPosterior {
    pub(crate) belief: Q,
    pub(crate) present: Q,
    pub(crate) absent: Q,
}

impl EntityPosterior {
    /// By the definition of conditional probability; fails if the stated likelihoods differ.
    pub(crate) fn of(table: &ExactTable, witness: &Witness) -> Result<Self, RecheckError> {
        let Witness::Prior { prior, entity, output, likelihoods } = witness else {
            return Err(RecheckError::Unfit("this family needs a prior as its witness".to_owned()));
        };
        let (t, o) = (table.entity(entity)?, table.output(output)?);
        let weights = table.prior(prior)?;
        let belief: Q = weights.iter().filter(|(data, _)| has(*data, t)).map(|(_, weight)| weight).sum();
        if belief.is_zero() || belief.is_one() {
            return Err(RecheckError::Unfit(format!("the observer is certain of {entity}")));
        }
        let (mut with, mut without) = (Vec::new(), Vec::new());
        for (data, weight) in &weights {
            let Some(value) = table.get(o, *data) else {
                return Err(RecheckError::Unfit(format!("dataset {} has no row", table.name(*data))));
            };
            if has(*data, t) { &mut with } else { &mut without }.push(weight * value);
        }
        let [with, without] = [with, without].map(|side| sum(side.into_iter().map(Cow::Owned)));
        let (present, absent) = (with / &belief, without / (Q::one() - &belief));
        same(&format!("Pr[{output} | {entity} in]"), &present, &likelihoods.0)?;
        same(&format!("Pr[{output} | {entity} out]"), &absent, &likelihoods.1)?;
        Ok(Self { belief, present, absent })
    }
}

/// Fails unless a stated probability is that of the table.
pub(crate) fn same(what: &str, table: &Q, witness: &Fraction) -> Result<(), RecheckError> {
    if *table == witness.0 {
        return Ok(());
    }
    Err(RecheckError::Differs { what: what.to_owned(), table: table.to_string(), witness: witness.to_string() })
}
