//! `[promise]`: the promises, and the odds ratio that they allow.

use crate::adversary::probability_help;
use crate::error::PolicyErrorKind;
use crate::reader::{Field, ReadResult, ReportedError, Section};
use crate::tree::Shape;
use deniable_core::adversary::Adversary;
use deniable_core::budget::SpendError;
use deniable_core::exact::{Rational, inside_ln, whole};
use deniable_core::guarantee::GuaranteeError;
use deniable_core::loss::{Chance, ChanceError};
use deniable_core::notion::key;
use deniable_core::promise::{Promise, PromiseError, binding};
use num_traits::{Signed, ToPrimitive, Zero};
use std::ops::Range;

/// The name of the section of the promises that hold but for a chance.
const BUT_FOR_SECTION: &str = "[promise.but_for]";

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

/// The key of `[promise]` for the promises that hold but for a chance.
pub(crate) const BUT_FOR: &str = "but_for";
/// The keys of `[promise.but_for]`: those of promises about one person, and its own.
pub(crate) const BUT_FOR_KEYS: [&str; 7] =
    ["chance", "people", key::POSTERIOR_AT_MOST, key::POSTERIOR_AT_LEAST, key::GAIN, key::NEGATIVE_GAIN, key::EPSILON];

/// The promises of a policy.
pub(crate) struct Promises {
    /// Those that hold for certain; at least one.
    pub(crate) surely: Vec<Promise>,
    /// Those that hold but for a chance.
    pub(crate) but_for: Option<PromisesButFor>,
}

/// Promises that hold but for a chance.
pub(crate) struct PromisesButFor {
    pub(crate) chance: Chance,
    pub(crate) people: Option<u64>,
    pub(crate) promises: Vec<Promise>,
    /// The place of the section.
    pub(crate) place: Range<usize>,
}

/// Reads `[promise]`. The promises are validated only if the adversary could be read.
pub(crate) fn read(field: &Field<'_>, adversary: ReadResult<&Adversary>) -> ReadResult<Promises> {
    let keys: Vec<&str> = KEYS.into_iter().chain([BUT_FOR]).collect();
    let section = field.section("[promise]", &keys)?;
    let but_for = section.optional(BUT_FOR, |field| read_but_for(field, adversary));
    let surely = read_all(&section)?;
    if surely.is_empty() {
        return Err(nothing_promised(&section));
    }
    Ok(Promises { surely: judge(&section, surely, adversary?)?, but_for: but_for? })
}

fn read_but_for(field: &Field<'_>, adversary: ReadResult<&Adversary>) -> ReadResult<PromisesButFor> {
    if let Shape::Table(members) = &field.node.shape
        && let Some(delta) = members.iter().find(|member| member.key == "delta")
    {
        let kind = PolicyErrorKind::UnknownKey { key: "delta".to_owned(), section: BUT_FOR_SECTION.to_owned() };
        let help = "write `chance`, which bounds the chance that belief ends beyond the promise; the δ of (ε,δ) bounds \
                    less and is not promised";
        return Err(field.report.fail(&delta.key_span, kind, help));
    }
    let section = field.section(BUT_FOR_SECTION, &BUT_FOR_KEYS)?;
    let chance = section.need("chance", "add `chance = \"1/1000000\"`, for example").and_then(|field| {
        let value = field.number()?;
        let range = "between 0 and 1, both excluded";
        Chance::new(value).map_err(|ChanceError(value)| field.out_of_range(value, range, ""))
    });
    let people = section.optional("people", |field| {
        let value = field.integer()?;
        let people = value.to_u64().filter(|people| *people > 0);
        people.ok_or_else(|| field.out_of_range(whole(value), "a number of people, at least 1", ""))
    });
    let number = |key| section.optional(key, Field::number);
    let promises: ReadResult<Vec<Option<Promise>>> = [
        number(key::POSTERIOR_AT_MOST).map(|value| value.map(Promise::PosteriorAtMost)),
        number(key::POSTERIOR_AT_LEAST).map(|value| value.map(Promise::PosteriorAtLeast)),
        number(key::GAIN).map(|value| value.map(Promise::Gain)),
        number(key::NEGATIVE_GAIN).map(|value| value.map(Promise::NegativeGain)),
        section.optional(key::EPSILON, epsilon),
    ]
    .into_iter()
    .collect();
    let promises: Vec<Promise> = promises?.into_iter().flatten().collect();
    if promises.is_empty() {
        let help = "add one of posterior_at_most, posterior_at_least, gain, negative_gain, epsilon, tighter than what holds \
                    for certain";
        let (key, problem) = ("promise.but_for".to_owned(), "states no promise".to_owned());
        return Err(section.report.fail(&section.span, PolicyErrorKind::Text { key, problem }, help));
    }
    let promises = judge(&section, promises, adversary?)?;
    Ok(PromisesButFor { chance: chance?, people: people?, promises, place: section.span.clone() })
}

pub(crate) fn but_for_help(error: &GuaranteeError) -> &'static str {
    match error {
        GuaranteeError::SurelyAlready { .. } => {
            "promise less for certain under [promise], such as 90%, or more under [promise.but_for]; or remove the section"
        }
        GuaranteeError::GroupsButFor => "remove `moves_together` from [adversary], or this section",
        GuaranteeError::NothingButFor
        | GuaranteeError::WorldsButFor(_)
        | GuaranteeError::Nothing
        | GuaranteeError::Promise(_) => "",
    }
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
