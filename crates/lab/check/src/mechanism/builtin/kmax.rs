//! k-Max (M-KMAX): one of the `k` values from the largest member's value upwards.

use super::error::BuiltinError;
use super::parameters::{Builtin, BuiltinArguments, Parameter};
use super::rows::by_kind;
use crate::mechanism::limits::{MOST_ENTITIES, size_fits};
use crate::mechanism::model::Mechanism;
use deniable_core::exact::{Rational, whole};

/// The entities' values, for mechanisms that order entities by value.
pub(super) const VALUES: Parameter = Parameter {
    name: "values",
    about: "the entities' values in ascending order, in place of `entities`, whose values are their numbers",
    range: "whole numbers with commas between them",
    default: None,
};

pub(super) static KMAX: Builtin = Builtin {
    name: "kmax",
    about: "a random one of the k values from the largest member's upwards, or of the k largest",
    theorem: "M-KMAX",
    parameters: &[
        super::parameters::ENTITIES,
        VALUES,
        Parameter {
            name: "k",
            about: "how many values it may be",
            range: "1 to the number of ranks",
            default: Some("2"),
        },
        Parameter {
            name: "variant",
            about: "the empty dataset counts as rank 1 (corrected, E-1) or has an answer of its own (original)",
            range: "corrected, original",
            default: Some("corrected"),
        },
        Parameter {
            name: "ties",
            about: "equal values are ranked in the order of entities, as one rank, or all by the first of them (no protection)",
            range: "order, distinct, first",
            default: Some("order"),
        },
    ],
    build,
};

fn build(given: BuiltinArguments<'_>) -> Result<Mechanism, BuiltinError> {
    let values = values(given)?;
    let n = values.len();
    let distinct: Vec<i64> = {
        let mut distinct = values.clone();
        distinct.dedup();
        distinct
    };
    size_fits(n, distinct.len() + 1)?;
    let ties = given.word("ties", &["order", "distinct", "first"])?;
    // Ranks, each with its value, and the rank of each entity.
    let (ranks, of): (&[i64], Vec<usize>) = match ties {
        "order" => (&values, (0..n).collect()),
        "first" => (&values, values.iter().map(|value| values.partition_point(|other| other < value)).collect()),
        _ => (&distinct, values.iter().map(|value| distinct.partition_point(|other| other < value)).collect()),
    };
    let k = given.count("k", 1, ranks.len())?;
    let own = given.word("variant", &["corrected", "original"])? == "original";
    let chance = whole(1) / whole(k);
    // The row for the largest member, by its position; `None` is the empty dataset.
    let row = |largest: Option<usize>| {
        let mut chances: Vec<Rational> = vec![whole(0); distinct.len() + usize::from(own)];
        if largest.is_none() && own {
            chances[distinct.len()] = whole(1);
            return chances;
        }
        let largest = largest.map_or(0, |largest| of[largest]);
        let lowest = largest.min(ranks.len() - k);
        for value in &ranks[lowest..lowest + k] {
            chances[distinct.partition_point(|other| other < value)] += &chance;
        }
        chances
    };
    let outputs = distinct.iter().map(i64::to_string).chain(own.then(|| "nobody".to_owned()));
    let rows: Vec<Vec<Rational>> = std::iter::once(None).chain((0..n).map(Some)).map(row).collect();
    by_kind(n, outputs.collect(), &rows, |data| data.checked_ilog2().map_or(0, |largest| largest as usize + 1))
}

/// The entities' values, in ascending order.
pub(super) fn values(given: BuiltinArguments<'_>) -> Result<Vec<i64>, BuiltinError> {
    if !given.has("values") {
        let n = given.count("entities", 1, MOST_ENTITIES)?;
        return Ok((1..=n as i64).collect());
    }
    if given.has("entities") {
        return Err(BuiltinError::Conflict(
            "give `entities` or `values`, not both: there are as many entities as values".to_owned(),
        ));
    }
    let values = given.list("values", i64::MIN, i64::MAX)?;
    size_fits(values.len(), 1)?;
    if values.is_sorted() {
        Ok(values)
    } else {
        Err(BuiltinError::Conflict("`values` must be in ascending order: entity 1 has the lowest".to_owned()))
    }
}
