//! Mechanisms, protocols and certificates damaged by a seeded mutator: a short version of the fuzzers.

#[path = "../../../../../fuzz/src/check.rs"]
mod fuzzed;

use super::common::dice::Dice;
use fuzzed::check;

/// A text, and the byte that selects its parser.
const SEEDS: [(u8, &str); 11] = [
    (0, include_str!("../../../../../testdata/check/response.toml")),
    (0, include_str!("../../../../../testdata/check/thirds.toml")),
    (0, include_str!("../../../../../testdata/check/counts.toml")),
    (1, include_str!("../../../../../testdata/check/response.json")),
    (1, include_str!("../../../../../testdata/check/response-list.json")),
    (1, include_str!("../../../../../testdata/check/counts.json")),
    (2, include_str!("../../../../../testdata/check/response.csv")),
    (2, include_str!("../../../../../testdata/check/counts.csv")),
    (2, include_str!("../../../../../testdata/check/protocol.csv")),
    (4, "sampled:1/10"),
    (4, "zero-knowledge:2"),
];

/// Fragments that occur in no seed.
const PIECES: [&str; 16] = [
    "",
    "0",
    "-1",
    "1e999",
    "1/0",
    "NaN",
    "\"",
    "{}",
    "[[",
    "\u{0}",
    "\u{202e}",
    "é",
    ",,",
    "999999999999999999999",
    "1e-60",
    "\n\n",
];

fn bytes(choice: u8, text: &str) -> Vec<u8> {
    [&[choice], text.as_bytes()].concat()
}

#[test]
fn seeds_are_parsed() {
    for (choice, seed) in SEEDS {
        assert!(check(&bytes(choice, seed)), "{seed}");
    }
}

#[test]
fn damaged_texts_are_refused_with_messages() {
    let mut dice = Dice::new(4);
    let (mut understood, all) = (0, 4_000);
    for _ in 0..all {
        let (choice, seed) = SEEDS[dice.below(SEEDS.len())];
        let mut text: Vec<char> = seed.chars().collect();
        for _ in 0..=dice.below(2) {
            let from = dice.below(text.len() + 1);
            let to = (from + dice.below(8)).min(text.len());
            let put: Vec<char> = match dice.below(4) {
                0 => Vec::new(),
                1 => PIECES[dice.below(PIECES.len())].chars().collect(),
                2 => text[from..to].repeat(2),
                _ => {
                    let begin = dice.below(text.len() + 1);
                    text[begin..(begin + dice.below(40)).min(text.len())].to_vec()
                }
            };
            text.splice(from..to, put);
        }
        // Some are parsed as another kind.
        let choice = if dice.below(20) == 0 { dice.below(5) as u8 } else { choice };
        understood += u32::from(check(&bytes(choice, &text.iter().collect::<String>())));
    }
    // Enough pass the parser and are decided.
    assert!(understood > all / 20 && understood < all, "{understood} of {all}");
}
