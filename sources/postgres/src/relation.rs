//! Tables and views: their columns, and the parts in which they are read.

use crate::decode::Kind;
use crate::error::PostgresError;
use crate::snapshot::Snapshot;
use arrow_schema::DataType;
use deniable_core::schema::{RelationName, quoted};
use std::sync::Arc;
use tokio_postgres::{Client, Error, Row};

/// Pages of a part: 16 MiB with the default page size.
const PAGES: u32 = 2_048;
/// The first version that reads a range of pages without scanning those before it.
const RANGES_SINCE: i32 = 140_000;
const MOST_DOMAINS: usize = 32;
const READABLE: &str = "supported types are the integers, real, double precision, numeric, text, varchar, char, uuid, boolean, date, timestamp, \
    enumerated types, and domains over these: add a stored column of one of them";
const MOST_LEAVES: usize = 100_000;

/// The declared columns of a table or view, in a snapshot. The relation is locked against changes while this exists.
#[derive(Debug)]
pub struct Relation {
    pub(crate) snapshot: Arc<Snapshot>,
    name: RelationName,
    is_table: bool,
    pub(crate) columns: Vec<RelationColumn>,
    parts: Vec<Part>,
}

/// A column of a relation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RelationColumn {
    /// Its name.
    pub name: String,
    /// Its type in the database, such as `numeric(10,2)`.
    pub type_name: String,
    pub(crate) kind: Kind,
}

impl RelationColumn {
    /// The type of its values in memory.
    #[must_use]
    pub fn data_type(&self) -> DataType {
        self.kind.data_type()
    }
}

/// The unit that one connection copies at a time.
#[derive(Debug, Clone)]
pub struct Part {
    /// The table or partition, by its index among them.
    pub file: usize,
    /// The same, by name.
    pub relation: RelationName,
    /// The first page, and the end of the range unless this is the last part; `None` if rows have no places.
    range: Option<(u32, Option<u32>)>,
}

impl Part {
    /// Whether its rows have places by which the database finds them again.
    #[must_use]
    pub fn has_places(&self) -> bool {
        self.range.is_some()
    }

    /// The COPY statement: columns as they are stored.
    pub(crate) fn query(&self, columns: &[String]) -> String {
        // The list may be empty: then rows have no fields.
        let list = columns.join(", ");
        let range = match self.range {
            Some((from, Some(to))) => format!(" WHERE ctid >= '({from},0)' AND ctid < '({to},0)'"),
            Some((0, None)) | None => String::new(),
            Some((from, None)) => format!(" WHERE ctid >= '({from},0)'"),
        };
        format!("COPY (SELECT {list} FROM {}{range}) TO STDOUT (FORMAT binary)", self.relation)
    }
}

/// A table, partition or view, as PostgreSQL's catalog describes it.
struct CatalogRelation {
    oid: u32,
    kind: String,
    name: RelationName,
    pages: i64,
    may_read: bool,
}

const STORED: &str = "SELECT c.oid, c.relkind::text, n.nspname::text, c.relname::text, \
    CASE WHEN c.relkind IN ('r', 'm') THEN pg_relation_size(c.oid) / current_setting('block_size')::int8 ELSE 0 END, \
    has_table_privilege(c.oid, 'SELECT') \
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE ";

impl CatalogRelation {
    fn of(row: &Row) -> Result<Self, Error> {
        let name = RelationName { schema: row.try_get(2)?, name: row.try_get(3)? };
        Ok(Self {
            oid: row.try_get(0)?,
            kind: row.try_get(1)?,
            name,
            pages: row.try_get(4)?,
            may_read: row.try_get(5)?,
        })
    }
}

/// A column, as PostgreSQL's catalog describes it.
struct CatalogColumn {
    name: String,
    type_name: String,
    base: u32,
    modifier: i32,
    is_enum: bool,
    is_computed: bool,
}

