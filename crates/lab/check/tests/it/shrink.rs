//! The smallest universe in which a claim is broken.

use deniable_check::decide::decide;
use deniable_check::family::Family;
use deniable_check::mechanism::Mechanism;
use deniable_check::notion::{Notion, Sign};
use deniable_check::shrink::shrink;
use deniable_core::adversary::PriorRange;
use deniable_core::exact::Bound;
use deniable_core::exact::{Rational, ratio, whole};

/// The answers disclose nothing except that 3 and 6 together differ from 3 alone by odds of 4, and the whole universe
/// from all but one by odds of 8.
fn hidden() -> Mechanism {
    let yes = |data: u32| match data {
        0b0010_0100 => ratio(4, 10),
        0b1111_1111 => ratio(8, 10),
        _ => ratio(1, 10),
    };
    Mechanism::from_fn(8, &["no", "yes"], |data, output| if output == 1 { yes(data) } else { whole(1) - yes(data) })
        .unwrap()
}

const BOTH: Notion = Notion::Unbounded { sign: Sign::Both };

#[test]
fn only_the_involved_entities_remain() {
    let mechanism = hidden();
    let claim = ratio(2, 1);
    let families = [
        (BOTH, Family::All),
        (Notion::Membership { sign: Sign::Positive }, Family::Independent(PriorRange::any())),
        (Notion::Membership { sign: Sign::Positive }, Family::All),
        (Notion::FreeLunch, Family::All),
    ];
    for (notion, family) in families {
        let found = shrink(&mechanism, &notion, &family, &claim, 1000).unwrap().unwrap();
        assert_eq!((found.entities, found.members, found.smallest), (vec![2, 5], 2, true), "{notion:?}");
        assert_eq!(*found.verdict.value.high(), Bound::Finite(whole(4)));
        assert_eq!(found.mechanism.entities(), ["3", "6"]);
        // The full universe has a worse pair, which the claim does not need.
        assert_eq!(*decide(&mechanism, &notion, &family).unwrap().value.high(), Bound::Finite(whole(8)));
    }
}

#[test]
fn datasets_are_small_too() {
    // The answers distinguish whether 1 is in or out, and more so if 2 is in as well.
    let yes = |data: u32| [ratio(1, 10), ratio(3, 10), ratio(1, 10), ratio(9, 10)][data as usize & 3].clone();
    let mechanism =
        Mechanism::from_fn(2, &["no", "yes"], |data, o| if o == 1 { yes(data) } else { whole(1) - yes(data) }).unwrap();
    let at = |claim: Rational| shrink(&mechanism, &BOTH, &Family::All, &claim, 1000).unwrap();
    assert_eq!(at(whole(2)).unwrap().entities, [0]);
    let far = at(whole(5)).unwrap();
    assert_eq!((far.entities, far.members), (vec![0, 1], 2));
    assert!(at(whole(9)).is_none(), "the claim holds");
}

#[test]
fn a_budget_gives_the_best_found() {
    let mechanism = hidden();
    let found = shrink(&mechanism, &BOTH, &Family::All, &whole(2), 5).unwrap().unwrap();
    assert_eq!((found.entities.len(), found.smallest), (8, false));
    assert!(*found.verdict.value.high() > Bound::Finite(whole(2)));
}

#[test]
fn the_uniform_prior_keeps_its_universe() {
    let mechanism = hidden();
    let notion = Notion::Membership { sign: Sign::Positive };
    let found = shrink(&mechanism, &notion, &Family::Uniform, &ratio(101, 100), 1000).unwrap().unwrap();
    assert_eq!((found.entities.len(), found.mechanism.size()), (8, 8));
}
