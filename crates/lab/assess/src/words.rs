//! The report in sentences and short numbers, for the terminal and for pages.

use crate::assessment::{Assessment, OfSecret, Readings};
use crate::belief::{BeliefChange, Kind};
use crate::beliefs::{Beliefs, MovedShare};
use crate::cells;
use crate::fraction::Fraction;
use crate::matching::Linking;
use crate::membership::Membership;
use crate::verdict::Verdict;
use deniable_core::exact::{Bound, Rational, Rounding, decimal, percent};

/// Decimal places, rounded in favour of the attacker.
pub(crate) const PLACES: u32 = 4;

/// `1 class`, `3 classes`.
pub(crate) fn many(count: u64, one: &str, several: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { several })
}

/// A fraction, rounded up.
pub(crate) fn up(value: &Rational) -> String {
    short(&decimal(value, PLACES, Rounding::Up))
}

/// A decimal without trailing zeros.
pub(crate) fn short(text: &str) -> String {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text.to_owned() }
}

/// A ratio that may be infinite, rounded up.
pub(crate) fn upward(value: &Bound) -> String {
    short(&value.rounded(PLACES, Rounding::Up))
}

/// A fraction that is not reduced, rounded up.
pub(crate) fn fraction(value: &Fraction) -> String {
    upward(&value.value())
}

/// A value as text; `(empty)` for the empty one.
fn value(text: &str) -> &str {
    if text.is_empty() { "(empty)" } else { text }
}

/// The kinds of cells of each column: the report shows every guess.
#[must_use]
pub fn readings(assessment: &Assessment) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for reading in &assessment.readings {
        let kinds = reading.kinds.iter().map(|read| {
            // With several kinds, each has an example: a misspelt range is read as an exact value, and appears here.
            let example = if reading.kinds.len() > 1 { format!(" (`{}`)", read.example) } else { String::new() };
            format!("{} {}{example}", read.counts.cells, kind_words(read.read_as, read.counts.cells))
        });
        let kinds: Vec<String> = kinds.collect();
        lines.push(format!("{}: {}", reading.column, kinds.join(", ")));
        lines.extend(overlap(reading).map(|note| format!("NOTE: {note}")));
    }
    lines.extend(assessment.warnings.iter().map(|warning| format!("WARNING: {}", warning.note())));
    lines
}

/// The consequence of overlapping cells in a column.
#[must_use]
pub fn overlap(reading: &Readings) -> Option<String> {
    let (one, other) = reading.overlap.as_ref()?;
    Some(format!(
        "cells `{one}` and `{other}` of {} overlap: the same person could be in several classes, and the results on beliefs assume \
         an observer who knows the class",
        reading.column
    ))
}

/// A kind of cells in words.
#[must_use]
pub fn kind_words(kind: cells::Kind, cells: u64) -> &'static str {
    use cells::Kind as Of;
    match (kind, cells) {
        (Of::Exact, 1) => "exact value",
        (Of::Exact, _) => "exact values",
        (Of::Masked, _) => "masked",
        (Of::Range, 1) => "range",
        (Of::Range, _) => "ranges",
        (Of::Set, 1) => "set",
        (Of::Set, _) => "sets",
        (Of::Node, 1) => "node of the hierarchy",
        (Of::Node, _) => "nodes of the hierarchy",
        (Of::Suppressed, _) => "suppressed",
    }
}

/// The beliefs that move farthest, in sentences.
#[must_use]
pub fn beliefs(column: &OfSecret) -> Vec<String> {
    let margins = "margins: observers who know the shares of values in the whole table, but not the type of a person";
    let mut lines = vec![margins.to_owned()];
    lines.extend(of_prior(column, &column.by_margins));
    if let Some(informed) = &column.informed {
        lines.push("background: observers who know the shares of values among its people of each type".to_owned());
        lines.extend(of_prior(column, informed));
        if informed.impossible > 0 {
            lines.push(format!(
                "the table and the background together rule out {} pairs of a class and a type of person",
                informed.impossible
            ));
        }
    }
    lines
}

