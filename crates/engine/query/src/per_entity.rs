//! Queries about entities instead of rows: one value of each entity, computed from its own rows under public caps
//! (S-OUT).
//!
//! Every entity counts once, whatever its rows, so the sensitivities are those of one row per entity.
//!
//! | query | value of each entity |
//! |---|---|
//! | [`Query::left_out`] | whether the caps leave any of its rows out |
//! | [`Query::per_entity`] | its rows in its largest group, its groups, its smallest and largest values, on public ladders |

use crate::Nesting;
use crate::QueryError;
use crate::Ranking;
use crate::declared;
use crate::facts::range::Range;
use crate::output::{Output, Term};
use crate::parallel::Part;
use crate::{Argument, Group, Query, Rows, canonical};
use crate::{Estimator, Measure, MeasureKind, QuantileShare, ValueKind};
use deniable_core::exact::{Rational, whole};
use deniable_core::schema::{Bounds, Key};
use deniable_core::sensitivity::Caps;
use deniable_expression::{Id, Node, Type};
use num_traits::ToPrimitive;
use std::collections::BTreeMap;

/// The values that a query computes for each entity.
#[derive(Debug, Clone)]
pub struct PerEntity {
    /// The query whose rows and cells are inspected, under caps large enough that rows beyond them change nothing.
    pub of: Box<Query>,
    /// If present, the query separates entities that exceed these caps from the others.
    pub beyond: Option<Caps>,
    /// Values, each as a position on its ladder.
    pub values: Vec<OnLadder>,
}

/// One value of each entity, as the position of a rung.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OnLadder {
    /// The value.
    pub value: EntityValue,
    /// The public candidates: ascending, at least two, in units of the value.
    pub rungs: Vec<i64>,
}

/// A value of an entity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntityValue {
    /// Number of rows in the group where the entity has most rows.
    RowsInLargestGroup,
    /// Number of groups in which the entity has rows.
    Groups,
    /// The smallest value of the query's argument at this position.
    Smallest(usize),
    /// The largest value of this argument.
    Largest(usize),
}

/// A value of each entity, the public candidates for it, and the wanted quantiles.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ladder {
    /// The value.
    pub value: EntityValue,
    /// The public candidates: ascending, at least two.
    pub rungs: Vec<Rational>,
    /// The wanted quantiles, ascending.
    pub shares: Vec<QuantileShare>,
}

impl OnLadder {
    /// The position of the rung to which a value is rounded: the smallest rung at or above it, or for smallest values
    /// the largest rung at or below it. Beyond the ends of the ladder it is the end.
    pub fn position(&self, value: i64) -> i64 {
        let last = self.rungs.len() - 1;
        let position = match self.value {
            EntityValue::Smallest(_) => self.rungs.partition_point(|rung| *rung <= value).saturating_sub(1),
            EntityValue::RowsInLargestGroup | EntityValue::Groups | EntityValue::Largest(_) => {
                self.rungs.partition_point(|rung| *rung < value).min(last)
            }
        };
        position as i64
    }
}

impl PerEntity {
    /// The query that measures these values of each entity, without output. `None` if the measures do not match them.
    pub(crate) fn asked(self, measures: Vec<Measure>) -> Option<Query> {
        let (mut rows, value) = self.of.own_rows()?;
        let groups = match self.beyond {
            Some(_) => vec![left_out_or_not(value)],
            None => Vec::new(),
        };
        rows.arguments = self.values.iter().map(|ladder| position_on(ladder, value)).collect::<Option<_>>()?;
        let is_there = |measure: &Measure| match &measure.kind {
            MeasureKind::Tree { argument, .. } => *argument < rows.arguments.len(),
            _ => true,
        };
        (measures.iter().all(is_there) && measures.iter().all(|measure| measure.level == 0)).then_some(())?;
        Some(Query::entities_of(self, rows, groups, measures, Vec::new(), Output::default()))
    }
}

