//! Cohorts, their evidence, and the probabilities under each setting.
//!
//! The evidence of a cohort (distances, or χ² on a grid) does not depend on promise, prior or M, and is computed once
//! for all of them. Threads take whole cohorts; if there are fewer cohorts than threads, they share the SNPs and the
//! settings of one.

use super::result::Series;
use super::{Cohorts, PowerFailure, PowerQuery, Score};
use crate::request::Cut;
use deniable_core::adversary::PriorRange;
use deniable_core::budget::Spend;
use deniable_core::exact::{Rational, Rounding, decimal, fraction};
use deniable_core::parallel;
use deniable_core::promise::Promise;
use deniable_genome::counting::{Masks, count, to_words};
use deniable_genome::fill::Fill;
use deniable_genome::power::{Chance, Evidence, chances};
use deniable_genome::select::{SelectError, sensitivity_steps, steps};
use deniable_genome::sensitivity::sensitivity;
use deniable_genome::simulate::{SimulateError, each_snp};
use deniable_genome::table::{CohortAdjacency, ContingencyTable, Test};
use deniable_genome::{Threshold, distance, statistic};
use num_traits::{One, Signed, ToPrimitive};
use std::borrow::Cow;
use std::sync::mpsc::Sender;

/// Number of SNPs that a thread takes at a time.
const CHUNK: usize = 256;

/// The whole promise as odds to spend.
#[derive(Debug, Clone, PartialEq)]
struct Offer {
    promise: Promise,
    priors: PriorRange,
    odds: Spend,
}

/// A threshold, and the p-value from which it was derived.
#[derive(Debug, Clone, PartialEq)]
struct Line {
    threshold: Threshold,
    /// The p-value of the family, if one was given.
    family: Option<Rational>,
}

/// Validated parameters, without duplicates.
pub struct Plan<'a> {
    pub question: &'a PowerQuery,
    pub snps: usize,
    /// Number of SNPs to be found.
    pub planted: usize,
    /// Cases and controls, in ascending order of participants.
    pub sizes: Vec<(u32, u32)>,
    /// Empty if a cohort is given.
    pub seeds: Vec<u64>,
    adjacencies: Vec<CohortAdjacency>,
    scores: Vec<Score>,
    lines: Vec<Line>,
    offers: Vec<Offer>,
    picks: Vec<usize>,
}

/// The result of one setting for one cohort.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Outcome {
    /// The probability that all planted SNPs are picked.
    pub all: Chance,
    /// The expected number of planted SNPs picked.
    pub found: f64,
}

struct CohortTables<'a> {
    cases: u32,
    controls: u32,
    tables: Cow<'a, [ContingencyTable]>,
    planted: Cow<'a, [usize]>,
}

/// The items without duplicates, in order of first occurrence; at least one is required.
fn once<T: Clone + PartialEq>(items: &[T], what: &'static str) -> Result<Vec<T>, PowerFailure> {
    let mut different: Vec<T> = vec![];
    for item in items {
        if !different.contains(item) {
            different.push(item.clone());
        }
    }
    if different.is_empty() { Err(PowerFailure::Nothing { what }) } else { Ok(different) }
}

