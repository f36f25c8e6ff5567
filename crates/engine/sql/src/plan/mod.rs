//! From SQL to what each row contributes, what is measured, and what is shown.
//!
//! The second gate, and the one that guarantees rest on. After name resolution and type analysis a question
//! is taken apart into
//!
//! ```text
//! rows       joins on keys, WHERE, row-wise expressions over columns       crate::rows makes them total
//!   groups     declared or derived keys                                    always all of them, never others
//!     measures   whole-number vectors of known sensitivity                 what is noised and paid for
//!       output     arithmetic, ORDER BY, LIMIT on noisy values             free: post-processing (C-3)
//! ```
//!
//! Nothing here reads data. Plan nodes are matched one by one, without wildcard arms.

mod aggregate;
mod catalog;
mod complaint;
mod contained;
mod counting;
pub(crate) mod entity_rows;
mod extreme_row;
mod functions;
mod grouping;
mod identity;
mod inline;
pub(crate) mod join;
mod measure;
pub(crate) mod nesting;
mod parallel;
pub(crate) mod per_entity;
mod place;
mod public;
mod published;
mod quantiles;
mod ranked;
mod regression;
mod released;
mod results;
mod unlimited;
mod weighted;
mod windows;
mod words;

pub use contained::Contents;
pub use counting::RowCount;
pub(crate) use functions::CALENDAR;
pub use measure::{Centred, Estimator, Measure, MeasureKind, Moments, QuantileShare, Target, ValueKind};
pub use per_entity::{EntityValue, Ladder};
pub use public::PublicRows;
pub use regression::{Product, Regression, Statistic};
pub(crate) use unlimited::MeasureGroup;
pub(crate) use windows::WINDOWS;

use crate::bound::Ranking;
use crate::error::QueryError;
use crate::facts::left_out::leaves_out;
use crate::facts::range::Grid;
use crate::facts::undeclared::{undeclared, undeclared_results};
use crate::lower::declared;
use crate::output::Output;
use crate::syntax;
use complaint::meaning;
use datafusion_expr::LogicalPlan;
use deniable_core::adversary::Adjacency;
use deniable_core::exact::Rational;
use deniable_core::noise::Rank;
use deniable_core::noise::tree::Shape;
use deniable_core::schema::{Key, TableSchema};
use deniable_core::sensitivity::{Caps, RowRange, additive, ranked};
use deniable_expression::{Id, Program};
use entity_rows::EntityRows;
use join::Joins;
use nesting::Nesting;
use num_bigint::BigInt;
use parallel::Part;
use per_entity::PerEntity;
use std::collections::{BTreeMap, BTreeSet};

/// Bytes of the stack on which a question is read: enough for the deepest nesting that is allowed, without optimisation.
const STACK: usize = 64 << 20;
/// Most cells that one question may have.
pub const MOST_CELLS: usize = 1_000_000;
/// Most combinations of the keys of all groups, over all levels: numbers of 32 bits, but one.
pub const MOST_COMBINATIONS: usize = u32::MAX as usize;
/// Most conditions under which one question counts entities: a word of bits, but one.
pub const MOST_ENTITY_FILTERS: usize = 63;

/// A column or expression that is grouped by, with its keys in their natural order.
#[derive(Debug, Clone, PartialEq)]
pub struct Group {
    /// What is grouped by, in words.
    pub name: String,
    /// Its keys, as rows hold them.
    pub keys: Vec<Key>,
    pub(crate) value: Id,
    /// The number of keys at the end that count but are never shown: rows that the groups leave out, but a total beside
    /// them includes.
    pub(crate) hidden: usize,
    /// Shown texts by key; only where the group is a column itself.
    pub(crate) labels: BTreeMap<Key, String>,
}

impl Group {
    /// The text shown instead of a key; `None` where the key itself is shown.
    #[must_use]
    pub fn label(&self, key: &Key) -> Option<&str> {
        self.labels.get(key).map(String::as_str)
    }

    /// Whether values outside the keys are a shown group.
    #[must_use]
    pub fn takes_others(&self) -> bool {
        self.hidden == 0 && self.keys.contains(&Key::Other)
    }

    /// Whether rows of no shown group count in a total beside the groups.
    #[must_use]
    pub fn counts_left_out(&self) -> bool {
        self.hidden > 0
    }

