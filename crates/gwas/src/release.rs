//! Read, charge, pick or add noise, store, show. In this order, always.

use crate::answer::{Answer, shown};
use crate::cohort::{Cohort, Files, NameError};
use crate::payment::{Payment, PaymentError, payment};
use crate::promised::Promised;
use crate::request::{Part, Request, Score, Snps};
use crate::scores::scores;
use deniable_core::budget::{Spend, SpendError};
use deniable_core::exact::Rational;
use deniable_core::guarantee::NotPlain;
use deniable_core::noise::DecayError;
use deniable_core::secret::Secret;
use deniable_genome::chi2::ThresholdError;
use deniable_genome::distance::TooManyPeople;
use deniable_genome::noisy::NoisyError;
use deniable_genome::select::SelectError;
use deniable_genome::{Adjacency, FileError, Log, Threshold, distance};
use deniable_ledger::{
    Account, AccountError, AccountId, AnswerError, Ask, Charge, ChargeError, ChargeRequest, Ledger, Part as BudgetPart,
    Registered, VersionError,
};
use deniable_publication::left::share_left;
use deniable_publication::remembered::Remembered;
use deniable_publication::{DataVersion, Publication, Table};
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
        "{account}: this costs an odds ratio of {cost} in all, and {spent} of {limit} is spent; nothing was charged"
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
        /// The largest share of the promise that still fits; `None` where none does.
        fits: Option<Rational>,
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
    /// People that cannot be named so.
    #[error(transparent)]
    Subject(#[from] NotPlain),
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
/// Stored answers cost nothing. They, too, are shown only when the files are those of the version, so that nobody is given the
/// answer about other data. Everything that can be refused is refused before the first charge.
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
    let promised = &promised.within(&summary.accounts)?;
    let payment = payment(&summary.accounts, promised, request.protects, &request.each())?;
    for (account, _) in payment.charges() {
        // An account that is there must agree before anything is read; a new one is opened with the first charge.
        if summary.accounts.iter().any(|known| known.id.same_place(account)) {
            ledger.open_account(&promised.guarantee(account.kind))?;
        }
    }
    let cohort = read(means, request, ledger)?;
    let mut run = Run::new(means, promised, request, payment, cohort)?;
    run.check(&summary.accounts)?;
    let mut places = run.named.clone();
    let mut tables = Vec::new();
    for part in request.parts() {
        let answer = run.answer(part, &places, ledger, rng)?;
        if part == Part::Picks {
            places = answer.places();
        }
        tables.push(answer.table(request, part, &run.payment));
    }
    Ok(Publication {
        policy: promised.asker().to_owned(),
        population: promised.population().to_owned(),
        data: DataVersion { table: request.source.clone(), version: request.version.clone() },
        confidence: shown(promised.confidence()),
        asks: tables,
        guarantee: promised.statement(request.protects, request.protects.secret()),
    })
}

/// Reads the files, and makes sure that they are the declared version.
fn read(means: &Means<'_>, request: &Request, ledger: &mut Ledger) -> Result<Cohort, GwasError> {
    let Means { files, threads, tell } = *means;
    let key = ledger.key().derive(FINGERPRINT);
    let cohort = Cohort::read(files, request.fill, key, threads, &|snps| tell(Event::Reading(snps)))?;
    tell(Event::Read(&cohort.log));
    if ledger.register_version(&request.source, &request.version, &cohort.fingerprint)? == Registered::New {
        tell(Event::Registered);
    }
    Ok(cohort)
}

/// One run over a request.
pub(crate) struct Run<'a> {
    pub means: &'a Means<'a>,
    pub promised: &'a Promised,
    pub request: &'a Request,
    pub payment: Payment,
    pub cohort: Cohort,
    /// The places of the SNPs that are asked for by name, in the order of the files.
    pub named: Vec<usize>,
    /// Distance scores, where they had to be known before the charge.
    pub scores: Option<Vec<Option<i64>>>,
}

impl<'a> Run<'a> {
    /// A run over a cohort that was read.
    pub(crate) fn new(
        means: &'a Means<'a>,
        promised: &'a Promised,
        request: &'a Request,
        payment: Payment,
        cohort: Cohort,
    ) -> Result<Self, GwasError> {
        let mut named = match &request.snps {
            Snps::Named(names) => cohort.places(names)?,
            Snps::Top { .. } => vec![],
        };
        // The same SNPs in another order, or twice, are the same question.
        named.sort_unstable();
        named.dedup();
        Ok(Self { means, promised, request, payment, cohort, named, scores: None })
    }

