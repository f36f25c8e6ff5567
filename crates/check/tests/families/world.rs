//! Random exact mechanisms, and what an answer tells an observer, from nothing but Bayes' rule.

use deniable_check::Bound;
use deniable_check::family::Prior;
use deniable_check::mechanism::{Dataset, Mechanism};
use deniable_check::notion::Direction;
use deniable_check::verdict::{Value, Verdict, Witness};
use deniable_core::adversary::PriorRange;
use deniable_core::exact::{Rational, ratio, whole};
use num_traits::{One, Zero};
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

pub const BOTH: [Direction; 2] = [Direction::Presence, Direction::Absence];

pub type Table = Vec<(Dataset, Rational)>;

/// Seeded choices, so that a failure comes back.
pub struct Dice(ChaCha20Rng);

impl Dice {
    pub fn new(seed: u64) -> Self {
        Self(ChaCha20Rng::seed_from_u64(seed))
    }

    pub fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.0.next_u64() % end as u64).unwrap()
    }

    /// Weights of 0 to 9, of which about one in `zeros` is 0 on top (0: none is).
    pub fn distribution(&mut self, outcomes: usize, zeros: usize) -> Vec<Rational> {
        assert_ne!(zeros, 1, "everything would be 0");
        loop {
            let weight = |dice: &mut Self| {
                if zeros > 0 && dice.below(zeros) == 0 { 0 } else { i64::try_from(dice.below(9)).unwrap() + 1 }
            };
            let weights: Vec<i64> = (0..outcomes).map(|_| weight(self)).collect();
            let sum: i64 = weights.iter().sum();
            if sum > 0 {
                return weights.iter().map(|weight| ratio(*weight, sum)).collect();
            }
        }
    }

    pub fn mechanism(&mut self, entities: usize, outputs: usize, zeros: usize) -> Mechanism {
        self.partial(entities, outputs, zeros, 0)
    }

    /// About one row in `missing` is missing (0: none is).
    pub fn partial(&mut self, entities: usize, outputs: usize, zeros: usize, missing: usize) -> Mechanism {
        let names = |count: usize, letter: &str| (0..count).map(|k| format!("{letter}{k}")).collect::<Vec<_>>();
        let rows = (0..1_u32 << entities).map(|data| {
            let gone = missing > 0 && data > 0 && self.below(missing) == 0;
            (!gone).then(|| self.distribution(outputs, zeros))
        });
        let rows = rows.collect();
        Mechanism::partial(names(entities, "t"), names(outputs, "o"), rows).unwrap()
    }

    /// A mixed bag: without zeros, with some, with many, partial ones, and denominators without common multiples.
    pub fn several(&mut self, entities: usize, count: usize) -> Vec<Mechanism> {
        let mut all: Vec<_> = (0..count)
            .map(|k| self.partial(entities, 2 + k % 2, [0, 0, 6, 3][k % 4], [0, 0, 0, 5][k / 2 % 4]))
            .collect();
        all.push(awkward(entities, self));
        all
    }

    pub fn complete(&mut self, entities: usize, count: usize) -> Vec<Mechanism> {
        let mut all: Vec<_> = (0..count).map(|k| self.mechanism(entities, 2 + k % 2, [0, 0, 6, 3][k % 4])).collect();
        all.push(awkward(entities, self));
        all
    }
}

/// Denominators that no 63 bits hold together.
fn awkward(entities: usize, dice: &mut Dice) -> Mechanism {
    let rows: Vec<Rational> = (0..1_i64 << entities)
        .map(|data| ratio(1 + i64::try_from(dice.below(900_000)).unwrap(), 1_000_003 + 2 * data * data))
        .collect();
    Mechanism::from_fn(entities, &["a", "b"], |data, output| {
        let part = &rows[data as usize];
        if output == 0 { part.clone() } else { whole(1) - part }
    })
    .unwrap()
}

pub fn belief(prior: &[(Dataset, Rational)], t: usize) -> Rational {
    prior.iter().filter(|(data, _)| data >> t & 1 == 1).map(|(_, weight)| weight).sum()
}

/// `Pr[t, o]` and `Pr[¬t, o]`.
pub fn joint(mechanism: &Mechanism, prior: &[(Dataset, Rational)], t: usize, output: usize) -> (Rational, Rational) {
    let of = |present: bool| {
        let worlds = prior.iter().filter(|(data, _)| (data >> t & 1 == 1) == present);
        worlds.map(|(data, weight)| weight * mechanism.probability(output, *data)).sum()
    };
    (of(true), of(false))
}

