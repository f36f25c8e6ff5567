//! What a belief before can become after (B-1), with the promise and the curator's adversaries drawn in.

use crate::canvas::{Drawn, TEXT, axes, percent, picture, placed, px, shift};
use crate::palette::{BLUE, INK, MUTED, PALE, RED};
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, VPos};

/// Points of a curve: enough to look smooth at any size that fits a page.
const POINTS: u32 = 120;

/// Someone whose belief is marked on the curve.
#[derive(Debug, Clone, PartialEq)]
pub struct Mark {
    /// Who, in a word or two.
    pub name: String,
    /// The belief before, from 0 to 1.
    pub before: f64,
    /// The lowest belief after; beyond the band for those who know more than the promise assumes.
    pub low: f64,
    /// The highest.
    pub high: f64,
}

/// What the curve shows.
#[derive(Debug, Clone, PartialEq)]
pub struct Beliefs {
    /// The largest odds ratio, at least 1.
    pub odds: f64,
    /// The interval of beliefs before that the promise is about, from 0 to 1.
    pub priors: (f64, f64),
    /// The promise over that interval: for points of the belief before, the highest belief after that it allows.
    pub promised: Vec<(f64, f64)>,
    /// The same for the lowest belief.
    pub floor: Vec<(f64, f64)>,
    /// Who is marked.
    pub marks: Vec<Mark>,
}

/// The highest belief after, from a belief before and an odds ratio (B-1).
fn after(before: f64, odds: f64) -> f64 {
    before * odds / (1.0 - before + before * odds)
}

/// The belief after over the belief before, both from 0% to 100%.
#[must_use]
pub fn curve(beliefs: &Beliefs) -> String {
    let odds = beliefs.odds;
    let before = || (0..=POINTS).map(|at| f64::from(at) / f64::from(POINTS));
    let top: Vec<(f64, f64)> = before().map(|p| (p, after(p, odds))).collect();
    let low: Vec<(f64, f64)> = before().map(|p| (p, after(p, 1.0 / odds))).collect();
    let description = format!(
        "Whoever gave it 20% before can be at most {} sure after and at least {}; from 50%, at most {} and at least {}.",
        percent(up(after(0.2, odds))),
        percent(1.0 - up(1.0 - after(0.2, 1.0 / odds))),
        percent(up(after(0.5, odds))),
        percent(1.0 - up(1.0 - after(0.5, 1.0 / odds))),
    );
    picture((560, 440), "Belief before and after", &description, |area| -> Drawn {
        let mut chart = ChartBuilder::on(area)
            .margin(px(14))
            .margin_right(px(24))
            .x_label_area_size(px(52))
            .y_label_area_size(px(64))
            .build_cartesian_2d(0.0..1.0, 0.0..1.0)?;
        // Outside the interval nothing is promised in beliefs, though the odds are bounded all the same.
        let (from, to) = beliefs.priors;
        chart.draw_series([Rectangle::new([(from, 0.0), (to, 1.0)], PALE.mix(0.35).filled())])?;
        axes(&mut chart, ("belief before", "belief after"), (6, 6), &|p| percent(*p), &|p| percent(*p))?;
        let band: Vec<(f64, f64)> = top.iter().copied().chain(low.iter().rev().copied()).collect();
        chart.draw_series([Polygon::new(band, PALE.filled())])?;
        chart.draw_series(LineSeries::new([(0.0, 0.0), (1.0, 1.0)], MUTED.stroke_width(px(1))))?;
        chart.draw_series([
            PathElement::new(top.clone(), BLUE.stroke_width(px(3))),
            PathElement::new(low.clone(), BLUE.stroke_width(px(3))),
        ])?;
        for line in [&beliefs.promised, &beliefs.floor] {
            chart.draw_series(DashedLineSeries::new(line.clone(), px(8), px(5), RED.stroke_width(px(2))))?;
        }
        for Mark { name, before, low, high } in &beliefs.marks {
            let (high, lowest) = (*high, *low);
            chart.draw_series([PathElement::new(vec![(*before, lowest), (*before, high)], INK.stroke_width(px(2)))])?;
            chart.draw_series([high, lowest].map(|end| Circle::new((*before, end), px(5), INK.filled())))?;
            // The name stands where the band leaves room for it: left of the upper end, right of the lower one.
            let (at, side, away) = if *before > 0.85 {
                // There is no room to the right.
                ((*before, lowest), HPos::Right, shift(-9, 8))
            } else if *before > 0.5 {
                ((*before, lowest), HPos::Left, shift(9, 8))
            } else {
                ((*before, high), HPos::Right, shift(-9, -12))
            };
            let style = placed(TEXT, INK, side, VPos::Center);
            chart.draw_series([EmptyElement::at(at) + Text::new(name.clone(), away, style)])?;
        }
        Ok(())
    })
}

/// To whole percents, for words: upward, but for what a float misses by.
fn up(share: f64) -> f64 {
    (share * 100.0 - 1e-9).ceil() / 100.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_description_says_what_the_curve_shows() {
        let beliefs =
            Beliefs { odds: 3.0, priors: (0.0, 0.5), promised: Vec::new(), floor: Vec::new(), marks: Vec::new() };
        let svg = curve(&beliefs);
        assert!(svg.contains("from 50%, at most 75% and at least 25%"), "{svg}");
    }
}
