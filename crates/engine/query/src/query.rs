//! A query: rows, groups, measures and output.

use crate::Nesting;
use crate::QueryError;
use crate::canonical;
use crate::entity_rows::EntityRows;
use crate::facts::left_out::leaves_out;
use crate::facts::reachable::Conditions;
use crate::facts::replaced::replaced;
use crate::facts::undeclared::{undeclared, undeclared_results};
use crate::group::Group;
use crate::output::{Output, Term, measures};
use crate::parallel::{self, Part};
use crate::per_entity::PerEntity;
use crate::rows::{Argument, Rows, declared};
use crate::{Estimator, Measure, MeasureKind, Target};
use deniable_core::adversary::Adjacency;
use deniable_core::exact::{Rational, ratio, whole};
use deniable_core::noise::tree::Shape;
use deniable_core::noise::{Decay, Rank, flip_margin};
use deniable_core::schema::{Key, TableSchema};
use deniable_core::sensitivity::{Caps, RowRange, additive, ranked};
use deniable_expression::{Id, Node};
use num_bigint::BigInt;
use num_traits::ToPrimitive;
use std::collections::BTreeSet;

/// Most cells that one query may have.
pub const MOST_CELLS: usize = 1_000_000;
/// Most combinations of the keys of all groups, over all levels: positions have 32 bits, and one value is reserved.
pub const MOST_COMBINATIONS: usize = u32::MAX as usize;
/// Most conditions under which one query counts entities: a word of bits, of which one is reserved.
pub const MOST_ENTITY_FILTERS: usize = 63;

/// The function that ranks an entity's rows and cells where caps choose among them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Ranking {
    /// SipHash of words.
    #[default]
    Words,
    /// SHA-256 of texts, which SQL engines compute as well.
    Portable,
}

/// The parts of a query about cells.
#[derive(Debug, Clone)]
pub struct Parts {
    /// The rows, before anything is added up.
    pub rows: Rows,
    /// The source of the rows, if they are computed from those of each entity.
    pub entity_rows: Option<Box<EntityRows>>,
    /// The GROUP BY columns and expressions.
    pub groups: Vec<Group>,
    /// The positions of the groups of each level.
    pub levels: Vec<Vec<usize>>,
    /// The groups that follow from other groups.
    pub nesting: Nesting,
    /// The measures, in any order.
    pub measures: Vec<Measure>,
    /// The aggregates of each level, over these measures.
    pub answers: Vec<Vec<Estimator>>,
    /// The columns and steps of the result.
    pub output: Output,
}

/// A query as data, independent of the text of its SQL.
#[derive(Debug, Clone)]
pub struct Query {
    pub(crate) rows: Rows,
    pub(crate) groups: Vec<Group>,
    pub(crate) levels: Vec<Vec<usize>>,
    pub(crate) nesting: Nesting,
    /// Whether caps are applied once for several levels.
    pub(crate) together: bool,
    pub(crate) measures: Vec<Measure>,
    pub(crate) parts: Vec<Part>,
    pub(crate) answers: Vec<Vec<Estimator>>,
    pub(crate) output: Output,
    pub(crate) caps: Caps,
    pub(crate) per_entity: Option<PerEntity>,
    /// The source of the rows, if they are computed from those of each entity.
    pub(crate) entity_rows: Option<Box<EntityRows>>,
    /// The function that ranks rows where caps choose among them.
    pub(crate) ranking: Ranking,
    pub(crate) canonical: Vec<u8>,
    /// Steps of the comparison of the measures' conditions.
    pub(crate) planning: u64,
}

