//! An assessment as a page with pictures.

use super::words::{PLACES, kind_words, linkage, original, presence, short, upward};
use super::{Assessed, name};
use deniable_assess::assessment::OfSecret;
use deniable_assess::belief::{Extreme, Moved};
use deniable_assess::beliefs::Beliefs;
use deniable_assess::limit::epsilon;
use deniable_assess::membership::Membership;
use deniable_assess::risk::Known;
use deniable_assess::{Assessment, Requirement};
use deniable_core::exact::{Rounding, decimal, percent};
use deniable_report::assessment as page;
use num_traits::ToPrimitive;
use std::path::Path;

/// The page.
pub fn page(file: &Path, assessed: &Assessed) -> String {
    let assessment = &assessed.assessment;
    let wanted = assessment.verdicts.iter().find_map(|verdict| {
        let k = Requirement::parse(&verdict.demand).ok()?.into_iter().next()?;
        if let deniable_assess::require::Demand::K(k) = k.demand { Some(k) } else { None }
    });
    page::assessment(&page::Assessment {
        title: format!("What {} gives away", name(file)),
        files: assessed.files.clone(),
        people: assessment.sizes.people,
        classes: assessment.sizes.classes,
        overview: overview(assessment),
        sizes: sizes(assessment, wanted),
        wanted,
        beliefs: beliefs(assessment),
        presence: Ok(page::Presence { said: presence(assessment), measures: numbers(assessment) }),
        linkage: assessed.linking.as_ref().map(|linking| page::Linkage {
            people: linking.people,
            found: vec![
                ("fit no row".to_owned(), linking.nobody),
                ("fit exactly one row".to_owned(), linking.single),
                ("fit one row, and nobody else fits it".to_owned(), linking.alone),
                ("fit two to four rows".to_owned(), linking.few),
                ("fit five rows or more".to_owned(), linking.many),
            ],
            said: linkage(linking).into_iter().skip(2).collect(),
        }),
        original: original(assessment),
        requirements: requirements(assessment),
        readings: readings(assessment),
    })
}

fn measure(name: impl Into<String>, value: String, meaning: &str, class: Option<String>) -> page::Measure {
    page::Measure { name: name.into(), value, meaning: meaning.to_owned(), class }
}

fn overview(assessment: &Assessment) -> Vec<page::Measure> {
    let class = |class: u32| Some(assessment.classes.name(class));
    let (sizes, risk) = (&assessment.sizes, &assessment.risk);
    let mut all = vec![
        measure("k", sizes.smallest.value.to_string(), "people in the smallest class", class(sizes.smallest.class)),
        measure(
            "mean class size",
            short(&decimal(&sizes.mean, 2, Rounding::Down)),
            "people in a class, on average",
            None,
        ),
        measure("alone", sizes.uniques.to_string(), "people who are the only one in their class", None),
    ];
    let most = if matches!(risk.journalist, Known::AtMost(_)) { "at most " } else { "" };
    let overlaps = assessment.readings.iter().any(|reading| reading.overlap.is_some());
    let prosecutor = if overlaps { "at most " } else { "" };
    let attackers = [
        (
            "prosecutor",
            prosecutor,
            &risk.prosecutor,
            "chance to find the row of somebody who is known to be in the table",
        ),
        ("journalist", most, risk.journalist.value(), "the same, of somebody who is known to be in the population"),
    ];
    for (who, most, attacker, meaning) in attackers {
        let highest = upward(&attacker.highest.value.value());
        all.push(measure(
            format!("{who}, highest"),
            format!("{most}{highest}"),
            meaning,
            class(attacker.highest.class),
        ));
        let average = short(&decimal(&attacker.average, PLACES, Rounding::Up));
        all.push(measure(
            format!("{who}, average"),
            format!("{most}{average}"),
            "mean over the people of the table",
            None,
        ));
        let above = percent(&attacker.above, 2, Rounding::Up);
        let threshold = short(&decimal(&risk.threshold, PLACES, Rounding::Nearest));
        let meaning = format!("people for whom it is above {threshold}");
        all.push(measure(format!("{who}, at risk"), format!("{most}{above}"), &meaning, None));
    }
    let share = short(&decimal(risk.marketer.value(), PLACES, Rounding::Up));
    all.push(measure(
        "marketer",
        format!("{most}{share}"),
        "expected share of rows that are given the right name",
        None,
    ));
    for column in &assessment.sensitive {
        let diversity = &column.diversity;
        let of = |what: &str| format!("{what} of {}", column.name);
        let (distinct, entropy) = (&diversity.distinct, &diversity.entropy);
        all.push(measure(
            of("l"),
            distinct.value.to_string(),
            "different values in a class, at least",
            class(distinct.class),
        ));
        let l = short(&entropy.value.l(PLACES));
        all.push(measure(
            of("entropy l"),
            l,
            "e to the power of the entropy in a class, at least",
            class(entropy.class),
        ));
        for recursive in &diversity.recursive {
            let c = upward(&recursive.c.value.value());
            let name = of(&format!("recursive c for l = {}", recursive.l));
            let meaning = "the most frequent value over all but the more frequent ones: (c,l)-diverse for c above it";
            all.push(measure(name, c, meaning, class(recursive.c.class)));
        }
        let meaning = format!("distance of a class from the whole table, at most ({} distance)", column.distance);
        all.push(measure(of("t"), upward(&column.t.value.value()), &meaning, class(column.t.class)));
        for (prior, beliefs) in [("margins", Some(&column.by_margins)), ("background", column.informed.as_ref())] {
            let Some(beliefs) = beliefs else { continue };
            let at = |extreme: &Extreme| extreme.farthest().and_then(|moved| class(moved.class));
            let two_sided = beliefs.two_sided();
            let one = short(&epsilon(&beliefs.loss.value(), PLACES));
            let two = short(&epsilon(&two_sided.value(), PLACES));
            let name = of(&format!("ε of Bayes-optimal privacy ({prior})"));
            all.push(measure(name, one, "a belief is at most e to this times what it becomes", at(&beliefs.loss)));
            let name = of(&format!("the same, two-sided ({prior})"));
            all.push(measure(name, two, "and becomes at most e to this times what it was", at(two_sided)));
        }
    }
    all
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
            let said: Vec<String> = beliefs
                .shares
                .iter()
                .map(|share| {
                    let by = share.factor.map_or_else(|| "infinitely".to_owned(), |by| format!("by more than {by}"));
                    format!("{by} for {}", percent(&share.share, 2, Rounding::Up))
                })
                .collect();
            shares.push(format!(
                "Odds of some value of {} move ({prior}) {} of the people.",
                column.name,
                said.join(", ")
            ));
        }
    }
    page::Beliefs { before, moved, shares }
}

