//! A promise as pictures need it: what is allowed, and what the odds make of every belief.

use crate::observers::{Known, Observer, observers};
use deniable_chart::belief::{Beliefs, Mark};
use deniable_chart::people::People;
use deniable_core::adversary::{Adjacency, PriorRange};
use deniable_core::belief::posterior_range;
use deniable_core::exact::{Rational, percent_exactly, ratio, whole};
use deniable_core::promise::Promise;
use deniable_core::secret::Secret;
use deniable_ledger::Account;
use num_traits::{One, ToPrimitive, Zero};

/// Beyond this an odds ratio is drawn as this: nothing is left to see.
const MOST_ODDS: f64 = 1e12;
/// Points of the promise's lines.
const STEPS: i64 = 40;

/// A promise, and the odds ratio that keeps it.
#[derive(Debug, Clone)]
pub struct Stated {
    /// What is promised; all of it is kept.
    pub promises: Vec<Promise>,
    /// The beliefs before that it is about.
    pub priors: PriorRange,
    /// What about them is kept deniable.
    pub secret: Secret,
    /// Whether the number of people is protected or public.
    pub adjacency: Adjacency,
    /// How many people may be known to move together.
    pub group: u32,
    /// The largest odds ratio, rounded up.
    pub odds: Rational,
}

/// A share as a number for a picture.
pub(crate) fn drawn(share: &Rational) -> f64 {
    share.to_f64().unwrap_or(0.0)
}

impl Stated {
    /// As an account's terms record it; `None` where they cannot be read, for nothing must be drawn of a part of them.
    #[must_use]
    pub fn of(account: &Account) -> Option<Self> {
        let promises = account.terms.promise.split("; ").map(|stated| stated.parse().ok());
        Some(Self {
            promises: promises.collect::<Option<_>>()?,
            priors: PriorRange::of_family(&account.terms.adversary)?,
            secret: account.id.kind,
            adjacency: account.id.adjacency,
            group: account.terms.group,
            odds: account.terms.limit.odds_at_most(),
        })
    }

    /// The beliefs before that the promises speak of.
    fn about(&self) -> (Rational, Rational) {
        let (mut low, mut high) = (self.priors.low().clone(), self.priors.high().clone());
        for promise in &self.promises {
            let (from, to) = match promise {
                Promise::Rho { among, .. } => (whole(*among).recip(), whole(*among).recip()),
                Promise::AlphaBeta { least, most, .. } => (least.clone(), most.clone().unwrap_or_else(Rational::one)),
                _ => continue,
            };
            (low, high) = (low.max(from), high.min(to));
        }
        if low <= high { (low, high) } else { (self.priors.low().clone(), self.priors.high().clone()) }
    }

    /// The belief before that serves as an example: the likeliest that the promise is about, one half at most.
    fn example(&self) -> Rational {
        let (low, high) = self.about();
        let half = ratio(1, 2);
        let example = if low > half { low } else { high.min(half.clone()) };
        if example.is_zero() || example.is_one() { half } else { example }
    }

    /// The guarantee in one sentence with natural frequencies, exact and rounded outward.
    #[must_use]
    pub fn in_frequencies(&self) -> (String, People) {
        /// The most people that a sentence speaks of.
        const MOST: u32 = 1_000_000_000;
        let example = self.example();
        // Rare things need more people to be whole ones.
        let fewest = if example < ratio(1, 20) { 1000 } else { 100 };
        let of = std::iter::successors(Some(fewest), |of| Some(of * 10))
            .find(|of| &example * whole(*of) >= whole(1) || *of >= MOST);
        let of = of.unwrap_or(MOST);
        let number = (&example * whole(of)).round().max(whole(1)).min(whole(of - 1));
        // Everything follows from the whole people of the sentence, so that it is right as it stands.
        let before = &number / whole(of);
        let (low, high) = posterior_range(&before, &self.odds);
        let count = |share: &Rational, up: bool| {
            let people = share * whole(of);
            let people = if up { people.ceil() } else { people.floor() };
            people.to_integer().to_u32().unwrap_or(of)
        };
        let people = People {
            what: self.secret.of_many(),
            before: number.to_integer().to_u32().unwrap_or(1),
            at_most: count(&high, true),
            at_least: count(&low, false),
            of,
        };
        let sentence = format!(
            "Take {of} people like you, of each of whom such an observer thinks it {} likely that they are {}: {} of the \
             {of}. Whatever is released, the observer can become at most as sure as if {} of the {of} were, and at \
             least as sure as if {} were.",
            percent_exactly(&before),
            self.secret.of_many(),
            people.before,
            people.at_most,
            people.at_least
        );
        (sentence, people)
    }

    /// Who could learn how much.
    #[must_use]
    pub fn observers(&self) -> Vec<Observer> {
        let Self { secret, adjacency, group, .. } = *self;
        observers(&Known { secret, adjacency, priors: &self.priors, promises: &self.promises, group }, &self.odds)
    }

    /// The tightest floor and ceiling that the promises allow at a belief; `None` where none speaks of it.
    #[must_use]
    pub fn allowed(&self, before: &Rational) -> Option<(Rational, Rational)> {
        let all: Vec<(Rational, Rational)> =
            self.promises.iter().filter_map(|promise| promise.allows(before)).collect();
        let floor = all.iter().map(|(floor, _)| floor).max()?;
        let ceiling = all.iter().map(|(_, ceiling)| ceiling).min()?;
        Some((floor.clone(), ceiling.clone()))
    }

    /// The curve of beliefs, with the promise and the observers drawn in.
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
            priors: (drawn(from), drawn(to)),
            promised: line(&|(_, ceiling)| (!ceiling.is_one()).then(|| ceiling.clone())),
            floor: line(&|(floor, _)| (!floor.is_zero()).then(|| floor.clone())),
            marks: marks.collect(),
        }
    }
}
