//! The pictures: beliefs, answers, errors and spending, drawn as SVG.
//!
//! | picture | module |
//! |---|---|
//! | what a belief before can become after, with the promise drawn in | [`belief`] |
//! | what depends on two parameters, as coloured cells with hatched regions | [`surface`] |
//! | belief after more and more answers: what is claimed and what is kept | [`composition`] |
//!
//! A chart is drawn from plain numbers and is for looking at: nothing that is decided or promised comes from here. Every
//! function returns one `<svg>` element that scales with the page, carries a title and a description for those who do not
//! see it, and names its colours by their role, so that one style sheet ([`palette::style`]) serves light, dark and print.

pub mod belief;
mod canvas;
pub mod composition;
pub mod palette;
pub mod surface;