impl Snapshot {
    /// Looks up a table or view with these columns.
    ///
    /// # Errors
    /// When it does not exist, the user may not read it, or a column is missing or has an unsupported type.
    pub fn relation(self: &Arc<Self>, name: &RelationName, columns: &[&str]) -> Result<Relation, PostgresError> {
        let (stored, described, leaves) = self.find(name)?;
        let mut known =
            columns.iter().map(|column| of_column(name, &described, column)).collect::<Result<Vec<_>, _>>()?;
        known.sort_unstable_by(|one, other| one.name.cmp(&other.name));
        let is_table = stored.kind != "v";
        let parts = self.parts(&stored, leaves);
        Ok(Relation { snapshot: self.clone(), name: name.clone(), is_table, columns: known, parts })
    }

    /// The names of all columns of a table or view, in its order, each with the type of its values in memory; `None`
    /// for an unsupported type.
    ///
    /// # Errors
    /// When the relation does not exist, or the user may not read it.
    pub fn columns(&self, name: &RelationName) -> Result<Vec<(String, Option<DataType>)>, PostgresError> {
        let (_, described, _) = self.find(name)?;
        let all = described.iter().map(|found| {
            let known = of_column(name, &described, &found.name).ok();
            (found.name.clone(), known.map(|column| column.data_type()))
        });
        Ok(all.collect())
    }

    /// The catalog's entry of a relation, its columns, and its partitions.
    fn find(
        &self,
        name: &RelationName,
    ) -> Result<(CatalogRelation, Vec<CatalogColumn>, Vec<CatalogRelation>), PostgresError> {
        let found = self.ask(async |client| {
            let by_name =
                format!("{STORED} n.nspname = $1 AND c.relname = $2 AND c.relkind IN ('r', 'p', 'v', 'm', 'f')");
            let Some(row) = client.query_opt(&by_name, &[&name.schema, &name.name]).await? else { return Ok(None) };
            let stored = CatalogRelation::of(&row)?;
            // From here on the relation cannot be altered, truncated, refreshed or dropped. Kinds that LOCK TABLE does
            // not support are locked by a query.
            let lock = match stored.kind.as_str() {
                "r" | "p" | "v" => format!("LOCK TABLE {name} IN ACCESS SHARE MODE"),
                _ => format!("SELECT FROM {name} LIMIT 0"),
            };
            client.batch_execute(&lock).await?;
            let described = describe(client, stored.oid).await?;
            let leaves = if stored.kind == "p" { leaves(client, stored.oid).await? } else { Vec::new() };
            Ok(Some((stored, described, leaves)))
        })?;
        found.ok_or_else(|| {
            PostgresError::new(
                format!("the PostgreSQL database has no table or view {}", name.shown()),
                "check schema and name; put names that are not in lower case in double quotes, as in `clinic.\"Visits\"`",
            )
        })
    }

    fn parts(&self, stored: &CatalogRelation, leaves: Vec<CatalogRelation>) -> Vec<Part> {
        // A user who may read a table need not have the right to read its partitions directly.
        if !leaves.is_empty() && leaves.len() <= MOST_LEAVES && leaves.iter().all(|leaf| leaf.may_read) {
            return leaves.iter().enumerate().flat_map(|(file, leaf)| self.ranges(file, leaf)).collect();
        }
        self.ranges(0, stored)
    }

    fn ranges(&self, file: usize, stored: &CatalogRelation) -> Vec<Part> {
        let part = |range| Part { file, relation: stored.name.clone(), range };
        if !matches!(stored.kind.as_str(), "r" | "m") {
            return vec![part(None)];
        }
        let pages = u32::try_from(stored.pages).unwrap_or(u32::MAX);
        if self.version() < RANGES_SINCE || pages <= PAGES {
            return vec![part(Some((0, None)))];
        }
        // Rows after the last known page belong to the last part, so there is no gap, whatever size the server reports.
        let begins: Vec<u32> = (0..pages).step_by(PAGES as usize).collect();
        let ends = begins.iter().skip(1).copied().map(Some).chain([None]);
        begins.iter().copied().zip(ends).map(|range| part(Some(range))).collect()
    }
}

