//! Observers of different knowledge, and the beliefs that each can reach under an odds ratio (B-1, B-4).

use deniable_core::adversary::{Preset, PriorRange};
use deniable_core::belief::posterior_range;
use deniable_core::exact::{Rational, Rounding, percent_exactly, power, ratio, square_root, whole};
use deniable_core::guarantee::Guarantee;
use deniable_core::promise::Promise;
use num_traits::{One, Zero};

/// Decimal places of an irrational belief.
const PLACES: u32 = 6;

/// An observer of everything that was released.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Observer {
    /// The observer in a word or two.
    pub name: String,
    /// The observer in a sentence.
    pub who: String,
    /// The example prior.
    pub before: Rational,
    /// The power of the odds that bounds this observer; `None` if there is no promise.
    pub power: Option<u32>,
    /// Whether the promise covers this observer.
    pub covered: bool,
}

impl Observer {
    /// The lowest and highest posterior, from odds about one person; `None` if there is no promise.
    #[must_use]
    pub fn after(&self, odds: &Rational) -> Option<(Rational, Rational)> {
        self.power.map(|times| posterior_range(&self.before, &power(odds, times)))
    }
}

/// The observers on a page, for the family of an account's promise.
///
/// The power of the odds for each observer is [`Guarantee::power`].
#[must_use]
pub fn observers(guarantee: &Guarantee) -> Vec<Observer> {
    let odds = &guarantee.limit().odds_at_most();
    let (secret, priors) = (guarantee.secret(), guarantee.adversary().priors());
    let size_known = guarantee.adversary().knows_size();
    let seen = |preset: Preset| {
        // The prior that rises the most, from 1/(√R + 1) to its complement (B-2). If the promise has an interval, a prior
        // outside it: inside, these observers are the covered ones.
        let steepest = || {
            let steepest = (square_root(odds, PLACES, Rounding::Nearest) + whole(1)).recip();
            // In hundredths of a percent, so that the displayed number is exact.
            let steepest = ((steepest * whole(10_000)).round() / whole(10_000)).max(ratio(1, 10_000));
            let inside = priors.low() <= &steepest && &steepest <= priors.high();
            if inside && !priors.is_any() { beyond(priors) } else { steepest }
        };
        let before = match preset {
            Preset::Stranger | Preset::Acquaintance => preset.priors().high().clone(),
            // A different prior from the others, if other odds apply to them.
            Preset::Insider if !size_known => {
                let beside = steepest();
                if beside > ratio(1, 2) { (beside + whole(1)) / whole(2) } else { beside / whole(2) }
            }
            Preset::Anyone | Preset::Insider => steepest(),
        };
        let before = if before.is_one() || before.is_zero() { ratio(1, 2) } else { before };
        // A preset includes everyone up to its belief, or everyone: all of them must be inside.
        let own =
            if matches!(preset, Preset::Anyone | Preset::Insider) { priors.is_any() } else { priors.low().is_zero() };
        Observer {
            name: preset.name().to_owned(),
            who: preset.sentence(secret),
            power: guarantee.power(preset.knows_size()),
            covered: own && guarantee.speaks_of(&before) && preset.knows_size() == size_known,
            before,
        }
    };
    let mut all: Vec<Observer> = Preset::ALL.into_iter().map(seen).collect();
    // The curator's own interval, if no preset has it.
    let knows = if size_known { "knows" } else { "does not know" };
    let size = format!("{knows} how many people are {}", secret.of_many());
    let spoken = guarantee.promises().iter().filter_map(|promise| match promise {
        Promise::Rho { among, .. } => Some(whole(*among).recip()),
        Promise::AlphaBeta { most, .. } => most.clone(),
        _ => None,
    });
    let ends: Vec<Rational> = spoken.chain([priors.low().clone(), priors.high().clone()]).collect();
    for end in &ends {
        let certain = end.is_zero() || end.is_one();
        let known = certain || all.iter().any(|observer| observer.covered && observer.before == *end);
        let known = known || !guarantee.speaks_of(end);
        if !known {
            all.push(Observer {
                name: format!("someone at {}", percent_exactly(end)),
                who: format!("someone who gave it {} and {size}", percent_exactly(end)),
                before: end.clone(),
                power: Some(1),
                covered: true,
            });
        }
    }
    all
}

/// The middle of the wider range of beliefs outside a bounded interval.
fn beyond(priors: &PriorRange) -> Rational {
    let (below, above) = (priors.low().clone(), whole(1) - priors.high());
    if above >= below { whole(1) - above / whole(2) } else { below / whole(2) }
}

