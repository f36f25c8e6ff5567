//! Small tables written as text.

use deniable_assess::{Classes, Counts, Quasi, Reading, TableRole};
use num_traits::One;
use proptest::prelude::*;

/// A table from lines of CSV, the first with the names; an `x3` at the end of a line counts it three times.
pub fn table(text: &str) -> Counts {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let names: Vec<&str> = lines.next().unwrap().split(',').collect();
    let mut counts = Counts::new(&names).unwrap();
    for line in lines {
        let (line, times) = line.rsplit_once(" x").map_or((line, 1), |(line, times)| (line, times.parse().unwrap()));
        counts.push(&line.split(',').collect::<Vec<_>>(), times).unwrap();
    }
    counts
}

pub fn classes(counts: &Counts, quasi: &[&str], sensitive: &[&str]) -> Classes {
    let quasi: Vec<Quasi> = quasi.iter().map(|name| Quasi::new(name, Reading::Notation)).collect();
    let sensitive: Vec<String> = sensitive.iter().map(|name| (*name).to_owned()).collect();
    Classes::of(counts, &quasi, &sensitive, TableRole::Published).unwrap()
}

/// Rows `(q, r, s, times)` of small numbers.
pub type Rows = Vec<(u8, u8, u8, u64)>;

pub fn rows() -> impl Strategy<Value = Rows> {
    prop::collection::vec((0_u8..3, 0_u8..2, 0_u8..4, 1_u64..4), 1..12)
}

pub fn of_rows(rows: &Rows) -> Counts {
    let mut counts = Counts::new(&["q", "r", "s"]).unwrap();
    for (q, r, s, times) in rows {
        counts.push(&[&q.to_string(), &r.to_string(), &s.to_string()], *times).unwrap();
    }
    counts
}

/// People one by one, by class and value.
pub fn people(rows: &Rows) -> Vec<(String, u8)> {
    rows.iter()
        .flat_map(|(q, r, s, times)| std::iter::repeat_n((format!("q={q}, r={r}"), *s), *times as usize))
        .collect()
}

pub type Rational = deniable_core::exact::Rational;

pub fn product(parts: impl Iterator<Item = Rational>) -> Rational {
    parts.fold(Rational::one(), |all, part| all * part)
}