/// The group that separates entities with rows beyond the caps.
fn left_out_or_not(value: Id) -> Group {
    let keys = vec![Key::Boolean(false), Key::Boolean(true)];
    let declared = keys.len();
    Group { name: "left_out".to_owned(), keys, declared, value, hidden: 0, labels: BTreeMap::new() }
}

/// The position of an entity's value on a ladder, as an argument.
fn position_on(ladder: &OnLadder, value: Id) -> Option<Argument> {
    let bounds = Bounds::new(whole(0), whole(ladder.rungs.len().checked_sub(1)?), whole(1)).ok()?;
    Some(Argument { value, grid: Some(Range::declared(&bounds).grid().ok()?) })
}

impl Query {
    /// The query whether the caps leave out rows of an entity: two disjoint counts of entities, first those whose rows
    /// all count, then the others.
    ///
    /// An entity is beyond its caps when at any level it has more groups, or in any group more rows, than count, so
    /// reading one more of either is enough.
    ///
    /// # Errors
    /// If rows are not capped.
    pub fn left_out(&self) -> Result<Self, QueryError> {
        let none = || QueryError::refused("`left_out` of a query without an entity key", "remove `left_out`");
        let key = self.entity().ok_or_else(none)?.to_owned();
        let counting = self.counting();
        let Caps { rows_per_group, groups } = counting;
        let caps = Caps { rows_per_group: rows_per_group.saturating_add(1), groups: groups.saturating_add(1) };
        let caps = if self.counts_rows() { caps } else { Caps { rows_per_group: 1, ..caps } };
        let (mut rows, value) = self.own_rows().ok_or_else(none)?;
        rows.arguments = Vec::new();
        let count = Measure { kind: MeasureKind::Rows, unit: whole(1), level: 0, weight: whole(1) };
        let output = Output {
            levels: vec![0],
            names: vec!["something left out".to_owned(), key],
            columns: vec![Term::Key(0), Term::Answer(0)],
            ..Output::default()
        };
        let about = PerEntity { of: Box::new(self.capped(caps)), beyond: Some(counting), values: Vec::new() };
        Ok(Self::entities_of(
            about,
            rows,
            vec![left_out_or_not(value)],
            vec![count],
            vec![Estimator::Count { measure: 0 }],
            output,
        ))
    }

    /// Whether the number of counted rows of each entity matters: any measure is more than a count of entities.
    #[must_use]
    pub fn counts_rows(&self) -> bool {
        self.measures.iter().any(|measure| !matches!(measure.kind, MeasureKind::Entities { .. }))
    }

    /// The caps that may leave out rows. Where entities are counted, one row of each is enough.
    fn counting(&self) -> Caps {
        if self.counts_rows() { self.caps } else { Caps { rows_per_group: u32::MAX, ..self.caps } }
    }