/// The beliefs that move farthest, each once.
fn farthest(assessment: &Assessment, column: &OfSecret, beliefs: &Beliefs) -> Vec<page::Belief> {
    let extremes = [&beliefs.up, &beliefs.down, &beliefs.loss, &beliefs.gain];
    let mut all: Vec<&Moved> = Vec::new();
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

/// The numbers about presence, where there are any.
fn numbers(assessment: &Assessment) -> Vec<page::Measure> {
    let Membership::Computed(presence) = &assessment.membership else { return Vec::new() };
    let class = |class: u32| Some(assessment.classes.name(class));
    vec![
        measure(
            "highest belief",
            percent(&presence.highest.value, 2, Rounding::Up),
            "that a person is in the table",
            class(presence.highest.class),
        ),
        measure(
            "lowest belief",
            percent(&presence.lowest.value, 2, Rounding::Down),
            "that a person is, whose class has rows",
            class(presence.lowest.class),
        ),
        measure("odds times", upward(&presence.up.value), "at most", class(presence.up.class)),
        measure("odds divided by", upward(&presence.down.value), "at most", class(presence.down.class)),
        measure("gain", upward(&presence.gain.value), "factor of belief, at most (B-2)", class(presence.gain.class)),
        measure(
            "negative gain",
            upward(&presence.loss.value),
            "factor by which belief shrinks, at most (B-3n)",
            class(presence.loss.class),
        ),
        measure("in for certain", presence.certainly_in.to_string(), "people of the background", None),
        measure("out for certain", presence.certainly_out.to_string(), "people of the background", None),
        measure("gain above 2", presence.beyond_two.to_string(), "people of the background", None),
    ]
}

fn requirements(assessment: &Assessment) -> Vec<page::Requirement> {
    let verdicts = assessment.verdicts.iter();
    verdicts
        .map(|verdict| {
            let of = verdict.column.as_ref().map_or_else(String::new, |column| format!(" ({column})"));
            page::Requirement {
                text: format!("{}{of}", verdict.demand),
                measured: short(&verdict.measured),
                met: verdict.met,
                offending: verdict.offending.first.iter().map(|class| assessment.classes.name(*class)).collect(),
                classes: verdict.offending.classes,
            }
        })
        .collect()
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
