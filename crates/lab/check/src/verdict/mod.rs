//! Verdicts: the tight parameter, and its witness.

mod count_witness;
pub(crate) mod simulation;
mod value;
mod witness;

pub use count_witness::{CountPlace, CountWitness};
pub use simulation::{Sight, Simulation, Weight};
pub use value::Value;
pub(crate) use witness::named_event;
pub use witness::{SeparatingOutput, Witness};

/// The decision of one notion for one mechanism.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// The tight parameter of the notion.
    pub value: Value,
    /// The witness; `None` if no answer changes a belief, or the verdict is vacuous.
    pub witness: Option<Witness>,
    /// The entries of `docs/theorems` that prove the bound.
    pub theorems: Vec<&'static str>,
}
