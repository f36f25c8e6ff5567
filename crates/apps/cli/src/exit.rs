//! Exit status of a command.

use std::process::ExitCode;

/// Exit status of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// Done; claims and requirements, if any, hold.
    Done,
    /// Refused or failed, or a claim is broken.
    Refused,
    /// The arguments were invalid.
    Usage,
    /// The certificate's witness is right, but its upper bound was not verified.
    Unchecked,
}

impl Exit {
    /// The exit code, 0 to 3.
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
