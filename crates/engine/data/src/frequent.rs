//! The most frequent texts among the findings of a column, for the curator alone: they are values of private rows.

use std::collections::HashMap;

/// Most different texts that are counted; of more, none is reported.
const MOST_DIFFERENT: usize = 1_000;
/// Number of reported texts.
const REPORTED: usize = 5;
/// Most characters of a text.
const MOST_LETTERS: usize = 40;

/// Counts of texts. The result does not depend on the order in which texts are added.
#[derive(Debug, Clone, Default)]
pub(crate) struct FrequentTexts {
    counts: HashMap<String, u64>,
    /// Whether there were more than [`MOST_DIFFERENT`].
    is_over: bool,
}

impl FrequentTexts {
    /// Counts a text once.
    pub(crate) fn add(&mut self, text: &str) {
        self.add_many(text, 1);
    }

    fn add_many(&mut self, text: &str, count: u64) {
        if self.is_over {
            return;
        }
        let text = shortened(text);
        match self.counts.get_mut(text) {
            Some(known) => *known += count,
            None => {
                self.counts.insert(text.to_owned(), count);
            }
        }
        if self.counts.len() > MOST_DIFFERENT {
            *self = Self { counts: HashMap::new(), is_over: true };
        }
    }

    /// Adds the counts of another thread.
    pub(crate) fn merge(&mut self, other: &Self) {
        if other.is_over {
            *self = Self { counts: HashMap::new(), is_over: true };
        }
        other.counts.iter().for_each(|(text, count)| self.add_many(text, *count));
    }

    /// The most frequent texts with their counts, in descending order; empty if there were too many different ones.
    pub(crate) fn most_frequent(&self) -> Vec<(String, u64)> {
        let mut all: Vec<(String, u64)> = self.counts.iter().map(|(text, count)| (text.clone(), *count)).collect();
        all.sort_by(|one, other| other.1.cmp(&one.1).then_with(|| one.0.cmp(&other.0)));
        all.truncate(REPORTED);
        all
    }
}

/// The beginning of a text.
pub(crate) fn shortened(text: &str) -> &str {
    text.char_indices().nth(MOST_LETTERS).map_or(text, |(end, _)| text.get(..end).unwrap_or(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_frequent_come_first_whatever_the_order() {
        let texts = ["b", "a", "b", "c", "d", "e", "f", "f"];
        let (mut one, mut halves) = (FrequentTexts::default(), [FrequentTexts::default(), FrequentTexts::default()]);
        texts.iter().for_each(|text| one.add(text));
        texts.iter().rev().enumerate().for_each(|(at, text)| halves[at % 2].add(text));
        let [mut first, second] = halves;
        first.merge(&second);
        let found = one.most_frequent();
        assert_eq!(found[..3], [("b".to_owned(), 2), ("f".to_owned(), 2), ("a".to_owned(), 1)]);
        assert_eq!((found.len(), first.most_frequent()), (5, found));
    }

    #[test]
    fn too_many_different_texts_are_left_out() {
        let (mut some, mut others) = (FrequentTexts::default(), FrequentTexts::default());
        (0..600).for_each(|at| some.add(&at.to_string()));
        (500..1_100).for_each(|at| others.add(&at.to_string()));
        assert_eq!(some.most_frequent().len(), 5);
        some.merge(&others);
        some.add("x");
        assert!(some.most_frequent().is_empty());
        let mut whole = FrequentTexts::default();
        whole.merge(&some);
        assert!(whole.most_frequent().is_empty());
    }

    #[test]
    fn long_texts_are_shortened() {
        assert_eq!(shortened(&"é".repeat(50)).chars().count(), 40);
        assert_eq!(shortened("short"), "short");
    }
}
