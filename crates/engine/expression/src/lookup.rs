//! Lookups of a value in a fixed list: the county of a municipality.

use crate::value::Type;
use deniable_core::schema::Key;
use std::collections::BTreeMap;

/// A list with one text for each key. The lookup is total: other values give NULL.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Lookup {
    /// The name of the result, as queries write it.
    pub name: Box<str>,
    /// The list.
    pub entries: Entries,
}

/// Keys of one type, each with its text.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Entries {
    /// Text keys.
    Texts(BTreeMap<Box<str>, Box<str>>),
    /// Integer keys.
    Integers(BTreeMap<i64, Box<str>>),
}

impl Entries {
    /// The type of the keys.
    #[must_use]
    pub fn kind(&self) -> Type {
        match self {
            Self::Texts(_) => Type::Text,
            Self::Integers(_) => Type::Integer,
        }
    }
}

impl Lookup {
    /// The text for a declared key, as a key; NULL for a key that is not listed.
    #[must_use]
    pub fn parent(&self, key: &Key) -> Key {
        let found = match (&self.entries, key) {
            (Entries::Texts(list), Key::Text(text)) => list.get(text.as_str()),
            (Entries::Integers(list), Key::Integer(number)) => list.get(number),
            (Entries::Texts(_) | Entries::Integers(_), _) => None,
        };
        found.map_or(Key::Null, |parent| Key::Text(parent.to_string()))
    }
}
