//! Families of priors, decided by formula, against plain enumeration: priors are tables, an answer moves belief by
//! Bayes' rule, and whatever the engine says must be the largest that is found, with a witness that shows it.

mod approximate;
mod boxed;
mod explicit;
mod groups;
mod posterior;
mod searched;
pub mod sized;
pub mod world;
mod worlds;
