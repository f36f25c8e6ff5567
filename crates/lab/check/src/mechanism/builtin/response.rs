//! Randomised response (M-RR).

use super::error::BuiltinError;
use super::parameters::{Builtin, BuiltinArguments, ENTITIES, ODDS, Parameter};
use super::rows::{by_kind, by_rows, entities, entities_apart, numbers};
use crate::mechanism::model::Mechanism;
use deniable_core::exact::{Rational, power, whole};

/// The probability of a truthful answer, an alternative to odds.
pub(super) const KEEP: Parameter = Parameter {
    name: "keep",
    about: "probability of a truthful answer, in place of `odds`",
    range: "0 to 1",
    default: None,
};

pub(super) static RANDOMIZED_RESPONSE: Builtin = Builtin {
    name: "randomized-response",
    about: "truthful with a fixed probability, else one of the other values: of each entity's bit, of the size, or of the dataset",
    theorem: "M-RR",
    parameters: &[
        ENTITIES,
        ODDS,
        KEEP,
        Parameter {
            name: "of",
            about: "what is answered: every bit by itself, or one value out of k",
            range: "bits, size, dataset",
            default: Some("bits"),
        },
    ],
    build,
};

fn build(given: BuiltinArguments<'_>) -> Result<Mechanism, BuiltinError> {
    match given.word("of", &["bits", "size", "dataset"])? {
        "size" => {
            let n = entities(given, |n| n + 1)?;
            one_of_many(given, n, super::rows::counts(n), |data| data.count_ones() as usize)
        }
        "dataset" => {
            let n = entities_apart(given, |n| 1 << n)?;
            one_of_many(given, n, (0..1 << n).map(numbers).collect(), |data| data as usize)
        }
        _ => {
            let n = entities_apart(given, |n| 1 << n)?;
            let keep = keep(given, 2)?;
            let lie = whole(1) - &keep;
            // By the number of bits that differ.
            let chances: Vec<Rational> =
                (0..=n as u32).map(|lies| power(&lie, lies) * power(&keep, n as u32 - lies)).collect();
            let bits = |answer: u32| (0..n).map(|t| if answer >> t & 1 == 1 { '1' } else { '0' }).collect();
            let chance = |data: u32, answer: u32| chances[(data ^ answer).count_ones() as usize].clone();
            let row = |data| (0..1 << n).map(|answer| chance(data, answer)).collect();
            by_rows(n, (0..1 << n).map(bits).collect(), row)
        }
    }
}

/// k-ary: the true value out of `outputs` with probability `keep`, each other value with equal probability.
fn one_of_many(
    given: BuiltinArguments<'_>,
    n: usize,
    outputs: Vec<String>,
    value: impl Fn(u32) -> usize,
) -> Result<Mechanism, BuiltinError> {
    let k = outputs.len();
    let keep = keep(given, k)?;
    let other = (whole(1) - &keep) / whole(k - 1);
    let row = |own: usize| (0..k).map(|output| if output == own { keep.clone() } else { other.clone() }).collect();
    let rows: Vec<Vec<Rational>> = (0..k).map(row).collect();
    by_kind(n, outputs, &rows, value)
}

/// `R/(R+k−1)`, so that the true value is R times as likely as each of the `k−1` others.
pub(super) fn keep(given: BuiltinArguments<'_>, k: usize) -> Result<Rational, BuiltinError> {
    if !given.has("keep") {
        let odds = given.odds("odds")?;
        return Ok(&odds / (&odds + whole(k) - whole(1)));
    }
    if given.has("odds") {
        let hint = "give `odds` or `keep`, not both: keep is odds/(odds + k − 1) for k values";
        return Err(BuiltinError::Conflict(hint.to_owned()));
    }
    let keep = given.chance("keep")?;
    Ok(keep)
}
