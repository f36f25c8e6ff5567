//! `GROUPING(x)`: the grouping to which a row of the answer belongs. It is public, and costs nothing.

use crate::plan::place::place_of;
use datafusion_common::arrow::datatypes::DataType;
use datafusion_common::{Result, not_impl_err};
use datafusion_expr::expr::{AggregateFunction, AggregateFunctionParams};
use datafusion_expr::function::AccumulatorArgs;
use datafusion_expr::{Accumulator, AggregateUDF, AggregateUDFImpl, Expr, Signature, Volatility};
use deniable_query::QueryError;
use std::sync::Arc;

/// The name of the function and of DataFusion's rule for it, which uses DataFusion's own numbering of groupings.
const NAME: &str = "grouping";
pub(super) const RULE: &str = "resolve_grouping_function";

/// Its name and types; DataFusion does not compute it.
pub(super) fn function() -> Arc<AggregateUDF> {
    Arc::new(AggregateUDF::from(Grouping { signature: Signature::variadic_any(Volatility::Immutable) }))
}

/// The position of the group that `GROUPING(x)` refers to; `None` for other expressions.
pub(super) fn group_of(expr: &Expr, groups: &[Expr]) -> Result<Option<usize>, QueryError> {
    let expr = match expr {
        Expr::Alias(alias) => &*alias.expr,
        other => other,
    };
    let Expr::AggregateFunction(AggregateFunction { func, params }) = expr else { return Ok(None) };
    if func.name() != NAME {
        return Ok(None);
    }
    let AggregateFunctionParams { args, distinct, filter, order_by, null_treatment } = params;
    let refusal =
        |construct: &str, help: &str| Err(QueryError::refused(construct, help).at(place_of(args)).about(NAME));
    if *distinct || filter.is_some() || !order_by.is_empty() || null_treatment.is_some() {
        return refusal("GROUPING of some rows", "write GROUPING(x): it is about keys, not rows");
    }
    let [about] = args.as_slice() else {
        return refusal("GROUPING of several columns", "write GROUPING(a), GROUPING(b)");
    };
    match groups.iter().position(|group| group == about) {
        Some(group) => Ok(Some(group)),
        None => {
            refusal("GROUPING of a column that is not grouped by", "name a column of the GROUP BY, in the same form")
        }
    }
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct Grouping {
    signature: Signature,
}

impl AggregateUDFImpl for Grouping {
    fn name(&self) -> &str {
        NAME
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(DataType::Int64)
    }

    fn accumulator(&self, _: AccumulatorArgs) -> Result<Box<dyn Accumulator>> {
        not_impl_err!("{NAME} is not computed here")
    }
}