    /// How many SNPs are released.
    pub(crate) fn snps(&self) -> usize {
        match &self.request.snps {
            Snps::Top { picks, .. } => *picks,
            Snps::Named(_) => self.named.len(),
        }
    }

    /// A release as the ledger remembers it. Its identity covers everything that decides what is released: the request's
    /// words, the places of SNPs, the files' version, the adjacency and the odds of one move.
    fn ask(&self, part: Part, places: &[usize]) -> Ask {
        let Request { source, version, .. } = self.request;
        let names: Vec<String> = places.iter().filter_map(|place| Some(self.cohort.variant(*place)?.id)).collect();
        let words = self.request.words(part, &names);
        let mut hasher = blake3::Hasher::new_derive_key(IDENTITY);
        let mut add = |text: &str| {
            hasher.update(&(text.len() as u64).to_le_bytes()).update(text.as_bytes());
        };
        let odds = self.payment.per_move.to_string();
        let places = format!("{places:?}");
        for text in [&words, &places, source, version, &odds, self.request.protects.name()] {
            add(text);
        }
        Ask {
            name: self.request.name(part, self.snps()),
            sql: words,
            identity: hasher.finalize().to_hex().to_string(),
            source: source.clone(),
            version: version.clone(),
        }
    }

    /// The releases that the first account has not answered yet: all after picks that are not known, as they are not either.
    pub(crate) fn unanswered(&self, accounts: &[Account], of: &AccountId) -> Vec<Part> {
        let account = accounts.iter().find(|known| known.id == *of);
        let mut places = match &self.request.snps {
            Snps::Named(_) => Some(self.named.clone()),
            Snps::Top { .. } => None,
        };
        let mut all = Vec::new();
        for part in self.request.parts() {
            let known = if part == Part::Picks { Some(vec![]) } else { places.clone() };
            let paid = known.and_then(|places| account?.release(&self.ask(part, &places).identity));
            if let (Part::Picks, Some(paid)) = (part, paid) {
                let answer = paid.answer.clone().and_then(|answer| serde_json::from_value::<Answer>(answer).ok());
                places = answer.map(|answer| answer.places());
            }
            if paid.is_none() {
                all.push(part);
            }
        }
        all
    }

    /// Refuses before the first charge what can be refused by what is public, and what does not fit into what is left.
    pub(crate) fn check(&mut self, accounts: &[Account]) -> Result<(), GwasError> {
        let (of, wanted) = (self.cohort.tables.len(), self.snps());
        if wanted > of {
            return Err(GwasError::TooMany { wanted, of });
        }
        let unanswered = self.unanswered(accounts, &self.payment.account);
        for part in &unanswered {
            self.noise(*part)?;
        }
        if unanswered.contains(&Part::Picks) {
            self.check_reach(wanted)?;
        }
        for (id, cost) in self.payment.charges() {
            let Some(account) = accounts.iter().find(|known| known.id == *id) else { continue };
            let cost = self.unanswered(accounts, id).iter().fold(Spend::nothing(), |sum, _| sum.and(cost));
            if !account.spent.and(&cost).fits(account.terms.limit())? {
                return Err(GwasError::OverBudget {
                    account: account.id.to_string(),
                    fits: share_left(&account.spent, account.terms.limit(), self.promised.guarantee(id.kind).limit()),
                    cost,
                    spent: account.spent.clone(),
                    limit: account.terms.limit().clone(),
                });
            }
        }
        Ok(())
    }

    /// Refuses thresholds that too few SNPs can cross. Which can is public: under label swap the genotypes are, and under
    /// genotype replacement every SNP can be any other (G-2).
    fn check_reach(&mut self, wanted: usize) -> Result<(), GwasError> {
        let Request { test, protects, snps, .. } = self.request;
        let Snps::Top { score: Score::Distance(cut), .. } = snps else { return Ok(()) };
        let threshold = cut.threshold(*test, self.cohort.tables.len())?;
        let adjacency = protects.adjacency();
        let possible = match adjacency {
            Adjacency::Genotype => {
                let first = self.cohort.tables.first().map(|table| distance(table, *test, adjacency, &threshold));
                let reaches = first.transpose()?.is_some_and(|first| first.score().is_some());
                if reaches { self.cohort.tables.len() } else { 0 }
            }
            Adjacency::LabelSwap => {
                let scores = self.scored(&threshold)?;
                let possible = scores.iter().flatten().count();
                self.scores = Some(scores);
                possible
            }
        };
        if possible < wanted { Err(SelectError::TooFew { picks: wanted, possible }.into()) } else { Ok(()) }
    }