impl Query {
    /// Builds a query: puts its measures into the canonical order and computes their parts of the share and the
    /// canonical bytes.
    ///
    /// # Errors
    /// When it has too many cells, conditions or steps, or refers to the entity key of computed rows.
    pub fn new(parts: Parts) -> Result<Self, QueryError> {
        let Parts { rows, entity_rows, groups, levels, nesting, measures, answers, output } = parts;
        check_cells(&groups, &levels, &nesting)?;
        let caps = rows.tables[rows.joins.first].caps();
        let entity = rows.tables[rows.joins.first].entity.as_ref();
        let together = levels.len() > 1 && entity.is_some_and(|entity| entity.levels_together);
        let (measures, answers) = canonical::ordered(measures, answers, &rows);
        if presence(&measures).len() > MOST_ENTITY_FILTERS {
            let help = format!("divide them among several queries; at most {MOST_ENTITY_FILTERS} are answered in one");
            return Err(QueryError::refused("this many conditions of COUNT(DISTINCT ...)", help));
        }
        let (parts, planning) = parallel::parts(&measures, &rows);
        let (ranking, per_entity, canonical) = (Ranking::default(), None, Vec::new());
        let mut query = Self {
            rows,
            groups,
            levels,
            nesting,
            together,
            measures,
            parts,
            answers,
            output,
            caps,
            per_entity,
            entity_rows,
            ranking,
            canonical,
            planning,
        };
        if query.entity_rows.is_some() && query.rows.program.inputs(&query.roots()).contains(&0) {
            let key = &query.rows.tables[0].columns[0].name;
            let help = "each row belongs to one entity; refer to the key in the inner query, or count entities by \
                        COUNT(DISTINCT ...)";
            let construct = format!("`{key}` as a value outside the query that computes rows of each entity");
            return Err(QueryError::refused(construct, help));
        }
        query.canonical = canonical::bytes(&query);
        query.check_effort()?;
        Ok(query)
    }

    /// A query that reads rows and measures nothing. It reads all rows of an entity, so caps do not matter.
    #[must_use]
    pub fn of_bare_rows(rows: Rows) -> Self {
        Self {
            rows,
            groups: Vec::new(),
            levels: vec![Vec::new()],
            nesting: Nesting::default(),
            together: false,
            measures: Vec::new(),
            parts: Vec::new(),
            answers: vec![Vec::new()],
            output: Output::default(),
            caps: Caps::ONE_ROW,
            per_entity: None,
            entity_rows: None,
            ranking: Ranking::default(),
            canonical: Vec::new(),
            planning: 0,
        }
    }

    /// The rows, before anything is added up.
    #[must_use]
    pub fn rows(&self) -> &Rows {
        &self.rows
    }

    /// The values of each entity, if the query is about entities.
    #[must_use]
    pub fn about_entities(&self) -> Option<&PerEntity> {
        self.per_entity.as_ref()
    }

    /// The source of the rows, if they are computed from those of each entity.
    #[must_use]
    pub fn entity_rows(&self) -> Option<&EntityRows> {
        self.entity_rows.as_deref()
    }

    /// The same query with rows ranked as SQL engines rank them: a different query, with its own stored answers.
    #[must_use]
    pub fn portable(mut self) -> Self {
        self.ranking = Ranking::Portable;
        self.canonical = canonical::bytes(&self);
        self
    }

    /// Whether rows are ranked as SQL engines rank them.
    #[must_use]
    pub fn is_portable(&self) -> bool {
        self.ranking == Ranking::Portable
    }

    /// The function that ranks rows.
    #[must_use]
    pub fn ranking(&self) -> Ranking {
        self.ranking
    }

    /// The GROUP BY columns and expressions.
    #[must_use]
    pub fn groups(&self) -> &[Group] {
        &self.groups
    }

    /// Whether rows with a value outside the keys of this group may be left out. False where every case has a constant
    /// or a truth value, ELSE included, and where WHERE excludes such rows.
    #[must_use]
    pub fn may_leave_out(&self, group: &Group) -> bool {
        if group.hidden > 0 {
            return true;
        }
        if [Key::Null, Key::Other].iter().all(|key| group.keys.contains(key)) {
            return false;
        }
        let is_counted = |column| self.entity_rows.as_ref().is_some_and(|rows| rows.is_count(column));
        let Rows { tables, program, filters, .. } = &self.rows;
        leaves_out(program, group.value, &group.keys, tables, &is_counted)
            && Conditions { program, tables, filters, groups: self.groups.len() }
                .reachable(group.value, &group.keys)
                .outside
    }

