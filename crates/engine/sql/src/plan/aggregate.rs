//! Translates aggregates to measures: vectors of integers, one or several for each cell, of known sensitivity.
//!
//! | aggregate | measures |
//! |---|---|
//! | `COUNT(*)` | rows |
//! | `COUNT(x)`, `COUNT(*) FILTER (WHERE c)` | rows where x, or c, is not NULL (true) |
//! | `COUNT(DISTINCT entity)` | entities |
//! | `SUM(x)` | the sum of x in units of its grid |
//! | `AVG(x)` | the sum of x − centre in units of its grid, and the count of x |
//! | `AVG_WEIGHTED(x, w)` | the sums of w · (x − centre) and of w ([`super::weighted`]) |
//! | `VAR_*`, `STDDEV_*` | as AVG, and the sum of (x − centre)² |
//! | `COVAR_*`, `CORR`, `REGR_*` | sums of values and of their products, all centred ([`super::regression`]) |
//! | `MIN`, `MAX`, `MEDIAN`, `PERCENTILE_CONT` | a value of the grid whose rank is near the wanted rank (M-PF) |
//! | several quantiles of one x | noisy counts of the intervals of a tree over the grid ([`super::quantiles`]) |
//!
//! Centring halves the noise of an average when the bounds are far from zero, and costs nothing: the centre is public.
//! Equal measures of one query are measured once, with their weights added.

use super::extreme_row::{is_of_extreme_row, refused_of_many};
use super::regression::is_about_several;
use super::weighted;
use crate::lower::{Lowering, Scope, constant_decimal};
use crate::plan::place::place_of;
use datafusion_common::ScalarValue;
use datafusion_expr::Expr;
use datafusion_expr::expr::{AggregateFunction, AggregateFunctionParams};
use deniable_core::exact::{Rational, ratio, whole};
use deniable_core::sensitivity::RowRange;
use deniable_expression::{Id, Node, Operation, Type, Value};
use deniable_query::QueryError;
use deniable_query::facts::range::{Grid, NoGrid, Ranges};
use deniable_query::{Argument, section_of};
use deniable_query::{CentredArgument, Estimator, Measure, MeasureKind, Moments, QuantileShare, Target, ValueKind};
use num_traits::{One, ToPrimitive};

/// Most characters of an expression in a message.
const MOST_WORDS: usize = 200;
/// Finest share of a quantile: three decimals.
const FINEST_SHARE: u64 = 1_000;
/// Squares of values are counted in units, at most this many for one row.
const MOST_SQUARED: i64 = 1 << 26;

/// The distinct measures and arguments of a query, in the order in which they occur.
#[derive(Default)]
pub(super) struct CollectedMeasures {
    pub(super) measures: Vec<Measure>,
    pub(super) arguments: Vec<Argument>,
    /// The answers of each level.
    pub(super) answers: Vec<Vec<Estimator>>,
}

/// The context of an aggregate in the SQL, and the state that grows while aggregates are read.
pub(super) struct Context<'a, 'b> {
    pub(super) scope: Scope<'a>,
    pub(super) lowering: &'a mut Lowering<'b>,
    pub(super) ranges: &'a mut Ranges,
    /// The entity keys of the tables in use; empty when one row is one person.
    pub(super) entities: &'a [Id],
}

impl CollectedMeasures {
    /// Adds an aggregate of the plan to the current level, the last one begun.
    pub(super) fn add(&mut self, expr: &Expr, context: &mut Context<'_, '_>) -> Result<(), QueryError> {
        let expr = match expr {
            Expr::Alias(alias) => &*alias.expr,
            other => other,
        };
        let Expr::AggregateFunction(aggregate) = expr else {
            return Err(QueryError::refused("this aggregate", "use COUNT, SUM, AVG or a quantile"));
        };
        // Errors refer to the aggregated value, or to the aggregate if that value has no columns.
        let in_place = |error: QueryError| match error.at(place_of(&aggregate.params.args)) {
            error if error.place().is_some() => error,
            error => error.about(aggregate.func.name()),
        };
        self.add_call(aggregate, context).map_err(in_place)
    }