    pub(crate) fn scored(&self, threshold: &Threshold) -> Result<Vec<Option<i64>>, GwasError> {
        let Request { test, protects, .. } = self.request;
        (self.means.tell)(Event::Scoring(self.cohort.tables.len()));
        Ok(scores(&self.cohort.tables, *test, protects.adjacency(), threshold, self.means.threads)?)
    }

    fn read_answer(&self, part: Part, json: serde_json::Value, name: &str) -> Result<Answer, GwasError> {
        let broken = |reason: String| GwasError::Stored { release: name.to_owned(), reason };
        let answer: Answer = serde_json::from_value(json).map_err(|error| broken(error.to_string()))?;
        if answer.fits(part, self.snps()) { Ok(answer) } else { Err(broken("it has another shape".to_owned())) }
    }

    /// One release: the stored answer, or a new one.
    fn answer<R: CryptoRng>(
        &mut self,
        part: Part,
        places: &[usize],
        ledger: &mut Ledger,
        rng: &mut R,
    ) -> Result<Answer, GwasError> {
        let ask = self.ask(part, places);
        let name = ask.name.clone();
        let (charges, origin) = self.charge(&ask, ledger)?;
        let answered = charges.iter().find_map(|charge| match charge {
            Charge::Answered { answer, .. } => Some(answer.clone()),
            Charge::New { .. } | Charge::Resumed { .. } => None,
        });
        let json = match answered {
            Some(json) => json,
            None => {
                let json = self.computed(part, places, rng)?;
                (self.means.tell)(Event::Storing);
                json
            }
        };
        let mut kept = json;
        for (at, charge) in charges.iter().enumerate() {
            if !matches!(charge, Charge::Answered { .. }) {
                let own = if at == 0 { kept.clone() } else { self.in_other_words(part, &kept, &name)? };
                let stored = ledger
                    .store_answer(charge.seq(), &own)
                    .map_err(|error| GwasError::Answer { release: name.clone(), error })?;
                // What is shown is what is stored, even when another process was faster.
                if at == 0 {
                    kept = stored;
                }
            }
        }
        (self.means.tell)(Event::Answered(&name, origin));
        self.read_answer(part, kept, &name)
    }

    /// The same answer for the account of the other secret, whose page speaks of that.
    fn in_other_words(&self, part: Part, json: &serde_json::Value, name: &str) -> Result<serde_json::Value, GwasError> {
        let mut answer = self.read_answer(part, json.clone(), name)?;
        answer.published = self.remembered(answer.table(self.request, part, &self.payment), Secret::Label);
        let broken =
            |error: serde_json::Error| GwasError::Stored { release: name.to_owned(), reason: error.to_string() };
        serde_json::to_value(&answer).map_err(broken)
    }

    /// Charges every account that is touched.
    fn charge(&self, ask: &Ask, ledger: &mut Ledger) -> Result<(Vec<Charge>, Origin), GwasError> {
        let mut charges = Vec::new();
        let mut origin = Origin::Stored;
        for (account, cost) in self.payment.charges() {
            ledger.open_account(&self.promised.guarantee(account.kind))?;
            let request = ChargeRequest {
                account: account.clone(),
                policy: self.promised.asker().to_owned(),
                policy_limit: self.promised.guarantee(account.kind).limit().clone(),
                ask: ask.clone(),
                cost: cost.clone(),
                part: BudgetPart::Whole,
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

    /// What a report from the ledger alone will show.
    pub(crate) fn remembered(&self, table: Table, secret: Secret) -> Option<serde_json::Value> {
        let remembered = Remembered {
            confidence: shown(self.promised.confidence()),
            table,
            guarantee: self.promised.statement(self.request.protects, secret),
        };
        remembered.as_field()
    }
}
