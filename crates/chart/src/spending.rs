//! How much of the promise is spent, release by release.

use crate::canvas::{Area, Drawn, TEXT, percent, picture};
use crate::frame::{Frame, HEAD, WIDE, room_for};
use crate::palette::{BLUE, INK, MUTED, RED};
use crate::pen::{Place, dashes, dot, line, write};
use crate::scale::{Scale, known, span};
use crate::words::{brief, count, fit, width};
use plotters::style::text_anchor::HPos;

/// The height of the plot, in pixels.
const TALL: f64 = 230.0;
/// Up to so many releases, the description names each.
const SAID: usize = 12;

/// What was released when, and what it spent.
#[derive(Debug, Clone, PartialEq)]
pub struct Spending {
    /// For each release its time (seconds since 1970), the part of the promise that is spent after it (1 is all), and its name.
    pub times: Vec<(f64, f64, String)>,
    /// When the promise changed, and what to write there.
    pub changes: Vec<(f64, String)>,
    /// What the limit is: "the promise: odds of at most 3".
    pub limit_label: String,
    /// Ticks of the time axis: when, and the date to write there.
    pub ticks: Vec<(f64, String)>,
}

/// A release that can be drawn: when, and what is spent after it.
type Release<'a> = (f64, f64, &'a str);

/// The axis below.
struct Across {
    scale: Scale,
    /// Whether it counts releases, because they tell no time apart.
    counts: bool,
    ticks: Vec<(f64, String)>,
}

/// The part that is spent as steps over time; over the number of the release if all fall into the same second.
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
    let values: Vec<(f64, String)> = shares(most).into_iter().map(|share| (scale.at(share), percent(share))).collect();
    let frame = Frame { left: room_for(&values), right: f64::from(WIDE) - 20.0, top: HEAD, bottom: HEAD + TALL };
    let across = across(spending, &releases, (frame.left, frame.right));
    let places: Vec<Place> = releases
        .iter()
        .enumerate()
        .map(|(at, (time, spent, _))| {
            (across.scale.at(if across.counts { at as f64 + 1.0 } else { *time }), scale.at(spent.max(0.0)))
        })
        .collect();

    let height = (frame.bottom + 54.0) as u32;
    picture((WIDE, height), "Spending of the promise", &description(spending, &releases), |area| {
        frame.values(area, &values, "part of the promise that is spent")?;
        let axis = if across.counts { "number of the release" } else { "date of the release" };
        frame.below(area, &across.ticks, if releases.is_empty() { "no releases" } else { axis })?;
        changes(area, &frame, &across, spending, &releases)?;
        let limit = scale.at(1.0);
        line(area, &[(frame.left, limit), (frame.right, limit)], RED, 2)?;
        let label = fit(&spending.limit_label, TEXT, frame.right - frame.left - 8.0);
        write(area, (frame.left + 6.0, limit - 10.0), &label, (TEXT, RED), HPos::Left)?;
        steps(area, &frame, &places)?;
        dots(area, &frame, limit, &places)
    })
}

/// Where the grid has lines: at round shares, whole percents or many of them.
fn shares(most: f64) -> Vec<f64> {
    let step = [0.25, 0.5, 1.0, 2.0, 5.0, 10.0].into_iter().find(|step| most / step <= 6.0);
    let step = step.unwrap_or_else(|| 10_f64.powf(most.log10().ceil()) / 5.0);
    (0..=6).map(|at| f64::from(at) * step).take_while(|share| *share <= most * 1.05).collect()
}

