//! Assessment of one published table: all measures, verdicts and warnings.
//!
//! Sensitive columns are assessed one by one; several of them together may reveal more about a person than each does
//! alone.

use crate::background::{Matching, types};
use crate::beliefs::{Beliefs, Prior};
use crate::cells::Kind;
use crate::classes::{Classes, Quasi, Secret};
use crate::closeness::{Closeness, Distance};
use crate::counts::Counts;
use crate::cover::CellCounts;
use crate::diversity::Diversity;
use crate::error::{AssessError, TableRole};
use crate::fraction::{At, Fraction};
use crate::matching::{Linking, link};
use crate::membership::{Membership, presence, without_background};
use crate::original::OriginalComparison;
use crate::require::Requirement;
use crate::risk::{Population, Risk};
use crate::sizes::Sizes;
use crate::verdict::{Verdict, verdicts};
use crate::warning::{Warning, uncovered};
use deniable_core::adversary::PriorRange;
use deniable_core::exact::{Rational, ratio};
use num_traits::{One, Zero};
use serde::Serialize;

/// A sensitive column and the distance between its values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SensitiveColumn {
    /// Its name, as the header has it.
    pub name: String,
    /// The distance between two values, for t-closeness.
    pub distance: Distance,
}

/// The input of an assessment: tables, columns, priors and demands.
#[derive(Debug)]
pub struct Input<'a> {
    /// The table that was or will be published.
    pub published: &'a Counts,
    /// The columns by which a person could be recognised.
    pub quasi: Vec<Quasi>,
    /// The columns that are secret.
    pub sensitive: Vec<SensitiveColumn>,
    /// People who could be in the table: raw values of all quasi-identifiers, and sensitive columns where they are known.
    pub background: Option<&'a Counts>,
    /// The table of raw values that the published one was made from.
    pub original: Option<&'a Counts>,
    /// People whom an attacker searches for: raw values of some of the quasi-identifiers.
    pub auxiliary: Option<&'a Counts>,
    /// The names of the tables, for the report; the published table comes first.
    pub names: Vec<(TableRole, String)>,
    /// Prior beliefs about presence, bounded on both sides.
    pub priors: PriorRange,
    /// The chance of re-identification above which a person counts as at risk; see [`default_threshold`].
    pub threshold: Rational,
    /// The `l` for which recursive diversity is reported.
    pub recursive: Vec<u32>,
    /// Demands that the table must meet.
    pub requirements: Vec<Requirement>,
}

/// 1/5: classes of fewer than five are at risk.
#[must_use]
pub fn default_threshold() -> Rational {
    ratio(1, 5)
}

impl<'a> Input<'a> {
    /// A table alone, with the defaults: every column read by its notation, equal distances, the uniform prior, and `l`
    /// = 2.
    #[must_use]
    pub fn new(published: &'a Counts, quasi: &[&str], sensitive: &[&str]) -> Self {
        let secret = |name: &&str| SensitiveColumn { name: (*name).to_owned(), distance: Distance::Equal };
        Self {
            published,
            quasi: quasi.iter().map(|name| Quasi::new(name, crate::cells::Reading::Notation)).collect(),
            sensitive: sensitive.iter().map(secret).collect(),
            background: None,
            original: None,
            auxiliary: None,
            names: Vec::new(),
            priors: PriorRange::uniform(),
            threshold: default_threshold(),
            recursive: vec![2],
            requirements: Vec::new(),
        }
    }
}

/// The kinds of cells of one column.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Readings {
    /// The column's name, as the header has it.
    pub column: String,
    /// One entry for each kind of cell that occurs.
    #[serde(rename = "cells")]
    pub kinds: Vec<ReadCells>,
    /// Two cells, as written, that have a value in common; then the cells do not partition the values.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub overlap: Option<(String, String)>,
}

/// The cells of a column that were read as one kind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ReadCells {
    /// The kind.
    pub read_as: Kind,
    /// The number of cells, and of people with them.
    #[serde(flatten)]
    pub counts: CellCounts,
    /// One of the cells, as written.
    #[serde(skip)]
    pub example: String,
}

