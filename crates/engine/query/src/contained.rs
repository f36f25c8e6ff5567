//! Containment of queries: whether the numbers of one query are among those of another.
//!
//! Decided on canonical bytes ([`crate::canonical`]), never on text. The output of the queries does not matter.

use crate::Query;
use crate::decode::Reader;

/// The parts of a query's canonical bytes that decide whether its numbers are among those of another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contents<'a> {
    /// The rows and their caps: everything before the groups.
    rows: &'a [u8],
    groups: Vec<&'a [u8]>,
    /// Whether all levels are capped together.
    together: bool,
    /// The kind and unit of each measure, and the groups of its level.
    measures: Vec<(&'a [u8], Vec<&'a [u8]>)>,
}

/// The positions of a query's numbers among those of another, valid only if the further groups leave out no row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Places {
    /// The position of each measure in the other query.
    pub measures: Vec<usize>,
    /// The groups that only the other query has. It does not count rows without a key of one of them.
    pub further: Vec<usize>,
}

impl<'a> Contents<'a> {
    /// Parses canonical bytes. Returns `None` for queries about entities, which are never compared, and for other
    /// bytes.
    #[must_use]
    pub fn of(canonical: &'a [u8]) -> Option<Self> {
        let mut reader = Reader(canonical);
        let together = reader.skip_rows()?;
        let rows = before(canonical, &reader);
        let mut spans = |skip: fn(&mut Reader<'a>) -> Option<()>| {
            let count = reader.size()?;
            let mut all = Vec::new();
            for _ in 0..count {
                let start = reader.0;
                skip(&mut reader)?;
                all.push(before(start, &reader));
            }
            Some(all)
        };
        let groups = spans(Reader::skip_group)?;
        let levels = reader.levels()?;
        let mut measures = Vec::new();
        for _ in 0..reader.size()? {
            let start = reader.0;
            reader.skip_kind()?;
            let kind = before(start, &reader);
            let level = levels.get(reader.size()?)?;
            reader.skip_rational()?;
            measures.push((kind, level.iter().map(|at| groups.get(*at).copied()).collect::<Option<_>>()?));
        }
        Some(Self { rows, groups, together, measures })
    }

    /// The positions of the measures in another query, given its canonical bytes; `None` if a measure is missing there
    /// or the other query counts other rows.
    #[must_use]
    pub fn within(&self, other: &[u8]) -> Option<Places> {
        // The encoding of rows is prefix-free.
        other.starts_with(self.rows).then_some(())?;
        let other = Contents::of(other)?;
        self.groups.iter().all(|group| other.groups.contains(group)).then_some(())?;
        let is_further = |at: &usize| !self.groups.contains(&other.groups[*at]);
        let further: Vec<usize> = (0..other.groups.len()).filter(is_further).collect();
        // Caps that are applied once below all levels choose among the combinations of all groups (S-LEV).
        (!self.together || further.is_empty()).then_some(())?;
        let place = |measure| other.measures.iter().position(|known| known == measure);
        let measures = self.measures.iter().map(place).collect::<Option<_>>()?;
        Some(Places { measures, further })
    }
}

/// The bytes that a reader has read since `start`.
fn before<'a>(start: &'a [u8], reader: &Reader<'a>) -> &'a [u8] {
    &start[..start.len() - reader.0.len()]
}

impl Query {
    /// The positions of this query's measures in another query, one for each; `None` when a measure is missing there,
    /// the other query counts other rows, or one of the two is about entities.
    ///
    /// Both must be about the same rows of the same tables, under the same caps, and each measure must have the same
    /// argument on the same grid, at a level of the same groups with the same keys in the same order. A row with an
    /// undeclared key of any group counts at no level, so the groups that only the other query has must never leave out
    /// a row.
    /// A query parsed from canonical bytes has hidden keys as ordinary keys. Its groups may therefore leave out no row
    /// although [`Query::may_leave_out`] is true of the planned query, whose shown keys do.
    /// The comparison ignores the accuracy of the numbers, the data, the way files are read, and the price.
    ///
    /// Publishing some numbers of a published answer again is post-processing (C-3).
    #[must_use]
    pub fn measures_within(&self, other: &Self) -> Option<Vec<usize>> {
        let places = Contents::of(self.canonical())?.within(other.canonical())?;
        other.leaves_out_none_of(&places.further).then_some(places.measures)
    }

    /// Whether every row that counts has a key of each of these groups, whatever the data.
    #[must_use]
    pub fn leaves_out_none_of(&self, groups: &[usize]) -> bool {
        groups.iter().all(|at| self.groups().get(*at).is_some_and(|group| !self.may_leave_out(group)))
    }
}
