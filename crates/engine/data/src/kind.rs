//! Detection of a file's format by its first bytes: only CSV and Parquet are read as such.
//!
//! Messages quote nothing of a file.

use super::meter::Meter;
use super::text;
use crate::error::SourceError;
use crate::files::DataFile;
use deniable_core::schema::CsvOptions;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::Arc;

/// Bytes inspected.
const LOOKED_AT: u64 = 64 << 10;
const PARQUET: &[u8] = b"PAR1";

/// First bytes of files in other formats, and the names of these formats.
const BEGINNINGS: [(&[u8], &str, &str); 21] = [
    (PARQUET, "Parquet", NAME_PARQUET),
    (b"PARE", "encrypted Parquet", "decrypt it first"),
    (b"PK\x03\x04", "a ZIP archive, as .xlsx and .ods are", SHEET),
    (b"PK\x05\x06", "an empty ZIP archive", SHEET),
    (b"PK\x07\x08", "a part of a ZIP archive", SHEET),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Office file, as .xls is", SHEET),
    (b"\x1f\x8b", "gzip", "give it the extension .gz, or state `compression = \"gzip\"` under [data.csv]"),
    (b"\x28\xb5\x2f\xfd", "zstd", "give it the extension .zst, or state `compression = \"zstd\"` under [data.csv]"),
    (b"BZh", "bzip2", UNPACK),
    (b"\xfd7zXZ\0", "xz", UNPACK),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive", UNPACK),
    (b"Rar!\x1a", "a RAR archive", UNPACK),
    (b"SQLite format 3\0", "an SQLite database", EXPORT),
    (b"%PDF-", "PDF", EXPORT),
    (b"ARROW1", "Arrow", EXPORT),
    (b"FEA1", "Feather", EXPORT),
    (b"Obj\x01", "Avro", EXPORT),
    (b"\x89HDF", "HDF5", EXPORT),
    (b"<stata_dta>", "a Stata file", EXPORT),
    (b"$FL2", "an SPSS file", EXPORT),
    (b"{\\rtf", "RTF", EXPORT),
];
const NAME_PARQUET: &str = "give it the extension .parquet, or state `format = \"parquet\"` under [data]";
const SHEET: &str = "save the sheet with the table as CSV (in UTF-8), or convert it to Parquet";
const UNPACK: &str = "unpack it, or pack it with gzip or zstd";
const EXPORT: &str = "export the table as CSV or Parquet";
const JSON: &str = "convert it to CSV or Parquet: a table has a line of names, and a line for each row";
const MARKUP: &str = "save the table as CSV or Parquet";
const UTF_16: &str =
    "save it in UTF-8, or state `encoding = \"UTF-16LE\"` (or \"UTF-16BE\") under [data.csv] in a policy of your own";

/// Rejects a file that is not CSV by its first bytes: decompressed and decoded as declared, it must be text, and
/// neither JSON nor a web page. To be called before any column is looked up.
///
/// # Errors
/// When it has another format, or cannot be read.
pub(crate) fn expect_csv(file: &DataFile, options: &CsvOptions) -> Result<(), SourceError> {
    expect(file, options, &|bytes| no_text(bytes, options))
}

/// Rejects a file of an evident other format, although the policy declares it as CSV. Contents that a row may have are
/// not rejected here: a control character within a text is a valid value.
///
/// # Errors
/// When it has another format, or cannot be read.
pub(crate) fn expect_no_other(file: &DataFile, options: &CsvOptions) -> Result<(), SourceError> {
    expect(file, options, &utf_16)
}

fn expect(
    file: &DataFile,
    options: &CsvOptions,
    no_text: &dyn Fn(&[u8]) -> Option<ForeignFormat>,
) -> Result<(), SourceError> {
    let unreadable = |error: std::io::Error| file.unreadable(&error);
    let other = |found, help| Err(SourceError::NotTable { path: file.path().to_owned(), found, wanted: "CSV", help });
    let mut bytes = Vec::new();
    // Before decoding, because a decoder of another encoding would hide the first bytes.
    if options.compression == deniable_core::schema::Compression::None {
        file.open().and_then(|file| file.take(LOOKED_AT).read_to_end(&mut bytes)).map_err(unreadable)?;
        if let Some((found, help)) = beginning(&bytes) {
            return other(found, help);
        }
        bytes.clear();
    }
    let meter = Arc::new(Meter::default());
    text::open(file, options, &meter)?.take(LOOKED_AT).read_to_end(&mut bytes).map_err(unreadable)?;
    match beginning(&bytes).or_else(|| no_text(&bytes)) {
        Some((found, help)) => other(found, help),
        None => Ok(()),
    }
}

