//! `deniable report`, and `release --report`.

use crate::support::{self, Place};

/// The parts of a page between tags of a kind.
fn between<'a>(page: &'a str, open: &'a str, close: &'a str) -> impl Iterator<Item = &'a str> {
    page.split(open).skip(1).filter_map(move |rest| rest.split_once(close).map(|(inside, _)| inside))
}

/// A page without its charts.
fn without_pictures(page: &str) -> String {
    page.split("<svg").map(|part| part.split_once("</svg>").map_or(part, |(_, rest)| rest)).collect()
}

/// The page without what it says of unusable numbers (a note, a sign in the legend): that follows from the answers.
fn without_note(page: &str) -> String {
    let mut kept = String::new();
    for part in page.split_inclusive("</li>") {
        match part.rsplit_once("<li>") {
            Some((before, item)) if item.contains("not usable: ") || item.contains("nothing can be said") => {
                kept += before;
            }
            _ => kept += part,
        }
    }
    kept.replace("<ul class=\"notes\"></ul>", "")
}

fn numbers(page: &str) -> Vec<String> {
    between(page, "<td class=\"number\">", "</td>").map(str::to_owned).collect()
}

#[test]
fn a_ledger_alone_shows_what_its_policy_shows() {
    let place = Place::clinic();
    place.release(&["--report", "first.html"]).done();
    place.run(&["report", "policy.toml", "--out", "again.html"]).done();
    let alone = place.run(&["report", "--ledger", "clinic-patients.ledger"]).done().stdout;
    let (first, again) = (place.read("first.html"), place.read("again.html"));
    assert_eq!(first, again);
    assert_eq!(numbers(&first), numbers(&alone));
    assert!(first.contains("No observer becomes more than 75% sure"));
    assert!(first.contains("Take 100 people like you"));
    // The text is that of the publication; the queries are the rest.
    assert!(first.contains("observers who know exactly how many people are in the data"));
    assert!(first.contains("2 more queries like"));
    // The charge does not depend on the view.
    assert_eq!(place.charges(), 5);
}

/// The time between two charges reveals how long an answer took, so a page contains only days.
#[test]
fn a_page_contains_no_times() {
    let place = Place::clinic();
    place.release(&["--report", "page.html"]).done();
    let words = without_pictures(&place.read("page.html"));
    // The head of the ledger, in the footer, is a number, a colon and a hash.
    let body = words.split_once("<body>").unwrap().1.split_once("<footer>").unwrap().0;
    let digit = |at: usize| body.as_bytes().get(at).is_some_and(u8::is_ascii_digit);
    let is_clock = |at: usize| at > 1 && [at - 2, at - 1, at + 1, at + 2].into_iter().all(digit);
    let clock = body.match_indices(':').find(|(at, _)| is_clock(*at));
    assert_eq!(clock, None);
}

/// The page depends on the data only through the released numbers.
#[test]
fn neighbouring_data_make_the_same_page_but_for_the_answers() {
    let page = |change: &dyn Fn(&Place)| {
        let place = Place::clinic();
        change(&place);
        place.release(&["--query", "visits by sex", "--report", "page.html"]).done();
        let page = without_pictures(&place.read("page.html"));
        let page = page.split_once("<footer>").unwrap().0.to_owned();
        // The remark about negative counts follows from the released counts.
        let page = match page.split_once("<p class=\"muted\">Where a count is negative") {
            Some((before, rest)) => before.to_owned() + rest.split_once("</p>").unwrap().1,
            None => page,
        };
        // The answer as CSV.
        let page = page
            .split("href=\"data:text/csv")
            .map(|part| part.trim_start_matches(|c: char| c != '"').to_owned())
            .collect::<String>();
        let page = page
            .split("<td class=\"number\">")
            .map(|part| part.trim_start_matches(|c: char| !"<".contains(c)).to_owned())
            .collect::<String>();
        // The classes of quality, and the note that counts the numbers in the last class, follow from them too.
        let page = ["A", "B", "C", "bias unknown", "not usable"]
            .iter()
            .fold(page, |page, class| page.replace(&format!("<td>{class}</td>"), "<td>class</td>"));
        without_note(&page)
    };
    let one = page(&|_| {});
    let other = page(&|place| {
        let all = place.read("visits.csv");
        let gone = all.lines().nth(1).unwrap().split(',').next().unwrap().to_owned();
        let kept: Vec<&str> = all.lines().filter(|line| !line.starts_with(&gone)).collect();
        assert!(kept.len() < all.lines().count());
        place.write("visits.csv", kept.join("\n") + "\n");
    });
    assert_eq!(one, other);
}

#[test]
fn a_damaged_ledger_makes_no_page() {
    let place = Place::clinic();
    place.release(&[]).done();
    let connection = rusqlite::Connection::open(place.path("clinic-patients.ledger")).unwrap();
    let tables: Vec<String> = connection
        .prepare("SELECT name FROM sqlite_master WHERE type = 'trigger'")
        .unwrap()
        .query_map([], |row| row.get(0))
        .unwrap()
        .map(Result::unwrap)
        .collect();
    for trigger in tables {
        connection.execute_batch(&format!("DROP TRIGGER \"{trigger}\"")).unwrap();
    }
    let changed = connection
        .execute("UPDATE entries SET payload = replace(payload, 'visits by sex', 'visits by age')", [])
        .unwrap();
    assert!(changed > 0);
    drop(connection);
    for args in [
        &["report", "policy.toml", "--out", "page.html"] as &[&str],
        &["report", "--ledger", "clinic-patients.ledger", "--out", "page.html"],
    ] {
        let run = place.run(args).refused();
        assert!(run.stderr.contains("entry"), "{}", run.stderr);
        assert!(!place.path("page.html").exists());
    }
}

