//! The tables of the catalogs and their rows. Tables about objects that no policy declares (indexes, constraints,
//! functions, ...) exist and are empty.

mod schema;

use crate::types::{self, Type, TypeDescription};
use crate::{Column, Description, Table, functions};
use rusqlite::types::Value;
use rusqlite::{Connection, Error, params_from_iter};
use schema::{CATALOG, INFORMATION, Shape};
use std::collections::{BTreeMap, BTreeSet};

/// The schema of tables that are named without one.
pub(crate) const PUBLIC: &str = "public";
const CATALOG_SCHEMA: i64 = 11;
const PUBLIC_SCHEMA: i64 = 2200;
const INFORMATION_SCHEMA: i64 = 13_000;
const FIRST_OWN_SCHEMA: i64 = 14_000;
/// The first OID for described tables, and for catalogs without a well-known OID.
const FIRST_TABLE: i64 = 16_384;
const FIRST_CATALOG: i64 = 12_000;
/// The OIDs of the single role, of the database, and of the heap access method.
const ROLE: i64 = 10;
const DATABASE: i64 = 16_383;
const HEAP: i64 = 2;
const PG_CLASS: i64 = 1259;
/// Keywords of PostgreSQL beyond standard SQL, with the category of their reservation; clients quote them.
const KEYWORDS: [(&str, &str); 10] = [
    ("analyse", "R"),
    ("analyze", "R"),
    ("concurrently", "T"),
    ("freeze", "T"),
    ("ilike", "T"),
    ("isnull", "T"),
    ("limit", "R"),
    ("notnull", "T"),
    ("offset", "R"),
    ("returning", "R"),
];
/// Rows per page that clients' planners assume.
const ROWS_OF_PAGE: u64 = 100;

/// A table, by its OID.
#[derive(Debug, Clone)]
pub(crate) struct Relation {
    schema: i64,
    schema_name: String,
    name: String,
    comments: Vec<Option<String>>,
}

impl Relation {
    /// Its name as PostgreSQL shows it: qualified unless its schema is in the search path.
    pub(crate) fn shown(&self) -> String {
        if [CATALOG_SCHEMA, PUBLIC_SCHEMA].contains(&self.schema) {
            self.name.clone()
        } else {
            format!("{}.{}", self.schema_name, self.name)
        }
    }
}

/// The OID of a table of `pg_catalog`, which its rows have as `tableoid`.
pub(crate) fn number_of_catalog(name: &str) -> Option<i64> {
    CATALOG.iter().position(|shape| shape.name == name).map(|at| number(&CATALOG[at], at))
}

/// The columns of a catalog; without a schema, of one in the search path.
pub(crate) fn columns_of(schema: Option<&str>, name: &str) -> Option<Vec<(String, Type)>> {
    let all = match schema {
        None | Some("pg_catalog") => CATALOG,
        Some("information_schema") => INFORMATION,
        Some(_) => return None,
    };
    all.iter().find(|shape| shape.name == name).map(columns_of_shape)
}

fn columns_of_shape(shape: &Shape) -> Vec<(String, Type)> {
    shape.columns().map(|(name, of)| (name.to_owned(), Type::named(of).unwrap_or(Type::TEXT))).collect()
}

fn number(shape: &Shape, at: usize) -> i64 {
    if shape.oid == 0 { FIRST_CATALOG + at as i64 } else { shape.oid }
}

/// The tables and schemas that catalog functions look up.
#[derive(Debug)]
pub(crate) struct CatalogNames {
    relations: BTreeMap<i64, Relation>,
    schemas: Vec<(i64, String)>,
}

