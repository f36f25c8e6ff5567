//! Random tables, questions and entities, with a liking for extremes.
#![allow(dead_code, clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "shared by several tests")]

use datafusion::arrow::array::{ArrayRef, BooleanArray, Float64Array, Int64Array, RecordBatch, StringArray};
use datafusion::arrow::datatypes::{DataType, Field, Schema};
use deniable_core::exact::{Rational, parse_rational, whole};
use deniable_core::sensitivity::Caps;
use deniable_policy::{Bounds, Column, ColumnType, Entity as EntityKey, Key};
use deniable_sql::Table;
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use std::sync::Arc;

/// A seeded source of choices.
pub struct Dice(ChaCha20Rng);

impl Dice {
    pub fn new(seed: u64) -> Self {
        Self(ChaCha20Rng::seed_from_u64(seed))
    }

    /// A number below `n`.
    pub fn below(&mut self, n: u64) -> u64 {
        self.0.next_u64() % n
    }

    pub fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    pub fn pick<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[usize::try_from(self.below(all.len() as u64)).unwrap()]
    }
}

/// One row: group, band, flag, whole number, decimal, text.
#[derive(Debug, Clone)]
pub struct Row {
    group: Option<String>,
    band: Option<i64>,
    flag: Option<bool>,
    number: Option<i64>,
    decimal: Option<f64>,
    text: Option<String>,
}

/// An entity with its rows.
#[derive(Debug, Clone)]
pub struct Entity {
    name: String,
    rows: Vec<Row>,
}

/// A table and the facts that rows are made from.
pub struct Shape {
    pub table: Table,
    low: i64,
    high: i64,
    groups: Vec<&'static str>,
    bands: i64,
}

