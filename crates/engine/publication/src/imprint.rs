//! The title, the publisher and the labels of a publication: facts for readers that do not affect any number.

use serde::{Deserialize, Serialize};

/// Facts about a publication, each one line in the publisher's words.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Imprint {
    /// The title.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The publisher.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub publisher: Option<String>,
    /// The period that the data are about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub period: Option<String>,
    /// The origin of the data.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// The meaning of one row of the data, such as "visits".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// An address for questions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contact: Option<String>,
    /// The terms under which it may be used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub licence: Option<String>,
    /// When the next publication is due.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_release: Option<String>,
}

impl Imprint {
    /// Whether nothing is stated.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The stated facts but the title, with their names, in the order in which they are shown.
    pub fn facts(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let all = [
            ("publisher", &self.publisher),
            ("period", &self.period),
            ("source", &self.source),
            ("unit", &self.unit),
            ("contact", &self.contact),
            ("licence", &self.licence),
            ("next release", &self.next_release),
        ];
        all.into_iter().filter_map(|(name, fact)| Some((name, fact.as_deref()?)))
    }
}

/// The words above a column of an answer, for readers.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Heading {
    /// The label in place of the column's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// The unit of its values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
}

impl Heading {
    /// Whether nothing is stated.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The heading of a column of this name: `label (unit)`.
    #[must_use]
    pub fn text(&self, name: &str) -> String {
        let label = self.label.as_deref().unwrap_or(name);
        self.unit.as_ref().map_or_else(|| label.to_owned(), |unit| format!("{label} ({unit})"))
    }
}
