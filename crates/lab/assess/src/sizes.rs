//! k-anonymity, and the distribution of class sizes.

use crate::classes::Classes;
use crate::fraction::At;
use crate::number::number;
use deniable_core::exact::{Rational, whole};
use serde::Serialize;

/// Classes of similar size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Bucket {
    /// The smallest class size of the bucket, in people.
    pub from: u64,
    /// The largest class size of the bucket, in people.
    pub to: u64,
    /// Number of classes of these sizes.
    pub classes: u64,
    /// Number of people in these classes.
    pub people: u64,
}

/// The sizes of the equivalence classes of a table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Sizes {
    /// People in all classes together.
    pub people: u64,
    /// Number of classes.
    pub classes: u64,
    /// `k`: the size of the smallest class.
    #[serde(rename = "k")]
    pub smallest: At<u64>,
    /// People in a class on average, exactly.
    #[serde(serialize_with = "number")]
    pub mean: Rational,
    /// People who are alone in their class.
    pub uniques: u64,
    /// Sizes 1 to 10 one by one, then 11–20, 21–40, 41–80 and so on; empty buckets are omitted.
    pub histogram: Vec<Bucket>,
}

/// The classes that do not meet a requirement.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct OffendingClasses {
    /// Number of these classes.
    #[serde(rename = "offending_classes")]
    pub classes: u64,
    /// People in these classes.
    #[serde(rename = "offending_people")]
    pub people: u64,
    /// The first of these classes by their cells, up to the requested number.
    #[serde(rename = "first_offending")]
    pub first: Vec<String>,
}

impl OffendingClasses {
    /// Adds a class, and names it if fewer than `most` are named.
    pub(crate) fn add(&mut self, classes: &Classes, class: u32, most: usize) {
        self.classes += 1;
        self.people += classes.size(class);
        if self.first.len() < most {
            self.first.push(classes.name(class));
        }
    }
}

impl Sizes {
    /// Computes the sizes; `None` if there are no classes.
    #[must_use]
    pub fn of(classes: &Classes) -> Option<Self> {
        let (class, value) = (0..).zip(classes.sizes()).min_by_key(|(_, size)| **size)?;
        let count = classes.len() as u64;
        let mut histogram: Vec<Bucket> = Vec::new();
        for size in classes.sizes() {
            let place = bucket(*size);
            while histogram.len() <= place {
                let (from, to) = histogram.last().map_or((1, 1), |last| match last.to {
                    to @ 0..10 => (to + 1, to + 1),
                    to => (to + 1, to.saturating_mul(2)),
                });
                histogram.push(Bucket { from, to, classes: 0, people: 0 });
            }
            histogram[place].classes += 1;
            histogram[place].people += size;
        }
        histogram.retain(|bucket| bucket.classes > 0);
        Some(Self {
            people: classes.people(),
            classes: count,
            smallest: At { value: *value, class: classes.name(class) },
            mean: whole(classes.people()) / whole(count),
            uniques: people_below(classes, 2),
            histogram,
        })
    }
}

/// The bucket of a size: 1 to 10 are buckets of their own, then sizes double.
fn bucket(size: u64) -> usize {
    let (mut place, mut to) = (9, 10);
    if size <= to {
        return usize::try_from(size.saturating_sub(1)).unwrap_or(0);
    }
    while size > to {
        to = to.saturating_mul(2);
        place += 1;
    }
    place
}

/// People in classes smaller than `k`.
#[must_use]
pub fn people_below(classes: &Classes, k: u64) -> u64 {
    classes.sizes().iter().filter(|size| **size < k).sum()
}

/// The classes smaller than `k`; of these, up to `most` are named, the smallest first.
#[must_use]
pub fn below(classes: &Classes, k: u64, most: usize) -> OffendingClasses {
    let mut small: Vec<(u64, u32)> = classes.sizes().iter().copied().zip(0..).filter(|(size, _)| *size < k).collect();
    let people = small.iter().map(|(size, _)| size).sum();
    let count = small.len() as u64;
    if most < small.len() {
        small.select_nth_unstable(most);
        small.truncate(most);
    }
    small.sort_unstable();
    OffendingClasses {
        classes: count,
        people,
        first: small.into_iter().map(|(_, class)| classes.name(class)).collect(),
    }
}
