use super::*;
use crate::testing::{AWKWARD, ODD, check};

fn example(times: Vec<(f64, f64)>) -> Spending {
    let named = |(at, (time, spent)): (usize, (f64, f64))| (time, spent, format!("release {}", at + 1));
    Spending {
        times: times.into_iter().enumerate().map(named).collect(),
        changes: vec![(150.0, "odds 3".to_owned())],
        limit_label: "odds of at most 3".to_owned(),
        ticks: vec![(100.0, "1 May".to_owned()), (200.0, "2 May".to_owned())],
    }
}

#[test]
fn the_description_says_what_is_spent() {
    let svg = spending(&example(vec![(100.0, 0.25), (200.0, 1.125)]));
    check(&svg);
    for words in [
        "2 releases. After the last, release 2, 112.5% of the promise is spent.",
        "Spent after each: release 1 25%, release 2 112.5%.",
        "above the limit",
        "The limit, 100%: odds of at most 3. The promise changed: odds 3.",
        ">1 May<",
        ">date of the release<",
    ] {
        assert!(svg.contains(words), "{words}: {svg}");
    }
}

#[test]
fn releases_of_one_second_are_counted_instead() {
    for times in [vec![(100.0, 0.5)], vec![(100.0, 0.25), (100.9, 0.5)], vec![(f64::NAN, 0.25), (300.0, 0.5)]] {
        let svg = spending(&example(times));
        check(&svg);
        assert!(svg.contains(">number of the release<") && !svg.contains(">1 May<"), "{svg}");
    }
}

#[test]
fn any_number_of_releases_can_be_drawn() {
    for many in [0, 1, 2, 12, 60, 200, 3000] {
        for apart in [0.0, 60.0, 1e7] {
            let svg =
                spending(&example((0..many).map(|at| (1e9 + f64::from(at) * apart, f64::from(at) / 150.0)).collect()));
            check(&svg);
        }
    }
}

#[test]
fn odd_numbers_and_labels_are_drawn_or_missing() {
    for one in ODD {
        for other in ODD {
            let mut odd = example(vec![(one, other), (other, one), (other, 0.5)]);
            odd.changes.extend([(one, "a".to_owned()), (other, "b".to_owned())]);
            odd.ticks.push((one, "c".to_owned()));
            check(&spending(&odd));
        }
    }
    let long = "word ".repeat(40);
    for label in AWKWARD.into_iter().chain([long.as_str()]) {
        let odd = Spending {
            times: vec![(0.0, 0.1, label.to_owned()), (9.0, 0.2, label.to_owned())],
            changes: (0..6).map(|at| (f64::from(at), label.to_owned())).collect(),
            limit_label: label.to_owned(),
            ticks: (0..6).map(|at| (f64::from(at), label.to_owned())).collect(),
        };
        check(&spending(&odd));
    }
}