impl<'a> Plan<'a> {
    /// Validates the parameters before any cohort is computed.
    pub fn new(question: &'a PowerQuery) -> Result<Self, PowerFailure> {
        let (snps, planted, mut sizes, seeds) = match &question.cohorts {
            Cohorts::Simulated { settings, sizes, seeds } => {
                if settings.causes.is_empty() {
                    return Err(PowerFailure::Nothing { what: "cause to plant" });
                }
                let snps = usize::try_from(settings.snps).unwrap_or(usize::MAX);
                (snps, settings.causes.len(), once(sizes, "size of a cohort")?, once(seeds, "seed")?)
            }
            Cohorts::Given { tables, planted } => {
                let size = given(tables.iter().map(|(_, table)| table), planted)?;
                (tables.len(), planted.len(), vec![size], vec![])
            }
        };
        sizes.sort_by_key(|(cases, controls)| (u64::from(*cases) + u64::from(*controls), *cases));
        let scores = once(&question.scores, "score to select by")?;
        let mut lines = vec![];
        if scores.contains(&Score::Distance) {
            for limit in once(&question.thresholds, "threshold for the distance score")? {
                lines.push(line(&limit, snps, question.test)?);
            }
        }
        let mut offers = vec![];
        for (promise, priors) in once(&question.promises, "promise")? {
            offers.push(Offer { odds: promise.largest_odds(&priors)?, promise, priors });
        }
        let picks = once(&question.picks, "number of picks")?;
        if let Some(picks) = picks.iter().find(|picks| !(1..=snps).contains(*picks)) {
            return Err(PowerFailure::Picks { picks: *picks, snps });
        }
        let adjacencies = once(&question.adjacencies, "adjacency")?;
        Ok(Self { question, snps, planted, sizes, seeds, adjacencies, scores, lines, offers, picks })
    }

    /// The thresholds that a score uses; one `None` if it uses none.
    fn lines_of(&self, score: &Score) -> Vec<Option<&Line>> {
        match score {
            Score::Distance => self.lines.iter().map(Some).collect(),
            Score::Statistic { .. } | Score::Noise { .. } => vec![None],
        }
    }

    /// Every setting, in the order in which [`Plan::measure`] returns the outcomes of a cohort.
    pub fn series(&self) -> Vec<Series> {
        let mut series = vec![];
        for adjacency in &self.adjacencies {
            for score in &self.scores {
                for line in self.lines_of(score) {
                    for (offer, picks) in self.settings() {
                        series.push(Series {
                            adjacency: *adjacency,
                            score: in_words(score),
                            threshold: line.map(|line| decimal(&line.threshold.value(), 6, Rounding::Nearest)),
                            family: line.and_then(|line| Some(decimal(line.family.as_ref()?, 12, Rounding::Nearest))),
                            promise: promised(&offer.promise),
                            prior: prior(&offer.priors),
                            epsilon: offer.odds.epsilon_decimal(4),
                            picks,
                        });
                    }
                }
            }
        }
        series
    }

    fn settings(&self) -> Vec<(&Offer, usize)> {
        self.offers.iter().flat_map(|offer| self.picks.iter().map(move |picks| (offer, *picks))).collect()
    }

    /// The number of ticks of [`Plan::measure`]: one for each cohort, and one for each setting of each.
    pub fn steps(&self) -> usize {
        self.sizes.len() * self.seeds.len().max(1) * (1 + self.series().len())
    }

    /// For each size, and within it for each seed, the outcomes of all settings.
    ///
    /// # Errors
    /// If a cohort cannot be simulated, or has too few SNPs to pick.
    pub fn measure(&self, threads: usize, tick: Sender<()>) -> Result<Vec<Vec<Outcome>>, PowerFailure> {
        let seeds: Vec<Option<u64>> =
            if self.seeds.is_empty() { vec![None] } else { self.seeds.iter().copied().map(Some).collect() };
        // The largest first, so that no thread has one of them left at the end.
        let cohorts: Vec<((u32, u32), Option<u64>)> =
            self.sizes.iter().rev().flat_map(|size| seeds.iter().rev().map(|seed| (*size, *seed))).collect();
        let each = threads.checked_div(cohorts.len()).unwrap_or(1).max(1);
        let mut outcomes = parallel::each(threads, &cohorts, |(size, seed)| {
            let made = self.make(*size, *seed)?;
            done(&tick);
            self.outcomes(&made, each, &tick)
        })?;
        outcomes.reverse();
        Ok(outcomes)
    }