    /// Quantiles of values of each entity over public ladders. Rows and groups are counted up to the last rung of their
    /// ladders.
    ///
    /// # Errors
    /// If rows are not capped, `ladders` is empty, or a ladder has fewer than two rungs or is not ascending.
    pub fn per_entity(&self, ladders: &[Ladder]) -> Result<Self, QueryError> {
        let none =
            || QueryError::refused("advice on a query without caps and bounds", "name a query that has caps or bounds");
        if self.entity().is_none() || ladders.is_empty() {
            return Err(none());
        }
        let values: Vec<OnLadder> =
            ladders.iter().map(|ladder| self.on_ladder(ladder)).collect::<Option<_>>().ok_or_else(none)?;
        let last = |wanted: EntityValue| {
            let ladder = values.iter().find(|ladder| ladder.value == wanted);
            ladder.and_then(|ladder| u32::try_from(*ladder.rungs.last()?).ok())
        };
        let caps = Caps {
            rows_per_group: last(EntityValue::RowsInLargestGroup).unwrap_or(self.caps.rows_per_group).max(1),
            groups: last(EntityValue::Groups).unwrap_or(self.caps.groups).max(1),
        };
        let (mut rows, value) = self.own_rows().ok_or_else(none)?;
        rows.arguments =
            values.iter().map(|ladder| position_on(ladder, value)).collect::<Option<_>>().ok_or_else(none)?;
        let measure = |(argument, ladder): (usize, &OnLadder)| Measure {
            kind: MeasureKind::Tree { argument, shares: ladders[argument].shares.clone() },
            unit: self.unit_of(ladder.value),
            level: 0,
            weight: whole(1),
        };
        let measures: Vec<Measure> = values.iter().enumerate().map(measure).collect();
        let (mut answers, mut names) = (Vec::new(), Vec::new());
        for (measure, Ladder { value, shares, .. }) in ladders.iter().enumerate() {
            for (position, share) in shares.iter().enumerate() {
                answers.push(Estimator::Quantile { measure, position, value: ValueKind::Number });
                let percent = whole(100) * whole(share.part) / whole(share.whole);
                names.push(format!("{percent}% of {}", self.value_in_words(*value)));
            }
        }
        let columns = (0..answers.len()).map(Term::Answer).collect();
        let output = Output { levels: vec![0], names, columns, ..Output::default() };
        let about = PerEntity { of: Box::new(self.capped(caps)), beyond: None, values };
        Ok(Self::entities_of(about, rows, Vec::new(), measures, answers, output))
    }

    /// The query that reads and bounds the same rows and measures nothing.
    pub fn without_measures(&self) -> Self {
        Self { measures: Vec::new(), answers: Vec::new(), ..self.clone() }
    }

    /// The query that counts the rows of every level, under the same caps and bounds.
    #[must_use]
    pub fn counting_rows(&self) -> Self {
        let count = |level| Measure { kind: MeasureKind::Rows, unit: whole(1), level, weight: whole(1) };
        let measures: Vec<Measure> = (0..self.levels.len()).map(count).collect();
        let answers = (0..measures.len()).map(|measure| vec![Estimator::Count { measure }]).collect();
        Self { measures, answers, ..self.clone() }
    }

    /// The most rows of one entity that are read from each table, in a join of protected tables and where an entity's
    /// rows are ordered or stay beside values of them; `None` for other queries.
    #[must_use]
    pub fn rows_in_joins(&self) -> Option<u32> {
        if let Some(most) = self.of_rows().entity_rows.as_ref().and_then(|made| made.most_rows()) {
            return Some(most);
        }
        let Rows { tables, joins, .. } = &self.of_rows().rows;
        let is_joined = joins.others.iter().any(|join| tables[join.table].is_protected());
        tables[joins.first].entity.as_ref().filter(|_| is_joined).map(|entity| entity.rows_in_joins)
    }

    /// The columns that are summed, averaged or ranked as they are, with their position among the arguments and the
    /// grid of their declared bounds, as unit, lowest and highest number of units.
    #[must_use]
    pub fn bounded_columns(&self) -> Vec<(usize, String, Rational, (i64, i64))> {
        let column = |(at, argument): (usize, &Argument)| {
            let grid = argument.grid.as_ref().filter(|grid| !grid.of_times)?;
            let Node::Column(input) = self.rows.program.node(argument.value) else { return None };
            let (_, column) = declared(&self.rows.tables, *input as usize)?;
            Some((at, column.name.clone(), grid.unit.clone(), (grid.low, grid.high)))
        };
        self.rows.arguments.iter().enumerate().filter_map(column).collect()
    }

    /// Number of expressions that are summed, counted or ranked.
    pub fn arguments(&self) -> usize {
        self.rows.arguments.len()
    }

    /// The expression at this position, as a curator would write it.
    pub fn expression(&self, argument: usize) -> String {
        self.argument_words(argument)
    }

    /// The query whose rows are read and capped: this one, or the one whose entities it is about.
    #[must_use]
    pub fn of_rows(&self) -> &Self {
        self.per_entity.as_ref().map_or(self, |about| &about.of)
    }

