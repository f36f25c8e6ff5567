//! What somebody may have meant by a name that is not known.

use deniable_core::text::nearest;
pub(crate) use deniable_core::text::shown;

/// `did you mean ...?`, or the names that are known.
pub(crate) fn did_you_mean<'k>(word: &str, known: impl IntoIterator<Item = &'k str>) -> String {
    let known: Vec<&str> = known.into_iter().collect();
    match nearest(word, &known).or_else(|| begun(word, &known)) {
        Some(near) => format!("did you mean `{near}`?"),
        None if known.is_empty() => String::new(),
        // A long list helps nobody.
        None if known.len() > 20 => format!("known here: {}, ...", known[..20].join(", ")),
        None => format!("known here: {}", known.join(", ")),
    }
}

/// The only candidate that begins with the same three letters: `kmaks` is more than a slip away from `kmax`.
fn begun<'k>(word: &str, known: &[&'k str]) -> Option<&'k str> {
    let beginning: String = word.chars().take(3).collect();
    let mut alike = known.iter().filter(|name| beginning.chars().count() == 3 && name.starts_with(&beginning));
    match (alike.next(), alike.next()) {
        (Some(name), None) => Some(name),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_of_the_fingers_are_found() {
        assert_eq!(did_you_mean("propability", ["output", "probability"]), "did you mean `probability`?");
        assert_eq!(did_you_mean("kmaks", ["kmax", "or", "size"]), "did you mean `kmax`?");
        assert_eq!(did_you_mean("zebra", ["output", "dataset"]), "known here: output, dataset");
        assert_eq!(shown("a\u{1b}[31m"), "a\\u{1b}[31m");
    }
}
