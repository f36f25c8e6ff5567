//! How a command ended.

use std::process::ExitCode;

/// How a command ended, as its exit code says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// Done; what was claimed or demanded holds.
    Done,
    /// Refused or failed, or a claim is broken.
    Refused,
    /// The words were no command.
    Usage,
    /// Right as far as it was looked at, which is not all.
    Unchecked,
}

impl Exit {
    /// The exit code.
    #[must_use]
    pub fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Refused => 1,
            Self::Usage => 2,
            Self::Unchecked => 3,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}
