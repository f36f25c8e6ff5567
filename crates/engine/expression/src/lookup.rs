//! A value looked up in a fixed list: the county of a municipality.

use crate::value::Type;
use deniable_core::schema::Key;
use std::collections::BTreeMap;

/// A list that gives each of its keys one text. Whatever is not in it has none: the lookup is total, and gives NULL there.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Lookup {
    /// What is looked up, as queries call it.
    pub name: Box<str>,
    /// The list.
    pub entries: Entries,
}

/// Keys of one type, each with what it stands for.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Entries {
    /// Of texts.
    Texts(BTreeMap<Box<str>, Box<str>>),
    /// Of whole numbers.
    Integers(BTreeMap<i64, Box<str>>),
}

impl Entries {
    /// The type of its keys.
    #[must_use]
    pub fn kind(&self) -> Type {
        match self {
            Self::Texts(_) => Type::Text,
            Self::Integers(_) => Type::Integer,
        }
    }
}

impl Lookup {
    /// What is looked up for rows with a key of a column; NULL for a key that is not listed.
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
