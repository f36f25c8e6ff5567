//! Covariances, correlations and least squares (S-LS): their measures, and the names and types of the aggregates.
//!
//! The measures cover the rows in which all values are present: the number of rows, the sum of each value minus its
//! public centre, and the sums of the products that the answer needs. They are separate measures, so that several
//! answers about the same values share them. The centre is the middle of the bounds, on a half step where that is
//! nearer: a value with only two possible values then has a constant square, which is not measured.
//!
//! | aggregate | products |
//! |---|---|
//! | `COVAR_POP`, `COVAR_SAMP`, `REGR_SXY` | y·x |
//! | `REGR_SXX`, `REGR_SYY` | x·x; y·y |
//! | `CORR`, `REGR_R2` | all |
//! | `REGR_SLOPE`, `REGR_INTERCEPT` | all except y·y |
//! | `REGR_COUNT`, `REGR_AVGX`, `REGR_AVGY` | none |
//!
//! Beyond SQL, `REGR_SLOPE(y, x, z, ...)` is the coefficient of x in the fit of y on x, z, ... and a constant; so for
//! `REGR_INTERCEPT`, `REGR_R2` and `REGR_COUNT`.

use super::aggregate::{CollectedMeasures, Context};
use datafusion_common::arrow::datatypes::DataType;
use datafusion_common::{Result as PlanResult, not_impl_err, plan_err};
use datafusion_expr::expr::AggregateFunction;
use datafusion_expr::function::AccumulatorArgs;
use datafusion_expr::{Accumulator, AggregateUDF, AggregateUDFImpl, Signature, Volatility};
use deniable_core::exact::{Rational, ratio, whole};
use deniable_core::sensitivity::RowRange;
use deniable_expression::{Id, Operation, Type};
use deniable_query::facts::range::Grid;
use deniable_query::{
    CentredArgument, Estimator, MeasureKind, Moments, Product, QueryError, Regression, Statistic, sorted,
};
use num_traits::One;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Most explanatory values: each further one shares the noise with all others.
const MOST_EXPLAINING: usize = 8;
/// Values in products are at most this many units from their centre.
pub(super) const MOST_UNITS: i64 = 1 << 26;

/// The statistic of an aggregate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Target {
    Count,
    /// The mean of the value at this position.
    Mean(usize),
    Statistic(Statistic),
}

/// The aggregates about two values, and whether they take more.
const AGGREGATES: [(&str, Target, bool); 13] = [
    ("corr", Target::Statistic(Statistic::Correlation), false),
    ("covar_pop", Target::Statistic(Statistic::Covariance { sample: false }), false),
    ("covar_samp", Target::Statistic(Statistic::Covariance { sample: true }), false),
    ("covar", Target::Statistic(Statistic::Covariance { sample: true }), false),
    ("regr_slope", Target::Statistic(Statistic::Slope), true),
    ("regr_intercept", Target::Statistic(Statistic::Intercept), true),
    ("regr_r2", Target::Statistic(Statistic::Explained), true),
    ("regr_count", Target::Count, true),
    ("regr_avgx", Target::Mean(1), false),
    ("regr_avgy", Target::Mean(0), false),
    ("regr_sxx", Target::Statistic(Statistic::Products(1, 1)), false),
    ("regr_syy", Target::Statistic(Statistic::Products(0, 0)), false),
    ("regr_sxy", Target::Statistic(Statistic::Products(0, 1)), false),
];

/// Whether an aggregate is one of these.
pub(super) fn is_about_several(name: &str) -> bool {
    AGGREGATES.iter().any(|(known, ..)| *known == name)
}

/// The sums of products that a statistic needs, of the values 0 (y) to `last`.
fn products(statistic: Statistic, last: usize) -> Vec<(usize, usize)> {
    let all = (0..=last).flat_map(|one| (one..=last).map(move |other| (one, other)));
    match statistic {
        Statistic::Covariance { .. } => vec![(0, 1)],
        Statistic::Products(one, other) => vec![(one, other)],
        Statistic::Slope | Statistic::Intercept => all.filter(|both| *both != (0, 0)).collect(),
        Statistic::Correlation | Statistic::Explained => all.collect(),
    }
}

