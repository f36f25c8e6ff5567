//! LQS13 Theorem 5.10: differential privacy under sampling and priors of 0 or β.

use super::chance::{random, smallest_gain};
use crate::it::common::dice::Dice;
use deniable_check::Bound;
use deniable_check::decide::decide;
use deniable_check::family::{Family, Prior};
use deniable_check::notion::{Direction, Notion, Sign};
use deniable_check::verdict::Value;
use deniable_core::exact::{Rational, ratio, whole};
use num_traits::Zero;

/// `γ = max(e^ε, (e^ε − 1 + β)/(β·e^ε))`, each side decided by itself and by enumeration of all priors of 0 and β.
#[test]
fn sampling_and_fixed_priors_agree() {
    let mut dice = Dice::new(510);
    for number in 0..200 {
        let mechanism = random(3, 2 + number % 2, &mut dice);
        for rate in [ratio(1, 10), ratio(1, 2), ratio(9, 10)] {
            let sampled = Notion::Sampling { rate: rate.clone(), sign: Sign::Positive };
            let odds = decide(&mechanism, &sampled, &Family::All).unwrap();
            let family = Family::Sampled(rate.clone());
            let gain = decide(&mechanism, &Notion::Membership { sign: Sign::Positive }, &family).unwrap();
            let priors = (0..8_u32).map(|support| {
                let belief = |t: u32| if support >> t & 1 == 1 { rate.clone() } else { Rational::zero() };
                Prior::Independent((0..3).map(belief).collect())
            });
            let plain = priors.map(|prior| smallest_gain(&mechanism, &prior, Direction::Presence)).max().unwrap();
            assert_eq!(gain.value, Value::Attained(plain));
            match odds.value.high() {
                // Sampling keeps an entity with probability below 1, so no output is ever ruled out by the rest.
                Bound::Infinite => assert_eq!(*gain.value.high(), Bound::Infinite),
                Bound::Finite(e) => {
                    let other = (e - whole(1) + &rate) / (&rate * e);
                    assert_eq!(*gain.value.high(), Bound::Finite(e.clone().max(other)), "{rate}");
                }
            }
        }
    }
}