impl CatalogNames {
    pub(crate) fn of(description: &Description) -> Self {
        let mut schemas =
            vec![(CATALOG_SCHEMA, "pg_catalog"), (PUBLIC_SCHEMA, PUBLIC), (INFORMATION_SCHEMA, "information_schema")]
                .into_iter()
                .map(|(oid, name)| (oid, name.to_owned()))
                .collect::<Vec<_>>();
        for table in &description.tables {
            if schemas.iter().all(|(_, known)| *known != table.schema) {
                let own = schemas.iter().filter(|(oid, _)| *oid >= FIRST_OWN_SCHEMA).count() as i64;
                schemas.push((FIRST_OWN_SCHEMA + own, table.schema.clone()));
            }
        }
        let mut relations = BTreeMap::new();
        let catalogs = CATALOG.iter().map(|shape| (CATALOG_SCHEMA, shape));
        let catalogs = catalogs.chain(INFORMATION.iter().map(|shape| (INFORMATION_SCHEMA, shape)));
        for (at, (schema, shape)) in catalogs.enumerate() {
            let oid = number(shape, at);
            let schema_name = schemas.iter().find(|(known, _)| *known == schema).map(|(_, name)| name.clone());
            let schema_name = schema_name.unwrap_or_default();
            let name = shape.name.to_owned();
            relations.insert(oid, Relation { schema, schema_name, name, comments: vec![None] });
        }
        for (at, table) in description.tables.iter().enumerate() {
            let schema = schemas.iter().find(|(_, name)| *name == table.schema).map_or(PUBLIC_SCHEMA, |(oid, _)| *oid);
            let comments = table.columns.iter().map(|column| column.comment.clone());
            let comments = std::iter::once(table.comment.clone()).chain(comments).collect();
            let (schema_name, name) = (table.schema.clone(), table.name.clone());
            relations.insert(FIRST_TABLE + at as i64, Relation { schema, schema_name, name, comments });
        }
        Self { relations, schemas }
    }

    pub(crate) fn relation(&self, oid: i64) -> Option<&Relation> {
        self.relations.get(&oid)
    }

    /// Whether a table is found by its unqualified name.
    pub(crate) fn is_visible(&self, oid: i64) -> bool {
        self.relation(oid).is_some_and(|relation| [CATALOG_SCHEMA, PUBLIC_SCHEMA].contains(&relation.schema))
    }

    /// The OID of a table by its name, qualified or not, or by the OID as text.
    pub(crate) fn relation_named(&self, name: &str) -> Option<i64> {
        if let Ok(oid) = name.parse() {
            return Some(oid);
        }
        let unquoted = |part: &str| part.trim_matches('"').to_owned();
        let (schema, name) = match name.split_once('.') {
            Some((schema, name)) => (Some(unquoted(schema)), unquoted(name)),
            None => (None, unquoted(name)),
        };
        let is_it = |oid: i64, relation: &Relation| {
            relation.name == name
                && schema.as_ref().map_or(self.is_visible(oid), |schema| relation.schema_name == *schema)
        };
        self.relations.iter().find(|(oid, relation)| is_it(**oid, relation)).map(|(oid, _)| *oid)
    }

    pub(crate) fn schema_name(&self, oid: i64) -> Option<&str> {
        self.schemas.iter().find(|(known, _)| *known == oid).map(|(_, name)| name.as_str())
    }

    pub(crate) fn schema_oid(&self, name: &str) -> Option<i64> {
        self.schemas.iter().find(|(_, known)| known == name).map(|(oid, _)| *oid).or_else(|| name.parse().ok())
    }

    /// The comment on a table, or on its column with this number.
    pub(crate) fn comment(&self, oid: i64, column: i64) -> Option<&str> {
        self.relation(oid)?.comments.get(usize::try_from(column).ok()?)?.as_deref()
    }
}