/// The axis below: time if it tells releases apart.
fn across(spending: &Spending, releases: &[Release<'_>], room: (f64, f64)) -> Across {
    let times = || releases.iter().map(|(time, _, _)| *time);
    let (first, last) = times().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), time| (a.min(time), b.max(time)));
    let counts = !times().all(|time| known(time).is_some()) || last - first < 1.0 || releases.is_empty();
    if counts {
        let scale = Scale::linear((0.5, releases.len().max(1) as f64 + 0.5), room);
        let every = releases.len().div_ceil(12).max(1);
        let every = [1, 2, 5, 10, 20, 50, 100].into_iter().find(|step| *step >= every).unwrap_or(every);
        let ticks = (1..=releases.len())
            .filter(|at| every == 1 || at % every == 0)
            .map(|at| (scale.at(at as f64), at.to_string()));
        return Across { ticks: ticks.collect(), scale, counts };
    }
    let changes = spending.changes.iter().map(|(time, _)| *time);
    let (from, to) = span(times().chain(changes));
    let scale = Scale::linear((from, to), room).padded(0.03);
    let mut inside: Vec<&(f64, String)> = spending
        .ticks
        .iter()
        .filter(|(time, _)| (from - (to - from) * 0.03..=to + (to - from) * 0.03).contains(time))
        .collect();
    inside.sort_by(|one, other| one.0.total_cmp(&other.0));
    Across { ticks: inside.into_iter().map(|(time, text)| (scale.at(*time), text.clone())).collect(), scale, counts }
}

/// The steps: what is spent stays until the next release.
fn steps(area: &Area<'_>, frame: &Frame, places: &[Place]) -> Drawn {
    let mut corners = vec![(frame.left, frame.bottom)];
    let mut height = frame.bottom;
    for (x, y) in places {
        corners.extend([(*x, height), (*x, *y)]);
        height = *y;
    }
    corners.push((frame.right, height));
    line(area, &corners, BLUE, 2)
}

/// A dot for each release, with its number where there is room for one that touches neither another nor the limit.
fn dots(area: &Area<'_>, frame: &Frame, limit: f64, places: &[Place]) -> Drawn {
    let radius = if places.len() > 60 { 2.0 } else { 4.0 };
    let mut free = frame.left;
    for (at, (x, y)) in places.iter().enumerate() {
        dot(area, (*x, *y), radius, BLUE)?;
        let number = (at + 1).to_string();
        let half = width(&number, TEXT - 1) / 2.0;
        // Above and left of the step; below it where the limit and its words are.
        let clash = *y - 22.0 < limit + 2.0 && *y - 4.0 > limit - 20.0;
        let place = if clash { (x + half + 6.0, y + 13.0) } else { (x - half - 2.0, y - 13.0) };
        let place = (place.0.clamp(frame.left + half + 2.0, frame.right - half), place.1);
        if place.0 - half >= free && place.1 < frame.bottom - 6.0 {
            write(area, place, &number, (TEXT - 1, INK), HPos::Center)?;
            free = place.0 + half + 5.0;
        }
    }
    Ok(())
}

/// Where the promise changed: dashed lines, with words above or, where these would touch, further down.
fn changes(area: &Area<'_>, frame: &Frame, across: &Across, spending: &Spending, releases: &[Release<'_>]) -> Drawn {
    let mut changes: Vec<(f64, &str)> = spending
        .changes
        .iter()
        .filter_map(|(time, text)| known(*time).map(|time| (time, text.as_str())))
        .map(|(time, text)| {
            let earlier = releases.iter().filter(|release| release.0 <= time).count() as f64;
            (across.scale.at(if across.counts { earlier + 0.5 } else { time }), text)
        })
        .collect();
    changes.sort_by(|one, other| one.0.total_cmp(&other.0));
    // Rows of words at the foot of the plot, each with the place from which it is free.
    let mut rows = [frame.left; 4];
    for (x, text) in changes {
        dashes(area, &[(x, frame.top), (x, frame.bottom)], MUTED, 1, (4, 4))?;
        let text = fit(text, TEXT, 150.0);
        let wide = width(&text, TEXT);
        let start = if x + 6.0 + wide > frame.right { x - 6.0 - wide } else { x + 6.0 };
        if let Some((row, free)) = rows.iter_mut().enumerate().find(|(_, free)| **free <= start) {
            let y = frame.bottom - 14.0 - 18.0 * row as f64;
            write(area, (start, y), &text, (TEXT, MUTED), HPos::Left)?;
            *free = start.max(x) + wide + 10.0;
        }
    }
    Ok(())
}

/// What the picture shows, in words.
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
