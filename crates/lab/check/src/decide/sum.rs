//! Sums of many fractions, exact, and reduced once.

use deniable_core::exact::Rational;
use num_bigint::BigInt;
use num_traits::Zero;
use std::collections::BTreeMap;

/// The sum of products of two fractions.
///
/// Terms with the same denominator are added as integers; the rest pairwise, so that large numbers are added to large
/// ones. A running sum would reduce a growing fraction at each step.
pub(super) fn of_products<'a>(terms: impl Iterator<Item = (&'a Rational, Rational)>) -> Rational {
    let mut parts: BTreeMap<BigInt, BigInt> = BTreeMap::new();
    for (weight, value) in terms {
        *parts.entry(weight.denom() * value.denom()).or_default() += weight.numer() * value.numer();
    }
    let mut level: Vec<(BigInt, BigInt)> = parts.into_iter().map(|(bottom, top)| (top, bottom)).collect();
    while level.len() > 1 {
        let mut next = Vec::with_capacity(level.len().div_ceil(2));
        let mut pairs = level.chunks_exact(2);
        for pair in pairs.by_ref() {
            let [(a, b), (c, d)] = pair else { continue };
            next.push((a * d + c * b, b * d));
        }
        next.extend(pairs.remainder().iter().cloned());
        level = next;
    }
    level.pop().map_or_else(Rational::zero, |(top, bottom)| Rational::new(top, bottom))
}

#[cfg(test)]
mod tests {
    use super::*;
    use deniable_core::exact::ratio;

    #[test]
    fn of_products_equals_the_running_sum() {
        let terms: Vec<(Rational, Rational)> = (1..40).map(|k| (ratio(k % 5, 3), ratio(k, 7 + k % 11))).collect();
        let plain: Rational = terms.iter().map(|(weight, value)| weight * value).sum();
        assert_eq!(of_products(terms.iter().map(|(weight, value)| (weight, value.clone()))), plain);
        assert_eq!(of_products(std::iter::empty()), ratio(0, 1));
    }
}
