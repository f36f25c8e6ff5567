//! Identity of queries: the canonical bytes of everything that decides the measured numbers.
//!
//! Every part is a tag, a number of fixed length, or bytes after their length, so that only equal parts give equal bytes.
//! Values are canonical bytes of expressions ([`deniable_expression::canonical`]), never displayed text.
//! `docs/reference/ledger-format.md` describes the format.

use crate::Ranking;
use crate::facts::range::Grid;
use crate::rows::Rows;
use crate::{Argument, CentredArgument, EntityValue, Estimator, Group, Measure, MeasureKind, Query, Target};
use crate::{EntityRows, Fold, OwnSort, Yield};
use crate::{OnLadder, PerEntity};
use deniable_core::exact::Rational;
use deniable_core::schema::{Key, TableSchema};
use deniable_core::sensitivity::Caps;
use deniable_expression::{Id, Program};

/// The first byte: the version of the format.
pub const FORMAT: u8 = 1;
/// The second byte of queries about cells.
pub(crate) const CELLS: u8 = 0;
/// The second byte of queries about entities of another query.
pub(crate) const ENTITIES: u8 = 1;
/// The function that ranks the rows of an entity where caps choose among them (`execute::bound::identity`).
pub(crate) const RANKING: &str = "deniable siphash-1-3-128 of words, salted, 2026-11";
pub(crate) const PORTABLE_RANKING: &str = "deniable sha-256 of texts, salted, 2026-11";

#[derive(Default)]
struct Bytes(Vec<u8>);

impl Bytes {
    fn tag(&mut self, tag: u8) -> &mut Self {
        self.0.push(tag);
        self
    }

    fn number(&mut self, number: i64) -> &mut Self {
        self.0.extend(number.to_le_bytes());
        self
    }

    fn size(&mut self, size: usize) -> &mut Self {
        self.0.extend((size as u64).to_le_bytes());
        self
    }

    fn bytes(&mut self, bytes: &[u8]) -> &mut Self {
        self.size(bytes.len());
        self.0.extend(bytes);
        self
    }

    fn text(&mut self, text: &str) -> &mut Self {
        self.bytes(text.as_bytes())
    }

    fn rational(&mut self, value: &Rational) -> &mut Self {
        self.bytes(&value.numer().to_signed_bytes_le()).bytes(&value.denom().to_signed_bytes_le())
    }

    fn value(&mut self, id: Id, program: &Program) -> &mut Self {
        self.bytes(&program.canonical(&[id]))
    }

    fn grid(&mut self, grid: Option<&Grid>) -> &mut Self {
        match grid {
            None => self.tag(0),
            Some(grid) => self.tag(1).rational(&grid.unit).number(grid.low).number(grid.high),
        }
    }

    fn key(&mut self, key: &Key) -> &mut Self {
        match key {
            Key::Null => self.tag(0),
            Key::Boolean(truth) => self.tag(1).tag(u8::from(*truth)),
            Key::Integer(number) => self.tag(2).number(*number),
            Key::Decimal(number) => self.tag(3).rational(number),
            Key::Text(text) => self.tag(4).text(text),
            Key::Date(day) => self.tag(5).number((*day).into()),
            Key::Timestamp(micros) => self.tag(6).number(*micros),
            Key::Other => self.tag(7),
        }
    }

    fn group(&mut self, group: &Group, program: &Program) -> &mut Self {
        let parts = self.value(group.value, program).size(group.keys.len());
        group.keys.iter().fold(parts, Bytes::key)
    }

    fn argument(&mut self, at: usize, query: &Query) -> &mut Self {
        match query.rows.arguments.get(at) {
            Some(Argument { value, grid }) => self.tag(1).value(*value, &query.rows.program).grid(grid.as_ref()),
            None => self.tag(0),
        }
    }

