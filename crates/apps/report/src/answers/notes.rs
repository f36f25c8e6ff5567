//! Notes on answers: those of several answers are written once, and numbered.

use crate::frame::said;
use deniable_publication::Answer;
use maud::{Markup, html};
use std::collections::{BTreeMap, BTreeSet};

/// The notes that several answers of a page have.
#[derive(Debug, Default)]
pub struct SharedNotes(Vec<String>);

impl SharedNotes {
    /// The notes that at least two of these answers have, in the order in which they are repeated.
    pub fn of<'a>(answers: impl Iterator<Item = &'a Answer>) -> Self {
        let (mut first, mut listed) = (BTreeMap::new(), BTreeSet::new());
        let mut shared: Vec<String> = Vec::new();
        for (at, answer) in answers.enumerate() {
            for note in &answer.warnings {
                let is_repeated = *first.entry(note).or_insert(at) != at;
                if is_repeated && listed.insert(note) {
                    shared.push(note.clone());
                }
            }
        }
        Self(shared)
    }

    /// The notes that no other answer has.
    pub fn own(&self, answer: &Answer) -> Markup {
        let own: Vec<&String> = answer.warnings.iter().filter(|note| self.number(note).is_none()).collect();
        html! { @if !own.is_empty() { ul.notes { @for note in own { li { (said(note)) } } } } }
    }

    /// Links to the notes that other answers have, too. `anchor` is that of their list.
    pub fn links(&self, answer: &Answer, anchor: &str) -> Markup {
        let mut numbers: Vec<usize> = answer.warnings.iter().filter_map(|note| self.number(note)).collect();
        numbers.sort_unstable();
        html! {
            @if !numbers.is_empty() {
                p.notes {
                    "Notes"
                    @for number in numbers { " " a href={ "#" (anchor) "-" (number) } { (number) } }
                }
            }
        }
    }

    fn number(&self, note: &str) -> Option<usize> {
        self.0.iter().position(|known| known == note).map(|at| at + 1)
    }

    /// The numbered list.
    pub fn list(&self, anchor: &str) -> Markup {
        html! {
            @if !self.0.is_empty() {
                h3 { "Notes on several answers" }
                ol.notes { @for (at, note) in self.0.iter().enumerate() { li id={ (anchor) "-" (at + 1) } { (said(note)) } } }
            }
        }
    }
}
