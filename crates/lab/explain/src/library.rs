//! All entries, and lookup by name.

use crate::entry::Entry;
use crate::page;
use deniable_core::notion::parse::Text;
use deniable_core::notion::{self, Notion};
use std::sync::OnceLock;

/// The pages of `docs/notions`: file name and text.
pub const NOTIONS: [(&str, &str); 4] = [
    ("notions.md", include_str!("../../../../docs/notions/notions.md")),
    ("further.md", include_str!("../../../../docs/notions/further.md")),
    ("families.md", include_str!("../../../../docs/notions/families.md")),
    ("mechanisms.md", include_str!("../../../../docs/notions/mechanisms.md")),
];

/// The pages of `docs/theorems`: file name and text.
pub const THEOREMS: [(&str, &str); 12] = [
    ("beliefs.md", include_str!("../../../../docs/theorems/beliefs.md")),
    ("families.md", include_str!("../../../../docs/theorems/families.md")),
    ("sensitivity.md", include_str!("../../../../docs/theorems/sensitivity.md")),
    ("composition.md", include_str!("../../../../docs/theorems/composition.md")),
    ("mechanisms.md", include_str!("../../../../docs/theorems/mechanisms.md")),
    ("notions.md", include_str!("../../../../docs/theorems/notions.md")),
    ("decisions.md", include_str!("../../../../docs/theorems/decisions.md")),
    ("genome.md", include_str!("../../../../docs/theorems/genome.md")),
    ("attacks.md", include_str!("../../../../docs/theorems/attacks.md")),
    ("tables.md", include_str!("../../../../docs/theorems/tables.md")),
    ("papers.md", include_str!("../../../../docs/theorems/papers.md")),
    ("errata.md", include_str!("../../../../docs/theorems/errata.md")),
];

/// The shortest common part of two names for which one is suggested for the other.
const SHORTEST_PART: usize = 4;
const GUESSES: usize = 3;

/// Every entry, in the order of the pages.
#[derive(Debug)]
pub struct Library {
    /// Every entry, in the order of the pages.
    pub entries: Vec<Entry>,
    /// Parse errors, in words; tests ensure that the list is empty.
    pub problems: Vec<String>,
}

/// The error for a text that matches no entry.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no entry `{asked}`; {}", self.hint())]
pub struct UnknownEntry {
    /// The text, without spaces around it.
    pub asked: String,
    /// Identifiers of entries with similar names, and similar terms, the most similar first.
    pub did_you_mean: Vec<String>,
}

impl UnknownEntry {
    fn hint(&self) -> String {
        if self.did_you_mean.is_empty() {
            return "name a notion (pmp), a family (F-DI), a mechanism (geometric), a theorem (B-3) or a term (privacy unit)"
                .to_owned();
        }
        let quoted: Vec<String> = self.did_you_mean.iter().map(|id| format!("`{id}`")).collect();
        format!("did you mean {}?", quoted.join(" or "))
    }
}

/// The library that is compiled in.
pub fn library() -> &'static Library {
    static LIBRARY: OnceLock<Library> = OnceLock::new();
    LIBRARY.get_or_init(|| Library::read(&NOTIONS, &THEOREMS))
}

/// The entry that matches a text by identifier, name or alias, ignoring case and hyphens.
///
/// # Errors
/// When no entry matches, with suggestions.
pub fn lookup(text: &str) -> Result<Entry, UnknownEntry> {
    library().lookup(text)
}

impl Library {
    /// Parses pages; a theorem with the identifier of a notion, family or mechanism becomes part of its entry.
    #[must_use]
    pub fn read(notions: &[(&str, &str)], theorems: &[(&str, &str)]) -> Self {
        let mut library = Self { entries: vec![], problems: vec![] };
        for (path, text) in notions {
            for raw in page::raw(text) {
                match page::notion(&raw) {
                    Ok(entry) => library.entries.push(entry),
                    Err(problem) => library.problems.push(format!("docs/notions/{path}: {problem}")),
                }
            }
        }
        for (path, text) in theorems {
            for raw in page::raw(text) {
                match page::theorem(&raw) {
                    Ok((entry, theorem)) => {
                        if let Some(there) = library.entries.iter_mut().find(|there| there.id == entry.id) {
                            there.theorem = Some(theorem);
                        } else {
                            library.entries.push(Entry { theorem: Some(theorem), ..entry });
                        }
                    }
                    Err(problem) => library.problems.push(format!("docs/theorems/{path}: {problem}")),
                }
            }
        }
        library
    }

    /// The entry with exactly this identifier.
    #[must_use]
    pub fn get(&self, id: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.id == id)
    }

    /// The entry that matches a text; a parameter after `:` is ignored.
    ///
    /// # Errors
    /// When no entry matches, with suggestions.
    pub fn lookup(&self, text: &str) -> Result<Entry, UnknownEntry> {
        // `rho:100` is `rho` with a parameter.
        let found = self.named(text).or_else(|| self.named(Text(text).parts().0));
        if let Some(entry) = found {
            return Ok(entry.clone());
        }
        let did_you_mean = [self.guesses(&key(text)), crate::terms::near(text)].concat();
        Err(UnknownEntry { asked: text.trim().to_owned(), did_you_mean })
    }

    fn named(&self, text: &str) -> Option<&Entry> {
        let wanted = key(text);
        // Identifiers first, so that no alias hides one. Then notions, whose names are in the table, then the other
        // entries.
        let by_identifier = self.entries.iter().find(|entry| key(&entry.id) == wanted);
        let by_table = || self.get(notion::find(text)?.notion.entry().page);
        let by_name = || self.entries.iter().find(|entry| names(entry).any(|name| key(name) == wanted));
        by_identifier.or_else(by_table).or_else(by_name)
    }

    fn guesses(&self, wanted: &str) -> Vec<String> {
        let letters = wanted.chars().count();
        let mut near: Vec<(usize, usize)> = Vec::new();
        for (position, entry) in self.entries.iter().enumerate() {
            let distance = names(entry).map(key).filter_map(|name| {
                let part = letters >= SHORTEST_PART && name.contains(wanted);
                let slips = strsim::osa_distance(wanted, &name);
                let few = slips <= (letters / 3).max(1);
                if few { Some(slips) } else { part.then_some(letters) }
            });
            if let Some(distance) = distance.min() {
                near.push((distance, position));
            }
        }
        near.sort_unstable();
        near.iter().take(GUESSES).filter_map(|(_, position)| Some(self.entries.get(*position)?.id.clone())).collect()
    }
}

/// The aliases of an entry of `docs/notions` about notions: every name in the table of the notions that it describes,
/// except its own.
#[must_use]
pub fn aliases(id: &str) -> Vec<&'static str> {
    let described = Notion::ALL.into_iter().filter(|notion| notion.entry().page == id);
    described.flat_map(Notion::names).filter(|name| notion::normal(name) != notion::normal(id)).collect()
}

/// Every name of an entry.
fn names(entry: &Entry) -> impl Iterator<Item = &str> {
    let own = [entry.id.as_str(), entry.name.as_str()];
    own.into_iter().chain(entry.aliases.iter().map(String::as_str))
}

/// The significant characters of a name: small letters and digits. `F-NI3` is an instance of `F-NIk`.
#[must_use]
pub fn key(text: &str) -> String {
    let kept: String = text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    match kept.strip_prefix("fni") {
        Some(size) if !size.is_empty() && size.chars().all(|c| c.is_ascii_digit()) => "fnik".to_owned(),
        _ => kept,
    }
}