/// The measures of one sensitive column.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OfSecret {
    /// The column's name, as the header has it.
    #[serde(rename = "column")]
    pub name: String,
    /// The number of different values.
    pub values: u64,
    /// Its l-diversity: distinct, entropy and recursive.
    #[serde(flatten)]
    pub diversity: Diversity,
    /// The distance between values: `equal`, `ordered`, `hierarchical`.
    pub distance: &'static str,
    /// Its t-closeness, and the class farthest from the whole table.
    pub t: At<Fraction>,
    /// Beliefs of an observer who knows the published margins.
    #[serde(rename = "beliefs_from_margins")]
    pub by_margins: Beliefs,
    /// Beliefs of an observer who knows the background; `None` if the background does not have this column.
    #[serde(rename = "beliefs_from_background", skip_serializing_if = "Option::is_none")]
    pub informed: Option<Beliefs>,
}

/// All results about one published table. `Serialize` writes the exact numbers; `Display` writes text for a terminal,
/// with numbers rounded in favour of the attacker.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Assessment {
    /// The kinds of cells of each column.
    #[serde(rename = "columns")]
    pub readings: Vec<Readings>,
    /// The sizes of the equivalence classes.
    pub sizes: Sizes,
    /// The risks of re-identification.
    pub risk: Risk,
    /// The measures of each sensitive column.
    pub sensitive: Vec<OfSecret>,
    /// The movement of beliefs about presence.
    #[serde(rename = "presence")]
    pub membership: Membership,
    /// Whether each demand is met, in the order of the demands.
    #[serde(rename = "demands")]
    pub verdicts: Vec<Verdict>,
    /// The comparison with the original; `None` without an original.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub original: Option<OriginalComparison>,
    /// The linkage attack with the auxiliary table; `None` without such a table.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub linkage: Option<Linking>,
    /// The names of the tables, as given.
    #[serde(skip)]
    pub names: Vec<(TableRole, String)>,
    /// Likely mistakes in the tables, as [notes](Warning::note).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Warning>,
    /// The sizes of all equivalence classes, for charts.
    #[serde(skip)]
    pub class_sizes: Vec<u64>,
}

impl Assessment {
    /// Whether every demand is met; true if there are no demands.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.verdicts.iter().all(|verdict| verdict.met)
    }

    /// The file name of the published table without its folders; `the published table` if it has no name.
    #[must_use]
    pub fn name(&self) -> &str {
        let published = self.names.iter().find(|(role, _)| *role == TableRole::Published);
        let file = published.and_then(|(_, name)| std::path::Path::new(name).file_name()?.to_str());
        file.unwrap_or("the published table")
    }
}

/// The inputs of the verdicts, beside the assessment.
pub(crate) struct Parts<'a> {
    matching: Option<&'a Matching<'a>>,
    /// A lower bound on the people of each class, if recodings overlap.
    at_least: Option<Vec<u64>>,
    sensitive: &'a [SensitiveColumn],
    pub classes: &'a Classes,
    pub priors: &'a PriorRange,
}

impl<'a> Parts<'a> {
    /// The people of each class in the population, where the background lists it.
    pub fn population(&self) -> Option<&'a [u64]> {
        self.matching.filter(|matching| matching.overfull().is_none()).map(Matching::population)
    }

    /// The people of each class in the population, as far as known.
    pub fn people(&self) -> Population<'_> {
        match (self.population(), &self.at_least) {
            (Some(_), Some(people)) => Population::AtLeast(people),
            (Some(people), None) => Population::Exactly(people),
            (None, _) => Population::Unknown,
        }
    }

    pub fn distance(&self, place: usize) -> &Distance {
        self.sensitive.get(place).map_or(&Distance::Equal, |sensitive| &sensitive.distance)
    }

    /// A sensitive column, and all priors about it. A demand must hold for each prior: if a background lists
    /// everybody's value, nothing remains to learn, and that prior alone would meet any demand.
    pub fn of(&self, place: usize) -> Result<(&'a Secret, Vec<Prior<'a>>), AssessError> {
        let secret = self.classes.secrets.get(place).ok_or(AssessError::NoQuasi)?;
        Ok((secret, [Prior::Margins].into_iter().chain(self.informed(&secret.name)).collect()))
    }

    fn informed(&self, name: &str) -> Option<Prior<'a>> {
        let matching = self.matching?;
        let known = matching.types.secrets.iter().find(|known| known.name == name)?;
        Some(Prior::Background(matching, known))
    }
}

