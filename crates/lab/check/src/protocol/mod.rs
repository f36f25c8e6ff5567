//! Finite protocols between two parties: the view of each during the protocol, beside its output.
//!
//! A [`Protocol`] gives, for every pair of inputs and for each party, the exact distribution of its view and its
//! output. [`simulate`] decides how much a view discloses beyond the party's own input and output (I-SMC).
//! [`Protocol::as_mechanism`] turns a view into a mechanism, so that every other notion applies to it too. [`builtin`]
//! has small protocols.

pub mod builtin;
mod error;
pub mod file;
mod party;
pub mod simulate;

pub use error::ProtocolError;
pub use party::Party;

use crate::mechanism::{Dataset, Mechanism, MechanismError};
use deniable_core::exact::{Rational, whole};
use num_traits::{One, Signed, Zero};
use std::collections::BTreeMap;

/// A row of a protocol's table: at these inputs, this party has this view and this output with this probability.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// The party whose view it is.
    pub party: Party,
    /// The first party's input, by its position.
    pub x: usize,
    /// The second party's input, by its position.
    pub y: usize,
    /// All that the party sees, except its input.
    pub view: String,
    /// The output of the party.
    pub output: String,
    /// The joint probability of view and output.
    pub probability: Rational,
}

/// A protocol over a few inputs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Protocol {
    inputs: [Vec<String>; 2],
    sides: [Side; 2],
}

/// The views and outputs of one party.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Side {
    views: Vec<String>,
    outputs: Vec<String>,
    /// By own input, other input, and pair of view and output.
    tables: Vec<Vec<BTreeMap<(usize, usize), Rational>>>,
}

impl Protocol {
    /// A protocol for these inputs of the two parties. Rows with the same inputs, view and output add up.
    ///
    /// # Errors
    /// When names repeat, an input is unknown, a probability is negative, or the probabilities of a party do not sum to
    /// 1 at some pair of inputs.
    pub fn new(inputs: [Vec<String>; 2], rows: impl IntoIterator<Item = Row>) -> Result<Self, ProtocolError> {
        for names in &inputs {
            if let Some((_, name)) = names.iter().enumerate().find(|(at, name)| names[..*at].contains(name)) {
                return Err(ProtocolError::Repeated { name: name.clone() });
            }
        }
        let empty = |party: Party| {
            let (own, others) = (inputs[party.place()].len(), inputs[party.other().place()].len());
            Side { tables: vec![vec![BTreeMap::new(); others]; own], ..Side::default() }
        };
        let mut sides = Party::BOTH.map(empty);
        for Row { party, x, y, view, output, probability } in rows {
            let side = &mut sides[party.place()];
            let (own, other) = if party == Party::First { (x, y) } else { (y, x) };
            let (view, output) = (position(&mut side.views, view), position(&mut side.outputs, output));
            let Some(table) = side.tables.get_mut(own).and_then(|tables| tables.get_mut(other)) else {
                return Err(ProtocolError::Input { x, y });
            };
            if probability.is_negative() {
                return Err(ProtocolError::Negative { x, y, value: probability });
            }
            if !probability.is_zero() {
                *table.entry((view, output)).or_insert_with(Rational::zero) += probability;
            }
        }
        let protocol = Self { inputs, sides };
        for (party, side) in Party::BOTH.into_iter().zip(&protocol.sides) {
            for (own, tables) in side.tables.iter().enumerate() {
                for (other, table) in tables.iter().enumerate() {
                    let sum: Rational = table.values().sum();
                    if !sum.is_one() {
                        let (x, y) = if party == Party::First { (own, other) } else { (other, own) };
                        let [x, y] = [(0, x), (1, y)].map(|(place, input)| protocol.inputs[place][input].clone());
                        return Err(ProtocolError::Sum { party, x, y, sum });
                    }
                }
            }
        }
        Ok(protocol)
    }

    /// The names of a party's inputs.
    #[must_use]
    pub fn inputs(&self, party: Party) -> &[String] {
        &self.inputs[party.place()]
    }

    /// The names of all possible views of a party.
    #[must_use]
    pub fn views(&self, party: Party) -> &[String] {
        &self.sides[party.place()].views
    }

    /// The names of all possible outputs of a party.
    #[must_use]
    pub fn outputs(&self, party: Party) -> &[String] {
        &self.sides[party.place()].outputs
    }

    /// The joint probability of a view and an output, at the party's own input and the other input.
    #[must_use]
    pub fn probability(&self, party: Party, own: usize, other: usize, view: usize, output: usize) -> Rational {
        let table = &self.sides[party.place()].tables[own][other];
        table.get(&(view, output)).cloned().unwrap_or_else(Rational::zero)
    }

    /// The distribution of a party's view.
    fn view(&self, party: Party, own: usize, other: usize) -> Vec<Rational> {
        let side = &self.sides[party.place()];
        let mut views = vec![Rational::zero(); side.views.len()];
        for ((view, _), probability) in &side.tables[own][other] {
            views[*view] += probability;
        }
        views
    }

    /// The view of a party with one own input, as a mechanism whose entities are the bits of the other input: entity
    /// `t` is in if bit `t` of the input's position is 1. Positions beyond the last input are datasets without a row.
    ///
    /// # Errors
    /// When the other party has more inputs than a mechanism has datasets.
    pub fn mechanism_at(&self, party: Party, own: usize) -> Result<Mechanism, MechanismError> {
        let rows = |other| Some(self.view(party, own, other));
        self.mechanism(party, self.views(party).to_vec(), rows)
    }

    /// The view of a party with all own inputs at once: one of them is drawn uniformly, and shown beside the view. The
    /// largest ratio between two inputs of the other party is the largest over all own inputs.
    ///
    /// # Errors
    /// As [`Protocol::mechanism_at`].
    pub fn as_mechanism(&self, party: Party) -> Result<Mechanism, MechanismError> {
        let own = self.inputs(party);
        let pairs = own.iter().flat_map(|own| self.views(party).iter().map(move |view| format!("{own}: {view}")));
        let rows = |other| {
            let each = (0..own.len()).flat_map(|own| self.view(party, own, other));
            Some(each.map(|probability| probability / whole(own.len())).collect())
        };
        self.mechanism(party, pairs.collect(), rows)
    }

    fn mechanism(
        &self,
        party: Party,
        outputs: Vec<String>,
        row: impl Fn(usize) -> Option<Vec<Rational>>,
    ) -> Result<Mechanism, MechanismError> {
        let others = self.inputs(party.other()).len();
        let bits = others.next_power_of_two().ilog2() as usize;
        crate::mechanism::size_fits(bits, outputs.len())?;
        let entities = (1..=bits).map(|bit| format!("bit {bit}")).collect();
        let given = |data: Dataset| if (data as usize) < others { row(data as usize) } else { None };
        Mechanism::partial(entities, outputs, (0..1_u32 << bits).map(given).collect())
    }
}

fn position(names: &mut Vec<String>, name: String) -> usize {
    names.iter().position(|known| *known == name).unwrap_or_else(|| {
        names.push(name);
        names.len() - 1
    })
}
