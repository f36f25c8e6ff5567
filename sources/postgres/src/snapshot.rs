//! The snapshot that all connections of a run share.

use crate::error::PostgresError;
use crate::server::{Connection, Server};
use std::sync::{Arc, Mutex, PoisonError};

/// The oldest server version whose catalogs are supported.
const OLDEST: i32 = 120_000;
const BEGIN: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY";

/// One read-only view of a database, shared by all connections that are opened for it. It ends on drop, or when the
/// server ends it: rows of another snapshot are never read in its place.
#[derive(Debug)]
pub struct Snapshot {
    server: Server,
    /// The name by which other connections join.
    id: String,
    version: i32,
    /// The transaction that exports the snapshot. It stays open, and copies nothing.
    holder: Mutex<Connection>,
    /// Connections that have joined, and are idle.
    idle: Mutex<Vec<Connection>>,
}

impl Snapshot {
    /// Begins a snapshot.
    ///
    /// # Errors
    /// When the server cannot be reached, rejects the user or is too old, or its database is not in UTF-8.
    pub fn begin(server: Server) -> Result<Arc<Self>, PostgresError> {
        let holder = server.connect()?;
        let about = "SELECT pg_export_snapshot(), current_setting('server_version_num')::int4, current_setting('server_encoding')";
        let (id, version, encoding): (String, i32, String) = holder.runtime.block_on(async {
            let failed = |error: tokio_postgres::Error| PostgresError::running(&error);
            holder.client.batch_execute(BEGIN).await.map_err(failed)?;
            let row = holder.client.query_one(about, &[]).await.map_err(failed)?;
            let read = || Ok((row.try_get(0)?, row.try_get(1)?, row.try_get(2)?));
            read().map_err(|_: tokio_postgres::Error| PostgresError::garbled())
        })?;
        if version < OLDEST {
            return Err(PostgresError::new("the PostgreSQL server is older than version 12", "use a newer one"));
        }
        // The server would convert texts from another encoding, and fail on some.
        if encoding != "UTF8" {
            return Err(PostgresError::new(
                format!("the PostgreSQL database is in the encoding {encoding}"),
                "use a database in UTF8, or export the rows to a file",
            ));
        }
        Ok(Arc::new(Self { server, id, version, holder: Mutex::new(holder), idle: Mutex::default() }))
    }

    /// The server's version number, such as 150004.
    pub(crate) fn version(&self) -> i32 {
        self.version
    }

    /// Runs `work` on the connection that holds the snapshot.
    pub(crate) fn ask<T>(
        &self,
        run: impl AsyncFnOnce(&tokio_postgres::Client) -> Result<T, tokio_postgres::Error>,
    ) -> Result<T, PostgresError> {
        let holder = self.holder.lock().unwrap_or_else(PoisonError::into_inner);
        holder.runtime.block_on(run(&holder.client)).map_err(|error| PostgresError::running(&error))
    }

    /// A connection that uses the snapshot.
    pub(crate) fn take(&self) -> Result<Connection, PostgresError> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        if let Some(connection) = idle {
            return Ok(connection);
        }
        let connection = self.server.connect()?;
        // The server forms the identifier from digits and hyphens.
        let join = format!("{BEGIN}; SET TRANSACTION SNAPSHOT '{}'", self.id.replace('\'', "''"));
        connection.runtime.block_on(connection.client.batch_execute(&join)).map_err(|error| match error.code().map(|code| code.code()) {
            // "invalid snapshot identifier", "could not import": the transaction does not exist, or no longer.
            Some("22023" | "42704" | "55000") => PostgresError::new(
                "a second connection to the PostgreSQL server did not find the snapshot of the first",
                "`connect` must name a single server, not several of which any answers; if it does, the server ended the first connection: run \
                 the same again",
            ),
            _ => PostgresError::running(&error),
        })?;
        Ok(connection)
    }

    /// Returns a connection whose copies are complete.
    pub(crate) fn give_back(&self, connection: Connection) {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(connection);
    }
}
