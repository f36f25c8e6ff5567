//! The mechanisms, protocols and tables of counterexamples.

use crate::bounds::enough;
use crate::counterexample::Counterexample;
use crate::shape::Shape;
use crate::statement::{Statement, Target};
use deniable_check::bop::{Background, Block};
use deniable_check::mechanism::{Dataset, Mechanism};
use deniable_check::protocol::{Party, Protocol, Row};
use deniable_core::exact::{Rational, power, ratio, whole};

/// The mechanisms that refute an implication.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BuiltInstances {
    /// A case that satisfies the statement and breaks the target.
    One(Box<Instance>),
    /// Three cases that satisfy the statement, while the target's parameter grows.
    Growing(Vec<Instance>),
}

/// A case, as a mechanism, a protocol or a table, as far as it is one.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Instance {
    /// The mechanism.
    pub mechanism: Option<Mechanism>,
    /// The protocol in which a party sees the answer. A mechanism without a protocol is shown to a party that learns
    /// nothing else.
    pub protocol: Option<Protocol>,
    /// The population and a table.
    pub table: Option<(Background, Vec<Block>)>,
}

impl From<Mechanism> for Instance {
    fn from(mechanism: Mechanism) -> Self {
        Self { mechanism: Some(mechanism), ..Self::default() }
    }
}

fn one(mechanism: Option<Mechanism>) -> Option<BuiltInstances> {
    mechanism.map(|mechanism| BuiltInstances::One(Box::new(mechanism.into())))
}

/// The cases of a counterexample with a given number of people.
pub(super) fn instances(
    counterexample: Counterexample,
    from: &Statement,
    to: &Target,
    people: usize,
) -> Vec<BuiltInstances> {
    let odds = || enough(from).map_or_else(|_| whole(1), |odds| odds.ends().0);
    let case = |built: Option<BuiltInstances>| built.into_iter().collect();
    match counterexample {
        Counterexample::ExactSize => case(one(named(people, people + 1, |data| data.count_ones() as usize))),
        Counterexample::OnlyAlone => {
            let odds = odds();
            let x = whole(1) - odds.recip();
            case(one(yes(people, move |data| match data {
                0 => &x / &odds,
                1 => x.clone(),
                _ => whole(0),
            })))
        }
        Counterexample::OnlyWith => {
            let x = whole(1) - odds().recip();
            case(one(yes(people, move |data| if data & 1 == 1 { x.clone() } else { whole(0) })))
        }
        Counterexample::Everyone => case(growing(|step| responses(people - 1 + step, &bit_odds(from, &odds())))),
        Counterexample::Levels => match to.shape() {
            // With this many people a simulator sees at most half of them.
            Shape::Simulated(rows) | Shape::SimulatedRows(rows) if rows < 3 => {
                case(growing(|step| levels(rows as usize + 2 + step, &bit_odds(from, &odds()))))
            }
            _ => Vec::new(),
        },
        Counterexample::Counted => match (from.target.shape(), to.shape()) {
            // The target's simulator must not see all people either.
            (Shape::SimulatedRows(rows), Shape::Simulated(other) | Shape::SimulatedRows(other))
                if rows.max(other) < 3 =>
            {
                case(growing(|step| counted(rows.max(other) as usize + 2 + step, rows, &odds())))
            }
            (Shape::SimulatedRows(rows), Shape::All | Shape::View { .. }) if rows < 3 => {
                case(growing(|step| counted(rows as usize + 1 + step, rows, &odds())))
            }
            _ => Vec::new(),
        },
        Counterexample::NotThisOne => match from.target.shape() {
            Shape::OneOf(m) => case(one(not_this_one(m as usize))),
            _ => Vec::new(),
        },
        Counterexample::LargeSets => match from.target.shape() {
            Shape::OneOf(m) => case(one(large_sets(m as usize + 1, m as usize))),
            _ => Vec::new(),
        },
        Counterexample::ExactlyThese => (1..people).rev().filter_map(|k| one(exactly_these(people, k))).collect(),
        Counterexample::ExactlyMany => case(one(exactly_many(people))),
        Counterexample::Many => {
            case(growing(|step| many(from, &odds(), 3 + 2 * step, u32::try_from(1 + 2 * step).unwrap_or(1))))
        }
        Counterexample::KMax => (2..people).rev().filter_map(|k| one(k_max(people, k))).collect(),
        Counterexample::NoObserver => (2..=people.min(4)).filter_map(|people| one(exact(people))).collect(),
        Counterexample::PriorBeyond => case(one(named(people, 1, |_| 0))),
        Counterexample::AllOfThese => match from.target.shape() {
            Shape::Crowd(k) => {
                let these: Dataset = (1 << k.min(31)) - 1;
                let certain = move |data: Dataset| whole(i64::from(data & these == these));
                case(one((people > k as usize).then(|| yes(people, certain)).flatten()))
            }
            _ => Vec::new(),
        },
        Counterexample::NotAllowed => match from.target.shape() {
            Shape::Induced(apart) | Shape::Exchanged(apart) => {
                let far: Dataset = (1 << apart.min(31)) - 1;
                let known = move |data: Dataset| if data == far { 0 } else { data as usize };
                case(one(if people > apart as usize { named(people, 1 << people, known) } else { None }))
            }
            _ => Vec::new(),
        },
        Counterexample::OutputTold => case(output_told(people)),
        Counterexample::ManyBits => case(growing(|step| responses(step + 1, &bit_odds(from, &odds())))),
        Counterexample::Unlikely => case(unlikely(&odds())),
        Counterexample::TrueTable => case(true_table(people)),
        Counterexample::BlindTable => case(blind_table(people)),
        Counterexample::RareValue => case(rare_value(&odds())),
    }
}

