//! Odds that are exceeded with a chance (B-7, E-7).
//!
//! A witness is one event, of which one output may be in it in part. The upper bound is read from the lower hull of the
//! curves of all neighbours: the probabilities of the events of the largest ratios.

use crate::approximate::{near, neighbours, nobody};
use crate::error::RecheckError;
use crate::format::{Reading, Value, Witness};
use crate::number::{ExtendedNumber, Q};
use crate::table::ExactTable;
use crate::witness::{same, text};
use num_traits::{One, Signed, Zero};

/// Fails unless the witness shows the claimed value, or the lower end of the claimed bracket.
pub(crate) fn witness(
    table: &ExactTable,
    exchange: bool,
    (odds, reading): (&Q, Reading),
    value: &Value,
    witness: Option<&Witness>,
) -> Result<(), RecheckError> {
    let falls = |shows: String| Err(RecheckError::Falls { claim: text(value), shows });
    let Some(witness) = witness else {
        let nothing = Value::Attained(ExtendedNumber::Finite(Q::zero()));
        return if *value == nothing { Ok(()) } else { falls("nothing".to_owned()) };
    };
    let Witness::Event { outputs, partly, more, less, probabilities } = witness else {
        return Err(RecheckError::Unfit("the notion is about outputs of two datasets".to_owned()));
    };
    let mut event = Vec::new();
    for name in outputs {
        event.push((table.output(name)?, Q::one()));
    }
    if let Some((name, part)) = partly {
        if !part.0.is_positive() || part.0 >= Q::one() {
            return Err(RecheckError::Unfit(format!("{} of {name} is not a part of it", part.0)));
        }
        event.push((table.output(name)?, part.0.clone()));
    }
    event.sort();
    // A repeated output would count its probability twice.
    if let Some(pair) = event.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        return Err(RecheckError::Unfit(format!("the event has output {} twice", table.output_name(pair[0].0))));
    }
    let (more, less) = (table.data(more)?, table.data(less)?);
    let (Some(left), Some(right)) = (table.row(more), table.row(less)) else {
        return Err(RecheckError::Unfit("a dataset of the witness has no row".to_owned()));
    };
    if !neighbours(exchange, more, less) {
        return Err(RecheckError::Unfit(format!("{} and {} are not neighbours", table.name(more), table.name(less))));
    }
    let chance = |row: &[Q]| event.iter().map(|(output, part)| &row[*output] * part).sum::<Q>();
    let (high, low) = (chance(left), chance(right));
    same(&format!("Pr[event | {}]", table.name(more)), &high, &probabilities.0)?;
    same(&format!("Pr[event | {}]", table.name(less)), &low, &probabilities.1)?;
    let is_beyond = |(output, _): &(usize, Q)| left[*output] > odds * &right[*output];
    let (claim, shows) = match (reading, value) {
        // Slightly less of an event that reaches the odds exceeds them, if one of its outputs does.
        (Reading::Event, Value::Approached(claim) | Value::Between { low: claim, .. }) => {
            (claim, high >= odds * low && event.iter().any(is_beyond))
        }
        (Reading::Output, Value::Attained(claim)) => (claim, partly.is_none() && event.iter().all(is_beyond)),
        _ => return falls("another kind of value".to_owned()),
    };
    match ExtendedNumber::Finite(high) {
        found if shows && found == *claim => Ok(()),
        found if shows => falls(found.to_string()),
        _ => falls(format!("no odds above {odds}")),
    }
}

/// Fails if neighbours, or mixtures of neighbours, exceed the claim.
pub(crate) fn upper(
    table: &ExactTable,
    exchange: bool,
    odds: &Q,
    reading: Reading,
    value: &Value,
) -> Result<(), RecheckError> {
    let most = match value.high() {
        None => return nobody(table, exchange),
        Some(ExtendedNumber::Infinite) => return Ok(()),
        Some(ExtendedNumber::Finite(most)) => most,
    };
    let exceeded = |place: String, found: Q| {
        Err(RecheckError::Exceeded { claim: format!("a chance of {most}"), place, found: found.to_string() })
    };
    let (mut corners, mut is_exceeded) = (Vec::new(), false);
    for left in table.subsets() {
        for right in near(table.size(), exchange, left) {
            let (Some(high), Some(low)) = (table.row(left), table.row(right)) else { continue };
            is_exceeded |= high.iter().zip(low).any(|(high, low)| *high > odds * low);
            match reading {
                Reading::Output => {
                    let beyond = high.iter().zip(low).filter(|(high, low)| **high > odds * *low);
                    let found = beyond.map(|(high, _)| high).sum::<Q>();
                    if found > *most {
                        return exceeded(format!("{} beside {}", table.name(left), table.name(right)), found);
                    }
                }
                Reading::Event => {
                    corners.extend(curve(high, low));
                    // Only corners of the hull count.
                    if corners.len() > MOST_CORNERS {
                        corners = hull(corners);
                    }
                }
            }
        }
    }
    if reading == Reading::Output || !is_exceeded {
        return Ok(());
    }
    let found = reached(&hull(corners), odds);
    if found > *most { exceeded(format!("all neighbours, mixed, at odds {odds}"), found) } else { Ok(()) }
}

/// Corners that are kept before those that do not count are dropped.
const MOST_CORNERS: usize = 10_000;

/// The probabilities of an event at both datasets.
type Corner = (Q, Q);

/// The probabilities of events of the largest ratios, from none to all outputs.
fn curve(high: &[Q], low: &[Q]) -> Vec<Corner> {
    let mut outputs: Vec<(&Q, &Q)> =
        high.iter().zip(low).filter(|(high, low)| !high.is_zero() || !low.is_zero()).collect();
    outputs.sort_by(|one, other| (other.0 * one.1).cmp(&(one.0 * other.1)));
    let mut sum = (Q::zero(), Q::zero());
    let mut all = vec![sum.clone()];
    for (high, low) in outputs {
        sum = (sum.0 + high, sum.1 + low);
        all.push(sum.clone());
    }
    all
}

/// The corners of the lower hull, from left to right.
fn hull(mut corners: Vec<Corner>) -> Vec<Corner> {
    corners.sort();
    let mut kept: Vec<Corner> = Vec::new();
    for corner in corners {
        while let [.., one, two] = kept.as_slice() {
            let rises = |from: &Corner, to: &Corner| (&to.1 - &from.1, &to.0 - &from.0);
            let ((up, along), (further, beyond)) = (rises(one, two), rises(one, &corner));
            if up * beyond < further * along {
                break;
            }
            kept.pop();
        }
        kept.push(corner);
    }
    kept
}

/// The largest probability at which the hull is not above `1/odds` of it.
fn reached(hull: &[Corner], odds: &Q) -> Q {
    let mut largest = Q::zero();
    for pair in hull.windows(2) {
        let (one, two) = (&pair[0], &pair[1]);
        let over = |corner: &Corner| odds * &corner.1 - &corner.0;
        if !over(two).is_positive() {
            largest = two.0.clone();
        } else if !over(one).is_positive() {
            let part = -over(one) / (over(two) - over(one));
            largest = &one.0 + part * (&two.0 - &one.0);
        }
    }
    largest
}
