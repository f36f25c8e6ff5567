//! Association results as a kind of release: the steps that `deniable_protocol` calls in its order.

use crate::answer::{Answer, NamedSnp, Record, SnpName, named};
use crate::cohort::{Cohort, CohortFiles};
use crate::draw::Exact;
use crate::error::GwasError;
use crate::payment::{Payment, PaymentError, payment};
use crate::promise::{CohortPromise, Protects, assumptions};
use crate::registration::{DeclaredCohort, cohort, written_since};
use crate::request::{Part, Query, Score, Snps};
use crate::scores::scores;
use deniable_core::exact::parse_rational;
use deniable_genome::noisy::largest_statistic;
use deniable_genome::select::{SelectError, steps};
use deniable_genome::{CohortAdjacency, Log, Threshold, distance};
use deniable_ledger::{Charge, Form, Key, Ledger, Part as LedgerPart, Release, Summary, VersionLimit, VersionName};
use deniable_protocol::{self as protocol, Kind, ProtocolError};
use deniable_publication::shown::{PublishedForm, ShownAnswer};
use deniable_publication::{
    Answer as PublishedAnswer, Confidence, DataVersion, Imprint, Publication, WithdrawalNotice,
};
use rand_core::CryptoRng;
use serde::Deserialize;
use std::collections::BTreeSet;
use std::num::NonZeroUsize;

pub use deniable_protocol::Origin;

/// The hash context of the identities of releases.
const IDENTITY: &str = "deniable-ledger-v1 identity of an association release";

/// The context string with which digests of bases are derived. A change of a law of the noise changes it.
const BASIS: &str = "deniable 2026-12 basis of an association release";

/// The form in which association results are stored.
pub const FORM: Form = Form::new("gwas", 1);

/// A progress event of a release. For the curator: it depends on private files.
#[derive(Debug)]
pub enum Event<'a> {
    /// This many SNPs were read.
    Reading(u64),
    /// All SNPs were read; the numbers read and left out.
    Read(&'a Log),
    /// This run registered the version of the files.
    Registered(DeclaredCohort<'a>),
    /// All answers are stored ones, but the files were modified after their version was registered.
    WrittenSince(DeclaredCohort<'a>),
    /// Scores of this many SNPs are being computed.
    Scoring(usize),
    /// Scores are computed; picks are being drawn.
    Picking,
    /// A release is computed, and about to be stored.
    Storing,
    /// A release has its answer, from this origin.
    Answered(&'a str, Origin),
}

/// The resources of a release.
#[derive(Clone, Copy)]
pub struct Means<'a> {
    /// The files.
    pub files: &'a CohortFiles,
    /// Number of threads.
    pub threads: NonZeroUsize,
    /// Whether a run that registers a version continues.
    pub register: bool,
    /// Receives events for the curator.
    pub tell: &'a dyn Fn(Event<'_>),
}

/// The outcome of a request.
#[derive(Debug)]
pub struct ReleaseOutcome {
    /// The publishable part: the answers obtained.
    pub publication: Publication,
    /// The errors of releases that failed after they were charged. The same releases resume at no cost.
    pub unanswered: Vec<GwasError>,
}

impl ReleaseOutcome {
    /// The publication of all releases.
    ///
    /// # Errors
    /// The error of the first release without an answer.
    pub fn complete(self) -> Result<Publication, GwasError> {
        match self.unanswered.into_iter().next() {
            Some(error) => Err(error),
            None => Ok(self.publication),
        }
    }
}

/// Performs every release of a request, in order, and returns the publishable part.
///
/// Stored answers cost nothing, and need no files. All rejections occur before the first charge. A cohort that is not
/// registered for these options is read and registered first; unless the run may go on, it ends there.
///
/// # Errors
/// If the files, the ledger or the promise do not allow it; the error states what was charged.
pub fn release<R: CryptoRng>(
    means: &Means<'_>,
    promised: &CohortPromise,
    request: &Query,
    ledger: &mut Ledger,
    rng: &mut R,
) -> Result<ReleaseOutcome, GwasError> {
    let summary = ledger.summary();
    let promised = &promised.within(&summary.accounts)?;
    let payment = payment(&summary.accounts, promised, request.protects, &request.each())?;
    for (account, _) in payment.charges() {
        // An existing account must agree before any file is read; a new one is opened with the first charge.
        if summary.accounts.iter().any(|known| known.id.same_place(account)) {
            ledger.open_account(&promised.guarantee(account.kind)).map_err(ProtocolError::from)?;
        }
    }
    let mut run = Run::new(means, promised, request, payment);
    run.recall(&summary);
    if run.named.is_none() {
        // The SNPs that names identify are known only from the files, and without them no release is determined.
        run.take(cohort(means, request, ledger)?)?;
    }
    let told = |event: deniable_protocol::Event<'_>| match event {
        deniable_protocol::Event::Storing(_) => (means.tell)(Event::Storing),
        deniable_protocol::Event::Answered(name, origin) => (means.tell)(Event::Answered(name, origin)),
    };
    let released = deniable_protocol::release(&mut run, ledger, rng, &told)?;
    let unanswered = released.exhausted.into_iter();
    let unanswered =
        unanswered.map(|(at, error)| GwasError::Unanswered { release: run.name(at), error: Box::new(error) }).collect();
    let parts = request.parts();
    let mut known: Vec<Option<Answer>> = vec![None; parts.len()];
    for (at, answer, _) in &released.answers {
        known[*at] = Some(answer.clone());
    }
    let seen = ledger.summary().seen_by(&LedgerPart::Whole);
    let withdrawal = |at: usize| {
        let charge = run.identity(at, &known)?;
        let withdrawal = run.payment.charges().find_map(|(account, _)| seen.withdrawal(account, &charge.identity))?;
        Some(WithdrawalNotice { on: withdrawal.day(), reason: withdrawal.reason.clone() })
    };
    let table = |(at, answer, _): &(usize, Answer, Origin)| PublishedAnswer {
        withdrawn: withdrawal(*at),
        ..answer.table(request, parts[*at], &run.payment)
    };
    let tables = released.answers.iter().map(table).collect();
    let publication = Publication {
        rehearsal: false,
        policy: promised.asker().to_owned(),
        population: promised.population().to_owned(),
        imprint: Imprint::default(),
        data: DataVersion { table: request.source.clone(), version: request.version.clone() },
        confidence: Confidence::new(promised.confidence()),
        answers: tables,
        guarantee: promised.statement(request.protects, request.protects.secret()),
    };
    Ok(ReleaseOutcome { publication, unanswered })
}