    fn add_call(&mut self, call: &AggregateFunction, context: &mut Context<'_, '_>) -> Result<(), QueryError> {
        let AggregateFunction { func, params } = call;
        let AggregateFunctionParams { args, distinct, filter, order_by, null_treatment } = params;
        let name = func.name();
        let orders_itself = name.ends_with("percentile_cont")
            && matches!(order_by.as_slice(), [by] if by.asc && args.first().is_some_and(|arg| uncast(arg) == uncast(&by.expr)));
        if null_treatment.is_some() || !(order_by.is_empty() || orders_itself) {
            return Err(QueryError::refused("an aggregate with ORDER BY or NULL treatment", "leave it out"));
        }
        let filter = filter.as_deref().map(|filter| context.lowering.expr(filter, context.scope)).transpose()?;
        if name == "count" && !distinct && matches!(args.as_slice(), [arg] if is_every_row(arg)) {
            let counted = filter.map(|filter| truth_where(filter, context)).transpose()?;
            let answer = self.count(counted, context)?;
            return self.answered(answer);
        }
        if name == weighted::NAME {
            let answer = self.weighted(call, filter, context)?;
            return self.answered(answer);
        }
        if is_about_several(name) {
            let answer = self.regression(call, filter, context)?;
            return self.answered(answer);
        }
        if is_of_extreme_row(name) {
            let key = context.entities.first().map(|key| context.lowering.program.words(*key, MOST_WORDS));
            return Err(refused_of_many(name, key));
        }
        let share = match (name.ends_with("percentile_cont"), args.as_slice()) {
            (true, [_, share]) => Some(quantile_share(share).map_err(|error| error.at(place_of([share])).about(name))?),
            (false, [_]) => None,
            _ => {
                let help = if name.ends_with("percentile_cont") {
                    "write PERCENTILE_CONT(x, 0.9)"
                } else {
                    "aggregate one value"
                };
                return Err(QueryError::refused(format!("{} with these arguments", name.to_uppercase()), help));
            }
        };
        let mut value = context.lowering.expr(&args[0], context.scope)?;
        if name != "count" {
            value = as_whole_numbers(value, context);
        }
        if name == "count" && *distinct {
            let answer = self.count_entities(value, filter, context)?;
            return self.answered(answer);
        }
        let is_constant = context.lowering.program.constant_of(value).is_some();
        let argument = if name == "count" && is_constant && filter.is_none() {
            value
        } else {
            context.lowering.only_where(value, filter)?
        };
        let answer = match (name, distinct) {
            ("count", _) => self.count(Some(argument), context)?,
            ("sum", false) => self.sum(argument, context)?,
            ("avg", false) => Estimator::Average(self.moments(argument, "AVG", &ratio(1, 2), context)?),
            ("var_pop" | "var" | "stddev_pop" | "stddev", false) => self.variance(name, argument, context)?,
            ("min", _) => self.ranked(argument, Target::Lowest, "MIN", context)?,
            ("max", _) => self.ranked(argument, Target::Highest, "MAX", context)?,
            ("median" | "approx_median", false) => {
                let half = QuantileShare { part: 1, whole: 2 };
                self.ranked(argument, Target::Share(half), "MEDIAN", context)?
            }
            ("percentile_cont" | "approx_percentile_cont", false) => {
                let share = share.unwrap_or(QuantileShare { part: 1, whole: 2 });
                // The ends are MIN and MAX, whose ranks are chosen with care.
                let target = match share {
                    QuantileShare { part: 0, .. } => Target::Lowest,
                    QuantileShare { part, whole } if part == whole => Target::Highest,
                    share => Target::Share(share),
                };
                self.ranked(argument, target, "a quantile", context)?
            }
            (name, _) => {
                let help = "ask for COUNT, COUNT(DISTINCT <entity key>), SUM, AVG, VAR_POP, STDDEV, MIN, MAX, MEDIAN, \
                            PERCENTILE_CONT, CORR or REGR_SLOPE";
                return Err(QueryError::refused(format!("the aggregate {}", name.to_uppercase()), help));
            }
        };
        self.answered(answer)
    }

    fn answered(&mut self, answer: Estimator) -> Result<(), QueryError> {
        if let Some(level) = self.answers.last_mut() {
            level.push(answer);
        }
        Ok(())
    }