/// Assesses a table.
///
/// # Errors
/// Each error names the column, value or class, and the remedy: columns that are missing or named twice, empty tables,
/// hierarchies without a value, backgrounds and originals that contradict the table, and demands that cannot be
/// decided.
pub fn assess(input: &Input<'_>) -> Result<Assessment, AssessError> {
    let (low, high) = (input.priors.low(), input.priors.high());
    if low.is_zero() || high.is_one() {
        return Err(AssessError::Priors { low: low.to_string(), high: high.to_string() });
    }
    let names: Vec<String> = input.sensitive.iter().map(|sensitive| sensitive.name.clone()).collect();
    let classes = Classes::of(input.published, &input.quasi, &names, TableRole::Published)?;
    let quasi: Vec<&str> = input.quasi.iter().map(|quasi| quasi.name.as_str()).collect();
    let raw = |counts: Option<&Counts>, table| {
        let sensitive: Vec<&str> = names.iter().map(String::as_str).collect();
        counts.map(|counts| types(counts, &quasi, &sensitive, table)).transpose()
    };
    let people = raw(input.background, TableRole::Background)?;
    let original = raw(input.original, TableRole::Original)?;
    let matching = people.as_ref().map(|people| Matching::new(&classes, people));
    if let Some(matching) = &matching {
        matching.covers_somebody()?;
    }
    let at_least = matching.as_ref().filter(|matching| matching.overlaps()).map(Matching::at_least);
    let parts = Parts {
        matching: matching.as_ref(),
        at_least,
        sensitive: &input.sensitive,
        classes: &classes,
        priors: &input.priors,
    };
    let empty = AssessError::Empty { table: TableRole::Published };
    let mut sensitive = Vec::new();
    for (place, secret) in classes.secrets.iter().enumerate() {
        let distance = parts.distance(place);
        sensitive.push(OfSecret {
            name: secret.name.clone(),
            values: secret.values.len() as u64,
            diversity: Diversity::of(&classes, secret, &input.recursive).ok_or_else(|| empty.clone())?,
            distance: distance.name(),
            t: Closeness::new(&classes, secret, distance)?.t().ok_or_else(|| empty.clone())?,
            by_margins: Beliefs::of(&classes, secret, Prior::Margins)?,
            informed: parts.informed(&secret.name).map(|prior| Beliefs::of(&classes, secret, prior)).transpose()?,
        });
    }
    let membership = match &matching {
        Some(matching) => presence(matching, &input.priors),
        None => without_background(&classes).ok_or_else(|| empty.clone())?,
    };
    let compared = original.as_ref().map(|original| {
        let matching = Matching::new(&classes, original);
        OriginalComparison::of(&matching, &input.threshold)
    });
    let mut assessment = Assessment {
        readings: readings(&classes),
        sizes: Sizes::of(&classes).ok_or_else(|| empty.clone())?,
        risk: Risk::of(&classes, parts.people(), &input.threshold).ok_or(empty)?,
        sensitive,
        membership,
        verdicts: Vec::new(),
        original: compared.transpose()?,
        linkage: input.auxiliary.map(|people| link(&classes, people)).transpose()?,
        names: input.names.clone(),
        warnings: uncovered(input, &classes),
        class_sizes: classes.sizes().to_vec(),
    };
    assessment.verdicts = verdicts(&input.requirements, &assessment, &parts)?;
    Ok(assessment)
}

fn readings(classes: &Classes) -> Vec<Readings> {
    let all = [Kind::Exact, Kind::Masked, Kind::Range, Kind::Set, Kind::Node, Kind::Suppressed];
    let columns = classes.columns.iter().enumerate().map(|(place, column)| {
        let people = classes.people_by_cell(place);
        let kinds = all.into_iter().filter_map(|read_as| {
            let example = column.cells.iter().find(|cell| cell.kind() == read_as)?.text().to_owned();
            Some(ReadCells { read_as, counts: column.kinds(&people, read_as), example })
        });
        let text = |cell: u32| column.cells[cell as usize].text().to_owned();
        let overlap = column.overlap().map(|(one, other)| (text(one), text(other)));
        Readings { column: column.name.clone(), kinds: kinds.collect(), overlap }
    });
    columns.collect()
}
