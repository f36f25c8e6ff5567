//! The page on whose row is this: what is matched, what of it is right, and how often somebody is matched who is not there.

use super::{files, foot, share};
use crate::frame::{figure, list, page, scroll};
use deniable_attack::report::{LinkageReport, LinkedGroup, Share, coverage};
use deniable_chart::shares::{self, Shares};
use maud::{Markup, html};

/// The people outside, where there are any.
fn baseline(attack: &LinkageReport) -> Option<Share> {
    attack.outside.map(|outside| outside.unique).filter(|matched| matched.of > 0)
}

/// The page.
#[must_use]
pub fn linkage(attack: &LinkageReport) -> String {
    let section = |anchor: &str, heading: &str, contents| (anchor.to_owned(), heading.to_owned(), contents);
    let how = [format!("{} rows, {}.", attack.rows, attack.method)];
    let sections = [
        section("matches", "What was matched", matched(attack)),
        section("attacked", "What was attacked", html! { (files(&attack.files)) (list(&how)) }),
        section("reading", "How to read it", list(&reading(attack))),
        section("limits", "What this attack does not do", list(&LIMITS.map(str::to_owned))),
    ];
    page(&format!("Linkage with {}: whose rows are these?", attack.released), &lead(attack), &sections, &foot())
}

/// What this attack does not do.
const LIMITS: [&str; 3] = [
    "It looks at unique matches only: among two or three rows a person is nearly found, and is not counted.",
    "It uses these columns, from this table. Whoever knows more, or has another register, may find more.",
    "An attack that fails says that this attack fails.",
];

fn lead(attack: &LinkageReport) -> Markup {
    let Share { hits, of, value, .. } = attack.targets.unique;
    let whom = if attack.is_truth_known() { "people in the data" } else { "people who were looked for" };
    html! {
        p.lead {
            @match value {
                None => { "Nobody was looked for." }
                Some(value) => {
                    (hits) " of " (of) " " (whom) " (" (share(value)) ") are matched with one row alone."
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
                    (share(outside.value.unwrap_or_default())) ") are matched with one row all the same. Every such match is wrong."
                }
                None => {
                    "Nobody is known not to be in the data, so nothing says here how often such people are matched all the same, and how "
                    "far a match may be trusted."
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
                    None => { td colspan="3" { "there is none" } }
                }
            } } }
        }
    };
    let drawn = lines.iter().filter_map(|(label, line)| {
        Some(shares::ShareBar { label: (*label).to_owned(), value: line.value?, low: line.low, high: line.high })
    });
    let drawn = Shares { title: "What was matched".to_owned(), intervals: interval, shares: drawn.collect() };
    let caption = if baseline(attack).is_some() {
        "Shares with their intervals. Where nearly as many are matched who are not in the data, a match says little."
    } else {
        "Shares with their intervals."
    };
    html! {
        (scroll("matches", &contents))
        @if !attack.is_truth_known() { p { "Which matches are correct is not known: no column says who is who." } }
        (also(attack))
        @if !drawn.shares.is_empty() { (figure(shares::shares(&drawn), caption)) }
    }
}

/// Those who are near to a match, and those who cannot have one.
fn also(attack: &LinkageReport) -> Markup {
    let groups = [Some(("who were looked for", attack.targets)), attack.outside.map(|outside| ("outside", outside))];
    let line = |(whom, group): (&str, LinkedGroup)| {
        let incomplete = match group.incomplete {
            0 => String::new(),
            some => format!("; {some} lack a value to match on, and match nobody"),
        };
        format!("Of {} people {whom}, {} agree with at least one row{incomplete}.", group.people, group.agreeing)
    };
    let lines: Vec<String> = groups.into_iter().flatten().filter(|(_, group)| group.people > 0).map(line).collect();
    list(&lines)
}

/// How to read the shares.
fn reading(attack: &LinkageReport) -> Vec<String> {
    let mut lines = vec![
        "A match is unique where one person and one row have each other alone. Intervals are exact (Clopper and Pearson), about other \
         people drawn like these."
            .to_owned(),
    ];
    if baseline(attack).is_some() {
        lines.push(
            "People who are not in the data are the baseline: an attacker who does not know who is in it takes such matches for right ones."
                .to_owned(),
        );
    }
    if baseline(attack).is_some() && attack.trust.is_some() {
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
    fn shares_stand_with_their_intervals_and_the_baseline() {
        let page = linkage(&example(|_| {}));
        for words in [
            "4903 of 5000 people in the data (98.1%) are matched with one row alone. Of these matches 4903 (100.0%) are correct.",
            "Of 10000 people who are not in the data, 32 (0.3%) are matched",
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
        assert!(page.contains("looked for, matched uniquely") && page.contains("no column says who is who"));
        assert!(page.contains("Nobody is known not to be in the data"));
        for words in ["are correct.", "in the data, matched", "of these matches", "Correct ones", "are the baseline"] {
            assert!(!page.contains(words), "{words}: {page}");
        }
    }

    #[test]
    fn nobody_has_no_shares() {
        let nobody = LinkageCounts { correct: Some(0), ..LinkageCounts::default() };
        let page = linkage(&example(|found| (found.targets, found.outside) = (nobody, Some(LinkageCounts::default()))));
        for words in ["Nobody was looked for.", "there is none"] {
            assert!(page.contains(words), "{words}: {page}");
        }
        assert!(!page.contains("NaN") && !page.contains("<figure>"), "{page}");
    }
}