    /// The keys as they are shown: times that are all midnights are days.
    #[must_use]
    pub fn shown(&self, key: &Key) -> Key {
        const DAY: i64 = 86_400_000_000;
        let midnight = |key: &Key| match key {
            Key::Timestamp(micros) => micros.rem_euclid(DAY) == 0,
            _ => true,
        };
        match key {
            Key::Timestamp(micros) if self.keys.iter().all(midnight) => {
                i32::try_from(micros.div_euclid(DAY)).map_or_else(|_| key.clone(), Key::Date)
            }
            other => other.clone(),
        }
    }
}

/// What is taken from each row before anything is added up.
#[derive(Debug, Clone)]
pub(crate) struct Rows {
    /// The tables of the policy.
    pub(crate) tables: Vec<TableSchema>,
    /// Expressions over their columns, in their order.
    pub(crate) program: Program,
    /// Which of them are read, and how they meet.
    pub(crate) joins: Joins,
    /// Conditions that must all be true.
    pub(crate) filters: Vec<Id>,
    /// Expressions that measures refer to by position.
    pub(crate) arguments: Vec<Argument>,
}

/// An expression of a row, and the grid it is summed on where it is.
#[derive(Debug, Clone)]
pub(crate) struct Argument {
    pub(crate) value: Id,
    pub(crate) grid: Option<Grid>,
}

/// A question, understood.
#[derive(Debug, Clone)]
pub struct Query {
    pub(crate) rows: Rows,
    groups: Vec<Group>,
    levels: Vec<Vec<usize>>,
    nesting: Nesting,
    /// Whether caps are applied once for all levels, of which there are several.
    together: bool,
    measures: Vec<Measure>,
    parts: Vec<Part>,
    answers: Vec<Vec<Estimator>>,
    output: Output,
    caps: Caps,
    pub(crate) per_entity: Option<PerEntity>,
    /// Where its rows come from, if they are one of each entity.
    pub(crate) entity_rows: Option<Box<EntityRows>>,
    /// By which function rows are ranked where caps choose among them.
    ranking: Ranking,
    identity: Vec<u8>,
    /// Steps of the comparison of the measures' conditions.
    planning: u64,
}

impl Query {
    /// Understands a question about tables, the main one first, or refuses it. Reads no data.
    ///
    /// # Errors
    /// When the SQL is not SQL, names what is not there, or uses anything that is not on the allow-list.
    pub fn new(sql: &str, tables: &[TableSchema]) -> Result<Self, QueryError> {
        let unread = |table: &TableSchema| Err(format!("the rows of `{}` are not at hand", table.name));
        Self::with_public(sql, tables, &unread)
    }

