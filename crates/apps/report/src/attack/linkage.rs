//! The page about linkage: matches, correct matches, and false matches of people who are not in the data.

use super::{files, foot, share};
use crate::frame::{figure, list, page, scroll};
use deniable_attack::report::{LinkageReport, LinkedGroup, Share, coverage};
use deniable_chart::shares::{self, Shares};
use maud::{Markup, html};

/// The share of matched outsiders, if there are any.
fn baseline(attack: &LinkageReport) -> Option<Share> {
    attack.outside.map(|outside| outside.unique).filter(|matched| matched.of > 0)
}

/// The page.
#[must_use]
pub fn linkage(attack: &LinkageReport) -> String {
    let section = |anchor: &str, heading: &str, contents| (anchor.to_owned(), heading.to_owned(), contents);
    let how = [format!("{} rows, {}.", attack.rows, attack.method)];
    let sections = [
        section("matches", "Matches", matched(attack)),
        section("attacked", "Attacked data", html! { (files(&attack.files)) (list(&how)) }),
        section("reading", "How to read it", list(&reading(attack))),
        section("limits", "Limits of this attack", list(&LIMITS.map(str::to_owned))),
    ];
    page(&format!("Linkage with {}: whose rows are these?", attack.released), &lead(attack), &sections, &foot())
}

/// Limits of this attack.
const LIMITS: [&str; 3] = [
    "It counts unique matches only: a person who matches two or three rows is nearly found, but is not counted.",
    "It uses these columns, from this table. An attacker with more knowledge, or another register, may find more.",
    "A failed attack shows only that this attack fails.",
];

fn lead(attack: &LinkageReport) -> Markup {
    let Share { hits, of, value, .. } = attack.targets.unique;
    let whom = if attack.is_truth_known() { "people in the data" } else { "people who were looked for" };
    html! {
        p.lead {
            @match value {
                None => { "There are no people to look for." }
                Some(value) => {
                    (hits) " of " (of) " " (whom) " (" (share(value)) ") match exactly one row."
                    @if let Some((correct, right)) = attack.targets.correct.and_then(|correct| Some((correct, correct.value?))) {
                        " Of these matches " (correct.hits) " (" (share(right)) ") are correct."
                    }
                }
            }
        }
        div.promise {
            p { "The baseline" }
            p { @match baseline(attack) {
                Some(outside) => {
                    "Of " (outside.of) " people who are not in the data, " (outside.hits) " ("
                    (share(outside.value.unwrap_or_default())) ") match exactly one row too. Every such match is wrong."
                }
                None => {
                    "No people are known not to be in the data, so the rate of false matches, and the reliability of a \
                    match, are "
                    "unknown."
                }
            } }
        }
    }
}

fn matched(attack: &LinkageReport) -> Markup {
    let (lines, interval) = (attack.shares(), format!("{} interval", coverage(attack.confidence)));
    let contents = html! {
        table {
            thead { tr {
                th scope="col" { "who" } th.number scope="col" { "people or matches" } th.number scope="col" { "share" }
                th.number scope="col" { (interval) }
            } }
            tbody { @for (label, line) in &lines { tr {
                th scope="row" { (label) }
                @match line.value {
                    Some(value) => {
                        td.number { (line.hits) " of " (line.of) }
                        td.number { (share(value)) }
                        td.number { (share(line.low)) " to " (share(line.high)) }
                    }
                    None => { td colspan="3" { "no data" } }
                }
            } } }
        }
    };
    let drawn = lines.iter().filter_map(|(label, line)| {
        Some(shares::ShareBar { label: (*label).to_owned(), value: line.value?, low: line.low, high: line.high })
    });
    let drawn = Shares { title: "Matches".to_owned(), intervals: interval, shares: drawn.collect() };
    let caption = if baseline(attack).is_some() {
        "Shares with their intervals. If nearly as many people outside the data match, a match means little."
    } else {
        "Shares with their intervals."
    };
    html! {
        (scroll("matches", &contents))
        @if !attack.is_truth_known() {
            p { "The correct matches are unknown: no column identifies the people in both tables." }
        }
        (also(attack))
        @if !drawn.shares.is_empty() { (figure(shares::shares(&drawn), caption)) }
    }
}

