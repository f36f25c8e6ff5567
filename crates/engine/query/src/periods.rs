//! A query restricted to the rows of some periods, by the value of a date or timestamp (C-10).

use crate::output::Term;
use crate::{Estimator, MeasureKind, Parts, Query, QueryError};
use deniable_core::schema::ColumnType;
use deniable_expression::{Comparison, Day, Operation, Value};

const PLAIN: &str = "select COUNT(*), COUNT(x) or SUM(x) of the rows of one table, with its groups; the totals are added up beside them";

impl Query {
    /// Checks that the numbers of disjoint periods add up to that of all of them: counts and sums of the rows of one
    /// table, alone or by groups.
    ///
    /// # Errors
    /// The construct that excludes it.
    pub fn check_additive(&self) -> Result<(), QueryError> {
        let refused = |construct: &str, word: &str| {
            Err(QueryError::refused(format!("{construct} in a query with `every`"), PLAIN).about(word))
        };
        if self.entity_rows.is_some() {
            return refused("one row of each entity", "FROM");
        }
        if !self.rows.joins.others.is_empty() {
            return refused("a join", "JOIN");
        }
        if self.levels.len() > 1 || self.output.levels.len() > 1 {
            return refused("several groupings", "GROUP");
        }
        if !self.output.windows.is_empty() {
            return refused("a window or a subquery over results", "OVER");
        }
        if !self.output.steps.is_empty() {
            return refused("HAVING, ORDER BY, LIMIT or DISTINCT", "ORDER");
        }
        for term in &self.output.columns {
            let measure = match term {
                Term::Key(_) => continue,
                Term::Answer(at) => match &self.answers(0)[*at] {
                    Estimator::Count { measure } | Estimator::Sum { measure } => *measure,
                    Estimator::Average(_) | Estimator::Weighted(_) => return refused("an average", "AVG"),
                    Estimator::Variance { .. } | Estimator::Regression(_) => {
                        return refused("a variance or a fit", "SELECT");
                    }
                    Estimator::Quantile { .. } => return refused("a value by rank", "SELECT"),
                },
                _ => return refused("arithmetic on results", "SELECT"),
            };
            match self.measures[measure].kind {
                MeasureKind::Rows | MeasureKind::NotNull { .. } | MeasureKind::Sum { .. } => {}
                // An entity with rows in two periods would count twice.
                _ => return refused("COUNT(DISTINCT ...)", "COUNT"),
            }
        }
        if self.output.columns.iter().any(|term| matches!(term, Term::Answer(_))) {
            Ok(())
        } else {
            refused("no number", "SELECT")
        }
    }

    /// The query about the rows whose value of a date or timestamp of its first table is within these days since 1970,
    /// the last excluded, as by `column >= DATE '...' AND column < DATE '...'` in WHERE.
    ///
    /// # Errors
    /// When the table has no such column, the days are outside the calendar, or the conditions are too many.
    pub fn within_days(&self, column: &str, (from, to): (i64, i64)) -> Result<Self, QueryError> {
        let Self { rows, entity_rows, groups, levels, nesting, measures, answers, output, .. } = self.clone();
        let mut rows = rows;
        let first = rows.joins.first;
        let before: usize = rows.tables[..first].iter().map(|table| table.columns.len()).sum();
        let declared = rows.tables[first].columns.iter().enumerate().find(|(_, known)| known.name == column);
        let Some((at, kind)) = declared.map(|(at, column)| (at, column.kind)) else {
            let table = &rows.tables[first].name;
            let help = format!("`every` divides the rows of the main table by its column `{column}`; query that table");
            return Err(QueryError::refused(
                format!("a query with `every` about `{table}`, which has no `{column}`"),
                help,
            )
            .about("FROM"));
        };
        let failed = || QueryError::refused(format!("periods of `{column}`"), "use fewer conditions in WHERE");
        let input = rows.program.column(before + at).map_err(|_| failed())?;
        for (comparison, day) in [(Comparison::GreaterOrEqual, from), (Comparison::Less, to)] {
            let day = Day::new(day).ok_or_else(failed)?;
            let day = match kind {
                ColumnType::Timestamp => Value::Timestamp(day.midnight()),
                _ => Value::Date(day),
            };
            let day = rows.program.constant(day).map_err(|_| failed())?;
            let condition = rows.program.call(Operation::Compare(comparison), &[input, day]).map_err(|_| failed())?;
            rows.filters.push(condition);
        }
        Self::new(Parts { rows, entity_rows, groups, levels, nesting, measures, answers, output })
    }
}
