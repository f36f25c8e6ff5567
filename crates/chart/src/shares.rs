//! Shares of people or of matches with their intervals, each on a line from 0% to 100%.

use crate::canvas::{Area, Drawn, TEXT, percent, picture};
use crate::frame::{Frame, WIDE};
use crate::legend::{self, Key, whisker};
use crate::palette::{BLUE, GRID, INK, MUTED, PALE};
use crate::pen::{line, slab, write};
use crate::scale::{Scale, known};
use crate::words::{brief, count, fit, width};
use plotters::style::text_anchor::HPos;

/// Above the first share, in pixels.
const TOP: f64 = 4.0;
/// The height of a share with its words above, in pixels.
const ROW: f64 = 42.0;
/// Half the height of a bar, in pixels.
const HALF: f64 = 7.0;

/// One share.
#[derive(Debug, Clone, PartialEq)]
pub struct Share {
    /// Of what, in a few words.
    pub label: String,
    /// The share, from 0 to 1.
    pub value: f64,
    /// The low end of its interval; not finite where there is none.
    pub low: f64,
    /// The high end.
    pub high: f64,
}

/// Shares beside each other.
#[derive(Debug, Clone, PartialEq)]
pub struct Shares {
    /// What the picture is.
    pub title: String,
    /// What intervals are, in a few words: "95% interval".
    pub intervals: String,
    /// The shares, in the order in which they are drawn.
    pub shares: Vec<Share>,
}

/// A share with what cannot be drawn left out.
struct Shown<'a> {
    label: &'a str,
    value: Option<f64>,
    interval: Option<(f64, f64)>,
}

impl Shown<'_> {
    fn said(&self) -> String {
        self.value.map_or_else(|| "not known".to_owned(), |value| percent(rounded(value)))
    }
}

/// A bar for each share, with what it is and its number above.
#[must_use]
pub fn shares(shares: &Shares) -> String {
    let part = |value: f64| known(value).map(|value| value.clamp(0.0, 1.0));
    let shown: Vec<Shown<'_>> = shares
        .shares
        .iter()
        .map(|share| Shown {
            label: &share.label,
            value: part(share.value),
            interval: part(share.low).zip(part(share.high)).filter(|(low, high)| low < high),
        })
        .collect();
    let bottom = TOP + ROW * shown.len().max(1) as f64 + 4.0;
    let frame = Frame { left: 24.0, right: f64::from(WIDE) - 28.0, top: TOP, bottom };
    let across = Scale::linear((0.0, 1.0), (frame.left, frame.right));
    let mut legend = vec![(Key::Bar, "share".to_owned())];
    if shown.iter().any(|share| share.interval.is_some()) {
        legend.push((Key::Interval, fit(&shares.intervals, TEXT, f64::from(WIDE) - 80.0)));
    }
    let below = bottom + 30.0;
    let wide = f64::from(WIDE) - 20.0;
    let tall = below + legend::height(&legend, wide) + 4.0;
    let title = if shares.title.trim().is_empty() { "Shares" } else { &shares.title };
    picture((WIDE, tall as u32), title, &description(&shown), |area| -> Drawn {
        let ticks = [0.0, 0.25, 0.5, 0.75, 1.0].map(|share| (across.at(share), percent(share)));
        frame.below(area, &ticks, "")?;
        for (at, share) in shown.iter().enumerate() {
            let top = TOP + ROW * at as f64;
            let (words, said) = (top + 10.0, share.said());
            let room = f64::from(WIDE) - width(&said, TEXT) - 40.0;
            write(area, (8.0, words), &fit(share.label, TEXT, room), (TEXT, INK), HPos::Left)?;
            write(area, (f64::from(WIDE) - 12.0, words), &said, (TEXT, INK), HPos::Right)?;
            bar(area, &across, share, top + 30.0)?;
        }
        if shown.is_empty() {
            let middle = f64::midpoint(frame.left, frame.right);
            write(area, (middle, TOP + ROW / 2.0), "no shares", (TEXT, MUTED), HPos::Center)?;
        }
        legend::draw(area, (10.0, below), wide, &legend)
    })
}

fn bar(area: &Area<'_>, across: &Scale, share: &Shown<'_>, y: f64) -> Drawn {
    line(area, &[(across.at(0.0), y), (across.at(1.0), y)], GRID, 1)?;
    if let Some(value) = share.value.map(|value| across.at(value)) {
        slab(area, (across.at(0.0), y - HALF), (value, y + HALF), &PALE)?;
        line(area, &[(value, y - HALF), (value, y + HALF)], BLUE, 3)?;
    }
    share.interval.map_or(Ok(()), |(low, high)| whisker(area, (across.at(low), across.at(high)), y))
}

/// To tenths of a percent.
fn rounded(share: f64) -> f64 {
    (share * 1000.0).round() / 1000.0
}

/// What the picture shows, in words: every share.
fn description(shown: &[Shown<'_>]) -> String {
    let mut words = format!("{}.", count(shown.len(), "share"));
    for share in shown {
        let interval = share.interval.map_or(String::new(), |(low, high)| {
            format!(", from {} to {}", percent(rounded(low)), percent(rounded(high)))
        });
        words.push_str(&format!(" {}: {}{interval}.", brief(share.label), share.said()));
    }
    if shown.is_empty() {
        words.push_str(" Nothing to show.");
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{AWKWARD, ODD, check};

    fn of(label: &str, value: f64, low: f64, high: f64) -> Share {
        Share { label: label.to_owned(), value, low, high }
    }

    fn example(shares: Vec<Share>) -> Shares {
        Shares { title: "Matches".to_owned(), intervals: "95% interval".to_owned(), shares }
    }

    #[test]
    fn the_description_says_every_share() {
        let svg =
            shares(&example(vec![of("in the data", 0.9806, 0.976, 0.984), of("not in it", 0.0, f64::NAN, f64::NAN)]));
        check(&svg);
        for words in ["2 shares. in the data: 98.1%, from 97.6% to 98.4%. not in it: 0%.", ">98.1%<", ">95% interval<"]
        {
            assert!(svg.contains(words), "{words}: {svg}");
        }
        assert!(!shares(&example(vec![of("x", 0.5, 0.5, 0.5)])).contains("95% interval"));
    }

    #[test]
    fn anything_can_be_drawn() {
        check(&shares(&Shares { title: String::new(), intervals: String::new(), shares: vec![] }));
        let long = "word ".repeat(40);
        for label in AWKWARD.into_iter().chain([long.as_str()]) {
            let all = ODD.iter().flat_map(|odd| [of(label, *odd, 0.1, *odd), of(label, 0.5, *odd, 0.9)]).collect();
            check(&shares(&Shares { title: label.to_owned(), intervals: label.to_owned(), shares: all }));
        }
        assert!(shares(&example(vec![of("x", f64::NAN, 0.0, 1.0)])).contains("x: not known, from 0% to 100%."));
    }
}
