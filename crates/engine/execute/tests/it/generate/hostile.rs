//! Tables full of values that no curator expects, their neighbours, and queries that use all of them.

use super::{Dice, Shape};
use arrow_array::{
    ArrayRef, BooleanArray, Date32Array, Float64Array, Int64Array, RecordBatch, StringArray, TimestampMicrosecondArray,
};
use deniable_core::schema::ColumnType;
use std::sync::Arc;

/// The contents of a cell, for a column of each type, and as text in a CSV file.
#[derive(Debug, Clone)]
struct Cell {
    raw: Vec<u8>,
    text: Option<String>,
    whole: Option<i64>,
    decimal: Option<f64>,
    truth: Option<bool>,
}

/// A row of a table; `owner` is its entity.
#[derive(Debug, Clone)]
struct Row {
    owner: Owner,
    cells: Vec<Cell>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Owner {
    /// An entity that is in every world, or the owner of a public row.
    Other,
    /// The entity that differs between neighbours.
    One,
    /// The entity that replaces it.
    Instead,
    Nobody,
}

/// Tables in which the rows of one entity may be missing.
pub struct Hostile {
    pub shape: Shape,
    tables: Vec<Vec<Row>>,
    mark: bool,
    always_quoted: bool,
}

/// A source of the rows of these entities only.
#[derive(Debug, Clone, Copy)]
pub struct KeptOwners<'a>(&'a [Owner]);

const TEXTS: [&str; 22] = [
    "",
    " ",
    "7",
    "-0",
    "007",
    "1e400",
    "NaN",
    "inf",
    "99999999999999999999",
    "abc",
    "a\"b",
    "a,b",
    "a\nb",
    "\r",
    "nul\0nul",
    "\u{feff}",
    "é\u{301}\u{1F600}",
    "2024-02-30",
    "0001-01-01",
    "+294247-01-10T04:00:54Z",
    "true",
    "%_",
];
const WHOLE: [i64; 12] = [i64::MIN, i64::MIN + 1, -1, 0, 1, 2, 3, 5, 31, 4_503_599_627_370_497, i64::MAX - 1, i64::MAX];
const DECIMALS: [f64; 14] = [
    f64::NAN,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::MAX,
    f64::MIN,
    f64::MIN_POSITIVE,
    5e-324,
    -0.0,
    0.0,
    0.125,
    2.0,
    5.0,
    1e15,
    -1e300,
];
/// Start of an expression that is evaluated for one person's rows alone.
pub const GUARD: &str = "CASE WHEN person = 'one' THEN ";
/// Longer than any text that is accepted.
const HUGE: usize = 1 << 20;

impl Hostile {
    pub fn random(dice: &mut Dice) -> Self {
        let shape = Shape::random(dice);
        // Sometimes a column is entirely NULL, or has the same value in all rows.
        let empty = dice.below(20);
        let last = shape.tables.len() - 1;
        let mut tables = Vec::new();
        for (at, table) in shape.tables.iter().enumerate() {
            let mut rows = Vec::new();
            let key = table.entity.as_ref().map(|entity| entity.key.clone());
            let owners: &[(Owner, u64)] = if at == last {
                &[(Owner::Other, 30)]
            } else {
                &[(Owner::Other, 12), (Owner::One, 5), (Owner::Instead, 5), (Owner::Nobody, 2)]
            };
            for (owner, most) in owners {
                for position in 0..=dice.below(*most) {
                    let cells = table.columns.iter().enumerate().map(|(column, facts)| {
                        let mut cell = Cell::random(dice, &shape, &facts.name);
                        if column as u64 == empty {
                            cell = Cell::null();
                        }
                        if Some(&facts.name) == key.as_ref() {
                            cell = Cell::of_owner(*owner, dice);
                        } else if at == last && column == 0 {
                            cell = Cell::of_whole(i64::try_from(position).unwrap() - 3);
                        }
                        cell
                    });
                    rows.push(Row { owner: *owner, cells: cells.collect() });
                    // Where every row is a separate entity, neighbours differ in one row.
                    if key.is_none() && *owner != Owner::Other {
                        break;
                    }
                }
            }
            if dice.chance(70) {
                rows.reverse();
            }
            tables.push(rows);
        }
        Self { shape, tables, mark: dice.chance(30), always_quoted: dice.chance(30) }
    }