fn of_prior(column: &OfSecret, beliefs: &Beliefs) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for extreme in [&beliefs.up, &beliefs.down] {
        for moved in [&extreme.infinite, &extreme.finite].into_iter().flatten() {
            let BeliefChange { names, .. } = moved;
            let who = match &names.person {
                Some(person) => format!("{person} in {}", names.class),
                None => names.class.clone(),
            };
            // If no belief moves this way, the farthest one moves the other way, and is described there.
            if moved.by(extreme.kind) <= Bound::one() {
                continue;
            }
            let sure = |belief: &Rational| percent(belief, 2, Rounding::Nearest);
            let (before, after) = (sure(&moved.before), sure(&moved.after));
            let way = match (moved.by(extreme.kind), extreme.kind) {
                (Bound::Infinite, Kind::Down) => "ruled out".to_owned(),
                (Bound::Infinite, _) => "certain".to_owned(),
                (by, Kind::Down) => format!("odds fall by {}", upward(&by)),
                (by, _) => format!("odds grow by {}", upward(&by)),
            };
            lines.push(format!(
                "{who}: belief in {} = {} from {before} to {after}, {way}",
                column.name,
                value(&names.value)
            ));
        }
    }
    lines.push(format!("some odds move {} of the people", shares(beliefs)));
    lines
}

/// The shares of people for whom some odds move by more than each factor.
#[must_use]
pub fn shares(beliefs: &Beliefs) -> String {
    let share = |share: &MovedShare| {
        let by = share.factor.map_or_else(|| "infinitely".to_owned(), |factor| format!("by more than {factor}"));
        format!("{by} for {}", percent(&share.share, 2, Rounding::Up))
    };
    beliefs.shares.iter().map(share).collect::<Vec<_>>().join(", ")
}

/// The results on presence, in sentences.
#[must_use]
pub fn presence(assessment: &Assessment) -> Vec<String> {
    let rows = |count: u64| many(count, "row", "rows");
    let mut lines = match &assessment.membership {
        Membership::Computed(presence) => {
            let (low, high) = (presence.priors.low(), presence.priors.high());
            let prior = if low == high { format!("of {low}") } else { format!("between {low} and {high}") };
            let sure = |belief: &Rational, rounding| percent(belief, 2, rounding);
            let mut lines = vec![
                format!(
                    "observers who give each person of the background a chance {prior}, independently, end with beliefs between {} ({}) \
                     and {} ({}), for people whose class has rows",
                    sure(&presence.lowest.value, Rounding::Down),
                    presence.lowest.class,
                    sure(&presence.highest.value, Rounding::Up),
                    presence.highest.class
                ),
                format!(
                    "their odds of presence are multiplied by {} to {}: the gain is {} ({}), the negative gain {} ({})",
                    least_factor(&presence.down.value),
                    upward(&presence.up.value),
                    upward(&presence.gain.value),
                    presence.gain.class,
                    upward(&presence.loss.value),
                    presence.loss.class
                ),
                format!(
                    "{} of the background are certainly in the table, {} certainly not, since no class covers them; for {} the gain is above 2",
                    many(presence.certainly_in, "person", "people"),
                    presence.certainly_out,
                    presence.beyond_two
                ),
            ];
            if presence.left_out > 0 {
                lines.push(format!(
                    "{} people are left out: their classes overlap, so the number of people in each is unknown",
                    presence.left_out
                ));
            }
            lines
        }
        Membership::Overlapping => vec!["not computed: every class overlaps with another".to_owned()],
        Membership::NoList { class: full, rows: many, people } => vec![format!(
            "not computed: the background is incomplete, since {} has {} but covers only {people} people of it",
            full,
            rows(*many)
        )],
        Membership::NoBackground { smallest, population } => vec![
            format!(
                "without a background, presence is not bounded: if the table holds all people like {}, each of them is certainly in it",
                smallest.class
            ),
            format!(
                "a gain of at most 2 for an observer who gives each a chance of 1/2 needs at least {population} such people, \
                 {} of whom are in the table",
                smallest.value
            ),
        ],
    };
    lines.push(
        "k, l and t do not bound presence for an observer who knows which other people are in the table: the counts reveal the last one"
            .to_owned(),
    );
    lines
}

/// The least factor of the odds of presence, given the largest divisor.
fn least_factor(divided: &Bound) -> String {
    short(&divided.inverse().rounded(PLACES, Rounding::Down))
}

