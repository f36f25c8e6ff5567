//! Given priors and all their mixtures (F-EXPL).
//!
//! Among mixtures with the same belief in `t` both inequalities of B-2 are linear-fractional in the weights, and a
//! vertex of that slice mixes two of the priors: pairs of priors suffice. Along a pair each inequality says that a
//! quadratic is not negative between 0 and 1, which is decided in fractions without finding its roots.

use crate::belong::belief;
use crate::error::RecheckError;
use crate::format::Witness;
use crate::number::{ExtendedNumber, Q};
use crate::question::Measure;
use crate::table::{Data, ExactTable, has};
use crate::witness::{EntityPosterior, WitnessValues};
use num_traits::{One, Signed, Zero};

type Weights = Vec<(Data, Q)>;

/// The value of a witness for mixtures, in one direction.
pub(crate) fn shown(
    table: &ExactTable,
    priors: &[Weights],
    presence: bool,
    measure: Measure,
    witness: &Witness,
) -> Result<WitnessValues, RecheckError> {
    let seen = EntityPosterior::of(table, witness)?;
    let Witness::Prior { prior, entity, output, .. } = witness else { return Ok(WitnessValues::default()) };
    let (t, o) = (table.entity(entity)?, table.output(output)?);
    let prior = table.prior(prior)?;
    let pairs = mixed_of(priors, &prior);
    if pairs.is_empty() {
        return Err(RecheckError::Unfit("the prior is neither a given one nor a mixture of two of them".to_owned()));
    }
    let reached = if presence {
        measure.at(&seen.belief, &seen.present, &seen.absent)
    } else {
        measure.at(&(Q::one() - seen.belief), &seen.absent, &seen.present)
    };
    let lines: Vec<Line> = priors.iter().map(|prior| line(table, prior, presence, t, o)).collect();
    let limits = pairs.iter().flat_map(|(first, second)| {
        [limit(measure, &lines[*first], &lines[*second]), limit(measure, &lines[*second], &lines[*first])]
    });
    Ok(WitnessValues { reached: reached.into_iter().collect(), limits: limits.flatten().collect() })
}

/// The limit of the measure over mixtures as the weight of the second prior tends to 0, where the first is certain.
fn limit(measure: Measure, first: &Line, second: &Line) -> Option<ExtendedNumber> {
    let one = Q::one();
    let rest = |line: &Line| &line.output - &line.both;
    if !first.top.is_zero() && !first.top.is_one() || first.top == second.top {
        return None;
    }
    let after = (!first.output.is_zero()).then(|| &first.both / &first.output);
    match measure {
        Measure::Highest => after.map(ExtendedNumber::Finite),
        Measure::Lowest => after.map(|after| ExtendedNumber::Finite(one - after)),
        // after/p as the belief tends to 0, and (1−p)/(1−after) as it tends to 1; the other quotient tends to 1.
        Measure::Gain if first.top.is_zero() => ExtendedNumber::ratio(&second.both, &(&second.top * &first.output))
            .map(|gain| gain.max(ExtendedNumber::one())),
        Measure::Gain => {
            let gain = ExtendedNumber::ratio(&((one - &second.top) * &first.output), &rest(second));
            gain.map(|gain| gain.max(ExtendedNumber::one()))
        }
        Measure::Ratio | Measure::Fall | Measure::Alpha | Measure::Beta => None,
    }
}

fn weight(prior: &Weights, data: Data) -> Q {
    prior.iter().find(|(other, _)| *other == data).map_or_else(Q::zero, |(_, weight)| weight.clone())
}

/// All pairs of the priors of which this one is a mixture.
fn mixed_of(priors: &[Weights], prior: &Weights) -> Vec<(usize, usize)> {
    let pairs = (0..priors.len()).flat_map(|first| (first..priors.len()).map(move |second| (first, second)));
    let mixes = |(first, second): &(usize, usize)| {
        let (first, second) = (&priors[*first], &priors[*second]);
        let all: Vec<Data> =
            [first, second, prior].iter().flat_map(|weights| weights.iter().map(|(data, _)| *data)).collect();
        // The weight of the second prior, from any dataset on which the two differ.
        let gap = |data: &Data| weight(second, *data) - weight(first, *data);
        let share = all.iter().find(|data| !gap(data).is_zero());
        let share = share.map_or_else(Q::zero, |data| (weight(prior, *data) - weight(first, *data)) / gap(data));
        let inside = !share.is_negative() && share <= Q::one();
        inside && all.iter().all(|data| weight(prior, *data) == weight(first, *data) + &share * gap(data))
    };
    pairs.filter(mixes).collect()
}

/// The number of sums that [`upper`] computes.
pub(crate) fn steps(table: &ExactTable, priors: &[Weights]) -> u128 {
    let terms: usize = priors.iter().map(Vec::len).sum();
    (table.outputs() * table.size() * (terms + priors.len() * priors.len())) as u128
}

