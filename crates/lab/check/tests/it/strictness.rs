//! The order of strictness: free-lunch, zero-knowledge, differential, crowd-blending privacy, each with its parameter.

use super::common::dice::Dice;
use super::common::mechanisms::{exact, mechanism, yes};
use super::common::{dp, value, zero_knowledge};
use deniable_check::Bound;
use deniable_check::mechanism::Mechanism;
use deniable_check::notion::Notion;
use deniable_core::exact::{ratio, whole};

fn lunch(mechanism: &Mechanism) -> Bound {
    value(mechanism, &Notion::FreeLunch)
}

fn crowd(mechanism: &Mechanism, crowd: usize) -> Bound {
    value(mechanism, &Notion::CrowdBlending { crowd })
}

/// Every member changes the answer: among five, each doubles the probability of yes.
fn sum() -> Mechanism {
    yes(5, |data| ratio(1 << data.count_ones(), 64))
}

/// ε-FLP implies ε-ZKP, ε-ZKP implies 2ε-DP, ε-DP implies crowd-blending. With all others in the sample, ε-DP implies
/// ε-ZKP.
#[test]
fn each_implies_the_next() {
    let mut dice = Dice::new(91);
    let mut root = whole(0);
    for number in 0..40 {
        let entities = 2 + number % 3;
        let mechanism = dice.mechanism(entities, 2 + number % 2, i64::from(number % 5 != 0), 9);
        let (lunch, dp) = (lunch(&mechanism), dp(&mechanism));
        for rows in 0..entities {
            let (low, high) = zero_knowledge(&mechanism, rows);
            // The bracket is narrow, so the nearer end is compared.
            assert!(low <= lunch, "FLP {lunch}, ZKP {low} with {rows} rows");
            assert!(dp <= high.power(2), "ZKP {high}, DP {dp}");
            if rows + 1 == entities {
                assert!(low <= dp, "all is seen");
                if let (Bound::Finite(dp), Bound::Finite(high)) = (&dp, &high) {
                    root = root.max(dp / (high * high));
                }
            }
        }
        for size in 1..=entities {
            assert!(crowd(&mechanism, size) <= dp && dp <= lunch);
        }
    }
    assert!(root > ratio(999_999, 1_000_000), "2ε is reached by some: {root}");
}

/// None of the implications has a converse.
#[test]
fn each_is_strictly_stricter() {
    // Crowd-blending without DP: "are both in?".
    let both = exact(2, 2, |data| usize::from(data == 3));
    assert_eq!((crowd(&both, 2), dp(&both)), (Bound::one(), Bound::Infinite));
    // DP with a smaller parameter than zero knowledge of one row.
    let sum = sum();
    let (dp_value, (low, _)) = (dp(&sum), zero_knowledge(&sum, 1));
    assert_eq!(dp_value, Bound::Finite(whole(2)));
    assert!(low > dp_value, "{low}");
    // Zero knowledge with a smaller parameter than free lunch, up to the root: the simulator sees all others.
    let (_, all) = zero_knowledge(&sum, 4);
    assert!(all < lunch(&sum) && lunch(&sum) == Bound::Finite(whole(32)));
    // ε-ZKP is not ε-DP: √2 against 2.
    let coin = mechanism(1, 2, |data| if data == 0 { vec![ratio(1, 2); 2] } else { vec![ratio(1, 4), ratio(3, 4)] });
    assert!(zero_knowledge(&coin, 1).1 < Bound::Finite(ratio(141_421_357, 100_000_000)));
    assert_eq!((dp(&coin), lunch(&coin)), (Bound::Finite(whole(2)), Bound::Finite(whole(2))));
}

/// The fewer rows a simulator sees, the larger the parameter: a factor of 2 for each member, and one root for the
/// unseen entity.
#[test]
fn fewer_rows_need_a_larger_parameter() {
    let sum = sum();
    for (rows, square) in [(0, 32), (1, 16), (2, 8), (3, 4), (4, 2)] {
        let (low, high) = zero_knowledge(&sum, rows);
        assert!(low.power(2) <= Bound::Finite(whole(square)) && Bound::Finite(whole(square)) <= high.power(2));
        assert_eq!(low == high, square == 16 || square == 4, "the other roots are irrational");
    }
}
