//! What all connections of a run see: the rows of one moment.

use crate::error::PostgresError;
use crate::server::{Connection, Server};
use std::sync::{Arc, Mutex, PoisonError};

/// The oldest server whose catalogs are known.
const OLDEST: i32 = 120_000;
const BEGIN: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY";

/// One read-only view of a database, shared by all connections that are opened for it. It ends when it goes, or when the server ends it: rows
/// of another moment are never read in its place.
#[derive(Debug)]
pub struct Snapshot {
    server: Server,
    /// The name by which other connections join.
    id: String,
    version: i32,
    /// The transaction that the others join. It stays open, and copies nothing.
    holder: Mutex<Connection>,
    /// Connections that have joined, and copy nothing now.
    idle: Mutex<Vec<Connection>>,
}

impl Snapshot {
    /// Begins one.
    ///
    /// # Errors
    /// When the server cannot be reached, does not let the user in, is too old, or its database is not in UTF-8.
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
        // The server would convert texts of another encoding, and fail on those that it cannot.
        if encoding != "UTF8" {
            return Err(PostgresError::new(
                format!("the PostgreSQL database is in the encoding {encoding}"),
                "name a database in UTF8, or a file that its rows are exported to",
            ));
        }
        Ok(Arc::new(Self { server, id, version, holder: Mutex::new(holder), idle: Mutex::default() }))
    }

    /// The server's version, as in 150004.
    pub(crate) fn version(&self) -> i32 {
        self.version
    }

    /// Runs something on the connection that holds the snapshot.
    pub(crate) fn ask<T>(
        &self,
        run: impl AsyncFnOnce(&tokio_postgres::Client) -> Result<T, tokio_postgres::Error>,
    ) -> Result<T, PostgresError> {
        let holder = self.holder.lock().unwrap_or_else(PoisonError::into_inner);
        holder.runtime.block_on(run(&holder.client)).map_err(|error| PostgresError::running(&error))
    }

    /// A connection that sees the snapshot.
    pub(crate) fn take(&self) -> Result<Connection, PostgresError> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        if let Some(connection) = idle {
            return Ok(connection);
        }
        let connection = self.server.connect()?;
        // The id came from the server, which makes it of digits and hyphens.
        let join = format!("{BEGIN}; SET TRANSACTION SNAPSHOT '{}'", self.id.replace('\'', "''"));
        connection.runtime.block_on(connection.client.batch_execute(&join)).map_err(|error| match error.code().map(|code| code.code()) {
            // "invalid snapshot identifier", "could not import": there is no such transaction, or no longer.
            Some("22023" | "42704" | "55000") => PostgresError::new(
                "a second connection to the PostgreSQL server did not find the rows of the first",
                "let `connect` name one server, and not several of which any answers; if it does, the server ended the first connection: run \
                 the same again",
            ),
            _ => PostgresError::running(&error),
        })?;
        Ok(connection)
    }

    /// Gives a connection back, whose copies came to their ends.
    pub(crate) fn give_back(&self, connection: Connection) {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(connection);
    }
}
