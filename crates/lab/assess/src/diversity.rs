//! l-diversity: the number of sensitive values of a class, and their balance (Machanavajjhala et al. 2007).

use crate::classes::{Classes, Secret};
use crate::entropy::{LeastEntropy, least};
use crate::fraction::{At, Fraction, largest};
use serde::Serialize;

/// Recursive (c,l)-diversity for one `l`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Recursive {
    /// The `l`, at least 2.
    pub l: u32,
    /// The infimum of all `c` for which every class is (c,l)-diverse: the largest `r₁/(r_l + ... + r_m)`, where
    /// `r₁ ≥ ... ≥ r_m` are the counts of a class. The condition is strict, `r₁ < c (r_l + ... + r_m)`, so it holds
    /// only for a larger `c`. Infinite if a class has fewer than `l` values.
    #[serde(rename = "c_above")]
    pub c: At<Fraction>,
}

/// The diversity of the sensitive values of all classes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Diversity {
    /// The smallest number of different values in a class.
    #[serde(rename = "distinct_l")]
    pub distinct: At<u64>,
    /// The least entropy of a class.
    #[serde(rename = "entropy_l")]
    pub entropy: At<LeastEntropy>,
    /// One entry for each requested `l`.
    pub recursive: Vec<Recursive>,
}

impl Diversity {
    /// The diversity of a sensitive column; `ls` are the `l` of recursive diversity. `None` for a table without
    /// classes.
    #[must_use]
    pub fn of(classes: &Classes, secret: &Secret, ls: &[u32]) -> Option<Self> {
        let (class, value) =
            classes.all().map(|class| (class, secret.of(class).len() as u64)).min_by_key(|(_, l)| *l)?;
        let recursive =
            ls.iter().map(|l| Some(Recursive { l: *l, c: largest(classes, recursive(classes, secret, *l))? }));
        Some(Self {
            distinct: At { value, class: classes.name(class) },
            entropy: least(classes, secret)?,
            recursive: recursive.collect::<Option<_>>()?,
        })
    }
}

/// `r₁/(r_l + ... + r_m)` of each class.
pub(crate) fn recursive<'a>(classes: &Classes, secret: &'a Secret, l: u32) -> impl Iterator<Item = Fraction> + use<'a> {
    let mut counts: Vec<u64> = Vec::new();
    classes.all().map(move |class| {
        counts.clear();
        counts.extend(secret.of(class).iter().map(|(_, count)| *count));
        counts.sort_unstable_by(|a, b| b.cmp(a));
        let rest: u64 = counts.iter().skip(l.saturating_sub(1) as usize).sum();
        Fraction::new(counts.first().copied().unwrap_or(0), rest)
    })
}
