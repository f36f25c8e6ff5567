//! An assessment in sentences and short numbers, for the terminal and for pages.

use super::measures::{self, Demand};
use deniable_assess::assessment::{OfSecret, Readings};
use deniable_assess::belief::Kind;
use deniable_assess::beliefs::Beliefs;
use deniable_assess::membership::Membership;
use deniable_assess::{Assessment, Fraction, Linking};
use deniable_core::exact::{Bound, Rational, Rounding, decimal, percent};

/// Places of decimals, rounded to the side of the attacker.
pub const PLACES: u32 = 4;

/// `1 class`, `3 classes`.
pub fn many(count: u64, one: &str, several: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { several })
}

/// A fraction, rounded up.
pub fn up(value: &Rational) -> String {
    short(&decimal(value, PLACES, Rounding::Up))
}

/// A decimal without zeros at its end.
pub fn short(text: &str) -> String {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text.to_owned() }
}

/// A ratio that may be infinite, rounded up.
pub fn upward(value: &Bound) -> String {
    short(&value.rounded(PLACES, Rounding::Up))
}

/// The same of a fraction that is not reduced.
pub fn fraction(value: &Fraction) -> String {
    upward(&value.value())
}

/// A value; the empty one in words.
fn value(text: &str) -> &str {
    if text.is_empty() { "(empty)" } else { text }
}

/// How the cells were read: nothing is guessed silently.
pub fn readings(assessment: &Assessment) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for reading in &assessment.readings {
        // Of several kinds each has an example: a range that is misspelt is a value of its own, and shows here.
        let cells = assessment.classes.columns.iter().find(|column| column.name == reading.column);
        let example = |kind| {
            let mut cells = cells.into_iter().flat_map(|column| &column.cells).filter(|cell| cell.kind() == kind);
            cells
                .next()
                .filter(|_| reading.kinds.len() > 1)
                .map_or_else(String::new, |cell| format!(" (`{}`)", cell.text()))
        };
        let kinds: Vec<String> = reading
            .kinds
            .iter()
            .map(|(kind, read)| format!("{} {}{}", read.cells, kind_words(*kind, read.cells), example(*kind)))
            .collect();
        lines.push(format!("{}: {}", reading.column, kinds.join(", ")));
        lines.extend(overlap(reading).map(|note| format!("NOTE: {note}")));
    }
    lines
}

/// What follows where cells of a column overlap.
pub fn overlap(reading: &Readings) -> Option<String> {
    let (one, other) = reading.overlap.as_ref()?;
    Some(format!(
        "`{one}` and `{other}` of {} overlap: the same person could be in several classes, and what is said of beliefs is for \
         whoever knows the class",
        reading.column
    ))
}

/// A kind of cells in words.
pub fn kind_words(kind: deniable_assess::cells::Kind, cells: u64) -> &'static str {
    use deniable_assess::cells::Kind as Of;
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
pub fn beliefs(assessment: &Assessment, column: &OfSecret) -> Vec<String> {
    let margins = "margins: observers who know the shares of values in the whole table, and nothing of a person's type";
    let mut lines = vec![margins.to_owned()];
    lines.extend(of_prior(assessment, column, &column.by_margins));
    if let Some(informed) = &column.informed {
        lines.push("background: observers who know the shares of values among people of each type there".to_owned());
        lines.extend(of_prior(assessment, column, informed));
        if informed.impossible > 0 {
            lines.push(format!(
                "{} pairs of a class and a type of person cannot be, by table and background together",
                informed.impossible
            ));
        }
    }
    lines
}

fn of_prior(assessment: &Assessment, column: &OfSecret, beliefs: &Beliefs) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for extreme in [&beliefs.up, &beliefs.down] {
        for moved in [&extreme.infinite, &extreme.finite].into_iter().flatten() {
            let who = match (moved.person, &assessment.people) {
                (Some(person), Some(people)) => {
                    format!("{} in {}", people.name(person), assessment.classes.name(moved.class))
                }
                _ => assessment.classes.name(moved.class),
            };
            // Where nothing moves this way the farthest moves the other way, and is said there.
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
                value(&moved.value)
            ));
        }
    }
    lines.push(format!("some odds move {} of the people", shares(beliefs)));
    lines
}

/// Of how many people some odds move how far.
pub fn shares(beliefs: &Beliefs) -> String {
    let share = |share: &deniable_assess::beliefs::MovedShare| {
        let by = share.factor.map_or_else(|| "infinitely".to_owned(), |factor| format!("by more than {factor}"));
        format!("{by} for {}", percent(&share.share, 2, Rounding::Up))
    };
    beliefs.shares.iter().map(share).collect::<Vec<_>>().join(", ")
}

