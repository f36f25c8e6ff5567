//! Parses queries from their canonical bytes, against the tables that are declared now.
//!
//! The inverse of [`crate::canonical`]. Encoding a parsed query gives the same bytes again; other bytes, and bytes that
//! depend on other declarations, give `None`. The output is not part of the bytes, so a parsed query has measures and
//! no output.

use crate::canonical::{CELLS, ENTITIES, FORMAT, PORTABLE_RANKING, RANKING, bytes};
use crate::facts::keys::Derivation;
use crate::facts::labels::labels;
use crate::facts::range::Grid;
use crate::output::Output;
use crate::{
    Argument, CentredArgument, EntityRows, EntityValue, Fold, Group, Join, Joins, Measure, MeasureKind, Nesting,
    OnLadder, OwnSort, Parts, PerEntity, QuantileShare, Query, Ranking, Rows, Target, Yield,
};
use deniable_core::exact::Rational;
use deniable_core::schema::{Key, TableSchema};
use deniable_core::sensitivity::{Caps, RowRange};
use deniable_expression::{Id, InputColumn, Node, Operation, Program, Type};
use num_bigint::BigInt;
use num_traits::{Signed, Zero};

/// Nesting depth: a query about entities of a query about rows of entities contains two queries.
const DEEPEST: usize = 2;
/// Most characters of the name of a group.
const MOST_NAME: usize = 1_000;

impl Query {
    /// Parses canonical bytes about these tables, the main table first; `None` if they are not the bytes of a query.
    #[must_use]
    pub fn from_canonical(bytes: &[u8], tables: &[TableSchema]) -> Option<Self> {
        let mut reader = Reader(bytes);
        let query = reader.query(tables, 0)?;
        (reader.0.is_empty() && query.canonical() == bytes).then_some(query)
    }
}

