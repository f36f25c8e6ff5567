//! Catalog contents: the policy's tables, the server's own tables, and made-up tables to try SQL on.

use deniable::exact::{Rounding, decimal};
use deniable::{ColumnType, Policy};
use deniable_core::schema::{self, Role};
use deniable_wire::catalog::{Column, Description, Table, Type};

/// The PostgreSQL version that the catalogs report.
pub const VERSION: &str = "16.0";
/// The schema of the server's own tables.
pub const OWN: &str = "deniable";
/// The schema of made-up tables.
pub const SIMULATED: &str = "simulated";
/// Maximum number of keys listed in a column's comment.
const LISTED: usize = 12;

/// A table that the server defines: its name, its description, and its columns.
type OwnTable = (&'static str, &'static str, &'static [(&'static str, Type)]);

const OWN_TABLES: [OwnTable; 4] = [
    (
        "promise",
        "the promise, its adversary, and a bound for what your answers alone can reveal",
        &[("about", Type::TEXT), ("text", Type::TEXT)],
    ),
    (
        "releases",
        "your answers, and answers published to all: free to repeat",
        &[
            ("number", Type::INT8),
            ("charged", Type::DATE),
            ("sql", Type::TEXT),
            ("share", Type::NUMERIC),
            ("odds", Type::TEXT),
            ("published", Type::BOOL),
            ("answered", Type::BOOL),
            ("withdrawn", Type::DATE),
            ("withdrawal_reason", Type::TEXT),
        ],
    ),
    (
        "requests",
        "your requests for approval and their decisions: a request charges nothing",
        &[
            ("number", Type::INT8),
            ("requested", Type::DATE),
            ("sql", Type::TEXT),
            ("share", Type::NUMERIC),
            ("state", Type::TEXT),
            ("decided_by", Type::TEXT),
            ("reason", Type::TEXT),
        ],
    ),
    (
        "budget",
        "your part of the promise: shares of ln R, rounded in the safe direction",
        &[
            ("part", Type::TEXT),
            ("share", Type::NUMERIC),
            ("spent", Type::NUMERIC),
            ("left", Type::NUMERIC),
            ("left_exactly", Type::TEXT),
            ("queries_at_1_40", Type::INT8),
        ],
    ),
];

/// The catalog contents visible to a user.
#[must_use]
pub fn description(policy: &Policy, user: &str) -> Description {
    let declared = policy.tables();
    let table = |schema: &str, table: &schema::DeclaredTable, comment: String| Table {
        schema: schema.to_owned(),
        name: table.data.table.clone(),
        comment: Some(comment),
        rows: table.data.typical_rows,
        columns: table.columns.iter().flat_map(columns).collect(),
    };
    let about = |table: &schema::DeclaredTable| match table.role {
        Role::Protected { .. } => {
            format!("protected: ask for counts, sums and averages (version {})", table.data.version)
        }
        Role::Public { .. } => "public: its rows may be joined to protected tables".to_owned(),
    };
    let own = OWN_TABLES.iter().map(|(name, comment, columns)| Table {
        schema: OWN.to_owned(),
        name: (*name).to_owned(),
        comment: Some((*comment).to_owned()),
        rows: None,
        columns: columns
            .iter()
            .map(|(name, of)| Column { name: (*name).to_owned(), data_type: *of, comment: None })
            .collect(),
    });
    let simulated = "made-up rows of the declared shape, to try SQL on: free, without any private data";
    let tables = declared
        .iter()
        .map(|known| table("public", known, about(known)))
        .chain(own)
        .chain(declared.iter().map(|known| table(SIMULATED, known, simulated.to_owned())))
        .collect();
    Description { database: policy.name().to_owned(), user: user.to_owned(), version: VERSION.to_owned(), tables }
}

/// A column, followed by the coarser columns derived from it.
fn columns(column: &schema::Column) -> Vec<Column> {
    let labelled = !column.labels.is_empty();
    let data_type = match column.kind {
        ColumnType::Text => Type::TEXT,
        ColumnType::Integer => Type::INT8,
        ColumnType::Decimal => Type::NUMERIC,
        ColumnType::Boolean => Type::BOOL,
        ColumnType::Date => Type::DATE,
        ColumnType::Timestamp => Type::TIMESTAMP,
    };
    let mut said = Vec::new();
    if let Some(bounds) = &column.bounds {
        let end = |value: &deniable::exact::Rational| {
            if column.kind.is_time() { column.kind.written(value) } else { decimal(value, 6, Rounding::Nearest) }
        };
        said.push(format!("{} to {}", end(bounds.low()), end(bounds.high())));
    }
    if let Some(keys) = &column.keys {
        let mut listed: Vec<String> = keys
            .iter()
            .take(LISTED)
            .map(|key| match column.labels.get(key) {
                Some(label) => format!("{key} ({label})"),
                None => key.to_string(),
            })
            .collect();
        if keys.len() > LISTED {
            listed.push(format!("{} in all", keys.len()));
        }
        said.push(format!("groups {}{}", listed.join(", "), if labelled { "; displayed by label" } else { "" }));
    }
    let own = Column { name: column.name.clone(), data_type, comment: (!said.is_empty()).then(|| said.join("; ")) };
    let coarser = column.parents.iter().map(|parents| Column {
        name: parents.name.clone(),
        data_type: Type::TEXT,
        comment: Some(format!("follows from {}", column.name)),
    });
    std::iter::once(own).chain(coarser).collect()
}
