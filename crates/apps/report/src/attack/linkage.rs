//! The page on whose row is this: what is matched, what of it is right, and how often somebody is matched who is not there.

use super::{files, foot, share};
use crate::frame::{figure, list, page, scroll};
use deniable_chart::shares::{self, Shares};
use maud::{Markup, html};

/// An attack by linkage.
#[derive(Debug, Clone, PartialEq)]
pub struct Linkage {
    /// The heading.
    pub title: String,
    /// What went in: what it is, and its file's name.
    pub files: Vec<(String, String)>,
    /// How it was matched, in sentences: the columns that were joined on, or the settings.
    pub how: Vec<String>,
    /// What intervals cover, as it is written: "95%".
    pub confidence: String,
    /// The people in the data who were looked for; where the truth is not known, everybody who was.
    pub targets: Group,
    /// People who are known not to be in the data, where there are any.
    pub outside: Option<Group>,
    /// The correct ones among all unique matches, those of people outside included; `None` where the truth is not known.
    pub trust: Option<MatchShare>,
}

/// What became of a group of people.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Group {
    /// Those without a value to match on.
    pub incomplete: u64,
    /// Those who agree with at least one row.
    pub agreeing: u64,
    /// Those who are matched uniquely, of all.
    pub matched: MatchShare,
    /// Of these matches, the correct ones, where the truth is known.
    pub correct: Option<MatchShare>,
}

/// A share of people or of matches.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct MatchShare {
    /// How many.
    pub hits: u64,
    /// Of how many.
    pub of: u64,
    /// The low end of its interval, from 0 to 1.
    pub low: f64,
    /// The high end.
    pub high: f64,
}

impl MatchShare {
    /// As a number from 0 to 1; nothing has no shares.
    fn value(&self) -> Option<f64> {
        (self.of > 0).then(|| self.hits as f64 / self.of as f64)
    }
}

/// A line: what it is, the share, and what is said where there is nobody.
struct Line {
    name: &'static str,
    share: MatchShare,
    nobody: &'static str,
}

impl Linkage {
    /// Whether it is known who is who.
    fn is_known(&self) -> bool {
        self.targets.correct.is_some()
    }

    fn lines(&self) -> Vec<Line> {
        let name = if self.is_known() { "in the data, matched uniquely" } else { "looked for, matched uniquely" };
        let mut lines = vec![Line { name, share: self.targets.matched, nobody: "nobody was looked for" }];
        let mut add =
            |name, share: Option<MatchShare>, nobody| lines.extend(share.map(|share| Line { name, share, nobody }));
        let outside = self.outside.map(|outside| outside.matched);
        add("of these matches, correct", self.targets.correct, "there are no matches");
        add("not in the data, matched uniquely all the same", outside, "nobody is known to be outside");
        add("of all these matches, correct", self.trust.filter(|_| outside.is_some()), "there are no matches");
        lines
    }

    /// The people outside, where there are any.
    fn baseline(&self) -> Option<MatchShare> {
        self.outside.map(|outside| outside.matched).filter(|matched| matched.of > 0)
    }
}

/// The page.
#[must_use]
pub fn linkage(attack: &Linkage) -> String {
    let section = |anchor: &str, heading: &str, contents| (anchor.to_owned(), heading.to_owned(), contents);
    let sections = [
        section("matches", "What was matched", matched(attack)),
        section("attacked", "What was attacked", html! { (files(&attack.files)) (list(&attack.how)) }),
        section("reading", "How to read it", list(&reading(attack))),
        section("limits", "What this attack does not do", list(&LIMITS.map(str::to_owned))),
    ];
    page(&attack.title, &lead(attack), &sections, &foot())
}

/// What this attack does not do.
const LIMITS: [&str; 3] = [
    "It looks at unique matches only: among two or three rows a person is nearly found, and is not counted.",
    "It uses these columns, from this table. Whoever knows more, or has another register, may find more.",
    "An attack that fails says that this attack fails.",
];

fn lead(attack: &Linkage) -> Markup {
    let (matched, whom) =
        (attack.targets.matched, if attack.is_known() { "people in the data" } else { "people who were looked for" });
    html! {
        p.lead {
            @match matched.value() {
                None => { "Nobody was looked for." }
                Some(value) => {
                    (matched.hits) " of " (matched.of) " " (whom) " (" (share(value)) ") are matched with one row alone."
                    @if let Some((correct, right)) = attack.targets.correct.and_then(|correct| Some((correct, correct.value()?))) {
                        " Of these matches " (correct.hits) " (" (share(right)) ") are correct."
                    }
                }
            }
        }
        div.promise {
            p { "The baseline" }
            p { @match attack.baseline() {
                Some(outside) => {
                    "Of " (outside.of) " people who are not in the data, " (outside.hits) " ("
                    (share(outside.value().unwrap_or_default())) ") are matched with one row all the same. Every such match is wrong."
                }
                None => {
                    "Nobody is known not to be in the data, so nothing says here how often such people are matched all the same, and how "
                    "far a match may be trusted."
                }
            } }
        }
    }
}

