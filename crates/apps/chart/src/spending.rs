//! Spending of the promise, release by release.

use crate::canvas::{Area, DrawResult, TEXT, percent};
use crate::palette::{BLUE, INK, MUTED, PAPER, RED};
use crate::pen::{Place, dashes, dot, line, slab, write};
use crate::plot::{Frame, Plot};
use crate::scale::{Scale, known, span};
use crate::sheet::{HEAD, Tick, Words, sheet};
use crate::words::{brief, count, fit, width};
use plotters::style::RGBColor;
use plotters::style::text_anchor::HPos;

/// The height of the plot, in pixels.
const TALL: f64 = 230.0;
/// Up to this many releases, the description names each.
const SAID: usize = 12;

/// Times and spending of releases.
#[derive(Debug, Clone, PartialEq)]
pub struct Spending {
    /// For each release its time (seconds since 1970), the part of the promise that is spent after it (1 is the whole),
    /// and its name.
    pub times: Vec<(f64, f64, String)>,
    /// Times at which the promise changed, with labels.
    pub changes: Vec<(f64, String)>,
    /// Label of the limit: "the promise: odds of at most 3".
    pub limit_label: String,
    /// Ticks of the time axis: times and dates.
    pub ticks: Vec<(f64, String)>,
}

/// A release that can be drawn: its time, and the part spent after it.
type Release<'a> = (f64, f64, &'a str);

/// The spent part as steps over time; over the number of the release if all have the same second.
#[must_use]
pub fn spending(spending: &Spending) -> String {
    let mut releases: Vec<Release<'_>> = spending
        .times
        .iter()
        .filter_map(|(time, spent, name)| known(*spent).map(|spent| (*time, spent, name.as_str())))
        .collect();
    releases.sort_by(|one, other| one.0.total_cmp(&other.0));
    let most = releases.iter().map(|(_, spent, _)| *spent).fold(1.0, f64::max);
    let scale = Scale::linear((0.0, most * 1.12), (HEAD + TALL, HEAD));
    let values = shares(most).into_iter().map(|share| (scale.at(share), percent(share))).collect();
    let counts = !are_apart(&releases);
    let mut plot = Plot::new(scale, values, 20.0, |room| across(spending, &releases, counts, room));
    plot.ticks = ticks(spending, &releases, counts, &plot.across);
    let frame = plot.frame;
    let time =
        |(at, (time, spent, _)): (usize, &Release<'_>)| (if counts { at as f64 + 1.0 } else { *time }, spent.max(0.0));
    let places: Vec<Place> = releases.iter().enumerate().map(|release| plot.at(time(release))).collect();

    let description = description(spending, &releases);
    let words = Words { title: "Spending of the promise", otherwise: "", description: &description };
    sheet(&words, frame.bottom + 50.0, &[], |area| {
        let axis = if counts { "number of the release" } else { "date of the release" };
        let axis = if releases.is_empty() { "no releases" } else { axis };
        plot.axes(area, (axis, "part of the promise that is spent"))?;
        changes(area, &plot, counts, spending, &releases)?;
        let limit = scale.at(1.0);
        plot.level(area, 1.0, (RED, 2))?;
        let label = fit(&spending.limit_label, TEXT, frame.right - frame.left - 8.0);
        on_paper(area, (frame.left + 6.0, limit - 11.0), &label, RED)?;
        steps(area, &frame, &places)?;
        let words = ((frame.left, limit - 20.0), (frame.left + width(&label, TEXT) + 8.0, limit));
        let line = ((frame.left, limit - 2.0), (frame.right, limit + 2.0));
        dots(area, &frame, vec![words, line], &places)
    })
}

/// Positions of grid lines: at round shares, whole percents or multiples of them.
fn shares(most: f64) -> Vec<f64> {
    let step = [0.25, 0.5, 1.0, 2.0, 5.0, 10.0].into_iter().find(|step| most / step <= 6.0);
    let step = step.unwrap_or_else(|| 10_f64.powf(most.log10().ceil()) / 5.0);
    (0..=6).map(|at| f64::from(at) * step).take_while(|share| *share <= most * 1.05).collect()
}

/// Whether the times of the releases differ; if not, they are numbered.
fn are_apart(releases: &[Release<'_>]) -> bool {
    let times = || releases.iter().map(|(time, _, _)| *time);
    let (first, last) = times().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), time| (a.min(time), b.max(time)));
    times().all(|time| known(time).is_some()) && last - first >= 1.0 && !releases.is_empty()
}

