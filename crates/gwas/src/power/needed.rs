//! How many participants it takes until what is planted is found with a given probability.

use super::result::{Power, Series};
use serde::Serialize;
use std::fmt::Write;

/// Where a curve reaches a target.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Reached {
    /// At so many participants, on the straight line between the two nearest sizes.
    At(f64),
    /// Already at the smallest size, of so many participants.
    Already(u64),
    /// Not even at the largest size, of so many participants.
    NotYet(u64),
    /// There is no size with a known chance.
    Unknown,
}

/// How many participants one setting takes.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Needed {
    /// The setting.
    #[serde(flatten)]
    pub series: Series,
    /// The probability that all planted SNPs are found.
    pub target: f64,
    /// Cases and controls together.
    pub reached: Reached,
}

impl Needed {
    /// Cases and controls together, where that lies among the sizes looked at.
    #[must_use]
    pub fn participants(&self) -> Option<f64> {
        match self.reached {
            Reached::At(participants) => Some(participants),
            Reached::Already(_) | Reached::NotYet(_) | Reached::Unknown => None,
        }
    }
}

impl std::fmt::Display for Reached {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::At(participants) => write!(f, "{:.0}", participants.ceil()),
            Self::Already(size) => write!(f, "{size} or fewer"),
            Self::NotYet(size) => write!(f, "more than {size}"),
            Self::Unknown => f.write_str("unknown"),
        }
    }
}

impl Power {
    /// For each setting, the number of participants at which the chance of finding all planted SNPs reaches `target`: between
    /// the largest size that misses it and the next, linearly. Sizes with a chance that is not a number are passed over.
    #[must_use]
    pub fn needed(&self, target: f64) -> Vec<Needed> {
        let of = |series: Series| {
            let mut points: Vec<(u64, f64)> = self
                .rows
                .iter()
                .filter(|row| row.series == series && row.all.is_finite())
                .map(|row| (row.participants(), row.all))
                .collect();
            points.sort_by_key(|(participants, _)| *participants);
            Needed { reached: reached(&points, target), series, target }
        };
        self.series().into_iter().map(of).collect()
    }
}

/// Where points, from few participants to many, come to the target and stay.
#[expect(clippy::cast_precision_loss, reason = "numbers of participants are far below 2^53")]
fn reached(points: &[(u64, f64)], target: f64) -> Reached {
    let (Some((smallest, _)), Some((largest, _))) = (points.first(), points.last()) else { return Reached::Unknown };
    // Reaching, so that a target that is not a number is never reached.
    let Some(missed) = points.iter().rposition(|(_, chance)| !reaches(*chance, target)) else {
        return Reached::Already(*smallest);
    };
    match (points.get(missed), points.get(missed + 1)) {
        (Some((from, low)), Some((to, high))) => {
            let share = (target - low) / (high - low);
            Reached::At(*from as f64 + share * (*to - *from) as f64)
        }
        _ => Reached::NotYet(*largest),
    }
}

fn reaches(chance: f64, target: f64) -> bool {
    chance >= target
}

/// What [`Power::needed`] found, as a table in Markdown.
#[must_use]
pub fn markdown(needed: &[Needed]) -> String {
    let mut text = format!("{}| target | participants |\n{}|---|---|\n", Series::HEAD, Series::RULE);
    for needed in needed {
        // Writing to a string does not fail.
        let _ = writeln!(text, "{}| {} | {} |", needed.series.cells(), needed.target, needed.reached);
    }
    text
}
