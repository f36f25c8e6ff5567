//! The enumeration of a notion's observations, and the measure at each.

use crate::error::RecheckError;
use crate::format::{Family, FixedParameter, Notion, Range, Reading, Sign};
use crate::number::Q;
use crate::simulation::Sights;
use crate::table::{Data, ExactTable};
use num_traits::{One, Signed, Zero};

/// A range of beliefs; ends of 0 and 1 are limits, not beliefs.
pub type Beliefs = (Q, Q);

/// A question about a table.
pub(crate) enum Question {
    /// The largest measure over observations of one kind, in one or two directions.
    Lines(Vec<Line>),
    Approximate {
        exchange: bool,
        given: FixedParameter,
    },
    ButFor {
        exchange: bool,
        odds: Q,
        reading: Reading,
    },
    Crowd(usize),
    /// All mixtures of given priors; `presence` has the directions, true where presence is on top.
    Mixture {
        priors: Vec<Vec<(Data, Q)>>,
        presence: Vec<bool>,
        measure: Measure,
    },
    /// Simulators, by the kind of their samples.
    Simulation(Sights),
}

/// Observations of one kind, with presence or absence on top of the ratio.
#[derive(Clone)]
pub(crate) struct Line {
    pub(crate) scenes: Scenes,
    pub(crate) presence: bool,
    pub(crate) measure: Measure,
    /// The range of beliefs for observers who consider more than two datasets of one size possible (F-DB[a,b]).
    pub(crate) sized: Option<Beliefs>,
}

/// A kind of observation; beliefs are in presence.
#[derive(Clone)]
pub(crate) enum Scenes {
    /// Two datasets, one entity more or less; all others are certain (F-DI by its vertices).
    OneMore(Beliefs),
    /// Two datasets, one entity exchanged (F-DB by Theorem 4.8).
    Exchanged(Beliefs),
    /// Two datasets (I-FLP).
    Any,
    /// Two datasets that differ in at most this many entities, one of which is only in the top one (or only in the
    /// bottom one) (F-DU, F-NIk).
    Apart(usize),
    /// One of `m` equally likely entities is in (F-DCm).
    OneOf(usize),
    /// One of `m` equally likely entities is in, and all others are in (LQS13 family 5.5).
    OneOfRest(usize),
    /// Every entity is in with probability 1/2 (F-DN).
    Uniform,
    /// Every entity is out, or in with this probability (F-DFβ).
    Sampled(Q),
    /// Every entity has a belief at an end of its own range (X-BOX).
    Corners(Vec<Beliefs>),
    /// Two datasets, one entity more or less, after every member is kept with this probability (I-DPS).
    Thinned(Q),
    /// Two of these datasets, joined by a minimal set of moves (I-INP).
    Induced(Vec<Data>),
    /// As `Induced`, where an exchange is one move (I-INX).
    InducedExchange(Vec<Data>),
}

/// A measure of a prior belief and two likelihoods.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Measure {
    Ratio,
    /// The gain of belief (B-2).
    Gain,
    /// The factor by which the belief in the opposite falls.
    Fall,
    Highest,
    /// The posterior belief in the opposite.
    Lowest,
    /// The growth of the belief, as a fraction of it (B-6).
    Beta,
    /// The decrease of the belief, as a fraction of it (B-6).
    Alpha,
}

