//! Given priors and all their mixtures (F-EXPL).
//!
//! Among mixtures with one belief in `t` both inequalities of B-2 are linear-fractional in the shares, and a vertex of
//! that slice mixes two of the priors: two at a time suffice. Along two priors each inequality is a quadratic that must
//! not be negative between 0 and 1, which fractions decide without finding its root.

use crate::belong::belief;
use crate::error::RecheckError;
use crate::format::Witness;
use crate::number::{Extended, Q};
use crate::question::Measure;
use crate::table::{Data, Table, has};
use crate::witness::{Seen, Shown};
use num_traits::{One, Signed, Zero};

type Weights = Vec<(Data, Q)>;

/// What a witness of the hull shows, for one direction.
pub(crate) fn shown(
    table: &Table,
    priors: &[Weights],
    presence: bool,
    measure: Measure,
    witness: &Witness,
) -> Result<Shown, RecheckError> {
    let seen = Seen::of(table, witness)?;
    let Witness::Prior { prior, .. } = witness else { return Ok(Shown::default()) };
    let prior = table.prior(prior)?;
    if !in_hull(priors, &prior) {
        return Err(RecheckError::Unfit("the prior is no given one, nor a mixture of two of them".to_owned()));
    }
    let reached = if presence {
        measure.at(&seen.belief, &seen.present, &seen.absent)
    } else {
        measure.at(&(Q::one() - seen.belief), &seen.absent, &seen.present)
    };
    Ok(Shown { reached: reached.into_iter().collect(), limits: Vec::new() })
}

fn weight(prior: &Weights, data: Data) -> Q {
    prior.iter().find(|(other, _)| *other == data).map_or_else(Q::zero, |(_, weight)| weight.clone())
}

fn in_hull(priors: &[Weights], prior: &Weights) -> bool {
    let pairs = priors.iter().flat_map(|first| priors.iter().map(move |second| (first, second)));
    pairs.into_iter().any(|(first, second)| {
        let all: Vec<Data> =
            [first, second, prior].iter().flat_map(|weights| weights.iter().map(|(data, _)| *data)).collect();
        // The share of the second, from any dataset on which the two differ.
        let gap = |data: &Data| weight(second, *data) - weight(first, *data);
        let share = all.iter().find(|data| !gap(data).is_zero());
        let share = share.map_or_else(Q::zero, |data| (weight(prior, *data) - weight(first, *data)) / gap(data));
        let inside = !share.is_negative() && share <= Q::one();
        inside && all.iter().all(|data| weight(prior, *data) == weight(first, *data) + &share * gap(data))
    })
}

/// How many sums [`upper`] needs.
pub(crate) fn steps(table: &Table, priors: &[Weights]) -> u128 {
    let terms: usize = priors.iter().map(Vec::len).sum();
    (table.outputs() * table.size() * (terms + priors.len() * priors.len())) as u128
}

/// What one prior says: `Pr[top, o]`, `Pr[o]` and `Pr[top]`.
struct Line {
    both: Q,
    output: Q,
    top: Q,
}

/// That no mixture is beyond the claim.
pub(crate) fn upper(
    table: &Table,
    priors: &[Weights],
    presence: bool,
    measure: Measure,
    claim: &Extended,
) -> Result<(), RecheckError> {
    let Extended::Finite(most) = claim else { return Ok(()) };
    for (o, t) in (0..table.outputs()).flat_map(|o| (0..table.size()).map(move |t| (o, t))) {
        let line = |prior: &Weights| {
            let value = |data: Data, weight: &Q| table.get(o, data).map_or_else(Q::zero, |value| value * weight);
            let on_top = prior.iter().filter(|(data, _)| has(*data, t) == presence);
            let present = belief(prior, t);
            Line {
                both: on_top.map(|(data, weight)| value(*data, weight)).sum(),
                output: prior.iter().map(|(data, weight)| value(*data, weight)).sum(),
                top: if presence { present } else { Q::one() - present },
            }
        };
        let lines: Vec<Line> = priors.iter().map(line).collect();
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
        // Beliefs afterwards are linear-fractional: the extremes are at the given priors, of which one that is certain
        // is a limit of mixtures unless all are.
        let all_certain = lines.iter().all(|line| line.top.is_one());
        for line in lines.iter().filter(|line| line.output.is_positive() && !all_certain) {
            let after = &line.both / &line.output;
            let measured = Extended::Finite(if measure == Measure::Lowest { Q::one() - after } else { after });
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
