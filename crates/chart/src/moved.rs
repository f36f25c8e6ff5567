//! Beliefs before and after a release, line by line: how far each moved, and which became certain.

use crate::canvas::{Area, Drawn, TEXT, percent, picture};
use crate::frame::{Frame, WIDE};
use crate::legend::{self, Key};
use crate::palette::{BLUE, GRID, INK, MUTED, RED};
use crate::pen::{arrow, diamond, dot, line, ring, write};
use crate::scale::{Scale, known};
use crate::words::{belief, brief, count, fit, width};
use plotters::style::text_anchor::HPos;

/// Lines of one picture; of more, the first.
const MOST: usize = 20;
/// Above the first line, in pixels.
const TOP: f64 = 4.0;
/// The height of a line with its words above, in pixels.
const ROW: f64 = 42.0;
/// A shorter way has no room for the head of an arrow, in pixels.
const SHORT: f64 = 18.0;

/// One belief.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// About what, in a few words.
    pub label: String,
    /// The belief before, from 0 to 1.
    pub prior: f64,
    /// The belief after. Exactly 0 and 1 are certain, and marked.
    pub posterior: f64,
}

/// Beliefs before and after.
#[derive(Debug, Clone, PartialEq)]
pub struct Moved {
    /// What the picture is.
    pub title: String,
    /// The beliefs, those that matter most first: the first twenty are drawn.
    pub lines: Vec<Line>,
}

/// A line with what cannot be drawn left out.
struct Shown<'a> {
    label: &'a str,
    prior: Option<f64>,
    posterior: Option<f64>,
}

/// Whether a belief leaves no doubt.
fn certain(share: Option<f64>) -> bool {
    share.is_some_and(|share| share <= 0.0 || share >= 1.0)
}

impl Shown<'_> {
    /// Both beliefs in words.
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
pub fn moved(moved: &Moved) -> String {
    let share = |value: f64| known(value).map(|value| value.clamp(0.0, 1.0));
    let lines: Vec<Shown<'_>> = moved
        .lines
        .iter()
        .take(MOST)
        .map(|line| Shown { label: &line.label, prior: share(line.prior), posterior: share(line.posterior) })
        .collect();
    let said: Vec<String> = lines.iter().map(Shown::said).collect();
    let bottom = TOP + ROW * lines.len().max(1) as f64 + 4.0;
    let frame = Frame { left: 24.0, right: f64::from(WIDE) - 28.0, top: TOP, bottom };
    let across = Scale::linear((0.0, 1.0), (frame.left, frame.right));
    let mut legend = vec![(Key::Before, "belief before".to_owned()), (Key::After, "belief after".to_owned())];
    if lines.iter().any(|line| certain(line.posterior)) {
        legend.push((Key::Sure, "no doubt left".to_owned()));
    }
    let below = bottom + 54.0;
    let tall = below + legend::height(&legend, f64::from(WIDE) - 20.0) + 4.0;
    let title = if moved.title.trim().is_empty() { "Beliefs before and after" } else { &moved.title };
    picture((WIDE, tall as u32), title, &description(&lines, moved.lines.len()), |area| -> Drawn {
        let ticks = [0.0, 0.25, 0.5, 0.75, 1.0].map(|share| (across.at(share), percent(share)));
        frame.below(area, &ticks, "belief")?;
        for (at, (shown, said)) in lines.iter().zip(&said).enumerate() {
            let top = TOP + ROW * at as f64;
            let (words, y) = (top + 10.0, top + 30.0);
            let room = f64::from(WIDE) - width(said, TEXT) - 40.0;
            write(area, (8.0, words), &fit(shown.label, TEXT, room), (TEXT, INK), HPos::Left)?;
            let colour = if certain(shown.posterior) { RED } else { INK };
            write(area, (f64::from(WIDE) - 12.0, words), said, (TEXT, colour), HPos::Right)?;
            line(area, &[(frame.left, y), (frame.right, y)], GRID, 1)?;
            for (x, _) in &ticks {
                line(area, &[(*x, y - 4.0), (*x, y + 4.0)], GRID, 1)?;
            }
            way(area, &across, shown, y)?;
        }
        if lines.is_empty() {
            let middle = f64::midpoint(frame.left, frame.right);
            write(area, (middle, TOP + ROW / 2.0), "no beliefs", (TEXT, MUTED), HPos::Center)?;
        }
        legend::draw(area, (10.0, below), f64::from(WIDE) - 20.0, &legend)
    })
}

/// The way of one belief.
fn way(area: &Area<'_>, across: &Scale, shown: &Shown<'_>, y: f64) -> Drawn {
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

/// What the picture shows, in words: every line.
fn description(lines: &[Shown<'_>], all: usize) -> String {
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

    fn example(lines: Vec<Line>) -> Moved {
        Moved { title: "Beliefs".to_owned(), lines }
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
        check(&moved(&Moved { title: String::new(), lines: vec![] }));
        let long = "word ".repeat(40);
        for label in AWKWARD.into_iter().chain([long.as_str()]) {
            let lines = ODD.iter().flat_map(|odd| [about(label, *odd, 0.5), about(label, 0.5, *odd)]).collect();
            check(&moved(&Moved { title: label.to_owned(), lines }));
        }
        assert!(moved(&example(vec![about("x", f64::NAN, 0.5)])).contains("x: not known → 50%."));
    }
}
