//! The objects that a URL names.

use crate::error::ObjectError;
use crate::object::Object;
use crate::store::{Store, split};
use deniable_data::SourceError;
use futures_util::TryStreamExt;
use globset::GlobBuilder;
use object_store::path::Path;
use object_store::{Error, ObjectMeta, ObjectStoreExt as _};
use std::sync::Arc;

/// Maximum number of objects of one table.
const MOST_OBJECTS: usize = 100_000;

/// The objects of a URL as files of a table: see [`deniable_data::FindObjects`].
///
/// # Errors
/// When the URL does not name an object in a store, contains what may be credentials, or the store cannot be read. The
/// result may be empty.
pub fn find(url: &str, fits: &dyn Fn(&str) -> bool) -> Result<Vec<Arc<dyn deniable_data::Object>>, SourceError> {
    let found = objects(url, fits).map_err(|error| SourceError::remote(error.into()))?;
    Ok(found.into_iter().map(|object| Arc::new(object) as Arc<dyn deniable_data::Object>).collect())
}

/// The objects of a URL, sorted by key: the object with this key; or the objects below it, as below a folder, for which
/// `fits` returns true; or the objects that match a pattern with `*`, `[abc]` or `{a,b}`. Below folders, keys with a
/// part that begins with `.` or `_` are hidden, except partitions (`_x=1`).
fn objects(url: &str, fits: &dyn Fn(&str) -> bool) -> Result<Vec<Object>, ObjectError> {
    let (scheme, bucket, key) = split(url)?;
    let store = Store::of(scheme, bucket)?;
    let bad_key = |_| ObjectError::new("the URL has no object key", "write the key without empty parts, `.` and `..`");
    if key.contains(['*', '[', '{']) {
        let bad = |_| {
            ObjectError::new(
                "the URL is not a valid pattern",
                "patterns use *, [abc] and {a,b}, as in s3://bucket/visits/*.parquet",
            )
        };
        let pattern = GlobBuilder::new(key).literal_separator(true).build().map_err(bad)?.compile_matcher();
        let fixed = key.split('/').take_while(|part| !part.contains(['*', '[', '{'])).collect::<Vec<_>>().join("/");
        let below = Path::parse(&fixed).map_err(bad_key)?;
        return list(&store, &below, &|key| {
            pattern.is_match(key) && !is_hidden(key.strip_prefix(fixed.as_str()).unwrap_or(key))
        });
    }
    let path = Path::parse(key).map_err(bad_key)?;
    if !key.is_empty() && !key.ends_with('/') {
        match Object::head(&store, &path) {
            Err(error) if error.is_missing => {}
            found => return Ok(vec![found?]),
        }
    }
    list(&store, &path, &|found| fits(found) && !is_hidden(found.strip_prefix(path.as_ref()).unwrap_or(found)))
}

fn is_hidden(key: &str) -> bool {
    key.split('/').any(|part| part.starts_with('.') || part.starts_with('_') && !part.contains('='))
}

fn list(store: &Arc<Store>, below: &Path, fits: &dyn Fn(&str) -> bool) -> Result<Vec<Object>, ObjectError> {
    let url = format!("{}/{below}", store.url);
    let prefix = (!below.as_ref().is_empty()).then_some(below);
    let mut found: Vec<ObjectMeta> = store.runtime.block_on(async {
        let mut listed = store.store.list(prefix);
        let mut found = Vec::new();
        loop {
            let meta = match listed.try_next().await {
                Ok(Some(meta)) => meta,
                Ok(None) => break,
                // The error of a listing lacks the cause; a request for a single object reports it, whether that object
                // exists or not.
                Err(error) => {
                    let probe = store.store.head(&below.clone().join("deniable")).await;
                    let why = probe.err().filter(|why| !matches!(why, Error::NotFound { .. }));
                    return Err(ObjectError::of(&why.unwrap_or(error), &url));
                }
            };
            if fits(meta.location.as_ref()) {
                found.push(meta);
            }
            if found.len() > MOST_OBJECTS {
                let help = "select fewer with a longer prefix or a pattern";
                return Err(ObjectError::new(format!("there are more than {MOST_OBJECTS} objects below {url}"), help));
            }
        }
        Ok(found)
    })?;
    found.sort_by(|one, other| one.location.as_ref().cmp(other.location.as_ref()));
    found.into_iter().map(|meta| Object::of(store, meta)).collect()
}
