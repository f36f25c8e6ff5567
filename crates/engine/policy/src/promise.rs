//! `[promise]`: the promises, and the odds ratio that they allow.

use crate::adversary::probability_help;
use crate::error::PolicyErrorKind;
use crate::reader::{Field, ReadResult, ReportedError, Section};
use crate::tree::Shape;
use deniable_core::adversary::Adversary;
use deniable_core::budget::SpendError;
use deniable_core::exact::{Rational, inside_ln, whole};
use deniable_core::notion::key;
use deniable_core::promise::{Promise, PromiseError, binding};
use num_traits::{Signed, ToPrimitive, Zero};

pub(crate) const KEYS: [&str; 11] = [
    key::POSTERIOR_AT_MOST,
    key::POSTERIOR_AT_LEAST,
    key::GAIN,
    key::NEGATIVE_GAIN,
    key::RHO,
    key::AMONG,
    key::ALPHA,
    key::BETA,
    key::P_MIN,
    key::P_MAX,
    key::EPSILON,
];

/// Reads `[promise]`. The promises are validated only if the adversary could be read.
pub(crate) fn read(field: &Field<'_>, adversary: ReadResult<&Adversary>) -> ReadResult<Vec<Promise>> {
    let section = field.section("[promise]", &KEYS)?;
    let promises = read_all(&section)?;
    if promises.is_empty() {
        return Err(nothing_promised(&section));
    }
    judge(&section, promises, adversary?)
}

fn nothing_promised(section: &Section<'_>) -> ReportedError {
    let help = "add one of posterior_at_most, posterior_at_least, gain, negative_gain, rho with among, alpha with beta, \
                epsilon";
    section.report.fail(&section.span, PolicyErrorKind::NoPromise, help)
}

fn read_all(section: &Section<'_>) -> ReadResult<Vec<Promise>> {
    let number = |key| section.optional(key, Field::number);
    let simple = [
        number(key::POSTERIOR_AT_MOST).map(|value| value.map(Promise::PosteriorAtMost)),
        number(key::POSTERIOR_AT_LEAST).map(|value| value.map(Promise::PosteriorAtLeast)),
        number(key::GAIN).map(|value| value.map(Promise::Gain)),
        number(key::NEGATIVE_GAIN).map(|value| value.map(Promise::NegativeGain)),
        read_rho(section),
        read_alpha_beta(section),
        section.optional(key::EPSILON, epsilon),
    ];
    let promises: ReadResult<Vec<Option<Promise>>> = simple.into_iter().collect();
    Ok(promises?.into_iter().flatten().collect())
}

/// A number, or the logarithm of an odds ratio, which is not a fraction.
fn epsilon(field: &Field<'_>) -> ReadResult<Promise> {
    let logarithm = match &field.node.shape {
        Shape::Text(text) => inside_ln(text),
        _ => None,
    };
    match logarithm {
        Some(odds) => field.number_in(odds).map(Promise::Odds),
        None => field.number().map(Promise::Epsilon),
    }
}

/// Reports a key without the other key that it needs.
fn alone(section: &Section<'_>, key: &'static str, other: &'static str, help: &str) -> ReportedError {
    let place = section.key_of(key);
    section.report.fail(&place, PolicyErrorKind::Alone { key, other }, help)
}

fn read_rho(section: &Section<'_>) -> ReadResult<Option<Promise>> {
    let rho = section.optional(key::RHO, Field::number)?;
    let among = section.optional(key::AMONG, among)?;
    match (rho, among) {
        (None, None) => Ok(None),
        (Some(rho), Some(among)) => Ok(Some(Promise::Rho { rho, among })),
        (Some(_), None) => Err(alone(
            section,
            key::RHO,
            key::AMONG,
            "add `among = 100`: how many people are equally likely beforehand",
        )),
        (None, Some(_)) => {
            Err(alone(section, key::AMONG, key::RHO, "add `rho = 0.5`: the highest belief about one of them"))
        }
    }
}

/// A whole number of people; its range is validated by the theorem (B-5).
fn among(field: &Field<'_>) -> ReadResult<u64> {
    let value = field.integer()?;
    value.to_u64().ok_or_else(|| field.out_of_range(whole(value), "a number of people, at least 2", ""))
}

