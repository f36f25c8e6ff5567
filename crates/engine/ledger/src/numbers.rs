//! Noisy numbers in the ledger, at fixed width, so that the number of bytes written depends on the query alone (P-1).
//!
//! A number is written as its sign and 39 decimal digits, and ends with a space. Up to [`MOST_IN_ENTRY`] bytes are
//! stored in the entry. Longer ones are in a file of their own in the folder of answers, named by its first charge. The
//! file has its full length before the draw begins; the numbers overwrite it in place, and the entry holds the hash of
//! its bytes.

use crate::answer::{Form, MOST, MOST_IN_ENTRY, UnreadableAnswer, answers_file};
use crate::entry::{Drawn, DrawnInFile};
use crate::store::{self, StoreError};
use serde::{Deserialize, Serialize};
use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Separates the hashes of these files from every other use of the hash function.
const DOMAIN: &str = "deniable-ledger-v1 numbers file";
/// Bytes of a number.
const WIDTH: usize = 41;
/// Most numbers that can be stored.
pub const MOST_NUMBERS: usize = MOST as usize / WIDTH;

/// Stored noisy numbers, read on demand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Numbers {
    form: Form,
    content: Content,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Content {
    Entry(String),
    File { folder: Arc<Path>, file: NumbersFile },
}

/// A file of numbers in the folder of answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NumbersFile {
    /// The charge that names the file.
    pub charge: u64,
    /// The count of numbers.
    pub count: u64,
    /// The hash of its bytes, 64 hex digits.
    pub hash: String,
}

impl NumbersFile {
    fn name(charge: u64) -> String {
        format!("{charge}.numbers")
    }
}

impl Numbers {
    pub(crate) fn in_entry(drawn: Drawn) -> Self {
        Self { form: drawn.form, content: Content::Entry(drawn.numbers) }
    }

    pub(crate) fn in_file(drawn: DrawnInFile, folder: &Arc<Path>) -> Self {
        Self { form: drawn.form, content: Content::File { folder: folder.clone(), file: drawn.file } }
    }

    /// The form of the numbers.
    #[must_use]
    pub fn form(&self) -> &Form {
        &self.form
    }

    /// The file that holds the numbers; `None` if their entry holds them.
    #[must_use]
    pub fn file(&self) -> Option<PathBuf> {
        match &self.content {
            Content::Entry(_) => None,
            Content::File { folder, file } => Some(folder.join(NumbersFile::name(file.charge))),
        }
    }

    /// Reads and decodes the numbers.
    ///
    /// # Errors
    /// When their file is missing or differs from its hash, or the text is not numbers at fixed width.
    pub fn read(&self) -> Result<Vec<i128>, UnreadableAnswer> {
        match &self.content {
            Content::Entry(text) => decode(text.as_bytes()).ok_or(UnreadableAnswer::Numbers),
            Content::File { folder, file } => {
                let path = folder.join(NumbersFile::name(file.charge));
                let io = |source: std::io::Error| match source.kind() {
                    ErrorKind::NotFound | ErrorKind::NotADirectory => UnreadableAnswer::Missing(path.clone()),
                    _ => UnreadableAnswer::Io { path: path.clone(), source },
                };
                if file.count > MOST_NUMBERS as u64 {
                    return Err(UnreadableAnswer::Numbers);
                }
                let length = file.count * WIDTH as u64;
                let mut bytes = Vec::new();
                File::open(&path).map_err(io)?.take(length.saturating_add(1)).read_to_end(&mut bytes).map_err(io)?;
                if bytes.len() as u64 != length || hash(&bytes) != file.hash {
                    return Err(UnreadableAnswer::Changed(path));
                }
                decode(&bytes).ok_or(UnreadableAnswer::Numbers)
            }
        }
    }
}

/// Space for the numbers of a draw, allocated on disk before the draw begins.
pub(crate) struct Room {
    count: usize,
    file: Option<(u64, File, PathBuf)>,
}

/// The place of noisy numbers: within their entry, or in a file that the entry names.
pub(crate) enum NumbersLocation {
    Entry(String),
    File(NumbersFile),
}

impl Room {
    /// Allocates and syncs room for `count` numbers of a draw whose first charge is `charge`.
    ///
    /// # Errors
    /// When there is no space, or the numbers are more than an answer may have.
    pub fn allocate(ledger: &Path, charge: u64, count: usize) -> Result<Self, StoreError> {
        let bytes = count.saturating_mul(WIDTH);
        if count > MOST_NUMBERS {
            return Err(StoreError::Unstorable(crate::entry::EncodeError::TooLong));
        }
        if bytes <= MOST_IN_ENTRY {
            return Ok(Self { count, file: None });
        }
        let path = answers_file(ledger, &NumbersFile::name(charge))?;
        let io = |error| StoreError::io(&path, error);
        // A file of this name remains from a crash before its draw began, as no charge is drawn twice. It is removed
        // and not truncated, since it may be a link to another file.
        match std::fs::remove_file(&path) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(io(error)),
            _ => {}
        }
        let mut file = OpenOptions::new().create_new(true).write(true).open(&path).map_err(io)?;
        #[cfg(unix)]
        file.set_permissions(std::fs::metadata(ledger).map_err(io)?.permissions()).map_err(io)?;
        let line = [b'0'; WIDTH].repeat(1024);
        let mut left = bytes;
        while left > 0 {
            let some = left.min(line.len());
            file.write_all(&line[..some]).map_err(io)?;
            left -= some;
        }
        file.sync_all().map_err(io)?;
        store::sync_folder_of(&path)?;
        Ok(Self { count, file: Some((charge, file, path)) })
    }

    /// The largest size of the numbers' entry in the ledger's own file, in bytes.
    pub fn in_ledger(&self) -> usize {
        const REST: usize = 1 << 10;
        if self.file.is_some() { REST } else { self.count * WIDTH + REST }
    }

    /// Writes the numbers, durably if they are in a file.
    ///
    /// # Errors
    /// When their count differs from the allocated one, or they cannot be written.
    pub fn fill(self, numbers: &[i128]) -> Result<NumbersLocation, StoreError> {
        if numbers.len() != self.count {
            return Err(StoreError::Unstorable(crate::entry::EncodeError::OtherLength));
        }
        let text = encode(numbers);
        let Some((charge, mut file, path)) = self.file else { return Ok(NumbersLocation::Entry(text)) };
        let io = |error| StoreError::io(&path, error);
        std::io::Seek::rewind(&mut file).map_err(io)?;
        file.write_all(text.as_bytes()).map_err(io)?;
        file.sync_all().map_err(io)?;
        Ok(NumbersLocation::File(NumbersFile { charge, count: numbers.len() as u64, hash: hash(text.as_bytes()) }))
    }
}

