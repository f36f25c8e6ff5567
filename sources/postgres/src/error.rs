//! Errors in this crate's own words.
//!
//! The server's messages, details and hints may quote rows, and errors of connections may quote the user's password:
//! neither they nor the causes of errors are kept. Only the five characters of the SQLSTATE code are used.

use tokio_postgres::error::SqlState;

/// An error on reading rows of PostgreSQL. For the curator; it contains no value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{problem}")]
pub struct PostgresError {
    /// The cause.
    pub problem: String,
    /// The remedy.
    pub help: &'static str,
}

impl PostgresError {
    pub(crate) fn new(problem: impl Into<String>, help: &'static str) -> Self {
        Self { problem: problem.into(), help }
    }

    /// The error of an attempt to connect.
    pub(crate) fn connecting(error: &tokio_postgres::Error) -> Self {
        if let Some(code) = error.code() {
            return Self::of_code(code);
        }
        // The library distinguishes these kinds of errors only by their text, which quotes nothing.
        let what = error.to_string();
        if what.starts_with("error performing TLS handshake") {
            return Self::new(
                "cannot make a TLS connection to the PostgreSQL server",
                "its certificate must be signed by an authority that this machine trusts, or that the file of PGSSLROOTCERT names, and be \
                 for the host that `connect` names; `sslmode=disable` turns TLS off, for a trusted network",
            );
        }
        if what.starts_with("authentication error") || what.starts_with("invalid configuration") {
            return Self::new(
                "the PostgreSQL server demands a password or another proof of identity",
                "put a password into the variable that `connect` names, or into PGPASSWORD",
            );
        }
        Self::unreachable()
    }

    /// The error if no server answers.
    pub(crate) fn unreachable() -> Self {
        Self::new(
            "the PostgreSQL server cannot be reached",
            "check host and port in the variable that `connect` names, and that the server runs and accepts this machine",
        )
    }

    /// The error of a statement or a copy.
    pub(crate) fn running(error: &tokio_postgres::Error) -> Self {
        match error.code() {
            Some(code) => Self::of_code(code),
            None => Self::lost(),
        }
    }

    pub(crate) fn lost() -> Self {
        Self::new(
            "the connection to the PostgreSQL server was lost",
            "run the same again once the server can be reached: it is not charged twice",
        )
    }

    /// The error if the server's bytes are malformed.
    pub(crate) fn garbled() -> Self {
        Self::new("the PostgreSQL server sent rows in an unknown format", "use PostgreSQL 12 or later")
    }

    fn of_code(code: &SqlState) -> Self {
        let code = code.code();
        let (problem, help) = match code {
            "28P01" | "28000" => (
                "the PostgreSQL server rejects this user",
                "check user and password in the variable that `connect` names (or PGPASSWORD), and the server's pg_hba.conf",
            ),
            "3D000" => {
                ("the PostgreSQL database does not exist", "check the database in the variable that `connect` names")
            }
            "42501" => (
                "this PostgreSQL user may not read all rows of the relation",
                "GRANT SELECT on it (and USAGE on its schema) to the user, and BYPASSRLS where it has row-level security",
            ),
            "42P01" | "3F000" => (
                "the relation does not exist in the PostgreSQL database",
                "check `relation`: schema and name, as `clinic.visits`",
            ),
            "42703" => (
                "a declared column is no longer in the PostgreSQL relation",
                "declare the present columns, and a new version",
            ),
            "57014" => (
                "the PostgreSQL server ended the statement, most often because of its statement_timeout",
                "raise it for this user (ALTER ROLE ... SET statement_timeout), and run the same again: it is not charged twice",
            ),
            "55P03" => (
                "the PostgreSQL relation is locked by another transaction that changes it",
                "wait until that ends, and run the same again",
            ),
            "53300" => (
                "the PostgreSQL server has no connections left",
                "raise its max_connections, or use fewer threads: each uses one connection",
            ),
            "40001" | "40P01" => (
                "the PostgreSQL server is a standby, and could not keep the snapshot for long enough",
                "run the same again, or raise max_standby_streaming_delay",
            ),
            "57P01" | "57P02" | "57P03" | "57P05" | "25P03" | "25P04" => (
                "the PostgreSQL server ended the connection",
                "run the same again once the server is up: it is not charged twice",
            ),
            _ => match code.get(..2) {
                Some("08") => return Self::lost(),
                Some("53") => (
                    "the PostgreSQL server is out of memory, disk or other resources",
                    "free some, and run the same again",
                ),
                Some("22") => (
                    "the view cannot be read completely: one of its expressions fails",
                    "make the view's expressions total (NULLIF(x, 0), no casts of texts), or name a table",
                ),
                _ => {
                    return Self::new(
                        format!("the PostgreSQL server reported an error (SQLSTATE {code})"),
                        "look the code up in PostgreSQL's documentation, appendix A, and its reason in the server's log",
                    );
                }
            },
        };
        Self::new(problem, help)
    }
}