    /// The groupings of the query, each the positions of its groups: one, unless GROUPING SETS, ROLLUP or CUBE list
    /// several. The product of a level's keys gives its cells, the last varying fastest. Groups that follow from others
    /// of their level, as a county from a municipality, are removed.
    #[must_use]
    pub fn levels(&self) -> &[Vec<usize>] {
        &self.levels
    }

    /// Number of cells of a level, at least 1.
    #[must_use]
    pub fn cells(&self, level: usize) -> usize {
        self.levels[level].iter().map(|group| self.groups[*group].keys.len()).product()
    }

    /// The groups that follow from other groups.
    pub fn nesting(&self) -> &Nesting {
        &self.nesting
    }

    /// The groups that follow from no other group; rows are looked up by these.
    pub fn looked_up(&self) -> impl Iterator<Item = &Group> {
        self.groups.iter().enumerate().filter(|(at, _)| !self.nesting.is_determined(*at)).map(|(_, group)| group)
    }

    /// Whether one entity's rows are capped once for all levels, in the combinations of the keys of all groups, instead
    /// of at each level separately (S-LEV).
    #[must_use]
    pub fn is_capped_together(&self) -> bool {
        self.together
    }

    /// Number of combinations of the keys of all groups, at least 1.
    pub fn combinations(&self) -> usize {
        self.looked_up().map(|group| group.keys.len()).product()
    }

    /// The part of the cells of all declared keys that the conditions of WHERE leave (S-ONE).
    #[must_use]
    pub fn reachable_part(&self) -> Rational {
        let part = |group: &Group| whole(group.keys.len() - group.hidden) / whole(group.declared.max(1));
        self.looked_up().map(part).fold(whole(1), |all, part| all * part)
    }

    /// The exact vectors that get noise and are charged, in the canonical order.
    #[must_use]
    pub fn measures(&self) -> &[Measure] {
        &self.measures
    }

    /// The aggregates of the query at a level, each over one or more measures.
    #[must_use]
    pub fn answers(&self, level: usize) -> &[Estimator] {
        &self.answers[level]
    }

    /// Steps spent on comparing the measures' conditions.
    pub fn planning(&self) -> u64 {
        self.planning
    }

    /// The post-processing of the noisy answers.
    #[must_use]
    pub fn output(&self) -> &Output {
        &self.output
    }

    /// The caps on each entity's rows.
    #[must_use]
    pub fn caps(&self) -> Caps {
        self.caps
    }

    /// The names of the tables that are read, protected and public.
    pub fn tables(&self) -> impl Iterator<Item = &str> {
        let made = self.of_rows().entity_rows.as_ref();
        let inner = made.into_iter().flat_map(|rows| rows.of.own_tables());
        inner.chain(self.own_tables().skip(usize::from(made.is_some())))
    }

    fn own_tables(&self) -> impl Iterator<Item = &str> {
        self.rows.joins.tables().map(|at| self.rows.tables[at].name.as_str())
    }

    /// The names of the columns of a table on which the answer depends: those in conditions, values, groups and joins.
    #[must_use]
    pub fn columns(&self, table: &str) -> BTreeSet<&str> {
        let tables = &self.rows.tables;
        let inputs = self.rows.program.inputs(&self.roots());
        let keys = self.rows.joins.others.iter().filter_map(|join| {
            let joined = &tables[join.table];
            Some((joined.name.as_str(), joined.join_key()?))
        });
        let read = inputs.into_iter().filter_map(|input| {
            let (at, column) = declared(tables, input)?;
            Some((tables[at].name.as_str(), column.name.as_str()))
        });
        let inner = self.of_rows().entity_rows.iter().flat_map(|rows| rows.of.columns(table));
        read.chain(keys).filter(|(name, _)| *name == table).map(|(_, column)| column).chain(inner).collect()
    }

