//! The marks of the dialect: regular expressions over prose, and why each is a mark.

use super::text::Block;
use crate::Failure;
use regex::Regex;

/// What a mark is about.
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
    /// What matches it. `\b` is the ASCII boundary of words.
    pattern: &'static str,
    /// What overlaps with it and makes it plain English; empty for nothing.
    except: &'static str,
    /// Why it is a mark, and what to write instead.
    pub why: &'static str,
}

const fn mark(
    name: &'static str,
    group: Group,
    pattern: &'static str,
    except: &'static str,
    why: &'static str,
) -> Mark {
    Mark { name, group, pattern, except, why }
}

use Group::{Headless, Hint, Word};

/// A sentence that begins with the word of a clause.
const HEADLESS: &str = r#"(?x)
    (?:^|[.!?]\ ) [*_"“(]*
    (?: What|Which|Who|Whom|Whose|How|Why|Where|(?:From|Since|Until)\ when|(?:By|Of|On|To|In|As|For|With|From)\ what |
        That\ (?:a|an|the|every|each|all|no|it|they|he|she|nobody|nothing|only|some|any|two|both|people|rows|columns) )
    \b (?:[^.?!;:]|[.:]\w)* (?:[.!?;:]|$)"#;

/// Questions, and sentences whose clause is followed by a main clause, or refers to the sentence before.
const NOT_HEADLESS: &str = r"(?x)
    (?:[.:]\w|[^.!?;:])*\? | \bWhat['’]s\b | (?:^|[.!?]\ )[*_(]*(?:Where|How|That)\b[^.!?;:]*, | [.!?]\ \(?(?:Where(?:as)?|Which)\b |
    ^[*_(]*(?:Which\ means|How\ to)\b";

/// At one place of a text, the first of these counts.
const MARKS: [Mark; 23] = [
    mark(
        "whoever",
        Word,
        r"(?i)\b(?:whoever|whomever|whosoever)\b",
        "",
        "name the role: a client, an analyst, a caller, a person in the data",
    ),
    mark(
        "nobody",
        Word,
        r"(?i)\b(?:nobody|somebody|anybody)\b",
        "",
        "name the role: no client, an analyst, every person",
    ),
    mark(
        "who",
        Word,
        r"(?i)\b(?:those|ones|one|them|he|of|to|by|for|as|than|from|with) who\b",
        r"(?i)of whom\b",
        "name the role before `who`",
    ),
    mark(
        "none",
        Word,
        r"\b(?i:is|are|was|were|be|has|have|had) none\b",
        r"(?i)none of\b",
        "a pronoun without its noun: write `is not a query`, `has no header`, `is empty`, `is missing`",
    ),
    mark(
        "is no",
        Word,
        r"(?i)\b(?:is|are|was|were|be) no\b",
        r"(?i)\bno (?:longer|more|less|need|way|such|guarantee|matter|point|reason|better|worse|greater|smaller|larger|bigger|higher|lower|limit|other|further)\b|\b(?:there|here|that|default) (?:(?:will|would|can|may|should|must) )?(?:is|are|was|were|be) no\b",
        "write `is not a ...`, or `has no ...`",
    ),
    mark(
        "stands",
        Word,
        r"(?i)\b(?:stands?|stood|standing)\b",
        r"(?i)\bstands? for\b|stand-?alone|\bas (?:it|things) stands?\b|\bstand out\b|\bstand alone\b|\bstanding (?:query|queries)\b",
        "a text or value does not stand: it is, is stored, is written, is listed, remains",
    ),
    mark(
        "lies",
        Word,
        r"\b(?:lies|lie|lay)\b",
        r"\b(?:lies?|lay) (?:\w+ )?(?:in|between|within|on|outside|inside|above|below|at|beyond|strictly|to the)\b|\blies about\b|\bwho (?:may )?lie\b",
        "files and values do not lie: they are, are stored, are in a folder; a number lies in an interval",
    ),
    mark(
        "tells",
        Word,
        r"(?i)\b(?:tells?|told|telling)\b",
        r"(?i)\b(?:can|to|could|can't|cannot) tell (?:if|whether|which|what|how)\b|\b(?:tells?|told|telling) (?:(?:\w+ )?apart|the truth|us|you)\b|\bI can tell\b",
        "write returns, reports, reveals, determines, distinguishes",
    ),
    mark(
        "speaks",
        Word,
        r"(?i)\b(?:speaks?|spoken|spoke)\b",
        r"(?i)ly speaking|\bto speak of\b",
        "write implements, uses, refers to",
    ),
    mark(
        "comes of",
        Word,
        r"(?i)\b(?:comes?|came|becomes?|became) of\b",
        "",
        "write results from, is caused by, is the result of",
    ),
    mark(
        "takes apart",
        Word,
        r"(?i)\b(?:takes?|taken|took|taking) (?:\w+ )?apart\b",
        "",
        "write parses, splits, decomposes",
    ),
    mark(
        "so many",
        Word,
        r"(?i)\bso (?:many|much)\b",
        r"(?i)\bso (?:many|much) (?:that|for|as)\b|\b(?:are|already|not|isn't) so (?:many|much)\b",
        "name the number: `this many rows`, `n rows`, `the given number`",
    ),
    mark(
        "of what",
        Word,
        r"(?i)\b(?:of|as|than|by|with|and|from|to|for|on|in|but) what (?:is|was|are|were|has|had|can|may|must|would)\b",
        "",
        "a clause in place of a noun: name what it is about",
    ),
    mark(
        "headless",
        Headless,
        HEADLESS,
        NOT_HEADLESS,
        "a clause in place of a noun: name the subject (`the swept parameter`, not `what is swept`)",
    ),
    mark(
        "says",
        Hint,
        r"(?i)\b(?:says?|said)\b",
        r"(?i)said to be|[,(] ?say,?\b",
        "write reports, states, declares, prints",
    ),
    mark("nothing", Hint, r"(?i)\bnothing\b", "", "as a value write `None` or `empty`; as a pronoun name the noun"),
    mark("someone", Hint, r"(?i)\b(?:someone|anyone|everyone|everybody)\b", "", "name the role where it is known"),
    mark("those that", Hint, r"(?i)\b(?:those|ones?) (?:that|which|of)\b", "", "repeat the noun"),
    mark(
        "asks",
        Hint,
        r"(?i)\b(?:is|are|was|were|be) asked\b|(?i)\basks\b|(?i)\bask of\b",
        "",
        "write queries, requests, submits, requires",
    ),
    mark("knows", Hint, r"(?i)\bknows\b", "", "write stores, contains, has; observers and adversaries may know"),
    mark(
        "is left",
        Hint,
        r"(?i)\b(?:is|are|was|were) left\b",
        r"(?i)left (?:as|un\w+|alone|in|at|empty|to the)\b",
        "write remains",
    ),
    mark("what is", Hint, r"\bwhat (?:is|was|are|were|has|had|can|may|must|would)\b", "", "name the noun"),
    mark(
        "archaic",
        Hint,
        r"(?i)\b(?:anew|likelier|beside|hence|whatever|in all|of its own)\b",
        "",
        "write again, more likely, next to, so, any",
    ),
];

/// A mark at a place.
#[derive(Debug, Clone, Copy)]
pub struct Hit {
    pub start: usize,
    pub end: usize,
    pub mark: &'static Mark,
}

/// All marks, with their matchers.
#[derive(Debug)]
pub struct Marks(Vec<(&'static Mark, Regex, Option<Regex>)>);

impl Marks {
    pub fn new() -> Result<Self, Failure> {
        // With the boundaries of Unicode, matching is many times as slow.
        let compile = |pattern: &str| {
            let pattern = pattern.replace(r"\b", r"(?-u:\b)");
            Regex::new(&pattern).map_err(|error| Failure::Found(error.to_string()))
        };
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
        hits.retain(|hit| !(is_title && hit.mark.group == Headless && hit.start == 0 && hit.end == block.masked.len()));
        hits
    }

    /// The same in a text that is no block, such as the words of a name.
    pub fn find_in(&self, text: &str) -> Vec<Hit> {
        let mut hits: Vec<Hit> = Vec::new();
        for (mark, pattern, except) in &self.0 {
            for found in pattern.find_iter(text) {
                let (start, end) = (found.start(), found.end());
                let overlaps = |from: usize, to: usize| from < end && start < to;
                let is_taken = hits
                    .iter()
                    .any(|hit| overlaps(hit.start, hit.end) && (hit.mark.group == mark.group || mark.group == Hint));
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
