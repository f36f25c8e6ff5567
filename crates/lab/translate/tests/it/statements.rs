//! Whole translations of typical statements.

use deniable_core::adversary::PriorRange;
use deniable_translate::compose::{ComposeError, compose, translate as composed};
use deniable_translate::counterexample::Counterexample;
use deniable_translate::notion::SPELLINGS;
use deniable_translate::parse::{statement, target};
use deniable_translate::render::{Row, text};
use deniable_translate::shape::Shape;
use deniable_translate::translation::{Direction, Translation, translate};

fn rows(from: &str, to: &str, range: &str) -> Vec<Translation> {
    let range = range.parse::<PriorRange>().unwrap();
    translate(&statement(from, &range).unwrap(), &target(to, &range).unwrap()).unwrap()
}

/// The direction and value of each row.
fn brief(from: &str, to: &str, range: &str) -> Vec<String> {
    let each = rows(from, to, range);
    each.iter().map(Row::new).map(|row| format!("{} {}", row.direction, row.value)).collect()
}

#[test]
fn translations() {
    let any = "any";
    let mut wrong: Vec<String> = Vec::new();
    for (from, to, range, wanted) in [
        ("epsilon=ln(3)", "odds", any, vec!["equivalent 3"]),
        ("odds=3", "epsilon", any, vec!["equivalent ln(3)"]),
        ("epsilon=1", "bounded-epsilon", any, vec!["implies 2"]),
        ("odds=3", "bounded-odds", any, vec!["implies 9"]),
        ("bounded-odds=9", "odds", any, vec!["no implication -", "implied by 3"]),
        ("gain=3/2", "positive-odds", "1/2", vec!["equivalent 2"]),
        ("gain=2", "positive-odds", "2/5..3/5", vec!["equivalent 8/3"]),
        ("gain=3/2", "epsilon", "1/5..4/5", vec!["no implication -", "implied by ln(13/8)"]),
        ("gain=2", "bounded-odds", any, vec!["no implication -"]),
        ("gain=2@replace-one", "bounded-odds", any, vec!["equivalent 2"]),
        ("membership=2", "odds", any, vec!["equivalent 2"]),
        // Over an asymmetric range, one γ for presence and absence becomes two odds.
        ("membership=3/2", "odds", "1/5..1/2", vec!["implies 12/7", "implied by 13/8"]),
        ("membership=3/2", "gain", "1/5..1/2", vec!["implies 3/2"]),
        ("membership=3/2", "loss", "1/5..1/2", vec!["implies 3/2"]),
        ("loss=3/2", "membership", "1/5..1/2", vec!["no implication -", "implied by 3/2"]),
        ("odds=12/7", "membership", "1/5..1/2", vec!["implies 11/7", "implied by 3/2"]),
        ("membership=3/2", "uniform-gain", "1/5..1/2", vec!["implies 19/14"]),
        ("odds=3", "posterior", "..1/2", vec!["implies 3/4"]),
        ("positive-odds=3", "posterior", "..1/2", vec!["equivalent 3/4"]),
        ("odds=3", "posterior", any, vec!["no implication -"]),
        ("odds=3", "floor", "1/4..", vec!["implies 1/10"]),
        ("posterior=3/4", "rho:2", "..1/2", vec!["no implication -"]),
        ("posterior=3/4@replace-one", "rho:2", "..1/2", vec!["equivalent 3/4"]),
        ("posterior=3/4@replace-one", "rho:2", "..2/5", vec!["no implication -", "implied by 9/11"]),
        ("bounded-odds=99", "rho:100", any, vec!["implies 1/2"]),
        ("rho=1/2:100", "bounded-odds", any, vec!["no implication -", "implied by 99"]),
        ("rho=3/4:2", "bounded-odds", any, vec!["equivalent 3"]),
        ("rho=2/5:3", "bounded-odds", any, vec!["implies 2", "implied by 4/3"]),
        ("rho=1/2:3", "rho:5", any, vec!["implies 1/3"]),
        ("rho=1/3:5", "rho:3", any, vec!["no implication -", "implied by 1/2"]),
        ("alpha-beta=1/2,1/2:1/2", "bounded-odds", any, vec!["equivalent 3"]),
        ("bounded-odds=3", "alpha-beta:1/2", any, vec!["equivalent 1/2, 1/2"]),
        ("alpha-beta=1/2,4", "bounded-odds", any, vec!["equivalent 2"]),
        ("alpha-beta=1/2,1/2:1/4..1/3", "bounded-odds", any, vec!["no implication -", "implied by 9/5"]),
        ("odds=3", "sampling:1/10", any, vec!["implies 6/5"]),
        ("gain=3", "sampling:1/2", any, vec!["implies 2"]),
        ("gain=3/2", "sampling:1/2", any, vec!["implies 2"]),
        ("sampling=1/10,odds=6/5", "epsilon", any, vec!["no implication -", "implied by ln(3)"]),
        ("sampling=1/3,odds=2", "sampled-gain:1/3", any, vec!["equivalent 2"]),
        ("sampling=1/3,odds=5/4", "sampled-gain:1/3", any, vec!["implies 7/5"]),
        ("odds=2", "group:3", any, vec!["implies 8", "implied by 2"]),
        ("group=3,odds=8", "odds", any, vec!["implies 8", "implied by 2"]),
        ("free-lunch=3", "bounded-odds", any, vec!["implies 3"]),
        ("odds=3", "free-lunch", any, vec!["no implication -", "implied by 3"]),
        ("odds=2", "uniform-gain", any, vec!["implies 3/2"]),
        ("k-max=2", "odds", any, vec!["no implication -", "implied by 2"]),
    ] {
        let found = brief(from, to, range);
        if found != wanted {
            wrong.push(format!("{from} -> {to} over {range}: {found:?}, not {wanted:?}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn partial_bounds_are_marked() {
    let found = rows("rho=2/5:3", "bounded-odds", "any");
    assert!(found[0].partial && !found[1].partial);
    // Below 1/(m−1) no person can be ruled out: other notions have another counterexample.
    let others = rows("rho=2/5:3", "alpha-beta:1/4", "any");
    assert_eq!(others[0].counterexample, Some(Counterexample::LargeSets));
    let others = rows("rho=1/2:3", "alpha-beta:1/4", "any");
    assert_eq!(others[0].counterexample, Some(Counterexample::NotThisOne));
    assert!(found[0].conditions.iter().any(|c| c.contains("at most n − 2 people")), "{:?}", found[0].conditions);
}

#[test]
fn irrational_values_are_enclosed_on_the_safe_side() {
    let row = Row::new(&rows("epsilon=1", "posterior", "..1/2")[0]);
    assert!(row.value.starts_with("0.73105857863 .. 0.731058578631"), "{}", row.value);
    assert_eq!(row.decimal, "0.731059");
    let row = Row::new(&rows("epsilon=1", "floor", "1/2..")[0]);
    assert_eq!(row.decimal, "0.268941", "a floor is rounded down");
}

#[test]
fn odds_compose_and_beliefs_do_not() {
    let of =
        |text: &str| statement(text, &PriorRange::new(None, Some(deniable_core::exact::ratio(1, 2))).unwrap()).unwrap();
    let total = |texts: &[&str]| compose(&texts.iter().map(|text| of(text)).collect::<Vec<_>>());
    assert_eq!(total(&["odds=3", "odds=2"]).unwrap().to_string(), "odds=6");
    assert_eq!(total(&["epsilon=1", "epsilon=1/2"]).unwrap().to_string(), "odds=e^(3/2)");
    assert_eq!(total(&["odds=3", "bounded-odds=2"]).unwrap().to_string(), "odds=18@replace-one");
    assert_eq!(total(&["odds=3", "positive-odds=2"]).unwrap().to_string(), "positive-odds=6");
    assert_eq!(total(&["free-lunch=3", "odds=2"]).unwrap().to_string(), "odds=6");
    assert!(matches!(total(&["positive-odds=3", "negative-odds=2"]), Err(ComposeError::NothingInCommon { .. })));
    assert!(matches!(total(&[]), Err(ComposeError::Nothing)));
    for (text, theorem, hint) in [
        ("gain=2", "E-4", "positive-odds=3"),
        ("posterior=3/4", "E-4", "positive-odds=3"),
        ("rho=3/4:2", "E-4", "bounded-odds=3"),
        ("alpha-beta=1/2,1/2:1/2", "E-2", "bounded-odds=3"),
        ("k-max=2", "E-3", "epsilon="),
        ("sampling=1/10,epsilon=1", "I-DPS", "epsilon="),
    ] {
        let error = total(&["odds=2", text]).unwrap_err().to_string();
        assert!(error.contains(theorem) && error.contains("release 2"), "{error}");
        // The gain of 2 over ..1/2 allows odds of 2 by B-3; only the names are compared here.
        assert!(text == "gain=2" || error.contains(hint), "{error}");
    }
}

/// Statements about any prior are statements of odds (F-DI, F-DB, C-6), and compose as these do.
#[test]
fn statements_about_any_prior_compose_as_their_odds() {
    let any = PriorRange::any();
    let total = |texts: &[&str]| compose(&texts.iter().map(|text| statement(text, &any).unwrap()).collect::<Vec<_>>());
    for (releases, together) in [
        (vec!["alpha-beta=1/2,1", "alpha-beta=1/2,1"], "bounded-odds=4"),
        // The smaller of 1/(1−α) = 4/3 and 1 + β = 3 binds.
        (vec!["alpha-beta=1/4,2", "bounded-odds=3"], "bounded-odds=4"),
        (vec!["membership=2", "membership=3"], "odds=6"),
        (vec!["membership=2@replace-one", "odds=3"], "bounded-odds=18"),
        (vec!["gain=2", "odds=3"], "positive-odds=6"),
        (vec!["gain=2@replace-one", "negative-gain=3@replace-one"], "bounded-odds=6"),
        (vec!["negative-gain=2", "negative-odds=3"], "negative-odds=6"),
        (vec!["indistinguishable=2", "membership=2"], "odds=4"),
    ] {
        let found = total(&releases).unwrap_or_else(|error| panic!("{releases:?}: {error}"));
        assert_eq!(found.to_string(), statement(together, &any).unwrap().to_string(), "{releases:?}");
    }
    // As published for prior-free promises: 1 − 1/4 and 4 − 1.
    let both = ["alpha-beta=1/2,1", "alpha-beta=1/2,1"].map(|text| statement(text, &any).unwrap());
    let lines = composed(&both, &target("alpha-beta", &any).unwrap()).unwrap();
    assert_eq!(Row::new(&lines[0]).value, "3/4, 3");
    assert!(matches!(total(&["gain=2", "negative-odds=3"]), Err(ComposeError::NothingInCommon { .. })));
    for refused in ["gain=2@..1/2", "membership=3/2@1/5..4/5", "alpha-beta=1/2,1/2:1/2", "alpha-beta=1/2,1/2:0..1/2"] {
        assert!(matches!(total(&["odds=2", refused]), Err(ComposeError::NotOdds { .. })), "{refused}");
    }
}

/// The value may come last, as translations are displayed.
#[test]
fn a_value_may_come_after_the_adjacency_and_the_priors() {
    let any = PriorRange::any();
    let same = |one: &str, other: &str| assert_eq!(statement(one, &any), statement(other, &any), "{one}");
    same("odds@replace-one=3", "odds=3@replace-one");
    same("gain@replace-one@1/5..4/5=2", "gain=2@replace-one@1/5..4/5");
    same("gain@1/5..4/5 = 2", "gain=2@1/5..4/5");
    same("group-privacy:2@replace-one=8", "group-privacy=2,odds=8@replace-one");
    for wrong in ["odds@replace-one", "odds@replace-one=", "odds@=3", "odds=3@replace-one=4"] {
        assert!(statement(wrong, &any).is_err(), "{wrong}");
    }
    assert!(target("odds@replace-one=3", &any).is_err());
}

/// In both orders, `odds=3` and `group=2,odds=2` compose to odds of 6, and of 18 between datasets that differ by two.
#[test]
fn the_order_of_releases_does_not_matter() {
    let any = PriorRange::any();
    let of = |texts: &[&str]| texts.iter().map(|text| statement(text, &any).unwrap()).collect::<Vec<_>>();
    for (releases, total, targets) in [
        (
            vec!["odds=3", "group=2,odds=2"],
            "odds=6",
            vec![("odds", "6"), ("group:2", "18"), ("bounded-odds", "18"), ("group:5", "1944"), ("gain", "6")],
        ),
        (vec!["odds=3", "bounded-odds=2"], "odds=18@replace-one", vec![("bounded-odds", "18"), ("rho:2", "18/19")]),
        (vec!["group=2,odds=2", "group=3,odds=3"], "group-privacy:2=6", vec![("odds", "6"), ("group:3", "12")]),
        (vec!["odds=3", "positive-odds=2"], "positive-odds=6", vec![("gain@1/2", "7/2")]),
    ] {
        let mut reversed = releases.clone();
        reversed.reverse();
        for order in [releases, reversed] {
            let order = of(&order);
            assert_eq!(compose(&order).unwrap().to_string(), statement(total, &any).unwrap().to_string());
            for (to, wanted) in &targets {
                let lines = composed(&order, &target(to, &any).unwrap()).unwrap();
                let row = Row::new(&lines[0]);
                assert!(row.direction == "implies" || row.direction == "equivalent", "{to}: {row:?}");
                assert_eq!(row.value, *wanted, "{to}");
            }
        }
    }
}

/// Three releases in any order have the same total and the same rows, notes included.
#[test]
fn rows_do_not_depend_on_the_order_of_releases() {
    let any = PriorRange::any();
    let of = |text: &str| statement(text, &any).unwrap();
    let pool = [
        "odds=3",
        "epsilon=1/2",
        "bounded-odds=2",
        "positive-odds=5/2",
        "group=2,odds=2",
        "group=3,odds=5",
        "free-lunch=3/2",
        "group-privacy:2=3@replace-one",
        "zero-knowledge:1=3/2",
        "zero-knowledge:0=2",
        "induced-neighbours:2=2",
        "induced-neighbours:size=3",
    ];
    let targets =
        ["odds", "bounded-odds", "group:2", "group:2@replace-one", "gain@1/2", "rho:3", "induced-neighbours:2"];
    let mut dice = super::world::Dice::new(73);
    let (mut composed_once, mut loose) = (0, 0);
    for _ in 0..deniable_testing::sized(25, 600) {
        let some: Vec<_> = (0..3).map(|_| of(pool[usize::try_from(dice.below(pool.len() as u64)).unwrap()])).collect();
        let orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
        for to in targets {
            let to = target(to, &any).unwrap();
            let shown = orders.map(|order| {
                let lines = composed(&order.map(|at| some[at].clone()), &to);
                lines.ok().map(|lines| lines.iter().map(Row::new).collect::<Vec<_>>())
            });
            assert!(shown.iter().all(|rows| *rows == shown[0]), "{some:?} -> {to}: {shown:#?}");
            composed_once += usize::from(shown[0].is_some());
            loose += usize::from(shown[0].as_ref().is_some_and(|rows| !rows[0].tight));
        }
    }
    assert!(composed_once > 80 && loose > 8, "{composed_once}, {loose}");
}

/// A total is tight only if each release is known to be attained.
#[test]
fn a_loose_total_is_not_marked_tight() {
    let any = PriorRange::any();
    let of = |texts: &[&str]| texts.iter().map(|text| statement(text, &any).unwrap()).collect::<Vec<_>>();
    for (releases, to, value, tight) in [
        (["odds=3", "group=2,odds=2"], "group:2", "18", true),
        (["odds=3", "group=2,odds=2"], "group:2@replace-one", "324", false),
        (["odds=3", "bounded-odds=2"], "bounded-odds", "18", true),
        (["zero-knowledge:1=2", "odds=3"], "free-lunch", "-", false),
        (["zero-knowledge:1=2", "free-lunch=3"], "free-lunch", "768", false),
        (["zero-knowledge:1=2", "odds=3"], "odds", "12", true),
    ] {
        for releases in [releases, [releases[1], releases[0]]] {
            let row = Row::new(&composed(&of(&releases), &target(to, &any).unwrap()).unwrap()[0]);
            assert_eq!((row.value.as_str(), row.tight), (value, tight), "{releases:?} -> {to}");
        }
    }
}

/// An exchange is one person removed and one added: the odds of absence times those of presence, not the square of the
/// larger.
#[test]
fn an_exchange_costs_one_way_times_the_other() {
    for (gamma, range) in [("5/3", "1/5..1/3"), ("3/2", "1/5..1/2"), ("2", "1/10..2/3")] {
        let enough = |notion: &str| {
            let row = brief(
                &format!("{notion}={gamma}"),
                if notion == "gain" { "positive-odds" } else { "negative-odds" },
                range,
            );
            row[0].split(' ').nth(1).unwrap().parse::<deniable_core::exact::Rational>().unwrap()
        };
        let (up, down) = (enough("gain"), enough("loss"));
        assert_ne!(up, down);
        let line = &rows(&format!("membership={gamma}"), "bounded-odds", range)[0];
        assert_eq!(Row::new(line).value, (&up * &down).to_string(), "{range}");
        assert!(line.tight);
        // One person's presence is `up` times as likely, another's absence `down` times: adding or removing either
        // satisfies both.
        let scale = |data: u32| {
            let one = |bit: u32, odds: &deniable_core::exact::Rational| {
                if data >> bit & 1 == 1 { odds.clone() } else { deniable_core::exact::whole(1) }
            };
            one(0, &up) * one(1, &down.recip()) / (deniable_core::exact::whole(1000) * &up)
        };
        let mechanism = super::world::yes(2, scale);
        let measured = |shape| super::world::measure(&mechanism, &shape).finite().unwrap().clone();
        assert!(measured(Shape::Up) == up && measured(Shape::Down) == down);
        assert_eq!(measured(Shape::Replace), &up * &down);
    }
}

#[test]
fn errors_name_the_place_and_the_correction() {
    let any = PriorRange::any();
    for (wrong, part) in [
        ("gian=2", "did you mean `gain`?"),
        ("gain", "write `gain=3/2`"),
        ("gain=x", "at `x`"),
        ("rho=1/2", "write `rho=1/2:100`"),
        ("rho=1/2:1", "at `1`: not a whole number, at least 2"),
        ("odds=1", "above 1"),
        ("epsilon=0", "above 0"),
        ("gain=2@replace-on", "did you mean `replace-one`?"),
        ("gain=2@4/5..1/5", "above the highest"),
        ("rho=1/2:3@add-remove", "adjacency of its own"),
        ("bounded-odds=3@add-remove", "leave it out"),
        ("sampling=2,epsilon=1", "at `2`: not a probability above 0 and below 1"),
        ("sampling=1/10", "sampling=1/10,epsilon=1"),
        ("group=0,odds=2", "from 1 to 10000"),
        ("alpha-beta=1/2", "two numbers"),
        ("alpha-beta=1/2,1/2:2/3", "from 0 to 1/2"),
        ("alpha-beta=1/2,1/2:1/4..1", "P_MAX is not below 1"),
        ("zero-knowledge:10001=2", "up to 10000"),
        ("crowd-blending:1=2", "from 2 to 10000"),
        ("k-max=1", "from 2 to 1000"),
        ("k-max", "write `k-max=2`"),
    ] {
        let error = statement(wrong, &any).unwrap_err().to_string();
        assert!(error.contains(part), "{wrong}: {error}");
    }
    assert!(target("gain=2", &any).unwrap_err().to_string().contains("write `gain`"));
    assert!(target("rho", &any).unwrap_err().to_string().contains("rho:100"));
    assert!(translate(&statement("posterior=3/4", &any).unwrap(), &target("odds", &any).unwrap()).is_err());
}

#[test]
fn every_spelling_reads_and_reads_back() {
    let range = "1/5..1/2".parse::<PriorRange>().unwrap();
    for spelling in &SPELLINGS {
        let said = statement(spelling.statement, &range).unwrap();
        assert_eq!(statement(&said.to_string(), &PriorRange::any()).unwrap(), said, "{said}");
        let to = target(spelling.target, &range).unwrap();
        assert_eq!(target(&to.to_string(), &PriorRange::any()).unwrap(), to, "{to}");
        assert_eq!(to.shape(), target(&to.to_string(), &range).unwrap().shape());
        assert!(!to.family().is_empty() && !to.notion.theorem().is_empty());
    }
}

#[test]
fn everything_translates_to_everything() {
    let range = "1/5..1/2".parse::<PriorRange>().unwrap();
    for from in &SPELLINGS {
        let from = statement(from.statement, &range).unwrap();
        for to in &SPELLINGS {
            let to = target(to.target, &range).unwrap();
            let found = translate(&from, &to).unwrap();
            assert!(!found.is_empty());
            for line in &found {
                assert_eq!(line.value.is_none(), line.direction == Direction::NoImplication, "{from} -> {to}");
                assert_eq!(line.counterexample.is_some(), line.value.is_none() || line.partial);
                assert!(!line.theorems.is_empty());
            }
            if from.target == to {
                assert_eq!(found[0].direction, Direction::Equivalent, "{from}");
            }
        }
    }
}

#[test]
fn rows_are_text_and_json() {
    let rows: Vec<Row> =
        ["bounded-odds", "rho:2"].iter().flat_map(|to| rows("odds=3", to, "any")).map(|t| Row::new(&t)).collect();
    let shown = text(&rows);
    assert!(shown.starts_with("notion"), "{shown}");
    assert!(shown.contains("odds@replace-one  9      9        implies"), "{shown}");
    let json = serde_json::to_value(&rows).unwrap();
    assert_eq!(json[1]["value"], "9/10");
    assert_eq!(json[1]["direction"], "implies");
}