/// Creates all tables, and fills those that depend on the description.
pub(crate) fn fill(connection: &Connection, description: &Description) -> Result<(), Error> {
    for (schema, shapes) in [("pg_catalog", CATALOG), ("information_schema", INFORMATION)] {
        connection.execute(&format!("ATTACH ':memory:' AS {schema}"), [])?;
        for shape in shapes {
            let columns: Vec<String> = shape.columns().map(|(name, of)| format!("\"{name}\" {}", inside(of))).collect();
            connection.execute(&format!("CREATE TABLE {schema}.{} ({})", shape.name, columns.join(", ")), [])?;
        }
    }
    for schema in own_schemas(description) {
        connection.execute(&format!("ATTACH ':memory:' AS {}", quoted(schema)), [])?;
    }
    for table in description.tables.iter().filter(|table| table.schema != PUBLIC) {
        let column = |column: &Column| {
            let of = column.data_type.about().map_or("text", |about| about.name);
            format!("{} {}", quoted(&column.name), inside(of))
        };
        let columns: Vec<String> = table.columns.iter().map(column).collect();
        connection.execute(&format!("CREATE TABLE {} ({})", qualified(table), columns.join(", ")), [])?;
    }
    // Without ORDER BY, rows are in the order of columns, as clients expect.
    for (table, column) in [("pg_attribute", "attrelid"), ("pg_class", "oid"), ("pg_type", "oid")] {
        connection.execute(&format!("CREATE INDEX pg_catalog.{table}_{column} ON {table} ({column})"), [])?;
    }
    // PostgreSQL's LIKE is case-sensitive.
    connection.pragma_update(None, "case_sensitive_like", true)?;
    let known = CatalogNames::of(description);
    let fill = Fill { connection, description };
    fill.cluster(&known)?;
    fill.types()?;
    for (oid, relation) in &known.relations {
        let described = usize::try_from(oid - FIRST_TABLE).ok().and_then(|at| description.tables.get(at));
        let columns: Vec<(String, Type)> = match described {
            Some(table) => table.columns.iter().map(|column| (column.name.clone(), column.data_type)).collect(),
            None => {
                let all = if relation.schema == CATALOG_SCHEMA { CATALOG } else { INFORMATION };
                let shape = all.iter().find(|shape| shape.name == relation.name);
                shape.map(columns_of_shape).unwrap_or_default()
            }
        };
        fill.relation(*oid, relation, described, &columns)?;
        fill.information(relation, described.is_some(), &columns)?;
    }
    // Queries cannot change the tables.
    connection.pragma_update(None, "query_only", true)
}

/// The schemas of described tables that may have rows: all except the one in the search path.
fn own_schemas(description: &Description) -> BTreeSet<&str> {
    let schemas = description.tables.iter().map(|table| table.schema.as_str());
    schemas.filter(|schema| *schema != PUBLIC).collect()
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

fn qualified(table: &Table) -> String {
    format!("{}.{}", quoted(&table.schema), quoted(&table.name))
}

/// Replaces the rows of a described table outside of `public`.
pub(crate) fn put(connection: &Connection, table: &Table, rows: &[Vec<Option<String>>]) -> Result<(), Error> {
    connection.pragma_update(None, "query_only", false)?;
    let put = || {
        connection.execute(&format!("DELETE FROM {}", qualified(table)), [])?;
        let marks = vec!["?"; table.columns.len()].join(", ");
        let mut insert = connection.prepare_cached(&format!("INSERT INTO {} VALUES ({marks})", qualified(table)))?;
        for row in rows {
            let values = row.iter().zip(&table.columns).map(|(value, column)| match value.as_deref() {
                None => Value::Null,
                Some("t") if column.data_type == Type::BOOL => Value::Integer(1),
                Some("f") if column.data_type == Type::BOOL => Value::Integer(0),
                Some(text) => word(text),
            });
            insert.execute(params_from_iter(values))?;
        }
        Ok(())
    };
    let done: Result<(), Error> = put();
    connection.pragma_update(None, "query_only", true)?;
    done
}

/// The declared type for SQLite; the first word is PostgreSQL's type.
fn inside(of: &str) -> String {
    let about = Type::named(of).and_then(Type::about);
    let kept = match about.map(|about| (about.category, about.name)) {
        Some(('N', "float4" | "float8" | "numeric")) => "real",
        Some(('N' | 'B', _)) => "int",
        _ => "text",
    };
    format!("{of} {kept}")
}

struct Fill<'a> {
    connection: &'a Connection,
    description: &'a Description,
}

