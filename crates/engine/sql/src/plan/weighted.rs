//! `AVG_WEIGHTED(x, w)`: the mean of x in which a row counts w times (S-LS).
//!
//! The measures are the sum of w · (x − centre) and the sum of w over the rows in which both are present. The answer is
//! the centre plus their quotient, with the distribution of a ratio. `SUM(w * x) / SUM(w)` has noise for the whole
//! magnitude of x, this has noise for half of its range.

use super::aggregate::{CollectedMeasures, Context};
use super::regression::{HalfSteps, MOST_UNITS, together};
use crate::plan::place::place_of;
use datafusion_common::arrow::datatypes::DataType;
use datafusion_common::{Result as PlanResult, not_impl_err, plan_err};
use datafusion_expr::expr::AggregateFunction;
use datafusion_expr::function::AccumulatorArgs;
use datafusion_expr::{Accumulator, AggregateUDF, AggregateUDFImpl, Signature, Volatility};
use deniable_core::exact::{ratio, whole};
use deniable_core::sensitivity::RowRange;
use deniable_expression::{Id, Node};
use deniable_query::QueryError;
use deniable_query::facts::range::Grid;
use deniable_query::{CentredArgument, Estimator, MeasureKind, Moments};
use deniable_query::{Product, declared, section_of};
use std::sync::Arc;

pub(super) const NAME: &str = "avg_weighted";
const CALL: &str = "AVG_WEIGHTED";

impl CollectedMeasures {
    pub(super) fn weighted(
        &mut self,
        call: &AggregateFunction,
        filter: Option<Id>,
        context: &mut Context<'_, '_>,
    ) -> Result<Estimator, QueryError> {
        let wrong = || QueryError::refused(format!("{CALL} with these arguments"), "write AVG_WEIGHTED(x, w)");
        let [x, w] = call.params.args.as_slice() else { return Err(wrong().about(NAME)) };
        if call.params.distinct {
            return Err(QueryError::refused(format!("{CALL} of DISTINCT"), "leave DISTINCT out").about(NAME));
        }
        let mut values = Vec::new();
        for argument in [x, w] {
            let value = context.lowering.expr(argument, context.scope)?;
            let value = super::aggregate::as_whole_numbers(value, context);
            if context.lowering.program.constant_of(value).is_some() {
                let help = "write AVG(x) for equal weights; the mean of a constant is that constant";
                return Err(QueryError::refused(format!("{CALL} of a constant"), help).at(place_of([argument])));
            }
            values.push(value);
        }
        let weight = values[1];
        let values = together(&values, filter, context)?;
        let (centred, steps) = self.centred(values[0], NAME, context)?;
        let (argument, grid) = self.gridded(values[1], CALL, context)?;
        if grid.of_times {
            let help = "use a number as the weight: DATE_DIFF('day', DATE '2000-01-01', d)";
            return Err(QueryError::refused(format!("{CALL} with dates as weights"), help).at(place_of([w])));
        }
        if grid.low < 0 {
            return Err(below_zero(weight, context).at(place_of([w])));
        }
        if grid.high > MOST_UNITS {
            let help =
                "products are summed exactly: round to a coarser step with ROUND(w, 1), or declare tighter bounds";
            return Err(QueryError::refused(format!("{CALL} with weights over more than {MOST_UNITS} steps"), help)
                .at(place_of([w])));
        }
        let half = ratio(1, 2);
        let value = |units: i64| whole(units) * &steps.unit;
        let centre = value(centred.centre);
        let (low, high) = (&centre + value(steps.range.low), &centre + value(steps.range.high));
        let Grid { unit, low: least, high: most, .. } = grid;
        let weights = CentredArgument::nowhere(argument);
        let Product::Measure(sum) =
            self.product(&(centred, steps), &(weights, HalfSteps::of_weights(&unit, least, most)), &half, context)
        else {
            return Err(wrong().about(NAME));
        };
        let kind = MeasureKind::Sum { of: weights, range: RowRange { low: least, high: most } };
        let count = self.measure(kind, unit, half);
        Ok(Estimator::Weighted(Moments { sum, count, centre, low, high }))
    }
}

/// With negative weights the result would not be a mean.
fn below_zero(weight: Id, context: &Context<'_, '_>) -> QueryError {
    let lowering = &*context.lowering;
    let column = match lowering.program.node(weight) {
        Node::Column(position) => declared(lowering.tables, *position as usize),
        Node::Constant(..) | Node::Call(..) => None,
    };
    let help = match column {
        Some((table, column)) => {
            let (name, table) = (&column.name, &lowering.tables[table].name);
            let section = section_of(lowering.tables, table, name);
            format!("declare bounds of `{name}` that begin at 0 or above in {section}, or write GREATEST({name}, 0)")
        }
        None => "bound them from below: GREATEST(w, 0)".to_owned(),
    };
    QueryError::refused(format!("{CALL} with weights that may be below 0"), help)
}

/// Its name and types; DataFusion does not compute it.
pub(super) fn function() -> Arc<AggregateUDF> {
    Arc::new(AggregateUDF::from(WeightedAggregate { signature: Signature::user_defined(Volatility::Immutable) }))
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct WeightedAggregate {
    signature: Signature,
}

impl AggregateUDFImpl for WeightedAggregate {
    fn name(&self) -> &str {
        NAME
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    /// Numbers stay unchanged; TRUE and FALSE count as 1 and 0.
    fn coerce_types(&self, types: &[DataType]) -> PlanResult<Vec<DataType>> {
        let coerced = types.iter().map(|kind| match kind {
            DataType::Int64 | DataType::Float64 | DataType::Boolean | DataType::Date32 | DataType::Timestamp(..) => {
                Ok(kind.clone())
            }
            DataType::Null => Ok(DataType::Float64),
            other => plan_err!("{CALL} is not for {other}"),
        });
        coerced.collect()
    }

    fn return_type(&self, _: &[DataType]) -> PlanResult<DataType> {
        Ok(DataType::Float64)
    }

    fn accumulator(&self, _: AccumulatorArgs) -> PlanResult<Box<dyn Accumulator>> {
        not_impl_err!("{CALL} is not computed here")
    }
}
