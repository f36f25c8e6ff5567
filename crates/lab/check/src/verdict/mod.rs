//! Answers: the tight parameter, and the place where it is reached.

mod count_witness;
pub(crate) mod simulation;
mod value;
mod witness;

pub use count_witness::{CountPlace, CountWitness};
pub use simulation::{Sight, Simulation, Weight};
pub use value::Value;
pub use witness::{SeparatingOutput, Witness};

/// What was decided about one notion of one mechanism.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// The tight parameter of the notion.
    pub value: Value,
    /// Where it is reached; `None` where nothing is learned, or nothing is asked about.
    pub witness: Option<Witness>,
    /// The entries of `docs/theorems` that say why nothing is worse.
    pub theorems: Vec<&'static str>,
}
