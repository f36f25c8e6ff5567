//! Poisson sampling: every member is kept with the same probability, independently.

use super::error::BuiltinError;
use super::parameters::{Builtin, BuiltinArguments, ENTITIES, Parameter};
use super::rows::{by_rows, by_size, counts, entities, entities_apart, numbers};
use crate::mechanism::model::Mechanism;
use deniable_core::exact::{Rational, power, whole};
use num_bigint::BigInt;
use num_integer::binomial;

pub(super) static SAMPLING: Builtin = Builtin {
    name: "sampling",
    about: "every member is kept with the same probability; the kept members, or their number, are released",
    theorem: "C-5",
    parameters: &[
        ENTITIES,
        Parameter { name: "rate", about: "probability that a member is kept", range: "0 to 1", default: Some("1/2") },
        Parameter {
            name: "then",
            about: "what is released about the kept members",
            range: "identity, size",
            default: Some("identity"),
        },
    ],
    build,
};

fn build(given: BuiltinArguments<'_>) -> Result<Mechanism, BuiltinError> {
    let rate = given.chance("rate")?;
    let rest = whole(1) - &rate;
    if given.word("then", &["identity", "size"])? == "size" {
        let n = entities(given, |n| n + 1)?;
        let row = |size: usize| (0..=n).map(|kept| kept_of(size, kept, &rate, &rest)).collect();
        return by_size(counts(n), &(0..=n).map(row).collect::<Vec<_>>());
    }
    let n = entities_apart(given, |n| 1 << n)?;
    let chance = |data: u32, sample: u32| {
        if sample & !data != 0 {
            return whole(0);
        }
        power(&rate, sample.count_ones()) * power(&rest, (data ^ sample).count_ones())
    };
    let row = |data: u32| (0..1 << n).map(|sample| chance(data, sample)).collect();
    by_rows(n, (0..1 << n).map(numbers).collect(), row)
}

/// The probability that `kept` of `size` are kept.
pub(super) fn kept_of(size: usize, kept: usize, rate: &Rational, rest: &Rational) -> Rational {
    if kept > size {
        return whole(0);
    }
    whole(binomial(BigInt::from(size), BigInt::from(kept)))
        * power(rate, kept as u32)
        * power(rest, (size - kept) as u32)
}