pub(crate) fn question(notion: &Notion, family: &Family, table: &ExactTable) -> Result<Question, RecheckError> {
    let wrong = |what: &str| Err(RecheckError::Question(what.to_owned()));
    let any = || (Q::zero(), Q::one());
    let lines = |sign: Sign, measure: Measure, scenes: Scenes| {
        let line = |presence| Line { scenes: scenes.clone(), presence, measure, sized: None };
        Question::Lines(directions(sign).into_iter().map(line).collect())
    };
    Ok(match notion {
        Notion::Unbounded { sign } => lines(*sign, Measure::Ratio, Scenes::OneMore(any())),
        Notion::Bounded => lines(Sign::Positive, Measure::Ratio, Scenes::Exchanged(any())),
        Notion::FreeLunch => lines(Sign::Positive, Measure::Ratio, Scenes::Any),
        Notion::Approximate { adjacency, given } => {
            match given {
                FixedParameter::Odds(odds) if odds.0 < Q::one() => return wrong("odds below 1"),
                FixedParameter::Delta(delta) if delta.0.is_negative() || delta.0 > Q::one() => {
                    return wrong("a delta outside 0 to 1");
                }
                FixedParameter::Odds(_) | FixedParameter::Delta(_) => {}
            }
            let exchange = *adjacency == crate::format::Adjacency::ReplaceOne;
            Question::Approximate { exchange, given: given.clone() }
        }
        Notion::ButFor { odds, .. } if odds.0 < Q::one() => return wrong("odds below 1"),
        Notion::ButFor { adjacency, odds, reading } => Question::ButFor {
            exchange: *adjacency == crate::format::Adjacency::ReplaceOne,
            odds: odds.0.clone(),
            reading: *reading,
        },
        Notion::Membership { sign } => believers(family, *sign, Measure::Gain, table)?,
        Notion::Posterior { sign: Sign::Both } => return wrong("the highest or the lowest posterior, not both"),
        Notion::Posterior { sign } => {
            let measure = if *sign == Sign::Positive { Measure::Highest } else { Measure::Lowest };
            believers(family, *sign, measure, table)?
        }
        Notion::Indistinguishable => {
            // There is no theorem on where the worst mixture is.
            if matches!(family, Family::Explicit(priors) if priors.len() != 1) {
                return wrong("indistinguishable privacy over mixtures of priors");
            }
            believers(family, Sign::Both, Measure::Fall, table)?
        }
        Notion::Rho { among } => believers(&Family::OneOf(*among), Sign::Positive, Measure::Highest, table)?,
        Notion::AlphaBeta { sign: Sign::Both, .. } => return wrong("alpha or beta, not both"),
        Notion::AlphaBeta { least, sign } => {
            if least.0.is_negative() || least.0 > Q::new(1.into(), 2.into()) {
                return wrong("the least prior of a world is from 0 to 1/2");
            }
            let measure = if *sign == Sign::Positive { Measure::Beta } else { Measure::Alpha };
            // Both worlds have at least the least prior.
            lines(Sign::Positive, measure, Scenes::Exchanged((least.0.clone(), Q::one() - &least.0)))
        }
        Notion::Sampling { rate, sign } => {
            table.complete()?;
            lines(*sign, Measure::Ratio, Scenes::Thinned(chance(&rate.0)?))
        }
        Notion::ZeroKnowledge { rows } => {
            table.complete()?;
            Question::Simulation(Sights::Members(*rows))
        }
        Notion::ZeroKnowledgeRows { rows } => {
            table.complete()?;
            Question::Simulation(Sights::Rows(*rows))
        }
        Notion::CrowdBlending { crowd: 0 } => return wrong("a crowd of 0"),
        Notion::CrowdBlending { crowd } => {
            table.complete()?;
            Question::Crowd(*crowd)
        }
        Notion::Induced { allowed } | Notion::InducedExchange { allowed } => {
            let mut read = allowed.iter().map(|members| table.data(members)).collect::<Result<Vec<_>, _>>()?;
            read.sort_unstable();
            if read.windows(2).any(|pair| pair[0] == pair[1]) {
                return wrong("an allowed dataset is listed twice");
            }
            if let Some(data) = read.iter().find(|data| table.row(**data).is_none()) {
                return Err(RecheckError::Question(format!("the allowed dataset {} has no row", table.name(*data))));
            }
            let exchange = matches!(notion, Notion::InducedExchange { .. });
            let scenes = if exchange { Scenes::InducedExchange(read) } else { Scenes::Induced(read) };
            lines(Sign::Positive, Measure::Ratio, scenes)
        }
    })
}

/// Whether the family has an observer: some uncertain entities and a number of them that are in, such that all datasets
/// with that many of them, beside certain members, have a row. Their beliefs sum to that number, and suitable ones in
/// the range exist exactly if equal ones are in it.
fn some_observer(table: &ExactTable, (low, high): &Beliefs) -> bool {
    let subsets = |of: Data| table.subsets().filter(move |part| part & !of == 0);
    let everybody = table.subsets().end - 1;
    // Small sets first: if there are any, usually two are enough.
    let sizes = 2..=everybody.count_ones();
    let open = sizes.flat_map(|people| table.subsets().filter(move |open| open.count_ones() == people));
    open.flat_map(|open| (1..open.count_ones()).map(move |size| (open, size))).any(|(open, size)| {
        let [people, number] = [open.count_ones(), size].map(|count| Q::from_integer(count.into()));
        &people * low <= number
            && number <= people * high
            && subsets(everybody & !open).any(|sure| {
                subsets(open).filter(|part| part.count_ones() == size).all(|part| table.row(sure | part).is_some())
            })
    })
}

