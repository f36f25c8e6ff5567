//! The guarantee in words and numbers: translated to beliefs once, from the total (C-1).

use deniable_core::adversary::{Adjacency, MovesTogether, PriorRange};
use deniable_core::belief::{gain_over, posterior_range};
use deniable_core::budget::Spend;
pub use deniable_core::budget::odds_decimal;
use deniable_core::exact::{Rational, Rounding, percent, percent_exactly, power, ratio};
use deniable_core::guarantee::Guarantee;
use deniable_core::words::chance;
use num_traits::{One, Zero};
use serde::Serialize;
use serde::ser::{SerializeStruct, Serializer};

/// A guarantee as it is published, with the assumptions about the data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement {
    guarantee: Guarantee,
    /// Guarantees about other secrets of the same people.
    others: Vec<Guarantee>,
    about_data: Vec<String>,
}

/// The range of posterior beliefs for one prior belief.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Belief {
    /// The belief before.
    pub before: Rational,
    /// The lowest belief after.
    pub at_least: Rational,
    /// The highest belief after.
    pub at_most: Rational,
}

impl Belief {
    fn of(before: &Rational, odds: &Rational) -> Self {
        let (at_least, at_most) = posterior_range(before, odds);
        Self { before: before.clone(), at_least, at_most }
    }

    /// The three beliefs as percentages, rounded outward: before, at most, at least.
    fn percentages(&self) -> [String; 3] {
        let Self { before, at_least, at_most } = self;
        [percent_exactly(before), outward(at_most, Rounding::Up), outward(at_least, Rounding::Down)]
    }

    /// The beliefs in one sentence.
    #[must_use]
    pub fn sentence(&self) -> String {
        let [before, at_most, at_least] = self.percentages();
        format!(
            "someone who gave it {before} before cannot be more than {at_most} sure after, nor less than {at_least}"
        )
    }
}

/// Percentages, rounded outward.
impl Serialize for Belief {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let [before, at_most, at_least] = self.percentages();
        let mut written = serializer.serialize_struct("Belief", 3)?;
        written.serialize_field("before", &before)?;
        written.serialize_field("at_most", &at_most)?;
        written.serialize_field("at_least", &at_least)?;
        written.end()
    }
}

/// The entry of `docs/theorems` on promises that hold but for a chance.
pub const BUT_FOR_THEOREM: &str = "B-7";

/// A promise that holds but for a chance, as JSON.
#[derive(Serialize)]
struct StatedButFor {
    chance: String,
    odds: String,
    epsilon: String,
    theorem: &'static str,
    beliefs: Vec<BeliefButFor>,
}

/// A belief before, and the bounded ends of the belief after, as percentages rounded outward.
#[derive(Serialize)]
struct BeliefButFor {
    before: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    at_most: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    at_least: Option<String>,
}

impl BeliefButFor {
    fn sentence(&self) -> String {
        let before = &self.before;
        match (&self.at_most, &self.at_least) {
            (Some(most), Some(least)) => {
                format!(
                    "someone who gave it {before} before cannot be more than {most} sure after, nor less than {least}"
                )
            }
            (Some(most), None) => format!("someone who gave it {before} before cannot be more than {most} sure after"),
            (None, least) => {
                let least = least.as_deref().unwrap_or("0%");
                format!("someone who gave it {before} before cannot be less than {least} sure after")
            }
        }
    }
}

impl Statement {
    /// The statement of a guarantee about tables.
    #[must_use]
    pub fn of(guarantee: &Guarantee) -> Self {
        Self::assuming(guarantee, &[person(guarantee)])
    }

    /// The statement of a guarantee under these assumptions about the unit of one person, and about the data.
    #[must_use]
    pub fn assuming(guarantee: &Guarantee, assumptions: &[String]) -> Self {
        Self { guarantee: guarantee.clone(), others: Vec::new(), about_data: assumptions.to_vec() }
    }

    /// The statement together with a guarantee about another secret of the same people, so that each reader finds the
    /// promise about them.
    #[must_use]
    pub fn beside(mut self, other: Guarantee) -> Self {
        self.others.push(other);
        self
    }

    /// The guarantee.
    #[must_use]
    pub fn guarantee(&self) -> &Guarantee {
        &self.guarantee
    }

