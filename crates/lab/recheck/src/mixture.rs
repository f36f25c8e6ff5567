//! Given priors and all their mixtures (F-EXPL).
//!
//! Among mixtures with one belief in `t` both inequalities of B-2 are linear-fractional in the shares, and a vertex of
//! that slice mixes two of the priors: two at a time suffice. Along two priors each inequality is a quadratic that must
//! not be negative between 0 and 1, which fractions decide without finding its root.

use crate::belong::belief;
use crate::error::RecheckError;
use crate::format::Witness;
use crate::number::{ExtendedNumber, Q};
use crate::question::Measure;
use crate::table::{Data, ExactTable, has};
use crate::witness::{EntityPosterior, WitnessValues};
use num_traits::{One, Signed, Zero};

type Weights = Vec<(Data, Q)>;

/// What a witness of the hull shows, for one direction.
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
        return Err(RecheckError::Unfit("the prior is no given one, nor a mixture of two of them".to_owned()));
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

/// What mixtures of two priors come near as the second is given less and less weight, where the first is certain.
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
        // after/p of ever less belief, and (1−p)/(1−after) of ever more; the other one tends to 1.
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

/// Every two of the priors that mix to this one.
fn mixed_of(priors: &[Weights], prior: &Weights) -> Vec<(usize, usize)> {
    let pairs = (0..priors.len()).flat_map(|first| (first..priors.len()).map(move |second| (first, second)));
    let mixes = |(first, second): &(usize, usize)| {
        let (first, second) = (&priors[*first], &priors[*second]);
        let all: Vec<Data> =
            [first, second, prior].iter().flat_map(|weights| weights.iter().map(|(data, _)| *data)).collect();
        // The share of the second, from any dataset on which the two differ.
        let gap = |data: &Data| weight(second, *data) - weight(first, *data);
        let share = all.iter().find(|data| !gap(data).is_zero());
        let share = share.map_or_else(Q::zero, |data| (weight(prior, *data) - weight(first, *data)) / gap(data));
        let inside = !share.is_negative() && share <= Q::one();
        inside && all.iter().all(|data| weight(prior, *data) == weight(first, *data) + &share * gap(data))
    };
    pairs.filter(mixes).collect()
}

/// How many sums [`upper`] needs.
pub(crate) fn steps(table: &ExactTable, priors: &[Weights]) -> u128 {
    let terms: usize = priors.iter().map(Vec::len).sum();
    (table.outputs() * table.size() * (terms + priors.len() * priors.len())) as u128
}

/// That all priors are certain of everybody, and agree.
pub(crate) fn nobody(table: &ExactTable, priors: &[Weights]) -> Result<(), RecheckError> {
    let mut all = priors.iter().flatten().map(|(data, _)| *data);
    let Some(first) = all.next() else { return Ok(()) };
    match all.find(|data| *data != first) {
        None => Ok(()),
        Some(other) => {
            let (first, other) = (table.name(first), table.name(other));
            Err(RecheckError::NotVacuous(format!("a mixture that hesitates between {first} and {other}")))
        }
    }
}

/// What one prior says: `Pr[top, o]`, `Pr[o]` and `Pr[top]`.
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

/// That no mixture is beyond the claim.
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
            // (1−p) over what it becomes: a question about one prior alone.
            let falls = |line: &Line| (Q::one() - &line.top) * &line.output > most * (&line.output - &line.both);
            if lines.iter().any(|line| !line.top.is_zero() && !line.top.is_one() && falls(line)) {
                return exceeded("by the definition");
            }
            continue;
        }
        // Beliefs afterwards are linear-fractional: the extremes are at the given priors, of which one that is certain
        // is a limit of mixtures unless all are.
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

/// `both ≤ γ·top·output` and `(1−top)·output ≤ γ·(output−both)` for all mixtures of two.
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

/// Whether `c·a(x)·b(x) + d·l(x) ≥ 0` for all `x` from 0 to 1, with `a`, `b`, `l` linear and given by their ends.
fn quadratic(a: (&Q, &Q), b: (&Q, &Q), c: &Q, l: (&Q, &Q), d: &Q) -> bool {
    let (da, db, dl) = (a.1 - a.0, b.1 - b.0, l.1 - l.0);
    let square = c * &da * &db;
    let linear = c * (a.0 * &db + b.0 * &da) + d * dl;
    let constant = c * a.0 * b.0 + d * l.0;
    let end = &square + &linear + &constant;
    if constant.is_negative() || end.is_negative() {
        return false;
    }
    // Lowest between the ends only if it curves upwards and the slope turns there.
    let turns = square.is_positive() && linear.is_negative() && -&linear < &square * Q::from_integer(2.into());
    !turns || &square * &constant * Q::from_integer(4.into()) >= &linear * &linear
}
