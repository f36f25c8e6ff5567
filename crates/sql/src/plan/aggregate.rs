//! Aggregates become measures: whole-number vectors, one number a cell, whose sensitivity is known (S-CAP).
//!
//! | aggregate | measures |
//! |---|---|
//! | `COUNT(*)` | rows |
//! | `COUNT(x)` | rows where x is not NULL |
//! | `COUNT(DISTINCT entity)` | entities |
//! | `SUM(x)` | the sum of x in units of its grid |
//! | `AVG(x)` | the sum of x − centre in units of its grid, and the count of x |
//!
//! Centring halves the noise of an average when the bounds are far from zero, and costs nothing: the centre is
//! public. Equal measures of one question are taken once, with their weights added.

use super::inline::substitute;
use super::{Argument, Table};
use crate::error::QueryError;
use crate::rows::make_total;
use crate::rows::range::{Grid, NoGrid, Range};
use datafusion::common::DFSchema;
use datafusion::logical_expr::Expr;
use datafusion::logical_expr::expr::{AggregateFunction, AggregateFunctionParams};
use deniable_core::adversary::Adjacency;
use deniable_core::exact::{Rational, ratio, whole};
use deniable_core::sensitivity::{Caps, RowRange, additive};
use num_bigint::BigInt;
use num_traits::One;

/// A vector of whole numbers, one for each cell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Measure {
    /// What is added up.
    pub kind: MeasureKind,
    /// What one unit is worth: 1 for counts.
    pub unit: Rational,
    pub(super) weight: Rational,
}

/// What a measure adds up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MeasureKind {
    /// Rows.
    Rows,
    /// Rows where an argument is not NULL.
    NotNull {
        /// The argument's position.
        argument: usize,
    },
    /// Entities with at least one row.
    Entities,
    /// Values of an argument on its grid, less a public centre.
    Sum {
        /// The argument's position.
        argument: usize,
        /// The centre, in units.
        centre: i64,
        /// The range of what one row adds, in units, centre subtracted.
        range: RowRange,
    },
}

impl Measure {
    /// The largest L1 change of the vector when one entity is added, removed or replaced, in units (S-CAP).
    #[must_use]
    pub fn sensitivity(&self, adjacency: Adjacency, caps: Caps, cells: usize) -> BigInt {
        match &self.kind {
            MeasureKind::Rows | MeasureKind::NotNull { .. } => additive(adjacency, caps, RowRange::COUNT, cells),
            MeasureKind::Entities => additive(adjacency, Caps { rows_per_group: 1, ..caps }, RowRange::COUNT, cells),
            MeasureKind::Sum { range, .. } => additive(adjacency, caps, *range, cells),
        }
    }
}

/// An aggregate of the question, by the positions of its measures.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// A number of rows or entities.
    Count {
        /// The measure.
        measure: usize,
    },
    /// A sum.
    Sum {
        /// The measure.
        measure: usize,
    },
    /// An average: centre + sum / count, between the bounds.
    Average {
        /// The measure of the centred sum.
        sum: usize,
        /// The measure of the count.
        count: usize,
        /// The centre.
        centre: Rational,
        /// The lower bound of the values.
        low: Rational,
        /// The upper bound of the values.
        high: Rational,
    },
}

impl Answer {
    /// The same answer after its measures have moved to other positions.
    pub(super) fn moved(self, place: impl Fn(usize) -> usize) -> Self {
        match self {
            Self::Count { measure } => Self::Count { measure: place(measure) },
            Self::Sum { measure } => Self::Sum { measure: place(measure) },
            Self::Average { sum, count, centre, low, high } => {
                Self::Average { sum: place(sum), count: place(count), centre, low, high }
            }
        }
    }
}

/// Measures and arguments as they are found, each kept once.
#[derive(Default)]
pub(super) struct Collected {
    pub(super) measures: Vec<Measure>,
    pub(super) arguments: Vec<Argument>,
    pub(super) answers: Vec<Answer>,
}

impl Collected {
    /// Takes in one aggregate of the plan.
    pub(super) fn add(
        &mut self,
        expr: &Expr,
        input: &DFSchema,
        columns: &[Expr],
        table: &Table,
        schema: &DFSchema,
    ) -> Result<(), QueryError> {
        let expr = match expr {
            Expr::Alias(alias) => &*alias.expr,
            other => other,
        };
        let Expr::AggregateFunction(AggregateFunction { func, params }) = expr else {
            return Err(QueryError::refused("this aggregate", "ask for COUNT, SUM or AVG"));
        };
        let AggregateFunctionParams { args, distinct, filter, order_by, null_treatment } = params;
        if filter.is_some() || !order_by.is_empty() || null_treatment.is_some() {
            return Err(QueryError::refused("an aggregate with FILTER, ORDER BY or NULL treatment", "leave it out"));
        }
        let [arg] = args.as_slice() else {
            return Err(QueryError::refused("an aggregate of several arguments", "aggregate one value"));
        };
        if func.name() == "count" && !distinct && is_every_row(arg) {
            return self.count(None);
        }
        let total = make_total(&substitute(arg, input, columns)?, schema)?;
        match (func.name(), distinct) {
            ("count", true) => self.count_entities(&total, table),
            ("count", false) => self.count(Some(total)),
            ("sum", false) => self.sum(total, table),
            ("avg", false) => self.average(total, table),
            (name, _) => {
                let help = "ask for COUNT(*), COUNT(x), COUNT(DISTINCT <entity key>), SUM(x) or AVG(x)";
                Err(QueryError::refused(format!("the aggregate {}", name.to_uppercase()), help))
            }
        }
    }

