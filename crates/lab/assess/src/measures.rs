//! The numbers of a report as rows of tables, rounded in favour of the attacker. The terminal and the page show exactly
//! these.

use crate::assessment::{Assessment, OfSecret};
use crate::belief::Extreme;
use crate::beliefs::Beliefs;
use crate::fraction::At;
use crate::limit::epsilon;
use crate::membership::{Membership, Presence};
use crate::words::{PLACES, fraction, short, up, upward};
use deniable_core::exact::{Bound, Rounding, decimal, percent};

/// One number, as a row of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Measure {
    /// The name of the measure.
    pub label: String,
    /// A longer explanation, for wide layouts; may be empty.
    pub meaning: &'static str,
    /// The number as text.
    pub value: String,
    /// The class that attains it.
    pub class: Option<String>,
}

fn row(label: impl Into<String>, meaning: &'static str, value: impl ToString, class: Option<&String>) -> Measure {
    Measure { label: label.into(), meaning, value: value.to_string(), class: class.cloned() }
}

/// Sizes of classes, and risks.
#[must_use]
pub fn overview(assessment: &Assessment) -> Vec<Measure> {
    let (sizes, risk) = (&assessment.sizes, &assessment.risk);
    let mean = short(&decimal(&sizes.mean, 2, Rounding::Down));
    let mut all = vec![
        row("k: people in the smallest class", "", sizes.smallest.value, Some(&sizes.smallest.class)),
        row("mean class size", "", mean, None),
        row("people alone in their class", "", sizes.uniques, None),
    ];
    let threshold = short(&decimal(&risk.threshold, PLACES, Rounding::Nearest));
    let at_most = |is_upper_bound| if is_upper_bound { "at most " } else { "" };
    // Where classes overlap, an observer who knows that a person is in the table still does not know the class.
    let overlaps = assessment.readings.iter().any(|reading| reading.overlap.is_some());
    let attackers = [
        (
            "prosecutor",
            at_most(overlaps),
            &risk.prosecutor,
            "chance to find the row of a person who is known to be in the table",
        ),
        (
            "journalist",
            at_most(risk.journalist.is_upper_bound),
            &risk.journalist.value,
            "the same, of a person who is known to be in the population",
        ),
    ];
    for (who, most, attacker, chance) in attackers {
        let highest = format!("{most}{}", fraction(&attacker.highest.value));
        let above = format!("{most}{}", percent(&attacker.above, 2, Rounding::Up));
        all.extend([
            row(format!("{who}: highest chance"), chance, highest, Some(&attacker.highest.class)),
            row(
                format!("{who}: average"),
                "mean over the people of the table",
                format!("{most}{}", up(&attacker.average)),
                None,
            ),
            row(format!("{who}: people above {threshold}"), "people at risk", above, None),
        ]);
    }
    let share = format!("{}{}", at_most(risk.marketer.is_upper_bound), up(&risk.marketer.value.share));
    all.push(row("marketer: expected share", "of rows matched to the right person", share, None));
    all
}

/// Diversity, closeness and beliefs of one sensitive column.
#[must_use]
pub fn secret(column: &OfSecret) -> Vec<Measure> {
    let (distinct, entropy) = (&column.diversity.distinct, &column.diversity.entropy);
    let mut all = vec![
        row("l: different values, least", "different values in a class", distinct.value, Some(&distinct.class)),
        row(
            "entropy l, least",
            "e to the power of the entropy in a class",
            short(&entropy.value.l(PLACES)),
            Some(&entropy.class),
        ),
    ];
    all.extend(column.diversity.recursive.iter().map(|recursive| {
        let meaning = "the most frequent value over all but the more frequent ones: (c,l)-diverse for c above it";
        let label = format!("recursive ({}): c above", recursive.l);
        row(label, meaning, fraction(&recursive.c.value), Some(&recursive.c.class))
    }));
    let label = format!("t, {} distance", column.distance);
    all.push(row(
        label,
        "distance of a class from the whole table, at most",
        fraction(&column.t.value),
        Some(&column.t.class),
    ));
    all.extend(moved("margins", &column.by_margins));
    all.extend(column.informed.iter().flat_map(|informed| moved("background", informed)));
    all
}

/// The largest movements of beliefs under one kind of prior.
fn moved(prior: &str, beliefs: &Beliefs) -> [Measure; 4] {
    let of = |label: &str, meaning, extreme: &Extreme, value: String| {
        let class = extreme.farthest().map(|moved| &moved.names.class);
        row(format!("{label}, {prior}"), meaning, value, class)
    };
    let log = |extreme: &Extreme| short(&epsilon(&extreme.value(), PLACES));
    let two_sided = beliefs.two_sided();
    [
        of(
            "epsilon of I-BOP",
            "a belief is at most e to this times what it becomes",
            &beliefs.loss,
            log(&beliefs.loss),
        ),
        of("  two-sided", "and it becomes at most e to this times what it was", two_sided, log(two_sided)),
        of(
            "  odds grow by",
            "the odds of a value grow by at most this factor",
            &beliefs.up,
            upward(&beliefs.up.value()),
        ),
        of(
            "  odds fall by",
            "the odds of a value are divided by at most this",
            &beliefs.down,
            upward(&beliefs.down.value()),
        ),
    ]
}

/// The movement of beliefs about presence; empty if it was not computed.
#[must_use]
pub fn presence(assessment: &Assessment) -> Vec<Measure> {
    let Membership::Computed(presence) = &assessment.membership else { return Vec::new() };
    let Presence { highest, lowest, .. } = &**presence;
    let factor = |label: &str, meaning, at: &At<Bound>| row(label, meaning, upward(&at.value), Some(&at.class));
    let people = |label: &str, count: u64| row(label, "people of the background", count, None);
    vec![
        row(
            "highest belief",
            "that a person is in the table",
            percent(&highest.value, 2, Rounding::Up),
            Some(&highest.class),
        ),
        row(
            "lowest belief",
            "that a person whose class has rows is in the table",
            percent(&lowest.value, 2, Rounding::Down),
            Some(&lowest.class),
        ),
        factor("odds times", "at most", &presence.up),
        factor("odds divided by", "at most", &presence.down),
        factor("gain", "factor of belief, at most (B-2)", &presence.gain),
        factor("loss", "factor by which belief shrinks, at most (B-3n)", &presence.loss),
        people("certainly in the table", presence.certainly_in),
        people("certainly not in the table", presence.certainly_out),
        people("gain above 2", presence.beyond_two),
    ]
}
