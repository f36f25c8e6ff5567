//! Markdown in lines of a limited length.

/// The most characters of a line.
const WIDTH: usize = 100;

/// A page whose paragraphs and items of lists are wrapped. Headings, tables, pictures and blocks of code stay as they
/// are, and so do spaces in code between backticks.
pub fn wrapped(page: &str) -> String {
    let blocks = page.trim_end().split("\n\n").map(|block| {
        let is_kept = ["#", "|", "!", "```"].iter().any(|start| block.starts_with(start));
        if is_kept {
            block.to_owned()
        } else {
            items(block).iter().map(|item| filled(item)).collect::<Vec<_>>().join("\n")
        }
    });
    blocks.collect::<Vec<_>>().join("\n\n") + "\n"
}

/// The items of a list, or a whole paragraph.
fn items(block: &str) -> Vec<String> {
    let mut items: Vec<String> = Vec::new();
    for line in block.lines() {
        match items.last_mut().filter(|_| !line.starts_with("- ")) {
            Some(item) => {
                item.push(' ');
                item.push_str(line.trim());
            }
            None => items.push(line.to_owned()),
        }
    }
    items
}

/// An item in lines; those after the first are indented as far as the words of a list.
fn filled(item: &str) -> String {
    let indent = if item.starts_with("- ") { "\n  " } else { "\n" };
    let mut text = String::with_capacity(item.len());
    let mut length = 0;
    for word in words(item) {
        let added = word.chars().count();
        if length > 0 && length + 1 + added > WIDTH {
            text.push_str(indent);
            length = indent.len() - 1;
        } else if length > 0 {
            text.push(' ');
            length += 1;
        }
        text.push_str(&word);
        length += added;
    }
    text
}

/// The words between spaces; code between backticks is one word with what touches it.
fn words(item: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut is_code = false;
    for c in item.chars() {
        is_code ^= c == '`';
        match words.last_mut() {
            Some(word) if c != ' ' || is_code => word.push(c),
            _ => words.push(String::new()),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paragraphs_and_items_are_wrapped_and_nothing_else() {
        let long = "word ".repeat(30);
        let page =
            format!("# {long}\n\n{long}\n`{long}`\n\n- {long}\n  more\n- short\n\n| {long} |\n\n```\n{long}\n```\n");
        let text = wrapped(&page);
        let line = "word ".repeat(20);
        let rest = "word ".repeat(10);
        let (item, after) = ("word ".repeat(19), "word ".repeat(11));
        let wanted = format!(
            "# {long}\n\n{}\n{}\n`{long}`\n\n- {}\n  {after}more\n- short\n\n| {long} |\n\n```\n{long}\n```\n",
            line.trim_end(),
            rest.trim_end(),
            item.trim_end(),
        );
        assert_eq!(text, wanted);
        assert_eq!(wrapped(&text), text);
    }
}
