//! Families of priors, decided by formula, against plain enumeration: priors are tables, posteriors follow from Bayes'
//! rule, and the engine's value must be the largest one found, with a witness that attains it.

mod approximate;
mod boxed;
mod chance;
mod explicit;
mod groups;
mod posterior;
mod searched;
pub mod sized;
pub mod world;
mod worlds;
