//! Groups of rows that agree on all of some columns of codes.
//!
//! Each row gets one number (mixed radix, as far as 64 bits reach; then the numbers so far are replaced by their
//! ranks), and the numbers are ranked. Groups are ordered by their codes, whatever the order of rows, so results do not
//! depend on the order in which an SQL engine returns its groups.

/// The group of each row, and a row of each group. Groups are in lexicographic order of their codes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Groups {
    /// The group of each row.
    pub of_row: Vec<u32>,
    /// The first row of each group.
    pub first: Vec<u32>,
}

/// Codes of one column for every row, all below `radix`.
pub(crate) struct Codes {
    pub codes: Vec<u32>,
    pub radix: usize,
}

/// Groups `rows` rows by their codes. There are fewer than 2³² rows, so ranks times codes fit 64 bits.
pub(crate) fn group(rows: usize, columns: &[Codes]) -> Groups {
    let mut keys = vec![0_u64; rows];
    let mut span = 1_u64;
    for column in columns {
        let radix = (column.radix as u64).max(1);
        if span.checked_mul(radix).is_none() {
            let ranked = rank(&keys, span);
            span = (ranked.first.len() as u64).max(1);
            keys = ranked.of_row.into_iter().map(u64::from).collect();
        }
        span = span.saturating_mul(radix);
        for (key, code) in keys.iter_mut().zip(&column.codes) {
            *key = *key * radix + u64::from(*code);
        }
    }
    rank(&keys, span)
}

/// Ranks numbers below `span`.
#[expect(clippy::cast_possible_truncation, reason = "there are fewer than 2^32 rows, as Counts makes sure")]
fn rank(keys: &[u64], span: u64) -> Groups {
    const NONE: u32 = u32::MAX;
    let mut first = Vec::new();
    let mut of_row = vec![0_u32; keys.len()];
    if span <= (keys.len() as u64).saturating_mul(2) + 1024 {
        let mut table = vec![NONE; span as usize];
        for (row, key) in (0_u32..).zip(keys) {
            let slot = &mut table[*key as usize];
            *slot = (*slot).min(row);
        }
        for slot in table.iter_mut().filter(|slot| **slot != NONE) {
            let row = std::mem::replace(slot, first.len() as u32);
            first.push(row);
        }
        for (group, key) in of_row.iter_mut().zip(keys) {
            *group = table[*key as usize];
        }
        return Groups { of_row, first };
    }
    let mut sorted: Vec<(u64, u32)> = keys.iter().copied().zip(0_u32..).collect();
    sorted.sort_unstable();
    let mut last = None;
    for (key, row) in sorted {
        if last != Some(key) {
            last = Some(key);
            first.push(row);
        }
        of_row[row as usize] = first.len() as u32 - 1;
    }
    Groups { of_row, first }
}

/// The sum of weights of each group.
pub(crate) fn sums(groups: &Groups, weights: &[u64]) -> Vec<u64> {
    let mut sums = vec![0; groups.first.len()];
    for (group, weight) in groups.of_row.iter().zip(weights) {
        sums[*group as usize] += weight;
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        /// Compares with a map of rows, with radices so large that keys must be ranked in between.
        #[test]
        fn groups_equal_those_of_a_map(rows in prop::collection::vec(prop::collection::vec(0_u32..4, 5), 0..40), huge in any::<bool>()) {
            let radix = if huge { u32::MAX as usize } else { 4 };
            let columns: Vec<Codes> =
                (0..5).map(|c| Codes { codes: rows.iter().map(|row| row[c]).collect(), radix }).collect();
            let found = group(rows.len(), &columns);
            let mut map: BTreeMap<&Vec<u32>, Vec<usize>> = BTreeMap::new();
            for (place, row) in rows.iter().enumerate() {
                map.entry(row).or_default().push(place);
            }
            prop_assert_eq!(found.first.len(), map.len());
            for (id, members) in map.values().enumerate() {
                prop_assert_eq!(found.first[id] as usize, members[0]);
                prop_assert!(members.iter().all(|row| found.of_row[*row] as usize == id));
            }
        }
    }
}
