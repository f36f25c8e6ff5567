//! How many participants it takes until what is planted is found with a given probability.

use super::result::{Power, Row, Series, count};
use serde::Serialize;
use std::fmt::Write;

/// The number of participants at which a curve reaches a target.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TargetSize {
    /// At so many participants, on the straight line between the two nearest sizes.
    At(f64),
    /// Already at the smallest size, of so many participants.
    Already(u64),
    /// Not even at the largest size, of so many participants.
    NotYet(u64),
    /// There is no size with a known chance.
    Unknown,
}

/// The number of participants that one setting needs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RequiredSize {
    /// The setting.
    #[serde(flatten)]
    pub series: Series,
    /// The probability that all planted SNPs are found.
    pub target: f64,
    /// Cases and controls together.
    pub reached: TargetSize,
    /// The standard error of that number over seeds, by leaving out one after the other (the jackknife); nothing where there is
    /// one cohort of each size, or where leaving one out takes the number beyond the sizes looked at.
    pub standard_error: Option<f64>,
}

/// How many participants one setting needs as a share of what another needs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SizeComparison {
    /// The setting.
    pub one: Series,
    /// The other: the first with the same adjacency, score, threshold and M.
    pub other: Series,
    /// The probability that all planted SNPs are found.
    pub target: f64,
    /// The participants that `one` needs over those that `other` needs; nothing where either number lies beyond the sizes.
    pub share: Option<f64>,
    /// The standard error of the share over seeds, as in [`RequiredSize`]: cohorts of one seed are compared with each other, so what
    /// they have in common does not count.
    pub standard_error: Option<f64>,
}

/// The chances, and the numbers of participants that a target takes. `Display` writes tables in Markdown.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PowerReport {
    /// The chances.
    #[serde(flatten)]
    pub power: Power,
    /// For each setting, the number of participants.
    pub needed: Vec<RequiredSize>,
    /// What each promise and prior needs as a share of what the first of them needs.
    pub compared: Vec<SizeComparison>,
    /// The probability that all planted SNPs are found.
    #[serde(skip)]
    pub target: f64,
}

impl std::fmt::Display for PowerReport {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.power.markdown())?;
        if self.power.simulated {
            let target = self.target;
            writeln!(f, "\nParticipants at which all planted SNPs are found with probability {target}:\n")?;
            f.write_str(&markdown(&self.needed))?;
            for sentence in sentences(&self.compared) {
                writeln!(f, "\n{sentence}")?;
            }
        }
        Ok(())
    }
}

impl RequiredSize {
    /// Cases and controls together, where that lies among the sizes looked at.
    #[must_use]
    pub fn participants(&self) -> Option<f64> {
        match self.reached {
            TargetSize::At(participants) => Some(participants),
            TargetSize::Already(_) | TargetSize::NotYet(_) | TargetSize::Unknown => None,
        }
    }
}

impl std::fmt::Display for TargetSize {
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
    /// The report on these chances, for a probability that all planted SNPs are found, above 0 and below 1.
    #[must_use]
    pub fn report(self, target: f64) -> PowerReport {
        let (needed, compared) = (self.needed(target), self.compared(target));
        PowerReport { power: self, needed, compared, target }
    }

    /// For each setting, the number of participants at which the chance of finding all planted SNPs reaches `target`: between
    /// the largest size that misses it and the next, linearly. Sizes with a chance that is not a number are passed over.
    #[must_use]
    pub fn needed(&self, target: f64) -> Vec<RequiredSize> {
        let of = |series: Series| {
            let reached = reached(&self.points(&series, None), target);
            let error = || Self::jackknife(self.seeds(&series), &|without| self.at(&series, without, target));
            let standard_error = if matches!(reached, TargetSize::At(_)) { error() } else { None };
            RequiredSize { series, target, reached, standard_error }
        };
        self.series().into_iter().map(of).collect()
    }

    /// What each promise and prior needs as a share of what the first of them needs, all else being equal.
    #[must_use]
    pub fn compared(&self, target: f64) -> Vec<SizeComparison> {
        let all = self.series();
        let beside = |one: &Series| {
            let other = all.iter().find(|other| other.is_like(one)).filter(|other| *other != one)?;
            let share = |without| Some(self.at(one, without, target)? / self.at(other, without, target)?);
            let seeds = self.seeds(one).min(self.seeds(other));
            let all = share(None);
            let standard_error = if all.is_some() { Self::jackknife(seeds, &share) } else { None };
            Some(SizeComparison { one: one.clone(), other: other.clone(), target, share: all, standard_error })
        };
        all.iter().filter_map(beside).collect()
    }