/// The definition of γ at one prior, entity and output: `None` for the certain and for answers that never come.
pub fn gain_at(
    mechanism: &Mechanism,
    prior: &[(Dataset, Rational)],
    t: usize,
    output: usize,
    about: Direction,
) -> Option<Bound> {
    let present = belief(prior, t);
    if present.is_zero() || present.is_one() {
        return None;
    }
    let (with, without) = joint(mechanism, prior, t, output);
    let (belief, top, bottom) = match about {
        Direction::Presence => (present, with, without),
        Direction::Absence => (whole(1) - present, without, with),
    };
    let total = &top + &bottom;
    if total.is_zero() {
        return None;
    }
    // Pr[t|o]/Pr[t], and Pr[¬t]/Pr[¬t|o].
    let up = &top / &total / &belief;
    let down = Bound::of(&(whole(1) - belief), &(bottom / total)).unwrap();
    Some(Bound::Finite(up).max(down))
}

pub fn outputs(mechanism: &Mechanism) -> std::ops::Range<usize> {
    0..mechanism.outputs().len()
}

pub fn gain(mechanism: &Mechanism, prior: &[(Dataset, Rational)], about: Direction) -> Option<Bound> {
    let all = (0..mechanism.size()).flat_map(|t| outputs(mechanism).map(move |output| (t, output)));
    all.filter_map(|(t, output)| gain_at(mechanism, prior, t, output, about)).max()
}

/// Belief in presence after each answer, of everybody who was uncertain.
pub fn posteriors(mechanism: &Mechanism, prior: &[(Dataset, Rational)]) -> Vec<Rational> {
    let all = (0..mechanism.size()).flat_map(|t| outputs(mechanism).map(move |output| (t, output)));
    let after = all.filter_map(|(t, output)| {
        let before = belief(prior, t);
        let (with, without) = joint(mechanism, prior, t, output);
        let total = &with + without;
        (!before.is_zero() && !before.is_one() && !total.is_zero()).then(|| with / total)
    });
    after.collect()
}

/// The prior of a witness and whether its likelihoods are what the prior says.
pub fn witness(mechanism: &Mechanism, verdict: &Verdict) -> Option<(Table, usize, usize)> {
    let Some(Witness::Prior { prior, entity, output, likelihoods }) = &verdict.witness else { return None };
    assert!(prior.is_distribution());
    let table = prior.table();
    let before = belief(&table, *entity);
    let (with, without) = joint(mechanism, &table, *entity, *output);
    assert_eq!(
        *likelihoods,
        (with / &before, without / (whole(1) - before)),
        "{}",
        verdict.witness.as_ref().unwrap().line(mechanism)
    );
    Some((table, *entity, *output))
}

/// The gain that the witness shows, if it is a prior.
pub fn shown(mechanism: &Mechanism, verdict: &Verdict, about: Direction) -> Option<Bound> {
    let (table, entity, output) = witness(mechanism, verdict)?;
    gain_at(mechanism, &table, entity, output, about)
}

/// The belief in presence after the answer that the witness shows.
pub fn shown_belief(mechanism: &Mechanism, verdict: &Verdict) -> Option<Rational> {
    let (table, entity, output) = witness(mechanism, verdict)?;
    let (with, without) = joint(mechanism, &table, entity, output);
    Some(&with / (&with + without))
}

pub fn attained(value: Bound) -> Value {
    Value::Attained(value)
}

pub fn range(low: (i64, i64), high: (i64, i64)) -> PriorRange {
    let end = |(top, bottom): (i64, i64)| (top != 0 && top != bottom).then(|| ratio(top, bottom));
    PriorRange::new(end(low), end(high)).unwrap()
}

/// Every way to choose one of the values for each place.
pub fn grid(places: usize, values: &[Rational]) -> Vec<Vec<Rational>> {
    (0..places).fold(vec![vec![]], |all, _| {
        let longer = all.iter().flat_map(|start| {
            values.iter().map(move |value| start.iter().cloned().chain([value.clone()]).collect::<Vec<_>>())
        });
        longer.collect()
    })
}

/// Independent beliefs, conditioned on every possible size.
pub fn sized_grid(entities: usize, values: &[Rational]) -> Vec<Table> {
    let independent = grid(entities, values).into_iter().map(|beliefs| Prior::Independent(beliefs).table());
    let sized = independent.flat_map(|prior| {
        (0..=entities as u32).filter_map(move |size| {
            scaled(prior.iter().filter(|(data, _)| data.count_ones() == size).cloned().collect())
        })
    });
    sized.collect()
}

pub fn scaled(mut table: Table) -> Option<Table> {
    table.retain(|(_, weight)| !weight.is_zero());
    let sum: Rational = table.iter().map(|(_, weight)| weight).sum();
    (!sum.is_zero()).then(|| table.into_iter().map(|(data, weight)| (data, weight / &sum)).collect())
}

/// Whether all datasets of a prior have rows.
pub fn given(mechanism: &Mechanism, prior: &[(Dataset, Rational)]) -> bool {
    prior.iter().all(|(data, _)| mechanism.gives(*data))
}