/// Fails unless all priors are certain of the same dataset.
pub(crate) fn nobody(table: &ExactTable, priors: &[Weights]) -> Result<(), RecheckError> {
    let mut all = priors.iter().flatten().map(|(data, _)| *data);
    let Some(first) = all.next() else { return Ok(()) };
    match all.find(|data| *data != first) {
        None => Ok(()),
        Some(other) => {
            let (first, other) = (table.name(first), table.name(other));
            Err(RecheckError::NotVacuous(format!("a mixture in which {first} and {other} are both possible")))
        }
    }
}

/// The probabilities of one prior: `Pr[top, o]`, `Pr[o]` and `Pr[top]`.
struct Line {
    both: Q,
    output: Q,
    top: Q,
}

fn line(table: &ExactTable, prior: &Weights, presence: bool, t: usize, o: usize) -> Line {
    let value = |data: Data, weight: &Q| table.get(o, data).map_or_else(Q::zero, |value| value * weight);
    let on_top = prior.iter().filter(|(data, _)| has(*data, t) == presence);
    let present = belief(prior, t);
    Line {
        both: on_top.map(|(data, weight)| value(*data, weight)).sum(),
        output: prior.iter().map(|(data, weight)| value(*data, weight)).sum(),
        top: if presence { present } else { Q::one() - present },
    }
}

/// Fails if a mixture exceeds the claim.
pub(crate) fn upper(
    table: &ExactTable,
    priors: &[Weights],
    presence: bool,
    measure: Measure,
    claim: &ExtendedNumber,
) -> Result<(), RecheckError> {
    let ExtendedNumber::Finite(most) = claim else { return Ok(()) };
    for (o, t) in (0..table.outputs()).flat_map(|o| (0..table.size()).map(move |t| (o, t))) {
        let lines: Vec<Line> = priors.iter().map(|prior| line(table, prior, presence, t, o)).collect();
        let exceeded = |what: &str| {
            let place = format!("`{}` about {}, {what}", table.output_name(o), table.entity_name(t));
            Err(RecheckError::Exceeded { claim: claim.to_string(), place, found: "more".to_owned() })
        };
        if measure == Measure::Gain {
            for (at, first) in lines.iter().enumerate() {
                for second in &lines[at..] {
                    if !gains_at_most(most, first, second) {
                        return exceeded("a mixture of two priors");
                    }
                }
            }
            continue;
        }
        if measure == Measure::Fall {
            // (1−p) over its posterior: it depends on one prior only.
            let falls = |line: &Line| (Q::one() - &line.top) * &line.output > most * (&line.output - &line.both);
            if lines.iter().any(|line| !line.top.is_zero() && !line.top.is_one() && falls(line)) {
                return exceeded("by the definition");
            }
            continue;
        }
        // Posteriors are linear-fractional: the extremes are at the given priors. A certain prior is a limit of
        // mixtures unless all are certain.
        let all_certain = lines.iter().all(|line| line.top.is_one());
        for line in lines.iter().filter(|line| line.output.is_positive() && !all_certain) {
            let after = &line.both / &line.output;
            let measured = ExtendedNumber::Finite(if measure == Measure::Lowest { Q::one() - after } else { after });
            if measure.is_worse(&measured, claim) {
                return exceeded(&format!("which gives {measured}"));
            }
        }
    }
    Ok(())
}

/// Whether `both ≤ γ·top·output` and `(1−top)·output ≤ γ·(output−both)` for all mixtures of two priors.
fn gains_at_most(most: &Q, first: &Line, second: &Line) -> bool {
    let one = Q::one();
    let rest = |line: &Line| &line.output - &line.both;
    let grows = quadratic(
        (&first.top, &second.top),
        (&first.output, &second.output),
        most,
        (&first.both, &second.both),
        &-&one,
    );
    let (bottom, top) = ((&one - &first.top), (&one - &second.top));
    let (low, high) = (rest(first), rest(second));
    let shrinks = quadratic((&bottom, &top), (&first.output, &second.output), &-&one, (&low, &high), most);
    grows && shrinks
}

/// Whether `c·a(x)·b(x) + d·l(x) ≥ 0` for all `x` from 0 to 1; `a`, `b` and `l` are linear, given by their values at 0
/// and 1.
fn quadratic(a: (&Q, &Q), b: (&Q, &Q), c: &Q, l: (&Q, &Q), d: &Q) -> bool {
    let (da, db, dl) = (a.1 - a.0, b.1 - b.0, l.1 - l.0);
    let square = c * &da * &db;
    let linear = c * (a.0 * &db + b.0 * &da) + d * dl;
    let constant = c * a.0 * b.0 + d * l.0;
    let end = &square + &linear + &constant;
    if constant.is_negative() || end.is_negative() {
        return false;
    }
    // The minimum is between the ends only if the quadratic is convex with its vertex there.
    let turns = square.is_positive() && linear.is_negative() && -&linear < &square * Q::from_integer(2.into());
    !turns || &square * &constant * Q::from_integer(4.into()) >= &linear * &linear
}
