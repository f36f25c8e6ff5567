//! Shares of people or of matches with their intervals, each on a line from 0% to 100%.

use crate::canvas::{Area, DrawResult, TEXT};
use crate::legend::{Key, bar, whisker};
use crate::palette::INK;
use crate::rows::{Row, rows};
use crate::scale::Scale;
use crate::sheet::{WIDE, Words, percents, share as part};
use crate::words::{brief, count, fit};

/// Half the height of a bar, in pixels.
const HALF: f64 = 7.0;

/// One share.
#[derive(Debug, Clone, PartialEq)]
pub struct ShareBar {
    /// The label, in a few words.
    pub label: String,
    /// The share, from 0 to 1.
    pub value: f64,
    /// The low end of its interval; not finite without an interval.
    pub low: f64,
    /// The high end.
    pub high: f64,
}

/// Shares side by side.
#[derive(Debug, Clone, PartialEq)]
pub struct Shares {
    /// Title of the chart.
    pub title: String,
    /// Label of the intervals, in a few words: "95% interval".
    pub intervals: String,
    /// The shares, in drawing order.
    pub shares: Vec<ShareBar>,
}

/// A share without values that cannot be drawn.
struct DrawableShare<'a> {
    label: &'a str,
    value: Option<f64>,
    interval: Option<(f64, f64)>,
}

impl DrawableShare<'_> {
    fn said(&self) -> String {
        self.value.map_or_else(|| "not known".to_owned(), percents)
    }
}

/// A bar for each share, with its label and number above.
#[must_use]
pub fn shares(shares: &Shares) -> String {
    let shown: Vec<DrawableShare<'_>> = shares
        .shares
        .iter()
        .map(|share| DrawableShare {
            label: &share.label,
            value: part(share.value),
            interval: part(share.low).zip(part(share.high)).filter(|(low, high)| low < high),
        })
        .collect();
    let mut legend = vec![(Key::Bar, "share".to_owned())];
    if shown.iter().any(|share| share.interval.is_some()) {
        legend.push((Key::Interval, fit(&shares.intervals, TEXT, f64::from(WIDE) - 80.0)));
    }
    let words = Words { title: &shares.title, otherwise: "Shares", description: &description(&shown) };
    let above = shown.iter().map(|share| Row { label: share.label, said: share.said(), colour: INK });
    rows(&words, &above.collect::<Vec<_>>(), ("", "no shares"), &legend, |area, at, across, y| {
        shown.get(at).map_or(Ok(()), |share| row(area, across, share, y))
    })
}

fn row(area: &Area<'_>, across: &Scale, share: &DrawableShare<'_>, y: f64) -> DrawResult {
    if let Some(value) = share.value {
        bar(area, (across.at(0.0), across.at(value)), y, HALF, false)?;
    }
    share.interval.map_or(Ok(()), |(low, high)| whisker(area, (across.at(low), across.at(high)), y))
}

/// Describes the chart in words: every share.
fn description(shown: &[DrawableShare<'_>]) -> String {
    let mut words = format!("{}.", count(shown.len(), "share"));
    for share in shown {
        let interval = share
            .interval
            .map_or(String::new(), |(low, high)| format!(", from {} to {}", percents(low), percents(high)));
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

    fn bar(label: &str, value: f64, low: f64, high: f64) -> ShareBar {
        ShareBar { label: label.to_owned(), value, low, high }
    }

    fn example(shares: Vec<ShareBar>) -> Shares {
        Shares { title: "Matches".to_owned(), intervals: "95% interval".to_owned(), shares }
    }

    #[test]
    fn the_description_says_every_share() {
        let svg =
            shares(&example(vec![bar("in the data", 0.9806, 0.976, 0.984), bar("not in it", 0.0, f64::NAN, f64::NAN)]));
        check(&svg);
        for words in ["2 shares. in the data: 98.1%, from 97.6% to 98.4%. not in it: 0%.", ">98.1%<", ">95% interval<"]
        {
            assert!(svg.contains(words), "{words}: {svg}");
        }
        assert!(!shares(&example(vec![bar("x", 0.5, 0.5, 0.5)])).contains("95% interval"));
    }

    #[test]
    fn anything_can_be_drawn() {
        check(&shares(&Shares { title: String::new(), intervals: String::new(), shares: vec![] }));
        let long = "word ".repeat(40);
        for label in AWKWARD.into_iter().chain([long.as_str()]) {
            let all = ODD.iter().flat_map(|odd| [bar(label, *odd, 0.1, *odd), bar(label, 0.5, *odd, 0.9)]).collect();
            check(&shares(&Shares { title: label.to_owned(), intervals: label.to_owned(), shares: all }));
        }
        assert!(shares(&example(vec![bar("x", f64::NAN, 0.0, 1.0)])).contains("x: not known, from 0% to 100%."));
    }
}
