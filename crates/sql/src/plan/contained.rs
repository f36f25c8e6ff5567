//! Whether the numbers of one question are among those of another.
//!
//! Decided on what the identity is made of ([`super::identity`]), never on text. What is shown of the numbers plays no part.

use super::identity::{bytes_of_group, bytes_of_kind, bytes_of_rows};
use super::{Measure, Query};

impl Query {
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
        if bytes_of_rows(self)? != bytes_of_rows(other)? {
            return None;
        }
        let groups =
            |query: &Self| -> Vec<Vec<u8>> { query.groups.iter().map(|group| bytes_of_group(group, query)).collect() };
        let (own, others) = (groups(self), groups(other));
        let is_common = |at: usize| own.contains(&others[at]);
        if (0..others.len()).any(|at| !is_common(at) && other.may_leave_out(&other.groups[at])) {
            return None;
        }
        if own.iter().any(|group| !others.contains(group)) {
            return None;
        }
        // Caps below all levels are on the combinations of all groups (S-LEV).
        if self.together && others.iter().any(|group| !own.contains(group)) {
            return None;
        }
        let described = |query: &Self, groups: &[Vec<u8>], measure: &Measure| {
            let level: Vec<Vec<u8>> = query.levels[measure.level].iter().map(|at| groups[*at].clone()).collect();
            (bytes_of_kind(measure, query), level)
        };
        let all: Vec<_> = other.measures.iter().map(|measure| described(other, &others, measure)).collect();
        let place = |measure: &Measure| all.iter().position(|known| *known == described(self, &own, measure));
        self.measures.iter().map(place).collect()
    }
}