    fn count_entities(
        &mut self,
        value: Id,
        filter: Option<Id>,
        context: &mut Context<'_, '_>,
    ) -> Result<Estimator, QueryError> {
        let [key, ..] = context.entities else {
            let help = "one row is one person here, so COUNT(*) counts people; the possible values of a column are its \
                        declared keys, and GROUP BY the column counts the people with each";
            return Err(QueryError::refused("COUNT(DISTINCT ...)", help));
        };
        // CASE WHEN c THEN key END is the key if c holds.
        let (value, filter) = match context.lowering.program.node(value) {
            Node::Call(Operation::Case, parts)
                if let [when, then, otherwise] = parts.as_slice()
                    && context.entities.contains(then)
                    && context.lowering.program.constant_of(*otherwise) == Some(None) =>
            {
                let (when, then) = (*when, *then);
                let both = filter.map(|filter| context.lowering.call(Operation::And, &[filter, when])).transpose()?;
                (then, Some(both.unwrap_or(when)))
            }
            Node::Column(_) | Node::Constant(..) | Node::Call(..) => (value, filter),
        };
        if !context.entities.contains(&value) {
            let key = context.lowering.program.words(*key, MOST_WORDS);
            let other = context.lowering.program.words(value, MOST_WORDS);
            let is_column = matches!(context.lowering.program.node(value), Node::Column(_));
            let mut help = format!("only people can be counted distinctly: COUNT(DISTINCT {key})");
            if is_column {
                help.push_str(&format!("; if `{other}` identifies people, declare key = \"{other}\" under [entity]"));
            }
            return Err(QueryError::refused("COUNT(DISTINCT ...) of anything but the entity key", help));
        }
        let present = match filter {
            Some(filter) => {
                let present = truth_where(filter, context)?;
                Some(self.argument(present, None))
            }
            None => None,
        };
        let measure = self.measure(MeasureKind::Entities { present }, whole(1), whole(1));
        Ok(Estimator::Count { measure })
    }

    /// Counts rows, or rows where an argument is not NULL.
    fn count(&mut self, arg: Option<Id>, context: &Context<'_, '_>) -> Result<Estimator, QueryError> {
        let kind = match arg.map(|arg| (arg, context.lowering.program.constant_of(arg))) {
            Some((_, Some(None))) => {
                return Err(QueryError::refused("COUNT(NULL)", "it is always 0; write COUNT(*)"));
            }
            None | Some((_, Some(Some(_)))) => MeasureKind::Rows,
            Some((arg, None)) => MeasureKind::NotNull { argument: self.argument(arg, None) },
        };
        Ok(Estimator::Count { measure: self.measure(kind, whole(1), whole(1)) })
    }

    fn sum(&mut self, arg: Id, context: &mut Context<'_, '_>) -> Result<Estimator, QueryError> {
        let (argument, grid) = self.gridded(arg, "SUM", context)?;
        if grid.of_times {
            return Err(QueryError::refused(
                "SUM of dates",
                "ask for MIN, MAX or MEDIAN, or for DATE_DIFF('day', a, b)",
            ));
        }
        let range = RowRange { low: grid.low, high: grid.high };
        let kind = MeasureKind::Sum { of: CentredArgument::nowhere(argument), range };
        Ok(Estimator::Sum { measure: self.measure(kind, grid.unit, whole(1)) })
    }

    /// The centred sum and the count of a value, each with this weight.
    fn moments(
        &mut self,
        arg: Id,
        name: &str,
        weight: &Rational,
        context: &mut Context<'_, '_>,
    ) -> Result<Moments, QueryError> {
        let constant = context.lowering.program.constant_of(arg).is_some();
        let (argument, grid) = self.gridded(arg, name, context)?;
        if constant || grid.low == grid.high {
            return Err(QueryError::refused(format!("{name} of a constant"), "it is a public value; leave it out"));
        }
        // An integer number of units, so that the centred sum is an integer.
        let centre = middle(&grid);
        let range = RowRange { low: grid.low - centre, high: grid.high - centre };
        let kind = MeasureKind::Sum { of: CentredArgument { argument, times: 1, centre }, range };
        let sum = self.measure(kind, grid.unit.clone(), weight.clone());
        let count = self.measure(MeasureKind::NotNull { argument }, Rational::one(), weight.clone());
        let value = |units: i64| whole(units) * &grid.unit;
        Ok(Moments { sum, count, centre: value(centre), low: value(grid.low), high: value(grid.high) })
    }

