//! Errors in the table of a protocol.

use super::party::Party;
use deniable_core::exact::Rational;

/// A table that is not a protocol.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProtocolError {
    /// Two inputs of a party have the same name.
    #[error("input `{name}` is named twice")]
    Repeated {
        /// The repeated name.
        name: String,
    },
    /// A row with unknown inputs.
    #[error("there is no pair of inputs {x}, {y}; positions count from 0")]
    Input {
        /// The position of the first party's input.
        x: usize,
        /// The position of the second party's input.
        y: usize,
    },
    /// A probability below zero.
    #[error("a probability at inputs {x}, {y} is {value}, below 0")]
    Negative {
        /// The position of the first party's input.
        x: usize,
        /// The position of the second party's input.
        y: usize,
        /// The probability, below 0.
        value: Rational,
    },
    /// The probabilities at one pair of inputs do not sum to 1.
    #[error("the probabilities of the {} party's view at x = {x}, y = {y} sum to {sum}, not 1", name(*party))]
    Sum {
        /// The party whose view is given.
        party: Party,
        /// The name of the first party's input.
        x: String,
        /// The name of the second party's input.
        y: String,
        /// The sum of the probabilities.
        sum: Rational,
    },
}

fn name(party: Party) -> &'static str {
    match party {
        Party::First => "first",
        Party::Second => "second",
    }
}
