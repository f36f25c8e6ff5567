//! Statements that hold but for a chance: (ε,δ)-differential privacy, zero-concentrated and Gaussian differential
//! privacy, and odds that are exceeded with a stated chance; and what they imply for odds and beliefs.
//!
//! Each statement, and each composition of several, is reduced to what section "but for a chance" of the theorems
//! composes: odds that hold surely, sums of the chances of failure, and a bound `ρ` of all Rényi divergences. Every bound
//! is computed in each way that applies, and the smallest is shown with its theorem.
//!
//! | question | module |
//! |---|---|
//! | How is a statement parsed? | [`statement`] |
//! | What holds for all statements together? | `total` |
//! | What holds of two normal distributions? | `normal` |
//! | What follows, and what is enough? | [`follows`] |

mod follows;
mod normal;
pub mod statement;
mod total;

pub use follows::{BOUNDS, follows};
pub use statement::{Loss, Releases, is_about_a_chance, parse};
pub use total::TooLarge;
