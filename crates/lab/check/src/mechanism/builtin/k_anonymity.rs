//! k-anonymity (M-KANON): the members' values in the narrowest ranges that leave no group of fewer than `k` members.

use super::error::BuiltinError;
use super::kmax::{VALUES, values};
use super::parameters::{Builtin, BuiltinArguments, ENTITIES, Parameter};
use super::plain::certain;
use super::rows::by_kind;
use crate::mechanism::dataset::Dataset;
use crate::mechanism::limits::{MOST_ENTITIES, MOST_FRACTIONS};
use crate::mechanism::model::Mechanism;
use std::collections::HashMap;

pub(super) static K_ANONYMITY: Builtin = Builtin {
    name: "k-anonymity",
    about: "the sizes of groups of members, whose values are generalised to ranges of 1, 2, 4, ... until no group is \
            smaller than k; no table of fewer than k members",
    theorem: "M-KANON",
    parameters: &[
        ENTITIES,
        VALUES,
        Parameter { name: "k", about: "the size of the smallest group", range: "1 to 24", default: Some("2") },
    ],
    build,
};

fn build(given: BuiltinArguments<'_>) -> Result<Mechanism, BuiltinError> {
    let values = values(given)?;
    let k = given.count("k", 1, MOST_ENTITIES)? as u32;
    let Some(Tables { names, table_of }) = Tables::new(&values, k) else {
        let most = (1..values.len()).take_while(|first| Tables::new(&values[..*first], k).is_some()).count();
        let entities = values.len();
        return Err(BuiltinError::Conflict(format!(
            "{entities} entities have too many tables; the first {most} would fit"
        )));
    };
    let rows: Vec<_> = (0..names.len()).map(|table| certain(names.len(), table)).collect();
    by_kind(values.len(), names, &rows, |data| table_of[data as usize])
}

/// The tables that may be published, and the table of each dataset.
struct Tables {
    names: Vec<String>,
    table_of: Vec<usize>,
}

impl Tables {
    /// `None` if there are too many to store their probabilities.
    fn new(values: &[i64], k: u32) -> Option<Self> {
        let levels = levels(values);
        let mut names: Vec<String> = Vec::new();
        let mut known: HashMap<Option<(usize, Vec<u32>)>, usize> = HashMap::new();
        let mut table_of = Vec::with_capacity(1 << values.len());
        for data in 0..1 << values.len() {
            let table = *known.entry(published(&levels, data, k)).or_insert_with_key(|table| {
                let named = table.as_ref().map(|(level, counts)| name(&levels[*level], counts));
                names.push(named.unwrap_or_else(|| "no table".to_owned()));
                names.len() - 1
            });
            table_of.push(table);
            if names.len() << values.len() > MOST_FRACTIONS {
                return None;
            }
        }
        Some(Self { names, table_of })
    }
}

/// A range of values, with the entities whose values are in it.
struct Range {
    name: String,
    entities: Dataset,
}

/// Partitions into ranges, from single values to one range; each range is twice as wide as at the previous level.
/// Levels that separate the entities in the same way as the previous level are left out.
fn levels(values: &[i64]) -> Vec<Vec<Range>> {
    let mut levels: Vec<Vec<Range>> = Vec::new();
    // 64 doublings cover all 64-bit values.
    for doublings in 0..=64 {
        let level = ranges(values, doublings);
        if levels.last().is_none_or(|last| last.len() > level.len()) {
            levels.push(level);
        }
    }
    levels
}

/// Ranges of `2^doublings` values, starting at the least value, without those that contain no entity's value.
fn ranges(values: &[i64], doublings: u32) -> Vec<Range> {
    let least = i128::from(values.first().copied().unwrap_or_default());
    let number = |value: i64| (i128::from(value) - least) >> doublings;
    let mut first = 0;
    let ranges = values.chunk_by(|one, next| number(*one) == number(*next)).map(|group| {
        let low = least + (number(group[0]) << doublings);
        let high = low + (1 << doublings) - 1;
        let name = if low == high { low.to_string() } else { format!("{low}..{high}") };
        let entities = ((1 << group.len()) - 1) << first;
        first += group.len();
        Range { name, entities }
    });
    ranges.collect()
}

/// The first level at which no range has from 1 to `k − 1` members, and the members of each of its ranges; `None` where
/// there is no such level or no member.
fn published(levels: &[Vec<Range>], data: Dataset, k: u32) -> Option<(usize, Vec<u32>)> {
    let mut counted = levels.iter().enumerate().map(|(number, level)| {
        let counts: Vec<u32> = level.iter().map(|range| (data & range.entities).count_ones()).collect();
        (number, counts)
    });
    let is_k_anonymous = |(_, counts): &(usize, Vec<u32>)| counts.iter().all(|count| *count == 0 || *count >= k);
    if data == 0 { None } else { counted.find(is_k_anonymous) }
}

/// `2 in 1..4; 3 in 5..8`.
fn name(ranges: &[Range], counts: &[u32]) -> String {
    let groups = ranges.iter().zip(counts).filter(|(_, count)| **count > 0);
    groups.map(|(range, count)| format!("{count} in {}", range.name)).collect::<Vec<_>>().join("; ")
}