/// The axis below: time, or the number of the release.
fn across(spending: &Spending, releases: &[Release<'_>], counts: bool, room: (f64, f64)) -> Scale {
    if counts {
        return Scale::linear((0.5, releases.len().max(1) as f64 + 0.5), room);
    }
    Scale::linear(times(spending, releases), room).padded(0.03)
}

/// The range from the first release or change to the last.
fn times(spending: &Spending, releases: &[Release<'_>]) -> (f64, f64) {
    let changes = spending.changes.iter().map(|(time, _)| *time);
    span(releases.iter().map(|(time, _, _)| *time).chain(changes))
}

/// Its ticks: the given dates, or some of the numbers.
fn ticks(spending: &Spending, releases: &[Release<'_>], counts: bool, scale: &Scale) -> Vec<Tick> {
    if counts {
        let every = round(releases.len().div_ceil(12));
        let ticks = (1..=releases.len()).filter(|at| at % every == 0).map(|at| (scale.at(at as f64), at.to_string()));
        return ticks.collect();
    }
    let (from, to) = times(spending, releases);
    let around = from - (to - from) * 0.03..=to + (to - from) * 0.03;
    let mut inside: Vec<&(f64, String)> = spending.ticks.iter().filter(|(time, _)| around.contains(time)).collect();
    inside.sort_by(|one, other| one.0.total_cmp(&other.0));
    inside.into_iter().map(|(time, text)| (scale.at(*time), text.clone())).collect()
}

/// The steps: the spent part is constant until the next release.
fn steps(area: &Area<'_>, frame: &Frame, places: &[Place]) -> DrawResult {
    let mut corners = vec![(frame.left, frame.bottom)];
    let mut height = frame.bottom;
    for (x, y) in places {
        corners.extend([(*x, height), (*x, *y)]);
        height = *y;
    }
    corners.push((frame.right, height));
    line(area, &corners, BLUE, 2)
}

/// A dot for each release, with its number where it touches neither another nor an area in `taken`; of many, round
/// numbers.
fn dots(area: &Area<'_>, frame: &Frame, mut taken: Vec<(Place, Place)>, places: &[Place]) -> DrawResult {
    let radius = if places.len() > 60 { 2.0 } else { 4.0 };
    let every = round(places.len().div_ceil(12));
    let mut before = frame.bottom;
    for (at, (x, y)) in places.iter().enumerate() {
        dot(area, (*x, *y), radius, BLUE)?;
        let number = (at + 1).to_string();
        let half = width(&number, TEXT - 1) / 2.0;
        // On the side that the step does not pass: outside after it, otherwise inside before it.
        let down = if *y > before { 13.0 } else { -13.0 };
        before = *y;
        let centres = [(x - half - 3.0, y + down), (x + half + 6.0, y - down)];
        let spots = centres.map(|(x, y)| ((x, y), ((x - half - 3.0, y - 7.0), (x + half + 3.0, y + 7.0))));
        let free = |((left, top), (right, bottom)): (Place, Place)| {
            left >= frame.left - 2.0
                && right <= frame.right + 10.0
                && bottom <= frame.bottom
                && taken.iter().all(|(from, to)| right < from.0 || left > to.0 || bottom < from.1 || top > to.1)
        };
        if (at + 1) % every > 0 {
            continue;
        }
        if let Some((centre, spot)) = spots.into_iter().find(|(_, spot)| free(*spot)) {
            write(area, centre, &number, (TEXT - 1, INK), HPos::Center)?;
            taken.push(spot);
        }
    }
    Ok(())
}

/// Times at which the promise changed: dashed lines, with labels at the foot of the plot, in several rows if they would
/// touch.
fn changes(area: &Area<'_>, plot: &Plot, counts: bool, spending: &Spending, releases: &[Release<'_>]) -> DrawResult {
    let frame = &plot.frame;
    let mut changes: Vec<(f64, &str)> = spending
        .changes
        .iter()
        .filter_map(|(time, text)| known(*time).map(|time| (time, text.as_str())))
        .map(|(time, text)| {
            let earlier = releases.iter().filter(|release| release.0 <= time).count() as f64;
            (plot.across.at(if counts { earlier + 0.5 } else { time }), text)
        })
        .collect();
    changes.sort_by(|one, other| one.0.total_cmp(&other.0));
    for (x, _) in &changes {
        dashes(area, &[(*x, frame.top), (*x, frame.bottom)], MUTED, 1, (4, 4))?;
    }
    // Rows of labels, each with the position from which it is free.
    let mut rows = [frame.left; 4];
    for (x, text) in changes {
        let text = fit(text, TEXT, 150.0);
        let wide = width(&text, TEXT);
        let start = if x + 6.0 + wide > frame.right { x - 6.0 - wide } else { x + 6.0 };
        if let Some((row, free)) = rows.iter_mut().enumerate().find(|(_, free)| **free <= start) {
            let y = frame.bottom - 14.0 - 18.0 * row as f64;
            on_paper(area, (start, y), &text, MUTED)?;
            *free = start.max(x) + wide + 10.0;
        }
    }
    Ok(())
}

/// Words over lines, which are interrupted around them.
fn on_paper(area: &Area<'_>, (x, y): Place, text: &str, colour: RGBColor) -> DrawResult {
    slab(area, (x - 3.0, y - 8.0), (x + width(text, TEXT), y + 8.0), &PAPER)?;
    write(area, (x, y), text, (TEXT, colour), HPos::Left)
}

/// The next of 1, 2, 5, 10, 20 and so on.
fn round(least: usize) -> usize {
    [1, 2, 5, 10, 20, 50, 100, 200, 500].into_iter().find(|step| *step >= least).unwrap_or(least)
}

/// Describes the chart in words.
fn description(spending: &Spending, releases: &[Release<'_>]) -> String {
    let mut words = format!("{}.", count(releases.len(), "release"));
    if let Some((_, spent, name)) = releases.last() {
        words.push_str(&format!(" After the last, {}, {} of the promise is spent.", brief(name), percent(*spent)));
    }
    if (2..=SAID).contains(&releases.len()) {
        let each: Vec<String> =
            releases.iter().map(|(_, spent, name)| format!("{} {}", brief(name), percent(*spent))).collect();
        words.push_str(&format!(" Spent after each: {}.", each.join(", ")));
    }
    let most = releases.iter().map(|(_, spent, _)| *spent).fold(0.0, f64::max);
    if most > 1.0 {
        words.push_str(&format!(" At its highest it was {}, above the limit.", percent(most)));
    }
    words.push_str(&format!(" The limit, 100%: {}.", brief(&spending.limit_label)));
    for (_, text) in spending.changes.iter().take(SAID) {
        words.push_str(&format!(" The promise changed: {}.", brief(text)));
    }
    words
}

#[cfg(test)]
mod tests;
