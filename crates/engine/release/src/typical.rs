//! Typical answers and their errors: the intervals that answers have after the noise, around guessed values.
//!
//! A policy guesses the numbers of rows and people, and the usual values of columns, conditions and expressions. From
//! these follow typical values of the measures ([`deniable_query::Guesses`]); an output column and its interval are
//! computed from them as if they were the noisy values, as after a release ([`deniable_answers::planned`] states where
//! the noise reaches less far). So the plan and the answers agree for all arithmetic. Typical values do not change
//! noise, price or identity: targets depend on bounds alone.

use crate::forecast::AnswerForecast;
use crate::plan::QueryPlan;
use deniable_answers::{Noisy, PlannedNumber};
use deniable_core::exact::{Rational, whole};
use deniable_core::schema::section;
use deniable_core::sensitivity::Caps;
use deniable_policy::{Policy, QuerySubject, TypicalColumn};
use deniable_query::output::Term;
use deniable_query::{ColumnGuess, Guesses, MissingGuess, Query};
use num_traits::{Signed, Zero};
use std::collections::BTreeSet;

/// A typical answer, or the guesses that are missing for it.
pub type TypicalAnswer = Result<PlannedNumber, BTreeSet<MissingGuess>>;

/// The typical value of every measure of a query in one cell, in its units, or what is missing for it.
#[must_use]
pub fn measures(planned: &QueryPlan, policy: &Policy) -> Vec<Result<i128, BTreeSet<MissingGuess>>> {
    let (query, part) = (planned.query(), planned.typical_share());
    let guesses = Guesses {
        rows: own_rows(query, policy).map(|rows| rows * &part),
        all_rows: policy.data().typical_rows.map(|rows| whole(rows) * &part),
        entities: policy.typical().entities.map(|people| whole(people) * &part),
        column: &|table, column| {
            let TypicalColumn { value, spread } = policy.typical().column(table, column)?;
            Some(ColumnGuess { mean: value.clone(), deviation: spread.clone() })
        },
        expressions: &planned.declared().typical,
    };
    query.typical(&guesses)
}

/// The typical values of these terms of the levels, in one cell each.
pub(crate) fn usual(planned: &QueryPlan, policy: &Policy, terms: &[(usize, Term)]) -> Vec<TypicalAnswer> {
    let query = planned.query();
    let measures = measures(planned, policy);
    // A term without a value is computed with zero in its place, and not shown.
    let cell = |(at, value): (usize, &Result<i128, _>)| vec![*value.as_ref().unwrap_or(&0); query.width(at)];
    let noisy = Noisy {
        values: measures.iter().enumerate().map(cell).collect(),
        consistent: None,
        decays: planned.measures().iter().map(|measure| measure.decay().clone()).collect(),
    };
    let missing = |(level, term): &(usize, Term)| {
        let of = |measure: &usize| measures[*measure].as_ref().err();
        query.measures_of(term, *level).iter().filter_map(of).flatten().cloned().collect::<BTreeSet<MissingGuess>>()
    };
    let planned = deniable_answers::planned(query, terms, &noisy, policy.confidence());
    let told = |(term, planned): (&(usize, Term), PlannedNumber)| {
        let missing = missing(term);
        if missing.is_empty() { Ok(planned) } else { Err(missing) }
    };
    terms.iter().zip(planned).map(told).collect()
}

/// The number of rows that a query is about; the number of entities if each entity has one row.
pub(crate) fn own_rows(query: &Query, policy: &Policy) -> Option<Rational> {
    if query.is_of_entity_rows() {
        return policy.typical().entities.map(whole);
    }
    policy.data().typical_rows.map(|rows| fewer(whole(rows), query, policy))
}

/// Number of synthetic rows if it is not guessed.
const ROWS: u64 = 10_000;
/// Most synthetic rows: enough to resemble any larger table.
const MOST_ROWS: u64 = 100_000;
/// Rows per entity if only the number of rows is guessed.
const ROWS_EACH: u64 = 3;

/// The number of synthetic rows for previews of answers, and of their entities if that is guessed.
#[must_use]
pub fn made_up(policy: &Policy) -> (u64, Option<u64>) {
    let entities = policy.typical().entities;
    let few = || entities.map_or(ROWS, |entities| entities.saturating_mul(ROWS_EACH));
    (policy.data().typical_rows.unwrap_or_else(few).min(MOST_ROWS), entities)
}

/// The rows that count if the number of entities is guessed too: at most as many as the caps admit.
fn fewer(rows: Rational, query: &Query, policy: &Policy) -> Rational {
    let Some(people) = policy.typical().entities.filter(|_| policy.entity().is_some()) else { return rows };
    let Caps { rows_per_group, groups } = query.caps();
    let cells = (0..query.levels().len()).map(|level| query.cells(level)).max().unwrap_or(1);
    let groups = usize::try_from(groups).unwrap_or(usize::MAX).min(cells);
    rows.min(whole(people) * whole(rows_per_group) * whole(groups))
}

/// The error of a typical answer over the answer; `None` if either is unknown, or the answer is zero.
pub(crate) fn relative(planned: &PlannedNumber) -> Option<Rational> {
    let (answer, error) = (planned.answer.as_ref()?, planned.error.as_ref()?);
    (!answer.is_zero()).then(|| error / answer.abs())
}

/// The guesses to add to the policy for missing relative errors, once each, the simplest first; and the assumptions
/// made.
#[must_use]
pub fn notes(queries: &[(&QueryPlan, &[AnswerForecast])], policy: &Policy) -> Vec<String> {
    let missing = missing_guesses(queries, policy);
    let missing = missing.map(|add| format!("relative errors that are missing need public guesses: {add}"));
    missing.into_iter().chain(assumptions(queries, policy)).collect()
}