#[cfg(test)]
mod tests {
    use super::*;

    use deniable_core::adversary::{Adjacency, Adversary, MovesTogether};
    use deniable_core::guarantee::Subject;
    use deniable_core::secret::Secret;
    use num_traits::ToPrimitive;

    fn guarantee(knows_size: bool, priors: &PriorRange, together: MovesTogether, promise: Promise) -> Guarantee {
        let adversary = Adversary::new(knows_size, priors.clone(), together).unwrap();
        let people = Subject::new("people", None).unwrap();
        Guarantee::new(people, Secret::Membership, adversary, None, vec![promise]).unwrap()
    }

    /// Gains that the odds allow over the whole interval: they apply inside and outside it.
    fn seen(adjacency: Adjacency, priors: &PriorRange, odds: &Rational) -> Vec<Observer> {
        let gain = Promise::Gain(deniable_core::belief::gain_over(priors, odds));
        let guarantee = guarantee(adjacency == Adjacency::ReplaceOne, priors, MovesTogether::Alone, gain);
        assert_eq!(guarantee.limit().odds_at_most().to_f64(), odds.to_f64());
        observers(&guarantee)
    }

    fn named<'a>(all: &'a [Observer], name: &str) -> &'a Observer {
        all.iter().find(|observer| observer.name == name).unwrap()
    }

    #[test]
    fn observers_outside_the_family_are_not_covered() {
        let priors = PriorRange::new(None, Some(ratio(1, 2))).unwrap();
        let all = seen(Adjacency::AddRemove, &priors, &whole(4));
        assert!(named(&all, "stranger").covered && named(&all, "acquaintance").covered);
        assert_eq!(named(&all, "acquaintance").after(&whole(4)), Some((ratio(1, 5), ratio(4, 5))));
        // 1/3 is inside, so the example is beyond it; the insider's odds can change by 16.
        assert_eq!(named(&all, "anyone").before, ratio(3, 4));
        assert!(!named(&all, "anyone").covered && !named(&all, "insider").covered);
        assert_eq!(named(&all, "insider").before, ratio(7, 8));
        assert_eq!(named(&all, "insider").after(&whole(4)), Some((ratio(7, 23), ratio(112, 113))));
    }

    #[test]
    fn observers_unsure_of_a_public_size_have_no_bound() {
        let all = seen(Adjacency::ReplaceOne, &PriorRange::any(), &whole(4));
        // From 1/3 to 2/3.
        assert!(named(&all, "insider").covered);
        assert_eq!(named(&all, "insider").before, ratio(3333, 10_000));
        assert!(["stranger", "acquaintance", "anyone"].iter().all(|name| named(&all, name).after(&whole(4)).is_none()));
    }

    #[test]
    fn an_interval_of_ones_own_is_shown_by_its_ends() {
        let priors = PriorRange::new(Some(ratio(1, 5)), Some(ratio(4, 5))).unwrap();
        let all = seen(Adjacency::AddRemove, &priors, &whole(3));
        assert!(named(&all, "someone at 20%").covered && named(&all, "someone at 80%").covered);
    }

    /// An observer at 1% would be in the preset, but not in the interval.
    #[test]
    fn a_preset_is_covered_as_a_whole_or_not_at_all() {
        let priors = PriorRange::new(Some(ratio(1, 20)), Some(ratio(1, 2))).unwrap();
        let all = seen(Adjacency::AddRemove, &priors, &whole(3));
        assert!(!named(&all, "stranger").covered && !named(&all, "acquaintance").covered);
        assert!(named(&all, "someone at 5%").covered && named(&all, "someone at 50%").covered);
    }

    /// The promise applies only to one in a hundred.
    #[test]
    fn promise_covers_its_own_priors() {
        let rho = Promise::Rho { rho: ratio(1, 2), among: 100 };
        let all = observers(&guarantee(true, &PriorRange::any(), MovesTogether::Alone, rho).about(Secret::Label));
        assert!(!named(&all, "insider").covered);
        assert_eq!(named(&all, "someone at 1%").after(&whole(99)).map(|(_, high)| high), Some(ratio(1, 2)));
    }

    /// Groups of 3, 1, 2 and 2 people with four of them in the data: two worlds that are eight moves apart.
    #[test]
    fn no_bound_is_stated_for_groups_of_a_known_size() {
        let all = observers(&guarantee(false, &PriorRange::any(), MovesTogether::UpTo(3), Promise::Gain(whole(8))));
        assert_eq!(named(&all, "insider").after(&whole(8)), None);
    }
}