/// What the table's release says about presence, in sentences.
pub fn presence(assessment: &Assessment) -> Vec<String> {
    let class = |class: u32| assessment.classes.name(class);
    let rows = |count: u64| many(count, "row", "rows");
    let mut lines = match &assessment.membership {
        Membership::Computed(presence) => {
            let (low, high) = (assessment.priors.low(), assessment.priors.high());
            let prior = if low == high { format!("of {low}") } else { format!("between {low} and {high}") };
            let sure = |belief: &Rational, rounding| percent(belief, 2, rounding);
            let mut lines = vec![
                format!(
                    "observers who give each person of the background a chance {prior}, independently, end between {} ({}) and {} ({}) \
                     for people whose class has rows",
                    sure(&presence.lowest.value, Rounding::Down),
                    class(presence.lowest.class),
                    sure(&presence.highest.value, Rounding::Up),
                    class(presence.highest.class)
                ),
                format!(
                    "their odds of presence are multiplied by {} to {}: the gain is {} ({}), the negative gain {} ({})",
                    least_factor(&presence.down.value),
                    upward(&presence.up.value),
                    upward(&presence.gain.value),
                    class(presence.gain.class),
                    upward(&presence.loss.value),
                    class(presence.loss.class)
                ),
                format!(
                    "{} of the background are in for certain, {} out for certain, since no class covers them; for {} the gain is above 2",
                    many(presence.certainly_in, "person", "people"),
                    presence.certainly_out,
                    presence.beyond_two
                ),
            ];
            if presence.left_out > 0 {
                lines.push(format!(
                    "{} people are left out: classes overlap, and how many of each are in is not known",
                    presence.left_out
                ));
            }
            lines
        }
        Membership::Overlapping => vec!["not computed: every class overlaps with another".to_owned()],
        Membership::NoList { class: full, rows: many, people } => vec![format!(
            "not computed: the background is no list of everybody, since {} has {} and covers {people} people of it",
            class(*full),
            rows(*many)
        )],
        Membership::NoBackground { smallest, population } => vec![
            format!(
                "without a background nothing bounds it: where the table holds everybody like {}, each of them is in for certain",
                class(smallest.class)
            ),
            format!(
                "there must be at least {population} such people, {} of whom are in the table, for a gain of at most 2 to somebody who \
                 gives each a chance of 1/2",
                smallest.value
            ),
        ],
    };
    lines.push(
        "somebody who knows of all others whether they are in counts, and knows of the last one too: k, l and t bound nothing here"
            .to_owned(),
    );
    lines
}

/// By what the odds of presence are multiplied at least, when they are divided by at most so much.
fn least_factor(divided: &Bound) -> String {
    short(&divided.inverse().rounded(PLACES, Rounding::Down))
}

/// What became of the original table, in sentences.
pub fn original(assessment: &Assessment) -> Vec<String> {
    let Some(original) = &assessment.original else { return Vec::new() };
    let mut lines: Vec<String> = original
        .kept
        .iter()
        .map(|kept| {
            let all = (kept.exact + kept.generalised + kept.suppressed).max(1);
            let share = |count: u64| percent(&Rational::new(count.into(), all.into()), 1, Rounding::Nearest);
            let (exact, general, gone) = (share(kept.exact), share(kept.generalised), share(kept.suppressed));
            format!("{}: {exact} as they were, {general} generalised, {gone} suppressed", kept.column)
        })
        .collect();
    lines.push(format!(
        "{} people of the original are not in the published table; as it was, {} of {} were alone, and k was {}",
        original.left_out, original.sizes.uniques, original.sizes.people, original.sizes.smallest.value
    ));
    lines.push(format!(
        "discernibility {}, mean class size over k {}",
        original.discernibility,
        short(&decimal(&original.normalised_mean, 2, Rounding::Nearest))
    ));
    lines
}

/// The outcome of a linkage attack, in words.
pub struct LinkageWords {
    /// Who is looked for, and how many fit how many rows: two sentences.
    pub counted: [String; 2],
    /// The same counts, in words and as numbers.
    pub found: Vec<(String, u64)>,
    /// What else is to be said, in sentences.
    pub more: Vec<String>,
}

/// What a linkage attack reaches, in sentences and numbers.
pub fn linkage(linking: &Linking) -> LinkageWords {
    let counted = [
        format!("{} people looked for by {}", linking.people, linking.columns.join(", ")),
        format!(
            "{} fit no row, {} exactly one ({} of them as the only one who fits it), {} two to four, {} five or more",
            linking.nobody, linking.single, linking.alone, linking.few, linking.many
        ),
    ];
    let found = [
        ("fit no row", linking.nobody),
        ("fit exactly one row", linking.single),
        ("fit one row, and nobody else fits it", linking.alone),
        ("fit two to four rows", linking.few),
        ("fit five rows or more", linking.many),
    ];
    let found = found.into_iter().map(|(what, many)| (what.to_owned(), many)).collect();
    let mut more = Vec::new();
    if linking.nobody == linking.people {
        more.push(
            "nobody fits any row: are the values of both tables written alike, and those of the people raw?".to_owned(),
        );
    }
    if let Some((chance, person)) = &linking.highest {
        more.push(format!("the highest chance that a row is somebody's is {}, for {person}", fraction(chance)));
    }
    for disclosed in &linking.disclosed {
        let example = disclosed
            .example
            .as_ref()
            .map_or_else(String::new, |(person, value)| format!(", such as {value} of {person}"));
        more.push(format!(
            "if they are in the table, {} of {} people is known without a doubt{example}",
            disclosed.column, disclosed.people
        ));
    }
    LinkageWords { counted, found, more }
}

/// What was required, and whether it is kept, in sentences.
pub fn demands(assessment: &Assessment) -> Vec<String> {
    measures::demands(assessment).iter().map(|demand| kept(assessment, demand)).collect()
}

fn kept(assessment: &Assessment, demand: &Demand) -> String {
    let Demand { text, measured, met, named, offending: (classes, people) } = demand;
    if *met {
        return format!("met: {text}, measured {measured}");
    }
    let more = if *classes > named.len() as u64 { "; ..." } else { "" };
    let named = if named.is_empty() { String::new() } else { format!(": {}{more}", named.join("; ")) };
    let where_not = match (&assessment.membership, classes) {
        (Membership::Computed(presence), 0) if presence.certainly_out > 0 => {
            format!(": {} of the background are in no class", many(presence.certainly_out, "person", "people"))
        }
        (_, 0) => String::new(),
        (_, count) => format!(", {} with {}", many(*count, "class", "classes"), many(*people, "person", "people")),
    };
    format!("NOT MET: {text}, measured {measured}{where_not}{named}")
}
