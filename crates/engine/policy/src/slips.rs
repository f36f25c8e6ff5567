//! The fix for frequent slips in TOML, for which the parser has only its own words. Each is recognised by the text of the
//! line.

use deniable_core::exact::parse_rational;
use deniable_core::text::shown;
use std::ops::Range;

/// The fix for a text that is not TOML, from the place where the parser stopped; empty if none is known.
pub(crate) fn help(source: &str, span: &Range<usize>) -> String {
    let at = span.start.min(source.len());
    let start = source.get(..at).and_then(|before| before.rfind('\n')).map_or(0, |end| end + 1);
    let line = source.get(start..).and_then(|rest| rest.lines().next()).unwrap_or_default();
    let earlier = source.get(..start).unwrap_or_default();
    let stopped = at - start;
    if line.contains(['“', '”', '„', '‘', '’']) {
        return "write straight quotes, as in \"visits\": an editor has curled them".to_owned();
    }
    let header = line.trim();
    if header.starts_with('[') && !header.contains('=') {
        return of_header(header, earlier);
    }
    let Some((key, value)) = line.split_once('=').map(|(key, value)| (key.trim(), value.trim())) else {
        return of_no_value(line);
    };
    of_key(key, earlier).or_else(|| of_value(value, line, stopped)).unwrap_or_else(|| {
        let text = source.get(span.clone()).map_or("", str::trim);
        if parse_rational(text).is_ok() { format!("write it in quotes: \"{text}\"") } else { String::new() }
    })
}

/// A line in brackets.
fn of_header(header: &str, earlier: &str) -> String {
    let Some((inside, rest)) = header.trim_start_matches('[').split_once(']') else {
        return "close the bracket".to_owned();
    };
    if !rest.trim_start_matches(']').trim().is_empty() && !rest.trim_start_matches(']').trim().starts_with('#') {
        return format!("write [{}] on a line of its own", shown(inside));
    }
    if !header.starts_with("[[") && earlier.lines().any(|line| line.trim() == header) {
        return format!("{} is there already: put all its keys under the first one", shown(header));
    }
    let parts: Vec<String> = inside.split('.').map(|part| quoted_if_needed(part.trim())).collect();
    let written = parts.join(".");
    if written == inside { String::new() } else { format!("write [{}]: such names need quotes", shown(&written)) }
}

fn quoted_if_needed(key: &str) -> String {
    let is_plain = key.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_');
    if is_plain || key.starts_with(['"', '\'']) { key.to_owned() } else { format!("\"{key}\"") }
}

/// A line without `=`.
fn of_no_value(line: &str) -> String {
    match line.trim().split_once(':') {
        Some((key, value)) => format!("write {} = {}", shown(key.trim()), shown(value.trim())),
        None => String::new(),
    }
}

fn of_key(key: &str, earlier: &str) -> Option<String> {
    let written = quoted_if_needed(key);
    if written != key && !key.contains(['.', '{', '[']) {
        return Some(format!("write {} = ...: such names need quotes", shown(&written)));
    }
    let section = earlier.rsplit('\n').take_while(|line| !line.trim_start().starts_with('['));
    let same = |line: &str| line.split_once('=').is_some_and(|(known, _)| known.trim() == key);
    section.into_iter().any(same).then(|| format!("`{}` has a value already: keep one of the two lines", shown(key)))
}

fn of_value(value: &str, line: &str, stopped: usize) -> Option<String> {
    let quotes = value.replace("\\\"", "").matches('"').count();
    let is_text = value.starts_with('"') && !value.starts_with("\"\"\"");
    if is_text && value.contains('\\') {
        return Some(
            "in double quotes \\ begins an escape: write the text in single quotes, as 'C:\\data\\visits.csv'"
                .to_owned(),
        );
    }
    if is_text && quotes > 2 {
        return Some(
            "a quote inside ends the text: write it between three quotes, as \"\"\"SELECT \"day\" FROM visits\"\"\""
                .to_owned(),
        );
    }
    if is_text && quotes == 1 {
        return Some("close the text with a quote; between three quotes (\"\"\") it may have several lines".to_owned());
    }
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if let Some((whole, part)) = value.split_once(',')
        && is_digits(whole)
        && is_digits(part)
    {
        return Some(format!("write a decimal point: {whole}.{part}"));
    }
    let is_day = |word: &str| word.split(['.', '/']).filter(|part| is_digits(part)).count() == 3;
    if value.split([' ', ',', '[', ']']).any(is_day) {
        return Some("write days as \"2024-12-31\", in quotes".to_owned());
    }
    if value.starts_with(['[', '{']) {
        let before = line.get(..stopped).unwrap_or_default().trim_end();
        let is_value =
            before.ends_with(|c: char| c == '"' || c == '\'' || c == ']' || c == '}' || c.is_ascii_alphanumeric());
        return is_value.then(|| "write a comma between two values".to_owned());
    }
    let lower = value.to_lowercase();
    if lower != value && (lower == "true" || lower == "false") {
        return Some(format!("write {lower}"));
    }
    let is_word = value.starts_with(|c: char| c.is_alphabetic() || c == '/' || c == '.');
    (is_word && quotes == 0 && !value.contains('\'')).then(|| format!("write it in quotes: \"{}\"", shown(value)))
}

#[cfg(test)]
mod tests {
    use crate::Policy;
    use std::path::Path;

    fn told(text: &str) -> String {
        let text = format!("name = \"n\"\npopulation = \"p\"\n{text}\n");
        let errors = Policy::parse(Path::new("p.toml"), &text).unwrap_err();
        errors.errors()[0].help.clone().unwrap_or_default()
    }

    #[test]
    fn frequent_slips_have_a_fix() {
        for (text, fix) in [
            ("[data]\npath = \"C:\\data\\visits.csv\"", "single quotes"),
            ("[data]\ntable = “t”", "straight quotes"),
            ("[promise]\nposterior_at_most = 0,75", "0.75"),
            ("[columns.sex]\nkeys = [\"F\" \"M\"]", "a comma"),
            ("entity = { key = \"p\" rows_per_group = 3 }", "a comma"),
            ("[columns.Größe]\ntype = \"integer\"", "[columns.\"Größe\"]"),
            ("[columns]\nGröße = { type = \"integer\" }", "\"Größe\" ="),
            ("[[query]]\nsql = \"SELECT \"day\" FROM t\"", "three quotes"),
            ("[data]\ntable = \"t\"\n[data]\npath = \"x\"", "[data] is there already"),
            ("name = \"m\"", "`name` has a value already"),
            ("[data]\ntable = visits", "\"visits\""),
            ("[data]\npath = /data/visits.csv", "\"/data/visits.csv\""),
            ("[data]\ntable = \"t\npath = \"x\"", "close the text"),
            ("[columns.a]\nnull_key = True", "write true"),
            ("[data];\ntable = \"t\"", "a line of its own"),
            ("[columns.d]\nbounds = [01.01.2020, 31.12.2020]", "\"2024-12-31\""),
            ("[budget]\nspend = 1/2", "\"1/2\""),
            ("ledger: \"l\"", "ledger = \"l\""),
        ] {
            let help = told(text);
            assert!(help.contains(fix), "{text}: {help:?}");
        }
    }
}
