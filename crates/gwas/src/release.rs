//! Read, charge, pick or add noise, store, show. In this order, always.

use crate::answer::{Answer, SnpName, Values, shown, up};
use crate::cohort::{Cohort, Files, NameError};
use crate::payment::{Payment, PaymentError, payment};
use crate::promised::Promised;
use crate::request::{Part, Request, Score, Snps};
use crate::scores::scores;
use deniable_core::budget::{Spend, SpendError};
use deniable_core::exact::{Rational, Rounding, decimal, whole};
use deniable_core::noise::{Decay, DecayError, distance_margin, margin};
use deniable_genome::chi2::{ThresholdError, statistic};
use deniable_genome::distance::TooManyPeople;
use deniable_genome::noisy::{NoisyError, Sides, allele_counts, count_sensitivity, statistics};
use deniable_genome::select::{SelectError, by_noise, by_score, by_statistic, decay, sensitivity_steps};
use deniable_genome::sensitivity::sensitivity;
use deniable_genome::{Adjacency, FileError, Log, Table as Genotypes};
use deniable_ledger::{
    Account, AccountError, AnswerError, Ask, Charge, ChargeError, ChargeRequest, Ledger, Registered, VersionError,
};
use deniable_publication::remembered::Remembered;
use deniable_publication::{DataVersion, Noise, NoiseKind, Publication, Table};
use num_bigint::BigInt;
use rand_core::CryptoRng;
use std::num::NonZeroUsize;

/// What fingerprints of files are keyed for.
const FINGERPRINT: &str = "deniable 2026-11 fingerprint of genotypes";
/// What identities of releases are hashed for.
const IDENTITY: &str = "deniable 2026-11 identity of an association release";

