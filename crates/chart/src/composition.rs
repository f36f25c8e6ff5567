//! Belief after more and more answers: what was claimed about them together, and what they keep (E-2).

use crate::canvas::{Drawn, TEXT, axes, picture, placed, px, shift};
use crate::palette::{BLUE, INK, PALE, RED};
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, VPos};

/// Size of a panel and of the legend below all of them, in pixels.
const PANEL: (u32, u32) = (400, 330);
const LEGEND: u32 = 40;

/// One setting.
#[derive(Debug, Clone, PartialEq)]
pub struct Panel {
    /// What is set, in a few words.
    pub title: String,
    /// For 1, 2, 3 ... answers: the lowest belief that is claimed, as a multiple of the belief before; above 0, or missing.
    pub claimed: Vec<f64>,
    /// The lowest that can be reached.
    pub reached: Vec<f64>,
}

/// Settings side by side on one scale.
#[derive(Debug, Clone, PartialEq)]
pub struct Composition {
    /// What the picture is.
    pub title: String,
    /// What it shows, in words.
    pub description: String,
    /// From left to right.
    pub panels: Vec<Panel>,
    /// What the claimed line is.
    pub claimed: String,
    /// What the reached line is.
    pub reached: String,
}

/// The lowest belief over the number of answers, as claimed and as reached.
#[must_use]
pub fn curve(composition: &Composition) -> String {
    let panels = &composition.panels;
    let many = u32::try_from(panels.len().max(1)).unwrap_or(1);
    let values = || panels.iter().flat_map(|panel| panel.claimed.iter().chain(&panel.reached));
    let bottom = values().map(|value| value.log10()).filter(|log| log.is_finite()).fold(-1.0, f64::min).floor();
    let answers = panels.iter().map(|panel| panel.claimed.len()).max().unwrap_or(1);
    let line = |values: &[f64]| -> Vec<(f64, f64)> {
        let points = (1..).zip(values).map(|(answer, value)| (f64::from(answer), value.log10()));
        points.filter(|(_, log)| log.is_finite()).collect()
    };
    let size = (PANEL.0 * many, PANEL.1 + LEGEND);
    picture(size, &composition.title, &composition.description, |area| -> Drawn {
        let (above, below) = area.split_vertically(px(PANEL.1));
        for (panel, place) in panels.iter().zip(above.split_evenly((1, many as usize))) {
            let mut chart = ChartBuilder::on(&place)
                .margin(px(10))
                .margin_top(px(38))
                .margin_right(px(20))
                .x_label_area_size(px(50))
                .y_label_area_size(px(66))
                .build_cartesian_2d(0.5..answers as f64 + 0.5, bottom..0.0)?;
            axes(&mut chart, ("answers", "belief after / before"), (10, 6), &|at| format!("{at:.0}"), &|log| {
                written(*log)
            })?;
            let (claimed, reached) = (line(&panel.claimed), line(&panel.reached));
            // Where belief can fall below the claim: from the last answer before that on.
            let apart = reached.iter().zip(&claimed).position(|(low, claim)| low.1 < claim.1);
            if let Some(from) = apart.map(|first| first.saturating_sub(1)) {
                let band = claimed.iter().skip(from).chain(reached.iter().skip(from).rev());
                chart.draw_series([Polygon::new(band.copied().collect::<Vec<_>>(), PALE.filled())])?;
            }
            chart.draw_series([PathElement::new(reached.clone(), BLUE.stroke_width(px(3)))])?;
            chart.draw_series(reached.iter().map(|at| Circle::new(*at, px(3), BLUE.filled())))?;
            chart.draw_series(DashedLineSeries::new(claimed, px(8), px(5), RED.stroke_width(px(2))))?;
            let title = placed(TEXT, INK, HPos::Left, VPos::Center);
            place.draw(&Text::new(panel.title.clone(), shift(76, 20), title))?;
        }
        let text = placed(TEXT, INK, HPos::Left, VPos::Center);
        let half = i32::try_from(PANEL.0 * many / 2).unwrap_or(0);
        for (at, name, dashed) in [(76, &composition.reached, false), (half.max(300), &composition.claimed, true)] {
            let ends = [shift(at, 14), shift(at + 34, 14)];
            if dashed {
                let gap = [vec![ends[0], shift(at + 14, 14)], vec![shift(at + 20, 14), ends[1]]];
                for part in gap {
                    below.draw(&PathElement::new(part, RED.stroke_width(px(2))))?;
                }
            } else {
                below.draw(&PathElement::new(ends.to_vec(), BLUE.stroke_width(px(3))))?;
            }
            below.draw(&Text::new(name.as_str(), shift(at + 42, 14), text.clone()))?;
        }
        Ok(())
    })
}

/// A power of ten, as a decimal while that is short.
fn written(log: f64) -> String {
    if log > -3.5 {
        let places = usize::from(log < 0.0) * (-log).round() as usize;
        format!("{:.places$}", 10_f64.powf(log.round()))
    } else {
        format!("1e{:.0}", log.round())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gap_is_filled_only_where_belief_falls_below_the_claim() {
        let panel = |claimed: [f64; 2], reached: [f64; 2]| Composition {
            title: "Two answers".to_owned(),
            description: "The claim fails.".to_owned(),
            panels: vec![Panel { title: "P = 1/2".to_owned(), claimed: claimed.to_vec(), reached: reached.to_vec() }],
            claimed: "claimed".to_owned(),
            reached: "reached".to_owned(),
        };
        let unsafe_claim = curve(&panel([0.5, 0.25], [0.5, 0.2]));
        assert!(unsafe_claim.contains("The claim fails.") && unsafe_claim.contains("#CFE1F5"), "{unsafe_claim}");
        assert!(!curve(&panel([0.5, 0.25], [0.5, 0.3])).contains("#CFE1F5"));
        assert_eq!([0.0, -2.0, -6.0].map(written), ["1", "0.01", "1e-6"]);
    }
}
