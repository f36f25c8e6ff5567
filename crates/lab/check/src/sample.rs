//! A mechanism on a random sample: each member is kept with a given probability, independently, before the mechanism
//! runs.
//!
//! Notions that hold only with sampling, or only without it, are decided on both mechanisms: crowd-blending on the
//! mechanism itself, and the odds and the δ on its release from a sample (LXL section 3.3; I-DPS).

use crate::decide::CheckError;
use crate::mechanism::{Dataset, Mechanism};
use deniable_core::exact::{Rational, whole};
use num_traits::{One, Signed};

/// Limit on the entities: 65,536 rows of fractions.
const MAX_ENTITIES: usize = 16;

/// The mechanism on a sample at this rate. Each member in turn is dropped or kept, in `n·2^n` steps for each output.
///
/// # Errors
/// When a dataset has no row, the rate is not between 0 and 1, or there are more than 16 entities.
pub fn sampled(mechanism: &Mechanism, rate: &Rational) -> Result<Mechanism, CheckError> {
    if rate.is_negative() || *rate > Rational::one() {
        return Err(CheckError::OutOfRange { name: "the rate of a sample", value: rate.clone(), range: "from 0 to 1" });
    }
    if mechanism.size() > MAX_ENTITIES {
        return Err(CheckError::NotYet { what: "a sample of more than 16 entities" });
    }
    crate::decide::complete(mechanism)?;
    let datasets = 0..1_usize << mechanism.size();
    let outputs = 0..mechanism.outputs().len();
    let mut rows: Vec<Vec<Rational>> = datasets
        .clone()
        .map(|data| outputs.clone().map(|output| mechanism.probability(output, data as Dataset)).collect())
        .collect();
    let dropped = whole(1) - rate;
    for bit in (0..mechanism.size()).map(|t| 1 << t) {
        for data in datasets.clone().filter(|data| data & bit != 0) {
            rows[data] =
                rows[data ^ bit].iter().zip(&rows[data]).map(|(out, kept)| out * &dropped + kept * rate).collect();
        }
    }
    let (names, outputs) = (mechanism.entities().to_vec(), mechanism.outputs().to_vec());
    // Mixtures of distributions are distributions.
    Mechanism::partial(names, outputs, rows.into_iter().map(Some).collect())
        .map_err(|_| CheckError::NotYet { what: "a sample of so large a table" })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decide::decide;
    use crate::family::Family;
    use crate::it::common_dice::Dice;
    use crate::notion::{Notion, Sign};
    use deniable_core::exact::{power, ratio};

    /// The mixture agrees with the definition, subset by subset, and its odds agree with `Notion::Sampling`, which has
    /// its own algorithm.
    #[test]
    fn a_sample_is_a_mixture_of_subsets() {
        let mut dice = Dice::new(90);
        for round in 0..20 {
            let n = 1 + round % 4;
            let rows = (0..1 << n).map(|_| Some(dice.distribution(3, 0, 4))).collect();
            let names = (0..n).map(|t| format!("e{t}")).collect();
            let mechanism = Mechanism::partial(names, ["x", "y", "z"].map(str::to_owned).to_vec(), rows).unwrap();
            for rate in [ratio(1, 3), whole(0), whole(1), ratio(4, 5)] {
                let found = sampled(&mechanism, &rate).unwrap();
                for (data, output) in (0..1_u32 << n).flat_map(|data| (0..3).map(move |output| (data, output))) {
                    let weight = |kept: u32| {
                        power(&rate, kept.count_ones()) * power(&(whole(1) - &rate), (data ^ kept).count_ones())
                    };
                    let kept = (0..1_u32 << n).filter(|kept| kept & !data == 0);
                    let sum: Rational = kept.map(|kept| weight(kept) * mechanism.probability(output, kept)).sum();
                    assert_eq!(found.probability(output, data), sum);
                }
                let own = decide(&found, &Notion::Unbounded { sign: Sign::Both }, &Family::All).unwrap().value;
                let notion = Notion::Sampling { rate: rate.clone(), sign: Sign::Both };
                assert_eq!(own, decide(&mechanism, &notion, &Family::All).unwrap().value);
            }
        }
        let names = vec!["a".to_owned()];
        let gap = Mechanism::partial(names, vec!["x".to_owned()], vec![Some(vec![whole(1)]), None]).unwrap();
        assert!(matches!(sampled(&gap, &ratio(1, 2)), Err(CheckError::Missing { .. })));
        assert!(matches!(sampled(&gap, &whole(2)), Err(CheckError::OutOfRange { .. })));
    }
}
