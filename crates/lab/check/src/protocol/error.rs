//! What can be wrong with the table of a protocol.

use super::party::Party;
use deniable_core::exact::Rational;

/// A table that is no protocol, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProtocolError {
    /// Two inputs of a party have one name.
    #[error("input `{name}` is named twice")]
    Repeated {
        /// The name that stands twice.
        name: String,
    },
    /// A line about inputs that there are not.
    #[error("there is no pair of inputs {x}, {y}; positions count from 0")]
    Input {
        /// The position of the first party's input.
        x: usize,
        /// The second party's input.
        y: usize,
    },
    /// A probability below zero.
    #[error("a probability at inputs {x}, {y} is {value}, below 0")]
    Negative {
        /// The position of the first party's input.
        x: usize,
        /// The second party's input.
        y: usize,
        /// The probability, below 0.
        value: Rational,
    },
    /// The probabilities at one pair of inputs do not sum to 1.
    #[error("what the {} party sees at x = {x}, y = {y} has probabilities that sum to {sum}, not 1", name(*party))]
    Sum {
        /// The party whose view is given.
        party: Party,
        /// The name of the first party's input.
        x: String,
        /// The second party's input.
        y: String,
        /// What the probabilities sum to.
        sum: Rational,
    },
}

fn name(party: Party) -> &'static str {
    match party {
        Party::First => "first",
        Party::Second => "second",
    }
}
