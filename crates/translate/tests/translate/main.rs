//! Every implication against random exact mechanisms, every bound attained, every counterexample verified.

mod beliefs;
mod counterexamples;
mod implications;
mod statements;
mod world;
