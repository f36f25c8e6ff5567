//! Crowd-blending (I-CBP): in every dataset each member blends with `k−1` other members, or is ignored.
//!
//! `t` blends with `t'` at `e^ε` if exchanging one for the other never changes a probability by a larger factor,
//! whatever the other members; `t` is ignored in `T` if removing it does not. The tight `e^ε` is the largest, over `T`
//! and `t`, of the smaller of the two ratios; all ratios are recomputed.
//!
//! A witness gives `T` and `t`, the ratio of removing `t`, and members with whom `t` does not blend below the claim. If
//! the other members are fewer than `k−1`, there is no crowd below the claim either.

use crate::error::RecheckError;
use crate::format::{SeparatingOutput, Value, Witness};
use crate::number::ExtendedNumber;
use crate::table::{Data, ExactTable, has};
use crate::witness::{same, text};

/// The largest ratio between two rows, in either direction; 1 if one is missing.
fn apart(table: &ExactTable, left: Data, right: Data) -> ExtendedNumber {
    let (Some(left), Some(right)) = (table.row(left), table.row(right)) else { return ExtendedNumber::one() };
    let both = |(a, b)| ExtendedNumber::ratio(a, b).max(ExtendedNumber::ratio(b, a));
    left.iter().zip(right).filter_map(both).max().unwrap_or_else(ExtendedNumber::one)
}

/// The two datasets of a comparison, and its ratio by the table.
fn compared(table: &ExactTable, apart: &SeparatingOutput) -> Result<((Data, Data), ExtendedNumber), RecheckError> {
    let (output, more, less) = (table.output(&apart.output)?, table.data(&apart.more)?, table.data(&apart.less)?);
    let (Some(high), Some(low)) = (table.get(output, more), table.get(output, less)) else {
        return Err(RecheckError::Unfit("a dataset of the witness has no row".to_owned()));
    };
    same(&table.says(output, more), high, &apart.probabilities.0)?;
    same(&table.says(output, less), low, &apart.probabilities.1)?;
    let shown = ExtendedNumber::ratio(high, low);
    let never =
        || RecheckError::Unfit(format!("{} and {} are both 0", table.says(output, more), table.says(output, less)));
    Ok(((more, less), shown.ok_or_else(never)?))
}

/// Fails unless the witness attains the claim: a member that is neither ignored nor in a crowd at any smaller value.
pub(crate) fn witness(
    table: &ExactTable,
    crowd: usize,
    value: &Value,
    witness: Option<&Witness>,
) -> Result<(), RecheckError> {
    let falls = |shows: String| Err(RecheckError::Falls { claim: text(value), shows });
    let unfit = |what: String| Err(RecheckError::Unfit(what));
    let Value::Attained(claim) = value else { return falls("a value that is attained".to_owned()) };
    let Some(witness) = witness else {
        return if *claim == ExtendedNumber::one() { Ok(()) } else { falls("nothing".to_owned()) };
    };
    let Witness::Crowd { entity, data, removed, outside } = witness else {
        return unfit("the notion is about a member of a dataset and its crowd".to_owned());
    };
    let (t, data) = (table.entity(entity)?, table.data(data)?);
    if !has(data, t) {
        return unfit(format!("{entity} is not a member of {}", table.name(data)));
    }
    let ((more, less), mut shown) = compared(table, removed)?;
    if more.min(less) != data & !(1 << t) || more.max(less) != data {
        let (more, less, data) = (table.name(more), table.name(less), table.name(data));
        return unfit(format!("{more} and {less} are not {data} with {entity} and without"));
    }
    let mut listed = 0;
    for (other, apart) in outside {
        let s = table.entity(other)?;
        if s == t || !has(data, s) || has(listed, s) {
            return unfit(format!("{other} must be another member of {}, listed once", table.name(data)));
        }
        listed |= 1 << s;
        let ((more, less), ratio) = compared(table, apart)?;
        // Each of the two has one of the entities, and the datasets agree otherwise.
        if more ^ less != 1 << t | 1 << s || has(more, t) == has(more, s) {
            let (more, less) = (table.name(more), table.name(less));
            return unfit(format!("{more} and {less} do not exchange {entity} for {other}"));
        }
        shown = shown.min(ratio);
    }
    let inside = (data & !(1 << t) & !listed).count_ones() as usize;
    if inside + 1 >= crowd {
        return falls(format!("a crowd of {} that may hide {entity}, and a crowd of {crowd} is enough", inside + 1));
    }
    if shown == *claim { Ok(()) } else { falls(shown.to_string()) }
}

/// The number of rows that [`upper`] compares.
pub(crate) fn steps(table: &ExactTable) -> u128 {
    let n = table.size() as u128;
    (n * n + n) * (1_u128 << table.size()) * table.outputs() as u128
}

/// Fails unless every member of every dataset is ignored or in a crowd at the claim.
pub(crate) fn upper(table: &ExactTable, crowd: usize, claim: &ExtendedNumber) -> Result<(), RecheckError> {
    let n = table.size();
    let blend = |t: usize, other: usize| {
        let others = table.subsets().filter(|data| !has(*data, t) && !has(*data, other));
        let apart = others.map(|data| apart(table, data | 1 << t, data | 1 << other));
        apart.max().unwrap_or_else(ExtendedNumber::one)
    };
    let blends: Vec<Vec<ExtendedNumber>> = (0..n).map(|t| (0..n).map(|other| blend(t, other)).collect()).collect();
    for data in table.subsets().filter(|data| table.row(*data).is_some()) {
        for t in (0..n).filter(|t| has(data, *t)) {
            let ignored = apart(table, data, data & !(1 << t));
            let mut others: Vec<_> =
                (0..n).filter(|s| *s != t && has(data, *s)).map(|s| blends[t][s].clone()).collect();
            others.sort();
            let blended = match crowd {
                1 => Some(ExtendedNumber::one()),
                _ => others.get(crowd - 2).cloned(),
            };
            let found = blended.map_or(ignored.clone(), |blended| blended.min(ignored));
            if found > *claim {
                let place = format!("{} in {}", table.entity_name(t), table.name(data));
                return Err(RecheckError::Exceeded { claim: claim.to_string(), place, found: found.to_string() });
            }
        }
    }
    Ok(())
}
