//! A bucket and its connection.

use crate::error::ObjectError;
use deniable_core::schema::is_store;
use object_store::aws::AmazonS3Builder;
use object_store::azure::MicrosoftAzureBuilder;
use object_store::gcp::GoogleCloudStorageBuilder;
use object_store::{ObjectStore, RetryConfig};
use std::sync::Arc;
use std::time::Duration;
use tokio::runtime::Runtime;

/// Number of retries, and their total time, when a store is overloaded or a connection ends.
const RETRIES: usize = 6;
const RETRY_FOR: Duration = Duration::from_secs(60);

pub(crate) struct Store {
    pub(crate) store: Arc<dyn ObjectStore>,
    pub(crate) runtime: Runtime,
    /// `s3://bucket`.
    pub(crate) url: String,
}

/// Omits how the store is reached, which may contain credentials.
impl std::fmt::Debug for Store {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Store").field("url", &self.url).finish_non_exhaustive()
    }
}

/// Splits a URL into scheme, bucket and key.
pub(crate) fn split(url: &str) -> Result<(&str, &str, &str), ObjectError> {
    let wrong = |help| ObjectError::new("the URL does not name an object in a store", help);
    let Some((scheme, rest)) = url.split_once("://").filter(|(scheme, _)| is_store(scheme)) else {
        return Err(wrong("write s3://bucket/key, gs://bucket/key or az://container/key"));
    };
    if url.contains(['@', '?', '#']) {
        return Err(wrong(
            "write s3://bucket/key, gs://bucket/key or az://container/key without `@`, `?` and `#`: credentials and accounts come from the \
             environment",
        ));
    }
    let (bucket, key) = rest.split_once('/').unwrap_or((rest, ""));
    if bucket.is_empty() || bucket.contains(['*', '[', '{']) {
        return Err(wrong("name the bucket, without a pattern: s3://bucket/visits/*.parquet"));
    }
    Ok((scheme, bucket, key))
}

impl Store {
    /// The bucket of a URL, with the connection settings of the environment.
    pub(crate) fn of(scheme: &str, bucket: &str) -> Result<Arc<Self>, ObjectError> {
        let retry = RetryConfig { max_retries: RETRIES, retry_timeout: RETRY_FOR, ..RetryConfig::default() };
        let scheme = scheme.to_ascii_lowercase();
        let store: Result<Arc<dyn ObjectStore>, object_store::Error> = match scheme.as_str() {
            "s3" | "s3a" => AmazonS3Builder::from_env()
                .with_bucket_name(bucket)
                .with_retry(retry)
                .build()
                .map(|store| Arc::new(store) as _),
            "gs" => GoogleCloudStorageBuilder::from_env()
                .with_bucket_name(bucket)
                .with_retry(retry)
                .build()
                .map(|store| Arc::new(store) as _),
            _ => MicrosoftAzureBuilder::from_env()
                .with_container_name(bucket)
                .with_retry(retry)
                .build()
                .map(|store| Arc::new(store) as _),
        };
        let unset = "set the variables of the store's own programs: AWS_REGION, AWS_ENDPOINT_URL; AZURE_STORAGE_ACCOUNT_NAME; GOOGLE_SERVICE_ACCOUNT";
        let url = format!("{scheme}://{bucket}");
        let store = store.map_err(|_| {
            ObjectError::new(format!("the environment variables for {url} are incomplete or wrong"), unset)
        })?;
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
        let runtime = runtime
            .map_err(|_| ObjectError::new("cannot open a connection", "raise the process's limit of open files"))?;
        Ok(Arc::new(Self { store, runtime, url }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_are_split() {
        assert_eq!(split("s3://bucket/a/b.csv").unwrap(), ("s3", "bucket", "a/b.csv"));
        assert_eq!(split("AZ://bucket").unwrap(), ("AZ", "bucket", ""));
        for url in ["s3://", "s3://a:secret@b/c", "s3://b/c?secret", "s3://b*/c", "https://b/secret", "secret"] {
            let error = split(url).unwrap_err();
            assert!(!format!("{error:?} {error}").contains("secret"));
        }
    }
}
