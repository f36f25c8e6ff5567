//! Beliefs about presence, compared with sums over all subsets of people.

use super::common::{Rational, classes, product, table};
use deniable_assess::background::{Matching, types};
use deniable_assess::membership::{Membership, gain, odds, presence};
use deniable_assess::{Counts, TableRole};
use deniable_core::adversary::PriorRange;
use deniable_core::belief::posterior;
use deniable_core::exact::Bound;
use deniable_core::exact::{ratio, whole};
use num_traits::Zero;
use proptest::prelude::*;

/// `Pr[counts | person in] / Pr[counts | person out]` over all subsets of people, each in with their prior; `class_of`
/// is the class of each person.
fn by_subsets(class_of: &[usize], rows: &[u32], priors: &[Rational], person: usize) -> Bound {
    let mut sums = [Rational::zero(), Rational::zero()];
    for subset in 0_u32..1 << class_of.len() {
        let is_in = |who: usize| subset >> who & 1 == 1;
        let fits = (0..rows.len()).all(|class| {
            (0..class_of.len()).filter(|who| class_of[*who] == class && is_in(*who)).count() as u32 == rows[class]
        });
        if fits {
            let others = (0..class_of.len()).filter(|who| *who != person);
            let weight =
                product(others.map(|who| if is_in(who) { priors[who].clone() } else { whole(1) - &priors[who] }));
            sums[usize::from(is_in(person))] += weight;
        }
    }
    if sums[0].is_zero() { Bound::Infinite } else { Bound::Finite(&sums[1] / &sums[0]) }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn over_all_subsets(first in 1_usize..5, second in 1_usize..4, in_first in 1_u32..5, in_second in 1_u32..4,
                        low in 1_i64..6, wide in 0_i64..6, inner in prop::collection::vec(0_i64..=4, 8)) {
        let rows = [in_first.min(first as u32), in_second.min(second as u32)];
        let (a, b) = (ratio(low, 12), ratio(low + wide, 12));
        let range = PriorRange::new(Some(a.clone()), Some(b.clone())).unwrap();
        let class_of: Vec<usize> = std::iter::repeat_n(0, first).chain(std::iter::repeat_n(1, second)).collect();
        let all_at = |prior: &Rational| vec![prior.clone(); class_of.len()];
        let inside: Vec<Rational> = (0..class_of.len()).map(|who| &a + (&b - &a) * ratio(inner[who], 4)).collect();
        let (mut up, mut down) = (Bound::Finite(whole(0)), Bound::Infinite);
        for person in 0..class_of.len() {
            let class = class_of[person];
            let (least, most) = odds(rows[class].into(), [first, second][class] as u64, &range);
            // The ends are attained, and every other prior yields a ratio between them.
            prop_assert_eq!(&by_subsets(&class_of, &rows, &all_at(&b), person), &least);
            prop_assert_eq!(&by_subsets(&class_of, &rows, &all_at(&a), person), &most);
            let between = by_subsets(&class_of, &rows, &inside, person);
            prop_assert!(least <= between && between <= most);
            up = up.max(most);
            down = down.min(least);
        }
        let mut published = Counts::new(&["z"]).unwrap();
        let mut people = Counts::new(&["z"]).unwrap();
        for (class, people_of) in [first, second].into_iter().enumerate() {
            published.push(&[&format!("{class}*")], rows[class].into()).unwrap();
            people.push(&[&format!("{class}7")], people_of as u64).unwrap();
        }
        people.push(&["99"], 3).unwrap();
        let all = classes(&published, &["z"], &[]);
        let known = types(&people, &["z"], &[], TableRole::Background).unwrap();
        let Membership::Computed(found) = presence(&Matching::new(&all, &known), &range) else { panic!("it is a list") };
        prop_assert_eq!(&found.up.value, &up);
        let against = match &down { Bound::Finite(odds) => Bound::Finite(odds.recip()), Bound::Infinite => Bound::Finite(whole(0)) };
        prop_assert_eq!(&found.down.value, &against);
        prop_assert_eq!((found.certainly_out, found.left_out), (3, 0));
        let certain = [first, second].iter().zip(rows).filter(|(people, rows)| **people as u32 == *rows).map(|(people, _)| *people as u64).sum::<u64>();
        prop_assert_eq!(found.certainly_in, certain);
        prop_assert_eq!(&found.gain.value, &gain(&up, &range));
        // The loss is the gain of belief in absence: over a grid of priors it is never exceeded, and at one end it is
        // attained.
        let lost = |p: &Rational, odds: &Rational| {
            let q = posterior(p, odds);
            if q == whole(0) { return Bound::Infinite }
            Bound::Finite((p / &q).max((whole(1) - &q) / (whole(1) - p)).max(whole(1)))
        };
        if let Some(down) = down.finite() {
            let most = (0..=4).map(|step| lost(&(&a + (&b - &a) * ratio(step, 4)), down)).max().unwrap();
            prop_assert_eq!(&found.loss.value, &most);
        }
        if let Some(up) = up.finite() {
            prop_assert_eq!(&found.highest.value, &posterior(&b, up));
            // The gain is never exceeded over a grid of priors, and agrees with the inverse of B-3.
            for step in 0..=4 {
                let p = &a + (&b - &a) * ratio(step, 4);
                let q = posterior(&p, up);
                let grown = (&q / &p).max((whole(1) - &p) / (whole(1) - &q));
                prop_assert!(Bound::Finite(grown) <= found.gain.value);
            }
            if *up > whole(1) {
                prop_assert_eq!(&found.gain.value, &Bound::Finite((up / (whole(1) + &a * (up - whole(1)))).max(whole(1) + &b * (up - whole(1)))));
            }
        }
        let beyond: u64 = (0..2).filter(|class| gain(&odds(rows[*class].into(), [first, second][*class] as u64, &range).1, &range) > Bound::Finite(whole(2)))
            .map(|class| [first, second][class] as u64).sum();
        prop_assert_eq!(found.beyond_two, beyond);
    }
}

