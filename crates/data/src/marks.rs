//! What can be told of rows elsewhere before they are read: by it a registered version is known again at little cost.
//!
//! Files of this machine have no marks: they are read whole and compared by their contents. What lies elsewhere is compared by
//! its marks before anything is charged, and by its contents while it is read (V-1).

use crate::Source;
use crate::error::SourceError;

/// Between the marks and the contents of a fingerprint that has both. Neither has it: both are hexadecimal.
const BETWEEN: char = '.';

/// A registered fingerprint, taken apart. It is for comparison only, and never shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Registered<'a> {
    /// A keyed hash of what can be compared without reading rows; `None` for files of this machine and rows in memory.
    pub marks: Option<&'a str>,
    /// A keyed hash of the contents.
    pub contents: &'a str,
}

impl<'a> Registered<'a> {
    /// The parts of a fingerprint, as [`Source::fingerprint`] writes it.
    #[must_use]
    pub fn of(fingerprint: &'a str) -> Self {
        match fingerprint.split_once(BETWEEN) {
            Some((marks, contents)) => Self { marks: Some(marks), contents },
            None => Self { marks: None, contents: fingerprint },
        }
    }
}

/// The fingerprint of rows with marks.
#[must_use]
pub fn with_marks(marks: &str, contents: &str) -> String {
    format!("{marks}{BETWEEN}{contents}")
}

impl Source {
    /// A keyed hash of what can be told of the rows before they are read: `None` where only reading them tells, as for files of
    /// this machine.
    ///
    /// # Errors
    /// When what lies elsewhere cannot be reached.
    pub fn marks(&self, _key: &[u8; 32]) -> Result<Option<String>, SourceError> {
        Ok(None)
    }

    /// Whether the rows are those of a registered fingerprint, as far as can be told before a charge: by their marks, where they
    /// have some, and else by their contents.
    ///
    /// # Errors
    /// When the rows cannot be reached or read.
    pub fn is_registered(&self, fingerprint: &str, key: &[u8; 32]) -> Result<bool, SourceError> {
        Ok(match self.marks(key)? {
            Some(marks) => Registered::of(fingerprint).marks == Some(marks.as_str()),
            None => self.fingerprint(key)? == fingerprint,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fingerprints_are_taken_apart_as_they_are_put_together() {
        assert_eq!(Registered::of("f00d"), Registered { marks: None, contents: "f00d" });
        assert_eq!(Registered::of(&with_marks("beef", "f00d")), Registered { marks: Some("beef"), contents: "f00d" });
    }
}
