//! Releases of association results.

use crate::call::{Call, NEW_LEDGER};
use crate::failure::{raised, usage};
use crate::number::Number;
use deniable::Promise;
use deniable::Surface;
use deniable::exact::whole;
use deniable::gwas::{
    Declaration, Error, Event, Genotypes, ReleaseOptions, fill, pick_by, priors, protects, release, test,
};
use pyo3::prelude::*;
use std::num::NonZeroUsize;
use std::path::PathBuf;

/// The keyword arguments of Python's `gwas`.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Arguments {
    bfile: Option<PathBuf>,
    vcf: Option<PathBuf>,
    pheno: Option<PathBuf>,
    pheno_name: Option<String>,
    adjacency: String,
    promise: Vec<(String, Number)>,
    policy: Option<PathBuf>,
    prior: Option<String>,
    population: Option<String>,
    ledger: Option<PathBuf>,
    version: String,
    spend: Option<Number>,
    register: bool,
    other_people: bool,
    top: Option<NonZeroUsize>,
    score: String,
    threshold: Option<Number>,
    p_value: Option<Number>,
    snps: Vec<String>,
    statistics: bool,
    counts: bool,
    test: String,
    fill: Option<String>,
    threads: Option<NonZeroUsize>,
}

impl Arguments {
    fn options(self, py: Python<'_>) -> PyResult<ReleaseOptions> {
        let wrong = |error: Error| raised(py, &error);
        let promise = |(name, Number(value)): (String, Number)| match name.as_str() {
            "gain" => Ok(Promise::Gain(value)),
            "negative_gain" => Ok(Promise::NegativeGain(value)),
            "posterior_at_most" => Ok(Promise::PosteriorAtMost(value)),
            "posterior_at_least" => Ok(Promise::PosteriorAtLeast(value)),
            "epsilon" => Ok(Promise::Epsilon(value)),
            _ => Err(usage(
                py,
                format!("promise: `{name}` is not a promise"),
                "name gain, negative_gain, posterior_at_most, posterior_at_least or epsilon",
            )),
        };
        let Self { bfile, vcf, pheno, pheno_name, .. } = self;
        let Self { version, policy, population, ledger, other_people, .. } = self;
        let default = ReleaseOptions::default();
        Ok(ReleaseOptions {
            genotypes: Genotypes { bfile, vcf, pheno, pheno_name, mpheno: None },
            declared: Declaration { version, policy, population, ledger, other_people },
            promise: self.promise.into_iter().map(promise).collect::<PyResult<_>>()?,
            prior: self.prior.as_deref().map(priors).transpose().map_err(wrong)?,
            adjacency: Some(protects(&self.adjacency).map_err(wrong)?),
            spend: self.spend.map_or_else(|| whole(1), |number| number.0),
            register: self.register,
            top: self.top,
            score: pick_by(&self.score).map_err(wrong)?,
            threshold: self.threshold.map(|number| number.0),
            p_value: self.p_value.map(|number| number.0),
            snps: self.snps,
            statistics: self.statistics,
            counts: self.counts,
            test: test(&self.test).map_err(wrong)?,
            fill: self.fill.as_deref().map(fill).transpose().map_err(wrong)?.unwrap_or_default(),
            threads: self.threads,
            ..default
        })
    }
}

/// Releases association results: the publication as JSON.
#[pyfunction]
pub fn gwas(py: Python<'_>, options: Arguments) -> PyResult<Call> {
    let options = options.options(py)?;
    Call::begin(move |telling| {
        let mut tell = |event: Event<'_>| {
            let kind = if matches!(event, Event::NewLedger(_)) { NEW_LEDGER } else { "told" };
            if let Some(message) = event.message(Surface::Python) {
                telling.keep(kind, message);
            }
        };
        let report = release(&options, &mut tell)?;
        let json = deniable::json(&report);
        match report.unanswered.into_iter().next() {
            Some(error) => Err(Error::from(error)),
            None => Ok(vec![json]),
        }
    })
}
