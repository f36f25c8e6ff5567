//! Parses one line of a program's output.

use crate::mechanism::{Cell, Outputs};

/// The form of an output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Number,
    Text,
    List,
}

impl Form {
    pub(super) fn words(self) -> &'static str {
        match self {
            Self::Number => "a number",
            Self::Text => "a string",
            Self::List => "a list",
        }
    }
}

/// Appends the output in a line; the error describes the line instead.
pub(super) fn output(line: &[u8], out: &mut Outputs) -> Result<Form, String> {
    let text = std::str::from_utf8(line).map_err(|_| "not UTF-8".to_owned())?.trim();
    let form = match text.as_bytes().first() {
        None => return Err("empty".to_owned()),
        Some(b'[') => {
            list(&text[1..], out)?;
            Form::List
        }
        Some(b'"') => {
            out.word(&word(text)?);
            Form::Text
        }
        Some(_) => {
            out.cell(number(text)?);
            Form::Number
        }
    };
    out.end();
    Ok(form)
}

/// Parses the text after the opening bracket.
fn list(mut rest: &str, out: &mut Outputs) -> Result<(), String> {
    rest = rest.trim_start();
    if rest == "]" {
        return Ok(());
    }
    loop {
        rest = rest.trim_start();
        let end =
            if rest.starts_with('"') { end_of_word(rest)? } else { rest.find([',', ']']).ok_or_else(unclosed)? };
        let entry = rest[..end].trim_end();
        if entry.starts_with('"') {
            out.word(&word(entry)?);
        } else {
            out.cell(number(entry)?);
        }
        rest = rest[end..].trim_start();
        match rest.as_bytes().first() {
            Some(b',') => rest = &rest[1..],
            Some(b']') if rest.len() == 1 => return Ok(()),
            Some(b']') => return Err("a list followed by other text".to_owned()),
            Some(_) => return Err("a list without a comma between two entries".to_owned()),
            None => return Err(unclosed()),
        }
    }
}

fn unclosed() -> String {
    "a list that is not closed".to_owned()
}

/// The index after the closing quote.
fn end_of_word(text: &str) -> Result<usize, String> {
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return Ok(at + 1),
            _ => {}
        }
    }
    Err("a string that is not closed".to_owned())
}

fn word(text: &str) -> Result<String, String> {
    serde_json::from_str(text).map_err(|_| "not a JSON string".to_owned())
}

fn number(text: &str) -> Result<Cell, String> {
    match text {
        "NaN" => return Ok(Cell::Number(f64::NAN)),
        "Infinity" => return Ok(Cell::Number(f64::INFINITY)),
        "-Infinity" => return Ok(Cell::Number(f64::NEG_INFINITY)),
        _ => {}
    }
    let nothing = || "neither a number, nor a string, nor a list of these".to_owned();
    // Rust parses more than JSON allows: a leading `+`, a bare point, `inf`.
    if !text.trim_start_matches('-').starts_with(|first: char| first.is_ascii_digit()) {
        return Err(nothing());
    }
    if let Ok(whole) = text.parse::<i64>() {
        return Ok(Cell::Integer(whole));
    }
    text.parse().map(Cell::Number).map_err(|_| nothing())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mechanism::Value;
    use proptest::prelude::*;

    fn read(line: &str) -> Result<(Form, Vec<Value>), String> {
        let mut out = Outputs::new();
        let form = output(line.as_bytes(), &mut out)?;
        assert_eq!(out.len(), 1);
        Ok((form, out.row(0).iter().map(|cell| Value::of(*cell, out.labels())).collect()))
    }

    #[test]
    fn all_forms() {
        let word = |text: &str| Value::Label(text.to_owned());
        assert_eq!(read("3\r"), Ok((Form::Number, vec![Value::Integer(3)])));
        assert_eq!(read("-0.1"), Ok((Form::Number, vec![Value::Number(-0.1)])));
        assert_eq!(read("1e300"), Ok((Form::Number, vec![Value::Number(1e300)])));
        assert_eq!(read("Infinity"), Ok((Form::Number, vec![Value::Number(f64::INFINITY)])));
        assert_eq!(read(r#""a \"b\" ä""#), Ok((Form::Text, vec![word("a \"b\" ä")])));
        assert_eq!(read("[]"), Ok((Form::List, vec![])));
        let mixed = vec![Value::Integer(1), word("a,]\""), Value::Number(2.5)];
        assert_eq!(read(r#" [1, "a,]\"" ,2.5 ] "#), Ok((Form::List, mixed)));
    }

    #[test]
    fn invalid_lines_are_described() {
        for (line, what) in [
            ("", "empty"),
            ("true", "neither a number, nor a string, nor a list of these"),
            ("+1", "neither a number, nor a string, nor a list of these"),
            ("1 2", "neither a number, nor a string, nor a list of these"),
            ("{}", "neither a number, nor a string, nor a list of these"),
            ("[1", "a list that is not closed"),
            ("[1,]", "neither a number, nor a string, nor a list of these"),
            ("[1] 2", "a list followed by other text"),
            ("[\"a\" 2]", "a list without a comma between two entries"),
            ("[\"a", "a string that is not closed"),
            ("\"a", "not a JSON string"),
            ("[[1]]", "neither a number, nor a string, nor a list of these"),
        ] {
            assert_eq!(read(line), Err(what.to_owned()), "{line}");
        }
        assert_eq!(output(&[0xff], &mut Outputs::new()), Err("not UTF-8".to_owned()));
    }

    proptest! {
        /// Every line is an output or is described as invalid; outputs are written back as the same cells.
        #[test]
        fn every_line_is_parsed_or_described(line in prop::collection::vec(prop_oneof![
            prop::sample::select(b"[],\"\\0123456789.eE+-naNIfity \t".to_vec()),
            any::<u8>(),
        ], 0..40)) {
            let mut out = Outputs::new();
            match output(&line, &mut out) {
                Ok(_) => prop_assert_eq!(out.len(), 1),
                Err(what) => prop_assert!(!what.is_empty() && what.len() < 200),
            }
        }
    }
}
