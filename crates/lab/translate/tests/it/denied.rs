//! Missing implications: each is confirmed by a built case, verified again by plain enumeration.

use super::world::measure;
use deniable_check::Bound;
use deniable_core::adversary::PriorRange;
use deniable_translate::bounds::enough;
use deniable_translate::parse::{statement, target};
use deniable_translate::refuted::{BuiltInstances, Instance, RefutationOutcome, decided};
use deniable_translate::shape::Shape;
use deniable_translate::statement::{Statement, Target};
use deniable_translate::translation::{Direction, Translation, translate};

/// Statements of every notion, with parameters for which few people are enough.
pub const STATEMENTS: [&str; 41] = [
    "odds=3",
    "epsilon=1",
    "bounded-odds=3",
    "positive-odds=3",
    "negative-epsilon=1/2",
    "free-lunch=3",
    "gain=3/2",
    "gain=2@1/5..1/2",
    "gain=2@replace-one",
    "gain=2@replace-one@1/10..2/5",
    "negative-gain=3/2@1/5..4/5",
    "membership=3/2@1/5..1/2",
    "posterior-at-most=3/4@..1/2",
    "posterior-at-most=7/10@replace-one@1/10..2/5",
    "posterior-at-least=1/10@1/4..",
    "rho=3/4:2",
    "rho=1/2:3",
    "rho=2/5:3",
    "alpha-beta=1/2,1/2:1/4",
    "sampling=1/10,odds=6/5",
    "sampling=1/3,epsilon=1/2",
    "positive-sampling:1/3=3/2",
    "sampled-gain:1/3=3/2",
    "group-privacy=2,odds=3",
    "group-privacy:2=3@replace-one",
    "k-max=2",
    "indistinguishable=2@1/5..1/2",
    "indistinguishable=3/2@replace-one@1/10..2/5",
    "zero-knowledge:0=2",
    "zero-knowledge:1=3/2",
    "zero-knowledge-rows:1=2",
    "zero-knowledge-rows:2=3/2",
    "crowd-blending:2=3/2",
    "crowd-blending:3=2",
    "induced-neighbours:none=2",
    "induced-neighbours:size=2",
    "induced-neighbours:2=2",
    "induced-exchange:none=2",
    "induced-exchange:2=2",
    "bayes-optimal=2",
    "semi-honest=2",
];

/// The targets of the statements.
pub const TARGETS: [&str; 43] = [
    "odds",
    "bounded-epsilon",
    "positive-odds",
    "negative-odds",
    "free-lunch",
    "gain",
    "gain@1/5..1/2",
    "gain@replace-one",
    "gain@replace-one@1/5..2/5",
    "gain@replace-one@1/5..4/5",
    "negative-gain@1/5..4/5",
    "membership@1/5..1/2",
    "posterior-at-most",
    "posterior-at-most@..1/2",
    "posterior-at-least@1/4..",
    "rho:2",
    "rho:3",
    "alpha-beta:1/4",
    "sampling:1/10",
    "sampling:1/2",
    "positive-sampling:1/10",
    "sampled-gain:1/3",
    "group-privacy:2",
    "group-privacy:2@replace-one",
    "uniform-gain",
    "indistinguishable@1/5..1/2",
    "zero-knowledge:0",
    "zero-knowledge:1",
    "zero-knowledge-rows:1",
    "zero-knowledge-rows:2",
    "crowd-blending:2",
    "crowd-blending:3",
    "induced-neighbours:none",
    "induced-neighbours:size",
    "induced-neighbours:2",
    "induced-neighbours:3",
    "induced-exchange:none",
    "induced-exchange:1",
    "induced-exchange:2",
    "bayes-optimal",
    "bayes-optimal-two-sided",
    "semi-honest",
    "semi-honest-both",
];

pub fn pairs() -> impl Iterator<Item = (Statement, Target)> {
    let any = PriorRange::any();
    let from = STATEMENTS.map(|text| statement(text, &any).unwrap());
    let to = TARGETS.map(|text| target(text, &any).unwrap());
    from.into_iter().flat_map(move |from| to.clone().map(|to| (from.clone(), to)))
}

fn denied() -> impl Iterator<Item = (Statement, Target, Translation)> {
    pairs().filter_map(|(from, to)| {
        let line = translate(&from, &to).unwrap().swap_remove(0);
        (line.direction == Direction::NoImplication).then_some((from, to, line))
    })
}

fn is_of_datasets(shape: &Shape) -> bool {
    !matches!(
        shape,
        Shape::Simulated(_)
            | Shape::SimulatedRows(_)
            | Shape::Crowd(_)
            | Shape::Induced(_)
            | Shape::Exchanged(_)
            | Shape::View { .. }
            | Shape::Table { .. }
    )
}

/// Every counterexample is built. If both notions are about pairs of datasets, an enumeration that shares no code with
/// `check` confirms that it satisfies the statement and breaks the target.
#[test]
fn every_counterexample_is_a_case() {
    let (mut all, mut enumerated) = (0, 0);
    let mut undecided = Vec::new();
    for (from, to, line) in denied() {
        all += 1;
        if !line.decided {
            undecided.push(format!("{from} -> {to}: {:?}", line.counterexample));
            continue;
        }
        let RefutationOutcome::Refuted(built) = decided(line.counterexample.unwrap(), &from, &to) else {
            panic!("{from} -> {to}")
        };
        let (kept, broken) = (from.target.shape(), to.shape());
        let whole_range = !to.notion.depends_on_priors() || to.priors.is_any() || to.shape() != Shape::Replace;
        if !is_of_datasets(&kept) || !is_of_datasets(&broken) || !whole_range {
            continue;
        }
        let limit = Bound::Finite(enough(&from).unwrap().ends().1);
        let odds = |instance: &Instance, shape: &Shape| measure(instance.mechanism.as_ref().unwrap(), shape);
        // Among so few people, bounded beliefs of a public size may have no observer; then the statement is not about
        // odds.
        let by_odds =
            !(from.target.notion.depends_on_priors() && kept == Shape::Replace && !from.target.priors.is_any());
        let several = match &built {
            BuiltInstances::One(instance) => {
                let reached = odds(instance, &broken);
                let beyond =
                    line.counterexample == Some(deniable_translate::counterexample::Counterexample::PriorBeyond);
                assert!(beyond || reached == Bound::Infinite, "{from} -> {to}: {reached}");
                std::slice::from_ref(&**instance)
            }
            BuiltInstances::Growing(instances) => {
                let reached: Vec<Bound> = instances.iter().map(|instance| odds(instance, &broken)).collect();
                assert!(reached.len() == 3 && reached.windows(2).all(|pair| pair[0] < pair[1]), "{from} -> {to}");
                instances.as_slice()
            }
        };
        assert!(!by_odds || several.iter().all(|instance| odds(instance, &kept) <= limit), "{from} -> {to}");
        enumerated += 1;
    }
    assert_eq!(undecided, Vec::<String>::new());
    assert!(all > 600 && enumerated > 200, "{all} denied, {enumerated} enumerated");
}
