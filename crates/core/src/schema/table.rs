//! Tables: declarations, and schemas in queries.

use super::{Column, Data, Entity};
use crate::sensitivity::Caps;

/// Public facts about a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableSchema {
    /// Its name in SQL.
    pub name: String,
    /// The declared columns.
    pub columns: Vec<Column>,
    /// The entity of its rows; `None` when one row is one person, or the table is public.
    pub entity: Option<Entity>,
    /// The unique column of a public table; `None` for protected tables.
    pub public_key: Option<String>,
}

impl TableSchema {
    /// A protected table.
    #[must_use]
    pub fn protected(name: impl Into<String>, columns: Vec<Column>, entity: Option<Entity>) -> Self {
        Self { name: name.into(), columns, entity, public_key: None }
    }

    /// The caps in force (S-CAP).
    #[must_use]
    pub fn caps(&self) -> Caps {
        self.entity.as_ref().map_or(Caps::ONE_ROW, |entity| entity.caps)
    }

    /// Whether rows are about the protected people.
    #[must_use]
    pub fn is_protected(&self) -> bool {
        self.public_key.is_none()
    }

    /// The column for joins: the entity key, or the unique key of a public table.
    #[must_use]
    pub fn join_key(&self) -> Option<&str> {
        self.public_key.as_deref().or(self.entity.as_ref().map(|entity| entity.key.as_str()))
    }

    /// The position of a declared column.
    #[must_use]
    pub fn position(&self, column: &str) -> Option<usize> {
        self.columns.iter().position(|known| known.name == column)
    }
}

/// The section of a policy that declares a column, of a further table if `table` is given, else of the main table.
///
/// ```
/// use deniable_core::schema::section;
/// assert_eq!(section(None, "hours per week"), r#"[columns."hours per week"]"#);
/// assert_eq!(section(Some("towns"), "size"), "[tables.towns.columns.size]");
/// ```
#[must_use]
pub fn section(further: Option<&str>, column: &str) -> String {
    let is_bare = !column.is_empty() && column.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    let column = if is_bare { column.to_owned() } else { quoted(column) };
    match further {
        None => format!("[columns.{column}]"),
        Some(table) => format!("[tables.{table}.columns.{column}]"),
    }
}

/// A text in quotes, in TOML. The message escapes invisible characters.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

/// A declared table: the main one or a further one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeclaredTable {
    /// Location and format of its rows.
    pub data: Data,
    /// Its declared columns, in the order of the file.
    pub columns: Vec<Column>,
    /// Whether its rows are protected or public.
    pub role: Role,
}

/// Role of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Role {
    /// The main table, or another with rows of the same entities.
    Protected {
        /// The declared column that names the entity; `None` when one row is one person, in the main table only.
        entity: Option<String>,
    },
    /// A public table: its rows are not protected.
    Public {
        /// The declared column, integer or text, whose values are unique in the file.
        key: String,
    },
}