/// The remaining bytes. Every method consumes what it parses from their beginning, and returns `None` if that is
/// malformed.
pub(crate) struct Reader<'a>(pub(crate) &'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, size: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(size)?;
        self.0 = rest;
        Some(taken)
    }

    pub(crate) fn tag(&mut self) -> Option<u8> {
        self.take(1)?.first().copied()
    }

    fn truth(&mut self) -> Option<bool> {
        match self.tag()? {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }

    fn number(&mut self) -> Option<i64> {
        Some(i64::from_le_bytes(*self.take(8)?.first_chunk()?))
    }

    fn small(&mut self) -> Option<u32> {
        u32::try_from(self.number()?).ok()
    }

    pub(crate) fn size(&mut self) -> Option<usize> {
        usize::try_from(u64::from_le_bytes(*self.take(8)?.first_chunk()?)).ok()
    }

    pub(crate) fn bytes(&mut self) -> Option<&'a [u8]> {
        let size = self.size()?;
        self.take(size)
    }

    fn text(&mut self) -> Option<&'a str> {
        std::str::from_utf8(self.bytes()?).ok()
    }

    fn rational(&mut self) -> Option<Rational> {
        let (over, under) = (self.bytes()?, self.bytes()?);
        let (over, under) = (BigInt::from_signed_bytes_le(over), BigInt::from_signed_bytes_le(under));
        (!under.is_zero()).then(|| Rational::new(over, under))
    }

    fn positive(&mut self) -> Option<Rational> {
        self.rational().filter(Rational::is_positive)
    }

    /// Parses a list whose length comes first. Each element takes at least one byte, so a length above the number of
    /// remaining bytes is rejected before anything is allocated.
    fn list<T>(&mut self, mut element: impl FnMut(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let size = self.size()?;
        (size <= self.0.len()).then_some(())?;
        (0..size).map(|_| element(self)).collect()
    }

    fn key(&mut self) -> Option<Key> {
        Some(match self.tag()? {
            0 => Key::Null,
            1 => Key::Boolean(self.truth()?),
            2 => Key::Integer(self.number()?),
            3 => Key::Decimal(self.rational()?),
            4 => Key::Text(self.text()?.to_owned()),
            5 => Key::Date(i32::try_from(self.number()?).ok()?),
            6 => Key::Timestamp(self.number()?),
            7 => Key::Other,
            _ => return None,
        })
    }

    /// Parses the number of steps into which a unit is divided.
    fn times(&mut self) -> Option<i64> {
        self.number().filter(|times| (1..=2).contains(times))
    }

    fn caps(&mut self) -> Option<Caps> {
        Some(Caps { rows_per_group: self.small()?, groups: self.small()? })
    }

    fn range(&mut self) -> Option<RowRange> {
        let (low, high) = (self.number()?, self.number()?);
        (low <= high).then_some(RowRange { low, high })
    }

    fn share(&mut self) -> Option<QuantileShare> {
        let (part, whole) = (self.size()? as u64, self.size()? as u64);
        (whole > 0 && part <= whole).then_some(QuantileShare { part, whole })
    }

    /// Skips everything before the groups of a query about cells; returns whether its levels are capped together.
    pub(crate) fn skip_rows(&mut self) -> Option<bool> {
        (self.tag()? == FORMAT && self.tag()? == CELLS).then_some(())?;
        let made = self.tag()?;
        (made <= 2).then_some(())?;
        if made == 2 {
            self.number()?;
        }
        if made > 0 {
            self.bytes()?;
            self.bytes()?;
            for _ in 0..self.size()? {
                self.skip_fold()?;
                self.bytes()?;
            }
        }
        for _ in 0..self.size()? {
            self.take(16)?;
        }
        let together = self.truth()?;
        self.bytes()?;
        self.take(16)?;
        let tables = self.size()?;
        for _ in 0..tables {
            self.bytes()?;
            self.tag()?;
            if self.truth()? {
                self.bytes()?;
                self.bytes()?;
            }
            self.take(8)?;
        }
        for _ in 1..tables {
            self.tag()?;
            self.bytes()?;
        }
        for _ in 0..self.size()? {
            self.bytes()?;
        }
        Some(together)
    }

    pub(crate) fn skip_group(&mut self) -> Option<()> {
        self.bytes()?;
        self.skip_keys()
    }

    fn skip_keys(&mut self) -> Option<()> {
        for _ in 0..self.size()? {
            match self.tag()? {
                0 | 7 => {}
                1 => drop(self.tag()?),
                3 => self.skip_rational()?,
                4 => drop(self.bytes()?),
                2 | 5 | 6 => drop(self.take(8)?),
                _ => return None,
            }
        }
        Some(())
    }

    pub(crate) fn skip_rational(&mut self) -> Option<()> {
        self.bytes()?;
        self.bytes().map(drop)
    }

    /// Skips a value and its grid.
    fn skip_valued(&mut self) -> Option<()> {
        self.bytes()?;
        if self.truth()? {
            self.skip_rational()?;
            self.take(16)?;
        }
        Some(())
    }

    fn skip_fold(&mut self) -> Option<()> {
        let argument = |reader: &mut Self| if reader.truth()? { reader.skip_valued() } else { Some(()) };
        match self.tag()? {
            0 => Some(()),
            2 => {
                argument(self)?;
                self.skip_keys()
            }
            3 => {
                self.tag()?;
                argument(self)
            }
            1 | 4 | 5 | 6 | 9 => argument(self),
            7 | 8 => {
                argument(self)?;
                argument(self)
            }
            10 => {
                argument(self)?;
                self.number()?;
                self.skip_own_order(&argument)
            }
            11 => self.skip_own_order(&argument),
            _ => None,
        }
    }

    fn skip_own_order(&mut self, argument: &dyn Fn(&mut Self) -> Option<()>) -> Option<()> {
        for _ in 0..self.size()? {
            argument(self)?;
            self.truth()?;
            self.truth()?;
        }
        Some(())
    }

    /// Skips the kind and the unit of a measure.
    pub(crate) fn skip_kind(&mut self) -> Option<()> {
        match self.tag()? {
            0 | 2 => {}
            1 | 3 | 8 | 9 => self.skip_valued()?,
            4 => {
                self.take(32)?;
                self.skip_valued()?;
            }
            5 => {
                self.take(16)?;
                for _ in 0..2 {
                    self.take(16)?;
                    self.skip_valued()?;
                }
            }
            6 => {
                let shares = self.size()?;
                self.take(shares.checked_mul(16)?)?;
                self.skip_valued()?;
            }
            7 => {
                self.take(16)?;
                self.skip_valued()?;
            }
            _ => return None,
        }
        self.skip_rational()
    }

    pub(crate) fn levels(&mut self) -> Option<Vec<Vec<usize>>> {
        self.list(|reader| reader.list(Reader::size))
    }

    /// Parses a query at this nesting depth.
    fn query(&mut self, tables: &[TableSchema], depth: usize) -> Option<Query> {
        (depth <= DEEPEST && self.tag()? == FORMAT).then_some(())?;
        match self.tag()? {
            CELLS => self.cells(tables, depth),
            ENTITIES => self.entities(tables, depth),
            _ => None,
        }
    }

    /// Parses a query about cells, after its first two bytes.
    fn cells(&mut self, tables: &[TableSchema], depth: usize) -> Option<Query> {
        let entity_rows = match self.tag()? {
            0 => None,
            1 => Some(self.entity_rows(tables, depth, Yield::OneRow)?),
            2 => {
                // The most rows of an entity follow from the declaration of its table.
                self.number()?;
                Some(self.entity_rows(tables, depth, Yield::EachRow)?)
            }
            _ => return None,
        };
        let (entity_rows, tables): (_, Vec<TableSchema>) = match entity_rows {
            Some((rows, table)) => {
                let public = tables.iter().filter(|table| !table.is_protected()).cloned();
                (Some(rows), std::iter::once(table).chain(public).collect())
            }
            None => (None, tables.to_vec()),
        };
        // The nesting of groups is derived again.
        self.list(|reader| Some((reader.size()?, reader.size()?)))?;
        self.truth()?;
        let ranking = match self.text()? {
            RANKING => Ranking::Words,
            PORTABLE_RANKING => Ranking::Portable,
            _ => return None,
        };
        let caps = self.caps()?;
        let places = self.list(|reader| reader.table(&tables))?;
        let (first, others) = places.split_first()?;
        let mut building = ProgramBuilder { program: program_of(&tables), arguments: Vec::new() };
        let mut joins = Joins { first: *first, others: Vec::new() };
        for table in others {
            let keeps_unmatched = self.truth()?;
            joins.others.push(Join { table: *table, on: building.value(self.bytes()?)?, keeps_unmatched });
        }
        let filters = self.list(|reader| building.value(reader.bytes()?))?;
        let groups = self.list(|reader| {
            let value = building.value(reader.bytes()?)?;
            let labels = labels(value, &building.program, &tables);
            let name = building.program.words(value, MOST_NAME);
            let keys = reader.list(Reader::key)?;
            Some(Group { name, declared: keys.len(), keys, value, hidden: 0, labels })
        })?;
        let mut levels = self.levels()?;
        levels.iter().flatten().all(|group| *group < groups.len()).then_some(())?;
        let measures = self.list(|reader| building.measure(reader))?;
        measures.iter().all(|measure| measure.level < levels.len()).then_some(())?;
        let ProgramBuilder { program, arguments } = building;
        let mut keys_of = |id| Derivation { program: &program, tables: &tables }.keys(id);
        let nesting = Nesting::of(&groups, &mut levels, &program, &mut keys_of).ok()?;
        let answers = vec![Vec::new(); levels.len()];
        let rows = Rows { tables, program, joins, filters, arguments };
        let entity_rows = entity_rows.map(Box::new);
        let mut query = Query::new(Parts {
            rows,
            entity_rows,
            groups,
            levels,
            nesting,
            measures,
            answers,
            output: Output::default(),
        })
        .ok()?;
        (query.caps, query.ranking) = (caps, ranking);
        query.canonical = bytes(&query);
        Some(query)
    }

    /// The position of the table with this name and key. Everything else follows from its declaration.
    fn table(&mut self, tables: &[TableSchema]) -> Option<usize> {
        let name = self.text()?;
        self.truth()?;
        if self.truth()? {
            self.bytes()?;
            self.bytes()?;
        }
        self.number()?;
        tables.iter().position(|table| table.name == name)
    }

    /// Parses how rows are computed from each entity's rows, and derives the table of these rows.
    fn entity_rows(
        &mut self,
        tables: &[TableSchema],
        depth: usize,
        yields: Yield,
    ) -> Option<(EntityRows, TableSchema)> {
        let inner = self.bytes()?;
        let of = Reader(inner).query(tables, depth + 1)?;
        self.text()?;
        let mut building = ProgramBuilder { program: of.rows.program.clone(), arguments: Vec::new() };
        let folds = self.list(|reader| Some((building.fold(reader)?, reader.text()?.to_owned())))?;
        let (folds, names): (Vec<Fold>, Vec<String>) = folds.into_iter().unzip();
        let ProgramBuilder { program, arguments } = building;
        let made = EntityRows { of: Query::of_bare_rows(Rows { program, arguments, ..of.rows }), folds, yields };
        let table = made.table(names)?;
        Some((made, table))
    }

    /// Parses a query about the entities of another query, after its first two bytes.
    fn entities(&mut self, tables: &[TableSchema], depth: usize) -> Option<Query> {
        let of = Reader(self.bytes()?).query(tables, depth + 1)?;
        let beyond = if self.truth()? { Some(self.caps()?) } else { None };
        let mut building = ProgramBuilder { program: of.rows.program.clone(), arguments: of.rows.arguments.clone() };
        let values = self.list(|reader| {
            let value = match reader.tag()? {
                0 => EntityValue::RowsInLargestGroup,
                1 => EntityValue::Groups,
                2 => EntityValue::Smallest(building.argument(reader)?),
                3 => EntityValue::Largest(building.argument(reader)?),
                _ => return None,
            };
            Some(OnLadder { value, rungs: reader.list(Reader::number)? })
        })?;
        let measures = self.list(|reader| {
            let kind = match reader.tag()? {
                0 => MeasureKind::Rows,
                1 => MeasureKind::Tree { argument: reader.size()?, shares: reader.list(Reader::share)? },
                _ => return None,
            };
            Some(Measure { kind, unit: reader.positive()?, level: reader.size()?, weight: reader.positive()? })
        })?;
        PerEntity { of: Box::new(of), beyond, values }.asked(measures)
    }
}

