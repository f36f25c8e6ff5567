//! The interface between the protocol and the server that answers.

use crate::failure::{Failure, Notice};
use crate::verifier::Verifier;
use async_trait::async_trait;
use deniable_catalog::{Description, Type};
use pgwire::tokio::TlsAcceptor;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// The client of a connection, as its first message states.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Client {
    /// The user name; proven if the backend demands a password.
    pub user: String,
    /// The requested database; the user's name if the client names none, as in PostgreSQL.
    pub database: String,
    /// The `application_name` of the client.
    pub application: String,
    /// Whether the connection uses TLS.
    pub is_secure: bool,
    /// Whether the client is on this machine.
    pub is_local: bool,
}

/// The proof of identity that a user must give.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Proof {
    /// No proof: every client is let in under the name that it states.
    None,
    /// A password (SCRAM-SHA-256). For an unknown user, a verifier that no password meets.
    Password(Verifier),
}

/// A server behind the protocol.
pub trait Backend: Send + Sync + 'static {
    /// The TLS acceptor, if TLS is offered. Called for each connection, so that certificates can change.
    fn tls(&self) -> Option<TlsAcceptor>;

    /// Whether clients on this machine need TLS, as all others do.
    fn needs_tls(&self) -> bool;

    /// The TLS certificate as PEM, for channel binding of password proofs.
    fn certificate(&self) -> Option<Vec<u8>>;

    /// The proof that this user must give. The result must not reveal whether the user exists.
    fn proof(&self, user: &str) -> Proof;

    /// The time that an attempt to prove a password must wait before it is checked.
    ///
    /// # Errors
    /// When too many attempts have failed.
    fn attempt(&self, user: &str, address: SocketAddr) -> Result<Duration, Failure>;

    /// Records a wrong password, a malformed proof, or an unknown user.
    fn wrong_password(&self, user: &str, address: SocketAddr);

    /// Records a right password.
    fn right_password(&self, user: &str, address: SocketAddr);

    /// Begins the session of an authenticated user.
    ///
    /// # Errors
    /// The reason for the refusal.
    fn begin(&self, client: Client) -> Result<Arc<dyn Session>, Failure>;
}

/// Whether a query was submitted: its charge is then kept, even if the client does not wait for the answer.
#[derive(Debug, Default)]
pub struct Submission(AtomicBool);

impl Submission {
    /// Marks the query as submitted: it will be charged and answered, even if the connection ends.
    pub fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether it was submitted.
    #[must_use]
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// A place in the concurrency limit, released on drop.
pub type Place = Box<dyn Send>;

/// The session of an authenticated user.
#[async_trait]
pub trait Session: Send + Sync + 'static {
    /// Checks that the account has not changed since the connection began. Called before each message of the client.
    ///
    /// # Errors
    /// When it has changed: the connection ends.
    fn check(&self) -> Result<(), Failure>;

    /// Waits for a place to evaluate a query about catalogs.
    ///
    /// # Errors
    /// When no place is available.
    async fn place(&self) -> Result<Place, Failure>;

    /// The description of the catalogs.
    fn description(&self) -> Description;

    /// The present rows of a described table outside of `public`, in PostgreSQL's text format.
    ///
    /// # Errors
    /// When the rows are not available.
    async fn rows(&self, schema: &str, table: &str, settings: &OwnSettings) -> Result<Rows, Failure>;

    /// Prepares a query about tables. It is planned when its plan is first needed, and only once.
    fn query(&self, query: Query) -> Arc<dyn PreparedQuery>;

    /// Calls a procedure, such as `deniable.approve`, with constants.
    ///
    /// # Errors
    /// When the procedure does not exist, or fails.
    async fn call(&self, name: &str, arguments: &[String], settings: &OwnSettings) -> Result<(), Failure>;

    /// The settings whose names begin with `deniable.`: the rest of each name, and its initial value.
    fn own_settings(&self) -> &'static [(&'static str, &'static str)];

    /// Validates a setting whose name begins with `deniable.`, and returns its normalised value.
    ///
    /// # Errors
    /// When the setting does not exist, or the value is invalid.
    fn setting(&self, name: &str, value: &str) -> Result<String, Failure>;
}

/// A query about tables with its plan, which is computed when first needed. A statement keeps it from Describe to
/// Execute.
#[async_trait]
pub trait PreparedQuery: Send + Sync {
    /// The query.
    fn query(&self) -> &Query;

    /// The columns of the answer, which depend on declarations alone.
    ///
    /// # Errors
    /// When the query is refused.
    async fn columns(&self) -> Result<Vec<Column>, Failure>;

    /// The answer. `submitted` is set once the query is submitted; it then continues even if this future is dropped.
    ///
    /// # Errors
    /// When the query is refused, or fails.
    async fn answer(&self, submitted: &Submission) -> Result<Reply, Failure>;

    /// The reply to EXPLAIN: one column of text.
    ///
    /// # Errors
    /// When the query is refused.
    async fn explain(&self) -> Result<Reply, Failure>;
}

/// A query about tables.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Query {
    /// The SQL, with parameters replaced by their values.
    pub sql: String,
    /// Whether it reads made-up tables.
    pub simulated: bool,
    /// The settings that apply to it.
    pub settings: OwnSettings,
}

/// Settings that begin with `deniable.`, by the rest of their names. Of two with the same name, the later one applies.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct OwnSettings(pub Vec<(String, String)>);

impl OwnSettings {
    /// The value of a setting, by the rest of its name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().rev().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

impl Query {
    /// The value of a setting.
    #[must_use]
    pub fn setting(&self, name: &str) -> Option<&str> {
        self.settings.get(name)
    }
}

/// A column of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// Its type.
    pub data_type: Type,
}

/// Rows of values in PostgreSQL's text format; `None` for NULL.
pub type Rows = Vec<Vec<Option<String>>>;

/// An answer.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Reply {
    /// Its columns.
    pub columns: Vec<Column>,
    /// Its rows.
    pub rows: Arc<Rows>,
    /// Notices sent with it.
    pub notices: Vec<Notice>,
}