/// One run of a request.
pub(crate) struct Run<'a> {
    pub means: &'a Means<'a>,
    pub promised: &'a CohortPromise,
    pub request: &'a Query,
    pub payment: Payment,
    /// The cohort; empty while it did not have to be read.
    pub cohort: Cohort,
    /// The SNPs requested by name, in the order of the files; `None` while their indices are unknown.
    pub named: Option<Vec<NamedSnp>>,
    /// Distance scores, if they were needed before the charge.
    pub scores: Option<Vec<Option<i64>>>,
}

impl<'a> Run<'a> {
    /// A run without a cohort.
    pub(crate) fn new(means: &'a Means<'a>, promised: &'a CohortPromise, request: &'a Query, payment: Payment) -> Self {
        let named = match &request.snps {
            Snps::Named(_) => None,
            Snps::Top { .. } => Some(vec![]),
        };
        Self { means, promised, request, payment, cohort: Cohort::default(), named, scores: None }
    }

    /// Continues with a cohort that was read.
    pub(crate) fn take(&mut self, cohort: Cohort) -> Result<(), GwasError> {
        if let Snps::Named(names) = &self.request.snps {
            let mut places = cohort.places(names)?;
            // The same SNPs in another order, or with repetitions, are the same request.
            places.sort_unstable();
            places.dedup();
            let named = |place: usize| Some((place, cohort.variant(place)?.id));
            self.named = Some(places.into_iter().filter_map(named).collect());
        }
        self.cohort = cohort;
        Ok(())
    }

