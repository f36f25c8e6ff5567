use super::*;
use crate::testing::{AWKWARD, ODD, check, texts};

fn example(lines: usize, value: impl Fn(usize, f64) -> Option<f64>) -> Errors {
    let x: Vec<f64> = (1..=10).map(|at| f64::from(at) * 0.5).collect();
    let line = |at: usize| (format!("line {at}"), x.iter().map(|x| value(at, *x)).collect());
    Errors {
        x_label: "odds".to_owned(),
        unit: "trips".to_owned(),
        lines: (0..lines).map(line).collect(),
        current: Some(2.0),
        x,
    }
}

#[test]
fn the_description_says_the_errors() {
    let svg = errors(&example(2, |at, x| Some((at as f64 + 1.0) * 10.0 / x)));
    check(&svg);
    for words in ["2 lines over odds, in trips. The current promise is at 2.", "line 0: 20 at 0.5, 2 at 5.", ">now 2<"]
    {
        assert!(svg.contains(words), "{words}: {svg}");
    }
}

#[test]
fn wide_ranges_are_drawn_by_factors_and_say_so() {
    assert!(errors(&example(1, |_, x| Some(10_f64.powf(x)))).contains("trips (log)"));
    assert!(!errors(&example(1, |_, x| Some(x))).contains("(log)"));
    assert!(!errors(&example(1, |_, x| Some(x * 100.0 - 50.0))).contains("(log)"));
}

#[test]
fn several_lines_have_a_legend() {
    let named = |lines| {
        let svg = errors(&example(lines, |_, x| Some(1.0 / x)));
        check(&svg);
        texts(&svg).into_iter().filter(|(_, _, text)| text.starts_with("line")).count()
    };
    assert_eq!([named(1), named(2), named(5)], [0, 2, 5]);
}

#[test]
fn anything_can_be_drawn() {
    for lines in [0, 1, 5, 6, 20] {
        check(&errors(&example(lines, |_, _| None)));
        check(&errors(&example(lines, |at, x| (x > 2.0 || at == 1).then_some(3.0))));
        for odd in ODD {
            check(&errors(&example(lines, |at, x| Some(if at == 1 { odd } else { odd * x }))));
            check(&errors(&Errors { current: Some(odd), ..example(lines, |_, x| Some(x)) }));
            check(&errors(&Errors { x: vec![odd, 1.0, f64::NAN], ..example(lines, |_, x| Some(x)) }));
        }
    }
    let long = "word ".repeat(40);
    for label in AWKWARD.into_iter().chain([long.as_str()]) {
        for lines in [3, 8] {
            let mut odd = example(lines, |at, x| Some(x + at as f64));
            odd.lines.iter_mut().for_each(|(name, _)| *name = label.to_owned());
            check(&errors(&Errors { x_label: label.to_owned(), unit: label.to_owned(), ..odd }));
        }
    }
}
