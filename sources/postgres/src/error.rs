//! What can go wrong, in words of our own.
//!
//! The server's messages, details and hints may quote rows, and those about connections the user's password: none is kept, nor what caused
//! an error. All that is looked at is the five letters of its code.

use tokio_postgres::error::SqlState;

/// Rows of PostgreSQL cannot be had. For the curator; it names no value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{problem}")]
pub struct PostgresError {
    /// What is wrong.
    pub problem: String,
    /// What to do.
    pub help: &'static str,
}

impl PostgresError {
    pub(crate) fn new(problem: impl Into<String>, help: &'static str) -> Self {
        Self { problem: problem.into(), help }
    }

    /// Of an attempt to connect.
    pub(crate) fn connecting(error: &tokio_postgres::Error) -> Self {
        if let Some(code) = error.code() {
            return Self::of_code(code);
        }
        // The kinds of errors have no names but these words, which quote nothing.
        let what = error.to_string();
        if what.starts_with("error performing TLS handshake") {
            return Self::new(
                "no TLS connection to the PostgreSQL server could be made",
                "its certificate must be signed by an authority that this machine trusts, or that the file of PGSSLROOTCERT names, and be \
                 for the host that `connect` names; `sslmode=disable` does without TLS, on a network that nobody else reads",
            );
        }
        if what.starts_with("authentication error") || what.starts_with("invalid configuration") {
            return Self::new(
                "the PostgreSQL server wants a password, or another way to prove who asks",
                "put a password into the variable that `connect` names, or into PGPASSWORD",
            );
        }
        Self::unreachable()
    }

    /// Nobody answers, or nobody who is a server.
    pub(crate) fn unreachable() -> Self {
        Self::new(
            "the PostgreSQL server cannot be reached",
            "check host and port in the variable that `connect` names, and that the server runs and lets this machine in",
        )
    }

    /// Of a statement, or of rows on their way.
    pub(crate) fn running(error: &tokio_postgres::Error) -> Self {
        match error.code() {
            Some(code) => Self::of_code(code),
            None => Self::lost(),
        }
    }

    pub(crate) fn lost() -> Self {
        Self::new(
            "the connection to the PostgreSQL server was lost",
            "run the same again once the server can be reached: what is paid for stays paid for",
        )
    }

    /// What came is not what a server sends.
    pub(crate) fn garbled() -> Self {
        Self::new(
            "the PostgreSQL server sent rows in no known form",
            "use a server of PostgreSQL itself, of version 12 or later",
        )
    }

    fn of_code(code: &SqlState) -> Self {
        let code = code.code();
        let (problem, help) = match code {
            "28P01" | "28000" => (
                "the PostgreSQL server does not let this user in",
                "check user and password in the variable that `connect` names (or PGPASSWORD), and the server's pg_hba.conf",
            ),
            "3D000" => {
                ("there is no such PostgreSQL database", "check the database in the variable that `connect` names")
            }
            "42501" => (
                "this PostgreSQL user may not read all rows of the relation",
                "GRANT SELECT on it (and USAGE on its schema) to the user, and BYPASSRLS where it has row-level security",
            ),
            "42P01" | "3F000" => (
                "there is no such relation in the PostgreSQL database",
                "check `relation`: schema and name, as `clinic.visits`",
            ),
            "42703" => (
                "a declared column is no longer in the PostgreSQL relation",
                "declare the columns that are there, and a new version",
            ),
            "57014" => (
                "the PostgreSQL server ended the statement: most often by its statement_timeout",
                "raise it for this user (ALTER ROLE ... SET statement_timeout), and run the same again: what is paid for stays paid for",
            ),
            "55P03" => (
                "the PostgreSQL relation is locked by somebody who changes it",
                "wait until that is done, and run the same again",
            ),
            "53300" => (
                "the PostgreSQL server has no connections left",
                "let it have more, or use fewer threads: each has a connection of its own",
            ),
            "40001" | "40P01" => (
                "the PostgreSQL server, which follows another, could not keep the rows as they were for so long",
                "run the same again, or raise max_standby_streaming_delay",
            ),
            "57P01" | "57P02" | "57P03" | "57P05" | "25P03" | "25P04" => (
                "the PostgreSQL server ended the connection",
                "run the same again once the server is up: what is paid for stays paid for",
            ),
            _ => match code.get(..2) {
                Some("08") => return Self::lost(),
                Some("53") => (
                    "the PostgreSQL server is out of memory, disk or other resources",
                    "free some, and run the same again",
                ),
                Some("22") => (
                    "the view cannot be read to its end: one of its own expressions fails",
                    "let the view's expressions be total (NULLIF(x, 0), no casts of texts), or name a table",
                ),
                _ => {
                    return Self::new(
                        format!("the PostgreSQL server refused (SQLSTATE {code})"),
                        "look the code up in PostgreSQL's documentation, appendix A, and its reason in the server's log",
                    );
                }
            },
        };
        Self::new(problem, help)
    }
}