    /// A world and its neighbours.
    pub fn worlds(&self) -> [KeptOwners<'static>; 4] {
        use Owner::{Instead, Nobody, One, Other};
        [
            KeptOwners(&[Other, One]),
            KeptOwners(&[Other]),
            KeptOwners(&[Other, Instead]),
            KeptOwners(&[Other, One, Nobody]),
        ]
    }

    fn rows<'a>(&'a self, table: usize, kept: &'a KeptOwners<'_>) -> impl Iterator<Item = &'a Row> {
        self.tables[table].iter().filter(|row| kept.0.contains(&row.owner))
    }

    pub fn batch(&self, table: usize, kept: &KeptOwners<'_>) -> RecordBatch {
        let columns = self.shape.tables[table].columns.iter().enumerate();
        let columns = columns.map(|(at, column)| -> ArrayRef {
            let cells = || self.rows(table, kept).map(move |row| &row.cells[at]);
            match column.kind {
                ColumnType::Integer => Arc::new(cells().map(|cell| cell.whole).collect::<Int64Array>()),
                ColumnType::Decimal => Arc::new(cells().map(|cell| cell.decimal).collect::<Float64Array>()),
                ColumnType::Text => Arc::new(cells().map(|cell| cell.text.clone()).collect::<StringArray>()),
                ColumnType::Boolean => Arc::new(cells().map(|cell| cell.truth).collect::<BooleanArray>()),
                ColumnType::Date => Arc::new(cells().map(Cell::day).collect::<Date32Array>()),
                ColumnType::Timestamp => {
                    Arc::new(cells().map(|cell| cell.whole).collect::<TimestampMicrosecondArray>())
                }
            }
        });
        self.shape.of(table, columns.collect())
    }

    pub fn csv(&self, table: usize, kept: &KeptOwners<'_>) -> Vec<u8> {
        let style = if self.always_quoted { csv::QuoteStyle::Always } else { csv::QuoteStyle::Necessary };
        let mut writer = csv::WriterBuilder::new().quote_style(style).from_writer(Vec::new());
        writer.write_record(self.shape.tables[table].columns.iter().map(|column| &column.name)).unwrap();
        for row in self.rows(table, kept) {
            writer.write_record(row.cells.iter().map(|cell| &cell.raw)).unwrap();
        }
        let bytes = writer.into_inner().unwrap();
        if self.mark { [b"\xef\xbb\xbf", bytes.as_slice()].concat() } else { bytes }
    }

    /// A supported query without HAVING, ORDER BY and LIMIT.
    pub fn question(&self, dice: &mut Dice) -> String {
        if dice.chance(40) {
            return self.shape.question(dice);
        }
        let by_entity = self.shape.by_entity();
        if by_entity && dice.chance(25) {
            return of_each_person(dice);
        }
        let (from, of_codes, of_u) = match dice.below(5) {
            0 => ("t JOIN codes ON t.band = codes.code", true, false),
            1 => ("t LEFT JOIN codes ON n % 7 = codes.code", true, false),
            2 if by_entity => ("t JOIN u ON t.person = u.who", false, true),
            3 if by_entity => {
                ("(SELECT * FROM t WHERE n > 1) AS t JOIN u ON u.who = person JOIN codes ON v = code", true, true)
            }
            _ => ("t", false, false),
        };
        let mut aggregates = vec![
            "COUNT(*)",
            "COUNT(note), COUNT(x)",
            "SUM(x), MIN(n)",
            "AVG(x), COUNT(*) / COUNT(n)",
            "STDDEV_SAMP(n), VAR_POP(x)",
            "AVG_WEIGHTED(x, ABS(n)), AVG_WEIGHTED(n, ABS(x))",
            "MIN(day), MAX(at), PERCENTILE_CONT(0.3) WITHIN GROUP (ORDER BY at)",
            "MEDIAN(x), PERCENTILE_CONT(x, 0.1), PERCENTILE_CONT(x, 0.9)",
            "SUM(ROUND(LEAST(GREATEST(CAST(note AS DOUBLE), -9), 9), 2))",
            "SUM(CASE WHEN x > 1e300 THEN 1 WHEN note IS NULL THEN 2 ELSE 3 END)",
            "MAX(ROUND(LEAST(GREATEST(x * 1e300 / (n - 2), -5), 5), 1))",
            "COUNT(n * n * n), COUNT(-n), COUNT(ABS(n)), COUNT(x / 0)",
            "SUM(DATE_DIFF('day', DATE '1970-01-11', day)), COUNT(CAST(at AS DATE))",
            "COUNT(*) FILTER (WHERE CAST(note AS TIMESTAMP) > at)",
        ];
        if of_codes {
            aggregates.extend(["SUM(price)", "AVG(price - n)", "MEDIAN(price)"]);
        }
        if of_u {
            aggregates.extend(["COUNT(DISTINCT who), SUM(v)", "SUM(v * n)", "MAX(v)"]);
        }
        let conditions = [
            "n * n * n * n > 0",
            "x * 1e308 * 10 > 0",
            "n / (n - n) = 1 OR n % (band - band) = 0",
            "-n > 0 AND ABS(n) > 3",
            "LOWER(note) LIKE '%é_' OR UPPER(note) = note",
            "TRIM(note) = '' OR note <> '7'",
            "note = 7 OR note < 1.5",
            "CAST(note AS BOOLEAN) IS NOT TRUE",
            "CAST(note AS DATE) < day OR CAST(note AS BIGINT) > n",
            "ROUND(x, -3) > 2 OR FLOOR(x) = CEIL(x) OR ROUND(n, 3) = n",
            "DATE_DIFF('day', day, CAST(at AS DATE)) > 3",
            "DATE_TRUNC('year', day) < DATE '1970-06-01' OR DATE_TRUNC('week', at) > TIMESTAMP '1970-03-01 00:00:00'",
            "EXTRACT(year FROM at) = 1970 OR EXTRACT(doy FROM day) > 3",
            "COALESCE(NULLIF(x, 2), n) = GREATEST(n, x) OR LEAST(n, 3) = 3",
            "CASE note WHEN 'abc' THEN n WHEN '' THEN x END > 1",
            "flag IS DISTINCT FROM (n > 3)",
            "grp IN ('red', note) OR grp IS NULL",
        ];
        let mut groups = vec![
            "",
            " GROUP BY grp",
            " GROUP BY grp, flag, band",
            " GROUP BY n",
            " GROUP BY n / 10",
            " GROUP BY x > 2, note IS NULL",
            " GROUP BY DATE_TRUNC('week', at)",
            " GROUP BY EXTRACT(hour FROM at)",
            " GROUP BY TO_CHAR(at, 'FMMon Dy')",
            " GROUP BY TO_CHAR(day, 'YYYY-MM'), TO_CHAR(at, 'HH24')",
            " GROUP BY DATE_TRUNC('month', day), grp",
            " GROUP BY CASE WHEN note LIKE '%a%' THEN 'a' WHEN CAST(note AS BIGINT) = 7 THEN 'b' END",
            " GROUP BY ROLLUP (grp, flag)",
            " GROUP BY GROUPING SETS ((band, grp), (flag))",
        ];
        if of_codes {
            groups.extend([" GROUP BY label", " GROUP BY CUBE (label, flag)", " GROUP BY price > 0"]);
        }
        let filter = if dice.chance(60) { format!(" WHERE {}", dice.pick(&conditions)) } else { String::new() };
        // Operations that fail in other systems, for one person alone, in every place where an expression may occur.
        if dice.chance(70) {
            let guarded = |dice: &mut Dice, kind| {
                let (then, otherwise) = (tree(dice, kind, 3), tree(dice, kind, 0));
                format!("{GUARD}{then} ELSE {otherwise} END")
            };
            let kind = *dice.pick(&KINDS);
            let (value, truth) = (guarded(dice, kind), guarded(dice, Kind::Truth));
            let steps = format!("(SELECT t.*, {value} AS made, {truth} AS truth FROM t) AS t");
            return match dice.below(6) {
                0 => format!("SELECT COUNT(*) FROM t WHERE {truth}"),
                1 => format!("SELECT COUNT({value}), COUNT(*) FILTER (WHERE {truth}) FROM t"),
                2 => format!("SELECT ({value}) IS NULL, COUNT(*) FROM t GROUP BY ({value}) IS NULL"),
                3 => format!(
                    "SELECT grp, COUNT(made) FROM {steps} WHERE truth IS NOT FALSE GROUP BY ROLLUP (grp, truth)"
                ),
                4 => format!("WITH s AS (SELECT * FROM {steps}) SELECT COUNT(COALESCE(made, made)) FROM s WHERE truth"),
                _ => format!("SELECT SUM(price), COUNT(made) FROM {steps} LEFT JOIN codes ON n = code WHERE truth"),
            };
        }
        let group = *dice.pick(&groups);
        // The keys are shown as well.
        let words = ["GROUP BY ", "ROLLUP ", "CUBE ", "GROUPING SETS ((", "(", ")"];
        let keys = match group {
            " GROUP BY GROUPING SETS ((band, grp), (flag))" => "band, grp, flag, ".to_owned(),
            "" => String::new(),
            other if other.contains("ROLLUP") || other.contains("CUBE") => {
                words.iter().fold(other.trim().to_owned(), |text, word| text.replace(word, "")) + ", "
            }
            other => other.replace(" GROUP BY ", "") + ", ",
        };
        format!("SELECT {keys}{} FROM {from}{filter}{group}", dice.pick(&aggregates))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Whole,
    Decimal,
    Text,
    Truth,
    Day,
    Time,
}

