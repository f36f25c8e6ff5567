//! `[adversary]`: the observers of the promise, and their priors.

use crate::error::PolicyErrorKind;
use crate::reader::{Field, ReadResult, did_you_mean, shown};
use crate::tree::Shape;
use deniable_core::adversary::{Adversary, AdversaryError, MovesTogether, Preset, PriorRange, PriorRangeError};
use deniable_core::exact::{Rational, parse_rational};
use deniable_core::text::meant_as_percentage;

pub(crate) const KEYS: [&str; 4] = ["preset", "knows_size", "prior", "moves_together"];

/// Reads `[adversary]`. Each explicit key replaces that of the preset as a whole.
pub(crate) fn read(field: &Field<'_>) -> ReadResult<(Adversary, Option<Preset>)> {
    let section = field.section("[adversary]", &KEYS)?;
    let preset = section.optional("preset", preset);
    let knows_size = section.optional("knows_size", Field::boolean);
    let priors = section.optional("prior", prior_range);
    let together = section.optional("moves_together", moves_together);

    let preset = preset?;
    let knows_size = match (knows_size?, preset) {
        (Some(known), _) => known,
        (None, Some(preset)) => preset.knows_size(),
        (None, None) => {
            let help = "add `knows_size = true` if the number of people in the data is public, otherwise \
                        `knows_size = false`; or name a `preset`";
            return Err(section.missing("knows_size", help));
        }
    };
    let priors = priors?.unwrap_or_else(|| preset.map_or_else(PriorRange::any, Preset::priors));
    let together = together?.unwrap_or(MovesTogether::Alone);
    let adversary = Adversary::new(knows_size, priors, together).map_err(|error| {
        let help = match &error {
            AdversaryError::MixedGroupsOfKnownSize(k) => format!(
                "write `moves_together = {{ one_group = {k} }}` if there is one such group and everyone else is \
                 independent, `moves_together = {{ all_of_size = {k} }}` if everyone is in a group of exactly {k}, \
                 or `knows_size = false`"
            ),
            AdversaryError::EmptyGroup => "write how many people may move together, at least 1".to_owned(),
        };
        section.report.fail(&section.place_of("moves_together"), error, help)
    })?;
    Ok((adversary, preset))
}

fn preset(field: &Field<'_>) -> ReadResult<Preset> {
    let name = field.text()?;
    Preset::ALL.into_iter().find(|preset| preset.name() == name).ok_or_else(|| {
        let help = did_you_mean(name, &Preset::ALL.map(Preset::name));
        field.bad_text(format!("= \"{}\" is not known", shown(name)), help)
    })
}

/// `{ at_least = "1/5", at_most = "1/2" }` or `"1/5..1/2"`, either end of which may be missing, or one prior, `"1/2"`.
fn prior_range(field: &Field<'_>) -> ReadResult<PriorRange> {
    const FORMS: &str = "write `prior = { at_least = \"1/5\", at_most = \"1/2\" }` or `prior = \"1/5..1/2\"`, of which either \
                         end may be left out, or one belief, `prior = \"1/2\"`";
    let (low, high, low_span, high_span) = match &field.node.shape {
        Shape::Table(_) => {
            let section = field.section("`prior`", &["at_least", "at_most"])?;
            let low = section.optional("at_least", Field::number);
            let high = section.optional("at_most", Field::number);
            (low?, high?, section.place_of("at_least"), section.place_of("at_most"))
        }
        Shape::Text(text) => {
            let (low, high) = match text.split_once("..") {
                Some(ends) => ends,
                // A text that is not a number is more likely an incorrect range.
                None if parse_rational(text).is_ok() => (text.as_str(), text.as_str()),
                None => return Err(field.bad_text(format!("= \"{}\" is not an interval", shown(text)), FORMS)),
            };
            let end = |text: &str| match text.trim() {
                "" => Ok(None),
                number => field.number_in(number).map(Some),
            };
            (end(low)?, end(high)?, field.node.span.clone(), field.node.span.clone())
        }
        _ => return Err(field.wrong_type("an interval", FORMS)),
    };
    PriorRange::new(low.clone(), high).map_err(|error| {
        let (span, help) = match &error {
            PriorRangeError::OutsideUnit(value) if low.as_ref() == Some(value) => (low_span, probability_help(value)),
            PriorRangeError::OutsideUnit(value) => (high_span, probability_help(value)),
            PriorRangeError::Inverted { low, high } => {
                (field.node.span.clone(), format!("write `prior = {{ at_least = \"{high}\", at_most = \"{low}\" }}`"))
            }
        };
        field.report.fail(&span, error, help)
    })
}

/// The hint for a number that should be a probability: most often a percentage without its sign.
pub(crate) fn probability_help(value: &Rational) -> String {
    match meant_as_percentage(value) {
        Some(meant) => format!("did you mean \"{meant}\"?"),
        None => "write a decimal (0.75), a fraction (\"3/4\") or a percentage (\"75%\")".to_owned(),
    }
}

/// An integer, `{ one_group = 3 }` or `{ all_of_size = 3 }`.
fn moves_together(field: &Field<'_>) -> ReadResult<MovesTogether> {
    let Shape::Table(_) = field.node.shape else {
        return field.count().map(MovesTogether::UpTo);
    };
    let section = field.section("`moves_together`", &["one_group", "all_of_size"])?;
    let one = section.optional("one_group", Field::count);
    let all = section.optional("all_of_size", Field::count);
    match (one?, all?) {
        (Some(size), None) => Ok(MovesTogether::OneGroup(size)),
        (None, Some(size)) => Ok(MovesTogether::AllOfSize(size)),
        (Some(_), Some(_)) => {
            let kind = PolicyErrorKind::Misplaced { key: "all_of_size", when: "beside `one_group`" };
            Err(field.report.fail(&section.place_of("all_of_size"), kind, "keep the one that is true"))
        }
        (None, None) => {
            Err(section
                .missing("one_group", "write `moves_together = 3`, `{ one_group = 3 }` or `{ all_of_size = 3 }`"))
        }
    }
}