/// Rejects a file that is not Parquet by its first and last bytes.
///
/// # Errors
/// When it has another format, or cannot be read.
pub fn expect_parquet(path: &Path) -> Result<(), SourceError> {
    let unreadable =
        |error: std::io::Error| SourceError::Unreadable { path: path.to_owned(), reason: error.to_string() };
    let mut file = File::open(path).map_err(unreadable)?;
    let mut first = Vec::new();
    (&mut file).take(64).read_to_end(&mut first).map_err(unreadable)?;
    let mut last = [0; 4];
    let end = file.seek(SeekFrom::End(-4)).and_then(|start| file.read_exact(&mut last).map(|()| start));
    // A file of fewer than eight bytes cannot contain both marks, so only its beginning is inspected.
    let is_long = first.starts_with(PARQUET) && end.map_err(unreadable)? >= 4;
    expect_parquet_ends(path, &first, if is_long { &last } else { &[] })
}

/// As [`expect_parquet`], given a file's first bytes and its last four.
pub(crate) fn expect_parquet_ends(path: &Path, first: &[u8], last: &[u8]) -> Result<(), SourceError> {
    let other = |found, help| Err(SourceError::NotTable { path: path.to_owned(), found, wanted: "Parquet", help });
    if !first.starts_with(PARQUET) {
        let (found, help) = beginning(first).unwrap_or((
            if first.is_empty() { "empty" } else { "something else" },
            "if it is CSV, give it the extension .csv, or state `format = \"csv\"` under [data]; otherwise export the table as Parquet",
        ));
        return other(found, help);
    }
    if last != PARQUET {
        return other("cut off, or damaged", "copy or write it again");
    }
    Ok(())
}

type ForeignFormat = (&'static str, &'static str);

fn beginning(bytes: &[u8]) -> Option<ForeignFormat> {
    let known = BEGINNINGS.iter().find(|(start, ..)| bytes.starts_with(start)).map(|(_, found, help)| (*found, *help));
    known.filter(|(found, _)| *found != "bzip2" || bytes.get(4..10) == Some(b"1AY&SY"))
}

/// Whether decoded bytes are more likely text in UTF-16.
fn utf_16(bytes: &[u8]) -> Option<ForeignFormat> {
    if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") {
        return Some(("text in UTF-16", UTF_16));
    }
    let zeros = bytes.iter().filter(|byte| **byte == 0).count();
    if zeros > 0
        && zeros >= bytes.len() / 3
        && bytes.iter().filter(|byte| byte.is_ascii_graphic()).count() >= bytes.len() / 4
    {
        return Some(("text in UTF-16, or no text", UTF_16));
    }
    None
}

/// The format of decoded bytes that are not lines of fields.
fn no_text(bytes: &[u8], options: &CsvOptions) -> Option<ForeignFormat> {
    if let Some(found) = utf_16(bytes) {
        return Some(found);
    }
    let zeros = bytes.iter().filter(|byte| **byte == 0).count();
    let odd = |byte: &&u8| byte.is_ascii_control() && !matches!(**byte, b'\t' | b'\n' | b'\r' | 0x0c | 0x1a);
    let controls =
        bytes.iter().filter(odd).filter(|byte| **byte != options.delimiter && options.quote != Some(**byte)).count();
    if zeros > 0 || controls > (bytes.len() / 32).max(2) {
        return Some(("no text", EXPORT));
    }
    let start = bytes.trim_ascii_start();
    let next = |at: usize| start.get(at..).unwrap_or_default().trim_ascii_start().first().copied();
    let is_json = match start.first() {
        Some(b'{') => matches!(next(1), Some(b'"' | b'\'' | b'}')),
        // A column name may be in brackets; a list contains values.
        Some(b'[') => {
            let literal = ["true", "false", "null"]
                .iter()
                .any(|word| start.get(1..).unwrap_or_default().trim_ascii_start().starts_with(word.as_bytes()));
            literal || matches!(next(1), Some(b'{' | b'[' | b'"' | b'\'' | b']' | b'-' | b'0'..=b'9'))
        }
        _ => false,
    };
    if is_json {
        return Some(("JSON", JSON));
    }
    // `<LOD` and `<5` are values: markup has closing tags.
    let line = start.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let markup = match line {
        [b'<', b'!' | b'?', ..] => true,
        [b'<', letter, ..] => {
            letter.is_ascii_alphabetic() && (line.contains(&b'>') || line.to_ascii_lowercase().starts_with(b"<html"))
        }
        _ => false,
    };
    markup.then_some(("HTML or XML", MARKUP))
}

