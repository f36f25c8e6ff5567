//! The result: rows, a table, and curves for charts.

use super::measure::{Outcome, Plan};
use super::{Cohorts, PowerQuery};
use deniable_genome::simulate::Settings;
use deniable_genome::table::{CohortAdjacency, Test};
use serde::Serialize;
use std::fmt::Write;

/// The parameters of a row except for the size of the cohort: a curve over sizes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Series {
    /// The protected adjacency.
    pub adjacency: CohortAdjacency,
    /// The score, in words.
    pub score: String,
    /// The threshold on χ² as a decimal; `None` if the score uses none.
    pub threshold: Option<String>,
    /// The p-value of the whole family of tests, if the threshold was derived from one.
    pub family: Option<String>,
    /// The promise, in words.
    pub promise: String,
    /// The prior beliefs that it covers, in words.
    pub prior: String,
    /// The ε that the promise allows (B-3 and related bounds), rounded up.
    pub epsilon: String,
    /// M, the number of picks.
    pub picks: usize,
}

impl Series {
    /// The header of [`Series::cells`], without the last bar.
    pub(super) const HEAD: &str = "| adjacency | by | threshold | promise | prior | ε | M ";
    pub(super) const RULE: &str = "|---|---|---|---|---|---|---";

    /// The setting as cells of a table, without the last bar.
    pub(super) fn cells(&self) -> String {
        format!(
            "| {} | {} | {} | {} | {} | {} | {} ",
            adjacency(self.adjacency),
            self.score,
            self.line().unwrap_or_else(|| "–".into()),
            self.promise,
            self.prior,
            self.epsilon,
            self.picks
        )
    }

    /// Whether two settings differ only in promise and prior.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        let of = |series: &Self| Self {
            promise: String::new(),
            prior: String::new(),
            epsilon: String::new(),
            ..series.clone()
        };
        of(self) == of(other)
    }

    /// The promise and the prior.
    pub(super) fn promised(&self) -> String {
        let [promise, prior, epsilon, ..] = self.parts();
        format!("{promise} with {prior} ({epsilon})")
    }

    /// The whole setting, for use in a sentence.
    pub(super) fn at_length(&self) -> String {
        let [.., picks, score, line] = self.parts();
        let line = if line.is_empty() { line } else { format!(" at {line}") };
        let adjacency = adjacency(self.adjacency);
        format!("{} by {score}{line}, {adjacency} adjacency, {picks},", self.promised())
    }

    /// The threshold with its p-value.
    fn line(&self) -> Option<String> {
        let threshold = self.threshold.as_ref()?;
        Some(match &self.family {
            Some(p) => format!("{threshold} (p {p} in all)"),
            None => threshold.clone(),
        })
    }

    /// The parameters that may differ within one chart, in words.
    fn parts(&self) -> [String; 6] {
        let line = self.line().map(|line| format!("χ² ≥ {line}")).unwrap_or_default();
        let prior = if self.prior == "any" { "any prior".into() } else { format!("prior {}", self.prior) };
        let (epsilon, picks) = (format!("ε {}", self.epsilon), format!("M = {}", self.picks));
        [self.promise.clone(), prior, epsilon, picks, self.score.clone(), line]
    }
}

/// The result of one setting for cohorts of one size.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Row {
    /// Number of cases.
    pub cases: u32,
    /// Number of controls.
    pub controls: u32,
    /// The setting.
    #[serde(flatten)]
    pub series: Series,
    /// The probability that all planted SNPs are found, from 0 to 1: the mean over seeds.
    pub all: f64,
    /// Largest difference of this mean from that of the exact probabilities: at most half the width of their bounds.
    pub all_within: f64,
    /// The lowest probability of a seed.
    pub all_lowest: f64,
    /// The highest probability of a seed.
    pub all_highest: f64,
    /// The standard error of the mean over seeds; `None` for a single cohort.
    pub all_standard_error: Option<f64>,
    /// The probabilities of the seeds, in the order of the parameters; one value if a cohort is given.
    pub by_seed: Vec<f64>,
    /// The expected number of planted SNPs found.
    pub found: f64,
    /// Number of planted SNPs.
    pub planted: usize,
    /// Number of cohorts averaged.
    pub seeds: usize,
}

