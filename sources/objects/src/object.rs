//! An object, read in the version that was found.

use crate::error::ObjectError;
use crate::store::Store;
use bytes::Bytes;
use deniable_data::RemoteError;
use object_store::path::Path;
use object_store::{GetOptions, ObjectMeta, ObjectStore, ObjectStoreExt as _};
use std::io::Read;
use std::ops::Range;
use std::sync::Arc;
use tokio::task::JoinHandle;

/// Bytes per request when an object is read from end to end.
const BLOCK: u64 = 8 << 20;
/// Number of concurrent range requests.
const AT_ONCE: usize = 8;

/// An object in the version that was found: if it is replaced, no byte is read.
#[derive(Debug)]
pub(crate) struct Object {
    store: Arc<Store>,
    found: Arc<ObjectHandle>,
}

/// The values for requests about an object. It does not own the runtime, which must not be dropped on one of its own
/// threads.
struct ObjectHandle {
    store: Arc<dyn ObjectStore>,
    path: Path,
    url: String,
    size: u64,
    tag: Option<String>,
    version: Option<String>,
}

/// Omits how the store is reached, which may contain credentials.
impl std::fmt::Debug for ObjectHandle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ObjectHandle").field("url", &self.url).finish_non_exhaustive()
    }
}

impl Object {
    pub(crate) fn of(store: &Arc<Store>, meta: ObjectMeta) -> Result<Self, ObjectError> {
        let url = format!("{}/{}", store.url, meta.location);
        // A weak tag means equivalent, not identical, contents.
        let tag = meta.e_tag.filter(|tag| !tag.starts_with("W/"));
        if tag.is_none() && meta.version.is_none() {
            return Err(ObjectError::new(
                format!("the store reports neither an ETag nor a version of {url}"),
                "without them, a replacement of the object during reading cannot be detected: copy it to a folder of this machine",
            ));
        }
        let (path, size, version) = (meta.location, meta.size, meta.version);
        let found = ObjectHandle { store: store.store.clone(), path, url, size, tag, version };
        Ok(Self { store: store.clone(), found: Arc::new(found) })
    }

    /// Requests the metadata of an object.
    pub(crate) fn head(store: &Arc<Store>, path: &Path) -> Result<Self, ObjectError> {
        let url = format!("{}/{path}", store.url);
        let meta = store.runtime.block_on(store.store.head(path)).map_err(|error| ObjectError::of(&error, &url))?;
        Self::of(store, meta)
    }
}

impl deniable_data::Object for Object {
    fn url(&self) -> &str {
        &self.found.url
    }

    fn size(&self) -> u64 {
        self.found.size
    }

    fn marks(&self) -> Vec<u8> {
        let mut marks = self.found.size.to_le_bytes().to_vec();
        for text in [&self.found.tag, &self.found.version] {
            let text = text.as_deref().unwrap_or_default();
            marks.extend((text.len() as u64).to_le_bytes());
            marks.extend(text.as_bytes());
        }
        marks
    }

    fn reader(self: Arc<Self>, from: u64) -> Box<dyn Read + Send> {
        Box::new(Reader { object: self, block: Bytes::new(), ahead: None, asked: from })
    }

    fn ranges(&self, ranges: &[Range<u64>]) -> Result<Vec<Bytes>, RemoteError> {
        use futures_util::{StreamExt, TryStreamExt};
        let fetched =
            futures_util::stream::iter(ranges.to_vec()).map(|range| self.found.fetch(range)).buffered(AT_ONCE);
        Ok(self.store.runtime.block_on(fetched.try_collect::<Vec<Bytes>>())?)
    }
}

impl ObjectHandle {
    async fn fetch(&self, range: Range<u64>) -> Result<Bytes, ObjectError> {
        if range.is_empty() {
            return Ok(Bytes::new());
        }
        let expected = range.end - range.start;
        let options = GetOptions {
            if_match: self.tag.clone(),
            version: self.version.clone(),
            range: Some(range.into()),
            ..GetOptions::default()
        };
        let failed = |error: object_store::Error| ObjectError::of(&error, &self.url);
        let got = self.store.get_opts(&self.path, options).await.map_err(failed)?;
        // A store may ignore the condition of the request.
        let is_same = got.meta.size == self.size && (self.tag.is_none() || got.meta.e_tag == self.tag);
        if !is_same {
            return Err(ObjectError::changed(&self.url));
        }
        let bytes = got.bytes().await.map_err(failed)?;
        if bytes.len() as u64 != expected {
            return Err(ObjectError::new(
                format!("the transfer of {} was interrupted", self.url),
                "run the same again: it is not charged twice",
            ));
        }
        Ok(bytes)
    }
}

/// Reads an object from end to end.
#[derive(Debug)]
struct Reader {
    object: Arc<Object>,
    block: Bytes,
    ahead: Option<JoinHandle<Result<Bytes, ObjectError>>>,
    /// The offset up to which blocks have been requested.
    asked: u64,
}

impl Reader {
    /// Requests the next block.
    fn ask(&mut self) {
        let end = self.asked.saturating_add(BLOCK).min(self.object.found.size);
        if self.asked < end {
            let (found, range) = (self.object.found.clone(), self.asked..end);
            self.asked = end;
            self.ahead = Some(self.object.store.runtime.spawn(async move { found.fetch(range).await }));
        }
    }
}

impl Drop for Reader {
    /// Cancels requests whose results are no longer needed.
    fn drop(&mut self) {
        self.ahead.iter().for_each(JoinHandle::abort);
    }
}

impl Read for Reader {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if self.block.is_empty() {
            if self.ahead.is_none() {
                self.ask();
            }
            let Some(ahead) = self.ahead.take() else { return Ok(0) };
            let lost = |_| std::io::Error::other("a request was dropped");
            let block = self.object.store.runtime.block_on(ahead).map_err(lost)?;
            self.block = block.map_err(|error| std::io::Error::other(RemoteError::from(error)))?;
            self.ask();
        }
        let count = buffer.len().min(self.block.len());
        let handed = self.block.split_to(count);
        buffer.get_mut(..count).into_iter().for_each(|buffer| buffer.copy_from_slice(&handed));
        Ok(count)
    }
}