/// Three cases, if all of them can be built.
fn growing(case: impl Fn(usize) -> Option<Mechanism>) -> Option<BuiltInstances> {
    let all: Option<Vec<Instance>> = (0..3).map(|step| case(step).map(Instance::from)).collect();
    all.map(BuiltInstances::Growing)
}

/// Odds for each person's answer at which a statement about several people holds: their power is within it.
fn bit_odds(from: &Statement, odds: &Rational) -> Rational {
    let several = match from.target.shape() {
        Shape::Group(size) | Shape::ReplaceGroup(size) | Shape::Induced(size) => size,
        // An exchange changes two answers.
        Shape::Move => 2,
        _ => return odds.clone(),
    };
    // (1+x)^k ≤ e^(kx), and (R−1)/R ≤ ln R.
    whole(1) + (odds - whole(1)) / (odds * whole(several))
}

/// Names of the outputs; a set of all people is the longest.
fn outputs(count: usize) -> Vec<String> {
    (0..count).map(|output| format!("o{output}")).collect()
}

fn built(people: usize, count: usize, chance: impl Fn(Dataset, usize) -> Rational) -> Option<Mechanism> {
    let names = outputs(count);
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    Mechanism::from_fn(people, &names, chance).ok()
}

/// A deterministic answer for each dataset.
fn named(people: usize, count: usize, answer: impl Fn(Dataset) -> usize) -> Option<Mechanism> {
    built(people, count, |data, output| whole(i64::from(answer(data) == output)))
}

fn yes(people: usize, chance: impl Fn(Dataset) -> Rational) -> Option<Mechanism> {
    built(people, 2, |data, output| if output == 0 { chance(data) } else { whole(1) - chance(data) })
}

fn exact(people: usize) -> Option<Mechanism> {
    named(people, 1 << people, |data| data as usize)
}

/// Independent randomised responses at these odds; an output is the set of people who answer that they are in.
fn responses(people: usize, odds: &Rational) -> Option<Mechanism> {
    let all = u32::try_from(people).ok()?;
    let sum = power(&(odds + whole(1)), all);
    built(people, 1 << people, |data, output| {
        let differ = u32::try_from(output).map_or(all, |output| (data ^ output).count_ones());
        power(odds, all - differ) / &sum
    })
}

