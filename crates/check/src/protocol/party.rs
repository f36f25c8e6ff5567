//! The two parties.

/// One of the two.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Party {
    /// Who has `x`.
    First,
    /// Who has `y`.
    Second,
}

impl Party {
    /// Both, in order.
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
