//! Zero-knowledge privacy with `k` random rows (I-ZKP): every entity `t` needs a simulator that sees `k` random members
//! other than `t`, or all if they are fewer, and answers within `R` of the mechanism, both ways, whether `t` is in or
//! not.
//!
//! **Upper bound**: the witness lists the simulators, and each dataset is compared.
//!
//! **Lower bound**: let `q` be the answer of a simulator for `t` where the members other than `t` are `T∖t`. It
//! satisfies `Pr[o|T]/R − q(o) ≤ 0` and `q(o) − R·Pr[o|T] ≤ 0`. The witness has weights `λ ≥ 0` for some of the first
//! inequalities and `μ ≥ 0` for some of the second; their weighted sum is not positive either:
//!
//! `A/R − M·R + Σ (μ−λ)·q(o) ≤ 0` with `A = Σ λ·Pr[o|T]` and `M = Σ μ·Pr[o|T]`.
//!
//! As `q` is the mean of the answers over the possible samples, each single answer has a price in the last sum, and for
//! each sample the simulator does best by always giving the cheapest: the sum is at least `S`, the sum of the least
//! prices. So `M·R² − S·R ≥ A` at every possible `R`. The left side minus the right is convex in `R`, and `−A ≤ 0` at
//! 0: if it is not positive at the claim, and negative at one of the two points, it is negative between them, and no
//! `R` there is possible. An infinite claim needs it negative at all `R > 0`, which requires `M = 0`, `S ≥ 0`, and `A`
//! or `S` above 0.

use crate::error::RecheckError;
use crate::format::{Value, Weight, Witness};
use crate::number::{ExtendedNumber, Q};
use crate::table::{Data, ExactTable, has};
use crate::witness::text;
use num_traits::{One, Signed, Zero};
use std::collections::BTreeMap;

type Answers = BTreeMap<Data, Vec<Q>>;

/// The sample of the members other than its entity that a simulator sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sights {
    /// A number of random members, or all if they are fewer.
    Members(usize),
    /// A number of random rows, one row for every entity of the table: a member's row shows the member, all other rows
    /// are ⊥.
    Rows(usize),
}

impl Sights {
    fn rows(self) -> usize {
        match self {
            Self::Members(rows) | Self::Rows(rows) => rows,
        }
    }

    /// The possible samples of these members, each repeated in proportion to its probability.
    fn of(self, table: &ExactTable, members: Data) -> Vec<Data> {
        match self {
            Self::Members(rows) => subsets(members, rows.min(members.count_ones() as usize)),
            // Every choice of rows, restricted to those that are not ⊥.
            Self::Rows(rows) => {
                let all = table.subsets().end - 1;
                subsets(all, rows.min(table.size())).into_iter().map(|chosen| chosen & members).collect()
            }
        }
    }
}

/// All subsets of this size.
fn subsets(set: Data, size: usize) -> Vec<Data> {
    let mut chosen = vec![0];
    for bit in (0..Data::BITS).map(|t| 1 << t).filter(|bit| set & bit != 0) {
        let with: Vec<Data> = chosen.iter().map(|part| part | bit).collect();
        chosen.extend(with.into_iter().filter(|part| part.count_ones() as usize <= size));
    }
    chosen.retain(|part| part.count_ones() as usize == size);
    chosen
}

fn count(sights: &[Data]) -> Q {
    Q::from_integer(sights.len().into())
}

fn ends(value: &Value) -> Result<(&ExtendedNumber, &ExtendedNumber), RecheckError> {
    match value {
        Value::Attained(claim) => Ok((claim, claim)),
        Value::Between { low, high, .. } => Ok((low, high)),
        Value::Approached(_) | Value::Vacuous => {
            Err(RecheckError::Falls { claim: text(value), shows: "a value that is attained".to_owned() })
        }
    }
}

/// Fails unless the weights exclude every value below the claim.
pub(crate) fn witness(
    table: &ExactTable,
    seeing: Sights,
    value: &Value,
    witness: Option<&Witness>,
) -> Result<(), RecheckError> {
    let (low, _) = ends(value)?;
    let Some(witness) = witness else {
        // Without entities no simulator is needed.
        let nobody = table.size() == 0 && *low == ExtendedNumber::one();
        return if nobody {
            Ok(())
        } else {
            Err(RecheckError::Falls { claim: text(value), shows: "nothing".to_owned() })
        };
    };
    let Witness::Simulation { rows: seen, entity, weights, .. } = witness else {
        return Err(RecheckError::Unfit("the notion is about simulators".to_owned()));
    };
    let rows = seeing.rows();
    if *seen != rows {
        return Err(RecheckError::Unfit(format!("the simulator sees {seen} members, but the notion allows {rows}")));
    }
    let sums = Sums::new(table, table.entity(entity)?, seeing, weights)?;
    let excluded = match low {
        // A ratio and its inverse are not both below 1.
        ExtendedNumber::Finite(low) if *low <= Q::one() => true,
        ExtendedNumber::Finite(low) => {
            // Convex in R and not above 0 at either end, so below 0 in between unless it is 0 throughout.
            let rest = sums.rest(low);
            !rest.is_positive() && (sums.most.is_positive() || rest.is_negative() || sums.square.is_positive())
        }
        ExtendedNumber::Infinite => {
            sums.square.is_zero() && !sums.least.is_negative() && (&sums.most + &sums.least).is_positive()
        }
    };
    if excluded {
        return Ok(());
    }
    let Sums { square, least, most } = &sums;
    let shows = format!("only {square}·R² + {}·R ≥ {most} for the ratio R without {entity}", -least);
    Err(RecheckError::Falls { claim: text(value), shows })
}

/// The sums `M`, `S` and `A` of the weighted bounds.
struct Sums {
    square: Q,
    least: Q,
    most: Q,
}

