//! Names that are marks of the dialect: of types and functions, and of tests.

use super::marks::{Group, Marks, compile};
use crate::Failure;
use regex::Regex;
use std::ops::Range;

/// Participles and pronouns, which do not name a thing. A type may contain them: `FoundRows`.
const TYPES: &str = r"(?x)^(?:
    Answered|Asked|Begun|Born|Built|Charged|Chosen|Closed|Come|Counted|Decided|Declared|Done|Drawn|Felt|Found|Given|
    Gone|Heard|Held|Kept|Known|Learned|Left|Listed|Lost|Made|Meant|Measured|Named|Needed|Opened|Paid|Parsed|Planned|
    Promised|Refused|Registered|Said|Seen|Sent|Shown|Spent|Stated|Stood|Taken|Thought|Told|Understood|Wanted|Written|
    All|Anybody|Anything|Enough|Everybody|Everything|Few|How|It|Least|Less|Many|More|Most|Nobody|Nothing|One|Ones|Other|
    Others|Same|Some|Somebody|Something|Such|These|This|Those|What|When|Where|Which|Who|Whoever|Whom|Whose|Why)$";

/// Functions named by a pronoun or by a clause.
const FUNCTIONS: &str = r"(?x)
    ^(?:what|which|who|whom|whose|where|why|such|those|it|others?)$ |
    ^(?:what|which|who|whose|how|why|where|that)_(?:is|are|was|were|has|have|can|may|must|it|they)(?:_|$)";

/// Constants named by a pronoun.
const CONSTANTS: &str = r"^(?:FEW|MANY|MOST|LEAST|ENOUGH|SOME|ALIKE|SUCH)$";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A type, function or constant.
    Item,
    Test,
}

/// A name, and where it is defined.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Name {
    pub kind: Kind,
    pub name: String,
    pub line: usize,
    pub reason: &'static str,
}

/// Finds names in code without comments and literals.
#[derive(Debug)]
pub struct Names {
    definition: Regex,
    test: Regex,
    test_item: Regex,
    types: Regex,
    functions: Regex,
    constants: Regex,
    headless: Regex,
}

impl Names {
    pub fn new() -> Result<Self, Failure> {
        Ok(Self {
            definition: compile(
                r"\b(?:(?:const|async|unsafe)\s+)*(struct|enum|trait|type|union|fn|const|static)\s+(\w+)\s*([^{;]*)",
            )?,
            test: compile(r"#\[(?:\w+::)?test(?:\([^\]]*\))?\](?:\s*#\[[^\]]*\])*\s*(?:async\s+)?fn\s+(\w+)")?,
            test_item: compile(r"#\[(?:cfg\((?:test|(?:all|any)\(test)|(?:\w+::)?test)[^\]]*\](?:\s*#\[[^\]]*\])*")?,
            types: compile(TYPES)?,
            functions: compile(FUNCTIONS)?,
            constants: compile(CONSTANTS)?,
            headless: compile(r"^(?:what|which|who|whom|whose|how|why|that)_|_(?:that|what|who|which)$|_is_none$")?,
        })
    }

    /// The marks among the names that a file defines.
    pub fn find(&self, code: &str, marks: &Marks) -> Vec<Name> {
        let mut names = Vec::new();
        let line = |position: usize| code[..position].matches('\n').count() + 1;
        let mut tests = Vec::new();
        for found in self.test.captures_iter(code) {
            let Some(name) = found.get(1) else { continue };
            tests.push(name.start());
            if let Some(reason) = self.is_headless(name.as_str(), marks) {
                names.push(Name { kind: Kind::Test, name: name.as_str().to_owned(), line: line(name.start()), reason });
            }
        }
        for found in self.definition.captures_iter(code) {
            let (Some(keyword), Some(name), Some(rest)) = (found.get(1), found.get(2), found.get(3)) else { continue };
            if tests.contains(&name.start()) {
                continue;
            }
            if let Some(reason) = self.reason(keyword.as_str(), name.as_str(), rest.as_str()) {
                names.push(Name { kind: Kind::Item, name: name.as_str().to_owned(), line: line(name.start()), reason });
            }
        }
        names
    }

