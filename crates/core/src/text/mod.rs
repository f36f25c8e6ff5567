//! Untrusted text in messages: escapes for terminals, pages and spreadsheets, and suggestions for typos.

pub mod grid;
mod paragraph;

pub use paragraph::push_paragraph;

use crate::exact::{Rational, whole};
use std::borrow::Cow;
use std::fmt::Write;
use std::ops::Range;

/// Whether a character is invisible or changes the display of others: controls (C0, DEL, C1), line and paragraph
/// separators, and characters that Unicode lets a display ignore, among them the marks of text direction, zero-width
/// spaces and joiners, the byte order mark and tags. Variation selectors are not hidden: they turn the preceding
/// character into an emoji.
#[must_use]
pub const fn is_hidden(c: char) -> bool {
    matches!(
        c,
        '\0'..='\u{1f}'
            | '\u{7f}'..='\u{9f}'
            | '\u{ad}'
            | '\u{34f}'
            | '\u{61c}'
            | '\u{115f}'..='\u{1160}'
            | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{3164}'
            | '\u{feff}'
            | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}'
            | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}'
    )
}

/// Bytes as lower-case hexadecimal digits.
#[must_use]
pub fn hexadecimal(bytes: &[u8]) -> String {
    let mut digits = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        // Writing to a `String` does not fail.
        let _ = write!(digits, "{byte:02x}");
    }
    digits
}

/// The text with every [hidden](is_hidden) character as a visible escape, such as `\u{1b}`. Safe for a terminal, a page
/// and a table cell, and on one line; other text is unchanged, so the function is idempotent.
#[must_use]
pub fn printable(text: &str) -> Cow<'_, str> {
    escaped(text, |_| false)
}

/// The same for a text of several lines: line breaks and tabs are kept.
#[must_use]
pub fn printable_lines(text: &str) -> Cow<'_, str> {
    escaped(text, |c| matches!(c, '\n' | '\t'))
}

fn escaped(text: &str, spared: impl Fn(char) -> bool) -> Cow<'_, str> {
    let seen = |c: char| !is_hidden(c) || spared(c);
    let Some(first) = text.find(|c| !seen(c)) else { return Cow::Borrowed(text) };
    let (before, after) = text.split_at(first);
    let mut safe = String::with_capacity(text.len() + 16);
    safe.push_str(before);
    for c in after.chars() {
        if seen(c) { safe.push(c) } else { safe.extend(c.escape_default()) }
    }
    Cow::Owned(safe)
}

/// A source, of settings or of SQL, with possible passwords and keys masked byte by byte, so that offsets stay valid:
/// the value of the key `connect` unless it names an environment variable, and in URLs the parts before an `@` and
/// after a `?`.
#[must_use]
pub fn without_secrets(text: &str) -> Cow<'_, str> {
    if !text.contains("connect") && !text.contains("://") {
        return Cow::Borrowed(text);
    }
    let mut is_secret = vec![false; text.len()];
    for stretch in secrets_of_urls(text).into_iter().chain(addresses(text)) {
        is_secret[stretch].fill(true);
    }
    let hidden = |(at, c): (usize, char)| {
        let (shown, times) = if is_secret[at] { ('*', c.len_utf8()) } else { (c, 1) };
        std::iter::repeat_n(shown, times)
    };
    Cow::Owned(text.char_indices().flat_map(hidden).collect())
}

/// Of each word that contains a URL, everything up to the last `@` and everything from the first `?`. Linear in the text: SQL comes from
/// analysts.
fn secrets_of_urls(text: &str) -> Vec<Range<usize>> {
    let (mut all, mut from) = (Vec::new(), 0);
    while let Some(start) = text[from..].find("://").map(|at| from + at + 3) {
        let end = text[start..].find(['"', '\'', '\n', ' ']).map_or(text.len(), |at| start + at);
        all.extend(text[start..end].rfind('@').map(|at| start..start + at));
        all.extend(text[start..end].find('?').map(|at| start + at..end));
        from = end;
    }
    all
}

/// The values of the keys `connect`, to the end of their last line.
fn addresses(text: &str) -> Vec<Range<usize>> {
    let (mut all, mut from) = (Vec::new(), 0);
    while from < text.len() {
        let line_end = |at: usize| text[at..].find('\n').map_or(text.len(), |end| at + end + 1);
        let end = line_end(from);
        let Some(start) = address(&text[from..end]).map(|at| from + at) else {
            from = end;
            continue;
        };
        let value = text[start..].trim_start();
        let opened = text.len() - value.len() + 3;
        let quotes = ["\"\"\"", "'''"].into_iter().find(|quotes| value.starts_with(quotes));
        let end =
            quotes.map_or(end, |quotes| line_end(text[opened..].find(quotes).map_or(text.len(), |at| opened + at)));
        if value.trim_start_matches(['"', '\'']).starts_with("env:") {
            // Another key may follow in this line.
            from = start;
            continue;
        }
        all.push(start..start + text[start..end].trim_end().len());
        from = end;
    }
    all
}

