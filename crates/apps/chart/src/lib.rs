//! The pictures: beliefs, answers, errors and spending, drawn as SVG.
//!
//! | picture | module |
//! |---|---|
//! | what a belief before can become after, with the promise drawn in | [`belief`] |
//! | one observer's belief before and after, on a line from 0% to 100% | [`gauge`] |
//! | the same as natural frequencies: of 100 people, so many | [`people`] |
//! | released answers with their intervals: bars, lines, a grid of two keys | [`answers`] |
//! | SNPs along the genome: what was picked, or how strongly associated it is | [`mod@genome`] |
//! | the expected error of answers for other promises | [`errors`] |
//! | how much of the promise is spent, release by release | [`spending`] |
//! | what depends on two parameters, as coloured cells with hatched regions | [`surface`] |
//! | how probably a selection finds what it should, over the number of participants | [`power`] |
//! | belief after more and more answers: what is claimed and what is kept | [`composition`] |
//! | how well tests tell members from others, beside a coin and a promise | [`mod@roc`] |
//! | how large the classes of an anonymised table are | [`mod@sizes`] |
//! | beliefs before and after, line by line | [`posteriors`] |
//! | shares of people with their intervals | [`mod@shares`] |
//!
//! A chart is drawn from plain numbers and is for looking at: nothing that is decided or promised comes from here. Every
//! function returns one `<svg>` element that scales with the page, carries a title and a description for those who do not
//! see it, and names its colours by their role, so that one style sheet ([`palette::style`]) serves light, dark and print.
//! A number that is not finite counts as missing.

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
