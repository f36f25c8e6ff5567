//! Errors in this crate's own words: messages of stores and requests may quote credentials and signatures, so none is
//! kept.

use deniable_data::RemoteError;

/// An error on reading objects. For the curator; it contains no credential and no contents of an object.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{problem}")]
pub struct ObjectError {
    /// The cause.
    pub problem: String,
    /// The remedy.
    pub help: &'static str,
    /// Whether the object does not exist.
    pub is_missing: bool,
}

impl From<ObjectError> for RemoteError {
    fn from(ObjectError { problem, help, .. }: ObjectError) -> Self {
        Self { problem, help }
    }
}

impl ObjectError {
    pub(crate) fn new(problem: impl Into<String>, help: &'static str) -> Self {
        Self { problem: problem.into(), help, is_missing: false }
    }

    pub(crate) fn changed(url: &str) -> Self {
        let help = "run the same again on the registered objects: it is not charged twice. Other objects need another `version`";
        Self::new(format!("{url} was replaced after it was found"), help)
    }

    /// The error of a request about `url`.
    pub(crate) fn of(error: &object_store::Error, url: &str) -> Self {
        use object_store::Error;
        match error {
            Error::NotFound { .. } => Self {
                is_missing: true,
                ..Self::new(
                    format!("{url} does not exist"),
                    "check the bucket, the key, and the endpoint and region in the environment",
                )
            },
            Error::Precondition { .. } | Error::NotModified { .. } => Self::changed(url),
            Error::PermissionDenied { .. } | Error::Unauthenticated { .. } => Self::new(
                format!("the store denies this user access to {url}"),
                "check the credentials in the environment (AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, AZURE_STORAGE_ACCOUNT_NAME and \
                 AZURE_STORAGE_ACCOUNT_KEY, GOOGLE_SERVICE_ACCOUNT), and that they may list the bucket and read its objects",
            ),
            _ => Self::new(
                format!("the store of {url} does not answer, or closes connections"),
                "check endpoint, region and network (a plain http:// endpoint needs AWS_ALLOW_HTTP=true), and run the same again: what is \
                 paid for stays paid for",
            ),
        }
    }
}