async fn leaves(client: &Client, oid: u32) -> Result<Vec<CatalogRelation>, Error> {
    let query = format!(
        "{STORED} c.oid IN (SELECT relid::oid FROM pg_partition_tree($1::oid::regclass) WHERE isleaf) ORDER BY 3, 4"
    );
    client.query(&query, &[&oid]).await?.iter().map(CatalogRelation::of).collect()
}

async fn describe(client: &Client, oid: u32) -> Result<Vec<CatalogColumn>, Error> {
    let columns = "SELECT a.attname::text, format_type(a.atttypid, a.atttypmod), a.atttypid, a.atttypmod, a.attgenerated::text \
        FROM pg_attribute a WHERE a.attrelid = $1 AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum";
    let domain = "SELECT typtype::text, typbasetype, typtypmod FROM pg_type WHERE oid = $1";
    let mut described = Vec::new();
    for row in client.query(columns, &[&oid]).await? {
        let (mut base, mut modifier): (u32, i32) = (row.try_get(2)?, row.try_get(3)?);
        let mut kind: String = String::new();
        for _ in 0..MOST_DOMAINS {
            let about = client.query_one(domain, &[&base]).await?;
            kind = about.try_get(0)?;
            if kind != "d" {
                break;
            }
            base = about.try_get(1)?;
            let inner: i32 = about.try_get(2)?;
            modifier = if inner >= 0 { inner } else { modifier };
        }
        let generated: String = row.try_get(4)?;
        let (is_enum, is_computed) = (kind == "e", generated == "v");
        described.push(CatalogColumn {
            name: row.try_get(0)?,
            type_name: row.try_get(1)?,
            base,
            modifier,
            is_enum,
            is_computed,
        });
    }
    Ok(described)
}

fn of_column(
    relation: &RelationName,
    described: &[CatalogColumn],
    name: &str,
) -> Result<RelationColumn, PostgresError> {
    let relation = relation.shown();
    let Some(found) = described.iter().find(|column| column.name == name) else {
        let mut names: Vec<String> = described.iter().take(12).map(|column| quoted(&column.name)).collect();
        if described.len() > names.len() {
            names.push(format!("and {} more", described.len() - names.len()));
        }
        return Err(PostgresError::new(
            format!("the PostgreSQL relation {relation} has no column {}; it has {}", quoted(name), names.join(", ")),
            "names must match exactly, including case",
        ));
    };
    let kind = if found.is_enum { Some(Kind::Text) } else { Kind::of(found.base, found.modifier) };
    match kind {
        Some(kind) if !found.is_computed => {
            Ok(RelationColumn { name: found.name.clone(), type_name: found.type_name.clone(), kind })
        }
        Some(_) => Err(PostgresError::new(
            format!("the column {} of the PostgreSQL relation {relation} is computed on read", quoted(name)),
            "declare it GENERATED ... STORED: an expression could fail on a value, and the failure would reveal it",
        )),
        None => Err(PostgresError::new(
            format!(
                "the column {} of the PostgreSQL relation {relation} has the type {}, which is not supported",
                quoted(name),
                found.type_name
            ),
            READABLE,
        )),
    }
}

impl Relation {
    /// The requested columns.
    #[must_use]
    pub fn columns(&self) -> &[RelationColumn] {
        &self.columns
    }

    /// The parts, each copied by one connection.
    #[must_use]
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// The names of the relations in which rows can be found again: the table, or its partitions.
    #[must_use]
    pub fn places(&self) -> Vec<String> {
        let mut places: Vec<String> = Vec::new();
        for part in &self.parts {
            if places.len() <= part.file {
                places.push(part.relation.shown());
            }
        }
        places
    }

    /// A description without reading rows: the name, whether it is a table, and the wanted columns with their types.
    /// Two relations have equal marks only if all of these are equal.
    #[must_use]
    pub fn marks(&self) -> Vec<u8> {
        let mut marks = vec![u8::from(self.is_table)];
        let columns = self.columns.iter().flat_map(|column| [&column.name, &column.type_name]);
        for text in [&self.name.schema, &self.name.name].into_iter().chain(columns) {
            marks.extend((text.len() as u64).to_le_bytes());
            marks.extend(text.as_bytes());
        }
        marks
    }
}
