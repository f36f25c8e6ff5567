//! The probability that a selection finds the causes.

use super::error::{Error, OptionError};
use super::options::{Genotypes, PickBy, threads};
use deniable_core::adversary::PriorRange;
use deniable_core::exact::{Rational, ratio, whole};
use deniable_core::promise::Promise;
use deniable_genome::simulate::Settings;
use deniable_genome::{CohortAdjacency, ContingencyTable, Fill, Test};
use deniable_gwas::power::{Cohorts, Point, PowerQuery, PowerReport, Progress, Score};
use deniable_gwas::{Cohort, Cut, GwasError};
use deniable_report::power as picture;
use num_traits::Signed;
use std::num::NonZeroUsize;

/// The settings to compute: every combination of the lists.
#[derive(Debug, Clone, PartialEq)]
pub struct PowerOptions {
    /// The curator's own cohort; by default, cohorts are simulated.
    pub genotypes: Genotypes,
    /// The SNPs of the own cohort that should be found.
    pub causal: Vec<String>,
    /// The genotype that a missing call of the own cohort counts as.
    pub fill: Fill,
    /// The simulated cohorts, without their sizes.
    pub settings: Settings,
    /// The sizes of simulated cohorts: cases and controls together, half of each.
    pub participants: Vec<u32>,
    /// The number of simulated cohorts of each size.
    pub seeds: u64,
    /// Promises of gain; 2 by default, if `epsilon` is empty, too.
    pub gain: Vec<Rational>,
    /// Promises of plain differential privacy.
    pub epsilon: Vec<Rational>,
    /// Prior beliefs.
    pub prior: Vec<PriorRange>,
    /// The protected secrets.
    pub adjacency: Vec<CohortAdjacency>,
    /// The numbers of SNPs picked; by default, the number of SNPs to find.
    pub top: Vec<usize>,
    /// The scores by which SNPs are picked.
    pub score: Vec<PickBy>,
    /// Thresholds on χ², above 0.
    pub threshold: Vec<Rational>,
    /// P-values above 0, which are divided by the number of SNPs; 1/20 by default, if `threshold` is empty, too.
    pub p_value: Vec<Rational>,
    /// The association test.
    pub test: Test,
    /// The steps in which χ² gets its noise, above 0.
    pub grid: Rational,
    /// The target probability of finding all SNPs, for which numbers of participants are reported, above 0 and below 1.
    pub target: f64,
    /// The number of threads; all by default.
    pub threads: Option<NonZeroUsize>,
}

impl Default for PowerOptions {
    fn default() -> Self {
        Self {
            genotypes: Genotypes::default(),
            causal: Vec::new(),
            fill: Fill::default(),
            settings: Settings { snps: 1_000, causes: vec![1.5, 1.5], block: 1, ..Settings::default() },
            participants: vec![1_000, 2_000, 4_000, 8_000],
            seeds: 5,
            gain: Vec::new(),
            epsilon: Vec::new(),
            prior: vec![PriorRange::any(), PriorRange::uniform()],
            adjacency: CohortAdjacency::ALL.to_vec(),
            top: Vec::new(),
            score: vec![PickBy::Distance],
            threshold: Vec::new(),
            p_value: Vec::new(),
            test: Test::Allelic,
            grid: ratio(1, 100),
            target: 0.5,
            threads: None,
        }
    }
}

/// The progress of a computation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum PowerEvent {
    /// The number of SNPs read from the own cohort.
    Reading(u64),
    /// The steps of the computation.
    Computing(Progress),
}

/// Computes the probability that all SNPs are found. No ledger is charged. The result must not be published if the
/// cohort is the curator's own.
///
/// # Errors
/// When the options are invalid, or a file cannot be used.
pub fn power(options: &PowerOptions, tell: &mut dyn FnMut(PowerEvent)) -> Result<PowerReport, Error> {
    let target = options.target;
    if !(target > 0.0 && target < 1.0) {
        return Err(OptionError::Target(target.to_string()).into());
    }
    let query = options.query(tell)?;
    let measured = deniable_gwas::power::power(&query, threads(options.threads), &mut |progress| {
        tell(PowerEvent::Computing(progress));
    })?;
    Ok(measured.report(target))
}

