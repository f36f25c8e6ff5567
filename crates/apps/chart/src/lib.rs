//! Charts of beliefs, answers, errors and spending, drawn as SVG.
//!
//! | chart | module |
//! |---|---|
//! | posterior over prior belief, with the promise | [`belief`] |
//! | one observer's belief before and after, on a line from 0% to 100% | [`gauge`] |
//! | the same as natural frequencies, among 100 people | [`people`] |
//! | released answers with their intervals: bars, lines, a grid of two keys | [`answers`] |
//! | SNPs along the genome: picks, or association statistics | [`mod@genome`] |
//! | expected errors of answers under a range of promises | [`errors`] |
//! | spending of the promise, release by release | [`spending`] |
//! | a function of two parameters, as coloured cells with hatched regions | [`surface`] |
//! | power of a selection over the number of participants | [`power`] |
//! | belief after increasing numbers of answers: claimed and attained | [`composition`] |
//! | ROC curves of tests of membership, with chance and the promise's bound | [`mod@roc`] |
//! | sizes of the classes of an anonymised table | [`mod@sizes`] |
//! | beliefs before and after, line by line | [`posteriors`] |
//! | shares of people with their intervals | [`mod@shares`] |
//!
//! Charts are drawn from plain numbers and are for display only: no decision or promise depends on them. Every function
//! returns one `<svg>` element that scales with the page, has a title and a description for screen readers, and names
//! its colours by their role, so that one style sheet ([`palette::style`]) serves light, dark and print. Non-finite
//! numbers count as missing.

pub mod answers;
pub mod belief;
mod canvas;
pub mod composition;
pub mod errors;
pub mod gauge;
pub mod genome;
mod legend;
pub mod palette;
mod pen;
pub mod people;
mod plot;
pub mod posteriors;
pub mod power;
pub mod roc;
mod rows;
mod scale;
mod series;
pub mod shares;
mod sheet;
pub mod sizes;
pub mod spending;
pub mod surface;
#[cfg(test)]
mod testing;
mod words;

pub use words::grouped;