    fn make(&self, (cases, controls): (u32, u32), seed: Option<u64>) -> Result<CohortTables<'a>, PowerFailure> {
        match (&self.question.cohorts, seed) {
            (Cohorts::Simulated { settings, .. }, Some(seed)) => {
                let settings = deniable_genome::simulate::Settings { cases, controls, ..settings.clone() };
                // Created at the first SNP, after the settings are checked: this avoids allocating for four billion
                // people.
                let mut everybody = None;
                let (mut tables, mut words) = (vec![], vec![]);
                let causes = each_snp::<SimulateError>(&settings, seed, |_, row| {
                    to_words(row, &mut words);
                    let masks = everybody.get_or_insert_with(|| masks(cases, controls));
                    tables.push(Fill::default().table(&count(&words, masks)));
                    Ok(())
                })?;
                let planted = causes.iter().filter_map(|cause| usize::try_from(cause.snp).ok()).collect();
                Ok(CohortTables { cases, controls, tables: Cow::Owned(tables), planted })
            }
            (Cohorts::Given { tables, planted }, _) => {
                let tables = tables.iter().map(|(_, table)| *table).collect();
                Ok(CohortTables { cases, controls, tables, planted: Cow::Borrowed(planted) })
            }
            (Cohorts::Simulated { .. }, None) => Err(PowerFailure::Nothing { what: "seed" }),
        }
    }

    /// The outcomes of all settings, in the order of [`Plan::series`].
    fn outcomes(
        &self,
        made: &CohortTables<'_>,
        threads: usize,
        tick: &Sender<()>,
    ) -> Result<Vec<Outcome>, PowerFailure> {
        let test = self.question.test;
        let mut grids: Vec<(&Rational, Vec<i64>)> = vec![];
        let mut outcomes = vec![];
        for adjacency in &self.adjacencies {
            for score in &self.scores {
                let (Score::Statistic { grid } | Score::Noise { grid }) = score else {
                    for line in &self.lines {
                        let scores = by_chunks(threads, &made.tables, |table| {
                            Ok(distance(table, test, *adjacency, &line.threshold)?.score())
                        })?;
                        outcomes.extend(self.ask(&Evidence::Scores(&scores), made, threads, tick)?);
                    }
                    continue;
                };
                let most = sensitivity_steps(&sensitivity(made.cases, made.controls, test, *adjacency), grid)?;
                let most = most.to_u64().ok_or_else(|| too_fine(made, test, *adjacency, grid))?;
                // χ² does not depend on the adjacency, and both scores based on it may use the same grid.
                if !grids.iter().any(|(known, _)| *known == grid) {
                    let steps = |table: &ContingencyTable| Ok(steps(&statistic(table, test), grid)?);
                    grids.push((grid, by_chunks(threads, &made.tables, steps)?));
                }
                let Some((_, steps)) = grids.iter().find(|(known, _)| *known == grid) else { continue };
                let evidence = match score {
                    Score::Noise { .. } => Evidence::Noise { steps, sensitivity: most },
                    _ => Evidence::Statistics { steps, sensitivity: most },
                };
                outcomes.extend(self.ask(&evidence, made, threads, tick)?);
            }
        }
        Ok(outcomes)
    }

    /// The same evidence under every promise and M.
    fn ask(
        &self,
        evidence: &Evidence<'_>,
        made: &CohortTables<'_>,
        threads: usize,
        tick: &Sender<()>,
    ) -> Result<Vec<Outcome>, PowerFailure> {
        parallel::each(threads, &self.settings(), |(offer, picks)| {
            let (all, each) = chances(evidence, &made.planted, *picks, &offer.odds)?;
            done(tick);
            Ok(Outcome { all, found: each.iter().map(Chance::middle).sum() })
        })
    }
}

/// Reports one step. The work does not depend on whether there is a receiver.
fn done(tick: &Sender<()>) {
    let _ = tick.send(());
}