/// By hand, uniform: 2 of 8 are in, so the odds are 1/3; the gain is 1, and belief falls to 1/4.
#[test]
fn by_hand() {
    let all = classes(&table("z\n1* x2"), &["z"], &[]);
    let known = types(&table("z\n11 x3\n12 x5"), &["z"], &[], TableRole::Background).unwrap();
    let Membership::Computed(found) = presence(&Matching::new(&all, &known), &PriorRange::uniform()) else {
        panic!("it is a list")
    };
    assert_eq!((found.up.value, found.down.value), (Bound::Finite(ratio(1, 3)), Bound::Finite(whole(3))));
    assert_eq!((found.gain.value, found.lowest.value, found.beyond_two), (Bound::Finite(whole(1)), ratio(1, 4), 0));
}

/// If two classes cover a person, the number of people of neither class is known.
#[test]
fn overlaps_are_left_out() {
    let all = classes(&table("z\n1*\n*1\n33"), &["z"], &[]);
    let known = types(&table("z\n11\n12 x2\n21\n33 x2"), &["z"], &[], TableRole::Background).unwrap();
    let matching = Matching::new(&all, &known);
    assert_eq!(matching.population(), [2, 2, 3]);
    // People whom two classes cover count for neither, except for its rows.
    assert!(matching.overlaps());
    assert_eq!(matching.at_least(), [2, 1, 2]);
    let Membership::Computed(found) = presence(&matching, &PriorRange::uniform()) else { panic!("it is a list") };
    assert_eq!((found.left_out, found.certainly_in, found.up.value), (4, 0, Bound::Finite(whole(1))));
    let all = classes(&table("z\n1*\n*1"), &["z"], &[]);
    let matching = Matching::new(&all, &known);
    assert_eq!(presence(&matching, &PriorRange::uniform()), Membership::Overlapping);
    let full = classes(&table("z\n33 x3"), &["z"], &[]);
    assert_eq!(
        presence(&Matching::new(&full, &known), &PriorRange::uniform()),
        Membership::NoList { class: "z=33".to_owned(), rows: 3, people: 2 }
    );
}

/// Many cells for one value: no class is lost, whether there are more combinations than classes or fewer.
#[test]
fn values_with_many_cells_find_all_classes() {
    covers_as_cells_do("a,b\n*,*\n1*,1*\n*1,*1\n11,{11;x}\n{11;y},0-20\n0-20,11\n7,7");
    covers_as_cells_do("a,b\n*,*\n1*,*\n*,1*\n1*,1*\n2*,2*\n3*,3*\n4*,4*");
}

fn covers_as_cells_do(text: &str) {
    let all = classes(&table(text), &["a", "b"], &[]);
    let known = types(&table("a,b\n11,11\n7,7\n7,11\nq,q"), &["a", "b"], &[], TableRole::Background).unwrap();
    let matching = Matching::new(&all, &known);
    for person in known.all() {
        let cells = known.columns.iter().zip(known.cells(person));
        let raw: Vec<&str> = cells.map(|(column, cell)| column.cells[*cell as usize].text()).collect();
        let covers = |class: &u32| {
            let cells = all.columns.iter().zip(all.cells(*class)).zip(&raw);
            cells.into_iter().all(|((column, cell), raw)| column.cells[*cell as usize].covers(raw))
        };
        let expected: Vec<u32> = all.all().filter(covers).collect();
        assert_eq!(matching.classes_of(person), expected, "{raw:?}");
        assert!(expected.iter().all(|class| matching.types_of(*class).contains(&person)));
    }
}