const GROUPS: [&str; 4] = ["red", "green", "blue", "grey"];

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
        Self::new(low, high, groups, bands, dice.chance(40), caps)
    }

    fn new(low: i64, high: i64, groups: Vec<&'static str>, bands: i64, null_key: bool, caps: Option<Caps>) -> Self {
        let bounds = |low: Rational, high: Rational, step: &str| {
            Some(Bounds::new(low, high, parse_rational(step).unwrap()).unwrap())
        };
        let mut group_keys: Vec<Key> = groups.iter().map(|group| Key::Text((*group).to_owned())).collect();
        if null_key {
            group_keys.push(Key::Null);
        }
        let plain = |name: &str, kind, bounds, keys| Column { name: name.to_owned(), kind, bounds, keys };
        let columns = vec![
            plain("person", ColumnType::Text, None, None),
            plain("grp", ColumnType::Text, None, Some(group_keys)),
            plain("band", ColumnType::Integer, None, Some((0..bands).map(Key::Integer).collect())),
            plain("flag", ColumnType::Boolean, None, Some(vec![Key::Boolean(true), Key::Boolean(false)])),
            plain("n", ColumnType::Integer, bounds(whole(low), whole(high), "1"), None),
            plain("x", ColumnType::Decimal, bounds(whole(low), whole(high), "1/4"), None),
            plain("note", ColumnType::Text, None, None),
        ];
        let entity = caps.map(|caps| EntityKey { key: "person".to_owned(), caps });
        let table = Table { name: "t".to_owned(), columns, entity };
        Self { table, low, high, groups, bands }
    }

    /// An allowed question.
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
        ];
        if self.table.entity.is_some() {
            aggregates.extend(["COUNT(DISTINCT person)".to_owned(), "COUNT(DISTINCT person)".to_owned()]);
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
        ];
        let filter = if dice.chance(35) { format!(" WHERE {}", dice.pick(&conditions)) } else { String::new() };
        let from = if dice.chance(25) { "(SELECT n, x, grp, band, flag, note, person FROM t) AS s" } else { "t" };
        let group = dice.pick(&["", " GROUP BY grp", " GROUP BY grp", " GROUP BY band, grp", " GROUP BY flag"]);
        format!("SELECT {chosen} FROM {from}{filter}{group}")
    }

    /// An entity that is often as bad as it can be: many rows, in many groups, at the bounds or far beyond.
    pub fn entity(&self, dice: &mut Dice, name: u64) -> Entity {
        let name = format!("p{name}");
        let by_entity = self.table.entity.is_some();
        let worst = dice.chance(60);
        let end = dice.chance(50);
        let count = if by_entity { if worst { 40 } else { dice.below(8) } } else { 1 };
        // A worst entity stays away from some groups, so that another can be elsewhere.
        let shift = dice.below(12);
        let rows = (0..count)
            .map(|position| if worst { self.extreme(dice, position + shift, end) } else { self.random_row(dice) });
        Entity { name, rows: rows.collect() }
    }

    /// An entity with many rows in some neighbouring cells, all at one bound in each cell.
    pub fn window(&self, dice: &mut Dice, name: u64) -> Entity {
        let cells = self.groups.len() * usize::try_from(self.bands).unwrap();
        // None at all: WHERE may leave nothing of a person whose number is public.
        let length = usize::try_from(dice.below(cells as u64 + 1)).unwrap();
        let start = usize::try_from(dice.below(cells as u64)).unwrap();
        let mut rows = Vec::new();
        let (always_high, always_low) = (dice.chance(60), dice.chance(40));
        for cell in (start..start + length).map(|cell| cell % cells) {
            let high = always_high || (!always_low && dice.chance(50));
            let value = if high { self.high } else { self.low };
            for _ in 0..4 {
                rows.push(Row {
                    group: Some(self.groups[cell % self.groups.len()].to_owned()),
                    band: Some(i64::try_from(cell / self.groups.len()).unwrap()),
                    flag: Some(true),
                    number: Some(value),
                    decimal: Some(value as f64),
                    text: None,
                });
            }
        }
        Entity { name: format!("p{name}"), rows }
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
        }
    }

    fn random_row(&self, dice: &mut Dice) -> Row {
        let hostile = [i64::MIN, i64::MAX, 0, 3, 5, self.low, self.high];
        let floats = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 0.0, -0.0, 2.0, 1e308, 0.125];
        let texts = ["", "7", "abc", "a", "999999999999999999999", "\u{1F600}", "NaN"];
        let number = *dice.pick(&hostile);
        let decimal = *dice.pick(&floats);
        let text = (*dice.pick(&texts)).to_owned();
        let group = (*dice.pick(&GROUPS)).to_owned();
        Row {
            group: (!dice.chance(20)).then_some(group),
            band: (!dice.chance(10)).then_some(i64::try_from(dice.below(5)).unwrap()),
            flag: (!dice.chance(20)).then_some(dice.chance(50)),
            number: (!dice.chance(15)).then_some(number),
            decimal: (!dice.chance(15)).then_some(decimal),
            text: (!dice.chance(15)).then_some(text),
        }
    }

    /// The rows of these entities, in two batches.
    pub fn batches(&self, entities: &[&Entity]) -> Vec<RecordBatch> {
        let rows: Vec<(&str, &Row)> =
            entities.iter().flat_map(|entity| entity.rows.iter().map(|row| (entity.name.as_str(), row))).collect();
        let (left, right) = rows.split_at(rows.len() / 2);
        [right, left].into_iter().map(|rows| self.batch(rows)).collect()
    }

    fn batch(&self, rows: &[(&str, &Row)]) -> RecordBatch {
        let fields = self.table.columns.iter().map(|column| {
            let kind = match column.kind {
                ColumnType::Integer => DataType::Int64,
                ColumnType::Decimal => DataType::Float64,
                ColumnType::Text => DataType::Utf8,
                ColumnType::Boolean => DataType::Boolean,
            };
            Field::new(&column.name, kind, true)
        });
        let schema = Schema::new(fields.collect::<Vec<_>>());
        let columns: Vec<ArrayRef> = vec![
            Arc::new(StringArray::from_iter_values(rows.iter().map(|(name, _)| name))),
            Arc::new(rows.iter().map(|(_, row)| row.group.as_deref()).collect::<StringArray>()),
            Arc::new(rows.iter().map(|(_, row)| row.band).collect::<Int64Array>()),
            Arc::new(rows.iter().map(|(_, row)| row.flag).collect::<BooleanArray>()),
            Arc::new(rows.iter().map(|(_, row)| row.number).collect::<Int64Array>()),
            Arc::new(rows.iter().map(|(_, row)| row.decimal).collect::<Float64Array>()),
            Arc::new(rows.iter().map(|(_, row)| row.text.as_deref()).collect::<StringArray>()),
        ];
        RecordBatch::try_new(Arc::new(schema), columns).unwrap()
    }
}
