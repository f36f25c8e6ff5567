//! The bytes of a table's reading: equal exactly if the table is read in the same way.

use deniable_core::exact::whole;
use deniable_core::schema::{
    Bounds, Column, ColumnType, Compression, CsvOptions, Data, DeclaredTable, EngineKind, Format, Key, Role, reading,
};
use deniable_core::zone::Zone;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

fn column(name: &str, kind: ColumnType, format: Option<&str>) -> Column {
    Column { format: format.map(str::to_owned), ..Column::new(name, kind) }
}

fn table() -> DeclaredTable {
    let options = CsvOptions { nulls: vec![String::new(), "?".to_owned()], ..CsvOptions::with_delimiter(b',') };
    let data = Data {
        table: "visits".to_owned(),
        path: "visits.csv".to_owned(),
        version: "1".to_owned(),
        format: Format::Csv(options),
        partitions: Vec::new(),
        typical_rows: None,
    };
    let columns = vec![
        column("patient", ColumnType::Text, None),
        column("age", ColumnType::Integer, None),
        column("day", ColumnType::Date, None),
    ];
    DeclaredTable { data, columns, role: Role::Protected { entity: Some("patient".to_owned()) } }
}

fn whole_table(table: &DeclaredTable) -> Vec<u8> {
    reading(table, &|_| true)
}

fn csv(table: &mut DeclaredTable) -> &mut CsvOptions {
    let Format::Csv(options) = &mut table.data.format else { panic!("CSV") };
    options
}

#[test]
fn every_single_change_makes_another_reading() {
    type Change<'a> = (&'a str, &'a dyn Fn(&mut DeclaredTable));
    let changes: [Change<'_>; 27] = [
        ("nothing", &|_| {}),
        ("public", &|table| table.role = Role::Public { key: "patient".to_owned() }),
        ("another public key", &|table| table.role = Role::Public { key: "age".to_owned() }),
        ("another entity", &|table| table.role = Role::Protected { entity: Some("age".to_owned()) }),
        ("no entity", &|table| table.role = Role::Protected { entity: None }),
        ("a type", &|table| table.columns[1].kind = ColumnType::Decimal),
        ("the type of the key", &|table| table.columns[0].kind = ColumnType::Integer),
        ("a pattern", &|table| table.columns[2].format = Some("%d.%m.%Y".to_owned())),
        ("a pivot", &|table| table.columns[2].pivot = Some(2024)),
        ("a zone", &|table| table.columns[2].zone = Zone::named("Europe/Berlin")),
        ("a name", &|table| table.columns[1].name = "years".to_owned()),
        ("a column less", &|table| drop(table.columns.pop())),
        ("Parquet", &|table| table.data.format = Format::Parquet),
        ("PostgreSQL", &|table| table.data.format = Format::Postgres { connect: "env:CLINIC".to_owned() }),
        ("an engine", &|table| {
            table.data.format = Format::Engine { kind: EngineKind::Spark, connect: "env:SPARK_MASTER".to_owned() };
        }),
        ("partitions", &|table| table.data.partitions = vec!["age".to_owned()]),
        ("the delimiter", &|table| csv(table).delimiter = b';'),
        ("the quote", &|table| csv(table).quote = Some(b'\'')),
        ("no quoting", &|table| csv(table).quote = None),
        ("the decimal comma", &|table| csv(table).decimal_comma = true),
        ("the encoding", &|table| csv(table).encoding = "windows-1252".to_owned()),
        ("gzip", &|table| csv(table).compression = Compression::Gzip),
        ("zstd", &|table| csv(table).compression = Compression::Zstd),
        ("trim", &|table| csv(table).trim = true),
        ("one NULL less", &|table| drop(csv(table).nulls.pop())),
        ("no header", &|table| csv(table).columns = Some(vec!["patient".to_owned(), "age".to_owned()])),
        ("no header, otherwise", &|table| csv(table).columns = Some(vec!["age".to_owned(), "patient".to_owned()])),
    ];
    let mut known: BTreeMap<Vec<u8>, &str> = BTreeMap::new();
    for (what, change) in changes {
        let mut changed = table();
        change(&mut changed);
        if let Some(other) = known.insert(whole_table(&changed), what) {
            panic!("{what} and {other} are read alike");
        }
    }
}

#[test]
fn bounds_and_keys_are_not_part_of_the_reading() {
    let mut other = table();
    let Data { table: name, path, version, format: _, partitions: _, typical_rows } = &mut other.data;
    (*name, *path, *version) = ("admissions".to_owned(), "elsewhere.csv".to_owned(), "2".to_owned());
    *typical_rows = Some(10);
    other.columns[0].keys = Some(vec![Key::Text("x".to_owned())]);
    other.columns[1].bounds = Some(Bounds::new(whole(0), whole(9), whole(1)).unwrap());
    other.columns.reverse();
    csv(&mut other).nulls = vec!["?".to_owned(), String::new(), "?".to_owned()];
    assert_eq!(whole_table(&other), whole_table(&table()));
}

