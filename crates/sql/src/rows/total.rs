//! Arithmetic that never fails: NULL where a result does not exist or does not fit.

use datafusion::arrow::array::{Array, ArrayRef, Float64Array, Int64Array};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::DataType;
use datafusion::common::cast::{as_float64_array, as_int64_array};
use datafusion::common::{Result, plan_err};
use datafusion::logical_expr::expr::ScalarFunction;
use datafusion::logical_expr::{
    ColumnarValue, Expr, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility,
};
use std::sync::Arc;

/// An arithmetic operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Operation {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    Negate,
    Absolute,
    /// To this many digits after the point.
    Round(i8),
    /// The value itself; NULL where it is infinite or not a number.
    Finite,
}

/// The call of a total operation.
pub(crate) fn total(operation: Operation, args: Vec<Expr>) -> Expr {
    let arity = args.len();
    let name = match operation {
        Operation::Add => "total_add".to_owned(),
        Operation::Subtract => "total_subtract".to_owned(),
        Operation::Multiply => "total_multiply".to_owned(),
        Operation::Divide => "total_divide".to_owned(),
        Operation::Remainder => "total_remainder".to_owned(),
        Operation::Negate => "total_negate".to_owned(),
        Operation::Absolute => "total_absolute".to_owned(),
        Operation::Round(digits) => format!("total_round_{digits}"),
        Operation::Finite => "total_finite".to_owned(),
    };
    let signature = Signature::any(arity, Volatility::Immutable);
    let func = Arc::new(ScalarUDF::from(Total { name, operation, signature }));
    Expr::ScalarFunction(ScalarFunction { func, args })
}