const KINDS: [Kind; 6] = [Kind::Whole, Kind::Decimal, Kind::Text, Kind::Truth, Kind::Day, Kind::Time];

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Self::Whole => "BIGINT",
            Self::Decimal => "DOUBLE",
            Self::Text => "VARCHAR",
            Self::Truth => "BOOLEAN",
            Self::Day => "DATE",
            Self::Time => "TIMESTAMP",
        }
    }
}

/// An expression of a type, biased towards operations that fail in other systems: values that do not fit, divisions by
/// zero, days beyond the calendar, slow patterns.
fn tree(dice: &mut Dice, kind: Kind, depth: u32) -> String {
    if depth == 0 || dice.chance(15) {
        let long = format!("'{}'", "%_".repeat(100));
        let leaves: &[&str] = match kind {
            Kind::Whole => &["n", "band", "9223372036854775807", "(-9223372036854775807)", "0", "2147483647"],
            Kind::Decimal => &["x", "1e308", "5e-324", "0.0", "9007199254740993.0"],
            Kind::Text => &["note", "grp", "''", "'9223372036854775808'", "'1e400'", "'2024-02-30'", &long],
            Kind::Truth => &["flag", "TRUE", "FALSE", "(n > 0)"],
            Kind::Day => &["day", "DATE '9999-12-31'", "DATE '0001-01-01'"],
            Kind::Time => &["at", "TIMESTAMP '9999-12-31 23:59:59.999999'", "TIMESTAMP '0001-01-01 00:00:00'"],
        };
        return (*dice.pick(leaves)).to_owned();
    }
    let deeper = depth - 1;
    if dice.chance(35) {
        let from: &[Kind] = match kind {
            Kind::Whole => &KINDS,
            Kind::Decimal => &[Kind::Whole, Kind::Text, Kind::Truth],
            Kind::Text => &KINDS,
            Kind::Truth => &[Kind::Whole, Kind::Decimal, Kind::Text],
            Kind::Day => &[Kind::Whole, Kind::Time, Kind::Text],
            Kind::Time => &[Kind::Whole, Kind::Day, Kind::Text],
        };
        let from = *dice.pick(from);
        // A constant text must be valid for its type; a computed text need not be.
        let inner = match tree(dice, from, deeper) {
            text if from == Kind::Text => format!("LOWER(COALESCE(note, {text}))"),
            other => other,
        };
        return format!("CAST({inner} AS {})", kind.name());
    }
    let of = |dice: &mut Dice, kind| tree(dice, kind, deeper);
    let (a, b) = (of(dice, kind), of(dice, kind));
    let form = dice.below(4);
    match (kind, form) {
        (_, 0) => format!("COALESCE({a}, {b})"),
        (_, 1) => format!("CASE WHEN {} THEN {a} ELSE {b} END", of(dice, Kind::Truth)),
        (Kind::Whole, 2) => format!("DATE_DIFF('day', {}, {})", of(dice, Kind::Day), of(dice, Kind::Day)),
        (Kind::Whole, _) => format!("({a} {} {b})", dice.pick(&["+", "-", "*", "/", "%"])),
        (Kind::Decimal, 2) => format!("ROUND({a}, {})", dice.pick(&["-15", "0", "15"])),
        (Kind::Decimal, _) => format!("({a} {} {b})", dice.pick(&["+", "-", "*", "/", "%"])),
        (Kind::Text, 2) => format!("UPPER({a})"),
        (Kind::Text, _) => format!("TRIM({a})"),
        (Kind::Truth, 2) => {
            let pattern = dice.pick(&["%a%_b", "____________", "%%%%%%%%", "\\%x"]);
            format!("({} {} '{pattern}')", of(dice, Kind::Text), dice.pick(&["LIKE", "NOT LIKE", "ILIKE"]))
        }
        (Kind::Truth, _) => {
            let kind = *dice.pick(&KINDS);
            format!("({} {} {})", of(dice, kind), dice.pick(&["=", "<", ">=", "IS DISTINCT FROM"]), of(dice, kind))
        }
        (Kind::Day, _) => format!("GREATEST({a}, {b})"),
        (Kind::Time, 2) => format!("DATE_TRUNC('{}', {a})", dice.pick(&["year", "week", "second"])),
        (Kind::Time, _) => format!("LEAST({a}, {b})"),
    }
}