fn matched(attack: &Linkage) -> Markup {
    let lines = attack.lines();
    let contents = html! {
        table {
            thead { tr {
                th scope="col" { "who" } th.number scope="col" { "people or matches" } th.number scope="col" { "share" }
                th.number scope="col" { (attack.confidence) " interval" }
            } }
            tbody { @for line in &lines { tr {
                th scope="row" { (line.name) }
                @match line.share.value() {
                    Some(value) => {
                        td.number { (line.share.hits) " of " (line.share.of) }
                        td.number { (share(value)) }
                        td.number { (share(line.share.low)) " to " (share(line.share.high)) }
                    }
                    None => { td colspan="3" { (line.nobody) } }
                }
            } } }
        }
    };
    let drawn = lines.iter().filter_map(|line| {
        let (value, low, high) = (line.share.value()?, line.share.low, line.share.high);
        Some(shares::ShareBar { label: line.name.to_owned(), value, low, high })
    });
    let drawn = Shares {
        title: "What was matched".to_owned(),
        intervals: format!("{} interval", attack.confidence),
        shares: drawn.collect(),
    };
    let caption = if attack.baseline().is_some() {
        "Shares with their intervals. Where nearly as many are matched who are not in the data, a match says little."
    } else {
        "Shares with their intervals."
    };
    html! {
            (scroll("matches", &contents))
            @if !attack.is_known() { p { "Which matches are correct is not known: no column says who is who." } }
            (also(attack))
            @if !drawn.shares.is_empty() {
    (figure(shares::shares(&drawn), caption))
            }
        }
}

/// Those who are near to a match, and those who cannot have one.
fn also(attack: &Linkage) -> Markup {
    let groups = [Some(("who were looked for", attack.targets)), attack.outside.map(|outside| ("outside", outside))];
    let lines: Vec<String> = groups
        .into_iter()
        .flatten()
        .filter(|(_, group)| group.matched.of > 0)
        .map(|(whom, group)| {
            let incomplete = match group.incomplete {
                0 => String::new(),
                some => format!("; {some} lack a value to match on, and match nobody"),
            };
            format!(
                "Of {} people {whom}, {} agree with at least one row{incomplete}.",
                group.matched.of, group.agreeing
            )
        })
        .collect();
    list(&lines)
}

/// How to read the shares.
fn reading(attack: &Linkage) -> Vec<String> {
    let mut lines = vec![
        "A match is unique where one person and one row have each other alone. Intervals are exact (Clopper and Pearson), about other \
         people drawn like these."
            .to_owned(),
    ];
    if attack.baseline().is_some() {
        lines.push(
            "People who are not in the data are the baseline: an attacker who does not know who is in it takes such matches for right ones."
                .to_owned(),
        );
    }
    if attack.baseline().is_some() && attack.trust.is_some() {
        lines.push(
            "Correct ones of all matches say how far that attacker may trust a match. This depends on how many people of either kind were \
             looked for."
                .to_owned(),
        );
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(hits: u64, of: u64) -> MatchShare {
        let value = hits as f64 / of as f64;
        MatchShare { hits, of, low: value * 0.9, high: 1.0 - (1.0 - value) * 0.9 }
    }

    fn example() -> Linkage {
        let group = |matched, correct| Group { incomplete: 3, agreeing: 4990, matched, correct };
        Linkage {
            title: "Whose row is <this>?".into(),
            files: vec![("released rows".into(), "<hospital>.csv".into()), ("register".into(), "register.csv".into())],
            how: vec!["Joined on `zip`, `birth` and `<sex>`.".into()],
            confidence: "95%".into(),
            targets: group(of(4903, 5000), Some(of(4903, 4903))),
            outside: Some(group(of(32, 10_000), None)),
            trust: Some(of(4903, 4935)),
        }
    }

    #[test]
    fn shares_stand_with_their_intervals_and_the_baseline() {
        let page = linkage(&example());
        for words in [
            "4903 of 5000 people in the data (98.1%) are matched with one row alone. Of these matches 4903 (100.0%) are correct.",
            "Of 10000 people who are not in the data, 32 (0.3%) are matched",
            "<td class=\"number\">4903 of 5000</td><td class=\"number\">98.1%</td><td class=\"number\">88.3% to 98.3%</td>",
            "<td class=\"number\">4903 of 4935</td><td class=\"number\">99.4%</td>",
            "Of 5000 people who were looked for, 4990 agree with at least one row; 3 lack a value",
            "in the data, matched uniquely: 98.1%, from 88.3% to 98.3%.",
            "<code>zip</code>",
        ] {
            assert!(page.contains(words), "{words}: {page}");
        }
        assert!(!page.contains("<this>") && !page.contains("<hospital>") && !page.contains("<sex>"), "{page}");
        assert!(!page.contains("<script") && !page.contains("src="));
    }

    #[test]
    fn without_the_truth_nothing_is_called_correct() {
        let mut attack = example();
        (attack.targets.correct, attack.outside, attack.trust) = (None, None, None);
        let page = linkage(&attack);
        assert!(page.contains("4903 of 5000 people who were looked for (98.1%)"), "{page}");
        assert!(page.contains("looked for, matched uniquely") && page.contains("no column says who is who"));
        assert!(page.contains("Nobody is known not to be in the data"));
        for words in ["are correct.", "in the data, matched", "of these matches", "Correct ones", "are the baseline"] {
            assert!(!page.contains(words), "{words}: {page}");
        }
    }

    #[test]
    fn nobody_has_no_shares() {
        let nothing = Linkage {
            targets: Group { correct: Some(MatchShare::default()), ..Group::default() },
            outside: Some(Group::default()),
            trust: Some(MatchShare::default()),
            ..example()
        };
        let page = linkage(&nothing);
        for words in ["Nobody was looked for.", "there are no matches", "nobody is known to be outside"] {
            assert!(page.contains(words), "{words}: {page}");
        }
        assert!(!page.contains("NaN") && !page.contains("<figure>"), "{page}");
    }
}
