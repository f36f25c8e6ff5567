//! The PostgreSQL wire protocol, for a server that is not PostgreSQL. It serves psql, drivers and BI tools, and passes
//! queries about tables to a [`Backend`].
//!
//! | question | module |
//! |---|---|
//! | who answers queries? | [`backend`] |
//! | which errors do clients get? | [`failure`] |
//! | how does a connection begin: TLS, names, passwords? | `connect`, [`verifier`] |
//! | where do messages begin and end? | `frame`, `stream` |
//! | which messages does a client send: simple and extended protocol? | `conversation` |
//! | which statements does a text contain, and with which tokens? | [`statement`], `tokens` |
//! | how is a statement executed: settings, transactions, cursors, catalogs? | `run`, [`settings`] |
//! | is a query about catalogs or about tables? | [`kind`] |
//! | how are parameters replaced by values? | [`parameters`] |
//! | how are values and rows written? | [`values`], [`copy`] |
//!
//! This crate has no access to data. Besides a backend's replies, all that clients see depends on their own messages
//! and on declarations alone.

pub mod backend;
mod connect;
mod conversation;
pub mod copy;
pub mod failure;
mod frame;
pub mod kind;
pub mod parameters;
mod run;
pub mod settings;
pub mod statement;
mod stream;
#[cfg(test)]
mod tests;
mod tokens;
pub mod values;
pub mod verifier;

pub use backend::{
    Backend, Client, Column, OwnSettings, Place, PreparedQuery, Proof, Query, Reply, Rows, Session, Submission,
};
pub use deniable_catalog as catalog;
pub use failure::{Code, Failure, Notice};
pub use pgwire::tokio::{TlsAcceptor, tokio_rustls};
pub use verifier::Verifier;

use pgwire::api::{ConnectionManager, RandomPidSecretKeyGenerator};
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio::time::timeout;

/// Limits of one connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of a message.
    pub message: usize,
    /// Time from the first byte to authentication.
    pub startup: Duration,
    /// Time without a query.
    pub idle: Duration,
    /// Time without reading what the server sends.
    pub stall: Duration,
    /// Bytes of all prepared statements together, and of the values of all portals together.
    pub bytes: usize,
    /// Prepared statements.
    pub prepared: usize,
    /// Portals, cursors, and plans of statements that were described but not executed yet; each kind has this limit.
    pub portals: usize,
}

impl Default for Limits {
    fn default() -> Self {
        let seconds = Duration::from_secs;
        Self {
            message: 1 << 20,
            startup: seconds(20),
            idle: seconds(3_600),
            stall: seconds(60),
            bytes: 8 << 20,
            prepared: 500,
            portals: 32,
        }
    }
}

/// Serves connections on behalf of a backend.
pub struct Server {
    backend: Arc<dyn Backend>,
    limits: Limits,
    connections: Arc<ConnectionManager>,
    keys: RandomPidSecretKeyGenerator,
    stopping: watch::Receiver<bool>,
}

impl Server {
    /// A server for this backend. When `stopping` becomes true, connections get a notice and end.
    #[must_use]
    pub fn new(backend: Arc<dyn Backend>, limits: Limits, stopping: watch::Receiver<bool>) -> Self {
        let connections = Arc::new(ConnectionManager::new());
        Self { backend, limits, connections, keys: RandomPidSecretKeyGenerator::default(), stopping }
    }

    /// Serves a client until either side ends the connection.
    pub async fn serve(&self, tcp: TcpStream) {
        if let Some(greeted) = self.greet(tcp).await {
            self.talk(greeted).await;
        }
    }

    /// Authenticates a client. Clients that exceed the startup timeout or disconnect get no reply.
    pub async fn greet(&self, tcp: TcpStream) -> Option<Guest> {
        timeout(self.limits.startup, connect::connect(tcp, self)).await.ok()?.ok()?.map(Guest)
    }

    /// Serves an authenticated client until either side ends the connection.
    pub async fn talk(&self, greeted: Guest) {
        conversation::converse(greeted.0, self).await;
    }

    /// Sends an error to an authenticated client and ends the connection.
    pub async fn turn_away(&self, greeted: Guest, why: Failure) {
        conversation::sent_away(greeted.0, self, &why).await;
    }
}

/// An authenticated client.
pub struct Guest(connect::Connection);
