//! Belief after increasing numbers of answers: the claimed and the attained bounds (E-2).

use crate::canvas::{Area, DrawResult, picture};
use crate::legend::{self, Key, PROMISED};
use crate::palette::{BLUE, PALE, RED};
use crate::pen::{dashes, dot, line, shape};
use crate::plot::{Frame, Plot};
use crate::scale::Scale;
use crate::sheet::{self, HEAD, TITLE};

/// Size of a panel, in pixels.
const PANEL: (u32, u32) = (400, 350);

/// One setting.
#[derive(Debug, Clone, PartialEq)]
pub struct Panel {
    /// The setting, in a few words.
    pub title: String,
    /// For 1, 2, 3 ... answers: the lowest claimed belief, as a multiple of the prior; above 0, or missing.
    pub claimed: Vec<f64>,
    /// The lowest attainable belief.
    pub reached: Vec<f64>,
}

/// Settings side by side on one scale.
#[derive(Debug, Clone, PartialEq)]
pub struct Composition {
    /// Title of the chart.
    pub title: String,
    /// Description of the chart, in words.
    pub description: String,
    /// From left to right.
    pub panels: Vec<Panel>,
    /// Label of the claimed line.
    pub claimed: String,
    /// Label of the attained line.
    pub reached: String,
}

/// The lowest belief over the number of answers, claimed and attained.
#[must_use]
pub fn curve(composition: &Composition) -> String {
    let panels = &composition.panels;
    let values = || panels.iter().flat_map(|panel| panel.claimed.iter().chain(&panel.reached));
    let lowest = values().copied().filter(|value| drawable(*value)).fold(0.1, f64::min).log10().floor();
    let answers = panels.iter().map(|panel| panel.claimed.len()).max().unwrap_or(1);
    let (top, bottom) = (HEAD, f64::from(PANEL.1 - TITLE) - 60.0);
    let up = Scale::log((10_f64.powf(lowest), 1.0), (bottom, top));
    let page = f64::from(PANEL.0);
    let frame = Frame { page, right: page - 20.0, ..Frame::beside(&up, &up.ticks(4), 0.0) };
    let mut plot = Plot::inside(frame, up, up.ticks(4), |room| Scale::linear((0.5, answers.max(1) as f64 + 0.5), room));
    plot.ticks = (1..=answers).map(|answer| (plot.across.at(answer as f64), answer.to_string())).collect();

    let wide = PANEL.0 * u32::try_from(panels.len().max(1)).unwrap_or(1);
    let legend = [(Key::Reached, composition.reached.clone()), (Key::Promised, composition.claimed.clone())];
    let room = f64::from(wide) - 2.0 * frame.left;
    let tall = f64::from(PANEL.1) + legend::height(&legend, room) + 8.0;
    picture((wide, tall as u32), &composition.title, &composition.description, |area| -> DrawResult {
        let titles: Vec<&str> = panels.iter().map(|panel| panel.title.as_str()).collect();
        sheet::panels(area, &titles, PANEL, |area, at| {
            panels.get(at).map_or(Ok(()), |panel| draw(area, &plot, panel))
        })?;
        legend::draw(area, (frame.left, f64::from(PANEL.1)), room, &legend)
    })
}

/// Whether a belief can be drawn on a logarithmic axis.
fn drawable(value: f64) -> bool {
    value.is_finite() && value > 0.0
}

fn draw(area: &Area<'_>, plot: &Plot, panel: &Panel) -> DrawResult {
    plot.axes(area, ("answers", "belief after / before"))?;
    let points = |values: &[f64]| -> Vec<(f64, f64)> {
        let points = (1..).zip(values).map(|(answer, value)| (f64::from(answer), *value));
        points.filter(|(_, value)| drawable(*value)).collect()
    };
    let (claimed, reached) = (points(&panel.claimed), points(&panel.reached));
    // From the last answer before belief falls below the claim.
    let apart = reached.iter().zip(&claimed).position(|(low, claim)| low.1 < claim.1);
    if let Some(from) = apart.map(|first| first.saturating_sub(1)) {
        let band = claimed.iter().skip(from).chain(reached.iter().skip(from).rev());
        shape(area, &plot.places(&band.copied().collect::<Vec<_>>()), &PALE)?;
    }
    let places = plot.places(&reached);
    line(area, &places, BLUE, 3)?;
    places.iter().try_for_each(|place| dot(area, *place, 3.0, BLUE))?;
    dashes(area, &plot.places(&claimed), RED, 2, PROMISED)
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
        let small = curve(&panel([0.5, 1e-6], [0.5, 0.3]));
        for tick in [">1<", ">0.01<", ">1e-6<"] {
            assert!(small.contains(tick), "{tick}: {small}");
        }
    }
}