    fn reason(&self, keyword: &str, name: &str, rest: &str) -> Option<&'static str> {
        match keyword {
            "fn" if name == "of" => {
                let result = rest.split_once("->").map_or("", |(_, result)| result);
                (!result.contains("Self")).then_some("`of` is for constructors: name what is computed")
            }
            "fn" => self.functions.is_match(name).then_some("a function is named by a verb, or by the noun it returns"),
            "const" | "static" => {
                self.constants.is_match(name).then_some("a constant is named by a noun: `MIN_PARALLEL_ROWS`, not `FEW`")
            }
            _ => self.types.is_match(name).then_some("a type is named by a noun, not by a participle or pronoun"),
        }
    }

    fn is_headless(&self, name: &str, marks: &Marks) -> Option<&'static str> {
        if self.headless.is_match(name) {
            return Some("a test is named by the case and the expected result");
        }
        let hits = marks.find_in(&name.replace('_', " "));
        hits.iter().find(|hit| hit.mark.group != Group::Hint).map(|hit| hit.mark.advice)
    }

    /// The lines of items that are compiled for tests only.
    pub fn test_lines(&self, code: &str) -> Vec<Range<usize>> {
        let mut ranges: Vec<Range<usize>> = Vec::new();
        let mut end = 0;
        for attribute in self.test_item.find_iter(code) {
            if attribute.start() < end {
                continue;
            }
            end = attribute.end() + item_length(&code[attribute.end()..]);
            let line = |position: usize| code[..position].matches('\n').count() + 1;
            ranges.push(line(attribute.start())..line(end) + 1);
        }
        ranges
    }
}

/// The bytes up to the end of an item: its semicolon, or the bracket that closes its body.
fn item_length(code: &str) -> usize {
    let mut depth = 0_i32;
    for (position, next) in code.char_indices() {
        match next {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' => depth -= 1,
            '}' => {
                depth -= 1;
                if depth <= 0 {
                    return position + 1;
                }
            }
            ';' if depth == 0 => return position + 1,
            _ => {}
        }
    }
    code.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(code: &str) -> Vec<(Kind, String, usize)> {
        let (names, marks) = (Names::new().unwrap(), Marks::new().unwrap());
        names.find(code, &marks).into_iter().map(|name| (name.kind, name.name, name.line)).collect()
    }

    #[test]
    fn types_are_nouns() {
        let code = "struct Shown;\npub enum Found<T> {}\nstruct FoundRows;\nstruct Answer;\nconst FEW: usize = 1;\n";
        let names = ["Shown", "Found", "FEW"].map(str::to_owned);
        assert_eq!(found(code).into_iter().map(|(_, name, _)| name).collect::<Vec<_>>(), names);
        assert_eq!(found(code)[1], (Kind::Item, "Found".to_owned(), 2));
    }

    #[test]
    fn functions_are_verbs_and_of_is_a_constructor() {
        assert_eq!(
            found("fn of(x: u8) -> Self {}\nfn of(x: u8) -> Option<Self> {}\nfn which_match() {}\nfn is_none() {}"),
            []
        );
        assert_eq!(found("pub const fn of(x: u8) -> u8 {}\nfn what_is_read() {}").len(), 2);
    }

    #[test]
    fn riddles_in_test_names_are_found() {
        let test = |name: &str| format!("#[test]\n#[ignore]\nfn {name}() {{}}\n");
        for riddle in ["what_is_enough_is_the_most_that_is", "nobody_is_charged_twice", "an_empty_promise_is_none"] {
            assert_eq!(found(&test(riddle)), [(Kind::Test, riddle.to_owned(), 3)], "{riddle}");
        }
        assert_eq!(found(&test("minimum_promise_is_tight")), []);
        assert_eq!(found("#[tokio::test(start_paused = true)]\nasync fn who_asks_waits() {}").len(), 1);
    }

    #[test]
    fn test_items_end_with_their_body() {
        let names = Names::new().unwrap();
        let code =
            "fn a() {}\n#[cfg(test)]\n#[path = \" \"]\nmod it;\n#[cfg(test)]\nmod tests {\n  #[test]\n  fn b() {}\n}\n";
        assert_eq!(names.test_lines(code), [2..5, 5..10]);
        assert!(names.test_lines("#[cfg(not(test))]\nfn a() {}").is_empty());
        let code = "#[cfg(test)]\nfn a(x: [u8; 2]) { if x { y } z }\n#[test]\nfn b() {}\n";
        assert_eq!(names.test_lines(code), [1..3, 3..5]);
    }
}
