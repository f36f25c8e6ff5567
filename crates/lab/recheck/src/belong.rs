//! Membership of a prior in a family.

use crate::error::RecheckError;
use crate::number::Q;
use crate::question::{Beliefs, Scenes};
use crate::table::{Data, ExactTable, has};
use num_traits::{One, Zero};

type Weights = [(Data, Q)];

/// Fails unless the prior is in the family. Returns the range that the belief in `t` may take with the same
/// likelihoods, if the family allows others.
pub(crate) fn check(
    table: &ExactTable,
    scenes: &Scenes,
    prior: &Weights,
    t: usize,
) -> Result<Option<Beliefs>, RecheckError> {
    let n = table.size();
    let not = |why: String| RecheckError::Unfit(format!("the prior is not of the family: {why}"));
    let no = |why: String| Err(not(why));
    let beliefs: Vec<Q> = (0..n).map(|s| belief(prior, s)).collect();
    let uncertain: Vec<usize> = (0..n).filter(|s| !beliefs[*s].is_zero() && !beliefs[*s].is_one()).collect();
    let outside = |(low, high): &Beliefs| uncertain.iter().find(|s| beliefs[**s] < *low || beliefs[**s] > *high);
    let beside = |s: usize| format!("the belief in {} is {}", table.entity_name(s), beliefs[s]);
    match scenes {
        Scenes::OneMore(range) => {
            if let Some(s) = outside(range) {
                return no(beside(*s));
            }
            independent(prior, &beliefs).map(|()| Some(range.clone())).map_err(not)
        }
        Scenes::Exchanged(range) => {
            if let Some(s) = outside(range) {
                return no(beside(*s));
            }
            conditioned(prior, &uncertain).map_err(not)?;
            // With a range, changing this belief could move the other beliefs out of it.
            Ok((range.0.is_zero() && range.1.is_one()).then(|| range.clone()))
        }
        Scenes::Apart(most) => {
            if uncertain.len() > *most && independent(prior, &beliefs).is_err() {
                return no(format!("{} entities depend on each other, more than {most}", uncertain.len()));
            }
            Ok(Some((Q::zero(), Q::one())))
        }
        Scenes::OneOf(among) | Scenes::OneOfRest(among) => {
            let sure = prior.iter().fold(Data::MAX, |sure, (data, _)| sure & data);
            let share = Q::new(1.into(), (*among).into());
            let one = |(data, weight): &(Data, Q)| (data & !sure).count_ones() == 1 && *weight == share;
            let others_fit = matches!(scenes, Scenes::OneOf(_)) || sure.count_ones() as usize + among == n;
            if prior.len() == *among && prior.iter().all(one) && others_fit {
                Ok(None)
            } else {
                no(format!("it is not one of {among} entities, with equal probabilities"))
            }
        }
        Scenes::Uniform => {
            let half = Q::new(1.into(), 2.into());
            match (0..n).find(|s| beliefs[*s] != half) {
                Some(s) => no(beside(s)),
                None => independent(prior, &beliefs).map(|()| None).map_err(not),
            }
        }
        Scenes::Sampled(rate) => match (0..n).find(|s| !beliefs[*s].is_zero() && beliefs[*s] != *rate) {
            Some(s) => no(beside(s)),
            None => independent(prior, &beliefs).map(|()| None).map_err(not),
        },
        Scenes::Corners(ranges) => match (0..n).find(|s| beliefs[*s] < ranges[*s].0 || beliefs[*s] > ranges[*s].1) {
            Some(s) => no(beside(s)),
            None => independent(prior, &beliefs).map(|()| Some(ranges[t].clone())).map_err(not),
        },
        Scenes::Any | Scenes::Thinned(_) | Scenes::Induced(_) | Scenes::InducedExchange(_) => {
            Err(RecheckError::Unfit("the notion is about datasets, not about priors".to_owned()))
        }
    }
}

/// `Pr[t]`.
pub(crate) fn belief(prior: &Weights, t: usize) -> Q {
    prior.iter().filter(|(data, _)| has(*data, t)).map(|(_, weight)| weight).sum()
}

/// Fails unless every possible dataset has the probability of its members' independent beliefs.
fn independent(prior: &Weights, beliefs: &[Q]) -> Result<(), String> {
    let sure = (0..beliefs.len()).filter(|s| beliefs[*s].is_one()).fold(0, |sure: Data, s| sure | 1 << s);
    let mut expected = vec![(sure, Q::one())];
    for (s, p) in beliefs.iter().enumerate().filter(|(_, p)| !p.is_zero() && !p.is_one()) {
        let with: Vec<_> = expected.iter().map(|(data, weight)| (data | 1 << s, weight * p)).collect();
        let rest = Q::one() - p;
        expected = expected.into_iter().map(|(data, weight)| (data, weight * &rest)).chain(with).collect();
        if expected.len() > prior.len() {
            return Err("its entities depend on each other".to_owned());
        }
    }
    expected.sort();
    let mut given = prior.to_vec();
    given.sort();
    if given == expected { Ok(()) } else { Err("its entities depend on each other".to_owned()) }
}

/// Fails unless the prior is that of independent entities given the size: all datasets of one size, with weights that
/// are products of one factor for each uncertain member.
fn conditioned(prior: &Weights, uncertain: &[usize]) -> Result<(), String> {
    let Some(((first, _), rest)) = prior.split_first() else { return Err("it is empty".to_owned()) };
    if rest.iter().any(|(data, _)| data.count_ones() != first.count_ones()) {
        return Err("its datasets have several sizes".to_owned());
    }
    let maybe = uncertain.iter().fold(0, |maybe, s| maybe | 1 << s);
    let chosen = (first & maybe).count_ones();
    let weight = |data: Data| prior.iter().find(|(other, _)| *other == data).map(|(_, weight)| weight.clone());
    let sure = first & !maybe;
    let mut all = Vec::new();
    let mut part: Data = maybe;
    loop {
        if part.count_ones() == chosen {
            match weight(sure | part) {
                Some(weight) => all.push((part, weight)),
                None => return Err("a dataset of its size is missing".to_owned()),
            }
        }
        if part == 0 {
            break;
        }
        part = (part - 1) & maybe;
    }
    if all.len() != prior.len() {
        return Err("its certain members are not in every dataset".to_owned());
    }
    // Factors relative to the first uncertain entity, from any two datasets that exchange the two.
    let Some(base) = uncertain.first() else { return Ok(()) };
    let factor = |s: usize| -> Option<Q> {
        let (part, with) = all.iter().find(|(part, _)| has(*part, s) && (s == *base || !has(*part, *base)))?;
        let other = part & !(1 << s) | 1 << base;
        Some(with / all.iter().find(|(part, _)| *part == other).map(|(_, weight)| weight)?)
    };
    let mut factors = vec![Q::one(); 32];
    for s in uncertain {
        factors[*s] = factor(*s).ok_or("its factors cannot be determined")?;
    }
    let product = |part: Data| uncertain.iter().filter(|s| has(part, **s)).map(|s| &factors[*s]).product::<Q>();
    let total: Q = all.iter().map(|(part, _)| product(*part)).sum();
    if all.iter().any(|(part, weight)| product(*part) != weight * &total) {
        return Err("its entities depend on each other beyond their number".to_owned());
    }
    Ok(())
}
