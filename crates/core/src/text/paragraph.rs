//! Wrapped paragraphs.

use std::fmt::Write;

/// Most characters of a line.
const WIDTH: usize = 100;

/// Appends a paragraph in lines of at most 100 characters. `lead` begins the first line; the others are indented by the
/// length of the lead, and by two more if the lead is blank.
pub fn push_paragraph(text: &mut String, lead: &str, paragraph: &str) {
    let hang = " ".repeat(lead.chars().count() + if lead.trim().is_empty() { 2 } else { 0 });
    let mut line = lead.to_owned();
    let mut empty = true;
    for word in paragraph.split_whitespace() {
        if !empty && line.chars().count() + 1 + word.chars().count() > WIDTH {
            // Writing to a `String` does not fail.
            let _ = writeln!(text, "{line}");
            line.clone_from(&hang);
            empty = true;
        }
        if !empty {
            line.push(' ');
        }
        line.push_str(word);
        empty = false;
    }
    let _ = writeln!(text, "{line}");
}