    /// The requested names, without repetitions.
    fn asked(&self) -> BTreeSet<&'a str> {
        match &self.request.snps {
            Snps::Named(names) => names.iter().map(String::as_str).collect(),
            Snps::Top { .. } => BTreeSet::new(),
        }
    }

    /// Takes the indices of named SNPs from a stored answer to the same request, whose identity includes them.
    fn recall(&mut self, ledger: &Summary) {
        if self.named.is_none() {
            let releases = || ledger.accounts.iter().flat_map(|account| &account.releases);
            let parts = self.request.parts().into_iter();
            self.named = parts
                .flat_map(|part| releases().map(move |one| (part, one)))
                .find_map(|(part, release)| self.recalled(part, release));
        }
    }

    fn recalled(&self, part: Part, release: &Release) -> Option<Vec<NamedSnp>> {
        let Charge { name, source, version, .. } = &release.query;
        if *name != self.request.name(part, self.snps())
            || (source, version) != (&self.request.source, &self.request.version)
        {
            return None;
        }
        // Invalid records are rejected when they are shown.
        let named = named(&Record::deserialize(release.answer.as_ref()?.read().ok()?).ok()?.snps);
        let same = named.iter().map(|(_, name)| name.as_str()).collect::<BTreeSet<_>>() == self.asked();
        (same && self.ask(part, &named).identity == release.query.identity).then_some(named)
    }

    /// The release at a position.
    fn part(&self, at: usize) -> Part {
        self.request.parts().get(at).copied().unwrap_or(Part::Picks)
    }

    /// The number of SNPs released.
    pub(crate) fn snps(&self) -> usize {
        match &self.request.snps {
            Snps::Top { picks, .. } => *picks,
            Snps::Named(_) => self.asked().len(),
        }
    }

    /// The charge of a release. Its identity covers everything that determines the release: the request's words, the
    /// indices of SNPs, the files' version, the adjacency and the odds of one move.
    fn ask(&self, part: Part, snps: &[NamedSnp]) -> Charge {
        let Query { source, version, .. } = self.request;
        let (places, names): (Vec<usize>, Vec<String>) = snps.iter().cloned().unzip();
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
        Charge {
            name: self.request.name(part, self.snps()),
            sql: words,
            identity: hasher.finalize().to_hex().to_string(),
            canonical: deniable_ledger::Canonical::default(),
            coins: Vec::new(),
            source: source.clone(),
            version: version.clone(),
        }
    }

    /// The SNPs of a release: empty for picks, the picked ones for the releases after them; `None` while they are
    /// unknown.
    fn places(&self, part: Part, answers: &[Option<Answer>]) -> Option<Vec<NamedSnp>> {
        match (part, &self.request.snps) {
            (Part::Picks, _) => Some(vec![]),
            (_, Snps::Named(_)) => self.named.clone(),
            // Picks are the first release.
            (_, Snps::Top { .. }) => answers.first()?.as_ref().map(|picks| named(&picks.snps)),
        }
    }

    /// The indices of the SNPs of a release; empty for picks.
    fn places_of(&self, part: Part, answers: &[Option<Answer>]) -> Vec<usize> {
        self.places(part, answers).unwrap_or_default().into_iter().map(|(place, _)| place).collect()
    }

    /// Rejects requests on the basis of public values.
    pub(crate) fn check(&mut self, pending: &[Part]) -> Result<(), GwasError> {
        let (of, wanted) = (self.cohort.tables.len(), self.snps());
        if wanted > of {
            return Err(GwasError::TooMany { wanted, of });
        }
        for part in pending {
            self.noise(*part, self.cohort.sizes())?;
            self.check_grid(*part)?;
        }
        if pending.contains(&Part::Picks) { self.check_reach(wanted) } else { Ok(()) }
    }

    /// Rejects a grid on which the largest χ² of this cohort size has too many steps. Without this check, the existence
    /// of an answer would depend on whether a private value has too many.
    fn check_grid(&self, part: Part) -> Result<(), GwasError> {
        let is_by_distance = matches!(self.request.snps, Snps::Top { score: Score::Distance(_), .. });
        let is_on_grid = match part {
            Part::Picks => !is_by_distance,
            Part::Statistics => true,
            Part::Counts => false,
        };
        let first = self.cohort.tables.first();
        let people = first.map_or(0, |table| table.all_cases() + table.all_controls());
        if is_on_grid {
            steps(&largest_statistic(self.request.test, people), &self.request.grid)?;
        }
        Ok(())
    }

    /// Rejects thresholds that too few SNPs can cross. Which SNPs can is public: under label swap the genotypes are,
    /// and under genotype replacement every SNP can become any other (G-2).
    fn check_reach(&mut self, wanted: usize) -> Result<(), GwasError> {
        let Query { test, protects, snps, .. } = self.request;
        let Snps::Top { score: Score::Distance(cut), .. } = snps else { return Ok(()) };
        let threshold = cut.threshold(*test, self.cohort.tables.len())?;
        let adjacency = protects.adjacency();
        let possible = match adjacency {
            CohortAdjacency::Genotype => {
                let first = self.cohort.tables.first().map(|table| distance(table, *test, adjacency, &threshold));
                let reaches = first.transpose()?.is_some_and(|first| first.score().is_some());
                if reaches { self.cohort.tables.len() } else { 0 }
            }
            CohortAdjacency::LabelSwap => {
                let scores = self.scored(&threshold)?;
                let possible = scores.iter().flatten().count();
                self.scores = Some(scores);
                possible
            }
        };
        if possible < wanted { Err(SelectError::TooFew { picks: wanted, possible }.into()) } else { Ok(()) }
    }

    pub(crate) fn scored(&self, threshold: &Threshold) -> Result<Vec<Option<i64>>, GwasError> {
        let Query { test, protects, .. } = self.request;
        (self.means.tell)(Event::Scoring(self.cohort.tables.len()));
        Ok(scores(&self.cohort.tables, *test, protects.adjacency(), threshold, self.means.threads)?)
    }

    /// The record of an answer for the account of this payer, whose page is about the secret of that account.
    fn record(&self, part: Part, payer: usize, answer: Answer) -> Result<Record, String> {
        let payer = self.payment.charges().nth(payer).map(|(account, _)| account.kind);
        let secret = payer.unwrap_or_else(|| self.request.protects.secret());
        // If both accounts pay, neither secret is assumed to be public.
        let protects = if self.payment.also.is_some() { Protects::Both } else { self.request.protects };
        let table = answer.table(self.request, part, &self.payment);
        let shown = ShownAnswer { confidence: Confidence::new(self.promised.confidence()), table };
        let published = PublishedForm::new(shown, Some(assumptions(protects, secret)));
        Ok(Record {
            sizes: answer.sizes,
            snps: answer.snps,
            decay: answer.noise.decay.to_string(),
            threshold: answer.threshold.map(|threshold| threshold.value().to_string()),
            published: serde_json::to_value(published).map_err(|error| error.to_string())?,
        })
    }
}

