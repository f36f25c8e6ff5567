//! Differential privacy between induced neighbours (I-INP), on counts: the facts leave those datasets whose counts are given.
//!
//! A set of moves from one dataset to another adds some members of each group and removes some. Who they are does not matter, so
//! some of the moves lead to any counts between the two, group by group: they are minimal exactly if nothing given lies in
//! between. Adding and removing within one group leads back, and is minimal only as an exchange that no count shows.

use super::decide::{complete, entities, within_groups};
use super::model::CountMechanism;
use super::pairs::{Pairs, search};
use crate::decide::{CheckError, odds};
use crate::verdict::{Value, Verdict};
use deniable_core::exact::Bound;
use std::collections::BTreeSet;

/// Most counts that are looked at in search of neighbours.
const MOST_STEPS: usize = 1 << 24;

/// Decides the odds between induced neighbours; the datasets that the mechanism gives are those that are possible.
///
/// # Errors
/// When there are so many gaps between the counts that the neighbours are too many to look at.
pub(super) fn decide(mechanism: &CountMechanism) -> Result<Verdict, CheckError> {
    let theorems = vec!["I-INP", "X-COUNT"];
    if complete(mechanism).is_ok() {
        return Ok(odds(search(mechanism, Pairs::OneMore(crate::notion::Sign::Both)), theorems));
    }
    let pairs = neighbours(mechanism)?;
    let found = search(mechanism, Pairs::Listed(&pairs));
    // Datasets of equal counts, one exchange apart or several: something is compared, and nothing differs.
    if found.is_none() && entities(mechanism) > 0 && within_groups(mechanism) {
        return Ok(Verdict { value: Value::Attained(Bound::one()), witness: None, theorems });
    }
    Ok(odds(found, theorems))
}

/// All pairs of given counts with nothing given between them, in both orders.
fn neighbours(mechanism: &CountMechanism) -> Result<Vec<(usize, usize)>, CheckError> {
    let groups = mechanism.groups.len();
    let mut steps = 0;
    let mut pairs = BTreeSet::new();
    for start in (0..mechanism.cells()).filter(|cell| mechanism.gives(*cell)) {
        // By group, whether members are added or removed on the way; every direction is gone separately.
        for signs in 0..1_usize << groups.min(usize::BITS as usize - 1) {
            let up = |group: usize| signs >> group & 1 == 1;
            // From a count, the one before it in a group, which is nearer to the start.
            let before = |cell: usize, group: usize| {
                let same = mechanism.count(cell, group) == mechanism.count(start, group);
                let stride = mechanism.stride(group);
                (!same).then(|| if up(group) { cell - stride } else { cell + stride })
            };
            let after = |cell: usize, group: usize| {
                let (count, stride) = (mechanism.count(cell, group), mechanism.stride(group));
                match up(group) {
                    true => (count < mechanism.groups[group].size).then(|| cell + stride),
                    false => (count > 0).then(|| cell - stride),
                }
            };
            // Counts all of whose ways from the start are clear of given ones, the start aside.
            let mut front = BTreeSet::from([start]);
            while !front.is_empty() {
                let mut next = BTreeSet::new();
                for cell in front.iter().flat_map(|cell| (0..groups).filter_map(|group| after(*cell, group))) {
                    steps += 1;
                    let clear = |cell: usize| front.contains(&cell) && (cell == start || !mechanism.gives(cell));
                    if (0..groups).filter_map(|group| before(cell, group)).all(clear) {
                        next.insert(cell);
                    }
                }
                pairs.extend(next.iter().filter(|cell| mechanism.gives(**cell)).map(|cell| (start, *cell)));
                front = next;
                front.retain(|cell| !mechanism.gives(*cell));
                if steps > MOST_STEPS {
                    return Err(CheckError::NotYet { what: "this notion on counts with so many gaps" });
                }
            }
        }
    }
    Ok(pairs.into_iter().collect())
}
