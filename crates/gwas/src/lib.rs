//! Association results that nobody's participation can be read from: from genotype files to published picks.
//!
//! | question | module |
//! |---|---|
//! | would a selection find the causes, and how many people does that take? | [`power`] |

pub mod power;
