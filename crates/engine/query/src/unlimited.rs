//! The query without its caps and bounds, for the curator only (`answers::true_errors`). Its answers are never
//! released.

use crate::output::Step;
use crate::{Estimator, MeasureKind, Nesting, Query};
use deniable_core::exact::whole;
use deniable_expression::Operation;

/// Units beyond which values are clamped even here, so that sums fit in 128 bits.
const WIDEST: i64 = 1 << 52;
/// The same limit for factors of products.
const WIDEST_FACTOR: i64 = 1 << 44;

/// Measures that are computed together when no row is left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MeasureGroup {
    /// Numbers of rows, and sums of values.
    Sums,
    /// Values by rank; bounds do not change their order.
    Ranks,
    /// Numbers of entities.
    Entities,
}

impl MeasureGroup {
    /// All groups of measures.
    pub const ALL: [Self; 3] = [Self::Sums, Self::Ranks, Self::Entities];

    /// Whether a measure belongs to the group.
    #[must_use]
    pub fn includes(self, kind: &MeasureKind) -> bool {
        let part = match kind {
            MeasureKind::Rows | MeasureKind::NotNull { .. } | MeasureKind::Sum { .. } | MeasureKind::Product { .. } => {
                Self::Sums
            }
            MeasureKind::Ranked { .. } | MeasureKind::Tree { .. } => Self::Ranks,
            MeasureKind::Entities { .. } => Self::Entities,
        };
        self == part
    }
}

impl Query {
    /// The query in which this part of the measures counts every row and every group of an entity, with unclamped
    /// values; the other measures count rows. `None` where protected tables are joined: there caps decide which rows
    /// meet.
    pub fn unlimited(&self, part: MeasureGroup) -> Option<Self> {
        if self.rows_in_joins().is_some() {
            return None;
        }
        let mut query = self.clone();
        for measure in query.measures.iter_mut().filter(|measure| !part.includes(&measure.kind)) {
            measure.kind = MeasureKind::Rows;
        }
        match part {
            MeasureGroup::Entities => {
                let cells = (0..self.levels.len()).map(|level| self.cells(level)).chain([self.combinations()]).max();
                query.caps.groups = u32::try_from(cells?).unwrap_or(u32::MAX);
            }
            MeasureGroup::Sums | MeasureGroup::Ranks if self.is_of_entity_rows() => {}
            MeasureGroup::Sums | MeasureGroup::Ranks => query.every_row_counts()?,
        }
        if part == MeasureGroup::Sums {
            query.widen();
            if let Some(made) = &mut query.entity_rows {
                made.of.widen();
            }
        }
        Some(query)
    }

    /// The unlimited query whose sums are of absolute values; `None` where no summed value may be negative by its bounds,
    /// and where protected tables are joined.
    pub fn absolute(&self) -> Option<Self> {
        let is_signed = |at: &usize| self.rows.arguments[*at].grid.as_ref().is_some_and(|grid| grid.low < 0);
        let signed: Vec<usize> = (0..self.rows.arguments.len()).filter(is_signed).collect();
        if signed.is_empty() {
            return None;
        }
        let mut query = self.unlimited(MeasureGroup::Sums)?;
        for at in signed {
            let value = query.rows.arguments[at].value;
            // Dates have no absolute value.
            if let Ok(value) = query.rows.program.call(Operation::Absolute, &[value]) {
                query.rows.arguments[at].value = value;
            }
        }
        Some(query)
    }

    /// The query over all rows together, those in no group included, with the same measures in the same order and without
    /// output.
    pub fn ungrouped(&self) -> Self {
        let mut query = Self { groups: Vec::new(), levels: vec![Vec::new()], together: false, ..self.clone() };
        query.nesting = Nesting::default();
        query.measures.iter_mut().for_each(|measure| measure.level = 0);
        query.answers = vec![Vec::new()];
        query
    }

    /// Its output for all cells, in the order of their keys, and without clamped averages.
    pub fn without_steps(&self, is_bounded: bool) -> Self {
        let mut query = self.clone();
        query.output.steps.retain(|step| !matches!(step, Step::Filter(_) | Step::Sort(_) | Step::Limit { .. }));
        if !is_bounded {
            for answer in query.answers.iter_mut().flatten() {
                if let Estimator::Average(moments)
                | Estimator::Weighted(moments)
                | Estimator::Variance { moments, .. } = answer
                {
                    (moments.low, moments.high) = (whole(-WIDEST) * whole(WIDEST), whole(WIDEST) * whole(WIDEST));
                }
            }
        }
        query
    }

    /// Removes the entity from the rows, so that no cap chooses among them; rows without an entity key still do not
    /// count.
    fn every_row_counts(&mut self) -> Option<()> {
        let first = self.rows.joins.first;
        let Some(entity) = self.rows.tables[first].entity.take() else { return Some(()) };
        let before: usize = self.rows.tables[..first].iter().map(|table| table.columns.len()).sum();
        let key = self.rows.tables[first].columns.iter().position(|column| column.name == entity.key)?;
        let program = &mut self.rows.program;
        let key = program.column(before + key).ok()?;
        let is_missing = program.call(Operation::IsNull, &[key]).ok()?;
        let is_known = program.call(Operation::Not, &[is_missing]).ok()?;
        self.rows.filters.push(is_known);
        Some(())
    }

    fn widen(&mut self) {
        let factors: Vec<usize> = self
            .measures
            .iter()
            .filter_map(|measure| match &measure.kind {
                MeasureKind::Product { of: [one, other], .. } => Some([one.argument, other.argument]),
                _ => None,
            })
            .flatten()
            .collect();
        for (at, argument) in self.rows.arguments.iter_mut().enumerate() {
            let widest = if factors.contains(&at) { WIDEST_FACTOR } else { WIDEST };
            if let Some(grid) = &mut argument.grid {
                (grid.low, grid.high) = (grid.low.min(-widest), grid.high.max(widest));
            }
        }
    }
}
