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
    let mut last = None;
    let mut next = |key: u64, row: u32| {
        if last != Some(key) {
            last = Some(key);
            first.push(row);
        }
        of_row[row as usize] = first.len() as u32 - 1;
    };
    if span <= 1 << 32 {
        by_short_key(keys, span).into_iter().for_each(|packed| next(packed >> 32, packed as u32));
    } else {
        let mut sorted: Vec<(u64, u32)> = keys.iter().copied().zip(0_u32..).collect();
        sorted.sort_unstable();
        sorted.into_iter().for_each(|(key, row)| next(key, row));
    }
    Groups { of_row, first }
}

/// Rows by ascending keys below `span`, at most 2³², and those of equal keys in their order: each key in the high half
/// of a word, and its row in the low one. Digit by digit, which takes a fraction of the time of comparing.
fn by_short_key(keys: &[u64], span: u64) -> Vec<u64> {
    const BITS: u32 = 8;
    let digits = u64::BITS - span.saturating_sub(1).leading_zeros();
    let mut sorted: Vec<u64> = keys.iter().zip(0_u64..).map(|(key, row)| key << 32 | row).collect();
    let mut moved = vec![0; sorted.len()];
    for shift in (32..32 + digits).step_by(BITS as usize) {
        let digit = |packed: u64| (packed >> shift) as usize & ((1 << BITS) - 1);
        let mut places = [0_usize; 1 << BITS];
        sorted.iter().for_each(|packed| places[digit(*packed)] += 1);
        let mut end = 0;
        for place in &mut places {
            end += std::mem::replace(place, end);
        }
        for packed in &sorted {
            let place = &mut places[digit(*packed)];
            moved[*place] = *packed;
            *place += 1;
        }
        std::mem::swap(&mut sorted, &mut moved);
    }
    sorted
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
        /// Compares with a map of rows, with radices so large that keys must be sorted, or be ranked in between.
        #[test]
        fn groups_equal_those_of_a_map(rows in prop::collection::vec(prop::collection::vec(0_u32..4, 5), 0..40), size in 0..3_usize) {
            let radix = [4, 80, u32::MAX as usize][size];
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
