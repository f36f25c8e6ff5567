//! What can go wrong, in words of our own: those of stores and of requests may quote credentials and signatures, and none is kept.

use deniable_data::RemoteError;

/// Objects cannot be had. For the curator; it names no credential and nothing of an object.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{problem}")]
pub struct ObjectError {
    /// What is wrong.
    pub problem: String,
    /// What to do.
    pub help: &'static str,
    /// Whether there is no such object.
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
        let help = "run the same again on the registered objects: what is paid for stays paid for. Other objects are another `version`";
        Self::new(format!("{url} is not the object that was found before"), help)
    }

    /// Of a request about `url`.
    pub(crate) fn of(error: &object_store::Error, url: &str) -> Self {
        use object_store::Error;
        match error {
            Error::NotFound { .. } => Self {
                is_missing: true,
                ..Self::new(
                    format!("there is no {url}"),
                    "check bucket and key, and the endpoint and region that the environment names",
                )
            },
            Error::Precondition { .. } | Error::NotModified { .. } => Self::changed(url),
            Error::PermissionDenied { .. } | Error::Unauthenticated { .. } => Self::new(
                format!("the store does not let this user read {url}"),
                "check the credentials in the environment (AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, AZURE_STORAGE_ACCOUNT_NAME and \
                 AZURE_STORAGE_ACCOUNT_KEY, GOOGLE_SERVICE_ACCOUNT), and that they may list the bucket and read its objects",
            ),
            _ => Self::new(
                format!("the store of {url} does not answer, or not for long enough"),
                "check endpoint, region and network (a plain http:// endpoint needs AWS_ALLOW_HTTP=true), and run the same again: what is \
                 paid for stays paid for",
            ),
        }
    }
}