    fn variance(&mut self, name: &str, arg: Id, context: &mut Context<'_, '_>) -> Result<Estimator, QueryError> {
        let third = ratio(1, 3);
        let moments = self.moments(arg, "the variance", &third, context)?;
        let (argument, grid) = self.gridded(arg, "the variance", context)?;
        let centre = middle(&grid);
        let furthest = (grid.high - centre).max(centre - grid.low);
        if furthest > MOST_SQUARED {
            let help =
                "squares are summed exactly: round to a coarser step with ROUND(x, 1), or declare tighter bounds";
            return Err(QueryError::refused(format!("the variance over more than {MOST_SQUARED} steps"), help));
        }
        let range = RowRange { low: 0, high: furthest * furthest };
        let of = CentredArgument { argument, times: 1, centre };
        let kind = MeasureKind::Product { of: [of; 2], range };
        let squares = self.measure(kind, &grid.unit * &grid.unit, third);
        let (sample, root) = (!name.ends_with("_pop"), name.starts_with("stddev"));
        Ok(Estimator::Variance { moments, squares, sample, root })
    }

    fn ranked(
        &mut self,
        arg: Id,
        target: Target,
        name: &str,
        context: &mut Context<'_, '_>,
    ) -> Result<Estimator, QueryError> {
        let value = ValueKind::of(context.lowering.program.kind(arg));
        let (argument, grid) = self.gridded(arg, name, context)?;
        let measure = self.measure(MeasureKind::Ranked { argument, target }, grid.unit, whole(1));
        Ok(Estimator::Quantile { measure, position: 0, value })
    }

    /// Registers a summed argument with the grid that follows from its columns' declarations.
    pub(super) fn gridded(
        &mut self,
        arg: Id,
        name: &str,
        context: &mut Context<'_, '_>,
    ) -> Result<(usize, Grid), QueryError> {
        let kind = context.lowering.program.kind(arg);
        let is_null = context.lowering.program.constant_of(arg) == Some(None);
        if matches!(kind, Type::Text | Type::Boolean) && !is_null {
            let help = "count instead, as in COUNT(*) FILTER (WHERE ...), or convert a text with CAST(x AS DOUBLE)";
            return Err(QueryError::refused(format!("{name} of a value that is not a number or a date"), help));
        }
        let range = context.ranges.of(&context.lowering.program, arg, context.lowering.tables);
        let no_grid = |reason| no_grid(reason, name, arg, context.lowering);
        let mut grid = range.grid().map_err(no_grid)?;
        grid.of_times = ValueKind::of(kind) != ValueKind::Number;
        if grid.low == grid.high && grid.low == 0 {
            return Err(no_grid(NoGrid::AlwaysZero));
        }
        // Dates and timestamps are counted as integers: days and microseconds.
        let arg = if grid.of_times { context.lowering.cast(arg, Type::Integer)? } else { arg };
        Ok((self.argument(arg, Some(grid.clone())), grid))
    }

    /// The position of an argument; adds the grid if the argument has no grid yet.
    pub(super) fn argument(&mut self, value: Id, grid: Option<Grid>) -> usize {
        let known = self.arguments.iter().position(|known| known.value == value);
        let position = known.unwrap_or_else(|| {
            self.arguments.push(Argument { value, grid: None });
            self.arguments.len() - 1
        });
        if grid.is_some() {
            self.arguments[position].grid = grid;
        }
        position
    }

    pub(super) fn measure(&mut self, kind: MeasureKind, unit: Rational, weight: Rational) -> usize {
        let level = self.answers.len().saturating_sub(1);
        let known = self.measures.iter().position(|known| known.kind == kind && known.level == level);
        if let Some(position) = known {
            self.measures[position].weight += weight;
            return position;
        }
        self.measures.push(Measure { kind, unit, level, weight });
        self.measures.len() - 1
    }
}