impl Kind for Run<'_> {
    type Answer = Answer;
    type Record = Record;
    type Rejection = GwasError;
    type MachineError = GwasError;
    type Exact = Exact;

    const FORM: Form = FORM;
    /// The names and alleles of SNPs are in the files.
    const FINISHES_FROM_DATA: bool = true;

    fn asker(&self) -> &str {
        self.promised.asker()
    }

    fn part(&self) -> LedgerPart {
        LedgerPart::Whole
    }

    fn releases(&self) -> usize {
        self.request.parts().len()
    }

    fn name(&self, at: usize) -> String {
        self.request.name(self.part(at), self.snps())
    }

    fn identity(&self, at: usize, answers: &[Option<Answer>]) -> Option<Charge> {
        let part = self.part(at);
        self.places(part, answers).map(|places| self.ask(part, &places))
    }

    fn price(&self, _: usize) -> Result<Vec<protocol::Payment>, GwasError> {
        let charges = self.payment.charges().map(|(account, cost)| {
            let guarantee = self.promised.guarantee(account.kind);
            let own_limit = guarantee.limit().clone();
            let Query { source, version, .. } = self.request;
            let version_limit = self.promised.per_version().map(|share| VersionLimit {
                share: share.clone(),
                versions: vec![VersionName { source: source.clone(), version: version.clone() }],
            });
            protocol::Payment { guarantee, cost: cost.clone(), own_limit, version_limit }
        });
        Ok(charges.collect())
    }

    fn answer(&self, at: usize, numbers: &[i128], record: Record) -> Result<Answer, String> {
        let (part, Record { sizes, snps, decay, threshold, published: _ }) = (self.part(at), record);
        let is_pick = |(number, snp): (&i128, &SnpName)| *number == i128::from(snp.place);
        let are_picks = part != Part::Picks || numbers.iter().zip(&snps).all(is_pick);
        let people = [sizes.cases, sizes.controls];
        let is_small = people.iter().all(|people| u32::try_from(*people).is_ok());
        if snps.len() != self.snps() || numbers.len() != self.count(part) || !are_picks || !is_small {
            return Err("its shape does not match the request".to_owned());
        }
        let read = |text: &String| parse_rational(text).ok().and_then(|value| Threshold::new(&value).ok());
        let threshold = threshold.as_ref().map(|text| read(text).ok_or("its threshold is invalid")).transpose()?;
        let answer = self.answer_of(part, numbers, sizes, snps, threshold).map_err(|error| error.to_string())?;
        if answer.noise.decay.to_string() == decay {
            Ok(answer)
        } else {
            Err("its noise follows another law than in this version; use the version that stored it".to_owned())
        }
    }

    /// The payment has already determined whether an account can pay.
    fn admit(&self, _: &Summary) -> Result<(), GwasError> {
        Ok(())
    }

    fn agree(&self, ledger: &Ledger) -> Result<(), GwasError> {
        let now = payment(&ledger.summary().accounts, self.promised, self.request.protects, &self.request.each())?;
        if now == self.payment { Ok(()) } else { Err(PaymentError::Changed.into()) }
    }

    /// Reads the files, unless they were needed to determine the releases.
    fn ready(&mut self, ledger: &mut Ledger, pending: &[usize]) -> Result<(), GwasError> {
        if pending.is_empty() {
            if self.cohort.tables.is_empty() && written_since(self.means, self.request, ledger) {
                (self.means.tell)(Event::WrittenSince(self.request.declared()));
            }
            return Ok(());
        }
        if self.cohort.tables.is_empty() {
            self.take(cohort(self.means, self.request, ledger)?)?;
        }
        let parts: Vec<Part> = pending.iter().map(|at| self.part(*at)).collect();
        self.check(&parts)
    }

    /// The fingerprint of the files, under the ledger's key. The laws of the noise follow from the identity and the
    /// files; they are not included, since the basis is compared before the files are read.
    fn basis(&self, _: usize, ledger: &Ledger) -> String {
        let Query { source, version, .. } = self.request;
        let mut hasher = blake3::Hasher::new_derive_key(BASIS);
        for text in [&FORM.to_string(), ledger.registered(source, version).unwrap_or_default()] {
            hasher.update(&(text.len() as u64).to_le_bytes()).update(text.as_bytes());
        }
        hasher.finalize().to_hex().to_string()
    }

    fn compute(&mut self, at: usize, answers: &[Option<Answer>], _: &Key) -> Result<Exact, GwasError> {
        let part = self.part(at);
        self.exact(part, &self.places_of(part, answers))
    }

    fn numbers(&self, at: usize) -> usize {
        self.count(self.part(at))
    }

    fn draw<R: CryptoRng>(&self, at: usize, exact: Exact, rng: &mut R) -> Result<Vec<i128>, GwasError> {
        self.drawn(self.part(at), &exact, rng)
    }

    fn finish(&self, at: usize, payer: usize, numbers: &[i128], answers: &[Option<Answer>]) -> Result<Record, String> {
        let part = self.part(at);
        let snps = self.snp_names(part, &self.places_of(part, answers), numbers);
        let answer =
            snps.and_then(|snps| self.answer_of(part, numbers, self.cohort.sizes(), snps, self.threshold(part)?));
        self.record(part, payer, answer.map_err(|error| error.to_string())?)
    }

    fn for_payer(&self, at: usize, payer: usize, numbers: &[i128], record: &Record) -> Result<Record, String> {
        self.record(self.part(at), payer, self.answer(at, numbers, record.clone())?)
    }
}

#[cfg(test)]
mod tests {
    /// Pages are written from the ledger alone, for answers of any kind of release.
    #[test]
    fn pages_support_the_form() {
        assert!(deniable_publication::shown::HELD_BY.contains(&super::FORM.to_string().as_str()));
    }
}