    fn measure(&mut self, measure: &Measure, arguments: &[Argument], program: &Program) -> &mut Self {
        let Measure { kind, unit, level, weight } = measure;
        let argument = |parts: &mut Self, at: usize| {
            if let Some(Argument { value, grid }) = arguments.get(at) {
                parts.value(*value, program).grid(grid.as_ref());
            }
        };
        match kind {
            MeasureKind::Rows => {
                self.tag(0);
            }
            MeasureKind::NotNull { argument: at } => argument(self.tag(1), *at),
            MeasureKind::Entities { present: None } => {
                self.tag(2);
            }
            MeasureKind::Entities { present: Some(at) } => argument(self.tag(3), *at),
            MeasureKind::Sum { of: CentredArgument { argument: at, times, centre }, range } => {
                self.tag(4).number(*times).number(*centre).number(range.low).number(range.high);
                argument(self, *at);
            }
            MeasureKind::Product { of, range } => {
                self.tag(5).number(range.low).number(range.high);
                for CentredArgument { argument: at, times, centre } in of {
                    argument(self.number(*times).number(*centre), *at);
                }
            }
            MeasureKind::Ranked { argument: at, target } => {
                match target {
                    Target::Share(share) => self.tag(7).size(share.part as usize).size(share.whole as usize),
                    Target::Lowest => self.tag(8),
                    Target::Highest => self.tag(9),
                };
                argument(self, *at);
            }
            MeasureKind::Tree { argument: at, shares } => {
                self.tag(6).size(shares.len());
                for share in shares {
                    self.size(share.part as usize).size(share.whole as usize);
                }
                argument(self, *at);
            }
        }
        self.rational(unit).size(*level).rational(weight)
    }
}

/// Returns the values in an order that does not depend on their order in the query, without duplicates.
pub fn sorted(ids: impl Iterator<Item = Id>, program: &Program) -> Vec<Id> {
    let mut all: Vec<(Vec<u8>, Id)> = ids.map(|id| (program.canonical(&[id]), id)).collect();
    all.sort();
    all.dedup();
    all.into_iter().map(|(_, id)| id).collect()
}

/// Returns the measures in an order that does not depend on their order in the query, and the answers over them.
pub fn ordered(
    measures: Vec<Measure>,
    answers: Vec<Vec<Estimator>>,
    rows: &Rows,
) -> (Vec<Measure>, Vec<Vec<Estimator>>) {
    let mut all: Vec<(Vec<u8>, usize)> = Vec::new();
    for (position, measure) in measures.iter().enumerate() {
        let mut parts = Bytes::default();
        parts.measure(measure, &rows.arguments, &rows.program);
        all.push((parts.0, position));
    }
    all.sort();
    let place = |old: usize| all.iter().position(|(_, position)| *position == old).unwrap_or(old);
    let answers =
        answers.into_iter().map(|level| level.into_iter().map(|answer| answer.moved(place)).collect()).collect();
    let sorted = all.iter().map(|(_, position)| measures[*position].clone()).collect();
    (sorted, answers)
}

impl Bytes {
    /// The computation of rows from each entity's rows: the rows that are read, and the fold of each column. Column
    /// names are those in the program of the query.
    fn rows_of_entities(&mut self, made: &EntityRows, table: &TableSchema) -> &mut Self {
        let EntityRows { of, folds, yields } = made;
        match yields {
            Yield::OneRow => self.tag(1),
            Yield::EachRow => self.tag(2).number(made.most_rows().unwrap_or_default().into()),
        };
        self.bytes(&bytes(of)).text(&table.columns[0].name).size(folds.len());
        for (fold, column) in folds.iter().zip(table.columns.iter().skip(1)) {
            self.fold(fold, of).text(&column.name);
        }
        self
    }

    fn fold(&mut self, fold: &Fold, of: &Query) -> &mut Self {
        match fold {
            Fold::Rows => self.tag(0),
            Fold::Present(at) => self.tag(1).argument(*at, of),
            Fold::Distinct(at, keys) => {
                let parts = self.tag(2).argument(*at, of).size(keys.len());
                keys.iter().fold(parts, Bytes::key)
            }
            Fold::Sum(at, is_whole) => self.tag(3).tag(u8::from(*is_whole)).argument(*at, of),
            Fold::Average(at) => self.tag(4).argument(*at, of),
            Fold::Least(at) => self.tag(5).argument(*at, of),
            Fold::Greatest(at) => self.tag(6).argument(*at, of),
            Fold::AtLeast { value, by } => self.tag(7).argument(*value, of).argument(*by, of),
            Fold::AtGreatest { value, by } => self.tag(8).argument(*value, of).argument(*by, of),
            Fold::Own(at) => self.tag(9).argument(*at, of),
            Fold::Shifted { value, order, places } => {
                self.tag(10).argument(*value, of).number(*places).own_order(order, of)
            }
            Fold::Place(order) => self.tag(11).own_order(order, of),
        }
    }

    fn own_order(&mut self, order: &[OwnSort], of: &Query) -> &mut Self {
        let parts = self.size(order.len());
        order.iter().fold(parts, |parts, OwnSort { by, ascending, nulls_first }| {
            parts.argument(*by, of).tag(u8::from(*ascending)).tag(u8::from(*nulls_first))
        })
    }
}