    /// The promises in words, those about other secrets last.
    #[must_use]
    pub fn promises(&self) -> Vec<String> {
        std::iter::once(&self.guarantee).chain(&self.others).flat_map(Guarantee::promises_in_words).collect()
    }

    /// The posteriors that the guarantee allows for some priors.
    #[must_use]
    pub fn beliefs(&self) -> Vec<Belief> {
        let odds = self.guarantee.limit().odds_at_most();
        examples(self.guarantee.adversary().priors()).iter().map(|prior| Belief::of(prior, &odds)).collect()
    }

    /// The posteriors that the guarantee allows but for its chance, for the same priors, in the directions that it bounds;
    /// none without such a promise.
    fn beliefs_but_for(&self) -> Vec<BeliefButFor> {
        let Some(but_for) = self.guarantee.but_for_a_chance() else { return Vec::new() };
        let (rises, falls) = but_for.directions();
        let odds = but_for.limit().odds_at_most();
        let of = |prior: &Rational| {
            let [before, at_most, at_least] = Belief::of(prior, &odds).percentages();
            BeliefButFor { before, at_most: rises.then_some(at_most), at_least: falls.then_some(at_least) }
        };
        examples(self.guarantee.adversary().priors()).iter().map(of).collect()
    }

    /// What any belief can become, in sentences: for certain, and but for a chance.
    #[must_use]
    pub fn beliefs_in_words(&self) -> Vec<String> {
        let surely = self.beliefs();
        let but_for = self.guarantee.but_for_a_chance().map(|but_for| chance(but_for.chance()));
        let but_for = but_for.iter().flat_map(|chance| {
            self.beliefs_but_for().into_iter().map(move |belief| format!("but for {chance}, {}", belief.sentence()))
        });
        surely.iter().map(Belief::sentence).chain(but_for).collect()
    }

    /// The assumptions of the guarantee.
    #[must_use]
    pub fn assumptions(&self) -> Vec<String> {
        [self.about_data.clone(), shared_assumptions(&self.guarantee), self.guarantee.chance_in_words()].concat()
    }

    /// Observers outside the guarantee, and the bounds that still hold for them.
    #[must_use]
    pub fn outside(&self) -> Vec<String> {
        outside(&self.guarantee, &self.guarantee.limit().odds_at_most())
    }
}

/// A belief as a percentage, rounded as named: to whole percents, or to as many decimals as keep it from certainty.
fn outward(belief: &Rational, rounding: Rounding) -> String {
    /// Most decimals: a belief that is nearer to certainty is as good as certain.
    const MOST_PLACES: u32 = 6;
    let is_certain = |text: &str| !belief.is_zero() && !belief.is_one() && ["0%", "100%"].contains(&text);
    (0..MOST_PLACES)
        .map(|places| percent(belief, places, rounding))
        .find(|text| !is_certain(text))
        .unwrap_or_else(|| percent(belief, MOST_PLACES, rounding))
}

/// The guarantee in words and numbers: the odds ratio exact where it is rational, ε rounded up.
impl Serialize for Statement {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let guarantee = &self.guarantee;
        let mut written = serializer.serialize_struct("Statement", 10)?;
        written.serialize_field("odds", &guarantee.limit().to_string())?;
        written.serialize_field("epsilon", &guarantee.limit().epsilon_decimal(4))?;
        written.serialize_field("promises", &self.promises())?;
        written.serialize_field("theorem", guarantee.theorem())?;
        written.serialize_field("adversary", &guarantee.adversary_in_words())?;
        written.serialize_field("family", &guarantee.adversary().family())?;
        written.serialize_field("beliefs", &self.beliefs())?;
        match guarantee.but_for_a_chance() {
            None => written.skip_field("but_for")?,
            Some(but_for) => written.serialize_field(
                "but_for",
                &StatedButFor {
                    chance: but_for.chance().to_string(),
                    odds: but_for.limit().to_string(),
                    epsilon: but_for.limit().epsilon_decimal(4),
                    theorem: BUT_FOR_THEOREM,
                    beliefs: self.beliefs_but_for(),
                },
            )?,
        }
        written.serialize_field("assumptions", &self.assumptions())?;
        written.serialize_field("outside", &self.outside())?;
        written.end()
    }
}