    /// Whether the query is about entities, each of which counts once, instead of rows.
    #[must_use]
    pub fn is_per_entity(&self) -> bool {
        self.per_entity.is_some()
    }

    /// The name of an entity's value.
    #[must_use]
    pub fn value_in_words(&self, value: EntityValue) -> String {
        match value {
            EntityValue::RowsInLargestGroup => "rows in the largest group".to_owned(),
            EntityValue::Groups => "groups".to_owned(),
            EntityValue::Smallest(argument) => format!("smallest {}", self.argument_words(argument)),
            EntityValue::Largest(argument) => format!("largest {}", self.argument_words(argument)),
        }
    }

    /// The value that a released integer of a measure represents.
    pub fn value_of(&self, measure: usize, units: i128) -> Rational {
        let ladder = self.per_entity.as_ref().and_then(|about| match self.measures[measure].kind {
            MeasureKind::Tree { argument, .. } => about.values.get(argument),
            _ => None,
        });
        match ladder {
            Some(ladder) => {
                let last = ladder.rungs.len() - 1;
                let rung = usize::try_from(units.max(0)).unwrap_or(last).min(last);
                whole(ladder.rungs[rung]) * &self.measures[measure].unit
            }
            None => whole(units) * self.argument_unit(measure),
        }
    }

    fn on_ladder(&self, Ladder { value, rungs, shares: _ }: &Ladder) -> Option<OnLadder> {
        let value = *value;
        let unit = self.unit_of(value);
        let rungs: Vec<i64> = rungs.iter().map(|rung| (rung / &unit).to_integer().to_i64()).collect::<Option<_>>()?;
        let ascending = rungs.windows(2).all(|pair| pair[0] < pair[1]);
        (rungs.len() >= 2 && ascending).then_some(OnLadder { value, rungs })
    }

    fn unit_of(&self, value: EntityValue) -> Rational {
        match value {
            EntityValue::RowsInLargestGroup | EntityValue::Groups => whole(1),
            EntityValue::Smallest(argument) | EntityValue::Largest(argument) => {
                let grid = self.rows.arguments.get(argument).and_then(|argument| argument.grid.as_ref());
                grid.map_or_else(|| whole(1), |grid| grid.unit.clone())
            }
        }
    }

    /// The same query under other caps.
    fn capped(&self, caps: Caps) -> Self {
        let mut query = Self { caps, ..self.clone() };
        query.canonical = canonical::bytes(&query);
        query
    }

    /// The rows of the query, and any value of them: a query about entities needs an argument, but does not evaluate it
    /// on rows.
    fn own_rows(&self) -> Option<(Rows, Id)> {
        let mut rows = self.rows.clone();
        let value = match self.roots().first() {
            Some(value) => *value,
            None => rows.program.null(Type::Boolean).ok()?,
        };
        Some((rows, value))
    }

    fn entities_of(
        about: PerEntity,
        rows: Rows,
        groups: Vec<Group>,
        measures: Vec<Measure>,
        answers: Vec<Estimator>,
        output: Output,
    ) -> Self {
        let levels = vec![(0..groups.len()).collect()];
        let (answers, per_entity) = (vec![answers], Some(about));
        let (caps, canonical) = (Caps::ONE_ROW, Vec::new());
        let entity_rows = None;
        let total: Rational = measures.iter().map(|measure| measure.weight.clone()).sum();
        let part = |measure: &Measure| Part { share: &measure.weight / &total, class: None };
        let parts = measures.iter().map(part).collect();
        let mut query = Self {
            rows,
            groups,
            levels,
            nesting: Nesting::default(),
            together: false,
            measures,
            parts,
            answers,
            output,
            caps,
            per_entity,
            entity_rows,
            // The query about rows has its own ranking.
            ranking: Ranking::default(),
            canonical,
            planning: 0,
        };
        query.canonical = canonical::bytes(&query);
        query
    }
}