impl Row {
    /// Cases and controls together.
    #[must_use]
    pub fn participants(&self) -> u64 {
        u64::from(self.cases) + u64::from(self.controls)
    }
}

/// The probabilities of finding the planted SNPs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Power {
    /// Whether all cohorts were simulated. If not, the rows depend on real people without any noise: not for
    /// publication.
    pub simulated: bool,
    /// A description of the cohorts, in one sentence.
    pub setup: String,
    /// Number of SNPs of a cohort.
    pub snps: usize,
    /// The test.
    pub test: Test,
    /// Grouped by setting, each in ascending order of participants.
    pub rows: Vec<Row>,
}

pub(super) fn collect(plan: &Plan<'_>, outcomes: &[Vec<Outcome>]) -> Power {
    let seeds = plan.seeds.len().max(1);
    let mut rows = vec![];
    for (place, series) in plan.series().into_iter().enumerate() {
        for ((cases, controls), cohorts) in plan.sizes.iter().zip(outcomes.chunks(seeds)) {
            let here: Vec<Outcome> = cohorts.iter().filter_map(|outcomes| outcomes.get(place).copied()).collect();
            rows.push(row((*cases, *controls), series.clone(), &here, plan.planted));
        }
    }
    Power {
        simulated: matches!(plan.question.cohorts, Cohorts::Simulated { .. }),
        setup: setup(plan.question, plan),
        snps: plan.snps,
        test: plan.question.test,
        rows,
    }
}

fn row((cases, controls): (u32, u32), series: Series, cohorts: &[Outcome], planted: usize) -> Row {
    let mean = |of: &dyn Fn(&Outcome) -> f64| cohorts.iter().map(of).sum::<f64>() / count(cohorts.len());
    let values = || cohorts.iter().map(|outcome| outcome.all.middle());
    let all = mean(&|outcome| outcome.all.middle());
    let squares: f64 = values().map(|value| (value - all).powi(2)).sum();
    let many = count(cohorts.len());
    Row {
        cases,
        controls,
        series,
        all,
        all_within: mean(&|outcome| (outcome.all.high - outcome.all.low) / 2.0),
        all_lowest: values().fold(f64::INFINITY, f64::min),
        all_highest: values().fold(f64::NEG_INFINITY, f64::max),
        all_standard_error: (cohorts.len() > 1).then(|| (squares / (many - 1.0) / many).sqrt()),
        by_seed: values().collect(),
        found: mean(&|outcome| outcome.found),
        planted,
        seeds: cohorts.len(),
    }
}

#[expect(clippy::cast_precision_loss, reason = "far fewer cohorts than 2^53")]
pub(super) fn count(number: usize) -> f64 {
    number as f64
}

impl Power {
    /// Every setting, in the order of the rows.
    #[must_use]
    pub fn series(&self) -> Vec<Series> {
        let mut all: Vec<Series> = vec![];
        for row in &self.rows {
            if !all.contains(&row.series) {
                all.push(row.series.clone());
            }
        }
        all
    }

    /// The rows as a table in Markdown, below a sentence on the cohorts: probabilities to three places, with their
    /// standard error over seeds if there are several.
    #[must_use]
    pub fn markdown(&self) -> String {
        let mut text = format!("{}\n\n{}", self.setup, Series::HEAD);
        // The range over seeds is shown only if there are several cohorts.
        let several = self.rows.iter().any(|row| row.seeds > 1);
        let between = if several { (" seeds from | to |", "---|---|") } else { ("", "") };
        let _ = writeln!(text, "| cases | controls | all found |{} found |", between.0);
        text.push_str(Series::RULE);
        let _ = writeln!(text, "|---|---|---|{}---|", between.1);
        for row in &self.rows {
            let error = row.all_standard_error.map(|error| format!(" ± {error:.3}")).unwrap_or_default();
            let between =
                if several { format!(" {:.3} | {:.3} |", row.all_lowest, row.all_highest) } else { String::new() };
            // Writing to a string cannot fail.
            let _ = writeln!(
                text,
                "{}| {} | {} | {:.3}{error} |{between} {:.2} of {} |",
                row.series.cells(),
                row.cases,
                row.controls,
                row.all,
                row.found,
                row.planted
            );
        }
        text
    }

