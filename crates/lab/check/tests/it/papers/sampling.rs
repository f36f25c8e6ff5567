//! LQS13 Theorem 5.10: differential privacy under sampling and priors of 0 or β.

use super::chance::{random, smallest_gain};
use crate::it::common::dice::Dice;
use crate::it::common::mechanisms::mechanism;
use deniable_check::Bound;
use deniable_check::decide::decide;
use deniable_check::family::{Family, Prior};
use deniable_check::notion::{Direction, Notion, Sign};
use deniable_check::verdict::Value;
use deniable_check::words;
use deniable_core::exact::{Rational, power, ratio, whole};
use num_traits::Zero;

/// `γ = max(e^ε, (e^ε − 1 + β)/(β·e^ε))`, each side decided separately and by enumeration of all priors of 0 and β.
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
                // Sampling keeps an entity with probability below 1, so no output is ever impossible.
                Bound::Infinite => assert_eq!(*gain.value.high(), Bound::Infinite),
                Bound::Finite(e) => {
                    let other = (e - whole(1) + &rate) / (&rate * e);
                    assert_eq!(*gain.value.high(), Bound::Finite(e.clone().max(other)), "{rate}");
                }
            }
        }
    }
}

/// LQS13 section 5.3 is about the positive side only: `positive-sampling` is that side, and γ is its translation.
#[test]
fn the_positive_side_alone_has_a_name() {
    let coin = mechanism(1, 2, |data| if data == 0 { vec![ratio(1, 2); 2] } else { vec![whole(0), whole(1)] });
    let odds = |name: &str| decide(&coin, &words::notion(name).unwrap(), &Family::All).unwrap().value;
    // Kept half of the time: (1/4, 3/4) against (1/2, 1/2).
    assert_eq!(odds("positive-sampling:1/2"), Value::Attained(Bound::Finite(ratio(3, 2))));
    assert_eq!(odds("sampling:1/2"), Value::Attained(Bound::Finite(whole(2))));
    let mut dice = Dice::new(511);
    for _ in 0..60 {
        let mechanism = random(3, 2, &mut dice);
        let read = words::notion("positive-sampling:1/3").unwrap();
        assert_eq!(read, Notion::Sampling { rate: ratio(1, 3), sign: Sign::Positive });
        let thinned = |data: u32, output: usize| -> Rational {
            let kept = (0..8_u32).filter(|kept| kept & !data == 0);
            let chance = |kept: u32| {
                let out = (data & !kept).count_ones();
                power(&ratio(1, 3), kept.count_ones()) * power(&ratio(2, 3), out)
            };
            kept.map(|kept| chance(kept) * mechanism.probability(output, kept)).sum()
        };
        let pairs =
            (0..8_u32).flat_map(|data| (0..3).map(move |t| (data, data | 1 << t))).filter(|(data, with)| data != with);
        let ratios = pairs
            .flat_map(|(data, with)| [0, 1].map(|output| Bound::of(&thinned(with, output), &thinned(data, output))));
        let plain = ratios.flatten().max().unwrap();
        assert_eq!(decide(&mechanism, &read, &Family::All).unwrap().value, Value::Attained(plain));
    }
}
