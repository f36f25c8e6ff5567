//! Differential privacy between induced neighbours (I-INP), on counts: the possible datasets are those whose counts are
//! given.
//!
//! A set of moves from one dataset to another adds some members of each group and removes others. Only the numbers
//! matter, so subsets of the moves lead to all counts between the two, group by group: the set is minimal exactly if
//! none of these counts is given. Adding and removing within one group leads back, and is minimal only as an exchange,
//! which changes no count.

use super::decide::{complete, entities, within_groups};
use super::model::CountMechanism;
use super::pairs::{Pairs, search};
use crate::decide::{CheckError, odds};
use crate::verdict::{Value, Verdict};
use deniable_core::exact::Bound;
use std::collections::BTreeSet;

/// Limit on the counts visited in search of neighbours.
const MOST_STEPS: usize = 1 << 24;

/// Decides the odds between induced neighbours; the given counts are the possible ones.
///
/// # Errors
/// When the gaps between given counts are so large that the search would visit too many counts.
pub(super) fn decide(mechanism: &CountMechanism) -> Result<Verdict, CheckError> {
    let theorems = vec!["I-INP", "X-COUNT"];
    if complete(mechanism).is_ok() {
        return Ok(odds(search(mechanism, Pairs::OneMore(crate::notion::Sign::Both)), theorems));
    }
    let pairs = neighbours(mechanism)?;
    let found = search(mechanism, Pairs::Listed(&pairs));
    // Datasets of equal counts, one or several exchanges apart: the pair exists, and its ratio is 1.
    if found.is_none() && entities(mechanism) > 0 && within_groups(mechanism) {
        return Ok(Verdict { value: Value::Attained(Bound::one()), witness: None, theorems });
    }
    Ok(odds(found, theorems))
}

/// All pairs of given counts without a given one between them, in both orders.
fn neighbours(mechanism: &CountMechanism) -> Result<Vec<(usize, usize)>, CheckError> {
    let groups = mechanism.groups.len();
    let mut steps = 0;
    let mut pairs = BTreeSet::new();
    for start in (0..mechanism.cells()).filter(|cell| mechanism.gives(*cell)) {
        // Per group, members are either added or removed on the way; each combination of directions is searched
        // separately.
        for signs in 0..1_usize << groups.min(usize::BITS as usize - 1) {
            let up = |group: usize| signs >> group & 1 == 1;
            // The preceding count in a group, one step nearer to the start.
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
            // Counts whose paths from the start all avoid given counts, apart from the start itself.
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
                    return Err(CheckError::NotYet { what: "this notion on counts with this many gaps" });
                }
            }
        }
    }
    Ok(pairs.into_iter().collect())
}
