//! One observer's belief on a line from 0% to 100%: before, the range after, and the limits of the promise.

use crate::canvas::{Area, DrawResult, TEXT, picture};
use crate::palette::{BLUE, GRID, INK, MUTED, PAPER, RED};
use crate::pen::{Place, line, shape, slab, write};
use crate::scale::{Scale, apart};
use crate::sheet::{WIDE, share};
use crate::words::{belief, brief, fit, width};
use plotters::style::RGBColor;
use plotters::style::text_anchor::HPos;

/// The ends of the line, in pixels; the labels 0% and 100% are outside.
const ENDS: (f64, f64) = (40.0, WIDE as f64 - 52.0);
/// The top and the bottom of the line, in pixels.
const TRACK: (f64, f64) = (44.0, 58.0);

/// A belief about a person's presence in the data, before and after; all from 0 to 1.
#[derive(Debug, Clone, PartialEq)]
pub struct Gauge {
    /// The observer.
    pub name: String,
    /// The belief before.
    pub before: f64,
    /// The lowest belief after.
    pub low: f64,
    /// The highest belief after.
    pub high: f64,
    /// The belief before, and the lowest and highest after, as text: callers that round outward do so themselves.
    pub written: Option<[String; 3]>,
    /// The highest belief after that the promise allows, if it applies to this prior.
    pub ceiling: Option<f64>,
    /// The lowest belief after that it allows.
    pub floor: Option<f64>,
}

/// The belief on a line from 0% to 100%.
#[must_use]
pub fn gauge(gauge: &Gauge) -> String {
    let (before, low, high) = (share(gauge.before), share(gauge.low), share(gauge.high));
    let (floor, ceiling) = (gauge.floor.and_then(share), gauge.ceiling.and_then(share));
    let after = match (&gauge.written, low, high) {
        (Some([_, low, high]), ..) => format!("after: {low} to {high}"),
        (None, Some(low), Some(high)) if belief(low) == belief(high) => format!("after: {}", belief(low)),
        (None, Some(low), Some(high)) => format!("after: {} to {}", belief(low), belief(high)),
        (None, Some(low), None) => format!("after: at least {}", belief(low)),
        (None, None, Some(high)) => format!("after: at most {}", belief(high)),
        (None, None, None) => "after: not known".to_owned(),
    };
    let said = match (&gauge.written, before) {
        (Some([before, ..]), _) => format!("before: {before}"),
        (None, Some(before)) => format!("before: {}", belief(before)),
        (None, None) => "before: not known".to_owned(),
    };
    let mut description = format!("{}: {said}; {after}.", brief(&gauge.name));
    for (limit, words) in [(floor, "least"), (ceiling, "most")] {
        description.push_str(
            &limit.map_or(String::new(), |limit| format!(" The promise allows at {words} {}.", belief(limit))),
        );
    }
    let scale = Scale::linear((0.0, 1.0), ENDS);
    picture((WIDE, 84), &format!("Belief of {}", brief(&gauge.name)), &description, |area| -> DrawResult {
        let (top, bottom) = TRACK;
        let middle = f64::midpoint(top, bottom);
        write(area, (8.0, 11.0), &fit(&gauge.name, TEXT, f64::from(WIDE) - 16.0), (TEXT, INK), HPos::Left)?;
        slab(area, (ENDS.0, top), (ENDS.1, bottom), &GRID)?;
        write(area, (ENDS.0 - 8.0, middle), "0%", (TEXT, MUTED), HPos::Right)?;
        write(area, (ENDS.1 + 8.0, middle), "100%", (TEXT, MUTED), HPos::Left)?;

        let (from, to) = (low.map_or(ENDS.0, |low| scale.at(low)), high.map_or(ENDS.1, |high| scale.at(high)));
        if low.is_some() || high.is_some() {
            // A narrow band is widened so that it is visible.
            let more = ((4.0 - (to - from)) / 2.0).max(0.0);
            slab(area, (from - more, top), (to + more, bottom), &BLUE)?;
        }
        let half = width(&after, TEXT) / 2.0;
        let centre = f64::midpoint(from, to).min(f64::from(WIDE) - 8.0 - half).max(8.0 + half);
        write(area, (centre, bottom + 14.0), &after, (TEXT, BLUE), HPos::Center)?;

        for limit in [floor, ceiling].into_iter().flatten() {
            let x = scale.at(limit);
            line(area, &[(x, top - 5.0), (x, bottom + 5.0)], RED, 3)?;
        }
        if let Some(before) = before {
            marker(area, scale.at(before), to - from > 30.0)?;
        }
        above(
            area,
            &scale,
            &[
                (floor, floor.map_or(String::new(), |floor| format!("at least {}", belief(floor))), RED),
                (before, said, INK),
                (ceiling, ceiling.map_or(String::new(), |ceiling| format!("at most {}", belief(ceiling))), RED),
            ],
        )
    })
}

