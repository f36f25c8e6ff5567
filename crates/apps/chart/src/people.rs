//! A belief as natural frequencies: the number of people in the data, among people about whom an observer is equally
//! sure.

use crate::canvas::{Area, DrawResult, TEXT, picture};
use crate::palette::{BLUE, GRID, INK, MUTED};
use crate::pen::{Place, dot, shape, write};
use crate::sheet::WIDE;
use crate::words::fit;
use plotters::style::RGBColor;
use plotters::style::text_anchor::HPos;

/// Most figures to draw; of more people, their share.
const DRAWN: u32 = 1000;
/// The width of a panel, in pixels.
const PANEL: f64 = 140.0;
/// Height above the figures, for the title and the number.
const TOP: f64 = 50.0;

/// The number of people in the data, among people about whom an observer is equally sure.
#[derive(Debug, Clone, PartialEq)]
pub struct People {
    /// The fact in words: "in the data".
    pub what: &'static str,
    /// The number by the observer's belief before.
    pub before: u32,
    /// After, at most.
    pub at_most: u32,
    /// After, at least.
    pub at_least: u32,
    /// The number of people: 100, or 1000 for small shares.
    pub of: u32,
}

/// Three panels side by side: before, after at most, after at least.
#[must_use]
pub fn people(people: &People) -> String {
    let of = people.of;
    let description = format!(
        "Of {of} people about whom the observer was equally sure, {} were {what} as the observer saw it before; after \
         the answers at most {} and at least {}.",
        people.before,
        people.at_most,
        people.at_least,
        what = people.what,
    );
    let columns = if of <= 100 { 10 } else { 25 };
    // Figures are taller than wide.
    let across = PANEL / f64::from(columns);
    let pitch = (across, if columns == 10 { 20.0 } else { across });
    let rows = of.min(DRAWN).div_ceil(columns);
    let bottom = TOP + pitch.1 * f64::from(rows);
    let panels = [
        ("before", people.before, INK),
        ("after, at most", people.at_most, BLUE),
        ("after, at least", people.at_least, BLUE),
    ];
    picture((WIDE, (bottom + 32.0) as u32), "Belief in people", &description, |area| -> DrawResult {
        let apart = (f64::from(WIDE) - 3.0 * PANEL) / 4.0;
        for (at, (words, filled, colour)) in panels.into_iter().enumerate() {
            let left = apart + (PANEL + apart) * at as f64;
            write(area, (left, 14.0), words, (TEXT, MUTED), HPos::Left)?;
            write(area, (left, 34.0), &format!("{filled} of {of}"), (TEXT + 2, colour), HPos::Left)?;
            crowd(area, (left, TOP), (columns, pitch), (shown(filled, of), of.min(DRAWN)), colour)?;
        }
        let words = fit(
            &format!("each figure is one of {of} people; filled: {}", people.what),
            TEXT,
            f64::from(WIDE) - 2.0 * apart,
        );
        write(area, (apart, bottom + 16.0), &words, (TEXT, MUTED), HPos::Left)
    })
}

/// The number of filled figures. If not all people are drawn, each figure represents several, and at least one is
/// filled unless the number is zero.
fn shown(filled: u32, of: u32) -> u32 {
    if of <= DRAWN {
        return filled.min(of);
    }
    let share = f64::from(filled.min(of)) / f64::from(of) * f64::from(DRAWN);
    if filled > 0 { (share.round() as u32).max(1) } else { 0 }
}

/// Figures row by row from the upper left, the first of them filled.
fn crowd(
    area: &Area<'_>,
    (left, top): Place,
    (columns, pitch): (u32, (f64, f64)),
    (filled, of): (u32, u32),
    colour: RGBColor,
) -> DrawResult {
    for person in 0..of {
        let x = left + pitch.0 * (f64::from(person % columns) + 0.5);
        let y = top + pitch.1 * (f64::from(person / columns) + 0.5);
        let colour = if person < filled { colour } else { GRID };
        if columns > 10 {
            dot(area, (x, y), pitch.0 * 0.38, colour)?;
        } else {
            figure(area, (x, y), colour)?;
        }
    }
    Ok(())
}

/// A figure of a person around a position: a head, shoulders, and legs.
fn figure(area: &Area<'_>, (x, y): Place, colour: RGBColor) -> DrawResult {
    let half = [(1.5, -3.0), (3.8, -2.0), (3.8, 2.5), (2.4, 3.0), (2.2, 8.0)];
    let right = half.iter().map(|(across, down)| (x + across, y + down));
    let left = half.iter().rev().map(|(across, down)| (x - across, y + down));
    let body: Vec<Place> = right.chain(left).collect();
    dot(area, (x, y - 6.3), 2.5, colour)?;
    shape(area, &body, &colour)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::check;

    #[test]
    fn everyone_is_drawn_and_the_right_number_filled() {
        for (of, each) in [(100, 2), (1000, 1)] {
            let svg = people(&People { what: "in the data", before: 20, at_most: 38, at_least: 7, of });
            check(&svg);
            assert_eq!(svg.matches("#D9DDE3").count(), (3 * of as usize - 65) * each);
            assert!(svg.contains("20 were in the data") && svg.contains("at most 38 and at least 7"), "{svg}");
        }
    }

    #[test]
    fn odd_numbers_are_drawn_as_far_as_they_go() {
        for of in [0, 1, 7, 999, 4_000_000_000] {
            check(&people(&People { what: "cases", before: 0, at_most: u32::MAX, at_least: 1, of }));
        }
        assert_eq!((shown(0, 1_000_000), shown(1, 1_000_000), shown(500_000, 1_000_000)), (0, 1, 500));
    }
}
