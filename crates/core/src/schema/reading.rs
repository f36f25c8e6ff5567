//! Canonical bytes of how the rows of a table are read.
//!
//! A registered version identifies rows, not only bytes: `7` and `07` are two keys as texts and one as integers, and
//! another key column, or `trim`, gives other people for the same file. The canonical bytes contain everything that
//! determines the rows: for the ledger's registrations, and for the identity of queries.
//!
//! Structs are destructured field by field, so that a new option does not compile until its author has decided whether
//! it belongs here.

use super::{Column, ColumnType, Compression, CsvOptions, Data, DeclaredTable, Format, Role};
use crate::zone::DATABASE;

/// Version of this form. It increases whenever the same bytes would identify other rows: when the form changes, or when
/// the readers read a file differently.
pub const READING_FORMAT: u32 = 1;

/// The canonical bytes of how the rows of `table` are read, for the `used` columns and the column that names the entity
/// or is the public key, which is always used. Two tables have the same bytes exactly when they have the same role and
/// key, the same format with the same options and partitions, and the same used columns with the same types and
/// patterns, in any order of declaration.
///
/// Paths and names of the files and the expected values (bounds, keys, the number of rows) are not included; neither
/// are caps. The caller adds the version and the table's name in SQL.
#[must_use]
pub fn reading(table: &DeclaredTable, used: &dyn Fn(&str) -> bool) -> Vec<u8> {
    let DeclaredTable { data, columns, role } = table;
    let Data { table: _, path: _, version: _, format, partitions, typical_rows: _ } = data;
    let mut out = Bytes::default();
    out.number(READING_FORMAT.into());
    let key = match role {
        Role::Protected { entity } => {
            out.byte(1);
            entity.as_deref()
        }
        Role::Public { key } => {
            out.byte(2);
            Some(key.as_str())
        }
    };
    out.optional(key);
    match format {
        Format::Csv(options) => {
            out.byte(1);
            out.csv(options);
        }
        Format::Parquet => out.byte(2),
        // The connection does not affect the rows.
        Format::Postgres { connect: _ } => out.byte(3),
        // All engines read values of the supported types alike.
        Format::Engine { kind: _, connect: _ } => out.byte(4),
    }
    // The order of nesting does not affect the values; it is kept as declared.
    out.list(partitions.iter().map(String::as_str));
    let mut columns: Vec<&Column> =
        columns.iter().filter(|column| used(&column.name) || key == Some(column.name.as_str())).collect();
    // Names are unique, so this order is canonical.
    columns.sort_unstable_by(|one, other| one.name.cmp(&other.name));
    out.number(columns.len() as u64);
    for Column {
        name,
        kind,
        bounds: _,
        keys: _,
        keys_from: _,
        labels: _,
        parents: _,
        step: _,
        least: _,
        format,
        pivot,
        zone,
    } in columns
    {
        out.text(name);
        out.byte(match kind {
            ColumnType::Integer => 1,
            ColumnType::Decimal => 2,
            ColumnType::Text => 3,
            ColumnType::Boolean => 4,
            ColumnType::Date => 5,
            ColumnType::Timestamp => 6,
        });
        out.optional(format.as_deref());
        out.optional(pivot.map(|year| year.to_string()).as_deref());
        // Another version of the time-zone database may have other local times.
        out.optional(zone.map(|zone| format!("{} {DATABASE}", zone.name())).as_deref());
    }
    out.0
}

/// Uniquely decodable bytes: every text and list begins with its length.
#[derive(Default)]
struct Bytes(Vec<u8>);

impl Bytes {
    fn byte(&mut self, byte: u8) {
        self.0.push(byte);
    }

    fn number(&mut self, number: u64) {
        self.0.extend(number.to_le_bytes());
    }

    fn text(&mut self, text: &str) {
        self.number(text.len() as u64);
        self.0.extend(text.as_bytes());
    }

    fn optional(&mut self, text: Option<&str>) {
        self.byte(text.is_some().into());
        text.into_iter().for_each(|text| self.text(text));
    }

    fn list<'a>(&mut self, texts: impl ExactSizeIterator<Item = &'a str>) {
        self.number(texts.len() as u64);
        texts.for_each(|text| self.text(text));
    }

    fn csv(&mut self, options: &CsvOptions) {
        let CsvOptions { delimiter, quote, decimal_comma, encoding, compression, trim, nulls, columns } = options;
        self.byte(*delimiter);
        self.byte(quote.is_some().into());
        self.byte(quote.unwrap_or_default());
        self.byte((*decimal_comma).into());
        self.text(encoding);
        self.byte(match compression {
            Compression::None => 1,
            Compression::Gzip => 2,
            Compression::Zstd => 3,
        });
        self.byte((*trim).into());
        // The order and multiplicity of texts that mean NULL have no effect.
        let mut nulls: Vec<&str> = nulls.iter().map(String::as_str).collect();
        nulls.sort_unstable();
        nulls.dedup();
        self.list(nulls.into_iter());
        // `None` is a file with a header.
        self.byte(columns.is_some().into());
        columns.iter().for_each(|columns| self.list(columns.iter().map(String::as_str)));
    }
}
