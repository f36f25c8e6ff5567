//! Window functions over released rows, and aggregates of them.

use super::aggregate::is_every_row;
use super::results::{Results, condition, result_refusal, term};
use crate::lower::constant_integer;
use crate::plan::place::place_of;
use datafusion_common::arrow::datatypes::{DataType, Field, FieldRef};
use datafusion_common::{Result, ScalarValue, not_impl_err};
use datafusion_expr::expr::{AggregateFunction, AggregateFunctionParams, WindowFunction as Call, WindowFunctionParams};
use datafusion_expr::function::{PartitionEvaluatorArgs, WindowUDFFieldArgs};
use datafusion_expr::{
    Expr, ExprSchemable, PartitionEvaluator, Signature, Volatility, WindowFrame, WindowFrameBound, WindowFrameUnits,
    WindowFunctionDefinition, WindowUDF, WindowUDFImpl,
};
use deniable_core::exact::whole;
use deniable_query::QueryError;
use deniable_query::output::{Frame, Sort, Term, Window, WindowFunction};
use std::sync::Arc;

/// Names of window functions, besides aggregates.
pub(crate) const WINDOWS: [&str; 11] = [
    "rank",
    "dense_rank",
    "row_number",
    "ntile",
    "lag",
    "lead",
    "percent_rank",
    "cume_dist",
    "first_value",
    "last_value",
    "nth_value",
];
/// Largest offset of LAG and LEAD.
pub(super) const FURTHEST: i64 = 1 << 20;

/// A window function of results.
pub(super) fn windowed(expr: &Expr, results: Results<'_>, levels: &[usize]) -> Result<Window, QueryError> {
    let expr = match expr {
        Expr::Alias(alias) => &*alias.expr,
        other => other,
    };
    let Expr::WindowFunction(call) = expr else { return Err(result_refusal("this window", "OVER")) };
    let Call { fun, params } = &**call;
    let WindowFunctionParams { args, partition_by, order_by, window_frame, filter, null_treatment, distinct } = params;
    if filter.is_some() || null_treatment.is_some() || *distinct {
        return Err(result_refusal("FILTER, DISTINCT or NULL treatment in a window function", "OVER"));
    }
    let name = match fun {
        WindowFunctionDefinition::AggregateUDF(function) => function.name(),
        WindowFunctionDefinition::WindowUDF(function) => function.name(),
    };
    let again = |expr: &Expr| term(expr, results);
    let partition = partition_by.iter().map(again).collect::<Result<_, _>>()?;
    let order: Vec<Sort> = order_by
        .iter()
        .map(|by| Ok(Sort { term: again(&by.expr)?, ascending: by.asc, nulls_first: by.nulls_first }))
        .collect::<Result<_, QueryError>>()?;
    let (function, argument) = match (name, args.as_slice()) {
        ("rank", []) => (WindowFunction::Rank, one()),
        ("dense_rank", []) => (WindowFunction::DenseRank, one()),
        ("row_number", []) => (WindowFunction::RowNumber, one()),
        ("percent_rank", []) => (WindowFunction::PercentRank, one()),
        ("cume_dist", []) => (WindowFunction::CumulativeShare, one()),
        ("first_value", [value]) => (WindowFunction::FromStart(0), again(value)?),
        ("last_value", [value]) => (WindowFunction::Last, again(value)?),
        ("nth_value", [value, place]) => {
            let place = constant_integer(place).and_then(|place| u64::try_from(place).ok()?.checked_sub(1));
            let place = place.ok_or_else(|| result_refusal("NTH_VALUE of anything but a positive whole number", name))?;
            (WindowFunction::FromStart(place), again(value)?)
        }
        ("ntile", [parts]) => {
            let parts = constant_integer(parts).and_then(|parts| u64::try_from(parts).ok()).filter(|parts| *parts > 0);
            let parts = parts.ok_or_else(|| result_refusal("NTILE of anything but a positive whole number", name))?;
            (WindowFunction::Tile(parts), one())
        }
        ("lag" | "lead", [value, rest @ ..]) if rest.len() <= 1 => {
            numeric(value, name, results)?;
            let by = rest.first().map_or(Some(1), constant_integer).filter(|by| (0..=FURTHEST).contains(by));
            let by = by.ok_or_else(|| result_refusal("LAG or LEAD by this much", name))?;
            (WindowFunction::Lag(if name == "lag" { by } else { -by }), again(value)?)
        }
        _ => aggregated(name, args, results)?.ok_or_else(|| {
            let help = "over results write SUM, AVG, COUNT, MIN or MAX, or a rank such as PERCENT_RANK; a middle value is \
                        the row whose CUME_DIST reaches 0.5";
            QueryError::refused(format!("{} OVER results", name.to_uppercase()), help).about("OVER")
        })?,
    };
    let frame = frame(window_frame, order.is_empty())?;
    Ok(Window { function, argument, partition, order, frame, levels: levels.to_vec() })
}

