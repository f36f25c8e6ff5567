//! Protocols (I-SMC) and where LXL's equivalence fails (E-5).

use super::common::dice::Dice;
use super::common::{dp, value};
use deniable_check::Bound;
use deniable_check::notion::{Notion, Sign};
use deniable_check::protocol::builtin::{and, noisy_bits, xor};
use deniable_check::protocol::simulate::{Sides, SimulationBound};
use deniable_check::protocol::{Party, Protocol, ProtocolError, Row};
use deniable_check::verdict::Value;
use deniable_core::exact::{Rational, ratio, whole};

fn simulated(protocol: &Protocol, party: Party, sides: Sides) -> SimulationBound {
    let found = protocol.simulate(party, sides).unwrap();
    check(protocol, &found);
    found
}

/// Checks the simulator's ratio with the table alone: jointly with the output, which both know.
fn check(protocol: &Protocol, found: &SimulationBound) {
    let other = if found.party == Party::First { Party::Second } else { Party::First };
    let mut worst = Bound::one();
    for own in 0..protocol.inputs(found.party).len() {
        for theirs in 0..protocol.inputs(other).len() {
            for output in 0..protocol.outputs(found.party).len() {
                let views = 0..protocol.views(found.party).len();
                let joint = |view| protocol.probability(found.party, own, theirs, view, output);
                let likely: Rational = views.clone().map(joint).sum();
                if likely == whole(0) {
                    continue;
                }
                let Some(simulator) = &found.simulator[&(own, output)] else {
                    worst = Bound::Infinite;
                    continue;
                };
                assert_eq!(simulator.iter().sum::<Rational>(), whole(1));
                for view in views {
                    let (made_up, real) = (&likely * &simulator[view], joint(view));
                    worst = worst.max(Bound::of(&made_up, &real).unwrap_or_else(Bound::one));
                    if found.sides == Sides::Two {
                        worst = worst.max(Bound::of(&real, &made_up).unwrap_or_else(Bound::one));
                    }
                }
            }
        }
    }
    // With an irrational root the simulator's ratio is somewhere in the bracket.
    assert!(*found.value.low() <= worst && worst <= *found.value.high(), "{worst} in {}", found.value);
}

fn exactly(protocol: &Protocol, party: Party, sides: Sides) -> Bound {
    match simulated(protocol, party, sides).value {
        Value::Attained(value) => value,
        other => panic!("{other:?}"),
    }
}

/// E-5, first direction: AND is perfectly simulatable, and as a mechanism it has no finite ε.
#[test]
fn and_is_private_and_has_no_dp() {
    let protocol = and().unwrap();
    for party in Party::BOTH {
        for sides in [Sides::One, Sides::Two] {
            assert_eq!(exactly(&protocol, party, sides), Bound::one());
        }
        let mechanism = protocol.as_mechanism(party).unwrap();
        assert_eq!((dp(&mechanism), mechanism.size()), (Bound::Infinite, 1));
        assert_eq!(value(&mechanism, &Notion::FreeLunch), Bound::Infinite);
        // With input 0 the view is constant; with input 1 it discloses the other input.
        let [nothing, all] = [0, 1].map(|own| dp(&protocol.mechanism_at(party, own).unwrap()));
        assert_eq!((nothing, all), (Bound::one(), Bound::Infinite));
    }
}

/// XOR by secret sharing is perfectly simulatable too, though the views are not the outputs.
#[test]
fn xor_is_private() {
    let protocol = xor().unwrap();
    for party in Party::BOTH {
        assert_eq!(protocol.views(party).len(), 8);
        assert_eq!(exactly(&protocol, party, Sides::Two), Bound::one());
        // The output discloses the other's bit, and so does the view.
        assert_eq!(dp(&protocol.as_mechanism(party).unwrap()), Bound::Infinite);
    }
}

