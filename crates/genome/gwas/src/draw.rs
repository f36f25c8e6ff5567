//! Picks and noise: computed once a release is charged; and their margins.

use crate::answer::{Answer, Sizes, SnpName, Values};
use crate::error::GwasError;
use crate::release::{Event, Run};
use crate::request::{Part, Query, Score, Snps};
use deniable_core::exact::{Rational, whole};
use deniable_core::noise::{Decay, distance_margin, margin};
use deniable_genome::chi2::statistic;
use deniable_genome::noisy::{Sides, alleles, count_sensitivity, draw_alleles, draw_statistics, of_statistics};
use deniable_genome::select::{by_noise, by_score, by_statistic, decay, sensitivity_steps};
use deniable_genome::sensitivity::sensitivity;
use deniable_genome::{CohortAdjacency, ContingencyTable as Genotypes, Threshold};
use deniable_publication::{Noise, NoiseKind, UpperBound};
use num_bigint::BigInt;
use rand_core::CryptoRng;

/// The exact values of a release.
pub(crate) enum Exact {
    Scores(Vec<Option<i64>>),
    /// χ²: of all SNPs for picks, otherwise of the requested SNPs.
    Statistics(Vec<Rational>),
    /// The tables of the requested SNPs.
    Tables(Vec<Genotypes>),
}