fn read_alpha_beta(section: &Section<'_>) -> ReadResult<Option<Promise>> {
    let number = |key| section.optional(key, Field::number);
    let (alpha, beta, least, most) = (number(key::ALPHA), number(key::BETA), number(key::P_MIN), number(key::P_MAX));
    let (alpha, beta, least, most) = (alpha?, beta?, least?, most?);
    match (alpha, beta) {
        (Some(alpha), Some(beta)) => {
            Ok(Some(Promise::AlphaBeta { alpha, beta, least: least.unwrap_or_else(Rational::zero), most }))
        }
        (Some(_), None) => Err(alone(section, key::ALPHA, key::BETA, "add `beta = 0.5`: how far belief may rise")),
        (None, Some(_)) => Err(alone(section, key::BETA, key::ALPHA, "add `alpha = 0.5`: how far belief may fall")),
        (None, None) => {
            let help = "add `alpha` and `beta`, to which the priors of worlds belong";
            match (least, most) {
                (None, None) => Ok(None),
                (Some(_), _) => Err(alone(section, key::P_MIN, key::ALPHA, help)),
                (None, Some(_)) => Err(alone(section, key::P_MAX, key::ALPHA, help)),
            }
        }
    }
}

/// Turns every promise into its odds ratio, so that each wrong one is reported.
fn judge(section: &Section<'_>, promises: Vec<Promise>, adversary: &Adversary) -> ReadResult<Vec<Promise>> {
    let (priors, known) = (adversary.priors(), adversary.knows_size());
    // Each alone first: `binding` over all of them would stop at the first error.
    let each: Vec<ReadResult<()>> = promises
        .iter()
        .map(|promise| match binding(std::slice::from_ref(promise), priors, known) {
            Ok(_) => Ok(()),
            Err(error) => Err(wrong_promise(section, promise, error)),
        })
        .collect();
    each.into_iter().collect::<ReadResult<Vec<()>>>()?;
    binding(&promises, priors, known).map_err(|error| {
        let help = promise_help(&error);
        section.report.fail(&section.span, error, help)
    })?;
    Ok(promises)
}

/// Reports an error at the key that it names, or at the promise's own key.
fn wrong_promise(section: &Section<'_>, promise: &Promise, error: PromiseError) -> ReportedError {
    let help = promise_help(&error);
    let key = match &error {
        PromiseError::OutOfRange { name, .. }
        | PromiseError::NeedsPriorBound { name, .. }
        | PromiseError::NoRoom { name, .. }
        | PromiseError::NeedsKnownSize { name } => *name,
        PromiseError::Spend(_) => promise.name(),
    };
    section.report.fail(&section.place_of(key), error, help)
}

fn promise_help(error: &PromiseError) -> String {
    match error {
        PromiseError::OutOfRange { name: key::GAIN | key::NEGATIVE_GAIN, .. } => {
            "write 2, for example; a factor of 1 or less would allow no answer at all".to_owned()
        }
        PromiseError::OutOfRange { name: key::EPSILON | key::AMONG | key::BETA, .. } => String::new(),
        // Inside the unit interval the message states the range.
        PromiseError::OutOfRange { value, .. } if value.is_positive() && *value < whole(1) => String::new(),
        PromiseError::OutOfRange { value, .. } => probability_help(value),
        PromiseError::NeedsPriorBound { name, end } => {
            let instead = if *end == "at_most" { key::GAIN } else { key::NEGATIVE_GAIN };
            format!(
                "state the adversary's prior, `prior = {{ {end} = \"1/2\" }}` under [adversary]; or \
                 promise `{instead}` instead of `{name}`, which holds for any prior"
            )
        }
        PromiseError::NoRoom { name, prior, .. } => {
            let (side, end) = if *name == key::POSTERIOR_AT_LEAST {
                ("below", "raise `at_least`")
            } else {
                ("above", "lower `at_most`")
            };
            format!("promise a value {side} {prior}, or {end} in `prior` under [adversary]")
        }
        PromiseError::NeedsKnownSize { .. } => "set `knows_size = true` under [adversary] if the number of people is \
                                                public; otherwise promise `posterior_at_most`, `gain` or `epsilon`"
            .to_owned(),
        PromiseError::Spend(SpendError::Undecided { .. }) => "remove the one that you need less".to_owned(),
        PromiseError::Spend(_) => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The table of notions contains all keys.
    #[test]
    fn keys_are_those_of_the_table_of_notions() {
        let mut of_table: Vec<&str> = Vec::new();
        for notion in deniable_core::notion::Notion::ALL {
            let entry = notion.entry();
            if let Some(promise) = entry.promise {
                of_table.extend([promise.key].iter().chain(promise.beside));
                of_table.extend(entry.parameters.iter().map(|parameter| parameter.key));
            }
        }
        of_table.sort_unstable();
        of_table.dedup();
        let mut keys = KEYS;
        keys.sort_unstable();
        assert_eq!(of_table, keys);
    }
}
