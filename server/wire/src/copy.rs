//! Rows in the formats of `COPY`.

use crate::backend::Column;
use crate::failure::Failure;
use crate::statement::{CopyForm, CopyFormat};
use crate::values::{put_sized, to_binary};
use bytes::{BufMut, Bytes, BytesMut};

/// Header of binary COPY data: a signature, no flags, no extension.
const SIGNATURE: &[u8] = b"PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0";
const END: i16 = -1;

/// The messages of a copy, one for each row.
///
/// # Errors
/// When a value has no binary form.
pub fn messages(columns: &[Column], rows: &[Vec<Option<String>>], format: &CopyFormat) -> Result<Vec<Bytes>, Failure> {
    let mut messages = Vec::new();
    if format.form == CopyForm::Binary {
        for (at, row) in rows.iter().enumerate() {
            let mut out = BytesMut::new();
            if at == 0 {
                out.put_slice(SIGNATURE);
            }
            out.put_i16(i16::try_from(row.len()).unwrap_or(i16::MAX));
            for (value, column) in row.iter().zip(columns) {
                put_sized(value.as_deref(), &mut out, |text, out| to_binary(text, column.data_type, out))?;
            }
            messages.push(out.freeze());
        }
        let mut end = BytesMut::new();
        if rows.is_empty() {
            end.put_slice(SIGNATURE);
        }
        end.put_i16(END);
        messages.push(end.freeze());
        return Ok(messages);
    }
    if format.header {
        let names = columns.iter().map(|column| Some(column.name.as_str()));
        messages.push(line(names, format));
    }
    messages.extend(rows.iter().map(|row| line(row.iter().map(Option::as_deref), format)));
    Ok(messages)
}

fn line<'a>(values: impl Iterator<Item = Option<&'a str>>, format: &CopyFormat) -> Bytes {
    let value = |value: Option<&str>| match value {
        None => format.null.clone(),
        Some(text) if format.form == CopyForm::Csv => quoted(text, format),
        Some(text) => escaped(text, format.delimiter),
    };
    let values: Vec<String> = values.map(value).collect();
    Bytes::from(format!("{}\n", values.join(&format.delimiter.to_string())))
}

fn quoted(text: &str, format: &CopyFormat) -> String {
    let is_odd = |c: char| c == format.delimiter || "\"\r\n".contains(c);
    if text.contains(is_odd) || text == format.null || text == "\\." {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

fn escaped(text: &str, delimiter: char) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\\' => safe.push_str("\\\\"),
            '\n' => safe.push_str("\\n"),
            '\r' => safe.push_str("\\r"),
            '\t' => safe.push_str("\\t"),
            c if c == delimiter => safe.extend(['\\', c]),
            c => safe.push(c),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;
    use deniable_catalog::Type;

    fn copied(form: CopyForm, header: bool, null: &str) -> String {
        let column = |name: &str, data_type| Column { name: name.into(), data_type };
        let columns = [column("a,b", Type::TEXT), column("n", Type::INT8)];
        let text = |text: &str| Some(text.to_owned());
        let rows = [vec![text("x\ty\\"), text("1")], vec![text("say \"a, b\""), None], vec![text(""), text("2")]];
        let delimiter = if form == CopyForm::Csv { ',' } else { '\t' };
        let format = CopyFormat { form, header, delimiter, null: null.into() };
        let bytes: Vec<u8> = messages(&columns, &rows, &format).unwrap().concat();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    #[test]
    fn lines_match_postgresql() {
        assert_eq!(copied(CopyForm::Text, false, "\\N"), "x\\ty\\\\\t1\nsay \"a, b\"\t\\N\n\t2\n");
        assert_eq!(copied(CopyForm::Csv, true, ""), "\"a,b\",n\nx\ty\\,1\n\"say \"\"a, b\"\"\",\n\"\",2\n");
        let binary = copied(CopyForm::Binary, false, "");
        assert!(binary.starts_with("PGCOPY\n") && binary.ends_with('\u{fffd}'));
    }
}