#[test]
fn mistakes_are_reported_before_anything_is_charged() {
    let place = Place::clinic();
    let said =
        |run: support::Run, words: &str| assert!(run.stderr.contains(words), "{words:?} is not in {}", run.stderr);
    said(place.run(&["report"]).misused(), "name a policy, or a ledger");
    said(place.run(&["report", "policy.toml"]).refused(), "clinic-patients.ledger");
    said(place.release(&["--report", "nowhere/page.html"]).misused(), "the folder does not exist");
    said(place.release(&["--report", "visits.csv"]).misused(), "would overwrite");
    said(place.release(&["--report", "a.txt", "--out", "a.txt"]).misused(), "both name");
    assert_eq!(place.charges(), 0);
    place.release(&["--query", "patients"]).done();
    // The page never overwrites its inputs.
    let [policy, data, ledger] = ["policy.toml", "visits.csv", "clinic-patients.ledger"];
    let [key, head] = ["clinic-patients.ledger.key", "clinic-patients.ledger.head"];
    for own in [policy, data, ledger, key, head] {
        said(place.run(&["report", policy, "--out", own]).misused(), "would overwrite");
    }
    for own in [ledger, key, head] {
        said(place.run(&["report", "--ledger", ledger, "--out", own]).misused(), "would overwrite");
    }
    // The same query under another name has the same answer.
    place.edit("policy.toml", "name = \"patients\"", "name = \"persons\"");
    let page = place.run(&["report", "policy.toml"]).done().stdout;
    assert!(page.contains("persons"));
    // A stored answer that the policy no longer contains is still shown.
    place.edit("policy.toml", "version = \"2024-06\"", "version = \"2024-07\"");
    assert!(place.run(&["report", "policy.toml"]).done().stdout.contains(">patients<"));
}

/// After the promise was changed, the page of the policy with the new promise describes it.
#[test]
fn the_page_of_a_policy_describes_a_changed_promise() {
    let place = Place::clinic();
    place.release(&["--query", "patients"]).done();
    place.edit("policy.toml", "posterior_at_most = 0.75", "posterior_at_most = 0.8");
    place.run(&["ledger", "change-promise", "policy.toml", "--reason", "the board agreed"]).done();
    let page = place.run(&["report", "policy.toml"]).done().stdout;
    for words in ["No observer becomes more than 80% sure", ">patients<", "the board agreed", "Provided that"] {
        assert!(page.contains(words), "{words}");
    }
}

/// The papers state the promise, the queries and the spending, before and after a release, and no private number.
#[test]
fn papers_for_other_readers() {
    let place = Place::clinic();
    place.edit(
        "policy.toml",
        "[data]\n",
        "[publication]\ntitle = \"Visits to the clinic\"\ncontact = \"a@b.example\"\n\n[data]\n",
    );
    let paper = |readers: &str| place.run(&["report", "policy.toml", "--for", readers]).done().stdout;
    let planned = paper("nist-800-226");
    assert!(planned.contains("planned: visits by sex: `SELECT sex, COUNT(*) AS visits"), "{planned}");
    assert_eq!(place.charges(), 0);
    place.release(&[]).done();
    for (readers, words) in [
        ("method", ["# Method note: Visits to the clinic", "has scale", "left: "]),
        (
            "ethics",
            [
                "someone who gave it 50% before cannot be more than 75% sure",
                "observers who know exactly",
                "Contact: a@b.example",
            ],
        ),
        ("nist-800-226", ["pure differential privacy (δ = 0)", "share 3/32", "TO BE ANSWERED"]),
    ] {
        let text = paper(readers);
        assert!(words.iter().all(|word| text.contains(word)), "{readers}: {text}");
        assert!(!text.contains("<s") && text.lines().all(|line| !line.ends_with(' ')), "{text}");
    }
    place.run(&["report", "--ledger", "clinic-patients.ledger", "--for", "ethics"]).misused();
}

/// The papers state the promise of the ledger, not that of an edited policy, and texts of the policy become no markup.
#[test]
fn papers_state_the_promise_in_force() {
    let place = Place::clinic();
    let title = "[publication]\ntitle = \"# <script> [a](b) `x`\"\n\n[data]\n";
    place.edit("policy.toml", "[data]\n", title);
    place.release(&[]).done();
    place.edit("policy.toml", "posterior_at_most = 0.75", "posterior_at_most = 0.6");
    for readers in ["method", "ethics", "nist-800-226"] {
        let text = place.run(&["report", "policy.toml", "--for", readers]).done().stdout;
        assert!(text.contains("75%") && !text.contains("60%"), "{readers}: {text}");
        assert!(text.contains("\\# \\<script\\> \\[a\\](b) 'x'"), "{readers}: {text}");
    }
}
