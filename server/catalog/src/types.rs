//! The PostgreSQL types that clients meet.

/// A type, identified by its OID in PostgreSQL.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Type(u32);

/// A type of PostgreSQL's catalogs.
#[derive(Debug)]
pub struct TypeDescription {
    /// Its OID.
    pub oid: u32,
    /// Its name in the catalogs.
    pub name: &'static str,
    /// Its name in SQL.
    pub sql: &'static str,
    /// Bytes of a value; -1 if it varies.
    pub length: i32,
    /// The category: numbers `N`, texts `S`, times `D`, booleans `B`, arrays `A`, others `U`.
    pub category: char,
    /// The OID of its element type; 0 if it is not an array.
    pub element: u32,
    /// The OID of the array type with these elements; 0 if there is none here.
    pub array: u32,
}

/// The OID of the first function of a type; those of arrays have well-known OIDs.
const FIRST_FUNCTION: i64 = 5_000;
/// Functions of a type: from text, to text, from bytes, to bytes.
const FUNCTIONS: [&str; 4] = ["in", "out", "recv", "send"];

impl TypeDescription {
    /// The functions that parse and write its values, with their OIDs.
    pub(crate) fn functions(&self) -> [(i64, String); 4] {
        if self.element != 0 {
            return [(750, "in"), (751, "out"), (2400, "recv"), (2401, "send")]
                .map(|(number, name)| (number, format!("array_{name}")));
        }
        let first = ALL.iter().position(|known| known.oid == self.oid).unwrap_or_default() * FUNCTIONS.len();
        let between = match self.name {
            "date" | "json" | "numeric" | "time" | "timestamp" | "timestamptz" | "uuid" => "_",
            _ => "",
        };
        std::array::from_fn(|at| {
            (FIRST_FUNCTION + (first + at) as i64, format!("{}{between}{}", self.name, FUNCTIONS[at]))
        })
    }

    /// The storage strategy of its columns: plain, main or extended.
    pub(crate) fn storage(&self) -> char {
        match (self.length, self.name) {
            (-1, "numeric") => 'm',
            (-1, "int2vector" | "oidvector") => 'p',
            (-1, _) => 'x',
            _ => 'p',
        }
    }
}

/// The functions of all types by OID.
pub(crate) fn functions() -> std::collections::BTreeMap<i64, String> {
    ALL.iter().flat_map(TypeDescription::functions).collect()
}

const fn of(
    oid: u32,
    name: &'static str,
    sql: &'static str,
    length: i32,
    category: char,
    array: u32,
) -> TypeDescription {
    TypeDescription { oid, name, sql, length, category, element: 0, array }
}

const fn array(oid: u32, name: &'static str, sql: &'static str, element: u32) -> TypeDescription {
    TypeDescription { oid, name, sql, length: -1, category: 'A', element, array: 0 }
}

/// All supported types.
pub const ALL: [TypeDescription; 34] = [
    of(16, "bool", "boolean", 1, 'B', 1000),
    of(17, "bytea", "bytea", -1, 'U', 1001),
    of(18, "char", "\"char\"", 1, 'Z', 1002),
    of(19, "name", "name", 64, 'S', 1003),
    of(20, "int8", "bigint", 8, 'N', 1016),
    of(21, "int2", "smallint", 2, 'N', 1005),
    of(22, "int2vector", "int2vector", -1, 'A', 0),
    of(23, "int4", "integer", 4, 'N', 1007),
    of(24, "regproc", "regproc", 4, 'N', 0),
    of(25, "text", "text", -1, 'S', 1009),
    of(26, "oid", "oid", 4, 'N', 1028),
    of(30, "oidvector", "oidvector", -1, 'A', 0),
    of(114, "json", "json", -1, 'U', 0),
    of(700, "float4", "real", 4, 'N', 1021),
    of(701, "float8", "double precision", 8, 'N', 1022),
    of(1033, "aclitem", "aclitem", 12, 'U', 1034),
    of(1042, "bpchar", "character", -1, 'S', 1014),
    of(1043, "varchar", "character varying", -1, 'S', 1015),
    of(1082, "date", "date", 4, 'D', 1182),
    of(1083, "time", "time without time zone", 8, 'D', 1183),
    of(1114, "timestamp", "timestamp without time zone", 8, 'D', 1115),
    of(1184, "timestamptz", "timestamp with time zone", 8, 'D', 1185),
    of(1700, "numeric", "numeric", -1, 'N', 1231),
    of(2205, "regclass", "regclass", 4, 'N', 0),
    of(2206, "regtype", "regtype", 4, 'N', 0),
    of(2950, "uuid", "uuid", 16, 'U', 2951),
    array(1000, "_bool", "boolean[]", 16),
    array(1002, "_char", "\"char\"[]", 18),
    array(1003, "_name", "name[]", 19),
    array(1005, "_int2", "smallint[]", 21),
    array(1007, "_int4", "integer[]", 23),
    array(1009, "_text", "text[]", 25),
    array(1028, "_oid", "oid[]", 26),
    array(1034, "_aclitem", "aclitem[]", 1033),
];

impl Type {
    /// `boolean`.
    pub const BOOL: Self = Self(16);
    /// `bigint`: integers of 64 bits.
    pub const INT8: Self = Self(20);
    /// `integer`: integers of 32 bits.
    pub const INT4: Self = Self(23);
    /// `text`.
    pub const TEXT: Self = Self(25);
    /// `oid`: numbers of catalog objects.
    pub const OID: Self = Self(26);
    /// `name`: names of catalog objects.
    pub const NAME: Self = Self(19);
    /// `double precision`.
    pub const FLOAT8: Self = Self(701);
    /// `numeric`: exact decimals.
    pub const NUMERIC: Self = Self(1700);
    /// `regproc`: functions, by OID.
    pub const REGPROC: Self = Self(24);
    /// `date`.
    pub const DATE: Self = Self(1082);
    /// `timestamp`, without time zone.
    pub const TIMESTAMP: Self = Self(1114);
    /// `text[]`.
    pub const TEXTS: Self = Self(1009);
    /// `name[]`.
    pub const NAMES: Self = Self(1003);

    /// Its OID in PostgreSQL.
    #[must_use]
    pub const fn oid(self) -> u32 {
        self.0
    }

    /// The supported type with this OID.
    #[must_use]
    pub fn of_oid(oid: u32) -> Option<Self> {
        ALL.iter().any(|known| known.oid == oid).then_some(Self(oid))
    }

    /// The type with this name in the catalogs or in SQL, in any case.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        let name = name.trim().to_ascii_lowercase();
        let name = name.strip_prefix("pg_catalog.").unwrap_or(&name);
        let known = ALL.iter().find(|known| known.name == name || known.sql == name);
        let alias = || match name {
            "int" => Some(Self::INT4),
            "decimal" => Some(Self::NUMERIC),
            "string" => Some(Self::TEXT),
            _ => None,
        };
        known.map(|known| Self(known.oid)).or_else(alias)
    }

    /// The type of a declared catalog column: the first word; the second is the type for SQLite.
    pub(crate) fn declared(text: &str) -> Option<Self> {
        text.split(' ').next().and_then(Self::named)
    }

    /// Its description; `None` if it is not supported.
    #[must_use]
    pub fn about(self) -> Option<&'static TypeDescription> {
        ALL.iter().find(|known| known.oid == self.0)
    }
}
