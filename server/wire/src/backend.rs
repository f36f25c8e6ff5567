//! Who answers: what a server of this protocol is asked.

use crate::failure::{Failure, Notice};
use crate::verifier::Verifier;
use async_trait::async_trait;
use deniable_catalog::{Description, Type};
use pgwire::tokio::TlsAcceptor;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Who connects, as this one says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Client {
    /// The name of the user; proven where there is a verifier.
    pub user: String,
    /// The database that is wanted: the user's name where none is said, as PostgreSQL has it.
    pub database: String,
    /// What the program calls itself.
    pub application: String,
    /// Whether it speaks TLS.
    pub is_secure: bool,
    /// Whether it is on this machine.
    pub is_local: bool,
}

/// What proves who somebody is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Proof {
    /// Nothing: whoever connects is let in under this name.
    None,
    /// A password (SCRAM-SHA-256). Of a user who is not known, a verifier that no password meets.
    Password(Verifier),
}

/// A server behind the protocol.
pub trait Backend: Send + Sync + 'static {
    /// TLS, where it is offered: asked for each connection, so that certificates can be changed.
    fn tls(&self) -> Option<TlsAcceptor>;

    /// Whether clients on this machine need TLS, too, as all others do: where every client shows a certificate.
    fn needs_tls(&self) -> bool;

    /// The certificate of TLS as PEM, so that proofs of passwords are bound to the channel.
    fn certificate(&self) -> Option<Vec<u8>>;

    /// What proves that somebody is this user. Nothing tells whether there is one.
    fn proof(&self, user: &str) -> Proof;

    /// How long an attempt to prove a password waits before it is checked.
    ///
    /// # Errors
    /// When too many attempts failed before.
    fn attempt(&self, user: &str, address: SocketAddr) -> Result<Duration, Failure>;

    /// Records a wrong password, an invalid message of a proof, or an unknown user.
    fn wrong_password(&self, user: &str, address: SocketAddr);

    /// Records a right password.
    fn right_password(&self, user: &str, address: SocketAddr);

    /// Begins the session of an authenticated user.
    ///
    /// # Errors
    /// The reason for the refusal.
    fn begin(&self, client: Client) -> Result<Arc<dyn Session>, Failure>;
}

/// Whether a query was submitted, so that its charge is kept even where its answer is not waited for.
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

/// A connection of a user.
#[async_trait]
pub trait Session: Send + Sync + 'static {
    /// Checks that the account is still what it was when the connection began. It is called before each message of the
    /// client.
    ///
    /// # Errors
    /// When it is not: the connection ends.
    fn check(&self) -> Result<(), Failure>;

    /// Waits for a place in which a query about catalogs is evaluated.
    ///
    /// # Errors
    /// When all places are taken.
    async fn place(&self) -> Result<Place, Failure>;

    /// The description of the catalogs.
    fn description(&self) -> Description;

    /// The rows of a described table outside of `public`, as of now, as PostgreSQL writes their values.
    ///
    /// # Errors
    /// When they cannot be had.
    async fn rows(&self, schema: &str, table: &str, settings: &OwnSettings) -> Result<Rows, Failure>;

    /// A query about tables. This does no work: the query is planned when its plan is needed first, and not again.
    fn query(&self, query: Query) -> Arc<dyn PreparedQuery>;

    /// Calls a procedure, such as `deniable.approve`, with constants.
    ///
    /// # Errors
    /// When there is none of this name, or it cannot do what it is called for.
    async fn call(&self, name: &str, arguments: &[String], settings: &OwnSettings) -> Result<(), Failure>;

    /// The settings whose names begin with `deniable.`, by the rest of their names, with their first values.
    fn own_settings(&self) -> &'static [(&'static str, &'static str)];

    /// Checks the value of a setting whose name begins with `deniable.`, and says how it is kept.
    ///
    /// # Errors
    /// When there is no such setting, or the value is none of it.
    fn setting(&self, name: &str, value: &str) -> Result<String, Failure>;
}

/// A query about tables with its plan, which is computed when it is needed first. A statement keeps it from Describe to Execute.
#[async_trait]
pub trait PreparedQuery: Send + Sync {
    /// The query.
    fn query(&self) -> &Query;

    /// The columns of its answer, from declarations alone.
    ///
    /// # Errors
    /// When the query is refused.
    async fn columns(&self) -> Result<Vec<Column>, Failure>;

    /// Its answer. A submitted query goes on when this is dropped; `submitted` is set before.
    ///
    /// # Errors
    /// When the query is refused, or fails.
    async fn answer(&self, submitted: &Submission) -> Result<Reply, Failure>;

    /// What answering would take: one column of text.
    ///
    /// # Errors
    /// When the query is refused.
    async fn explain(&self) -> Result<Reply, Failure>;
}

/// A query about tables.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Query {
    /// SQL, with the values of parameters in their places.
    pub sql: String,
    /// Whether it is about made-up tables.
    pub simulated: bool,
    /// The settings that hold for it.
    pub settings: OwnSettings,
}

/// Settings that begin with `deniable.`, by the rest of their names; of two with the same name the later holds.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct OwnSettings(pub Vec<(String, String)>);

impl OwnSettings {
    /// The value of a setting.
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

/// Rows of text as PostgreSQL writes values of their types; `None` for NULL.
pub type Rows = Vec<Vec<Option<String>>>;

/// An answer.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Reply {
    /// Its columns.
    pub columns: Vec<Column>,
    /// Its rows.
    pub rows: Arc<Rows>,
    /// What is said beside it.
    pub notices: Vec<Notice>,
}