/// The comparison with the original table, in sentences.
#[must_use]
pub fn original(assessment: &Assessment) -> Vec<String> {
    let Some(original) = &assessment.original else { return Vec::new() };
    let mut lines: Vec<String> = original
        .kept
        .iter()
        .map(|kept| {
            let all = (kept.exact + kept.generalised + kept.suppressed).max(1);
            let share = |count: u64| percent(&Rational::new(count.into(), all.into()), 1, Rounding::Nearest);
            let (exact, general, gone) = (share(kept.exact), share(kept.generalised), share(kept.suppressed));
            format!("{}: {exact} unchanged, {general} generalised, {gone} suppressed", kept.column)
        })
        .collect();
    lines.push(format!(
        "{} people of the original are not in the published table; in the original, {} of {} were alone in their class, and k was {}",
        original.left_out, original.uniques, original.people, original.k
    ));
    lines.push(format!(
        "discernibility {}, mean class size over k {}",
        original.discernibility,
        short(&decimal(&original.normalised_mean, 2, Rounding::Nearest))
    ));
    lines
}

/// The numbers of people by their number of matching rows, with labels.
#[must_use]
pub fn candidates(linking: &Linking) -> [(&'static str, u64); 5] {
    [
        ("match no row", linking.nobody),
        ("match exactly one row", linking.single),
        ("match one row, and no other person matches it", linking.alone),
        ("match two to four rows", linking.few),
        ("match five rows or more", linking.many),
    ]
}

/// The same numbers in sentences, for the terminal.
pub(crate) fn counted(linking: &Linking) -> [String; 2] {
    [
        format!("{} people searched for by {}", linking.people, linking.columns.join(", ")),
        format!(
            "{} match no row, {} exactly one ({} of them as the only person who matches it), {} two to four, {} five or more",
            linking.nobody, linking.single, linking.alone, linking.few, linking.many
        ),
    ]
}

/// The results of a linkage attack beside the counts, in sentences.
#[must_use]
pub fn linkage(linking: &Linking) -> Vec<String> {
    let mut lines = Vec::new();
    if linking.nobody == linking.people {
        lines.push(
            "no person matches any row: check that both tables spell values alike, and that the people have raw values"
                .to_owned(),
        );
    }
    if let Some(highest) = &linking.highest {
        let chance = fraction(&highest.chance);
        lines.push(format!("the highest chance that a row belongs to the person is {chance}, for {}", highest.person));
    }
    lines.extend(linking.disclosed.iter().map(|disclosed| {
        let example = disclosed.example.as_ref();
        let example = example.map_or_else(String::new, |one| format!(", such as {} of {}", one.value, one.person));
        format!(
            "if they are in the table, {} of {} people is disclosed with certainty{example}",
            disclosed.column, disclosed.people
        )
    }));
    lines
}

/// A demand and its sensitive column: `l=2 (condition)`.
#[must_use]
pub fn demand(verdict: &Verdict) -> String {
    let column = verdict.column.as_ref().map_or_else(String::new, |column| format!(" ({column})"));
    format!("{}{column}", verdict.requirement)
}

/// The measured value of a demand, without trailing zeros.
#[must_use]
pub fn measured(verdict: &Verdict) -> String {
    short(&verdict.measured.to_string())
}

/// Whether a demand is met, in a sentence.
pub(crate) fn kept(assessment: &Assessment, verdict: &Verdict) -> String {
    let (text, measured, offending) = (demand(verdict), measured(verdict), &verdict.offending);
    if verdict.met {
        return format!("met: {text}, measured {measured}");
    }
    let more = if offending.classes > offending.first.len() as u64 { "; ..." } else { "" };
    let named = offending.first.join("; ");
    let named = if named.is_empty() { named } else { format!(": {named}{more}") };
    let where_not = match (&assessment.membership, offending.classes) {
        (Membership::Computed(presence), 0) if presence.certainly_out > 0 => {
            format!(": {} of the background are in no class", many(presence.certainly_out, "person", "people"))
        }
        (_, 0) => String::new(),
        (_, count) => {
            format!(", {} with {}", many(count, "class", "classes"), many(offending.people, "person", "people"))
        }
    };
    format!("NOT MET: {text}, measured {measured}{where_not}{named}")
}
