//! Crowd-blending (I-CBP): in every dataset each member blends with `k−1` other members, or is ignored.
//!
//! `t` blends with `t'` at `e^ε` when exchanging one for the other never moves a probability by more, whoever else is
//! in; `t` is ignored in `T` when taking it out does not. The tight `e^ε` is the largest over `T` and `t` of the smaller of
//! the two: all of it is computed again.

use crate::error::RecheckError;
use crate::format::{Value, Witness};
use crate::number::Extended;
use crate::table::{Data, Table, has};
use crate::witness::{same, text};

/// The largest ratio between two rows, either way; none where one is missing.
fn apart(table: &Table, left: Data, right: Data) -> Extended {
    let (Some(left), Some(right)) = (table.row(left), table.row(right)) else { return Extended::one() };
    let both = |(a, b)| Extended::ratio(a, b).max(Extended::ratio(b, a));
    left.iter().zip(right).filter_map(both).max().unwrap_or_else(Extended::one)
}

/// That the witness compares neighbours, with the table's probabilities.
pub(crate) fn witness(table: &Table, value: &Value, witness: Option<&Witness>) -> Result<(), RecheckError> {
    let falls = |shows: String| Err(RecheckError::Falls { claim: text(value), shows });
    let Value::Attained(claim) = value else { return falls("a value that is attained".to_owned()) };
    let Some(witness) = witness else {
        return if *claim == Extended::one() { Ok(()) } else { falls("nothing".to_owned()) };
    };
    let Witness::Datasets { output, more, less, probabilities } = witness else {
        return Err(RecheckError::Unfit("the notion is about two datasets".to_owned()));
    };
    let (output, more, less) = (table.output(output)?, table.data(more)?, table.data(less)?);
    let (Some(high), Some(low)) = (table.get(output, more), table.get(output, less)) else {
        return Err(RecheckError::Unfit("a dataset of the witness has no row".to_owned()));
    };
    same(&table.says(output, more), high, &probabilities.0)?;
    same(&table.says(output, less), low, &probabilities.1)?;
    let (differ, sizes) = ((more ^ less).count_ones(), more.count_ones() == less.count_ones());
    if !(differ == 1 || differ == 2 && sizes) {
        return Err(RecheckError::Unfit(format!("{} and {} are no neighbours", table.name(more), table.name(less))));
    }
    match Extended::ratio(high, low) {
        Some(ratio) if ratio == *claim => Ok(()),
        Some(ratio) => falls(ratio.to_string()),
        None => falls("nothing".to_owned()),
    }
}

/// How many rows [`upper`] compares.
pub(crate) fn steps(table: &Table) -> u128 {
    let n = table.size() as u128;
    (n * n + n) * (1_u128 << table.size()) * table.outputs() as u128
}

/// That the claim is the tight value.
pub(crate) fn upper(table: &Table, crowd: usize, value: &Value) -> Result<(), RecheckError> {
    let n = table.size();
    let blend = |t: usize, other: usize| {
        let others = table.subsets().filter(|data| !has(*data, t) && !has(*data, other));
        let apart = others.map(|data| apart(table, data | 1 << t, data | 1 << other));
        apart.max().unwrap_or_else(Extended::one)
    };
    let blends: Vec<Vec<Extended>> = (0..n).map(|t| (0..n).map(|other| blend(t, other)).collect()).collect();
    let mut worst = Extended::one();
    for data in table.subsets().filter(|data| table.row(*data).is_some()) {
        for t in (0..n).filter(|t| has(data, *t)) {
            let ignored = apart(table, data, data & !(1 << t));
            let mut others: Vec<_> =
                (0..n).filter(|s| *s != t && has(data, *s)).map(|s| blends[t][s].clone()).collect();
            others.sort();
            let blended = match crowd {
                1 => Some(Extended::one()),
                _ => others.get(crowd - 2).cloned(),
            };
            worst = worst.max(blended.map_or(ignored.clone(), |blended| blended.min(ignored)));
        }
    }
    match value {
        Value::Attained(claim) if *claim == worst => Ok(()),
        _ => Err(RecheckError::Falls { claim: text(value), shows: format!("nothing, and the tight value is {worst}") }),
    }
}
