//! Consistency of the table: every name means one notion, every notion is complete, and keywords of ledgers are
//! unchanged.

use super::*;
use crate::exact::{parse_rational, ratio, whole};
use crate::promise::Promise;
use std::collections::BTreeMap;

#[test]
fn every_name_means_one_notion() {
    let mut seen: BTreeMap<String, NamedNotion> = BTreeMap::new();
    for found in every_name() {
        assert!(!normal(found.name).is_empty());
        if let Some(other) = seen.insert(normal(found.name), found) {
            panic!("`{}` of {:?} is `{}` of {:?}", found.name, found.notion, other.name, other.notion);
        }
        assert_eq!(find(found.name), Some(found));
        for spelt in [found.name.to_uppercase(), found.name.replace('-', "_"), found.name.replace(['-', '_'], " ")] {
            assert_eq!(find(&spelt), Some(found), "{spelt}");
        }
    }
    assert_eq!((find(""), find("-_ ")), (None, None));
}

#[test]
fn every_notion_is_complete() {
    for (at, notion) in Notion::ALL.into_iter().enumerate() {
        let entry = notion.entry();
        assert_eq!((notion as usize, entry.notion), (at, notion));
        for said in [entry.name, entry.title, entry.theorem, entry.page, entry.sentence, entry.bounds.name] {
            assert!(!said.is_empty() && said.trim() == said, "{notion:?}");
        }
        assert!(!entry.sentence.ends_with('.'), "{notion:?}");
        assert!(entry.name.chars().all(|c| c.is_ascii_lowercase() || c == '-'), "{notion:?}");
        // The form is the name, then each parameter in its place.
        let places: Vec<&str> = entry.parameters.iter().map(|parameter| parameter.place).collect();
        let form =
            if places.is_empty() { entry.name.to_owned() } else { format!("{}:{}", entry.name, places.join("..")) };
        assert_eq!(entry.form, form);
        let first = entry.bounds.example.split(',').next().unwrap();
        let example = parse_rational(first).unwrap();
        assert!(example >= whole(entry.bounds.least), "{notion:?}");
        assert!(entry.bounds.most.is_none_or(|most| example <= whole(most)), "{notion:?}");
    }
}

/// A key means the notion that it promises; for (α,β) the keys are names of its two halves.
#[test]
fn keys_of_promises_are_names() {
    for notion in Notion::ALL {
        let Some(promise) = notion.entry().promise else { continue };
        let expected = if notion == Notion::AlphaBeta { Notion::Alpha } else { notion };
        assert_eq!(find(promise.key).unwrap().notion, expected, "{}", promise.key);
    }
}

/// These keywords are in ledgers, which are hash-chained and parsed again.
#[test]
fn ledgers_keep_their_words() {
    let all = [
        (Promise::PosteriorAtMost(ratio(3, 4)), "posterior_at_most = 3/4", "B-4"),
        (Promise::PosteriorAtLeast(ratio(1, 10)), "posterior_at_least = 1/10", "B-4"),
        (Promise::Gain(ratio(3, 2)), "gain = 3/2", "B-3"),
        (Promise::NegativeGain(whole(2)), "negative_gain = 2", "B-3n"),
        (Promise::Epsilon(ratio(1, 10)), "epsilon = 1/10", "C-1"),
        (Promise::Odds(ratio(7, 2)), "epsilon = ln(7/2)", "C-1"),
        (Promise::Rho { rho: ratio(1, 2), among: 100 }, "rho = 1/2 among 100", "B-5"),
        (
            Promise::AlphaBeta { alpha: ratio(1, 2), beta: whole(1), least: whole(0), most: None },
            "alpha = 1/2, beta = 1, P_min = 0",
            "B-6",
        ),
    ];
    for (promise, text, theorem) in all {
        assert_eq!((promise.to_string().as_str(), promise.theorem()), (text, theorem));
        assert_eq!(text.parse(), Ok(promise));
    }
    // Only keywords are accepted: an alias in a ledger would be an edit.
    for text in ["loss = 2", "pmp = 2", "Gain = 2", "posterior = 3/4"] {
        assert!(text.parse::<Promise>().is_err(), "{text}");
    }
}

#[test]
fn a_name_in_odds_is_a_factor() {
    for (name, odds) in [("odds", true), ("Bounded Odds", true), ("epsilon", false), ("dp", false), ("pmp", false)] {
        assert_eq!(find(name).map(|found| found.is_odds()), Some(odds), "{name}");
    }
}