/// People who agree with several rows, and people who cannot be matched.
fn also(attack: &LinkageReport) -> Markup {
    let groups = [Some(("who were looked for", attack.targets)), attack.outside.map(|outside| ("outside", outside))];
    let line = |(whom, group): (&str, LinkedGroup)| {
        let incomplete = match group.incomplete {
            0 => String::new(),
            some => format!("; {some} lack a value to match on, and have no match"),
        };
        format!("Of {} people {whom}, {} agree with at least one row{incomplete}.", group.people, group.agreeing)
    };
    let lines: Vec<String> = groups.into_iter().flatten().filter(|(_, group)| group.people > 0).map(line).collect();
    list(&lines)
}

/// Explanations of the shares.
fn reading(attack: &LinkageReport) -> Vec<String> {
    let mut lines = vec![
        "A match is unique if one person and one row agree with each other only. Intervals are exact (Clopper and \
         Pearson), for other people from the same distribution."
            .to_owned(),
    ];
    if baseline(attack).is_some() {
        lines.push(
            "People who are not in the data are the baseline: an attacker who does not know who is in it takes such \
             matches for correct ones."
                .to_owned(),
        );
    }
    if baseline(attack).is_some() && attack.trust.is_some() {
        lines.push(
            "The share of correct matches is the reliability of a match for that attacker. It depends on the numbers \
             of people of either kind."
                .to_owned(),
        );
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use deniable_attack::{Linkage, LinkageCounts, Method};

    fn example(change: impl FnOnce(&mut Linkage)) -> LinkageReport {
        let group = |people, unique, correct| LinkageCounts { people, incomplete: 3, agreeing: 4990, unique, correct };
        let mut found = Linkage { targets: group(5000, 4903, Some(4903)), outside: Some(group(10_000, 32, None)) };
        change(&mut found);
        let files = vec![("released", "<hospital>.csv".into()), ("register", "register.csv".into())];
        let method = Method::Columns(vec!["zip".into(), "<sex>".into()]);
        LinkageReport::new(&found, 5000, method, 0.95, files)
    }

    #[test]
    fn shares_have_intervals_and_a_baseline() {
        let page = linkage(&example(|_| {}));
        for words in [
            "4903 of 5000 people in the data (98.1%) match exactly one row. Of these matches 4903 (100.0%) are \
            correct.",
            "Of 10000 people who are not in the data, 32 (0.3%) match",
            "<td class=\"number\">4903 of 5000</td><td class=\"number\">98.1%</td><td class=\"number\">97.6% to 98.4%</td>",
            "<td class=\"number\">4903 of 4935</td><td class=\"number\">99.4%</td>",
            "Of 5000 people who were looked for, 4990 agree with at least one row; 3 lack a value",
            "in the data, matched uniquely: 98.1%, from 97.6% to 98.4%.",
            "5000 rows, joined on zip, &lt;sex&gt;.",
        ] {
            assert!(page.contains(words), "{words}: {page}");
        }
        assert!(!page.contains("<hospital>") && !page.contains("<sex>"), "{page}");
        assert!(!page.contains("<script") && !page.contains("src="));
    }

    #[test]
    fn without_the_truth_nothing_is_called_correct() {
        let page = linkage(&example(|found| (found.targets.correct, found.outside) = (None, None)));
        assert!(page.contains("4903 of 5000 people who were looked for (98.1%)"), "{page}");
        assert!(page.contains("looked for, matched uniquely") && page.contains("no column identifies the people"));
        assert!(page.contains("No people are known not to be in the data"));
        let absent =
            ["are correct.", "in the data, matched", "of these matches", "share of correct", "are the baseline"];
        for words in absent {
            assert!(!page.contains(words), "{words}: {page}");
        }
    }

    #[test]
    fn without_people_there_are_no_shares() {
        let empty = LinkageCounts { correct: Some(0), ..LinkageCounts::default() };
        let page = linkage(&example(|found| (found.targets, found.outside) = (empty, Some(LinkageCounts::default()))));
        for words in ["There are no people to look for.", "no data"] {
            assert!(page.contains(words), "{words}: {page}");
        }
        assert!(!page.contains("NaN") && !page.contains("<figure>"), "{page}");
    }
}
