//! Errors and notices, with the fields of PostgreSQL.

use deniable_core::text::printable_lines;
use pgwire::error::ErrorInfo;

/// The kind of an error, by PostgreSQL's SQLSTATE code, which drivers act on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Code {
    /// The statement cannot be parsed or resolved.
    Syntax,
    /// The table does not exist.
    NoTable,
    /// The column does not exist.
    NoColumn,
    /// The cursor, portal or prepared statement does not exist.
    NoStatement,
    /// The name is already in use.
    Duplicate,
    /// The request is not supported.
    NotSupported,
    /// The value is not valid for its type.
    Value,
    /// The value is out of the range of its type.
    OutOfRange,
    /// The setting does not exist, or its value is invalid.
    Setting,
    /// The budget or the role of the user does not allow it.
    NotAllowed,
    /// The query states no price.
    NoPrice,
    /// The transaction has failed already.
    FailedTransaction,
    /// No transaction is open.
    NoTransaction,
    /// The client cancelled the request, or it timed out.
    Cancelled,
    /// A limit on the size or number of requests is exceeded.
    TooMany,
    /// Too many connections are open.
    TooManyConnections,
    /// Authentication failed.
    NotLetIn,
    /// The database does not exist.
    NoDatabase,
    /// A message violates the protocol.
    Protocol,
    /// The server is shutting down.
    ShutDown,
    /// The connection was idle for too long.
    Idle,
    /// An internal error.
    Internal,
}

impl Code {
    /// The five characters of the code.
    #[must_use]
    pub const fn sqlstate(self) -> &'static str {
        match self {
            Self::Syntax => "42601",
            Self::NoTable => "42P01",
            Self::NoColumn => "42703",
            Self::NoStatement => "26000",
            Self::Duplicate => "42P05",
            Self::NotSupported => "0A000",
            Self::Value => "22P02",
            Self::OutOfRange => "22003",
            Self::Setting => "22023",
            Self::NotAllowed => "42501",
            Self::NoPrice => "55000",
            Self::FailedTransaction => "25P02",
            Self::NoTransaction => "25P01",
            Self::Cancelled => "57014",
            Self::TooMany => "54000",
            Self::TooManyConnections => "53300",
            Self::NotLetIn => "28000",
            Self::NoDatabase => "3D000",
            Self::Protocol => "08P01",
            Self::ShutDown => "57P01",
            Self::Idle => "57P05",
            Self::Internal => "XX000",
        }
    }
}

/// An error, as a client sees it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Failure {
    /// Its kind.
    pub code: Code,
    /// The primary message: one line.
    pub message: String,
    /// Further details.
    pub detail: Option<String>,
    /// The remedy.
    pub hint: Option<String>,
    /// The position of the error in the statement, in characters from 1.
    pub position: Option<usize>,
}

impl Failure {
    /// An error without detail, hint or position.
    #[must_use]
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), detail: None, hint: None, position: None }
    }

    /// Sets the remedy.
    #[must_use]
    pub fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }

    /// Sets the details.
    #[must_use]
    pub fn detail(self, detail: impl Into<String>) -> Self {
        Self { detail: Some(detail.into()), ..self }
    }

    /// The fields of the message; a `fatal` error ends the connection.
    pub(crate) fn info(&self, fatal: bool) -> ErrorInfo {
        let severity = if fatal { "FATAL" } else { "ERROR" };
        let mut info = ErrorInfo::new(severity.to_owned(), self.code.sqlstate().to_owned(), clean(&self.message));
        info.detail = self.detail.as_deref().map(clean);
        info.hint = self.hint.as_deref().map(clean);
        info.position = self.position.map(|position| position.to_string());
        info
    }
}

/// A notice sent beside an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// Whether it is a warning.
    pub is_warning: bool,
    /// The primary message: one line.
    pub message: String,
    /// Further details.
    pub detail: Option<String>,
    /// The remedy.
    pub hint: Option<String>,
}

impl Notice {
    /// A notice for information.
    #[must_use]
    pub fn new(message: impl Into<String>) -> Self {
        Self { is_warning: false, message: message.into(), detail: None, hint: None }
    }

    /// A notice with the severity WARNING.
    #[must_use]
    pub fn warning(message: impl Into<String>) -> Self {
        Self { is_warning: true, ..Self::new(message) }
    }

    pub(crate) fn info(&self) -> ErrorInfo {
        let (severity, code) = if self.is_warning { ("WARNING", "01000") } else { ("NOTICE", "00000") };
        let mut info = ErrorInfo::new(severity.to_owned(), code.to_owned(), clean(&self.message));
        info.detail = self.detail.as_deref().map(clean);
        info.hint = self.hint.as_deref().map(clean);
        info
    }
}

/// Escapes the text of a message for terminals: clients print messages unchanged, and other users wrote parts of them.
fn clean(text: &str) -> String {
    printable_lines(text).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Approvers' reasons, names and SQL are parts of messages.
    #[test]
    fn messages_contain_no_control_characters() {
        let text = "rejected: \u{1b}[2J\u{202e}x\0\u{7f}\nso";
        let failure = Failure::new(Code::NotAllowed, text).detail(text).hint(text).info(false);
        let notice = Notice { detail: Some(text.into()), hint: Some(text.into()), ..Notice::new(text) }.info();
        for info in [failure, notice] {
            for told in [Some(info.message), info.detail, info.hint] {
                assert_eq!(told.as_deref(), Some("rejected: \\u{1b}[2J\\u{202e}x\\u{0}\\u{7f}\nso"));
            }
        }
    }
}
