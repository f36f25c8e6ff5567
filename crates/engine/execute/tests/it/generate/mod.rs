//! Random tables, queries and entities, with frequent extreme values. The tests of the server (server/serve) use them
//! as well.

pub mod always;
mod dice;
pub mod hostile;

pub use dice::Dice;

use arrow_array::{
    ArrayRef, BooleanArray, Date32Array, Float64Array, Int64Array, RecordBatch, StringArray, TimestampMicrosecondArray,
};
use arrow_schema::{DataType, Field, Schema, TimeUnit};
use deniable_core::exact::{Rational, parse_rational, whole};
use deniable_core::schema::TableSchema;
use deniable_core::schema::{Bounds, Column, ColumnType, Entity as EntityKey, Key};
use deniable_core::sensitivity::Caps;
use std::sync::Arc;

/// One row: group, band, flag, whole number, decimal, text, day, time.
#[derive(Debug, Clone)]
pub struct Row {
    group: Option<String>,
    band: Option<i64>,
    flag: Option<bool>,
    number: Option<i64>,
    decimal: Option<f64>,
    text: Option<String>,
    day: Option<i32>,
    time: Option<i64>,
}

/// An entity with its rows in the main table, and values in the other one.
#[derive(Debug, Clone)]
pub struct Entity {
    name: String,
    rows: Vec<Row>,
    more: Vec<Option<i64>>,
}

/// Tables and the declarations from which rows are generated: the main table, another protected table where rows belong
/// to entities, and a public table.
pub struct Shape {
    pub tables: Vec<TableSchema>,
    low: i64,
    high: i64,
    groups: Vec<&'static str>,
    bands: i64,
}

const GROUPS: [&str; 4] = ["red", "green", "blue", "grey"];
/// A day in microseconds.
const DAY: i64 = 86_400_000_000;

impl Shape {
    /// Three groups, two bands, values from -5 to 20, by person.
    pub fn fixed(caps: Caps) -> Self {
        Self::new(-5, 20, GROUPS[..3].to_vec(), 2, false, Some(caps))
    }

    pub fn random(dice: &mut Dice) -> Self {
        let low = *dice.pick(&[0, 0, -5, 17, -20]);
        let high = low + *dice.pick(&[1, 10, 25]);
        let groups = GROUPS[..usize::try_from(1 + dice.below(4)).unwrap()].to_vec();
        let bands = 1 + i64::try_from(dice.below(3)).unwrap();
        let caps = Caps {
            rows_per_group: u32::try_from(1 + dice.below(3)).unwrap(),
            groups: u32::try_from(1 + dice.below(3)).unwrap(),
        };
        let caps = dice.chance(75).then_some(caps);
        let mut shape = Self::new(low, high, groups, bands, dice.chance(40), caps);
        if dice.chance(25) {
            shape.tables[0].columns[1].keys.iter_mut().for_each(|keys| keys.push(Key::Other));
        }
        shape
    }

    fn new(low: i64, high: i64, groups: Vec<&'static str>, bands: i64, null_key: bool, caps: Option<Caps>) -> Self {
        let bounds = |low: Rational, high: Rational, step: &str| {
            Some(Bounds::new(low, high, parse_rational(step).unwrap()).unwrap())
        };
        let mut group_keys: Vec<Key> = groups.iter().map(|group| Key::Text((*group).to_owned())).collect();
        if null_key {
            group_keys.push(Key::Null);
        }
        let plain = |name: &str, kind, bounds, keys| Column { bounds, keys, ..Column::new(name, kind) };
        let columns = vec![
            plain("person", ColumnType::Text, None, None),
            plain("grp", ColumnType::Text, None, Some(group_keys)),
            plain("band", ColumnType::Integer, None, Some((0..bands).map(Key::Integer).collect())),
            plain("flag", ColumnType::Boolean, None, Some(vec![Key::Boolean(true), Key::Boolean(false)])),
            plain("n", ColumnType::Integer, bounds(whole(low), whole(high), "1"), None),
            plain("x", ColumnType::Decimal, bounds(whole(low), whole(high), "1/4"), None),
            plain("note", ColumnType::Text, None, None),
            plain("day", ColumnType::Date, bounds(whole(0), whole(99), "1"), None),
            plain("at", ColumnType::Timestamp, bounds(whole(0), whole(99 * DAY), "1"), None),
        ];
        let entity = caps.map(|caps| EntityKey::new("person", caps));
        let mut tables = vec![TableSchema::protected("t", columns, entity)];
        if let Some(caps) = caps {
            let columns = vec![
                plain("who", ColumnType::Text, None, None),
                plain("v", ColumnType::Integer, bounds(whole(0), whole(7), "1"), None),
            ];
            tables.push(TableSchema::protected("u", columns, Some(EntityKey::new("who", caps))));
        }
        let columns = vec![
            plain("code", ColumnType::Integer, None, None),
            plain("label", ColumnType::Text, None, Some(["odd", "even"].map(|key| Key::Text(key.to_owned())).to_vec())),
            plain("price", ColumnType::Integer, bounds(whole(-3), whole(4), "1"), None),
        ];
        let public =
            TableSchema { name: "codes".to_owned(), columns, entity: None, public_key: Some("code".to_owned()) };
        tables.push(public);
        Self { tables, low, high, groups, bands }
    }