impl CollectedMeasures {
    /// Adds a call of one of [`AGGREGATES`].
    pub(super) fn regression(
        &mut self,
        call: &AggregateFunction,
        filter: Option<Id>,
        context: &mut Context<'_, '_>,
    ) -> Result<Estimator, QueryError> {
        let name = call.func.name();
        let Some((_, asked, _)) = AGGREGATES.iter().find(|(known, ..)| *known == name) else {
            return Err(QueryError::refused(format!("the aggregate {name}"), "ask for COVAR_POP, CORR or REGR_SLOPE"));
        };
        if call.params.distinct {
            return Err(QueryError::refused(format!("{} of DISTINCT", name.to_uppercase()), "leave DISTINCT out"));
        }
        let mut values = Vec::new();
        for argument in &call.params.args {
            let value = context.lowering.expr(argument, context.scope)?;
            let value = super::aggregate::as_whole_numbers(value, context);
            if values.contains(&value) {
                let help = "name each value once: REGR_SLOPE(y, x1, x2)";
                return Err(QueryError::refused(format!("{} of a value and itself", name.to_uppercase()), help));
            }
            if context.lowering.program.constant_of(value).is_some() {
                let error = QueryError::refused(
                    format!("{} of a constant", name.to_uppercase()),
                    "a constant is not correlated with anything; leave it out",
                );
                return Err(error.about(name));
            }
            values.push(value);
        }
        let values = together(&values, filter, context)?;
        let mut all = Vec::new();
        for value in &values {
            all.push(self.centred(*value, name, context)?);
        }
        // Every value gives the same count, so the first value in an order that does not depend on the query is
        // counted.
        let first = sorted(values.iter().copied(), &context.lowering.program)[0];
        let first = values.iter().position(|value| *value == first).unwrap_or_default();
        let counted = MeasureKind::NotNull { argument: all[first].0.argument };
        let wanted = match asked {
            Target::Statistic(statistic) => products(*statistic, values.len() - 1),
            Target::Count | Target::Mean(_) => Vec::new(),
        };
        // The measures of the answer: a count, sums and products, with equal parts of its share.
        let needed: Vec<usize> = match asked {
            Target::Count => Vec::new(),
            Target::Mean(at) => vec![*at],
            Target::Statistic(Statistic::Products(one, other)) if one == other => vec![*one],
            Target::Statistic(_) => (0..values.len()).collect(),
        };
        let measured = wanted.iter().filter(|(one, other)| one != other || !all[*one].1.is_one_of_two());
        let weight = ratio(1, (1 + needed.len() + measured.count()) as i64);
        let count = self.measure(counted, Rational::one(), weight.clone());
        if *asked == Target::Count {
            return Ok(Estimator::Count { measure: count });
        }
        let mut moments = BTreeMap::new();
        for at in needed {
            let (of, grid) = &all[at];
            let kind = MeasureKind::Sum { of: *of, range: grid.range };
            let sum = self.measure(kind, grid.unit.clone(), weight.clone());
            let value = |units: i64| whole(units) * &grid.unit;
            let centre = value(of.centre);
            let (low, high) = (&centre + value(grid.range.low), &centre + value(grid.range.high));
            moments.insert(at, Moments { sum, count, centre, low, high });
        }
        let statistic = match asked {
            Target::Statistic(statistic) => *statistic,
            Target::Mean(_) | Target::Count => {
                let Some((_, moments)) = moments.pop_first() else {
                    return Err(QueryError::refused(name.to_uppercase(), "name its values"));
                };
                return Ok(Estimator::Average(moments));
            }
        };
        let mut products = BTreeMap::new();
        for (one, other) in wanted {
            let found = self.product(&all[one], &all[other], &weight, context);
            products.insert((one, other), found);
        }
        // A statistic of one value alone uses that value for both.
        let (statistic, products) = match statistic {
            Statistic::Products(one, other) if one == other => {
                (Statistic::Products(0, 0), products.into_values().map(|product| ((0, 0), product)).collect())
            }
            other => (other, products),
        };
        let values = moments.into_values().collect();
        Ok(Estimator::Regression(Box::new(Regression { statistic, count, values, products })))
    }

    /// A value minus the middle of its bounds, which may be on a half step.
    pub(super) fn centred(
        &mut self,
        value: Id,
        name: &str,
        context: &mut Context<'_, '_>,
    ) -> Result<(CentredArgument, HalfSteps), QueryError> {
        let name = name.to_uppercase();
        let (argument, Grid { unit, low, high, of_times, .. }) = self.gridded(value, &name, context)?;
        if of_times {
            let help = "ask about a number of days: DATE_DIFF('day', DATE '2000-01-01', x)";
            return Err(QueryError::refused(format!("{name} of dates"), help));
        }
        if low == high {
            return Err(QueryError::refused(
                format!("{name} of a constant"),
                "a constant is not correlated with anything; leave it out",
            ));
        }
        let times = if (high - low) % 2 == 0 { 1 } else { 2 };
        let centre = (low + high) * times / 2;
        let range = RowRange { low: low * times - centre, high: high * times - centre };
        if range.high > MOST_UNITS {
            let help =
                "products are summed exactly: round to a coarser step with ROUND(x, 1), or declare tighter bounds";
            return Err(QueryError::refused(format!("{name} over more than {MOST_UNITS} steps"), help));
        }
        Ok((
            CentredArgument { argument, times, centre },
            HalfSteps { unit: unit / whole(times), is_half: times == 2, range },
        ))
    }

