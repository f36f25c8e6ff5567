//! Exact answers to yes-or-no questions about a few members; two of them are the counterexample E-3.

use super::error::BuiltinError;
use super::parameters::{Builtin, BuiltinArguments, ENTITIES, Parameter};
use super::plain::certain;
use super::rows::{by_kind, entities};
use crate::mechanism::dataset::Dataset;
use crate::mechanism::model::Mechanism;
use deniable_core::exact::Rational;

const QUESTIONS: Parameter = Parameter {
    name: "members",
    about: "the entities of each question; `1 2; 1 3` are two questions, and both answers are released",
    range: "numbers of entities, 1 to 8 questions with `;` between them",
    default: Some("1 2; 1 3"),
};

pub(super) static OR: Builtin = Builtin {
    name: "or",
    about: "whether any of some entities is in; with several questions, all answers",
    theorem: "E-3",
    parameters: &[ENTITIES, QUESTIONS],
    build: |given| build(given, |data, asked| data & asked != 0),
};

pub(super) static AND: Builtin = Builtin {
    name: "and",
    about: "whether all of some entities are in; with several questions, all answers",
    theorem: "E-3",
    parameters: &[ENTITIES, QUESTIONS],
    build: |given| build(given, |data, asked| data & asked == asked),
};

fn build(given: BuiltinArguments<'_>, yes: fn(Dataset, Dataset) -> bool) -> Result<Mechanism, BuiltinError> {
    let text = given.text("members").unwrap_or_default();
    let all: Vec<&str> = text.split(';').collect();
    let n = entities(given, |_| 1 << all.len().min(8))?;
    let number = |name: &str| name.parse().ok().filter(|number| (1..=n).contains(number));
    let question = |names: &&str| {
        let mut asked = names.split_whitespace().map(|name| Some(1 << (number(name)? - 1)));
        asked.try_fold(0, |all: Dataset, one: Option<Dataset>| Some(all | one?)).filter(|asked| *asked != 0)
    };
    let asked: Option<Vec<Dataset>> = all.iter().map(question).collect();
    let asked = asked.filter(|asked| asked.len() <= 8).ok_or_else(|| BuiltinError::OutOfRange {
        parameter: "members",
        range: format!("{}, none beyond {n}", QUESTIONS.range),
        value: text.to_owned(),
    })?;
    let answers = 1_usize << asked.len();
    let name = |answer: usize| {
        let words = (0..asked.len()).map(|question| if answer >> question & 1 == 1 { "yes" } else { "no" });
        words.collect::<Vec<_>>().join(" ")
    };
    let rows: Vec<Vec<Rational>> = (0..answers).map(|answer| certain(answers, answer)).collect();
    by_kind(n, (0..answers).map(name).collect(), &rows, |data| {
        asked.iter().enumerate().map(|(question, asked)| usize::from(yes(data, *asked)) << question).sum()
    })
}