    /// A supported query.
    pub fn question(&self, dice: &mut Dice) -> String {
        let mut aggregates = vec![
            "COUNT(*)".to_owned(),
            "COUNT(n)".to_owned(),
            "SUM(n)".to_owned(),
            "SUM(x)".to_owned(),
            "AVG(n)".to_owned(),
            "AVG(x)".to_owned(),
            "SUM(n * 2 - x)".to_owned(),
            "SUM(CASE WHEN flag THEN n ELSE 3 END)".to_owned(),
            "SUM(ROUND(LEAST(GREATEST(n / (x - 2), -7), 9), 1))".to_owned(),
            "COUNT(1 / (n - 3))".to_owned(),
            "COUNT(*) FILTER (WHERE n > 0 OR flag)".to_owned(),
            "SUM(n) FILTER (WHERE band = 1)".to_owned(),
            "AVG(x) FILTER (WHERE flag), COUNT(*)".to_owned(),
            "VAR_POP(n)".to_owned(),
            "STDDEV(x)".to_owned(),
            "CORR(n, x)".to_owned(),
            "COUNT(*) FILTER (WHERE n > 2), COUNT(*) FILTER (WHERE n <= 2), SUM(x) FILTER (WHERE n <= 2)".to_owned(),
            "AVG(x) FILTER (WHERE flag), AVG(n) FILTER (WHERE NOT flag), COUNT(*)".to_owned(),
            "SUM(n) FILTER (WHERE band = 0), MEDIAN(n) FILTER (WHERE band = 1), COUNT(*) FILTER (WHERE band IS NULL)"
                .to_owned(),
            "COVAR_SAMP(x, n - 2) FILTER (WHERE flag), REGR_AVGY(x, n - 2)".to_owned(),
            "REGR_INTERCEPT(n, x, flag), REGR_R2(n, x, flag)".to_owned(),
            "AVG_WEIGHTED(n, ABS(x) + 1) FILTER (WHERE flag)".to_owned(),
            "MEDIAN(n)".to_owned(),
            "MIN(x)".to_owned(),
            "MAX(n)".to_owned(),
            "MAX(day)".to_owned(),
            "MAX(at)".to_owned(),
            "MEDIAN(day)".to_owned(),
            "PERCENTILE_CONT(n, 0.9)".to_owned(),
            "PERCENTILE_CONT(n + 2 * x, 0.25)".to_owned(),
            "PERCENTILE_CONT(x, 0.1), PERCENTILE_CONT(x, 0.5), PERCENTILE_CONT(x, 0.75), MEDIAN(x)".to_owned(),
            "SUM(DATE_DIFF('day', DATE '1970-01-11', day))".to_owned(),
            "SUM(EXTRACT(month FROM day) * n)".to_owned(),
        ];
        let joined = dice.chance(30);
        if self.by_entity() {
            aggregates.extend(["COUNT(DISTINCT person)".to_owned(), "COUNT(DISTINCT person)".to_owned()]);
            aggregates.push("COUNT(DISTINCT person) FILTER (WHERE n > 2)".to_owned());
            if joined {
                aggregates.extend(["SUM(v)".to_owned(), "MEDIAN(v - n)".to_owned()]);
            }
        }
        let chosen = dice.pick(&aggregates).clone();
        let conditions = [
            "n > 2",
            "x <= 5 OR note LIKE 'a%'",
            "n <> 5 AND 1 / (n - 5) >= 0",
            "note = 7",
            "NOT flag",
            "CAST(note AS BIGINT) > 0",
            "flag IS NOT NULL AND band IN (0, 1)",
            "day < DATE '1970-02-01' OR EXTRACT(dow FROM at) = 3",
            "CAST(note AS DATE) IS NULL",
        ];
        let filter = if dice.chance(35) { format!(" WHERE {}", dice.pick(&conditions)) } else { String::new() };
        let from = match (joined, self.by_entity()) {
            (true, true) => "t JOIN u ON t.person = u.who",
            (true, false) => "t JOIN codes ON t.band = codes.code",
            (false, _) if dice.chance(25) => "(SELECT n, x, grp, band, flag, note, person, day, at FROM t) AS s",
            (false, _) if dice.chance(25) => "t LEFT JOIN codes ON n = codes.code",
            (false, _) => "t",
        };
        let group = dice.pick(&[
            "",
            " GROUP BY grp",
            " GROUP BY grp",
            " GROUP BY band, grp",
            " GROUP BY flag",
            " GROUP BY n > 3",
            " GROUP BY CASE WHEN n < 3 THEN 'few' WHEN x > 4 THEN 'many' END",
            " GROUP BY FLOOR(n / 10) * 10",
            " GROUP BY DATE_TRUNC('month', day)",
            " GROUP BY EXTRACT(dow FROM at), flag",
            " GROUP BY TO_CHAR(day, 'Month')",
            " GROUP BY ROLLUP(grp, band)",
            " GROUP BY GROUPING SETS ((flag), (grp), ())",
            " GROUP BY CUBE(flag, band)",
        ]);
        format!("SELECT {chosen} FROM {from}{filter}{group}")
    }

