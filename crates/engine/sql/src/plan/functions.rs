//! Functions of one row's values: the names that queries may call, and the types that the planner gives them.
//! `lower::function` lowers them and checks their arguments.

use datafusion_common::arrow::datatypes::{DataType, TimeUnit};
use datafusion_common::{Result, not_impl_err};
use datafusion_expr::{
    ColumnarValue, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, TypeSignature, Volatility,
};
use datafusion_functions::{core, datetime, math, string};
use std::sync::Arc;

/// A function of one row's values that is total: no input makes it fail.
pub(crate) struct RowFunction {
    /// Its name in SQL, in lower case.
    pub(crate) name: &'static str,
    /// The planner's function of this name or alias, or our own if the planner has no such function or a different one.
    types: fn(&'static str) -> Arc<ScalarUDF>,
}

const fn row(name: &'static str, types: fn(&'static str) -> Arc<ScalarUDF>) -> RowFunction {
    RowFunction { name, types }
}

const TIME: DataType = DataType::Timestamp(TimeUnit::Microsecond, None);
/// The type that the planner gives DATE_TRUNC of a date.
const CUT: DataType = DataType::Timestamp(TimeUnit::Nanosecond, None);

/// Every function of one row's values, in the order of messages.
pub(crate) const FUNCTIONS: [RowFunction; 38] = [
    row("abs", |_| math::abs()),
    row("bin", |name| own(name, of_numbers(2), DataType::Float64)),
    row("btrim", |_| string::btrim()),
    row("ceil", |_| math::ceil()),
    row("coalesce", |_| core::coalesce()),
    row("date_diff", |name| {
        let times = [DataType::Date32, TIME, CUT];
        let ends = times.iter().flat_map(|from| times.iter().map(|to| vec![DataType::Utf8, from.clone(), to.clone()]));
        own(name, ends.collect(), DataType::Int64)
    }),
    row("date_part", |_| datetime::date_part()),
    row("date_trunc", |_| datetime::date_trunc()),
    row("datetrunc", |_| datetime::date_trunc()),
    row("day", part),
    row("dayname", |name| own(name, of_time(), DataType::Utf8)),
    row("exp", real),
    row("floor", |_| math::floor()),
    row("greatest", |_| core::greatest()),
    row("hour", part),
    row("isodow", part),
    row("least", |_| core::least()),
    row("ln", real),
    row("lower", |_| string::lower()),
    row("minute", part),
    row("mod", |name| own(name, of_numbers(2), DataType::Float64)),
    row("month", part),
    row("monthname", |name| own(name, of_time(), DataType::Utf8)),
    row("nullif", |_| core::nullif()),
    row("pow", |name| own(name, vec![vec![DataType::Float64; 2]], DataType::Float64)),
    row("power", |name| own(name, vec![vec![DataType::Float64; 2]], DataType::Float64)),
    row("quarter", part),
    row("round", |_| math::round()),
    row("sign", |name| own(name, of_numbers(1), DataType::Int64)),
    row("sqrt", real),
    row("substr", |name| {
        let place = vec![DataType::Utf8, DataType::Int64];
        own(name, vec![place.clone(), [place, vec![DataType::Int64]].concat()], DataType::Utf8)
    }),
    row("to_char", |name| {
        own(name, [DataType::Date32, TIME, CUT].map(|kind| vec![kind, DataType::Utf8]).to_vec(), DataType::Utf8)
    }),
    row("trim", |_| string::btrim()),
    row("trunc", |name| own(name, of_numbers(1), DataType::Float64)),
    row("upper", |_| string::upper()),
    row("week", part),
    row("width_bucket", |name| {
        let reals = [vec![DataType::Float64; 3], vec![DataType::Int64]].concat();
        own(name, vec![vec![DataType::Int64; 4], reals], DataType::Int64)
    }),
    row("year", part),
];

pub(crate) fn names() -> [&'static str; FUNCTIONS.len()] {
    FUNCTIONS.each_ref().map(|function| function.name)
}

