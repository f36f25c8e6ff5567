use super::*;
use crate::testing::{AWKWARD, ODD, check};

/// A test that raises rates to a power, in steps of single people.
fn curve(name: &str, power: f64, people: u32) -> Curve {
    let points = (0..=people).map(|at| {
        let wrong = f64::from(at) / f64::from(people);
        (wrong, wrong.powf(power))
    });
    Curve { name: name.to_owned(), points: points.collect() }
}

fn example(odds: Option<f64>) -> Roc {
    let curves = vec![curve("homer", 0.25, 200), curve("lr", 1.0, 200)];
    Roc { title: "Who took part?".to_owned(), curves, odds }
}

#[test]
fn the_description_says_the_numbers() {
    let svg = roc(&example(Some(2.0)));
    check(&svg);
    for words in [
        "ROC curves of 2 tests",
        "homer: area 0.8, 31.6% at 1%, 47.3% at 5%, 84.1% at 50%.",
        "lr: area 0.5, 1% at 1%, 5% at 5%, 50% at 50%.",
        "Under odds of at most 2 no test reaches more than 2% at 1%, 10% at 5%, 75% at 50%, or an area above 0.667, on",
        ">homer (area 0.8)<",
        ">more than odds of at most 2 allow any test<",
        ">a coin (area 0.5)<",
    ] {
        assert!(svg.contains(words), "{words}: {svg}");
    }
    let without = roc(&example(None));
    check(&without);
    assert!(!without.contains("odds") && !without.contains("#B42A1D"), "{without}");
}

/// Both pieces of the bound meet in its corner.
#[test]
fn the_edge_is_the_bound() {
    for odds in [1.0, 1.5, 2.0, 20.0] {
        let [_, (wrong, right), _] = limit(odds);
        assert!((odds * wrong - right).abs() < 1e-12 && (1.0 - (1.0 - wrong) / odds - right).abs() < 1e-12);
    }
}

/// A curve of a hundred thousand people is drawn with few points, without a visible difference.
#[test]
fn long_curves_are_thinned_without_being_seen() {
    let (mut wrong, mut right, mut state) = (0_u32, 0_u32, 7_u64);
    let mut points = vec![(0.0, 0.0)];
    for _ in 0..100_000 {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        if (state >> 33) % 3 == 0 {
            wrong += 1
        } else {
            right += 1
        }
        points.push((f64::from(wrong), f64::from(right)));
    }
    let places: Vec<Place> = points
        .iter()
        .map(|(a, b)| (60.0 + 480.0 * a / f64::from(wrong), 400.0 - 380.0 * b / f64::from(right)))
        .collect();
    let few = thinned(&places);
    assert!(few.len() < 500, "{}", few.len());
    // A third of a pixel, plus the rounding to drawing units.
    for place in &places {
        let nearest = few.windows(2).map(|pair| distance(*place, (pair[0], pair[1]))).fold(f64::INFINITY, f64::min);
        assert!(nearest <= 0.66, "{place:?}: {nearest}");
    }
    assert_eq!(few.first(), places.first());
    let shares = points.iter().map(|(a, b)| (a / f64::from(wrong), b / f64::from(right))).collect();
    let drawn =
        roc(&Roc { title: String::new(), curves: vec![Curve { name: "x".into(), points: shares }], odds: None });
    check(&drawn);
    assert!(drawn.len() < 20_000, "{}", drawn.len());
}

#[test]
fn corners_are_kept() {
    let steps = [(0.0, 0.0), (0.0, 50.0), (10.0, 50.0), (10.0, 80.0), (90.0, 80.0)];
    assert_eq!(thinned(&steps), steps);
    assert_eq!(thinned(&[(0.0, 0.0), (5.0, 5.0), (10.0, 10.0)]), [(0.0, 0.0), (10.0, 10.0)]);
    assert_eq!(thinned(&[]), []);
}

#[test]
fn where_a_curve_goes_straight_up_its_highest_counts() {
    let points = placed(&[(0.05, 0.2), (0.05, 0.6)]);
    assert!((height(&points, 0.05) - 0.6).abs() < 1e-12 && (height(&points, 1.0) - 1.0).abs() < 1e-12);
}

#[test]
fn anything_can_be_drawn() {
    check(&roc(&Roc { title: String::new(), curves: vec![], odds: None }));
    check(&roc(&Roc { curves: vec![Curve { name: "none".into(), points: vec![] }], ..example(Some(3.0)) }));
    for odd in ODD {
        let mut one = example(Some(odd));
        one.curves[0].points.extend([(odd, 0.5), (0.5, odd), (odd, odd)]);
        check(&roc(&one));
    }
    let long = "word ".repeat(40);
    for label in AWKWARD.into_iter().chain([long.as_str()]) {
        let curves = (0..7).map(|_| curve(label, 0.5, 10)).collect();
        check(&roc(&Roc { title: label.to_owned(), curves, odds: Some(1e9) }));
    }
}
