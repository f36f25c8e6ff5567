//! Objects in stores as files of a table.

use crate::error::{RemoteError, SourceError};
use bytes::Bytes;
use parquet::errors::ParquetError;
use parquet::file::reader::{ChunkReader, Length};
use std::io::{Cursor, Read};
use std::ops::Range;
use std::sync::Arc;

/// An object in a store, in the version that was found: if it is replaced, no byte is read.
pub trait Object: std::fmt::Debug + Send + Sync {
    /// Its URL, for messages.
    fn url(&self) -> &str;

    /// Its size in bytes.
    fn size(&self) -> u64;

    /// Bytes that distinguish it from earlier and later versions, without reading it.
    fn marks(&self) -> Vec<u8>;

    /// Reads it from an offset to its end. An error of reading contains a [`RemoteError`].
    fn reader(self: Arc<Self>, from: u64) -> Box<dyn Read + Send>;

    /// Fetches several ranges of its bytes, some concurrently, and returns all of them in full.
    ///
    /// # Errors
    /// When the object was replaced, or cannot be read.
    fn ranges(&self, ranges: &[Range<u64>]) -> Result<Vec<Bytes>, RemoteError>;
}

/// Bytes read at the end of a Parquet file: most footers are shorter.
const END: u64 = 64 << 10;
/// Bytes read at its beginning, to recognise the format.
const BEGINNING: u64 = 64;

/// The error of the object store, if it caused this error.
pub(crate) fn cause(error: &(dyn std::error::Error + 'static)) -> Option<SourceError> {
    let inside = error.downcast_ref::<std::io::Error>().and_then(std::io::Error::get_ref);
    let of_object = inside.map_or_else(|| error.downcast_ref(), |inside| inside.downcast_ref::<RemoteError>());
    of_object.cloned().map(SourceError::remote)
}

/// Ranges of an object: those fetched together, and others on request.
pub(crate) struct Ranges {
    object: Arc<dyn Object>,
    held: Vec<(u64, Bytes)>,
}

impl Ranges {
    /// Fetches these ranges, some concurrently.
    pub(crate) fn fetch(object: &Arc<dyn Object>, ranges: &[Range<u64>]) -> Result<Self, SourceError> {
        let fetched = object.ranges(ranges).map_err(SourceError::remote)?;
        let held = ranges.iter().map(|range| range.start).zip(fetched).collect();
        Ok(Self { object: object.clone(), held })
    }

    /// Both ends, which contain a Parquet file's marks and footer.
    pub(crate) fn ends(object: &Arc<dyn Object>) -> Result<Self, SourceError> {
        let size = object.size();
        Self::fetch(object, &[0..size.min(BEGINNING), size.saturating_sub(END)..size])
    }

    /// The bytes from an offset on, if they were fetched.
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
