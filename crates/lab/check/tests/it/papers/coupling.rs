//! LQS13 Lemma 4.9: with a known size, datasets with and without an entity pair up one exchange apart.

use super::chance::{random_prior, random_sized};
use crate::it::common::dice::Dice;
use crate::it::common::mechanisms::exchanged;
use deniable_check::coupling::{Coupling, couple, holds};

/// The coupling is computed as a flow, and its certificate re-checked, for random independent entities given the size.
#[test]
fn a_known_size_always_pairs_up() {
    let mut dice = Dice::new(49);
    let mut coupled = 0;
    for number in 0..400_u32 {
        let entities = 2 + (number % 5) as usize;
        let size = 1 + number / 5 % (entities as u32);
        let Some(prior) = random_sized(entities, size, &mut dice) else { continue };
        for t in 0..entities {
            let Some(answer) = couple(&prior, t, exchanged) else { continue };
            assert!(matches!(answer, Coupling::Paired(_)), "{prior:?} {t}");
            assert!(holds(&answer, &prior, t, exchanged), "{prior:?} {t}");
            coupled += 1;
        }
    }
    assert!(coupled > 300, "{coupled}");
}

/// Dependent entities do not always pair up, and the cut that shows it is re-checked too.
#[test]
fn arbitrary_priors_are_stranded_now_and_then() {
    let mut dice = Dice::new(491);
    let (mut paired, mut stranded) = (0, 0);
    for _ in 0..300 {
        let prior = random_prior(4, &mut dice);
        for t in 0..4 {
            let Some(answer) = couple(&prior, t, |a, b| (a ^ b).count_ones() == 1) else { continue };
            assert!(holds(&answer, &prior, t, |a, b| (a ^ b).count_ones() == 1));
            match answer {
                Coupling::Paired(_) => paired += 1,
                Coupling::Stranded(_) => stranded += 1,
            }
        }
    }
    assert!(stranded > 100 && paired + stranded > 1_000, "{paired} {stranded}");
}
