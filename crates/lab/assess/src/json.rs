//! An assessment as data for machines ([`crate::part`]): fractions in lowest terms as texts, with decimals beside them for people, and classes by
//! their names.

use crate::assessment::{Assessment, OfSecret};
use crate::belief::{BeliefChange, Extreme};
use crate::beliefs::Beliefs;
use crate::fraction::At;
use crate::limit::epsilon;
use crate::matching::Linking;
use crate::membership::Membership;
use crate::part::{Belief, ClassValue, FarthestBeliefs, Json, Number, PLACES, Part};
use crate::risk::{Attacker, ExactOrBound, Risk};
use crate::sizes::Sizes;
use deniable_core::exact::{Bound, Rational};

fn text(value: impl Into<String>) -> Part {
    Part::Text(value.into())
}

struct Writer<'a>(&'a Assessment);

/// The whole assessment.
#[must_use]
pub fn written(assessment: &Assessment) -> Part {
    let writer = Writer(assessment);
    let mut all = Json::from([
        ("columns", writer.columns()),
        ("sizes", writer.sizes(&assessment.sizes)),
        ("risk", writer.risk(&assessment.risk, true)),
        ("sensitive", Part::List(assessment.sensitive.iter().map(|column| writer.secret(column)).collect())),
        ("presence", writer.presence()),
        ("demands", writer.demands()),
    ]);
    if let Some(original) = &assessment.original {
        let kept = original.kept.iter().map(|kept| {
            Part::Parts(Json::from([
                ("column", text(&kept.column)),
                ("exact", Part::Count(kept.exact)),
                ("generalised", Part::Count(kept.generalised)),
                ("suppressed", Part::Count(kept.suppressed)),
            ]))
        });
        let sizes = &original.sizes;
        let parts = Json::from([
            ("kept", Part::List(kept.collect())),
            ("left_out", Part::Count(original.left_out)),
            ("discernibility", text(original.discernibility.to_string())),
            ("normalised_mean_class_size", Part::Number(Number::rational(&original.normalised_mean))),
            ("people", Part::Count(sizes.people)),
            ("classes", Part::Count(sizes.classes)),
            ("k", Part::Count(sizes.smallest.value)),
            ("uniques", Part::Count(sizes.uniques)),
            ("risk", writer.risk(&original.risk, false)),
        ]);
        all.insert("original", Part::Parts(parts));
    }
    Part::Parts(all)
}

/// What linkage reached.
#[must_use]
pub fn written_linking(linking: &Linking) -> Part {
    let disclosed = linking.disclosed.iter().map(|disclosed| {
        let mut parts = Json::from([("column", text(&disclosed.column)), ("people", Part::Count(disclosed.people))]);
        if let Some((person, value)) = &disclosed.example {
            parts.extend([("example_person", text(person)), ("example_value", text(value))]);
        }
        Part::Parts(parts)
    });
    let mut parts = Json::from([
        ("columns", Part::List(linking.columns.iter().map(text).collect())),
        ("people", Part::Count(linking.people)),
        ("no_candidate", Part::Count(linking.nobody)),
        ("one_candidate", Part::Count(linking.single)),
        ("one_candidate_and_nobody_else_fits", Part::Count(linking.alone)),
        ("two_to_four_candidates", Part::Count(linking.few)),
        ("five_or_more_candidates", Part::Count(linking.many)),
        ("disclosed", Part::List(disclosed.collect())),
    ]);
    if let Some((confidence, person)) = &linking.highest {
        parts.insert("highest_confidence", Part::Number(Number::of(&confidence.value())));
        parts.insert("highest_confidence_person", text(person));
    }
    Part::Parts(parts)
}