/// E-5, second direction: two bits that are each 3-DP need a factor of 4 in a simulation from a constant output.
#[test]
fn dp_of_each_bit_is_not_enough() {
    let protocol = noisy_bits(2, &ratio(3, 4)).unwrap();
    let mechanism = protocol.as_mechanism(Party::First).unwrap();
    assert_eq!((dp(&mechanism), mechanism.size()), (Bound::Finite(whole(3)), 2));
    for sides in [Sides::One, Sides::Two] {
        assert_eq!(exactly(&protocol, Party::First, sides), Bound::Finite(whole(4)));
        assert_eq!(exactly(&protocol, Party::Second, sides), Bound::one());
    }
    let line = simulated(&protocol, Party::First, Sides::One).line(&protocol);
    let sum = "1/16 + 1/16 + 1/16 + 1/16";
    assert_eq!(line, format!("x = none, output done: y may be 00, 01, 10, 11: 1 / Σ min = 1 / ({sum}) = 4"));
    // One bit is one entity: then DP is sufficient, and stronger than needed.
    let one = noisy_bits(1, &ratio(3, 4)).unwrap();
    assert_eq!(exactly(&one, Party::First, Sides::One), Bound::Finite(whole(2)));
    assert_eq!(exactly(&one, Party::First, Sides::Two), Bound::Finite(whole(2)));
    assert_eq!(dp(&one.as_mechanism(Party::First).unwrap()), Bound::Finite(whole(3)));
    // n bits need 2^n: each of 2^n views has probability 1/4^n at the opposite input.
    assert_eq!(exactly(&noisy_bits(3, &ratio(3, 4)).unwrap(), Party::First, Sides::One), Bound::Finite(whole(8)));
}

/// A random protocol with one input of the first party and `inputs` of the second: views and outputs both random.
fn random(inputs: usize, views: usize, outputs: usize, least: i64, dice: &mut Dice) -> Protocol {
    let names = |count: usize| (0..count).map(|name| name.to_string()).collect::<Vec<_>>();
    let mut rows = Vec::new();
    for y in 0..inputs {
        let chances = dice.distribution(views * outputs, least, 9);
        for (cell, probability) in chances.into_iter().enumerate() {
            let (view, output) = ((cell / outputs).to_string(), (cell % outputs).to_string());
            rows.push(Row { party: Party::First, x: 0, y, view, output, probability });
        }
        let nothing = String::new;
        rows.push(Row { party: Party::Second, x: 0, y, view: nothing(), output: nothing(), probability: whole(1) });
    }
    Protocol::new([names(1), names(inputs)], rows).unwrap()
}

/// If the other's whole input is one entity, any two inputs are neighbours, and DP of the view implies privacy.
#[test]
fn dp_of_the_whole_input_is_enough() {
    let mut dice = Dice::new(81);
    let (mut reached, mut finite) = (whole(0), 0);
    for number in 0..120 {
        let (inputs, outputs) = (2 + number % 4, 1 + number / 4 % 3);
        let protocol = random(inputs, 2 + number % 3, outputs, i64::from(number % 5 != 0), &mut dice);
        // The ratio of view and output together, over all pairs of inputs: free lunch.
        let mut lunch = Bound::one();
        for (one, other) in (0..inputs).flat_map(|one| (0..inputs).map(move |other| (one, other))) {
            for (view, output) in
                (0..protocol.views(Party::First).len()).flat_map(|v| (0..outputs).map(move |o| (v, o)))
            {
                let [p, q] = [one, other].map(|y| protocol.probability(Party::First, 0, y, view, output));
                lunch = lunch.max(Bound::of(&p, &q).unwrap_or_else(Bound::one));
            }
        }
        let [one, two] = [Sides::One, Sides::Two].map(|sides| simulated(&protocol, Party::First, sides).value);
        // An irrational root is at most the ratio if the lower end of its bracket is: the ratio is rational.
        assert!(*one.high() <= lunch && *two.low() <= lunch && one.low() <= two.high());
        if let (Bound::Finite(two), Bound::Finite(lunch)) = (two.low(), &lunch) {
            (reached, finite) = (reached.max(two / lunch), finite + 1);
        }
    }
    assert!(finite > 80 && reached > ratio(1, 2) && reached <= whole(1), "{finite} {reached}");
}

