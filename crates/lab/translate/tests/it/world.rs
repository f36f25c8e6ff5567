//! Small mechanisms, and the likelihood ratios of every shape by plain enumeration.

use deniable_check::Bound;
use deniable_check::mechanism::{Dataset, Mechanism};
use deniable_core::exact::{Rational, power, ratio, whole};
use deniable_translate::shape::Shape;
use rand_chacha::ChaCha20Rng;
use rand_core::{Rng, SeedableRng};

/// Seeded random numbers; at full scale each run has its own seed ([`deniable_testing::seed`]). Tests that count
/// informative cases have limits that a fresh seed misses in fewer than one of 10⁶ runs.
pub struct Dice(ChaCha20Rng);

impl Dice {
    pub fn new(seed: u64) -> Self {
        Self(ChaCha20Rng::seed_from_u64(deniable_testing::seed(seed)))
    }

    pub fn below(&mut self, end: u64) -> i64 {
        i64::try_from(self.0.next_u64() % end).unwrap()
    }
}

/// A mechanism from weights that need not sum to 1.
pub fn weighted(people: usize, outputs: usize, mut weight: impl FnMut(Dataset, usize) -> Rational) -> Mechanism {
    let names: Vec<String> = (0..outputs).map(|o| format!("o{o}")).collect();
    let rows = (0..1_u32 << people).map(|data| {
        let row: Vec<Rational> = (0..outputs).map(|o| weight(data, o)).collect();
        let sum: Rational = row.iter().sum();
        row.into_iter().map(|w| w / &sum).collect()
    });
    let people: Vec<String> = (1..=people).map(|t| t.to_string()).collect();
    let borrow = |names: &[String]| names.iter().map(String::as_str).map(str::to_owned).collect::<Vec<_>>();
    let (people, names) = (borrow(&people), borrow(&names));
    let people: Vec<&str> = people.iter().map(String::as_str).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    Mechanism::new(&people, &names, rows.collect()).unwrap()
}

/// Yes with the given probability, otherwise no.
pub fn yes(people: usize, probability: impl Fn(Dataset) -> Rational) -> Mechanism {
    weighted(people, 2, |data, output| if output == 0 { probability(data) } else { whole(1) - probability(data) })
}

/// Random mechanisms; `zeros` of 12 probabilities are 0.
pub fn random(people: usize, outputs: usize, zeros: i64, count: usize, seed: u64) -> Vec<Mechanism> {
    let mut dice = Dice::new(seed);
    let mut make = || {
        weighted(people, outputs, |_, output| {
            let zero = output > 0 && dice.below(12) < zeros;
            if zero { whole(0) } else { whole(1 + dice.below(9)) }
        })
    };
    (0..count).map(|_| make()).collect()
}

fn outputs(mechanism: &Mechanism) -> std::ops::Range<usize> {
    0..mechanism.outputs().len()
}

fn datasets(people: usize) -> std::ops::Range<Dataset> {
    0..1 << people
}

/// The probability of an answer after every person is kept with probability `rate`.
fn sampled(mechanism: &Mechanism, output: usize, data: Dataset, rate: &Rational) -> Rational {
    let kept = datasets(mechanism.size()).filter(|part| part & !data == 0);
    let each = kept.map(|part| {
        let dropped = whole(1) - rate;
        let weight = power(rate, part.count_ones()) * power(&dropped, (data & !part).count_ones());
        weight * mechanism.probability(output, part)
    });
    each.sum()
}

fn largest(ratios: impl Iterator<Item = Option<Bound>>) -> Bound {
    ratios.flatten().max().unwrap_or_else(Bound::one).max(Bound::one())
}

fn over_pairs(
    mechanism: &Mechanism,
    chance: impl Fn(usize, Dataset) -> Rational,
    related: impl Fn(Dataset, Dataset) -> bool,
) -> Bound {
    let all = datasets(mechanism.size());
    let pairs: Vec<_> =
        all.clone().flat_map(|a| all.clone().map(move |b| (a, b))).filter(|(a, b)| related(*a, *b)).collect();
    largest(outputs(mechanism).flat_map(|o| {
        let column: Vec<Rational> = all.clone().map(|data| chance(o, data)).collect();
        let ratios = pairs.iter().map(|(a, b)| Bound::of(&column[*a as usize], &column[*b as usize]));
        ratios.collect::<Vec<_>>()
    }))
}