/// Names one of the people who are not in if exactly one is; otherwise any person.
fn not_this_one(people: usize) -> Option<Mechanism> {
    built(people, people, |data, output| {
        let alone = data.count_ones() == 1;
        match (alone, data >> output & 1 == 1) {
            (true, true) => whole(0),
            (true, false) => (whole(people) - whole(1)).recip(),
            (false, _) => whole(people).recip(),
        }
    })
}

/// Releases the members, if more than `people − m + 1` are in.
fn large_sets(people: usize, m: usize) -> Option<Mechanism> {
    let large = move |data: Dataset| data.count_ones() as usize + m > people + 1;
    named(people, 1 << people, move |data| if large(data) { data as usize } else { 0 })
}

/// Yes if exactly the first `k` people are in, yes or no evenly if fewer than `k` people are, no otherwise.
fn exactly_these(people: usize, k: usize) -> Option<Mechanism> {
    yes(people, |data| match (data.count_ones() as usize).cmp(&k) {
        std::cmp::Ordering::Less => ratio(1, 2),
        _ => whole(i64::from(data == (1 << k) - 1)),
    })
}

/// Releases the members if at most one person is out, and a uniform answer otherwise.
fn exactly_many(people: usize) -> Option<Mechanism> {
    built(people, people + 1, |data, output| match people - data.count_ones() as usize {
        0 => whole(i64::from(output == people)),
        1 => whole(i64::from(output < people && data >> output & 1 == 0)),
        _ => (whole(people) + whole(1)).recip(),
    })
}

/// A rare yes, `odds` times as likely with each member.
fn levels(people: usize, odds: &Rational) -> Option<Mechanism> {
    let least = (power(odds, u32::try_from(people).ok()?) * whole(1000)).recip();
    yes(people, |data| &least * power(odds, data.count_ones()))
}

/// A rare yes, `(1 + qn)^rows` times as likely with `n` people, where one more person multiplies that by at most
/// `odds`.
fn counted(people: usize, rows: u32, odds: &Rational) -> Option<Mechanism> {
    // (1+q)^k ≤ e^(kq), and (R−1)/R ≤ ln R.
    let more = (odds - whole(1)) / (odds * whole(rows));
    let level = |size: u32| power(&(whole(1) + &more * whole(size)), rows);
    let least = (level(u32::try_from(people).ok()?) * whole(1000)).recip();
    yes(people, |data| &least * level(data.count_ones()))
}

/// Yes with probability 1/2 if person 1 and at least `k` others are in, otherwise with the small probability at which
/// sampling attains exactly the odds.
fn many(from: &Statement, odds: &Rational, people: usize, k: u32) -> Option<Mechanism> {
    let (Shape::Sampled { rate } | Shape::SampledUp { rate }) = from.target.shape() else { return None };
    let others = u32::try_from(people).ok()?.checked_sub(1)?;
    let drop = whole(1) - &rate;
    let sets = (0..1_u32 << others).map(u32::count_ones).filter(|size| *size >= k);
    let left: Rational = sets.map(|size| power(&rate, size) * power(&drop, others - size)).sum();
    // The presence of person 1 adds rate·left·(1/2 − rare), which is (R−1)·rare.
    let share = &rate * left;
    let rare = &share / (whole(2) * (&share + odds - whole(1)));
    yes(people, |data| if data & 1 == 1 && data.count_ones() > k { ratio(1, 2) } else { rare.clone() })
}

fn k_max(people: usize, k: usize) -> Option<Mechanism> {
    built(people, people, |data, output| {
        let rank = if data == 0 { 0 } else { 31 - data.leading_zeros() as usize };
        let start = rank.min(people - k);
        if (start..start + k).contains(&output) { whole(k).recip() } else { whole(0) }
    })
}

fn inputs(count: usize) -> Vec<String> {
    (0..count).map(|input| format!("y{input}")).collect()
}