/// Each of the three terms of the two-sided value can be the largest; a grid of simulators is no better.
#[test]
fn no_simulator_is_better() {
    const STEPS: i64 = 60;
    let mut dice = Dice::new(82);
    for number in 0..12 {
        let protocol = random(2 + number % 2, 3, 1, 1, &mut dice);
        for sides in [Sides::One, Sides::Two] {
            let found = simulated(&protocol, Party::First, sides);
            let mut best = Bound::Infinite;
            for first in 0..=STEPS {
                for second in 0..=STEPS - first {
                    let simulator = [first, second, STEPS - first - second].map(|part| ratio(part, STEPS));
                    let pairs = found.worst.views.iter().flat_map(|view| simulator.iter().zip(view));
                    let ratio = pairs.flat_map(|(s, p)| {
                        let back = if sides == Sides::Two { Bound::of(p, s) } else { None };
                        [Bound::of(s, p), back]
                    });
                    best = best.min(ratio.flatten().max().unwrap());
                }
            }
            let (Bound::Finite(low), Bound::Finite(best)) = (found.value.low(), &best) else { panic!("infinite") };
            assert!(low <= best && *best < low * ratio(4, 3), "{low} {best}");
        }
    }
}

#[test]
fn irrational_values_are_bracketed() {
    let names = |count: usize| (0..count).map(|name| name.to_string()).collect::<Vec<_>>();
    let row = |y: usize, view: &str, probability| Row {
        party: Party::First,
        x: 0,
        y,
        view: view.to_owned(),
        output: "o".to_owned(),
        probability,
    };
    let nothing = |y| Row { party: Party::Second, probability: whole(1), ..row(y, "", whole(1)) };
    let rows = [row(0, "a", ratio(1, 2)), row(0, "b", ratio(1, 2)), row(1, "a", ratio(1, 4)), row(1, "b", ratio(3, 4))];
    let rows = rows.into_iter().chain([nothing(0), nothing(1)]).collect::<Vec<_>>();
    let protocol = Protocol::new([names(1), names(2)], rows.clone()).unwrap();
    let found = simulated(&protocol, Party::First, Sides::Two);
    let Value::Between { low: Bound::Finite(low), high: Bound::Finite(high), theorem: "I-SMC" } = &found.value else {
        panic!("{:?}", found.value)
    };
    assert!(low * low < whole(2) && whole(2) < high * high && high - low <= ratio(1, 1_000_000_000_000));
    let line = found.line(&protocol);
    assert_eq!(line, "x = 0, output o: y may be 0, 1: √(max/min) of view `a` = √(1/2 / 1/4) ≤ 1.414213562");
    assert_eq!(exactly(&protocol, Party::First, Sides::One), Bound::Finite(ratio(4, 3)));
    // One row is missing.
    let wrong = Protocol::new([names(1), names(2)], rows[1..].to_vec()).unwrap_err();
    assert_eq!(wrong.to_string(), "the probabilities of the first party's view at x = 0, y = 0 sum to 1/2, not 1");
    let wrong = Protocol::new([names(1), names(1)], rows).unwrap_err();
    assert_eq!(wrong, ProtocolError::Input { x: 0, y: 1 });
}

/// Three inputs are two bits with a dataset that has no row.
#[test]
fn inputs_are_bits() {
    let mut dice = Dice::new(83);
    let protocol = random(3, 2, 1, 1, &mut dice);
    let mechanism = protocol.as_mechanism(Party::First).unwrap();
    assert_eq!((mechanism.size(), mechanism.datasets().count()), (2, 3));
    assert_eq!(mechanism.probability(0, 2), protocol.probability(Party::First, 0, 2, 0, 0));
    // A pair of inputs has the same ratio with each own input, and no larger one.
    let and = and().unwrap().as_mechanism(Party::First).unwrap();
    assert_eq!(and.outputs(), ["0: 0", "0: 1", "1: 0", "1: 1"]);
    assert_eq!(and.probability(0, 0), ratio(1, 2));
    assert_eq!(value(&and, &Notion::Membership { sign: Sign::Positive }), Bound::Infinite);
}
