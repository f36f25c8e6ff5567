//! Names of tables and views in databases and engines.

use super::EngineKind;
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
    /// Parses `clinic.visits` as SQL does: text in double quotes is case-sensitive, other text becomes lower-case.
    /// `None` if it is not a schema and a name.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (schema, rest) = identifier(text)?;
        let (name, rest) = identifier(rest.strip_prefix('.')?)?;
        rest.is_empty().then(|| Self { schema: schema.in_lower_case(), name: name.in_lower_case() })
    }

    /// For display: quoted only if a name is not plain. In SQL, a plain name may also be a keyword.
    #[must_use]
    pub fn shown(&self) -> String {
        let is_plain = |name: &str| name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
        let shown = |name: &str| if is_plain(name) { name.to_owned() } else { printable(&quoted(name)).into_owned() };
        format!("{}.{}", shown(&self.schema), shown(&self.name))
    }
}

/// Fully quoted, for SQL.
impl fmt::Display for RelationName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", quoted(&self.schema), quoted(&self.name))
    }
}

/// A table or view of an engine, `visits`, optionally in a schema, `clinic.visits`, of a catalog, `lake.clinic.visits`;
/// or a file, `parquet."/data/visits"`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RelationPath(Vec<String>);

impl RelationPath {
    /// Most parts of a name.
    pub const MOST_PARTS: usize = 3;

    /// Parses one to three names separated by points, case-sensitive, in double quotes if not plain; `None` for other
    /// text. The engine decides how it treats capitals.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (first, mut rest) = identifier(text)?;
        let mut parts = vec![first.text];
        while let Some(after) = rest.strip_prefix('.') {
            let (part, behind) = identifier(after)?;
            parts.push(part.text);
            rest = behind;
        }
        (rest.is_empty() && parts.len() <= Self::MOST_PARTS).then_some(Self(parts))
    }

    /// In the engine's notation.
    #[must_use]
    pub fn in_sql(&self, engine: EngineKind) -> String {
        self.0.iter().map(|part| engine.quoted(part)).collect::<Vec<_>>().join(".")
    }
}

/// Whether a text names an environment variable, as `env:CLINIC_PG`, and cannot be a secret.
#[must_use]
pub fn names_variable(text: &str) -> bool {
    let known = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.strip_prefix("env:")
        .is_some_and(|name| name.starts_with(|c: char| known(c) && !c.is_ascii_digit()) && name.chars().all(known))
}

/// A name in double quotes, for SQL.
#[must_use]
pub fn quoted(name: &str) -> String {
    within('"', name)
}

/// A quoted name with inner quotes doubled, as all engines accept it.
pub(super) fn within(quote: char, name: &str) -> String {
    format!("{quote}{}{quote}", name.replace(quote, &format!("{quote}{quote}")))
}

/// A name as written.
struct Identifier {
    text: String,
    is_quoted: bool,
}

impl Identifier {
    /// The name as SQL reads it: lower-case unless quoted.
    fn in_lower_case(self) -> String {
        if self.is_quoted { self.text } else { self.text.to_ascii_lowercase() }
    }
}

/// Parses a name, and returns the remaining text.
fn identifier(text: &str) -> Option<(Identifier, &str)> {
    let Some(mut rest) = text.strip_prefix('"') else {
        let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$') || !c.is_ascii();
        let end = text.find(|c| !is_part(c)).unwrap_or(text.len());
        let (name, rest) = text.split_at(end);
        let first = name.chars().next()?;
        // Beyond ASCII, lower case depends on the server.
        let is_plain = name.is_ascii() && !first.is_ascii_digit() && first != '$';
        return is_plain.then(|| (Identifier { text: name.to_owned(), is_quoted: false }, rest));
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
            None => {
                let is_name = !name.is_empty() && !name.contains('\0');
                return is_name.then_some((Identifier { text: name, is_quoted: true }, after));
            }
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
    fn engines_hold_what_has_up_to_three_names() {
        let sql = |text: &str, engine| RelationPath::parse(text).map(|path| path.in_sql(engine));
        for (text, spark, duckdb) in [
            ("visits", "`visits`", "\"visits\""),
            ("Lake.clinic.visits", "`Lake`.`clinic`.`visits`", "\"Lake\".\"clinic\".\"visits\""),
            ("parquet.\"/data/a`b\"", "`parquet`.`/data/a``b`", "\"parquet\".\"/data/a`b\""),
            ("\"a\"\"b\"", "`a\"b`", "\"a\"\"b\""),
        ] {
            assert_eq!(sql(text, EngineKind::Spark).as_deref(), Some(spark));
            assert_eq!(sql(text, EngineKind::DuckDb).as_deref(), Some(duckdb));
        }
        for wrong in ["", "a.", ".a", "a.b.c.d", "a b", "a;drop", "(select 1) x", "a'", "a`b", "parquet./data"] {
            assert_eq!(RelationPath::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn displayed_names_parse() {
        for (schema, name) in [("clinic", "visits"), ("A", "\""), ("a.b", "\"\"x\"")] {
            let known = RelationName { schema: schema.to_owned(), name: name.to_owned() };
            assert_eq!(RelationName::parse(&known.to_string()), Some(known.clone()));
            assert_eq!(RelationName::parse(&known.shown()), Some(known));
        }
    }
}