/// An aggregate of results in a GROUP BY: a window over all rows with the same keys.
pub(super) fn over_group(
    expr: &Expr,
    by: &[Term],
    results: Results<'_>,
    levels: &[usize],
) -> Result<Window, QueryError> {
    let expr = match expr {
        Expr::Alias(alias) => &*alias.expr,
        other => other,
    };
    let Expr::AggregateFunction(AggregateFunction { func, params }) = expr else {
        return Err(result_refusal("this aggregate", "GROUP").at(place_of([expr])));
    };
    let AggregateFunctionParams { args, distinct, filter, order_by, null_treatment } = params;
    if *distinct || !order_by.is_empty() || null_treatment.is_some() {
        return Err(
            result_refusal("DISTINCT, ORDER BY or NULL treatment in an aggregate", func.name()).at(place_of([expr]))
        );
    }
    let (mut function, mut argument) = aggregated(func.name(), args, results)?.ok_or_else(|| {
        let help = "over results write SUM, AVG, COUNT, MIN or MAX; for an aggregate over one row of each entity, \
                    GROUP BY the entity key alone in the inner query";
        QueryError::refused(format!("{} of results", func.name().to_uppercase()), help)
            .about(func.name())
            .at(place_of([expr]))
    })?;
    if let Some(filter) = filter {
        // The aggregate reads the argument only where the condition is true.
        let chosen = condition(filter, results)?;
        argument = Term::Case(vec![(chosen, argument)], Box::new(Term::Null));
        if function == WindowFunction::Count {
            function = WindowFunction::Present;
        }
    }
    let (partition, levels) = (by.to_vec(), levels.to_vec());
    Ok(Window { function, argument, partition, order: Vec::new(), frame: Frame::Peers, levels })
}

/// An aggregate of result rows, and its argument; `None` if it is not an aggregate.
fn aggregated(name: &str, args: &[Expr], results: Results<'_>) -> Result<Option<(WindowFunction, Term)>, QueryError> {
    let function = match (name, args) {
        ("count", []) => return Ok(Some((WindowFunction::Count, one()))),
        ("count", [every]) if is_every_row(every) => return Ok(Some((WindowFunction::Count, one()))),
        ("count", [value]) => return Ok(Some((WindowFunction::Present, term(value, results)?))),
        ("sum", [_]) => WindowFunction::Sum,
        ("avg", [_]) => WindowFunction::Average,
        ("min", [_]) => WindowFunction::Least,
        ("max", [_]) => WindowFunction::Greatest,
        _ => return Ok(None),
    };
    numeric(&args[0], name, results)?;
    Ok(Some((function, term(&args[0], results)?)))
}

/// Rejects values that are not shown as numbers: keys that are texts.
fn numeric(value: &Expr, name: &str, results: Results<'_>) -> Result<(), QueryError> {
    if value.get_type(results.schema).is_ok_and(|kind| kind.is_numeric()) {
        return Ok(());
    }
    Err(result_refusal(&format!("{} of a value that is not a number", name.to_uppercase()), name))
}

/// The argument of functions without one.
fn one() -> Term {
    Term::Number(whole(1))
}

