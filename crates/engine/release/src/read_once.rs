//! Rows that several exact computations for the curator read: the columns of all queries are read once, and kept in
//! memory as far as they fit.

use deniable_data::{Memory, Progress, Resources, Source, SourceError};
use deniable_query::Query;
use std::cell::RefCell;
use std::collections::BTreeSet;

/// The part of the memory that kept columns may use: an n-th.
const PART_OF_MEMORY: usize = 4;

/// The sources of some queries.
pub(crate) struct ReadOnce<'a> {
    sources: Vec<Source>,
    resources: &'a Resources,
    /// The same sources with the columns of the queries in memory, and the remaining resources.
    kept: RefCell<Option<(Vec<Source>, Resources)>>,
}

impl<'a> ReadOnce<'a> {
    /// Reads the columns of these queries. A source that cannot be read or kept is left where it is, and the
    /// computations report its errors.
    pub(crate) fn new<'q>(
        sources: Vec<Source>,
        queries: impl Iterator<Item = &'q Query>,
        resources: &'a Resources,
        progress: &dyn Fn(Progress),
    ) -> Self {
        let read: BTreeSet<(&str, &str)> = queries.flat_map(Query::columns_read).collect();
        let memory = Memory::new(resources.memory.map(|limit| limit / PART_OF_MEMORY));
        let keep = |source: &Source| {
            let table = source.table();
            let own = read.iter().filter(|(read, _)| *read == table.name).map(|(_, column)| *column);
            let columns: BTreeSet<&str> = own.chain(table.join_key()).collect();
            if columns.is_empty() || !table.is_protected() {
                return None;
            }
            source.kept(&columns, &memory, resources, progress).ok().flatten()
        };
        let kept: Vec<Option<Source>> = sources.iter().map(keep).collect();
        let is_any = kept.iter().any(Option::is_some);
        let rest = resources.memory.map(|limit| limit.saturating_sub(memory.used()));
        let rest = Resources { memory: rest, ..resources.clone() };
        let both = kept.into_iter().zip(&sources).map(|(kept, source)| kept.unwrap_or_else(|| source.clone()));
        let kept = is_any.then(|| (both.collect(), rest));
        Self { sources, resources, kept: RefCell::new(kept) }
    }

    /// A computation on the rows. Where the memory beside the kept columns does not suffice, they are given up.
    ///
    /// # Errors
    /// Those of the computation.
    pub(crate) fn compute<T>(
        &self,
        computation: impl Fn(&[Source], &Resources) -> Result<T, SourceError>,
    ) -> Result<T, SourceError> {
        if let Some((sources, rest)) = &*self.kept.borrow()
            && let Ok(computed) = computation(sources, rest)
        {
            return Ok(computed);
        }
        self.kept.replace(None);
        computation(&self.sources, self.resources)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use deniable_core::schema::{Column, ColumnType, CsvOptions, Data, Format, TableSchema};

    #[test]
    fn kept_columns_are_given_up_where_the_memory_does_not_suffice() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("t.csv"), "n,other\n1,2\n").unwrap();
        let columns = ["n", "other"].map(|name| Column::new(name, ColumnType::Integer)).to_vec();
        let format = Format::Csv(CsvOptions::with_delimiter(b','));
        let (table, path, version) = ("t".to_owned(), "t.csv".to_owned(), "1".to_owned());
        let data = Data { table, path, version, format, partitions: Vec::new(), typical_rows: None };
        let source = Source::locate(TableSchema::protected("t", columns, None), &data, folder.path()).unwrap();
        let query = deniable_sql::plan("SELECT COUNT(*) AS c FROM t WHERE n > 0", std::slice::from_ref(source.table()))
            .unwrap();
        let resources = Resources { memory: Some(4_000_000), ..Resources::default() };
        let rows = ReadOnce::new(vec![source.clone()], [&query].into_iter(), &resources, &|_| {});
        // Kept rows have no file.
        let first = rows.compute(|sources, rest| {
            assert!(sources[0].files().is_empty() && rest.memory < resources.memory);
            Ok(1)
        });
        assert_eq!(first.unwrap(), 1);
        let second = rows.compute(|sources, rest| match sources[0].files().is_empty() {
            true => Err(SourceError::Memory { table: "t".to_owned() }),
            false => Ok(rest.memory),
        });
        assert_eq!(second.unwrap(), resources.memory);
        let third = rows.compute(|sources, _| Ok(sources[0].files().is_empty()));
        assert!(!third.unwrap(), "they stay given up");
        let little = Resources { memory: Some(100), ..Resources::default() };
        let rows = ReadOnce::new(vec![source], [&query].into_iter(), &little, &|_| {});
        assert!(!rows.compute(|sources, _| Ok(sources[0].files().is_empty())).unwrap());
    }
}