    /// Whether rows belong to entities.
    pub fn by_entity(&self) -> bool {
        self.tables[0].entity.is_some()
    }

    /// An entity that is often a worst case: many rows, in many groups, at the bounds or far beyond.
    pub fn entity(&self, dice: &mut Dice, name: u64) -> Entity {
        let name = format!("p{name}");
        let by_entity = self.by_entity();
        let worst = dice.chance(60);
        let end = dice.chance(50);
        let count = if by_entity { if worst { 40 } else { dice.below(8) } } else { 1 };
        // A worst-case entity avoids some groups, so that another entity can be in them.
        let shift = dice.below(12);
        let rows = (0..count)
            .map(|position| if worst { self.extreme(dice, position + shift, end) } else { self.random_row(dice) });
        let rows = rows.collect();
        let more = (0..if by_entity { dice.below(5) } else { 0 }).map(|_| (!dice.chance(10)).then_some(7)).collect();
        Entity { name, rows, more }
    }

    /// An entity with many rows in some neighbouring cells, all at one bound in each cell, or at opposite ones.
    pub fn window(&self, dice: &mut Dice, name: u64) -> Entity {
        let cells = self.groups.len() * usize::try_from(self.bands).unwrap();
        // May be empty: WHERE may exclude all rows of a person.
        let length = usize::try_from(dice.below(cells as u64 + 1)).unwrap();
        let start = usize::try_from(dice.below(cells as u64)).unwrap();
        let mut rows = Vec::new();
        let (always_high, always_low) = (dice.chance(60), dice.chance(40));
        let (opposite, flag) = (dice.chance(40), dice.chance(70));
        for cell in (start..start + length).map(|cell| cell % cells) {
            let high = always_high || (!always_low && dice.chance(50));
            let value = if high { self.high } else { self.low };
            for _ in 0..4 {
                rows.push(Row {
                    group: Some(self.groups[cell % self.groups.len()].to_owned()),
                    band: Some(i64::try_from(cell / self.groups.len()).unwrap()),
                    flag: Some(flag),
                    number: Some(value),
                    decimal: Some(if opposite { self.low + self.high - value } else { value } as f64),
                    text: None,
                    day: Some(0),
                    time: Some(0),
                });
            }
        }
        Entity { name: format!("p{name}"), rows, more: vec![Some(7)] }
    }

    fn extreme(&self, dice: &mut Dice, position: u64, high: bool) -> Row {
        let beyond = dice.chance(30);
        let number = match (high, beyond) {
            (true, false) => self.high,
            (false, false) => self.low,
            (true, true) => 1_000_000_000_000,
            (false, true) => -1_000_000_000_000,
        };
        let at = |n: usize| usize::try_from(position).unwrap() % n;
        Row {
            group: Some(self.groups[at(self.groups.len())].to_owned()),
            band: Some(i64::try_from(position / 2).unwrap() % self.bands),
            flag: Some(position.is_multiple_of(2)),
            number: Some(number),
            decimal: Some(if beyond && high { f64::INFINITY } else { number as f64 }),
            text: Some("a7".to_owned()),
            day: Some(if high { 99 } else { 0 }),
            time: Some(if high { 99 * DAY } else { 0 }),
        }
    }