/// The rows that a window covers.
pub(super) fn frame(frame: &WindowFrame, is_unordered: bool) -> Result<Frame, QueryError> {
    let WindowFrame { units, start_bound, end_bound, .. } = frame;
    let refused = |construct: &str, help: &str| QueryError::refused(construct, help).about("OVER");
    let offset = |bound: &WindowFrameBound| -> Result<Option<i64>, QueryError> {
        let distance = |value: &ScalarValue| {
            let distance = value.to_string().parse().ok().filter(|distance| (0..=FURTHEST).contains(distance));
            let help = format!("write a whole number of rows, at most {FURTHEST}");
            distance.ok_or_else(|| refused("this distance in the frame of a window", &help))
        };
        Ok(match bound {
            WindowFrameBound::CurrentRow => Some(0),
            WindowFrameBound::Preceding(value) | WindowFrameBound::Following(value) if value.is_null() => None,
            WindowFrameBound::Preceding(value) => Some(-distance(value)?),
            WindowFrameBound::Following(value) => Some(distance(value)?),
        })
    };
    let is_whole = |bound: &WindowFrameBound| match bound {
        WindowFrameBound::Preceding(value) | WindowFrameBound::Following(value) => value.is_null(),
        WindowFrameBound::CurrentRow => false,
    };
    match units {
        _ if is_whole(start_bound) && is_whole(end_bound) && is_unordered => Ok(Frame::Peers),
        _ if is_whole(start_bound) && is_whole(end_bound) => Ok(Frame::Rows { from: None, to: None }),
        WindowFrameUnits::Range if is_whole(start_bound) && matches!(end_bound, WindowFrameBound::CurrentRow) => {
            Ok(Frame::Peers)
        }
        // Without an order there is no row before another.
        WindowFrameUnits::Rows if is_unordered => {
            Err(refused("a frame of ROWS without an order", "add ORDER BY to the window"))
        }
        WindowFrameUnits::Rows => Ok(Frame::Rows { from: offset(start_bound)?, to: offset(end_bound)? }),
        WindowFrameUnits::Range | WindowFrameUnits::Groups => {
            let help = "write ROWS BETWEEN 2 PRECEDING AND CURRENT ROW, by numbers of rows, or leave the frame out: it is \
                        the rows up to this one with ORDER BY, and all rows without";
            Err(refused("a frame of RANGE or GROUPS with distances", help))
        }
    }
}

/// Names and types of window functions; DataFusion does not compute them.
pub(super) fn functions() -> Vec<Arc<WindowUDF>> {
    let function = |name: &'static str| {
        let signature = match name {
            "ntile" | "first_value" | "last_value" => Signature::any(1, Volatility::Immutable),
            "nth_value" => Signature::any(2, Volatility::Immutable),
            "lag" | "lead" => Signature::variadic_any(Volatility::Immutable),
            _ => Signature::nullary(Volatility::Immutable),
        };
        Arc::new(WindowUDF::from(Function { name, signature }))
    };
    WINDOWS.into_iter().map(function).collect()
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct Function {
    name: &'static str,
    signature: Signature,
}

impl WindowUDFImpl for Function {
    fn name(&self) -> &str {
        self.name
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn partition_evaluator(&self, _: PartitionEvaluatorArgs<'_>) -> Result<Box<dyn PartitionEvaluator>> {
        not_impl_err!("{} is not computed here", self.name)
    }

    fn field(&self, arguments: WindowUDFFieldArgs<'_>) -> Result<FieldRef> {
        let of_argument = matches!(self.name, "lag" | "lead" | "first_value" | "last_value" | "nth_value");
        let argument = arguments.input_fields().first().filter(|_| of_argument);
        let of_rank =
            if matches!(self.name, "percent_rank" | "cume_dist") { DataType::Float64 } else { DataType::Int64 };
        let kind = argument.map_or(of_rank, |field| field.data_type().clone());
        Ok(Arc::new(Field::new(arguments.name(), kind, true)))
    }
}
