//! The two parties.

/// One of the two parties of a protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Party {
    /// The party whose input is `x`.
    First,
    /// The party whose input is `y`.
    Second,
}

impl Party {
    /// Both parties, the first one first.
    pub const BOTH: [Self; 2] = [Self::First, Self::Second];

    pub(super) fn place(self) -> usize {
        match self {
            Self::First => 0,
            Self::Second => 1,
        }
    }

    pub(super) fn other(self) -> Self {
        match self {
            Self::First => Self::Second,
            Self::Second => Self::First,
        }
    }
}