/// The guesses to add, once each, the simplest first.
fn missing_guesses(queries: &[(&QueryPlan, &[AnswerForecast])], policy: &Policy) -> Option<String> {
    let mut keys: BTreeSet<(usize, String)> = BTreeSet::new();
    for (planned, answers) in queries {
        let lacks = answers.iter().filter_map(|answer| answer.typical.as_ref().err()).flatten();
        keys.extend(lacks.filter_map(|missing| key(missing, &planned.declared().name, policy)));
    }
    let keys: Vec<String> = keys.into_iter().map(|(_, key)| key).collect();
    (!keys.is_empty()).then(|| format!("add {}", keys.join("; ")))
}

/// The assumptions made, and guesses that do not apply.
fn assumptions(queries: &[(&QueryPlan, &[AnswerForecast])], policy: &Policy) -> Vec<String> {
    let mut notes = Vec::new();
    let whole_table = |(planned, _): &&(&QueryPlan, &[AnswerForecast])| {
        own_rows(planned.query(), policy).is_some()
            && planned.query().is_filtered()
            && planned.declared().every.is_none()
            && planned.declared().typical_share.is_none()
    };
    let (all, parts): (Vec<_>, Vec<_>) = queries
        .iter()
        .filter(whole_table)
        .map(|(planned, _)| (planned, planned.query().reachable_part()))
        .partition(|(_, part)| *part == whole(1));
    if !parts.is_empty() {
        let names: Vec<String> =
            parts.iter().map(|(planned, part)| format!("\"{}\" ({part})", planned.declared().name)).collect();
        notes.push(format!(
            "assumed to be about as large a part of the rows as WHERE leaves of the groups: {}; add `typical_share`, \
             the part that remains, under [[query]]",
            names.join(", ")
        ));
    }
    let names: Vec<String> = all.iter().map(|(planned, _)| format!("\"{}\"", planned.declared().name)).collect();
    if !names.is_empty() {
        notes.push(format!(
            "assumed to be about all rows although WHERE leaves some out: {}; add `typical_share`, the part that \
             remains, under [[query]]",
            names.join(", ")
        ));
    }
    for (planned, answers) in queries {
        let name = &planned.declared().name;
        let spreads: BTreeSet<&str> =
            answers.iter().filter_map(|answer| answer.typical.as_ref().err()).flatten().filter_map(spread_of).collect();
        notes.extend(spreads.iter().map(|words| {
            format!(
                "\"{name}\": the spread of `{words}` does not follow from those of its columns, so its relative error \
                 is unknown"
            )
        }));
        let impossible = planned.query().impossible(&planned.declared().typical);
        notes.extend(impossible.iter().map(|words| {
            format!(
                "`typical` of \"{name}\": the guess for `{words}` is impossible; for a condition give a part of the \
                 rows from 0 to 1, for a value one within its bounds"
            )
        }));
        let unknown = planned.query().unknown(&planned.declared().typical);
        notes.extend(
            unknown.iter().map(|words| format!("`typical` of \"{name}\": the query has no expression `{words}`")),
        );
    }
    notes
}

/// Why a query's typical answers, and so the sizes of its cells, do not follow from the policy's guesses, with the
/// guesses to state; empty if they follow.
#[must_use]
pub fn unknown_sizes(planned: &QueryPlan, answers: &[AnswerForecast], policy: &Policy) -> Vec<String> {
    if planned.declared().about != QuerySubject::Cells {
        return vec!["no guess states how many entities the caps affect".to_owned()];
    }
    let query = planned.query();
    // Ranks have no typical value, and need the number of rows or entities all the same.
    let (size, unstated) = if query.is_per_entity() || query.is_of_entity_rows() {
        (policy.typical().entities, MissingGuess::Entities)
    } else {
        (policy.data().typical_rows, MissingGuess::Rows)
    };
    let is_stated = size.is_some() || answers.iter().all(|answer| answer.typical.is_ok());
    let size = key(&unstated, "", policy).filter(|_| !is_stated).map(|(_, key)| format!("add {key}"));
    let queries = [(planned, answers)];
    missing_guesses(&queries, policy).or(size).into_iter().chain(assumptions(&queries, policy)).collect()
}

/// The place where a guess is stated, in the order of simplicity; `None` if no guess helps.
fn key(missing: &MissingGuess, planned: &str, policy: &Policy) -> Option<(usize, String)> {
    let of_column = |table: &str, column: &str| section((table != policy.data().table).then_some(table), column);
    Some(match missing {
        MissingGuess::Rows => (0, "`typical_rows` to [data]".to_owned()),
        MissingGuess::Entities => (1, "`typical_entities` to [entity]".to_owned()),
        MissingGuess::Column { table, column } => (2, format!("`typical` to {}", of_column(table, column))),
        MissingGuess::Spread { table, column } => (3, format!("`typical_spread` to {}", of_column(table, column))),
        MissingGuess::Expression(words) => {
            (4, format!("`typical = {{ {} = ... }}` to the query \"{planned}\"", quoted(words)))
        }
        // A spread follows from columns alone, and no guess determines a rank.
        MissingGuess::SpreadOf(_) | MissingGuess::Rank => return None,
    })
}

fn spread_of(missing: &MissingGuess) -> Option<&str> {
    match missing {
        MissingGuess::SpreadOf(words) => Some(words),
        _ => None,
    }
}

/// A column's name as TOML writes it in the head of a section.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
