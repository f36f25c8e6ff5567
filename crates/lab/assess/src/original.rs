//! Comparison of a published table with its original.

use crate::background::Matching;
use crate::cells::Kind;
use crate::error::AssessError;
use crate::fraction::Fraction;
use crate::number::number;
use crate::risk::{Population, Risk};
use crate::sizes::Sizes;
use deniable_core::exact::{Rational, whole};
use deniable_core::text::shown;
use serde::Serialize;

/// The number of people whose value of a column was published exactly, generalised or suppressed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct KeptValues {
    /// The column's name, as the header has it.
    pub column: String,
    /// People whose value was published unchanged.
    pub exact: u64,
    /// People whose value was masked, made a range or a set, or replaced by a node of a hierarchy.
    pub generalised: u64,
    /// People whose value was left out: `*`.
    pub suppressed: u64,
}

/// The published table compared with the original that it was made from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OriginalComparison {
    /// For each quasi-identifier, the values kept.
    pub kept: Vec<KeptValues>,
    /// People of the original who were left out.
    pub left_out: u64,
    /// Discernibility: the sum of squared class sizes (Bayardo and Agrawal 2005). People left out are not counted.
    #[serde(serialize_with = "as_text")]
    pub discernibility: u128,
    /// The mean class size over `k` (LeFevre et al. 2006).
    #[serde(rename = "normalised_mean_class_size", serialize_with = "number")]
    pub normalised_mean: Rational,
    /// People of the original.
    pub people: u64,
    /// The number of classes of the original. They are not named: their cells are people's raw values.
    pub classes: u64,
    /// The size of the smallest class of the original.
    pub k: u64,
    /// People who are alone in their class of the original.
    pub uniques: u64,
    /// The risk of publishing the original unchanged.
    pub risk: Risk<Fraction>,
}

/// As text, since it may exceed the numbers of JSON.
fn as_text<S: serde::Serializer>(value: &u128, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(value)
}

impl OriginalComparison {
    /// Compares the tables; `matching` is of the published classes with the types of the original.
    ///
    /// A class cannot have more rows than the original has people who match it, nor more rows of a sensitive value.
    /// These conditions are necessary also if classes overlap, but then no longer sufficient.
    ///
    /// # Errors
    /// [`AssessError::Contradiction`] with the class, if the published table cannot be from this original.
    pub fn of(matching: &Matching<'_>, threshold: &Rational) -> Result<Self, AssessError> {
        let (classes, original) = (matching.classes, matching.types);
        contradictions(matching)?;
        let left_out = original.people().checked_sub(classes.people()).ok_or(AssessError::Contradiction {
            class: "of everybody".to_owned(),
            published: classes.people(),
            original: original.people(),
            of_value: String::new(),
        })?;
        let empty = AssessError::Empty { table: crate::TableRole::Original };
        let sizes = Sizes::of(original).ok_or_else(|| empty.clone())?;
        let risk = Risk::of(original, Population::Unknown, threshold).ok_or_else(|| empty.clone())?;
        let published = Sizes::of(classes).ok_or(empty)?;
        let kept = classes.columns.iter().enumerate().map(|(place, column)| {
            let people = classes.people_by_cell(place);
            let of = |kind| column.kinds(&people, kind).people;
            let generalised = [Kind::Masked, Kind::Range, Kind::Set, Kind::Node].into_iter().map(of).sum();
            KeptValues {
                column: column.name.clone(),
                exact: of(Kind::Exact),
                generalised,
                suppressed: of(Kind::Suppressed),
            }
        });
        Ok(Self {
            kept: kept.collect(),
            left_out,
            discernibility: classes.sizes().iter().map(|size| u128::from(*size) * u128::from(*size)).sum(),
            normalised_mean: &published.mean / whole(published.smallest.value),
            people: sizes.people,
            classes: sizes.classes,
            k: sizes.smallest.value,
            uniques: sizes.uniques,
            risk: risk.without_classes(),
        })
    }
}

fn contradictions(matching: &Matching<'_>) -> Result<(), AssessError> {
    let (classes, original) = (matching.classes, matching.types);
    if let Some(class) = matching.overfull() {
        return Err(AssessError::Contradiction {
            class: classes.name(class),
            published: classes.size(class),
            original: matching.population().get(class as usize).copied().unwrap_or(0),
            of_value: String::new(),
        });
    }
    for secret in &classes.secrets {
        let Some(before) = original.secrets.iter().find(|other| other.name == secret.name) else { continue };
        let code: Vec<Option<u32>> = secret.values.iter().map(|value| before.code(value)).collect();
        let mut held = vec![0_u64; before.values.len()];
        for class in classes.all() {
            let entries = || matching.types_of(class).iter().flat_map(|person| before.of(*person));
            entries().for_each(|(value, people)| held[*value as usize] += people);
            for (value, published) in secret.of(class) {
                let people = code[*value as usize].map_or(0, |value| held[value as usize]);
                if *published > people {
                    let value = shown(&secret.values[*value as usize]);
                    return Err(AssessError::Contradiction {
                        class: classes.name(class),
                        published: *published,
                        original: people,
                        of_value: format!(" with {} = {value}", shown(&secret.name)),
                    });
                }
            }
            entries().for_each(|(value, _)| held[*value as usize] = 0);
        }
    }
    Ok(())
}
