//! Objects of stores as files of a table.

use crate::error::SourceError;
use bytes::Bytes;
use deniable_objects::{ObjectError, Reader};
use parquet::errors::ParquetError;
use parquet::file::reader::{ChunkReader, Length};
use std::io::{Cursor, Read};
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

pub(crate) use deniable_objects::Object;

/// Bytes of the end of a Parquet file that are read at once: most descriptions are shorter.
const END: u64 = 64 << 10;
/// Bytes of its beginning, which tell that it is one.
const BEGINNING: u64 = 64;

fn failed(error: ObjectError) -> SourceError {
    SourceError::Remote { problem: error.problem, help: error.help }
}

/// The objects that a URL names, each with its URL.
pub(crate) fn find(url: &str, fits: &dyn Fn(&str) -> bool) -> Result<Vec<(PathBuf, Arc<Object>)>, SourceError> {
    let found = deniable_objects::find(url, fits).map_err(failed)?;
    Ok(found.into_iter().map(|object| (PathBuf::from(object.url()), Arc::new(object))).collect())
}

/// What kept an object from being read, if that is why reading failed.
pub(crate) fn cause(error: &(dyn std::error::Error + 'static)) -> Option<SourceError> {
    let inside = error.downcast_ref::<std::io::Error>().and_then(std::io::Error::get_ref);
    let of_object = inside.map_or_else(|| error.downcast_ref(), |inside| inside.downcast_ref::<ObjectError>());
    of_object.cloned().map(failed)
}

/// An object from its beginning to its end.
pub(crate) fn open(object: &Arc<Object>) -> Reader {
    object.reader(0)
}

/// Ranges of an object: those that were fetched together, and others one by one.
pub(crate) struct Ranges {
    object: Arc<Object>,
    held: Vec<(u64, Bytes)>,
}

impl Ranges {
    /// Fetches these ranges, some at the same time.
    pub(crate) fn fetch(object: &Arc<Object>, ranges: &[Range<u64>]) -> Result<Self, SourceError> {
        let fetched = object.ranges(ranges).map_err(failed)?;
        let held = ranges.iter().map(|range| range.start).zip(fetched).collect();
        Ok(Self { object: object.clone(), held })
    }

    /// Both ends, which hold a Parquet file's marks and description.
    pub(crate) fn ends(object: &Arc<Object>) -> Result<Self, SourceError> {
        let size = object.size();
        Self::fetch(object, &[0..size.min(BEGINNING), size.saturating_sub(END)..size])
    }

    /// The bytes that are held from a place on.
    fn held(&self, start: u64) -> Option<Bytes> {
        let found = self.held.iter().find(|(at, bytes)| (*at..at.saturating_add(bytes.len() as u64)).contains(&start));
        found.map(|(at, bytes)| bytes.slice(usize::try_from(start - at).unwrap_or(usize::MAX)..))
    }
}

impl Length for Ranges {
    fn len(&self) -> u64 {
        self.object.size()
    }
}

impl ChunkReader for Ranges {
    type T = Box<dyn Read + Send>;

    fn get_read(&self, start: u64) -> Result<Self::T, ParquetError> {
        Ok(match self.held(start) {
            Some(held) => Box::new(Cursor::new(held)),
            None => Box::new(self.object.reader(start)),
        })
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes, ParquetError> {
        if let Some(held) = self.held(start).filter(|held| held.len() >= length) {
            return Ok(held.slice(..length));
        }
        let range = start..start.saturating_add(length as u64);
        self.object.range(range).map_err(|error| ParquetError::External(Box::new(error)))
    }
}