impl Cell {
    fn null() -> Self {
        Self { raw: Vec::new(), text: None, whole: None, decimal: None, truth: None }
    }

    fn of_text(text: String) -> Self {
        Self { raw: text.clone().into_bytes(), text: Some(text), ..Self::null() }
    }

    fn of_whole(value: i64) -> Self {
        Self { raw: value.to_string().into_bytes(), whole: Some(value), decimal: Some(value as f64), ..Self::null() }
    }

    /// The entity key of an owner, NULL for a row without an entity.
    fn of_owner(owner: Owner, dice: &mut Dice) -> Self {
        match owner {
            Owner::Other => Self::of_text((*dice.pick(&["p1", "p2", "\0", "é"])).to_owned()),
            Owner::One => Self::of_text("one".to_owned()),
            Owner::Instead => Self::of_text("x".repeat(3_000)),
            Owner::Nobody => Self::null(),
        }
    }

    /// A value of a column, often unexpected; in CSV sometimes not of its type.
    fn random(dice: &mut Dice, shape: &Shape, column: &str) -> Self {
        if dice.chance(10) {
            return Self::null();
        }
        let time = matches!(column, "day" | "at");
        let text = match (column, dice.below(2_000)) {
            (_, 0) => "x".repeat(HUGE),
            ("grp", 1..1_200) => shape.groups[0].to_owned(),
            ("grp", _) => "green".to_owned(),
            ("label", _) => "odd".to_owned(),
            _ => (*dice.pick(&TEXTS)).to_owned(),
        };
        let whole = if dice.chance(60) {
            shape.low + i64::try_from(dice.below(7)).unwrap()
        } else if time {
            // Days become 32-bit dates; times extend to the ends of their range.
            *dice.pick(&[
                0,
                50,
                99,
                100,
                -1,
                i64::from(i32::MAX),
                i64::from(i32::MIN),
                99 * 86_400_000_000,
                i64::MAX,
                i64::MIN,
            ])
        } else {
            *dice.pick(&WHOLE)
        };
        let decimal = if dice.chance(40) { shape.low as f64 + 0.25 } else { *dice.pick(&DECIMALS) };
        let truth = dice.chance(50);
        let raw = match (column, dice.below(10)) {
            (_, 0) => text.clone().into_bytes(),
            (_, 1) => b"not \xff text".to_vec(),
            ("grp" | "note" | "label", _) => text.clone().into_bytes(),
            ("x", _) => format!("{decimal:?}").into_bytes(),
            ("flag", _) => truth.to_string().into_bytes(),
            ("day", _) => format!("1970-{:02}-{:02}", 1 + dice.below(14), 1 + dice.below(33)).into_bytes(),
            ("at", _) => format!("1970-03-{:02}T{:02}:59:59.999999", 1 + dice.below(33), dice.below(26)).into_bytes(),
            _ => whole.to_string().into_bytes(),
        };
        Self { raw, text: Some(text), whole: Some(whole), decimal: Some(decimal), truth: Some(truth) }
    }

