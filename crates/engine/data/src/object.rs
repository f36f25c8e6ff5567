//! Objects of stores as files of a table.

use crate::error::{RemoteError, SourceError};
use bytes::Bytes;
use parquet::errors::ParquetError;
use parquet::file::reader::{ChunkReader, Length};
use std::io::{Cursor, Read};
use std::ops::Range;
use std::sync::Arc;

/// An object of a store, as it was found: of one that is replaced, not a byte is read.
pub trait Object: std::fmt::Debug + Send + Sync {
    /// Its URL, for messages.
    fn url(&self) -> &str;

    /// Its bytes.
    fn size(&self) -> u64;

    /// Bytes that distinguish it from others that were there before and after, without reading it.
    fn marks(&self) -> Vec<u8>;

    /// Reads it from a place to its end. An error of reading contains a [`RemoteError`].
    fn reader(self: Arc<Self>, from: u64) -> Box<dyn Read + Send>;

    /// Several ranges of its bytes, some fetched at the same time: these, and no fewer.
    ///
    /// # Errors
    /// When it is no longer the object that was found, or cannot be read.
    fn ranges(&self, ranges: &[Range<u64>]) -> Result<Vec<Bytes>, RemoteError>;
}

/// Bytes of the end of a Parquet file that are read at once: most descriptions are shorter.
const END: u64 = 64 << 10;
/// Bytes of its beginning, which tell that it is one.
const BEGINNING: u64 = 64;

/// What kept an object from being read, if that is why reading failed.
pub(crate) fn cause(error: &(dyn std::error::Error + 'static)) -> Option<SourceError> {
    let inside = error.downcast_ref::<std::io::Error>().and_then(std::io::Error::get_ref);
    let of_object = inside.map_or_else(|| error.downcast_ref(), |inside| inside.downcast_ref::<RemoteError>());
    of_object.cloned().map(SourceError::remote)
}

/// Ranges of an object: those that were fetched together, and others one by one.
pub(crate) struct Ranges {
    object: Arc<dyn Object>,
    held: Vec<(u64, Bytes)>,
}

impl Ranges {
    /// Fetches these ranges, some at the same time.
    pub(crate) fn fetch(object: &Arc<dyn Object>, ranges: &[Range<u64>]) -> Result<Self, SourceError> {
        let fetched = object.ranges(ranges).map_err(SourceError::remote)?;
        let held = ranges.iter().map(|range| range.start).zip(fetched).collect();
        Ok(Self { object: object.clone(), held })
    }

    /// Both ends, which hold a Parquet file's marks and description.
    pub(crate) fn ends(object: &Arc<dyn Object>) -> Result<Self, SourceError> {
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
            None => self.object.clone().reader(start),
        })
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes, ParquetError> {
        if let Some(held) = self.held(start).filter(|held| held.len() >= length) {
            return Ok(held.slice(..length));
        }
        let range = start..start.saturating_add(length as u64);
        let fetched = self.object.ranges(&[range]).map_err(|error| ParquetError::External(Box::new(error)))?;
        Ok(fetched.into_iter().next().unwrap_or_default())
    }
}