    /// Every value on which the answer depends: conditions, arguments, groups and join keys.
    pub fn roots(&self) -> Vec<Id> {
        if let Some(about) = &self.per_entity {
            return about.of.roots();
        }
        let Rows { joins, filters, arguments, tables: _, program: _ } = &self.rows;
        let joined = joins.others.iter().map(|join| join.on);
        let arguments = arguments.iter().map(|argument| argument.value);
        joined
            .chain(filters.iter().copied())
            .chain(arguments)
            .chain(self.groups.iter().map(|group| group.value))
            .collect()
    }

    /// The columns that it reads, each with its table.
    #[must_use]
    pub fn columns_read(&self) -> BTreeSet<(&str, &str)> {
        if let Some(made) = &self.of_rows().entity_rows {
            return made.of.columns_read();
        }
        let tables = &self.rows.tables;
        let read = self.rows.program.inputs(&self.roots()).into_iter().filter_map(|at| declared(tables, at));
        read.filter_map(|(table, column)| Some((tables.get(table)?.name.as_str(), column.name.as_str()))).collect()
    }

    /// Warnings about constants that conditions and values compare with a column and that are not declared keys of it:
    /// probably typos. They depend on nothing private.
    #[must_use]
    pub fn undeclared(&self) -> Vec<String> {
        let inner = self.of_rows().entity_rows.iter().flat_map(|rows| rows.of.undeclared());
        let rows = undeclared(&self.rows.program, &self.roots(), &self.rows.tables);
        inner.chain(rows).chain(undeclared_results(&self.output, &self.groups)).collect()
    }

    /// Warnings about bounds that take the place of missing values of other rows. They depend on nothing private.
    #[must_use]
    pub fn replaced(&self) -> Vec<String> {
        let Some(made) = &self.entity_rows else { return Vec::new() };
        replaced(&self.rows.program, &self.roots(), &self.rows.filters, &|column| made.is_shifted(column))
    }

    /// Whether conditions exclude rows.
    #[must_use]
    pub fn is_filtered(&self) -> bool {
        !self.rows.filters.is_empty() || self.of_rows().entity_rows.as_ref().is_some_and(|rows| rows.of.is_filtered())
    }

    /// Whether ranks are taken among all rows: no condition leaves any out, in WHERE or in a value that is NULL.
    #[must_use]
    pub fn ranks_all_rows(&self) -> bool {
        let is_plain = |argument: &Argument| matches!(self.rows.program.node(argument.value), Node::Column(_));
        let is_whole = |measure: &Measure| match measure.kind {
            MeasureKind::Ranked { argument, .. } | MeasureKind::Tree { argument, .. } => {
                self.rows.arguments.get(argument).is_some_and(is_plain)
            }
            _ => true,
        };
        !self.is_filtered() && self.measures.iter().all(is_whole)
    }

    /// The protected table whose rows are read first.
    #[must_use]
    pub fn main_table(&self) -> &TableSchema {
        let rows = self.of_rows().entity_rows.as_ref().map_or(&self.rows, |made| &made.of.rows);
        &rows.tables[rows.joins.first]
    }

    /// The entity key of the protected tables; `None` when one row is one person.
    pub fn entity(&self) -> Option<&str> {
        self.rows.tables[self.rows.joins.first].entity.as_ref().map(|entity| entity.key.as_str())
    }

    /// The part of the query's share that a measure gets. Measures that no row counts in together get the same part, so
    /// that the sum of all parts can exceed 1 (C-2f).
    #[must_use]
    pub fn part(&self, measure: usize) -> &Rational {
        &self.parts[measure].share
    }

