//! Promises in charts: the allowed beliefs, and every belief under the odds.

use crate::observers::{Observer, observers};
use deniable_chart::belief::{Beliefs, Mark};
use deniable_chart::people::People;
use deniable_core::belief::posterior_range;
use deniable_core::exact::{Rational, percent_exactly, ratio, whole};
use deniable_core::guarantee::Guarantee;
use deniable_core::promise::Promise;
use num_traits::{One, ToPrimitive, Zero};

/// Odds ratios above this are drawn as this: no difference is visible.
const MOST_ODDS: f64 = 1e12;
/// Points of the promise's lines.
const STEPS: i64 = 40;

/// A guarantee, and its odds ratio for charts.
#[derive(Debug, Clone)]
pub struct PromisePicture {
    guarantee: Guarantee,
    odds: Rational,
}

/// A share as a floating-point number for a chart.
pub(crate) fn drawn(share: &Rational) -> f64 {
    share.to_f64().unwrap_or(0.0)
}

impl PromisePicture {
    /// The charts of a guarantee.
    #[must_use]
    pub fn of(guarantee: Guarantee) -> Self {
        let odds = guarantee.limit().odds_at_most();
        Self { guarantee, odds }
    }

    /// The guarantee.
    #[must_use]
    pub fn guarantee(&self) -> &Guarantee {
        &self.guarantee
    }

    /// The largest odds ratio, rounded up if it is irrational.
    #[must_use]
    pub fn odds(&self) -> &Rational {
        &self.odds
    }

    /// The range of priors that the promises cover.
    fn about(&self) -> (Rational, Rational) {
        let priors = self.guarantee.adversary().priors();
        let (mut low, mut high) = (priors.low().clone(), priors.high().clone());
        for promise in self.guarantee.promises() {
            let (from, to) = match promise {
                Promise::Rho { among, .. } => (whole(*among).recip(), whole(*among).recip()),
                Promise::AlphaBeta { least, most, .. } => (least.clone(), most.clone().unwrap_or_else(Rational::one)),
                _ => continue,
            };
            (low, high) = (low.max(from), high.min(to));
        }
        if low <= high { (low, high) } else { (priors.low().clone(), priors.high().clone()) }
    }

    /// The example prior: the largest that the promise covers, but at most one half.
    fn example(&self) -> Rational {
        let (low, high) = self.about();
        let half = ratio(1, 2);
        let example = if low > half { low } else { high.min(half.clone()) };
        if example.is_zero() || example.is_one() { half } else { example }
    }

    /// The guarantee in one sentence with natural frequencies, exact and rounded outward.
    #[must_use]
    pub fn in_frequencies(&self) -> (String, People) {
        /// The most people in a sentence.
        const MAX_PEOPLE: u32 = 1_000_000_000;
        let example = self.example();
        // Small probabilities need more people, so that their number is at least one.
        let fewest = if example < ratio(1, 20) { 1000 } else { 100 };
        let of = std::iter::successors(Some(fewest), |of| Some(of * 10))
            .find(|of| &example * whole(*of) >= whole(1) || *of >= MAX_PEOPLE);
        let of = of.unwrap_or(MAX_PEOPLE);
        let number = (&example * whole(of)).round().max(whole(1)).min(whole(of - 1));
        // All numbers follow from the whole people in the sentence, so that it is exact.
        let before = &number / whole(of);
        let (low, high) = posterior_range(&before, &self.odds);
        let count = |share: &Rational, up: bool| {
            let people = share * whole(of);
            let people = if up { people.ceil() } else { people.floor() };
            people.to_integer().to_u32().unwrap_or(of)
        };
        let people = People {
            what: self.guarantee.secret().of_many(),
            before: number.to_integer().to_u32().unwrap_or(1),
            at_most: count(&high, true),
            at_least: count(&low, false),
            of,
        };
        let sentence = format!(
            "Take {of} people like you, for each of whom such an observer thinks it {} likely that they are {}: {} of \
             the {of}. After all releases, the observer can be at most as sure as if {} of the {of} were, and at \
             least as sure as if {} were.",
            percent_exactly(&before),
            self.guarantee.secret().of_many(),
            people.before,
            people.at_most,
            people.at_least
        );
        (sentence, people)
    }

    /// The observers, and the bounds on what each can learn.
    #[must_use]
    pub fn observers(&self) -> Vec<Observer> {
        observers(&self.guarantee)
    }

    /// The tightest lowest and highest posterior that the promises allow at a prior; `None` if no promise covers it.
    #[must_use]
    pub fn allowed(&self, before: &Rational) -> Option<(Rational, Rational)> {
        self.guarantee.allows(before)
    }

    /// The curve of beliefs, with the promise and the observers.
    #[must_use]
    pub fn beliefs(&self) -> Beliefs {
        let (from, to) = &self.about();
        let inside = (0..=STEPS).map(|step| from + (to - from) * ratio(step, STEPS));
        let allowed: Vec<(Rational, (Rational, Rational))> = inside
            .filter(|before| !before.is_zero() && !before.is_one())
            .filter_map(|before| self.allowed(&before).map(|range| (before, range)))
            .collect();
        let line = |of: &dyn Fn(&(Rational, Rational)) -> Option<Rational>| -> Vec<(f64, f64)> {
            allowed.iter().filter_map(|(before, range)| Some((drawn(before), drawn(&of(range)?)))).collect()
        };
        let marks = self.observers().into_iter().filter_map(|observer| {
            let (low, high) = observer.after(&self.odds)?;
            let (before, low, high) = (drawn(&observer.before), drawn(&low), drawn(&high));
            Some(Mark { name: observer.name.clone(), before, low, high })
        });
        Beliefs {
            odds: self.odds.to_f64().unwrap_or(MOST_ODDS).min(MOST_ODDS),
            but_for: self.guarantee.but_for_a_chance().map(|but_for| drawn(&but_for.limit().odds_at_most())),
            priors: (drawn(from), drawn(to)),
            promised: line(&|(_, ceiling)| (!ceiling.is_one()).then(|| ceiling.clone())),
            floor: line(&|(floor, _)| (!floor.is_zero()).then(|| floor.clone())),
            marks: marks.collect(),
        }
    }
}
