//! Statements of the papers, on random exact mechanisms and priors, each against the definition.

mod chance;
mod composition;
mod coupling;
mod identifiability;
mod membership;
mod sampling;
mod scaling;
