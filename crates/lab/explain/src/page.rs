//! Parsing of entries from pages.
//!
//! An entry starts with `### id name`; a field starts with `**Label.**` and ends at the next label, list or heading.
//! Blank lines inside a field separate paragraphs, and lines that start with `*Label` belong to the field before them.

use crate::entry::{Entry, Frame, Kind, Law, Laws, Theorem};
use crate::ids;

/// The labels of an entry of `docs/notions`, in order.
pub const LABELS: [&str; 13] = [
    "Kind",
    "Aliases",
    "Definition",
    "BK",
    "SI",
    "OK",
    "Composition",
    "Post-processing",
    "Mixture",
    "Implies",
    "Implied by",
    "Traps",
    "Source",
];

/// The labels of an entry of `docs/theorems`, in order.
pub const THEOREM_LABELS: [&str; 4] = ["Statement", "Hypotheses", "Source", "Verdict"];

/// An entry before validation, as on its page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Raw {
    /// The identifier: the first word of the heading.
    pub id: String,
    /// The name: the rest of the heading.
    pub name: String,
    /// The fields, in the order of the page.
    pub fields: Vec<(String, String)>,
}

/// The entries of a page.
#[must_use]
pub fn raw(page: &str) -> Vec<Raw> {
    let mut entries: Vec<Raw> = Vec::new();
    let (mut inside, mut open) = (false, false);
    for line in page.lines() {
        if line.starts_with('#') {
            (inside, open) = (false, false);
            if let Some((id, name)) = line.strip_prefix("### ").and_then(|heading| heading.split_once(' ')) {
                inside = true;
                entries.push(Raw { id: id.to_owned(), name: name.trim().to_owned(), fields: vec![] });
            }
            continue;
        }
        let Some(entry) = entries.last_mut().filter(|_| inside) else { continue };
        if let Some((label, said)) = line.strip_prefix("**").and_then(|rest| rest.split_once(".**")) {
            entry.fields.push((label.to_owned(), said.trim().to_owned()));
            open = true;
        } else if matches!(line.trim_end(), "Code:" | "Test:") {
            open = false;
        } else if let Some((_, text)) = entry.fields.last_mut().filter(|_| open) {
            if line.trim().is_empty() {
                text.push_str("\n\n");
            } else {
                if !text.ends_with('\n') {
                    text.push(if line.starts_with("- ") { '\n' } else { ' ' });
                }
                text.push_str(line.trim());
            }
        }
    }
    for (_, text) in entries.iter_mut().flat_map(|entry| &mut entry.fields) {
        text.truncate(text.trim_end().len());
    }
    entries
}

/// An entry of `docs/notions`.
///
/// # Errors
/// With the missing or misspelt field, in words.
pub fn notion(raw: &Raw) -> Result<Entry, String> {
    let labels: Vec<&str> = raw.fields.iter().map(|(label, _)| label.as_str()).collect();
    if labels != LABELS {
        return Err(format!("{} needs {}, in this order, not {}", raw.id, LABELS.join(", "), labels.join(", ")));
    }
    let field = |label: &str| {
        let found = raw.fields.iter().find(|(name, _)| name == label).map(|(_, said)| said.clone());
        found.filter(|said| !said.is_empty()).ok_or_else(|| format!("{}: {label} says nothing", raw.id))
    };
    let word = field("Kind")?;
    let kind = Kind::ALL.into_iter().find(|kind| kind.word() == word && *kind != Kind::Theorem);
    Ok(Entry {
        id: raw.id.clone(),
        name: raw.name.clone(),
        aliases: aliases(&field("Aliases")?),
        kind: kind.ok_or_else(|| format!("{}: `{word}` is not a kind", raw.id))?,
        definition: field("Definition")?,
        frame: Some(Frame { background: field("BK")?, sensitive: field("SI")?, operation: field("OK")? }),
        laws: Some(Laws {
            composition: law(&raw.id, &field("Composition")?)?,
            post_processing: law(&raw.id, &field("Post-processing")?)?,
            mixture: law(&raw.id, &field("Mixture")?)?,
        }),
        implies: Some(field("Implies")?),
        implied_by: Some(field("Implied by")?),
        traps: Some(field("Traps")?),
        source: field("Source")?,
        theorem: None,
    })
}

/// An entry of `docs/theorems`.
///
/// # Errors
/// With the missing field, in words.
pub fn theorem(raw: &Raw) -> Result<(Entry, Theorem), String> {
    let field = |label: &str| {
        let found = raw.fields.iter().find(|(name, _)| name == label).map(|(_, said)| said.clone());
        found.filter(|said| !said.is_empty()).ok_or_else(|| format!("{}: {label} is missing", raw.id))
    };
    let [statement, hypotheses, source, verdict] = THEOREM_LABELS.map(field);
    let (statement, hypotheses, source, verdict) = (statement?, hypotheses?, source?, verdict?);
    let entry = Entry {
        id: raw.id.clone(),
        name: raw.name.clone(),
        aliases: vec![],
        kind: Kind::Theorem,
        definition: statement.clone(),
        frame: None,
        laws: None,
        implies: None,
        implied_by: None,
        traps: None,
        source: source.clone(),
        theorem: None,
    };
    Ok((entry, Theorem { statement, hypotheses, source, verdict }))
}

/// Names separated by commas; commas inside brackets do not separate.
fn aliases(text: &str) -> Vec<String> {
    let mut depth = 0_i32;
    let parts = text.split(|c: char| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        c == ',' && depth == 0
    });
    parts.map(|part| part.trim().to_owned()).filter(|part| !part.is_empty()).collect()
}

/// Parses `yes: why` or `no: ID, why`.
fn law(id: &str, text: &str) -> Result<Law, String> {
    let (word, because) =
        text.split_once(':').ok_or_else(|| format!("{id}: write a law as `yes: ...` or `no: ID ...`"))?;
    let because = because.trim().to_owned();
    match word.trim() {
        "yes" => Ok(Law { holds: true, counterexample: None, because }),
        "no" => match ids::cited(&because).first() {
            Some(counterexample) => Ok(Law { holds: false, counterexample: Some(counterexample.clone()), because }),
            None => Err(format!("{id}: a law that fails cites its counterexample")),
        },
        other => Err(format!("{id}: a law holds, `yes`, or does not, `no`; `{other}` is neither")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_run_to_the_next_label_or_list() {
        let page = "### B-3 bounded priors\n\n**Statement.** One\ntwo.\n\nThree.\n\n**Source.** A paper.\n\nCode:\n- `x`\n## Prose\nmore";
        let [entry] = raw(page).try_into().unwrap();
        assert_eq!((entry.id.as_str(), entry.name.as_str()), ("B-3", "bounded priors"));
        let said: Vec<&str> = entry.fields.iter().map(|(_, said)| said.as_str()).collect();
        assert_eq!(said, ["One two.\n\nThree.", "A paper."]);
    }

    #[test]
    fn laws_that_fail_cite_their_counterexample() {
        assert_eq!(law("X", "no: E-3 shows it").unwrap().counterexample.as_deref(), Some("E-3"));
        assert!(law("X", "no: because").unwrap_err().contains("counterexample"));
        assert!(law("X", "maybe: E-3").is_err() && law("X", "yes").is_err());
        assert!(law("X", "yes: C-3").unwrap().holds);
    }

    #[test]
    fn aliases_keep_their_brackets() {
        assert_eq!(aliases("(α,β), alpha, ab-di"), ["(α,β)", "alpha", "ab-di"]);
    }
}