    /// The most that one entity can change a released measure: the L1 change of its vector in units (S-CAP), or twice
    /// the change of its distances, because all may move against the chosen one (M-PF).
    #[must_use]
    pub fn sensitivity(&self, measure: usize, adjacency: Adjacency) -> BigInt {
        // Measures that share a part: the old rows of a replaced entity may leave one and the new rows may enter
        // another.
        if self.parts[measure].class.is_some() && adjacency == Adjacency::ReplaceOne {
            return self.sensitivity(measure, Adjacency::AddRemove) * 2;
        }
        let Measure { kind, level, .. } = &self.measures[measure];
        let (caps, cells) = (self.caps, self.cells(*level));
        let combinations = self.combinations();
        let is_entities = matches!(kind, MeasureKind::Entities { .. });
        if self.together && cells < combinations && !is_entities {
            // All rows kept in several combinations may fall into one cell of this level (S-LEV).
            let kept = BigInt::from(caps.groups).min(BigInt::from(combinations));
            return self.of_kind(kind, measure, adjacency, Caps { groups: 1, ..caps }, cells) * kept;
        }
        self.of_kind(kind, measure, adjacency, caps, cells)
    }

    /// The sensitivity under these caps with this number of cells.
    fn of_kind(&self, kind: &MeasureKind, measure: usize, adjacency: Adjacency, caps: Caps, cells: usize) -> BigInt {
        match kind {
            MeasureKind::Rows | MeasureKind::NotNull { .. } => additive(adjacency, caps, RowRange::COUNT, cells),
            MeasureKind::Entities { .. } => {
                additive(adjacency, Caps { rows_per_group: 1, ..caps }, RowRange::COUNT, cells)
            }
            MeasureKind::Sum { range, .. } | MeasureKind::Product { range, .. } => {
                additive(adjacency, caps, *range, cells)
            }
            MeasureKind::Ranked { target, .. } => ranked(adjacency, caps, &target.rank_from_end(1), cells) * 2,
            MeasureKind::Tree { .. } => {
                // One row is counted once on each level of the tree. An exchanged row may leave one interval and enter
                // another of the same cell, so few cells do not help.
                let height = self.tree_height(measure);
                let groups = u32::try_from(cells).unwrap_or(u32::MAX).min(caps.groups);
                additive(adjacency, Caps { groups, ..caps }, RowRange::COUNT, usize::MAX) * height
            }
        }
    }

    /// Whether any measure is a rank, for which values are collected.
    pub fn has_ranks(&self) -> bool {
        let is_rank = |kind: &MeasureKind| matches!(kind, MeasureKind::Ranked { .. } | MeasureKind::Tree { .. });
        self.measures.iter().any(|measure| is_rank(&measure.kind))
    }

    /// The least and greatest grid value of a measure's argument, in units; 0 if there is no grid.
    pub fn grid_ends(&self, measure: usize) -> (i64, i64) {
        let argument = match &self.measures[measure].kind {
            // The unit of a product is not the unit of a column.
            MeasureKind::Rows | MeasureKind::Entities { .. } | MeasureKind::Product { .. } => return (0, 0),
            MeasureKind::Sum { of, .. } => of.argument,
            MeasureKind::NotNull { argument }
            | MeasureKind::Ranked { argument, .. }
            | MeasureKind::Tree { argument, .. } => *argument,
        };
        self.rows.arguments[argument].grid.as_ref().map_or((0, 0), |grid| (grid.low, grid.high))
    }

    /// The least and greatest value of a measure's argument.
    #[must_use]
    pub fn bounds(&self, measure: usize) -> (Rational, Rational) {
        let (low, high) = self.grid_ends(measure);
        (self.value_of(measure, low.into()), self.value_of(measure, high.into()))
    }

    /// Number of integers that a measure has in each cell.
    #[must_use]
    pub fn width(&self, measure: usize) -> usize {
        match &self.measures()[measure].kind {
            // Value, lower end and upper end of each quantile.
            MeasureKind::Tree { shares, .. } => 3 * shares.len(),
            MeasureKind::Rows
            | MeasureKind::NotNull { .. }
            | MeasureKind::Entities { .. }
            | MeasureKind::Sum { .. }
            | MeasureKind::Product { .. }
            | MeasureKind::Ranked { .. } => 1,
        }
    }