fn word(value: impl Into<String>) -> Value {
    Value::Text(value.into())
}

fn count(value: impl Into<i64>) -> Value {
    Value::Integer(value.into())
}

impl Fill<'_> {
    /// Adds a row with these columns; the others are NULL.
    fn row(&self, table: &str, values: &[(&str, Value)]) -> Result<(), Error> {
        let names: Vec<&str> = values.iter().map(|(name, _)| *name).collect();
        let marks = vec!["?"; values.len()].join(", ");
        let sql = format!("INSERT INTO {table} (\"{}\") VALUES ({marks})", names.join("\", \""));
        let mut insert = self.connection.prepare_cached(&sql)?;
        insert.execute(params_from_iter(values.iter().map(|(_, value)| value))).map(drop)
    }

    fn cluster(&self, known: &CatalogNames) -> Result<(), Error> {
        let description = self.description;
        for (oid, name) in &known.schemas {
            self.row(
                "pg_catalog.pg_namespace",
                &[("oid", count(*oid)), ("nspname", word(name)), ("nspowner", count(ROLE))],
            )?;
            self.row(
                "information_schema.schemata",
                &[
                    ("catalog_name", word(&description.database)),
                    ("schema_name", word(name)),
                    ("schema_owner", word(&description.user)),
                ],
            )?;
        }
        self.row(
            "pg_catalog.pg_database",
            &[
                ("oid", count(DATABASE)),
                ("datname", word(&description.database)),
                ("datdba", count(ROLE)),
                ("encoding", count(6)),
                ("datlocprovider", word("c")),
                ("datistemplate", count(0)),
                ("datallowconn", count(1)),
                ("datconnlimit", count(-1)),
                ("dattablespace", count(1663)),
                ("datcollate", word("C")),
                ("datctype", word("C")),
            ],
        )?;
        for table in ["pg_catalog.pg_roles", "pg_catalog.pg_user"] {
            let prefix = if table.ends_with("roles") { "rol" } else { "use" };
            let mut values =
                vec![(format!("{prefix}name"), word(&description.user)), (format!("{prefix}super"), count(0))];
            if prefix == "rol" {
                for (name, value) in [
                    ("oid", ROLE),
                    ("rolinherit", 1),
                    ("rolcreaterole", 0),
                    ("rolcreatedb", 0),
                    ("rolcanlogin", 1),
                    ("rolreplication", 0),
                    ("rolbypassrls", 0),
                    ("rolconnlimit", -1),
                ] {
                    values.push((name.to_owned(), count(value)));
                }
            } else {
                values.push(("usesysid".to_owned(), count(ROLE)));
            }
            let values: Vec<(&str, Value)> =
                values.iter().map(|(name, value)| (name.as_str(), value.clone())).collect();
            self.row(table, &values)?;
        }
        self.row("pg_catalog.pg_am", &[("oid", count(HEAP)), ("amname", word("heap")), ("amtype", word("t"))])?;
        for (oid, name) in [(1663, "pg_default"), (1664, "pg_global")] {
            self.row(
                "pg_catalog.pg_tablespace",
                &[("oid", count(oid)), ("spcname", word(name)), ("spcowner", count(ROLE))],
            )?;
        }
        self.row(
            "information_schema.character_sets",
            &[
                ("character_set_name", word("UTF8")),
                ("default_collate_catalog", word(&description.database)),
                ("default_collate_schema", word("pg_catalog")),
                ("default_collate_name", word("C")),
            ],
        )?;
        for (keyword, code) in KEYWORDS {
            self.row("pg_catalog.pg_get_keywords", &[("word", word(keyword)), ("catcode", word(code))])?;
        }
        for (oid, name) in [(100, "default"), (950, "C")] {
            self.row(
                "pg_catalog.pg_collation",
                &[
                    ("oid", count(oid)),
                    ("collname", word(name)),
                    ("collnamespace", count(CATALOG_SCHEMA)),
                    ("collowner", count(ROLE)),
                    ("collprovider", word(if name == "default" { "d" } else { "c" })),
                    ("collisdeterministic", count(1)),
                    ("collencoding", count(-1)),
                ],
            )?;
        }
        for name in functions::SETTINGS {
            let value = functions::setting(description, name).map_or(Value::Null, Value::Text);
            let values = [("name", word(name)), ("setting", value.clone()), ("boot_val", value.clone())];
            let more = [("reset_val", value), ("source", word("default")), ("vartype", word("string"))];
            self.row("pg_catalog.pg_settings", &[values, more].concat())?;
        }
        Ok(())
    }

    fn types(&self) -> Result<(), Error> {
        for (number, name) in types::functions() {
            self.row(
                "pg_catalog.pg_proc",
                &[
                    ("oid", count(number)),
                    ("proname", word(name)),
                    ("pronamespace", count(CATALOG_SCHEMA)),
                    ("proowner", count(ROLE)),
                    ("prokind", word("f")),
                    ("prosecdef", count(0)),
                    ("proretset", count(0)),
                    ("provolatile", word("i")),
                    ("pronargs", count(1)),
                ],
            )?;
        }
        for about in &types::ALL {
            let [input, output, receive, send] = about.functions().map(|(number, _)| number);
            self.row(
                "pg_catalog.pg_type",
                &[
                    ("oid", count(about.oid)),
                    ("typname", word(about.name)),
                    ("typnamespace", count(CATALOG_SCHEMA)),
                    ("typowner", count(ROLE)),
                    ("typlen", count(about.length)),
                    ("typbyval", count(i64::from((1..=8).contains(&about.length)))),
                    ("typtype", word("b")),
                    ("typcategory", word(about.category)),
                    ("typispreferred", count(0)),
                    ("typisdefined", count(1)),
                    ("typdelim", word(",")),
                    ("typrelid", count(0)),
                    ("typelem", count(about.element)),
                    ("typarray", count(about.array)),
                    ("typinput", count(input)),
                    ("typoutput", count(output)),
                    ("typreceive", count(receive)),
                    ("typsend", count(send)),
                    ("typnotnull", count(0)),
                    ("typbasetype", count(0)),
                    ("typtypmod", count(-1)),
                    ("typndims", count(0)),
                    ("typcollation", count(if about.category == 'S' { 100 } else { 0 })),
                ],
            )?;
        }
        Ok(())
    }

    fn relation(
        &self,
        oid: i64,
        relation: &Relation,
        described: Option<&Table>,
        columns: &[(String, Type)],
    ) -> Result<(), Error> {
        let rows = described.and_then(|table| table.rows);
        let pages = rows.map_or(0, |rows| i64::try_from(rows.div_ceil(ROWS_OF_PAGE)).unwrap_or(i64::MAX));
        let kind = if relation.schema == INFORMATION_SCHEMA { "v" } else { "r" };
        let mut values = vec![
            ("oid", count(oid)),
            ("relname", word(&relation.name)),
            ("relnamespace", count(relation.schema)),
            ("relowner", count(ROLE)),
            ("relam", count(if kind == "r" { HEAP } else { 0 })),
            ("relpages", count(pages)),
            ("reltuples", Value::Real(rows.map_or(-1.0, |rows| rows as f64))),
            ("relpersistence", word("p")),
            ("relkind", word(kind)),
            ("relnatts", count(columns.len() as i64)),
            ("relreplident", word("d")),
        ];
        let zero =
            ["reltype", "reloftype", "relfilenode", "reltablespace", "reltoastrelid", "relchecks", "relallvisible"];
        values.extend(zero.map(|name| (name, count(0))));
        let no = ["relhasindex", "relisshared", "relhasrules", "relhastriggers", "relhassubclass", "relrowsecurity"];
        values.extend(no.map(|name| (name, count(0))));
        values.extend([("relforcerowsecurity", count(0)), ("relispartition", count(0)), ("relispopulated", count(1))]);
        self.row("pg_catalog.pg_class", &values)?;
        if kind == "r" {
            let mut values = vec![("schemaname", word(&relation.schema_name)), ("tablename", word(&relation.name))];
            values.extend(["hasindexes", "hasrules", "hastriggers", "rowsecurity"].map(|name| (name, count(0))));
            let owner = self.description.user.as_str();
            self.row("pg_catalog.pg_tables", &[values, vec![("tableowner", word(owner))]].concat())?;
        }
        for (at, (name, of)) in columns.iter().enumerate() {
            let about = of.about();
            self.row(
                "pg_catalog.pg_attribute",
                &[
                    ("attrelid", count(oid)),
                    ("attname", word(name)),
                    ("atttypid", count(of.oid())),
                    ("attlen", count(about.map_or(-1, |about| about.length))),
                    ("attnum", count(at as i64 + 1)),
                    ("attndims", count(0)),
                    ("atttypmod", count(-1)),
                    ("attstorage", word(about.map_or('p', TypeDescription::storage))),
                    ("attcompression", word("")),
                    ("attstattarget", count(-1)),
                    ("attnotnull", count(0)),
                    ("atthasdef", count(0)),
                    ("atthasmissing", count(0)),
                    ("attidentity", word("")),
                    ("attgenerated", word("")),
                    ("attisdropped", count(0)),
                    ("attislocal", count(1)),
                    ("attinhcount", count(0)),
                    ("attcollation", count(about.filter(|about| about.category == 'S').map_or(0, |_| 100))),
                ],
            )?;
        }
        for (at, comment) in relation.comments.iter().enumerate() {
            let Some(comment) = comment else { continue };
            self.row(
                "pg_catalog.pg_description",
                &[
                    ("objoid", count(oid)),
                    ("classoid", count(PG_CLASS)),
                    ("objsubid", count(at as i64)),
                    ("description", word(comment)),
                ],
            )?;
        }
        Ok(())
    }

    fn information(&self, relation: &Relation, is_described: bool, columns: &[(String, Type)]) -> Result<(), Error> {
        let description = self.description;
        let place = || {
            vec![
                ("table_catalog", word(&description.database)),
                ("table_schema", word(&relation.schema_name)),
                ("table_name", word(&relation.name)),
            ]
        };
        let mut values = place();
        let kind = if relation.schema == INFORMATION_SCHEMA { "VIEW" } else { "BASE TABLE" };
        values.extend([("table_type", word(kind)), ("is_insertable_into", word("NO")), ("is_typed", word("NO"))]);
        self.row("information_schema.tables", &values)?;
        if is_described {
            let mut values = place();
            values.extend([
                ("grantor", word(&description.user)),
                ("grantee", word(&description.user)),
                ("privilege_type", word("SELECT")),
                ("is_grantable", word("NO")),
            ]);
            self.row("information_schema.table_privileges", &values)?;
        }
        for (at, (name, of)) in columns.iter().enumerate() {
            let Some(about) = of.about() else { continue };
            let mut values = place();
            values.extend([
                ("column_name", word(name)),
                ("ordinal_position", count(at as i64 + 1)),
                ("is_nullable", word("YES")),
                ("data_type", word(if about.category == 'A' { "ARRAY" } else { about.sql })),
                ("udt_catalog", word(&description.database)),
                ("udt_schema", word("pg_catalog")),
                ("udt_name", word(about.name)),
                ("is_identity", word("NO")),
                ("is_generated", word("NEVER")),
                ("is_updatable", word("NO")),
            ]);
            let digits = match about.name {
                "int2" => Some((16, 0)),
                "int4" => Some((32, 0)),
                "int8" => Some((64, 0)),
                _ => None,
            };
            if let Some((precision, scale)) = digits {
                values.extend([("numeric_precision", count(precision)), ("numeric_scale", count(scale))]);
            }
            self.row("information_schema.columns", &values)?;
        }
        Ok(())
    }
}
