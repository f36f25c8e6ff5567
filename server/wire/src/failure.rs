//! What clients are told when something is refused, in PostgreSQL's fields.

use deniable_core::text::printable_lines;
use pgwire::error::ErrorInfo;

/// What goes wrong, by PostgreSQL's code: drivers decide by it what to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Code {
    /// The statement is not understood.
    Syntax,
    /// There is no such table.
    NoTable,
    /// There is no such column.
    NoColumn,
    /// There is no such thing as a cursor or a prepared statement of this name.
    NoStatement,
    /// There is one of this name already.
    Duplicate,
    /// What is asked is not offered.
    NotSupported,
    /// A value is none of its type.
    Value,
    /// A value does not fit its type.
    OutOfRange,
    /// No setting has this name, or the value is none of it.
    Setting,
    /// The budget, or who asks, does not allow it.
    NotAllowed,
    /// Nothing says what an answer may cost.
    NoPrice,
    /// The transaction failed before.
    FailedTransaction,
    /// No transaction is open.
    NoTransaction,
    /// Whoever asked called it off, or the time for it is over.
    Cancelled,
    /// Too much is asked at once.
    TooMany,
    /// Too many connections.
    TooManyConnections,
    /// Nobody may connect so.
    NotLetIn,
    /// There is no such database.
    NoDatabase,
    /// A message that does not belong here.
    Protocol,
    /// The server goes down.
    ShutDown,
    /// Nothing was said for too long.
    Idle,
    /// Something that should not happen.
    Internal,
}

impl Code {
    /// The five characters.
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

/// A refusal, as a client sees it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Failure {
    /// What kind it is.
    pub code: Code,
    /// What is wrong: one line.
    pub message: String,
    /// More about it.
    pub detail: Option<String>,
    /// What to do.
    pub hint: Option<String>,
    /// The character of the statement where it is, from 1.
    pub position: Option<usize>,
}

impl Failure {
    /// A refusal without more.
    #[must_use]
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), detail: None, hint: None, position: None }
    }

    /// What to do.
    #[must_use]
    pub fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }

    /// More about it.
    #[must_use]
    pub fn detail(self, detail: impl Into<String>) -> Self {
        Self { detail: Some(detail.into()), ..self }
    }

    /// As it is written; `fatal` ends the connection.
    pub(crate) fn info(&self, fatal: bool) -> ErrorInfo {
        let severity = if fatal { "FATAL" } else { "ERROR" };
        let mut info = ErrorInfo::new(severity.to_owned(), self.code.sqlstate().to_owned(), clean(&self.message));
        info.detail = self.detail.as_deref().map(clean);
        info.hint = self.hint.as_deref().map(clean);
        info.position = self.position.map(|position| position.to_string());
        info
    }
}

/// Something that is said beside an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// Whether it is a warning.
    pub is_warning: bool,
    /// One line.
    pub message: String,
    /// More about it.
    pub detail: Option<String>,
    /// What to do.
    pub hint: Option<String>,
}

impl Notice {
    /// Something to know.
    #[must_use]
    pub fn new(message: impl Into<String>) -> Self {
        Self { is_warning: false, message: message.into(), detail: None, hint: None }
    }

    /// Something to mind.
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

/// Texts of messages as terminals may show them: clients print them as they are, and parts of them were written by
/// others.
fn clean(text: &str) -> String {
    printable_lines(text).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reasons of approvers, names and SQL are parts of messages.
    #[test]
    fn messages_hold_no_control_characters() {
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
