//! For every text the result is a policy or errors at places that exist.

#[path = "../../../../../fuzz/src/policy.rs"]
mod policy;

use policy::check;
use proptest::prelude::*;

const FULL: &str = include_str!("../../testdata/good/full.toml");

/// Texts that could replace a value by mistake or in an attack.
const VALUES: [&str; 29] = [
    "0",
    "1",
    "-1",
    "1e60",
    "1e-60",
    "\"1/3\"",
    "\"-1/3\"",
    "\"..\"",
    "\"?\"",
    "\"\"",
    "[]",
    "[[]]",
    "{}",
    "true",
    "nan",
    "-inf",
    "\"%\"",
    "1979-05-27",
    "[1979-05-27, \"2024-12-31T10:00\"]",
    "\"%Y-%m-%d\"",
    "[0, 1]",
    "[1, 0]",
    "{ at_most = 0.999999999999999999 }",
    "9223372036854775807",
    "-9223372036854775808",
    "\"9223372036854775808\"",
    "\"\\u001b[2J\"",
    "\"é\\u0000\"",
    "0.30000000000000000000000000004",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn arbitrary_texts(text in any::<String>()) {
        check(&text);
    }

    #[test]
    fn texts_of_toml_pieces(pieces in prop::collection::vec(prop::sample::select(vec![
        "[", "]", "[[", "]]", "data", "query", "promise", "=", " ", "\n", "\"", "'''", "{", "}", ",", ".", "1", "0.5", "#", "\u{feff}", "é",
    ]), 0..60)) {
        check(&pieces.concat());
    }

    /// A few characters of the full example removed, doubled or replaced.
    #[test]
    fn damaged_policies(damage in prop::collection::vec((0..FULL.chars().count(), 0_usize..40, any::<Option<char>>()), 1..4)) {
        let mut text: Vec<char> = FULL.chars().collect();
        for (at, length, with) in damage {
            let at = at.min(text.len());
            let end = (at + length).min(text.len());
            text.splice(at..end, with);
        }
        check(&text.into_iter().collect::<String>());
    }

    /// One value replaced, the rest unchanged: this passes the syntax.
    #[test]
    fn exchanged_values(line in any::<prop::sample::Index>(), value in prop::sample::select(VALUES.to_vec())) {
        let lines: Vec<&str> = FULL.lines().collect();
        let with_value: Vec<usize> = (0..lines.len()).filter(|at| lines[*at].contains(" = ") && !lines[*at].contains("\"\"\"")).collect();
        let at = with_value[line.index(with_value.len())];
        let mut changed: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
        changed[at] = format!("{} = {value}", lines[at].split(" = ").next().unwrap());
        check(&changed.join("\n"));
    }

    /// A line missing, doubled or moved.
    #[test]
    fn exchanged_lines(from in any::<prop::sample::Index>(), to in any::<prop::sample::Index>(), keep in any::<bool>()) {
        let mut lines: Vec<&str> = FULL.lines().collect();
        let from = from.index(lines.len());
        let line = if keep { lines[from] } else { lines.remove(from) };
        lines.insert(to.index(lines.len()), line);
        check(&lines.join("\n"));
    }
}

/// The checks above would be empty if the undamaged text failed.
#[test]
fn the_undamaged_policy_holds() {
    assert!(check(FULL));
}