/// Checks that the tables and the planted SNPs are consistent; returns the cases and controls of every SNP.
fn given<'t>(
    tables: impl ExactSizeIterator<Item = &'t ContingencyTable>,
    planted: &[usize],
) -> Result<(u32, u32), PowerFailure> {
    let snps = tables.len();
    if planted.is_empty() {
        return Err(PowerFailure::Nothing { what: "SNP to find" });
    }
    for (at, place) in planted.iter().enumerate() {
        if *place >= snps {
            return Err(PowerFailure::Planted { place: *place, snps });
        }
        if planted.iter().take(at).any(|before| before == place) {
            return Err(PowerFailure::PlantedTwice { place: *place });
        }
    }
    let mut size = None;
    for (place, table) in tables.enumerate() {
        let here = (table.all_cases(), table.all_controls());
        if *size.get_or_insert(here) != here {
            return Err(PowerFailure::People { place });
        }
    }
    // A count above the range of 32 bits.
    let small =
        |count: u64| u32::try_from(count).map_err(|_| deniable_genome::distance::TooManyPeople { people: count });
    let (cases, controls) = size.unwrap_or_default();
    Ok((small(cases)?, small(controls)?))
}

/// The threshold for this number of SNPs.
fn line(cut: &Cut, snps: usize, test: Test) -> Result<Line, PowerFailure> {
    let family = match cut {
        Cut::ChiSquare(_) => None,
        Cut::PValue(p) => Some(p.clone()),
    };
    Ok(Line { threshold: cut.threshold(test, snps)?, family })
}

/// Cases first, as in [`each_snp`].
fn masks(cases: u32, controls: u32) -> Masks {
    let [cases, people] =
        [cases, cases.saturating_add(controls)].map(|count| usize::try_from(count).unwrap_or(usize::MAX));
    let mut masks = Masks::new(people);
    for person in 0..people {
        let side = if person < cases { &mut masks.cases } else { &mut masks.controls };
        side.add(person);
        masks.founders.add(person);
    }
    masks.settle();
    masks
}

/// A value for every SNP, computed on several threads.
fn by_chunks<R: Send>(
    threads: usize,
    tables: &[ContingencyTable],
    of: impl Fn(&ContingencyTable) -> Result<R, PowerFailure> + Sync,
) -> Result<Vec<R>, PowerFailure> {
    let chunks: Vec<&[ContingencyTable]> = tables.chunks(CHUNK).collect();
    let each = parallel::each(threads, &chunks, |chunk| chunk.iter().map(&of).collect::<Result<Vec<R>, _>>())?;
    Ok(each.into_iter().flatten().collect())
}

fn too_fine(made: &CohortTables<'_>, test: Test, adjacency: CohortAdjacency, grid: &Rational) -> PowerFailure {
    let value = sensitivity(made.cases, made.controls, test, adjacency);
    SelectError::TooFine { value, grid: grid.clone() }.into()
}

fn in_words(score: &Score) -> String {
    match score {
        Score::Distance => "distance".into(),
        Score::Statistic { grid } => format!("chi-square in steps of {}", decimal(grid, 9, Rounding::Nearest)),
        Score::Noise { grid } => format!("noisy chi-square in steps of {}", decimal(grid, 9, Rounding::Nearest)),
    }
}

/// A promise with its parameters, in the notation of papers.
fn promised(promise: &Promise) -> String {
    match promise {
        Promise::Gain(value) => format!("γ = {}", fraction(value)),
        Promise::Epsilon(value) => format!("ε = {}", fraction(value)),
        Promise::Odds(value) => format!("ε = ln({})", fraction(value)),
        other => other.to_string(),
    }
}

/// Prior beliefs as short text.
fn prior(priors: &PriorRange) -> String {
    let (low, high) = (fraction(priors.low()), fraction(priors.high()));
    match (priors.low().is_positive(), priors.high().is_one()) {
        (false, true) => "any".into(),
        (false, false) => format!("at most {high}"),
        (true, true) => format!("at least {low}"),
        (true, false) if low == high => low,
        (true, false) => format!("{low} to {high}"),
    }
}
