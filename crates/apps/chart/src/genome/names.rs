//! Places names beside dots, where nothing else is drawn.

use crate::pen::Place;

/// The height of a name with padding, in pixels.
const ROW: f64 = 16.0;
/// Largest vertical distance of a name from its dot, in pixels.
const FAR: f64 = 56.0;
/// Up to this distance a name needs no line to its dot, in pixels.
const NEAR: f64 = 8.0;
/// Width of that line for names that are moved, in pixels.
const ASIDE: f64 = 18.0;

/// A box in the picture, in pixels.
#[derive(Debug, Clone, Copy)]
pub struct Patch {
    pub left: f64,
    pub right: f64,
    pub top: f64,
    pub bottom: f64,
}

impl Patch {
    /// A box around a point, with half-widths to the sides and up and down.
    pub fn around((x, y): Place, sides: f64, ups: f64) -> Self {
        Self { left: x - sides, right: x + sides, top: y - ups, bottom: y + ups }
    }

    fn touches(&self, other: &Self) -> bool {
        self.left < other.right && other.left < self.right && self.top < other.bottom && other.top < self.bottom
    }

    fn holds(&self, other: &Self) -> bool {
        self.left <= other.left && other.right <= self.right && self.top <= other.top && other.bottom <= self.bottom
    }
}

/// A dot that needs a label.
#[derive(Debug, Clone, Copy)]
pub struct LabelRequest {
    /// The middle of its dot.
    pub head: Place,
    /// The width of the name.
    pub wide: f64,
    /// The radius of the dot.
    pub reach: f64,
}

/// The place of a label.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LabelPlace {
    /// The middle of its left side.
    pub start: Place,
    /// The end of a line from the dot; `None` if the name is next to it.
    pub tie: Option<Place>,
}

/// Occupied areas of a chart.
#[derive(Debug)]
pub struct Field {
    bounds: Patch,
    /// Areas that must not be covered.
    solid: Vec<Patch>,
    /// Areas that should not be covered, each with the distance, in pixels, that a name would rather move.
    thin: Vec<(Patch, f64)>,
}

impl Field {
    /// An empty chart with these bounds.
    pub fn new(bounds: Patch) -> Self {
        Self { bounds, solid: Vec::new(), thin: Vec::new() }
    }

    /// Adds an area that must not be covered.
    pub fn solid(&mut self, patch: Patch) {
        self.solid.push(patch);
    }

    /// Adds an area that should not be covered. Areas at the same horizontal position count once: many adjacent SNPs
    /// look like one line.
    pub fn thin(&mut self, patch: Patch, dislike: f64) {
        let is_same = |other: &Patch| (other.left - patch.left).abs() < 2.0 && (other.right - patch.right).abs() < 2.0;
        if let Some((same, _)) = self.thin.iter_mut().find(|(other, known)| is_same(other) && *known >= dislike) {
            same.top = same.top.min(patch.top);
            same.bottom = same.bottom.max(patch.bottom);
            return;
        }
        self.thin.push((patch, dislike));
    }

    /// The cost of a box for words; `None` if they cannot be there.
    fn cost(&self, patch: &Patch) -> Option<f64> {
        let free = self.bounds.holds(patch) && !self.solid.iter().any(|solid| solid.touches(patch));
        free.then(|| self.thin.iter().filter(|(thin, _)| thin.touches(patch)).map(|(_, dislike)| dislike).sum())
    }

    /// Reserves room for a name beside its dot, or slightly above or below with a line to it. `None` if there is no
    /// room.
    pub fn name(&mut self, wanted: LabelRequest) -> Option<LabelPlace> {
        let (x, y) = wanted.head;
        let steps = (FAR / 4.0) as i32;
        let mut best: Option<(f64, Patch, Option<Place>)> = None;
        for up in -steps..=steps {
            let moved = f64::from(up) * 4.0;
            let is_near = moved.abs() <= NEAR;
            let aside = if is_near { wanted.reach + 4.0 } else { ASIDE };
            for right in [true, false] {
                let from = if right { x + aside } else { x - aside - wanted.wide };
                let patch = Patch {
                    left: from - 1.0,
                    right: from + wanted.wide + 1.0,
                    top: y + moved - ROW / 2.0,
                    bottom: y + moved + ROW / 2.0,
                };
                let end = (if right { patch.left } else { patch.right }, y + moved);
                let tie = (!is_near).then_some(end);
                if tie.is_some_and(|end| self.solid.iter().any(|solid| crosses(wanted, end, solid))) {
                    continue;
                }
                let Some(crossed) = self.cost(&patch) else { continue };
                // A line to the dot costs as much as some distance, and the right side is preferred.
                let cost = crossed + moved.abs() + if is_near { 0.0 } else { 8.0 } + if right { 0.0 } else { 1.0 };
                if best.as_ref().is_none_or(|(least, ..)| cost < *least) {
                    best = Some((cost, patch, tie));
                }
            }
        }
        let (_, patch, tie) = best?;
        self.solid.push(patch);
        Some(LabelPlace { start: (patch.left + 1.0, f64::midpoint(patch.top, patch.bottom)), tie })
    }

    /// Reserves room for words above or below a horizontal line, at one of its ends or between: where they cover the
    /// least. They are placed even if they cover something.
    pub fn beside_line(&mut self, y: f64, (from, to): (f64, f64), wide: f64) -> Place {
        let room = (to - from - wide - 16.0).max(0.0);
        let patches = [-11.0, 11.0].into_iter().flat_map(|away| {
            (0..=8).rev().map(move |at| {
                let left = from + 8.0 + room * f64::from(at) / 8.0;
                Patch { left, right: left + wide, top: y + away - ROW / 2.0, bottom: y + away + ROW / 2.0 }
            })
        });
        let bad = |patch: &Patch| {
            let outside = if self.bounds.holds(patch) { 0.0 } else { 1000.0 };
            let solid = self.solid.iter().filter(|solid| solid.touches(patch)).count();
            let thin: f64 = self.thin.iter().filter(|(thin, _)| thin.touches(patch)).map(|(_, dislike)| dislike).sum();
            outside + solid as f64 * 100.0 + thin
        };
        let Some(best) = patches.min_by(|one, other| bad(one).total_cmp(&bad(other))) else { return (from, y) };
        self.solid.push(best);
        (best.left, f64::midpoint(best.top, best.bottom))
    }
}

/// Whether the line from a dot to its name crosses a box other than the dot's own.
fn crosses(wanted: LabelRequest, end: Place, solid: &Patch) -> bool {
    let (from, steps) = (wanted.head, 12);
    if (from.0 - f64::midpoint(solid.left, solid.right)).abs() < 0.5
        && (from.1 - f64::midpoint(solid.top, solid.bottom)).abs() < 0.5
    {
        return false;
    }
    (1..steps).any(|step| {
        let share = f64::from(step) / f64::from(steps);
        let at = (from.0 + (end.0 - from.0) * share, from.1 + (end.1 - from.1) * share);
        solid.left < at.0 && at.0 < solid.right && solid.top < at.1 && at.1 < solid.bottom
    })
}
