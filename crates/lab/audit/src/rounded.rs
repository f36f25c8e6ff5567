//! Outputs that are rounded before they are audited.
//!
//! Rounding is post-processing: a claim that the rounded outputs break, the outputs themselves break. It hides the last
//! bits of floating-point numbers, so that an audit looks for other faults.

use crate::mechanism::{Mechanism, MechanismError, Outputs};

/// A mechanism whose floating-point outputs are rounded to multiples of a step. Whole numbers and words are unchanged.
pub struct Rounded {
    mechanism: Box<dyn Mechanism>,
    step: f64,
}

impl Rounded {
    /// The mechanism with its outputs rounded to multiples of `step`, which is positive and finite.
    #[must_use]
    pub fn new(mechanism: Box<dyn Mechanism>, step: f64) -> Self {
        Self { mechanism, step }
    }
}

impl Mechanism for Rounded {
    fn sample(&mut self, input: &[i64], times: usize, out: &mut Outputs) -> Result<(), MechanismError> {
        let before = out.len();
        self.mechanism.sample(input, times, out)?;
        // Adding zero removes the sign of a zero.
        out.replace_numbers(before, |value| {
            if value.is_finite() { (value / self.step).round() * self.step + 0.0 } else { value }
        });
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mechanism::Cell;

    struct Mixed;

    impl Mechanism for Mixed {
        fn sample(&mut self, _: &[i64], times: usize, out: &mut Outputs) -> Result<(), MechanismError> {
            for _ in 0..times {
                out.integer(7);
                [0.1, -0.1, 0.6, f64::INFINITY].into_iter().for_each(|value| out.cell(Cell::Number(value)));
                out.word("x");
                out.end();
            }
            Ok(())
        }
    }

    #[test]
    fn only_new_floating_point_numbers_are_rounded() {
        let mut out = Outputs::new();
        out.number(0.3);
        Rounded::new(Box::new(Mixed), 0.5).sample(&[], 1, &mut out).unwrap();
        assert_eq!(out.row(0), [Cell::Number(0.3)]);
        assert_eq!(out.row(1), [Cell::Integer(7)]);
        let rounded: Vec<u64> = out.row(2)[..4].iter().map(|cell| cell.number().unwrap().to_bits()).collect();
        assert_eq!(rounded, [0.0, 0.0, 0.5, f64::INFINITY].map(f64::to_bits));
        assert_eq!(out.labels().word(0), "x");
    }
}
