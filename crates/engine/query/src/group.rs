//! What is grouped by, and the keys that are shown.

use deniable_core::schema::Key;
use deniable_expression::Id;
use std::collections::BTreeMap;

/// A column or expression that is grouped by, with its keys in their natural order.
#[derive(Debug, Clone, PartialEq)]
pub struct Group {
    /// What is grouped by, in words.
    pub name: String,
    /// Its keys, as rows hold them.
    pub keys: Vec<Key>,
    /// The expression.
    pub value: Id,
    /// The number of keys at the end that count but are never shown: rows that the groups leave out, but a total beside
    /// them includes.
    pub hidden: usize,
    /// Shown texts by key; only where the group is a column itself.
    pub labels: BTreeMap<Key, String>,
}

impl Group {
    /// The text shown instead of a key; `None` where the key itself is shown.
    #[must_use]
    pub fn label(&self, key: &Key) -> Option<&str> {
        self.labels.get(key).map(String::as_str)
    }

    /// Whether values outside the keys are a shown group.
    #[must_use]
    pub fn takes_others(&self) -> bool {
        self.hidden == 0 && self.keys.contains(&Key::Other)
    }

    /// Whether rows of no shown group count in a total beside the groups.
    #[must_use]
    pub fn counts_left_out(&self) -> bool {
        self.hidden > 0
    }

    /// The keys as they are shown: times that are all midnights are days.
    #[must_use]
    pub fn shown(&self, key: &Key) -> Key {
        const DAY: i64 = 86_400_000_000;
        let midnight = |key: &Key| match key {
            Key::Timestamp(micros) => micros.rem_euclid(DAY) == 0,
            _ => true,
        };
        match key {
            Key::Timestamp(micros) if self.keys.iter().all(midnight) => {
                i32::try_from(micros.div_euclid(DAY)).map_or_else(|_| key.clone(), Key::Date)
            }
            other => other.clone(),
        }
    }
}
