//! The marks of the dialect: regular expressions over prose, and why each is a mark.

use super::text::Block;
use crate::Failure;
use regex::Regex;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Group {
    /// A word in a technical statement that has a plainer one.
    Word,
    /// A clause in place of a noun: as a whole sentence, or as the subject of one.
    Headless,
    /// Often plain English: shown, and not held against a text.
    Hint,
}

/// A mark, without its matcher.
#[derive(Debug)]
pub struct Mark {
    pub name: &'static str,
    pub group: Group,
    /// The expression; `\b` is the ASCII boundary of words.
    pattern: &'static str,
    /// A match of this expression that overlaps with the mark cancels it; empty if the mark has no exception.
    except: &'static str,
    /// The reason, or the words to write instead.
    pub advice: &'static str,
}

/// A sentence that begins with the word of a clause.
const HEADLESS: &str = r#"(?x)
    (?:^|[.!?]\ ) [*_"“(]*
    (?: What|Which|Who|Whom|Whose|How|Why|Where|(?:From|Since|Until)\ when|(?:By|Of|On|To|In|As|For|With|From)\ what |
        That\ (?:a|an|the|every|each|all|no|it|they|he|she|nobody|nothing|only|some|any|two|both|people|rows|columns) )
    \b (?:[^.?!;:]|[.:]\w)* (?:[.!?;:]|$)"#;

/// Questions, headings of paragraphs (`*How it works.*`), and sentences whose clause is followed by a main clause or
/// refers to the sentence before.
const NOT_HEADLESS: &str = r"(?x)
    (?:[.:]\w|[^.!?;:])*\? |
    \bWhat['’]s\b | ^[*_]+[^*_]+[.:]?[*_]+ |
    (?:^|[.!?]\ )[*_(]*(?:Where|How|That)\b[^.!?;:]*, |
    [.!?]\ \(?(?:Where(?:as)?|Which)\b |
    ^[*_(]*(?:Which\ means|How\ to)\b";

/// `is no longer`, `there is no`.
const NOT_IS_NO: &str = r"(?xi)
    \bno\ (?:longer|more|less|need|way|such|guarantee|matter|point|reason|limit|other|further)\b |
    \bno\ (?:better|worse|greater|smaller|larger|bigger|higher|lower|longer|shorter|wider|farther|closer|nearer)\b |
    \bno\ (?:slower|faster|earlier|later|cheaper|dearer|easier|harder|likelier)\b | \bno[^\ ] |
    \b(?:there|here|that|default)\ (?:(?:will|would|can|may|should|must)\ )?(?:is|are|was|were|be)\ no\b";

const NOT_STANDS: &str = r"(?xi)
    \bstands?\ (?:in\ )?for\b | stand-?alone | \bas\ (?:it|things)\ stands?\b | \bstand\ (?:out|alone)\b |
    \bstanding\ quer(?:y|ies)\b";

/// Numbers in intervals, and participants in a randomized response.
const NOT_LIES: &str = r"(?x)
    \b(?:lies?|lay)\ (?:\w+\ )?(?:in|between|within|on|outside|inside|above|below|at|beyond|strictly|to\ the)\b |
    \b(?:lies?|lay)\ (?:\w+\ )?(?:around|near|nearer|nearest|close|closer|closest|far|farther|next\ to)\b |
    \blies\ about\b | \bwho\ (?:may\ )?lie\b";

const NOT_TELLS: &str = r"(?xi)
    \b(?:can|to|could|can't|cannot)\ tell\ (?:if|whether|which|what|how)\b | \bI\ can\ tell\b |
    \b(?:tells?|told|telling)\ (?:(?:\w+\ )?apart|the\ truth|us|you)\b";

/// At one place of a text, the first of these counts.
const MARKS: [Mark; 23] = [
    word("whoever", r"(?i)\b(?:whoever|whomever|whosoever)\b", "", ROLE),
    word("nobody", r"(?i)\b(?:nobody|somebody|anybody)\b", "", ROLE),
    word("who", r"(?i)\b(?:those|ones|one|them|he|of|to|by|for|as|than|from|with) who\b", "", ROLE),
    word(
        "none",
        r"\b(?i:is|are|was|were|be|has|have|had) none\b",
        r"\bnone of\b|\b(?i:there) (?:(?:will|would|can|may|must) )?(?:is|are|was|were|be) none\b",
        IS_NOT,
    ),
    word("is no", r"(?i)\b(?:is|are|was|were|be) no\b", NOT_IS_NO, IS_NOT),
    word(
        "stands",
        r"(?i)\b(?:stands?|stood|standing)\b",
        NOT_STANDS,
        "write `is`, `is stored`, `is written`, `is listed`, `remains`",
    ),
    word("lies", r"\b(?:lies|lie|lay)\b", NOT_LIES, "write `is`, `is stored`; a number may lie in an interval"),
    word(
        "tells",
        r"(?i)\b(?:tells?|told|telling)\b",
        NOT_TELLS,
        "write `returns`, `reports`, `reveals`, `determines`, `distinguishes`",
    ),
    word(
        "speaks",
        r"(?i)\b(?:speaks?|spoken|spoke)\b",
        r"(?i)ly speaking|\bto speak of\b",
        "write `implements`, `uses`, `refers to`",
    ),
    word(
        "comes of",
        r"(?i)\b(?:comes?|came|becomes?|became) of\b",
        "",
        "write `results from`, `is caused by`, `the result of`",
    ),
    word(
        "takes apart",
        r"(?i)\b(?:takes?|taken|took|taking) (?:\w+ )?apart\b",
        "",
        "write `parses`, `splits`, `decomposes`",
    ),
    word(
        "so many",
        r"(?i)\bso (?:many|much)\b",
        r"(?i)\bso (?:many|much) (?:that|for|as)\b|\b(?:are|already|not|isn't) so (?:many|much)\b",
        "name the number: `this many rows`, `n rows`, `the given number`",
    ),
    word(
        "of what",
        r"(?i)\b(?:of|as|than|by|with|and|from|to|for|on|in|but) what (?:is|was|are|were|has|had|can|may|must|would)\b",
        "",
        NOUN,
    ),
    Mark { name: "headless", group: Group::Headless, pattern: HEADLESS, except: NOT_HEADLESS, advice: NOUN },
    hint(
        "says",
        r"(?i)\b(?:says?|said)\b",
        r"(?i)said to be|[,(] ?say,?\b",
        "write `reports`, `states`, `declares`, `prints`",
    ),
    hint("nothing", r"(?i)\bnothing\b", "", "as a value write `None` or `empty`; as a pronoun name the noun"),
    hint("someone", r"(?i)\b(?:someone|anyone|everyone|everybody)\b", "", ROLE),
    hint("those that", r"(?i)\bthose (?:that|which|of)\b|\bones? (?:that|which)\b", "", "repeat the noun"),
    hint(
        "asks",
        r"(?i)\b(?:is|are|was|were|be) asked\b|\basks\b|\bask of\b",
        "",
        "write `queries`, `requests`, `submits`, `requires`",
    ),
    hint("knows", r"(?i)\bknows\b", "", "write `stores`, `contains`, `has`; observers and adversaries may know"),
    hint(
        "is left",
        r"(?i)\b(?:is|are|was|were) left\b",
        r"(?i)left (?:as|un\w+|alone|in|at|out|empty|to the)\b",
        "write `remains`",
    ),
    hint("what is", r"\bwhat (?:is|was|are|were|has|had|can|may|must|would)\b", "", NOUN),
    hint("archaic", r"(?i)\b(?:anew|likelier|beside)\b", "", "write `again`, `more likely`, `next to`, `with`"),
];

const ROLE: &str = "name the role: a client, an analyst, a caller, an observer, a person in the data";
const IS_NOT: &str = "write `is not a query`, `has no header`, `is empty`, `is missing`";
const NOUN: &str = "a clause in place of a noun: write `the swept parameter`, not `what is swept`";

const fn word(name: &'static str, pattern: &'static str, except: &'static str, advice: &'static str) -> Mark {
    Mark { name, group: Group::Word, pattern, except, advice }
}

const fn hint(name: &'static str, pattern: &'static str, except: &'static str, advice: &'static str) -> Mark {
    Mark { name, group: Group::Hint, pattern, except, advice }
}

/// The names of all marks, and what to write instead.
pub fn legend() -> String {
    let group = |mark: &Mark| match mark.group {
        Group::Word => "mark",
        Group::Headless => "headless",
        Group::Hint => "hint",
    };
    let lines = MARKS.iter().map(|mark| format!("[{}] ({}) {}", mark.name, group(mark), mark.advice));
    lines.collect::<Vec<_>>().join("\n")
}

/// A mark at a place.
#[derive(Debug, Clone, Copy)]
pub struct Hit {
    pub start: usize,
    pub end: usize,
    pub mark: &'static Mark,
}

/// A matcher whose `\b`, `\w` and `\s` are those of ASCII: with those of Unicode it is many times as slow.
pub fn compile(pattern: &str) -> Result<Regex, Failure> {
    let pattern = pattern.replace(r"\b", r"(?-u:\b)").replace(r"\w", "[0-9A-Za-z_]").replace(r"\s", r"[ \t\r\n]");
    Regex::new(&pattern).map_err(|error| Failure::Found(error.to_string()))
}

/// All marks, with their matchers.
#[derive(Debug)]
pub struct Marks(Vec<(&'static Mark, Regex, Option<Regex>)>);

impl Marks {
    pub fn new() -> Result<Self, Failure> {
        let all = MARKS.iter().map(|mark| {
            let except = (!mark.except.is_empty()).then(|| compile(mark.except)).transpose()?;
            Ok((mark, compile(mark.pattern)?, except))
        });
        Ok(Self(all.collect::<Result<_, Failure>>()?))
    }

    /// The marks of a block by their place. Marks of one group do not overlap, and hints overlap with no other mark.
    pub fn find(&self, block: &Block) -> Vec<Hit> {
        let mut hits = self.find_in(&block.masked);
        // Headings are clauses in plain English, too: "How it works".
        let is_title = block.is_heading || block.is_message && !block.masked.ends_with('.');
        hits.retain(|hit| {
            !(is_title && hit.mark.group == Group::Headless && hit.start == 0 && hit.end == block.masked.len())
        });
        hits
    }

    /// The same in a text that is no block, such as the words of a name.
    pub fn find_in(&self, text: &str) -> Vec<Hit> {
        let mut hits: Vec<Hit> = Vec::new();
        for (mark, pattern, except) in &self.0 {
            for found in pattern.find_iter(text) {
                let (start, end) = (found.start(), found.end());
                let overlaps = |from: usize, to: usize| from < end && start < to;
                let is_taken = hits.iter().any(|hit| {
                    overlaps(hit.start, hit.end) && (hit.mark.group == mark.group || mark.group == Group::Hint)
                });
                let is_plain = || {
                    except.as_ref().is_some_and(|except| except.find_iter(text).any(|e| overlaps(e.start(), e.end())))
                };
                if !is_taken && !is_plain() {
                    hits.push(Hit { start, end, mark });
                }
            }
        }
        hits.sort_by_key(|hit| (hit.start, hit.mark.group));
        hits
    }
}

#[cfg(test)]
mod tests {
    use super::super::lexer::lex;
    use super::super::text::{of_document, of_messages};
    use super::*;

    /// The names of the marks of a text, without hints.
    fn names(marks: &Marks, text: &str) -> Vec<&'static str> {
        let blocks = of_document(text);
        let hits = blocks.iter().flat_map(|block| marks.find(block));
        hits.filter(|hit| hit.mark.group != Group::Hint).map(|hit| hit.mark.name).collect()
    }

    #[test]
    fn the_dialect_has_marks() {
        let marks = Marks::new().unwrap();
        for (text, wanted) in [
            ("A server that is none: whoever speaks it is understood.", &["none", "whoever", "speaks"][..]),
            ("Whoever does not come in time is told nothing.", &["whoever", "tells"]),
            ("It stands here a second time.", &["stands"]),
            ("The text is no number.", &["is no"]),
            ("Rows of those who are not in, as one who asks may know it.", &["who", "who"]),
            ("So many rows are not worth a thread.", &["so many"]),
            ("The file that lies beside it.", &["lies"]),
            (
                "The result comes of rows, and of what is read; it is taken apart.",
                &["comes of", "of what", "takes apart"],
            ),
            ("What is swept.", &["headless"]),
            ("How results are written.", &["headless"]),
            ("That the entity is not in.", &["headless"]),
            ("From when on it may be seen.", &["headless"]),
            ("What follows from 1.5 rows is not read.", &["headless"]),
            ("| a | What it costs |", &["headless"]),
        ] {
            assert_eq!(names(&marks, text), wanted, "{text}");
        }
    }

    #[test]
    fn plain_english_has_no_marks() {
        let marks = Marks::new().unwrap();
        for text in [
            "The PostgreSQL wire protocol, for a server that is not PostgreSQL.",
            "Clients that exceed the startup timeout or disconnect get no reply.",
            "Whether the page is dirty.",
            "There is no limit, and it is no longer read; it is no more than 3.",
            "`whoever` is a word; so is [this](nobody.md).",
            "What is a page?",
            "When a page is full, it is split. How many pages are split, the caller decides.",
            "Where a page is full, it is split.",
            "That is the last page. That means it is not read.",
            "ε stands for the parameter, a number that lies between 0 and 1.",
            "Two pages cannot be told apart, and the caller can tell whether one is full.",
            "Returns `None`; is None for empty pages; none of the pages is read.",
            "# How it works",
            "**How it works.** Pages are split.",
            "It returns 0 if there are none. The answer is no, or is no farther off.",
            "The page is full. Which is fine.",
        ] {
            assert_eq!(names(&marks, text), Vec::<&str>::new(), "{text}");
        }
    }

    #[test]
    fn hints_give_way_to_marks() {
        let marks = Marks::new().unwrap();
        let all = |text: &str| marks.find_in(text).into_iter().map(|hit| hit.mark.name).collect::<Vec<_>>();
        assert_eq!(all("it depends on what is left, and asks"), ["of what", "asks"]);
        assert_eq!(all("nothing says so"), ["nothing", "says"]);
        assert_eq!(all("those who know"), ["who"]);
    }

    #[test]
    fn messages_may_be_titles() {
        let marks = Marks::new().unwrap();
        let count = |code: &str| {
            let blocks = of_messages(lex(code).0.iter());
            blocks.iter().map(|block| marks.find(block).len()).collect::<Vec<_>>()
        };
        assert_eq!(count("f(\"What was attacked\")"), [0]);
        assert_eq!(count("f(\"What was attacked.\")"), [1]);
    }
}
