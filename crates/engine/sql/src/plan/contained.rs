//! Whether the numbers of one question are among those of another.
//!
//! Decided on what the identity is made of ([`super::identity`]), never on text. What is shown of the numbers plays no part.

use super::identity::{bytes_of_group, bytes_of_kind, bytes_of_rows};
use super::{Measure, Query};

/// The hash of canonical bytes.
type Hash = [u8; 32];

/// Hashes of canonical bytes that decide whether one query's numbers are among those of another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contents {
    /// The rows and their caps; `None` for queries that are never compared.
    rows: Option<Hash>,
    groups: Vec<Hash>,
    /// Whether a row may have a value of the group outside its keys.
    leaves_out: Vec<bool>,
    /// Whether all levels are capped together.
    together: bool,
    /// The kind of each measure, and the groups of its level.
    measures: Vec<(Hash, Vec<Hash>)>,
}

fn hash(bytes: &[u8]) -> Hash {
    blake3::hash(bytes).into()
}

impl Query {
    /// Its measures, groups and rows, for comparison with other queries.
    #[must_use]
    pub fn contents(&self) -> Contents {
        let groups: Vec<Hash> = self.groups.iter().map(|group| hash(&bytes_of_group(group, self))).collect();
        let measure = |measure: &Measure| {
            let level = self.levels[measure.level].iter().map(|at| groups[*at]).collect();
            (hash(&bytes_of_kind(measure, self)), level)
        };
        Contents {
            rows: bytes_of_rows(self).map(|bytes| hash(&bytes)),
            measures: self.measures.iter().map(measure).collect(),
            leaves_out: self.groups.iter().map(|group| self.may_leave_out(group)).collect(),
            together: self.together,
            groups,
        }
    }

    /// Where the measures of this question are among those of another, one position for each; `None` when one of them is not there, or
    /// other rows count.
    ///
    /// Both must be about the same rows of the same tables, under the same caps, and each measure must have the same argument on the
    /// same grid, at a level of the same groups with the same keys in the same order. A row with an undeclared key of any group counts at
    /// no level: groups of the other that this question does not have must leave out nobody, whatever the data hold. How exact
    /// the numbers are is not looked at, and neither are the data, how they are read, or the price.
    ///
    /// To publish some numbers of an answer that is published is post-processing (C-3).
    #[must_use]
    pub fn measures_within(&self, other: &Self) -> Option<Vec<usize>> {
        self.contents().within(&other.contents())
    }
}

impl Contents {
    /// Where the measures are among those of another, as for [`Query::measures_within`].
    #[must_use]
    pub fn within(&self, other: &Self) -> Option<Vec<usize>> {
        if self.rows? != other.rows? {
            return None;
        }
        let is_common = |group: &Hash| self.groups.contains(group);
        let mut others = other.groups.iter().zip(&other.leaves_out);
        if others.any(|(group, leaves_out)| !is_common(group) && *leaves_out) {
            return None;
        }
        if self.groups.iter().any(|group| !other.groups.contains(group)) {
            return None;
        }
        // Caps below all levels are on the combinations of all groups (S-LEV).
        if self.together && other.groups.iter().any(|group| !is_common(group)) {
            return None;
        }
        let place = |measure: &(Hash, Vec<Hash>)| other.measures.iter().position(|known| known == measure);
        self.measures.iter().map(place).collect()
    }
}
