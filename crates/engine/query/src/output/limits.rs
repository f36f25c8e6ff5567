//! How long numbers in results may be, and how many values one may rest on. What is beyond has no number, or no interval.

/// Most bits of the numerator and of the denominator of an exact number in arithmetic on results. Longer numbers
/// become NULL.
pub const MOST_BITS: u64 = 1 << 16;
/// Most bits of the integer part of a shown number: more than a float can hold.
pub const MOST_SHOWN: u64 = 1_100;
/// Over more rows a sum has no interval: each row's would look at all of them.
pub const MOST_ROWS: usize = 1_000;
/// A number that rests on more values than this has no interval: one of windows over windows looks at all rows, for each of them.
pub const MOST_VALUES: usize = 5_000;