    /// The participants that a setting needs, of all seeds or without one.
    fn at(&self, series: &Series, without: Option<usize>, target: f64) -> Option<f64> {
        match reached(&self.points(series, without), target) {
            TargetSize::At(participants) => Some(participants),
            TargetSize::Already(_) | TargetSize::NotYet(_) | TargetSize::Unknown => None,
        }
    }

    /// Participants and chances of a setting, from few participants to many: of all seeds, or without one.
    fn points(&self, series: &Series, without: Option<usize>) -> Vec<(u64, f64)> {
        let chance = |row: &Row| match without {
            None => row.all,
            Some(seed) => {
                let kept = row.by_seed.iter().enumerate().filter(|(place, _)| *place != seed);
                let kept: Vec<f64> = kept.map(|(_, chance)| *chance).collect();
                mean(&kept)
            }
        };
        let rows = self.rows.iter().filter(|row| row.series == *series);
        let mut points: Vec<(u64, f64)> =
            rows.map(|row| (row.participants(), chance(row))).filter(|(_, chance)| chance.is_finite()).collect();
        points.sort_by_key(|(participants, _)| *participants);
        points
    }

    /// How many seeds every size of a setting has.
    fn seeds(&self, series: &Series) -> usize {
        let rows = self.rows.iter().filter(|row| row.series == *series);
        rows.map(|row| row.by_seed.len()).min().unwrap_or(0)
    }

    /// The standard error of what is computed from all seeds, from what it would be without each.
    fn jackknife(seeds: usize, of: &dyn Fn(Option<usize>) -> Option<f64>) -> Option<f64> {
        let without: Vec<f64> = (0..seeds).map(|seed| of(Some(seed))).collect::<Option<_>>()?;
        let middle = mean(&without);
        let squares: f64 = without.iter().map(|value| (value - middle).powi(2)).sum();
        let many = count(seeds);
        (seeds > 1).then(|| ((many - 1.0) / many * squares).sqrt())
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / count(values.len())
}

/// Where points, from few participants to many, come to the target and stay.
#[expect(clippy::cast_precision_loss, reason = "numbers of participants are far below 2^53")]
fn reached(points: &[(u64, f64)], target: f64) -> TargetSize {
    let (Some((smallest, _)), Some((largest, _))) = (points.first(), points.last()) else { return TargetSize::Unknown };
    // Reaching, so that a target that is not a number is never reached.
    let Some(missed) = points.iter().rposition(|(_, chance)| !reaches(*chance, target)) else {
        return TargetSize::Already(*smallest);
    };
    match (points.get(missed), points.get(missed + 1)) {
        (Some((from, low)), Some((to, high))) => {
            let share = (target - low) / (high - low);
            TargetSize::At(*from as f64 + share * (*to - *from) as f64)
        }
        _ => TargetSize::NotYet(*largest),
    }
}

fn reaches(chance: f64, target: f64) -> bool {
    chance >= target
}

/// What [`Power::needed`] found, as a table in Markdown.
#[must_use]
pub(super) fn markdown(needed: &[RequiredSize]) -> String {
    let mut text = format!("{}| target | participants |\n{}|---|---|\n", Series::HEAD, Series::RULE);
    for needed in needed {
        let error = needed.standard_error.map(|error| format!(" ± {error:.0}")).unwrap_or_default();
        // Writing to a string does not fail.
        let _ = writeln!(text, "{}| {} | {}{error} |", needed.series.cells(), needed.target, needed.reached);
    }
    text
}

/// What [`Power::compared`] found, a sentence for each.
#[must_use]
pub(super) fn sentences(compared: &[SizeComparison]) -> Vec<String> {
    let said = |compared: &SizeComparison| {
        let SizeComparison { one, other, target, share, standard_error } = compared;
        let error = standard_error.map(|error| format!(" ± {error:.2}")).unwrap_or_default();
        let needs = match share {
            Some(share) => format!("needs {share:.2}{error} times as many participants as"),
            None => "cannot be compared, within these sizes, with".into(),
        };
        format!("For a chance of {target}, {} {needs} {}.", one.at_length(), other.promised())
    };
    compared.iter().map(said).collect()
}