/// The belief before: a pointer from above, and a cut through the band if that is wide enough.
fn marker(area: &Area<'_>, x: f64, cut: bool) -> DrawResult {
    let (top, bottom) = TRACK;
    let pointer: [Place; 3] = [(x, top), (x - 5.0, top - 8.0), (x + 5.0, top - 8.0)];
    if cut {
        line(area, &[(x, top), (x, bottom)], PAPER, 2)?;
    }
    shape(area, &pointer, &INK)
}

/// Words above the line, each as near to its position as the others permit.
fn above(area: &Area<'_>, scale: &Scale, words: &[(Option<f64>, String, RGBColor)]) -> DrawResult {
    // Three of the longest words have room side by side only with signs in place of words.
    let short = |text: &str| text.replace("under ", "<").replace("over ", ">");
    let placed: Vec<(f64, String, RGBColor)> =
        words.iter().filter_map(|(at, text, colour)| at.map(|at| (scale.at(at), short(text), *colour))).collect();
    let wanted: Vec<(f64, f64)> = placed.iter().map(|(x, text, _)| (*x, width(text, TEXT))).collect();
    for ((_, text, colour), x) in placed.iter().zip(apart(&wanted, 12.0, (8.0, f64::from(WIDE) - 8.0))) {
        write(area, (x, TRACK.0 - 14.0), text, (TEXT, *colour), HPos::Center)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{check, texts};

    fn example(before: f64, low: f64, high: f64) -> Gauge {
        Gauge { name: "an insider".to_owned(), before, low, high, written: None, ceiling: None, floor: None }
    }

    #[test]
    fn the_description_says_the_beliefs() {
        let svg = gauge(&Gauge { ceiling: Some(0.5), floor: Some(0.05), ..example(0.2, 0.111, 0.333) });
        check(&svg);
        for words in ["before: 20%", "after: 11% to 33%", "at most 50%", "at least 5%"] {
            assert!(svg.contains(words), "{words}: {svg}");
        }
    }

    #[test]
    fn words_above_never_touch() {
        for before in [0.0, 0.001, 0.01, 0.5, 0.99, 1.0] {
            for limit in [before, (before + 0.01_f64).min(1.0), 0.5] {
                let svg = gauge(&Gauge { ceiling: Some(limit), floor: Some(before), ..example(before, before, limit) });
                check(&svg);
                let mut row: Vec<(f64, f64)> = texts(&svg)
                    .into_iter()
                    .filter(|(_, y, text)| (*y - 30.0).abs() < 1.0 && !text.is_empty())
                    .map(|(x, _, text)| (x, width(&text, TEXT)))
                    .collect();
                assert_eq!(row.len(), 3, "{svg}");
                row.sort_by(|one, other| one.0.total_cmp(&other.0));
                for pair in row.windows(2) {
                    assert!(pair[1].0 - pair[0].0 >= (pair[0].1 + pair[1].1) / 2.0, "{before} {limit}: {row:?}");
                }
            }
        }
    }

    #[test]
    fn odd_numbers_are_not_drawn() {
        for odd in [f64::NAN, f64::INFINITY, -1.0, 1e12, 1e-9, 1.0 - 1e-12] {
            check(&gauge(&Gauge { ceiling: Some(odd), floor: Some(odd), ..example(odd, odd, odd) }));
            check(&gauge(&example(0.5, odd, 0.5)));
        }
        assert!(gauge(&example(f64::NAN, f64::NAN, 0.5)).contains("before: not known; after: at most 50%"));
    }
}