fn encode(numbers: &[i128]) -> String {
    use std::fmt::Write as _;
    let mut text = String::with_capacity(numbers.len() * WIDTH);
    for number in numbers {
        // Writing into a string does not fail. The width is that of i128::MIN and i128::MAX.
        let _ = write!(text, "{number:+040} ");
    }
    text
}

fn decode(text: &[u8]) -> Option<Vec<i128>> {
    if !text.len().is_multiple_of(WIDTH) {
        return None;
    }
    let number = |field: &[u8]| {
        let digits = field.strip_suffix(b" ")?;
        let is_plain = matches!(digits.first(), Some(b'+' | b'-')) && digits[1..].iter().all(u8::is_ascii_digit);
        std::str::from_utf8(digits).ok().filter(|_| is_plain)?.parse().ok()
    };
    text.chunks(WIDTH).map(number).collect()
}

fn hash(bytes: &[u8]) -> String {
    blake3::Hasher::new_derive_key(DOMAIN).update(bytes).finalize().to_hex().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_numbers_have_one_width() {
        let numbers = [0, 1, -1, 10_i128.pow(38), i128::MIN, i128::MAX];
        let text = encode(&numbers);
        assert_eq!(text.len(), numbers.len() * WIDTH);
        assert_eq!(decode(text.as_bytes()).as_deref(), Some(&numbers[..]));
        assert_eq!(encode(&[-7]), format!("-{}7 ", "0".repeat(38)));
        assert_eq!(decode(b""), Some(Vec::new()));
    }

    #[test]
    fn other_texts_are_not_numbers() {
        let good = encode(&[12]);
        for bad in [&good[1..], &good.replace(' ', "0"), &good.replace('+', "0"), &good.replace("12", "1 "), "+1 "] {
            assert_eq!(decode(bad.as_bytes()), None, "{bad:?}");
        }
        // 39 digits beyond i128::MAX.
        assert_eq!(decode(format!("+{} ", "9".repeat(39)).as_bytes()), None);
    }

    #[test]
    fn room_takes_its_numbers_and_no_others() {
        let folder = tempfile::tempdir().unwrap();
        let ledger = folder.path().join("l");
        std::fs::write(&ledger, "").unwrap();
        for count in [1, MOST_IN_ENTRY / WIDTH, MOST_IN_ENTRY / WIDTH + 1, 5_000] {
            let room = Room::allocate(&ledger, 3, count).unwrap();
            let path = folder.path().join("l.answers/3.numbers");
            let before = std::fs::metadata(&path).map(|about| about.len()).ok();
            assert_eq!(before, (count * WIDTH > MOST_IN_ENTRY).then_some((count * WIDTH) as u64));
            let numbers: Vec<i128> = (0..count as i128).map(|number| number * number - 1).collect();
            let written = room.fill(&numbers).unwrap();
            assert_eq!(std::fs::metadata(&path).map(|about| about.len()).ok(), before);
            let NumbersLocation::File(file) = written else { continue };
            let drawn = DrawnInFile { drawing: 4, form: Form::new("sql", 1), file };
            let stored = Numbers::in_file(drawn, &path.parent().unwrap().into());
            assert_eq!(stored.read().unwrap(), numbers);
            std::fs::write(&path, "x").unwrap();
            assert!(matches!(stored.read(), Err(UnreadableAnswer::Changed(_))));
            std::fs::remove_file(&path).unwrap();
            assert!(matches!(stored.read(), Err(UnreadableAnswer::Missing(_))));
        }
        assert!(Room::allocate(&ledger, 3, 2).unwrap().fill(&[1]).is_err());
    }

    #[test]
    #[cfg(unix)]
    fn a_link_in_place_of_the_file_is_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let (ledger, other) = (folder.path().join("l"), folder.path().join("other"));
        std::fs::write(&ledger, "").unwrap();
        std::fs::write(&other, "mine").unwrap();
        std::fs::create_dir(folder.path().join("l.answers")).unwrap();
        std::os::unix::fs::symlink(&other, folder.path().join("l.answers/3.numbers")).unwrap();
        Room::allocate(&ledger, 3, 5_000).unwrap().fill(&[1; 5_000]).unwrap();
        assert_eq!(std::fs::read(&other).unwrap(), b"mine");
    }
}