    /// Number of grid values of a measure's argument.
    #[must_use]
    pub fn grid_size(&self, measure: usize) -> u64 {
        let argument = match &self.measures()[measure].kind {
            MeasureKind::Rows | MeasureKind::Entities { .. } | MeasureKind::Product { .. } => return 1,
            MeasureKind::Sum { of, .. } => of.argument,
            MeasureKind::NotNull { argument }
            | MeasureKind::Ranked { argument, .. }
            | MeasureKind::Tree { argument, .. } => *argument,
        };
        self.rows.arguments[argument].grid.as_ref().map_or(1, |grid| grid.high.abs_diff(grid.low) + 1)
    }

    /// The number of levels of the tree of counts over a measure's grid.
    pub(crate) fn tree_height(&self, measure: usize) -> u32 {
        Shape::for_size(self.grid_size(measure)).height
    }

    /// The rank to select under this noise. The lowest value itself cannot be distinguished from the grid below it, so
    /// the selected rank is far enough inside the data to fail in at most one of twenty cases.
    #[must_use]
    pub fn rank(&self, measure: usize, target: Target, decay: &Decay) -> Rank {
        let inside = || {
            let size = BigInt::from(self.grid_size(measure));
            flip_margin(&size, decay, &ratio(1, 20)).to_u64().unwrap_or(u64::MAX >> 24).min(u64::MAX >> 24) + 1
        };
        let place = if matches!(target, Target::Share(_)) { 1 } else { inside() };
        target.rank_from_end(place)
    }

    /// The same query over all rows, for trials of engines on made-up rows.
    #[must_use]
    pub fn without_filters(&self) -> Self {
        let mut query = self.clone();
        query.rows.filters.clear();
        query.canonical = canonical::bytes(&query);
        query
    }

    /// The measures that a term depends on at a level.
    #[must_use]
    pub fn measures_of(&self, term: &Term, level: usize) -> BTreeSet<usize> {
        measures(term, level, self)
    }

    /// Whether a term of the output rests on values that are chosen by their rank.
    #[must_use]
    pub fn is_ranked(&self, term: &Term) -> bool {
        let is_rank = |measure: usize| {
            matches!(self.measures[measure].kind, MeasureKind::Ranked { .. } | MeasureKind::Tree { .. })
        };
        self.output.levels.iter().any(|level| self.measures_of(term, *level).into_iter().any(is_rank))
    }

    /// The canonical bytes of everything in the query and the declarations that decides the measured numbers: equal
    /// exactly when these are the same. Names of CTEs and results, the order of conditions and all post-processing have
    /// no effect on them. The way the tables' files are read, the data and the price are not part of them.
    #[must_use]
    pub fn canonical(&self) -> &[u8] {
        &self.canonical
    }
}

/// The arguments of measures that count whether an entity has any value in a cell.
pub fn presence(measures: &[Measure]) -> Vec<usize> {
    let mut arguments: Vec<usize> = Vec::new();
    for measure in measures {
        if let MeasureKind::Entities { present: Some(argument) } = &measure.kind
            && !arguments.contains(argument)
        {
            arguments.push(*argument);
        }
    }
    arguments
}

/// Rejects queries with too many cells.
fn check_cells(groups: &[Group], levels: &[Vec<usize>], nesting: &Nesting) -> Result<(), QueryError> {
    let cells = levels.iter().try_fold(0_usize, |sum, level| {
        let product =
            level.iter().try_fold(1_usize, |product, group| product.checked_mul(groups[*group].keys.len()))?;
        sum.checked_add(product)
    });
    if cells.is_none_or(|cells| cells > MOST_CELLS) {
        let help = format!("group by fewer columns; at most {MOST_CELLS} combinations of keys are answered");
        return Err(QueryError::refused("a query with this many groups", help).about("GROUP"));
    }
    let looked_up = groups.iter().enumerate().filter(|(at, _)| !nesting.is_determined(*at));
    let keys = looked_up.map(|(_, group)| group.keys.len()).try_fold(1_usize, usize::checked_mul);
    if keys.is_none_or(|keys| keys >= MOST_COMBINATIONS) {
        let help = "ask one query for each grouping, or group by fewer different columns";
        return Err(QueryError::refused("GROUPING SETS over this many columns and keys", help).about("GROUP"));
    }
    Ok(())
}