impl Writer<'_> {
    fn class(&self, class: u32) -> String {
        self.0.classes.name(class)
    }

    fn at(&self, at: &At<Bound>) -> Part {
        Part::NumberAt(ClassValue { value: Number::of(&at.value), class: self.class(at.class) })
    }

    fn columns(&self) -> Part {
        let columns = self.0.readings.iter().map(|readings| {
            let kinds = readings.kinds.iter().map(|(kind, read)| {
                let kind = format!("{kind:?}").to_lowercase();
                let counts = [("cells", Part::Count(read.cells)), ("people", Part::Count(read.people))];
                Part::Parts(Json::from([("read_as", text(kind))]).into_iter().chain(counts).collect())
            });
            let mut parts = Json::from([("column", text(&readings.column)), ("cells", Part::List(kinds.collect()))]);
            if let Some((one, other)) = &readings.overlap {
                parts.insert("overlap", Part::List(vec![text(one), text(other)]));
            }
            Part::Parts(parts)
        });
        Part::List(columns.collect())
    }

    fn sizes(&self, sizes: &Sizes) -> Part {
        let histogram = sizes.histogram.iter().map(|bucket| {
            let counts =
                [("from", bucket.from), ("to", bucket.to), ("classes", bucket.classes), ("people", bucket.people)];
            Part::Parts(counts.into_iter().map(|(name, count)| (name, Part::Count(count))).collect())
        });
        let k = ClassValue { value: sizes.smallest.value, class: self.class(sizes.smallest.class) };
        Part::Parts(Json::from([
            ("people", Part::Count(sizes.people)),
            ("classes", Part::Count(sizes.classes)),
            ("k", Part::CountAt(k)),
            ("mean", Part::Number(Number::rational(&sizes.mean))),
            ("uniques", Part::Count(sizes.uniques)),
            ("histogram", Part::List(histogram.collect())),
        ]))
    }

    /// Classes of the original are not named: they are people's raw values.
    fn attacker(&self, attacker: &Attacker, named: bool) -> Json {
        let highest = At { value: attacker.highest.value.value(), class: attacker.highest.class };
        let highest = if named { self.at(&highest) } else { Part::Number(Number::of(&highest.value)) };
        Json::from([
            ("highest", highest),
            ("average", Part::Number(Number::rational(&attacker.average))),
            ("above_threshold", Part::Number(Number::rational(&attacker.above))),
        ])
    }

    fn risk(&self, risk: &Risk, named: bool) -> Part {
        let is_bound = matches!(risk.journalist, ExactOrBound::AtMost(_));
        let mut journalist = self.attacker(risk.journalist.value(), named);
        journalist.insert("is_upper_bound", Part::Flag(is_bound));
        let share = Part::Number(Number::rational(risk.marketer.value()));
        Part::Parts(Json::from([
            ("threshold", Part::Number(Number::rational(&risk.threshold))),
            ("prosecutor", Part::Parts(self.attacker(&risk.prosecutor, named))),
            ("journalist", Part::Parts(journalist)),
            ("marketer", Part::Parts(Json::from([("share", share), ("is_upper_bound", Part::Flag(is_bound))]))),
        ]))
    }

    fn secret(&self, column: &OfSecret) -> Part {
        let diversity = &column.diversity;
        let recursive = diversity.recursive.iter().map(|recursive| {
            let c = At { value: recursive.c.value.value(), class: recursive.c.class };
            Part::Parts(Json::from([("l", Part::Count(recursive.l.into())), ("c_above", self.at(&c))]))
        });
        let distinct = ClassValue { value: diversity.distinct.value, class: self.class(diversity.distinct.class) };
        let entropy =
            ClassValue { value: diversity.entropy.value.l(PLACES), class: self.class(diversity.entropy.class) };
        let mut parts = Json::from([
            ("column", text(&column.name)),
            ("values", Part::Count(column.values)),
            ("distinct_l", Part::CountAt(distinct)),
            ("entropy_l", Part::TextAt(entropy)),
            ("recursive", Part::List(recursive.collect())),
            ("distance", text(column.distance)),
            ("t", self.at(&At { value: column.t.value.value(), class: column.t.class })),
            ("beliefs_from_margins", self.beliefs(&column.by_margins)),
        ]);
        if let Some(informed) = &column.informed {
            parts.insert("beliefs_from_background", self.beliefs(informed));
        }
        Part::Parts(parts)
    }

    fn beliefs(&self, beliefs: &Beliefs) -> Part {
        let shares = beliefs.shares.iter().map(|share| {
            Part::Parts(Json::from([
                ("factor", text(share.factor.map_or_else(|| "∞".to_owned(), |factor| factor.to_string()))),
                ("people", Part::Count(share.people)),
                ("share", Part::Number(Number::rational(&share.share))),
            ]))
        });
        Part::Parts(Json::from([
            ("loss", self.extreme(&beliefs.loss)),
            ("epsilon", text(epsilon(&beliefs.loss.value(), PLACES))),
            ("two_sided", self.extreme(beliefs.two_sided())),
            ("epsilon_two_sided", text(epsilon(&beliefs.two_sided().value(), PLACES))),
            ("odds_up", self.extreme(&beliefs.up)),
            ("odds_down", self.extreme(&beliefs.down)),
            ("odds_move_by_more_than", Part::List(shares.collect())),
            ("impossible_pairs", Part::Count(beliefs.impossible)),
        ]))
    }

    fn extreme(&self, extreme: &Extreme) -> Part {
        let belief = |moved: &BeliefChange| Belief {
            class: self.class(moved.class),
            person: moved.person.and_then(|person| Some(self.0.people.as_ref()?.name(person))),
            value: moved.value.clone(),
            before: Number::rational(&moved.before),
            after: Number::rational(&moved.after),
            by: Number::of(&moved.by(extreme.kind)),
        };
        Part::Farthest(Box::new(FarthestBeliefs {
            value: Number::of(&extreme.value()),
            infinite: extreme.infinite.as_ref().map(belief),
            finite: extreme.finite.as_ref().map(belief),
        }))
    }

    fn presence(&self) -> Part {
        let belief = |at: &At<Rational>| self.at(&At { value: Bound::Finite(at.value.clone()), class: at.class });
        let parts = match &self.0.membership {
            Membership::Computed(presence) => Json::from([
                ("prior_low", Part::Number(Number::rational(self.0.priors.low()))),
                ("prior_high", Part::Number(Number::rational(self.0.priors.high()))),
                ("odds_up", self.at(&presence.up)),
                ("odds_down", self.at(&presence.down)),
                ("gain", self.at(&presence.gain)),
                ("loss", self.at(&presence.loss)),
                ("highest_belief", belief(&presence.highest)),
                ("lowest_belief", belief(&presence.lowest)),
                ("certainly_in", Part::Count(presence.certainly_in)),
                ("certainly_out", Part::Count(presence.certainly_out)),
                ("beyond_a_gain_of_2", Part::Count(presence.beyond_two)),
                ("left_out_for_overlaps", Part::Count(presence.left_out)),
            ]),
            Membership::Overlapping => Json::from([("not_computed", text("recodings overlap for every class"))]),
            Membership::NoList { class, rows, people } => Json::from([
                ("not_computed", text("a class has more rows than people of the background whom it covers")),
                ("class", text(self.class(*class))),
                ("rows", Part::Count(*rows)),
                ("people", Part::Count(*people)),
            ]),
            Membership::NoBackground { smallest, population } => Json::from([
                (
                    "not_computed",
                    text("there is no background; if the table holds everybody like them, presence is certain"),
                ),
                ("smallest_class", text(self.class(smallest.class))),
                ("rows", Part::Count(smallest.value)),
                ("population_for_a_gain_of_2", Part::Count(*population)),
            ]),
        };
        let mut parts = parts;
        // A constant fact, whatever the counts: to whoever knows all others of a class, the last person is certain.
        parts.insert("odds_if_others_may_be_certain", text("∞"));
        Part::Parts(parts)
    }

    fn demands(&self) -> Part {
        let demands = self.0.verdicts.iter().map(|verdict| {
            let first = verdict.offending.first.iter().map(|class| text(self.class(*class)));
            let mut parts = Json::from([
                ("demand", text(&verdict.demand)),
                ("met", Part::Flag(verdict.met)),
                ("measured", text(&verdict.measured)),
                ("offending_classes", Part::Count(verdict.offending.classes)),
                ("offending_people", Part::Count(verdict.offending.people)),
                ("first_offending", Part::List(first.collect())),
            ]);
            if let Some(column) = &verdict.column {
                parts.insert("column", text(column));
            }
            Part::Parts(parts)
        });
        Part::List(demands.collect())
    }
}