#[cfg(test)]
mod tests {
    use super::*;
    use deniable_core::schema::Compression;

    fn found(bytes: &[u8], options: &CsvOptions) -> Option<&'static str> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t");
        std::fs::write(&path, bytes).unwrap();
        match expect_csv(&path.as_path().into(), options) {
            Ok(()) => None,
            Err(SourceError::NotTable { found, .. }) => Some(found),
            Err(error) => panic!("{error}"),
        }
    }

    #[test]
    fn csv_by_its_first_bytes() {
        let plain = CsvOptions::with_delimiter(b',');
        for (bytes, expected) in [
            (b"a,b\n1,2\n" as &[u8], None),
            (b"", None),
            (b"\xef\xbb\xbfa,b\r\n", None),
            (b"gr\xf6sse,b\n", None),
            (b"[id],[name]\n1,2\n", None),
            (b"<5,<LOD\n", None),
            (b"BZh,b\n", None),
            (b"\"{\"\"a\"\": 1}\",2\n", None),
            (b"  {\"a\": 1}", Some("JSON")),
            (b"\xef\xbb\xbf[{\"a\": 1}]", Some("JSON")),
            (b"[\n1, 2]", Some("JSON")),
            (b"[ null]", Some("JSON")),
            (b"{}", Some("JSON")),
            (b"<?xml version=\"1.0\"?><a/>", Some("HTML or XML")),
            (b"<!DOCTYPE html>", Some("HTML or XML")),
            (b"<table><tr>", Some("HTML or XML")),
            (b"PK\x03\x04\x14\0", Some("a ZIP archive, as .xlsx and .ods are")),
            (b"\x1f\x8b\x08\0", Some("gzip")),
            (b"BZh91AY&SY\0", Some("bzip2")),
            (b"SQLite format 3\0", Some("an SQLite database")),
            (b"%PDF-1.7", Some("PDF")),
            (b"PAR1", Some("Parquet")),
            (b"\xff\xfea\0,\0b\0", Some("text in UTF-16")),
            (b"a\0,\0b\0\n\0", Some("text in UTF-16, or no text")),
            (b"name,b\n\0\x01\x02", Some("no text")),
            (b"\x01\x02\x03\x04abc", Some("no text")),
        ] {
            assert_eq!(found(bytes, &plain), expected, "{}", bytes.escape_ascii());
        }
        let utf_16 = CsvOptions { encoding: "UTF-16LE".to_owned(), ..plain.clone() };
        assert_eq!(found(b"\xff\xfea\0,\0b\0", &utf_16), None);
        assert_eq!(found(b"\xff\xfe{\0\"\0", &utf_16), Some("JSON"));
        assert_eq!(found(b"PK\x03\x04", &utf_16), Some("a ZIP archive, as .xlsx and .ods are"));
        let latin = CsvOptions { encoding: "windows-1252".to_owned(), ..plain.clone() };
        assert_eq!(found(b"\x1f\x8b\x08", &latin), Some("gzip"));
        // A declared delimiter is not evidence of binary data.
        assert_eq!(found(b"a\x01b\x01c\n", &CsvOptions::with_delimiter(1)), None);
        let zstd = |bytes: &[u8]| zstd::stream::encode_all(bytes, 0).unwrap();
        let packed = CsvOptions { compression: Compression::Zstd, ..plain };
        assert_eq!(found(&zstd(b"a,b\n"), &packed), None);
        assert_eq!(found(&zstd(b"{\"a\": 1}"), &packed), Some("JSON"));
        assert_eq!(found(&zstd(&zstd(b"a")), &packed), Some("zstd"));
    }

    #[test]
    fn parquet_by_both_ends() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.parquet");
        let found = |bytes: &[u8]| {
            std::fs::write(&path, bytes).unwrap();
            match expect_parquet(&path) {
                Ok(()) => None,
                Err(SourceError::NotTable { found, .. }) => Some(found),
                Err(error) => panic!("{error}"),
            }
        };
        assert_eq!(found(b"PAR1 and so on PAR1"), None);
        assert_eq!(found(b"PAR1"), Some("cut off, or damaged"));
        assert_eq!(found(b"PAR1 and so on"), Some("cut off, or damaged"));
        assert_eq!(found(b"PK\x03\x04"), Some("a ZIP archive, as .xlsx and .ods are"));
        assert_eq!(found(b"a,b\n"), Some("something else"));
        assert_eq!(found(b""), Some("empty"));
    }
}
