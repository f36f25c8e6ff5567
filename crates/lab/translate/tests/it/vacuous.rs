//! Statements without an observer are vacuous, not errors, alone and composed.

use deniable_core::adversary::PriorRange;
use deniable_core::exact::{Rational, ratio, whole};
use deniable_translate::bounds::nobody;
use deniable_translate::compose::{compose, translate as composed};
use deniable_translate::parse::{statement, target};
use deniable_translate::render::Row;
use deniable_translate::statement::Statement;
use deniable_translate::translation::{Direction, translate};

const NOBODY: &str = "alpha-beta=1/2,1/2:2/5..9/20";

fn of(text: &str) -> Statement {
    statement(text, &PriorRange::any()).unwrap()
}

#[test]
fn statements_without_an_observer_are_vacuous() {
    let to = |text: &str| target(text, &PriorRange::any()).unwrap();
    for other in ["odds", "bounded-odds", "rho:2", "crowd-blending:2", "alpha-beta:1/4", "bayes-optimal"] {
        let lines = translate(&of(NOBODY), &to(other)).unwrap();
        let row = Row::new(&lines[0]);
        assert_eq!((lines.len(), row.direction, row.value.as_str()), (1, "vacuous", "-"), "{other}");
        assert!(row.note.contains("every mechanism satisfies it, and nothing follows from it"), "{}", row.note);
    }
    for from in ["odds=3", "bounded-odds=2", "gain=2@replace-one", "k-max=2", NOBODY] {
        let lines = translate(&of(from), &to("alpha-beta:2/5..9/20")).unwrap();
        let row = Row::new(&lines[0]);
        // Every mechanism satisfies the least parameter, as `check` confirms.
        assert_eq!((lines.len(), row.direction, row.value.as_str()), (1, "vacuous", "0, 0"), "{from}");
        assert!(row.note.contains("it promises nothing, and every mechanism satisfies it"), "{}", row.note);
    }
}

#[test]
fn nothing_follows_from_a_composition_with_a_vacuous_statement() {
    for releases in [vec!["odds=3", NOBODY], vec![NOBODY, "odds=3"], vec![NOBODY]] {
        let releases: Vec<Statement> = releases.into_iter().map(of).collect();
        assert_eq!(compose(&releases), Ok(of(NOBODY)));
        let lines = composed(&releases, &target("odds", &PriorRange::any()).unwrap()).unwrap();
        assert_eq!((lines.len(), lines[0].direction, &lines[0].value), (1, Direction::Vacuous, &None));
    }
    let releases = ["odds=3", "odds=2"].map(of);
    let lines = composed(&releases, &target("alpha-beta:2/5..9/20", &PriorRange::any()).unwrap()).unwrap();
    assert_eq!((lines.len(), lines[0].direction), (1, Direction::Vacuous));
}

/// The vacuous ranges by enumeration: worlds with beliefs on a grid that sum to 1.
#[test]
fn vacuous_ranges_agree_with_enumeration() {
    let grid = 24;
    let mut counted = [0, 0];
    for low in 1..=grid / 2 {
        for high in low..grid {
            // The sum of the worlds' beliefs can have any value between the extremes.
            let some = (2..=grid).any(|worlds| worlds * low <= grid && grid <= worlds * high);
            let (least, most): (Rational, Rational) = (ratio(low, grid), ratio(high, grid));
            let to = target(&format!("alpha-beta:{least}..{most}"), &PriorRange::any()).unwrap();
            assert_eq!(nobody(&to), !some, "{to}");
            counted[usize::from(some)] += 1;
        }
    }
    assert!(counted[0] >= 8 && counted[1] > 100, "{counted:?}");
    assert!(!nobody(&target("alpha-beta:1/2", &PriorRange::any()).unwrap()) && ratio(1, 2) < whole(1));
}