/// A reading covers its own columns, and the key that identifies people.
#[test]
fn only_used_columns_count_and_the_key_always_does() {
    let of_day = |table: &DeclaredTable| reading(table, &|name| name == "day");
    let mut other = table();
    other.columns[1].kind = ColumnType::Decimal;
    other.columns.push(column("more", ColumnType::Text, None));
    assert_eq!(of_day(&other), of_day(&table()));
    other.columns[0].kind = ColumnType::Integer;
    assert_ne!(of_day(&other), of_day(&table()));
    assert_ne!(of_day(&table()), whole_table(&table()));
}

/// Texts that could be confused if written one after the other.
fn text() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["", "a", "b", "ab", "aa", "\u{1}", "\0", "a\0\0\0\0\0\0\0", "é"]).prop_map(str::to_owned)
}

fn options() -> impl Strategy<Value = CsvOptions> {
    let bytes = || prop::sample::select(b",;\t".to_vec());
    let compression = prop::sample::select(Compression::ALL.to_vec());
    let texts = || prop::collection::vec(text(), 0..3);
    let parts = (
        bytes(),
        prop::option::of(bytes()),
        any::<bool>(),
        text(),
        compression,
        any::<bool>(),
        texts(),
        prop::option::of(texts()),
    );
    parts.prop_map(|(delimiter, quote, decimal_comma, encoding, compression, trim, nulls, columns)| CsvOptions {
        delimiter,
        quote,
        decimal_comma,
        encoding,
        compression,
        trim,
        nulls,
        columns,
    })
}

fn tables() -> impl Strategy<Value = DeclaredTable> {
    let kind = || prop::sample::select(ColumnType::ALL.to_vec());
    let columns = prop::collection::btree_map(text(), (kind(), prop::option::of(text())), 0..3).prop_shuffle_map();
    let role = prop_oneof![
        prop::option::of(text()).prop_map(|entity| Role::Protected { entity }),
        text().prop_map(|key| Role::Public { key })
    ];
    let postgres = Just(Format::Postgres { connect: "env:CLINIC".to_owned() });
    let engine = Just(Format::Engine { kind: EngineKind::DuckDb, connect: "env:CLINIC".to_owned() });
    let format =
        prop_oneof![3 => options().prop_map(Format::Csv), 1 => Just(Format::Parquet), 1 => postgres, 1 => engine];
    let partitions = prop::collection::vec(text(), 0..2);
    (columns, role, format, partitions).prop_map(|(columns, role, format, partitions)| {
        let data = Data { format, partitions, ..table().data };
        DeclaredTable { data, columns, role }
    })
}

/// Columns of different names in any order.
trait ShuffleMap {
    fn prop_shuffle_map(self) -> BoxedStrategy<Vec<Column>>;
}

impl<S: Strategy<Value = BTreeMap<String, (ColumnType, Option<String>)>> + 'static> ShuffleMap for S {
    fn prop_shuffle_map(self) -> BoxedStrategy<Vec<Column>> {
        let columns = |map: BTreeMap<String, (ColumnType, Option<String>)>| -> Vec<Column> {
            map.into_iter().map(|(name, (kind, format))| column(&name, kind, format.as_deref())).collect()
        };
        self.prop_map(columns).prop_shuffle().boxed()
    }
}

/// The declarations that determine a table's reading.
type Plain = (Role, Format, Vec<String>, BTreeMap<String, (ColumnType, Option<String>)>);

/// A table with all irrelevant order removed.
fn plain(table: &DeclaredTable) -> Plain {
    let mut format = table.data.format.clone();
    if let Format::Csv(options) = &mut format {
        options.nulls = options.nulls.iter().cloned().collect::<BTreeSet<_>>().into_iter().collect();
    }
    let columns = table.columns.iter().map(|column| (column.name.clone(), (column.kind, column.format.clone())));
    (table.role.clone(), format, table.data.partitions.clone(), columns.collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn equal_exactly_when_read_alike(one in tables(), other in tables()) {
        prop_assert_eq!(whole_table(&one) == whole_table(&other), plain(&one) == plain(&other));
    }

    /// Two tables of random parts are seldom equal: here they differ in at most one part.
    #[test]
    fn one_part_of_another(one in tables(), other in tables(), part in 0..11) {
        let mut mixed = one.clone();
        match part {
            0 => mixed.role = other.role,
            1 => mixed.data.format = other.data.format,
            2 => mixed.data.partitions = other.data.partitions,
            3 => mixed.columns = other.columns,
            _ => if let (Format::Csv(mixed), Format::Csv(other)) = (&mut mixed.data.format, other.data.format) {
                match part {
                    4 => mixed.delimiter = other.delimiter,
                    5 => mixed.quote = other.quote,
                    6 => mixed.encoding = other.encoding,
                    7 => mixed.nulls = other.nulls,
                    8 => mixed.columns = other.columns,
                    9 => mixed.compression = other.compression,
                    _ => (mixed.trim, mixed.decimal_comma) = (other.trim, other.decimal_comma),
                }
            }
        }
        prop_assert_eq!(whole_table(&one) == whole_table(&mixed), plain(&one) == plain(&mixed));
    }
}
