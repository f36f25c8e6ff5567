//! What about a person is kept deniable.

use serde::{Deserialize, Serialize};

/// What about a person is kept deniable. Different secrets are different accounts of a ledger.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Secret {
    /// Whether the person is in the data.
    Membership,
    /// Whether the person is a case: what the data says of somebody who is known to be in it.
    Label,
}

impl Secret {
    /// What nobody may know of a person: they are "in the data", "a case".
    #[must_use]
    pub fn of_one(self) -> &'static str {
        match self {
            Self::Membership => "in the data",
            Self::Label => "a case",
        }
    }

    /// The same of several people.
    #[must_use]
    pub fn of_many(self) -> &'static str {
        match self {
            Self::Membership => "in the data",
            Self::Label => "cases",
        }
    }
}

impl std::fmt::Display for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Membership => "membership",
            Self::Label => "label",
        })
    }
}
