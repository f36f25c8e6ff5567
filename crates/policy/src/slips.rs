//! What somebody meant who wrote something else.

/// The candidate that is a slip of the fingers away from `word`, where there is one.
///
/// Candidates must be public: declared names, and names of our own.
#[must_use]
pub fn nearest<'k>(word: &str, known: &[&'k str]) -> Option<&'k str> {
    let word = word.to_lowercase();
    let slips = |candidate: &str| strsim::osa_distance(&word, &candidate.to_lowercase());
    let near = known.iter().copied().min_by_key(|candidate| slips(candidate))?;
    (slips(near) <= (near.chars().count() / 3).max(1)).then_some(near)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_slip_in_three_letters() {
        assert_eq!(nearest("aeg", &["sex", "age"]), Some("age"));
        assert_eq!(nearest("tickets", &["Ticket"]), Some("Ticket"));
        assert_eq!(nearest("weekday", &["sex", "age"]), None);
        assert_eq!(nearest("x", &[]), None);
    }
}
