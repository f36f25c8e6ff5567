//! Numbers of a report as JSON: exact fractions, and the nearest decimals.

use crate::entropy::LeastEntropy;
use crate::fraction::{At, Fraction};
use deniable_core::exact::{Bound, Rational, Rounding};
use serde::{Serialize, Serializer};

/// Decimal places in JSON.
pub(crate) const PLACES: u32 = 6;
/// Longer fractions are omitted: an average over many class sizes has thousands of digits.
const LONGEST: usize = 120;

/// A number of a report. Fractions are written as `{"exact": "3/4", "decimal": "0.75"}`, without `exact` if it is
/// longer than 120 characters; counts as JSON numbers; an entropy l-diversity as a decimal rounded down.
pub trait Number {
    /// Writes the number.
    ///
    /// # Errors
    /// The errors of the serializer.
    fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error>;
}

/// For `serialize_with`.
pub(crate) fn number<S: Serializer>(value: &impl Number, serializer: S) -> Result<S::Ok, S::Error> {
    value.write(serializer)
}

impl Number for Bound {
    fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Written {
            #[serde(skip_serializing_if = "Option::is_none")]
            exact: Option<String>,
            decimal: String,
        }
        let exact = Some(self.to_string()).filter(|exact| exact.len() <= LONGEST);
        Written { exact, decimal: self.rounded(PLACES, Rounding::Nearest) }.serialize(serializer)
    }
}

impl Number for Rational {
    fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Bound::Finite(self.clone()).write(serializer)
    }
}

impl Number for Fraction {
    fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.value().write(serializer)
    }
}

impl Number for u64 {
    fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(*self)
    }
}

impl Number for LeastEntropy {
    fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.l(PLACES))
    }
}

impl<T: Number> Number for At<T> {
    fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.serialize(serializer)
    }
}

impl<T: Number> Number for &T {
    fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (*self).write(serializer)
    }
}