    /// The curves of each adjacency: the two protect different secrets, so their curves belong in separate charts.
    /// Curves are named by the parameters that differ among them.
    #[must_use]
    pub fn curves(&self) -> Vec<Curves> {
        let all = self.series();
        let of = |which: CohortAdjacency| {
            let here: Vec<&Series> = all.iter().filter(|series| series.adjacency == which).collect();
            let points = |series: &Series| self.rows.iter().filter(|row| row.series == *series).map(point).collect();
            let curves =
                names(&here).into_iter().zip(&here).map(|(name, series)| Curve { name, points: points(series) });
            (!here.is_empty()).then(|| Curves { adjacency: which, curves: curves.collect() })
        };
        CohortAdjacency::ALL.into_iter().filter_map(of).collect()
    }
}

/// The curves of one adjacency.
#[derive(Debug, Clone, PartialEq)]
pub struct Curves {
    /// The protected adjacency.
    pub adjacency: CohortAdjacency,
    /// A curve for each setting.
    pub curves: Vec<Curve>,
}

/// The chances under one setting, over sizes of cohorts.
#[derive(Debug, Clone, PartialEq)]
pub struct Curve {
    /// The setting, reduced to the parameters that differ from the other curves.
    pub name: String,
    /// The points in the order of the rows.
    pub points: Vec<Point>,
}

/// The probability at one size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// Cases and controls together.
    pub participants: u64,
    /// The probability that all planted SNPs are found, from 0 to 1.
    pub found: f64,
    /// Two standard errors over seeds; 0 for a single cohort.
    pub within: f64,
}

impl Curves {
    /// The adjacency in words.
    #[must_use]
    pub fn name(&self) -> &'static str {
        adjacency(self.adjacency)
    }

    /// The protected secret, in words.
    #[must_use]
    pub fn protects(&self) -> &'static str {
        match self.adjacency {
            CohortAdjacency::Genotype => "one participant's genotypes",
            CohortAdjacency::LabelSwap => "who is a case",
        }
    }
}

fn point(row: &Row) -> Point {
    let within = 2.0 * row.all_standard_error.unwrap_or(0.0);
    Point { participants: row.participants(), found: row.all, within }
}

/// The names of series by the parameters that differ among them; by the promise if none does.
fn names(series: &[&Series]) -> Vec<String> {
    let parts: Vec<[String; 6]> = series.iter().map(|series| series.parts()).collect();
    let differs = |at: usize| parts.windows(2).any(|two| matches!(two, [one, other] if one.get(at) != other.get(at)));
    let mut kept: Vec<usize> = (0..6).filter(|at| differs(*at)).collect();
    if kept.is_empty() {
        kept = vec![0, 1, 2];
    }
    let name = |parts: &[String; 6]| {
        let said: Vec<&str> = kept.iter().filter_map(|at| parts.get(*at)).map(String::as_str).collect();
        said.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ")
    };
    parts.iter().map(name).collect()
}

fn adjacency(adjacency: CohortAdjacency) -> &'static str {
    match adjacency {
        CohortAdjacency::Genotype => "genotype",
        CohortAdjacency::LabelSwap => "label swap",
    }
}

fn setup(question: &PowerQuery, plan: &Plan<'_>) -> String {
    let test = match question.test {
        Test::Allelic => "allelic",
        Test::Genotypic => "genotypic",
    };
    match &question.cohorts {
        Cohorts::Given { .. } => format!(
            "One given cohort of {} SNPs, of which {} should be found; {test} test. Not for publication: these numbers \
             depend on the people in it.",
            plan.snps, plan.planted
        ),
        Cohorts::Simulated { settings, .. } => format!(
            "Simulated cohorts: {}; seed{} {}; {test} test.",
            described(settings),
            if plan.seeds.len() == 1 { "" } else { "s" },
            list(&plan.seeds)
        ),
    }
}

/// The parameters of a simulation except for its size.
fn described(settings: &Settings) -> String {
    let Settings { snps, frequencies: (low, high), block, founders, switch, missing, risk, causes, .. } = settings;
    format!(
        "{snps} SNPs in blocks of {block} ({founders} founders, switching {switch}), allele frequencies {low} to {high}, \
         missing {missing}; risk {risk}, causes with odds ratios {}",
        list(causes)
    )
}

fn list<T: ToString>(items: &[T]) -> String {
    items.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}
