//! Entries of the pages, and their text.

use std::fmt::Write;

/// The subject of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// A notion of privacy: a kind of promise.
    Notion,
    /// A family of prior beliefs.
    Family,
    /// A mechanism: a randomised way to answer.
    Mechanism,
    /// A statement of `docs/theorems`.
    Theorem,
}

impl Kind {
    /// Every kind, in the order of the pages.
    pub const ALL: [Self; 4] = [Self::Notion, Self::Family, Self::Mechanism, Self::Theorem];

    /// The kind as the pages spell it: `notion`.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Notion => "notion",
            Self::Family => "family",
            Self::Mechanism => "mechanism",
            Self::Theorem => "theorem",
        }
    }
}

/// Whether a law (composition, post-processing, mixture) holds for a notion.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Law {
    /// Whether it holds; a single counterexample refutes it.
    pub holds: bool,
    /// The entry with the counterexample, if it does not hold.
    pub counterexample: Option<String>,
    /// The reason, with the theorems that it cites.
    pub because: String,
}

/// The frame of Liu, Xiong and Luo: belief in SI given BK, and given BK and OK.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Frame {
    /// Background knowledge (BK): the observer's prior knowledge.
    pub background: String,
    /// Sensitive information (SI): the event whose belief is bounded.
    pub sensitive: String,
    /// Operation knowledge (OK): the observer's view.
    pub operation: String,
}

/// The operations that preserve a notion.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Laws {
    /// Whether several answers together satisfy the notion.
    pub composition: Law,
    /// Whether functions of answers satisfy it.
    pub post_processing: Law,
    /// Whether a random choice of mechanism satisfies it.
    pub mixture: Law,
}

/// The entry of `docs/theorems` with the same identifier.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Theorem {
    /// The statement, in paragraphs.
    pub statement: String,
    /// The hypotheses, in paragraphs.
    pub hypotheses: String,
    /// The paper and the number of the statement there, or `this project`.
    pub source: String,
    /// The project's finding: whether it holds, and how it was tested.
    pub verdict: String,
}

/// An entry of the pages: a notion, family, mechanism or theorem.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Entry {
    /// Its identifier, such as `PMP` or `B-3`.
    pub id: String,
    /// Its name in words, as in the heading.
    pub name: String,
    /// Further names of the entry.
    pub aliases: Vec<String>,
    /// Whether the entry is a notion, a family, a mechanism or a theorem.
    pub kind: Kind,
    /// The definition; for theorems, the statement.
    pub definition: String,
    /// The observer's knowledge; `None` for theorems, as for the next three.
    pub frame: Option<Frame>,
    /// The operations that preserve it.
    pub laws: Option<Laws>,
    /// Its implications, with parameters; `None` for theorems.
    pub implies: Option<String>,
    /// The notions that imply it, with parameters; `None` for theorems.
    pub implied_by: Option<String>,
    /// Common misreadings; `None` for theorems.
    pub traps: Option<String>,
    /// The paper and the number of the statement there, or `this project`.
    pub source: String,
    /// The entry of `docs/theorems` with this identifier.
    pub theorem: Option<Theorem>,
}

impl Entry {
    /// The entry as text, with lines of at most `width` characters unless a single word is longer.
    #[must_use]
    pub fn text(&self, width: usize) -> String {
        let mut text = String::new();
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{} {} ({})", self.id, self.name, self.kind.word());
        if !self.aliases.is_empty() {
            wrapped(&mut text, width, 2, &format!("also: {}", self.aliases.join(", ")));
        }
        text.push('\n');
        wrapped(&mut text, width, 0, &self.definition);
        if let Some(frame) = &self.frame {
            heading(&mut text, "Who knows what");
            wrapped(&mut text, width, 2, &format!("BK (background knowledge): {}", frame.background));
            wrapped(&mut text, width, 2, &format!("SI (sensitive information): {}", frame.sensitive));
            wrapped(&mut text, width, 2, &format!("OK (operation knowledge): {}", frame.operation));
        }
        if let Some(laws) = &self.laws {
            heading(&mut text, "Laws");
            for (name, law) in [
                ("composition", &laws.composition),
                ("post-processing", &laws.post_processing),
                ("mixture", &laws.mixture),
            ] {
                let holds = if law.holds { "yes" } else { "no" };
                wrapped(&mut text, width, 2, &format!("{name}: {holds}: {}", law.because));
            }
        }
        for (name, field) in [("Implies", &self.implies), ("Implied by", &self.implied_by), ("Traps", &self.traps)] {
            if let Some(field) = field {
                heading(&mut text, name);
                wrapped(&mut text, width, 2, field);
            }
        }
        if let Some(theorem) = &self.theorem {
            heading(&mut text, "Theorem");
            if self.kind != Kind::Theorem {
                wrapped(&mut text, width, 2, &theorem.statement);
            }
            wrapped(&mut text, width, 2, &format!("Hypotheses: {}", theorem.hypotheses));
            wrapped(&mut text, width, 2, &format!("Verdict: {}", theorem.verdict));
        }
        heading(&mut text, "Source");
        wrapped(&mut text, width, 2, &self.source);
        text
    }
}

fn heading(text: &mut String, name: &str) {
    let _ = writeln!(text, "\n{name}");
}

/// Adds paragraphs, wrapped and indented.
pub(crate) fn wrapped(text: &mut String, width: usize, indent: usize, paragraphs: &str) {
    let lead = " ".repeat(indent);
    for paragraph in paragraphs.split("\n\n") {
        let mut line = lead.clone();
        let mut empty = true;
        for word in paragraph.split_whitespace() {
            if !empty && line.chars().count() + 1 + word.chars().count() > width {
                let _ = writeln!(text, "{line}");
                line.clone_from(&lead);
                empty = true;
            }
            if !empty {
                line.push(' ');
            }
            line.push_str(word);
            empty = false;
        }
        if !empty {
            let _ = writeln!(text, "{line}");
        }
    }
}
