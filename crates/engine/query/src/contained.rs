//! Whether the numbers of one query are among those of another.
//!
//! Decided on canonical bytes ([`crate::canonical`]), never on text. What is shown of the numbers plays no part.

use crate::Query;
use crate::decode::Reader;

/// The parts of a query's canonical bytes that decide whether its numbers are among those of another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contents<'a> {
    /// The rows and their caps, and everything else before the groups.
    rows: &'a [u8],
    groups: Vec<&'a [u8]>,
    /// Whether all levels are capped together.
    together: bool,
    /// The kind and unit of each measure, and the groups of its level.
    measures: Vec<(&'a [u8], Vec<&'a [u8]>)>,
}

/// Where the numbers of a query are among those of another, if nothing is left out there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Places {
    /// The position of each measure among the other's.
    pub measures: Vec<usize>,
    /// The groups of the other that the query does not have: rows without a key of one of them count nowhere there.
    pub further: Vec<usize>,
}

impl<'a> Contents<'a> {
    /// Takes canonical bytes apart; `None` where they are of a query about entities, which is never compared, or of none.
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

    /// Where the measures are among those of another query, whose canonical bytes these are; `None` where one is not there, or
    /// other rows count.
    #[must_use]
    pub fn within(&self, other: &[u8]) -> Option<Places> {
        // No bytes of rows are the beginning of others.
        other.starts_with(self.rows).then_some(())?;
        let other = Contents::of(other)?;
        self.groups.iter().all(|group| other.groups.contains(group)).then_some(())?;
        let is_further = |at: &usize| !self.groups.contains(&other.groups[*at]);
        let further: Vec<usize> = (0..other.groups.len()).filter(is_further).collect();
        // Caps below all levels are on the combinations of all groups (S-LEV).
        (!self.together || further.is_empty()).then_some(())?;
        let place = |measure| other.measures.iter().position(|known| known == measure);
        let measures = self.measures.iter().map(place).collect::<Option<_>>()?;
        Some(Places { measures, further })
    }
}

/// What a reader has read since it stood there.
fn before<'a>(start: &'a [u8], reader: &Reader<'a>) -> &'a [u8] {
    &start[..start.len() - reader.0.len()]
}

impl Query {
    /// Where the measures of this query are among those of another, one position for each; `None` when one of them is not there,
    /// other rows count, or one of the two is about entities.
    ///
    /// Both must be about the same rows of the same tables, under the same caps, and each measure must have the same argument on
    /// the same grid, at a level of the same groups with the same keys in the same order. A row with an undeclared key of any
    /// group counts at no level: groups of the other that this query does not have must leave out no row of any data.
    /// A query that is read from canonical bytes has hidden keys as keys like others. Its groups can therefore leave out no row
    /// where [`Query::may_leave_out`] is true of the planned query, whose shown groups do.
    /// How exact the numbers are is not looked at, and neither are the data, how they are read, or the price.
    ///
    /// To publish some numbers of an answer that is published is post-processing (C-3).
    #[must_use]
    pub fn measures_within(&self, other: &Self) -> Option<Vec<usize>> {
        let places = Contents::of(self.canonical())?.within(other.canonical())?;
        other.leaves_out_none_of(&places.further).then_some(places.measures)
    }

    /// Whether every row that counts has a key of each of these groups, in any data.
    #[must_use]
    pub fn leaves_out_none_of(&self, groups: &[usize]) -> bool {
        groups.iter().all(|at| self.groups().get(*at).is_some_and(|group| !self.may_leave_out(group)))
    }
}
