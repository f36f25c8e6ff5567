//! (ε,δ)-differential privacy: for each pair of neighbours and each event, `Pr[E|T1] ≤ e^ε·Pr[E|T2] + δ`.
//!
//! A witness is one event. The upper bound computes the worst event of each pair, which has every output that adds to
//! it: `δ = Σ_o max(0, Pr[o|T1] − e^ε·Pr[o|T2])`.

use crate::error::RecheckError;
use crate::format::{FixedParameter, Value, Witness};
use crate::number::{ExtendedNumber, Q};
use crate::question::Scenes;
use crate::table::{Data, ExactTable};
use crate::upper::fits;
use crate::witness::{same, text};
use num_traits::{One, Zero};

fn scenes(exchange: bool) -> Scenes {
    let any = (Q::zero(), Q::one());
    if exchange { Scenes::Exchanged(any) } else { Scenes::OneMore(any) }
}

pub(crate) fn neighbours(exchange: bool, left: Data, right: Data) -> bool {
    let scenes = scenes(exchange);
    fits(&scenes, true, left, right) || fits(&scenes, false, left, right)
}

fn delta(left: &[Q], right: &[Q], odds: &Q) -> Q {
    left.iter().zip(right).map(|(high, low)| (high - odds * low).max(Q::zero())).sum()
}

/// Fails unless the witness attains the claimed value.
pub(crate) fn witness(
    table: &ExactTable,
    exchange: bool,
    given: &FixedParameter,
    value: &Value,
    witness: Option<&Witness>,
) -> Result<(), RecheckError> {
    let falls = |shows: String| Err(RecheckError::Falls { claim: text(value), shows });
    let Value::Attained(claim) = value else { return falls("a value that is attained".to_owned()) };
    let Some(witness) = witness else {
        let nothing = match given {
            FixedParameter::Odds(_) => ExtendedNumber::Finite(Q::zero()),
            FixedParameter::Delta(_) => ExtendedNumber::one(),
        };
        return if *claim == nothing { Ok(()) } else { falls("nothing".to_owned()) };
    };
    let Witness::Event { outputs, partly: None, more, less, probabilities } = witness else {
        return Err(RecheckError::Unfit("the notion is about outputs of two datasets".to_owned()));
    };
    let mut event = outputs.iter().map(|name| table.output(name)).collect::<Result<Vec<_>, _>>()?;
    event.sort_unstable();
    // A repeated output would count its probability twice.
    if let Some(pair) = event.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(RecheckError::Unfit(format!("the event has output {} twice", table.output_name(pair[0]))));
    }
    let (more, less) = (table.data(more)?, table.data(less)?);
    let (Some(left), Some(right)) = (table.row(more), table.row(less)) else {
        return Err(RecheckError::Unfit("a dataset of the witness has no row".to_owned()));
    };
    if !neighbours(exchange, more, less) {
        return Err(RecheckError::Unfit(format!("{} and {} are not neighbours", table.name(more), table.name(less))));
    }
    let chance = |row: &[Q]| event.iter().map(|output| &row[*output]).sum::<Q>();
    let (high, low) = (chance(left), chance(right));
    let says = |data: Data| format!("Pr[{} | {}]", outputs.join(" or "), table.name(data));
    same(&says(more), &high, &probabilities.0)?;
    same(&says(less), &low, &probabilities.1)?;
    // `Pr[E|T1] ≤ e^ε·Pr[E|T2] + δ`, solved for the claimed half.
    let found = match given {
        FixedParameter::Odds(odds) => Some(ExtendedNumber::Finite(high - &odds.0 * low)),
        FixedParameter::Delta(delta) if high > delta.0 => ExtendedNumber::ratio(&(high - &delta.0), &low),
        FixedParameter::Delta(_) => None,
    };
    match found {
        Some(found) if found == *claim => Ok(()),
        Some(found) => falls(found.to_string()),
        None => falls("nothing".to_owned()),
    }
}

/// The number of pairs that [`upper`] visits.
pub(crate) fn steps(table: &ExactTable, exchange: bool) -> u128 {
    let n = table.size() as u128;
    let neighbours = if exchange { n * n / 2 } else { n };
    neighbours * 2_u128.pow(table.size() as u32) * table.outputs() as u128
}

/// Fails if a pair of neighbours exceeds the claim.
pub(crate) fn upper(
    table: &ExactTable,
    exchange: bool,
    given: &FixedParameter,
    value: &Value,
) -> Result<(), RecheckError> {
    let Some(claim) = value.high() else { return nobody(table, exchange) };
    let (odds, most) = match (given, claim) {
        (_, ExtendedNumber::Infinite) => return Ok(()),
        (FixedParameter::Odds(odds), ExtendedNumber::Finite(most)) => (odds.0.clone(), most.clone()),
        (FixedParameter::Delta(most), ExtendedNumber::Finite(odds)) => (odds.clone(), most.0.clone()),
    };
    for left in table.subsets() {
        for right in near(table.size(), exchange, left) {
            let (Some(high), Some(low)) = (table.row(left), table.row(right)) else { continue };
            let found = delta(high, low, &odds);
            if found > most {
                let place = format!("{} beside {} with odds {odds}", table.name(left), table.name(right));
                let claim = format!("a delta of {most}");
                return Err(RecheckError::Exceeded { claim, place, found: found.to_string() });
            }
        }
    }
    Ok(())
}

/// Fails if there are neighbours.
pub(crate) fn nobody(table: &ExactTable, exchange: bool) -> Result<(), RecheckError> {
    for left in table.subsets().filter(|left| table.row(*left).is_some()) {
        if let Some(right) = near(table.size(), exchange, left).into_iter().find(|right| table.row(*right).is_some()) {
            return Err(RecheckError::NotVacuous(format!("{} beside {}", table.name(left), table.name(right))));
        }
    }
    Ok(())
}

pub(crate) fn near(n: usize, exchange: bool, data: Data) -> Vec<Data> {
    let single = (0..n).map(|t| data ^ 1 << t);
    if !exchange {
        return single.collect();
    }
    let double = (0..n).flat_map(|t| (0..t).map(move |s| data ^ 1 << t ^ 1 << s));
    double.filter(|other| other.count_ones() == data.count_ones()).collect()
}
