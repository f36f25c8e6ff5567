//! The recorded counts, above which the check fails.

use super::unit::{Column, Unit, per_thousand};
use crate::Failure;
use std::collections::BTreeMap;

/// From the root of the workspace.
pub const PATH: &str = "tools/xtask/prose.txt";

const HEADER: &str = "\
# Marks of the dialect by crate and document; `cargo xtask prose --write` renews this file.
# name | words | marks | headless | words of messages | messages | names | tests
";

/// Counts per 1,000 words up to this are never a failure.
const ALLOWED: f64 = 1.0;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Counts {
    words: usize,
    marks: usize,
    headless: usize,
    message_words: usize,
    messages: usize,
    names: usize,
    tests: usize,
}

impl Counts {
    fn new(unit: &Unit) -> Self {
        Self {
            words: unit.words,
            marks: unit.count(Column::Marks),
            headless: unit.count(Column::Headless),
            message_words: unit.message_words,
            messages: unit.count(Column::Messages),
            names: unit.count(Column::Names),
            tests: unit.count(Column::Tests),
        }
    }

    /// Counts with the words that they are divided by; `None` for counts that are compared as they are.
    const fn columns(self) -> [(Column, usize, Option<usize>); 5] {
        [
            (Column::Marks, self.marks, Some(self.words)),
            (Column::Headless, self.headless, Some(self.words)),
            (Column::Messages, self.messages, Some(self.message_words)),
            (Column::Names, self.names, None),
            (Column::Tests, self.tests, None),
        ]
    }
}

pub fn write(units: &[Unit]) -> String {
    let lines = units.iter().map(|unit| {
        let Counts { words, marks, headless, message_words, messages, names, tests } = Counts::new(unit);
        format!("{} | {words} | {marks} | {headless} | {message_words} | {messages} | {names} | {tests}\n", unit.name)
    });
    HEADER.chars().chain(lines.collect::<String>().chars()).collect()
}

fn read(text: &str) -> Result<BTreeMap<&str, Counts>, Failure> {
    let mut all = BTreeMap::new();
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.starts_with('#')) {
        let mut cells = line.split(" | ");
        let name = cells.next().unwrap_or_default();
        let numbers: Option<Vec<usize>> = cells.map(|cell| cell.parse().ok()).collect();
        let Some([words, marks, headless, message_words, messages, names, tests]) = numbers.as_deref() else {
            return Err(Failure::Found(format!("{PATH}:{}: not a name and 7 numbers", number + 1)));
        };
        let [words, marks, headless] = [*words, *marks, *headless];
        let [message_words, messages, names, tests] = [*message_words, *messages, *names, *tests];
        all.insert(name, Counts { words, marks, headless, message_words, messages, names, tests });
    }
    Ok(all)
}

/// Fails when a count rose, per 1,000 words and by itself, above the record; a shorter text with the same marks passes.
pub fn check(record: &str, units: &[Unit]) -> Result<String, Failure> {
    let record = read(record)?;
    let mut problems = Vec::new();
    for unit in units {
        let before = record.get(unit.name.as_str()).copied().unwrap_or_default();
        for ((column, was, words_then), (_, is, words)) in before.columns().into_iter().zip(Counts::new(unit).columns())
        {
            let (was_rate, rate) = (per_thousand(was, words_then.unwrap_or(0)), per_thousand(is, words.unwrap_or(0)));
            if is <= was || words.is_some() && rate <= was_rate.max(ALLOWED) {
                continue;
            }
            let (name, what) = (&unit.name, column.name());
            problems.push(match words {
                Some(_) => {
                    format!("{name}: {rate:.1} {what} per 1,000 words, recorded {was_rate:.1}, allowed {ALLOWED:.1}:")
                }
                None => format!("{name}: {is} {what}, recorded {was}:"),
            });
            problems.extend(unit.places_of(column).map(|place| format!("  {place}")));
        }
    }
    if problems.is_empty() {
        return Ok(format!("prose: {} crates and documents have no more marks than recorded", units.len()));
    }
    problems.push("rewrite these lines, or record them with `cargo xtask prose --write`".to_owned());
    Err(Failure::Found(problems.join("\n")))
}

#[cfg(test)]
mod tests {
    use super::super::unit::Finder;
    use super::*;

    fn unit(source: &str) -> Unit {
        let mut unit = Unit::new("a", false);
        Finder::new().unwrap().add_code(&mut unit, "src/lib.rs", "src/lib.rs", source);
        unit
    }

    #[test]
    fn a_record_is_read_as_written() {
        let text = write(&[unit("// Nobody reads this.\nstruct Shown;\n")]);
        assert_eq!(text.lines().last(), Some("a | 3 | 1 | 0 | 0 | 0 | 1 | 0"));
        let counts = Counts { words: 3, marks: 1, names: 1, ..Counts::default() };
        assert_eq!(read(&text).unwrap(), [("a", counts)].into());
        assert_eq!(read("a | 1 | b\n").unwrap_err().to_string(), format!("{PATH}:1: not a name and 7 numbers"));
    }

    #[test]
    fn a_count_may_not_rise_and_lines_are_named() {
        let before = write(&[unit("// Nobody reads this plain sentence.\n")]);
        let rise = check(&before, &[unit("// Nobody and nobody.\n")]).unwrap_err().to_string();
        assert!(rise.starts_with("a: 666.7 marks per 1,000 words, recorded 200.0, allowed 1.0:\n"), "{rise}");
        assert!(rise.contains("\n  src/lib.rs:1: [nobody] Nobody and nobody."), "{rise}");
        // The same mark in a shorter text.
        assert!(check(&before, &[unit("// Nobody reads.\n")]).is_ok());
        // At most one in 1,000 words, though none was recorded.
        let long = format!("// {} nobody\n", "word ".repeat(999));
        assert!(check("", &[unit(&long)]).is_ok());
        assert!(check("", &[unit(&long.replacen("word ", "", 1))]).is_err());
        let name = check("", &[unit("struct Shown;\n")]).unwrap_err().to_string();
        assert!(name.starts_with("a: 1 names, recorded 0:\n  src/lib.rs:1: [names] Shown: "), "{name}");
    }
}