/// The largest ratio of a shape.
pub fn measure(mechanism: &Mechanism, shape: &Shape) -> Bound {
    let people = mechanism.size();
    let plain = |o: usize, data: Dataset| mechanism.probability(o, data);
    let apart = |a: Dataset, b: Dataset| (a ^ b).count_ones();
    let even = |a: Dataset, b: Dataset| a.count_ones() == b.count_ones();
    let up = |a: Dataset, b: Dataset| apart(a, b) == 1 && a > b;
    match shape {
        Shape::Up => over_pairs(mechanism, plain, up),
        Shape::Down => over_pairs(mechanism, plain, |a, b| up(b, a)),
        Shape::Both => over_pairs(mechanism, plain, |a, b| apart(a, b) == 1),
        Shape::Replace => over_pairs(mechanism, plain, |a, b| apart(a, b) == 2 && even(a, b)),
        Shape::Move => over_pairs(mechanism, plain, |a, b| (a & !b).count_ones().max((b & !a).count_ones()) == 1),
        Shape::Group(k) => over_pairs(mechanism, plain, |a, b| apart(a, b) <= *k),
        Shape::ReplaceGroup(k) => over_pairs(mechanism, plain, |a, b| apart(a, b) <= 2 * k && even(a, b)),
        Shape::All => over_pairs(mechanism, plain, |_, _| true),
        Shape::Sampled { rate } => {
            over_pairs(mechanism, |o, data| sampled(mechanism, o, data, rate), |a, b| apart(a, b) == 1)
        }
        Shape::SampledUp { rate } => over_pairs(mechanism, |o, data| sampled(mechanism, o, data, rate), up),
        Shape::OneOf(m) => {
            let all = datasets(people);
            let mut found = Bound::one();
            for candidates in all.clone().filter(|c| c.count_ones() == *m) {
                for certain in all.clone().filter(|c| c & candidates == 0) {
                    for o in outputs(mechanism) {
                        let each: Vec<Rational> = (0..people)
                            .filter(|t| candidates >> t & 1 == 1)
                            .map(|t| plain(o, certain | 1 << t))
                            .collect();
                        let sum: Rational = each.iter().sum();
                        for one in &each {
                            let others = (&sum - one) / whole(*m - 1);
                            found = found.max(Bound::of(one, &others).unwrap_or_else(Bound::one));
                        }
                    }
                }
            }
            found
        }
        Shape::Uniform => {
            let ratio = |o: usize, t: usize| {
                let part = |inside: bool| -> Rational {
                    datasets(people).filter(|d| (d >> t & 1 == 1) == inside).map(|d| plain(o, d)).sum()
                };
                Bound::of(&part(true), &part(false))
            };
            largest(outputs(mechanism).flat_map(|o| (0..people).map(move |t| (o, t))).map(|(o, t)| ratio(o, t)))
        }
        Shape::Simulated(_)
        | Shape::SimulatedRows(_)
        | Shape::Crowd(_)
        | Shape::Induced(_)
        | Shape::Exchanged(_)
        | Shape::View { .. }
        | Shape::Table { .. } => {
            panic!("{shape:?} is not a ratio of two datasets: `further` and `differential` use `check`")
        }
    }
}

/// Every kind of shape.
pub fn shapes() -> Vec<Shape> {
    vec![
        Shape::Up,
        Shape::Down,
        Shape::Both,
        Shape::Replace,
        Shape::Move,
        Shape::Group(2),
        Shape::Group(3),
        Shape::ReplaceGroup(2),
        Shape::All,
        Shape::OneOf(3),
        Shape::OneOf(4),
        Shape::Sampled { rate: ratio(1, 3) },
        Shape::Sampled { rate: ratio(1, 10) },
        Shape::SampledUp { rate: ratio(1, 3) },
        Shape::Sampled { rate: ratio(3, 4) },
        Shape::SampledUp { rate: ratio(1, 2) },
        Shape::SampledUp { rate: ratio(1, 10) },
        Shape::Uniform,
    ]
}