impl Sums {
    fn new(table: &ExactTable, t: usize, seeing: Sights, weights: &[Weight]) -> Result<Self, RecheckError> {
        let (mut square, mut most) = (Q::zero(), Q::zero());
        let mut prices: Answers = BTreeMap::new();
        for Weight { data, output, above, below } in weights {
            let (data, output) = (table.data(data)?, table.output(output)?);
            let at = table.says(output, data);
            // A bound with a negative weight proves nothing.
            if let Some(weight) = [above, below].into_iter().find(|weight| weight.0.is_negative()) {
                return Err(RecheckError::Unfit(format!("a bound by {at} has weight {weight}, below 0")));
            }
            let Some(chance) = table.get(output, data) else {
                return Err(RecheckError::Unfit(format!("dataset {} has no row", table.name(data))));
            };
            most += &above.0 * chance;
            square += &below.0 * chance;
            let sights = seeing.of(table, data & !(1 << t));
            let price = (&below.0 - &above.0) / count(&sights);
            for sight in sights {
                prices.entry(sight).or_insert_with(|| vec![Q::zero(); table.outputs()])[output] += &price;
            }
        }
        let least = prices.values().filter_map(|prices| prices.iter().min()).sum();
        Ok(Self { square, least, most })
    }

    /// `M·R² − S·R − A`, which is negative where `R` is excluded.
    fn rest(&self, ratio: &Q) -> Q {
        (&self.square * ratio - &self.least) * ratio - &self.most
    }
}

/// Fails if the table has an entity.
pub(crate) fn nobody(table: &ExactTable) -> Result<(), RecheckError> {
    if table.size() == 0 {
        return Ok(());
    }
    Err(RecheckError::NotVacuous(table.entity_name(0).to_owned()))
}

/// The number of answers that [`upper`] averages.
pub(crate) fn steps(table: &ExactTable, seeing: Sights) -> u128 {
    let others = table.size().saturating_sub(1) as u128;
    let choose = |of: u128, part: u128| (0..part).fold(1, |all, at| all * (of - at) / (at + 1));
    let rows = seeing.rows();
    if seeing == Sights::Rows(rows) {
        let all = table.size() as u128;
        return choose(all, all.min(rows as u128))
            * 2_u128.pow(table.size() as u32)
            * (table.size() * table.outputs()) as u128;
    }
    let sights = (0..=others).map(|size| choose(others, size) * choose(size, size.min(rows as u128)));
    sights.sum::<u128>() * (table.size() * table.outputs()) as u128
}

/// Fails unless the simulators are within the claim.
pub(crate) fn upper(
    table: &ExactTable,
    seeing: Sights,
    value: &Value,
    witness: Option<&Witness>,
) -> Result<(), RecheckError> {
    if *value == Value::Vacuous {
        return nobody(table);
    }
    let (_, ExtendedNumber::Finite(claim)) = ends(value)? else { return Ok(()) };
    let simulators = match witness {
        Some(Witness::Simulation { simulators, .. }) => simulators.as_slice(),
        _ => &[],
    };
    if simulators.len() != table.size() {
        let (found, needed) = (simulators.len(), table.size());
        return Err(RecheckError::Unfit(format!("{found} simulators are given for {needed} entities")));
    }
    for (t, listed) in simulators.iter().enumerate() {
        let who = table.entity_name(t);
        let mut answers: Answers = BTreeMap::new();
        for (seen, answer) in listed {
            let seen = table.data(seen)?;
            let wrong = |what: &str| {
                RecheckError::Unfit(format!("the simulator without {who} for the sample {}: {what}", table.name(seen)))
            };
            if has(seen, t) || seen.count_ones() as usize > seeing.rows() {
                return Err(wrong("this sample is impossible"));
            }
            let answer = table.distribution(answer).map_err(|error| wrong(&error))?;
            if answers.insert(seen, answer).is_some() {
                return Err(wrong("it is listed twice"));
            }
        }
        for others in table.subsets().filter(|others| !has(*others, t)) {
            keeps(table, t, others, &simulated(table, t, &seeing.of(table, others), &answers)?, claim)?;
        }
    }
    Ok(())
}

/// The mean of the answers over the possible samples.
fn simulated(table: &ExactTable, t: usize, sights: &[Data], answers: &Answers) -> Result<Vec<Q>, RecheckError> {
    let mut sum = vec![Q::zero(); table.outputs()];
    for sight in sights {
        let Some(answer) = answers.get(sight) else {
            let (who, sight) = (table.entity_name(t), table.name(*sight));
            let missing = format!("the simulator without {who} has no answer for the sample {sight}");
            return Err(RecheckError::Unfit(missing));
        };
        sum.iter_mut().zip(answer).for_each(|(sum, part)| *sum += part);
    }
    Ok(sum.into_iter().map(|sum| sum / count(sights)).collect())
}

/// Fails unless the simulated answer is within the claim of the mechanism's, with `t` and without.
fn keeps(table: &ExactTable, t: usize, others: Data, simulated: &[Q], claim: &Q) -> Result<(), RecheckError> {
    for data in [others, others | 1 << t] {
        for (output, (real, simulated)) in table.row(data).unwrap_or_default().iter().zip(simulated).enumerate() {
            if *real > claim * simulated || *simulated > claim * real {
                let found = ExtendedNumber::ratio(real, simulated).max(ExtendedNumber::ratio(simulated, real));
                return Err(RecheckError::Exceeded {
                    claim: claim.to_string(),
                    place: format!("{} beside {simulated} without {}", table.says(output, data), table.entity_name(t)),
                    found: found.map_or_else(String::new, |found| found.to_string()),
                });
            }
        }
    }
    Ok(())
}
