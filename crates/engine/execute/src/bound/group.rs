//! Groups rows by parts, such as shards or buckets, in one pass of counting and one of placing.

/// Passes each row on with its place among all: those of each part together, in their order. Returns where each part
/// ends.
#[inline]
pub(super) fn group<R>(
    rows: impl Iterator<Item = R> + Clone,
    parts: usize,
    part_of: impl Fn(&R) -> usize,
    mut place: impl FnMut(usize, R),
) -> Vec<u32> {
    let mut ends = vec![0_u32; parts];
    // `for_each`, so that rows of several chunks are read in nested loops.
    rows.clone().for_each(|row| ends[part_of(&row)] += 1);
    let mut sum = 0;
    for end in &mut ends {
        let start = sum;
        sum += *end;
        *end = start;
    }
    rows.for_each(|row| {
        let end = &mut ends[part_of(&row)];
        let at = *end as usize;
        *end += 1;
        place(at, row);
    });
    ends
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_a_part_are_together_and_in_order() {
        let rows = [7, 3, 9, 1, 4, 6, 3];
        let mut grouped = [0; 7];
        let ends = group(rows.iter(), 3, |row| *row % 3, |at, row| grouped[at] = *row);
        assert_eq!((grouped, ends), ([3, 9, 6, 3, 7, 1, 4], vec![4, 7, 7]));
    }
}
