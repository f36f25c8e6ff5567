//! Linkage with people whom an attacker knows, on generalised cells.
//!
//! A person's *candidates* are the rows of all classes that cover the attacker's knowledge of them. The true identities
//! are unknown, so a single candidate is a match that may be wrong: the person may not be in the table.

use crate::background::{Matching, types};
use crate::classes::Classes;
use crate::counts::Counts;
use crate::error::{AssessError, TableRole};
use crate::fraction::Fraction;
use serde::Serialize;

/// People whose candidates all share one value of a sensitive column.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Disclosure {
    /// The name of the sensitive column.
    pub column: String,
    /// People whose value is disclosed, if they are in the table.
    pub people: u64,
    /// One of these people.
    #[serde(flatten)]
    pub example: Option<DisclosedValue>,
}

/// A disclosed value of one person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DisclosedValue {
    /// The person, by the values of the joined columns.
    #[serde(rename = "example_person")]
    pub person: String,
    /// The sensitive value.
    #[serde(rename = "example_value")]
    pub value: String,
}

/// The person who is easiest to identify.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HighestConfidence {
    /// The largest `1/candidates`.
    #[serde(rename = "highest_confidence")]
    pub chance: Fraction,
    /// The person, by the values of the joined columns.
    #[serde(rename = "highest_confidence_person")]
    pub person: String,
}

/// The result of linkage, counted in people of the auxiliary table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Linking {
    /// The joined columns.
    pub columns: Vec<String>,
    /// People who were searched for.
    pub people: u64,
    /// People who match no class, so they have no candidate row.
    #[serde(rename = "no_candidate")]
    pub nobody: u64,
    /// People with exactly one candidate.
    #[serde(rename = "one_candidate")]
    pub single: u64,
    /// Those of `single` whose candidate row covers no other person.
    #[serde(rename = "one_candidate_and_nobody_else_fits")]
    pub alone: u64,
    /// People with two to four candidates.
    #[serde(rename = "two_to_four_candidates")]
    pub few: u64,
    /// People with five or more candidates.
    #[serde(rename = "five_or_more_candidates")]
    pub many: u64,
    /// The person who is easiest to identify; `None` if no person has a candidate.
    #[serde(flatten)]
    pub highest: Option<HighestConfidence>,
    /// The disclosures of each sensitive column.
    pub disclosed: Vec<Disclosure>,
}

/// Searches for the people of an auxiliary table of raw values, by all quasi-identifiers that it has.
///
/// # Errors
/// If it has no quasi-identifier, or no people.
pub fn link(classes: &Classes, auxiliary: &Counts) -> Result<Linking, AssessError> {
    let has = |name: &str| auxiliary.columns().iter().any(|column| column.name() == name);
    let (keep, names): (Vec<usize>, Vec<&str>) =
        classes.columns.iter().map(|column| column.name.as_str()).enumerate().filter(|(_, name)| has(name)).unzip();
    if names.is_empty() {
        let first = classes.columns.first().map_or("", |column| &column.name);
        return Err(auxiliary.column(first, TableRole::Auxiliary).err().unwrap_or(AssessError::NoQuasi));
    }
    let known = types(auxiliary, &names, &[], TableRole::Auxiliary)?;
    let seen = classes.project(&keep);
    let matching = Matching::new(&seen, &known);
    let mut found = Linking {
        columns: names.into_iter().map(str::to_owned).collect(),
        people: known.people(),
        nobody: 0,
        single: 0,
        alone: 0,
        few: 0,
        many: 0,
        highest: None,
        disclosed: Vec::new(),
    };
    let mut fewest: Option<(u64, u32)> = None;
    for person in known.all() {
        let (people, covering) = (known.size(person), matching.classes_of(person));
        let candidates: u64 = covering.iter().map(|class| seen.size(*class)).sum();
        match candidates {
            0 => found.nobody += people,
            1 => {
                found.single += people;
                let covered = covering.first().and_then(|class| matching.population().get(*class as usize));
                found.alone += u64::from(covered == Some(&1));
            }
            2..=4 => found.few += people,
            _ => found.many += people,
        }
        if candidates > 0 && fewest.is_none_or(|(fewest, _)| candidates < fewest) {
            fewest = Some((candidates, person));
        }
    }
    found.highest = fewest.map(|(candidates, person)| HighestConfidence {
        chance: Fraction::new(1_u64, candidates),
        person: known.name(person),
    });
    for secret in &seen.secrets {
        let mut disclosed = Disclosure { column: secret.name.clone(), people: 0, example: None };
        for person in known.all() {
            let mut values = matching.classes_of(person).iter().map(|class| match secret.of(*class) {
                [(value, _)] => Some(*value),
                _ => None,
            });
            let Some(Some(value)) = values.next() else { continue };
            if values.all(|other| other == Some(value)) {
                disclosed.people += known.size(person);
                let named =
                    || DisclosedValue { person: known.name(person), value: secret.values[value as usize].clone() };
                disclosed.example.get_or_insert_with(named);
            }
        }
        found.disclosed.push(disclosed);
    }
    Ok(found)
}
