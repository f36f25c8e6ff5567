//! Reading one page of Markdown: its links, the anchors of its headings, and its long lines.

use crate::theorems::anchor;
use std::collections::{BTreeMap, BTreeSet};

/// The most characters of a line of prose.
pub const WIDTH: usize = 100;

/// A page of Markdown, without its blocks of code.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Page {
    /// The anchors of the headings.
    pub anchors: BTreeSet<String>,
    /// The targets of links and pictures, each with its line, counted from 1.
    pub links: Vec<(usize, String)>,
    /// Lines of prose of more than [`WIDTH`] characters, each with its length. Rows of tables and pictures are not prose.
    pub long: Vec<(usize, usize)>,
}

impl Page {
    /// Reads a page.
    pub fn read(text: &str) -> Self {
        let mut page = Self::default();
        let mut headings: BTreeMap<String, usize> = BTreeMap::new();
        let mut fence = None;
        for (number, line) in (1..).zip(text.lines()) {
            match (fence, fence_of(line)) {
                (None, Some(opened)) => fence = Some(opened),
                // A block ends at a fence of the same character that is at least as long and has no language.
                (Some((mark, length)), Some((other, others))) if mark == other && others >= length => {
                    fence = line.trim().chars().any(|c| c != mark).then_some((mark, length));
                }
                (Some(_), _) => {}
                (None, None) => page.read_line(number, line, &mut headings),
            }
        }
        page
    }

    fn read_line(&mut self, number: usize, line: &str, headings: &mut BTreeMap<String, usize>) {
        if let Some(heading) = heading(line) {
            let anchor = anchor(&without_links(heading));
            // Further headings with the same words are numbered, as GitHub does.
            let earlier = headings.entry(anchor.clone()).or_default();
            let numbered = if *earlier == 0 { anchor } else { format!("{anchor}-{earlier}") };
            self.anchors.insert(numbered);
            *earlier += 1;
        }
        let definition = definition(line);
        let targets = definition.map(str::to_owned).into_iter().chain(targets(&without_code(line)));
        self.links.extend(targets.map(|target| (number, target)));
        let length = line.chars().count();
        let is_whole = ["|", "!["].iter().any(|start| line.trim_start().starts_with(start));
        if length > WIDTH && !is_whole && definition.is_none() && can_be_wrapped(line) {
            self.long.push((number, length));
        }
    }
}

/// The character of a fence and how often it is repeated.
fn fence_of(line: &str) -> Option<(char, usize)> {
    let line = line.trim_start();
    let mark = line.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let length = line.chars().take_while(|c| *c == mark).count();
    (length >= 3).then_some((mark, length))
}

/// The words of a heading such as `## Words`.
fn heading(line: &str) -> Option<&str> {
    let words = line.trim_start_matches('#');
    let level = line.len() - words.len();
    (1..=6).contains(&level).then(|| words.strip_prefix(' ')).flatten().map(str::trim)
}

/// The target of a definition such as `[B-1]: beliefs.md#b-1-posterior`.
fn definition(line: &str) -> Option<&str> {
    let (name, target) = line.strip_prefix('[')?.split_once("]: ")?;
    (!name.contains(']')).then(|| target.trim())
}

/// The targets of the links in a line, such as `[words](target)` and `![words](target "title")`.
fn targets(line: &str) -> Vec<String> {
    let ends = line.match_indices("](").map(|(at, mark)| &line[at + mark.len()..]);
    let target = |rest: &str| {
        let mut depth = 1;
        let inside = rest.chars().take_while(|c| {
            depth += i32::from(*c == '(') - i32::from(*c == ')');
            depth > 0
        });
        let inside: String = inside.collect();
        inside.split_whitespace().next().unwrap_or_default().trim_matches(['<', '>']).to_owned()
    };
    ends.map(target).collect()
}

/// A line without the code between backticks.
fn without_code(line: &str) -> String {
    let mut text = String::new();
    let mut rest = line;
    while let Some(open) = rest.find('`') {
        let (before, from) = rest.split_at(open);
        let length = from.len() - from.trim_start_matches('`').len();
        let (mark, inside) = from.split_at(length);
        text.push_str(before);
        let Some(close) = inside.find(mark) else {
            text.push_str(from);
            return text;
        };
        text.push_str("``");
        rest = &inside[close + length..];
    }
    text + rest
}

/// The words of a heading, with those of its links but not their targets.
fn without_links(heading: &str) -> String {
    let mut text = String::new();
    let mut rest = heading;
    while let Some((before, after)) = rest.split_once("](") {
        text.push_str(before);
        rest = after.split_once(')').map_or("", |(_, rest)| rest);
    }
    text + rest
}

/// Whether a line has a space to wrap it at, after the mark of a list or of a quotation.
fn can_be_wrapped(line: &str) -> bool {
    let words: Vec<&str> = line.split_whitespace().collect();
    let is_mark = |word: &&str| matches!(*word, "-" | "*" | ">") || word.trim_end_matches('.').parse::<u32>().is_ok();
    words.len() > 1 + usize::from(words.first().is_some_and(is_mark))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_have_the_anchors_of_github() {
        let page =
            Page::read("# The `[data]` of [all](x.md)\n## Again\n#tag\n## Again\n####### Deep\n## (α,β): so_far\n");
        let anchors: Vec<&str> = page.anchors.iter().map(String::as_str).collect();
        assert_eq!(anchors, ["again", "again-1", "the-data-of-all", "αβ-so_far"]);
    }

    #[test]
    fn links_are_found_in_prose_only() {
        let text = "\
A [b](c.md#d), ![picture](e.svg \"title\") and `[not](one.md)` and ``[no`t](two.md)``
```md
[not](three.md)
```
[f]: <g.md>
| [h](i(j).md) | `|` |
~~~~
~~~
[not](four.md)
~~~~
[k
l](m.md)
";
        let found = Page::read(text).links;
        let found: Vec<(usize, &str)> = found.iter().map(|(line, target)| (*line, target.as_str())).collect();
        assert_eq!(found, [(1, "c.md#d"), (1, "e.svg"), (5, "<g.md>"), (6, "i(j).md"), (12, "m.md")]);
    }

    #[test]
    fn a_fence_with_a_language_does_not_end_a_block() {
        let page = Page::read("```\n```toml\n[a](b.md)\n```\n[c](d.md)\n");
        assert_eq!(page.links, [(5, "d.md".to_owned())]);
    }

    #[test]
    fn long_lines_are_those_that_can_be_wrapped() {
        let (long, most) = ("é".repeat(WIDTH + 1), "é".repeat(WIDTH - 2));
        let text = format!(
            "{most} a\n{most} ab\n- {long}\n12. {long}\n- a {long}\n| {long} a |\n[a]: {long}\n![{long} a](b.svg)\n```\n{long} a\n```\n# {long} a\n"
        );
        let lines: Vec<usize> = Page::read(&text).long.iter().map(|(line, _)| *line).collect();
        assert_eq!(lines, [2, 5, 12]);
        assert_eq!(Page::read(&text).long[0], (2, WIDTH + 1));
    }
}