/// The directions of a sign; true where presence is on top.
fn directions(sign: Sign) -> Vec<bool> {
    match sign {
        Sign::Positive => vec![true],
        Sign::Negative => vec![false],
        Sign::Both => vec![true, false],
    }
}

fn believers(family: &Family, sign: Sign, measure: Measure, table: &ExactTable) -> Result<Question, RecheckError> {
    let scenes = match family {
        Family::All => Scenes::Apart(table.size()),
        Family::Groups(0) => return Err(RecheckError::Question("groups of 0".to_owned())),
        Family::Groups(most) => Scenes::Apart(*most),
        Family::Independent(range) | Family::TwoDatasets(range) => Scenes::OneMore(beliefs(range)?),
        Family::Bounded(range) => {
            let beliefs = beliefs(range)?;
            let somebody = some_observer(table, &beliefs);
            if somebody { Scenes::Exchanged(beliefs) } else { Scenes::Induced(Vec::new()) }
        }
        // The two beliefs sum to 1, and both are in the range.
        Family::OneOfTwo(range) => {
            let (low, high) = beliefs(range)?;
            let (other_low, other_high) = (Q::one() - &high, Q::one() - &low);
            Scenes::Exchanged((low.max(other_low), high.min(other_high)))
        }
        Family::OneOf(among) | Family::OneOfRest(among) if *among < 2 => {
            return Err(RecheckError::Question("one among fewer than two is certain".to_owned()));
        }
        Family::OneOf(among) => Scenes::OneOf(*among),
        Family::OneOfRest(among) => Scenes::OneOfRest(*among),
        Family::Uniform => {
            table.complete()?;
            Scenes::Uniform
        }
        Family::Sampled(rate) => {
            table.complete()?;
            Scenes::Sampled(chance(&rate.0)?)
        }
        Family::Box(ranges) => {
            table.complete()?;
            if ranges.len() != table.size() {
                return Err(RecheckError::Question(format!("{} ranges, {} entities", ranges.len(), table.size())));
            }
            Scenes::Corners(ranges.iter().map(beliefs).collect::<Result<_, _>>()?)
        }
        Family::Explicit(priors) => {
            let priors = priors.iter().map(|prior| table.prior(prior)).collect::<Result<Vec<_>, _>>()?;
            for (data, _) in priors.iter().flatten() {
                if table.row(*data).is_none() {
                    let name = table.name(*data);
                    return Err(RecheckError::Question(format!("a prior allows {name}, which has no row")));
                }
            }
            return Ok(Question::Mixture { priors, presence: directions(sign), measure });
        }
    };
    // The range is empty if no two beliefs in it sum to 1; then the family has no uncertain observer.
    let scenes = match scenes {
        Scenes::Exchanged((low, high)) if low > high => Scenes::Induced(Vec::new()),
        scenes => scenes,
    };
    let sized = match (&scenes, family) {
        (Scenes::Exchanged(beliefs), Family::Bounded(_)) if !beliefs.0.is_zero() || !beliefs.1.is_one() => {
            Some(beliefs.clone())
        }
        _ => None,
    };
    let line = |presence| Line { scenes: scenes.clone(), presence, measure, sized: sized.clone() };
    Ok(Question::Lines(directions(sign).into_iter().map(line).collect()))
}

fn beliefs(range: &Range) -> Result<Beliefs, RecheckError> {
    let (low, high) = (range.low.0.clone(), range.high.0.clone());
    if low.is_negative() || high > Q::one() || low > high || low.is_one() || high.is_zero() {
        return Err(RecheckError::Question(format!("no belief is from {low} to {high}")));
    }
    Ok((low, high))
}

fn chance(rate: &Q) -> Result<Q, RecheckError> {
    if rate.is_negative() || *rate > Q::one() {
        return Err(RecheckError::Question(format!("a rate of {rate} is not a probability")));
    }
    Ok(rate.clone())
}
