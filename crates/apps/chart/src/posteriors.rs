//! Beliefs before and after a release, line by line: their movement, and certainties.

use crate::canvas::{Area, DrawResult};
use crate::legend::Key;
use crate::palette::{BLUE, INK, RED};
use crate::pen::{arrow, diamond, dot, line, ring};
use crate::rows::{Row, rows};
use crate::scale::Scale;
use crate::sheet::{Words, share};
use crate::words::{belief, brief, count};

/// Most lines of a chart: the first ones.
const MOST_LINES: usize = 20;
/// A shorter line has no room for an arrowhead, in pixels.
const SHORT: f64 = 18.0;

/// One belief.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// The subject of the belief, in a few words.
    pub label: String,
    /// The belief before, from 0 to 1.
    pub prior: f64,
    /// The belief after. Exactly 0 and 1 are certain, and marked.
    pub posterior: f64,
}

/// Beliefs before and after.
#[derive(Debug, Clone, PartialEq)]
pub struct BeliefChart {
    /// Title of the chart.
    pub title: String,
    /// The beliefs, most important first: the first twenty are drawn.
    pub lines: Vec<Line>,
}

/// A line without values that cannot be drawn.
struct DrawableLine<'a> {
    label: &'a str,
    prior: Option<f64>,
    posterior: Option<f64>,
}

/// Whether a belief is certain, 0 or 1.
fn certain(share: Option<f64>) -> bool {
    share.is_some_and(|share| share <= 0.0 || share >= 1.0)
}

impl DrawableLine<'_> {
    fn said(&self) -> String {
        let words = |share: Option<f64>| share.map_or_else(|| "not known".to_owned(), belief);
        let sure = match (certain(self.prior), certain(self.posterior)) {
            (_, false) => "",
            (false, true) if self.posterior.is_some_and(|share| share <= 0.0) => ", ruled out",
            (false, true) => ", certain",
            (true, true) => ", certain before",
        };
        format!("{} → {}{sure}", words(self.prior), words(self.posterior))
    }
}

/// Two dots for each belief, joined by an arrow from before to after.
#[must_use]
pub fn moved(moved: &BeliefChart) -> String {
    let lines: Vec<DrawableLine<'_>> = moved
        .lines
        .iter()
        .take(MOST_LINES)
        .map(|line| DrawableLine { label: &line.label, prior: share(line.prior), posterior: share(line.posterior) })
        .collect();
    let mut legend = vec![(Key::Before, "belief before".to_owned()), (Key::After, "belief after".to_owned())];
    if lines.iter().any(|line| certain(line.posterior)) {
        legend.push((Key::Sure, "no doubt left".to_owned()));
    }
    let description = description(&lines, moved.lines.len());
    let words = Words { title: &moved.title, otherwise: "Beliefs before and after", description: &description };
    let colour = |shown: &DrawableLine<'_>| if certain(shown.posterior) { RED } else { INK };
    let above = lines.iter().map(|shown| Row { label: shown.label, said: shown.said(), colour: colour(shown) });
    let above: Vec<Row<'_>> = above.collect();
    rows(&words, &above, ("belief", "no beliefs"), &legend, |area, at, across, y| {
        lines.get(at).map_or(Ok(()), |shown| way(area, across, shown, y))
    })
}

/// The line of one belief, from before to after.
fn way(area: &Area<'_>, across: &Scale, shown: &DrawableLine<'_>, y: f64) -> DrawResult {
    let (from, to) = (shown.prior.map(|share| across.at(share)), shown.posterior.map(|share| across.at(share)));
    if let Some((from, to)) = from.zip(to) {
        let towards = (to - from).signum();
        if (to - from).abs() > 6.0 {
            line(area, &[(from + towards * 5.0, y), (to, y)], BLUE, 2)?;
        }
        if (to - from).abs() > SHORT {
            arrow(area, (to - towards * 6.0, y), (towards, 0.0), BLUE)?;
        }
    }
    if let Some(x) = to {
        if certain(shown.posterior) { diamond(area, (x, y), 6.5, RED)? } else { dot(area, (x, y), 4.0, BLUE)? }
    }
    from.map_or(Ok(()), |x| ring(area, (x, y), 5.0, INK))
}

/// Describes the chart in words: every line.
fn description(lines: &[DrawableLine<'_>], all: usize) -> String {
    let mut words = count(all, "belief");
    if all > lines.len() {
        words.push_str(&format!(", of which the first {} are drawn", lines.len()));
    }
    let sure = lines.iter().filter(|line| certain(line.posterior)).count();
    words.push_str(&format!(", before and after; {sure} certain after."));
    for line in lines {
        words.push_str(&format!(" {}: {}.", brief(line.label), line.said()));
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{AWKWARD, ODD, check, texts};

    fn about(label: &str, prior: f64, posterior: f64) -> Line {
        Line { label: label.to_owned(), prior, posterior }
    }

    fn example(lines: Vec<Line>) -> BeliefChart {
        BeliefChart { title: "Beliefs".to_owned(), lines }
    }

    #[test]
    fn the_description_says_every_belief() {
        let svg = moved(&example(vec![
            about("flu", 0.2, 0.5),
            about("HIV", 0.0123, 1.0),
            about("none", 0.5, 0.0),
            about("known", 1.0, 1.0),
            about("the same", 0.25, 0.25),
        ]));
        check(&svg);
        for words in [
            "5 beliefs, before and after; 3 certain after.",
            "flu: 20% → 50%.",
            "HIV: 1.2% → 100%, certain.",
            "none: 50% → 0%, ruled out.",
            "known: 100% → 100%, certain before.",
            "the same: 25% → 25%.",
            ">no doubt left<",
        ] {
            assert!(svg.contains(words), "{words}: {svg}");
        }
        assert!(!moved(&example(vec![about("flu", 0.2, 0.999)])).contains(">no doubt left<"));
    }

    #[test]
    fn of_many_the_first_are_drawn() {
        let svg = moved(&example((0..25).map(|at| about(&format!("belief {at}"), 0.1, 0.2)).collect()));
        check(&svg);
        assert_eq!(texts(&svg).iter().filter(|(_, _, text)| text.starts_with("belief ")).count(), 20 + 2, "{svg}");
        assert!(svg.contains("25 beliefs, of which the first 20 are drawn"), "{svg}");
    }

    #[test]
    fn anything_can_be_drawn() {
        check(&moved(&BeliefChart { title: String::new(), lines: vec![] }));
        let long = "word ".repeat(40);
        for label in AWKWARD.into_iter().chain([long.as_str()]) {
            let lines = ODD.iter().flat_map(|odd| [about(label, *odd, 0.5), about(label, 0.5, *odd)]).collect();
            check(&moved(&BeliefChart { title: label.to_owned(), lines }));
        }
        assert!(moved(&example(vec![about("x", f64::NAN, 0.5)])).contains("x: not known → 50%."));
    }
}