fn program_of(tables: &[TableSchema]) -> Program {
    let columns = tables.iter().flat_map(|table| {
        let column = |name: &str, kind| InputColumn { table: table.name.clone(), name: name.to_owned(), kind };
        table.columns.iter().map(move |known| column(&known.name, Type::from(known.kind)))
    });
    Program::new(columns.collect())
}

/// The program that decoding builds, and the arguments of measures.
struct ProgramBuilder {
    program: Program,
    arguments: Vec<Argument>,
}

impl ProgramBuilder {
    /// The value with these canonical bytes, as a node of the program.
    fn value(&mut self, bytes: &[u8]) -> Option<Id> {
        let (from, roots) = Program::from_canonical(bytes)?;
        let [root] = roots.as_slice() else { return None };
        let mut nodes: Vec<Id> = Vec::with_capacity(from.nodes().len());
        for node in from.nodes() {
            nodes.push(match node {
                Node::Column(position) => {
                    let wanted = from.columns().get(*position as usize)?;
                    let is_wanted = |known: &InputColumn| known == wanted;
                    self.program.column(self.program.columns().iter().position(is_wanted)?).ok()?
                }
                Node::Constant(kind, None) => self.program.null(*kind).ok()?,
                Node::Constant(_, Some(value)) => self.program.constant(value.clone()).ok()?,
                Node::Call(operation, arguments) => {
                    let arguments: Option<Vec<Id>> =
                        arguments.iter().map(|id| nodes.get(id.position()).copied()).collect();
                    self.program.call(operation.clone(), &arguments?).ok()?
                }
            });
        }
        nodes.get(root.position()).copied()
    }

