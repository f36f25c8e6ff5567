//! The sources of rows that this build contains.

use deniable_data::{SourceError, Sources};
use deniable_policy::Policy;

/// Installs the sources of rows that this build contains: tables that engines hold, and by feature tables of PostgreSQL and
/// objects of stores. Sessions and [`with_public_keys`] do so by themselves; a program that calls
/// [`Plan::new`](crate::Plan::new) alone does it first, for policies with public tables in such a place.
pub fn install_sources() {
    let sources = Sources { engines: Some(deniable_engines::open), ..Sources::default() };
    #[cfg(feature = "postgres")]
    let sources = Sources { databases: Some(deniable_postgres::DATABASES), ..sources };
    #[cfg(feature = "objects")]
    let sources = Sources { objects: Some(deniable_objects::find), ..sources };
    sources.install();
}

/// The policy with the keys that are in public tables: see [`deniable_release::with_public_keys`].
///
/// # Errors
/// When such a table cannot be read, or does not list keys as it must.
pub fn with_public_keys(policy: Policy) -> Result<Policy, SourceError> {
    install_sources();
    deniable_release::with_public_keys(policy)
}