/// The offset of the value of the key `connect` in a line, if the key is where TOML has keys: at the start of the line,
/// or after a brace, a comma or a dot. A column of SQL with this name is rarely there.
fn address(line: &str) -> Option<usize> {
    line.match_indices("connect").find_map(|(at, key)| {
        let before = line[..at].trim_end_matches(['"', '\'']).trim_end();
        let after = line[at + key.len()..].trim_start_matches(['"', '\'']).trim_start();
        (after.starts_with('=') && (before.is_empty() || before.ends_with(['{', ',', '.'])))
            .then(|| line.len() - after.len() + 1)
    })
}

/// A source of several lines as it can be shown, with the converted `stretch`. CRLF becomes LF.
#[must_use]
pub fn printable_source(text: &str, stretch: Range<usize>) -> (String, Range<usize>) {
    let mut safe = String::with_capacity(text.len());
    let (mut start, mut end) = (None, None);
    for (at, c) in text.char_indices() {
        for (place, found) in [(stretch.start, &mut start), (stretch.end, &mut end)] {
            if at >= place {
                found.get_or_insert(safe.len());
            }
        }
        let is_break = c == '\r' && text.get(at + 1..).is_some_and(|rest| rest.starts_with('\n'));
        if !is_break {
            safe.push_str(&printable_lines(c.encode_utf8(&mut [0; 4])));
        }
    }
    let start = start.unwrap_or(safe.len());
    let end = end.unwrap_or(safe.len()).max(start);
    (safe, start..end)
}

/// JSON with [hidden](is_hidden) characters escaped in JSON's notation, `\u202e`: the same value. They occur only in
/// its strings, because JSON's own whitespace is ASCII.
#[must_use]
pub fn printable_json(json: &str) -> Cow<'_, str> {
    let kept = |c: char| !is_hidden(c) || matches!(c, '\n' | '\r' | '\t');
    if json.chars().all(kept) {
        return Cow::Borrowed(json);
    }
    let mut safe = String::with_capacity(json.len() + 16);
    for c in json.chars() {
        if kept(c) {
            safe.push(c);
        } else {
            for unit in c.encode_utf16(&mut [0; 2]) {
                // Writing to a `String` does not fail.
                let _ = write!(safe, "\\u{unit:04x}");
            }
        }
    }
    Cow::Owned(safe)
}

/// A text as a cell of CSV or TSV that a spreadsheet does not evaluate: printable, and with an apostrophe before text
/// that would begin a formula (`=`, `+`, `-`, `@`, also wide ones and after spaces or quotes, which programs strip), as
/// OWASP recommends. A sign alone is not a formula. For texts only: numbers need no escape.
#[must_use]
pub fn spreadsheet_cell(text: &str) -> Cow<'_, str> {
    let shown = printable(text);
    let inside = text.trim_start_matches(|c: char| c.is_whitespace() || is_hidden(c) || matches!(c, '"' | '\''));
    let formula = inside.starts_with(['=', '+', '-', '@', '＝', '＋', '－', '＠']) && inside.chars().nth(1).is_some();
    if formula { Cow::Owned(format!("'{shown}")) } else { shown }
}

/// The text [printable] and shortened to its first 60 characters for a message.
#[must_use]
pub fn shown(text: &str) -> String {
    let short = text.char_indices().nth(60).map_or(text, |(end, _)| text.get(..end).unwrap_or(text));
    let more = if short.len() < text.len() { "..." } else { "" };
    printable(short).into_owned() + more
}

/// The candidate that is a likely typo of `word`, if any.
///
/// Candidates must be public: declared names, and names of this project.
#[must_use]
pub fn nearest<'k>(word: &str, known: &[&'k str]) -> Option<&'k str> {
    let word = word.to_lowercase();
    let slips = |candidate: &str| strsim::osa_distance(&word, &candidate.to_lowercase());
    let near = known.iter().copied().min_by_key(|candidate| slips(candidate))?;
    (slips(near) <= (near.chars().count() / 3).max(1)).then_some(near)
}