    pub(super) fn product(
        &mut self,
        (one, steps): &(CentredArgument, HalfSteps),
        (other, others): &(CentredArgument, HalfSteps),
        weight: &Rational,
        context: &Context<'_, '_>,
    ) -> Product {
        let unit = &steps.unit * &others.unit;
        if one == other && steps.is_one_of_two() {
            return Product::EachRow(whole(steps.range.high * steps.range.high) * unit);
        }
        let ends = [steps.range.low, steps.range.high];
        let corners = ends.iter().flat_map(|end| [end * others.range.low, end * others.range.high]);
        let (low, high) = corners.fold((i64::MAX, i64::MIN), |(low, high), end| (low.min(end), high.max(end)));
        let range = RowRange { low: if one == other { 0 } else { low }, high };
        let values = [one, other].map(|of| self.arguments[of.argument].value);
        // A product does not depend on the order of its factors.
        let first = sorted(values.into_iter(), &context.lowering.program)[0];
        let of = if first == values[0] { [*one, *other] } else { [*other, *one] };
        Product::Measure(self.measure(MeasureKind::Product { of, range }, unit, weight.clone()))
    }
}

/// The grid of a centred value.
pub(super) struct HalfSteps {
    pub(super) unit: Rational,
    /// Whether a step is half a step of the column, and the centre is halfway between two values.
    is_half: bool,
    pub(super) range: RowRange,
}

impl HalfSteps {
    /// The grid of weights, which have no centre.
    pub(super) fn of_weights(unit: &Rational, low: i64, high: i64) -> Self {
        Self { unit: unit.clone(), is_half: false, range: RowRange { low, high } }
    }

    /// Whether all values are equally far from the centre.
    fn is_one_of_two(&self) -> bool {
        self.is_half && self.range.high == 1
    }
}

/// The same values, each NULL if any of them is NULL or the filter is not true.
pub(super) fn together(
    values: &[Id],
    filter: Option<Id>,
    context: &mut Context<'_, '_>,
) -> Result<Vec<Id>, QueryError> {
    let lowering = &mut *context.lowering;
    let ordered = sorted(values.iter().copied(), &lowering.program);
    let mut all = Vec::new();
    for value in values {
        let mut condition = filter;
        for other in ordered.iter().filter(|other| *other != value) {
            let is_null = lowering.call(Operation::IsNull, &[*other])?;
            let has_value = lowering.call(Operation::Not, &[is_null])?;
            condition = Some(match condition {
                Some(condition) => lowering.call(Operation::And, &[condition, has_value])?,
                None => has_value,
            });
        }
        // TRUE counts as 1.
        let value =
            if lowering.program.kind(*value) == Type::Boolean { lowering.cast(*value, Type::Integer)? } else { *value };
        all.push(lowering.only_where(value, condition)?);
    }
    Ok(all)
}

/// Names and types; DataFusion does not compute these aggregates.
pub(super) fn all() -> Vec<Arc<AggregateUDF>> {
    let signature = || Signature::user_defined(Volatility::Immutable);
    let named =
        |(name, _, takes_more)| Arc::new(AggregateUDF::from(OfSeveral { name, takes_more, signature: signature() }));
    AGGREGATES.into_iter().map(named).collect()
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct OfSeveral {
    name: &'static str,
    takes_more: bool,
    signature: Signature,
}

impl AggregateUDFImpl for OfSeveral {
    fn name(&self) -> &str {
        self.name
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    /// Numbers stay unchanged; TRUE and FALSE count as 1 and 0.
    fn coerce_types(&self, types: &[DataType]) -> PlanResult<Vec<DataType>> {
        let name = self.name.to_uppercase();
        let most = if self.takes_more { 1 + MOST_EXPLAINING } else { 2 };
        if types.len() < 2 || types.len() > most {
            let more = if self.takes_more { format!("y and up to {MOST_EXPLAINING} x") } else { "y and x".to_owned() };
            return plan_err!("{name} takes {more}: {name}(y, x)");
        }
        let coerced = types.iter().map(|kind| match kind {
            DataType::Int64 | DataType::Float64 | DataType::Boolean | DataType::Date32 | DataType::Timestamp(..) => {
                Ok(kind.clone())
            }
            DataType::Null => Ok(DataType::Float64),
            other => plan_err!("{name} is not for {other}"),
        });
        coerced.collect()
    }

    fn return_type(&self, _: &[DataType]) -> PlanResult<DataType> {
        Ok(if self.name == "regr_count" { DataType::Int64 } else { DataType::Float64 })
    }

    fn accumulator(&self, _: AccumulatorArgs) -> PlanResult<Box<dyn Accumulator>> {
        not_impl_err!("{} is not computed here", self.name)
    }
}
