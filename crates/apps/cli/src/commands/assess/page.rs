//! An assessment as a page with pictures.

use super::findings::{TableFindings, name};
use super::measures::{self, Demand, Measure};
use super::words::{self, LinkageWords, kind_words, linkage, original, presence};
use deniable_assess::assessment::OfSecret;
use deniable_assess::belief::BeliefChange;
use deniable_assess::beliefs::Beliefs;
use deniable_assess::{Assessment, Requirement};
use deniable_report::assessment as page;
use num_traits::ToPrimitive;
use std::path::Path;

/// The page.
pub fn page(file: &Path, assessed: &TableFindings) -> String {
    let assessment = &assessed.assessment;
    let wanted = assessment.verdicts.iter().find_map(|verdict| {
        let k = Requirement::parse(&verdict.demand).ok()?.into_iter().next()?;
        if let deniable_assess::require::Demand::K(k) = k.demand { Some(k) } else { None }
    });
    let secrets = assessment.sensitive.iter().flat_map(|column| measures::secret(assessment, column));
    page::assessment(&page::Assessment {
        title: format!("What {} gives away", name(file)),
        files: assessed.files.clone(),
        people: assessment.sizes.people,
        classes: assessment.sizes.classes,
        overview: rows(measures::overview(assessment).into_iter().chain(secrets).collect()),
        sizes: sizes(assessment, wanted),
        wanted,
        beliefs: beliefs(assessment),
        presence: Ok(page::Presence { said: presence(assessment), measures: rows(measures::presence(assessment)) }),
        linkage: assessed.linking.as_ref().map(|linking| {
            let LinkageWords { found, more, .. } = linkage(linking);
            page::Linkage { people: linking.people, found, said: more }
        }),
        original: original(assessment),
        requirements: requirements(assessment),
        readings: readings(assessment),
        notes: assessment.readings.iter().filter_map(words::overlap).collect(),
    })
}

fn rows(measures: Vec<Measure>) -> Vec<page::Measure> {
    let row = |Measure { name, meaning, value, class, .. }| page::Measure { name, value, meaning, class };
    measures.into_iter().map(row).collect()
}

fn sizes(assessment: &Assessment, wanted: Option<u64>) -> Vec<page::Bucket> {
    page::buckets(assessment.classes.sizes().iter().copied(), wanted)
}

fn beliefs(assessment: &Assessment) -> page::Beliefs {
    let mut before = vec![
        "Beliefs beforehand are the shares of values in the whole published table (its margins): what anyone can read from it without \
         knowing a person."
            .to_owned(),
    ];
    if assessment.sensitive.iter().any(|column| column.informed.is_some()) {
        before.push("With a background that has the sensitive column, beliefs beforehand are its shares among people of one type.".to_owned());
    }
    let (mut moved, mut shares) = (Vec::new(), Vec::new());
    for column in &assessment.sensitive {
        let priors = [("margins", Some(&column.by_margins)), ("background", column.informed.as_ref())];
        for (prior, beliefs) in priors {
            let Some(beliefs) = beliefs else { continue };
            moved.extend(farthest(assessment, column, beliefs));
            let words = words::shares(beliefs);
            shares.push(format!("Odds of some value of {} move ({prior}) {words} of the people.", column.name));
        }
    }
    page::Beliefs { before, moved, shares }
}

/// The beliefs that move farthest, each once.
fn farthest(assessment: &Assessment, column: &OfSecret, beliefs: &Beliefs) -> Vec<page::Belief> {
    let extremes = [&beliefs.up, &beliefs.down, &beliefs.loss, &beliefs.gain];
    let mut all: Vec<&BeliefChange> = Vec::new();
    for moved in extremes.into_iter().flat_map(|extreme| [&extreme.infinite, &extreme.finite]).flatten() {
        if !all.contains(&moved) {
            all.push(moved);
        }
    }
    let float = |value: &deniable_core::exact::Rational| value.to_f64().unwrap_or_default();
    all.into_iter()
        .map(|moved| {
            let class = assessment.classes.name(moved.class);
            let people = moved.person.and_then(|person| Some(assessment.people.as_ref()?.name(person)));
            let odds = moved.by(deniable_assess::belief::Kind::Up);
            page::Belief {
                value: format!("{}={}", column.name, moved.value),
                person: people.unwrap_or_else(|| "anyone".to_owned()),
                class,
                before: float(&moved.before),
                after: float(&moved.after),
                odds: odds.finite().map_or(f64::INFINITY, float),
            }
        })
        .collect()
}

fn requirements(assessment: &Assessment) -> Vec<page::Requirement> {
    let demands = measures::demands(assessment).into_iter();
    let row = |Demand { text, measured, met, named, offending: (classes, _) }| page::Requirement {
        text,
        measured,
        met,
        offending: named,
        classes,
    };
    demands.map(row).collect()
}

fn readings(assessment: &Assessment) -> Vec<page::Reading> {
    let known = assessment.readings.iter().map(|reading| page::Reading {
        column: reading.column.clone(),
        role: "may be known".to_owned(),
        cells: reading
            .kinds
            .iter()
            .map(|(kind, read)| (kind_words(*kind, read.cells).to_owned(), read.cells))
            .collect(),
    });
    let secret = assessment.sensitive.iter().map(|column| page::Reading {
        column: column.name.clone(),
        role: "sensitive".to_owned(),
        cells: vec![("values".to_owned(), column.values)],
    });
    known.chain(secret).collect()
}
