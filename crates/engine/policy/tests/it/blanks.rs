//! A blank is one error at its place, whatever depends on it, and all blanks are reported together.

use deniable_policy::{Policy, PolicyErrorKind, PolicyErrors};
use std::path::Path;

const FULL: &str = include_str!("../../testdata/good/full.toml");

fn refused(text: &str) -> PolicyErrors {
    match Policy::parse(Path::new("p.toml"), text) {
        Ok(_) => panic!("blanks must be refused: {text}"),
        Err(errors) => errors,
    }
}

/// The lines of the full example that hold a key and its whole value, with that key.
fn lines_with_value() -> Vec<(usize, &'static str)> {
    let whole = |line: &str| line.contains(" = ") && !line.contains("\"\"\"");
    FULL.lines()
        .enumerate()
        .filter(|(_, line)| whole(line))
        .map(|(at, line)| (at, line.split(" = ").next().unwrap()))
        .collect()
}

fn with_blanks(at: &[(usize, &str)]) -> String {
    let mut lines: Vec<String> = FULL.lines().map(str::to_owned).collect();
    for (line, key) in at {
        lines[*line] = format!("{key} = \"?\"");
    }
    lines.join("\n")
}

/// The places and keys of all errors, each of which must be a blank.
fn blanks(errors: &PolicyErrors) -> Vec<(usize, String)> {
    errors
        .errors()
        .iter()
        .map(|error| {
            assert!(error.help.as_ref().is_some_and(|help| help.len() > 30), "{errors}");
            match &error.kind {
                PolicyErrorKind::Blank { key, .. } => (error.place.as_ref().unwrap().line, key.clone()),
                other => panic!("{other}, in\n{errors}"),
            }
        })
        .collect()
}

#[test]
fn one_blank_is_one_error_and_nothing_follows_from_it() {
    assert!(lines_with_value().len() > 50);
    for (line, key) in lines_with_value() {
        assert_eq!(blanks(&refused(&with_blanks(&[(line, key)]))), [(line + 1, key.to_owned())]);
    }
}

#[test]
fn all_blanks_are_reported_together() {
    let lines = lines_with_value();
    let expected: Vec<(usize, String)> = lines.iter().map(|(line, key)| (line + 1, (*key).to_owned())).collect();
    assert_eq!(blanks(&refused(&with_blanks(&lines))), expected);
}

/// Whole sections may be open too.
#[test]
fn sections_can_be_blank() {
    let text = "name = \"p\"\npopulation = \"p\"\ndata = \"?\"\nentity = \"?\"\ncolumns = { age = \"?\" }\nadversary = \"?\"\n\
                promise = \"?\"\nbudget = \"?\"\nquery = \"?\"\n";
    assert_eq!(blanks(&refused(text)).len(), 7);
    let columns = text.replace("{ age = \"?\" }", "\"?\"");
    assert_eq!(blanks(&refused(&columns)).len(), 7);
}

/// A blank entry of a list of words is a word; in a list of queries it is an error.
#[test]
fn question_marks_in_lists_are_words() {
    let errors = refused("query = [\"?\"]");
    assert!(errors.to_string().contains("must be a table; this is a text"), "{errors}");
    let keys = FULL
        .replace("keys = [\"F\", \"M\"]", "keys = [\"F\", \"?\"]")
        .replace("nulls = [\"\", \"?\"]", "nulls = [\"\"]");
    assert_ne!(keys, FULL);
    assert!(Policy::parse(Path::new("p.toml"), &keys).is_ok());
}
