//! How many numbers of an answer will be usable, by the classes of quality of released answers.

use deniable_publication::{Answer, Cell, Quality};
use serde::Serialize;

/// The count of an answer's usable numbers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Light {
    /// The sign on the page, which has a shape of its own.
    pub sign: Sign,
    /// The answer in a few words.
    pub words: String,
    /// The number of numbers of each class, or the guesses to state.
    pub detail: String,
}

/// The sign of a light.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sign {
    /// All numbers are of class A or B.
    Good,
    /// Some numbers are of class C or not usable, or what caps and bounds leave out is not stated.
    Mixed,
    /// Most numbers are not usable.
    Poor,
    /// Cannot be known.
    Unknown,
}

impl Light {
    /// The light of a query whose sizes cannot be known, for these reasons.
    pub fn unknown(reasons: &[String]) -> Self {
        Self {
            sign: Sign::Unknown,
            words: "It cannot be known how many numbers will be usable".to_owned(),
            detail: reasons.join("; "),
        }
    }

    /// The light of a query, from answers to it with separate draws of the noise: that of the worst one, since the
    /// released answer may be as unfortunate.
    pub fn of_draws(draws: &[Answer]) -> Self {
        let number = |classes: &[Quality], class: Quality| classes.iter().filter(|known| **known == class).count();
        let badness = |classes: &Vec<Quality>| {
            [Quality::Unusable, Quality::BiasUnknown, Quality::C, Quality::B].map(|class| number(classes, class))
        };
        let worst = draws.iter().map(classes).max_by_key(badness).unwrap_or_default();
        if worst.is_empty() {
            return Self::unknown(&["the made-up rows give no numbers with noise".to_owned()]);
        }
        let [a, b, c, bias_unknown, unusable] =
            [Quality::A, Quality::B, Quality::C, Quality::BiasUnknown, Quality::Unusable]
                .map(|class| number(&worst, class));
        let all = worst.len();
        let sign = match () {
            () if unusable * 2 > all => Sign::Poor,
            () if unusable + bias_unknown + c > 0 => Sign::Mixed,
            () => Sign::Good,
        };
        let numbers = if all == 1 { "number" } else { "numbers" };
        let mut words = format!("{} of {all} {numbers} usable", all - unusable);
        if bias_unknown > 0 {
            words.push_str(", if caps and bounds leave out little");
        }
        let mut detail: Vec<String> = [(a, "A"), (b, "B"), (c, "C")]
            .into_iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, class)| format!("{count} of class {class}"))
            .collect();
        if bias_unknown > 0 {
            detail.push(format!("{bias_unknown} “bias unknown” (state `typical_left_out` in [quality] or [[query]])"));
        }
        if unusable > 0 {
            detail.push(format!("{unusable} not usable"));
        }
        Self { sign, words, detail: detail.join("; ") }
    }
}

/// The classes of all numbers of an answer. A number without a value is not usable; exact numbers have no class.
fn classes(answer: &Answer) -> Vec<Quality> {
    let numbers = answer.rows.iter().flatten().filter_map(Cell::number);
    numbers
        .filter_map(|number| number.quality.or_else(|| number.value.is_none().then_some(Quality::Unusable)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn answer(classes: &[&str]) -> Answer {
        let rows: Vec<_> =
            classes.iter().map(|class| json!([{ "value": 5, "low": 4, "high": 6, "quality": class }])).collect();
        serde_json::from_value(json!({
            "name": "t", "sql": "", "share": "1", "odds": "3", "columns": ["n"], "rows": rows, "noise": [], "warnings": [],
        }))
        .unwrap()
    }

    fn light(draws: &[&[&str]]) -> (Sign, String) {
        let Light { sign, words, .. } =
            Light::of_draws(&draws.iter().map(|classes| answer(classes)).collect::<Vec<_>>());
        (sign, words)
    }

    #[test]
    fn signs_do_not_flatter() {
        let cases: [(&[&str], Sign, &str); 6] = [
            (&["A", "B"], Sign::Good, "2 of 2 numbers usable"),
            (&["A", "C"], Sign::Mixed, "2 of 2 numbers usable"),
            (&["A", "bias unknown"], Sign::Mixed, "2 of 2 numbers usable, if caps and bounds leave out little"),
            (&["A", "not usable"], Sign::Mixed, "1 of 2 numbers usable"),
            (&["A", "not usable", "not usable"], Sign::Poor, "1 of 3 numbers usable"),
            (&["not usable"], Sign::Poor, "0 of 1 number usable"),
        ];
        for (classes, sign, words) in cases {
            assert_eq!(light(&[classes]), (sign, words.to_owned()));
        }
        // One draw in which a number is not usable decides.
        assert_eq!(light(&[&["A"], &["not usable"], &["A"]]).0, Sign::Poor);
    }

    #[test]
    fn numbers_without_a_value_are_not_usable() {
        let mut undefined = answer(&["A"]);
        undefined.rows =
            vec![vec![serde_json::from_value(json!({ "value": null, "low": null, "high": null })).unwrap()]];
        assert_eq!(Light::of_draws(&[undefined]).sign, Sign::Poor);
        assert_eq!(Light::of_draws(&[answer(&[])]).sign, Sign::Unknown);
    }
}
