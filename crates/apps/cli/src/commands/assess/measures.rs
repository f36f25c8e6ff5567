//! What was measured of a table, number by number. The terminal and the page show these and no others.

use super::words::{PLACES, fraction, short, up, upward};
use deniable_assess::Assessment;
use deniable_assess::assessment::OfSecret;
use deniable_assess::belief::Extreme;
use deniable_assess::beliefs::Beliefs;
use deniable_assess::limit::epsilon;
use deniable_assess::membership::Membership;
use deniable_assess::risk::ExactOrBound;
use deniable_core::exact::{Rounding, decimal, percent};

/// One number.
pub struct Measure {
    /// What it is, in the row of a terminal, which has no room for more.
    pub label: String,
    /// What it is, beside what it says.
    pub name: String,
    /// What it says, in a few words.
    pub meaning: String,
    /// The number, rounded to the side of the attacker.
    pub value: String,
    /// The class where it is attained.
    pub class: Option<String>,
}

fn measure(
    label: impl Into<String>,
    (name, meaning): (impl Into<String>, impl Into<String>),
    value: impl ToString,
    class: Option<String>,
) -> Measure {
    Measure { label: label.into(), name: name.into(), meaning: meaning.into(), value: value.to_string(), class }
}

/// Sizes of classes, and risks.
pub fn overview(assessment: &Assessment) -> Vec<Measure> {
    let (sizes, risk) = (&assessment.sizes, &assessment.risk);
    let class = |class: u32| Some(assessment.classes.name(class));
    let smallest = &sizes.smallest;
    let mean = short(&decimal(&sizes.mean, 2, Rounding::Down));
    let alone = ("alone", "people who are the only one in their class");
    let mut all = vec![
        measure(
            "k: people in the smallest class",
            ("k", "people in the smallest class"),
            smallest.value,
            class(smallest.class),
        ),
        measure("mean class size", ("mean class size", "people in a class, on average"), mean, None),
        measure("people alone in their class", alone, sizes.uniques, None),
    ];
    let threshold = short(&decimal(&risk.threshold, PLACES, Rounding::Nearest));
    let most = if matches!(risk.journalist, ExactOrBound::AtMost(_)) { "at most " } else { "" };
    // Where classes overlap, not even who knows that somebody is in the table knows their class.
    let overlaps = assessment.readings.iter().any(|reading| reading.overlap.is_some());
    let prosecutor = if overlaps { "at most " } else { "" };
    let chance = "chance to find the row of somebody who is known to be in the table";
    let same = "the same, of somebody who is known to be in the population";
    let attackers =
        [("prosecutor", prosecutor, &risk.prosecutor, chance), ("journalist", most, risk.journalist.value(), same)];
    for (who, most, attacker, chance) in attackers {
        let highest = format!("{most}{}", fraction(&attacker.highest.value));
        let average = format!("{most}{}", up(&attacker.average));
        let above = format!("{most}{}", percent(&attacker.above, 2, Rounding::Up));
        all.extend([
            measure(
                format!("{who}: highest chance"),
                (format!("{who}, highest"), chance),
                highest,
                class(attacker.highest.class),
            ),
            measure(
                format!("{who}: average"),
                (format!("{who}, average"), "mean over the people of the table"),
                average,
                None,
            ),
            measure(
                format!("{who}: people above {threshold}"),
                (format!("{who}, at risk"), format!("people for whom it is above {threshold}")),
                above,
                None,
            ),
        ]);
    }
    let marketer = ("marketer", "expected share of rows that are given the right name");
    all.push(measure("marketer: expected share", marketer, format!("{most}{}", up(risk.marketer.value())), None));
    all
}

/// Diversity, closeness and beliefs of one sensitive column.
pub fn secret(assessment: &Assessment, column: &OfSecret) -> Vec<Measure> {
    let class = |class: u32| Some(assessment.classes.name(class));
    let of = |what: &str| format!("{what} of {}", column.name);
    let (distinct, entropy) = (&column.diversity.distinct, &column.diversity.entropy);
    let mut all = vec![
        measure(
            "l: different values, least",
            (of("l"), "different values in a class, at least"),
            distinct.value,
            class(distinct.class),
        ),
        measure(
            "entropy l, least",
            (of("entropy l"), "e to the power of the entropy in a class, at least"),
            short(&entropy.value.l(PLACES)),
            class(entropy.class),
        ),
    ];
    for recursive in &column.diversity.recursive {
        let meaning = "the most frequent value over all but the more frequent ones: (c,l)-diverse for c above it";
        all.push(measure(
            format!("recursive ({}): c above", recursive.l),
            (of(&format!("recursive c for l = {}", recursive.l)), meaning),
            fraction(&recursive.c.value),
            class(recursive.c.class),
        ));
    }
    let meaning = format!("distance of a class from the whole table, at most ({} distance)", column.distance);
    all.push(measure(
        format!("t, {} distance", column.distance),
        (of("t"), meaning),
        fraction(&column.t.value),
        class(column.t.class),
    ));
    all.extend(moved(assessment, column, "margins", &column.by_margins));
    if let Some(informed) = &column.informed {
        all.extend(moved(assessment, column, "background", informed));
    }
    all
}

