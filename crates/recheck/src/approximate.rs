//! (ε,δ)-differential privacy: for each pair of neighbours, `δ = Σ_o max(0, Pr[o|T1] − e^ε·Pr[o|T2])`.

use crate::error::RecheckError;
use crate::format::{Given, Value, Witness};
use crate::number::{Extended, Q};
use crate::question::Scenes;
use crate::table::{Data, Table};
use crate::upper::fits;
use crate::witness::{same, text};
use num_traits::{One, Signed, Zero};

fn scenes(exchange: bool) -> Scenes {
    let any = (Q::zero(), Q::one());
    if exchange { Scenes::Exchanged(any) } else { Scenes::OneMore(any) }
}

fn neighbours(exchange: bool, left: Data, right: Data) -> bool {
    let scenes = scenes(exchange);
    fits(&scenes, true, left, right) || fits(&scenes, false, left, right)
}

/// The sum over outputs; with infinite odds, over those that the second dataset never gives.
fn delta(left: &[Q], right: &[Q], odds: &Extended) -> Q {
    let part = |(high, low): (&Q, &Q)| match odds {
        Extended::Finite(odds) => (high - odds * low).max(Q::zero()),
        Extended::Infinite if low.is_zero() => high.clone(),
        Extended::Infinite => Q::zero(),
    };
    left.iter().zip(right).map(part).sum()
}

/// That the witness shows the claimed value.
pub(crate) fn witness(
    table: &Table,
    exchange: bool,
    given: &Given,
    value: &Value,
    witness: Option<&Witness>,
) -> Result<(), RecheckError> {
    let falls = |shows: String| Err(RecheckError::Falls { claim: text(value), shows });
    let Value::Attained(claim) = value else { return falls("a value that is attained".to_owned()) };
    let Some(witness) = witness else {
        let nothing = match given {
            Given::Odds(_) => Extended::Finite(Q::zero()),
            Given::Delta(_) => Extended::one(),
        };
        return if *claim == nothing { Ok(()) } else { falls("nothing".to_owned()) };
    };
    let Witness::Datasets { output, more, less, probabilities } = witness else {
        return Err(RecheckError::Unfit("the notion is about two datasets".to_owned()));
    };
    let (output, more, less) = (table.output(output)?, table.data(more)?, table.data(less)?);
    let (Some(left), Some(right)) = (table.row(more), table.row(less)) else {
        return Err(RecheckError::Unfit("a dataset of the witness has no row".to_owned()));
    };
    if !neighbours(exchange, more, less) {
        return Err(RecheckError::Unfit(format!("{} and {} are no neighbours", table.name(more), table.name(less))));
    }
    same(&table.says(output, more), &left[output], &probabilities.0)?;
    same(&table.says(output, less), &right[output], &probabilities.1)?;
    match given {
        Given::Odds(odds) => {
            let found = Extended::Finite(delta(left, right, &Extended::Finite(odds.0.clone())));
            if found == *claim { Ok(()) } else { falls(found.to_string()) }
        }
        Given::Delta(given) => {
            let at = delta(left, right, claim);
            if *claim == Extended::Infinite {
                return if at > given.0 { Ok(()) } else { falls(format!("a delta of {at} at any large odds")) };
            }
            if *claim == Extended::one() && at <= given.0 {
                return Ok(());
            }
            // Smaller odds give more: some output is given by both, and often enough by the first.
            let Extended::Finite(odds) = claim else { return falls(at.to_string()) };
            let grows = left.iter().zip(right).any(|(high, low)| low.is_positive() && *high >= odds * low);
            if at == given.0 && grows && *odds >= Q::one() {
                return Ok(());
            }
            falls(format!("a delta of {at} there, and {} is given", given))
        }
    }
}

/// How many pairs [`upper`] looks at.
pub(crate) fn steps(table: &Table, exchange: bool) -> u128 {
    2 * crate::upper::steps(table, &scenes(exchange)) * table.outputs() as u128
}

/// That no pair of neighbours is beyond the claim.
pub(crate) fn upper(table: &Table, exchange: bool, given: &Given, value: &Value) -> Result<(), RecheckError> {
    let (Value::Attained(claim) | Value::Approached(claim) | Value::Between { high: claim, .. }) = value;
    let (odds, most) = match (given, claim) {
        (_, Extended::Infinite) => return Ok(()),
        (Given::Odds(odds), Extended::Finite(most)) => (odds.0.clone(), most.clone()),
        (Given::Delta(most), Extended::Finite(odds)) => (odds.clone(), most.0.clone()),
    };
    let odds = Extended::Finite(odds);
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

fn near(n: usize, exchange: bool, data: Data) -> Vec<Data> {
    let single = (0..n).map(|t| data ^ 1 << t);
    if !exchange {
        return single.collect();
    }
    let double = (0..n).flat_map(|t| (0..t).map(move |s| data ^ 1 << t ^ 1 << s));
    double.filter(|other| other.count_ones() == data.count_ones()).collect()
}