/// Integers without the analyser's conversion to decimals: they are counted exactly, and SUM and AVG of one column
/// share their measure.
pub(super) fn as_whole_numbers(value: Id, context: &Context<'_, '_>) -> Id {
    let program = &context.lowering.program;
    match program.node(value) {
        Node::Call(Operation::Cast(Type::Decimal), arguments) => match arguments.as_slice() {
            [inner] if program.kind(*inner) == Type::Integer => *inner,
            _ => value,
        },
        Node::Column(_) | Node::Constant(..) | Node::Call(..) => value,
    }
}

/// TRUE if the condition is true, NULL otherwise.
pub(super) fn truth_where(condition: Id, context: &mut Context<'_, '_>) -> Result<Id, QueryError> {
    let truth = context.lowering.constant(Value::Boolean(true))?;
    context.lowering.only_where(truth, Some(condition))
}

fn middle(grid: &Grid) -> i64 {
    grid.low + (grid.high - grid.low) / 2
}

/// The share of a quantile: a constant in `[0, 1]` with at most three decimals.
fn quantile_share(expr: &Expr) -> Result<QuantileShare, QueryError> {
    let refusal = || {
        let help = "write a number from 0 to 1 with at most three decimals, such as 0.95 or 0.999";
        QueryError::refused("this share of a quantile", help)
    };
    let share = constant_decimal(expr).ok_or_else(refusal)?;
    let (part, whole) = (share.numer().to_u64().ok_or_else(refusal)?, share.denom().to_u64().ok_or_else(refusal)?);
    if part > whole || whole > FINEST_SHARE {
        return Err(refusal());
    }
    Ok(QuantileShare { part, whole })
}

/// An expression without the casts that the analyser adds.
fn uncast(expr: &Expr) -> &Expr {
    match expr {
        Expr::Cast(cast) => uncast(&cast.expr),
        other => other,
    }
}

/// Whether this is the `*` of `COUNT(*)`.
pub(super) fn is_every_row(arg: &Expr) -> bool {
    #[expect(deprecated, reason = "the planner still uses it for COUNT(*)")]
    let is_star = matches!(arg, Expr::Wildcard { qualifier: None, .. });
    // The planner writes `COUNT(*) FILTER` as a count of the constant 1.
    is_star || matches!(arg, Expr::Literal(ScalarValue::Int64(Some(_)), _))
}

fn no_grid(reason: NoGrid, name: &str, arg: Id, lowering: &Lowering<'_>) -> QueryError {
    // A value that counts only if others are present, or a condition holds, is reported without that restriction.
    let bare = match lowering.program.node(arg) {
        Node::Call(Operation::Case, parts) if parts.len() == 3 => parts[1],
        _ => arg,
    };
    let (construct, help) = match (reason, lowering.program.column_of(bare)) {
        (NoGrid::Bounds, Some(column)) if lowering.computed.is_some() => (
            format!("{name} of `{}`, which has no upper bound,", column.name),
            format!("set an upper bound: LEAST(n, 50), where n is {}", column.name),
        ),
        (NoGrid::Bounds, Some(column)) => (
            format!("{name} of `{}`, which has no declared bounds,", column.name),
            format!(
                "declare bounds = [low, high] and a step in {}",
                section_of(lowering.tables, &column.table, &column.name)
            ),
        ),
        (NoGrid::Bounds, None) => (
            format!("{name} of an expression without bounds"),
            "declare bounds for its columns, or bound it in the query: LEAST(GREATEST(expression, 0), 100). It is 0 \
             where the expression is NULL; FILTER (WHERE expression IS NOT NULL) leaves these rows out. A logarithm or \
             quotient has bounds if its argument or divisor is bounded away from 0, as in LN(GREATEST(x, 1))"
                .to_owned(),
        ),
        (NoGrid::Unit, _) => (
            format!("{name} of an expression without a step"),
            "round it to the precision you need: ROUND(expression, 2). Dividing whole numbers drops the fraction, \
             as in SQL: write x / 2.0 to keep it"
                .to_owned(),
        ),
        (NoGrid::AlwaysZero, _) => (format!("{name} of a value that is always 0"), "leave it out".to_owned()),
        (NoGrid::TooFine, _) => (
            format!("{name} over more than 2^52 steps"),
            "round to a coarser step, or declare tighter bounds".to_owned(),
        ),
    };
    QueryError::refused(construct, help)
}