impl Run<'_> {
    /// The sensitivity of χ² (G-1).
    fn sensitivity(&self, sizes: Sizes) -> Rational {
        let [cases, controls] = [sizes.cases, sizes.controls].map(|people| u32::try_from(people).unwrap_or(u32::MAX));
        sensitivity(cases, controls, self.request.test, self.request.protects.adjacency())
    }

    fn pick_noise(&self, picks: usize, score: &Score, sizes: Sizes) -> Result<Noise, GwasError> {
        let Query { grid, .. } = self.request;
        let (unit, steps, measure) = match score {
            Score::Distance(_) => (whole(1), BigInt::from(1), "each pick, by distance,"),
            Score::ChiSquare => (grid.clone(), sensitivity_steps(&self.sensitivity(sizes), grid)?, "each pick, by χ²,"),
            Score::Noisy => (
                grid.clone(),
                sensitivity_steps(&self.sensitivity(sizes), grid)?,
                "χ² of every SNP, which is not shown,",
            ),
        };
        let decay = decay(&self.payment.per_move, picks, &steps)?;
        let confidence = self.promised.confidence();
        let sensitivity = UpperBound::new(&(whole(steps) * &unit));
        let miss = (whole(1) - confidence) / whole(picks);
        let (kind, scale, reach) = match score {
            Score::Distance(_) | Score::ChiSquare => {
                (NoiseKind::Selection, None, distance_margin(&BigInt::from(sizes.snps), &decay, &miss))
            }
            Score::Noisy => (
                NoiseKind::Geometric,
                Some(UpperBound::new(&(decay.scale_bound() * &unit))),
                margin(&decay, confidence),
            ),
        };
        let margin = UpperBound::new(&(whole(reach) * &unit));
        Ok(Noise { measure: measure.to_owned(), kind, sensitivity, scale, margin, decay: decay.ratio().clone() })
    }

    /// The noise of a release.
    pub(crate) fn noise(&self, part: Part, sizes: Sizes) -> Result<Noise, GwasError> {
        match (part, &self.request.snps) {
            (Part::Picks, Snps::Top { picks, score }) => self.pick_noise(*picks, score, sizes),
            _ => self.value_noise(part, sizes),
        }
    }

    /// Computes the exact values of a release, without random bits.
    pub(crate) fn exact(&mut self, part: Part, places: &[usize]) -> Result<Exact, GwasError> {
        let test = self.request.test;
        let tables = &self.cohort.tables;
        if places.iter().any(|place| self.cohort.variant(*place).is_none()) {
            return Err(GwasError::Unwritable(self.request.name(part, self.snps())));
        }
        let values =
            |tables: &mut dyn Iterator<Item = &Genotypes>| tables.map(|table| statistic(table, test)).collect();
        match (part, &self.request.snps) {
            (Part::Picks, Snps::Top { score: Score::Distance(cut), .. }) => {
                let threshold = cut.threshold(test, tables.len())?;
                let scores = match self.scores.take() {
                    Some(scores) => scores,
                    None => self.scored(&threshold)?,
                };
                (self.means.tell)(Event::Picking);
                Ok(Exact::Scores(scores))
            }
            (Part::Picks, _) => {
                (self.means.tell)(Event::Picking);
                Ok(Exact::Statistics(values(&mut tables.iter())))
            }
            (Part::Statistics, _) => {
                Ok(Exact::Statistics(values(&mut places.iter().filter_map(|place| tables.get(*place)))))
            }
            (Part::Counts, _) => {
                Ok(Exact::Tables(places.iter().filter_map(|place| tables.get(*place).copied()).collect()))
            }
        }
    }

    /// The number of values drawn for a release.
    pub(crate) fn count(&self, part: Part) -> usize {
        match (part, self.sides().1) {
            (Part::Counts, Sides::Both) => 2 * self.snps(),
            _ => self.snps(),
        }
    }

    /// Draws the numbers of a release: the indices of picks, steps of the grid, or copies of A1.
    pub(crate) fn drawn<R: CryptoRng>(&self, part: Part, exact: &Exact, rng: &mut R) -> Result<Vec<i128>, GwasError> {
        let Query { protects, grid, snps, .. } = self.request;
        let odds = &self.payment.per_move;
        let places = |picked: Vec<usize>| picked.into_iter().map(|place| place as i128).collect();
        match (exact, snps) {
            (Exact::Scores(scores), _) => Ok(places(by_score(scores, protects.adjacency(), self.snps(), odds, rng)?)),
            (Exact::Statistics(values), Snps::Top { picks, score }) if part == Part::Picks => {
                let pick = if *score == Score::Noisy { by_noise::<R> } else { by_statistic::<R> };
                Ok(places(pick(values, &self.sensitivity(self.cohort.sizes()), grid, *picks, odds, rng)?))
            }
            (Exact::Statistics(values), _) => {
                Ok(draw_statistics(values, &self.sensitivity(self.cohort.sizes()), grid, odds, rng)?)
            }
            (Exact::Tables(tables), _) => {
                let (adjacency, sides) = self.sides();
                Ok(draw_alleles(tables, adjacency, sides, odds, rng)?)
            }
        }
    }

    /// The SNPs of a release, with the names of the files.
    pub(crate) fn snp_names(&self, part: Part, places: &[usize], numbers: &[i128]) -> Result<Vec<SnpName>, GwasError> {
        let broken = || GwasError::Unwritable(self.request.name(part, self.snps()));
        let places = match part {
            Part::Picks => {
                let place = |number: &i128| usize::try_from(*number).map_err(|_| broken());
                numbers.iter().map(place).collect::<Result<Vec<_>, _>>()?
            }
            Part::Statistics | Part::Counts => places.to_vec(),
        };
        let snp = |place: &usize| Ok(SnpName::new(*place, self.cohort.variant(*place).ok_or_else(broken)?));
        places.iter().map(snp).collect()
    }

    /// The threshold on χ² of a release, if any.
    pub(crate) fn threshold(&self, part: Part) -> Result<Option<Threshold>, GwasError> {
        match &self.request.snps {
            Snps::Top { score: Score::Distance(cut), .. } if part == Part::Picks => {
                Ok(Some(cut.threshold(self.request.test, self.cohort.tables.len())?))
            }
            _ => Ok(None),
        }
    }

    /// The answer with these numbers, for a cohort of this size.
    pub(crate) fn answer_of(
        &self,
        part: Part,
        numbers: &[i128],
        sizes: Sizes,
        snps: Vec<SnpName>,
        threshold: Option<Threshold>,
    ) -> Result<Answer, GwasError> {
        let values = if part == Part::Picks { Vec::new() } else { self.values(part, numbers, sizes)? };
        Ok(Answer { sizes, snps, values, noise: self.noise(part, sizes)?, threshold })
    }

    /// The values of the SNPs of a release.
    fn values(&self, part: Part, numbers: &[i128], sizes: Sizes) -> Result<Vec<Values>, GwasError> {
        let Query { test, grid, .. } = self.request;
        let Sizes { cases, controls, .. } = sizes;
        let (odds, confidence) = (&self.payment.per_move, self.promised.confidence());
        if part == Part::Counts {
            let (adjacency, sides) = self.sides();
            let noisy = alleles(numbers, (cases, controls), adjacency, sides, odds, confidence)?;
            return Ok(noisy.into_iter().map(Values::from).collect());
        }
        let sensitivity = self.sensitivity(sizes);
        let noisy = of_statistics(numbers, *test, cases + controls, &sensitivity, grid, odds, confidence)?;
        Ok(noisy.into_iter().map(Values::from).collect())
    }

    /// The noise of the values of all SNPs.
    fn value_noise(&self, part: Part, sizes: Sizes) -> Result<Noise, GwasError> {
        let (grid, snps) = (&self.request.grid, self.snps());
        if part == Part::Statistics {
            let steps = sensitivity_steps(&self.sensitivity(sizes), grid)? * snps;
            return self.geometric("χ²", &steps, grid);
        }
        let (adjacency, sides) = self.sides();
        self.geometric("the number of copies of A1", &count_sensitivity(adjacency, sides, snps), &whole(1))
    }

    /// The groups whose alleles are counted. Under label swap the total counts of cases and controls are public, so the
    /// counts of the cases alone have the same information with half the noise.
    fn sides(&self) -> (CohortAdjacency, Sides) {
        match self.request.protects.adjacency() {
            CohortAdjacency::Genotype => (CohortAdjacency::Genotype, Sides::Both),
            CohortAdjacency::LabelSwap => (CohortAdjacency::LabelSwap, Sides::Cases),
        }
    }

    fn geometric(&self, measure: &str, steps: &BigInt, unit: &Rational) -> Result<Noise, GwasError> {
        let decay = Decay::hiding(&self.payment.per_move, steps)?;
        Ok(Noise {
            measure: measure.to_owned(),
            kind: NoiseKind::Geometric,
            sensitivity: UpperBound::new(&(whole(steps.clone()) * unit)),
            scale: Some(UpperBound::new(&(decay.scale_bound() * unit))),
            margin: UpperBound::new(&(whole(margin(&decay, self.promised.confidence())) * unit)),
            decay: decay.ratio().clone(),
        })
    }
}