/// The unit that counts as one person in tables.
#[must_use]
pub fn person(guarantee: &Guarantee) -> String {
    match guarantee.subject().entity() {
        Some(key) => format!("a person is everyone's rows with one value of `{key}`"),
        None => "one row is one person".to_owned(),
    }
}

/// The beliefs that `spent` allows against a policy's adversaries, for the ledger's own page.
#[must_use]
pub fn beliefs_so_far(spent: &Spend, priors: &[Rational]) -> Vec<Belief> {
    let odds = spent.odds_at_most();
    priors.iter().map(|prior| Belief::of(prior, &odds)).collect()
}

/// Priors for examples: the ends of the stated interval, and 20% and 50% if they are inside.
#[must_use]
pub fn examples(priors: &PriorRange) -> Vec<Rational> {
    let inside = |prior: &Rational| priors.low() <= prior && prior <= priors.high();
    let mut all: Vec<Rational> = [ratio(1, 5), ratio(1, 2), priors.low().clone(), priors.high().clone()]
        .into_iter()
        .filter(|prior| inside(prior) && !prior.is_zero() && !prior.is_one())
        .collect();
    if all.is_empty() {
        all.push((priors.low() + priors.high()) / ratio(2, 1));
    }
    all.sort();
    all.dedup();
    all
}

fn shared_assumptions(guarantee: &Guarantee) -> Vec<String> {
    let (one, many) = (guarantee.secret().of_one(), guarantee.secret().of_many());
    let size = match guarantee.adjacency() {
        Adjacency::AddRemove => {
            format!("how many people are {many} is not known exactly; it is protected too")
        }
        Adjacency::ReplaceOne => format!("how many people are {many} is public; it is not protected"),
    };
    let independence = match guarantee.adversary().moves_together() {
        MovesTogether::Alone => format!("whether one person is {one} is independent of whether another is"),
        MovesTogether::UpTo(k) => {
            format!("at most {k} people are known to be {many} or not together; groups are independent of each other")
        }
        MovesTogether::OneGroup(k) => {
            format!(
                "at most one group, of {k} people, is known to be {many} or not together; all others are independent"
            )
        }
        MovesTogether::AllOfSize(k) => {
            format!(
                "everyone belongs to a group of exactly {k} people who are {many} or not together; groups are independent"
            )
        }
    };
    let ledger = format!(
        "everything ever released about \"{}\" is in this one ledger, and nothing else is known from the data",
        guarantee.subject().population()
    );
    vec![size, independence, ledger]
}

fn outside(guarantee: &Guarantee, odds: &Rational) -> Vec<String> {
    let (adversary, secret) = (guarantee.adversary(), guarantee.secret());
    let (one, many) = (secret.of_one(), secret.of_many());
    let mut all = Vec::new();
    let shown = odds_decimal;
    if !adversary.priors().is_any() {
        let gain = gain_over(&PriorRange::any(), odds);
        all.push(format!(
            "observers with a prior outside that interval: their odds still change by at most {} either way, \
             their belief by at most a factor {}",
            shown(odds),
            shown(&gain)
        ));
    }
    all.push(match (adversary.knows_size(), guarantee.power(!adversary.knows_size())) {
        (false, None) => {
            format!(
                "observers who know exactly how many people are {many}: no bound is stated for what they learn (F-NIk)"
            )
        }
        (false, Some(times)) => format!(
            "observers who know exactly how many people are {many}: their odds can change by up to {} (F-DI)",
            shown(&power(odds, times))
        ),
        (true, _) => {
            format!("observers who are unsure how many people are {many}: no bound holds for what they learn (F-DB)")
        }
    });
    let k = guarantee.group();
    all.push(match (k, adversary.adjacency()) {
        (1, Adjacency::AddRemove) => format!(
            "observers who know that two people are {many} or not together: their odds can change by up to {} (F-NIk)",
            shown(&(odds * odds))
        ),
        (1, Adjacency::ReplaceOne) => {
            format!(
                "observers who know that several people are {many} or not together: their odds can change by more \
                 (F-NIk)"
            )
        }
        _ => format!("observers who know of groups other than these of {k}: their odds can change by more (F-NIk)"),
    });
    all.push(format!(
        "facts about the population as a whole, and so about people who resemble it, whether or not they are {one}"
    ));
    all
}