/// A hint for an unknown name: `did you mean ...?`, or a list of the known names.
///
/// Known names must be public, as for [`nearest`].
pub fn did_you_mean<'k>(word: &str, known: impl IntoIterator<Item = &'k str>) -> String {
    let known: Vec<&str> = known.into_iter().collect();
    match nearest(word, &known).or_else(|| begun(word, &known)) {
        Some(near) => format!("did you mean `{near}`?"),
        None if known.is_empty() => String::new(),
        // A long list would not help.
        None if known.len() > 20 => format!("known here: {}, ...", known[..20].join(", ")),
        None => format!("known here: {}", known.join(", ")),
    }
}

/// The only candidate that begins with the same three letters: `kmaks` is more than a typo away from `kmax`.
fn begun<'k>(word: &str, known: &[&'k str]) -> Option<&'k str> {
    let beginning: String = word.chars().take(3).collect();
    let mut alike = known.iter().filter(|name| beginning.chars().count() == 3 && name.starts_with(&beginning));
    match (alike.next(), alike.next()) {
        (Some(name), None) => Some(name),
        _ => None,
    }
}

/// The percentage that a number outside [0, 1] probably means: `75%` for 75.
#[must_use]
pub fn meant_as_percentage(value: &Rational) -> Option<String> {
    (*value >= whole(2) && *value < whole(100)).then(|| format!("{value}%"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_in_settings_are_hidden_and_all_else_stays_where_it_is() {
        for (text, shown) in [
            ("connect = \"env:CLINIC\"\nx", "connect = \"env:CLINIC\"\nx"),
            ("connect='pässword'\nx", "connect=***********\nx"),
            ("{ connect = host=a, b }", "{ connect =************"),
            ("path = \"s3://a:b/c@d/e.csv?f=g\" # h", "path = \"s3://*****@d/e.csv****\" # h"),
            ("see https://a.example/b", "see https://a.example/b"),
            ("connect", "connect"),
            ("connect = \"\"\"host=a\npassword=b\"\"\" # c\nd = 1", "connect =****************************\nd = 1"),
            ("connect = '''\nhost=a", "connect =***********"),
            ("{ connect = \"env:A\" }, b = { connect = \"c\" }", "{ connect = \"env:A\" }, b = { connect =******"),
            ("a://b:c@d e://f:g@h?i", "a://***@d e://***@h**"),
            ("://://", "://://"),
            ("data.\"connect\" = 'a'", "data.\"connect\" =****"),
            ("connection = 1, connect = 2", "connection = 1, connect =**"),
            (
                "SELECT disconnect = 1 FROM t WHERE connect = 'wifi'",
                "SELECT disconnect = 1 FROM t WHERE connect = 'wifi'",
            ),
        ] {
            assert_eq!(without_secrets(text), shown);
            assert_eq!(without_secrets(text).len(), text.len());
        }
    }
    use crate::exact::ratio;
    use proptest::prelude::*;

    #[test]
    fn percentages_without_their_sign() {
        assert_eq!(meant_as_percentage(&whole(75)).as_deref(), Some("75%"));
        assert_eq!([ratio(3, 4), whole(1), whole(100)].map(|value| meant_as_percentage(&value)), [None, None, None]);
    }

    const HIDDEN: [char; 26] = [
        '\0',
        '\t',
        '\n',
        '\r',
        '\u{1b}',
        '\u{7f}',
        '\u{80}',
        '\u{9b}',
        '\u{9f}',
        '\u{ad}',
        '\u{61c}',
        '\u{200b}',
        '\u{200d}',
        '\u{200e}',
        '\u{200f}',
        '\u{2028}',
        '\u{2029}',
        '\u{202a}',
        '\u{202e}',
        '\u{2060}',
        '\u{2066}',
        '\u{2069}',
        '\u{feff}',
        '\u{fff9}',
        '\u{e0041}',
        '\u{3164}',
    ];

    #[test]
    fn hidden_characters() {
        assert!(HIDDEN.into_iter().all(is_hidden));
        // Every control character and every mark of text direction of Unicode is hidden.
        assert!(('\0'..=char::MAX).all(|c| !c.is_control() || is_hidden(c)));
        assert!(!" aZ09é\u{a0}سЖ漢🙂\u{fe0f}\u{fffd}\u{301}".chars().any(is_hidden));
        assert_eq!(printable("a\u{1b}]0;\u{7}\n\u{202e}b"), "a\\u{1b}]0;\\u{7}\\n\\u{202e}b");
        assert_eq!(printable_lines("a\tb\r\n\u{9b}c"), "a\tb\\r\n\\u{9b}c");
    }

    #[test]
    fn places_stay_right() {
        let sql = "SELECT\r\n '\u{1b}[2J' AS \u{202e}x, wrong\u{7f} FROM t";
        let place = sql.find("wrong").unwrap();
        let (safe, stretch) = printable_source(sql, place..place + "wrong\u{7f}".len());
        assert_eq!(&safe[stretch], "wrong\\u{7f}");
        assert_eq!(safe, "SELECT\n '\\u{1b}[2J' AS \\u{202e}x, wrong\\u{7f} FROM t");
        assert_eq!(printable_source("ab", 2..9), ("ab".to_owned(), 2..2));
        assert_eq!(printable_source("", 0..0), (String::new(), 0..0));
        // An offset inside a character moves to the next one.
        assert_eq!(printable_source("éa", 1..3).1, 2..3);
    }

    #[test]
    fn json_is_escaped_as_json_is() {
        let json = "{\n  \"a\": \"\u{7f}\u{9b}\u{202e}\u{e0041}é\"\n}";
        assert_eq!(printable_json(json), "{\n  \"a\": \"\\u007f\\u009b\\u202e\\udb40\\udc41é\"\n}");
        assert!(matches!(printable_json("{\"a\": \"é\"}\n"), Cow::Borrowed(_)));
    }

    #[test]
    fn formulas_are_guarded() {
        for formula in ["=1+1", "+1", "-2+3", "@SUM(A1)", " =1", "\u{a0}=1", "\"=1", "'=1", "\u{200b}=1", "＝1+1"] {
            assert_eq!(spreadsheet_cell(formula), format!("'{}", printable(formula)));
        }
        for (formula, cell) in [("\t=1", "'\\t=1"), ("\r=1", "'\\r=1"), ("\n@a", "'\\n@a"), ("=\u{1b}", "'=\\u{1b}")] {
            assert_eq!(spreadsheet_cell(formula), cell);
        }
        for plain in ["", "a", "-", "+", "=", "a=1", "1-2", "(all)", "2024-01-01", "'", "é"] {
            assert_eq!(spreadsheet_cell(plain), plain);
        }
    }

    proptest! {
        #[test]
        fn nothing_hidden_is_left_and_the_rest_unchanged(
            text in prop_oneof![any::<String>(), prop::collection::vec(prop_oneof![any::<char>(), prop::sample::select(HIDDEN.to_vec())], 0..40)
                .prop_map(String::from_iter)],
            start in 0_usize..60,
            length in 0_usize..60,
        ) {
            let seen: String = text.chars().filter(|c| !is_hidden(*c)).collect();
            prop_assert!(matches!(printable(&seen), Cow::Borrowed(same) if same == seen));
            let safe = printable(&text);
            prop_assert!(!safe.contains(is_hidden));
            prop_assert_eq!(printable(&safe), safe.as_ref());
            let source = printable_source(&text, start..start + length).0;
            for whole in [printable_lines(&text), source.into(), printable_json(&text)] {
                prop_assert!(!whole.contains(|c| is_hidden(c) && !matches!(c, '\n' | '\r' | '\t')));
            }
            prop_assert!(!printable_source(&text, 0..0).0.contains('\r'));
            let (source, stretch) = printable_source(&text, start..start + length);
            prop_assert!(source.get(stretch).is_some());
            prop_assert!(!shown(&text).contains(is_hidden) && !spreadsheet_cell(&text).contains(is_hidden));
            prop_assert!(!spreadsheet_cell(&text).starts_with(['=', '+', '@']) || text.chars().count() == 1);
        }
    }

    #[test]
    fn messages_are_safe_and_short() {
        assert_eq!(shown("1\u{1b}[2J"), "1\\u{1b}[2J");
        assert_eq!(shown(&"é".repeat(61)), format!("{}...", "é".repeat(60)));
    }

    #[test]
    fn typos_get_a_hint() {
        assert_eq!(did_you_mean("propability", ["output", "probability"]), "did you mean `probability`?");
        assert_eq!(did_you_mean("kmaks", ["kmax", "or", "size"]), "did you mean `kmax`?");
        assert_eq!(did_you_mean("zebra", ["output", "dataset"]), "known here: output, dataset");
    }

    #[test]
    fn one_slip_in_three_letters() {
        assert_eq!(nearest("aeg", &["sex", "age"]), Some("age"));
        assert_eq!(nearest("tickets", &["Ticket"]), Some("Ticket"));
        assert_eq!(nearest("weekday", &["sex", "age"]), None);
        assert_eq!(nearest("x", &[]), None);
    }
}
