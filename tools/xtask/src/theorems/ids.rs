//! Citations of identifiers of `docs/theorems` in source code. Their form is defined in [`deniable_explain::ids`].

pub use deniable_explain::ids::leading;
use deniable_explain::ids::within;

/// The identifiers that a Rust source cites, with their lines counted from 1.
///
/// A citation is in a line comment or doc comment, or is the whole of a string literal (as in a function that names the
/// theorem of a promise). Block comments are not read; the project has none.
pub fn cited(source: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for (number, line) in (1..).zip(source.lines()) {
        // The first `//` may be in a string such as a web address; then a little code is read as prose, harmlessly.
        let (code, comment) = line.split_once("//").unwrap_or((line, ""));
        for literal in code.split('"').skip(1).step_by(2) {
            found.extend(leading(literal).filter(|(_, rest)| rest.is_empty()).map(|(id, _)| (number, id)));
        }
        found.extend(within(comment).into_iter().map(|id| (number, id)));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_whole_literals_are_citations_and_code_is_not() {
        let source = "//! From B-1.\nlet x = B-2; // by B-4\nSelf::Gain(_) => \"B-3\",\nlet s = \"not B-5 here\";\n    /// E-2\n";
        let cited = cited(source);
        let cited: Vec<(usize, &str)> = cited.iter().map(|(line, id)| (*line, id.as_str())).collect();
        assert_eq!(cited, [(1, "B-1"), (2, "B-4"), (3, "B-3"), (5, "E-2")]);
    }
}
