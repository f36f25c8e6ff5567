//! `[quality]` and `[display]`: the quality classes of released numbers, and the rules for showing them. Both depend on
//! noisy numbers alone (C-3): they cost nothing, and change no stored answer.

use crate::error::PolicyErrorKind;
use crate::reader::{Field, ReadResult, Section};
use deniable_core::exact::{Rational, ratio, whole};
use num_traits::Signed;

/// The largest coefficients of variation (standard error of the noise over the released value) of the classes A, B and
/// C; numbers with larger ones are not usable. Positive and ascending.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quality {
    /// Of class A.
    pub a: Rational,
    /// Of class B.
    pub b: Rational,
    /// Of class C.
    pub c: Rational,
    /// The largest part of a number that caps and bounds leave out, by a public guess; `None` if not stated.
    pub typical_left_out: Option<Rational>,
}

impl Default for Quality {
    /// 10%, 25% and 50%.
    fn default() -> Self {
        Self { a: ratio(1, 10), b: ratio(1, 4), c: ratio(1, 2), typical_left_out: None }
    }
}

/// The rules for showing released numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Display {
    /// Whether numbers that are not usable are hidden.
    pub hide_unusable: bool,
    /// Counts whose released value is below this are hidden.
    pub hide_below: Option<Rational>,
    /// Counts are rounded to multiples of this, their intervals outward.
    pub round_to: Option<Rational>,
    /// The text that replaces a hidden number: one line.
    pub label: String,
}

impl Default for Display {
    /// Shows everything as it was released.
    fn default() -> Self {
        Self { hide_unusable: false, hide_below: None, round_to: None, label: "hidden".to_owned() }
    }
}

pub(crate) const QUALITY_KEYS: [&str; 4] = ["a", "b", "c", "typical_left_out"];
pub(crate) const DISPLAY_KEYS: [&str; 4] = ["hide_unusable", "hide_below", "round_to", "label"];

/// Reads `[quality]`.
pub(crate) fn read(field: &Field<'_>) -> ReadResult<Quality> {
    let section = field.section("[quality]", &QUALITY_KEYS)?;
    let usual = Quality::default();
    let (a, b, c) = (positive(&section, "a"), positive(&section, "b"), positive(&section, "c"));
    let left_out = section.optional("typical_left_out", read_left_out);
    let found = Quality {
        a: a?.unwrap_or(usual.a),
        b: b?.unwrap_or(usual.b),
        c: c?.unwrap_or(usual.c),
        typical_left_out: left_out?,
    };
    if found.a <= found.b && found.b <= found.c {
        return Ok(found);
    }
    let kind = PolicyErrorKind::Text {
        key: "[quality]".to_owned(),
        problem: format!("has classes of {}, {} and {}, which do not ascend", found.a, found.b, found.c),
    };
    let help =
        "A allows the smallest coefficient of variation and C the largest; unless stated they are 10%, 25% and 50%";
    Err(section.report.fail(&section.span, kind, help))
}

/// Reads the largest part of a number that caps and bounds leave out, by a public guess.
pub(crate) fn read_left_out(field: &Field<'_>) -> ReadResult<Rational> {
    let part = field.number()?;
    if !part.is_negative() && part < whole(1) {
        return Ok(part);
    }
    let help = "write the largest part of a number that caps and bounds leave out, such as \"2%\", or 0 where they leave nothing out";
    Err(field.out_of_range(part, "at least 0 and below 1", help))
}

/// Reads `[display]`, or `display` of a query; `name` is its name in messages.
pub(crate) fn read_display(field: &Field<'_>, name: &str) -> ReadResult<Display> {
    let section = field.section(name, &DISPLAY_KEYS)?;
    let hide_unusable = section.optional("hide_unusable", Field::boolean);
    let (below, round) = (positive(&section, "hide_below"), positive(&section, "round_to"));
    let label = section.optional("label", |field| field.line().map(str::to_owned));
    let usual = Display::default();
    Ok(Display {
        hide_unusable: hide_unusable?.unwrap_or(usual.hide_unusable),
        hide_below: below?,
        round_to: round?,
        label: label?.unwrap_or(usual.label),
    })
}

fn positive(section: &Section<'_>, key: &str) -> ReadResult<Option<Rational>> {
    section.optional(key, |field| {
        let value = field.number()?;
        if value.is_positive() {
            Ok(value)
        } else {
            Err(field.out_of_range(value, "above 0", "leave it out for the usual"))
        }
    })
}

#[cfg(test)]
mod tests {
    use crate::PolicyBuilder;
    use deniable_core::exact::{ratio, whole};

    fn builder() -> PolicyBuilder {
        PolicyBuilder::new("clinic", "people")
            .table("visits", "visits.csv", "1")
            .adversary("acquaintance")
            .promise("posterior_at_most", &ratio(3, 4))
            .query("visits", "SELECT COUNT(*) FROM visits")
    }

    #[test]
    fn classes_and_rules_are_read() {
        let usual = builder().build().unwrap();
        assert_eq!((usual.quality().a.clone(), usual.display().hide_unusable), (ratio(1, 10), false));
        let policy = builder().set(&["quality"], "b", "20%").set(&["display"], "hide_below", 11).set(
            &["display"],
            "label",
            "..",
        );
        let policy = policy.build().unwrap();
        assert_eq!(policy.quality().b, ratio(1, 5));
        assert_eq!((policy.display().hide_below.clone(), policy.display().label.as_str()), (Some(whole(11)), ".."));
    }

    #[test]
    fn invalid_rules_are_refused() {
        for (section, key, value, found) in [
            ("quality", "a", "30%", "do not ascend"),
            ("quality", "d", "30%", "`d`"),
            ("quality", "typical_left_out", "100%", "below 1"),
            ("quality", "typical_left_out", "-1%", "at least 0"),
            ("display", "round_to", "0", "above 0"),
            ("display", "hide", "11", "hide"),
        ] {
            let errors = builder().set(&[section], key, value).build().unwrap_err();
            assert!(errors.to_string().contains(found), "{errors}");
        }
    }
}