    fn day(&self) -> Option<i32> {
        self.whole.map(|day| i32::try_from(day).unwrap_or(i32::MAX))
    }
}

/// A query about one row of each person, computed from that person's rows.
fn of_each_person(dice: &mut Dice) -> String {
    let (inner, value) = *dice.pick(&[
        ("COUNT(*)", "LEAST(v, 3)"),
        ("COUNT(note)", "LEAST(v, 3)"),
        ("COUNT(*) FILTER (WHERE CAST(note AS DOUBLE) > x)", "LEAST(v, 9)"),
        ("SUM(n)", "LEAST(GREATEST(v, -20), 20)"),
        ("SUM(x)", "ROUND(LEAST(GREATEST(1 / v, -5), 5), 1)"),
        ("AVG(x)", "v"),
        ("AVG(n * n)", "ROUND(v)"),
        ("MAX(x * 1e300 * n)", "ROUND(LEAST(GREATEST(v, 0), 9))"),
        ("MIN(note)", "LEAST(GREATEST(ROUND(CAST(v AS DOUBLE)), 0), 7)"),
        ("MAX(at)", "v"),
        ("MIN(day)", "DATE_DIFF('day', DATE '1970-01-01', v)"),
        ("MIN_BY(n, note)", "v"),
        ("MAX_BY(note, x)", "LEAST(GREATEST(ROUND(CAST(v AS DOUBLE)), 0), 7)"),
        ("MAX_BY(x, at) FILTER (WHERE flag)", "v"),
        ("COUNT(DISTINCT grp)", "v"),
        ("COUNT(DISTINCT band)", "v * v"),
    ]);
    let asked = if inner == "MAX(at)" {
        "MIN(v), COUNT(v)".to_owned()
    } else {
        format!("AVG({value}), MEDIAN({value}), COUNT(v)")
    };
    let from = *dice.pick(&["t", "t JOIN codes ON t.band = codes.code", "(SELECT * FROM t WHERE note <> '7') AS t"]);
    let having = *dice.pick(&["", " HAVING MIN(note) LIKE '%a%'", " HAVING SUM(n) / COUNT(n) > 1"]);
    let first = *dice.pick(&["MIN(grp)", "MAX_BY(grp, day)"]);
    let grouped = *dice.pick(&["", " GROUP BY g", " WHERE w IS NOT NULL GROUP BY w"]);
    format!(
        "SELECT COUNT(*), {asked} FROM (SELECT person, {inner} AS v, {first} AS g, MAX(flag) AS w FROM {from} GROUP BY person{having}) AS e{grouped}"
    )
}