pub(super) fn all() -> impl Iterator<Item = Arc<ScalarUDF>> {
    FUNCTIONS.iter().map(|function| (function.types)(function.name))
}

/// A function that the planner does not have, for arguments of any of these types.
fn own(name: &'static str, arguments: Vec<Vec<DataType>>, result: DataType) -> Arc<ScalarUDF> {
    let signature = match arguments.as_slice() {
        [only] => Signature::exact(only.clone(), Volatility::Immutable),
        _ => Signature::one_of(arguments.into_iter().map(TypeSignature::Exact).collect(), Volatility::Immutable),
    };
    Arc::new(ScalarUDF::from(Function { name, signature, result }))
}

/// A part of a date or timestamp.
fn part(name: &'static str) -> Arc<ScalarUDF> {
    own(name, of_time(), DataType::Int64)
}

/// A function of one real number.
fn real(name: &'static str) -> Arc<ScalarUDF> {
    own(name, vec![vec![DataType::Float64]], DataType::Float64)
}

fn of_time() -> Vec<Vec<DataType>> {
    vec![vec![DataType::Date32], vec![TIME]]
}

/// The types of `count` arguments that are integers or decimals.
fn of_numbers(count: usize) -> Vec<Vec<DataType>> {
    vec![vec![DataType::Int64; count], vec![DataType::Float64; count]]
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
        // BIN, MOD and TRUNC of integers are integers.
        let is_whole =
            matches!(self.name, "bin" | "mod" | "trunc") && arguments.iter().all(|kind| *kind == DataType::Int64);
        Ok(if is_whole { DataType::Int64 } else { self.result.clone() })
    }

    fn invoke_with_args(&self, _: ScalarFunctionArgs) -> Result<ColumnarValue> {
        not_impl_err!("{} is not computed here", self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::{PARTS, UNITS};
    use deniable_core::schema::{Column, ColumnType, TableSchema};
    use deniable_expression::{Part, Unit};

    fn plan(condition: &str) {
        let columns =
            [("n", ColumnType::Integer), ("x", ColumnType::Decimal), ("t", ColumnType::Text), ("d", ColumnType::Date)];
        let columns = columns.map(|(name, kind)| Column::new(name, kind)).to_vec();
        let sql = format!("SELECT COUNT(*) FROM r WHERE {condition} IS NOT NULL");
        crate::plan(&sql, &[TableSchema::protected("r", columns, None)])
            .unwrap_or_else(|error| panic!("{sql}: {error}"));
    }

    /// Every function of the table is allowed, typed and lowered.
    #[test]
    fn every_function_is_planned() {
        for name in names() {
            let arguments = match name {
                "abs" | "ceil" | "exp" | "floor" | "ln" | "sign" | "sqrt" | "trunc" => "x",
                "bin" => "x, 5",
                "btrim" | "lower" | "trim" | "upper" => "t",
                "coalesce" | "greatest" | "least" | "mod" | "nullif" | "pow" | "power" => "n, 2",
                "date_diff" => "'day', d, DATE '2024-01-31'",
                "date_part" | "date_trunc" | "datetrunc" => "'month', d",
                "day" | "dayname" | "hour" | "isodow" | "minute" | "month" | "monthname" | "quarter" | "week"
                | "year" => "d",
                "round" => "x, 1",
                "substr" => "t, 1, 2",
                "to_char" => "d, 'YYYY-MM'",
                "width_bucket" => "x, 0, 100, 10",
                _ => panic!("write arguments of `{name}` here"),
            };
            plan(&format!("{name}({arguments})"));
        }
    }

    #[test]
    fn every_part_and_unit_is_planned() {
        for part in Part::ALL {
            plan(&format!("EXTRACT({} FROM d)", part.name()));
        }
        for unit in Unit::ALL {
            plan(&format!("DATE_TRUNC('{}', d)", unit.name()));
            plan(&format!("DATE_DIFF('{}', d, d)", unit.name()));
        }
        // The lists in messages include `isoyear`, which is not a part of the language.
        assert_eq!((UNITS.len(), PARTS.len()), (Unit::ALL.len(), Part::ALL.len() + 1));
    }
}
