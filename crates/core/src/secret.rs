//! Secrets about a person.

use serde::{Deserialize, Serialize};

/// Secret about a person that a promise protects. Different secrets have different accounts of a ledger.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Secret {
    /// Whether the person is in the data.
    Membership,
    /// Whether the person is a case, of a person who is known to be in the data.
    Label,
}

impl Secret {
    /// The protected fact in words: a person is "in the data", or "a case".
    #[must_use]
    pub fn of_one(self) -> &'static str {
        match self {
            Self::Membership => "in the data",
            Self::Label => "a case",
        }
    }

    /// The same for several people.
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
