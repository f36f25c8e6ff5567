//! What somebody may have meant by a name that is not known.

/// `did you mean ...?`, or the names that are known.
pub(crate) fn did_you_mean<'k>(word: &str, known: impl IntoIterator<Item = &'k str>) -> String {
    let known: Vec<&str> = known.into_iter().collect();
    let lower = word.to_lowercase();
    let slips = |candidate: &str| strsim::osa_distance(&lower, &candidate.to_lowercase());
    match known.iter().min_by_key(|candidate| slips(candidate)) {
        Some(near) if slips(near) <= (near.len() / 3).max(1) => format!("did you mean `{near}`?"),
        // A long list helps nobody.
        Some(_) if known.len() > 20 => format!("known here: {}, ...", known[..20].join(", ")),
        Some(_) => format!("known here: {}", known.join(", ")),
        None => String::new(),
    }
}

/// A text from a file, made safe and short enough to stand in a message.
pub(crate) fn shown(text: &str) -> String {
    let mut short = String::new();
    for c in text.chars().take(60) {
        if c.is_control() { short.extend(c.escape_default()) } else { short.push(c) }
    }
    if text.chars().nth(60).is_some() {
        short.push_str("...");
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_of_the_fingers_are_found() {
        assert_eq!(did_you_mean("propability", ["output", "probability"]), "did you mean `probability`?");
        assert_eq!(did_you_mean("zebra", ["output", "dataset"]), "known here: output, dataset");
        assert_eq!(shown("a\u{1b}[31m"), "a\\u{1b}[31m");
    }
}
