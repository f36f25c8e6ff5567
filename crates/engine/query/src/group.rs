//! Groups: the GROUP BY expressions of a query and their keys.

use deniable_core::schema::Key;
use deniable_expression::Id;
use std::collections::BTreeMap;

/// A GROUP BY column or expression, with its keys in their natural order.
#[derive(Debug, Clone, PartialEq)]
pub struct Group {
    /// The column's name, or the expression in words.
    pub name: String,
    /// The keys, as rows contain them.
    pub keys: Vec<Key>,
    /// Number of keys that are shown without the conditions of WHERE, which may leave fewer (S-ONE).
    pub declared: usize,
    /// The expression.
    pub value: Id,
    /// The number of keys at the end that count but are never shown: they hold the rows that the groups leave out and
    /// that a total beside the groups includes.
    pub hidden: usize,
    /// Shown texts by key; empty unless the group is a plain column.
    pub labels: BTreeMap<Key, String>,
}

impl Group {
    /// The text shown instead of a key; `None` where the key itself is shown.
    #[must_use]
    pub fn label(&self, key: &Key) -> Option<&str> {
        self.labels.get(key).map(String::as_str)
    }

    /// Whether values outside the keys form a shown group.
    #[must_use]
    pub fn takes_others(&self) -> bool {
        self.hidden == 0 && self.keys.contains(&Key::Other)
    }

    /// Whether rows outside the shown groups count in a total beside the groups.
    #[must_use]
    pub fn counts_left_out(&self) -> bool {
        self.hidden > 0
    }

    /// A key as it is shown: timestamps that are all midnights become dates.
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
