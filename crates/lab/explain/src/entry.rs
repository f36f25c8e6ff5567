//! Entries, and their text.

use std::fmt::Write;

/// What an entry is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// A notion of privacy: what is promised.
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

/// Whether a law (composition, post-processing, mixture) holds of a notion.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Law {
    /// Whether it does; one counterexample is enough that it does not.
    pub holds: bool,
    /// The entry with the counterexample, where it does not.
    pub counterexample: Option<String>,
    /// The reason, with the theorems that it cites.
    pub because: String,
}

/// The frame of Liu, Xiong and Luo: belief in SI given BK, and given BK and OK.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Frame {
    /// Background knowledge (BK): what the observer knows beforehand.
    pub background: String,
    /// Sensitive information (SI): belief in what is limited.
    pub sensitive: String,
    /// Operation knowledge (OK): what the observer sees.
    pub operation: String,
}

/// What may be done without losing the promise.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Laws {
    /// Whether several answers together keep the notion.
    pub composition: Law,
    /// Whether what is computed from answers keeps it.
    pub post_processing: Law,
    /// Choosing a mechanism by a coin.
    pub mixture: Law,
}

/// What `docs/theorems` says under the same identifier.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Theorem {
    /// The statement, in paragraphs.
    pub statement: String,
    /// What it assumes, in paragraphs.
    pub hypotheses: String,
    /// The paper and the number of the statement there, or `this project`.
    pub source: String,
    /// What the project found: whether it holds, and how it was tested.
    pub verdict: String,
}

/// An entry of the pages: a notion, family, mechanism or theorem.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Entry {
    /// Its identifier, such as `PMP` or `B-3`.
    pub id: String,
    /// Its name in words, as the heading has it.
    pub name: String,
    /// Other names under which it is found.
    pub aliases: Vec<String>,
    /// Whether it is a notion, a family, a mechanism or a theorem.
    pub kind: Kind,
    /// What it says; a theorem's statement.
    pub definition: String,
    /// Who knows what; `None` for theorems, as for the next three.
    pub frame: Option<Frame>,
    /// What may be done with it.
    pub laws: Option<Laws>,
    /// What follows from it, with parameters; `None` for theorems.
    pub implies: Option<String>,
    /// What it follows from, with parameters; `None` for theorems.
    pub implied_by: Option<String>,
    /// How it is misread; `None` for theorems.
    pub traps: Option<String>,
    /// The paper and the number of the statement there, or `this project`.
    pub source: String,
    /// The entry of `docs/theorems` with this identifier.
    pub theorem: Option<Theorem>,
}

impl Entry {
    /// The entry as text, no line longer than `width` (but for single words that are).
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

/// Adds paragraphs, wrapped, each line indented.
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