    /// The same where results may be joined with public tables, whose rows are read when a query does so.
    ///
    /// # Errors
    /// As [`Query::new`], and when such a table cannot be read: it is public, so that the message is told.
    pub fn with_public(sql: &str, tables: &[TableSchema], public: PublicRows<'_>) -> Result<Self, QueryError> {
        let understood = || Self::understood(sql, tables, public);
        // The parser and the planner walk over a question recursively: on a stack of their own, however small that of
        // the thread that asks.
        let on_own_stack = std::thread::scope(|scope| {
            let thread = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, understood);
            thread.ok().and_then(|thread| thread.join().ok())
        });
        let failed = || Err(QueryError::meaning("the query could not be understood"));
        on_own_stack.unwrap_or_else(failed).map_err(|error| error.found_by(|word| syntax::places_of(sql, word)))
    }

    fn understood(sql: &str, tables: &[TableSchema], public: PublicRows<'_>) -> Result<Self, QueryError> {
        let syntax::Parsed { statement, names } = syntax::parse(sql)?;
        let plan = catalog::analysed(statement, tables)?;
        let mut query = published::take_apart(&plan, tables, public)?;
        query.check_effort()?;
        if let Some(names) = names.filter(|names| names.len() == query.output.names.len()) {
            query.output.names = names;
        }
        Ok(query)
    }

    /// The same question, with rows ranked as engines of SQL rank them: another one, whose stored answers are its own.
    #[must_use]
    pub fn portable(mut self) -> Self {
        self.ranking = Ranking::Portable;
        self.identity = identity::bytes(&self);
        self
    }

    /// Whether rows are ranked as engines of SQL rank them.
    #[must_use]
    pub fn is_portable(&self) -> bool {
        self.ranking == Ranking::Portable
    }

    pub(crate) fn ranking(&self) -> Ranking {
        self.ranking
    }

    /// What is grouped by.
    #[must_use]
    pub fn groups(&self) -> &[Group] {
        &self.groups
    }

    /// Whether a row can have a value of this group that is none of its keys, and be left out. Not where every case is given a
    /// constant or a truth value, ELSE included.
    #[must_use]
    pub fn may_leave_out(&self, group: &Group) -> bool {
        if group.hidden > 0 {
            return true;
        }
        if [Key::Null, Key::Other].iter().all(|key| group.keys.contains(key)) {
            return false;
        }
        let is_counted = |column| self.entity_rows.as_ref().is_some_and(|rows| rows.is_count(column));
        leaves_out(&self.rows.program, group.value, &group.keys, &self.rows.tables, &is_counted)
    }

    /// The groupings that are answered, each the positions of its groups: one, unless GROUPING SETS, ROLLUP or CUBE
    /// ask for several. The product of a level's keys makes its cells, the last varying fastest. Groups that follow from others of
    /// their level, as a county does from a municipality, are not among them.
    #[must_use]
    pub fn levels(&self) -> &[Vec<usize>] {
        &self.levels
    }

    /// How many cells a level has, at least 1.
    #[must_use]
    pub fn cells(&self, level: usize) -> usize {
        self.levels[level].iter().map(|group| self.groups[*group].keys.len()).product()
    }

    /// Which groups follow from others.
    pub(crate) fn nesting(&self) -> &Nesting {
        &self.nesting
    }

    /// The groups that rows are looked up by: those that follow from no other.
    pub(crate) fn looked_up(&self) -> impl Iterator<Item = &Group> {
        self.groups.iter().enumerate().filter(|(at, _)| !self.nesting.is_determined(*at)).map(|(_, group)| group)
    }

    /// Whether one entity's rows are capped once for all levels, in the combinations of the keys of all groups, and not at each level
    /// by itself (S-LEV).
    #[must_use]
    pub fn is_capped_together(&self) -> bool {
        self.together
    }

    /// How many combinations of the keys of all groups there are, at least 1.
    pub(crate) fn combinations(&self) -> usize {
        self.looked_up().map(|group| group.keys.len()).product()
    }

    /// What is noised and paid for, in the canonical order.
    #[must_use]
    pub fn measures(&self) -> &[Measure] {
        &self.measures
    }

    /// The aggregates of the question at a level, each over one or more measures.
    #[must_use]
    pub fn answers(&self, level: usize) -> &[Estimator] {
        &self.answers[level]
    }

    /// Steps of the comparison of the measures' conditions.
    pub(crate) fn planning(&self) -> u64 {
        self.planning
    }

    /// What is done with the noisy answers.
    #[must_use]
    pub fn output(&self) -> &Output {
        &self.output
    }

    /// The caps under which it is answered.
    #[must_use]
    pub fn caps(&self) -> Caps {
        self.caps
    }

    /// The names of the tables that are read, protected ones and public ones.
    pub fn tables(&self) -> impl Iterator<Item = &str> {
        let inner = self.entity_rows.iter().flat_map(|rows| rows.of.own_tables());
        let own = self.own_tables().skip(usize::from(self.entity_rows.is_some()));
        inner.chain(own)
    }

    fn own_tables(&self) -> impl Iterator<Item = &str> {
        self.rows.joins.tables().map(|at| self.rows.tables[at].name.as_str())
    }

    /// The names of the columns of a table whose values decide about the answer: those in conditions, values, groups
    /// and joins.
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
        let inner = self.entity_rows.iter().flat_map(|rows| rows.of.columns(table));
        read.chain(keys).filter(|(name, _)| *name == table).map(|(_, column)| column).chain(inner).collect()
    }

    /// Every value that decides about the answer: conditions, arguments, groups, and what is joined on.
    pub(crate) fn roots(&self) -> Vec<Id> {
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

    /// What conditions and values compare with a column though it is none of its declared keys, in words: a slip of the
    /// fingers, more often than not. Depends on nothing private.
    #[must_use]
    pub fn undeclared(&self) -> Vec<String> {
        let inner = self.entity_rows.iter().flat_map(|rows| rows.of.undeclared());
        let rows = undeclared(&self.rows.program, &self.roots(), &self.rows.tables);
        inner.chain(rows).chain(undeclared_results(&self.output, &self.groups)).collect()
    }

    /// Whether conditions leave out rows.
    #[must_use]
    pub fn is_filtered(&self) -> bool {
        !self.rows.filters.is_empty() || self.entity_rows.as_ref().is_some_and(|rows| rows.of.is_filtered())
    }

    /// The protected table whose rows are read first.
    #[must_use]
    pub fn main_table(&self) -> &TableSchema {
        let rows = self.entity_rows.as_ref().map_or(&self.rows, |made| &made.of.rows);
        &rows.tables[rows.joins.first]
    }

    /// The tables about entities, each with its entity key; none when one row is one person.
    pub(crate) fn entity(&self) -> Option<&str> {
        self.rows.tables[self.rows.joins.first].entity.as_ref().map(|entity| entity.key.as_str())
    }

    /// The part of the question's share that a measure gets. Those of measures that no row counts in together are one and the same, so that all
    /// of them can come to more than 1 (C-2f).
    #[must_use]
    pub fn part(&self, measure: usize) -> &Rational {
        &self.parts[measure].share
    }

    /// How far one entity can move what a measure releases: the L1 change of its vector in units (S-CAP), or twice the
    /// change of its distances, because all may move against the chosen one (M-PF).
    #[must_use]
    pub fn sensitivity(&self, measure: usize, adjacency: Adjacency) -> BigInt {
        // Beside a measure of the same part, what one entity leaves and the other enters can be two.
        if self.parts[measure].is_shared && adjacency == Adjacency::ReplaceOne {
            return self.sensitivity(measure, Adjacency::AddRemove) * 2;
        }
        let Measure { kind, level, .. } = &self.measures[measure];
        let (caps, cells) = (self.caps, self.cells(*level));
        let combinations = self.combinations();
        let is_entities = matches!(kind, MeasureKind::Entities { .. });
        if self.together && cells < combinations && !is_entities {
            // Everything that is kept in several combinations may lie in one cell of this level (S-LEV).
            let kept = BigInt::from(caps.groups).min(BigInt::from(combinations));
            return self.of_kind(kind, measure, adjacency, Caps { groups: 1, ..caps }, cells) * kept;
        }
        self.of_kind(kind, measure, adjacency, caps, cells)
    }

    /// The same under these caps in so many cells.
    fn of_kind(&self, kind: &MeasureKind, measure: usize, adjacency: Adjacency, caps: Caps, cells: usize) -> BigInt {
        match kind {
            MeasureKind::Rows | MeasureKind::NotNull { .. } => additive(adjacency, caps, RowRange::COUNT, cells),
            MeasureKind::Entities { .. } => {
                additive(adjacency, Caps { rows_per_group: 1, ..caps }, RowRange::COUNT, cells)
            }
            MeasureKind::Sum { range, .. } | MeasureKind::Product { range, .. } => {
                additive(adjacency, caps, *range, cells)
            }
            MeasureKind::Ranked { target, .. } => {
                let rank = match target {
                    Target::Share(QuantileShare { part, whole }) => Rank::Share { part: *part, whole: *whole },
                    Target::Lowest => Rank::FromBelow(1),
                    Target::Highest => Rank::FromAbove(1),
                };
                ranked(adjacency, caps, &rank, cells) * 2
            }
            MeasureKind::Tree { .. } => {
                // One row is counted once on each level of the tree. An exchanged row may leave one interval and enter
                // another of the same cell, so few cells do not help.
                let height = Shape::for_size(self.grid_size(measure)).height;
                let groups = u32::try_from(cells).unwrap_or(u32::MAX).min(caps.groups);
                additive(adjacency, Caps { groups, ..caps }, RowRange::COUNT, usize::MAX) * height
            }
        }
    }

    /// Whether ranks are asked, for which values are gathered.
    pub(crate) fn has_ranks(&self) -> bool {
        let is_rank = |kind: &MeasureKind| matches!(kind, MeasureKind::Ranked { .. } | MeasureKind::Tree { .. });
        self.measures.iter().any(|measure| is_rank(&measure.kind))
    }

    /// The least and greatest grid value of a measure's argument, in units; 0 where there is no grid.
    pub(crate) fn grid_ends(&self, measure: usize) -> (i64, i64) {
        let argument = match &self.measures[measure].kind {
            // Products are in units of no column.
            MeasureKind::Rows | MeasureKind::Entities { .. } | MeasureKind::Product { .. } => return (0, 0),
            MeasureKind::Sum { of, .. } => of.argument,
            MeasureKind::NotNull { argument }
            | MeasureKind::Ranked { argument, .. }
            | MeasureKind::Tree { argument, .. } => *argument,
        };
        self.rows.arguments[argument].grid.as_ref().map_or((0, 0), |grid| (grid.low, grid.high))
    }

    /// The same in values.
    #[must_use]
    pub fn bounds(&self, measure: usize) -> (Rational, Rational) {
        let (low, high) = self.grid_ends(measure);
        (self.value_of(measure, low.into()), self.value_of(measure, high.into()))
    }

    /// The canonical bytes of everything in the question and the declarations that decides the measured numbers: equal
    /// exactly when these are the same. Names of CTEs and results, the order of conditions and everything that is
    /// post-processing leave no trace. How the tables' files are read, the data and the price are not part of it.
    #[must_use]
    pub fn identity(&self) -> &[u8] {
        &self.identity
    }
}

