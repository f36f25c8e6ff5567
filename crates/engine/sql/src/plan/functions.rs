//! Functions of one row that the engine does not have as we mean them: their names and types. The engine computes nothing.

use datafusion_common::arrow::datatypes::{DataType, TimeUnit};
use datafusion_common::{Result, not_impl_err};
use datafusion_expr::{
    ColumnarValue, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, TypeSignature, Volatility,
};
use deniable_expression::Part;
use std::sync::Arc;

/// Parts of a date or timestamp that have a function of their name.
pub(crate) const CALENDAR: [Part; 8] =
    [Part::Year, Part::Quarter, Part::Month, Part::Week, Part::Day, Part::Hour, Part::Minute, Part::IsoDayOfWeek];

pub(super) fn all() -> Vec<Arc<ScalarUDF>> {
    use DataType::{Date32, Float64, Int64, Utf8};
    let exact = |types: &[DataType]| Signature::exact(types.to_vec(), Volatility::Immutable);
    let any = |all: Vec<Vec<DataType>>| {
        Signature::one_of(all.into_iter().map(TypeSignature::Exact).collect(), Volatility::Immutable)
    };
    let time = DataType::Timestamp(TimeUnit::Microsecond, None);
    let of_time = || any(vec![vec![Date32], vec![time.clone()]]);
    let calendar = CALENDAR.map(|part| (part.name(), of_time(), Int64));
    let names = [("dayname", of_time(), Utf8), ("monthname", of_time(), Utf8)];
    let numbers = [
        ("ln", exact(&[Float64]), Float64),
        ("exp", exact(&[Float64]), Float64),
        ("sqrt", exact(&[Float64]), Float64),
        ("power", exact(&[Float64, Float64]), Float64),
        ("pow", exact(&[Float64, Float64]), Float64),
        ("bin", any(vec![vec![Int64, Int64], vec![Float64, Float64]]), Float64),
        ("mod", any(vec![vec![Int64, Int64], vec![Float64, Float64]]), Float64),
        ("trunc", any(vec![vec![Int64], vec![Float64]]), Float64),
        ("sign", any(vec![vec![Int64], vec![Float64]]), Int64),
        ("width_bucket", any(vec![vec![Int64; 4], vec![Float64, Float64, Float64, Int64]]), Int64),
    ];
    let parts = ("substr", any(vec![vec![Utf8, Int64], vec![Utf8, Int64, Int64]]), Utf8);
    // What the engine says that DATE_TRUNC of a date is.
    let cut = DataType::Timestamp(TimeUnit::Nanosecond, None);
    let times = [Date32, time.clone(), cut.clone()];
    let ends = times.iter().flat_map(|from| times.iter().map(move |to| vec![Utf8, from.clone(), to.clone()])).collect();
    let days = [
        ("date_diff", any(ends), Int64),
        ("to_char", any([Date32, time.clone(), cut].map(|kind| vec![kind, Utf8]).to_vec()), Utf8),
    ];
    let function = |(name, signature, result)| Arc::new(ScalarUDF::from(Function { name, signature, result }));
    calendar.into_iter().chain(names).chain(numbers).chain([parts]).chain(days).map(function).collect()
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct Function {
    name: &'static str,
    signature: Signature,
    result: DataType,
}

impl ScalarUDFImpl for Function {
    fn name(&self) -> &str {
        self.name
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, arguments: &[DataType]) -> Result<DataType> {
        // Bins of integers are integers, and so are remainders.
        let is_whole =
            matches!(self.name, "bin" | "mod" | "trunc") && arguments.iter().all(|kind| *kind == DataType::Int64);
        Ok(if is_whole { DataType::Int64 } else { self.result.clone() })
    }

    fn invoke_with_args(&self, _: ScalarFunctionArgs) -> Result<ColumnarValue> {
        not_impl_err!("{} is not computed here", self.name)
    }
}
