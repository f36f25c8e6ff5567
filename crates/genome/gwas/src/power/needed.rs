//! The number of participants needed to find all planted SNPs with a given probability.

use super::result::{Power, Row, Series, count};
use serde::Serialize;
use std::fmt::Write;

/// The number of participants at which a curve reaches a target.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TargetSize {
    /// At this number of participants, interpolated linearly between the two nearest sizes.
    At(f64),
    /// Reached already at the smallest size, with this number of participants.
    Already(u64),
    /// Not reached at the largest size, with this number of participants.
    NotYet(u64),
    /// No size has a known probability.
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
    /// The standard error of that number over seeds, by the jackknife; `None` if there is one cohort of each size, or
    /// if the number without one of the seeds is outside the computed sizes.
    pub standard_error: Option<f64>,
}

/// The participants that one setting needs, relative to another.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SizeComparison {
    /// The setting.
    pub one: Series,
    /// The reference: the first setting with the same adjacency, score, threshold and M.
    pub other: Series,
    /// The probability that all planted SNPs are found.
    pub target: f64,
    /// The participants that `one` needs over those that `other` needs; `None` if either number is outside the computed
    /// sizes.
    pub share: Option<f64>,
    /// The standard error of the share over seeds, as in [`RequiredSize`]: cohorts of the same seed are compared, so
    /// their common variation cancels.
    pub standard_error: Option<f64>,
}

/// The probabilities, and the participants needed for a target. `Display` writes tables in Markdown.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PowerReport {
    /// The probabilities.
    #[serde(flatten)]
    pub power: Power,
    /// The number of participants for each setting.
    pub needed: Vec<RequiredSize>,
    /// The participants of each promise and prior, relative to the first of them.
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
    /// Cases and controls together; `None` outside the computed sizes.
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
    /// The report on these probabilities, for a target probability of finding all planted SNPs, above 0 and below 1.
    #[must_use]
    pub fn report(self, target: f64) -> PowerReport {
        let (needed, compared) = (self.needed(target), self.compared(target));
        PowerReport { power: self, needed, compared, target }
    }

    /// For each setting, the number of participants at which the probability of finding all planted SNPs reaches
    /// `target`: linearly interpolated between the largest size that misses it and the next. Sizes whose probability is
    /// not a number are ignored.
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

    /// The participants that each promise and prior needs, relative to the first of them with otherwise equal settings.
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

    /// The participants that a setting needs, over all seeds or without one of them.
    fn at(&self, series: &Series, without: Option<usize>, target: f64) -> Option<f64> {
        match reached(&self.points(series, without), target) {
            TargetSize::At(participants) => Some(participants),
            TargetSize::Already(_) | TargetSize::NotYet(_) | TargetSize::Unknown => None,
        }
    }

    /// Participants and probabilities of a setting, in ascending order of participants: over all seeds, or without one
    /// of them.
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

    /// The number of seeds of every size of a setting.
    fn seeds(&self, series: &Series) -> usize {
        let rows = self.rows.iter().filter(|row| row.series == *series);
        rows.map(|row| row.by_seed.len()).min().unwrap_or(0)
    }

    /// The jackknife standard error of a value computed from all seeds.
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

/// The point from which all later points, in ascending order of participants, reach the target.
#[expect(clippy::cast_precision_loss, reason = "numbers of participants are far below 2^53")]
fn reached(points: &[(u64, f64)], target: f64) -> TargetSize {
    let (Some((smallest, _)), Some((largest, _))) = (points.first(), points.last()) else { return TargetSize::Unknown };
    // Compares by reaching, so that a target that is not a number is never reached.
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

/// The result of [`Power::needed`] as a table in Markdown.
#[must_use]
pub(super) fn markdown(needed: &[RequiredSize]) -> String {
    let mut text = format!("{}| target | participants |\n{}|---|---|\n", Series::HEAD, Series::RULE);
    for needed in needed {
        let error = needed.standard_error.map(|error| format!(" ± {error:.0}")).unwrap_or_default();
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{}| {} | {}{error} |", needed.series.cells(), needed.target, needed.reached);
    }
    text
}

/// The result of [`Power::compared`], as one sentence each.
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