/// A protocol in which the first party has one input, and its view and output depend on the second party's input.
fn shown(count: usize, rows: impl Fn(usize) -> Vec<(String, String, Rational)>) -> Option<Protocol> {
    let first = (0..count).flat_map(|y| {
        rows(y).into_iter().map(move |(view, output, probability)| Row {
            party: Party::First,
            x: 0,
            y,
            view,
            output,
            probability,
        })
    });
    let nothing =
        |y| Row { party: Party::Second, x: 0, y, view: "-".to_owned(), output: "-".to_owned(), probability: whole(1) };
    Protocol::new([vec!["x".to_owned()], inputs(count)], first.chain((0..count).map(nothing))).ok()
}

/// The protocol of a party whose view is a mechanism's answer, without an output.
pub(super) fn telling(mechanism: &Mechanism) -> Option<Protocol> {
    shown(1 << mechanism.size(), |data| {
        let data = Dataset::try_from(data).unwrap_or_default();
        let chance = |output: usize| mechanism.probability(output, data);
        let each = mechanism.outputs().iter().enumerate();
        each.map(|(output, name)| (name.clone(), "-".to_owned(), chance(output))).collect()
    })
}

fn output_told(people: usize) -> Option<BuiltInstances> {
    let said = |y: usize| vec![(format!("o{y}"), format!("o{y}"), whole(1))];
    let protocol = shown(1 << people, said)?;
    let mechanism = Some(exact(people)?);
    Some(BuiltInstances::One(Box::new(Instance { mechanism, protocol: Some(protocol), table: None })))
}

fn unlikely(odds: &Rational) -> Option<BuiltInstances> {
    let seldom = whole(1) - odds.recip();
    let views = |y: usize| {
        let view = |name: String, chance: &Rational| (name, "-".to_owned(), chance.clone());
        vec![view("usual".to_owned(), &(whole(1) - &seldom)), view(format!("of y{y}"), &seldom)]
    };
    Some(BuiltInstances::One(Box::new(Instance { protocol: Some(shown(2, views)?), ..Instance::default() })))
}

/// Two sensitive values with equal probabilities.
fn coin() -> Option<Background> {
    Background::new(&["everybody"], &["first", "second"], vec![vec![ratio(1, 2), ratio(1, 2)]]).ok()
}

fn block(counts: [u64; 2]) -> Vec<Block> {
    vec![Block { public: vec![0], counts: counts.to_vec() }]
}

/// The counts of two values among the members; people have the values alternately. With one person of each value, the
/// table equals the prior.
fn true_table(people: usize) -> Option<BuiltInstances> {
    let first = |data: Dataset| (data & 0x5555_5555).count_ones() as usize;
    let second = |data: Dataset| (data & 0xaaaa_aaaa).count_ones() as usize;
    let side = people + 1;
    let counts = named(people, side * side, |data| first(data) * side + second(data))?;
    let table = Some((coin()?, block([1, 1])));
    Some(BuiltInstances::One(Box::new(Instance { table, ..counts.into() })))
}

/// One of four tables of two rows, with equal probabilities for every dataset; the first has no row of the second
/// value.
fn blind_table(people: usize) -> Option<BuiltInstances> {
    let evenly = built(people, 4, |_, _| ratio(1, 4))?;
    let table = Some((coin()?, block([2, 0])));
    Some(BuiltInstances::One(Box::new(Instance { table, ..evenly.into() })))
}

/// A value that fewer and fewer people have, in a block of which a fixed fraction has it.
fn rare_value(odds: &Rational) -> Option<BuiltInstances> {
    use num_traits::ToPrimitive;
    // The common value is in more than 1/R of the block.
    let of = (whole(2) * odds / (odds - whole(1))).ceil().to_integer().to_u64()?.max(2);
    let case = |rare: Rational| {
        let known = Background::new(&["everybody"], &["rare", "common"], vec![vec![rare.clone(), whole(1) - rare]]);
        Some(Instance { table: Some((known.ok()?, block([1, of - 1]))), ..Instance::default() })
    };
    let all: Option<Vec<Instance>> =
        [10_u64, 100, 1000].map(|times| case((whole(of) * whole(times)).recip())).into_iter().collect();
    all.map(BuiltInstances::Growing)
}