    fn count_entities(&mut self, arg: &Expr, table: &Table) -> Result<(), QueryError> {
        let Some(entity) = &table.entity else {
            let help = "one row is one person here: COUNT(*) counts people";
            return Err(QueryError::refused("COUNT(DISTINCT ...)", help));
        };
        match arg {
            Expr::Column(column) if column.name == entity.key => {
                let measure = self.measure(MeasureKind::Entities, whole(1), whole(1));
                self.answers.push(Answer::Count { measure });
                Ok(())
            }
            _ => {
                let help = format!("only people can be counted once each: COUNT(DISTINCT {})", entity.key);
                Err(QueryError::refused("COUNT(DISTINCT ...) of anything but the entity key", help))
            }
        }
    }

    /// Counts rows, or rows where an argument is not NULL.
    fn count(&mut self, arg: Option<Expr>) -> Result<(), QueryError> {
        let kind = match arg {
            Some(Expr::Literal(value, _)) if value.is_null() => {
                return Err(QueryError::refused("COUNT(NULL)", "it is always 0; write COUNT(*)"));
            }
            None | Some(Expr::Literal(..)) => MeasureKind::Rows,
            Some(arg) => MeasureKind::NotNull { argument: self.argument(arg, None) },
        };
        let measure = self.measure(kind, whole(1), whole(1));
        self.answers.push(Answer::Count { measure });
        Ok(())
    }

    fn sum(&mut self, arg: Expr, table: &Table) -> Result<(), QueryError> {
        let (argument, grid) = self.gridded(arg, "SUM", table)?;
        let range = RowRange { low: grid.low, high: grid.high };
        let measure = self.measure(MeasureKind::Sum { argument, centre: 0, range }, grid.unit, whole(1));
        self.answers.push(Answer::Sum { measure });
        Ok(())
    }

    fn average(&mut self, arg: Expr, table: &Table) -> Result<(), QueryError> {
        let constant = matches!(arg, Expr::Literal(..));
        let (argument, grid) = self.gridded(arg, "AVG", table)?;
        if constant || grid.low == grid.high {
            return Err(QueryError::refused("AVG of a constant", "it is known already; leave it out"));
        }
        // Whole units, so that the centred sum stays whole.
        let centre = grid.low + (grid.high - grid.low) / 2;
        let range = RowRange { low: grid.low - centre, high: grid.high - centre };
        let half = ratio(1, 2);
        let sum = self.measure(MeasureKind::Sum { argument, centre, range }, grid.unit.clone(), half.clone());
        let count = self.measure(MeasureKind::NotNull { argument }, Rational::one(), half);
        let value = |units: i64| whole(units) * &grid.unit;
        self.answers.push(Answer::Average {
            sum,
            count,
            centre: value(centre),
            low: value(grid.low),
            high: value(grid.high),
        });
        Ok(())
    }

    /// Registers a summed argument with the grid that its columns' public facts give it.
    fn gridded(&mut self, arg: Expr, name: &str, table: &Table) -> Result<(usize, Grid), QueryError> {
        let grid = Range::of(&arg, &table.columns).grid().map_err(|reason| no_grid(reason, name, &arg))?;
        if grid.low == grid.high && grid.low == 0 {
            return Err(no_grid(NoGrid::AlwaysZero, name, &arg));
        }
        Ok((self.argument(arg, Some(grid.clone())), grid))
    }

    /// The position of an argument; a grid is added to one that had none.
    fn argument(&mut self, expr: Expr, grid: Option<Grid>) -> usize {
        let known = self.arguments.iter().position(|known| known.expr == expr);
        let position = known.unwrap_or_else(|| {
            self.arguments.push(Argument { expr, grid: None });
            self.arguments.len() - 1
        });
        if grid.is_some() {
            self.arguments[position].grid = grid;
        }
        position
    }

    fn measure(&mut self, kind: MeasureKind, unit: Rational, weight: Rational) -> usize {
        if let Some(position) = self.measures.iter().position(|known| known.kind == kind) {
            self.measures[position].weight += weight;
            return position;
        }
        self.measures.push(Measure { kind, unit, weight });
        self.measures.len() - 1
    }
}

/// Whether this is the `*` of `COUNT(*)`.
fn is_every_row(arg: &Expr) -> bool {
    #[expect(deprecated, reason = "the planner still makes it of COUNT(*)")]
    let is_star = matches!(arg, Expr::Wildcard { qualifier: None, .. });
    is_star
}

fn no_grid(reason: NoGrid, name: &str, arg: &Expr) -> QueryError {
    let (construct, help) = match (reason, arg) {
        (NoGrid::Bounds, Expr::Column(column)) => (
            format!("{name} of `{}`, which has no declared bounds,", column.name),
            format!("declare bounds = [low, high] and a step in [columns.{}]", column.name),
        ),
        (NoGrid::Bounds, _) => (
            format!("{name} of an expression without bounds"),
            "declare bounds for its columns, or bound it yourself: LEAST(GREATEST(expression, 0), 100)".to_owned(),
        ),
        (NoGrid::Unit, _) => (
            format!("{name} of an expression without a step"),
            "round it to the precision you need: ROUND(expression, 2). Whole numbers divide without a fraction, as in \
             SQL: write x / 2.0 to keep it"
                .to_owned(),
        ),
        (NoGrid::AlwaysZero, _) => (format!("{name} of what is always 0"), "leave it out".to_owned()),
        (NoGrid::TooFine, _) => {
            (format!("{name} over more than 2^52 steps"), "round to a coarser step, or bound more tightly".to_owned())
        }
    };
    QueryError::refused(construct, help)
}