    /// The position of a value and its grid among the arguments.
    fn valued(&mut self, reader: &mut Reader<'_>) -> Option<usize> {
        let value = self.value(reader.bytes()?)?;
        // Dates and timestamps are ranked as integers.
        let of_times = match self.program.node(value) {
            Node::Call(Operation::Cast(Type::Integer), from) => {
                from.iter().any(|from| matches!(self.program.kind(*from), Type::Date | Type::Timestamp))
            }
            _ => false,
        };
        let grid = if reader.truth()? {
            let (unit, low, high) = (reader.positive()?, reader.number()?, reader.number()?);
            (low <= high).then_some(())?;
            Some(Grid::new(unit, low, high, of_times)?)
        } else {
            None
        };
        let same = |known: &Argument| known.value == value && known.grid == grid;
        Some(self.arguments.iter().position(same).unwrap_or_else(|| {
            self.arguments.push(Argument { value, grid });
            self.arguments.len() - 1
        }))
    }

    fn argument(&mut self, reader: &mut Reader<'_>) -> Option<usize> {
        if reader.truth()? { self.valued(reader) } else { None }
    }

    fn fold(&mut self, reader: &mut Reader<'_>) -> Option<Fold> {
        Some(match reader.tag()? {
            0 => Fold::Rows,
            1 => Fold::Present(self.argument(reader)?),
            2 => Fold::Distinct(self.argument(reader)?, reader.list(Reader::key)?),
            3 => {
                let is_whole = reader.truth()?;
                Fold::Sum(self.argument(reader)?, is_whole)
            }
            4 => Fold::Average(self.argument(reader)?),
            5 => Fold::Least(self.argument(reader)?),
            6 => Fold::Greatest(self.argument(reader)?),
            7 => Fold::AtLeast { value: self.argument(reader)?, by: self.argument(reader)? },
            8 => Fold::AtGreatest { value: self.argument(reader)?, by: self.argument(reader)? },
            9 => Fold::Own(self.argument(reader)?),
            10 => {
                let (value, places) = (self.argument(reader)?, reader.number()?);
                Fold::Shifted { value, places, order: self.own_order(reader)? }
            }
            11 => Fold::Place(self.own_order(reader)?),
            _ => return None,
        })
    }

