//! The name of a table or view in a database.

use crate::text::printable;
use std::fmt;

/// A schema and a name in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RelationName {
    /// The schema.
    pub schema: String,
    /// The name of the table or view.
    pub name: String,
}

impl RelationName {
    /// Reads `clinic.visits` as SQL does: what stands in double quotes is meant letter by letter, the rest in lower case. `None` where it
    /// is not a schema and a name.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (schema, rest) = identifier(text)?;
        let (name, rest) = identifier(rest.strip_prefix('.')?)?;
        rest.is_empty().then_some(Self { schema, name })
    }

    /// For reading: in quotes only where names are not plain. In SQL a plain name may be a word of the language, too.
    #[must_use]
    pub fn shown(&self) -> String {
        let is_plain = |name: &str| name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
        let shown = |name: &str| if is_plain(name) { name.to_owned() } else { printable(&quoted(name)).into_owned() };
        format!("{}.{}", shown(&self.schema), shown(&self.name))
    }
}

/// As SQL takes it letter by letter.
impl fmt::Display for RelationName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", quoted(&self.schema), quoted(&self.name))
    }
}

/// Whether a text names a variable of the environment, as `env:CLINIC_PG`, and could be nothing that is better not shown.
#[must_use]
pub fn names_variable(text: &str) -> bool {
    let known = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.strip_prefix("env:")
        .is_some_and(|name| name.starts_with(|c: char| known(c) && !c.is_ascii_digit()) && name.chars().all(known))
}

/// A name in double quotes, as SQL takes it letter by letter.
#[must_use]
pub fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// A name, and what comes after it.
fn identifier(text: &str) -> Option<(String, &str)> {
    let Some(mut rest) = text.strip_prefix('"') else {
        let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$') || !c.is_ascii();
        let end = text.find(|c| !is_part(c)).unwrap_or(text.len());
        let (name, rest) = text.split_at(end);
        let first = name.chars().next()?;
        // Beyond ASCII what is lower case depends on the server.
        let is_plain = name.is_ascii() && !first.is_ascii_digit() && first != '$';
        return is_plain.then(|| (name.to_ascii_lowercase(), rest));
    };
    let mut name = String::new();
    loop {
        let (part, after) = rest.split_once('"')?;
        name.push_str(part);
        match after.strip_prefix('"') {
            Some(more) => {
                name.push('"');
                rest = more;
            }
            None => return (!name.is_empty() && !name.contains('\0')).then_some((name, after)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_sql_reads_them() {
        let read = |text: &str| RelationName::parse(text).map(|name| (name.schema, name.name));
        let pair = |schema: &str, name: &str| Some((schema.to_owned(), name.to_owned()));
        assert_eq!(read("clinic.visits"), pair("clinic", "visits"));
        assert_eq!(read("Clinic.VISITS_2"), pair("clinic", "visits_2"));
        assert_eq!(read("\"Clinic\".\"a.b\"\"c\""), pair("Clinic", "a.b\"c"));
        assert_eq!(read("clinic.\"Bésuche\""), pair("clinic", "Bésuche"));
        for wrong in [
            "visits",
            "a.b.c",
            "clinic.",
            ".visits",
            "clinic.vis its",
            "clinic.1",
            "\"a.b",
            "a.\"\"",
            "a.b;drop",
            "a.ä",
            "",
        ] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn what_is_written_is_read_again() {
        for (schema, name) in [("clinic", "visits"), ("A", "\""), ("a.b", "\"\"x\"")] {
            let known = RelationName { schema: schema.to_owned(), name: name.to_owned() };
            assert_eq!(RelationName::parse(&known.to_string()), Some(known.clone()));
            assert_eq!(RelationName::parse(&known.shown()), Some(known));
        }
    }
}
