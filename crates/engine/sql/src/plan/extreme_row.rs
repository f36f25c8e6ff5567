//! `MIN_BY(x, t)` and `MAX_BY(x, t)`: the value x of the row with the smallest or largest t, among each entity's rows
//! (S-PE).
//!
//! Rows where t is NULL are ignored; x may be NULL. Among rows with equal t the smallest x is taken, with NULL after
//! all values, so the result depends on the multiset of rows and never on their order. DataFusion does not compute it.

use super::aggregate::{CollectedMeasures, Context};
use super::entity_rows::MOST_NAME;
use datafusion_common::arrow::datatypes::DataType;
use datafusion_common::{Result as PlanResult, not_impl_err};
use datafusion_expr::function::AccumulatorArgs;
use datafusion_expr::{Accumulator, AggregateUDF, AggregateUDFImpl, Expr, Signature, Volatility};
use deniable_expression::Id;
use deniable_query::Fold;
use deniable_query::QueryError;
use std::sync::Arc;

/// The names, each with a synonym.
const NAMES: [(&str, &str); 2] = [("min_by", "arg_min"), ("max_by", "arg_max")];

/// Whether an aggregate returns a value of the row where another value is smallest or largest.
pub(super) fn is_of_extreme_row(name: &str) -> bool {
    NAMES.iter().any(|(known, _)| *known == name)
}

/// The error for such an aggregate over the rows of several entities.
pub(super) fn refused_of_many(name: &str, key: Option<String>) -> QueryError {
    let call = name.to_uppercase();
    let help = match key {
        Some(key) => format!(
            "compute it from each person's own rows: FROM (SELECT {key}, {call}(x, t) AS v FROM ... GROUP BY {key}) \
             AS e, and then GROUP BY v or SUM(v)"
        ),
        None => "one row is one person here: GROUP BY the value, or ask for MIN, MAX or MEDIAN".to_owned(),
    };
    QueryError::refused(format!("{call} over the rows of several people"), help).about(name)
}

/// Parses the fold of such an aggregate, and the name of its column.
pub(super) fn folded(
    name: &str,
    args: &[Expr],
    filter: Option<Id>,
    collected: &mut CollectedMeasures,
    context: &mut Context<'_, '_>,
) -> Result<(Fold, String), QueryError> {
    let call = name.to_uppercase();
    let [value, by] = args else {
        let help = format!("write {call}(x, t): the value x of the row where t is smallest or largest");
        return Err(QueryError::refused(format!("{call} with these arguments"), help).about(name));
    };
    let value = context.lowering.expr(value, context.scope)?;
    let by = context.lowering.expr(by, context.scope)?;
    let is_constant = |id| context.lowering.program.constant_of(id).is_some();
    if is_constant(value) || is_constant(by) {
        let help = format!("write {call}(x, t), of columns: the value x where t is smallest or largest");
        return Err(QueryError::refused(format!("{call} of a constant"), help).about(name));
    }
    let words = |id| context.lowering.program.words(id, MOST_NAME);
    let column = format!("{name}({}, {})", words(value), words(by));
    // A row that the condition excludes has NULL as its order.
    let by = context.lowering.only_where(by, filter)?;
    let (value, by) = (collected.argument(value, None), collected.argument(by, None));
    Ok((if name == "min_by" { Fold::AtLeast { value, by } } else { Fold::AtGreatest { value, by } }, column))
}

/// Names and types; DataFusion does not compute these aggregates.
pub(super) fn all() -> Vec<Arc<AggregateUDF>> {
    let named = |(name, alias): (&'static str, &str)| {
        let (aliases, signature) = (vec![alias.to_owned()], Signature::user_defined(Volatility::Immutable));
        Arc::new(AggregateUDF::from(OfExtremeRow { name, aliases, signature }))
    };
    NAMES.into_iter().map(named).collect()
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct OfExtremeRow {
    name: &'static str,
    aliases: Vec<String>,
    signature: Signature,
}

impl AggregateUDFImpl for OfExtremeRow {
    fn name(&self) -> &str {
        self.name
    }

    fn aliases(&self) -> &[String] {
        &self.aliases
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    /// Argument types stay unchanged: every type has an order.
    fn coerce_types(&self, types: &[DataType]) -> PlanResult<Vec<DataType>> {
        Ok(types.to_vec())
    }

    fn return_type(&self, types: &[DataType]) -> PlanResult<DataType> {
        Ok(types.first().cloned().unwrap_or(DataType::Null))
    }

    fn accumulator(&self, _: AccumulatorArgs) -> PlanResult<Box<dyn Accumulator>> {
        not_impl_err!("{} is not computed here", self.name)
    }
}
