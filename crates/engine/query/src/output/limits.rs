//! Limits on the length of numbers in results, and on the values they depend on. Beyond a limit, results have no number
//! or no interval.

/// Most bits of the numerator and of the denominator of an exact number in arithmetic on results. Longer numbers
/// become NULL.
pub const MOST_BITS: u64 = 1 << 16;
/// Most bits of the integer part of a shown number: more than a float can hold.
pub const MOST_SHOWN: u64 = 1_100;
/// Most rows of a sum with an interval: the interval of each row visits all rows.
pub const MOST_ROWS: usize = 1_000;
/// Most values that a number with an interval may depend on: nested windows visit all rows for each row.
pub const MOST_VALUES: usize = 5_000;
