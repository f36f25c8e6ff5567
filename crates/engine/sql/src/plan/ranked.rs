//! Names and types of the quantiles: DataFusion's take numbers only, these take dates and timestamps as well.
//!
//! DataFusion does not compute them.

use datafusion_common::arrow::datatypes::DataType;
use datafusion_common::{Result, not_impl_err, plan_err};
use datafusion_expr::function::AccumulatorArgs;
use datafusion_expr::{Accumulator, AggregateUDF, AggregateUDFImpl, Signature, Volatility};
use std::sync::Arc;

/// The aggregates that select a rank.
pub(super) fn all() -> Vec<Arc<AggregateUDF>> {
    let named = |name, aliases: &[&str], of_share| {
        let aliases = aliases.iter().map(|alias| (*alias).to_owned()).collect();
        let signature = Signature::user_defined(Volatility::Immutable);
        Arc::new(AggregateUDF::from(RankedAggregate { name, aliases, of_share, signature }))
    };
    vec![
        named("median", &[], false),
        named("approx_median", &[], false),
        named("percentile_cont", &["quantile_cont"], true),
        named("approx_percentile_cont", &[], true),
    ]
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct RankedAggregate {
    name: &'static str,
    aliases: Vec<String>,
    /// Whether a second argument is the wanted share.
    of_share: bool,
    signature: Signature,
}

impl AggregateUDFImpl for RankedAggregate {
    fn name(&self) -> &str {
        self.name
    }

    fn aliases(&self) -> &[String] {
        &self.aliases
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    /// Numbers are ranked as decimals, dates and timestamps as they are.
    fn coerce_types(&self, types: &[DataType]) -> Result<Vec<DataType>> {
        let (value, shares) = match types {
            [value] if !self.of_share => (value, 0),
            [value, _] if self.of_share => (value, 1),
            _ => return plan_err!("{} takes other arguments", self.name),
        };
        let value = match value {
            DataType::Date32 | DataType::Timestamp(..) => value.clone(),
            DataType::Int64 | DataType::Float64 | DataType::Null => DataType::Float64,
            other => return plan_err!("{} is not for {other}", self.name),
        };
        Ok(std::iter::once(value).chain(std::iter::repeat_n(DataType::Float64, shares)).collect())
    }

    fn return_type(&self, types: &[DataType]) -> Result<DataType> {
        Ok(types.first().cloned().unwrap_or(DataType::Float64))
    }

    fn supports_within_group_clause(&self) -> bool {
        self.of_share
    }

    fn accumulator(&self, _: AccumulatorArgs) -> Result<Box<dyn Accumulator>> {
        not_impl_err!("{} is not computed here", self.name)
    }
}