/// The operation that a call of [`total`] stands for.
pub(crate) fn operation_of(func: &ScalarUDF) -> Option<Operation> {
    let implementation: &dyn std::any::Any = func.inner().as_ref();
    implementation.downcast_ref::<Total>().map(|total| total.operation)
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct Total {
    name: String,
    operation: Operation,
    signature: Signature,
}

impl ScalarUDFImpl for Total {
    fn name(&self) -> &str {
        &self.name
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    /// Whole numbers stay whole; anything with a decimal in it is a decimal.
    fn return_type(&self, args: &[DataType]) -> Result<DataType> {
        let mut result = DataType::Int64;
        for arg in args {
            match arg {
                DataType::Int64 | DataType::Null => {}
                DataType::Float64 => result = DataType::Float64,
                other => return plan_err!("arithmetic on {other}"),
            }
        }
        Ok(result)
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let all_constant = args.args.iter().all(|arg| matches!(arg, ColumnarValue::Scalar(_)));
        let arrays = ColumnarValue::values_to_arrays(&args.args)?;
        let types: Vec<DataType> = arrays.iter().map(|array| array.data_type().clone()).collect();
        let result_type = self.return_type(&types)?;
        let arrays = arrays.iter().map(|array| cast(array, &result_type)).collect::<Result<Vec<ArrayRef>, _>>()?;
        let result: ArrayRef = match (&result_type, arrays.as_slice()) {
            (DataType::Int64, [value]) => {
                let apply = |value| integer_unary(self.operation, value);
                Arc::new(as_int64_array(value)?.iter().map(|value| value.and_then(apply)).collect::<Int64Array>())
            }
            (DataType::Int64, [left, right]) => {
                let pairs = as_int64_array(left)?.iter().zip(as_int64_array(right)?.iter());
                Arc::new(pairs.map(|(l, r)| integer_binary(self.operation, l?, r?)).collect::<Int64Array>())
            }
            (_, [value]) => {
                let apply = |value| finite(float_unary(self.operation, value));
                Arc::new(as_float64_array(value)?.iter().map(|value| value.and_then(apply)).collect::<Float64Array>())
            }
            (_, [left, right]) => {
                let pairs = as_float64_array(left)?.iter().zip(as_float64_array(right)?.iter());
                let apply = |l, r| finite(float_binary(self.operation, l, r));
                Arc::new(pairs.map(|(l, r)| apply(l?, r?)).collect::<Float64Array>())
            }
            _ => return plan_err!("arithmetic on {} values", arrays.len()),
        };
        if all_constant && result.len() == 1 {
            return Ok(ColumnarValue::Scalar(datafusion::common::ScalarValue::try_from_array(&result, 0)?));
        }
        Ok(ColumnarValue::Array(result))
    }
}

fn integer_unary(operation: Operation, value: i64) -> Option<i64> {
    match operation {
        Operation::Negate => value.checked_neg(),
        Operation::Absolute => value.checked_abs(),
        Operation::Finite => Some(value),
        Operation::Round(digits) if digits >= 0 => Some(value),
        Operation::Round(digits) => {
            let unit = 10_i64.checked_pow(u32::from(digits.unsigned_abs()))?;
            // To the nearest, ties away from zero, as SQL rounds.
            let half = unit / 2;
            let nudged = if value < 0 { value.checked_sub(half)? } else { value.checked_add(half)? };
            Some(nudged / unit * unit)
        }
        Operation::Add | Operation::Subtract | Operation::Multiply | Operation::Divide | Operation::Remainder => None,
    }
}

fn integer_binary(operation: Operation, left: i64, right: i64) -> Option<i64> {
    match operation {
        Operation::Add => left.checked_add(right),
        Operation::Subtract => left.checked_sub(right),
        Operation::Multiply => left.checked_mul(right),
        Operation::Divide => left.checked_div(right),
        Operation::Remainder => left.checked_rem(right),
        Operation::Negate | Operation::Absolute | Operation::Round(_) | Operation::Finite => None,
    }
}

fn float_unary(operation: Operation, value: f64) -> f64 {
    match operation {
        Operation::Finite => value,
        Operation::Negate => -value,
        Operation::Absolute => value.abs(),
        Operation::Round(digits) => {
            let scale = 10_f64.powi(i32::from(digits));
            (value * scale).round() / scale
        }
        Operation::Add | Operation::Subtract | Operation::Multiply | Operation::Divide | Operation::Remainder => {
            f64::NAN
        }
    }
}

fn float_binary(operation: Operation, left: f64, right: f64) -> f64 {
    match operation {
        Operation::Add => left + right,
        Operation::Subtract => left - right,
        Operation::Multiply => left * right,
        Operation::Divide => left / right,
        Operation::Remainder => left % right,
        Operation::Negate | Operation::Absolute | Operation::Round(_) | Operation::Finite => f64::NAN,
    }
}

fn finite(value: f64) -> Option<f64> {
    value.is_finite().then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_overflows_or_divides_by_zero() {
        for operation in
            [Operation::Add, Operation::Subtract, Operation::Multiply, Operation::Divide, Operation::Remainder]
        {
            for left in [i64::MIN, -1, 0, 1, i64::MAX] {
                for right in [i64::MIN, -1, 0, 1, i64::MAX] {
                    let exact = |l: i128, r: i128| match operation {
                        Operation::Add => Some(l + r),
                        Operation::Subtract => Some(l - r),
                        Operation::Multiply => Some(l * r),
                        Operation::Divide => l.checked_div(r),
                        _ => l.checked_rem(r).filter(|_| !(l == i128::from(i64::MIN) && r == -1)),
                    };
                    let expected = exact(left.into(), right.into()).and_then(|value| i64::try_from(value).ok());
                    assert_eq!(integer_binary(operation, left, right), expected, "{left} {operation:?} {right}");
                }
            }
        }
        assert_eq!(integer_unary(Operation::Absolute, i64::MIN), None);
        assert_eq!(integer_unary(Operation::Negate, i64::MIN), None);
        assert_eq!(integer_unary(Operation::Round(-2), 150), Some(200));
        assert_eq!(integer_unary(Operation::Round(-2), -149), Some(-100));
        assert_eq!(integer_unary(Operation::Round(-1), i64::MAX), None);
        assert_eq!(finite(float_binary(Operation::Divide, 1.0, 0.0)), None);
        assert_eq!(finite(float_binary(Operation::Remainder, 1.0, 0.0)), None);
        assert_eq!(finite(float_binary(Operation::Add, f64::MAX, f64::MAX)), None);
        assert_eq!(finite(float_unary(Operation::Finite, f64::NEG_INFINITY)), None);
        assert_eq!(finite(float_unary(Operation::Round(2), 1.005)), Some(1.0)); // 1.005 is a little less in binary
    }
}
