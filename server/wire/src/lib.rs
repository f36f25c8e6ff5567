//! PostgreSQL's protocol, for a server that is none: whoever speaks it (psql, drivers, BI tools) is understood, and what is asked about tables is
//! handed to a [`Backend`].
//!
//! | question | module |
//! |---|---|
//! | who answers? | [`backend`] |
//! | what are clients told when something is refused? | [`failure`] |
//! | how does a connection begin: TLS, names, passwords? | `connect`, [`verifier`] |
//! | where do messages begin and end? | `frame`, `stream` |
//! | what do they ask for: simple and extended protocol? | `conversation` |
//! | which statements are there, and of which words? | [`statement`], `tokens` |
//! | what comes of one: settings, transactions, cursors, catalogs? | `run`, [`settings`] |
//! | is a query about catalogs or about tables? | [`kind`] |
//! | what stands in the places of parameters? | [`parameters`] |
//! | how are values and rows written? | [`values`], [`copy`] |
//!
//! Nothing here knows of any data. What clients see besides a backend's replies follows from what they sent and from declarations.

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

/// What one connection may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of a message.
    pub message: usize,
    /// From the first byte until somebody is known.
    pub startup: Duration,
    /// Without a query.
    pub idle: Duration,
    /// Without reading what is sent.
    pub stall: Duration,
    /// Bytes of all prepared statements, and of the values of all portals.
    pub bytes: usize,
    /// Prepared statements.
    pub prepared: usize,
    /// Portals, cursors, and plans of statements that were described and not executed yet.
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

/// Serves connections.
pub struct Server {
    backend: Arc<dyn Backend>,
    limits: Limits,
    connections: Arc<ConnectionManager>,
    keys: RandomPidSecretKeyGenerator,
    stopping: watch::Receiver<bool>,
}

impl Server {
    /// A server of this backend. When `stopping` becomes true, connections are told so and end.
    #[must_use]
    pub fn new(backend: Arc<dyn Backend>, limits: Limits, stopping: watch::Receiver<bool>) -> Self {
        let connections = Arc::new(ConnectionManager::new());
        Self { backend, limits, connections, keys: RandomPidSecretKeyGenerator::default(), stopping }
    }

    /// Talks with a client until one of both ends it.
    pub async fn serve(&self, tcp: TcpStream) {
        if let Some(greeted) = self.greet(tcp).await {
            self.talk(greeted).await;
        }
    }

    /// Finds out who a client is; whoever does not come to the point in time, or breaks off, is told nothing.
    pub async fn greet(&self, tcp: TcpStream) -> Option<Guest> {
        timeout(self.limits.startup, connect::connect(tcp, self)).await.ok()?.ok()?.map(Guest)
    }

    /// Talks with a client that was let in until one of both ends it.
    pub async fn talk(&self, greeted: Guest) {
        conversation::converse(greeted.0, self).await;
    }

    /// Sends a client away that was let in.
    pub async fn turn_away(&self, greeted: Guest, why: Failure) {
        conversation::sent_away(greeted.0, self, &why).await;
    }
}

/// A client that was let in.
pub struct Guest(connect::Connection);