/// The bytes of a query about entities: those of the query that bounds the entities' rows, and the values of each
/// entity.
fn about_entities(about: &PerEntity, measures: &[Measure]) -> Vec<u8> {
    let PerEntity { of, beyond, values } = about;
    let mut parts = Bytes::default();
    parts.tag(FORMAT).tag(ENTITIES).bytes(&of.canonical);
    match beyond {
        None => parts.tag(0),
        Some(Caps { rows_per_group, groups }) => parts.tag(1).number((*rows_per_group).into()).number((*groups).into()),
    };
    parts.size(values.len());
    for OnLadder { value, rungs } in values {
        match value {
            EntityValue::RowsInLargestGroup => parts.tag(0),
            EntityValue::Groups => parts.tag(1),
            EntityValue::Smallest(at) => parts.tag(2).argument(*at, of),
            EntityValue::Largest(at) => parts.tag(3).argument(*at, of),
        };
        parts.size(rungs.len());
        for rung in rungs {
            parts.number(*rung);
        }
    }
    parts.size(measures.len());
    for Measure { kind, unit, level, weight } in measures {
        match kind {
            MeasureKind::Tree { argument, shares } => {
                parts.tag(1).size(*argument).size(shares.len());
                for share in shares {
                    parts.size(share.part as usize).size(share.whole as usize);
                }
            }
            // All other measures of such a query count entities.
            _ => {
                parts.tag(0);
            }
        }
        parts.rational(unit).size(*level).rational(weight);
    }
    parts.0
}

/// The bytes of the rows that a query counts: tables, joins, filters and caps.
fn counted(query: &Query) -> Bytes {
    let Query { rows, groups, nesting, together, caps, entity_rows, .. } = query;
    let Rows { tables, program, joins, filters, arguments: _ } = rows;
    let mut parts = Bytes::default();
    parts.tag(FORMAT).tag(CELLS);
    match entity_rows {
        None => parts.tag(0),
        Some(made) => parts.rows_of_entities(made, &tables[joins.first]),
    };
    let nested: Vec<(usize, usize)> =
        (0..groups.len()).filter_map(|group| Some((group, nesting.nearest(group)?.group))).collect();
    parts.size(nested.len());
    for (group, within) in nested {
        parts.size(group).size(within);
    }
    parts.tag(u8::from(*together)).text(match query.ranking {
        Ranking::Words => RANKING,
        Ranking::Portable => PORTABLE_RANKING,
    });
    let Caps { rows_per_group, groups: most } = caps;
    parts.number((*rows_per_group).into()).number((*most).into());
    parts.size(1 + joins.others.len());
    for at in joins.tables() {
        let table = &tables[at];
        parts.text(&table.name).tag(u8::from(table.is_protected()));
        match table.join_key() {
            None => parts.tag(0),
            Some(key) => {
                let kind = table.columns.iter().find(|column| column.name == key).map(|column| column.kind.name());
                parts.tag(1).text(key).text(kind.unwrap_or_default())
            }
        };
        // `rows_in_joins` matters only where protected tables are joined.
        let joined =
            table.entity.as_ref().filter(|_| joins.others.iter().any(|join| tables[join.table].is_protected()));
        parts.number(joined.map_or(0, |entity| entity.rows_in_joins.into()));
    }
    for join in &joins.others {
        parts.tag(u8::from(join.keeps_unmatched)).value(join.on, program);
    }
    parts.size(filters.len());
    for filter in filters {
        parts.value(*filter, program);
    }
    parts
}

pub fn bytes(query: &Query) -> Vec<u8> {
    // The share of each measure follows from its conditions, which are part of the bytes.
    let Query {
        rows,
        groups,
        levels,
        nesting: _,
        together: _,
        measures,
        parts: _,
        answers: _,
        output: _,
        caps: _,
        per_entity,
        entity_rows: _,
        ranking: _,
        canonical: _,
        planning: _,
    } = query;
    if let Some(about) = per_entity {
        return about_entities(about, measures);
    }
    let Rows { program, arguments, .. } = rows;
    let mut parts = counted(query);
    parts.size(groups.len());
    for group in groups {
        parts.group(group, program);
    }
    parts.size(levels.len());
    for level in levels {
        parts.size(level.len());
        for group in level {
            parts.size(*group);
        }
    }
    parts.size(measures.len());
    for measure in measures {
        parts.measure(measure, arguments, program);
    }
    parts.0
}