    fn random_row(&self, dice: &mut Dice) -> Row {
        let hostile = [i64::MIN, i64::MAX, 0, 3, 5, self.low, self.high];
        let floats = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 0.0, -0.0, 2.0, 1e308, 0.125];
        let texts = ["", "7", "abc", "a", "999999999999999999999", "\u{1F600}", "NaN"];
        let number = *dice.pick(&hostile);
        let decimal = *dice.pick(&floats);
        let text = (*dice.pick(&texts)).to_owned();
        let day = *dice.pick(&[i32::MIN, -1, 0, 31, 60, 99, 2_932_896, i32::MAX]);
        let time = *dice.pick(&[i64::MIN, -1, 0, 31 * DAY, 99 * DAY - 1, 99 * DAY, i64::MAX]);
        let group = (*dice.pick(&GROUPS)).to_owned();
        Row {
            group: (!dice.chance(20)).then_some(group),
            band: (!dice.chance(10)).then_some(i64::try_from(dice.below(5)).unwrap()),
            flag: (!dice.chance(20)).then_some(dice.chance(50)),
            number: (!dice.chance(15)).then_some(number),
            decimal: (!dice.chance(15)).then_some(decimal),
            text: (!dice.chance(15)).then_some(text),
            day: (!dice.chance(15)).then_some(day),
            time: (!dice.chance(15)).then_some(time),
        }
    }

    /// The rows of these entities in every table; those of the main table in two batches.
    pub fn batches(&self, entities: &[&Entity]) -> Vec<Vec<RecordBatch>> {
        let mut all = vec![self.main(entities)];
        if self.by_entity() {
            let rows = || entities.iter().flat_map(|entity| entity.more.iter().map(|value| (&entity.name, value)));
            let columns: Vec<ArrayRef> = vec![
                Arc::new(rows().map(|(name, _)| Some(name.as_str())).collect::<StringArray>()),
                Arc::new(rows().map(|(_, value)| *value).collect::<Int64Array>()),
            ];
            all.push(vec![self.of(1, columns)]);
        }
        let codes = -5..30_i64;
        let columns: Vec<ArrayRef> = vec![
            Arc::new(codes.clone().collect::<Int64Array>()),
            Arc::new(StringArray::from_iter_values(
                codes.clone().map(|code| if code % 2 == 0 { "even" } else { "odd" }),
            )),
            Arc::new(codes.map(|code| (code % 5 != 0).then_some(code)).collect::<Int64Array>()),
        ];
        all.push(vec![self.of(self.tables.len() - 1, columns)]);
        all
    }

    fn main(&self, entities: &[&Entity]) -> Vec<RecordBatch> {
        let rows: Vec<(&str, &Row)> =
            entities.iter().flat_map(|entity| entity.rows.iter().map(|row| (entity.name.as_str(), row))).collect();
        let (left, right) = rows.split_at(rows.len() / 2);
        [right, left].into_iter().map(|rows| self.batch(rows)).collect()
    }

    fn batch(&self, rows: &[(&str, &Row)]) -> RecordBatch {
        let columns: Vec<ArrayRef> = vec![
            Arc::new(StringArray::from_iter_values(rows.iter().map(|(name, _)| name))),
            Arc::new(rows.iter().map(|(_, row)| row.group.as_deref()).collect::<StringArray>()),
            Arc::new(rows.iter().map(|(_, row)| row.band).collect::<Int64Array>()),
            Arc::new(rows.iter().map(|(_, row)| row.flag).collect::<BooleanArray>()),
            Arc::new(rows.iter().map(|(_, row)| row.number).collect::<Int64Array>()),
            Arc::new(rows.iter().map(|(_, row)| row.decimal).collect::<Float64Array>()),
            Arc::new(rows.iter().map(|(_, row)| row.text.as_deref()).collect::<StringArray>()),
            Arc::new(rows.iter().map(|(_, row)| row.day).collect::<Date32Array>()),
            Arc::new(rows.iter().map(|(_, row)| row.time).collect::<TimestampMicrosecondArray>()),
        ];
        self.of(0, columns)
    }

    /// A batch of the table at this position.
    pub fn of(&self, table: usize, columns: Vec<ArrayRef>) -> RecordBatch {
        let fields = self.tables[table].columns.iter().map(|column| {
            let kind = match column.kind {
                ColumnType::Integer => DataType::Int64,
                ColumnType::Decimal => DataType::Float64,
                ColumnType::Text => DataType::Utf8,
                ColumnType::Boolean => DataType::Boolean,
                ColumnType::Date => DataType::Date32,
                ColumnType::Timestamp => DataType::Timestamp(TimeUnit::Microsecond, None),
            };
            Field::new(&column.name, kind, true)
        });
        let schema = Schema::new(fields.collect::<Vec<_>>());
        RecordBatch::try_new(Arc::new(schema), columns).unwrap()
    }
}