/// How far beliefs move at most, from one kind of beliefs beforehand.
fn moved(assessment: &Assessment, column: &OfSecret, prior: &str, beliefs: &Beliefs) -> [Measure; 4] {
    let of = |what: &str| format!("{what} of {} ({prior})", column.name);
    let at = |extreme: &Extreme| extreme.farthest().map(|moved| assessment.classes.name(moved.class));
    let log = |extreme: &Extreme| short(&epsilon(&extreme.value(), PLACES));
    let two_sided = beliefs.two_sided();
    [
        measure(
            format!("epsilon of I-BOP, {prior}"),
            (
                format!("ε of Bayes-optimal privacy ({prior}) of {}", column.name),
                "a belief is at most e to this times what it becomes",
            ),
            log(&beliefs.loss),
            at(&beliefs.loss),
        ),
        measure(
            format!("  two-sided, {prior}"),
            (
                format!("the same, two-sided ({prior}) of {}", column.name),
                "and becomes at most e to this times what it was",
            ),
            log(two_sided),
            at(two_sided),
        ),
        measure(
            format!("  odds grow by, {prior}"),
            (of("growth of odds"), "the odds of a value grow by at most this factor"),
            upward(&beliefs.up.value()),
            at(&beliefs.up),
        ),
        measure(
            format!("  odds fall by, {prior}"),
            (of("fall of odds"), "the odds of a value are divided by at most this"),
            upward(&beliefs.down.value()),
            at(&beliefs.down),
        ),
    ]
}

/// What the table says about presence, where it was computed.
pub fn presence(assessment: &Assessment) -> Vec<Measure> {
    let Membership::Computed(presence) = &assessment.membership else { return Vec::new() };
    let class = |class: u32| Some(assessment.classes.name(class));
    let one = |name: &str, meaning: &str, value: String, class| measure(name, (name, meaning), value, class);
    let belief = |value, rounding| percent(value, 2, rounding);
    let (high, low) = (&presence.highest, &presence.lowest);
    let people = |name: &str, count: u64| one(name, "people of the background", count.to_string(), None);
    vec![
        one("highest belief", "that a person is in the table", belief(&high.value, Rounding::Up), class(high.class)),
        one(
            "lowest belief",
            "that a person is, whose class has rows",
            belief(&low.value, Rounding::Down),
            class(low.class),
        ),
        one("odds times", "at most", upward(&presence.up.value), class(presence.up.class)),
        one("odds divided by", "at most", upward(&presence.down.value), class(presence.down.class)),
        one("gain", "factor of belief, at most (B-2)", upward(&presence.gain.value), class(presence.gain.class)),
        one(
            "loss",
            "factor by which belief shrinks, at most (B-3n)",
            upward(&presence.loss.value),
            class(presence.loss.class),
        ),
        people("in for certain", presence.certainly_in),
        people("out for certain", presence.certainly_out),
        people("gain above 2", presence.beyond_two),
    ]
}

/// Something that was required.
pub struct Demand {
    /// As it was asked, and of which column: `l=2 (condition)`.
    pub text: String,
    /// What was measured.
    pub measured: String,
    /// Whether it is met.
    pub met: bool,
    /// The first classes that do not meet it.
    pub named: Vec<String>,
    /// How many do not, and how many people are in them.
    pub offending: (u64, u64),
}

/// Everything that was required.
pub fn demands(assessment: &Assessment) -> Vec<Demand> {
    let verdicts = assessment.verdicts.iter().map(|verdict| {
        let of = verdict.column.as_ref().map_or_else(String::new, |column| format!(" ({column})"));
        let offending = &verdict.offending;
        Demand {
            text: format!("{}{of}", verdict.demand),
            measured: short(&verdict.measured),
            met: verdict.met,
            named: offending.first.iter().map(|class| assessment.classes.name(*class)).collect(),
            offending: (offending.classes, offending.people),
        }
    });
    verdicts.collect()
}