/// A release that did not come about. For the curator: some of these depend on private files.
#[derive(Debug, thiserror::Error)]
pub enum GwasError {
    /// The files cannot be used.
    #[error(transparent)]
    File(#[from] FileError),
    /// The files are not those of the version.
    #[error(transparent)]
    Version(#[from] VersionError),
    /// No account may pay.
    #[error(transparent)]
    Payment(#[from] PaymentError),
    /// The account does not admit this promise.
    #[error(transparent)]
    Account(#[from] AccountError),
    /// The releases of this run do not fit into what is left.
    #[error(
        "this costs {account} an odds ratio of {cost} in all, and {spent} of {limit} is spent; nothing was charged"
    )]
    OverBudget {
        /// Whose.
        account: String,
        /// What all new releases cost.
        cost: Spend,
        /// What is spent.
        spent: Spend,
        /// The limit.
        limit: Spend,
    },
    /// The budget does not allow a charge, or it could not be written.
    #[error("{release}: {error}")]
    Charge {
        /// Which release.
        release: String,
        /// Why.
        error: ChargeError,
    },
    /// The answer could not be stored, so it is not shown.
    #[error("{release} is paid for; its answer could not be stored and is not shown: {error}")]
    Answer {
        /// Which release.
        release: String,
        /// Why.
        error: AnswerError,
    },
    /// A stored answer is none.
    #[error("the stored answer of {release} cannot be read: {reason}")]
    Stored {
        /// Which release.
        release: String,
        /// What is wrong.
        reason: String,
    },
    /// A name that leads to no SNP.
    #[error(transparent)]
    Name(#[from] NameError),
    /// More SNPs than there are.
    #[error("{wanted} SNPs are asked for, and there are {of}")]
    TooMany {
        /// How many are asked for.
        wanted: usize,
        /// How many there are.
        of: usize,
    },
    /// No threshold.
    #[error(transparent)]
    Threshold(#[from] ThresholdError),
    /// Too large a cohort.
    #[error(transparent)]
    People(#[from] TooManyPeople),
    /// SNPs cannot be picked so.
    #[error(transparent)]
    Select(#[from] SelectError),
    /// Numbers cannot be released so.
    #[error(transparent)]
    Noisy(#[from] NoisyError),
    /// No sensible noise.
    #[error(transparent)]
    Decay(#[from] DecayError),
    /// Amounts of odds.
    #[error(transparent)]
    Spend(#[from] SpendError),
}

/// Where an answer came from. For the curator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// Charged and computed now.
    Charged,
    /// Computed now; an earlier run had charged it and was cut off.
    Resumed,
    /// Stored by an earlier run: free.
    Stored,
}

/// What a release tells while it runs. For the curator: it depends on private files.
#[derive(Debug)]
pub enum Event<'a> {
    /// So many SNPs were read.
    Reading(u64),
    /// All was read; what was left out.
    Read(&'a Log),
    /// The version of the files was registered.
    Registered,
    /// Distances, or other scores, of so many SNPs are computed.
    Scoring(usize),
    /// They are computed; picks are drawn.
    Picking,
    /// A release is computed, and about to be stored.
    Storing,
    /// A release has its answer.
    Answered(&'a str, Origin),
}

/// What a release works with.
#[derive(Clone, Copy)]
pub struct Means<'a> {
    /// The files.
    pub files: &'a Files,
    /// Threads.
    pub threads: NonZeroUsize,
    /// What it tells the curator.
    pub tell: &'a dyn Fn(Event<'_>),
}

/// Makes every release of a request, in order, and gives what may be published.
///
/// Stored answers cost nothing and need no files. Everything that can be refused is refused before the first charge.
///
/// # Errors
/// When the files, the ledger or the promise do not allow it; the error says what was charged.
pub fn release<R: CryptoRng>(
    means: &Means<'_>,
    promised: &Promised,
    request: &Request,
    ledger: &mut Ledger,
    rng: &mut R,
) -> Result<Publication, GwasError> {
    let summary = ledger.summary();
    let payment = payment(&summary.accounts, promised, request.protects, &request.each())?;
    for (account, _) in payment.charges() {
        // An account that is there must agree before anything is read; a new one is opened with the first charge.
        if summary.accounts.iter().any(|known| known.id.same_place(account)) {
            ledger.open_account(account, &promised.terms())?;
        }
    }
    let mut run = Run { means, promised, request, payment, cohort: None };
    run.check_together(&summary.accounts)?;
    let mut names = match &request.snps {
        Snps::Named(names) => names.clone(),
        Snps::Top { .. } => vec![],
    };
    let mut tables = Vec::new();
    for part in request.parts() {
        let answer = run.answer(part, &names, ledger, rng)?;
        if part == Part::Picks {
            names = answer.snps.iter().map(|snp| snp.snp.clone()).collect();
        }
        tables.push(answer.table(request, part, &run.payment.cost));
    }
    Ok(Publication {
        policy: promised.asker.clone(),
        population: promised.population.clone(),
        data: DataVersion { table: request.source.clone(), version: request.version.clone() },
        confidence: shown(&promised.confidence),
        asks: tables,
        guarantee: promised.guarantee(request.protects),
    })
}

/// One run over a request.
pub(crate) struct Run<'a> {
    pub means: &'a Means<'a>,
    pub promised: &'a Promised,
    pub request: &'a Request,
    pub payment: Payment,
    /// Read when it is first needed.
    pub cohort: Option<Cohort>,
}

impl Run<'_> {
    /// A release as the ledger remembers it. Its identity covers everything that decides what is released: the request's
    /// words, the files' version, the adjacency and the odds of one move.
    fn ask(&self, part: Part, names: &[String]) -> Ask {
        let Request { source, version, .. } = self.request;
        let words = self.request.words(part, names);
        let mut hasher = blake3::Hasher::new_derive_key(IDENTITY);
        let mut add = |text: &str| {
            hasher.update(&(text.len() as u64).to_le_bytes()).update(text.as_bytes());
        };
        let odds = self.payment.per_move.to_string();
        for text in [&words, source, version, &odds, self.request.protects.name()] {
            add(text);
        }
        let snps = match &self.request.snps {
            Snps::Top { picks, .. } => *picks,
            Snps::Named(names) => names.len(),
        };
        Ask {
            name: self.request.name(part, snps),
            sql: words,
            identity: hasher.finalize().to_hex().to_string(),
            source: source.clone(),
            version: version.clone(),
        }
    }

    /// Refuses before the first charge when the releases that must be paid for do not fit together.
    pub(crate) fn check_together(&self, accounts: &[Account]) -> Result<(), GwasError> {
        for (id, cost) in self.payment.charges() {
            let Some(account) = accounts.iter().find(|known| known.id == *id) else { continue };
            let mut names = match &self.request.snps {
                Snps::Named(names) => Some(names.clone()),
                Snps::Top { .. } => None,
            };
            let mut all = Spend::nothing();
            for part in self.request.parts() {
                // Picks that are not known yet lead to releases that are not paid for yet.
                let known = names.as_ref().map(|names| self.ask(part, names));
                let known = if part == Part::Picks { Some(self.ask(part, &[])) } else { known };
                match known.and_then(|ask| account.release(&ask.identity)) {
                    Some(paid) if part == Part::Picks => {
                        let answer =
                            paid.answer.as_ref().and_then(|answer| serde_json::from_value(answer.clone()).ok());
                        names = answer.map(|answer: Answer| answer.snps.into_iter().map(|snp| snp.snp).collect());
                    }
                    Some(_) => {}
                    None => all = all.and(cost),
                }
            }
            if !account.spent.and(&all).fits(&account.terms.limit)? {
                return Err(GwasError::OverBudget {
                    account: account.id.to_string(),
                    cost: all,
                    spent: account.spent.clone(),
                    limit: account.terms.limit.clone(),
                });
            }
        }
        Ok(())
    }

    fn read_answer(&self, part: Part, json: serde_json::Value, name: &str) -> Result<Answer, GwasError> {
        let broken = |reason: String| GwasError::Stored { release: name.to_owned(), reason };
        let answer: Answer = serde_json::from_value(json).map_err(|error| broken(error.to_string()))?;
        if answer.fits(self.request, part) { Ok(answer) } else { Err(broken("it has another shape".to_owned())) }
    }

    /// One release: the stored answer, or a new one.
    fn answer<R: CryptoRng>(
        &mut self,
        part: Part,
        names: &[String],
        ledger: &mut Ledger,
        rng: &mut R,
    ) -> Result<Answer, GwasError> {
        let ask = self.ask(part, names);
        let name = ask.name.clone();
        let summary = ledger.summary();
        let account = summary.accounts.iter().find(|known| known.id == self.payment.account);
        let stored = account.and_then(|account| account.release(&ask.identity)).and_then(|known| known.answer.clone());
        if stored.is_none() {
            self.read(ledger)?;
            self.refuse_early(part, names)?;
        }
        let (charges, origin) = self.charge(&ask, ledger)?;
        let answered = charges.iter().find_map(|charge| match charge {
            Charge::Answered { answer, .. } => Some(answer.clone()),
            Charge::New { .. } | Charge::Resumed { .. } => None,
        });
        let json = match answered {
            Some(json) => json,
            None => {
                let json = self.computed(part, names, rng)?;
                (self.means.tell)(Event::Storing);
                json
            }
        };
        let mut kept = json;
        for charge in &charges {
            if !matches!(charge, Charge::Answered { .. }) {
                // What is shown is what is stored, even when another process was faster.
                kept = ledger
                    .store_answer(charge.seq(), &kept)
                    .map_err(|error| GwasError::Answer { release: name.clone(), error })?;
            }
        }
        (self.means.tell)(Event::Answered(&name, origin));
        self.read_answer(part, kept, &name)
    }

    /// Charges every account that is touched.
    fn charge(&self, ask: &Ask, ledger: &mut Ledger) -> Result<(Vec<Charge>, Origin), GwasError> {
        let mut charges = Vec::new();
        let mut origin = Origin::Stored;
        for (account, cost) in self.payment.charges() {
            ledger.open_account(account, &self.promised.terms())?;
            let request = ChargeRequest {
                account: account.clone(),
                policy: self.promised.asker.clone(),
                policy_limit: self.promised.limit.clone(),
                ask: ask.clone(),
                cost: cost.clone(),
            };
            let charge =
                ledger.charge(&request).map_err(|error| GwasError::Charge { release: ask.name.clone(), error })?;
            origin = match (&charge, origin) {
                (Charge::New { .. }, _) | (_, Origin::Charged) => Origin::Charged,
                (Charge::Resumed { .. }, _) | (_, Origin::Resumed) => Origin::Resumed,
                (Charge::Answered { .. }, Origin::Stored) => Origin::Stored,
            };
            charges.push(charge);
        }
        Ok((charges, origin))
    }

    /// Reads the files unless they were read, and makes sure that they are the declared version.
    fn read(&mut self, ledger: &mut Ledger) -> Result<(), GwasError> {
        if self.cohort.is_some() {
            return Ok(());
        }
        let Means { files, threads, tell } = *self.means;
        let key = ledger.key().derive(FINGERPRINT);
        let cohort = Cohort::read(files, self.request.fill, key, threads, &|snps| tell(Event::Reading(snps)))?;
        tell(Event::Read(&cohort.log));
        let Request { source, version, .. } = self.request;
        if ledger.register_version(source, version, &cohort.fingerprint)? == Registered::New {
            tell(Event::Registered);
        }
        self.cohort = Some(cohort);
        Ok(())
    }

    /// What can be refused by what is public, before it is charged.
    pub(crate) fn refuse_early(&self, part: Part, names: &[String]) -> Result<(), GwasError> {
        let Some(cohort) = &self.cohort else { return Ok(()) };
        let of = cohort.tables.len();
        match &self.request.snps {
            Snps::Top { picks, .. } if *picks > of => return Err(GwasError::TooMany { wanted: *picks, of }),
            Snps::Top { picks, score } if part == Part::Picks => {
                if let Score::Distance(cut) = score {
                    cut.threshold(self.request.test, of)?;
                }
                self.pick_noise(cohort, *picks, score)?;
            }
            Snps::Named(_) => drop(cohort.places(names)?),
            Snps::Top { .. } => {}
        }
        Ok(())
    }

    /// The sensitivity of χ² (G-1).
    fn sensitivity(&self, table: &Genotypes) -> Rational {
        let [cases, controls] =
            [table.all_cases(), table.all_controls()].map(|people| u32::try_from(people).unwrap_or(u32::MAX));
        sensitivity(cases, controls, self.request.test, self.request.protects.adjacency())
    }

    /// How picks come about.
    pub(crate) fn pick_noise(&self, cohort: &Cohort, picks: usize, score: &Score) -> Result<Noise, GwasError> {
        let Request { grid, .. } = self.request;
        let sensitivity = cohort.tables.first().map_or_else(|| whole(0), |table| self.sensitivity(table));
        let (unit, steps, measure) = match score {
            Score::Distance(_) => (whole(1), BigInt::from(1), "each pick, by distance,"),
            Score::ChiSquare => (grid.clone(), sensitivity_steps(&sensitivity, grid)?, "each pick, by χ²,"),
            Score::Noisy => {
                (grid.clone(), sensitivity_steps(&sensitivity, grid)?, "χ² of every SNP, which is not shown,")
            }
        };
        let decay = decay(&self.payment.per_move, picks, &steps)?;
        let confidence = &self.promised.confidence;
        let sensitivity = up(&(whole(steps) * &unit));
        let miss = (whole(1) - confidence) / whole(picks);
        let (kind, scale, reach) = match score {
            Score::Distance(_) | Score::ChiSquare => {
                (NoiseKind::Selection, None, distance_margin(&BigInt::from(cohort.tables.len()), &decay, &miss))
            }
            Score::Noisy => {
                (NoiseKind::Geometric, Some(up(&(decay.scale_bound() * &unit))), margin(&decay, confidence))
            }
        };
        let margin = up(&(whole(reach) * &unit));
        Ok(Noise { measure: measure.to_owned(), kind, sensitivity, scale, margin, decay: decay.ratio().to_string() })
    }

    /// Computes an answer, in the form that is stored.
    fn computed<R: CryptoRng>(
        &self,
        part: Part,
        names: &[String],
        rng: &mut R,
    ) -> Result<serde_json::Value, GwasError> {
        let name = || self.request.name(part, names.len());
        let broken = |reason: &str| GwasError::Stored { release: name(), reason: reason.to_owned() };
        let cohort = self.cohort.as_ref().ok_or_else(|| broken("nothing was read"))?;
        let (places, values, noise, threshold) = match (part, &self.request.snps) {
            (Part::Picks, Snps::Top { picks, score }) => {
                let (places, threshold) = self.picked(cohort, *picks, score, rng)?;
                (places, vec![], self.pick_noise(cohort, *picks, score)?, threshold)
            }
            _ => {
                let places = cohort.places(names)?;
                let tables: Vec<Genotypes> =
                    places.iter().filter_map(|place| cohort.tables.get(*place).copied()).collect();
                let (values, noise) =
                    if part == Part::Counts { self.counts(&tables, rng)? } else { self.statistics(&tables, rng)? };
                (places, values, noise, None)
            }
        };
        let first = cohort.tables.first();
        let snp = |place: &usize| cohort.variant(*place).map(SnpName::from).ok_or_else(|| broken("a SNP has no name"));
        let mut answer = Answer {
            cases: first.map_or(0, Genotypes::all_cases),
            controls: first.map_or(0, Genotypes::all_controls),
            of: cohort.tables.len() as u64,
            snps: places.iter().map(snp).collect::<Result<_, _>>()?,
            values,
            noise,
            confidence: shown(&self.promised.confidence),
            threshold,
            published: None,
        };
        let table = answer.table(self.request, part, &self.payment.cost);
        answer.published = self.remembered(table);
        serde_json::to_value(&answer).map_err(|error| broken(&error.to_string()))
    }

    /// What a report from the ledger alone will show.
    fn remembered(&self, table: Table) -> Option<serde_json::Value> {
        let remembered = Remembered {
            confidence: shown(&self.promised.confidence),
            table,
            guarantee: self.promised.guarantee(self.request.protects),
        };
        remembered.as_field()
    }

    /// The places of the picks, and the threshold where there is one.
    fn picked<R: CryptoRng>(
        &self,
        cohort: &Cohort,
        picks: usize,
        score: &Score,
        rng: &mut R,
    ) -> Result<(Vec<usize>, Option<String>), GwasError> {
        let Request { test, protects, grid, .. } = self.request;
        let odds = &self.payment.per_move;
        (self.means.tell)(Event::Scoring(cohort.tables.len()));
        if let Score::Distance(cut) = score {
            let threshold = cut.threshold(*test, cohort.tables.len())?;
            let adjacency = protects.adjacency();
            let scores = scores(&cohort.tables, *test, adjacency, &threshold, self.means.threads)?;
            let shown = format!("χ² {}", decimal(&threshold.value(), 6, Rounding::Nearest));
            (self.means.tell)(Event::Picking);
            return Ok((by_score(&scores, adjacency, picks, odds, rng)?, Some(shown)));
        }
        let values: Vec<Rational> = cohort.tables.iter().map(|table| statistic(table, *test)).collect();
        let sensitivity = cohort.tables.first().map_or_else(|| whole(0), |table| self.sensitivity(table));
        (self.means.tell)(Event::Picking);
        let pick = if *score == Score::Noisy { by_noise::<R> } else { by_statistic::<R> };
        Ok((pick(&values, &sensitivity, grid, picks, odds, rng)?, None))
    }

    /// χ² with noise.
    fn statistics<R: CryptoRng>(&self, tables: &[Genotypes], rng: &mut R) -> Result<(Vec<Values>, Noise), GwasError> {
        let Request { test, grid, .. } = self.request;
        let first = tables.first().ok_or(NoisyError::Nothing)?;
        let people = first.all_cases() + first.all_controls();
        let values: Vec<Rational> = tables.iter().map(|table| statistic(table, *test)).collect();
        let (odds, confidence) = (&self.payment.per_move, &self.promised.confidence);
        let noisy = statistics(&values, *test, people, &self.sensitivity(first), grid, odds, confidence, rng)?;
        Ok((noisy.iter().map(Values::from).collect(), self.value_noise(Part::Statistics, first, tables.len())?))
    }

    /// The noise of the numbers of so many SNPs, over the people of this table.
    pub(crate) fn value_noise(&self, part: Part, people: &Genotypes, snps: usize) -> Result<Noise, GwasError> {
        let Request { grid, .. } = self.request;
        if part == Part::Statistics {
            let steps = sensitivity_steps(&self.sensitivity(people), grid)? * snps;
            return self.geometric("χ²", &steps, grid);
        }
        let (adjacency, sides) = self.sides();
        self.geometric("the number of copies of A1", &count_sensitivity(adjacency, sides, snps), &whole(1))
    }

    /// Whose alleles are counted. Under label swap the counts of cases and controls together are public, so that those of the
    /// cases alone tell as much with half the noise.
    fn sides(&self) -> (Adjacency, Sides) {
        match self.request.protects.adjacency() {
            Adjacency::Genotype => (Adjacency::Genotype, Sides::Both),
            Adjacency::LabelSwap => (Adjacency::LabelSwap, Sides::Cases),
        }
    }

    /// Allele counts with noise.
    fn counts<R: CryptoRng>(&self, tables: &[Genotypes], rng: &mut R) -> Result<(Vec<Values>, Noise), GwasError> {
        let first = tables.first().ok_or(NoisyError::Nothing)?;
        let (adjacency, sides) = self.sides();
        let (odds, confidence) = (&self.payment.per_move, &self.promised.confidence);
        let noisy = allele_counts(tables, adjacency, sides, odds, confidence, rng)?;
        Ok((noisy.iter().map(Values::from).collect(), self.value_noise(Part::Counts, first, tables.len())?))
    }

    fn geometric(&self, measure: &str, steps: &BigInt, unit: &Rational) -> Result<Noise, GwasError> {
        let decay = Decay::hiding(&self.payment.per_move, steps)?;
        Ok(Noise {
            measure: measure.to_owned(),
            kind: NoiseKind::Geometric,
            sensitivity: up(&(whole(steps.clone()) * unit)),
            scale: Some(up(&(decay.scale_bound() * unit))),
            margin: up(&(whole(margin(&decay, &self.promised.confidence)) * unit)),
            decay: decay.ratio().to_string(),
        })
    }
}
