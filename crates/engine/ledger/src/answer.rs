//! Stored answers: in their entry, or, if they are large, compressed in a file beside the ledger.
//!
//! A file is named by the hash of its bytes, and its entry holds that hash and the length of the text in it. It is on
//! disk before the entry is: an entry without its file was damaged or copied without it, and a file without an entry
//! remains from a crash. Decompression begins after the hash was compared, and stops at the length that the entry
//! states.

mod file;

pub use file::AnswerFile;
pub(crate) use file::{answers_file, folder, strays};

use crate::entry::{Answered, AnsweredInFile, EncodeError, Event};
use crate::store::StoreError;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Answers of more bytes than this are kept in files of their own.
pub const MOST_IN_ENTRY: usize = 64 << 10;
/// Most bytes of an answer: the most that SQLite would store in an entry.
pub const MOST: u64 = 1_000_000_000;

/// The form of a stored answer: its kind and version, as in `sql/1`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Form {
    kind: Cow<'static, str>,
    version: u32,
}

impl Form {
    /// A form for writing.
    #[must_use]
    pub const fn new(kind: &'static str, version: u32) -> Self {
        Self { kind: Cow::Borrowed(kind), version }
    }
}

impl std::fmt::Display for Form {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.kind, self.version)
    }
}

impl Serialize for Form {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Form {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let of = |(kind, version): (&str, &str)| {
            let plain = !kind.is_empty() && kind.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-');
            let form = Self { kind: Cow::Owned(kind.to_owned()), version: version.parse().ok()? };
            // One form has one spelling.
            (plain && form.to_string() == text).then_some(form)
        };
        let form = text.split_once('/').and_then(of);
        form.ok_or_else(|| D::Error::custom(format!("{text:?} is not a form of an answer, such as sql/1")))
    }
}

/// An answer as JSON text, validated when it is stored and parsed when it is read.
#[derive(Debug, Clone)]
pub struct Json(Arc<RawValue>);

impl PartialEq for Json {
    fn eq(&self, other: &Self) -> bool {
        self.0.get() == other.0.get()
    }
}

impl Serialize for Json {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self(Box::<RawValue>::deserialize(deserializer)?.into()))
    }
}

impl Json {
    /// JSON text that reads back as the same value.
    ///
    /// # Errors
    /// When the text reads back as another value.
    pub fn of(value: &Value) -> Result<Self, EncodeError> {
        let text = serde_json::value::to_raw_value(value)?;
        if serde_json::from_str::<Value>(text.get())? == *value {
            Ok(Self(text.into()))
        } else {
            Err(EncodeError::Altered)
        }
    }
}

/// A stored answer, parsed when it is read.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredAnswer {
    form: Form,
    content: Content,
}

#[derive(Debug, Clone, PartialEq)]
enum Content {
    Entry(Json),
    File { folder: Arc<Path>, file: AnswerFile },
}

/// The reason why a stored answer cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum UnreadableAnswer {
    /// The file is missing.
    #[error(
        "{0} is missing: the folder of large answers belongs to the ledger and is copied with it; restore it from the same \
         backup"
    )]
    Missing(PathBuf),
    /// The file has other bytes.
    #[error("{0} is not the file that was stored: its bytes were changed; restore it from a backup")]
    Changed(PathBuf),
    /// The stored file holds a text of another length than its entry states.
    #[error(
        "{path} does not hold the {bytes} bytes that its entry states; restore the ledger and the file from one backup"
    )]
    Length {
        /// The file.
        path: PathBuf,
        /// The length that the entry states.
        bytes: u64,
    },
    /// Text that is not numbers at fixed width.
    #[error("the stored numbers cannot be read; restore the ledger from a backup")]
    Numbers,
    /// The text is not JSON that can be parsed.
    #[error("the stored answer cannot be read: {0}; restore the ledger from a backup")]
    Json(#[from] serde_json::Error),
    /// The operating system.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        source: std::io::Error,
    },
}

impl StoredAnswer {
    /// An answer in its own entry.
    pub(crate) fn in_entry(answered: Answered) -> Self {
        Self { form: answered.form, content: Content::Entry(answered.answer) }
    }

    /// An answer whose entry names a file in the folder of answers.
    pub(crate) fn in_file(answered: AnsweredInFile, folder: &Arc<Path>) -> Self {
        let content = Content::File { folder: folder.clone(), file: answered.file };
        Self { form: answered.form, content }
    }

    /// The form of the answer.
    #[must_use]
    pub fn form(&self) -> &Form {
        &self.form
    }

    /// The file that holds the answer; `None` if the entry holds it.
    #[must_use]
    pub fn file(&self) -> Option<PathBuf> {
        match &self.content {
            Content::Entry(_) => None,
            Content::File { folder, file } => Some(folder.join(file.name())),
        }
    }

    /// Loads and parses the answer, at every call; callers should keep the result.
    ///
    /// # Errors
    /// When its file is missing or changed, or the text cannot be parsed.
    pub fn read(&self) -> Result<Value, UnreadableAnswer> {
        match &self.content {
            Content::Entry(json) => Ok(serde_json::from_str(json.0.get())?),
            Content::File { folder, file } => Ok(serde_json::from_slice(&file.read(folder)?)?),
        }
    }
}

/// An answer that is about to be stored: rendered once, and compressed if it is large.
pub(crate) struct Draft {
    form: Form,
    text: Json,
    packed: Option<(AnswerFile, Vec<u8>)>,
}

impl Draft {
    /// Renders an answer.
    ///
    /// # Errors
    /// When it would read back as another value, or is too long.
    pub fn of(form: &Form, answer: &Value) -> Result<Self, EncodeError> {
        let text = Json::of(answer)?;
        let bytes = text.0.get().as_bytes();
        let packed = if bytes.len() > MOST_IN_ENTRY { Some(AnswerFile::of(bytes)?) } else { None };
        Ok(Self { form: form.clone(), text, packed })
    }

    /// Writes the file of a large answer, durably; to be called under the ledger's lock, and before the entry is
    /// written.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn keep(&self, ledger: &Path) -> Result<(), StoreError> {
        let Some((file, packed)) = &self.packed else { return Ok(()) };
        file.write(ledger, packed)
    }

    /// The event that records the answer.
    pub fn event(self, charge: u64) -> Event {
        let Self { form, text, packed } = self;
        match packed {
            None => Event::Answered(Answered { charge, form, answer: text }),
            Some((file, _)) => Event::AnsweredInFile(AnsweredInFile { charge, form, file }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn forms_have_one_spelling() {
        let form = Form::new("sql", 1);
        assert_eq!(serde_json::to_string(&form).unwrap(), "\"sql/1\"");
        assert_eq!(serde_json::from_str::<Form>("\"sql/1\"").unwrap(), form);
        for bad in ["sql", "sql/", "/1", "sql/01", "sql/-1", "sql/1/2", "SQL/1", "sql /1", "sql/1 ", "sql/99999999999"]
        {
            assert!(serde_json::from_str::<Form>(&json!(bad).to_string()).is_err(), "{bad}");
        }
    }

    #[test]
    fn numbers_read_back_to_the_last_bit() {
        for value in [0.1 + 0.2, 1e-310, f64::MAX, 55.508_509_508_150_09] {
            let answer = json!([value, u64::MAX, i64::MIN]);
            let event = Draft::of(&Form::new("sql", 1), &answer).unwrap().event(1);
            let Event::Answered(answered) = Event::decode(event.kind(), &event.encode().unwrap()).unwrap() else {
                panic!("{event:?}")
            };
            assert_eq!(StoredAnswer::in_entry(answered).read().unwrap(), answer);
        }
    }
}
