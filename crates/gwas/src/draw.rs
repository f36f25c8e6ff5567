//! Picks and noise: what is computed once a release is paid for, and how far it may be off.

use crate::answer::{Answer, SnpName, Values, shown, up};
use crate::error::GwasError;
use crate::release::{Event, Run};
use crate::request::{Part, Request, Score, Snps};
use deniable_core::exact::{Rational, whole};
use deniable_core::noise::{Decay, distance_margin, margin};
use deniable_genome::chi2::statistic;
use deniable_genome::noisy::{NoisyError, Sides, allele_counts, count_sensitivity, statistics};
use deniable_genome::select::{by_noise, by_score, by_statistic, decay, sensitivity_steps};
use deniable_genome::sensitivity::sensitivity;
use deniable_genome::{CohortAdjacency, ContingencyTable as Genotypes};
use deniable_publication::{Noise, NoiseKind};
use num_bigint::BigInt;
use rand_core::CryptoRng;

impl Run<'_> {
    /// The sensitivity of χ² (G-1).
    fn sensitivity(&self) -> Rational {
        let Some(table) = self.cohort.tables.first() else { return whole(0) };
        let [cases, controls] =
            [table.all_cases(), table.all_controls()].map(|people| u32::try_from(people).unwrap_or(u32::MAX));
        sensitivity(cases, controls, self.request.test, self.request.protects.adjacency())
    }

    /// How picks come about.
    fn pick_noise(&self, picks: usize, score: &Score) -> Result<Noise, GwasError> {
        let Request { grid, .. } = self.request;
        let (unit, steps, measure) = match score {
            Score::Distance(_) => (whole(1), BigInt::from(1), "each pick, by distance,"),
            Score::ChiSquare => (grid.clone(), sensitivity_steps(&self.sensitivity(), grid)?, "each pick, by χ²,"),
            Score::Noisy => {
                (grid.clone(), sensitivity_steps(&self.sensitivity(), grid)?, "χ² of every SNP, which is not shown,")
            }
        };
        let decay = decay(&self.payment.per_move, picks, &steps)?;
        let confidence = self.promised.confidence();
        let sensitivity = up(&(whole(steps) * &unit));
        let miss = (whole(1) - confidence) / whole(picks);
        let (kind, scale, reach) = match score {
            Score::Distance(_) | Score::ChiSquare => {
                (NoiseKind::Selection, None, distance_margin(&BigInt::from(self.cohort.tables.len()), &decay, &miss))
            }
            Score::Noisy => {
                (NoiseKind::Geometric, Some(up(&(decay.scale_bound() * &unit))), margin(&decay, confidence))
            }
        };
        let margin = up(&(whole(reach) * &unit));
        Ok(Noise { measure: measure.to_owned(), kind, sensitivity, scale, margin, decay: decay.ratio().to_string() })
    }

    /// The noise of a release.
    pub(crate) fn noise(&self, part: Part) -> Result<Noise, GwasError> {
        match (part, &self.request.snps) {
            (Part::Picks, Snps::Top { picks, score }) => self.pick_noise(*picks, score),
            _ => self.value_noise(part),
        }
    }

    /// Computes an answer, in the form that is stored.
    pub(crate) fn computed<R: CryptoRng>(
        &mut self,
        part: Part,
        places: &[usize],
        rng: &mut R,
    ) -> Result<serde_json::Value, GwasError> {
        let (places, values, threshold) = match (part, &self.request.snps) {
            (Part::Picks, Snps::Top { picks, score }) => {
                let (places, threshold) = self.picked(*picks, score, rng)?;
                (places, vec![], threshold)
            }
            _ => (places.to_vec(), self.values(part, places, rng)?, None),
        };
        let broken = || GwasError::Unwritable(self.request.name(part, self.snps()));
        let cohort = &self.cohort;
        let first = cohort.tables.first();
        let snp = |place: &usize| {
            let variant = cohort.variant(*place).ok_or_else(broken)?;
            Ok(SnpName::new(*place, variant))
        };
        let mut answer = Answer {
            cases: first.map_or(0, Genotypes::all_cases),
            controls: first.map_or(0, Genotypes::all_controls),
            of: cohort.tables.len() as u64,
            snps: places.iter().map(snp).collect::<Result<_, GwasError>>()?,
            values,
            noise: self.noise(part)?,
            confidence: shown(self.promised.confidence()),
            threshold,
            published: None,
        };
        let table = answer.table(self.request, part, &self.payment);
        answer.published = self.remembered(table, self.request.protects.secret());
        serde_json::to_value(&answer).map_err(|_| broken())
    }

    /// The noisy numbers of the SNPs at these places.
    fn values<R: CryptoRng>(&self, part: Part, places: &[usize], rng: &mut R) -> Result<Vec<Values>, GwasError> {
        let Request { test, grid, .. } = self.request;
        let tables: Vec<Genotypes> =
            places.iter().filter_map(|place| self.cohort.tables.get(*place).copied()).collect();
        let first = tables.first().ok_or(NoisyError::Nothing)?;
        let (odds, confidence) = (&self.payment.per_move, self.promised.confidence());
        if part == Part::Counts {
            let (adjacency, sides) = self.sides();
            let noisy = allele_counts(&tables, adjacency, sides, odds, confidence, rng)?;
            return Ok(noisy.iter().map(Values::from).collect());
        }
        let people = first.all_cases() + first.all_controls();
        let values: Vec<Rational> = tables.iter().map(|table| statistic(table, *test)).collect();
        let noisy = statistics(&values, *test, people, &self.sensitivity(), grid, odds, confidence, rng)?;
        Ok(noisy.iter().map(Values::from).collect())
    }

    /// The places of the picks, and the threshold where there is one.
    fn picked<R: CryptoRng>(
        &mut self,
        picks: usize,
        score: &Score,
        rng: &mut R,
    ) -> Result<(Vec<usize>, Option<String>), GwasError> {
        let Request { test, protects, grid, .. } = self.request;
        if let Score::Distance(cut) = score {
            let threshold = cut.threshold(*test, self.cohort.tables.len())?;
            let scores = match self.scores.take() {
                Some(scores) => scores,
                None => self.scored(&threshold)?,
            };
            (self.means.tell)(Event::Picking);
            let picked = by_score(&scores, protects.adjacency(), picks, &self.payment.per_move, rng)?;
            return Ok((picked, Some(threshold.value().to_string())));
        }
        let values: Vec<Rational> = self.cohort.tables.iter().map(|table| statistic(table, *test)).collect();
        (self.means.tell)(Event::Picking);
        let pick = if *score == Score::Noisy { by_noise::<R> } else { by_statistic::<R> };
        Ok((pick(&values, &self.sensitivity(), grid, picks, &self.payment.per_move, rng)?, None))
    }

    /// The noise of the numbers of all SNPs.
    fn value_noise(&self, part: Part) -> Result<Noise, GwasError> {
        let (grid, snps) = (&self.request.grid, self.snps());
        if part == Part::Statistics {
            let steps = sensitivity_steps(&self.sensitivity(), grid)? * snps;
            return self.geometric("χ²", &steps, grid);
        }
        let (adjacency, sides) = self.sides();
        self.geometric("the number of copies of A1", &count_sensitivity(adjacency, sides, snps), &whole(1))
    }

    /// Whose alleles are counted. Under label swap the counts of cases and controls together are public, so that those of the
    /// cases alone tell as much with half the noise.
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
            sensitivity: up(&(whole(steps.clone()) * unit)),
            scale: Some(up(&(decay.scale_bound() * unit))),
            margin: up(&(whole(margin(&decay, self.promised.confidence())) * unit)),
            decay: decay.ratio().to_string(),
        })
    }
}