    fn own_order(&mut self, reader: &mut Reader<'_>) -> Option<Vec<OwnSort>> {
        reader.list(|reader| {
            let by = self.argument(reader)?;
            Some(OwnSort { by, ascending: reader.truth()?, nulls_first: reader.truth()? })
        })
    }

    fn measure(&mut self, reader: &mut Reader<'_>) -> Option<Measure> {
        let kind = match reader.tag()? {
            0 => MeasureKind::Rows,
            1 => MeasureKind::NotNull { argument: self.valued(reader)? },
            2 => MeasureKind::Entities { present: None },
            3 => MeasureKind::Entities { present: Some(self.valued(reader)?) },
            4 => {
                let (times, centre, range) = (reader.times()?, reader.number()?, reader.range()?);
                MeasureKind::Sum { of: CentredArgument { argument: self.valued(reader)?, times, centre }, range }
            }
            5 => {
                let range = reader.range()?;
                let mut of = || {
                    let (times, centre) = (reader.times()?, reader.number()?);
                    Some(CentredArgument { argument: self.valued(reader)?, times, centre })
                };
                MeasureKind::Product { of: [of()?, of()?], range }
            }
            6 => {
                let shares = reader.list(Reader::share)?;
                MeasureKind::Tree { argument: self.valued(reader)?, shares }
            }
            7 => {
                let target = Target::Share(reader.share()?);
                MeasureKind::Ranked { argument: self.valued(reader)?, target }
            }
            8 => MeasureKind::Ranked { argument: self.valued(reader)?, target: Target::Lowest },
            9 => MeasureKind::Ranked { argument: self.valued(reader)?, target: Target::Highest },
            _ => return None,
        };
        Some(Measure { kind, unit: reader.positive()?, level: reader.size()?, weight: reader.positive()? })
    }
}