/// The arguments of which measures count whether an entity has any value in a cell.
pub(crate) fn presence(measures: &[Measure]) -> Vec<usize> {
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

const EARLY: &str = "it would make one person's row decide about another's; order the results instead";

/// Names the plan nodes that no question may hold.
pub(crate) fn refuse_node(plan: &LogicalPlan) -> QueryError {
    let (construct, word, help) = match plan {
        LogicalPlan::Aggregate(_) => {
            ("an aggregate of an aggregate", "GROUP", "aggregate once; arithmetic on the results is free")
        }
        LogicalPlan::Projection(_)
        | LogicalPlan::SubqueryAlias(_)
        | LogicalPlan::TableScan(_)
        | LogicalPlan::Filter(_) => {
            ("a query without an aggregate", "SELECT", "rows are never published; ask for COUNT, SUM or AVG")
        }
        LogicalPlan::Sort(_) => ("ORDER BY or LIMIT before the aggregate", "ORDER", EARLY),
        LogicalPlan::Limit(_) => ("ORDER BY or LIMIT before the aggregate", "LIMIT", EARLY),
        LogicalPlan::Distinct(_) => {
            ("DISTINCT", "DISTINCT", "use GROUP BY over declared keys, or COUNT(DISTINCT <entity key>)")
        }
        LogicalPlan::Join(_) => (
            "this kind of join",
            "JOIN",
            "protected tables are joined with JOIN on the entity key, public ones with JOIN or LEFT JOIN on their key",
        ),
        LogicalPlan::Union(_) => ("UNION", "UNION", "ask each part on its own"),
        LogicalPlan::Window(_) => ("a window function", "OVER", "a person's value may not depend on other rows"),
        LogicalPlan::Unnest(_) => ("UNNEST", "UNNEST", "declare the value as a column"),
        LogicalPlan::Subquery(_) => ("a subquery inside an expression", "SELECT", "subqueries stand only in FROM"),
        LogicalPlan::RecursiveQuery(_) => ("WITH RECURSIVE", "RECURSIVE", "CTEs may filter and project, not recurse"),
        LogicalPlan::EmptyRelation(_) | LogicalPlan::Values(_) => {
            ("SELECT without a table", "SELECT", "read the declared table")
        }
        LogicalPlan::Repartition(_)
        | LogicalPlan::Statement(_)
        | LogicalPlan::Explain(_)
        | LogicalPlan::Analyze(_)
        | LogicalPlan::Extension(_)
        | LogicalPlan::Dml(_)
        | LogicalPlan::Ddl(_)
        | LogicalPlan::Copy(_)
        | LogicalPlan::DescribeTable(_) => ("this statement", "", "only SELECT is answered"),
    };
    QueryError::refused(construct, help).about(word)
}