impl PowerOptions {
    fn query(&self, tell: &mut dyn FnMut(PowerEvent)) -> Result<PowerQuery, Error> {
        let numbers = [("threshold", &self.threshold), ("p-value", &self.p_value)].into_iter();
        let numbers = numbers.flat_map(|(name, values)| values.iter().map(move |value| (name, value)));
        if let Some((name, value)) = numbers.chain([("grid", &self.grid)]).find(|(_, value)| !value.is_positive()) {
            return Err(OptionError::NotPositive { name, value: value.clone() }.into());
        }
        let two = [whole(2)];
        let gains = if self.gain.is_empty() && self.epsilon.is_empty() { &two[..] } else { &self.gain };
        let of_gain = |gain: &Rational| {
            let gain = gain.clone();
            self.prior.iter().map(move |range| (Promise::Gain(gain.clone()), range.clone()))
        };
        // Plain differential privacy is the same for all prior beliefs.
        let of_epsilon = |epsilon: &Rational| (Promise::Epsilon(epsilon.clone()), PriorRange::any());
        let mut thresholds: Vec<Cut> = self.threshold.iter().cloned().map(Cut::ChiSquare).collect();
        thresholds.extend(self.p_value.iter().cloned().map(Cut::PValue));
        if thresholds.is_empty() {
            thresholds.push(Cut::PValue(ratio(1, 20)));
        }
        let cohorts = self.cohorts(tell)?;
        let planted = match &cohorts {
            Cohorts::Simulated { settings, .. } => settings.causes.len(),
            Cohorts::Given { planted, .. } => planted.len(),
        };
        let score = |score: &PickBy| match score {
            PickBy::Distance => Score::Distance,
            PickBy::ChiSquare => Score::Statistic { grid: self.grid.clone() },
            PickBy::Noisy => Score::Noise { grid: self.grid.clone() },
        };
        Ok(PowerQuery {
            cohorts,
            promises: gains.iter().flat_map(of_gain).chain(self.epsilon.iter().map(of_epsilon)).collect(),
            picks: if self.top.is_empty() { vec![planted] } else { self.top.clone() },
            thresholds,
            test: self.test,
            adjacencies: self.adjacency.clone(),
            scores: self.score.iter().map(score).collect(),
        })
    }

    /// Whether the cohort is the curator's own.
    #[must_use]
    pub fn is_own_cohort(&self) -> bool {
        self.genotypes.bfile.is_some() || self.genotypes.vcf.is_some()
    }

    fn cohorts(&self, tell: &mut dyn FnMut(PowerEvent)) -> Result<Cohorts, Error> {
        if !self.is_own_cohort() {
            if !self.causal.is_empty() {
                return Err(OptionError::CausalWithoutCohort.into());
            }
            let sizes = self.participants.iter().map(|people| (people / 2, people - people / 2)).collect();
            return Ok(Cohorts::Simulated {
                settings: self.settings.clone(),
                sizes,
                seeds: (1..=self.seeds).collect(),
            });
        }
        if self.causal.is_empty() {
            return Err(OptionError::NoCausal.into());
        }
        let opened = self.genotypes.files()?.open().map_err(GwasError::from)?;
        let tell = std::cell::RefCell::new(tell);
        let reading = |snps| (tell.borrow_mut())(PowerEvent::Reading(snps));
        // Any key will do, because the fingerprint is discarded.
        let cohort =
            Cohort::read(&opened, self.fill, [0; 32], threads(self.threads), &reading).map_err(GwasError::from)?;
        let planted = cohort.places(&self.causal).map_err(OptionError::Causal)?;
        let named = |(place, table): (usize, &ContingencyTable)| Some((cohort.variant(place)?, *table));
        Ok(Cohorts::Given { tables: cohort.tables.iter().enumerate().filter_map(named).collect(), planted })
    }
}

/// Charts of the probability over sizes of cohorts, one for each adjacency: its name (`genotype`, `label-swap`) and the
/// SVG. For the curator's own cohort, the charts depend on private genotypes and must not be published.
#[must_use]
pub fn charts(report: &PowerReport) -> Vec<(String, String)> {
    if !report.power.simulated {
        return Vec::new();
    }
    #[expect(clippy::cast_precision_loss, reason = "numbers of participants are far below 2^53")]
    let point = |at: &Point| picture::Point {
        participants: at.participants as f64,
        found: at.found,
        low: at.found - at.within,
        high: at.found + at.within,
    };
    let drawn = report.power.curves().into_iter().map(|curves| {
        let (name, protects) = (curves.name().replace(' ', "-"), curves.protects().to_owned());
        let curves = curves.curves.into_iter().map(|curve| (curve.name, curve.points.iter().map(point).collect()));
        let power = picture::Power { protects, curves: curves.collect(), target: Some(report.target) };
        (name, picture::power(power))
    });
    drawn.collect()
}
