//! Semi-honest privacy: privacy against parties that follow the protocol and analyse their views (I-SMC).
//!
//! The simulator of a party knows its input and its output, and produces a view. One-sided, as in LXL, `S ≤ e^ε · view`
//! for every view; two-sided, also the reverse. All inputs of the other party that are possible with the same own input
//! and output form a group, which the simulator cannot distinguish: it has one distribution for all of them, and the
//! best one has a closed form, for each group separately.
//!
//! Where the output is random, the view is conditioned on the output: the simulator must fit view and output jointly,
//! as the output is known whichever of the two produced the view. Even so **DP of the view together with the output
//! implies this, with the same ε and two-sided**, if any two inputs of the other party are neighbours: with `m` the
//! smallest joint probability of a view and this output, each joint probability is from `m` to `R·m`, and the
//! conditional one at least `m/(R·Σ m)` and at most `R·m/Σ m`; so `1/Σ min ≤ R` and `Σ max ≤ R`. Two conditional
//! probabilities of one view differ by at most `R²`, of which the root counts. With two bits as the other input and DP
//! for each bit, it does not: E-5.

use super::{Party, Protocol};
use crate::nearest::{NearestDistribution, Reason, Span};
use crate::verdict::Value;
use deniable_core::exact::Bound;
use deniable_core::exact::Rational;
use num_traits::Zero;
use std::collections::BTreeMap;

/// The inequalities that a simulator must satisfy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sides {
    /// No view is too likely in the simulation: `S ≤ e^ε · view`.
    One,
    /// Also `view ≤ e^ε · S`.
    Two,
}

/// The tight bound with which the view of a party can be simulated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SimulationBound {
    /// The tight `e^ε`, at least 1.
    pub value: Value,
    /// The group of inputs with the largest bound.
    pub worst: Group,
    /// The best simulator: for each own input and output, the distribution of the view; `None` if no ratio is finite.
    pub simulator: BTreeMap<(usize, usize), Option<Vec<Rational>>>,
    /// The party whose view is simulated.
    pub party: Party,
    /// Whether the simulator is bounded in one direction or in both.
    pub sides: Sides,
    /// The entries of `docs/theorems` that prove the value.
    pub theorems: Vec<&'static str>,
}

/// Inputs that a party cannot distinguish by its own input and output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// The party's input, by its position.
    pub own: usize,
    /// The party's output, by its position.
    pub output: usize,
    /// The inputs of the other party that are possible with this output.
    pub others: Vec<usize>,
    /// For each of them, the distribution of the view, given the output.
    pub views: Vec<Vec<Rational>>,
    /// The constraint that determines the bound.
    pub reason: Reason,
}

impl Protocol {
    /// The tight `e^ε` of semi-honest privacy for a party, with the simulator that attains it. `None` for a protocol
    /// without inputs.
    #[must_use]
    pub fn simulate(&self, party: Party, sides: Sides) -> Option<SimulationBound> {
        let mut worst: Option<(NearestDistribution, Group)> = None;
        let mut simulator = BTreeMap::new();
        for own in 0..self.inputs(party).len() {
            for output in 0..self.outputs(party).len() {
                let (others, views): (Vec<_>, Vec<_>) = self.conditional(party, own, output).into_iter().unzip();
                if others.is_empty() {
                    continue;
                }
                let span = Span::of(views.iter().map(Vec::as_slice), self.views(party).len());
                let middle = if sides == Sides::One { span.below() } else { span.between() };
                simulator.insert((own, output), middle.simulator.clone());
                if worst.as_ref().is_none_or(|(worst, _)| middle.high > worst.high) {
                    let reason = middle.reason;
                    worst = Some((middle, Group { own, output, others, views, reason }));
                }
            }
        }
        let (NearestDistribution { low, high, .. }, worst) = worst?;
        let value = if low == high { Value::Attained(low) } else { Value::Between { low, high, theorem: "I-SMC" } };
        Some(SimulationBound { value, worst, simulator, party, sides, theorems: vec!["I-SMC"] })
    }

    /// The inputs of the other party for which this output is possible, each with the conditional distribution of the
    /// view.
    fn conditional(&self, party: Party, own: usize, output: usize) -> Vec<(usize, Vec<Rational>)> {
        let views = 0..self.views(party).len();
        let each = (0..self.inputs(party.other()).len()).filter_map(|other| {
            let joint: Vec<Rational> =
                views.clone().map(|view| self.probability(party, own, other, view, output)).collect();
            let sum: Rational = joint.iter().sum();
            (!sum.is_zero()).then(|| (other, joint.into_iter().map(|value| value / &sum).collect()))
        });
        each.collect()
    }
}

impl SimulationBound {
    /// The arithmetic of the worst group in one line.
    #[must_use]
    pub fn line(&self, protocol: &Protocol) -> String {
        let Group { own, output, others, views, reason } = &self.worst;
        let (me, them) = if self.party == Party::First { ("x", "y") } else { ("y", "x") };
        let names: Vec<&str> =
            others.iter().map(|other| protocol.inputs(self.party.other())[*other].as_str()).collect();
        let span = Span::of(views.iter().map(Vec::as_slice), protocol.views(self.party).len());
        let sum = |parts: &[Rational]| {
            let shown = parts.iter().zip(&span.most).filter(|(_, most)| !most.is_zero());
            shown.map(|(part, _)| part.to_string()).collect::<Vec<_>>().join(" + ")
        };
        let arithmetic = match reason {
            Reason::TooLittle => format!("1 / Σ min = 1 / ({})", sum(&span.least)),
            Reason::TooMuch => format!("Σ max = {}", sum(&span.most)),
            Reason::Apart(view) => {
                let (name, most, least) = (&protocol.views(self.party)[*view], &span.most[*view], &span.least[*view]);
                match Bound::of(most, least) {
                    Some(Bound::Infinite) => format!("view `{name}` has probability {most} or 0"),
                    _ => format!("√(max/min) of view `{name}` = √({most} / {least})"),
                }
            }
        };
        let (own, output) = (&protocol.inputs(self.party)[*own], &protocol.outputs(self.party)[*output]);
        let value = match &self.value {
            Value::Between { high, .. } => format!("≤ {}", high.decimal(9)),
            exact => format!("= {exact}"),
        };
        // A sum of one term is the value already.
        let result = if arithmetic.ends_with(&value) { arithmetic } else { format!("{arithmetic} {value}") };
        format!("{me} = {own}, output {output}: {them} may be {}: {result}", names.join(", "))
    }
}
