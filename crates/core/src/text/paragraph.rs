//! Running text in lines.

use std::fmt::Write;

/// The most characters of a line of running text.
const WIDTH: usize = 100;

/// Appends a paragraph in lines of at most 100 characters. `lead` begins the first; the others are indented as far as the lead is long, and by
/// two more where the lead is blank.
pub fn push_paragraph(text: &mut String, lead: &str, paragraph: &str) {
    let hang = " ".repeat(lead.chars().count() + if lead.trim().is_empty() { 2 } else { 0 });
    let mut line = lead.to_owned();
    let mut empty = true;
    for word in paragraph.split_whitespace() {
        if !empty && line.chars().count() + 1 + word.chars().count() > WIDTH {
            // Writing to a string cannot fail.
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
